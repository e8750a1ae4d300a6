/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/cpu/dispatch.h"

#include "finding/family.h"

/* A jump through a place that stands in the code itself is a library's function: its target stays. */
static bool is_looked_up(const struct instruction *row)
{
    return !row->has_target && !row->memory.is_relative &&
           (row->class == INSTRUCTION_CALL || row->class == INSTRUCTION_JUMP);
}

static const char *text_of(const struct stall_function *function, uint64_t addr)
{
    for (size_t at = 0; at < function->row_count; at++)
        if (function->rows[at].shown_addr == addr)
            return function->rows[at].text;
    return NULL;
}

struct seen {
    double entered; /* samples at first instructions of functions */
    double most;
};

static void function_see(struct seen *seen, struct dispatch *dispatch, const struct stall_function *function,
                         const struct stall_code *code)
{
    seen->entered += (double)code->entry_hits;
    dispatch->jumps += (double)function->table_samples;
    for (size_t at = 0; code->hits && code->sampled && at < code->count; at++) {
        double met = (double)(code->hits[at] + code->sampled[at]);
        if (!met || !is_looked_up(&code->items[at]))
            continue;
        dispatch->calls += code->items[at].class == INSTRUCTION_CALL ? (double)code->hits[at] : 0;
        if (met <= seen->most)
            continue;
        seen->most = met;
        dispatch->function = function->name;
        dispatch->instruction = text_of(function, code->items[at].addr);
        dispatch->kind = code->items[at].class == INSTRUCTION_CALL ? DISPATCH_CALLS : DISPATCH_JUMPS;
    }
}

struct dispatch dispatch_of(const struct results *results)
{
    const struct stalls *stalls = results->stalls;
    struct dispatch dispatch = {0};
    struct seen seen = {0};
    for (size_t at = 0; stalls && stalls->codes && at < stalls->function_count; at++)
        if (!stalls->functions[at].is_kernel)
            function_see(&seen, &dispatch, &stalls->functions[at], &stalls->codes[at]);
    if (!stalls)
        return dispatch;
    dispatch.calls += dispatch.kind == DISPATCH_CALLS || !dispatch.function ? seen.entered : 0;
    bool shown =
        dispatch.function && (dispatch.calls + dispatch.jumps) * 2 > (double)stalls->guess_samples + seen.entered;
    dispatch.kind = dispatch.calls > dispatch.jumps ? DISPATCH_CALLS : DISPATCH_JUMPS;
    double looked_up = estimated_samples(results, CAUSE_BIT(CAUSE_INDIRECT)),
           fixed = estimated_samples(results, CAUSE_BIT(CAUSE_CONDITIONAL));
    dispatch.kind = (looked_up + fixed > 0 ? looked_up > fixed : shown) ? dispatch.kind : DISPATCH_FIXED;
    return dispatch;
}
