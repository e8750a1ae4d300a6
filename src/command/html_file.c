/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/html_file.h"

#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool html_file_try(const char *path, struct error *err)
{
    struct stat before;
    bool was_there = stat(path, &before) == 0;
    scoped_fd int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return error_system(err, errno, "can't write '%s'", path);
    /* What we measure may fail yet, and an empty page tells nobody anything. */
    if (!was_there)
        unlink(path);
    return true;
}

bool html_file_write(const char *path, struct text *page, struct error *err)
{
    scoped_file FILE *file = fopen(path, "we");
    if (!file || !text_write_file(page, file) || fflush(file) != 0)
        return error_system(err, errno, "can't write '%s'", path);
    return true;
}
