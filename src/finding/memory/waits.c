/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/memory/waits.h"

#include "base/cache_line.h"
#include "finding/family.h"

#include <string.h>

const struct stall_function *function_of(const struct stalls *stalls, const struct stall_group *group)
{
    return &stalls->functions[group->function];
}

struct interval memory_bound(const struct results *results, const struct finding *finding)
{
    return share_of_stalls(results, finding, (double)results->stalls->memory_samples);
}

/* Nothing in memory can matter when so few samples wait for it: decides and says so. */
bool ruled_out_by_memory_share(const struct results *results, struct finding *finding)
{
    struct interval bound = memory_bound(results, finding);
    if (!bound.known || bound.high >= results->effect)
        return false;
    finding_decide_bound(finding, bound.high, results->effect);
    finding_reason_bound(finding, "bound", bound);
    return true;
}

struct interval interval_sum(struct interval a, struct interval b)
{
    return interval_of(a.low + b.low, a.mid + b.mid, a.high + b.high);
}

/* A wrong guess costs 25 cycles at most (documented, cores since 2010), at 2.5 a nanosecond or more. */
static const double WRONG_GUESS_NS = 10;

/*
 * The estimated bottleneck compares both ways of each branch of the loop around it: where it is sure of memory there,
 * wrong guesses aren't what the samples behind the branch stand for.
 */
static bool is_told_from_guesses(const struct results *results, const struct stall_group *group)
{
    const struct bottleneck *bottleneck = results->bottleneck;
    const char *function = function_of(results->stalls, group)->name;
    for (size_t at = 0; bottleneck && at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &bottleneck->loops[at];
        if (loop->verdict.function && strcmp(loop->verdict.function, function) == 0 &&
            group->row.shown_addr >= loop->first_addr && group->row.shown_addr <= loop->last_addr &&
            loop->verdict.class == BOTTLENECK_MEMORY && loop->verdict.confidence == ESTIMATE_HIGH)
            return true;
    }
    return false;
}

/*
 * Samples right behind a compare with memory and its branch stand for the load or for a wrong guess: the lower end of
 * what the load's wait returns is what is left when each of them was such a guess.
 */
struct interval less_wrong_guesses(const struct results *results, const struct stall_group *group,
                                   struct interval gain, double waited_ns)
{
    if (!group->landing_samples || !group->samples || is_told_from_guesses(results, group))
        return gain;
    double ambiguous = (double)group->landing_samples / (double)group->samples;
    double guesses =
        (ambiguous < 1 ? ambiguous : 1) * WRONG_GUESS_NS / (WRONG_GUESS_NS + (waited_ns > 0 ? waited_ns : 0));
    return interval_of(gain.low * (1 - guesses), gain.mid * (1 - guesses / 2), gain.high);
}

void guesses_evidence(const struct results *results, struct finding *finding, const struct stall_group *group)
{
    if (group->landing_samples * 2 > group->samples && !is_told_from_guesses(results, group))
        finding_evidence(finding, WEIGHT_AGAINST, ORIGIN_CODE, "wrong-guesses",
                         VALUE_TEXT("instruction", group->row.text));
}

/*
 * The most of a walk in order that may be waiting for what costs `line_ns` a line here: of the time in which the
 * program walks a line, twice that (it reads beside its own work, the probe does nothing else). 1: not known.
 */
double order_bound(const struct stall_group *group, double line_ns)
{
    double bound = group->order_line_ns > 0 ? line_ns * 2 / group->order_line_ns : 1;
    return bound < 1 ? bound : 1;
}

/*
 * What a line costs one core when all of them come in order: of the pattern's own memory, else as calibrated beside the
 * run. 0: not known.
 */
static double line_ns(const struct results *results, const struct access_cost *cost)
{
    struct interval read = ceilings_figure(results->ceilings, CALIBRATION_READ_ONE);
    if (cost && cost->known && cost->ns_line.known)
        return cost->ns_line.high;
    return read.known && read.low > 0 ? CACHE_LINE_BYTES * 1e9 / read.low : 0;
}

/* Either had the memory to itself: each CPU that the program kept busy may cost as much again. */
double order_transfer(const struct results *results, const struct stall_group *group,
                             const struct access_cost *cost)
{
    double sharing = results->run && results->run->cpus_used.known ? results->run->cpus_used.value : 1;
    double line = line_ns(results, cost);
    return line > 0 ? order_bound(group, line * (sharing > 1 ? sharing : 1)) : 1;
}

/* The probe had room for less memory than the pattern spans: what the rest costs is more, and nobody knows how much. */
bool probe_fell_short(const struct access_cost *cost)
{
    const uint64_t rounding = 2 << 20;
    return cost->measured_span_bytes && cost->measured_span_bytes + rounding < cost->span_bytes;
}

double group_size_bytes(const struct stall_group *group)
{
    const struct set_size *pages = &group->set.pages;
    return pages->known ? pages->bytes : pages->at_least_bytes;
}

/* Where too few addresses were met again it is a lower bound of what they go over. */
struct value group_size(const char *name, const struct stall_group *group)
{
    bool of_lines;
    struct set_size size = stall_group_size(group, &of_lines);
    return size.known ? VALUE_BYTES(name, size.bytes) : VALUE_BYTES_LEAST(name, size.at_least_bytes);
}

/* Of one that was compiled at run time, or of its runtime; NULL: any other code, or none is known. */
const struct code_maker *maker_of(const struct results *results, const struct stall_group *group)
{
    return group ? code_maker_of(results, function_of(results->stalls, group)) : NULL;
}

/* Whether it looks something up where it waits: no other order of the same work makes neighbours of what it goes to. */
enum search_shape search_of(const struct results *results, const struct stall_group *group)
{
    const struct stall_code *code = results->stalls->codes ? &results->stalls->codes[group->function] : NULL;
    for (uint32_t row = 0; code && row < code->count; row++)
        if (code->items[row].addr == group->row.shown_addr)
            return search_shape_at(code->items, code->count, row);
    return SEARCH_NONE;
}

double l2_bytes(const struct results *results)
{
    return results->surroundings && results->surroundings->l2_bytes.known ? results->surroundings->l2_bytes.value
                                                                          : 1 << 20;
}

/*
 * How far a group's accesses reach by the estimated bottleneck, which counts what the code goes over as well as where
 * it stalled: two answers to one question would contradict each other. NONE: its loops don't tell, or there is no
 * estimate.
 */
enum bottleneck_level estimated_level(const struct results *results, const struct stall_group *group)
{
    static const double TOLD_LEAST = 0.5, REACHED_LEAST = 0.1;
    const struct bottleneck *bottleneck = results->bottleneck;
    const char *function = function_of(results->stalls, group)->name;
    double by_level[LEVEL_BEYOND + 1] = {0}, told = 0;
    for (size_t at = 0; bottleneck && at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &bottleneck->loops[at];
        if (!loop->verdict.function || strcmp(loop->verdict.function, function) != 0 ||
            loop->verdict.level == LEVEL_NONE)
            continue;
        by_level[loop->verdict.level] += (double)loop->samples;
        told += (double)loop->samples;
    }
    if (told < TOLD_LEAST * (double)group->samples)
        return LEVEL_NONE;
    enum bottleneck_level level = LEVEL_BEYOND;
    while (level > LEVEL_L1 && by_level[level] < REACHED_LEAST * told)
        level--;
    return level;
}

const struct bottleneck_loop *loop_of_group(const struct results *results, const struct stall_group *group)
{
    const struct bottleneck *bottleneck = results->bottleneck;
    const char *function = function_of(results->stalls, group)->name;
    uint64_t addr = group->row.shown_addr;
    const struct bottleneck_loop *least = NULL;
    for (size_t at = 0; bottleneck && at < bottleneck->loop_count; at++) {
        const struct bottleneck_loop *loop = &bottleneck->loops[at];
        bool holds = loop->verdict.function && strcmp(loop->verdict.function, function) == 0 &&
                     loop->first_addr <= addr && addr <= loop->last_addr && loop->samples >= group->samples;
        least = holds && (!least || loop->samples < least->samples) ? loop : least;
    }
    return least;
}
