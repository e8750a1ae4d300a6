/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/dwarf/packaged_unit.h"

#include "base/scope.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FORM_ADDRESS_BYTES = 8 };

struct field {
    unsigned name, form;
    uint64_t value;
    const char *text; /* of DW_FORM_string */
};

struct skeleton {
    struct byte_writer info, abbreviations;
};

static uint64_t attribute_of(const struct libdw *api, Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    return api->attr(die, name, &attribute) && api->formudata(&attribute, &value) == 0 ? value : 0;
}

static void put_uleb(struct byte_writer *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put_number(out, (value & 0x7f) | 0x80, 1);
    put_number(out, value, 1);
}

static void put_field(struct skeleton *out, const struct field *field)
{
    put_uleb(&out->abbreviations, field->name);
    put_uleb(&out->abbreviations, field->form);
    if (field->form == DW_FORM_string)
        put_bytes(&out->info, field->text, strlen(field->text) + 1);
    else
        put_number(&out->info, field->value, field->form == DW_FORM_sec_offset ? 4 : FORM_ADDRESS_BYTES);
}

static void put_fields(struct skeleton *out, Dwarf_Half version, const struct libdw *api, Dwarf_Die *own, uint64_t id,
                       const char *path)
{
    bool is_new = version >= 5;
    Dwarf_Addr low = 0;
    if (api->lowpc(own, &low) != 0)
        low = 0;
    const struct field fields[] = {
        {is_new ? DW_AT_dwo_name : DW_AT_GNU_dwo_name, DW_FORM_string, 0, path},
        {DW_AT_low_pc, DW_FORM_addr, low, NULL},
        {is_new ? DW_AT_addr_base : DW_AT_GNU_addr_base, DW_FORM_sec_offset,
         attribute_of(api, own, is_new ? DW_AT_addr_base : DW_AT_GNU_addr_base), NULL},
        {DW_AT_GNU_ranges_base, DW_FORM_sec_offset, attribute_of(api, own, DW_AT_GNU_ranges_base), NULL},
        {DW_AT_GNU_dwo_id, DW_FORM_data8, id, NULL},
    };
    put_uleb(&out->abbreviations, 1);
    put_uleb(&out->abbreviations, is_new ? DW_TAG_skeleton_unit : DW_TAG_compile_unit);
    put_number(&out->abbreviations, DW_CHILDREN_no, 1);
    put_uleb(&out->info, 1);
    for (size_t at = 0; at < array_count(fields) - (is_new ? 2 : 0); at++) /* the last two are of DWARF 4 */
        put_field(out, &fields[at]);
    put_number(&out->abbreviations, 0, 3); /* of this entry, and of the table */
}

/* The bytes of a unit with one entry: what the split part asks of the binary. */
static struct skeleton skeleton_write(const struct libdw *api, Dwarf_Die *own, bool is_big, const char *path)
{
    struct skeleton out = {.info.is_big = is_big, .abbreviations.is_big = is_big};
    struct byte_writer body = {.is_big = is_big};
    Dwarf_Half version = 0;
    uint64_t id = 0;
    api->cu_info(own->cu, &version, NULL, NULL, NULL, &id, NULL, NULL);
    put_number(&body, version, 2);
    if (version >= 5) {
        put_number(&body, DW_UT_skeleton, 1);
        put_number(&body, FORM_ADDRESS_BYTES, 1);
        put_number(&body, 0, 4); /* its abbreviations */
        put_number(&body, id, 8);
    } else {
        put_number(&body, 0, 4);
        put_number(&body, FORM_ADDRESS_BYTES, 1);
    }
    struct skeleton fields = {.info = body, .abbreviations.is_big = is_big};
    put_fields(&fields, version, api, own, id, path);
    put_number(&out.info, fields.info.bytes.count, 4);
    put_bytes(&out.info, fields.info.bytes.items, fields.info.bytes.count);
    vec_done(&fields.info.bytes);
    out.abbreviations = fields.abbreviations;
    return out;
}

/* The binary's bytes with room behind them; what is written into them is ours alone. */
static bool map_with_room(struct packaged_unit *unit, int fd, size_t room, size_t *ret_room_at)
{
    struct stat status;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (fstat(fd, &status) < 0 || status.st_size <= 0)
        return false;
    *ret_room_at = ((size_t)status.st_size + page - 1) & ~(page - 1);
    unit->size_bytes = *ret_room_at + room;
    unit->memory = mmap(NULL, unit->size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (unit->memory == MAP_FAILED)
        return false;
    if (mmap(unit->memory, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0) !=
        MAP_FAILED)
        return true;
    munmap(unit->memory, unit->size_bytes);
    return false;
}

static void section_move(const struct libdw *api, Elf_Scn *section, GElf_Shdr *header, size_t offset, size_t size_bytes)
{
    header->sh_type = SHT_PROGBITS;
    header->sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
    header->sh_offset = offset;
    header->sh_size = size_bytes;
    api->gelf_update_shdr(section, header);
}

/*
 * The skeleton takes the place of all units and their abbreviations; of the rest of the DWARF only what it speaks of
 * stays.
 */
static void sections_replace(const struct libdw *api, Elf *elf, const struct skeleton *skeleton, size_t at)
{
    size_t names;
    GElf_Shdr header;
    if (api->elf_getshdrstrndx(elf, &names) != 0)
        return;
    for (Elf_Scn *section = NULL; (section = api->elf_nextscn(elf, section));) {
        const char *name = api->gelf_getshdr(section, &header) ? api->elf_strptr(elf, names, header.sh_name) : NULL;
        if (!name || (strncmp(name, ".debug_", 7) != 0 && strncmp(name, ".zdebug_", 8) != 0))
            continue;
        if (strcmp(name, ".debug_info") == 0) {
            section_move(api, section, &header, at, skeleton->info.bytes.count);
        } else if (strcmp(name, ".debug_abbrev") == 0) {
            section_move(api, section, &header, at + skeleton->info.bytes.count, skeleton->abbreviations.bytes.count);
        } else if (strcmp(name, ".debug_addr") != 0 && strcmp(name, ".debug_ranges") != 0) {
            header.sh_type = SHT_NOBITS;
            api->gelf_update_shdr(section, &header);
        }
    }
}

static bool link_halves(struct packaged_unit *unit, const struct libdw *api, const struct skeleton *skeleton,
                        int binary_fd)
{
    size_t at;
    if (!map_with_room(unit, binary_fd, skeleton->info.bytes.count + skeleton->abbreviations.bytes.count, &at))
        return false;
    uint8_t *room = (uint8_t *)unit->memory + at;
    memcpy(room, skeleton->info.bytes.items, skeleton->info.bytes.count);
    memcpy(room + skeleton->info.bytes.count, skeleton->abbreviations.bytes.items, skeleton->abbreviations.bytes.count);
    unit->elf = api->elf_memory(unit->memory, unit->size_bytes);
    if (unit->elf)
        sections_replace(api, unit->elf, skeleton, at);
    unit->dwarf = unit->elf ? api->begin_elf(unit->elf, DWARF_C_READ, NULL) : NULL;
    Dwarf_CU *cu = NULL;
    bool linked = unit->dwarf && api->get_units(unit->dwarf, NULL, &cu, NULL, NULL, NULL, &unit->split) == 0 &&
                  api->tag(&unit->split) == DW_TAG_compile_unit;
    if (!linked)
        packaged_unit_done(unit, api);
    return linked;
}

bool packaged_unit_open(struct packaged_unit *ret_unit, const struct libdw *api, const struct split_package *package,
                        int binary_fd, Dwarf_Die *skeleton)
{
    struct byte_writer image;
    uint64_t id = 0;
    if (api->cu_info(skeleton->cu, NULL, NULL, NULL, NULL, &id, NULL, NULL) != 0 ||
        !split_package_unit(package, id, &image))
        return false;
    scoped_fd int file = memfd_create("plumb-unit", MFD_CLOEXEC);
    struct packaged_unit unit = {0};
    bool linked = false;
    if (file >= 0 && write(file, image.bytes.items, image.bytes.count) == (ssize_t)image.bytes.count) {
        char path[64];
        snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
        struct skeleton bytes = skeleton_write(api, skeleton, image.is_big, path);
        linked = link_halves(&unit, api, &bytes, binary_fd);
        vec_done(&bytes.info.bytes);
        vec_done(&bytes.abbreviations.bytes);
    }
    vec_done(&image.bytes);
    if (linked)
        *ret_unit = unit;
    return linked;
}

void packaged_unit_done(struct packaged_unit *unit, const struct libdw *api)
{
    if (unit->dwarf)
        api->end(unit->dwarf);
    if (unit->elf)
        api->elf_end(unit->elf);
    munmap(unit->memory, unit->size_bytes);
    *unit = (struct packaged_unit){0};
}
