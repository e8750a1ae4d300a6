/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/verdict/binaries.h"

#include "base/scope.h"
#include "finding/family.h"
#include "finding/maker.h"

#include <string.h>

/* A function that has so much says by itself where the time goes. */
static const double FLAT = 0.25, FLAT_NAMELESS = 0.5, SECOND_LEAST = 0.1, SAID_LEAST = 0.05;
enum { SAID_MOST = 4, BINARIES_MOST = 64, SAMPLES_LEAST = 100 };

struct binary_samples {
    const char *name;
    uint64_t samples;
};

/* NULL: code that lies nobody knows where, or the kernel, whose part the times tell. */
static const char *binary_of(const struct stall_function *function)
{
    if (function->is_kernel)
        return NULL;
    if (function_is_generated(function))
        return "generated code";
    return function->dso[0] && function->dso[0] != '[' ? function->dso : NULL;
}

static void binary_add(struct binary_samples binaries[BINARIES_MOST], const char *name, uint64_t samples)
{
    size_t at = 0;
    while (at < BINARIES_MOST && binaries[at].name && strcmp(binaries[at].name, name) != 0)
        at++;
    if (at == BINARIES_MOST)
        return;
    binaries[at].name = name;
    binaries[at].samples += samples;
}

static int more_compare(const void *a, const void *b)
{
    const struct binary_samples *left = a, *right = b;
    return (left->samples < right->samples) - (left->samples > right->samples);
}

static void binaries_count(const struct stalls *stalls, struct binary_samples ret_binaries[BINARIES_MOST])
{
    for (size_t at = 0; at < stalls->function_count; at++)
        if (binary_of(&stalls->functions[at]))
            binary_add(ret_binaries, binary_of(&stalls->functions[at]), stalls->functions[at].samples);
    qsort(ret_binaries, BINARIES_MOST, sizeof(*ret_binaries), more_compare);
}

struct binary_share binary_largest(const struct stalls *stalls)
{
    struct binary_samples binaries[BINARIES_MOST] = {0};
    if (!stalls || stalls->sample_count < SAMPLES_LEAST)
        return (struct binary_share){.name = NULL};
    binaries_count(stalls, binaries);
    return (struct binary_share){binaries[0].name, (double)binaries[0].samples / (double)stalls->sample_count};
}

const char *binaries_said(const struct results *results, struct arena *arena)
{
    struct binary_samples binaries[BINARIES_MOST] = {0};
    const struct stalls *stalls = results->stalls;
    if (!stalls || stalls->sample_count < SAMPLES_LEAST || !stalls->function_count ||
        stalls->functions[0].share.mid >= (function_is_nameless(&stalls->functions[0]) ? FLAT_NAMELESS : FLAT))
        return NULL;
    double all = (double)stalls->sample_count;
    binaries_count(stalls, binaries);
    if ((double)binaries[1].samples < SECOND_LEAST * all)
        return NULL;
    size_t count = 0;
    while (count < SAID_MOST && (double)binaries[count].samples >= SAID_LEAST * all)
        count++;
    scoped_text struct text out = {0};
    for (size_t at = 0; at < count; at++)
        text_printf(&out, "%s%s%s %.0f %%%s", at ? at + 1 < count ? ", " : " and " : "By binary, ", binaries[at].name,
                    at ? "" : " has", (double)binaries[at].samples / all * 100, at ? "" : " of the samples");
    return arena_printf(arena, "%s.", text_string(&out));
}
