/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/estimated_place.h"

#include "base/scope.h"
#include "base/vec.h"
#include "finding/family.h"

#include <string.h>

enum { PARTS_MOST = 3 };

/* A function with less of it is no place of its own; one with more has it; less that isn't told is nothing. */
static const double PART_LEAST = 0.05, NEARLY_ALL = 0.75, REST_LEAST = 0.02;

struct place {
    const char *function;
    double samples;
};

typedef vec(struct place) place_list;

static double laid_in(const struct bottleneck_loop *loop, unsigned causes)
{
    double laid = 0;
    for (int cause = 0; cause < CAUSE_COUNT; cause++)
        laid += causes & CAUSE_BIT(cause) ? loop->masses[cause] : 0;
    return laid * (double)loop->samples;
}

static void place_add(place_list *places, const char *function, double samples)
{
    for (size_t at = 0; at < places->count; at++) {
        if (strcmp(places->items[at].function, function) != 0)
            continue;
        places->items[at].samples += samples;
        return;
    }
    *vec_push(places) = (struct place){function, samples};
}

static void places_sort(place_list *places)
{
    for (size_t from = 1; from < places->count; from++)
        for (size_t at = from; at > 0 && places->items[at - 1].samples < places->items[at].samples; at--) {
            struct place smaller = places->items[at - 1];
            places->items[at - 1] = places->items[at];
            places->items[at] = smaller;
        }
}

static const char *parts_words(const place_list *places, double all, double share, struct arena *arena)
{
    scoped_text struct text out = {0};
    double told = 0;
    for (size_t at = 0; at < places->count && at < PARTS_MOST && places->items[at].samples >= PART_LEAST * all; at++) {
        text_printf(&out, "%s%s (%.0f %%)", at ? ", " : ", in ", name_for_sentence(places->items[at].function, arena),
                    places->items[at].samples / all * share * 100);
        told += places->items[at].samples;
    }
    if (told > 0 && all - told >= REST_LEAST * all)
        text_add(&out, " and more");
    return arena_string(arena, text_string(&out));
}

struct estimated_place estimated_place_of(const struct results *results, unsigned causes, struct interval share,
                                          struct arena *arena)
{
    const struct bottleneck *bottleneck = results->bottleneck;
    const char *leads = bottleneck && bottleneck->program.function ? bottleneck->program.function : "its code";
    struct estimated_place place = {leads, ""};
    place_list places = {0};
    double told = 0, all = results->stalls ? estimated_mass(results, causes) : 0;
    for (size_t at = 0; bottleneck && at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &bottleneck->loops[at];
        double laid = laid_in(loop, causes);
        if (!loop->verdict.function || laid <= 0)
            continue;
        place_add(&places, loop->verdict.function, laid);
        told += laid;
    }
    places_sort(&places);
    all = told > all ? told : all; /* what was moved to other causes of the program stays with its loops */
    bool is_one = !places.count || places.items[0].samples >= NEARLY_ALL * all;
    if (is_one && places.count)
        place.function = places.items[0].function;
    else if (!is_one)
        place = (struct estimated_place){"its code", parts_words(&places, all, share.mid, arena)};
    vec_done(&places);
    return place;
}
