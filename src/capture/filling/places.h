/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which instruction of which file is at an address: locations of the model, those met lately without asking the address
 * spaces.
 */
#ifndef PLUMB_CAPTURE_FILLING_PLACES_H
#define PLUMB_CAPTURE_FILLING_PLACES_H

#include "capture/filling/filling_state.h"

/* capture_locate(), with what it said before. Kernel code is the same to all processes. */
uint32_t capture_place(struct capture *capture, uint32_t space, uint64_t ip, enum cpu_mode mode);
/* Have the memory fetched that capture_place(), soon to follow, begins with. */
void capture_fetch_place(struct capture_state *state, uint64_t ip);

#endif
