/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What perf stat or toplev may have written: every count that is known is a number, every other has its reason. */
#include "source/count_text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct arena arena = {0};
    struct count_text counts;
    struct error err = {0};
    if (count_text_read(&counts, (struct view){(const char *)bytes, size_bytes}, &arena, &err)) {
        for (size_t at = 0; at < counts.event_count; at++) {
            const struct counted_event *event = &counts.events[at];
            if (!event->name[0] || (event->known ? isnan(event->count) : !event->why_not) || event->running_ratio > 1)
                abort();
        }
        for (size_t at = 0; at < counts.metric_count; at++)
            if (!isfinite(counts.metrics[at].value))
                abort();
    } else if (!err.message[0]) {
        abort();
    }
    arena_done(&arena);
    return 0;
}
