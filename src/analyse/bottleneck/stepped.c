/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/stepped.h"

enum {
    BURSTS_LEAST = 3, /* fewer may have missed what the program does at other times */
    INSTRUCTIONS_LEAST = 12000,
};

static const double GUESS_CYCLES[3] = {12, 18, 25};       /* least, usual, most */
/* of a line that level 2 has: it answers in 14, and fetch runs ahead */
static const double LINE_CYCLES[3] = {3, 9, 15};
static const double FAR_LINE_CYCLES = 100;                /* at most, of one that it hasn't */
static const double NEAR_BYTES = 1 << 20;                 /* of code that level 2 has */
/* that 1000 instructions take apart from it: one, two, four a cycle */
static const double OTHER_CYCLES[3] = {1000, 500, 250};

static double part_of(double cycles, double others)
{
    return cycles / (cycles + others);
}

static struct interval share_of(struct interval per_1000, const double *cost, double cost_most)
{
    return interval_of(part_of(per_1000.low * cost[0], OTHER_CYCLES[0]),
                       part_of(per_1000.mid * cost[1], OTHER_CYCLES[1]),
                       part_of(per_1000.high * cost_most, OTHER_CYCLES[2]));
}

static double mid_of(struct interval rate)
{
    return rate.known ? rate.mid : 0;
}

struct stepped stepped_of(const struct trace_summary *trace)
{
    struct stepped stepped = {0};
    if (!trace || trace->bursts < BURSTS_LEAST || trace->instructions < INSTRUCTIONS_LEAST ||
        !trace->all.per_1000.known)
        return stepped;
    stepped.known = true;
    stepped.guessed = share_of(trace->all.per_1000, GUESS_CYCLES, GUESS_CYCLES[2]);
    stepped.is_indirect = mid_of(trace->indirect.per_1000) > mid_of(trace->conditional.per_1000);
    bool near = (double)trace->code_lines * 64 <= NEAR_BYTES;
    if (trace->line_misses.known)
        stepped.fetched = share_of(trace->line_misses, LINE_CYCLES, near ? LINE_CYCLES[2] : FAR_LINE_CYCLES);
    return stepped;
}
