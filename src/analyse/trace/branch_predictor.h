/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Would a modern branch predictor have guessed this branch?
 *
 * A simulation with tagged tables indexed by ever longer histories (TAGE for directions, ITTAGE for targets) and a
 * return stack. Cores since about 2013 have something of the kind, of about this size; how theirs is built isn't
 * published, so the answer is that of a good predictor, not of this core's.
 * Does not support: loop counters' own predictor, wrong-path effects, other threads on the same core.
 * Sources: Seznec and Michaud, "A case for (partially) tagged geometric history length branch prediction", JILP 8,
 * 2006; Seznec, "A 64-Kbytes ITTAGE indirect branch predictor", 2011.
 */
#ifndef PLUMB_ANALYSE_TRACE_BRANCH_PREDICTOR_H
#define PLUMB_ANALYSE_TRACE_BRANCH_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

struct branch_predictor;

struct branch_predictor *branch_predictor_new(void);
void branch_predictor_free(struct branch_predictor *predictor);

/* What was just before is not known any more: histories and return stack are empty, what was learnt stays. */
void branch_predictor_interrupt(struct branch_predictor *predictor);
/* Each tells whether the guess was right, then learns. */
bool branch_predictor_condition(struct branch_predictor *predictor, uint64_t ip, bool taken);
bool branch_predictor_indirect(struct branch_predictor *predictor, uint64_t ip, uint64_t target);
/* ret_known: the call was seen. */
bool branch_predictor_return(struct branch_predictor *predictor, uint64_t target, bool *ret_known);
void branch_predictor_call(struct branch_predictor *predictor, uint64_t return_to);
/* A jump or call whose target stands in the code: always right, but it is on the path. */
void branch_predictor_path(struct branch_predictor *predictor, uint64_t target);

#endif
