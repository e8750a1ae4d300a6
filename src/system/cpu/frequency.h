/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How is the clock governed: driver, governor, limits, turbo?
 *
 * Does not support: the frequency a CPU really runs at (measure it: scaling_cur_freq is often the last request).
 */
#ifndef PLUMB_SYSTEM_CPU_FREQUENCY_H
#define PLUMB_SYSTEM_CPU_FREQUENCY_H

#include "system/fact.h"

enum turbo_control {
    TURBO_UNKNOWN = 0,
    TURBO_INTEL_PSTATE, /* /sys/devices/system/cpu/intel_pstate/no_turbo */
    TURBO_BOOST         /* /sys/devices/system/cpu/cpufreq/boost */
};

struct cpu_frequency {
    struct fact_word driver, governor;       /* of the first online CPU */
    bool governor_differs;                   /* among CPUs */
    struct fact_word pstate_status;          /* intel_pstate or amd_pstate: "active", "passive" */
    struct fact_word energy_preference;
    struct fact_number min_khz, max_khz, hardware_min_khz, hardware_max_khz, base_khz;
    struct fact_number turbo;                /* 1 on, 0 off */
    enum turbo_control turbo_control;        /* where it is set */
};

void cpu_frequency_read(struct cpu_frequency *frequency, const struct sysroot *root);

#endif
