/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/arena.h"
#include "base/scope.h"
#include "probe/stepping/step_burst.h"
#include "probe/stepping/stopped_thread.h"
#include "probe/work_meter.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared { /* with the child */
    volatile uint64_t turns, interrupted;
    volatile bool stop;
};

static struct shared *shared_new(void)
{
    return mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void counting(struct shared *shared)
{
    while (!shared->stop)
        shared->turns++;
}

static void waiting(struct shared *shared)
{
    struct epoll_event event;
    for (int fd = epoll_create1(0); !shared->stop; shared->turns++)
        if (epoll_wait(fd, &event, 1, 20) < 0 && errno == EINTR)
            shared->interrupted++;
}

/* However busy the machine is. */
static void turns_await(const struct shared *shared, uint64_t beyond)
{
    for (int ms = 0; ms < 20000 && shared->turns <= beyond; ms++)
        usleep(1000);
    cr_assert_gt(shared->turns, beyond, "it goes on");
}

static pid_t child_start(void (*work)(struct shared *), struct shared *shared)
{
    pid_t pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nobody behind */
        work(shared);
        _exit(0);
    }
    turns_await(shared, 0);
    return pid;
}

static void skip_unless_traceable(const struct error *err)
{
    if (err->kind == ERROR_PERMISSION || err->kind == ERROR_UNSUPPORTED)
        cr_skip_test("%s", err->message);
    cr_assert_fail("%s", err->message);
}

Test(stepping, burst_of_a_running_thread)
{
    struct shared *shared = shared_new();
    scoped_child pid_t pid = child_start(counting, shared);
    struct sysroot root;
    struct step_burst burst;
    struct error err = {0};
    const struct step_limits limits = {2000, 2000000000};
    sysroot_init(&root, NULL);
    if (!step_burst_take(kernel_live(), &root, pid, pid, &limits, &burst, &err))
        skip_unless_traceable(&err);
    cr_assert(burst.trace.sequence.count == 2000 || burst.end == STEP_END_TIME, "%zu", burst.trace.sequence.count);
    cr_assert_lt(burst.trace.table.count, 60, "a loop of a few instructions");
    cr_assert_gt(burst.pages, 0);
    /* What the copy counted is the copy's own. */
    uint64_t before = shared->turns;
    turns_await(shared, before);
    step_burst_done(&burst);
}

Test(stepping, a_wait_that_ends_by_interruption_begins_anew)
{
    struct shared *shared = shared_new();
    scoped_child pid_t pid = child_start(waiting, shared);
    struct sysroot root;
    struct error err = {0};
    scoped_free struct stopped_thread *thread = memory_alloc(sizeof(*thread));
    unsigned in_call = 0;
    sysroot_init(&root, NULL);
    for (int tries = 0; tries < 100; tries++) {
        if (!stopped_thread_take(thread, kernel_live(), &root, pid, pid, &err))
            skip_unless_traceable(&err);
        in_call += thread->in_kernel;
        cr_assert_gt(stopped_thread_release(thread), 0);
        usleep(1000);
    }
    uint64_t turns = shared->turns;
    usleep(200000);
    cr_assert_gt(shared->turns, turns);
    cr_assert_gt(in_call, 50);
    cr_assert_eq(shared->interrupted, 0, "%lu calls ended with EINTR", (unsigned long)shared->interrupted);
}

static char state_of(pid_t pid)
{
    struct sysroot root;
    char line[512];
    sysroot_init(&root, NULL);
    bool read = sysroot_line(&root, line, sizeof(line), "/proc/%d/stat", (int)pid);
    const char *behind = read ? strrchr(line, ')') : NULL;
    return behind ? behind[2] : '?';
}

Test(stepping, a_stopped_process_stays_stopped)
{
    struct shared *shared = shared_new();
    scoped_child pid_t pid = child_start(counting, shared);
    struct sysroot root;
    struct error err = {0};
    scoped_free struct stopped_thread *thread = memory_alloc(sizeof(*thread));
    sysroot_init(&root, NULL);
    kill(pid, SIGSTOP);
    usleep(50000);
    cr_assert_eq(state_of(pid), 'T');
    if (stopped_thread_take(thread, kernel_live(), &root, pid, pid, &err))
        (void)stopped_thread_release(thread);
    else if (err.kind != ERROR_NOT_FOUND)
        skip_unless_traceable(&err);
    usleep(20000);
    cr_assert_eq(state_of(pid), 'T');
    kill(pid, SIGCONT);
    usleep(50000);
    cr_assert_neq(state_of(pid), 'T');
}

Test(stepping, speeds_compare_by_their_medians)
{
    const double old[] = {10, 11, 10, 9, 10, 10, 10}, faster[] = {20, 21, 19, 20, 20, 22, 20};
    struct interval ratio = speed_ratio(old, 7, faster, 7);
    cr_assert(ratio.known && ratio.low > 1.5 && ratio.high < 2.6);
    cr_assert_float_eq(ratio.mid, 2, 1e-9);
    cr_assert_not(speed_ratio(old, 0, faster, 7).known);
    const double stood[] = {0, 0, 0};
    cr_assert_not(speed_ratio(stood, 3, faster, 7).known);
}

static void traced(struct shared *shared)
{
    bool is_traced = ptrace(PTRACE_TRACEME, 0, 0, 0) == 0;
    shared->turns++;
    if (is_traced)
        raise(SIGSTOP);
}

Test(stepping, a_process_with_a_tracer_is_named)
{
    struct shared *shared = shared_new();
    scoped_child pid_t pid = child_start(traced, shared);
    struct sysroot root;
    struct error err = {0};
    scoped_free struct stopped_thread *thread = memory_alloc(sizeof(*thread));
    sysroot_init(&root, NULL);
    cr_assert_not(stopped_thread_take(thread, kernel_live(), &root, pid, pid, &err));
    cr_assert_eq(err.kind, ERROR_PERMISSION);
    cr_assert(strstr(err.message, "may not trace"), "%s", err.message);
}

static long refusing_ptrace(void *context, int request, pid_t pid, uint64_t address, uint64_t data)
{
    (void)request;
    (void)pid;
    (void)address;
    (void)data;
    errno = *(const int *)context;
    return -1;
}

Test(stepping, refusals_are_told_apart)
{
    struct shared *shared = shared_new();
    scoped_child pid_t pid = child_start(counting, shared);
    struct sysroot root;
    int refusal = ESRCH;
    struct kernel kernel = *kernel_live();
    scoped_free struct stopped_thread *thread = memory_alloc(sizeof(*thread));
    sysroot_init(&root, NULL);
    kernel.context = &refusal;
    kernel.ptrace = refusing_ptrace;
    struct error gone = {0}, refused = {0};
    cr_assert_not(stopped_thread_take(thread, &kernel, &root, pid, pid, &gone));
#if defined(__x86_64__)
    cr_assert_eq(gone.kind, ERROR_NOT_FOUND);
    refusal = EPERM;
    cr_assert_not(stopped_thread_take(thread, &kernel, &root, pid, pid, &refused));
    cr_assert_eq(refused.kind, ERROR_PERMISSION);
#endif
}

Test(stepping, one_that_was_killed_meanwhile_is_released)
{
    struct shared *shared = shared_new();
    pid_t pid = child_start(counting, shared);
    struct sysroot root;
    struct error err = {0};
    scoped_free struct stopped_thread *thread = memory_alloc(sizeof(*thread));
    sysroot_init(&root, NULL);
    if (!stopped_thread_take(thread, kernel_live(), &root, pid, pid, &err))
        skip_unless_traceable(&err);
    kill(pid, SIGKILL);
    usleep(20000);
    (void)stopped_thread_release(thread);
    int status = 0;
    cr_assert_eq(waitpid(pid, &status, 0), pid, "its end is left to its parent");
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}
