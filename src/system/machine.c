/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/machine.h"

#include <errno.h>

/*
 * The kernel checks `flags` before anything else (kernel/events/core.c, perf_event_open), so a flag that no kernel
 * knows is EINVAL from the kernel; a seccomp filter looks at the call's number only and answers its own errno.
 */
#define FLAG_NO_KERNEL_KNOWS (1ul << 30)

static void perf_door_ask(struct machine *machine, const struct kernel *kernel)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY};
    int fd = kernel->perf_event_open(kernel->context, &attr, 0, -1, -1, FLAG_NO_KERNEL_KNOWS);
    machine->perf_door_errno = fd < 0 ? errno : 0;
    if (fd >= 0)
        kernel->close(kernel->context, fd);
    if (fd >= 0 || machine->perf_door_errno == EINVAL)
        machine->perf_door = PERF_DOOR_OPEN;
    else
        machine->perf_door = machine->perf_door_errno == ENOSYS ? PERF_DOOR_ABSENT : PERF_DOOR_REFUSED;
}

bool machine_read(const struct sysroot *root, const struct kernel *kernel, struct machine *machine, struct error *err)
{
    (void)err;
    *machine = (struct machine){.live = sysroot_is_live(root)};
    struct arena *arena = &machine->arena;
    arena_init(arena);
    cpu_identity_read(&machine->cpu, root, arena);
    topology_read(&machine->topology, root, arena);
    cpu_frequency_read(&machine->frequency, root);
    cpu_idle_read(&machine->idle, root);
    cpu_isolation_read(&machine->isolation, root);
    mitigations_read(&machine->mitigations, root, arena);
    pmu_list_read(&machine->pmus, root, arena);
    pmu_architectural_read(&machine->architectural, root, &machine->cpu);
    perf_limits_read(&machine->limits, root);
    process_rights_read(&machine->rights, root);
    virtualisation_read(&machine->virtualisation, root, &machine->cpu);
    container_read(&machine->container, root, &machine->rights);
    clocksource_read(&machine->clocksource, root);
    cpu_time_read(&machine->cpu_time, root);
    cgroup_cpu_read(&machine->cgroup, root, 0);
    virtual_machines_read(&machine->virtual_machines, root, &machine->topology, arena);
    huge_page_read(&machine->huge_page, root);
    memory_placement_read(&machine->memory, root);
    fact_word_read(&machine->hostname, root, "/proc/sys/kernel/hostname");
    if (kernel && machine->live)
        perf_door_ask(machine, kernel);
    return true;
}

void machine_done(struct machine *machine)
{
    arena_done(&machine->arena);
}
