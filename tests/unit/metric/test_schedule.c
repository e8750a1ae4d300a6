/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups: what fits together, in how few, and what is said about the rest. */
#include "test.h"

#include "base/vec.h"
#include "metric/schedule/counter_match.h"
#include "metric/schedule/schedule.h"
#include "published_request.h"

#include <limits.h>

#define SET(...) {(const uint32_t[]){__VA_ARGS__}, array_count(((const uint32_t[]){__VA_ARGS__}))}

Test(counter_match, finds_what_greed_misses)
{
    const struct counter_wish wishes[] = {{0x3, false}, {0x6, false}, {0x4, false}};
    unsigned counters[3];
    cr_assert(counter_match(wishes, 3, counters));
    cr_expect_eq(counters[0], 0);
    cr_expect_eq(counters[1], 1);
    cr_expect_eq(counters[2], 2);
    const struct counter_wish crowded[] = {{0x3, false}, {0x3, false}, {0x3, false}};
    cr_expect_not(counter_match(crowded, 3, NULL));
    cr_expect(counter_match(NULL, 0, NULL));
    const struct counter_wish none[] = {{0, false}};
    cr_expect_not(counter_match(none, 1, NULL));
}

/* Whether any assignment exists, by trying all. */
static bool match_by_force(const struct counter_wish *wishes, size_t count, uint32_t taken)
{
    if (!count)
        return true;
    for (unsigned counter = 0; counter < 8; counter++)
        if (wishes->counters & ~taken & 1u << counter)
            if (match_by_force(wishes + 1, count - 1, taken | 1u << counter))
                return true;
    return false;
}

Test(counter_match, agrees_with_trying_everything)
{
    unsigned short seed[3] = {1, 2, 3};
    size_t yes = 0;
    for (unsigned round = 0; round < 3000; round++) {
        struct counter_wish wishes[6];
        size_t count = 2 + (size_t)(erand48(seed) * 5);
        for (size_t at = 0; at < count; at++)
            wishes[at] = (struct counter_wish){(uint32_t)(erand48(seed) * 64) & (uint32_t)(erand48(seed) * 64), false};
        bool expected = match_by_force(wishes, count, 0);
        yes += expected;
        unsigned counters[6];
        cr_assert_eq(counter_match(wishes, count, counters), expected);
        uint32_t used = 0;
        for (size_t at = 0; expected && at < count; at++) {
            cr_assert(wishes[at].counters & 1u << counters[at]);
            cr_assert_not(used & 1u << counters[at]);
            used |= 1u << counters[at];
        }
    }
    cr_expect(yes > 100 && yes < 2900, "%zu", yes);
}

Test(counter_match, a_paired_event_takes_two_neighbours)
{
    const struct counter_wish six[] = {{0x3f, true}, {0x3f, true}, {0x3f, false}, {0x3f, false}};
    unsigned counters[4];
    cr_assert(counter_match(six, 4, counters));
    cr_expect_eq(counters[0] % 2, 0);
    cr_expect_eq(counters[1] % 2, 0);
    uint32_t used = 3u << counters[0] | 3u << counters[1] | 1u << counters[2] | 1u << counters[3];
    cr_expect_eq(__builtin_popcount(used), 6);
    const struct counter_wish seven[] = {{0x3f, true}, {0x3f, true}, {0x3f, true}, {0x3f, false}};
    cr_expect_not(counter_match(seven, 4, NULL));
    const struct counter_wish odd[] = {{0x6, true}};
    cr_expect_not(counter_match(odd, 1, NULL), "counters 1 and 2 are no pair");
}

/* ---- made-up machines -------------------------------------------------------------------------------------- */

enum { CYCLES, INSTRUCTIONS, A, B, C, D, E, LOW, OCR_1, OCR_2, OCR_3, SLOTS, RETIRING, HEAVY, ANY, CLOCK, OTHER_PMU, EVENTS };

static const struct schedule_event asked[EVENTS] = {
    [CYCLES] = {.name = "cycles", .counters = 0xff, .fixed = 2},
    [INSTRUCTIONS] = {.name = "instructions", .counters = 0xff, .fixed = 1},
    [A] = {.name = "a", .counters = 0xff},
    [B] = {.name = "b", .counters = 0xff},
    [C] = {.name = "c", .counters = 0xff},
    [D] = {.name = "d", .counters = 0xff},
    [E] = {.name = "e", .counters = 0xff},
    [LOW] = {.name = "low", .counters = 1},
    [OCR_1] = {.name = "ocr.1", .counters = 0xf, .needs = SCHEDULE_OFFCORE, .register_value = 1},
    [OCR_2] = {.name = "ocr.2", .counters = 0xf, .needs = SCHEDULE_OFFCORE, .register_value = 2},
    [OCR_3] = {.name = "ocr.3", .counters = 0xf, .needs = SCHEDULE_OFFCORE, .register_value = 3},
    [SLOTS] = {.name = "slots", .kind = SCHEDULE_SLOTS, .fixed = 8},
    [RETIRING] = {.name = "topdown-retiring", .kind = SCHEDULE_TOPDOWN},
    [HEAVY] = {.name = "topdown-heavy-ops", .kind = SCHEDULE_TOPDOWN, .field = 4},
    [ANY] = {.name = "cycles-any", .counters = 0xff, .whole_core = true},
    [CLOCK] = {.name = "task-clock", .kind = SCHEDULE_OUTSIDE},
    [OTHER_PMU] = {.name = "atom-a", .counters = 0xff, .pmu = 1},
};

struct bench {
    struct arena arena;
    struct schedule schedule;
    struct schedule_pmu pmus[2];
};

static void bench_build(struct bench *bench, const char *model, unsigned threads, const struct schedule_metric *metrics,
                        size_t count, struct schedule_set companions)
{
    struct error err = {0};
    arena_init(&bench->arena);
    cr_assert(schedule_pmu_of_model(model, threads, &bench->pmus[0]));
    bench->pmus[1] = schedule_pmu_architectural(6, 0x7);
    struct schedule_request request = {asked, EVENTS, metrics, count, bench->pmus, 2, companions, false};
    cr_assert(schedule_build(&bench->schedule, &request, &bench->arena, &err), "%s", err.message);
}

Test(schedule, a_ratio_stays_in_one_group)
{
    const struct schedule_metric metrics[] = {
        {"a/c", SET(A, CYCLES)}, {"b/c", SET(B, CYCLES)}, {"cd/c", SET(C, D, CYCLES)}, {"e/c", SET(E, CYCLES)},
        {"ac/i", SET(A, C, INSTRUCTIONS)}, {"clock", SET(CLOCK)}};
    struct bench bench;
    bench_build(&bench, "SKX", 2, metrics, array_count(metrics), (struct schedule_set){0});
    cr_assert_eq(bench.schedule.group_count, 2, "five general events, four counters");
    cr_expect_eq(bench.schedule.fewest, 2);
    for (size_t metric = 0; metric < 5; metric++) {
        const struct schedule_place *place = &bench.schedule.places[metric];
        cr_assert_eq(place->fit, SCHEDULE_TOGETHER);
        cr_assert_eq(place->group_count, 1);
        const struct schedule_group *group = &bench.schedule.groups[place->groups[0]];
        for (size_t at = 0; at < metrics[metric].events.count; at++) {
            bool there = false;
            for (size_t event = 0; event < group->count; event++)
                there |= group->events[event] == metrics[metric].events.events[at];
            cr_expect(there, "%s", metrics[metric].name);
        }
    }
    cr_expect_eq(bench.schedule.places[5].fit, SCHEDULE_TOGETHER);
    cr_expect_eq(bench.schedule.places[5].group_count, 0, "software events need no group");
    arena_done(&bench.arena);
}

Test(schedule, slots_lead_and_topdown_follows_in_its_order)
{
    const struct schedule_metric metrics[] = {{"heavy", SET(A, HEAVY, RETIRING)}};
    struct bench bench;
    bench_build(&bench, "SPR", 2, metrics, 1, (struct schedule_set)SET(CYCLES, INSTRUCTIONS));
    cr_assert_eq(bench.schedule.group_count, 1);
    const struct schedule_group *group = &bench.schedule.groups[0];
    static const uint32_t order[] = {SLOTS, RETIRING, HEAVY, CYCLES, INSTRUCTIONS, A};
    cr_assert_eq(group->count, array_count(order));
    for (size_t at = 0; at < array_count(order); at++)
        cr_expect_eq(group->events[at], order[at], "place %zu: %s", at, asked[group->events[at]].name);
    cr_expect_eq(group->counters[0], COUNTER_MATCH_FIXED + 3);
    cr_expect_eq(group->counters[1], UINT_MAX);
    cr_expect_eq(group->counters[3], COUNTER_MATCH_FIXED + 1);
    arena_done(&bench.arena);
}

struct refusal {
    const char *model;
    unsigned threads;
    bool tasks;
    struct schedule_metric metric;
    const char *words;
};

static const struct refusal refusals[] = {
    {"ICX", 2, true, {"heavy", SET(HEAVY)}, "PERF_METRICS has 4 fields here"},
    {"SKX", 1, true, {"retiring", SET(RETIRING)}, "PERF_METRICS isn't available"},
    {"SKX", 1, true, {"slots", SET(SLOTS)}, "isn't offered"},
    {"SKX", 2, true, {"any", SET(A, ANY)}, "both threads of a core"},
    {"SKX", 2, false, {"any", SET(A, ANY)}, NULL},
    {"SKX", 1, true, {"any", SET(A, ANY)}, NULL},
    {"SPR", 2, true, {"mixed", SET(A, OTHER_PMU)}, "different PMUs"},
    {"ZEN4", 2, true, {"offcore", SET(OCR_1)}, "register"},
};

Test(schedule, what_cannot_be_counted_is_refused_with_a_reason)
{
    for (size_t at = 0; at < array_count(refusals); at++) {
        const struct refusal *refusal = &refusals[at];
        struct schedule_metric metrics[] = {refusal->metric, {"fine", SET(A, CYCLES)}};
        struct bench bench;
        struct error err = {0};
        arena_init(&bench.arena);
        cr_assert(schedule_pmu_of_model(refusal->model, refusal->threads, &bench.pmus[0]));
        bench.pmus[0].counts_tasks = refusal->tasks;
        bench.pmus[1] = schedule_pmu_architectural(6, 7);
        struct schedule_request request = {asked, EVENTS, metrics, 2, bench.pmus, 2, {0}, false};
        cr_assert(schedule_build(&bench.schedule, &request, &bench.arena, &err));
        const struct schedule_place *place = &bench.schedule.places[0];
        cr_expect_eq(place->fit == SCHEDULE_REFUSED, refusal->words != NULL, "case %zu", at);
        if (refusal->words)
            cr_expect(place->why && strstr(place->why, refusal->words), "case %zu: %s", at, place->why);
        cr_expect_eq(bench.schedule.places[1].fit, SCHEDULE_TOGETHER, "the others stand");
        arena_done(&bench.arena);
    }
}

Test(schedule, registers_hold_so_many_values)
{
    const struct schedule_metric metrics[] = {
        {"1", SET(OCR_1, CYCLES)}, {"2", SET(OCR_2, CYCLES)}, {"3", SET(OCR_3, CYCLES)}, {"all", SET(OCR_1, OCR_2, OCR_3, CYCLES)}};
    struct bench bench;
    bench_build(&bench, "SPR", 1, metrics, array_count(metrics), (struct schedule_set){0});
    cr_expect_eq(bench.schedule.group_count, 2);
    cr_expect_eq(bench.schedule.places[2].fit, SCHEDULE_TOGETHER);
    const struct schedule_place *all = &bench.schedule.places[3];
    cr_expect_eq(all->fit, SCHEDULE_ACROSS);
    cr_expect_eq(all->group_count, 2);
    cr_expect(all->why);
    arena_done(&bench.arena);
}

Test(schedule, terms_that_are_ratios_of_their_own_are_split)
{
    const struct schedule_set terms[] = {SET(OCR_1, OCR_2, CYCLES), SET(OCR_3, CYCLES)};
    const struct schedule_metric metrics[] = {{"sum", SET(OCR_1, OCR_2, OCR_3, CYCLES), terms, 2, false},
                                                     {"apart", SET(A, B, CYCLES), NULL, 0, true}};
    struct bench bench;
    bench_build(&bench, "SPR", 1, metrics, 2, (struct schedule_set){0});
    const struct schedule_place *place = &bench.schedule.places[0];
    cr_assert_eq(place->fit, SCHEDULE_SPLIT);
    cr_assert_eq(place->group_count, 2);
    for (size_t term = 0; term < 2; term++) {
        const struct schedule_group *group = &bench.schedule.groups[place->groups[term]];
        size_t met = 0;
        for (size_t at = 0; at < group->count; at++)
            for (size_t event = 0; event < terms[term].count; event++)
                met += group->events[at] == terms[term].events[event];
        cr_expect_eq(met, terms[term].count, "each term with its denominator");
    }
    cr_expect_eq(bench.schedule.places[1].fit, SCHEDULE_ACROSS);
    cr_expect_eq(bench.schedule.places[1].group_count, 2);
    arena_done(&bench.arena);
}

Test(schedule, counters_that_others_hold_are_given_up_one_by_one)
{
    struct schedule_pmu pmu;
    cr_assert(schedule_pmu_of_model("SPR", 2, &pmu));
    cr_assert(schedule_pmu_give_up(&pmu, 0));
    cr_expect_eq(pmu.fixed, 0xd, "the watchdog's");
    cr_assert(schedule_pmu_give_up(&pmu, 1));
    cr_expect_eq(pmu.general, 0xf7);
    cr_assert(schedule_pmu_give_up(&pmu, 2));
    cr_expect_eq(pmu.general, 0x77);
    cr_assert(schedule_pmu_give_up(&pmu, 3));
    cr_expect_eq(pmu.general, 0x73, "memory's events go on the first four only");
    cr_expect_not(schedule_pmu_give_up(&pmu, 4));
    const struct schedule_metric metrics[] = {{"abcd", SET(A, B, C, D, CYCLES)}};
    struct bench bench;
    struct error err = {0};
    cr_assert(schedule_pmu_of_model("SKX", 2, &bench.pmus[0]));
    schedule_pmu_give_up(&bench.pmus[0], 0);
    arena_init(&bench.arena);
    struct schedule_request request = {asked, EVENTS, metrics, 1, bench.pmus, 1, {0}, false};
    cr_assert(schedule_build(&bench.schedule, &request, &bench.arena, &err));
    cr_expect_eq(bench.schedule.places[0].fit, SCHEDULE_ACROSS, "cycles need one of the four now");
    arena_done(&bench.arena);
    schedule_pmu_limit(&pmu, 4, 0x7);
    cr_expect_eq(pmu.topdown_fields, 0, "no fixed counter 3, no PERF_METRICS");
    cr_expect_eq(pmu.general, 0x3);
}

/* ---- the published trees ----------------------------------------------------------------------------------- */

static bool contains_all(const struct schedule_request *request, const struct schedule_group *group, struct schedule_set set)
{
    for (size_t at = 0; at < set.count; at++) {
        bool there = request->events[set.events[at]].kind == SCHEDULE_OUTSIDE;
        for (size_t event = 0; event < group->count && !there; event++)
            there = group->events[event] == set.events[at];
        if (!there)
            return false;
    }
    return true;
}

/* Every promise of the header, on this schedule. */
static void schedule_check(const struct schedule_request *request, const struct schedule *schedule)
{
    for (size_t at = 0; at < schedule->group_count; at++) {
        const struct schedule_group *group = &schedule->groups[at];
        cr_assert(schedule_fits(request, (struct schedule_set){group->events, group->count}));
    }
    for (size_t at = 0; at < request->metric_count; at++) {
        const struct schedule_place *place = &schedule->places[at];
        cr_assert_eq(place->why == NULL, place->fit == SCHEDULE_TOGETHER);
        if (place->fit == SCHEDULE_TOGETHER)
            cr_assert(contains_all(request, &schedule->groups[place->groups[0]], request->metrics[at].events), "%s",
                      request->metrics[at].name);
    }
    cr_assert_leq(schedule->fewest, schedule->group_count);
}

typedef bool chosen(const struct published *published, size_t node, const void *context);

/* Groups for the chosen nodes that fit one; ret_loose: how many others there are. */
static size_t groups_of(struct published *published, chosen *is_chosen, const void *context, size_t *ret_loose)
{
    vec(struct schedule_metric) metrics = {0};
    struct schedule_request request = {published->asked.items, published->asked.count, NULL, 0, &published->pmu, 1, {0}, false};
    struct schedule schedule;
    struct error err = {0};
    *ret_loose = 0;
    for (size_t at = 0; at < published->nodes.count; at++) {
        const struct schedule_metric *node = &published->nodes.items[at];
        if (!is_chosen(published, at, context))
            continue;
        struct schedule_request alone = request;
        alone.metrics = node;
        alone.metric_count = 1;
        cr_assert(schedule_build(&schedule, &alone, &published->arena, &err));
        if (schedule.places[0].fit == SCHEDULE_TOGETHER)
            *vec_push(&metrics) = *node;
        else
            (*ret_loose)++;
    }
    cr_assert_gt(metrics.count, 0);
    request.metrics = metrics.items;
    request.metric_count = metrics.count;
    cr_assert(schedule_build(&schedule, &request, &published->arena, &err));
    schedule_check(&request, &schedule);
    vec_done(&metrics);
    return schedule.group_count;
}

static bool to_level(const struct published *published, size_t node, const void *context)
{
    return published->levels.items[node] <= *(const unsigned *)context;
}

static bool child_of(const struct published *published, size_t node, const void *context)
{
    return strcmp(published->parents.items[node], context) == 0;
}

struct tree {
    const char *key, *stem;
    unsigned threads;
    unsigned groups[6]; /* to level 1, 2, …, 6 at most; 0: not told */
};

static const struct tree trees[] = {
    {"SPR", "sapphirerapids", 1, {1, 1, 7, 15, 0, 20}},
    {"EMR", "emeraldrapids", 1, {1, 1, 7, 15, 0, 20}},
    {"GNR", "graniterapids", 1, {1, 1, 8, 14, 0, 19}},
    {"ICX", "icelakex", 1, {1, 3, 7, 16, 0, 21}},
    {"CLX", "cascadelakex", 1, {1, 1, 7, 12, 0, 16}},
    {"CLX", "cascadelakex", 2, {1, 2, 9, 21, 0, 30}},
};

Test(schedule, trees_take_no_more_groups_than_published)
{
    for (size_t at = 0; at < array_count(trees); at++) {
        struct published published;
        if (!published_read(&published, trees[at].key, trees[at].stem, trees[at].threads))
            cr_skip_test("no published tables");
        for (unsigned level = 1; level <= 6; level++) {
            size_t loose, groups = groups_of(&published, to_level, &level, &loose);
            unsigned known = trees[at].groups[level - 1];
            if (known)
                cr_expect_leq(groups, known, "%s to level %u", trees[at].key, level);
        }
        published_done(&published);
    }
}

struct drill {
    const char *parent;
    size_t groups;
};

static const struct drill drills[] = {
    {"Memory_Bound", 1}, {"L3_Miss_Bound", 1}, {"MEM_Latency", 2}, {"Fetch_Latency", 2}, {"Fetch_Bandwidth", 2},
    {"L1_Bound", 4}, {"Store_Bound", 3}, {"Core_Bound", 2}, {"FP_Vector", 2}, {"Branch_Resteers", 1},
};

/* With the nodes that don't fit: their parts go where there is room. */
Test(schedule, what_does_not_fit_costs_few_groups_more)
{
    struct published published;
    if (!published_read(&published, "SPR", "sapphirerapids", 1))
        cr_skip_test("no published tables");
    struct schedule_request request = {published.asked.items, published.asked.count, published.nodes.items,
                                       published.nodes.count, &published.pmu, 1, {0}, false};
    struct schedule schedule, again;
    struct error err = {0};
    cr_assert(schedule_build(&schedule, &request, &published.arena, &err));
    schedule_check(&request, &schedule);
    cr_expect_leq(schedule.group_count, 20, "%zu", schedule.group_count);
    cr_assert(schedule_build(&again, &request, &published.arena, &err));
    cr_assert_eq(again.group_count, schedule.group_count);
    for (size_t at = 0; at < schedule.group_count; at++) {
        cr_assert_eq(again.groups[at].count, schedule.groups[at].count);
        cr_expect_arr_eq(again.groups[at].events, schedule.groups[at].events, schedule.groups[at].count * sizeof(uint32_t));
        cr_expect_arr_eq(again.groups[at].counters, schedule.groups[at].counters, schedule.groups[at].count * sizeof(unsigned));
    }
    published_done(&published);
}

Test(schedule, each_step_of_a_drill_takes_few_groups)
{
    struct published published;
    if (!published_read(&published, "SPR", "sapphirerapids", 1))
        cr_skip_test("no published tables");
    unsigned level = 2;
    size_t loose, chain = groups_of(&published, to_level, &level, &loose);
    for (size_t at = 0; at < array_count(drills); at++) {
        size_t groups = groups_of(&published, child_of, drills[at].parent, &loose);
        cr_expect_leq(groups, drills[at].groups, "%s: %zu groups", drills[at].parent, groups);
        chain += at < 3 ? groups : 0;
    }
    cr_expect_leq(chain, 5, "the memory chain takes %zu groups", chain);
    published_done(&published);
}
