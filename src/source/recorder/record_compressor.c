/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/recorder/record_compressor.h"

#include "base/arena.h"
#include "base/library.h"
#include "base/vec.h"
#include "source/perf_data/perf_data_format.h"

#include <stdlib.h>
#include <string.h>

static const struct library zstd_library = {
    .names = {"libzstd.so.1"},
    .package = "libzstd1",
    .purpose = "compression (-z)",
};

#ifdef PLUMB_STATIC_CORE

bool record_compressor_new(struct record_compressor **ret_compressor, int level, struct error *err)
{
    (void)ret_compressor, (void)level;
    return library_load(&zstd_library, NULL, 0, NULL, err);
}

void record_compressor_free(struct record_compressor *compressor)
{
    (void)compressor;
}

bool record_compressor_pack(struct record_compressor *compressor, const void *records, size_t size_bytes,
                            struct text *out, struct error *err)
{
    (void)compressor, (void)records, (void)size_bytes, (void)out;
    return error_set(err, ERROR_UNSUPPORTED, "compression isn't in this build");
}

#else

#include <zstd.h>

struct zstd {
    typeof(ZSTD_createCCtx) *createCCtx;
    typeof(ZSTD_freeCCtx) *freeCCtx;
    typeof(ZSTD_CCtx_setParameter) *setParameter;
    typeof(ZSTD_compressStream2) *compressStream2;
    typeof(ZSTD_isError) *isError;
    typeof(ZSTD_getErrorName) *getErrorName;
};

static const struct library_symbol zstd_symbols[] = {
    LIBRARY_SYMBOL(struct zstd, createCCtx, "ZSTD_createCCtx"),
    LIBRARY_SYMBOL(struct zstd, freeCCtx, "ZSTD_freeCCtx"),
    LIBRARY_SYMBOL(struct zstd, setParameter, "ZSTD_CCtx_setParameter"),
    LIBRARY_SYMBOL(struct zstd, compressStream2, "ZSTD_compressStream2"),
    LIBRARY_SYMBOL(struct zstd, isError, "ZSTD_isError"),
    LIBRARY_SYMBOL(struct zstd, getErrorName, "ZSTD_getErrorName"),
};

struct record_compressor {
    struct zstd zstd;
    ZSTD_CCtx *stream;
    uint8_t packed[PERF_DATA_RECORD_MOST - sizeof(struct perf_event_header)];
};

bool record_compressor_new(struct record_compressor **ret_compressor, int level, struct error *err)
{
    struct record_compressor *compressor = memory_alloc(sizeof(*compressor));
    if (!library_load(&zstd_library, zstd_symbols, array_count(zstd_symbols), &compressor->zstd, err)) {
        free(compressor);
        return false;
    }
    compressor->stream = compressor->zstd.createCCtx();
    if (!compressor->stream ||
        compressor->zstd.isError(compressor->zstd.setParameter(compressor->stream, ZSTD_c_compressionLevel, level))) {
        record_compressor_free(compressor);
        return error_set(err, ERROR_USAGE, "zstd has no compression level %d", level);
    }
    *ret_compressor = compressor;
    return true;
}

void record_compressor_free(struct record_compressor *compressor)
{
    if (!compressor)
        return;
    if (compressor->stream)
        compressor->zstd.freeCCtx(compressor->stream);
    free(compressor);
}

static void add_packed(const struct record_compressor *compressor, size_t size_bytes, struct text *out)
{
    struct perf_event_header header = {.type = USER_RECORD_COMPRESSED,
                                       .size = (uint16_t)(sizeof(header) + size_bytes)};
    text_append(out, (const char *)&header, sizeof(header));
    text_append(out, (const char *)compressor->packed, size_bytes);
}

/* One slice, flushed: everything in it can be unpacked from what was appended so far. */
static bool pack_slice(struct record_compressor *compressor, const void *slice, size_t size_bytes, struct text *out,
                       struct error *err)
{
    const struct zstd *zstd = &compressor->zstd;
    ZSTD_inBuffer input = {.src = slice, .size = size_bytes};
    size_t remaining;
    do {
        ZSTD_outBuffer output = {.dst = compressor->packed, .size = sizeof(compressor->packed)};
        remaining = zstd->compressStream2(compressor->stream, &output, &input, ZSTD_e_flush);
        if (zstd->isError(remaining))
            return error_set(err, ERROR_SYSTEM, "can't compress: %s", zstd->getErrorName(remaining));
        if (output.pos)
            add_packed(compressor, output.pos, out);
    } while (remaining || input.pos < input.size);
    return true;
}

bool record_compressor_pack(struct record_compressor *compressor, const void *records, size_t size_bytes,
                            struct text *out, struct error *err)
{
    const uint8_t *from = records;
    for (size_t at = 0; at < size_bytes; at += COMPRESSOR_UNPACKED_MOST) {
        size_t left = size_bytes - at;
        size_t slice = left < COMPRESSOR_UNPACKED_MOST ? left : COMPRESSOR_UNPACKED_MOST;
        if (!pack_slice(compressor, from + at, slice, out, err))
            return false;
    }
    return true;
}

#endif
