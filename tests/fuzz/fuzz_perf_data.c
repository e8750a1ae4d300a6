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

static bool fill(struct capture *capture, const uint8_t *bytes, size_t size_bytes, const struct capture_options *options)
{
    struct source *source;
    struct error err = {0};
    capture_init(capture);
    if (!perf_data_open_bytes(&source, bytes, size_bytes, &err))
        return false;
    bool complete = capture_fill_with(capture, source, options, &err);
    if (!complete && err.kind == ERROR_NONE)
        abort();
    source->ops->close(source);
    return complete;
}

/* What is whole holds the same samples in whatever order they come. */
static void check_alike(const struct recording *ordered, const struct recording *any)
{
    if (ordered->event_count != any->event_count)
        abort();
    for (size_t at = 0; at < any->event_count; at++)
        if (ordered->events[at].sample_count != any->events[at].sample_count)
            abort();
}

/* Making a capture's tables takes longer than reading most inputs: of the lengths that one is cut to a part are enough. */
static bool is_read_twice(size_t size_bytes)
{
    return size_bytes % 8 == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    static const struct capture_options keeping = {.keep_samples = true, .keep_switches = true};
    const struct capture_options counting = {.any_order = true, .add_up_alike = size_bytes % 16 == 0, .callers_apart = true};
    struct capture kept, counted;
    bool complete = fill(&kept, bytes, size_bytes, &keeping);
    check_recording(&kept.recording);
    if (is_read_twice(size_bytes)) {
        if (fill(&counted, bytes, size_bytes, &counting) && complete)
            check_alike(&kept.recording, &counted.recording);
        capture_done(&counted);
    }
    capture_done(&kept);
    return 0;
}
