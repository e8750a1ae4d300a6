/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time at locks and barriers in user space: spinning, and taking and releasing them; told by the names of functions, or
 * by loops that wait for what others write.
 */
#include "base/vec.h"
#include "finding/called.h"
#include "finding/family.h"

#include <string.h>

/* Those of which each protects something, so that holding one shorter is a remedy. */
static const struct name_pattern mutexes[] = {
    {.prefix = "__lll_lock"},
    {.prefix = "lll_lock"},
    {.word = "pthread_mutex_lock"},
    {.word = "pthread_mutex_unlock"},
    {.word = "pthread_mutex_trylock"},
    {.prefix = "__pthread_mutex_"},
    {.prefix = "__pthread_rwlock_"},
    {.prefix = "ObjectMonitor::"}, /* HotSpot's */
    {.prefix = "ObjectSynchronizer::"},
    {.prefix = "AwareLock::"}, /* .NET's */
    {.prefix = "JIT_MonEnter"},
    {.prefix = "JIT_MonExit"},
    {.word = "lockSlow"}, /* Go's */
    {.word = "unlockSlow"},
    {.word = "rUnlockSlow"},
    {.word = "lock_contended"}, /* Rust's, and parking_lot's */
    {.word = "lock_slow"},
    {.word = "unlock_slow"},
    {.word = "LockSlow"}, /* Abseil's */
    {.word = "LockSlowLoop"},
};

/* Loops that look for packets or completions again and again, whether any have come or not: DPDK's and SPDK's. */
static const struct name_pattern polling[] = {
    {.word = "rx_burst"},
    {.word = "recv_pkts"},
    {.prefix = "spdk_nvme_", .word = "process_completions"},
    {.prefix = "nvme_pcie_", .word = "process_completions"},
    {.name = "spdk_thread_poll"},
    {.name = "ibv_poll_cq"},
    /* in the kernel, of a profile of the whole system */
    {.name = "io_sq_thread"},
    {.name = "__io_sq_thread"},
    {.name = "napi_busy_loop"},
};

/* What MPI and its transports do until a message has come. */
static const struct name_pattern messages[] = {
    {.name = "opal_progress"},
    {.name = "ucp_worker_progress"},
    {.prefix = "uct_", .suffix = "_progress"},
    {.prefix = "MPIDI_", .word = "progress"},
    {.prefix = "MPIDI_", .word = "Progress"},
    {.prefix = "MPID_Progress"},
    {.prefix = "mca_btl_", .suffix = "_progress"},
    {.dso = "libopen-pal"}, /* nearly all of its time, and of its transports', is looking whether something came */
    {.dso = "mca_btl_vader"},
    {.dso = "mca_btl_sm"},
};

/* What these do themselves is mostly waiting at barriers, and their own names are stripped. */
static const struct name_pattern openmp_runtimes[] = {{.dso = "libgomp"}, {.dso = "libomp"}, {.dso = "libiomp"}};

static const struct name_pattern others[] = {
    {.word = "pthread_spin_lock"},
    {.name = "SpinPause"}, /* HotSpot's, of monitors and of threads that collect */
    {.prefix = "gomp_barrier"},
    {.prefix = "gomp_team_barrier"},
    {.prefix = "__kmp_wait"},
    {.prefix = "__kmp_flag"},
    {.prefix = "kmp_flag"},
    {.word = "native_queued_spin_lock_slowpath"},
    {.name = "s_lock"}, /* PostgreSQL's */
    {.name = "perform_spin_delay"},
    {.word = "spin_lock", .is_guess = true},
    {.word = "spinlock", .is_guess = true},
    {.word = "do_spin", .is_guess = true},
    {.word = "busy_wait", .is_guess = true},
};

static const struct {
    const struct name_pattern *names;
    size_t count;
} kinds[] = {
    {mutexes, array_count(mutexes)},
    {openmp_runtimes, array_count(openmp_runtimes)},
    {others, array_count(others)},
    {polling, array_count(polling)},
    {messages, array_count(messages)},
};

static bool is_of_messages(const struct stall_function *function)
{
    return function_has_some_name(function, messages, array_count(messages));
}

bool function_polls(const struct stall_function *function)
{
    return is_of_messages(function) || function_has_some_name(function, polling, array_count(polling));
}

const char *polling_headline(const struct stall_function *function)
{
    return is_of_messages(function) ? "headline-messages" : "headline-polling";
}

const char *polling_advice(const struct stall_function *function)
{
    return is_of_messages(function) ? "advice-messages" : "advice-polling";
}

const char *polling_confirm(const struct stall_function *function)
{
    return is_of_messages(function) ? "confirm-messages" : "confirm-polling";
}

static bool is_locking(const struct stall_function *function)
{
    bool is_one = false;
    for (size_t at = 0; at < array_count(kinds); at++)
        is_one |= function_has_some_name(function, kinds[at].names, kinds[at].count);
    return is_one;
}

static bool is_of_openmp(const struct stall_function *function)
{
    return function_has_some_name(function, openmp_runtimes, array_count(openmp_runtimes));
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

/* Of the first kind that it is of. */
static struct name_matches matches_of(const struct stall_function *function)
{
    struct stall_function copy = *function;
    const struct stalls alone = {.functions = &copy, .function_count = 1};
    struct name_matches one = {0};
    for (size_t at = 0; at < array_count(kinds) && !one.hottest && !one.hottest_guessed; at++)
        one = functions_named(&alone, kinds[at].names, kinds[at].count);
    one.hottest = one.hottest ? function : NULL;
    one.hottest_guessed = one.hottest_guessed ? function : NULL;
    return one;
}

/* Of all that spins, or of locks and barriers alone. */
static struct name_matches spinning_matches(const struct stalls *stalls, bool with_polling)
{
    struct name_matches all = {0};
    for (size_t at = 0; at < stalls->function_count; at++) {
        struct name_matches one = matches_of(&stalls->functions[at]);
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

/* Loops that wait for what others write, in functions whose names don't say so. */
struct polled {
    uint64_t samples, most; /* most: in the hottest of these functions */
    const struct stall_function *hottest;
    const struct stall_row *row; /* its hottest load there; NULL: none was met */
};

static uint64_t polled_in(const struct stall_code *code)
{
    uint64_t samples = 0;
    for (size_t row = 0; row < code->count && code->marks && code->hits; row++)
        samples += code->marks[row] & MARK_POLLS ? code->hits[row] : 0;
    return samples;
}

static const struct stall_row *polled_row(const struct stall_function *function, const struct stall_code *code)
{
    for (size_t at = 0; at < function->row_count; at++) /* most samples first */
        for (size_t row = 0; row < code->count && function->rows[at].is_load; row++)
            if (code->items[row].addr == function->rows[at].shown_addr && code->marks[row] & MARK_POLLS)
                return &function->rows[at];
    return NULL;
}

static struct polled polled_find(const struct stalls *stalls)
{
    struct polled polled = {0};
    for (size_t at = 0; stalls->codes && at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        uint64_t samples = function->is_kernel || is_locking(function) ? 0 : polled_in(&stalls->codes[at]);
        polled.samples += samples;
        if (samples <= polled.most)
            continue;
        polled.most = samples;
        polled.hottest = function;
        polled.row = polled_row(function, &stalls->codes[at]);
    }
    return polled;
}

/* What the code itself shows: no name is needed. */
static void polled_decide(const struct results *results, struct finding *finding, const struct polled *polled)
{
    struct interval share = share_of_samples(results, finding, (double)polled->samples);
    const char *function = polled->hottest->name, *instruction = polled->row ? polled->row->text : "";
    finding_decide_fact(finding, share, results->effect);
    finding->subject = function;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "polled", VALUE_TEXT("function", function),
                     VALUE_SHARE("share", share));
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, polled->row ? "polled-code-at" : "polled-code",
                     VALUE_TEXT("instruction", instruction));
    finding_set(finding, reason, "gain-polled", NO_VALUES);
    finding_set(finding, headline, "headline-polled", VALUE_SHARE("share", share), VALUE_TEXT("function", function),
                VALUE_SHARE("own", share_of_samples(results, finding, (double)polled->most)));
    finding_advise(finding, "advice-polled", NO_VALUES);
    finding_set(finding, confirm, "confirm-polled", NO_VALUES);
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

static bool is_mutex(const struct stall_function *function)
{
    return function_has_some_name(function, mutexes, array_count(mutexes));
}

/* The hottest of them that weighs anything: what spins in another function does so for it; NULL: none does. */
static const struct stall_function *mutex_of(const struct results *results)
{
    const struct stalls *stalls = results->stalls;
    for (size_t at = 0; at < stalls->function_count && stalls->functions[at].share.mid >= results->effect / 2; at++)
        if (is_mutex(&stalls->functions[at]))
            return &stalls->functions[at];
    return NULL;
}

static const char *lock_advice(const struct stall_function *hottest)
{
    bool is_private = strstr(hottest->name, "lll_lock_wait_private") || strstr(hottest->name, "lll_lock_wake_private");
    return function_polls(hottest)  ? polling_advice(hottest)
           : is_of_openmp(hottest) ? "advice-openmp"
           : is_private            ? "advice-private"
           : is_mutex(hottest)     ? "advice-mutex"
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
        finding_set(finding, headline, polling_headline(hottest), VALUE_TEXT("function", hottest->name),
                    VALUE_SHARE("share", share_of_samples(results, finding, samples)));
    finding_readvise(finding, polling_advice(hottest), NO_VALUES);
    finding_set(finding, confirm, polling_confirm(hottest), NO_VALUES);
}

static void spinning_test(const struct results *results, struct finding *finding)
{
    const struct name_matches matches = spinning_matches(results->stalls, true);
    const struct polled polled = polled_find(results->stalls);
    if (polled.samples > matches.samples &&
        share_of_samples(results, finding, (double)polled.samples).low >= results->effect) {
        polled_decide(results, finding, &polled);
        return;
    }
    test_name_matches(results, finding, &matches);
    const char *sleeper = sleeper_of(results);
    const struct stall_function *hottest = matches.hottest ? matches.hottest : matches.hottest_guessed;
    if (finding->advice_count && hottest && function_polls(hottest)) {
        polling_describe(results, finding, hottest, (double)matches.samples);
        return;
    }
    hottest = hottest && !is_of_openmp(hottest) && mutex_of(results) ? mutex_of(results) : hottest;
    if (finding->advice_count && hottest && is_of_openmp(hottest)) {
        openmp_describe(results, finding, hottest);
        return;
    }
    if (!finding->advice_count || !hottest || !is_mutex(hottest))
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
                    VALUE_TEXT("function", sleeper ? sleeper : hottest->name),
                    VALUE_SHARE("share", interval_exactly(finding->recoverable.high)));
    finding_readvise(finding, "advice-mutex", NO_VALUES);
}

const struct hypothesis hypothesis_spinning = {
    .id = "spinning",
    .family = "library",
    .title = "locks, barriers and polling in user space",
    .rule = "a fact when user-space locking, waiting at barriers or polling holds the effect, by the names of "
            "functions, or in loops that store nothing and carry no register from turn to turn; ruled out when less "
            "could be such",
    .gain = "0 to that share",
    .overturn = "half the threads",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_WAITS),
    .test = spinning_test,
    .has_function = is_locking,
    .advice_for = lock_advice,
};
