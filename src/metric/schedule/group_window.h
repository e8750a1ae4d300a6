/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What did one group of a schedule count between two reads? Plain numbers, so that analyses see them and not how they
 * were read.
 */
#ifndef PLUMB_METRIC_SCHEDULE_GROUP_WINDOW_H
#define PLUMB_METRIC_SCHEDULE_GROUP_WINDOW_H

#include <stdint.h>

struct group_window {
    uint64_t start_ns, end_ns;       /* of the caller's clock, as told to start and read */
    /*
     * Of the whole group. running 0: it had no counter, and counts are undefined. Groups started one by one take turns
     * (slices): a window then stands for the others' turns, too, which are enabled and not running.
     */
    uint64_t enabled_ns, running_ns;
    const double *counts;            /* one for each event of the group, in the group's order */
};

#endif
