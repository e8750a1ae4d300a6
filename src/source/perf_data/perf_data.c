/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/perf_data/perf_data_internal.h"

#include "base/cache_line.h"
#include "base/file/file_fault.h"
#include "base/scope.h"
#include "decode/tracing_data.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HEADER_BYTES = 104,
    HEADER_WITHOUT_FEATURES_BYTES = 72,
    PIPE_HEADER_BYTES = 16,
    SECTION_BYTES = 16,
    EVENT_TYPE_NAME_BYTES = 64,
    PIPE_CHUNK_BYTES = 1 << 20,
    EVENTS_MOST = 1 << 16,
    FETCH_AHEAD_BYTES = 2048, /* some records: those stand one behind the other, but each is only looked into */
    TRACING_DATA_MOST_BYTES = 256 << 20,
    PIPE_HELD_MOST_BYTES = 512 << 20, /* without FINISHED_ROUND: then half of it is let go by time */
};

/* Types of records that only tools write (tools/lib/perf/include/perf/event.h). */
enum {
    TYPE_ATTR = 64,
    TYPE_EVENT_TYPE = 65,
    TYPE_TRACING_DATA = 66,
    TYPE_FINISHED_ROUND = 68,
    TYPE_AUXTRACE = 71,
    TYPE_EVENT_UPDATE = 78,
    TYPE_HEADER_FEATURE = 80,
    TYPE_COMPRESSED = 81,
    TYPE_COMPRESSED2 = 83,
};

/* ---- events ---- */

static void events_publish(struct perf_data *data)
{
    data->source.gives_heads = !data->swapped && sample_heads_suffice(&data->layouts);
    data->source.events = data->events.items;
    data->source.event_count = data->events.count;
}

void perf_data_event_rename(struct perf_data *data, uint32_t event, struct view name)
{
    if (event >= data->events.count || !name.length)
        return;
    data->events.items[event].name = arena_string_n(&data->arena, name.text, name.length);
    data->source.rename_count++;
}

bool perf_data_add_event(struct perf_data *data, const struct perf_event_attr *attr, struct bytes ids,
                         struct error *err)
{
    uint32_t event = (uint32_t)data->events.count;
    if (event >= EVENTS_MOST)
        return error_set(err, ERROR_FORMAT, "more than %d events", EVENTS_MOST);
    char name[96];
    attr_name(attr, name, sizeof(name));
    size_t id_count = bytes_left(&ids) / 8;
    uint64_t *copies = id_count ? arena_array(&data->arena, uint64_t, id_count) : NULL;
    record_layouts_add(&data->layouts, attr);
    for (size_t at = 0; at < id_count; at++) {
        copies[at] = read_u64(&ids);
        record_layouts_add_id(&data->layouts, copies[at], event);
    }
    *vec_push(&data->events) = (struct source_event){.name = arena_string(&data->arena, name),
                                                     .attr = *attr,
                                                     .ids = copies,
                                                     .id_count = id_count,
                                                     .leader = event};
    events_publish(data);
    return true;
}

/* ---- the file's header ---- */

static bool section_inside(const struct perf_data *data, struct file_section section)
{
    return section.offset <= data->map_bytes && section.size_bytes <= data->map_bytes - section.offset;
}

static struct file_section read_section(struct bytes *in)
{
    uint64_t offset = read_u64(in);
    return (struct file_section){offset, read_u64(in)};
}

static bool read_attrs(struct perf_data *data, struct file_section attrs, uint64_t entry_size, struct error *err)
{
    if (!section_inside(data, attrs) || entry_size < PERF_ATTR_SIZE_VER0 + SECTION_BYTES ||
        entry_size > attrs.size_bytes)
        return error_set(err, ERROR_FORMAT, "its header puts the events at %" PRIu64 "+%" PRIu64 " of %zu bytes",
                         attrs.offset, attrs.size_bytes, data->map_bytes);
    uint64_t ids_left = data->map_bytes;
    for (uint64_t at = 0; at + entry_size <= attrs.size_bytes; at += entry_size) {
        const uint8_t *entry = data->map + attrs.offset + at;
        struct perf_event_attr attr;
        uint32_t attr_size;
        if (!attr_decode(entry, entry_size - SECTION_BYTES, data->swapped, &attr, &attr_size, err))
            return error_wrap(err, "event %" PRIu64 ", at offset %" PRIu64, at / entry_size, attrs.offset + at);
        struct bytes tail = bytes_of(entry + entry_size - SECTION_BYTES, SECTION_BYTES, data->swapped);
        struct file_section ids = read_section(&tail);
        if (!section_inside(data, ids) || ids.size_bytes > ids_left)
            return error_set(err, ERROR_FORMAT,
                             "the ids of event %" PRIu64 " would stand at %" PRIu64 "+%" PRIu64 " of %zu bytes",
                             at / entry_size, ids.offset, ids.size_bytes, data->map_bytes);
        ids_left -= ids.size_bytes;
        struct bytes id_bytes = bytes_of(data->map + ids.offset, ids.size_bytes, data->swapped);
        if (!perf_data_add_event(data, &attr, id_bytes, err))
            return false;
    }
    return true;
}

/* Names by config, of recorders before the EVENT_DESC feature. */
static void name_events_by_config(struct perf_data *data, uint64_t config, struct view name)
{
    vec_for_each (&data->events, event)
        if (event->attr.config == config)
            perf_data_event_rename(data, (uint32_t)(event - data->events.items), name);
}

static void read_event_types(struct perf_data *data, struct file_section types)
{
    if (!section_inside(data, types))
        return;
    struct bytes in = bytes_of(data->map + types.offset, types.size_bytes, data->swapped);
    while (bytes_left(&in) >= 8 + EVENT_TYPE_NAME_BYTES) {
        uint64_t config = read_u64(&in);
        const char *name = (const char *)bytes_take(&in, EVENT_TYPE_NAME_BYTES);
        name_events_by_config(data, config, (struct view){name, strnlen(name, EVENT_TYPE_NAME_BYTES)});
    }
}

/*
 * The bitmap is an array of unsigned long. Of a machine of the other byte order it isn't known whether they had 4
 * or 8 bytes: no feature has a number from 32 on, so numbers up there are those of the other half.
 */
static void read_feature_bitmap(struct perf_data *data, struct bytes in, uint64_t bitmap[4])
{
    for (size_t at = 0; at < 4; at++)
        bitmap[at] = read_u64(&in);
    if (data->swapped && bitmap[0] && !(bitmap[0] & UINT32_MAX))
        for (size_t at = 0; at < 4; at++)
            bitmap[at] = bitmap[at] >> 32 | bitmap[at] << 32;
}

static void feed_map(struct perf_data *data, uint64_t offset, uint64_t size)
{
    data->outer.chunk = record_chunk_new(&data->queue, NULL, data->map, data->map_bytes, 0);
    data->outer.at = data->map + offset;
    data->outer.end = data->outer.at + size;
    data->source.total_bytes = size;
}

static bool read_file_header(struct perf_data *data, struct bytes in, uint64_t header_size, struct error *err)
{
    uint64_t attr_size = read_u64(&in);
    struct file_section attrs = read_section(&in);
    data->data = read_section(&in);
    struct file_section event_types = read_section(&in);
    if (in.failed || header_size < HEADER_WITHOUT_FEATURES_BYTES || header_size > data->map_bytes)
        return error_set(err, ERROR_FORMAT, "its header is cut off");
    if (data->data.offset > data->map_bytes)
        return error_set(err, ERROR_FORMAT, "its data would begin at %" PRIu64 " of %zu bytes", data->data.offset,
                         data->map_bytes);
    if (!read_attrs(data, attrs, attr_size, err))
        return false;
    read_event_types(data, event_types);
    uint64_t after_data = data->map_bytes - data->data.offset;
    data->data_size_missing = data->data.size_bytes == 0 || data->data.size_bytes > after_data;
    if (data->data_size_missing) {
        if (data->data.size_bytes)
            perf_data_cut_off(data, data->map_bytes, "its header says that records go on to offset %" PRIu64,
                              data->data.offset + data->data.size_bytes);
        else
            perf_data_cut_off(data, data->map_bytes, "its header doesn't say, at offset 48, how long its records are");
        data->data.size_bytes = after_data;
    }
    data->source.facts.data_offset = data->data.offset;
    data->source.facts.data_size_bytes = data->data.size_bytes;
    feed_map(data, data->data.offset, data->data.size_bytes);
    uint64_t bitmap[4] = {0};
    if (header_size >= HEADER_BYTES)
        read_feature_bitmap(data, in, bitmap);
    perf_data_read_features(data, bitmap);
    return true;
}

/* 1 or 2: the version that a magic number stands for; 0: not perf.data. */
static unsigned magic_version(struct perf_data *data, const uint8_t header[PIPE_HEADER_BYTES])
{
    if (memcmp(header, "PERFILE2", 8) == 0)
        return 2;
    data->swapped = true;
    if (memcmp(header, "2ELIFREP", 8) == 0)
        return 2;
    if (memcmp(header, "PERFFILE", 8) != 0 && memcmp(header, "ELIFFREP", 8) != 0)
        return 0;
    /* Version 1 doesn't tell its byte order: its header is shorter than 2^32 bytes, read the right way. */
    struct bytes size = bytes_of(header + 8, 8, false);
    data->swapped = read_u64(&size) > UINT32_MAX;
    return 1;
}

static bool read_header(struct perf_data *data, const uint8_t header[PIPE_HEADER_BYTES], bool from_pipe,
                        struct error *err)
{
    unsigned version = magic_version(data, header);
    if (!version) {
        error_set(err, ERROR_FORMAT, "not a perf.data file: it begins with neither PERFILE2 nor PERFFILE");
        return error_hint(err, "plumb record and perf record write such files");
    }
    struct bytes size_bytes = bytes_of(header + 8, 8, data->swapped);
    uint64_t size = read_u64(&size_bytes);
    data->source.facts.header_version = version;
    data->source.facts.is_swapped = data->swapped;
    data->queue.swapped = data->swapped;
    data->is_pipe = size == PIPE_HEADER_BYTES;
    data->source.facts.is_pipe = data->is_pipe;
    if (from_pipe && !data->is_pipe) {
        error_set(err, ERROR_FORMAT, "a perf.data file can't be read from a pipe, only perf's pipe format can");
        return error_hint(err, "name the file with -i");
    }
    if (from_pipe)
        return true;
    if (data->is_pipe) {
        feed_map(data, PIPE_HEADER_BYTES, data->map_bytes - PIPE_HEADER_BYTES);
        return true;
    }
    size_t there = data->map_bytes < HEADER_BYTES ? data->map_bytes : HEADER_BYTES;
    return read_file_header(data, bytes_of(data->map + PIPE_HEADER_BYTES, there - PIPE_HEADER_BYTES, data->swapped),
                            size, err);
}

/* ---- scanning ---- */

static bool pipe_read(struct perf_data *data, uint8_t *to, size_t size, size_t *ret_count, struct error *err)
{
    ssize_t count;
    do
        count = read(data->fd, to, size);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return error_system(err, errno, "can't read the recording");
    *ret_count = (size_t)count;
    return true;
}

static uint64_t offset_of(const struct record_chunk *chunk, const uint8_t *bytes)
{
    return chunk->is_unpacked ? chunk->file_offset : chunk->file_offset + (uint64_t)(bytes - chunk->bytes);
}

/* Get at least one byte more behind outer.end. *ret_more false: the pipe has ended. */
static bool pipe_refill(struct perf_data *data, bool *ret_more, struct error *err)
{
    struct record_feed *feed = &data->outer;
    if (!feed->chunk || feed->end == feed->chunk->bytes + feed->chunk->size_bytes) {
        size_t left = feed->chunk ? (size_t)(feed->end - feed->at) : 0;
        uint64_t offset = feed->chunk ? offset_of(feed->chunk, feed->at) : 0;
        uint8_t *buffer = memory_alloc(PIPE_CHUNK_BYTES);
        if (left)
            memcpy(buffer, feed->at, left);
        record_queue_break(&data->queue);
        record_chunk_release(&data->queue, feed->chunk);
        feed->chunk = record_chunk_new(&data->queue, buffer, NULL, PIPE_CHUNK_BYTES, offset);
        feed->at = buffer;
        feed->end = buffer + left;
    }
    size_t room = (size_t)(feed->chunk->bytes + feed->chunk->size_bytes - feed->end), count = 0;
    if (!pipe_read(data, feed->chunk->owned + (feed->end - feed->chunk->bytes), room, &count, err))
        return false;
    feed->end += count;
    *ret_more = count > 0;
    return true;
}

/* Whether wanted bytes stand at outer.at; reads them when a pipe brings them. */
static bool outer_has(struct perf_data *data, size_t wanted, bool *ret_has, struct error *err)
{
    bool more = data->fd >= 0;
    while ((size_t)(data->outer.end - data->outer.at) < wanted && more)
        if (!pipe_refill(data, &more, err))
            return false;
    *ret_has = (size_t)(data->outer.end - data->outer.at) >= wanted;
    return true;
}

static uint16_t size_at(const struct perf_data *data, const uint8_t *bytes)
{
    return stored_u16(bytes + 6, data->swapped);
}

void perf_data_cut_off(struct perf_data *data, uint64_t offset, const char *format, ...)
{
    char *text = data->source.losses.cut_off;
    const size_t room = sizeof(data->source.losses.cut_off);
    if (text[0])
        return;
    size_t used = (size_t)snprintf(text, room, "at offset %" PRIu64 ": ", offset);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, room - used, format, args);
    va_end(args);
}

/* The feed ends within what takes so many bytes. */
static void cut_in_record(struct perf_data *data, const struct record_feed *feed, size_t bytes)
{
    perf_data_cut_off(data, offset_of(feed->chunk, feed->end), "a record of %zu bytes%s began %zu before", bytes,
                      bytes == RECORD_HEADER_BYTES ? " or more" : "", (size_t)(feed->end - feed->at));
}

static bool size_bad(const struct perf_data *data, const uint8_t *bytes, const struct record_feed *feed,
                     struct error *err)
{
    return error_set(err, ERROR_FORMAT, "a record at offset %" PRIu64 " claims a size of %u bytes",
                     offset_of(feed->chunk, bytes), size_at(data, bytes));
}

/* The record at the inner feed, when all of it is there. */
static bool inner_record(struct perf_data *data, bool *ret_has, struct error *err)
{
    struct record_feed *inner = &data->inner;
    size_t left = inner->chunk ? (size_t)(inner->end - inner->at) : 0;
    *ret_has = false;
    if (left < RECORD_HEADER_BYTES)
        return true;
    if (size_at(data, inner->at) < RECORD_HEADER_BYTES)
        return size_bad(data, inner->at, inner, err);
    *ret_has = left >= size_at(data, inner->at);
    return true;
}

/* Throw away what follows an AUXTRACE record. */
static bool outer_skip(struct perf_data *data, uint64_t size, struct error *err)
{
    record_queue_break(&data->queue);
    data->source.read_bytes += size;
    while (size) {
        bool has;
        if (!outer_has(data, 1, &has, err))
            return false;
        if (!has) {
            perf_data_cut_off(data, offset_of(data->outer.chunk, data->outer.end),
                              "%" PRIu64 " more bytes of hardware trace data should follow", size);
            return true;
        }
        uint64_t there = (uint64_t)(data->outer.end - data->outer.at);
        uint64_t step = size < there ? size : there;
        data->outer.at += step;
        size -= step;
    }
    return true;
}

static bool outer_record(struct perf_data *data, bool *ret_has, struct error *err)
{
    if (!outer_has(data, RECORD_HEADER_BYTES, ret_has, err))
        return false;
    if (!*ret_has) {
        if (data->outer.at != data->outer.end)
            cut_in_record(data, &data->outer, RECORD_HEADER_BYTES);
        return true;
    }
    uint16_t size = size_at(data, data->outer.at);
    if (size < RECORD_HEADER_BYTES)
        return size_bad(data, data->outer.at, &data->outer, err);
    if (!outer_has(data, size, ret_has, err))
        return false;
    if (!*ret_has)
        cut_in_record(data, &data->outer, size);
    return true;
}

/* ---- records that describe the recording ---- */

static bool apply_attr(struct perf_data *data, const struct record *record, struct error *err)
{
    struct perf_event_attr attr;
    uint32_t attr_size;
    if (!attr_decode(record->payload.bytes, record->payload.size_bytes, data->swapped, &attr, &attr_size, err))
        return false;
    return perf_data_add_event(data, &attr,
                               bytes_of(record->payload.bytes + attr_size, record->payload.size_bytes - attr_size,
                                        data->swapped),
                               err);
}

static void apply_event_update(struct perf_data *data, const struct record *record)
{
    enum {
        UPDATE_NAME = 2
    };
    struct bytes in = bytes_of(record->payload.bytes, record->payload.size_bytes, data->swapped);
    uint64_t what = read_u64(&in), id = read_u64(&in);
    uint32_t event = record_layouts_event(&data->layouts, id);
    if (in.failed || what != UPDATE_NAME || event == HASHMAP_ABSENT)
        return;
    const char *name = (const char *)in.at;
    perf_data_event_rename(data, event, (struct view){name, strnlen(name, bytes_left(&in))});
}

static void apply_event_type(struct perf_data *data, const struct record *record)
{
    struct bytes in = bytes_of(record->payload.bytes, record->payload.size_bytes, data->swapped);
    uint64_t config = read_u64(&in);
    const char *name = (const char *)in.at;
    if (!in.failed)
        name_events_by_config(data, config, (struct view){name, strnlen(name, bytes_left(&in))});
}

static void apply_header_feature(struct perf_data *data, const struct record *record)
{
    struct bytes in = bytes_of(record->payload.bytes, record->payload.size_bytes, data->swapped);
    uint64_t number = read_u64(&in);
    if (in.failed || number >= FEATURE_COUNT)
        return;
    const uint8_t *copy = arena_copy(&data->arena, in.at, bytes_left(&in));
    perf_data_read_feature(data, (unsigned)number, bytes_of(copy, bytes_left(&in), data->swapped));
}

/* Pipes carry no event descriptions; the name of a tracepoint is in its format, where its number is. */
static void name_tracepoint(struct perf_data *data, const char *system, struct view format)
{
    struct view line, name = {0};
    uint64_t id = 0;
    bool has_id = false;
    while (!has_id && view_line(&format, &line)) {
        struct view key = view_word(&line);
        if (view_equal(key, "name:"))
            name = view_word(&line);
        else if (view_equal(key, "ID:"))
            has_id = view_u64(view_word(&line), 10, &id);
    }
    if (!has_id || !name.length)
        return;
    vec_for_each(&data->events, event)
    {
        char unnamed[96];
        attr_name(&event->attr, unnamed, sizeof(unnamed));
        if (event->attr.type != PERF_TYPE_TRACEPOINT || event->attr.config != id || strcmp(event->name, unnamed) != 0)
            continue;
        const char *modifiers = strchr(unnamed, ':');
        scoped_text struct text full = {0};
        text_printf(&full, "%s:%.*s%s", system, (int)name.length, name.text, modifiers ? modifiers : "");
        perf_data_event_rename(data, (uint32_t)(event - data->events.items), text_view(&full));
    }
}

static void name_tracepoints(struct perf_data *data)
{
    struct bytes_view formats = data->source.facts.tracing_data;
    struct tracing_data tracing;
    struct error ignored;
    struct view format;
    if (!tracing_data_read(formats.bytes, formats.size_bytes, &tracing, &ignored))
        return;
    struct tracing_system at = tracing_data_begin(&tracing);
    while (tracing_data_next(&at, &format))
        name_tracepoint(data, at.name, format);
}

/* Trace formats stand behind their record, padded to 8 bytes. */
static bool apply_tracing_data(struct perf_data *data, const struct record *record, struct error *err)
{
    uint64_t size = (record->appendix.size_bytes + 7) & ~(uint64_t)7;
    if (size > TRACING_DATA_MOST_BYTES)
        return error_set(err, ERROR_FORMAT, "%" PRIu64 " bytes of trace formats", size);
    scoped_text struct text kept = {0};
    while (kept.length < size) {
        bool has;
        if (!outer_has(data, 1, &has, err))
            return false;
        if (!has) {
            perf_data_cut_off(data, offset_of(data->outer.chunk, data->outer.end),
                              "%" PRIu64 " more bytes of trace formats should follow", size - kept.length);
            return true;
        }
        uint64_t there = (uint64_t)(data->outer.end - data->outer.at), missing = size - kept.length;
        uint64_t step = missing < there ? missing : there;
        text_append(&kept, (const char *)data->outer.at, step);
        data->outer.at += step;
    }
    record_queue_break(&data->queue);
    data->source.facts.tracing_data =
        (struct bytes_view){arena_copy(&data->arena, kept.bytes, kept.length), record->appendix.size_bytes};
    name_tracepoints(data);
    return true;
}

static bool apply_compressed(struct perf_data *data, const struct record *record, struct error *err)
{
    struct bytes in = bytes_of(record->payload.bytes, record->payload.size_bytes, data->swapped);
    uint64_t size = record->type == TYPE_COMPRESSED2 ? read_u64(&in) : bytes_left(&in);
    const uint8_t *packed = size <= bytes_left(&in) ? bytes_take(&in, size) : NULL;
    if (!packed)
        return error_set(err, ERROR_FORMAT, "a compressed record claims %" PRIu64 " bytes", size);
    data->source.facts.is_compressed = true;
    return perf_data_unpack(data, packed, size, record->file_offset, err);
}

static void finish_round(struct perf_data *data)
{
    data->draining = true;
    data->flush_limit = data->round_most;
    data->round_most = data->latest_time;
}

/* Act on a record that only tools write; *ret_show: the caller of next() gets it too. */
static bool apply_tool_record(struct perf_data *data, const struct record *record, bool *ret_show, struct error *err)
{
    *ret_show = true;
    switch (record->type) {
    case TYPE_ATTR:
        return apply_attr(data, record, err);
    case TYPE_EVENT_TYPE:
        apply_event_type(data, record);
        return true;
    case TYPE_EVENT_UPDATE:
        apply_event_update(data, record);
        return true;
    case TYPE_HEADER_FEATURE:
        apply_header_feature(data, record);
        return true;
    case TYPE_TRACING_DATA:
        *ret_show = false; /* the record itself may move with the pipe's buffer */
        return apply_tracing_data(data, record, err);
    case TYPE_AUXTRACE:
        *ret_show = false;
        data->source.losses.auxtrace_bytes += record->appendix.size_bytes;
        return outer_skip(data, record->appendix.size_bytes, err);
    case TYPE_FINISHED_ROUND:
        *ret_show = false;
        finish_round(data);
        return true;
    case TYPE_COMPRESSED:
    case TYPE_COMPRESSED2:
        *ret_show = false;
        return apply_compressed(data, record, err);
    default:
        return true;
    }
}

/* ---- next ---- */

static bool decode_at(struct perf_data *data, const struct record_chunk *chunk, const uint8_t *bytes,
                      struct record *ret_record, struct error *err)
{
    if (!record_decode(&data->layouts, bytes, size_at(data, bytes), data->swapped, ret_record, err))
        return error_wrap(err, "at offset %" PRIu64, offset_of(chunk, bytes));
    ret_record->file_offset = offset_of(chunk, bytes);
    data->source.record_stays = !chunk->owned;
    return true;
}

static void count_losses(struct perf_data *data, const struct record *record)
{
    struct source_losses *losses = &data->source.losses;
    switch (record->kind) {
    case RECORD_LOST:
        losses->lost_events += record->lost.count;
        losses->lost_records++;
        break;
    case RECORD_LOST_SAMPLES:
        losses->lost_samples += record->lost.count;
        break;
    case RECORD_THROTTLE:
        losses->throttles++;
        break;
    case RECORD_UNKNOWN:
        losses->unknown_records++;
        break;
    default:
        break;
    }
}

/*
 * By what went out, as all of a recording may be scanned before its first record does; what was packed by what was
 * scanned.
 */
static void count_read(struct perf_data *data, uint64_t bytes)
{
    if (data->source.facts.is_compressed && data->source.total_bytes)
        data->source.read_bytes = data->source.total_bytes - (uint64_t)(data->outer.end - data->outer.at);
    else
        data->source.read_bytes += bytes;
}

/* A large file isn't held in memory, and what comes next is at hand. */
static void window_move(struct perf_data *data)
{
    if (!data->map_is_ours)
        return;
    const uint8_t *keep = record_queue_lowest(&data->queue, data->outer.chunk);
    map_window_move(&data->window, (size_t)((keep ? keep : data->outer.at) - data->map),
                    (size_t)(data->outer.at - data->map));
}

/* A recorder that ends no rounds must not fill the memory: what is older than the middle of the held times goes out. */
static void hold_less(struct perf_data *data)
{
    if (data->queue.bytes_held <= data->held_most_bytes || record_queue_is_empty(&data->queue))
        return;
    uint64_t first = record_queue_first_time(&data->queue);
    data->draining = true;
    data->flush_limit = first < data->latest_time ? first + (data->latest_time - first) / 2 : first;
}

static void queue_timed(struct perf_data *data, struct record_feed *feed, const uint8_t *bytes, uint16_t size,
                        uint64_t time)
{
    record_queue_add(&data->queue, feed->chunk, bytes, size, time);
    data->source.losses.out_of_order += time < data->drained_until;
    if (time > data->latest_time)
        data->latest_time = time;
}

/* Put a record with a time in the queue; false when it has none and goes out at once. */
static bool enqueue(struct perf_data *data, struct record_feed *feed, const uint8_t *bytes, uint16_t size)
{
    uint64_t time;
    if (!record_peek_time(&data->layouts, stored_u32(bytes, data->swapped), bytes + RECORD_HEADER_BYTES,
                          (size_t)size - RECORD_HEADER_BYTES, data->swapped, &time) ||
        !record_time_orders(time))
        return false;
    queue_timed(data, feed, bytes, size, time);
    hold_less(data);
    return true;
}

/* The samples that stand next, whole and with times in one place, without asking anew for each. */
static void scan_samples(struct perf_data *data)
{
    struct record_feed *feed = data->inner.at != data->inner.end ? &data->inner : &data->outer;
    if (data->swapped || !data->layouts.count || data->layouts.times_differ || !feed->chunk)
        return;
    size_t time_at = (size_t)data->layouts.items->sample_time_at + RECORD_HEADER_BYTES;
    while ((size_t)(feed->end - feed->at) >= RECORD_HEADER_BYTES) {
        const uint8_t *bytes = feed->at;
        uint16_t size = stored_u16(bytes + 6, false);
        __builtin_prefetch(bytes + FETCH_AHEAD_BYTES);
        __builtin_prefetch(bytes + FETCH_AHEAD_BYTES + CACHE_LINE_BYTES);
        if (stored_u32(bytes, false) != PERF_RECORD_SAMPLE || size > (size_t)(feed->end - bytes) ||
            size < time_at + sizeof(uint64_t))
            break;
        uint64_t time = stored_u64(bytes + time_at, false);
        if (!record_time_orders(time))
            break;
        feed->at += size;
        queue_timed(data, feed, bytes, size, time);
    }
    hold_less(data);
}

static void input_end(struct perf_data *data)
{
    data->input_ended = data->draining = true;
    data->flush_limit = UINT64_MAX;
}

/* Whether the next record stands at the feed, whole and of a size that can be. */
static bool record_at_hand(const struct perf_data *data, const struct record_feed *feed)
{
    size_t left = (size_t)(feed->end - feed->at);
    return left >= RECORD_HEADER_BYTES && size_at(data, feed->at) >= RECORD_HEADER_BYTES &&
           size_at(data, feed->at) <= left;
}

/* Where the next record stands, all of it; NULL at the input's end. */
static bool feed_of_next(struct perf_data *data, struct record_feed **ret_feed, struct error *err)
{
    bool has;
    *ret_feed = &data->outer;
    if (data->inner.at == data->inner.end && record_at_hand(data, &data->outer))
        return true;
    *ret_feed = &data->inner;
    if (!inner_record(data, &has, err))
        return false;
    if (has)
        return true;
    *ret_feed = &data->outer;
    if (!outer_record(data, &has, err))
        return false;
    if (!has)
        *ret_feed = NULL;
    return true;
}

/* Scan one record of the input. *ret_out: it is in ret_record and goes out now. */
static bool scan(struct perf_data *data, struct record *ret_record, bool *ret_out, struct error *err)
{
    struct record_feed *feed;
    *ret_out = false;
    scan_samples(data);
    if (!feed_of_next(data, &feed, err))
        return false;
    if (!feed) {
        if (data->inner.at != data->inner.end)
            cut_in_record(data, &data->inner, RECORD_HEADER_BYTES);
        input_end(data);
        return true;
    }
    const uint8_t *bytes = feed->at;
    uint16_t size = size_at(data, bytes);
    feed->at += size;
    if (enqueue(data, feed, bytes, size))
        return true;
    if (!decode_at(data, feed->chunk, bytes, ret_record, err))
        return false;
    *ret_out = true;
    bool applied = ret_record->type < TYPE_ATTR || apply_tool_record(data, ret_record, ret_out, err);
    if (!*ret_out && ret_record->type < RECORD_TYPES_MOST)
        data->source.records_kept[ret_record->type]++;
    return applied;
}

static bool drain(struct perf_data *data, struct record *ret_record, bool *ret_out, struct error *err)
{
    const uint8_t *bytes;
    struct record_chunk *chunk;
    *ret_out = record_queue_take(&data->queue, data->flush_limit, &bytes, &chunk);
    if (*ret_out)
        return decode_at(data, chunk, bytes, ret_record, err);
    data->draining = false;
    data->drained_until = data->flush_limit;
    data->ended = data->input_ended;
    window_move(data);
    return true;
}

static size_t perf_data_heads(struct source *source, struct sample_head *ret_heads, size_t most)
{
    struct perf_data *data = (struct perf_data *)source;
    uint64_t until, time;
    struct record_run *run =
        data->draining && !data->ended ? record_queue_samples(&data->queue, data->flush_limit, &until) : NULL;
    if (!run)
        return 0;
    const uint8_t *first = run->at;
    size_t count = 0;
    bool goes_on = true;
    for (time = 0;
         goes_on && time <= until && count < most && sample_head_read(&data->layouts, run->at, &ret_heads[count]);
         count++)
        goes_on = record_run_advance(&data->queue, run, &time);
    if (!count)
        return 0;
    record_queue_samples_taken(&data->queue, goes_on, time);
    count_read(data, (uint64_t)(run->at - first));
    return count;
}

static bool perf_data_next(struct source *source, struct record *ret_record, struct error *err)
{
    struct perf_data *data = (struct perf_data *)source;
    data->source.record_stays = false;
    data->queue.any_order = data->source.any_order;
    if (bytes_left(&data->build_id_cursor) && perf_data_next_build_id(data, ret_record))
        return true;
    while (!data->ended) {
        bool out = false;
        if (data->draining && !drain(data, ret_record, &out, err)) {
            data->ended = true;
            return false;
        }
        if (!data->draining && !data->ended && !out && !scan(data, ret_record, &out, &data->trouble))
            input_end(data);
        if (out) {
            count_losses(data, ret_record);
            count_read(data, RECORD_HEADER_BYTES + ret_record->payload.size_bytes);
            return true;
        }
    }
    if (data->trouble.kind != ERROR_NONE && err)
        *err = data->trouble;
    return false;
}

static void perf_data_close(struct source *source)
{
    struct perf_data *data = (struct perf_data *)source;
    record_queue_done(&data->queue);
    record_chunk_release(&data->queue, data->outer.chunk);
    record_chunk_release(&data->queue, data->inner.chunk);
    zstd_stream_free(data->zstd);
    record_layouts_done(&data->layouts);
    vec_done(&data->events);
    map_window_end(&data->window);
    if (data->map_is_ours && data->map)
        munmap((void *)data->map, data->map_bytes);
    if (data->fd > STDIN_FILENO)
        close(data->fd);
    arena_done(&data->arena);
    free(data);
}

static const struct source_ops perf_data_ops = {
    .next = perf_data_next, .heads = perf_data_heads, .close = perf_data_close};

static struct perf_data *perf_data_new(void)
{
    struct perf_data *data = memory_alloc(sizeof(*data));
    data->source.ops = &perf_data_ops;
    data->fd = -1;
    arena_init(&data->arena);
    data->queue.layouts = &data->layouts;
    data->held_most_bytes = PIPE_HELD_MOST_BYTES;
    return data;
}

static bool open_mapped(struct perf_data *data, struct error *err)
{
    if (data->map_bytes < PIPE_HEADER_BYTES)
        return error_set(err, ERROR_FORMAT, "only %zu bytes, too short for a perf.data file", data->map_bytes);
    return read_header(data, data->map, false, err);
}

bool perf_data_open_bytes(struct source **ret_source, const uint8_t *bytes, size_t size_bytes, struct error *err)
{
    struct perf_data *data = perf_data_new();
    data->map = bytes;
    data->map_bytes = size_bytes;
    if (!open_mapped(data, err)) {
        perf_data_close(&data->source);
        return false;
    }
    *ret_source = &data->source;
    return true;
}

static bool open_pipe(struct perf_data *data, struct error *err)
{
    bool has;
    if (!outer_has(data, PIPE_HEADER_BYTES, &has, err))
        return false;
    if (!has)
        return error_set(err, ERROR_FORMAT, "the input ends before a perf.data header");
    if (!read_header(data, data->outer.at, true, err))
        return false;
    data->outer.at += PIPE_HEADER_BYTES;
    return true;
}

static bool open_fd(struct perf_data *data, struct error *err)
{
    struct stat status;
    if (fstat(data->fd, &status) < 0)
        return error_system(err, errno, "can't look at the recording");
    if (S_ISDIR(status.st_mode))
        return error_set(err, ERROR_FORMAT, "its perf.data is a folder");
    if (!S_ISREG(status.st_mode))
        return open_pipe(data, err);
    data->source.facts.captured_on_s = (uint64_t)status.st_mtime;
    data->map_bytes = (size_t)status.st_size;
    if (data->map_bytes) {
        file_faults_survive();
        void *map = mmap(NULL, data->map_bytes, PROT_READ, MAP_PRIVATE, data->fd, 0);
        if (map == MAP_FAILED)
            return error_system(err, errno, "can't map the recording");
        madvise(map, data->map_bytes, MADV_SEQUENTIAL);
        data->map = map;
        data->map_is_ours = true;
        map_window_begin(&data->window, map, data->map_bytes);
    }
    if (data->fd > STDIN_FILENO)
        close(data->fd);
    data->fd = -1;
    return open_mapped(data, err);
}

/* A case folder (plumb diagnose --case) stands for the recording in it. -1: err says why. */
static int folder_recording_open(int folder, struct error *err)
{
    int fd = openat(folder, "perf.data", O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        return fd;
    if (errno != ENOENT) {
        error_system(err, errno, "a folder whose perf.data can't be opened");
        return -1;
    }
    error_set(err, ERROR_UNSUPPORTED,
              "a folder without a perf.data: no case, and perf's directory format isn't supported");
    error_hint(err, "perf record without --threads and --dir");
    return -1;
}

static int recording_open(const char *path, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0) {
        error_system(err, errno, "can't open it");
        return -1;
    }
    if (fstat(fd, &status) < 0 || !S_ISDIR(status.st_mode))
        return fd;
    int inner = folder_recording_open(fd, err);
    close(fd);
    return inner;
}

bool perf_data_open(struct source **ret_source, const char *path, struct error *err)
{
    struct perf_data *data = perf_data_new();
    bool is_standard_input = strcmp(path, "-") == 0;
    data->fd = is_standard_input ? STDIN_FILENO : recording_open(path, err);
    bool opened = data->fd >= 0 && open_fd(data, err);
    if (!opened) {
        perf_data_close(&data->source);
        return error_wrap(err, "'%s'", is_standard_input ? "standard input" : path);
    }
    *ret_source = &data->source;
    return true;
}
