/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/footprint.h"

#include "analyse/bottleneck/thresholds.h"

static bool is_at_line(uint64_t addr)
{
    uint64_t in_line = addr & 63;
    return in_line < 8 || in_line >= 56;
}

struct footprint footprint_of(const struct bottleneck_request *request)
{
    const struct stalls *stalls = request->stalls;
    const struct recording *recording = request->recording;
    struct footprint footprint = {.addresses = (double)stalls->hot_addresses, .bytes = (double)stalls->hot_code_lines * 64};
    double at_lines = 0;
    for (size_t at = 0; at < recording->samples.count; at++) {
        const struct sample *sample = &recording->samples.items[at];
        if (!stalls_counts_sample(recording, sample) || sample->location >= recording->samples.location_count)
            continue;
        const struct location *location = &recording->samples.locations[sample->location];
        if (location->cpu_mode == CPU_MODE_KERNEL)
            continue;
        footprint.samples++;
        at_lines += is_at_line(location->runtime_addr);
    }
    footprint.line_share = footprint.samples > 0 ? at_lines / footprint.samples : 0;
    return footprint;
}

bool footprint_speaks(const struct footprint *footprint)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    bool gathers = footprint->line_share >= limit->front_line_share && footprint->bytes >= limit->front_bytes / 2;
    bool is_flat = footprint->line_share >= limit->front_flat_share && footprint->bytes >= limit->front_flat_bytes;
    return footprint->samples >= limit->samples_least && footprint->addresses >= limit->front_addresses && (gathers || is_flat);
}
