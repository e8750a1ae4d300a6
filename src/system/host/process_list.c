/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/host/process_list.h"

#include "base/scope.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FIELD_USER = 14,
    FIELD_SYSTEM = 15,
    FIELD_START = 22,
    FIELD_VSIZE = 23, /* 0: a kernel thread */
    DEPTH_MOST = 32,  /* of groups below one another */
};

/* Fields of proc_pid_stat(5); the name may hold blanks and parentheses, so it ends at the last ')'. */
static bool stat_parse(struct view text, struct process_entry *entry)
{
    const char *close = text.length ? memrchr(text.text, ')', text.length) : NULL;
    if (!close)
        return false;
    struct view rest = view_skip(text, (size_t)(close - text.text) + 1);
    uint64_t fields[FIELD_VSIZE + 1] = {0};
    view_word(&rest); /* the state */
    for (int field = 4; field <= FIELD_VSIZE; field++) {
        struct view word = view_word(&rest);
        if (!view_u64(word, 10, &fields[field]))
            fields[field] = 0; /* some are negative; none of those that are asked for */
    }
    entry->cpu_ticks = fields[FIELD_USER] + fields[FIELD_SYSTEM];
    entry->start_ticks = fields[FIELD_START];
    return fields[FIELD_VSIZE] != 0;
}

bool process_entry_read(struct process_entry *ret_entry, pid_t pid, const struct sysroot *root)
{
    scoped_text struct text content = {0};
    struct process_entry entry = {.pid = pid};
    struct error gone;
    if (!sysroot_read(root, &content, &gone, "/proc/%d/stat", (int)pid) ||
        !stat_parse(text_view(&content), &entry))
        return false;
    *ret_entry = entry;
    return true;
}

void process_list_read(struct process_list *list, const struct sysroot *root)
{
    scoped_dir DIR *proc = sysroot_opendir(root, "/proc");
    for (struct dirent *found; proc && (found = readdir(proc));) {
        uint64_t pid;
        struct process_entry entry;
        if (view_u64(view_of(found->d_name), 10, &pid) && pid <= INT32_MAX &&
            process_entry_read(&entry, (pid_t)pid, root))
            *vec_push(list) = entry;
    }
}

void process_list_done(struct process_list *list)
{
    vec_done(list);
}

/* ---- control groups ---- */

struct member_list {
    pid_t *pids;
    size_t count, most;
};

static void members_read(struct member_list *members, int folder_fd)
{
    scoped_fd int fd = openat(folder_fd, "cgroup.procs", O_RDONLY | O_CLOEXEC);
    scoped_file FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!file)
        return;
    fd = -1; /* the stream's now */
    char line[32];
    while (members->count < members->most && fgets(line, sizeof(line), file)) {
        uint64_t pid;
        if (view_u64(view_trim(view_of(line)), 10, &pid) && pid && pid <= INT32_MAX)
            members->pids[members->count++] = (pid_t)pid;
    }
}

static void group_read(struct member_list *members, int folder_fd, int depth)
{
    members_read(members, folder_fd);
    scoped_fd int again = depth < DEPTH_MOST ? openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    scoped_dir DIR *folder = again >= 0 ? fdopendir(again) : NULL;
    if (!folder)
        return;
    int own_fd = fd_steal(&again); /* the stream's now */
    for (struct dirent *entry; members->count < members->most && (entry = readdir(folder));) {
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
            continue;
        scoped_fd int below = openat(own_fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (below >= 0)
            group_read(members, below, depth + 1);
    }
}

size_t process_list_of_cgroup(int cgroup_fd, pid_t *ret_pids, size_t most)
{
    struct member_list members = {ret_pids, 0, most};
    group_read(&members, cgroup_fd, 0);
    return members.count;
}
