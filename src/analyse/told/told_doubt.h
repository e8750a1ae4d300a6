/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why may a sentence that sounds like a trial say nothing of the program that is asked about: it tells of what may be,
 * of what others said, of another machine, or of what the program does once?
 *
 * By words alone, and for safety rather too often than too seldom: what is doubted supports nothing. Does not support:
 * whose machine it is where only its name is told ("on the AMD box").
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_DOUBT_H
#define PLUMB_ANALYSE_TOLD_TOLD_DOUBT_H

#include <stdbool.h>
#include <stdint.h>

/* Of plain sentences. */
/* What may be, is asked, or is planned. */
bool told_is_supposed(const char *plain);
/* What others said or saw, or what became of another machine. */
bool told_is_of_others(const char *plain);
/*
 * Which phases of a program's life or parts of its work, rather than all of that, the amounts are of ("the boot became
 * 30 % faster", "page faults took 3.1 s"), as bits; 0: none.
 */
uint64_t told_phases_of(const char *plain);
/* "Then it was back": what had gone is there again. */
bool told_comes_back(const char *plain);
/* "False alarm: …": what was told before it isn't so. */
bool told_is_retraction(const char *plain);
/*
 * "That was with half of the input", "the parameter had a typo", "that run skipped the checkpoint": what was told of a
 * run doesn't hold of what is asked about. Such a sentence is supposed, too.
 */
bool told_is_weakening(const char *plain);
/*
 * Where a change was taken back, and what it had brought stayed: "reverting it left it at 38 s"; NULL: nowhere. adds:
 * whether the change brings in what it is named by ("on again" takes back what took that away).
 */
const char *told_outlasts(const char *plain, bool adds);
/* Where it says that something was taken back ("reverted"); NULL: nowhere. */
const char *told_takes_back(const char *plain);

/* A heading says that what stands below was taken from others: "The manual gives this example:". */
bool told_heads_others(const char *heading);

#endif
