/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole perf.data file, file or pipe format, into a recording. */
#include "capture/capture.h"
#include "source/perf_data/perf_data.h"

#include <stdint.h>
#include <stdlib.h>

/* What the model promises: sorted mappings that don't overlap, and ids that exist. */
static void check_recording(const struct recording *recording)
{
    for (size_t at = 0; at < recording->spaces.count; at++) {
        const struct address_space *space = &recording->spaces.items[at];
        for (size_t map = 0; map < space->count; map++)
            if (space->mappings[map].start >= space->mappings[map].end ||
                (map && space->mappings[map - 1].end > space->mappings[map].start) ||
                space->mappings[map].dso >= recording->spaces.dso_count)
                abort();
    }
    for (size_t at = 0; at < recording->samples.count; at++) {
        const struct sample *sample = &recording->samples.items[at];
        if (sample->thread >= recording->threads.count || sample->event >= recording->event_count ||
            (sample->location != LOCATION_NONE && sample->location >= recording->samples.location_count))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct source *source;
    struct error err = {0};
    if (!perf_data_open_bytes(&source, bytes, size_bytes, &err))
        return 0;
    struct capture capture;
    capture_init(&capture);
    if (!capture_fill(&capture, source, NULL, true, &err) && err.kind == ERROR_NONE)
        abort();
    check_recording(&capture.recording);
    capture_done(&capture);
    source->ops->close(source);
    return 0;
}
