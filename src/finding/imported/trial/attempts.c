/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/imported/trial/attempts.h"

#include "analyse/imported_window.h"
#include "base/share_names.h"
#include "base/vec.h"
#include "finding/imported/evidence.h"
#include "finding/imported/trial/effect.h"

#include <string.h>

static bool has_calls(const struct imported *imported)
{
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0; row < imported->tables[at].count; row++)
            if (strstr(imported->tables[at].rows[row].name, "system calls") ||
                strcmp(imported->tables[at].rows[row].name, SHARE_KERNEL) == 0)
                return true;
    return false;
}

static bool has_helped(const struct results *results, enum treatment treatment)
{
    const struct told *told = results->told;
    bool helped = false;
    for (size_t at = 0; at < told->trial_count; at++)
        helped |= told->trials[at].treatment == treatment &&
                  trial_effect_kind(told, &told->trials[at], results->effect) != EFFECT_NONE;
    return helped;
}

static bool counts_decoding(const struct imported *imported)
{
    return imported && imported_number(imported, IMPORTED_STAT, "idq.mite_uops", NULL).known;
}

/* A function that copies is the hottest: what is allocated ahead isn't copied each time it grows. */
static bool copies_most(const struct imported *imported)
{
    struct imported_hot hot = imported ? imported_hot_of(imported) : (struct imported_hot){0};
    return hot.function && (strstr(hot.function, "memmove") || strstr(hot.function, "memcpy"));
}

/* By its metric memory that is busy is as much as is asked about: smaller numbers may spare arithmetic alone, too. */
static bool waits_for_bandwidth(const struct results *results)
{
    struct measured own = results->imported
                              ? imported_number(results->imported, IMPORTED_METRICS, "tma_mem_bandwidth", NULL)
                              : not_measured("");
    return own.known && own.value / 100 >= results->effect;
}

/* Of that size at least the cache of instructions is too small, and that of decoded ones is all the more. */
static bool is_loop_large(const struct told *told)
{
    static const double CACHE_BYTES = 32 * 1024; /* of instructions, at least */
    return !told->loop_differs && told->loop_bytes > CACHE_BYTES;
}

bool trial_is_of_both_caches(const struct results *results, const struct finding *finding,
                             const struct told_trial *trial)
{
    return trial->treatment == TREATMENT_LESS_UNROLLING && finding_is(finding, "uop-cache") &&
           is_loop_large(results->told);
}

bool trial_is_of_cause(const struct results *results, const struct finding *finding, enum treatment treatment)
{
    bool is_told = results->told->loop_bytes > 0 && !results->told->loop_differs;
    switch (treatment) {
    case TREATMENT_TICK: /* exits that no tick makes, which a trial of theirs decides */
        return !finding_is(finding, "vm-exits") || !has_helped(results, TREATMENT_HALT_POLL);
    case TREATMENT_NO_LIMIT:
        return told_has_quota(results->imported) || results->told->names_quota;
    case TREATMENT_BUFFER:
        return has_calls(results->imported);
    case TREATMENT_FAULTED_AHEAD:
        return finding_is(finding, "copying") == copies_most(results->imported);
    case TREATMENT_SMALLER_NUMBERS:
        return waits_for_bandwidth(results);
    case TREATMENT_LESS_UNROLLING: /* by how large the loop was, or that decoding was counted */
        if (finding_is(finding, "front-end"))
            return is_loop_large(results->told);
        return (is_told && !is_loop_large(results->told)) || counts_decoding(results->imported);
    default:
        return true;
    }
}

const struct attempt trial_attempts[] = {
    {"vm-exits", TREATMENT_TICK, 0},
    {"vm-exits", TREATMENT_HALT_POLL, TRIAL_MAY_FAIL | TRIAL_OPENS}, /* others may take the time */
    {"timer-tick", TREATMENT_TICK, 0},
    {"small-pages", TREATMENT_PAGES, 0},
    {"host-small-pages", TREATMENT_PAGES, 0},
    {"avx512-licence", TREATMENT_NARROW, 0},
    {"numa-remote", TREATMENT_LOCAL_MEMORY, 0},
    {"steal", TREATMENT_VCPU_PINNING, TRIAL_OPENS},
    {"migrations", TREATMENT_PINNING, TRIAL_OPENS},
    {"smt-sharing", TREATMENT_NO_SMT, 0},
    {"dram-latency", TREATMENT_PREFETCH, 0},
    {"system-calls", TREATMENT_NO_MITIGATIONS, TRIAL_MAY_FAIL | TRIAL_OPENS}, /* they cost without them, too */
    {"allocation", TREATMENT_ALLOCATOR, TRIAL_MAY_FAIL | TRIAL_OPENS},        /* the other one may cost as much */
    {"frequency", TREATMENT_GOVERNOR, 0},
    {"cpu-quota", TREATMENT_NO_QUOTA, 0},
    {"swap", TREATMENT_NO_SWAP, TRIAL_MAY_FAIL},            /* mapped files are read back all the same */
    {"contended-lines", TREATMENT_PADDING, TRIAL_MAY_FAIL}, /* one variable that all write stays one */
    {"denormals", TREATMENT_FLUSH, 0},
    {"unoptimised-build", TREATMENT_OPTIMISED, 0},
    {"numa-remote", TREATMENT_INTERLEAVE, 0},
    {"numa-remote", TREATMENT_MOVED_MEMORY, TRIAL_MAY_FAIL}, /* it may lie as far off there */
    {"thermal-power", TREATMENT_POWER, 0},
    {"page-faults", TREATMENT_KEPT_MEMORY, 0},
    {"oversubscribed", TREATMENT_THREADS_PER_CPU, 0},
    {"oversubscribed", TREATMENT_FEWER_THREADS, TRIAL_UNSURE},
    {"system-calls", TREATMENT_CLOCK_SOURCE, 0},
    {"front-end", TREATMENT_CODE_PAGES, TRIAL_MAY_FAIL}, /* misses of the caches stay as many on huge pages */
    {"cpu-quota", TREATMENT_NO_LIMIT, 0},
    {"garbage-collection", TREATMENT_HEAP, TRIAL_MAY_FAIL}, /* a larger one has more to go over */
    {"system-calls", TREATMENT_BUFFER, TRIAL_MAY_FAIL},
    {"front-end", TREATMENT_LESS_UNROLLING, TRIAL_MAY_FAIL},
    {"uop-cache", TREATMENT_LESS_UNROLLING, TRIAL_MAY_FAIL},
    {"swap", TREATMENT_MORE_MEMORY, TRIAL_MAY_FAIL},
    {"swap", TREATMENT_MEMORY_LIMIT, TRIAL_MAY_FAIL},
    {"branch-mispredicts", TREATMENT_NO_BRANCHES, TRIAL_MAY_FAIL}, /* compilers may have made it so before */
    {"lock-turns", TREATMENT_FINER_LOCK, TRIAL_MAY_FAIL},
    {"divider", TREATMENT_NO_DIVISION, TRIAL_MAY_FAIL},
    {"narrow-vectors", TREATMENT_WIDER, TRIAL_MAY_FAIL},
    {"page-faults", TREATMENT_FAULTED_AHEAD, TRIAL_MAY_FAIL}, /* they may only have come earlier */
    {"copying", TREATMENT_FAULTED_AHEAD, TRIAL_MAY_FAIL},
    {"idle-cpus", TREATMENT_MORE_THREADS, TRIAL_MAY_FAIL | TRIAL_OPENS}, /* they may take turns */
    {"idle-cpus", TREATMENT_SET_THREADS, TRIAL_MAY_FAIL | TRIAL_UNSURE},
    {"memory-bandwidth", TREATMENT_SMALLER_NUMBERS, TRIAL_MAY_FAIL | TRIAL_OPENS},
    {"page-faults", TREATMENT_NO_BALANCING, TRIAL_MAY_FAIL}, /* most faults are of other kinds */
    {"system-calls", TREATMENT_BATCHED_CALLS, TRIAL_MAY_FAIL},
    {"interrupts", TREATMENT_MOVED_INTERRUPTS, 0},
    {"steal", TREATMENT_OWN_HOST, 0},
    {"instrumented-build", TREATMENT_NO_INSTRUMENTATION, 0},
    {"front-end", TREATMENT_COMPACT_CODE, TRIAL_MAY_FAIL},
    {"load-chain", TREATMENT_FLAT_DATA, TRIAL_MAY_FAIL},
    {"copying", TREATMENT_NO_COPIES, 0},
    {"waiting", TREATMENT_NO_DISK, TRIAL_MAY_FAIL}, /* it waits for much else */
    {"waiting", TREATMENT_FASTER_DISK, TRIAL_MAY_FAIL},
    {"waiting", TREATMENT_BATCHED_COMMITS, TRIAL_MAY_FAIL},
    {"oversubscribed", TREATMENT_MORE_CPUS, TRIAL_UNSURE},
    {"small-pages", TREATMENT_NO_HUGE_PAGES, 0},
    {"host-small-pages", TREATMENT_NO_HUGE_PAGES, 0},
    {"page-faults", TREATMENT_NO_HUGE_PAGES, TRIAL_MAY_FAIL}, /* their number grows */
};

const size_t trial_attempt_count = array_count(trial_attempts);

bool trial_attempt_is(const struct finding *finding, enum treatment treatment, unsigned how)
{
    for (size_t at = 0; at < trial_attempt_count; at++)
        if (trial_attempts[at].treatment == treatment && finding_is(finding, trial_attempts[at].id))
            return trial_attempts[at].how & how;
    return false;
}

const struct told_trial *trial_for(const struct results *results, const struct finding *finding,
                                   const struct told_trial **ret_contrary)
{
    const struct told_trial *found = NULL;
    for (size_t at = 0; at < trial_attempt_count && !found; at++)
        if (finding_is(finding, trial_attempts[at].id) &&
            trial_is_of_cause(results, finding, trial_attempts[at].treatment))
            found = trial_of_side(results->told, trial_attempts[at].treatment, finding_is(finding, "host-small-pages"),
                                  results->effect, ret_contrary);
    return found;
}
