/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/cpu/collector_names.h"

#include "base/vec.h"
#include "finding/cpu/collector.h"

#include <string.h>

/* A guess counts where its binary has functions that nobody else would call so. */
static const struct name_pattern go_names[] = {
    {.prefix = "runtime.gc"},
    {.name = "runtime.scanobject"},
    {.name = "runtime.scanblock"},
    {.name = "runtime.scanstack"},
    {.name = "runtime.scanframeworker"},
    {.name = "runtime.greyobject"},
    {.name = "runtime.findObject"},
    {.prefix = "runtime.markroot"},
    {.name = "runtime.wbBufFlush"},
    {.name = "runtime.wbBufFlush1"},
    {.name = "runtime.bgsweep"},
    {.name = "runtime.sweepone"},
    {.prefix = "runtime.(*sweepLocked)"},
    {.prefix = "runtime.(*gcWork)"},
    {.prefix = "runtime.(*lfstack)"},
    {.prefix = "runtime.typePointers"},
    {.name = "runtime.scanSpan"},
    {.name = "runtime.bulkBarrierPreWrite"},
};

static const struct name_pattern java_names[] = {
    {.prefix = "G1ParScanThreadState"},
    {.prefix = "G1ScanEvacuated"},
    {.prefix = "G1CMTask"},
    {.prefix = "G1CM"},
    {.prefix = "G1RemSet"},
    {.prefix = "G1ParEvacuate"},
    {.prefix = "G1Full"},
    {.prefix = "PSPromotionManager"},
    {.prefix = "PSParallelCompact"},
    {.prefix = "ParCompactionManager"},
    {.prefix = "PSScavenge"},
    {.prefix = "DefNewGeneration"},
    {.prefix = "MarkSweep::"},
    {.prefix = "SerialFullGC"},
    {.prefix = "FastScanClosure"},
    {.prefix = "ZMark"},
    {.prefix = "ZRelocate"},
    {.prefix = "ZBarrier"},
    {.prefix = "ShenandoahConcurrentMark"},
    {.prefix = "ShenandoahHeap::evacuate"},
    {.prefix = "ShenandoahMark"},
    {.word = "StealTask"},
};

static const struct name_pattern v8_names[] = {
    {.word = "MarkCompactCollector"},
    {.word = "MinorMarkSweepCollector"},
    {.word = "Scavenger"},
    {.word = "ScavengerCollector"},
    {.word = "ScavengeVisitor"},
    {.word = "ScavengingTask"},
    {.word = "MarkingVisitorBase"},
    {.word = "MainMarkingVisitor"},
    {.word = "ConcurrentMarkingVisitor"},
    {.word = "ConcurrentMarking"},
    {.word = "IncrementalMarking"},
    {.word = "YoungGenerationMarkingVisitor"},
    {.word = "EvacuateVisitorBase"},
    {.word = "EvacuateNewSpaceVisitor"},
    {.word = "PointersUpdatingVisitor"},
    {.prefix = "v8::internal::Sweeper"},
    {.word = "cppgc"},
};

static const struct name_pattern python_names[] = {PYTHON_COLLECTOR};

static const struct name_pattern dotnet_names[] = {
    {.prefix = "WKS::gc_heap"},
    {.prefix = "SVR::gc_heap"},
};

static const struct name_pattern mono_names[] = {
    {.prefix = "sgen_"},
    {.prefix = "drain_gray_stack"},
    {.prefix = "simple_nursery_serial"},
    {.prefix = "simple_par_nursery"},
    {.prefix = "major_copy_or_mark_object"},
    {.prefix = "major_scan_object"},
};

static const struct name_pattern lisp_names[] = {
    {.name = "collect_garbage"},        {.name = "heap_scavenge"},           {.name = "garbage_collect_generation"},
    {.prefix = "scav", .dso = "sbcl"},  {.prefix = "trans_", .dso = "sbcl"}, {.prefix = "gc_", .dso = "sbcl"},
    {.prefix = "copy_", .dso = "sbcl"}, {.prefix = "pin_", .dso = "sbcl"},
};

/* Its names are stripped but for what its modules call. */
static const struct name_pattern clisp_names[] = {
    {.name = "with_gc_statistics"},
    {.prefix = "gar_col"},
    {.tells = "spvw_garcol."},
};

static const struct name_pattern boehm_names[] = {
    {.prefix = "GC_mark"},
    {.prefix = "GC_push"},
    {.prefix = "GC_reclaim"},
    {.prefix = "GC_stopped_mark"},
    {.prefix = "GC_find_header"},
    {.prefix = "GC_header_cache_miss"},
    {.prefix = "GC_apply_to_all_blocks"},
    {.prefix = "GC_finish_collection"},
    {.prefix = "GC_add_to_black_list"},
    {.name = "GC_continue_reclaim"},
    {.prefix = "GC_try_to_collect"},
    {.name = "GC_collect_a_little_inner"},
    {.name = "GC_do_local_mark"},
    {.prefix = "GC_steal_mark_stack"},
    {.dso = "libgc", .is_guess = true},
};

static const struct name_pattern ocaml_names[] = {
    {.prefix = "caml_oldify"},
    {.prefix = "caml_empty_minor_heap"},
    {.prefix = "caml_major_collection_slice"},
    {.prefix = "caml_darken"},
    {.name = "mark_slice"},
    {.name = "mark_slice_darken"},
    {.name = "sweep_slice"},
    {.name = "oldify_one"},
    {.name = "oldify_mopup"},
    {.name = "do_some_marking"},
    {.prefix = "caml_major_slice"},
    {.prefix = "caml_minor_collection"},
    {.prefix = "caml_major_collection"},
    {.prefix = "caml_compact_heap"},
    {.name = "ephe_mark"},
    {.name = "mark_stack_prune"},
    {.prefix = "major_collection_slice"},
    {.name = "pool_sweep"},
};

static const struct name_pattern haskell_names[] = {
    {.name = "scavenge_block"},
    {.name = "scavenge_block1"},
    {.name = "scavenge_loop"},
    {.name = "scavenge_loop1"},
    {.name = "GarbageCollect"},
    {.name = "scavenge_until_all_done"},
    {.prefix = "scavenge_capability_mut"},
    {.prefix = "scavenge_mutable_list"},
    {.name = "scavenge_static"},
    {.name = "scavenge_mark_stack"},
    {.name = "scavenge_thunk_srt"},
    {.name = "scavenge_fun_srt"},
    {.prefix = "scavenge_large_srt"},
    {.prefix = "scavenge_PAP"},
    {.name = "scavenge_large_bitmap"},
    {.name = "scavenge_large"},
    {.name = "evacuate_BLACKHOLE"},
    {.name = "eval_thunk_selector"},
    {.name = "unchain_thunk_selectors"},
    {.name = "alloc_for_copy"},
    {.name = "gcWorkerThread"},
    {.name = "nonmovingMark"},
    {.prefix = "nonmovingSweep"},
    {.tells = "evacuate: strange closure"},
    {.tells = "evacuate(static): strange"},
    {.tells = "evacuate: stack frame at"},
    {.tells = "scavenge: unimplemented/strange"},
    {.tells = "scavenge_mark_stack:"},
    {.tells = "scavenge_one: strange object"},
    {.tells = "scavenge_stack: weird"},
    {.tells = "scavenge_static: strange"},
    {.tells = "eval_thunk_selector: strange"},
    {.name = "evacuate", .is_guess = true},
    {.name = "evacuate1", .is_guess = true},
    {.name = "copy_tag", .is_guess = true},
    {.prefix = "scavenge_", .is_guess = true},
};

static const struct name_pattern chez_names[] = {
    {.prefix = "S_gc_"},
    {.name = "S_do_gc"},
    {.name = "S_gc"},
    {.tells = "copy: illegal typed object"},
    {.tells = "sweep: illegal t"},
    {.tells = "sweep-in-old: illegal t"},
    {.tells = "mark: illegal typed object"},
    {.tells = "sweep_dirty(gc)"},
    {.tells = "record_dirty(gc)"},
    {.tells = "sweep_stack(gc)"},
    {.prefix = "sweep", .dso = "scheme"},
    {.prefix = "sweep", .dso = "petite"},
    {.prefix = "sweep", .dso = "racket"},
};

static const struct name_pattern ruby_names[] = {
    {.prefix = "rgengc_", .dso = "libruby"},
    {.prefix = "rgengc_", .dso = "ruby"},
    {.prefix = "rb_gc_mark"},
    {.prefix = "gc_", .dso = "libruby"},
    {.prefix = "gc_", .dso = "ruby"},
    {.tells = "rb_gc_mark", .dso = "libruby"},
    {.tells = "rb_gc_mark", .dso = "ruby"},
    {.tells = "during_gc != 0", .dso = "libruby"},
    {.tells = "during_gc != 0", .dso = "ruby"},
    {.tells = "T_MOVED shouldn't be seen", .dso = "libruby"},
    {.tells = "T_MOVED shouldn't be seen", .dso = "ruby"},
};

static const struct name_pattern lua_names[] = {
    {.prefix = "luaC_"},
    {.name = "propagatemark"},
    {.name = "reallymarkobject"},
    {.name = "sweeplist"},
    {.prefix = "lj_gc_"},
    {.prefix = "gc_", .dso = "luajit"},
    {.prefix = "gc_", .dso = "libluajit"},
    {.prefix = "traverse", .is_guess = true},
    {.name = "sweepstep", .is_guess = true},
    {.name = "singlestep", .is_guess = true},
};

static const struct name_pattern php_names[] = {
    {.prefix = "zend_gc_"},          {.prefix = "gc_mark_grey"},         {.prefix = "gc_collect_white"},
    {.prefix = "gc_", .dso = "php"}, {.prefix = "gc_", .dso = "libphp"},
};

static const struct name_pattern r_names[] = {
    {.prefix = "RunGenCollect"},
    {.name = "R_gc_internal"},
    {.name = "AgeNodeAndChildren"},
};

static const struct name_pattern julia_names[] = {
    {.prefix = "jl_gc_collect"},
    {.prefix = "ijl_gc_collect"},
    {.prefix = "_jl_gc_collect"},
    {.prefix = "gc_mark", .dso = "libjulia"},
    {.prefix = "gc_sweep", .dso = "libjulia"},
    {.prefix = "gc_try_claim", .dso = "libjulia"},
    {.prefix = "sweep_", .dso = "libjulia"},
};

static const struct name_pattern erlang_names[] = {
    {.prefix = "erts_garbage_collect"},
    {.prefix = "garbage_collect", .dso = "beam"},
    {.name = "do_minor", .dso = "beam"},
    {.prefix = "major_collection", .dso = "beam"},
    {.prefix = "minor_collection", .dso = "beam"},
    {.prefix = "sweep", .dso = "beam"},
    {.prefix = "full_sweep", .dso = "beam"},
};

static const struct name_pattern gap_names[] = {
    {.name = "CollectBags"},
    {.name = "MarkArrayOfBags"},
    {.prefix = "MarkAllSubBags"},
    {.name = "SweepSubBags"},
};

static const struct name_pattern other_names[] = {
    {.word = "Gcx.mark"},
    {.word = "Gcx.sweep"},
    {.word = "Gcx.fullcollect"},
    {.name = "process_mark_stack", .dso = "emacs"},
    {.prefix = "mark_", .dso = "emacs"},
    {.prefix = "sweep_", .dso = "emacs"},
    {.prefix = "collectCTBody"},
    {.prefix = "collectCyclesBacon"},
    {.name = "markStackAndRegisters"},
    {.prefix = "C_save_and_reclaim"},
    {.name = "C_reclaim"},
    {.name = "really_mark", .dso = "libchicken"},
    {.prefix = "mrb_gc_mark"},
    {.prefix = "mrb_incremental_gc"},
    {.prefix = "incremental_gc", .dso = "mruby"},
};

static const struct {
    const struct name_pattern *names;
    size_t count;
    const char *advice, *confirm;
} runtimes[] = {
    [COLLECTOR_GO] = {go_names, array_count(go_names), "advice-go", "confirm-go"},
    [COLLECTOR_JAVA] = {java_names, array_count(java_names), "advice-java", "confirm-java"},
    [COLLECTOR_V8] = {v8_names, array_count(v8_names), "advice-v8", "confirm-v8"},
    [COLLECTOR_DOTNET] = {dotnet_names, array_count(dotnet_names), "advice-dotnet", "confirm-dotnet"},
    [COLLECTOR_PYTHON] = {python_names, array_count(python_names), "advice-python", "confirm-python"},
    [COLLECTOR_MONO] = {mono_names, array_count(mono_names), "advice-mono", "confirm-mono"},
    [COLLECTOR_LISP] = {lisp_names, array_count(lisp_names), "advice-lisp", "confirm-lisp"},
    [COLLECTOR_CLISP] = {clisp_names, array_count(clisp_names), "advice-clisp", "confirm-clisp"},
    [COLLECTOR_BOEHM] = {boehm_names, array_count(boehm_names), "advice-boehm", "confirm-boehm"},
    [COLLECTOR_OCAML] = {ocaml_names, array_count(ocaml_names), "advice-ocaml", "confirm-ocaml"},
    [COLLECTOR_HASKELL] = {haskell_names, array_count(haskell_names), "advice-haskell", "confirm-haskell"},
    [COLLECTOR_CHEZ] = {chez_names, array_count(chez_names), "advice-chez", "confirm-chez"},
    [COLLECTOR_RUBY] = {ruby_names, array_count(ruby_names), "advice-ruby", "confirm-ruby"},
    [COLLECTOR_LUA] = {lua_names, array_count(lua_names), "advice-lua", "confirm-lua"},
    [COLLECTOR_PHP] = {php_names, array_count(php_names), "advice-php", "confirm-php"},
    [COLLECTOR_R] = {r_names, array_count(r_names), "advice-r", "confirm-r"},
    [COLLECTOR_JULIA] = {julia_names, array_count(julia_names), "advice-julia", "confirm-julia"},
    [COLLECTOR_ERLANG] = {erlang_names, array_count(erlang_names), "advice-erlang", "confirm-erlang"},
    [COLLECTOR_GAP] = {gap_names, array_count(gap_names), "advice-gap", "confirm-gap"},
    [COLLECTOR_OTHER] = {other_names, array_count(other_names), "advice", "confirm"},
};

const char *collector_advice(enum collector collector)
{
    return runtimes[collector].advice;
}

const char *collector_confirm(enum collector collector)
{
    return runtimes[collector].confirm;
}

static bool is_of(const struct stall_function *function, enum collector collector, bool is_guess)
{
    for (size_t at = 0; at < runtimes[collector].count; at++)
        if (runtimes[collector].names[at].is_guess == is_guess &&
            function_has_name(function, &runtimes[collector].names[at]))
            return true;
    return false;
}

/* Its binary holds a function that is this collector's for certain. */
static bool is_binary_of(const struct stalls *stalls, const char *dso, enum collector collector)
{
    for (size_t at = 0; at < stalls->function_count; at++)
        if (strcmp(stalls->functions[at].dso, dso) == 0 && is_of(&stalls->functions[at], collector, false))
            return true;
    return false;
}

bool collector_of(const struct stalls *stalls, const struct stall_function *function, enum collector *ret_collector,
                  bool *ret_is_guess)
{
    bool guessed = false;
    for (enum collector at = 0; at < COLLECTOR_COUNT && !function->is_kernel; at++) {
        bool certain = is_of(function, at, false), guess = !certain && is_of(function, at, true);
        certain |= guess && is_binary_of(stalls, function->dso, at);
        if (certain || (guess && !guessed)) {
            *ret_collector = at;
            *ret_is_guess = !certain;
            guessed = true;
        }
        if (certain)
            return true;
    }
    return guessed;
}
