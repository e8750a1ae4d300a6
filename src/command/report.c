/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/command_table.h"
#include "command/recording_header.h"
#include "command/recording_input.h"

#include "analyse/code/hotspots.h"
#include "base/arena.h"
#include "base/scope.h"
#include "render/hotspots.h"

#include <inttypes.h>
#include <stdlib.h>

struct report_options {
    struct recording_input input;
    const char *sort, *fields, *call_graph, *separator, *comms, *dsos, *symbols, *cpus, *time, *percentage;
    const char *pids, *tids;
    double percent_limit;
    uint64_t max_stack;
    bool children, inlines, show_samples, show_period, header, header_only, quiet, inverted, stdio, hide_unresolved;
    int verbose;
};

#define AT(member) offsetof(struct report_options, member)

static const struct option_row report_rows[] = {
    {0, NULL, OPTION_HEADING, 0, NULL, "what to read"},
    RECORDING_INPUT_ROWS(report_options),
    {'C', "cpu", OPTION_TEXT, AT(cpus), "LIST", "only samples taken on these CPUs, such as 0-3,8"},
    {0, "time", OPTION_TEXT, AT(time), "FROM,UNTIL", "only samples from this stretch of time, in seconds"},
    {0, "pid", OPTION_TEXT, AT(pids), "LIST", "only samples of these processes"},
    {0, "tid", OPTION_TEXT, AT(tids), "LIST", "only samples of these threads"},
    {0, NULL, OPTION_HEADING, 0, NULL, "what to show"},
    {'s', "sort", OPTION_TEXT, AT(sort), "KEY[,KEY]",
     "tell apart and sort by: comm, pid, tid, dso, sym, srcline, cpu (default: comm,dso,sym)"},
    {'F', "fields", OPTION_TEXT, AT(fields), "FIELD[,FIELD]",
     "columns in this order: overhead, overhead_children, sample, period, and the keys of --sort"},
    {'g', "call-graph", OPTION_LAST_OPTIONAL, AT(call_graph), "STYLE[,MIN][,ORDER][,VALUE]",
     "call trees: none, graph, fractal, flat or folded; branches from MIN percent on; caller or callee first; "
     "percent, period or count"},
    {'G', "inverted", OPTION_FLAG, AT(inverted), NULL, "call trees with the caller first"},
    {0, "children", OPTION_FLAG, AT(children), NULL,
     "count what a function called as its own too (default with call chains)"},
    {0, "max-stack", OPTION_U64, AT(max_stack), "N", "look at no more than N frames of a stack"},
    {0, "inline", OPTION_FLAG, AT(inlines), NULL, "show inlined functions as frames (default)"},
    {'c', "comms", OPTION_TEXT, AT(comms), "LIST", "only these commands"},
    {'d', "dsos", OPTION_TEXT, AT(dsos), "LIST", "only these binaries and libraries"},
    {'S', "symbols", OPTION_TEXT, AT(symbols), "LIST", "only these functions"},
    {'U', "hide-unresolved", OPTION_FLAG, AT(hide_unresolved), NULL, "leave out addresses that nothing names"},
    {0, "percent-limit", OPTION_DOUBLE, AT(percent_limit), "PERCENT", "leave out rows and branches below this share"},
    {0, "percentage", OPTION_TEXT, AT(percentage), "absolute|relative",
     "shares of everything (default), or of what --comms, --dsos and --symbols let through"},
    {0, NULL, OPTION_HEADING, 0, NULL, "how to show it"},
    {'n', "show-nr-samples", OPTION_FLAG, AT(show_samples), NULL, "a column with the number of samples"},
    {0, "show-total-period", OPTION_FLAG, AT(show_period), NULL, "a column with the sum of the periods"},
    {'t', "field-separator", OPTION_TEXT, AT(separator), "SEP", "put SEP between columns, for spreadsheets"},
    {0, "header", OPTION_FLAG, AT(header), NULL, "say what the recording says about itself first"},
    {0, "header-only", OPTION_FLAG, AT(header_only), NULL, "say only that"},
    {0, "stdio", OPTION_FLAG, AT(stdio), NULL, "text: what plumb always prints"},
    {'q', "quiet", OPTION_FLAG, AT(quiet), NULL, "rows only: no comments, no warnings"},
    {'v', "verbose", OPTION_COUNT, AT(verbose), NULL,
     "each share's 95 % interval as a column; on stderr, why names are missing"},
    {0},
};

/* ---- what the options mean ---- */

struct column_word {
    const char *word;
    enum hotspot_column column;
};

static const struct column_word column_words[] = {
    {"overhead", COLUMN_OVERHEAD}, {"overhead_children", COLUMN_CHILDREN}, {"sample", COLUMN_SAMPLES},
    {"period", COLUMN_PERIOD},     {"comm", COLUMN_COMM},                  {"pid", COLUMN_PID},
    {"tid", COLUMN_TID},           {"dso", COLUMN_DSO},                    {"sym", COLUMN_SYMBOL},
    {"symbol", COLUMN_SYMBOL},     {"srcline", COLUMN_LINE},               {"cpu", COLUMN_CPU},
};

struct column_list {
    enum hotspot_column items[HOTSPOT_COLUMNS_MOST];
    size_t count;
};

static bool column_listed(const struct column_list *list, enum hotspot_column column)
{
    for (size_t at = 0; at < list->count; at++)
        if (list->items[at] == column)
            return true;
    return false;
}

static void column_list_add(struct column_list *list, enum hotspot_column column)
{
    if (!column_listed(list, column) && list->count < HOTSPOT_COLUMNS_MOST)
        list->items[list->count++] = column;
}

/* The words nearest to an unknown one, as a hint. */
static bool unknown_word(struct view word, const char *what, const char *const *known, size_t count, struct error *err)
{
    char text[64], nearest[160] = "";
    snprintf(text, sizeof(text), "%.*s", (int)word.length, word.text);
    error_set(err, ERROR_USAGE, "unknown %s '%s'", what, text);
    for (size_t at = 0; at < count; at++) {
        size_t used = strlen(nearest);
        bool near = text_distance(known[at], text) <= 2 || (word.length >= 2 && strstr(known[at], text));
        if (near)
            snprintf(nearest + used, sizeof(nearest) - used, "%s%s", used ? ", " : "", known[at]);
    }
    if (nearest[0])
        return error_hint(err, "did you mean %s?", nearest);
    for (size_t at = 0; at < count; at++) {
        size_t used = strlen(nearest);
        snprintf(nearest + used, sizeof(nearest) - used, "%s%s", used ? ", " : "", known[at]);
    }
    return error_hint(err, "there are: %s", nearest);
}

static bool columns_parse(const char *text, const char *what, bool keys_only, struct column_list *list,
                          struct error *err)
{
    const char *known[array_count(column_words)];
    size_t known_count = 0;
    for (size_t at = 0; at < array_count(column_words); at++)
        if (!keys_only || column_words[at].column >= COLUMN_COMM)
            known[known_count++] = column_words[at].word;
    for (struct view rest = view_of(text); rest.length;) {
        struct view word = view_trim(view_cut(&rest, ','));
        const struct column_word *found = NULL;
        for (size_t at = 0; at < array_count(column_words); at++)
            if (view_equal(word, column_words[at].word) && (!keys_only || column_words[at].column >= COLUMN_COMM))
                found = &column_words[at];
        if (!found)
            return unknown_word(word, what, known, known_count, err);
        column_list_add(list, found->column);
    }
    return list->count || error_set(err, ERROR_USAGE, "no %s given", what);
}

struct tree_options {
    enum tree_style style;
    enum tree_value value;
    double percent_least;
    bool order_given, callers_first;
};

enum tree_word_kind {
    TREE_WORD_STYLE,
    TREE_WORD_ORDER,
    TREE_WORD_VALUE,
    TREE_WORD_KEY,
};

static const struct {
    const char *word;
    enum tree_word_kind kind;
    int value;
} tree_words[] = {
    {"none", TREE_WORD_STYLE, TREE_NONE},      {"graph", TREE_WORD_STYLE, TREE_GRAPH},
    {"fractal", TREE_WORD_STYLE, TREE_FRACTAL}, {"flat", TREE_WORD_STYLE, TREE_FLAT},
    {"folded", TREE_WORD_STYLE, TREE_FOLDED},  {"caller", TREE_WORD_ORDER, true},
    {"callee", TREE_WORD_ORDER, false},        {"percent", TREE_WORD_VALUE, TREE_PERCENT},
    {"period", TREE_WORD_VALUE, TREE_PERIOD},  {"count", TREE_WORD_VALUE, TREE_SAMPLES},
    {"function", TREE_WORD_KEY, 0}, /* how plumb merges chains anyway */
};

static bool tree_word_parse(struct view word, struct tree_options *tree, struct error *err)
{
    const char *known[array_count(tree_words)];
    double number;
    if (view_double(word, &number)) {
        tree->percent_least = number;
        return true;
    }
    for (size_t at = 0; at < array_count(tree_words); at++) {
        known[at] = tree_words[at].word;
        if (!view_equal(word, tree_words[at].word))
            continue;
        if (tree_words[at].kind == TREE_WORD_STYLE) {
            tree->style = (enum tree_style)tree_words[at].value;
        } else if (tree_words[at].kind == TREE_WORD_ORDER) {
            tree->order_given = true;
            tree->callers_first = tree_words[at].value;
        } else if (tree_words[at].kind == TREE_WORD_VALUE) {
            tree->value = (enum tree_value)tree_words[at].value;
        }
        return true;
    }
    return unknown_word(word, "call-graph word", known, array_count(tree_words), err);
}

struct report {
    struct report_options options;
    struct column_list keys, fields;
    struct tree_options tree;
    uint64_t from_ns, until_ns;
    int *cpus;
    size_t cpu_count;
    struct view separator;
    struct capture capture;
    struct source *source;
    struct sample_tally tally;
    bool cpu_missing;
};

static bool report_parse(struct report *report, int argc, char **argv, struct error *err)
{
    struct report_options *options = &report->options;
    int first;
    if (!options_parse(report_rows, OPTIONS_ANYWHERE, argc, argv, options, &first, err))
        return false;
    if (first < argc) {
        error_set(err, ERROR_USAGE, "unexpected word '%s'", argv[first]);
        return error_hint(err, "-i FILE names the recording, -S NAME asks for one function");
    }
    if (options->sort && !columns_parse(options->sort, "sort key", true, &report->keys, err))
        return false;
    if (options->fields && !columns_parse(options->fields, "field", false, &report->fields, err))
        return false;
    if (options->call_graph)
        for (struct view rest = view_of(options->call_graph); rest.length;)
            if (!tree_word_parse(view_trim(view_cut(&rest, ',')), &report->tree, err))
                return false;
    if (options->inverted)
        report->tree.order_given = report->tree.callers_first = true;
    if (options->percentage && strcmp(options->percentage, "absolute") != 0 &&
        strcmp(options->percentage, "relative") != 0)
        return error_set(err, ERROR_USAGE, "--percentage expects absolute or relative, not '%s'", options->percentage);
    if (options->percent_limit > 0)
        report->tree.percent_least = options->percent_limit;
    report->until_ns = UINT64_MAX;
    if (options->time && !time_window_parse(options->time, &report->from_ns, &report->until_ns, err))
        return false;
    if (options->cpus && !cpu_list_parse(view_of(options->cpus), &report->cpus, &report->cpu_count))
        return error_set(err, ERROR_USAGE, "'%s' is not a list of CPUs such as 0-3,8", options->cpus);
    return true;
}

/* ---- reading ---- */

static bool number_listed(const char *list, uint32_t number)
{
    char text[16];
    int length = snprintf(text, sizeof(text), "%" PRIu32, number);
    for (struct view rest = view_of(list); rest.length;) {
        struct view word = view_trim(view_cut(&rest, ','));
        if (word.length == (size_t)length && memcmp(word.text, text, word.length) == 0)
            return true;
    }
    return false;
}

static bool sample_wanted(struct report *report, const struct sample *sample)
{
    const struct thread *thread = &report->capture.recording.threads.items[sample->thread];
    if (sample->time_ns < report->from_ns || sample->time_ns > report->until_ns)
        return false;
    if (report->options.pids && !number_listed(report->options.pids, thread->pid))
        return false;
    if (report->options.tids && !number_listed(report->options.tids, thread->tid))
        return false;
    if (!report->cpus)
        return true;
    report->cpu_missing |= sample->cpu == UINT32_MAX;
    for (size_t at = 0; at < report->cpu_count; at++)
        if ((uint32_t)report->cpus[at] == sample->cpu)
            return true;
    return false;
}

static bool report_record(void *context, struct capture *capture, const struct record *record,
                          const struct sample *sample)
{
    struct report *report = context;
    (void)capture, (void)record;
    if (sample && sample_wanted(report, sample))
        sample_tally_add(&report->tally, sample);
    return true;
}

static bool has_chains(const struct source *source)
{
    for (size_t at = 0; at < source->event_count; at++)
        if (source->events[at].attr.sample_type & PERF_SAMPLE_CALLCHAIN)
            return true;
    return false;
}

/* ---- showing ---- */

/* 1234 as "1K": how perf abbreviates numbers of samples. */
static void add_rounded(struct text *out, uint64_t value)
{
    static const char units[] = " KMGTP";
    size_t unit = 0;
    while (value > 1000 && units[unit + 1]) {
        value /= 1000;
        unit++;
    }
    text_printf(out, "%" PRIu64 "%c", value, units[unit]);
}

static void columns_default(struct report *report, bool children)
{
    struct column_list *fields = &report->fields;
    if (!report->keys.count && !fields->count) {
        column_list_add(&report->keys, COLUMN_COMM);
        column_list_add(&report->keys, COLUMN_DSO);
        column_list_add(&report->keys, COLUMN_SYMBOL);
    }
    if (!fields->count) {
        if (children)
            column_list_add(fields, COLUMN_CHILDREN);
        column_list_add(fields, COLUMN_OVERHEAD);
        if (report->options.show_samples)
            column_list_add(fields, COLUMN_SAMPLES);
        if (report->options.show_period)
            column_list_add(fields, COLUMN_PERIOD);
        for (size_t at = 0; at < report->keys.count; at++)
            column_list_add(fields, report->keys.items[at]);
    }
    for (size_t at = 0; at < fields->count; at++)
        if (fields->items[at] >= COLUMN_COMM)
            column_list_add(&report->keys, fields->items[at]);
}

static unsigned keys_of(const struct report *report)
{
    unsigned keys = 0;
    for (size_t at = 0; at < report->keys.count; at++)
        keys |= hotspot_key(report->keys.items[at]);
    return keys;
}

/* A column that can only hold the one name asked for says nothing: its name goes into a comment. */
static bool column_elided(const struct report *report, enum hotspot_column column, const char **ret_name,
                          const char **ret_list)
{
    const struct report_options *options = &report->options;
    *ret_list = column == COLUMN_COMM ? options->comms : column == COLUMN_DSO ? options->dsos
              : column == COLUMN_SYMBOL                                       ? options->symbols
                                                                              : NULL;
    *ret_name = column == COLUMN_COMM ? "comm" : column == COLUMN_DSO ? "dso" : "symbol";
    return *ret_list && !strchr(*ret_list, ',') && !options->fields;
}

static struct hotspots_layout layout_of(const struct report *report, bool children, bool trees)
{
    struct hotspots_layout layout = {.separator = report->options.separator,
                                     .tree_style = trees ? report->tree.style : TREE_NONE,
                                     .tree_value = report->tree.value,
                                     .by_children = children,
                                     .trunk_named_by_row = !report->options.fields && report->keys.count &&
                                                           report->keys.items[0] == COLUMN_SYMBOL,
                                     .percent_least = report->options.percent_limit,
                                     .heading = !report->options.quiet,
                                     .verbose = report->options.verbose > 0};
    const char *name, *list;
    for (size_t at = 0; at < report->fields.count; at++)
        if (!column_elided(report, report->fields.items[at], &name, &list))
            layout.columns[layout.column_count++] = report->fields.items[at];
    return layout;
}

static void add_section_heading(struct text *out, const struct report *report, const struct hotspots *hotspots,
                                uint32_t event)
{
    const struct recording *recording = &report->capture.recording;
    text_add(out, "# Samples: ");
    add_rounded(out, hotspots->total_samples);
    text_printf(out, " of event '%s'\n", recording->events[event].name);
    text_printf(out, "# Event count (approx.): %" PRIu64 "\n#\n", hotspots->total_period);
}

static void add_report_heading(struct text *out, const struct report *report)
{
    const struct report_options *options = &report->options;
    const char *name, *list;
    if (!options->quiet && !options->header)
        text_add(out, "# To display what the recording says about itself, use --header or --header-only.\n#\n");
    for (size_t at = 0; at < report->fields.count; at++)
        if (column_elided(report, report->fields.items[at], &name, &list))
            text_printf(out, "# %s: %s\n", name, list);
    if (!options->quiet)
        text_printf(out, "#\n# Total Lost Samples: %" PRIu64 "\n#\n", report->capture.losses.lost_samples);
}

static struct hotspots_options hotspots_options_of(const struct report *report, bool children, bool trees)
{
    const struct report_options *options = &report->options;
    struct hotspots_options wanted = {
        .keys = keys_of(report),
        .children = children,
        .trees = trees,
        .callers_first = report->tree.order_given ? report->tree.callers_first : options->children,
        .tree_share_least = report->tree.percent_least / 100,
        .tree_relative = report->tree.style == TREE_FRACTAL,
        .stack_most = options->max_stack > UINT32_MAX ? 0 : (uint32_t)options->max_stack,
        .comms = options->comms,
        .dsos = options->dsos,
        .symbols = options->symbols,
        .named_only = options->hide_unresolved,
        .relative = options->percentage && strcmp(options->percentage, "relative") == 0,
        .order_count = report->fields.count,
    };
    memcpy(wanted.order, report->fields.items, sizeof(wanted.order));
    return wanted;
}

static void explain_missing_names(FILE *talk, const struct places *places)
{
    const struct recording *recording = places->recording;
    for (uint32_t dso = 0; dso < recording->spaces.dso_count; dso++) {
        const char *complaint = symboliser_complaint(places->symboliser, dso);
        if (complaint)
            fprintf(talk, "%s: %s\n", strings_text(&recording->strings, recording->spaces.dsos[dso].path), complaint);
    }
}

static void report_show(struct report *report, struct context *context, struct symboliser *symboliser)
{
    struct recording *recording = &report->capture.recording;
    bool chains = has_chains(report->source);
    bool children = report->options.children && chains && !report->options.fields;
    bool trees = chains && report->tree.style != TREE_NONE;
    columns_default(report, children);
    children |= column_listed(&report->fields, COLUMN_CHILDREN);
    struct places places;
    places_init(&places, recording, symboliser,
                (struct places_options){.inlines = report->options.inlines && (children || trees),
                                        .lines = column_listed(&report->keys, COLUMN_LINE)});
    struct hotspots_options wanted = hotspots_options_of(report, children, trees);
    struct hotspots_layout layout = layout_of(report, children, trees);
    scoped_text struct text out = {0};
    add_report_heading(&out, report);
    for (uint32_t event = 0; event < recording->event_count; event++) {
        if (!recording->events[event].sample_count)
            continue;
        struct hotspots hotspots;
        hotspots_build(&hotspots, &report->tally, event, recording, &places, &wanted);
        if (!report->options.quiet)
            add_section_heading(&out, report, &hotspots, event);
        hotspots_text(&out, &hotspots, &layout);
        text_add(&out, "\n\n");
        text_write_file(&out, context->out);
        hotspots_done(&hotspots);
    }
    text_write_file(&out, context->out);
    if (report->options.verbose)
        explain_missing_names(context->talk, &places);
    places_done(&places);
}

static bool report_checks(const struct report *report, struct error *err)
{
    uint64_t samples = 0;
    for (size_t at = 0; at < report->capture.recording.event_count; at++)
        samples += report->capture.recording.events[at].sample_count;
    if (!samples)
        return error_set(err, ERROR_NOT_FOUND, "'%s' holds no samples", recording_input_path(&report->options.input));
    if (report->cpu_missing) {
        error_set(err, ERROR_USAGE, "the recording doesn't say which CPU its samples were taken on");
        return error_hint(err, "leave out --cpu, or record with -a or --sample-cpu");
    }
    if (!report->tally.count)
        return error_set(err, ERROR_NOT_FOUND, "none of its %" PRIu64 " samples passes --time, --cpu, --pid and --tid",
                         samples);
    return true;
}

static bool report_read(struct report *report, struct recording_names *names, struct error *err)
{
    struct capture_unwinder unwinder = recording_names_unwinder(names);
    bool stacks = has_chains(report->source) && (report->options.children || report->tree.style != TREE_NONE);
    struct capture_watch watch = {report, report_record};
    struct capture_options options = {
        .watch = &watch, .unwinder = &unwinder, .without_stacks = !stacks && !report->source->facts.is_pipe
    };
    report->tally.by_thread = column_listed(&report->keys, COLUMN_PID) || column_listed(&report->keys, COLUMN_TID) ||
                              column_listed(&report->fields, COLUMN_PID) || column_listed(&report->fields, COLUMN_TID);
    report->tally.by_cpu = column_listed(&report->keys, COLUMN_CPU) || column_listed(&report->fields, COLUMN_CPU);
    return capture_fill_with(&report->capture, report->source, &options, err);
}

static void add_header(struct report *report, FILE *file)
{
    scoped_text struct text out = {0};
    recording_header_text(&out, report->source);
    text_write_file(&out, file);
}

/* Stacks that end early make callers look cheaper than they are. */
static void report_unwinding(FILE *talk, const struct report_options *options, struct unwinder_counts counts)
{
    if (!counts.stacks || options->quiet)
        return;
    double all = (double)counts.stacks / 100;
    fprintf(talk, "note: %.1f %% of %" PRIu64 " stack dumps were followed to their thread's root",
            (double)counts.at_root / all, counts.stacks);
    if (counts.at_dump_end)
        fprintf(talk, ", %.1f %% to the dump's end (record larger ones)", (double)counts.at_dump_end / all);
    if (counts.lost)
        fprintf(talk, ", %.1f %% to code without frame descriptions", (double)counts.lost / all);
    fputc('\n', talk);
}

static bool report_named(struct report *report, struct context *context, struct recording_names *names,
                         struct error *err)
{
    const struct report_options *options = &report->options;
    struct error trouble = {0};
    bool complete = report_read(report, names, &trouble);
    if (options->header || options->header_only)
        add_header(report, context->out);
    if (options->header_only)
        return complete || (*err = trouble, false);
    /* Damage in the middle doesn't hide what came before it. */
    if (!complete && !report->tally.count)
        return (*err = trouble, error_wrap(err, "'%s'", recording_input_path(&options->input)));
    if (!report_checks(report, err))
        return false;
    if (!recording_names_begin(names, err))
        return false;
    if (!options->quiet)
        recording_losses_report(context->talk, &report->capture.losses);
    report_unwinding(context->talk, options, unwinder_counts(names->unwinder));
    report_show(report, context, names->symboliser);
    if (!complete) {
        *err = trouble;
        return error_wrap(err, "'%s' is damaged, the report holds what came before", recording_input_path(&options->input));
    }
    return true;
}

static bool report_all(struct report *report, struct context *context, struct error *err)
{
    const struct report_options *options = &report->options;
    if (!recording_input_open(&options->input, &report->source, err))
        return false;
    if (options->header_only && !report->source->facts.is_pipe) {
        add_header(report, context->out);
        return true;
    }
    struct recording_names names = {
        .input = &options->input, .context = context, .capture = &report->capture, .source = report->source};
    bool done = report_named(report, context, &names, err);
    recording_names_done(&names);
    return done;
}

static bool report_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct report report = {
        .options = {.input = RECORDING_INPUT_DEFAULTS, .children = true, .inlines = true},
        .tree = {.style = TREE_GRAPH, .percent_least = 0.5},
    };
    if (!report_parse(&report, argc, argv, err)) {
        free(report.cpus);
        return false;
    }
    capture_init(&report.capture);
    bool done = report_all(&report, context, err);
    if (report.source)
        report.source->ops->close(report.source);
    sample_tally_done(&report.tally);
    capture_done(&report.capture);
    free(report.cpus);
    return done;
}

const struct command command_report = {
    .name = "report",
    .summary = "where the samples of a recording fell: by command, binary and function, with call trees",
    .usage = "plumb report [-i FILE] [options]",
    .options = report_rows,
    .run = report_run,
};
