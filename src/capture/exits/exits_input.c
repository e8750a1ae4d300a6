/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/exits/exits_input.h"

#include "base/scope.h"
#include "decode/exits/exit_text.h"
#include "decode/exits/tracepoint_fields.h"
#include "decode/tracing_data.h"
#include "source/perf_data/perf_data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAGIC_BYTES = 8, TEXT_BYTES_MOST = 1 << 30 };

/* ---- words of formats ---- */

struct word_reading {
    struct exits *exits;
    enum exit_isa isa;
};

static void word_keep(void *context, uint64_t number, struct view word)
{
    struct word_reading *reading = context;
    exits_word_add(reading->exits, reading->isa, number, word);
}

void exits_words_read(struct exits *exits, struct view format)
{
    struct view name;
    uint64_t id;
    if (!tracepoint_name_of(format, &name, &id))
        return;
    struct word_reading reading = {exits, EXIT_ISA_VMX};
    enum exit_point point = exit_point_of(name);
    if (point == EXIT_POINT_USERSPACE) {
        reading.isa = EXIT_ISA_NONE;
        tracepoint_words(format, 0, word_keep, &reading);
    } else if (point == EXIT_POINT_EXIT) {
        /* VMX's list comes first, then SVM's; kernels with PVM have a third. */
        for (unsigned list = 0; list < 3; list++, reading.isa++)
            tracepoint_words(format, list, word_keep, &reading);
    }
}

/* ---- text ---- */

static bool is_remark(struct view line)
{
    static const char *const starts[] = {
        "#",         "VM-EXIT", "Event name", "Analyze events", "Total Samples", "Total events",
        "Attaching", "cpus=",   "version =",  "CPU:",           "MMIO",          "IO Port"};
    line = view_trim(line);
    for (size_t at = 0; at < array_count(starts); at++)
        if (view_starts(line, starts[at]))
            return true;
    return !line.length;
}

static void row_add(struct exits *exits, const struct exit_row *row)
{
    uint32_t name = exits_name(exits, row->name);
    struct exit_tally *tally = exits_tally(exits, EXIT_POINT_EXIT, EXIT_ISA_NONE,
                                           row->has_number ? row->number : UINT64_MAX, name, exits_thread(exits, 0, 0));
    double count = (double)tally->count + row->count;
    tally->count = count < 1e18 ? (uint64_t)count : tally->count;
    if (!row->has_times)
        return;
    tally->timed = tally->count;
    tally->total_ns += row->seconds * 1e9;
    if (!row->has_range || row->max_s > 1e9)
        return;
    uint64_t min_ns = (uint64_t)(row->min_s * 1e9 + 0.5), max_ns = (uint64_t)(row->max_s * 1e9 + 0.5);
    tally->min_ns = !tally->has_range || min_ns < tally->min_ns ? min_ns : tally->min_ns;
    tally->max_ns = max_ns > tally->max_ns ? max_ns : tally->max_ns;
    tally->has_range = true;
}

static void span_take(struct exits *exits)
{
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t at = 0; at < exits->thread_count; at++) {
        const struct exit_thread *thread = &exits->threads[at];
        first = thread->seen && thread->first_ns < first ? thread->first_ns : first;
        last = thread->seen && thread->last_ns > last ? thread->last_ns : last;
    }
    exits->seconds = last > first ? (double)(last - first) * 1e-9 : 0;
}

static size_t text_events(struct exits *exits, struct exits_input *input, struct view text)
{
    size_t found = 0;
    for (struct view line; view_line(&text, &line);) {
        struct exit_event event;
        uint64_t lost;
        if (exit_text_event(line, &event)) {
            exits_add(exits, &event);
            found++;
        } else if (exit_text_lost(line, &lost)) {
            exits->lost += lost;
        } else {
            input->lines_unread += !is_remark(line);
        }
    }
    return found;
}

static void table_read(struct exits *exits, struct exits_input *input, struct view text)
{
    struct strings keys;
    struct view map = exit_text_map(text);
    uint64_t lost;
    strings_init(&keys);
    for (struct view line; view_line(&text, &line);) {
        struct exit_row row;
        if (exit_text_row(line, &row) && row.map.length == map.length &&
            memcmp(row.map.text ? row.map.text : "", map.text ? map.text : "", map.length) == 0) {
            size_t before = strings_count(&keys);
            if (before < EXIT_TALLIES_MOST)
                input->rows_again += strings_intern_n(&keys, row.key.text, row.key.length) < before;
            input->has_parts |= row.has_parts;
            input->part = exit_text_part(&row) ? exit_text_part(&row) : input->part;
            row_add(exits, &row);
        } else if (exit_text_lost(line, &lost)) {
            exits->lost += lost;
        } else {
            input->lines_unread += !is_remark(line);
        }
    }
    strings_done(&keys);
}

bool exits_read_text(struct exits *exits, struct exits_input *input, struct view text)
{
    input->kind = "trace";
    if (text_events(exits, input, text)) {
        span_take(exits);
        return true;
    }
    input->kind = "table";
    input->lines_unread = 0;
    exits->lost = 0;
    table_read(exits, input, text);
    exits->is_table = true;
    exits->fires_exit = exits->watches[EXIT_POINT_EXIT] = true;
    return exits->tally_count > 0;
}

/* ---- recordings ---- */

struct point_layout {
    enum exit_point point; /* EXIT_POINT_COUNT: another event's */
    struct tracepoint_field fields[EXIT_OPERAND_COUNT];
    bool known;
};

struct recording_reading {
    struct source *source;
    struct exits *exits;
    struct exits_input *input;
    struct point_layout *layouts; /* by event of the source */
    size_t layout_count, layout_capacity;
    bool swapped;
};

static void layout_of(struct point_layout *layout, struct view format)
{
    for (size_t at = 0; at < EXIT_OPERAND_COUNT; at++)
        layout->fields[at] = tracepoint_field_find(format, exit_points[layout->point].fields[at]);
    layout->known = !exit_points[layout->point].fields[EXIT_REASON] || layout->fields[EXIT_REASON].bytes;
}

static bool format_find(struct recording_reading *reading, enum exit_point point, uint64_t id, struct view *ret_format)
{
    struct tracing_data data;
    const struct bytes_view *bytes = &reading->source->facts.tracing_data;
    if (!bytes->size_bytes || !tracing_data_read(bytes->bytes, bytes->size_bytes, &data, NULL))
        return false;
    reading->swapped = data.big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    struct tracing_system walk = tracing_data_begin(&data);
    for (struct view format; tracing_data_next(&walk, &format);) {
        struct view name;
        uint64_t number;
        if (tracepoint_name_of(format, &name, &number) && number == id && exit_point_of(name) == point) {
            *ret_format = format;
            return true;
        }
    }
    return false;
}

/* Events of pipes are known as they come. */
static const struct point_layout *layout_for(struct recording_reading *reading, uint32_t event)
{
    while (reading->layout_count <= event) {
        size_t at = reading->layout_count++;
        const struct source_event *source_event = &reading->source->events[at];
        struct view format, name = view_of(source_event->name);
        view_cut(&name, ':');
        reading->layouts = vec_reserve_bytes(reading->layouts, &reading->layout_capacity, reading->layout_count,
                                             sizeof(*reading->layouts));
        struct point_layout *layout = &reading->layouts[at];
        *layout = (struct point_layout){.point = exit_point_of(name)};
        if (source_event->attr.type != PERF_TYPE_TRACEPOINT || layout->point == EXIT_POINT_COUNT) {
            layout->point = EXIT_POINT_COUNT;
            continue;
        }
        reading->exits->watches[layout->point] = true;
        if (format_find(reading, layout->point, source_event->attr.config, &format)) {
            layout_of(layout, format);
            exits_words_read(reading->exits, format);
        }
        if (!layout->known && !reading->input->layout[0])
            snprintf(reading->input->layout, sizeof(reading->input->layout), "%s", source_event->name);
    }
    return &reading->layouts[event];
}

static void sample_add(struct recording_reading *reading, const struct record *record)
{
    if (record->event >= reading->source->event_count)
        return;
    const struct point_layout *layout = layout_for(reading, record->event);
    if (layout->point == EXIT_POINT_COUNT || !layout->known || !record->who.has_time || !record->who.has_thread)
        return;
    const struct bytes_view *raw = &sample_rest(&record->sample)->raw;
    uint64_t values[EXIT_OPERAND_COUNT] = {0};
    struct bytes in = bytes_of(raw->bytes, raw->size_bytes, reading->swapped);
    for (size_t at = 0; at < EXIT_OPERAND_COUNT; at++)
        if (layout->fields[at].bytes)
            values[at] = tracepoint_field_read(&layout->fields[at], &in);
    if (in.failed) {
        reading->input->broken++;
        return;
    }
    struct exit_event event = {
        .point = layout->point,
        .isa = layout->point == EXIT_POINT_EXIT && values[EXIT_ISA] < EXIT_ISA_COUNT ? (enum exit_isa)values[EXIT_ISA]
                                                                                     : EXIT_ISA_NONE,
        .time_ns = record->who.time,
        .thread = record->who.tid,
        .process = record->who.pid,
        .cpu = record->who.has_cpu ? record->who.cpu : 0,
        .vcpu = layout->fields[EXIT_VCPU].bytes ? (int64_t)values[EXIT_VCPU] : -1,
        .reason = values[EXIT_REASON],
        .object = values[EXIT_OBJECT],
        .rip = values[EXIT_RIP],
        .has_object = layout->fields[EXIT_OBJECT].bytes > 0,
        .has_rip = layout->fields[EXIT_RIP].bytes > 0,
    };
    /* Before Linux 3.17 kvm_exit said no isa: VMX and SVM can't be told apart then. */
    exits_add(reading->exits, &event);
}

bool exits_read_recording(struct exits *exits, struct exits_input *input, const char *path, struct error *err)
{
    struct recording_reading reading = {.exits = exits, .input = input};
    struct record record;
    struct error trouble = {0};
    if (!perf_data_open(&reading.source, path, err))
        return false;
    input->kind = "recording";
    while (reading.source->ops->next(reading.source, &record, &trouble))
        if (record.kind == RECORD_SAMPLE)
            sample_add(&reading, &record);
    for (uint32_t at = 0; at < reading.source->event_count; at++)
        (void)layout_for(&reading, at); /* also those without a sample */
    const struct source_losses *losses = &reading.source->losses;
    exits->lost += losses->lost_samples > losses->lost_events ? losses->lost_samples : losses->lost_events;
    const struct source_facts *facts = &reading.source->facts;
    span_take(exits);
    double recorded = facts->last_sample_ns > facts->first_sample_ns
                          ? (double)(facts->last_sample_ns - facts->first_sample_ns) * 1e-9
                          : 0;
    exits->seconds = recorded > exits->seconds ? recorded : exits->seconds;
    reading.source->ops->close(reading.source);
    free(reading.layouts);
    if (trouble.kind != ERROR_NONE && !exits->tally_count) {
        *err = trouble;
        return false;
    }
    if (trouble.kind != ERROR_NONE)
        snprintf(input->broken_off, sizeof(input->broken_off), "%s", trouble.message);
    bool watched = false;
    for (size_t at = 0; at < EXIT_POINT_COUNT; at++)
        watched |= exits->watches[at];
    if (watched)
        return true;
    error_set(err, ERROR_NOT_FOUND, "'%s' has none of kvm's tracepoints", path);
    return error_hint(err, "record them: perf kvm stat record -a, or plumb record -e kvm:kvm_exit,kvm:kvm_entry -a");
}

/* ---- any ---- */

/* A file, a pipe or "-". What was read of it already stands in content. */
static bool stream_read(FILE *file, const char *path, struct text *content, struct error *err)
{
    char buffer[1 << 16];
    for (size_t got; (got = fread(buffer, 1, sizeof(buffer), file)) > 0;) {
        text_append(content, buffer, got);
        if (content->length > TEXT_BYTES_MOST) {
            error_set(err, ERROR_LIMIT, "'%s' is larger than %d MiB", path, TEXT_BYTES_MOST >> 20);
            return error_hint(err,
                              "give it in parts, or record with perf record instead: recordings may be of any size");
        }
    }
    return !ferror(file) || error_system(err, errno, "can't read '%s'", path);
}

static bool is_recording(const struct text *content)
{
    return content->length == MAGIC_BYTES && (memcmp(content->bytes, "PERFILE2", MAGIC_BYTES) == 0 ||
                                              memcmp(content->bytes, "2ELIFREP", MAGIC_BYTES) == 0);
}

bool exits_read(struct exits *exits, struct exits_input *ret_input, const char *path, struct error *err)
{
    scoped_text struct text content = {0};
    bool is_stdin = strcmp(path, "-") == 0;
    scoped_file FILE *opened = is_stdin ? NULL : fopen(path, "re");
    FILE *file = is_stdin ? stdin : opened;
    struct stat status;
    char magic[MAGIC_BYTES];
    *ret_input = (struct exits_input){0};
    if (!file && errno == ENOENT)
        return error_set(err, ERROR_NOT_FOUND, "there is no file '%s'", path);
    if (!file || fstat(fileno(file), &status) != 0)
        return error_system(err, errno, "can't read '%s'", path);
    text_append(&content, magic, fread(magic, 1, sizeof(magic), file));
    if (is_recording(&content)) {
        if (!is_stdin && S_ISREG(status.st_mode))
            return exits_read_recording(exits, ret_input, path, err);
        error_set(err, ERROR_UNSUPPORTED, "'%s' is a recording, which is read from a file only", path);
        return error_hint(err, "write it to a file, and give that to -i");
    }
    if (!stream_read(file, path, &content, err))
        return false;
    struct view text = text_view(&content);
    if (view_starts(view_trim(text), "{"))
        return exits_read_json(exits, ret_input, text, err) || error_wrap(err, "'%s'", path);
    if (exits_read_text(exits, ret_input, text))
        return true;
    error_set(err, ERROR_FORMAT, "'%s' tells of no VM exits (%llu lines in no form that plumb knows)", path,
              (unsigned long long)ret_input->lines_unread);
    return error_hint(
        err, "it reads bpftrace's @reason[N]: count, perf kvm stat report, trace-cmd report and trace_pipe, recordings "
             "of kvm's tracepoints, and what plumb exits --json wrote");
}
