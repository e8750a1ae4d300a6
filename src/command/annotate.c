/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb annotate: a function's instructions with their shares of the samples. */
#include "analyse/code/instructions.h"
#include "analyse/memory/data_address.h"
#include "analyse/profile/hottest.h"
#include "base/scope.h"
#include "capture/capture.h"
#include "command/command_table.h"
#include "command/options.h"
#include "command/recording/reading_progress.h"
#include "command/recording/recording_header.h"
#include "command/recording/recording_input.h"
#include "command/recording/sample_filter.h"
#include "probe/skid.h"
#include "probe/skid_cache.h"
#include "render/annotation.h"
#include "render/page.h"
#include "symbol/source_text.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct annotate_options {
    struct recording_input input;
    struct sample_filter_options filter;
    const char *symbol, *dso, *event, *disassembler_style, *skid, *color, *percent_type, *source_prefix;
    double percent_limit;
    uint64_t prefix_strip;
    bool lines, source, raw, intel, quiet, all, stdio, samples, period, full_paths, group;
};

#define FIELD(member) offsetof(struct annotate_options, member)

static const struct option_row option_rows[] = {
    {0, NULL, OPTION_HEADING, 0, NULL, "what to show"},
    {'s', "symbol", OPTION_TEXT, FIELD(symbol), "NAME", "this function (default: the one with most samples)", 'S'},
    {'d', "dso", OPTION_TEXT, FIELD(dso), "NAME", "only functions of this binary"},
    {'e', "event", OPTION_TEXT, FIELD(event), "NAME", "choose the hottest function by this event"},
    {'a', "all", OPTION_FLAG, FIELD(all), NULL, "every function with samples, hottest first"},
    {0, "group", OPTION_FLAG, FIELD(group), NULL,
     "events side by side (default; --no-group shows one alone, as -e says)"},
    {0, "percent-limit", OPTION_DOUBLE, FIELD(percent_limit), "PCT",
     "leave out functions (--all) and numbers of instructions below this percentage"},
    {0, NULL, OPTION_HEADING, 0, NULL, "how to show it"},
    {0, "percent-type", OPTION_TEXT, FIELD(percent_type), "TYPE",
     "shares of the function (local-) or of the recording (global-), by -period or -hits; default: local-period"},
    {'n', "show-nr-samples", OPTION_FLAG, FIELD(samples), NULL, "numbers of samples instead of percentages"},
    {0, "show-total-period", OPTION_FLAG, FIELD(period), NULL, "what samples stand for instead of percentages"},
    {'l', "print-line", OPTION_FLAG, FIELD(lines), NULL, "file and number of each source line"},
    {0, "source", OPTION_FLAG, FIELD(source), NULL,
     "source lines between instructions (default; --no-source leaves them out)"},
    {0, "prefix", OPTION_TEXT, FIELD(source_prefix), "FOLDER", "look for sources below this folder first"},
    {0, "prefix-strip", OPTION_U64, FIELD(prefix_strip), "N",
     "without the first N folders of their paths (with --prefix)"},
    {'P', "full-paths", OPTION_FLAG, FIELD(full_paths), NULL, "the binary by its whole path"},
    {0, "asm-raw", OPTION_FLAG, FIELD(raw), NULL, "the bytes of each instruction"},
    {0, "intel", OPTION_FLAG, FIELD(intel), NULL, "Intel syntax (default: AT&T)"},
    {'M', "disassembler-style", OPTION_TEXT, FIELD(disassembler_style), "STYLE", "intel or att"},
    {0, "skid", OPTION_TEXT, FIELD(skid), "HOW",
     "samples of CPU time land one instruction late (1), exactly (0), unknown (none); default: auto, a self-test"},
    {0, "color", OPTION_TEXT, FIELD(color), "WHEN", "auto, always or never"},
    {0, "stdio", OPTION_FLAG, FIELD(stdio), NULL, "text: what plumb always prints"},
    {'q', "quiet", OPTION_FLAG, FIELD(quiet), NULL, "no header, no summary, no warnings"},
    {0, NULL, OPTION_HEADING, 0, NULL, "what to read"},
    SAMPLE_FILTER_ROWS(annotate_options, filter),
    SAMPLE_SWITCH_ROWS(annotate_options, filter),
    RECORDING_INPUT_ROWS(annotate_options),
    OPTION_ROW_PEER(PEER_ANNOTATE),
    {0},
};

struct session {
    struct context *context;
    const struct annotate_options *options;
    struct capture capture;
    struct sample_filter filter;
    struct recording_names names;
    struct symboliser *symboliser; /* its */
    struct code_samples samples;
    struct source_text *source;
    enum disassembly_syntax syntax;
    enum stall_attribution attribution;
    const char *attribution_source;
    const char *symbol; /* the function at hand; NULL: the hottest */
    uint32_t event;     /* by which it was chosen */
    bool color, of_recording, by_number;
    uint32_t names_missed;   /* the binary whose lack of names was told last, + 1 */
    char last_warning[sizeof(((struct error *)NULL)->message)];
};

/* Where no sample carries data from which its access' address could be known, samples alike can be added up. */
static bool can_merge(const struct source *source)
{
    uint64_t kinds = 0;
    for (size_t at = 0; at < source->event_count; at++)
        kinds |= source->events[at].attr.sample_type;
    return source->event_count && !source->facts.is_pipe && !(kinds & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_ADDR));
}

/* Have names found on another core meanwhile, where all functions are wanted. */
static bool names_tell(void *context, struct capture *capture, const struct record *record, const struct sample *sample)
{
    struct session *session = context;
    (void)capture, (void)record, (void)sample;
    recording_names_tell(&session->names);
    return true;
}

static bool filter_passes(void *context, const struct recording *recording, const struct sample *sample)
{
    return sample_filter_passes(context, recording, sample);
}

/* What is left to be shown of it. */
static bool check_samples(struct session *session, struct error *err)
{
    if (!sample_filter_check(&session->filter, err))
        return false;
    return session->capture.recording.samples.count ||
           error_set(err, ERROR_NOT_FOUND, "'%s' holds no samples%s", recording_input_path(&session->options->input),
                     session->filter.is_given ? " that pass --cpu, --time, --pid, --tid and --switch-on" : "");
}

static bool read_recording(struct session *session, struct error *err)
{
    struct source *source;
    const struct recording_input *input = &session->options->input;
    if (!recording_input_open(input, &source, err))
        return false;
    session->names = (struct recording_names){
        .input = input, .context = session->context, .capture = &session->capture, .source = source};
    if (session->options->all)
        recording_names_ahead(&session->names,
                              (struct names_wanted){.lines = session->options->source || session->options->lines});
    struct capture_watch watch = {session, names_tell};
    struct capture_sieve sieve = {&session->filter, filter_passes};
    struct reading_progress progress;
    if (!sample_filter_place(&session->filter, &source->facts, err)) {
        source->ops->close(source);
        return false;
    }
    struct capture_options how = {
        .sieve = session->filter.is_given ? &sieve : NULL,
        .watch = session->names.ahead ? &watch : NULL,
        .keep_samples = true,
        .merge_samples = can_merge(source),
        .any_order = can_merge(source) && !session->filter.needs_order,
        .stacks = STACKS_NONE,
        .progress = reading_progress_begin(&progress, session->context->talk, session->options->quiet)};
    bool filled = capture_fill_with(&session->capture, source, &how, err);
    reading_progress_end(&progress);
    if (!filled && session->capture.recording.samples.count) {
        /* What came before the damage can still be shown. */
        fprintf(session->context->talk, "plumb annotate: %s: %s; what came before it is shown\n",
                recording_input_path(input), err->message);
        *err = (struct error){0};
        filled = true;
    }
    filled = filled && check_samples(session, err);
    if (filled && !session->options->quiet)
        recording_losses_report(session->context->talk, &session->capture.losses);
    filled = filled && recording_names_begin(&session->names, err);
    session->symboliser = session->names.symboliser;
    source->ops->close(source);
    return filled;
}

/* ---- how late samples land ---- */

/* Whether the recording was made on this machine, so that what is measured now holds for it. */
static bool is_of_this_machine(const struct session *session)
{
    char hostname[256], release[256];
    const struct sysroot *root = session->context->root;
    const struct source_facts *facts = &session->capture.facts;
    return sysroot_is_live(root) && facts->hostname && facts->os_release &&
           sysroot_line(root, hostname, sizeof(hostname), "/proc/sys/kernel/hostname") &&
           sysroot_line(root, release, sizeof(release), "/proc/sys/kernel/osrelease") &&
           strcmp(hostname, facts->hostname) == 0 && strcmp(release, facts->os_release) == 0;
}

static bool has_timer_samples(const struct recording *recording)
{
    for (size_t at = 0; at < recording->event_count; at++)
        if (recording->events[at].counts_ns && recording->events[at].sample_count)
            return true;
    return false;
}

/* The self-test's verdict, from earlier or measured now; false when it can't run. */
static bool skid_verdict(const struct session *session, enum skid_verdict *ret_verdict)
{
    struct skid_result result;
    if (skid_cache_read(session->context->root, ret_verdict))
        return true;
    if (!skid_measure(session->context->kernel, SKID_OF_CPU_CLOCK, SKID_WHOLE, &result, NULL))
        return false;
    *ret_verdict = result.verdict;
    skid_cache_write(session->context->root, result.verdict);
    return true;
}

static void find_attribution(struct session *session)
{
    static const struct {
        enum stall_attribution attribution;
        const char *source;
    } by_verdict[] = {
        [SKID_UNKNOWN] = {ATTRIBUTION_UNKNOWN, "the self-test got too few samples"},
        [SKID_EXACT] = {ATTRIBUTION_EXACT, "self-test of this machine"},
        [SKID_ONE] = {ATTRIBUTION_ONE_LATER, "self-test of this machine"},
        [SKID_SCATTERED] = {ATTRIBUTION_UNKNOWN, "samples scatter on this machine"},
    };
    enum skid_verdict verdict;
    session->attribution = ATTRIBUTION_UNKNOWN;
    if (!has_timer_samples(&session->capture.recording)) {
        session->attribution_source = "no event of it counts time";
    } else if (!is_of_this_machine(session)) {
        session->attribution_source = "recorded on another machine; --skid says how late its samples land";
    } else if (skid_verdict(session, &verdict)) {
        session->attribution = by_verdict[verdict].attribution;
        session->attribution_source = by_verdict[verdict].source;
    } else {
        session->attribution_source = "the self-test can't run here";
    }
}

static bool parse_skid(struct session *session, struct error *err)
{
    static const struct {
        const char *word;
        enum stall_attribution attribution;
    } choices[] = {{"1", ATTRIBUTION_ONE_LATER}, {"0", ATTRIBUTION_EXACT}, {"none", ATTRIBUTION_UNKNOWN}};
    const char *word = session->options->skid;
    session->attribution_source = NULL; /* to be found */
    if (!word || strcmp(word, "auto") == 0)
        return true;
    for (size_t at = 0; at < array_count(choices); at++)
        if (strcmp(choices[at].word, word) == 0) {
            session->attribution = choices[at].attribution;
            session->attribution_source = "as --skid says";
            return true;
        }
    return error_set(err, ERROR_USAGE, "--skid expects auto, 1, 0 or none, not '%s'", word);
}

static bool parse_percent_type(struct session *session, struct error *err)
{
    static const struct {
        const char *word;
        bool of_recording, by_number;
    } types[] = {{"local-period", false, false}, {"local-hits", false, true},
                 {"global-period", true, false}, {"global-hits", true, true}};
    const char *word = session->options->percent_type ? session->options->percent_type : types[0].word;
    for (size_t at = 0; at < array_count(types); at++)
        if (strcmp(types[at].word, word) == 0) {
            session->of_recording = types[at].of_recording;
            session->by_number = session->options->samples || (types[at].by_number && !session->options->period);
            return true;
        }
    return error_set(err, ERROR_USAGE, "--percent-type expects local-period, local-hits, global-period or global-hits, "
                                       "not '%s'", word);
}

static bool parse_choices(struct session *session, struct error *err)
{
    const struct annotate_options *options = session->options;
    const char *style = options->disassembler_style;
    if (style && strcmp(style, "intel") != 0 && strcmp(style, "att") != 0)
        return error_set(err, ERROR_USAGE, "--disassembler-style expects intel or att, not '%s'", style);
    session->syntax = options->intel || (style && strcmp(style, "intel") == 0) ? SYNTAX_INTEL : SYNTAX_ATT;
    if (options->samples && options->period)
        return error_set(
            err, ERROR_USAGE,
            "--show-nr-samples and --show-total-period don't go together: one number stands beside an instruction");
    if (options->prefix_strip > PATH_MAX || (options->prefix_strip && !options->source_prefix))
        return error_set(err, ERROR_USAGE, "--prefix-strip expects a number of folders, and --prefix beside it");
    if (!sample_filter_init(&session->filter, &options->filter, err) || !parse_skid(session, err) ||
        !parse_percent_type(session, err))
        return false;
    const char *color = options->color ? options->color : "auto";
    if (strcmp(color, "auto") != 0 && strcmp(color, "always") != 0 && strcmp(color, "never") != 0)
        return error_set(err, ERROR_USAGE, "--color expects auto, always or never, not '%s'", color);
    session->color =
        strcmp(color, "always") == 0 || (strcmp(color, "auto") == 0 && page_colour_suits(session->context->out));
    if (!(options->percent_limit >= 0 && options->percent_limit <= 100))
        return error_set(err, ERROR_USAGE, "--percent-limit expects 0 to 100");
    return true;
}

/* Whether the terminal's character set has box characters. */
static bool speaks_utf8(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t at = 0; at < array_count(variables); at++) {
        const char *value = getenv(variables[at]);
        if (value && *value)
            return strcasestr(value, "UTF-8") || strcasestr(value, "utf8");
    }
    return false;
}

/* ---- which functions ---- */

static bool find_event(const struct session *session, uint32_t *ret_event, struct error *err)
{
    const struct recording *recording = &session->capture.recording;
    const char *name = session->options->event;
    *ret_event = 0;
    if (!name) {
        for (uint32_t at = 1; at < recording->event_count; at++)
            if (recording->events[at].sample_count > recording->events[*ret_event].sample_count)
                *ret_event = at;
        return true;
    }
    scoped_text struct text known = {0};
    for (uint32_t at = 0; at < recording->event_count; at++) {
        if (recording->events[at].name && strcmp(recording->events[at].name, name) == 0) {
            *ret_event = at;
            return true;
        }
        text_printf(&known, "%s%s", known.length ? ", " : "",
                    recording->events[at].name ? recording->events[at].name : "?");
    }
    error_set(err, ERROR_USAGE, "the recording has no event '%s'", name);
    return error_hint(err, "it has: %s", text_string(&known));
}

static bool dso_matches(const struct session *session, uint32_t dso)
{
    const struct recording *recording = &session->capture.recording;
    const char *wanted = session->options->dso;
    if (!wanted)
        return true;
    return strcmp(strings_text(&recording->strings, recording->spaces.dsos[dso].name), wanted) == 0 ||
           strcmp(strings_text(&recording->strings, recording->spaces.dsos[dso].path), wanted) == 0;
}

/* "place+0x1234", as diagnose calls code without a name; a remark may stand behind. */
static bool place_parse(const char *wanted, struct view *ret_place, uint64_t *ret_addr)
{
    const char *plus = strstr(wanted, "+0x");
    if (!plus)
        return false;
    *ret_place = (struct view){wanted, (size_t)(plus - wanted)};
    struct view rest = view_of(plus + strlen("+0x"));
    return ret_place->length && view_u64(view_cut(&rest, ' '), 16, ret_addr);
}

/* Code without a name is asked for by an address in it: diagnose's piece begins where its first sample lies. */
static bool is_at_place(const struct session *session, const struct hot_symbol *hot)
{
    enum { PIECE_BYTES = 8192 }; /* as hot_symbols() takes such code together */
    const struct recording *recording = &session->capture.recording;
    const struct location *where = &recording->samples.locations[hot->location];
    struct view place;
    uint64_t addr, start, size_bytes;
    if (where->dso == DSO_NONE || !place_parse(session->symbol, &place, &addr))
        return false;
    const struct dso *dso = &recording->spaces.dsos[where->dso];
    const char *name = dso->kind == DSO_FILE ? strings_text(&recording->strings, dso->name) : "[JIT]";
    if (!view_equal(place, name))
        return false;
    if (symboliser_bounds(session->symboliser, hot->location, &start, &size_bytes))
        return addr >= start && addr - start < size_bytes;
    uint64_t apart = where->dso_addr > addr ? where->dso_addr - addr : addr - where->dso_addr;
    return apart < PIECE_BYTES;
}

static bool symbol_matches(void *context, const struct hot_symbol *hot)
{
    const struct session *session = context;
    const struct recording *recording = &session->capture.recording;
    const char *wanted = session->symbol;
    if (!dso_matches(session, recording->samples.locations[hot->location].dso))
        return false;
    if (!wanted)
        return true;
    if (hot->symbol_id == SYMBOL_NONE)
        return is_at_place(session, hot);
    const struct symbol *symbol = symboliser_symbol(session->symboliser, hot->symbol_id);
    if (!symbol->size_known && is_at_place(session, hot)) /* hand-written code behind the last name before it */
        return true;
    return strcmp(symbol->name, wanted) == 0 || strcmp(symbol->raw_name, wanted) == 0 ||
           strcmp(symboliser_signature(session->symboliser, hot->symbol_id), wanted) == 0;
}

/* Why a binary's functions have no names, once for each. */
static void warn_of_names(struct session *session, uint32_t dso)
{
    const struct recording *recording = &session->capture.recording;
    const char *complaint = symboliser_complaint(session->symboliser, dso);
    if (!complaint || session->names_missed == dso + 1)
        return;
    session->names_missed = dso + 1;
    fprintf(session->context->talk, "plumb annotate: no names in %s: %s\n",
            strings_text(&recording->strings, recording->spaces.dsos[dso].name), complaint);
}

/* Nothing has the asked name: say which names come nearest. */
static bool no_such_symbol(struct session *session, const struct hot_symbol *symbols, size_t count, struct error *err)
{
    const char *wanted = session->symbol;
    const char *near[3] = {0};
    size_t distance[3] = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
    if (!wanted)
        return error_set(err, ERROR_NOT_FOUND, "no samples in '%s'", session->options->dso);
    for (size_t at = 0; at < count && at < 5000; at++) {
        if (symbols[at].symbol_id == SYMBOL_NONE) {
            uint32_t dso = session->capture.recording.samples.locations[symbols[at].location].dso;
            /* the hottest */
            bool is_worth_it = dso != DSO_NONE && (!session->names_missed ||
                                                   session->capture.recording.spaces.dsos[dso].kind == DSO_KERNEL);
            if (is_worth_it && !session->options->quiet)
                warn_of_names(session, dso);
            continue;
        }
        const char *name = symboliser_symbol(session->symboliser, symbols[at].symbol_id)->name;
        size_t far = strstr(name, wanted) ? 0 : text_distance(name, wanted);
        for (int place = 0; place < 3; place++)
            if (far < distance[place]) {
                memmove(&distance[place + 1], &distance[place], (size_t)(2 - place) * sizeof(*distance));
                memmove(&near[place + 1], &near[place], (size_t)(2 - place) * sizeof(*near));
                distance[place] = far;
                near[place] = name;
                break;
            }
    }
    error_set(err, ERROR_NOT_FOUND, "no samples in a function called '%s'", wanted);
    if (near[0])
        error_hint(err, "did you mean %s%s%s%s%s?", near[0], near[1] ? ", " : "", near[1] ? near[1] : "",
                   near[2] ? ", " : "", near[2] ? near[2] : "");
    return false;
}

/* ---- source lines ---- */

/* The lines to print before a row whose place differs from the one before. */
static void add_source_lines(struct session *session, struct text *out, const struct instruction_line *line,
                             const struct instruction_line *before)
{
    enum { LINES_BETWEEN_MOST = 4 };
    bool same_file = before && before->path && line->path && strcmp(before->path, line->path) == 0;
    bool same_function = before && before->function && line->function && strcmp(before->function, line->function) == 0;
    struct view text;
    if (!same_function && line->function)
        text_printf(out, "%s():\n", line->function);
    if (session->options->lines || !same_file) {
        text_printf(out, "%s:%u\n", line->path, line->line);
    }
    uint32_t first = line->line;
    if (same_file && same_function && line->line > before->line && line->line - before->line <= LINES_BETWEEN_MOST)
        first = before->line + 1;
    for (uint32_t number = first; number <= line->line; number++)
        if (source_text_line(session->source, line->path, number, &text))
            text_printf(out, "%-5u %.*s\n", number, (int)text.length, text.text);
}

/* By row: what to print before it. Owner: arena. */
static const char **source_by_row(struct session *session, const struct instructions *in, struct arena *arena)
{
    const char **source = arena_array(arena, const char *, in->row_count + 1);
    const struct instruction_line *before = NULL;
    scoped_text struct text lines = {0};
    for (size_t row = 0; row < in->row_count; row++) {
        const struct instruction_line *line = &in->rows[row].line;
        if (!line->path || !line->line)
            continue;
        if (before && before->line == line->line && strcmp(before->path, line->path) == 0)
            continue;
        text_clear(&lines);
        add_source_lines(session, &lines, line, before);
        source[row] = arena_string_n(arena, text_string(&lines), lines.length);
        before = line;
    }
    return source;
}

/* ---- one function ---- */

/* Whether any event that fell here came with registers to compute addresses from, or with addresses. */
static bool may_have_addresses(const struct session *session, const struct instructions *in)
{
    enum { SAMPLE_ADDR = 1 << 3 }; /* PERF_SAMPLE_ADDR */
    for (size_t at = 0; at < in->event_count; at++) {
        const struct recorded_event *event = &session->capture.recording.events[in->events[at].event];
        if (event->user_register_mask || event->sample_type & SAMPLE_ADDR)
            return true;
    }
    return false;
}

static bool annotate_one(struct session *session, const struct hot_symbol *hot, struct error *err)
{
    const struct recording *recording = &session->capture.recording;
    struct instructions_request request = {
        .recording = recording,
        .symboliser = session->symboliser,
        .samples = &session->samples,
        .symbol_id = hot->symbol_id,
        .location = hot->location,
        .syntax = session->syntax,
        .with_text = true,
        .with_lines = session->options->source || session->options->lines,
        .by_number = session->by_number,
        .one_event = !session->options->group,
        .event = session->event,
        .skid_one = session->attribution == ATTRIBUTION_ONE_LATER,
    };
    scoped(instructions_done) struct instructions in = {0};
    if (!instructions_analyse(&in, &request, err))
        return false;
    if (session->options->full_paths)
        in.dso = strings_text(&recording->strings,
                              recording->spaces.dsos[recording->samples.locations[hot->location].dso].path);
    scoped(data_addresses_done) struct data_addresses data = {0};
    bool has_addresses = may_have_addresses(session, &in);
    struct data_address_request data_request = {
        .recording = recording,
        .symboliser = session->symboliser,
        .samples = &session->samples,
        .instructions = &in,
        .symbol_id = hot->symbol_id,
        .location = hot->location,
        .skid_exact = session->attribution == ATTRIBUTION_EXACT,
    };
    if (has_addresses)
        data_addresses_find(&data, &data_request);
    struct annotation annotation = {
        .instructions = &in,
        .addresses = has_addresses ? &data : NULL,
        .source = in.has_lines ? source_by_row(session, &in, &in.arena) : NULL,
        .attribution = session->attribution,
        .attribution_source = session->attribution_source,
        .of_recording = session->of_recording,
        .by_number = session->by_number,
        .number = session->options->samples  ? NUMBER_SAMPLES
                  : session->options->period ? NUMBER_PERIOD
                                             : NUMBER_PERCENT,
        .raw = session->options->raw,
        .percent_least = session->options->percent_limit,
        .quiet = session->options->quiet,
        .unicode = speaks_utf8(),
        .color = session->color,
    };
    scoped_text struct text out = {0};
    annotation_text(&out, &annotation);
    bool written = text_write_file(&out, session->context->out) && fflush(session->context->out) == 0;
    return written || error_system(err, errno, "can't write the result");
}

static void warn(struct session *session, const struct hot_symbol *hot, const struct error *error)
{
    const struct recording *recording = &session->capture.recording;
    const char *name = hot->symbol_id == SYMBOL_NONE ? "code without a name"
                                                     : symboliser_symbol(session->symboliser, hot->symbol_id)->name;
    uint32_t dso = recording->samples.locations[hot->location].dso;
    if (session->options->quiet)
        return;
    if (hot->symbol_id == SYMBOL_NONE)
        warn_of_names(session, dso);
    bool again = strcmp(session->last_warning, error->message) == 0;
    snprintf(session->last_warning, sizeof(session->last_warning), "%s", error->message);
    fprintf(session->context->talk, "plumb annotate: %s in %s (%llu samples): %s%s%s%s\n", name,
            strings_text(&recording->strings, recording->spaces.dsos[dso].name), (unsigned long long)hot->samples,
            again ? "likewise" : error->message, error->hint[0] && !again ? " (" : "", again ? "" : error->hint,
            error->hint[0] && !again ? ")" : "");
}

/* Instead of the hottest function, whose code can't be had, only one that matters is worth showing. */
static bool is_worth_showing(const struct session *session, const struct hot_symbol *hot, double total)
{
    const struct annotate_options *options = session->options;
    double least = options->all ? options->percent_limit : session->symbol || options->dso ? 0 : 5;
    return 100 * hot->weight >= least * total;
}

/* All functions that match; those whose code can't be had are named and left out. */
static bool annotate_matching(struct session *session, uint32_t event, struct error *err)
{
    struct hot_symbol first;
    if (session->symbol && !session->options->all &&
        hottest_matching(&session->capture.recording, session->symboliser, event, symbol_matches, session, &first))
        return annotate_one(session, &first, err);
    struct hot_symbol *symbols;
    size_t count = hot_symbols(&session->capture.recording, session->symboliser, event, &symbols), shown = 0,
           matched = 0;
    scoped_free struct hot_symbol *owned = symbols;
    double total = 0;
    for (size_t at = 0; at < count; at++)
        total += symbols[at].weight;
    for (size_t at = 0; at < count; at++) {
        struct error error = {0};
        if (!symbol_matches(session, &owned[at]) || !is_worth_showing(session, &owned[at], total))
            continue;
        matched++;
        if (shown && !session->options->quiet)
            fputc('\n', session->context->out);
        if (annotate_one(session, &owned[at], &error)) {
            shown++;
        } else if (!session->symbol && !ferror(session->context->out)) {
            warn(session, &owned[at], &error);
        } else {
            *err = error;
            return false;
        }
        if (!session->options->all && shown)
            return true;
    }
    if (!matched && (session->symbol || session->options->dso))
        return no_such_symbol(session, owned, count, err);
    return shown || error_set(err, ERROR_NOT_FOUND, "no function that matters could be shown");
}

/* The hottest; when its code can't be had, the hottest whose code can. */
static bool annotate_hottest(struct session *session, uint32_t event, struct error *err)
{
    struct hot_symbol hot;
    struct error error = {0};
    if (!hottest_symbol(&session->capture.recording, session->symboliser, event, &hot))
        return error_set(err, ERROR_NOT_FOUND, "the event has no samples");
    if (annotate_one(session, &hot, &error))
        return true;
    return ferror(session->context->out) ? (*err = error, false) : annotate_matching(session, event, err);
}

/* The functions named, one after the other; without a name, what the other options choose. */
static bool annotate_named(struct session *session, uint32_t event, char *const *names, int count, struct error *err)
{
    const struct annotate_options *options = session->options;
    session->symbol = options->symbol;
    bool chosen = options->symbol || options->dso || options->all, good = true;
    if (options->symbol || !count)
        good = chosen ? annotate_matching(session, event, err) : annotate_hottest(session, event, err);
    for (int at = 0; good && at < count; at++) {
        session->symbol = names[at];
        if ((at || options->symbol) && !options->quiet)
            fputc('\n', session->context->out);
        good = annotate_matching(session, event, err);
    }
    return good;
}

static bool annotate_session(struct session *session, char *const *names, int count, struct error *err)
{
    const struct annotate_options *options = session->options;
    if (!parse_choices(session, err) || !read_recording(session, err) || !find_event(session, &session->event, err))
        return false;
    if (!session->attribution_source)
        find_attribution(session);
    code_samples_init(&session->samples, &session->capture.recording);
    if (options->source && !options->quiet)
        recording_input_note_lines(session->context->talk);
    session->source = source_text_new(session->context->root, options->input.symfs);
    source_text_move(session->source, options->source_prefix, (unsigned)options->prefix_strip);
    return annotate_named(session, session->event, names, count, err);
}

static bool annotate_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct annotate_options options = {.input = {.demangle = true}, .source = true, .group = true};
    int first;
    if (!options_parse(option_rows, OPTIONS_ANYWHERE, argc, argv, &options, &first, err)) {
        options_done(option_rows, &options);
        return false;
    }
    struct session session = {.context = context, .options = &options};
    capture_init(&session.capture);
    bool done = annotate_session(&session, argv + first, argc - first, err);
    sample_filter_done(&session.filter);
    code_samples_done(&session.samples);
    source_text_free(session.source);
    recording_names_done(&session.names);
    capture_done(&session.capture);
    options_done(option_rows, &options);
    return done;
}

const struct command command_annotate = {
    .name = "annotate",
    .summary = "the instructions of a hot function, with their shares of the samples",
    .usage = "plumb annotate [options] [function...]",
    .options = option_rows,
    .run = annotate_run,
};
