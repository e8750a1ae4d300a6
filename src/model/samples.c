/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/samples.h"

#include "base/vec.h"

/* Columns are pairs of `name` and `name_count`: give them the shape that vec_push() wants. */
#define column_push(samples, column, count_name, capacity_name)                                                   \
    ((samples)->column = vec_reserve_bytes((samples)->column, &(samples)->capacity_name,                          \
                                           (samples)->count_name + 1, sizeof(*(samples)->column)),                \
     &(samples)->column[(samples)->count_name++])

void samples_done(struct samples *samples)
{
    free(samples->items);
    free(samples->locations);
    free(samples->stacks);
    free(samples->frames);
    free(samples->registers);
    free(samples->register_values);
    hashmap_done(&samples->location_map);
    hashmap_done(&samples->stack_map);
    *samples = (struct samples){0};
}

static bool location_equal(const void *context, uint32_t id, const void *key)
{
    const struct samples *samples = context;
    const struct location *a = &samples->locations[id], *b = key;
    return a->dso == b->dso && a->dso_addr == b->dso_addr && a->cpu_mode == b->cpu_mode;
}

uint32_t samples_location(struct samples *samples, const struct location *location)
{
    uint64_t hash = hash_combine(hash_u64(location->dso_addr), location->dso * 8 + (uint64_t)location->cpu_mode);
    uint32_t id = hashmap_find(&samples->location_map, hash, location_equal, samples, location);
    if (id != HASHMAP_ABSENT)
        return id;
    id = (uint32_t)samples->location_count;
    *column_push(samples, locations, location_count, location_capacity) = *location;
    hashmap_add(&samples->location_map, hash, id);
    return id;
}

struct stack_key {
    const uint32_t *locations;
    size_t count;
    bool of_callers;
};

static bool stack_equal(const void *context, uint32_t id, const void *key)
{
    const struct samples *samples = context;
    const struct stack *stack = &samples->stacks[id];
    const struct stack_key *sought = key;
    return stack->count == sought->count && stack->of_callers == sought->of_callers &&
           (!sought->count ||
            memcmp(samples->frames + stack->first, sought->locations, sought->count * sizeof(*sought->locations)) == 0);
}

static uint32_t stack_intern(struct samples *samples, const uint32_t *locations, size_t count, bool of_callers)
{
    if (samples->frame_count + count > UINT32_MAX)
        return STACK_NONE;
    struct stack_key key = {locations, count, of_callers};
    uint64_t hash = hash_bytes(locations, count * sizeof(*locations)) + of_callers;
    uint32_t id = hashmap_find(&samples->stack_map, hash, stack_equal, samples, &key);
    if (id != HASHMAP_ABSENT)
        return id;
    id = (uint32_t)samples->stack_count;
    *column_push(samples, stacks, stack_count, stack_capacity) = (struct stack){
        .first = (uint32_t)samples->frame_count, .count = (uint32_t)count & INT32_MAX, .of_callers = of_callers};
    samples->frames = vec_reserve_bytes(samples->frames, &samples->frame_capacity, samples->frame_count + count,
                                        sizeof(*samples->frames));
    if (count)
        memcpy(samples->frames + samples->frame_count, locations, count * sizeof(*locations));
    samples->frame_count += count;
    hashmap_add(&samples->stack_map, hash, id);
    return id;
}

uint32_t samples_stack(struct samples *samples, const uint32_t *locations, size_t count)
{
    return count ? stack_intern(samples, locations, count, false) : STACK_NONE;
}

uint32_t samples_callers(struct samples *samples, const uint32_t *locations, size_t count)
{
    return stack_intern(samples, locations, count, true);
}

bool samples_register(const struct samples *samples, const struct sample *sample, unsigned number,
                      uint64_t *ret_value)
{
    if (sample->registers == REGISTERS_NONE || number >= REGISTERS_MOST)
        return false;
    const struct registers *registers = &samples->registers[sample->registers];
    if (!(registers->mask >> number & 1))
        return false;
    uint64_t below = registers->mask & ((UINT64_C(1) << number) - 1);
    *ret_value = samples->register_values[registers->first + (unsigned)__builtin_popcountll(below)];
    return true;
}

uint32_t samples_registers(struct samples *samples, const struct sample_registers *registers)
{
    uint32_t count = registers->values.count;
    if (!registers->abi || !count || samples->register_value_count + count > UINT32_MAX)
        return REGISTERS_NONE;
    uint32_t id = (uint32_t)samples->registers_count;
    *column_push(samples, registers, registers_count, registers_capacity) =
        (struct registers){.first = (uint32_t)samples->register_value_count, .mask = registers->mask};
    for (uint32_t at = 0; at < count; at++)
        *column_push(samples, register_values, register_value_count, register_value_capacity) =
            u64_view_at(&registers->values, at);
    return id;
}
