/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where in the program is the leaf? Its event is sampled in one more run, and told by function and instruction.
 *
 * Which event: the leaf's own, a precise one first; where it has none, that of the nearest node above. On Zen, whose events are
 * never precise, IBS where the kernel drives it. How far samples may lie from what they are of is said.
 * Does not support: the static core, which has neither names nor instructions: it names the event.
 */
#ifndef PLUMB_COMMAND_TOPDOWN_TOPDOWN_LOCATE_H
#define PLUMB_COMMAND_TOPDOWN_TOPDOWN_LOCATE_H

#include "analyse/topdown/topdown_tree.h"
#include "base/vec.h"
#include "capture/pass_subject.h"
#include "command/command.h"
#include "metric/event.h"
#include "metric/table/table.h"

struct topdown_located {
    vec(const char *) lines; /* what is said of it; owner of the strings: the caller's arena */
};

struct topdown_event {
    const char *name;      /* as the tables have it; NULL: nothing locates it */
    const char *node;      /* whose event it is */
    struct event_spec spec;
    bool is_precise, is_own; /* samples lie on the very instruction; it is the leaf's own */
};

/* The event to sample the tree's leaf with here. Owner of the strings: arena. */
void topdown_event_choose(struct topdown_event *ret_event, const struct metric_table *table, const struct topdown_tree *tree,
                          const struct kernel *kernel, const struct sysroot *root, struct arena *arena);

struct topdown_locating {
    const struct context *context;
    const struct topdown_event *event;
    struct pass_subject subject; /* run or watched once more */
    char *const *argv;           /* of the program, or NULL */
    struct arena *arena;
};

/* Errors: of the subject and of the recorder; what can't be named is said in the lines. */
MUST_CHECK bool topdown_locate(struct topdown_located *located, const struct topdown_locating *locating, struct error *err);

#endif
