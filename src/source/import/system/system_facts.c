/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/system/system_reading.h"

#include "base/scope.h"
#include "base/share_names.h"
#include "source/import/system/counting_period.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double mean_of(const struct met *met)
{
    return met->count ? met->sum / (double)met->count : 0;
}

/* Of a counter that was printed twice what was added between. */
static double growth_of(const struct met *met)
{
    return met->count > 1 ? met->last - met->first : met->last;
}

struct facts {
    struct import_row *rows;
    size_t count;
};

static void fact_add(struct facts *facts, const char *name, double part, double whole)
{
    double ratio = whole > 0 && part >= 0 ? part / whole : -1; /* of numbers without end there is none */
    if (!(ratio >= 0 && ratio <= 1))
        return;
    assert(facts->count < SYSTEM_ROWS_MOST);
    facts->rows[facts->count++] =
        (struct import_row){.name = name, .number = 100 * ratio, .self = 100 * ratio, .where = ""};
}

/* As many CPUs as it had in use, in percent of one: there is no end to them. */
static void cpus_add(struct facts *facts, const char *where, const char *name, double cpu_s, double elapsed_s)
{
    if (!(cpu_s > 0 && elapsed_s > 0))
        return;
    assert(facts->count < SYSTEM_ROWS_MOST);
    double percent = 100 * cpu_s / elapsed_s;
    facts->rows[facts->count++] = (struct import_row){.name = name, .number = percent, .self = percent, .where = where};
}

/* Whose share it is for the most part, or where. */
static void fact_of(struct facts *facts, const char *where, const char *name, double part, double whole)
{
    size_t before = facts->count;
    fact_add(facts, name, part, whole);
    if (facts->count > before)
        facts->rows[before].where = where;
}

static bool is_paged(const struct met *met)
{
    return met[FACT_PAGED_IN].sum + met[FACT_PAGED_OUT].sum > 0;
}

/* Most of what went to storage and came from there, in KiB: vmstat's blocks have swapped pages among them. */
static bool is_mostly_paged(const struct met *met)
{
    static const double MOST = 0.5;
    double paged = met[FACT_PAGED_IN].sum + met[FACT_PAGED_OUT].sum;
    return is_paged(met) && paged >= MOST * (met[FACT_BLOCKS_IN].sum + met[FACT_BLOCKS_OUT].sum);
}

/* By its own columns, or another tool's. */
static bool has_swapped(const struct system_reading *reading, const struct met *met)
{
    bool swapped = is_mostly_paged(met);
    for (size_t at = 0; at < reading->tables.count && !met[FACT_PAGED_IN].count; at++)
        swapped |= is_mostly_paged(reading->tables.items[at].met);
    return swapped;
}

static void shares_add(const struct met *met, bool swapped, struct facts *facts)
{
    static const struct {
        enum fact fact;
        const char *name;
    } shares[] = {{FACT_STEAL, SHARE_STEAL}, {FACT_IO_WAIT, SHARE_IO_WAIT}, {FACT_KERNEL, "%sys"}};
    for (size_t at = 0; at < array_count(shares); at++)
        if (met[shares[at].fact].count &&
            !(swapped /* that is what storage was waited for */ && shares[at].fact == FACT_IO_WAIT))
            fact_add(facts, shares[at].name, mean_of(&met[shares[at].fact]), 100);
    if (met[FACT_INTERRUPTS].count && met[FACT_SOFT_INTERRUPTS].count)
        fact_add(facts, SHARE_INTERRUPTS, mean_of(&met[FACT_INTERRUPTS]) + mean_of(&met[FACT_SOFT_INTERRUPTS]), 100);
    bool among_others = is_paged(met) && !swapped; /* how much of the waiting was for that isn't told */
    if (met[FACT_PAGED_IN].count && met[FACT_PAGED_OUT].count && met[FACT_IO_WAIT].count && !among_others)
        fact_add(facts, SHARE_IO_WAIT_SWAPPED, swapped ? mean_of(&met[FACT_IO_WAIT]) : 0, 100);
}

/* How much of a program's memory is on small pages; where hugetlbfs is in use, that isn't told. */
static void pages_add(const struct met *met, struct facts *facts)
{
    double huge = met[FACT_ANONYMOUS_HUGE].sum, all = met[FACT_ANONYMOUS].sum;
    /* none of it: whatever all of it is */
    bool reserved = met[FACT_HUGETLB].sum > met[FACT_HUGETLB_FREE].sum, told = all > 0 || huge <= 0;
    if (met[FACT_ANONYMOUS_HUGE].count && !reserved && told)
        fact_add(facts, SHARE_SMALL_PAGES, all > 0 ? all - huge : 1, all > 0 ? all : 1);
}

/* Of the process that waited longest for storage. */
static void storage_add(const struct system_table *table, struct facts *facts)
{
    const struct task *most = NULL;
    for (size_t at = 0; at < table->tasks.count; at++)
        if (table->tasks.items[at].seen_ms > 0 && (!most || table->tasks.items[at].io_ms > most->io_ms))
            most = &table->tasks.items[at];
    if (most)
        fact_of(facts, most->name, SHARE_DISK_DELAY, most->io_ms, most->seen_ms);
}

/* Where threads waited longest for locks of a kind; NULL: there is none. */
static const struct lock *lock_waited_most(const struct system_table *table, enum lock_kind kind)
{
    const struct lock *most = NULL;
    for (size_t at = 0; at < table->locks.count; at++)
        if (table->locks.items[at].kind == kind && (!most || table->locks.items[at].wait_s > most->wait_s))
            most = &table->locks.items[at];
    return most;
}

/* A share of all waits for locks, and how long those were that it speaks of. */
static void waits_of(struct facts *facts, const struct lock *most, const char *name, double part_s, double all_s,
                     double seconds)
{
    size_t before = facts->count;
    fact_of(facts, most ? most->caller : "", name, part_s, all_s);
    if (facts->count > before)
        facts->rows[before].seconds = seconds;
}

static double slept_s(const struct system_table *table)
{
    double sum = 0;
    for (size_t at = 0; at < table->locks.count; at++)
        sum += table->locks.items[at].kind == LOCK_SLEEPS ? table->locks.items[at].wait_s : 0;
    return sum;
}

/* Of the time of all threads, where it is told how many these were and for how long they were watched. */
static void sleeping_time_add(const struct system_reading *reading, const struct system_table *table,
                              const struct lock *most, double waited_s, struct facts *facts)
{
    const struct waits_period period = locks_period_read(table->heading, reading->document);
    double all_s = period.seconds * period.threads;
    /* what waits at a lock of user space, or for a signal, is none of these */
    bool is_futex = most && view_starts(view_of(most->caller), "futex_");
    if (most && !is_futex && all_s > 0)
        waits_of(facts, most, period.of_one ? SHARE_SLEEPING_TIME : SHARE_SLEEPING_TIME_ALL, waited_s, all_s, waited_s);
}

/* Spinning takes a CPU and sleeping doesn't: where a kind isn't known there are no shares of them. */
static void locks_add(const struct system_reading *reading, const struct system_table *table, struct facts *facts)
{
    const struct met *spinning = &table->met[FACT_SPIN_WAITS_S], *all = &table->met[FACT_LOCK_WAITS_S];
    const struct lock *spins = lock_waited_most(table, LOCK_SPINS), *sleeps = lock_waited_most(table, LOCK_SLEEPS),
                      *unknown = lock_waited_most(table, LOCK_UNKNOWN);
    if (!all->count || table->has_unread)
        return;
    if (unknown) {
        const struct lock *most = spins && spins->wait_s > unknown->wait_s ? spins : unknown;
        most = sleeps && sleeps->wait_s > most->wait_s ? sleeps : most;
        waits_of(facts, most, most->is_of_task ? SHARE_ONE_TASK : SHARE_ONE_LOCK, most->wait_s, all->sum, all->sum);
        sleeping_time_add(reading, table, sleeps, slept_s(table), facts);
        return;
    }
    double sleeping_s = all->sum - spinning->sum;
    waits_of(facts, spins, SHARE_SPINNING_LOCKS, spinning->sum, all->sum, spinning->sum);
    waits_of(facts, sleeps, SHARE_SLEEPING_LOCKS, sleeping_s, all->sum, sleeping_s);
    sleeping_time_add(reading, table, sleeps, sleeping_s, facts);
}

/* Of those that ran much, the one that was ready without a CPU for the largest part. */
static const struct task *task_delayed_most(const struct system_table *table)
{
    static const double MUCH = 0.05;
    const struct task *most = NULL;
    double busiest_ms = 0;
    for (size_t at = 0; at < table->tasks.count; at++)
        busiest_ms = table->tasks.items[at].run_ms > busiest_ms ? table->tasks.items[at].run_ms : busiest_ms;
    for (size_t at = 0; at < table->tasks.count; at++) {
        const struct task *here = &table->tasks.items[at];
        bool more = !most ||
                    here->delay_ms * (most->delay_ms + most->run_ms) > most->delay_ms * (here->delay_ms + here->run_ms);
        if (here->run_ms > 0 && here->run_ms >= MUCH * busiest_ms && more)
            most = here;
    }
    return most;
}

/* Of the one that waited for the largest part, and of all of them, where they are several. */
static void ready_add(struct system_table *table, struct facts *facts)
{
    const struct task *delayed = task_delayed_most(table), *most = NULL;
    double run_ms = 0, delay_ms = 0;
    if (!delayed)
        return;
    fact_of(facts, delayed->name, SHARE_READY, delayed->delay_ms, delayed->delay_ms + delayed->run_ms);
    for (size_t at = 0; at < table->tasks.count; at++) {
        const struct task *here = &table->tasks.items[at];
        run_ms += here->run_ms;
        delay_ms += here->delay_ms;
        most = !most || here->run_ms > most->run_ms ? here : most;
    }
    if (table->tasks.count < 2)
        return;
    (void)snprintf(table->tasks_words, sizeof(table->tasks_words), "%zu rows", table->tasks.count);
    fact_of(facts, table->tasks_words, SHARE_READY_TOGETHER, delay_ms, delay_ms + run_ms);
    fact_of(facts, most->name, SHARE_RAN_MOST, most->run_ms, run_ms);
}

/* "load average: 61.20, 58.90, 40.11": of the last minute; threads that wait for storage are in it, too. */
static void load_add(const struct system_reading *reading, struct system_table *table, struct facts *facts)
{
    double load = table->met[FACT_LOAD].last, cpus = reading->cpus_differ ? 0 : reading->cpus;
    if (!(cpus > 0) || !(load > cpus))
        return;
    (void)snprintf(table->load_words, sizeof(table->load_words), "%.4g on %.0f CPUs", load, cpus);
    fact_of(facts, table->load_words, SHARE_LOAD_BEYOND, load - cpus, load);
}

/* How much of such a period it stood isn't told by that. */
static void throttled_add(const struct met *met, struct facts *facts)
{
    if (met[FACT_PERIODS].count && met[FACT_THROTTLED].count)
        fact_add(facts, SHARE_THROTTLED_PERIODS, growth_of(&met[FACT_THROTTLED]), growth_of(&met[FACT_PERIODS]));
}

enum call_kind { CALL_WAITS, CALL_WORKS, CALL_MAY_WAIT };

/* By what it is for, and how long each takes: what strace counts by itself is the kernel's CPU time, if it is short. */
static enum call_kind call_kind_of(const struct system_table *table, const struct call *call)
{
    static const double LONG_S = 1e-4; /* a call, on average: a CPU enters and leaves the kernel in far less */
    bool is_long = call->count > 0 && call->seconds >= LONG_S * call->count;
    if (call->waits)
        return table->calls_clock == CALLS_CLOCK_CPU && call->count > 0 && !is_long ? CALL_MAY_WAIT : CALL_WAITS;
    return call->transfers && is_long ? CALL_MAY_WAIT : CALL_WORKS;
}

/* In which calls the time goes that calls take; the largest of a kind is named. */
static void calls_add(const struct system_table *table, struct facts *facts)
{
    static const struct {
        enum call_kind kind;
        const char *name;
    } kinds[] = {
        {CALL_WAITS, SHARE_CALLS_WAITING}, {CALL_WORKS, SHARE_CALLS_WORKING}, {CALL_MAY_WAIT, SHARE_CALLS_MAY_WAIT}};
    for (size_t kind = 0; kind < sizeof(kinds) / sizeof(*kinds); kind++) {
        const struct call *most = NULL;
        double own_s = 0, all_s = 0;
        for (size_t at = 0; at < table->calls.count; at++) {
            const struct call *call = &table->calls.items[at];
            bool own = call_kind_of(table, call) == kinds[kind].kind;
            all_s += call->seconds;
            own_s += own ? call->seconds : 0;
            most = own && (!most || call->seconds > most->seconds) ? call : most;
        }
        size_t before = facts->count;
        if (most)
            fact_of(facts, most->said, kinds[kind].name, own_s < all_s ? own_s : all_s, all_s);
        if (facts->count > before)
            facts->rows[before].seconds = own_s;
    }
}

/* Whoever calls these has nothing else to do until storage has it: of other waits that isn't known. */
static void sync_calls_add(const struct system_table *table, struct facts *facts)
{
    static const char *const syncs[] = {"fsync", "fdatasync", "sync", "syncfs", "msync", "sync_file_range"};
    /* by itself strace counts what the kernel computes for a call: so long it doesn't, and this is waiting */
    static const double CLOCKS_DIFFER = 1.05, WAITS_FROM_S = 1e-3;
    const struct call *most = NULL;
    double sync_s = 0, all_s = 0;
    for (size_t at = 0; at < table->calls.count; at++) {
        const struct call *call = &table->calls.items[at];
        bool is_sync = false, is_long = call->count > 0 && call->seconds >= WAITS_FROM_S * call->count;
        for (size_t name = 0; name < array_count(syncs); name++)
            is_sync |= is_long && strcmp(call->name, syncs[name]) == 0;
        all_s += call->seconds;
        sync_s += is_sync ? call->seconds : 0;
        most = is_sync && (!most || call->seconds > most->seconds) ? call : most;
    }
    if (most && table->calls_s > 0 && all_s <= CLOCKS_DIFFER * table->calls_s)
        fact_of(facts, most->said, SHARE_ONE_THREAD_STORAGE, sync_s, table->calls_s);
}

/* Less than a second of whatever a program does, or what was just begun, is no measure of the rest. */
static const double LOGGED_LEAST_S = 1;

static bool is_short(const struct system_table *table, double elapsed_s)
{
    const struct met *at_s = &table->met[FACT_PAUSE_AT_S];
    return !(elapsed_s > 0) && at_s->last - at_s->first < LOGGED_LEAST_S;
}

/* Whether they are all that there were, and all that was done: a few pauses, or an excerpt, say little of the rest. */
static const char *pauses_named(const struct system_table *table, double elapsed_s)
{
    enum { PAUSES_LEAST = 4 };
    static const double INTERVALS_MOST = 3; /* behind the last pause: there may have been others */
    const struct pause_log *log = &table->pauses;
    if (is_short(table, elapsed_s))
        return SHARE_GC_LOGGED_SHORT;
    if (log->is_concurrent)
        return SHARE_GC_PAUSES_ALONE;
    const struct met *at_s = &table->met[FACT_PAUSE_AT_S];
    double interval_s = (at_s->last - at_s->first) / (double)(at_s->count - 1);
    bool whole = log->is_numbered && !log->has_gaps && table->met[FACT_PAUSE_S].count >= PAUSES_LEAST &&
                 elapsed_s <= at_s->last + INTERVALS_MOST * interval_s;
    return whole ? SHARE_GC_PAUSES : SHARE_GC_LOGGED;
}

/* For how long the program ran that logged its pauses, where one time alone is told; 0: it isn't. */
static double elapsed_beside(const struct system_reading *reading)
{
    struct met elapsed = {.count = 0}, whole = {.count = 0};
    size_t logs = 0;
    for (size_t at = 0; at < reading->tables.count; at++) {
        const struct met *met = reading->tables.items[at].met;
        elapsed.count += met[FACT_ELAPSED_S].count;
        elapsed.last = met[FACT_ELAPSED_S].count ? met[FACT_ELAPSED_S].last : elapsed.last;
        whole.count += met[FACT_WHOLE_S].count;
        whole.last = met[FACT_WHOLE_S].count ? met[FACT_WHOLE_S].last : whole.last;
        logs += met[FACT_PAUSE_S].count > 0 || met[FACT_COLLECTED_S].count > 0;
    }
    return logs != 1 ? 0 : elapsed.count == 1 ? elapsed.last : elapsed.count ? 0 : whole.count == 1 ? whole.last : 0;
}

/* A log from its start on is of the whole run, which goes on behind the last pause; else it is of its own time. */
static void pauses_add(const struct system_reading *reading, const struct system_table *table, struct facts *facts)
{
    const struct met *pauses = &table->met[FACT_PAUSE_S], *at_s = &table->met[FACT_PAUSE_AT_S];
    if (pauses->count < 2 || at_s->count != pauses->count)
        return;
    static const double EXCERPT_MOST = 0.5;
    double elapsed_s = elapsed_beside(reading), logged_s = at_s->last - at_s->first;
    bool excerpt = at_s->first > 0 && logged_s > EXCERPT_MOST * elapsed_s;
    bool longer = elapsed_s > at_s->last && !excerpt;
    fact_add(facts, pauses_named(table, longer ? elapsed_s : 0), pauses->sum - pauses->first,
             longer ? elapsed_s : logged_s);
}

/* Threads that wait for memory until a collector that works beside them has some: of the time since the first did. */
static void stalls_add(const struct system_table *table, struct facts *facts)
{
    enum { STALLS_LEAST = 2 };
    const struct pause_log *log = &table->pauses;
    if (log->stalls >= STALLS_LEAST)
        fact_add(facts, SHARE_GC_STALLS, log->stalled_s, log->stalled_until_s - log->stalls_from_s);
}

/*
 * What is still alive after each full collection fills a heap that grows no more: a virtual machine makes it larger
 * then, as long as it may.
 */
static void kept_add(struct system_table *table, struct facts *facts)
{
    enum { FULL_LEAST = 2 };
    static const double MOST_OF = 0.8, GROWN = 1.01;
    const struct met *kept = &table->met[FACT_HEAP_KEPT], *heap = &table->met[FACT_HEAP];
    if (kept->count < FULL_LEAST || heap->most > GROWN * heap->first || kept->least < MOST_OF * heap->most)
        return;
    (void)snprintf(table->heap_words, sizeof(table->heap_words), "%.0f MB, at last %.0f MB, of %.0f", kept->first,
                   kept->last, heap->last);
    fact_of(facts, table->heap_words, SHARE_HEAP_KEPT, kept->least, heap->most);
}

/* A few collections of its first moments, of which nobody tells that they were most of it. */
static bool is_just_begun(const struct met *met, double elapsed_s)
{
    static const double COLLECTED_LEAST = 5, MOST_OF = 0.5;
    double seen_s = met[FACT_COLLECTED_S].last;
    bool is_most = elapsed_s > 0 && seen_s >= MOST_OF * elapsed_s;
    return met[FACT_COLLECTED].count && met[FACT_COLLECTED].last < COLLECTED_LEAST && seen_s < LOGGED_LEAST_S &&
           !is_most;
}

static void collector_add(const struct system_reading *reading, const struct system_table *table, struct facts *facts)
{
    const struct met *met = table->met;
    bool is_begun = is_just_begun(met, elapsed_beside(reading));
    if (met[FACT_COLLECTING].count) /* Go's and .NET's grow or change: the last one is of the whole run */
        fact_add(facts, is_begun ? SHARE_GC_TIME_SHORT : SHARE_GC_TIME, met[FACT_COLLECTING].last, 100);
    pauses_add(reading, table, facts);
    stalls_add(table, facts);
    if (met[FACT_COLLECTIONS_S].count && met[FACT_ELAPSED_S].count == 1)
        fact_add(facts, SHARE_GC_WHOLE, met[FACT_COLLECTIONS_S].sum, met[FACT_ELAPSED_S].last);
}

/* Of the CPU that interrupts keep busiest, where that is far more than the others have. */
static void one_cpu_add(const struct system_table *table, struct facts *facts)
{
    static const double APART = 2, FULL_IDLE_MOST = 10;
    const struct cpu_row *most = NULL;
    double sum = 0;
    for (size_t at = 0; at < table->cpus.count; at++) {
        const struct cpu_row *cpu = &table->cpus.items[at];
        sum += cpu->interrupts / (double)cpu->count;
        if (!most || cpu->interrupts / (double)cpu->count > most->interrupts / (double)most->count)
            most = cpu;
    }
    if (!most || table->cpus.count < 2)
        return;
    double share = most->interrupts / (double)most->count, idle = most->idle / (double)most->count;
    if (share > APART * (sum - share) / (double)(table->cpus.count - 1))
        fact_of(facts, most->name, idle <= FULL_IDLE_MOST ? SHARE_INTERRUPTS_FULL : SHARE_INTERRUPTS_OF_ONE, share,
                100);
}

/* Of the CPU that the host takes most from, where the mean of all hides it. */
static void stolen_add(const struct system_table *table, struct facts *facts)
{
    static const double APART = 2;
    const struct cpu_row *most = NULL;
    double most_share = 0, sum = 0;
    for (size_t at = 0; at < table->cpus.count; at++) {
        const struct cpu_row *cpu = &table->cpus.items[at];
        double share = cpu->steal / (double)cpu->count;
        sum += share;
        if (!most || share > most_share) {
            most = cpu;
            most_share = share;
        }
    }
    if (table->cpus.count > 1 && most_share > APART * (sum - most_share) / (double)(table->cpus.count - 1))
        fact_of(facts, most->name, SHARE_STEAL_OF_ONE, most_share, 100);
}

/* Where packets are taken in, by one look since the start or by what two looks differ by. */
static void received_add(const struct system_table *table, struct facts *facts)
{
    const struct cpu_count *most = NULL;
    double all = 0, most_count = 0;
    for (size_t at = 0; at < table->received.count; at++) {
        const struct cpu_count *cpu = &table->received.items[at];
        double count = cpu->looks > 1 && cpu->last >= cpu->first ? cpu->last - cpu->first : cpu->last;
        all += count;
        if (!most || count > most_count) {
            most = cpu;
            most_count = count;
        }
    }
    if (most && most->name[0])
        fact_of(facts, most->name, SHARE_PACKETS_OF_ONE, most_count, all);
}

/* ---- clocks ---- */

static double busy_of(const struct system_table *table)
{
    double sum = 0;
    for (size_t at = 0; at < table->clocks.count; at++)
        sum += table->clocks.items[at].busy_ratio;
    return table->clocks.count ? sum / (double)table->clocks.count : 0;
}

/* Another TSC is another machine's. */
static bool is_same_machine(const struct met *one, const struct met *other)
{
    static const double DIFFER = 0.01;
    double nominal = mean_of(&one[FACT_NOMINAL_CLOCK]), beside = mean_of(&other[FACT_NOMINAL_CLOCK]);
    return !(nominal > 0 && beside > 0) || (nominal < (1 + DIFFER) * beside && beside < (1 + DIFFER) * nominal);
}

/* The highest of all tables' rows in which as much was busy: few cores run faster than many. */
static double clock_highest(const struct system_reading *reading, const struct met *met, double busy_ratio)
{
    static const double AS_BUSY = 0.8;
    double highest = 0;
    for (size_t at = 0; at < reading->tables.count; at++)
        for (size_t row = 0; row < reading->tables.items[at].clocks.count; row++) {
            const struct clock_row *clock = &reading->tables.items[at].clocks.items[row];
            if (clock->busy_ratio >= AS_BUSY * busy_ratio && clock->mhz > highest &&
                is_same_machine(met, reading->tables.items[at].met))
                highest = clock->mhz;
        }
    return highest;
}

static bool is_lowest_clock(const struct system_reading *reading, const struct system_table *table)
{
    for (size_t at = 0; at < reading->tables.count; at++) {
        const struct met *clock = &reading->tables.items[at].met[FACT_BUSY_CLOCK];
        if (clock->count && mean_of(clock) < mean_of(&table->met[FACT_BUSY_CLOCK]))
            return false;
    }
    return true;
}

/* Its count of throttling grew, or there is one and it is hot now. */
static bool is_throttled(const struct system_reading *reading, const struct met *met)
{
    static const double HOT_DEGREES = 95;
    const struct met *throttles = &met[FACT_CORE_THROTTLES];
    double first = throttles->first;
    for (size_t at = 0; at < reading->tables.count; at++) {
        const struct met *other = &reading->tables.items[at].met[FACT_CORE_THROTTLES];
        first = other->count && other->first < first ? other->first : first;
    }
    bool hot = met[FACT_CORE_DEGREES].last >= HOT_DEGREES || met[FACT_PACKAGE_DEGREES].last >= HOT_DEGREES;
    return reading->was_hot || throttles->last > first || (throttles->last > 0 && hot);
}

/* No CPU had much to do: whatever it ran at then isn't what a program is run at. */
static bool is_idle(const struct system_table *table)
{
    static const double BUSY_LEAST = 0.2;
    return table->tells_busy && table->busiest_ratio < BUSY_LEAST;
}

static double package_mhz(const struct package *package)
{
    return package->mhz_sum / (double)package->rows;
}

static const char *package_words(struct package *package)
{
    int length = snprintf(package->words, sizeof(package->words), "package %.0f, %.0f MHz", package->number,
                          package_mhz(package));
    size_t used = length > 0 && (size_t)length < sizeof(package->words) ? (size_t)length : sizeof(package->words) - 1;
    if (package->degrees > 0)
        (void)snprintf(package->words + used, sizeof(package->words) - used, " at %.0f degrees", package->degrees);
    return package->words;
}

/* The one that heat slowed most, and of the others the slowest; false: it throttled all, or none. */
static bool packages_apart(struct system_table *table, struct package **ret_hot, struct package **ret_cool)
{
    struct package *hot = NULL, *cool = NULL;
    for (size_t at = 0; at < table->package_count; at++) {
        struct package *here = &table->packages[at], **kind = here->throttles > 0 ? &hot : &cool;
        *kind = !*kind || package_mhz(here) < package_mhz(*kind) ? here : *kind;
    }
    *ret_hot = hot;
    *ret_cool = cool;
    return hot && cool && package_mhz(hot) < package_mhz(cool);
}

/* Of several processors of a machine heat throttles one: its own clock says what that took, and not the mean. */
static bool packages_add(const struct system_reading *reading, struct system_table *table, double highest,
                         struct facts *facts)
{
    static const double DIFFER = 0.02;
    struct package *hot, *cool;
    if (!packages_apart(table, &hot, &cool))
        return false;
    highest = fmax(highest, package_mhz(cool));
    fact_of(facts, package_words(hot), SHARE_BELOW_HIGHEST_HOT, highest - package_mhz(hot), highest);
    if (package_mhz(cool) < (1 - DIFFER) * highest)
        fact_of(facts, package_words(cool), SHARE_BELOW_HIGHEST_COOL, highest - package_mhz(cool), highest);
    if (hot->watts > 0 && reading->design_watts > 0) {
        (void)snprintf(table->power_words, sizeof(table->power_words), "%.3g of %.3g W", hot->watts,
                       reading->design_watts);
        fact_of(facts, table->power_words, SHARE_OF_DESIGN_POWER, hot->watts, reading->design_watts);
    }
    return true;
}

/*
 * Of what the same machine ran at beside, as busy; else of the clock of its TSC, the least that is missing: a processor
 * with a turbo exceeds that.
 */
static void clocks_add(const struct system_reading *reading, struct system_table *table, struct facts *facts)
{
    static const double DIFFER = 0.02;
    const struct met *met = table->met;
    if (!met[FACT_BUSY_CLOCK].count || is_idle(table))
        return;
    double clock = mean_of(&met[FACT_BUSY_CLOCK]), busy = busy_of(table), nominal = mean_of(&met[FACT_NOMINAL_CLOCK]),
           highest = clock_highest(reading, met, busy);
    bool throttled = is_throttled(reading, met), beside = busy > 0 || throttled;
    if (throttled && packages_add(reading, table, highest, facts))
        return;
    if (beside && clock < (1 - DIFFER) * highest && !(highest < nominal)) {
        if (is_lowest_clock(reading, table))
            fact_add(facts, throttled ? SHARE_BELOW_HIGHEST_HOT : SHARE_BELOW_HIGHEST, highest - clock, highest);
        return;
    }
    if (throttled && !(clock < nominal) && table->hot_rows)
        fact_add(facts, SHARE_HOT_CPUS, (double)table->hot_rows, (double)table->heat_rows);
    if (met[FACT_NOMINAL_CLOCK].count)
        fact_add(facts, throttled ? SHARE_BELOW_TSC_HOT : SHARE_BELOW_TSC, nominal - clock, nominal);
}

/* In shares of all CPUs' time: waiting for storage they stand idle, too; 1: it isn't told. */
static double idle_of(const struct met *met)
{
    return met[FACT_IDLE].count ? (mean_of(&met[FACT_IDLE]) + mean_of(&met[FACT_IO_WAIT])) / 100 : 1;
}

static const double IDLE_TOLD = 5; /* percent: less of it is hardly worth a word */

/* Rounded it is nothing, or hardly anything of one CPU. */
static bool is_none_idle(const struct system_reading *reading, const struct met *met)
{
    static const double ROUNDED = 0.002, OF_ONE_CPU = 0.1;
    bool known = reading->cpus > 0 && !reading->cpus_differ;
    return met[FACT_IDLE].count && (idle_of(met) <= ROUNDED || (known && idle_of(met) * reading->cpus <= OF_ONE_CPU));
}

/* Some table tells that for most of the time something was ready without a CPU. */
static bool is_queue_seen(const struct system_reading *reading)
{
    static const double MOST_OF = 0.5;
    bool seen = false;
    for (size_t at = 0; at < reading->tables.count; at++) {
        const struct system_table *table = &reading->tables.items[at];
        const struct task *delayed = task_delayed_most(table);
        seen |= delayed && delayed->delay_ms > MOST_OF * (delayed->delay_ms + delayed->run_ms);
        seen |= mean_of(&table->met[FACT_STALLED_CPU]) > 100 * MOST_OF;
    }
    return seen;
}

/* Looks at single moments: that there were more at most of them says something, and that there weren't doesn't. */
static void run_queue_add(const struct system_reading *reading, const struct met *met, struct facts *facts)
{
    static const double MANY = 1.5;
    double could_run = mean_of(&met[FACT_RUN_QUEUE]);
    if (met[FACT_RUN_QUEUE].count && reading->cpus > 0 && !reading->cpus_differ && could_run >= MANY * reading->cpus)
        fact_add(facts, is_none_idle(reading, met) && is_queue_seen(reading) ? SHARE_NO_CPU_NONE_IDLE : SHARE_NO_CPU,
                 could_run - reading->cpus, could_run);
    if (is_none_idle(reading, met))
        fact_add(facts, SHARE_IDLE, 100 * idle_of(met), 100);
    if (met[FACT_IDLE].count && mean_of(&met[FACT_IDLE]) >= IDLE_TOLD)
        fact_add(facts, SHARE_IDLE_OF_ALL, mean_of(&met[FACT_IDLE]), 100);
}

/*
 * How many threads waited for storage at a time, by the largest %iowait: it counts idle CPUs alone, so that without any
 * it says nothing. Negative: it isn't told.
 */
static double storage_waiters(const struct system_reading *reading)
{
    static const double IDLE_LEAST = 0.25, ROUNDED_PERCENT = 0.05;
    double most = -1;
    for (size_t at = 0; at < reading->tables.count; at++) {
        const struct met *met = reading->tables.items[at].met;
        if (!met[FACT_IO_WAIT].count || !met[FACT_IDLE].count)
            continue;
        double percent = mean_of(&met[FACT_IO_WAIT]);
        bool is_counted = idle_of(met) >= IDLE_LEAST && reading->cpus > 0 && !reading->cpus_differ,
             is_none = idle_of(met) >= IDLE_LEAST && percent < ROUNDED_PERCENT;
        if (!is_counted && !is_none)
            return -1;
        most = fmax(most, is_none ? 0 : percent / 100 * reading->cpus);
    }
    return most;
}

static bool nothing_waits_for_storage(const struct system_reading *reading)
{
    static const double WAITERS_MOST = 0.1;
    double waiters = storage_waiters(reading);
    return waiters >= 0 && waiters < WAITERS_MOST;
}

/* As top rounds it. */
static const double ONE_CPU = 1.01;

/* One that has a whole CPU, and is no sum of threads that take turns, as far as a single look tells. */
static void computes_add(const struct system_reading *reading, const struct system_table *table, struct facts *facts)
{
    double ratio = fmin(table->process_ratio, 1);
    if (table->process_runs && table->process_ratio <= ONE_CPU && !table->any_waits &&
        nothing_waits_for_storage(reading))
        fact_of(facts, table->busiest_process, SHARE_NOT_COMPUTED, 1 - ratio, 1);
}

/*
 * %util is the time with one request at least, and a device that takes many at once has most of its strength left then:
 * where they are short and few, it holds up nobody unless threads wait for them.
 */
static bool is_short_of_waits(const struct system_reading *reading, const struct device *device)
{
    static const double QUEUE_MOST = 1.5, EACH_MOST_MS = 1;
    double all = 0, took_ms = 0;
    for (size_t kind = 0; kind < DEVICE_AWAITS; kind++) {
        all += device->requests[kind];
        took_ms += device->took_ms[kind];
    }
    double queue = device->counted ? took_ms / 1e3 / (double)device->counted : 0;
    return all > 0 && took_ms > 0 && took_ms < EACH_MOST_MS * all && queue < QUEUE_MOST &&
           nothing_waits_for_storage(reading);
}

/* Of the device that had requests for most of the time. */
static void devices_add(const struct system_reading *reading, struct system_table *table, struct facts *facts)
{
    const struct device *most = NULL;
    double most_util = 0;
    for (size_t at = 0; at < table->devices.count; at++) {
        const struct device *device = &table->devices.items[at];
        double util = device->counted ? device->util_sum / (double)device->counted : 0;
        if (!most || util > most_util) {
            most = device;
            most_util = util;
        }
    }
    if (!most)
        return;
    scoped_text struct text words = {0};
    device_words(most, &words);
    size_t length = words.length < sizeof(table->device_words) - 1 ? words.length : sizeof(table->device_words) - 1;
    memcpy(table->device_words, text_string(&words), length);
    table->device_words[length] = '\0';
    fact_of(facts, table->device_words, is_short_of_waits(reading, most) ? SHARE_DEVICE_SHORT : SHARE_DEVICE_BUSY,
            most_util, 100);
}

/* Of all nodes by their own lines, where nothing tells their sum; of one where it ran on one. */
double system_memory_rate(const struct system_reading *reading, const struct system_table *table)
{
    const struct met *met = table->met;
    bool is_told = false;
    for (size_t at = 0; at < reading->tables.count; at++)
        is_told |= reading->tables.items[at].met[FACT_MEMORY_RATE].count > 0;
    if (is_told || met[FACT_MEMORY_RATE].count)
        return mean_of(&met[FACT_MEMORY_RATE]);
    return mean_of(&met[reading->on_one_socket && met[FACT_BUSIEST_NODE].count ? FACT_BUSIEST_NODE
                                                                               : FACT_NODES_TRAFFIC]);
}

/* Of one rate of all memory's: what was measured may exceed a benchmark's a little, and not by much. */
static void bandwidth_add(const struct system_reading *reading, struct system_table *table, struct facts *facts)
{
    static const double EXCEEDS_MOST = 1.1;
    double most = reading->attained_mb > 0 ? reading->attained_mb : reading->nominal_mb,
           used = system_memory_rate(reading, table);
    if (!(used > 0) || !(most > 0) || reading->most_differs || used > EXCEEDS_MOST * most)
        return;
    (void)snprintf(table->rate_words, sizeof(table->rate_words), "%.4g of %.4g GB/s", used / 1e3, most / 1e3);
    fact_of(facts, table->rate_words, SHARE_BANDWIDTH_USED, used < most ? used : most, most);
}

/* What twice as many threads left to each of them. */
static void scaling_add(const struct system_reading *reading, struct system_table *table, struct facts *facts)
{
    const struct scaled_row *few, *many;
    if (table->tool != TOOL_DOCUMENT || !system_scaling_worst(&reading->scaling, &few, &many))
        return;
    const char *unit = few->is_of_time ? " s" : "";
    (void)snprintf(table->scaling_words, sizeof(table->scaling_words), "%.6g%s with %.0f threads, %.6g%s with %.0f",
                   few->is_of_time ? 1 / few->rate : few->rate, unit, few->threads,
                   many->is_of_time ? 1 / many->rate : many->rate, unit, many->threads);
    fact_of(facts, table->scaling_words, SHARE_SCALING, many->rate, 2 * few->rate);
}

static void plan_add(const struct system_reading *reading, struct system_table *table, struct facts *facts)
{
    scoped_text struct text words = {0};
    double share = table->tool == TOOL_DOCUMENT ? system_plan_dropped(&reading->plan, &words) : 0;
    if (!(share > 0))
        return;
    (void)snprintf(table->plan_words, sizeof(table->plan_words), "%s", text_string(&words));
    fact_of(facts, table->plan_words, SHARE_SCAN_DROPS, share, 1);
}

static void heat_add(const struct system_reading *reading, const struct system_table *table, struct facts *facts)
{
    if (table->tool == TOOL_DOCUMENT && reading->was_hot)
        fact_add(facts, SHARE_HEAT_LOGGED, 1, 1);
}

static void build_add(const struct system_reading *reading, const struct system_table *table, struct facts *facts)
{
    if (table->tool != TOOL_DOCUMENT)
        return;
    if (reading->build_words[0])
        fact_of(facts, reading->build_words, SHARE_BUILT_PLAIN, 1, 1);
    if (reading->build_optimises)
        fact_add(facts, SHARE_BUILT_OPTIMISED, 1, 1);
}

/* Of two timed runs, as before and after a change, the slower one is what is asked about. */
static void went_add(double sys_s, double elapsed_s, struct facts *facts)
{
    size_t before = facts->count;
    fact_add(facts, SHARE_KERNEL_WENT, sys_s, elapsed_s);
    if (facts->count > before)
        facts->rows[before].seconds = sys_s;
}

/* With how long that was. */
static void kernel_add(struct facts *facts, double kernel_s, double cpu_s)
{
    size_t before = facts->count;
    fact_add(facts, SHARE_KERNEL, kernel_s, cpu_s);
    if (facts->count > before)
        facts->rows[before].seconds = kernel_s;
}

/* For how long it ran on no CPU, else on how many: of several programs' times it isn't known which belong together. */
static void times_add(const struct met *met, struct facts *facts)
{
    double cpu_s = met[FACT_USER_S].last + met[FACT_KERNEL_S].last, elapsed_s = met[FACT_ELAPSED_S].last;
    bool is_cpu_told = met[FACT_USER_S].count == 1 && met[FACT_KERNEL_S].count == 1;
    if (is_cpu_told)
        kernel_add(facts, met[FACT_KERNEL_S].last, cpu_s);
    if (is_cpu_told && met[FACT_ELAPSED_S].count == 1 && cpu_s > elapsed_s)
        cpus_add(facts, "", SHARE_CPUS_USED, cpu_s, elapsed_s);
    else if (is_cpu_told && met[FACT_ELAPSED_S].count == 1)
        fact_add(facts, SHARE_AWAY, elapsed_s - cpu_s, elapsed_s);
    else if (met[FACT_CPU_PERCENT].count == 1)
        cpus_add(facts, "", SHARE_CPUS_USED, met[FACT_CPU_PERCENT].last, 100);
}

/* Of the process that ran most, as long as it was watched. */
static void busiest_add(const struct system_table *table, struct facts *facts)
{
    const struct task *most = NULL;
    for (size_t at = 0; at < table->tasks.count; at++)
        if (table->tasks.items[at].watched_ms > 0 && (!most || table->tasks.items[at].run_ms > most->run_ms))
            most = &table->tasks.items[at];
    if (most)
        cpus_add(facts, most->name, SHARE_CPUS_OF_PROCESS, most->run_ms, most->watched_ms);
}

static void slower_add(const struct met *met, struct facts *facts)
{
    const struct met *user = &met[FACT_USER_S], *kernel = &met[FACT_KERNEL_S], *elapsed = &met[FACT_ELAPSED_S];
    if (user->count != 2 || kernel->count != 2 || elapsed->count != 2)
        return;
    bool first = elapsed->first > elapsed->last;
    double user_s = first ? user->first : user->last, kernel_s = first ? kernel->first : kernel->last;
    kernel_add(facts, kernel_s, user_s + kernel_s);
    /* of one thread: what several had isn't what the time lost */
    static const double ONE_CPU_MOST = 1.05, MOST_OF = 0.8;
    double slow_s = first ? elapsed->first : elapsed->last, less_s = slow_s - (first ? elapsed->last : elapsed->first),
           went_s = kernel_s - (first ? kernel->last : kernel->first);
    if (user_s + kernel_s <= ONE_CPU_MOST * slow_s && went_s > 0 && less_s >= MOST_OF * went_s)
        went_add(went_s < less_s ? went_s : less_s, slow_s, facts);
}

/* Where a process's memory lies, and whether that is where it runs. */
static void nodes_add(const struct system_reading *reading, const struct system_table *table, struct facts *facts)
{
    static const char *const names[NODES_MOST] = {"node 0", "node 1", "node 2", "node 3",
                                                  "node 4", "node 5", "node 6", "node 7"};
    const struct met *met = table->met;
    const char *fullest = table->fullest_node < NODES_MOST ? names[table->fullest_node] : "";
    double all = met[FACT_ALL_NODES].last;
    if (!met[FACT_ALL_NODES].count)
        return;
    fact_of(facts, fullest, SHARE_FULLEST_NODE, met[FACT_FULLEST_NODE].last, all);
    if (reading->runs_on && !reading->nodes_differ && reading->runs_on <= NODES_MOST &&
        table->fullest_node != reading->runs_on - 1)
        fact_of(facts, fullest, SHARE_MEMORY_AWAY, all - table->node_mb[reading->runs_on - 1], all);
}

/*
 * Many looks tell of a share of the sessions' time, few of a moment. Who keeps a transaction open and asks for nothing
 * may hold the locks that others wait for: these are told as a part of those that are active.
 */
static void sessions_add(const struct system_table *table, struct facts *facts)
{
    enum { LOOKS_LEAST = 100 };
    const struct met *met = table->met;
    double all = met[FACT_SESSIONS_OPEN].last, at_client = met[FACT_SESSIONS_AT_CLIENT].last;
    bool many = all >= LOOKS_LEAST, locked_most = 2 * met[FACT_SESSIONS_LOCKED].last > met[FACT_SESSIONS].last,
         client_first =
             !locked_most && at_client > met[FACT_SESSIONS_LOGGING].last && at_client > met[FACT_SESSIONS_STORING].last;
    if (!met[FACT_SESSIONS].count)
        return;
    if (client_first)
        fact_of(facts, table->client_words, many ? SHARE_SESSIONS_AT_CLIENT : SHARE_SESSIONS_AT_CLIENT_SEEN, at_client,
                all);
    if (met[FACT_SESSIONS].last > 0)
        fact_of(facts, table->lock_words, SHARE_SESSIONS_AT_LOCKS, met[FACT_SESSIONS_LOCKED].last,
                met[FACT_SESSIONS].last);
    if (met[FACT_SESSIONS_LOGGING].last > 0)
        fact_of(facts, table->log_words, many ? SHARE_SESSIONS_AT_LOG : SHARE_SESSIONS_AT_LOG_SEEN,
                met[FACT_SESSIONS_LOGGING].last, all);
    if (met[FACT_SESSIONS_STORING].last > 0)
        fact_of(facts, table->storage_words, many ? SHARE_SESSIONS_AT_STORAGE : SHARE_SESSIONS_AT_STORAGE_SEEN,
                met[FACT_SESSIONS_STORING].last, all);
}

/* The larger of what threads spun for. */
static void spin_add(const struct met *met, struct facts *facts)
{
    double imbalance = met[FACT_SPIN_IMBALANCE_S].last, locks = met[FACT_SPIN_LOCKS_S].last;
    bool is_imbalance = imbalance >= locks;
    if (met[FACT_SPIN_OF_S].count)
        fact_add(facts, is_imbalance ? SHARE_SPIN_IMBALANCE : SHARE_SPIN_LOCKS, is_imbalance ? imbalance : locks,
                 met[FACT_SPIN_OF_S].last);
}

static void servers_add(const struct system_table *table, struct facts *facts)
{
    enum { COMMANDS_LEAST = 2 };
    const struct met *commands = &table->met[FACT_COMMANDS_US], *queries = &table->met[FACT_QUERIES_S];
    if (commands->count >= COMMANDS_LEAST)
        fact_of(facts, table->command_words, SHARE_OF_COMMANDS, commands->most, commands->sum);
    if (queries->count)
        fact_of(facts, table->query_words, SHARE_QUERIES_LOCKED, table->met[FACT_QUERIES_LOCKED_S].sum, queries->sum);
}

size_t system_facts_of(const struct system_reading *reading, struct system_table *table,
                       struct import_row ret_rows[SYSTEM_ROWS_MOST])
{
    const struct met *met = table->met;
    struct facts all = {.rows = ret_rows}, *facts = &all;
    shares_add(met, has_swapped(reading, met), facts);
    throttled_add(met, facts);
    clocks_add(reading, table, facts);
    times_add(met, facts);
    slower_add(met, facts);
    nodes_add(reading, table, facts);
    if (met[FACT_BUSIEST_NODE].count && !reading->on_one_socket)
        fact_add(facts, SHARE_BUSIEST_NODE, met[FACT_BUSIEST_NODE].sum, met[FACT_NODES_TRAFFIC].sum);
    if (met[FACT_WEIGHT_MEMORY].count) {
        fact_add(facts, SHARE_REMOTE_WEIGHT, met[FACT_WEIGHT_REMOTE].last, 100);
        fact_add(facts, SHARE_LOCAL_WEIGHT, met[FACT_WEIGHT_MEMORY].last, 100);
    }
    servers_add(table, facts);
    spin_add(met, facts);
    if (met[FACT_SCALAR].count)
        fact_of(facts, table->scalar_words, SHARE_SCALAR, met[FACT_SCALAR].last, 1);
    if (met[FACT_MEMORY_HIGH].last > 0 || met[FACT_MEMORY_MOST].last > 0)
        fact_of(facts, table->group_words, SHARE_GROUP_MEMORY, 1, 1);
    locks_add(reading, table, facts);
    pages_add(met, facts);
    if (met[FACT_LOCAL_PAGES].count && met[FACT_OTHER_PAGES].count)
        fact_add(facts, SHARE_GIVEN_AWAY, met[FACT_OTHER_PAGES].sum,
                 met[FACT_LOCAL_PAGES].sum + met[FACT_OTHER_PAGES].sum);
    if (table->may_be_huge) {
        fact_add(facts, SHARE_WITHOUT_HUGE, (double)table->none_huge, (double)table->may_be_huge);
        fact_add(facts, SHARE_WITHOUT_ROOM, (double)table->none_fits, (double)table->may_be_huge);
    }
    run_queue_add(reading, met, facts);
    if (table->process_ratio > 0 && table->process_ratio <= ONE_CPU)
        fact_of(facts, table->busiest_process, SHARE_BUSIEST_PROCESS, fmin(table->process_ratio, 1), 1);
    computes_add(reading, table, facts);
    sessions_add(table, facts);
    storage_add(table, facts);
    busiest_add(table, facts);
    devices_add(reading, table, facts);
    bandwidth_add(reading, table, facts);
    scaling_add(reading, table, facts);
    plan_add(reading, table, facts);
    heat_add(reading, table, facts);
    build_add(reading, table, facts);
    if (met[FACT_STALLED_STORAGE].count)
        fact_add(facts, SHARE_STALLED_BY_STORAGE, mean_of(&met[FACT_STALLED_STORAGE]), 100);
    if (met[FACT_STALLED_MEMORY].count)
        fact_add(facts, SHARE_STALLED_BY_MEMORY, mean_of(&met[FACT_STALLED_MEMORY]), 100);
    if (met[FACT_STALLED_CPU].count)
        fact_add(facts, SHARE_WANTED_CPU, mean_of(&met[FACT_STALLED_CPU]), 100);
    if (met[FACT_NODES_USED].count > 1)
        fact_add(facts, SHARE_FULLEST_NODE_USED, met[FACT_NODE_USED_MOST].last, met[FACT_NODES_USED].sum);
    calls_add(table, facts);
    sync_calls_add(table, facts);
    collector_add(reading, table, facts);
    kept_add(table, facts);
    one_cpu_add(table, facts);
    stolen_add(table, facts);
    received_add(table, facts);
    ready_add(table, facts);
    load_add(reading, table, facts);
    static const double MANY = 1000; /* fewer are any program's */
    if (!met[FACT_LOADS].count && met[FACT_LINE_LOADS].count == 1 && met[FACT_LINE_MODIFIED].last >= MANY)
        fact_add(facts, SHARE_HITM_OF_SHARED, met[FACT_LINE_MODIFIED].last, met[FACT_LINE_LOADS].last);
    if (met[FACT_LOADS].count == 1 && met[FACT_MODIFIED].count == 1)
        fact_add(facts, SHARE_HITM, met[FACT_MODIFIED].last + met[FACT_MODIFIED_REMOTE].last, met[FACT_LOADS].last);
    return facts->count;
}
