/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/live/guarded_program.h"

#include "base/arena.h"
#include "base/scope.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char *why_of(const char *path)
{
    struct stat status;
    char capability[64];
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || access(path, X_OK) != 0)
        return NULL;
    if (access(path, R_OK) != 0)
        return "not readable";
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
        return NULL; /* then those bits mean nothing */
    if (status.st_mode & S_ISUID && status.st_uid != geteuid())
        return "setuid";
    if (status.st_mode & S_ISGID && status.st_mode & S_IXGRP && status.st_gid != getegid())
        return "setgid";
    if (geteuid() != 0 && getxattr(path, "security.capability", capability, sizeof(capability)) > 0)
        return "one with file capabilities";
    return NULL;
}

const char *guarded_program_why(const char *program)
{
    const char *path = getenv("PATH");
    if (strchr(program, '/'))
        return why_of(program);
    struct view rest = view_of(path ? path : "/bin:/usr/bin");
    while (rest.length) {
        struct view folder = view_cut(&rest, ':');
        scoped_free char *full = memory_printf("%.*s/%s", (int)folder.length, folder.text, program);
        if (access(full, X_OK) == 0)
            return why_of(full);
    }
    return NULL;
}
