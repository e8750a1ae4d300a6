/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A value of a run in the unit that suits it: "12.3 ms", "4.0 MiB", "2.49 GHz". */
#ifndef PLUMB_RENDER_COMPARISON_RUN_VALUE_H
#define PLUMB_RENDER_COMPARISON_RUN_VALUE_H

#include "statistics/run_table.h"

#include <stddef.h>

void run_value_print(char *out, size_t size, double value, enum run_unit unit);

#endif
