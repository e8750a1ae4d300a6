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
 * A further source goes into the same model only with the same events: samples name theirs by index. What belongs to one
 * source (identifiers, counters' last values) begins anew.
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

/* Records that wait for their turn, while the memory that they will need is fetched. */
struct records_ahead {
    struct record records[RECORDS_AHEAD];
    struct sample_ahead samples[RECORDS_AHEAD];
    unsigned first, count;
    bool ended;
};

/* As far ahead as records stay. */
static void records_look_ahead(struct capture *capture, struct source *source, struct records_ahead *ahead, struct error *err)
{
    bool stays = true;
    while (!ahead->ended && stays && ahead->count < RECORDS_AHEAD) {
        unsigned at = (ahead->first + ahead->count) % RECORDS_AHEAD;
        ahead->ended = !source->ops->next(source, &ahead->records[at], err);
        if (ahead->ended)
            break;
        ahead->count++;
        stays = source->record_stays;
        if (ahead->records[at].kind == RECORD_SAMPLE)
            capture_look_at_sample(capture->state, &ahead->records[at], &ahead->samples[at]);
    }
}

static bool record_apply(struct capture *capture, struct source *source, const struct record *record, const struct sample_ahead *ahead)
{
    if (record->kind == RECORD_HEADER_FEATURE)
        facts_copy(capture, source); /* a pipe tells its facts as it goes */
    return apply(capture, record, ahead);
}

bool capture_fill_with(struct capture *capture, struct source *source, const struct capture_options *options,
                       struct error *err)
{
    struct error trouble = {0};
    if (!source_follows(capture, source, err))
        return false;
    capture->state->source = source;
    capture->state->options = options;
    events_name(capture, source);
    facts_copy(capture, source);
    uint32_t renamed = source->rename_count, untold = 0;
    scoped_free struct records_ahead *ahead = memory_alloc(sizeof(*ahead));
    *ahead = (struct records_ahead){0};
    bool goes_on = true;
    for (; goes_on; ahead->first = (ahead->first + 1) % RECORDS_AHEAD, ahead->count--) {
        if (!ahead->count || source->record_stays)
            records_look_ahead(capture, source, ahead, &trouble);
        if (!ahead->count)
            break;
        if (options->progress.tick && ++untold == RECORDS_A_TICK) {
            options->progress.tick(options->progress.context, source);
            untold = 0;
        }
        if (source->event_count != capture->recording.event_count || source->rename_count != renamed)
            events_name(capture, source);
        renamed = source->rename_count;
        goes_on = record_apply(capture, source, &ahead->records[ahead->first], &ahead->samples[ahead->first]);
    }
    if (goes_on)
        capture_give_out_alike(capture);
    events_name(capture, source);
    facts_copy(capture, source);
    capture->state->options = NULL;
    if (trouble.kind == ERROR_NONE)
        return true;
    if (err)
        *err = trouble;
    return false;
}

bool capture_fill(struct capture *capture, struct source *source, const struct capture_watch *watch,
                  bool keep_samples, struct error *err)
{
    struct capture_options options = {.watch = watch, .keep_samples = keep_samples, .keep_switches = keep_samples};
    return capture_fill_with(capture, source, &options, err);
}
