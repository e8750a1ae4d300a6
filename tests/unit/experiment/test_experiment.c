/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "experiment/experiment.h"

/* A runner that measures nothing but notes the order, and fails at a chosen run. */
struct scripted {
    size_t arms[64], count, fail_at, status_at, warmups;
};

static bool scripted_run(void *context, const struct experiment_arm *arm, size_t block, struct measured *ret_cells,
                         int *ret_exit_code, struct error *err)
{
    struct scripted *scripted = context;
    scripted->warmups += block == SIZE_MAX;
    *ret_exit_code = scripted->count == scripted->status_at ? 7 : 0;
    if (scripted->count == scripted->fail_at)
        return error_set(err, ERROR_SYSTEM, "planned");
    scripted->arms[scripted->count++] = (size_t)(arm->label[0] - 'A');
    ret_cells[0] = measured_as(arm->label[0] == 'A' ? 1 : 2);
    ret_cells[1] = block % 2 ? measured_as((double)block) : not_measured("only odd ones");
    return true;
}

static const struct run_quantity quantities[] = {{"wall", "wall time", RUN_SECONDS}, {"odd", "odd blocks", RUN_COUNT}};
static const struct experiment_arm arms[] = {{.label = "A"}, {.label = "B"}};

static struct experiment_request request_of(struct scripted *scripted, size_t *blocks)
{
    return (struct experiment_request){.arms = arms,
                                       .arm_count = 2,
                                       .warmup_blocks = 1,
                                       .seed = 7,
                                       .runner = {.context = scripted,
                                                  .quantities = quantities,
                                                  .quantity_count = 2,
                                                  .run = scripted_run},
                                       .policy = experiment_policy_fixed(blocks)};
}

Test(experiment, every_block_runs_every_arm_in_seeded_order)
{
    struct scripted scripted = {.fail_at = SIZE_MAX, .status_at = SIZE_MAX}, again = {.fail_at = SIZE_MAX, .status_at = SIZE_MAX};
    size_t blocks = 20;
    struct experiment_request request = request_of(&scripted, &blocks), same = request_of(&again, &blocks);
    struct experiment_result result = {0}, other = {0};
    struct error err = {0};
    cr_assert(experiment_run_blocks(&request, &result, &err) && experiment_run_blocks(&same, &other, &err));
    cr_assert_eq(result.table.block_count, 20);
    cr_assert_eq(scripted.warmups, 2);
    cr_assert_eq(scripted.count, 42);
    cr_assert(memcmp(scripted.arms, again.arms, sizeof(scripted.arms)) == 0);
    int a_first = 0;
    for (size_t at = 0; at < 42; at += 2) {
        cr_assert_eq(scripted.arms[at] + scripted.arms[at + 1], 1, "each arm once");
        a_first += scripted.arms[at] == 0;
    }
    cr_assert(a_first > 3 && a_first < 18, "both orders occur: %d", a_first);
    double a[20], b[20];
    cr_assert_eq(run_table_pairs(&result.table, 0, 1, 0, a, b), 20);
    cr_assert(a[3] == 1 && b[3] == 2);
    cr_assert_eq(run_table_column(&result.table, 1, run_table_quantity(&result.table, "odd"), b), 10);
    cr_assert_eq(b[4], 9);
    cr_assert_str_eq(run_table_why_not(&result.table, 0, 1), "only odd ones");
    cr_assert_null(run_table_why_not(&result.table, 0, 0));
    cr_assert_eq(run_table_quantity(&result.table, "none"), SIZE_MAX);
    experiment_result_done(&result);
    experiment_result_done(&other);
}

Test(experiment, a_failure_keeps_the_complete_blocks)
{
    struct scripted scripted = {.fail_at = 2 + 2 * 3 + 1, .status_at = SIZE_MAX};
    size_t blocks = 20;
    struct experiment_request request = request_of(&scripted, &blocks);
    struct experiment_result result = {0};
    struct error err = {0};
    cr_assert_not(experiment_run_blocks(&request, &result, &err));
    cr_assert_str_eq(err.message, "planned");
    cr_assert_eq(result.table.block_count, 3);
    experiment_result_done(&result);
}

Test(experiment, a_failed_run_is_named_unless_it_is_kept)
{
    struct scripted scripted = {.fail_at = SIZE_MAX, .status_at = 5}, kept = scripted;
    size_t blocks = 4;
    struct experiment_request request = request_of(&scripted, &blocks), keeping = request_of(&kept, &blocks);
    keeping.keep_failed = true;
    struct experiment_arm named[] = {{.label = "A", .argv = (char *[]){"a", NULL}},
                                     {.label = "B", .argv = (char *[]){"b", "-x", NULL}}};
    request.arms = keeping.arms = named;
    struct experiment_result result = {0}, all = {0};
    struct error err = {0};
    cr_assert_not(experiment_run_blocks(&request, &result, &err));
    cr_assert(strstr(err.message, "status 7 in block 2"), "%s", err.message);
    cr_assert_eq(result.table.block_count, 1);
    cr_assert_eq(result.table.arms[0].failed_runs + result.table.arms[1].failed_runs, 0, "it was not kept");
    cr_assert(experiment_run_blocks(&keeping, &all, &err));
    cr_assert_eq(all.table.block_count, 4);
    cr_assert_eq(all.table.arms[0].failed_runs + all.table.arms[1].failed_runs, 1);
    cr_assert_str_eq(all.table.arms[1].command, "b -x");
    experiment_result_done(&result);
    experiment_result_done(&all);
}

/* The machine sleeps during the third block. */
static uint64_t slept_ns(void)
{
    static int looks;
    return looks++ < 3 ? 1000 : 7000001000u; /* looked at before and behind each block */
}

Test(experiment, a_block_in_which_the_machine_slept_is_run_again)
{
    struct scripted scripted = {.fail_at = SIZE_MAX, .status_at = SIZE_MAX};
    size_t blocks = 4;
    struct experiment_request request = request_of(&scripted, &blocks);
    struct experiment_result result = {0};
    struct error err = {0};
    request.suspended_ns = slept_ns;
    request.warmup_blocks = 0;
    cr_assert(experiment_run_blocks(&request, &result, &err));
    cr_assert_eq(result.table.block_count, 4);
    cr_assert_eq(scripted.count, 10, "one block more");
    cr_assert_eq(result.suspended_blocks, 1);
    cr_assert(result.suspended_s > 6.9 && result.suspended_s < 7.1);
    experiment_result_done(&result);
}

Test(experiment, an_unfinished_block_stands_apart)
{
    struct scripted scripted = {.fail_at = 2 + 2 * 3 + 1, .status_at = SIZE_MAX};
    size_t blocks = 20;
    struct experiment_request request = request_of(&scripted, &blocks);
    struct experiment_result result = {0};
    struct error err = {0};
    cr_assert_not(experiment_run_blocks(&request, &result, &err));
    cr_assert_eq(result.unfinished.block_count, 1);
    struct measured a = run_table_cell(&result.unfinished, 0, 0, 0), b = run_table_cell(&result.unfinished, 0, 1, 0);
    cr_assert(a.known != b.known && strstr((a.known ? b : a).why_not, "did not run to its end"));
    experiment_result_done(&result);
}
