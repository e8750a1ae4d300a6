/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A lock, another thread, or not told: by the frames of stacks as they were met in programs. */
#include "test.h"

#include "analyse/time/wait_locks.h"

enum { FRAMES = 6 };

static const struct {
    const char *names[FRAMES]; /* innermost first */
    enum wait_kind from, kind;
    bool global;
} cases[] = {
    {{"__lll_lock_wait", "___pthread_mutex_lock", "add_one", "work"}, WAIT_FUTEX, WAIT_LOCK, false},
    {{"libc.so.6+0x8a000", "pthread_mutex_lock", "uv_mutex_lock", "work"}, WAIT_FUTEX, WAIT_LOCK, false},
    {{"__futex_abstimed_wait_common64", "___pthread_cond_wait", "uv_cond_wait", "worker"}, WAIT_FUTEX, WAIT_THREAD, false},
    {{"__lll_lock_wait", "__pthread_mutex_cond_lock", "pthread_cond_wait@@GLIBC_2.3.2", "worker"}, WAIT_FUTEX, WAIT_LOCK, false},
    {{"__futex_abstimed_wait_common64", "__pthread_rwlock_rdlock_full64", "lookup"}, WAIT_FUTEX, WAIT_LOCK, false},
    {{"__futex_abstimed_wait_common64", "sem_wait_slow64", "consume"}, WAIT_FUTEX, WAIT_THREAD, false},
    {{"__futex_abstimed_wait_common64", "__pthread_clockjoin_ex", "main"}, WAIT_FUTEX, WAIT_THREAD, false},
    {{"__futex_abstimed_wait_common", NULL, NULL}, WAIT_FUTEX, WAIT_THREAD, false},
    {{"__futex_abstimed_wait_common64", "pthread_cond_timedwait", "take_gil", "_PyEval_EvalFrameDefault"}, WAIT_FUTEX, WAIT_LOCK, true},
    {{"__futex_abstimed_wait_common64", "pthread_cond_timedwait", "python3.11+0xf92c0", "_PyEval_EvalFrameDefault"}, WAIT_FUTEX, WAIT_LOCK, true},
    {{"__futex_abstimed_wait_common64", "pthread_cond_timedwait", "queue_get", "python3.11+0x1", "_PyEval_EvalFrameDefault"}, WAIT_FUTEX, WAIT_THREAD, false},
    {{"__futex_abstimed_wait_common64", "sem_clockwait", "PyThread_acquire_lock_timed", "python3.11+0x1", "_PyEval_EvalFrameDefault"}, WAIT_FUTEX, WAIT_THREAD, false},
    {{"pthread_cond_wait", "os::PlatformEvent::park()", "ObjectMonitor::enter(JavaThread*)"}, WAIT_FUTEX, WAIT_LOCK, false},
    {{"pthread_cond_wait", "PlatformMonitor::wait(unsigned long)", "GangWorker::loop()"}, WAIT_FUTEX, WAIT_THREAD, false},
    {{"runtime.futex.abi0", "runtime.futexsleep", "runtime.notesleep", "runtime.stopm"}, WAIT_FUTEX, WAIT_THREAD, false},
    {{"runtime.futex.abi0", "runtime.futexsleep", "runtime.lock2"}, WAIT_FUTEX, WAIT_LOCK, false},
    {{"[unknown]", "syscall", "work"}, WAIT_FUTEX, WAIT_FUTEX, false},
    {{"server+0x41", "server+0x92"}, WAIT_FUTEX, WAIT_FUTEX, false},
    {{"pthread_cond_wait", "worker"}, WAIT_SLEEP, WAIT_SLEEP, false},
    {{"pthread_cond_wait", "worker"}, WAIT_LOCK, WAIT_LOCK, false}, /* of the kernel: a page that the condition lies on */
    {{"pthread_cond_wait", "worker"}, WAIT_UNKNOWN, WAIT_THREAD, false},
};

Test(wait_locks, frames_tell_a_lock_from_having_nothing_to_do)
{
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        struct wait_lock told = wait_lock_of(cases[at].from, cases[at].names, FRAMES);
        cr_expect_eq(told.kind, cases[at].kind, "%s %s: %s", cases[at].names[0], cases[at].names[1] ? cases[at].names[1] : "",
                     wait_kind_name(told.kind));
        cr_expect_eq(told.global_lock != NULL, cases[at].global, "%zu", at);
    }
}
