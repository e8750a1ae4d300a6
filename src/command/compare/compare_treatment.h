/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is meant to differ around the commands (--treatment), and does anything else?
 *
 * KEY=VALUE,VALUE gives each command its setting (a single command then stands for one per value); KEY alone declares
 * that a fact of the machine may differ. What of the machine differs undeclared voids a comparison.
 */
#ifndef PLUMB_COMMAND_COMPARE_COMPARE_TREATMENT_H
#define PLUMB_COMMAND_COMPARE_COMPARE_TREATMENT_H

#include "command/compare/compare_arms.h"
#include "command/options.h"
#include "experiment/measuring_runner.h"
#include "render/comparison/comparison.h"

/* Whether a --treatment names that fact: "thp" and "thp_enabled" are the same; values don't matter. */
bool treatment_names(const char *treatment, const char *fact);
bool treatment_declares(const struct option_texts *treatments, const char *fact);

/* Whether one gives settings to commands, as "thp=never,always" does. */
bool treatments_have_values(const struct option_texts *treatments);
/* Gives the arms their settings; a single one is copied, once a value. */
MUST_CHECK bool treatments_apply(struct compare_arms *arms, const struct option_texts *treatments,
                                 const struct option_texts *labels, const struct sysroot *root, struct arena *arena,
                                 struct error *err);

struct fact_differences {
    struct fact_difference *items;
    size_t count, capacity;
};

/*
 * Facts of all runs so far, first arm against each other; and of one arm that changed. Owner of items: the caller
 * (vec_done).
 */
void facts_compare(struct fact_differences *differences, const struct run_fact *facts, size_t count,
                   const struct option_texts *treatments, struct arena *arena);
/* Settings and environment that the arms were given: declared by their nature. */
void settings_compare(struct fact_differences *differences, const struct compare_arms *arms, struct arena *arena);
/* The same of each arm, for the files that are written; returns how many. */
size_t settings_list(const struct compare_arms *arms, size_t arm_count, struct arm_setting **ret_settings,
                     struct arena *arena);
/* Errors: ERROR_UNSUPPORTED naming what voids the comparison. */
MUST_CHECK bool facts_check(const struct fact_differences *differences, struct error *err);

#endif
