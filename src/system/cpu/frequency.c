/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/cpu/frequency.h"

#include "base/scope.h"

#include <stdlib.h>

static void turbo_read(struct cpu_frequency *frequency, const struct sysroot *root)
{
    struct fact_number no_turbo;
    fact_number_read(&no_turbo, root, "/sys/devices/system/cpu/intel_pstate/no_turbo");
    if (no_turbo.known) {
        fact_number_set(&frequency->turbo, !no_turbo.value);
        frequency->turbo_control = TURBO_INTEL_PSTATE;
        return;
    }
    fact_number_read(&frequency->turbo, root, "/sys/devices/system/cpu/cpufreq/boost");
    if (frequency->turbo.known)
        frequency->turbo_control = TURBO_BOOST;
    else
        fact_number_absent(&frequency->turbo, "neither intel_pstate/no_turbo nor cpufreq/boost is there");
}

static bool governor_differs(const struct sysroot *root, const struct fact_word *first)
{
    scoped_dir DIR *folder = sysroot_opendir(root, "/sys/devices/system/cpu/cpufreq");
    for (struct dirent *entry; first->known && folder && (entry = readdir(folder));) {
        char line[64];
        if (view_starts(view_of(entry->d_name), "policy") &&
            sysroot_line(root, line, sizeof(line), "/sys/devices/system/cpu/cpufreq/%s/scaling_governor",
                         entry->d_name) &&
            strcmp(line, first->text) != 0)
            return true;
    }
    return false;
}

static int first_online(const struct sysroot *root)
{
    char line[256];
    int *cpus = NULL;
    size_t count = 0;
    int first = 0;
    if (sysroot_line(root, line, sizeof(line), "/sys/devices/system/cpu/online") &&
        cpu_list_parse(view_of(line), &cpus, &count) && count)
        first = cpus[0];
    free(cpus);
    return first;
}

void cpu_frequency_read(struct cpu_frequency *frequency, const struct sysroot *root)
{
    *frequency = (struct cpu_frequency){.turbo_control = TURBO_UNKNOWN};
    int cpu = first_online(root);
    const char *folder = "/sys/devices/system/cpu/cpu%d/cpufreq/%s";
    fact_word_read(&frequency->driver, root, folder, cpu, "scaling_driver");
    fact_word_read(&frequency->governor, root, folder, cpu, "scaling_governor");
    fact_word_read(&frequency->energy_preference, root, folder, cpu, "energy_performance_preference");
    fact_number_read(&frequency->min_khz, root, folder, cpu, "scaling_min_freq");
    fact_number_read(&frequency->max_khz, root, folder, cpu, "scaling_max_freq");
    fact_number_read(&frequency->hardware_min_khz, root, folder, cpu, "cpuinfo_min_freq");
    fact_number_read(&frequency->hardware_max_khz, root, folder, cpu, "cpuinfo_max_freq");
    fact_number_read(&frequency->base_khz, root, folder, cpu, "base_frequency");
    fact_word_read(&frequency->pstate_status, root, "/sys/devices/system/cpu/intel_pstate/status");
    if (!frequency->pstate_status.known)
        fact_word_read(&frequency->pstate_status, root, "/sys/devices/system/cpu/amd_pstate/status");
    frequency->governor_differs = governor_differs(root, &frequency->governor);
    turbo_read(frequency, root);
}
