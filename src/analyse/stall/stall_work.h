/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known while stalls are found: the decoded functions, the place of each location, the addresses met. Internal
 * to stalls: stall_code (decoded, marked), stall_before (which instruction stalled), stall_samples (what each sample
 * counts as), stall_rows (the results by function), stall_callers (who called), stall_groups (by mapping), stall_lines
 * (shared between threads).
 */
#ifndef PLUMB_ANALYSE_STALL_STALL_WORK_H
#define PLUMB_ANALYSE_STALL_STALL_WORK_H

#include "analyse/code/loop_chain.h"
#include "analyse/stall/stall_before.h"
#include "analyse/stall/stalls.h"
#include "base/hashmap.h"
#include "base/vec.h"

#define NO_INDEX UINT32_MAX /* FLOW_NONE, too */

struct stall_place { /* what is known of one location; filled when its first sample comes */
    bool known, settled; /* settled: `stalled` is known, too */
    uint32_t function;  /* index into functions, before sorting */
    uint32_t sampled, stalled; /* instruction indices; NO_INDEX */
};

struct count_list {
    uint64_t *items;
    size_t count, capacity;
};

struct stall_work {
    const struct recording *recording;
    const struct code_bundle *bundle;
    struct stalls *stalls;
    struct arena *arena;
    struct disassembler *disassembler;
    struct stall_place *places;
    uint32_t *index_of;              /* by bundle function; NO_INDEX: not met */
    vec(struct stall_function) functions;
    vec(struct stall_code) decoded;     /* beside functions */
    vec(const struct bundle_function *) sources;
    vec(struct stall_address) hits;
    vec(struct stall_sample) placed;
    struct hashmap code_lines, code_addresses;
    struct count_list line_hits, address_hits;
    uint64_t stack_register, frame_register;
};

/* ---- stall_code ---- */

/* Where a location lies, but for what stalled there: decodes and marks its function at the first. Owner: work. */
const struct stall_place *stall_place_of(struct stall_work *work, uint32_t location);
/* What stalled there: when all samples were met, since which way was gone to it is seen by what else was. */
void stall_place_settle(struct stall_work *work, uint32_t location);
/* Accesses the stack frame. */
bool stall_is_frame_operand(const struct stall_work *work, const struct stall_code *decoded,
                            const struct instruction *instruction);

/* ---- stall_samples ---- */

void stall_samples_walk(struct stall_work *work);
/* movss and movsd move one number through a vector register. */
bool stall_moves_one(const struct instruction *instruction);
/* Arithmetic that loads one of its operands may wait for either: the load is counted by itself. */
enum instruction_class stall_counted_class(const struct instruction *instruction);

/* ---- stall_rows ---- */

void stall_rows_find(struct stall_work *work, uint32_t index);
void stall_row_fill(struct stall_work *work, uint32_t index, uint32_t instruction_index, struct stall_row *row);
/* Most samples first; everything that names a function by its index follows. */
void stall_functions_sort(struct stall_work *work);

/* ---- stall_callers ---- */

/* Who calls each function, by the stacks that were copied. */
void stall_callers_find(struct stall_work *work);

/* ---- stall_groups, stall_lines ---- */

/* Also notes the pages of work->hits. */
void stall_groups_find(struct stall_work *work, const struct process_pages *pages, size_t pages_count);
/* Reorders work->hits. */
void stall_lines_count(struct stall_work *work);

#endif
