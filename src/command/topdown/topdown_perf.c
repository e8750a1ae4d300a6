/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/topdown/topdown_perf.h"

#include "base/json/json_writer.h"
#include "base/scope.h"
#include "base/vec.h"
#include "capture/case/shell_line.h"
#include "metric/schedule/perf_command.h"
#include "metric/table/table_reading.h"

#include <ctype.h>
#include <errno.h>

static const char COUNTS_FILE[] = "plumb-counts.csv";

enum {
    LEVEL_USUAL = 2,
    WATCH_SECONDS = 10,
    NAMES_COLUMNS = 110,
    COUNTERS_ANYWHERE = 4,    /* of a CPU that isn't known: most have as many */
    FIXED_ANYWHERE = 0x7,
};

struct printer {
    const struct topdown_perf *asked;
    const struct metric_table *table;
    struct arena arena;
    struct perf_plan plan;
    bool counters_guessed;
    bool counters_of_sibling; /* without SMT a thread has twice as many */
};

static bool is_arm(const struct metric_table *table)
{
    return strncmp(table->key, "NEOVERSE", 8) == 0 || strncmp(table->key, "CORTEX", 6) == 0;
}

/* ---- which metrics ---- */

/* A metric, and what its threshold asks for, unless that is of a deeper level. */
static void metric_mark(const struct metric_table *table, uint32_t metric, unsigned level, bool *marks)
{
    const struct table_formula *threshold = &table->metrics.items[metric].threshold;
    marks[metric] = true;
    for (size_t at = 0; threshold->references && at < threshold->expression.name_count; at++)
        if (threshold->references[at].kind == REFERENCE_METRIC &&
            table->metrics.items[threshold->references[at].index].level <= level)
            marks[threshold->references[at].index] = true;
}

static uint32_t *metrics_choose(struct printer *printer, size_t *ret_count)
{
    const struct metric_table *table = printer->table;
    unsigned level = printer->asked->level ? printer->asked->level : LEVEL_USUAL;
    bool *marks = arena_array(&printer->arena, bool, table->metrics.count + 1);
    uint32_t *metrics = arena_array(&printer->arena, uint32_t, table->metrics.count + 1);
    for (uint32_t at = 0; at < table->metrics.count; at++) {
        unsigned own = table->metrics.items[at].level;
        if (own ? own <= level : printer->asked->all)
            metric_mark(table, at, level, marks);
    }
    *ret_count = 0;
    for (uint32_t at = 0; at < table->metrics.count; at++)
        if (marks[at])
            metrics[(*ret_count)++] = at;
    return metrics;
}

static bool plan_make(struct printer *printer, struct error *err)
{
    struct schedule_pmu pmu;
    const char *smt = printer->asked->smt;
    bool off = smt && strcmp(smt, "off") == 0;
    size_t count;
    uint32_t *metrics = metrics_choose(printer, &count);
    if (!schedule_pmu_of_model(printer->table->key, off ? 1 : 2, &pmu)) {
        pmu = schedule_pmu_architectural(COUNTERS_ANYWHERE, FIXED_ANYWHERE);
        printer->counters_guessed = true;
    }
    struct schedule_pmu shared = {0};
    printer->counters_of_sibling =
        off && schedule_pmu_of_model(printer->table->key, 2, &shared) && shared.general != pmu.general;
    struct perf_question question = {
        .table = printer->table, .metrics = metrics, .metric_count = count, .pmu = &pmu,
        .core_pmu = is_arm(printer->table) ? "armv8_pmuv3_0" : "cpu",
        .smt = smt ? measured_as(!off) : not_measured("--smt wasn't said"),
    };
    if (!count)
        return error_set(err, ERROR_NOT_FOUND, "the tables of %s have no top-down tree", printer->table->key);
    return perf_plan_make(&printer->plan, &question, &printer->arena, err);
}

/* ---- the lines ---- */

static const char *events_spelt(struct printer *printer, const struct perf_run *run)
{
    scoped_text struct text text = {0};
    for (size_t at = 0; at < run->event_count; at++)
        text_printf(&text, "%s%s", at ? "," : run->is_group ? "{" : "", run->events[at]);
    text_add(&text, run->is_group ? "}" : "");
    return arena_string(&printer->arena, text_string(&text));
}

static bool is_watched(const struct topdown_perf *asked)
{
    return asked->processes || asked->threads || asked->cpus || asked->all_cpus;
}

/*
 * Who is counted, in words of perf stat: at most two, NULL where there is none. What is no core's counts the whole
 * machine.
 */
static void target_words(const struct topdown_perf *asked, bool everywhere, const char *ret_words[2])
{
    const char *values[] = {asked->processes, asked->threads, asked->cpus};
    static const char *const options[] = {"-p", "-t", "-C"};
    ret_words[0] = ret_words[1] = NULL;
    if (everywhere || asked->all_cpus)
        ret_words[0] = "-a";
    for (size_t at = 0; at < array_count(options) && !everywhere; at++)
        if (values[at]) {
            ret_words[0] = options[at];
            ret_words[1] = values[at];
        }
}

/* What perf runs: the command, or something that lasts as long as shall be watched. */
static char *const *command_words(struct printer *printer)
{
    static char *const placeholder[] = {(char *)"COMMAND", NULL};
    const struct topdown_perf *asked = printer->asked;
    if (asked->argv || !is_watched(asked))
        return asked->argv ? asked->argv : placeholder;
    char *const sleeps[] = {
        (char *)"sleep",
        (char *)arena_printf(&printer->arena, "%g", asked->seconds > 0 ? asked->seconds : WATCH_SECONDS), NULL};
    return arena_copy(&printer->arena, sleeps, sizeof(sleeps));
}

/* Words of perf stat, NULL at the end. */
static char **words_of(struct printer *printer, size_t index)
{
    const struct perf_run *run = &printer->plan.runs[index];
    const char *target[2];
    vec(const char *) words = {0};
    static const char *const first[] = {"perf", "stat", "-x,", "-o", COUNTS_FILE};
    for (size_t at = 0; at < array_count(first); at++)
        *vec_push(&words) = first[at];
    if (index)
        *vec_push(&words) = "--append";
    target_words(printer->asked, run->everywhere, target);
    for (size_t at = 0; at < array_count(target) && target[at]; at++)
        *vec_push(&words) = target[at];
    *vec_push(&words) = "-e";
    *vec_push(&words) = events_spelt(printer, run);
    *vec_push(&words) = "-e";
    *vec_push(&words) = "duration_time";
    *vec_push(&words) = "--";
    for (char *const *word = command_words(printer); *word; word++)
        *vec_push(&words) = *word;
    *vec_push(&words) = NULL;
    char **copy = arena_copy(&printer->arena, words.items, words.count * sizeof(*words.items));
    vec_done(&words);
    return copy;
}

/* One more of a list that keeps within the page; *columns: 4 before the first. */
static void name_write(struct text *out, const struct printer *printer, uint32_t metric, size_t *columns)
{
    const char *name = printer->table->metrics.items[metric].name;
    size_t length = strlen(name) + 2;
    if (*columns > 4 && *columns + length > NAMES_COLUMNS) {
        text_add(out, ",\n#   ");
        *columns = 4;
    } else if (*columns > 4) {
        text_add(out, ", ");
    }
    text_add(out, name);
    *columns += length;
}

static void run_write(struct text *out, struct printer *printer, size_t index)
{
    const struct perf_run *run = &printer->plan.runs[index];
    text_printf(out, "# run %zu of %zu:\n#   ", index + 1, printer->plan.run_count);
    size_t columns = 4;
    for (size_t at = 0; at < run->metric_count; at++)
        name_write(out, printer, run->metrics[at], &columns);
    if (!run->metric_count)
        text_add(out, "parts of metrics that need more than one run");
    if (run->whole_cores)
        text_add(out, "\n#   counts both threads of a core: as root, or with perf_event_paranoid 0");
    if (run->everywhere)
        text_add(out, "\n#   counts the whole machine: as root, or with perf_event_paranoid 0");
    if (run->has_topdown_fields)
        text_add(out, "\n#   add -I 1000 when it runs for minutes: shares in PERF_METRICS are read in steps of 1/255");
    text_printf(out, "\n%s\n", shell_line(words_of(printer, index), &printer->arena));
}

static const char *from_line(struct printer *printer)
{
    const bool *wants = printer->plan.wants;
    const char *smt = printer->asked->smt, *tables = printer->asked->tables;
    const char *cpu =
        printer->plan.wants_revision && printer->table->cpu_id ? printer->table->cpu_id : printer->table->key;
    bool clock = wants[TABLE_TSC_HZ] || wants[TABLE_TSC_TICKS];
    return arena_printf(
        &printer->arena, "plumb topdown --from %s --cpu %s%s%s%s%s%s%s", COUNTS_FILE, cpu,
        smt                                                    ? " --smt "
        : wants[TABLE_SMT_ON] || wants[TABLE_THREADS_PER_CORE] ? " --smt on|off"
                                                               : "",
        smt ? smt : "", clock ? " --tsc-hz HZ" : "", tables ? " --tables " : "", tables ? tables : "",
        printer->asked->level > LEVEL_USUAL ? arena_printf(&printer->arena, " -l %u", printer->asked->level) : "");
}

/* Remarks of the same words once, with all their metrics. */
static void missing_write(struct text *out, const struct printer *printer)
{
    const struct perf_plan *plan = &printer->plan;
    for (size_t first = 0; first < plan->missing_count; first++) {
        size_t columns = 4, same_before = 0;
        for (size_t at = 0; at < first; at++)
            same_before += strcmp(plan->missing[at].why, plan->missing[first].why) == 0;
        if (same_before)
            continue;
        text_printf(out, "# %s:\n#   ", plan->missing[first].why);
        for (size_t at = first; at < plan->missing_count; at++)
            if (strcmp(plan->missing[at].why, plan->missing[first].why) == 0)
                name_write(out, printer, plan->missing[at].metric, &columns);
        text_add(out, "\n");
    }
}

static void text_write(struct text *out, struct printer *printer)
{
    const bool *wants = printer->plan.wants;
    for (size_t at = 0; at < printer->plan.run_count; at++)
        run_write(out, printer, at);
    missing_write(out, printer);
    if (printer->counters_guessed)
        text_printf(out, "# how many counters %s has isn't known here: taken are %d, and 3 fixed ones\n",
                    printer->table->key, COUNTERS_ANYWHERE);
    if (printer->counters_of_sibling)
        text_add(out, "# groups take the eight counters of a thread that firmware without SMT gives it; where only "
                      "Linux switched SMT off,\n"
                      "# it has four, and perf counts nothing of the larger groups\n");
    if (!printer->asked->argv && !is_watched(printer->asked))
        text_add(out, "# COMMAND is the program, the same in each run; for one that runs already: plumb topdown "
                      "--print-perf -p PID\n");
    if (is_watched(printer->asked) && printer->plan.run_count > 1)
        text_add(out, "# runs follow each other: what is watched should do the same in all of them\n");
    text_printf(out, "# then, anywhere: %s\n", from_line(printer));
    if (wants[TABLE_TSC_HZ] || wants[TABLE_TSC_TICKS])
        text_add(out,
                 "#   HZ is what dmesg of that machine says: tsc: Refined TSC clocksource calibration: 1999.999 MHz\n");
    if (printer->plan.wants_revision && !printer->table->cpu_id)
        text_add(out, "#   some metrics depend on the CPU's revision: as NAME, "
                      "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1\n");
    if (wants[TABLE_SLOTS] && !table_slots_per_cycle(printer->table).known)
        text_add(out, "#   slots of a cycle: add the line N,,slots_per_cycle of "
                      "/sys/bus/event_source/devices/armv8_pmuv3_0/caps/slots\n");
}

static void names_list(struct json_writer *json, const char *key, const struct printer *printer,
                       const struct perf_run *run)
{
    json_array_open(json, key);
    for (size_t at = 0; at < run->metric_count; at++)
        json_string(json, NULL, printer->table->metrics.items[run->metrics[at]].name);
    json_array_close(json);
}

static void json_run(struct json_writer *json, struct printer *printer, size_t index)
{
    const struct perf_run *run = &printer->plan.runs[index];
    char **words = words_of(printer, index);
    json_object_open(json, NULL);
    json_string(json, "command", shell_line(words, &printer->arena));
    json_array_open(json, "argv");
    for (; *words; words++)
        json_string(json, NULL, *words);
    json_array_close(json);
    json_array_open(json, "events");
    for (size_t at = 0; at < run->event_count; at++) {
        json_object_open(json, NULL);
        json_string(json, "spelling", run->events[at]);
        json_string(json, "name", printer->table->terms.items[run->terms[at]].name);
        json_object_close(json);
    }
    json_array_close(json);
    json_bool(json, "group", run->is_group);
    json_bool(json, "whole_machine", run->everywhere);
    json_bool(json, "whole_cores", run->whole_cores);
    names_list(json, "metrics", printer, run);
    json_object_close(json);
}

static void json_write(struct text *out, struct printer *printer)
{
    struct json_writer json = {0};
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_string(&json, "cpu", printer->table->key);
    json_string(&json, "tables", printer->table->source);
    json_bool(&json, "counters_known", !printer->counters_guessed);
    json_array_open(&json, "runs");
    for (size_t at = 0; at < printer->plan.run_count; at++)
        json_run(&json, printer, at);
    json_array_close(&json);
    json_array_open(&json, "remarks");
    for (size_t at = 0; at < printer->plan.missing_count; at++) {
        json_object_open(&json, NULL);
        json_string(&json, "metric", printer->table->metrics.items[printer->plan.missing[at].metric].name);
        json_string(&json, "why", printer->plan.missing[at].why);
        json_object_close(&json);
    }
    json_array_close(&json);
    json_string(&json, "then", from_line(printer));
    json_object_close(&json);
}

bool topdown_perf_print(const struct topdown_perf *asked, const struct metric_table *table, struct context *context,
                        struct error *err)
{
    struct printer printer = {.asked = asked, .table = table};
    arena_init(&printer.arena);
    scoped_text struct text out = {0};
    bool good = plan_make(&printer, err);
    if (good && asked->json)
        json_write(&out, &printer);
    else if (good)
        text_write(&out, &printer);
    good = good && (text_write_file(&out, context->out) || error_system(err, errno, "can't write the command lines"));
    arena_done(&printer.arena);
    return good;
}
