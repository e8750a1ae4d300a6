/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/filling/samples.h"

#include "capture/filling/places.h"
#include "capture/filling/tasks.h"

static uint64_t period_of(const struct capture *capture, const struct sample_head *head)
{
    if (head->sample_type & PERF_SAMPLE_PERIOD)
        return head->period;
    const struct source *source = capture->state->source;
    return head->event < source->event_count ? source->events[head->event].attr.sample_period : 0;
}

/* Its stack, too, of a sample that has more than a head. */
static uint32_t stack_of(struct capture *capture, uint32_t space, const struct record *record,
                         const struct chain_ahead *chain)
{
    const struct record_sample *sample = record ? &record->sample : NULL;
    if (sample && capture_has_dump(capture->state->options, sample)) {
        capture->state->unwound_count = capture->state->frame_count = 0;
        return capture_unwound_stack(capture, space, sample);
    }
    if (sample && chain->is_wanted && sample->sample_type & PERF_SAMPLE_STACK_USER)
        capture->stacks_without_dump += capture_chain_leaves_kernel(&sample->callchain);
    return capture_chain_stack(capture, space, chain);
}

/* record: NULL where its head is all there is. */
static struct sample sample_of(struct capture *capture, const struct record *record, const struct sample_ahead *ahead)
{
    struct recording *recording = &capture->recording;
    const struct sample_head *head = ahead->head;
    uint32_t thread = capture_thread(capture, head->pid, head->tid);
    uint32_t space = recording->threads.items[thread].space;
    uint32_t location =
        head->sample_type & PERF_SAMPLE_IP ? capture_place(capture, space, head->ip, head->cpu_mode) : LOCATION_NONE;
    return (struct sample){
        .time_ns = head->time,
        .period = period_of(capture, head),
        .ip = head->ip,
        .data_addr = head->addr,
        .thread = thread,
        .cpu = head->cpu,
        .comm = recording->threads.items[thread].comm,
        .location = location,
        .stack = stack_of(capture, space, record, &ahead->chain),
        .registers = REGISTERS_NONE,
        .event = (uint16_t)head->event,
        .misc = head->misc,
    };
}

/*
 * How far a counter came since its last sample; each sample of a group carries all its counters. key: of the counter.
 * One that is behind itself began anew: a thread's number was given to another.
 */
static uint64_t counter_advance(struct capture_state *state, uint64_t key, uint64_t value)
{
    uint32_t index = hashmap_find(&state->counter_by_id, key, NULL, NULL, NULL);
    if (index == HASHMAP_ABSENT) {
        index = (uint32_t)state->counters.count;
        *vec_push(&state->counters) = (struct read_counter){0};
        hashmap_add(&state->counter_by_id, key, index);
    }
    struct read_counter *counter = &state->counters.items[index];
    uint64_t advance = value < counter->last_value ? value : value - counter->last_value;
    counter->last_value = value;
    return advance;
}

/*
 * Inherited counters are copied for each thread, with the id of the first (allowed together with reads since Linux
 * 6.12).
 */
static uint64_t counter_key(const struct capture_state *state, const struct record *record, uint64_t id)
{
    bool by_thread = record->event < state->source->event_count && state->source->events[record->event].attr.inherit &&
                     record->sample.sample_type & PERF_SAMPLE_TID;
    return by_thread ? hash_combine(hash_u64(id), record->who.tid) : hash_u64(id);
}

static uint32_t event_of_id(struct capture_state *state, uint64_t id)
{
    for (; state->events_indexed < state->source->event_count; state->events_indexed++) {
        const struct source_event *event = &state->source->events[state->events_indexed];
        for (size_t at = 0; at < event->id_count; at++)
            hashmap_put(&state->event_by_id, hash_u64(event->ids[at]), (uint32_t)state->events_indexed);
    }
    return hashmap_find(&state->event_by_id, hash_u64(id), NULL, NULL, NULL);
}

static struct recorded_event *event_at(struct recording *recording, uint32_t event)
{
    return event < recording->event_count ? &recording->events[event] : NULL;
}

static void keep_merged(struct capture *capture, const struct sample *sample)
{
    struct samples *samples = &capture->recording.samples;
    bool is_exact = sample->misc & PERF_RECORD_MISC_EXACT_IP;
    uint64_t key = hash_u64((uint64_t)is_exact << 48 | (uint64_t)sample->event << 32 | sample->location);
    uint32_t at = hashmap_find(&capture->state->merged, key, NULL, NULL, NULL);
    if (at != HASHMAP_ABSENT) {
        samples->items[at].alike += sample->alike + 1;
        samples->items[at].period += sample->period;
        return;
    }
    hashmap_add(&capture->state->merged, key, (uint32_t)samples->count);
    *vec_push(samples) = *sample;
}

static bool give_out(struct capture *capture, const struct record *record, struct sample *sample)
{
    struct recording *recording = &capture->recording;
    const struct capture_options *options = capture->state->options;
    struct recorded_event *event = event_at(recording, sample->event);
    if (options->sieve && !options->sieve->passes(options->sieve->context, recording, sample))
        return true;
    if (event) {
        event->sample_count += (uint64_t)sample->alike + 1;
        event->period_sum += sample->period;
    }
    if (options->keep_samples && options->merge_samples) {
        keep_merged(capture, sample);
    } else if (options->keep_samples) {
        if (record)
            sample->registers = samples_registers(&recording->samples, &sample_rest(&record->sample)->user_registers);
        *vec_push(&recording->samples) = *sample;
    }
    return !options->watch || options->watch->record(options->watch->context, capture, record, sample);
}

/* One sample for each counter that moved, as its event would have sampled it. */
static bool give_out_read(struct capture *capture, const struct record *record, struct sample *sample)
{
    for (uint32_t at = 0; at < sample_read_count(&record->sample); at++) {
        struct sample_read_value value = sample_read_value(&record->sample, at);
        uint32_t event = event_of_id(capture->state, value.id);
        sample->period = counter_advance(capture->state, counter_key(capture->state, record, value.id), value.value);
        sample->event = event == HASHMAP_ABSENT ? (uint16_t)record->event : (uint16_t)event;
        if (sample->period && !give_out(capture, record, sample))
            return false;
    }
    return true;
}

/* What was counted beside the sample that a row began with. */
static bool give_out_alike(struct capture *capture, const struct sample *row, const struct alike_count *count)
{
    struct sample sample = *row;
    sample.period = count->period;
    sample.alike = (uint32_t)(count->samples - 1); /* further ones beside this one */
    return give_out(capture, NULL, &sample);
}

void capture_give_out_alike(struct capture *capture)
{
    const struct sample *row;
    struct alike_count count;
    for (size_t at = 0; (row = alike_samples_next(&capture->state->alike, &at, &count));)
        if (!give_out_alike(capture, row, &count))
            break;
    alike_samples_done(&capture->state->alike);
}

/* The first of its like is given out at once: in its place among the others. */
static bool give_out_first(struct capture *capture, const struct record *record, const struct alike_key *key,
                           struct sample *sample)
{
    struct alike_count before;
    struct sample *row = alike_samples_add(&capture->state->alike, key, &before);
    if (before.samples && !give_out_alike(capture, row, &before))
        return false;
    *row = *sample;
    return give_out(capture, record, sample);
}

static struct alike_key key_now(const struct capture_state *state, const struct sample_ahead *ahead)
{
    struct alike_key key = ahead->alike;
    key.key ^= (uint64_t)state->epoch << 32 | state->epoch;
    return key;
}

static bool apply_alike(struct capture *capture, const struct record *record, const struct sample_ahead *ahead)
{
    struct alike_key key = key_now(capture->state, ahead);
    struct alike_count *count = alike_samples_find(&capture->state->alike, &key);
    if (count) {
        count->samples++;
        count->period += period_of(capture, ahead->head);
        return true;
    }
    struct sample sample = sample_of(capture, record, ahead);
    key = key_now(capture->state, ahead);
    return give_out_first(capture, record, &key, &sample);
}

static bool has_read_values(const struct record *record)
{
    return record->sample.sample_type & PERF_SAMPLE_READ && sample_rest(&record->sample)->read_format & PERF_FORMAT_ID;
}

bool capture_apply_sample(struct capture *capture, const struct record *record, const struct sample_ahead *ahead)
{
    if (ahead->may_be_alike)
        return apply_alike(capture, record, ahead);
    struct sample sample = sample_of(capture, record, ahead);
    return record && has_read_values(record) ? give_out_read(capture, record, &sample)
                                             : give_out(capture, record, &sample);
}

/* Whether all that is wanted of the sample is what the key of samples alike tells. */
static bool may_be_alike(const struct capture_options *options, uint64_t sample_type)
{
    const uint64_t told_apart_otherwise = PERF_SAMPLE_READ | PERF_SAMPLE_STACK_USER;
    return options->add_up_alike && sample_type & PERF_SAMPLE_IP && !(sample_type & told_apart_otherwise);
}

static struct alike_key alike_key(const struct sample_head *head, const struct chain_ahead *chain)
{
    uint64_t who = hash_u64((uint64_t)head->pid << 32 | head->tid);
    uint64_t what = (head->ip ^ ((uint64_t)head->event << 48 | (uint64_t)head->misc << 32)) * 0x9e3779b97f4a7c15u;
    uint64_t key = hash_u64(who ^ what ^ chain->hash[0]);
    return (struct alike_key){.key = key,
                              .more_key = (uint32_t)((who + (what >> 32) + chain->hash[1]) * 0xc2b2ae3d27d4eb4fu >> 32),
                              .line = (uint32_t)(key >> 32)};
}

void capture_look_at_sample(struct capture_state *state, const struct record *record, const struct sample_head *head,
                            struct sample_ahead *ahead)
{
    ahead->head = head;
    if (head->sample_type & PERF_SAMPLE_IP)
        capture_fetch_place(state, head->ip);
    if (record && capture_has_dump(state->options, &record->sample))
        ahead->chain = (struct chain_ahead){0}; /* the dump knows more */
    else
        capture_look_at_chain(state, head, &ahead->chain);
    ahead->may_be_alike = may_be_alike(state->options, head->sample_type);
    if (!ahead->may_be_alike)
        return;
    ahead->alike = alike_key(head, &ahead->chain);
    alike_samples_fetch(&state->alike, &ahead->alike);
}

void capture_forget_counters(struct capture_state *state)
{
    hashmap_done(&state->counter_by_id);
    hashmap_done(&state->event_by_id);
    state->counter_by_id = state->event_by_id = (struct hashmap){0};
    state->counters.count = 0;
    state->events_indexed = 0;
}
