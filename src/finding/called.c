/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/called.h"

#include "base/vec.h"

#include <string.h>

static const struct name_pattern making_names[] = {
    /* HotSpot's */
    {.prefix = "ObjArrayAllocator::"},
    {.prefix = "ObjAllocator::"},
    {.prefix = "MemAllocator::"},
    {.prefix = "ObjArrayKlass::allocate"},
    {.prefix = "ObjArrayKlass::multi_allocate"},
    {.prefix = "TypeArrayKlass::allocate"},
    {.prefix = "InstanceKlass::allocate"},
    {.prefix = "CollectedHeap::array_allocate"},
    {.prefix = "CollectedHeap::obj_allocate"},
    {.prefix = "OptoRuntime::new_"},
    {.prefix = "Runtime1::new_"},
    {.prefix = "InterpreterRuntime::_new"},
    {.prefix = "InterpreterRuntime::newarray"},
    {.prefix = "InterpreterRuntime::anewarray"},
    /* Go's */
    {.prefix = "runtime.mallocgc"},
    /* V8's */
    {.prefix = "v8::internal::Heap::AllocateRaw"},
    {.prefix = "v8::internal::HeapAllocator::Allocate"},
    {.prefix = "v8::internal::Runtime_AllocateIn"},
    {.prefix = "v8::internal::FactoryBase"},
    {.prefix = "v8::internal::Factory::New"},
    /* .NET's */
    {.prefix = "JIT_New"},
    {.prefix = "AllocateSzArray"},
    {.prefix = "AllocateObject", .dso = "libcoreclr"},
};

/* What finds frames alone (_Unwind_Find_FDE) serves whoever walks stacks; try and its like stand below all of main. */
static const struct name_pattern throwing_names[] = {
    {.name = "java_lang_Throwable::fill_in_stack_trace"},
    {.name = "JVM_FillInStackTrace"},
    {.name = "__cxa_throw"},
    {.name = "__cxa_rethrow"},
    {.name = "__cxa_begin_catch"},
    {.name = "__cxa_end_catch"},
    {.name = "__cxa_allocate_exception"},
    {.name = "__cxa_free_exception"},
    {.name = "__gxx_personality_v0"},
    {.name = "rust_eh_personality"},
    {.prefix = "_Unwind_RaiseException"},
    {.prefix = "_Unwind_Resume"},
    {.prefix = "__rust_start_panic"},
    {.prefix = "rust_panic"},
    {.prefix = "rust_begin_unwind"},
    {.prefix = "std::panicking::rust_panic"},
    {.prefix = "std::panicking::begin_panic"},
    {.name = "runtime.gopanic"},
};

static const struct name_pattern javascript_names[] = {
    {.prefix = "v8::internal::compiler::"},
    {.prefix = "v8::internal::maglev::"},
    {.prefix = "v8::internal::OptimizedCompilationJob"},
    {.prefix = "v8::internal::OptimizingCompileDispatcher"},
    {.prefix = "v8::internal::baseline::"},
};

static const struct name_pattern java_names[] = {
    {.prefix = "CompileBroker::"},
    {.prefix = "C2Compiler::"},
    {.prefix = "Compile::"},
    {.prefix = "PhaseIdealLoop"},
    {.prefix = "PhaseIterGVN"},
    {.prefix = "PhaseChaitin"},
    {.prefix = "PhaseCFG"},
    {.prefix = "PhaseLive"},
    {.prefix = "PhaseIFG"},
    {.prefix = "PhaseGVN"},
    {.prefix = "LinearScan"},
    {.prefix = "Compilation::"},
    {.prefix = "GraphBuilder::"},
    {.prefix = "LIRGenerator::"},
    {.prefix = "LIR_Assembler"},
    {.prefix = "ConnectionGraph"},
    {.prefix = "Matcher::", .dso = "libjvm"},
};

static const struct name_pattern dotnet_names[] = {{.dso = "libclrjit"}};

static const struct name_pattern lua_names[] = {
    {.prefix = "lj_record_"}, {.prefix = "lj_opt_"},      {.prefix = "lj_asm_"},
    {.prefix = "lj_trace_"},  {.prefix = "lj_ffrecord_"}, {.prefix = "lj_snap_"},
};

static const struct name_pattern preparing_names[] = {
    {.prefix = "sqlite3_prepare"},  {.prefix = "sqlite3LockAndPrepare"}, {.prefix = "sqlite3Prepare"},
    {.prefix = "sqlite3RunParser"}, {.prefix = "sqlite3Parser"},
};

static const struct {
    const struct name_pattern *names;
    size_t count;
} classes[] = {
    [CALLED_MAKING] = {making_names, array_count(making_names)},
    [CALLED_THROWING] = {throwing_names, array_count(throwing_names)},
    [CALLED_COMPILING_JAVASCRIPT] = {javascript_names, array_count(javascript_names)},
    [CALLED_COMPILING_JAVA] = {java_names, array_count(java_names)},
    [CALLED_COMPILING_DOTNET] = {dotnet_names, array_count(dotnet_names)},
    [CALLED_COMPILING_LUA] = {lua_names, array_count(lua_names)},
    [CALLED_PREPARING] = {preparing_names, array_count(preparing_names)},
};
_Static_assert(array_count(classes) == CALLED_COUNT && (unsigned)CALLED_COUNT <= CALL_CLASSES_MOST, "every class");

unsigned called_of(const char *name, const char *dso)
{
    static const struct stalls no_others;
    const struct stall_function function = {.name = name, .dso = dso ? dso : ""};
    enum collector collector;
    bool is_guess;
    if (collector_of(&no_others, &function, &collector, &is_guess) && !is_guess)
        return CALLED_COLLECTING + (unsigned)collector;
    for (unsigned at = CALLED_MAKING; at < CALLED_COUNT; at++)
        if (function_has_some_name(&function, classes[at].names, classes[at].count))
            return at;
    return CALL_CLASSES_MOST;
}

bool function_is_called(const struct stall_function *function, enum called called)
{
    return !function->is_kernel && called_of(function->name, function->dso) == (unsigned)called;
}

double samples_called_of(const struct results *results, enum called called, bool is_innermost)
{
    const struct call_classes *all = results->called;
    if (!all || !all->stacks || !results->stalls)
        return 0;
    const struct call_class *item = &all->items[called];
    return (double)(is_innermost ? item->innermost : item->stacks) / (double)all->stacks *
           (double)results->stalls->user_samples;
}

struct interval share_called_of(const struct results *results, const struct finding *finding, enum called called)
{
    const struct call_classes *all = results->called;
    const struct stalls *stalls = results->stalls;
    if (!all || !all->items[called].share.known || !stalls || !stalls->sample_count)
        return (struct interval){0};
    struct interval share = all->items[called].share;
    double user = (double)stalls->user_samples / (double)stalls->sample_count, most = all->items[called].most;
    bool is_deep = called < (enum called)COLLECTOR_COUNT; /* it calls itself, how often nobody knows */
    share.high = is_deep && most > share.high ? most : share.high;
    return share_of_run(results, finding, interval_scaled(share, user));
}

void test_called_names(const struct results *results, struct finding *finding, enum called called)
{
    test_function_names(results, finding, classes[called].names, classes[called].count);
}
