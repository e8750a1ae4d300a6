/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/recorder/recorder_internal.h"

#include "base/clock.h"
#include "base/file/cache_folder.h"
#include "base/scope.h"
#include "source/recorder/recorder_existing.h"

#include <stdlib.h>

enum {
    TRIAL_POLL_MS = 50,
    FINAL_ROUNDS = 3
};

bool recorder_dumps_stacks(const struct recorder *recorder)
{
    if (recorder->trial)
        return true;
    vec_for_each(&recorder->counters.streams, stream)
        if (stream->attr.sample_type & PERF_SAMPLE_STACK_USER && (!stream->is_second || recorder->counters.on_twins))
            return true;
    return false;
}

/* Emptying the rings. */

static bool put_code(struct recorder *recorder, struct error *err)
{
    if (!recorder->code.wanted.count)
        return true;
    scoped_text struct text pages = {0};
    recorder_code_copy(&recorder->code, recorder->result.last_ns, &pages);
    return recorder_output_put(recorder, pages.bytes, pages.length, err);
}

static bool has_paced(const struct recorder *recorder)
{
    vec_for_each(&recorder->counters.streams, stream)
        if (stream->is_paced)
            return true;
    return false;
}

/*
 * Empty every ring once. The round's end tells readers that what comes later is younger than everything of
 * the round before, so that they can sort in bounded memory: it wants all rings.
 */
bool recorder_drain(struct recorder *recorder, bool paced, struct error *err)
{
    bool any = false;
    vec_for_each(&recorder->counters.rings, ring) {
        bool passed_over = ring->poll_at == SIZE_MAX || (ring->is_paced && !paced);
        size_t size = passed_over ? 0 : ring_buffer_unread(&ring->buffer);
        if (!size)
            continue;
        ring_buffer_take(&ring->buffer, recorder->scratch, size);
        size = recorder_cut_excess(recorder, recorder->scratch, size);
        size = recorder_look(recorder, recorder->scratch, size);
        if (recorder_dumps_stacks(recorder))
            size = recorder_trim_dumps(recorder, recorder->scratch, size);
        size = recorder_trial_drop_data_mmaps(recorder, recorder->scratch, size);
        any = true;
        recorder->unpaced_bytes += ring->is_paced ? 0 : size;
        if (!recorder_output_put(recorder, recorder->scratch, size, err))
            return false;
    }
    if (!any || (!paced && has_paced(recorder)))
        return !any || put_code(recorder, err);
    struct perf_event_header round = {.type = USER_RECORD_FINISHED_ROUND, .size = sizeof(round)};
    return put_code(recorder, err) && recorder_output_put(recorder, &round, sizeof(round), err);
}

/* Opening. */

struct recorder_event recorder_event_of(const struct event_spec *spec)
{
    return (struct recorder_event){
        .name = spec->name,
        .attr = spec->attr,
        .precise_max = spec->precise_max,
        .group = spec->group,
        .weak_group = spec->weak_group,
        .sample_read = spec->sample_read,
        .cpus = spec->cpus,
        .cpu_count = spec->cpu_count,
        .frequency = spec->frequency,
        .period = spec->period,
    };
}

/* Our own copy: what AUTO and the fixed layout of our samples ask for is settled here. */
static void copy_events(struct recorder *recorder, const struct recorder_request *request)
{
    struct recorder_event *events = memory_alloc(memory_product(request->event_count, sizeof(*events)));
    for (size_t at = 0; at < request->event_count; at++) {
        struct recorder_event *event = &events[at];
        *event = request->events[at];
        event->sample_type &= ~(uint64_t)(PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID);
        if (event->callchain == CALLCHAIN_AUTO && (!recorder_all_registers || request->kernel_chains_only ||
                                                   event->sample_read || event->interrupt_registers))
            event->callchain = CALLCHAIN_FRAME_POINTERS;
        if (event->callchain == CALLCHAIN_AUTO && event->user_registers)
            event->user_registers = recorder_all_registers; /* one attribute describes the twins' samples too */
        if (!request->kernel_chains_only && recorder->result.callchain == CALLCHAIN_NONE)
            recorder->result.callchain = event->callchain;
    }
    recorder->request.events = events;
}

static bool samples_kernel(const struct recorder_counters *counters)
{
    vec_for_each(&counters->streams, stream)
        if (stream->event != STREAM_TRACKING && !stream->attr.exclude_kernel)
            return true;
    return false;
}

static bool put_existing(struct recorder *recorder, struct error *err)
{
    const struct recorder_counters *counters = &recorder->counters;
    struct recorder_existing_request existing = {
        .target = recorder->request.target,
        .kernel_code = samples_kernel(counters),
        .data_mappings = recorder_wants_data_mmaps(&recorder->request),
        .cgroups = recorder->request.record_cgroups,
        .bpf_programs = !recorder->request.no_bpf_programs,
        .build_ids = counters->streams.items[counters->streams.count - 1].attr.build_id,
    };
    scoped_text struct text records = {0};
    recorder_existing_add(&records, &existing, recorder->kernel, recorder->root);
    size_t size = recorder_look(recorder, (const uint8_t *)records.bytes, records.length);
    if (recorder_dumps_stacks(recorder))
        size = recorder_trim_dumps(recorder, (uint8_t *)records.bytes, size);
    return recorder_output_put(recorder, records.bytes, size, err);
}

static void index_streams(struct recorder *recorder)
{
    for (uint32_t at = 0; at < recorder->counters.streams.count; at++)
        vec_for_each(&recorder->counters.streams.items[at].ids, id)
            hashmap_add(&recorder->streams_by_id, hash_u64(*id), at);
}

/* A weak group that didn't fit: its events are sampled each by itself. */
static void break_group(struct recorder *recorder, int group)
{
    struct recorder_event *events = (struct recorder_event *)recorder->request.events; /* our own copy */
    for (size_t at = 0; at < recorder->request.event_count; at++) {
        if (events[at].group != group)
            continue;
        recorder_notes_add(&recorder->notes, "'%s': its group doesn't fit the counters; sampled by itself",
                           events[at].name);
        events[at].group = EVENT_NO_GROUP;
        events[at].sample_read = false;
    }
}

static bool open_counters(struct recorder *recorder, struct error *err)
{
    size_t notes = recorder->notes.count;
    while (!recorder_counters_open(&recorder->counters, &recorder->request, recorder->kernel, recorder->root,
                                   &recorder->notes, err)) {
        int group = recorder->counters.broken_group;
        if (group == EVENT_NO_GROUP)
            return false;
        recorder_counters_done(&recorder->counters);
        recorder_notes_cut(&recorder->notes, notes); /* the next attempt says them again */
        break_group(recorder, group);
        notes = recorder->notes.count;
    }
    return true;
}

static bool open_all(struct recorder *recorder, struct error *err)
{
    const struct recorder_request *request = &recorder->request;
    if (!perf_data_writer_create(&recorder->writer, request->output, request->pipe_fd, err) ||
        !open_counters(recorder, err))
        return false;
    index_streams(recorder);
    recorder->scratch = memory_alloc(recorder->counters.ring_bytes);
    recorder->trial = recorder_trial_wanted(recorder);
    bool wait_with_header = recorder->trial && perf_data_writer_is_pipe(recorder->writer);
    return (wait_with_header || recorder_output_begin(recorder, err)) && put_existing(recorder, err) &&
           (wait_with_header || perf_data_writer_commit(recorder->writer, err));
}

bool recorder_open(struct recorder **ret_recorder, const struct recorder_request *request,
                   const struct kernel *kernel, const struct sysroot *root, struct error *err)
{
    struct recorder *recorder = memory_alloc(sizeof(*recorder));
    recorder->request = *request;
    recorder->kernel = kernel;
    recorder->root = root;
    recorder->watched_fd = -1;
    copy_events(recorder, request);
    recorder_code_init(&recorder->code);
    stack_tops_init(&recorder->stack_tops, root);
    if (!open_all(recorder, err)) {
        recorder_discard(recorder);
        recorder_free(recorder);
        return false;
    }
    recorder_pace_begin(recorder);
    recorder->result.ring_bytes = recorder->counters.ring_bytes;
    recorder->result.ring_count = recorder->counters.rings.count;
    *ret_recorder = recorder;
    return true;
}

void recorder_discard(struct recorder *recorder)
{
    if (recorder->writer)
        perf_data_writer_discard(recorder->writer);
}

void recorder_free(struct recorder *recorder)
{
    if (!recorder)
        return;
    recorder_counters_done(&recorder->counters);
    perf_data_writer_free(recorder->writer);
    record_compressor_free(recorder->compressor);
    recorder_code_done(&recorder->code);
    recorder_stacks_done(&recorder->stacks);
    stack_tops_done(&recorder->stack_tops);
    recorder_notes_done(&recorder->notes);
    recorder_files_done(&recorder->files);
    files_apart_done(&recorder->files_apart);
    recorder_excerpt_done(&recorder->excerpt);
    hashmap_done(&recorder->streams_by_id);
    text_done(&recorder->held);
    text_done(&recorder->packed);
    free(recorder->scratch);
    free((void *)recorder->request.events);
    free(recorder);
}

size_t recorder_note_count(const struct recorder *recorder)
{
    return recorder->notes.count;
}

const char *recorder_note(const struct recorder *recorder, size_t index)
{
    return recorder->notes.items[index];
}

/* Running. */

bool recorder_enable(struct recorder *recorder, struct error *err)
{
    return recorder_counters_set(&recorder->counters, true, err);
}

void recorder_disable(struct recorder *recorder)
{
    struct error ignored;
    (void)!recorder_counters_set(&recorder->counters, false, &ignored);
}

bool recorder_switch(struct recorder *recorder, const char *event, bool on, struct error *err)
{
    bool found = false;
    for (size_t at = 0; at < recorder->request.event_count; at++) {
        if (event && strcmp(recorder->request.events[at].name, event) != 0)
            continue;
        found = true;
        if (!recorder_counters_set_event(&recorder->counters, at, on, err))
            return false;
    }
    return found || error_set(err, ERROR_NOT_FOUND, "no event '%s' is recorded", event ? event : "");
}

void recorder_watch(struct recorder *recorder, int fd)
{
    recorder->watched_fd = fd;
}

uint64_t recorder_bytes(const struct recorder *recorder)
{
    return perf_data_writer_bytes(recorder->writer);
}

uint64_t recorder_unpaced_bytes(const struct recorder *recorder)
{
    return recorder->unpaced_bytes;
}

bool recorder_woken(const struct recorder *recorder)
{
    return recorder->woken;
}

bool recorder_target_ended(const struct recorder *recorder)
{
    vec_for_each(&recorder->counters.rings, ring)
        if (!ring->ended && ring->poll_at != SIZE_MAX)
            return false;
    return true;
}

/*
 * What the file's head says of its length is written that often: a small ring wakes us every 100 us, and each commit
 * costs as much as emptying it. Whoever kills us loses that much.
 */
enum {
    COMMIT_NS = 10000000,
    COMMIT_MS = COMMIT_NS / 1000000
};

static bool drain_and_commit(struct recorder *recorder, bool paced, struct error *err)
{
    if (!recorder_drain(recorder, paced, err) ||
        (recorder->trial && recorder_trial_is_over(recorder) && !recorder_trial_conclude(recorder, true, err)))
        return false;
    bool waits = recorder->trial && perf_data_writer_is_pipe(recorder->writer); /* nothing stands there yet */
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    recorder->uncommitted = !waits && now - recorder->committed_ns < COMMIT_NS;
    if (waits || recorder->uncommitted)
        return true;
    recorder->committed_ns = now;
    uint64_t span[2] = {recorder->result.first_ns, recorder->result.last_ns};
    perf_data_writer_update(recorder->writer, FEATURE_SAMPLE_TIME, span, sizeof(span));
    return perf_data_writer_commit(recorder->writer, err);
}

bool recorder_poll(struct recorder *recorder, int timeout_ms, struct error *err)
{
    if (recorder->trial && (timeout_ms < 0 || timeout_ms > TRIAL_POLL_MS))
        timeout_ms = TRIAL_POLL_MS;
    if (recorder->uncommitted && (timeout_ms < 0 || timeout_ms > COMMIT_MS))
        timeout_ms = COMMIT_MS;
    const int wake_fds[2] = {recorder->request.wake_fd, recorder->watched_fd};
    recorder->woken = recorder_counters_wait(&recorder->counters, wake_fds, timeout_ms);
    if (!has_paced(recorder))
        return drain_and_commit(recorder, true, err);
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    bool due = recorder_pace_is_due(recorder, now);
    if (!due)
        recorder_pace_look(recorder, now);
    bool good = drain_and_commit(recorder, due, err);
    if (due)
        recorder_pace_turn(recorder, now);
    return good;
}

/* Finishing. */

static uint64_t read_lost(const struct recorder *recorder, const struct counter_fd *own)
{
    const struct perf_event_attr *attr = &recorder->counters.streams.items[own->stream].attr;
    uint64_t values[3]; /* value, id, lost */
    if (!(attr->read_format & PERF_FORMAT_LOST) || attr->read_format & PERF_FORMAT_GROUP ||
        recorder->kernel->read(recorder->kernel->context, own->fd, values, sizeof(values)) != (ssize_t)sizeof(values))
        return 0;
    return values[2];
}

static bool put_lost(struct recorder *recorder, uint64_t id, uint64_t lost, struct error *err)
{
    struct {
        struct perf_event_header header;
        uint64_t lost, thread, time_ns, cpu, id;
    } record = {
        .header = {.type = PERF_RECORD_LOST_SAMPLES, .size = sizeof(record)},
        .lost = lost,
        .time_ns = recorder->result.last_ns,
        .id = id,
    };
    return recorder_output_put(recorder, &record, sizeof(record), err);
}

/* The counters know what they lost (6.0); LOST records only tell that something was. */
static bool put_all_lost(struct recorder *recorder, struct error *err)
{
    bool known = false;
    for (uint32_t at = 0; at < recorder->counters.streams.count; at++) {
        const struct counter_stream *stream = &recorder->counters.streams.items[at];
        uint64_t lost = 0;
        if (stream->event == STREAM_TRACKING)
            continue;
        known |= (stream->attr.read_format & PERF_FORMAT_LOST) != 0;
        vec_for_each(&recorder->counters.fds, own)
            lost += own->stream == at ? read_lost(recorder, own) : 0;
        if (stream->is_paced) { /* as many were left out on purpose */
            recorder->result.paced_lost += lost;
            continue;
        }
        recorder->result.lost_samples += lost;
        if (lost && !put_lost(recorder, stream->ids.items[0], lost, err))
            return false;
    }
    if (!known) {
        recorder->result.lost_samples = recorder->result.lost_records;
        recorder->result.paced_lost = recorder->paced_lost_records;
    }
    recorder->result.lost_samples += recorder->foreign_samples;
    return true;
}

static bool drain_to_the_end(struct recorder *recorder, struct error *err)
{
    for (int round = 0; round < FINAL_ROUNDS; round++)
        if (!recorder_drain(recorder, true, err))
            return false;
    if (recorder->trial && !recorder_trial_conclude(recorder, false, err))
        return false;
    recorder->committed_ns = 0; /* the last word */
    return put_all_lost(recorder, err) && drain_and_commit(recorder, true, err);
}

bool recorder_finish(struct recorder *recorder, struct recorder_result *ret_result, struct error *err)
{
    recorder_disable(recorder);
    bool good = drain_to_the_end(recorder, err);
    perf_data_features late = {0};
    if (!recorder->request.no_build_ids)
        recorder_files_section(&recorder->files, &late);
    recorder_output_update_compression(recorder);
    if (good)
        good = perf_data_writer_finish(recorder->writer, &late, err);
    perf_data_features_done(&late);
    struct stack_share share = recorder_stacks_share(&recorder->stacks);
    struct recorder_result *result = &recorder->result;
    result->user_stacks = share.judged;
    result->stacks_at_root = share.at_root;
    result->stacks_judged = share.judged >= STACKS_JUDGED_LEAST;
    result->files_kept = files_apart_keep(&recorder->files_apart, home_folder());
    result->code_pages = recorder->code.copied_pages;
    result->code_bytes = recorder->code.copied_bytes;
    result->bytes = perf_data_writer_bytes(recorder->writer);
    *ret_result = *result;
    return good;
}
