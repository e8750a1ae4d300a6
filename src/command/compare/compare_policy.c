/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/compare/compare_policy.h"
#include "base/clock.h"


static const double alpha_of_all = 0.05;

static void looks_plan(struct compare_policy *policy)
{
    struct sequential sequential;
    sequential_begin(&sequential, alpha_of_all, policy->blocks_most);
    size_t most = (size_t)policy->blocks_most, last = 0;
    for (size_t pairs = COMPARE_FIRST_LOOK; last < most && policy->look_count < COMPARE_LOOKS_MOST;
         pairs = sequential_next(pairs)) {
        last = pairs < most ? pairs : most;
        policy->looks[policy->look_count++] = (struct planned_look){last, sequential_look(&sequential, last, false)};
    }
}

void compare_policy_begin(struct compare_policy *policy)
{
    policy->started_s = clock_s(CLOCK_MONOTONIC);
    if (policy->until_decided)
        looks_plan(policy);
}

/* The level of a last look at so many pairs, behind those that were made. */
static double last_level(const struct compare_policy *policy, size_t pairs)
{
    struct sequential sequential;
    sequential_begin(&sequential, alpha_of_all, policy->blocks_most);
    for (size_t at = 0; at < policy->looks_done; at++) {
        double level = sequential_look(&sequential, policy->looks[at].pairs, false);
        (void)level; /* it is what the later ones build on that is wanted */
    }
    return sequential_look(&sequential, pairs, true);
}

/* Several comparisons with the first arm: Bonferroni's share for each. */
static double share_of(const struct compare_policy *policy, double alpha)
{
    return alpha / (double)(policy->arm_count - 1);
}

static bool all_decided(const struct compare_policy *policy, const struct run_table *table, double alpha)
{
    bool decided = true;
    for (size_t arm = 1; arm < policy->arm_count && decided; arm++) {
        struct arena arena;
        struct comparison comparison;
        struct comparison_request request = {.b = arm,
                                             .again = policy->again,
                                             .quantity = policy->quantity,
                                             .effect_ratio = policy->effect_ratio,
                                             .alpha = share_of(policy, alpha),
                                             .effects_alpha = 0.05};
        arena_init(&arena);
        comparison_make(&comparison, table, &request, &arena);
        decided = policy->decides ? policy->decides(policy->decides_context, &comparison)
                                  : comparison.verdict != COMPARISON_UNDECIDED;
        arena_done(&arena);
    }
    return decided;
}

static bool look_decides(struct compare_policy *policy, const struct run_table *table)
{
    bool planned = policy->until_decided && policy->looks_done < policy->look_count;
    if (!planned || table->block_count < policy->looks[policy->looks_done].pairs)
        return false;
    policy->alpha = policy->looks[policy->looks_done++].alpha;
    return all_decided(policy, table, policy->alpha);
}

static enum stop_reason reason_to_stop(struct compare_policy *policy, const struct run_table *table)
{
    if (policy->count && table->block_count >= policy->count)
        return STOP_COUNT;
    if (look_decides(policy, table))
        return STOP_DECIDED;
    double passed_s = clock_s(CLOCK_MONOTONIC) - policy->started_s;
    bool is_over = policy->seconds > 0 && passed_s >= policy->seconds && table->block_count >= policy->seconds_least;
    is_over |= policy->seconds_most > 0 && passed_s >= policy->seconds_most;
    if (is_over && table->block_count > 0)
        return STOP_TIME;
    return policy->until_decided && table->block_count >= policy->blocks_most ? STOP_MOST : STOP_NOT_YET;
}

static bool wants_block(void *context, const struct run_table *so_far)
{
    struct compare_policy *policy = context;
    policy->reason = reason_to_stop(policy, so_far);
    return policy->reason == STOP_NOT_YET;
}

struct experiment_policy compare_policy_interface(struct compare_policy *policy)
{
    return (struct experiment_policy){.context = policy, .wants_block = wants_block};
}

double compare_policy_alpha(struct compare_policy *policy, const struct run_table *table)
{
    if (!policy->until_decided)
        policy->alpha = alpha_of_all;
    else if (policy->reason != STOP_DECIDED &&
             table->block_count > (policy->looks_done ? policy->looks[policy->looks_done - 1].pairs : 0))
        policy->alpha = last_level(policy, table->block_count);
    return share_of(policy, policy->alpha);
}

/* To the next look, which may decide, or as long as was asked for. */
static void left_print(const struct compare_policy *policy, FILE *talk, double spent_s, size_t block)
{
    double a_block_s = spent_s / (double)(block + 1); /* a warm-up came before */
    uint64_t wanted = policy->count;
    if (policy->until_decided && policy->looks_done < policy->look_count)
        wanted = policy->looks[policy->looks_done].pairs;
    if (block && wanted > block)
        fprintf(talk, ", about %.0f s to %s at block %llu", a_block_s * (double)(wanted - block),
                policy->count ? "the end" : "the next look", (unsigned long long)wanted);
    if (policy->seconds > spent_s)
        fprintf(talk, ", %.0f s left at the most", policy->seconds - spent_s);
}

void compare_policy_progress(const struct compare_policy *policy, FILE *talk, const char *label, size_t block)
{
    double spent_s = clock_s(CLOCK_MONOTONIC) - policy->started_s;
    fprintf(talk, "\r\033[K  block %zu, %.0f s: %s", block + 1, spent_s, label);
    left_print(policy, talk, spent_s, block);
}
