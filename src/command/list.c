/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb list: the events that can be named here; --countable opens each to see. */
#include "base/json_writer.h"
#include "base/scope.h"
#include "command/command.h"
#include "command/options.h"
#include "metric/event_name.h"
#include "metric/event_parser.h"
#include "source/live/counters.h"

#include <fnmatch.h>
#include <unistd.h>

enum { TRACEPOINTS_TRIED_MOST = 64 };

enum list_kind {
    LIST_HARDWARE,
    LIST_SOFTWARE,
    LIST_CACHE,
    LIST_PMU,
    LIST_RAW,
    LIST_PROBE,
    LIST_TRACEPOINT,
    LIST_KIND_COUNT
};

static const struct {
    const char *words[4]; /* operands that choose it */
    const char *label;
} kinds[] = {
    [LIST_HARDWARE] = {{"hw", "hardware"}, "Hardware event"},
    [LIST_SOFTWARE] = {{"sw", "software"}, "Software event"},
    [LIST_CACHE] = {{"cache", "hwcache"}, "Hardware cache event"},
    [LIST_PMU] = {{"pmu"}, "Kernel PMU event"},
    [LIST_RAW] = {{"raw"}, "Raw event syntax"},
    [LIST_PROBE] = {{"probe", "breakpoint", "uprobe"}, "Breakpoint or probe syntax"},
    [LIST_TRACEPOINT] = {{"tracepoint", "trace"}, "Tracepoint event"},
};
_Static_assert(array_count(kinds) == LIST_KIND_COUNT, "a label for every kind");

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

struct list_options {
    bool countable, json;
};

static const struct option_row option_rows[] = {
    {0, "countable", OPTION_FLAG, offsetof(struct list_options, countable), NULL,
     "open each (of many tracepoints one for all) and say whether it counts here"},
    {'j', "json", OPTION_FLAG, offsetof(struct list_options, json), NULL, "a JSON array"},
    {0},
};

struct lister {
    struct context *context;
    struct list_options options;
    char *const *patterns; /* operands; none: everything */
    int pattern_count;
    struct text out;
    struct json_writer json;
    enum list_kind kind;
    size_t shown;
    size_t tracepoints_tried;
    bool kind_tried; /* for kinds of which one is opened */
    char kind_verdict[500];
};

static bool is_kind_word(const char *word, enum list_kind kind)
{
    for (size_t at = 0; at < array_count(kinds[kind].words) && kinds[kind].words[at]; at++)
        if (strcmp(word, kinds[kind].words[at]) == 0)
            return true;
    return false;
}

static bool is_any_kind_word(const char *word)
{
    for (size_t kind = 0; kind < LIST_KIND_COUNT; kind++)
        if (is_kind_word(word, (enum list_kind)kind))
            return true;
    return false;
}

/* A kind's word chooses all of it; other words are globs, or parts of names. */
static bool is_wanted(const struct lister *lister, const char *name, const char *alias)
{
    for (int at = 0; at < lister->pattern_count; at++) {
        const char *pattern = lister->patterns[at];
        if (is_any_kind_word(pattern)) {
            if (is_kind_word(pattern, lister->kind))
                return true;
        } else if (strpbrk(pattern, "*?[")) {
            if (fnmatch(pattern, name, 0) == 0 || (alias && fnmatch(pattern, alias, 0) == 0))
                return true;
        } else if (strstr(name, pattern) || (alias && strstr(alias, pattern))) {
            return true;
        }
    }
    return lister->pattern_count == 0;
}

/* A few microseconds of something to count. */
static void spin(void)
{
    for (volatile unsigned at = 0; at < 20000; at++)
        ;
}

static void verdict_of_counter(const struct lister *lister, struct counters *counters, char *verdict, size_t size)
{
    struct counter *counter = &counters->items[0];
    struct error reason;
    if (counter->refusal != REFUSAL_NONE) {
        counter_refusal_explain(counter, lister->context->root, &reason);
        snprintf(verdict, size, "%s", reason.message);
        return;
    }
    counters_enable(counters);
    spin();
    counters_disable(counters);
    counters_read(counters);
    bool ran = false;
    for (size_t cell = 0; cell < counter->cpu_count * counter->thread_count; cell++)
        ran |= counter->values[cell].running_ns > 0;
    snprintf(verdict, size, "%s", !ran                   ? "opens, but never gets a counter"
                                  : counter->user_only   ? "countable for user code only"
                                                         : "countable");
}

/* Open one event on ourselves; "countable", or why not. */
static void verdict_find(const struct lister *lister, const char *name, char *verdict, size_t size)
{
    struct arena arena = {0};
    struct event_list list = {0};
    struct counters counters = {.kernel = lister->context->kernel};
    struct target target;
    struct error err = {0};
    target_of_workload(&target, getpid(), &arena);
    struct counter_request request = {.events = &list, .target = &target};
    if (event_list_parse(&list, name, lister->context->root, &arena, &err) &&
        counters_open(&counters, &request, lister->context->kernel, lister->context->root, &arena, &err))
        verdict_of_counter(lister, &counters, verdict, size);
    else
        snprintf(verdict, size, "%s", err.message);
    counters_close(&counters);
    event_list_done(&list);
    arena_done(&arena);
}

static const char *verdict_for(struct lister *lister, const char *name)
{
    /* the kernel takes 36 ms to let go of each: few that were asked for are opened, else one speaks for all */
    bool one_for_all = lister->kind == LIST_TRACEPOINT &&
                       (lister->pattern_count == 0 || lister->tracepoints_tried >= TRACEPOINTS_TRIED_MOST);
    if (!lister->options.countable || lister->kind == LIST_RAW || lister->kind == LIST_PROBE)
        return NULL;
    lister->tracepoints_tried += lister->kind == LIST_TRACEPOINT;
    if (!one_for_all || !lister->kind_tried || lister->tracepoints_tried == TRACEPOINTS_TRIED_MOST + 1)
        verdict_find(lister, name, lister->kind_verdict, sizeof(lister->kind_verdict));
    if (one_for_all && (!lister->kind_tried || lister->tracepoints_tried == TRACEPOINTS_TRIED_MOST + 1)) {
        size_t used = strlen(lister->kind_verdict);
        snprintf(lister->kind_verdict + used, sizeof(lister->kind_verdict) - used, " (tried: %s)", name);
    }
    lister->kind_tried = true;
    return lister->kind_verdict;
}

static void show_json(struct lister *lister, const char *name, const char *alias, const char *verdict)
{
    json_object_open(&lister->json, NULL);
    json_string(&lister->json, "name", name);
    if (alias)
        json_string(&lister->json, "alias", alias);
    json_string(&lister->json, "kind", kinds[lister->kind].label);
    if (verdict) {
        bool countable = strncmp(verdict, "countable", 9) == 0;
        json_bool(&lister->json, "countable", countable);
        json_string(&lister->json, "verdict", verdict);
    }
    json_object_close(&lister->json);
}

static void show(struct lister *lister, const char *name, const char *alias)
{
    char both[256];
    if (!is_wanted(lister, name, alias))
        return;
    lister->shown++;
    const char *verdict = verdict_for(lister, name);
    if (lister->options.json) {
        show_json(lister, name, alias, verdict);
        return;
    }
    snprintf(both, sizeof(both), alias ? "%s OR %s" : "%s", name, alias);
    text_printf(&lister->out, "  %-50s [%s]%s%s\n", both, kinds[lister->kind].label, verdict ? "  " : "",
                verdict ? verdict : "");
}

static void visit_name(void *context, const char *name)
{
    show(context, name, NULL);
}

static void fixed_show(struct lister *lister, enum list_kind kind, uint32_t type)
{
    size_t count;
    const struct event_name *names = event_name_table(&count);
    lister->kind = kind;
    for (size_t at = 0; at < count; at++)
        if (names[at].type == type)
            show(lister, names[at].name, names[at].alias);
}

static void all_show(struct lister *lister)
{
    char name[64];
    uint64_t config;
    fixed_show(lister, LIST_HARDWARE, PERF_TYPE_HARDWARE);
    fixed_show(lister, LIST_SOFTWARE, PERF_TYPE_SOFTWARE);
    lister->kind = LIST_CACHE;
    for (size_t at = 0; event_cache_name(at, name, sizeof(name), &config); at++)
        show(lister, name, NULL);
    lister->kind = LIST_PMU;
    event_pmu_alias_each(lister->context->root, visit_name, lister);
    for (size_t at = 0; at < array_count(syntaxes); at++) {
        lister->kind = syntaxes[at].kind;
        show(lister, syntaxes[at].name, NULL);
    }
    lister->kind = LIST_TRACEPOINT;
    lister->kind_tried = false;
    event_tracepoint_each(lister->context->root, visit_name, lister);
}

/* Nothing matched: say so, with what is near. */
static bool nothing_shown(struct lister *lister, struct error *err)
{
    char names[300];
    const char *word = lister->patterns[0];
    event_nearest(word, lister->context->root, names, sizeof(names));
    lister->context->exit_code = EXIT_CODE_USAGE;
    error_set(err, ERROR_NOT_FOUND, "no event matches '%s'", word);
    return error_hint(err, names[0] ? "did you mean %s?" : "plumb list shows all%s", names);
}

/* Tracepoints are missing from the list for a reason. */
static void tracepoints_note(struct lister *lister)
{
    const struct sysroot *root = lister->context->root;
    if (lister->pattern_count == 0 && !sysroot_tracefs(root))
        fprintf(lister->context->talk, "plumb list: no tracepoints: tracefs is not mounted, or not readable by you (as "
                                       "root: mount -t tracefs nodev /sys/kernel/tracing)\n");
}

static bool list_run(struct context *context, int argc, char **argv, struct error *err)
{
    struct lister lister = {.context = context};
    int first = 0;
    if (!options_parse(option_rows, OPTIONS_ANYWHERE, argc, argv, &lister.options, &first, err))
        return false;
    lister.patterns = argv + first;
    lister.pattern_count = argc - first;
    if (lister.options.json) {
        json_begin(&lister.json, &lister.out);
        json_array_open(&lister.json, NULL);
    }
    all_show(&lister);
    if (lister.options.json)
        json_array_close(&lister.json);
    bool good = lister.shown > 0 || lister.pattern_count == 0 || nothing_shown(&lister, err);
    if (good && !text_write_file(&lister.out, context->out))
        good = error_set(err, ERROR_SYSTEM, "can't write the list");
    tracepoints_note(&lister);
    text_done(&lister.out);
    return good;
}

const struct command command_list = {
    .name = "list",
    .summary = "events that can be counted or sampled here",
    .usage = "plumb list [options] [hw|sw|cache|pmu|raw|probe|tracepoint|GLOB|PART]...",
    .options = option_rows,
    .run = list_run,
};
