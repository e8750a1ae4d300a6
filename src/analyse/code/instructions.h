/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which instructions of a function are hot, in which loops, on how wide vectors, and which of them stalled?
 *
 * The stalled instruction is told from the one that got the sample: where a timer interrupt lands exactly
 * one instruction late (the caller's self-test says so: skid_one), a sample belongs to the instruction that
 * ran before the sampled one, found along the flow of control: for the head of a loop that is the branch
 * that jumps back to it. Precise samples (PERF_RECORD_MISC_EXACT_IP) and events that don't count time are
 * never moved. Loops are natural loops of the direct branches; code reached by indirect jumps (switches)
 * hides some, and `has_indirect_jumps` says so.
 * Every share is of the samples in this function, by the event's period.
 */
#ifndef PLUMB_ANALYSE_CODE_INSTRUCTIONS_H
#define PLUMB_ANALYSE_CODE_INSTRUCTIONS_H

#include "analyse/code/code_samples.h"
#include "base/arena.h"
#include "base/error.h"
#include "symbol/disassembly.h"
#include "symbol/symboliser.h"

#define LOOP_NONE UINT32_MAX
#define ROW_NONE  UINT32_MAX

enum vector_width {
    VECTOR_WIDTH_NONE,   /* general registers, x87 */
    VECTOR_WIDTH_SCALAR, /* one floating-point element */
    VECTOR_WIDTH_64,     /* half vectors (AArch64) */
    VECTOR_WIDTH_128,
    VECTOR_WIDTH_256,
    VECTOR_WIDTH_512,
    VECTOR_WIDTH_SCALABLE, /* AArch64 SVE */
    VECTOR_WIDTH_COUNT
};

const char *vector_width_name(enum vector_width width); /* "512-bit" */
enum vector_width instruction_vector_width(const struct instruction *instruction);

struct instruction_line {
    const char *path;     /* NULL: unknown */
    const char *function; /* whose body: an inlined function, or the function itself; NULL: unknown */
    uint32_t line;        /* 0: unknown */
};

struct instruction_row {
    struct instruction instruction; /* addr: as objdump shows it */
    const uint8_t *bytes;
    const char *text;     /* NULL unless asked for */
    uint64_t dso_addr;
    struct instruction_line line;
    uint32_t loop;        /* the innermost that holds it, or LOOP_NONE */
    uint32_t stalled_row; /* which row a sample here is attributed to; ROW_NONE: code outside this function */
    bool is_jump_target;
    bool is_shared_target; /* reached on several ways: stalled_row is the likeliest, not the only one */
};

struct code_loop {
    uint32_t head;           /* row */
    uint32_t first, last;    /* rows between which its body lies */
    uint32_t parent;         /* the loop around it, or LOOP_NONE */
    uint32_t depth;          /* 1: outermost */
    uint32_t row_count;      /* instructions of its body, inner loops included */
    uint32_t code_bytes, code_lines; /* of its body; lines of 64 bytes */
    double share;            /* of the first event's weight, inner loops included */
    double own_share;        /* without inner loops */
};

struct instruction_event {
    uint32_t event;     /* index into recording->events */
    const char *name;
    uint64_t samples;   /* in this function */
    double weight;      /* sum of their periods, or their number when there are no periods */
    double recording_weight; /* the same of all of the event's samples, here and elsewhere */
    uint64_t outside;   /* samples that lie between instructions: code that isn't what was recorded */
    bool is_shifted;    /* stalled differs from sampled */
};

struct instructions {
    struct arena arena;
    struct code code;
    const char *symbol, *dso; /* names */
    struct instruction_row *rows;
    size_t row_count;
    struct instruction_event *events; /* those with samples here, most samples first */
    size_t event_count;
    double *sampled, *stalled; /* weight by row * event_count + event */
    double *stalled_elsewhere; /* by event: after calls, at function entry, behind indirect jumps */
    struct code_loop *loops;   /* outer before inner */
    size_t loop_count;
    uint32_t hottest_loop;     /* by own share of the first event, or LOOP_NONE */
    double width_share[VECTOR_WIDTH_COUNT];               /* of the first event, by stalled instruction */
    double class_share[INSTRUCTION_CLASS_COUNT];          /* the same */
    double line_cross_share;   /* of samples on instructions that begin or straddle a 64-byte line; */
    double line_cross_base;    /* the same if samples fell evenly on the instructions of this function */
    size_t sampled_row_count;  /* rows with samples: a wide spread speaks for fetch trouble */
    bool has_indirect_jumps, has_lines;
    const char *line_complaint; /* why there are no lines; NULL */
    const char *text_complaint; /* why texts are raw words; NULL */
};

struct instructions_request {
    const struct recording *recording;
    struct symboliser *symboliser;
    const struct code_samples *samples; /* of the recording; many functions share it */
    uint32_t symbol_id;            /* SYMBOL_NONE: the code around `location` */
    uint32_t location;             /* only when symbol_id is SYMBOL_NONE */
    enum disassembly_syntax syntax;
    bool with_text, with_lines;
    bool one_event;        /* samples of `event` alone */
    uint32_t event;
    bool by_number; /* samples weigh the same, whatever their periods */
    bool skid_one; /* a self-test showed that timer samples land one instruction late here */
};

/* Errors: no code (paths tried), no decoder. Owner: the caller (instructions_done). */
MUST_CHECK bool instructions_analyse(struct instructions *ret_instructions, const struct instructions_request *request,
                                     struct error *err);
void instructions_done(struct instructions *instructions);

/* The row of an address within the dso, or ROW_NONE when it is no instruction's first byte. */
uint32_t instructions_row_at(const struct instructions *instructions, uint64_t dso_addr);
/* The row with the greatest weight of an event, sampled or stalled; ROW_NONE when there is none. */
uint32_t instructions_hottest_row(const struct instructions *instructions, size_t event, bool stalled);

#endif
