/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where records come from: live events, a perf.data file or pipe, replayed text. Whatever it is, the same
 * records come out, in time order (but any_order), and capture/ fills the same capture from them.
 */
#ifndef PLUMB_SOURCE_SOURCE_H
#define PLUMB_SOURCE_SOURCE_H

#include "base/error.h"
#include "decode/machine_text.h"
#include "decode/sample_head.h"

#include <linux/perf_event.h>

struct source;

/* One event of the stream, as the source describes it. */
struct source_event {
    const char *name;
    struct perf_event_attr attr;
    const uint64_t *ids;
    size_t id_count;
    uint32_t leader;        /* index of its group's leader: itself without a group */
    const char *group_name; /* leaders of named groups, else NULL */
};

/* What the source knows besides records; every field may be NULL or 0: not recorded. */
struct source_facts {
    const char *hostname, *os_release, *tool_version, *architecture, *cpu_description, *cpu_id;
    const char *const *command_line;
    size_t command_line_count;
    uint32_t cpus_online, cpus_available;
    uint64_t total_memory_kib;
    uint64_t first_sample_ns, last_sample_ns; /* SAMPLE_TIME feature */
    struct bytes_view tracing_data;           /* formats of the recorded tracepoints, as trace-cmd stores them */
    struct bytes_view machine[MACHINE_PARTS]; /* as the header has them, in the recording's byte order */
    uint64_t features;                        /* bit N: the header has perf.data's feature N */
    const char *pmu_mappings;                 /* "software = 1, tracepoint = 2" */
    /* a clock of one's own choice: clock_ns was clock_wall_ns of 1970 on */
    uint64_t clock_resolution_ns, clock_ns, clock_wall_ns;
    uint32_t clock_id, compression_level, compression_ratio;
    uint64_t captured_on_s;                   /* the file's modification time */
    uint32_t header_version;
    uint64_t data_offset, data_size_bytes, feature_offset;
    bool is_pipe, is_swapped, is_compressed;
    bool has_branch_records; /* its header says that samples carry the branches before them */
};

struct source_losses {
    uint64_t lost_events, lost_samples, throttles, unknown_records, out_of_order;
    uint64_t auxtrace_bytes; /* hardware trace data (Intel PT, CoreSight): skipped */
    uint64_t lost_records;   /* LOST records, however many events each counts */
    char cut_off[128]; /* where it ends too early and what should follow: "at offset 88: …"; "": it is whole */
};

struct source_ops {
    /*
     * false at the end or on error (then err->kind != ERROR_NONE). The record is valid until the next call, or longer:
     * record_stays.
     */
    bool (*next)(struct source *source, struct record *ret_record, struct error *err);
    /*
     * With any_order: of the samples that come next up to `most`, where their heads are all there is to them; valid
     * until the next call. 0: next() has what comes, which may be a sample. NULL: no source of that kind does.
     */
    size_t (*heads)(struct source *source, struct sample_head *ret_heads, size_t most);
    void (*close)(struct source *source);
};

struct source {
    const struct source_ops *ops;
    const struct source_event *events; /* may grow and move with next(): events of pipes come as records */
    size_t event_count;
    uint32_t rename_count; /* events' names that were learnt later than the events */
    struct source_facts facts;
    struct source_losses losses; /* complete after the last record */
    /* by type as stored: those that next() met and keeps to itself (rounds, packed bytes, trace data) */
    uint64_t records_kept[RECORD_TYPES_MOST];
    /*
     * set before the first record: heads may come in whatever order between the records, which keep theirs (counters'
     * values need it)
     */
    bool any_order;
    bool gives_heads;  /* with any_order: heads() has some of them */
    bool record_stays; /* the last record is valid until the source is closed, whatever is asked for after it */
    /* how far next() is, for who waits; total 0: not known beforehand, as of a pipe */
    uint64_t read_bytes, total_bytes;
};

#endif
