/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_change.h"

#include "analyse/told/told_words.h"
#include "base/vec.h"

#include <ctype.h>
#include <string.h>

enum direction {
    BROUGHT_IN, /* "with huge pages" */
    TAKEN_AWAY, /* "without SMT" */
    SAID_WHOLE  /* the words say both: "nosmt" */
};

struct change {
    const char *name;
    enum direction direction;
    const char *words[20];
    const char *whole[6];   /* words that say the direction, too */
    const char *other[4];   /* in the same sentence they make another thing of it: "hardware prefetch" */
    const char *without[5]; /* what the state without it is called: "small pages" */
};

static const struct change changes[] = {
    [TREATMENT_TICK] = {"nohz_full", BROUGHT_IN, .words = {"nohz_full", "nohz-full", "tickless"}},
    [TREATMENT_PAGES] = {"huge pages", BROUGHT_IN,
                         .words = {"huge page", "huge-page", "hugepage", "huge_page", "transparent_hugepage", "hugetlb",
                                   "thp", "2m pages", "2 mb pages", "2mb pages", "2 mib pages", "2 m pages", "1g pages",
                                   "1 gib pages", "1 gb pages", "large pages"},
                         .without = {"small pages", "4k pages", "4 kib pages", "4kb pages", "4 kb pages"}},
    [TREATMENT_NARROW] = {"narrower vectors", SAID_WHOLE,
                          .words = {"without avx-512", "without avx512", "no avx-512", "no avx512", "avx-512 off",
                                    "avx512 off", "avx-512 disabled", "avx512 disabled", "disabling avx-512",
                                    "disabling avx512", "disabled avx-512", "disabled avx512", "avx-512 left out",
                                    "prefer-vector-width=256", "mprefer-vector-width=256", "mno-avx512"}},
    [TREATMENT_LOCAL_MEMORY] = {"memory on its own node", BROUGHT_IN,
                                .words = {"membind", "localalloc", "memory local", "local memory", "same numa node",
                                          "same node", "one numa node", "single numa node"},
                                .whole = {"membind="}},
    [TREATMENT_VCPU_PINNING] = {"pinned vCPUs", BROUGHT_IN,
                                .words = {"vcpu pin", "vcpus pin", "vcpupin", "pinned the vcpu", "pinning the vcpu",
                                          "pinning vcpu", "pinned vcpu", "pinned all vcpu", "pinning all vcpu",
                                          "pinned its vcpu", "pin the vcpu"}},
    [TREATMENT_PINNING] = {"pinned threads", BROUGHT_IN,
                           .words = {"pinned", "pinning", "taskset", "isolcpus", "cpu affinity", "thread affinity",
                                     "sched_setaffinity", "cpunodebind", "physcpubind", "proc_bind"},
                           .other = {"vcpu", "pinned memory", "pinned host memory", "pinned buffer"}},
    [TREATMENT_NO_SMT] = {"one thread a core", TAKEN_AWAY,
                          .words = {"smt", "hyper-threading", "hyperthreading", "hyper threading"},
                          .whole = {"nosmt", "one thread per core", "one thread a core"}},
    [TREATMENT_PREFETCH] = {"software prefetching", BROUGHT_IN,
                            .words = {"prefetch", "__builtin_prefetch", "_mm_prefetch"},
                            .other = {"hardware prefetch", "hw prefetch", "prefetcher"}},
    [TREATMENT_NO_MITIGATIONS] = {"mitigations off", TAKEN_AWAY,
                                  .words = {"mitigation", "retpoline", "spectre", "meltdown", "kpti", "pti"},
                                  .whole = {"nopti", "nospectre"}},
    [TREATMENT_ALLOCATOR] = {"another allocator", BROUGHT_IN,
                             .words = {"jemalloc", "tcmalloc", "mimalloc", "snmalloc", "libjemalloc",
                                       "libtcmalloc", "libmimalloc", "another allocator",
                                       "other allocator", "different allocator", "arena allocator", "pool allocator"},
                             .without = {"glibc malloc", "glibc's malloc", "system malloc", "ptmalloc"}},
    [TREATMENT_GOVERNOR] = {"the performance governor", BROUGHT_IN,
                            .words = {"performance governor", "governor=performance", "governor to performance",
                                      "governor performance", "governor to 'performance'"}},
    [TREATMENT_NO_QUOTA] = {"no CPU quota", TAKEN_AWAY,
                            .words = {"cpu quota", "the quota", "cpu limit", "cpu.max", "cfs_quota", "cpuquota",
                                      "--cpus"},
                            .whole = {"cpu.max = max", "cpu.max=max", "cfs_quota_us=-1"}},
    [TREATMENT_NO_SWAP] = {"no swap", TAKEN_AWAY, .words = {"swap", "swapping"}, .whole = {"swapoff", "swappiness=0"}},
    [TREATMENT_PADDING] = {"cache lines of their own", BROUGHT_IN,
                           .words = {"padded", "padding", "alignas", "cacheline-aligned", "cache-line-aligned",
                                     "cache line aligned", "own cache line", "separate cache lines"},
                           .without = {"unpadded"}},
    [TREATMENT_FLUSH] = {"denormals flushed to zero", BROUGHT_IN,
                         .words = {"flush-to-zero", "flush to zero", "ftz", "daz", "denormals-are-zero"}},
    [TREATMENT_OPTIMISED] = {"an optimised build", BROUGHT_IN,
                             .words = {"-o2", "-o3", "optimised build", "optimized build", "release build"},
                             .without = {"debug build", "-o0", "unoptimised", "unoptimized"}},
    [TREATMENT_INTERLEAVE] = {"memory interleaved over the nodes", BROUGHT_IN,
                              .words = {"interleave", "interleaved", "interleaving"}},
    [TREATMENT_POWER] = {"a higher power limit", TAKEN_AWAY,
                         .words = {"power limit", "power cap", "power-limit", "package limit", "rapl limit"},
                         .whole = {"higher power limit", "higher power cap", "higher pl1"}},
    [TREATMENT_KEPT_MEMORY] = {"freed memory kept", BROUGHT_IN,
                               .words = {"m_mmap_threshold", "m_trim_threshold", "malloc_mmap_threshold_",
                                         "malloc_trim_threshold_", "mmap_threshold", "trim_threshold",
                                         "malloc_top_pad_"}},
    [TREATMENT_FEWER_THREADS] = {"no more threads than CPUs", SAID_WHOLE,
                                 .words = {"fewer threads", "half the threads", "half as many threads",
                                           "as many threads as cpus", "as many threads as cores",
                                           "one thread per cpu", "a thread per cpu"}},
};
_Static_assert(array_count(changes) == TREATMENT_COUNT, "each change by its names");

/* Which pairs of characters follow one another in a text, as bits of their hashes: most names are in none. */
static uint64_t pair_bit(const char *text)
{
    return UINT64_C(1) << (((unsigned char)text[0] * 31u + (unsigned char)text[1]) % 64);
}

static uint64_t pairs_of(const char *plain)
{
    uint64_t pairs = 0;
    for (; plain[0] && plain[1]; plain++)
        pairs |= pair_bit(plain);
    return pairs;
}

/* Where a word begins so; a short one is whole: "smtp" is no SMT, a swapper no swapping. */
static const char *name_place(const char *plain, const char *words)
{
    enum { SHORT = 4 };
    size_t length = strlen(words);
    for (const char *place = plain_find(plain, words); place; place = plain_find(place + 1, words))
        if (length > SHORT || words[length - 1] == ' ' || !isalnum((unsigned char)place[length]))
            return place;
    return NULL;
}

/* The first of these words that stands there, and where it ends; pairs: of plain. */
static const char *named_at(const char *plain, uint64_t pairs, const char *const *words, size_t count,
                            const char **ret_end)
{
    const char *found = NULL;
    for (size_t at = 0; at < count && words[at] && !found; at++) {
        found = pairs & pair_bit(words[at]) ? name_place(plain, words[at]) : NULL;
        if (found)
            *ret_end = found + strlen(words[at]);
    }
    return found;
}

static bool is_named(const char *plain, uint64_t pairs, const char *const *words, size_t count)
{
    const char *ignored = NULL;
    return named_at(plain, pairs, words, count, &ignored);
}

/*
 * What stands just before the name, in its clause; empty where that is of another thing ("no benefit from huge pages").
 */
enum { NEAR = 24 };

static const char *words_before(const char *plain, const char *place, char near[NEAR + 1])
{
    size_t length = (size_t)(place - plain) < NEAR ? (size_t)(place - plain) : NEAR;
    memcpy(near, place - length, length);
    near[length] = '\0';
    char *clause = strrchr(near, ',');
    return strstr(near, " from ") || strstr(near, " of ") ? "" : clause ? clause : near;
}

static bool has_behind(const char *end)
{
    static const char *const behind[] = {
        " off",           "=off",          " disabled",         "=never",          "=0",
        " were disabled", " was disabled", " removed",          " was removed",    " lifted",
        " was lifted",    " switched off", " was switched off", " was turned off", " turned off"};
    end += strcspn(end, " ="); /* "pages", "hyperthreads" */
    for (size_t at = 0; at < array_count(behind); at++)
        if (strncmp(end, behind[at], strlen(behind[at])) == 0)
            return true;
    return false;
}

/* A limit that is raised takes no more away: of what is taken away alone, since huge pages are raised in number. */
static bool is_raised(const char *before, const char *end)
{
    static const char *const raising[] = {"raising ", "raised ", "raise ", "raises ", "increas"};
    static const char *const behind[] = {" raised", " was raised", " increased", " was increased"};
    bool raised = is_named(before, pairs_of(before), raising, array_count(raising));
    for (size_t at = 0; at < array_count(behind); at++)
        raised |= strncmp(end, behind[at], strlen(behind[at])) == 0;
    return raised;
}

/* What somebody did, or the state that somebody found. */
static enum change_reading change_in(const char *plain, uint64_t pairs, const struct change *change)
{
    static const char *const removing[] = {
        "disabl", "turning off ", "turned off ", "turn off ", "switching off ",  "switched off ", "switch off ",
        "remov",  "lifting ",     "lifted ",     "dropping ", "getting rid of ", "reverting ",    "reverted "};
    static const char *const adding[] = {"enabl",         "re-enabl",     "turning on ", "turned on ", "turn on ",
                                         "switching on ", "switched on ", "adding ",     "added "};
    static const char *const absent[] = {"without ", " no ", "before ", "instead of ", " not "};
    char near[NEAR + 1];
    const char *end = NULL, *place = named_at(plain, pairs, change->words, array_count(change->words), &end);
    if (is_named(plain, pairs, change->whole, array_count(change->whole)))
        return CHANGE_MADE;
    if (!place)
        return is_named(plain, pairs, change->without, array_count(change->without)) ? CHANGE_NOT_MADE : CHANGE_NONE;
    if (is_named(plain, pairs, change->other, array_count(change->other)))
        return CHANGE_NONE;
    const char *before = words_before(plain, place, near);
    uint64_t near_pairs = pairs_of(before);
    bool removed = is_named(before, near_pairs, removing, array_count(removing)) ||
                   (change->direction == TAKEN_AWAY && is_raised(before, end)),
         is_absent = removed || is_named(before, near_pairs, absent, array_count(absent)) || has_behind(end);
    if (change->direction == SAID_WHOLE || is_absent == (change->direction == TAKEN_AWAY))
        return CHANGE_MADE;
    bool undone = change->direction == BROUGHT_IN ? removed : is_named(before, near_pairs, adding, array_count(adding));
    return undone ? CHANGE_TAKEN_BACK : CHANGE_NOT_MADE;
}

/*
 * What comes with another change is a part of it: nohz_full is given for isolated CPUs, memory of one node with its
 * CPUs, a guest's CPUs are pinned as threads are.
 */
static bool is_part(enum treatment treatment, const bool *named)
{
    return treatment == TREATMENT_PINNING &&
           (named[TREATMENT_TICK] || named[TREATMENT_LOCAL_MEMORY] || named[TREATMENT_VCPU_PINNING]);
}

enum change_reading told_change_of(const char *plain, enum treatment *ret_treatment)
{
    bool named[TREATMENT_COUNT] = {false};
    enum change_reading reading = CHANGE_NONE;
    uint64_t pairs = pairs_of(plain);
    for (int at = 0; at < TREATMENT_COUNT; at++) {
        enum change_reading here =
            is_part((enum treatment)at, named) ? CHANGE_NONE : change_in(plain, pairs, &changes[at]);
        if (here == CHANGE_NONE)
            continue;
        named[at] = true;
        *ret_treatment = (enum treatment)at;
        reading = reading == CHANGE_NONE ? here : CHANGE_SEVERAL;
    }
    return reading;
}

bool told_change_adds(enum treatment treatment, bool *ret_adds)
{
    *ret_adds = changes[treatment].direction == BROUGHT_IN;
    return changes[treatment].direction != SAID_WHOLE;
}

const char *told_change_name(enum treatment treatment)
{
    return changes[treatment].name;
}
