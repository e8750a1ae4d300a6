/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which system calls the time goes into, and what they are about. */
#include "base/scope.h"
#include "base/text.h"
#include "base/vec.h"
#include "finding/family.h"
#include "finding/system/kernel_time.h"
#include "system/host/clocksource.h"

#include <stdlib.h>
#include <string.h>

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

/* So many matter among them, and are named. */
static size_t named_count(const struct call_group *group)
{
    enum { NAMES_MOST = 3 };
    static const double MATTERS = 0.1;
    size_t count = 1;
    while (count < group->call_count && count < NAMES_MOST &&
           (double)group->calls[count]->samples >= MATTERS * (double)group->samples)
        count++;
    return count;
}

/* "read", "read and write", "newfstatat, openat and close" */
static const char *group_names(const struct call_group *group, struct arena *arena)
{
    size_t count = named_count(group);
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
    if (!runs_runtime(results, &runtime))
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
    enum { GROUPS_MOST = 3 };
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
                    VALUE_TEXT("call", group_names(group, finding->arena)),
                    VALUE_TEXT("rest", named_count(group) < group->call_count ? ", and others about them" : ""));
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
    if (!kernel_time_test_with(results, finding, calls, maybe)) {
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
