/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/dwarf/split_package.h"

#include "base/arena.h"
#include "symbol/elf/packed_section.h"

#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>

enum section_kind { INFO, ABBREVIATIONS, STRING_OFFSETS, RANGES, STRINGS, SECTION_KINDS };

enum {
    INDEX_HEADER_BYTES = 16,
    COLUMNS_MOST = 16           /* of the index; eight are defined */
};

static const char *const section_names[SECTION_KINDS] = {
    [INFO] = ".debug_info.dwo", [ABBREVIATIONS] = ".debug_abbrev.dwo", [STRING_OFFSETS] = ".debug_str_offsets.dwo",
    [RANGES] = ".debug_rnglists.dwo", [STRINGS] = ".debug_str.dwo",
};

/* The columns of the index; version 2 has another section where version 5 has the range lists. */
static const uint32_t column_ids[SECTION_KINDS] = {[INFO] = 1, [ABBREVIATIONS] = 3, [STRING_OFFSETS] = 6, [RANGES] = 8};

struct split_package {
    struct elf_file elf;
    struct arena arena; /* what was compressed */
    struct bytes_view sections[SECTION_KINDS];
    struct bytes_view index; /* none in a .dwo file … */
    vec(struct bytes_view) units_apart; /* … whose sections with units these are */
    uint32_t version, columns, units, slots;
    uint64_t slots_at, rows_at, offsets_at, sizes_at; /* into the index */
    uint32_t column_of[SECTION_KINDS];                /* UINT32_MAX: the index has none */
};

static uint32_t index_u32(const struct split_package *package, uint64_t at)
{
    return stored_u32(package->index.bytes + at, package->elf.swapped);
}

static bool index_read(struct split_package *package, struct error *err)
{
    bool swapped = package->elf.swapped;
    struct bytes header = bytes_of(package->index.bytes, package->index.size_bytes, swapped);
    uint32_t first = read_u32(&header);
    uint16_t half = stored_u16(package->index.bytes, swapped); /* version 5 has two bytes, then padding */
    package->version = first == 2 ? first : half;
    package->columns = read_u32(&header);
    package->units = read_u32(&header);
    package->slots = read_u32(&header);
    if (package->version != 2 && package->version != 5)
        return error_set(err, ERROR_FORMAT, "a package of split units of version %u; 2 and 5 are read",
                         package->version);
    if (package->columns > COLUMNS_MOST || package->slots & (package->slots - 1))
        return error_set(
            err, ERROR_FORMAT,
            "the index of split units has %u sections and %u slots; at most %d and a power of two were expected",
            package->columns, package->slots, COLUMNS_MOST);
    uint64_t cells = (uint64_t)package->units * package->columns;
    package->slots_at = INDEX_HEADER_BYTES;
    package->rows_at = package->slots_at + (uint64_t)package->slots * 8;
    uint64_t ids_at = package->rows_at + (uint64_t)package->slots * 4;
    package->offsets_at = ids_at + (uint64_t)package->columns * 4;
    package->sizes_at = package->offsets_at + cells * 4;
    if (package->sizes_at + cells * 4 > package->index.size_bytes)
        return error_set(
            err, ERROR_FORMAT,
            "the index of split units ends after %zu bytes: %u sections of %u units in %u slots were expected",
            package->index.size_bytes, package->columns, package->units, package->slots);
    for (int kind = 0; kind < SECTION_KINDS; kind++) {
        package->column_of[kind] = UINT32_MAX;
        for (uint32_t column = 0; column < package->columns; column++)
            if (column_ids[kind] && index_u32(package, ids_at + column * 4) == column_ids[kind] &&
                (kind != RANGES || package->version == 5))
                package->column_of[kind] = column;
    }
    return true;
}

/*
 * All sections that units are made of; several of one name are kept apart where they hold units, else the first is
 * meant.
 */
static bool sections_read(struct split_package *package, struct error *err)
{
    for (size_t at = 0; at < package->elf.section_count; at++)
        for (int kind = 0; kind < SECTION_KINDS; kind++) {
            struct bytes_view bytes;
            if (strcmp(package->elf.sections[at].name, section_names[kind]) != 0)
                continue;
            if (!packed_section_read(&package->elf, &package->elf.sections[at], &package->arena, &bytes, err))
                return false;
            if (kind == INFO)
                *vec_push(&package->units_apart) = bytes;
            if (!package->sections[kind].size_bytes)
                package->sections[kind] = bytes;
        }
    return true;
}

static bool index_open(struct split_package *package, struct error *err)
{
    const struct elf_section *index = elf_section_named(&package->elf, ".debug_cu_index");
    if (index && !packed_section_read(&package->elf, index, &package->arena, &package->index, err))
        return false;
    return package->index.size_bytes >= INDEX_HEADER_BYTES
               ? index_read(package, err)
               : error_set(err, ERROR_FORMAT, "no index of split units (.debug_cu_index)");
}

static bool open_with(struct split_package **ret_package, int fd,
                      bool (*complete)(struct split_package *, struct error *), struct error *err)
{
    struct elf_file elf;
    if (!elf_file_open(&elf, fd, err))
        return false;
    struct split_package *package = memory_alloc(sizeof(*package));
    *package = (struct split_package){.elf = elf};
    arena_init(&package->arena);
    bool good = complete(package, err) && sections_read(package, err);
    if (good)
        *ret_package = package;
    else
        split_package_free(package);
    return good;
}

bool split_package_open(struct split_package **ret_package, int fd, struct error *err)
{
    return open_with(ret_package, fd, index_open, err);
}

static bool nothing_else(struct split_package *package, struct error *err)
{
    (void)package, (void)err;
    return true;
}

bool split_file_open(struct split_package **ret_package, int fd, struct error *err)
{
    return open_with(ret_package, fd, nothing_else, err);
}

void split_package_free(struct split_package *package)
{
    if (package) {
        vec_done(&package->units_apart);
        arena_done(&package->arena);
        elf_file_close(&package->elf);
    }
    free(package);
}

/* What a unit begins with. */
struct unit_header {
    uint16_t version;
    unsigned offset_bytes; /* 8 of 64-bit DWARF, else 4 */
    bool has_id;           /* a split unit of DWARF 5: before it types had a section of their own */
    uint64_t id;
};

/* Returns false where the section is too short for one. */
static bool unit_header_read(const struct split_package *package, struct bytes_view section,
                             struct unit_header *ret_header)
{
    struct bytes unit =
        bytes_of(section.bytes ? section.bytes : package->elf.bytes, section.size_bytes, package->elf.swapped);
    struct unit_header header = {.offset_bytes = 4};
    if (read_u32(&unit) == UINT32_MAX) { /* the length */
        header.offset_bytes = 8;
        read_u64(&unit);
    }
    header.version = read_u16(&unit);
    *ret_header = header;
    if (unit.failed)
        return false;
    uint8_t kind = read_u8(&unit);
    read_u8(&unit); /* bytes of an address */
    bytes_take(&unit, header.offset_bytes); /* abbreviations */
    ret_header->id = read_u64(&unit);
    ret_header->has_id = header.version == 5 && kind == DW_UT_split_compile && !unit.failed;
    return true;
}

/* What stands before the string offsets: their length, version and padding, since DWARF 5. */
static size_t offsets_header_bytes(const struct unit_header *unit)
{
    return unit->version < 5 ? 0 : unit->offset_bytes == 8 ? 16 : 8;
}

/* The row of the unit in the index's tables; UINT32_MAX: it isn't in it. */
static uint32_t row_of(const struct split_package *package, uint64_t id)
{
    uint32_t mask = package->slots - 1, slot = (uint32_t)id & mask, step = ((uint32_t)(id >> 32) & mask) | 1;
    for (uint32_t tried = 0; tried < package->slots; tried++, slot = (slot + step) & mask) {
        uint32_t row = index_u32(package, package->rows_at + (uint64_t)slot * 4);
        if (!row)
            break;
        if (stored_u64(package->index.bytes + package->slots_at + (uint64_t)slot * 8, package->elf.swapped) == id)
            return row <= package->units ? row - 1 : UINT32_MAX;
    }
    return UINT32_MAX;
}

/* What a row has of a section; empty when it has nothing, or not within the section. */
static struct bytes_view piece_of(const struct split_package *package, uint32_t row, enum section_kind kind)
{
    if (package->column_of[kind] == UINT32_MAX)
        return (struct bytes_view){0};
    uint64_t cell = ((uint64_t)row * package->columns + package->column_of[kind]) * 4;
    uint32_t offset = index_u32(package, package->offsets_at + cell),
             size = index_u32(package, package->sizes_at + cell);
    struct bytes_view section = package->sections[kind];
    if (!size || offset > section.size_bytes || size > section.size_bytes - offset)
        return (struct bytes_view){0};
    return (struct bytes_view){section.bytes + offset, size};
}

/*
 * A unit's own strings, of the many that the package has: its offsets are written anew to go with them. No more bytes
 * are looked at than the package has of strings, however often the offsets name one.
 */
static void strings_gather(const struct split_package *package, struct bytes_view piece,
                           const struct unit_header *unit, struct byte_writer *offsets, struct byte_writer *strings)
{
    struct bytes_view all = package->sections[STRINGS];
    size_t header_bytes = offsets_header_bytes(unit), left = all.size_bytes;
    size_t from = piece.size_bytes < header_bytes ? piece.size_bytes : header_bytes;
    put_bytes(offsets, piece.bytes, from);
    put_number(strings, 0, 1); /* what can't be told has no name */
    for (; piece.size_bytes - from >= unit->offset_bytes; from += unit->offset_bytes) {
        const uint8_t *stored = piece.bytes + from;
        uint64_t at = unit->offset_bytes == 8 ? stored_u64(stored, package->elf.swapped)
                                              : stored_u32(stored, package->elf.swapped);
        size_t most = at >= all.size_bytes ? 0 : all.size_bytes - at < left ? all.size_bytes - at : left;
        const uint8_t *end = most ? memchr(all.bytes + at, 0, most) : NULL;
        size_t size_bytes = end ? (size_t)(end - (all.bytes + at)) + 1 : 0;
        left -= end ? size_bytes : most;
        put_number(offsets, end ? strings->bytes.count : 0, unit->offset_bytes);
        if (end)
            put_bytes(strings, all.bytes + at, size_bytes);
    }
}

static void put_elf_header(const struct split_package *package, struct byte_writer *image, uint16_t sections)
{
    const unsigned char ident[EI_NIDENT] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
                                            image->is_big ? ELFDATA2MSB : ELFDATA2LSB, EV_CURRENT};
    put_bytes(image, ident, sizeof(ident));
    put_number(image, ET_REL, 2);
    put_number(image, package->elf.machine, 2);
    put_number(image, EV_CURRENT, 4);
    put_number(image, 0, 8);        /* entry */
    put_number(image, 0, 8);        /* segments */
    put_number(image, sizeof(Elf64_Ehdr), 8); /* sections: at once */
    put_number(image, 0, 4);        /* flags */
    put_number(image, sizeof(Elf64_Ehdr), 2);
    put_number(image, 0, 4);        /* segments: size, count */
    put_number(image, sizeof(Elf64_Shdr), 2);
    put_number(image, sections, 2);
    put_number(image, sections - 1u, 2); /* the last has the names */
}

static void put_section(struct byte_writer *image, uint32_t name, uint32_t type, uint64_t offset, uint64_t size_bytes)
{
    put_number(image, name, 4);
    put_number(image, type, 4);
    put_number(image, 0, 8); /* flags */
    put_number(image, 0, 8); /* address */
    put_number(image, offset, 8);
    put_number(image, size_bytes, 8);
    put_number(image, 0, 4); /* link */
    put_number(image, 0, 4); /* info */
    put_number(image, type == SHT_NULL ? 0 : 1, 8);
    put_number(image, 0, 8); /* size of an entry */
}

/* An ELF file of these sections: header, table of sections, their bytes, their names. */
static void put_elf(const struct split_package *package, struct byte_writer *image,
                    const struct bytes_view pieces[SECTION_KINDS])
{
    enum { SECTIONS = SECTION_KINDS + 2 }; /* the empty first one and the names */
    static const char own_name[] = ".shstrtab";
    struct byte_writer names = {0};
    uint64_t start = sizeof(Elf64_Ehdr) + SECTIONS * sizeof(Elf64_Shdr);
    put_elf_header(package, image, SECTIONS);
    put_section(image, 0, SHT_NULL, 0, 0);
    put_number(&names, 0, 1);
    for (int kind = 0; kind < SECTION_KINDS; kind++) {
        put_section(image, (uint32_t)names.bytes.count, SHT_PROGBITS, start, pieces[kind].size_bytes);
        put_bytes(&names, section_names[kind], strlen(section_names[kind]) + 1);
        start += pieces[kind].size_bytes;
    }
    uint32_t own = (uint32_t)names.bytes.count;
    put_bytes(&names, own_name, sizeof(own_name));
    put_section(image, own, SHT_STRTAB, start, names.bytes.count);
    for (int kind = 0; kind < SECTION_KINDS; kind++)
        put_bytes(image, pieces[kind].bytes, pieces[kind].size_bytes);
    put_bytes(image, names.bytes.items, names.bytes.count);
    vec_done(&names.bytes);
}

/* The unit's pieces of a package, with its own strings alone. */
static void pieces_of_row(const struct split_package *package, uint32_t row, struct bytes_view pieces[SECTION_KINDS])
{
    for (int kind = 0; row != UINT32_MAX && kind < STRINGS; kind++)
        pieces[kind] = piece_of(package, row, kind);
}

/* Of a .dwo file: all sections, but of those with units its own. */
static void pieces_of_file(const struct split_package *package, uint64_t id, struct bytes_view pieces[SECTION_KINDS])
{
    struct unit_header unit;
    vec_for_each(&package->units_apart, section)
        if (!pieces[INFO].bytes && unit_header_read(package, *section, &unit) && unit.has_id && unit.id == id) {
            memcpy(pieces, package->sections, sizeof(package->sections));
            pieces[INFO] = *section;
        }
}

bool split_package_unit(const struct split_package *package, uint64_t id, struct byte_writer *ret_image)
{
    struct bytes_view pieces[SECTION_KINDS] = {0};
    bool is_package = package->index.bytes;
    if (is_package)
        pieces_of_row(package, row_of(package, id), pieces);
    else
        pieces_of_file(package, id, pieces);
    struct unit_header unit;
    if (!unit_header_read(package, pieces[INFO], &unit) || !pieces[ABBREVIATIONS].size_bytes)
        return false;
    struct byte_writer image = byte_writer_of(package->elf.swapped), offsets = image, strings = image;
    if (is_package) {
        strings_gather(package, pieces[STRING_OFFSETS], &unit, &offsets, &strings);
        pieces[STRING_OFFSETS] = (struct bytes_view){offsets.bytes.items, offsets.bytes.count};
        pieces[STRINGS] = (struct bytes_view){strings.bytes.items, strings.bytes.count};
    }
    put_elf(package, &image, pieces);
    vec_done(&offsets.bytes);
    vec_done(&strings.bytes);
    *ret_image = image;
    return true;
}
