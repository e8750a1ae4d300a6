/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where does a hierarchy of control groups lie, and which of its groups is a process in? cgroup version 1 and 2.
 *
 * Does not support: several mounts of one hierarchy; the first counts.
 */
#ifndef PLUMB_SYSTEM_HOST_CGROUP_PLACE_H
#define PLUMB_SYSTEM_HOST_CGROUP_PLACE_H

#include "system/sysroot.h"

#include <sys/types.h>

enum {
    CGROUP_PATH_SIZE = 1024
};

struct cgroup_place {
    bool found;
    /* the mount's own start within the hierarchy; the mount point */
    char root[CGROUP_PATH_SIZE], point[CGROUP_PATH_SIZE];
};

/* type: "cgroup" with a controller, or "cgroup2" with NULL. */
struct cgroup_place cgroup_place_find(const struct sysroot *root, const char *type, const char *controller);
/*
 * The group of a process (pid 0: of this one) in the hierarchy of that controller; NULL: version 2's. False: in none.
 */
MUST_CHECK bool cgroup_path_find(const struct sysroot *root, pid_t pid, const char *controller, char *path,
                                 size_t path_size);
/* Below the mount point; it begins with a slash or is "". */
const char *cgroup_path_below(const struct cgroup_place *place, const char *path);

#endif
