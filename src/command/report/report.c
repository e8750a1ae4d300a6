/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/command_table.h"
#include "command/recording/reading_progress.h"
#include "command/recording/recording_header.h"
#include "command/recording/recording_input.h"
#include "command/recording/sample_filter.h"
#include "command/report/report_counters.h"
#include "command/report/report_host.h"
#include "command/report/report_records.h"
#include "command/report/report_words.h"

#include "analyse/profile/callees_cut.h"
#include "analyse/profile/hotspots_ahead.h"
#include "base/arena.h"
#include "base/scope.h"
#include "render/hotspots.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct report_options {
    struct recording_input input;
    const char *sort, *fields, *call_graph, *separator, *comms, *dsos, *symbols, *percentage;
    const char *ignored_callees, *widths, *symbol_part, *time_slice;
    struct sample_filter_options filter;
    double percent_limit;
    uint64_t max_stack;
    bool children, inlines, show_samples, show_period, header, header_only, quiet, inverted, stdio, hide_unresolved,
        whole_paths;
    bool grouped, ungrouped, branches, no_branches, hierarchy, mem_mode, stats, tasks, mappings, counters,
        nanoseconds, whole_header;
    int verbose;
};

#define AT(member) offsetof(struct report_options, member)

static const struct option_row report_rows[] = {
    {0, NULL, OPTION_HEADING, 0, NULL, "what to read"},
    RECORDING_INPUT_ROWS(report_options),
    SAMPLE_FILTER_ROWS(report_options, filter),
    SAMPLE_SWITCH_ROWS(report_options, filter),
    {0, NULL, OPTION_HEADING, 0, NULL, "what to show"},
    {'s', "sort", OPTION_TEXT, AT(sort), "KEY[,KEY]",
     "tell apart and sort by: comm, pid, tid, dso, sym, srcline, cpu, time (default: comm,dso,sym); of memory accesses "
     "also weight, "
     "local_weight, mem, tlb, snoop, locked, blocked, dso_daddr; of tracepoints trace, trace_fields and names of "
     "fields; of branches "
     "dso_from, dso_to, symbol_from, symbol_to, srcline_from, srcline_to, mispredict, cycles; overhead, period and "
     "sample add columns"},
    {0, "hierarchy", OPTION_FLAG, AT(hierarchy), NULL, "the rows of each key below those of the key before it"},
    {0, "mem-mode", OPTION_FLAG, AT(mem_mode), NULL,
     "memory accesses: samples count with their weight, and are sorted by what memory answered"},
    {'b', "branch-stack", OPTION_FLAG, AT(branches), NULL,
     "rows are taken branches, not samples (default where they were recorded with -b)"},
    {0, "no-branch-stack", OPTION_FLAG, AT(no_branches), NULL, "rows are samples"},
    {0, "group", OPTION_FLAG, AT(grouped), NULL,
     "all events side by side in one table where none is in a group (default for those of a group)"},
    {0, "no-group", OPTION_FLAG, AT(ungrouped), NULL, "a table for each event"},
    {'F', "fields", OPTION_TEXT, AT(fields), "FIELD[,FIELD]",
     "columns in this order: overhead, overhead_children, sample, period, and the keys of --sort"},
    {'g', "call-graph", OPTION_LAST_OPTIONAL, AT(call_graph), "STYLE[,MIN[,MOST]][,ORDER][,KEY][,VALUE]",
     "call trees: none, graph, fractal, flat or folded; branches from MIN percent on, no more than MOST of a node; "
     "caller or callee first; "
     "told apart by function, srcline or address; percent, period or count"},
    {'G', "inverted", OPTION_FLAG, AT(inverted), NULL, "call trees with the caller first"},
    {0, "children", OPTION_FLAG, AT(children), NULL,
     "count what a function called as its own too (default with call chains)"},
    {0, "max-stack", OPTION_U64, AT(max_stack), "N", "look at no more than N frames of a stack"},
    {0, "inline", OPTION_FLAG, AT(inlines), NULL, "show inlined functions as frames (default)"},
    {'c', "comms", OPTION_LIST, AT(comms), "LIST", "only these commands"},
    {'d', "dsos", OPTION_LIST, AT(dsos), "LIST", "only these binaries and libraries"},
    {'S', "symbols", OPTION_LIST, AT(symbols), "LIST", "only these functions"},
    {0, "symbol-filter", OPTION_TEXT, AT(symbol_part), "TEXT", "only functions whose names contain this"},
    {0, "ignore-callees", OPTION_TEXT, AT(ignored_callees), "REGEX",
     "what functions of such names call counts as their own"},
    {0, "time-quantum", OPTION_TEXT, AT(time_slice), "TIME",
     "slices of the key time: 10ms, 500us, 2s (default: 100ms)"},
    {'U', "hide-unresolved", OPTION_FLAG, AT(hide_unresolved), NULL, "leave out addresses that nothing names"},
    {0, "percent-limit", OPTION_DOUBLE, AT(percent_limit), "PERCENT", "leave out rows and branches below this share"},
    {0, "percentage", OPTION_TEXT, AT(percentage), "absolute|relative",
     "shares of everything (default), or of what --comms, --dsos and --symbols let through"},
    {0, NULL, OPTION_HEADING, 0, NULL, "how to show it"},
    {'n', "show-nr-samples", OPTION_FLAG, AT(show_samples), NULL, "a column with the number of samples"},
    {0, "show-total-period", OPTION_FLAG, AT(show_period), NULL, "a column with the sum of the periods"},
    {'t', "field-separator", OPTION_TEXT, AT(separator), "SEP", "put SEP between columns, for spreadsheets"},
    {0, "ns", OPTION_FLAG, AT(nanoseconds), NULL, "the key time with nine digits"},
    {'T', "threads", OPTION_FLAG, AT(counters), NULL,
     "behind the tables, what each thread's counters stood at when it ended (perf record -s)"},
    {0, "full-source-path", OPTION_FLAG, AT(whole_paths), NULL, "source files with their folders"},
    {'w', "column-widths", OPTION_TEXT, AT(widths), "N[,N]", "so wide columns, the first first; 0: as wide as needed"},
    {0, "stats", OPTION_FLAG, AT(stats), NULL, "how many records of each kind it holds, instead of samples"},
    {0, "tasks", OPTION_FLAG, AT(tasks), NULL,
     "its processes and threads, below those that began them, instead of samples"},
    {0, "mmaps", OPTION_FLAG, AT(mappings), NULL, "the same with what each has mapped at the end"},
    {0, "header", OPTION_FLAG, AT(header), NULL, "say what the recording says about itself first"},
    {0, "header-only", OPTION_FLAG, AT(header_only), NULL, "say only that"},
    {'I', "show-info", OPTION_FLAG, AT(whole_header), NULL, "there also CPUs, caches and memory nodes"},
    {0, "stdio", OPTION_FLAG, AT(stdio), NULL, "text: what plumb always prints"},
    {'q', "quiet", OPTION_FLAG, AT(quiet), NULL, "rows only: no comments, no warnings"},
    {'v', "verbose", OPTION_COUNT, AT(verbose), NULL,
     "each share's 95 % interval as a column; on stderr, why names are missing"},
    OPTION_ROW_PEER(PEER_REPORT),
    {0},
};

/* ---- what the options mean ---- */

struct report {
    struct report_options options;
    struct column_list keys, fields;
    struct tree_options tree;
    struct sample_filter filter;
    struct view separator;
    struct capture capture;
    struct source *source;
    struct recording_names names;
    struct sample_tally tally;
    struct report_traits traits;
    struct report_counters counters;
    uint32_t widths[HOTSPOT_COLUMNS_MOST];
    regex_t ignored_callees; /* as options.ignored_callees has it */
    bool ignores_callees;
    bool all_fields; /* of tracepoints: trace_fields was asked for */
    bool branches; /* rows are taken branches */
    struct hotspots_options wanted; /* of each table; once it is known what the recording has */
    bool children, trees;           /* columns for callers, call trees */
    struct tally_ahead *tally_ahead; /* NULL: samples are added up as they are read */
    struct hotspots_ahead *ahead;    /* NULL: nothing is found while reading */
};

/* The keys but for trace_fields: which fields there are shows when the recording has been opened. */
static bool keys_parse(struct report *report, const char *keys, struct error *err)
{
    if (keys[0] == '+' && !columns_parse("comm,dso,sym", "sort key", true, NULL, &report->keys, err))
        return false;
    for (struct view rest = view_of(keys + (keys[0] == '+')); rest.length;) {
        struct view word = view_trim(view_cut(&rest, ','));
        scoped_free char *key = memory_printf("%.*s", (int)word.length, word.text);
        if (strcmp(key, "trace_fields") == 0)
            report->all_fields = true;
        else if (!columns_parse(key, "sort key", true, &report->traits, &report->keys, err))
            return false;
    }
    return report->keys.count || report->all_fields || error_set(err, ERROR_USAGE, "no sort key given");
}

static bool report_columns(struct report *report, struct error *err)
{
    struct report_options *options = &report->options;
    if (options->hierarchy && options->fields)
        return error_set(err, ERROR_USAGE, "--hierarchy has levels by --sort: leave out --fields");
    report->tree.callers_first = options->children; /* unless -g says; a hierarchy's chains, too, as in perf */
    if (options->hierarchy || options->mem_mode)
        options->children = false;
    if (options->sort && !keys_parse(report, options->sort, err))
        return false;
    return !options->fields || columns_parse(options->fields, "field", false, &report->traits, &report->fields, err);
}

static bool ignored_callees_parse(struct report *report, struct error *err)
{
    const char *pattern = report->options.ignored_callees;
    int trouble = regcomp(&report->ignored_callees, pattern, REG_EXTENDED | REG_NOSUB);
    char why[128];
    report->ignores_callees = trouble == 0;
    if (!trouble)
        return true;
    regerror(trouble, &report->ignored_callees, why, sizeof(why));
    return error_set(err, ERROR_USAGE, "--ignore-callees expects a regular expression, not '%s': %s", pattern, why);
}

/* Options with a grammar of their own. */
static bool report_words_parse(struct report *report, struct error *err)
{
    const struct report_options *options = &report->options;
    return (!options->call_graph || tree_options_parse(options->call_graph, &report->tree, err)) &&
           (!options->ignored_callees || ignored_callees_parse(report, err)) &&
           (!options->widths || column_widths_parse(options->widths, report->widths, err)) &&
           (!options->time_slice || time_slice_parse(options->time_slice, &report->traits.slice_ns, err));
}

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
    if (!report_columns(report, err) || !report_words_parse(report, err))
        return false;
    report->traits.values.nanoseconds = options->nanoseconds;
    if (options->inverted)
        report->tree.callers_first = true;
    if (options->percentage && strcmp(options->percentage, "absolute") != 0 &&
        strcmp(options->percentage, "relative") != 0)
        return error_set(err, ERROR_USAGE, "--percentage expects absolute or relative, not '%s'", options->percentage);
    if (options->percent_limit > 0)
        report->tree.percent_least = options->percent_limit;
    return sample_filter_init(&report->filter, &options->filter, err);
}

/* ---- reading ---- */

static uint32_t branch_location(struct capture *capture, uint32_t space, uint64_t addr)
{
    return capture_locate(capture, space, addr, addr >> 63 ? CPU_MODE_KERNEL : CPU_MODE_USER);
}

static void count_branches(struct report *report, struct capture *capture, const struct record *record,
                           const struct sample *sample)
{
    enum {
        FLAG_MISPREDICTED = 1,
        FLAG_PREDICTED = 2,
        FLAG_IN_TRANSACTION = 4,
        FLAG_ABORT = 8,
        CYCLES_SHIFT = 4
    };
    uint32_t space = capture->recording.threads.items[sample->thread].space;
    for (uint32_t at = 0; at < sample_branch_count(&record->sample); at++) {
        struct branch_entry entry = sample_branch(&record->sample, at);
        struct tally_branch branch = {
            .from = branch_location(capture, space, entry.from),
            .to = branch_location(capture, space, entry.to),
            .cycles = (uint16_t)(entry.flags >> CYCLES_SHIFT),
            .marks = (entry.flags & FLAG_IN_TRANSACTION ? BRANCH_IN_TRANSACTION : 0) |
                     (entry.flags & FLAG_ABORT ? BRANCH_ABORTS : 0),
            .outcome = entry.flags & FLAG_PREDICTED      ? BRANCH_PREDICTED
                       : entry.flags & FLAG_MISPREDICTED ? BRANCH_MISPREDICTED
                                                         : BRANCH_OUTCOME_UNKNOWN,
        };
        sample_tally_add_branch(&report->tally, sample, &branch);
    }
}

static void sample_count(struct report *report, const struct sample *sample, uint32_t traits)
{
    if (report->tally_ahead)
        tally_ahead_add(report->tally_ahead, sample, traits);
    else
        sample_tally_add_with(&report->tally, sample, traits);
}

static void count_with_traits(struct report *report, struct capture *capture, const struct record *record,
                              const struct sample *sample)
{
    struct sample counted = *sample;
    if (report->options.mem_mode)
        counted.period = sample_rest(&record->sample)->weight ? sample_rest(&record->sample)->weight : 1;
    uint32_t traits = TRAITS_NONE;
    if (report->traits.values.count)
        traits = report_traits_of(&report->traits, capture, report->source, record, sample);
    sample_count(report, &counted, traits);
}

static bool report_record(void *context, struct capture *capture, const struct record *record,
                          const struct sample *sample)
{
    struct report *report = context;
    recording_names_tell(&report->names);
    if (!sample)
        report_traits_learn(&report->traits, record);
    if (!sample && report->options.counters)
        report_counters_add(&report->counters, report->source, record);
    if (!sample || !sample_filter_passes(&report->filter, &capture->recording, sample))
        return true;
    if (report->branches)
        count_branches(report, capture, record, sample);
    else if (report->traits.values.count || report->options.mem_mode)
        count_with_traits(report, capture, record, sample);
    else
        sample_count(report, sample, TRAITS_NONE);
    return true;
}

static uint64_t kinds_of_samples(const struct source *source)
{
    uint64_t kinds = 0;
    for (size_t at = 0; at < source->event_count; at++)
        kinds |= source->events[at].attr.sample_type;
    return kinds;
}

/* As perf decides: a header that speaks of branch records, and no stack dumps, make branches the rows. */
static bool branches_decide(struct report *report, struct error *err)
{
    const struct report_options *options = &report->options;
    uint64_t kinds = kinds_of_samples(report->source);
    bool usual = report->source->facts.has_branch_records && !(kinds & PERF_SAMPLE_STACK_USER);
    report->branches = options->branches || (usual && !options->no_branches);
    if (report->branches && !(kinds & PERF_SAMPLE_BRANCH_STACK) && !report->source->facts.is_pipe) {
        error_set(err, ERROR_USAGE, "the recording holds no branch records");
        return error_hint(err, "record with -b, on a machine with branch records");
    }
    for (enum hotspot_column column = COLUMN_DSO_FROM; !report->branches && column < COLUMN_TRAIT; column++)
        if (column_listed(&report->keys, column) || column_listed(&report->fields, column)) {
            error_set(err, ERROR_USAGE, "keys of branches need rows of branches");
            return error_hint(err, "add -b, or leave those keys out");
        }
    return true;
}

static bool has_chains(const struct source *source)
{
    return kinds_of_samples(source) & PERF_SAMPLE_CALLCHAIN;
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

/* What chooses rows has to be told apart in them. */
static void columns_of_lists(struct report *report)
{
    const struct report_options *options = &report->options;
    bool tells_symbol = column_listed(&report->keys, COLUMN_SYMBOL) || column_listed(&report->fields, COLUMN_SYMBOL);
    bool tells_dso =
        tells_symbol || column_listed(&report->keys, COLUMN_DSO) || column_listed(&report->fields, COLUMN_DSO);
    bool tells_comm = column_listed(&report->keys, COLUMN_COMM) || column_listed(&report->fields, COLUMN_COMM);
    if (options->comms && !tells_comm)
        column_list_add(&report->keys, COLUMN_COMM);
    if (options->dsos && !tells_dso)
        column_list_add(&report->keys, COLUMN_DSO);
    if ((options->symbols || options->symbol_part) && !tells_symbol)
        column_list_add(&report->keys, COLUMN_SYMBOL);
}

static void columns_default(struct report *report, bool children)
{
    struct column_list *fields = &report->fields, usual_keys = {0};
    static const enum hotspot_column usual[] = {COLUMN_COMM, COLUMN_DSO, COLUMN_SYMBOL};
    static const enum hotspot_column usual_branches[] = {COLUMN_COMM, COLUMN_DSO_FROM, COLUMN_SYMBOL_FROM,
                                                         COLUMN_SYMBOL_TO, COLUMN_BRANCH_CYCLES};
    size_t usual_count = report->branches ? array_count(usual_branches) : array_count(usual);
    for (size_t at = 0; !report->keys.count && !fields->count && at < usual_count; at++)
        column_list_add(&usual_keys, report->branches ? usual_branches[at] : usual[at]);
    if (usual_keys.count)
        report->keys = usual_keys;
    if (!report->branches)
        columns_of_lists(report);
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

static uint64_t keys_of(const struct report *report)
{
    uint64_t keys = 0;
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

static struct hotspots_layout layout_of(struct report *report, bool children, bool trees, uint32_t event)
{
    struct hotspots_layout layout = {.separator = report->options.separator,
                                     .tree_style = trees ? report->tree.style : TREE_NONE,
                                     .tree_value = report->tree.value,
                                     .tree_lines = report->tree.lines,
                                     .tree_most = report->tree.most,
                                     .by_children = children,
                                     .trunk_named_by_row = !report->options.fields && report->keys.count &&
                                                           report->keys.items[0] == COLUMN_SYMBOL,
                                     .percent_least = report->options.percent_limit,
                                     .heading = !report->options.quiet,
                                     .hierarchy = report->options.hierarchy,
                                     .verbose = report->options.verbose > 0,
                                     .mark_profiler = !report->options.separator && !report->options.quiet};
    const char *name, *list;
    for (size_t at = 0; at < report->fields.count; at++)
        if (!column_elided(report, report->fields.items[at], &name, &list) &&
            report_traits_shown(&report->traits, report->source, event, report->fields.items[at])) {
            layout.widths[layout.column_count] = report->widths[at];
            layout.columns[layout.column_count++] = report->fields.items[at];
        }
    return layout;
}

static void add_section_heading(struct text *out, const struct report *report, const struct hotspots *hotspots,
                                uint32_t event)
{
    const struct recording *recording = &report->capture.recording;
    uint64_t samples = hotspots->total_samples, period = hotspots->total_period;
    for (uint32_t other = 0; other < hotspots->other_count; other++) {
        samples += hotspots->other_totals[other].samples;
        period += hotspots->other_totals[other].period;
    }
    text_add(out, "# Samples: ");
    add_rounded(out, samples);
    if (hotspots->other_count) {
        const char *name = report->source->events[event].group_name;
        text_printf(out, " of events '%s { ", name ? name : "anon group");
        for (uint32_t member = 0; member <= hotspots->other_count; member++)
            text_printf(out, "%s%s", member ? ", " : "", recording->events[event + member].name);
        text_add(out, " }'\n");
    } else {
        text_printf(out, " of event '%s'\n", recording->events[event].name);
    }
    text_printf(out, "# Event count (approx.): %" PRIu64 "\n#\n", period);
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

static struct hotspots_options hotspots_options_of(const struct report *report)
{
    const struct report_options *options = &report->options;
    struct hotspots_options wanted = {
        .keys = keys_of(report),
        .children = report->children || column_listed(&report->fields, COLUMN_CHILDREN),
        .trees = report->trees,
        .callers_first = report->tree.callers_first,
        .tree_share_least = report->tree.percent_least / 100,
        .tree_relative = report->tree.style == TREE_FRACTAL,
        .stack_most = options->max_stack > UINT32_MAX ? 0 : (uint32_t)options->max_stack,
        .comms = options->comms,
        .dsos = options->dsos,
        .symbols = options->symbols,
        .symbol_part = options->symbol_part,
        .named_only = options->hide_unresolved,
        .relative = options->percentage && strcmp(options->percentage, "relative") == 0,
        .order_count = report->fields.count,
        .traits = &report->traits.values,
    };
    memcpy(wanted.order, report->fields.items, sizeof(wanted.order));
    return wanted;
}

static bool any_group(const struct source *source)
{
    for (size_t at = 0; at < source->event_count; at++)
        if (source->events[at].leader != at)
            return true;
    return false;
}

/* How many events, from this one on, share a table: a group, or with --group all where the recording has none. */
static uint32_t table_events(const struct report *report, uint32_t event)
{
    uint32_t count = 1, all = (uint32_t)report->capture.recording.event_count;
    if (report->options.grouped && !any_group(report->source))
        return all - event;
    while (!report->options.ungrouped && event + count < all && event + count < report->source->event_count &&
           report->source->events[event + count].leader == event)
        count++;
    return count;
}

static bool any_samples(const struct recording *recording, uint32_t event, uint32_t count)
{
    for (uint32_t at = event; at < event + count; at++)
        if (recording->events[at].sample_count)
            return true;
    return false;
}

/* Where many samples have no name, say of which binaries and why: the rows themselves are bare addresses. */
static void note_nameless(FILE *talk, const struct report *report, struct places *places)
{
    enum {
        PERCENT_WORTH_SAYING = 5
    };
    const struct recording *recording = places->recording;
    scoped_free uint64_t *nameless = memory_alloc(memory_product(recording->spaces.dso_count + 1, sizeof(*nameless)));
    uint64_t all = 0;
    for (size_t at = 0; at < report->tally.count; at++) {
        const struct tally_item *item = &report->tally.items[at];
        const struct place *place = places_at(places, item->location);
        all += item->samples;
        if (!place->symbol && place->dso_id < recording->spaces.dso_count)
            nameless[place->dso_id] += item->samples;
    }
    for (uint32_t dso = 0; dso < recording->spaces.dso_count; dso++) {
        const char *complaint = symboliser_complaint(places->symboliser, dso);
        if (!complaint || 100 * nameless[dso] < PERCENT_WORTH_SAYING * all)
            continue;
        /* up to six, which only whoever installs one wants */
        const char *places_tried = strstr(complaint, ": tried '");
        const char *replaced = strstr(complaint, " (the file was replaced");
        fprintf(talk, "note: %.1f %% of the samples are in '%s', without names: %.*s%s%s\n",
                100 * (double)nameless[dso] / (double)all,
                strings_text(&recording->strings, recording->spaces.dsos[dso].name),
                places_tried ? (int)(places_tried - complaint) : (int)strlen(complaint), complaint,
                replaced ? replaced : "", places_tried ? " (-v: where it was looked for)" : "");
    }
}

/* Rows for callers, call trees: what of both is to be shown. */
static void stacks_shown(const struct report *report, bool *ret_children, bool *ret_trees)
{
    bool chains = has_chains(report->source) && !report->branches;
    *ret_children = report->options.children && chains && !report->options.fields;
    *ret_trees = chains && report->tree.style != TREE_NONE;
}

static bool shows_lines(const struct report *report)
{
    return column_listed(&report->keys, COLUMN_LINE) || column_listed(&report->keys, COLUMN_LINE_FROM) ||
           column_listed(&report->keys, COLUMN_LINE_TO);
}

/* What is to be shown, as far as options and recording say. */
static void wanted_decide(struct report *report)
{
    stacks_shown(report, &report->children, &report->trees);
    columns_default(report, report->children);
    report->wanted = hotspots_options_of(report);
}

/* Whether the kernel's symbols are neither shown nor decide what is. */
static bool hides_symbols(const struct report *report)
{
    const uint64_t keys = hotspot_key(COLUMN_COMM) | hotspot_key(COLUMN_PID) | hotspot_key(COLUMN_TID) |
                          hotspot_key(COLUMN_DSO) | hotspot_key(COLUMN_CPU);
    const struct hotspots_options *wanted = &report->wanted;
    return report->options.quiet && !report->options.verbose && !report->branches && !wanted->children &&
           !report->trees && !(wanted->keys & ~keys) && !wanted->symbols && !wanted->named_only &&
           !report->options.ignored_callees;
}

static struct places_options places_wanted(const struct report *report)
{
    return (struct places_options){.inlines = report->options.inlines && (report->wanted.children || report->trees),
                                   .lines = shows_lines(report) || (report->trees && report->tree.lines),
                                   .unknown_lines = report->trees && report->tree.lines && !report->tree.addresses &&
                                                            !shows_lines(report)
                                                        ? UNKNOWN_LINE_NONE
                                                        : UNKNOWN_LINE_OFFSET,
                                   .whole_paths = report->options.whole_paths,
                                   .addresses = report->trees && report->tree.addresses,
                                   .kernel_bare = hides_symbols(report)};
}

/* The first event that has a table; recording->event_count: none has. */
static uint32_t event_first_shown(const struct report *report)
{
    const struct recording *recording = &report->capture.recording;
    uint32_t event = 0;
    while (event < recording->event_count && !any_samples(recording, event, table_events(report, event)))
        event += table_events(report, event);
    return event;
}

static bool report_show(struct report *report, struct context *context, struct error *err)
{
    struct recording *recording = &report->capture.recording;
    struct places places;
    uint32_t event_ahead = event_first_shown(report);
    if (!hotspots_ahead_take(report->ahead, event_ahead, recording, report->names.symboliser, &places)) {
        places_init(&places, recording, report->names.symboliser, places_wanted(report));
        event_ahead = UINT32_MAX;
    }
    scoped_text struct text out = {0};
    add_report_heading(&out, report);
    for (uint32_t event = 0, count; event < recording->event_count; event += count) {
        count = table_events(report, event);
        if (!any_samples(recording, event, count))
            continue;
        report->wanted.event_count = count;
        struct hotspots hotspots;
        struct hotspots_layout layout = layout_of(report, report->wanted.children, report->trees, event);
        if (event == event_ahead)
            hotspots_ahead_build(report->ahead, &hotspots, &report->tally);
        else
            hotspots_build(&hotspots, &report->tally, event, recording, &places, &report->wanted);
        if (!report->options.quiet)
            add_section_heading(&out, report, &hotspots, event);
        if (!report->options.quiet && !report->branches) {
            const struct report_host_request request = {
                .source = report->source, .tally = &report->tally, .places = &places, .event = event,
                .is_filtered = report->filter.is_given};
            report_host_lines(&out, &request);
        }
        hotspots_text(&out, &hotspots, &layout);
        text_add(&out, "\n\n");
        hotspots_done(&hotspots);
        if (!text_write_file(&out, context->out))
            break;
    }
    text_write_file(&out, context->out);
    bool written = fflush(context->out) == 0 && !ferror(context->out);
    int write_errno = errno;
    if (report->options.verbose)
        recording_names_explain(context->talk, &report->names);
    else if (!report->options.quiet && keys_of(report) & hotspot_key(COLUMN_SYMBOL))
        note_nameless(context->talk, report, &places);
    if (report->options.inlines && !report->options.quiet)
        recording_input_note_lines(context->talk);
    if (report->options.inlines && !report->options.quiet && !report->options.verbose)
        recording_names_note_inlines(context->talk, &report->names);
    places_done(&places);
    return written || write_errno == EPIPE || error_system(err, write_errno, "can't write the result");
}

static bool report_checks(const struct report *report, struct error *err)
{
    uint64_t samples = 0;
    for (size_t at = 0; at < report->capture.recording.event_count; at++)
        samples += report->capture.recording.events[at].sample_count;
    if (!samples)
        return error_set(err, ERROR_NOT_FOUND, "'%s' holds no samples", recording_input_path(&report->options.input));
    if (!sample_filter_check(&report->filter, err))
        return false;
    if (!report->tally.count)
        return error_set(err, ERROR_NOT_FOUND,
                         "none of its %" PRIu64 " samples passes --time, --cpu, --pid, --tid and --switch-on", samples);
    return true;
}

/* Rows and trees need them all; whose time it is shows in the kernel's callers alone. */
static enum capture_stacks stacks_read(const struct report *report)
{
    const struct report_options *options = &report->options;
    bool chains = has_chains(report->source) && !report->branches;
    if (report->source->facts.is_pipe ||
        (chains && (options->children || report->tree.style != TREE_NONE || report->ignores_callees)))
        return STACKS_ALL;
    return chains && !options->quiet && report_host_is_of_cpus(report->source) ? STACKS_IN_KERNEL : STACKS_NONE;
}

/* Whether no more is asked of a sample than who, where and how much. */
static bool asks_for_heads_alone(const struct report *report)
{
    return !report->branches && !report->traits.values.count && !report->options.mem_mode;
}

static bool report_read(struct report *report, struct error *err)
{
    struct recording_names *names = &report->names;
    struct reading_progress progress;
    struct capture_unwinder unwinder = recording_names_unwinder(names);
    struct capture_watch watch = {report, report_record};
    struct capture_options options = {
        .watch = &watch, .unwinder = &unwinder, .stacks = stacks_read(report), .callers_apart = true,
        .progress = reading_progress_begin(&progress, names->context->talk, report->options.quiet)
    };
    report->tally.by_thread = column_listed(&report->keys, COLUMN_PID) || column_listed(&report->keys, COLUMN_TID) ||
                              column_listed(&report->fields, COLUMN_PID) || column_listed(&report->fields, COLUMN_TID);
    report->tally.by_cpu = column_listed(&report->keys, COLUMN_CPU) || column_listed(&report->fields, COLUMN_CPU);
    options.any_order = asks_for_heads_alone(report) && !report->filter.needs_order;
    /* Whole chains repeat too seldom: what is kept of them would cost as much as it saves. */
    options.add_up_alike =
        options.any_order && options.stacks != STACKS_ALL && !report->filter.is_given && !report->tally.by_cpu;
    bool complete = capture_fill_with(&report->capture, report->source, &options, err);
    reading_progress_end(&progress);
    if (report->tally_ahead)
        tally_ahead_settle(report->tally_ahead);
    sample_tally_settle(&report->tally);
    return complete;
}

static void add_header(struct report *report, FILE *file)
{
    scoped_text struct text out = {0};
    recording_header_text(&out, report->source, report->options.whole_header);
    text_write_file(&out, file);
}

static void add_counters(const struct report *report, FILE *file)
{
    scoped_text struct text out = {0};
    report_counters_show(&report->counters, report->source, &out);
    text_write_file(&out, file);
}

/* Stacks that end early make callers look cheaper than they are. */
static void report_unwinding(FILE *talk, const struct report_options *options, struct unwinder_counts counts,
                             uint64_t without_dump)
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
    if (without_dump)
        fprintf(talk, "; %" PRIu64 " more stacks have no dump, they are what frame pointers gave", without_dump);
    fputc('\n', talk);
}

static bool report_named(struct report *report, struct context *context, struct error *err)
{
    const struct report_options *options = &report->options;
    struct error trouble = {0};
    bool complete = report_read(report, &trouble);
    if (report->source->facts.is_pipe) /* which says late what it holds */
        wanted_decide(report);
    if (options->header || options->header_only)
        add_header(report, context->out);
    if (options->header_only)
        return complete || (*err = trouble, false);
    /* Damage in the middle doesn't hide what came before it. */
    if (!complete && !report->tally.count)
        return (*err = trouble, error_wrap(err, "'%s'", recording_input_path(&options->input)));
    if (!report_checks(report, err) || !report_traits_check(&report->traits, report->source, err))
        return false;
    if (!recording_names_begin(&report->names, err))
        return false;
    if (report->ignores_callees)
        callees_cut(&report->tally, &report->capture.recording, report->names.symboliser, &report->ignored_callees);
    if (report_traits_are_named(&report->traits))
        report_traits_settle(&report->traits, &report->tally, &report->capture.recording, report->names.symboliser);
    if (!options->quiet)
        recording_losses_report(context->talk, &report->capture.losses);
    report_unwinding(context->talk, options, unwinder_counts(report->names.unwinder),
                     report->capture.stacks_without_dump);
    if (!report_show(report, context, err))
        return false;
    if (options->counters)
        add_counters(report, context->out);
    if (!complete) {
        *err = trouble;
        return error_wrap(err, "'%s' is damaged, the report holds what came before",
                          recording_input_path(&options->input));
    }
    return true;
}

/* On another core, while the recording is read. */
static void names_begin(struct report *report)
{
    struct places_options places = places_wanted(report);
    struct names_wanted wanted = {.inlines = places.inlines, .lines = places.lines, .kernel_bare = places.kernel_bare};
    if (!recording_names_go_ahead(&report->names))
        return;
    if (!report->branches) {
        report->tally_ahead = tally_ahead_begin(&report->tally);
        wanted.follower = tally_ahead_follower(report->tally_ahead);
    }
    if (report->tally_ahead && !report_traits_are_named(&report->traits) && !report->ignores_callees)
        report->ahead = hotspots_ahead_begin(report->tally_ahead, &report->wanted, places);
    if (report->ahead)
        wanted.follower = hotspots_ahead_follower(report->ahead);
    recording_names_ahead(&report->names, wanted);
}

/* Of tracepoints alone what they say is what tells them apart, as perf decides. */
static bool only_tracepoints(const struct source *source)
{
    for (size_t at = 0; at < source->event_count; at++)
        if (source->events[at].attr.type != PERF_TYPE_TRACEPOINT ||
            !(source->events[at].attr.sample_type & PERF_SAMPLE_RAW))
            return false;
    return source->event_count > 0;
}

/* perf's keys of memory accesses; without weights where the recording has none, since 0 would be one. */
static bool memory_keys(struct report *report, struct error *err)
{
    char weighed[] = "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked";
    bool has_weights = report->source->facts.is_pipe || kinds_of_samples(report->source) & PERF_SAMPLE_WEIGHT_TYPE;
    return keys_parse(report, has_weights ? weighed : weighed + strlen("local_weight,"), err);
}

static bool traits_decide(struct report *report, struct error *err)
{
    const struct report_options *options = &report->options;
    if (report->branches && (report->traits.values.count || options->mem_mode))
        return error_set(err, ERROR_USAGE,
                         "keys of samples and rows of branches don't go together: add --no-branch-stack");
    if (options->mem_mode && !report->source->facts.is_pipe &&
        !(kinds_of_samples(report->source) & (PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT_TYPE))) {
        error_set(err, ERROR_USAGE, "the recording holds no memory accesses");
        return error_hint(err, "record with -d -W an event that samples loads or stores (perf mem record does)");
    }
    if (options->mem_mode && !options->sort && !options->fields && !memory_keys(report, err))
        return false;
    if (report->all_fields) {
        enum hotspot_column columns[TRAITS_MOST];
        size_t count;
        if (!report_traits_all_fields(&report->traits, report->source, columns, &count, err))
            return false;
        for (size_t at = 0; at < count; at++)
            column_list_add(&report->keys, columns[at]);
    }
    if (!options->sort && !options->fields && only_tracepoints(report->source))
        column_list_add(&report->keys, report_traits_word(&report->traits, view_of("trace"), false));
    return report->source->facts.is_pipe || report_traits_check(&report->traits, report->source, err);
}

/* Records instead of samples; what was read before damage is shown. */
static bool records_report(const struct report *report, struct context *context, struct error *err)
{
    const struct report_options *options = &report->options;
    scoped_text struct text out = {0};
    bool complete = options->stats ? report_stats_text(&out, report->source, err)
                                   : report_tasks_text(&out, report->source, options->mappings, err);
    text_write_file(&out, context->out);
    if (!options->quiet)
        recording_losses_report(context->talk, &report->source->losses);
    return complete || error_wrap(err, "'%s'", recording_input_path(&options->input));
}

static bool report_all(struct report *report, struct context *context, struct error *err)
{
    const struct report_options *options = &report->options;
    if (!recording_input_open(&options->input, &report->source, err))
        return false;
    if (options->header_only && !report->source->facts.is_pipe) {
        add_header(report, context->out);
        if (!options->quiet)
            recording_losses_report(context->talk, &report->source->losses);
        return true;
    }
    if (options->stats || options->tasks || options->mappings)
        return records_report(report, context, err);
    if (!sample_filter_place(&report->filter, &report->source->facts, err) || !branches_decide(report, err) ||
        !traits_decide(report, err))
        return false;
    report->names = (struct recording_names){
        .input = &options->input, .context = context, .capture = &report->capture, .source = report->source};
    if (!report->source->facts.is_pipe) {
        wanted_decide(report);
        names_begin(report);
    }
    bool done = report_named(report, context, err);
    recording_names_done(&report->names);
    hotspots_ahead_free(report->ahead);
    tally_ahead_free(report->tally_ahead);
    return done;
}

static bool report_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct report report = {
        .options = {.input = RECORDING_INPUT_DEFAULTS, .children = true, .inlines = true},
        .tree = {.style = TREE_GRAPH, .percent_least = 0.5},
    };
    capture_init(&report.capture);
    report_traits_init(&report.traits);
    bool done = report_parse(&report, argc, argv, err) && report_all(&report, context, err);
    if (report.source)
        report.source->ops->close(report.source);
    sample_tally_done(&report.tally);
    report_traits_done(&report.traits);
    report_counters_done(&report.counters);
    capture_done(&report.capture);
    sample_filter_done(&report.filter);
    options_done(report_rows, &report.options);
    if (report.ignores_callees)
        regfree(&report.ignored_callees);
    return done;
}

const struct command command_report = {
    .name = "report",
    .summary = "where the samples of a recording fell: by command, binary and function, with call trees",
    .usage = "plumb report [-i FILE] [options]",
    .options = report_rows,
    .run = report_run,
};
