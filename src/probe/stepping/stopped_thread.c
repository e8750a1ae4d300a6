/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/stepping/stopped_thread.h"

#include "base/clock.h"
#include "base/scope.h"
#include "system/pmu/process_wall.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)

enum {
    CODE_64_BIT = 0x33, /* the segment of 64-bit user code */
    SYSCALL_BYTES = 2,
    WAIT_FIRST_NS = 20000,
    WAIT_LONGEST_NS = 5000000,
    WAIT_MOST_NS = 500000000,
};

/* Results by which the kernel begins a call again, by itself, when no handler runs; from its include/linux/errno.h. */
enum {
    RESTART_SYS = -512,
    RESTART_NO_INTR = -513,
    RESTART_NO_HAND = -514,
    RESTART_BLOCK = -516,
};

static long trace(const struct stopped_thread *thread, int request, uint64_t address, uint64_t data)
{
    return thread->kernel->ptrace(thread->kernel->context, request, thread->tid, address, data);
}

static bool is_our_child(const struct stopped_thread *thread)
{
    scoped_text struct text status = {0};
    struct error ignored;
    uint64_t parent = 0;
    if (thread->tid != thread->pid ||
        !sysroot_read(thread->root, &status, &ignored, "/proc/%d/status", (int)thread->pid))
        return false;
    struct view rest = text_view(&status);
    for (struct view line; view_line(&rest, &line);)
        if (view_starts(line, "PPid:"))
            return view_u64(view_trim(view_skip(line, strlen("PPid:"))), 10, &parent) && parent == (uint64_t)getpid();
    return false;
}

/* It has ended: others wait for it only once we have. The end of a child of our own is for who started it. */
static void reap(const struct stopped_thread *thread)
{
    siginfo_t info = {0};
    if (!is_our_child(thread))
        (void)waitid(P_PID, (id_t)thread->tid, &info, WEXITED | WNOHANG | __WALL);
}

enum wait_result { WAIT_STOPPED, WAIT_ENDED, WAIT_LATE };

/* The next stop; an end is left to be reaped. */
static enum wait_result wait_stop(const struct stopped_thread *thread, int *ret_signal, int *ret_event)
{
    uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);
    for (long pause_ns = WAIT_FIRST_NS;; pause_ns = pause_ns * 2 < WAIT_LONGEST_NS ? pause_ns * 2 : WAIT_LONGEST_NS) {
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)thread->tid, &info, WSTOPPED | WEXITED | WNOWAIT | WNOHANG | __WALL) != 0 &&
            errno != EINTR)
            return WAIT_ENDED;
        if (info.si_pid && (info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED))
            return WAIT_ENDED;
        if (info.si_pid && waitid(P_PID, (id_t)thread->tid, &info, WSTOPPED | WNOHANG | __WALL) == 0 && info.si_pid) {
            *ret_signal = info.si_status & 0xff;
            *ret_event = info.si_status >> 8;
            return WAIT_STOPPED;
        }
        if (clock_ns(CLOCK_MONOTONIC) - began_ns > WAIT_MOST_NS)
            return WAIT_LATE;
        struct timespec pause = {0, pause_ns};
        nanosleep(&pause, NULL);
    }
}

/* Calls that end with EINTR after any interruption, signal or none (signal(7)), and do nothing before they wait. */
static bool ends_by_interruption(uint64_t call)
{
    static const uint16_t calls[] = {
        SYS_epoll_wait,  SYS_epoll_pwait, SYS_epoll_pwait2, SYS_semop,           SYS_semtimedop, SYS_msgrcv,
        SYS_msgsnd,      SYS_io_getevents, SYS_io_pgetevents, SYS_rt_sigtimedwait, SYS_recvfrom,   SYS_recvmsg,
        SYS_recvmmsg,    SYS_sendto,      SYS_sendmsg,      SYS_accept,          SYS_accept4,
    };
    for (size_t at = 0; at < sizeof(calls) / sizeof(calls[0]); at++)
        if (calls[at] == call)
            return true;
    return false;
}

static uint64_t mask_of(struct view status, const char *name)
{
    uint64_t mask = 0;
    for (struct view line; view_line(&status, &line);)
        if (view_starts(line, name) && view_u64(view_trim(view_skip(line, strlen(name))), 16, &mask))
            return mask;
    return 0;
}

#define SIGNAL_BIT(number) (UINT64_C(1) << ((number) - 1))

/*
 * That a handler, a stop or an end will follow from: of ignored ones the thread learns nothing, though they pend while
 * it is traced.
 */
static uint64_t signals_that_wait(const struct stopped_thread *thread, uint64_t also)
{
    static const uint64_t nothing_by_default =
        SIGNAL_BIT(SIGCHLD) | SIGNAL_BIT(SIGCONT) | SIGNAL_BIT(SIGURG) | SIGNAL_BIT(SIGWINCH);
    scoped_text struct text status = {0};
    struct error unreadable;
    if (!sysroot_read(thread->root, &status, &unreadable, "/proc/%d/task/%d/status", (int)thread->pid,
                      (int)thread->tid))
        return UINT64_MAX;
    struct view all = text_view(&status);
    uint64_t pending = mask_of(all, "SigPnd:") | mask_of(all, "ShdPnd:") | also;
    uint64_t ignored = mask_of(all, "SigIgn:") | (nothing_by_default & ~mask_of(all, "SigCgt:"));
    return pending & ~mask_of(all, "SigBlk:") & ~ignored;
}

/* We are what interrupted that call: it is made again when we let go. */
static void restart_call(struct stopped_thread *thread, uint64_t arriving)
{
    struct user_regs_struct again = thread->registers;
    if ((int64_t)again.rax != -EINTR || !ends_by_interruption(again.orig_rax) || signals_that_wait(thread, arriving))
        return;
    again.rax = again.orig_rax;
    again.rip -= SYSCALL_BYTES;
    again.orig_rax = (uint64_t)-1;
    (void)trace(thread, PTRACE_SETREGS, 0, (uint64_t)(uintptr_t)&again);
}

static bool met_in_call(const struct user_regs_struct *registers)
{
    int64_t result = (int64_t)registers->rax;
    bool again =
        result == RESTART_SYS || result == RESTART_NO_INTR || result == RESTART_NO_HAND || result == RESTART_BLOCK;
    return (int64_t)registers->orig_rax >= 0 && (again || result == -EINTR);
}

static bool state_read(struct stopped_thread *thread, struct error *err)
{
    struct iovec state = {thread->state, sizeof(thread->state)};
    if (trace(thread, PTRACE_GETREGS, 0, (uint64_t)(uintptr_t)&thread->registers) != 0 ||
        trace(thread, PTRACE_GETREGSET, VECTOR_STATE, (uint64_t)(uintptr_t)&state) != 0)
        return error_system(err, errno, "can't read the registers of thread %d", (int)thread->tid);
    thread->state_bytes = state.iov_len;
    thread->in_kernel |= met_in_call(&thread->registers);
    restart_call(thread, 0);
    if (thread->registers.cs != CODE_64_BIT)
        return error_set(err, ERROR_UNSUPPORTED, "thread %d runs 32-bit code, which can't be stepped",
                         (int)thread->tid);
    return true;
}

static bool refused(const struct stopped_thread *thread, int why, struct error *err)
{
    struct error reason = {0};
    if (why == ESRCH)
        return error_set(err, ERROR_NOT_FOUND, "thread %d has ended", (int)thread->tid);
    if (process_wall_find(thread->root, thread->pid, true, &reason) == WALL_UNKNOWN || !reason.message[0])
        return error_system(err, why, "may not trace process %d", (int)thread->pid);
    error_set(err, ERROR_PERMISSION, "may not trace process %d: %s", (int)thread->pid, reason.message);
    return reason.hint[0] ? error_hint(err, "%s", reason.hint) : false;
}

/* A signal that nobody hears (SIGCHLD of a program without a handler) interrupts a call only because we trace. */
static void pass_signal(struct stopped_thread *thread, int signal)
{
    if (signal > 0 && signal <= 64 && trace(thread, PTRACE_GETREGS, 0, (uint64_t)(uintptr_t)&thread->registers) == 0) {
        thread->in_kernel |= met_in_call(&thread->registers);
        restart_call(thread, SIGNAL_BIT(signal));
    }
}

/*
 * To the stop that we asked for, signals that come before it passed on. A thread that waits uninterruptibly isn't
 * waited for.
 */
static bool wait_held(struct stopped_thread *thread, struct error *err)
{
    for (;;) {
        int signal = 0, event = 0;
        switch (wait_stop(thread, &signal, &event)) {
        case WAIT_ENDED:
            reap(thread);
            thread->is_held = false;
            return error_set(err, ERROR_NOT_FOUND, "thread %d has ended", (int)thread->tid);
        case WAIT_LATE:
            /* Only a stopped thread can be let go, so we can't leave: it stops once its wait is over. */
            if (kill(thread->tid, 0) != 0 && errno == ESRCH)
                return error_set(err, ERROR_NOT_FOUND, "thread %d has ended", (int)thread->tid);
            continue;
        case WAIT_STOPPED:
            break;
        }
        if (event == PTRACE_EVENT_STOP && signal == SIGTRAP)
            return true;
        if (event == PTRACE_EVENT_STOP) /* job control stopped it: it stays so when we let go */
            return error_set(err, ERROR_NOT_FOUND, "thread %d is stopped (SIGSTOP)", (int)thread->tid);
        pass_signal(thread, signal);
        if (trace(thread, PTRACE_CONT, 0, (uint64_t)signal) != 0 && errno == ESRCH)
            continue; /* killed meanwhile */
    }
}

bool stopped_thread_take(struct stopped_thread *thread, const struct kernel *kernel, const struct sysroot *root,
                         pid_t pid, pid_t tid, struct error *err)
{
    thread->kernel = kernel;
    thread->root = root;
    thread->pid = pid;
    thread->tid = tid;
    thread->is_held = thread->in_kernel = false;
    if (trace(thread, PTRACE_SEIZE, 0, 0) != 0)
        return refused(thread, errno, err);
    thread->is_held = true;
    thread->since_ns = clock_ns(CLOCK_MONOTONIC);
    bool taken = (trace(thread, PTRACE_INTERRUPT, 0, 0) == 0 || errno == ESRCH) && wait_held(thread, err) &&
                 state_read(thread, err);
    if (!taken)
        (void)stopped_thread_release(thread);
    return taken;
}

uint64_t stopped_thread_release(struct stopped_thread *thread)
{
    if (!thread->is_held)
        return 0;
    thread->is_held = false;
    if (trace(thread, PTRACE_DETACH, 0, 0) != 0) {
        int signal, event;
        if (wait_stop(thread, &signal, &event) == WAIT_ENDED)
            reap(thread);
    }
    return clock_ns(CLOCK_MONOTONIC) - thread->since_ns;
}

#else

bool stopped_thread_take(struct stopped_thread *thread, const struct kernel *kernel, const struct sysroot *root,
                         pid_t pid, pid_t tid, struct error *err)
{
    (void)thread;
    (void)kernel;
    (void)root;
    (void)pid;
    (void)tid;
    return error_set(err, ERROR_UNSUPPORTED, "stepping a program is built for x86-64 only");
}

uint64_t stopped_thread_release(struct stopped_thread *thread)
{
    (void)thread;
    return 0;
}

#endif
