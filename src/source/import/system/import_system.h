/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What tools that look at the whole system printed, as shares in percent: mpstat, sar and top (%steal, %iowait, …),
 * vmstat, a cgroup's cpu.stat, turbostat, GNU time and the times that perf stat puts below its counts, perf c2c's
 * summary, perf lock contention and report, perf sched's latency and timehist, smaps and meminfo, numastat, pcm-memory,
 * iostat -x and sar -d.
 *
 * Each printed table gives one, with the prose before it: two of them, as before and after a change, aren't mixed.
 * Columns are told by their heading and counted from the right, where these tools put words before them in some rows
 * alone. Of several rows of a table the mean counts, or the tool's own average. The first row of vmstat, which is of
 * the time since boot, counts where it is the only one. What can be told of a document alone (a cgroup's counters,
 * which grow; programs' times) is one table. Does not support: sar's other reports, the other tables of pcm.
 */
#ifndef PLUMB_SOURCE_IMPORT_SYSTEM_IMPORT_SYSTEM_H
#define PLUMB_SOURCE_IMPORT_SYSTEM_IMPORT_SYSTEM_H

#include "source/import/import_text.h"

/*
 * The kind of its rows, which are named by what they are of what the tools print ("%steal", "nr_throttled /
 * nr_periods"), in percent.
 */
#define SYSTEM_TABLE "counters of the system"

/* The kind of a table whose one row names the clock in use, where that is slow to read (and leaves a guest). */
#define SYSTEM_CLOCK "clock source"

/* The kind of a table of what goes to memory in a second, in GB/s. */
#define SYSTEM_BANDWIDTH "memory bandwidth"

/* The kind of a table of clocks and temperatures in turbostat's own units, by its columns' names; one for each run. */
#define SYSTEM_TURBOSTAT "turbostat"

/* The kind of a table of how many CPUs were used, and which may be, as base/place_names has its rows. */
#define SYSTEM_PLACES "CPUs"
/* The kind of a table of the kernel's governor of clocks: names stand in where, clocks are in MHz, 0: not told. */
#define SYSTEM_GOVERNOR        "clock governor"
#define SYSTEM_GOVERNOR_NAME   "governor"
#define SYSTEM_GOVERNOR_DRIVER "driver"
#define SYSTEM_GOVERNOR_LEAST  "lowest MHz"
#define SYSTEM_GOVERNOR_MOST   "highest MHz"

/* The kind of a table of what a control group counted at one look, or may use, as base/group_names has its rows. */
#define SYSTEM_GROUP "control group"

struct import_facts {
    struct imported_text *tables; /* in the order of the text; each has rows */
    size_t count;
    bool was_read; /* lines of such tools were there, if only without any share to tell */
};

/* The text without these lines; the text itself where there are none. Owner of the facts: arena. */
struct view import_system_turned(struct view text, struct arena *arena, struct import_facts *ret_facts);

#endif
