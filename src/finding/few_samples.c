/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/few_samples.h"

#include "finding/wording.h"

const char *few_samples_advice(const struct results *results, struct arena *arena)
{
    static const double SAID_LEAST = 0.1;
    const struct bottleneck_lack *lack = results->bottleneck ? &results->bottleneck->lack : NULL;
    if (!lack || lack->share < SAID_LEAST || !lack->runs || results->cut || results->exit_status)
        return NULL;
    bool is_started = results->run && results->run->scope == RUN_STARTED;
    unsigned runs = lack->runs * (results->runs && results->runs->count > 1 ? (unsigned)results->runs->count : 1);
    if (!is_started)
        return arena_printf(arena, wording_find("verdict", "next-few-longer"), lack->share * 100, lack->runs);
    return arena_printf(arena, wording_find("verdict", "next-few"), lack->share * 100, runs);
}
