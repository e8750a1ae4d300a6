/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a memory access went to (PERF_SAMPLE_DATA_SRC), in the words that perf script prints. */
#ifndef PLUMB_COMMAND_SCRIPT_SCRIPT_MEMORY_H
#define PLUMB_COMMAND_SCRIPT_SCRIPT_MEMORY_H

#include "base/text.h"

#include <stdint.h>

/* "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A" */
void script_memory_text(struct text *out, uint64_t data_src);

#endif
