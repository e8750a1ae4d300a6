/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A perf.data file, or perf's pipe format from a file or a pipe, as a source of records in time order.
 *
 * Read: magic PERFFILE and PERFILE2, either byte order, attributes of any age, feature sections, zstd
 * (COMPRESSED, COMPRESSED2). One pass; memory is bounded by what perf writes between two FINISHED_ROUND
 * records. Does not support: hardware trace data (skipped and counted), perf's directory format.
 *
 * Source: perf.data-file-format.txt of the kernel's tools/perf/Documentation.
 */
#ifndef PLUMB_SOURCE_PERF_DATA_PERF_DATA_H
#define PLUMB_SOURCE_PERF_DATA_PERF_DATA_H

#include "source/source.h"

/*
 * path "-": standard input.
 * Errors: ERROR_NOT_FOUND, ERROR_PERMISSION; ERROR_FORMAT (not a perf.data file, damaged header).
 * Owner: the caller (source->ops->close).
 */
MUST_CHECK bool perf_data_open(struct source **ret_source, const char *path, struct error *err);

/* The same from bytes in memory that outlive the source (tests, fuzzing). */
MUST_CHECK bool perf_data_open_bytes(struct source **ret_source, const uint8_t *bytes, size_t size_bytes,
                                     struct error *err);

#endif
