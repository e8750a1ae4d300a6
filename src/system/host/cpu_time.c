/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/host/cpu_time.h"

#include "base/scope.h"
#include "base/vec.h"
#include "system/key_value.h"

static void ticks_read(struct cpu_time *time, struct view rest)
{
    struct fact_number *const columns[] = {&time->user, &time->nice,    &time->system, &time->idle, &time->iowait,
                                           &time->irq,  &time->softirq, &time->steal,  &time->guest};
    struct view line;
    while (view_line(&rest, &line)) {
        if (!view_equal(view_word(&line), "cpu"))
            continue;
        for (size_t at = 0; at < array_count(columns); at++) {
            int64_t ticks;
            if (view_i64(view_word(&line), &ticks))
                fact_number_set(columns[at], ticks);
        }
        return;
    }
}

void cpu_time_read(struct cpu_time *time, const struct sysroot *root)
{
    struct fact_number *const all[] = {
        &time->user, &time->nice,    &time->system, &time->idle,  &time->iowait,
        &time->irq,  &time->softirq, &time->steal,  &time->guest, &time->load_hundredths};
    scoped_text struct text file = {0};
    struct error unread = {0};
    bool have = sysroot_read(root, &file, &unread, "/proc/stat");
    *time = (struct cpu_time){0};
    for (size_t at = 0; at < array_count(all); at++)
        fact_number_absent(all[at], "%.130s", have ? "'/proc/stat' does not tell" : unread.message);
    if (have)
        ticks_read(time, (struct view){file.bytes, file.length});
    const struct key_fact running[] = {{"procs_running", &time->runnable}};
    key_facts_read(running, 1, root, "/proc/stat");
    char line[128];
    double load;
    fact_number_absent(&time->load_hundredths, "'/proc/loadavg' does not tell");
    if (sysroot_line(root, line, sizeof(line), "/proc/loadavg")) {
        struct view rest = view_of(line);
        if (view_double(view_word(&rest), &load) && load >= 0 && load < 1e9)
            fact_number_set(&time->load_hundredths, (int64_t)(load * 100 + 0.5));
    }
}

size_t cpu_ticks_parse(struct view proc_stat, struct cpu_ticks *ret_ticks, size_t most)
{
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COLUMNS };
    size_t count = 0;
    struct view line;
    while (count < most && view_line(&proc_stat, &line)) {
        struct view name = view_word(&line);
        uint64_t cpu, ticks[COLUMNS] = {0};
        if (!view_starts(name, "cpu") || !view_u64(view_skip(name, strlen("cpu")), 10, &cpu) || cpu > UINT32_MAX)
            continue;
        int columns = 0;
        while (columns < COLUMNS && view_u64(view_word(&line), 10, &ticks[columns]))
            columns++;
        if (columns < COLUMNS)
            continue;
        ret_ticks[count++] = (struct cpu_ticks){
            .cpu = (uint32_t)cpu,
            .busy = ticks[USER] + ticks[NICE] + ticks[SYSTEM] + ticks[IRQ] + ticks[SOFTIRQ],
            .steal = ticks[STEAL],
        };
    }
    return count;
}

static bool total_of(const struct cpu_time *time, int64_t *ret_total)
{
    const struct fact_number *const parts[] = {&time->user,   &time->nice, &time->system,  &time->idle,
                                               &time->iowait, &time->irq,  &time->softirq, &time->steal};
    int64_t total = 0;
    for (size_t at = 0; at < array_count(parts); at++) {
        if (!parts[at]->known || __builtin_add_overflow(total, parts[at]->value, &total))
            return false;
    }
    *ret_total = total;
    return true;
}

bool cpu_time_steal_ratio(const struct cpu_time *from, const struct cpu_time *to, double *ret_ratio)
{
    int64_t before, after;
    if (!total_of(from, &before) || !total_of(to, &after) || after <= before || to->steal.value < from->steal.value)
        return false;
    *ret_ratio = (double)(to->steal.value - from->steal.value) / (double)(after - before);
    return true;
}

bool cpu_time_steal_ratio_since_boot(const struct cpu_time *time, double *ret_ratio)
{
    int64_t total;
    if (!total_of(time, &total) || total <= 0)
        return false;
    *ret_ratio = (double)time->steal.value / (double)total;
    return true;
}
