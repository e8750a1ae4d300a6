/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does a turn of a loop read, compute and write?
 *
 * Told by the instructions on its way through the loop (loop_path.h): which elements it goes over and by which steps,
 * which places it is led to by what it loaded, which kinds of computing stand in it, and whether what it loaded decides
 * where it goes on. So code without a name can be recognised by who knows its source. Variables in the stack frame,
 * moves between registers and what counts turns are left out. x86-64 alone: elsewhere there are no mnemonics.
 * Does not support: which of it limits the loop (loop_bound.h, analyse/bottleneck say that); what called functions do.
 */
#ifndef PLUMB_ANALYSE_LOOP_LOOP_SUMMARY_H
#define PLUMB_ANALYSE_LOOP_LOOP_SUMMARY_H

#include "analyse/loop/loop_path.h"

enum loop_place {
    LOOP_PLACE_STEPS,  /* moves on by the same number of bytes each turn */
    LOOP_PLACE_LOADED, /* what was loaded says where: a table looked up, a pointer followed */
    LOOP_PLACE_STAYS,  /* the same in each turn */
    LOOP_PLACE_OTHER   /* computed otherwise */
};

struct loop_access {
    enum loop_place place;
    bool is_load, is_store;
    uint32_t size_bytes; /* of one access; 0: unknown */
    int64_t step;        /* bytes a turn; LOOP_PLACE_STEPS alone */
    uint32_t rows;       /* instructions that access so */
    uint32_t places;     /* distinct registers that they address by */
};

enum loop_work {
    LOOP_WORK_FP_FUSED,
    LOOP_WORK_FP_PRODUCTS,
    LOOP_WORK_FP_SUMS,
    LOOP_WORK_FP_DIVISIONS, /* and roots */
    LOOP_WORK_FP_ORDER,     /* comparisons, the lesser, the greater */
    LOOP_WORK_CONVERSIONS,
    LOOP_WORK_VECTOR_PRODUCTS,
    LOOP_WORK_VECTOR_DIFFERENCES, /* sums of absolute ones */
    LOOP_WORK_VECTOR_SUMS,
    LOOP_WORK_VECTOR_ABSOLUTES,
    LOOP_WORK_VECTOR_ORDER,
    LOOP_WORK_VECTOR_AVERAGES,
    LOOP_WORK_VECTOR_SHIFTS,
    LOOP_WORK_VECTOR_BITS,
    LOOP_WORK_SHUFFLES,
    LOOP_WORK_CRYPTO,
    LOOP_WORK_DIVISIONS,
    LOOP_WORK_PRODUCTS,
    LOOP_WORK_ROTATIONS,
    LOOP_WORK_SHIFTS,
    LOOP_WORK_COUNTED_BITS,
    LOOP_WORK_BITS,
    LOOP_WORK_SUMS,
    LOOP_WORK_CHOICES, /* conditional moves */
    LOOP_WORK_COUNT
};

enum loop_decision { /* by what it loaded */
    LOOP_DECIDES_NOTHING,
    LOOP_GOES_ON_WHILE_EQUAL,
    LOOP_GOES_ON_UNTIL_EQUAL,
    LOOP_ENDS_BY_ORDER,  /* less, or more, than something */
    LOOP_BRANCHES_WITHIN /* stays in the loop, on one way or another */
};

enum { LOOP_ACCESSES_MOST = 12 };

struct loop_summary {
    uint32_t instructions;  /* of a turn */
    bool has_calls, has_inner_loop;
    struct loop_access accesses[LOOP_ACCESSES_MOST]; /* most rows first */
    size_t access_count;
    uint32_t work[LOOP_WORK_COUNT];         /* instructions */
    uint8_t element_bits[LOOP_WORK_COUNT];  /* of vectors of integers, where they are all alike; 0: they aren't */
    enum loop_decision decision;
};

/* row_weights: samples by row of the function, or NULL. frame: registers of the stack frame, one bit for each. */
struct loop_summary loop_summary_of(const struct instruction *rows, struct loop_rows loop, const double *row_weights,
                                    uint64_t frame, struct arena *arena);

#endif
