/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts what metrics of a table need, step by step: schedule, trial, passes, values; then the drill decides what is
 * next.
 *
 * One subject throughout (a program that is run again, or something that is watched), one PMU, one table. What was
 * counted in earlier steps stays; a metric keeps the first place it was measured in, and what is counted again is the
 * control.
 */
#ifndef PLUMB_COMMAND_TOPDOWN_TOPDOWN_SESSION_H
#define PLUMB_COMMAND_TOPDOWN_TOPDOWN_SESSION_H

#include "analyse/topdown/pass_agreement.h"
#include "analyse/topdown/topdown_values.h"
#include "base/vec.h"
#include "capture/counters/pass_record.h"
#include "metric/schedule/pass_plan.h"
#include "metric/schedule/schedule_pmu.h"
#include "system/kernel.h"

enum { TOPDOWN_CONTROLS_MOST = PASS_CONTROLS_MOST };

/* What was just read of the group that has the first level. */
struct topdown_window {
    struct metric_group group; /* this window alone */
    size_t run, runs;          /* of the program; runs 1: it has but this one */
    size_t sharing;            /* groups that share the counters; 1: all of the time was counted */
    uint64_t read_ns;          /* how long it was meant to be */
};

struct topdown_setup {
    const struct kernel *kernel;
    const struct sysroot *root;
    struct metric_table *table;
    struct schedule_pmu pmu;
    struct pass_subject subject;
    void (*first_pass_done)(void *context); /* from then on the program runs again; NULL: nothing */
    void (*watch_lasts)(void *context, uint64_t duration_ns); /* how long a watch must last; NULL: it is fixed */
    void *context;
    char *const *argv;   /* of the program, for what is said of it */
    bool is_program;     /* it can be started */
    bool once;           /* … but not again: all groups share one run */
    double seconds;      /* a watch's length as the user asked; 0: long enough */
    uint64_t read_ns;    /* how often to read; 0: as the plan says */
    const struct measured *constants;
    const char *cpu_id;
    void (*progress)(void *context, const char *what); /* NULL: silent */
    /*
     * Told as they end, in the first step; of several runs, in the first that counts the first level. NULL: nobody
     * asks.
     */
    void (*window_done)(void *context, const struct topdown_window *window);
};

struct topdown_pass_faults {
    const struct pass_faults *reads;
    size_t count;
};

/* What one group counted on each CPU; count 0: its target wasn't CPUs. */
struct topdown_cpus {
    const int *cpus;
    const struct group_window *windows;
    size_t count;
};

struct topdown_session {
    const struct topdown_setup *setup;
    struct arena arena;
    struct schedule_pmu pmu;       /* what is left of it after trials */
    vec(struct metric_group) groups;
    vec(struct topdown_pass_faults) faults; /* of each pass */
    vec(struct topdown_cpus) cpus; /* of each group */
    struct metric_place *places;   /* of each metric */
    struct topdown_values values;  /* of all that was measured so far, but warm-up */
    bool has_warmup;
    struct pass_agreement agreement;
    const struct pass_control_values *pass_controls; /* of each pass: the controls */
    uint32_t controls[TOPDOWN_CONTROLS_MOST]; /* metrics */
    size_t control_count;
    const char **term_refused;     /* of each term: why it doesn't open here; "" : it does; NULL: not tried yet */
    uint32_t cycles, instructions; /* terms, or TABLE_NONE */
    size_t passes, steps;
    double seconds;                /* that a run of the program lasts; 0: not known yet */
    uint64_t own_ns;               /* CPU time of our own, in all passes */
    bool has_exit;
    int exit_code;                 /* of the program's first run */
    int exit_other;                /* the last that was another */
    size_t exits_other, exits;     /* how many runs ended otherwise, and of how many */
    bool interrupted;
    bool user_only;                /* the kernel may not be counted here */
    vec(const char *) notes;
};

/* Keeps setup. Owner: the caller (topdown_session_done). */
void topdown_session_init(struct topdown_session *session, const struct topdown_setup *setup);
void topdown_session_done(struct topdown_session *session);

/*
 * Measure these metrics, then find all values anew. Errors: of the subject; ERROR_UNSUPPORTED when none can be counted;
 * ERROR_LIMIT when the run is too short for its groups (the message says how long it must last).
 */
MUST_CHECK bool topdown_session_measure(struct topdown_session *session, const uint32_t *metrics, size_t count,
                                        struct error *err);

struct topdown_step;
/*
 * A step whose time somebody else lets go by: what to open, without the groups that never ran when they were tried.
 * Nothing to open: none of the metrics can be counted, and their places say why. Errors: of the schedule and its trial.
 * Owner of all: the session.
 */
MUST_CHECK bool topdown_step_plan(struct topdown_session *session, const uint32_t *metrics, size_t count,
                                  struct topdown_step **ret_step, struct scheduled_counters_request *ret_request,
                                  struct error *err);
/* Leave out groups that none of the first `level` levels is counted in: their metrics are not measured, because. */
void topdown_step_limit(struct topdown_step *step, unsigned level, const char *why,
                        struct scheduled_counters_request *request);
/* What they counted, in one pass: groups and places are the session's then. The record must outlive it. */
void topdown_step_take(struct topdown_step *step, const struct pass_record *record);

/* All values once more, from these windows (one group for each of the session's): a phase. Owner: the session. */
void topdown_session_values(struct topdown_session *session, const struct metric_group *groups,
                            struct topdown_values *ret_values);
/* Whether a first-level share differs so much between passes that each pass is to be shown. */
bool topdown_session_contradicts(const struct topdown_session *session);
/* A metric on these of a group's CPUs together: a core. */
struct measured topdown_session_on_cpus(struct topdown_session *session, uint32_t metric, size_t group,
                                        const bool *wanted);
/*
 * From what was measured on down: children of flagged nodes, until none is left. On failure what was measured before
 * stays.
 */
MUST_CHECK bool topdown_session_drill(struct topdown_session *session, struct error *err);

#endif
