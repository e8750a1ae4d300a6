/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What must be counted for these metrics of a CPU's table?
 *
 * Event n of the request is term n of the table, so that a group's events say which terms were counted together. A
 * metric takes the terms of its formula and of the metrics that it refers to, but for those of a branch that what is
 * known of the machine (SMT) doesn't take.
 */
#ifndef PLUMB_METRIC_SCHEDULE_TABLE_REQUEST_H
#define PLUMB_METRIC_SCHEDULE_TABLE_REQUEST_H

#include "metric/schedule/schedule.h"
#include "metric/table/table.h"

/*
 * request->metrics[n] is the table's metric metrics[n]. pmu must live as long as the request. constants:
 * TABLE_CONSTANT_COUNT of them, or NULL: nothing is known. Owner of the rest: arena.
 */
void schedule_request_of_table(struct schedule_request *request, const struct metric_table *table,
                               const uint32_t *metrics, size_t metric_count, const struct schedule_pmu *pmu,
                               const struct measured *constants, struct arena *arena);

#endif
