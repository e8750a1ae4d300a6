/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What do the parts of `plumb stat` share: the options, and the state of its runs?
 *
 * stat.c prepares and runs; stat_events.c says what is counted, and in which cgroups; stat_output.c where the result
 * goes and how it looks; stat_talk.c what the user must know to read it. Private to src/command/stat.
 */
#ifndef PLUMB_COMMAND_STAT_STAT_H
#define PLUMB_COMMAND_STAT_STAT_H

#include "analyse/counts/event_counts.h"
#include "capture/counters/counting.h"
#include "command/command.h"
#include "command/options.h"
#include "render/event_counts.h"

struct stat_metrics; /* private to stat_metrics.c */

struct stat_options {
    struct option_texts events, metrics;
    bool all_cpus, no_aggregation, per_core, per_die, per_socket, per_node, per_thread;
    const char *tables;
    const char *cpus, *processes, *threads, *cgroups, *each_cgroup;
    bool all_user, all_kernel, quiet, no_csv_summary, interval_clear;
    bool metric_only, metric_no_group, metric_no_merge, topdown;
    uint64_t topdown_level;
    bool no_inherit, null_run, sync, scale, no_merge, json, append, summary, no_big_num, table;
    int big_num, detailed, verbose;
    const char *separator, *output, *log_fd, *delay, *control, *before, *after;
    uint64_t interval_ms, interval_count, timeout_ms, repeat;
};

/* What runs need, prepared from the options. */
struct stat_run {
    struct context *context;
    struct stat_options options;
    struct arena arena;
    struct event_list events;
    struct counter_cgroup *cgroups; /* one per event, or NULL */
    struct target_request target;
    char *const *argv; /* NULL: no program */
    struct counting_plan plan;
    struct topology topology;
    struct count_options counts;
    struct count_style style;
    struct count_report report; /* of all runs */
    FILE *out;
    bool own_out;
    struct control control;
    double *run_seconds;
    struct rusage usage;
    struct stat_metrics *own_metrics; /* NULL: none are shown */
    size_t windows;
};

/* Options to events (exit code 2 when one isn't known), and to one cgroup for each where cgroups are asked. */
MUST_CHECK bool stat_events_parse(struct stat_run *run, bool by_cpu, struct error *err);
MUST_CHECK bool stat_cgroups_prepare(struct stat_run *run, struct error *err);

/* Open the output, and choose format and style. */
MUST_CHECK bool stat_output_open(struct stat_run *run, struct error *err);
void stat_style_prepare(struct stat_run *run);
/* A window of -I; the whole after the last run. */
bool stat_window_show(void *run, const struct count_table *window);
MUST_CHECK bool stat_report_show(struct stat_run *run, const struct count_table *table, struct error *err);

/* Beside the result: enabled or disabled, what isn't counted and why, raw counts (-v), of what the program died. */
void stat_notice_show(void *run, enum counting_notice notice, const char *about);
void stat_counters_say(struct stat_run *run, const struct counters *counters);
void stat_verbose_say(struct stat_run *run, const struct counters *counters);
void stat_death_say(struct stat_run *run, const struct counting *counting);

/*
 * -M, --topdown: add the events that metrics take. Errors: no such metric. What can't be measured here is said beside
 * the result.
 */
bool stat_metrics_wanted(const struct stat_run *run);
bool stat_metrics_suit(const struct stat_run *run); /* whether plain stat shows the tree's first level */
MUST_CHECK bool stat_metrics_prepare(struct stat_run *run, bool by_default, struct error *err);
/* Fill the lines of a finished report with their metrics. */
void stat_metrics_compute(struct stat_run *run, struct count_report *report, struct arena *arena);
void stat_metrics_say(struct stat_run *run, const struct count_report *report);
void stat_metrics_done(struct stat_run *run);
/* One line beside the result: "what: about". */
void stat_line_say(struct stat_run *run, const char *what, const char *about);

#endif
