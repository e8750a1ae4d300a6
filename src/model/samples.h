/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples as columns of small structs. Code addresses are interned as locations, call chains as stacks of
 * locations, both named by 32-bit id.
 */
#ifndef PLUMB_MODEL_SAMPLES_H
#define PLUMB_MODEL_SAMPLES_H

#include "base/arena.h"
#include "base/hashmap.h"
#include "decode/record.h"

#define STACK_NONE     UINT32_MAX
#define LOCATION_NONE  UINT32_MAX
#define REGISTERS_NONE UINT32_MAX

/* An instruction's place that does not depend on where it was mapped. */
struct location {
    uint32_t dso;
    uint32_t space;    /* one address space in which it was seen, for /proc/PID and JIT maps */
    uint64_t dso_addr; /* see address_space.h */
    uint64_t runtime_addr; /* where it was first seen */
    enum cpu_mode cpu_mode;
};

struct sample {
    uint64_t time_ns;
    uint64_t period; /* weight in the event's unit (ns for cpu-clock) */
    uint64_t ip;     /* runtime address */
    uint64_t data_addr; /* PERF_SAMPLE_ADDR; 0 when not recorded */
    uint32_t thread, cpu; /* cpu UINT32_MAX: not recorded */
    uint32_t comm;        /* string id of the thread's name at that time */
    uint32_t location;
    uint32_t stack;     /* leaf first; STACK_NONE without a chain */
    uint32_t registers; /* index into registers, or REGISTERS_NONE */
    uint16_t event;
    uint16_t misc;
    /* further samples of the same place and event that this one stands for: its period is all of theirs */
    uint32_t alike;
};

struct stack {
    uint32_t first; /* into frames */
    uint32_t count : 31;
    uint32_t of_callers : 1; /* the sample's own location goes before them: samples of many places share it */
};

/* User registers of one sample: those of `mask`, lowest first, at values[first…]. */
struct registers {
    uint32_t first;
    uint64_t mask;
};

struct samples {
    struct sample *items;
    size_t count, capacity;
    struct location *locations;
    size_t location_count, location_capacity;
    struct stack *stacks;
    size_t stack_count, stack_capacity;
    uint32_t *frames; /* location ids, leaf first */
    size_t frame_count, frame_capacity;
    struct registers *registers;
    size_t registers_count, registers_capacity;
    uint64_t *register_values;
    size_t register_value_count, register_value_capacity;
    struct hashmap location_map, stack_map;
};

void samples_done(struct samples *samples);
uint32_t samples_location(struct samples *samples, const struct location *location);
uint32_t samples_stack(struct samples *samples, const uint32_t *locations, size_t count);
/* A stack without the sample's own location: of callers, or of none. */
uint32_t samples_callers(struct samples *samples, const uint32_t *locations, size_t count);
/* Keep a sample's registers; REGISTERS_NONE when there are none. */
uint32_t samples_registers(struct samples *samples, const struct sample_registers *registers);
/* Register `number` of a sample; false when it was not recorded. */
bool samples_register(const struct samples *samples, const struct sample *sample, unsigned number,
                      uint64_t *ret_value);

#endif
