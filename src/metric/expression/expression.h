/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is this formula's value, given what was counted?
 *
 * One parser for the grammars in which metrics are published: Linux pmu-events (MetricExpr, MetricThreshold),
 * intel/perfmon (Formula over one-letter aliases, BaseFormula) and our own tables (data/metrics). From loosest to
 * tightest: `a if c else b`, | ||, ^, & &&, < > <= >= == !=, + -, * / %, unary - and !; min, max, d_ratio, has_event,
 * source_count, strcmp_cpuid_str. "> =" is written for ">=" in places, and meant.
 *
 * A value that isn't known (not measured, or a division by zero) makes what is computed from it unknown, with its
 * reason: never 0, NaN or inf. Deliberately unlike perf: d_ratio(a, 0) is unknown, not 0; min and max with an unknown
 * are unknown; a condition that is unknown doesn't choose a branch. `0 & unknown` is 0 and `1 | unknown` is 1.
 * Does not support: names (what they mean is the table's business), units, integers beyond a double's 53 bits.
 */
#ifndef PLUMB_METRIC_EXPRESSION_EXPRESSION_H
#define PLUMB_METRIC_EXPRESSION_EXPRESSION_H

#include "base/arena.h"
#include "base/error.h"
#include "base/measured.h"
#include "base/text.h"

/* How names are spelt; all else is the same. */
enum expression_dialect {
    EXPRESSION_LINUX,  /* cpu@EV\,cmask\=4@k, topdown\-be\-bound, EV:u, #smt_on */
    EXPRESSION_PERFMON /* aliases a, a_b, a[0]; names with modifiers: ocr.x:ocr_msr_val=0x10 */
};

/* What a name stands for where it stands. */
enum expression_use {
    EXPRESSION_USE_VALUE,        /* an event, a metric, a constant */
    EXPRESSION_USE_HAS_EVENT,    /* has_event(x): 1 or 0 */
    EXPRESSION_USE_SOURCE_COUNT, /* source_count(x): how many PMUs counted it */
    EXPRESSION_USE_CPU_MATCHES   /* strcmp_cpuid_str(x): 1 or 0 */
};

struct expression_name {
    const char *name; /* escapes undone, case as written */
    enum expression_use use;
};

struct expression {
    const struct expression_step *steps; /* in the order of evaluation; private */
    size_t step_count;
    const struct expression_name *names; /* each (name, use) once */
    size_t name_count;
    size_t stack_most; /* values that evaluation holds at once */
};

/* Errors: ERROR_FORMAT with what was expected and where. Owner: arena. */
MUST_CHECK bool expression_parse(struct expression *expression, struct view text, enum expression_dialect dialect,
                                 struct arena *arena, struct error *err);

/* The value of expression->names[index]. */
typedef struct measured expression_lookup(void *context, size_t index);
struct measured expression_value(const struct expression *expression, expression_lookup *lookup, void *context);

/*
 * Mark the names that the value depends on, given what lookup knows already: those of the branch that a known condition
 * doesn't take are none of them. ret_needed: name_count of them; others stay as they are.
 */
void expression_names_needed(const struct expression *expression, expression_lookup *lookup, void *context,
                             bool *ret_needed);

/* What a threshold says: known and not 0 is flagged. */
enum expression_verdict { EXPRESSION_UNKNOWN, EXPRESSION_NO, EXPRESSION_YES };
enum expression_verdict expression_verdict_of(struct measured value);

#endif
