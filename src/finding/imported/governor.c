/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the kernel's governor of clocks, and how hot a core was, say of a clock that is low: a governor that asks for
 * the lowest one needs no limit of heat or power beside it, and a cool core is held down by none of heat.
 */
#include "base/vec.h"
#include "finding/imported/evidence.h"

#include <math.h>
#include <string.h>

struct governor {
    const char *name, *driver, *file; /* name NULL: none was imported, or several that differ */
    double least_mhz, most_mhz;       /* 0: not told */
};

static void row_take(struct governor *governor, const struct imported_row *row)
{
    if (strcmp(row->name, "governor") == 0)
        governor->name = row->where;
    else if (strcmp(row->name, "driver") == 0)
        governor->driver = row->where;
    else if (strcmp(row->name, "lowest MHz") == 0)
        governor->least_mhz = row->number;
    else if (strcmp(row->name, "highest MHz") == 0)
        governor->most_mhz = row->number;
}

static struct governor governor_of(const struct imported *imported)
{
    struct governor found = {.driver = ""};
    for (size_t at = 0; at < imported->count; at++) {
        struct governor own = {.driver = "", .file = imported->tables[at].file};
        for (size_t row = 0; row < imported->tables[at].count && imported->tables[at].kind == IMPORTED_GOVERNOR; row++)
            row_take(&own, &imported->tables[at].rows[row]);
        if (own.name && found.name && strcmp(own.name, found.name) != 0)
            return (struct governor){.driver = ""};
        found = own.name ? own : found;
    }
    return found;
}

/* By drivers that leave it to the kernel; under these powersave means another thing, and rises with the load. */
static bool asks_for_lowest(const struct governor *governor)
{
    static const char *const own_minds[] = {"intel_pstate", "amd-pstate-epp", "amd_pstate_epp"};
    if (!governor->name || strcmp(governor->name, "powersave") != 0 || !governor->driver[0])
        return false;
    for (size_t at = 0; at < array_count(own_minds); at++)
        if (strcmp(governor->driver, own_minds[at]) == 0)
            return false;
    return true;
}

/* The least and the most of a column of turbostat's, over all tables; not measured: none has it. */
static struct measured column_of(const struct imported *imported, const char *column, bool is_most)
{
    struct measured found = not_measured("turbostat's table wasn't imported");
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0; row < imported->tables[at].count && imported->tables[at].kind == IMPORTED_TURBOSTAT;
             row++) {
            const struct imported_row *here = &imported->tables[at].rows[row];
            if (strcmp(here->name, column) != 0)
                continue;
            bool is_further = !found.known || (is_most ? here->number > found.value : here->number < found.value);
            found = is_further ? measured_as(here->number) : found;
        }
    return found;
}

/* It ran at the lowest clock that there is, all the time. */
static bool is_at_lowest(const struct imported *imported, const struct governor *governor)
{
    static const double AS_LOW = 1.02;
    struct measured busy = column_of(imported, "Bzy_MHz", true);
    return governor->least_mhz > 0 && busy.known && busy.value <= AS_LOW * governor->least_mhz;
}

static const char *megahertz_words(double mhz, struct arena *arena)
{
    return mhz > 0 ? arena_printf(arena, "%.4g MHz", mhz) : "the lowest clock there is";
}

static void say(struct finding *finding, const struct governor *governor, const char **member, const char *key)
{
    struct value values[] = {
        VALUE_TEXT("governor", governor->name),
        VALUE_TEXT("driver", governor->driver),
        VALUE_TEXT("least", megahertz_words(governor->least_mhz, finding->arena)),
        VALUE_TEXT("most", governor->most_mhz > 0
                               ? arena_printf(finding->arena, ", where %.4g MHz are the most", governor->most_mhz)
                               : ""),
        VALUE_TEXT("file", governor->file),
        VALUE_TEXT("origin", IMPORTED_WORDS)};
    if (member)
        finding_set_add(finding, member, key, values, array_count(values));
    else
        finding_evidence_add(finding, finding->verdict == VERDICT_SUPPORTED ? WEIGHT_FOR : WEIGHT_CONTEXT,
                             ORIGIN_STATEMENT, key, values, array_count(values));
}

/* Whatever clock was measured goes with a governor that asks for the lowest one; its highest bounds what that took. */
static void frequency_beside(const struct results *results, struct finding *finding, const struct governor *governor)
{
    struct measured busy = column_of(results->imported, "Bzy_MHz", false);
    if (finding->verdict != VERDICT_SUPPORTED)
        return;
    if (!finding->recoverable.known && busy.known && governor->most_mhz > busy.value) {
        double most = 1 - busy.value / governor->most_mhz;
        finding->recoverable = interval_of(0, most / 2, most);
        finding->gain_unmeasured = true;
    }
    say(finding, governor, NULL, "imported-governor");
    finding->imported_kinds |= 1u << ORIGIN_MACHINE;
    finding_readvise(finding, "imported-advice-governor", VALUE_TEXT("governor", governor->name),
                     VALUE_TEXT("driver", governor->driver));
}

bool imported_governor_test(const struct results *results, struct finding *finding)
{
    struct governor governor = governor_of(results->imported);
    if (!asks_for_lowest(&governor))
        return false;
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding->is_estimate = false;
    say(finding, &governor, NULL, "imported-governor");
    say(finding, &governor, &finding->reason, "imported-governor-open");
    finding_advise(finding, "imported-advice-governor", VALUE_TEXT("governor", governor.name),
                   VALUE_TEXT("driver", governor.driver));
    return true;
}

/* Nothing of it is left for heat or a power limit to take, as long as the governor asks for no more. */
static bool held_by_governor(const struct results *results, struct finding *finding, const struct governor *governor)
{
    if (finding->verdict != VERDICT_UNDECIDED || !asks_for_lowest(governor) ||
        !is_at_lowest(results->imported, governor))
        return false;
    finding->verdict = VERDICT_RULED_OUT;
    finding->recoverable = interval_exactly(0);
    finding->evidence_count = 0;
    finding->imported_kinds = 1u << ORIGIN_MACHINE | 1u << ORIGIN_COUNTERS;
    say(finding, governor, NULL, "imported-held");
    say(finding, governor, &finding->reason, "imported-held");
    return true;
}

/* Far from where processors lower their clock for heat, which is at 90 degrees and above. */
static void cool_beside(const struct results *results, struct finding *finding)
{
    static const double COOL_MOST = 70;
    struct measured core = column_of(results->imported, "CoreTmp", true),
                    package = column_of(results->imported, "PkgTmp", true);
    double degrees = fmax(core.known ? core.value : 0, package.known ? package.value : 0);
    if (finding->verdict != VERDICT_UNDECIDED || !(degrees > 0) || degrees >= COOL_MOST)
        return;
    struct value values[] = {VALUE_TEXT("degrees", arena_printf(finding->arena, "%.3g", degrees)),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding->pointed = 0;
    finding_evidence_add(finding, WEIGHT_AGAINST, ORIGIN_STATEMENT, "imported-cool", values, array_count(values));
    finding_set_add(finding, &finding->reason, "imported-cool", values, array_count(values));
}

void imported_governor_beside(const struct results *results, struct finding *finding)
{
    struct governor governor = governor_of(results->imported);
    if (finding_is(finding, "frequency") && asks_for_lowest(&governor))
        frequency_beside(results, finding, &governor);
    if (finding_is(finding, "thermal-power") && !held_by_governor(results, finding, &governor))
        cool_beside(results, finding);
}
