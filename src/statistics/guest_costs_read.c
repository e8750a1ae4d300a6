/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statistics/guest_costs_read.h"

#include "base/vec.h"

#include <string.h>

/*
 * Nothing here takes a quarter of an hour, or is there more often than that: such a number comes from a damaged file.
 */
static const double LARGEST = 1e12;

static struct interval interval_read(struct json_value value, bool may_be_negative)
{
    double low, mid, high;
    if (!json_number(json_member(value, "low"), &low) || !json_number(json_member(value, "mid"), &mid) ||
        !json_number(json_member(value, "high"), &high))
        return (struct interval){0};
    bool possible = low <= mid && mid <= high && low >= (may_be_negative ? -LARGEST : 0) && high <= LARGEST;
    return possible ? interval_of(low, mid, high) : (struct interval){0};
}

static const char *why_of(struct json_value value, struct arena *arena)
{
    return arena_string(arena, json_text_or(json_member(value, "not_measured"), "it isn't in the file"));
}

static struct guest_value value_read(struct json_value value, bool may_be_negative, struct arena *arena)
{
    struct guest_value read = {.value = interval_read(value, may_be_negative)};
    if (!read.value.known)
        read.why_not = why_of(value, arena);
    return read;
}

static struct interval share_read(struct json_value value)
{
    struct interval share = interval_read(value, false);
    return share.known && share.high <= 1 ? share : (struct interval){0};
}

static double ratio_read(struct json_value value)
{
    double ratio = json_number_or(value, 0);
    return ratio >= 0 && ratio <= 1 ? ratio : 0;
}

static double rate_read(struct json_value value)
{
    double rate = json_number_or(value, -1);
    return rate >= 0 && rate <= LARGEST ? rate : -1;
}

static enum guest_cpu_kind kind_read(const char *name)
{
    for (enum guest_cpu_kind kind = GUEST_CPU_ORDINARY; kind <= GUEST_CPU_NOHZ_FULL; kind++)
        if (strcmp(guest_cpu_kind_name(kind), name) == 0)
            return kind;
    return GUEST_CPU_ORDINARY;
}

static void cpus_read(struct guest_costs *costs, struct json_value list)
{
    for (size_t at = 0; at < json_count(list) && costs->cpu_count < GUEST_CPUS_MOST; at++) {
        struct json_value item = json_item(list, at);
        double span_s = rate_read(json_member(item, "span_s")),
               gaps = rate_read(json_member(item, "interruptions_per_s"));
        if (span_s <= 0 || gaps < 0)
            continue;
        double host_hz = rate_read(json_member(item, "host_tick_hz"));
        costs->cpus[costs->cpu_count++] = (struct guest_cpu){
            .cpu = (uint32_t)json_unsigned_or(json_member(item, "cpu"), UINT32_MAX),
            .kind = kind_read(json_text_or(json_member(item, "kind"), "")),
            .span_s = span_s,
            .timer_per_s = rate_read(json_member(item, "timer_interrupts_per_s")),
            .interrupts_per_s = rate_read(json_member(item, "interrupts_per_s")),
            .gaps_per_s = gaps,
            .lost_ratio = ratio_read(json_member(item, "lost_ratio")),
            .long_ratio = ratio_read(json_member(item, "lost_to_long_ones_ratio")),
            .host_hz = host_hz > 0 ? host_hz : 0,
        };
    }
}

static void backing_read(struct host_backing *backing, struct json_value value, struct arena *arena)
{
    const char *verdict = json_text_or(json_member(value, "verdict"), "");
    const char *why_not = json_text_or(json_member(value, "why_not"), "it isn't in the file");
    *backing = (struct host_backing){
        .dense_ns = interval_read(json_member(value, "dense_ns"), false),
        .huge_ns = interval_read(json_member(value, "huge_ns"), false),
        .small_ns = interval_read(json_member(value, "small_ns"), false),
        .ratio = interval_read(json_member(value, "ratio"), true),
        .likely = share_read(json_member(value, "likely_small")),
        .rounds = (uint32_t)json_unsigned_or(json_member(value, "rounds"), 0),
        .pages = json_unsigned_or(json_member(value, "pages"), 0),
    };
    for (enum host_backing_verdict at = HOST_BACKING_HUGE; at <= HOST_BACKING_SMALL; at++)
        if (strcmp(host_backing_name(at), verdict) == 0 && backing->ratio.known && backing->likely.known)
            backing->verdict = at;
    if (backing->verdict == HOST_BACKING_UNKNOWN)
        backing->why_not = arena_string(arena, why_not);
}

bool guest_costs_read(struct guest_costs *costs, struct json_value object, struct arena *arena, struct error *err)
{
    if (!json_is_record(object) || !json_is_record(json_member(object, guest_cost_key(GUEST_COST_TICK))))
        return error_set(err, ERROR_FORMAT, "no costs of a guest: it has no '%s'", guest_cost_key(GUEST_COST_TICK));
    *costs = (struct guest_costs){
        .host_fault_share = share_read(json_member(object, "host_fault_share")),
        .touched_pages = json_unsigned_or(json_member(object, "touched_pages"), 0),
        .kernel_hz = value_read(json_member(object, "kernel_hz"), false, arena),
        .elapsed_s = json_number_or(json_member(object, "elapsed_s"), 0),
        .own_cpu_s = json_number_or(json_member(object, "own_cpu_s"), 0),
        .taken_at_s = json_number_or(json_member(object, "taken_at_s"), 0),
    };
    for (enum guest_cost cost = 0; cost < GUEST_COSTS; cost++)
        costs->costs[cost] =
            value_read(json_member(object, guest_cost_key(cost)), cost == GUEST_COST_HOST_FAULT, arena);
    cpus_read(costs, json_member(object, "cpus"));
    if (!costs->cpu_count)
        costs->why_no_cpus =
            arena_string(arena, json_text_or(json_member(object, "why_no_cpus"), "it isn't in the file"));
    backing_read(&costs->backing, json_member(object, "host_pages"), arena);
    return true;
}
