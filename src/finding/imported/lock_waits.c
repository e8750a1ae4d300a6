/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Can the kernel's locks cost what is asked about, by how long all threads waited for them in a known time?
 *
 * No thread lost more than all of them together. Locks of user space aren't among these: threads wait for them in a
 * system call, and no lock of the kernel is held meanwhile. Does not support: long waits (of many threads at once they
 * bound nothing).
 */
#include "base/share_names.h"
#include "base/vec.h"
#include "finding/imported/evidence.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {SHARE_SPINNING_LOCKS, SHARE_SLEEPING_LOCKS, SHARE_ONE_LOCK, SHARE_ONE_TASK};

/* "sleep 10", "sleep 2m" of a command; 0: it has none. */
static double slept_s(const char *command)
{
    static const char word[] = "sleep ";
    const char *sleeps = strstr(command, word);
    if (!sleeps || !isdigit((unsigned char)sleeps[sizeof(word) - 1])) /* "infinity" */
        return 0;
    char *end;
    double seconds = strtod(sleeps + sizeof(word) - 1, &end);
    return *end == 'm' ? 60 * seconds : *end == 'h' ? 3600 * seconds : seconds;
}

/* "Waits for locks of the kernel in 10 s", "… over 10 seconds"; 0: it doesn't say. */
static double said_s(const char *heading)
{
    static const char *const before[] = {" in ", " over ", " for "}, *const units[] = {"s", "sec", "seconds"};
    for (size_t word = 0; word < array_count(before); word++) {
        const char *at = strstr(heading, before[word]);
        if (!at || !isdigit((unsigned char)at[strlen(before[word])]))
            continue;
        char *end;
        double seconds = strtod(at + strlen(before[word]), &end);
        end += *end == ' ';
        size_t length = strspn(end, "abcdefghijklmnopqrstuvwxyz");
        for (size_t unit = 0; unit < array_count(units); unit++)
            if (strlen(units[unit]) == length && strncmp(end, units[unit], length) == 0)
                return seconds;
    }
    return 0;
}

/* It printed the longest alone: how long the others took isn't told. */
static bool is_cut_short(const char *command)
{
    static const char *const words[] = {" -E", "--entries", "| head"};
    bool is_cut = false;
    for (size_t at = 0; at < array_count(words); at++)
        is_cut |= strstr(command, words[at]) != NULL;
    return is_cut;
}

/* How long it watched; 0: it doesn't say. */
static double watched_s(const struct imported_table *table)
{
    double slept = slept_s(table->heading);
    return is_cut_short(table->heading) ? 0
           : table->elapsed_s > 0       ? table->elapsed_s
           : slept > 0                  ? slept
                                        : said_s(table->heading);
}

/* All kinds added up; not measured: it has none of them, or a kind's time isn't told. */
static struct measured waited_s(const struct imported_table *table)
{
    struct measured sum = not_measured("no waits for locks were imported");
    for (size_t row = 0; row < table->count && table->kind == IMPORTED_SYSTEM; row++)
        for (size_t kind = 0; kind < array_count(kinds); kind++) {
            const struct imported_row *here = &table->rows[row];
            if (strcmp(here->name, kinds[kind]) != 0)
                continue;
            if (here->number > 0 && !(here->seconds > 0))
                return not_measured("how long they waited isn't told");
            sum = measured_as((sum.known ? sum.value : 0) + here->seconds);
        }
    return sum;
}

bool imported_lock_waits_test(const struct results *results, struct finding *finding)
{
    const struct imported_table *most = NULL;
    struct measured share = not_measured("");
    for (size_t at = 0; at < results->imported->count; at++) {
        const struct imported_table *table = &results->imported->tables[at];
        struct measured waited = waited_s(table);
        double watched = watched_s(table);
        if (!waited.known || !(watched > 0) || (share.known && waited.value / watched <= share.value))
            continue;
        share = measured_as(waited.value / watched);
        most = table;
    }
    if (!most || share.value >= results->effect)
        return false;
    finding_decide_bound(finding, share.value, results->effect);
    finding->of = OF_ELAPSED;
    finding->imported_kinds |= 1u << ORIGIN_SCHEDULER;
    imported_say(finding,
                 arena_printf(finding->arena,
                              "what all threads waited for locks of the kernel, %.3g s in %.4g s together,",
                              share.value * watched_s(most), watched_s(most)),
                 interval_exactly(share.value), most->file);
    return true;
}
