/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A planted program on a simulated CPU, and a top-down session that measures it: what the tests of live top-down begin with. */
#ifndef PLUMB_TESTS_UNIT_SIMULATED_TOPDOWN_BENCH_H
#define PLUMB_TESTS_UNIT_SIMULATED_TOPDOWN_BENCH_H

#include "analyse/topdown/topdown_tree.h"
#include "command/topdown/topdown_session.h"
#include "table_program.h"

struct bench {
    struct table_program program;
    struct topdown_setup setup;
    struct topdown_session session;
    struct topdown_tree tree;
    struct error err;
};

__attribute__((unused)) static void bench_init(struct bench *bench, const char *key, unsigned threads, const char *leaf)
{
    *bench = (struct bench){0};
    table_program_init(&bench->program, key, threads);
    cr_assert(program_plant(&bench->program, leaf, 5), "no rates for %s", leaf);
}

__attribute__((unused)) static void bench_start(struct bench *bench, struct simulated_plan plan)
{
    table_program_start(&bench->program, plan);
    bench->setup = (struct topdown_setup){.kernel = simulated_pmu_kernel(bench->program.simulated), .root = &bench->program.root,
                                          .table = &bench->program.table, .pmu = bench->program.pmu,
                                          .subject = table_program_subject(&bench->program), .is_program = true,
                                          .constants = bench->program.constants};
    topdown_session_init(&bench->session, &bench->setup);
}

__attribute__((unused)) static bool bench_levels(struct bench *bench, unsigned level)
{
    uint32_t metrics[256];
    size_t count = 0;
    for (uint32_t at = 0; at < bench->program.table.metrics.count; at++)
        if (bench->program.table.metrics.items[at].level && bench->program.table.metrics.items[at].level <= level)
            metrics[count++] = at;
    return topdown_session_measure(&bench->session, metrics, count, &bench->err);
}

__attribute__((unused)) static const char *bench_leaf(struct bench *bench)
{
    topdown_tree_of_values(&bench->tree, &bench->program.table, &bench->session.values, &bench->session.arena);
    return bench->tree.leaf == SIZE_MAX ? "" : bench->tree.nodes[bench->tree.leaf].name;
}

__attribute__((unused)) static void bench_done(struct bench *bench)
{
    topdown_session_done(&bench->session);
    table_program_done(&bench->program);
}

__attribute__((unused)) static struct metric_quality *quality_of(struct bench *bench, const char *name)
{
    uint32_t metric = table_metric_find(&bench->program.table, view_of(name));
    cr_assert_neq(metric, TABLE_NONE);
    return &bench->session.values.qualities[metric];
}

__attribute__((unused)) static bool notes_have(const struct topdown_session *session, const char *word)
{
    for (size_t at = 0; at < session->notes.count; at++)
        if (strstr(session->notes.items[at], word))
            return true;
    return false;
}

__attribute__((unused)) static void rule_change(struct bench *bench, const char *term, enum simulated_needs needs, int open_errno)
{
    for (size_t at = 0; at < bench->program.table.terms.count; at++) {
        if (strcmp(bench->program.table.terms.items[at].name, term) != 0)
            continue;
        for (unsigned rule = 0; rule < bench->program.rule_count; rule++)
            if (bench->program.rules[rule].config == bench->program.specs[at].specs[0].attr.config) {
                bench->program.rules[rule].needs = needs;
                bench->program.rules[rule].open_errno = open_errno;
                return;
            }
    }
    cr_assert_fail("no rule for %s", term);
}

#endif
