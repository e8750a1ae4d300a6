/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who else gets this CPU, and what each switch to the kernel costs. */
#include "probe/setting/setting_row.h"

void setting_read_smt(struct setting *setting, const struct setting_reader *reader)
{
    const struct topology *topology = &reader->machine->topology;
    if (!topology->threads_per_core.known) {
        setting_unknown_number(setting, &topology->threads_per_core);
        return;
    }
    bool active = topology->threads_per_core.value > 1;
    bool guest = virtualisation_is_guest(&reader->machine->virtualisation);
    if (!active) {
        setting_value(setting, SETTING_FINE, "one thread a core%s",
                      guest ? " as the guest sees it; what shares the core outside is invisible" : "");
        return;
    }
    setting_value(setting, SETTING_DISTORTS, "%lld threads a core", (long long)topology->threads_per_core.value);
    setting_effect(
        setting, "documented: Intel optimisation manual",
        "a busy sibling takes issue slots, caches and (before Ice Lake) counters: the same code can run at half speed");
    if (fact_is(&topology->smt_control, "on"))
        setting_write_one(setting, reader, "/sys/devices/system/cpu/smt/control", "off", "on");
}

void setting_read_steal(struct setting *setting, const struct setting_reader *reader)
{
    double now = 0, boot = 0;
    bool have_now = cpu_time_steal_ratio(&reader->machine->cpu_time, reader->later, &now);
    if (!cpu_time_steal_ratio_since_boot(&reader->machine->cpu_time, &boot)) {
        setting_unknown_number(setting, &reader->machine->cpu_time.steal);
        return;
    }
    double worst = now > boot ? now : boot;
    if (have_now)
        setting_value(setting, worst > 0.01 ? SETTING_DISTORTS : SETTING_FINE,
                      "%.1f %% while measuring, %.2f %% since boot", now * 100, boot * 100);
    else
        setting_value(setting, worst > 0.01 ? SETTING_DISTORTS : SETTING_FINE, "%.2f %% since boot", boot * 100);
    if (worst > 0.01)
        setting_effect(setting, "measured: /proc/stat",
                       "the host ran others on this guest's CPUs: wall time grows by that share, and caches are cold "
                       "after it. Compare by CPU time, interleaved");
}

void setting_read_quota(struct setting *setting, const struct setting_reader *reader)
{
    const struct cgroup_cpu *cgroup = &reader->machine->cgroup;
    if (!cgroup->version) {
        setting_unknown_word(setting, &cgroup->path);
        return;
    }
    if (!cgroup->limited) {
        setting_value(setting, SETTING_FINE, "none (cgroup v%d)", cgroup->version);
        return;
    }
    bool throttled = cgroup->throttled_periods.known && cgroup->throttled_periods.value > 0;
    setting_value(setting, SETTING_DISTORTS, "%.2f CPUs by %s (cgroup v%d); throttled in %lld of %lld periods, %.1f s",
                  cgroup->quota_cpus, cgroup->quota_path.text, cgroup->version,
                  cgroup->throttled_periods.known ? (long long)cgroup->throttled_periods.value : -1,
                  cgroup->periods.known ? (long long)cgroup->periods.value : -1,
                  cgroup->throttled_us.known ? (double)cgroup->throttled_us.value / 1e6 : -1.0);
    setting_effect(
        setting, throttled ? "measured: cpu.stat" : "documented: Linux cgroups",
        "when the group has used its share it stands still until the next period (%lld ms): wall time is not CPU time",
        cgroup->period_us.known ? (long long)(cgroup->period_us.value / 1000) : 100);
}

void setting_read_load(struct setting *setting, const struct setting_reader *reader)
{
    const struct cpu_time *time = reader->later;
    size_t cpus = reader->machine->topology.cpu_count;
    if (!time->load_hundredths.known || !cpus) {
        setting_unknown_number(setting, &time->load_hundredths);
        return;
    }
    double load = (double)time->load_hundredths.value / 100;
    bool busy = load > 0.3 * (double)cpus;
    setting_value(setting, busy ? SETTING_DISTORTS : SETTING_FINE, "load average %.2f on %zu CPU%s", load, cpus,
                  cpus == 1 ? "" : "s");
    if (busy)
        setting_effect(setting, "measured: /proc/loadavg",
                       "other programs compete for CPUs, caches and memory bandwidth");
}

void setting_read_aslr(struct setting *setting, const struct setting_reader *reader)
{
    const struct fact_number *aslr = &reader->machine->limits.aslr;
    if (!aslr->known) {
        setting_unknown_number(setting, aslr);
        return;
    }
    setting_value(setting, aslr->value ? SETTING_NOTE : SETTING_FINE, "%s", aslr->value ? "on" : "off");
    if (!aslr->value)
        return;
    setting_effect(setting, "documented: Mytkowicz et al., ASPLOS 2009 (memory layout)",
                   "stack, heap and libraries lie elsewhere in each run: a few per cent either way. Repeated runs "
                   "average it; one fixed layout hides it");
    setting_write_number(setting, reader, "/proc/sys/kernel/randomize_va_space", 0, aslr->value);
}

void setting_read_mitigations(struct setting *setting, const struct setting_reader *reader)
{
    const struct mitigations *mitigations = &reader->machine->mitigations;
    if (!mitigations->active.known) {
        setting_unknown_number(setting, &mitigations->active);
        return;
    }
    setting_value(setting, mitigations->active.value ? SETTING_NOTE : SETTING_FINE, "%lld active, %lld vulnerable%s%s",
                  (long long)mitigations->active.value, (long long)mitigations->vulnerable.value,
                  reader->machine->isolation.mitigations.known && reader->machine->isolation.mitigations.text[0]
                      ? "; mitigations="
                      : "",
                  reader->machine->isolation.mitigations.known ? reader->machine->isolation.mitigations.text : "");
    if (mitigations->active.value)
        setting_effect(
            setting, "documented: Linux hw-vuln",
            "system calls, interrupts and indirect branches cost more. Compare only machines with the same ones");
}
