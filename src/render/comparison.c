/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/comparison.h"

#include "base/json_writer.h"

static const char *const verdict_names[] = {
    [COMPARISON_FASTER] = "faster",
    [COMPARISON_SLOWER] = "slower",
    [COMPARISON_EQUIVALENT] = "equivalent",
    [COMPARISON_UNDECIDED] = "undecided",
};

static const char *seconds_unit(double seconds, double *ret_factor)
{
    *ret_factor = seconds >= 1 ? 1 : seconds >= 1e-3 ? 1e3 : 1e6;
    return seconds >= 1 ? "s" : seconds >= 1e-3 ? "ms" : "us";
}

static void add_arm(struct text *out, char name, const struct interval *time_s, const char *command)
{
    double factor;
    const char *unit = seconds_unit(time_s->mid, &factor);
    text_printf(out, "  %c  %9.3f %-2s  (quartiles %.3f .. %.3f)   %s\n", name, time_s->mid * factor, unit,
                time_s->low * factor, time_s->high * factor, command);
}

static void add_verdict(struct text *out, const struct comparison *comparison, const char *quantity)
{
    const struct interval *ratio = &comparison->ratio;
    double effect = 100 * comparison->effect_ratio;
    switch (comparison->verdict) {
    case COMPARISON_FASTER:
        text_printf(out, "  B takes %.1f %% less %s than A", 100 * (1 - ratio->mid), quantity);
        text_printf(out, "  [%.1f .. %.1f %%, 95 %%]\n", 100 * (1 - ratio->high), 100 * (1 - ratio->low));
        return;
    case COMPARISON_SLOWER:
        text_printf(out, "  B takes %.1f %% more %s than A", 100 * (ratio->mid - 1), quantity);
        text_printf(out, "  [%.1f .. %.1f %%, 95 %%]\n", 100 * (ratio->low - 1), 100 * (ratio->high - 1));
        return;
    case COMPARISON_EQUIVALENT:
        text_printf(out, "  the same within %.1f %%: B / A = %.4f [%.4f .. %.4f, 95 %%]\n", effect, ratio->mid,
                    ratio->low, ratio->high);
        return;
    case COMPARISON_UNDECIDED:
        break;
    }
    text_printf(out, "  undecided: B / A = %.4f [%.4f .. %.4f]", ratio->mid, ratio->low, ratio->high);
    if (comparison->too_few_pairs)
        text_printf(out, ", the range of %zu pairs; a 95 %% interval needs %d\n", comparison->pair_count,
                    SIGNED_RANK_COUNT_LEAST);
    else
        text_printf(out, ", 95 %%, holds both no difference and more than %.1f %%: more runs would narrow it\n", effect);
}

static bool holds(const struct interval *interval, double value)
{
    return interval->low <= value && value <= interval->high;
}

static const char *prediction_verdict(const struct interval *predicted, const struct interval *realised)
{
    if (realised->high < predicted->low)
        return "less than predicted";
    if (realised->low > predicted->high)
        return "more than predicted";
    if (holds(predicted, realised->mid))
        return "as predicted";
    if (holds(realised, predicted->mid))
        return "agrees with the prediction within its interval";
    return "unresolved: the intervals overlap, their middles don't";
}

static void add_prediction(struct text *out, const struct comparison *comparison,
                           const struct comparison_labels *labels)
{
    const struct interval *predicted = &labels->predicted_gain;
    struct interval realised = interval_complement(comparison->ratio);
    text_printf(out, "\n  predicted gain  %5.1f %%  [%.1f .. %.1f]   (%s)\n", 100 * predicted->mid, 100 * predicted->low,
                100 * predicted->high, labels->prediction_source);
    text_printf(out, "  realised gain   %5.1f %%  [%.1f .. %.1f]   %s\n", 100 * realised.mid, 100 * realised.low,
                100 * realised.high, prediction_verdict(predicted, &realised));
}

void comparison_text(struct text *out, const struct comparison *comparison, const struct comparison_labels *labels)
{
    text_printf(out, "%zu pairs, interleaved in random order (seed %llu), %s\n\n", comparison->pair_count,
                (unsigned long long)labels->seed, labels->quantity);
    add_arm(out, 'A', &comparison->a_s, labels->a);
    add_arm(out, 'B', &comparison->b_s, labels->b);
    text_add_char(out, '\n');
    if (!comparison->ratio.known)
        text_add(out, "  no ratio: a run took no measurable time\n");
    else
        add_verdict(out, comparison, labels->quantity);
    if (comparison->ratio.known && labels->predicted_gain.known)
        add_prediction(out, comparison, labels);
}

static void add_interval(struct json_writer *json, const char *key, const struct interval *interval)
{
    if (!interval->known) {
        json_null(json, key);
        return;
    }
    json_object_open(json, key);
    json_double(json, "low", interval->low);
    json_double(json, "mid", interval->mid);
    json_double(json, "high", interval->high);
    json_object_close(json);
}

void comparison_json(struct text *out, const struct comparison *comparison, const struct comparison_labels *labels)
{
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_string(&json, "schema", "plumb-compare-1");
    json_string(&json, "a", labels->a);
    json_string(&json, "b", labels->b);
    json_string(&json, "quantity", labels->quantity);
    json_u64(&json, "seed", labels->seed);
    json_u64(&json, "pairs", comparison->pair_count);
    json_double(&json, "effect_ratio", comparison->effect_ratio);
    json_string(&json, "verdict", verdict_names[comparison->verdict]);
    add_interval(&json, "a_seconds_quartiles", &comparison->a_s);
    add_interval(&json, "b_seconds_quartiles", &comparison->b_s);
    add_interval(&json, "ratio", &comparison->ratio);
    add_interval(&json, "predicted_gain", &labels->predicted_gain);
    json_string(&json, "prediction_source", labels->predicted_gain.known ? labels->prediction_source : NULL);
    json_object_close(&json);
}
