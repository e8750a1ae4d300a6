/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole way of plumb topdown on simulated CPUs: does the drill reach what was planted, and do intervals hold the truth? */
#include "test.h"

#include "analyse/topdown/topdown_tree.h"
#include "command/topdown/topdown_session.h"
#include "table_program.h"

static const struct scenario {
    const char *key, *leaf;
    unsigned threads;
} scenarios[] = {
    {"SPR", "L3_Miss_Bound", 2}, {"SPR", "MEM_Bandwidth", 2}, {"SPR", "MEM_Latency", 2}, {"SPR", "L2_Bound", 2}, {"SPR", "L3_Bound", 2},
    {"SPR", "Store_Bound", 2}, {"SPR", "L1_Bound", 2}, {"SPR", "Load_STLB_Hit", 2}, {"SPR", "Divider", 2}, {"SPR", "Ports_Utilization", 2},
    {"SPR", "Machine_Clears", 2}, {"SPR", "ICache_Misses", 2}, {"SPR", "Code_STLB_Hit", 2}, {"SPR", "Unknown_Branches", 2},
    {"SPR", "MITE", 2}, {"SPR", "DSB", 2}, {"SPR", "CISC", 2}, {"SPR", "Streaming_Stores", 2}, {"SPR", "SQ_Full", 2}, {"SPR", "LCP", 1},
    {"EMR", "MEM_Latency", 2}, {"EMR", "ICache_Misses", 2}, {"EMR", "L2_Bound", 1}, {"EMR", "Lock_Latency", 2}, {"EMR", "DSB_Switches", 1},
    {"GNR", "L3_Miss_Bound", 2}, {"GNR", "Divider", 2}, {"GNR", "MEM_Bandwidth", 2}, {"GNR", "L3_Bound", 1},
    {"ICX", "MEM_Bandwidth", 2}, {"ICX", "L3_Bound", 2}, {"ICX", "INT_Divider", 2}, {"ICX", "ICache_Misses", 2}, {"ICX", "Branch_Mispredicts", 1},
    {"SKX", "DRAM_Bound", 1}, {"SKX", "L3_Bound", 1}, {"SKX", "Divider", 1}, {"SKX", "ITLB_Misses", 1}, {"SKX", "Store_Bound", 1},
    {"CLX", "MEM_Bandwidth", 1}, {"CLX", "DRAM_Bound", 1}, {"CLX", "Store_Bound", 2},
    {"ZEN4", "Backend_Bound_Memory", 2}, {"ZEN4", "Frontend_Bound_Latency", 2}, {"ZEN4", "Bad_Speculation_Mispredicts", 1},
    {"ZEN5", "Backend_Bound_CPU", 2}, {"ZEN5", "Frontend_Bound_Bandwidth", 1}, {"NEOVERSE-V1", "Backend_Bound", 1},
    {"NEOVERSE-V2", "Frontend_Bound", 1}, {"NEOVERSE-N2", "Backend_Bound", 1},
};

struct outcome {
    size_t held, asked;
};

static void session_setup(struct topdown_setup *setup, struct table_program *program)
{
    *setup = (struct topdown_setup){.kernel = simulated_pmu_kernel(program->simulated), .root = &program->root, .table = &program->table,
                                    .pmu = program->pmu, .subject = table_program_subject(program), .is_program = true,
                                    .constants = program->constants, .cpu_id = "0x00000000410fd490"};
}

static size_t first_levels(const struct metric_table *table, unsigned level, uint32_t *ret)
{
    size_t count = 0;
    for (uint32_t at = 0; at < table->metrics.count; at++)
        if (table->metrics.items[at].level && table->metrics.items[at].level <= level)
            ret[count++] = at;
    return count;
}

/* Which of the measured shares hold what the rates say. */
static void truth_compare(const struct table_program *program, const struct topdown_session *session, struct outcome *outcome)
{
    double *rates = arena_copy((struct arena *)&program->arena, program->rates, program->table.terms.count * sizeof(*program->rates));
    struct table_values truth;
    struct arena arena;
    arena_init(&arena);
    if (session->passes == 1) /* what is said is said of this run */
        for (size_t at = 0; at < program->table.terms.count; at++)
            if (program->specs[at].count == 1)
                rates[at] = simulated_pmu_truth(program->simulated, 4, program->specs[at].specs[0].attr.config);
    program_evaluate(program, rates, &truth, &arena);
    for (uint32_t at = 0; at < program->table.metrics.count; at++) {
        const struct metric_quality *quality = &session->values.qualities[at];
        if (!program->table.metrics.items[at].level || !quality->value.known || !quality->interval.known || !truth.metrics[at].known)
            continue;
        double slack = 1e-6 + 1e-6 * fabs(truth.metrics[at].value);
        outcome->asked++;
        outcome->held += quality->interval.low <= truth.metrics[at].value + slack && truth.metrics[at].value <= quality->interval.high + slack;
    }
    arena_done(&arena);
}

static bool scenario_run(const struct scenario *scenario, unsigned number, struct outcome *outcome)
{
    struct table_program program;
    struct topdown_setup setup;
    struct topdown_session session;
    struct topdown_tree tree;
    struct error err = {0};
    uint32_t metrics[256];
    table_program_init(&program, scenario->key, scenario->threads);
    cr_expect(program_plant(&program, scenario->leaf, number), "%s: no rates for %s", scenario->key, scenario->leaf);
    table_program_start(&program, (struct simulated_plan){.noise = {.seed = number, .block_ns = 200000000, .shared = 0.1, .own = 0.02}});
    session_setup(&setup, &program);
    topdown_session_init(&session, &setup);
    size_t count = first_levels(&program.table, 2, metrics);
    cr_assert(topdown_session_measure(&session, metrics, count, &err), "%s %s: %s", scenario->key, scenario->leaf, err.message);
    cr_assert(topdown_session_drill(&session, &err), "%s %s: %s", scenario->key, scenario->leaf, err.message);
    topdown_tree_of_values(&tree, &program.table, &session.values, &session.arena);
    truth_compare(&program, &session, outcome);
    bool reached = tree.leaf != SIZE_MAX && strcasecmp(tree.nodes[tree.leaf].name, scenario->leaf) == 0;
    if (!reached)
        fprintf(stderr, "%s %s: leaf %s, %zu passes, %zu steps, passes differ by %.2f %%\n", scenario->key, scenario->leaf,
                tree.leaf == SIZE_MAX ? "none" : tree.nodes[tree.leaf].path, session.passes, session.steps, session.agreement.run_spread * 100);
    topdown_session_done(&session);
    table_program_done(&program);
    return reached;
}

/*
 * Every PARTS'th program from the first: tests that run beside each other, each far within a test's time. With sanitizers,
 * which make them ten times slower, some of each part.
 */
enum { PARTS = 6 };
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { STEP = 3 * PARTS };
#else
enum { STEP = PARTS };
#endif

static void scenarios_run(size_t first)
{
    struct outcome outcome = {0};
    size_t reached = 0, run = 0;
    for (size_t at = first; at < array_count(scenarios); at += STEP, run++)
        reached += scenario_run(&scenarios[at], (unsigned)at + 1, &outcome);
    cr_expect_eq(reached, run, "%zu of %zu", reached, run);
    cr_expect_geq((double)outcome.held, 0.93 * (double)outcome.asked, "%zu of %zu", outcome.held, outcome.asked);
    cr_expect_geq(outcome.asked, 10 * run);
}

Test(topdown_session, the_drill_reaches_what_was_planted_1) { scenarios_run(0); }
Test(topdown_session, the_drill_reaches_what_was_planted_2) { scenarios_run(1); }
Test(topdown_session, the_drill_reaches_what_was_planted_3) { scenarios_run(2); }
Test(topdown_session, the_drill_reaches_what_was_planted_4) { scenarios_run(3); }
Test(topdown_session, the_drill_reaches_what_was_planted_5) { scenarios_run(4); }
Test(topdown_session, the_drill_reaches_what_was_planted_6) { scenarios_run(5); }
