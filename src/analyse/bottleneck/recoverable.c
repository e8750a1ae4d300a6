/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/recoverable.h"

#include "analyse/bottleneck/dependence.h"
#include "analyse/loop/loop_width.h"

#include "base/cache_line.h"
#include "base/vec.h"

enum {
    WIDEST_BITS = 512, /* of any machine: what one isn't known to have it may have */
    FUSED_BITS = 256,  /* machines with integers so wide have multiplication and addition in one, too */
};

struct gain { /* of the time laid at the cause, 0..1 */
    double low, high;
    const char *how;
};

static const char AS_BEFORE[] = "as removing such a cause did in programs measured in both forms";
static const char AS_DOCUMENTED[] = "by documented latencies of atomic operations and of plain ones";
static const char BY_CHAIN[] = "what a turn takes on the core without its chain of results";
static const char BY_WIDTH[] = "what wider vectors leave of a turn";

/*
 * Of the tuning programs with both forms, on two processors that differ by a factor of two and more; of causes none of
 * them has, wide.
 */
static const struct gain gains_seen[CAUSE_COUNT] = {
    [CAUSE_LATENCY] = {0.6, 1, AS_BEFORE},
    [CAUSE_BANDWIDTH] = {0.5, 1, AS_BEFORE},
    [CAUSE_PARALLEL_MISSES] = {0.15, 1, AS_BEFORE},
    [CAUSE_TLB] = {0.15, 0.95, AS_BEFORE},
    [CAUSE_L2] = {0.3, 0.92, AS_BEFORE},
    [CAUSE_LATENCY_CHAIN] = {0.45, 0.95, AS_BEFORE},
    [CAUSE_DIVIDE] = {0.3, 0.95, AS_BEFORE},
    [CAUSE_FP] = {0.4, 0.9, AS_BEFORE},
    [CAUSE_PORTS] = {0.2, 0.75, AS_BEFORE},
    /* processors that foresee where a store leads hand it on in two cycles, others in five */
    [CAUSE_STORE_FORWARDING] = {0.2, 0.85, AS_BEFORE},
    [CAUSE_L1_LATENCY] = {0.3, 0.9, AS_BEFORE},
    [CAUSE_ATOMIC] = {0.2, 1, AS_DOCUMENTED},
    [CAUSE_CONDITIONAL] = {0.5, 1, AS_BEFORE},
    [CAUSE_INDIRECT] = {0.5, 1, AS_BEFORE},
    [CAUSE_FOOTPRINT] = {0.45, 0.9, AS_BEFORE},
};

static const struct instruction *hottest_of(const struct loop_look *look, enum bottleneck_cause cause)
{
    uint32_t row = look->hottest[cause];
    return row == UINT32_MAX ? NULL : &look->region->code->items[row];
}

/*
 * How many times wider its arithmetic could be on a machine with such vectors; 1: it can't, or isn't arithmetic of that
 * kind.
 */
static double widening(const struct instruction *row, double widest_bits)
{
    if (!row || !row->vector_bits || !(row->is_fp || row->class == INSTRUCTION_VECTOR))
        return 1;
    double bits = row->is_scalar_fp ? 64 : row->vector_bits;
    return bits < widest_bits ? widest_bits / bits : 1;
}

/* What a turn takes on the core by issue and units alone. */
static double rest_of(const struct loop_bound *bound)
{
    return bound->frontend_cycles > bound->unit_cycles ? bound->frontend_cycles : bound->unit_cycles;
}

/*
 * What its chain computes is stored at each step: sums that only begin anew in each part have to be put right, step by
 * step.
 */
static bool keeps_each_step(const struct region *region)
{
    uint64_t general = 0;
    uint32_t vectors = 0;
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++) {
        bool chained = region_holds(region, row) && region->code->marks[row] & MARK_CHAINED;
        general |= chained ? region->code->items[row].writes : 0;
        vectors |= chained ? region->code->items[row].vector_writes : 0;
    }
    for (uint32_t row = region->rows.first; row <= region->rows.last; row++) {
        const struct instruction *here = &region->code->items[row];
        if (region_holds(region, row) && here->class == INSTRUCTION_STORE &&
            (here->reads & general || here->vector_reads & vectors))
            return true;
    }
    return false;
}

/* Chains side by side leave the same instructions, which the core takes as fast as its other limits let it. */
static bool by_chain(struct gain *gain, const struct loop_look *look, enum bottleneck_cause cause, double widest_bits)
{
    const struct loop_bound *bound = &look->resources.bound;
    double chain = bound->chain.cycles, rest = rest_of(bound);
    if (!bound->known || bound->is_lower || chain <= 1.1 * rest || rest <= 0)
        return false;
    double wider = widening(hottest_of(look, cause), widest_bits ? widest_bits : WIDEST_BITS);
    static const double PART = 0.5; /* chains side by side have to be joined in the end, and their loop is longer */
    double twice = keeps_each_step(look->region) ? 2 * rest / chain : rest / chain;
    *gain = (struct gain){twice < 1 ? PART * (1 - twice) : 0, 1 - rest / chain / (wider > 2 ? wider : 2), BY_CHAIN};
    return true;
}

/*
 * Chains of divisions side by side overlap as far as the divider takes them in; what has no division any more may
 * return more than that.
 */
static void by_divide_chain(struct gain *gain, const struct loop_look *look, double widest_bits)
{
    static const double OVERLAP_LEAST = 0.1; /* on cores whose divider takes the next one in late */
    struct gain chain = *gain;
    if (!look->region->is_loop || !has_divide_chain(look->region))
        return;
    bool is_known = by_chain(&chain, look, CAUSE_DIVIDE, widest_bits);
    double low = is_known && chain.low > OVERLAP_LEAST ? chain.low : OVERLAP_LEAST;
    gain->low = low < gain->low ? low : gain->low;
}

/* As much work side by side: of two or more times through, none waits for another. */
static bool by_straight_chain(struct gain *gain, const struct loop_look *look)
{
    const struct straight_bound *straight = &look->resources.straight;
    if (resources_straight(&look->resources) != STRAIGHT_SURE)
        return false;
    double rest = straight->frontend_cycles > straight->unit_cycles ? straight->frontend_cycles : straight->unit_cycles;
    static const double PART = 0.5; /* registers don't last for two: some of it goes through memory */
    *gain = (struct gain){PART * (1 - rest / straight->overlapped_cycles), 1 - rest / straight->chain.cycles, BY_CHAIN};
    return true;
}

/*
 * What computes in vectors already was written for them: what keeps a compiler from wider ones in its loop is nothing
 * that keeps its author from them. NULL: it doesn't.
 */
static const char *why_not_told(const struct loop_look *look, double widest_bits, const char *obstacle,
                                struct arena *arena)
{
    const struct instruction *row = hottest_of(look, CAUSE_FP);
    if (!row || row->is_scalar_fp || widening(row, widest_bits) <= 1)
        return NULL;
    return arena_printf(arena,
                        "its vectors have %u bits and this CPU's %.0f, and the code doesn't say whether wider ones "
                        "could compute it (%s): a build for this CPU does",
                        (unsigned)row->vector_bits, widest_bits, obstacle);
}

/* Branches and chains may be what a compiler had to keep: errno of sqrt, the order of sums. */
static bool is_of_compiler(enum loop_obstacle obstacle)
{
    return obstacle == LOOP_BRANCHES || obstacle == LOOP_CALLS || obstacle == LOOP_CARRIED;
}

static const char OTHER_BUILD[] =
    "; whether another build could (-O3 -fno-math-errno, or -ffast-math where its answers may differ) isn't known";

/* NULL: wider code can compute what it does, as far as its code says; else why not. */
static const char *why_not_wider(const struct loop_look *look, double widest_bits, struct arena *arena)
{
    static const char *const texts[LOOP_OBSTACLES] = {
        [LOOP_CALLS] = "it calls functions in each turn",
        [LOOP_BRANCHES] = "its turns go different ways",
        [LOOP_SCATTERED] = "its data don't follow one another in memory",
        [LOOP_CARRIED] = "each turn needs what the one before computed",
        [LOOP_STORED] = "each turn needs what the one before stored",
        [LOOP_NO_FORM] = "vectors don't have its instructions, or no faster",
    };
    if (!look->region->is_loop)
        return "it is no loop that could compute several of its numbers at once: only less arithmetic, or fewer calls, "
               "are sure to be faster";
    struct loop_width width = loop_width_of(look->region->code->items, look->region->rows, arena);
    const char *obstacle = texts[width.obstacle];
    const char *untold = obstacle ? why_not_told(look, widest_bits, obstacle, arena) : NULL;
    return !obstacle ? NULL
           : untold
               ? untold
               : arena_printf(arena,
                              "as it is compiled, wider vectors can't compute it (%s): only less arithmetic is sure to "
                              "be faster%s",
                              obstacle, is_of_compiler(width.obstacle) ? OTHER_BUILD : "");
}

static bool by_width(struct gain *gain, const struct loop_look *look, enum bottleneck_cause cause, double widest_bits)
{
    const struct instruction *row = hottest_of(look, cause);
    double wider = widening(row, widest_bits ? widest_bits : WIDEST_BITS),
           fused = widest_bits && widest_bits < FUSED_BITS ? 1 : 2;
    if (!row || !row->is_fp)
        return false;
    static const double PART = 0.7; /* of twice the width: clocks fall, and loads and stores stay */
    double low = widening(row, widest_bits) > 1 ? PART * 0.5 : 0;
    *gain = (struct gain){low, 1 - 1 / (fused * wider), BY_WIDTH};
    return true;
}

/* From row to row, and nothing waits for what it gets there: another order of the loops uses what lies side by side. */
static bool goes_across(const struct loop_look *look)
{
    const struct working_set *set = &look->reach.set;
    uint32_t row = look->hottest[CAUSE_TLB];
    return set->stride_bytes > CACHE_LINE_BYTES && !set->one_place_in_stride && row != UINT32_MAX &&
           !is_chased(look->region, row);
}

/*
 * Each of its loads waits for the one before, and for what is computed between them: several such chains side by side
 * leave neither.
 */
static bool waits_for_itself(const struct loop_look *look, enum bottleneck_cause cause)
{
    uint32_t row = look->hottest[cause];
    return (cause == CAUSE_LATENCY || cause == CAUSE_L2) && row != UINT32_MAX && is_chased(look->region, row);
}

/* Of its measured time a turn takes the rest with all data in the nearest cache, too; 1: not known. */
static double part_beyond(const struct loop_look *look)
{
    return look->pace.over_bound > 1 && !look->resources.bound.is_lower ? 1 - 1 / look->pace.over_bound : 1;
}

/*
 * What is left of a turn at the best. Code that is written anew for its data or without its branch has turns side by
 * side and in vectors.
 */
static double least_left(const struct loop_look *look, enum bottleneck_cause cause)
{
    static const double SIDE_BY_SIDE = 2;
    const struct loop_bound *bound = &look->resources.bound;
    bool anew = cause == CAUSE_BANDWIDTH || cause == CAUSE_CONDITIONAL || (cause == CAUSE_TLB && goes_across(look)) ||
                waits_for_itself(look, cause);
    double cycles = anew ? rest_of(bound) / SIDE_BY_SIDE : bound->cycles;
    return look->pace.over_bound > 1 && !bound->is_lower && bound->cycles > 0
               ? cycles / bound->cycles / look->pace.over_bound
               : 0;
}

static struct gain gain_of(const struct loop_look *look, enum bottleneck_cause cause, double widest_bits)
{
    struct gain gain = gains_seen[cause];
    if (!look)
        return gain;
    switch (cause) {
    case CAUSE_LATENCY_CHAIN:
    case CAUSE_STORE_FORWARDING:
    case CAUSE_L1_LATENCY:
        (void)(by_chain(&gain, look, cause, widest_bits) || by_straight_chain(&gain, look));
        break;
    case CAUSE_FP:
        (void)by_width(&gain, look, cause, widest_bits);
        break;
    case CAUSE_DIVIDE:
        by_divide_chain(&gain, look, widest_bits);
        break; /* what the bound takes longest for is what goes: it is none for what is left */
    case CAUSE_PORTS:
        break;
    default:
        if (gain.high > 1 - least_left(look, cause))
            gain.high = 1 - least_left(look, cause);
    }
    if (cause == CAUSE_L2 && !waits_for_itself(look, cause)) /* several are under way, as with misses */
        gain.low = gains_seen[CAUSE_PARALLEL_MISSES].low;
    if (waits_for_itself(look, cause)) /* a modest remedy has the data near, and computes as before */
        gain.low *= part_beyond(look);
    /* walks and misses are under way side by side: without one kind the other is left */
    if (cause == CAUSE_TLB && goes_across(look))
        gain.low /= 2;
    gain.low = gain.low < gain.high ? gain.low : gain.high / 2; /* the bound is one from above alone */
    return gain;
}

/* NULL: something is known of what a remedy returns. */
static const char *why_no_gain(enum bottleneck_cause cause, const struct loop_look *look, double widest_bits,
                               struct arena *arena)
{
    if (cause != CAUSE_FP || !look)
        return NULL;
    return look->fp_is_unexplained
               ? "its arithmetic takes longer than its units and chains do: what holds it up isn't shown"
               : why_not_wider(look, widest_bits, arena);
}

void recoverable_find(struct bottleneck_verdict *verdict, const struct loop_look *look,
                      const struct bottleneck_machine *machine, double around, double shown, struct arena *arena)
{
    if (verdict->class == BOTTLENECK_RETIRING || verdict->class == BOTTLENECK_MIXED ||
        verdict->class == BOTTLENECK_UNKNOWN) {
        verdict->recoverable_why = verdict->class == BOTTLENECK_RETIRING
                                       ? "it waits for nothing: only fewer instructions are faster"
                                       : "there is no one cause to remove";
        return;
    }
    verdict->recoverable_why = why_no_gain(verdict->cause, look, machine->widest_bits, arena);
    if (verdict->recoverable_why)
        return;
    struct gain gain = gain_of(look, verdict->cause, machine->widest_bits);
    struct interval share = verdict->share;
    double most = share.high * gain.high, all = look ? around * gain.high : 0;
    bool waits_along = verdict->class == BOTTLENECK_MEMORY || verdict->class == BOTTLENECK_BAD_SPECULATION;
    if (waits_along && all > most) /* what is quick in its loop waits in the queue behind, or was begun in vain */
        most = all;
    /* the rest of what is laid at wrong guesses of targets may be what the code there takes when guessed right */
    double sure = verdict->cause == CAUSE_INDIRECT && shown > 0 && shown < share.low ? shown : share.low;
    verdict->recoverable = interval_of(sure * gain.low, (sure * gain.low + most) / 2, most);
    verdict->recoverable_how = gain.how;
}
