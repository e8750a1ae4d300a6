/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is a program kept on CPUs that it fills, while others stand idle? By the masks of its tasks (taskset, status), how
 * many CPUs are in use, and how idle all of them together are.
 *
 * A mask alone is no cause: one thread needs no second CPU. How it scales, once it is free, no mask tells.
 */
#include "base/place_names.h"
#include "base/share_names.h"
#include "base/vec.h"
#include "finding/imported/evidence.h"
#include "system/sysroot.h"

#include <stdlib.h>
#include <string.h>

enum { MASK_CPUS_MOST = 8192, TASKS_MOST = 512 };

/* Of all tasks together. */
struct masks {
    bool has_cpu[MASK_CPUS_MOST];
    size_t cpus, tasks;
    const char *names[TASKS_MOST], *lists[TASKS_MOST]; /* of tasks that are known apart */
    const char *file, *list;                           /* list: of the first one */
    bool differ;                                       /* one task had several: it was changed */
};

static void cpus_take(struct masks *masks, const char *list)
{
    int *cpus = NULL;
    size_t count = 0;
    if (cpu_list_parse(view_of(list), &cpus, &count))
        for (size_t at = 0; at < count; at++) {
            bool is_new = cpus[at] >= 0 && cpus[at] < MASK_CPUS_MOST && !masks->has_cpu[cpus[at]];
            masks->cpus += is_new;
            if (is_new)
                masks->has_cpu[cpus[at]] = true;
        }
    free(cpus);
}

static void task_take(struct masks *masks, const struct imported_row *row, const char *file)
{
    masks->file = masks->file ? masks->file : file;
    masks->list = masks->list ? masks->list : row->where;
    masks->differ |= strcmp(masks->list, row->where) != 0;
    cpus_take(masks, row->where);
    for (size_t at = 0; at < masks->tasks; at++)
        if (strcmp(masks->names[at], row->name) == 0) {
            masks->differ |= strcmp(masks->lists[at], row->where) != 0;
            return;
        }
    if (masks->tasks < TASKS_MOST) {
        masks->names[masks->tasks] = row->name;
        masks->lists[masks->tasks++] = row->where;
    }
}

static void masks_of(const struct imported *imported, struct masks *ret)
{
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0; row < imported->tables[at].count && imported->tables[at].kind == IMPORTED_PLACES; row++)
            if (strncmp(imported->tables[at].rows[row].name, PLACE_BOUND, strlen(PLACE_BOUND)) == 0)
                task_take(ret, &imported->tables[at].rows[row], imported->tables[at].file);
}

/* What more CPUs return at most: as many as there are, where that is told. */
static struct interval gain_of(const struct results *results, const struct masks *masks)
{
    struct measured all = imported_number(results->imported, IMPORTED_PLACES, PLACE_CPUS_ALL, NULL);
    double most = all.known && all.value > (double)masks->cpus ? 1 - (double)masks->cpus / all.value : 0;
    return most > 0 ? interval_of(0, most / 2, most) : (struct interval){0};
}

static void say(struct finding *finding, const struct masks *masks, double used, double idle)
{
    bool is_supported = finding->verdict == VERDICT_SUPPORTED;
    struct value values[] = {
        VALUE_TEXT("title", finding->hypothesis->title),
        VALUE_TEXT("tasks", arena_printf(finding->arena, "%zu", masks->tasks)),
        VALUE_TEXT("cpus", arena_printf(finding->arena, "CPU%s %s", masks->cpus > 1 ? "s" : "", masks->list)),
        VALUE_TEXT("used", arena_printf(finding->arena, "%.3g", used)),
        VALUE_SHARE("idle", interval_exactly(idle)),
        VALUE_TEXT("file", masks->file),
        VALUE_TEXT("origin", IMPORTED_WORDS)};
    const char *key = is_supported ? "imported-mask" : "imported-mask-open";
    finding_evidence_add(finding, is_supported ? WEIGHT_FOR : WEIGHT_CONTEXT, ORIGIN_STATEMENT, key, values,
                         array_count(values));
    if (is_supported)
        finding_set_add(finding, &finding->headline, "imported-mask-headline", values, array_count(values));
    else
        finding_set_add(finding, &finding->reason, key, values, array_count(values));
    finding_advise(finding, "imported-advice-mask", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

bool imported_affinity_test(const struct results *results, struct finding *finding)
{
    static const double FULL_LEAST = 0.9, FULL_MOST = 1.05;
    struct masks masks = {.cpus = 0};
    struct measured used = imported_cpus_used(results->imported),
                    idle = imported_number(results->imported, IMPORTED_SYSTEM, SHARE_IDLE_OF_ALL, NULL);
    masks_of(results->imported, &masks);
    double cpus = (double)masks.cpus;
    bool is_full = used.known && used.value >= FULL_LEAST * cpus && used.value <= FULL_MOST * cpus;
    if (!masks.cpus || masks.differ || !is_full || !idle.known || idle.value / 100 < results->effect)
        return false;
    bool are_more = masks.tasks > masks.cpus && imported_takes_turns(results);
    if (!are_more && !imported_may_have_threads(results))
        return false;
    finding->verdict = are_more ? VERDICT_SUPPORTED : VERDICT_UNDECIDED;
    finding->recoverable = gain_of(results, &masks);
    finding->gain_unmeasured = true;
    finding->of = OF_ELAPSED;
    finding->is_estimate = false;
    finding->is_own_doing = are_more;
    finding->pointed = are_more ? 0 : idle.value / 100;
    finding->imported_kinds |= 1u << ORIGIN_MACHINE | 1u << ORIGIN_SCHEDULER;
    say(finding, &masks, used.value, idle.value / 100);
    return true;
}
