/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/diff/diff_input.h"

#include "analyse/code/instructions.h"
#include "analyse/profile/hotspots.h"
#include "base/scope.h"
#include "base/vec.h"
#include "command/recording/reading_progress.h"
#include "command/recording/recording_header.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct sampled { /* what tells rows apart, before it has a name */
    uint32_t location, comm, thread, cpu;
};

struct reading {
    const struct diff_input *input;
    struct sample_filter *filter;
    uint64_t passed;
    struct capture capture;
    struct source *source;
    struct places places;
    struct hashmap map;
    vec(struct sampled) sampled;
    struct share_slices *by_event; /* keys are numbers of sampled */
    size_t event_count;
};

static bool sampled_equal(const void *context, uint32_t id, const void *key)
{
    const struct reading *reading = context;
    return memcmp(&reading->sampled.items[id], key, sizeof(struct sampled)) == 0;
}

static uint32_t sampled_id(struct reading *reading, const struct sampled *sampled)
{
    uint64_t hash = hash_bytes(sampled, sizeof(*sampled));
    uint32_t id = hashmap_find(&reading->map, hash, sampled_equal, reading, sampled);
    if (id != HASHMAP_ABSENT)
        return id;
    id = (uint32_t)reading->sampled.count;
    *vec_push(&reading->sampled) = *sampled;
    hashmap_add(&reading->map, hash, id);
    return id;
}

static struct share_slices *slices_of_event(struct reading *reading, uint32_t event)
{
    while (reading->event_count <= event) {
        reading->by_event = memory_resize(reading->by_event, (reading->event_count + 1) * sizeof(*reading->by_event));
        reading->by_event[reading->event_count++] = (struct share_slices){0};
    }
    return &reading->by_event[event];
}

static bool sample_count(void *context, struct capture *capture, const struct record *record,
                         const struct sample *sample)
{
    struct reading *reading = context;
    const struct column_list *keys = reading->input->keys;
    (void)record;
    if (!sample || !sample_filter_passes(reading->filter, &capture->recording, sample))
        return true;
    reading->passed++;
    struct sampled sampled = {
        .location = sample->location,
        .comm = sample->comm,
        .thread = column_listed(keys, COLUMN_PID) || column_listed(keys, COLUMN_TID) ? sample->thread : 0,
        .cpu = column_listed(keys, COLUMN_CPU) ? sample->cpu : 0};
    share_slices_add(slices_of_event(reading, sample->event), sampled_id(reading, &sampled), sample->time_ns,
                     (double)sample->period);
    return true;
}

/* ---- names ---- */

/* Code that a process made is called after the process, which is another one in each recording. */
static const char *dso_shown(const struct reading *reading, const struct place *place)
{
    bool made =
        place->dso_id != DSO_NONE && reading->capture.recording.spaces.dsos[place->dso_id].kind == DSO_ANONYMOUS;
    return made ? "[generated code]" : place->dso;
}

static void add_column(struct text *out, struct reading *reading, const struct sampled *sampled,
                       const struct place *place, enum hotspot_column column)
{
    const struct recording *recording = &reading->capture.recording;
    const struct thread *thread = &recording->threads.items[sampled->thread];
    switch (column) {
    case COLUMN_COMM: text_add(out, strings_text(&recording->strings, sampled->comm)); break;
    case COLUMN_PID: text_printf(out, "%" PRIu32, thread->pid); break;
    case COLUMN_TID: text_printf(out, "%" PRIu32, thread->tid); break;
    case COLUMN_CPU: text_printf(out, "%" PRIu32, sampled->cpu); break;
    case COLUMN_DSO: text_add(out, dso_shown(reading, place)); break;
    case COLUMN_LINE: text_add(out, place->symbol ? place->line : "(no name)"); break;
    default: text_printf(out, "[%c] %s", place->level, place->symbol ? place->symbol : "(no name)");
    }
}

static bool row_wanted(const struct reading *reading, const struct sampled *sampled, const struct place *place)
{
    const struct diff_input *input = reading->input;
    return hotspot_name_listed(input->comms, strings_text(&reading->capture.recording.strings, sampled->comm)) &&
           hotspot_name_listed(input->dsos, place->dso) && hotspot_symbol_listed(input->symbols, place->symbol);
}

static void keys_name(struct text *out, struct reading *reading, const struct sampled *sampled)
{
    struct place place = *places_at(&reading->places, sampled->location);
    const struct column_list *keys = reading->input->keys;
    text_clear(out);
    if (!row_wanted(reading, sampled, &place))
        return; /* without a name: of the whole, and no row */
    for (size_t at = 0; at < keys->count; at++) {
        size_t begin = out->length;
        add_column(out, reading, sampled, &place, keys->items[at]);
        for (; begin < out->length; begin++)
            if (out->bytes[begin] == SHARE_COLUMN_SEPARATOR)
                out->bytes[begin] = ' ';
        if (at + 1 < keys->count)
            text_add_char(out, SHARE_COLUMN_SEPARATOR);
    }
}

static void add_rows_by_keys(struct reading *reading, const struct share_slices *slices,
                             struct share_difference *difference)
{
    scoped_text struct text name = {0};
    for (size_t at = 0; at < slices->count; at++) {
        keys_name(&name, reading, &reading->sampled.items[slices->items[at].key]);
        share_difference_add(difference, text_string(&name), &slices->items[at]);
    }
}

/* The instruction's text with single blanks; "" where its code can't be had. */
static void add_instruction(struct text *out, const struct instructions *in, uint64_t dso_addr)
{
    uint32_t row = in ? instructions_row_at(in, dso_addr) : ROW_NONE;
    const char *text = row == ROW_NONE ? NULL : in->rows[row].text;
    bool blank = false;
    for (const char *at = text; at && *at; at++) {
        bool is_blank = *at == ' ' || *at == '\t' || *at == SHARE_COLUMN_SEPARATOR;
        if (!is_blank || !blank)
            text_add_char(out, is_blank ? ' ' : *at);
        blank = is_blank;
    }
}

static bool add_rows_by_instruction(struct reading *reading, struct symboliser *symboliser,
                                    const struct share_slices *slices, struct share_difference *difference)
{
    const struct recording *recording = &reading->capture.recording;
    scoped(code_samples_done) struct code_samples samples;
    scoped_text struct text name = {0};
    struct instructions in;
    uint32_t symbol_read = SYMBOL_NONE;
    bool any = false, has_code = false;
    code_samples_init(&samples, recording);
    for (size_t at = 0; at < slices->count; at++) {
        uint32_t location = reading->sampled.items[slices->items[at].key].location;
        struct place place = *places_at(&reading->places, location);
        if (!place.symbol || !hotspot_symbol_listed(reading->input->function, place.symbol))
            continue;
        if (place.symbol_id != symbol_read) {
            struct instructions_request request = {.recording = recording,
                                                   .symboliser = symboliser,
                                                   .samples = &samples,
                                                   .symbol_id = place.symbol_id,
                                                   .location = location,
                                                   .with_text = true};
            struct error why = {0}; /* offsets do without texts */
            if (has_code)
                instructions_done(&in);
            has_code = instructions_analyse(&in, &request, &why);
            symbol_read = place.symbol_id;
        }
        uint64_t dso_addr = recording->samples.locations[location].dso_addr;
        text_clear(&name);
        text_printf(&name, "+0x%05" PRIx64 "%c", dso_addr - place.addr, SHARE_COLUMN_SEPARATOR);
        add_instruction(&name, has_code ? &in : NULL, dso_addr);
        share_difference_add(difference, text_string(&name), &slices->items[at]);
        any = true;
    }
    if (has_code)
        instructions_done(&in);
    return any;
}

/* ---- reading ---- */

/*
 * The name as it would be if nothing had been said of how precisely to sample: "cycles:up" is "cycles:u",
 * "cpu-clock:ppp" is "cpu-clock".
 */
static struct view name_without_precision(const char *name)
{
    struct view whole = view_of(name);
    const char *colon = strrchr(name, ':');
    size_t end = whole.length;
    while (colon && end && (name[end - 1] == 'p' || name[end - 1] == 'P') && name + end - 1 > colon)
        end--;
    if (colon && name + end - 1 == colon)
        end--;
    return (struct view){name, end};
}

static bool event_is_alike(const char *name, const char *wanted)
{
    struct view a = name_without_precision(name), b = name_without_precision(wanted);
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static bool event_find(const struct reading *reading, const char *path, struct diff_event *event, uint32_t *ret_event,
                       struct error *err)
{
    const struct recording *recording = &reading->capture.recording;
    const char *wanted = event->name ? event->name : reading->input->event;
    for (int alike = 0; alike < 2; alike++)
        for (uint32_t at = 0; at < recording->event_count; at++) {
            const struct recorded_event *one = &recording->events[at];
            if (!one->sample_count ||
                (wanted && !(alike ? event_is_alike(one->name, wanted) : strcmp(one->name, wanted) == 0)))
                continue;
            if (!event->name)
                *event = (struct diff_event){memory_string(one->name), one->counts_ns};
            *ret_event = at;
            return true;
        }
    if (!wanted)
        return error_set(err, ERROR_NOT_FOUND, "'%s' holds no samples", path);
    return error_set(err, ERROR_NOT_FOUND, "'%s' holds no samples of event '%s'", path, wanted);
}

static bool rows_add(struct reading *reading, struct symboliser *symboliser, const char *path, bool is_b,
                     struct diff_event *event, struct share_difference *difference, struct error *err)
{
    uint32_t number = 0;
    if (!event_find(reading, path, event, &number, err))
        return false;
    const struct share_slices *slices = slices_of_event(reading, number);
    places_init(&reading->places, &reading->capture.recording, symboliser,
                (struct places_options){.lines = column_listed(reading->input->keys, COLUMN_LINE)});
    share_difference_run(difference, is_b, slices->slice_count);
    bool any = true;
    if (reading->input->function)
        any = add_rows_by_instruction(reading, symboliser, slices, difference);
    else
        add_rows_by_keys(reading, slices, difference);
    places_done(&reading->places);
    return any ||
           error_set(err, ERROR_NOT_FOUND, "'%s' holds no samples in a function '%s'", path, reading->input->function);
}

static bool reading_fill(struct reading *reading, struct recording_names *names, const char *path, bool is_b,
                         struct diff_event *event, struct share_difference *difference, struct error *err)
{
    struct capture_watch watch = {reading, sample_count};
    struct reading_progress progress;
    if (!sample_filter_place(reading->filter, &reading->source->facts, err))
        return error_wrap(err, "'%s'", path);
    struct capture_options options = {
        .watch = &watch,
        .stacks = reading->source->facts.is_pipe ? STACKS_ALL : STACKS_NONE,
        .progress = reading_progress_begin(&progress, names->context->talk, reading->input->quiet)};
    bool complete = capture_fill_with(&reading->capture, reading->source, &options, err);
    reading_progress_end(&progress);
    if (!complete)
        return error_wrap(err, "'%s'", path);
    if (!sample_filter_check(reading->filter, err))
        return error_wrap(err, "'%s'", path);
    if (reading->filter->is_given && !reading->passed)
        return error_set(err, ERROR_NOT_FOUND, "'%s' holds no samples that pass --time, --cpu, --pid and --tid", path);
    if (!recording_names_begin(names, err))
        return false;
    if (!reading->input->quiet)
        recording_losses_report(names->context->talk, &reading->capture.losses);
    return rows_add(reading, names->symboliser, path, is_b, event, difference, err);
}

void diff_event_done(struct diff_event *event)
{
    free(event->name);
    event->name = NULL;
}

bool diff_input_read(const struct diff_input *input, const struct context *context, const char *path, bool is_b,
                     struct diff_event *event, struct share_difference *difference, struct error *err)
{
    struct recording_input recording = input->recording;
    struct reading reading = {.input = input, .filter = input->filters[is_b]};
    recording.path = path;
    if (!recording_input_open(&recording, &reading.source, err))
        return false;
    struct recording_names names = {
        .input = &recording, .context = context, .capture = &reading.capture, .source = reading.source};
    capture_init(&reading.capture);
    bool done = reading_fill(&reading, &names, path, is_b, event, difference, err);
    recording_names_done(&names);
    for (size_t at = 0; at < reading.event_count; at++)
        share_slices_done(&reading.by_event[at]);
    free(reading.by_event);
    vec_done(&reading.sampled);
    hashmap_done(&reading.map);
    capture_done(&reading.capture);
    reading.source->ops->close(reading.source);
    return done;
}
