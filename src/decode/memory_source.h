/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a memory access went to (PERF_SAMPLE_DATA_SRC), in the words that perf prints. */
#ifndef PLUMB_DECODE_MEMORY_SOURCE_H
#define PLUMB_DECODE_MEMORY_SOURCE_H

#include "base/text.h"

#include <stdint.h>

/* "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A" */
void memory_source_text(struct text *out, uint64_t data_src);
/* Its parts: "L1 hit", "HitM", "L1 or L2 hit", "Yes", " Data". */
void memory_source_level(struct text *out, uint64_t data_src);
void memory_source_snoop(struct text *out, uint64_t data_src);
void memory_source_tlb(struct text *out, uint64_t data_src);
void memory_source_block(struct text *out, uint64_t data_src);
const char *memory_source_lock(uint64_t data_src);
/* The size of a page that was met: "4K", "2M"; "N/A" for 0. */
void memory_page_size(struct text *out, uint64_t bytes);

#endif
