/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time in well-known helpers: allocation, copying, locks; told by the names of functions. */
#include "base/vec.h"
#include "finding/called.h"
#include "finding/family.h"

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

static void copying_test(const struct results *results, struct finding *finding)
{
    test_function_names(results, finding, copying_names, array_count(copying_names));
    if (finding->advice_count && finding->subject)
        copying_advise(results, finding, finding->subject); /* what the stacks tell needn't be found out */
    if (finding->verdict != VERDICT_SUPPORTED || !waits_for_places(results, finding))
        return;
    finding_set(finding, headline, "headline-places", VALUE_TEXT("function", finding->subject),
                VALUE_SHARE("share", share_of_samples(results, finding, estimated_samples(results, PLACES))));
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
    .rule = "a fact when functions that copy or clear memory hold the effect; ruled out when less could be such",
    .gain = "0 to that share",
    .overturn = "one copy left out",
    .changes_code = true,
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_BOTTLENECK),
    .test = copying_test,
    .has_function = is_copying,
};

/* What MPI and its transports do until a message has come. */
#define MESSAGE_NAMES                                                                                                  \
    {.name = "opal_progress"}, {.name = "ucp_worker_progress"}, {.prefix = "uct_", .suffix = "_progress"},             \
        {.prefix = "MPIDI_", .word = "progress"}, {.prefix = "MPIDI_", .word = "Progress"},                            \
        {.prefix = "MPID_Progress"},                                                                                   \
    {                                                                                                                  \
        .prefix = "mca_btl_", .suffix = "_progress"                                                                    \
    }

/* Loops that look for packets or completions again and again, whether any have come or not: DPDK's and SPDK's. */
#define POLLING_NAMES                                                                                                  \
    MESSAGE_NAMES, {.word = "rx_burst"}, {.word = "recv_pkts"},                                                        \
        {.prefix = "spdk_nvme_", .word = "process_completions"},                                                       \
        {.prefix = "nvme_pcie_", .word = "process_completions"}, {.name = "spdk_thread_poll"},                         \
        {.name = "ibv_poll_cq"}, /* in the kernel, of a profile of the whole system */                                 \
        {.name = "io_sq_thread"}, {.name = "__io_sq_thread"},                                                          \
    {                                                                                                                  \
        .name = "napi_busy_loop"                                                                                       \
    }

static const struct name_pattern polling_names[] = {POLLING_NAMES}, message_names[] = {MESSAGE_NAMES};

bool function_polls(const struct stall_function *function)
{
    return function_has_some_name(function, polling_names, array_count(polling_names));
}

const char *polling_advice(const struct stall_function *function)
{
    bool is_of_messages = function_has_some_name(function, message_names, array_count(message_names));
    return is_of_messages ? "advice-messages" : "advice-polling";
}

const char *polling_confirm(const struct stall_function *function)
{
    bool is_of_messages = function_has_some_name(function, message_names, array_count(message_names));
    return is_of_messages ? "confirm-messages" : "confirm-polling";
}

static const struct name_pattern spinning_names[] = {
    {.prefix = "__lll_lock"},
    {.prefix = "lll_lock"},
    {.word = "pthread_mutex_lock"},
    {.word = "pthread_mutex_unlock"},
    {.word = "pthread_mutex_trylock"},
    {.prefix = "__pthread_mutex_"},
    {.prefix = "__pthread_rwlock_"},
    {.word = "pthread_spin_lock"},
    {.prefix = "gomp_barrier"},
    {.prefix = "gomp_team_barrier"},
    /* what OpenMP's runtimes do themselves is mostly waiting at barriers, and their own names are stripped */
    {.dso = "libgomp"},
    {.dso = "libomp"},
    {.dso = "libiomp"},
    {.prefix = "__kmp_wait"},
    {.prefix = "__kmp_flag"},
    {.prefix = "kmp_flag"},
    {.word = "native_queued_spin_lock_slowpath"},
    POLLING_NAMES,
    {.name = "s_lock"}, /* PostgreSQL's */
    {.name = "perform_spin_delay"},
    {.word = "spin_lock", .is_guess = true},
    {.word = "spinlock", .is_guess = true},
    {.word = "do_spin", .is_guess = true},
    {.word = "busy_wait", .is_guess = true},
};

static bool is_locking(const struct stall_function *function)
{
    return function_has_some_name(function, spinning_names, array_count(spinning_names));
}

static bool is_of_openmp(const struct stall_function *function)
{
    static const struct name_pattern runtimes[] = {{.dso = "libgomp"}, {.dso = "libomp"}, {.dso = "libiomp"}};
    return function_has_some_name(function, runtimes, array_count(runtimes));
}

/* Who waits at a barrier only reads. */
bool function_hands_out(const struct stall_function *function)
{
    static const double LEAST = 0.3; /* of its samples */
    double atomic = 0;
    for (size_t at = 0; at < function->row_count; at++)
        atomic += function->rows[at].class == INSTRUCTION_ATOMIC ? (double)function->rows[at].samples : 0;
    return is_of_openmp(function) && atomic > LEAST * (double)function->samples;
}

/* Of all that spins, or of locks and barriers alone. */
static struct name_matches spinning_matches(const struct stalls *stalls, bool with_polling)
{
    struct name_matches all = {0};
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stalls alone = {.functions = &stalls->functions[at], .function_count = 1};
        struct name_matches one = functions_named(&alone, spinning_names, array_count(spinning_names));
        bool polls = function_polls(&stalls->functions[at]);
        if (function_hands_out(&stalls->functions[at]) || (polls && !with_polling))
            continue;
        all.samples += one.samples;
        all.guessed += one.guessed;
        all.hottest = all.hottest ? all.hottest : one.hottest;
        all.hottest_guessed = all.hottest_guessed ? all.hottest_guessed : one.hottest_guessed;
    }
    return all;
}

uint64_t locking_samples(const struct stalls *stalls)
{
    return spinning_matches(stalls, false).samples;
}

/* "[unknown]", or a stack that ended within the C library. */
static bool is_own(const char *name)
{
    return name[0] == '[' || name[0] == '_' || strstr(name, "pthread_") || strstr(name, "+0x");
}

/* Who asked for the lock: the stacks of those that had to sleep for it tell. */
static const char *sleeper_of(const struct results *results)
{
    for (size_t at = 0; results->waits && at < results->waits->count; at++)
        if (results->waits->items[at].kind == WAIT_LOCK && !is_own(results->waits->items[at].function))
            return results->waits->items[at].function;
    return NULL;
}

static bool is_mutex(const char *name)
{
    return strstr(name, "mutex") || strstr(name, "lll_lock") || strstr(name, "rwlock");
}

static const char *lock_advice(const struct stall_function *hottest)
{
    bool is_private = strstr(hottest->name, "lll_lock_wait_private") || strstr(hottest->name, "lll_lock_wake_private");
    return function_polls(hottest)   ? polling_advice(hottest)
           : is_of_openmp(hottest)   ? "advice-openmp"
           : is_private              ? "advice-private"
           : is_mutex(hottest->name) ? "advice-mutex"
                                     : "advice";
}

static void openmp_describe(const struct results *results, struct finding *finding,
                            const struct stall_function *hottest)
{
    double spinning = (double)locking_samples(results->stalls);
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, "headline-openmp", VALUE_TEXT("dso", hottest->dso),
                    VALUE_SHARE("share", share_of_samples(results, finding, spinning)));
    bool hands_out = false; /* then still smaller pieces are no remedy */
    for (size_t at = 0; at < results->stalls->function_count; at++)
        hands_out |= function_hands_out(&results->stalls->functions[at]) &&
                     results->stalls->functions[at].share.low >= results->effect;
    finding_readvise(finding, hands_out ? "advice-openmp-pieces" : "advice-openmp", NO_VALUES);
    finding_set(finding, confirm, hands_out ? "confirm" : "confirm-openmp", NO_VALUES);
}

static void polling_describe(const struct results *results, struct finding *finding,
                             const struct stall_function *hottest, double samples)
{
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, "headline-polling", VALUE_TEXT("function", hottest->name),
                    VALUE_SHARE("share", share_of_samples(results, finding, samples)));
    finding_readvise(finding, polling_advice(hottest), NO_VALUES);
    finding_set(finding, confirm, polling_confirm(hottest), NO_VALUES);
}

static void spinning_test(const struct results *results, struct finding *finding)
{
    const struct name_matches matches = spinning_matches(results->stalls, true);
    test_name_matches(results, finding, &matches);
    const char *sleeper = sleeper_of(results);
    const struct stall_function *hottest = finding->subject ? function_of(results->stalls, finding->subject) : NULL;
    if (finding->advice_count && hottest && function_polls(hottest)) {
        polling_describe(results, finding, hottest, (double)matches.samples);
        return;
    }
    if (finding->advice_count && hottest && is_of_openmp(hottest)) {
        openmp_describe(results, finding, hottest);
        return;
    }
    if (!finding->advice_count || !finding->subject || !is_mutex(finding->subject))
        return;
    if (results->run && results->run->threads_seen <= 1) {
        if (finding->verdict == VERDICT_SUPPORTED)
            finding_set(finding, headline, "headline-alone",
                        VALUE_SHARE("share", interval_exactly(finding->recoverable.high)));
        finding_readvise(finding, "advice-alone", NO_VALUES);
        finding_set(finding, confirm, "confirm-alone", NO_VALUES);
        return;
    }
    if (sleeper)
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "sleeper", VALUE_TEXT("function", sleeper));
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, sleeper ? "headline-mutex-of" : "headline-mutex",
                    VALUE_TEXT("function", sleeper ? sleeper : finding->subject),
                    VALUE_SHARE("share", interval_exactly(finding->recoverable.high)));
    finding_readvise(finding, "advice-mutex", NO_VALUES);
}

const struct hypothesis hypothesis_spinning = {
    .id = "spinning",
    .family = "library",
    .title = "locks, barriers and polling in user space",
    .rule = "a fact when user-space locking, waiting at barriers or polling holds the effect; ruled out when less "
            "could be such",
    .gain = "0 to that share",
    .overturn = "half the threads",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_WAITS),
    .test = spinning_test,
    .has_function = is_locking,
    .advice_for = lock_advice,
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
