/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/gap/gap_parts.h"

#include "base/vec.h"

#include <math.h>
#include <stdarg.h>

static const struct cause {
    const char *key, *words;
    void (*find)(const struct gap_splitting *splitting, struct gap_component *component);
} causes[] = {
    [GAP_EXITS] = {"exits", "exits x cost", gap_exits},
    [GAP_STEAL] = {"steal", "steal", gap_steal},
    [GAP_WALKS] = {"page_walks", "page walks", gap_walks},
    [GAP_CLOCK] = {"clock", "clock", gap_clock},
    [GAP_VECTORS] = {"vector_isa", "vector ISA", gap_vectors},
    [GAP_CLOCKSOURCE] = {"clocksource", "clocksource", gap_clocksource},
    [GAP_WAITING] = {"waiting", "waiting", gap_waiting},
};
_Static_assert(sizeof(causes) / sizeof(*causes) == GAP_CAUSE_COUNT, "one row for each cause");

/* Which of them may hold the same seconds, and which way. */
static const struct gap_overlap overlap_rows[] = {
    {GAP_EXITS, GAP_STEAL, "a vCPU whose exit lasts because the host ran somebody else meanwhile is in both"},
    {GAP_EXITS, GAP_WALKS,
     "the first touch of a page that the host has yet to map is an exit, and its load is sampled as waiting"},
    {GAP_EXITS, GAP_CLOCKSOURCE, "a clock read that traps is an exit and a sample of reading the clock"},
    {GAP_WALKS, GAP_CLOCK, "walks that hit the caches take cycles: at a lower clock they last longer, in both"},
    {GAP_CLOCK, GAP_VECTORS, "wider vectors may lower the clock: the calibrated clock is that of scalar code"},
    {GAP_STEAL, GAP_WAITING, "where the kernel doesn't know of steal, stolen time looks like waiting or running"},
};

const char *gap_cause_key(enum gap_cause cause)
{
    return causes[cause].key;
}

const char *gap_cause_words(enum gap_cause cause)
{
    return causes[cause].words;
}

const char *gap_origin_words(enum gap_origin origin)
{
    static const char *const words[] = {"not measured", "estimated", "measured"};
    return words[origin];
}

const char *gap_verdict_key(enum gap_verdict verdict)
{
    static const char *const keys[] = {"unknown", "undecided", "explains", "works_against", "ruled_out"};
    return keys[verdict];
}

void gap_say(struct gap_texts *texts, struct arena *arena, const char *format, ...)
{
    scoped_text struct text text = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    if (texts->count < GAP_TEXTS_MOST)
        texts->items[texts->count++] = arena_string(arena, text_string(&text));
}

const char *gap_time_words(double seconds, struct arena *arena)
{
    double size = fabs(seconds);
    return size >= 1      ? arena_printf(arena, "%.2f s", seconds)
           : size >= 1e-3 ? arena_printf(arena, "%.3g ms", seconds * 1e3)
           : size >= 1e-6 ? arena_printf(arena, "%.3g us", seconds * 1e6)
                          : arena_printf(arena, "%.0f ns", seconds * 1e9);
}

/* ---- intervals of any sign ---- */

static const struct interval unknown;

struct interval gap_sum(struct interval a, struct interval b)
{
    return a.known && b.known ? interval_of(a.low + b.low, a.mid + b.mid, a.high + b.high) : unknown;
}

struct interval gap_less(struct interval a, struct interval b)
{
    return a.known && b.known ? interval_of(a.low - b.high, a.mid - b.mid, a.high - b.low) : unknown;
}

struct interval gap_times(struct interval a, struct interval b)
{
    if (!a.known || !b.known)
        return unknown;
    const double corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    struct interval product = interval_exactly(a.mid * b.mid);
    for (size_t at = 0; at < array_count(corners); at++) {
        product.low = fmin(product.low, corners[at]);
        product.high = fmax(product.high, corners[at]);
    }
    return product;
}

/* ---- one side ---- */

bool gap_is_guest(const struct gap_side *side)
{
    return side->results->surroundings && side->results->surroundings->is_guest;
}

struct interval gap_seconds(const struct gap_splitting *splitting, const struct gap_side *side, struct share share)
{
    struct share_scale scale = share_scale_of(side->results);
    struct interval part = share_as(share, splitting->of, &scale);
    return gap_times(part, side->whole_s);
}

struct interval gap_share_of_samples(const struct gap_side *side, double hits)
{
    double total = side->results->stalls ? (double)side->results->stalls->sample_count : 0;
    return total > 0 ? wilson_interval(hits < total ? hits : total, total, total) : unknown;
}

/* ---- a component ---- */

static enum gap_origin weaker(enum gap_origin a, enum gap_origin b)
{
    return a < b ? a : b;
}

void gap_take(const struct gap_splitting *splitting, struct gap_component *component, struct gap_burden host,
              struct gap_burden guest)
{
    component->guest_s = guest.seconds;
    component->host_s = host.seconds;
    if (!guest.seconds.known) {
        component->why_not = guest.why_not ? guest.why_not : "its times don't bound it";
        return;
    }
    if (!splitting->host) {
        component->origin = guest.origin;
        component->seconds = guest.seconds;
        return;
    }
    if (!host.seconds.known) {
        component->why_not =
            arena_printf(splitting->arena, "of the host's: %s", host.why_not ? host.why_not : "it isn't known");
        return;
    }
    component->origin = weaker(host.origin, guest.origin);
    component->seconds = gap_less(guest.seconds, interval_scaled(host.seconds, splitting->host->scale));
}

/* Of the guest's time; `direction` 1: the guest is slower, -1: the host is, 0: there is no gap, or none known. */
static enum gap_verdict verdict_of(const struct gap_component *component, double effect, int direction)
{
    struct interval share = component->share;
    if (!share.known)
        return GAP_UNKNOWN;
    if (share.high < effect && share.low > -effect)
        return GAP_RULED_OUT;
    bool adds = share.low >= effect, takes = share.high <= -effect;
    if (!adds && !takes)
        return GAP_UNDECIDED;
    return adds == (direction >= 0) ? GAP_EXPLAINS : GAP_AGAINST;
}

static int direction_of(const struct host_gap *gap)
{
    return !gap->gap_s.known ? 1 : gap->gap_s.mid < 0 ? -1 : 1;
}

static void leading_find(struct host_gap *gap)
{
    int direction = direction_of(gap);
    double most = 0;
    gap->leading = GAP_CAUSE_COUNT;
    for (size_t at = 0; at < gap->component_count; at++) {
        struct gap_component *component = &gap->components[at];
        if (component->seconds.known && gap->guest_s.known && gap->guest_s.mid > 0)
            component->share = interval_scaled(component->seconds, 1 / gap->guest_s.mid);
        component->verdict = verdict_of(component, gap->effect, direction);
        if (component->verdict == GAP_EXPLAINS && fabs(component->seconds.mid) > most) {
            most = fabs(component->seconds.mid);
            gap->leading = component->cause;
        }
    }
}

static bool may_matter(const struct gap_component *component)
{
    return component->origin != GAP_NOT_MEASURED && component->verdict != GAP_RULED_OUT;
}

static void overlaps_find(struct host_gap *gap)
{
    for (size_t at = 0; at < array_count(overlap_rows); at++) {
        const struct gap_overlap *row = &overlap_rows[at];
        bool both = row->a < gap->component_count && row->b < gap->component_count &&
                    may_matter(&gap->components[row->a]) && may_matter(&gap->components[row->b]);
        if (both && gap->overlap_count < GAP_TEXTS_MOST)
            gap->overlaps[gap->overlap_count++] = *row;
    }
}

/* ---- the remainder ---- */

static struct measured of_one_run(const struct results *results, struct measured seconds)
{
    double runs = results->runs && results->runs->count ? (double)results->runs->count : 1;
    return seconds.known ? measured_as(seconds.value / runs) : seconds;
}

static void remainder_hints(struct host_gap *gap, const struct gap_splitting *splitting)
{
    const struct results *host = splitting->host->results, *guest = splitting->guest->results;
    struct measured user_h = of_one_run(host, host->run->user_s), user_g = of_one_run(guest, guest->run->user_s);
    struct measured system_h = of_one_run(host, host->run->system_s),
                    system_g = of_one_run(guest, guest->run->system_s);
    double scale = splitting->host->scale;
    if (user_h.known && user_g.known && system_h.known && system_g.known)
        gap_say(&gap->remainder, splitting->arena,
                "of the gap, %s is user time and %s time in the kernel, components included",
                gap_time_words(user_g.value - user_h.value * scale, splitting->arena),
                gap_time_words(system_g.value - system_h.value * scale, splitting->arena));
    const struct surroundings *a = host->surroundings, *b = guest->surroundings;
    if (a && b && a->cpu[0] && b->cpu[0] && strcmp(a->cpu, b->cpu) != 0)
        gap_say(&gap->remainder, splitting->arena,
                "the processors differ (%s; %s): what one does better than the other is in here", a->cpu, b->cpu);
    if (a && b && a->kernel[0] && b->kernel[0] && strcmp(a->kernel, b->kernel) != 0)
        gap_say(&gap->remainder, splitting->arena, "the kernels differ (%s; %s)", a->kernel, b->kernel);
    if (a && b && a->mitigations[0] && b->mitigations[0] && strcmp(a->mitigations, b->mitigations) != 0)
        gap_say(&gap->remainder, splitting->arena, "the mitigations differ (%s; %s)", a->mitigations, b->mitigations);
}

static void remainder_find(struct host_gap *gap, const struct gap_splitting *splitting)
{
    scoped_text struct text missing = {0};
    struct interval rest = gap->gap_s;
    for (size_t at = 0; at < gap->component_count; at++) {
        if (gap->components[at].seconds.known)
            rest = gap_less(rest, gap->components[at].seconds);
        else
            text_printf(&missing, "%s%s", missing.length ? ", " : "", gap_cause_words(gap->components[at].cause));
    }
    gap->remainder_s = rest;
    if (missing.length)
        gap_say(&gap->remainder, splitting->arena, "what was not measured lies in it: %s", text_string(&missing));
    double beyond = fabs(gap->gap_s.mid) > 0 ? gap->effect * gap->guest_s.mid : 0;
    int direction = direction_of(gap);
    if (direction * (direction > 0 ? rest.high : rest.low) < -beyond)
        gap_say(&gap->remainder, splitting->arena,
                "the components are more than the gap: they overlap, or something else is better in the guest");
    remainder_hints(gap, splitting);
}

static void gap_find(struct host_gap *gap, const struct gap_splitting *splitting)
{
    gap->guest_s = splitting->guest->whole_s;
    if (!splitting->host) {
        gap->why_no_gap = "there is no host's case: how long the same work takes there isn't known";
        return;
    }
    gap->host_s = interval_scaled(splitting->host->whole_s, splitting->host->scale);
    gap->gap_s = gap_less(gap->guest_s, gap->host_s);
    if (!gap->guest_s.known || !gap->host_s.known)
        gap->why_no_gap = !gap->guest_s.known ? splitting->guest->why_no_whole : splitting->host->why_no_whole;
}

void host_gap_split(struct host_gap *gap, const struct gap_request *request, struct arena *arena)
{
    const struct gap_splitting splitting = {request->host, request->guest, request->of, arena};
    *gap = (struct host_gap){.of = request->of, .effect = request->effect, .has_host = request->host != NULL,
                             .component_count = request->of == OF_ELAPSED ? GAP_CAUSE_COUNT : GAP_WAITING};
    gap_find(gap, &splitting);
    for (size_t at = 0; at < gap->component_count; at++) {
        gap->components[at].cause = (enum gap_cause)at;
        if (gap->guest_s.known)
            causes[at].find(&splitting, &gap->components[at]);
        else
            gap->components[at].why_not = splitting.guest->why_no_whole;
    }
    gap_vectors_settle(&splitting, gap->components, gap->component_count);
    leading_find(gap);
    overlaps_find(gap);
    if (gap->gap_s.known)
        remainder_find(gap, &splitting);
}
