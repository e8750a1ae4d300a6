/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/exits/exit_comparison.h"

#include "base/vec.h"

#include <math.h>
#include <stdlib.h>

/*
 * Ceilings of a round trip, and of the handler where that wasn't measured and the kernel alone handles the exit: a VM
 * exit and entry of VMX and SVM take 0.5 to 2 us on machines of the last fifteen years, through a TDX module up to some
 * 5 us; a hypervisor that is itself a guest up to some 60 us (measured with PVM).
 */
static const double CEILING_US = 20, CEILING_PVM_US = 150;

/* Their handlers may ask the monitor, or wait for memory: without times nothing bounds them but what the user says. */
static const char *const unbounded_reasons[] = {
    "IO_INSTRUCTION", "EPT_MISCONFIG", "EPT_VIOLATION", "VMCALL", "TDCALL", "BUS_LOCK", "TRIPLE_FAULT", "io", "npf",
    "hypercall",      "vmgexit",       "shutdown",      "buslock"};

static const char *const verdict_names[] = {"undecided", "ruled_out", "supported"};

const char *exit_verdict_name(enum exit_verdict verdict)
{
    return verdict_names[verdict];
}

static double ceiling_of(const struct exit_table *table)
{
    for (size_t at = 0; at < table->line_count; at++)
        if (table->lines[at].isa == EXIT_ISA_PVM)
            return CEILING_PVM_US;
    return table->counted == EXIT_POINT_EXIT ? CEILING_US : CEILING_PVM_US;
}

static bool is_unbounded(const char *name)
{
    for (size_t at = 0; at < array_count(unbounded_reasons); at++)
        if (strcmp(unbounded_reasons[at], name) == 0)
            return true;
    return false;
}

/*
 * Handlers as they were timed, and a round trip for each exit: where one wasn't timed, a round trip that the user gave
 * or the ceiling has it within.
 */
static struct measured most_of(const struct exit_table *table, const struct exit_burden *burden, struct arena *arena)
{
    double seconds = 0;
    if (!table->vcpu_seconds.known)
        return table->vcpu_seconds;
    for (size_t at = 0; at < table->line_count; at++) {
        const struct exit_line *line = &table->lines[at];
        if (line->point != table->counted || line->class == EXIT_CLASS_IDLE)
            continue;
        if (!line->mean_ns.known && !burden->round_trip_given && is_unbounded(line->name))
            return not_measured(arena_printf(
                arena,
                "how long %s was handled isn't known, and it may have been by the monitor (--round-trip bounds it)",
                line->name));
        seconds += (double)line->count *
                   ((line->mean_ns.known ? line->mean_ns.value * 1e-9 : 0) + burden->round_trip_us * 1e-6);
    }
    return measured_ratio(measured_as(seconds), table->vcpu_seconds);
}

static struct exit_burden burden_of(const struct exit_table *table, double round_trip_us, double effect,
                                    struct arena *arena)
{
    struct exit_burden burden = {.round_trip_us = round_trip_us > 0 ? round_trip_us : ceiling_of(table),
                                 .round_trip_given = round_trip_us > 0};
    double exits = (double)(table->exits - table->idle);
    burden.low = table->handler_share.known ? table->handler_share : measured_as(0);
    burden.high = most_of(table, &burden, arena);
    /* kvm_userspace_exit sees only a part of the exits. */
    if (table->counted != EXIT_POINT_EXIT)
        burden.high = not_measured(table->why_uncounted ? table->why_uncounted
                                                        : "only returns to the monitor were counted, not all exits");
    if (table->lost)
        burden.high = not_measured("events were lost");
    burden.dear_enough_us =
        table->vcpu_seconds.known && exits > 0 ? measured_as(effect * table->vcpu_seconds.value / exits * 1e6)
        : table->vcpu_seconds.known ? not_measured(table->why_uncounted ? table->why_uncounted : "there were no exits")
                                    : table->vcpu_seconds;
    return burden;
}

static void decide(struct exit_comparison *comparison)
{
    const struct exit_burden *a = &comparison->burden_a, *b = &comparison->burden_b;
    struct measured high_a = a->high, high_b = b->high;
    comparison->gap_low = high_a.known ? measured_as(b->low.value - high_a.value) : high_a;
    comparison->gap_high = high_b.known ? measured_as(high_b.value - a->low.value) : high_b;
    double effect = comparison->effect;
    if (comparison->gap_low.known && comparison->gap_high.known && comparison->gap_high.value < effect &&
        comparison->gap_low.value > -effect)
        comparison->verdict = EXIT_VERDICT_RULED_OUT;
    else if ((comparison->gap_low.known && comparison->gap_low.value >= effect) ||
             (comparison->gap_high.known && comparison->gap_high.value <= -effect))
        comparison->verdict = EXIT_VERDICT_SUPPORTED;
    else
        comparison->why = !comparison->gap_low.known    ? comparison->gap_low.why_not
                          : !comparison->gap_high.known ? comparison->gap_high.why_not
                                                        : "what each exit costs isn't known closely enough";
}

static double weight_of(const struct exit_pair *pair)
{
    double a = pair->a ? pair->a->per_second.known ? pair->a->per_second.value : (double)pair->a->count : 0;
    double b = pair->b ? pair->b->per_second.known ? pair->b->per_second.value : (double)pair->b->count : 0;
    return a > b ? a : b;
}

static int pair_compare(const void *a, const void *b)
{
    const struct exit_pair *pairs[] = {a, b};
    enum exit_point points[] = {pairs[0]->a ? pairs[0]->a->point : pairs[0]->b->point,
                                pairs[1]->a ? pairs[1]->a->point : pairs[1]->b->point};
    double left = weight_of(pairs[0]), right = weight_of(pairs[1]);
    if (points[0] != points[1])
        return (points[0] > points[1]) - (points[0] < points[1]);
    return left != right ? (left < right) - (left > right) : strcmp(pairs[0]->name, pairs[1]->name);
}

static struct exit_pair pair_of(const struct exit_line *a, const struct exit_line *b)
{
    struct exit_pair pair = {.name = a ? a->name : b->name, .a = a, .b = b};
    pair.rate_ratio = pair.cost_ratio = not_measured("it is on one side only");
    if (a && b) {
        pair.rate_ratio = measured_ratio(b->per_second, a->per_second);
        pair.cost_ratio = measured_ratio(b->mean_ns, a->mean_ns);
    }
    return pair;
}

void exit_compare(struct exit_comparison *comparison, const struct exit_table *a, const struct exit_table *b,
                  double effect, double round_trip_a_us, double round_trip_b_us, struct arena *arena)
{
    *comparison = (struct exit_comparison){
        .a = a, .b = b, .effect = effect,
        .pairs = arena_array(arena, struct exit_pair, a->line_count + b->line_count + 1),
        .burden_a = burden_of(a, round_trip_a_us, effect, arena),
        .burden_b = burden_of(b, round_trip_b_us, effect, arena),
    };
    for (size_t at = 0; at < a->line_count; at++)
        comparison->pairs[comparison->pair_count++] =
            pair_of(&a->lines[at], exit_table_line(b, a->lines[at].point, a->lines[at].name));
    for (size_t at = 0; at < b->line_count; at++)
        if (!exit_table_line(a, b->lines[at].point, b->lines[at].name))
            comparison->pairs[comparison->pair_count++] = pair_of(NULL, &b->lines[at]);
    qsort(comparison->pairs, comparison->pair_count, sizeof(*comparison->pairs), pair_compare);
    decide(comparison);
}
