/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does one instruction cost on this kind of core: latency, issue slots, and units that it keeps busy?
 *
 * The figures come from data/instruction_costs_*.tsv, which name their sources. An instruction that isn't there is
 * `known == false`: whoever adds costs up says so. All figures are for data in the first-level cache and ordinary
 * numbers; where sources give a range, its lower end.
 * AArch64: by class of instruction, since its decoder tells no names; then costs are of the cheapest of the class.
 * Does not support: assists, page-crossing accesses, fetch and decode limits.
 */
#ifndef PLUMB_ANALYSE_LOOP_CORE_COSTS_H
#define PLUMB_ANALYSE_LOOP_CORE_COSTS_H

#include "symbol/disassembly.h"

enum {
    COST_ROW_PARTS_MOST = 5,
    COST_PARTS_MOST = 9,
    CORE_UNITS_MOST = 20,
};

struct cost_part {
    uint32_t units; /* one bit each: any one of them does it */
    float cycles;   /* that it keeps it busy */
};

struct cost_row {
    char mnemonic[20]; /* no pointer: thousands of them would be relocated at every start */
    uint8_t widths; /* 8, 16, 32, 64 bits, then vectors of 128, 256, 512; 0: any */
    uint16_t form;  /* letters of "inmrsLBke2", see the tables */
    bool unknown;
    uint8_t part_count;
    float latency, slots;
    struct cost_part parts[COST_ROW_PARTS_MOST];
};

struct core_costs {
    const char *key;        /* "SKX" */
    const char *serves[8];  /* keys of system/cpu/microarchitecture.h, NULL after the last */
    const char *unit_names[CORE_UNITS_MOST];
    uint32_t unit_count;
    float slots;            /* issued a cycle */
    float latency_load, latency_load_plain, latency_load_vector, latency_load_wide; /* cycles, first-level hit */
    float forward, forward_vector, forward_stack; /* cycles from a store's data to the load's result */
    uint32_t load, store_address, store_data, branch_taken, branch_not, divider; /* units */
    bool eliminates_general, eliminates_vector; /* moves between registers cost a slot only */
    uint8_t fuses_branches; /* 0: no; 1: what compares or computes with the branch behind it; 2: only comparisons */
    bool delaminates;
    const char *waits_falsely[4]; /* instructions that wait for their destination without need */
    const struct cost_row *rows;  /* by mnemonic */
    size_t row_count;
};

extern const struct core_costs core_costs_table[];
extern const size_t core_costs_count;

/* By key of the microarchitecture, "CLX"; NULL: no table for it. Owner: static. */
const struct core_costs *core_costs_find(const char *microarchitecture_key);

struct instruction_cost {
    bool known;
    float latency;      /* cycles from the last register operand to the result; what is loaded comes on top */
    float load_latency; /* cycles from the address; 0: loads nothing */
    float slots;
    uint8_t part_count;
    struct cost_part parts[COST_PARTS_MOST];
};

struct instruction_cost instruction_cost_of(const struct core_costs *core, const struct instruction *instruction);

/* Whether a comparison and the branch behind it are issued as one. */
bool core_fuses(const struct core_costs *core, const struct instruction *first, const struct instruction *branch);

/* Append the units of a mask: "p0 p1 p5". */
void core_units_text(const struct core_costs *core, uint32_t units, struct text *out);

#endif
