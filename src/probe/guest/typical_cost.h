/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does such a way out typically cost elsewhere? The rows of data/exit_costs.tsv, each with its source.
 *
 * Does not support: this processor in particular; a range says where others measured.
 */
#ifndef PLUMB_PROBE_GUEST_TYPICAL_COST_H
#define PLUMB_PROBE_GUEST_TYPICAL_COST_H

#include <stddef.h>

enum typical_place { TYPICAL_METAL, TYPICAL_KVM, TYPICAL_NESTED, TYPICAL_TDX, TYPICAL_SNP, TYPICAL_PLACES };

struct typical_cost {
    const char *key; /* as guest_cost_key */
    enum typical_place place;
    double low_ns, high_ns; /* negative: no figure could be checked; source says why */
    const char *source;
};

extern const struct typical_cost typical_cost_rows[];
extern const size_t typical_cost_row_count;

/* NULL: not tabled. */
const struct typical_cost *typical_cost_find(const char *key, enum typical_place place);
const char *typical_place_name(enum typical_place place); /* "bare metal" */

#endif
