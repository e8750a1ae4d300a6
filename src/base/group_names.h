/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How are rows called that hold what the kernel counts of a control group? source/import writes them, finding reads
 * them (IMPORTED_GROUP). Counts are of the time since the group exists.
 */
#ifndef PLUMB_BASE_GROUP_NAMES_H
#define PLUMB_BASE_GROUP_NAMES_H

#define GROUP_PERIODS      "nr_periods"
#define GROUP_THROTTLED    "nr_throttled"
#define GROUP_THROTTLED_US "throttled_usec" /* added up over its CPUs */
#define GROUP_USED_US      "usage_usec"
/* of cpu.max: what it may use in each period */
#define GROUP_QUOTA_US  "quota, us"
#define GROUP_PERIOD_US "period, us"

#endif
