/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file/cache_file.h"

#include "base/file/cache_folder.h"
#include "base/file/file_fault.h"
#include "base/file/own_file.h"
#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    HEAD_MOST = 64,
    NAME_MOST = 48,
    SECONDS_TO_WRITE = 60 /* who takes longer was killed */
};

static bool path_of(char ret_path[PATH_MAX + NAME_MOST + 2], const char *name)
{
    char folder[PATH_MAX];
    return cache_folder(folder) && snprintf(ret_path, PATH_MAX + NAME_MOST + 2, "%s/%s", folder, name) > 0;
}

/* How much stands behind the head; 0: it isn't ours, or isn't closed to others. */
static size_t own_bytes(int fd, size_t head_bytes)
{
    struct stat status;
    bool is_own =
        fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() && !(status.st_mode & 077);
    return is_own && (size_t)status.st_size > head_bytes ? (size_t)status.st_size - head_bytes : 0;
}

static bool has_head(int fd, struct view head)
{
    char kept[HEAD_MOST];
    return head.length <= sizeof(kept) && read(fd, kept, head.length) == (ssize_t)head.length &&
           memcmp(kept, head.text, head.length) == 0;
}

static bool read_on(int fd, size_t size_bytes, struct text *text)
{
    text_reserve(text, size_bytes);
    for (size_t left = size_bytes; left;) {
        ssize_t got = read(fd, text->bytes + text->length, left);
        if (got <= 0)
            return false;
        text_truncate(text, text->length + (size_t)got);
        left -= (size_t)got;
    }
    return true;
}

/* Behind its head, of which *ret_bytes stand there; -1: it isn't good. */
static int open_good(const char *name, struct view head, size_t bytes_most, size_t *ret_bytes)
{
    char path[PATH_MAX + NAME_MOST + 2];
    if (!path_of(path, name))
        return -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    *ret_bytes = fd >= 0 ? own_bytes(fd, head.length) : 0;
    if (*ret_bytes && *ret_bytes <= bytes_most && has_head(fd, head))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

bool cache_file_read(const char *name, struct view head, size_t bytes_most, struct text *ret_text)
{
    size_t size_bytes;
    scoped_fd int fd = open_good(name, head, bytes_most, &size_bytes);
    if (fd < 0)
        return false;
    if (read_on(fd, size_bytes, ret_text))
        return true;
    text_clear(ret_text);
    return false;
}

bool cache_file_map(const char *name, struct view head, size_t bytes_most, struct view *ret_map)
{
    size_t size_bytes;
    scoped_fd int fd = open_good(name, head, bytes_most, &size_bytes);
    if (fd < 0)
        return false;
    file_faults_survive(); /* somebody may cut it off */
    size_bytes += head.length;
    void *map = mmap(NULL, size_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return false;
    *ret_map = (struct view){map, size_bytes};
    return true;
}

static bool write_whole(int fd, struct view bytes)
{
    while (bytes.length) {
        ssize_t written = write(fd, bytes.text, bytes.length);
        if (written <= 0)
            return false;
        bytes = view_skip(bytes, (size_t)written);
    }
    return true;
}

/* One writes at a time. What a killed one left is taken away, for the next. */
static int open_unfinished(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct stat status;
    if (fd < 0 && errno == EEXIST && lstat(path, &status) == 0 && time(NULL) - status.st_mtime > SECONDS_TO_WRITE)
        (void)unlink(path);
    return fd;
}

void cache_file_write(const char *name, struct view head, struct view body)
{
    char folder[PATH_MAX], path[PATH_MAX + NAME_MOST + 2], unfinished[PATH_MAX + NAME_MOST + 8];
    if (head.length > HEAD_MOST || !cache_folder(folder) || !path_of(path, name))
        return;
    cache_folder_make(folder);
    snprintf(unfinished, sizeof(unfinished), "%s.new", path);
    scoped_fd int fd = open_unfinished(unfinished);
    if (fd >= 0 && !(write_whole(fd, head) && write_whole(fd, body) && rename(unfinished, path) == 0))
        (void)own_file_remove(fd, unfinished);
}
