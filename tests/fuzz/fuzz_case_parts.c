/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON parts of a case that somebody sends: each reader gets every document. */
#include "analyse/counts/counter_summary.h"
#include "analyse/imported.h"
#include "analyse/memory/access_cost.h"
#include "analyse/probes/probe_results.h"
#include "analyse/time/run_spread.h"
#include "analyse/topdown/topdown_counts.h"
#include "capture/case/case_command.h"
#include "statistics/ceilings.h"
#include "statistics/guest_costs_read.h"
#include "symbol/code_bundle.h"
#include "system/activity/activity.h"
#include "system/memory/process_pages_json.h"
#include "system/surroundings.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct error err = {0};
    struct json_document *document = NULL;
    if (!json_document_parse(&document, (struct view){(const char *)bytes, size_bytes}, &err))
        return 0;
    struct arena arena;
    arena_init(&arena);
    struct code_bundle bundle;
    struct access_costs costs;
    struct activity activity;
    struct surroundings surroundings;
    struct process_pages *pages;
    size_t count;
    (void)!code_bundle_read(&bundle, json_root(document), &arena, &err);
    (void)!access_costs_read(&costs, json_root(document), &arena, &err);
    (void)!activity_read(&activity, json_root(document), &arena, &err);
    struct counter_summary counters;
    struct run_spread runs;
    struct imported imported;
    (void)!counter_summary_read(&counters, json_root(document), &arena, &err);
    (void)!run_spread_read(&runs, json_root(document), &arena, &err);
    if (imported_read(&imported, json_root(document), &arena, &err)) {
        (void)imported_gain_of(&imported);
        (void)imported_exits_of(&imported);
    }
    struct ceilings ceilings;
    if (ceilings_read(&ceilings, json_root(document), &arena, &err)) {
        (void)ceilings_are_shared(&ceilings);
        (void)calibration_latency_ns(&ceilings.now, 1 << 20, true);
        (void)calibration_cpus_differ(&ceilings.now);
    }
    struct probe_results probes;
    struct text again = {0};
    if (probe_results_read(&probes, json_root(document), &arena, &err))
        probe_results_write(&probes, &again);
    text_done(&again);
    struct guest_costs guest;
    if (guest_costs_read(&guest, json_root(document), &arena, &err))
        (void)guest_cost_leaves(&guest, GUEST_COST_CLOCK);
    struct case_command command;
    (void)!case_command_parse(&command, json_root(document), &arena, &err);
    (void)!surroundings_read(&surroundings, json_root(document), &arena, &err);
    if (process_pages_parse(&pages, &count, json_root(document), &arena, &err) && count)
        (void)process_pages_size_at(&pages[0], 0x1000);
    struct topdown_counts slots;
    struct topdown_counted tree;
    struct metric_table table;
    if (topdown_counts_read(&slots, &table, json_root(document), &arena, &err)) {
        (void)topdown_counts_tree(&tree, &slots, &arena);
        metric_table_done(&table);
    }
    arena_done(&arena);
    json_document_free(document);
    return 0;
}
