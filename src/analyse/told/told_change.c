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
    const char *words[24];
    const char *whole[12];  /* words that say the direction, too */
    const char *other[14];  /* in the same sentence they make another thing of it: "hardware prefetch" */
    const char *without[5]; /* what the state without it is called: "small pages" */
};

static const struct change changes[] = {
    [TREATMENT_TICK] = {"nohz_full", BROUGHT_IN, .words = {"nohz_full", "nohz-full", "tickless"}},
    [TREATMENT_PAGES] = {"huge pages", BROUGHT_IN,
                         .words = {"huge page",
                                   "huge-page",
                                   "hugepage",
                                   "huge_page",
                                   "transparent_hugepage",
                                   "hugetlb",
                                   "thp",
                                   "2m pages",
                                   "2 mb pages",
                                   "2mb pages",
                                   "2 mib pages",
                                   "2 m pages",
                                   "1g pages",
                                   "1 gib pages",
                                   "1 gb pages",
                                   "large pages",
                                   "mem_page_size=large",
                                   "mem_page_size=2m",
                                   "mem_page_size=1g",
                                   "mem_page_size=2048"},
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
                          .whole = {"nosmt", "one thread per core", "one thread a core", "ht off", "ht disabled",
                                    "disabled ht ", "disabling ht ", "turned off ht ", "turned ht off", "ht=off"}},
    [TREATMENT_PREFETCH] = {"software prefetching", BROUGHT_IN,
                            .words = {"prefetch", "__builtin_prefetch", "_mm_prefetch"},
                            .other = {"hardware prefetch", "hw prefetch", "prefetcher"}},
    [TREATMENT_NO_MITIGATIONS] = {"mitigations off", TAKEN_AWAY,
                                  .words = {"mitigation", "retpoline", "spectre", "meltdown", "kpti", "pti"},
                                  .whole = {"nopti", "nospectre"}},
    [TREATMENT_ALLOCATOR] = {"another allocator", BROUGHT_IN,
                             .words = {"jemalloc", "tcmalloc", "mimalloc", "snmalloc", "libjemalloc", "libtcmalloc",
                                       "libmimalloc", "another allocator", "other allocator", "different allocator",
                                       "arena allocator", "pool allocator"},
                             .without = {"glibc malloc", "glibc's malloc", "system malloc", "ptmalloc"}},
    [TREATMENT_GOVERNOR] = {"the performance governor", BROUGHT_IN,
                            .words = {"performance governor", "performance cpu governor",
                                      "performance scaling governor", "performance cpufreq governor",
                                      "governor=performance", "governor to performance", "governor to 'performance'",
                                      "governor performance", "governor , performance", "governor is performance",
                                      "governor set to performance", "governor was set to performance",
                                      "-g performance"},
                            .without = {"powersave governor", "governor powersave", "ondemand governor",
                                        "schedutil governor"}},
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
                                           "as many threads as cpus", "as many threads as cores", "one thread per cpu",
                                           "a thread per cpu"}},
    [TREATMENT_CODE_PAGES] = {"huge pages for the code", BROUGHT_IN,
                              .words = {"hugify", "hugified", "huge page", "huge-page", "hugepage", "huge_page",
                                        "transparent_hugepage", "hugetlb", "thp", "2m pages", "2 mb pages", "2mb pages",
                                        "2 mib pages", "2 m pages", "1g pages", "1 gib pages", "1 gb pages",
                                        "large pages", "huge text"},
                              .without = {"small pages", "4k pages", "4 kib pages", "4kb pages", "4 kb pages"}},
    [TREATMENT_NO_LIMIT] = {"the limit lifted", TAKEN_AWAY,
                            .words = {"the limit", "that limit", "this limit", "its limit", "limits of the pod",
                                      "limit of the pod", "limits of the container", "limit of the container",
                                      "container limit", "container's limit", "pod limit", "pod's limit",
                                      "cgroup limit"},
                            .whole = {"limit removed", "limits removed", "limit lifted", "limits lifted", "limit gone"},
                            .other = {"memory limit", "memory.max", "power limit", "rate limit", "connection limit",
                                      "file limit", "time limit", "size limit", "thermal limit", "speed limit",
                                      "bandwidth limit", "request limit", "thread limit", "limit of mem"}},
    [TREATMENT_HEAP] = {"a larger heap", SAID_WHOLE,
                        .words = {"larger heap", "bigger heap", "heap twice as large", "twice the heap",
                                  "doubled the heap", "doubling the heap", "larger young generation",
                                  "bigger young generation", "larger nursery", "gogc=off"},
                        .other = {"smaller heap", "without a larger heap", "no larger heap"}},
    [TREATMENT_BUFFER] = {"a larger buffer", SAID_WHOLE,
                          .words = {"larger buffer", "bigger buffer", "larger reads", "bigger reads", "larger writes",
                                    "bigger writes", "setvbuf", "buffered reads", "buffered writes", "buffered i/o",
                                    "buffered io", "buffered reader", "bufferedreader", "bufreader", "bufwriter"},
                          .other = {"ring buffer", "smaller buffer", "socket buffer", "buffer pool", "trace buffer",
                                    "store buffer", "without a larger", "no larger", "frame buffer"}},
    [TREATMENT_LESS_UNROLLING] = {"less unrolling", SAID_WHOLE, .words = {"-fno-unroll-loops"}},
    [TREATMENT_MORE_MEMORY] = {"more memory", SAID_WHOLE,
                               .words = {"more memory", "more ram", "twice the memory", "twice the ram",
                                         "double the memory", "double the ram", "doubled the memory", "doubled the ram",
                                         "doubled its memory", "doubled its ram"},
                               .other = {"no more memory", "no more ram", "needs more memory", "takes more memory",
                                         "uses more memory", "used more memory", "use more memory",
                                         "needed more memory", "video memory", "gpu memory", "shared memory"}},
};
_Static_assert(array_count(changes) == TREATMENT_COUNT, "each change by its names");
_Static_assert(TREATMENT_COUNT <= 32, "a bit each");

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

/* "we never enabled it", "not because of it" */
static bool is_denied(const char *plain, const char *place)
{
    static const char *const denials[] = {
        "never enabled ", "never used ",    "never turned ",  "never had ", "never tried ", "never set ",
        "never pinned ",  "never switched", "n't enable",     "n't use ",   "n't turn ",    "n't have ",
        "n't try ",       "n't tried ",     "n't set ",       "n't switch", "n't disable",  "n't pin ",
        "not because",    "not due to ",    "not thanks to ", "not by "};
    enum { FAR = 32 };
    struct view near = {plain, (size_t)(place - plain)};
    near = view_skip(near, near.length > FAR ? near.length - FAR : 0);
    for (size_t at = 0; at < array_count(denials); at++)
        if (view_find(near, denials[at]) >= 0)
            return true;
    return false;
}

static bool has_behind(const char *end)
{
    static const char *const behind[] = {
        " off",           "=off",          " disabled",         "=never",          "=0",
        " were disabled", " was disabled", " removed",          " was removed",    " lifted",
        " was lifted",    " switched off", " was switched off", " was turned off", " turned off",
        " gone",          " were gone"};
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

/* "dropped huge pages": what dropped with them is another thing. */
static bool ends_so(const char *before)
{
    static const char *const ends[] = {"dropped ", "dropped the ", "ditched ",   "ditched the ",
                                       "gave up ", "gave up the ", "gave up on "};
    for (size_t at = 0; at < array_count(ends); at++)
        if (view_ends(view_of(before), ends[at]))
            return true;
    return false;
}

/* "took nohz_full out again" */
static bool is_taken_out(const char *before, const char *end)
{
    static const char *const taking[] = {"took ", "taking ", "taken ", "take ", "took the ", "taking the "};
    bool out = strncmp(end, " out ", 5) == 0 || strncmp(end, " away ", 6) == 0 || strncmp(end, " back out ", 10) == 0;
    for (size_t at = 0; at < array_count(taking) && out; at++)
        if (view_ends(view_of(before), taking[at]))
            return true;
    return false;
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
    if (is_named(plain, pairs, change->other, array_count(change->other)))
        return CHANGE_NONE;
    if (is_named(plain, pairs, change->whole, array_count(change->whole)))
        return CHANGE_MADE;
    if (place && is_denied(plain, place))
        return CHANGE_NOT_MADE;
    if (!place)
        return is_named(plain, pairs, change->without, array_count(change->without)) ? CHANGE_NOT_MADE : CHANGE_NONE;
    const char *before = words_before(plain, place, near);
    uint64_t near_pairs = pairs_of(before);
    bool removed = is_named(before, near_pairs, removing, array_count(removing)) || ends_so(before) ||
                   is_taken_out(before, end) || (change->direction == TAKEN_AWAY && is_raised(before, end)),
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
    return (treatment == TREATMENT_PINNING &&
            (named[TREATMENT_TICK] || named[TREATMENT_LOCAL_MEMORY] || named[TREATMENT_VCPU_PINNING])) ||
           (treatment == TREATMENT_NO_LIMIT && (named[TREATMENT_NO_QUOTA] || named[TREATMENT_POWER]));
}

/* Whose huge pages they are: the code's where it is named, the data's elsewhere, of both where both are. */
static bool is_of_others(enum treatment treatment, const char *plain, uint64_t pairs)
{
    static const char *const code[] = {".text",
                                       "text segment",
                                       "text section",
                                       "text page",
                                       "text mapping",
                                       "the text ",
                                       "huge text",
                                       "program text",
                                       "--text",
                                       "code segment",
                                       "code section",
                                       "code page",
                                       "code on ",
                                       "code onto ",
                                       "code to ",
                                       "for code",
                                       "for the code",
                                       "hot code",
                                       "its code",
                                       "code cache",
                                       "the code ",
                                       "our code",
                                       "hugify",
                                       "hugified",
                                       "hugetlb_elfmap",
                                       "itlb",
                                       "instruction tlb",
                                       "executable mapping",
                                       "executable page",
                                       "executable segment",
                                       "read_only_thp_for_fs",
                                       "iodlr"};
    static const char *const data[] = {"dtlb", "heap", "data ", "array", "buffer", "anonymous", "anon ", "malloc"};
    if (treatment != TREATMENT_PAGES && treatment != TREATMENT_CODE_PAGES)
        return false;
    bool of_code = is_named(plain, pairs, code, array_count(code)),
         of_data = is_named(plain, pairs, data, array_count(data));
    return treatment == TREATMENT_PAGES ? of_code && !of_data : !of_code;
}

/* ---- files of settings ---- */

struct setting {
    const char *file;
    enum treatment treatment;
    const char *made[3], *other[4]; /* values */
};

static const struct setting settings[] = {
    {"transparent_hugepage/enabled", TREATMENT_PAGES, {"always"}, {"never"}},
    {"smt/control", TREATMENT_NO_SMT, {"off", "forceoff"}, {"on"}},
    {"scaling_governor", TREATMENT_GOVERNOR, {"performance"}, {"powersave", "ondemand", "schedutil"}},
    {"cpu.max", TREATMENT_NO_QUOTA, {"max"}, {NULL}},
    {"cfs_quota_us", TREATMENT_NO_QUOTA, {"-1"}, {NULL}}};

static bool is_value(struct view word, const char *const *values, size_t count)
{
    while (word.length && strchr("'[", word.text[0]))
        word = view_skip(word, 1);
    while (word.length && strchr("']", word.text[word.length - 1]))
        word.length--;
    for (size_t at = 0; at < count && values[at]; at++)
        if (view_equal(word, values[at]))
            return true;
    return false;
}

static enum change_reading value_reading(const struct setting *setting, struct view word)
{
    if (is_value(word, setting->made, array_count(setting->made)))
        return CHANGE_MADE;
    return is_value(word, setting->other, array_count(setting->other)) ? CHANGE_TAKEN_BACK : CHANGE_NONE;
}

/* "echo never > ": the value before the file. */
static enum change_reading echoed(const struct setting *setting, const char *plain, const char *file)
{
    while (file > plain && file[-1] != ' ')
        file--;
    struct view ahead = view_trim((struct view){plain, (size_t)(file - plain)});
    if (view_ends(ahead, ">"))
        ahead.length--;
    else if (view_ends(ahead, "tee"))
        ahead.length -= 3;
    else
        return CHANGE_NONE;
    while (ahead.length && strchr(" |", ahead.text[ahead.length - 1]))
        ahead.length--;
    size_t begin = ahead.length;
    while (begin > 0 && ahead.text[begin - 1] != ' ')
        begin--;
    return value_reading(setting, view_skip(ahead, begin));
}

/* "to always", "set it to always" behind it; a value that merely stands there is how it was found. */
static enum change_reading put_behind(const struct setting *setting, const char *behind)
{
    enum { NEAR_WORDS = 4 };
    enum change_reading found = CHANGE_NONE;
    struct view rest = view_of(behind), before = {0}, word;
    for (size_t at = 0; (word = view_word(&rest)).length; at++, before = word) {
        enum change_reading here = value_reading(setting, word);
        if (here != CHANGE_NONE && view_equal(before, "to"))
            return here;
        if (here == CHANGE_MADE && at == 1 && view_equal(before, "="))
            return here;
        if (here != CHANGE_NONE && at < NEAR_WORDS)
            found = CHANGE_NOT_MADE;
    }
    return found;
}

static enum change_reading setting_of(const char *plain, uint64_t pairs, enum treatment *ret_treatment)
{
    for (size_t at = 0; at < array_count(settings); at++) {
        const char *end = NULL, *file = named_at(plain, pairs, &settings[at].file, 1, &end);
        enum change_reading reading = file ? echoed(&settings[at], plain, file) : CHANGE_NONE;
        reading = file && reading == CHANGE_NONE ? put_behind(&settings[at], end) : reading;
        if (reading == CHANGE_NONE)
            continue;
        *ret_treatment = settings[at].treatment;
        return reading;
    }
    return CHANGE_NONE;
}

bool told_names_setting(const char *plain)
{
    for (size_t at = 0; at < array_count(settings); at++)
        if (plain_find(plain, settings[at].file))
            return true;
    return false;
}

/* ---- together ---- */

/* "16 threads instead of 256", "omp_num_threads=1": how many there were is told, or they can't have been fewer. */
static enum change_reading threads_in(const char *plain)
{
    static const char *const variables[] = {"omp_num_threads=",      "gomaxprocs=",        "mkl_num_threads=",
                                            "openblas_num_threads=", "rayon_num_threads=", "omp_thread_limit="};
    static const char *const against[] = {" threads instead of ", " threads rather than ", " workers instead of ",
                                          " threads, not ", " threads down from "};
    bool named = false;
    for (size_t at = 0; at < array_count(against); at++)
        for (const char *place = strstr(plain, against[at]); place; place = strstr(place + 1, against[at])) {
            const char *begin = place;
            while (begin > plain && begin[-1] != ' ')
                begin--;
            struct view behind = view_of(place + strlen(against[at]));
            double now, before;
            if (view_double((struct view){begin, (size_t)(place - begin)}, &now) &&
                view_double(view_word(&behind), &before))
                return now < before ? CHANGE_MADE : CHANGE_NOT_MADE;
        }
    for (size_t at = 0; at < array_count(variables); at++) {
        const char *place = plain_find(plain, variables[at]);
        if (place && strncmp(place + strlen(variables[at]), "1 ", 2) == 0)
            return CHANGE_MADE;
        named |= place != NULL;
    }
    return named ? CHANGE_NOT_MADE : CHANGE_NONE;
}

/* A number as it stands behind a setting, "400", "16g": in bytes, or whatever it counts. */
static bool size_read(const char **text, double *ret_size)
{
    static const char units[] = "kmgt";
    size_t length = strspn(*text, "0123456789."), unit = 0;
    if (!length || !view_double((struct view){*text, length}, ret_size))
        return false;
    *text += length + ((*text)[length] == ' ' && (*text)[length + 1] && strchr(units, (*text)[length + 1]) &&
                       strchr("ib", (*text)[length + 2]));
    for (; units[unit] && **text != units[unit]; unit++)
        ;
    for (size_t thousands = 0; units[unit] && thousands <= unit; thousands++)
        *ret_size *= 1024;
    *text += strspn(*text, "kmgtib");
    return true;
}

/* What is said of the size of something, from here on: "from 64 to 8", "16g instead of 8g", "to 16g", "=400". */
struct resize {
    double before, after; /* 0: not told */
};

static struct resize resize_of(const char *behind)
{
    static const char *const fillers[] = {" from ", " to ", " at ", " of ", " = ", "=", " "};
    static const char *const instead[] = {" instead of ", " rather than ", " ( was ", " , was "};
    struct resize resize = {0};
    double first, last;
    bool is_from = strncmp(behind, " from ", 6) == 0;
    for (size_t at = 0; at < array_count(fillers); at++)
        if (strncmp(behind, fillers[at], strlen(fillers[at])) == 0) {
            behind += strlen(fillers[at]);
            break;
        }
    if (!size_read(&behind, &first))
        return resize;
    resize.after = first;
    if (is_from && strncmp(behind, " to ", 4) == 0) {
        behind += 4;
        if (size_read(&behind, &last))
            return (struct resize){first, last};
        return (struct resize){0};
    }
    for (size_t at = 0; at < array_count(instead); at++) {
        size_t length = strlen(instead[at]);
        if (strncmp(behind, instead[at], length) != 0)
            continue;
        behind += length;
        behind += strcspn(behind, "0123456789, ");
        if (size_read(&behind, &last))
            resize.before = last;
    }
    return resize;
}

static bool has_near(const char *plain, const char *place, const char *const *words, size_t count)
{
    char near[NEAR + 1];
    const char *before = words_before(plain, place, near);
    return is_named(before, pairs_of(before), words, count);
}

static const char *const lessening[] = {"lower", "reduc",  "decreas", "smaller", "halv",        "without", "remov",
                                        "dropp", "disabl", "revert",  "shrank ", "instead of ", "before ", "cut "};

/* "GOGC=400", "raised -Xmx from 8g to 16g": the collector's settings, and whether they gave it more room. */
static enum change_reading heap_in(const char *plain)
{
    static const char *const settings_of[] = {
        "gogc",      "gomemlimit", "-xmx", "-xmn", "--max-old-space-size", "--max-semi-space-size", "dotnet_gcgen0size",
        "maxnewsize"};
    static const double DEFAULT_GOGC = 100;
    for (size_t at = 0; at < array_count(settings_of); at++) {
        const char *place = plain_find(plain, settings_of[at]);
        if (!place)
            continue;
        struct resize resize = resize_of(place + strlen(settings_of[at]));
        double before = resize.before > 0 ? resize.before : at == 0 ? DEFAULT_GOGC : 0;
        if (has_near(plain, place, lessening, array_count(lessening)) || is_denied(plain, place))
            return CHANGE_NOT_MADE;
        return resize.after > before ? CHANGE_MADE : CHANGE_NOT_MADE;
    }
    return CHANGE_NONE;
}

/* "a 64 KiB buffer" alone: of two it isn't told which is the larger. */
static enum change_reading buffer_in(const char *plain)
{
    static const char *const buffers[] = {" kib buffer", " kb buffer", "kib buffer", "kb buffer", "k buffer",
                                          " mib buffer", " mb buffer", "mib buffer", "mb buffer"};
    const char *found = NULL;
    for (size_t at = 0; at < array_count(buffers); at++)
        for (const char *place = strstr(plain, buffers[at]); place; place = strstr(place + 1, buffers[at])) {
            bool counted = place > plain && isdigit((unsigned char)place[-1]);
            if (counted && found)
                return CHANGE_NOT_MADE;
            found = counted ? place : found;
        }
    if (!found)
        return CHANGE_NONE;
    return has_near(plain, found, lessening, array_count(lessening)) || is_denied(plain, found) ? CHANGE_NOT_MADE
                                                                                                : CHANGE_MADE;
}

/* "capping the unroll factor at 8", "unrolled less": less of it alone makes code smaller. */
static enum change_reading unrolling_in(const char *plain)
{
    static const char *const less[] = {"cap ", "capping ", "capped ", "less ", "limit", "stopp", "no ", "not "};
    static const char *const more[] = {"more ", "increas", "rais", "doubl", "deeper ", "further "};
    static const char *const behind[] = {" less ", " off ", " disabled ", " removed ", " fewer "};
    const char *place = plain_find(plain, "unroll");
    if (!place)
        return CHANGE_NONE;
    const char *end = place + strcspn(place, " ");
    end += strncmp(end, " factor", 7) == 0 ? 7 : 0;
    struct resize resize = resize_of(end);
    bool is_less = has_near(plain, place, less, array_count(less)) ||
                   has_near(plain, place, lessening, array_count(lessening)) ||
                   (resize.before > 0 && resize.after < resize.before);
    for (size_t at = 0; at < array_count(behind); at++)
        is_less |= strncmp(end, behind[at], strlen(behind[at])) == 0;
    bool is_more =
        has_near(plain, place, more, array_count(more)) || (resize.before > 0 && resize.after > resize.before);
    return is_less && !is_more && !is_denied(plain, place) ? CHANGE_MADE : CHANGE_NOT_MADE;
}

/* "resized the VM to 16 GiB", "gave the guest 16 GiB of memory": of what runs it, not of a disk or a cache. */
static enum change_reading memory_in(const char *plain)
{
    static const char *const growing[] = {"resized the ", "resizing the ", "enlarged the ", "upgraded the ",
                                          "grew the ",    "raised the ",   "gave the ",     "giving the "};
    static const char *const machines[] = {"vm ",        "instance ", "guest ",         "machine ",   "server ",
                                           "container ", "pod ",      "memory of the ", "ram of the "};
    for (size_t at = 0; at < array_count(growing); at++)
        for (size_t which = 0; which < array_count(machines); which++) {
            const char *place = plain_find(plain, growing[at]);
            const char *machine = place ? place + strlen(growing[at]) : "";
            if (strncmp(machine, machines[which], strlen(machines[which])) != 0)
                continue;
            const char *size = machine + strcspn(machine, "0123456789,");
            struct view before = {machine, (size_t)(size - machine)};
            const char *unit = size + strspn(size, "0123456789 ");
            bool sized = size > machine && size < unit &&
                         (plain_starts(unit, "gib ") || plain_starts(unit, "gb ") || plain_starts(unit, "g "));
            const char *behind = sized ? unit + strcspn(unit, " ") : "";
            bool of_disk = plain_starts(behind, " disk") || plain_starts(behind, " volume") ||
                           plain_starts(behind, " of swap") || plain_starts(behind, " swap") ||
                           view_find(before, "disk") >= 0 || view_find(before, " from ") >= 0;
            if (sized && !of_disk)
                return CHANGE_MADE;
        }
    return CHANGE_NONE;
}

/* Changes that are told with a size: whether it grew. */
static enum change_reading sized_in(const char *plain, enum treatment treatment)
{
    switch (treatment) {
    case TREATMENT_FEWER_THREADS:
        return threads_in(plain);
    case TREATMENT_HEAP:
        return heap_in(plain);
    case TREATMENT_BUFFER:
        return buffer_in(plain);
    case TREATMENT_LESS_UNROLLING:
        return unrolling_in(plain);
    case TREATMENT_MORE_MEMORY:
        return memory_in(plain);
    default:
        return CHANGE_NONE;
    }
}

static enum change_reading named_changes(const char *plain, enum treatment *ret_treatment, bool named[TREATMENT_COUNT])
{
    enum change_reading reading = CHANGE_NONE;
    uint64_t pairs = pairs_of(plain);
    enum treatment set = TREATMENT_COUNT;
    enum change_reading by_setting = setting_of(plain, pairs, &set);
    for (int at = 0; at < TREATMENT_COUNT; at++) {
        enum treatment treatment = (enum treatment)at;
        bool is_skipped = is_part(treatment, named) || is_of_others(treatment, plain, pairs);
        enum change_reading here = is_skipped ? CHANGE_NONE : change_in(plain, pairs, &changes[at]);
        if (here == CHANGE_NONE && !is_skipped)
            here = sized_in(plain, treatment);
        if (here == CHANGE_NONE)
            continue;
        if (treatment == set)
            here = by_setting;
        named[at] = true;
        *ret_treatment = (enum treatment)at;
        reading = reading == CHANGE_NONE ? here : CHANGE_SEVERAL;
    }
    if (reading == CHANGE_NONE && set != TREATMENT_COUNT) { /* by its file alone: "scaling_governor" */
        *ret_treatment = set;
        return by_setting;
    }
    return reading;
}

static enum change_reading named_change(const char *plain, enum treatment *ret_treatment)
{
    bool named[TREATMENT_COUNT] = {false};
    return named_changes(plain, ret_treatment, named);
}

uint32_t told_changes_in(const char *plain)
{
    bool named[TREATMENT_COUNT] = {false};
    enum treatment last = TREATMENT_COUNT;
    uint32_t all = 0;
    (void)named_changes(plain, &last, named);
    for (int at = 0; at < TREATMENT_COUNT; at++)
        all |= named[at] ? UINT32_C(1) << at : 0;
    return last == TREATMENT_COUNT ? 0 : all | UINT32_C(1) << last;
}

/* ---- another thing beside it ---- */

/* What a machine or a program is made of, which may be changed with anything else. */
static bool is_thing(struct view word)
{
    static const char *const things[] = {
        "kernel", "kernels",  "linux",    "qemu",       "kvm",     "libvirt",  "firmware", "microcode", "bios",
        "glibc",  "libc",     "musl",     "gcc",        "clang",   "compiler", "driver",   "drivers",   "vcpu",
        "vcpus",  "cpu",      "cpus",     "core",       "cores",   "ram",      "memory",   "disk",      "disks",
        "ssd",    "ssds",     "nvme",     "nic",        "nics",    "network",  "image",    "os",        "distro",
        "debian", "ubuntu",   "rhel",     "fedora",     "centos",  "java",     "jdk",      "jvm",       "python",
        "go",     "version",  "release",  "node",       "machine", "server",   "hardware", "instance",  "gb",
        "gib",    "database", "postgres", "postgresql", "redis",   "nginx",    "workers",  "shards",    "replicas",
        "heap",   "buffers",  NULL};
    return word_is(word, things);
}

static bool is_number(struct view word)
{
    static const char *const numbers[] = {"two", "three", "four", "six", "eight", "twelve", "sixteen", NULL};
    return word.length && (isdigit((unsigned char)word.text[0]) || word_is(word, numbers));
}

/* "two vcpus", "8 more vcpus", "twice the memory", "kernel 6.9", "a newer qemu": begins so. */
static bool is_other_thing(struct view text)
{
    static const char *const kinds[] = {"more",   "twice",  "double",   "half",    "another",   "new",        "newer",
                                        "bigger", "larger", "faster",   "other",   "different", "additional", "extra",
                                        "fewer",  "less",   "upgraded", "updated", NULL};
    static const char *const between[] = {"the", "a", "an", "its", "our", "guest", "host", "much", "as", NULL};
    static const char *const not_things[] = {"node", "machine", "server", "hardware", "instance",
                                             "core", "cores",   "memory", NULL};
    enum { WORDS_MOST = 5 };
    bool by_kind = false, by_number = false;
    struct view word;
    for (size_t words = 0; words < WORDS_MOST && (word = view_word(&text)).length && word.text[0] != ','; words++) {
        struct view ahead = text, next = view_word(&ahead);
        bool version = next.length && isdigit((unsigned char)next.text[0]) && !word_is(word, not_things);
        if (is_thing(word))
            return by_kind || by_number || version;
        by_kind |= word_is(word, kinds);
        by_number |= is_number(word);
        if (!word_is(word, between) && !word_is(word, kinds) && !is_number(word))
            return false;
    }
    return false;
}

/* Nothing but small words between the beginning of the last noun phrase and its end: "gave it two vcpus". */
static bool ends_in_other_thing(struct view text)
{
    enum { WORDS_BACK = 3 };
    for (size_t back = 0, at = view_trim(text).length; back < WORDS_BACK && at > 0; back++) {
        text = view_trim(text);
        while (at > 0 && text.text[at - 1] == ' ')
            at--;
        while (at > 0 && text.text[at - 1] != ' ')
            at--;
        struct view tail = view_skip(text, at);
        if (tail.text[0] == ',' || view_equal(tail, "and"))
            return false;
        if (is_other_thing(tail))
            return true;
    }
    return false;
}

/* "two vCPUs and nohz_full=1", "nohz_full and kernel 6.9", "enabled huge pages and gave it 8 more vCPUs" */
static bool is_beside_another_thing(const char *plain)
{
    static const char *const joints[] = {" and ", " plus ", " as well as ", " together with ", " along with ", " & "};
    static const char *const giving[] = {"gave it ",   "gave the guest ", "gave the vm ", "give it ",  "giving it ",
                                         "got ",       "given ",          "with ",        "used ",     "using ",
                                         "added ",     "adding ",         "booted ",      "on ",       "set ",
                                         "installed ", "went to ",        "switched to ", "moved to ", "to "};
    enum { NEAR_CHANGE = 40 };
    for (size_t at = 0; at < array_count(joints); at++)
        for (const char *place = strstr(plain, joints[at]); place; place = strstr(place + 1, joints[at])) {
            const char *behind = place + strlen(joints[at]);
            char piece[NEAR_CHANGE + 2] = " ";
            enum treatment ignored;
            struct view ahead = {plain, (size_t)(place - plain)};
            ahead = view_skip(ahead, ahead.length > NEAR ? ahead.length - NEAR : 0);
            /* "on the old and the new kernel" */
            bool compared = piece_has(ahead, (const char *const[]){"old", "both", NULL});
            struct view after = view_of(behind);
            for (size_t word = 0; word < array_count(giving); word++)
                if (plain_starts(behind, giving[word]))
                    after = view_skip(view_of(behind), strlen(giving[word]));
            if (!compared && is_other_thing(after))
                return true;
            size_t length = strcspn(behind, ",") < NEAR_CHANGE ? strcspn(behind, ",") : NEAR_CHANGE;
            memcpy(piece + 1, behind, length);
            piece[length + 1] = '\0';
            if (!compared && ends_in_other_thing((struct view){plain, (size_t)(place - plain)}) &&
                named_change(piece, &ignored) != CHANGE_NONE)
                return true;
        }
    return false;
}

/* "and the new glibc", "moved to Debian 13": another thing was changed with it, by no name that is known here. */
static bool changes_another(const char *plain)
{
    static const char *const joining[] = {
        " and a new ",     " and another ", " plus the new ", " plus a ",         " plus new ",     " and adding ",
        " and added ",     " and upgrad",   " and updat",     " and more memory", " and more ram",  " and faster ",
        " moved to ",      " migrated to ", " upgraded to ",  " updated to ",     " upgraded the ", " updated the ",
        " switched to a ", " and replac",   " replaced the ", " and a bigger ",   " and a larger ", " and moved "};
    enum { NEAR_BEHIND = 30 };
    for (size_t at = 0; at < array_count(joining); at++)
        for (const char *place = strstr(plain, joining[at]); place; place = strstr(place + 1, joining[at])) {
            char piece[NEAR_BEHIND + 2] = " ";
            enum treatment ignored;
            size_t length = strlen(joining[at]), behind = strcspn(place + length, ",");
            const char *with = strstr(place + length, " with ");
            behind = with && (size_t)(with - place) < length + behind ? (size_t)(with - place) - length : behind;
            behind = behind < NEAR_BEHIND ? behind : NEAR_BEHIND;
            memcpy(piece + 1, place + length, behind);
            piece[behind + 1] = '\0';
            if (named_change(piece, &ignored) == CHANGE_NONE)
                return true;
        }
    static const char *const loads[] = {
        "half the load", "half the traffic", "half the data", "half the requests", "less load",    "less traffic",
        "less data",     "lower load",       "lower traffic", "smaller input",     "smaller data", "smaller batch",
        "fewer clients", "fewer requests",   "fewer users",   "off-peak",          "a quiet ",     NULL};
    if (plain_has(plain, loads) || is_beside_another_thing(plain))
        return true;
    if (plain_starts(plain, " with the old ") || plain_starts(plain, " with the new "))
        return true;
    /* "the old and the new kernel" are compared */
    const char *fresh = strstr(plain, " and the new ");
    return fresh && !(fresh - plain >= 4 && strncmp(fresh - 4, " old", 4) == 0);
}

enum change_reading told_change_of(const char *plain, enum treatment *ret_treatment)
{
    enum change_reading reading = named_change(plain, ret_treatment);
    return reading != CHANGE_NONE && changes_another(plain) ? CHANGE_SEVERAL : reading;
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
