/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb list: the events and metrics that can be named here, or on another CPU; --countable opens each to see. */
#include "base/scope.h"
#include "command/list/lister.h"
#include "command/options.h"
#include "metric/event_name.h"
#include "metric/event_parser.h"

#include <errno.h>

static const struct {
    enum list_kind kind;
    const char *name;
} syntaxes[] = {
    {LIST_RAW, "rNNN"},
    {LIST_RAW, "cpu/t1=v1[,t2=v2,...]/modifier"},
    {LIST_PROBE, "mem:ADDR[/LEN][:rwx]"},
    {LIST_PROBE, "uprobe:PATH:FUNCTION[+OFFSET]"},
    {LIST_PROBE, "uprobe:PATH:0xOFFSET"},
    {LIST_PROBE, "uretprobe:PATH:FUNCTION"},
};

static const struct option_row option_rows[] = {
    {0, "cpu", OPTION_TEXT, offsetof(struct list_options, cpu), "NAME",
     "events and metrics of that CPU (SKX, SPR, ZEN4, NEOVERSE-V2, GenuineIntel-6-8F) instead of what is here"},
    {0, "metrics", OPTION_FLAG, offsetof(struct list_options, metrics), NULL, "only metrics"},
    {0, "events", OPTION_FLAG, offsetof(struct list_options, events), NULL, "only events"},
    {0, "countable", OPTION_FLAG, offsetof(struct list_options, countable), NULL,
     "open each (of many tracepoints one for all) and say whether it counts here"},
    {'v', "verbose", OPTION_COUNT, offsetof(struct list_options, verbose), NULL,
     "encodings, counters, formulas and thresholds, too"},
    {'j', "json", OPTION_FLAG, offsetof(struct list_options, json), NULL, "a JSON array"},
    {0, "tables", OPTION_TEXT, offsetof(struct list_options, tables), "FOLDER",
     "published JSON tables (intel/perfmon, Linux pmu-events) instead of plumb's own"},
    {0},
};

static void visit_name(void *context, const char *name)
{
    list_show(context, &(struct list_entry){.name = name});
}

static void fixed_show(struct lister *lister, enum list_kind kind, uint32_t type)
{
    size_t count;
    const struct event_name *names = event_name_table(&count);
    lister->kind = kind;
    for (size_t at = 0; at < count; at++)
        if (names[at].type == type)
            list_show(lister, &(struct list_entry){.name = names[at].name, .alias = names[at].alias});
}

/* What can be named on this machine. */
static bool here_show(struct lister *lister, struct error *err)
{
    char name[64];
    uint64_t config;
    fixed_show(lister, LIST_HARDWARE, PERF_TYPE_HARDWARE);
    fixed_show(lister, LIST_SOFTWARE, PERF_TYPE_SOFTWARE);
    lister->kind = LIST_CACHE;
    for (size_t at = 0; event_cache_name(at, name, sizeof(name), &config); at++)
        list_show(lister, &(struct list_entry){.name = name});
    lister->kind = LIST_PMU;
    event_pmu_alias_each(lister->context->root, visit_name, lister);
    if (!list_tables_show(lister, err))
        return false;
    for (size_t at = 0; at < array_count(syntaxes); at++) {
        lister->kind = syntaxes[at].kind;
        list_show(lister, &(struct list_entry){.name = syntaxes[at].name});
    }
    lister->kind = LIST_TRACEPOINT;
    lister->kind_tried = false;
    event_tracepoint_each(lister->context->root, visit_name, lister);
    return true;
}

/* Nothing matched: say so, with what is near. */
static bool nothing_shown(struct lister *lister, struct error *err)
{
    char names[300] = "";
    const char *word = lister->patterns[0];
    if (!lister->options.cpu)
        event_nearest(word, lister->context->root, names, sizeof(names));
    if (!names[0])
        list_tables_nearest(lister, word, names, sizeof(names));
    lister->context->exit_code = EXIT_CODE_USAGE;
    error_set(err, ERROR_NOT_FOUND, "no event and no metric matches '%s'%s%s", word, lister->options.cpu ? " on " : "",
              lister->options.cpu ? lister->options.cpu : "");
    struct error missing = {0};
    if (!names[0] && !lister->options.cpu && !lister->options.metrics && !sysroot_tracefs(lister->context->root) &&
        !event_tracefs_missing(lister->context->root, &missing))
        return error_hint(err, "%s; %s", missing.message, missing.hint);
    return error_hint(err, names[0] ? "did you mean %s?" : "without words, plumb list shows all%s", names);
}

/* Tracepoints are missing from the list for a reason. */
static void tracepoints_note(struct lister *lister)
{
    const struct sysroot *root = lister->context->root;
    struct error missing = {0};
    if (lister->pattern_count == 0 && !sysroot_tracefs(root) && !event_tracefs_missing(root, &missing))
        fprintf(lister->context->talk, "plumb list: no tracepoints are listed: %s\n  hint: %s\n", missing.message,
                missing.hint);
}

static bool options_check(const struct list_options *options, struct error *err)
{
    if (options->countable && options->cpu) {
        error_set(err, ERROR_USAGE, "--countable opens events on this machine: it can't tell of '%s'", options->cpu);
        return error_hint(err, "leave --cpu out");
    }
    return true;
}

static bool all_show(struct lister *lister, struct error *err)
{
    list_begin(lister);
    bool good = lister->options.cpu ? list_tables_show(lister, err) : here_show(lister, err);
    list_end(lister);
    if (good && !lister->shown && lister->pattern_count > 0)
        return nothing_shown(lister, err);
    return good && (text_write_file(&lister->out, lister->context->out) ||
                    error_system(err, errno, "can't write the list"));
}

static bool list_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct lister lister = {.context = context};
    int first = 0;
    if (!options_parse(option_rows, OPTIONS_ANYWHERE, argc, argv, &lister.options, &first, err) ||
        !options_check(&lister.options, err))
        return false;
    lister.patterns = argv + first;
    lister.pattern_count = argc - first;
    bool good = all_show(&lister, err);
    if (good && !lister.options.cpu && !lister.options.metrics)
        tracepoints_note(&lister);
    text_done(&lister.out);
    return good;
}

const struct command command_list = {
    .name = "list",
    .summary = "events and metrics of this machine's CPU, or of another by name",
    .usage = "plumb list [options] [hw|sw|cache|pmu|cpu|metric|metricgroup|raw|probe|tracepoint|GLOB|WORD]...",
    .options = option_rows,
    .run = list_run,
};
