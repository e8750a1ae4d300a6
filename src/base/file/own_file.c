/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file/own_file.h"

#include <sys/stat.h>
#include <unistd.h>

bool own_file_remove(int fd, const char *path)
{
    struct stat ours, named;
    if (fstat(fd, &ours) != 0 || lstat(path, &named) != 0 || !S_ISREG(named.st_mode))
        return false;
    return named.st_dev == ours.st_dev && named.st_ino == ours.st_ino && unlink(path) == 0;
}
