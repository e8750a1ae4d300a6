/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/loop/loop_start.h"

#include <string.h>

enum { ROWS_MOST = 32 };

static bool is_constant(const struct instruction *row)
{
    bool moves = row->has_immediate && row->mnemonic && strcmp(row->mnemonic, "mov") == 0;
    bool clears = row->mnemonic && strcmp(row->mnemonic, "xor") == 0;
    return !row->reads && !row->memory.is_present && (moves || clears);
}

struct loop_start loop_start_of(const struct instruction *rows, uint32_t head, uint8_t number)
{
    uint64_t written = 0;
    for (uint32_t back = 1; back <= ROWS_MOST && back <= head; back++) {
        const struct instruction *row = &rows[head - back];
        if (row->ends_block || row->class == INSTRUCTION_CALL)
            break;
        if (!(row->writes >> number & 1)) {
            written |= row->writes;
            continue;
        }
        if (is_constant(row))
            return (struct loop_start){true, REGISTER_NONE, row->immediate};
        bool copies = row->is_sum && row->sum_from != number && !(written >> row->sum_from & 1);
        return copies ? (struct loop_start){true, row->sum_from, row->sum} : (struct loop_start){0};
    }
    return (struct loop_start){true, number, 0};
}
