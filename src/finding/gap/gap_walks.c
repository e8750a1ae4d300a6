/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Walks of the page tables. What shows on each side is what 2 MiB pages there would return (probed pattern by pattern);
 * what doesn't show is what the host's own small pages cost behind the guest's large ones: then the same pattern costs
 * more on 2 MiB pages here than there, as it would with slower memory.
 */
#include "finding/gap/gap_parts.h"

#include "base/vec.h"
#include "finding/memory/page_walks.h"

#include <math.h>
#include <string.h>

static struct interval may_walk(const struct gap_splitting *splitting, const struct gap_side *side)
{
    return gap_seconds(splitting, side, share_of(OF_SAMPLES, page_walks_bound(side->results)));
}

static struct gap_burden walks_shown(const struct gap_splitting *splitting, const struct gap_side *side)
{
    const struct stalls *stalls = side->results->stalls;
    if (!stalls || !stalls->sample_count)
        return gap_unknown("nothing was sampled");
    if (!stalls->attributed)
        return gap_unknown("which instruction stalled can't be told there: the skid test doesn't hold");
    return gap_known(gap_seconds(splitting, side, share_of(OF_SAMPLES, page_walks_share(side->results))),
                     GAP_ESTIMATED);
}

/* ---- behind the guest's large pages ---- */

static const struct access_cost *cost_of_function(const struct results *results, const char *function)
{
    for (size_t at = 0; results->costs && at < results->costs->count; at++) {
        const struct access_cost *cost = &results->costs->items[at];
        if (cost->known && cost->function && strcmp(cost->function, function) == 0)
            return cost;
    }
    return NULL;
}

/* The same pattern, within what sampling blurs: twice the memory is another one. */
static bool are_alike(const struct access_cost *a, const struct access_cost *b)
{
    double ratio = (double)a->span_bytes / (double)(b->span_bytes ? b->span_bytes : 1);
    return a->dependent == b->dependent && ratio > 0.5 && ratio < 2;
}

struct hidden {
    struct interval seconds;
    bool compared;      /* some pattern was met on both sides */
    double guest_ns, host_ns; /* of the heaviest pattern, on 2 MiB pages */
};

/* Seconds of the guest's run by which its patterns cost more on 2 MiB pages there than the same ones on the host. */
static struct hidden hidden_of(const struct gap_splitting *splitting)
{
    const struct results *guest = splitting->guest->results, *host = splitting->host->results;
    struct hidden hidden = {.seconds = interval_exactly(0)};
    double most = 0;
    for (size_t at = 0; at < guest->stalls->group_count; at++) {
        const struct stall_group *group = &guest->stalls->groups[at];
        const struct access_cost *here = access_costs_of_group(guest->costs, (uint32_t)at);
        const struct access_cost *there = cost_of_function(host, guest->stalls->functions[group->function].name);
        if (!here || !here->known || !there || group->in_order || !are_alike(here, there))
            continue;
        const struct interval *now = group->base_hits > group->huge_hits ? &here->ns_small : &here->ns_huge;
        if (now->low <= 0)
            continue;
        struct interval more = gap_less(here->ns_huge, there->ns_huge);
        struct interval ratio = interval_of(more.low / now->high, more.mid / now->mid, more.high / now->low);
        if (ratio.low > ratio.mid || ratio.mid > ratio.high)
            ratio = interval_of(fmin(ratio.low, ratio.mid), ratio.mid, fmax(ratio.high, ratio.mid));
        struct interval waits = gap_seconds(splitting, splitting->guest, share_of(OF_SAMPLES, group->share));
        hidden.seconds = gap_sum(hidden.seconds, gap_times(waits, ratio));
        if (!hidden.compared || group->share.mid > most) {
            most = group->share.mid;
            hidden.guest_ns = here->ns_huge.mid;
            hidden.host_ns = there->ns_huge.mid;
        }
        hidden.compared = true;
    }
    return hidden;
}

/* More is known of it by what stands behind the guest's memory. */
static struct interval hidden_as_walks(struct interval hidden, enum gap_backing backing)
{
    switch (backing) {
    case GAP_BACKING_HUGE:
        return interval_exactly(0);
    case GAP_BACKING_SMALL:
        return interval_of(fmin(fmax(hidden.low, 0), fmax(hidden.mid, 0)), fmax(hidden.mid, 0), fmax(hidden.high, 0));
    case GAP_BACKING_UNKNOWN:
        break;
    }
    return interval_of(0, fmax(hidden.mid, 0) / 2, fmax(hidden.high, 0));
}

static const char *backing_words(const char *words, const char *from, struct arena *arena)
{
    const char *place = strstr(words, "%s");
    return place ? arena_printf(arena, "%.*s%s%s", (int)(place - words), words, from, place + 2) : words;
}

static void add_hidden(const struct gap_splitting *splitting, struct gap_component *component)
{
    static const char *const of_backing[] = {
        [GAP_BACKING_UNKNOWN] =
            ": small pages of the host behind it, or slower memory: the two can't be told apart from here",
        [GAP_BACKING_SMALL] = ": its host maps it by small pages (%s), which explains that",
        [GAP_BACKING_HUGE] = ": its host maps it by 2 MiB pages (%s): that is slower memory, and in the remainder",
    };
    const char *from = splitting->guest->backing_from ? splitting->guest->backing_from : "--guest-pages";
    struct hidden hidden = hidden_of(splitting);
    enum gap_backing backing = splitting->guest->backing;
    struct interval most = may_walk(splitting, splitting->guest);
    if (hidden.compared && hidden.seconds.known) {
        component->seconds = gap_sum(component->seconds, hidden_as_walks(hidden.seconds, backing));
        gap_say(&component->evidence, splitting->arena,
                "on 2 MiB pages its pattern costs %s an access in the guest, %s on the host%s",
                gap_time_words(hidden.guest_ns * 1e-9, splitting->arena),
                gap_time_words(hidden.host_ns * 1e-9, splitting->arena),
                hidden.seconds.low > 0 ? backing_words(of_backing[backing], from, splitting->arena) : "");
    } else if (backing != GAP_BACKING_HUGE && most.known) {
        component->seconds.high = fmax(component->seconds.high, most.high);
        gap_say(&component->evidence, splitting->arena,
                "no pattern was probed on both sides: what lies behind the guest's pages is bounded "
                "by all that waits for memory on more pages than a TLB holds");
    }
}

/* ---- the guest alone ---- */

/*
 * A host with the same pages would walk, too: from nothing to all that shows, and what doesn't show is part of the
 * other waiting.
 */
static void judge_alone(const struct gap_splitting *splitting, struct gap_component *component)
{
    const double REFERENCES = 24, OF_HOST = 4; /* 4 KiB pages on both: doc/page-walks.md */
    struct interval shown = component->seconds, most = may_walk(splitting, splitting->guest);
    bool hidden = splitting->guest->backing != GAP_BACKING_HUGE;
    double high = hidden && most.known ? fmax(most.high, shown.high) : shown.high;
    component->seconds = interval_of(0, shown.mid * (1 - OF_HOST / REFERENCES), high);
    if (hidden)
        gap_say(&component->evidence, splitting->arena,
                "what its host's pages cost behind it doesn't show from here; at most all that waits for memory on "
                "more pages than a TLB holds, %s",
                most.known ? gap_time_words(most.high, splitting->arena) : "which isn't known");
}

static const char *page_words(const struct gap_side *side, struct arena *arena)
{
    const struct stalls *stalls = side->results->stalls;
    double base = 0, huge = 0;
    for (size_t at = 0; at < stalls->group_count; at++) {
        base += (double)stalls->groups[at].base_hits;
        huge += (double)stalls->groups[at].huge_hits;
    }
    return base + huge > 0
               ? arena_printf(arena, "%.0f %% of its sampled addresses on 4 KiB pages", 100 * base / (base + huge))
               : "no sampled address whose page is known";
}

void gap_walks(const struct gap_splitting *splitting, struct gap_component *component)
{
    struct gap_burden guest = walks_shown(splitting, splitting->guest);
    struct gap_burden host = splitting->host ? walks_shown(splitting, splitting->host) : gap_unknown(NULL);
    gap_take(splitting, component, host, guest);
    if (guest.seconds.known)
        gap_say(&component->evidence, splitting->arena, "in the guest: %s; 2 MiB pages there would return %s",
                page_words(splitting->guest, splitting->arena), gap_time_words(guest.seconds.mid, splitting->arena));
    if (host.seconds.known)
        gap_say(&component->evidence, splitting->arena, "on the host: %s; 2 MiB pages there would return %s",
                page_words(splitting->host, splitting->arena), gap_time_words(host.seconds.mid, splitting->arena));
    if (component->seconds.known && splitting->host)
        add_hidden(splitting, component);
    else if (component->seconds.known)
        judge_alone(splitting, component);
    if (splitting->guest->backing == GAP_BACKING_UNKNOWN && gap_is_guest(splitting->guest))
        gap_say(&component->remedies, splitting->arena,
                "plumb pages --vm PID --json on its host, then --guest-pages FILE: which pages stand behind it");
}
