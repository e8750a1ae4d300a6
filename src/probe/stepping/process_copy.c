/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/stepping/process_copy.h"

#include "base/arena.h"
#include "base/partition_point.h"
#include "base/scope.h"

#if defined(__x86_64__)

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PAGE_BYTES = 4096,
    STUB_FIRST = 0x10000,    /* above what vm.mmap_min_addr usually forbids */
    STUB_STEP = 0x1000000,
    STUB_TRIES = 64,
    CLOCK_PAGES_MOST = 8,
    FAULTS_ALIKE_MOST = 4,   /* at one page: then filling it doesn't help */
    RSEQ_UNREGISTER = 1,     /* RSEQ_FLAG_UNREGISTER of linux/rseq.h */
};

static const uint64_t USER_END = (1ull << 47) - PAGE_BYTES;
static const uint8_t stub_code[] = {0x0f, 0x05, 0xcc}; /* syscall; int3 */
static const uint8_t breakpoint = 0xcc;

static long trace(const struct process_copy *copy, int request, uint64_t address, const void *data)
{
    return copy->kernel->ptrace(copy->kernel->context, request, copy->pid, address, (uint64_t)(uintptr_t)data);
}

/* The signal that it stopped with; 0: it is gone. */
static int wait_stop(struct process_copy *copy)
{
    int status = 0;
    pid_t got;
    do
        got = waitpid(copy->pid, &status, __WALL);
    while (got < 0 && errno == EINTR);
    if (got == copy->pid && WIFSTOPPED(status))
        return WSTOPSIG(status);
    copy->pid = 0;
    return 0;
}

/* ---- the target's mappings ---- */

static int protection_of(struct view flags)
{
    int protection = 0;
    for (size_t at = 0; at < flags.length && at < 3; at++)
        protection |= flags.text[at] == 'r'   ? PROT_READ
                      : flags.text[at] == 'w' ? PROT_WRITE
                      : flags.text[at] == 'x' ? PROT_EXEC
                                              : 0;
    return protection;
}

static uint8_t clock_of(struct view rest)
{
    static const char *const names[] = {"[vdso]", "[vvar]", "[vvar_vclock]"};
    for (uint8_t at = 0; at < sizeof(names) / sizeof(names[0]); at++)
        if (view_ends(rest, names[at]))
            return (uint8_t)(at + 1);
    return 0;
}

/* "7f…-7f… r-xp 00000000 …" */
static bool area_parse(struct view line, struct copied_area *ret_area)
{
    struct view range = view_word(&line), flags = view_word(&line), from = view_cut(&range, '-');
    if (!view_u64(from, 16, &ret_area->start) || !view_u64(range, 16, &ret_area->end) ||
        ret_area->end <= ret_area->start)
        return false;
    ret_area->protection = protection_of(flags);
    ret_area->clock = clock_of(view_trim(line));
    return true;
}

static bool areas_read(struct process_copy *copy, const struct stopped_thread *thread, struct error *err)
{
    scoped_text struct text maps = {0};
    if (!sysroot_read(thread->root, &maps, err, "/proc/%d/maps", (int)thread->tid))
        return false;
    struct view rest = text_view(&maps);
    struct copied_area area;
    for (struct view line; view_line(&rest, &line);)
        if (area_parse(line, &area))
            *vec_push(&copy->areas) = area;
    return copy->areas.count || error_set(err, ERROR_NOT_FOUND, "process %d has no memory any more", (int)thread->pid);
}

static const struct copied_area *area_of(const struct process_copy *copy, uint64_t address)
{
    size_t low = partition_point(copy->areas.items, copy->areas.count, item->end <= address);
    return low < copy->areas.count && copy->areas.items[low].start <= address ? &copy->areas.items[low] : NULL;
}

/* ---- the emptied child ---- */

/* A page that neither the target nor we use. */
static bool stub_map(struct process_copy *copy)
{
    for (int at = 0; at < STUB_TRIES; at++) {
        uint64_t address = STUB_FIRST + (uint64_t)at * STUB_STEP;
        if (area_of(copy, address))
            continue;
        void *want = (void *)(uintptr_t)address; /* chosen, not ours yet */
        void *page =
            mmap(want, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (page == MAP_FAILED)
            continue;
        if (page == want) {
            memcpy(page, stub_code, sizeof(stub_code));
            copy->stub = address;
            return mprotect(page, PAGE_BYTES, PROT_READ | PROT_EXEC) == 0;
        }
        munmap(page, PAGE_BYTES);
    }
    return false;
}

static _Noreturn void child_wait(const struct process_copy *copy, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    (void)syscall(SYS_close_range, 0u, ~0u, 0u);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (copy->kernel->ptrace(copy->kernel->context, PTRACE_TRACEME, 0, 0, 0) != 0)
        _exit(errno > 0 && errno < 256 ? errno : 1);
    raise(SIGSTOP);
    _exit(1);
}

/* Let the copy make one system call of ours, its registers as they were afterwards. */
static int64_t call_inject(struct process_copy *copy, uint64_t number, const uint64_t arguments[6])
{
    struct user_regs_struct kept = {0}, call;
    if (!copy->pid || trace(copy, PTRACE_GETREGS, 0, &kept) != 0)
        return -ESRCH;
    call = kept;
    call.rip = copy->stub;
    call.rax = number;
    call.orig_rax = (uint64_t)-1;
    call.rdi = arguments[0];
    call.rsi = arguments[1];
    call.rdx = arguments[2];
    call.r10 = arguments[3];
    call.r8 = arguments[4];
    call.r9 = arguments[5];
    call.eflags &= ~UINT64_C(0x400); /* direction */
    kept.orig_rax = (uint64_t)-1;
    if (trace(copy, PTRACE_SETREGS, 0, &call) != 0 || trace(copy, PTRACE_SINGLESTEP, 0, NULL) != 0 ||
        !wait_stop(copy) || trace(copy, PTRACE_GETREGS, 0, &call) != 0)
        return -ESRCH;
    return trace(copy, PTRACE_SETREGS, 0, &kept) == 0 ? (int64_t)call.rax : -ESRCH;
}

/* Else the kernel would write there, of memory that isn't there any more. */
static void rseq_unregister(struct process_copy *copy)
{
#ifdef PTRACE_GET_RSEQ_CONFIGURATION
    struct __ptrace_rseq_configuration rseq = {0};
    if (trace(copy, PTRACE_GET_RSEQ_CONFIGURATION, sizeof(rseq), &rseq) <= 0 || !rseq.rseq_abi_pointer)
        return;
    const uint64_t arguments[6] = {rseq.rseq_abi_pointer, rseq.rseq_abi_size, RSEQ_UNREGISTER, rseq.signature};
    (void)call_inject(copy, SYS_rseq, arguments);
#else
    (void)copy;
#endif
}

/*
 * Our child's own clock pages are put where the target has its own, which can't be read from outside; the vDSO with
 * them.
 */
static bool clock_move(struct process_copy *copy, const struct copied_area *area)
{
    vec_for_each(&copy->areas, theirs) {
        if (theirs->clock != area->clock || theirs->end - theirs->start != area->end - area->start)
            continue;
        uint64_t bytes = area->end - area->start;
        const uint64_t arguments[6] = {area->start, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, theirs->start};
        return theirs->start == area->start || call_inject(copy, SYS_mremap, arguments) == (int64_t)theirs->start;
    }
    return false;
}

/* All of our child's own mappings but the stub and the clock's go. */
static bool child_empty(struct process_copy *copy, const struct stopped_thread *thread, struct error *err)
{
    scoped_text struct text maps = {0};
    struct copied_area area, clocks[CLOCK_PAGES_MOST];
    size_t clock_count = 0;
    if (!sysroot_read(thread->root, &maps, err, "/proc/%d/maps", (int)copy->pid))
        return false;
    struct view rest = text_view(&maps);
    for (struct view line; view_line(&rest, &line);) {
        if (!area_parse(line, &area) || area.start == copy->stub || area.end > USER_END + PAGE_BYTES)
            continue;
        if (area.clock && clock_count < CLOCK_PAGES_MOST) {
            clocks[clock_count++] = area;
            continue;
        }
        /* A range that the kernel seals stays; the target's page there then can't be had. */
        const uint64_t arguments[6] = {area.start, area.end - area.start};
        if (call_inject(copy, SYS_munmap, arguments) == -ESRCH)
            return error_set(err, ERROR_SYSTEM, "the copy to be stepped ended at once");
    }
    for (size_t at = 0; at < clock_count; at++) {
        const uint64_t arguments[6] = {clocks[at].start, clocks[at].end - clocks[at].start};
        if (!clock_move(copy, &clocks[at]))
            (void)call_inject(copy, SYS_munmap, arguments);
    }
    return true;
}

static bool state_write(struct process_copy *copy, const struct stopped_thread *thread, struct error *err)
{
    struct user_regs_struct registers = thread->registers;
    struct iovec state = {(void *)(uintptr_t)thread->state, thread->state_bytes};
    registers.orig_rax = (uint64_t)-1;
    if (trace(copy, PTRACE_SETREGSET, VECTOR_STATE, &state) != 0)
        return error_system(err, errno, "the copy can't take the vector registers (does it use AMX?)");
    if (trace(copy, PTRACE_SETREGS, 0, &registers) != 0)
        return error_system(err, errno, "the copy can't take the registers");
    return true;
}

static bool child_start(struct process_copy *copy, struct error *err)
{
    if (!stub_map(copy))
        return error_set(err, ERROR_LIMIT, "no free page for the copy to be stepped");
    pid_t parent = getpid();
    copy->pid = fork();
    if (copy->pid == 0)
        child_wait(copy, parent);
    int failed = errno;
    munmap((void *)(uintptr_t)copy->stub, PAGE_BYTES);
    if (copy->pid < 0) {
        copy->pid = 0;
        return error_system(err, failed, "can't start the copy to be stepped");
    }
    if (wait_stop(copy) != SIGSTOP ||
        trace(copy, PTRACE_SETOPTIONS, 0, (const void *)(uintptr_t)PTRACE_O_EXITKILL) != 0)
        return error_set(err, ERROR_PERMISSION, "ptrace is refused here (seccomp, or kernel.yama.ptrace_scope is 3)");
    scoped_free char *path = memory_printf("/proc/%d/mem", (int)copy->pid);
    copy->memory_fd = open(path, O_RDWR | O_CLOEXEC);
    return copy->memory_fd >= 0 || error_system(err, errno, "can't open '%s'", path);
}

bool process_copy_make(struct process_copy *copy, const struct stopped_thread *thread, struct error *err)
{
    *copy = (struct process_copy){.kernel = thread->kernel, .target = thread->tid, .memory_fd = -1};
    if (!areas_read(copy, thread, err) || !child_start(copy, err)) {
        process_copy_done(copy);
        return false;
    }
    rseq_unregister(copy);
    if (child_empty(copy, thread, err) && state_write(copy, thread, err))
        return true;
    process_copy_done(copy);
    return false;
}

/* ---- its pages ---- */

static size_t target_read(const struct process_copy *copy, uint64_t address, void *bytes, size_t count)
{
    struct iovec here = {bytes, count}, there = {(void *)(uintptr_t)address, count};
    ssize_t got = process_vm_readv(copy->target, &here, 1, &there, 1, 0);
    return got > 0 ? (size_t)got : 0;
}

static bool page_fill(struct process_copy *copy, uint64_t address)
{
    uint8_t page[PAGE_BYTES];
    uint64_t start = address & ~(uint64_t)(PAGE_BYTES - 1);
    const struct copied_area *area = area_of(copy, address);
    if (!area || target_read(copy, start, page, sizeof(page)) != sizeof(page))
        return false;
    const uint64_t arguments[6] = {start, PAGE_BYTES, (uint64_t)area->protection | PROT_READ,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, (uint64_t)-1, 0};
    if (call_inject(copy, SYS_mmap, arguments) != (int64_t)start)
        return false;
    copy->pages++;
    return pwrite(copy->memory_fd, page, sizeof(page), (off_t)start) == sizeof(page);
}

/* It stopped for a page that it doesn't have yet, and has it now. */
static bool fault_serve(struct process_copy *copy)
{
    siginfo_t info;
    if (trace(copy, PTRACE_GETSIGINFO, 0, &info) != 0 || info.si_code != SEGV_MAPERR)
        return false;
    uint64_t page = (uint64_t)(uintptr_t)info.si_addr & ~(uint64_t)(PAGE_BYTES - 1);
    copy->fault_repeats = page == copy->last_fault ? copy->fault_repeats + 1 : 0;
    copy->last_fault = page;
    return copy->fault_repeats < FAULTS_ALIKE_MOST && page_fill(copy, page);
}

static enum copy_stop run(struct process_copy *copy, int request)
{
    for (;;) {
        if (!copy->pid || trace(copy, request, 0, NULL) != 0)
            return COPY_GONE;
        int signal = wait_stop(copy);
        if (signal == SIGTRAP)
            return COPY_STEPPED;
        if (signal == 0)
            return COPY_GONE;
        /* Signals from outside (a terminal's) aren't the copy's business. */
        if (signal == SIGSEGV && !fault_serve(copy))
            return COPY_FAULTED;
        if (signal == SIGFPE || signal == SIGILL || signal == SIGBUS || signal == SIGABRT)
            return COPY_SIGNALLED;
    }
}

enum copy_stop process_copy_step(struct process_copy *copy)
{
    return run(copy, PTRACE_SINGLESTEP);
}

bool process_copy_ip(struct process_copy *copy, uint64_t *ret_ip)
{
    return trace(copy, PTRACE_PEEKUSER, offsetof(struct user_regs_struct, rip), ret_ip) == 0;
}

size_t process_copy_read(struct process_copy *copy, uint64_t address, void *bytes, size_t count)
{
    /* What the copy wrote counts for the copy; what it never touched is the target's. */
    ssize_t got = pread(copy->memory_fd, bytes, count, (off_t)address);
    size_t have = got > 0 ? (size_t)got : 0;
    return have == count ? have : have + target_read(copy, address + have, (uint8_t *)bytes + have, count - have);
}

enum copy_stop process_copy_run_to(struct process_copy *copy, uint64_t address)
{
    uint8_t kept;
    if (pread(copy->memory_fd, &kept, 1, (off_t)address) != 1 ||
        pwrite(copy->memory_fd, &breakpoint, 1, (off_t)address) != 1)
        return process_copy_step(copy); /* its page isn't there yet */
    enum copy_stop stop = run(copy, PTRACE_CONT);
    if (!copy->pid)
        return stop;
    bool restored = pwrite(copy->memory_fd, &kept, 1, (off_t)address) == 1;
    if (stop != COPY_STEPPED)
        return stop;
    return restored && trace(copy, PTRACE_POKEUSER, offsetof(struct user_regs_struct, rip),
                             (const void *)(uintptr_t)address) == 0
               ? COPY_STEPPED
               : COPY_GONE;
}

void process_copy_done(struct process_copy *copy)
{
    if (copy->pid > 0) {
        kill(copy->pid, SIGKILL);
        while (copy->pid > 0)
            (void)wait_stop(copy);
    }
    if (copy->memory_fd >= 0)
        close(copy->memory_fd);
    copy->memory_fd = -1;
    vec_done(&copy->areas);
}

#endif
