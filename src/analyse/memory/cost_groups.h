/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of the groups found now was each cost of the case measured for? */
#ifndef PLUMB_ANALYSE_MEMORY_COST_GROUPS_H
#define PLUMB_ANALYSE_MEMORY_COST_GROUPS_H

#include "analyse/memory/access_cost.h"
#include "analyse/stall/stalls.h"

/*
 * By function, mapping and hottest instruction; else by function and mapping, where only one group has these and its
 * pattern steps as far. A cost of none of them is kept, but stands for no group. Costs of older cases keep their rank.
 */
void access_costs_settle(struct access_costs *costs, const struct stalls *stalls);

#endif
