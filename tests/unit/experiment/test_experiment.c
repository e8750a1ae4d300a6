/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "experiment/experiment.h"

/* A runner that measures nothing but notes the order, and fails at a chosen run. */
struct scripted {
    size_t arms[64], count, fail_at;
};

static bool scripted_run(void *context, const struct experiment_arm *arm, struct experiment_run *ret_run,
                         struct error *err)
{
    struct scripted *scripted = context;
    if (scripted->count == scripted->fail_at)
        return error_set(err, ERROR_SYSTEM, "planned");
    scripted->arms[scripted->count++] = (size_t)(arm->label[0] - 'A');
    ret_run->wall_s = arm->label[0] == 'A' ? 1 : 2;
    ret_run->user_s = 0.25;
    ret_run->system_s = 0.5;
    return true;
}

static const struct experiment_arm arms[] = {{.label = "A"}, {.label = "B"}};

static struct experiment_request request_of(struct scripted *scripted, size_t *blocks)
{
    return (struct experiment_request){.arms = arms,
                                       .arm_count = 2,
                                       .warmup_blocks = 1,
                                       .seed = 7,
                                       .runner = {.context = scripted, .run = scripted_run},
                                       .policy = experiment_policy_fixed(blocks)};
}

Test(experiment, every_block_runs_every_arm_in_seeded_order)
{
    struct scripted scripted = {.fail_at = SIZE_MAX}, again = {.fail_at = SIZE_MAX};
    size_t blocks = 20;
    struct experiment_request request = request_of(&scripted, &blocks), same = request_of(&again, &blocks);
    struct experiment_result result = {0}, other = {0};
    struct error err = {0};
    cr_assert(experiment_run_blocks(&request, &result, &err) && experiment_run_blocks(&same, &other, &err));
    cr_assert_eq(result.block_count, 20);
    cr_assert_eq(result.run_count, 40, "the warm-up is not kept");
    cr_assert_eq(scripted.count, 42);
    cr_assert(memcmp(scripted.arms, again.arms, sizeof(scripted.arms)) == 0);
    int a_first = 0;
    for (size_t at = 0; at < 42; at += 2) {
        cr_assert_eq(scripted.arms[at] + scripted.arms[at + 1], 1, "each arm once");
        a_first += scripted.arms[at] == 0;
    }
    cr_assert(a_first > 3 && a_first < 18, "both orders occur: %d", a_first);
    double *b = experiment_column(&result, 1, EXPERIMENT_WALL_S), *cpu = experiment_column(&result, 0, EXPERIMENT_CPU_S);
    for (size_t at = 0; at < 20; at++)
        cr_assert(b[at] == 2 && cpu[at] == 0.75);
    free(b);
    free(cpu);
    experiment_result_done(&result);
    experiment_result_done(&other);
}

Test(experiment, a_failure_keeps_the_complete_blocks)
{
    struct scripted scripted = {.fail_at = 2 + 2 * 3 + 1};
    size_t blocks = 20;
    struct experiment_request request = request_of(&scripted, &blocks);
    struct experiment_result result = {0};
    struct error err = {0};
    cr_assert_not(experiment_run_blocks(&request, &result, &err));
    cr_assert_str_eq(err.message, "planned");
    cr_assert_eq(result.block_count, 3);
    cr_assert_eq(result.run_count, 6);
    experiment_result_done(&result);
}
