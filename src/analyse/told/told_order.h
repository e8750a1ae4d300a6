/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of two amounts is from before a change and which from after it, by what stands between them ("from 4.2 s to
 * 3.1") or beside each: "without huge pages
 * 4.2 s, with them 3.1", "1.83 s (baseline), 1.52 s (THP)", "SMT off: 5.2 s before, 3.9 s after"?
 *
 * A label stands ahead of its amount, behind it or in brackets; of both amounts in the same way. It is a word of time,
 * a change by its name, or refers to one ("with it"). Labels that contradict one another tell nothing, nor do those of
 * two machines or versions.
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_ORDER_H
#define PLUMB_ANALYSE_TOLD_TOLD_ORDER_H

#include "analyse/told/told_change.h"
#include "analyse/told/told_quantity.h"

/* It names a machine, a system or a version that something ran on: "bare metal", "the guest", "the old kernel". */
bool told_names_state(const char *plain);
/*
 * The only two of a kind, from before and after a change. ret_named: the change that is named or referred to beside
 * them; TREATMENT_COUNT: words of time alone tell which was first, and not of what.
 */
bool told_pair_in_order(const char *plain, enum quantity_kind kind, struct quantity *ret_before,
                        struct quantity *ret_after, enum treatment *ret_named);

#endif
