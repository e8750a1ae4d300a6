/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/perf_data/perf_data_internal.h"

#include "base/library.h"

#include <stdlib.h>
#include <zstd.h>

enum {
    UNPACK_STEP_BYTES = 256 * 1024,
    UNPACKED_MOST_BYTES = 512 * 1024 * 1024, /* of one record; perf's largest buffers are far smaller */
};

struct zstd_library {
    typeof(ZSTD_createDStream) *create;
    typeof(ZSTD_freeDStream) *free;
    typeof(ZSTD_decompressStream) *unpack;
    typeof(ZSTD_isError) *is_error;
    typeof(ZSTD_getErrorName) *error_name;
};

static const struct library zstd_library = {
    .names = {"libzstd.so.1"}, .package = "libzstd1", .purpose = "a compressed recording"};

static const struct library_symbol zstd_symbols[] = {
    LIBRARY_SYMBOL(struct zstd_library, create, "ZSTD_createDStream"),
    LIBRARY_SYMBOL(struct zstd_library, free, "ZSTD_freeDStream"),
    LIBRARY_SYMBOL(struct zstd_library, unpack, "ZSTD_decompressStream"),
    LIBRARY_SYMBOL(struct zstd_library, is_error, "ZSTD_isError"),
    LIBRARY_SYMBOL(struct zstd_library, error_name, "ZSTD_getErrorName"),
};

struct zstd_stream {
    struct zstd_library library;
    ZSTD_DStream *stream;
};

static bool zstd_stream_open(struct perf_data *data, struct error *err)
{
    if (data->zstd)
        return true;
    struct zstd_stream *zstd = memory_alloc(sizeof(*zstd));
    if (!library_load(&zstd_library, zstd_symbols, array_count(zstd_symbols), &zstd->library, err)) {
        free(zstd);
        return false;
    }
    zstd->stream = zstd->library.create();
    data->zstd = zstd;
    return zstd->stream || error_set(err, ERROR_LIMIT, "no memory to unpack the recording");
}

void zstd_stream_free(struct zstd_stream *zstd)
{
    if (zstd && zstd->stream)
        zstd->library.free(zstd->stream);
    free(zstd);
}

static bool unpack_all(struct zstd_stream *zstd, ZSTD_inBuffer *in, ZSTD_outBuffer *out, struct error *err)
{
    for (;;) {
        if (out->size - out->pos < UNPACK_STEP_BYTES / 4) {
            if (out->size > UNPACKED_MOST_BYTES)
                return error_set(err, ERROR_FORMAT, "a compressed record unpacks to more than %d MiB",
                                 UNPACKED_MOST_BYTES >> 20);
            out->size += out->size / 2 + UNPACK_STEP_BYTES;
            out->dst = memory_resize(out->dst, out->size);
        }
        size_t before = in->pos, written = out->pos;
        size_t result = zstd->library.unpack(zstd->stream, out, in);
        if (zstd->library.is_error(result))
            return error_set(err, ERROR_FORMAT, "damaged zstd data: %s", zstd->library.error_name(result));
        if (in->pos == in->size && out->pos < out->size)
            return true; /* room was left, so everything is out */
        if (in->pos == before && out->pos == written)
            return error_set(err, ERROR_FORMAT, "damaged zstd data: no progress");
    }
}

bool perf_data_unpack(struct perf_data *data, const uint8_t *bytes, size_t size_bytes, uint64_t file_offset,
                      struct error *err)
{
    if (!zstd_stream_open(data, err))
        return false;
    struct record_feed *inner = &data->inner;
    size_t left = inner->chunk ? (size_t)(inner->end - inner->at) : 0;
    ZSTD_outBuffer out = {.dst = memory_alloc(left + UNPACK_STEP_BYTES), .size = left + UNPACK_STEP_BYTES, .pos = left};
    if (left)
        memcpy(out.dst, inner->at, left);
    ZSTD_inBuffer in = {.src = bytes, .size = size_bytes};
    bool unpacked = unpack_all(data->zstd, &in, &out, err);
    if (!unpacked) {
        free(out.dst);
        return false;
    }
    record_chunk_release(&data->queue, inner->chunk);
    record_queue_break(&data->queue);
    uint8_t *fitted = memory_resize(out.dst, out.pos ? out.pos : 1);
    inner->chunk = record_chunk_new(&data->queue, fitted, NULL, out.pos, file_offset);
    inner->chunk->is_unpacked = true;
    inner->at = inner->chunk->bytes;
    inner->end = inner->at + out.pos;
    return true;
}
