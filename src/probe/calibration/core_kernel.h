/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How fast does this core do one kind of thing? Small loops that keep one resource busy and nothing else, timed in
 * CPU time. Each call is one slice of about 0.2 ms; the caller takes many, in turns with others.
 *
 * Does not support: architectures other than x86-64 and AArch64; of these, what the CPU lacks.
 */
#ifndef PLUMB_PROBE_CALIBRATION_CORE_KERNEL_H
#define PLUMB_PROBE_CALIBRATION_CORE_KERNEL_H

#include "base/measured.h"

#include <stdbool.h>

/*
 * Instructions issued a nanosecond: a long row of those that take a slot each and nothing else. With nops these are
 * no-operations, where this core doesn't issue two of them in a slot; else registers set to zero (x86).
 */
struct measured issue_rate(bool with_nops);
/* Fused multiply-additions of that vector width (128, 256, 512 bits) a nanosecond, ten of them independent. */
struct measured fma_rate(unsigned bits);
/*
 * Keep the vector units of that width busy for about so long: heavy, with multiply-adds; else with additions of
 * integers, which some cores run at a higher clock. NULL: done; else why this CPU can't.
 */
const char *wide_work(unsigned bits, bool heavy, double duration_ns);
/* Nanoseconds from one to the next of dependent ones. */
struct measured fma_latency_ns(void);
/* Nanoseconds that one wrongly guessed branch costs: a branch on random bits beside the same branch on one outcome. */
struct measured branch_miss_ns(void);
/* Nanoseconds of a CPUID instruction, which always leaves to the hypervisor in a guest. */
struct measured cpuid_ns(void);

#endif
