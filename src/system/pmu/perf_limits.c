/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/pmu/perf_limits.h"

#include "base/scope.h"
#include "base/vec.h"

#include <sys/stat.h>

static void btf_read(struct fact_number *fact, const struct sysroot *root)
{
    struct stat status;
    scoped_fd int fd = sysroot_open(root, "/sys/kernel/btf/vmlinux");
    fact_number_read(fact, root, "/plumb/btf_bytes");
    if (fact->known)
        return;
    if (fd >= 0 && fstat(fd, &status) == 0)
        fact_number_set(fact, status.st_size);
    else
        fact_number_absent(fact, "'/sys/kernel/btf/vmlinux' isn't there (CONFIG_DEBUG_INFO_BTF)");
}

void perf_limits_read(struct perf_limits *limits, const struct sysroot *root)
{
    const struct {
        struct fact_number *fact;
        const char *path;
    } numbers[] = {
        {&limits->paranoid, "/proc/sys/kernel/perf_event_paranoid"},
        {&limits->mlock_kib, "/proc/sys/kernel/perf_event_mlock_kb"},
        {&limits->max_sample_rate, "/proc/sys/kernel/perf_event_max_sample_rate"},
        {&limits->cpu_time_max_percent, "/proc/sys/kernel/perf_cpu_time_max_percent"},
        {&limits->max_stack, "/proc/sys/kernel/perf_event_max_stack"},
        {&limits->max_contexts_per_stack, "/proc/sys/kernel/perf_event_max_contexts_per_stack"},
        {&limits->kptr_restrict, "/proc/sys/kernel/kptr_restrict"},
        {&limits->unprivileged_bpf_disabled, "/proc/sys/kernel/unprivileged_bpf_disabled"},
        {&limits->bpf_jit_enable, "/proc/sys/net/core/bpf_jit_enable"},
        {&limits->ptrace_scope, "/proc/sys/kernel/yama/ptrace_scope"},
        {&limits->nmi_watchdog, "/proc/sys/kernel/nmi_watchdog"},
        {&limits->aslr, "/proc/sys/kernel/randomize_va_space"},
    };
    *limits = (struct perf_limits){0};
    for (size_t at = 0; at < array_count(numbers); at++)
        fact_number_read(numbers[at].fact, root, "%s", numbers[at].path);
    fact_word_read_choice(&limits->lockdown, root, "/sys/kernel/security/lockdown");
    fact_word_read(&limits->kernel_release, root, "/proc/sys/kernel/osrelease");
    fact_word_read(&limits->rdpmc, root, "/sys/bus/event_source/devices/cpu/rdpmc");
    btf_read(&limits->btf_bytes, root);
    const char *tracefs = sysroot_tracefs(root);
    if (tracefs)
        fact_word_set(&limits->tracefs, view_of(tracefs));
    else
        fact_word_absent(&limits->tracefs, "no 'events' folder in /sys/kernel/tracing or /sys/kernel/debug/tracing");
}
