/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the recorder writes, and how: events and features before the records, compressed records, an excerpt. */
#include "source/recorder/recorder_internal.h"

#include "base/arena.h"
#include "base/scope.h"
#include "source/recorder/recorder_features.h"

#include <string.h>
#include <sys/utsname.h>

/* A twin's ids belong to the same event of the file, whose attribute is the twin's once it was chosen. */
static void describe_event(const struct recorder *recorder, size_t index, struct perf_data_event *event,
                           struct arena *arena)
{
    const struct recorder_counters *counters = &recorder->counters;
    size_t wanted = index < recorder->request.event_count ? index : STREAM_TRACKING, count = 0;
    vec_for_each(&counters->streams, stream)
        count += stream->event == wanted ? stream->ids.count : 0;
    uint64_t *ids = arena_array(arena, uint64_t, count);
    *event = (struct perf_data_event){.ids = ids, .id_count = count};
    count = 0;
    vec_for_each(&counters->streams, stream) {
        if (stream->event != wanted)
            continue;
        memcpy(ids + count, stream->ids.items, stream->ids.count * sizeof(uint64_t));
        count += stream->ids.count;
        if (!stream->is_second)
            event->name = stream->name;
        if (!stream->is_second || (!stream->is_sparse && recorder->result.callchain == CALLCHAIN_DWARF))
            event->attr = stream->attr;
    }
}

/*
 * Where every event is a tracepoint of tasks, perf lets the first one carry the side records, and shows what was traced
 * instead of who ran: only while the file holds no event of another kind. What the tracking event wrote is read alike.
 */
static bool hides_tracking(const struct recorder *recorder, const struct perf_data_event *events)
{
    bool tracepoints = recorder->request.event_count && recorder->request.target->kind != TARGET_CPUS &&
                       recorder->request.target->kind != TARGET_CGROUP;
    for (size_t at = 0; at < recorder->request.event_count; at++)
        tracepoints &= events[at].attr.type == PERF_TYPE_TRACEPOINT;
    return tracepoints;
}

static void carry_tracking(struct perf_data_event *first, const struct perf_data_event *tracking, struct arena *arena)
{
    uint64_t *ids = arena_array(arena, uint64_t, first->id_count + tracking->id_count);
    if (first->id_count)
        memcpy(ids, first->ids, first->id_count * sizeof(*ids));
    if (tracking->id_count)
        memcpy(ids + first->id_count, tracking->ids, tracking->id_count * sizeof(*ids));
    first->ids = ids;
    first->id_count += tracking->id_count;
    first->attr.mmap = first->attr.mmap2 = first->attr.comm = first->attr.comm_exec = first->attr.task = 1;
    first->attr.mmap_data = tracking->attr.mmap_data;
    first->attr.context_switch = tracking->attr.context_switch;
    first->attr.build_id = tracking->attr.build_id;
    first->attr.ksymbol = tracking->attr.ksymbol;
    first->attr.bpf_event = tracking->attr.bpf_event;
    first->attr.namespaces = tracking->attr.namespaces;
    first->attr.cgroup = tracking->attr.cgroup;
}

static struct perf_data_event *describe_events(const struct recorder *recorder, struct arena *arena, size_t *ret_count)
{
    size_t count = recorder->request.event_count + 1;
    struct perf_data_event *events = arena_array(arena, struct perf_data_event, count);
    for (size_t at = 0; at < count; at++)
        describe_event(recorder, at, &events[at], arena);
    if (hides_tracking(recorder, events))
        carry_tracking(&events[0], &events[--count], arena);
    *ret_count = count;
    return events;
}

static bool has_branch_stacks(const struct recorder_counters *counters)
{
    vec_for_each(&counters->streams, stream)
        if (stream->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
            return true;
    return false;
}

/* Records that were written before are replaced: the stream that compresses starts anew as well. */
static bool restart_compressor(struct recorder *recorder, struct error *err)
{
    record_compressor_free(recorder->compressor);
    recorder->compressor = NULL;
    recorder->unpacked_bytes = recorder->packed_bytes = 0;
    return !recorder->request.compression_level ||
           record_compressor_new(&recorder->compressor, recorder->request.compression_level, err);
}

bool recorder_output_begin(struct recorder *recorder, struct error *err)
{
    if (!restart_compressor(recorder, err))
        return false;
    size_t count;
    perf_data_features features = {0};
    struct arena arena;
    arena_init(&arena);
    struct perf_data_event *events = describe_events(recorder, &arena, &count);
    int *groups = arena_array(&arena, int, count);
    for (size_t at = 0; at < count; at++)
        groups[at] = at < recorder->request.event_count ? recorder->request.events[at].group : EVENT_NO_GROUP;
    struct recorder_features_input input = {
        .events = events,
        .event_count = count,
        .groups = groups,
        .command_line = recorder->request.command_line,
        .clock_id = recorder->request.clock_id,
        .compression_level = recorder->request.compression_level,
        .branch_stacks = has_branch_stacks(&recorder->counters),
    };
    recorder_features_gather(&features, &input, recorder->root);
    bool good = recorder_tracing_data_add(&features, events, count, recorder->root, err) &&
                perf_data_writer_begin(recorder->writer, events, count, &features, err);
    perf_data_features_done(&features);
    arena_done(&arena);
    return good;
}

static bool write_records(struct recorder *recorder, const void *records, size_t size_bytes, struct error *err)
{
    if (!recorder->compressor)
        return perf_data_writer_append(recorder->writer, records, size_bytes, err);
    text_clear(&recorder->packed);
    if (!record_compressor_pack(recorder->compressor, records, size_bytes, &recorder->packed, err))
        return false;
    recorder->unpacked_bytes += size_bytes;
    recorder->packed_bytes += recorder->packed.length;
    return perf_data_writer_append(recorder->writer, recorder->packed.bytes, recorder->packed.length, err);
}

/* During the trial the records are held as well; a pipe can't take back what it got, so it gets them later. */
bool recorder_output_put(struct recorder *recorder, const void *records, size_t size_bytes, struct error *err)
{
    if (recorder->trial)
        text_append(&recorder->held, records, size_bytes);
    return (recorder->trial && perf_data_writer_is_pipe(recorder->writer)) ||
           write_records(recorder, records, size_bytes, err);
}

void recorder_output_update_compression(struct recorder *recorder)
{
    scoped_text struct text feature = {0};
    uint64_t ratio = recorder->packed_bytes ? recorder->unpacked_bytes / recorder->packed_bytes : 1;
    if (!recorder->compressor)
        return;
    recorder_features_add_compression(&feature, recorder->request.compression_level, (uint32_t)ratio);
    perf_data_writer_update(recorder->writer, FEATURE_COMPRESSED, feature.bytes, feature.length);
}

bool recorder_excerpt_write(const struct recorder *recorder, int fd, struct error *err)
{
    struct perf_data_writer *writer = NULL;
    perf_data_features none = {0}, features = {0};
    struct utsname machine;
    struct arena arena;
    arena_init(&arena);
    if (uname(&machine) == 0)
        perf_data_add_string(perf_data_features_add(&features, FEATURE_ARCH), machine.machine);
    size_t count;
    const struct perf_data_event *events = describe_events(recorder, &arena, &count);
    bool good = perf_data_writer_create(&writer, "-", fd, err) &&
                perf_data_writer_begin(writer, events, count, &features, err) &&
                perf_data_writer_append(writer, recorder->excerpt.side.bytes, recorder->excerpt.side.length, err);
    vec_for_each(&recorder->excerpt.kept, sample)
        good = good && perf_data_writer_append(writer, sample->bytes, sample->length, err);
    good = good && perf_data_writer_finish(writer, &none, err);
    perf_data_writer_free(writer);
    perf_data_features_done(&features);
    arena_done(&arena);
    return good;
}
