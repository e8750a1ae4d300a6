/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/library_frames.h"

#include "analyse/time/wait_locks.h"
#include "base/vec.h"

#include <string.h>

bool frame_is_library(const struct recording *recording, uint32_t location)
{
    static const char *const libraries[] = {"libc.so",  "libc-",     "libpthread", "librt",     "ld-linux",
                                            "ld-musl",  "libc.musl", "[vdso]",     "libstdc++", "libc++",
                                            "libgcc_s", "libgomp",   "libomp",     "libiomp5"};
    const struct location *where = &recording->samples.locations[location];
    const char *name = strings_text(&recording->strings, recording->spaces.dsos[where->dso].name);
    for (size_t at = 0; at < array_count(libraries); at++)
        if (view_starts(view_of(name), libraries[at]))
            return true;
    return false;
}

bool frame_is_library_function(const char *name)
{
    static const char *const calls[] = {
        "read",       "write",       "readv",        "writev",  "pread",     "pread64",         "pwrite",
        "pwrite64",   "recv",        "recvfrom",     "recvmsg", "send",      "sendto",          "sendmsg",
        "accept",     "accept4",     "connect",      "poll",    "ppoll",     "select",          "pselect",
        "epoll_wait", "epoll_pwait", "sleep",        "usleep",  "nanosleep", "clock_nanosleep", "fsync",
        "fdatasync",  "msync",       "open",         "openat",  "close",     "flock",           "lockf",
        "fcntl",      "wait",        "wait3",        "wait4",   "waitid",    "waitpid",         "pause",
        "sigwait",    "sigwaitinfo", "sigtimedwait", "syscall", "ioctl",     "sched_yield",     "fread",
        "fwrite",     "fgets",       "fflush",       "getline", "system",
    };
    static const char *const families[] = {"pthread_", "sem_", "mq_", "lll_", "futex_", "IO_", "mtx_", "cnd_", "thrd_"};
    struct view plain = wait_plain_name(name);
    if (strncmp(name, "__", 2) == 0)
        return true;
    for (size_t at = 0; at < array_count(calls); at++)
        if (view_equal(plain, calls[at]))
            return true;
    for (size_t at = 0; at < array_count(families); at++)
        if (view_starts(plain, families[at]))
            return true;
    return false;
}

/*
 * C++'s own wrappers are compiled into the program; libuv's stand in whatever it is linked into; Java's monitors are
 * the machine's.
 */
bool frame_is_wrapper(const char *name)
{
    static const char *const others[] = {"uv_cond_",
                                         "uv_mutex_",
                                         "uv_sem_",
                                         "uv_rwlock_",
                                         "uv_barrier_",
                                         "uv_thread_join",
                                         "os::Platform",
                                         "ObjectMonitor::",
                                         "ObjectSynchronizer::",
                                         "Monitor::",
                                         "Mutex::",
                                         "SharedRuntime::complete_monitor",
                                         "SharedRuntime::monitor_"};
    for (size_t at = 0; at < array_count(others); at++)
        if (strncmp(name, others[at], strlen(others[at])) == 0)
            return true;
    return strncmp(name, "std::", strlen("std::")) == 0 || strncmp(name, "__gthread", strlen("__gthread")) == 0 ||
           strncmp(name, "__gnu_cxx::", strlen("__gnu_cxx::")) == 0;
}
