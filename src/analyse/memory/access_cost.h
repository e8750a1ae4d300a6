/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one access of a pattern that was found in the program costs on this machine: on small pages, on huge
 * pages, and when it hits the caches; measured beside the run (probe/page_walk), kept in the case.
 */
#ifndef PLUMB_ANALYSE_MEMORY_ACCESS_COST_H
#define PLUMB_ANALYSE_MEMORY_ACCESS_COST_H

#include "base/arena.h"
#include "base/json/json_reader.h"
#include "base/text.h"
#include "statistics/interval.h"

struct access_cost {
    uint64_t span_bytes, lines_bytes, stride_bytes; /* the pattern, as probe/page_walk.h has it */
    uint32_t element_bytes;
    bool dependent;
    uint32_t group;             /* index of the stall group it stands for; ACCESS_COST_NO_GROUP: of none found */
    const char *function, *area; /* whose: ranks change when a case is analysed anew. NULL: an older case */
    uint64_t instruction;       /* the hottest one's address */
    bool known;
    const char *why_not;
    struct interval ns_small, ns_huge; /* per access, quartiles */
    uint32_t work_instructions; /* of other work between two accesses, imitated by the probe */
    struct interval ns_work;    /* that work alone; unknown: an older case */
    struct interval ns_line;    /* one line of the same memory when lines are read in order */
    struct interval ratio;      /* huge / small, paired, 95 % */
    struct interval ratio_spread, wait_spread; /* as probe/page_walk.h has them; unknown: an older case */
    struct interval ns_near;    /* the same pattern over 256 KiB on huge pages: as if it fitted the near caches */
    /* first touch of 4 KiB, on either: as probe/page_walk.h has it; unknown: an older case */
    struct interval ns_touch_small, ns_touch_huge;
    uint64_t measured_span_bytes;
    uint64_t blocks;
};

#define ACCESS_COST_NO_GROUP UINT32_MAX

struct access_costs {
    struct access_cost *items; /* in the order of the groups measured */
    size_t count;
    bool skid_known, one_behind;
    /* samples land on the stalled instruction itself, with the registers that it left (precise sampling) */
    bool exact;
    struct interval exact_ratio;
    /* behind a wrong guess samples land on the second instruction, not the first */
    bool restart_known, restarts_behind;
    struct interval behind_ratio;
    const char *skid_why_not;
};

void access_costs_write(const struct access_costs *costs, struct text *out);
/* Errors: ERROR_FORMAT. Owner: arena. */
MUST_CHECK bool access_costs_read(struct access_costs *costs, struct json_value root, struct arena *arena,
                                  struct error *err);
/* The cost measured for a stall group, or NULL. */
const struct access_cost *access_costs_of_group(const struct access_costs *costs, uint32_t group);

#endif
