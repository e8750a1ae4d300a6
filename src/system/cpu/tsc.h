/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many ticks a second has the time stamp counter, as the kernel knows it? */
#ifndef PLUMB_SYSTEM_CPU_TSC_H
#define PLUMB_SYSTEM_CPU_TSC_H

#include "base/measured.h"
#include "system/kernel.h"

/* From what the kernel tells readers of its clock in a perf event's page. */
struct measured tsc_hertz(const struct kernel *kernel);

#endif
