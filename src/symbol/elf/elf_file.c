/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/elf/elf_file.h"

#include "base/arena.h"
#include "base/file/file_fault.h"
#include "base/vec.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct elf_header {
    uint64_t segment_offset, section_offset;
    uint16_t segment_bytes, segment_count, section_bytes, section_count, name_section;
};

static uint64_t read_word(struct bytes *bytes, bool is_64)
{
    return is_64 ? read_u64(bytes) : read_u32(bytes);
}

static bool read_header(struct elf_file *elf, struct elf_header *header, struct error *err)
{
    if (elf->size_bytes < EI_NIDENT || memcmp(elf->bytes, ELFMAG, SELFMAG) != 0)
        return error_set(err, ERROR_FORMAT, "not an ELF file");
    uint8_t class = elf->bytes[EI_CLASS], data = elf->bytes[EI_DATA];
    if ((class != ELFCLASS32 && class != ELFCLASS64) || (data != ELFDATA2LSB && data != ELFDATA2MSB))
        return error_set(err, ERROR_FORMAT, "ELF of unknown class %d or byte order %d", class, data);
    elf->is_64 = class == ELFCLASS64;
    elf->swapped = (data == ELFDATA2MSB) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    struct bytes at = bytes_of(elf->bytes, elf->size_bytes, elf->swapped);
    bytes_take(&at, EI_NIDENT);
    elf->type = read_u16(&at);
    elf->machine = read_u16(&at);
    read_u32(&at);                 /* version */
    elf->entry_addr = read_word(&at, elf->is_64);
    header->segment_offset = read_word(&at, elf->is_64);
    header->section_offset = read_word(&at, elf->is_64);
    read_u32(&at); /* flags */
    read_u16(&at); /* this header's size */
    header->segment_bytes = read_u16(&at);
    header->segment_count = read_u16(&at);
    header->section_bytes = read_u16(&at);
    header->section_count = read_u16(&at);
    header->name_section = read_u16(&at);
    if (at.failed)
        return error_set(err, ERROR_FORMAT, "ELF header cut short");
    return true;
}

/* A table of count entries within the file: a cursor over it, failed when it isn't inside. */
static struct bytes table_cursor(const struct elf_file *elf, uint64_t offset, uint64_t count, uint64_t entry_bytes)
{
    struct bytes at = bytes_of(elf->bytes, elf->size_bytes, elf->swapped);
    if (offset > elf->size_bytes || (entry_bytes && count > (elf->size_bytes - offset) / entry_bytes)) {
        at.failed = true;
        return at;
    }
    at.at += offset;
    at.end = at.at + count * entry_bytes;
    return at;
}

static void read_segments(struct elf_file *elf, const struct elf_header *header)
{
    size_t least = elf->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    struct bytes table = table_cursor(elf, header->segment_offset, header->segment_count, header->segment_bytes);
    if (table.failed || header->segment_bytes < least || !header->segment_count)
        return;
    elf->segments = memory_alloc(memory_product(header->segment_count, sizeof(*elf->segments)));
    for (size_t number = 0; number < header->segment_count; number++) {
        struct bytes at = table;
        at.at += number * header->segment_bytes;
        struct elf_segment *segment = &elf->segments[elf->segment_count++];
        segment->type = read_u32(&at);
        if (elf->is_64)
            segment->flags = read_u32(&at);
        segment->offset = read_word(&at, elf->is_64);
        segment->addr = read_word(&at, elf->is_64);
        read_word(&at, elf->is_64); /* physical address */
        segment->file_bytes = read_word(&at, elf->is_64);
        segment->memory_bytes = read_word(&at, elf->is_64);
        if (!elf->is_64)
            segment->flags = read_u32(&at);
        if (segment->file_bytes > segment->memory_bytes && segment->type == PT_LOAD)
            segment->file_bytes = segment->memory_bytes;
        if (segment->offset > elf->size_bytes)
            segment->file_bytes = 0;
        else if (segment->file_bytes > elf->size_bytes - segment->offset)
            segment->file_bytes = elf->size_bytes - segment->offset;
    }
}

static struct elf_section read_section(const struct elf_file *elf, struct bytes at)
{
    struct elf_section section = {.name = ""};
    section.name_offset = read_u32(&at);
    section.type = read_u32(&at);
    section.flags = read_word(&at, elf->is_64);
    section.addr = read_word(&at, elf->is_64);
    section.offset = read_word(&at, elf->is_64);
    section.size_bytes = read_word(&at, elf->is_64);
    section.link = read_u32(&at);
    section.info = read_u32(&at);
    read_word(&at, elf->is_64); /* alignment */
    section.entry_bytes = read_word(&at, elf->is_64);
    return section;
}

static void name_sections(struct elf_file *elf, uint32_t name_section)
{
    struct bytes_view names = {0};
    if (name_section < elf->section_count)
        names = elf_section_bytes(elf, &elf->sections[name_section]);
    for (size_t at = 0; at < elf->section_count; at++) {
        uint32_t offset = elf->sections[at].name_offset;
        bool inside = offset < names.size_bytes && memchr(names.bytes + offset, 0, names.size_bytes - offset);
        elf->sections[at].name = inside ? (const char *)names.bytes + offset : "";
    }
}

static void read_sections(struct elf_file *elf, const struct elf_header *header)
{
    size_t least = elf->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    uint64_t count = header->section_count;
    uint32_t name_section = header->name_section;
    struct bytes first = table_cursor(elf, header->section_offset, 1, header->section_bytes);
    if (!header->section_offset || first.failed || header->section_bytes < least)
        return;
    /* Numbers that don't fit the header are in the first entry. */
    struct elf_section extended = read_section(elf, first);
    if (!count)
        count = extended.size_bytes;
    if (name_section == SHN_XINDEX)
        name_section = extended.link;
    struct bytes table = table_cursor(elf, header->section_offset, count, header->section_bytes);
    if (table.failed || !count)
        return;
    elf->sections = memory_alloc(memory_product(count, sizeof(*elf->sections)));
    for (size_t number = 0; number < count; number++) {
        struct bytes at = table;
        at.at += number * header->section_bytes;
        elf->sections[elf->section_count++] = read_section(elf, at);
    }
    name_sections(elf, name_section);
}

bool elf_file_of_bytes(struct elf_file *ret_elf, const void *bytes, size_t size_bytes, struct error *err)
{
    struct elf_file elf = {.bytes = bytes, .size_bytes = size_bytes};
    struct elf_header header = {0};
    if (!read_header(&elf, &header, err))
        return false;
    read_segments(&elf, &header);
    read_sections(&elf, &header);
    *ret_elf = elf;
    return true;
}

bool elf_file_open(struct elf_file *ret_elf, int fd, struct error *err)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return error_system(err, errno, "can't examine the file");
    if (!S_ISREG(status.st_mode) || status.st_size <= 0)
        return error_set(err, ERROR_FORMAT, S_ISREG(status.st_mode) ? "empty file" : "not a regular file");
    file_faults_survive();
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return error_system(err, errno, "can't map the file");
    if (!elf_file_of_bytes(ret_elf, bytes, (size_t)status.st_size, err)) {
        munmap(bytes, (size_t)status.st_size);
        return false;
    }
    ret_elf->is_mapped = true;
    return true;
}

void elf_file_close(struct elf_file *elf)
{
    if (elf->is_mapped)
        munmap((void *)(uintptr_t)elf->bytes, elf->size_bytes);
    free(elf->sections);
    free(elf->segments);
    *elf = (struct elf_file){0};
}

const struct elf_section *elf_section_named(const struct elf_file *elf, const char *name)
{
    for (size_t at = 0; at < elf->section_count; at++)
        if (strcmp(elf->sections[at].name, name) == 0)
            return &elf->sections[at];
    return NULL;
}

const struct elf_section *elf_section_of_type(const struct elf_file *elf, uint32_t type)
{
    for (size_t at = 0; at < elf->section_count; at++)
        if (elf->sections[at].type == type)
            return &elf->sections[at];
    return NULL;
}

struct bytes_view elf_section_bytes(const struct elf_file *elf, const struct elf_section *section)
{
    if (section->type == SHT_NOBITS || section->offset > elf->size_bytes ||
        section->size_bytes > elf->size_bytes - section->offset)
        return (struct bytes_view){0};
    return (struct bytes_view){elf->bytes + section->offset, section->size_bytes};
}

struct bytes elf_section_cursor(const struct elf_file *elf, const struct elf_section *section)
{
    struct bytes_view view = elf_section_bytes(elf, section);
    return bytes_of(view.bytes ? view.bytes : elf->bytes, view.size_bytes, elf->swapped);
}

/* The build id among a run of notes, each padded to `align` bytes. */
static bool build_id_in_notes(struct bytes at, uint64_t align, struct build_id *ret_build_id)
{
    while (bytes_left(&at) >= 12) {
        uint32_t name_bytes = read_u32(&at), value_bytes = read_u32(&at), type = read_u32(&at);
        uint64_t name_padded = (name_bytes + align - 1) & ~(align - 1);
        uint64_t value_padded = (value_bytes + align - 1) & ~(align - 1);
        const uint8_t *name = bytes_take(&at, name_padded);
        size_t left = bytes_left(&at);
        if (!name || value_bytes > left)
            return false;
        const uint8_t *value = bytes_take(&at, value_padded < left ? value_padded : left);
        if (type == NT_GNU_BUILD_ID && name_bytes == 4 && memcmp(name, "GNU", 4) == 0 && value_bytes &&
            value_bytes <= BUILD_ID_BYTES_MOST) {
            ret_build_id->size_bytes = (uint8_t)value_bytes;
            memcpy(ret_build_id->bytes, value, value_bytes);
            return true;
        }
    }
    return false;
}

struct build_id elf_build_id(const struct elf_file *elf)
{
    struct build_id build_id = {0};
    for (size_t at = 0; at < elf->section_count; at++)
        if (elf->sections[at].type == SHT_NOTE &&
            build_id_in_notes(elf_section_cursor(elf, &elf->sections[at]), 4, &build_id))
            return build_id;
    for (size_t at = 0; at < elf->segment_count; at++) {
        const struct elf_segment *segment = &elf->segments[at];
        struct bytes notes = bytes_of(elf->bytes, elf->size_bytes, elf->swapped);
        if (segment->type != PT_NOTE || !segment->file_bytes)
            continue;
        notes.at += segment->offset;
        notes.end = notes.at + segment->file_bytes;
        if (build_id_in_notes(notes, 4, &build_id))
            return build_id;
    }
    return build_id;
}

bool elf_debug_link(const struct elf_file *elf, const char **ret_name, uint32_t *ret_crc)
{
    const struct elf_section *section = elf_section_named(elf, ".gnu_debuglink");
    if (!section)
        return false;
    struct bytes at = elf_section_cursor(elf, section);
    const uint8_t *start = at.at;
    const char *name = read_string(&at);
    if (!name)
        return false;
    bytes_take(&at, (size_t)(-(at.at - start) & 3)); /* padded to 4 bytes */
    uint32_t crc = read_u32(&at);
    if (at.failed)
        return false;
    *ret_name = name;
    *ret_crc = crc;
    return true;
}

bool elf_addr_of_offset(const struct elf_file *elf, uint64_t file_offset, uint64_t *ret_addr)
{
    const struct elf_segment *best = NULL;
    for (size_t at = 0; at < elf->segment_count; at++) {
        const struct elf_segment *segment = &elf->segments[at];
        if (segment->type != PT_LOAD || file_offset < segment->offset ||
            file_offset - segment->offset >= segment->file_bytes)
            continue;
        /* Linkers let segments share a page of the file: the executable one is meant. */
        if (!best || (!(best->flags & PF_X) && (segment->flags & PF_X)))
            best = segment;
    }
    if (!best)
        return false;
    *ret_addr = best->addr + (file_offset - best->offset);
    return true;
}

/* The writable segment that holds the offset in its bytes or, with zeros, in the memory behind them; NULL: none. */
static const struct elf_segment *data_segment(const struct elf_file *elf, uint64_t file_offset, bool zeros)
{
    for (size_t at = 0; at < elf->segment_count; at++) {
        const struct elf_segment *segment = &elf->segments[at];
        uint64_t size_bytes = zeros ? segment->memory_bytes : segment->file_bytes;
        if (segment->type == PT_LOAD && segment->flags & PF_W && file_offset >= segment->offset &&
            file_offset - segment->offset < size_bytes)
            return segment;
    }
    return NULL;
}

bool elf_data_addr_of_offset(const struct elf_file *elf, uint64_t file_offset, uint64_t *ret_addr)
{
    const struct elf_segment *segment = data_segment(elf, file_offset, false);
    if (!segment && elf_addr_of_offset(elf, file_offset, ret_addr))
        return true;
    segment = segment ? segment : data_segment(elf, file_offset, true);
    if (segment)
        *ret_addr = segment->addr + (file_offset - segment->offset);
    return segment;
}

static const struct elf_segment *segment_at(const struct elf_file *elf, uint64_t addr)
{
    for (size_t at = 0; at < elf->segment_count; at++) {
        const struct elf_segment *segment = &elf->segments[at];
        if (segment->type == PT_LOAD && addr >= segment->addr && addr - segment->addr < segment->file_bytes)
            return segment;
    }
    return NULL;
}

bool elf_offset_of_addr(const struct elf_file *elf, uint64_t addr, uint64_t *ret_file_offset)
{
    const struct elf_segment *segment = segment_at(elf, addr);
    if (!segment)
        return false;
    *ret_file_offset = segment->offset + (addr - segment->addr);
    return true;
}

struct bytes_view elf_bytes_at(const struct elf_file *elf, uint64_t addr, uint64_t size_bytes)
{
    const struct elf_segment *segment = segment_at(elf, addr);
    if (!segment)
        return (struct bytes_view){0};
    uint64_t skipped = addr - segment->addr;
    uint64_t left = segment->file_bytes - skipped;
    return (struct bytes_view){elf->bytes + segment->offset + skipped, size_bytes < left ? size_bytes : left};
}

const struct elf_section *elf_code_section_at(const struct elf_file *elf, uint64_t addr)
{
    for (size_t at = 0; at < elf->section_count; at++) {
        const struct elf_section *section = &elf->sections[at];
        if ((section->flags & SHF_EXECINSTR) && addr >= section->addr && addr - section->addr < section->size_bytes)
            return section;
    }
    return NULL;
}

const char *elf_architecture(const struct elf_file *elf)
{
    static const struct {
        uint16_t machine;
        const char *name, *name_32;
    } names[] = {
        {EM_X86_64, "x86_64", "x86_64"}, {EM_386, "i686", "i686"},       {EM_AARCH64, "aarch64", "aarch64"},
        {EM_ARM, "armv7l", "armv7l"},    {EM_RISCV, "riscv64", "riscv32"}, {EM_PPC64, "ppc64", "ppc64"},
        {EM_S390, "s390x", "s390"},
    };
    for (size_t at = 0; at < array_count(names); at++)
        if (names[at].machine == elf->machine)
            return elf->is_64 ? names[at].name : names[at].name_32;
    return NULL;
}

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
    /* perf pads short ids with zeros to 20 bytes, so compare what both have and want zeros behind it. */
    size_t shorter = a->size_bytes < b->size_bytes ? a->size_bytes : b->size_bytes;
    const struct build_id *longer = a->size_bytes < b->size_bytes ? b : a;
    if (!shorter || memcmp(a->bytes, b->bytes, shorter) != 0)
        return false;
    for (size_t at = shorter; at < longer->size_bytes; at++)
        if (longer->bytes[at])
            return false;
    return true;
}

void build_id_text(const struct build_id *build_id, char *text)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t at = 0; at < build_id->size_bytes && at < BUILD_ID_BYTES_MOST; at++) {
        *text++ = digits[build_id->bytes[at] >> 4];
        *text++ = digits[build_id->bytes[at] & 15];
    }
    *text = 0;
}
