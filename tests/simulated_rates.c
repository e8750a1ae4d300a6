/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulated_rates.h"

enum { SHARED = 1000000, RUN = 1000001 };

/* splitmix64 */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Close to normal, and cheap: the sum of four uniform draws of 16 bits, with variance 1. */
static double normal(uint64_t seed, uint64_t stream, uint64_t block)
{
    uint64_t bits = mix(mix(seed * 1000003 + stream) + block);
    double sum = (double)(bits & 0xffff) + (double)(bits >> 16 & 0xffff) + (double)(bits >> 32 & 0xffff) + (double)(bits >> 48);
    return (sum / 65535 - 2) * 1.7320508075688772;
}

static double factor(double deviation, double draw)
{
    double value = 1 + deviation * draw;
    return value > 0 ? value : 0;
}

static double scripted(const struct simulated_rule *rule, uint64_t now_ns)
{
    if (!rule->phase_count)
        return rule->per_second;
    uint64_t phase = rule->phase_ns ? now_ns / rule->phase_ns : 0;
    if (rule->phases_repeat)
        phase %= rule->phase_count;
    return rule->phases_per_second[phase < rule->phase_count ? phase : rule->phase_count - 1];
}

/* Drawn once for each block. */
static double noise_factor(const struct simulated_noise *noise, unsigned rule, uint64_t now_ns, struct simulated_draw *kept)
{
    uint64_t block = now_ns / (noise->block_ns ? noise->block_ns : 4000000);
    if (!kept->drawn || kept->block != block) {
        double value = factor(noise->shared, normal(noise->seed, SHARED, block)) * factor(noise->own, normal(noise->seed, rule, block));
        *kept = (struct simulated_draw){.drawn = true, .block = block, .factor = value * factor(noise->run, normal(noise->seed, RUN, rule))};
    }
    return kept->factor;
}

double simulated_rate(const struct simulated_plan *plan, unsigned rule, uint64_t now_ns, struct simulated_draw *kept)
{
    double rate = scripted(&plan->rules[rule], now_ns);
    rate += plan->sibling_busy ? plan->rules[rule].sibling_per_second : 0;
    return plan->noise.seed ? rate * noise_factor(&plan->noise, rule, now_ns, kept) : rate;
}
