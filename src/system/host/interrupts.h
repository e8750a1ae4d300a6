/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many interrupts has each CPU taken, by kind: its own timer, other CPUs, devices?
 *
 * From /proc/interrupts. Timers are x86's LOC and Arm's arch_timer; what CPUs send one another is RES, CAL, TLB, IWI,
 * IPI*.
 */
#ifndef PLUMB_SYSTEM_HOST_INTERRUPTS_H
#define PLUMB_SYSTEM_HOST_INTERRUPTS_H

#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

struct cpu_interrupts {
    uint32_t cpu;
    uint64_t timer, ipi, other;
};

/* Of each CPU that the first line names; returns how many were stored. */
size_t cpu_interrupts_parse(struct view proc_interrupts, struct cpu_interrupts *ret_cpus, size_t most);

#endif
