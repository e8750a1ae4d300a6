/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What waits for its own last result: of arithmetic, and of loads. */
#include "analyse/trace/loop_turns.h"
#include "finding/cpu/divisions.h"
#include "finding/cpu/instruction_class.h"
#include "finding/cpu/load_chains.h"
#include "finding/cpu/traced.h"
#include "finding/family.h"
#include "finding/held_in.h"
#include "finding/maker.h"

#include <string.h>

/* Whether it waits for its own last result: through its address, or by arithmetic. */
static bool is_chain_row(const struct stall_row *row, bool addressed)
{
    bool in_loads = row->is_addressed || row->chase;
    return addressed ? in_loads : row->is_chained && !in_loads;
}

static double chain_held(const struct stalls *stalls, uint32_t function, const void *context)
{
    const struct stall_function *here = &stalls->functions[function];
    const bool *addressed = context;
    double held = 0;
    for (size_t row = 0; row < here->row_count; row++)
        held += is_chain_row(&here->rows[row], *addressed) ? (double)here->rows[row].samples : 0;
    return held;
}

/* The hottest row of those. */
static const struct stall_row *chained_row(const struct stalls *stalls, bool addressed)
{
    const struct stall_row *best = NULL;
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        for (size_t row = 0; row < function->row_count && !function->is_kernel; row++) {
            const struct stall_row *here = &function->rows[row];
            if (is_chain_row(here, addressed) && (!best || here->samples > best->samples))
                best = here;
        }
    }
    return best;
}

/* Whether it loads from an entry of a table: two registers make the address, "(%r11,%rdx,2)" or "[x0, x1, lsl #1]". */
static bool is_indexed(const char *text)
{
    const char *open = text + strcspn(text, "([");
    size_t length = strcspn(open, ")]");
    const char *comma = memchr(open, ',', length);
    if (!comma)
        return false;
    comma += strspn(comma, ", ");
    return *comma == '%' || *comma == 'x' || *comma == 'w';
}

/* " of 620 entries (300 to 1200)", by a stepped copy whose hottest loop it must be, since it has most of the time. */
static const char *chain_length(const struct results *results, const struct finding *finding)
{
    static const double MOST = 0.5;
    const struct trace_summary *trace = traced_of(results);
    struct interval turns = trace ? turns_per_entry(trace->loop_turns, trace->loop_entries) : (struct interval){0};
    bool is_hottest = finding->recoverable.high >= MOST && trace && trace->loop_share >= MOST;
    if (!turns.known || !is_hottest)
        return "";
    return turns.high > 0
               ? arena_printf(finding->arena, " of some %s entries (%s to %s, stepped)",
                              short_number_of(turns.mid).text, short_number_of(turns.low).text,
                              short_number_of(turns.high).text)
               : arena_printf(finding->arena, " of %s entries or more (stepped)", short_number_of(turns.low).text);
}

static const struct chain_words {            /* keys of the wording */
    const char *headline, *advice, *confirm; /* advice: before what is advised of any; NULL: none */
} chain_words[] = {
    [CHAIN_GOES_ON] = {"headline", NULL, "confirm"},
    [CHAIN_SEARCHED] = {"headline-search", "advice-search", "confirm-search"},
    [CHAIN_OF_TREE] = {"headline-tree", "advice-tree", "confirm-tree"},
};

/* A loop that ends where what it loads is equal to something: fewer turns shorten it, no accumulators. */
static void search_advise(const struct results *results, struct finding *finding)
{
    finding_readvise(finding, "advice-search", VALUE_TEXT("length", chain_length(results, finding)));
    finding_set(finding, confirm, "confirm-search", NO_VALUES);
}

/* A chain that the code shows is a fact; what cutting it returns is not known. */
static bool test_chained(const struct results *results, struct finding *finding, double hits, bool addressed)
{
    const struct stall_row *row = chained_row(results->stalls, addressed);
    struct interval share = share_of_samples(results, finding, hits);
    double turns = addressed ? load_chain_turns(results->stalls) : hits; /* what else is of a turn waits along */
    if (share.known && turns > hits)
        share.high = share_of_samples(results, finding, turns).high;
    if (!row || share.low < results->effect)
        return false;
    const char *function = results->stalls->functions[row->function].name;
    struct held_in held = held_in_function(results, finding, row->function, chain_held, &addressed, share);
    bool spread = held.is_spread;
    finding_decide_fact(finding, share, results->effect);
    finding->subject = row->text;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, spread ? "stalled-spread" : "stalled",
                     VALUE_SHARE("share", share), VALUE_TEXT("function", function),
                     VALUE_TEXT("instruction", row->text));
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, row->chase ? "followed" : "carried",
                     VALUE_TEXT("instruction", row->text), VALUE_TEXT("chase", row->chase ? row->chase : ""));
    finding_set(finding, reason, "gain", NO_VALUES);
    enum chain_kind kind = load_chain_kind(results->stalls, row, finding->arena);
    bool searches = !spread && kind == CHAIN_SEARCHED;
    const struct chain_words *words = &chain_words[spread || !addressed ? CHAIN_GOES_ON : kind];
    finding_set(finding, headline, spread ? "headline-spread" : words->headline, VALUE_TEXT("function", function),
                VALUE_TEXT("instruction", row->chase ? row->chase : row->text),
                VALUE_SHARE("share", spread ? share : held.share), VALUE_SHARE("own", held.share),
                VALUE_TEXT("together", held.together),
                VALUE_TEXT("length", searches ? chain_length(results, finding) : ""));
    if (searches && !addressed) {
        search_advise(results, finding);
        return true;
    }
    const struct code_maker *maker =
        addressed ? code_maker_of(results, &results->stalls->functions[row->function]) : NULL;
    bool by_index = is_indexed(row->text) || (row->chase && is_indexed(row->chase));
    bool is_walk = !maker && words != &chain_words[CHAIN_OF_TREE];
    if (words->advice && !maker)
        finding_advise(finding, words->advice, NO_VALUES);
    if (maker || is_walk)
        finding_advise(finding, maker ? maker->memory : "advice", NO_VALUES);
    if (addressed && is_walk)
        finding_advise(finding, by_index ? "advice-indexed" : "advice-nodes", NO_VALUES);
    finding_set(finding, confirm, words->confirm, NO_VALUES);
    return true;
}

/* The estimate's loop that a row of a function is in; NULL: none is known. */
static const struct bottleneck_loop *loop_of(const struct bottleneck *bottleneck, const char *function,
                                             const struct stall_row *row)
{
    for (size_t at = 0; bottleneck && at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &bottleneck->loops[at];
        if (row->shown_addr >= loop->first_addr && row->shown_addr <= loop->last_addr && loop->verdict.function &&
            strcmp(loop->verdict.function, function) == 0)
            return loop;
    }
    return NULL;
}

static bool is_timed(const struct bottleneck_loop *loop)
{
    return loop->bound_cycles.known && loop->measured_cycles.known && loop->measured_cycles.value > 0;
}

/*
 * The part of what waits at a row that arithmetic can account for: of its loop's time no more than a turn takes with
 * everything near, of what it was measured to take; and where the row loads, what the estimate leaves beside memory. 1:
 * nothing says less.
 */
static double arithmetic_part(const struct bottleneck *bottleneck, const char *function, const struct stall_row *row)
{
    const struct bottleneck_loop *loop = loop_of(bottleneck, function, row);
    if (!loop)
        return 1;
    double part = row->is_load ? 1 - bottleneck_memory_mass(loop) : 1;
    double bound = is_timed(loop) && row->samples ? loop->bound_cycles.value / loop->measured_cycles.value *
                                                        (double)loop->samples / (double)row->samples
                                                  : 1;
    part = bound < part ? bound : part;
    return part > 0 ? part : 0;
}

/*
 * A chain beside loads that reach far, in a turn that wasn't measured: which of the two holds it up, and at which of
 * its instructions samples stand, changes from run to run. The chain may have all of it, and is sure of nothing.
 */
static bool is_chain_unsure(const struct bottleneck *bottleneck, const char *function, const struct stall_row *row)
{
    static const double FAR_LEAST = 0.1; /* of the loop's samples: less is met by accident */
    const struct bottleneck_loop *loop = loop_of(bottleneck, function, row);
    return loop && !is_timed(loop) && (loop->loads_far || bottleneck_memory_mass(loop) >= FAR_LEAST);
}

/*
 * Samples at arithmetic that it can't account for: it waits for what is loaded. chained: of rows in a chain, else of
 * the classes.
 */
static double loads_awaited(const struct results *results, unsigned mask, bool chained)
{
    double awaited = 0;
    for (size_t at = 0; at < results->stalls->function_count; at++) {
        const struct stall_function *function = &results->stalls->functions[at];
        for (size_t row = 0; row < function->row_count && !function->is_kernel; row++) {
            const struct stall_row *here = &function->rows[row];
            bool wanted =
                chained ? here->is_chained && !here->is_addressed && !here->chase : (mask >> here->class & 1) != 0;
            if (wanted)
                awaited += (1 - arithmetic_part(results->bottleneck, function->name, here)) * (double)here->samples;
        }
    }
    return awaited;
}

/*
 * Quick instructions of code whose chains of results are not known to be short: each takes a cycle, and so does each of
 * a chain of them.
 */
static double quick_chain_samples(const struct results *results)
{
    return results->bottleneck ? results->bottleneck->chains_open_ratio * (double)results->stalls->sample_count : 0;
}

/* The estimate leads with code whose results need one another from its beginning to its end. */
static bool straight_chain_found(const struct results *results, struct finding *finding)
{
    const struct bottleneck *bottleneck = results->bottleneck;
    bool is_straight = false;
    for (size_t at = 0; bottleneck && at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &bottleneck->loops[at];
        is_straight |= loop->is_straight_chain && loop->verdict.function && bottleneck->program.function &&
                       strcmp(loop->verdict.function, bottleneck->program.function) == 0;
    }
    if (!is_straight || !decide_by_estimate(results, finding, CAUSE_BIT(CAUSE_LATENCY_CHAIN)))
        return false;
    finding_advise(finding, "advice-straight", NO_VALUES);
    finding_set(finding, confirm, "confirm-straight", NO_VALUES);
    return true;
}

/* Samples at rows of chains which may as well wait for what is loaded beside. */
static double chained_unsure(const struct results *results)
{
    double unsure = 0;
    for (size_t at = 0; at < results->stalls->function_count; at++) {
        const struct stall_function *function = &results->stalls->functions[at];
        for (size_t row = 0; row < function->row_count && !function->is_kernel; row++) {
            const struct stall_row *here = &function->rows[row];
            if (here->is_chained && !here->is_addressed && !here->chase &&
                is_chain_unsure(results->bottleneck, function->name, here))
                unsure += arithmetic_part(results->bottleneck, function->name, here) * (double)here->samples;
        }
    }
    return unsure;
}

/* The estimate's chain is an index that wraps: no accumulator. */
static bool is_chain_of_index(const struct bottleneck *bottleneck)
{
    const struct bottleneck_verdict *program = bottleneck ? &bottleneck->program : NULL;
    for (size_t at = 0; program && program->function && at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &bottleneck->loops[at]; /* most samples first */
        if (loop->verdict.cause == CAUSE_LATENCY_CHAIN && loop->verdict.function &&
            strcmp(loop->verdict.function, program->function) == 0)
            return loop->is_chain_of_index;
    }
    return false;
}

/* The instruction that the estimate's chain shows at is of a loop that looks for something. */
static bool is_chain_of_search(const struct results *results, struct arena *arena)
{
    const struct bottleneck_verdict *program = results->bottleneck ? &results->bottleneck->program : NULL;
    if (!program || program->cause != CAUSE_LATENCY_CHAIN || !program->function || !program->instruction)
        return false;
    for (size_t at = 0; at < results->stalls->function_count; at++) {
        const struct stall_function *function = &results->stalls->functions[at];
        for (size_t row = 0; row < function->row_count && strcmp(function->name, program->function) == 0; row++)
            if (function->rows[row].text && strcmp(function->rows[row].text, program->instruction) == 0)
                return load_chain_kind(results->stalls, &function->rows[row], arena) == CHAIN_SEARCHED;
    }
    return false;
}

static void latency_chain_test(const struct results *results, struct finding *finding)
{
    const unsigned multi_cycle = CLASS(FP) | CLASS(MUL) | CLASS(VECTOR) | CLASS(CRYPTO);
    if (!stalls_are_attributed(results, finding))
        return;
    double unsure = chained_unsure(results),
           chained = (double)results->stalls->chained_samples - loads_awaited(results, 0, true) - unsure;
    if (divisions_chain_found(results, finding, chained))
        return;
    if (test_chained(results, finding, chained > 0 ? chained : 0, false))
        return;
    double awaited = loads_awaited(results, multi_cycle, false),
           hits = class_samples(results->stalls, multi_cycle) - awaited;
    double estimated = estimated_samples(results, CAUSE_BIT(CAUSE_LATENCY_CHAIN));
    struct interval share = share_of_stalls(results, finding, hits > estimated ? hits : estimated);
    if (straight_chain_found(results, finding))
        return;
    bool by_loads = share_of_samples(results, finding, awaited).low >= results->effect && share.known;
    double quick = quick_chain_samples(results);
    struct interval open = share_of_stalls(results, finding, hits + estimated + quick);
    if (quick > 0 && share.known && share.high < results->effect && open.high >= results->effect) {
        finding_decide_bound(finding, open.high, results->effect);
        finding_reason_bound(finding, "undecided-quick", open);
        finding_set(finding, remedy, "remedy-quick", NO_VALUES);
        return;
    }
    if (by_loads && share.high < results->effect) {
        finding_decide_bound(finding, share.high, results->effect);
        finding_reason_bound(finding, "bound-loads", share);
        return;
    }
    class_test_bound(results, finding, multi_cycle, CAUSE_BIT(CAUSE_LATENCY_CHAIN));
    if (finding->verdict == VERDICT_UNDECIDED && share_of_samples(results, finding, unsure).high >= results->effect) {
        finding_reason_bound(finding, "undecided-beside", finding->recoverable);
        finding_set(finding, remedy, "remedy-beside", NO_VALUES);
    } else if (finding->verdict == VERDICT_UNDECIDED && by_loads) {
        finding_decide_bound(finding, share.high, results->effect);
        finding_reason_bound(finding, "undecided-loads", share);
    }
    if (finding->verdict == VERDICT_UNDECIDED && is_chain_of_search(results, finding->arena)) {
        const char *length = chain_length(results, finding);
        finding_set(finding, remedy, *length ? "remedy-searched" : "remedy-search", VALUE_TEXT("length", length));
        search_advise(results, finding);
    } else if (finding->verdict == VERDICT_UNDECIDED && is_chain_of_index(results->bottleneck)) {
        finding_set(finding, remedy, "remedy-index", NO_VALUES);
        finding_readvise(finding, "advice-index", NO_VALUES);
        finding_set(finding, confirm, "confirm-index", NO_VALUES);
    } else if (finding->verdict == VERDICT_UNDECIDED)
        finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_latency_chain = {
    .id = "latency-chain",
    .family = "core",
    .title = "chains of dependent arithmetic",
    .rule =
        "a fact when the code shows a loop's value needed by its next turn, or results that need one another all the "
        "way "
        "through long code, and at least the effect waits there (not where a turn that wasn't measured loads from afar "
        "as "
        "well); ruled out when multi-cycle arithmetic holds less, and "
        "so does code whose chains of quick instructions aren't known to be short",
    .gain = "0 to that share",
    .overturn = "two accumulators instead of one, old against new",
    .changes_code = true,
    .causes = CAUSE_BIT(CAUSE_LATENCY_CHAIN),
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_BOTTLENECK) | RESULT_BIT(RESULT_PROBES),
    .test = latency_chain_test,
};

/* Addresses that step evenly are computed by counting, not taken from the load before. */
static double stepped_load_samples(const struct stalls *stalls)
{
    double stepped = 0;
    for (size_t at = 0; at < stalls->group_count; at++) {
        const struct stall_group *group = &stalls->groups[at];
        bool steps = (group->in_order || (group->set.stride_bytes && !group->set.one_place_in_stride)) &&
                     !group->dependent_samples;
        stepped += steps ? (double)group->load_samples : 0;
    }
    return stepped;
}

static void load_chain_test(const struct results *results, struct finding *finding)
{
    if (!stalls_are_attributed(results, finding))
        return;
    double hits = (double)results->stalls->addressed_samples;
    if (test_chained(results, finding, hits, true))
        return;
    /* A chain through memory (stored and loaded again) isn't seen by registers: any load may be part of one. */
    double loads = (double)results->stalls->load_samples, stepped = stepped_load_samples(results->stalls);
    double stored = estimated_samples(results, CAUSE_BIT(CAUSE_STORE_FORWARDING));
    double possible = loads > stepped ? loads - stepped : 0;
    struct interval share = share_of_stalls(results, finding, possible > stored ? possible : stored);
    double blocked = 0; /* told by 'loads that a store can't forward to' */
    for (size_t at = 0; results->bottleneck && at < results->bottleneck->loop_count; at++)
        blocked += results->bottleneck->loops[at].blocked_ratio * (double)results->bottleneck->loops[at].samples;
    bool by_store = stored > 0.5 * possible && 2 * blocked < stored &&
                    share_of_samples(results, finding, stored).low >= results->effect;
    finding_decide_bound(finding, share.high, results->effect);
    finding_reason_bound(finding,
                         finding->verdict == VERDICT_RULED_OUT ? "bound"
                         : by_store                            ? "undecided-stored"
                                                               : "undecided",
                         share);
    if (finding->verdict != VERDICT_UNDECIDED)
        return;
    finding_set(finding, remedy, by_store ? "remedy-stored" : "remedy", NO_VALUES);
    finding_advise(finding, by_store ? "advice-stored" : "advice", NO_VALUES);
    finding_set(finding, confirm, by_store ? "confirm-stored" : "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_load_chain = {
    .id = "load-chain",
    .family = "core",
    .title = "loads that wait for one another",
    .rule = "a fact when the code shows a load whose address comes from the load before and at least the effect waits "
            "there; "
            "ruled out when loads at uneven addresses hold less",
    .gain = "0 to that share",
    .overturn = "two chains followed in one loop: twice the work must cost less than twice",
    .changes_code = true,
    .causes = CAUSE_BIT(CAUSE_L1_LATENCY) | CAUSE_BIT(CAUSE_STORE_FORWARDING),
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_BOTTLENECK) | RESULT_BIT(RESULT_PROBES),
    .test = load_chain_test,
};
