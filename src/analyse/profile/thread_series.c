/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/profile/thread_series.h"

#include "base/scope.h"
#include "base/vec.h"

#include <string.h>

#define NOT_YET UINT32_MAX

static uint32_t stack_add(struct thread_series *series, uint32_t caller, uint32_t place)
{
    uint64_t key = hash_u64((uint64_t)caller << 32 | place); /* one to one */
    uint32_t id = hashmap_find(&series->map, key, NULL, NULL, NULL);
    if (id != HASHMAP_ABSENT)
        return id;
    id = (uint32_t)series->stack_count++;
    series->stacks =
        vec_reserve_bytes(series->stacks, &series->stack_capacity, series->stack_count, sizeof(*series->stacks));
    series->stacks[id] = (struct series_stack){caller, place};
    hashmap_add(&series->map, key, id);
    return id;
}

static uint32_t location_add(struct thread_series *series, struct places *places, uint32_t caller, uint32_t location)
{
    const uint32_t *frames;
    if (location == LOCATION_NONE)
        return stack_add(series, caller, places_of(places, location));
    for (size_t at = places_frames(places, location, &frames); at-- > 0;)
        caller = stack_add(series, caller, frames[at]);
    return caller;
}

static bool has_frames(const struct recording *recording, uint32_t stack)
{
    return stack != STACK_NONE && recording->samples.stacks[stack].count;
}

static uint32_t origin_of(struct thread_series *series, const struct recording *recording, const struct sample *sample)
{
    bool framed = has_frames(recording, sample->stack);
    /* one to one */
    uint64_t key =
        hash_u64((uint64_t)sample->event << 33 | (uint64_t)framed << 32 | (framed ? sample->stack : sample->location));
    uint32_t id = hashmap_find(&series->origin_map, key, NULL, NULL, NULL);
    if (id != HASHMAP_ABSENT)
        return id;
    id = (uint32_t)series->origin_count++;
    series->origins =
        vec_reserve_bytes(series->origins, &series->origin_capacity, series->origin_count, sizeof(*series->origins));
    series->origins[id] = (struct series_origin){sample->event, framed ? sample->stack : STACK_NONE, sample->location};
    hashmap_add(&series->origin_map, key, id);
    return id;
}

void thread_series_add(struct thread_series *series, const struct recording *recording, const struct sample *sample)
{
    series->samples = vec_reserve_bytes(series->samples, &series->sample_capacity, series->sample_count + 1,
                                        sizeof(*series->samples));
    series->samples[series->sample_count++] =
        (struct series_sample){sample->time_ns, sample->thread, origin_of(series, recording, sample)};
}

static uint32_t stack_of(struct thread_series *series, const struct recording *recording, struct places *places,
                         uint32_t origin_id, uint32_t *known)
{
    const struct series_origin *origin = &series->origins[origin_id];
    const struct samples *samples = &recording->samples;
    if (known[origin_id] != NOT_YET)
        return known[origin_id];
    if (origin->stack == STACK_NONE)
        return known[origin_id] = location_add(series, places, SERIES_ROOT, origin->location);
    const struct stack *stack = &samples->stacks[origin->stack];
    const uint32_t *locations = samples->frames + stack->first;
    uint32_t id = SERIES_ROOT;
    for (size_t at = stack_code_count(recording, locations, stack->count, 1); at-- > 0;)
        id = location_add(series, places, id, locations[at]);
    return known[origin_id] = id;
}

static uint32_t row_of(struct thread_series *series, const struct recording *recording, uint32_t thread, uint32_t *rows)
{
    if (rows[thread] != NOT_YET)
        return rows[thread];
    const struct thread *of = &recording->threads.items[thread];
    uint32_t leader = threads_find(&recording->threads, of->pid);
    const char *name = strings_text(&recording->strings, of->comm);
    series->rows = vec_reserve_bytes(series->rows, &series->row_capacity, series->row_count + 1, sizeof(*series->rows));
    series->rows[series->row_count] = (struct series_row){
        .thread = thread,
        .pid = of->pid,
        .tid = of->tid,
        .name = name,
        .process =
            leader == THREAD_NONE ? name : strings_text(&recording->strings, recording->threads.items[leader].comm)};
    return rows[thread] = (uint32_t)series->row_count++;
}

static int sample_compare(const void *left, const void *right)
{
    const struct series_sample *a = left, *b = right;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static int wait_compare(const void *left, const void *right)
{
    const struct series_wait *a = left, *b = right;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
}

static void waits_find(struct thread_series *series, const struct recording *recording, const uint32_t *rows)
{
    scoped_free struct series_wait *open = memory_alloc(memory_product(series->row_count + 1, sizeof(*open)));
    memset(open, 0, (series->row_count + 1) * sizeof(*open));
    for (size_t at = 0; at < recording->switch_count; at++) {
        const struct context_switch *one = &recording->switches[at];
        uint32_t row = one->thread < recording->threads.count ? rows[one->thread] : NOT_YET;
        if (row == NOT_YET)
            continue;
        if (one->out) {
            open[row] = (struct series_wait){.from_ns = one->time_ns, .row = row, .preempted = one->preempted};
            continue;
        }
        if (!open[row].from_ns || one->time_ns < open[row].from_ns)
            continue;
        series->waits =
            vec_reserve_bytes(series->waits, &series->wait_capacity, series->wait_count + 1, sizeof(*series->waits));
        series->waits[series->wait_count] = open[row];
        series->waits[series->wait_count++].until_ns = one->time_ns;
        open[row].from_ns = 0;
    }
}

static void rows_divide(struct thread_series *series)
{
    if (series->sample_count)
        qsort(series->samples, series->sample_count, sizeof(*series->samples), sample_compare);
    if (series->wait_count)
        qsort(series->waits, series->wait_count, sizeof(*series->waits), wait_compare);
    size_t sample = 0, wait = 0;
    for (uint32_t at = 0; at < series->row_count; at++) {
        struct series_row *row = &series->rows[at];
        for (row->first = sample; sample < series->sample_count && series->samples[sample].row == at; sample++)
            row->count++;
        for (row->first_wait = wait; wait < series->wait_count && series->waits[wait].row == at; wait++)
            row->wait_count++;
    }
}

static uint32_t *unknown_ids(size_t count)
{
    uint32_t *ids = memory_alloc(memory_product(count + 1, sizeof(*ids)));
    memset(ids, 0xff, (count + 1) * sizeof(*ids));
    return ids;
}

void thread_series_build(struct thread_series *series, const struct recording *recording, struct places *places,
                         uint32_t event)
{
    scoped_free uint32_t *known = unknown_ids(series->origin_count);
    scoped_free uint32_t *rows = unknown_ids(recording->threads.count);
    size_t kept = 0;
    series->places = places;
    series->event = recording->events[event].name;
    series->first_ns = UINT64_MAX;
    for (size_t at = 0; at < series->sample_count; at++) {
        struct series_sample sample = series->samples[at];
        if (series->origins[sample.stack].event != event)
            continue;
        sample.row = row_of(series, recording, sample.row, rows);
        sample.stack = stack_of(series, recording, places, sample.stack, known);
        series->samples[kept++] = sample;
        series->first_ns = sample.time_ns < series->first_ns ? sample.time_ns : series->first_ns;
        series->last_ns = sample.time_ns > series->last_ns ? sample.time_ns : series->last_ns;
    }
    series->sample_count = kept;
    waits_find(series, recording, rows);
    rows_divide(series);
}

void thread_series_done(struct thread_series *series)
{
    free(series->rows);
    free(series->samples);
    free(series->stacks);
    free(series->waits);
    hashmap_done(&series->map);
    free(series->origins);
    hashmap_done(&series->origin_map);
}
