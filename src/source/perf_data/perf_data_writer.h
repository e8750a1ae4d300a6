/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a perf.data file (or pipe) that is readable at any moment, also when we are killed or the disk
 * fills up.
 *
 *     header | ids | attributes | feature sections | records … | feature table | late feature sections
 *
 * Features known at the start stand before the records; only their table of 16 bytes each has to follow
 * them. Each commit writes the table behind the last record and then the header; before records overwrite
 * a table, the header is told to do without features. When the disk is full, whole records are given up
 * from the end until the table fits.
 * As a pipe the stream is perf's: attributes and features are records, nothing is rewritten.
 * Does not support: directories of files (perf record --threads), the AUX area.
 * Invariant: what is appended are whole records.
 */
#ifndef PLUMB_SOURCE_PERF_DATA_PERF_DATA_WRITER_H
#define PLUMB_SOURCE_PERF_DATA_PERF_DATA_WRITER_H

#include "base/error.h"
#include "base/text.h"
#include "base/vec.h"
#include "source/perf_data/perf_data_format.h"

#include <stdbool.h>
#include <stddef.h>

struct perf_data_event {
    const char *name;
    struct perf_event_attr attr;
    const uint64_t *ids;
    size_t id_count;
};

struct perf_data_feature {
    enum perf_data_feature_bit bit;
    struct text bytes;
};

typedef vec(struct perf_data_feature) perf_data_features;

void perf_data_features_done(perf_data_features *features);
/* A new, empty section for bit. Owner: features; valid until the next call. */
struct text *perf_data_features_add(perf_data_features *features, enum perf_data_feature_bit bit);

struct perf_data_writer;

/*
 * Create path; an existing file with something in it becomes path.old. A FIFO, a character device, and path "-"
 * (pipe_fd is then written to, and stays the caller's) get the pipe format. Only regular files are ever renamed,
 * replaced or removed; of a link to one, the file it leads to.
 * Errors: the file can't be created there; it is a block device or a socket.
 */
MUST_CHECK bool perf_data_writer_create(struct perf_data_writer **ret_writer, const char *path, int pipe_fd,
                                        struct error *err);
bool perf_data_writer_is_pipe(const struct perf_data_writer *writer);

/*
 * Write everything before the records; features are sorted by bit and taken over. May be called again: what was
 * written then, records included, is replaced. A pipe can't take back records.
 */
MUST_CHECK bool perf_data_writer_begin(struct perf_data_writer *writer, const struct perf_data_event *events,
                                       size_t event_count, perf_data_features *features, struct error *err);
/* Overwrite a section of perf_data_writer_begin with bytes of the same size. Nothing happens on a pipe. */
void perf_data_writer_update(struct perf_data_writer *writer, enum perf_data_feature_bit bit, const void *bytes,
                             size_t size_bytes);
/* Errors: ERROR_LIMIT when the disk is full, ERROR_SYSTEM; what was written before stays readable. */
MUST_CHECK bool perf_data_writer_append(struct perf_data_writer *writer, const void *records, size_t size_bytes,
                                        struct error *err);
/* Make everything appended so far part of the file. */
MUST_CHECK bool perf_data_writer_commit(struct perf_data_writer *writer, struct error *err);
/* Commit with late features as well, and flush to the file's end; on a pipe late features are dropped. */
MUST_CHECK bool perf_data_writer_finish(struct perf_data_writer *writer, perf_data_features *late,
                                        struct error *err);
/* Bytes of the records in the file. */
uint64_t perf_data_writer_bytes(const struct perf_data_writer *writer);
/* Remove the file again if it was created, and put path.old back: nothing was recorded. */
void perf_data_writer_discard(struct perf_data_writer *writer);
/* Closes; does not commit. NULL is allowed. */
void perf_data_writer_free(struct perf_data_writer *writer);

/* Append {length, bytes padded to 64} as perf stores strings. */
void perf_data_add_string(struct text *out, const char *string);
void perf_data_add_u32(struct text *out, uint32_t value);
void perf_data_add_u64(struct text *out, uint64_t value);

#endif
