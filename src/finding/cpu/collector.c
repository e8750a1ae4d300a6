/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does its time go into finding memory that nobody uses any more? By the names of collectors' functions, by
 * who calls those without a name, and by the names of the threads in which they run: a library without names still
 * names its threads.
 */
#include "finding/cpu/collector.h"

#include "base/vec.h"
#include "finding/called.h"
#include "finding/cpu/collector_names.h"
#include "system/activity/activity.h"

#include <string.h>

/* Threads that do nothing else; the kernel keeps 15 letters of a name. */
static const struct {
    const char *prefix;
    enum collector collector;
} thread_names[] = {
    {"GC Thread#", COLLECTOR_JAVA},    {"GC task thread#", COLLECTOR_JAVA}, {"Gang worker#", COLLECTOR_JAVA},
    {"G1 Conc#", COLLECTOR_JAVA},      {"G1 Refine#", COLLECTOR_JAVA},      {"G1 Main Marker", COLLECTOR_JAVA},
    {"ZWorker", COLLECTOR_JAVA},       {"ZDriver", COLLECTOR_JAVA},         {"XWorker", COLLECTOR_JAVA},
    {"Shenandoah GC", COLLECTOR_JAVA}, {"ParGC Thread#", COLLECTOR_JAVA},   {".NET Server GC", COLLECTOR_DOTNET},
    {".NET BGC", COLLECTOR_DOTNET},    {"GC-marker-", COLLECTOR_BOEHM},
};

struct collecting_threads {
    double share;     /* of all threads' CPU time */
    const char *name; /* the busiest; NULL: there are none */
    enum collector collector;
    uint32_t count;
};

static struct collecting_threads collecting_threads_of(const struct activity *activity)
{
    struct collecting_threads found = {.name = NULL};
    double all_s = 0, own_s = 0;
    for (uint32_t at = 0; activity && activity->threads && at < activity->thread_count; at++) {
        const struct activity_thread *thread = &activity->threads[at];
        double cpu_s = thread->user_s + thread->system_s;
        all_s += cpu_s;
        for (size_t name = 0; name < array_count(thread_names); name++) {
            if (strncmp(thread->comm, thread_names[name].prefix, strlen(thread_names[name].prefix)) != 0)
                continue;
            own_s += cpu_s;
            found.collector = found.name ? found.collector : thread_names[name].collector;
            found.name = found.name ? found.name : thread->comm;
            found.count++;
            break;
        }
    }
    found.share = all_s > 0 ? own_s / all_s : 0;
    return found;
}

struct collected {
    struct name_matches matches;
    enum collector collector;          /* of the hottest */
    const struct stall_caller *caller; /* that made the hottest one count; NULL: it counts by its own name */
};

/* Of these callers the stacks that belong to a collector for certain. */
static uint64_t stacks_collecting(const struct stalls *stalls, const struct stall_caller *callers, uint32_t count,
                                  struct collected *found)
{
    uint64_t stacks = 0;
    for (uint32_t at = 0; at < count; at++) {
        const struct stall_function caller = {.name = callers[at].name, .dso = callers[at].dso};
        enum collector collector;
        bool is_guess;
        if (!collector_of(stalls, &caller, &collector, &is_guess) || is_guess)
            continue;
        found->collector = found->caller ? found->collector : collector;
        found->caller = found->caller ? found->caller : &callers[at];
        stacks += callers[at].stacks;
    }
    return stacks;
}

/* A function without a name does for a collector what the collector's own call it for, as far as stacks were copied. */
static uint64_t samples_called(const struct stalls *stalls, const struct stall_function *function,
                               struct collected *found)
{
    enum { STACKS_LEAST = 5 };
    if (function->stacks < STACKS_LEAST || !function_is_nameless(function))
        return 0;
    uint64_t stacks = stacks_collecting(stalls, function->callers, function->caller_count, found);
    if (!stacks)
        stacks = stacks_collecting(stalls, function->owners, function->owner_count, found);
    stacks = stacks < function->stacks ? stacks : function->stacks;
    return (uint64_t)((double)function->samples * (double)stacks / (double)function->stacks);
}

bool function_collects(const struct stalls *stalls, const struct stall_function *function)
{
    struct collected one = {.collector = COLLECTOR_OTHER};
    bool is_guess = false;
    if (function->is_kernel)
        return false;
    if (collector_of(stalls, function, &one.collector, &is_guess))
        return !is_guess;
    return samples_called(stalls, function, &one) * 2 >= function->samples && function->samples;
}

static void take_hottest(struct collected *all, const struct collected *one, const struct stall_function *function,
                         bool is_guess)
{
    const struct stall_function **hottest = is_guess ? &all->matches.hottest_guessed : &all->matches.hottest;
    bool leads = !*hottest && (!is_guess || !all->matches.hottest);
    *hottest = *hottest ? *hottest : function;
    if (!leads)
        return;
    all->collector = one->collector;
    all->caller = one->caller;
}

static struct collected collected_of(const struct stalls *stalls)
{
    struct collected all = {.collector = COLLECTOR_OTHER};
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        struct collected one = {.collector = COLLECTOR_OTHER};
        bool is_guess = false, named = collector_of(stalls, function, &one.collector, &is_guess);
        uint64_t samples = named ? function->samples : function->is_kernel ? 0 : samples_called(stalls, function, &one);
        if (!samples)
            continue;
        *(is_guess ? &all.matches.guessed : &all.matches.samples) += samples;
        take_hottest(&all, &one, function, is_guess);
    }
    return all;
}

/* The collector that most copied stacks lie in; COLLECTOR_COUNT: none does. */
static enum collector collector_called(const struct results *results)
{
    enum collector most = COLLECTOR_COUNT;
    for (enum collector at = 0; at < COLLECTOR_COUNT; at++)
        if (samples_called_of(results, CALLED_COLLECTING + at, false) >
            (most < COLLECTOR_COUNT ? samples_called_of(results, CALLED_COLLECTING + most, false) : 0))
            most = at;
    return most;
}

/*
 * A collector's functions without names are hot, and those with one call them, some frames away: what it has with all
 * that it calls is more than what its names hold. False: copied stacks say no more than names.
 */
static bool decide_by_calls(const struct results *results, struct finding *finding, const struct collected *collected,
                            enum collector called)
{
    static const double MORE = 1.2;
    if (called == COLLECTOR_COUNT ||
        samples_called_of(results, CALLED_COLLECTING + called, false) < MORE * (double)collected->matches.samples)
        return false;
    struct interval share = share_called_of(results, finding, CALLED_COLLECTING + called);
    const struct call_class *class = &results->called->items[CALLED_COLLECTING + called];
    if (!share.known || share.low < results->effect)
        return false;
    finding->evidence_count = finding->advice_count = 0;
    finding->reason = finding->remedy = NULL;
    finding->shown = share;
    finding_decide_fact(finding, share, results->effect);
    finding->subject = class->entry;
    struct value values[] = {VALUE_TEXT("function", class->entry), VALUE_TEXT("dso", class->entry_dso),
                             VALUE_SHARE("share", share)};
    finding_evidence_add(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "called-for", values, array_count(values));
    finding_set_add(finding, &finding->headline, "headline-called", values, array_count(values));
    finding_set(finding, reason, "gain", NO_VALUES);
    return true;
}

/* What its threads tell, where its functions have no names or show less. */
static bool decide_by_threads(const struct results *results, struct finding *finding,
                              const struct collecting_threads *threads)
{
    struct interval share = share_of_run(results, finding, interval_exactly(threads->share));
    if (!share.known || share.low < results->effect ||
        (finding->verdict == VERDICT_SUPPORTED && finding->recoverable.high >= share.high))
        return false;
    finding->evidence_count = finding->advice_count = 0;
    finding->reason = finding->remedy = NULL;
    finding_decide_fact(finding, share, results->effect);
    finding->is_estimate = false;
    finding->subject = threads->name;
    struct value values[] = {VALUE_TEXT("thread", threads->name), VALUE_COUNT("count", threads->count),
                             VALUE_SHARE("share", share)};
    finding_evidence_add(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "threads", values, array_count(values));
    finding_set_add(finding, &finding->headline, "headline-threads", values, array_count(values));
    finding_set(finding, reason, "gain", NO_VALUES);
    return true;
}

static uint64_t stacks_ending(const struct stall_caller *callers, uint32_t count)
{
    uint64_t stacks = 0;
    for (uint32_t at = 0; at < count; at++)
        stacks += strncmp(callers[at].name, "Py_Finalize", strlen("Py_Finalize")) == 0 ? callers[at].stacks : 0;
    return stacks;
}

/* What Python collects as it ends, as far as copied stacks show who it is done for; 0: none, or they show nothing. */
static double samples_ending(const struct stalls *stalls)
{
    double samples = 0;
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        uint64_t stacks = stacks_ending(function->callers, function->caller_count) +
                          stacks_ending(function->owners, function->owner_count);
        if (!stacks || !function->stacks || !function_collects(stalls, function))
            continue;
        stacks = stacks < function->stacks ? stacks : function->stacks;
        samples += (double)function->samples * (double)stacks / (double)function->stacks;
    }
    return samples;
}

/* What gc.disable() doesn't stop is no part of what it may return. */
static void leave_out_ending(const struct results *results, struct finding *finding)
{
    struct interval ending = share_of_samples(results, finding, samples_ending(results->stalls)),
                    all = finding->shown.known ? finding->shown : finding->recoverable;
    if (!ending.known || ending.low < results->effect)
        return;
    struct value of = VALUE_TEXT("of", denominator_name(finding->of));
    struct interval rest = interval_exactly(all.high > ending.low ? all.high - ending.low : 0);
    finding_advise(finding, "advice-python-ends", VALUE_SHARE("ending", ending), of);
    finding_set(finding, confirm, "confirm-python-ends", VALUE_SHARE("rest", rest), of);
}

/* Runtimes that collect by functions whose names and texts nobody here knows: what they have may be that. */
static const struct untold_collector {
    struct name_pattern of;
    const char *advice;
} untold_collectors[] = {
    {{.dso = "libpolyml"}, "advice-poly"},  {{.dso = "run.x86-linux"}, "advice-smlnj"},
    {{.dso = "iconx"}, "advice-icon"},      {{.dso = "run.amd64-linux"}, "advice-smlnj"},
    {{.dso = "emacs"}, "advice-emacs"},     {{.dso = "emacs-gtk"}, "advice-emacs"},
    {{.dso = "emacs-nox"}, "advice-emacs"}, {{.dso = "emacs-lucid"}, "advice-emacs"},
};

/* Of these nothing is known to be collecting, and nothing not to be: then it is open. */
static void collector_leave_open(const struct results *results, struct finding *finding)
{
    for (size_t at = 0; at < array_count(untold_collectors); at++) {
        struct name_matches runtime = functions_named(results->stalls, &untold_collectors[at].of, 1);
        double with_kernel = (double)(runtime.samples + results->stalls->kernel_samples); /* new pages are its, too */
        struct interval share = share_of_samples(results, finding, with_kernel);
        if (!runtime.samples || !share.known || share.high < results->effect)
            continue;
        finding_decide_bound(finding, share.high, results->effect);
        finding_reason_bound(finding, "untold", share);
        finding_readvise(finding, untold_collectors[at].advice, NO_VALUES);
        finding_set(finding, confirm, "confirm-untold", NO_VALUES);
        return;
    }
}

static void garbage_collection_test(const struct results *results, struct finding *finding)
{
    struct collected collected = collected_of(results->stalls);
    test_name_matches(results, finding, &collected.matches);
    struct collecting_threads threads = collecting_threads_of(results->activity);
    enum collector called = collector_called(results);
    bool by_calls = decide_by_calls(results, finding, &collected, called);
    bool by_threads = threads.name && decide_by_threads(results, finding, &threads);
    if (finding->verdict == VERDICT_RULED_OUT || finding->verdict == VERDICT_NOT_TESTABLE) {
        collector_leave_open(results, finding);
        return;
    }
    if (!by_threads && !by_calls && collected.caller)
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, "called",
                         VALUE_TEXT("function", collected.matches.hottest->name),
                         VALUE_TEXT("caller", collected.caller->name));
    enum collector collector = by_threads ? threads.collector : by_calls ? called : collected.collector;
    struct value command = VALUE_TEXT("command", results->command ? results->command : "CMD");
    finding->advice_count = 0;
    finding_advise(finding, collector_advice(collector), NO_VALUES);
    finding_advise(finding, "advice-less", NO_VALUES);
    finding_set(finding, confirm, collector_confirm(collector), command);
    if (collector == COLLECTOR_PYTHON)
        leave_out_ending(results, finding);
}

static bool is_collecting(const struct stall_function *function)
{
    static const struct stalls no_others;
    enum collector collector;
    bool is_guess;
    return collector_of(&no_others, function, &collector, &is_guess) && !is_guess;
}

static const char *advice_of(const struct stall_function *hottest)
{
    static const struct stalls no_others;
    enum collector collector = COLLECTOR_OTHER;
    bool is_guess;
    (void)collector_of(&no_others, hottest, &collector, &is_guess);
    return collector_advice(collector);
}

const struct hypothesis hypothesis_garbage_collection = {
    .id = "garbage-collection",
    .family = "library",
    .title = "garbage collection",
    .rule =
        "a fact when functions of known collectors, by name, what they call that has none, or threads that do nothing "
        "else hold the effect; ruled out when less could be such",
    .gain = "0 to that share: a larger heap is collected less often, and what stays alive costs each time",
    .overturn = "twice the heap (GOGC=200, -Xmx doubled): its share must fall by about half",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_ACTIVITY),
    .test = garbage_collection_test,
    .has_function = is_collecting,
    .advice_for = advice_of,
};
