/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/code_origin.h"

#include "base/vec.h"

#include <string.h>

bool code_is_installed(const char *path)
{
    static const char *const places[] = {"/usr/bin/", "/usr/sbin/", "/usr/lib", "/usr/libexec/", "/usr/include/",
                                         "/bin/",     "/sbin/",     "/lib",     "[vdso]"};
    static const char *const packages[] = {"/lib-dynload/", "/site-packages/", "/dist-packages/", "/node_modules/",
                                           "/libpython3",   "/bin/python3",    "/bin/node",       "/bin/perl",
                                           "/bin/ruby",     "/libjvm.so"};
    for (size_t at = 0; path && at < array_count(places); at++)
        if (strncmp(path, places[at], strlen(places[at])) == 0)
            return true;
    for (size_t at = 0; path && at < array_count(packages); at++)
        if (strstr(path, packages[at]))
            return true;
    return false;
}

bool code_is_loader(const char *dso)
{
    static const char *const beginnings[] = {"ld-linux", "ld-musl", "ld64.so", "ld.so", "ld-2."};
    for (size_t at = 0; at < array_count(beginnings); at++)
        if (strncmp(dso, beginnings[at], strlen(beginnings[at])) == 0)
            return true;
    return false;
}

bool code_is_start(const char *function)
{
    static const char *const starts[] = {"_start",
                                         "start_thread",
                                         "clone",
                                         "clone3",
                                         "__clone",
                                         "__clone3",
                                         "__libc_start_main",
                                         "__libc_start_call_main",
                                         "__libc_start_main_impl"};
    for (size_t at = 0; at < array_count(starts); at++)
        if (strcmp(function, starts[at]) == 0)
            return true;
    return false;
}
