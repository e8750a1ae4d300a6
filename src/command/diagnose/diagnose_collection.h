/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is gathered while a target is watched: one struct, filled by these files, each for a question of its own.
 *
 *   diagnose_recording: what do the counters and the samples say?   (perf events)
 *   diagnose_topdown:   where do the pipeline's slots go?            (counters, in turns beside the samples)
 *   diagnose_watch:     what do /proc and the page maps say?        (looks, while it runs)
 *   diagnose_ends:      when did what was attached to end?      (as it happens)
 *   diagnose_ceilings:  what could the machine do meanwhile?        (before, now and then, after)
 *   diagnose_guest:     what do exits, ticks and the pages behind a guest cost? (afterwards, once an hour)
 *   diagnose_intervention: what does it do when it is stepped, or something changed? (--probe)
 *   diagnose_stacks:    who called whom where it left the CPU?  (afterwards)
 *   diagnose_parts:     how do these become the parts of a case?    (afterwards)
 *   diagnose_progress:  what is it doing just now?                  (a line on a terminal)
 *
 * diagnose_collect runs them: once for a running target, once for each run of a program.
 */
#ifndef PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_COLLECTION_H
#define PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_COLLECTION_H

#include "analyse/counts/counter_summary.h"
#include "analyse/time/run_spread.h"
#include "base/vec.h"
#include "capture/case/case_folder.h"
#include "capture/counters/counter_set.h"
#include "command/diagnose/diagnose_collect.h"
#include "source/live/workload.h"
#include "source/recorder/recorder.h"
#include "statistics/ceilings.h"
#include "system/activity/activity.h"
#include "system/memory/process_pages.h"

#define MEASURED_BY_US "measured by plumb " PLUMB_VERSION
#define COLLECTION_CLOCK                                                                                               \
    CLOCK_MONOTONIC /* of samples and of counters' windows, so that what was counted in a phase is known by the time */

struct kept_pages { /* the best page map so far of one process */
    struct process_pages pages;
    uint64_t resident_bytes;
};

struct busy_process { /* of the whole machine: who used most CPU time so far */
    pid_t pid;
    uint64_t start_ticks, first_ticks, last_ticks;
};

struct collection {
    struct context *context;
    const struct collect_request *request;
    const char *folder;
    struct arena arena;
    struct case_manifest manifest;
    struct target target;
    struct workload workload;
    bool has_workload;

    bool by_cycles;             /* samples by cycles; else by cpu-clock */
    unsigned precise;           /* level of precise sampling; 0: none */
    bool plain_cycles_fit;      /* without it samples land one behind the stall */
    struct recorder *recorder;  /* of this run; NULL: none */
    struct counter_set *counters;
    struct tree_counting *tree; /* diagnose_topdown.c; NULL: no top-down events are counted */
    struct named_count *counted; /* over all runs so far */
    size_t counted_count;
    uint64_t samples, lost_samples;
    uint64_t exited_ns;         /* when this run's process ended, as its events say; 0: they don't */
    unsigned recordings;        /* perf.data, perf.data.2, … */

    struct activity_watch *watch;
    struct activity_totals totals; /* of the runs, from rusage */
    vec(struct kept_pages) pages;
    vec(struct busy_process) busy;
    double began_s; /* this run, or the watching */
    double next_look_s, next_pages_s, next_glimpse_s;
    const struct microarchitecture *core; /* as ceilings_before found it; NULL: not known */
    struct ceilings ceilings;
    vec(struct ceilings_glimpse) glimpses; /* over all runs */
    unsigned glimpse_turn, glimpses_passed; /* which CPU is next; how many are left out between two that are kept */

    struct process_ends *ends; /* of what was attached to; NULL: can't be watched */

    struct interventions *interventions; /* --probe; NULL: none */

    vec(struct run_row) runs;
    double elapsed_s; /* over all runs */
    const char *why_no_pmu; /* NULL: there is one */
};

/* ---- diagnose_progress: a line on a terminal while it works ---- */

/* "" clears it. */
void progress_say(const struct collection *collection, const char *what);
/* How long it has watched, and of how long. */
void progress_tick(const struct collection *collection);

/* ---- diagnose_recording: what can't be opened is a gap of the manifest, never an error ---- */

/* Before anything runs: by which event. */
void recording_choose(struct collection *collection);
/* By how many events, or how often, the sampled one interrupts. */
void recording_rate(struct recorder_event *event, bool by_cycles, uint64_t frequency);
/* Open samples and counters on collection->target: a workload's start with its exec. */
void recording_open(struct collection *collection);
/* Of a target that runs already. */
void recording_start(struct collection *collection);
/* Wait a moment, emptying the buffers meanwhile. */
void recording_wait(struct collection *collection);
void recording_finish(struct collection *collection, struct run_row *row);
/* The program never ran. */
void recording_discard(struct collection *collection);

/* ---- diagnose_topdown: where there is no PMU, or none that gives a tree, nothing is counted ---- */

/* Before anything runs, and after recording_choose: which groups of events. */
void tree_prepare(struct collection *collection);
/* On collection->target, in turns with collection->counters, which wait for them; false: nothing takes turns. */
bool tree_open(struct collection *collection);
/* The target is about to run, or does. */
void tree_start(struct collection *collection);
/* The next turn when it is due. */
void tree_tick(struct collection *collection);
/* So long may be waited until then. */
int tree_wait_ms(const struct collection *collection, int most_ms);
void tree_finish(struct collection *collection);
/* This run never was. */
void tree_discard(struct collection *collection);
MUST_CHECK bool write_tree(struct collection *collection, struct error *err);
void tree_free(struct collection *collection);

/* ---- diagnose_watch ---- */

/* Begin with these processes, or none (the machine, a cgroup), or follow the next run of a program. */
void watch_begin(struct collection *collection, const pid_t *pids, size_t count);
/* Whatever is due now: /proc, page maps. */
void watch_look(struct collection *collection);
/* The program has ended and was not waited for: what /proc still says of it is final. */
void watch_look_ended(struct collection *collection);
/* Whether every process that was attached to has ended. */
bool watch_ended(const struct collection *collection);

/* ---- diagnose_ends: where the kernel can't tell (before Linux 5.3), looks at /proc do ---- */

/* The target is resolved: from now on. */
void ends_begin(struct collection *collection);
/* Readable when one has ended; -1: there is none. */
int ends_fd(const struct collection *collection);
void ends_look(struct collection *collection);
/* When the last ended; now, when that isn't known. */
double ends_last_s(const struct collection *collection);
void ends_free(struct collection *collection);

/* ---- diagnose_ceilings: what can't be measured is left out, never an error ---- */

/* Before the target runs, or before it is watched. */
void ceilings_before(struct collection *collection);
/* A glimpse at the CPU that the target runs on, when one is due. */
void ceilings_look(struct collection *collection);
void ceilings_after(struct collection *collection);
/* Its code has wide vectors: what these cost of the clock, on the CPU where it was met most. */
void ceilings_licence(struct collection *collection);
/* May be called again. */
MUST_CHECK bool write_ceilings(struct collection *collection, struct error *err);

/* ---- diagnose_guest: what can't be measured says so ---- */

MUST_CHECK bool write_guest(struct collection *collection, struct error *err);

/* ---- diagnose_stacks: what can't be unwound keeps its chains by frame pointers, never an error ---- */

/* Every recording's copies of stacks become call chains, while the binaries are still there. */
void stacks_unwind(struct collection *collection);

/* ---- diagnose_parts ---- */

/* Write every part but the manifest's; then names, code and probes, which read the case as a replay would. */
MUST_CHECK bool parts_write(struct collection *collection, struct error *err);

#endif
