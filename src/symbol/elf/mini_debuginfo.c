/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/elf/mini_debuginfo.h"

#include "base/library.h"
#include "base/vec.h"

enum {
    UNPACKED_BYTES_MOST = 64 * 1024 * 1024,
    UNPACKER_BYTES_MOST = 256 * 1024 * 1024,
    LZMA_OK_CODE = 0,          /* lzma_ret's values are part of liblzma's ABI */
    LZMA_BUF_ERROR_CODE = 10
};

/* lzma_stream_buffer_decode(); declared here so that building needs no header of it. */
struct lzma {
    int (*decode)(uint64_t *memory_limit, uint32_t flags, const void *allocator, const uint8_t *in, size_t *in_at,
                  size_t in_bytes, uint8_t *out, size_t *out_at, size_t out_bytes);
};

static const struct library library = {{"liblzma.so.5"}, "liblzma5", "reading .gnu_debugdata"};
static const struct library_symbol symbols[] = {
    LIBRARY_SYMBOL(struct lzma, decode, "lzma_stream_buffer_decode"),
};

bool mini_debuginfo_open(const struct elf_file *elf, struct arena *arena, struct elf_file *ret_mini,
                         struct error *err)
{
    const struct elf_section *section = elf_section_named(elf, ".gnu_debugdata");
    struct bytes_view packed = section ? elf_section_bytes(elf, section) : (struct bytes_view){0};
    if (!packed.size_bytes)
        return error_set(err, ERROR_NOT_FOUND, "no .gnu_debugdata");
    struct lzma lzma;
    if (!library_load(&library, symbols, array_count(symbols), &lzma, err))
        return false;
    for (size_t room = 256 * 1024; room <= UNPACKED_BYTES_MOST; room *= 4) {
        uint64_t memory_limit = UNPACKER_BYTES_MOST;
        size_t in_at = 0, out_at = 0;
        uint8_t *out = memory_alloc(room);
        int result = lzma.decode(&memory_limit, 0, NULL, packed.bytes, &in_at, packed.size_bytes, out, &out_at, room);
        if (result == LZMA_OK_CODE) {
            void *kept = arena_copy(arena, out, out_at);
            free(out);
            return elf_file_of_bytes(ret_mini, kept, out_at, err);
        }
        free(out);
        if (result != LZMA_BUF_ERROR_CODE)
            return error_set(err, ERROR_FORMAT, ".gnu_debugdata can't be unpacked (lzma error %d)", result);
    }
    return error_set(err, ERROR_LIMIT, ".gnu_debugdata unpacks to more than %d MiB", UNPACKED_BYTES_MOST >> 20);
}
