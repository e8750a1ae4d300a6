/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Are we in a container, and of which kind?
 *
 * From the marker files of the runtimes, the cgroup path and the namespaces; never from anybody's environment.
 */
#ifndef PLUMB_SYSTEM_HOST_CONTAINER_H
#define PLUMB_SYSTEM_HOST_CONTAINER_H

#include "system/pmu/process_rights.h"

enum container_kind {
    CONTAINER_NONE = 0,
    CONTAINER_DOCKER,
    CONTAINER_PODMAN,
    CONTAINER_KUBERNETES,
    CONTAINER_LXC,
    CONTAINER_NSPAWN,
    CONTAINER_GVISOR,
    CONTAINER_WSL,
    CONTAINER_OTHER, /* a PID namespace of its own, and nothing that names the runtime */
    CONTAINER_COUNT
};

struct container {
    enum container_kind kind;
    char evidence[160];
};

void container_read(struct container *container, const struct sysroot *root, const struct process_rights *rights);
const char *container_name(enum container_kind kind);

#endif
