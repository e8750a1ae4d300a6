/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb topdown: where the slots of the pipeline go, of a program that is run here, or out of counts from elsewhere. */
#include "command/command_table.h"
#include "command/options.h"
#include "command/topdown/topdown_modes.h"
#include "command/topdown/topdown_perf.h"
#include "metric/table/table_choice.h"

#include <math.h>
#include <string.h>

enum { LEVEL_MOST = 6 };

#define MEMBER(name) offsetof(struct topdown_options, name)

static const struct option_row option_rows[] = {
    {0, NULL, OPTION_HEADING, 0, NULL, "how deep"},
    {'l', "level", OPTION_U64, MEMBER(level), "N",
     "all nodes down to level N (counted here: 2 unless said); with --from, else what is below flagged nodes"},
    {0, "drill", OPTION_FLAG, MEMBER(drill), NULL,
     "go on below flagged nodes to the leaf, and sample that to its instruction"},
    {0, "nodes", OPTION_TEXT, MEMBER(nodes), "[+]NAME,…", "these nodes or metrics; +: besides what is counted anyway"},
    {0, "all", OPTION_FLAG, MEMBER(all), NULL, "show every node, those not measured with the reason, too"},
    {0, NULL, OPTION_HEADING, 0, NULL, "of whom"},
    {'p', "pid", OPTION_TEXT, MEMBER(processes), "PID[,PID]", "these processes, all their threads"},
    {'t', "tid", OPTION_TEXT, MEMBER(threads), "TID[,TID]", "these threads"},
    {'a', "all-cpus", OPTION_FLAG, MEMBER(all_cpus), NULL, "everything on every CPU"},
    {'C', "cpus", OPTION_TEXT, MEMBER(cpus), "LIST", "everything on these CPUs"},
    {0, "per-core", OPTION_FLAG, MEMBER(per_core), NULL, "with -a or -C: the first level of each core, too"},
    {0, NULL, OPTION_HEADING, 0, NULL, "when"},
    {0, "duration", OPTION_DOUBLE, MEMBER(duration), "S", "how long each step watches something that goes on"},
    {0, "once", OPTION_FLAG, MEMBER(once), NULL,
     "run the program once only: all groups of events share the run, which must last"},
    {'I', "interval", OPTION_U64, MEMBER(interval_ms), "MS",
     "read the counters this often, and show the first level of each interval"},
    {0, NULL, OPTION_HEADING, 0, NULL, "counted elsewhere"},
    {0, "from", OPTION_TEXT, MEMBER(from), "FILE",
     "counts of perf stat (-x, -j or text), or toplev's CSV; - is standard input"},
    {0, "print-perf", OPTION_FLAG, MEMBER(print_perf), NULL,
     "print the perf stat command lines that collect what -l N of --cpu NAME takes"},
    {0, "cpu", OPTION_TEXT, MEMBER(cpu), "NAME",
     "the CPU they were counted on (SKX, SPR, ZEN4, NEOVERSE-V2, …); else this machine's"},
    {0, "smt", OPTION_TEXT, MEMBER(smt), "on|off", "whether two threads of a core could run"},
    {0, "tsc-hz", OPTION_DOUBLE, MEMBER(tsc_hz), "HZ", "the time stamp counter's frequency"},
    {0, "seconds", OPTION_DOUBLE, MEMBER(seconds), "S", "how long was counted"},
    {0, "tables", OPTION_TEXT, MEMBER(tables), "FOLDER",
     "published JSON tables (intel/perfmon, Linux pmu-events) instead of plumb's own"},
    {0, NULL, OPTION_HEADING, 0, NULL, "output"},
    {'x', "field-separator", OPTION_TEXT, MEMBER(separator), "SEP",
     "lines of fields: path, value, unit, threshold, quality, why not"},
    {'j', "json", OPTION_FLAG, MEMBER(json), NULL, "a JSON document with every node"},
    {'o', "output", OPTION_TEXT, MEMBER(output), "FILE", "there instead of to standard output"},
    {0},
};

/* Options that only one of the ways has. */
static const struct {
    const char *name;
    size_t offset;
    bool is_text;
} of_live[] =
    {
        {"--drill", MEMBER(drill), false},
        {"--nodes", MEMBER(nodes), true},
        {"--once", MEMBER(once), false},
        {"--per-core", MEMBER(per_core), false},
},
  of_recorded[] =
      {
          {"--cpu", MEMBER(cpu), true},
          {"--smt", MEMBER(smt), true},
},
  of_targets[] = {
      {"--pid", MEMBER(processes), true},
      {"--tid", MEMBER(threads), true},
      {"--cpus", MEMBER(cpus), true},
      {"--all-cpus", MEMBER(all_cpus), false},
};

static bool is_given(const struct topdown_options *options, size_t offset, bool is_text)
{
    const char *member = (const char *)options + offset;
    const char *text;
    bool flag;
    memcpy(&text, member, is_text ? sizeof(text) : 0);
    memcpy(&flag, member, is_text ? 0 : sizeof(flag));
    return is_text ? text != NULL : flag;
}

/* perf takes one of them. */
static bool targets_check(const struct topdown_options *options, struct error *err)
{
    const char *first = NULL;
    for (size_t at = 0; at < array_count(of_targets); at++) {
        if (!is_given(options, of_targets[at].offset, of_targets[at].is_text))
            continue;
        if (options->from)
            return error_set(err, ERROR_USAGE, "%s is of counting, not of --from", of_targets[at].name);
        if (first)
            return error_set(err, ERROR_USAGE, "%s and %s: one of them at a time", first, of_targets[at].name);
        first = of_targets[at].name;
    }
    if (options->duration > 0 && !first)
        return error_set(err, ERROR_USAGE, "--duration is of watching (-p, -t, -a, -C)");
    return true;
}

static bool ways_check(const struct topdown_options *options, struct error *err)
{
    const char *way = options->from ? "--from" : "--print-perf";
    bool elsewhere = options->from || options->print_perf;
    if (options->print_perf && (options->from || options->separator))
        return error_set(err, ERROR_USAGE, "--print-perf prints command lines: %s has no place beside it",
                         options->from ? "--from" : "-x");
    for (size_t at = 0; elsewhere && at < array_count(of_live); at++)
        if (is_given(options, of_live[at].offset, of_live[at].is_text))
            return error_set(err, ERROR_USAGE, "%s is of counting here, not of %s", of_live[at].name, way);
    for (size_t at = 0; !elsewhere && at < array_count(of_recorded); at++)
        if (is_given(options, of_recorded[at].offset, of_recorded[at].is_text))
            return error_set(err, ERROR_USAGE, "%s is of what was counted elsewhere (--from FILE); here it is known",
                             of_recorded[at].name);
    if (elsewhere && (options->interval_ms || options->output || (options->from && options->duration > 0)))
        return error_set(err, ERROR_USAGE, "--duration, --interval and --output are of counting here, not of %s", way);
    if (elsewhere && !targets_check(options, err))
        return false;
    if (!elsewhere && (options->tsc_hz > 0 || options->seconds > 0))
        return error_set(err, ERROR_USAGE, "--tsc-hz and --seconds are of what was counted elsewhere (--from FILE)");
    return true;
}

static bool live_check(const struct topdown_options *options, bool has_program, struct error *err)
{
    bool watches = options->processes || options->threads || options->all_cpus || options->cpus;
    if (!has_program && !watches) {
        error_set(err, ERROR_USAGE, "what shall be counted? a program, -p PID, -a, -C CPUS, or --from FILE");
        return error_hint(err, "plumb topdown -- CMD; counts from another machine: --from FILE --cpu NAME");
    }
    if (options->once && !has_program)
        return error_set(err, ERROR_USAGE, "--once is of a program; what goes on is counted in turns");
    if (options->once && options->drill) {
        error_set(err, ERROR_USAGE, "--drill runs the program again for each step, --once doesn't");
        return error_hint(err, "--once -l 3 counts three levels in one run");
    }
    if (options->duration > 0 && has_program)
        return error_set(err, ERROR_USAGE, "--duration is of watching; a program lasts as long as it does");
    if (options->per_core && !options->all_cpus && !options->cpus)
        return error_set(err, ERROR_USAGE,
                         "--per-core needs -a or -C: what a program does on a core is not all that happens there");
    if (options->interval_ms && options->interval_ms < 10)
        return error_set(err, ERROR_USAGE, "--interval is 10 ms at least");
    return true;
}

static bool options_check(const struct topdown_options *options, int operands, struct error *err)
{
    if (options->level > LEVEL_MOST)
        return error_set(err, ERROR_USAGE, "--level is 1 to %d", LEVEL_MOST);
    if (operands && options->from)
        return error_set(err, ERROR_USAGE, "--from takes no operands");
    if (options->smt && strcmp(options->smt, "on") != 0 && strcmp(options->smt, "off") != 0)
        return error_set(err, ERROR_USAGE, "--smt is on or off, not '%s'", options->smt);
    if (options->tsc_hz < 0 || options->seconds < 0 || !isfinite(options->tsc_hz) || !isfinite(options->seconds))
        return error_set(err, ERROR_USAGE, "--tsc-hz and --seconds are above 0");
    if (options->duration < 0 || !isfinite(options->duration) || options->duration > 1e6)
        return error_set(err, ERROR_USAGE, "--duration is above 0 and at most a million seconds");
    if (operands && options->print_perf && options->duration > 0)
        return error_set(err, ERROR_USAGE,
                         "--duration is of watching without a command; with one it lasts as long as that does");
    if (options->separator && strlen(options->separator) != 1)
        return error_set(err, ERROR_USAGE, "--field-separator is one character");
    return ways_check(options, err) && (options->from || options->print_perf || live_check(options, operands > 0, err));
}

/* --print-perf: what to run elsewhere. */
static bool commands_print(struct context *context, const struct topdown_options *options, char *const *argv,
                           struct error *err)
{
    struct metric_table table = {0};
    struct table_choice choice = {.cpu = options->cpu, .folder = options->tables, .extent = TABLE_WHOLE};
    struct topdown_perf asked = {.smt = options->smt,
                                 .tables = options->tables,
                                 .all = options->all,
                                 .json = options->json,
                                 .level = (unsigned)options->level,
                                 .argv = argv[0] ? argv : NULL,
                                 .processes = options->processes,
                                 .threads = options->threads,
                                 .cpus = options->cpus,
                                 .all_cpus = options->all_cpus,
                                 .seconds = options->duration};
    bool good =
        metric_table_choose(&table, &choice, context->root, err) && topdown_perf_print(&asked, &table, context, err);
    metric_table_done(&table);
    return good;
}

static bool topdown_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct topdown_options options = {0};
    int first;
    if (!options_parse(option_rows, OPTIONS_STOP_AT_OPERAND, argc, argv, &options, &first, err) ||
        !options_check(&options, argc - first, err))
        return false;
    return options.print_perf ? commands_print(context, &options, argv + first, err)
           : options.from     ? topdown_from(context, &options, err)
                              : topdown_live(context, &options, argv + first, err);
}

const struct command command_topdown = {
    .name = "topdown",
    .summary = "where the pipeline's slots go: the top-down tree, counted here or elsewhere",
    .usage = "plumb topdown [options] [--] command [arguments]\n"
             "       plumb topdown -p PID|-a|-C CPUS [--duration S] [options]\n"
             "       plumb topdown --from FILE [--cpu NAME] [options]\n"
             "       plumb topdown --print-perf [--cpu NAME] [-l N] [-p PID|-t TID|-a|-C CPUS [--duration S]] [-- "
             "command [arguments]]",
    .options = option_rows,
    .run = topdown_run,
};
