/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric/schedule/schedule_pmu.h"

#include "base/vec.h"

#include <string.h>

enum {
    FIXED_CYCLES = 1u << 1,
    LOW_FOUR = 0xf,
};

#define INTEL_REGISTERS {[SCHEDULE_OFFCORE] = 2, [SCHEDULE_FRONTEND] = 1, [SCHEDULE_LATENCY] = 1}

struct model {
    const char *key;
    unsigned general;        /* with one thread on a core */
    unsigned general_shared; /* with two */
    unsigned fixed, topdown_fields;
    unsigned registers[SCHEDULE_REGISTER_COUNT];
};

/*
 * Skylake's eight counters are four for each thread when the firmware has SMT on. Arm's fixed one is the cycle counter.
 */
static const struct model models[] = {
    {"SKX", 8, 4, 3, 0, INTEL_REGISTERS},
    {"CLX", 8, 4, 3, 0, INTEL_REGISTERS},
    {"CPX", 8, 4, 3, 0, INTEL_REGISTERS},
    {"ICX", 8, 8, 4, 4, INTEL_REGISTERS},
    {"SPR", 8, 8, 4, 8, INTEL_REGISTERS},
    {"EMR", 8, 8, 4, 8, INTEL_REGISTERS},
    {"GNR", 8, 8, 4, 8, INTEL_REGISTERS},
    {"ZEN4", 6, 6, 0, 0, {0}},
    {"ZEN5", 6, 6, 0, 0, {0}},
    {"NEOVERSE-N1", 6, 6, 1, 0, {0}},
    {"NEOVERSE-N2", 6, 6, 1, 0, {0}},
    {"NEOVERSE-V1", 6, 6, 1, 0, {0}},
    {"NEOVERSE-V2", 6, 6, 1, 0, {0}},
    {"NEOVERSE-V3", 6, 6, 1, 0, {0}},
};

static uint32_t first_bits(unsigned count)
{
    return count >= 32 ? UINT32_MAX : (UINT32_C(1) << count) - 1;
}

bool schedule_pmu_of_model(const char *key, unsigned threads_per_core, struct schedule_pmu *ret_pmu)
{
    for (size_t at = 0; at < array_count(models); at++) {
        const struct model *model = &models[at];
        if (strcmp(model->key, key) != 0)
            continue;
        bool shared = threads_per_core > 1;
        *ret_pmu = (struct schedule_pmu){
            .general = first_bits(shared ? model->general_shared : model->general),
            .fixed = first_bits(model->fixed),
            .topdown_fields = model->topdown_fields,
            .shares_core = shared,
        };
        memcpy(ret_pmu->registers, model->registers, sizeof(ret_pmu->registers));
        return true;
    }
    return false;
}

struct schedule_pmu schedule_pmu_architectural(unsigned general, uint32_t fixed)
{
    return (struct schedule_pmu){.general =
                                     first_bits(general < SCHEDULE_GENERAL_MOST ? general : SCHEDULE_GENERAL_MOST),
                                 .fixed = fixed & first_bits(SCHEDULE_FIXED_MOST)};
}

void schedule_pmu_limit(struct schedule_pmu *pmu, unsigned general, uint32_t fixed)
{
    const uint32_t slots = 1u << 3;
    pmu->general &= first_bits(general);
    pmu->fixed &= fixed;
    if (!(pmu->fixed & slots))
        pmu->topdown_fields = 0;
}

/* One step: the highest bit of these counters that is still ours. */
static const struct step {
    uint32_t general, fixed;
    const char *words;
} steps[] = {
    {0, FIXED_CYCLES, "the fixed cycle counter (the NMI watchdog often holds it)"},
    {LOW_FOUR, 0, "one of the first four general counters"},
    {UINT32_MAX, 0, "one more general counter"},
    {LOW_FOUR, 0, "another of the first four general counters"},
};

bool schedule_pmu_give_up(struct schedule_pmu *pmu, unsigned step)
{
    if (step >= array_count(steps))
        return false;
    uint32_t general = pmu->general & steps[step].general, fixed = pmu->fixed & steps[step].fixed;
    if (fixed)
        pmu->fixed &= ~fixed;
    else if (general)
        pmu->general &= ~(UINT32_C(1) << (31 - __builtin_clz(general)));
    return true;
}

const char *schedule_pmu_given_up(unsigned step)
{
    return step < array_count(steps) ? steps[step].words : "nothing more";
}
