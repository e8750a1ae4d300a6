/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much can one PMU count at the same time?
 *
 * From the model's facts, corrected by what this machine says (its CPUID leaf, its sysfs) and by what a trial found to
 * be taken by others. A model that isn't known has no numbers here: the caller asks the machine.
 * Does not support: uncore PMUs (their events stand outside of groups), counters that differ between CPUs of one PMU.
 * Sources: intel/perfmon's event files ("Counter"), Linux arch/x86/events, AMD and Arm manuals.
 */
#ifndef PLUMB_METRIC_SCHEDULE_SCHEDULE_PMU_H
#define PLUMB_METRIC_SCHEDULE_SCHEDULE_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers beside the counters: events that need different values in one of them can't count together. */
enum schedule_register {
    SCHEDULE_NO_REGISTER,
    SCHEDULE_OFFCORE,  /* OFFCORE_RSP */
    SCHEDULE_FRONTEND, /* PEBS_FRONTEND */
    SCHEDULE_LATENCY,  /* PEBS_LD_LAT_THRESHOLD */
    SCHEDULE_REGISTER_COUNT
};

enum {
    SCHEDULE_GENERAL_MOST = 16,
    SCHEDULE_FIXED_MOST = 16,
};

struct schedule_pmu {
    uint32_t general;        /* bit n: general counter n is ours */
    uint32_t fixed;          /* bit n: fixed counter n is ours */
    unsigned topdown_fields; /* of PERF_METRICS that may be opened: 0, 4 or 8 */
    unsigned registers[SCHEDULE_REGISTER_COUNT]; /* how many values each may have at a time */
    bool shares_core;        /* the other thread of the core runs programs, too (SMT) */
    bool counts_tasks;       /* measured are tasks, not whole CPUs */
};

/* Facts of a model by its key ("SPR"); false: not known here. threads_per_core as the machine is set up. */
bool schedule_pmu_of_model(const char *key, unsigned threads_per_core, struct schedule_pmu *ret_pmu);

/*
 * A PMU of which only CPUID's word is known, as in a guest: so many general counters, those fixed ones, no
 * PERF_METRICS, no registers.
 */
struct schedule_pmu schedule_pmu_architectural(unsigned general, uint32_t fixed);

/* The machine has no more than this: a hypervisor hides counters, the firmware keeps SMT on. 0 general: none. */
void schedule_pmu_limit(struct schedule_pmu *pmu, unsigned general, uint32_t fixed);

/*
 * Groups that opened were never counted: somebody else holds counters. Each step gives up one more, in the order in
 * which others take them: the fixed cycle counter (the NMI watchdog), one of the first four, one more. False: nothing
 * is left to give up, and what can't be counted now is not measured.
 */
bool schedule_pmu_give_up(struct schedule_pmu *pmu, unsigned step);
/* What step gives up, in words: "the fixed cycle counter (the NMI watchdog often holds it)". */
const char *schedule_pmu_given_up(unsigned step);

#endif
