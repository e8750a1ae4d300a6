/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/bottleneck.h"

#include "analyse/bottleneck/call_guesses.h"
#include "analyse/bottleneck/code_index.h"
#include "analyse/bottleneck/crowd.h"
#include "analyse/bottleneck/evidence.h"
#include "analyse/bottleneck/stepped.h"
#include "analyse/bottleneck/thresholds.h"
#include "base/cache_line.h"
#include "base/scope.h"

#include <math.h>
#include <string.h>

enum {
    LOOPS_MOST = 24,
};

/* ---- masses to a class ---- */

struct tally {
    double causes[CAUSE_COUNT];
    double classes[BOTTLENECK_CLASS_COUNT];
    double told; /* all but UNKNOWN */
    double polled; /* of UNKNOWN: in loops that wait for what others write */
};

static void tally_add(struct tally *tally, enum bottleneck_cause cause, double samples)
{
    tally->causes[cause] += samples;
    tally->classes[bottleneck_class_of(cause)] += samples;
    tally->told += cause == CAUSE_UNKNOWN ? 0 : samples;
}

/* Of which nothing is known. */
static double tally_untold(const struct tally *tally)
{
    double untold = tally->causes[CAUSE_UNKNOWN] - tally->polled;
    return untold > 0 ? untold : 0;
}

static enum bottleneck_class class_first(const struct tally *tally, enum bottleneck_class except)
{
    enum bottleneck_class best = BOTTLENECK_UNKNOWN;
    for (int class = BOTTLENECK_MEMORY; class < BOTTLENECK_MIXED; class++)
        if (class != (int)except && tally->classes[class] > (best ? tally->classes[best] : 0))
            best = (enum bottleneck_class)class;
    return best;
}

static enum bottleneck_cause cause_first(const struct tally *tally, enum bottleneck_class class)
{
    enum bottleneck_cause best = CAUSE_UNKNOWN;
    for (int cause = 1; cause < CAUSE_COUNT; cause++)
        if (bottleneck_class_of((enum bottleneck_cause)cause) == class &&
            (best == CAUSE_UNKNOWN || tally->causes[cause] > tally->causes[best]))
            best = (enum bottleneck_cause)cause;
    return best;
}

/* Class, cause, share and second of a verdict. all: samples that the shares are of. */
static void verdict_weigh(struct bottleneck_verdict *verdict, const struct tally *tally, double all)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    enum bottleneck_class first = class_first(tally, BOTTLENECK_UNKNOWN), second = class_first(tally, first);
    double leads = tally->classes[first], follows = second ? tally->classes[second] : 0;
    double known = tally->told + tally->causes[CAUSE_UNKNOWN];
    if (!first || leads < limit->class_least * known) {
        bool two = first && second && leads + follows >= limit->class_high * known;
        verdict->class = two ? BOTTLENECK_MIXED : BOTTLENECK_UNKNOWN;
    } else {
        /* Between its waits for code it does what it is there for: that is no second cause. */
        bool is_rest = first == BOTTLENECK_FRONTEND && second == BOTTLENECK_RETIRING;
        verdict->class = follows >= limit->lead * leads && !is_rest ? BOTTLENECK_MIXED : first;
    }
    verdict->cause = verdict->class == first ? cause_first(tally, first) : CAUSE_UNKNOWN;
    if (verdict->class == BOTTLENECK_UNKNOWN)
        return;
    verdict->share = wilson_interval(verdict->class == BOTTLENECK_MIXED ? leads + follows : leads, all, all);
    verdict->cause_share = verdict->cause ? tally->causes[verdict->cause] / all : 0;
    if (second && follows >= limit->loop_share_least * known)
        verdict->second = (struct bottleneck_second){second, cause_first(tally, second),
                                                     wilson_interval(follows, all, all),
                                                     tally->causes[cause_first(tally, second)] / all};
}

/* ---- the loops ---- */

static void instruction_name(struct bottleneck_verdict *verdict, const struct stalls *stalls,
                             const struct region *region, uint32_t row)
{
    const struct stall_function *function = &stalls->functions[region->function];
    verdict->function = function->name;
    for (size_t at = 0; row != UINT32_MAX && at < function->row_count; at++)
        if (function->rows[at].shown_addr == region->code->items[row].addr)
            verdict->instruction = function->rows[at].text;
}

static struct bottleneck_set set_of(const struct touched_memory *touched)
{
    struct bottleneck_set set = {0};
    if (!touched->known)
        return set;
    set.at_least_bytes = touched->lines_least_bytes;
    set.goes_once = touched->goes_once;
    set.bytes = touched->lines_bytes;
    set.lines_bytes = touched->lines_bytes.known ? touched->lines_bytes.mid : 0;
    set.pages_bytes = touched->pages_bytes.known ? touched->pages_bytes.mid : 0;
    return set;
}

static void set_note(struct bottleneck_verdict *verdict, const struct loop_look *look)
{
    const struct touched_memory *touched = &look->touched;
    verdict->level = look->reach.known ? look->reach.level : look->paced_level;
    double split = look->resources.split_ratio;
    verdict->split_ratio = split >= bottleneck_thresholds.split_least ? split : 0;
    verdict->set = set_of(touched);
}

/* As the evidence says it; what goes from row to row is met again in its next pass, and that is of one. */
static void access_note(struct bottleneck_loop *loop, const struct loop_look *look,
                        const struct bottleneck_machine *machine)
{
    const struct reach *reach = &look->reach;
    bool is_pass = reach->set.stride_bytes > CACHE_LINE_BYTES && !reach->set.one_place_in_stride;
    if (!reach->known || look->reach_row == UINT32_MAX || is_pass || !look->touched.known)
        return;
    loop->access = set_of(evidence_memory(look, machine));
    loop->access_addr = look->region->code->items[look->reach_row].addr;
}

static struct tally tally_of_look(const struct loop_look *look)
{
    struct tally tally = {0};
    for (int cause = 0; cause < CAUSE_COUNT; cause++)
        tally_add(&tally, (enum bottleneck_cause)cause, look->samples[cause]);
    return tally;
}

/* Data that waits for memory and decides where to go on: both at once, and neither alone. */
static bool waits_to_guess(const struct loop_look *look)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    return look->guesses.branches && look->guesses.both_ways >= limit->both_ways && !look->reach.in_order;
}

/*
 * At least half of it goes to lines that several threads write in turns: who waits for another's line is met at the
 * same few instructions as who waits for nothing. So nothing is said, where it looks busy.
 */
static bool abstains_at_shared_lines(struct bottleneck_verdict *verdict, const struct stalls *stalls, double samples)
{
    if (verdict->class != BOTTLENECK_RETIRING || (double)stalls->turns_samples < 0.5 * samples)
        return false;
    *verdict = (struct bottleneck_verdict){
        .why_not = "its hot accesses go to lines that several threads write: waiting for one another looks like being "
                   "busy with instructions",
        .recoverable_why = "no cause is known"};
    return true;
}

static const char polls_text[] =
    "it waits in loops for memory that others write (polling): what these do before decides";

static void verdict_of_look(struct bottleneck_verdict *verdict, const struct bottleneck_request *request,
                            const struct loop_look *look, const struct tally *tally, double all, struct arena *arena)
{
    verdict_weigh(verdict, tally, all);
    if (verdict->class == BOTTLENECK_MEMORY && waits_to_guess(look)) {
        verdict->class = BOTTLENECK_MIXED;
        verdict->second = (struct bottleneck_second){BOTTLENECK_BAD_SPECULATION, CAUSE_CONDITIONAL, verdict->share, 0};
    }
    if (abstains_at_shared_lines(verdict, request->stalls, (double)look->region->samples)) {
        instruction_name(verdict, request->stalls, look->region, UINT32_MAX);
        set_note(verdict, look);
        return;
    }
    enum bottleneck_cause cause = verdict->cause ? verdict->cause : loop_look_first(look);
    instruction_name(verdict, request->stalls, look->region, look->hottest[cause]);
    set_note(verdict, look);
    if (verdict->class == BOTTLENECK_UNKNOWN) {
        verdict->why_not =
            2 * look->polled >= (double)look->region->samples ? polls_text : "its samples don't single out a cause";
        verdict->recoverable_why = "no cause is known";
        return;
    }
    struct leading leading = {
        .request = request,
        .look = look,
        .cause = cause,
        .samples = (double)look->region->samples,
        .around = (double)look->region->samples,
        .by_cause = tally->told > 0 ? tally->causes[cause] / (tally->told + tally->causes[CAUSE_UNKNOWN]) : 0,
        .share = tally->told > 0
                     ? tally->classes[verdict->class == BOTTLENECK_MIXED ? BOTTLENECK_UNKNOWN : verdict->class] /
                           (tally->told + tally->causes[CAUSE_UNKNOWN])
                     : 0,
    };
    verdict_explain(verdict, &leading, arena);
    if (verdict->class == BOTTLENECK_MIXED)
        verdict->cause = CAUSE_UNKNOWN;
}

/* What waits for memory doesn't wait for the divider. */
static double divider_most(const struct loop_look *look)
{
    const struct loop_bound *bound = &look->resources.bound;
    double turn = look->pace.measured_cycles.known ? look->pace.measured_cycles.value : bound->cycles, memory = 0;
    for (int cause = 0; cause < CAUSE_COUNT; cause++)
        memory += bottleneck_class_of((enum bottleneck_cause)cause) == BOTTLENECK_MEMORY ? look->samples[cause] : 0;
    double part = bound->known && turn > 0 ? bound->divider_cycles / turn : 0;
    double rest = 1 - memory / (double)look->region->samples;
    part = part > 1 ? 1 : part;
    return part < rest ? part : rest > 0 ? rest : 0;
}

static bool is_chain_of_index(const struct region *region, const struct loop_result_chain *chain)
{
    bool chooses = false, counts = false;
    for (uint32_t at = 0; at < chain->row_count; at++) {
        const struct instruction *row = &region->code->items[chain->rows[at]];
        chooses |= row->mnemonic && strncmp(row->mnemonic, "cmov", 4) == 0;
        counts |= row->step_register != REGISTER_NONE || (row->is_sum && row->sum);
    }
    return chooses && counts && chain->kind_cycles[CHAIN_OTHER] >= chain->cycles;
}

static void loop_fill(struct bottleneck_loop *loop, const struct bottleneck_request *request,
                      const struct loop_look *look, struct arena *arena)
{
    const struct region *region = look->region;
    double all = (double)request->stalls->sample_count;
    struct tally tally = tally_of_look(look);
    loop->samples = region->samples;
    loop->first_addr = region->code->items[region->rows.first].addr;
    loop->last_addr = region->code->items[region->rows.last].addr;
    loop->walks_in_order = look->ruled_out_line_ns > 0 || look->reach.in_order;
    loop->fp_is_unexplained = look->fp_is_unexplained;
    loop->is_straight_chain = resources_straight(&look->resources) == STRAIGHT_SURE;
    loop->is_chain_of_index = look->resources.bound.known && is_chain_of_index(region, &look->resources.bound.chain);
    loop->loads_far = look->chain_is_open;
    loop->blocked_ratio = look->blocked / (double)region->samples;
    loop->crowd = crowd_of(&look->reach, request->machine);
    access_note(loop, look, request->machine);
    loop->divider_most = divider_most(look);
    loop->evenness = look->guesses.evenness;
    for (int cause = 0; cause < CAUSE_COUNT; cause++)
        loop->masses[cause] = look->samples[cause] / (double)region->samples;
    loop->bound_cycles =
        look->resources.bound.known
            ? measured_as(look->resources.bound.cycles)
            : not_measured(!region->is_loop ? "it is no loop"
                           : look->resources.bound.why_not ? look->resources.bound.why_not
                                                         : "there is no table of what instructions cost on this core");
    loop->rate_per_s = look->pace.rate_per_s;
    loop->measured_cycles = look->pace.measured_cycles;
    loop->bytes_per_turn = look->pace.bytes_per_turn;
    loop->extra_memory_trips = look->pace.extra_memory_trips;
    verdict_of_look(&loop->verdict, request, look, &tally, all, arena);
}

/* ---- all of it ---- */

/* Calls through a register or table were met. */
static bool has_looked_up_calls(const struct stalls *stalls)
{
    bool calls = false;
    for (size_t at = 0; at < stalls->function_count && !calls; at++) {
        const struct stall_code *code = &stalls->codes[at];
        for (size_t row = 0; row < code->count && !stalls->functions[at].is_kernel && stalls->functions[at].attributed;
             row++)
            calls |= code->items[row].class == INSTRUCTION_CALL && !code->items[row].has_target &&
                     code->hits[row] + code->sampled[row];
    }
    return calls;
}

struct entries { /* samples at the first instructions of functions, and right behind them */
    double first, second;
    double most; /* of both, in one function */
};

static struct entries entries_in(const struct stalls *stalls, size_t function)
{
    const struct stall_code *code = &stalls->codes[function];
    double first = (double)code->entry_hits, second = code->count > 1 ? (double)code->sampled[1] : 0;
    return stalls->functions[function].is_kernel ? (struct entries){0}
                                                 : (struct entries){first, second, first + second};
}

/* Who nearly all of its stacks were called by; NULL: several, or too few stacks tell. */
static const struct stall_caller *only_caller(const struct stall_function *function)
{
    static const uint64_t STACKS_LEAST = 8;
    static const double NEARLY_ALL = 0.9;
    bool is_one = function->caller_count && function->stacks >= STACKS_LEAST &&
                  (double)function->callers[0].stacks >= NEARLY_ALL * (double)function->stacks;
    return is_one ? &function->callers[0] : NULL;
}

/* Samples where functions of that caller alone begin. */
static double entered_by(const struct stalls *stalls, const struct stall_caller *caller)
{
    double samples = 0;
    for (size_t at = 0; at < stalls->function_count; at++) {
        const struct stall_caller *own = only_caller(&stalls->functions[at]);
        if (own && strcmp(own->name, caller->name) == 0 && strcmp(own->dso, caller->dso) == 0)
            samples += entries_in(stalls, at).most;
    }
    return samples;
}

/*
 * Nearly all of them lead to one function: that is guessed right. Where they lead to several by chance, a wrong guess
 * has as many samples in the rare ones, or more.
 */
static const double ONE_TARGET = 0.8;

/* Its only caller calls hardly anything else: a sort's comparison, whatever leads to it, is guessed right. */
static bool is_only_target(const struct stalls *stalls, size_t function)
{
    const struct stall_caller *caller = only_caller(&stalls->functions[function]);
    double own = entries_in(stalls, function).most;
    return caller && own > 0 && own >= ONE_TARGET * entered_by(stalls, caller);
}

static struct entries entries_of(const struct stalls *stalls)
{
    struct entries entries = {0};
    for (size_t at = 0; at < stalls->function_count; at++) {
        struct entries own = entries_in(stalls, at);
        if (own.most <= 0 || is_only_target(stalls, at))
            continue;
        entries.first += own.first;
        entries.second += own.second;
        entries.most = own.most > entries.most ? own.most : entries.most;
    }
    return entries;
}

/*
 * By the calls that copied stacks return to: a function that a fixed call leads to is no guess, what waits where it
 * begins is its code that comes late.
 */
static bool are_called_directly(const struct stalls *stalls)
{
    static const uint64_t CALLS_LEAST = 8;
    return stalls->entry_stacks >= CALLS_LEAST && stalls->entry_lookups * 2 < stalls->entry_stacks;
}

static bool lead_to_one(const struct entries *entries)
{
    return entries->most >= ONE_TARGET * (entries->first + entries->second);
}

/*
 * Samples that show wrong guesses of calls whose target is looked up; 0: too few for that. Where a wrong guess shows
 * behind the first instruction, those on it waited for the call to know its target.
 */
static struct entries guessed_entries(const struct stalls *stalls)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    struct entries entries = entries_of(stalls), none = {0};
    double all = (double)stalls->sample_count;
    if (!has_looked_up_calls(stalls) || are_called_directly(stalls) || lead_to_one(&entries))
        return none;
    if (stalls->restarts_behind)
        return entries.second >= limit->table_restarts * all && 2 * entries.second >= entries.first ? entries : none;
    entries.second = 0;
    return entries.first >= limit->table_share * all ? entries : none;
}

static const char *why_nothing(const struct bottleneck_request *request, struct arena *arena)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    const struct stalls *stalls = request->stalls;
    double all = (double)stalls->sample_count;
    if (request->not_a_cpu_problem)
        return request->not_a_cpu_problem;
    if (all < limit->samples_least)
        return arena_printf(arena, "%.0f samples of CPU time are too few: %.0f are wanted at least", all,
                            limit->samples_least);
    if (!stalls->attributed)
        return stalls->why_no_code ? stalls->why_no_code
               : stalls->why_no_skid
                   ? arena_printf(arena,
                                  "which instruction waited is not known: where samples land here could not be "
                                  "measured (%s)",
                                  stalls->why_no_skid)
                   : "samples don't land one instruction behind the stalled one here (self-test): which "
                     "instruction waited is not known";
    if ((double)stalls->kernel_samples > limit->off_cpu_most * all)
        return arena_printf(arena, "%.0f %% of the CPU time is the kernel's, whose code is not looked at so closely",
                            (double)stalls->kernel_samples / all * 100);
    struct footprint footprint = footprint_of(request);
    double entered = has_looked_up_calls(stalls) ? entries_of(stalls).first : 0;
    if ((double)stalls->blind_samples - entered > limit->blind_most * all && !footprint_speaks(&footprint) &&
        !footprint_waits(&footprint))
        return arena_printf(arena,
                            "for %.0f %% of the samples the instruction that waited could not be told (code that was "
                            "generated, or whose file is gone)",
                            (double)stalls->blind_samples / all * 100);
    return NULL;
}

/* What it waits for is shown by the loop that calls it. */
static bool shows_another(const struct loop_look *look, enum bottleneck_cause cause)
{
    return look->is_along && cause == look->quick_cause;
}

static double samples_along(const struct loop_look *looks, size_t count, enum bottleneck_cause cause)
{
    double samples = 0;
    for (size_t at = 0; at < count; at++)
        samples += shows_another(&looks[at], cause) ? looks[at].samples[cause] : 0;
    return samples;
}

/* NULL: the cause is spread over so many pieces of code that none of them stands for it. */
static const struct loop_look *leading_look(const struct loop_look *looks, size_t count, enum bottleneck_cause cause,
                                            double laid, double all)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    const struct loop_look *best = NULL;
    for (size_t at = 0; at < count; at++)
        if (looks[at].samples[cause] > (best ? best->samples[cause] : 0) && !shows_another(&looks[at], cause))
            best = &looks[at];
    bool stands = best && best->samples[cause] >= limit->loop_share_least * all &&
                  best->samples[cause] >= limit->leading_least * laid;
    return stands ? best : NULL;
}

/*
 * Samples of the one that leads, and of all other loops and functions that wait so for most of their time, whatever
 * each of these fell on.
 */
static double samples_around(const struct loop_look *looks, size_t count, enum bottleneck_cause cause,
                             const struct loop_look *leads)
{
    double samples = 0;
    for (size_t at = 0; at < count; at++)
        if (&looks[at] == leads || 2 * looks[at].samples[cause] >= (double)looks[at].region->samples)
            samples += (double)looks[at].region->samples;
    return samples;
}

/* Where a loop is mixed by itself its parts count half for each class. */
static void tally_look(struct tally *tally, const struct loop_look *look, const struct bottleneck_loop *loop)
{
    tally->polled += look->polled;
    bool guesses_too = loop && loop->verdict.class == BOTTLENECK_MIXED && waits_to_guess(look);
    for (int cause = 0; cause < CAUSE_COUNT; cause++) {
        bool memory = bottleneck_class_of((enum bottleneck_cause)cause) == BOTTLENECK_MEMORY;
        double kept = guesses_too && memory ? 0.5 : 1;
        tally_add(tally, (enum bottleneck_cause)cause, look->samples[cause] * kept);
        tally_add(tally, CAUSE_CONDITIONAL, look->samples[cause] * (1 - kept));
    }
}

/* A large part of a short run isn't small: what a longer one would show of it is open. */
static bool lacks_samples(const struct loop_look *look, double all)
{
    return look->guesses.lacks_samples && (double)look->region->samples >= bottleneck_thresholds.paced_share * all;
}

static struct bottleneck_lack lack_of(const struct loop_look *looks, size_t count, double all)
{
    struct bottleneck_lack lack = {0};
    double most = 0;
    for (size_t at = 0; at < count; at++) {
        double samples = (double)looks[at].region->samples, times = GUESSES_SAMPLES_LEAST / samples;
        if (!lacks_samples(&looks[at], all) || looks[at].samples[CAUSE_UNKNOWN] <= 0)
            continue;
        lack.share += looks[at].samples[CAUSE_UNKNOWN] / all;
        most = times > most ? times : most;
    }
    lack.runs = (uint32_t)ceil(most);
    return lack;
}

/*
 * Loops and functions too small to show anything by themselves, taken together: of their quick instructions, as many as
 * samples fall around branches beyond even are laid at wrong guesses; the others retire, as far as anyone can see.
 */
static double tally_small(struct tally *tally, const struct loop_look *looks, size_t count,
                          const struct footprint *footprint, double all)
{
    double small = 0, quick = 0;
    for (size_t at = 0; at < count; at++) {
        bool is_small = !looks[at].guesses.has_enough && !lacks_samples(&looks[at], all);
        small += is_small ? (double)looks[at].region->samples : 0;
        quick += is_small ? looks[at].quick : 0; /* not what waits for something that isn't known */
    }
    quick = quick < tally->causes[CAUSE_UNKNOWN] ? quick : tally->causes[CAUSE_UNKNOWN];
    double branches = footprint->guessed * small, cases = footprint->guessed_cases * small, guessed = branches + cases;
    double kept = guessed > quick && guessed > 0 ? quick / guessed : 1;
    tally_add(tally, CAUSE_CONDITIONAL, branches * kept);
    tally_add(tally, CAUSE_INDIRECT, cases * kept);
    tally_add(tally, CAUSE_RETIRING, quick - guessed * kept);
    tally_add(tally, CAUSE_UNKNOWN, -quick);
    return quick;
}

static void tally_move(struct tally *tally, enum bottleneck_cause from, enum bottleneck_cause to, double samples)
{
    samples = samples < tally->causes[from] ? samples : tally->causes[from];
    if (from == to || samples <= 0)
        return;
    tally_add(tally, from, -samples);
    tally_add(tally, to, samples);
}

/*
 * What waited for code waited wherever it was: every other cause has as much less. Where samples can't show all of it,
 * quick instructions waited for it, too.
 */
static void tally_wait_for_code(struct tally *tally, const struct footprint *footprint)
{
    double waited = footprint->waited.mid, all = tally->told + tally->causes[CAUSE_UNKNOWN];
    for (int cause = 0; cause < CAUSE_COUNT; cause++)
        tally_add(tally, (enum bottleneck_cause)cause, -tally->causes[cause] * waited);
    tally_add(tally, CAUSE_FOOTPRINT, all > 0 ? all * waited : footprint->samples * waited);
    if (footprint->is_hidden)
        tally_move(tally, CAUSE_RETIRING, CAUSE_FOOTPRINT, tally->causes[CAUSE_RETIRING]);
}

/*
 * What ran outweighs what samples look like: more wrong guesses or misses of code than its trace allows at most there
 * aren't, and quick instructions hide at least as many as it shows.
 */
static void tally_stepped(struct tally *tally, const struct stepped *stepped, double samples)
{
    enum bottleneck_cause guess = stepped->is_indirect ? CAUSE_INDIRECT : CAUSE_CONDITIONAL;
    tally_move(tally, CAUSE_CONDITIONAL, guess, tally->causes[CAUSE_CONDITIONAL]);
    tally_move(tally, CAUSE_INDIRECT, guess, tally->causes[CAUSE_INDIRECT]);
    double most = stepped->guessed.high * samples, least = stepped->guessed.low * samples;
    if (tally->causes[guess] > most)
        tally_move(tally, guess, CAUSE_RETIRING, tally->causes[guess] - most);
    if (stepped->fetched.known && tally->causes[CAUSE_FOOTPRINT] > stepped->fetched.high * samples)
        tally_move(tally, CAUSE_FOOTPRINT, CAUSE_RETIRING,
                   tally->causes[CAUSE_FOOTPRINT] - stepped->fetched.high * samples);
    for (int from = 0; from < 2 && tally->causes[guess] < least; from++)
        tally_move(tally, from ? CAUSE_RETIRING : CAUSE_UNKNOWN, guess, least - tally->causes[guess]);
}

/* Of user code: as much as samples show, and no more than what ran allows. */
static struct interval code_waited(const struct footprint *footprint, const struct stepped *stepped)
{
    struct interval waited = footprint->waited;
    if (!footprint_waits(footprint)) /* evenly, a quarter would fall there; where all wait for code, nine in ten */
        waited = interval_of((footprint->line_share - 0.25) / 0.75, footprint->line_share, 1);
    return stepped->known && stepped->fetched.known ? interval_clamped(waited, 0, stepped->fetched.high) : waited;
}

/* What can be said all the same: at which classes its time was laid. */
static const char *parts_text(const struct tally *tally, const struct interval *classes, double all,
                              struct arena *arena)
{
    static const double SHOWN_LEAST = 0.05;
    static const char *const words[BOTTLENECK_CLASS_COUNT] = {
        [BOTTLENECK_UNKNOWN] = "not told", [BOTTLENECK_MEMORY] = "memory",
        [BOTTLENECK_CORE] = "core",        [BOTTLENECK_BAD_SPECULATION] = "wrong guesses",
        [BOTTLENECK_FRONTEND] = "code",    [BOTTLENECK_RETIRING] = "busy with instructions"};
    double known = tally->told + tally->causes[CAUSE_UNKNOWN];
    bool polls = tally->polled >= bottleneck_thresholds.class_least * known;
    const char *text = polls ? polls_text : "its samples don't single out a cause";
    const char *sign = "; of its time outside the kernel: ";
    if (known > 0 && tally->polled >= SHOWN_LEAST * known) {
        text = arena_printf(arena, "%s%spolling %.0f %%", text, sign, tally->polled / known * 100);
        sign = ", ";
    }
    for (int class = BOTTLENECK_MEMORY; class <= BOTTLENECK_MIXED; class++) {
        int shown = class == BOTTLENECK_MIXED ? BOTTLENECK_UNKNOWN : class; /* last */
        double laid = shown == BOTTLENECK_UNKNOWN ? tally_untold(tally) : tally->classes[shown];
        if (known <= 0 || laid < SHOWN_LEAST * known)
            continue;
        struct interval share = interval_scaled(classes[shown], all / known);
        bool is_wide = share.known && (share.high - share.low) * 100 >= 1;
        text = is_wide ? arena_printf(arena, "%s%s%s %.0f to %.0f %%", text, sign, words[shown], share.low * 100,
                                      fmin(share.high, 1) * 100)
                       : arena_printf(arena, "%s%s%s %.0f %%", text, sign, words[shown], laid / known * 100);
        sign = ", ";
    }
    return text;
}

#define CLASS_BIT(class) (1u << (class))

static double classes_sum(const double *classes, unsigned wanted)
{
    double sum = 0;
    for (int class = 0; class < BOTTLENECK_CLASS_COUNT; class++)
        sum += wanted >> class & 1 ? classes[class] : 0;
    return sum;
}

struct border { /* samples whose class hangs on a figure near its threshold */
    double laid; /* at the classes asked for: they may not be theirs */
    double may;  /* … at others: they may be theirs */
};

/* Data that waits for memory and decides where to go on is laid at both by halves, and may be all of either. */
static double halved(const struct loop_look *look, const struct bottleneck_loop *loop, unsigned wanted)
{
    bool is_split = !(wanted & CLASS_BIT(BOTTLENECK_MEMORY)) != !(wanted & CLASS_BIT(BOTTLENECK_BAD_SPECULATION));
    double memory = 0;
    for (int cause = 0; is_split && cause < CAUSE_COUNT; cause++)
        memory += bottleneck_class_of((enum bottleneck_cause)cause) == BOTTLENECK_MEMORY ? look->samples[cause] : 0;
    return loop && loop->verdict.class == BOTTLENECK_MIXED && waits_to_guess(look) ? memory / 2 : 0;
}

/* Of one loop or function. */
static struct border border_of(const struct loop_look *look, const struct bottleneck_loop *loop, unsigned wanted,
                               bool is_mix)
{
    struct tally tally = tally_of_look(look);
    double own = classes_sum(tally.classes, wanted), least = own, most = own, half = halved(look, loop, wanted);
    for (size_t at = 0; at < (is_mix ? look->other_count : look->likely_count); at++) {
        double other = classes_sum(look->others[at], wanted);
        least = other < least ? other : least;
        most = other > most ? other : most;
    }
    /* what isn't told now may be anything's already */
    return (struct border){own - least + half, (look->quick_cause == CAUSE_UNKNOWN ? 0 : most - own) + half};
}

static struct border border_find(const struct bottleneck *result, const struct loop_look *looks, size_t count,
                                 unsigned wanted)
{
    bool is_mix = result->program.class == BOTTLENECK_MIXED || result->program.class == BOTTLENECK_UNKNOWN;
    struct border all = {0};
    for (size_t at = 0; at < count; at++) {
        struct border own = border_of(&looks[at], at < result->loop_count ? &result->loops[at] : NULL, wanted, is_mix);
        all.laid += own.laid;
        all.may += own.may;
    }
    return all;
}

static struct interval widened(struct interval share, double laid, double may)
{
    double low = share.low - laid, high = share.high + may;
    return interval_of(low > 0 ? low : 0, share.mid, high < 1 ? high : 1);
}

/* By class: as samples have it, and another run of the same code may. What ran outweighs both. */
static void classes_fill(struct bottleneck *result, const struct tally *tally, const struct loop_look *looks,
                         size_t count, const struct stepped *stepped, double all)
{
    double untold = tally_untold(tally) / all;
    for (int class = BOTTLENECK_MEMORY; class < BOTTLENECK_MIXED; class++) {
        struct border border = border_find(result, looks, count, CLASS_BIT(class));
        double laid = tally->classes[class] < all ? tally->classes[class] : all;
        if (laid <= 0)
            continue;
        struct interval share = widened(wilson_interval(laid, all, all), border.laid / all, border.may / all + untold);
        if (class == BOTTLENECK_BAD_SPECULATION && stepped->known)
            share = interval_of(share.low, share.mid, share.high < stepped->guessed.high ? share.high
                                                      : share.mid > stepped->guessed.high ? share.mid
                                                                                          : stepped->guessed.high);
        result->classes[class] = share;
    }
}

/*
 * The samples' own error is the smallest: what was laid at the class by evidence at a border may be another's, and the
 * other way round, and what isn't told may be anything's.
 */
static void share_widen(struct bottleneck *result, const struct tally *tally, const struct loop_look *looks,
                        size_t count, double all)
{
    struct bottleneck_verdict *verdict = &result->program;
    bool is_mixed = verdict->class == BOTTLENECK_MIXED;
    enum bottleneck_class class = is_mixed ? class_first(tally, BOTTLENECK_UNKNOWN) : verdict->class;
    enum bottleneck_class second = verdict->second.class;
    if (verdict->class == BOTTLENECK_UNKNOWN || !verdict->share.known)
        return;
    unsigned wanted = CLASS_BIT(class) | (is_mixed && second ? CLASS_BIT(second) : 0);
    struct border border = border_find(result, looks, count, wanted);
    double laid = border.laid, may = border.may, untold = tally_untold(tally);
    if (second && verdict->second.share.known && result->classes[second].known)
        verdict->second.share = result->classes[second];
    if (laid + may + untold <= 0)
        return;
    struct interval share = verdict->share;
    verdict->sampled = share;
    verdict->at_border = (laid + may) / all;
    verdict->not_told = untold / all;
    verdict->share = widened(share, laid / all, (may + untold) / all);
    struct interval *gain = &verdict->recoverable;
    if (gain->known && share.low > 0)
        *gain = interval_of(gain->low * verdict->share.low / share.low, gain->mid, gain->high);
    /* what is HIGH has a second kind of evidence that doesn't hang on these figures */
    if (verdict->confidence == ESTIMATE_MEDIUM && laid > (1 - bottleneck_thresholds.cause_high) * share.mid * all) {
        verdict->confidence = ESTIMATE_LOW;
        verdict->busy_is_shown = false;
        verdict->why_not = "no more confidence: most of it was laid there by figures near a threshold, and another run "
                           "of the same program may lay it elsewhere";
    }
}

static void program_fill(struct bottleneck *result, const struct bottleneck_request *request,
                         const struct loop_look *looks, size_t count, struct arena *arena)
{
    struct bottleneck_verdict *verdict = &result->program;
    double all = (double)request->stalls->sample_count;
    struct footprint footprint = footprint_of(request);
    struct tally tally = {0};
    for (size_t at = 0; at < count; at++)
        tally_look(&tally, &looks[at], at < result->loop_count ? &result->loops[at] : NULL);
    struct entries entries = guessed_entries(request->stalls);
    double entered = entries.first + entries.second;
    if (entered > 0) { /* what little the functions do hides behind the guesses */
        double quick = tally.causes[CAUSE_RETIRING] + tally.causes[CAUSE_UNKNOWN];
        tally_add(&tally, CAUSE_INDIRECT, entries.first + quick); /* the second ones have rows, and are laid there */
        tally_add(&tally, CAUSE_RETIRING, -tally.causes[CAUSE_RETIRING]);
        tally_add(&tally, CAUSE_UNKNOWN, -tally.causes[CAUSE_UNKNOWN]);
    }
    double by_small = tally_small(&tally, looks, count, &footprint, all);
    if (footprint_speaks(&footprint)) {
        tally = (struct tally){0};
        tally_add(&tally, CAUSE_FOOTPRINT, footprint.samples);
    } else if (footprint_waits(&footprint)) {
        tally_wait_for_code(&tally, &footprint);
    }
    struct stepped stepped = stepped_of(request->trace);
    if (stepped.known) /* shares of all user code, of which what was told is taken to be a fair part */
        tally_stepped(&tally, &stepped, tally.told + tally.causes[CAUSE_UNKNOWN]);
    for (int cause = 0; cause < CAUSE_COUNT; cause++)
        result->masses[cause] = tally.causes[cause] / all;
    verdict_weigh(verdict, &tally, all);
    classes_fill(result, &tally, looks, count, &stepped, all);
    bool abstains = abstains_at_shared_lines(verdict, request->stalls, tally.told);
    if (count) /* of the hottest, also where no cause is known */
        set_note(verdict, &looks[0]);
    verdict->level = LEVEL_NONE;
    if (abstains)
        return;
    if (verdict->class == BOTTLENECK_FRONTEND)
        verdict->share = interval_scaled(code_waited(&footprint, &stepped), footprint.samples / all);
    if (verdict->class == BOTTLENECK_UNKNOWN) {
        verdict->why_not = parts_text(&tally, result->classes, all, arena);
        if (verdict->split_ratio > 0)
            verdict->why_not =
                arena_printf(arena,
                             "%s; %.0f %% of the loads of its hottest code cross from one line of 64 bytes into the "
                             "next",
                             verdict->why_not, verdict->split_ratio * 100);
        verdict->recoverable_why = "no cause is known";
        return;
    }
    enum bottleneck_class class =
        verdict->class == BOTTLENECK_MIXED ? class_first(&tally, BOTTLENECK_UNKNOWN) : verdict->class;
    enum bottleneck_cause cause = cause_first(&tally, class);
    const struct loop_look *look = leading_look(looks, count, cause, tally.causes[cause], all);
    if (look && class != BOTTLENECK_FRONTEND) {
        instruction_name(verdict, request->stalls, look->region, look->hottest[cause]);
        set_note(verdict, look);
    }
    struct leading leading = {
        .request = request,
        .look = look,
        .cause = cause,
        .footprint = &footprint,
        .stepped = &stepped,
        .samples = tally.told,
        .around = samples_around(looks, count, cause, look),
        .by_cause = tally.causes[cause] / (tally.told + tally.causes[CAUSE_UNKNOWN]),
        .share =
            verdict->class == BOTTLENECK_MIXED ? 0 : tally.classes[class] / (tally.told + tally.causes[CAUSE_UNKNOWN]),
        .along = samples_along(looks, count, cause) / (tally.told + tally.causes[CAUSE_UNKNOWN]),
        .entered = all > 0 ? entered / all : 0,
        .small = all > 0 ? by_small / all : 0,
    };
    verdict_explain(verdict, &leading, arena);
    share_widen(result, &tally, looks, count, all);
}

/* What retires, or waits for no more than its units, may as well wait for its own results where these aren't known. */
static double chains_open(const struct loop_look *looks, size_t count)
{
    double open = 0;
    for (size_t at = 0; at < count; at++) {
        const double *samples = looks[at].samples;
        open += resources_chains_are_short(&looks[at].resources) ? 0
                : samples[CAUSE_RETIRING] + samples[CAUSE_PORTS] + samples[CAUSE_FP] + samples[CAUSE_UNKNOWN];
    }
    return open;
}

void bottleneck_find(struct bottleneck *ret_bottleneck, const struct bottleneck_request *request, struct arena *arena)
{
    const struct stalls *stalls = request->stalls;
    struct bottleneck result = {0};
    double all = (double)stalls->sample_count;
    result.kernel_ratio = all > 0 ? (double)stalls->kernel_samples / all : 0;
    result.blind_ratio = all > 0 ? (double)stalls->blind_samples / all : 0;
    const char *why = why_nothing(request, arena);
    if (why) {
        result.program.why_not = why;
        result.program.recoverable_why = "no cause is known";
        if (!request->not_a_cpu_problem && all > 0 && all < bottleneck_thresholds.samples_least)
            result.lack = (struct bottleneck_lack){1, (uint32_t)ceil(GUESSES_SAMPLES_LEAST / all)};
        *ret_bottleneck = result;
        return;
    }
    struct bottleneck_request timed = *request;
    timed.cpu_times = sample_cpu_times(request->recording, arena);
    timed.index = code_index_new(stalls, arena);
    timed.calls_are_guessed = stalls->restarts_behind && guessed_entries(stalls).second > 0;
    struct regions regions;
    regions_find(&regions, stalls, bottleneck_thresholds.loop_share_least, arena);
    size_t count = 0;
    struct loop_look *looks = arena_array(arena, struct loop_look, regions.count + 1);
    for (; count < regions.count; count++)
        looks[count] = loop_look_of(&timed, &regions.items[count], CAUSE_UNKNOWN, arena);
    call_guesses_join(looks, count, &timed, arena);
    result.loops = arena_array(arena, struct bottleneck_loop, LOOPS_MOST + 1);
    for (size_t at = 0; at < count && at < LOOPS_MOST; at++)
        if ((double)regions.items[at].samples >= bottleneck_thresholds.loop_share_least * all)
            loop_fill(&result.loops[result.loop_count++], &timed, &looks[at], arena);
    program_fill(&result, &timed, looks, count, arena);
    result.chains_open_ratio = chains_open(looks, count) / all;
    result.lack = lack_of(looks, count, all);
    *ret_bottleneck = result;
}
