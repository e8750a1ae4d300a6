/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one hypothesis came to: verdict, recoverable time, evidence, advice, and the experiment that would
 * overturn it.
 *
 * Verdicts are made on the interval of recoverable time against the asked effect: all of it above: supported;
 * all below: ruled out; neither: undecided. Prose comes from data/advice.txt by key; tests hand over values.
 * Owner of all strings: the arena given to finding_init.
 */
#ifndef PLUMB_FINDING_FINDING_H
#define PLUMB_FINDING_FINDING_H

#include "base/arena.h"
#include "base/text.h"
#include "finding/share.h"
#include "statistics/interval.h"

enum verdict {
    VERDICT_SUPPORTED,
    VERDICT_UNDECIDED,
    VERDICT_RULED_OUT,
    VERDICT_NOT_TESTABLE,
    VERDICT_COUNT
};

enum confidence {
    CONFIDENCE_NONE, /* there is nothing to be confident about */
    CONFIDENCE_LOW,
    CONFIDENCE_MEDIUM,
    CONFIDENCE_HIGH
};

/* Where evidence comes from. Two different origins that agree weigh more than one said twice. */
enum origin {
    ORIGIN_SAMPLES,   /* which instructions the interrupts found waiting */
    ORIGIN_ADDRESSES, /* data addresses computed from sampled registers */
    ORIGIN_PAGES,     /* page tables, smaps */
    ORIGIN_PROBE,     /* measured on this machine beside the run */
    ORIGIN_COUNTERS,  /* hardware or kernel counters over the run */
    ORIGIN_SCHEDULER, /* context switches, schedstat, cgroup */
    ORIGIN_CODE,      /* instructions, symbols, debug information */
    ORIGIN_MACHINE,   /* settings and facts of the machine */
    ORIGIN_RUNS,      /* repeated or paired runs */
    ORIGIN_STATEMENT, /* said by a person, not measured */
    ORIGIN_COUNT
};

enum weight {
    WEIGHT_FOR,
    WEIGHT_AGAINST,
    WEIGHT_CONTEXT
};

enum unit {
    UNIT_TEXT,
    UNIT_SHARE, /* 0..1, shown as percent */
    UNIT_SECONDS,
    UNIT_BYTES,
    UNIT_BYTES_LEAST, /* "at least 10 MiB" */
    UNIT_COUNT_OF,
    UNIT_FACTOR /* "1.8 times" */
};

struct value {
    const char *name; /* as in the wording's {name} */
    enum unit unit;
    const char *text;       /* UNIT_TEXT */
    struct interval number; /* else; low == high: exactly */
};

#define VALUE_TEXT(n, t)      ((struct value){.name = (n), .unit = UNIT_TEXT, .text = (t)})
#define VALUE_SHARE(n, i)     ((struct value){.name = (n), .unit = UNIT_SHARE, .number = (i)})
#define VALUE_SECONDS(n, i)   ((struct value){.name = (n), .unit = UNIT_SECONDS, .number = (i)})
#define VALUE_BYTES(n, b)     ((struct value){.name = (n), .unit = UNIT_BYTES, .number = interval_exactly(b)})
#define VALUE_BYTES_LEAST(n, b) ((struct value){.name = (n), .unit = UNIT_BYTES_LEAST, .number = interval_exactly(b)})
#define VALUE_COUNT(n, c)     ((struct value){.name = (n), .unit = UNIT_COUNT_OF, .number = interval_exactly(c)})
#define VALUE_FACTOR(n, i)    ((struct value){.name = (n), .unit = UNIT_FACTOR, .number = (i)})

#define VALUES_MOST   12
#define EVIDENCE_MOST 12
#define ADVICE_MOST   8
#define OPEN_MOST     4

struct evidence {
    enum weight weight;
    enum origin origin;
    const char *key;
    const char *text;
    struct value values[VALUES_MOST];
    size_t value_count;
};

struct hypothesis;
struct imported_table;

struct finding {
    const struct hypothesis *hypothesis;
    struct arena *arena;
    enum verdict verdict;
    enum confidence confidence;
    const char *confidence_reason;
    enum confidence confidence_most; /* what it rests on isn't surer than that; CONFIDENCE_NONE: no limit */
    const char *not_separated; /* other causes that would look the same: confidence is MEDIUM at most; NULL: none */
    enum denominator of; /* OF_ELAPSED or OF_CPU_TIME: what recoverable time is a share of */
    struct interval recoverable; /* 0..1; unknown when not testable */
    double of_seconds;           /* what recoverable is a share of */
    /* while it is open: what evidence of its own lays at it, 0..1; 0: what the estimate does */
    double pointed;
    bool is_estimate;            /* inferred without hardware counters */
    bool is_own_doing;           /* of what is watched, though the hypothesis is a disturbance for a program */
    bool gain_unmeasured;        /* the cause is a fact, only the upper end of recoverable is known */
    /* of such a fact: the part that evidence shows, where recoverable ends far above it; else unknown */
    struct interval shown;
    const char *subject;         /* "compute_ref_matmul: mov (%rax),%eax"; may be NULL */
    const char *function;        /* in which it waits so; NULL: not of one function, or nobody asks for it */
    const char *headline;        /* one clause for the verdict, culprit first */
    const char *returner;        /* what returns so much, "huge pages"; NULL: whatever removes the cause */
    const char *reason;          /* ruled out: the bound; undecided: what is missing; not testable: because */
    const char *remedy;          /* not testable, undecided: what would make it testable; may be NULL */
    struct evidence evidence[EVIDENCE_MOST];
    size_t evidence_count;
    const char *advice[ADVICE_MOST]; /* in the order to try */
    size_t advice_count;
    const char *confirm; /* the experiment that would overturn it, as a command line or instruction */
    const char *open[OPEN_MOST]; /* what it leaves unexplained, or could not separate, each a clause */
    size_t open_count;
    /* bits by enum origin: what the imported tables that agree had measured; never surer than MEDIUM */
    unsigned imported_kinds;
    /* while it is open: the most that an imported table says of it, where another says next to nothing; 0: none does */
    double contradicted;
    bool far_end_waits;      /* of a fact: up to its far end waits are of its kind, and no code without names */
    bool is_within_first;    /* it holds up the code that the first one is about: said beside it, not as larger */
    bool is_loose;           /* while it is open: nothing points at it, its bound is all that could be had */
    const struct imported_table *of_table; /* a profile of which functions decided it; NULL: none did */
    uint64_t own_rows;                     /* of it those whose own shares add up to this, a bit each; 0: they don't */
    bool is_at_least;        /* recoverable is of what was recognised as it: there may be more */
    double counted_beside;   /* supported by a trial: the share that tables beside it say of it at most; 0: none does */
    bool by_trial;           /* ruled out by a trial that somebody told of: no bound */
    bool is_trial_with;      /* … of more of it, which helped; else without it, which didn't */
};

/* It is the hypothesis of that id. */
bool finding_is(const struct finding *finding, const char *id);
/* Somebody else's doing: said beside the program's own causes. */
bool finding_is_disturbance(const struct finding *finding);
/*
 * The most that it may return, in what shares of different times come to. A fact without a measured gain stands for its
 * share's middle, not its far end.
 */
double finding_most_returned(const struct finding *finding);
/* Supported, of the program's own doing, and several times as much as the other. */
bool finding_is_far_larger(const struct finding *finding, const struct finding *than);

const char *verdict_name(enum verdict verdict);       /* "ruled_out" */
const char *confidence_name(enum confidence confidence); /* "high" */
const char *origin_name(enum origin origin);
const char *weight_name(enum weight weight);
const char *unit_name(enum unit unit);

/*
 * Decide by the interval. effect: 0..1. Only when the verdict is undecided does the caller need to say why
 * (finding_reason).
 */
void finding_decide(struct finding *finding, struct interval recoverable, double effect);
/* The cause is there for certain in `share` of the time, what removing it returns isn't measured: 0..share. */
void finding_decide_fact(struct finding *finding, struct interval share, double effect);
/* Nothing is known but that it can't be more than upper: ruled out or undecided. */
void finding_decide_bound(struct finding *finding, double upper, double effect);

/* A function's name, shortened where it would fill the sentence. */
const char *name_for_sentence(const char *name, struct arena *arena);
void finding_evidence_add(struct finding *finding, enum weight weight, enum origin origin, const char *key,
                          const struct value *values, size_t count);
#define finding_evidence(finding, weight, origin, key, ...)                                                       \
    finding_evidence_add((finding), (weight), (origin), (key), (const struct value[]){__VA_ARGS__},                \
                         sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value))
void finding_set_add(struct finding *finding, const char **member, const char *key, const struct value *values,
                     size_t count);
#define finding_set(finding, member, key, ...)                                                                    \
    finding_set_add((finding), &(finding)->member, (key), (const struct value[]){__VA_ARGS__},                     \
                    sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value))
void finding_advise_add(struct finding *finding, const char *key, const struct value *values, size_t count);
#define finding_advise(finding, key, ...)                                                                         \
    finding_advise_add((finding), (key), (const struct value[]){__VA_ARGS__},                                      \
                       sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value))
void finding_open_add(struct finding *finding, const char *key, const struct value *values, size_t count);
#define finding_leave_open(finding, key, ...)                                                                     \
    finding_open_add((finding), (key), (const struct value[]){__VA_ARGS__},                                        \
                     sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value))
/* Instead of all advice given so far. */
#define finding_readvise(finding, key, ...) ((finding)->advice_count = 0, finding_advise(finding, key, __VA_ARGS__))
#define NO_VALUES VALUE_TEXT("", "")
/* Not testable: reason and remedy by key ("not.KEY", "remedy.KEY"). */
void finding_not_testable(struct finding *finding, const char *reason, const char *remedy);

/* Confidence from how many origins agree and how many samples there were. */
void finding_rate(struct finding *finding, double sample_count);

#endif
