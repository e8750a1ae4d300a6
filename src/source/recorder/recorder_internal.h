/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the recorder's own files share: its state, and the steps between a ring buffer and the file. */
#ifndef PLUMB_SOURCE_RECORDER_RECORDER_INTERNAL_H
#define PLUMB_SOURCE_RECORDER_RECORDER_INTERNAL_H

#include "source/perf_data/perf_data_writer.h"
#include "source/recorder/record_compressor.h"
#include "source/recorder/files_apart.h"
#include "source/recorder/recorder.h"
#include "source/recorder/recorder_code.h"
#include "source/recorder/events/recorder_counters.h"
#include "source/recorder/stacks/recorder_excerpt.h"
#include "source/recorder/recorder_files.h"
#include "source/recorder/stacks/recorder_stacks.h"
#include "source/recorder/stacks/stack_tops.h"

enum {
    STACKS_JUDGED_LEAST = 20, /* fewer say nothing */
    /* Offsets in a sample's payload: identifier, ip, pid and tid, time come first in all of ours. */
    SAMPLE_ID_AT = 0,
    SAMPLE_IP_AT = 8,
    SAMPLE_THREAD_AT = 16,
    SAMPLE_TIME_AT = 24,
    SAMPLE_FIXED_BYTES = 32
};

/* Of events that come too often: see recorder_pace.c. */
struct recorder_pace {
    uint64_t began_ns, stopped_ns; /* this turn; the events, while is_stopped */
    uint64_t turn_ns;
    bool is_stopped;
};

struct recorder {
    struct recorder_request request;
    const struct kernel *kernel;
    const struct sysroot *root;
    recorder_notes notes;
    struct recorder_counters counters;
    struct perf_data_writer *writer;
    struct record_compressor *compressor; /* NULL: none */
    struct text packed;                   /* scratch */
    uint64_t unpacked_bytes, packed_bytes;
    struct hashmap streams_by_id;
    uint8_t *scratch; /* as large as a ring */
    struct recorder_code code;
    struct recorder_stacks stacks;
    struct stack_tops stack_tops;
    struct recorder_files files;
    struct files_apart files_apart;
    struct recorder_excerpt excerpt;
    struct recorder_pace pace;
    bool trial;                /* AUTO, undecided: records are also held back */
    bool chose_frame_pointers; /* AUTO, decided */
    struct text held;
    struct recorder_result result;
    int watched_fd;
    uint64_t committed_ns; /* when the file's head was last brought up to date */
    bool uncommitted;      /* something was written since */
    bool woken;            /* by wake_fd, when it waited last */
    uint64_t unpaced_bytes;      /* of records from rings of events that aren't paced */
    uint64_t paced_lost_records; /* of paced rings, as their LOST records said */
    uint64_t foreign_samples; /* left out: they carried another recording's id */
};

/* A record on its way from a ring to the file. */
struct passing {
    struct perf_event_header header;
    const uint8_t *payload;
    size_t payload_bytes;
};

static inline uint64_t u64_at(const uint8_t *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

static inline uint32_t u32_at(const uint8_t *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

/* The record at bytes + at; false when no whole one stands there. */
bool passing_at(const uint8_t *bytes, size_t size_bytes, size_t at, struct passing *ret_passing);

/* recorder_look.c: what records tell as they pass. Returns the bytes that are whole records. */
size_t recorder_look(struct recorder *recorder, const uint8_t *bytes, size_t size_bytes);
/* The stream that a sample belongs to; NULL: none of ours. */
const struct counter_stream *recorder_stream_of(const struct recorder *recorder, const struct passing *passing);
/*
 * Cut off what the kernel wrote behind the last field of samples (see sample_end), give samples with another
 * recording's id ours, in place. Returns the bytes that are left.
 */
size_t recorder_cut_excess(struct recorder *recorder, uint8_t *bytes, size_t size_bytes);
/*
 * Cut what no stack was copied to off the dumps among the records, in place, and keep some of them for the excerpt.
 * Returns the bytes that are left.
 */
size_t recorder_trim_dumps(struct recorder *recorder, uint8_t *bytes, size_t size_bytes);
/* Whether samples carry dumps, or may later. */
bool recorder_dumps_stacks(const struct recorder *recorder);

/* recorder_output.c: the file. */
/* Write what stands before the records; again when the trial has decided, which empties the file. */
MUST_CHECK bool recorder_output_begin(struct recorder *recorder, struct error *err);
MUST_CHECK bool recorder_output_put(struct recorder *recorder, const void *records, size_t size_bytes,
                                    struct error *err);
void recorder_output_update_compression(struct recorder *recorder);

/* recorder_trial.c: AUTO chooses. */
bool recorder_trial_wanted(const struct recorder *recorder);
bool recorder_trial_is_over(const struct recorder *recorder);
/* Pass on what was held back, in the form that is chosen now. */
MUST_CHECK bool recorder_trial_conclude(struct recorder *recorder, bool still_running, struct error *err);
/* Mappings of data were wanted for stack dumps that weren't chosen: drop them. Returns the bytes that are left. */
size_t recorder_trial_drop_data_mmaps(const struct recorder *recorder, uint8_t *bytes, size_t size_bytes);

/* recorder_pace.c: events whose rings are emptied in turns. */
void recorder_pace_begin(struct recorder *recorder);
bool recorder_pace_is_due(const struct recorder *recorder, uint64_t now_ns);
/* Stop them where a ring fills up before its time. */
void recorder_pace_look(struct recorder *recorder, uint64_t now_ns);
/* Their rings were emptied: begin anew. */
void recorder_pace_turn(struct recorder *recorder, uint64_t now_ns);

/* recorder.c */
/* Empty the rings; those of paced events too. */
MUST_CHECK bool recorder_drain(struct recorder *recorder, bool paced, struct error *err);

#endif
