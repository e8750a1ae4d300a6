/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/diagnose/diagnose_cgroup.h"

#include "base/scope.h"
#include "base/vec.h"
#include "system/host/process_list.h"

#include <unistd.h>

enum { MEMBERS_MOST = 4096 };

static const char *members_list(const pid_t *pids, size_t count, struct arena *arena)
{
    scoped_text struct text list = {0};
    for (size_t at = 0; at < count; at++)
        text_printf(&list, at ? ",%d" : "%d", pids[at]);
    return arena_string(arena, text_string(&list));
}

static bool refuse_empty(const char *group, struct error *err)
{
    error_set(err, ERROR_NOT_FOUND, "no process is in the cgroup '%s'", group);
    return error_hint(
        err, "/proc/PID/cgroup names a process's groups, by hierarchy; one of version 1 is named with its mount point: "
             "/sys/fs/cgroup/cpu/GROUP");
}

bool cgroup_members_take(struct target_request *target, const struct sysroot *root, struct arena *arena,
                         struct error *err)
{
    if (!target->cgroup)
        return true;
    struct error refusal = {0};
    scoped_fd int fd = -1;
    bool known = cgroup_open(root, target->cgroup, &fd, &refusal);
    bool elsewhere = !known && target->cgroup[0] == '/' && sysroot_exists(root, "%s/cgroup.procs", target->cgroup);
    if (elsewhere)
        fd = sysroot_open(root, "%s", target->cgroup);
    if (fd < 0) {
        *err = refusal;
        return false;
    }
    scoped_free pid_t *pids = memory_alloc(MEMBERS_MOST * sizeof(*pids));
    size_t count = process_list_of_cgroup(fd, pids, MEMBERS_MOST);
    if (!count)
        return refuse_empty(target->cgroup, err);
    if (elsewhere) {
        target->cgroup = NULL;
        target->processes = members_list(pids, count, arena);
        target->may_be_gone = true;
    }
    return true;
}
