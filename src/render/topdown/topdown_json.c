/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json/json_measured.h"
#include "render/topdown/topdown_page.h"

static const char *const decisions[] = {
    [TOPDOWN_UNDECIDED] = "undecided", [TOPDOWN_NOT_FLAGGED] = "not flagged", [TOPDOWN_FLAGGED] = "flagged"};

/* A threshold's state, "none" where there is no threshold. */
static const char *decision_name(const struct topdown_node *node)
{
    return node->threshold[0] ? decisions[node->decision] : "none";
}

static const char *quality_name(const struct topdown_node *node)
{
    return !node->value.known             ? "not measured"
           : node->suspect                ? "suspect"
           : node->reported               ? "reported"
           : node->running_ratio < 0.9995 ? "scaled"
           : node->across                 ? "cross-group"
           : node->default_latency        ? "default latency"
           : node->estimate               ? "estimate"
                                          : "exact";
}

static struct measured shown(const struct topdown_node *node)
{
    return node->value.known ? measured_as(node->value.value * node->scale) : node->value;
}

static void node_write(struct json_writer *json, const struct topdown_node *node)
{
    json_object_open(json, NULL);
    json_string(json, "path", node->path);
    json_string(json, "name", node->name);
    json_u64(json, "level", node->level);
    json_measured(json, "value", shown(node));
    if (node->interval.known) {
        json_array_open(json, "interval");
        json_double(json, NULL, node->interval.low * node->scale);
        json_double(json, NULL, node->interval.high * node->scale);
        json_array_close(json);
    } else {
        json_string(json, "interval", NULL);
    }
    json_string(json, "unit", node->unit);
    json_string(json, "threshold", decision_name(node));
    json_string(json, "flagged_when", node->threshold);
    json_string(json, "quality", quality_name(node));
    json_double(json, "running_ratio", node->running_ratio);
    json_bool(json, "estimate", node->estimate);
    json_bool(json, "default_latency", node->default_latency);
    json_string(json, "domain", node->domain);
    json_string(json, "sample", node->sample);
    json_string(json, "about", node->about);
    json_object_close(json);
}

static void phases_write(struct json_writer *json, const struct topdown_page *what)
{
    json_array_open(json, "phases");
    for (size_t at = 0; at < what->phase_count; at++) {
        const struct topdown_phase_row *phase = &what->phases[at];
        const struct topdown_tree *tree = &phase->tree;
        json_object_open(json, NULL);
        json_string(json, "when", phase->when);
        json_double(json, "seconds", phase->seconds);
        json_bool(json, "warm_up", phase->is_warmup);
        json_string(json, "leaf", phase->is_warmup || tree->leaf == SIZE_MAX ? NULL : tree->nodes[tree->leaf].path);
        json_array_open(json, "nodes");
        for (size_t node = 0; !phase->is_warmup && node < tree->count; node++)
            if (tree->nodes[node].level && tree->nodes[node].value.known)
                node_write(json, &tree->nodes[node]);
        json_array_close(json);
        json_object_close(json);
    }
    json_array_close(json);
}

static void rows_write(struct json_writer *json, const char *name, const struct topdown_interval_row *rows,
                       size_t count)
{
    json_array_open(json, name);
    for (size_t at = 0; at < count; at++) {
        const struct topdown_interval_row *row = &rows[at];
        json_object_open(json, NULL);
        if (row->core) {
            json_string(json, "cpus", row->core);
        } else if (row->pass) {
            json_u64(json, "pass", row->pass);
        } else {
            json_double(json, "start_s", row->start_s);
            json_double(json, "end_s", row->end_s);
        }
        for (size_t value = 0; value < row->count; value++)
            json_double(json, row->names[value], row->values[value]);
        json_object_close(json);
    }
    json_array_close(json);
}

void topdown_json_members(struct json_writer *json, const struct topdown_tree *tree, const struct topdown_page *what)
{
    json_string(json, "cpu", tree->cpu);
    json_string(json, "tables", tree->tables);
    json_string(json, "origin", what->origin);
    json_string(json, "leaf", tree->leaf == SIZE_MAX ? NULL : tree->nodes[tree->leaf].path);
    json_string(json, "sample", tree->sample[0] ? tree->sample : NULL);
    json_string(json, "sample_of", tree->sample[0] ? tree->sample_of : NULL);
    json_array_open(json, "notes");
    for (size_t at = 0; at < tree->note_count; at++)
        json_string(json, NULL, tree->notes[at]);
    for (size_t at = 0; at < what->note_count; at++)
        json_string(json, NULL, what->notes[at]);
    json_array_close(json);
    if (what->is_live) {
        phases_write(json, what);
        rows_write(json, "passes", what->passes, what->pass_count);
        rows_write(json, "cores", what->cores, what->core_count);
        rows_write(json, "intervals", what->intervals, what->interval_count);
    }
    json_array_open(json, "located");
    for (size_t at = 0; at < what->located_count; at++)
        json_string(json, NULL, what->located[at]);
    json_array_close(json);
    json_array_open(json, "nodes");
    for (size_t at = 0; at < tree->count; at++)
        node_write(json, &tree->nodes[at]);
    json_array_close(json);
}

void topdown_json_write(struct text *out, const struct topdown_tree *tree, const struct topdown_page *what)
{
    struct json_writer json = {0};
    json_begin(&json, out);
    json_object_open(&json, NULL);
    topdown_json_members(&json, tree, what);
    json_object_close(&json);
}

void topdown_lines_write(struct text *out, const struct topdown_tree *tree, char separator)
{
    for (size_t at = 0; at < tree->count; at++) {
        const struct topdown_node *node = &tree->nodes[at];
        text_printf(out, "%s%c", node->path, separator);
        if (node->value.known)
            text_printf(out, "%.10g", shown(node).value);
        else
            text_add(out, "<not measured>");
        text_printf(out, "%c%s%c%s%c%s%c%s\n", separator, node->unit, separator, decision_name(node), separator,
                    quality_name(node), separator, node->value.known ? "" : node->value.why_not);
    }
}
