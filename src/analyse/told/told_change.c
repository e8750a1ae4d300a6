/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_change.h"

#include "analyse/told/told_beside.h"
#include "analyse/told/told_near.h"
#include "analyse/told/told_quantity.h"
#include "analyse/told/told_setting.h"
#include "analyse/told/told_size.h"
#include "analyse/told/told_words.h"

#include <ctype.h>
#include <string.h>

enum direction {
    BROUGHT_IN, /* "with huge pages" */
    TAKEN_AWAY, /* "without SMT" */
    SAID_WHOLE  /* the words say both: "-fno-unroll-loops" */
};

struct change {
    const char *name;
    enum direction direction;
    enum words words;
    enum words whole;   /* words that say the direction, too */
    enum words other;   /* in the same sentence they make another thing of it: "hardware prefetch" */
    enum words without; /* what the state without it is called: "small pages" */
    enum words undone;  /* what taking it back is called: "unpinned" */
    enum words loose, about, unlike; /* words that mean much else: where about stands and unlike doesn't */
};

static const struct change changes[] = {
    [TREATMENT_TICK] = {"nohz_full", BROUGHT_IN, WORDS_TICK},
    [TREATMENT_PAGES] = {"huge pages", BROUGHT_IN, WORDS_PAGES, .other = WORDS_PAGES_OTHER,
                         .without = WORDS_PAGES_SMALL},
    [TREATMENT_NARROW] = {"narrower vectors", TAKEN_AWAY, WORDS_WIDE, WORDS_NARROW},
    [TREATMENT_LOCAL_MEMORY] = {"memory on its own node", BROUGHT_IN, WORDS_LOCAL_MEMORY, WORDS_LOCAL_MEMORY_WHOLE,
                                .loose = WORDS_LOCAL_MEMORY_LOOSE, .about = WORDS_LOCAL_MEMORY_ABOUT,
                                .unlike = WORDS_LOCAL_MEMORY_OTHER},
    [TREATMENT_VCPU_PINNING] = {"pinned vCPUs", BROUGHT_IN, WORDS_VCPU_PINNING, .undone = WORDS_VCPU_PINNING_UNDONE},
    [TREATMENT_PINNING] = {"pinned threads", BROUGHT_IN, WORDS_PINNING, .other = WORDS_PINNING_OTHER,
                           .undone = WORDS_PINNING_UNDONE},
    [TREATMENT_NO_SMT] = {"one thread a core", TAKEN_AWAY, WORDS_SMT, WORDS_SMT_OFF, .undone = WORDS_SMT_UNDONE},
    [TREATMENT_PREFETCH] = {"software prefetching", BROUGHT_IN, WORDS_PREFETCH, .other = WORDS_PREFETCH_OTHER},
    [TREATMENT_NO_MITIGATIONS] = {"mitigations off", TAKEN_AWAY, WORDS_MITIGATIONS, WORDS_MITIGATIONS_OFF},
    [TREATMENT_ALLOCATOR] = {"another allocator", BROUGHT_IN, WORDS_ALLOCATOR, .other = WORDS_ALLOCATOR_OTHER,
                             .without = WORDS_ALLOCATOR_USUAL},
    [TREATMENT_GOVERNOR] = {"the performance governor", BROUGHT_IN, WORDS_GOVERNOR, .without = WORDS_GOVERNOR_USUAL},
    [TREATMENT_NO_QUOTA] = {"the CPU limit raised or lifted", TAKEN_AWAY, WORDS_QUOTA, WORDS_QUOTA_OFF},
    [TREATMENT_NO_SWAP] = {"no swap", TAKEN_AWAY, WORDS_SWAP, WORDS_SWAP_OFF},
    [TREATMENT_PADDING] = {"cache lines of their own", BROUGHT_IN, WORDS_PADDING, .without = WORDS_PADDING_NONE},
    [TREATMENT_FLUSH] = {"denormals flushed to zero", BROUGHT_IN, WORDS_FLUSH},
    [TREATMENT_OPTIMISED] = {"an optimised build", BROUGHT_IN, WORDS_OPTIMISED, .without = WORDS_OPTIMISED_NOT},
    [TREATMENT_INTERLEAVE] = {"memory interleaved over the nodes", BROUGHT_IN, WORDS_INTERLEAVE},
    [TREATMENT_POWER] = {"a higher power limit", TAKEN_AWAY, WORDS_POWER, WORDS_POWER_HIGHER},
    [TREATMENT_KEPT_MEMORY] = {"freed memory kept", BROUGHT_IN, WORDS_KEPT_MEMORY},
    [TREATMENT_FEWER_THREADS] = {"fewer threads", SAID_WHOLE, WORDS_FEWER_THREADS},
    [TREATMENT_CODE_PAGES] = {"huge pages for the code", BROUGHT_IN, WORDS_CODE_PAGES, .without = WORDS_PAGES_SMALL},
    [TREATMENT_NO_LIMIT] = {"the limit lifted", TAKEN_AWAY, WORDS_LIMIT, WORDS_LIMIT_OFF, WORDS_LIMIT_OTHER},
    [TREATMENT_HEAP] = {"a larger heap", SAID_WHOLE, WORDS_HEAP, .other = WORDS_HEAP_OTHER},
    [TREATMENT_BUFFER] = {"a larger buffer", SAID_WHOLE, WORDS_BUFFER, .other = WORDS_BUFFER_OTHER},
    [TREATMENT_LESS_UNROLLING] = {"less unrolling", SAID_WHOLE, WORDS_UNROLLING},
    [TREATMENT_MORE_MEMORY] = {"more memory", SAID_WHOLE, WORDS_MORE_MEMORY, .other = WORDS_MORE_MEMORY_OTHER},
    [TREATMENT_MEMORY_LIMIT] = {"a higher memory limit of its control group", SAID_WHOLE, WORDS_MEMORY_LIMIT},
    [TREATMENT_NO_BRANCHES] = {"code without that branch, or sorted data", BROUGHT_IN, WORDS_NO_BRANCHES,
                               .other = WORDS_NO_BRANCHES_OTHER},
    [TREATMENT_FINER_LOCK] = {"a finer lock, or none", BROUGHT_IN, WORDS_FINER_LOCK},
    [TREATMENT_NO_DIVISION] = {"no division", SAID_WHOLE, WORDS_NO_DIVISION},
    [TREATMENT_WIDER] = {"a build for the machine's vectors", BROUGHT_IN, WORDS_WIDER},
    [TREATMENT_FAULTED_AHEAD] = {"memory allocated or faulted in ahead, or used again", BROUGHT_IN,
                                 WORDS_FAULTED_AHEAD},
    [TREATMENT_BATCHED_CALLS] = {"fewer and larger system calls", BROUGHT_IN, WORDS_BATCHED_CALLS},
    [TREATMENT_MOVED_INTERRUPTS] = {"interrupts on other CPUs", SAID_WHOLE, WORDS_MOVED_INTERRUPTS},
    [TREATMENT_OWN_HOST] = {"a host of its own", BROUGHT_IN, WORDS_OWN_HOST},
    [TREATMENT_NO_INSTRUMENTATION] = {"a build without instrumentation", TAKEN_AWAY, WORDS_INSTRUMENTATION},
    [TREATMENT_COMPACT_CODE] = {"code laid out by a profile, or made smaller", BROUGHT_IN, WORDS_COMPACT_CODE},
    [TREATMENT_THREADS_PER_CPU] = {"no more threads than CPUs", SAID_WHOLE, WORDS_THREADS_PER_CPU},
    [TREATMENT_CLOCK_SOURCE] = {"the TSC as clock source", BROUGHT_IN, WORDS_CLOCK_SOURCE},
    [TREATMENT_FLAT_DATA] = {"an array in place of linked nodes", SAID_WHOLE, WORDS_FLAT_DATA},
    [TREATMENT_NO_COPIES] = {"no copies", SAID_WHOLE, WORDS_NO_COPIES},
    [TREATMENT_NO_DISK] = {"no waits for a disk", SAID_WHOLE, WORDS_NO_DISK},
    [TREATMENT_NO_BALANCING] = {"automatic NUMA balancing off", TAKEN_AWAY, WORDS_BALANCING, WORDS_BALANCING_OFF},
    [TREATMENT_NO_HUGE_PAGES] = {"huge pages off", SAID_WHOLE, WORDS_NONE},
    [TREATMENT_FASTER_DISK] = {"a faster disk", SAID_WHOLE, WORDS_FASTER_DISK},
    [TREATMENT_BATCHED_COMMITS] = {"fewer and larger transactions", SAID_WHOLE, WORDS_BATCHED_COMMITS,
                                   .other = WORDS_BATCHED_COMMITS_OTHER},
    [TREATMENT_MORE_CPUS] = {"more CPUs", SAID_WHOLE, WORDS_MORE_CPUS, .other = WORDS_MORE_CPUS_OTHER},
    [TREATMENT_HALT_POLL] = {"polling in place of halts", BROUGHT_IN, WORDS_HALT_POLL, .other = WORDS_HALT_POLL_OTHER},
    [TREATMENT_MORE_THREADS] = {"more threads", SAID_WHOLE, WORDS_MORE_THREADS},
    [TREATMENT_SET_THREADS] = {"more threads", SAID_WHOLE, WORDS_NONE},
    [TREATMENT_SMALLER_NUMBERS] = {"smaller numbers", SAID_WHOLE, WORDS_SMALLER_NUMBERS},
    [TREATMENT_NO_IDLE_STATES] = {"deep idle states off", SAID_WHOLE, WORDS_IDLE_STATES},
    [TREATMENT_NO_HARDWARE_PREFETCH] = {"hardware prefetchers off", SAID_WHOLE, WORDS_HARDWARE_PREFETCH},
    [TREATMENT_KERNEL_VERSION] = {"another version of the kernel", SAID_WHOLE, WORDS_KERNEL_VERSION},
    [TREATMENT_MOVED_MEMORY] = {"memory moved to another node", BROUGHT_IN, WORDS_MOVED_MEMORY,
                                .other = WORDS_MOVED_MEMORY_OTHER},
};
_Static_assert(array_count(changes) == TREATMENT_COUNT, "each change by its names");
_Static_assert(TREATMENT_COUNT <= 64, "a bit each");

/* ---- what stands beside the name ---- */

/* Where a word begins so; a short one is whole: "smtp" is no SMT, a swapper no swapping. */
static bool name_find(const char *plain, enum words group, const char **ret_begin, const char **ret_end)
{
    enum { SHORT = 4 };
    for (struct match name = match_in(plain, group); match_next(&name);)
        if (name.end - name.begin > SHORT || !isalnum((unsigned char)*name.end)) {
            *ret_begin = name.begin;
            *ret_end = name.end;
            return true;
        }
    return false;
}

/* "dropped huge pages", "took nohz_full out again", a limit that is raised takes no more away */
static bool is_removed(const char *before, const char *end, enum direction direction)
{
    const char *here = before + strlen(before);
    bool raised = plain_has(before, WORDS_CHANGE_RAISING) || words_at(end, WORDS_CHANGE_RAISED);
    return plain_has(before, WORDS_CHANGE_REMOVING) || words_end(before, here, WORDS_CHANGE_DROPPED) ||
           (words_end(before, here, WORDS_CHANGE_TAKING) && words_at(end, WORDS_CHANGE_OUT)) ||
           (direction == TAKEN_AWAY && raised);
}

/* Of two that begin a clause, too. */
static bool is_same_word(struct view one, struct view other)
{
    one.length = view_equal(one, ",") ? 0 : one.length;
    other.length = view_equal(other, ",") ? 0 : other.length;
    return one.length == other.length && memcmp(one.text, other.text, one.length) == 0;
}

/* An amount with a unit, which ends before the limit. */
static bool is_amount_between(const char *place, const char *limit, const char *plain)
{
    struct quantity amount = {.kind = QUANTITY_BARE};
    while (amount.kind == QUANTITY_BARE && quantity_next(place, plain, &amount))
        place = amount.end;
    return amount.kind != QUANTITY_BARE && amount.end < limit;
}

/* "on one machine with huge pages 31 s , on another with huge pages 44 s": both were run so. */
static bool is_on_both_sides(const char *plain, enum words group, const char *place)
{
    const char *ahead = place;
    struct view before = word_back(plain, &ahead);
    for (struct match name = match_in(plain, group); match_next(&name);) {
        ahead = name.begin;
        if (name.begin > place && is_same_word(word_back(plain, &ahead), before) &&
            is_amount_between(place, name.begin, plain) &&
            is_amount_between(name.end, name.end + strlen(name.end), plain))
            return true;
    }
    return false;
}

/* "without SMT", "not huge pages"; "did not change with huge pages" is what came of them. */
static bool is_absent_before(const char *before)
{
    static const struct word_rule absent = {WORDS_CHANGE_ABSENT, .not_behind = WORDS_CHANGE_OUTCOME};
    return rules_hold(before, &absent, 1);
}

/* "went back to glibc malloc": what takes it back is told by the state without it. */
static enum change_reading without_in(const char *plain, enum words without)
{
    enum change_reading reading = CHANGE_NONE;
    for (struct match state = match_in(plain, without); match_next(&state) && reading != CHANGE_TAKEN_BACK;)
        reading = words_end(plain, state.begin, WORDS_CHANGE_BACK_TO) ? CHANGE_TAKEN_BACK : CHANGE_NOT_MADE;
    return reading;
}

/* What stands beside its name takes the trial back: "dropped huge pages", "SMT on again". */
static bool is_undone(const char *before, const char *end, bool removed, enum direction direction)
{
    const char *behind = end + strcspn(end, " =");
    if (direction == BROUGHT_IN)
        return removed || words_at(behind, WORDS_CHANGE_BACK_OFF);
    return plain_has(before, WORDS_CHANGE_ADDING) || words_at(behind, WORDS_CHANGE_BACK_ON);
}

/* "on the same node", where memory is told of, and no cluster. */
static bool loose_find(const char *plain, const struct change *change, const char **ret_begin, const char **ret_end)
{
    return change->loose && plain_has(plain, change->about) && !plain_has(plain, change->unlike) &&
           name_find(plain, change->loose, ret_begin, ret_end);
}

/* What somebody did, or the state that somebody found. */
static enum change_reading change_in(const char *plain, const struct change *change)
{
    struct near before;
    const char *end = NULL, *place = NULL;
    bool named = name_find(plain, change->words, &place, &end) || loose_find(plain, change, &place, &end);
    if (plain_has(plain, change->other))
        return CHANGE_NONE;
    const char *whole = NULL, *ignored;
    if (name_find(plain, change->whole, &whole, &ignored))
        return CHANGE_MADE;
    if (!named && plain_has(plain, change->undone))
        return CHANGE_TAKEN_BACK;
    if (!named)
        return without_in(plain, change->without);
    if (words_at(end + strcspn(end, " ="), WORDS_CHANGE_KEPT))
        return CHANGE_NONE;
    if (near_is_denied(plain, place) || words_end(plain, place, WORDS_CHANGE_STANDING))
        return CHANGE_NOT_MADE;
    before = near_of(plain, place);
    bool removed = is_removed(before.text, end, change->direction) || words_end(plain, place, WORDS_CHANGE_REMOVING_OF);
    bool is_absent = removed || is_absent_before(before.text) ||
                     words_at(end + strcspn(end, " ="), WORDS_CHANGE_OFF); /* "pages", "hyperthreads" */
    if (change->direction == SAID_WHOLE || is_absent == (change->direction == TAKEN_AWAY))
        return is_on_both_sides(plain, change->words, place) ? CHANGE_NOT_MADE : CHANGE_MADE;
    return is_undone(before.text, end, removed, change->direction) ? CHANGE_TAKEN_BACK : CHANGE_NOT_MADE;
}

/* ---- which of several it is ---- */

/* "tcmalloc is as slow as jemalloc", "1 GiB pages instead of 2 MiB pages": one cure against another. */
static bool compares_variants(const char *plain, enum words names)
{
    const char *first = NULL;
    for (struct match name = match_in(plain, names); match_next(&name);) {
        if (first && name.begin[0] != first[0])
            return true;
        first = first ? first : name.begin;
    }
    return false;
}

/*
 * What comes with another change is a part of it: nohz_full is given for isolated CPUs, memory of one node with its
 * CPUs, a guest's CPUs are pinned as threads are.
 */
static bool is_part(enum treatment treatment, uint64_t named)
{
    static const uint64_t wholes[TREATMENT_COUNT] = {
        [TREATMENT_PINNING] = UINT64_C(1) << TREATMENT_TICK | UINT64_C(1) << TREATMENT_LOCAL_MEMORY |
                              UINT64_C(1) << TREATMENT_VCPU_PINNING,
        [TREATMENT_NO_LIMIT] = UINT64_C(1) << TREATMENT_NO_QUOTA | UINT64_C(1) << TREATMENT_POWER,
        /* how many threads there are, and of what numbers, stands beside what was tried */
        [TREATMENT_SET_THREADS] = ~(UINT64_C(1) << TREATMENT_FEWER_THREADS),
        [TREATMENT_SMALLER_NUMBERS] = ~UINT64_C(0),
        [TREATMENT_MOVED_MEMORY] = UINT64_C(1) << TREATMENT_LOCAL_MEMORY | UINT64_C(1) << TREATMENT_INTERLEAVE |
                                   UINT64_C(1) << TREATMENT_PINNING | UINT64_C(1) << TREATMENT_VCPU_PINNING};
    return named & wholes[treatment];
}

/* Whose huge pages they are: the code's where it is named, the data's elsewhere, of both where both are. */
static bool is_of_others(enum treatment treatment, const char *plain)
{
    if (treatment == TREATMENT_PAGES)
        return plain_has(plain, WORDS_PAGES_OF_CODE) && !plain_has(plain, WORDS_PAGES_OF_DATA);
    return treatment == TREATMENT_CODE_PAGES && !plain_has(plain, WORDS_PAGES_OF_CODE);
}

struct named {
    uint64_t all, made; /* a bit each */
};

static enum change_reading named_changes(const char *plain, enum treatment *ret_treatment, struct named *ret_named)
{
    enum change_reading reading = CHANGE_NONE;
    enum treatment set = TREATMENT_COUNT;
    enum change_reading by_setting = told_setting_of(plain, &set);
    uint64_t absent = 0;
    *ret_named = (struct named){0};
    for (int at = 0; at < TREATMENT_COUNT; at++) {
        enum treatment treatment = (enum treatment)at;
        bool is_skipped = is_part(treatment, ret_named->all);
        enum change_reading here = is_skipped ? CHANGE_NONE : change_in(plain, &changes[at]);
        here = here == CHANGE_NONE && !is_skipped ? told_size_of(plain, treatment) : here;
        if (here == CHANGE_NONE || is_of_others(treatment, plain))
            continue;
        here = treatment == set ? by_setting : here;
        ret_named->all |= UINT64_C(1) << at;
        ret_named->made |= here == CHANGE_MADE ? UINT64_C(1) << at : 0;
        absent |= here == CHANGE_NOT_MADE ? UINT64_C(1) << at : 0;
        if (reading == CHANGE_MADE && here == CHANGE_NOT_MADE) /* "with huge pages, but without nohz_full" */
            continue;
        *ret_treatment = treatment;
        reading = reading == CHANGE_NONE || (reading == CHANGE_NOT_MADE && here == CHANGE_MADE) ? here : CHANGE_SEVERAL;
    }
    ret_named->all &= reading == CHANGE_MADE ? ~absent : ret_named->all;
    if (reading != CHANGE_NONE || set == TREATMENT_COUNT)
        return reading;
    ret_named->all |= UINT64_C(1) << set; /* by its file alone: "scaling_governor" */
    *ret_treatment = set;
    return by_setting;
}

uint64_t told_changes_in(const char *plain)
{
    enum treatment ignored;
    struct named named;
    (void)named_changes(plain, &ignored, &named);
    return named.all;
}

/* Others beside them, or several of one of them. */
static bool is_of_more(const char *plain)
{
    return told_changes_another(plain) || compares_variants(plain, WORDS_ALLOCATOR_NAME) ||
           compares_variants(plain, WORDS_PAGES_SIZE);
}

uint64_t told_changes_made(const char *plain)
{
    enum treatment ignored;
    struct named named;
    (void)named_changes(plain, &ignored, &named);
    return named.all == named.made && !is_of_more(plain) ? named.made : 0;
}

enum change_reading told_change_of(const char *plain, enum treatment *ret_treatment)
{
    struct named ignored;
    enum change_reading reading = named_changes(plain, ret_treatment, &ignored);
    if (reading == CHANGE_MADE && *ret_treatment != TREATMENT_PAGES && *ret_treatment != TREATMENT_CODE_PAGES &&
        told_has_no_huge_pages(plain)) /* "with jemalloc and THP off" */
        return CHANGE_SEVERAL;
    return reading != CHANGE_NONE && reading != CHANGE_NOT_MADE && is_of_more(plain) ? CHANGE_SEVERAL : reading;
}

bool told_change_adds(enum treatment treatment, bool *ret_adds)
{
    *ret_adds = changes[treatment].direction == BROUGHT_IN;
    return changes[treatment].direction != SAID_WHOLE;
}

const char *told_state_without(const char *plain, enum treatment treatment)
{
    const char *place = plain_find(plain, changes[treatment].without);
    return place ? place : plain_find(plain, WORDS_LABEL_WITHOUT);
}

bool told_change_is_part(enum treatment treatment, enum treatment whole)
{
    return is_part(treatment, UINT64_C(1) << whole);
}

bool told_has_no_huge_pages(const char *plain)
{
    enum treatment set = TREATMENT_COUNT;
    bool is_put = told_setting_of(plain, &set) == CHANGE_TAKEN_BACK && set == TREATMENT_PAGES;
    return is_put || plain_has(plain, WORDS_PAGES_NEVER);
}

const char *told_change_name(enum treatment treatment)
{
    return changes[treatment].name;
}
