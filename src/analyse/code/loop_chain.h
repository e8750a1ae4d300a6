/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which loop is around an instruction, how far does its address move in a turn, and does each turn of it wait there for
 * the turn before?
 *
 * A register that an instruction writes is followed once around the loop, in the order of addresses. Comes it back to
 * the same instruction, turns can't overlap there, however wide the core is.
 * Does not support: values carried through memory; paths within the loop that exclude one another count as one.
 */
#ifndef PLUMB_ANALYSE_CODE_LOOP_CHAIN_H
#define PLUMB_ANALYSE_CODE_LOOP_CHAIN_H

#include "symbol/disassembly.h"

struct loop_rows {
    uint32_t first, last; /* rows; the last jumps back to the first */
};

/*
 * The smallest loop closed by a direct jump back that the code behind its target leads to again: jumps back to code
 * that ways share close none. Rows are sorted by address.
 */
bool code_loop_around(const struct instruction *rows, size_t count, uint32_t row, struct loop_rows *ret_loop);

/* The same for all rows at once; `first` is UINT32_MAX where there is none. */
void code_loops_find(const struct instruction *rows, size_t count, struct loop_rows *ret_loops);

/*
 * The most bytes that a row's memory operand moves in one turn of the loop (negative: downwards), when whatever writes
 * its registers there adds a constant, all in one direction. false: not known, or it stays.
 */
bool code_loop_step(const struct instruction *rows, struct loop_rows loop, uint32_t row, int64_t *ret_step);

struct loop_chain {
    bool carried;         /* what the row computes is needed by itself in the next turn */
    bool through_address; /* … to know where to load from */
    uint32_t steps;       /* multi-cycle instructions of the chain in one turn */
    uint32_t beside;      /* such instructions of the loop that aren't in it: they overlap with it */
};

/*
 * Whether a load that overwrites a register of its own address finds what it loaded there again at its next time, by
 * registers or through a variable in memory: then it goes from place to place. Else the register is loaded anew
 * between, and what it loaded is data. true also where the loop is too long to tell.
 */
bool loop_value_returns(const struct instruction *rows, struct loop_rows loop, uint32_t row);

/*
 * Whether the registers behind a load that overwrites one of its own address say where it loads next, exactly: nothing
 * else in the loop writes any of them. So goes a chase by indices ("mov (%rdi,%rax,4),%eax").
 */
bool loop_load_leads_on(const struct instruction *rows, struct loop_rows loop, uint32_t row);

struct loop_chain loop_chain_at(const struct instruction *rows, struct loop_rows loop, uint32_t row);

/*
 * Whether what a load of the loop returned is in a register of its address again at its next time, on some way round
 * the loop, parts of it that lie behind its last row among these. loop_chain_at takes all rows in their order: there a
 * register that is kept aside and fetched again, unchanged, looks written. true also where the ways aren't known.
 */
bool loop_address_returns(const struct instruction *rows, size_t count, struct loop_rows loop, uint32_t row);

/*
 * Whether a row waits for the result of `from`: it reads it, or what quick instructions (moves, arithmetic of a cycle
 * each) made of it. What waits for data by its own address doesn't.
 */
bool loop_needs_result(const struct instruction *rows, struct loop_rows loop, uint32_t from, uint32_t row);

/* Whether what `row` computes is needed by `from` at its next time: with loop_needs_result both are of one circle. */
bool loop_result_returns(const struct instruction *rows, struct loop_rows loop, uint32_t from, uint32_t row);

/*
 * Whether a load of the loop waits for `chase`, a row whose address carries from turn to turn: it goes through the
 * same pointer, before that is moved on or behind, or to where quick arithmetic leads from what that loaded (an
 * index). A base that stays the same all the time is no such pointer.
 */
bool loop_load_follows(const struct instruction *rows, struct loop_rows loop, uint32_t chase, uint32_t load);

/*
 * Whether the chain is longer than anything else the loop has to do, by documented latencies and units of cores
 * since 2010 (multi-cycle arithmetic: 3 cycles at least, two units at most; 4 instructions a cycle).
 */
bool loop_chain_is_longest(const struct loop_chain *chain, struct loop_rows loop);

#endif
