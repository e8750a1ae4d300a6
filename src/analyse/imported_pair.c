/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/imported_pair.h"

#include "analyse/imported_window.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

bool imported_arm_is_of_user(const struct imported_arm *arm)
{
    for (size_t at = 0; at < arm->table->count; at++)
        if (strcmp(arm->table->rows[at].name, "cycles:u") == 0 ||
            strcmp(arm->table->rows[at].name, "cpu-cycles:u") == 0)
            return true;
    return false;
}

/* Of so little nobody knows more than that they took as long. */
static const double GAP_LEAST = 0.005;

static struct measured factor_of(const struct imported_arm *arm, enum imported_factor factor)
{
    struct measured cycles = imported_arm_count(arm, "cycles"), work = imported_arm_count(arm, "instructions");
    switch (factor) {
    case FACTOR_WORK:
        return work;
    case FACTOR_RATE:
        return measured_ratio(cycles, work);
    case FACTOR_CLOCK:
        return measured_ratio(cycles, imported_arm_cpu_s(arm));
    case FACTOR_BUSY:
        return measured_ratio(imported_arm_cpu_s(arm), imported_arm_length(arm));
    default:
        return not_measured("");
    }
}

static struct imported_part part_of(const struct imported_pair *pair, enum imported_factor factor, double difference)
{
    struct imported_part part = {factor_of(&pair->slow, factor), factor_of(&pair->fast, factor), 0};
    bool is_slower_when_less = factor == FACTOR_CLOCK || factor == FACTOR_BUSY;
    bool is_of_time = pair->by_time || (pair->by_cpu_time && factor == FACTOR_CLOCK);
    bool is_set = pair->is_window && factor == FACTOR_WORK; /* it is what their time is held beside */
    if ((is_slower_when_less && !is_of_time) || is_set || !part.slow.known || !part.fast.known ||
        part.slow.value <= 0 || part.fast.value <= 0 || difference <= 0)
        return part;
    part.part = log(part.slow.value / part.fast.value) / (is_slower_when_less ? -difference : difference);
    return part;
}

/* What makes a run the slower one when it is more. */
static struct measured length_of(const struct imported_arm *arm, const struct imported_pair *pair)
{
    return pair->is_window     ? measured_ratio(measured_as(1), imported_throughput(arm))
           : pair->by_time     ? arm->elapsed_s
           : pair->by_cpu_time ? imported_arm_cpu_s(arm)
                               : imported_arm_count(arm, "cycles");
}

struct arms {
    struct imported_arm items[IMPORTED_ARMS_MOST];
    size_t count;
    bool load_is_same; /* windows are of as much work, as runs are */
};

/* A table without cycles, instructions, CPU time and times is no run. */
static bool is_of_run(const struct imported_arm *arm)
{
    return imported_arm_length(arm).known || imported_arm_row(arm, "cycles") || imported_arm_row(arm, "instructions") ||
           imported_arm_cpu_s(arm).known;
}

static void arms_find(const struct imported *imported, struct arms *arms)
{
    struct imported_arm all[IMPORTED_ARMS_MOST];
    size_t count = imported_arms_of(imported, all);
    arms->count = 0;
    arms->load_is_same = imported && imported->load_is_same;
    for (size_t at = 0; at < count; at++)
        if (is_of_run(&all[at]))
            arms->items[arms->count++] = all[at];
}

static bool longest_find(const struct arms *arms, struct imported_pair *pair)
{
    const struct imported_arm *slow = NULL, *fast = NULL;
    for (size_t at = 0; at < arms->count; at++) {
        const struct imported_arm *arm = &arms->items[at];
        struct measured own = length_of(arm, pair);
        if ((arm->is_window && !arms->load_is_same) != pair->is_window || !own.known || own.value <= 0)
            continue;
        slow = !slow || own.value > length_of(slow, pair).value ? arm : slow;
        fast = !fast || own.value < length_of(fast, pair).value ? arm : fast;
    }
    if (slow == fast)
        return false;
    pair->slow = *slow;
    pair->fast = *fast;
    return true;
}

/* Runs by their times, else windows; of more of them without times it isn't told which belong together. */
static bool pair_find(const struct arms *arms, struct imported_pair *pair)
{
    static const struct {
        bool by_time, is_window, by_cpu_time, of_two;
    } ways[] = {{.by_time = true}, {.by_time = true, .is_window = true}, {.by_cpu_time = true, .of_two = true},
                {.of_two = true}};
    for (size_t at = 0; at < array_count(ways); at++) {
        *pair = (struct imported_pair){.is_only = arms->count == 2, .by_time = ways[at].by_time,
                                       .by_cpu_time = ways[at].by_cpu_time, .is_window = ways[at].is_window};
        if ((pair->is_only || !ways[at].of_two) && longest_find(arms, pair))
            return true;
    }
    return false;
}

/* Far from what is told of the same two: each piece of work is of another number of instructions then. */
static bool is_of_other_work(const struct imported_pair *pair, struct interval told)
{
    static const double TIMES = 2, SMALL = 0.05;
    double counted = log(length_of(&pair->slow, pair).value / length_of(&pair->fast, pair).value);
    return pair->is_window && told.known && told.low >= GAP_LEAST && told.high < 1 &&
           (counted > -TIMES * log(1 - told.high) + SMALL || -log(1 - told.low) > TIMES * counted + SMALL);
}

bool imported_windows_are_of_other_work(const struct imported *imported)
{
    struct arms arms;
    struct imported_pair pair;
    arms_find(imported, &arms);
    return pair_find(&arms, &pair) && is_of_other_work(&pair, imported->told_gap);
}

bool imported_pair_is_open(const struct imported *imported, const struct imported_pair *pair)
{
    return pair->is_window && !imported->told_gap.known && imported_pair_most(pair) == FACTOR_BUSY;
}

bool imported_pair_of(const struct imported *imported, struct imported_pair *ret)
{
    struct arms arms;
    struct imported_pair pair;
    arms_find(imported, &arms);
    if (!pair_find(&arms, &pair) || is_of_other_work(&pair, imported->told_gap))
        return false;
    double slow = length_of(&pair.slow, &pair).value, fast = length_of(&pair.fast, &pair).value;
    pair.gap = measured_as(1 - fast / slow >= GAP_LEAST ? 1 - fast / slow : 0);
    if (pair.is_window && !(pair.slow.window_s.known && pair.fast.window_s.known)) {
        pair.by_time = false;
        pair.by_cpu_time = true;
    }
    pair.is_of_user = imported_arm_is_of_user(&pair.slow) || imported_arm_is_of_user(&pair.fast);
    pair.fast_scale = pair.is_window ? imported_arm_count(&pair.slow, "instructions").value /
                                           imported_arm_count(&pair.fast, "instructions").value
                                     : 1;
    struct measured less =
        measured_ratio(imported_pair_fast(&pair, "cycles"), imported_arm_count(&pair.slow, "cycles"));
    pair.cycles = less.known ? measured_as(1 - less.value) : less;
    for (int factor = 0; factor < FACTOR_COUNT; factor++)
        pair.parts[factor] = part_of(&pair, (enum imported_factor)factor, log(slow / fast));
    *ret = pair;
    return true;
}

struct measured imported_pair_fast(const struct imported_pair *pair, const char *event)
{
    struct measured count = imported_arm_count(&pair->fast, event);
    return count.known ? measured_as(count.value * pair->fast_scale) : count;
}

struct measured imported_gap_of(const struct imported *imported)
{
    struct imported_pair pair;
    struct imported_gain gain = imported_gain_of(imported);
    double by_arms = imported_pair_of(imported, &pair) && pair.by_time ? pair.gap.value : 0,
           by_runs = gain.known ? fabs(1 - gain.ratio) : 0, gap = fmax(by_arms, by_runs);
    return gap >= GAP_LEAST ? measured_as(gap) : not_measured("no two times to compare were imported");
}

/*
 * First cycles, clock and CPUs in use: what has fewer instructions and more cycles for each may take as many cycles,
 * and then neither is what it differs by.
 */
enum imported_factor imported_pair_most(const struct imported_pair *pair)
{
    static const double MOST_OF = 0.5;
    double work = pair->parts[FACTOR_WORK].part, rate = pair->parts[FACTOR_RATE].part,
           clock = pair->parts[FACTOR_CLOCK].part, busy = pair->parts[FACTOR_BUSY].part;
    if (work + rate >= MOST_OF && work + rate >= clock && work + rate >= busy)
        return work >= rate ? FACTOR_WORK : FACTOR_RATE;
    if (clock >= MOST_OF && clock >= busy)
        return FACTOR_CLOCK;
    return busy >= MOST_OF ? FACTOR_BUSY : FACTOR_COUNT;
}
