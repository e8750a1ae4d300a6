/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/elf/frame_table.h"

#include <elf.h>
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

/* How a CIE's descriptions encode their addresses: the 'R' of its augmentation. */
static bool address_encoding(const struct elf_file *elf, uint64_t cie_addr, uint8_t *ret_encoding)
{
    struct place cie = place_at(elf, cie_addr);
    uint32_t length = read_u32(&cie.at), id = read_u32(&cie.at);
    uint8_t version = read_u8(&cie.at);
    const char *augmentation = read_string(&cie.at);
    uint64_t ignored;
    if (cie.at.failed || length == UINT32_MAX || id != 0 || (version != 1 && version != 3))
        return false;
    *ret_encoding = ENCODING_ABSOLUTE;
    if (augmentation[0] != 'z')
        return augmentation[0] == 0;
    read_leb(&cie.at, false); /* code alignment */
    read_leb(&cie.at, true);  /* data alignment */
    if (version == 1)
        read_u8(&cie.at); /* return address register */
    else
        read_leb(&cie.at, false);
    read_leb(&cie.at, false); /* length of the augmentation's data */
    for (const char *letter = augmentation + 1; *letter; letter++)
        switch (*letter) {
        case 'R':
            *ret_encoding = read_u8(&cie.at);
            break;
        case 'L':
            read_u8(&cie.at);
            break;
        case 'P': {
            uint8_t encoding = read_u8(&cie.at) & (uint8_t)~ENCODING_INDIRECT;
            if (!read_pointer(&cie, encoding, elf->is_64, &ignored))
                return false;
            break;
        }
        case 'S':
        case 'B':
            break;
        default:
            return !cie.at.failed;
        }
    return !cie.at.failed;
}

static bool description_bounds(const struct elf_file *elf, uint64_t fde_addr, uint64_t *ret_start, uint64_t *ret_end)
{
    struct place fde = place_at(elf, fde_addr);
    uint32_t length = read_u32(&fde.at);
    uint64_t cie_field = place_addr(&fde);
    uint32_t back = read_u32(&fde.at);
    uint8_t encoding;
    uint64_t start, size_bytes;
    if (fde.at.failed || length == UINT32_MAX || !back || !address_encoding(elf, cie_field - back, &encoding) ||
        !read_pointer(&fde, encoding, elf->is_64, &start) ||
        !read_format(&fde.at, encoding, elf->is_64, &size_bytes) || size_bytes > UINT64_MAX - start)
        return false;
    *ret_start = start;
    *ret_end = start + size_bytes;
    return size_bytes > 0;
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

bool frame_table_bounds(const struct elf_file *elf, uint64_t addr, uint64_t *ret_start, uint64_t *ret_end)
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
    return description_bounds(elf, description, ret_start, ret_end) && addr >= *ret_start && addr < *ret_end;
}
