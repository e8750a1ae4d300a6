/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plumb topdown where things are against it: short programs, counters that others hold, events that never run, phases, guests. */
#include "test.h"

#include "command/topdown/topdown_machine.h"
#include "command/topdown/topdown_timeline.h"
#include "metric/table/table_general.h"
#include "topdown_bench.h"

#include <errno.h>

#define MS 1000000u

Test(topdown_ill, a_program_of_20_ms_is_counted_whole)
{
    struct bench bench;
    bench_init(&bench, "SPR", 2, "L2_Bound");
    bench.program.run_ns = 20 * MS;
    bench_start(&bench, (struct simulated_plan){0});
    cr_assert(bench_levels(&bench, 2) && topdown_session_drill(&bench.session, &bench.err), "%s", bench.err.message);
    cr_expect_str_eq(bench_leaf(&bench), "L2_Bound");
    cr_expect_float_eq(quality_of(&bench, "L2_Bound")->seen, 1, 1e-9);
    bench_done(&bench);
}

Test(topdown_ill, one_short_run_for_many_groups_is_refused_with_the_time_it_takes)
{
    struct bench bench;
    bench_init(&bench, "SKX", 1, "L3_Bound");
    bench.program.run_ns = 300 * MS;
    bench_start(&bench, (struct simulated_plan){0});
    bench.setup.once = true;
    cr_assert_not(bench_levels(&bench, 3));
    cr_expect_eq(bench.err.kind, ERROR_LIMIT);
    cr_expect(strstr(bench.err.message, "must last"), "%s", bench.err.message);
    bench_done(&bench);
}

Test(topdown_ill, one_long_run_is_shared)
{
    struct bench bench;
    bench_init(&bench, "SKX", 1, "L3_Bound");
    bench.program.run_ns = 40000ull * MS;
    bench_start(&bench, (struct simulated_plan){.noise = {.seed = 3, .shared = 0.1, .own = 0.02}});
    bench.setup.once = true;
    cr_assert(bench_levels(&bench, 3), "%s", bench.err.message);
    cr_expect_eq(bench.session.passes, 1);
    cr_expect_str_eq(bench_leaf(&bench), "L3_Bound");
    cr_expect_lt(quality_of(&bench, "L3_Bound")->seen, 0.9);
    cr_expect(quality_of(&bench, "L3_Bound")->marks & QUALITY_SCALED);
    bench_done(&bench);
}

Test(topdown_ill, what_goes_on_is_watched_in_slices)
{
    struct bench bench;
    bench_init(&bench, "SKX", 1, "Store_Bound");
    bench.program.run_ns = 60000ull * MS;
    bench_start(&bench, (struct simulated_plan){.noise = {.seed = 4, .shared = 0.1, .own = 0.02}});
    bench.setup.is_program = false;
    bench.program.attached = true;
    cr_assert(bench_levels(&bench, 2) && topdown_session_drill(&bench.session, &bench.err), "%s", bench.err.message);
    cr_expect_str_eq(bench_leaf(&bench), "Store_Bound");
    bench_done(&bench);
}

Test(topdown_ill, counters_that_others_hold_are_done_without)
{
    struct bench bench;
    bench_init(&bench, "SPR", 2, "MEM_Latency");
    bench_start(&bench, (struct simulated_plan){.taken = 2, .taken_fixed = 2});
    cr_assert(bench_levels(&bench, 2) && topdown_session_drill(&bench.session, &bench.err), "%s", bench.err.message);
    cr_expect_str_eq(bench_leaf(&bench), "MEM_Latency");
    cr_expect(notes_have(&bench.session, "others hold counters"));
    bench_done(&bench);
}

Test(topdown_ill, a_group_that_never_runs_costs_its_nodes_and_no_others)
{
    struct bench bench;
    bench_init(&bench, "SPR", 2, "L3_Miss_Bound");
    bench_start(&bench, (struct simulated_plan){0});
    rule_change(&bench, "exe_activity.bound_on_stores", SIMULATED_NEVER, 0);
    cr_assert(bench_levels(&bench, 2) && topdown_session_drill(&bench.session, &bench.err), "%s", bench.err.message);
    cr_expect_not(quality_of(&bench, "Store_Bound")->value.known);
    cr_expect(strstr(quality_of(&bench, "Store_Bound")->value.why_not, "counters"), "%s", quality_of(&bench, "Store_Bound")->value.why_not);
    cr_expect(quality_of(&bench, "Memory_Bound")->value.known);
    bench_done(&bench);
}

Test(topdown_ill, a_refused_event_is_said_by_name_and_costs_no_pass)
{
    struct bench bench;
    bench_init(&bench, "SPR", 2, "L3_Miss_Bound");
    bench_start(&bench, (struct simulated_plan){0});
    rule_change(&bench, "exe_activity.bound_on_stores", SIMULATED_HARDWARE, ENOENT);
    cr_assert(bench_levels(&bench, 2) && topdown_session_drill(&bench.session, &bench.err), "%s", bench.err.message);
    cr_expect(strstr(quality_of(&bench, "Store_Bound")->value.why_not, "bound_on_stores"), "%s", quality_of(&bench, "Store_Bound")->value.why_not);
    cr_expect_str_eq(bench_leaf(&bench), "L3_Miss_Bound");
    bench_done(&bench);
}

Test(topdown_ill, nothing_to_divide_by_is_no_zero)
{
    struct bench bench;
    bench_init(&bench, "ZEN4", 1, "Backend_Bound_Memory");
    for (size_t at = 0; at < bench.program.table.terms.count; at++)
        if (strstr(bench.program.table.terms.items[at].name, "ex_no_retire"))
            bench.program.rates[at] = 0;
    bench_start(&bench, (struct simulated_plan){0});
    cr_assert(bench_levels(&bench, 2), "%s", bench.err.message);
    cr_expect_not(quality_of(&bench, "Backend_Bound_Memory")->value.known);
    cr_expect(quality_of(&bench, "Backend_Bound")->value.known);
    bench_done(&bench);
}

Test(topdown_ill, without_the_kernel_it_is_user_code)
{
    struct bench bench;
    bench_init(&bench, "SPR", 2, "L2_Bound");
    bench_start(&bench, (struct simulated_plan){.kernel_refused = true});
    cr_assert(bench_levels(&bench, 2), "%s", bench.err.message);
    cr_expect(bench.session.user_only);
    cr_expect(quality_of(&bench, "Backend_Bound")->value.known);
    bench_done(&bench);
}

/* ---- without PERF_METRICS ---------------------------------------------------------------------------------- */

Test(topdown_ill, general_counters_give_the_first_two_levels)
{
    struct bench bench = {0};
    struct error err = {0};
    struct table_program *program = &bench.program;
    table_program_init(program, "SPR", 1);
    cr_assert(metric_table_use_general(&program->table, &err), "%s", err.message);
    program_specs_find(program);
    program->pmu.topdown_fields = 0;
    program->pmu.fixed &= 7;
    unlink_topdown(program);
    cr_assert(program_plant(program, "Branch_Mispredicts", 11) || program_plant(program, "L2_Bound", 12));
    bench_start(&bench, (struct simulated_plan){0});
    cr_assert(bench_levels(&bench, 2) && topdown_session_drill(&bench.session, &bench.err), "%s", bench.err.message);
    uint32_t leaf = program_leaf(program);
    cr_assert_neq(leaf, TABLE_NONE);
    cr_expect_str_eq(bench_leaf(&bench), program->table.metrics.items[leaf].name);
    cr_expect_not(simulated_pmu_was_tried(program->simulated, 4, 0x400), "fixed counter 3 stays closed");
    for (unsigned field = 0; field < 8; field++)
        cr_expect_not(simulated_pmu_was_tried(program->simulated, 4, 0x8000 + 0x100 * field));
    bench_done(&bench);
}

/* ---- phases ------------------------------------------------------------------------------------------------ */

static void rates_alternate(struct bench *bench, const struct table_program *other, const double *loading, uint64_t phase_ns)
{
    struct table_program *program = &bench->program;
    for (unsigned rule = 0; rule < program->rule_count; rule++)
        for (size_t at = 0; at < program->table.terms.count; at++)
            if (program->specs[at].count == 1 && program->specs[at].specs[0].attr.config == program->rules[rule].config && program->same[at] == at) {
                double *rates = arena_array(&program->arena, double, 3);
                unsigned count = 0;
                if (loading)
                    rates[count++] = other->rates[at];
                rates[count++] = program->rates[at];
                rates[count++] = loading ? program->rates[at] : other->rates[at];
                program->rules[rule].phases_per_second = rates;
                program->rules[rule].phase_count = count;
                program->rules[rule].phase_ns = phase_ns;
                program->rules[rule].phases_repeat = true;
            }
    if (loading)
        program->rules[program->rule_count++] = (struct simulated_rule){
            .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS, .phases_per_second = loading, .phase_count = 3,
            .phase_ns = phase_ns, .phases_repeat = true};
}

static void phased_run(struct bench *bench, const char *other_leaf, const double *loading, uint64_t phase_ns)
{
    struct table_program other;
    bench_init(bench, "SPR", 2, "MEM_Bandwidth");
    table_program_init(&other, "SPR", 2);
    cr_assert(program_plant(&other, other_leaf, 8), "no rates for %s", other_leaf);
    bench->program.run_ns = phase_ns * (loading ? 3 : 2);
    program_rules(&bench->program);
    rates_alternate(bench, &other, loading, phase_ns);
    bench_start(bench, (struct simulated_plan){0});
    cr_assert(bench_levels(bench, 2) && topdown_session_drill(&bench->session, &bench->err), "%s", bench->err.message);
    table_program_done(&other);
}

Test(topdown_ill, each_phase_has_its_verdict)
{
    struct bench bench;
    struct topdown_timeline timeline;
    phased_run(&bench, "Divider", NULL, 1000ull * MS);
    topdown_timeline_find(&timeline, &bench.session, &bench.session.arena);
    cr_assert_eq(timeline.phases.phase_count, 2, "%u phases", timeline.phases.phase_count);
    static const char *const parts[] = {"Memory_Bound", "Core_Bound"};
    for (int phase = 0; phase < 2; phase++) {
        struct topdown_values values;
        struct topdown_tree tree;
        topdown_session_values(&bench.session, topdown_timeline_groups(&timeline, &bench.session, phase, &bench.session.arena), &values);
        topdown_tree_of_values(&tree, &bench.program.table, &values, &bench.session.arena);
        cr_assert_neq(tree.leaf, SIZE_MAX);
        cr_expect(strstr(tree.nodes[tree.leaf].path, parts[phase]), "%s", tree.nodes[tree.leaf].path);
    }
    bench_done(&bench);
}

Test(topdown_ill, loading_is_no_part_of_the_answer)
{
    static const double faults[] = {50000, 10, 10};
    struct bench bench;
    phased_run(&bench, "ICache_Misses", faults, 1000ull * MS);
    cr_expect(bench.session.has_warmup);
    cr_expect_str_eq(bench_leaf(&bench), "MEM_Bandwidth");
    bench_done(&bench);
}

/* ---- intervals --------------------------------------------------------------------------------------------- */

struct told {
    struct bench *bench;
    size_t count, runs, sharing;
    bool shares_differ, late;
    double end_s;
};

/* Each as it ends: the simulated clock shows its end, and nothing of the pass is in the session yet. */
static void window_told(void *context, const struct topdown_window *window)
{
    struct told *told = context;
    struct bench *bench = told->bench;
    const struct topdown_values_request request = {.table = &bench->program.table, .constants = bench->program.constants, .cycles = bench->session.cycles};
    const struct group_window *read = window->group.windows;
    uint64_t now = simulated_pmu_now_ns(bench->program.simulated) - bench->program.start_ns;
    struct arena arena = {0};
    double sum = 0;
    for (uint32_t at = 0; at < bench->program.table.metrics.count; at++)
        if (bench->program.table.metrics.items[at].level == 1)
            sum += metric_group_value(&request, at, &window->group, &arena).value;
    cr_expect_eq(window->group.window_count, 1);
    told->shares_differ |= fabs(sum - 1) > 0.02;
    told->late |= now > read->end_ns + 5 * MS || bench->session.groups.count > 0 || (double)read->start_ns / 1e9 < told->end_s - 1e-9;
    told->end_s = (double)read->end_ns / 1e9;
    told->runs = window->runs;
    told->sharing = window->sharing;
    told->count++;
    arena_done(&arena);
}

static struct told intervals_told(const char *key, unsigned threads, bool attached, uint64_t run_ms, uint64_t interval_ms)
{
    struct bench bench;
    struct told told = {.bench = &bench};
    bench_init(&bench, key, threads, "Store_Bound");
    bench.program.run_ns = run_ms * MS;
    bench_start(&bench, (struct simulated_plan){.noise = {.seed = 4, .shared = 0.1, .own = 0.02}});
    bench.setup.is_program = !attached;
    bench.program.attached = attached;
    bench.setup.read_ns = interval_ms * MS;
    bench.setup.window_done = window_told;
    bench.setup.context = &told;
    cr_assert(bench_levels(&bench, 2), "%s", bench.err.message);
    bench_done(&bench);
    told.bench = NULL;
    cr_expect_not(told.shares_differ, "%s", key);
    cr_expect_not(told.late, "%s", key);
    return told;
}

Test(topdown_ill, intervals_are_told_as_they_end)
{
    struct told one = intervals_told("SPR", 2, false, 2000, 200);
    cr_expect(one.count == 10 && one.runs == 1 && one.sharing == 1, "%zu of %zu runs", one.count, one.runs);
    struct told several = intervals_told("SKX", 1, false, 2000, 200);
    cr_expect(several.count == 10 && several.runs > 1 && several.sharing == 1, "%zu of %zu runs: one of them tells", several.count, several.runs);
    struct told watched = intervals_told("SKX", 1, true, 12000, 200);
    cr_expect(watched.count == 60 && watched.runs == 1 && watched.sharing > 1, "%zu intervals: no gaps", watched.count);
    struct told too_short = intervals_told("ICX", 1, true, 12000, 10);
    cr_expect(too_short.sharing == 3 && too_short.count == 100, "%zu intervals of 120 ms: all three groups had turns in each", too_short.count);
}
