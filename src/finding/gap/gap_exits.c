/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What leaving to the hypervisor took: by a table of exits, else by what is known inside the guest. */
#include "finding/gap/gap_parts.h"
#include "finding/guest/guest.h"

#include <math.h>

/*
 * Beyond what is known of hardware without a round trip measured in the guest: analyse/exits/exit_comparison.c has its
 * reasons.
 */
static const double CEILING_NS = 20e3;

/*
 * What an interrupt of the guest takes at most: the exit that brings it, the end of interrupt, and the arming of the
 * next timer. With posted interrupts and a timer that is armed without an exit, none.
 */
static const double EXITS_AN_INTERRUPT = 3;
/* A host ticks at 1000 Hz at most, and each tick takes its CPU from the guest once. */
static const double HOST_TICKS_S = 1000;
/* The first touch of a page that the host has yet to map is a fault there: some round trips' worth. */
static const double TRIPS_A_TOUCH = 3;

static double per_run(const struct gap_side *side, double seconds_watched, double count)
{
    return seconds_watched > 0 ? count / seconds_watched * side->whole_s.mid : 0;
}

/* ---- from inside ---- */

struct inside {
    struct measured interrupts, touches; /* of one run */
    struct interval cpuid_ns;
    struct interval seconds;
    const char *why_not;
};

static struct inside inside_of(const struct gap_side *side)
{
    const struct activity *activity = side->results->activity;
    struct inside inside = {.cpuid_ns = ceilings_figure(side->results->ceilings, CALIBRATION_CPUID)};
    if (!inside.cpuid_ns.known) {
        inside.why_not = "what an exit costs was not measured in the guest (CPUID's round trip, in calibration.json)";
        return inside;
    }
    if (!activity || !activity->interrupts.known || !activity->elapsed_s.known) {
        inside.why_not = "interrupts were not counted while it ran";
        return inside;
    }
    double watched = activity->elapsed_s.value;
    inside.interrupts = measured_as(per_run(side, watched, activity->interrupts.value));
    inside.touches = activity->resident_most_bytes.known ? measured_as(activity->resident_most_bytes.value / 4096)
                                                         : not_measured("its memory isn't known");
    double touches = inside.touches.known ? inside.touches.value : 0, elapsed = side->whole_s.mid;
    double most = inside.interrupts.value * EXITS_AN_INTERRUPT + elapsed * HOST_TICKS_S + touches * TRIPS_A_TOUCH;
    double usual = inside.interrupts.value + elapsed * HOST_TICKS_S / 4;
    double high = most * inside.cpuid_ns.high * 1e-9;
    inside.seconds = interval_of(0, fmin(usual * inside.cpuid_ns.mid * 1e-9, high), high);
    return inside;
}

/*
 * What the guest's own probe found (guest.json) times what was counted: each kind at its own cost. Unknown where a kind
 * isn't bounded.
 */
static struct interval probed_seconds(const struct gap_splitting *splitting, const struct gap_side *side,
                                      struct guest_exit_shares *ret_shares)
{
    if (!guest_exit_shares_of(side->results, splitting->of, ret_shares) || ret_shares->why_open)
        return (struct interval){0};
    return gap_times(interval_of(0, ret_shares->sum.mid, ret_shares->sum.high), side->whole_s);
}

static struct gap_burden burden_inside(const struct gap_splitting *splitting, const struct gap_side *side)
{
    struct guest_exit_shares shares;
    struct interval probed = probed_seconds(splitting, side, &shares);
    if (probed.known)
        return gap_known(probed, GAP_ESTIMATED);
    struct inside inside = inside_of(side);
    return inside.seconds.known ? gap_known(inside.seconds, GAP_ESTIMATED) : gap_unknown(inside.why_not);
}

/* ---- by a table ---- */

/*
 * At least the handlers, spread over the vCPUs as the program might be; at most all of them and a round trip for each
 * exit, all on the one vCPU that the program waits for.
 */
static struct gap_burden burden_by_table(const struct gap_splitting *splitting, const struct gap_side *side)
{
    const struct exit_table *table = side->exits;
    if (!table->seconds.known)
        return gap_unknown("the table of exits doesn't say over how long they were counted (--exits-seconds)");
    struct interval cpuid_ns = ceilings_figure(side->results->ceilings, CALIBRATION_CPUID);
    double trip_ns = cpuid_ns.known ? cpuid_ns.high : CEILING_NS;
    double whole = side->whole_s.mid,
           vcpus = table->vcpu_seconds.known ? table->vcpu_seconds.value / table->seconds.value : 0;
    double handled = table->handler_ns.known ? table->handler_ns.value * 1e-9 / table->seconds.value * whole : 0;
    double trips = (double)(table->exits - table->idle) / table->seconds.value * whole * trip_ns * 1e-9;
    double low = vcpus >= 1 ? handled / vcpus : 0, high = handled + trips;
    if (table->counted != EXIT_POINT_EXIT || table->lost) {
        struct gap_burden inside = burden_inside(splitting, side);
        if (!inside.seconds.known)
            return gap_unknown(table->lost ? "events of the table were lost"
                                           : "only returns to the monitor were counted, not all exits");
        high += inside.seconds.high;
    }
    high = fmin(high, whole);
    bool measured = table->handler_ns.known && cpuid_ns.known && table->counted == EXIT_POINT_EXIT && !table->lost;
    return gap_known(interval_of(fmin(low, high), (fmin(low, high) + high) / 2, high),
                     measured ? GAP_MEASURED : GAP_ESTIMATED);
}

static struct gap_burden exits_burden(const struct gap_splitting *splitting, const struct gap_side *side)
{
    if (!gap_is_guest(side))
        return gap_known(interval_exactly(0), GAP_MEASURED);
    return side->exits ? burden_by_table(splitting, side) : burden_inside(splitting, side);
}

/* ---- in words ---- */

static void table_evidence(const struct gap_splitting *splitting, struct gap_component *component)
{
    const struct gap_side *side = splitting->guest;
    const struct exit_table *table = side->exits;
    struct interval cpuid_ns = ceilings_figure(side->results->ceilings, CALIBRATION_CPUID);
    if (table->why_uncounted)
        gap_say(&component->evidence, splitting->arena, "%s tells of no exits: %s", side->exits_file,
                table->why_uncounted);
    else if (table->seconds.known)
        gap_say(&component->evidence, splitting->arena, "%.0f exits a second without idle ones, by %s",
                (double)(table->exits - table->idle) / table->seconds.value, side->exits_file);
    else
        gap_say(&component->evidence, splitting->arena, "%.0f exits without idle ones, by %s",
                (double)(table->exits - table->idle), side->exits_file);
    if (table->handler_ns.known && table->seconds.known)
        gap_say(&component->evidence, splitting->arena, "their handlers took %s a second, which is a lower bound",
                gap_time_words(table->handler_ns.value * 1e-9 / table->seconds.value, splitting->arena));
    if (cpuid_ns.known)
        gap_say(&component->evidence, splitting->arena,
                "a round trip of at most %s each: CPUID's, measured in the guest",
                gap_time_words(cpuid_ns.high * 1e-9, splitting->arena));
    else
        gap_say(&component->evidence, splitting->arena,
                "a round trip of at most %s each: a ceiling beyond known hardware",
                gap_time_words(CEILING_NS * 1e-9, splitting->arena));
}

static const char *share_words(struct interval share, struct arena *arena)
{
    return share.known ? arena_printf(arena, "%.2g %%", 100 * share.high) : "not known";
}

static void probed_evidence(const struct gap_splitting *splitting, struct gap_component *component,
                            const struct guest_exit_shares *shares)
{
    struct arena *arena = splitting->arena;
    struct interval cpuid = guest_cost(splitting->guest->results->guest, GUEST_COST_CPUID);
    gap_say(&component->evidence, arena,
            "from inside, of its time at most: its CPU interrupted, as a computing thread saw it (guest.json) %s, "
            "other CPUs' and devices' "
            "interrupts %s, wake-ups from idle %s",
            share_words(shares->interrupted, arena), share_words(shares->sent, arena),
            share_words(shares->woken, arena));
    gap_say(&component->evidence, arena,
            "pages that the host had to find first %s, sampled instructions that leave %s; exits that a device or an "
            "emulated "
            "instruction causes otherwise are not in it",
            share_words(shares->touched, arena), share_words(shares->instructions, arena));
    if (cpuid.known)
        gap_say(&component->evidence, arena, "a round trip costs %s there (CPUID, guest.json)",
                gap_time_words(cpuid.mid * 1e-9, arena));
}

static void inside_evidence(const struct gap_splitting *splitting, struct gap_component *component)
{
    struct guest_exit_shares shares = {.why_open = NULL};
    struct inside inside = inside_of(splitting->guest);
    if (probed_seconds(splitting, splitting->guest, &shares).known) {
        probed_evidence(splitting, component, &shares);
    } else if (inside.seconds.known) {
        if (shares.why_open)
            gap_say(&component->evidence, splitting->arena, "guest.json isn't used: %s isn't known", shares.why_open);
        gap_say(&component->evidence, splitting->arena,
                "from inside: %.0f interrupts, the sampler's own included, of %.0f exits each at most; a tick of the "
                "host each ms at most%s",
                inside.interrupts.value, EXITS_AN_INTERRUPT,
                inside.touches.known ? "; its pages touched for the first time" : "");
        gap_say(&component->evidence, splitting->arena,
                "each costs %s (CPUID's round trip in the guest); exits by devices and by "
                "emulated instructions are not in it",
                gap_time_words(inside.cpuid_ns.mid * 1e-9, splitting->arena));
    }
    gap_say(&component->remedies, splitting->arena,
            "plumb exits --json on its host while it runs, then --guest-exits FILE: counts and handler times instead "
            "of an estimate");
}

void gap_exits(const struct gap_splitting *splitting, struct gap_component *component)
{
    struct gap_burden guest = exits_burden(splitting, splitting->guest),
                      host = splitting->host ? exits_burden(splitting, splitting->host) : gap_unknown(NULL);
    gap_take(splitting, component, host, guest);
    if (!gap_is_guest(splitting->guest))
        return;
    if (splitting->guest->exits)
        table_evidence(splitting, component);
    else
        inside_evidence(splitting, component);
    if (splitting->host && gap_is_guest(splitting->host))
        gap_say(&component->evidence, splitting->arena,
                "the host's case is of a guest itself: its own exits are taken off");
}
