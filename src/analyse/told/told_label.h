/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of two amounts is from before a change and which from after it, by what stands beside each: "without huge pages
 * 4.2 s, with them 3.1", "1.83 s (baseline), 1.52 s (THP)", "SMT off: 5.2 s before, 3.9 s after"?
 *
 * A label stands ahead of its amount, behind it or in brackets; of both amounts in the same way. It is a word of time,
 * a change by its name, or refers to one ("with it"). Labels that contradict one another tell nothing, nor do those of
 * two machines or versions.
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_LABEL_H
#define PLUMB_ANALYSE_TOLD_TOLD_LABEL_H

#include "analyse/told/told_change.h"
#include "analyse/told/told_quantity.h"

enum amount_order { ORDER_UNKNOWN, ORDER_FIRST_WAS_BEFORE, ORDER_LAST_WAS_BEFORE };

struct told_order {
    enum amount_order order;
    /*
     * the change that they name or refer to; TREATMENT_COUNT: words of time, which tell what was first and not of what
     */
    enum treatment treatment;
};

/* It names a machine, a system or a version that something ran on: "bare metal", "the guest", "the old kernel". */
bool told_names_state(const char *plain);
/* plain: the sentence that both stand in, first before last. */
struct told_order told_order_by_labels(const char *plain, const struct quantity *first, const struct quantity *last);

#endif
