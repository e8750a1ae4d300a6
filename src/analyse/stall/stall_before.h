/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which instruction ran before the one that a sample fell on, and so was waited for? One rule for whoever asks: by the
 * code, and where several ways lead there, by where else samples fell (stall_code's items, met and count). Does not
 * support: what called a function.
 */
#ifndef PLUMB_ANALYSE_STALL_STALL_BEFORE_H
#define PLUMB_ANALYSE_STALL_STALL_BEFORE_H

#include "analyse/stall/stalls.h"

/* UINT32_MAX: no way to `sampled` is known. */
uint32_t stall_before(const struct stall_code *decoded, uint32_t sampled);
/* The row before it goes on to it; padding behind a jump is never run. */
bool stall_falls_in(const struct stall_code *decoded, uint32_t index);

#endif
