/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/setting.h"

#include "base/scope.h"
#include "base/vec.h"
#include "probe/known_work.h"

struct reader {
    const struct sysroot *root;
    const struct machine *machine;
    const struct capabilities *capabilities;
    const struct cpu_time *later;
    struct arena *arena;
};

typedef vec(struct setting_write) setting_writes;

__attribute__((format(printf, 3, 4))) static void value_is(struct setting *setting, enum setting_state state,
                                                           const char *format, ...)
{
    va_list args;
    setting->state = state;
    va_start(args, format);
    vsnprintf(setting->value, sizeof(setting->value), format, args);
    va_end(args);
}

__attribute__((format(printf, 3, 4))) static void effect_is(struct setting *setting, const char *basis, const char *format,
                                                            ...)
{
    va_list args;
    setting->basis = basis;
    va_start(args, format);
    vsnprintf(setting->effect, sizeof(setting->effect), format, args);
    va_end(args);
}

static void unknown_number(struct setting *setting, const struct fact_number *fact)
{
    value_is(setting, SETTING_UNKNOWN, "unknown: %s", fact->why);
}

static void unknown_word(struct setting *setting, const struct fact_word *fact)
{
    value_is(setting, SETTING_UNKNOWN, "unknown: %s", fact->why);
}

static void write_one(struct setting *setting, const struct reader *reader, const char *path, const char *wanted,
                      const char *now)
{
    struct setting_write *write = arena_new(reader->arena, struct setting_write);
    *write = (struct setting_write){arena_string(reader->arena, path), arena_string(reader->arena, wanted),
                                    arena_string(reader->arena, now)};
    setting->writes = write;
    setting->write_count = 1;
}

static void write_number(struct setting *setting, const struct reader *reader, const char *path, int64_t wanted, int64_t now)
{
    const char *to = arena_printf(reader->arena, "%lld", (long long)wanted), *from = arena_printf(reader->arena, "%lld", (long long)now);
    write_one(setting, reader, path, to, from);
}

/* ---- clock ---------------------------------------------------------------------------------------------- */

/* One write a policy, each with its own present value. */
static void policy_writes(struct setting *setting, const struct reader *reader, const char *file, const char *wanted)
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

static void read_governor(struct setting *setting, const struct reader *reader)
{
    const struct cpu_frequency *frequency = &reader->machine->frequency;
    const struct fact_number *clock = &reader->capabilities->clock_khz;
    char measured[64] = "";
    if (clock->known)
        snprintf(measured, sizeof(measured), "; %.2f GHz while measuring", (double)clock->value / 1e6);
    if (!frequency->governor.known) {
        value_is(setting, SETTING_UNKNOWN, "unknown: %s%s", virtualisation_is_guest(&reader->machine->virtualisation)
                                                                  ? "in a guest the host governs the clock" : frequency->governor.why, measured);
        return;
    }
    bool good = fact_is(&frequency->governor, "performance") && !frequency->governor_differs;
    value_is(setting, good ? SETTING_FINE : SETTING_DISTORTS, "%s%s (%s)%s", frequency->governor.text,
             frequency->governor_differs ? " on CPU 0, others differ" : "", frequency->driver.known ? frequency->driver.text : "driver unknown", measured);
    if (good)
        return;
    int64_t low = frequency->min_khz.known ? frequency->min_khz.value : 0, high = frequency->max_khz.known ? frequency->max_khz.value : 0;
    if (low > 0 && high > low)
        effect_is(setting, "documented: Linux cpufreq", "the clock follows the load between %.1f and %.1f GHz: short runs see the ramp, up to %.1f times slower",
                  (double)low / 1e6, (double)high / 1e6, (double)high / (double)low);
    else
        effect_is(setting, "documented: Linux cpufreq", "the clock follows the load: short runs see the ramp");
    policy_writes(setting, reader, "scaling_governor", "performance");
}

static void read_energy_preference(struct setting *setting, const struct reader *reader)
{
    const struct fact_word *preference = &reader->machine->frequency.energy_preference;
    if (!preference->known) {
        unknown_word(setting, preference);
        return;
    }
    bool good = fact_is(preference, "performance") || fact_is(preference, "0");
    value_is(setting, good ? SETTING_FINE : SETTING_DISTORTS, "%s", preference->text);
    if (good)
        return;
    effect_is(setting, "documented: Linux intel_pstate, amd_pstate", "the processor may hold back the clock to save energy");
    policy_writes(setting, reader, "energy_performance_preference", "performance");
}

static void read_turbo(struct setting *setting, const struct reader *reader)
{
    const struct cpu_frequency *frequency = &reader->machine->frequency;
    if (!frequency->turbo.known) {
        unknown_number(setting, &frequency->turbo);
        return;
    }
    value_is(setting, frequency->turbo.value ? SETTING_DISTORTS : SETTING_FINE, "%s", frequency->turbo.value ? "on" : "off");
    if (!frequency->turbo.value)
        return;
    if (frequency->base_khz.known && frequency->hardware_max_khz.known && frequency->base_khz.value > 0)
        effect_is(setting, "documented: limits in cpufreq", "the clock depends on heat and on how many cores are busy: %.1f to %.1f GHz, so up to %.0f %% between runs",
                  (double)frequency->base_khz.value / 1e6, (double)frequency->hardware_max_khz.value / 1e6,
                  ((double)frequency->hardware_max_khz.value / (double)frequency->base_khz.value - 1) * 100);
    else
        effect_is(setting, "documented: Linux cpufreq", "the clock depends on heat and on how many cores are busy");
    if (frequency->turbo_control == TURBO_INTEL_PSTATE)
        write_one(setting, reader, "/sys/devices/system/cpu/intel_pstate/no_turbo", "1", "0");
    else
        write_one(setting, reader, "/sys/devices/system/cpu/cpufreq/boost", "0", "1");
}

static void read_throttling(struct setting *setting, const struct reader *reader)
{
    struct fact_number count;
    fact_number_read(&count, reader->root, "/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count");
    if (!count.known) {
        unknown_number(setting, &count);
        return;
    }
    value_is(setting, count.value ? SETTING_NOTE : SETTING_FINE, "%lld times since boot", (long long)count.value);
    if (count.value)
        effect_is(setting, "measured: the kernel's count", "the package was too hot and lowered its clock; look whether the count grows during a run");
}

static void read_clocksource(struct setting *setting, const struct reader *reader)
{
    const struct clocksource *clock = &reader->machine->clocksource;
    char cost[64] = "";
    double each_ns = 0;
    if (reader->machine->live) {
        enum { READINGS = 2000 };
        uint64_t start = known_work_clock_ns(), last = start;
        for (int at = 0; at < READINGS; at++)
            last = known_work_clock_ns();
        each_ns = (double)(last - start) / READINGS;
        snprintf(cost, sizeof(cost), ", %.0f ns a reading", each_ns);
    }
    if (!clock->current.known) {
        value_is(setting, SETTING_UNKNOWN, "unknown: %s%s", clock->current.why, cost);
        return;
    }
    bool good = clocksource_is_fast(clock);
    value_is(setting, good ? SETTING_FINE : SETTING_DISTORTS, "%s%s", clock->current.text, cost);
    if (good)
        return;
    if (each_ns > 0)
        effect_is(setting, "measured", "each clock reading costs %.0f ns and enters the kernel or a device (tsc: some 25 ns)", each_ns);
    else
        effect_is(setting, "documented: Linux timekeeping", "each clock reading enters the kernel or a device: programs that read the clock often run slower");
    if (clock->available.known && strstr(clock->available.text, "tsc"))
        write_one(setting, reader, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc", clock->current.text);
}

static void read_idle(struct setting *setting, const struct reader *reader)
{
    enum { DEEP_US = 50 };
    const struct cpu_idle *idle = &reader->machine->idle;
    if (!idle->deepest_latency_us.known) {
        unknown_number(setting, idle->state_count.known ? &idle->deepest_latency_us : &idle->state_count);
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
            arena_printf(reader->arena, "/sys/devices/system/cpu/cpu*/cpuidle/state%lld/disable", (long long)at), "1", "0"};
    }
    value_is(setting, writes.count ? SETTING_NOTE : SETTING_FINE, "leaving the deepest takes %lld us%s%s", (long long)idle->deepest_latency_us.value,
             deep[0] ? ": " : "", deep);
    if (writes.count) {
        effect_is(setting, "documented: latency in cpuidle", "a thread that waits starts up to %lld us late; nothing for a program that only computes",
                  (long long)idle->deepest_latency_us.value);
        setting->writes = arena_copy(reader->arena, writes.items, writes.count * sizeof(*writes.items));
        setting->write_count = writes.count;
    }
    vec_done(&writes);
}

/* ---- memory --------------------------------------------------------------------------------------------- */

static void read_huge_pages(struct setting *setting, const struct reader *reader)
{
    const struct huge_page *page = &reader->machine->huge_page;
    if (!page->enabled.known) {
        unknown_word(setting, &page->enabled);
        return;
    }
    value_is(setting, fact_is(&page->enabled, "madvise") ? SETTING_FINE : SETTING_NOTE, "%s; defrag %s", page->enabled.text,
             page->defrag.known ? page->defrag.text : "unknown");
    if (fact_is(&page->enabled, "always"))
        effect_is(setting, "documented: Linux transhuge", "whether memory gets huge pages depends on fragmentation and on khugepaged meanwhile: TLB misses differ between runs");
    else if (fact_is(&page->enabled, "never"))
        effect_is(setting, "documented: Linux transhuge", "no program gets huge pages unless it maps hugetlbfs: TLB-bound programs stay so");
}

static void read_numa_balancing(struct setting *setting, const struct reader *reader)
{
    const struct memory_placement *memory = &reader->machine->memory;
    size_t nodes = reader->machine->topology.node_count;
    if (!memory->numa_balancing.known) {
        unknown_number(setting, &memory->numa_balancing);
        return;
    }
    bool matters = memory->numa_balancing.value && nodes > 1;
    value_is(setting, matters ? SETTING_DISTORTS : SETTING_FINE, "%lld, %zu node%s", (long long)memory->numa_balancing.value, nodes, nodes == 1 ? "" : "s");
    if (!matters)
        return;
    effect_is(setting, "documented: Linux numa_balancing", "the kernel unmaps pages to see who uses them and moves them: extra faults, and placement that changes during a run%s",
              memory->pages_migrated.known && memory->pages_migrated.value ? " (it has moved pages since boot)" : "");
    write_number(setting, reader, "/proc/sys/kernel/numa_balancing", 0, memory->numa_balancing.value);
}

static void read_swap(struct setting *setting, const struct reader *reader)
{
    const struct memory_placement *memory = &reader->machine->memory;
    if (!memory->swap_total_kib.known || !memory->swap_free_kib.known) {
        unknown_number(setting, &memory->swap_total_kib);
        return;
    }
    int64_t used = memory->swap_total_kib.value - memory->swap_free_kib.value;
    if (!memory->swap_total_kib.value) {
        value_is(setting, SETTING_FINE, "none");
        return;
    }
    value_is(setting, used > 0 ? SETTING_DISTORTS : SETTING_FINE, "%lld of %lld MiB used", (long long)(used >> 10), (long long)(memory->swap_total_kib.value >> 10));
    if (used > 0) {
        effect_is(setting, "documented: Linux vm", "pages that were swapped out come back by major faults of some 100 us to 10 ms each");
        if (memory->swappiness.known)
            write_number(setting, reader, "/proc/sys/vm/swappiness", 1, memory->swappiness.value);
    }
}

static void read_same_page_merging(struct setting *setting, const struct reader *reader)
{
    struct fact_number run;
    fact_number_read(&run, reader->root, "/sys/kernel/mm/ksm/run");
    if (!run.known) {
        unknown_number(setting, &run);
        return;
    }
    value_is(setting, run.value == 1 ? SETTING_DISTORTS : SETTING_FINE, "%s", run.value == 1 ? "running" : "off");
    if (run.value != 1)
        return;
    effect_is(setting, "documented: Linux ksm", "a kernel thread scans memory and makes equal pages shared: writes to them fault");
    write_one(setting, reader, "/sys/kernel/mm/ksm/run", "0", "1");
}

/* ---- scheduling ----------------------------------------------------------------------------------------- */

static void read_smt(struct setting *setting, const struct reader *reader)
{
    const struct topology *topology = &reader->machine->topology;
    if (!topology->threads_per_core.known) {
        unknown_number(setting, &topology->threads_per_core);
        return;
    }
    bool active = topology->threads_per_core.value > 1;
    bool guest = virtualisation_is_guest(&reader->machine->virtualisation);
    if (!active) {
        value_is(setting, SETTING_FINE, "one thread a core%s", guest ? " as the guest sees it; what shares the core outside is invisible" : "");
        return;
    }
    value_is(setting, SETTING_DISTORTS, "%lld threads a core", (long long)topology->threads_per_core.value);
    effect_is(setting, "documented: Intel optimisation manual", "a busy sibling takes issue slots, caches and (before Ice Lake) counters: the same code can run at half speed");
    if (fact_is(&topology->smt_control, "on"))
        write_one(setting, reader, "/sys/devices/system/cpu/smt/control", "off", "on");
}

static void read_steal(struct setting *setting, const struct reader *reader)
{
    double now = 0, boot = 0;
    bool have_now = cpu_time_steal_ratio(&reader->machine->cpu_time, reader->later, &now);
    if (!cpu_time_steal_ratio_since_boot(&reader->machine->cpu_time, &boot)) {
        unknown_number(setting, &reader->machine->cpu_time.steal);
        return;
    }
    double worst = now > boot ? now : boot;
    if (have_now)
        value_is(setting, worst > 0.01 ? SETTING_DISTORTS : SETTING_FINE, "%.1f %% while measuring, %.2f %% since boot", now * 100, boot * 100);
    else
        value_is(setting, worst > 0.01 ? SETTING_DISTORTS : SETTING_FINE, "%.2f %% since boot", boot * 100);
    if (worst > 0.01)
        effect_is(setting, "measured: /proc/stat", "the host ran others on this guest's CPUs: wall time grows by that share, and caches are cold after it. Compare by CPU time, interleaved");
}

static void read_quota(struct setting *setting, const struct reader *reader)
{
    const struct cgroup_cpu *cgroup = &reader->machine->cgroup;
    if (!cgroup->version) {
        unknown_word(setting, &cgroup->path);
        return;
    }
    if (!cgroup->limited) {
        value_is(setting, SETTING_FINE, "none (cgroup v%d)", cgroup->version);
        return;
    }
    bool throttled = cgroup->throttled_periods.known && cgroup->throttled_periods.value > 0;
    value_is(setting, SETTING_DISTORTS, "%.2f CPUs by %s (cgroup v%d); throttled in %lld of %lld periods, %.1f s", cgroup->quota_cpus, cgroup->quota_path.text,
             cgroup->version, cgroup->throttled_periods.known ? (long long)cgroup->throttled_periods.value : -1,
             cgroup->periods.known ? (long long)cgroup->periods.value : -1,
             cgroup->throttled_us.known ? (double)cgroup->throttled_us.value / 1e6 : -1.0);
    effect_is(setting, throttled ? "measured: cpu.stat" : "documented: Linux cgroups",
              "when the group has used its share it stands still until the next period (%lld ms): wall time is not CPU time",
              cgroup->period_us.known ? (long long)(cgroup->period_us.value / 1000) : 100);
}

static void read_load(struct setting *setting, const struct reader *reader)
{
    const struct cpu_time *time = reader->later;
    size_t cpus = reader->machine->topology.cpu_count;
    if (!time->load_hundredths.known || !cpus) {
        unknown_number(setting, &time->load_hundredths);
        return;
    }
    double load = (double)time->load_hundredths.value / 100;
    bool busy = load > 0.3 * (double)cpus;
    value_is(setting, busy ? SETTING_DISTORTS : SETTING_FINE, "load average %.2f on %zu CPU%s", load, cpus, cpus == 1 ? "" : "s");
    if (busy)
        effect_is(setting, "measured: /proc/loadavg", "other programs compete for CPUs, caches and memory bandwidth");
}

static void read_aslr(struct setting *setting, const struct reader *reader)
{
    const struct fact_number *aslr = &reader->machine->limits.aslr;
    if (!aslr->known) {
        unknown_number(setting, aslr);
        return;
    }
    value_is(setting, aslr->value ? SETTING_NOTE : SETTING_FINE, "%s", aslr->value ? "on" : "off");
    if (!aslr->value)
        return;
    effect_is(setting, "documented: Mytkowicz et al., ASPLOS 2009 (memory layout)", "stack, heap and libraries lie elsewhere in each run: a few per cent either way. Repeated runs average it; one fixed layout hides it");
    write_number(setting, reader, "/proc/sys/kernel/randomize_va_space", 0, aslr->value);
}

static void read_mitigations(struct setting *setting, const struct reader *reader)
{
    const struct mitigations *mitigations = &reader->machine->mitigations;
    if (!mitigations->active.known) {
        unknown_number(setting, &mitigations->active);
        return;
    }
    value_is(setting, mitigations->active.value ? SETTING_NOTE : SETTING_FINE, "%lld active, %lld vulnerable%s%s", (long long)mitigations->active.value,
             (long long)mitigations->vulnerable.value, reader->machine->isolation.mitigations.known && reader->machine->isolation.mitigations.text[0] ? "; mitigations=" : "",
             reader->machine->isolation.mitigations.known ? reader->machine->isolation.mitigations.text : "");
    if (mitigations->active.value)
        effect_is(setting, "documented: Linux hw-vuln", "system calls, interrupts and indirect branches cost more. Compare only machines with the same ones");
}

/* ---- perf itself ---------------------------------------------------------------------------------------- */

static void read_watchdog(struct setting *setting, const struct reader *reader)
{
    const struct fact_number *watchdog = &reader->machine->limits.nmi_watchdog;
    if (!watchdog->known) {
        unknown_number(setting, watchdog);
        return;
    }
    bool matters = watchdog->value && pmu_find_core(&reader->machine->pmus);
    value_is(setting, matters ? SETTING_DISTORTS : SETTING_FINE, "%s%s", watchdog->value ? "on" : "off", watchdog->value && !matters ? ", with no PMU to take a counter from" : "");
    if (!matters)
        return;
    effect_is(setting, "documented: Linux lockup-watchdogs", "it may hold a counter (of cycles) on every CPU: groups that fill the PMU are never scheduled");
    write_number(setting, reader, "/proc/sys/kernel/nmi_watchdog", 0, watchdog->value);
}

static void read_sample_rate(struct setting *setting, const struct reader *reader)
{
    enum { USUAL_HZ = 100000 };
    const struct fact_number *rate = &reader->machine->limits.max_sample_rate, *percent = &reader->machine->limits.cpu_time_max_percent;
    if (!rate->known) {
        unknown_number(setting, rate);
        return;
    }
    bool lowered = rate->value < USUAL_HZ;
    value_is(setting, lowered ? SETTING_DISTORTS : SETTING_FINE, "%lld a second; perf_cpu_time_max_percent %lld", (long long)rate->value, percent->known ? (long long)percent->value : -1);
    if (!lowered)
        return;
    effect_is(setting, "measured: the kernel's own figure", "the kernel has lowered the highest sampling rate since interrupts took too long: higher frequencies are refused or throttled");
    if (percent->known && percent->value > 0 && percent->value < 100)
        write_number(setting, reader, "/proc/sys/kernel/perf_event_max_sample_rate", USUAL_HZ, rate->value);
}

static void read_paranoid(struct setting *setting, const struct reader *reader)
{
    const struct fact_number *paranoid = &reader->machine->limits.paranoid;
    if (!paranoid->known) {
        unknown_number(setting, paranoid);
        return;
    }
    bool allowed = process_has_perfmon(&reader->machine->rights);
    bool limits = paranoid->value > -1 && !allowed;
    value_is(setting, limits ? SETTING_DISTORTS : SETTING_FINE, "%lld%s", (long long)paranoid->value, allowed ? ", overridden by this process's capabilities" : "");
    if (!limits)
        return;
    static const char *const losses[] = {"raw tracepoint data", "whole CPUs (-a, -C)", "kernel mode and whole CPUs (-a, -C)", "any event"};
    effect_is(setting, "documented: perf_event_open(2)", "this process can't see %s", losses[paranoid->value < 0 ? 0 : paranoid->value > 2 ? 3 : paranoid->value]);
    write_number(setting, reader, "/proc/sys/kernel/perf_event_paranoid", -1, paranoid->value);
}

static void read_kernel_pointers(struct setting *setting, const struct reader *reader)
{
    const struct fact_number *level = &reader->machine->limits.kptr_restrict;
    if (!level->known) {
        unknown_number(setting, level);
        return;
    }
    bool hidden = level->value >= 2 || (level->value == 1 && !process_has(&reader->machine->rights, PROCESS_CAP_SYSLOG));
    value_is(setting, hidden ? SETTING_DISTORTS : SETTING_FINE, "%lld", (long long)level->value);
    if (!hidden)
        return;
    effect_is(setting, "documented: Linux sysctl kernel", "/proc/kallsyms shows zeros: kernel samples have no function names");
    write_number(setting, reader, "/proc/sys/kernel/kptr_restrict", 0, level->value);
}

/* -a and -C hold one descriptor for each event on each CPU. */
static void read_open_files(struct setting *setting, const struct reader *reader)
{
    enum { ENOUGH_EVENTS = 100 };
    const struct fact_number *soft = &reader->machine->rights.open_files_soft;
    size_t cpus = reader->machine->topology.cpu_count;
    if (!soft->known || !cpus) {
        unknown_number(setting, soft);
        return;
    }
    int64_t events = soft->value / (int64_t)cpus;
    bool few = events < ENOUGH_EVENTS;
    value_is(setting, few ? SETTING_NOTE : SETTING_FINE, "%lld: room for %lld events on all %zu CPUs", (long long)soft->value, (long long)events, cpus);
    if (few)
        effect_is(setting, "documented: getrlimit(2)", "counting more than that on all CPUs at once ends in EMFILE: ulimit -n raises it");
}

/* ---- table ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *key, *title;
    void (*read)(struct setting *setting, const struct reader *reader);
} rows[] = {
    {"governor", "frequency governor", read_governor},
    {"energy-preference", "energy preference", read_energy_preference},
    {"turbo", "turbo", read_turbo},
    {"thermal-throttling", "thermal throttling", read_throttling},
    {"idle-states", "C-states", read_idle},
    {"clocksource", "clocksource", read_clocksource},
    {"smt", "SMT", read_smt},
    {"steal", "steal", read_steal},
    {"cpu-quota", "CPU quota", read_quota},
    {"load", "other load", read_load},
    {"huge-pages", "transparent huge pages", read_huge_pages},
    {"numa-balancing", "NUMA balancing", read_numa_balancing},
    {"swap", "swap", read_swap},
    {"same-page-merging", "same-page merging", read_same_page_merging},
    {"aslr", "address randomisation", read_aslr},
    {"mitigations", "mitigations", read_mitigations},
    {"nmi-watchdog", "NMI watchdog", read_watchdog},
    {"sample-rate", "highest sampling rate", read_sample_rate},
    {"open-files", "open files", read_open_files},
    {"paranoid", "perf_event_paranoid", read_paranoid},
    {"kernel-pointers", "kptr_restrict", read_kernel_pointers},
};

void settings_read(struct settings *settings, const struct sysroot *root, const struct machine *machine,
                   const struct capabilities *capabilities, const struct cpu_time *later, struct arena *arena)
{
    const struct reader reader = {root, machine, capabilities, later, arena};
    settings->items = arena_array(arena, struct setting, array_count(rows));
    settings->count = array_count(rows);
    for (size_t at = 0; at < array_count(rows); at++) {
        settings->items[at] = (struct setting){.key = rows[at].key, .title = rows[at].title};
        rows[at].read(&settings->items[at], &reader);
    }
}

const char *setting_state_name(enum setting_state state)
{
    static const char *const names[] = {[SETTING_UNKNOWN] = "unknown", [SETTING_FINE] = "fine", [SETTING_NOTE] = "note",
                                        [SETTING_DISTORTS] = "distorts"};
    return names[state];
}

/* ---- script --------------------------------------------------------------------------------------------- */

/* In single quotes, for the shell: values come from files that a snapshot may have brought. */
static void add_quoted(struct text *out, const char *value)
{
    text_add_char(out, '\'');
    for (; *value; value++)
        if (*value == '\'')
            text_add(out, "'\\''");
        else
            text_add_char(out, *value);
    text_add_char(out, '\'');
}

/* A path is ours except for names of folders; what is not plain gets quoted, and then matches no wildcard. */
static void add_path(struct text *out, const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/_-.*";
    if (path[strspn(path, plain)])
        add_quoted(out, path);
    else
        text_add(out, path);
}

static void add_writes(const struct settings *settings, struct text *out, bool restore)
{
    bool any = false;
    for (size_t at = 0; at < settings->count; at++) {
        const struct setting *setting = &settings->items[at];
        if (setting->state != SETTING_DISTORTS || !setting->write_count)
            continue;
        text_printf(out, "    # %s\n", setting->title);
        for (size_t each = 0; each < setting->write_count; each++) {
            any = true;
            text_add(out, "    put ");
            add_quoted(out, restore ? setting->writes[each].now : setting->writes[each].wanted);
            text_add_char(out, ' ');
            add_path(out, setting->writes[each].path);
            text_add_char(out, '\n');
        }
    }
    if (!any)
        text_add(out, "    : # nothing to change\n");
}

void settings_script(const struct settings *settings, struct text *out)
{
    text_add(out, "#!/bin/sh\n"
                  "# Written by plumb doctor --script. As root: 'sh FILE set' before measuring, 'sh FILE restore' afterwards;\n"
                  "# restore puts back what was read when this was written.\n"
                  "status=0\n"
                  "put() {\n"
                  "    value=$1; shift\n"
                  "    for file; do\n"
                  "        if printf '%s\\n' \"$value\" > \"$file\"; then echo \"$file: $value\"\n"
                  "        else echo \"$file: could not be set to $value\" >&2; status=1; fi\n"
                  "    done\n"
                  "}\n"
                  "case \"${1:-}\" in\n"
                  "set)\n");
    add_writes(settings, out, false);
    text_add(out, "    ;;\nrestore)\n");
    add_writes(settings, out, true);
    text_add(out, "    ;;\n*)\n    echo \"usage: $0 set|restore\" >&2\n    exit 2\n    ;;\nesac\nexit $status\n");
    for (size_t at = 0; at < settings->count; at++) {
        const struct setting *setting = &settings->items[at];
        if (setting->state == SETTING_DISTORTS && !setting->write_count)
            text_printf(out, "# not by script: %s (%s)\n", setting->title, setting->value);
        if (setting->state == SETTING_NOTE && setting->write_count)
            text_printf(out, "# left alone: %s (%s); to change it: echo %s > %s\n", setting->title, setting->value,
                        setting->writes[0].wanted, setting->writes[0].path);
    }
}
