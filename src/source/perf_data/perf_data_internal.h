/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the perf.data reader share: the open file, its events, the input being scanned. */
#ifndef PLUMB_SOURCE_PERF_DATA_PERF_DATA_INTERNAL_H
#define PLUMB_SOURCE_PERF_DATA_PERF_DATA_INTERNAL_H

#include "base/arena.h"
#include "base/file/map_window.h"
#include "base/vec.h"
#include "source/perf_data/perf_data.h"
#include "source/perf_data/record_queue.h"

enum perf_feature {
    FEATURE_TRACING_DATA = 1,
    FEATURE_BUILD_ID,
    FEATURE_HOSTNAME,
    FEATURE_OS_RELEASE,
    FEATURE_VERSION,
    FEATURE_ARCH,
    FEATURE_CPU_COUNT,
    FEATURE_CPU_DESCRIPTION,
    FEATURE_CPU_ID,
    FEATURE_TOTAL_MEMORY,
    FEATURE_COMMAND_LINE,
    FEATURE_EVENT_DESCRIPTION,
    FEATURE_CPU_TOPOLOGY = 13,
    FEATURE_NUMA_TOPOLOGY = 14,
    FEATURE_BRANCH_STACK = 15,
    FEATURE_PMU_MAPPINGS = 16,
    FEATURE_GROUP_DESCRIPTION = 17,
    FEATURE_CACHE = 20,
    FEATURE_SAMPLE_TIME = 21,
    FEATURE_MEMORY_TOPOLOGY = 22,
    FEATURE_CLOCK_ID = 23,
    FEATURE_DIR_FORMAT = 24,
    FEATURE_COMPRESSED = 27,
    FEATURE_CLOCK_DATA = 29,
    FEATURE_COUNT = 256,
};

struct file_section {
    uint64_t offset, size_bytes;
};

enum record_header {
    RECORD_HEADER_BYTES = 8,
    RECORD_SIZE_MOST = UINT16_MAX,
};

struct zstd_stream;

/* Where scanning stands: in the file (mapped or piped), or in a chunk unpacked from one of its records. */
struct record_feed {
    struct record_chunk *chunk;
    const uint8_t *at, *end;
};

struct perf_data {
    struct source source;
    struct arena arena;
    struct record_layouts layouts;
    vec(struct source_event) events;

    int fd;              /* pipes; else -1 */
    const uint8_t *map;  /* the whole file */
    size_t map_bytes;
    bool map_is_ours;
    struct map_window window;
    bool swapped, is_pipe, data_size_missing;

    struct file_section data, build_ids;
    struct bytes build_id_cursor;
    bool build_id_quirk; /* entries without a pid, as perf before 2.6.34 wrote them */

    struct record_queue queue;
    struct record_feed outer, inner;
    struct zstd_stream *zstd;
    uint64_t latest_time; /* latest time scanned */
    uint64_t held_most_bytes; /* of a pipe or unpacked, before the older half goes out without a round's end */
    uint64_t round_most;          /* the latest when the round before ended: what the next end lets out */
    uint64_t flush_limit;         /* latest time that may go out while draining */
    uint64_t drained_until;       /* what comes later and is earlier came too late */
    bool draining, ended, input_ended;
    struct error trouble; /* that ended the input: told when all that came before it is out */
};

/* The name of an id's or an index's event; text is copied. */
void perf_data_event_rename(struct perf_data *data, uint32_t event, struct view name);
/* Add an event with its ids from big arrays of u64. Errors: ERROR_LIMIT for absurd numbers of events. */
MUST_CHECK bool perf_data_add_event(struct perf_data *data, const struct perf_event_attr *attr,
                                    struct bytes ids, struct error *err);

/* Read what feature `number` says; what is damaged or unknown is left out. */
void perf_data_read_feature(struct perf_data *data, unsigned number, struct bytes in);
/* What stands there ends at this offset, too early; the first such place is kept. */
__attribute__((format(printf, 3, 4))) void perf_data_cut_off(struct perf_data *data, uint64_t offset,
                                                             const char *format, ...);
/* The table of feature sections behind the data; those that lie outside the file are left out (cut off). */
void perf_data_read_features(struct perf_data *data, const uint64_t bitmap[4]);
/* The next entry of the header's build-id table; false at its end. */
bool perf_data_next_build_id(struct perf_data *data, struct record *ret_record);

/*
 * Unpack the payload of a COMPRESSED record into a new chunk behind what the last one left over.
 * Errors: ERROR_UNSUPPORTED (no zstd), ERROR_FORMAT (not zstd data, absurd size).
 */
MUST_CHECK bool perf_data_unpack(struct perf_data *data, const uint8_t *bytes, size_t size_bytes,
                                 uint64_t file_offset, struct error *err);
void zstd_stream_free(struct zstd_stream *stream);

#endif
