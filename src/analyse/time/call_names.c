/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/call_names.h"

#include "base/vec.h"
#include "base/text.h"

#include <string.h>

struct alias {
    const char *name; /* whole, or with a "*" behind its beginning */
    const char *call;
};

static const struct alias kernel_aliases[] = {
    {"newstat", "stat"},           {"newlstat", "lstat"},           {"newfstat", "fstat"},
    {"newuname", "uname"},         {"mmap_pgoff", "mmap"},          {"llseek", "lseek"},
    {"sendfile64", "sendfile"},    {"fadvise64_64", "fadvise64"},   {"preadv64", "preadv"},
    {"pwritev64", "pwritev"},      {"preadv64v2", "preadv2"},       {"pwritev64v2", "pwritev2"},
    {"sync_helper", "sync"},       {"mmap2", "mmap"},               {"statfs64", "statfs"},
    {"fstatfs64", "fstatfs"},      {"fcntl64", "fcntl"},            {"truncate64", "truncate"},
    {"ftruncate64", "ftruncate"},  {"clock_nanosleep_time32", "clock_nanosleep"},
};

/* What glibc and musl call by these names in versions of today. */
static const struct alias library_aliases[] = {
    {"lseek64", "lseek"},
    {"mmap64", "mmap"},
    {"pread", "pread64"},
    {"pwrite", "pwrite64"},
    {"open", "openat"},
    {"open64", "openat"},
    {"openat64", "openat"},
    {"creat64", "creat"},
    {"stat", "newfstatat"},
    {"stat64", "newfstatat"},
    {"lstat", "newfstatat"},
    {"lstat64", "newfstatat"},
    {"fstatat", "newfstatat"},
    {"fstatat64", "newfstatat"},
    {"fstat64", "fstat"},
    {"xstat*", "stat"},
    {"lxstat*", "lstat"},
    {"fxstat*", "fstat"},
    {"getdents", "getdents64"},
    {"posix_fadvise*", "fadvise64"},
    {"getrlimit*", "prlimit64"},
    {"setrlimit*", "prlimit64"},
    {"recv", "recvfrom"},
    {"send", "sendto"},
    {"waitpid", "wait4"},
    {"select", "pselect6"},
    {"pselect", "pselect6"},
    {"fork", "clone"},
    {"clone_internal", "clone3"},
    {"exit", "exit_group"},
    {"nanosleep", "clock_nanosleep"},
    {"sigaction", "rt_sigaction"},
    {"sigprocmask", "rt_sigprocmask"},
    {"pthread_sigmask", "rt_sigprocmask"},
    {"lll_*", "futex"},
    {"futex_*", "futex"},
    {"pthread_cond_*", "futex"},
    {"pthread_mutex_*", "futex"},
    {"sem_*", "futex"},
};

static bool is_alias(const char *name, const char *pattern)
{
    size_t length = strlen(pattern);
    bool is_open = pattern[length - 1] == '*';
    return is_open ? strncmp(name, pattern, length - 1) == 0 : strcmp(name, pattern) == 0;
}

static const char *call_behind(const char *name, const struct alias *aliases, size_t count)
{
    for (size_t at = 0; at < count; at++)
        if (is_alias(name, aliases[at].name))
            return aliases[at].call;
    return name;
}

const char *system_call_name(const char *kernel_name)
{
    return call_behind(kernel_name, kernel_aliases, array_count(kernel_aliases));
}

const char *library_call_name(const char *function, struct arena *arena)
{
    static const char ending[] = "_nocancel";
    struct view name = view_of(function);
    if (view_ends(name, ending)) {
        name.length -= strlen(ending);
        function = arena_printf(arena, "%.*s", (int)name.length, name.text);
    }
    return system_call_name(call_behind(function, library_aliases, array_count(library_aliases)));
}
