/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is opened in the kernel for a term of a CPU's table?
 *
 * Each term is written as perf would spell it and parsed against this machine's sysfs, so that the PMU's own formats
 * place its fields (umask, cmask, inv, edge, any, extra registers). Slots and the fields of PERF_METRICS are given only
 * where sysfs lists both slots and topdown-retiring, and the second four only where it lists topdown-heavy-ops: opening
 * them elsewhere has crashed guests' kernels. An event that several PMUs count (memory controllers) has a spec for
 * each; their counts are added. Does not support: latencies of retirement (sampled), perf's percore aggregation (the
 * caller counts whole CPUs and adds).
 */
#ifndef PLUMB_METRIC_TERM_SPEC_H
#define PLUMB_METRIC_TERM_SPEC_H

#include "metric/event.h"
#include "metric/table/table.h"

struct term_spec {
    const struct event_spec *specs; /* named as the term; in no group */
    size_t count;                   /* 0: it can't be opened here */
    const char *why_not, *hint;     /* then; hint "" when there is none */
};

/*
 * Shape: ret_specs[n] is of term n of the table; those that aren't wanted (an array of terms.count; NULL: all are) stay
 * empty. Owner: arena.
 */
void term_specs_find(struct term_spec *ret_specs, const struct metric_table *table, const bool *wanted,
                     const struct sysroot *root, struct arena *arena);

/* How many fields of PERF_METRICS may be opened here, going by sysfs: 0, 4 or 8. */
unsigned term_topdown_fields(const struct sysroot *root);

/* The PMU of the cores as sysfs calls it ("cpu", "cpu_core", "armv8_pmuv3_0"), or NULL: the kernel drives none. */
const char *term_core_pmu(const struct sysroot *root, struct arena *arena);

#endif
