/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/few_samples.h"

#include "finding/wording.h"

const char *few_samples_advice(const struct results *results, struct arena *arena)
{
    static const double SAID_LEAST = 0.1;
    const struct bottleneck_lack *lack = results->bottleneck ? &results->bottleneck->lack : NULL;
    if (!lack || lack->share < SAID_LEAST || !lack->runs || results->cut || results->exit_status)
        return NULL;
    bool is_started = results->run && results->run->scope == RUN_STARTED;
    unsigned before = is_started && results->runs && results->runs->count > 1 ? (unsigned)results->runs->count : 1;
    return verdict_words(arena, is_started ? "next-few" : "next-few-longer",
                         VALUE_SHARE("share", interval_exactly(lack->share)),
                         VALUE_TEXT("times", arena_printf(arena, "%u", lack->runs * before)));
}
