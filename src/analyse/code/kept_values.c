/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/kept_values.h"

static bool goes_on(const struct instruction *row)
{
    return row->falls_through && row->class != INSTRUCTION_BRANCH && row->class != INSTRUCTION_CALL;
}

/* What reads and writes the same register may only clear it: that is no evidence. */
static bool begins_with_kept(const struct instruction *rows, size_t count, size_t first, uint64_t general)
{
    uint64_t written = 0;
    for (size_t at = first; at < count; at++) {
        if (rows[at].reads & general & ~written & ~rows[at].writes)
            return true;
        written |= rows[at].writes;
        if (!goes_on(&rows[at]))
            return false;
    }
    return false;
}

bool code_keeps_values(const struct instruction *rows, size_t count, uint64_t general)
{
    for (size_t at = 0; at < count; at++) {
        bool jumps = rows[at].class == INSTRUCTION_BRANCH || rows[at].class == INSTRUCTION_JUMP;
        size_t first = at;
        if (!jumps || !rows[at].has_target || rows[at].target > rows[at].addr)
            continue;
        while (first > 0 && rows[first].addr > rows[at].target)
            first--;
        if (rows[first].addr == rows[at].target && begins_with_kept(rows, count, first, general))
            return true;
    }
    return false;
}
