/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/diagnosis/phase_section.h"

#include "base/json/json_measured.h"
#include "render/diagnosis/bottleneck.h"
#include "render/diagnosis/topdown_section.h"
#include "statistics/json_interval.h"

#include <string.h>

/* ---- text -------------------------------------------------------------------------------------------------- */

static const char *hot_functions(const struct phase_whole *phase, struct arena *arena)
{
    static const double SHOWN_LEAST = 0.01;
    const char *text = "";
    for (size_t at = 0; at < phase->function_count && (!at || phase->functions[at].share >= SHOWN_LEAST); at++)
        text = arena_printf(arena, "%s%s%s %.0f %%", text, at ? ", " : " Hot: ", phase->functions[at].name,
                            phase->functions[at].share * 100);
    return text;
}

static struct phase_line line_of(const struct phase_whole *phase, const char *how, const char *what,
                                 struct arena *arena)
{
    size_t length = strlen(what);
    const char *stop = length && what[length - 1] == '.' ? "" : ".";
    struct phase_line line = {.text = arena_printf(arena, "%s: %s%s%s", how, what, stop, hot_functions(phase, arena))};
    snprintf(line.label, sizeof(line.label), "%3u  ", phase->phase + 1);
    return line;
}

static struct phase_line counted_line(const struct phase_verdict *verdict, struct arena *arena)
{
    struct phase_line line = line_of(verdict->tree->phase, verdict->node ? "COUNTED" : "not counted",
                                     verdict->node ? verdict->sentence : verdict->why_not, arena);
    line.tree = verdict->node ? &verdict->tree->counted : NULL;
    return line;
}

size_t phase_lines(struct phase_line lines[PHASE_LINES_MOST], const struct diagnosis *diagnosis, struct arena *arena)
{
    const struct phase_verdicts *verdicts = diagnosis->phase_verdicts;
    const struct phase_bottlenecks *estimates = diagnosis->phase_estimates;
    size_t count = 0;
    for (size_t at = 0; verdicts && at < verdicts->count; at++)
        lines[count++] = counted_line(&verdicts->items[at], arena);
    for (size_t at = 0; estimates && at < estimates->count; at++)
        lines[count++] = line_of(estimates->items[at].phase, "ESTIMATED",
                                 bottleneck_line_of(&estimates->items[at].verdict, arena), arena);
    return count;
}

struct brief {
    const struct phase_whole *phase;
    const char *kind, *what;
};

/* What is told of phases, counted or estimated; returns how many. */
static size_t briefs_of(struct brief briefs[PHASE_LINES_MOST], const struct diagnosis *diagnosis, struct arena *arena)
{
    const struct phase_verdicts *verdicts = diagnosis->phase_verdicts;
    const struct phase_bottlenecks *estimates = diagnosis->phase_estimates;
    size_t count = 0;
    for (size_t at = 0; verdicts && at < verdicts->count; at++) {
        const struct phase_verdict *one = &verdicts->items[at];
        if (one->node)
            briefs[count++] =
                (struct brief){one->tree->phase, one->node->path,
                               arena_printf(arena, "%s %.0f %%", one->node->name, one->node->value.value * 100)};
    }
    for (size_t at = 0; estimates && at < estimates->count; at++) {
        const struct bottleneck_verdict *one = &estimates->items[at].verdict;
        if (one->class != BOTTLENECK_UNKNOWN)
            briefs[count++] =
                (struct brief){estimates->items[at].phase, bottleneck_kind(one, arena), bottleneck_brief(one, arena)};
    }
    return count;
}

const char *phases_differ(const struct diagnosis *diagnosis, struct arena *arena)
{
    struct brief briefs[PHASE_LINES_MOST];
    size_t count = briefs_of(briefs, diagnosis, arena);
    const char *text = NULL;
    bool differ = false;
    for (size_t at = 0; at < count; at++) {
        const struct phase_whole *phase = briefs[at].phase;
        differ |= strcmp(briefs[at].kind, briefs[0].kind) != 0;
        text = arena_printf(arena, "%s%s%u (%s) %s", text ? text : "", text ? "; " : "", phase->phase + 1,
                            phase->function_count ? phase->functions[0].name : "[unknown]", briefs[at].what);
    }
    return differ ? text : NULL;
}

/* ---- JSON -------------------------------------------------------------------------------------------------- */

static void functions_json(struct json_writer *json, const struct phase_function *functions, size_t count)
{
    json_array_open(json, "functions");
    for (size_t at = 0; at < count; at++) {
        json_object_open(json, NULL);
        json_string(json, "function", functions[at].name);
        json_double(json, "share", functions[at].share);
        json_object_close(json);
    }
    json_array_close(json);
}

static void row_json(struct json_writer *json, const struct phase_row *row)
{
    json_object_open(json, NULL);
    json_u64(json, "phase", row->phase + 1);
    json_double(json, "from_s", row->from_s);
    json_double(json, "until_s", row->until_s);
    json_u64(json, "samples", row->samples);
    functions_json(json, row->functions, row->function_count);
    json_object_close(json);
}

static void whole_members(struct json_writer *json, const struct phase_whole *phase)
{
    json_u64(json, "phase", phase->phase + 1);
    json_u64(json, "samples", phase->samples);
    json_double(json, "seconds", phase->seconds);
    json_u64(json, "stretches", phase->stretches);
    functions_json(json, phase->functions, phase->function_count);
}

static void verdict_json(struct json_writer *json, const struct phase_verdict *verdict)
{
    json_object_open(json, NULL);
    whole_members(json, verdict->tree->phase);
    json_string(json, "sentence", verdict->sentence);
    json_string(json, "node", verdict->node ? verdict->node->path : NULL);
    json_bool(json, "flagged", verdict->is_flagged);
    json_measured(json, "value", verdict->node ? verdict->node->value : not_measured(verdict->why_not));
    json_interval(json, "share", verdict->share);
    json_string(json, "whole", verdict->whole);
    json_string(json, "cause", verdict->cause);
    json_string(json, "title", verdict->cause_title);
    json_string(json, "why_not", verdict->why_not);
    topdown_section_json(json, verdict->tree->is_known ? &verdict->tree->counted : NULL);
    json_object_close(json);
}

static void estimate_json(struct json_writer *json, const struct phase_bottleneck *one)
{
    json_object_open(json, NULL);
    whole_members(json, one->phase);
    bottleneck_verdict_json(json, &one->verdict);
    json_object_close(json);
}

void phases_json(struct json_writer *json, const struct diagnosis *diagnosis)
{
    json_array_open(json, "phases");
    for (size_t at = 0; diagnosis->phases && at < diagnosis->phases->count; at++)
        row_json(json, &diagnosis->phases->items[at]);
    json_array_close(json);
    json_array_open(json, "phase_verdicts");
    for (size_t at = 0; diagnosis->phase_verdicts && at < diagnosis->phase_verdicts->count; at++)
        verdict_json(json, &diagnosis->phase_verdicts->items[at]);
    json_array_close(json);
    json_array_open(json, "phase_estimates");
    for (size_t at = 0; diagnosis->phase_estimates && at < diagnosis->phase_estimates->count; at++)
        estimate_json(json, &diagnosis->phase_estimates->items[at]);
    json_array_close(json);
}
