/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/cpu/script_parts.h"

#include "base/scope.h"
#include "base/vec.h"
#include "finding/named_work.h"
#include "finding/wording.h"

#include <string.h>

struct script_work {
    const struct named_work *language; /* the first part of the binary's; NULL: it has none */
    double *samples;                   /* by row of named_work_rows */
    double nameless;
};

static const struct named_work *language_of(const struct stall_function *function)
{
    for (size_t row = 0; row < named_work_count; row++)
        if (name_patterns_have(&named_work_rows[row].script, function))
            return &named_work_rows[row];
    return NULL;
}

static bool is_of_language(const struct named_work *part, const struct named_work *language)
{
    return part->script.count && part->script.count == language->script.count &&
           strcmp(name_patterns_binary(&part->script), name_patterns_binary(&language->script)) == 0;
}

/* NULL: of none. */
static const struct named_work *part_of(const struct named_work *language, const struct stall_function *function)
{
    for (size_t row = 0; row < named_work_count; row++)
        if (is_of_language(&named_work_rows[row], language) &&
            name_patterns_have(&named_work_rows[row].names, function))
            return &named_work_rows[row];
    return NULL;
}

/* A function without a name does what those with one asked for that called it, as far as stacks were copied. */
static double work_of_callers(struct script_work *work, const struct stall_function *function,
                              const struct stall_caller *callers, uint32_t count)
{
    double taken = 0;
    for (uint32_t at = 0; at < count && function->stacks; at++) {
        const struct stall_function caller = {.name = callers[at].name, .dso = callers[at].dso};
        const struct named_work *part = part_of(work->language, &caller);
        double samples = (double)function->samples * (double)callers[at].stacks / (double)function->stacks;
        if (!part)
            continue;
        work->samples[part - named_work_rows] += samples;
        taken += samples;
    }
    return taken;
}

/* Samples that it accounts for, or its callers do. */
static double add_function(struct script_work *work, const struct stall_function *function)
{
    const struct named_work *part = part_of(work->language, function);
    if (part) {
        work->samples[part - named_work_rows] += (double)function->samples;
        return (double)function->samples;
    }
    if (!function_is_nameless(function))
        return 0;
    double taken = work_of_callers(work, function, function->callers, function->caller_count);
    return taken > 0 ? taken : work_of_callers(work, function, function->owners, function->owner_count);
}

static struct script_work script_work_of(const struct stalls *stalls, const char *dso, struct arena *arena)
{
    struct script_work work = {.samples = arena_array(arena, double, named_work_count)};
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        const struct named_work *language = language_of(function);
        bool is_binarys = strcmp(function->dso, dso) == 0;
        work.language = work.language || !is_binarys ? work.language : language;
        double taken = language && language == work.language ? add_function(&work, function) : 0;
        if (is_binarys && function_is_nameless(function) && taken < (double)function->samples)
            work.nameless += (double)function->samples - taken;
    }
    return work;
}

/* NULL: the names of its functions say nothing. */
static const char *parts_text(const struct results *results, const struct finding *finding, struct script_work *work)
{
    enum { PARTS_SHOWN = 5 };
    scoped_text struct text out = {0};
    for (size_t shown = 0; shown < PARTS_SHOWN && work->language; shown++) {
        size_t best = 0;
        for (size_t row = 1; row < named_work_count; row++)
            best = work->samples[row] > work->samples[best] ? row : best;
        struct interval share = share_of_samples(results, finding, work->samples[best]);
        if (!share.known || share.mid < SCRIPT_PART_SHOWN_LEAST)
            break;
        struct value value = VALUE_SHARE("", interval_exactly(share.mid));
        text_printf(&out, "%s%s ", shown ? ", " : "", named_work_rows[best].words);
        value_print(&out, &value);
        work->samples[best] = 0;
    }
    return out.length ? arena_string(finding->arena, text_string(&out)) : NULL;
}

struct script_parts script_parts_of(const struct results *results, const struct finding *finding, const char *dso)
{
    struct script_work work = script_work_of(results->stalls, dso, finding->arena);
    return (struct script_parts){.said = parts_text(results, finding, &work), .nameless = work.nameless};
}
