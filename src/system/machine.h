/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All facts about the machine and this process's place on it, in one call.
 *
 * Each part says for itself what is unknown and why; machine_read does not fail for want of files. Facts, no opinions:
 * what can be measured is probe/capability/capability.h, what distorts one probe/setting/setting.h.
 */
#ifndef PLUMB_SYSTEM_MACHINE_H
#define PLUMB_SYSTEM_MACHINE_H

#include "system/cpu/frequency.h"
#include "system/cpu/identity.h"
#include "system/cpu/idle.h"
#include "system/cpu/isolation.h"
#include "system/cpu/mitigation.h"
#include "system/cpu/topology.h"
#include "system/host/cgroup_cpu.h"
#include "system/host/clocksource.h"
#include "system/host/container.h"
#include "system/host/cpu_time.h"
#include "system/host/virtual_machine.h"
#include "system/host/virtualisation.h"
#include "system/kernel.h"
#include "system/memory/huge_page.h"
#include "system/memory/placement.h"
#include "system/pmu/architectural.h"
#include "system/pmu/perf_limits.h"
#include "system/pmu/pmu_list.h"
#include "system/pmu/process_rights.h"

/* What answers perf_event_open itself, told by a call that no kernel accepts. */
enum perf_door {
    PERF_DOOR_NOT_ASKED = 0, /* a snapshot */
    PERF_DOOR_OPEN,          /* the kernel's own check answered */
    PERF_DOOR_REFUSED,       /* something refused before the kernel looked: a seccomp filter */
    PERF_DOOR_ABSENT         /* no such system call: kernel without perf, or a filter that says so */
};

struct machine {
    struct arena arena; /* owns every string and array below */
    struct cpu_identity cpu;
    struct topology topology;
    struct cpu_frequency frequency;
    struct cpu_idle idle;
    struct cpu_isolation isolation;
    struct mitigations mitigations;
    struct pmu_list pmus;
    struct pmu_architectural architectural;
    struct perf_limits limits;
    struct process_rights rights;
    struct virtualisation virtualisation;
    struct container container;
    struct clocksource clocksource;
    struct cpu_time cpu_time;
    struct cgroup_cpu cgroup;
    struct virtual_machines virtual_machines;
    struct huge_page huge_page;
    struct memory_placement memory;
    struct fact_word hostname; /* never in a snapshot */
    enum perf_door perf_door;
    int perf_door_errno;
    bool live;
};

/*
 * kernel may be NULL: then perf_door is not asked. Errors: none today; err is for facts that can't be gathered at all.
 */
MUST_CHECK bool machine_read(const struct sysroot *root, const struct kernel *kernel, struct machine *machine,
                             struct error *err);
void machine_done(struct machine *machine);

#endif
