/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where does a sample land after a stalled load: on it, exactly one instruction behind it, or anywhere?
 *
 * Our own pointer chase over memory far beyond the caches stalls at one known load. If at least 90 % of its
 * samples hit the instruction behind the load, attribution "the instruction before the sampled one
 * stalled" holds for that event on this machine (kernel, hypervisor, CPU); else it is refused. Each event has a skid
 * of its own: one that opens and never interrupts (some virtual PMUs) comes out as unknown.
 *
 * Another question with an answer of its own is where a sample lands after a wrong guess, when nothing was left to
 * retire: on the first instruction of the way that was right (Cascade Lake), or on the second, the first having retired
 * before the interrupt was taken (Zen 4: measured, 40 % of the samples of such a loop on the second ones, 3 % on the
 * first). Our own loop over random branches, in registers alone, tells.
 * Precise sampling names the stalled instruction itself (SKID_EXACT). Its registers are looked at, too: a PEBS record
 * has those behind the instruction, as a plain sample one behind has; others (IBS) come with those of the interrupt,
 * some instructions later, from which no address can be told.
 */
#ifndef PLUMB_PROBE_SKID_H
#define PLUMB_PROBE_SKID_H

#include "base/error.h"
#include "statistics/interval.h"
#include "system/kernel.h"

enum skid_verdict {
    SKID_UNKNOWN,  /* not measured: too few samples, or no event */
    SKID_EXACT,    /* samples land on the stalled instruction */
    SKID_ONE,      /* samples land one instruction behind it */
    SKID_SCATTERED /* neither: no stall attribution */
};

enum skid_event {
    SKID_OF_CPU_CLOCK, /* a timer, everywhere */
    SKID_OF_CYCLES,    /* the PMU's; where it is there, it also sees code that holds interrupts off */
    SKID_OF_CYCLES_P,  /* the same with precise_ip 1, … */
    SKID_OF_CYCLES_PP,
    SKID_OF_CYCLES_PPP,
};

/* Levels of precise sampling; 0: none. */
unsigned skid_event_precise(enum skid_event event);
enum skid_event skid_event_of_cycles(unsigned precise);

struct skid_result {
    enum skid_verdict verdict;
    uint64_t on_load, behind_load, elsewhere; /* samples */
    struct interval behind_ratio;             /* share one behind, Wilson */
    struct interval exact_ratio;              /* share on it */
    /* samples on the load or behind it whose registers are those that it left */
    uint64_t registers_behind;
};

/*
 * Whether the registers of nearly all samples on the load or behind it are those behind it: addresses can be told from
 * them.
 */
bool skid_registers_fit(const struct skid_result *result);

/*
 * Sparing: beside a service that goes on, over an eighth of the memory and in a third of the time; where that leaves
 * the verdict open, all of it.
 */
enum skid_effort {
    SKID_WHOLE,
    SKID_SPARING
};

/*
 * Takes about 0.2 s of a CPU (sparing: 0.03 s), and 4 s at most where it gets none. Errors: what perf_event_open says;
 * ERROR_UNSUPPORTED on other architectures.
 */
MUST_CHECK bool skid_measure(const struct kernel *kernel, enum skid_event event, enum skid_effort effort,
                             struct skid_result *ret_result, struct error *err);

struct restart_result {
    enum skid_verdict verdict; /* SKID_EXACT: on the first instruction; SKID_ONE: on the second; else SKID_UNKNOWN */
    uint64_t first, second, elsewhere; /* samples */
};

/* Takes about 0.05 s of a CPU (sparing: 0.02 s). Errors: as above. */
MUST_CHECK bool skid_restart_measure(const struct kernel *kernel, enum skid_event event, enum skid_effort effort,
                                     struct restart_result *ret_result, struct error *err);

#endif
