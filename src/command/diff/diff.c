/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb diff: where recordings spend another share of their samples, and which differences are more than chance. */
#include "command/command_table.h"
#include "command/diff/diff_input.h"
#include "command/options.h"
#include "command/report/report_words.h"

#include "base/arena.h"
#include "base/scope.h"
#include "render/comparison/share_difference.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct diff_options {
    struct diff_input input;
    const char *sort, *order, *separator;
    double percent_limit;
    bool periods, json, quiet, stdio;
};

#define AT(member) offsetof(struct diff_options, member)

static const struct option_row diff_rows[] = {
    {0, NULL, OPTION_HEADING, 0, NULL, "what to read"},
    {'e', "event", OPTION_TEXT, AT(input.event), "NAME",
     "samples of this event (default: the first that has samples in A)"},
    RECORDING_NAMES_ROWS(diff_options, input.recording),
    SAMPLE_FILTER_ROWS_OF(diff_options, input.filter,
                          "only samples from this stretch of time, in seconds; FROM,UNTIL:FROM,UNTIL: of A, and of B"),
    {0, NULL, OPTION_HEADING, 0, NULL, "what to compare"},
    {'s', "sort", OPTION_TEXT, AT(sort), "KEY[,KEY]",
     "tell rows apart by: comm, pid, tid, dso, sym, srcline, cpu (default: dso,sym)"},
    {0, "by-instruction", OPTION_TEXT, AT(input.function), "SYMBOL",
     "by instruction within this function: shares of its samples"},
    {'c', "comms", OPTION_LIST, AT(input.comms), "LIST", "only rows of these commands"},
    {'d', "dsos", OPTION_LIST, AT(input.dsos), "LIST", "only rows of these binaries and libraries"},
    {'S', "symbols", OPTION_LIST, AT(input.symbols), "LIST", "only rows of these functions"},
    {0, NULL, OPTION_HEADING, 0, NULL, "how to show it"},
    {'o', "order", OPTION_TEXT, AT(order), "WHAT", "change (default: the largest first), grown, a, b, name"},
    {0, "percent-limit", OPTION_DOUBLE, AT(percent_limit), "PERCENT",
     "leave out rows with less than this on both sides (default: 0.1)"},
    {'p', "period", OPTION_FLAG, AT(periods), NULL, "columns with what the samples stand for: a run's time or events"},
    {'t', "field-separator", OPTION_TEXT, AT(separator), "SEP", "put SEP between columns, for spreadsheets"},
    {0, "json", OPTION_FLAG, AT(json), NULL, "as JSON (plumb-diff-1)"},
    {'q', "quiet", OPTION_FLAG, AT(quiet), NULL, "rows only: no comments, no notes"},
    {0, "stdio", OPTION_FLAG, AT(stdio), NULL, "text: what plumb always prints"},
    OPTION_ROW_PEER(PEER_DIFF),
    {0},
};

struct side {
    const char **files;
    size_t count;
};

enum {
    SIDES_MOST = 16
};

struct diff {
    struct diff_options options;
    struct side sides[SIDES_MOST];
    size_t side_count;
    const char *defaults[2];
    enum share_order order;
    struct column_list keys;
    char *times;                     /* --time, cut at its colon */
    struct sample_filter filters[2]; /* of A's samples, and of B's */
};

/* ---- what the words mean ---- */

static bool order_parse(const char *word, enum share_order *ret_order, struct error *err)
{
    static const char *const words[] = {[SHARE_ORDER_CHANGE] = "change",
                                        [SHARE_ORDER_GROWN] = "grown",
                                        [SHARE_ORDER_A] = "a",
                                        [SHARE_ORDER_B] = "b",
                                        [SHARE_ORDER_NAME] = "name"};
    for (size_t at = 0; at < array_count(words); at++)
        if (strcmp(words[at], word) == 0)
            return (*ret_order = (enum share_order)at, true);
    return error_set(err, ERROR_USAGE, "--order is change, grown, a, b or name, not '%s'", word);
}

static bool side_add(struct diff *diff, const char **files, size_t count, struct error *err)
{
    if (!count)
        return error_set(err, ERROR_USAGE, "there is no recording on one side of a --");
    if (diff->side_count == SIDES_MOST)
        return error_set(err, ERROR_USAGE, "more than %d sides are too many to compare", SIDES_MOST);
    diff->sides[diff->side_count++] = (struct side){files, count};
    return true;
}

/* Without "--" each file is a side; with it, those between two are. */
static bool sides_parse(struct diff *diff, const char **files, size_t count, const char **rest, struct error *err)
{
    if (!rest && count == 0 && access("perf.data.old", R_OK) != 0)
        return error_set(err, ERROR_NOT_FOUND, "there is no 'perf.data.old' here to compare perf.data with") ||
               error_hint(err,
                          "name both: plumb diff BEFORE AFTER; plumb record keeps the recording before the last as "
                          "perf.data.old");
    diff->defaults[0] = "perf.data.old";
    diff->defaults[1] = count == 1 && !rest ? files[0] : "perf.data";
    if (!rest && count < 2)
        return side_add(diff, &diff->defaults[0], 1, err) && side_add(diff, &diff->defaults[1], 1, err);
    if (!rest) {
        for (size_t at = 0; at < count; at++)
            if (!side_add(diff, files + at, 1, err))
                return false;
        return true;
    }
    if (!side_add(diff, files, count, err))
        return false;
    while (rest) {
        const char **end = rest;
        for (; *end && strcmp(*end, "--") != 0; end++)
            if ((*end)[0] == '-' && (*end)[1])
                return error_set(err, ERROR_USAGE, "'%s' is behind a --: options go before the recordings", *end);
        if (!side_add(diff, rest, (size_t)(end - rest), err))
            return false;
        rest = *end ? end + 1 : NULL;
    }
    return true;
}

static bool keys_parse(struct diff *diff, struct error *err)
{
    struct diff_options *options = &diff->options;
    if (options->input.function && options->sort)
        return error_set(err, ERROR_USAGE, "--by-instruction has rows of its own: leave out --sort");
    if (options->sort && !columns_parse(options->sort, "sort key", true, NULL, &diff->keys, err))
        return false;
    for (enum hotspot_column column = COLUMN_DSO_FROM; column < COLUMN_TRAIT; column++)
        if (column_listed(&diff->keys, column))
            return error_set(err, ERROR_USAGE, "plumb diff compares samples: keys of branches are plumb report's");
    if (!diff->keys.count) {
        column_list_add(&diff->keys, COLUMN_DSO);
        column_list_add(&diff->keys, COLUMN_SYMBOL);
    }
    options->input.keys = &diff->keys;
    return true;
}

/* One stretch of time is both sides', two are each side's own: their clocks may differ. */
static bool filters_parse(struct diff *diff, struct error *err)
{
    struct sample_filter_options of_a = diff->options.input.filter, of_b = of_a;
    char *colon = NULL;
    if (of_a.time) {
        of_a.time = of_b.time = diff->times = memory_string(of_a.time);
        colon = strchr(diff->times, ':');
    }
    if (colon) {
        *colon = '\0';
        of_b.time = colon + 1;
    }
    for (size_t at = 0; at < array_count(diff->filters); at++)
        diff->options.input.filters[at] = &diff->filters[at];
    return sample_filter_init(&diff->filters[0], &of_a, err) && sample_filter_init(&diff->filters[1], &of_b, err);
}

static bool diff_parse(struct diff *diff, int argc, char **argv, struct error *err)
{
    struct diff_options *options = &diff->options;
    int first, cut = 1;
    while (cut < argc && strcmp(argv[cut], "--") != 0)
        cut++;
    if (!options_parse(diff_rows, OPTIONS_ANYWHERE, cut, argv, options, &first, err))
        return false;
    if (options->order && !order_parse(options->order, &diff->order, err))
        return false;
    return keys_parse(diff, err) && filters_parse(diff, err) &&
           sides_parse(diff, (const char **)argv + first, (size_t)(cut - first),
                       cut < argc ? (const char **)argv + cut + 1 : NULL, err);
}

/* ---- comparing ---- */

static size_t columns_of(const struct diff *diff, const char **columns)
{
    static const char *const headings[COLUMN_COUNT] = {
        [COLUMN_COMM] = "comm", [COLUMN_PID] = "pid", [COLUMN_TID] = "tid", [COLUMN_DSO] = "dso",
        [COLUMN_SYMBOL] = "symbol", [COLUMN_LINE] = "srcline", [COLUMN_CPU] = "cpu"};
    if (diff->options.input.function) {
        columns[0] = "offset";
        columns[1] = "instruction";
        return 2;
    }
    for (size_t at = 0; at < diff->keys.count; at++)
        columns[at] = headings[diff->keys.items[at]];
    return diff->keys.count;
}

static bool sides_read(const struct diff *diff, const struct context *context, const struct side *side, bool is_b,
                       struct diff_event *event, struct share_difference *difference, struct error *err)
{
    for (size_t at = 0; at < side->count; at++)
        if (!diff_input_read(&diff->options.input, context, side->files[at], is_b, event, difference, err))
            return false;
    return true;
}

/* Names that nothing has are said beside the empty table. perf's -c is what it computes. */
static void empty_report(const struct diff_options *options, const struct share_difference *difference, FILE *talk)
{
    const struct {
        const char *option, *list, *hint;
    } given[] = {{"--comms", options->input.comms,
                  " (perf's -c: what plumb computes are differences of shares with their intervals)"},
                 {"--dsos", options->input.dsos, ""},
                 {"--symbols", options->input.symbols, ""}};
    for (size_t at = 0; at < array_count(given) && !difference->row_count && !options->quiet; at++)
        if (given[at].list)
            fprintf(talk, "note: no sample is of %s %s%s\n", given[at].option, given[at].list, given[at].hint);
}

static bool sides_compare(const struct diff *diff, struct context *context, const struct side *b, struct text *out,
                          struct json_writer *json, struct error *err)
{
    const struct diff_options *options = &diff->options;
    const struct side *a = &diff->sides[0];
    const char *columns[HOTSPOT_COLUMNS_MOST];
    struct share_difference difference;
    struct diff_event event = {0};
    share_difference_init(&difference);
    bool done = sides_read(diff, context, a, false, &event, &difference, err) &&
                sides_read(diff, context, b, true, &event, &difference, err);
    if (done) {
        scoped_text struct text of = {0};
        share_difference_finish(&difference);
        empty_report(options, &difference, context->talk);
        bool is_filtered = diff->filters[0].is_given;
        text_add(&of, is_filtered               ? "the samples that pass --time, --cpu, --pid and --tid"
                      : options->input.function ? "the samples"
                                                : "all samples");
        if (options->input.function)
            text_printf(&of, " in '%s'", options->input.function);
        struct share_layout layout = {.columns = columns,
                                      .column_count = columns_of(diff, columns),
                                      .files_a = a->files,
                                      .files_b = b->files,
                                      .count_a = a->count,
                                      .count_b = b->count,
                                      .event = event.name,
                                      .of = text_string(&of),
                                      .order = diff->order,
                                      .ratio_least = options->percent_limit / 100,
                                      .periods = options->periods,
                                      .counts_ns = event.counts_ns,
                                      .heading = !options->quiet,
                                      .separator = options->separator};
        if (options->json)
            share_difference_json(json, &difference, &layout);
        else
            share_difference_text(out, &difference, &layout);
        if (difference.too_few_samples)
            context->exit_code = EXIT_CODE_INCONCLUSIVE;
    }
    diff_event_done(&event);
    share_difference_done(&difference);
    return done;
}

static bool diff_all(const struct diff *diff, struct context *context, struct error *err)
{
    scoped_text struct text out = {0};
    struct json_writer json;
    json_begin(&json, &out);
    if (diff->options.json) {
        json_object_open(&json, NULL);
        json_string(&json, "schema", "plumb-diff-1");
        json_array_open(&json, "comparisons");
    }
    for (size_t at = 1; at < diff->side_count; at++) {
        if (at > 1 && !diff->options.json)
            text_add(&out, "\n\n");
        if (!sides_compare(diff, context, &diff->sides[at], &out, &json, err))
            return false;
    }
    if (diff->options.json) {
        json_array_close(&json);
        json_object_close(&json);
        text_add_char(&out, '\n');
    }
    return result_write(context, NULL, &out, err);
}

static bool diff_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct diff diff = {.options = {.input = {.recording = RECORDING_INPUT_DEFAULTS}, .percent_limit = 0.1}};
    bool done = diff_parse(&diff, argc, argv, err);
    diff.options.input.quiet = diff.options.quiet;
    done = done && diff_all(&diff, context, err);
    for (size_t at = 0; at < array_count(diff.filters); at++)
        sample_filter_done(&diff.filters[at]);
    free(diff.times);
    options_done(diff_rows, &diff.options);
    return done;
}

const struct command command_diff = {
    .name = "diff",
    .summary = "where recordings spend another share of their samples, by more than chance",
    .usage = "plumb diff [options] [A B [C...]] | A1 A2... -- B1 B2...",
    .options = diff_rows,
    .run = diff_run,
};
