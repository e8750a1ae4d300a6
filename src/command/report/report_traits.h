/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sort keys that aren't where or who: weights, what memory answered, slices of time, tracepoints' fields. Which words
 * are there, what the recording must hold for them, and their values of each sample.
 * Does not support: numbers of cgroups, sockets, transactions.
 */
#ifndef PLUMB_COMMAND_REPORT_REPORT_TRAITS_H
#define PLUMB_COMMAND_REPORT_REPORT_TRAITS_H

#include "analyse/profile/hotspots.h"
#include "capture/capture.h"
#include "command/recording/tracepoint_reader.h"
#include "decode/record.h"

enum trait_kind {
    TRAIT_KIND_WEIGHT,
    TRAIT_KIND_LATENCY,
    TRAIT_KIND_RETIRE,
    TRAIT_KIND_MEMORY,
    TRAIT_KIND_TLB,
    TRAIT_KIND_SNOOP,
    TRAIT_KIND_LOCK,
    TRAIT_KIND_BLOCK,
    TRAIT_KIND_DATA_DSO,
    TRAIT_KIND_DATA_SYMBOL,
    TRAIT_KIND_DATA_LINE,
    TRAIT_KIND_DATA_PHYSICAL,
    TRAIT_KIND_CODE_SYMBOL,
    TRAIT_KIND_CODE_ADDR,
    TRAIT_KIND_CODE_FILE,
    TRAIT_KIND_CODE_SIZE,
    TRAIT_KIND_CGROUP,
    TRAIT_KIND_CODE_PAGE,
    TRAIT_KIND_DATA_PAGE,
    TRAIT_KIND_SLICE,
    TRAIT_KIND_TRACE,
    TRAIT_KIND_FIELD,
};

struct report_trait {
    enum trait_kind kind;
    uint64_t needs;   /* PERF_SAMPLE_*: one of them */
    const char *word; /* as it was asked for; of a table, or owned by report_traits.words */
    /* of a tracepoint's field: "sched:sched_switch", "sched_switch" or NULL for any; its name … */
    const char *event, *field;
    size_t place;              /* … or, without one, its place among each event's own */
};

/* The fields that one event has, in order. */
struct event_fields {
    const char *names[TRAITS_MOST]; /* owned by report_traits.words */
    size_t count;                   /* may be more than there is room for */
};

struct report_cgroup {
    uint64_t id;
    const char *path;
};

struct report_traits {
    struct sample_traits values; /* its items are those of `wanted`, in the same order */
    struct report_trait wanted[TRAITS_MOST];
    struct event_fields *fields; /* by event; NULL: not all of them were asked for */
    struct tracepoint_reader tracepoints;
    struct arena words;
    uint64_t slice_ns; /* of a sample's time */
    struct report_cgroup *cgroups; /* as records told them */
    size_t cgroup_count, cgroup_capacity;
};

void report_traits_init(struct report_traits *traits);
void report_traits_done(struct report_traits *traits);
/*
 * The column of that word, added when it is new; COLUMN_COUNT: the word is none of ours. can_be_field: any word may be
 * a tracepoint's field.
 */
enum hotspot_column report_traits_word(struct report_traits *traits, struct view word, bool can_be_field);
size_t report_traits_words(const char **words, size_t most);
/* Whether the recording holds what they need; of a pipe, after its end. Errors: ERROR_USAGE. */
MUST_CHECK bool report_traits_check(struct report_traits *traits, const struct source *source, struct error *err);
/*
 * All fields of all tracepoints of the recording, as keys: the first column has each one's first. Errors: ERROR_USAGE.
 */
MUST_CHECK bool report_traits_all_fields(struct report_traits *traits, const struct source *source,
                                         enum hotspot_column ret_columns[TRAITS_MOST], size_t *ret_count,
                                         struct error *err);
/*
 * Whether samples of that event can have something in the column; a tracepoint has its own fields alone, which are
 * named in headings from then on.
 */
bool report_traits_shown(struct report_traits *traits, const struct source *source, uint32_t event,
                         enum hotspot_column column);
/* Learn what a record that is no sample says of values: the paths of cgroups. */
void report_traits_learn(struct report_traits *traits, const struct record *record);
/*
 * Whether any of them is a name that is found when all is read; then the tally's sets are others after
 * report_traits_settle().
 */
bool report_traits_are_named(const struct report_traits *traits);
void report_traits_settle(struct report_traits *traits, struct sample_tally *tally, const struct recording *recording,
                          struct symboliser *symboliser);
/* The set of a sample's values. */
uint32_t report_traits_of(struct report_traits *traits, struct capture *capture, const struct source *source,
                          const struct record *record, const struct sample *sample);

#endif
