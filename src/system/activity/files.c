/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/scope.h"
#include "system/activity/watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/*
 * So many of a process are asked, the lowest numbers first as they are listed: a server's logs are among them. Of more
 * processes than a service has that would cost more than it tells.
 */
enum { PROCESSES_MOST = 32, DESCRIPTORS_MOST = 256, FILES_MOST = 256 };

/* Terminals, devices and what the kernel shows as files grow by nothing. */
static bool is_kept(const char *path)
{
    static const char *const others[] = {"/dev/", "/proc/", "/sys/"};
    for (size_t at = 0; at < array_count(others); at++)
        if (strncmp(path, others[at], strlen(others[at])) == 0)
            return false;
    return path[0] == '/';
}

/* "pos:\t4711\nflags:\t0102001\n…"; false: it can't be read, or isn't open for writing. */
static bool position_read(const struct activity_watch *watch, struct text *scratch, int pid, int descriptor,
                          uint64_t *ret_position)
{
    uint64_t flags = 0, position = 0;
    bool has_flags = false, has_position = false;
    if (!watch_read(watch, scratch, "/proc/%d/fdinfo/%d", pid, descriptor))
        return false;
    struct view rest = text_view(scratch), line;
    while (view_line(&rest, &line)) {
        struct view name = view_cut(&line, ':'), value = view_trim(line);
        if (view_equal(name, "pos"))
            has_position = view_u64(value, 10, &position);
        else if (view_equal(name, "flags"))
            has_flags = view_u64(value, 8, &flags);
    }
    *ret_position = position;
    return has_flags && has_position && (flags & O_ACCMODE) != O_RDONLY;
}

static struct watched_file *file_find(struct activity_watch *watch, pid_t pid, int descriptor, const char *path)
{
    vec_for_each (&watch->files, file)
        if (file->pid == pid && file->descriptor == descriptor && strcmp(file->path, path) == 0)
            return file;
    return NULL;
}

void watch_files_look(struct activity_watch *watch, const struct watched_process *process, struct text *scratch)
{
    if (watch->processes.count > PROCESSES_MOST)
        return;
    scoped_dir DIR *descriptors = sysroot_opendir(watch->root, "/proc/%d/fd", (int)process->pid);
    struct dirent *entry;
    for (int count = 0; descriptors && count < DESCRIPTORS_MOST && (entry = readdir(descriptors)); count++) {
        uint64_t number, position;
        char path[ACTIVITY_PATH_SIZE];
        if (!view_u64(view_of(entry->d_name), 10, &number) || number > INT32_MAX ||
            !sysroot_link(watch->root, path, sizeof(path), "/proc/%d/fd/%d", (int)process->pid, (int)number) ||
            !is_kept(path) || !position_read(watch, scratch, process->pid, (int)number, &position))
            continue;
        struct watched_file *file = file_find(watch, process->pid, (int)number, path);
        if (file) { /* written again in place it grows no further; a log may begin anew */
            file->position = position < file->position ? position : file->position;
            file->bytes = position - file->position > file->bytes ? position - file->position : file->bytes;
        } else if (watch->files.count < FILES_MOST) {
            file = vec_push(&watch->files);
            *file = (struct watched_file){.pid = process->pid, .descriptor = (int)number, .position = position};
            memcpy(file->path, path, sizeof(file->path));
        }
    }
}

/* Processes that share a file share its position, or go on where the others' end: the most of them is none's twice. */
void result_files(const struct activity_watch *watch, struct activity *result)
{
    vec_for_each (&watch->files, file) {
        size_t at = 0;
        while (at < result->file_count && strcmp(result->files[at].path, file->path) != 0)
            at++;
        if (!file->bytes || (at < result->file_count && result->files[at].bytes >= (double)file->bytes))
            continue;
        struct activity_file entry = {.bytes = (double)file->bytes};
        memcpy(entry.path, file->path, sizeof(entry.path));
        at = at < result->file_count                    ? at
             : result->file_count < ACTIVITY_FILES_MOST ? result->file_count++
                                                        : ACTIVITY_FILES_MOST;
        for (; at > 0 && result->files[at - 1].bytes < entry.bytes; at--)
            if (at < ACTIVITY_FILES_MOST)
                result->files[at] = result->files[at - 1];
        if (at < ACTIVITY_FILES_MOST)
            result->files[at] = entry;
    }
}
