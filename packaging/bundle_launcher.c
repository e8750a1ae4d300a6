/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bundle's `plumb`: starts libexec/plumb beside it with the loader and the libraries that came along.
 *
 * Static, so that it needs nothing of the place where it was unpacked: no loader, no libc, no shell, no /proc. It sets
 * no environment variable, so programs that plumb starts see their own libraries.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { FIXED_WORDS = 6 };

static int complain(const char *what)
{
    fprintf(stderr, "plumb: %s: %s\n", what, strerror(errno));
    return 127;
}

/* The folder that holds this program, by /proc or else by the path that the kernel was given. */
static int own_folder(char *folder, size_t folder_bytes)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (length > 0)
        path[length] = '\0';
    else if (!realpath((const char *)getauxval(AT_EXECFN), path))
        return -1;
    char *slash = strrchr(path, '/');
    if (!slash || (size_t)(slash - path) >= folder_bytes)
        return -1;
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    return 0;
}

int main(int argc, char **argv)
{
    char folder[PATH_MAX], loader[PATH_MAX + 40], libraries[PATH_MAX + 40], program[PATH_MAX + 40];
    if (own_folder(folder, sizeof(folder)) != 0)
        return complain("can't tell where its bundle was unpacked");
    snprintf(loader, sizeof(loader), "%s/lib/" BUNDLE_LOADER, folder);
    snprintf(libraries, sizeof(libraries), "%s/lib", folder);
    snprintf(program, sizeof(program), "%s/libexec/plumb", folder);
    char **words = calloc((size_t)argc + FIXED_WORDS + 1, sizeof(*words));
    if (!words)
        return complain("can't start");
    char *fixed[FIXED_WORDS] = {loader, (char *)"--library-path", libraries, (char *)"--argv0", argc ? argv[0] : (char *)"plumb", program};
    memcpy(words, fixed, sizeof(fixed));
    for (int at = 1; at < argc; at++)
        words[FIXED_WORDS + at - 1] = argv[at];
    execv(loader, words);
    return complain(loader);
}
