/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does its time go into finding memory that nobody uses any more? By the names of collectors' functions, and of the
 * threads in which they run: a library without names still names its threads.
 */
#include "finding/cpu/collector.h"

#include "base/vec.h"
#include "finding/family.h"
#include "system/activity/activity.h"

#include <string.h>

#define GO_COLLECTOR                                                                                                   \
    {.prefix = "runtime.gc"}, {.name = "runtime.scanobject"}, {.name = "runtime.scanblock"},                           \
        {.name = "runtime.scanstack"}, {.name = "runtime.scanframeworker"}, {.name = "runtime.greyobject"},            \
        {.name = "runtime.findObject"}, {.prefix = "runtime.markroot"}, {.name = "runtime.wbBufFlush"},                \
        {.name = "runtime.wbBufFlush1"}, {.name = "runtime.bgsweep"}, {.name = "runtime.sweepone"},                    \
        {.prefix = "runtime.(*sweepLocked)"}, {.prefix = "runtime.(*gcWork)"}, {.prefix = "runtime.(*lfstack)"},       \
        {.prefix = "runtime.typePointers"}, {.name = "runtime.scanSpan"},                                              \
    {                                                                                                                  \
        .name = "runtime.bulkBarrierPreWrite"                                                                          \
    }
#define JAVA_COLLECTOR                                                                                                 \
    {.prefix = "G1ParScanThreadState"}, {.prefix = "G1ScanEvacuated"}, {.prefix = "G1CMTask"}, {.prefix = "G1CM"},     \
        {.prefix = "G1RemSet"}, {.prefix = "G1ParEvacuate"}, {.prefix = "G1Full"}, {.prefix = "PSPromotionManager"},   \
        {.prefix = "PSParallelCompact"}, {.prefix = "ParCompactionManager"}, {.prefix = "PSScavenge"},                 \
        {.prefix = "DefNewGeneration"}, {.prefix = "MarkSweep::"}, {.prefix = "SerialFullGC"},                         \
        {.prefix = "FastScanClosure"}, {.prefix = "ZMark"}, {.prefix = "ZRelocate"}, {.prefix = "ZBarrier"},           \
        {.prefix = "ShenandoahConcurrentMark"}, {.prefix = "ShenandoahHeap::evacuate"}, {.prefix = "ShenandoahMark"},  \
    {                                                                                                                  \
        .word = "StealTask"                                                                                            \
    }
#define V8_COLLECTOR                                                                                                   \
    {.word = "MarkCompactCollector"}, {.word = "MinorMarkSweepCollector"}, {.word = "Scavenger"},                      \
        {.word = "ScavengerCollector"}, {.word = "ScavengeVisitor"}, {.word = "ScavengingTask"},                       \
        {.word = "MarkingVisitorBase"}, {.word = "MainMarkingVisitor"}, {.word = "ConcurrentMarkingVisitor"},          \
        {.word = "ConcurrentMarking"}, {.word = "IncrementalMarking"}, {.word = "YoungGenerationMarkingVisitor"},      \
        {.word = "EvacuateVisitorBase"}, {.word = "EvacuateNewSpaceVisitor"}, {.word = "PointersUpdatingVisitor"},     \
        {.prefix = "v8::internal::Sweeper"},                                                                           \
    {                                                                                                                  \
        .word = "cppgc"                                                                                                \
    }
#define DOTNET_COLLECTOR                                                                                               \
    {.prefix = "WKS::gc_heap"}, {.prefix = "SVR::gc_heap"},                                                            \
    {                                                                                                                  \
        .prefix = "sgen_"                                                                                              \
    }
#define LISP_COLLECTOR                                                                                                 \
    {.name = "collect_garbage"}, {.name = "heap_scavenge"}, {.name = "garbage_collect_generation"},                    \
        {.prefix = "scav", .dso = "sbcl"}, {.prefix = "trans_", .dso = "sbcl"}, {.prefix = "gc_", .dso = "sbcl"},      \
        {.prefix = "copy_", .dso = "sbcl"},                                                                            \
    {                                                                                                                  \
        .prefix = "pin_", .dso = "sbcl"                                                                                \
    }
#define BOEHM_COLLECTOR                                                                                                \
    {.prefix = "GC_mark"}, {.prefix = "GC_push"}, {.prefix = "GC_reclaim"}, {.prefix = "GC_stopped_mark"},             \
        {.prefix = "GC_find_header"}, {.prefix = "GC_header_cache_miss"}, {.prefix = "GC_apply_to_all_blocks"},        \
        {.prefix = "GC_finish_collection"},                                                                            \
    {                                                                                                                  \
        .dso = "libgc", .is_guess = true                                                                               \
    }
#define OCAML_COLLECTOR                                                                                                \
    {.prefix = "caml_oldify"}, {.prefix = "caml_empty_minor_heap"}, {.prefix = "caml_major_collection_slice"},         \
        {.prefix = "caml_darken"}, {.name = "mark_slice"}, {.name = "mark_slice_darken"}, {.name = "sweep_slice"},     \
        {.name = "oldify_one"}, {.name = "oldify_mopup"},                                                              \
    {                                                                                                                  \
        .name = "do_some_marking"                                                                                      \
    }
#define HASKELL_COLLECTOR                                                                                              \
    {.name = "scavenge_block"}, {.name = "scavenge_block1"}, {.name = "scavenge_loop"}, {.name = "scavenge_loop1"},    \
        {.name = "GarbageCollect"},                                                                                    \
    {                                                                                                                  \
        .name = "scavenge_until_all_done"                                                                              \
    }
#define RUBY_COLLECTOR                                                                                                 \
    {.prefix = "gc_mark", .dso = "libruby"}, {.prefix = "gc_sweep", .dso = "libruby"},                                 \
        {.prefix = "rgengc_", .dso = "libruby"}, {.prefix = "gc_mark", .dso = "ruby"},                                 \
        {.prefix = "gc_sweep", .dso = "ruby"},                                                                         \
    {                                                                                                                  \
        .prefix = "rgengc_", .dso = "ruby"                                                                             \
    }
#define OTHER_COLLECTORS                                                                                               \
    {.prefix = "luaC_"}, {.name = "propagatemark"}, {.name = "reallymarkobject"}, {.name = "sweeplist"},               \
        {.prefix = "lj_gc_"}, {.prefix = "zend_gc_"}, {.name = "gc_mark_grey", .dso = "php"},                          \
        {.name = "process_mark_stack", .dso = "emacs"}, {.prefix = "RunGenCollect"},                                   \
    {                                                                                                                  \
        .name = "R_gc_internal"                                                                                        \
    }

static const struct name_pattern go_names[] = {GO_COLLECTOR}, java_names[] = {JAVA_COLLECTOR},
                                 v8_names[] = {V8_COLLECTOR}, dotnet_names[] = {DOTNET_COLLECTOR},
                                 python_names[] = {PYTHON_COLLECTOR}, lisp_names[] = {LISP_COLLECTOR},
                                 boehm_names[] = {BOEHM_COLLECTOR}, ocaml_names[] = {OCAML_COLLECTOR},
                                 haskell_names[] = {HASKELL_COLLECTOR}, ruby_names[] = {RUBY_COLLECTOR};
static const struct name_pattern all_names[] = {GO_COLLECTOR,      JAVA_COLLECTOR, V8_COLLECTOR,    DOTNET_COLLECTOR,
                                                PYTHON_COLLECTOR,  LISP_COLLECTOR, BOEHM_COLLECTOR, OCAML_COLLECTOR,
                                                HASKELL_COLLECTOR, RUBY_COLLECTOR, OTHER_COLLECTORS};

enum runtime {
    RUNTIME_GO,
    RUNTIME_JAVA,
    RUNTIME_V8,
    RUNTIME_DOTNET,
    RUNTIME_PYTHON,
    RUNTIME_LISP,
    RUNTIME_BOEHM,
    RUNTIME_OCAML,
    RUNTIME_HASKELL,
    RUNTIME_RUBY,
    RUNTIME_OTHER
};

static const struct {
    const struct name_pattern *names;
    size_t count;
    const char *advice, *confirm;
} runtimes[] = {
    [RUNTIME_GO] = {go_names, array_count(go_names), "advice-go", "confirm-go"},
    [RUNTIME_JAVA] = {java_names, array_count(java_names), "advice-java", "confirm-java"},
    [RUNTIME_V8] = {v8_names, array_count(v8_names), "advice-v8", "confirm-v8"},
    [RUNTIME_DOTNET] = {dotnet_names, array_count(dotnet_names), "advice-dotnet", "confirm-dotnet"},
    [RUNTIME_PYTHON] = {python_names, array_count(python_names), "advice-python", "confirm-python"},
    [RUNTIME_LISP] = {lisp_names, array_count(lisp_names), "advice-lisp", "confirm-lisp"},
    [RUNTIME_BOEHM] = {boehm_names, array_count(boehm_names), "advice-boehm", "confirm-boehm"},
    [RUNTIME_OCAML] = {ocaml_names, array_count(ocaml_names), "advice-ocaml", "confirm-ocaml"},
    [RUNTIME_HASKELL] = {haskell_names, array_count(haskell_names), "advice-haskell", "confirm-haskell"},
    [RUNTIME_RUBY] = {ruby_names, array_count(ruby_names), "advice-ruby", "confirm-ruby"},
    [RUNTIME_OTHER] = {NULL, 0, "advice", "confirm"},
};

/* Threads that do nothing else; the kernel keeps 15 letters of a name. */
static const struct {
    const char *prefix;
    enum runtime runtime;
} thread_names[] = {
    {"GC Thread#", RUNTIME_JAVA},    {"GC task thread#", RUNTIME_JAVA}, {"Gang worker#", RUNTIME_JAVA},
    {"G1 Conc#", RUNTIME_JAVA},      {"G1 Refine#", RUNTIME_JAVA},      {"G1 Main Marker", RUNTIME_JAVA},
    {"ZWorker", RUNTIME_JAVA},       {"ZDriver", RUNTIME_JAVA},         {"XWorker", RUNTIME_JAVA},
    {"Shenandoah GC", RUNTIME_JAVA}, {"ParGC Thread#", RUNTIME_JAVA},   {".NET Server GC", RUNTIME_DOTNET},
    {".NET BGC", RUNTIME_DOTNET},    {"GC-marker-", RUNTIME_BOEHM},
};

struct collecting_threads {
    double share;     /* of all threads' CPU time */
    const char *name; /* the busiest; NULL: there are none */
    enum runtime runtime;
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
            found.runtime = found.name ? found.runtime : thread_names[name].runtime;
            found.name = found.name ? found.name : thread->comm;
            found.count++;
            break;
        }
    }
    found.share = all_s > 0 ? own_s / all_s : 0;
    return found;
}

static enum runtime runtime_of(const struct stall_function *function)
{
    for (size_t at = 0; at < array_count(runtimes) && function; at++)
        for (size_t name = 0; name < runtimes[at].count; name++)
            if (function_has_name(function, &runtimes[at].names[name]))
                return (enum runtime)at;
    return RUNTIME_OTHER;
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

static void garbage_collection_test(const struct results *results, struct finding *finding)
{
    test_function_names(results, finding, all_names, array_count(all_names));
    struct collecting_threads threads = collecting_threads_of(results->activity);
    bool by_threads = threads.name && decide_by_threads(results, finding, &threads);
    if (finding->verdict == VERDICT_RULED_OUT || finding->verdict == VERDICT_NOT_TESTABLE)
        return;
    struct name_matches matches = functions_named(results->stalls, all_names, array_count(all_names));
    enum runtime runtime =
        by_threads ? threads.runtime : runtime_of(matches.hottest ? matches.hottest : matches.hottest_guessed);
    struct value command = VALUE_TEXT("command", results->command ? results->command : "CMD");
    finding->advice_count = 0;
    finding_advise(finding, runtimes[runtime].advice, NO_VALUES);
    finding_advise(finding, "advice-less", NO_VALUES);
    finding_set(finding, confirm, runtimes[runtime].confirm, command);
}

const struct hypothesis hypothesis_garbage_collection = {
    .id = "garbage-collection",
    .family = "library",
    .title = "garbage collection",
    .rule =
        "a fact when functions of known collectors, by name, or threads that do nothing else hold the effect; ruled "
        "out when less could be such",
    .gain = "0 to that share: a larger heap is collected less often, and what stays alive costs each time",
    .overturn = "twice the heap (GOGC=200, -Xmx doubled): its share must fall by about half",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_ACTIVITY),
    .test = garbage_collection_test,
};
