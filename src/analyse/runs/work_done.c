/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/runs/work_done.h"

#include "analyse/runs/explanation.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

/*
 * How much more is another amount of work: both have to be passed. Starting a program reads and writes a little itself.
 */
static const struct {
    const char *name;
    double ratio, amount;
} kinds[] = {
    {"written-bytes", 1.05, 64},
    {"read-bytes", 1.25, 64 * 1024},
    {"io-calls", 1.5, 200},
    {"instructions", 2, 1e7},
};

/* a and b are not the same amount. */
static bool far_apart(double a, double b, double ratio, double amount)
{
    return fabs(a - b) >= amount && fmax(a, b) >= ratio * fmin(a, b);
}

static void sign_add(struct work_done *work, struct work_sign sign)
{
    if (work->count < WORK_SIGNS_MOST)
        work->signs[work->count++] = sign;
}

static void judge_one(struct work_done *work, const struct quantity_effect *effect, double ratio, double amount)
{
    if (effect->why_not || !effect->a.known || !effect->b.known)
        return;
    bool in_a = far_apart(effect->a.low, effect->a.high, ratio, amount);
    bool in_b = far_apart(effect->b.low, effect->b.high, ratio, amount);
    bool steady = !in_a && !in_b; /* then no more runs are needed to tell them apart */
    if ((steady || effect_differs(effect)) && far_apart(effect->a.mid, effect->b.mid, ratio, amount)) {
        sign_add(work, (struct work_sign){.effect = effect, .is_unequal = true});
        return;
    }
    if (in_a || in_b)
        sign_add(work, (struct work_sign){.effect = effect, .varies_in_b = !in_a});
}

void work_done_judge(struct work_done *work, const struct comparison *comparison)
{
    *work = (struct work_done){0};
    for (size_t kind = 0; kind < array_count(kinds); kind++)
        for (size_t at = 0; at < comparison->effect_count; at++)
            if (strcmp(comparison->effects[at].quantity->name, kinds[kind].name) == 0)
                judge_one(work, &comparison->effects[at], kinds[kind].ratio, kinds[kind].amount);
}
