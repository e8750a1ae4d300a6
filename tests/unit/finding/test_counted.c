/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the nodes of a counted top-down tree decide: trees made up for the purpose, and the part of a case that they come from. */
#include "test.h"

#include "base/json/json_reader.h"
#include "base/vec.h"
#include "finding/hypothesis.h"
#include "finding/topdown_rows.h"
#include "finding/verdict/overall.h"
#include "metric/table/table_builtin.h"
#include "metric/table/table_general.h"

#include <math.h>

struct made_up {
    struct arena arena;
    struct run_time run;
    struct stalls stalls;
    struct stall_function function;
    struct topdown_node nodes[16];
    struct topdown_counted counted;
    struct results results;
    struct findings findings;
};

/* A program of one thread and 10 s, 1000 samples in one function, of which nothing else is known. */
static void make_up(struct made_up *made)
{
    *made = (struct made_up){0};
    arena_init(&made->arena);
    made->run = (struct run_time){.scope = RUN_STARTED, .elapsed_s = measured_as(10), .cpu_s = measured_as(10), .user_s = measured_as(10),
                                  .system_s = measured_as(0), .on_cpu_ratio = measured_as(1), .wanted_ratio = measured_as(1),
                                  .run_delay_s = measured_as(0), .preempted_s = measured_as(0), .cpus_used = measured_as(1), .threads_seen = 1};
    made->function = (struct stall_function){.name = "hot", .dso = "a.out", .dso_path = "/a.out", .samples = 1000, .has_code = true,
                                             .share = wilson_interval(1000, 1000, 1000)};
    made->stalls = (struct stalls){.sample_count = 1000, .user_samples = 1000, .functions = &made->function, .function_count = 1};
    made->counted = (struct topdown_counted){.origin = "counted", .has_first_level = true, .tree = {.nodes = made->nodes, .leaf = SIZE_MAX}};
    made->results = (struct results){.run = &made->run, .stalls = &made->stalls, .topdown = &made->counted, .effect = 0.05};
    made->results.why[RESULT_WAITS] = "no context switches were recorded";
}

static size_t node_put(struct made_up *made, const char *name, size_t parent, double share, double half, enum topdown_decision decision)
{
    size_t at = made->counted.tree.count++;
    unsigned level = parent == SIZE_MAX ? 1 : made->nodes[parent].level + 1;
    made->nodes[at] = (struct topdown_node){.name = name, .path = name, .about = "about it", .unit = "%", .domain = level < 3 ? "Slots" : "Clocks",
                                            .level = level, .parent = parent, .value = measured_as(share), .scale = 100, .threshold = "> 0.2",
                                            .decision = decision, .interval = interval_of(share - half, share, share + half), .running_ratio = 0.1};
    return at;
}

static const struct finding *tested(struct made_up *made, const char *id)
{
    findings_test(&made->findings, &made->results, &made->arena);
    for (size_t at = 0; at < made->findings.count; at++)
        if (strcmp(made->findings.items[at].hypothesis->id, id) == 0)
            return &made->findings.items[at];
    cr_assert(false, "no finding %s", id);
    return NULL;
}

Test(counted, a_flagged_cause_is_supported_and_named_with_its_place)
{
    struct made_up made;
    make_up(&made);
    size_t backend = node_put(&made, "Backend_Bound", SIZE_MAX, 0.8, 0.01, TOPDOWN_FLAGGED);
    size_t memory = node_put(&made, "Memory_Bound", backend, 0.7, 0.01, TOPDOWN_FLAGGED);
    size_t dram = node_put(&made, "L3_Miss_Bound", memory, 0.5, 0.01, TOPDOWN_FLAGGED);
    node_put(&made, "MEM_Bandwidth", dram, 0.6, 0.01, TOPDOWN_FLAGGED);
    const struct finding *finding = tested(&made, "memory-bandwidth");
    cr_expect_eq(finding->verdict, VERDICT_SUPPORTED);
    cr_expect_not(finding->is_estimate);
    cr_expect_float_eq(finding->recoverable.high, 0.51, 0.001, "no more than the class that holds it");
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_expect(strstr(overall.sentence, "hot (a.out) is held up by memory bandwidth: MEM_Bandwidth is 49 to 51 %"), "%s", overall.sentence);
    cr_expect(strstr(overall.sentence, "of the cycles, counted"), "%s", overall.sentence);
    arena_done(&made.arena);
}

/* Most samples of the run are in another function than those of the phase that has the cause. */
Test(counted, a_cause_is_where_its_phase_is_hot)
{
    struct made_up made;
    make_up(&made);
    struct stall_function functions[2] = {made.function, made.function};
    functions[1].name = "rare";
    made.stalls.functions = functions;
    made.stalls.function_count = 2;
    size_t backend = node_put(&made, "Backend_Bound", SIZE_MAX, 0.6, 0.01, TOPDOWN_FLAGGED);
    size_t core = node_put(&made, "Core_Bound", backend, 0.5, 0.01, TOPDOWN_FLAGGED);
    size_t divider = node_put(&made, "Divider", core, 0.3, 0.01, TOPDOWN_FLAGGED);
    const struct phase_whole often = {.samples = 600, .function_count = 1, .functions = {{"hot", 1}}};
    const struct phase_whole seldom = {.phase = 1, .samples = 400, .function_count = 1, .functions = {{"rare", 1}}};
    struct topdown_node own[2][3];
    struct phase_trees trees = {.count = 2};
    for (size_t at = 0; at < 2; at++) {
        memcpy(own[at], made.nodes, sizeof(own[at]));
        own[at][divider].value = measured_as(at ? 0.7 : 0.03);
        own[at][divider].interval = at ? interval_of(0.69, 0.7, 0.71) : interval_of(0.02, 0.03, 0.04);
        trees.items[at] = (struct phase_tree){.phase = at ? &seldom : &often, .is_known = true,
                                              .counted = {.has_first_level = true, .tree = {.nodes = own[at], .count = 3, .leaf = SIZE_MAX}}};
    }
    made.results.phase_trees = &trees;
    const struct finding *finding = tested(&made, "divider");
    cr_expect_eq(finding->verdict, VERDICT_SUPPORTED);
    cr_expect_str_eq(finding->subject, "rare");
    made.results.phase_trees = NULL;
    cr_expect_str_eq(tested(&made, "divider")->subject, "hot");
    arena_done(&made.arena);
}

Test(counted, a_small_node_rules_out_what_samples_leave_open)
{
    struct made_up made;
    make_up(&made);
    size_t speculation = node_put(&made, "Bad_Speculation", SIZE_MAX, 0.02, 0.01, TOPDOWN_NOT_FLAGGED);
    node_put(&made, "Branch_Mispredicts", speculation, 0.01, 0.005, TOPDOWN_NOT_FLAGGED);
    node_put(&made, "Machine_Clears", speculation, 0.01, 0.005, TOPDOWN_NOT_FLAGGED);
    size_t frontend = node_put(&made, "Frontend_Bound", SIZE_MAX, 0.02, 0.005, TOPDOWN_NOT_FLAGGED);
    size_t latency = node_put(&made, "Fetch_Latency", frontend, 0.01, 0.005, TOPDOWN_NOT_FLAGGED);
    node_put(&made, "Branch_Resteers", latency, 0.01, 0.005, TOPDOWN_NOT_FLAGGED);
    const char *const ids[] = {"branch-mispredicts", "machine-clears", "front-end", "uop-cache", "decoding"};
    for (size_t at = 0; at < array_count(ids); at++) {
        const struct finding *finding = tested(&made, ids[at]);
        cr_expect_eq(finding->verdict, VERDICT_RULED_OUT, "%s", ids[at]);
        cr_expect(strstr(finding->reason, "counted: "), "%s: %s", ids[at], finding->reason);
    }
    arena_done(&made.arena);
}

Test(counted, what_is_not_flagged_or_not_sure_supports_nothing)
{
    static const struct {
        enum topdown_decision parent, own;
        double half;
    } cases[] = {
        {TOPDOWN_FLAGGED, TOPDOWN_NOT_FLAGGED, 0.01}, {TOPDOWN_NOT_FLAGGED, TOPDOWN_FLAGGED, 0.01}, {TOPDOWN_FLAGGED, TOPDOWN_UNDECIDED, 0.15}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        size_t backend = node_put(&made, "Backend_Bound", SIZE_MAX, 0.6, 0.01, cases[at].parent);
        size_t core = node_put(&made, "Core_Bound", backend, 0.5, 0.01, cases[at].parent);
        node_put(&made, "Divider", core, 0.18, cases[at].half, cases[at].own);
        const struct finding *finding = tested(&made, "divider");
        cr_expect_eq(finding->verdict, VERDICT_UNDECIDED, "case %zu", at);
        cr_expect(finding->reason && strstr(finding->reason, "counted: Divider"), "case %zu", at);
        arena_done(&made.arena);
    }
}

Test(counted, a_busy_program_has_no_culprit_and_says_what_was_counted)
{
    struct made_up made;
    make_up(&made);
    size_t retiring = node_put(&made, "Retiring", SIZE_MAX, 0.9, 0.01, TOPDOWN_FLAGGED);
    node_put(&made, "Frontend_Bound", SIZE_MAX, 0.03, 0.01, TOPDOWN_NOT_FLAGGED);
    node_put(&made, "Bad_Speculation", SIZE_MAX, 0.01, 0.005, TOPDOWN_NOT_FLAGGED);
    node_put(&made, "Backend_Bound", SIZE_MAX, 0.04, 0.005, TOPDOWN_NOT_FLAGGED);
    made.counted.tree.leaf = retiring;
    (void)tested(&made, "divider");
    for (size_t at = 0; at < made.findings.count; at++)
        cr_expect_neq(made.findings.items[at].verdict, VERDICT_SUPPORTED, "%s", made.findings.items[at].hypothesis->id);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_expect(strstr(overall.sentence, "by the counters Retiring is 90 % of its issue slots"), "%s", overall.sentence);
    arena_done(&made.arena);
}

Test(counted, what_was_not_measured_or_cant_be_decides_nothing)
{
    struct made_up made;
    make_up(&made);
    size_t backend = node_put(&made, "Backend_Bound", SIZE_MAX, 0.6, 0.01, TOPDOWN_FLAGGED);
    size_t core = node_put(&made, "Core_Bound", backend, 0.5, 0.01, TOPDOWN_FLAGGED);
    size_t divider = node_put(&made, "Divider", core, 0.01, 0.001, TOPDOWN_NOT_FLAGGED);
    cr_expect_eq(tested(&made, "divider")->verdict, VERDICT_RULED_OUT, "as long as it is known");
    made.nodes[divider].suspect = true;
    cr_expect_neq(tested(&made, "divider")->verdict, VERDICT_RULED_OUT, "suspect");
    made.nodes[divider].suspect = false;
    made.nodes[divider].interval = (struct interval){0};
    cr_expect_neq(tested(&made, "divider")->verdict, VERDICT_RULED_OUT, "one window");
    made.nodes[divider].value = not_measured("others hold the counters");
    cr_expect_neq(tested(&made, "divider")->verdict, VERDICT_RULED_OUT, "not measured");
    arena_done(&made.arena);
}

/* Every name of the rows is a node of some table, so that a slip of the pen shows. */
Test(counted, rows_name_nodes)
{
    const struct topdown_row *row;
    for (size_t at = 0; (row = topdown_row_at(at)); at++)
        for (size_t name = 0; name <= TOPDOWN_ROW_METRICS; name++) {
            const char *wanted = name < TOPDOWN_ROW_METRICS ? row->metrics[name] : row->parent, *cpu;
            bool found = !wanted;
            for (size_t at_cpu = 0; !found && (cpu = metric_table_builtin_cpu(at_cpu)); at_cpu++) {
                struct metric_table table;
                cr_assert(metric_table_builtin(&table, cpu, TABLE_EVENTS_ONLY));
                uint32_t metric = table_metric_printed(&table, wanted);
                found = metric != TABLE_NONE && table.metrics.items[metric].level;
                metric_table_done(&table);
            }
            cr_expect(found, "%s: %s", row->id, wanted);
        }
}

/* ---- the part of a case ------------------------------------------------------------------------------------ */

static void counts_again(const char *text, struct topdown_counts *ret, struct metric_table *table, struct arena *arena)
{
    struct error err = {0};
    struct json_document *document = NULL;
    cr_assert(json_document_parse(&document, view_of(text), &err), "%s", err.message);
    cr_assert(topdown_counts_read(ret, table, json_root(document), arena, &err), "%s", err.message);
    json_document_free(document);
}

Test(counted, counts_are_read_as_they_were_written)
{
    enum { WINDOWS = 300, TERMS = 3 };
    struct arena arena;
    struct metric_table table, again_table;
    struct error err = {0};
    uint32_t terms[TERMS];
    static const char *const names[TERMS] = {"cpu_clk_unhalted.thread", "inst_retired.any", "arith.div_active"};
    arena_init(&arena);
    cr_assert(metric_table_builtin(&table, "SPR", TABLE_WHOLE));
    for (size_t at = 0; at < TERMS; at++)
        cr_assert(table_term_resolve(&table, view_of(names[at]), &terms[at], &err), "%s", err.message);
    struct group_window windows[WINDOWS];
    double sum = 0;
    for (size_t at = 0; at < WINDOWS; at++) {
        double *counts = arena_array(&arena, double, TERMS);
        counts[0] = 6e7;
        counts[1] = 3e7;
        counts[2] = 1e7 + (double)at * 1e4;
        sum += counts[2];
        windows[at] = (struct group_window){.start_ns = at * 100, .end_ns = at * 100 + 20, .enabled_ns = 100, .running_ns = 20, .counts = counts};
    }
    const struct metric_group group = {.terms = terms, .term_count = TERMS, .windows = windows, .window_count = WINDOWS};
    struct metric_place *places = arena_array(&arena, struct metric_place, table.metrics.count + 1);
    uint32_t divider = table_metric_find(&table, view_of("Divider")), zero = 0;
    places[divider] = (struct metric_place){.groups = &zero, .group_count = 1};
    places[table_metric_find(&table, view_of("L1_Bound"))].why_not = "others hold the counters";
    struct topdown_counts counts = {.table = &table, .origin = "made up", .groups = &group, .group_count = 1, .places = places};
    for (size_t at = 0; at < TABLE_CONSTANT_COUNT; at++)
        counts.constants[at] = not_measured("no");
    struct text written = {0}, twice = {0};
    topdown_counts_write(&counts, &written);
    struct topdown_counts read;
    counts_again(text_string(&written), &read, &again_table, &arena);
    cr_expect_lt(read.groups[0].window_count, WINDOWS, "neighbours are put together");
    double again = 0;
    for (size_t at = 0; at < read.groups[0].window_count; at++)
        again += read.groups[0].windows[at].counts[2];
    cr_expect_float_eq(again, sum, 1, "and nothing is lost");
    struct topdown_counted tree;
    cr_expect(topdown_counts_tree(&tree, &read, &arena));
    cr_expect_not(tree.has_first_level);
    const struct topdown_node *node = topdown_counted_share(&tree, "tma_divider");
    cr_assert(node);
    cr_expect_float_eq(node->value.value, sum / (6e7 * WINDOWS), 1e-6);
    cr_expect_float_eq(tree.turn_ratio, 0.2, 1e-9);
    topdown_counts_write(&read, &twice);
    cr_expect_str_eq(text_string(&written), text_string(&twice));
    text_done(&written);
    text_done(&twice);
    metric_table_done(&table);
    metric_table_done(&again_table);
    arena_done(&arena);
}

Test(counted, counts_that_cant_be_are_refused)
{
    static const char *const broken[] = {
        "{}",
        "{\"cpu\": \"NOTHING\", \"groups\": []}",
        "{\"cpu\": \"SPR\"}",
        "{\"cpu\": \"SPR\", \"groups\": [{}]}",
        "{\"cpu\": \"SPR\", \"groups\": [{\"events\": [\"no.such_event\"], \"refused\": [null], \"windows\": []}]}",
        "{\"cpu\": \"SPR\", \"groups\": [{\"events\": [\"inst_retired.any\"], \"refused\": [], \"windows\": []}]}",
        "{\"cpu\": \"SPR\", \"groups\": [{\"events\": [\"inst_retired.any\"], \"refused\": [null], \"windows\": [[0, 1, 1, 2, 5]]}]}",
        "{\"cpu\": \"SPR\", \"groups\": [{\"events\": [\"inst_retired.any\"], \"refused\": [null], \"windows\": [[0, 1, 1, 1, -5]]}]}",
        "{\"cpu\": \"SPR\", \"groups\": [{\"events\": [\"inst_retired.any\"], \"refused\": [null], \"windows\": [[2, 1, 1, 1, 5]]}]}",
        "{\"cpu\": \"SPR\", \"groups\": [{\"events\": [\"inst_retired.any\"], \"refused\": [null], \"windows\": [[0, 1, 1, 1]]}]}",
        "{\"cpu\": \"SPR\", \"groups\": [], \"metrics\": [{\"name\": \"Divider\", \"groups\": [0]}]}",
    };
    for (size_t at = 0; at < array_count(broken); at++) {
        struct arena arena;
        struct metric_table table;
        struct topdown_counts counts;
        struct error err = {0};
        struct json_document *document = NULL;
        arena_init(&arena);
        cr_assert(json_document_parse(&document, view_of(broken[at]), &err), "%s", err.message);
        cr_expect_not(topdown_counts_read(&counts, &table, json_root(document), &arena, &err), "%s", broken[at]);
        cr_expect(err.message[0]);
        json_document_free(document);
        arena_done(&arena);
    }
}
