/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/comparison/run_value.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

void run_value_print(char *out, size_t size, double value, enum run_unit unit)
{
    static const struct {
        double least, factor;
        const char *name;
        int decimals;
    } scales[][4] = {
        [RUN_SECONDS] = {{1, 1, "s", 3}, {1e-3, 1e3, "ms", 3}, {1e-6, 1e6, "us", 1}, {0, 1e9, "ns", 0}},
        [RUN_COUNT] = {{1e9, 1e-9, "G", 3}, {1e6, 1e-6, "M", 3}, {1e4, 1e-3, "k", 1}, {0, 1, "", 0}},
        [RUN_BYTES] = {{0x1p30, 0x1p-30, "GiB", 2},
                       {0x1p20, 0x1p-20, "MiB", 1},
                       {0x1p10, 0x1p-10, "KiB", 0},
                       {0, 1, "B", 0}},
        [RUN_SHARE] = {{0, 100, "%", 1}},
        [RUN_HERTZ] = {{1e9, 1e-9, "GHz", 2}, {0, 1e-6, "MHz", 0}},
        [RUN_RATE] = {{0, 1, "", 3}},
    };
    size_t at = 0;
    while (scales[unit][at].least > fabs(value))
        at++;
    bool bare = value >= 0 && value <= 0; /* 0 ns, 0 B read worse than 0 */
    snprintf(out, size, "%.*f%s%s", bare ? 0 : scales[unit][at].decimals, value * scales[unit][at].factor,
             bare || !*scales[unit][at].name ? "" : " ", bare ? "" : scales[unit][at].name);
}
