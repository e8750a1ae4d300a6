/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time in one of the kernel's activities, which would all come back without it. */
#ifndef PLUMB_FINDING_SYSTEM_KERNEL_TIME_H
#define PLUMB_FINDING_SYSTEM_KERNEL_TIME_H

#include "finding/hypothesis.h"

/*
 * By its samples, sampling error included; samples that may be of it (maybe), and those in code without names, count
 * for the upper end alone. False: it is ruled out.
 */
bool kernel_time_test_with(const struct results *results, struct finding *finding, double hits, double maybe);
bool kernel_time_test(const struct results *results, struct finding *finding, double hits);

#endif
