/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What can the tree be made of on this machine: which tables, which counters, which form, and what do formulas need
 * besides?
 *
 * Nothing is opened on fixed counter 3 unless sysfs lists slots and topdown-retiring.
 */
#ifndef PLUMB_COMMAND_TOPDOWN_TOPDOWN_MACHINE_H
#define PLUMB_COMMAND_TOPDOWN_TOPDOWN_MACHINE_H

#include "base/vec.h"
#include "metric/schedule/schedule_pmu.h"
#include "metric/schedule/topdown_form.h"
#include "metric/table/table.h"
#include "system/cpu/topology.h"
#include "system/kernel.h"
#include "system/sysroot.h"

struct topdown_machine {
    struct arena arena;
    struct metric_table table;
    bool has_table;
    char processor[128];         /* "Sapphire Rapids" */
    struct schedule_pmu pmu;
    bool smt;
    struct topology topology;
    bool slots_are_the_cores;    /* slots are counted for whole cores: a task's own can't be told while SMT is on */
    unsigned levels;             /* that the form gives at once; deeper ones take more events. 0: no tree */
    struct measured constants[TABLE_CONSTANT_COUNT];
    struct topdown_choice choice; /* form NULL: a processor that needs no choice (AMD, Arm) */
    vec(const char *) notes;     /* forms passed over, and why */
};

/*
 * Errors: ERROR_UNSUPPORTED or ERROR_PERMISSION, cycles can't be counted: why, and what else answers; what reading
 * tables gives. Owner: the caller (topdown_machine_done), also on failure.
 */
MUST_CHECK bool topdown_machine_find(struct topdown_machine *machine, const char *tables, const struct kernel *kernel,
                                     const struct sysroot *root, struct error *err);
/* Whether its first levels are counted on general counters, in place of PERF_METRICS. */
bool topdown_machine_is_general(const struct topdown_machine *machine);
void topdown_machine_done(struct topdown_machine *machine);

#endif
