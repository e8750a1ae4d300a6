/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/experiment.h"

#include "base/scope.h"
#include "source/live/workload.h"

#include <stdlib.h>

void experiment_result_done(struct experiment_result *result)
{
    run_table_done(&result->table);
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

static bool run_arm(const struct experiment_request *request, size_t index, size_t block, bool is_warmup,
                    struct measured *ret_cells, struct error *err)
{
    const struct experiment_arm *arm = &request->arms[index];
    int exit_code = 0;
    if (request->progress)
        request->progress(request->progress_context, arm, block, is_warmup);
    if (!request->runner.run(request->runner.context, arm, is_warmup ? SIZE_MAX : block, ret_cells, &exit_code, err))
        return false;
    if (exit_code == 0 || request->keep_failed || workload_stop_requested())
        return true;
    return error_set(err, ERROR_SYSTEM, "%s ('%s') ended with status %d in %s %zu: its time means nothing", arm->label,
                     arm->argv[0], exit_code, is_warmup ? "warm-up" : "block", block + 1);
}

/* Order of the warm-ups: another part of the same sequence. */
enum {
    WARMUP_SHIFT = 1000003
};

static bool run_block(const struct experiment_request *request, struct experiment_result *result, size_t block,
                      bool is_warmup, struct error *err)
{
    size_t width = request->runner.quantity_count;
    scoped_free size_t *order = memory_alloc(memory_product(request->arm_count, sizeof(*order)));
    scoped_free struct measured *cells = memory_alloc(memory_product(request->arm_count * width, sizeof(*cells)));
    shuffle(order, request->arm_count, request->seed, block + (is_warmup ? WARMUP_SHIFT : 0));
    for (size_t at = 0; at < request->arm_count; at++) {
        bool ran = run_arm(request, order[at], block, is_warmup, cells + order[at] * width, err);
        result->interrupted = workload_stop_requested();
        if (!ran || result->interrupted)
            return ran;
    }
    if (!is_warmup)
        run_table_add_block(&result->table, cells);
    return true;
}

static void begin_table(const struct experiment_request *request, struct run_table *table)
{
    scoped_free struct run_arm *arms = memory_alloc(memory_product(request->arm_count, sizeof(*arms)));
    scoped(arena_done) struct arena arena;
    arena_init(&arena);
    for (size_t at = 0; at < request->arm_count; at++) {
        const char *line = "";
        for (char *const *word = request->arms[at].argv; word && *word; word++)
            line = arena_printf(&arena, "%s%s%s", line, *line ? " " : "", *word);
        arms[at] = (struct run_arm){.label = request->arms[at].label, .command = line};
    }
    run_table_init(table, arms, request->arm_count, request->runner.quantities, request->runner.quantity_count);
}

bool experiment_run_blocks(const struct experiment_request *request, struct experiment_result *result,
                           struct error *err)
{
    begin_table(request, &result->table);
    for (size_t block = 0; block < request->warmup_blocks && !result->interrupted; block++)
        if (!run_block(request, result, block, true, err))
            return false;
    while (!result->interrupted && request->policy.wants_block(request->policy.context, &result->table))
        if (!run_block(request, result, result->table.block_count, false, err))
            return false;
    return true;
}

static bool fixed_wants_block(void *context, const struct run_table *so_far)
{
    const size_t *count = context;
    return so_far->block_count < *count;
}

struct experiment_policy experiment_policy_fixed(const size_t *count)
{
    return (struct experiment_policy){.context = (void *)count, .wants_block = fixed_wants_block};
}
