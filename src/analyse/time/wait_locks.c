/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/wait_locks.h"

#include "base/vec.h"

#include <string.h>

struct view wait_plain_name(const char *name)
{
    static const char *const prefixes[] = {"__GI_", "__libc_", "__new_"};
    struct view plain = view_of(name);
    plain = view_cut(&plain, '@');
    plain = view_cut(&plain, '.'); /* .constprop.0 */
    for (bool cut = true; cut;) {
        cut = false;
        for (size_t at = 0; at < array_count(prefixes); at++)
            if (view_starts(plain, prefixes[at]) && plain.length > strlen(prefixes[at])) {
                plain = view_skip(plain, strlen(prefixes[at]));
                cut = true;
            }
    }
    while (plain.length > 1 && plain.text[0] == '_')
        plain = view_skip(plain, 1);
    return plain;
}

enum { FRAMES_MOST = 16 };

/* Beginnings of plain names, of the C library and of libraries beside it. */
static const char *const lock_calls[] = {
    "lll_lock_wait", "lll_lock", "lll_clocklock", "pthread_mutex_", "pthread_rwlock_", "mtx_lock", "mtx_timedlock",
    "uv_mutex_lock", "uv_rwlock_", "gomp_mutex_lock", "gomp_set_lock", "omp_set_lock", "gomp_critical", "GOMP_critical",
};
static const char *const thread_calls[] = {
    "pthread_cond_",
    "pthread_join",
    "pthread_clockjoin",
    "pthread_timedjoin",
    "pthread_barrier_wait",
    "sem_wait",
    "sem_timedwait",
    "sem_clockwait",
    "cnd_wait",
    "cnd_timedwait",
    "thrd_join",
    "uv_cond_",
    "uv_sem_wait",
    "uv_barrier_wait",
    "uv_thread_join",
    "gomp_barrier",
    "gomp_team_barrier",
    "gomp_sem_wait",
    "gomp_simple_barrier",
    "kmp_",
    "aio_suspend",
    "lio_listio",
};
/* What all of glibc's waits but its mutexes come through: says so only when nobody else says more. */
static const char *const thread_hints[] = {"futex_abstimed_wait", "futex_wait_cancelable", "do_futex_wait"};

/* Whole names or parts of them, of languages' own libraries: "std::condition_variable::wait(...)". */
static const struct {
    const char *part;
    enum wait_kind kind;
    const char *global_lock;
} made_of_others[] = {
    {"take_gil", WAIT_LOCK, "Python's global interpreter lock (GIL)"},
    {"gvl_acquire", WAIT_LOCK, "Ruby's global lock (GVL)"},
    {"thread_sched_to_running", WAIT_LOCK, "Ruby's global lock (GVL)"},
    {"thread_sched_wait_running_turn", WAIT_LOCK, "Ruby's global lock (GVL)"},
    {"st_masterlock_acquire", WAIT_LOCK, "OCaml's master lock"},
    {"ObjectMonitor::enter", WAIT_LOCK, NULL},
    {"ObjectMonitor::EnterI", WAIT_LOCK, NULL},
    {"absl::Mutex::LockSlow", WAIT_LOCK, NULL},
    {"lock_contended", WAIT_LOCK, NULL}, /* Rust's std */
    {"RawMutex::lock_slow", WAIT_LOCK, NULL},
    {"RawRwLock::lock_", WAIT_LOCK, NULL},
    {"runtime.lock2", WAIT_LOCK, NULL}, /* Go's runtime; its programs' locks park goroutines, not threads */
    {"runtime.notesleep", WAIT_THREAD, NULL},
    {"runtime.notetsleep", WAIT_THREAD, NULL},
    {"runtime.mPark", WAIT_THREAD, NULL},
    {"runtime.stopm", WAIT_THREAD, NULL},
    {"std::condition_variable", WAIT_THREAD, NULL},
    {"std::thread::join", WAIT_THREAD, NULL},
    {"std::this_thread", WAIT_SLEEP, NULL},
    {"Condvar::wait", WAIT_THREAD, NULL},
    {"thread::park", WAIT_THREAD, NULL},
    {"JoinHandle", WAIT_THREAD, NULL},
};

static bool starts_with_any(struct view plain, const char *const *beginnings, size_t count)
{
    for (size_t at = 0; at < count; at++)
        if (view_starts(plain, beginnings[at]))
            return true;
    return false;
}

/*
 * A distribution's python has no name for what takes the GIL: it waits at a condition and is called by the loop that
 * interprets, or by what native code calls to come back. What waits for a lock of the script's comes through
 * PyThread_acquire_lock.
 */
static bool is_nameless_gil(const char *const *names, size_t count)
{
    static const char *const takers[] = {"_PyEval_EvalFrameDefault", "PyEval_RestoreThread", "PyEval_AcquireThread",
                                         "PyGILState_Ensure", "_PyEval_EvalFrame", "PyEval_EvalFrame"};
    bool waits = false;
    for (size_t at = 0; at < count; at++) {
        const char *name = names[at];
        if (!name || strstr(name, "+0x") || name[0] == '[')
            continue;
        struct view plain = wait_plain_name(name);
        if (strncmp(name, "PyThread_", strlen("PyThread_")) == 0)
            return false;
        for (size_t taker = 0; taker < array_count(takers); taker++)
            if (strcmp(name, takers[taker]) == 0)
                return waits;
        waits |= view_starts(plain, "pthread_cond_timedwait") || view_starts(plain, "pthread_cond_wait");
        if (!waits && !starts_with_any(plain, thread_hints, array_count(thread_hints)))
            return false;
        if (waits && !starts_with_any(plain, thread_calls, array_count(thread_calls)) &&
            !starts_with_any(plain, thread_hints, array_count(thread_hints)))
            return false; /* somebody else's condition, called by the script */
    }
    return false;
}

static enum wait_kind kind_of_call(const char *name)
{
    struct view plain = wait_plain_name(name);
    if (starts_with_any(plain, lock_calls, array_count(lock_calls)))
        return WAIT_LOCK;
    return starts_with_any(plain, thread_calls, array_count(thread_calls)) ? WAIT_THREAD : WAIT_UNKNOWN;
}

bool wait_lock_is_global(const char *words)
{
    for (size_t at = 0; at < array_count(made_of_others); at++)
        if (made_of_others[at].global_lock && strcmp(made_of_others[at].global_lock, words) == 0)
            return true;
    return false;
}

struct wait_lock wait_lock_of(enum wait_kind kind, const char *const *names, size_t count)
{
    struct wait_lock told = {.kind = kind};
    bool is_open = kind == WAIT_FUTEX || kind == WAIT_LOCK || kind == WAIT_THREAD || kind == WAIT_UNKNOWN;
    count = count < FRAMES_MOST ? count : FRAMES_MOST;
    if (!is_open || (kind == WAIT_LOCK))
        return told; /* a lock of the kernel's own: who asked for it doesn't change that */
    bool hinted = false, settled = false;
    for (size_t at = 0; at < count; at++) {
        if (!names[at])
            continue;
        for (size_t made = 0; made < array_count(made_of_others); made++)
            if (strstr(names[at], made_of_others[made].part)) {
                bool outranks = !settled || (told.kind == WAIT_THREAD && made_of_others[made].kind == WAIT_LOCK);
                if (outranks)
                    told = (struct wait_lock){made_of_others[made].kind, made_of_others[made].global_lock};
                settled = true;
            }
        enum wait_kind called = kind_of_call(names[at]);
        if (!settled && called != WAIT_UNKNOWN) {
            told.kind = called;
            settled = true;
        }
        hinted |= starts_with_any(wait_plain_name(names[at]), thread_hints, array_count(thread_hints));
    }
    if (!settled && hinted)
        told.kind = WAIT_THREAD;
    if (told.kind == WAIT_THREAD && is_nameless_gil(names, count))
        told = (struct wait_lock){WAIT_LOCK, "Python's global interpreter lock (GIL)"};
    return told;
}
