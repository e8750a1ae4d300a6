/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/held_in.h"

#include "finding/family.h"
#include "finding/wording.h"

static const double OTHERS_LEAST = 0.05; /* of all: less changes no figure of a sentence */

struct held_in held_in_function(const struct results *results, const struct finding *finding, uint32_t function,
                                function_holds *holds, const void *context, struct interval all)
{
    double own = 0, others = 0;
    uint32_t functions = 0;
    for (uint32_t at = 0; at < results->stalls->function_count; at++) {
        double here = results->stalls->functions[at].is_kernel ? 0 : holds(results->stalls, at, context);
        own += at == function ? here : 0;
        others += at == function ? 0 : here;
        functions += here > 0;
    }
    if (others < OTHERS_LEAST * (own + others))
        return (struct held_in){all, false, ""};
    const struct value values[] = {VALUE_SHARE("share", all), VALUE_COUNT("functions", functions)};
    return (struct held_in){share_of_samples(results, finding, own), own < others,
                            wording_fill(finding->arena, wording_find("common", "together"), values, 2)};
}
