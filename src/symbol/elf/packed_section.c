/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/elf/packed_section.h"

#include "base/library.h"
#include "base/vec.h"

#include <elf.h>
#include <zlib.h>
#include <zstd.h>

enum {
    KIND_ZLIB = 1, /* ELFCOMPRESS_ZLIB; the next is younger than many an elf.h */
    KIND_ZSTD = 2,
    /* what deflate can at most make of a byte; debug information stays far below it under zstd, too */
    GROWTH_MOST = 1032,
};

struct zlib {
    typeof(uncompress) *unpack;
};

struct zstd {
    typeof(ZSTD_decompress) *unpack;
};

static const struct library zlib_library = {{"libz.so.1"}, "zlib1g", "reading a compressed section"};
static const struct library_symbol zlib_symbols[] = {LIBRARY_SYMBOL(struct zlib, unpack, "uncompress")};
static const struct library zstd_library = {{"libzstd.so.1"}, "libzstd1", "reading a compressed section"};
static const struct library_symbol zstd_symbols[] = {LIBRARY_SYMBOL(struct zstd, unpack, "ZSTD_decompress")};

static bool unpack_zlib(struct bytes_view packed, uint8_t *out, size_t out_bytes, struct error *err)
{
    struct zlib zlib;
    uLongf written = out_bytes;
    if (!library_load(&zlib_library, zlib_symbols, array_count(zlib_symbols), &zlib, err))
        return false;
    return (zlib.unpack(out, &written, packed.bytes, packed.size_bytes) == Z_OK && written == out_bytes) ||
           error_set(err, ERROR_FORMAT, "damaged zlib data");
}

static bool unpack_zstd(struct bytes_view packed, uint8_t *out, size_t out_bytes, struct error *err)
{
    struct zstd zstd;
    if (!library_load(&zstd_library, zstd_symbols, array_count(zstd_symbols), &zstd, err))
        return false;
    return zstd.unpack(out, out_bytes, packed.bytes, packed.size_bytes) == out_bytes ||
           error_set(err, ERROR_FORMAT, "damaged zstd data");
}

static bool unpack(uint32_t kind, struct bytes_view packed, uint8_t *out, size_t out_bytes, struct error *err)
{
    switch (kind) {
    case KIND_ZLIB:
        return unpack_zlib(packed, out, out_bytes, err);
    case KIND_ZSTD:
        return unpack_zstd(packed, out, out_bytes, err);
    default:
        return error_set(err, ERROR_FORMAT, "compressed in way %u; 1 (zlib) and 2 (zstd) are read", kind);
    }
}

bool packed_section_read(const struct elf_file *elf, const struct elf_section *section, struct arena *arena,
                         struct bytes_view *ret_bytes, struct error *err)
{
    struct bytes cursor = elf_section_cursor(elf, section);
    if (!(section->flags & SHF_COMPRESSED)) {
        *ret_bytes = elf_section_bytes(elf, section);
        return true;
    }
    uint32_t kind = read_u32(&cursor);
    if (elf->is_64)
        read_u32(&cursor); /* reserved */
    uint64_t size_bytes = elf->is_64 ? read_u64(&cursor) : read_u32(&cursor);
    bytes_take(&cursor, elf->is_64 ? sizeof(uint64_t) : sizeof(uint32_t)); /* alignment */
    struct bytes_view packed = {cursor.at, bytes_left(&cursor)};
    if (cursor.failed || size_bytes / GROWTH_MOST > packed.size_bytes)
        return error_set(err, ERROR_FORMAT, "%s: %zu compressed bytes can't hold %llu", section->name,
                         packed.size_bytes, (unsigned long long)size_bytes);
    uint8_t *out = arena_array(arena, uint8_t, size_bytes);
    if (!unpack(kind, packed, out, size_bytes, err))
        return error_wrap(err, "%s", section->name);
    *ret_bytes = (struct bytes_view){out, size_bytes};
    return true;
}
