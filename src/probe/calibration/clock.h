/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * At which clock does this CPU run just now? Timed chains of dependent additions, one a cycle, need no counters.
 *
 * The fastest of a few short slices counts: interrupts and neighbours only ever slow a slice down.
 * Does not support: the clock of another CPU (pin the caller), architectures other than x86-64 and AArch64.
 */
#ifndef PLUMB_PROBE_CALIBRATION_CLOCK_H
#define PLUMB_PROBE_CALIBRATION_CLOCK_H

#include "base/measured.h"

/* Hertz; takes about 0.3 ms, up to ten times that where others take the CPU again and again: not measured if always. */
struct measured clock_measure(void);

#endif
