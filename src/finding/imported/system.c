/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What imported shares of the whole system say of a cause: a share of the time is one. */
#include "base/share_names.h"
#include "base/vec.h"
#include "finding/family.h"
#include "finding/imported/callers.h"
#include "finding/imported/evidence.h"
#include "finding/imported/fact_words.h"
#include "finding/imported/reference.h"
#include "finding/wording.h"

#include "analyse/profile/folded_profile.h"
#include "analyse/time/wait_locks.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/*
 * What stands for a machine's CPUs may hide the one that a program runs on: it supports, and only nothing at all rules
 * out.
 */
enum role {
    ROLE_SUPPORTS,
    ROLE_SUPPORTS_OR_NONE,
    ROLE_DECIDES,       /* it is of the program itself */
    ROLE_BOUNDS,        /* the cause is a part of it */
    ROLE_BOUNDS_LEADS,  /* and as long as it isn't below the effect, it is what is to be looked at first */
    ROLE_ONE_CPU,       /* of one CPU: a part of the program's time only if it runs there */
    ROLE_FILLS,         /* of one CPU that has no time left: what waits for its work waits, wherever it runs */
    ROLE_LEADS,         /* as the next, and nothing else says more of a program that waits */
    ROLE_POINTS,        /* where most of it lies; whether that took any time isn't known */
    ROLE_LEAST,         /* so much at least, and how much more isn't known */
    ROLE_OPENS,         /* it may be this, and isn't told; less says nothing */
    ROLE_AT_LEAST_SEEN, /* of a part of what there was: it supports, and less leaves it open */
    ROLE_SPEAKS, /* of something beside: much of it points at the cause, little speaks against it, and none decides */
    /* a share of something else than time: much of it is the cause, and how much time that took isn't known */
    ROLE_MARKS,
    ROLE_WEIGHS,  /* of something else than its time, as of what sampled loads waited: much of it leads */
    ROLE_HEATS,   /* heat made it slower, and by how much isn't told */
    ROLE_FULL,    /* it supports while no CPU stands idle, and says nothing otherwise */
    ROLE_EXCLUDES /* next to nothing of it rules out, and more says nothing */
};

static const struct {
    const char *id, *fact;
    enum role role;
    enum denominator of;
    enum origin origin;
    const char *open, *advice; /* keys of the wording, NULL: as all have it: while it is open, and what to do */
} facts[] = {
    {"steal", SHARE_STEAL_OF_ONE, ROLE_MARKS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"steal", SHARE_STEAL, ROLE_SUPPORTS_OR_NONE, OF_ELAPSED, ORIGIN_SCHEDULER},
    /* of the program's own threads first: what the whole machine waited hides one that did */
    {"waiting", FOLDED_STORAGE_TIME, ROLE_SUPPORTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"waiting", FOLDED_NETWORK_TIME, ROLE_SUPPORTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    /* nothing of it: threads that take turns may still wait */
    {"waiting", SHARE_ONE_THREAD_STORAGE, ROLE_SUPPORTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"waiting", SHARE_SESSIONS_AT_CLIENT, ROLE_SUPPORTS, OF_ELAPSED, ORIGIN_SCHEDULER, NULL, "imported-advice-client"},
    {"waiting", SHARE_SESSIONS_AT_LOG, ROLE_SUPPORTS, OF_ELAPSED, ORIGIN_SCHEDULER, NULL, "imported-advice-commit"},
    {"waiting", SHARE_SESSIONS_AT_STORAGE, ROLE_SUPPORTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"waiting", SHARE_DISK_DELAY, ROLE_SUPPORTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"waiting", SHARE_AWAY, ROLE_SUPPORTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    /* of all CPUs: one process of many CPUs' may have waited all its time */
    {"waiting", SHARE_IO_WAIT, ROLE_MARKS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"waiting", SHARE_STALLED_BY_STORAGE, ROLE_SUPPORTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"swap", SHARE_STALLED_BY_MEMORY, ROLE_SUPPORTS_OR_NONE, OF_ELAPSED, ORIGIN_SCHEDULER, NULL, "advice-swapped"},
    {"oversubscribed", SHARE_NO_CPU_NONE_IDLE, ROLE_SUPPORTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"oversubscribed", SHARE_WANTED_CPU, ROLE_BOUNDS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"numa-remote", SHARE_REMOTE_WEIGHT, ROLE_WEIGHS, OF_CPU_TIME, ORIGIN_SAMPLES, "imported-weight"},
    {"dram-latency", SHARE_LOCAL_WEIGHT, ROLE_WEIGHS, OF_CPU_TIME, ORIGIN_SAMPLES, "imported-weight"},
    {"numa-remote", SHARE_FULLEST_NODE_USED, ROLE_POINTS, OF_CPU_TIME, ORIGIN_PAGES},
    {"swap", SHARE_IO_WAIT_SWAPPED, ROLE_SUPPORTS_OR_NONE, OF_ELAPSED, ORIGIN_SCHEDULER, NULL, "advice-swapped"},
    {"interrupts", SHARE_INTERRUPTS_FULL, ROLE_FILLS, OF_CPU_TIME, ORIGIN_SCHEDULER},
    {"interrupts", SHARE_INTERRUPTS_OF_ONE, ROLE_ONE_CPU, OF_CPU_TIME, ORIGIN_SCHEDULER},
    {"interrupts", SHARE_INTERRUPTS, ROLE_SUPPORTS, OF_CPU_TIME, ORIGIN_SCHEDULER},
    {"interrupts", SHARE_PACKETS_OF_ONE, ROLE_POINTS, OF_CPU_TIME, ORIGIN_COUNTERS},
    {"thermal-power", SHARE_BELOW_HIGHEST_HOT, ROLE_SUPPORTS, OF_CPU_TIME, ORIGIN_COUNTERS, NULL, "advice-heat"},
    {"thermal-power", SHARE_BELOW_TSC_HOT, ROLE_LEAST, OF_CPU_TIME, ORIGIN_COUNTERS, NULL, "advice-heat"},
    {"thermal-power", SHARE_HOT_CPUS, ROLE_HEATS, OF_CPU_TIME, ORIGIN_COUNTERS, "imported-heat-open"},
    {"thermal-power", SHARE_BELOW_HIGHEST, ROLE_OPENS, OF_CPU_TIME, ORIGIN_COUNTERS},
    {"thermal-power", SHARE_BELOW_TSC, ROLE_OPENS, OF_CPU_TIME, ORIGIN_COUNTERS},
    {"frequency", SHARE_BELOW_HIGHEST, ROLE_SUPPORTS, OF_CPU_TIME, ORIGIN_COUNTERS, NULL, "advice-lower"},
    {"frequency", SHARE_BELOW_TSC, ROLE_LEAST, OF_CPU_TIME, ORIGIN_COUNTERS},
    {"system-calls", SHARE_KERNEL, ROLE_BOUNDS, OF_CPU_TIME, ORIGIN_SCHEDULER},
    {"page-faults", SHARE_KERNEL, ROLE_BOUNDS, OF_CPU_TIME, ORIGIN_SCHEDULER},
    {"kernel-locks", SHARE_KERNEL, ROLE_BOUNDS, OF_CPU_TIME, ORIGIN_SCHEDULER},
    {"numa-remote", SHARE_FULLEST_NODE, ROLE_POINTS, OF_CPU_TIME, ORIGIN_PAGES},
    {"numa-remote", SHARE_BUSIEST_NODE, ROLE_POINTS, OF_CPU_TIME, ORIGIN_COUNTERS},
    {"kernel-locks", SHARE_SPINNING_LOCKS, ROLE_POINTS, OF_CPU_TIME, ORIGIN_SCHEDULER},
    {"lock-turns", FOLDED_LOCKS_TIME, ROLE_SUPPORTS, OF_ELAPSED, ORIGIN_SCHEDULER, NULL, "advice-imported"},
    {"lock-turns", SHARE_SLEEPING_TIME, ROLE_SUPPORTS, OF_ELAPSED, ORIGIN_SCHEDULER, NULL, "advice-kernel-lock"},
    {"lock-turns", SHARE_SLEEPING_TIME_ALL, ROLE_WEIGHS, OF_ELAPSED, ORIGIN_SCHEDULER, "imported-lead-all",
     "advice-kernel-lock"},
    {"lock-turns", SHARE_SLEEPING_LOCKS, ROLE_POINTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"lock-turns", FOLDED_LOCKS, ROLE_LEADS, OF_ELAPSED, ORIGIN_SCHEDULER, "imported-lead", "advice-imported"},
    {"spinning", SHARE_SPIN_IMBALANCE, ROLE_SUPPORTS, OF_CPU_TIME, ORIGIN_SAMPLES, NULL, "advice-openmp"},
    {"spinning", SHARE_SPIN_LOCKS, ROLE_SUPPORTS, OF_CPU_TIME, ORIGIN_SAMPLES, NULL, "advice-mutex"},
    {"lock-turns", SHARE_WITHOUT_GIL, ROLE_LEADS, OF_ELAPSED, ORIGIN_SCHEDULER, "imported-lead", "advice-imported"},
    {"lock-turns", SHARE_QUERIES_LOCKED, ROLE_LEADS, OF_ELAPSED, ORIGIN_SCHEDULER, "imported-lead", "advice-queries"},
    {"lock-turns", SHARE_SESSIONS_AT_LOCKS, ROLE_LEADS, OF_ELAPSED, ORIGIN_SCHEDULER, "imported-lead",
     "advice-sessions"},
    {"waiting", SHARE_SESSIONS_AT_CLIENT_SEEN, ROLE_LEADS, OF_ELAPSED, ORIGIN_SCHEDULER, "imported-lead",
     "imported-advice-client"},
    {"waiting", SHARE_SESSIONS_AT_LOG_SEEN, ROLE_LEADS, OF_ELAPSED, ORIGIN_SCHEDULER, "imported-lead",
     "imported-advice-commit"},
    {"waiting", SHARE_SESSIONS_AT_STORAGE_SEEN, ROLE_LEADS, OF_ELAPSED, ORIGIN_SCHEDULER, "imported-lead"},
    {"waiting", FOLDED_STORAGE, ROLE_LEADS, OF_ELAPSED, ORIGIN_SCHEDULER, "imported-lead", "advice"},
    {"waiting", FOLDED_NETWORK, ROLE_LEADS, OF_ELAPSED, ORIGIN_SCHEDULER, "imported-lead", "advice"},
    {"waiting", SHARE_NOT_COMPUTED, ROLE_EXCLUDES, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"oversubscribed", SHARE_NOT_COMPUTED, ROLE_EXCLUDES, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"swap", SHARE_NOT_COMPUTED, ROLE_EXCLUDES, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"waiting", SHARE_DEVICE_BUSY, ROLE_POINTS, OF_ELAPSED, ORIGIN_SCHEDULER, "imported-device"},
    {"oversubscribed", SHARE_NO_CPU, ROLE_BOUNDS_LEADS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"oversubscribed", SHARE_READY_TOGETHER, ROLE_FULL, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"oversubscribed", SHARE_READY, ROLE_BOUNDS_LEADS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"oversubscribed", SHARE_LOAD_BEYOND, ROLE_WEIGHS, OF_ELAPSED, ORIGIN_SCHEDULER, "imported-load"},
    {"affinity", SHARE_IDLE, ROLE_EXCLUDES, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"affinity", SHARE_READY, ROLE_BOUNDS_LEADS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"small-pages", SHARE_SMALL_PAGES, ROLE_POINTS, OF_CPU_TIME, ORIGIN_PAGES},
    /* of what Go counts the CPUs that it left idle are a part: at least that, and little of it is none for certain */
    {"garbage-collection", SHARE_GC_STALLS, ROLE_MARKS, OF_ELAPSED, ORIGIN_SCHEDULER, NULL, "advice-stalls"},
    {"garbage-collection", SHARE_GC_TIME, ROLE_SUPPORTS_OR_NONE, OF_CPU_TIME, ORIGIN_SCHEDULER},
    {"garbage-collection", SHARE_GC_PAUSES, ROLE_DECIDES, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"garbage-collection", SHARE_GC_PAUSES_ALONE, ROLE_AT_LEAST_SEEN, OF_ELAPSED, ORIGIN_SCHEDULER,
     "imported-pauses-beside"},
    {"garbage-collection", SHARE_GC_LOGGED, ROLE_AT_LEAST_SEEN, OF_ELAPSED, ORIGIN_SCHEDULER, "imported-pauses-logged"},
    {"garbage-collection", SHARE_GC_LOGGED_SHORT, ROLE_OPENS, OF_ELAPSED, ORIGIN_SCHEDULER, "imported-short-log"},
    {"garbage-collection", SHARE_GC_TIME_SHORT, ROLE_OPENS, OF_CPU_TIME, ORIGIN_SCHEDULER, "imported-short-log"},
    {"garbage-collection", SHARE_GC_WHOLE, ROLE_AT_LEAST_SEEN, OF_ELAPSED, ORIGIN_SCHEDULER, "imported-pauses-logged"},
    {"waiting", SHARE_CALLS_WAITING, ROLE_POINTS, OF_ELAPSED, ORIGIN_SCHEDULER, "imported-calls-waiting"},
    {"waiting", SHARE_CALLS_MAY_WAIT, ROLE_POINTS, OF_ELAPSED, ORIGIN_SCHEDULER, "imported-calls-may-wait"},
    {"system-calls", SHARE_CALLS_WORKING, ROLE_POINTS, OF_CPU_TIME, ORIGIN_SCHEDULER, "imported-calls"},
    {"numa-remote", SHARE_GIVEN_AWAY, ROLE_SPEAKS, OF_CPU_TIME, ORIGIN_PAGES, "imported-placed"},
    {"contended-lines", SHARE_HITM, ROLE_MARKS, OF_CPU_TIME, ORIGIN_COUNTERS},
};

struct said {
    struct interval share; /* the least and the most that a table says, 0..1 */
    const struct imported_row *row; /* the first */
    const char *file;
};

static bool said_of(const struct imported *imported, const char *fact, struct said *ret)
{
    double low = 1, high = 0;
    bool has_reference = imported_reference_row(imported, fact) != NULL;
    ret->row = NULL;
    for (size_t at = 0; at < imported->count; at++) {
        const struct imported_table *table = &imported->tables[at];
        if (table->kind != IMPORTED_SYSTEM || (has_reference && imported_is_reference(table)))
            continue;
        for (size_t row = 0; row < table->count; row++)
            if (strcmp(table->rows[row].name, fact) == 0) {
                ret->file = ret->row ? ret->file : table->file;
                ret->row = ret->row ? ret->row : &table->rows[row];
                low = fmin(low, table->rows[row].number / 100);
                high = fmax(high, table->rows[row].number / 100);
            }
    }
    ret->share = interval_of(low, (low + high) / 2, high);
    return ret->row;
}

static bool is_bound(enum role role)
{
    return role == ROLE_BOUNDS || role == ROLE_BOUNDS_LEADS || role == ROLE_POINTS || role == ROLE_LEADS ||
           role == ROLE_ONE_CPU || role == ROLE_FILLS || role == ROLE_OPENS || role == ROLE_SPEAKS ||
           role == ROLE_WEIGHS || role == ROLE_HEATS;
}

/* As before and after a change: one says that it is the cause, another that it isn't. */
static bool does_differ(enum role role, struct interval share, double effect)
{
    return !is_bound(role) && share.low < effect && share.high >= effect;
}

/* False: it says nothing of the cause. */
static bool fact_decide(struct finding *finding, enum role role, struct interval share, double effect)
{
    static const double MOST_OF = 0.75, FILLED_LEAST = 0.5, WEIGHS_LEAST = 0.3;
    if (role == ROLE_WEIGHS || role == ROLE_HEATS) {
        finding->verdict = VERDICT_UNDECIDED;
        finding->recoverable = (struct interval){0};
        return role == ROLE_HEATS || share.high >= WEIGHS_LEAST;
    }
    if (role == ROLE_POINTS || role == ROLE_LEADS) {
        finding->verdict = VERDICT_UNDECIDED;
        finding->recoverable = (struct interval){0};
        return share.high >= MOST_OF;
    }
    if (role == ROLE_ONE_CPU || (role == ROLE_FILLS && share.low < FILLED_LEAST)) {
        finding->verdict = VERDICT_UNDECIDED;
        finding->recoverable = (struct interval){0};
        return share.high >= effect;
    }
    if (role == ROLE_OPENS || role == ROLE_SPEAKS || (role == ROLE_AT_LEAST_SEEN && share.high < effect)) {
        finding->verdict = VERDICT_UNDECIDED;
        finding->recoverable = (struct interval){0};
        return role != ROLE_OPENS || share.high >= effect;
    }
    if (role == ROLE_FULL || (role == ROLE_EXCLUDES && share.high >= effect))
        return false;
    bool none = role == ROLE_SUPPORTS_OR_NONE && share.high <= 0,
         supports = role == ROLE_SUPPORTS || role == ROLE_SUPPORTS_OR_NONE || role == ROLE_MARKS || role == ROLE_LEAST;
    if (supports && share.high < effect && !none)
        return false;
    if (role == ROLE_BOUNDS || role == ROLE_BOUNDS_LEADS || role == ROLE_EXCLUDES)
        finding_decide_bound(finding, share.high, effect);
    else
        finding_decide_fact(finding, share, effect);
    if (role == ROLE_MARKS || role == ROLE_FILLS || role == ROLE_LEAST || does_differ(role, share, effect))
        finding->recoverable = (struct interval){0};
    return true;
}

static void advise(struct finding *finding, const char *key, const char *who)
{
    const char *confirm = wording_find(finding->hypothesis->id, "confirm");
    bool is_global = wait_lock_is_global(who);
    /* PostgreSQL names its inner locks so; those of rows and tables begin with a small letter */
    if (key && strcmp(key, "advice-sessions") == 0 && isupper((unsigned char)who[0]))
        key = "advice-sessions-inner";
    if (key && strcmp(key, "advice-imported") == 0 && imported_is_allocating(who))
        key = "advice-arenas";
    if (key && (finding->verdict == VERDICT_SUPPORTED || finding->pointed > 0))
        finding_advise(finding, is_global ? "advice-global" : key, VALUE_TEXT(is_global ? "lock" : "function", who));
    if (finding->verdict != VERDICT_SUPPORTED)
        return;
    imported_advise(finding);
    if (confirm && !strchr(confirm, '{'))
        finding_set(finding, confirm, "confirm", NO_VALUES);
}

/* ---- by which calls ---- */

/* "fsync" of "5401 calls of fsync" */
static const char *call_name(const char *said)
{
    const char *of = strstr(said, " of ");
    return of ? of + strlen(" of ") : said;
}

/* Most of what tables of calls count is of that kind. */
static bool calls_are(const struct imported *imported, const char *fact, struct said *ret)
{
    static const double MOST_OF = 0.75;
    return said_of(imported, fact, ret) && ret->share.low >= MOST_OF;
}

/* How much longer calls took that may wait than the kernel computed for the program; 0: one of both isn't told. */
static double calls_by_kernel(const struct imported *imported, const struct said *calls)
{
    struct said kernel;
    return said_of(imported, SHARE_KERNEL, &kernel) && kernel.row->seconds > 0
               ? calls->row->seconds / kernel.row->seconds
               : 0;
}

/* Where it is told that most of their time is of that kind: which one first; NULL: it isn't. */
static const char *calls_told(const struct imported *imported, const char *fact)
{
    static const double WAITED_LEAST = 2, COMPUTED_MOST = 1.2;
    struct said said;
    if (calls_are(imported, fact, &said))
        return said.row->where;
    double times = calls_are(imported, SHARE_CALLS_MAY_WAIT, &said) ? calls_by_kernel(imported, &said) : 0;
    bool waits = strcmp(fact, SHARE_CALLS_WAITING) == 0;
    return times > 0 && (waits ? times >= WAITED_LEAST : times <= COMPUTED_MOST) ? said.row->where : NULL;
}

/* They took longer than the kernel computed: that they wait is told by that, or by what they are for. */
static void calls_waiting_say(const struct results *results, struct finding *finding, const char *told)
{
    struct said said, kernel;
    struct value call = VALUE_TEXT("call", told), origin = VALUE_TEXT("origin", IMPORTED_WORDS);
    if (calls_are(results->imported, SHARE_CALLS_WAITING, &said)) {
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-calls-named", call,
                         VALUE_SHARE("share", said.share), VALUE_TEXT("file", said.file), origin);
        return;
    }
    (void)said_of(results->imported, SHARE_CALLS_MAY_WAIT, &said);
    (void)said_of(results->imported, SHARE_KERNEL, &kernel);
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-calls-longer", call,
                     VALUE_SECONDS("seconds", interval_exactly(said.row->seconds)),
                     VALUE_SECONDS("kernel", interval_exactly(kernel.row->seconds)), VALUE_TEXT("file", said.file),
                     origin);
}

/* What a program waits for that waits in such calls. */
static void waiting_name(const struct results *results, struct finding *finding)
{
    static const struct {
        const char *call, *advice;
    } calls[] = {{"fsync", "imported-advice-sync"},
                 {"fdatasync", "imported-advice-sync"},
                 {"sync", "imported-advice-sync"},
                 {"syncfs", "imported-advice-sync"},
                 {"msync", "imported-advice-sync"},
                 {"futex", "imported-advice-lock"},
                 {"futex_waitv", "imported-advice-lock"},
                 {"nanosleep", "imported-advice-sleep"},
                 {"clock_nanosleep", "imported-advice-sleep"},
                 {"newfstatat", "imported-advice-far"},
                 {"stat", "imported-advice-far"},
                 {"lstat", "imported-advice-far"},
                 {"statx", "imported-advice-far"},
                 {"openat", "imported-advice-far"},
                 {"open", "imported-advice-far"},
                 {"access", "imported-advice-far"},
                 {"pread64", "imported-advice-read"},
                 {"preadv", "imported-advice-read"},
                 {"preadv2", "imported-advice-read"}};
    const char *told =
        finding->verdict == VERDICT_SUPPORTED ? calls_told(results->imported, SHARE_CALLS_WAITING) : NULL;
    if (!told || !finding_is(finding, "waiting"))
        return;
    struct value call = VALUE_TEXT("call", told), name = VALUE_TEXT("name", call_name(told));
    calls_waiting_say(results, finding, told);
    finding_set(finding, headline, "imported-calls-headline", VALUE_TEXT("headline", finding->headline), call);
    for (size_t at = 0; at < array_count(calls); at++)
        if (strcmp(calls[at].call, call_name(told)) == 0)
            finding_readvise(finding, calls[at].advice, name);
}

bool imported_calls_advise(const struct results *results, struct finding *finding, const char *call)
{
    const char *told = call ? NULL : calls_told(results->imported, SHARE_CALLS_WORKING), *advice, *confirm;
    call = told ? call_name(told) : call;
    if (!call || !system_call_keys(call, &advice, &confirm))
        return false;
    finding_advise(finding, advice, VALUE_TEXT("call", call));
    finding_set(finding, confirm, confirm, VALUE_TEXT("call", call));
    return true;
}

/* As long as it is most of the CPU time, it is what is to be looked at first. */
static const double LEADS_FROM = 0.5;

/* A faster run is without what a table says are such calls, and they took long enough to be that. */
static bool calls_went(const struct results *results, struct finding *finding, const char *told)
{
    static const double MOST_OF = 0.5;
    struct said went, calls;
    if (!said_of(results->imported, SHARE_KERNEL_WENT, &went) ||
        !said_of(results->imported, SHARE_CALLS_WORKING, &calls) || went.share.low < results->effect ||
        calls.row->seconds < MOST_OF * went.row->seconds)
        return false;
    struct value values[] = {VALUE_TEXT("call", told), VALUE_SHARE("share", went.share),
                             VALUE_SECONDS("seconds", interval_exactly(went.row->seconds)),
                             VALUE_TEXT("file", went.file), VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding_decide_fact(finding, went.share, results->effect);
    finding->of = OF_ELAPSED;
    finding->is_own_doing = true;
    finding->reason = NULL;
    finding->imported_kinds |= 1u << ORIGIN_RUNS;
    finding->evidence_count = 0;
    finding_evidence_add(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-calls-went", values, array_count(values));
    finding_set_add(finding, &finding->headline, "imported-calls-went-headline", values, array_count(values));
    imported_calls_advise(results, finding, call_name(told));
    return true;
}

/* What the kernel does for a program is most of its time: of what, a table of its calls may tell; else any may be. */
static void kernel_lead(const struct results *results, struct finding *finding, const struct said *said)
{
    const char *told = calls_told(results->imported, SHARE_CALLS_WORKING);
    bool is_calls = finding_is(finding, "system-calls");
    if (finding->verdict != VERDICT_UNDECIDED || said->share.high < LEADS_FROM || (told && !is_calls))
        return;
    if (told && calls_went(results, finding, told))
        return;
    finding->pointed = said->share.high;
    if (!told) {
        finding_set(finding, reason, "imported-kernel", VALUE_SHARE("share", said->share),
                    VALUE_TEXT("file", said->file), VALUE_TEXT("origin", IMPORTED_WORDS));
        finding_advise(finding, "imported-kernel-advice", NO_VALUES);
        finding_set(finding, confirm, "imported-kernel-confirm", NO_VALUES);
        return;
    }
    struct value values[] = {VALUE_TEXT("call", told), VALUE_SHARE("share", said->share),
                             VALUE_TEXT("file", said->file), VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding->evidence_count = 0;
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-calls-lead", values, array_count(values));
    finding_set_add(finding, &finding->reason, "imported-calls-lead", values, array_count(values));
    imported_calls_advise(results, finding, call_name(told));
}

/* What stands beside such a share is all that it is of, and not the first of several. */
static bool is_of_one(const char *fact)
{
    static const char *const names[] = {SHARE_READY,       SHARE_READY_TOGETHER, SHARE_NOT_COMPUTED,
                                        SHARE_LOAD_BEYOND, SHARE_WITHOUT_GIL,    SHARE_BELOW_HIGHEST_HOT};
    bool is_one = false;
    for (size_t at = 0; at < array_count(names); at++)
        is_one |= strcmp(fact, names[at]) == 0;
    return is_one;
}

static const char *metric_words(size_t fact, const struct said *said, struct arena *arena)
{
    enum role role = facts[fact].role;
    const char *where = said->row->where, *name = imported_fact_words(facts[fact].fact);
    if (role == ROLE_LEAST)
        return arena_printf(arena, "%.*s (at least: with a turbo it runs faster than its TSC)",
                            (int)strcspn(name, ","), name);
    bool is_kernel = strcmp(facts[fact].fact, SHARE_KERNEL) == 0;
    if (!where[0])
        return said->row->seconds > 0 && !is_kernel ? arena_printf(arena, "%s (%.3g s)", name, said->row->seconds)
                                                    : name;
    if (role == ROLE_ONE_CPU || role == ROLE_FILLS || role == ROLE_MARKS)
        return arena_printf(arena, "%s (CPU %s)", name, where);
    bool has_seconds = said->row->seconds > 0 && strncmp(facts[fact].fact, "waits for", strlen("waits for")) != 0,
         of_stacks = strncmp(facts[fact].fact, "waits off", strlen("waits off")) == 0;
    return has_seconds && of_stacks ? arena_printf(arena, "%s (%s first, %.3g s)", name, where, said->row->seconds)
           : has_seconds            ? arena_printf(arena, "%s (%.3g s, %s first),", name, said->row->seconds, where)
           : is_of_one(facts[fact].fact) ? arena_printf(arena, "%s (%s)", name, where)
                                         : arena_printf(arena, "%s (%s first)", name, where);
}

/* ---- what is said beside ---- */

/* What it was in a good time, and that the one isn't the other's measure. */
static void reference_beside(const struct results *results, struct finding *finding, const char *fact,
                             const struct said *said)
{
    const struct imported_row *then = imported_reference_row(results->imported, fact);
    if (!then)
        return;
    struct value share = VALUE_SHARE("share", said->share),
                 before = VALUE_SHARE("before", interval_exactly(then->number / 100));
    bool rose = finding->verdict == VERDICT_SUPPORTED && then->number / 100 < said->share.low;
    finding_evidence(finding, rose ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-then",
                     VALUE_TEXT("metric", imported_fact_words(fact)), share, before, VALUE_TEXT("file", said->file),
                     VALUE_TEXT("origin", IMPORTED_WORDS));
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, "imported-then-headline", VALUE_TEXT("headline", finding->headline), share,
                    before);
}

/* Who waits for storage goes with a device that was busy. */
static void device_beside(const struct results *results, struct finding *finding, const char *fact)
{
    static const double MOST_OF = 0.5;
    struct said said;
    if (finding->verdict != VERDICT_SUPPORTED || !finding_is(finding, "waiting") ||
        strcmp(fact, FOLDED_NETWORK_TIME) == 0 || !said_of(results->imported, SHARE_DEVICE_BUSY, &said) ||
        said.share.low < MOST_OF)
        return;
    struct value device = VALUE_TEXT("device", said.row->where), share = VALUE_SHARE("share", said.share);
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-device-beside", device, share,
                     VALUE_TEXT("file", said.file), VALUE_TEXT("origin", IMPORTED_WORDS));
    finding_set(finding, headline, "imported-device-headline", VALUE_TEXT("headline", finding->headline), device,
                share);
    finding->imported_kinds |= 1u << ORIGIN_COUNTERS; /* of the device's own, not of the scheduler */
}

/* Of several processors heat throttled one: what another lost it didn't, and little of the power is no limit of it. */
static void packages_beside(const struct results *results, struct finding *finding, const char *fact)
{
    static const double FAR_BELOW = 0.7;
    struct said said;
    if (finding->verdict != VERDICT_SUPPORTED || strcmp(fact, SHARE_BELOW_HIGHEST_HOT) != 0)
        return;
    if (said_of(results->imported, SHARE_BELOW_HIGHEST_COOL, &said)) {
        struct value which = VALUE_TEXT("which", said.row->where), share = VALUE_SHARE("share", said.share);
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-cool-package", which, share,
                         VALUE_TEXT("file", said.file), VALUE_TEXT("origin", IMPORTED_WORDS));
        finding_set(finding, headline, "imported-cool-headline", VALUE_TEXT("headline", finding->headline), which,
                    share);
    }
    if (said_of(results->imported, SHARE_OF_DESIGN_POWER, &said) && said.share.high <= FAR_BELOW)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-power",
                         VALUE_TEXT("power", said.row->where), VALUE_TEXT("file", said.file),
                         VALUE_TEXT("origin", IMPORTED_WORDS));
}

/* What it collects again and again is alive: it has too little room, or keeps more and more. */
static void kept_beside(const struct results *results, struct finding *finding)
{
    struct said said;
    if (finding->verdict != VERDICT_SUPPORTED || !finding_is(finding, "garbage-collection") ||
        !said_of(results->imported, SHARE_HEAP_KEPT, &said))
        return;
    struct value kept = VALUE_TEXT("kept", said.row->where), share = VALUE_SHARE("share", said.share);
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-kept", kept, share, VALUE_TEXT("file", said.file),
                     VALUE_TEXT("origin", IMPORTED_WORDS));
    finding_set(finding, headline, "imported-kept-headline", VALUE_TEXT("headline", finding->headline), kept, share);
    finding_readvise(finding, "advice-kept", NO_VALUES);
    finding_advise(finding, "advice-kept-dump", NO_VALUES);
    finding_set(finding, confirm, "confirm-kept", NO_VALUES);
}

/* Who has most of the CPU time that others wait for. */
static void most_beside(const struct results *results, struct finding *finding)
{
    static const double MOST_OF = 0.5;
    struct said said, waits;
    if (!said_of(results->imported, SHARE_RAN_MOST, &said) || said.share.low < MOST_OF)
        return;
    if (said_of(results->imported, SHARE_READY, &waits) && strcmp(waits.row->where, said.row->where) == 0) {
        finding_readvise(finding, "imported-most-own",
                         VALUE_TEXT("who", said.row->where)); /* its threads are too many */
        return;
    }
    struct value who = VALUE_TEXT("who", said.row->where), share = VALUE_SHARE("share", said.share);
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-most", who, share, VALUE_TEXT("file", said.file),
                     VALUE_TEXT("origin", IMPORTED_WORDS));
    finding_set(finding, headline, "imported-most-headline", VALUE_TEXT("headline", finding->headline), who, share);
    finding_readvise(finding, "imported-most-advice", who);
}

/* Who waits for a CPU goes with CPUs of which none stands idle, and with what else tells of many that want one. */
static void full_beside(const struct results *results, struct finding *finding, const char *fact)
{
    static const char *const full[] = {SHARE_IDLE, SHARE_WANTED_CPU, SHARE_LOAD_BEYOND, SHARE_READY};
    struct said said;
    if (finding->verdict != VERDICT_SUPPORTED || !finding_is(finding, "oversubscribed"))
        return;
    for (size_t at = 0; at < array_count(full); at++) {
        if (strcmp(fact, full[at]) == 0 || !said_of(results->imported, full[at], &said))
            continue;
        const char *words = imported_fact_words(full[at]), *where = said.row->where;
        words = where[0] ? arena_printf(finding->arena, "%s (%s)", words, where) : words;
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-cpus-beside", VALUE_TEXT("metric", words),
                         VALUE_SHARE("share", said.share), VALUE_TEXT("file", said.file),
                         VALUE_TEXT("origin", IMPORTED_WORDS));
    }
    most_beside(results, finding);
}

/* A table's waits in the kernel's lists for locks of user space. */
static bool is_of_user(const struct said *table)
{
    return strncmp(table->row->where, "futex_", strlen("futex_")) == 0;
}

/* Whose limit it is that memory is short by. */
static void group_beside(const struct results *results, struct finding *finding, const char *fact)
{
    struct said said;
    if (finding->verdict != VERDICT_SUPPORTED || strcmp(fact, SHARE_STALLED_BY_MEMORY) != 0 ||
        !said_of(results->imported, SHARE_GROUP_MEMORY, &said))
        return;
    struct value limit = VALUE_TEXT("limit", said.row->where);
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-group", limit, VALUE_TEXT("file", said.file),
                     VALUE_TEXT("origin", IMPORTED_WORDS));
    finding_set(finding, headline, "imported-group-headline", VALUE_TEXT("headline", finding->headline), limit);
    finding_readvise(finding, "imported-advice-group", limit);
}

/* Locks of the kernel that stacks of the program's outweigh, whose waits are longer. */
static void locks_beside(const struct results *results, struct finding *finding, const char *fact)
{
    struct said said;
    bool of_stacks = strcmp(fact, FOLDED_LOCKS_TIME) == 0 || strcmp(fact, FOLDED_LOCKS) == 0;
    if (of_stacks && said_of(results->imported, SHARE_SLEEPING_LOCKS, &said) && said.row->seconds > 0)
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT,
                         is_of_user(&said) ? "imported-locks-same" : "imported-locks-beside",
                         VALUE_SECONDS("seconds", interval_exactly(said.row->seconds)),
                         VALUE_TEXT("who", said.row->where[0] ? said.row->where : "one of them"),
                         VALUE_TEXT("file", said.file), VALUE_TEXT("origin", IMPORTED_WORDS));
}

/*
 * Of stacks that wait for locks and a table of the kernel's locks, the one with the longer waits counts, where both
 * have times. A table's waits in the kernel's lists for locks of user space are those of the stacks.
 */
static bool is_outweighed(const struct imported *imported, const char *fact, const struct said *said)
{
    static const double MOST_OF = 0.75;
    bool of_table = strcmp(fact, SHARE_SLEEPING_LOCKS) == 0, of_stacks = strcmp(fact, FOLDED_LOCKS) == 0;
    struct said other;
    if ((!of_table && !of_stacks) || !(said->row->seconds > 0) ||
        !said_of(imported, of_table ? FOLDED_LOCKS : SHARE_SLEEPING_LOCKS, &other))
        return false;
    const struct said *table = of_table ? said : &other;
    if (is_of_user(table))
        return of_table && other.share.high >= MOST_OF;
    return (of_stacks || other.share.high >= MOST_OF) && other.row->seconds > said->row->seconds;
}

/* Nobody asked what its code does on a CPU: a device that is busy leads. */
static bool leads_alone(const struct imported *imported, const char *fact)
{
    bool of_cpu = false;
    for (size_t at = 0; at < imported->count; at++)
        of_cpu |= imported->tables[at].kind == IMPORTED_REPORT || imported->tables[at].kind == IMPORTED_STAT ||
                  imported->tables[at].kind == IMPORTED_METRICS || imported->tables[at].kind == IMPORTED_ANNOTATE;
    return !of_cpu && strcmp(fact, SHARE_DEVICE_BUSY) == 0;
}

/* NULL: as it stands. */
static const char *reason_key(const struct finding *finding, size_t fact, struct interval share, double effect)
{
    enum role role = facts[fact].role;
    bool is_open = finding->verdict == VERDICT_UNDECIDED, of_one = role == ROLE_ONE_CPU || role == ROLE_FILLS;
    if (role == ROLE_SPEAKS && share.high >= effect)
        return "imported-points";
    if (is_open && facts[fact].open)
        return facts[fact].open;
    return role == ROLE_POINTS || role == ROLE_OPENS ? "imported-points"
           : of_one && is_open                       ? "imported-one-cpu"
           : does_differ(role, share, effect)        ? "imported-differ"
                                                     : NULL;
}

/* As long as it isn't decided, it is what is to be looked at first. */
static bool does_lead(const struct imported *imported, size_t fact)
{
    enum role role = facts[fact].role;
    return role == ROLE_LEADS || role == ROLE_BOUNDS_LEADS || role == ROLE_WEIGHS || role == ROLE_HEATS ||
           leads_alone(imported, facts[fact].fact);
}

/* Threads that wait for a CPU while none stands idle: that they are more than there are CPUs is then no mere bound. */
static enum role role_of(const struct results *results, size_t fact)
{
    struct said idle;
    bool is_load = strcmp(facts[fact].fact, SHARE_LOAD_BEYOND) == 0,
         none_idle = said_of(results->imported, SHARE_IDLE, &idle) && idle.share.high < results->effect;
    if (strcmp(facts[fact].fact, SHARE_NOT_COMPUTED) == 0 && imported_may_have_threads(results))
        return ROLE_FULL; /* some may have run while others waited */
    if (is_load)
        return none_idle ? facts[fact].role : ROLE_FULL;
    bool is_full = (facts[fact].role == ROLE_FULL ||
                    (strcmp(facts[fact].id, "oversubscribed") == 0 && strcmp(facts[fact].fact, SHARE_READY) == 0)) &&
                   none_idle;
    return is_full ? ROLE_SUPPORTS : facts[fact].role;
}

/* It takes part, and what it says of the cause stands in the finding. */
static bool does_say(const struct results *results, struct finding *finding, size_t fact, struct said *ret)
{
    return strcmp(facts[fact].id, finding->hypothesis->id) == 0 && said_of(results->imported, facts[fact].fact, ret) &&
           !is_outweighed(results->imported, facts[fact].fact, ret) &&
           fact_decide(finding, role_of(results, fact), ret->share, results->effect);
}

/* The first that says anything, for they stand in order; but where that leaves it open, one that leads. False: none. */
static bool strongest_of(const struct results *results, const struct finding *finding, size_t *ret_fact)
{
    bool is_any = false, is_last = false;
    for (size_t at = 0; at < array_count(facts) && !is_last; at++) {
        struct finding trial = *finding;
        struct said said;
        bool leads = does_lead(results->imported, at);
        if ((is_any && !leads) || !does_say(results, &trial, at, &said))
            continue;
        *ret_fact = at;
        is_any = true;
        is_last = leads || trial.verdict != VERDICT_UNDECIDED;
    }
    return is_any;
}

/* Times stand in a sentence of a change that has no known name: they may be of this. */
static const char *unread_words(const struct results *results, struct arena *arena)
{
    const char *sentence = results->told ? results->told->unknown_sentence : NULL;
    return sentence ? arena_printf(arena, ", or wasn't understood: \"%s\"", sentence) : "";
}

bool imported_system_test(const struct results *results, struct finding *finding)
{
    struct said said;
    size_t at;
    if (!strongest_of(results, finding, &at) || !does_say(results, finding, at, &said))
        return false;
    const char *metric = metric_words(at, &said, finding->arena),
               *reason = reason_key(finding, at, said.share, results->effect);
    bool is_open = finding->verdict == VERDICT_UNDECIDED;
    finding->of = facts[at].of;
    finding->is_own_doing = finding->verdict == VERDICT_SUPPORTED; /* somebody measured it because it was slow */
    finding->imported_kinds |= 1u << facts[at].origin;
    finding->pointed = is_open && does_lead(results->imported, at) ? said.share.high : 0;
    imported_say(finding, metric, said.share, said.file);
    if (reason)
        finding_set(finding, reason, reason, VALUE_TEXT("metric", metric), VALUE_SHARE("share", said.share),
                    VALUE_TEXT("file", said.file), VALUE_TEXT("origin", IMPORTED_WORDS),
                    VALUE_TEXT("unread", unread_words(results, finding->arena)), VALUE_TEXT("call", said.row->where),
                    VALUE_SECONDS("seconds", interval_exactly(said.row->seconds)));
    if (facts[at].role == ROLE_FILLS && !is_open) {
        finding_advise(finding, "advice-one-cpu", NO_VALUES);
        finding_set(finding, confirm, "confirm-one-cpu", NO_VALUES);
        return true;
    }
    advise(finding, facts[at].advice, said.row->where);
    waiting_name(results, finding);
    reference_beside(results, finding, facts[at].fact, &said);
    device_beside(results, finding, facts[at].fact);
    locks_beside(results, finding, facts[at].fact);
    full_beside(results, finding, facts[at].fact);
    group_beside(results, finding, facts[at].fact);
    kept_beside(results, finding);
    packages_beside(results, finding, facts[at].fact);
    if (strcmp(facts[at].fact, SHARE_KERNEL) == 0)
        kernel_lead(results, finding, &said);
    return true;
}

static bool is_all(const struct imported *imported, const char *fact)
{
    static const double MOST = 50;
    struct measured percent = imported_number(imported, IMPORTED_SYSTEM, fact, NULL);
    return percent.known && percent.value >= MOST;
}

/* Who may have huge pages already, by smaps, needs no policy for them. */
void imported_pages_advise(const struct results *results, struct finding *finding)
{
    struct measured none = imported_number(results->imported, IMPORTED_SYSTEM, SHARE_WITHOUT_HUGE, NULL);
    if (!finding_is(finding, "small-pages") || finding->verdict != VERDICT_SUPPORTED || !none.known)
        return;
    bool no_room = is_all(results->imported, SHARE_WITHOUT_ROOM);
    if (!(none.value > 0))
        finding_readvise(finding, "advice-huge", NO_VALUES);
    else if (is_all(results->imported, SHARE_WITHOUT_HUGE))
        finding_readvise(finding, no_room ? "advice-room" : "advice-eligible", NO_VALUES);
}
