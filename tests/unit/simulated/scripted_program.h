/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program with planted ratios on a simulated CPU model: what the PMU would count (rules), what the scheduler is told of the
 * events, how they are opened, and which ratios are asked for.
 */
#ifndef PLUMB_TESTS_UNIT_SIMULATED_SCRIPTED_PROGRAM_H
#define PLUMB_TESTS_UNIT_SIMULATED_SCRIPTED_PROGRAM_H

#include "base/vec.h"
#include "metric/event.h"
#include "metric/schedule/schedule.h"
#include "simulated_pmu.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SCRIPTED_CYCLES, SCRIPTED_INSTRUCTIONS, SCRIPTED_SLOTS, SCRIPTED_FIELD, SCRIPTED_PLAIN = SCRIPTED_FIELD + 8,
       SCRIPTED_PLAINS = 24, SCRIPTED_EVENTS = SCRIPTED_PLAIN + SCRIPTED_PLAINS, SCRIPTED_METRICS = 16 };

/* What a simulated machine of this model is like; the tests' own facts, apart from the scheduler's. */
struct scripted_model {
    const char *name;  /* as the test says it */
    const char *key;   /* as the scheduler knows it; NULL: only CPUID's numbers */
    unsigned threads_per_core, programmable, fixed, fields;
    uint32_t low;      /* counters that some of its events are bound to */
};

static const struct scripted_model scripted_models[] = {
    {"SPR", "SPR", 2, 8, 4, 8, 0xf},
    {"ICX", "ICX", 2, 8, 4, 4, 0xf},
    {"CLX with SMT", "CLX", 2, 4, 3, 0, 0xf},
    {"SKX without SMT", "SKX", 1, 8, 3, 0, 0xf},
    {"Zen 4", "ZEN4", 2, 6, 0, 0, 0x3f},
    {"SPR in a guest", NULL, 1, 4, 3, 0, 0xf},
};

struct scripted {
    const struct scripted_model *model;
    struct simulated_rule rules[SCRIPTED_EVENTS];
    struct schedule_event events[SCRIPTED_EVENTS];
    struct event_spec specs[SCRIPTED_EVENTS];
    struct schedule_metric metrics[SCRIPTED_METRICS];
    uint32_t used[SCRIPTED_METRICS][4]; /* numerator's events, then the denominator */
    char names[SCRIPTED_EVENTS][16];
    double phases[SCRIPTED_EVENTS][2];
    size_t metric_count;
    struct schedule_pmu pmu;
};

static void scripted_event(struct scripted *program, uint32_t event, uint64_t config, uint32_t counters, uint32_t fixed, double rate)
{
    const struct scripted_model *model = program->model;
    snprintf(program->names[event], sizeof(program->names[event]), "event-%u", event);
    counters &= (1u << model->programmable) - 1;
    fixed &= (1u << model->fixed) - 1;
    program->rules[event] = (struct simulated_rule){.type = PERF_TYPE_RAW, .config = config, .needs = SIMULATED_HARDWARE,
                                                    .counters = counters, .fixed = fixed, .per_second = rate};
    program->events[event] = (struct schedule_event){.name = program->names[event], .counters = counters, .fixed = fixed};
    program->specs[event] = (struct event_spec){.name = program->names[event], .scale = 1, .table_row = -1,
                                                .attr = {.type = PERF_TYPE_RAW, .config = config}};
}

static void scripted_topdown(struct scripted *program, unsigned short *seed, double slots)
{
    double left = 1;
    scripted_event(program, SCRIPTED_SLOTS, 0x400, 0, 8, slots);
    program->events[SCRIPTED_SLOTS].kind = SCHEDULE_SLOTS;
    if (!program->events[SCRIPTED_SLOTS].fixed)
        program->rules[SCRIPTED_SLOTS].open_errno = EINVAL;
    for (unsigned field = 0; field < 8; field++) {
        double share = field < 4 ? left * (field == 3 ? 1 : erand48(seed)) : erand48(seed) * 0.3;
        left -= field < 4 ? share : 0;
        scripted_event(program, SCRIPTED_FIELD + field, 0x8000 + 0x100 * field, 0, 0, slots * share);
        program->rules[SCRIPTED_FIELD + field].needs = SIMULATED_METRIC;
        program->events[SCRIPTED_FIELD + field].kind = SCHEDULE_TOPDOWN;
        program->events[SCRIPTED_FIELD + field].field = field;
        program->rules[SCRIPTED_FIELD + field].open_errno = field < program->model->fields ? 0 : EINVAL;
    }
}

/* One to three plain events a cycle; a field of PERF_METRICS by slots. */
static void scripted_metrics(struct scripted *program, unsigned short *seed)
{
    uint32_t next = SCRIPTED_PLAIN;
    for (unsigned field = 0; field < program->model->fields && field < 4; field++) {
        uint32_t *used = program->used[program->metric_count];
        used[0] = SCRIPTED_FIELD + field;
        used[1] = SCRIPTED_SLOTS;
        program->metrics[program->metric_count++] = (struct schedule_metric){.name = "field", .events = {used, 2}};
    }
    while (program->metric_count < SCRIPTED_METRICS && next < SCRIPTED_EVENTS) {
        uint32_t *used = program->used[program->metric_count];
        size_t count = 1 + (size_t)(erand48(seed) * 2.5), at = 0;
        for (; at < count && next < SCRIPTED_EVENTS; at++)
            used[at] = next++;
        used[at] = SCRIPTED_CYCLES;
        program->metrics[program->metric_count++] = (struct schedule_metric){.name = "plain", .events = {used, at + 1}};
    }
}

static void scripted_make(struct scripted *program, const struct scripted_model *model, unsigned number)
{
    unsigned short seed[3] = {(unsigned short)number, 17, 4711};
    double cycles = 1e9 * (1 + 2 * erand48(seed));
    *program = (struct scripted){.model = model};
    scripted_event(program, SCRIPTED_CYCLES, 0x3c, UINT32_MAX, 2, cycles);
    scripted_event(program, SCRIPTED_INSTRUCTIONS, 0xc0, UINT32_MAX, 1, cycles * 3 * erand48(seed));
    scripted_topdown(program, seed, 6 * cycles);
    for (uint32_t at = 0; at < SCRIPTED_PLAINS; at++) {
        double share = pow(10, -3 * erand48(seed));
        uint32_t counters = erand48(seed) < 0.5 ? UINT32_MAX : model->low;
        scripted_event(program, SCRIPTED_PLAIN + at, 0x100 + at, at == 7 ? 1 : counters, 0, cycles * share * 0.9);
    }
    scripted_metrics(program, seed);
    if (!model->key || !schedule_pmu_of_model(model->key, model->threads_per_core, &program->pmu))
        program->pmu = schedule_pmu_architectural(model->programmable, (1u << model->fixed) - 1);
}

/* Half of the plain events do their work in every other phase only: a memory phase, a compute phase. */
static void scripted_phases(struct scripted *program, uint64_t phase_ns)
{
    for (uint32_t event = SCRIPTED_PLAIN; event < SCRIPTED_EVENTS; event++) {
        double rate = program->rules[event].per_second;
        program->phases[event][0] = event % 2 ? rate * 1.6 : rate * 0.4;
        program->phases[event][1] = event % 2 ? rate * 0.4 : rate * 1.6;
        program->rules[event].phases_per_second = program->phases[event];
        program->rules[event].phase_count = 2;
        program->rules[event].phase_ns = phase_ns;
        program->rules[event].phases_repeat = true;
    }
}

static struct simulated_plan scripted_plan(const struct scripted *program)
{
    return (struct simulated_plan){.rules = program->rules, .rule_count = SCRIPTED_EVENTS,
                                   .programmable = program->model->programmable, .fixed = program->model->fixed,
                                   .registers = {[SIMULATED_OFFCORE] = 2, [SIMULATED_FRONTEND] = 1, [SIMULATED_LATENCY] = 1},
                                   .topdown_steps = SIMULATED_ROUNDED};
}

#endif
