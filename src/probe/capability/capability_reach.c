/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far measuring reaches: all CPUs, another process, a control group, the kernel's names. */
#include "base/clock.h"
#include "base/scope.h"
#include "base/vec.h"
#include "probe/capability/capability_row.h"
#include "probe/known_work.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    SPIN_NS = 5000000,
    TOUCHED_PAGES = 128,
    CPUS_MOST = 4096
};

static void spin(uint64_t duration_ns)
{
    uint64_t until = clock_ns(CLOCK_MONOTONIC) + duration_ns;
    while (clock_ns(CLOCK_MONOTONIC) < until)
        known_work_chain(10000);
}

/* cpu-clock on every online CPU at once: each must have ticked for about the time that passed. */
void measure_system_wide(const struct bench *bench, struct capability *capability)
{
    const struct topology *topology = &bench->machine->topology;
    size_t cpus = topology->cpu_count && topology->cpu_count < CPUS_MOST ? topology->cpu_count : 1;
    scoped_free struct trial *trials = memory_alloc(memory_product(cpus, sizeof(*trials)));
    struct perf_event_attr attr = trial_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
    size_t opened = 0, ticking = 0;
    bool good = true;
    for (; opened < cpus && good; opened += good) {
        struct trial_target target = {
            .pid = -1, .cpu = topology->cpu_count ? topology->cpus[opened].cpu : 0, .group_fd = -1};
        good = trial_open(&trials[opened], bench->kernel, &attr, &target) && trial_start(&trials[opened]);
    }
    if (!good)
        capability_explain(capability, bench, &trials[opened], NEED_ALL_CPUS);
    uint64_t start = clock_ns(CLOCK_MONOTONIC);
    if (good)
        spin(SPIN_NS);
    double passed = (double)(clock_ns(CLOCK_MONOTONIC) - start);
    for (size_t at = 0; at < opened && good; at++) {
        struct trial_count count;
        bool read = trial_stop(&trials[at]) && trial_read(&trials[at], &count);
        ticking += read && (double)count.value > passed * 0.8 && (double)count.value < passed * 2 + 1e8;
    }
    for (size_t at = 0; at < opened + !good && at < cpus; at++)
        trial_done(&trials[at]);
    if (!good)
        return;
    if (ticking == cpus)
        capability_works(capability, "cpu-clock ticked on all %zu CPUs", cpus);
    else
        capability_wrong(capability, "cpu-clock ticked on %zu of %zu CPUs", ticking, cpus);
}

/* A child that waits for a byte, touches pages, and ends. */
static pid_t paging_child_start(int *ret_release_fd)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        char byte;
        close(ends[1]);
        if (read(ends[0], &byte, 1) == 1)
            known_work_touch_pages(TOUCHED_PAGES);
        _exit(0);
    }
    close(ends[0]);
    if (pid < 0)
        close(ends[1]);
    else
        *ret_release_fd = ends[1];
    return pid;
}

void measure_other_process(const struct bench *bench, struct capability *capability)
{
    scoped_fd int release_fd = -1;
    scoped_child pid_t child = paging_child_start(&release_fd);
    if (child < 0) {
        capability_not_measured(capability, "no child could be started: %s", strerror(errno));
        return;
    }
    struct trial trial;
    struct trial_count count = {0};
    struct trial_target target = {.pid = child, .cpu = -1, .group_fd = -1};
    struct perf_event_attr attr = trial_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
    bool good = trial_open(&trial, bench->kernel, &attr, &target) && trial_start(&trial);
    if (good) {
        good = write(release_fd, "x", 1) == 1;
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
        child = -1;
        good = good && trial_stop(&trial) && trial_read(&trial, &count);
    }
    trial_done(&trial);
    if (!good) {
        capability_explain(capability, bench, &trial, NEED_NOTHING);
        return;
    }
    /* the child also writes to pages that it shared with us until then */
    capability_judge(capability, bench, &count, TOUCHED_PAGES, TOUCHED_PAGES, TOUCHED_PAGES + 2000,
                     "pages touched by a child");
    if (capability->verdict == CAPABILITY_WORKS && bench->machine->rights.capabilities.known &&
        !process_has(&bench->machine->rights, PROCESS_CAP_SYS_PTRACE) &&
        !process_has_perfmon(&bench->machine->rights)) {
        capability->verdict = CAPABILITY_PARTLY;
        snprintf(capability->reason, sizeof(capability->reason),
                 "other users' processes need CAP_PERFMON or CAP_SYS_PTRACE");
        capability_remedy(capability, "run as root or as the process's own user");
    }
}

/* ---- control groups ------------------------------------------------------------------------------------- */

/* The mount that perf's groups are named by: v1's perf_event hierarchy, else v2. */
static bool perf_cgroup_mount(const struct sysroot *root, char *point, size_t point_size)
{
    scoped_text struct text file = {0};
    struct error ignored;
    bool found = false;
    if (!sysroot_read(root, &file, &ignored, "/proc/self/mountinfo"))
        return false;
    struct view rest = text_view(&file), line;
    while (view_line(&rest, &line)) {
        ptrdiff_t dash = view_find(line, " - ");
        if (dash < 0)
            continue;
        struct view tail = view_skip(line, (size_t)dash + 3), type = view_word(&tail);
        bool v1 = view_equal(type, "cgroup") && view_find(tail, "perf_event") >= 0;
        if (!v1 && (found || !view_equal(type, "cgroup2")))
            continue;
        for (int field = 0; field < 4; field++)
            view_word(&line);
        struct view place = view_word(&line);
        snprintf(point, point_size, "%.*s", (int)place.length, place.text);
        found = true;
        if (v1)
            return true;
    }
    return found;
}

/* The root group of the hierarchy holds every process, this one too: its cpu-clock must tick while we spin. */
void measure_cgroup(const struct bench *bench, struct capability *capability)
{
    char point[512];
    if (!perf_cgroup_mount(bench->root, point, sizeof(point))) {
        capability_blocked(capability, BLOCKER_CGROUP,
                           "neither a perf_event hierarchy (cgroup v1) nor cgroup v2 is mounted");
        capability_remedy(capability, "sudo mount -t cgroup2 none /sys/fs/cgroup");
        return;
    }
    scoped_fd int folder = sysroot_open(bench->root, "%s", point);
    if (folder < 0) {
        capability_blocked(capability, BLOCKER_CGROUP, "'%s' can't be opened: %s", point, strerror(errno));
        return;
    }
    const struct topology *topology = &bench->machine->topology;
    size_t cpus = topology->cpu_count && topology->cpu_count < CPUS_MOST ? topology->cpu_count : 1, opened = 0;
    scoped_free struct trial *trials = memory_alloc(memory_product(cpus, sizeof(*trials)));
    struct perf_event_attr attr = trial_attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
    bool good = true;
    for (; opened < cpus && good; opened += good) {
        struct trial_target target = {folder, topology->cpu_count ? topology->cpus[opened].cpu : 0, -1,
                                      PERF_FLAG_PID_CGROUP};
        good = trial_open(&trials[opened], bench->kernel, &attr, &target) && trial_start(&trials[opened]);
    }
    if (!good && trials[opened].sys_errno == EBADF)
        capability_blocked(capability, BLOCKER_KERNEL_CONFIG,
                           "the kernel knows no perf control group there (CONFIG_CGROUP_PERF)");
    else if (!good)
        capability_explain(capability, bench, &trials[opened], NEED_ALL_CPUS);
    uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (good)
        spin(SPIN_NS);
    double spent = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - start), counted = 0;
    for (size_t at = 0; at < opened && good; at++) {
        struct trial_count count;
        if (trial_stop(&trials[at]) && trial_read(&trials[at], &count))
            counted += (double)count.value;
    }
    for (size_t at = 0; at < opened + !good && at < cpus; at++)
        trial_done(&trials[at]);
    if (!good)
        return;
    if (counted >= spent * 0.5)
        capability_works(capability, "the group at %.60s ticked %.1f ms while this thread ran %.1f ms", point,
                         counted / 1e6, spent / 1e6);
    else
        capability_wrong(capability, "the group at %.60s ticked %.1f ms while this thread ran %.1f ms", point,
                         counted / 1e6, spent / 1e6);
}

/* ---- kernel symbols ------------------------------------------------------------------------------------- */

/* kptr_restrict shows zeros, and a container may show an empty file: only a real address counts. */
void measure_kernel_symbols(const struct bench *bench, struct capability *capability)
{
    char buffer[4096];
    scoped_fd int fd = sysroot_open(bench->root, "/proc/kallsyms");
    ssize_t got = fd < 0 ? -1 : read(fd, buffer, sizeof(buffer));
    if (got < 0) {
        capability->sys_errno = errno;
        capability_blocked(capability, BLOCKER_KERNEL_CONFIG, "'/proc/kallsyms' can't be read: %s", strerror(errno));
        capability_remedy(capability, "needs CONFIG_KALLSYMS=y and a /proc that shows it; kernel samples stay unnamed");
        return;
    }
    struct view rest = {buffer, (size_t)got}, line;
    unsigned lines = 0, addresses = 0;
    while (view_line(&rest, &line)) {
        uint64_t addr;
        lines++;
        addresses += view_u64(view_word(&line), 16, &addr) && addr > UINT64_C(0x100000);
    }
    if (addresses) {
        capability_works(capability, "/proc/kallsyms shows addresses");
        return;
    }
    capability_blocked(capability, BLOCKER_CAPABILITY,
                       lines ? "/proc/kallsyms shows zeros instead of addresses" : "/proc/kallsyms is empty");
    const struct fact_number *restrict_level = &bench->machine->limits.kptr_restrict;
    if (restrict_level->known && restrict_level->value >= 2)
        capability_remedy(capability, "sudo sysctl kernel.kptr_restrict=1, and run as root or with CAP_SYSLOG");
    else
        capability_remedy(capability, "run as root or with CAP_SYSLOG (kernel.kptr_restrict is %lld)",
                          restrict_level->known ? (long long)restrict_level->value : -1);
}
