/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/host/container.h"

#include "base/scope.h"
#include "base/vec.h"

static const char *const names[CONTAINER_COUNT] = {
    [CONTAINER_NONE] = "none",     [CONTAINER_DOCKER] = "Docker",          [CONTAINER_PODMAN] = "Podman",
    [CONTAINER_KUBERNETES] = "Kubernetes pod", [CONTAINER_LXC] = "LXC",  [CONTAINER_NSPAWN] = "systemd-nspawn",
    [CONTAINER_GVISOR] = "gVisor", [CONTAINER_WSL] = "WSL", [CONTAINER_OTHER] = "container of unknown kind",
};

struct sign {
    const char *text;
    enum container_kind kind;
};

/*
 * A machine's root file system may have been made from a container image, markers included: in the first PID and
 * cgroup namespaces they prove nothing.
 */
static bool by_marker_files(struct container *out, const struct sysroot *root, const struct process_rights *rights)
{
    if (fact_equals(&rights->in_first_pid_namespace, 1) && fact_equals(&rights->in_first_cgroup_namespace, 1))
        return false;
    static const struct sign files[] = {
        {"/var/run/secrets/kubernetes.io", CONTAINER_KUBERNETES},
        {"/run/secrets/kubernetes.io", CONTAINER_KUBERNETES},
        {"/run/.containerenv", CONTAINER_PODMAN},
        {"/.dockerenv", CONTAINER_DOCKER},
    };
    for (size_t at = 0; at < array_count(files); at++)
        if (sysroot_exists(root, "%s", files[at].text)) {
            out->kind = files[at].kind;
            snprintf(out->evidence, sizeof(out->evidence), "%s is there", files[at].text);
            return true;
        }
    return false;
}

/* systemd writes the runtime's name there, as the runtime told it. */
static bool by_systemd(struct container *out, const struct sysroot *root)
{
    static const struct sign kinds[] = {{"docker", CONTAINER_DOCKER}, {"podman", CONTAINER_PODMAN},
                                        {"lxc", CONTAINER_LXC},       {"lxc-libvirt", CONTAINER_LXC},
                                        {"systemd-nspawn", CONTAINER_NSPAWN}, {"wsl", CONTAINER_WSL}};
    char line[64];
    if (!sysroot_line(root, line, sizeof(line), "/run/systemd/container") || !line[0])
        return false;
    out->kind = CONTAINER_OTHER;
    for (size_t at = 0; at < array_count(kinds); at++)
        if (strcmp(line, kinds[at].text) == 0)
            out->kind = kinds[at].kind;
    snprintf(out->evidence, sizeof(out->evidence), "/run/systemd/container says '%s'", line);
    return true;
}

static bool by_kernel(struct container *out, const struct sysroot *root)
{
    char line[256];
    if (!sysroot_line(root, line, sizeof(line), "/proc/version"))
        return false;
    /* gVisor's own "kernel" has printed this version since its first release */
    if (strstr(line, "Linux version 4.4.0") && strstr(line, "Sun Jan 10 15:06:54 PST 2016")) {
        out->kind = CONTAINER_GVISOR;
        snprintf(out->evidence, sizeof(out->evidence), "/proc/version is gVisor's");
        return true;
    }
    if (strstr(line, "icrosoft")) {
        out->kind = CONTAINER_WSL;
        snprintf(out->evidence, sizeof(out->evidence), "/proc/version names Microsoft's kernel");
        return true;
    }
    return false;
}

static bool by_cgroup(struct container *out, const struct sysroot *root)
{
    static const struct sign paths[] = {{"kubepods", CONTAINER_KUBERNETES}, {"/docker", CONTAINER_DOCKER},
                                        {"docker-", CONTAINER_DOCKER},      {"libpod", CONTAINER_PODMAN},
                                        {"/lxc", CONTAINER_LXC},            {"lxc.payload", CONTAINER_LXC},
                                        {"cri-containerd", CONTAINER_KUBERNETES}};
    scoped_text struct text file = {0};
    struct error ignored;
    if (!sysroot_read(root, &file, &ignored, "/proc/self/cgroup"))
        return false;
    for (size_t at = 0; at < array_count(paths); at++)
        if (strstr(text_string(&file), paths[at].text)) {
            out->kind = paths[at].kind;
            snprintf(out->evidence, sizeof(out->evidence), "/proc/self/cgroup has '%s'", paths[at].text);
            return true;
        }
    return false;
}

void container_read(struct container *container, const struct sysroot *root, const struct process_rights *rights)
{
    *container = (struct container){.kind = CONTAINER_NONE};
    if (by_kernel(container, root) || by_marker_files(container, root, rights) || by_systemd(container, root) ||
        by_cgroup(container, root))
        return;
    if (fact_equals(&rights->in_first_pid_namespace, 0)) {
        container->kind = CONTAINER_OTHER;
        snprintf(container->evidence, sizeof(container->evidence), "/proc/self/ns/pid is not the first PID namespace");
        return;
    }
    snprintf(container->evidence, sizeof(container->evidence), "%s",
             fact_equals(&rights->in_first_pid_namespace, 1) ? "first PID namespace, no cgroup path of a runtime"
                                                             : "no runtime's marker, no cgroup path of one");
}

const char *container_name(enum container_kind kind)
{
    return names[kind];
}
