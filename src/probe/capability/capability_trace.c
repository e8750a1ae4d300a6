/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tracepoints, breakpoints, user probes, BPF and single-stepping: each over something done an exact number of times. */
#include "base/clock.h"
#include "base/scope.h"
#include "base/vec.h"
#include "probe/capability/capability_row.h"
#include "probe/known_work.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/hw_breakpoint.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    SYSTEM_CALLS = 200,
    CALLS = 500,
    STEPS = 200
};

static void work_system_calls(void *context)
{
    (void)context;
    known_work_system_calls(SYSTEM_CALLS);
}

static void work_calls(void *context)
{
    (void)context;
    known_work_calls(CALLS);
}

/* ---- tracepoints ---------------------------------------------------------------------------------------- */

static void explain_no_tracefs(struct capability *capability, const struct bench *bench)
{
    scoped_text struct text known = {0};
    struct error ignored;
    bool told = sysroot_read(bench->root, &known, &ignored, "/proc/filesystems");
    bool supported = told && strstr(text_string(&known), "tracefs");
    DIR *folder = sysroot_opendir(bench->root, "/sys/kernel/tracing");
    bool refused = !folder && errno == EACCES;
    if (folder)
        closedir(folder);
    if (refused) {
        capability_blocked(capability, BLOCKER_MOUNT,
                           "/sys/kernel/tracing may be read by root only, and the events' numbers are in there");
        capability_remedy(capability, "run as root, or: sudo mount -o remount,gid=$(id -g),mode=750 "
                                      "/sys/kernel/tracing (gid=0,mode=700 takes it back)");
    } else if (supported || !told) {
        capability_blocked(capability, BLOCKER_MOUNT, "tracefs is not mounted, and the events' numbers are in there%s",
                           told ? "" : " (/proc, which tells whether the kernel has it, isn't mounted either)");
        capability_remedy(capability, "sudo mount -t tracefs nodev /sys/kernel/tracing%s",
                          bench->machine->container.kind != CONTAINER_NONE ? "; in a container: bind-mount the host's"
                                                                           : "");
    } else {
        capability_blocked(capability, BLOCKER_KERNEL_CONFIG, "the kernel has no tracefs (CONFIG_TRACING)");
        capability_remedy(capability, "needs a kernel with CONFIG_FTRACE or CONFIG_TRACING");
    }
}

void measure_tracepoint(const struct bench *bench, struct capability *capability)
{
    static const struct {
        const char *path;
        double high; /* times SYSTEM_CALLS: raw_syscalls counts the calls of the measurement itself, too */
    } events[] = {{"syscalls/sys_enter_getppid", 1.0}, {"raw_syscalls/sys_enter", 1.1}};
    const char *tracefs = sysroot_tracefs(bench->root);
    if (!tracefs) {
        explain_no_tracefs(capability, bench);
        return;
    }
    for (size_t at = 0; at < array_count(events); at++) {
        struct fact_number id;
        fact_number_read(&id, bench->root, "%s/events/%s/id", tracefs, events[at].path);
        if (!id.known)
            continue;
        struct trial trial;
        struct trial_count count;
        struct perf_event_attr attr = trial_attr(PERF_TYPE_TRACEPOINT, (uint64_t)id.value);
        attr.exclude_kernel = attr.exclude_hv = 0; /* a tracepoint fires in the kernel */
        if (!trial_measure(&trial, bench->kernel, &attr, work_system_calls, NULL, &count))
            capability_explain(capability, bench, &trial, NEED_KERNEL);
        else
            capability_judge(capability, bench, &count, SYSTEM_CALLS, SYSTEM_CALLS, SYSTEM_CALLS * events[at].high,
                             "system calls made");
        return;
    }
    if (sysroot_exists(bench->root, "%s/events/sched", tracefs)) {
        capability_blocked(
            capability, BLOCKER_KERNEL_CONFIG,
            "tracefs lists no system-call events (CONFIG_FTRACE_SYSCALLS), by which tracepoints are judged");
        capability_remedy(capability, "other tracepoints may work: plumb stat -e sched:sched_switch");
        return;
    }
    capability_blocked(capability, BLOCKER_MOUNT, "the events' numbers in %s can't be read", tracefs);
    capability_remedy(capability,
                      "run as root, or: sudo mount -o remount,gid=$(id -g),mode=750 %s (gid=0,mode=700 takes it back)",
                      tracefs);
}

/* ---- breakpoints ---------------------------------------------------------------------------------------- */

void measure_breakpoint(const struct bench *bench, struct capability *capability)
{
    struct trial trial;
    struct trial_count count;
    struct perf_event_attr attr = trial_attr(PERF_TYPE_BREAKPOINT, 0);
    attr.bp_type = HW_BREAKPOINT_X;
    attr.bp_addr = (uintptr_t)known_work_called;
#if defined(__aarch64__)
    attr.bp_len = HW_BREAKPOINT_LEN_4; /* one instruction */
#else
    attr.bp_len = sizeof(long);
#endif
    if (!trial_measure(&trial, bench->kernel, &attr, work_calls, NULL, &count)) {
        capability_explain(capability, bench, &trial, NEED_NOTHING);
        return;
    }
    capability_judge(capability, bench, &count, CALLS, CALLS, CALLS, "calls made");
}

/* ---- user probes ---------------------------------------------------------------------------------------- */

/* Where in our own file the function's first instruction lies, by /proc/self/maps. */
static bool file_offset_of(const struct sysroot *root, uint64_t runtime_addr, uint64_t *ret_offset)
{
    scoped_text struct text maps = {0};
    struct error ignored;
    if (!sysroot_read(root, &maps, &ignored, "/proc/self/maps"))
        return false;
    struct view rest = text_view(&maps), line;
    while (view_line(&rest, &line)) {
        struct view range = view_word(&line), high = range, low = view_cut(&high, '-');
        uint64_t first, end, offset;
        view_word(&line); /* permissions */
        if (view_u64(low, 16, &first) && view_u64(high, 16, &end) && view_u64(view_word(&line), 16, &offset) &&
            runtime_addr >= first && runtime_addr < end) {
            *ret_offset = runtime_addr - first + offset;
            return true;
        }
    }
    return false;
}

void measure_uprobe(const struct bench *bench, struct capability *capability)
{
    static const char own_program[] = "/proc/self/exe";
    const struct pmu *pmu = pmu_find(&bench->machine->pmus, "uprobe");
    uint64_t offset;
    if (!pmu && bench_lacks_sysfs(bench, capability, "the uprobe PMU"))
        return;
    if (!pmu || !pmu->type.known) {
        capability_blocked(capability, BLOCKER_KERNEL_CONFIG,
                           "sysfs lists no uprobe PMU (CONFIG_UPROBE_EVENTS, Linux 4.17)");
        capability_remedy(capability, "needs a kernel with CONFIG_UPROBE_EVENTS=y");
        return;
    }
    if (!file_offset_of(bench->root, (uintptr_t)known_work_called, &offset)) {
        capability_not_measured(capability,
                                "/proc/self/maps can't be read, so our own function can't be found in its file");
        return;
    }
    struct trial trial;
    struct trial_count count;
    struct perf_event_attr attr = trial_attr((uint32_t)pmu->type.value, 0);
    attr.exclude_kernel = attr.exclude_hv = 0;
    attr.uprobe_path = (uintptr_t)own_program;
    attr.probe_offset = offset;
    if (!trial_measure(&trial, bench->kernel, &attr, work_calls, NULL, &count)) {
        capability_explain(capability, bench, &trial, NEED_PROBE);
        return;
    }
    capability_judge(capability, bench, &count, CALLS, CALLS, CALLS, "calls made");
}

/* ---- BPF ------------------------------------------------------------------------------------------------ */

struct bpf_bench {
    const struct kernel *kernel;
    int map_fd, program_fd, link_fd;
};

static int bpf_call(const struct kernel *kernel, int command, union bpf_attr *attr)
{
    return kernel->bpf(kernel->context, command, attr, sizeof(*attr));
}

static void bpf_bench_done(struct bpf_bench *bpf)
{
    const int fds[] = {bpf->link_fd, bpf->program_fd, bpf->map_fd};
    for (size_t at = 0; at < array_count(fds); at++)
        if (fds[at] >= 0)
            bpf->kernel->close(bpf->kernel->context, fds[at]);
}

#define INSN(op, dst, src, offset, value)                                                                              \
    {                                                                                                                  \
        .code = (op), .dst_reg = (dst), .src_reg = (src), .off = (offset), .imm = (value)                              \
    }

/*
 * On each system call: when it is getppid, add one to the map's only element. The number is args[1] of the raw
 * tracepoint; by number and not by thread id, since in a PID namespace the program sees another id than we do.
 */
static int program_load(const struct kernel *kernel, int map_fd)
{
    const struct bpf_insn program[] = {
        INSN(BPF_LDX | BPF_MEM | BPF_DW, 6, 1, 8, 0),                 /* r6 = args[1] */
        INSN(BPF_JMP | BPF_JNE | BPF_K, 6, 0, 10, SYS_getppid),       /* another call: out */
        INSN(BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 0),                 /* key = 0 */
        INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
        INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4),               /* r2 = &key */
        INSN(BPF_LD | BPF_IMM | BPF_DW, 1, BPF_PSEUDO_MAP_FD, 0, map_fd),
        INSN(0, 0, 0, 0, 0),
        INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
        INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3, 0),                  /* no element: out */
        INSN(BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 1),
        INSN(BPF_STX | BPF_XADD | BPF_DW, 0, 1, 0, 0),                /* *r0 += 1 */
        INSN(BPF_JMP | BPF_JA, 0, 0, 0, 0),
        INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
        INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
    };
    union bpf_attr attr = {0};
    attr.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
    attr.insns = (uintptr_t)program;
    attr.insn_cnt = array_count(program);
    attr.license = (uintptr_t) "GPL";
    return bpf_call(kernel, BPF_PROG_LOAD, &attr);
}

/* Map, program, attachment; false with errno set, and *ret_step naming the call. */
static bool bpf_bench_open(struct bpf_bench *bpf, const char **ret_step)
{
    union bpf_attr attr = {0};
    attr.map_type = BPF_MAP_TYPE_ARRAY;
    attr.key_size = 4;
    attr.value_size = 8;
    attr.max_entries = 1;
    *ret_step = "BPF_MAP_CREATE";
    bpf->map_fd = bpf_call(bpf->kernel, BPF_MAP_CREATE, &attr);
    if (bpf->map_fd < 0)
        return false;
    *ret_step = "BPF_PROG_LOAD";
    bpf->program_fd = program_load(bpf->kernel, bpf->map_fd);
    if (bpf->program_fd < 0)
        return false;
    memset(&attr, 0, sizeof(attr));
    attr.raw_tracepoint.name = (uintptr_t) "sys_enter";
    attr.raw_tracepoint.prog_fd = (uint32_t)bpf->program_fd;
    *ret_step = "BPF_RAW_TRACEPOINT_OPEN";
    bpf->link_fd = bpf_call(bpf->kernel, BPF_RAW_TRACEPOINT_OPEN, &attr);
    return bpf->link_fd >= 0;
}

void measure_bpf(const struct bench *bench, struct capability *capability)
{
    struct bpf_bench bpf = {bench->kernel, -1, -1, -1};
    const char *step;
    uint32_t key = 0;
    uint64_t value = 0;
    union bpf_attr attr = {0};
    bool good = bpf_bench_open(&bpf, &step);
    if (good) {
        known_work_system_calls(SYSTEM_CALLS);
        attr.map_fd = (uint32_t)bpf.map_fd;
        attr.key = (uintptr_t)&key;
        attr.value = (uintptr_t)&value;
        step = "BPF_MAP_LOOKUP_ELEM";
        good = bpf_call(bench->kernel, BPF_MAP_LOOKUP_ELEM, &attr) == 0;
    }
    int cause = errno;
    bpf_bench_done(&bpf);
    if (!good) {
        capability_explain_errno(capability, bench, "bpf", cause, NEED_BPF);
        size_t used = strlen(capability->reason);
        snprintf(capability->reason + used, sizeof(capability->reason) - used, " (%s)", step);
        return;
    }
    fact_number_set(&capability->expected, SYSTEM_CALLS);
    fact_number_set(&capability->counted, (int64_t)value);
    if (value < SYSTEM_CALLS || value > SYSTEM_CALLS * 2) { /* above: other programs' getppid */
        capability_wrong(capability, "the program counted %llu of %d calls of getppid", (unsigned long long)value,
                         SYSTEM_CALLS);
        return;
    }
    bool btf = bench->machine->limits.btf_bytes.known;
    capability_works(capability, "a raw tracepoint program counted %llu of %d calls%s", (unsigned long long)value,
                     SYSTEM_CALLS, btf ? "; kernel types (BTF) are there" : "");
    if (!btf) {
        capability->verdict = CAPABILITY_PARTLY;
        snprintf(capability->reason, sizeof(capability->reason),
                 "no /sys/kernel/btf/vmlinux: programs that read kernel structures can't adapt");
        capability_remedy(capability, "needs a kernel with CONFIG_DEBUG_INFO_BTF=y");
    }
}

/* ---- single-stepping ------------------------------------------------------------------------------------ */

static pid_t stepped_child_start(void)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0)
        _exit(errno); /* errno values fit an exit status */
    raise(SIGSTOP);
    for (;;)
        known_work_chain(1000000);
}

/* Each step must end in a SIGTRAP stop; a child that runs away or dies is a failure. */
void measure_single_step(const struct bench *bench, struct capability *capability)
{
    scoped_child pid_t child = stepped_child_start();
    int status = 0, steps = 0;
    if (child < 0) {
        capability_not_measured(capability, "no child could be started: %s", strerror(errno));
        return;
    }
    pid_t got = waitpid(child, &status, WUNTRACED);
    if (got == child && WIFEXITED(status)) {
        child = -1;
        capability_explain_errno(capability, bench, "ptrace", WEXITSTATUS(status), NEED_PTRACE);
        return;
    }
    if (got != child || !WIFSTOPPED(status)) {
        capability_blocked(capability, BLOCKER_UNKNOWN, "the child did not stop to be traced");
        return;
    }
    uint64_t start = clock_ns(CLOCK_MONOTONIC);
    for (; steps < STEPS; steps++) {
        if (bench->kernel->ptrace(bench->kernel->context, PTRACE_SINGLESTEP, child, 0, 0) < 0) {
            capability_explain_errno(capability, bench, "ptrace", errno, NEED_PTRACE);
            return;
        }
        if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP) {
            capability_wrong(capability, "after %d steps the child stopped otherwise than by a step", steps);
            return;
        }
    }
    double each_us = (double)(clock_ns(CLOCK_MONOTONIC) - start) / 1000 / STEPS;
    capability_works(capability, "%d of %d steps, %.1f us each", steps, STEPS, each_us);
}
