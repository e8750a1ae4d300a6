/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much of the CPU time went into loading: mapping libraries, relocating them, binding their symbols?
 *
 * Samples whose innermost user code is the dynamic loader's, the kernel's work on its behalf (page faults, mmap)
 * among them; dlopen counts, too. Does not support: what exec itself takes; the faults on relocated pages that the
 * program meets later.
 */
#ifndef PLUMB_ANALYSE_TIME_LOADING_H
#define PLUMB_ANALYSE_TIME_LOADING_H

#include "model/recording.h"

struct loading {
    uint64_t samples; /* that count time, idle threads' left out */
    uint64_t loading; /* of these */
};

struct loading loading_of(const struct recording *recording);

#endif
