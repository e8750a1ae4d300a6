/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/system/system_reading.h"

/* "batchd:(8) | 41203.118 ms | 91203 | avg:   0.412 ms | max: …", as perf sched latency has it. */
static bool latency_read(struct system_reading *reading, struct view line)
{
    struct view name = view_trim(view_cut(&line, '|')), run = view_cut(&line, '|'),
                count = view_trim(view_cut(&line, '|')), mean = view_trim(view_cut(&line, '|'));
    double run_ms, switches, mean_ms;
    if (!view_grouped(view_word(&run), &run_ms) || !view_equal(view_word(&run), "ms") ||
        !view_grouped(count, &switches))
        return false;
    if (view_equal(name, "TOTAL:"))
        return true;
    if (!view_starts(mean, "avg:"))
        return false;
    mean = view_skip(mean, strlen("avg:"));
    if (!view_grouped(view_word(&mean), &mean_ms) || run_ms < 0 || mean_ms < 0)
        return false;
    system_task_add(reading, name, (struct task){.run_ms = run_ms, .delay_ms = switches * mean_ms});
    return true;
}

/* "79371.874569 [0011]  gcc[31949]   0.014   0.000   1.148", as perf sched timehist has it: waits, delays and runs. */
static bool timehist_read(struct system_reading *reading, struct view line)
{
    enum { TIMES = 3 };
    struct view time = view_word(&line), cpu = view_word(&line), name = view_trim(line), word;
    double ignored, times[TIMES];
    size_t count = 0;
    if (!view_double(time, &ignored) || view_find(time, ".") < 1 || !view_starts(cpu, "[") || !view_ends(cpu, "]"))
        return false;
    for (struct view rest = name; count < TIMES && (word = view_word(&rest)).length;)
        if (view_double(word, &times[count]) && times[count] >= 0)
            name.length = count++ ? name.length : (size_t)(word.text - name.text);
        else if (count)
            return false;
    name = view_trim(name);
    if (count < TIMES || !name.length)
        return false;
    if (!view_starts(name, "<idle>"))
        system_task_add(reading, name, (struct task){.run_ms = times[2], .delay_ms = times[1]});
    return true;
}

bool system_waits_read(struct system_reading *reading, struct view line)
{
    return latency_read(reading, line) || timehist_read(reading, line);
}
