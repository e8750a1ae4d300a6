/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings that bound what perf events may see. */
#include "probe/setting/setting_row.h"

void setting_read_watchdog(struct setting *setting, const struct setting_reader *reader)
{
    const struct fact_number *watchdog = &reader->machine->limits.nmi_watchdog;
    if (!watchdog->known) {
        setting_unknown_number(setting, watchdog);
        return;
    }
    bool matters = watchdog->value && pmu_find_core(&reader->machine->pmus);
    setting_value(setting, matters ? SETTING_DISTORTS : SETTING_FINE, "%s%s", watchdog->value ? "on" : "off",
                  watchdog->value && !matters ? ", with no PMU to take a counter from" : "");
    if (!matters)
        return;
    setting_effect(setting, "documented: Linux lockup-watchdogs",
                   "it may hold a counter (of cycles) on every CPU: groups that fill the PMU are never scheduled");
    setting_write_number(setting, reader, "/proc/sys/kernel/nmi_watchdog", 0, watchdog->value);
}

void setting_read_sample_rate(struct setting *setting, const struct setting_reader *reader)
{
    enum { USUAL_HZ = 100000 };
    const struct fact_number *rate = &reader->machine->limits.max_sample_rate,
                             *percent = &reader->machine->limits.cpu_time_max_percent;
    if (!rate->known) {
        setting_unknown_number(setting, rate);
        return;
    }
    bool lowered = rate->value < USUAL_HZ;
    setting_value(setting, lowered ? SETTING_DISTORTS : SETTING_FINE, "%lld a second; perf_cpu_time_max_percent %lld",
                  (long long)rate->value, percent->known ? (long long)percent->value : -1);
    if (!lowered)
        return;
    setting_effect(setting, "measured: the kernel's own figure",
                   "the kernel has lowered the highest sampling rate since interrupts took too long: higher "
                   "frequencies are refused or throttled");
    if (percent->known && percent->value > 0 && percent->value < 100)
        setting_write_number(setting, reader, "/proc/sys/kernel/perf_event_max_sample_rate", USUAL_HZ, rate->value);
}

void setting_read_paranoid(struct setting *setting, const struct setting_reader *reader)
{
    const struct fact_number *paranoid = &reader->machine->limits.paranoid;
    if (!paranoid->known) {
        setting_unknown_number(setting, paranoid);
        return;
    }
    bool allowed = process_has_perfmon(&reader->machine->rights);
    bool limits = paranoid->value > -1 && !allowed;
    setting_value(setting, limits ? SETTING_DISTORTS : SETTING_FINE, "%lld%s", (long long)paranoid->value,
                  allowed ? ", overridden by this process's capabilities" : "");
    if (!limits)
        return;
    static const char *const losses[] = {"raw tracepoint data", "whole CPUs (-a, -C)",
                                         "kernel mode and whole CPUs (-a, -C)", "any event"};
    setting_effect(setting, "documented: perf_event_open(2)", "this process can't see %s",
                   losses[paranoid->value < 0   ? 0
                          : paranoid->value > 2 ? 3
                                                : paranoid->value]);
    setting_write_number(setting, reader, "/proc/sys/kernel/perf_event_paranoid", -1, paranoid->value);
}

void setting_read_kernel_pointers(struct setting *setting, const struct setting_reader *reader)
{
    const struct fact_number *level = &reader->machine->limits.kptr_restrict;
    if (!level->known) {
        setting_unknown_number(setting, level);
        return;
    }
    bool hidden =
        level->value >= 2 || (level->value == 1 && !process_has(&reader->machine->rights, PROCESS_CAP_SYSLOG));
    setting_value(setting, hidden ? SETTING_DISTORTS : SETTING_FINE, "%lld", (long long)level->value);
    if (!hidden)
        return;
    setting_effect(setting, "documented: Linux sysctl kernel",
                   "/proc/kallsyms shows zeros: kernel samples have no function names");
    setting_write_number(setting, reader, "/proc/sys/kernel/kptr_restrict", 0, level->value);
}

/* -a and -C hold one descriptor for each event on each CPU. */
void setting_read_open_files(struct setting *setting, const struct setting_reader *reader)
{
    enum { ENOUGH_EVENTS = 100 };
    const struct fact_number *soft = &reader->machine->rights.open_files_soft;
    size_t cpus = reader->machine->topology.cpu_count;
    if (!soft->known || !cpus) {
        setting_unknown_number(setting, soft);
        return;
    }
    int64_t events = soft->value / (int64_t)cpus;
    bool few = events < ENOUGH_EVENTS;
    setting_value(setting, few ? SETTING_NOTE : SETTING_FINE, "%lld: room for %lld events on all %zu CPUs",
                  (long long)soft->value, (long long)events, cpus);
    if (few)
        setting_effect(setting, "documented: getrlimit(2)",
                       "counting more than that on all CPUs at once ends in EMFILE: ulimit -n raises it");
}
