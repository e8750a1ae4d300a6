/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/profile/callees_cut.h"

#include "base/arena.h"
#include "base/scope.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum match {
    MATCH_UNASKED,
    MATCH_NO,
    MATCH_YES,
};

struct cutting {
    struct recording *recording;
    struct symboliser *symboliser;
    const regex_t *functions;
    vec(uint8_t) matches; /* enum match, by symbol */
};

static bool is_meant(struct cutting *cutting, uint32_t location)
{
    uint32_t symbol = location == LOCATION_NONE ? SYMBOL_NONE : symboliser_symbol_id(cutting->symboliser, location);
    if (symbol == SYMBOL_NONE)
        return false;
    while (cutting->matches.count <= symbol)
        *vec_push(&cutting->matches) = MATCH_UNASKED;
    uint8_t *match = &cutting->matches.items[symbol];
    if (*match == MATCH_UNASKED)
        *match = regexec(cutting->functions, symboliser_symbol(cutting->symboliser, symbol)->name, 0, NULL, 0)
                     ? MATCH_NO
                     : MATCH_YES;
    return *match == MATCH_YES;
}

static void item_cut(struct cutting *cutting, struct tally_item *item)
{
    struct samples *samples = &cutting->recording->samples;
    const struct stack *stack = &samples->stacks[item->stack];
    const uint32_t *frames = samples->frames + stack->first;
    uint32_t at = stack->count;
    while (at > 0 && !is_meant(cutting, frames[at - 1]))
        at--;
    if (!at)
        return; /* none, or the sampled one itself, which calls nobody */
    size_t count = stack->count - at;
    item->location = frames[at - 1];
    scoped_free uint32_t *callers = memory_alloc(memory_product(count + 1, sizeof(*callers)));
    memcpy(callers, frames + at, count * sizeof(*callers)); /* the stack to come moves what it is read from */
    item->stack = samples_callers(samples, callers, count);
}

void callees_cut(struct sample_tally *tally, struct recording *recording, struct symboliser *symboliser,
                 const regex_t *functions)
{
    struct cutting cutting = {.recording = recording, .symboliser = symboliser, .functions = functions};
    for (size_t at = 0; at < tally->count; at++)
        if (tally->items[at].stack != STACK_NONE)
            item_cut(&cutting, &tally->items[at]);
    vec_done(&cutting.matches);
}
