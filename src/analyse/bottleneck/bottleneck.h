/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What limits the program on the CPU, estimated from timer samples alone: for each hot loop and for all of it, with how
 * sure that is, and why not where nothing can be said.
 *
 * Stalled instructions, the addresses they went to, the code around them and how evenly samples spread over it each
 * vote (one file, one question: reach, walk, dependence, guesses, footprint, resources); HIGH takes two that don't
 * share their evidence. Never slot percentages: samples say what retirement waited for, not how many slots were lost.
 * Does not support: last-level cache against memory against another node; decoders against the cache of decoded
 * instructions; conflicts of ports against a neighbour on the same core.
 */
#ifndef PLUMB_ANALYSE_BOTTLENECK_BOTTLENECK_H
#define PLUMB_ANALYSE_BOTTLENECK_BOTTLENECK_H

#include "analyse/loop/core_costs.h"
#include "analyse/memory/access_cost.h"
#include "analyse/stall/stalls.h"
#include "analyse/trace/trace_summary.h"
#include "base/measured.h"

enum bottleneck_class {
    BOTTLENECK_UNKNOWN,
    BOTTLENECK_MEMORY,
    BOTTLENECK_CORE,
    BOTTLENECK_BAD_SPECULATION,
    BOTTLENECK_FRONTEND,
    BOTTLENECK_RETIRING,
    BOTTLENECK_MIXED,
    BOTTLENECK_CLASS_COUNT
};

enum bottleneck_cause { /* what a sample is laid at; a class and its subclass */
    CAUSE_UNKNOWN,
    CAUSE_LATENCY,
    CAUSE_BANDWIDTH,
    CAUSE_PARALLEL_MISSES,
    CAUSE_TLB,
    CAUSE_L2,
    CAUSE_LATENCY_CHAIN,
    CAUSE_DIVIDE,
    CAUSE_FP,
    CAUSE_PORTS,
    CAUSE_STORE_FORWARDING,
    CAUSE_L1_LATENCY,
    CAUSE_ATOMIC,
    CAUSE_CONDITIONAL,
    CAUSE_INDIRECT,
    CAUSE_FOOTPRINT,
    CAUSE_RETIRING,
    CAUSE_COUNT
};

enum bottleneck_level {
    LEVEL_NONE, /* no memory is waited for, or it isn't known */
    LEVEL_L1,
    LEVEL_L2,
    LEVEL_BEYOND
};

enum bottleneck_confidence {
    ESTIMATE_NONE,
    ESTIMATE_LOW,
    ESTIMATE_MEDIUM,
    ESTIMATE_HIGH
};

const char *bottleneck_class_name(enum bottleneck_class class);         /* "bad_speculation" */
const char *bottleneck_subclass_name(enum bottleneck_cause cause);      /* "parallel_misses"; NULL: has none */
const char *bottleneck_level_name(enum bottleneck_level level);         /* "beyond"; NULL */
const char *bottleneck_confidence_name(enum bottleneck_confidence confidence);
enum bottleneck_class bottleneck_class_of(enum bottleneck_cause cause);

struct bottleneck_machine { /* what the rules have to know of it */
    double l1_bytes, l2_bytes;
    bool caches_known;              /* else those two are what cores since 2015 have at least */
    double l1_sets, l2_sets;        /* 0: not known */
    double code_bytes;              /* its nearest cache for code; 0: not known */
    double base_page_bytes;
    double widest_bits;             /* of its vectors; 0: not known */
    struct interval clock_hz;       /* beside the run; unknown: not calibrated */
    struct interval issue_share;    /* of its issue width that a core gave */
    struct interval read_bytes_s;   /* one core's */
    const struct core_costs *core;  /* what instructions cost on it; NULL: not tabled */
    const char *why_no_clock;       /* NULL: known */
};

#define BOTTLENECK_EVIDENCE_MOST 5

struct bottleneck_evidence {
    const char *origin; /* "samples", "addresses", "registers", "code", "rate", "probe" */
    const char *text;
};

struct bottleneck_second {
    enum bottleneck_class class; /* UNKNOWN: there is none */
    enum bottleneck_cause cause;
    struct interval share;
    double cause_share; /* of it, what is laid at the cause alone; 0: not known */
};

/* Lines that would fit a cache, a step apart that is a whole time of a power of two, and few of its sets hold them. */
struct bottleneck_crowd {
    double step_bytes, lines; /* 0: there is none */
    double l1_used, l2_used;  /* sets that they share; 0: how many the cache has isn't known */
};

struct bottleneck_set { /* working set; 0: not known */
    double lines_bytes, pages_bytes, at_least_bytes;
    struct interval bytes;       /* of lines, where they are known within a factor of two */
    bool goes_once;              /* nothing came back to it: there is no set that a cache could hold */
};

struct bottleneck_verdict {
    enum bottleneck_class class;
    enum bottleneck_cause cause;
    enum bottleneck_level level;
    enum bottleneck_confidence confidence;
    struct interval share;       /* of the CPU time sampled; the program's in a case: of all its CPU time */
    struct interval sampled;     /* that share by the error of the samples alone; unknown: it is no other */
    double cause_share;          /* of it, what is laid at the cause alone; 0: not known */
    double at_border, not_told;  /* of it: what widens the share beyond that */
    struct interval recoverable; /* of it; unknown: recoverable_why */
    const char *recoverable_how; /* what it rests on; NULL: unknown */
    const char *recoverable_why;
    struct bottleneck_second second;
    const char *function, *instruction; /* NULL: none */
    struct bottleneck_set set;
    struct bottleneck_evidence evidence[BOTTLENECK_EVIDENCE_MOST];
    size_t evidence_count;
    const char *why_not; /* NULL, or why there is no class, or no more confidence */
    /* RETIRING: two kinds of evidence say that nothing is waited for, or a turn was measured to take what it must */
    bool busy_is_shown;
    double split_ratio; /* of its loads, across two lines, where these are a good part; 0 */
};

struct bottleneck_loop {
    struct bottleneck_verdict verdict; /* share: what the loop holds of the CPU time */
    uint64_t first_addr, last_addr;    /* as a disassembler shows them */
    uint64_t samples;
    double masses[CAUSE_COUNT];        /* of its samples, 0..1 */
    /* its hottest access goes through memory line by line: what lies ahead is fetched ahead */
    bool walks_in_order;
    /* its arithmetic takes longer than this core's costs say: as denormal numbers do */
    bool fp_is_unexplained;
    /* no turn waits for itself, but what it computes from its beginning to its end (analyse/loop/loop_bound) */
    bool is_straight_chain;
    /*
     * its chain of results counts on and begins anew by a choice without a branch, with no long arithmetic: an index
     * that wraps, no sum or product
     */
    bool is_chain_of_index;
    /* of its samples: at loads of what narrower stores wrote right before, by the code: no store hands that on; 0..1 */
    double blocked_ratio;
    /* a load of it reaches beyond the nearest cache, not line by line; told where it waits for its own results */
    bool loads_far;
    struct bottleneck_crowd crowd;     /* of its hottest access */
    /* how far the access reaches that its level is judged by, and which; 0: not known, or of one pass of many */
    struct bottleneck_set access;
    uint64_t access_addr;
    /* of a turn's time at most: the divider takes so long for it by this core's costs, wherever that shows; 0..1 */
    double divider_most;
    double evenness;                   /* share of its instructions that got samples */
    struct measured rate_per_s, bound_cycles, measured_cycles, bytes_per_turn, extra_memory_trips;
};

/* Of its time the part that it waits for memory, 0..1. */
double bottleneck_memory_mass(const struct bottleneck_loop *loop);

struct bottleneck_lack { /* of samples: what the program's running longer would tell */
    /* of all samples, at which nothing could be laid in loops and functions that too few samples fell into; 0: none */
    double share;
    uint32_t runs; /* so many times as many samples are enough for each of these */
};

struct bottleneck {
    struct bottleneck_verdict program;
    struct bottleneck_loop *loops; /* most samples first */
    size_t loop_count;
    double masses[CAUSE_COUNT]; /* of all samples, 0..1; what is missing is the kernel's and what couldn't be told */
    /* the same by class, as wide as evidence near its thresholds may lay them; unknown: nothing is laid there */
    struct interval classes[BOTTLENECK_CLASS_COUNT];
    /* of all samples: at what nothing else delays, in code whose chains of results may be longer than what it issues */
    double chains_open_ratio;
    double kernel_ratio, blind_ratio;
    struct bottleneck_lack lack;
};

struct bottleneck_request {
    const struct stalls *stalls;
    const struct recording *recording;
    const struct bottleneck_machine *machine;
    const uint64_t *cpu_times;     /* of its thread at each sample; bottleneck_find fills it */
    /* of the time, which each sample is of: between two of them it did something else; NULL: there is one */
    const uint32_t *stretches;
    const struct code_index *index; /* what is whose; bottleneck_find fills it */
    /* wrong guesses of calls show in the functions they lead to; bottleneck_find fills it */
    bool calls_are_guessed;
    const struct access_costs *costs;  /* what its patterns cost, measured beside the run; NULL: nothing was */
    const struct trace_summary *trace; /* of a stepped piece of it (--probe step); NULL: none */
    const char *not_a_cpu_problem; /* why there is nothing to estimate: it waits; NULL */
};

/* Owner: arena. */
void bottleneck_find(struct bottleneck *ret_bottleneck, const struct bottleneck_request *request, struct arena *arena);

#endif
