/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Narrower vectors in the guest: the widths of the code that was met on both sides, and instruction sets that the guest
 * lacks.
 *
 * A loop in pieces half as wide takes at most twice as long: that bounds it. Moves count as vector code, too.
 */
#include "finding/gap/gap_parts.h"

#include "base/text.h"

#include <math.h>

enum { WIDTHS = 4 };
static const double width_bits[WIDTHS] = {64, 128, 256, 512}; /* one number at a time: 64 at most */

struct widths {
    double samples[WIDTHS], sum, mean_bits;
};

static struct widths widths_of(const struct stalls *stalls)
{
    struct widths widths = {.samples = {(double)stalls->scalar_fp_samples, (double)stalls->vector_samples[0],
                                        (double)stalls->vector_samples[1], (double)stalls->vector_samples[2]}};
    double bits = 0;
    for (int at = 0; at < WIDTHS; at++) {
        widths.sum += widths.samples[at];
        bits += widths.samples[at] * width_bits[at];
    }
    widths.mean_bits = widths.sum > 0 ? bits / widths.sum : 0;
    return widths;
}

static bool word_in(const char *list, struct view word)
{
    for (struct view rest = view_of(list); rest.length;) {
        struct view next = view_word(&rest);
        if (next.length == word.length && memcmp(next.text, word.text, word.length) == 0)
            return true;
    }
    return false;
}

/* What the host has and the guest has not; "" when nothing, NULL when one of them isn't known. */
static const char *lacking_in(const struct gap_side *guest, const struct gap_side *host, struct arena *arena)
{
    const struct surroundings *here = guest->results->surroundings, *there = host->results->surroundings;
    if (!here || !there || !here->instruction_sets || !there->instruction_sets || !*here->instruction_sets ||
        !*there->instruction_sets)
        return NULL;
    const char *list = "";
    for (struct view rest = view_of(there->instruction_sets); rest.length;) {
        struct view word = view_word(&rest);
        if (word.length && !word_in(here->instruction_sets, word))
            list = arena_printf(arena, "%s%s%.*s", list, *list ? " " : "", (int)word.length, word.text);
    }
    return list;
}

static const char *widths_words(const struct widths *widths, double total, struct arena *arena)
{
    return widths->sum <= 0
               ? "none"
               : arena_printf(arena, "scalar %.1f %%, 128 bits %.1f %%, 256 bits %.1f %%, 512 bits %.1f %%",
                              100 * widths->samples[0] / total, 100 * widths->samples[1] / total,
                              100 * widths->samples[2] / total, 100 * widths->samples[3] / total);
}

/* Seconds that such a side's samples stand for, of the guest's work. */
static struct interval width_seconds(const struct gap_splitting *splitting, const struct gap_side *side, double samples)
{
    struct interval seconds = gap_seconds(splitting, side, share_of(OF_SAMPLES, gap_share_of_samples(side, samples)));
    return interval_scaled(seconds, side == splitting->host ? splitting->host->scale : 1);
}

static double between(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

/* Of the narrower side's time in such code, at most the part that the other's widths would save. */
static struct interval by_widths(const struct gap_splitting *splitting, const struct widths *guest,
                                 const struct widths *host)
{
    struct interval here = width_seconds(splitting, splitting->guest, guest->sum);
    struct interval there = width_seconds(splitting, splitting->host, host->sum);
    if (!here.known || !there.known || guest->sum <= 0 || host->sum <= 0)
        return here.known && there.known ? interval_of(-there.high, 0, here.high) : (struct interval){0};
    double differs = here.mid - there.mid;
    if (guest->mean_bits <= host->mean_bits) {
        double most = here.high * (1 - guest->mean_bits / host->mean_bits);
        return interval_of(0, between(differs, 0, most), most);
    }
    double most = there.high * (1 - host->mean_bits / guest->mean_bits);
    return interval_of(-most, between(differs, -most, 0), 0);
}

/* Without a host: what the widest vectors there are would save, unless the guest has them. */
static struct interval by_guest_alone(const struct gap_splitting *splitting, const struct widths *guest)
{
    const struct surroundings *machine = splitting->guest->results->surroundings;
    double most = 0;
    for (int at = 0; at < WIDTHS; at++) {
        struct interval one = width_seconds(splitting, splitting->guest, guest->samples[at]);
        most += one.known ? one.high * (1 - width_bits[at] / width_bits[WIDTHS - 1]) : 0;
    }
    return machine && machine->has_avx512 ? interval_exactly(0) : interval_of(0, 0, most);
}

static const char *unusable(const struct gap_side *side)
{
    return !side->results->stalls || !side->results->stalls->sample_count ? "nothing was sampled"
           : side->results->stalls->why_no_code                           ? side->results->stalls->why_no_code
                                                                          : NULL;
}

void gap_vectors(const struct gap_splitting *splitting, struct gap_component *component)
{
    const char *no_guest = unusable(splitting->guest), *no_host = splitting->host ? unusable(splitting->host) : NULL;
    if (no_guest || no_host) {
        component->why_not = arena_printf(splitting->arena, "of the %s: %s", no_guest ? "guest's code" : "host's code",
                                          no_guest ? no_guest : no_host);
        return;
    }
    struct widths guest = widths_of(splitting->guest->results->stalls), host = {0};
    double total = (double)splitting->guest->results->stalls->sample_count;
    gap_say(&component->evidence, splitting->arena, "the guest's samples at floating-point and vector code: %s",
            widths_words(&guest, total, splitting->arena));
    component->origin = GAP_ESTIMATED;
    if (!splitting->host) {
        component->seconds = by_guest_alone(splitting, &guest);
        gap_say(&component->evidence, splitting->arena, "%s",
                splitting->guest->results->surroundings && splitting->guest->results->surroundings->has_avx512
                    ? "the guest has 512-bit vectors: no width is kept from it"
                    : "which widths its host has isn't known");
        return;
    }
    host = widths_of(splitting->host->results->stalls);
    component->seconds = by_widths(splitting, &guest, &host);
    component->origin = component->seconds.known ? GAP_ESTIMATED : GAP_NOT_MEASURED;
    component->why_not = component->seconds.known ? NULL : "its CPU time isn't known";
    gap_say(&component->evidence, splitting->arena, "the host's: %s",
            widths_words(&host, (double)splitting->host->results->stalls->sample_count, splitting->arena));
    const char *lacking = lacking_in(splitting->guest, splitting->host, splitting->arena);
    gap_say(&component->evidence, splitting->arena, "instruction sets of the host that the guest lacks: %s",
            !lacking ? "not known (a case is of an older plumb)" : *lacking ? lacking : "none");
}

/* ---- in the light of the others ---- */

static const double NARROWER_LEAST = 1.5; /* of the mean width: less may be a mix that shifted */

static bool same_core(const struct gap_splitting *splitting)
{
    const struct surroundings *a = splitting->host->results->surroundings, *b = splitting->guest->results->surroundings;
    const struct ceilings *of_a = splitting->host->results->ceilings, *of_b = splitting->guest->results->ceilings;
    return a && b && a->cpu[0] && strcmp(a->cpu, b->cpu) == 0 && ceilings_share(of_a).known &&
           ceilings_share(of_b).known && !ceilings_are_shared(of_a) && !ceilings_are_shared(of_b);
}

void gap_vectors_settle(const struct gap_splitting *splitting, struct gap_component *components, size_t count)
{
    struct gap_component *vectors = &components[GAP_VECTORS];
    if (!splitting->host || !vectors->seconds.known || !same_core(splitting))
        return;
    struct widths guest = widths_of(splitting->guest->results->stalls),
                  host = widths_of(splitting->host->results->stalls);
    if (guest.sum <= 0 || host.sum <= 0 || host.mean_bits < NARROWER_LEAST * guest.mean_bits)
        return;
    struct interval more = gap_less(width_seconds(splitting, splitting->guest, guest.sum),
                                    width_seconds(splitting, splitting->host, host.sum));
    double others = 0;
    for (size_t at = 0; at < count; at++) {
        bool in_code = at != GAP_VECTORS && at != GAP_WAITING; /* waiting is none of the time in code */
        if (in_code && !components[at].seconds.known)
            return; /* it may be all of it */
        others += in_code ? fmax(components[at].seconds.high, 0) : 0;
    }
    double low = between(more.low - others, 0, vectors->seconds.mid);
    if (low <= 0)
        return;
    vectors->seconds.low = low;
    gap_say(&vectors->evidence, splitting->arena,
            "such code took %s more in the guest, and the other components explain %s of it at most",
            gap_time_words(more.mid, splitting->arena), gap_time_words(others, splitting->arena));
}
