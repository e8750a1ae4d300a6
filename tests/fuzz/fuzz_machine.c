/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A snapshot's files may come from anybody. The first byte says which file the rest is; its reader reads it. */
#include "system/machine.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const paths[] = {"/proc/cpuinfo", "/proc/stat", "/proc/meminfo", "/proc/self/status", "/proc/self/limits", "/proc/self/mountinfo", "/proc/self/cgroup",
                                    "/proc/7/numa_maps", "/proc/7/task/8/stat", "/proc/7/task/8/status", "/sys/devices/system/cpu/online", "/plumb/cpuid", "/sys/devices/system/node/node0/meminfo",
                                    "/sys/bus/event_source/devices/cpu/events/e", "/sys/bus/event_source/devices/cpu/format/event", "/sys/fs/cgroup/cpu.stat", "/sys/fs/cgroup/cpu.max"};

static void put(const char *below, const char *path, const void *data, size_t size)
{
    char full[512];
    snprintf(full, sizeof(full), "%s%s", below, path);
    for (char *slash = strchr(full + strlen(below) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
}

/* In memory where that can be had: many thousand inputs are files for a moment. */
static char folder[sizeof("/dev/shm/plumb-fuzz-XXXXXX")];

static int entry_remove(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static void folder_remove(void)
{
    nftw(folder, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* What the readers need around the one file that is the input. */
static void surroundings_put(void)
{
    snprintf(folder, sizeof(folder), "%s/plumb-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder))
        abort();
    atexit(folder_remove);
    put(folder, "/proc/7/comm", "qemu-kvm", 8);
    put(folder, "/proc/7/task/8/comm", "CPU 0/KVM", 9);
    put(folder, "/dev/kvm", "", 0);
    put(folder, "/sys/devices/system/node/online", "0", 1);
    put(folder, "/sys/bus/event_source/devices/cpu/type", "4", 1);
}

/* Of the surroundings, what an input may have stood for. */
static void replaced_put(void)
{
    static const char mount[] = "36 25 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
    put(folder, "/proc/self/mountinfo", mount, sizeof(mount) - 1);
    put(folder, "/proc/self/cgroup", "0::/\n", 5);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sysroot root;
    struct machine machine;
    struct error err;
    uint64_t config;
    if (!size)
        return 0;
    if (!folder[0])
        surroundings_put();
    replaced_put();
    const char *path = paths[data[0] % (sizeof(paths) / sizeof(paths[0]))];
    put(folder, path, data + 1, size - 1);
    sysroot_init(&root, folder);
    if (machine_read(&root, NULL, &machine, &err)) {
        const struct pmu *core = pmu_find_core(&machine.pmus);
        for (size_t at = 0; core && at < core->events.count; at++)
            if (pmu_event_encode(core, core->events.items[at].value, &config) && config == 1)
                break;
        machine_done(&machine);
    }
    char full[512];
    snprintf(full, sizeof(full), "%s%s", folder, path);
    unlink(full); /* the next input stands alone */
    return 0;
}
