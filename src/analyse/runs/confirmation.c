/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/runs/confirmation.h"

#include <math.h>

static const double pairs_worth_naming = 100000;

const char *confirmation_verdict_name(enum confirmation_verdict verdict)
{
    static const char *const names[] = {
        [CONFIRMATION_CONFIRMED] = "confirmed",
        [CONFIRMATION_MORE] = "more_than_predicted",
        [CONFIRMATION_OVERTURNED] = "overturned",
        [CONFIRMATION_INCONCLUSIVE] = "inconclusive",
    };
    return names[verdict];
}

static bool holds(const struct interval *interval, double value)
{
    return interval->low <= value && value <= interval->high;
}

static void conclude(struct confirmation *confirmation, enum confirmation_verdict verdict)
{
    confirmation->verdict = verdict;
    confirmation->reason = CONFIRMATION_BY_INTERVALS;
}

/* Intervals narrow with the root of the number of pairs: how many until this half-width fits into that distance. */
static void leave_open(struct confirmation *confirmation, enum confirmation_reason reason, double distance)
{
    double half = (confirmation->realised.high - confirmation->realised.low) / 2;
    double needed = distance > 0 ? ceil((double)confirmation->pair_count * (half / distance) * (half / distance)) : 0;
    confirmation->verdict = CONFIRMATION_INCONCLUSIVE;
    confirmation->reason = reason;
    confirmation->pairs_needed = needed > (double)confirmation->pair_count && needed < pairs_worth_naming ? needed : 0;
}

/* A distance that A hasn't from itself. */
static bool is_beyond_noise(const struct confirmation *confirmation, double distance)
{
    return distance > (confirmation->noise_ratio.known ? confirmation->noise_ratio.value : 0);
}

/* A gain that is surely there. */
static bool is_real(const struct confirmation *confirmation)
{
    return confirmation->realised.low > 0 && is_beyond_noise(confirmation, confirmation->realised.mid);
}

static bool is_surely_more(const struct confirmation *confirmation, double than)
{
    return confirmation->realised.low > than && is_beyond_noise(confirmation, confirmation->realised.mid - than);
}

static bool is_surely_less(const struct confirmation *confirmation, double than)
{
    return confirmation->realised.high < than && is_beyond_noise(confirmation, than - confirmation->realised.mid);
}

/* Known well enough to say "as foretold": to half of what was foretold, or to what counts as a difference. */
static double half_width_most(const struct interval *gain, double effect)
{
    return fmax(fmax(gain->mid / 2, (gain->high - gain->low) / 2), effect);
}

/* B is no different: less than a confirming gain. Certain only if the change was seen to take hold. */
static void overturn(struct confirmation *confirmation, bool took_hold)
{
    if (took_hold)
        conclude(confirmation, CONFIRMATION_OVERTURNED);
    else
        leave_open(confirmation, CONFIRMATION_NOT_MADE, 0);
}

static void judge_gain(struct confirmation *confirmation, const struct foretold *told, bool took_hold)
{
    const struct interval *realised = &confirmation->realised;
    const struct interval *foretold = confirmation->extent.known ? &confirmation->expected : &told->gain;
    double most = told->gain.high, half_most = half_width_most(foretold, told->effect);
    bool is_near =
        (foretold->low <= realised->mid && realised->mid <= most) || holds(realised, foretold->mid);
    if (is_surely_more(confirmation, most))
        conclude(confirmation, CONFIRMATION_MORE);
    else if (is_surely_less(confirmation, foretold->low))
        overturn(confirmation, took_hold);
    else if (realised->low > most || realised->high < foretold->low)
        leave_open(confirmation, CONFIRMATION_NOISE, 0);
    else if (!is_real(confirmation))
        leave_open(confirmation, realised->low > 0 ? CONFIRMATION_NOISE : CONFIRMATION_WIDE,
                   realised->mid < foretold->low ? foretold->low - realised->mid
                                                 : fmin(realised->mid, half_most));
    else if (is_near && (realised->high - realised->low) / 2 <= half_most)
        conclude(confirmation, CONFIRMATION_CONFIRMED);
    else if (is_near)
        leave_open(confirmation, CONFIRMATION_WIDE, half_most);
    else
        leave_open(confirmation, CONFIRMATION_WIDE, fmax(foretold->low - realised->mid, realised->mid - most));
}

static void judge_bound(struct confirmation *confirmation, const struct foretold *foretold)
{
    const struct interval *realised = &confirmation->realised;
    if (is_surely_more(confirmation, foretold->gain.high))
        conclude(confirmation, CONFIRMATION_MORE);
    else if (is_real(confirmation))
        conclude(confirmation, CONFIRMATION_CONFIRMED);
    else if (realised->high < foretold->effect)
        leave_open(confirmation, CONFIRMATION_NO_LEAST, 0);
    else
        leave_open(confirmation, realised->low > 0 ? CONFIRMATION_NOISE : CONFIRMATION_WIDE,
                   fmax(realised->mid, foretold->effect - realised->mid));
}

static void judge_none(struct confirmation *confirmation, const struct foretold *foretold, bool took_hold)
{
    const struct interval *realised = &confirmation->realised;
    double most = fmax(foretold->gain.high, foretold->effect);
    /* all of it may return what this much of it did, as many times as it is more */
    double confirming = confirmation->extent.known ? most * confirmation->extent.low : most;
    if (is_surely_more(confirmation, most))
        conclude(confirmation, CONFIRMATION_OVERTURNED);
    else if (realised->high <= confirming && took_hold)
        conclude(confirmation, CONFIRMATION_CONFIRMED);
    else
        leave_open(confirmation,
                   realised->high <= confirming ? CONFIRMATION_NOT_MADE
                   : realised->low > most       ? CONFIRMATION_NOISE
                                                : CONFIRMATION_WIDE,
                   realised->low > most ? 0 : fabs(realised->mid - confirming));
}

/* What took hold but for a little counts as whole: it would widen what was foretold and tell nothing. */
static void extent_note(struct confirmation *confirmation, const struct foretold *foretold,
                        const struct interval *extent)
{
    static const double WHOLE = 0.95;
    if (!extent->known || extent->mid >= WHOLE)
        return;
    confirmation->extent = interval_clamped(*extent, 0, 1);
    confirmation->expected = interval_product(foretold->gain, confirmation->extent);
}

void confirmation_judge(struct confirmation *ret_confirmation, const struct foretold *foretold,
                        const struct comparison *comparison, const struct change_seen *seen)
{
    const struct interval *floor = &comparison->noise_floor;
    struct confirmation confirmation = {.verdict = CONFIRMATION_INCONCLUSIVE,
                                        .realised = interval_complement(comparison->ratio),
                                        .noise_ratio =
                                            not_measured("the first command did not run twice in each block"),
                                        .pair_count = comparison->decisive.pair_count};
    confirmation.realised.known = comparison->ratio.known;
    if (floor->known)
        confirmation.noise_ratio = measured_as(fmax(fabs(floor->low - 1), fabs(floor->high - 1)));
    extent_note(&confirmation, foretold, &seen->extent);
    const double least = confirmation.extent.known ? confirmation.expected.low : foretold->gain.low;
    if (!comparison->ratio.known)
        confirmation.reason = CONFIRMATION_NO_RATIO;
    else if (comparison->too_few_pairs)
        confirmation.reason = CONFIRMATION_FEW;
    else if (comparison->lost_in_noise && foretold->kind != FORETOLD_NONE &&
             confirmation.realised.high >= least)
        leave_open(&confirmation, CONFIRMATION_NOISE, 0);
    else if (foretold->kind == FORETOLD_GAIN)
        judge_gain(&confirmation, foretold, seen->took_hold);
    else if (foretold->kind == FORETOLD_BOUND)
        judge_bound(&confirmation, foretold);
    else
        judge_none(&confirmation, foretold, seen->took_hold);
    *ret_confirmation = confirmation;
}

void confirmation_judge_slowdown(struct confirmation *ret_confirmation, const struct interval *share,
                                 const struct interval *stream, double effect, const struct comparison *comparison)
{
    static const double SHARED_LEAST = 0.5;
    struct comparison mirrored = *comparison;
    struct foretold foretold = {.kind = FORETOLD_GAIN, .effect = effect};
    double high = share->high * (stream->high - 1), mid = share->mid * (stream->mid - 1);
    foretold.gain = interval_of(SHARED_LEAST * share->low * (stream->low - 1), mid < high ? mid : high, high);
    mirrored.ratio = interval_of(2 - comparison->ratio.high, 2 - comparison->ratio.mid, 2 - comparison->ratio.low);
    mirrored.ratio.known = comparison->ratio.known;
    confirmation_judge(ret_confirmation, &foretold, &mirrored, &(struct change_seen){.took_hold = true});
    ret_confirmation->measure = CONFIRMATION_SLOWDOWN;
    ret_confirmation->foretold = foretold.gain;
}

void confirmation_judge_share(struct confirmation *ret_confirmation, const struct interval *claimed,
                              const struct interval *found)
{
    struct confirmation confirmation = {.verdict = CONFIRMATION_INCONCLUSIVE,
                                        .reason = CONFIRMATION_STANDS,
                                        .measure = CONFIRMATION_SHARE,
                                        .foretold = *claimed,
                                        .realised = *found,
                                        .noise_ratio = not_measured("nothing was run twice")};
    /* what is lost to a cause and what is done meanwhile can't be told apart to the percent */
    static const double CLAIM_LEAST = 0.5;
    if (found->high < CLAIM_LEAST * claimed->low)
        conclude(&confirmation, CONFIRMATION_OVERTURNED);
    *ret_confirmation = confirmation;
}
