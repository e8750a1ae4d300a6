/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/cpu/load_chains.h"

#include "analyse/loop/loop_summary.h"

enum { ROWS_MOST = 256 }; /* of a loop that is looked at whole */

static bool is_own(const struct stall_code *code, struct loop_rows loop, uint32_t row)
{
    return code->loops[row].first == loop.first && code->loops[row].last == loop.last;
}

/* Of one loop without those inside: all samples, where most stand at chased loads; else these alone. */
static double loop_turns(const struct stall_code *code, struct loop_rows loop)
{
    double all = 0, chased = 0;
    for (uint32_t row = loop.first; row <= loop.last; row++) {
        double own = is_own(code, loop, row) ? (double)code->hits[row] : 0;
        all += own;
        chased += code->marks[row] & (MARK_ADDRESSED | MARK_FOLLOWS) ? own : 0;
    }
    return 2 * chased >= all ? all : chased;
}

double load_chain_turns(const struct stalls *stalls)
{
    double turns = 0;
    for (size_t at = 0; stalls->codes && at < stalls->function_count; at++) {
        const struct stall_code *code = &stalls->codes[at];
        bool is_known = !stalls->functions[at].is_kernel && code->count && code->hits && code->loops && code->marks;
        for (uint32_t row = 0; is_known && row < code->count; row++)
            if (code->loops[row].first != UINT32_MAX && code->loops[row].last == row)
                turns += loop_turns(code, code->loops[row]);
    }
    return turns;
}

bool load_chain_searches(const struct stalls *stalls, const struct stall_row *row, struct arena *arena)
{
    const struct stall_code *code = stalls->codes ? &stalls->codes[row->function] : NULL;
    for (uint32_t at = 0; code && code->loops && at < code->count; at++) {
        struct loop_rows loop = code->loops[at];
        if (code->items[at].addr != row->shown_addr || loop.first == UINT32_MAX || loop.last - loop.first >= ROWS_MOST)
            continue;
        struct loop_summary summary = loop_summary_of(code->items, loop, NULL, 0, arena);
        return summary.decision == LOOP_GOES_ON_UNTIL_EQUAL;
    }
    return false;
}
