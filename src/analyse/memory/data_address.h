/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which data did the stalled instructions access: how much of it, in which pattern, in which mappings?
 *
 * The address comes from the sample itself where the hardware recorded one, else from the stalled
 * instruction's memory operand and the sampled user registers. A load whose destination is part of its own
 * address (a pointer chase) shows the NEXT access: fine for sizes and patterns, and counted. Refused, and
 * counted by reason: operands with a segment base, vector indexes, stack pushes, samples without registers.
 *
 * The stride comes from the loop's own additions to the address where it has such, else from the differences
 * of successive addresses, which must be multiples of it to within a line (sweeps begin anew beside the last).
 * Working sets are estimated by pair collision at two grains: n samples with c colliding pairs speak for
 * n(n-1)/2/c units; without a collision only a lower bound is known. Within about 2x up to 500 MiB for
 * irregular access; sequential sweeps are biased low, and `pattern` says when that is so.
 * Source: reference measurements of reading registers on a machine without a PMU; Wilson intervals.
 */
#ifndef PLUMB_ANALYSE_MEMORY_DATA_ADDRESS_H
#define PLUMB_ANALYSE_MEMORY_DATA_ADDRESS_H

#include "analyse/code/instructions.h"
#include "statistics/interval.h"

/* Below this many addresses nothing is said. */
#define DATA_ADDRESSES_LEAST 50

enum data_pattern {
    PATTERN_UNKNOWN,
    PATTERN_FIXED,      /* hardly any different addresses */
    PATTERN_SEQUENTIAL, /* sweeps through memory, less than a line apart */
    PATTERN_STRIDED,    /* steps of stride_bytes, a line or more */
    PATTERN_IRREGULAR
};

const char *data_pattern_name(enum data_pattern pattern);

struct data_address {
    uint64_t addr;
    uint64_t time_ns;
    uint32_t row;    /* of the instruction that accessed it */
    uint32_t thread, space;
    double weight;
};

struct data_mapping {
    uint32_t dso; /* DSO_NONE: no mapping in the recording covers them */
    const char *name; /* "[heap]", "libc.so.6", "not in the recording's mappings" */
    uint64_t start, end; /* of the mapping; 0 with DSO_NONE */
    uint64_t addresses;
    struct interval share;
};

/* What the addresses of one instruction, or of all, say. */
struct data_summary {
    uint32_t row;      /* ROW_NONE: all */
    size_t address_count;
    size_t next_address_count; /* of pointer chases */
    bool known;        /* false: too few addresses, reason says so */
    const char *reason;
    struct interval line_bytes, page_bytes; /* working set; high is infinity-free: not known when no pair collided */
    double line_bytes_least, page_bytes_least; /* lower bounds, known always when `known` */
    size_t line_pairs, page_pairs;             /* that collided */
    double page_line_ratio; /* page working set / line working set; 0: not known */
    enum data_pattern pattern;
    uint64_t stride_bytes;  /* of steps, or with PATTERN_IRREGULAR what all differences are multiples of; 0: none */
    bool stride_from_code;  /* the loop adds it to the address: certain; else seen in the differences */
    double stride_share;    /* seen: of successive differences, those within a line of a multiple of it */
    double ascending_share; /* of successive differences that are positive */
    uint64_t lowest, highest;
};

enum data_refusal {
    REFUSED_NO_REGISTERS,
    REFUSED_NO_OPERAND,   /* the stalled instruction reads and writes no memory */
    REFUSED_UNPLACED,     /* which instruction stalled is not known */
    REFUSED_SEGMENT,
    REFUSED_VECTOR_INDEX,
    REFUSED_HIDDEN_PART,  /* bit strings, table look-ups by AL, tiles */
    REFUSED_STACK,        /* push, pop, call, return */
    REFUSED_CHANGED,      /* a register of its address was changed by the instruction itself */
    REFUSED_REASON_COUNT
};

const char *data_refusal_name(enum data_refusal refusal);

struct data_addresses {
    struct arena arena;
    struct data_address *items; /* by time */
    size_t count;
    size_t sample_count; /* in this code: count + all refused */
    size_t refused[REFUSED_REASON_COUNT];
    struct data_summary all;
    struct data_summary *rows; /* instructions with DATA_ADDRESSES_LEAST addresses or more, most first */
    size_t row_count;
    struct data_mapping *mappings; /* most addresses first */
    size_t mapping_count;
    bool code_mappings_only; /* the recording has no mappings of data at all, so none can be named */
    bool from_hardware; /* addresses that the PMU recorded */
};

struct data_address_request {
    const struct recording *recording;
    struct symboliser *symboliser;
    const struct code_samples *samples;
    const struct instructions *instructions;
    uint32_t symbol_id, location; /* as in instructions_request */
    bool skid_exact;              /* a self-test showed that timer samples land on the stalled instruction itself */
};

/* Owner: the caller (data_addresses_done). */
void data_addresses_find(struct data_addresses *ret_addresses, const struct data_address_request *request);
void data_addresses_done(struct data_addresses *addresses);

/* What a register held; false: that isn't known. */
typedef bool register_value(const void *context, unsigned number, uint64_t *ret_value);
/* A register_value: context is a struct sampled_registers. */
struct sampled_registers {
    const struct samples *samples;
    const struct sample *sample;
};
bool register_sampled(const void *context, unsigned number, uint64_t *ret_value);
/* Address of a memory operand by registers; false with the reason when it can't be known. For tests and probes. */
bool operand_address(const struct instruction *instruction, uint64_t runtime_addr, register_value *value,
                     const void *context, uint64_t *ret_addr, bool *ret_is_next, enum data_refusal *ret_refusal);
/* What addresses in time order say. scratch is used and freed. */
struct data_summary data_summary_of(const struct data_address *addresses, size_t count);

#endif
