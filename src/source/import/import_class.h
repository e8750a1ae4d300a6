/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is that the name of a top-down class, and are the numbers beside such names percent or ratios? "0.9" may be either:
 * only a unit tells, a number beyond 1, or the four classes of the first level, whose sum is known.
 */
#ifndef PLUMB_SOURCE_IMPORT_IMPORT_CLASS_H
#define PLUMB_SOURCE_IMPORT_IMPORT_CLASS_H

#include "base/text.h"

enum share_unit { SHARE_UNSAID, SHARE_PERCENT, SHARE_RATIO };

enum { CLASS_TOPS = 4 };

/* What a table's numbers have in common. */
struct share_scale {
    size_t tops[CLASS_TOPS]; /* how often each class of the first level was met */
    double top_sum, most;
    bool said[SHARE_RATIO + 1];
};

/*
 * "Backend Bound" in words, "Backend_Bound.Memory_Bound" as toplev has it, "TMA_memory_bound", "backend_bound_memory":
 * the published name; the unit is of "tma_dram_bound (%)".
 */
bool import_class_named(struct view cell, struct text *ret_name, enum share_unit *ret_unit);
/* "%", "% of Slots", "percent", "ratio", "value (ratio)". */
enum share_unit share_unit_of(struct view words);
/* "ratio", "change": above a column beside two of numbers it is what these have between them. */
bool share_is_of_others(struct view heading);
/* "66.5%", "0,665": the number and whether it has its sign. */
bool share_value_of(struct view cell, double *ret_value, enum share_unit *ret_unit);
void share_scale_add(struct share_scale *scale, const char *published, double value, enum share_unit unit);
/* In percent; false: nothing tells whether it is a ratio, or it is no share. */
bool share_percent_of(const struct share_scale *scale, double value, enum share_unit unit, double *ret_share);

#endif
