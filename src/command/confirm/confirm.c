/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb confirm: runs the cheapest experiment that would overturn a case's verdict; predicted gain against realised. */
#include "base/scope.h"
#include "base/text.h"
#include "base/vec.h"
#include "capture/case/shell_line.h"
#include "command/command_table.h"
#include "command/confirm/confirm_arm.h"
#include "command/confirm/confirm_bursts.h"
#include "command/confirm/confirm_experiments.h"
#include "command/confirm/confirm_hogs.h"
#include "command/confirm/confirm_live.h"
#include "command/confirm/confirm_outcome.h"
#include "command/confirm/confirm_pair.h"
#include "command/diagnose/diagnose_case.h"
#include "command/options.h"
#include "experiment/measuring_runner.h"
#include "render/comparison/confirmation.h"
#include "source/live/workload.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct confirm_options {
    uint64_t runs, most, warmup, seed;
    double seconds, budget_s; /* budget_s: NAN until it is known whether one was asked for */
    bool is_budget_asked;
    bool until_decided, dry_run, switch_machine, ignore_failure, no_noise_floor, json, quiet;
    const char *finding, *experiment, *work;
};

#define AT(member) offsetof(struct confirm_options, member)

static const struct option_row option_rows[] = {
    {0, NULL, OPTION_HEADING, 0, NULL, "what is tested"},
    {0, "finding", OPTION_TEXT, AT(finding), "ID",
     "this finding of the case instead of its verdict's; 'bottleneck': the estimate"},
    {0, "experiment", OPTION_TEXT, AT(experiment), "NAME", "this experiment instead of the cheapest"},
    {0, "switch-machine", OPTION_FLAG, AT(switch_machine), NULL,
     "allow those that switch a setting of the whole machine while B runs"},
    {0, "dry-run", OPTION_FLAG, AT(dry_run), NULL, "print the plan and what it costs, and run nothing"},
    {0, NULL, OPTION_HEADING, 0, NULL, "how long"},
    {'n', "runs", OPTION_U64, AT(runs), "N", "this many blocks; each runs A twice and B once", 'r'},
    {0, "time", OPTION_DOUBLE, AT(seconds), "S", "as many blocks as start within S seconds"},
    {0, "until-decided", OPTION_FLAG, AT(until_decided), NULL,
     "stop when the prediction is confirmed or overturned (the default)"},
    {0, "most", OPTION_U64, AT(most), "N", "with --until-decided: N blocks at the most (default 40)"},
    {0, "budget", OPTION_DOUBLE, AT(budget_s), "S",
     "with --until-decided: no block begins after S seconds, once there are 6 (default 120; 0: no bound); one that "
     "can't hold 6 is refused"},
    {0, "warmup", OPTION_U64, AT(warmup), "N", "blocks run first and not counted (default 1)"},
    {0, NULL, OPTION_HEADING, 0, NULL, "how it is judged"},
    {0, "work", OPTION_TEXT, AT(work), "WORD",
     "the command works for a given time and prints how much it did behind WORD: compare the time of a unit of that"},
    {'i', "ignore-failure", OPTION_FLAG, AT(ignore_failure), NULL,
     "measure runs that end with a status other than 0 too"},
    {0, "no-noise-floor", OPTION_FLAG, AT(no_noise_floor), NULL, "don't run A twice in each block"},
    {0, "seed", OPTION_U64, AT(seed), "N", "of the random order (default 1)"},
    {0, NULL, OPTION_HEADING, 0, NULL, "output"},
    {0, "json", OPTION_FLAG, AT(json), NULL, "the result as JSON (doc/schema-confirm.md), as the case keeps it"},
    {'q', "quiet", OPTION_FLAG, AT(quiet), NULL, "no progress line"},
    {0},
};

enum {
    MOST_BLOCKS = 40, /* --most */
    NOTES_MOST = 12
};

struct confirm_run {
    struct context *context;
    struct confirm_options options;
    struct arena arena;
    char *folder; /* absolute: runs are made elsewhere */
    struct case_manifest *manifest;
    struct case_command command;
    struct confirm_subject subject;
    struct confirm_place place;
    struct experiment_arm a;
    struct confirm_choice choices[EXPERIMENTS_MOST];
    struct confirmation_option shown[EXPERIMENTS_MOST];
    size_t choice_count;
    const char *notes[NOTES_MOST];
    size_t note_count;
    struct confirm_pair pair;
    bool has_pair;
    pid_t pid; /* of a live experiment */
    struct confirm_live live;
    bool has_live;
    struct confirm_bursts bursts;
    bool has_bursts;
};

static void note_add(struct confirm_run *run, const char *note)
{
    if (run->note_count < NOTES_MOST)
        run->notes[run->note_count++] = note;
}

/* ---- options ---- */

static const double BUDGET_S = 120, BUDGET_STRETCHED = 1.5;

static void budget_settle(struct confirm_options *options)
{
    options->is_budget_asked = !isnan(options->budget_s) && options->budget_s > 0;
    if (isnan(options->budget_s))
        options->budget_s = BUDGET_S;
}

static bool options_check(struct confirm_options *options, struct error *err)
{
    budget_settle(options);
    if (options->runs > 100000 || options->warmup > 100000)
        return error_set(err, ERROR_USAGE, "--runs and --warmup expect at most 100000");
    if (!(options->seconds >= 0) || !(options->budget_s >= 0))
        return error_set(err, ERROR_USAGE, "%s expects seconds", options->seconds >= 0 ? "--budget" : "--time");
    if (options->until_decided && (options->runs || options->seconds > 0))
        return error_set(err, ERROR_USAGE, "--until-decided excludes --runs and --time");
    if (options->most < COMPARISON_PAIRS_LEAST || options->most > 100000)
        return error_set(err, ERROR_USAGE, "--most expects %d to 100000", COMPARISON_PAIRS_LEAST);
    if (options->work && !options->work[0])
        return error_set(err, ERROR_USAGE, "--work expects the word that stands before the amount of work");
    return true;
}

/* ---- the command, as it was ---- */

/* Variables of this process are those of the runs: set and removed as the case has them. */
static void environment_restore(struct confirm_run *run)
{
    scoped_text struct text changed = {0};
    for (size_t at = 0; at < run->command.variable_count; at++) {
        const struct case_variable *variable = &run->command.variables[at];
        const char *now = getenv(variable->name);
        bool same = now && variable->value ? strcmp(now, variable->value) == 0 : !now && !variable->value;
        if (same)
            continue;
        text_printf(&changed, "%s%s", changed.length ? ", " : "", variable->name);
        if (variable->value)
            setenv(variable->name, variable->value, 1);
        else
            unsetenv(variable->name);
    }
    if (changed.length)
        note_add(run, arena_printf(&run->arena, "set as it was in the case: %s", text_string(&changed)));
}

/* A path that the user typed here stays that path when the runs are made in another folder. */
static char **changed_resolve(char **words, struct arena *arena)
{
    char resolved[PATH_MAX];
    size_t count = 0;
    while (words[count])
        count++;
    if (!count)
        return NULL;
    char **changed = arena_copy(arena, words, memory_product(count + 1, sizeof(*words)));
    if (strchr(words[0], '/') && words[0][0] != '/' && realpath(words[0], resolved))
        changed[0] = arena_string(arena, resolved);
    return changed;
}

static const char *const input_start[] = {"sh", "-c", "in=$1; shift; exec \"$@\" <\"$in\"", "sh"};

/* As it was typed: what gives it its standard input is how we run it, not the command. */
static const char *command_words(char *const *argv, struct arena *arena)
{
    size_t count = 0, to = 0;
    while (argv[count])
        count++;
    char **words = arena_array(arena, char *, count + 1);
    const char *file = NULL;
    for (size_t at = 0; at < count; at++) {
        size_t same = 0;
        while (same < array_count(input_start) && at + same < count && strcmp(argv[at + same], input_start[same]) == 0)
            same++;
        if (same == array_count(input_start) && at + same < count) {
            file = argv[at + same];
            at += same;
        } else {
            words[to++] = argv[at];
        }
    }
    words[to] = NULL;
    const char *line = shell_line(words, arena);
    return file && strcmp(file, "/dev/null") != 0 ? arena_printf(arena, "%s <%s", line, file) : line;
}

static char *const *input_from(const char *file, char *const *argv, struct arena *arena)
{
    size_t count = 0;
    while (argv[count])
        count++;
    char **all = arena_array(arena, char *, count + array_count(input_start) + 2);
    for (size_t at = 0; at < array_count(input_start); at++)
        all[at] = (char *)input_start[at];
    all[array_count(input_start)] = arena_string(arena, file);
    for (size_t at = 0; at <= count; at++)
        all[array_count(input_start) + 1 + at] = argv[at];
    return all;
}

static bool input_restore(struct confirm_run *run, struct error *err)
{
    const struct case_command *command = &run->command;
    if (command->input == CASE_INPUT_STREAM)
        note_add(run, "its standard input was a pipe, which can't be had again: it is empty now");
    if (command->input != CASE_INPUT_FILE)
        return true;
    if (access(command->input_file, R_OK) != 0)
        return error_system(err, errno, "can't read '%s', the standard input that the case's command had",
                            command->input_file);
    run->place.argv = input_from(command->input_file, run->place.argv, &run->arena);
    if (run->place.changed)
        run->place.changed = input_from(command->input_file, run->place.changed, &run->arena);
    return true;
}

/* Better known before the first block than by a status 127. */
static bool program_check(const char *program, struct error *err)
{
    if (strchr(program, '/'))
        return access(program, X_OK) == 0 ||
               error_system(err, errno, "can't run '%s', the command of the case", program);
    scoped_text struct text found = {0};
    if (workload_program_find(program, getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin", &found))
        return true;
    return error_set(err, ERROR_NOT_FOUND, "can't run '%s', the command of the case: no such program in PATH", program);
}

static bool command_check(struct confirm_run *run, struct error *err)
{
    if (run->command.argv)
        return true;
    if (strcmp(run->manifest->scope, "started") == 0 || !run->manifest->target_options[0]) {
        error_set(err, ERROR_UNSUPPORTED, "the case holds no command that could be run again");
        return error_hint(
            err, "plumb diagnose --case NEW -- COMMAND makes one that does; plumb compare --predicted-by CASE A -- B "
                 "holds two commands of yours against its prediction");
    }
    if (run->place.changed)
        return error_set(
            err, ERROR_USAGE,
            "the case watched what ran already (plumb diagnose %s): a changed command has nothing to be held against",
            run->manifest->target_options);
    run->place.is_live = true;
    return confirm_live_find(&run->command, run->context->root, &run->pid, err);
}

static bool command_prepare(struct confirm_run *run, char **changed, struct error *err)
{
    run->place.changed = changed_resolve(changed, &run->arena);
    if (!case_command_read(&run->command, run->folder, run->manifest->command, &run->arena, err) ||
        !command_check(run, err))
        return false;
    if (run->place.is_live)
        return true;
    run->place.argv = run->command.argv;
    environment_restore(run);
    const char *directory = run->command.directory;
    if (!directory)
        note_add(run, "the case doesn't say in which folder and environment its command ran: those of here are taken");
    else if (chdir(directory) != 0)
        return error_system(err, errno, "can't go to '%s', where the case's command ran", directory);
    return program_check(run->command.argv[0], err) &&
           (!run->place.changed || program_check(run->place.changed[0], err) ||
            error_wrap(err, "the changed command")) &&
           input_restore(run, err);
}

/* ---- which experiment ---- */

static bool experiment_choose(struct confirm_run *run, size_t *ret_choice, struct error *err)
{
    const char *asked = run->options.experiment;
    for (size_t at = 0; at < run->choice_count; at++) {
        bool is_asked = asked && strcmp(asked, run->choices[at].experiment->name) == 0;
        if (is_asked && run->choices[at].why_not)
            return error_set(err, ERROR_UNSUPPORTED, "the experiment '%s' can't be made: %s", asked,
                             run->choices[at].why_not);
        if (is_asked || (!asked && !run->choices[at].why_not)) {
            *ret_choice = at;
            return true;
        }
    }
    if (asked)
        return error_set(err, ERROR_USAGE, "no experiment '%s' tests '%s': --dry-run lists those that do", asked,
                         run->subject.id);
    *ret_choice = SIZE_MAX;
    return true;
}

/* ---- the report ---- */

static struct measured run_seconds(const struct confirm_run *run)
{
    size_t runs = 1;
    for (size_t at = 0; at < run->manifest->part_count; at++)
        runs += strncmp(run->manifest->parts[at].file, "perf.data.", strlen("perf.data.")) == 0;
    struct measured elapsed = run->manifest->elapsed_s;
    return elapsed.known ? measured_as(elapsed.value / (double)runs) : elapsed;
}

static struct confirmation_plan plan_of(const struct confirm_run *run)
{
    const struct confirm_options *options = &run->options;
    struct confirmation_plan plan = {.runs_a_block = options->no_noise_floor ? 2 : 3,
                                     .run_s = run_seconds(run),
                                     .looks = confirm_bursts_runs(run_seconds(run), options->seconds),
                                     .seconds_most = options->seconds,
                                     .budget_s = options->runs || options->seconds > 0 ? 0 : options->budget_s};
    plan.blocks_least = options->warmup + (options->runs          ? options->runs
                                           : options->seconds > 0 ? 1
                                                                  : COMPARE_FIRST_LOOK);
    plan.blocks_most = options->runs || options->seconds > 0 ? plan.blocks_least : options->warmup + options->most;
    return plan;
}

/* "OMP_NUM_THREADS=1 cpu=1 program": what B adds, before the command. */
static const char *arm_words(const struct experiment_arm *arm, struct arena *arena)
{
    scoped_text struct text line = {0};
    for (char *const *entry = arm->environment; entry && *entry; entry++)
        text_printf(&line, "%s ", *entry);
    text_add(&line, command_words(arm->argv, arena));
    for (size_t at = 0; arm->settings && at < arm->settings->count; at++)
        text_printf(&line, "%s%s=%s", at ? ", " : "   with ", arm->settings->items[at].key,
                    arm->settings->items[at].value);
    return arena_string(arena, text_string(&line));
}

static const struct run_quantity *sign_quantity(const struct confirm_experiment *experiment)
{
    for (size_t at = 0; experiment->quantity && at < MEASURING_QUANTITY_COUNT; at++)
        if (strcmp(measuring_quantities[at].name, experiment->quantity) == 0)
            return &measuring_quantities[at];
    return NULL;
}

static void report_measured(struct confirm_run *run, const struct confirm_experiment *experiment,
                            struct confirmation_report *report)
{
    static const char *const words[] = {[TOOK_HOLD_UNKNOWN] = "unknown", [TOOK_HOLD] = "yes", [TOOK_HOLD_NOT] = "no"};
    if (!run->has_pair || !run->pair.result.table.block_count)
        return;
    report->comparison = &run->pair.comparison;
    report->confirmation = &run->pair.confirmation;
    report->block_count = run->pair.result.table.block_count;
    report->elapsed_s = run->pair.elapsed_s;
    report->stopped = confirm_pair_stopped(&run->pair);
    report->sign = sign_quantity(experiment);
    report->sign_a = run->pair.sign_a;
    report->sign_b = run->pair.sign_b;
    report->took_hold = words[run->pair.took_hold];
    report->not_taken = experiment->not_taken;
}

static void report_live(const struct confirm_run *run, struct confirmation_report *report)
{
    if (!run->has_live)
        return;
    report->comparison = &run->live.comparison;
    report->confirmation = &run->live.confirmation;
    report->elapsed_s = run->live.elapsed_s;
    report->stopped = run->live.verdict;
    report->took_hold = "yes";
}

static void report_bursts(const struct confirm_run *run, struct confirmation_report *report)
{
    report->is_one_look = true;
    if (!run->has_bursts)
        return;
    report->comparison = &run->bursts.comparison;
    report->confirmation = &run->bursts.confirmation;
    report->elapsed_s = run->bursts.elapsed_s;
    report->stopped = run->bursts.found;
    report->took_hold = "yes";
}

static void report_make(struct confirm_run *run, size_t choice, const struct experiment_arm *b,
                        struct confirmation_report *ret_report)
{
    struct confirmation_report report = {.case_folder = run->folder,
                                         .finding = run->subject.id,
                                         .finding_verdict = run->subject.verdict,
                                         .sentence = run->subject.sentence,
                                         .of = run->subject.of,
                                         .foretold = run->subject.foretold,
                                         .options = run->shown,
                                         .option_count = run->choice_count,
                                         .directory = run->command.directory,
                                         .plan = plan_of(run),
                                         .notes = run->notes};
    for (size_t at = 0; at < run->choice_count; at++) {
        const struct confirm_experiment *experiment = run->choices[at].experiment;
        run->shown[at] = (struct confirmation_option){experiment->name, experiment->change, experiment->overturns,
                                                      run->choices[at].why_not};
    }
    if (choice != SIZE_MAX && run->choices[choice].experiment->way == WAY_BURSTS) {
        report.made = &run->shown[choice];
        report.is_live = run->place.is_live;
        report.command_a = run->place.is_live ? arena_printf(&run->arena, "process %d as it runs", (int)run->pid)
                                              : arm_words(&run->a, &run->arena);
        report_bursts(run, &report);
    } else if (choice != SIZE_MAX && run->place.is_live) {
        report.made = &run->shown[choice];
        report.command_a = arena_printf(&run->arena, "process %d as it runs", (int)run->pid);
        report.command_b = run->live.subject ? run->live.subject : report.made->change;
        report.is_live = true;
        report_live(run, &report);
    } else if (choice != SIZE_MAX) {
        report.made = &run->shown[choice];
        report.command_a = arm_words(&run->a, &run->arena);
        report.command_b = arm_words(b, &run->arena);
        report_measured(run, run->choices[choice].experiment, &report);
    }
    report.note_count = run->note_count;
    *ret_report = report;
}

/* The case keeps what came of it; a plan is only shown. */
static bool report_put(struct confirm_run *run, const struct confirmation_report *report, struct error *err)
{
    scoped_text struct text json = {0}, out = {0};
    confirmation_json(&json, report);
    if (run->options.json) {
        text_append(&out, text_string(&json), json.length);
    } else {
        struct page page = page_for(&out, run->context->out);
        confirmation_text(&page, report);
    }
    if (!text_write_file(&out, run->context->out))
        return error_system(err, errno, "can't write the result");
    return !report->comparison || case_part_write(run->folder, "confirm.json", &json, err);
}

/* ---- the runs ---- */

static int exit_code_of(const struct confirmation *confirmation)
{
    switch (confirmation->verdict) {
    case CONFIRMATION_CONFIRMED:
    case CONFIRMATION_MORE:
        return EXIT_CODE_OK;
    case CONFIRMATION_OVERTURNED:
        return EXIT_CODE_FINDING;
    case CONFIRMATION_INCONCLUSIVE:
        break;
    }
    return EXIT_CODE_INCONCLUSIVE;
}

/* A command that does other work now than it did in the case is no test of the case. */
static void work_check(struct confirm_run *run)
{
    static const double far = 1.5;
    const struct interval *now = &run->pair.comparison.decisive.a;
    size_t runs = 1;
    for (size_t at = 0; at < run->manifest->part_count; at++)
        runs += strncmp(run->manifest->parts[at].file, "perf.data.", strlen("perf.data.")) == 0;
    struct measured user = run->manifest->user_s, system = run->manifest->system_s;
    if (run->options.work || !run->subject.by_cpu || !now->known || !user.known || !system.known)
        return;
    double then_s = (user.value + system.value) / (double)runs;
    if (then_s > 0 && (now->mid > far * then_s || now->mid < then_s / far))
        note_add(run, arena_printf(&run->arena,
                                   "the command takes %.3g s of CPU time now and took %.3g s in the case: it may be "
                                   "doing other work, or the machine has changed",
                                   now->mid, then_s));
}

/*
 * A program that works for a given time takes that time whatever is changed: only what it does in it tells. Equal times
 * to a thousandth where another was foretold are such a sign; nearly equal ones that overturn a verdict may be one,
 * unless they surely differ.
 */
static void fixed_time_check(struct confirm_run *run)
{
    static const double same = 0.002, alike = 0.05;
    const struct interval *ratio = &run->pair.comparison.ratio;
    bool are_same = ratio->low > 1 - same && ratio->high < 1 + same;
    bool are_unresolved = ratio->low <= 1 && ratio->high >= 1;
    bool are_alike = are_unresolved && ratio->mid > 1 - alike && ratio->mid < 1 + alike &&
                     run->pair.confirmation.verdict == CONFIRMATION_OVERTURNED;
    if (!run->options.work && ratio->known && (are_same || are_alike))
        note_add(run, arena_printf(&run->arena,
                                   "A and B take the same time%s: if the command works for a given time, that tells "
                                   "nothing of the verdict, and --work WORD compares what it does in it",
                                   are_same ? " almost exactly" : ", nearly"));
}

/*
 * As many blocks as an interval needs must fit, by what a run took in the case: who asks for a budget wants to have an
 * answer within it.
 */
static bool budget_check(const struct confirm_run *run, struct error *err)
{
    struct confirmation_plan plan = plan_of(run);
    size_t runs = (run->options.warmup + COMPARISON_PAIRS_LEAST) * plan.runs_a_block;
    double least_s = plan.run_s.known ? plan.run_s.value * (double)runs : 0;
    if (!run->options.is_budget_asked || plan.budget_s <= 0 || least_s <= BUDGET_STRETCHED * plan.budget_s)
        return true;
    error_set(err, ERROR_USAGE,
              "%zu runs take about %.0f s by the case's, before anything can be told: --budget %.4g is too little",
              runs, least_s, plan.budget_s);
    return error_hint(err, "--budget %.0f, a smaller command, or -n for fewer blocks", ceil(least_s));
}

/* Whoever waits wants to know how long: said before the first run. */
static void cost_say(const struct confirm_run *run, const struct confirm_experiment *experiment)
{
    struct confirmation_plan plan = plan_of(run);
    FILE *talk = run->context->talk;
    if (run->options.quiet)
        return;
    size_t least = plan.blocks_least * plan.runs_a_block;
    fprintf(talk, "plumb confirm: %s: %zu runs", experiment->name, least);
    if (plan.run_s.known)
        fprintf(talk, ", about %.*f s by the case's", plan.run_s.value * (double)least < 10 ? 1 : 0,
                plan.run_s.value * (double)least);
    if (plan.budget_s > 0)
        fprintf(talk, ", before it can be decided; none begins after %.3g s (--budget) but the first %zu",
                plan.budget_s, (run->options.warmup + COMPARISON_PAIRS_LEAST) * plan.runs_a_block);
    fputc('\n', talk);
}

static bool pair_run(struct confirm_run *run, const struct confirm_experiment *experiment,
                     const struct experiment_arm *b, struct error *err)
{
    const struct confirm_options *options = &run->options;
    struct confirm_pair_request request = {.context = run->context,
                                           .experiment = experiment,
                                           .foretold = &run->subject.foretold,
                                           .a = run->a,
                                           .b = *b,
                                           .by_cpu = run->subject.by_cpu || experiment->way == WAY_HOGS,
                                           .share = run->subject.share,
                                           .work = options->work,
                                           .runs = options->runs,
                                           .seconds = options->seconds,
                                           .budget_s = options->budget_s,
                                           .budget_most_s = options->is_budget_asked ? 2 * options->budget_s : 0,
                                           .most = options->most,
                                           .warmup = options->warmup,
                                           .seed = options->seed,
                                           .keep_failed = options->ignore_failure,
                                           .no_noise_floor = options->no_noise_floor,
                                           .quiet = options->quiet};
    struct confirm_hogs hogs = {0};
    if (run->has_pair)
        confirm_pair_done(&run->pair);
    run->has_pair = false;
    /* not those of an experiment before */
    request.a.settings = run->a.settings = confirm_settings_of_a(experiment->way, b);
    if (experiment->way == WAY_HOGS) {
        request.hogs = &hogs;
        if (!confirm_hogs_begin(&hogs, b->settings->items[0].cpus[0], err)) {
            confirm_hogs_done(&hogs);
            return error_wrap(err, "experiment %s", experiment->name);
        }
    }
    run->has_pair = true;
    cost_say(run, experiment);
    bool ran = confirm_pair_run(&run->pair, &request, err);
    confirm_hogs_done(&hogs);
    if (!ran && (err->kind == ERROR_NOT_FOUND || err->kind == ERROR_PERMISSION))
        run->context->exit_code = workload_exec_exit_code(err);
    if (!ran && err->kind == ERROR_SYSTEM && run->manifest->child_exit_code != 0)
        error_hint(err, "in the case it ended with status %d, too: --ignore-failure measures such runs",
                   run->manifest->child_exit_code);
    if (run->pair.result.table.block_count) {
        work_check(run);
        fixed_time_check(run);
    }
    return ran;
}

static bool live_run(struct confirm_run *run, const struct confirm_experiment *experiment, struct error *err)
{
    struct confirm_live_request request = {.context = run->context,
                                           .experiment = experiment,
                                           .foretold = &run->subject.foretold,
                                           .pid = run->pid,
                                           .seconds = run->options.seconds};
    run->has_live = run->options.dry_run || confirm_live_run(&run->live, &request, &run->arena, err);
    bool made = run->has_live;
    run->has_live = made && !run->options.dry_run;
    return made;
}

static bool bursts_run(struct confirm_run *run, struct error *err)
{
    if (run->options.dry_run)
        return true;
    struct confirm_bursts_request request = {.context = run->context,
                                             .argv = run->place.is_live ? NULL : run->place.argv,
                                             .pid = run->pid,
                                             .claimed = run->subject.share,
                                             .seconds = run->options.seconds,
                                             .run_s = run_seconds(run)};
    run->has_bursts = confirm_bursts_run(&run->bursts, &request, &run->arena, err);
    return run->has_bursts;
}

/* Which experiment is made hangs on the case: what is asked of pairs of runs is no mistake where there are none. */
static void pair_options_say(struct confirm_run *run)
{
    const struct confirm_options *options = &run->options;
    const struct {
        bool given;
        const char *name;
    } rows[] = {
        {options->runs > 0, "--runs"},
        {options->until_decided, "--until-decided"},
        {options->most != MOST_BLOCKS, "--most"},
        {options->is_budget_asked, "--budget"},
        {options->warmup != 1, "--warmup"},
        {options->work != NULL, "--work"},
        {options->ignore_failure, "--ignore-failure"},
        {options->no_noise_floor, "--no-noise-floor"},
        {options->seed != 1, "--seed"},
    };
    scoped_text struct text names = {0};
    for (size_t at = 0; at < array_count(rows); at++)
        if (rows[at].given)
            text_printf(&names, "%s%s", names.length ? ", " : "", rows[at].name);
    if (names.length)
        note_add(run, arena_printf(&run->arena, "without effect here, as no pairs of runs are made: %s",
                                   text_string(&names)));
}

/* ---- one after the other, until one tells something ---- */

static bool experiment_make(struct confirm_run *run, const struct confirm_experiment *experiment,
                            struct experiment_arm *ret_b, struct error *err)
{
    switch (experiment->way) {
    case WAY_BURSTS:
        pair_options_say(run);
        return bursts_run(run, err);
    case WAY_PROBE:
        pair_options_say(run);
        return live_run(run, experiment, err);
    case WAY_PAIR:
    case WAY_HOGS:
        break;
    }
    if (!confirm_arm_make(experiment, &run->place, ret_b, &run->arena, err))
        return false;
    return run->options.dry_run || (budget_check(run, err) && pair_run(run, experiment, ret_b, err));
}

/* Why it tells nothing; NULL: it does, or it failed for good. */
static const char *told_nothing(struct confirm_run *run, const struct confirm_experiment *experiment, bool made,
                                const struct error *err)
{
    const struct confirm_outcome outcome = {.way = experiment->way,
                                            .made = made,
                                            .kind = err->kind,
                                            .took_no_hold = run->has_pair && run->pair.took_hold == TOOK_HOLD_NOT,
                                            .is_asked = run->options.experiment,
                                            .is_interrupted = workload_stop_requested()};
    switch (confirm_outcome_tells(&outcome)) {
    case CONFIRM_TOOK_NO_HOLD:
        return experiment->not_taken;
    case CONFIRM_REFUSED:
        return arena_string(&run->arena, err->message);
    case CONFIRM_TELLS:
        break;
    }
    return NULL;
}

static void next_say(const struct confirm_run *run, const struct confirm_experiment *experiment, const char *why,
                     size_t next)
{
    if (!run->options.quiet && next != SIZE_MAX)
        fprintf(run->context->talk, "plumb confirm: %s: %s; next: %s\n", experiment->name, why,
                run->choices[next].experiment->name);
}

/* *choice becomes the one that was made; SIZE_MAX: none could be. */
static bool experiments_make(struct confirm_run *run, size_t *choice, struct experiment_arm *ret_b, struct error *err)
{
    const size_t notes_before = run->note_count;
    for (;;) {
        /* what was noted of an experiment that told nothing is none of the next one's */
        run->note_count = notes_before;
        const struct confirm_experiment *experiment = run->choices[*choice].experiment;
        size_t next = SIZE_MAX, made = *choice;
        bool good = experiment_make(run, experiment, ret_b, err);
        const char *nothing = told_nothing(run, experiment, good, err);
        if (!nothing)
            return good;
        run->choices[made].why_not = nothing;
        if (!run->options.experiment && !experiment_choose(run, &next, err))
            return false;
        if (next == SIZE_MAX && good) { /* what it measured is shown all the same */
            run->choices[made].why_not = NULL;
            return true;
        }
        next_say(run, experiment, nothing, next);
        *choice = next;
        if (next == SIZE_MAX) {
            *err = (struct error){0};
            return true;
        }
    }
}

static int exit_code(const struct confirm_run *run, size_t choice, bool made)
{
    if (choice == SIZE_MAX)
        return EXIT_CODE_INCONCLUSIVE;
    if (run->has_live)
        return exit_code_of(&run->live.confirmation);
    if (run->has_bursts)
        return exit_code_of(&run->bursts.confirmation);
    if (!run->has_pair || !run->pair.result.table.block_count)
        return run->context->exit_code; /* a plan */
    return made ? exit_code_of(&run->pair.confirmation) : EXIT_CODE_FAILED;
}

/* What else the case found and can be tested without the user's help, where its verdict can't. */
static void others_say(struct confirm_run *run)
{
    for (size_t at = 0; at < run->subject.other_count; at++) {
        const char *id = run->subject.others[at];
        struct confirm_subject other;
        struct confirm_place place = run->place;
        struct confirm_choice choices[EXPERIMENTS_MOST];
        struct error foretells_nothing = {0};
        if (!confirm_subject_read(&other, run->folder, id, &run->arena, &foretells_nothing))
            continue;
        confirm_subject_settle(&other, run->manifest);
        place.subject = &other;
        size_t count = confirm_choices(&place, choices, &run->arena), choice = 0;
        while (choice < count && choices[choice].why_not)
            choice++;
        if (choice == count)
            continue;
        note_add(run, arena_printf(&run->arena,
                                   "another finding of the case can be tested here: plumb confirm --finding %s %s (%s)",
                                   id, run->folder, choices[choice].experiment->name));
        return;
    }
}

static bool confirm_case(struct confirm_run *run, struct error *err)
{
    size_t choice = SIZE_MAX;
    struct experiment_arm b = {0};
    struct confirmation_report report;
    run->a = (struct experiment_arm){.label = "A", .argv = run->place.argv};
    run->choice_count = confirm_choices(&run->place, run->choices, &run->arena);
    if (!experiment_choose(run, &choice, err))
        return false;
    struct error while_reporting = {0};
    bool made = choice == SIZE_MAX || experiments_make(run, &choice, &b, err);
    bool has_result = run->has_live || run->has_bursts || (run->has_pair && run->pair.result.table.block_count > 0);
    if (!made && !has_result)
        return false;
    if (choice == SIZE_MAX)
        others_say(run);
    report_make(run, choice, &b, &report);
    bool put = report_put(run, &report, made ? err : &while_reporting);
    run->context->exit_code = exit_code(run, choice, made);
    return made && put;
}

/* Whose vectors are hot stands in the samples: a library may be a part of the program, or make its code at run time. */
static void libraries_look(struct confirm_run *run)
{
    struct loaded_case loaded;
    struct error unreadable = {0}; /* then files' names tell */
    if (strcmp(run->subject.id, "avx512-licence") != 0 || !loaded_case_read(&loaded, run->folder, &unreadable))
        return;
    struct vector_library *libraries = arena_array(&run->arena, struct vector_library, VECTOR_LIBRARIES);
    const struct recording *recording = &loaded.capture.recording;
    if (loaded.has_recording) {
        vector_libraries_find(&loaded.stalls, &recording->spaces, &recording->strings, libraries, &run->arena);
        run->place.libraries = libraries;
    }
    loaded_case_done(&loaded);
}

static bool confirm_prepare(struct confirm_run *run, char **operands, struct error *err)
{
    if (!operands[0]) {
        error_set(err, ERROR_USAGE, "which case?");
        return error_hint(err, "plumb diagnose --case CASE -- COMMAND makes one, plumb confirm CASE tests its verdict");
    }
    run->folder = realpath(operands[0], NULL);
    if (!run->folder)
        return errno == ENOENT ? error_set(err, ERROR_NOT_FOUND, "there is no case '%s'", operands[0])
                               : error_system(err, errno, "can't open the case '%s'", operands[0]);
    run->manifest = arena_new(&run->arena, struct case_manifest);
    if (!case_manifest_read(run->manifest, run->folder, &run->arena, err) ||
        !confirm_subject_read(&run->subject, run->folder, run->options.finding, &run->arena, err))
        return error_wrap(err, "case '%s'", operands[0]);
    confirm_subject_settle(&run->subject, run->manifest);
    run->place = (struct confirm_place){
        .subject = &run->subject, .root = run->context->root, .switch_machine = run->options.switch_machine};
    libraries_look(run);
    return command_prepare(run, operands + 1, err) || error_wrap(err, "case '%s'", operands[0]);
}

static bool confirm_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct confirm_run run = {.context = context};
    run.options = (struct confirm_options){.most = MOST_BLOCKS, .warmup = 1, .seed = 1, .budget_s = NAN};
    int first = 0;
    arena_init(&run.arena);
    bool good = options_parse(option_rows, OPTIONS_ANYWHERE, argc, argv, &run.options, &first, err) &&
                options_check(&run.options, err) && confirm_prepare(&run, argv + first, err) && confirm_case(&run, err);
    if (run.has_pair)
        confirm_pair_done(&run.pair);
    free(run.folder);
    arena_done(&run.arena);
    return good;
}

const struct command command_confirm = {
    .name = "confirm",
    .summary = "run the experiment that would overturn a case's verdict; predicted gain against realised",
    .usage = "plumb confirm [options] CASE [--] [CHANGED-COMMAND [arguments]]",
    .options = option_rows,
    .run = confirm_run,
};
