/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often does the hottest loop turn each time it is entered? From bursts of instructions as they ran.
 *
 * A loop is where a direct jump back was taken, and reaches from where that leads to the last such jump. It is entered
 * where control comes in from elsewhere, returns from what it calls left out. A burst begins and ends within a run of
 * it as often as not, so that runs longer than a burst show as few entries, or none. Does not support: loops whose
 * rarely used parts lie elsewhere (each such part taken counts as an entry).
 */
#ifndef PLUMB_ANALYSE_TRACE_LOOP_TURNS_H
#define PLUMB_ANALYSE_TRACE_LOOP_TURNS_H

#include "base/hashmap.h"
#include "base/vec.h"
#include "statistics/interval.h"
#include "symbol/disassembly.h"
#include "system/instruction_trace.h"

struct traced_loop {
    uint64_t head_ip, last_ip;
    uint64_t turns, entries;
    uint64_t instructions; /* of its turns, those of loops inside left out */
};

struct loop_turns {
    struct hashmap by_head;
    vec(struct traced_loop) loops;
};

void loop_turns_done(struct loop_turns *turns);
/* One burst more. decoded: its table. */
void loop_turns_add(struct loop_turns *turns, const struct instruction_trace *trace, const struct instruction *decoded);
/* The one with most instructions; NULL: none turned. */
const struct traced_loop *loop_turns_hottest(const struct loop_turns *turns);
/* Turns per entry; `high` is 0 where too few entries were met to bound it; not known: it didn't turn. */
struct interval turns_per_entry(uint64_t turns, uint64_t entries);

#endif
