/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/thread_rounds.h"

#include "base/arena.h"
#include "base/scope.h"

#include <stdbool.h>
#include <string.h>

static const uint64_t SLOTS_MOST = 1u << 20;

/* Who worked in a slot: nobody, several, or the one thread, counted from SLOT_ONE. */
enum { SLOT_NOBODY, SLOT_SEVERAL, SLOT_ONE };

static void slots_fill(uint32_t *slots, const struct thread_moment *moments, size_t count, uint64_t first_ns,
                       uint64_t slot_ns)
{
    for (size_t at = 0; at < count; at++) {
        uint32_t *slot = &slots[(moments[at].time_ns - first_ns) / slot_ns], who = moments[at].thread + SLOT_ONE;
        *slot = *slot == SLOT_NOBODY || *slot == who ? who : SLOT_SEVERAL;
    }
}

static struct thread_rounds rounds_in(const uint32_t *slots, size_t count, uint64_t slot_ns)
{
    enum { SLOTS_LEAST = 2 };
    struct thread_rounds rounds = {0};
    size_t alone = 0;
    for (size_t at = 1; at <= count; at++) {
        bool goes_on = at < count && slots[at] >= SLOT_ONE && (slots[at - 1] == SLOT_SEVERAL || alone) &&
                       (!alone || slots[at] == slots[at - 1]);
        if (goes_on) {
            alone++;
            continue;
        }
        rounds.count += alone >= SLOTS_LEAST;
        rounds.alone_s += alone >= SLOTS_LEAST ? (double)alone * (double)slot_ns * 1e-9 : 0;
        alone = 0;
    }
    return rounds;
}

struct thread_rounds thread_rounds_of(const struct thread_moment *moments, size_t count, uint64_t slot_ns)
{
    uint64_t first_ns = UINT64_MAX, last_ns = 0;
    for (size_t at = 0; at < count; at++) {
        first_ns = moments[at].time_ns < first_ns ? moments[at].time_ns : first_ns;
        last_ns = moments[at].time_ns > last_ns ? moments[at].time_ns : last_ns;
    }
    if (!count || !slot_ns || (last_ns - first_ns) / slot_ns >= SLOTS_MOST)
        return (struct thread_rounds){0};
    size_t slot_count = (size_t)((last_ns - first_ns) / slot_ns) + 1;
    scoped_free uint32_t *slots = memory_alloc(slot_count * sizeof(*slots));
    memset(slots, 0, slot_count * sizeof(*slots));
    slots_fill(slots, moments, count, first_ns, slot_ns);
    return rounds_in(slots, slot_count, slot_ns);
}
