/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time in well-known helpers: allocation and copying; told by the names of functions. */
#include "base/vec.h"
#include "finding/called.h"
#include "finding/family.h"
#include "finding/held_in.h"

#include <string.h>

static const struct name_pattern allocation_names[] = {
    {.name = "malloc"},
    {.name = "free"},
    {.name = "cfree"},
    {.name = "realloc"},
    {.name = "calloc"},
    {.name = "memalign"},
    {.name = "posix_memalign"},
    {.name = "aligned_alloc"},
    {.prefix = "_int_malloc"},
    {.prefix = "_int_free"},
    {.prefix = "_int_realloc"},
    {.prefix = "_int_memalign"},
    {.prefix = "__libc_malloc"},
    {.prefix = "__libc_free"},
    {.prefix = "__libc_calloc"},
    {.prefix = "__libc_realloc"},
    {.name = "malloc_consolidate"},
    {.name = "unlink_chunk"},
    {.name = "sysmalloc"},
    {.name = "systrim"},
    {.name = "tcache_get"},
    {.name = "tcache_put"},
    {.name = "tcache_init"},
    {.name = "ptmalloc_init"},
    {.name = "operator new"},
    {.name = "operator delete"},
    {.prefix = "_mi_"},
    {.prefix = "je_malloc"},
    {.prefix = "operator new["},
    {.prefix = "operator delete["},
    {.prefix = "je_free"},
    {.name = "mi_malloc"},
    {.name = "mi_free"},
    {.prefix = "__rust_alloc"},
    {.prefix = "__rust_dealloc"},
    {.name = "runtime.mallocgc"},
    /* glibc's, without names in a static program: by what it complains of */
    {.tells = "malloc assertion"},
    {.tells = "corrupted size vs"},
    {.tells = "double free or corruption"},
    {.tells = "corrupted double-linked list"},
    {.tells = "break adjusted to free malloc"},
    {.tells = "chunk_main_arena"},
    {.tells = "chunk_is_mmapped"},
    {.tells = "old_top == initial_top"},
    {.dso = "libjemalloc"},
    {.dso = "libtcmalloc"},
    {.dso = "libtcmalloc_minimal"},
    {.dso = "libmimalloc"},
    {.name = "_PyObject_Malloc"},
    {.name = "_PyObject_Free"},
    {.name = "PyObject_Malloc"},
    {.name = "PyObject_Free"},
    {.word = "allocate", .is_guess = true},
    {.word = "alloc", .is_guess = true},
};

/* What another allocator can't be put before by LD_PRELOAD, and what helps there. */
static const struct {
    struct name_pattern of; /* the hottest function that allocates */
    const char *advice, *confirm;
} allocators[] = {
    {{.prefix = "runtime."}, "advice-runtime", "confirm-runtime"},
    {{.prefix = "_PyObject_"}, "advice-objects", "confirm-objects"},
    {{.prefix = "PyObject_"}, "advice-objects", "confirm-objects"},
    {{.dso = "libjemalloc"}, "advice-jemalloc", "confirm-own"},
    {{.dso = "libtcmalloc"}, "advice-tcmalloc", "confirm-own"},
    {{.dso = "libtcmalloc_minimal"}, "advice-tcmalloc", "confirm-own"},
    {{.dso = "libmimalloc"}, "advice-mimalloc", "confirm-own"},
};

static bool is_allocating(const struct stall_function *function)
{
    return function_has_some_name(function, allocation_names, array_count(allocation_names));
}

/* malloc itself within the program: it is static, or brings an allocator. Languages' own words call the library's. */
static bool is_within_program(const struct stall_function *function)
{
    bool is_call = strncmp(function->name, "operator ", 9) == 0 || strncmp(function->name, "__rust_", 7) == 0;
    return is_allocating(function) && !is_call && !strstr(function->dso, ".so");
}

static const struct stall_function *function_of(const struct stalls *stalls, const char *name)
{
    for (size_t at = 0; at < stalls->function_count; at++)
        if (strcmp(stalls->functions[at].name, name) == 0)
            return &stalls->functions[at];
    return NULL;
}

bool function_allocates(const struct results *results, const char *function)
{
    const struct stall_function *found = function && results->stalls ? function_of(results->stalls, function) : NULL;
    return found && is_allocating(found);
}

static const char *allocator_advice(const struct stall_function *hottest)
{
    for (size_t at = 0; at < array_count(allocators); at++)
        if (function_has_name(hottest, &allocators[at].of))
            return allocators[at].advice;
    return "advice";
}

/* New objects are found room for, cleared and, where they grow, copied by other functions than an allocator's. */
static bool making_decides(const struct results *results, struct finding *finding)
{
    double making = samples_called_of(results, CALLED_MAKING, true);
    struct name_matches named = functions_named(results->stalls, allocation_names, array_count(allocation_names));
    struct interval share = share_of_names(results, finding, making);
    struct interval shown = share_of_samples(results, finding, making);
    if (making <= (double)named.samples || !share.known || shown.low < results->effect)
        return false;
    const struct call_class *class = &results->called->items[CALLED_MAKING];
    struct value values[] = {VALUE_TEXT("function", class->entry), VALUE_TEXT("dso", class->entry_dso),
                             VALUE_SHARE("share", shown)};
    finding_decide_fact(finding, shown, results->effect);
    finding->shown = shown;
    finding->subject = class->entry;
    finding_evidence_add(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "making", values, array_count(values));
    finding_set_add(finding, &finding->headline, "headline-making", values, array_count(values));
    finding_set(finding, reason, "gain", NO_VALUES);
    bool is_go = strncmp(class->entry, "runtime.", 8) == 0;
    if (is_go) {
        finding_advise(finding, "advice-runtime", NO_VALUES);
    } else {
        finding_advise(finding, "advice-making", NO_VALUES);
        finding_advise(finding, "advice-making-profile", NO_VALUES);
    }
    finding_set(finding, confirm, is_go ? "confirm-runtime" : "confirm-making", NO_VALUES);
    return true;
}

static void allocation_test(const struct results *results, struct finding *finding)
{
    if (making_decides(results, finding))
        return;
    test_function_names(results, finding, allocation_names, array_count(allocation_names));
    const struct stall_function *hottest =
        finding->advice_count && finding->subject ? function_of(results->stalls, finding->subject) : NULL;
    const char *advice = NULL, *confirm = NULL;
    for (size_t at = 0; hottest && at < array_count(allocators) && !advice; at++)
        if (function_has_name(hottest, &allocators[at].of))
            advice = allocators[at].advice, confirm = allocators[at].confirm;
    if (hottest && !advice && is_within_program(hottest))
        advice = "advice-own", confirm = "confirm-own";
    if (!advice)
        return;
    finding_readvise(finding, advice, VALUE_TEXT("dso", hottest->dso));
    finding_set(finding, confirm, confirm, NO_VALUES);
}

const struct hypothesis hypothesis_allocation = {
    .id = "allocation",
    .family = "library",
    .title = "allocating and freeing memory",
    .rule = "a fact when functions that allocate and free hold the effect; ruled out when less could be such",
    .gain = "0 to that share",
    .overturn = "another allocator by LD_PRELOAD",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = allocation_test,
    .has_function = is_allocating,
    .advice_for = allocator_advice,
};

static const struct name_pattern copying_names[] = {
    {.word = "memcpy"}, {.word = "memmove"}, {.word = "memset"}, {.word = "strcpy"}, {.word = "mempcpy"},
    {.word = "bzero"},
};

static bool is_copying(const struct stall_function *function)
{
    return function_has_some_name(function, copying_names, array_count(copying_names));
}

enum {
    PLACES = CAUSE_BIT(CAUSE_LATENCY) | CAUSE_BIT(CAUSE_PARALLEL_MISSES)
};

/* By the estimate what copies most misses the caches at places in no order: how much it copies is of no account. */
static bool waits_for_places(const struct results *results, const struct finding *finding)
{
    const struct bottleneck_verdict *estimated = results->bottleneck ? &results->bottleneck->program : NULL;
    return estimated && estimated->confidence >= ESTIMATE_MEDIUM && PLACES & CAUSE_BIT(estimated->cause) &&
           estimated->function && strcmp(estimated->function, finding->subject) == 0;
}

/* Of that what the estimate lays in loops of one function; all of it, where it tells no loops. */
static double waiting_for_places(const struct results *results, const char *function)
{
    const struct bottleneck *bottleneck = results->bottleneck;
    double own = 0;
    for (size_t at = 0; at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &bottleneck->loops[at];
        if (loop->verdict.function && strcmp(loop->verdict.function, function) == 0)
            own += (loop->masses[CAUSE_LATENCY] + loop->masses[CAUSE_PARALLEL_MISSES]) * (double)loop->samples;
    }
    return own > 0 ? own : estimated_samples(results, PLACES);
}

/* Who of the program's own makes most of its calls, by the stacks; NULL: nobody does, or too few tell. */
static const struct stall_caller *most_calls_of(const struct stall_function *function)
{
    enum { STACKS_LEAST = 10 };
    static const double MOST = 0.5;
    const struct stall_caller *nearest = function->owner_count    ? &function->owners[0]
                                         : function->caller_count ? &function->callers[0]
                                                                  : NULL;
    bool does = nearest && nearest->name && nearest->name[0] != '[' && function->stacks >= STACKS_LEAST &&
                (double)nearest->stacks >= MOST * (double)function->stacks;
    return does ? nearest : NULL;
}

static bool advise_caller(const struct results *results, struct finding *finding, const char *function, const char *key)
{
    const struct stall_function *found = function && results->stalls ? function_of(results->stalls, function) : NULL;
    const struct stall_caller *caller = found && is_copying(found) ? most_calls_of(found) : NULL;
    if (!caller)
        return false;
    double share = (double)caller->stacks / (double)found->stacks;
    finding_readvise(finding, key, VALUE_TEXT("caller", name_for_sentence(caller->name, finding->arena)),
                     VALUE_SHARE("share", interval_exactly(share)));
    return true;
}

bool copying_advise(const struct results *results, struct finding *finding, const char *function)
{
    return advise_caller(results, finding, function, "advice-copy-less");
}

/* A compiler writes copies of whole structs in place (rep movs, rep stos), in functions of any name. */
struct in_place {
    uint64_t samples;
    const struct stall_function *function; /* that has most of them; NULL: there are none */
};

/* "repne scas" and its like look for something. */
static bool is_copied_by(const struct stall_row *row)
{
    return row->class == INSTRUCTION_STRING && row->text && (strstr(row->text, "movs") || strstr(row->text, "stos"));
}

static double in_place_held(const struct stalls *stalls, uint32_t function, const void *context)
{
    const struct stall_function *here = &stalls->functions[function];
    double samples = 0;
    (void)context;
    for (uint32_t row = 0; row < here->row_count && !is_copying(here); row++)
        samples += is_copied_by(&here->rows[row]) ? (double)here->rows[row].samples : 0;
    return samples;
}

static struct in_place copied_in_place(const struct stalls *stalls)
{
    struct in_place copies = {0};
    uint64_t most = 0;
    for (uint32_t at = 0; at < stalls->function_count; at++) {
        uint64_t samples = stalls->functions[at].is_kernel ? 0 : (uint64_t)in_place_held(stalls, at, NULL);
        copies.samples += samples;
        copies.function = samples > most ? &stalls->functions[at] : copies.function;
        most = samples > most ? samples : most;
    }
    return copies;
}

static void copying_test(const struct results *results, struct finding *finding)
{
    struct in_place copies = copied_in_place(results->stalls);
    struct name_matches matches = functions_named(results->stalls, copying_names, array_count(copying_names));
    bool is_in_place = copies.samples > matches.samples;
    matches.samples += copies.samples;
    matches.hottest = is_in_place ? copies.function : matches.hottest;
    test_name_matches(results, finding, &matches);
    if (is_in_place && finding->advice_count) {
        uint32_t function = (uint32_t)(copies.function - results->stalls->functions);
        struct held_in held = held_in_function(results, finding, function, in_place_held, NULL,
                                               share_of_samples(results, finding, (double)copies.samples));
        if (finding->verdict == VERDICT_SUPPORTED)
            finding_set(finding, headline, "headline-in-place", VALUE_TEXT("function", copies.function->name),
                        VALUE_SHARE("share", held.share), VALUE_TEXT("together", held.together));
        finding_readvise(finding, "advice-in-place", VALUE_TEXT("function", copies.function->name));
        finding_set(finding, confirm, "confirm-in-place", NO_VALUES);
        return;
    }
    if (finding->advice_count && finding->subject)
        copying_advise(results, finding, finding->subject); /* what the stacks tell needn't be found out */
    if (finding->verdict != VERDICT_SUPPORTED || !waits_for_places(results, finding))
        return;
    finding_set(
        finding, headline, "headline-places", VALUE_TEXT("function", finding->subject),
        VALUE_SHARE("share", share_of_samples(results, finding, waiting_for_places(results, finding->subject))));
    finding_set(finding, reason, "gain-places", NO_VALUES);
    finding_readvise(finding, "advice-places", VALUE_TEXT("function", finding->subject));
    advise_caller(results, finding, finding->subject, "advice-places-called");
    finding_advise(finding, "advice-ahead", NO_VALUES);
    finding_set(finding, confirm, "confirm-places", NO_VALUES);
}

const struct hypothesis hypothesis_copying = {
    .id = "copying",
    .family = "library",
    .title = "copying and clearing memory",
    .rule = "a fact when functions that copy or clear memory, or instructions that do so in place, hold the effect; "
            "ruled out when less could be such",
    .gain = "0 to that share",
    .overturn = "one copy left out",
    .changes_code = true,
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_BOTTLENECK),
    .test = copying_test,
    .has_function = is_copying,
};

/* Libraries that are written to be plain, whose calls a quicker one takes without a program's being changed. */
static const struct {
    struct name_pattern of;
    const char *advice;
} plain_libraries[] = {
    {{.dso = "libblas"}, "advice-blas"},
    {{.dso = "liblapack"}, "advice-blas"},
    {{.dso = "libgslcblas"}, "advice-blas"},
};

/* Of the hottest function; NULL: it is of none. */
static const char *plain_advice(const struct results *results)
{
    const struct stalls *stalls = results->stalls;
    const struct stall_function *hottest = stalls && stalls->function_count ? &stalls->functions[0] : NULL;
    for (size_t at = 0; hottest && hottest->share.low >= results->effect && at < array_count(plain_libraries); at++)
        if (function_has_name(hottest, &plain_libraries[at].of))
            return plain_libraries[at].advice;
    return NULL;
}

bool library_is_plain(const struct results *results)
{
    return plain_advice(results) != NULL;
}

bool library_advise(const struct results *results, struct finding *finding)
{
    const char *advice = plain_advice(results);
    if (!advice)
        return false;
    finding_advise(finding, advice, VALUE_TEXT("dso", results->stalls->functions[0].dso));
    finding_set(finding, confirm, "confirm-blas", NO_VALUES);
    return true;
}
