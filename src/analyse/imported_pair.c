/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/imported_pair.h"

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
        return measured_ratio(imported_arm_cpu_s(arm), arm->elapsed_s);
    default:
        return not_measured("");
    }
}

static struct imported_part part_of(const struct imported_pair *pair, enum imported_factor factor, double difference)
{
    struct imported_part part = {factor_of(&pair->slow, factor), factor_of(&pair->fast, factor), 0};
    bool is_slower_when_less = factor == FACTOR_CLOCK || factor == FACTOR_BUSY;
    bool is_of_time = pair->by_time || (pair->by_cpu_time && factor == FACTOR_CLOCK);
    if ((is_slower_when_less && !is_of_time) || !part.slow.known || !part.fast.known || part.slow.value <= 0 ||
        part.fast.value <= 0 || difference <= 0)
        return part;
    part.part = log(part.slow.value / part.fast.value) / (is_slower_when_less ? -difference : difference);
    return part;
}

static struct measured length_of(const struct imported_arm *arm, const struct imported_pair *pair)
{
    return pair->by_time       ? arm->elapsed_s
           : pair->by_cpu_time ? imported_arm_cpu_s(arm)
                               : imported_arm_count(arm, "cycles");
}

static bool longest_find(const struct imported_arm *arms, size_t count, struct imported_pair *pair)
{
    const struct imported_arm *slow = NULL, *fast = NULL;
    for (size_t at = 0; at < count; at++) {
        struct measured own = length_of(&arms[at], pair);
        if (!own.known || own.value <= 0)
            continue;
        slow = !slow || own.value > length_of(slow, pair).value ? &arms[at] : slow;
        fast = !fast || own.value < length_of(fast, pair).value ? &arms[at] : fast;
    }
    if (slow == fast)
        return false;
    pair->slow = *slow;
    pair->fast = *fast;
    return true;
}

bool imported_pair_of(const struct imported *imported, struct imported_pair *ret)
{
    struct imported_arm arms[IMPORTED_ARMS_MOST];
    size_t count = imported_arms_of(imported, arms);
    struct imported_pair pair = {.is_only = count == 2, .by_time = true};
    bool found = longest_find(arms, count, &pair);
    if (!found && pair.is_only) { /* of more of them which belong together isn't told */
        pair.by_time = false;
        pair.by_cpu_time = true;
        found = longest_find(arms, count, &pair);
    }
    if (!found && pair.is_only) {
        pair.by_cpu_time = false;
        found = longest_find(arms, count, &pair);
    }
    if (!found)
        return false;
    double slow = length_of(&pair.slow, &pair).value, fast = length_of(&pair.fast, &pair).value;
    pair.gap = measured_as(1 - fast / slow);
    pair.is_of_user = imported_arm_is_of_user(&pair.slow) || imported_arm_is_of_user(&pair.fast);
    struct measured less =
        measured_ratio(imported_arm_count(&pair.fast, "cycles"), imported_arm_count(&pair.slow, "cycles"));
    pair.cycles = less.known ? measured_as(1 - less.value) : less;
    for (int factor = 0; factor < FACTOR_COUNT; factor++)
        pair.parts[factor] = part_of(&pair, (enum imported_factor)factor, log(slow / fast));
    *ret = pair;
    return true;
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
