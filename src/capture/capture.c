/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/capture.h"

#include "base/scope.h"
#include "base/table_memory.h"
#include "capture/filling/samples.h"
#include "capture/filling/tasks.h"

#include <stdlib.h>

enum {
    RECORDS_A_TICK = 64,
    RECORDS_AHEAD = 8,
    HEADS_AHEAD = 32,
};

void capture_init(struct capture *capture)
{
    *capture = (struct capture){0};
    recording_init(&capture->recording);
    capture->state = memory_alloc(sizeof(*capture->state));
    capture->state->addresses = table_memory_alloc(ADDRESSES_KEPT, sizeof(*capture->state->addresses));
    capture_forget_threads(capture->state);
}

void capture_done(struct capture *capture)
{
    recording_done(&capture->recording);
    if (capture->state) {
        free(capture->state->chains);
        free(capture->state->addresses);
        alike_samples_done(&capture->state->alike);
        hashmap_done(&capture->state->counter_by_id);
        hashmap_done(&capture->state->event_by_id);
        hashmap_done(&capture->state->merged);
        vec_done(&capture->state->counters);
        free(capture->state);
    }
    *capture = (struct capture){0};
}

static void events_describe(struct capture *capture, const struct source *source)
{
    struct recording *recording = &capture->recording;
    if (recording->event_count == source->event_count)
        return;
    struct recorded_event *events = arena_array(&recording->arena, struct recorded_event, source->event_count);
    size_t kept = recording->event_count < source->event_count ? recording->event_count : source->event_count;
    if (kept)
        memcpy(events, recording->events, kept * sizeof(*events));
    recording->events = events;
    recording->event_count = source->event_count;
}

static bool counts_ns(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_SOFTWARE &&
           (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static bool counts_time(const struct recorded_event *event)
{
    return event->counts_ns || (event->type == PERF_TYPE_HARDWARE && event->config == PERF_COUNT_HW_CPU_CYCLES);
}

static bool counts_again(const struct recorded_event *events, size_t index)
{
    for (size_t at = 0; at < index; at++)
        if ((events[at].type == events[index].type && events[at].config == events[index].config) ||
            (counts_time(&events[at]) && events[index].counts_ns))
            return true;
    return false;
}

/* Events of a pipe get their names late: fill in what is known. */
static void events_name(struct capture *capture, const struct source *source)
{
    struct recording *recording = &capture->recording;
    events_describe(capture, source);
    for (size_t at = 0; at < source->event_count; at++) {
        const struct perf_event_attr *attr = &source->events[at].attr;
        struct recorded_event *event = &recording->events[at];
        event->name = arena_string(&recording->arena, source->events[at].name);
        event->type = attr->type;
        event->config = attr->config;
        event->sample_type = attr->sample_type;
        event->user_register_mask = attr->sample_regs_user;
        event->period = attr->sample_period;
        event->is_frequency = attr->freq;
        event->counts_ns = counts_ns(attr);
        event->counts_again = counts_again(recording->events, at);
        event->user_only = attr->exclude_kernel;
    }
}

static const char *copied(struct arena *arena, const char *text)
{
    return text ? arena_string(arena, text) : NULL;
}

static void facts_copy(struct capture *capture, const struct source *source)
{
    struct arena *arena = &capture->recording.arena;
    struct source_facts facts = source->facts;
    facts.hostname = copied(arena, facts.hostname);
    facts.os_release = copied(arena, facts.os_release);
    facts.tool_version = copied(arena, facts.tool_version);
    facts.architecture = copied(arena, facts.architecture);
    facts.cpu_description = copied(arena, facts.cpu_description);
    facts.cpu_id = copied(arena, facts.cpu_id);
    facts.pmu_mappings = copied(arena, facts.pmu_mappings);
    const char **words = arena_array(arena, const char *, facts.command_line_count);
    for (size_t at = 0; at < facts.command_line_count; at++)
        words[at] = copied(arena, facts.command_line[at]);
    facts.command_line = words;
    if (facts.tracing_data.size_bytes == capture->facts.tracing_data.size_bytes)
        facts.tracing_data = capture->facts.tracing_data; /* copied before */
    else
        facts.tracing_data.bytes = arena_copy(arena, facts.tracing_data.bytes, facts.tracing_data.size_bytes);
    capture->facts = facts;
    capture->losses = source->losses;
    if (facts.architecture)
        capture->recording.architecture = facts.architecture;
}

static bool apply(struct capture *capture, const struct record *record, const struct sample_ahead *ahead)
{
    if (record->kind == RECORD_SAMPLE)
        return capture_apply_sample(capture, record, ahead);
    if (record->kind != RECORD_SWITCH)
        capture->state->epoch++;
    capture_apply_task(capture, record);
    const struct capture_watch *watch = capture->state->options->watch;
    return !watch || watch->record(watch->context, capture, record, NULL);
}

/*
 * A further source goes into the same model only with the same events: samples name theirs by index. What belongs to
 * one source (identifiers, counters' last values) begins anew.
 */
static bool source_follows(struct capture *capture, const struct source *source, struct error *err)
{
    struct recording *recording = &capture->recording;
    struct capture_state *state = capture->state;
    bool same = !state->source || source->event_count == recording->event_count;
    for (size_t at = 0; state->source && same && at < source->event_count; at++)
        same = recording->events[at].type == source->events[at].attr.type &&
               recording->events[at].config == source->events[at].attr.config;
    if (!same)
        return error_set(err, ERROR_FORMAT, "it was recorded with other events than the recording before it");
    capture_forget_counters(state);
    capture_forget_threads(state);
    return true;
}

/* What waits for its turn, while the memory that it will need is fetched: records, or of samples the heads. */
struct filling {
    struct capture *capture;
    struct source *source;
    const struct capture_options *options;
    struct record records[RECORDS_AHEAD];
    struct sample_head heads[HEADS_AHEAD];
    struct sample_ahead samples[HEADS_AHEAD]; /* of records or heads */
    unsigned first, count;                    /* of records */
    bool ended;
    uint32_t renamed, untold;
    struct error trouble;
};
_Static_assert((int)HEADS_AHEAD >= (int)RECORDS_AHEAD, "a head for each record");

/* How many came; *ret_goes_on: who watches hasn't seen enough. */
static size_t heads_apply(struct filling *filling, bool *ret_goes_on)
{
    const struct source *source = filling->source;
    size_t count =
        source->any_order && source->gives_heads ? source->ops->heads(filling->source, filling->heads, HEADS_AHEAD) : 0;
    for (size_t at = 0; at < count; at++)
        capture_look_at_sample(filling->capture->state, NULL, &filling->heads[at], &filling->samples[at]);
    *ret_goes_on = true;
    for (size_t at = 0; at < count && *ret_goes_on; at++)
        *ret_goes_on = capture_apply_sample(filling->capture, NULL, &filling->samples[at]);
    return count;
}

/* As far ahead as records stay; where heads may come next, one. */
static void records_look_ahead(struct filling *filling)
{
    struct source *source = filling->source;
    unsigned most = source->any_order && source->gives_heads ? 1 : RECORDS_AHEAD;
    bool stays = true;
    while (!filling->ended && stays && filling->count < most) {
        unsigned at = (filling->first + filling->count) % RECORDS_AHEAD;
        struct record *record = &filling->records[at];
        filling->ended = !source->ops->next(source, record, &filling->trouble);
        if (filling->ended)
            break;
        filling->count++;
        stays = source->record_stays;
        if (record->kind != RECORD_SAMPLE)
            continue;
        filling->heads[at] = sample_head_of(record);
        capture_look_at_sample(filling->capture->state, record, &filling->heads[at], &filling->samples[at]);
    }
}

static bool record_apply(struct filling *filling)
{
    unsigned at = filling->first;
    const struct record *record = &filling->records[at];
    filling->first = (at + 1) % RECORDS_AHEAD;
    filling->count--;
    if (record->kind == RECORD_HEADER_FEATURE)
        facts_copy(filling->capture, filling->source); /* a pipe tells its facts as it goes */
    return apply(filling->capture, record, &filling->samples[at]);
}

/* After some samples or records more: how far it is, and what events are called by now. */
static void keep_up(struct filling *filling, size_t count)
{
    const struct source *source = filling->source;
    filling->untold += (uint32_t)count;
    if (filling->options->progress.tick && filling->untold >= RECORDS_A_TICK) {
        filling->options->progress.tick(filling->options->progress.context, source);
        filling->untold = 0;
    }
    if (source->event_count != filling->capture->recording.event_count || source->rename_count != filling->renamed)
        events_name(filling->capture, source);
    filling->renamed = source->rename_count;
}

/* false: it has ended, or who watches has seen enough (*ret_enough). */
static bool fill_on(struct filling *filling, bool *ret_enough)
{
    bool goes_on;
    size_t count = filling->count ? 0 : heads_apply(filling, &goes_on);
    if (!count) {
        if (!filling->count || filling->source->record_stays)
            records_look_ahead(filling);
        if (!filling->count)
            return false;
        keep_up(filling, 1);
        goes_on = record_apply(filling);
    } else {
        keep_up(filling, count);
    }
    *ret_enough = !goes_on;
    return goes_on;
}

bool capture_fill_with(struct capture *capture, struct source *source, const struct capture_options *options,
                       struct error *err)
{
    if (!source_follows(capture, source, err))
        return false;
    capture->state->source = source;
    capture->state->options = options;
    source->any_order = options->any_order;
    events_name(capture, source);
    facts_copy(capture, source);
    scoped_free struct filling *filling = memory_alloc(sizeof(*filling));
    *filling =
        (struct filling){.capture = capture, .source = source, .options = options, .renamed = source->rename_count};
    bool enough = false;
    while (fill_on(filling, &enough))
        continue;
    if (!enough)
        capture_give_out_alike(capture);
    events_name(capture, source);
    facts_copy(capture, source);
    capture->state->options = NULL;
    if (filling->trouble.kind == ERROR_NONE)
        return true;
    if (err)
        *err = filling->trouble;
    return false;
}

bool capture_fill(struct capture *capture, struct source *source, const struct capture_watch *watch,
                  bool keep_samples, struct error *err)
{
    struct capture_options options = {.watch = watch, .keep_samples = keep_samples, .keep_switches = keep_samples};
    return capture_fill_with(capture, source, &options, err);
}
