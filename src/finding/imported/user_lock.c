/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that finds a mutex taken asks the kernel to wait (futex), and the kernel keeps those that wait in lists of
 * their own, each with a spinning lock: where many threads fight over one mutex, they spin at that one, too. It is the
 * mutex's contention all the same, and no cause of its own.
 */
#include "finding/imported/user_lock.h"

#include "base/share_names.h"
#include "base/vec.h"
#include "finding/imported/callers.h"
#include "finding/imported/evidence.h"

#include <string.h>

static bool begins_with(const char *name, const char *const *begins, size_t count)
{
    for (size_t at = 0; at < count; at++)
        if (strncmp(name, begins[at], strlen(begins[at])) == 0)
            return true;
    return false;
}

/* A mutex or a lock of readers and a writer: a condition alone isn't one. */
static bool is_taking(const char *name)
{
    static const char *const begins[] = {
        "__lll_lock_wait",  "lll_lock_wait",     "__lll_lock_wake",       "lll_lock_wake",   "pthread_mutex_",
        "__pthread_mutex_", "___pthread_mutex_", "__GI___pthread_mutex_", "pthread_rwlock_", "__pthread_rwlock_"};
    return begins_with(name, begins, array_count(begins));
}

static bool is_futex(const char *name)
{
    static const char *const begins[] = {"futex_", "do_futex", "__futex_", "__x64_sys_futex", "__arm64_sys_futex"};
    return begins_with(name, begins, array_count(begins));
}

static bool is_spinning(const char *name)
{
    static const char *const begins[] = {"native_queued_spin_lock_slowpath", "queued_spin_lock_slowpath",
                                         "__pv_queued_spin_lock_slowpath", "_raw_spin_lock"};
    return begins_with(name, begins, array_count(begins));
}

static bool is_of_time(const struct imported_table *table)
{
    return table->kind == IMPORTED_REPORT &&
           (strstr(table->event, "cycles") || strstr(table->event, "clock") || !table->event[0]);
}

/* By the call chain of who spins; NULL: none leads there. */
static const char *chained_spinner(const struct imported_table *table, struct arena *arena)
{
    for (size_t row = 0; row < table->count && is_of_time(table); row++) {
        if (!is_spinning(table->rows[row].name))
            continue;
        struct kernel_lock lock = imported_kernel_lock_of(&table->rows[row], arena);
        if (lock.caller && is_futex(lock.caller))
            return lock.caller;
    }
    return NULL;
}

const char *imported_futex_spinner(const struct results *results, struct arena *arena)
{
    static const double MOST_OF = 50; /* percent of the waits for locks */
    const struct imported_row *row = imported_row_of(results->imported, IMPORTED_SYSTEM, SHARE_SPINNING_LOCKS, NULL);
    const char *spinner = row && row->number >= MOST_OF && is_futex(row->where) ? row->where : NULL;
    for (size_t at = 0; at < results->imported->count && !spinner; at++)
        spinner = chained_spinner(&results->imported->tables[at], arena);
    return spinner;
}

struct taking {
    double share, taken;       /* 0..1 of the samples: all of it, and what takes the lock in user space */
    const char *file, *caller; /* who took it, by a chain; NULL: none tells */
};

static struct taking taking_in(const struct imported_table *table, struct arena *arena)
{
    struct taking taking = {.file = table->file};
    for (size_t row = 0; row < table->count && is_of_time(table); row++) {
        const struct imported_row *here = &table->rows[row];
        bool takes = is_taking(here->name);
        if (!takes && !is_futex(here->name) && !is_spinning(here->name))
            continue;
        taking.share += here->number / 100;
        taking.taken += takes ? here->number / 100 : 0;
        taking.caller = taking.caller ? taking.caller : imported_called_by(here, arena);
    }
    return taking;
}

/* Twice as many threads did less together. */
static void scaling_say(const struct results *results, struct finding *finding)
{
    static const double NO_MORE = 50; /* percent: each does half as much */
    const char *file = NULL;
    const struct imported_row *row = imported_row_of(results->imported, IMPORTED_SYSTEM, SHARE_SCALING, &file);
    if (!row || row->number >= NO_MORE)
        return;
    struct value rates = VALUE_TEXT("rates", row->where);
    finding->imported_kinds |= 1u << ORIGIN_RUNS;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-scaling", rates, VALUE_TEXT("file", file),
                     VALUE_TEXT("origin", IMPORTED_WORDS));
    finding_set(finding, headline, "imported-scaling-headline", VALUE_TEXT("headline", finding->headline), rates);
}

bool imported_user_lock_test(const struct results *results, struct finding *finding)
{
    struct taking most = {.share = 0};
    const char *spinner = imported_futex_spinner(results, finding->arena);
    for (size_t at = 0; spinner && at < results->imported->count; at++) {
        struct taking here = taking_in(&results->imported->tables[at], finding->arena);
        most = here.share > most.share ? here : most;
    }
    if (most.taken < results->effect || most.share > 1)
        return false;
    finding_decide_fact(finding, interval_exactly(most.share), results->effect);
    finding->of = OF_CPU_TIME;
    finding->is_own_doing = finding->is_at_least = true;
    finding->imported_kinds |= 1u << ORIGIN_SAMPLES;
    struct value values[] = {VALUE_TEXT("title", finding->hypothesis->title),
                             VALUE_SHARE("share", interval_exactly(most.share)),
                             VALUE_SHARE("taken", interval_exactly(most.taken)),
                             VALUE_TEXT("spinner", spinner),
                             VALUE_TEXT("file", most.file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding_evidence_add(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-user-lock", values, array_count(values));
    finding_set_add(finding, &finding->headline, "imported-user-lock-headline", values, array_count(values));
    scaling_say(results, finding);
    finding_advise(finding, most.caller ? "advice-imported" : "advice-user-lock",
                   VALUE_TEXT("function", most.caller ? most.caller : ""));
    finding_set(finding, confirm, "confirm-global", NO_VALUES);
    return true;
}
