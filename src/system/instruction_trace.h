/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which instructions did a thread run, one after the other?
 *
 * The sequence names rows of the table of distinct instructions; a repeated string instruction stands in it once.
 * Plain data, so that who takes it (probe/) and who judges it (analyse/) needn't know one another.
 */
#ifndef PLUMB_SYSTEM_INSTRUCTION_TRACE_H
#define PLUMB_SYSTEM_INSTRUCTION_TRACE_H

#include "base/vec.h"

#include <stdint.h>

#define TRACED_BYTES_MOST 15 /* of an x86 instruction */

struct traced_instruction {
    uint64_t ip;
    uint8_t byte_count; /* readable there, at most TRACED_BYTES_MOST; the instruction may be shorter */
    uint8_t bytes[TRACED_BYTES_MOST];
};

struct instruction_trace {
    vec(struct traced_instruction) table;
    vec(uint32_t) sequence;
};

static inline void instruction_trace_done(struct instruction_trace *trace)
{
    vec_done(&trace->table);
    vec_done(&trace->sequence);
}

#endif
