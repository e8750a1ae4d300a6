/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which two things does a sentence compare: "the gap between a plain guest and a confidential one closed"?
 *
 * Their names have no verbs and are no clauses, so that "and" between them parts nothing. What lies between states of a
 * trial ("with and without it", "before and after") or between two numbers is no gap between two that are compared.
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_COMPARED_H
#define PLUMB_ANALYSE_TOLD_TOLD_COMPARED_H

#include "analyse/told/told_plain.h"

/* What stands for "between" and both names: WORDS_COMPARED_NAMES. */
#define TOLD_COMPARED "between_the_two"

/* The sentence with TOLD_COMPARED in their place; as it is where it compares none. */
void told_compared_cut(struct plain_sentence *ret_cut, const char *plain);

#endif
