/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Everything the hypotheses may ask for. NULL: there is none, and why[] says why; a hypothesis that needs it is
 * then "not testable", for that reason.
 */
#ifndef PLUMB_FINDING_RESULTS_H
#define PLUMB_FINDING_RESULTS_H

#include "analyse/bottleneck/bottleneck.h"
#include "analyse/stall/call_classes.h"
#include "analyse/stall/call_holders.h"
#include "analyse/stall/call_parts.h"
#include "analyse/memory/access_cost.h"
#include "analyse/counts/counter_summary.h"
#include "analyse/time/kernel_time.h"
#include "analyse/time/loading.h"
#include "analyse/time/program_shares.h"
#include "analyse/time/run_spread.h"
#include "analyse/time/run_time.h"
#include "analyse/time/time_shares.h"
#include "analyse/stall/stalls.h"
#include "analyse/imported.h"
#include "analyse/probes/probe_results.h"
#include "analyse/statement.h"
#include "analyse/told/told.h"
#include "analyse/time/wait_rows.h"
#include "analyse/topdown/phase_trees.h"
#include "statistics/ceilings.h"
#include "statistics/guest_costs.h"
#include "system/activity/activity.h"
#include "system/surroundings.h"

enum result_kind {
    RESULT_RUN,          /* elapsed and CPU time */
    RESULT_ACTIVITY,     /* /proc while it ran */
    RESULT_STALLS,       /* samples by function and instruction */
    RESULT_COSTS,        /* this machine's cost of the access patterns found */
    RESULT_KERNEL,       /* what the kernel did */
    RESULT_WAITS,        /* what it waited for, by stacks */
    RESULT_SURROUNDINGS, /* the machine */
    RESULT_COUNTERS,     /* hardware counters */
    RESULT_CEILINGS,     /* what the machine could do meanwhile */
    RESULT_PROBES,       /* what the target itself was asked to, opt-in */
    RESULT_BOTTLENECK,   /* what limits it, estimated without counters */
    RESULT_GUEST,        /* what interruptions, exits and pages behind a guest cost here */
    RESULT_STATEMENTS,   /* imported tables and what a person said */
    RESULT_KIND_COUNT
};

#define RESULT_BIT(kind) (1u << (kind))

struct results {
    const struct run_time *run;
    const struct activity *activity;
    const struct stalls *stalls;
    const struct access_costs *costs;
    const struct kernel_time *kernel;
    const struct wait_rows *waits;
    const struct surroundings *surroundings;
    const struct counter_summary *counters;
    const struct ceilings *ceilings; /* calibrated beside the run */
    const struct probe_results *probes;
    const struct guest_costs *guest; /* measured within the hour */
    const struct statements *statements;
    const struct told *told; /* what sentences among them tell; NULL: nobody said anything. Hidden as imported is */
    const struct call_holders *holders; /* what has much of the time with all that it calls; NULL: not known */
    const struct call_classes *called;  /* by enum called, finding/called.h; NULL: not known */
    const struct call_parts *parts; /* into which calls its paths part; NULL: not known */
    const struct program_shares *programs; /* which took the CPU time; NULL: no samples */
    const struct loading *loading; /* what the dynamic loader took; NULL: no samples */
    /* tables of other tools; NULL: none. Hidden from hypotheses: finding/imported asks them */
    const struct imported *imported;
    const struct bottleneck *bottleneck; /* estimated; NULL: a counted tree decides, or there are no samples */
    /* counted here; NULL: not, or not its first level. Only finding/counted.c looks at it */
    const struct topdown_counted *topdown;
    /* the same of each phase; NULL: there is one phase, or nothing was counted */
    const struct phase_trees *phase_trees;
    const struct run_spread *runs; /* each of several runs; NULL: it ran once */
    const char *why[RESULT_KIND_COUNT];
    /* share of its CPU time that samples could see: without the kernel's; unknown: all of it */
    struct interval sampled;
    double effect;           /* 0..1: smaller recoverable time is "ruled out" */
    const char *command;     /* what was measured, for the experiments' command lines */
    const char *ended;       /* what was watched ended before its time, as a clause; NULL: it did not */
    const char *recording_cut; /* a recording is there in part only, as a clause; NULL: all of it is */
    const char *cut;         /* we ended it, or stopped watching, as a clause; NULL: we did not */
    int exit_status;         /* of the program, as a shell has it; 0: it succeeded, or we ended it */
    const char *target_options; /* "-p 12", "" for a started program */
    /* why[RESULT_STALLS] says by what; with another user or another kernel there would be samples */
    bool samples_refused;
};

#endif
