/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/loading.h"

#include "analyse/code/code_origin.h"
#include "analyse/stall/stalls.h"

static bool is_loader(const struct recording *recording, uint32_t dso)
{
    return dso < recording->spaces.dso_count &&
           code_is_loader(strings_text(&recording->strings, recording->spaces.dsos[dso].name));
}

/* NULL: it has none, or that wasn't recorded. */
static const struct location *innermost_user(const struct samples *samples, const struct sample *sample)
{
    const struct location *own = sample->location < samples->location_count ? &samples->locations[sample->location]
                                                                            : NULL;
    if (own && own->cpu_mode == CPU_MODE_USER)
        return own;
    if (sample->stack >= samples->stack_count)
        return NULL;
    const struct stack *stack = &samples->stacks[sample->stack];
    for (uint32_t at = 0; at < stack->count; at++) {
        const struct location *caller = &samples->locations[samples->frames[stack->first + at]];
        if (caller->cpu_mode == CPU_MODE_USER)
            return caller;
    }
    return NULL;
}

struct loading loading_of(const struct recording *recording)
{
    struct loading loading = {0};
    for (size_t at = 0; at < recording->samples.count; at++) {
        const struct sample *sample = &recording->samples.items[at];
        if (!stalls_counts_sample(recording, sample))
            continue;
        const struct location *user = innermost_user(&recording->samples, sample);
        loading.samples += sample->alike + UINT64_C(1);
        loading.loading += user && is_loader(recording, user->dso) ? sample->alike + UINT64_C(1) : 0;
    }
    return loading;
}
