/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of `plumb pages` share: the options, and the page maps that were taken. */
#ifndef PLUMB_COMMAND_PAGES_PAGES_H
#define PLUMB_COMMAND_PAGES_PAGES_H

#include "base/arena.h"
#include "base/vec.h"
#include "command/command.h"
#include "system/memory/huge_page_supply.h"
#include "system/memory/page_folios.h"
#include "system/memory/page_nodes.h"
#include "system/memory/process_pages.h"

struct pages_options {
    const char *processes, *case_folder, *machines, *sysroot, *output;
    bool all, exact, folios, nodes, json, no_why, system, watch;
    uint64_t least_mib, interval_ms;
    double seconds;
};

struct page_map { /* a process's pages, and what only the moment tells of why they are so */
    struct process_pages pages;
    char command[64];
    struct huge_page_supply supply;
    const struct page_folios *folios; /* NULL: not asked for */
    const struct page_nodes *nodes;   /* or NULL */
};

struct pages_take { /* owner of all strings and arrays: arena */
    struct context *context;
    const struct pages_options *options;
    struct arena arena;
    vec(struct page_map) maps;
    size_t gone, refused; /* processes whose memory could not be read: ended meanwhile; not ours to see */
    double seen_at_s;     /* of a started program; negative otherwise */
};

/* One process more; false when it is gone or can't be read, which is counted. */
bool page_map_take(struct pages_take *take, pid_t pid, struct error *err);

/* plumb pages --vm: KVM's machines, all or those of one process, shown. */
MUST_CHECK bool pages_show_machines(struct pages_take *take, FILE *file, struct error *err);

struct workload;
/*
 * plumb pages --watch: a line an interval until the time is up, the user ends it, or the program (workload NULL: not
 * ours) does.
 */
MUST_CHECK bool pages_watch(struct pages_take *take, pid_t pid, struct workload *workload, FILE *file,
                            struct error *err);
/* The same of a program that is started for it. */
MUST_CHECK bool pages_watch_program(struct pages_take *take, char **argv, FILE *file, struct error *err);

/* Start the program, and keep the maps of the moment when it and its descendants had most memory. */
MUST_CHECK bool pages_run_program(struct pages_take *take, char **argv, struct error *err);

#endif
