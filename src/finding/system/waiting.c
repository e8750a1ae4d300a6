/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is it waiting rather than computing, and for what? */
#include "base/scope.h"
#include "base/vec.h"
#include "finding/family.h"

#include <ctype.h>
#include <string.h>

/* What a place in the kernel, or a system call, is waited in for; the first that fits. */
static const struct wait_place {
    const char *part;
    enum wait_kind kind;
} wait_places[] = {
    {"futex", WAIT_FUTEX},           {"nanosleep", WAIT_SLEEP},       {"common_nsleep", WAIT_SLEEP},
    {"ep_poll", WAIT_EVENTS},        {"do_epoll", WAIT_EVENTS},       {"epoll_", WAIT_EVENTS},
    {"poll_schedule", WAIT_EVENTS},  {"do_poll", WAIT_EVENTS},        {"poll (", WAIT_EVENTS},
    {"do_select", WAIT_EVENTS},      {"select", WAIT_EVENTS},         {"io_cqring", WAIT_EVENTS},
    {"do_wait_intr", WAIT_UNKNOWN},  {"do_wait_for_common", WAIT_UNKNOWN}, /* any event, not a process */
    {"pipe_", WAIT_PIPE},            {"do_wait", WAIT_CHILD},         {"kernel_wait4", WAIT_CHILD},
    {"vfork", WAIT_CHILD},           {"kernel_clone", WAIT_CHILD},
    {"kernel_waitid", WAIT_CHILD},   {"wait4", WAIT_CHILD},           {"waitid", WAIT_CHILD},
    {"unix_stream", WAIT_NETWORK},   {"sk_wait", WAIT_NETWORK},       {"inet_csk", WAIT_NETWORK},
    {"skb_wait", WAIT_NETWORK},      {"accept", WAIT_NETWORK},        {"recvfrom", WAIT_NETWORK},
    {"recvmsg", WAIT_NETWORK},       {"n_tty", WAIT_TERMINAL},        {"ptrace_", WAIT_TRACED},
    {"io_schedule", WAIT_DISK},      {"folio_wait", WAIT_DISK},       {"blk_", WAIT_DISK},
    {"jbd2", WAIT_DISK},             {"wait_on_page", WAIT_DISK},     {"fsync", WAIT_DISK},
    {"fdatasync", WAIT_DISK},        {"sigtimedwait", WAIT_SIGNAL},   {"sigsuspend", WAIT_SIGNAL},
    {"pause", WAIT_SIGNAL},
};

static enum wait_kind wait_kind_of_place(const char *place)
{
    for (size_t at = 0; at < array_count(wait_places); at++)
        if (strstr(place, wait_places[at].part))
            return wait_places[at].kind;
    return WAIT_UNKNOWN;
}

static bool has_run(const struct activity_thread *thread)
{
    return thread->user_s + thread->system_s > 0 || (thread->run_s.known && thread->run_s.value > 0) ||
           thread->seen_running;
}

/*
 * The place where threads were seen asleep most often: those that ran meanwhile, for one that never does (a pool's,
 * unused) keeps nobody.
 */
static const struct activity_wait *commonest_wait(const struct activity *activity, const char **ret_comm)
{
    const struct activity_wait *best = NULL;
    bool best_ran = false;
    for (uint32_t at = 0; activity && at < activity->thread_count; at++)
        for (int wait = 0; wait < ACTIVITY_WAITS_MOST; wait++) {
            const struct activity_wait *here = &activity->threads[at].waits[wait];
            bool ran = has_run(&activity->threads[at]);
            if (here->count && (!best || ran > best_ran || (ran == best_ran && here->count > best->count))) {
                best = here;
                best_ran = ran;
                *ret_comm = activity->threads[at].comm;
            }
        }
    return best;
}

static const struct wait_words {
    const char *phrase;
    const char *advice; /* key of what to do about it */
} wait_words[WAIT_KIND_COUNT] = {
    [WAIT_UNKNOWN] = {"something that could not be seen", "advice"},
    [WAIT_SLEEP] = {"a timer (sleep)", "advice-sleep"},
    [WAIT_LOCK] = {"a lock", "advice-lock"},
    [WAIT_FUTEX] = {"a lock or another thread", "advice-thread"},
    [WAIT_THREAD] = {"another thread (its end, a condition, a semaphore)", "advice-thread"},
    [WAIT_EVENTS] = {"events (poll, epoll)", "advice-events"},
    [WAIT_NETWORK] = {"the network or a socket", "advice-events"},
    [WAIT_PIPE] = {"a pipe", "advice-pipe"},
    [WAIT_DISK] = {"storage", "advice-disk"},
    [WAIT_CHILD] = {"a child process", "advice-child"},
    [WAIT_FAULT] = {"memory that is read from storage", "advice-disk"},
    [WAIT_TERMINAL] = {"the terminal", "advice-terminal"},
    [WAIT_SIGNAL] = {"a signal", "advice-signal"},
    [WAIT_TRACED] = {"what traces it (a debugger, strace)", "advice-traced"},
};

struct time_shares shares_of_time(const struct results *results)
{
    return time_shares_of(results->run, results->activity, results->waits);
}

/*
 * Share of the elapsed time in which it slept. Ready but without a CPU is another cause: taken off, or woken and not
 * yet run.
 */
struct interval share_asleep(const struct results *results)
{
    return shares_of_time(results).waiting;
}

/* More than so much of all waiting, and it is what is waited for; less, and there are others, too. */
static const double MOST_OF_IT = 0.7;

/* A child from before it was watched is none of it, but may be what is slow. */
static const double CHILD_BUSY = 0.05;

const struct activity_child *waiting_busy_child(const struct results *results)
{
    const struct activity *activity = results->activity;
    const struct run_time *run = results->run;
    if (!activity || !activity->child_count || !run->elapsed_s.known)
        return NULL;
    const struct activity_child *child = &activity->children[0];
    return child->cpu_s >= CHILD_BUSY * run->elapsed_s.value && (!run->cpu_s.known || child->cpu_s > run->cpu_s.value)
               ? child
               : NULL;
}

/* What it waits for, by its stacks; without these by where it was seen. */
static enum wait_kind kind_waited_for(const struct results *results)
{
    const struct wait_row *row = wait_rows_longest(results->waits);
    const char *comm = "";
    const struct activity_wait *wait = commonest_wait(results->activity, &comm);
    return row ? row->kind : wait ? wait_kind_of_place(wait->place) : WAIT_UNKNOWN;
}

bool waiting_is_for_busy_process(const struct results *results)
{
    return kind_waited_for(results) == WAIT_CHILD && waiting_busy_child(results);
}

/* A child is what a process of the target started itself. */
static bool is_own_child(const struct activity *activity, const struct activity_child *child)
{
    for (uint32_t at = 0; at < activity->thread_count; at++)
        if (activity->threads[at].pid == child->parent)
            return true;
    return false;
}

/* How to record the same again. */
static const char *again(const struct results *results)
{
    return results->target_options && results->target_options[0] ? results->target_options : "-- CMD";
}

/*
 * A process below it is busy meanwhile. Only of one that waits for processes (wait4 and its like) is that what it waits
 * for.
 */
static void waits_beside(const struct results *results, struct finding *finding, const struct activity_child *child)
{
    bool own = is_own_child(results->activity, child), for_it = waiting_is_for_busy_process(results);
    const char *pid = arena_printf(finding->arena, "%u", child->pid);
    struct value name = VALUE_TEXT("comm", child->comm), number = VALUE_TEXT("pid", pid);
    struct value whose = VALUE_TEXT("whose", own ? "its child" : "a process below it,");
    struct value cpu = VALUE_SECONDS("cpu", interval_exactly(child->cpu_s)),
                 elapsed = VALUE_SECONDS("elapsed", interval_exactly(results->run->elapsed_s.value));
    finding_evidence(finding, for_it ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_COUNTERS, "child", whose, name, number, cpu,
                     elapsed);
    if (!for_it) {
        finding_advise(finding, "advice-beside", whose, name, number);
        return;
    }
    finding_set(finding, headline, own ? "headline-child" : "headline-below",
                VALUE_SHARE("share", finding->recoverable), name, number, cpu);
    finding_readvise(finding, "advice-busy-child", number);
    finding_set(finding, confirm, "confirm-child", number);
}

static bool is_stopped(const struct results *results)
{
    const struct activity *activity = results->activity;
    return activity && activity->stopped_ratio.known && activity->stopped_ratio.value >= 0.5;
}

static void stopped_describe(const struct results *results, struct finding *finding)
{
    struct value share = VALUE_SHARE("share", interval_exactly(results->activity->stopped_ratio.value));
    const char *pid =
        results->activity->thread_count ? arena_printf(finding->arena, "%u", results->activity->threads[0].pid) : "PID";
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_MACHINE, "stopped", share);
    finding_set(finding, headline, "headline-stopped", share);
    finding_advise(finding, "advice-stopped", VALUE_TEXT("pid", pid));
    finding_set(finding, confirm, "confirm-stopped", VALUE_TEXT("pid", pid));
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_reason_bound(finding, "bound", finding->recoverable);
}

/* Sockets that were read from, or threads that it began: nobody asks nothing of such a one. NULL: neither was seen. */
static const char *served_words(const struct results *results, struct arena *arena)
{
    const struct wait_rows *waits = results->waits;
    uint64_t reads = 0;
    for (size_t at = 0; waits && at < waits->count; at++)
        reads += waits->items[at].kind == WAIT_NETWORK ? waits->items[at].count : 0;
    const struct activity *activity = results->activity;
    uint32_t stayed = activity ? activity->threads_at_once : 0, ran = results->run->threads_seen;
    scoped_text struct text words = {0};
    if (reads)
        text_printf(&words, "%llu wait%s at sockets ended", (unsigned long long)reads, reads == 1 ? "" : "s");
    if (stayed && ran > stayed)
        text_printf(&words, "%s%u threads came and went", words.length ? ", " : "", ran - stayed);
    return words.length ? arena_string(arena, text_string(&words)) : NULL;
}

static bool is_nameless(const char *function)
{
    return strstr(function, "+0x") || function[0] == '[';
}

/* glibc's loader, at the program's start or in dlopen(): the prefix is its own. */
static bool is_loading(const struct wait_row *row)
{
    return row->kind == WAIT_DISK && (strncmp(row->function, "_dl_", 4) == 0 || strcmp(row->function, "dl_main") == 0);
}

/* Go's and others' own way into the kernel: "syscall.Syscall", "runtime/internal/syscall.Syscall6". */
static bool is_call_stub(const char *function)
{
    return strstr(function, "yscall") || strstr(function, "sys/unix.");
}

/* "syscall.Fsync" that called such a stub, itself none; NULL: none is known. */
static const char *stub_caller(const struct wait_row *row)
{
    for (uint32_t at = 0; at < row->caller_count && is_call_stub(row->function); at++) {
        const char *name = strrchr(row->callers[at], '.');
        if (is_call_stub(row->callers[at]) && name && !strstr(name, "yscall"))
            return row->callers[at];
    }
    return NULL;
}

/* What it asked of the kernel: by the C library's function, or by the name of what called a stub. NULL: not known. */
static const char *asked_of(const struct wait_row *row, struct arena *arena)
{
    const char *caller = row->asked ? NULL : stub_caller(row);
    if (!caller)
        return row->asked;
    char *name = arena_string(arena, strrchr(caller, '.') + 1);
    name[0] = (char)tolower((unsigned char)name[0]);
    return name;
}

/*
 * Reading, writing and looking up wait for the same device, and want other remedies. NULL: it isn't known what was
 * asked.
 */
static const char *advice_of_storage(const struct wait_row *row, const char *asked)
{
    static const struct {
        const char *call, *advice;
    } calls[] = {
        {"read", "advice-disk-read"},       {"readv", "advice-disk-read"},       {"pread", "advice-disk-read"},
        {"pread64", "advice-disk-read"},    {"preadv", "advice-disk-read"},      {"fread", "advice-disk-read"},
        {"getline", "advice-disk-read"},    {"fgets", "advice-disk-read"},       {"readdir", "advice-disk-names"},
        {"readdir64", "advice-disk-names"}, {"getdents64", "advice-disk-names"}, {"open", "advice-disk-names"},
        {"open64", "advice-disk-names"},    {"openat", "advice-disk-names"},     {"openat64", "advice-disk-names"},
        {"stat", "advice-disk-names"},      {"lstat", "advice-disk-names"},      {"fstatat", "advice-disk-names"},
        {"fstatat64", "advice-disk-names"}, {"fsync", "advice-disk-sync"},       {"fdatasync", "advice-disk-sync"},
        {"msync", "advice-disk-sync"},      {"sync", "advice-disk-sync"},        {"syncfs", "advice-disk-sync"},
    };
    if (is_loading(row))
        return "advice-disk-loading";
    for (size_t at = 0; asked && at < array_count(calls); at++)
        if (strcmp(asked, calls[at].call) == 0)
            return calls[at].advice;
    /* Code of a name that asked for nothing touched memory that is a file's. */
    bool asks_nothing = !asked && !is_call_stub(row->function);
    return asks_nothing && !is_nameless(row->function) && row->function[0] != '_' ? "advice-disk-touched" : NULL;
}

/* A function without a name is better known by what it called, and by the nearest caller that has one. */
const char *waiting_place(const struct wait_row *row, struct arena *arena)
{
    if (is_loading(row))
        return arena_printf(arena, "%s (loading programs and libraries)", row->function);
    if (stub_caller(row))
        return stub_caller(row);
    if (!is_nameless(row->function) || !row->asked)
        return row->function;
    for (uint32_t at = 0; at < row->caller_count; at++)
        if (!is_nameless(row->callers[at]))
            return arena_printf(arena, "%s (called below %s)", row->asked, row->callers[at]);
    return arena_printf(arena, "%s (called by %s)", row->asked, row->function);
}

/*
 * Whoever got the first part of an answer acknowledges it 40 ms later on Linux, and Nagle's rule holds the next part
 * back until then: waits that are all as long as that.
 */
static bool is_delayed_acknowledgement(const struct wait_row *row)
{
    static const double LEAST_S = 0.039, MOST_S = 0.046, ALIKE = 1.25;
    enum { WAITS_LEAST = 50 };
    bool comes_in = row && (row->kind == WAIT_NETWORK || row->kind == WAIT_EVENTS) && row->count >= WAITS_LEAST;
    double mean_s = comes_in ? row->total_s / (double)row->count : 0;
    return mean_s >= LEAST_S && mean_s <= MOST_S && row->longest_s <= ALIKE * mean_s;
}

static bool is_of_threads(const struct wait_row *row)
{
    return row->kind == WAIT_THREAD || row->kind == WAIT_FUTEX;
}

/* At another place as many waits, as short: each waits while the other works, and they never work side by side. */
static bool is_handed_over(const struct wait_rows *waits, const struct wait_row *row)
{
    enum { WAITS_LEAST = 1000, TIMES_MOST = 2 };
    static const double WAIT_S_MOST = 1e-3;
    if (!row || !is_of_threads(row) || row->count < WAITS_LEAST || row->total_s > WAIT_S_MOST * (double)row->count)
        return false;
    for (size_t at = 0; at < waits->count; at++) {
        const struct wait_row *other = &waits->items[at];
        if (other != row && is_of_threads(other) && other->count <= TIMES_MOST * row->count &&
            row->count <= TIMES_MOST * other->count && other->total_s <= WAIT_S_MOST * (double)other->count)
            return true;
    }
    return false;
}

static void advise_storage(struct finding *finding, const char *advice, const char *where, const char *asked)
{
    struct value call = VALUE_TEXT("call", asked ? asked : "");
    finding_advise(finding, advice, VALUE_TEXT("where", where), call);
    if (strcmp(advice, "advice-disk-sync") == 0)
        finding_set(finding, confirm, "confirm-disk-sync", call);
}

/* What to do about waiting for events depends on whether any came. */
static void advise_waiting(const struct results *results, struct finding *finding, enum wait_kind kind,
                           const struct wait_row *row, const char *where)
{
    const char *served = kind == WAIT_EVENTS ? served_words(results, finding->arena) : NULL;
    const char *asked = row ? asked_of(row, finding->arena) : NULL;
    const char *storage = kind == WAIT_DISK && row ? advice_of_storage(row, asked) : NULL;
    if (is_delayed_acknowledgement(row))
        finding_advise(finding, "advice-delayed", VALUE_COUNT("count", (double)row->count),
                       VALUE_SECONDS("each", interval_exactly(row->total_s / (double)row->count)));
    if (is_handed_over(results->waits, row)) {
        finding_advise(finding, "advice-handed-over", VALUE_COUNT("count", (double)row->count));
        return;
    }
    if (served)
        finding_advise(finding, "advice-served", VALUE_TEXT("what", served));
    else if (storage)
        advise_storage(finding, storage, where, asked);
    else if (!row && (kind == WAIT_EVENTS || kind == WAIT_NETWORK))
        finding_advise(finding, "advice-events-seen", NO_VALUES);
    else
        finding_advise(finding, wait_words[kind].advice, VALUE_TEXT("where", where),
                       VALUE_COUNT("count", row ? (double)row->count : 0));
}

static void waiting_test(const struct results *results, struct finding *finding)
{
    const struct run_time *run = results->run;
    finding->of = OF_ELAPSED;
    if (!run->on_cpu_ratio.known) {
        finding_not_testable(finding, run->on_cpu_ratio.why_not, NULL);
        return;
    }
    finding_decide_share(finding, results, share_of(OF_ELAPSED, share_asleep(results)));
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", finding->recoverable);
        return;
    }
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "off-cpu", VALUE_SHARE("share", finding->recoverable));
    if (is_stopped(results)) {
        stopped_describe(results, finding);
        return;
    }
    const struct wait_row *row = wait_rows_longest(results->waits);
    const char *comm = "";
    const struct activity_wait *wait = commonest_wait(results->activity, &comm);
    enum wait_kind seen = wait ? wait_kind_of_place(wait->place) : WAIT_UNKNOWN, kind = row ? row->kind : seen;
    struct value words = VALUE_TEXT("kind", wait_words[kind].phrase),
                 share = VALUE_SHARE("share", finding->recoverable);
    if (row)
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "stacks", VALUE_TEXT("function", row->function), words,
                         VALUE_SECONDS("time", interval_exactly(row->total_s)),
                         VALUE_COUNT("count", (double)row->count),
                         VALUE_SECONDS("all", interval_exactly(results->waits->waiting_s)));
    if (row && row->call)
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "call", VALUE_TEXT("function", row->function),
                         VALUE_TEXT("call", row->call));
    if (wait)
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_MACHINE, seen == WAIT_UNKNOWN ? "seen-place" : "seen",
                         VALUE_TEXT("place", wait->place[0] ? wait->place : "an unnamed place"),
                         VALUE_TEXT("comm", comm), VALUE_TEXT("kind", wait_words[seen].phrase));
    finding->subject = row ? row->function : wait ? wait->place : NULL;
    bool among_others = row && row->idle_s < MOST_OF_IT * results->waits->idle_s;
    const char *where = row ? waiting_place(row, finding->arena) : wait && wait->place[0] ? wait->place : "";
    finding_set(finding, headline,
                among_others ? "headline-among"
                : where[0]   ? "headline"
                             : "headline-nowhere",
                words, share, VALUE_TEXT("where", where));
    if (results->samples_refused)
        finding_advise(finding, "advice-refused", VALUE_TEXT("again", again(results)));
    finding_set(finding, confirm, results->samples_refused ? "confirm-refused" : "confirm",
                VALUE_TEXT("again", again(results)));
    advise_waiting(results, finding, kind, row, row ? where : "it");
    const struct activity_child *child = waiting_busy_child(results);
    if (child)
        waits_beside(results, finding, child);
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_reason_bound(finding, "bound", finding->recoverable);
}

const struct hypothesis hypothesis_waiting = {
    .id = "waiting",
    .family = "system",
    .title = "waiting, not computing",
    .rule = "supported when none of its threads ran or was ready in at least the effect of the elapsed time; ruled out "
            "when "
            "the upper end is below it",
    .gain = "that part of the elapsed time, as the switch records have it",
    .overturn = "plumb record -e context-switches -g: the stacks that leave the CPU must be those",
    .by_the_clock = true,
    .needs = RESULT_BIT(RESULT_RUN),
    .uses = RESULT_BIT(RESULT_ACTIVITY) | RESULT_BIT(RESULT_WAITS),
    .test = waiting_test,
};
