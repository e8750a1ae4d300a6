/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's lists of CPUs ("0-3,8"), from any snapshot that somebody sends. */
#include "base/text.h"
#include "system/sysroot.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    int *cpus = NULL;
    size_t count = 0;
    struct view list = {.text = (const char *)bytes, .length = size_bytes};
    if (cpu_list_parse(list, &cpus, &count)) {
        for (size_t at = 1; at < count; at++)
            if (cpus[at - 1] >= cpus[at])
                abort(); /* the contract: sorted, each once */
        free(cpus);
    }
    return 0;
}
