/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What tools that look at the whole system printed, as shares in percent: mpstat, sar and top (%steal, %iowait, …), vmstat, a cgroup's cpu.stat, turbostat, GNU time and
 * the times that perf stat puts below its counts, perf c2c's summary, perf sched's latency and timehist, smaps and meminfo, numastat; and PerfSpect's top-down metrics under their published names.
 *
 * Columns are told by their heading and counted from the right, where these tools put words before them in some rows alone. Of several rows the mean counts, or the tool's
 * own average. The first row of vmstat, which is of the time since boot, counts where it is the only one.
 * Does not support: sar's other reports, the other tables of pcm.
 */
#ifndef PLUMB_SOURCE_IMPORT_IMPORT_SYSTEM_H
#define PLUMB_SOURCE_IMPORT_IMPORT_SYSTEM_H

#include "source/import/import_text.h"

/* The kind of its rows, which are named by what they are of what the tools print ("%steal", "nr_throttled / nr_periods"), in percent. */
#define SYSTEM_TABLE "counters of the system"

/* The text without these lines, or with them as import_text_next() reads them; the text itself where there are none. ret_facts: no rows where there are none. */
struct view import_system_turned(struct view text, struct arena *arena, struct imported_text *ret_facts);

#endif
