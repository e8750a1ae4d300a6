/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/recorder/stacks/recorder_excerpt.h"

enum { SIDE_BYTES_MOST = 16 << 20 };

void recorder_excerpt_done(struct recorder_excerpt *excerpt)
{
    text_done(&excerpt->side);
    vec_for_each(&excerpt->kept, sample)
        text_done(sample);
    vec_done(&excerpt->kept);
}

void recorder_excerpt_add_side(struct recorder_excerpt *excerpt, const void *record, size_t size_bytes)
{
    if (excerpt->side.length < SIDE_BYTES_MOST)
        text_append(&excerpt->side, record, size_bytes);
}

static void drop_every_second(struct recorder_excerpt *excerpt)
{
    size_t kept = 0;
    for (size_t at = 0; at < excerpt->kept.count; at++) {
        if (at % 2)
            text_done(&excerpt->kept.items[at]);
        else
            excerpt->kept.items[kept++] = excerpt->kept.items[at];
    }
    excerpt->kept.count = kept;
    excerpt->stride *= 2;
}

void recorder_excerpt_add_sample(struct recorder_excerpt *excerpt, const void *record, size_t size_bytes)
{
    excerpt->stride = excerpt->stride ? excerpt->stride : 1;
    if (excerpt->seen++ % excerpt->stride || excerpt->side.length >= SIDE_BYTES_MOST)
        return;
    if (excerpt->kept.count == EXCERPT_SAMPLES_MOST)
        drop_every_second(excerpt);
    struct text *sample = vec_push(&excerpt->kept);
    *sample = (struct text){0};
    text_append(sample, record, size_bytes);
}
