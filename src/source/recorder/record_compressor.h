/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packs records into PERF_RECORD_COMPRESSED ones: one zstd stream over the whole recording, cut into records
 * of at most 64 KiB.
 *
 * libzstd is loaded on first use; the static core has none.
 */
#ifndef PLUMB_SOURCE_RECORDER_RECORD_COMPRESSOR_H
#define PLUMB_SOURCE_RECORDER_RECORD_COMPRESSOR_H

#include "base/error.h"
#include "base/text.h"

/* No record unpacks to more than this: the reader's buffer, stored in the COMPRESSED feature. */
#define COMPRESSOR_UNPACKED_MOST (256u * 1024)

struct record_compressor;

/* Errors: ERROR_UNSUPPORTED without libzstd. */
MUST_CHECK bool record_compressor_new(struct record_compressor **ret_compressor, int level, struct error *err);
void record_compressor_free(struct record_compressor *compressor);
/* Append to out what unpacks to size_bytes of records. */
MUST_CHECK bool record_compressor_pack(struct record_compressor *compressor, const void *records, size_t size_bytes,
                                       struct text *out, struct error *err);

#endif
