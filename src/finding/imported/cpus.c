/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many CPUs a run had in use, and how often it was moved between them: who has one thread and used a whole CPU
 * waited for nothing, and a move costs no more than refilling a core's caches.
 *
 * That CPUs are in use says nothing of threads beside: some may wait, or take turns, while others run.
 */
#include "analyse/imported_window.h"
#include "base/place_names.h"
#include "base/share_names.h"
#include "base/vec.h"
#include "finding/imported/evidence.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- CPUs in use ---- */

struct cpus {
    bool known;
    double least, most;    /* over the runs */
    const char *how, *who; /* who: the processes that it is of; NULL: what ran */
    const char *file;
    bool is_of_run;  /* from start to end: else it may have had nothing to do */
    bool is_counted; /* by task-clock, of no other process */
    double switches; /* in a second of CPU time, where that was counted; the most of all runs */
};

static void cpus_meet(struct cpus *cpus, double number, const char *how, const char *file)
{
    cpus->least = cpus->known ? fmin(cpus->least, number) : number;
    cpus->most = cpus->known ? fmax(cpus->most, number) : number;
    cpus->file = cpus->known ? cpus->file : file;
    cpus->how = how;
    cpus->known = true;
}

static bool is_of_machine(const struct imported_arm *arm)
{
    return strstr(arm->table->heading, "'system wide'") || strstr(arm->table->heading, "for 'CPU(s) ");
}

static bool is_attached(const struct imported_arm *arm)
{
    return arm->is_window || strstr(arm->table->heading, "process id '") || strstr(arm->table->heading, "thread id '");
}

/* By the clocks of perf stat, of each run. */
static struct cpus counted_cpus(const struct imported *imported)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    struct cpus cpus = {.is_of_run = true, .is_counted = true};
    for (size_t at = 0, count = imported_arms_of(imported, arms); at < count; at++) {
        struct measured cpu_s = imported_arm_cpu_s(&arms[at]), length = imported_arm_length(&arms[at]),
                        used = measured_ratio(cpu_s, length),
                        often = measured_ratio(imported_arm_count(&arms[at], "context-switches"), cpu_s);
        if (is_of_machine(&arms[at]))
            continue;
        cpus.switches = often.known ? fmax(cpus.switches, often.value) : cpus.switches;
        if (!used.known)
            continue;
        bool is_clocked =
            imported_arm_count(&arms[at], "task-clock").known || imported_arm_count(&arms[at], "cpu-clock").known;
        cpus_meet(&cpus, used.value, is_clocked ? "task-clock" : "its cycles and their clock", arms[at].table->file);
        cpus.is_counted &= is_clocked;
        cpus.is_of_run &= !is_attached(&arms[at]);
    }
    return cpus;
}

/* By a row of the system's tables; below: it tells what is missing to one CPU. */
static void told_meet(const struct imported *imported, const char *fact, bool below, struct cpus *cpus)
{
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0; row < imported->tables[at].count && imported->tables[at].kind == IMPORTED_SYSTEM; row++) {
            const struct imported_row *here = &imported->tables[at].rows[row];
            double ratio = here->number / 100;
            if (strcmp(here->name, fact) != 0)
                continue;
            cpus_meet(cpus, below ? 1 - ratio : ratio, "user + sys", imported->tables[at].file);
            cpus->who = here->where[0] ? here->where : NULL;
        }
}

static struct cpus cpus_of(const struct imported *imported)
{
    struct cpus cpus = counted_cpus(imported);
    if (cpus.known)
        return cpus;
    cpus = (struct cpus){.is_of_run = true};
    told_meet(imported, SHARE_AWAY, true, &cpus);
    told_meet(imported, SHARE_CPUS_USED, false, &cpus);
    if (cpus.known)
        return cpus;
    told_meet(imported, SHARE_CPUS_OF_PROCESS, false, &cpus);
    cpus.how = "%CPU";
    cpus.is_of_run = false;
    return cpus;
}

struct measured imported_cpus_used(const struct imported *imported)
{
    struct cpus cpus = cpus_of(imported);
    if (cpus.known)
        return measured_as(cpus.most);
    struct measured percent = imported_number(imported, IMPORTED_SYSTEM, SHARE_BUSIEST_PROCESS, NULL);
    return percent.known ? measured_as(percent.value / 100) : not_measured("nobody says how many CPUs it used");
}

/* "--threads 1" */
static bool is_set_to_one(const char *text)
{
    static const char option[] = "--threads";
    const char *at = strstr(text, option);
    at = at ? at + sizeof(option) - 1 : "";
    return (at[0] == ' ' || at[0] == '=') && at[1] == '1' && !isdigit((unsigned char)at[2]);
}

/* "-t 8", "--threads=8", "-j 16", "OMP_NUM_THREADS=4", "16 threads", but "one thread" or "single-threaded". */
static bool tells_threads(const char *text)
{
    static const char *const words[] = {"thread", "worker",  "parallel", " -t ",  " -j",
                                        "--jobs", "_gil",    "pthread_", "futex", "GOMP_",
                                        "__kmp",  "OMP_NUM", "mpirun",   "mutex", "condvar"};
    static const char *const ones[] = {"single-thread", "single thread", "one thread", "1 thread", "thread id '"};
    bool is_one = is_set_to_one(text);
    for (size_t at = 0; at < array_count(ones); at++)
        is_one |= strcasestr(text, ones[at]) != NULL;
    for (size_t at = 0; at < array_count(words) && !is_one; at++)
        if (strcasestr(text, words[at]))
            return true;
    return false;
}

/* Tasks whose CPUs were looked at one by one. */
static bool are_tasks_bound(const struct imported *imported)
{
    const char *first = NULL;
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0; row < imported->tables[at].count && imported->tables[at].kind == IMPORTED_PLACES; row++) {
            const char *name = imported->tables[at].rows[row].name;
            if (strncmp(name, PLACE_BOUND, strlen(PLACE_BOUND)) != 0)
                continue;
            first = first ? first : name;
            if (strcmp(first, name) != 0)
                return true;
        }
    return false;
}

/* What ran, what somebody says of it, and its functions: anything that speaks of several threads. */
static bool speaks_of_threads(const struct results *results)
{
    const struct imported *imported = results->imported;
    for (size_t at = 0; at < imported->count; at++) {
        if (tells_threads(imported->tables[at].heading))
            return true;
        for (size_t row = 0; row < imported->tables[at].count && imported->tables[at].kind == IMPORTED_REPORT; row++)
            if (tells_threads(imported->tables[at].rows[row].name))
                return true;
    }
    for (size_t at = 0; results->statements && at < results->statements->count; at++)
        if (tells_threads(results->statements->items[at].text))
            return true;
    return false;
}

bool imported_may_have_threads(const struct results *results)
{
    return are_tasks_bound(results->imported) || speaks_of_threads(results);
}

static const double OFTEN = 100; /* switches in a second of CPU time */

bool imported_takes_turns(const struct results *results)
{
    return speaks_of_threads(results) || counted_cpus(results->imported).switches >= OFTEN;
}

/* A whole CPU, and no more; who has several threads that take turns changes between them often. */
static bool is_of_one_thread(const struct results *results, const struct cpus *cpus)
{
    static const double ONE_MOST = 1.01;
    return cpus->is_counted && cpus->least >= 1 - results->effect && cpus->most <= ONE_MOST && cpus->switches < OFTEN &&
           !imported_may_have_threads(results);
}

static const char *cpus_words(const struct cpus *cpus, struct arena *arena)
{
    static const double ALIKE = 0.01;
    return cpus->most - cpus->least <= ALIKE * cpus->most
               ? arena_printf(arena, "%.3g", cpus->most)
               : arena_printf(arena, "%.3g to %.3g", cpus->least, cpus->most);
}

static void say(struct finding *finding, const struct cpus *cpus, struct interval away, const char *key)
{
    struct value values[] = {
        VALUE_TEXT("cpus", cpus_words(cpus, finding->arena)),
        VALUE_TEXT("how", cpus->how),
        VALUE_TEXT("who", cpus->who ? arena_printf(finding->arena, "each process of %s", cpus->who) : "it"),
        VALUE_SHARE("share", interval_exactly(away.high)),
        VALUE_TEXT("file", cpus->file),
        VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding_evidence_add(finding, finding->verdict == VERDICT_UNDECIDED ? WEIGHT_CONTEXT : WEIGHT_FOR, ORIGIN_STATEMENT,
                         key, values, array_count(values));
    finding_set_add(finding, &finding->reason, key, values, array_count(values));
}

/* Off a CPU, for whatever reason: a program of one thread was that for no longer than it had none. */
static bool is_off_cpu(const struct finding *finding)
{
    static const char *const ids[] = {"waiting", "oversubscribed", "cpu-quota"};
    for (size_t at = 0; at < array_count(ids); at++)
        if (finding_is(finding, ids[at]))
            return true;
    return false;
}

bool imported_cpus_test(const struct results *results, struct finding *finding)
{
    struct cpus cpus = cpus_of(results->imported);
    bool is_waiting = finding_is(finding, "waiting");
    if (!cpus.known || !is_off_cpu(finding))
        return false;
    struct interval away = interval_of(fmax(1 - cpus.most, 0), fmax(1 - cpus.most, 0), fmax(1 - cpus.least, 0));
    bool is_one = is_of_one_thread(results, &cpus);
    if (!is_one && !is_waiting)
        return false;
    finding->of = OF_ELAPSED;
    finding->is_estimate = false;
    finding->imported_kinds |= 1u << ORIGIN_SCHEDULER;
    if (is_one) {
        finding_decide_bound(finding, away.high, results->effect);
        say(finding, &cpus, away, "imported-cpus-bound");
        return true;
    }
    if (cpus.is_of_run && away.low >= results->effect) {
        finding_decide_fact(finding, away, results->effect);
        finding->is_own_doing = true;
        imported_say(finding, "the part of the time in which it ran on no CPU", away, cpus.file);
        imported_advise_all(finding);
        return true;
    }
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding->is_loose = true;
    say(finding, &cpus, away, away.high >= results->effect ? "imported-cpus-less" : "imported-cpus-open");
    return true;
}

/* ---- moves between CPUs ---- */

struct moves {
    const char *event, *file;
    double count, share; /* of the CPU time, or the elapsed time where that isn't told */
    bool of_elapsed;
};

/* Who isn't taken off a CPU isn't moved: no more moves than context switches cost anything. */
static bool moves_of(const struct imported_arm *arm, struct moves *ret)
{
    static const char *const events[] = {"cpu-migrations", "migrations", "context-switches", "cs"};
    static const double MOVE_S = 3e-3; /* a core's own caches and its share of the next, 32 MiB at 10 GB/s */
    struct measured cpu_s = imported_arm_cpu_s(arm), whole = cpu_s.known ? cpu_s : imported_arm_length(arm);
    for (size_t at = 0; at < array_count(events); at++) {
        struct measured often = measured_ratio(imported_arm_count(arm, events[at]), whole);
        if (!often.known)
            continue;
        *ret = (struct moves){events[at], arm->table->file, imported_arm_count(arm, events[at]).value,
                              fmin(often.value * MOVE_S, 1), !cpu_s.known};
        return true;
    }
    return false;
}

/* Of all runs the one that it can have cost most; false: a run didn't count them. */
static bool moves_find(const struct imported *imported, struct moves *ret)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    struct moves own;
    *ret = (struct moves){.event = NULL};
    for (size_t at = 0, count = imported_arms_of(imported, arms); at < count; at++) {
        if (!moves_of(&arms[at], &own))
            return false;
        *ret = ret->event && ret->share >= own.share ? *ret : own;
    }
    return ret->event;
}

bool imported_moves_test(const struct results *results, struct finding *finding)
{
    struct moves moves;
    if (!finding_is(finding, "migrations") || !moves_find(results->imported, &moves))
        return false;
    finding_decide_bound(finding, moves.share, results->effect);
    finding->of = moves.of_elapsed ? OF_ELAPSED : OF_CPU_TIME;
    finding->is_estimate = false;
    finding->is_loose = finding->verdict == VERDICT_UNDECIDED;
    finding->imported_kinds |= 1u << ORIGIN_SCHEDULER;
    struct value values[] = {VALUE_COUNT("count", moves.count), VALUE_TEXT("event", moves.event),
                             VALUE_SHARE("bound", interval_exactly(moves.share)), VALUE_TEXT("file", moves.file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding_evidence_add(finding, finding->verdict == VERDICT_UNDECIDED ? WEIGHT_CONTEXT : WEIGHT_FOR, ORIGIN_STATEMENT,
                         "imported-moves", values, array_count(values));
    finding_set_add(finding, &finding->reason, "imported-moves", values, array_count(values));
    return true;
}
