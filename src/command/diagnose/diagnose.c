/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb diagnose: measure a target into a case, test every hypothesis on it, print the verdict; or replay a case. */
#include "base/json/json_reader.h"
#include "base/scope.h"
#include "command/command_table.h"
#include "command/diagnose/diagnose_case.h"
#include "command/diagnose/diagnose_case_missing.h"
#include "command/diagnose/diagnose_cgroup.h"
#include "command/diagnose/diagnose_collect.h"
#include "command/diagnose/diagnose_import.h"
#include "command/diagnose/diagnose_intervention.h"
#include "command/diagnose/diagnose_report.h"
#include "command/html_file.h"
#include "command/options.h"
#include "finding/verdict/overall.h"
#include "render/diagnosis/diagnosis.h"
#include "render/page.h"
#include "source/live/workload.h"
#include "statistics/json_interval.h"

#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    DURATION_MOST_S = 1000000,
    /*
     * Primes, so that they don't beat with timers. What runs already is somebody's service: in a guest, where setting
     * the timer leaves to the hypervisor, a sample costs 18 us (measured on Zen 4), and 2 % is the most that watching
     * may cost. Who watches for longer has as many samples from fewer a second, down to those that loops' rates need.
     */
    FREQUENCY = 2999,
    FREQUENCY_ATTACHED = 499,
    FREQUENCY_ATTACHED_LEAST = 199,
    FREQUENCY_MOST = 20000,
};

static const double EFFECT_USUAL = 0.05;
static const double ATTACHED_USUAL_S = 2; /* who asks about a running service wants to know within 10 s */
static const uint64_t ONCE = UINT64_MAX; /* --runs: not asked for */
static const uint64_t FREQUENCY_NOT_GIVEN = UINT64_MAX;
static const double NOT_GIVEN = -1e300; /* --effect: a case that is replayed keeps its own */

struct diagnose_options {
    struct option_texts imports, sayings;
    const char *processes, *cgroup, *cpus, *case_folder, *colour, *output, *html, *probe_list;
    bool all_cpus, json, quiet;
    int verbosity;
    double duration_s, effect_percent;
    uint64_t frequency, top, runs;
    unsigned probes;
};

#define AT(member) offsetof(struct diagnose_options, member)

static const struct option_row diagnose_rows[] = {
    {.kind = OPTION_HEADING, .help = "whom"},
    {'p', "pid", OPTION_LIST, AT(processes), "PIDS", "running processes with all their threads"},
    {0, "cgroup", OPTION_TEXT, AT(cgroup), "PATH", "the processes of a cgroup"},
    {'a', "all-cpus", OPTION_FLAG, AT(all_cpus), NULL, "everything that runs on the machine"},
    {'C', "cpu", OPTION_LIST, AT(cpus), "LIST", "everything that runs on these CPUs (0-3,8)"},
    {.kind = OPTION_HEADING, .help = "how"},
    {0, "duration", OPTION_DOUBLE, AT(duration_s), "SECONDS",
     "stop after that long; a started program is ended; 0: when it ends. Default: 0; attached: 2 to 4"},
    {0, "runs", OPTION_U64, AT(runs), "N",
     "run the program N times, one after the other, and diagnose all runs together"},
    {'F', "freq", OPTION_U64, AT(frequency), "HZ",
     "samples per second and CPU; default: 2999, of what runs already 499, watched longer fewer"},
    {0, "effect", OPTION_DOUBLE, AT(effect_percent), "PERCENT",
     "less recoverable time than that is ruled out; default: 5, replayed: as it was"},
    {0, "probe", OPTION_TEXT, AT(probe_list), "LIST",
     "also try things on the target itself: step, collapse, pin, hog, width"},
    {0, "case", OPTION_TEXT, AT(case_folder), "FOLDER", "keep the case there; without a target: replay it"},
    {0, "import", OPTION_TEXTS, AT(imports), "FILE",
     "add a text of another tool to the case: exits, perf report, annotate, stat, times"},
    {0, "say", OPTION_TEXTS, AT(sayings), "TEXT", "add what you know to the case, labelled as said by a person"},
    {.kind = OPTION_HEADING, .help = "output"},
    {'o', "output", OPTION_TEXT, AT(output), "FILE", "there instead of to standard output, which the program may use"},
    {0, "json", OPTION_FLAG, AT(json), NULL, "the findings as JSON (doc/schema-diagnose.md)"},
    {0, "html", OPTION_TEXT, AT(html), "FILE", "also write a report there: one page that opens in a browser, offline"},
    {0, "top", OPTION_U64, AT(top), "N", "show that many hot functions; default: 6"},
    {0, "color", OPTION_TEXT, AT(colour), "WHEN", "auto (default), always, never; NO_COLOR means never"},
    {'q', "quiet", OPTION_FLAG, AT(quiet), NULL, "the verdict alone"},
    {'v', "verbose", OPTION_COUNT, AT(verbosity), NULL, "all evidence of every finding"},
    {.kind = OPTION_END},
};

static bool wants_target(const struct diagnose_options *options)
{
    return options->processes || options->cgroup || options->cpus || options->all_cpus;
}

/* There is something to go by that others measured or say. */
static bool is_told(const struct diagnose_options *options)
{
    return options->imports.count || options->sayings.count;
}

/* An option that did nothing would mislead. */
static bool replay_check(const struct diagnose_options *options, struct error *err)
{
    if (options->probe_list)
        return error_set(err, ERROR_USAGE, "--probe needs a target that runs: a replayed case has none");
    if (options->frequency != FREQUENCY_NOT_GIVEN || options->duration_s != NOT_GIVEN)
        return error_set(err, ERROR_USAGE, "%s needs something to watch: a replayed case is as it was measured",
                         options->duration_s != NOT_GIVEN ? "--duration" : "--freq");
    return true;
}

static bool options_check(const struct diagnose_options *options, bool has_command, struct error *err)
{
    if (has_command && wants_target(options))
        return error_set(err, ERROR_USAGE, "a command and a running target exclude each other") ||
               error_hint(err, "leave out the command, or -p, --cgroup, -a, -C");
    if (!has_command && !wants_target(options) && !options->case_folder && !is_told(options))
        return error_set(err, ERROR_USAGE, "nothing to diagnose") ||
               error_hint(err,
                          "plumb diagnose -- COMMAND, or -p PID, or --case FOLDER to replay one, or --import FILE");
    if (options->runs != ONCE && !has_command)
        return error_set(err, ERROR_USAGE, "--runs needs a command to run");
    if (options->runs != ONCE && (!options->runs || options->runs > CASE_RUNS_MOST))
        return error_set(err, ERROR_USAGE, "--runs expects 1 to %d", CASE_RUNS_MOST);
    if (options->effect_percent != NOT_GIVEN && !(options->effect_percent > 0 && options->effect_percent < 100))
        return error_set(err, ERROR_USAGE, "--effect expects a percentage between 0 and 100");
    if (options->frequency != FREQUENCY_NOT_GIVEN && (options->frequency < 1 || options->frequency > FREQUENCY_MOST))
        return error_set(err, ERROR_USAGE, "--freq expects 1 to %d samples per second", FREQUENCY_MOST);
    if (options->duration_s != NOT_GIVEN && !(options->duration_s >= 0 && options->duration_s <= DURATION_MOST_S))
        return error_set(err, ERROR_USAGE, "--duration expects seconds, %d at most (eleven days)", DURATION_MOST_S);
    if (!has_command && !wants_target(options) && !replay_check(options, err))
        return false;
    if (options->probe_list && (options->cpus || options->all_cpus))
        return error_set(err, ERROR_USAGE, "--probe needs a program or processes, not whole CPUs") ||
               error_hint(err, "name them: -p PIDS, or --cgroup PATH");
    static const char *const colours[] = {"auto", "always", "never"};
    bool known = false;
    for (size_t at = 0; at < array_count(colours); at++)
        known |= strcmp(options->colour, colours[at]) == 0;
    return known || error_set(err, ERROR_USAGE, "--color expects auto, always or never, not '%s'", options->colour);
}

/* As one word for commands that are proposed, though pidof's blanks stood between them. */
static const char *process_words(const char *list, struct arena *arena)
{
    scoped_text struct text words = {0};
    for (struct view rest = view_of(list); rest.length;) {
        struct view id = view_item(&rest);
        text_printf(&words, "%s%.*s", words.length ? "," : "", (int)id.length, id.text);
    }
    return arena_printf(arena, "-p %s", text_string(&words));
}

static const char *target_words(const struct diagnose_options *options, struct arena *arena)
{
    if (options->processes)
        return process_words(options->processes, arena);
    if (options->cgroup)
        return arena_printf(arena, "--cgroup %s", options->cgroup);
    if (options->cpus)
        return arena_printf(arena, "-C %s", options->cpus);
    return options->all_cpus ? "-a" : "";
}

static uint64_t frequency_of(const struct diagnose_options *options, bool has_command)
{
    if (options->frequency != FREQUENCY_NOT_GIVEN)
        return options->frequency;
    bool is_long = options->duration_s == 0 || options->duration_s > ATTACHED_USUAL_S;
    if (has_command || !is_long)
        return has_command ? FREQUENCY : FREQUENCY_ATTACHED;
    double wanted = options->duration_s > 0 ? FREQUENCY_ATTACHED * ATTACHED_USUAL_S / options->duration_s : 0;
    return wanted > FREQUENCY_ATTACHED_LEAST ? (uint64_t)wanted | 1 : FREQUENCY_ATTACHED_LEAST;
}

/* As wide as the terminal, as long as that reads well; 0: no terminal. */
static size_t terminal_columns(FILE *stream)
{
    enum {
        COLUMNS_LEAST = 60,
        COLUMNS_MOST = 120
    };
    struct winsize size = {0};
    if (!isatty(fileno(stream)) || ioctl(fileno(stream), TIOCGWINSZ, &size) || !size.ws_col)
        return 0;
    return size.ws_col < COLUMNS_LEAST ? COLUMNS_LEAST : size.ws_col > COLUMNS_MOST ? COLUMNS_MOST : size.ws_col;
}

static struct text_style style_of(const struct context *context, const struct diagnose_options *options)
{
    bool automatic = page_colour_suits(context->out);
    return (struct text_style){
        .colour = strcmp(options->colour, "always") == 0 || (strcmp(options->colour, "auto") == 0 && automatic),
        .unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
        .functions_most = options->top,
        .verbose = options->verbosity > 0,
        .quiet = options->quiet,
        .width = terminal_columns(context->out),
    };
}

/* What plumb confirm left in the case. Errors: ERROR_FORMAT. */
static bool confirmed_read(struct diagnosis_confirmed *confirmed, const char *folder, struct arena *arena,
                           bool *ret_found, struct error *err)
{
    scoped_json struct json_document *document = NULL;
    *ret_found = false;
    if (!case_part_exists(folder, "confirm.json"))
        return true;
    if (!case_part_json(folder, "confirm.json", &document, err))
        return false;
    struct json_value root = json_root(document), tested = json_member(root, "under_test");
    const char *verdict = json_text_or(json_member(root, "verdict"), NULL);
    if (!verdict)
        return error_set(err, ERROR_FORMAT, "'%s/confirm.json' holds no verdict", folder);
    *confirmed = (struct diagnosis_confirmed){
        .finding = arena_string(arena, json_text_or(json_member(tested, "finding"), "")),
        .experiment = arena_string(arena, json_text_or(json_member(root, "experiment"), "")),
        .verdict = arena_string(arena, verdict),
        .sentence = arena_string(arena, json_text_or(json_member(root, "sentence"), verdict)),
        .predicted = json_interval_or_unknown(json_member(tested, "predicted_gain")),
        .realised = json_interval_or_unknown(json_member(root, "realised_gain")),
    };
    *ret_found = true;
    return true;
}

/* Test, keep findings.json in a kept case, print; the exit code follows the verdict. */
static bool report(struct context *context, const struct diagnose_options *options, const char *folder, bool is_kept,
                   bool is_replay, struct error *err)
{
    struct loaded_case loaded;
    struct diagnosis_confirmed confirmed;
    bool was_confirmed = false;
    if (!(is_replay ? loaded_case_replay : loaded_case_read)(&loaded, folder, err))
        return false;
    struct error broken = {0};
    if (!confirmed_read(&confirmed, folder, &loaded.arena, &was_confirmed, &broken))
        case_part_leave_out(&loaded, "confirm.json", broken.message);
    if (!is_kept)
        case_folder_remove(folder); /* all of it is in memory; who reads our output may close it and so end us */
    if (is_replay && options->effect_percent != NOT_GIVEN)
        loaded.results.effect = options->effect_percent / 100;
    bool refused = strcmp(loaded.manifest.scope, "started") != 0 && !loaded.has_recording &&
                   case_manifest_gap_of(&loaded.manifest, "samples");
    struct findings findings;
    findings_test(&findings, &loaded.results, &loaded.arena);
    struct overall overall = overall_of(&findings, &loaded.results, &loaded.arena);
    struct phase_verdicts phase_verdicts;
    phase_verdicts_of(&phase_verdicts, &loaded.phase_trees, &loaded.arena);
    struct diagnosis_gap *gaps = arena_array(&loaded.arena, struct diagnosis_gap, loaded.manifest.gap_count + 1);
    for (size_t at = 0; at < loaded.manifest.gap_count; at++)
        gaps[at] = (struct diagnosis_gap){loaded.manifest.gaps[at].what, loaded.manifest.gaps[at].why};
    struct diagnosis diagnosis = {
        .subject = loaded.manifest.command[0] ? loaded.manifest.command : loaded.manifest.target_options,
        .results = &loaded.results,
        .findings = &findings,
        .overall = &overall,
        .phases = &loaded.phases,
        .phase_verdicts = &phase_verdicts,
        .phase_estimates = &loaded.phase_estimates,
        .gaps = gaps,
        .gap_count = loaded.manifest.gap_count,
        .statements = loaded.results.statements,
        .case_folder = is_kept && !is_replay ? folder : NULL,
        .confirmed = was_confirmed ? &confirmed : NULL,
        .programs = loaded.programs.count ? &loaded.programs : NULL,
        .host = loaded.host_denominator ? &loaded.host : NULL,
        .host_denominator = loaded.host_denominator,
    };
    scoped_text struct text json = {0};
    scoped_text struct text out = {0};
    diagnosis_json(&json, &diagnosis);
    if (options->json)
        text_append(&out, text_string(&json), json.length);
    else {
        struct text_style style = style_of(context, options);
        diagnosis_text(&out, &diagnosis, &style);
    }
    bool printed = text_write_file(&out, context->out) || error_system(err, errno, "can't write the result");
    struct view findings_json = text_view(&json);
    bool drawn = !options->html || diagnose_report_write(options->html, &loaded, findings_json, context->root, err);
    bool kept = !drawn || !is_kept || is_replay || case_part_write(folder, "findings.json", &json, err);
    /* Whom we may not watch: as stat, and as any command that could not do what it was asked. */
    if (refused && !is_replay)
        context->exit_code = EXIT_CODE_FAILED;
    bool inconclusive = overall.kind == OVERALL_TOO_SHORT || overall.kind == OVERALL_BLIND;
    bool written = printed && drawn && kept;
    if (inconclusive && written && context->exit_code == EXIT_CODE_OK)
        context->exit_code = EXIT_CODE_INCONCLUSIVE;
    loaded_case_done(&loaded);
    return written;
}

/* A line can be written over there. */
static bool terminal_moves(FILE *stream)
{
    const char *terminal = getenv("TERM");
    return isatty(fileno(stream)) && !(terminal && strcmp(terminal, "dumb") == 0);
}

static bool diagnose_live(struct context *context, const struct diagnose_options *options, char **argv,
                          const char *folder, struct error *err)
{
    struct arena arena;
    arena_init(&arena);
    struct target_request target = {
        .processes = options->processes,
        .cpus = options->cpus,
        .all_cpus = options->all_cpus,
        .cgroup = options->cgroup,
    };
    if (!cgroup_members_take(&target, context->root, &arena, err)) {
        arena_done(&arena);
        return false;
    }
    struct collect_request request = {
        .argv = argv && argv[0] ? argv : NULL,
        .target = &target,
        .target_options = target_words(options, &arena),
        .runs = options->runs == ONCE ? 0 : options->runs,
        .duration_s = options->duration_s != NOT_GIVEN ? options->duration_s
                      : argv && argv[0]                ? 0
                                                       : ATTACHED_USUAL_S,
        .quick = options->duration_s == NOT_GIVEN && !(argv && argv[0]),
        .sparing = !(argv && argv[0]),
        .frequency = frequency_of(options, argv && argv[0]),
        .effect = options->effect_percent != NOT_GIVEN ? options->effect_percent / 100 : EFFECT_USUAL,
        .probes = options->probes,
        .progress = !options->quiet && terminal_moves(context->talk),
        .quiet = options->quiet,
    };
    struct collect_result result = {0};
    bool collected = diagnose_collect(context, folder, &request, &result, err);
    if (request.argv)
        context->exit_code = result.child_exit_code;
    arena_done(&arena);
    return collected && diagnose_import(folder, &options->imports, &options->sayings, err) &&
           report(context, options, folder, options->case_folder != NULL, false, err);
}

/* A case that is there, and what others measured or say; or that alone. */
static bool diagnose_told(struct context *context, const struct diagnose_options *options, const char *folder,
                          bool kept, struct error *err)
{
    return diagnose_import(folder, &options->imports, &options->sayings, err) &&
           report(context, options, folder, kept, true, err);
}

/* Into the case that is to be kept, or one that goes again. */
static bool diagnose_command(struct context *context, const struct diagnose_options *options, char **argv,
                             struct error *err)
{
    bool has_command = argv[0] != NULL;
    scoped_json struct json_document *probe = NULL;
    /* A case is read back to be diagnosed: better to know before the program has run for an hour. */
    if (!json_document_parse(&probe, view_of("{}"), err))
        return error_wrap(err, "diagnosing");
    if (!options_check(options, has_command, err) || (options->html && !html_file_try(options->html, err)))
        return false;
    if (!has_command && !wants_target(options) && options->case_folder)
        return diagnose_told(context, options, options->case_folder, true, err);
    /* From here on nothing ends us before what there is was told, and a folder that nobody keeps is gone. */
    if (has_command || wants_target(options))
        workload_forward_signals(has_command ? &(struct workload){0} : NULL);
    if (options->case_folder)
        return case_folder_create(options->case_folder, err) &&
               diagnose_live(context, options, argv, options->case_folder, err);
    scoped_free char *folder = NULL;
    if (!case_folder_temporary(&folder, err))
        return false;
    bool done = has_command || wants_target(options) ? diagnose_live(context, options, argv, folder, err)
                                                     : diagnose_told(context, options, folder, false, err);
    case_folder_remove(folder);
    return done;
}

/* Opened before anything is measured, so that nothing is measured in vain. */
static bool diagnose_into(struct context *context, const struct diagnose_options *options, char **argv,
                          struct error *err)
{
    if (!options->output)
        return diagnose_command(context, options, argv, err);
    scoped_file FILE *file = fopen(options->output, "we");
    if (!file)
        return error_system(err, errno, "can't write '%s'", options->output);
    struct context inner = *context;
    inner.out = file;
    bool done = diagnose_command(&inner, options, argv, err);
    context->exit_code = inner.exit_code;
    if (fflush(file) != 0)
        return error_system(err, errno, "can't write '%s'", options->output);
    return done;
}

static bool diagnose_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct diagnose_options options = {.frequency = FREQUENCY_NOT_GIVEN,
                                       .top = 6,
                                       .colour = "auto",
                                       .effect_percent = NOT_GIVEN,
                                       .duration_s = NOT_GIVEN,
                                       .runs = ONCE};
    int first = 0;
    bool done = options_parse(diagnose_rows, OPTIONS_STOP_AT_OPERAND, argc, argv, &options, &first, err) &&
                (!options.probe_list || probe_list_parse(options.probe_list, &options.probes, err)) &&
                diagnose_into(context, &options, argv + first, err);
    options_done(diagnose_rows, &options);
    return done;
}

const struct command command_diagnose = {
    .name = "diagnose",
    .summary = "find out why a program is slow, with evidence and a bound for what was ruled out",
    .usage = "plumb diagnose [options] [--] COMMAND [arguments] | -p PID | --cgroup PATH | -a | --case FOLDER",
    .options = diagnose_rows,
    .run = diagnose_run,
};
