/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where in the program is the leaf? Its event is sampled in one more run, and told by function and instruction.
 *
 * Which event: the leaf's own, a precise one first; where it has none, that of the nearest node above. On Zen, whose
 * events are never precise, IBS where the kernel drives it. What the kernel refuses is asked for less precisely, then
 * the next is taken, and that is said. How far samples may lie from what they are of is said.
 * Does not support: the static core, which has neither names nor instructions: it keeps the recording.
 */
#ifndef PLUMB_COMMAND_TOPDOWN_TOPDOWN_LOCATE_H
#define PLUMB_COMMAND_TOPDOWN_TOPDOWN_LOCATE_H

#include "analyse/topdown/topdown_tree.h"
#include "base/vec.h"
#include "capture/counters/pass_subject.h"
#include "command/command.h"
#include "metric/event.h"
#include "metric/table/table.h"

enum { TOPDOWN_SAMPLES_FEW = 30 };

struct topdown_located {
    vec(const char *) lines; /* what is said of it; owner of the strings: the caller's arena */
};

enum topdown_event_kind { TOPDOWN_EVENT_LATE, TOPDOWN_EVENT_PRECISE, TOPDOWN_EVENT_IBS };

struct topdown_event {
    const char *name;       /* as the tables have it */
    const char *node;       /* whose event it is; "": no node's */
    struct event_spec spec; /* with precise_ip as it shall be */
    enum topdown_event_kind kind;
    bool is_own;            /* the leaf's */
    const char *why_not;    /* it can't be asked for here; NULL: it can */
};

struct topdown_events {
    vec(struct topdown_event) list; /* the one to be tried first stands first */
};

/* What to sample the tree's leaf with. Owner of the strings: arena; of the list: the caller. */
void topdown_events_find(struct topdown_events *events, const struct metric_table *table,
                         const struct topdown_tree *tree, const struct sysroot *root, struct arena *arena);

struct topdown_locating {
    const struct context *context;
    const struct metric_table *table;
    const struct topdown_tree *tree; /* which has a leaf */
    struct pass_subject subject;     /* run or watched once more */
    char *const *argv;               /* of the program, or NULL */
    struct arena *arena;
    void (*progress)(void *context, const char *what); /* NULL: silent */
    void *progress_context;
};

struct topdown_sampling {
    const struct topdown_event *event;
    uint64_t samples, lost;
    double seconds;
};

/*
 * Run or watch the subject with the first of the events that opens, into the file at path; what is to be known of it
 * goes into the lines. Errors: of the subject; the first event's when none opens.
 */
MUST_CHECK bool topdown_sampling_make(struct topdown_sampling *ret_sampling, struct topdown_located *located,
                                      const struct topdown_locating *locating, const struct topdown_events *events,
                                      const char *path, struct error *err);

/* Errors: as topdown_sampling_make's; what can't be named is said in the lines. */
MUST_CHECK bool topdown_locate(struct topdown_located *located, const struct topdown_locating *locating,
                               struct error *err);

#endif
