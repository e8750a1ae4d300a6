/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/imported/trial/effect.h"

#include "base/vec.h"
#include "finding/imported/evidence.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_of_one_side(const struct told_trial *trial)
{
    return trial->treatment == TREATMENT_PAGES && trial->on_host != trial->on_guest;
}

/* A part is no more than the whole gap, where that was told. */
static struct interval part_returned(const struct told *told, const struct told_return *returned)
{
    struct interval share = returned->share;
    if (returned->of_gap.known && told->gap.known)
        return interval_product(returned->of_gap, told->gap);
    if (!share.known || !told->gap.known || told->gap.high < share.low)
        return share;
    return interval_clamped(share, 0, told->gap.high);
}

const struct told_trial *trial_sized_by(const struct told *told, const struct told_trial *trial)
{
    if (trial->outcome != OUTCOME_GONE || told->gap.known)
        return NULL;
    for (size_t at = 0; at < told->trial_count; at++) {
        const struct told_trial *other = &told->trials[at];
        bool is_of_side = (other->on_host == trial->on_host && other->on_guest == trial->on_guest) ||
                          (!other->on_host && !other->on_guest);
        if (other->treatment == trial->treatment && other->outcome == OUTCOME_FASTER && is_of_side)
            return other;
    }
    return NULL;
}

struct interval trial_returned(const struct told *told, const struct told_trial *trial)
{
    switch (trial->outcome) {
    case OUTCOME_FASTER:
        return trial->number;
    case OUTCOME_GONE:
        return trial->is_of_spikes           ? (struct interval){0}
               : trial_sized_by(told, trial) ? trial_sized_by(told, trial)->number
                                             : told->gap;
    case OUTCOME_SHRANK:
        return part_returned(told, &trial->returned);
    default:
        return (struct interval){0};
    }
}

/* At most, of the sides that were tried by themselves; below 0: of one it isn't told. */
static double most_alone(const struct told *told)
{
    double most[2] = {0, 0};
    for (size_t at = 0; at < told->trial_count; at++) {
        const struct told_trial *one = &told->trials[at];
        struct interval alone = trial_returned(told, one);
        if (!is_of_one_side(one))
            continue;
        if (!alone.known && one->outcome != OUTCOME_STAYED)
            return -1;
        most[one->on_host] = fmax(most[one->on_host], alone.known ? alone.high : 0);
    }
    return most[false] + most[true];
}

/* Both sides together returned more than each of them by itself, and these added: that one alone bounds nothing. */
static bool is_outdone(const struct told *told, const struct told_trial *one)
{
    static const double MORE = 0.05;
    double alone = is_of_one_side(one) ? most_alone(told) : -1;
    bool found = false;
    for (size_t at = 0; at < told->trial_count && alone >= 0; at++) {
        const struct told_trial *both = &told->trials[at];
        struct interval all = trial_returned(told, both);
        found |= both->treatment == TREATMENT_PAGES && both->on_host && both->on_guest && all.known &&
                 all.low > alone + MORE;
    }
    return found;
}

const struct told_trial *trial_outdone(const struct told *told, bool is_host)
{
    const struct told_trial *found = NULL;
    for (size_t at = 0; at < told->trial_count && !found; at++)
        if (told->trials[at].on_host == is_host && is_outdone(told, &told->trials[at]))
            found = &told->trials[at];
    return found;
}

/* Pages were changed on one side alone: its own counts most, then both. Ticks and vectors have no sides. */
static int nearness(const struct told *told, const struct told_trial *trial, bool is_host)
{
    if (!is_of_one_side(trial))
        return 1;
    return trial->on_host == is_host && !is_outdone(told, trial) ? 2 : 0;
}

/* It returned something, and less than is asked about. */
static bool is_small(const struct told *told, const struct told_trial *trial, double effect)
{
    struct interval returned = trial_returned(told, trial);
    return trial->outcome != OUTCOME_GONE && returned.known && returned.high < effect;
}

enum effect_kind trial_effect_kind(const struct told *told, const struct told_trial *trial, double effect)
{
    if (trial->outcome == OUTCOME_STAYED || is_small(told, trial, effect))
        return EFFECT_NONE;
    return trial->outcome == OUTCOME_SHRANK ? EFFECT_PART : EFFECT_ALL;
}

bool imported_trial_helped(const struct told *told, const struct told_trial *trial, double effect)
{
    return trial_effect_kind(told, trial, effect) != EFFECT_NONE;
}

/* "Half of the gap is gone" and "61 GFLOP/s before, 70 after" of a gap to 80 say the same. */
static bool are_alike(const struct told *told, const struct told_trial *one, const struct told_trial *other,
                      double effect)
{
    const struct told_trial *part = one->outcome == OUTCOME_SHRANK ? one : other, *amount = part == one ? other : one;
    bool is_within = part->outcome == OUTCOME_SHRANK && amount->outcome == OUTCOME_FASTER && amount->number.known &&
                     told->gap.known && amount->number.high < told->gap.high;
    return trial_effect_kind(told, one, effect) == trial_effect_kind(told, other, effect) ||
           (is_within && trial_effect_kind(told, part, effect) != EFFECT_NONE &&
            trial_effect_kind(told, amount, effect) != EFFECT_NONE);
}

/* The same, with an amount that the other one lacks. */
static bool is_told_closer(const struct told *told, const struct told_trial *one, const struct told_trial *found,
                           bool is_host, double effect)
{
    return nearness(told, one, is_host) == nearness(told, found, is_host) && are_alike(told, one, found, effect) &&
           found->outcome == OUTCOME_SHRANK && !found->returned.share.known && one->outcome == OUTCOME_FASTER;
}

/* ret_contrary: another trial of the same that came out otherwise; NULL: none. */
const struct told_trial *trial_of_side(const struct told *told, enum treatment treatment, bool is_host, double effect,
                                       const struct told_trial **ret_contrary)
{
    const struct told_trial *found = NULL;
    *ret_contrary = NULL;
    for (size_t at = 0; at < told->trial_count; at++) {
        const struct told_trial *one = &told->trials[at];
        if (one->treatment == treatment && (!found || nearness(told, one, is_host) > nearness(told, found, is_host) ||
                                            is_told_closer(told, one, found, is_host, effect)))
            found = one;
    }
    for (size_t at = 0; found && at < told->trial_count; at++) {
        const struct told_trial *other = &told->trials[at];
        if (other->treatment == treatment && nearness(told, other, is_host) == nearness(told, found, is_host) &&
            !are_alike(told, other, found, effect))
            *ret_contrary = other;
    }
    return found;
}

bool trial_is_of_latency(const struct told *told, const struct told_trial *trial)
{
    bool by_gap = trial->outcome == OUTCOME_GONE || (trial->outcome == OUTCOME_SHRANK && !trial->returned.share.known);
    return trial->is_of_latency || (by_gap && told->gap_is_of_latency);
}

/* What another trial left of the gap stayed as large: none of that is this one's. */
static bool is_left_by_another(const struct told *told, const struct told_trial *trial)
{
    static const double ROUNDED = 0.005;
    for (size_t at = 0; at < told->trial_count; at++) {
        double left = told->trials[at].returned.left;
        if (&told->trials[at] != trial && left > 0 && fabs(trial->number.high - left) <= ROUNDED)
            return true;
    }
    return false;
}

bool trial_is_partial(const struct told *told, const struct told_trial *trial)
{
    static const double AS_LARGE = 0.8;
    bool less = trial->number.known && told->gap.known && trial->number.high < AS_LARGE * told->gap.high &&
                !is_left_by_another(told, trial);
    return (trial->outcome == OUTCOME_SHRANK && !trial_returned(told, trial).known) ||
           (trial->outcome == OUTCOME_STAYED && less);
}

bool trial_is_less_than_gap(const struct told *told, const struct told_trial *trial)
{
    static const double AS_LARGE = 0.8;
    return trial->outcome == OUTCOME_FASTER && trial->number.known && told->gap.known &&
           trial->number.high < AS_LARGE * told->gap.low;
}

/* ---- runs of one thing ---- */

/* As the sentence rounds it: 1.41 of 1.412. */
static bool is_rounded(double number, const char *said, const char *end)
{
    const char *point = memchr(said, '.', (size_t)(end - said));
    double step = pow(10, point ? (double)(point + 1 - end) : 0);
    return fabs(strtod(said, NULL) - number) <= step / 2 * 1.001;
}

/* A run that tells how far its like differ took that long. */
static bool is_of_spread_run(const struct imported *imported, double factor, const char *said, const char *end)
{
    for (size_t at = 0; at < imported->count; at++)
        for (size_t row = 0; row < imported->tables[at].count && imported->tables[at].kind == IMPORTED_RUNS; row++) {
            const struct imported_row *run = &imported->tables[at].rows[row];
            if (run->seconds > 0 && is_rounded(run->number / factor, said, end))
                return true;
        }
    return false;
}

/* The sentence has times, and none of them is of a run that tells its spread: it speaks of other runs. */
static bool is_of_other_runs(const struct imported *imported, const char *sentence)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1}, {"seconds", 1}, {"sec", 1}, {"ms", 1e-3}};
    bool has_times = false;
    for (const char *at = sentence, *end; *at; at = end) {
        end = at + strspn(at, "0123456789.");
        bool is_number = end > at && (at == sentence || !isalnum((unsigned char)at[-1]));
        const char *unit = end + (*end == ' ');
        size_t length = strspn(unit, "abcdefghijklmnopqrstuvwxyz");
        for (size_t one = 0; one < array_count(units) && is_number; one++) {
            if (strlen(units[one].unit) != length || strncmp(unit, units[one].unit, length) != 0)
                continue;
            has_times = true;
            if (is_of_spread_run(imported, units[one].seconds, at, end))
                return false;
        }
        end += end == at;
    }
    return has_times;
}

bool trial_is_within_spread(const struct results *results, const struct told_trial *trial)
{
    struct interval returned = trial_returned(results->told, trial);
    struct measured spread = imported_spread_of(results->imported);
    if (spread.known && is_of_other_runs(results->imported, trial->sentence))
        return false;
    return trial->outcome != OUTCOME_STAYED && returned.known && spread.known && returned.high <= spread.value;
}
