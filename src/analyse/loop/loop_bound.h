/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many cycles does a turn of this loop take at least, and what is it that takes them?
 *
 * Three bounds: issue slots; units, by the best possible distribution of the operations; and the longest chain of
 * results from turn to turn (the greatest mean over cycles of dependences), through general, vector and mask
 * registers, flags, and memory that is stored and loaded at the same place. Everything is taken to hit the first-level
 * cache, and every branch to be guessed. `is_lower` says when costs of instructions are missing: then it is more.
 * Does not support: fetch and decode, 4 KiB aliasing, limits of buffers (they bound how much of a long chain overlaps).
 */
#ifndef PLUMB_ANALYSE_LOOP_LOOP_BOUND_H
#define PLUMB_ANALYSE_LOOP_LOOP_BOUND_H

#include "analyse/loop/core_costs.h"
#include "analyse/loop/loop_path.h"

enum loop_limit {
    LOOP_LIMIT_FRONTEND,
    LOOP_LIMIT_UNITS,
    LOOP_LIMIT_CHAIN,
    LOOP_LIMIT_COUNT
};

const char *loop_limit_name(enum loop_limit limit); /* "issue slots", "execution units", "a chain of results" */

enum chain_kind { /* what the cycles of a chain go to */
    CHAIN_LOAD,    /* loads that hit the first-level cache */
    CHAIN_FORWARD, /* from a store to the load of the same place */
    CHAIN_DIVIDE,
    CHAIN_FP,
    CHAIN_MULTIPLY, /* integers */
    CHAIN_LOCKED,
    CHAIN_OTHER,
    CHAIN_KINDS
};

const char *chain_kind_name(enum chain_kind kind);

enum unit_kind { /* what the operations on the busiest units are, most of them */
    UNIT_DIVIDER,
    UNIT_LOAD,
    UNIT_STORE,
    UNIT_FP,
    UNIT_VECTOR, /* integer vectors, shuffles */
    UNIT_INTEGER,
    UNIT_KINDS
};

const char *unit_kind_name(enum unit_kind kind);

enum { CHAIN_ROWS_MOST = 48 };

struct loop_result_chain {
    double cycles;   /* a turn; 0: no chain from turn to turn */
    double kind_cycles[CHAIN_KINDS]; /* a turn */
    uint32_t forwarded; /* values that go round through memory, also where that costs no cycle (Zen 5) */
    uint32_t rows[CHAIN_ROWS_MOST];
    uint32_t row_count; /* the first of them, if there are more */
};

struct loop_bound {
    bool known;
    const char *why_not;
    double cycles;          /* a turn: the greatest of the three */
    enum loop_limit limit;
    double frontend_cycles, unit_cycles; /* scaled by the shares asked for */
    double slots;           /* issued a turn */
    uint32_t units;         /* the busiest ones */
    double unit_kind_cycles[UNIT_KINDS]; /* operations on them */
    enum unit_kind unit_kind;
    double divider_cycles;
    struct loop_result_chain chain;          /* certain */
    /* when stores and loads of the same expression meet at one place in every turn */
    struct loop_result_chain chain_if_same;
    bool is_approximate;    /* inner branches: of the path with the samples */
    bool is_lower;          /* what some instructions cost is not known, or the loop calls */
    uint32_t unknown_count;
    const char *unknown_mnemonic; /* the first; NULL */
    uint32_t row_count;     /* of the path */
    const struct core_costs *core;
};

struct loop_bound_request {
    const struct instruction *rows;
    struct loop_rows loop;
    const double *row_weights; /* samples by row; NULL */
    const struct core_costs *core; /* NULL: why_not says so */
    double split_ratio;            /* of its loads, that lie across two lines: each takes its unit twice. 0..1 */
    double issue_share, unit_share; /* of the core that calibration says there is; 0 is taken as 1 */
};

void loop_bound_find(struct loop_bound *ret_bound, const struct loop_bound_request *request);

/* The same for a path that is there already. */
void loop_bound_of_path(struct loop_bound *ret_bound, const struct loop_path *path,
                        const struct loop_bound_request *request);

/*
 * Code from its beginning to its end, as a function without a loop runs: what each time through takes on the core, and
 * by its longest chain of results. Where one time doesn't wait for the one before, both overlap as far as a core holds
 * instructions that aren't done.
 */
struct straight_bound {
    bool known; /* false: it calls, holds a loop, or what some of it costs isn't known */
    uint32_t row_count;
    double frontend_cycles, unit_cycles;
    struct loop_result_chain chain; /* from what is there when it begins to what comes last */
    double overlapped_cycles;       /* each time at least, though none waits for the one before */
};

void straight_bound_of_path(struct straight_bound *ret_bound, const struct loop_path *path,
                            const struct loop_bound_request *request);

#endif
