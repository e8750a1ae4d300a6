/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/confidence.h"

#include "analyse/bottleneck/dependence.h"
#include "analyse/bottleneck/look_alike.h"
#include "analyse/bottleneck/thresholds.h"
#include "base/cache_line.h"

/* By all of its accesses together: within the nearest cache for certain. */
static bool is_memory_near(const struct loop_look *look, const struct bottleneck_machine *machine)
{
    static const double UNPLACED_MOST = 0.02;
    struct interval lines = look->touched.lines_bytes;
    return !look->touches_memory ||
           (look->touched.known && lines.known &&
            lines.high * bottleneck_thresholds.set_over_cache + look->bounded_bytes <= machine->l1_bytes &&
            (double)(look->unplaced - look->bounded) <= UNPLACED_MOST * (double)look->region->samples);
}

/*
 * Its busiest units are those for any arithmetic, half as many as it issues a cycle at least: no single one is short.
 */
static bool uses_all_units(const struct loop_bound *bound)
{
    return bound->unit_kind == UNIT_INTEGER && 2 * (float)__builtin_popcount(bound->units) >= bound->core->slots;
}

/*
 * The tables of this core say the same as the samples, by so much that costs wrong by half wouldn't matter, of code
 * that nothing can delay: no access that misses the nearest cache, no branch that could be guessed wrong. What its rate
 * is known to be must not contradict. Only of chains of arithmetic, and where any unit will do: integers that wait for
 * one unit, for one another or for nothing show at the same instructions.
 */
static bool is_bound_alike(const struct bottleneck_verdict *verdict, const struct leading *leading)
{
    const struct loop_look *look = leading->look;
    const struct loop_bound *bound = &look->resources.bound;
    if (!bound->known || bound->is_lower || bound->is_approximate || !is_memory_near(look, leading->request->machine) ||
        look->guesses.branches || look->pace.over_bound > bottleneck_thresholds.bound_missed)
        return false;
    double apart = bottleneck_thresholds.alike_apart, issue = bound->frontend_cycles, units = bound->unit_cycles,
           sure = bound->chain.cycles;
    double chain = sure > bound->chain_if_same.cycles ? sure : bound->chain_if_same.cycles,
           busy = issue > units ? issue : units;
    if (verdict->cause == CAUSE_LATENCY_CHAIN)
        return bound->chain.kind_cycles[CHAIN_FP] >= 0.5 * sure && sure >= apart * busy;
    return busy >= apart * chain && (issue >= units || uses_all_units(bound));
}

/* How much code there is and where samples fall in its lines are two things: neither follows from the other. */
static bool is_footprint_clear(const struct footprint *footprint)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    if (footprint_waits(footprint))
        return footprint->placed >= limit->front_high_placed && footprint->bytes >= limit->front_high_bytes &&
               footprint->waited.low >= limit->front_high_waited;
    return footprint->least_bytes > 2 * footprint->cache_bytes && footprint->line_share >= limit->class_high;
}

/*
 * Without what samples took of its time, a walk takes clearly longer than its own instructions do; where their cost
 * isn't known, nothing speaks against it.
 */
static bool is_beyond_own_work(const struct reach *reach)
{
    return reach->own_work_ns <= 0 || (reach->own_line_ns < reach->line_ns &&
                                       reach->own_line_ns > bottleneck_thresholds.bound_missed * reach->own_work_ns);
}

/*
 * At its instructions' own pace it would ask for more than any cache behind the second, or memory, gives a core: no
 * rate is needed to see that it waits, where what it goes over at a time is clearly more than the second cache holds.
 */
static bool is_asking_too_much(const struct reach *reach, const struct bottleneck_machine *machine)
{
    static const double CLEARLY = 2;
    if (!reach->in_order || reach->level != LEVEL_BEYOND || reach->level_is_open || reach->own_work_ns <= 0 ||
        !machine->read_bytes_s.known || reach->at_a_time_bytes < CLEARLY * machine->l2_bytes)
        return false;
    double fastest_ns = CACHE_LINE_BYTES * 1e9 / (machine->read_bytes_s.high * bottleneck_thresholds.walk_fastest);
    return reach->own_work_ns < fastest_ns * (reach->arrays > 1 ? reach->arrays : 1);
}

/*
 * Nothing but where its lines lie says that it waits for the second cache: a walk in order has them fetched ahead, and
 * at its instructions' own pace it asks for no more than one in a cycle, the most that any core's hands over.
 */
static bool is_within_own_pace(const struct reach *reach, const struct bottleneck_machine *machine)
{
    static const double LINE_CYCLES = 1;
    if (reach->level != LEVEL_L2 || !reach->in_order || reach->line_ns > 0)
        return false;
    double arrays = reach->arrays > 1 ? reach->arrays : 1;
    return reach->own_work_ns <= 0 || !machine->clock_hz.known ||
           reach->own_work_ns * 1e-9 * machine->clock_hz.mid >= LINE_CYCLES * arrays;
}

/* It takes longer than its own work does, by its measured rate or because it must. */
static bool is_kept_by_memory(const struct reach *reach, const struct bottleneck_machine *machine)
{
    if (reach->line_ns > 0)
        return !reach_is_too_slow(reach) && is_beyond_own_work(reach);
    return is_asking_too_much(reach, machine);
}

/*
 * So little memory that a walk would come round between samples: but a turn takes longer a node than walks in order
 * wait for memory.
 */
static bool is_order_settled(const struct leading *leading)
{
    static const double LOAD_CYCLES = 4; /* no core's first cache answers sooner */
    const struct loop_look *look = leading->look;
    const struct bottleneck_machine *machine = leading->request->machine;
    double nodes = look->resources.bound.known ? look->resources.bound.chain.kind_cycles[CHAIN_LOAD] / LOAD_CYCLES : 0;
    if (!look->reach.order_is_open || look->reach.level != LEVEL_BEYOND)
        return true;
    return nodes >= 1 && look->pace.rate_per_s.known && machine->read_bytes_s.known &&
           1e9 / look->pace.rate_per_s.value / nodes >=
               bottleneck_thresholds.walk_contention * CACHE_LINE_BYTES * 1e9 / machine->read_bytes_s.low;
}

/*
 * No branch that changes; or all that isn't at the accesses, where a wrong guess of the loop's end would show, is no
 * rival.
 */
static bool is_guessed_right(const struct leading *leading)
{
    const struct guesses *guesses = &leading->look->guesses;
    return guesses->both_ways < bottleneck_thresholds.both_ways ||
           (!guesses->branches && 1 - leading->by_cause < bottleneck_thresholds.rival_high * leading->by_cause);
}

/* A second look that doesn't rest on which instruction got the samples alone. */
static bool is_confirmed(const struct bottleneck_verdict *verdict, const struct leading *leading)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    const struct loop_look *look = leading->look;
    if (!look && verdict->cause != CAUSE_FOOTPRINT)
        return false;
    switch (verdict->cause) {
    case CAUSE_LATENCY:
        if (!look->reach.known && look->paced_level == LEVEL_BEYOND)
            return true;
        /* fall through */
    case CAUSE_TLB:
    case CAUSE_PARALLEL_MISSES:
        return look->reach.known &&
               (look->reach.level == LEVEL_BEYOND || (look->reach.level == LEVEL_L2 && look->reach.is_wide_spread)) &&
               !look->is_prefetched && is_guessed_right(leading) && is_order_settled(leading) &&
               !look->reach.level_is_open;
    case CAUSE_L2:
        return look->reach.known && look->reach.touched.lines_bytes.known &&
               look->reach.touched.pages_least_bytes <= limit->tlb_pages_bytes &&
               look->reach.lines_bytes > 2 * leading->request->machine->l1_bytes &&
               look->reach.lines_bytes < leading->request->machine->l2_bytes / 1.5 &&
               leading->request->machine->caches_known && !look->is_prefetched;
    case CAUSE_BANDWIDTH:
        return look->reach.known && !look->is_prefetched && is_kept_by_memory(&look->reach, leading->request->machine);
    case CAUSE_ATOMIC:
    case CAUSE_DIVIDE:
        return true; /* the instruction itself: code and samples say the same, and nothing else waits there so long */
    case CAUSE_FOOTPRINT:
        return is_footprint_clear(leading->footprint);
    case CAUSE_RETIRING:
    case CAUSE_LATENCY_CHAIN:
        return is_bound_alike(verdict, leading);
    case CAUSE_CONDITIONAL:
        /* what stands at the beginning of a function, or behind its calls, may be what calling takes */
        return (look->region->is_loop && guesses_show_restarts(&look->guesses, limit->sure_enrichment)) ||
               (look->pace.over_bound > limit->bound_missed && look->guesses.evenness >= limit->even_least &&
                !look->resources.bound.is_lower);
    default:
        return false;
    }
}

/* What was counted and what was sampled share nothing: together they do, where each alone shows that much. */
static bool is_stepped_alike(const struct bottleneck_verdict *verdict, const struct leading *leading)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    const struct stepped *stepped = leading->stepped;
    if (!stepped || !stepped->known)
        return false;
    if (verdict->class == BOTTLENECK_BAD_SPECULATION)
        return stepped->guessed.low >= limit->stepped_high;
    return verdict->class == BOTTLENECK_FRONTEND && stepped->fetched.known &&
           stepped->fetched.mid >= limit->stepped_high && leading->footprint->bytes >= limit->front_high_bytes;
}

/* Of the whole program: code that isn't known had more samples than what this rests on. */
static bool is_mostly_untold(const struct leading *leading)
{
    return leading->footprint &&
           leading->samples < (1 - bottleneck_thresholds.blind_most) * leading->footprint->samples;
}

/*
 * By the tables something else takes nearly as long: which of them is longest changes with what neighbours leave of the
 * core.
 */
static bool is_near_tie(const struct bottleneck_verdict *verdict, const struct leading *leading)
{
    const struct loop_bound *bound = leading->look ? &leading->look->resources.bound : NULL;
    if (!bound || !bound->known || bound->is_lower || verdict->class == BOTTLENECK_MIXED)
        return false;
    double apart = bottleneck_thresholds.bound_apart, chain = bound->chain.cycles;
    double rest = bound->frontend_cycles > bound->unit_cycles ? bound->frontend_cycles : bound->unit_cycles;
    bool near = chain < apart * rest && rest < apart * chain; /* issue and units alike: all units are busy */
    return near && (verdict->cause == CAUSE_RETIRING || verdict->cause == CAUSE_LATENCY_CHAIN);
}

/*
 * Which of the two is the larger changes from one processor to the next. What code does between its waits for more of
 * it is no rival.
 */
static bool is_rivalled(const struct bottleneck_verdict *verdict)
{
    const struct bottleneck_second *second = &verdict->second;
    bool is_rest = verdict->class == BOTTLENECK_FRONTEND && second->class == BOTTLENECK_RETIRING;
    return second->class && second->share.known && !is_rest &&
           second->share.mid >= bottleneck_thresholds.rival_high * verdict->share.mid;
}

/* What speaks against its cause, or for another as well, however many samples say it; NULL: nothing. */
static const char *doubt_of(const struct bottleneck_verdict *verdict, const struct leading *leading)
{
    const struct bottleneck_machine *machine = leading->request->machine;
    const struct loop_look *look = leading->look;
    if (!look)
        return NULL;
    if (verdict->cause == CAUSE_BANDWIDTH && reach_is_below_ceiling(&look->reach, machine))
        return "no more confidence: it moves less than half of what one core was measured to read here, which leaves "
               "bandwidth for more";
    if (verdict->cause == CAUSE_L2 && is_within_own_pace(&look->reach, machine))
        return "no more confidence: it walks in order, its rate isn't known, and its own instructions may take as long "
               "as the second cache takes to hand over its lines";
    if (verdict->cause == CAUSE_PARALLEL_MISSES && leading_row_is(leading, is_passed_by_calls))
        return "no more confidence: its pointers come with calls, so that each may as well wait for the miss before it";
    return look->operand_is_tied ? "no more confidence: what a turn loads from afar waits for no other, and its own "
                                   "instructions may take as long"
                                 : NULL;
}

/* What leaves open what the look at its leading loop or function says; NULL: nothing. */
static const char *look_doubt_of(const struct bottleneck_verdict *verdict, const struct leading *leading)
{
    if (verdict->class != BOTTLENECK_FRONTEND && is_mostly_untold(leading))
        return "no more confidence: of most of its samples nothing could be told";
    if (leading_is_contended(leading))
        return "no more confidence: its hot accesses go to lines that several threads write, and waiting "
               "for one another looks the same";
    if (verdict->cause == CAUSE_STORE_FORWARDING && leading->look &&
        leading->look->supposed >= 0.5 * leading->look->samples[CAUSE_STORE_FORWARDING])
        return "no more confidence: that turns in a row meet at the same of its few places isn't seen";
    if (is_near_tie(verdict, leading))
        return "no more confidence: issue, units and chains take a turn of its loop nearly as long as one another";
    if (leading->look && leading->look->fp_is_open && verdict->cause != CAUSE_FP)
        return "no more confidence: most samples stand at one floating-point instruction, and how long a "
               "turn takes could not be measured: if longer than its instructions do, it waits there";
    if (verdict->cause == CAUSE_LATENCY_CHAIN && leading->look && leading->look->chain_is_open)
        return "no more confidence: it loads from beyond the nearest cache, too, not line by line, and how "
               "long a turn takes could not be measured: waiting for that may take longer than its chain";
    if (verdict->class == BOTTLENECK_RETIRING && leading->look &&
        resources_straight(&leading->look->resources) == STRAIGHT_OPEN)
        return "no more confidence: its results need one another for longer than issue takes: if each call "
               "of it waits for the one before, that is what it takes";
    return NULL;
}

void verdict_confidence_find(struct bottleneck_verdict *verdict, const struct leading *leading)
{
    const struct bottleneck_thresholds *limit = &bottleneck_thresholds;
    if (verdict->class != BOTTLENECK_FRONTEND && leading->small > limit->small_most) {
        verdict->confidence = ESTIMATE_LOW;
        verdict->why_not =
            "no more confidence: its time is spread over code in pieces too small to show anything by themselves";
        return;
    }
    const char *doubt = doubt_of(verdict, leading);
    if (doubt) {
        verdict->confidence = ESTIMATE_LOW;
        verdict->why_not = doubt;
        return;
    }
    if (leading->samples < limit->samples_high || leading->share < limit->class_high) {
        verdict->confidence =
            leading->samples < limit->samples_high / 2 || leading->share < 0.5 ? ESTIMATE_LOW : ESTIMATE_MEDIUM;
        verdict->why_not = leading->samples < limit->samples_high
                               ? "no more confidence: fewer than 500 samples"
                               : "no more confidence: less than 70 % of what could be told is of this class";
        return;
    }
    if ((doubt = look_doubt_of(verdict, leading))) {
        verdict->confidence = ESTIMATE_LOW;
        verdict->why_not = doubt;
        return;
    }
    if (verdict->cause == CAUSE_TLB && leading->look && leading->look->reach.is_crowded) {
        verdict->confidence = ESTIMATE_MEDIUM;
        verdict->why_not = "no more confidence: its lines share few sets of the caches, too, and misses there show at "
                           "the same instruction: another length of its steps (a padded row) tells them apart";
        return;
    }
    if (is_rivalled(verdict)) {
        verdict->confidence = ESTIMATE_MEDIUM;
        verdict->why_not = "no more confidence: beside it another kind of cause takes a quarter as much, or more";
        return;
    }
    if (leading->along > 0 && leading->share - leading->along < limit->class_high &&
        !is_stepped_alike(verdict, leading)) {
        verdict->confidence = ESTIMATE_MEDIUM;
        verdict->why_not = "no more confidence: a part is in functions that loops with wrong guesses call in each "
                           "turn, and shown by these loops alone";
        return;
    }
    bool is_sure = is_confirmed(verdict, leading) || is_stepped_alike(verdict, leading);
    if (is_sure && leading->by_cause < limit->cause_high) {
        verdict->confidence = ESTIMATE_MEDIUM;
        verdict->why_not = "no more confidence: what a second look confirms is less than half of the time, the rest "
                           "another cause of this class";
        return;
    }
    const char *alike = is_sure && !is_stepped_alike(verdict, leading) ? look_alike_of(verdict, leading) : NULL;
    verdict->confidence = is_sure && !alike ? ESTIMATE_HIGH : ESTIMATE_MEDIUM;
    if (alike)
        verdict->why_not = alike;
    else if (verdict->confidence == ESTIMATE_MEDIUM)
        verdict->why_not =
            verdict->class == BOTTLENECK_BAD_SPECULATION && !(leading->stepped && leading->stepped->known)
                ? "no more confidence: one kind of evidence speaks for it, none against; --probe step counts its wrong "
                  "guesses"
                : "no more confidence: one kind of evidence speaks for it, none against";
}
