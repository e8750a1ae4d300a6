/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which clock does the kernel read, and which could it? */
#ifndef PLUMB_SYSTEM_HOST_CLOCKSOURCE_H
#define PLUMB_SYSTEM_HOST_CLOCKSOURCE_H

#include "system/fact.h"

struct clocksource {
    struct fact_word current, available;
};

void clocksource_read(struct clocksource *clocksource, const struct sysroot *root);
/* Read without a system call (through the vDSO): tsc, kvm-clock, the Hyper-V page, Arm's counter. */
bool clocksource_is_fast(const struct clocksource *clocksource);
bool clocksource_name_is_fast(const char *name);

#endif
