/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A gain was foretold and then tried: is the prediction confirmed, overturned, exceeded, or can't that be told yet?
 *
 * Judged on the interval of the realised gain (1 - B / A), never on its middle alone. Confirmed needs a gain that is
 * surely there, larger than the noise floor and known to half of what was foretold, and intervals of which one holds
 * the other's middle: two wide ones that just touch confirm nothing. More, less and overturned need a distance beyond
 * the noise floor.
 *
 * A change that took hold in part foretells that part of the gain: more than that, but no more than the whole, is as
 * foretold, too, since what went may be the half that cost most.
 *
 * Two experiments measure something else than a gain: by how much it is slower beside others that use memory bandwidth,
 * and how large a share of its time wrong guesses can take. Then `realised` is that.
 */
#ifndef PLUMB_ANALYSE_RUNS_CONFIRMATION_H
#define PLUMB_ANALYSE_RUNS_CONFIRMATION_H

#include "analyse/runs/comparison.h"

enum foretold_kind {
    FORETOLD_GAIN,  /* between gain.low and gain.high */
    FORETOLD_BOUND, /* at most gain.high; how little, nobody said */
    FORETOLD_NONE   /* ruled out: less than gain.high, which is less than the effect that was asked for */
};

struct foretold {
    enum foretold_kind kind;
    struct interval gain; /* share of A's time, 0..1 */
    double effect;        /* 0..1: a smaller gain counts as none */
};

enum confirmation_verdict {
    CONFIRMATION_CONFIRMED,
    CONFIRMATION_MORE,       /* surely more than was foretold */
    CONFIRMATION_OVERTURNED, /* surely less than was foretold; of what was ruled out: surely more */
    CONFIRMATION_INCONCLUSIVE
};

enum confirmation_reason {
    CONFIRMATION_BY_INTERVALS, /* the verdict is a sure one */
    CONFIRMATION_NO_RATIO,     /* nothing to judge: comparison->decisive.why_not */
    CONFIRMATION_FEW,          /* a range, no interval: too few pairs */
    CONFIRMATION_NOISE,        /* A differs from itself as much */
    CONFIRMATION_WIDE,         /* the interval holds a confirming and an overturning gain */
    CONFIRMATION_NO_LEAST,     /* no gain, but none was foretold for certain either */
    CONFIRMATION_NOT_MADE,     /* whether the change took hold isn't known, so that no gain means nothing */
    CONFIRMATION_STANDS        /* it could have overturned the verdict, and did not */
};

enum confirmation_measure {
    CONFIRMATION_GAIN,
    CONFIRMATION_SLOWDOWN, /* B / A - 1, beside others that use memory bandwidth */
    CONFIRMATION_SHARE     /* of its CPU time, at most */
};

struct confirmation {
    enum confirmation_verdict verdict;
    enum confirmation_measure measure;
    struct interval foretold; /* of a measure that isn't the gain */
    struct interval extent;   /* how much of the change took hold, 0..1; unknown: all of it, or nobody can tell */
    struct interval expected; /* with a known extent: the gain that this much of it foretells */
    enum confirmation_reason reason;
    struct interval realised;     /* share of A's time, negative: B takes more */
    struct measured noise_ratio;  /* how far A was from itself at the most, at 95 % */
    double pairs_needed;          /* to be sure, when it is only a question of that; 0: unknown */
    size_t pair_count;
};

/* What was seen of the intervention in the runs. */
struct change_seen {
    bool took_hold;         /* it was seen to work; without that, a missing gain overturns nothing */
    struct interval extent; /* … and how much of it, 0..1; unknown: it is no matter of degree */
};

void confirmation_judge(struct confirmation *ret_confirmation, const struct foretold *foretold,
                        const struct comparison *comparison, const struct change_seen *seen);

/*
 * The share of its time that it waits for memory bandwidth, and how many times slower a stream that does nothing else
 * is beside the others. Half of what follows counts as foretold: one core alone may not take all that there is.
 */
void confirmation_judge_slowdown(struct confirmation *ret_confirmation, const struct interval *share,
                                 const struct interval *stream, double effect, const struct comparison *comparison);
/*
 * The share that was claimed, and the most that it can be: a bound below half of that overturns it, and none confirms
 * it.
 */
void confirmation_judge_share(struct confirmation *ret_confirmation, const struct interval *claimed,
                              const struct interval *found);

const char *confirmation_verdict_name(enum confirmation_verdict verdict); /* "confirmed" */

#endif
