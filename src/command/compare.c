/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb compare: which of two commands is faster, soundly. */
#include "analyse/comparison.h"
#include "base/arena.h"
#include "base/json_reader.h"
#include "base/scope.h"
#include "base/vec.h"
#include "command/command_table.h"
#include "command/options.h"
#include "experiment/experiment.h"
#include "render/comparison.h"
#include "source/live/workload.h"

#include <stdlib.h>
#include <unistd.h>

struct compare_options {
    uint64_t runs, warmup, seed;
    double effect; /* in percent, as typed */
    const char *quantity, *predicted, *predicted_by, *finding;
    bool json, fail_if_slower, quiet;
};

#define FIELD(member) offsetof(struct compare_options, member)

static const struct option_row option_rows[] = {
    {'r', "runs", OPTION_U64, FIELD(runs), "N", "pairs of runs (default 10)"},
    {0, "warmup", OPTION_U64, FIELD(warmup), "N", "pairs run first and not counted (default 1)"},
    {0, "seed", OPTION_U64, FIELD(seed), "N", "of the random order (default 1)"},
    {0, "effect", OPTION_DOUBLE, FIELD(effect), "PCT", "a smaller difference counts as the same (default 1)"},
    {0, "time", OPTION_TEXT, FIELD(quantity), "KIND", "wall, cpu, user or system time (default wall)"},
    {0, "predicted", OPTION_TEXT, FIELD(predicted), "LOW,MID,HIGH",
     "gain foretold for B, in percent of A's time: printed beside the realised one"},
    {0, "predicted-by", OPTION_TEXT, FIELD(predicted_by), "CASE",
     "the same, from the leading supported finding of a case that plumb diagnose wrote"},
    {0, "finding", OPTION_TEXT, FIELD(finding), "ID", "with --predicted-by: this finding instead of the leading one"},
    {0, "fail-if-slower", OPTION_FLAG, FIELD(fail_if_slower), NULL, "exit 3 when B is slower by more than --effect"},
    {0, "json", OPTION_FLAG, FIELD(json), NULL, "print one JSON document"},
    {'q', "quiet", OPTION_FLAG, FIELD(quiet), NULL, "no progress line"},
    {0},
};

static const struct {
    const char *name, *label;
    enum child_quantity quantity;
} quantities[] = {
    {"wall", "wall time", CHILD_WALL},
    {"cpu", "CPU time", CHILD_CPU},
    {"user", "user CPU time", CHILD_USER},
    {"system", "system CPU time", CHILD_SYSTEM},
};

static bool quantity_find(const char *name, size_t *ret_index, struct error *err)
{
    for (size_t at = 0; at < array_count(quantities); at++)
        if (strcmp(quantities[at].name, name) == 0) {
            *ret_index = at;
            return true;
        }
    return error_set(err, ERROR_USAGE, "--time expects wall, cpu, user or system, not '%s'", name);
}

static bool prediction_parse(const char *text, struct interval *ret_gain, struct error *err)
{
    struct view rest = view_of(text), low = view_cut(&rest, ','), mid = view_cut(&rest, ',');
    struct interval gain = {.known = true};
    bool good = view_double(low, &gain.low) && view_double(mid, &gain.mid) && view_double(rest, &gain.high) &&
                gain.low <= gain.mid && gain.mid <= gain.high && gain.high <= 100;
    if (!good)
        return error_set(err, ERROR_USAGE, "--predicted expects LOW,MID,HIGH in percent, rising, not '%s'", text);
    *ret_gain = interval_scaled(gain, 0.01);
    return true;
}

struct prediction {
    struct interval gain;
    char source[160];
};

/* The asked finding, or the first, which is the leading one. */
static struct json_value finding_in(struct json_value findings, const char *id)
{
    for (size_t at = 0; id && at < json_count(findings); at++)
        if (strcmp(json_text_or(json_member(json_item(findings, at), "id"), ""), id) == 0)
            return json_item(findings, at);
    return id ? (struct json_value){0} : json_item(findings, 0);
}

/*
 * The case foretells seconds of its own run; as a share of the time that is compared they hold for another machine's
 * pace too. User and system time are parts of CPU time that no finding speaks of.
 */
static bool gain_of_finding(struct json_value run, struct json_value finding, enum child_quantity quantity,
                            struct interval *ret_gain, struct error *err)
{
    struct json_value seconds = json_member(finding, "recoverable_s");
    const char *whole_name = quantity == CHILD_WALL ? "elapsed_s" : "cpu_s";
    struct json_value whole = json_member(run, whole_name);
    struct interval gain = {.known = true};
    double whole_s = 0;
    if (quantity != CHILD_WALL && quantity != CHILD_CPU)
        return error_set(err, ERROR_USAGE, "--predicted-by goes with --time wall or cpu");
    if (!json_number(whole, &whole_s))
        json_number(json_member(whole, "value"), &whole_s);
    if (!(whole_s > 0) || !json_number(json_member(seconds, "low"), &gain.low) ||
        !json_number(json_member(seconds, "mid"), &gain.mid) || !json_number(json_member(seconds, "high"), &gain.high))
        return error_set(err, ERROR_NOT_FOUND, "its finding says no recoverable time, or its run no %s", whole_name);
    *ret_gain = interval_scaled(gain, 1 / whole_s);
    return true;
}

static bool prediction_of_case(const struct compare_options *options, enum child_quantity quantity,
                               struct prediction *ret_prediction, struct error *err)
{
    struct sysroot anywhere;
    sysroot_init(&anywhere, NULL);
    scoped_text struct text text = {0};
    scoped_json struct json_document *document = NULL;
    if (!sysroot_read(&anywhere, &text, err, "%s/findings.json", options->predicted_by) ||
        !json_document_parse(&document, (struct view){text_string(&text), text.length}, err))
        return error_wrap(err, "reading the prediction of case '%s'", options->predicted_by);
    struct json_value root = json_root(document);
    struct json_value finding = finding_in(json_member(root, "findings"), options->finding);
    const char *id = json_text_or(json_member(finding, "id"), options->finding ? options->finding : "");
    const char *verdict = json_text_or(json_member(finding, "verdict"), "not in the case");
    struct prediction prediction = {0};
    if (strcmp(verdict, "supported") != 0)
        return error_set(err, ERROR_NOT_FOUND, "case '%s' foretells nothing by finding '%s': it is %s",
                         options->predicted_by, id, verdict);
    if (!gain_of_finding(json_member(root, "run"), finding, quantity, &prediction.gain, err))
        return error_wrap(err, "case '%s'", options->predicted_by);
    snprintf(prediction.source, sizeof(prediction.source), "by finding %s of the case", id);
    *ret_prediction = prediction;
    return true;
}

static bool prediction_choose(const struct compare_options *options, enum child_quantity quantity,
                              struct prediction *ret_prediction, struct error *err)
{
    if (options->predicted && options->predicted_by)
        return error_set(err, ERROR_USAGE, "--predicted and --predicted-by exclude each other");
    if (options->finding && !options->predicted_by)
        return error_set(err, ERROR_USAGE, "--finding goes with --predicted-by");
    if (options->predicted_by)
        return prediction_of_case(options, quantity, ret_prediction, err);
    snprintf(ret_prediction->source, sizeof(ret_prediction->source), "given by --predicted");
    return !options->predicted || prediction_parse(options->predicted, &ret_prediction->gain, err);
}

/* "A… -- B…": put a NULL where the separator stands. */
static bool arms_split(int argc, char **argv, int first, struct experiment_arm arms[2], struct error *err)
{
    int separator = first;
    while (separator < argc && strcmp(argv[separator], "--") != 0)
        separator++;
    if (first >= argc || separator == first || separator + 1 >= argc) {
        error_set(err, ERROR_USAGE, "two commands are needed, with -- between them");
        return error_hint(err, "plumb compare [options] A [arguments] -- B [arguments]");
    }
    argv[separator] = NULL;
    arms[0] = (struct experiment_arm){.label = "A", .argv = argv + first};
    arms[1] = (struct experiment_arm){.label = "B", .argv = argv + separator + 1};
    return true;
}

struct progress {
    FILE *talk;
    uint64_t pairs;
};

static void show_progress(void *context, const struct experiment_arm *arm, size_t block, bool is_warmup)
{
    const struct progress *progress = context;
    if (is_warmup)
        fprintf(progress->talk, "\r  warm-up: %s   ", arm->label);
    else
        fprintf(progress->talk, "\r  pair %zu of %llu: %s   ", block + 1, (unsigned long long)progress->pairs, arm->label);
    fflush(progress->talk);
}

static int exit_code_of(const struct comparison *comparison, const struct compare_options *options)
{
    if (comparison->verdict == COMPARISON_UNDECIDED)
        return EXIT_CODE_INCONCLUSIVE;
    bool regressed = comparison->verdict == COMPARISON_SLOWER && comparison->ratio.mid > 1 + comparison->effect_ratio;
    return options->fail_if_slower && regressed ? EXIT_CODE_FINDING : EXIT_CODE_OK;
}

static void print_result(struct context *context, const struct compare_options *options,
                         const struct experiment_result *result, const struct experiment_arm *arms, size_t quantity,
                         const struct prediction *prediction)
{
    const struct run_table *table = &result->table;
    scoped_free double *a = memory_alloc(memory_product(table->block_count, sizeof(*a)));
    scoped_free double *b = memory_alloc(memory_product(table->block_count, sizeof(*b)));
    size_t pairs = run_table_pairs(table, 0, 1, quantities[quantity].quantity, a, b);
    struct comparison comparison = comparison_of(a, b, pairs, options->effect / 100);
    struct comparison_labels labels = {.a = table->arms[0].command,
                                       .b = table->arms[1].command,
                                       .quantity = quantities[quantity].label,
                                       .seed = options->seed,
                                       .predicted_gain = prediction->gain,
                                       .prediction_source = prediction->source};
    scoped_text struct text out = {0};
    (options->json ? comparison_json : comparison_text)(&out, &comparison, &labels);
    fputs(text_string(&out), context->out);
    context->exit_code = exit_code_of(&comparison, options);
}

static bool run_pairs(struct context *context, const struct compare_options *options,
                      const struct experiment_arm arms[2], struct experiment_result *result, struct error *err)
{
    size_t pairs = options->runs;
    struct progress progress = {context->talk, options->runs};
    bool show = !options->quiet && isatty(fileno(context->talk));
    struct experiment_request request = {
        .arms = arms,
        .arm_count = 2,
        .warmup_blocks = options->warmup,
        .seed = options->seed,
        .runner = experiment_runner_plain(),
        .policy = experiment_policy_fixed(&pairs),
        .progress = show ? show_progress : NULL,
        .progress_context = &progress,
    };
    bool ran = experiment_run_blocks(&request, result, err);
    if (show)
        fputs("\r                              \r", context->talk);
    if (!ran)
        context->exit_code = workload_exec_exit_code(err);
    return ran;
}

static bool compare_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct compare_options options = {.runs = 10, .warmup = 1, .seed = 1, .effect = 1, .quantity = "wall"};
    struct experiment_arm arms[2];
    struct prediction prediction = {0};
    size_t quantity = 0;
    int first;
    if (!options_parse(option_rows, OPTIONS_STOP_AT_OPERAND, argc, argv, &options, &first, err) ||
        !quantity_find(options.quantity, &quantity, err) ||
        !prediction_choose(&options, quantities[quantity].quantity, &prediction, err) ||
        !arms_split(argc, argv, first, arms, err))
        return false;
    if (options.runs < 1 || options.runs > 100000)
        return error_set(err, ERROR_USAGE, "--runs expects 1 to 100000");
    if (!(options.effect >= 0 && options.effect < 100))
        return error_set(err, ERROR_USAGE, "--effect expects a percentage from 0 to below 100");
    scoped(experiment_result_done) struct experiment_result result = {0};
    if (!run_pairs(context, &options, arms, &result, err))
        return false;
    if (result.table.block_count == 0)
        return error_set(err, ERROR_INTERRUPTED, "interrupted before the first pair was complete");
    if (result.interrupted)
        fprintf(context->talk, "plumb compare: interrupted; the %zu complete pairs are judged\n", result.table.block_count);
    print_result(context, &options, &result, arms, quantity, &prediction);
    return true;
}

const struct command command_compare = {
    .name = "compare",
    .summary = "run two commands interleaved and tell which is faster, soundly",
    .usage = "plumb compare [options] A [arguments] -- B [arguments]",
    .options = option_rows,
    .run = compare_run,
};
