/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"
#include "base/json/json_writer.h"
#include "base/scope.h"
#include "render/comparison/comparison.h"

#include <math.h>
#include <string.h>

static const char *const verdict_names[] = {
    [COMPARISON_FASTER] = "faster",
    [COMPARISON_SLOWER] = "slower",
    [COMPARISON_EQUIVALENT] = "equivalent",
    [COMPARISON_UNDECIDED] = "undecided",
};

static const char *const unit_names[] = {
    [RUN_SECONDS] = "seconds", [RUN_COUNT] = "count", [RUN_BYTES] = "bytes",
    [RUN_SHARE] = "ratio",     [RUN_HERTZ] = "hertz", [RUN_RATE] = "rate",
};

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

static void add_effect(struct json_writer *json, const struct quantity_effect *effect)
{
    json_object_open(json, NULL);
    json_string(json, "quantity", effect->quantity->name);
    json_string(json, "unit", unit_names[effect->quantity->unit]);
    if (effect->why_not) {
        json_string(json, "not_measured", effect->why_not);
    } else {
        add_interval(json, "a_quartiles", &effect->a);
        add_interval(json, "b_quartiles", &effect->b);
        add_interval(json, "ratio", &effect->ratio);
        add_interval(json, "difference", &effect->difference);
        json_double(json, "p", effect->p);
        json_double(json, "false_discovery_rate", effect->q);
    }
    json_object_close(json);
}

static void add_explanation(struct json_writer *json, const struct explanation *explanation)
{
    static const char *const views[] = {
        [EXPLANATION_TIME] = "time",     [EXPLANATION_FUNCTION] = "function", [EXPLANATION_INSTRUCTION] = "instruction",
        [EXPLANATION_WIDTH] = "vectors", [EXPLANATION_RATE] = "rate",
    };
    json_array_open(json, "explained_by");
    for (size_t at = 0; at < explanation->count; at++) {
        const struct explanation_item *item = &explanation->items[at];
        json_object_open(json, NULL);
        json_string(json, "view", views[item->view]);
        json_string(json, "what", item->what);
        if (*item->where)
            json_string(json, "where", item->where);
        json_string(json, "unit", unit_names[item->unit]);
        add_interval(json, "a_quartiles", &item->a);
        add_interval(json, "b_quartiles", &item->b);
        add_interval(json, "share_of_difference", &item->share);
        json_double(json, "false_discovery_rate", item->q);
        json_object_close(json);
    }
    json_array_close(json);
}

static void add_work(struct json_writer *json, const struct work_done *work)
{
    json_array_open(json, "unequal_work");
    for (size_t at = 0; at < work->count; at++)
        if (work->signs[at].is_unequal)
            json_string(json, NULL, work->signs[at].effect->quantity->name);
    json_array_close(json);
    json_array_open(json, "varying_work");
    for (size_t at = 0; at < work->count; at++)
        if (!work->signs[at].is_unequal)
            json_string(json, NULL, work->signs[at].effect->quantity->name);
    json_array_close(json);
}

static void add_output_of(struct json_writer *json, const char *key, const struct output_seen *seen)
{
    json_object_open(json, key);
    json_u64(json, "runs", seen->runs);
    json_u64(json, "bytes_least", seen->bytes_least);
    json_u64(json, "bytes_most", seen->bytes_most);
    json_bool(json, "varies", seen->varies);
    json_bool(json, "less_unread", seen->is_less_unread);
    json_object_close(json);
}

static void add_output(struct json_writer *json, const struct output_likeness *output)
{
    static const char *const verdicts[] = {
        [OUTPUT_SAME] = "same", [OUTPUT_OTHER] = "other", [OUTPUT_VARIES] = "varies"};
    if (output->verdict == OUTPUT_NOT_READ) {
        json_null(json, "output");
        return;
    }
    json_object_open(json, "output");
    json_string(json, "verdict", verdicts[output->verdict]);
    add_output_of(json, "a", &output->a);
    add_output_of(json, "b", &output->b);
    json_object_close(json);
}

static void add_comparison(struct json_writer *json, const struct comparison *item,
                           const struct explanation *explanation, const struct work_done *work,
                           const struct output_likeness *output)
{
    json_object_open(json, NULL);
    json_string(json, "a", item->a->label);
    json_string(json, "b", item->b->label);
    json_string(json, "verdict", verdict_names[item->verdict]);
    add_interval(json, "ratio", &item->ratio);
    json_double(json, "level", 1 - item->request.alpha);
    json_u64(json, "pairs", item->decisive.pair_count);
    json_bool(json, "too_few_pairs", item->too_few_pairs);
    json_double(json, "effect_ratio", item->request.effect_ratio);
    add_interval(json, "noise_floor_ratio", &item->noise_floor);
    json_bool(json, "lost_in_noise", item->lost_in_noise);
    if (item->detectable > 0)
        json_double(json, "detectable_ratio", item->detectable);
    if (item->pairs_needed > 0)
        json_double(json, "pairs_needed", item->pairs_needed);
    if (item->pairs_for_seen > 0)
        json_double(json, "pairs_needed_for_seen", item->pairs_for_seen);
    json_array_open(json, "others");
    for (size_t at = 0; at < item->effect_count; at++)
        add_effect(json, &item->effects[at]);
    json_array_close(json);
    add_explanation(json, explanation);
    add_work(json, work);
    add_output(json, output);
    json_object_close(json);
}

static void add_cell(struct json_writer *json, const char *key, struct measured cell)
{
    if (cell.known)
        json_double(json, key, cell.value);
    else
        json_null(json, key);
}

static void add_setting(struct json_writer *json, const struct arm_setting *setting)
{
    json_object_open(json, NULL);
    json_string(json, "name", setting->name);
    json_string(json, "value", setting->value);
    json_object_close(json);
}

static void add_runs(struct json_writer *json, const struct comparison_report *report)
{
    const struct run_table *table = report->table;
    json_array_open(json, "arms");
    for (size_t arm = 0; arm < table->arm_count; arm++) {
        json_object_open(json, NULL);
        json_string(json, "label", table->arms[arm].label);
        json_string(json, "command", table->arms[arm].command);
        json_bool(json, "again", arm >= report->arm_count);
        json_u64(json, "failed_runs", table->arms[arm].failed_runs);
        json_array_open(json, "settings");
        for (size_t at = 0; at < report->setting_count; at++)
            if (report->settings[at].arm == arm)
                add_setting(json, &report->settings[at]);
        json_array_close(json);
        json_object_open(json, "runs");
        for (size_t quantity = 0; quantity < table->quantity_count; quantity++) {
            json_array_open(json, table->quantities[quantity].name);
            for (size_t block = 0; block < table->block_count; block++)
                add_cell(json, NULL, run_table_cell(table, block, arm, quantity));
            json_array_close(json);
        }
        json_object_close(json);
        json_object_close(json);
    }
    json_array_close(json);
}

static void add_steadiness(struct json_writer *json, const struct steadiness *steadiness)
{
    json_object_open(json, "steadiness");
    if (steadiness->trend.known) {
        json_double(json, "drift_ratio", expm1(steadiness->trend.change));
        json_double(json, "drift_p", steadiness->trend.p);
    }
    if (steadiness->resemblance.known)
        json_double(json, "neighbour_correlation", steadiness->resemblance.correlation);
    json_object_close(json);
}

static void add_rows(struct json_writer *json, const char *key, const char *name,
                     const struct profile_difference *profile)
{
    json_array_open(json, key);
    for (size_t at = 0; at < profile->row_count; at++) {
        const struct profile_row *row = &profile->rows[at];
        json_object_open(json, NULL);
        json_string(json, name, row->function);
        if (*row->dso)
            json_string(json, "dso", row->dso);
        add_interval(json, "a_s_quartiles", &row->a_s);
        add_interval(json, "b_s_quartiles", &row->b_s);
        add_interval(json, "difference_s", &row->difference_s);
        json_double(json, "mean_difference_s", row->mean_difference_s);
        if (row->is_test)
            json_double(json, "false_discovery_rate", row->q);
        json_object_close(json);
    }
    json_array_close(json);
}

static void add_profile(struct json_writer *json, const struct comparison_report *report)
{
    const struct run_profiles *profiles = report->profiles;
    if (!profiles) {
        json_null(json, "profile");
        json_string(json, "why_no_profile", report->why_no_profile);
        return;
    }
    json_object_open(json, "profile");
    json_u64(json, "blocks", profiles->functions.block_count);
    json_double(json, "mean_difference_s", profiles->functions.mean_difference_s);
    add_rows(json, "functions", "function", &profiles->functions);
    add_rows(json, "instructions", "instruction", &profiles->instructions);
    add_rows(json, "vector_widths", "width", &profiles->widths);
    json_object_close(json);
}

static void add_facts(struct json_writer *json, const struct comparison_report *report)
{
    json_array_open(json, "facts_differ");
    for (size_t at = 0; at < report->fact_count; at++) {
        json_object_open(json, NULL);
        json_string(json, "name", report->facts[at].name);
        json_string(json, "a", report->facts[at].a);
        json_string(json, "b", report->facts[at].b);
        json_bool(json, "declared", !report->facts[at].voids);
        json_object_close(json);
    }
    json_array_close(json);
}

static void add_surroundings(struct json_writer *json, const struct comparison_report *report)
{
    if (report->surroundings) {
        json_object_open(json, "surroundings");
        surroundings_members(report->surroundings, json);
        json_object_close(json);
    }
    if (!report->saved)
        return;
    json_bool(json, "surroundings_unknown", report->surroundings_unknown);
    json_array_open(json, "surroundings_differ");
    for (size_t at = 0; at < report->difference_count; at++) {
        json_object_open(json, NULL);
        json_string(json, "name", report->differences[at].name);
        json_string(json, "a", report->differences[at].a);
        json_string(json, "b", report->differences[at].b);
        json_object_close(json);
    }
    json_array_close(json);
}

void comparison_json(struct text *out, const struct comparison_report *report)
{
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_string(&json, "schema", "plumb-compare-2");
    json_string(&json, "quantity", report->items[0].decisive.quantity->name);
    json_bool(&json, "saved", report->saved);
    json_bool(&json, "paired", report->paired);
    if (!report->saved) {
        json_u64(&json, "seed", report->seed);
        json_u64(&json, "blocks", report->table->block_count);
        json_double(&json, "elapsed_s", report->elapsed_s);
        json_string(&json, "stopped", report->stopped);
        json_u64(&json, "suspended_blocks", report->suspended_blocks);
    }
    add_facts(&json, report);
    add_surroundings(&json, report);
    json_array_open(&json, "comparisons");
    for (size_t at = 0; at < report->count; at++)
        add_comparison(&json, &report->items[at], &report->explanations[at], &report->works[at], &report->outputs[at]);
    json_array_close(&json);
    add_steadiness(&json, report->steadiness);
    add_interval(&json, "predicted_gain", &report->predicted_gain);
    json_string(&json, "prediction_source", report->predicted_gain.known ? report->prediction_source : NULL);
    add_profile(&json, report);
    add_runs(&json, report);
    json_object_close(&json);
}

/* Markdown. */

/* A command as code, which one that has a backtick itself needs two around. */
static void add_code(struct text *out, const char *code)
{
    const char *fence = strchr(code, '`') ? "``" : "`", *apart = strchr(code, '`') ? " " : "";
    text_printf(out, "%s%s", fence, apart);
    for (; *code; code++)
        text_printf(out, *code == '|' ? "\\%c" : "%c", *code);
    text_printf(out, "%s%s", apart, fence);
}

/* A label in a cell: bars would part it. */
static void add_label(struct text *out, const char *label)
{
    for (; *label; label++)
        text_printf(out, *label == '|' ? "\\%c" : "%c", *label);
}

/* The verdict, and what stands in its way where the figures beside it look like one. */
static void add_markdown_verdict(struct text *out, const struct comparison *item)
{
    text_add(out, verdict_names[item->verdict]);
    if (item->decisive.pair_count == 1)
        text_add(out, ": one run of each");
    else if (item->too_few_pairs)
        text_printf(out, ": the range of %zu runs of each, no interval", item->decisive.pair_count);
    else if (item->verdict == COMPARISON_UNDECIDED && item->lost_in_noise)
        text_printf(out, ": %s differs from itself as much", item->a->label);
}

void comparison_markdown(struct text *out, const struct comparison_report *report)
{
    const struct run_quantity *quantity = report->items[0].decisive.quantity;
    text_printf(out, "| | Command | %s (%s, median) | Quartiles | Against ", quantity->label,
                unit_names[quantity->unit]);
    add_label(out, report->items[0].a->label);
    text_add(out, " | Verdict |\n|:---|:---|---:|---:|---:|:---|\n");
    for (size_t at = 0; at < report->arm_count; at++) {
        const struct comparison *item = &report->items[at ? at - 1 : 0];
        const struct interval *value = at ? &item->decisive.b : &item->decisive.a;
        text_add(out, "| ");
        add_label(out, report->table->arms[at].label);
        text_add(out, " | ");
        add_code(out, report->table->arms[at].command);
        text_add(out, " | ");
        if (value->known)
            text_printf(out, "%.6g | %.6g .. %.6g | ", value->mid, value->low, value->high);
        else
            text_add(out, "not measured | | ");
        if (at && item->ratio.known)
            text_printf(out, "%+.2f %%", 100 * (item->ratio.mid - 1));
        if (at && item->ratio.known && item->decisive.pair_count > 1)
            text_printf(out, " [%+.2f .. %+.2f]", 100 * (item->ratio.low - 1), 100 * (item->ratio.high - 1));
        text_add(out, " | ");
        if (at)
            add_markdown_verdict(out, item);
        text_add(out, " |\n");
    }
}

/* hyperfine. */

static void add_column(struct json_writer *json, const char *key, const double *values, size_t count)
{
    json_array_open(json, key);
    for (size_t at = 0; at < count; at++)
        json_double(json, NULL, values[at]);
    json_array_close(json);
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t at = 0; at < count; at++)
        sum += values[at];
    return sum / (double)count;
}

static void add_statistics(struct json_writer *json, const double *values, size_t count)
{
    double mean = mean_of(values, count), squares = 0;
    for (size_t at = 0; at < count; at++)
        squares += (values[at] - mean) * (values[at] - mean);
    json_double(json, "mean", mean);
    if (count > 1)
        json_double(json, "stddev", sqrt(squares / (double)(count - 1)));
    else
        json_null(json, "stddev");
    json_double(json, "median", quantile(values, count, 0.5));
    json_double(json, "min", quantile(values, count, 0));
    json_double(json, "max", quantile(values, count, 1));
}

static void add_zeros(struct json_writer *json, const char *key, size_t count)
{
    json_array_open(json, key);
    for (size_t at = 0; at < count; at++)
        json_u64(json, NULL, 0);
    json_array_close(json);
}

/*
 * hyperfine's scripts tell results apart by their commands: the label, where another has the same (its own -n puts
 * names there, too).
 */
static const char *hyperfine_command(const struct comparison_report *report, size_t arm)
{
    const struct run_arm *arms = report->table->arms;
    for (size_t other = 0; other < report->arm_count; other++)
        if (other != arm && strcmp(arms[other].command, arms[arm].command) == 0)
            return arms[arm].label;
    return arms[arm].command;
}

/* Only where there are any, as hyperfine does. */
static void add_hyperfine_parameters(struct json_writer *json, const struct comparison_report *report, size_t arm)
{
    bool any = false;
    for (size_t at = 0; at < report->setting_count; at++) {
        if (report->settings[at].arm != arm)
            continue;
        if (!any)
            json_object_open(json, "parameters");
        any = true;
        json_string(json, report->settings[at].name, report->settings[at].value);
    }
    if (any)
        json_object_close(json);
}

static void add_hyperfine_arm(struct json_writer *json, const struct comparison_report *report, size_t arm)
{
    const struct run_table *table = report->table;
    scoped_free double *values = memory_alloc(memory_product(table->block_count + 1, sizeof(*values)));
    size_t count = run_table_column(table, arm, run_table_quantity(table, "wall"), values);
    json_object_open(json, NULL);
    json_string(json, "command", hyperfine_command(report, arm));
    add_hyperfine_parameters(json, report, arm);
    if (count) {
        add_statistics(json, values, count);
        add_column(json, "times", values, count);
        count = run_table_column(table, arm, run_table_quantity(table, "user"), values);
        json_double(json, "user", mean_of(values, count));
        count = run_table_column(table, arm, run_table_quantity(table, "system"), values);
        json_double(json, "system", mean_of(values, count));
        count = run_table_column(table, arm, run_table_quantity(table, "max-rss"), values);
        add_column(json, "memory_usage_byte", values, count);
        if (report->all_ended_well)
            add_zeros(json, "exit_codes", count);
    }
    json_object_close(json);
}

void comparison_hyperfine(struct text *out, const struct comparison_report *report)
{
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_array_open(&json, "results");
    for (size_t arm = 0; arm < report->arm_count; arm++)
        add_hyperfine_arm(&json, report, arm);
    json_array_close(&json);
    json_object_close(&json);
}
