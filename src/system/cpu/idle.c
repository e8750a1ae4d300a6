/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/cpu/idle.h"

static bool state_read(struct idle_state *state, const struct sysroot *root, int number)
{
    const char *folder = "/sys/devices/system/cpu/cpu0/cpuidle/state%d/%s";
    uint64_t disabled;
    *state = (struct idle_state){.latency_us = -1};
    if (!sysroot_line(root, state->name, sizeof(state->name), folder, number, "name"))
        return false;
    if (!sysroot_i64(root, &state->latency_us, folder, number, "latency"))
        state->latency_us = -1;
    state->disabled = sysroot_u64(root, &disabled, folder, number, "disable") && disabled;
    return true;
}

void cpu_idle_read(struct cpu_idle *idle, const struct sysroot *root)
{
    *idle = (struct cpu_idle){0};
    fact_word_read(&idle->driver, root, "/sys/devices/system/cpu/cpuidle/current_driver");
    fact_word_read(&idle->governor, root, "/sys/devices/system/cpu/cpuidle/current_governor");
    if (!idle->governor.known)
        fact_word_read(&idle->governor, root, "/sys/devices/system/cpu/cpuidle/current_governor_ro");
    int count = 0;
    int64_t deepest = -1;
    while (count < IDLE_STATES_MOST && state_read(&idle->states[count], root, count)) {
        const struct idle_state *state = &idle->states[count++];
        if (!state->disabled && state->latency_us > deepest)
            deepest = state->latency_us;
    }
    if (count)
        fact_number_set(&idle->state_count, count);
    else
        fact_number_absent(&idle->state_count, "the kernel lists no idle states (in a guest the host decides)");
    if (deepest >= 0)
        fact_number_set(&idle->deepest_latency_us, deepest);
    else
        fact_number_absent(&idle->deepest_latency_us, "no enabled idle state tells its latency");
}
