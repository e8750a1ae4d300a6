/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does a loop wait for memory that others write: another thread, a process, a signal's handler, a device?
 *
 * By the code alone: it stores nothing, calls nothing, and no register takes anything from one turn into the next. So
 * each turn does what the one before did, until what it reads is changed by somebody else. Loads of one place twice a
 * turn are none of it: whoever reads data between them (a sequence lock) hardly ever goes round.
 * Does not support: loops that wait by an atomic update, that keep their variables in memory, that count their turns.
 */
#ifndef PLUMB_ANALYSE_CODE_POLLING_LOOP_H
#define PLUMB_ANALYSE_CODE_POLLING_LOOP_H

#include "analyse/code/loop_chain.h"

#include <stddef.h>

/* Rows are a function's, sorted by address; the loop's last one goes back to its first. */
bool code_loop_polls(const struct instruction *rows, size_t count, struct loop_rows loop);

#endif
