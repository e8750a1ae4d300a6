/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/footprint.h"

#include "analyse/bottleneck/thresholds.h"

static bool meets_line(const struct instruction *row)
{
    uint64_t in_line = row->addr & 63;
    return in_line == 0 || in_line + row->length > 64;
}

static void function_add(struct footprint *footprint, const struct stall_code *code, double *rows, double *at_lines)
{
    uint64_t line = UINT64_MAX;
    bool line_met = false;
    double in_line = 0, starts_in_line = 0;
    for (size_t at = 0; at <= code->count; at++) {
        const struct instruction *row = at < code->count ? &code->items[at] : NULL;
        if (!row || row->addr >> 6 != line) { /* a line is done: it counts when it was met */
            *rows += line_met ? in_line : 0;
            *at_lines += line_met ? starts_in_line : 0;
            footprint->bytes += line_met ? 64 : 0;
            line_met = false;
            in_line = starts_in_line = 0;
            line = row ? row->addr >> 6 : 0;
        }
        if (!row)
            break;
        in_line++;
        starts_in_line += meets_line(row);
        uint64_t hits = code->sampled[at];
        line_met |= hits > 0;
        footprint->addresses += hits > 0;
        footprint->samples += hits;
        footprint->line_share += meets_line(row) ? (double)hits : 0;
    }
}

struct footprint footprint_of(const struct stalls *stalls)
{
    struct footprint footprint = {0};
    double rows = 0, at_lines = 0;
    for (size_t at = 0; at < stalls->function_count; at++)
        if (!stalls->functions[at].is_kernel && stalls->codes[at].count)
            function_add(&footprint, &stalls->codes[at], &rows, &at_lines);
    footprint.line_share = footprint.samples ? footprint.line_share / (double)footprint.samples : 0;
    footprint.line_base = rows > 0 ? at_lines / rows : 0;
    return footprint;
}

bool footprint_speaks(const struct footprint *footprint)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    return footprint->samples >= limit->samples_least && footprint->line_share >= limit->front_line_share &&
           footprint->line_share >= limit->front_line_factor * footprint->line_base &&
           footprint->addresses >= limit->front_addresses && footprint->bytes >= limit->front_bytes / 2;
}
