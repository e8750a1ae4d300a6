/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/resources.h"

static const double WIDTH = 4, LOADS = 2, FP_UNITS = 2;
static const double CLEARLY = 1.1; /* a tie with issue goes to issue: all units are busy then */

static bool sets_flags(const struct instruction *row)
{
    return row->class == INSTRUCTION_INT || (row->class == INSTRUCTION_LOAD_OP && !row->is_fp);
}

struct resources resources_of(const struct region *region)
{
    struct resources use = {0};
    const struct instruction *before = NULL;
    for (uint32_t at = region->rows.first; at <= region->rows.last; at++) {
        const struct instruction *row = &region->code->items[at];
        if (!region_holds(region, at) || row->class == INSTRUCTION_NOP)
            continue;
        bool fuses = row->class == INSTRUCTION_BRANCH && before && sets_flags(before);
        bool stores = row->is_store && row->class != INSTRUCTION_CALL;
        use.issue += (fuses ? 0 : 1) + (row->class == INSTRUCTION_UPDATE ? 1 : 0);
        use.loads += row->is_load;
        use.stores += stores;
        bool arithmetic = row->class == INSTRUCTION_FP || (row->class == INSTRUCTION_LOAD_OP && row->is_fp);
        use.fp += arithmetic;
        use.single += row->class == INSTRUCTION_MUL || row->class == INSTRUCTION_CRYPTO ||
                      (row->class == INSTRUCTION_VECTOR && row->vector_bits);
        before = row;
    }
    use.issue /= WIDTH;
    use.loads /= LOADS;
    use.fp /= FP_UNITS;
    return use;
}

enum bottleneck_cause resources_first(const struct resources *use)
{
    double ports = use->loads > use->stores ? use->loads : use->stores;
    ports = use->single > ports ? use->single : ports;
    if (use->fp > CLEARLY * use->issue && use->fp >= ports)
        return CAUSE_FP;
    return ports > CLEARLY * use->issue ? CAUSE_PORTS : CAUSE_RETIRING;
}
