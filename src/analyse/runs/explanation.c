/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/runs/explanation.h"

#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double rate_most = 0.05;

/* Of the difference: below it the rest is what two clocks leave. */
static const double REST_LEAST = 0.05;

void run_profiles_init(struct run_profiles *profiles)
{
    profile_difference_init(&profiles->functions);
    profile_difference_init(&profiles->instructions);
    profile_difference_init(&profiles->widths);
}

void run_profiles_done(struct run_profiles *profiles)
{
    profile_difference_done(&profiles->functions);
    profile_difference_done(&profiles->instructions);
    profile_difference_done(&profiles->widths);
}

/* The test is one of differences, the interval one of ratios: what both say is said. */
static bool is_apart(const struct quantity_effect *effect)
{
    const struct interval *ratio = &effect->ratio, *difference = &effect->difference;
    if (ratio->known)
        return ratio->low > 1 || ratio->high < 1;
    return !difference->known || difference->low > 0 || difference->high < 0;
}

bool effect_differs(const struct quantity_effect *effect)
{
    return !effect->why_not && effect->q <= rate_most && is_apart(effect);
}

bool effect_may_differ(const struct quantity_effect *effect)
{
    static const double level = 0.05;
    return !effect->why_not && !effect_differs(effect) && effect->p <= level && is_apart(effect);
}

static struct interval ordered(double a, double mid, double b)
{
    double low = fmin(a, b), high = fmax(a, b);
    return interval_of(fmin(low, mid), mid, fmax(high, mid));
}

/* part / whole for a whole that may be negative. */
static struct interval share_of(const struct interval *part, double whole)
{
    return ordered(part->low / whole, part->mid / whole, part->high / whole);
}

static const struct quantity_effect *effect_named(const struct comparison *comparison, const char *name)
{
    for (size_t at = 0; at < comparison->effect_count; at++)
        if (strcmp(comparison->effects[at].quantity->name, name) == 0)
            return &comparison->effects[at];
    return strcmp(comparison->decisive.quantity->name, name) == 0 ? &comparison->decisive : NULL;
}

static void item_add(struct explanation *explanation, struct explanation_item item)
{
    if (item.share.known && isfinite(item.share.mid))
        explanation->items[explanation->count++] = item;
}

static void add_effect(struct explanation *explanation, const struct quantity_effect *effect,
                       enum explanation_view view, struct interval share)
{
    item_add(explanation, (struct explanation_item){.view = view,
                                                    .what = effect->quantity->label,
                                                    .where = "",
                                                    .unit = effect->quantity->unit,
                                                    .a = effect->a,
                                                    .b = effect->b,
                                                    .share = share,
                                                    .q = effect->q});
}

static bool add_time(struct explanation *explanation, const struct comparison *comparison, const char *name)
{
    const struct quantity_effect *effect = effect_named(comparison, name);
    if (!effect || effect == &comparison->decisive || !effect_differs(effect) || !effect->difference.known)
        return false;
    add_effect(explanation, effect, EXPLANATION_TIME,
               share_of(&effect->difference, comparison->decisive.difference.mid));
    return true;
}

/*
 * Of short runs the kernel's ticks say badly what was the user's and what the system's: CPU time as a whole is exact,
 * and then it stands for both.
 */
static bool is_split_well(const struct comparison *comparison)
{
    static const double seconds_least = 0.05;
    const struct quantity_effect *cpu = effect_named(comparison, "cpu");
    return !cpu || !cpu->a.known || !cpu->b.known || fmax(cpu->a.mid, cpu->b.mid) >= seconds_least;
}

/*
 * What of the wall time is no CPU time: it waited, or was ready and others ran. Threads side by side have more CPU time
 * than that is long, so it is the least of it.
 */
static bool add_rest(struct explanation *explanation, const struct comparison *comparison)
{
    const struct quantity_effect *cpu = effect_named(comparison, "cpu"), *wall = &comparison->decisive;
    if (!cpu || cpu->why_not || !cpu->difference.known || !cpu->a.known || !cpu->b.known)
        return false;
    double whole = wall->difference.mid;
    struct interval rest =
        ordered(1 - cpu->difference.high / whole, 1 - cpu->difference.mid / whole, 1 - cpu->difference.low / whole);
    struct interval a = interval_exactly(wall->a.mid - cpu->a.mid), b = interval_exactly(wall->b.mid - cpu->b.mid);
    if (rest.low < REST_LEAST || a.mid < 0 || b.mid < 0)
        return false;
    item_add(explanation, (struct explanation_item){.view = EXPLANATION_TIME,
                                                    .what = EXPLANATION_REST,
                                                    .where = "",
                                                    .unit = RUN_SECONDS,
                                                    .a = a,
                                                    .b = b,
                                                    .share = rest,
                                                    .q = wall->q});
    return true;
}

/* Kinds of time, each a part of the whole that no other one holds. */
static void add_times(struct explanation *explanation, const struct comparison *comparison)
{
    bool is_wall = strcmp(comparison->decisive.quantity->name, "wall") == 0, any = false;
    if (!is_wall || is_split_well(comparison)) {
        any |= add_time(explanation, comparison, "user");
        any |= add_time(explanation, comparison, "system");
    }
    if (is_wall && !any)
        add_time(explanation, comparison, "cpu");
    if (is_wall && !add_rest(explanation, comparison))
        add_time(explanation, comparison, "run-delay");
}

/* Factors of the time, by their logarithms: those of all three add up to the time's. */
static void add_rates(struct explanation *explanation, const struct comparison *comparison)
{
    static const struct {
        const char *name, *instead;
        double sign;
    } factors[] = {
        {"instructions", NULL, 1}, {"ipc", NULL, -1}, {"clock-running", NULL, -1}, {"clock", "clock-running", -1}};
    double whole = log(comparison->decisive.ratio.mid);
    for (size_t at = 0; at < array_count(factors); at++) {
        const struct quantity_effect *effect = effect_named(comparison, factors[at].name);
        const struct quantity_effect *instead =
            factors[at].instead ? effect_named(comparison, factors[at].instead) : NULL;
        if (!effect || effect == &comparison->decisive || !effect_differs(effect) || !effect->ratio.known ||
            (instead && !instead->why_not))
            continue;
        double sign = factors[at].sign / whole;
        struct interval share =
            ordered(sign * log(effect->ratio.low), sign * log(effect->ratio.mid), sign * log(effect->ratio.high));
        add_effect(explanation, effect, EXPLANATION_RATE, share);
    }
}

/*
 * Profiles are of CPU time and of other runs: shares of their own difference, times what CPU time has of the one that
 * decides. Threads may have more CPU time than the whole lasts.
 */
static double cpu_part(const struct comparison *comparison)
{
    const struct quantity_effect *cpu = effect_named(comparison, "cpu");
    if (strcmp(comparison->decisive.quantity->name, "wall") != 0)
        return 1;
    if (!cpu || !effect_differs(cpu) || !cpu->difference.known)
        return 0;
    double part = cpu->difference.mid / comparison->decisive.difference.mid;
    return part > 1 ? 1 : part > 0 ? part : 0;
}

static void add_rows(struct explanation *explanation, const struct profile_difference *profile, double whole_s,
                     double part, enum explanation_view view)
{
    for (size_t at = 0; at < profile->row_count; at++) {
        const struct profile_row *row = &profile->rows[at];
        if (!row->is_test || row->q > rate_most || !row->difference_s.known)
            continue;
        struct interval share = share_of(&row->difference_s, whole_s);
        share = ordered(share.low * part, share.mid * part, share.high * part);
        item_add(explanation, (struct explanation_item){.view = view,
                                                        .what = row->function,
                                                        .where = row->dso,
                                                        .unit = RUN_SECONDS,
                                                        .a = row->a_s,
                                                        .b = row->b_s,
                                                        .share = share,
                                                        .q = row->q});
    }
}

static int compare_items(const void *a, const void *b)
{
    double left = fabs(((const struct explanation_item *)a)->share.mid);
    double right = fabs(((const struct explanation_item *)b)->share.mid);
    return (left < right) - (left > right);
}

static bool is_time(const struct comparison *comparison)
{
    const char *name = comparison->decisive.quantity->name;
    return strcmp(name, "wall") == 0 || strcmp(name, "cpu") == 0 || strcmp(name, "user") == 0;
}

void explanation_make(struct explanation *explanation, const struct comparison *comparison,
                      const struct run_profiles *profiles, struct arena *arena)
{
    size_t most = comparison->effect_count;
    *explanation = (struct explanation){0};
    if (profiles)
        most += profiles->functions.row_count + profiles->instructions.row_count + profiles->widths.row_count;
    explanation->items = arena_array(arena, struct explanation_item, most + 2);
    bool decided = comparison->verdict == COMPARISON_FASTER || comparison->verdict == COMPARISON_SLOWER;
    if (!decided || !is_time(comparison) || !comparison->decisive.difference.known || !comparison->decisive.ratio.known)
        return;
    add_times(explanation, comparison);
    add_rates(explanation, comparison);
    double whole_s = profiles ? profiles->functions.mean_difference_s : 0;
    /* else the sampled runs show another difference */
    bool same_sign = whole_s * comparison->decisive.difference.mid > 0;
    explanation->functions_known = same_sign;
    if (same_sign) {
        double part = cpu_part(comparison);
        add_rows(explanation, &profiles->functions, whole_s, part, EXPLANATION_FUNCTION);
        add_rows(explanation, &profiles->instructions, whole_s, part, EXPLANATION_INSTRUCTION);
        add_rows(explanation, &profiles->widths, whole_s, part, EXPLANATION_WIDTH);
    }
    qsort(explanation->items, explanation->count, sizeof(*explanation->items), compare_items);
}

bool explanation_has(const struct explanation *explanation, const struct quantity_effect *effect)
{
    for (size_t at = 0; at < explanation->count; at++)
        if (strcmp(explanation->items[at].what, effect->quantity->label) == 0)
            return true;
    return false;
}
