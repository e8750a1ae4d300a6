/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/experiment.h"

#include "base/arena.h"
#include "base/scope.h"
#include "base/vec.h"
#include "source/live/workload.h"

#include <stdlib.h>

void experiment_result_done(struct experiment_result *result)
{
    free(result->runs);
    *result = (struct experiment_result){0};
}

/* Fisher-Yates over the arms, from the seed and the block's number. */
static void shuffle(size_t *order, size_t count, uint64_t seed, size_t block)
{
    unsigned short state[3] = {(unsigned short)(seed ^ block), (unsigned short)(seed >> 16),
                               (unsigned short)((seed >> 32) + block * 40503u)};
    erand48(state); /* nearby seeds give nearby first numbers */
    for (size_t at = 0; at < count; at++)
        order[at] = at;
    for (size_t at = count; at > 1; at--) {
        size_t other = (size_t)(erand48(state) * (double)at);
        size_t moved = order[at - 1];
        order[at - 1] = order[other];
        order[other] = moved;
    }
}

static bool run_block(const struct experiment_request *request, struct experiment_result *result, size_t block,
                      bool is_warmup, struct error *err)
{
    scoped_free size_t *order = memory_alloc(memory_product(request->arm_count, sizeof(*order)));
    shuffle(order, request->arm_count, request->seed, block + (is_warmup ? 1000003u : 0));
    size_t kept = result->run_count;
    for (size_t at = 0; at < request->arm_count; at++) {
        const struct experiment_arm *arm = &request->arms[order[at]];
        if (request->progress)
            request->progress(request->progress_context, arm, block, is_warmup);
        struct experiment_run run = {0};
        bool ran = request->runner.run(request->runner.context, arm, &run, err);
        result->interrupted = workload_stop_requested();
        if (!ran || result->interrupted) {
            result->run_count = kept;
            return ran;
        }
        run.arm = order[at];
        run.block = block;
        run.order = at;
        if (!is_warmup) {
            result->runs = vec_reserve_bytes(result->runs, &result->capacity, result->run_count + 1, sizeof(run));
            result->runs[result->run_count++] = run;
        }
    }
    return true;
}

bool experiment_run_blocks(const struct experiment_request *request, struct experiment_result *result,
                           struct error *err)
{
    for (size_t block = 0; block < request->warmup_blocks && !result->interrupted; block++)
        if (!run_block(request, result, block, true, err))
            return false;
    while (!result->interrupted && request->policy.wants_block(request->policy.context, result)) {
        if (!run_block(request, result, result->block_count, false, err))
            return false;
        if (!result->interrupted)
            result->block_count++;
    }
    return true;
}

static bool fixed_wants_block(void *context, const struct experiment_result *so_far)
{
    const size_t *count = context;
    return so_far->block_count < *count;
}

struct experiment_policy experiment_policy_fixed(const size_t *count)
{
    return (struct experiment_policy){.context = (void *)count, .wants_block = fixed_wants_block};
}

double *experiment_column(const struct experiment_result *result, size_t arm, enum experiment_quantity quantity)
{
    double *column = memory_alloc(memory_product(result->block_count, sizeof(*column)));
    for (size_t at = 0; at < result->run_count; at++) {
        const struct experiment_run *run = &result->runs[at];
        const double values[] = {
            [EXPERIMENT_WALL_S] = run->wall_s,
            [EXPERIMENT_CPU_S] = run->user_s + run->system_s,
            [EXPERIMENT_USER_S] = run->user_s,
            [EXPERIMENT_SYSTEM_S] = run->system_s,
        };
        if (run->arm == arm)
            column[run->block] = values[quantity];
    }
    return column;
}
