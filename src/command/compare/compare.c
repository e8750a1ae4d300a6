/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb compare: which of several commands is faster, soundly, and what else differs. */
#include "base/clock.h"
#include "base/scope.h"
#include "base/vec.h"
#include "command/command_table.h"
#include "command/compare/compare_arms.h"
#include "command/compare/compare_gap.h"
#include "command/compare/compare_policy.h"
#include "command/compare/compare_prediction.h"
#include "command/compare/compare_profile.h"
#include "command/compare/compare_saved.h"
#include "command/compare/compare_treatment.h"
#include "command/html_file.h"
#include "command/options.h"
#include "experiment/measuring_runner.h"
#include "probe/calibration/clock.h"
#include "render/comparison/comparison.h"
#include "render/report/report.h"
#include "source/live/target.h"
#include "source/live/workload.h"
#include "system/machine.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

struct compare_options {
    uint64_t runs, warmup, seed, most, explain;
    double effect, seconds; /* effect in percent, as typed */
    bool until_decided, no_noise_floor, ignore_failure, json, markdown, quiet, saved, force;
    const char *quantity, *prepare, *cpus, *hyperfine, *html;
    struct option_texts fail_if;
    struct compare_arms_options arms;
    struct prediction_options prediction;
    struct compare_gap_options gap;
};

#define FIELD(member) offsetof(struct compare_options, member)

static const struct option_row option_rows[] = {
    {0, NULL, OPTION_HEADING, 0, NULL, "how long"},
    {'n', "runs", OPTION_U64, FIELD(runs), "N", "this many blocks; each runs every command once", 'r'},
    {0, "time", OPTION_DOUBLE, FIELD(seconds), "S", "as many blocks as start within S seconds"},
    {0, "until-decided", OPTION_FLAG, FIELD(until_decided), NULL, "stop at the first sure answer (the default)"},
    {0, "most", OPTION_U64, FIELD(most), "N", "with --until-decided: N blocks at the most (default 60)"},
    {0, "warmup", OPTION_U64, FIELD(warmup), "N", "blocks run first and not counted (default: 1, ended after 10 s)"},
    {0, NULL, OPTION_HEADING, 0, NULL, "what is run"},
    {'L', "label", OPTION_TEXTS, FIELD(arms.labels), "NAME", "name of the first command; again for the next"},
    {0, "shell", OPTION_FLAG, FIELD(arms.shell), NULL, "each command is a line for sh -c"},
    {0, "env", OPTION_TEXTS, FIELD(arms.environment), "NAME=VALUE", "in the environment of all; again for more"},
    {0, "prepare", OPTION_TEXT, FIELD(prepare), "LINE", "shell line before each run, not measured"},
    {0, "cpu", OPTION_TEXT, FIELD(cpus), "LIST", "run everything on these CPUs"},
    {'i', "ignore-failure", OPTION_FLAG, FIELD(ignore_failure), NULL,
     "measure runs that end with a status other than 0 too"},
    {0, "no-noise-floor", OPTION_FLAG, FIELD(no_noise_floor), NULL, "don't run the first command twice in each block"},
    {0, "saved", OPTION_FLAG, FIELD(saved), NULL, "run nothing: compare what files of earlier runs hold"},
    {0, "seed", OPTION_U64, FIELD(seed), "N", "of the random order (default 1)"},
    {0, NULL, OPTION_HEADING, 0, NULL, "how it is judged"},
    {0, "by", OPTION_TEXT, FIELD(quantity), "NAME",
     "quantity that decides: wall (default; else what --predicted-by foretells), cpu, user, max-rss, cycles, …"},
    {0, "effect", OPTION_DOUBLE, FIELD(effect), "PCT", "a smaller difference counts as the same (default 1)"},
    {0, "fail-if", OPTION_TEXTS, FIELD(fail_if), "'NAME > PCT%'",
     "exit 3 when that quantity surely grew by more; again for more"},
    {0, "explain", OPTION_U64, FIELD(explain), "N",
     "blocks under the sampler, when a difference was found (default: at most 12 and a minute; 0: none)"},
    {0, "predicted", OPTION_TEXT, FIELD(prediction.typed), "LOW,MID,HIGH",
     "gain foretold for B, in percent of A's time: printed beside the realised one"},
    {0, "predicted-by", OPTION_TEXT, FIELD(prediction.case_folder), "CASE",
     "the same, from the leading supported finding of a case that plumb diagnose wrote"},
    {0, "finding", OPTION_TEXT, FIELD(prediction.finding), "ID",
     "with --predicted-by: this finding instead of the leading one"},
    {0, "treatment", OPTION_TEXTS, FIELD(arms.treatments), "KEY[=V,V]",
     "this is meant to differ: thp=never,always gives each command its setting; again for more"},
    {0, "force", OPTION_FLAG, FIELD(force), NULL, "compare although the machines differ in what was not declared"},
    {0, NULL, OPTION_HEADING, 0, NULL, "a host and a guest"},
    {0, "guest", OPTION_TEXT, FIELD(gap.guest), "CASE",
     "run nothing: split why the program of this case of a guest is slower than on its host"},
    {0, "host", OPTION_TEXT, FIELD(gap.host), "CASE", "with --guest: the case of the same program on the host"},
    {0, "guest-exits", OPTION_TEXT, FIELD(gap.guest_exits), "FILE",
     "what left the guest meanwhile: of plumb exits --json, a recording or a table"},
    {0, "host-exits", OPTION_TEXT, FIELD(gap.host_exits), "FILE",
     "the same of the host's case, where that is of a guest itself"},
    {0, "exits-seconds", OPTION_DOUBLE, FIELD(gap.exits_seconds), "S",
     "over how long exits were counted, where the file doesn't say"},
    {0, "guest-pages", OPTION_TEXT, FIELD(gap.guest_pages), "FILE",
     "what plumb pages --vm PID --json says of the guest on its host"},
    {0, "work", OPTION_TEXT, FIELD(gap.work), "HOST,GUEST",
     "how much work each case did, where it isn't one run from start to end"},
    {0, NULL, OPTION_HEADING, 0, NULL, "output"},
    {0, "json", OPTION_FLAG, FIELD(json), NULL, "print one JSON document, with each run"},
    {0, "markdown", OPTION_FLAG, FIELD(markdown), NULL, "print a Markdown table"},
    {0, "export-hyperfine", OPTION_TEXT, FIELD(hyperfine), "FILE", "write the runs as hyperfine's JSON too"},
    {0, "html", OPTION_TEXT, FIELD(html), "FILE",
     "also write a report there: one page that opens in a browser, offline"},
    {'q', "quiet", OPTION_FLAG, FIELD(quiet), NULL, "no progress line"},
    {0},
};

/*
 * --warmup when it isn't given: one block, but no run more when it has lasted that long: what starts cold matters
 * little then.
 */
#define WARMUP_BY_TIME UINT64_MAX
#define RUNS_NOT_GIVEN UINT64_MAX

/* --explain when it isn't given: as many blocks as a minute has room for. */
#define EXPLAIN_BY_TIME UINT64_MAX

enum {
    MOST_BLOCKS = 60, /* --most */
    WARMUP_SECONDS = 10,
    EXPLAIN_MOST = 12,
    EXPLAIN_SECONDS = 60
};

struct compare_run {
    struct context *context;
    struct compare_options options;
    struct arena arena;
    struct compare_arms arms;
    struct measuring_runner *runner;
    struct compare_policy policy;
    struct experiment_result result;
    struct surroundings surroundings; /* of runs that are made now */
    struct compare_saved saved;
    struct prediction prediction;
    struct fact_differences facts;
    bool is_void; /* the machine changed, undeclared */
    double elapsed_s;
    struct run_profiles profiles;
    const char *why_no_profile; /* NULL: there is one, or none was wanted */
    bool has_profile;
    bool show_progress;
    size_t runs_begun;
    double first_began_s;
};

/* Progress. */

/* Said once, when the first run shows that an answer will take its time: also where no terminal shows progress. */
static void warn_of_length(struct compare_run *run)
{
    enum {
        PATIENCE_S = 120
    };
    if (run->runs_begun++ == 0)
        run->first_began_s = clock_s(CLOCK_MONOTONIC);
    size_t least = run->options.runs ? (size_t)run->options.runs : COMPARE_FIRST_LOOK;
    size_t runs = run->arms.count + (run->options.no_noise_floor ? 0 : 1);
    if (run->runs_begun != 2 || run->options.seconds > 0)
        return;
    double run_s = clock_s(CLOCK_MONOTONIC) - run->first_began_s, whole_s = run_s * (double)(runs * least);
    if (whole_s > PATIENCE_S)
        fprintf(
            run->context->talk,
            "%splumb compare: a run took %.0f s, and %zu blocks of %zu runs take %.0f minutes; -n %d --no-noise-floor "
            "--explain 0 is the quickest that gives an interval; an interrupt shows what there is\n",
            run->show_progress ? "\r\033[K" : "", run_s, least, runs, whole_s / 60, COMPARISON_PAIRS_LEAST);
}

static void show_progress(void *context, const struct experiment_arm *arm, size_t block, bool is_warmup)
{
    struct compare_run *run = context;
    FILE *talk = run->context->talk;
    warn_of_length(run);
    if (!run->show_progress)
        return;
    if (is_warmup)
        fprintf(talk, "\r\033[K  warm-up: %s", arm->label);
    else
        compare_policy_progress(&run->policy, talk, arm->label, block);
    fflush(talk);
}

/* Options. */

/* What is of runs has no meaning where none are made: an option that did nothing would mislead. */
static const char *of_runs_alone(const struct compare_options *options, bool has_saved_runs)
{
    const struct {
        bool given;
        const char *name;
        bool of_saved_runs; /* they have it, too */
    } rows[] = {
        {options->runs != RUNS_NOT_GIVEN, "--runs", false},
        {!isnan(options->seconds), "--time", false},
        {options->until_decided, "--until-decided", false},
        {options->most != MOST_BLOCKS, "--most", false},
        {options->warmup != WARMUP_BY_TIME, "--warmup", false},
        {options->arms.shell, "--shell", false},
        {options->arms.environment.count > 0, "--env", false},
        {options->prepare != NULL, "--prepare", false},
        {options->cpus != NULL, "--cpu", false},
        {options->ignore_failure, "--ignore-failure", false},
        {options->no_noise_floor, "--no-noise-floor", false},
        {options->seed != 1, "--seed", false},
        {options->saved, "--saved", true},
        {options->arms.labels.count > 0, "--label", true},
        {options->fail_if.count > 0, "--fail-if", true},
        {options->explain != EXPLAIN_BY_TIME, "--explain", true},
        {options->prediction.typed != NULL, "--predicted", true},
        {options->prediction.case_folder != NULL, "--predicted-by", true},
        {options->prediction.finding != NULL, "--finding", true},
        {options->arms.treatments.count > 0, "--treatment", true},
        {options->markdown, "--markdown", true},
        {options->hyperfine != NULL, "--export-hyperfine", true},
        {options->html != NULL, "--html", true},
    };
    for (size_t at = 0; at < array_count(rows); at++)
        if (rows[at].given && !(has_saved_runs && rows[at].of_saved_runs))
            return rows[at].name;
    return NULL;
}

static bool saved_check(const struct compare_options *options, struct error *err)
{
    const char *other = of_runs_alone(options, true);
    if (other)
        return error_set(err, ERROR_USAGE, "--saved runs nothing: %s goes with commands", other);
    for (size_t at = 0; at < options->arms.treatments.count; at++)
        if (strchr(options->arms.treatments.items[at], '='))
            return error_set(err, ERROR_USAGE,
                             "--treatment KEY=VALUE goes with commands; with --saved it is --treatment KEY");
    return true;
}

/* How many blocks, or for how long; neither: until it is decided. */
static bool length_check(struct compare_options *options, struct error *err)
{
    if (options->runs == RUNS_NOT_GIVEN)
        options->runs = 0;
    else if (options->runs < 1 || options->runs > 100000)
        return error_set(err, ERROR_USAGE, "--runs expects 1 to 100000");
    if (isnan(options->seconds))
        options->seconds = 0;
    else if (!(options->seconds > 0))
        return error_set(err, ERROR_USAGE, "--time expects more than 0 seconds");
    if (options->until_decided && options->runs)
        return error_set(err, ERROR_USAGE, "--runs and --until-decided exclude each other");
    if (!options->runs && !(options->seconds > 0))
        options->until_decided = true;
    return true;
}

static bool options_check(struct compare_options *options, struct error *err)
{
    if ((options->saved && !saved_check(options, err)) || !length_check(options, err))
        return false;
    if ((options->warmup > 100000 && options->warmup != WARMUP_BY_TIME) ||
        (options->explain > 1000 && options->explain != EXPLAIN_BY_TIME))
        return error_set(err, ERROR_USAGE, "--warmup expects at most 100000, --explain at most 1000");
    if (!(options->effect >= 0 && options->effect < 100))
        return error_set(err, ERROR_USAGE, "--effect expects a percentage from 0 to below 100");
    if (options->json && options->markdown)
        return error_set(err, ERROR_USAGE, "--json and --markdown exclude each other");
    if (options->most < COMPARISON_PAIRS_LEAST || options->most > 100000)
        return error_set(err, ERROR_USAGE, "--most expects %d to 100000", COMPARISON_PAIRS_LEAST);
    return (!options->html || html_file_try(options->html, err)) &&
           (!options->hyperfine || html_file_try(options->hyperfine, err));
}

static bool quantity_find(const char *name, size_t *ret_index, struct error *err)
{
    for (size_t at = 0; at < MEASURING_QUANTITY_COUNT; at++)
        if (strcmp(measuring_quantities[at].name, name) == 0) {
            *ret_index = at;
            return true;
        }
    error_set(err, ERROR_USAGE, "nothing called '%s' is measured", name);
    char names[sizeof(err->hint)] = "";
    for (size_t at = 0; at < MEASURING_QUANTITY_COUNT; at++)
        snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", at ? ", " : "",
                 measuring_quantities[at].name);
    return error_hint(err, "measured are %s", names);
}

/* "wall > 2%": the quantity, and by which share it may grow. */
struct limit {
    size_t quantity;
    double growth_ratio;
};

static bool limit_parse(const char *text, struct limit *ret_limit, struct error *err)
{
    struct view rest = view_of(text), name = view_trim(view_cut(&rest, '>'));
    struct view number = view_trim(rest);
    struct limit limit = {0};
    double percent = 0;
    if (view_ends(number, "%"))
        number = view_trim((struct view){number.text, number.length - 1});
    if (!name.length || !view_double(number, &percent) || !(percent >= 0))
        return error_set(err, ERROR_USAGE, "--fail-if expects 'NAME > PCT%%', such as 'wall > 2%%', not '%s'", text);
    char word[64];
    snprintf(word, sizeof(word), "%.*s", (int)name.length, name.text);
    if (!quantity_find(word, &limit.quantity, err))
        return error_wrap(err, "--fail-if '%s'", text);
    limit.growth_ratio = percent / 100;
    *ret_limit = limit;
    return true;
}

static bool limits_check(const struct compare_run *run, struct error *err)
{
    struct limit limit;
    for (size_t at = 0; at < run->options.fail_if.count; at++)
        if (!limit_parse(run->options.fail_if.items[at], &limit, err))
            return false;
    return true;
}

/* The run. */

/* Looked at before each block, so that nobody waits for runs that will mean nothing. */
static bool wants_block(void *context, const struct run_table *so_far)
{
    struct compare_run *run = context;
    const struct run_fact *facts;
    size_t count = measuring_runner_facts(run->runner, &facts);
    struct error found = {0};
    run->facts.count = 0;
    settings_compare(&run->facts, &run->arms, &run->arena);
    facts_compare(&run->facts, facts, count, &run->options.arms.treatments, &run->arena);
    run->is_void = !run->options.force && !facts_check(&run->facts, &found);
    struct experiment_policy policy = compare_policy_interface(&run->policy);
    return !run->is_void && policy.wants_block(policy.context, so_far);
}

static bool run_blocks(struct compare_run *run, struct error *err)
{
    run->show_progress = !run->options.quiet && isatty(fileno(run->context->talk));
    if (!run->options.no_noise_floor) {
        run->arms.items[run->arms.count] = run->arms.items[0];
        run->arms.items[run->arms.count].label = arena_printf(&run->arena, "%s again", run->arms.items[0].label);
    }
    struct experiment_request request = {
        .arms = run->arms.items,
        .arm_count = run->arms.count + (run->options.no_noise_floor ? 0 : 1),
        .warmup_blocks = run->options.warmup == WARMUP_BY_TIME ? 1 : run->options.warmup,
        .warmup_seconds = run->options.warmup == WARMUP_BY_TIME ? WARMUP_SECONDS : 0,
        .seed = run->options.seed,
        .keep_failed = run->options.ignore_failure,
        .runner = measuring_runner_interface(run->runner),
        .policy = {.context = run, .wants_block = wants_block},
        .root = run->context->root,
        .progress = show_progress,
        .progress_context = run,
    };
    compare_policy_begin(&run->policy);
    bool ran = experiment_run_blocks(&request, &run->result, err);
    run->elapsed_s = clock_s(CLOCK_MONOTONIC) - run->policy.started_s;
    if (run->show_progress)
        fputs("\r\033[K", run->context->talk);
    if (!ran && (err->kind == ERROR_NOT_FOUND || err->kind == ERROR_PERMISSION))
        run->context->exit_code = workload_exec_exit_code(err);
    for (size_t at = 0; !ran && err->kind == ERROR_NOT_FOUND && at < run->arms.count; at++)
        if (compare_word_is_line(run->arms.items[at].argv[0]))
            return error_hint(err, "a command with its arguments in one word is a line for the shell: --shell");
    return ran;
}

static const char *stopped_because(struct compare_run *run)
{
    if (run->result.interrupted)
        return "interrupted";
    switch (run->policy.reason) {
    case STOP_COUNT:
        return "as many as were asked for";
    case STOP_TIME:
        return "the time was up";
    case STOP_DECIDED:
        return "decided";
    case STOP_MOST:
        return arena_printf(&run->arena, "undecided after --most %llu", (unsigned long long)run->options.most);
    case STOP_NOT_YET:
        break;
    }
    return "a run failed";
}

static const struct quantity_effect *effect_named(const struct comparison *item, const char *name)
{
    for (size_t at = 0; at < item->effect_count; at++)
        if (strcmp(item->effects[at].quantity->name, name) == 0)
            return &item->effects[at];
    return &item->decisive;
}

/*
 * By which share the quantity grew. Where a value is 0 there is no ratio: then by the difference over A's median; what
 * never differed did not grow.
 */
static struct interval growth_of(const struct quantity_effect *effect)
{
    if (effect->ratio.known)
        return interval_of(effect->ratio.low - 1, effect->ratio.mid - 1, effect->ratio.high - 1);
    const struct interval *difference = &effect->difference;
    if (!difference->known)
        return *difference;
    if (effect->a.mid > 0)
        return interval_scaled(*difference, 1 / effect->a.mid);
    bool none = difference->low >= 0 && difference->high <= 0;
    return none ? interval_exactly(0) : interval_of(difference->low > 0 ? HUGE_VAL : 0, 0, HUGE_VAL);
}

/*
 * Exit 3 when a quantity surely passed its limit; 4 when it may have: A that differs from itself as much makes nothing
 * sure.
 */
static int limits_exit_code(const struct compare_run *run, const struct comparison *items)
{
    int code = EXIT_CODE_OK;
    for (size_t at = 0; at < run->options.fail_if.count; at++) {
        struct limit limit;
        struct error checked = {0}; /* the words were checked before the runs */
        if (!limit_parse(run->options.fail_if.items[at], &limit, &checked))
            continue;
        const char *name = measuring_quantities[limit.quantity].name;
        for (size_t arm = 1; arm < run->arms.count; arm++) {
            const struct quantity_effect *effect = effect_named(&items[arm - 1], name);
            struct interval growth = growth_of(effect);
            if (growth.known && growth.low > limit.growth_ratio && !effect->lost_in_noise)
                return EXIT_CODE_FINDING;
            if (!growth.known || growth.high > limit.growth_ratio)
                code = EXIT_CODE_INCONCLUSIVE;
        }
    }
    return code;
}

static int exit_code_of(const struct compare_run *run, const struct comparison *items)
{
    if (run->options.fail_if.count)
        return limits_exit_code(run, items);
    for (size_t arm = 1; arm < run->arms.count; arm++)
        if (items[arm - 1].verdict == COMPARISON_UNDECIDED)
            return EXIT_CODE_INCONCLUSIVE;
    return EXIT_CODE_OK;
}

static bool hyperfine_write(const struct compare_run *run, const struct comparison_report *report, struct error *err)
{
    if (!run->options.hyperfine)
        return true;
    scoped_text struct text out = {0};
    comparison_hyperfine(&out, report);
    scoped_file FILE *file = fopen(run->options.hyperfine, "we");
    if (!file || !text_write_file(&out, file) || fflush(file) != 0)
        return error_system(err, errno, "can't write '%s'", run->options.hyperfine);
    return true;
}

static void report_print(const struct compare_run *run, const struct comparison_report *report)
{
    scoped_text struct text out = {0};
    struct page page = page_for(&out, run->context->out);
    if (run->options.json)
        comparison_json(&out, report);
    else if (run->options.markdown)
        comparison_markdown(&out, report);
    else
        comparison_text(&page, report);
    fputs(text_string(&out), run->context->out);
}

static bool html_write(const struct compare_run *run, const struct comparison_report *report, struct error *err)
{
    scoped_text struct text json = {0};
    scoped_text struct text page = {0};
    if (!run->options.html)
        return true;
    comparison_json(&json, report);
    const struct report_part part = {"comparison", {text_string(&json), json.length}};
    report_html(&page, &part, 1);
    return html_file_write(run->options.html, &page, err);
}

static uint64_t explain_blocks(const struct compare_run *run)
{
    if (run->options.explain != EXPLAIN_BY_TIME)
        return run->options.explain;
    const struct run_table *table = &run->result.table;
    double block_s = run_table_cell(table, 0, 0, CHILD_WALL).value + run_table_cell(table, 0, 1, CHILD_WALL).value;
    double blocks = EXPLAIN_SECONDS / (block_s > 1e-3 ? block_s : 1e-3);
    return blocks < 1 ? 1 : blocks > EXPLAIN_MOST ? EXPLAIN_MOST : (uint64_t)blocks;
}

/* Two commands that differ are run a few more times, to see where. */
static void explain(struct compare_run *run, const struct comparison *item)
{
    const struct compare_options *options = &run->options;
    bool differ = item->verdict == COMPARISON_FASTER || item->verdict == COMPARISON_SLOWER;
    if (!options->explain || !differ || run->arms.count != 2 || run->result.interrupted)
        return;
    struct profile_request request = {.a = &run->arms.items[0],
                                      .b = &run->arms.items[1],
                                      .blocks = explain_blocks(run),
                                      .seed = options->seed,
                                      .prepare = options->prepare,
                                      .keep_failed = options->ignore_failure,
                                      .facts = &run->facts,
                                      .arena = &run->arena};
    struct error err = {0};
    if (run->show_progress)
        fprintf(run->context->talk, "\r\033[K  %llu more blocks, to see where the difference goes",
                (unsigned long long)request.blocks);
    run->has_profile = compare_profile(run->context, &request, &run->profiles, &err);
    if (!run->has_profile)
        run->why_no_profile = arena_string(&run->arena, err.message);
    else if (!run->profiles.functions.block_count)
        run->why_no_profile = "interrupted before a block under the sampler was complete";
    if (run->show_progress)
        fputs("\r\033[K", run->context->talk);
}

/* The recordings that two cases have of their runs, as many of each. */
static void explain_cases(struct compare_run *run)
{
    const struct run_table *table = &run->result.table;
    scoped_free double *cpu_s = memory_alloc(memory_product(2 * table->block_count + 1, sizeof(*cpu_s)));
    if (!run->saved.case_a || !run->options.explain)
        return;
    size_t of_a = run_table_column(table, 0, CHILD_CPU, cpu_s),
           of_b = run_table_column(table, 1, CHILD_CPU, cpu_s + of_a);
    size_t runs = of_a < of_b ? of_a : of_b;
    memmove(cpu_s + runs, cpu_s + of_a, runs * sizeof(*cpu_s));
    struct saved_profiles saved = {.case_a = run->saved.case_a,
                                   .case_b = run->saved.case_b,
                                   .runs = runs,
                                   .cpu_s = cpu_s,
                                   .command_a = table->arms[0].command,
                                   .command_b = table->arms[1].command,
                                   .facts = &run->saved.facts,
                                   .arena = &run->arena};
    struct error err = {0};
    run->has_profile = compare_profile_cases(run->context, &saved, &run->profiles, &err);
    if (!run->has_profile)
        run->why_no_profile = arena_string(&run->arena, err.message);
}

/* All limits on all commands together are to hold at 95 %. */
static double limits_alpha(const struct compare_run *run)
{
    size_t limits = run->options.fail_if.count;
    return 0.05 / (double)((limits ? limits : 1) * (limits ? run->arms.count - 1 : 1));
}

/* For each of the comparisons. */
static struct output_likeness *outputs_judge(struct compare_run *run, const struct comparison *items)
{
    struct output_likeness *outputs = arena_array(&run->arena, struct output_likeness, run->arms.count - 1);
    const struct run_outputs read = run->runner ? measuring_runner_outputs(run->runner) : (struct run_outputs){0};
    const char *again = run->policy.again == SIZE_MAX ? NULL : run->arms.items[run->policy.again].label;
    for (size_t at = 0; at + 1 < run->arms.count; at++)
        output_likeness_judge(&outputs[at], &items[at], &read, again);
    return outputs;
}

static bool judge_and_print(struct compare_run *run, struct error *err)
{
    const struct run_table *table = &run->result.table;
    struct comparison *items = arena_array(&run->arena, struct comparison, run->arms.count - 1);
    double alpha = compare_policy_alpha(&run->policy, table);
    for (size_t arm = 1; arm < run->arms.count; arm++) {
        struct comparison_request request = {.b = arm,
                                             .again = run->policy.again,
                                             .quantity = run->policy.quantity,
                                             .effect_ratio = run->policy.effect_ratio,
                                             .alpha = alpha,
                                             .effects_alpha = limits_alpha(run),
                                             .unpaired = run->options.saved && !run->saved.paired};
        comparison_make(&items[arm - 1], table, &request, &run->arena);
    }
    struct steadiness steadiness;
    steadiness_judge(&steadiness, table, 0, run->policy.quantity);
    if (run->options.saved)
        explain_cases(run);
    else
        explain(run, &items[0]);
    struct explanation *explanations = arena_array(&run->arena, struct explanation, run->arms.count - 1);
    struct work_done *works = arena_array(&run->arena, struct work_done, run->arms.count - 1);
    struct output_likeness *outputs = outputs_judge(run, items);
    for (size_t at = 0; at + 1 < run->arms.count; at++) {
        explanation_make(&explanations[at], &items[at], run->has_profile && at == 0 ? &run->profiles : NULL,
                         &run->arena);
        work_done_judge(&works[at], &items[at]);
    }
    const struct fact_differences *facts = run->options.saved ? &run->saved.facts : &run->facts;
    struct arm_setting *settings = NULL;
    size_t setting_count = run->options.saved ? 0 : settings_list(&run->arms, table->arm_count, &settings, &run->arena);
    struct comparison_report report = {.table = table,
                                       .arm_count = run->arms.count,
                                       .items = items,
                                       .count = run->arms.count - 1,
                                       .steadiness = &steadiness,
                                       .seed = run->options.seed,
                                       .elapsed_s = run->elapsed_s,
                                       .saved = run->options.saved,
                                       .paired = !run->options.saved || run->saved.paired,
                                       .surroundings = run->options.saved ? NULL : &run->surroundings,
                                       .differences = run->saved.differences,
                                       .difference_count = run->saved.difference_count,
                                       .surroundings_unknown = run->saved.unknown,
                                       .stopped = stopped_because(run),
                                       .settings = settings,
                                       .setting_count = setting_count,
                                       .all_ended_well = !run->options.saved && !run->options.ignore_failure,
                                       .only_means = run->saved.only_means,
                                       .facts = facts->items,
                                       .fact_count = facts->count,
                                       .unfinished = &run->result.unfinished,
                                       .suspended_blocks = run->result.suspended_blocks,
                                       .suspended_s = run->result.suspended_s,
                                       .predicted_gain = run->prediction.gain,
                                       .prediction_source = run->prediction.source,
                                       .profiles = run->has_profile ? &run->profiles : NULL,
                                       .explanations = explanations,
                                       .works = works,
                                       .outputs = outputs,
                                       .why_no_profile = run->why_no_profile};
    report_print(run, &report);
    if (!hyperfine_write(run, &report, err) || !html_write(run, &report, err))
        return false;
    run->context->exit_code = exit_code_of(run, items);
    return true;
}

/* What was measured before a run failed or the user interrupted is shown; the failure is told as well. */
static bool measure_and_print(struct compare_run *run, struct error *err)
{
    bool ran = run_blocks(run, err);
    if (ran && run->is_void)
        return facts_check(&run->facts, err);
    if (run->result.table.block_count == 0)
        return ran && experiment_interrupted_early(&run->result, err);
    struct error while_printing = {0};
    bool printed = judge_and_print(run, ran ? err : &while_printing);
    if (!ran)
        run->context->exit_code = EXIT_CODE_FAILED;
    return ran && printed;
}

static bool surroundings_look(struct compare_run *run, struct error *err)
{
    struct machine machine;
    if (!machine_read(run->context->root, NULL, &machine, err))
        return false;
    surroundings_take(&run->surroundings, &machine, &run->arena);
    machine_done(&machine);
    return true;
}

static bool prepare_live(struct compare_run *run, char **operands, struct error *err)
{
    const struct compare_options *options = &run->options;
    struct measuring_setup setup = {.kernel = run->context->kernel,
                                    .root = run->context->root,
                                    .prepare = options->prepare,
                                    .clock_hertz = clock_measure,
                                    .reads_warmups = true};
    run->runner = measuring_runner_new(&setup);
    return compare_arms_parse(&run->arms, operands, &options->arms, run->context->root, &run->arena, err) &&
           surroundings_look(run, err) && (!options->cpus || cpus_pin(options->cpus, run->context->root, err));
}

/* As asked; else what was foretold; else what a user waits for. */
static const char *quantity_of(const struct compare_run *run)
{
    return run->options.quantity ? run->options.quantity : run->prediction.quantity ? run->prediction.quantity : "wall";
}

static bool arms_have(const struct run_table *table, size_t quantity)
{
    for (size_t arm = 0; arm < table->arm_count; arm++) {
        bool has = false;
        for (size_t block = 0; block < table->block_count; block++)
            has |= run_table_cell(table, block, arm, quantity).known;
        if (!has)
            return false;
    }
    return true;
}

/*
 * Where the files don't have what would decide, and nobody asked for it: perf stat -j writes CPU time and no elapsed
 * time.
 */
static void quantity_settle(struct compare_run *run)
{
    const struct run_table *table = &run->result.table;
    if (!run->options.quantity && !run->prediction.quantity && !arms_have(table, run->policy.quantity) &&
        arms_have(table, CHILD_CPU))
        run->policy.quantity = CHILD_CPU;
}

/* The files' arms are all that is known of them; the first is what the others are held against. */
static bool prepare_saved(struct compare_run *run, char **operands, struct error *err)
{
    const struct compare_saved_request request = {
        .files = operands,
        .treatments = &run->options.arms.treatments,
        .labels = &run->options.arms.labels,
        .force = run->options.force};
    if (!compare_saved_read(&run->saved, &request, &run->result.table, &run->arena, err))
        return false;
    run->arms.count = run->result.table.arm_count;
    quantity_settle(run);
    return true;
}

static bool prepare(struct compare_run *run, char **operands, struct error *err)
{
    struct compare_options *options = &run->options;
    if (!options_check(options, err) || !limits_check(run, err) ||
        !prediction_choose(&options->prediction, options->quantity, &run->prediction, err) ||
        !quantity_find(quantity_of(run), &run->policy.quantity, err) ||
        !(options->saved ? prepare_saved : prepare_live)(run, operands, err))
        return false;
    run->policy =
        (struct compare_policy){.count = options->runs,
                                .seconds = options->seconds,
                                .until_decided = options->until_decided && !options->saved,
                                .blocks_most = options->most,
                                .arm_count = run->arms.count,
                                .quantity = run->policy.quantity,
                                .again = options->no_noise_floor || options->saved ? SIZE_MAX : run->arms.count,
                                .effect_ratio = options->effect / 100};
    return true;
}

static void run_release(struct compare_run *run)
{
    experiment_result_done(&run->result);
    run_profiles_done(&run->profiles);
    if (run->runner)
        measuring_runner_free(run->runner);
    vec_done(&run->facts);
    vec_done(&run->saved.facts);
    vec_done(&run->options.fail_if);
    vec_done(&run->options.arms.treatments);
    vec_done(&run->options.arms.labels);
    vec_done(&run->options.arms.environment);
    arena_done(&run->arena);
}

/* ---- of a host and a guest nothing is run ---- */

static bool of_cases_given(const struct compare_gap_options *gap)
{
    return gap->guest || gap->host || gap->guest_exits || gap->host_exits || gap->guest_pages || gap->work ||
           gap->exits_seconds > 0;
}

static bool split_gap(struct compare_run *run, const char *operand, struct error *err)
{
    const struct compare_options *options = &run->options;
    const char *other = of_runs_alone(options, false);
    if (!options->gap.guest && !options->gap.host)
        return error_set(err, ERROR_USAGE,
                         "--guest-exits, --host-exits, --exits-seconds, --guest-pages and --work go with --guest CASE");
    if (operand)
        return error_set(err, ERROR_USAGE, "--guest and --host run nothing: unexpected word '%s'", operand);
    if (other)
        return error_set(err, ERROR_USAGE, "--guest and --host run nothing: %s goes with commands", other);
    if (!(options->effect >= 0 && options->effect < 100))
        return error_set(err, ERROR_USAGE, "--effect expects a percentage from 0 to below 100");
    struct compare_gap_request request = {.options = &options->gap,
                                          .quantity = options->quantity,
                                          .effect = options->effect / 100,
                                          .force = options->force,
                                          .json = options->json};
    return compare_gap_run(run->context, &request, err);
}

static bool compare_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct compare_run run = {.context = context};
    run.options = (struct compare_options){.runs = RUNS_NOT_GIVEN,
                                           .seconds = NAN,
                                           .warmup = WARMUP_BY_TIME,
                                           .seed = 1,
                                           .most = MOST_BLOCKS,
                                           .explain = EXPLAIN_BY_TIME,
                                           .effect = 1};
    arena_init(&run.arena);
    run_profiles_init(&run.profiles);
    int first = 0;
    bool good = options_parse(option_rows, OPTIONS_STOP_AT_OPERAND, argc, argv, &run.options, &first, err);
    if (good && of_cases_given(&run.options.gap))
        good = split_gap(&run, argv[first], err);
    else
        good = good && prepare(&run, argv + first, err) &&
               (run.options.saved ? judge_and_print(&run, err) : measure_and_print(&run, err));
    run_release(&run);
    return good;
}

const struct command command_compare = {
    .name = "compare",
    .summary = "run commands interleaved and tell which is faster, soundly",
    .usage = "plumb compare [options] A [arguments] -- B [arguments] [-- C …] | --guest CASE [--host CASE]",
    .options = option_rows,
    .run = compare_run,
};
