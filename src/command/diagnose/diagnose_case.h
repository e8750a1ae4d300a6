/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A case folder turned into results: every part that is there is read and analysed, for the live run and the
 * replay alike. What is missing gets its reason.
 */
#ifndef PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_CASE_H
#define PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_CASE_H

#include "analyse/bottleneck/phase_bottleneck.h"
#include "analyse/profile/host_profile.h"
#include "analyse/time/phase_rows.h"
#include "analyse/stall/call_classes.h"
#include "analyse/stall/call_holders.h"
#include "analyse/stall/call_parts.h"
#include "analyse/time/program_shares.h"
#include "analyse/time/run_spread.h"
#include "analyse/time/wait_rows.h"
#include "analyse/topdown/phase_trees.h"
#include "capture/capture.h"
#include "capture/case/case_folder.h"
#include "command/command.h"
#include "finding/results.h"
#include "model/exits.h"

struct loaded_case {
    struct arena arena;
    struct case_manifest manifest;
    bool manifest_made_up; /* from the other parts: the case has none that can be read */
    struct capture capture;
    bool has_recording;
    struct code_bundle bundle;
    bool has_bundle;
    struct process_pages *pages;
    size_t pages_count;
    struct access_costs costs;
    struct probe_results probes;
    struct ceilings ceilings;
    struct guest_costs guest;
    struct surroundings surroundings;
    struct activity activity;
    struct counter_summary counters;
    struct run_spread runs;
    struct metric_table topdown_table;
    bool has_topdown_table;
    struct topdown_counts topdown_counts;
    struct topdown_counted topdown;
    struct run_time run;
    struct stalls stalls;
    struct bottleneck bottleneck;
    struct kernel_time kernel;
    struct phase_rows phases;
    struct phase_bottlenecks phase_estimates; /* of those that no counted tree decides */
    struct phase_trees phase_trees;           /* none where nothing was counted */
    struct wait_rows waits;
    struct program_shares programs;
    struct loading loading;
    struct call_parts parts;
    struct call_holders holders;
    struct call_classes called;
    struct host_profile host; /* of CPUs, or where guests show */
    const char *host_denominator; /* NULL: there is none */
    struct statements statements;
    struct told told;
    struct imported imported;
    struct exits exits; /* of guests, as plumb exits gathered them */
    bool has_exits;
    struct results results;
};

/* A part that can't be read is a gap. Errors: no case there, one of a newer plumb. */
MUST_CHECK bool loaded_case_read(struct loaded_case *loaded, const char *folder, struct error *err);
/* The same for a case that is replayed: names and code that it doesn't have are looked for on this machine. */
MUST_CHECK bool loaded_case_replay(struct loaded_case *loaded, const char *folder, struct error *err);
void loaded_case_done(struct loaded_case *loaded);

#endif
