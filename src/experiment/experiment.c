/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/experiment.h"

#include "base/clock.h"
#include "base/scope.h"
#include "base/text.h"
#include "source/live/workload.h"

#include <signal.h>
#include <stdlib.h>

void experiment_result_done(struct experiment_result *result)
{
    run_table_done(&result->table);
    run_table_done(&result->unfinished);
    run_table_done(&result->warmups);
}

/* Did the machine sleep? */

/* Of several looks the one that was interrupted least. */
static uint64_t suspended_since_boot_ns(void)
{
    int64_t best_gap = INT64_MAX, suspended = 0;
    for (int look = 0; look < 5; look++) {
        int64_t before = clock_ns(CLOCK_MONOTONIC), boot = clock_ns(CLOCK_BOOTTIME), after = clock_ns(CLOCK_MONOTONIC);
        if (after - before < best_gap) {
            best_gap = after - before;
            suspended = boot - before;
        }
    }
    return suspended > 0 ? (uint64_t)suspended : 0;
}

/*
 * The clocks are read one after the other, and a busy machine may do others' work between them; no sleep is as short.
 */
static const uint64_t suspension_least_ns = 200 * 1000000u;

static uint64_t suspended_ns(const struct experiment_request *request)
{
    return request->suspended_ns ? request->suspended_ns() : suspended_since_boot_ns();
}

static bool slept_since(const struct experiment_request *request, uint64_t before_ns, struct experiment_result *result)
{
    uint64_t now_ns = suspended_ns(request), slept_ns = now_ns > before_ns ? now_ns - before_ns : 0;
    if (slept_ns < suspension_least_ns)
        return false;
    result->suspended_blocks++;
    result->suspended_s += (double)slept_ns / 1e9;
    return true;
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

static bool run_failed(const struct experiment_arm *arm, int exit_code, size_t block, bool is_warmup, struct error *err)
{
    char status[64];
    if (exit_code > 128 && exit_code < 128 + NSIG)
        snprintf(status, sizeof(status), "signal %d (status %d)", exit_code - 128, exit_code);
    else
        snprintf(status, sizeof(status), "status %d", exit_code);
    error_set(err, ERROR_SYSTEM, "%s ('%s') ended with %s in %s %zu: its time means nothing", arm->label, arm->argv[0],
              status, is_warmup ? "warm-up" : "block", block + 1);
    if (exit_code > 128)
        return false;
    if (block > 0)
        return error_hint(err, "it ended well %zu times before; --ignore-failure measures such runs too", block);
    return error_hint(err,
                      "it had /dev/null as standard input, and no terminal (one that needs one: script -qec COMMAND "
                      "/dev/null); --ignore-failure measures such runs too");
}

/* An experiment under way. */
struct running {
    const struct experiment_request *request;
    struct experiment_result *result;
    struct sysroot live;
    const struct sysroot *root;
    struct settings_lock lock;
    int64_t began_ns; /* when the first run of all began */
};

static bool run_under_settings(const struct running *running, const struct experiment_arm *arm, size_t block,
                               struct measured *ret_cells, int *ret_exit_code, struct error *err)
{
    const struct experiment_runner *runner = &running->request->runner;
    scoped(run_settings_leave) struct settings_guard guard = {0};
    return run_settings_enter(arm->settings, &running->lock, &guard, running->root, err) &&
           runner->run(runner->context, arm, block, ret_cells, ret_exit_code, err);
}

static bool run_arm(const struct running *running, size_t index, size_t block, bool is_warmup,
                    struct measured *ret_cells, bool *ret_failed, struct error *err)
{
    const struct experiment_request *request = running->request;
    const struct experiment_arm *arm = &request->arms[index];
    int exit_code = 0;
    if (request->progress)
        request->progress(request->progress_context, arm, block, is_warmup);
    if (!run_under_settings(running, arm, is_warmup ? SIZE_MAX : block, ret_cells, &exit_code, err))
        return false;
    *ret_failed = exit_code != 0;
    return exit_code == 0 || request->keep_failed || workload_stop_requested() ||
           run_failed(arm, exit_code, block, is_warmup, err);
}

/* Order of the warm-ups: another part of the same sequence. */
enum {
    WARMUP_SHIFT = 1000003
};

static bool is_warm(const struct experiment_request *request, int64_t began_ns)
{
    return request->warmup_seconds > 0 &&
           (double)(clock_ns(CLOCK_MONOTONIC) - began_ns) / 1e9 >= request->warmup_seconds;
}

static void block_keep(struct run_table *table, const struct measured *cells, const bool *failed)
{
    run_table_add_block(table, cells);
    for (size_t arm = 0; arm < table->arm_count; arm++)
        table->arms[arm].failed_runs += failed[arm];
}

static bool run_block(const struct running *running, size_t block, bool is_warmup, struct error *err)
{
    const struct experiment_request *request = running->request;
    struct experiment_result *result = running->result;
    size_t width = request->runner.quantity_count;
    scoped_free size_t *order = memory_alloc(memory_product(request->arm_count, sizeof(*order)));
    scoped_free struct measured *cells = memory_alloc(memory_product(request->arm_count * width, sizeof(*cells)));
    scoped_free bool *failed = memory_alloc(memory_product(request->arm_count, sizeof(*failed)));
    shuffle(order, request->arm_count, request->seed, block + (is_warmup ? WARMUP_SHIFT : 0));
    for (size_t at = 0; at < request->arm_count * width; at++)
        cells[at] = not_measured("it did not run to its end in that block");
    uint64_t before_ns = suspended_ns(request);
    for (size_t at = 0; at < request->arm_count; at++) {
        if (is_warmup && is_warm(request, running->began_ns))
            break;
        struct measured *own = cells + order[at] * width;
        bool ran = run_arm(running, order[at], block, is_warmup, own, &failed[order[at]], err);
        result->interrupted = workload_stop_requested();
        if (ran && !result->interrupted)
            continue;
        for (size_t cell = 0; cell < width; cell++)
            own[cell] = not_measured("it did not run to its end in that block");
        if (at > 0)
            run_table_add_block(is_warmup ? &result->warmups : &result->unfinished, cells);
        return ran;
    }
    if (is_warmup)
        run_table_add_block(&result->warmups, cells);
    else if (!slept_since(request, before_ns, result))
        block_keep(&result->table, cells, failed);
    return true;
}

static void begin_tables(const struct experiment_request *request, struct experiment_result *result)
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
    run_table_init(&result->table, arms, request->arm_count, request->runner.quantities,
                   request->runner.quantity_count);
    run_table_init(&result->unfinished, arms, request->arm_count, request->runner.quantities,
                   request->runner.quantity_count);
    run_table_init(&result->warmups, arms, request->arm_count, request->runner.quantities,
                   request->runner.quantity_count);
}

static bool blocks_run(const struct running *running, struct error *err)
{
    const struct experiment_request *request = running->request;
    struct experiment_result *result = running->result;
    for (size_t block = 0; block < request->warmup_blocks && !result->interrupted; block++)
        if (!run_block(running, block, true, err))
            return false;
    while (!result->interrupted && request->policy.wants_block(request->policy.context, &result->table))
        if (!run_block(running, result->table.block_count, false, err))
            return false;
    return true;
}

bool experiment_run_blocks(const struct experiment_request *request, struct experiment_result *result,
                           struct error *err)
{
    struct running running = {.request = request, .result = result, .began_ns = clock_ns(CLOCK_MONOTONIC)};
    bool locked = true;
    sysroot_init(&running.live, NULL);
    running.root = request->root ? request->root : &running.live;
    begin_tables(request, result);
    for (size_t at = 0; locked && at < request->arm_count; at++)
        locked = settings_lock_add(&running.lock, request->arms[at].settings, running.root, err);
    bool ran = locked && blocks_run(&running, err);
    settings_lock_done(&running.lock);
    return ran;
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

static void table_tell(struct text *line, const struct run_table *table, const char *kind)
{
    for (size_t block = 0; block < table->block_count; block++)
        for (size_t arm = 0; arm < table->arm_count; arm++) {
            struct measured wall = run_table_cell(table, block, arm, CHILD_WALL);
            struct measured cpu = run_table_cell(table, block, arm, CHILD_CPU);
            if (wall.known && cpu.known)
                text_printf(line, "%s%s%s took %.3f s (%.3f s of CPU time)", line->length ? ", " : "; ",
                            table->arms[arm].label, kind, wall.value, cpu.value);
        }
}

bool experiment_interrupted_early(const struct experiment_result *result, struct error *err)
{
    scoped_text struct text line = {0};
    table_tell(&line, &result->unfinished, "");
    table_tell(&line, &result->warmups, " (warm-up)");
    return error_set(err, ERROR_INTERRUPTED, "interrupted before the first block was complete%s", text_string(&line));
}
