/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What may one ask of plumb record, and what does it make of it? The option table, the values it fills, and what a
 * recorder is asked for on their account.
 */
#ifndef PLUMB_COMMAND_RECORD_RECORD_OPTIONS_H
#define PLUMB_COMMAND_RECORD_RECORD_OPTIONS_H

#include "base/arena.h"
#include "command/command.h"
#include "command/options.h"
#include "source/recorder/recorder.h"

#define RECORD_DELAY_ENDLESS INT64_MAX /* until --control says so */

struct record_options {
    struct option_texts events; /* and filters: "filter", then the filter of the event before it */
    struct option_texts cgroups;
    const char *frequency, *callchain, *user_registers, *interrupt_registers, *processes, *threads, *user, *cpus;
    const char *output, *pages, *compression, *branch_filters, *clock, *period, *delay, *control, *size_limit;
    double duration_seconds;
    uint64_t timeout_ms, priority;
    bool all_cpus, callchain_auto, no_inherit, addresses, weight, transactions, branches, switches, raw;
    bool physical_addresses, data_page_sizes, code_page_sizes, quiet, per_thread, user_only, kernel_only;
    bool user_chains, kernel_chains, strict_frequency, exclude_self, cgroup_records, no_code, no_bpf, no_build_ids,
        no_files;
    int verbosity;
    int always; /* asked for what is always done */
};

extern const struct option_row record_rows[];

/* What the options come to, beside the request itself. */
struct record_choice {
    struct event_list parsed;
    vec(struct recorder_event) events;
    struct target target;
    bool target_given;
    int64_t delay_ms;         /* 0: none; RECORD_DELAY_ENDLESS */
    uint64_t size_limit_bytes; /* 0: none */
    vec(char *) notes;        /* to be said: "sampling at N Hz, because …" */
};

/* Fill choice and request from the options. Owner of the strings: arena. */
MUST_CHECK bool record_choose(const struct record_options *options, const struct context *context, struct arena *arena,
                              struct record_choice *choice, struct recorder_request *request, struct error *err);
/* The events; after the target, whose permissions and cycles counter matter. */
MUST_CHECK bool record_choose_events(const struct record_options *options, const struct context *context,
                                     struct arena *arena, struct record_choice *choice, struct error *err);
void record_choice_done(struct record_choice *choice);

#endif
