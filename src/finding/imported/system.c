/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What imported shares of the whole system say of a cause: a share of the time is one. */
#include "base/vec.h"
#include "finding/imported/evidence.h"
#include "finding/wording.h"

#include "analyse/profile/folded_profile.h"

#include <math.h>
#include <string.h>

/*
 * What stands for a machine's CPUs may hide the one that a program runs on: it supports, and only nothing at all rules
 * out.
 */
enum role {
    ROLE_SUPPORTS,
    ROLE_SUPPORTS_OR_NONE,
    ROLE_DECIDES, /* it is of the program itself */
    ROLE_BOUNDS,  /* the cause is a part of it */
    ROLE_ONE_CPU, /* of one CPU: a part of the program's time only if it runs there */
    ROLE_FILLS,   /* of one CPU that has no time left: what waits for its work waits, wherever it runs */
    ROLE_POINTS,  /* where most of it lies; whether that took any time isn't known */
    /* a share of something else than time: much of it is the cause, and how much time that took isn't known */
    ROLE_MARKS
};

static const struct {
    const char *id, *fact;
    enum role role;
    enum denominator of;
    enum origin origin;
} facts[] = {
    {"steal", "%steal", ROLE_SUPPORTS_OR_NONE, OF_ELAPSED, ORIGIN_SCHEDULER},
    /* nothing of it: threads that take turns may still wait */
    {"waiting", "block I/O delay / elapsed", ROLE_SUPPORTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"waiting", "1 - (user + sys) / elapsed", ROLE_SUPPORTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"waiting", "%iowait", ROLE_SUPPORTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"waiting", "time in which all that could run waited for storage", ROLE_SUPPORTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"swap", "time in which all that could run waited for memory", ROLE_SUPPORTS_OR_NONE, OF_ELAPSED,
     ORIGIN_SCHEDULER},
    {"oversubscribed", "time in which something waited for a CPU", ROLE_BOUNDS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"numa-remote", "memory in use on the fullest node / all in use", ROLE_POINTS, OF_CPU_TIME, ORIGIN_PAGES},
    {"swap", "%iowait while it swapped", ROLE_SUPPORTS_OR_NONE, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"interrupts", "%irq + %soft of one CPU, which is full", ROLE_FILLS, OF_CPU_TIME, ORIGIN_SCHEDULER},
    {"interrupts", "%irq + %soft of one CPU, which has time left", ROLE_ONE_CPU, OF_CPU_TIME, ORIGIN_SCHEDULER},
    {"interrupts", "%irq + %soft", ROLE_SUPPORTS, OF_CPU_TIME, ORIGIN_SCHEDULER},
    {"interrupts", "packets' interrupts (NET_RX) on one CPU / on all", ROLE_POINTS, OF_CPU_TIME, ORIGIN_COUNTERS},
    {"cpu-quota", "throttled time / nr_periods of 100 ms", ROLE_DECIDES, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"cpu-quota", "nr_throttled / nr_periods", ROLE_DECIDES, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"frequency", "1 - Bzy_MHz / TSC_MHz", ROLE_SUPPORTS, OF_CPU_TIME, ORIGIN_COUNTERS},
    {"thermal-power", "1 - Bzy_MHz / TSC_MHz, throttled by heat,", ROLE_SUPPORTS, OF_CPU_TIME, ORIGIN_COUNTERS},
    {"thermal-power", "1 - Bzy_MHz / TSC_MHz", ROLE_BOUNDS, OF_CPU_TIME, ORIGIN_COUNTERS},
    {"system-calls", "sys / (user + sys)", ROLE_BOUNDS, OF_CPU_TIME, ORIGIN_SCHEDULER},
    {"page-faults", "sys / (user + sys)", ROLE_BOUNDS, OF_CPU_TIME, ORIGIN_SCHEDULER},
    {"kernel-locks", "sys / (user + sys)", ROLE_BOUNDS, OF_CPU_TIME, ORIGIN_SCHEDULER},
    {"numa-remote", "memory on its fullest node / all", ROLE_POINTS, OF_CPU_TIME, ORIGIN_PAGES},
    {"numa-remote", "traffic of the busiest node / all", ROLE_POINTS, OF_CPU_TIME, ORIGIN_COUNTERS},
    {"kernel-locks", "waits for spinning locks / for locks", ROLE_POINTS, OF_CPU_TIME, ORIGIN_SCHEDULER},
    {"lock-turns", "waits for sleeping locks / for locks", ROLE_POINTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"lock-turns", FOLDED_LOCKS, ROLE_POINTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"waiting", FOLDED_STORAGE, ROLE_POINTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"waiting", FOLDED_NETWORK, ROLE_POINTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"oversubscribed", "ready without a CPU / ready or running", ROLE_BOUNDS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"affinity", "ready without a CPU / ready or running", ROLE_BOUNDS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"small-pages", "anonymous memory on small pages / all of it", ROLE_POINTS, OF_CPU_TIME, ORIGIN_PAGES},
    /* of what Go counts the CPUs that it left idle are a part: at least that */
    {"garbage-collection", "garbage collection / time", ROLE_SUPPORTS, OF_CPU_TIME, ORIGIN_SCHEDULER},
    {"garbage-collection", "pauses for garbage collection / elapsed", ROLE_SUPPORTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"garbage-collection", "garbage collections / elapsed", ROLE_SUPPORTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"waiting", "time of system calls that wait / of all system calls", ROLE_POINTS, OF_ELAPSED, ORIGIN_SCHEDULER},
    {"system-calls", "time of system calls that don't wait / of all system calls", ROLE_POINTS, OF_CPU_TIME,
     ORIGIN_SCHEDULER},
    {"contended-lines", "HITM / loads", ROLE_MARKS, OF_CPU_TIME, ORIGIN_COUNTERS},
};

struct said {
    struct interval share; /* the least and the most that a table says, 0..1 */
    const struct imported_row *row; /* the first */
    const char *file;
};

static bool said_of(const struct imported *imported, const char *fact, struct said *ret)
{
    double low = 1, high = 0;
    ret->row = imported_row_of(imported, IMPORTED_SYSTEM, fact, &ret->file);
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0;
             row < imported->tables[at].count && strcmp(imported->tables[at].kind, IMPORTED_SYSTEM) == 0; row++)
            if (strcmp(imported->tables[at].rows[row].name, fact) == 0) {
                low = fmin(low, imported->tables[at].rows[row].number / 100);
                high = fmax(high, imported->tables[at].rows[row].number / 100);
            }
    ret->share = interval_of(low, (low + high) / 2, high);
    return ret->row;
}

static bool is_bound(enum role role)
{
    return role == ROLE_BOUNDS || role == ROLE_POINTS || role == ROLE_ONE_CPU || role == ROLE_FILLS;
}

/* As before and after a change: one says that it is the cause, another that it isn't. */
static bool does_differ(enum role role, struct interval share, double effect)
{
    return !is_bound(role) && share.low < effect && share.high >= effect;
}

/* False: it says nothing of the cause. */
static bool fact_decide(struct finding *finding, enum role role, struct interval share, double effect)
{
    static const double MOST_OF = 0.75, FILLED_LEAST = 0.5;
    if (role == ROLE_POINTS) {
        finding->verdict = VERDICT_UNDECIDED;
        finding->recoverable = (struct interval){0};
        return share.high >= MOST_OF;
    }
    if (role == ROLE_ONE_CPU || (role == ROLE_FILLS && share.low < FILLED_LEAST)) {
        finding->verdict = VERDICT_UNDECIDED;
        finding->recoverable = (struct interval){0};
        return share.high >= effect;
    }
    bool none = role == ROLE_SUPPORTS_OR_NONE && share.high <= 0;
    if ((role == ROLE_SUPPORTS || role == ROLE_SUPPORTS_OR_NONE || role == ROLE_MARKS) && share.high < effect && !none)
        return false;
    if (role == ROLE_BOUNDS)
        finding_decide_bound(finding, share.high, effect);
    else
        finding_decide_fact(finding, share, effect);
    if (role == ROLE_MARKS || role == ROLE_FILLS || does_differ(role, share, effect))
        finding->recoverable = (struct interval){0};
    return true;
}

static void advise(struct finding *finding)
{
    const char *confirm = wording_find(finding->hypothesis->id, "confirm");
    if (finding->verdict != VERDICT_SUPPORTED)
        return;
    imported_advise(finding);
    if (confirm && !strchr(confirm, '{'))
        finding_set(finding, confirm, "confirm", NO_VALUES);
}

bool imported_system_test(const struct results *results, struct finding *finding)
{
    for (size_t at = 0; at < array_count(facts); at++) {
        struct said said;
        if (strcmp(facts[at].id, finding->hypothesis->id) != 0 || !said_of(results->imported, facts[at].fact, &said) ||
            !fact_decide(finding, facts[at].role, said.share, results->effect))
            continue;
        bool of_one = facts[at].role == ROLE_ONE_CPU || facts[at].role == ROLE_FILLS;
        const char *metric = !said.row->where[0] ? facts[at].fact
                             : of_one ? arena_printf(finding->arena, "%s (CPU %s)", facts[at].fact, said.row->where)
                                      : arena_printf(finding->arena, "%s (%s first)", facts[at].fact, said.row->where);
        bool is_open = finding->verdict == VERDICT_UNDECIDED;
        const char *reason = facts[at].role == ROLE_POINTS                              ? "imported-points"
                             : of_one && is_open                                        ? "imported-one-cpu"
                             : does_differ(facts[at].role, said.share, results->effect) ? "imported-differ"
                                                                                        : NULL;
        finding->of = facts[at].of;
        finding->is_own_doing = finding->verdict == VERDICT_SUPPORTED; /* somebody measured it because it was slow */
        finding->imported_kinds |= 1u << facts[at].origin;
        imported_say(finding, metric, said.share, said.file);
        if (reason)
            finding_set(finding, reason, reason, VALUE_TEXT("metric", metric), VALUE_SHARE("share", said.share),
                        VALUE_TEXT("file", said.file), VALUE_TEXT("origin", IMPORTED_WORDS));
        if (facts[at].role == ROLE_FILLS && !is_open) {
            finding_advise(finding, "advice-one-cpu", NO_VALUES);
            finding_set(finding, confirm, "confirm-one-cpu", NO_VALUES);
            return true;
        }
        advise(finding);
        return true;
    }
    return false;
}
