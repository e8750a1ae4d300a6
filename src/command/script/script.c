/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/command_table.h"
#include "command/recording/reading_progress.h"
#include "command/recording/recording_header.h"
#include "command/recording/recording_input.h"
#include "command/recording/sample_filter.h"
#include "command/recording/tracepoint_reader.h"
#include "command/script/script_dumps.h"
#include "command/script/script_record.h"
#include "command/script/script_text.h"

#include "analyse/profile/hotspots.h"
#include "base/arena.h"
#include "base/file/write_behind.h"
#include "base/scope.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    PIECE_BYTES = 1 << 20, /* written at a time */
    PIECE_BYTES_MOST = 8 << 20 /* where the other core has other work, too, and is behind */
};

struct script_options {
    struct recording_input input;
    struct sample_filter_options filter;
    struct option_texts fields;
    const char *comms, *dsos, *symbols, *stops;
    struct script_records records;
    uint64_t max_stack;
    bool nanoseconds, since_first, since_previous, header, header_only, hide_chains, inlines, quiet, whole_paths,
        whole_header, by_event;
    int verbose;
};

#define AT(member) offsetof(struct script_options, member)

static const struct option_row script_rows[] = {
    {0, NULL, OPTION_HEADING, 0, NULL, "what to read"},
    RECORDING_INPUT_ROWS(script_options),
    SAMPLE_FILTER_ROWS(script_options, filter),
    SAMPLE_SWITCH_ROWS(script_options, filter),
    {'c', "comms", OPTION_LIST, AT(comms), "LIST", "only samples of these commands"},
    {'S', "symbols", OPTION_LIST, AT(symbols), "LIST", "only samples in these functions"},
    {0, "dsos", OPTION_LIST, AT(dsos), "LIST", "only samples in these binaries and libraries"},
    {0, NULL, OPTION_HEADING, 0, NULL, "what to show"},
    {'F', "fields", OPTION_TEXTS, AT(fields), "[TYPE:]FIELD[,FIELD]",
     "print these fields; +FIELD and -FIELD add to and take from the usual ones; TYPE (hw, sw, trace, raw, break): of "
     "such events"},
    {0, "ns", OPTION_FLAG, AT(nanoseconds), NULL, "times with nine digits"},
    {0, "reltime", OPTION_FLAG, AT(since_first), NULL,
     "times from the first line on; --time counts from the first sample then"},
    {0, "deltatime", OPTION_FLAG, AT(since_previous), NULL, "times since the line before"},
    {'G', "hide-call-graph", OPTION_FLAG, AT(hide_chains), NULL, "the sampled instruction only, one line a sample"},
    {0, "max-stack", OPTION_U64, AT(max_stack), "N", "no more than N frames of a stack"},
    {0, "inline", OPTION_FLAG, AT(inlines), NULL, "show inlined functions as frames (default)"},
    {0, "full-source-path", OPTION_FLAG, AT(whole_paths), NULL, "source files with their folders"},
    {0, "stop-bt", OPTION_LIST, AT(stops), "LIST", "no frames beyond these functions"},
    {0, "show-task-events", OPTION_FLAG, AT(records.tasks), NULL,
     "processes and threads that begin, are named and end, too"},
    {0, "show-mmap-events", OPTION_FLAG, AT(records.mappings), NULL, "what is mapped, too"},
    {0, "show-switch-events", OPTION_FLAG, AT(records.switches), NULL,
     "switches of threads, too (record --switch-events)"},
    {0, "show-lost-events", OPTION_FLAG, AT(records.lost), NULL, "where records were lost, too"},
    {0, "show-namespace-events", OPTION_FLAG, AT(records.namespaces), NULL,
     "namespaces of processes, too (perf record --namespaces; plumb always records them)"},
    {0, "show-cgroup-events", OPTION_FLAG, AT(records.cgroups), NULL, "control groups, too (record --all-cgroups)"},
    {0, "show-bpf-events", OPTION_FLAG, AT(records.bpf), NULL,
     "BPF programs and other code that the kernel makes, too"},
    {0, "header", OPTION_FLAG, AT(header), NULL, "say what the recording says about itself first"},
    {0, "header-only", OPTION_FLAG, AT(header_only), NULL, "say only that"},
    {'I', "show-info", OPTION_FLAG, AT(whole_header), NULL, "there also CPUs, caches and memory nodes"},
    {0, "per-event-dump", OPTION_FLAG, AT(by_event), NULL,
     "each event's samples into a file of their own: RECORDING.EVENT.dump"},
    {'q', "quiet", OPTION_FLAG, AT(quiet), NULL, "no warnings"},
    {'v', "verbose", OPTION_COUNT, AT(verbose), NULL, "on stderr, why names are missing"},
    OPTION_ROW_PEER(PEER_SCRIPT),
    {0},
};

/* ---- fields ---- */

struct field_row {
    const char *name;
    unsigned field;
    uint64_t sample_type; /* what the event must have sampled; 0: nothing */
    const char *remedy;   /* how to record it */
};

static const struct field_row field_rows[] = {
    {"comm", FIELD_COMM, 0, NULL},
    {"pid", FIELD_PID, PERF_SAMPLE_TID, NULL},
    {"tid", FIELD_TID, PERF_SAMPLE_TID, NULL},
    {"cpu", FIELD_CPU, PERF_SAMPLE_CPU, "record with -a or --sample-cpu"},
    {"misc", FIELD_MISC, 0, NULL},
    {"time", FIELD_TIME, PERF_SAMPLE_TIME, "record with --timestamp"},
    {"period", FIELD_PERIOD, 0, NULL},
    {"event", FIELD_EVENT, 0, NULL},
    {"flags", FIELD_FLAGS, 0, NULL},
    {"trace", FIELD_TRACE, 0, NULL},
    {"addr", FIELD_ADDR, PERF_SAMPLE_ADDR, "record with -d"},
    {"data_src", FIELD_DATA_SRC, PERF_SAMPLE_DATA_SRC, "record with -d"},
    {"weight", FIELD_WEIGHT, PERF_SAMPLE_WEIGHT_TYPE, "record with -W"},
    {"ins_lat", FIELD_INS_LAT, PERF_SAMPLE_WEIGHT_STRUCT, "record with -W"},
    {"ip", FIELD_IP, PERF_SAMPLE_IP, NULL},
    {"sym", FIELD_SYM, PERF_SAMPLE_IP, NULL},
    {"symoff", FIELD_SYMOFF, PERF_SAMPLE_IP, NULL},
    {"dso", FIELD_DSO, PERF_SAMPLE_IP, NULL},
    {"srcline", FIELD_SRCLINE, PERF_SAMPLE_IP, NULL},
    {"iregs", FIELD_IREGS, PERF_SAMPLE_REGS_INTR, "record with -I"},
    {"uregs", FIELD_UREGS, PERF_SAMPLE_REGS_USER, "record with --user-regs"},
    {"brstack", FIELD_BRSTACK, PERF_SAMPLE_BRANCH_STACK, "record with -b, on a machine with branch records"},
    {"brstacksym", FIELD_BRSTACKSYM, PERF_SAMPLE_BRANCH_STACK, "record with -b, on a machine with branch records"},
    {"brstackoff", FIELD_BRSTACKOFF, PERF_SAMPLE_BRANCH_STACK, "record with -b, on a machine with branch records"},
    {"insn", FIELD_INSN, PERF_SAMPLE_IP, NULL},
    {"insnlen", FIELD_INSNLEN, PERF_SAMPLE_IP, NULL},
    {"phys_addr", FIELD_PHYS_ADDR, PERF_SAMPLE_PHYS_ADDR, "record with --phys-data"},
    {"data_page_size", FIELD_DATA_PAGE_SIZE, PERF_SAMPLE_DATA_PAGE_SIZE, "record with --data-page-size"},
    {"code_page_size", FIELD_CODE_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE, "record with --code-page-size"},
    {"cgroup", FIELD_CGROUP, PERF_SAMPLE_CGROUP, "record with --all-cgroups"},
    {"retire_lat", FIELD_RETIRE_LAT, PERF_SAMPLE_WEIGHT_STRUCT, "record with -W"},
    {"callindent", FIELD_BLANK, 0, NULL},
    {"synth", FIELD_BLANK, 0, NULL},
    {"ipc", FIELD_BLANK, 0, NULL},
    {"machine_pid", FIELD_BLANK, 0, NULL},
    {"vcpu", FIELD_BLANK, 0, NULL},
};

#define FIELDS_USUAL                                                                                              \
    (FIELD_COMM | FIELD_TID | FIELD_CPU | FIELD_TIME | FIELD_PERIOD | FIELD_EVENT | FIELD_IP | FIELD_SYM |        \
     FIELD_SYMOFF | FIELD_DSO)
#define FIELDS_USUAL_TRACEPOINT (FIELD_COMM | FIELD_TID | FIELD_CPU | FIELD_TIME | FIELD_EVENT | FIELD_TRACE)
#define FIELDS_OF_CHAINS        (FIELD_IP | FIELD_SYM | FIELD_SYMOFF | FIELD_DSO)

struct field_choice {
    unsigned only, added, removed; /* `only` 0: the usual ones */
    bool none;                     /* nothing is printed of such events */
};

static const struct {
    const char *name;
    uint32_t type;
} event_types[] = {
    {"hw", PERF_TYPE_HARDWARE}, {"sw", PERF_TYPE_SOFTWARE},      {"trace", PERF_TYPE_TRACEPOINT},
    {"raw", PERF_TYPE_RAW},     {"break", PERF_TYPE_BREAKPOINT},
};

enum {
    CHOICES = array_count(event_types) + 1 /* the last: of all other events */
};

static size_t choice_of(uint32_t type)
{
    size_t at = 0;
    while (at < array_count(event_types) && event_types[at].type != type)
        at++;
    return at;
}

static const struct field_row *field_find(struct view word)
{
    for (size_t at = 0; at < array_count(field_rows); at++)
        if (view_equal(word, field_rows[at].name))
            return &field_rows[at];
    return NULL;
}

/* Fields of perf's that aren't had, and what serves instead. */
static const struct {
    const char *name, *instead;
} peer_fields[] = {
    {"bpf-output", "perf script shows the bytes of such events, of plumb's recordings too"},
    {"brstackinsn", "-F brstacksym prints the branches, plumb annotate the code between them"},
    {"brstackinsnlen", "-F brstacksym prints the branches, plumb annotate the code between them"},
    {"metric", "plumb stat -M counts metrics"},
    {"srccode", "-F srcline names the lines, plumb annotate shows them"},
    {"tod", "--header says which time of day a time was, of recordings with a clock of their own (-k)"},
};

static bool field_unknown(struct view word, struct error *err)
{
    char text[64], nearest[400] = "";
    snprintf(text, sizeof(text), "%.*s", (int)word.length, word.text);
    for (size_t at = 0; at < array_count(peer_fields); at++)
        if (strcmp(peer_fields[at].name, text) == 0) {
            error_set(err, ERROR_USAGE, "plumb has no field '%s'", text);
            return error_hint(err, "%s", peer_fields[at].instead);
        }
    error_set(err, ERROR_USAGE, "unknown field '%s'", text);
    for (int all = 0; all < 2 && !nearest[0]; all++) {
        for (size_t at = 0; at < array_count(field_rows); at++) {
            size_t used = strlen(nearest);
            if (all || text_distance(field_rows[at].name, text) <= 2)
                snprintf(nearest + used, sizeof(nearest) - used, "%s%s", used ? ", " : "", field_rows[at].name);
        }
        if (!all && nearest[0])
            return error_hint(err, "did you mean %s?", nearest);
    }
    return error_hint(err, "there are: %s", nearest);
}

static bool fields_parse(struct view text, struct field_choice *choice, struct error *err)
{
    struct field_choice asked = {0};
    for (struct view rest = text; rest.length;) {
        struct view word = view_trim(view_cut(&rest, ','));
        bool adds = view_starts(word, "+"), removes = view_starts(word, "-");
        struct view name = adds || removes ? view_skip(word, 1) : word;
        const struct field_row *row = field_find(name);
        if (!row)
            return field_unknown(name, err);
        *(adds ? &asked.added : removes ? &asked.removed : &asked.only) |= row->field;
    }
    bool changes = asked.added || asked.removed;
    if (asked.only && changes)
        return error_set(err, ERROR_USAGE, "'%.*s' mixes fields with +fields or -fields", (int)text.length, text.text);
    if (changes) {
        choice->added = (choice->added & ~asked.removed) | asked.added;
        choice->removed = (choice->removed & ~asked.added) | asked.removed;
        return true;
    }
    asked.none = !asked.only;
    *choice = asked;
    return true;
}

/* "sw:comm,ip" speaks of software events alone, "comm,ip" of all; what comes later holds. */
static bool choices_parse(const char *text, struct field_choice choices[CHOICES], struct error *err)
{
    struct view fields = view_of(text);
    size_t first = 0, end = CHOICES;
    if (strchr(text, ':')) {
        struct view type = view_cut(&fields, ':');
        while (first < array_count(event_types) && !view_equal(type, event_types[first].name))
            first++;
        if (first == array_count(event_types)) {
            error_set(err, ERROR_USAGE, "'%.*s' in '%s' is no type of events", (int)type.length, type.text, text);
            return error_hint(err, "there are: hw, sw, trace, raw and break");
        }
        end = first + 1;
    } else if (!fields.length) {
        return error_set(err, ERROR_USAGE, "no field was named");
    }
    for (size_t at = first; at < end; at++)
        if (!fields_parse(fields, &choices[at], err))
            return false;
    return true;
}

/* ---- reading and writing ---- */

struct script {
    struct script_options options;
    struct field_choice choices[CHOICES];
    struct sample_filter filter;
    struct source *source;
    struct capture capture;
    struct script_text text;
    struct places places;
    struct places_options places_options;
    bool places_begun;
    struct recording_names names;
    struct context *context;
    vec(unsigned) fields; /* by event */
    uint64_t printed;
    struct tracepoint_reader tracepoints;
    bool header_due, tracepoints_missed, by_place; /* --symbols or --dsos */
    struct write_behind output;
    struct script_dumps dumps;
    struct error *err;
};

static bool script_parse(struct script *script, int argc, char **argv, struct error *err)
{
    struct script_options *options = &script->options;
    int first;
    if (!options_parse(script_rows, OPTIONS_ANYWHERE, argc, argv, options, &first, err))
        return false;
    if (first < argc) {
        error_set(err, ERROR_USAGE, "unexpected word '%s'", argv[first]);
        return error_hint(err, "-i FILE names the recording; plumb runs no scripts, it prints text for them");
    }
    if (options->since_first && options->since_previous)
        return error_set(err, ERROR_USAGE,
                         "--reltime and --deltatime don't go together: a time is counted from one moment");
    script->text.clock = options->since_first ? CLOCK_FIRST : options->since_previous ? CLOCK_PREVIOUS : CLOCK_RECORDED;
    for (size_t at = 0; at < options->fields.count; at++)
        if (!choices_parse(options->fields.items[at], script->choices, err))
            return false;
    script->by_place = options->symbols || options->dsos;
    return sample_filter_init(&script->filter, &options->filter, err);
}

/* Whether an event has the field of which it was asked for, too. */
static bool any_event_has(const struct script *script, const struct field_row *row)
{
    const struct source *source = script->source;
    for (size_t at = 0; at < source->event_count; at++) {
        const struct field_choice *choice = &script->choices[choice_of(source->events[at].attr.type)];
        if ((choice->only | choice->added) & row->field && source->events[at].attr.sample_type & row->sample_type)
            return true;
    }
    return false;
}

/*
 * What to print of an event: of what was asked for, or else is usual, what it has; refused is only what no event has.
 */
static bool event_fields(const struct script *script, const struct source_event *event, unsigned *ret_fields,
                         struct error *err)
{
    const struct field_choice *choice = &script->choices[choice_of(event->attr.type)];
    bool is_tracepoint = event->attr.type == PERF_TYPE_TRACEPOINT;
    unsigned usual = is_tracepoint ? FIELDS_USUAL_TRACEPOINT : FIELDS_USUAL;
    if (is_tracepoint && event->attr.sample_type & PERF_SAMPLE_CALLCHAIN && !script->options.hide_chains)
        usual |= FIELDS_OF_CHAINS;
    unsigned asked = choice->only | choice->added;
    unsigned fields = choice->none ? 0 : ((choice->only ? choice->only : usual) | choice->added) & ~choice->removed;
    for (size_t at = 0; at < array_count(field_rows); at++) {
        const struct field_row *row = &field_rows[at];
        if (!(fields & row->field) || !row->sample_type || event->attr.sample_type & row->sample_type)
            continue;
        if (asked & row->field && !any_event_has(script, row)) {
            error_set(err, ERROR_NOT_FOUND, "event '%s' was recorded without '%s'", event->name, row->name);
            return row->remedy ? error_hint(err, "%s", row->remedy) : error_hint(err, "leave the field out of -F");
        }
        fields &= ~row->field;
    }
    *ret_fields = fields;
    return true;
}

static bool sample_wanted(struct script *script, const struct sample *sample)
{
    const struct recording *recording = &script->capture.recording;
    const char *comms = script->options.comms;
    return sample_filter_passes(&script->filter, recording, sample) &&
           (!comms || script_name_listed(comms, strings_text(&recording->strings, sample->comm)));
}

/* ---- tracepoints ---- */

/* The kernel's function at an address that an event names. */
static const char *kernel_function_at(void *context, uint64_t addr, uint64_t *ret_start)
{
    struct script *script = context;
    if (!script->places_begun)
        return NULL;
    uint32_t location = capture_locate(&script->capture, SPACE_KERNEL, addr, CPU_MODE_KERNEL);
    uint32_t id = symboliser_symbol_id(script->names.symboliser, location);
    if (id == SYMBOL_NONE)
        return NULL;
    const struct symbol *symbol = symboliser_symbol(script->names.symboliser, id);
    *ret_start = addr - (script->capture.recording.samples.locations[location].dso_addr - symbol->dso_addr);
    return symbol->name;
}

/* What can't be shown as fields is said once, and shown as bytes. */
static void tracepoints_learn(struct script *script, const struct source_event *event)
{
    struct error why = {0};
    script->tracepoints.function_at = kernel_function_at;
    script->tracepoints.names = script;
    bool shown = tracepoint_reader_learn(&script->tracepoints, script->source, event, &why);
    script->text.tracepoints = script->tracepoints.text;
    if (shown || script->tracepoints_missed)
        return;
    script->tracepoints_missed = true;
    fprintf(script->context->talk, "plumb script: fields of '%s' are shown as bytes: %s%s%s\n", event->name,
            why.message, why.hint[0] ? "; " : "", why.hint);
}

/* Events of a pipe are known as they come. */
static bool events_learn(struct script *script)
{
    const struct source *source = script->source;
    while (script->fields.count < source->event_count) {
        unsigned fields = 0;
        const struct source_event *event = &source->events[script->fields.count];
        if (!event_fields(script, event, &fields, script->err))
            return false;
        if (fields & FIELD_TRACE && event->attr.type == PERF_TYPE_TRACEPOINT &&
            event->attr.sample_type & PERF_SAMPLE_RAW)
            tracepoints_learn(script, event);
        *vec_push(&script->fields) = fields;
    }
    if (script->options.by_event &&
        !script_dumps_open(&script->dumps, recording_input_path(&script->options.input), source, script->err))
        return false;
    for (size_t at = 0; at < source->event_count; at++) {
        unsigned width = (unsigned)strlen(script->capture.recording.events[at].name);
        if (width > script->text.event_name_width)
            script->text.event_name_width = width;
    }
    return true;
}

static bool places_begin(struct script *script)
{
    if (script->places_begun)
        return true;
    if (!recording_names_begin(&script->names, script->err))
        return false;
    places_init(&script->places, &script->capture.recording, script->names.symboliser, script->places_options);
    script->text.symboliser = script->names.symboliser;
    script->places_begun = true;
    return true;
}

/* Whether the sampled function, not one that was inlined into it, passes --symbols, and its binary --dsos. */
static bool place_wanted(struct script *script, const struct sample *sample)
{
    const uint32_t *frames;
    if (sample->location == LOCATION_NONE)
        return false;
    size_t count = places_frames(&script->places, sample->location, &frames);
    const struct place *place = &script->places.items[frames[count - 1]];
    const char *dsos = script->options.dsos, *symbols = script->options.symbols;
    return (!dsos || script_name_listed(dsos, place->dso) || script_name_listed(dsos, place->dso_path)) &&
           (!symbols || (place->symbol && hotspot_symbol_listed(symbols, place->symbol)));
}

static bool is_wanted(struct script *script, const struct record *record, const struct sample *sample)
{
    if (!sample)
        return script_record_is_shown(&script->options.records, record->kind) &&
               sample_filter_passes_cpu(&script->filter, record->who.cpu);
    return sample_wanted(script, sample);
}

static bool script_record(void *context, struct capture *capture, const struct record *record,
                          const struct sample *sample)
{
    struct script *script = context;
    (void)capture;
    if (!is_wanted(script, record, sample))
        return true;
    if ((script->fields.count < script->source->event_count || !script->printed) && !events_learn(script))
        return false;
    if (sample && !places_begin(script))
        return false;
    if (sample && script->by_place && !place_wanted(script, sample))
        return true;
    if (script->header_due) {
        recording_header_text(&script->text.out.own, script->source, script->options.whole_header);
        script->header_due = false;
        if (script->options.by_event && !write_behind_give(&script->output, &script->text.out))
            return false;
    }
    script->printed++;
    uint32_t event = sample ? sample->event : record->event;
    unsigned fields = event < script->fields.count ? script->fields.items[event] : FIELDS_USUAL;
    if (!fields)
        return true;
    if (sample)
        script_text_sample(&script->text, fields, record, sample);
    else if (event < script->source->event_count)
        script_text_record(&script->text, fields, record);
    if (!sample && script->options.by_event)
        return write_behind_give(&script->output, &script->text.out);
    if (sample && script->options.by_event)
        return script_dumps_write(&script->dumps, event, &script->text.out, script->err);
    size_t bytes = spliced_text_bytes(&script->text.out);
    bool is_full = bytes >= PIECE_BYTES_MOST || (bytes >= PIECE_BYTES && write_behind_is_ready(&script->output));
    return !is_full || write_behind_give(&script->output, &script->text.out);
}

/* Whether any event's samples, known by now or not, will show one of these fields. */
static bool asks_for(const struct script *script, unsigned fields)
{
    for (size_t at = 0; at < CHOICES; at++) {
        const struct field_choice *choice = &script->choices[at];
        if (!choice->none && ((choice->only ? choice->only : FIELDS_USUAL) | choice->added) & ~choice->removed & fields)
            return true;
    }
    return false;
}

/* Whether symbols of kernel addresses will be printed, as far as events are known already. */
static bool names_kernel(const struct script *script)
{
    struct error ignored = {0};
    unsigned fields;
    for (size_t at = 0; at < script->source->event_count; at++)
        if (!script->source->events[at].attr.exclude_kernel &&
            event_fields(script, &script->source->events[at], &fields, &ignored) &&
            fields & (FIELD_SYM | FIELD_BRSTACKSYM))
            return true;
    return false;
}

static bool script_read(struct script *script, struct error *err)
{
    const struct script_options *options = &script->options;
    bool lines = asks_for(script, FIELD_SRCLINE);
    script->places_options =
        (struct places_options){.inlines = options->inlines && !options->hide_chains,
                                .lines = lines,
                                .unknown_lines = UNKNOWN_LINE_ADDRESS,
                                .whole_paths = options->whole_paths,
                                .kernel_bare = !options->symbols && !options->stops &&
                                               !asks_for(script, FIELD_SYM | FIELD_SRCLINE | FIELD_BRSTACKSYM)};
    script->names = (struct recording_names){.input = &options->input,
                                             .context = script->context,
                                             .capture = &script->capture,
                                             .source = script->source};
    if (options->symbols || names_kernel(script))
        recording_names_kernel_ahead(&script->names);
    struct capture_unwinder unwinder = recording_names_unwinder(&script->names);
    script->text.places = &script->places;
    script->text.capture = &script->capture;
    script->text.source = script->source;
    script->text.stops = options->stops;
    script->text.nanoseconds = options->nanoseconds;
    script->text.hide_chains = options->hide_chains;
    script->text.stack_most = options->max_stack > UINT32_MAX ? 0 : (uint32_t)options->max_stack;
    struct capture_watch watch = {script, script_record};
    struct reading_progress progress;
    bool is_seen = isatty(fileno(script->context->out)); /* what is read is being printed there */
    struct capture_options filling = {
        .watch = &watch,
        .unwinder = &unwinder,
        .stacks = options->hide_chains || !asks_for(script, FIELD_IP) ? STACKS_NONE : STACKS_ALL,
        .frames_only = true,
        .progress = reading_progress_begin(&progress, script->context->talk, options->quiet || is_seen)};
    script->err = err;
    bool complete = capture_fill_with(&script->capture, script->source, &filling, err);
    reading_progress_end(&progress);
    return complete && err->kind == ERROR_NONE;
}

/* Whether all that was to be written has been. */
static bool script_written(struct script *script)
{
    return write_behind_give(&script->output, &script->text.out) && write_behind_end(&script->output);
}

/* What a pipe says of itself comes as records: all are read. */
static bool header_print(struct script *script, struct error *err)
{
    const struct script_options *options = &script->options;
    struct source *source = script->source;
    struct record record;
    while (source->facts.is_pipe && source->ops->next(source, &record, err))
        ;
    recording_header_text(&script->text.out.own, source, options->whole_header);
    if (!options->quiet)
        recording_losses_report(script->context->talk, &source->losses);
    return script_written(script) &&
           (err->kind == ERROR_NONE || error_wrap(err, "'%s'", recording_input_path(&options->input)));
}

static bool script_all(struct script *script, struct error *err)
{
    const struct script_options *options = &script->options;
    const char *path = recording_input_path(&options->input);
    if (!recording_input_open(&options->input, &script->source, err))
        return false;
    if (options->header_only)
        return header_print(script, err);
    if (!sample_filter_place(&script->filter, &script->source->facts, err) ||
        (options->since_first && !sample_filter_begin(&script->filter, &script->source->facts, err)))
        return false;
    script->header_due = options->header;
    bool complete = script_read(script, err);
    if (!script_written(script) && script->output.write_errno == EPIPE)
        return true; /* the reader has seen enough */
    if (script->output.write_errno)
        return error_system(err, script->output.write_errno, "can't write");
    if (!script_dumps_finish(&script->dumps, options->quiet ? NULL : script->context->talk, complete ? err : NULL) &&
        complete)
        return false;
    if (!options->quiet)
        recording_input_note_lines(script->context->talk);
    if (!options->quiet)
        recording_losses_report(script->context->talk, &script->capture.losses);
    if (!complete)
        return error_wrap(err, "'%s'", path);
    if (!sample_filter_check(&script->filter, err))
        return false;
    if (!script->printed)
        return error_set(err, ERROR_NOT_FOUND, "'%s' holds no samples%s", path,
                         script->filter.is_given || options->comms || script->by_place
                             ? " that pass --time, --cpu, --pid, --tid, --switch-on, --comms, --symbols and --dsos"
                             : "");
    return true;
}

static bool script_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct script script = {.options = {.input = RECORDING_INPUT_DEFAULTS, .inlines = true}, .context = context};
    if (!script_parse(&script, argc, argv, err)) {
        sample_filter_done(&script.filter);
        options_done(script_rows, &script.options);
        return false;
    }
    capture_init(&script.capture);
    write_behind_begin(&script.output, context->out);
    bool done = script_all(&script, err);
    write_behind_end(&script.output);
    if (script.places_begun) {
        if (script.options.verbose)
            recording_names_explain(context->talk, &script.names);
        places_done(&script.places);
    }
    recording_names_done(&script.names);
    if (script.source)
        script.source->ops->close(script.source);
    tracepoint_reader_done(&script.tracepoints);
    script_text_done(&script.text);
    script_dumps_done(&script.dumps);
    vec_done(&script.fields);
    capture_done(&script.capture);
    sample_filter_done(&script.filter);
    options_done(script_rows, &script.options);
    return done;
}

const struct command command_script = {
    .name = "script",
    .summary = "a recording's samples as text, one after the other",
    .usage = "plumb script [-i FILE] [options]",
    .options = script_rows,
    .run = script_run,
};
