/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings of the clock: who governs it, how far it goes, what it is read from. */
#include "base/clock.h"
#include "base/scope.h"
#include "base/vec.h"
#include "probe/known_work.h"
#include "probe/setting/setting_row.h"

typedef vec(struct setting_write) setting_writes;

/* One write a policy, each with its own present value. */
static void policy_writes(struct setting *setting, const struct setting_reader *reader, const char *file,
                          const char *wanted)
{
    setting_writes writes = {0};
    scoped_dir DIR *folder = sysroot_opendir(reader->root, "/sys/devices/system/cpu/cpufreq");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char now[64];
        if (!view_starts(view_of(entry->d_name), "policy") ||
            !sysroot_line(reader->root, now, sizeof(now), "/sys/devices/system/cpu/cpufreq/%s/%s", entry->d_name, file))
            continue;
        *vec_push(&writes) = (struct setting_write){
            arena_printf(reader->arena, "/sys/devices/system/cpu/cpufreq/%s/%s", entry->d_name, file), wanted,
            arena_string(reader->arena, now)};
    }
    bool same = true;
    for (size_t at = 1; at < writes.count; at++)
        same = same && strcmp(writes.items[at].now, writes.items[0].now) == 0;
    if (writes.count && same) { /* one line instead of hundreds */
        writes.items[0].path = arena_printf(reader->arena, "/sys/devices/system/cpu/cpufreq/policy*/%s", file);
        writes.count = 1;
    }
    if (writes.count)
        setting->writes = arena_copy(reader->arena, writes.items, writes.count * sizeof(*writes.items));
    setting->write_count = writes.count;
    vec_done(&writes);
}

void setting_read_governor(struct setting *setting, const struct setting_reader *reader)
{
    const struct cpu_frequency *frequency = &reader->machine->frequency;
    const struct fact_number *clock = &reader->capabilities->clock_khz;
    char measured[64] = "";
    if (clock->known)
        snprintf(measured, sizeof(measured), "; %.2f GHz while measuring", (double)clock->value / 1e6);
    if (!frequency->governor.known) {
        setting_value(setting, SETTING_UNKNOWN, "unknown: %s%s",
                      virtualisation_is_guest(&reader->machine->virtualisation)
                          ? "in a guest the host governs the clock"
                          : frequency->governor.why,
                      measured);
        return;
    }
    bool good = fact_is(&frequency->governor, "performance") && !frequency->governor_differs;
    setting_value(setting, good ? SETTING_FINE : SETTING_DISTORTS, "%s%s (%s)%s", frequency->governor.text,
                  frequency->governor_differs ? " on CPU 0, others differ" : "",
                  frequency->driver.known ? frequency->driver.text : "driver unknown", measured);
    if (good)
        return;
    int64_t low = frequency->min_khz.known ? frequency->min_khz.value : 0,
            high = frequency->max_khz.known ? frequency->max_khz.value : 0;
    if (low > 0 && high > low)
        setting_effect(
            setting, "documented: Linux cpufreq",
            "the clock follows the load between %.1f and %.1f GHz: short runs see the ramp, up to %.1f times slower",
            (double)low / 1e6, (double)high / 1e6, (double)high / (double)low);
    else
        setting_effect(setting, "documented: Linux cpufreq", "the clock follows the load: short runs see the ramp");
    policy_writes(setting, reader, "scaling_governor", "performance");
}

void setting_read_energy_preference(struct setting *setting, const struct setting_reader *reader)
{
    const struct fact_word *preference = &reader->machine->frequency.energy_preference;
    if (!preference->known) {
        setting_unknown_word(setting, preference);
        return;
    }
    bool good = fact_is(preference, "performance") || fact_is(preference, "0");
    setting_value(setting, good ? SETTING_FINE : SETTING_DISTORTS, "%s", preference->text);
    if (good)
        return;
    setting_effect(setting, "documented: Linux intel_pstate, amd_pstate",
                   "the processor may hold back the clock to save energy");
    policy_writes(setting, reader, "energy_performance_preference", "performance");
}

void setting_read_turbo(struct setting *setting, const struct setting_reader *reader)
{
    const struct cpu_frequency *frequency = &reader->machine->frequency;
    if (!frequency->turbo.known) {
        setting_unknown_number(setting, &frequency->turbo);
        return;
    }
    setting_value(setting, frequency->turbo.value ? SETTING_DISTORTS : SETTING_FINE, "%s",
                  frequency->turbo.value ? "on" : "off");
    if (!frequency->turbo.value)
        return;
    if (frequency->base_khz.known && frequency->hardware_max_khz.known && frequency->base_khz.value > 0)
        setting_effect(
            setting, "documented: limits in cpufreq",
            "the clock depends on heat and on how many cores are busy: %.1f to %.1f GHz, so up to %.0f %% between runs",
            (double)frequency->base_khz.value / 1e6, (double)frequency->hardware_max_khz.value / 1e6,
            ((double)frequency->hardware_max_khz.value / (double)frequency->base_khz.value - 1) * 100);
    else
        setting_effect(setting, "documented: Linux cpufreq",
                       "the clock depends on heat and on how many cores are busy");
    if (frequency->turbo_control == TURBO_INTEL_PSTATE)
        setting_write_one(setting, reader, "/sys/devices/system/cpu/intel_pstate/no_turbo", "1", "0");
    else
        setting_write_one(setting, reader, "/sys/devices/system/cpu/cpufreq/boost", "0", "1");
}

void setting_read_throttling(struct setting *setting, const struct setting_reader *reader)
{
    struct fact_number count;
    fact_number_read(&count, reader->root, "/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count");
    if (!count.known) {
        setting_unknown_number(setting, &count);
        return;
    }
    setting_value(setting, count.value ? SETTING_NOTE : SETTING_FINE, "%lld times since boot", (long long)count.value);
    if (count.value)
        setting_effect(setting, "measured: the kernel's count",
                       "the package was too hot and lowered its clock; look whether the count grows during a run");
}

void setting_read_clocksource(struct setting *setting, const struct setting_reader *reader)
{
    const struct clocksource *clock = &reader->machine->clocksource;
    char cost[64] = "";
    double each_ns = 0;
    if (reader->machine->live) {
        enum { READINGS = 2000 };
        uint64_t start = clock_ns(CLOCK_MONOTONIC), last = start;
        for (int at = 0; at < READINGS; at++)
            last = clock_ns(CLOCK_MONOTONIC);
        each_ns = (double)(last - start) / READINGS;
        snprintf(cost, sizeof(cost), ", %.0f ns a reading", each_ns);
    }
    if (!clock->current.known) {
        setting_value(setting, SETTING_UNKNOWN, "unknown: %s%s", clock->current.why, cost);
        return;
    }
    bool good = clocksource_is_fast(clock);
    setting_value(setting, good ? SETTING_FINE : SETTING_DISTORTS, "%s%s", clock->current.text, cost);
    if (good)
        return;
    if (each_ns > 0)
        setting_effect(setting, "measured",
                       "each clock reading costs %.0f ns and enters the kernel or a device (tsc: some 25 ns)", each_ns);
    else
        setting_effect(
            setting, "documented: Linux timekeeping",
            "each clock reading enters the kernel or a device: programs that read the clock often run slower");
    if (clock->available.known && strstr(clock->available.text, "tsc"))
        setting_write_one(setting, reader, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc",
                          clock->current.text);
}

void setting_read_idle(struct setting *setting, const struct setting_reader *reader)
{
    enum { DEEP_US = 50 };
    const struct cpu_idle *idle = &reader->machine->idle;
    if (!idle->deepest_latency_us.known) {
        setting_unknown_number(setting, idle->state_count.known ? &idle->deepest_latency_us : &idle->state_count);
        return;
    }
    setting_writes writes = {0};
    char deep[100] = "";
    for (int64_t at = 0; at < idle->state_count.value; at++) {
        const struct idle_state *state = &idle->states[at];
        size_t used = strlen(deep);
        if (state->disabled || state->latency_us <= DEEP_US)
            continue;
        snprintf(deep + used, sizeof(deep) - used, "%s%s", used ? " " : "", state->name);
        *vec_push(&writes) = (struct setting_write){
            arena_printf(reader->arena, "/sys/devices/system/cpu/cpu*/cpuidle/state%lld/disable", (long long)at), "1",
            "0"};
    }
    setting_value(setting, writes.count ? SETTING_NOTE : SETTING_FINE, "leaving the deepest takes %lld us%s%s",
                  (long long)idle->deepest_latency_us.value, deep[0] ? ": " : "", deep);
    if (writes.count) {
        setting_effect(setting, "documented: latency in cpuidle",
                       "a thread that waits starts up to %lld us late; nothing for a program that only computes",
                       (long long)idle->deepest_latency_us.value);
        setting->writes = arena_copy(reader->arena, writes.items, writes.count * sizeof(*writes.items));
        setting->write_count = writes.count;
    }
    vec_done(&writes);
}
