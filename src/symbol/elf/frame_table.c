/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/elf/frame_table.h"

#include "base/partition_point.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* Pointer encodings, DW_EH_PE_*. */
enum {
    ENCODING_ABSOLUTE = 0x00,
    ENCODING_ULEB = 0x01,
    ENCODING_U2 = 0x02,
    ENCODING_U4 = 0x03,
    ENCODING_U8 = 0x04,
    ENCODING_SLEB = 0x09,
    ENCODING_S2 = 0x0a,
    ENCODING_S4 = 0x0b,
    ENCODING_S8 = 0x0c,
    ENCODING_FORMAT = 0x0f,
    ENCODING_PC_RELATIVE = 0x10,
    ENCODING_DATA_RELATIVE = 0x30,
    ENCODING_BASE = 0x70,
    ENCODING_INDIRECT = 0x80,
    TABLE_ENCODING = ENCODING_DATA_RELATIVE | ENCODING_S4,
    TABLE_ENTRY_BYTES = 8
};

struct place {
    struct bytes at;
    uint64_t addr; /* of at.at when reading began */
    const uint8_t *start;
};

static struct place place_at(const struct elf_file *elf, uint64_t addr)
{
    struct bytes_view view = elf_bytes_at(elf, addr, UINT64_MAX);
    struct bytes at = bytes_of(view.bytes ? view.bytes : elf->bytes, view.size_bytes, elf->swapped);
    return (struct place){at, addr, at.at};
}

static uint64_t place_addr(const struct place *place)
{
    return place->addr + (uint64_t)(place->at.at - place->start);
}

static uint64_t read_leb(struct bytes *at, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = read_u8(at);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while ((byte & 0x80) && !at->failed);
    if (is_signed && shift < 64 && (byte & 0x40))
        value |= UINT64_MAX << shift;
    return value;
}

/* An encoded number without its base. */
static bool read_format(struct bytes *at, uint8_t encoding, bool is_64, uint64_t *ret_value)
{
    switch (encoding & ENCODING_FORMAT) {
    case ENCODING_ABSOLUTE: *ret_value = is_64 ? read_u64(at) : read_u32(at); break;
    case ENCODING_ULEB: *ret_value = read_leb(at, false); break;
    case ENCODING_U2: *ret_value = read_u16(at); break;
    case ENCODING_U4: *ret_value = read_u32(at); break;
    case ENCODING_U8: case ENCODING_S8: *ret_value = read_u64(at); break;
    case ENCODING_SLEB: *ret_value = read_leb(at, true); break;
    case ENCODING_S2: *ret_value = (uint64_t)(int64_t)(int16_t)read_u16(at); break;
    case ENCODING_S4: *ret_value = (uint64_t)(int64_t)(int32_t)read_u32(at); break;
    default: return false;
    }
    return !at->failed;
}

static bool read_pointer(struct place *place, uint8_t encoding, bool is_64, uint64_t *ret_value)
{
    uint64_t here = place_addr(place), value;
    uint8_t base = encoding & ENCODING_BASE;
    if ((encoding & ENCODING_INDIRECT) || (base && base != ENCODING_PC_RELATIVE) ||
        !read_format(&place->at, encoding, is_64, &value))
        return false;
    *ret_value = base ? value + here : value;
    return true;
}

struct common_entry { /* a CIE */
    uint8_t encoding;
    uint64_t code_factor, return_register;
    int64_t data_factor;
    bool is_signal, has_data; /* has_data: descriptions carry augmentation data of their own */
    struct bytes instructions;
};

/* Cut a cursor behind an entry's length field to what the entry says it holds. */
static bool entry_cut(struct place *entry, uint32_t length)
{
    if (entry->at.failed || length == UINT32_MAX || length > bytes_left(&entry->at))
        return false;
    entry->at.end = entry->at.at + length;
    return true;
}

static bool read_augmentation(struct place *cie, const char *letters, bool is_64, struct common_entry *entry)
{
    uint64_t ignored;
    for (; *letters; letters++)
        switch (*letters) {
        case 'R':
            entry->encoding = read_u8(&cie->at);
            break;
        case 'L':
            read_u8(&cie->at);
            break;
        case 'P': {
            uint8_t encoding = read_u8(&cie->at) & (uint8_t)~ENCODING_INDIRECT;
            if (!read_pointer(cie, encoding, is_64, &ignored))
                return false;
            break;
        }
        case 'S':
            entry->is_signal = true;
            break;
        case 'B':
            break;
        default: /* what follows is of unknown size, but the data's length is known */
            return !cie->at.failed;
        }
    return !cie->at.failed;
}

static bool common_entry_read(const struct elf_file *elf, uint64_t cie_addr, struct common_entry *entry)
{
    struct place cie = place_at(elf, cie_addr);
    uint32_t length = read_u32(&cie.at);
    if (!entry_cut(&cie, length))
        return false;
    uint32_t id = read_u32(&cie.at);
    uint8_t version = read_u8(&cie.at);
    const char *augmentation = read_string(&cie.at);
    if (cie.at.failed || id != 0 || (version != 1 && version != 3))
        return false;
    *entry = (struct common_entry){.encoding = ENCODING_ABSOLUTE};
    entry->code_factor = read_leb(&cie.at, false);
    entry->data_factor = (int64_t)read_leb(&cie.at, true);
    entry->return_register = version == 1 ? read_u8(&cie.at) : read_leb(&cie.at, false);
    if (augmentation[0] == 'z') {
        uint64_t data_bytes = read_leb(&cie.at, false);
        struct bytes behind = cie.at;
        entry->has_data = true;
        if (data_bytes > bytes_left(&behind) || !bytes_take(&behind, data_bytes) ||
            !read_augmentation(&cie, augmentation + 1, elf->is_64, entry))
            return false;
        cie.at = behind;
    } else if (augmentation[0]) {
        return false;
    }
    entry->instructions = cie.at;
    return !cie.at.failed;
}

static bool description_read(const struct elf_file *elf, uint64_t fde_addr, struct frame_description *ret_description)
{
    struct place fde = place_at(elf, fde_addr);
    struct common_entry common;
    uint32_t length = read_u32(&fde.at);
    if (!entry_cut(&fde, length))
        return false;
    uint64_t cie_field = place_addr(&fde);
    uint32_t back = read_u32(&fde.at);
    uint64_t start, size_bytes;
    if (fde.at.failed || !back || !common_entry_read(elf, cie_field - back, &common) ||
        !read_pointer(&fde, common.encoding, elf->is_64, &start) ||
        !read_format(&fde.at, common.encoding, elf->is_64, &size_bytes) || !size_bytes ||
        size_bytes > UINT64_MAX - start)
        return false;
    if (common.has_data) {
        uint64_t data_bytes = read_leb(&fde.at, false);
        if (data_bytes > bytes_left(&fde.at) || (data_bytes && !bytes_take(&fde.at, data_bytes)))
            return false;
    }
    *ret_description = (struct frame_description){.start = start,
                                                  .end = start + size_bytes,
                                                  .common = common.instructions,
                                                  .own = fde.at,
                                                  .code_factor = common.code_factor,
                                                  .data_factor = common.data_factor,
                                                  .return_register = common.return_register,
                                                  .is_signal = common.is_signal};
    return !fde.at.failed;
}

/* The header of the frame table: its segment, or its section when there are no segments. */
static bool table_addr(const struct elf_file *elf, uint64_t *ret_addr)
{
    for (size_t at = 0; at < elf->segment_count; at++)
        if (elf->segments[at].type == PT_GNU_EH_FRAME) {
            *ret_addr = elf->segments[at].addr;
            return true;
        }
    return false;
}

bool frame_table_find(const struct elf_file *elf, uint64_t addr, struct frame_description *ret_description)
{
    uint64_t table, ignored, count;
    if (!table_addr(elf, &table))
        return false;
    struct place header = place_at(elf, table);
    uint8_t version = read_u8(&header.at), frame_encoding = read_u8(&header.at);
    uint8_t count_encoding = read_u8(&header.at), table_encoding = read_u8(&header.at);
    if (header.at.failed || version != 1 || table_encoding != TABLE_ENCODING ||
        !read_pointer(&header, frame_encoding, elf->is_64, &ignored) ||
        !read_format(&header.at, count_encoding, elf->is_64, &count))
        return false;
    if (count > bytes_left(&header.at) / TABLE_ENTRY_BYTES)
        count = bytes_left(&header.at) / TABLE_ENTRY_BYTES;
    size_t low = 0, high = count; /* the first entry behind addr */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        struct bytes at = header.at;
        at.at += middle * TABLE_ENTRY_BYTES;
        if (table + (uint64_t)(int64_t)(int32_t)read_u32(&at) <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return false;
    struct bytes entry = header.at;
    entry.at += (low - 1) * TABLE_ENTRY_BYTES;
    read_u32(&entry);
    uint64_t description = table + (uint64_t)(int64_t)(int32_t)read_u32(&entry);
    return description_read(elf, description, ret_description) && addr >= ret_description->start &&
           addr < ret_description->end;
}

bool frame_table_is_sorted(const struct elf_file *elf)
{
    uint64_t table;
    return table_addr(elf, &table);
}

static int by_start(const void *a, const void *b)
{
    const struct frame_index_entry *left = a, *right = b;
    return (left->start > right->start) - (left->start < right->start);
}

void frame_index_build(struct frame_index *index, const struct elf_file *elf)
{
    const struct elf_section *section = elf_section_named(elf, ".eh_frame");
    *index = (struct frame_index){0};
    if (!section)
        return;
    struct bytes at = elf_section_cursor(elf, section);
    const uint8_t *begin = at.at;
    for (;;) {
        struct frame_description description;
        uint64_t addr = section->addr + (uint64_t)(at.at - begin);
        uint32_t length = read_u32(&at);
        /* Several objects' tables, each with an end of its own, may stand one behind the other. */
        if (at.failed || length == UINT32_MAX || !bytes_take(&at, length))
            break;
        if (length && description_read(elf, addr, &description))
            *vec_push(&index->entries) = (struct frame_index_entry){description.start, description.end, addr};
    }
    if (index->entries.count)
        qsort(index->entries.items, index->entries.count, sizeof(index->entries.items[0]), by_start);
}

bool frame_index_find(const struct frame_index *index, const struct elf_file *elf, uint64_t addr,
                      struct frame_description *ret_description)
{
    size_t low = partition_point(index->entries.items, index->entries.count, item->start <= addr);
    return low && addr < index->entries.items[low - 1].end &&
           description_read(elf, index->entries.items[low - 1].addr, ret_description);
}
