/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does its time go into the kernel, and into which of its activities? */
#include "base/scope.h"
#include "base/text.h"
#include "base/vec.h"
#include "finding/family.h"
#include "system/host/clocksource.h"

#include <stdlib.h>
#include <string.h>

/*
 * Time in one activity of the kernel: all of it would come back, sampling error included. Samples that may be of it
 * (maybe), and those in code without names, count for the upper end alone.
 */
static bool test_kernel_with(const struct results *results, struct finding *finding, double hits, double maybe)
{
    double total = (double)results->kernel->sample_count,
           most = hits + maybe + (double)results->kernel->unnamed_samples;
    struct interval seen = share_of_run(results, finding, wilson_interval(hits, total, total));
    struct interval blind = share_of_run(results, finding, wilson_interval(most < total ? most : total, total, total));
    struct interval share = seen.known && blind.known ? interval_of(seen.low, seen.mid, blind.high) : seen;
    finding_decide(finding, share, results->effect);
    finding->is_estimate = false;
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", share);
        return false;
    }
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "samples", VALUE_SHARE("share", share));
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, "headline", VALUE_SHARE("share", share));
    else
        finding_reason_bound(finding, "bound", share);
    return true;
}

static bool test_kernel(const struct results *results, struct finding *finding, double hits)
{
    return test_kernel_with(results, finding, hits, 0);
}

static const double SMALL_PAGE_BYTES = 4096, UNMAPPING_MATTERS = 0.1; /* of the faults' time */

enum touching {
    TOUCHING_UNKNOWN,
    TOUCHED_ONCE, /* what its faults brought is what it held in the end */
    TOUCHED_AGAIN /* they brought several times as much as it ever held: it was given back in between */
};

/*
 * Faults may bring more than a page each (around it, or a huge one), never less: several times what it held is certain.
 */
static enum touching touching_of(const struct activity *activity)
{
    static const double ONCE_MOST = 1.5, AGAIN_LEAST = 2;
    if (!activity || !activity->minor_faults.known || !activity->resident_most_bytes.known ||
        activity->resident_most_bytes.value <= 0)
        return TOUCHING_UNKNOWN;
    double times = activity->minor_faults.value * SMALL_PAGE_BYTES / activity->resident_most_bytes.value;
    return times <= ONCE_MOST ? TOUCHED_ONCE : times >= AGAIN_LEAST ? TOUCHED_AGAIN : TOUCHING_UNKNOWN;
}

static void say_faults(struct finding *finding, const struct activity *activity, enum touching touching)
{
    if (!activity || !activity->minor_faults.known)
        return;
    double count = activity->minor_faults.value;
    finding_evidence(
        finding, WEIGHT_FOR, ORIGIN_COUNTERS, touching == TOUCHING_UNKNOWN ? "counted" : "touched",
        VALUE_COUNT("count", count), VALUE_BYTES("touched", count * SMALL_PAGE_BYTES),
        VALUE_BYTES("resident", activity->resident_most_bytes.known ? activity->resident_most_bytes.value : 0));
}

/*
 * What a program keeps must be cleared once, however few faults bring it: that part returns only with less memory.
 */
static struct interval without_clearing(const struct finding *finding, struct interval clearing)
{
    struct interval share = finding->recoverable;
    double low = share.low * (1 - clearing.high);
    return interval_of(low, (low + share.high) / 2, share.high);
}

/*
 * The dearest of what the probes paid for the first touch of huge pages, where small ones cost less; NULL: they cost
 * less, or nobody tried.
 */
static const struct access_cost *dear_huge_pages(const struct access_costs *costs)
{
    const struct access_cost *dear = NULL;
    for (size_t at = 0; costs && at < costs->count; at++) {
        const struct access_cost *cost = &costs->items[at];
        bool is_dear = cost->ns_touch_huge.known && cost->ns_touch_small.known &&
                       cost->ns_touch_huge.high > cost->ns_touch_small.mid;
        if (is_dear && (!dear || cost->ns_touch_huge.high > dear->ns_touch_huge.high))
            dear = cost;
    }
    return dear;
}

/*
 * How much of what it held: as much as lay in it when its page map was taken, or its size where that is no more than
 * all of it.
 */
static double held_in(const struct stall_group *group, double held_most)
{
    double resident = (double)group->area_resident_bytes, size = (double)group->area_bytes;
    return size <= held_most * 1.1 ? size : resident;
}

/*
 * The mapping that most of what it held lies in, as far as its samples met one: that is what its faults brought. NULL:
 * none is so large.
 */
static const struct stall_group *touched_mapping(const struct results *results)
{
    static const double MOST_OF = 0.5;
    const struct activity *activity = results->activity;
    if (!results->stalls || !activity || !activity->resident_most_bytes.known)
        return NULL;
    double held = activity->resident_most_bytes.value, most = MOST_OF * held;
    const struct stall_group *largest = NULL;
    for (size_t at = 0; at < results->stalls->group_count; at++) {
        const struct stall_group *group = &results->stalls->groups[at];
        if (!group->area_known || held_in(group, held) < most)
            continue;
        most = held_in(group, held);
        largest = group;
    }
    return largest;
}

/* What stands between its memory and huge pages; the keys of their advice, and of what tries that. */
struct huge_remedy {
    const char *advice, *confirm; /* advice NULL: it has them already */
};

static const struct huge_remedy *huge_remedy_for(const struct results *results, const struct stall_group *mapping)
{
    static const struct huge_remedy forbidden = {"advice-huge-forbidden", "confirm-dropped"},
                                    shared = {"advice-huge-shared", "confirm-copy"}, had = {NULL, "confirm-copy"},
                                    off = {"advice-huge-off", "confirm-policy"};
    const char *policy = results->surroundings ? results->surroundings->thp_enabled : "";
    if (mapping && mapping->advised_never)
        return &forbidden;
    if (mapping && mapping->is_shared)
        return &shared;
    if (strcmp(policy, "never") == 0)
        return &off;
    return mapping && (mapping->advised_huge || mapping->huge_hits > mapping->base_hits) ? &had : NULL;
}

/* The key of what tries it. */
static const char *advise_huge_pages(const struct results *results, struct finding *finding)
{
    const struct access_cost *dear = dear_huge_pages(results->costs);
    const struct stall_group *mapping = touched_mapping(results);
    const struct huge_remedy *remedy = huge_remedy_for(results, mapping);
    if (remedy) {
        if (remedy->advice)
            finding_advise(finding, remedy->advice, VALUE_TEXT("area", mapping ? mapping->area : "its memory"));
        return remedy->confirm;
    }
    if (dear)
        finding_advise(finding, "advice-huge-dear", VALUE_SECONDS("huge", interval_scaled(dear->ns_touch_huge, 1e-9)),
                       VALUE_SECONDS("small", interval_exactly(dear->ns_touch_small.mid * 1e-9)));
    else
        finding_advise(finding, "advice-huge", NO_VALUES);
    return "confirm-once";
}

/* Runtimes with a heap of their own, which malloc's settings don't reach: what they have in their place. */
static const struct runtime_heap {
    struct name_pattern of;
    const char *keep, *huge;
} runtime_heaps[] = {
    {{.prefix = "runtime."}, "advice-go", "advice-huge-always"},
    {{.dso = "libjvm"}, "advice-java", "advice-huge-java"},
    {{.dso = "node"}, "advice-javascript", "advice-huge-always"},
    {{.dso = "libnode"}, "advice-javascript", "advice-huge-always"},
    {{.dso = "libcoreclr"}, "advice-dotnet", "advice-huge-always"},
    {{.dso = "php"}, "advice-php", "advice-huge-php"},
    {{.dso = "libpolyml"}, "advice-poly", "advice-huge-always"},
    {{.dso = "mono"}, "advice-mono", "advice-huge-always"},
    {{.dso = "mono-sgen"}, "advice-mono", "advice-huge-always"},
};

/* Of a whole machine nobody knows whose calls and pages are meant. */
static bool is_of_runtime(const struct results *results, const struct name_pattern *runtime)
{
    static const double LEAST = 0.01; /* what it compiled may have most of the samples */
    if (!results->stalls || !results->run || results->run->scope == RUN_MACHINE)
        return false;
    struct name_matches of_it = functions_named(results->stalls, runtime, 1);
    return of_it.samples && (double)of_it.samples >= LEAST * (double)results->stalls->sample_count;
}

/* NULL: what runs is no such runtime. */
static const struct runtime_heap *runtime_heap_of(const struct results *results)
{
    for (size_t at = 0; at < array_count(runtime_heaps); at++)
        if (is_of_runtime(results, &runtime_heaps[at].of))
            return &runtime_heaps[at];
    return NULL;
}

static void advise_on_runtime_heap(const struct results *results, struct finding *finding,
                                   const struct runtime_heap *heap)
{
    finding_readvise(finding, heap->keep, NO_VALUES);
    if (!dear_huge_pages(results->costs))
        finding_advise(finding, heap->huge, NO_VALUES);
    finding_set(finding, confirm, "confirm-copy", NO_VALUES);
}

static bool has_entry(const struct kernel_time *kernel, const char *name)
{
    for (size_t at = 0; at < kernel->entry_count; at++)
        if (strcmp(kernel->entries[at].name, name) == 0)
            return kernel->entries[at].samples > 0;
    return false;
}

static void page_faults_test(const struct results *results, struct finding *finding)
{
    const struct kernel_time *kernel = results->kernel;
    /* Of short-lived processes they are a part of being started; they could be work all the same. */
    if (!test_kernel_with(results, finding, (double)kernel->fault_samples, (double)kernel->short_fault_samples))
        return;
    double faults = (double)kernel->fault_samples;
    enum touching touching = touching_of(results->activity);
    bool unmaps = false; /* in its own right, or malloc does it for large blocks */
    for (size_t at = 0; at < kernel->entry_count; at++)
        if (strcmp(kernel->entries[at].name, "munmap") == 0) {
            bool matters = (double)kernel->entries[at].samples >= UNMAPPING_MATTERS * faults;
            unmaps = matters || touching != TOUCHED_ONCE;
            /* huge pages bring much at a fault */
            touching = matters && touching == TOUCHED_ONCE ? TOUCHING_UNKNOWN : touching;
        }
    say_faults(finding, results->activity, touching);
    double cleared = (double)kernel->zero_samples < faults ? (double)kernel->zero_samples : faults;
    struct interval clearing = wilson_interval(cleared, faults, faults);
    finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_SAMPLES, "zeroing", VALUE_SHARE("zeroing", clearing));
    if (finding->verdict == VERDICT_SUPPORTED && touching != TOUCHING_UNKNOWN)
        finding_set(finding, headline, touching == TOUCHED_ONCE ? "headline-once" : "headline-again",
                    VALUE_SHARE("share", finding->recoverable));
    if (finding->verdict == VERDICT_SUPPORTED && touching == TOUCHED_ONCE)
        finding->recoverable = without_clearing(finding, clearing);
    if (touching != TOUCHED_ONCE)
        finding_advise(finding, "advice-reuse", NO_VALUES);
    if (unmaps)
        finding_advise(finding, "advice-unmap", NO_VALUES);
    if (touching == TOUCHED_ONCE)
        finding_advise(finding, "advice-less", NO_VALUES);
    const char *confirm = advise_huge_pages(results, finding);
    if (touching == TOUCHED_ONCE)
        finding_advise(finding, "advice-populate", NO_VALUES);
    finding_set(finding, confirm, unmaps ? "confirm-unmap" : touching == TOUCHED_ONCE ? confirm : "confirm", NO_VALUES);
    if (touching != TOUCHED_ONCE && results->command && has_entry(kernel, "brk")) /* which malloc alone calls */
        finding_set(finding, confirm, "confirm-kept", VALUE_TEXT("command", results->command));
    const struct runtime_heap *heap = runtime_heap_of(results);
    if (heap)
        advise_on_runtime_heap(results, finding, heap);
}

const struct hypothesis hypothesis_page_faults = {
    .id = "page-faults",
    .family = "system",
    .title = "page faults and zeroing of new memory",
    .rule = "supported when samples in page faults hold the effect at the lower end; ruled out below it",
    .gain = "that share of the samples; of memory that is touched once and kept, at the lower end without its "
            "clearing, which fewer faults don't spare",
    .overturn = "huge pages, or memory that is kept: the faults and the time must fall",
    .needs = RESULT_BIT(RESULT_KERNEL),
    .uses = RESULT_BIT(RESULT_ACTIVITY) | RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_COSTS) |
            RESULT_BIT(RESULT_STALLS) | RESULT_BIT(RESULT_SURROUNDINGS),
    .test = page_faults_test,
};

static bool is_wake(const char *call)
{
    static const char *const names[] = {"futex", "lll_", "pthread_cond_", "sem_"};
    for (size_t at = 0; at < array_count(names); at++)
        if (strncmp(call, names[at], strlen(names[at])) == 0)
            return true;
    return false;
}

/* What makes fewer of a call depends on what it does. The keys are "advice-KIND" and "confirm-KIND". */
static const struct call_kind {
    const char *advice, *confirm;
    const char *names[24]; /* whole, or with a "*" behind their beginning */
} call_kinds[] = {
    {"advice-data",
     "confirm-data",
     {"read", "pread*", "readv", "write", "pwrite*", "writev", "sendfile*", "splice", "tee", "copy_file_range"}},
    {"advice-seeks", "confirm-seeks", {"lseek"}},
    {"advice-names", "confirm-names", {"stat*",     "lstat*",     "fstat*",  "newstat",  "newlstat", "newfstat*",
                                       "access",    "faccessat*", "open",    "openat*",  "close",    "close_range",
                                       "readlink*", "unlink*",    "rename*", "mkdir*",   "rmdir",    "chmod*",
                                       "fchmod*",   "utimensat*", "getcwd",  "getdents*"}},
    {"advice-events", "confirm-events", {"poll", "ppoll*", "select", "pselect6*", "epoll_*"}},
    {"advice-messages",
     "confirm-messages",
     {"send", "sendto", "sendmsg", "sendmmsg", "recv", "recvfrom", "recvmsg", "recvmmsg*"}},
    {"advice-connections",
     "confirm-connections",
     {"accept*", "connect", "socket", "bind", "listen", "shutdown", "setsockopt", "getsockopt", "getsockname",
      "getpeername"}},
    {"advice-memory", "confirm-memory", {"mmap*", "munmap", "mremap", "mprotect", "madvise", "brk"}},
    {"advice-wake", "confirm-wake", {"futex*", "lll_*", "pthread_cond_*", "sem_*"}},
    {"advice-processes",
     "confirm-processes",
     {"clone*", "fork", "vfork", "execve*", "exit*", "wait4", "waitid", "waitpid"}},
    {"advice-sync", "confirm-sync", {"fsync", "fdatasync", "msync", "sync*", "syncfs"}},
    {"advice-sleeps", "confirm-sleeps", {"nanosleep*", "clock_nanosleep*"}},
    {"advice-yields", "confirm-sleeps", {"sched_yield"}},
    {"advice-clock", "confirm-clock", {"clock_gettime*", "gettimeofday", "time", "getcpu"}},
    {"advice-redirections", "confirm-redirections", {"dup", "dup2", "dup3"}},
    {"advice-pipes", "confirm-pipes", {"pipe", "pipe2"}},
    {"advice-closes", "confirm", {NULL}}, /* close of what nobody was seen to open */
};

static const char connections_key[] = "advice-connections";

static bool is_call(const char *name, const char *pattern)
{
    size_t length = strlen(pattern);
    bool is_open = length && pattern[length - 1] == '*';
    return is_open ? strncmp(name, pattern, length - 1) == 0 : strcmp(name, pattern) == 0;
}

static const struct call_kind *call_kind_of(const char *call)
{
    for (size_t kind = 0; kind < array_count(call_kinds); kind++)
        for (size_t at = 0; at < array_count(call_kinds[kind].names) && call_kinds[kind].names[at]; at++)
            if (is_call(call, call_kinds[kind].names[at]))
                return &call_kinds[kind];
    return NULL;
}

/* Most of what is known, and of all its samples, was at such things. */
static bool is_mostly_at(const struct kernel_entry *entry, enum call_object object)
{
    return entry->objects[object] * 2 > entry->samples;
}

static const struct call_kind *call_kind_named(const char *advice)
{
    for (size_t kind = 0; kind < array_count(call_kinds); kind++)
        if (strcmp(call_kinds[kind].advice, advice) == 0)
            return &call_kinds[kind];
    return NULL;
}

static double samples_of_calls(const struct kernel_time *kernel, const char *const *patterns, size_t count)
{
    double samples = 0;
    for (size_t at = 0; at < kernel->entry_count; at++)
        for (size_t pattern = 0; pattern < count; pattern++)
            samples += is_call(kernel->entries[at].name, patterns[pattern]) ? (double)kernel->entries[at].samples : 0;
    return samples;
}

/*
 * Opening, closing and fcntl belong to what else is done with descriptors: copies of them are a shell's redirections,
 * what is closed beside new pipes are these, and closing alone tells of no file that was looked up.
 */
static const struct call_kind *call_kind_of_descriptors(const struct kernel_entry *entry,
                                                        const struct kernel_time *kernel)
{
    static const char *const opening[] = {"open", "openat*"}, *const closing[] = {"close", "close_range"},
                             *const copying[] = {"dup", "dup2", "dup3"}, *const piping[] = {"pipe", "pipe2"},
                             *const setting[] = {"fcntl*"};
    static const double PART_LEAST = 0.1;
    const struct kernel_time one = {.entries = {*entry}, .entry_count = 1};
    bool opens = samples_of_calls(&one, opening, array_count(opening)) > 0,
         closes = samples_of_calls(&one, closing, array_count(closing)) > 0,
         sets = samples_of_calls(&one, setting, array_count(setting)) > 0;
    double opened = samples_of_calls(kernel, opening, array_count(opening)),
           closed = samples_of_calls(kernel, closing, array_count(closing)),
           copied = samples_of_calls(kernel, copying, array_count(copying)),
           piped = samples_of_calls(kernel, piping, array_count(piping));
    if (closes && is_mostly_at(entry, CALL_OBJECT_SOCKET))
        return call_kind_of("connect");
    if ((closes && piped > opened && piped >= PART_LEAST * closed) || (closes && is_mostly_at(entry, CALL_OBJECT_PIPE)))
        return call_kind_of("pipe");
    if ((opens || closes || sets) && copied > 0 && copied >= PART_LEAST * (opened + closed))
        return call_kind_of("dup");
    return closes && opened <= 0 ? call_kind_named("advice-closes") : NULL;
}

static const struct call_kind *call_kind_of_entry(const struct kernel_entry *entry, const struct kernel_time *kernel)
{
    const struct call_kind *kind = call_kind_of_descriptors(entry, kernel);
    return kind ? kind : call_kind_of(entry->name);
}

bool system_call_keys(const char *call, const char **ret_advice, const char **ret_confirm)
{
    const struct call_kind *kind = call_kind_of(call);
    if (!kind)
        return false;
    *ret_advice = kind->advice;
    *ret_confirm = kind->confirm;
    return true;
}

/* A clock is asked of the kernel because only that knows it, or because the machine's own can't be read without it. */
static void advise_clock(const struct results *results, struct finding *finding, const struct kernel_entry *asked)
{
    const char *source = results->surroundings ? results->surroundings->clocksource : NULL;
    bool fast = source && source[0] && clocksource_name_is_fast(source);
    struct value call = VALUE_TEXT("call", asked->name),
                 named = VALUE_TEXT("source", fast ? source : "tsc or kvm-clock");
    if (results->kernel->cpu_clock_samples * 2 > asked->samples)
        finding_advise(finding, "advice-clock-cpu", call, named);
    else
        finding_advise(finding, fast ? "advice-clock-other" : "advice-clock", call, named);
}

static bool is_clock(const struct call_kind *kind)
{
    return kind && strcmp(kind->advice, "advice-clock") == 0;
}

static bool is_yield(const struct call_kind *kind)
{
    return kind && strcmp(kind->advice, "advice-yields") == 0;
}

static bool is_of_connections(const struct call_kind *kind)
{
    return kind && strcmp(kind->advice, connections_key) == 0;
}

/* Whose workers look again and again whether there is something to do, by the libraries that were sampled. */
static void advise_yields(const struct results *results, struct finding *finding, struct value call)
{
    static const struct {
        const char *dso, *advice;
    } pools[] = {{"libopenblas", "advice-yields-openblas"},
                 {"libgomp", "advice-yields-openmp"},
                 {"libomp", "advice-yields-openmp"},
                 {"libiomp5", "advice-yields-openmp"}};
    const struct stalls *stalls = results->stalls;
    for (size_t pool = 0; pool < array_count(pools); pool++)
        for (size_t at = 0; stalls && at < stalls->function_count; at++)
            if (strncmp(stalls->functions[at].dso, pools[pool].dso, strlen(pools[pool].dso)) == 0) {
                finding_advise(finding, pools[pool].advice, call);
                return;
            }
    finding_advise(finding, "advice-yields", call);
}

/* Threads that give their CPU away again and again have nothing to do: what others do is not held up by that. */
static void say_yields(const struct results *results, struct finding *finding, struct value call)
{
    if (finding->verdict != VERDICT_SUPPORTED || !results->run || results->run->threads_seen <= 1)
        return;
    finding_set(finding, headline, "headline-yields", VALUE_SHARE("share", finding->recoverable), call);
    finding_set(finding, reason, "yields-gain", NO_VALUES);
    finding->gain_unmeasured = true;
    finding->recoverable = interval_of(0, finding->recoverable.mid / 2, finding->recoverable.high);
}

/* Calls of one kind, or one that is of none. */
struct call_group {
    const struct call_kind *kind; /* NULL: of none */
    uint64_t samples;
    const struct kernel_entry *calls[KERNEL_ENTRIES_MOST]; /* most samples first */
    size_t call_count;
};

struct call_groups {
    struct call_group items[KERNEL_ENTRIES_MOST]; /* most samples first */
    size_t count;
};

static int group_compare(const void *a, const void *b)
{
    const struct call_group *left = a, *right = b;
    return (left->samples < right->samples) - (left->samples > right->samples);
}

/* Without those for locks, where such calls are another finding's. */
static struct call_groups call_groups_of(const struct kernel_time *kernel, bool without_wakes)
{
    struct call_groups groups = {0};
    for (size_t at = 0; at < kernel->entry_count; at++) {
        const struct kernel_entry *entry = &kernel->entries[at];
        const struct call_kind *kind = call_kind_of_entry(entry, kernel);
        if (without_wakes && is_wake(entry->name))
            continue;
        size_t to = 0;
        while (to < groups.count && !(kind && groups.items[to].kind == kind))
            to++;
        groups.count += to == groups.count;
        struct call_group *group = &groups.items[to];
        group->kind = kind;
        group->samples += entry->samples;
        group->calls[group->call_count++] = entry;
    }
    qsort(groups.items, groups.count, sizeof(groups.items[0]), group_compare);
    return groups;
}

/* "read", "read and write", "newfstatat, openat and close": those that matter among them. */
static const char *group_names(const struct call_group *group, struct arena *arena)
{
    enum { NAMES_MOST = 3 };
    static const double MATTERS = 0.1;
    size_t count = 1;
    while (count < group->call_count && count < NAMES_MOST &&
           (double)group->calls[count]->samples >= MATTERS * (double)group->samples)
        count++;
    scoped_text struct text names = {0};
    for (size_t at = 0; at < count; at++)
        text_printf(&names, "%s%s", !at ? "" : at + 1 < count ? ", " : " and ", group->calls[at]->name);
    return arena_string(arena, text_string(&names));
}

/* Of an interpreter the script is its user's own. */
static bool is_for_user(const struct results *results)
{
    static const double SCRIPT_LEAST = 0.01;
    double scripts = 0;
    for (size_t at = 0; results->stalls && at < results->stalls->function_count; at++)
        scripts += function_is_interpreters(&results->stalls->functions[at])
                       ? (double)results->stalls->functions[at].samples
                       : 0;
    return code_is_foreign(results) && scripts <= SCRIPT_LEAST * (double)results->stalls->sample_count;
}

/* What its user can do, who has the program from a distribution: settings, and what is asked of it. */
static const char *key_for_user(const char *key)
{
    static const char *const keys[][2] = {{"advice-data", "advice-data-user"},
                                          {"advice-messages", "advice-messages-user"},
                                          {"advice-connections", "advice-connections-user"},
                                          {"advice-events", "advice-events-user"},
                                          {"advice-sync", "advice-sync-user"}};
    for (size_t at = 0; at < array_count(keys); at++)
        if (strcmp(key, keys[at][0]) == 0)
            return keys[at][1];
    return key;
}

static void advise_group(const struct results *results, struct finding *finding, const struct call_group *group)
{
    struct value call = VALUE_TEXT("call", group_names(group, finding->arena));
    const char *key = group->kind ? group->kind->advice : "advice";
    if (is_clock(group->kind))
        advise_clock(results, finding, group->calls[0]);
    else if (is_yield(group->kind))
        advise_yields(results, finding, call);
    else
        finding_advise(finding, is_for_user(results) ? key_for_user(key) : key, call);
}

/* The hottest call that writes to files; NULL: none has so much of the CPU time. */
static const struct kernel_entry *file_writes(const struct results *results)
{
    static const char *const writes[] = {"write", "writev", "pwrite*"};
    const struct kernel_time *kernel = results->kernel;
    for (size_t at = 0; at < kernel->entry_count; at++)
        for (size_t name = 0; name < array_count(writes); name++)
            if (is_call(kernel->entries[at].name, writes[name]) &&
                is_mostly_at(&kernel->entries[at], CALL_OBJECT_FILE) &&
                (double)kernel->entries[at].samples >= results->effect * (double)kernel->sample_count)
                return &kernel->entries[at];
    return NULL;
}

/*
 * A program that answers others and writes files beside that keeps a log, most often: a setting that its user has.
 * Returns whether that was said.
 */
static bool advise_on_log(const struct results *results, struct finding *finding, const struct call_groups *groups)
{
    const struct kernel_entry *written = is_for_user(results) ? file_writes(results) : NULL;
    static const char *const answering[] = {connections_key, "advice-messages", "advice-events"};
    bool answers = false;
    for (size_t at = 0; at < groups->count; at++)
        for (size_t kind = 0; kind < array_count(answering); kind++)
            answers |= groups->items[at].kind && strcmp(groups->items[at].kind->advice, answering[kind]) == 0;
    if (!written || !answers)
        return false;
    double total = (double)results->kernel->sample_count, samples = (double)written->samples;
    const struct call_callers *callers = &written->callers;
    const struct activity *activity = results->activity;
    bool is_named = activity && activity->file_count;
    finding_advise(finding,
                   is_named         ? "advice-log-user-named"
                   : callers->count ? "advice-log-user-called"
                                    : "advice-log-user",
                   VALUE_TEXT("call", written->name), VALUE_SHARE("share", wilson_interval(samples, total, total)),
                   VALUE_TEXT("callers", callers->count ? callers->chains[0].words : ""),
                   VALUE_TEXT("file", is_named ? activity->files[0].path : ""));
    return true;
}

/* The file that grew most, where a hot call writes files. */
static void say_written(const struct results *results, struct finding *finding)
{
    const struct activity *activity = results->activity;
    const struct kernel_entry *written = file_writes(results);
    if (written && activity && activity->file_count)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_MACHINE, "written", VALUE_TEXT("call", written->name),
                         VALUE_TEXT("file", activity->files[0].path), VALUE_BYTES("bytes", activity->files[0].bytes));
}

/* Copying, random numbers, checksums: what grows with the bytes, and not with how many calls bring them. */
static bool is_at_bytes(const struct kernel_time *kernel, const struct call_kind *kind)
{
    static const double MOSTLY = 0.5;
    return kind && strcmp(kind->advice, "advice-data") == 0 && kernel->byte_work &&
           (double)kernel->byte_samples >= MOSTLY * (double)kernel->call_samples;
}

static void say_bytes(struct finding *finding, const struct kernel_time *kernel, struct value call)
{
    double calls = (double)kernel->call_samples;
    struct value work = VALUE_TEXT("work", kernel->byte_work),
                 held = VALUE_SHARE("held", wilson_interval((double)kernel->byte_samples, calls, calls));
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, "bytes", work, held);
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, "headline-bytes", VALUE_SHARE("share", finding->recoverable), work, held, call);
    finding_advise(finding, strncmp(kernel->byte_work, "chacha", 6) == 0 ? "advice-random" : "advice-bytes", call,
                   work);
}

/* Samples in the calls by which Go's scheduler lets its threads sleep and wakes them; 0: it isn't Go's. */
static double go_scheduler_samples(const struct results *results, double locks)
{
    static const struct name_pattern runtime = {.prefix = "runtime."};
    double laid = 0;
    if (!is_of_runtime(results, &runtime))
        return 0;
    for (size_t at = 0; at < results->kernel->entry_count; at++) {
        const struct kernel_entry *entry = &results->kernel->entries[at];
        bool sleeps = strncmp(entry->name, "nanosleep", strlen("nanosleep")) == 0;
        laid += sleeps || is_wake(entry->name) ? (double)entry->samples : 0;
    }
    return laid > locks ? laid - locks : 0;
}

/* What the scheduler does for short goroutines is no call of the program's: it falls with its threads, or not. */
static void say_go_scheduler(const struct results *results, struct finding *finding, double laid)
{
    double total = (double)results->kernel->sample_count;
    struct value share = VALUE_SHARE("share", wilson_interval(laid, total, total));
    if (finding->verdict == VERDICT_SUPPORTED) {
        finding_set(finding, headline, "headline-go", VALUE_SHARE("calls", finding->recoverable), share);
        finding_set(finding, reason, "go-gain", NO_VALUES);
        finding->gain_unmeasured = true;
        finding->recoverable = interval_of(0, finding->recoverable.mid / 2, finding->recoverable.high);
    }
    finding_readvise(finding, "advice-go-scheduler", NO_VALUES);
    finding_set(finding, confirm, "confirm-go-scheduler", NO_VALUES);
}

static const struct kernel_entry *hottest_call(const struct call_groups *groups)
{
    const struct kernel_entry *hottest = NULL;
    for (size_t at = 0; at < groups->count; at++)
        if (!hottest || groups->items[at].calls[0]->samples > hottest->samples)
            hottest = groups->items[at].calls[0];
    return hottest;
}

/*
 * By kind, for those that together hold most of the calls: the hottest call alone may be a small part. Returns the key
 * of what tries the first.
 */
static const char *advise_groups(const struct results *results, struct finding *finding,
                                 const struct call_groups *groups, double calls)
{
    enum {
        GROUPS_MOST = 3
    };
    static const double MATTERS = 0.15, MUCH = 0.25, MOST = 0.5;
    const struct kernel_time *kernel = results->kernel;
    const struct call_group *first = groups->count ? &groups->items[0] : NULL;
    bool at_bytes = first && is_at_bytes(kernel, first->kind);
    bool is_spread = !at_bytes && (!first || (double)first->samples < MOST * calls);
    bool is_first = is_spread && (!first || (double)first->samples < MUCH * calls);
    bool log = !at_bytes && advise_on_log(results, finding, groups);
    if (at_bytes)
        say_bytes(finding, kernel, VALUE_TEXT("call", group_names(first, finding->arena)));
    else if (is_first)
        finding_advise(finding, "advice-many", NO_VALUES);
    for (size_t at = at_bytes; at < groups->count && at < GROUPS_MOST; at++)
        if (at == 0 || (double)groups->items[at].samples >= MATTERS * calls)
            advise_group(results, finding, &groups->items[at]);
    if (is_spread && !is_first)
        finding_advise(finding, "advice-many", NO_VALUES);
    return log ? "confirm-log" : at_bytes ? "confirm-bytes" : first && first->kind ? first->kind->confirm : "confirm";
}

/* Opening and closing connections is many calls, none of which leads by itself. */
static bool say_connections(struct finding *finding, const struct call_group *group, double calls)
{
    static const double LEADS = 0.4;
    if (!group || !is_of_connections(group->kind) || (double)group->samples < LEADS * calls)
        return false;
    double samples = (double)group->samples;
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, "headline-connections", VALUE_SHARE("share", finding->recoverable),
                    VALUE_SHARE("part", wilson_interval(samples, calls, calls)),
                    VALUE_TEXT("call", group_names(group, finding->arena)));
    return true;
}

/* Who makes the hottest call, where stacks of it show that; else what would. */
static void advise_callers(const struct results *results, struct finding *finding, const struct kernel_entry *hottest)
{
    const struct call_callers *callers = hottest ? &hottest->callers : NULL;
    if (!callers || !callers->count) {
        finding_advise(finding, "advice-callers", NO_VALUES);
        return;
    }
    for (size_t at = 0; at < callers->count; at++)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_CODE, callers->by_switches ? "callers-switched" : "callers",
                         VALUE_TEXT("call", hottest->name), VALUE_TEXT("callers", callers->chains[at].words),
                         VALUE_SHARE("share", interval_exactly(callers->chains[at].share)));
    if (!code_is_foreign(results))
        finding_advise(finding, "advice-callers-known", VALUE_TEXT("call", hottest->name),
                       VALUE_TEXT("callers", callers->chains[0].words));
}

/* Calls that waiting for locks leads to aren't ruled out with the rest: the bound is of all, whose they are is said. */
static void bound_with_locks(const struct results *results, struct finding *finding, double locks, double others)
{
    const struct kernel_time *kernel = results->kernel;
    double total = (double)kernel->sample_count, most = locks + others + (double)kernel->unnamed_samples;
    struct interval share = share_of_run(results, finding, wilson_interval(most < total ? most : total, total, total));
    finding_decide_bound(finding, share.known ? share.high : 1, results->effect);
    if (finding->verdict == VERDICT_RULED_OUT)
        finding_reason_bound(finding, "bound", share);
    else
        finding_set(finding, reason, "locks", VALUE_SHARE("share", wilson_interval(locks, total, total)));
}

/* What waiting for locks costs in calls is those locks' finding, not a call to make less often. */
static void system_calls_test(const struct results *results, struct finding *finding)
{
    const struct kernel_time *kernel = results->kernel;
    double locks = futex_samples_of_locks(kernel, results->waits);
    double calls = (double)kernel->call_samples - locks;
    calls = calls > 0 ? calls : 0;
    double maybe = (double)(kernel->other_samples + kernel->softirq_samples + kernel->short_call_samples);
    if (!test_kernel_with(results, finding, calls, maybe)) {
        if (locks > 0)
            bound_with_locks(results, finding, locks, calls + maybe);
        return;
    }
    struct call_groups groups = call_groups_of(kernel, locks > 0);
    const struct call_group *first = groups.count ? &groups.items[0] : NULL;
    const struct kernel_entry *hottest = hottest_call(&groups);
    /* A call that holds little of it is not the one to blame: most of the calls have no name then. */
    if (hottest && (double)hottest->samples * 4 >= calls) {
        finding->subject = hottest->name;
        double total = (double)kernel->sample_count;
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, "hottest", VALUE_TEXT("call", hottest->name),
                         VALUE_SHARE("share", wilson_interval((double)hottest->samples, total, total)));
    }
    bool is_one = hottest && (double)hottest->samples * 2 >= calls;
    bool is_kind = first && ((double)first->samples * 2 >= calls || is_at_bytes(kernel, first->kind));
    if (is_one && finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, "headline-one", VALUE_SHARE("share", finding->recoverable),
                    VALUE_TEXT("call", hottest->name));
    is_kind |= say_connections(finding, first, calls);
    const char *confirm = advise_groups(results, finding, &groups, calls);
    is_kind |= strcmp(confirm, "confirm-log") == 0;
    struct value call = VALUE_TEXT("call", first ? group_names(first, finding->arena) : "");
    if (is_one && is_yield(call_kind_of(hottest->name)))
        say_yields(results, finding, call);
    advise_callers(results, finding, hottest);
    say_written(results, finding);
    finding_set(finding, confirm, is_kind ? confirm : "confirm-many", call);
    double go = go_scheduler_samples(results, locks);
    if (go * 2 >= calls)
        say_go_scheduler(results, finding, go);
}

const struct hypothesis hypothesis_system_calls = {
    .id = "system-calls",
    .family = "system",
    .title = "time in system calls",
    .rule = "supported when samples in system calls, those for locks left out, hold the effect; ruled out when "
            "they don't with those for locks either",
    .gain = "that share of the samples, were none of the calls needed",
    .overturn = "half as many of the hottest call in a copy",
    .needs = RESULT_BIT(RESULT_KERNEL),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_WAITS) | RESULT_BIT(RESULT_SURROUNDINGS) |
            RESULT_BIT(RESULT_STALLS) | RESULT_BIT(RESULT_ACTIVITY),
    .test = system_calls_test,
};

static void interrupts_test(const struct results *results, struct finding *finding)
{
    const struct kernel_time *kernel = results->kernel;
    double maybe = (double)(kernel->softirq_samples + kernel->rootless_samples);
    if (!test_kernel_with(results, finding, (double)kernel->interrupt_samples, maybe))
        return;
    if (kernel->softirq_samples)
        finding_leave_open(finding, "softirq-whose", NO_VALUES);
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_interrupts = {
    .id = "interrupts",
    .family = "system",
    .title = "interrupts",
    .rule = "supported when samples in interrupt handlers hold the effect; ruled out below it. Soft interrupts that a "
            "system call itself runs are that call's; where the chain doesn't tell, of either",
    .gain = "that share of the samples",
    .overturn = "a CPU without those interrupts",
    .needs = RESULT_BIT(RESULT_KERNEL),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = interrupts_test,
};

static void kernel_locks_test(const struct results *results, struct finding *finding)
{
    if (!test_kernel(results, finding, (double)results->kernel->spin_samples))
        return;
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_kernel_locks = {
    .id = "kernel-locks",
    .family = "system",
    .title = "spinning for kernel locks",
    .rule = "supported when samples that spin for kernel locks hold the effect; ruled out below it",
    .gain = "that share of the samples",
    .overturn = "fewer threads",
    .needs = RESULT_BIT(RESULT_KERNEL),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = kernel_locks_test,
};

static void start_and_exit_test(const struct results *results, struct finding *finding)
{
    const struct process_starts *starts = &results->kernel->starts;
    if (!test_kernel(results, finding, (double)results->kernel->exec_samples))
        return;
    if (starts->short_count >= SHORT_PROCESSES_LEAST) {
        scoped_text struct text commands = {0};
        for (size_t at = 0; at < starts->command_count; at++)
            text_printf(&commands, "%s%llu %s", at ? ", " : "", (unsigned long long)starts->commands[at].count,
                        starts->commands[at].name);
        if (starts->other_count)
            text_printf(&commands, "%s%llu %s", starts->command_count ? " and " : "",
                        (unsigned long long)starts->other_count, starts->command_count ? "more" : "of many names");
        const char *named = arena_string(finding->arena, text_string(&commands));
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "short",
                         VALUE_COUNT("count", (double)starts->short_count), VALUE_TEXT("commands", named));
        finding->subject = starts->commands[0].name;
        if (finding->verdict == VERDICT_SUPPORTED)
            finding_set(finding, headline, "headline-many", VALUE_COUNT("count", (double)starts->short_count),
                        VALUE_TEXT("commands", named), VALUE_SHARE("share", finding->recoverable));
    }
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_start_and_exit = {
    .id = "start-and-exit",
    .family = "system",
    .title = "starting and ending processes",
    .rule = "supported when starting and ending processes holds the effect; ruled out below it",
    .gain = "that share of the samples",
    .overturn = "the same work in one process",
    .needs = RESULT_BIT(RESULT_KERNEL),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = start_and_exit_test,
};

/* The threads' time in waits that may be for storage: those of other kinds, as their stacks tell, are not. */
static struct measured storage_wait(const struct wait_rows *waits)
{
    if (!waits)
        return not_measured("no context switches were recorded");
    double other_s = 0;
    for (size_t at = 0; at < waits->count; at++) {
        const struct wait_row *row = &waits->items[at];
        if (row->kind != WAIT_FAULT && row->kind != WAIT_DISK && row->kind != WAIT_UNKNOWN)
            other_s += row->total_s;
    }
    return measured_as(waits->waiting_s > other_s ? waits->waiting_s - other_s : 0);
}

/* Who waits for storage is in state D: so few of the looks at it may have met one. */
static double blocked_most(const struct activity *activity)
{
    double looks = activity->look_count > 1 ? activity->look_count - 1 : 0;
    bool looked = activity->blocked_ratio.known && looks > 0;
    return looked ? wilson_interval(activity->blocked_ratio.value * looks, looks, looks).high : 1;
}

/*
 * What its reads held it up by, at most, as a share of the elapsed time: waits bound it, since storage takes as long as
 * it pleases.
 */
static double reads_share(const struct results *results)
{
    const struct run_time *run = results->run;
    struct measured elapsed = run ? run->elapsed_s : not_measured("the elapsed time isn't known");
    struct measured waited = measured_ratio(storage_wait(results->waits), elapsed);
    double most = waited.known && waited.value < 1 ? waited.value : 1;
    struct interval asleep = run ? share_asleep(results) : (struct interval){0};
    return run && run->threads_seen <= 1 && asleep.known && asleep.high < most ? asleep.high : most;
}

static void swap_test(const struct results *results, struct finding *finding)
{
    const struct activity *activity = results->activity;
    if (!activity->major_faults.known) {
        finding_not_testable(finding, activity->major_faults.why_not, NULL);
        return;
    }
    finding->of = OF_ELAPSED;
    bool is_least = results->run && results->run->scope != RUN_STARTED && results->run->run_delay_is_least;
    bool none = activity->major_faults.value == 0 && !is_least;
    double most = none ? 0 : is_least ? 1 : reads_share(results), blocked = blocked_most(activity);
    bool by_looks = blocked < most;
    most = by_looks ? blocked : most;
    finding_bound_share(finding, results, share_of(OF_ELAPSED, interval_exactly(most)));
    if (!none && finding->verdict == VERDICT_RULED_OUT)
        finding_set(finding, reason, by_looks ? "looked" : "waited", VALUE_COUNT("count", activity->major_faults.value),
                    VALUE_SHARE("bound", interval_exactly(finding->recoverable.high)),
                    VALUE_TEXT("of", denominator_name(finding->of)));
    else
        finding_set(finding, reason,
                    finding->verdict == VERDICT_RULED_OUT ? "bound"
                    : by_looks                            ? "undecided-looked"
                    : is_least                            ? "undecided-least"
                                                          : "undecided",
                    VALUE_COUNT("count", activity->major_faults.value));
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_advise(finding, "advice", NO_VALUES);
}

const struct hypothesis hypothesis_swap = {
    .id = "swap",
    .family = "system",
    .is_capacity = true, /* idle threads' waits may all be reads by their number: a loose bound is no lead */
    .title = "memory read back from storage",
    .rule = "ruled out when nothing was read back from storage, or waits that may be for it stay below the effect; "
            "otherwise "
            "bounded by those waits",
    .gain = "0 to the waits that may be for storage",
    .overturn = "more memory, or files read ahead: major faults must fall to none",
    .by_the_clock = true,
    .needs = RESULT_BIT(RESULT_ACTIVITY),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_WAITS),
    .test = swap_test,
};
