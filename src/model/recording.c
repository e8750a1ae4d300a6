/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/recording.h"

#include "base/vec.h"

void recording_init(struct recording *recording)
{
    *recording = (struct recording){.architecture = "unknown"};
    arena_init(&recording->arena);
    strings_init(&recording->strings);
    address_spaces_init(&recording->spaces, &recording->strings);
}

void recording_done(struct recording *recording)
{
    threads_done(&recording->threads);
    address_spaces_done(&recording->spaces);
    samples_done(&recording->samples);
    free(recording->switches);
    free(recording->code_pages);
    strings_done(&recording->strings);
    arena_done(&recording->arena);
    *recording = (struct recording){0};
}
