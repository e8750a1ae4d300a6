/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_trial.h"

#include "analyse/told/told_doubt.h"
#include "analyse/told/told_gap.h"
#include "analyse/told/told_quantity.h"
#include "analyse/told/told_reading.h"
#include "analyse/told/told_side.h"
#include "analyse/told/told_size.h"
#include "analyse/told/told_words.h"

/* ---- how it came out, in words and in numbers ---- */

/*
 * What the words say and what the numbers say must go together: false where they don't. said: by words; OUTCOME_COUNT:
 * they say none.
 */
static bool return_agrees(const struct told_return *returned, enum outcome said, struct told_trial *trial)
{
    bool all = returned->of_gap.known && returned->of_gap.low >= 1;
    trial->outcome = all ? OUTCOME_GONE : OUTCOME_SHRANK;
    trial->returned = *returned;
    return said != OUTCOME_STAYED;
}

static bool gain_agrees(struct interval gain, enum outcome said, struct told_trial *trial)
{
    static const double SMALL = 0.05;
    static const double FAR_SLOWER = -0.5; /* rather the two were taken in the wrong order than that it did harm */
    if (gain.low < FAR_SLOWER && trial->treatment != TREATMENT_FEWER_THREADS) /* half of them may take twice as long */
        return false;
    if (said == OUTCOME_STAYED)
        return gain.low < SMALL;
    if (said == OUTCOME_SHRANK) /* these may be what the gap was */
        return true;
    trial->outcome = OUTCOME_FASTER;
    trial->number = interval_clamped(gain, 0, 1);
    return true;
}

/*
 * "With it the batch takes 43.1 s", where two states were told: as much of their difference came back as lies between.
 */
static bool state_agrees(const struct told_states *states, struct interval gain, double of_gap, enum outcome said,
                         struct told_trial *trial)
{
    static const double HARDLY = 0.05;
    /* how fast it could be wasn't told, or is told wrong by a faster one */
    bool alone = states->fast <= 0 || of_gap > 1 + HARDLY;
    bool gone = !alone && of_gap >= 1 - HARDLY, stayed = of_gap <= HARDLY;
    trial->outcome = gone ? OUTCOME_GONE : stayed ? OUTCOME_STAYED : alone ? OUTCOME_FASTER : OUTCOME_SHRANK;
    if (trial->outcome == OUTCOME_SHRANK)
        trial->returned = (struct told_return){.share = interval_clamped(gain, 0, 1)};
    if (trial->outcome == OUTCOME_FASTER)
        trial->number = interval_clamped(gain, 0, 1);
    return said == OUTCOME_COUNT || (said == OUTCOME_STAYED) == stayed;
}

/* Its words alone: with them a gap that there is still may stand. */
static enum outcome_reading gap_read(const char *plain, const struct told_states *states, enum outcome_reading by_words,
                                     struct told_trial *trial)
{
    if (by_words == OUTCOME_READ && told_states_differ(plain, states)) /* "gone , 41 s , later 52 s again" */
        return OUTCOME_UNCLEAR;
    if (by_words == OUTCOME_READ)
        (void)told_gap_numbers(plain, &trial->number);
    return by_words;
}

/* Of a change that was taken back: an amount that is still near the fast state's says that this stayed. */
static bool taken_back_agrees(double of_gap, enum outcome said, struct told_trial *trial)
{
    static const double HARDLY = 0.05;
    trial->outcome = OUTCOME_STAYED;
    return of_gap >= 1 - HARDLY && (said == OUTCOME_COUNT || said == OUTCOME_STAYED);
}

bool told_names_gap(const struct reading *reading)
{
    struct interval ignored;
    return reading->change == CHANGE_NONE && told_gap_of(reading, &ignored) && !reading_is_doubted(reading);
}

/* "As fast as before": before the change, or before the gap that was told, which is gone then. */
static enum outcome_reading words_read(const struct reading *reading, const struct told_context *context,
                                       enum outcome *ret_outcome)
{
    const char *plain = reading->plain.text;
    enum outcome_reading by_words = reading_outcome(reading, ret_outcome);
    bool is_open = by_words == OUTCOME_READ && *ret_outcome == OUTCOME_STAYED && reading->change == CHANGE_MADE &&
                   plain_has(plain, WORDS_OUTCOME_FAST_AS_BEFORE) && !plain_has(plain, WORDS_SMALL_STILL);
    if (is_open && context->has_gap && plain_has(plain, WORDS_OUTCOME_AS_FAST_AS))
        *ret_outcome = OUTCOME_GONE;
    return is_open && *ret_outcome != OUTCOME_GONE && context->has_gap ? OUTCOME_UNCLEAR : by_words;
}

static enum outcome_reading outcome_read(const struct reading *reading, const struct told_context *context,
                                         struct told_trial *trial)
{
    const struct told_states *states = &context->states;
    const char *plain = reading->plain.text;
    struct told_return returned;
    struct told_pair pair;
    double of_gap;
    bool agrees;
    enum outcome_reading by_words = words_read(reading, context, &trial->outcome);
    enum outcome said = by_words == OUTCOME_READ ? trial->outcome : OUTCOME_COUNT;
    if (view_starts(reading->sentence, "tried:") && by_words != OUTCOME_UNTOLD)
        return by_words;
    if (told_returned(plain, &returned))
        agrees = return_agrees(&returned, said, trial);
    else if (told_pair_of(plain, &pair) || told_gain(plain, &pair.gain))
        agrees = by_words != OUTCOME_UNCLEAR && gain_agrees(pair.gain, said, trial);
    else if (states->slow > 0 && told_state_gain(plain, states, &pair.gain, &of_gap))
        agrees = by_words != OUTCOME_UNCLEAR &&
                 (reading->change == CHANGE_TAKEN_BACK ? taken_back_agrees(of_gap, said, trial)
                                                       : state_agrees(states, pair.gain, of_gap, said, trial));
    else if (reading->change != CHANGE_TAKEN_BACK &&
             told_base_gain(plain, &context->bases, !(states->fast > 0), &pair.gain, &trial->bases))
        agrees = by_words != OUTCOME_UNCLEAR && gain_agrees(pair.gain, said, trial);
    else
        return gap_read(plain, states, by_words, trial);
    /* "did not change anything , 14.9 s before , 14.8 s after": the denial is what the numbers say */
    bool doubtful =
        reading_is_doubted(reading) || (said != OUTCOME_STAYED && outcome_amounts_are_denied(&reading->plain));
    return agrees && !doubtful ? OUTCOME_READ : OUTCOME_UNCLEAR;
}

/* ---- which change it was ---- */

/*
 * One that was taken back, or is told by its two states, tells how much it returns; in words of outcomes it would be
 * another's.
 */
static bool tells_by_numbers(const char *plain, enum change_reading change)
{
    struct told_pair pair;
    struct interval gain;
    bool pairs = told_pair_of(plain, &pair);
    return (pairs && pair.change != TREATMENT_COUNT && change != CHANGE_SEVERAL) ||
           (change == CHANGE_TAKEN_BACK && (pairs || told_gain(plain, &gain)));
}

/* Without a change that is known by its name: two amounts in order, or one beside two states, tell of another. */
static bool tells_another_change(const char *plain, const struct told_states *states)
{
    struct told_states two;
    struct told_pair pair;
    struct interval gain;
    double of_gap;
    return (told_pair_of(plain, &pair) && !told_states_of(plain, &two)) ||
           (states->fast > 0 && !states->are_of_runs && told_state_gain(plain, states, &gain, &of_gap));
}

bool told_is_circumstance(const char *plain, uint64_t named)
{
    static const uint64_t of_both =
        UINT64_C(1) << TREATMENT_PINNING | UINT64_C(1) << TREATMENT_VCPU_PINNING | UINT64_C(1) << TREATMENT_GOVERNOR;
    return !named || (!(named & ~of_both) && !plain_has(plain, WORDS_TRIAL_CHANGING));
}

bool told_compares_states(const struct reading *reading, struct told_states *ret_states)
{
    const char *plain = reading->plain.text;
    struct told_pair pair;
    uint64_t named = reading->change == CHANGE_NONE ? 0 : told_changes_in(plain);
    named &= ~(UINT64_C(1) << TREATMENT_KERNEL_VERSION); /* of each state its own */
    return told_is_circumstance(plain, named) && told_states_of(plain, ret_states) &&
           (!named || !told_pair_of(plain, &pair));
}

/* It tells that something was gained, by numbers or in words. */
static bool tells_gain(const struct reading *reading, const struct told_context *context)
{
    struct told_pair pair;
    double of_gap;
    enum outcome outcome;
    const char *plain = reading->plain.text;
    if (told_pair_of(plain, &pair) || told_gain(plain, &pair.gain) ||
        (context->states.slow > 0 && told_state_gain(plain, &context->states, &pair.gain, &of_gap)))
        return pair.gain.low > 0;
    return reading_outcome(reading, &outcome) == OUTCOME_READ && outcome != OUTCOME_STAYED;
}

/* "20 % faster, under schedutil as well": the state without it is as good. */
static bool is_as_good_without(const char *plain, enum treatment treatment)
{
    const char *next, *place = told_state_without(plain, treatment);
    struct view clause = {place, place ? (size_t)(clause_end(place, WORDS_JOINT_PLAIN, &next) - place) : 0};
    return place && piece_has(clause, WORDS_BACK_AS_WELL);
}

/* It was taken back, and what it had brought stayed: told with the trial, or alone. */
static bool is_outlasted(const struct reading *reading, const struct told_context *context,
                         const struct told_trial *trial, enum outcome_reading how)
{
    const char *plain = reading->plain.text;
    struct reading gain;
    bool adds = true;
    if (reading_is_doubted(reading))
        return false;
    if (reading->change == CHANGE_TAKEN_BACK)
        return (how == OUTCOME_READ && trial->outcome == OUTCOME_STAYED) || plain_has(plain, WORDS_BACK_NO_SLOWER);
    (void)told_change_adds(trial->treatment, &adds);
    const char *back = reading->change == CHANGE_MADE ? told_outlasts(plain, adds) : NULL;
    if (reading->change == CHANGE_MADE && is_as_good_without(plain, trial->treatment))
        return trial->outcome != OUTCOME_STAYED;
    if (!back)
        return false;
    reading_of(&gain, (struct view){plain, (size_t)(back - plain)});
    return tells_gain(&gain, context);
}

/* "Half of the threads: 12.4 s -> 23.9 s": each of them did all but as much when there were twice as many. */
static double scaled_of(const char *plain, enum treatment treatment)
{
    struct told_pair pair;
    double threads = told_threads_ratio(plain);
    bool are_threads = treatment == TREATMENT_FEWER_THREADS || treatment == TREATMENT_MORE_THREADS;
    if (!are_threads || !(threads > 0) || !told_pair_of(plain, &pair) || !(pair.gain.mid < 1))
        return 0;
    double each = (1 / (1 - pair.gain.mid)) / threads; /* of how fast each was before */
    return threads > 1 ? each : 1 / each;
}

/* "Bare metal with 2M pages does it in 50.1 s": how fast the other one is, whatever that has. */
static bool is_of_reference(const char *plain)
{
    static const struct told_states any;
    struct quantities all;
    const struct quantity *only = NULL;
    quantities_of(plain, &all);
    for (size_t at = 0; at < all.count; at++) {
        bool is_speed = all.items[at].kind == QUANTITY_TIME || all.items[at].kind == QUANTITY_RATE;
        if (is_speed && only)
            return false;
        only = is_speed ? &all.items[at] : only;
    }
    return only && told_is_of_fast(quantity_clause(plain, only), &any);
}

/* ---- huge pages off ---- */

/* By how much it became faster without them, by numbers; false: it tells none. */
static bool gain_without(const struct reading *reading, struct interval *ret_gain)
{
    struct told_pair pair = {.change = TREATMENT_COUNT};
    if (!told_pair_of(reading->plain.text, &pair) && !told_gain(reading->plain.text, &pair.gain))
        return false;
    /* of what they returned: by both states, or taken back */
    bool of_pages = pair.change == TREATMENT_PAGES || reading->change == CHANGE_TAKEN_BACK;
    *ret_gain = pair.gain;
    if (of_pages)
        *ret_gain = interval_of(1 - 1 / (1 - pair.gain.high), 1 - 1 / (1 - pair.gain.mid), 1 - 1 / (1 - pair.gain.low));
    return true;
}

/*
 * What takes huge pages away and helps is a trial of its own, of what whole huge pages cost ("with echo never > … the
 * spikes are gone"); what it did without them is none of what huge pages return.
 */
static bool helps_without(const struct reading *reading, enum outcome_reading how, struct told_trial *trial)
{
    static const double SMALL = 0.05;
    bool is_without = reading->treatment == TREATMENT_PAGES && reading->change != CHANGE_SEVERAL &&
                      told_has_no_huge_pages(reading->plain.text);
    if (!is_without || (!view_starts(reading->sentence, "tried:") && outcome_is_doubtful(&reading->plain)))
        return false;
    struct interval gain = {0};
    bool by_numbers = gain_without(reading, &gain);
    if (by_numbers ? gain.low < SMALL
                   : how != OUTCOME_READ || trial->outcome == OUTCOME_STAYED || reading->change == CHANGE_MADE)
        return false;
    trial->treatment = TREATMENT_NO_HUGE_PAGES;
    trial->outcome = by_numbers ? OUTCOME_FASTER : trial->outcome;
    trial->number = by_numbers ? gain : trial->number;
    return true;
}

/* ---- together ---- */

enum trial_reading told_trial_of(const struct reading *reading, const struct told_context *context,
                                 struct told_trial *ret_trial)
{
    const char *plain = reading->plain.text;
    enum change_reading change = reading->change;
    struct told_states two;
    bool is_heading = view_ends(reading->sentence, ":"); /* "With the performance governor:" */
    ret_trial->treatment = reading->treatment;
    if (change == CHANGE_NONE) /* most sentences: how anything came out isn't looked for */
        return !is_heading && tells_another_change(plain, &context->states) ? TRIAL_CHANGE_UNKNOWN : TRIAL_NONE;
    if (told_compares_states(reading, &two)) /* what both were run with */
        return TRIAL_NONE;
    bool is_tried = view_starts(reading->sentence, "tried:"), is_done = !is_heading && reading_is_done(reading);
    change = tells_by_numbers(plain, change) ? CHANGE_MADE : change;
    enum outcome_reading outcome = outcome_read(reading, context, ret_trial);
    if (helps_without(reading, outcome, ret_trial)) {
        change = CHANGE_MADE;
        outcome = OUTCOME_READ;
    }
    ret_trial->outlasted = is_outlasted(reading, context, ret_trial, outcome);
    outcome = ret_trial->outlasted ? OUTCOME_READ : outcome;
    if (outcome == OUTCOME_READ && ret_trial->outcome == OUTCOME_STAYED &&
        told_is_small_raise(plain, ret_trial->treatment))
        outcome = OUTCOME_UNCLEAR;
    if (change == CHANGE_TAKEN_BACK && outcome != OUTCOME_READ && plain_has(plain, WORDS_BACK_AT) &&
        told_has_amount(plain)) /* "with it off again it is back at 50 s": it goes with the trial */
        return TRIAL_NONE;
    if (outcome == OUTCOME_UNTOLD && is_of_reference(plain))
        return TRIAL_NONE;
    bool of_numbers = told_has_amount(plain) || (change == CHANGE_MADE && plain_has(plain, WORDS_TRIAL_SPEED));
    if (outcome == OUTCOME_UNTOLD)
        return of_numbers || (is_done && change != CHANGE_NOT_MADE) ? TRIAL_OUTCOME_UNCLEAR : TRIAL_NONE;
    ret_trial->also = change == CHANGE_SEVERAL && outcome == OUTCOME_READ && ret_trial->outcome == OUTCOME_STAYED
                          ? told_changes_made(plain)
                          : 0;
    if (change != CHANGE_MADE && !ret_trial->also && !ret_trial->outlasted)
        return TRIAL_CHANGE_UNCLEAR;
    if (!is_tried && told_is_of_others(plain))
        return TRIAL_OF_OTHERS;
    if (!is_tried && (told_phases_of(plain) & ~context->phases))
        return TRIAL_OF_PHASE;
    struct told_sides sides = told_sides_of(plain);
    ret_trial->on_host = sides.on_host;
    ret_trial->on_guest = sides.on_guest;
    ret_trial->is_of_latency = told_is_of_latency(plain);
    ret_trial->scaled = change == CHANGE_MADE ? scaled_of(plain, ret_trial->treatment) : 0;
    ret_trial->is_of_spikes = plain_has(plain, WORDS_GAP_SPIKES) && !plain_has(plain, WORDS_GAP_CLAUSE);
    return outcome == OUTCOME_READ ? TRIAL_READ : TRIAL_OUTCOME_UNCLEAR;
}
