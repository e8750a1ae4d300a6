/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes in the core: divider, wrong guesses, chains, vectors, code footprint, atomics. */
#include "finding/estimated_place.h"
#include "finding/family.h"
#include "finding/maker.h"

#include "analyse/code/narrow_code.h"
#include "analyse/trace/loop_turns.h"
#include "base/text.h"
#include "finding/cpu/dispatch.h"
#include "finding/cpu/divisions.h"
#include "finding/cpu/load_chains.h"

#include <string.h>

static double class_hits(const struct stalls *stalls, unsigned mask)
{
    double hits = 0;
    for (int class = 0; class < INSTRUCTION_CLASS_COUNT; class ++)
        hits += mask >> class & 1 ? (double)stalls->class_samples[class] : 0;
    return hits;
}

#define CLASS(name) (1u << INSTRUCTION_##name)

/* The hottest stalled instruction of some classes, or NULL. */
static const struct stall_row *hottest_row(const struct stalls *stalls, unsigned mask)
{
    const struct stall_row *best = NULL;
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        for (size_t row = 0; row < function->row_count && !function->is_kernel; row++)
            if (mask >> function->rows[row].class & 1 && (!best || function->rows[row].samples > best->samples))
                best = &function->rows[row];
    }
    return best;
}

static void name_row(const struct results *results, struct finding *finding, unsigned mask, struct interval share)
{
    const struct stall_row *row = hottest_row(results->stalls, mask);
    if (!row)
        return;
    finding->subject = row->text;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "stalled", VALUE_SHARE("share", share),
                     VALUE_TEXT("function", results->stalls->functions[row->function].name),
                     VALUE_TEXT("instruction", row->text));
}

/* Time at these instructions is a fact; what removing them returns is not known. */
static void test_fact(const struct results *results, struct finding *finding, unsigned mask)
{
    if (!stalls_are_attributed(results, finding))
        return;
    struct interval share = share_of_stalls(results, finding, class_hits(results->stalls, mask));
    finding_decide_fact(finding, share, results->effect);
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", share);
        return;
    }
    name_row(results, finding, mask, share);
    finding_set(finding, reason, "gain", NO_VALUES);
    if (finding->verdict == VERDICT_SUPPORTED && finding->subject)
        finding_set(
            finding, headline, "headline",
            VALUE_TEXT("function", results->stalls->functions[hottest_row(results->stalls, mask)->function].name),
            VALUE_TEXT("instruction", finding->subject), VALUE_SHARE("share", share));
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

/* Only an upper bound can be had without counters; the estimated bottleneck lays time at such causes, too. */
static void test_bound(const struct results *results, struct finding *finding, unsigned mask, unsigned causes)
{
    if (!stalls_are_attributed(results, finding))
        return;
    double hits = class_hits(results->stalls, mask), estimated = estimated_most(results, causes);
    struct interval share = share_of_stalls(results, finding, hits > estimated ? hits : estimated);
    finding_decide_bound(finding, share.high, results->effect);
    finding_reason_bound(finding, finding->verdict == VERDICT_RULED_OUT ? "bound" : "undecided", share);
    if (finding->verdict != VERDICT_UNDECIDED)
        return;
    name_row(results, finding, mask, share);
    finding_set(finding, remedy, "remedy", NO_VALUES);
    finding_advise(finding, "advice", NO_VALUES);
}

/* Of branches in a loop over an array, which its order decides. */
enum { DISPATCH_OF_DATA = DISPATCH_CALLS + 1 };

/* What is said of wrong guesses, by which jumps they are of. */
static const struct {
    const char *headline, *estimated, *advice, *remedy, *confirm;
} guess_words[] = {
    [DISPATCH_FIXED] = {"headline", "headline-estimated", "advice-branches", "remedy-branches", "confirm-branches"},
    [DISPATCH_JUMPS] = {"headline-indirect", "headline-estimated-jumps", "advice-jumps", "remedy-jumps",
                        "confirm-jumps"},
    [DISPATCH_CALLS] = {"headline-indirect", "headline-estimated-calls", "advice-calls", "remedy-calls",
                        "confirm-calls"},
    [DISPATCH_OF_DATA] = {"headline", "headline-estimated", "advice", "remedy", "confirm"},
};

/* The loop that most conditional branches are guessed wrong in, by the estimate, goes through its data in order. */
static bool data_decides(const struct results *results)
{
    const struct bottleneck *bottleneck = results->bottleneck;
    const struct bottleneck_loop *most = NULL;
    double laid = 0;
    for (size_t at = 0; bottleneck && at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &bottleneck->loops[at];
        double own = loop->masses[CAUSE_CONDITIONAL] * (double)loop->samples;
        most = own > laid ? loop : most;
        laid = own > laid ? own : laid;
    }
    return most && most->walks_in_order;
}

static int words_of(const struct results *results, const struct dispatch *dispatch)
{
    return dispatch->kind == DISPATCH_FIXED && data_decides(results) ? DISPATCH_OF_DATA : (int)dispatch->kind;
}

static void advise_on_guesses(const struct results *results, struct finding *finding, const struct dispatch *dispatch)
{
    finding_advise(
        finding, guess_words[words_of(results, dispatch)].advice,
        VALUE_TEXT("function", dispatch->function ? dispatch->function : "the hot code"),
        VALUE_TEXT("instruction", dispatch->instruction ? dispatch->instruction : "through a register or table"));
}

/* Documented cost of one wrong guess on cores since 2010: 12 to 25 cycles. */
static bool mispredicts_counted(const struct results *results, struct finding *finding, const struct dispatch *dispatch)
{
    struct measured misses = counter_of(results->counters, "branch-misses");
    struct measured cycles = counter_of(results->counters, "cycles");
    struct measured ratio = measured_ratio(misses, cycles);
    if (!ratio.known)
        return false;
    struct interval share = interval_of(ratio.value * 12, ratio.value * 18, ratio.value * 25);
    finding->is_estimate = false;
    finding_decide(finding, share_of_run(results, finding, interval_clamped(share, 0, 1)), results->effect);
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_COUNTERS, "counted", VALUE_COUNT("misses", misses.value),
                     VALUE_COUNT("cycles", cycles.value));
    if (finding->verdict == VERDICT_RULED_OUT)
        finding_reason_bound(finding, "counted-bound", finding->recoverable);
    else
        advise_on_guesses(results, finding, dispatch);
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, guess_words[dispatch->kind].headline,
                    VALUE_SHARE("share", finding->recoverable));
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_reason_bound(finding, "undecided", finding->recoverable);
    return true;
}

/* ---- what a stepped copy of it did ---- */

enum {
    BURSTS_LEAST = 3,     /* fewer may have missed what the program does at other times */
    TRACED_LEAST = 12000, /* instructions */
    GUESS_CYCLES_LEAST = 12,
    GUESS_CYCLES_USUAL = 18,
    GUESS_CYCLES_MOST = 25,
    LANDING_CYCLES_MOST = 2, /* of a well guessed branch and the instruction it leads to, when neither waits */
    WIDEST_CYCLES = 250,     /* that 1000 instructions take at least, four a cycle */
    USUAL_CYCLES = 500,
    NEAR_LINE_CYCLES_LEAST = 3, /* the second level answers in 14, and the fetch runs ahead */
    NEAR_LINE_CYCLES_MOST = 15,
    FAR_LINE_CYCLES_MOST = 100,
    NEAR_CODE_BYTES = 1 << 20, /* fits the second level of current cores */
};

/* NULL: there was none, or too little of it to bound anything. */
static const struct trace_summary *traced(const struct results *results)
{
    const struct probe_result *step = results->probes ? &results->probes->of[PROBE_STEP] : NULL;
    bool enough =
        step && step->known && step->step.trace.bursts >= BURSTS_LEAST && step->step.trace.instructions >= TRACED_LEAST;
    return enough && step->step.trace.all.per_1000.known ? &step->step.trace : NULL;
}

static const char *rate_words(struct finding *finding, struct interval rate)
{
    return arena_printf(finding->arena, "%.2g (%.2g to %.2g)", rate.mid, rate.low, rate.high);
}

static double part_of(double cycles, double others)
{
    return cycles + others > 0 ? cycles / (cycles + others) : 0;
}

/* The kernel's part of the time was not traced. */
static struct interval share_of_traced(const struct results *results, const struct finding *finding,
                                       struct interval share)
{
    double user = results->stalls->sample_count
                      ? (double)results->stalls->user_samples / (double)results->stalls->sample_count
                      : 1;
    return share_of_run(results, finding, interval_clamped(interval_scaled(share, user), 0, 1));
}

/*
 * How many cycles 1000 instructions took isn't known without counters. At most: all that isn't wrong guesses runs at
 * full width. At least: of the samples where guesses show, the part that well guessed branches can't explain.
 */
static struct interval mispredict_share(const struct stalls *stalls, const struct trace_summary *trace)
{
    struct interval rate = trace->all.per_1000;
    double branches = 0, high = part_of(rate.high * GUESS_CYCLES_MOST, WIDEST_CYCLES);
    static const enum instruction_class classes[] = {INSTRUCTION_BRANCH, INSTRUCTION_JUMP, INSTRUCTION_CALL,
                                                     INSTRUCTION_RETURN};
    for (size_t at = 0; at < sizeof(classes) / sizeof(classes[0]); at++)
        branches += (double)trace->class_counts[classes[at]] * 1000 / (double)trace->instructions;
    struct interval shown =
        wilson_interval((double)stalls->guess_samples, (double)stalls->user_samples, (double)stalls->user_samples);
    double low = !stalls->attributed || !shown.known
                     ? 0
                     : shown.low * part_of(rate.low * GUESS_CYCLES_LEAST, LANDING_CYCLES_MOST * branches);
    double mid = part_of(rate.mid * GUESS_CYCLES_USUAL, USUAL_CYCLES);
    low = low < high ? low : high;
    return interval_of(low, mid < low ? low : mid > high ? high : mid, high);
}

/* Stepping says which kind is guessed wrong; the samples, whether its jumps are calls. */
static struct dispatch dispatch_traced(const struct trace_summary *trace, struct dispatch dispatch)
{
    bool jumps = trace->indirect.per_1000.known && trace->indirect.per_1000.mid * 2 > trace->all.per_1000.mid;
    dispatch.kind = !jumps ? DISPATCH_FIXED : dispatch.calls > dispatch.jumps ? DISPATCH_CALLS : DISPATCH_JUMPS;
    return dispatch;
}

static bool mispredicts_traced(const struct results *results, struct finding *finding, struct dispatch dispatch)
{
    const struct trace_summary *trace = traced(results);
    if (!trace)
        return false;
    finding_decide(finding, share_of_traced(results, finding, mispredict_share(results->stalls, trace)),
                   results->effect);
    finding_evidence(finding, finding->verdict == VERDICT_RULED_OUT ? WEIGHT_AGAINST : WEIGHT_FOR, ORIGIN_PROBE,
                     "traced", VALUE_TEXT("conditional", rate_words(finding, trace->conditional.per_1000)),
                     VALUE_TEXT("indirect", rate_words(finding, trace->indirect.per_1000)),
                     VALUE_TEXT("returns", rate_words(finding, trace->returns.per_1000)),
                     VALUE_COUNT("instructions", (double)trace->instructions),
                     VALUE_COUNT("bursts", (double)trace->bursts));
    dispatch = dispatch_traced(trace, dispatch);
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, guess_words[dispatch.kind].headline, VALUE_SHARE("share", finding->recoverable));
    else
        finding_reason_bound(finding, finding->verdict == VERDICT_RULED_OUT ? "traced-bound" : "traced-undecided",
                             finding->recoverable);
    if (finding->verdict == VERDICT_RULED_OUT)
        return true;
    advise_on_guesses(results, finding, &dispatch);
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_set(finding, remedy, guess_words[words_of(results, &dispatch)].remedy, NO_VALUES);
    finding_set(finding, confirm, guess_words[words_of(results, &dispatch)].confirm, NO_VALUES);
    return true;
}

#define GUESSES (CAUSE_BIT(CAUSE_CONDITIONAL) | CAUSE_BIT(CAUSE_INDIRECT))

/* A wrong guess shows where it leads: behind the branch or at its target. Right guesses pass there, too. */
static void mispredicts_test(const struct results *results, struct finding *finding)
{
    struct dispatch dispatch = dispatch_of(results);
    if (mispredicts_counted(results, finding, &dispatch) || mispredicts_traced(results, finding, dispatch) ||
        !stalls_are_attributed(results, finding))
        return;
    struct interval share;
    if (estimate_decides(results, finding, GUESSES, &share)) {
        struct estimated_place place = estimated_place_of(results, GUESSES, share, finding->arena);
        finding_set(finding, headline, guess_words[dispatch.kind].estimated, VALUE_TEXT("function", place.function),
                    VALUE_SHARE("share", share), VALUE_TEXT("in", place.parts));
        finding_set(finding, reason, "gain-estimated", NO_VALUES);
        advise_on_guesses(results, finding, &dispatch);
        finding_set(finding, confirm, guess_words[words_of(results, &dispatch)].confirm, NO_VALUES);
        return;
    }
    double shown = (double)results->stalls->guess_samples, estimated = estimated_most(results, GUESSES);
    share = share_of_stalls(results, finding, shown > estimated ? shown : estimated);
    finding_decide_bound(finding, share.high, results->effect);
    finding_reason_bound(finding,
                         finding->verdict == VERDICT_RULED_OUT ? "bound"
                         : estimated > shown                   ? "undecided-estimated"
                                                               : "undecided",
                         share);
    if (finding->verdict != VERDICT_UNDECIDED)
        return;
    finding_set(finding, remedy, guess_words[words_of(results, &dispatch)].remedy, NO_VALUES);
    advise_on_guesses(results, finding, &dispatch);
}

const struct hypothesis hypothesis_mispredicts = {
    .id = "branch-mispredicts",
    .family = "core",
    .title = "wrongly guessed branches",
    .rule = "supported when counted wrong guesses at 12 to 25 cycles each, a stepped copy's simulated ones, or the "
            "estimate "
            "hold the effect; ruled out when they, or all samples at branches and where they lead, stay below it",
    .gain = "count times cost over cycles; without counters 0 to the share of samples",
    .overturn = "input on which its branches go one way (of one kind, or sorted): the time must fall",
    .changes_code = true,
    .causes = GUESSES,
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_COUNTERS) | RESULT_BIT(RESULT_PROBES) |
            RESULT_BIT(RESULT_BOTTLENECK),
    .test = mispredicts_test,
};

static double memory_mass(const struct bottleneck_loop *loop)
{
    double memory = 0;
    for (int cause = 0; cause < CAUSE_COUNT; cause++)
        memory += bottleneck_class_of((enum bottleneck_cause)cause) == BOTTLENECK_MEMORY ? loop->masses[cause] : 0;
    return memory;
}

/* The hottest row of those that wait for their own last result. */
static const struct stall_row *chained_row(const struct stalls *stalls, bool addressed)
{
    const struct stall_row *best = NULL;
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_function *function = &stalls->functions[at];
        for (size_t row = 0; row < function->row_count && !function->is_kernel; row++) {
            const struct stall_row *here = &function->rows[row];
            bool in_loads = here->is_addressed || here->chase;
            bool wanted = addressed ? in_loads : here->is_chained && !in_loads;
            if (wanted && (!best || here->samples > best->samples))
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

/* One function can't be named for what lies in others for the greater part. */
static bool is_spread(const struct stall_function *hottest, double hits)
{
    return 2 * (double)hottest->samples < hits;
}

/* " of 620 entries (300 to 1200)", by a stepped copy whose hottest loop it must be, since it has most of the time. */
static const char *chain_length(const struct results *results, const struct finding *finding)
{
    static const double MOST = 0.5;
    const struct trace_summary *trace = traced(results);
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
    bool spread = is_spread(&results->stalls->functions[row->function], hits);
    finding_decide_fact(finding, share, results->effect);
    finding->subject = row->text;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, spread ? "stalled-spread" : "stalled",
                     VALUE_SHARE("share", share), VALUE_TEXT("function", function),
                     VALUE_TEXT("instruction", row->text));
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, row->chase ? "followed" : "carried",
                     VALUE_TEXT("instruction", row->text), VALUE_TEXT("chase", row->chase ? row->chase : ""));
    finding_set(finding, reason, "gain", NO_VALUES);
    enum chain_kind kind = addressed ? load_chain_kind(results->stalls, row, finding->arena) : CHAIN_GOES_ON;
    const struct chain_words *words = &chain_words[spread ? CHAIN_GOES_ON : kind];
    bool searches = words == &chain_words[CHAIN_SEARCHED];
    finding_set(finding, headline, spread ? "headline-spread" : words->headline, VALUE_TEXT("function", function),
                VALUE_TEXT("instruction", row->chase ? row->chase : row->text), VALUE_SHARE("share", share),
                VALUE_TEXT("length", searches ? chain_length(results, finding) : ""));
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
    double part = row->is_load ? 1 - memory_mass(loop) : 1;
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
    return loop && !is_timed(loop) && (loop->loads_far || memory_mass(loop) >= FAR_LEAST);
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
           hits = class_hits(results->stalls, multi_cycle) - awaited;
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
    test_bound(results, finding, multi_cycle, CAUSE_BIT(CAUSE_LATENCY_CHAIN));
    if (finding->verdict == VERDICT_UNDECIDED && share_of_samples(results, finding, unsure).high >= results->effect) {
        finding_reason_bound(finding, "undecided-beside", finding->recoverable);
        finding_set(finding, remedy, "remedy-beside", NO_VALUES);
    } else if (finding->verdict == VERDICT_UNDECIDED && by_loads) {
        finding_decide_bound(finding, share.high, results->effect);
        finding_reason_bound(finding, "undecided-loads", share);
    }
    if (finding->verdict == VERDICT_UNDECIDED && is_chain_of_index(results->bottleneck)) {
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
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_BOTTLENECK),
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
    bool by_store = stored > 0.5 * possible && share_of_samples(results, finding, stored).low >= results->effect;
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

/* Samples of loops whose arithmetic takes longer than it should. */
static double unexplained_samples(const struct bottleneck *bottleneck, const char **ret_function,
                                  const char **ret_instruction)
{
    double samples = 0;
    for (size_t at = 0; bottleneck && at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &bottleneck->loops[at];
        if (!loop->fp_is_unexplained)
            continue;
        if (samples <= 0) {
            *ret_function = loop->verdict.function;
            *ret_instruction = loop->verdict.instruction;
        }
        samples += loop->masses[CAUSE_FP] * (double)loop->samples;
    }
    return samples;
}

static void denormals_test(const struct results *results, struct finding *finding)
{
    if (!stalls_are_attributed(results, finding))
        return;
    struct interval share = share_of_stalls(results, finding, (double)results->stalls->arithmetic_samples);
    finding_decide_bound(finding, share.high, results->effect);
    finding_reason_bound(finding, finding->verdict == VERDICT_RULED_OUT ? "bound" : "undecided", share);
    if (finding->verdict != VERDICT_UNDECIDED)
        return;
    const char *function = NULL, *instruction = NULL;
    struct interval slow =
        share_of_samples(results, finding, unexplained_samples(results->bottleneck, &function, &instruction));
    if (function && slow.known && slow.low >= results->effect) {
        finding->pointed = slow.mid;
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, "slow", VALUE_SHARE("share", slow),
                         VALUE_TEXT("function", function),
                         VALUE_TEXT("instruction", instruction ? instruction : "one instruction"));
    }
    finding_set(finding, remedy, "remedy", NO_VALUES);
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_denormals = {
    .id = "denormals",
    .family = "core",
    .title = "denormal numbers",
    .rule =
        "ruled out when less than the effect stands at floating-point arithmetic; supported only by a count of assists "
        "(counted or imported tma_fp_assists, assists.fp); pointed at by arithmetic that was measured to take longer "
        "than its core's costs say",
    .gain = "0 to the share at floating-point arithmetic",
    .overturn = "flush-to-zero in a copy, old against new",
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_BOTTLENECK),
    .test = denormals_test,
};

/* Where each number lies in a line of its own, or its place is known only after the last: wider loads bring no more. */
static double scattered_narrow_samples(const struct results *results)
{
    const struct stalls *stalls = results->stalls;
    double scattered = 0;
    for (size_t at = 0; at < stalls->group_count; at++) {
        const struct stall_group *group = &stalls->groups[at];
        if (group_goes_in_order(results, group))
            continue;
        bool strided = group->set.stride_bytes >= 128 && !group->set.one_place_in_stride;
        bool chased = group->dependent_samples * 10 > group->samples * 9;
        scattered += strided || chased ? (double)group->narrow_samples : 0;
    }
    return scattered;
}

/*
 * The part of a loop's time that wider code can shorten for sure: what waits for memory goes on waiting, and arithmetic
 * that takes longer than it should may do so at any width.
 */
static double computing_part(const struct results *results, const struct narrow_loop *loop)
{
    const struct bottleneck *bottleneck = results->bottleneck;
    for (size_t at = 0; bottleneck && at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *here = &bottleneck->loops[at];
        if (here->first_addr != loop->first_addr || here->last_addr != loop->last_addr || !here->verdict.function ||
            strcmp(here->verdict.function, loop->function->name) != 0)
            continue;
        double memory = memory_mass(here) + (here->fp_is_unexplained ? here->masses[CAUSE_FP] : 0);
        return memory < 1 ? 1 - memory : 0;
    }
    return 1;
}

static const char *width_words(const struct finding *finding, const struct loop_width *width)
{
    return width->bits >= 128 ? arena_printf(finding->arena, "%u bits", width->bits)
                              : arena_printf(finding->arena, "one %u-bit number", width->element_bits);
}

/* Loops that their code lets compute more at once: that they do is a fact, what wider code returns isn't measured. */
static bool narrow_loops_found(const struct results *results, struct finding *finding, const struct narrow_code *code,
                               double best_bits)
{
    double samples = 0, gain = 0, most = 0;
    const struct narrow_loop *loop = NULL; /* that has most of the gain */
    for (size_t at = 0; at < code->count; at++) {
        bool is_scripts = function_is_interpreters(code->loops[at].function); /* whose writer can't build it anew */
        if (code->loops[at].width.bits >= best_bits || is_scripts)
            continue;
        double part = computing_part(results, &code->loops[at]) * (double)code->loops[at].samples;
        double own = part * (1 - code->loops[at].width.bits / best_bits);
        loop = own > most ? &code->loops[at] : loop;
        most = own > most ? own : most;
        samples += part;
        gain += own;
    }
    struct interval share = share_of_samples(results, finding, gain > 0 ? gain : 0);
    if (!loop || !share.known || share.low < results->effect)
        return false;
    finding_decide_fact(finding, share, results->effect);
    finding->subject = loop->function->name;
    struct value best = VALUE_COUNT("best", best_bits), now = VALUE_TEXT("now", width_words(finding, &loop->width));
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "looped",
                     VALUE_SHARE("share", share_of_samples(results, finding, samples)),
                     VALUE_TEXT("function", loop->function->name), now);
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, "free", best);
    finding_set(finding, headline, "headline", VALUE_TEXT("function", loop->function->name), now, best,
                VALUE_SHARE("share", share_of_samples(results, finding, samples)));
    finding_set(finding, reason, "gain", NO_VALUES);
    finding_advise(finding, loop->width.bits >= 128 ? "advice-wider" : "advice-one", NO_VALUES);
    if (loop->width.sums_fp)
        finding_advise(finding, "advice-sum", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
    return true;
}

/*
 * Samples that wider code could have at most: narrow instructions, or the loops they stand in, less what code or
 * addresses hold back.
 */
static double narrow_most(const struct results *results, const struct narrow_code *code, double best_bits)
{
    const struct stalls *stalls = results->stalls;
    double rows = (double)stalls->scalar_fp_samples + (best_bits > 128 ? (double)stalls->vector_samples[0] : 0) -
                  (double)code->held_fp_rows;
    /* counting and loading go with the numbers */
    double loops = (double)stalls->narrow_loop_samples - (double)code->held_fp_loops;
    double most = loops > rows ? loops : rows, scattered = scattered_narrow_samples(results);
    double integers = (double)code->branched_samples;
    most = most > scattered ? most - scattered : 0;
    for (size_t at = 0; at < code->count; at++)
        integers +=
            code->loops[at].width.is_fp || code->loops[at].width.bits >= 128 ? 0 : (double)code->loops[at].samples;
    most += integers;
    return most < (double)stalls->sample_count ? most : (double)stalls->sample_count;
}

static void narrow_vectors_test(const struct results *results, struct finding *finding)
{
    if (!stalls_are_attributed(results, finding))
        return;
    const struct stalls *stalls = results->stalls;
    double known_bits = surroundings_widest_bits(results->surroundings), best_bits = known_bits > 0 ? known_bits : 128;
    struct narrow_code code = narrow_code_of(stalls, finding->arena);
    if (narrow_loops_found(results, finding, &code, best_bits))
        return;
    double width = best_bits / 32;
    struct interval share = share_of_stalls(results, finding, narrow_most(results, &code, best_bits));
    finding_decide_bound(finding, share.high * (1 - 1 / width), results->effect);
    finding_reason_bound(finding, finding->verdict == VERDICT_RULED_OUT ? "bound" : "undecided", share);
    if (finding->verdict == VERDICT_RULED_OUT)
        return;
    finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_CODE, "mix",
                     VALUE_SHARE("scalar", share_of_samples(results, finding, (double)stalls->scalar_fp_samples)),
                     VALUE_SHARE("narrow", share_of_samples(results, finding, (double)stalls->vector_samples[0])),
                     VALUE_COUNT("best", best_bits));
    finding_set(finding, remedy, "remedy", NO_VALUES);
    finding_advise(finding, "advice", NO_VALUES);
}

const struct hypothesis hypothesis_narrow_vectors = {
    .id = "narrow-vectors",
    .family = "core",
    .title = "scalar or narrow vector code",
    .rule =
        "a fact when loops that the code lets compute more at once hold at least the effect; ruled out when all narrow "
        "loops could save less than it at the widest vectors",
    .gain = "0 to the share of such loops times (1 - width now / widest)",
    .overturn = "a build with -O3 -march=native, old against new",
    .changes_code = true,
    .needs = RESULT_BIT(RESULT_STALLS) | RESULT_BIT(RESULT_SURROUNDINGS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_BOTTLENECK),
    .test = narrow_vectors_test,
};

/* What waits for data or arithmetic doesn't wait for code; the rest may, as far as its misses reach. */
static bool front_end_traced(const struct results *results, struct finding *finding)
{
    const struct trace_summary *trace = traced(results);
    const struct stalls *stalls = results->stalls;
    if (!trace || !trace->line_misses.known)
        return false;
    struct interval misses = trace->line_misses;
    bool near = trace->code_lines * 64 <= NEAR_CODE_BYTES;
    double most = near ? NEAR_LINE_CYCLES_MOST : FAR_LINE_CYCLES_MOST;
    double user = (double)stalls->user_samples,
           elsewhere = (double)stalls->load_samples + (double)stalls->arithmetic_samples;
    double open = stalls->attributed && user > elsewhere ? (user - elsewhere) / user : 0;
    double low = open * part_of(misses.low * NEAR_LINE_CYCLES_LEAST, USUAL_CYCLES),
           high = part_of(misses.high * most, WIDEST_CYCLES);
    double mid = part_of(misses.mid * (NEAR_LINE_CYCLES_LEAST + NEAR_LINE_CYCLES_MOST) / 2, USUAL_CYCLES);
    mid = mid < low ? low : mid > high ? high : mid;
    finding_decide(finding, share_of_traced(results, finding, interval_of(low, mid, high)), results->effect);
    finding_evidence(
        finding, finding->verdict == VERDICT_RULED_OUT ? WEIGHT_AGAINST : WEIGHT_FOR, ORIGIN_PROBE, "traced",
        VALUE_TEXT("misses", rate_words(finding, misses)), VALUE_BYTES("cache", trace->cache_lines * 64.0),
        VALUE_BYTES("code", (double)trace->code_lines * 64), VALUE_COUNT("instructions", (double)trace->instructions));
    if (finding->verdict == VERDICT_SUPPORTED) {
        finding_set(finding, headline, "headline", VALUE_TEXT("misses", rate_words(finding, misses)),
                    VALUE_SHARE("share", finding->recoverable));
        finding_advise(finding, "advice", NO_VALUES);
        finding_set(finding, confirm, "confirm", NO_VALUES);
        return true;
    }
    finding_reason_bound(finding, finding->verdict == VERDICT_RULED_OUT ? "traced-bound" : "traced-undecided",
                         finding->recoverable);
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_set(finding, remedy, "remedy", NO_VALUES);
    return true;
}

static const double LAID_LEAST = 0.05;

static double footprint_laid(const struct results *results)
{
    return results->bottleneck ? results->bottleneck->masses[CAUSE_FOOTPRINT] : 0;
}

static void front_end_test(const struct results *results, struct finding *finding)
{
    const struct stalls *stalls = results->stalls;
    if (stalls->user_samples < 200) {
        finding_not_testable(finding, "too few samples to see how much code is hot", NULL);
        return;
    }
    if (front_end_traced(results, finding))
        return;
    if (decide_by_estimate(results, finding, CAUSE_BIT(CAUSE_FOOTPRINT))) {
        finding_advise(finding, "advice", NO_VALUES);
        finding_set(finding, confirm, "confirm", NO_VALUES);
        return;
    }
    /* 98 % of the samples lie in that much code: misses beyond it hold the rest at most. */
    double hot_bytes = (double)stalls->hot_code_lines * 64;
    bool fits = hot_bytes * 2 < 32768;
    /* What lies in lines that were not met at all weighs as much as the lines met once (Good 1953). */
    double unmet = (double)stalls->single_lines, outside = (double)stalls->user_samples * 0.02 + unmet;
    struct interval beyond = share_of_samples(
        results, finding, outside < (double)stalls->user_samples ? outside : (double)stalls->user_samples);
    struct interval user = share_of_samples(results, finding, (double)stalls->user_samples);
    finding_decide_bound(finding, fits ? beyond.high : user.high, results->effect);
    bool ruled_out = finding->verdict == VERDICT_RULED_OUT;
    finding->is_loose = !fits && footprint_laid(results) < LAID_LEAST;
    finding_set(
        finding, reason,
        ruled_out ? "bound"
        : fits    ? "flat"
                  : "undecided",
        VALUE_BYTES("code", hot_bytes),
        VALUE_SHARE("unmet", wilson_interval(unmet, (double)stalls->user_samples, (double)stalls->user_samples)));
    if (!ruled_out)
        finding_set(finding, remedy, "remedy", NO_VALUES);
}

const struct hypothesis hypothesis_front_end = {
    .id = "front-end",
    .family = "core",
    .title = "too much hot code for the instruction cache",
    .rule = "ruled out when 98 % of the samples lie in code of less than half a first-level cache (or an imported loop "
            "fits "
            "it); supported by the estimate, a stepped copy or tma_frontend_bound, or where of imported runs with as "
            "many instructions the slower one has ten times the misses of the instruction cache",
    .gain = "0 to the share of user samples outside the hot code; traced: misses times 3 to 100 cycles",
    .overturn = "a build with profile-guided optimisation or -Os, old against new",
    .changes_code = true,
    .causes = CAUSE_BIT(CAUSE_FOOTPRINT),
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_PROBES) | RESULT_BIT(RESULT_BOTTLENECK),
    .test = front_end_test,
};

/* Go's: it changes the state of a goroutine, as one hands over to another. */
static bool hands_over(const struct stall_function *function)
{
    static const char *const names[] = {
        "runtime.casgstatus", "runtime.casGToPreemptScan", "runtime.chansend", "runtime.chanrecv",
        "runtime.ready",      "runtime.goready",           "runtime.gopark",   "runtime.schedule",
        "runtime.execute"};
    for (size_t at = 0; at < array_count(names); at++)
        if (strcmp(function->name, names[at]) == 0)
            return true;
    return false;
}

/* What most of its atomic operations are for, where that is no counter that threads share: keys of the wording. */
struct atomics_use {
    const char *advice, *confirm; /* confirm: NULL: as any */
};

/* NULL: it may be such a counter. */
static const struct atomics_use *atomics_use_of(const struct results *results)
{
    static const struct atomics_use openmp = {"advice-openmp", NULL}, locks = {"advice-locks", NULL},
                                    goroutines = {"advice-goroutines", "confirm-goroutines"},
                                    apart = {"advice-apart", NULL}, alone = {"advice-alone", "confirm-alone"};
    const struct stalls *stalls = results->stalls;
    const struct stall_function *hottest = stalls->function_count ? &stalls->functions[0] : NULL;
    double locking = (double)locking_samples(stalls);
    if (results->run && results->run->threads_seen == 1)
        return &alone;
    if (hottest && function_hands_out(hottest))
        return &openmp;
    if (hottest && hands_over(hottest))
        return &goroutines;
    if (locking > 0 && locking >= results->effect * (double)stalls->sample_count)
        return &locks;
    /* each thread has its own already, only not a line of its own */
    return stalls->apart_samples * 2 > stalls->shared_line_addresses ? &apart : NULL;
}

static void atomics_test(const struct results *results, struct finding *finding)
{
    test_fact(results, finding, CLASS(ATOMIC) | CLASS(BARRIER));
    const struct atomics_use *use = finding->advice_count ? atomics_use_of(results) : NULL;
    if (!use)
        return;
    finding_readvise(finding, use->advice, NO_VALUES);
    if (use->confirm)
        finding_set(finding, confirm, use->confirm, NO_VALUES);
}

const struct hypothesis hypothesis_atomics = {
    .id = "atomics",
    .family = "core",
    .title = "atomic operations and fences",
    .rule = "a fact when at least the effect stands at atomic operations and fences; ruled out when less does",
    .gain = "0 to that share",
    .overturn = "one thread: the time per operation must fall",
    .changes_code = true,
    .needs = RESULT_BIT(RESULT_STALLS),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = atomics_test,
};
