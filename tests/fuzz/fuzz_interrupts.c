/* SPDX-License-Identifier: GPL-3.0-or-later */
/* /proc/interrupts, whose lines drivers name. */
#include "system/host/interrupts.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    enum { MOST = 8 };
    struct cpu_interrupts cpus[MOST];
    if (cpu_interrupts_parse((struct view){(const char *)bytes, size_bytes}, cpus, MOST) > MOST)
        abort(); /* the contract: what there is room for */
    return 0;
}
