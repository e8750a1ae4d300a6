/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hypotheses on results made up for the purpose: every verdict, every key of the wording. */
#include "test.h"

#include "analyse/bottleneck/group_sizes.h"
#include "base/json/json_reader.h"
#include "base/vec.h"
#include "finding/called.h"
#include "finding/family.h"
#include "finding/hypothesis.h"
#include "finding/verdict/overall.h"
#include "finding/verdict/weighing.h"
#include "finding/wording.h"
#include "render/diagnosis/bottleneck.h"
#include "render/diagnosis/diagnosis.h"

#include <math.h>

struct made_up {
    struct arena arena;
    struct run_time run;
    struct activity activity;
    struct stalls stalls;
    struct stall_function function;
    struct stall_row row;
    struct stall_group group;
    struct access_cost cost;
    struct access_costs costs;
    struct kernel_time kernel;
    struct surroundings machine;
    struct results results;
    struct findings findings;
};

/* A program of one thread and 10 s that computes all the time, 1000 samples, on a guest. */
static void make_up(struct made_up *made)
{
    *made = (struct made_up){0};
    arena_init(&made->arena);
    made->run = (struct run_time){
        .scope = RUN_STARTED,
        .elapsed_s = measured_as(10),
        .cpu_s = measured_as(10),
        .user_s = measured_as(10),
        .system_s = measured_as(0),
        .on_cpu_ratio = measured_as(1),
        .wanted_ratio = measured_as(1),
        .run_delay_s = measured_as(0),
        .preempted_s = measured_as(0),
        .cpus_used = measured_as(1),
        .migrations = measured_as(1),
        .switches = measured_as(3),
        .threads_seen = 1,
    };
    made->activity.cpus_allowed = measured_as(2);
    made->activity.cpus_online = measured_as(2);
    made->activity.steal_ratio = measured_as(0);
    made->activity.busy_ratio = measured_as(0.5);
    made->activity.major_faults = measured_as(0);
    made->activity.quota_cpus = not_measured("no limit is set");
    made->function = (struct stall_function){
        .name = "hot", .dso = "a.out", .dso_path = "/a.out", .samples = 1000, .attributed = 1000, .has_code = true,
        .rows = &made->row, .row_count = 1, .share = wilson_interval(1000, 1000, 1000)};
    made->row = (struct stall_row){.text = "mov (%rax),%rdx", .class = INSTRUCTION_LOAD, .samples = 900, .is_load = true};
    made->stalls = (struct stalls){
        .sample_count = 1000, .user_samples = 1000, .attributed = true, .attributed_samples = 1000,
        .hot_code_lines = 2, .functions = &made->function, .function_count = 1, .cpu_s = 10};
    made->machine = (struct surroundings){
        .cpu = "a CPU", .microarchitecture = "", .kernel = "", .hypervisor = "KVM", .confidential = "",
        .thp_enabled = "madvise", .thp_defrag = "", .thp_shmem = "", .governor = "", .frequency_driver = "",
        .is_guest = true, .has_avx2 = true, .nodes = measured_as(1), .l1d_bytes = measured_as(32768),
        .l2_bytes = measured_as(1 << 20)};
    made->kernel.sample_count = 1000;
    made->results = (struct results){
        .run = &made->run, .activity = &made->activity, .stalls = &made->stalls, .costs = &made->costs,
        .kernel = &made->kernel, .surroundings = &made->machine, .effect = 0.05, .command = "./a.out"};
}

/* 90 % of the samples wait for memory on small pages, where huge pages cost half. */
static void add_small_pages(struct made_up *made)
{
    made->group = (struct stall_group){
        .row = made->row, .area = "[heap]", .area_known = true, .is_anonymous = true, .is_heap = true,
        .samples = 900, .load_samples = 900, .base_hits = 900, .share = wilson_interval(900, 1000, 1000),
        .base_share = wilson_interval(900, 900, 900), .element_bytes = 8};
    made->group.set = (struct working_set){.address_count = 900, .span_bytes = 1 << 28};
    made->group.set.pages = (struct set_size){true, 1 << 28, 1 << 27};
    made->group.set.lines = (struct set_size){false, 0, 1 << 26};
    made->stalls.groups = &made->group;
    made->stalls.group_count = 1;
    made->stalls.memory_samples = 900;
    made->stalls.class_samples[INSTRUCTION_LOAD] = 900;
    made->cost = (struct access_cost){
        .known = true, .ns_small = interval_of(19, 20, 21), .ns_huge = interval_of(9.5, 10, 10.5),
        .ns_near = interval_of(9.4, 9.5, 9.6), .ratio = interval_of(0.48, 0.5, 0.52)};
    made->costs = (struct access_costs){.items = &made->cost, .count = 1, .skid_known = true, .one_behind = true};
}

static bool mentions(const struct finding *finding, const char *wanted);

static const struct finding *test_and_find(struct made_up *made, const char *id)
{
    findings_test(&made->findings, &made->results, &made->arena);
    for (size_t at = 0; at < made->findings.count; at++)
        if (strcmp(made->findings.items[at].hypothesis->id, id) == 0)
            return &made->findings.items[at];
    cr_assert_fail("no finding '%s'", id);
    return NULL;
}

Test(findings, small_pages_are_supported_by_share_times_ratio)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    const struct finding *finding = test_and_find(&made, "small-pages");
    cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
    cr_assert(finding->recoverable.low > 0.40 && finding->recoverable.high < 0.50, "%f %f", finding->recoverable.low,
              finding->recoverable.high);
    cr_assert_eq(finding->confidence, CONFIDENCE_HIGH);
    cr_assert_eq(finding, &made.findings.items[0], "the culprit ranks first");
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_eq(overall.kind, OVERALL_CULPRIT);
    cr_assert(strstr(overall.sentence, "hot waits for address translation"), "%s", overall.sentence);
    arena_done(&made.arena);
}

/* The first sentence stands out, the rest explains it; a full stop in a name's brackets ends nothing. */
Test(findings, a_verdict_is_its_lead_and_the_rest)
{
    static const char *const names[] = {"hot", "hot(int, ns. part)"};
    for (size_t at = 0; at < array_count(names); at++) {
        struct made_up made;
        make_up(&made);
        add_small_pages(&made);
        made.function.name = names[at];
        (void)test_and_find(&made, "small-pages");
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_expect_str_eq(overall.sentence, arena_printf(&made.arena, "%s %s", overall.lead, overall.rest));
        size_t length = strlen(names[at]);
        cr_expect(strncmp(overall.lead, names[at], length) == 0 && overall.lead[strlen(overall.lead) - 1] == '.', "%s", overall.lead);
        cr_expect(strncmp(overall.rest, "Huge pages for it", 17) == 0, "%s", overall.rest);
        arena_done(&made.arena);
    }
}

/* No probe of its pattern was made: the calibrated curve says what a load over so much memory takes. */
Test(findings, a_chase_without_a_probe_is_bounded_by_the_calibrated_curve)
{
    struct made_up made;
    struct ceilings ceilings = {.has_before = true};
    make_up(&made);
    add_small_pages(&made);
    made.group.set.lines = (struct set_size){true, 1 << 26, 1 << 26};
    made.costs.count = 0;
    cr_assert_eq(test_and_find(&made, "cache-misses")->verdict, VERDICT_UNDECIDED, "nothing was measured of it");
    for (size_t at = 0; at < 3; at++)
        ceilings.before.steps[at].bytes = (size_t)1 << (14 + 6 * at); /* 16 KiB, 1 MiB, 64 MiB */
    ceilings.before.steps[0].on_4k.value = interval_exactly(1.5);
    ceilings.before.steps[1].on_4k.value = interval_exactly(10);
    ceilings.before.steps[2].on_4k.value = interval_exactly(100);
    ceilings.before.step_count = 3;
    ceilings_settle(&ceilings);
    made.results.ceilings = &ceilings;
    cr_assert_eq(test_and_find(&made, "cache-misses")->verdict, VERDICT_UNDECIDED, "independent loads overlap: no curve tells");
    made.group.dependent_samples = 900;
    const struct finding *finding = test_and_find(&made, "cache-misses");
    cr_assert_eq(finding->verdict, VERDICT_SUPPORTED, "%s", finding->reason);
    cr_expect(finding->recoverable.low > 0.7 && finding->recoverable.high < 0.93, "%f %f", finding->recoverable.low,
              finding->recoverable.high);
    cr_expect(strstr(finding->headline, "follows pointers"), "%s", finding->headline);
    made.group.set.lines.bytes = 64 << 10; /* fits the near caches: the curve says so, too */
    made.group.set.pages.bytes = 64 << 10;
    cr_expect_eq(test_and_find(&made, "cache-misses")->verdict, VERDICT_RULED_OUT);
    arena_done(&made.arena);
}

/* Page walks get dearer with the memory: a probe of 1 GiB bounds nothing for 64 GiB. */
Test(findings, a_probe_of_less_memory_rules_nothing_out)
{
    static const char *const ids[] = {"cache-misses", "small-pages"};
    struct made_up made;
    for (size_t at = 0; at < array_count(ids); at++) {
        make_up(&made);
        add_small_pages(&made);
        made.cost.ns_small = made.cost.ns_huge = made.cost.ns_near = interval_exactly(10);
        made.cost.ratio = interval_exactly(1);
        made.cost.span_bytes = made.cost.measured_span_bytes = 1ull << 30;
        cr_assert_eq(test_and_find(&made, ids[at])->verdict, VERDICT_RULED_OUT, "%s", ids[at]);
        made.cost.span_bytes = 64ull << 30;
        cr_assert_eq(test_and_find(&made, ids[at])->verdict, VERDICT_UNDECIDED, "%s", ids[at]);
        arena_done(&made.arena);
    }
}

/* A random probe says nothing of a walk in order; the time in which the program walks a line bounds what can wait. */
Test(findings, a_walk_in_order_is_no_random_access)
{
    static const char *const ids[] = {"cache-misses", "small-pages", "memory-bandwidth"};
    struct made_up made;
    for (size_t at = 0; at < array_count(ids); at++) {
        make_up(&made);
        add_small_pages(&made);
        made.group.in_order = true;
        made.cost.ns_line = interval_of(4, 5, 6);
        made.cost.ns_near = interval_of(1, 1.1, 1.2);
        cr_assert_eq(test_and_find(&made, ids[at])->verdict, VERDICT_UNDECIDED, "%s", ids[at]);
        made.group.order_line_ns = 350;
        cr_assert_eq(test_and_find(&made, ids[at])->verdict, VERDICT_RULED_OUT, "%s", ids[at]);
        made.group.order_line_ns = 20; /* it walks nearly as fast as memory lets it */
        cr_assert_eq(test_and_find(&made, ids[at])->verdict, at == 1 ? VERDICT_RULED_OUT : VERDICT_UNDECIDED, "%s", ids[at]);
        made.group.order_line_ns = 200;
        made.run.cpus_used = measured_as(16); /* that share the memory */
        cr_assert_eq(test_and_find(&made, ids[at])->verdict, at == 1 ? VERDICT_RULED_OUT : VERDICT_UNDECIDED, "%s", ids[at]);
        arena_done(&made.arena);
    }
}

/* Units that are busy with loads across two lines: to align is the remedy, and the sentence says why they are busy. */
Test(findings, loads_across_lines_are_to_be_aligned)
{
    for (int splits = 0; splits < 2; splits++) {
        struct made_up made;
        make_up(&made);
        struct bottleneck bottleneck = {.masses = {[CAUSE_PORTS] = 0.9},
                                        .program = {.class = BOTTLENECK_CORE,
                                                    .cause = CAUSE_PORTS,
                                                    .confidence = ESTIMATE_MEDIUM,
                                                    .function = "hot",
                                                    .share = interval_of(0.88, 0.9, 0.92),
                                                    .split_ratio = splits ? 0.5 : 0}};
        made.results.bottleneck = &bottleneck;
        const struct finding *finding = test_and_find(&made, "port-pressure");
        cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect_eq(mentions(finding, "align what it loads"), splits);
        cr_expect_eq(strstr(finding->headline, "across the border of cache lines") != NULL, splits, "%s",
                     finding->headline);
        arena_done(&made.arena);
    }
}

/* Where nothing else is known, loads across two lines stay open with what would settle them; without such only counters do. */
Test(findings, loads_across_lines_of_an_unknown_program_are_open)
{
    for (int splits = 0; splits < 2; splits++) {
        struct made_up made;
        make_up(&made);
        made.stalls.load_samples = 600;
        struct bottleneck bottleneck = {
            .program = {.class = BOTTLENECK_UNKNOWN, .why_not = "", .split_ratio = splits ? 0.5 : 0}};
        made.results.bottleneck = &bottleneck;
        const struct finding *finding = test_and_find(&made, "port-pressure");
        cr_assert_eq(finding->verdict, splits ? VERDICT_UNDECIDED : VERDICT_NOT_TESTABLE);
        cr_expect_eq(finding->recoverable.known && finding->recoverable.high < 0.65, splits);
        cr_expect_eq(mentions(finding, "align what it loads"), splits);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_expect_eq(strstr(overall.sentence, "50 % of the loads of its hottest code cross") == overall.sentence,
                     splits, "%s", overall.sentence);
        cr_expect_eq(overall.advice_count && strstr(overall.advice[0], "align what it loads"), splits);
        cr_expect_eq(strstr(overall_check(&overall), "to a multiple of 64 bytes") != NULL, splits, "%s",
                     overall_check(&overall));
        arena_done(&made.arena);
    }
}

/* An index that wraps is no accumulator: to split it into several is no remedy. */
Test(findings, an_index_that_wraps_is_no_accumulator)
{
    for (int wraps = 0; wraps < 2; wraps++) {
        struct made_up made;
        make_up(&made);
        made.stalls.class_samples[INSTRUCTION_FP] = 900;
        struct bottleneck_loop loop = {.verdict = {.cause = CAUSE_LATENCY_CHAIN, .function = "hot"},
                                       .is_chain_of_index = wraps};
        struct bottleneck bottleneck = {.masses = {[CAUSE_LATENCY_CHAIN] = 0.9},
                                        .loops = &loop,
                                        .loop_count = 1,
                                        .program = {.class = BOTTLENECK_CORE,
                                                    .cause = CAUSE_LATENCY_CHAIN,
                                                    .confidence = ESTIMATE_MEDIUM,
                                                    .function = "hot",
                                                    .share = interval_of(0.88, 0.9, 0.92)}};
        made.results.bottleneck = &bottleneck;
        const struct finding *finding = test_and_find(&made, "latency-chain");
        cr_assert_eq(finding->verdict, VERDICT_UNDECIDED);
        cr_expect_eq(strstr(finding->remedy, "several accumulators") == NULL, wraps, "%s", finding->remedy);
        cr_expect_eq(mentions(finding, "accumulators"), !wraps);
        arena_done(&made.arena);
    }
}

/* The group counts what its addresses show, the estimate what the code goes over as well: where both looked at one access, one number. */
Test(findings, what_an_access_goes_over_has_one_number)
{
    static const struct {
        uint64_t access_addr;
        double lines, pages;
        const char *said;
    } cases[] = {{0x10, 490 << 20, 492 << 20, "490 MiB"},
                 {0x10, 0, 34 << 20, "34 MiB"},
                 {0x20, 490 << 20, 492 << 20, "256 MiB"}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        add_small_pages(&made);
        made.cost.ns_near = interval_of(1, 1.1, 1.2);
        made.group.row.shown_addr = 0x10;
        struct bottleneck_loop loop = {
            .verdict = {.function = made.function.name},
            .access_addr = cases[at].access_addr,
            .access = {.lines_bytes = cases[at].lines, .pages_bytes = cases[at].pages, .at_least_bytes = 4 << 20}};
        struct bottleneck bottleneck = {.loops = &loop, .loop_count = 1};
        group_sizes_settle(&made.stalls, &bottleneck);
        const struct finding *finding = test_and_find(&made, "cache-misses");
        cr_expect(strstr(finding->headline, cases[at].said), "%zu: %s", at, finding->headline);
        finding = test_and_find(&made, "small-pages");
        cr_expect(mentions(finding, cases[at].said), "%zu", at);
        arena_done(&made.arena);
    }
}

/* What is foretold of a chain's remedy is no more than the finding beside it leaves open. */
Test(findings, no_bound_is_below_what_a_remedy_is_said_to_return)
{
    struct made_up made;
    make_up(&made);
    made.stalls.class_samples[INSTRUCTION_MUL] = 750;
    struct bottleneck bottleneck = {.masses = {[CAUSE_LATENCY_CHAIN] = 0.75},
                                    .program = {.class = BOTTLENECK_CORE,
                                                .cause = CAUSE_LATENCY_CHAIN,
                                                .confidence = ESTIMATE_MEDIUM,
                                                .function = "hot",
                                                .share = interval_of(0.99, 0.995, 1),
                                                .recoverable = interval_of(0.37, 0.6, 0.87)}};
    made.results.bottleneck = &bottleneck;
    const struct finding *finding = test_and_find(&made, "latency-chain");
    cr_assert_eq(finding->verdict, VERDICT_UNDECIDED);
    cr_expect(finding->recoverable.high >= 0.87, "%f", finding->recoverable.high);
    arena_done(&made.arena);
}

/* A column's lines that push one another out of the caches: how many sets they share, and to pad the rows. */
Test(findings, lines_that_share_few_sets_are_to_be_spread)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    made.cost.ns_huge = made.cost.ns_small;
    made.cost.ratio = interval_of(0.98, 1, 1.02);
    made.cost.ns_near = interval_of(1, 1.1, 1.2);
    made.group.set.stride_bytes = 64 << 10;
    struct bottleneck_loop loop = {.verdict = {.class = BOTTLENECK_MEMORY,
                                               .cause = CAUSE_PARALLEL_MISSES,
                                               .level = LEVEL_BEYOND,
                                               .function = made.function.name},
                                   .first_addr = made.group.row.shown_addr,
                                   .last_addr = made.group.row.shown_addr,
                                   .samples = 900,
                                   .crowd = {.step_bytes = 64 << 10, .lines = 8192, .l1_used = 1, .l2_used = 16}};
    struct bottleneck bottleneck = {.loops = &loop, .loop_count = 1};
    made.results.bottleneck = &bottleneck;
    const struct finding *finding = test_and_find(&made, "cache-misses");
    cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
    cr_expect(mentions(finding, "share few sets of the caches"), "an older case: how many sets there are isn't in it");
    made.machine.l1d_sets = measured_as(64);
    made.machine.l2_sets = measured_as(1024);
    finding = test_and_find(&made, "cache-misses");
    cr_expect(mentions(finding, "share 1 of the 64 sets of the first cache and about 16 of the 1024 of the second"));
    cr_expect(mentions(finding, "make each row longer by a line"));
    loop.crowd.lines = 0;
    finding = test_and_find(&made, "cache-misses");
    cr_expect_not(mentions(finding, "sets"));
    arena_done(&made.arena);
}

/* One field of each record goes in order already: what helps is to have it in an array of its own. */
Test(findings, one_field_of_records_is_no_order_to_mend)
{
    static const struct {
        uint64_t stride;
        bool one_place, records;
    } cases[] = {{200, true, true}, {200, false, false}, {64 << 10, true, false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        add_small_pages(&made);
        made.cost.ns_huge = made.cost.ns_small;
        made.cost.ratio = interval_of(0.98, 1, 1.02);
        made.cost.ns_near = interval_of(1, 1.1, 1.2);
        made.group.set.stride_bytes = cases[at].stride;
        made.group.set.one_place_in_stride = cases[at].one_place;
        const struct finding *finding = test_and_find(&made, "cache-misses");
        cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect_eq(mentions(finding, "of every 200 B it uses 8 B"), cases[at].records, "%zu", at);
        cr_expect_eq(mentions(finding, "swap loops or transpose"), !cases[at].records, "%zu", at);
        arena_done(&made.arena);
    }
}

/* Right behind a compare with memory and its branch, a wrong guess looks the same as a miss. */
Test(findings, a_load_behind_whose_branch_samples_stand_is_no_sure_cause)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    made.group.base_share = interval_exactly(0);
    made.group.base_hits = 0;
    made.group.huge_hits = 900;
    made.cost.ns_near = interval_of(1, 1.1, 1.2);
    const struct finding *finding = test_and_find(&made, "cache-misses");
    cr_assert(finding->verdict == VERDICT_SUPPORTED && finding->confidence == CONFIDENCE_HIGH);
    double low = finding->recoverable.low;
    made.group.landing_samples = 800;
    finding = test_and_find(&made, "cache-misses");
    cr_assert(finding->recoverable.low < low * 0.6 && finding->confidence < CONFIDENCE_HIGH, "%f of %f",
              finding->recoverable.low, low);
    struct bottleneck_loop loop = {.verdict = {.class = BOTTLENECK_MEMORY, .cause = CAUSE_LATENCY, .function = made.function.name},
                                   .first_addr = made.group.row.shown_addr, .last_addr = made.group.row.shown_addr, .samples = 10};
    struct bottleneck bottleneck = {.loops = &loop, .loop_count = 1};
    made.results.bottleneck = &bottleneck;
    for (int sure = 0; sure < 2; sure++) { /* it has looked at both ways of the branch */
        loop.verdict.confidence = sure ? ESTIMATE_HIGH : ESTIMATE_MEDIUM;
        finding = test_and_find(&made, "cache-misses");
        cr_assert_eq(finding->recoverable.low >= low && finding->confidence == CONFIDENCE_HIGH, sure, "%f of %f", finding->recoverable.low, low);
    }
    arena_done(&made.arena);
}

/* What the work around the load hides of the wait isn't known: the gain lies between waiting alone and all of it. */
Test(findings, small_pages_gain_spans_what_overlap_may_hide)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    made.cost.ns_work = interval_exactly(5);
    made.cost.work_instructions = 60;
    made.cost.ratio_spread = interval_of(0.5, 0.6, 0.7);
    made.cost.wait_spread = interval_of(0.3, 0.4, 0.5);
    const struct finding *finding = test_and_find(&made, "small-pages");
    cr_assert_float_eq(finding->recoverable.mid, 0.9 * 0.5, 0.01);
    cr_assert(finding->recoverable.low < 0.9 * 0.31 && finding->recoverable.high > 0.9 * 0.69, "%f %f",
              finding->recoverable.low, finding->recoverable.high);
    arena_done(&made.arena);
}

/* A class of functions that copied stacks lie in, in so many of a hundred. */
static void add_called(struct made_up *made, struct call_classes *classes, unsigned called, uint64_t stacks, const char *entry, const char *dso, const char *caller)
{
    classes->stacks = 1000;
    for (unsigned at = 0; at < CALL_CLASSES_MOST; at++)
        classes->items[at].share = wilson_interval((double)classes->items[at].stacks, 1000, 1000);
    classes->items[called] = (struct call_class){.stacks = stacks * 10, .innermost = stacks * 10, .share = wilson_interval((double)stacks * 10, 1000, 1000),
                                                 .entry = entry, .entry_dso = dso, .caller = caller, .caller_stacks = caller ? stacks * 9 : 0};
    made->results.called = classes;
}

/* What a thing has with all that it calls is said by copied stacks; whose it is decides what to do about it. */
Test(findings, what_is_called_for_leads)
{
    static const struct {
        const char *id;
        unsigned called;
        uint64_t stacks;
        const char *entry, *dso, *caller, *says, *advises;
        enum verdict verdict;
    } cases[] = {
        {"exceptions", CALLED_THROWING, 90, "__cxa_throw", "libstdc++.so.6", "parse", "C++ exceptions takes 88 to 92 % of the elapsed time, thrown in parse", "from_chars", VERDICT_SUPPORTED},
        {"exceptions", CALLED_THROWING, 90, "_Unwind_RaiseException", "libgcc_s.so.1", NULL, "C++ exceptions takes", "from_chars", VERDICT_SUPPORTED},
        {"exceptions", CALLED_THROWING, 40, "std::panicking::begin_panic", "app", "work", "panics that unwind take", "Result or Option", VERDICT_SUPPORTED},
        {"exceptions", CALLED_THROWING, 40, "runtime.gopanic", "app", "main.work", "panics take", "return an error", VERDICT_SUPPORTED},
        {"exceptions", CALLED_THROWING, 40, "java_lang_Throwable::fill_in_stack_trace", "libjvm.so", "Java_java_lang_Throwable_fillInStackTrace", "making exceptions, each with a trace of its stack, takes", "StackTraceInThrowable", VERDICT_SUPPORTED},
        {"exceptions", CALLED_THROWING, 2, "__cxa_throw", "libstdc++.so.6", "parse", NULL, NULL, VERDICT_RULED_OUT},
        {"exceptions", CALLED_MAKING, 90, "runtime.mallocgc", "app", "main.work", NULL, NULL, VERDICT_RULED_OUT},
        {"garbage-collection", CALLED_COLLECTING + COLLECTOR_RUBY, 20, "rb_gc_start", "libruby-3.1.so", "rb_str_new", "rb_gc_start and its like, with all that they call", "RUBY_GC_HEAP_GROWTH_FACTOR", VERDICT_SUPPORTED},
        {"exceptions", CALLED_THROWING, 5, "__cxa_throw", "libstdc++.so.6", "parse", NULL, "from_chars", VERDICT_UNDECIDED},
        {"garbage-collection", CALLED_COLLECTING + COLLECTOR_CLISP, 1, "with_gc_statistics", "lisp.run", "funcall", NULL, NULL, VERDICT_RULED_OUT},
        {"allocation", CALLED_MAKING, 30, "OptoRuntime::new_array_C", "libjvm.so", NULL, "new objects are made and cleared", "StringBuilder", VERDICT_SUPPORTED},
        {"allocation", CALLED_MAKING, 30, "runtime.mallocgc", "app", "main.work", "new objects are made and cleared", "escapes", VERDICT_SUPPORTED},
        {"allocation", CALLED_MAKING, 3, "runtime.mallocgc", "app", "main.work", NULL, NULL, VERDICT_RULED_OUT},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        struct call_classes classes = {0};
        make_up(&made);
        add_called(&made, &classes, cases[at].called, cases[at].stacks, cases[at].entry, cases[at].dso, cases[at].caller);
        const struct finding *finding = test_and_find(&made, cases[at].id);
        cr_assert_eq(finding->verdict, cases[at].verdict, "%zu", at);
        cr_expect(!cases[at].says || strstr(finding->headline, cases[at].says), "%zu: %s", at, finding->headline);
        cr_expect(!cases[at].advises || mentions(finding, cases[at].advises), "%zu: %s", at, finding->advice_count ? finding->advice[0] : "");
        arena_done(&made.arena);
    }
}

/* try stands below all of main, and who walks stacks finds frames without throwing: neither is an exception. */
Test(findings, what_serves_others_too_is_of_no_class)
{
    static const struct {
        const char *name, *dso;
        unsigned called;
    } cases[] = {
        {"__cxa_throw", "libstdc++.so.6", CALLED_THROWING},
        {"_Unwind_Find_FDE", "libgcc_s.so.1", CALL_CLASSES_MOST},
        {"_Unwind_Backtrace", "libgcc_s.so.1", CALL_CLASSES_MOST},
        {"std::panicking::try", "app", CALL_CLASSES_MOST},
        {"memset", "libc.so.6", CALL_CLASSES_MOST},
        {"v8::internal::compiler::GraphReducer::Reduce", "node", CALLED_COMPILING_JAVASCRIPT},
        {"v8::internal::Compiler::Compile", "node", CALL_CLASSES_MOST},
        {"CompileBroker::compiler_thread_loop", "libjvm.so", CALLED_COMPILING_JAVA},
        {"libclrjit.so+0x1000", "libclrjit.so", CALLED_COMPILING_DOTNET},
        {"evacuate", "building", CALL_CLASSES_MOST},
        {"visit_decref", "python3.11", CALLED_COLLECTING + COLLECTOR_PYTHON},
    };
    for (size_t at = 0; at < array_count(cases); at++)
        cr_expect_eq(called_of(cases[at].name, cases[at].dso), cases[at].called, "%s: %u", cases[at].name, called_of(cases[at].name, cases[at].dso));
}

/* Whose binary is at work tells of emulating; what belongs to the same family and emulates nothing doesn't. */
Test(findings, an_emulator_is_told_by_its_binary)
{
    static const struct {
        const char *name, *dso, *other, *other_path;
        enum verdict verdict;
    } cases[] = {
        {"qemu-x86_64-static+0x291a90", "qemu-x86_64-static", "[JIT]+0x7f39c3a3ec43", "//anon", VERDICT_SUPPORTED},
        {"helper_divsd", "qemu-aarch64", "main", "/a.out", VERDICT_SUPPORTED},
        {"box64+0x1000", "box64", "[JIT]+0x7f39c3a3ec43", "//anon", VERDICT_SUPPORTED},
        {"helper_divsd", "qemu-system-aarch64", "[JIT]+0x7f39c3a3ec43", "//anon", VERDICT_SUPPORTED},
        {"kvm_cpu_exec", "qemu-system-x86_64", "main", "/a.out", VERDICT_RULED_OUT}, /* its guest runs by hardware */
        {"convert", "qemu-img", "main", "/a.out", VERDICT_RULED_OUT},
        {"libjvm.so+0x1000", "libjvm.so", "[JIT]+0x7f39c3a3ec43", "//anon", VERDICT_RULED_OUT},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct stall_function functions[2] = {made.function, made.function};
        functions[0].name = cases[at].name;
        functions[0].dso = cases[at].dso;
        functions[0].samples = 790;
        functions[1].name = cases[at].other;
        functions[1].dso = "anon";
        functions[1].dso_path = cases[at].other_path;
        functions[1].samples = 200;
        made.stalls.functions = functions;
        made.stalls.function_count = 2;
        const struct finding *finding = test_and_find(&made, "emulated");
        cr_assert_eq(finding->verdict, cases[at].verdict, "%s", cases[at].dso);
        bool is_told = finding->verdict == VERDICT_SUPPORTED;
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_expect_eq(strstr(overall.lead, "A foreign program is emulated") != NULL, is_told, "%s", overall.lead);
        cr_expect(!is_told || mentions(finding, "run it natively"));
        for (size_t advice = 0; is_told && advice < overall.advice_count; advice++)
            cr_expect(!strstr(overall.advice[advice], "let it say the names"), "%s", overall.advice[advice]);
        arena_done(&made.arena);
    }
}

/* Python that was compiled ahead isn't interpreted, and its profilers don't see into it. */
Test(findings, python_compiled_ahead_is_not_interpreted)
{
    static const struct {
        const char *name, *dso;
        uint64_t samples;
        bool is_ahead;
    } cases[] = {
        {"CPyDef_checker___accept", "65cd__mypyc.cpython-311-x86_64-linux-gnu.so", 250, true},
        {"__pyx_pw_4fast_1run", "fast.cpython-311-x86_64-linux-gnu.so", 250, true},
        {"CPyDef_checker___accept", "65cd__mypyc.cpython-311-x86_64-linux-gnu.so", 50, false},
        {"array_sum", "_multiarray_umath.cpython-311-x86_64-linux-gnu.so", 250, false},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct stall_function functions[2] = {made.function, made.function};
        functions[0].name = "insertdict";
        functions[0].dso = "python3.11";
        functions[0].samples = 660;
        functions[1].name = cases[at].name;
        functions[1].dso = cases[at].dso;
        functions[1].samples = cases[at].samples;
        made.stalls.functions = functions;
        made.stalls.function_count = 2;
        const struct finding *finding = test_and_find(&made, "interpreter");
        cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect_eq(strstr(finding->headline, "compiled ahead (mypyc, Cython)") != NULL, cases[at].is_ahead, "%zu: %s", at, finding->headline);
        cr_expect_eq(mentions(finding, "py-spy record"), !cases[at].is_ahead, "%zu: %s", at, finding->advice[0]);
        arena_done(&made.arena);
    }
}

/* What holds up a collector's own code comes behind how often it collects. */
Test(findings, collecting_comes_before_what_its_code_waits_for)
{
    static const struct {
        const char *name, *caller;
        bool collects;
    } cases[] = {{"gc_collect_main", NULL, true}, {"rebalance", NULL, false}, {"python3.11+0x10ba60", "gc_collect_main", true},
                 {"python3.11+0x10ba60", "PyDict_GetItem", false}, {"rebalance", "gc_collect_main", false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        add_small_pages(&made);
        made.cost.ns_near = interval_of(0.9, 1, 1.1);
        made.cost.ns_huge = made.cost.ns_small;
        made.cost.ratio = interval_of(0.99, 1, 1.01);
        struct stall_function functions[2] = {made.function, made.function};
        functions[0].name = cases[at].name;
        functions[0].dso = "python3.11";
        functions[0].samples = 700;
        functions[0].stacks = cases[at].caller ? 90 : 0;
        functions[0].callers[0] = (struct stall_caller){.name = cases[at].caller, .dso = "python3.11", .stacks = 90};
        functions[0].caller_count = cases[at].caller ? 1 : 0;
        functions[1].name = "visit_decref";
        functions[1].dso = "python3.11";
        functions[1].samples = 300;
        made.stalls.functions = functions;
        made.stalls.function_count = 2;
        cr_assert_eq(test_and_find(&made, "cache-misses")->verdict, VERDICT_SUPPORTED);
        cr_expect_str_eq(made.findings.items[0].hypothesis->id, cases[at].collects ? "garbage-collection" : "cache-misses", "%zu", at);
        cr_expect_eq(findings_find(&made.findings, "cache-misses")->is_within_first, cases[at].collects);
        arena_done(&made.arena);
    }
}

/* One instruction fills a block in order: its misses are of how much is filled, whatever a random probe costs. */
Test(findings, an_instruction_that_fills_a_block_goes_in_order)
{
    static const struct {
        const char *text, *function;
        enum verdict verdict;
    } cases[] = {
        {"rep stos %al,%es:(%rdi)", "hot", VERDICT_UNDECIDED},
        {"rep movsb %ds:(%rsi),%es:(%rdi)", "__memmove_avx512_unaligned_erms", VERDICT_UNDECIDED},
        {"rep movsq %ds:(%rsi),%es:(%rdi)", "hot", VERDICT_SUPPORTED}, /* a few words of anything */
        {"mov %rax,(%rdi)", "hot", VERDICT_SUPPORTED},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        add_small_pages(&made);
        made.cost.ns_near = interval_of(0.9, 1, 1.1);
        made.function.name = cases[at].function;
        made.group.row.text = cases[at].text;
        const struct finding *finding = test_and_find(&made, "cache-misses");
        cr_expect_eq(finding->verdict, cases[at].verdict, "%s", cases[at].text);
        cr_expect(finding->verdict == VERDICT_SUPPORTED || !mentions(finding, "swap loops"));
        arena_done(&made.arena);
    }
}

/* Nobody builds with -O2 what another program makes while it runs. */
Test(findings, generated_code_wants_another_tier_not_another_build)
{
    for (int generated = 0; generated < 2; generated++) {
        struct made_up made;
        make_up(&made);
        made.function.name = generated ? "[JIT]+0x7fd7af4ac8ac" : "hot";
        made.function.dso_path = generated ? "//anon" : "/a.out";
        made.function.frame_density = 0.45;
        made.function.reload_density = 0.08;
        made.function.has_frame = true;
        const struct finding *finding = test_and_find(&made, "unoptimised-build");
        cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect_eq(mentions(finding, "build with -O2"), !generated);
        cr_expect_eq(mentions(finding, "tier"), generated);
        arena_done(&made.arena);
    }
}

/* Input is sorted for branches in a loop over an array, whose data decide; other branches have no order to sort by. */
Test(findings, data_are_sorted_where_data_decide)
{
    for (int walks = 0; walks < 2; walks++) {
        struct made_up made;
        make_up(&made);
        made.stalls.guess_samples = 400;
        struct bottleneck_loop loop = {.samples = 900, .walks_in_order = walks, .verdict = {.function = "hot"}};
        loop.masses[CAUSE_CONDITIONAL] = 0.4;
        struct bottleneck bottleneck = {.loops = &loop, .loop_count = 1};
        made.results.bottleneck = &bottleneck;
        const struct finding *finding = test_and_find(&made, "branch-mispredicts");
        cr_assert_eq(finding->verdict, VERDICT_UNDECIDED);
        cr_expect_eq(strstr(finding->remedy, "sorted input") != NULL, walks, "%s", finding->remedy);
        cr_expect_eq(mentions(finding, "sort the data"), walks, "%s", finding->advice[0]);
        arena_done(&made.arena);
    }
}

/* A bound that says nothing but how much code there is stands behind those that samples speak of. */
Test(findings, a_bound_that_nothing_points_at_comes_last)
{
    for (int laid = 0; laid < 2; laid++) {
        struct made_up made;
        make_up(&made);
        made.stalls.guess_samples = 400;
        made.stalls.hot_code_lines = 2000;
        struct bottleneck bottleneck = {.masses = {[CAUSE_FOOTPRINT] = laid ? 0.08 : 0}};
        made.results.bottleneck = &bottleneck;
        const struct finding *code = test_and_find(&made, "front-end"), *guesses = findings_find(&made.findings, "branch-mispredicts");
        cr_assert(code->verdict == VERDICT_UNDECIDED && guesses->verdict == VERDICT_UNDECIDED);
        cr_assert_gt(code->recoverable.high, guesses->recoverable.high);
        cr_expect_eq(code < guesses, laid);
        arena_done(&made.arena);
    }
}

/* A compiler within a runtime is told by what it calls, or by the threads in which it runs. */
Test(findings, compiling_is_work_by_what_it_calls_and_by_threads)
{
    static const char *const threads_of[] = {"C2 CompilerThre", "Worker Thread"};
    struct call_classes classes = {0};
    struct made_up made;
    make_up(&made);
    add_called(&made, &classes, CALLED_COMPILING_JAVASCRIPT, 60, "v8::internal::compiler::PipelineImpl::Run", "node", NULL);
    findings_test(&made.findings, &made.results, &made.arena);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_expect(strstr(overall.lead, "its work is compiling JavaScript to machine code"), "%s", overall.sentence);
    arena_done(&made.arena);
    for (size_t at = 0; at < array_count(threads_of); at++) {
        make_up(&made);
        struct activity_thread threads[2] = {{.user_s = 3}, {.user_s = 7}};
        snprintf(threads[0].comm, sizeof(threads[0].comm), "%s", threads_of[at]);
        made.activity.threads = threads;
        made.activity.thread_count = 2;
        findings_test(&made.findings, &made.results, &made.arena);
        overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_expect_eq(strstr(overall.sentence, "Java bytecode to machine code by HotSpot's C1 and C2 (30 %)") != NULL, at == 0, "%s", overall.sentence);
        arena_done(&made.arena);
    }
}

/* A small cause, or one whose gain nobody knows, says less than what kind of work the names tell; a large one stands alone. */
Test(findings, what_the_names_tell_stands_beside_a_small_cause)
{
    static const struct {
        const char *name, *dso, *caller;
        uint64_t samples;
        const char *begins, *has; /* NULL: nothing of it */
    } cases[] = {
        {"transit_state_bkref", "libc.so.6", NULL, 900,
         "By the names of functions, its work is matching regular expressions (90 %).", "nests repetitions"},
        {"transit_state_bkref", "a.out", NULL, 900, NULL, NULL}, /* anybody's */
        {"libz.so.1.2.13+0x4970", "libz.so.1.2.13", "deflate", 800,
         "By the names of functions, its work is compressing (80 %).", "lower level"},
        {"libdeflate.so.0+0x16b00", "libdeflate.so.0", "libdeflate_deflate_compress", 800,
         "By the names of functions, its work is compressing (80 %).", "lower level"},
        {"libdeflate.so.0+0x2f00", "libdeflate.so.0", "libdeflate_deflate_decompress", 800,
         "By the names of functions, its work is decompressing (80 %).", NULL},
        {"_int_free", "libc.so.6", "xmlXPathFreeNodeSet", 700,
         "By the names of functions, its work is searching documents by XPath (70 %).", "xsl:key"},
        {"__mbrtowc", "libc.so.6", NULL, 300, NULL, "LC_ALL=C"},
        {"__gconv_transform_utf8_internal", "libc.so.6", NULL, 300, NULL, "converting text between encodings"},
        {"towards", "a.out", NULL, 300, NULL, NULL}, /* anybody's */
        {"__strtod_l_internal.constprop.0", "libc.so.6", NULL, 300, NULL, "reading numbers from text (30 %)"},
        {"____strtod_l_internal", "libc.so.6", NULL, 50, NULL, NULL},
        {"__strlen_evex", "libc.so.6", NULL, 900,
         "By the names of functions, its work is looking for where strings end", "keep its length"},
        {"strlength", "a.out", NULL, 900, NULL, NULL},
        {"v8::internal::JsonStringifier::SerializeString", "node", NULL, 700,
         "By the names of functions, its work is reading and writing JSON (70 %).", "keep the object between"},
        {"<alloc::string::String as core::clone::Clone>::clone", "a.out", NULL, 700,
         "By the names of functions, its work is copying values", "lend values"},
        {"java.util.Formatter.format", "perf-12.map", NULL, 700,
         "By the names of functions, its work is putting values into formatted text", "append to one buffer"},
        {"cyclone", "a.out", NULL, 700, NULL, NULL},
        {"heap_getnextslot", "postgres", NULL, 600,
         "By the names of functions, its work is going through tables row by row (scans) (60 %).", "asks for an"},
        {"handler::ha_rnd_next", "mariadbd", NULL, 600,
         "By the names of functions, its work is going through tables row by row", "ANALYZE SELECT in MariaDB"},
        {"postgres+0x1234", "postgres", "heap_getnextslot", 600,
         "By the names of functions, its work is going through tables row by row", NULL},
        {"std::num_get<char, std::istreambuf_iterator<char> >::_M_extract_float", "libstdc++.so.6.0.30", NULL, 600,
         "By the names of functions, its work is reading and writing by streams of C++ (60 %).",
         "sync_with_stdio(false)"},
        {"__pow_fma", "libm.so.6", NULL, 600,
         "By the names of functions, its work is elementary functions (exp, log, pow, sin and their like) (60 %).",
         "x * x for pow(x, 2)"},
        {"powder", "libm.so.6", NULL, 600, NULL, NULL},
        {"__pow_fma", "a.out", NULL, 600, NULL, NULL}, /* anybody's */
        {"__udivti3", "a.out", NULL, 600, "By the names of functions, its work is dividing 128-bit integers",
         "Montgomery"},
        {"void std::vector<int, std::allocator<int> >::_M_realloc_insert<int const&>", "a.out", NULL, 600,
         "By the names of functions, its work is growing vectors (60 %).", "reserve()"},
        {"use(std::_Rb_tree_iterator<int>)", "a.out", NULL, 600, NULL, NULL}, /* one is given to it */
        {"std::_Rb_tree_increment", "libstdc++.so.6.0.30", NULL, 600,
         "By the names of functions, its work is walking balanced trees", "sorted once"},
        /* whose code it is alone, and what it does not said beyond that */
        {"liblzma.so.5.4.1+0x1200", "liblzma.so.5.4.1", NULL, 600,
         "By the names of functions, its work is compressing or decompressing (60 %).", NULL},
        {"libz.so.1.2.13+0x4970", "libz.so.1.2.13", "inflate", 600,
         "By the names of functions, its work is decompressing (60 %).", NULL},
        {"libcrypto.so.3+0x99", "libcrypto.so.3", NULL, 600,
         "By the names of functions, its work is cryptography (60 %).", "keep connections open"},
        {"runtime.mapaccess1_faststr", "a.out", NULL, 600,
         "By the names of functions, its work is looking up in maps of Go (60 %).", "look each key up once"},
        {"rsort.Less", "a.out", NULL, 600, NULL, NULL},
        {"libgmp.so.10.4.1+0x384a0", "libgmp.so.10.4.1", NULL, 600,
         "By the names of functions, its work is arithmetic on large numbers (60 %).", NULL},
        {"__gmpz_get_str", "libgmp.so.10.4.1", NULL, 600,
         "By the names of functions, its work is arithmetic on large numbers (60 %).", NULL},
        {"java.util.regex.Pattern$Node java.util.regex.Pattern.atom()", "perf-12.map", NULL, 600,
         "By the names of functions, its work is compiling regular expressions (60 %).", "a static Pattern"},
        {"boolean java.util.regex.Matcher.find()", "perf-12.map", NULL, 600,
         "By the names of functions, its work is matching regular expressions (60 %).", "nests repetitions"},
        {"liblzma.so.5.4.1+0x1200 (uses the table of CRC-32)", "liblzma.so.5.4.1", NULL, 600,
         "By the names of functions, its work is compressing or decompressing (60 %).", NULL}, /* hashes its bytes so */
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct stall_function functions[2] = {made.function, made.function};
        functions[0].name = cases[at].name;
        functions[0].dso = cases[at].dso;
        functions[0].samples = cases[at].samples;
        functions[0].stacks = cases[at].caller ? 100 : 0;
        functions[0].owners[0] = (struct stall_caller){.name = cases[at].caller, .dso = cases[at].dso, .stacks = 100};
        functions[0].owner_count = cases[at].caller ? 1 : 0;
        functions[1].samples = 1000 - cases[at].samples;
        made.stalls.functions = functions;
        made.stalls.function_count = 2;
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        bool said = strstr(overall.sentence, "By the names of functions");
        cr_expect_eq(said, cases[at].begins || cases[at].has, "%zu: %s", at, overall.sentence);
        if (cases[at].begins)
            cr_expect_eq(strncmp(overall.sentence, cases[at].begins, strlen(cases[at].begins)), 0, "%s", overall.sentence);
        bool has = cases[at].has && strstr(overall.sentence, cases[at].has);
        for (size_t advice = 0; cases[at].has && advice < overall.advice_count; advice++)
            has |= strstr(overall.advice[advice], cases[at].has) != NULL;
        cr_expect_eq(has, cases[at].has != NULL, "%zu: %s", at, overall.sentence);
        arena_done(&made.arena);
    }
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    made.function.name = "transit_state_bkref";
    made.function.dso = "libc.so.6";
    findings_test(&made.findings, &made.results, &made.arena);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_expect_null(strstr(overall.sentence, "By the names"), "%s", overall.sentence);
    arena_done(&made.arena);
}

/* Where neither a cause nor a name is the answer, what the instructions are for says what its code does; a large cause stands alone. */
Test(findings, what_the_instructions_are_for_stands_where_nothing_else_tells)
{
    static const struct {
        uint64_t samples; /* of 1000 */
        bool is_culprit, is_said;
    } cases[] = {{600, false, true}, {150, false, false}, {600, true, false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct instruction row = {.mnemonic = "psadbw", .class = INSTRUCTION_VECTOR, .memory = {.is_present = true}};
        uint64_t hits = cases[at].samples;
        struct stall_code code = {.items = &row, .hits = &hits, .count = 1};
        made.stalls.codes = &code;
        if (cases[at].is_culprit)
            add_small_pages(&made);
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        bool said = strstr(overall.sentence, "By its instructions, 60 % of its CPU time is in code that adds up differences of bytes, as where blocks of pictures are compared (psadbw).");
        cr_expect_eq(said, cases[at].is_said, "%zu: %s", at, overall.sentence);
        arena_done(&made.arena);
    }
}

/* Kinds that have little each are said where they are a fifth together. */
Test(findings, what_the_instructions_are_for_is_told_by_its_parts)
{
    static const struct {
        uint64_t first, second; /* samples of 1000 */
        const char *said;       /* NULL: nothing of it */
    } cases[] = {
        {140, 80, "By its instructions, 14 % of its CPU time is in code that multiplies vectors of 8- and 16-bit integers, as filters and transforms do (vpmaddwd), "
                  "8 % in code that adds up differences of bytes, as where blocks of pictures are compared (psadbw)."},
        {140, 40, NULL},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct instruction rows[2] = {{.mnemonic = "vpmaddwd", .class = INSTRUCTION_VECTOR}, {.mnemonic = "psadbw", .class = INSTRUCTION_VECTOR, .memory = {.is_present = true}}};
        struct stall_function functions[2] = {made.function, made.function};
        struct stall_code codes[2] = {{.items = &rows[0], .hits = (uint64_t[]){cases[at].first}, .count = 1}, {.items = &rows[1], .hits = (uint64_t[]){cases[at].second}, .count = 1}};
        made.stalls.functions = functions;
        made.stalls.codes = codes;
        made.stalls.function_count = array_count(functions);
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_expect_eq(strstr(overall.sentence, cases[at].said ? cases[at].said : "By its instructions") != NULL, cases[at].said != NULL, "%zu: %s", at, overall.sentence);
        arena_done(&made.arena);
    }
}

/*
 * What the hot loop does is said of code without a name, whatever the cause, and of any where no cause or name answers:
 * who knows the source knows it by that.
 */
Test(findings, the_hot_loop_tells_what_nameless_code_does)
{
    static const struct {
        const char *name, *dso;
        uint64_t samples; /* of 1000 */
        bool is_culprit, is_said;
    } cases[] = {
        {"a.out+0x40", "a.out", 600, false, true}, {"a.out+0x40", "a.out", 600, true, true}, {"hot", "a.out", 600, false, true},
        {"hot", "a.out", 600, true, false},        {"a.out+0x40", "a.out", 90, false, false},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        /* movswl (%rsi),%eax; imul (%rdi),%eax; jne back */
        struct instruction rows[] = {
            {.addr = 0, .mnemonic = "movsx", .class = INSTRUCTION_LOAD, .is_load = true, .falls_through = true, .writes = 1 << 0, .step_register = REGISTER_NONE,
             .memory = {.is_present = true, .base = 4, .index = REGISTER_NONE, .size_bytes = 2, .segment = REGISTER_NONE}},
            {.addr = 3, .mnemonic = "imul", .class = INSTRUCTION_LOAD_OP, .is_load = true, .falls_through = true, .reads = 1 << 0, .writes = 1 << 0, .step_register = REGISTER_NONE,
             .memory = {.is_present = true, .base = 0, .index = REGISTER_NONE, .size_bytes = 4, .segment = REGISTER_NONE}},
            {.addr = 6, .mnemonic = "jnz", .class = INSTRUCTION_BRANCH, .ends_block = true, .falls_through = true, .has_target = true, .target = 0, .step_register = REGISTER_NONE},
        };
        uint64_t hits[] = {0, cases[at].samples, 0};
        struct loop_rows loops[] = {{0, 2}, {0, 2}, {0, 2}};
        struct stall_code code = {.items = rows, .hits = hits, .loops = loops, .count = array_count(rows)};
        made.function.name = cases[at].name;
        made.function.dso = cases[at].dso;
        made.stalls.codes = &code;
        if (cases[at].is_culprit)
            add_small_pages(&made);
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        bool said = overall.loops && strstr(overall.loops, "(60 % of the CPU time, 3 instructions a turn), reads 4-byte values at places that what it loaded leads to; it computes products of integers (1)");
        cr_expect_eq(said, cases[at].is_said, "%zu: %s", at, overall.sentence);
        arena_done(&made.arena);
    }
}

/* A cause that leaves most of the time to be told doesn't stand alone. */
Test(findings, what_a_cause_leaves_is_told)
{
    static const struct {
        double ns_huge; /* where an access costs 20 ns on small pages */
        bool is_said;
    } cases[] = {{15, true}, {13, true}, {2, false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct bottleneck bottleneck = {.masses = {[CAUSE_RETIRING] = 0.4, [CAUSE_TLB] = 0.3, [CAUSE_CONDITIONAL] = 0.3}};
        add_small_pages(&made);
        made.cost.ns_huge = interval_of(0.95 * cases[at].ns_huge, cases[at].ns_huge, 1.05 * cases[at].ns_huge);
        made.cost.ns_near = interval_scaled(made.cost.ns_huge, 0.95);
        made.cost.ratio = interval_scaled(made.cost.ns_huge, 1. / 20);
        made.results.bottleneck = &bottleneck;
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_expect_eq(strstr(overall.sentence, "By estimate no one thing holds it up: busy with instructions 40 %") != NULL, cases[at].is_said, "%zu: %s", at, overall.sentence);
        arena_done(&made.arena);
    }
}

/* Code without names that the program compiled is the program's own work, however many pieces it lies in, and its runtime says how it gets names. */
Test(findings, generated_code_is_said_with_its_pieces)
{
    static const struct {
        struct {
            const char *name, *dso, *path;
            uint64_t samples;
        } functions[5];
        const char *said, *advised; /* NULL: nothing of it */
    } cases[] = {
        {{{"[JIT]+0x7f00", "[JIT] tid 1", "//anon", 800}, {"scm_apply", "libguile-3.0.so.1.5.0", "/usr/lib/libguile-3.0.so.1.5.0", 150}},
         "80 % of its CPU time is in code that was compiled while it ran: what the program itself does, without names here, nearly all of it in one piece.", "(statprof)"},
        {{{"[JIT]+0x1", "[JIT] tid 1", "//anon", 400}, {"[JIT]+0x2", "[JIT] tid 1", "//anon", 200}, {"[JIT]+0x3", "[JIT] tid 1", "//anon", 100}, {"[JIT]+0x4", "[JIT] tid 1", "//anon", 50}},
         "75 % of its CPU time is in code that was compiled while it ran: what the program itself does, without names here; its pieces have 40 %, 20 %, 10 %; 1 more has less.", "perf-PID.map"},
        {{{"sbcl.core+0x10", "sbcl.core", "/usr/lib/sbcl/sbcl.core", 500}, {"sbcl.core+0x20", "sbcl.core", "/usr/lib/sbcl/sbcl.core", 200}},
         "70 % of its CPU time is in compiled code of sbcl.core, the runtime's and the program's own, without names here; its pieces have 50 %, 20 %.", "sb-sprof"},
        {{{"JS:*hot", "anon", "//anon", 800}}, NULL, NULL},
        {{{"tool+0x10", "tool", "/usr/bin/tool", 800}}, NULL, NULL},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct stall_function functions[5] = {0};
        made.stalls.functions = functions;
        for (made.stalls.function_count = 0; cases[at].functions[made.stalls.function_count].name; made.stalls.function_count++) {
            size_t number = made.stalls.function_count;
            functions[number] = (struct stall_function){.name = cases[at].functions[number].name, .dso = cases[at].functions[number].dso,
                                                        .dso_path = cases[at].functions[number].path, .samples = cases[at].functions[number].samples};
            functions[number].share = interval_exactly((double)functions[number].samples / 1000);
        }
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_expect_eq(strstr(overall.sentence, cases[at].said ? cases[at].said : "compiled") != NULL, cases[at].said != NULL, "%zu: %s", at, overall.sentence);
        bool advised = false;
        const char *tries[OVERALL_TRIES_MOST];
        size_t count = overall_tries(&overall, tries);
        for (size_t advice = 0; advice < count; advice++)
            advised |= strstr(tries[advice], "without names") ||
                       strstr(tries[advice], cases[at].advised ? cases[at].advised : "let it say the names");
        cr_expect_eq(advised, cases[at].advised != NULL, "%zu: %s", at, overall.advice_count ? overall.advice[0] : "");
        arena_done(&made.arena);
    }
}

/* Loading is a part of a short run that no function's share tells; of a run too short for a verdict it is said, too. */
Test(findings, loading_is_said_where_it_is_much)
{
    static const struct {
        struct loading loading;
        double cpu_s;
        bool is_said;
    } cases[] = {{{1000, 200}, 10, true}, {{1000, 90}, 10, false}, {{40, 20}, 10, false}, {{60, 30}, 0.05, true}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.results.loading = &cases[at].loading;
        made.run.cpu_s = measured_as(cases[at].cpu_s);
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_expect_eq(strstr(overall.sentence, "Loading it takes") != NULL, cases[at].is_said, "%zu: %s", at, overall.sentence);
        arena_done(&made.arena);
    }
}

/* More of the same run is the first thing to try where what is open lacks samples, and is no advice where it doesn't or the program failed. */
Test(findings, a_short_run_is_to_be_repeated)
{
    static const struct {
        double share;
        size_t runs; /* that it was run */
        int status;
        enum run_scope scope;
        const char *has; /* NULL: nothing of it */
    } cases[] = {
        {0.4, 1, 0, RUN_STARTED, "40 % of the CPU time lies in code that too few samples fell into to tell what it waits for: plumb diagnose --runs 3 -- CMD"},
        {0.4, 4, 0, RUN_STARTED, "--runs 12 -- CMD"},
        {0.05, 1, 0, RUN_STARTED, NULL},
        {0.4, 1, 1, RUN_STARTED, NULL},
        {0.4, 1, 0, RUN_ATTACHED, "watch it 3 times as long (--duration)"},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct bottleneck bottleneck = {.lack = {cases[at].share, 3}};
        struct run_spread runs = {.count = cases[at].runs};
        made.results.bottleneck = &bottleneck;
        made.results.runs = cases[at].runs > 1 ? &runs : NULL;
        made.results.exit_status = cases[at].status;
        made.run.scope = cases[at].scope;
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        bool has = overall.advice_count && strstr(overall.advice[0], cases[at].has ? cases[at].has : "too few samples");
        cr_expect_eq(has, cases[at].has != NULL, "%zu: %s", at, overall.advice_count ? overall.advice[0] : "");
        arena_done(&made.arena);
    }
}

/* A compiler's suffixes of clones and parts tell a reader nothing; what only looks like one stays. */
Test(findings, names_in_sentences_are_those_of_the_source)
{
    static const char *const cases[][2] = {
        {"finish_task_switch.isra.0", "finish_task_switch"}, {"str_to_mpn.part.0.constprop.0", "str_to_mpn"}, {"work.cold", "work"},
        {"f.llvm.123456", "f"}, {"[JIT]+0x7f00", "[JIT]+0x7f00"}, {"libz.so.1.2.13+0x4970", "libz.so.1.2.13+0x4970"}, {"main.worker", "main.worker"},
        {"net.(*conn).part.Read", "net.(*conn).part.Read"}, {".cold", ".cold"}, {"a.partial", "a.partial"}, {"go.part.0<T>", "go.part.0<T>"},
    };
    struct arena arena;
    arena_init(&arena);
    for (size_t at = 0; at < array_count(cases); at++)
        cr_expect_str_eq(name_for_sentence(cases[at][0], &arena), cases[at][1], "%zu", at);
    arena_done(&arena);
}

/* Where a guest's host gives huge pages anew, a short run pays more for them than they return; a long one or one that runs already doesn't. */
Test(findings, small_pages_gain_is_less_what_huge_pages_cost_to_take)
{
    static const struct {
        double cpu_s, least_ns, huge_ns;
        enum run_scope scope;
        double low, high;
        enum verdict verdict;
        bool is_said;
    } cases[] = {
        {10, 11000, 11000, RUN_STARTED, 0.30, 0.5, VERDICT_SUPPORTED, true},
        {1.2, 11000, 11000, RUN_STARTED, 0, 0.5, VERDICT_UNDECIDED, true},
        {1.2, 400, 11000, RUN_STARTED, 0, 0.5, VERDICT_SUPPORTED, true}, /* dear, but cheap right after another gave them back */
        {1.2, 11000, 11000, RUN_ATTACHED, 0.4, 0.5, VERDICT_SUPPORTED, false},
        {1.2, 1000, 1000, RUN_STARTED, 0.4, 0.5, VERDICT_SUPPORTED, false},
        {100, 11000, 11000, RUN_STARTED, 0.4, 0.5, VERDICT_SUPPORTED, false},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        add_small_pages(&made);
        made.run.scope = cases[at].scope;
        made.run.elapsed_s = made.run.cpu_s = made.run.user_s = measured_as(cases[at].cpu_s);
        made.stalls.cpu_s = cases[at].cpu_s;
        made.activity.minor_faults = measured_as(1 << 16);
        made.group.area_resident_bytes = 1 << 28;
        made.cost.ns_touch_small = interval_exactly(2000);
        made.cost.ns_touch_huge = interval_of(cases[at].least_ns, (cases[at].least_ns + cases[at].huge_ns) / 2, cases[at].huge_ns);
        const struct finding *finding = test_and_find(&made, "small-pages");
        cr_assert_eq(finding->verdict, cases[at].verdict, "%zu: %d", at, finding->verdict);
        cr_assert(finding->recoverable.low >= cases[at].low && finding->recoverable.high <= cases[at].high, "%zu: %f to %f", at,
                  finding->recoverable.low, finding->recoverable.high);
        cr_assert_eq(mentions(finding, "have to be taken first"), cases[at].is_said, "%zu", at);
        arena_done(&made.arena);
    }
}

/* The loop around is known: its whole turn, with the work in it, loses by the probe's ratio; the samples at the load are waiting alone. */
Test(findings, small_pages_gain_is_told_by_the_whole_turn_too)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    made.stalls.memory_samples = made.group.samples = 240;
    made.group.share = wilson_interval(240, 1000, 1000);
    made.row.shown_addr = made.group.row.shown_addr = 0x1040;
    made.cost.work_instructions = 68;
    made.cost.ratio_spread = interval_of(0.78, 0.81, 0.83);
    made.cost.wait_spread = interval_of(0.38, 0.4, 0.44);
    const struct finding *finding = test_and_find(&made, "small-pages");
    cr_assert(finding->recoverable.low < 0.05, "%f", finding->recoverable.low);
    struct bottleneck_loop loop = {.verdict = {.function = "hot"}, .first_addr = 0x1000, .last_addr = 0x1100, .samples = 700};
    struct bottleneck bottleneck = {.loops = &loop, .loop_count = 1};
    made.results.bottleneck = &bottleneck;
    finding = test_and_find(&made, "small-pages");
    cr_assert(finding->recoverable.low > 0.10 && finding->recoverable.high < 0.25, "%f %f", finding->recoverable.low, finding->recoverable.high);
    cr_assert_float_eq(finding->recoverable.mid, (0.24 * 0.6 + 0.7 * 0.19) / 2, 0.01);
    loop.first_addr = 0x1050; /* another loop of it says nothing */
    finding = test_and_find(&made, "small-pages");
    cr_assert(finding->recoverable.low < 0.05, "%f", finding->recoverable.low);
    arena_done(&made.arena);
}

/* "5 to 41 %" of an unmeasured gain is no larger cause than 12 % that is certain. */
Test(findings, a_wide_share_is_no_larger_cause)
{
    struct made_up made;
    make_up(&made);
    made.kernel.kernel_samples = made.kernel.call_samples = 120;
    made.function.name = "__memmove_evex";
    made.function.samples = 60;
    made.stalls.unnamed_samples = 350;
    findings_test(&made.findings, &made.results, &made.arena);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(!strstr(overall.sentence, "Larger still"), "%s", overall.sentence);
    arena_done(&made.arena);
}

/* Half of a long wait is more than all of a little CPU time. */
Test(findings, what_is_larger_is_compared_in_seconds)
{
    struct made_up made;
    make_up(&made);
    made.run.elapsed_s = measured_as(30);
    made.run.on_cpu_ratio = made.run.cpus_used = measured_as(1.0 / 3);
    made.run.run_delay_s = measured_as(20);
    made.activity.quota_cpus = measured_as(1.0 / 3);
    made.activity.throttled_s = measured_as(14);
    made.activity.group_others = measured_as(0);
    made.stalls.class_samples[INSTRUCTION_DIV] = 900;
    made.row = (struct stall_row){.text = "div %rcx", .class = INSTRUCTION_DIV, .samples = 900};
    findings_test(&made.findings, &made.results, &made.arena);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_str_eq(overall.culprit->hypothesis->id, "cpu-quota");
    cr_assert(!strstr(overall.sentence, "Larger still"), "%s", overall.sentence);
    arena_done(&made.arena);
}

/* What others took says nothing of the code: it is said beside the cause, and gains are shares of CPU time. */
/* What was not put into a pattern, not met by a sample or not visible from a guest bounds nothing. */
Test(findings, what_was_not_seen_is_not_ruled_out)
{
    struct made_up made;
    make_up(&made);
    cr_assert_eq(test_and_find(&made, "memory-bandwidth")->verdict, VERDICT_RULED_OUT);
    cr_assert_eq(test_and_find(&made, "numa-remote")->verdict, VERDICT_RULED_OUT, "nothing waits for memory");
    made.stalls.memory_samples = 900; /* in no group: many small mappings, gathers */
    cr_assert_eq(test_and_find(&made, "memory-bandwidth")->verdict, VERDICT_UNDECIDED);
    cr_assert_eq(test_and_find(&made, "numa-remote")->verdict, VERDICT_NOT_TESTABLE, "the host's nodes aren't seen");
    made.machine.is_guest = false;
    cr_assert_eq(test_and_find(&made, "numa-remote")->verdict, VERDICT_RULED_OUT, "one node");
    made.machine.has_avx512 = true;
    cr_assert_eq(test_and_find(&made, "avx512-licence")->verdict, VERDICT_RULED_OUT);
    made.stalls.has_wide_code = true; /* a burst that no sample met */
    cr_assert_eq(test_and_find(&made, "avx512-licence")->verdict, VERDICT_UNDECIDED);
    made.stalls.hot_code_lines = 100;
    cr_assert_eq(test_and_find(&made, "front-end")->verdict, VERDICT_RULED_OUT);
    made.stalls.single_lines = 200;
    cr_assert_eq(test_and_find(&made, "front-end")->verdict, VERDICT_UNDECIDED);
    made.stalls.narrow_loop_samples = 800; /* the loop's counting and loading, not only its arithmetic */
    cr_assert_eq(test_and_find(&made, "narrow-vectors")->verdict, VERDICT_UNDECIDED);
    made.run.migrations = measured_as(1000);
    cr_assert_eq(test_and_find(&made, "migrations")->verdict, VERDICT_UNDECIDED);
    arena_done(&made.arena);
}

/* One address on a huge page doesn't speak for those whose page size isn't known. */
Test(findings, pages_of_unknown_size_may_be_small)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    made.group.base_hits = 0;
    made.group.huge_hits = 1;
    made.group.unknown_hits = 899;
    made.group.base_share = wilson_interval(0, 1, 1);
    cr_assert_eq(test_and_find(&made, "small-pages")->verdict, VERDICT_UNDECIDED);
    arena_done(&made.arena);
}

/* Two parts of one wait, each named by what it returns; the larger part is said first. */
Test(findings, of_pages_and_caches_at_one_load_the_larger_part_comes_first)
{
    static const struct {
        double huge;
        const char *first;
        const char *said;
    } cases[] = {{8, "small-pages", "Huge pages for it would return 5"}, {14, "cache-misses", "All of it in the near caches would return 8"}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        add_small_pages(&made);
        made.group.dependent_samples = 900;
        made.cost.ns_near = interval_of(0.45, 0.5, 0.55);
        made.cost.ns_small = interval_of(19.9, 20, 20.1);
        made.cost.ns_huge = interval_of(cases[at].huge - 0.1, cases[at].huge, cases[at].huge + 0.1);
        made.cost.ratio = interval_of(cases[at].huge / 20 - 0.02, cases[at].huge / 20, cases[at].huge / 20 + 0.02);
        const struct finding *misses = test_and_find(&made, "cache-misses");
        cr_assert_eq(misses->verdict, VERDICT_SUPPORTED);
        cr_assert_str_eq(made.findings.items[0].hypothesis->id, cases[at].first);
        /* In the near caches an access costs a fortieth: with its page walks gone, too, as the check will find. */
        cr_assert(misses->recoverable.low > 0.8 && misses->recoverable.high < 0.95, "%f %f", misses->recoverable.low, misses->recoverable.high);
        cr_assert(strstr(misses->confirm, "must fall by 96 % or more"), "%s", misses->confirm);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_assert(strstr(overall.sentence, cases[at].said) && !strstr(overall.sentence, "isn't measured"), "%s", overall.sentence);
        made.function.dso_path = "/usr/bin/a.out"; /* nobody here can change that code, its pages they can */
        misses = test_and_find(&made, "cache-misses");
        cr_assert_eq(at == 1, strstr(misses->advice[0], "glibc.malloc.hugetlb=1") != NULL, "%s", misses->advice[0]);
        arena_done(&made.arena);
    }
}

/* The estimate names the walks, and probes that they are next to nothing of the wait: what was measured says more. */
Test(findings, measured_pages_that_return_little_do_not_lead_before_misses_for_an_estimate)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    made.group.dependent_samples = 900;
    made.cost.ns_near = interval_of(0.45, 0.5, 0.55);
    made.cost.ns_small = interval_of(19.9, 20, 20.1);
    made.cost.ns_huge = interval_of(17.9, 18, 18.1);
    made.cost.ratio = interval_of(0.88, 0.9, 0.92);
    struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_MEMORY, .cause = CAUSE_TLB, .confidence = ESTIMATE_HIGH, .function = made.function.name,
                                                .share = interval_of(0.85, 0.9, 0.95), .recoverable = interval_of(0.1, 0.5, 0.9)}};
    made.results.bottleneck = &bottleneck;
    cr_assert_eq(test_and_find(&made, "small-pages")->verdict, VERDICT_SUPPORTED);
    cr_assert_str_eq(made.findings.items[0].hypothesis->id, "cache-misses");
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_expect(!strstr(overall.sentence, "Of like weight by estimate"), "%s", overall.sentence);
    arena_done(&made.arena);
}

/* A look-up in a tree has no loops to swap and no list to lay out in order; a search by halving is no walk either. */
Test(findings, advice_on_look_ups_fits_how_they_go_on)
{
    enum { BASE = 5, OTHER = 0, INDEX = 2 };
    static const struct memory_operand left = {.base = BASE, .index = REGISTER_NONE, .size_bytes = 8, .displacement = 8, .is_present = true};
    static const struct memory_operand right = {.base = BASE, .index = REGISTER_NONE, .size_bytes = 8, .displacement = 16, .is_present = true};
    static const struct memory_operand middle = {.base = BASE, .index = OTHER, .scale = 8, .size_bytes = 8, .is_present = true};
    struct instruction tree[] = {
        {.class = INSTRUCTION_LOAD, .is_load = true, .memory = left, .reads = 1 << BASE, .writes = 1 << OTHER},
        {.class = INSTRUCTION_LOAD, .is_load = true, .memory = right, .reads = 1 << BASE | 1 << OTHER, .writes = 1 << OTHER},
        {.class = INSTRUCTION_INT, .reads = 1 << OTHER, .writes = 1 << BASE},
        {.class = INSTRUCTION_BRANCH, .has_target = true, .target = 0x1000},
    };
    struct instruction halving[] = {
        {.class = INSTRUCTION_INT, .mnemonic = "sar", .reads = 1 << OTHER, .writes = 1 << OTHER},
        {.class = INSTRUCTION_LOAD, .is_load = true, .memory = middle, .reads = 1 << BASE | 1 << OTHER},
        {.class = INSTRUCTION_INT, .reads = 1 << OTHER, .writes = 1 << INDEX},
        {.class = INSTRUCTION_INT, .reads = 1 << INDEX, .writes = 1 << OTHER},
        {.class = INSTRUCTION_BRANCH, .has_target = true, .target = 0x1000},
    };
    static const struct {
        const char *said;
        size_t count;
        bool halves;
    } cases[] = {{"B-tree), or a hash table", array_count(tree), false}, {"Eytzinger", array_count(halving), true}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        add_small_pages(&made);
        struct instruction *rows = cases[at].halves ? halving : tree;
        for (size_t row = 0; row < cases[at].count; row++)
            rows[row].addr = 0x1000 + 4 * row, rows[row].length = 4, rows[row].falls_through = true;
        struct stall_code code = {.items = rows, .count = cases[at].count};
        made.stalls.codes = &code;
        made.group.row.shown_addr = 0x1004;
        made.group.set.stride_bytes = 4096;
        made.cost.ns_near = interval_of(0.45, 0.5, 0.55);
        const struct finding *misses = test_and_find(&made, "cache-misses");
        cr_assert_eq(misses->verdict, VERDICT_SUPPORTED);
        cr_expect(mentions(misses, cases[at].said) && mentions(misses, "several look-ups at once") && !mentions(misses, "swap loops"), "%s",
                  misses->advice[0]);
        cr_expect_eq(strstr(misses->headline, "searches by halving") != NULL, cases[at].halves, "%s", misses->headline);
        const struct finding *pages = test_and_find(&made, "small-pages");
        cr_expect(pages->verdict == VERDICT_SUPPORTED && !mentions(pages, "swap the loops"), "%s", pages->advice[0]);
        arena_done(&made.arena);
    }
}

/* The function named has 45 % of the samples: what returns more belongs to others, too, and no more than waits at all. */
Test(findings, what_returns_more_than_the_function_named_has_says_so)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    made.cost.ns_near = interval_of(0.45, 0.5, 0.55);
    struct stall_group groups[] = {made.group, made.group};
    struct access_cost costs[] = {made.cost, made.cost};
    for (size_t at = 0; at < array_count(groups); at++) {
        groups[at].samples = groups[at].load_samples = groups[at].base_hits = 450;
        groups[at].share = wilson_interval(450, 1000, 1000);
        costs[at].group = (uint32_t)at;
    }
    made.stalls.groups = groups;
    made.stalls.group_count = array_count(groups);
    made.costs.items = costs;
    made.costs.count = array_count(costs);
    const struct finding *misses = test_and_find(&made, "cache-misses");
    cr_assert_eq(misses->verdict, VERDICT_SUPPORTED);
    cr_expect(strstr(misses->returner, "42 to 48 % of the samples") && strstr(misses->returner, "other code"), "%s", misses->returner);
    cr_expect(misses->recoverable.high <= wilson_interval(900, 1000, 1000).high, "%f: more than waits", misses->recoverable.high);
    cr_expect(mentions(misses, "in no order") && !mentions(misses, "swap loops"), "%s", misses->advice[0]); /* no stride: a hash table, say */
    groups[0].set.stride_bytes = groups[1].set.stride_bytes = 4096;
    cr_expect(mentions(test_and_find(&made, "cache-misses"), "swap loops"));
    arena_done(&made.arena);
}

/* The machine's speed changed while the probe ran: its interval goes down to nothing, and the estimate needs no probe. */
Test(findings, pages_left_open_by_the_probes_noise_are_decided_by_the_estimate)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    made.cost.ns_near = interval_of(6, 7, 8);
    made.cost.ns_small = interval_of(30, 48, 70);
    made.cost.ns_huge = interval_of(14, 30, 50);
    made.cost.ratio = interval_of(0.3, 0.63, 1.05);
    const struct finding *pages = test_and_find(&made, "small-pages");
    cr_assert_eq(pages->verdict, VERDICT_UNDECIDED);
    double high = pages->recoverable.high;
    struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_MEMORY, .cause = CAUSE_TLB, .confidence = ESTIMATE_HIGH}};
    bottleneck.masses[CAUSE_TLB] = 0.8;
    made.results.bottleneck = &bottleneck;
    pages = test_and_find(&made, "small-pages");
    cr_assert_eq(pages->verdict, VERDICT_SUPPORTED, "%s", pages->reason);
    cr_assert(!pages->gain_unmeasured && pages->recoverable.high <= high && pages->recoverable.low < 0.01);
    cr_assert_eq(test_and_find(&made, "cache-misses")->verdict, VERDICT_SUPPORTED);
    cr_assert_str_eq(made.findings.items[0].hypothesis->id, "small-pages", "and its advice is the page's");
    bottleneck.program.confidence = ESTIMATE_LOW;
    cr_assert_eq(test_and_find(&made, "small-pages")->verdict, VERDICT_UNDECIDED);
    arena_done(&made.arena);
}

/* A small measured gain doesn't stand before a cause of several times its time whose gain isn't measured. */
Test(findings, what_is_far_larger_leads_with_its_advice)
{
    struct made_up made;
    make_up(&made);
    made.kernel.fault_samples = 180;
    made.kernel.kernel_samples = 180;
    made.stalls.memory_samples = made.row.samples = 700;
    struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_MEMORY, .cause = CAUSE_BANDWIDTH, .confidence = ESTIMATE_HIGH,
                                                .function = "hot", .instruction = "movupd (%rbx),%xmm0", .share = interval_of(0.64, 0.65, 0.66)}};
    bottleneck.masses[CAUSE_BANDWIDTH] = 0.65;
    made.results.bottleneck = &bottleneck;
    const struct finding *bandwidth = test_and_find(&made, "memory-bandwidth");
    cr_assert_eq(bandwidth, &made.findings.items[0]);
    cr_assert(mentions(bandwidth, "fewer passes") && mentions(bandwidth, "smaller types"));
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strstr(overall.sentence, "hot walks through more memory than the caches hold") == overall.sentence, "%s", overall.sentence);
    cr_assert(strstr(overall.sentence, "of the elapsed time, estimated"), "%s", overall.sentence);
    bottleneck.masses[CAUSE_BANDWIDTH] = 0.25; /* not even twice as much: the one whose gain is known comes first */
    made.stalls.memory_samples = 300;
    (void)test_and_find(&made, "memory-bandwidth");
    cr_assert_str_eq(made.findings.items[0].hypothesis->id, "page-faults");
    made.stalls.memory_samples = 0;
    made.results.bottleneck = NULL;
    made.row.class = INSTRUCTION_DIV;
    made.stalls.class_samples[INSTRUCTION_DIV] = 800;
    (void)test_and_find(&made, "divider");
    cr_assert_str_eq(made.findings.items[0].hypothesis->id, "divider");
    arena_done(&made.arena);
}

/* The demo: an unoptimised build's share is of all that it runs, and what was measured is what the estimate names. */
Test(findings, what_is_larger_does_not_lead_over_what_the_estimate_names)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    made.cost.ratio = made.cost.ratio_spread = made.cost.wait_spread = interval_of(0.75, 0.8, 0.85);
    made.cost.ns_huge = interval_of(15.5, 16, 16.5);
    made.cost.ns_near = interval_of(15.3, 15.5, 15.6);
    made.function.frame_density = 0.45;
    made.function.reload_density = 0.08;
    (void)test_and_find(&made, "unoptimised-build");
    cr_assert_str_eq(made.findings.items[0].hypothesis->id, "unoptimised-build", "not %s", made.findings.items[0].hypothesis->id);
    struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_MEMORY, .cause = CAUSE_TLB, .confidence = ESTIMATE_HIGH,
                                                .share = interval_of(0.78, 0.79, 0.8)}};
    bottleneck.masses[CAUSE_TLB] = 0.8;
    made.results.bottleneck = &bottleneck;
    cr_assert_eq(test_and_find(&made, "small-pages"), &made.findings.items[0], "first is %s", made.findings.items[0].hypothesis->id);
    arena_done(&made.arena);
}

/* Page faults return about as much as huge pages do for the loads: what the estimate names as well leads. */
Test(findings, of_causes_of_like_weight_the_one_that_the_estimate_names_leads)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    made.stalls.memory_samples = made.group.samples = 300;
    made.group.share = wilson_interval(300, 1000, 1000);
    made.cost.ratio = made.cost.ratio_spread = made.cost.wait_spread = interval_of(0.5, 0.52, 0.55);
    made.kernel.fault_samples = made.kernel.kernel_samples = 180;
    (void)test_and_find(&made, "page-faults");
    cr_assert_str_eq(made.findings.items[0].hypothesis->id, "page-faults");
    struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_MEMORY, .cause = CAUSE_TLB, .confidence = ESTIMATE_MEDIUM,
                                                .share = interval_of(0.44, 0.46, 0.48)}};
    bottleneck.masses[CAUSE_TLB] = 0.46;
    made.results.bottleneck = &bottleneck;
    cr_assert_eq(test_and_find(&made, "small-pages"), &made.findings.items[0], "first is %s", made.findings.items[0].hypothesis->id);
    made.kernel.fault_samples = made.kernel.kernel_samples = 500; /* far more of it */
    cr_assert_eq(test_and_find(&made, "page-faults"), &made.findings.items[0], "first is %s", made.findings.items[0].hypothesis->id);
    arena_done(&made.arena);
}

/* "Again" needs more faults than what it ever held takes. */
Test(findings, memory_touched_once_was_not_given_back)
{
    static const struct {
        double faults, resident;
        bool once, again;
    } cases[] = {{196694, 805e6, true, false}, {800000, 40e6, false, true}, {800000, 0, false, false}, {17000, 40e6, false, false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.kernel.fault_samples = made.kernel.kernel_samples = 600;
        made.kernel.entries[0] = (struct kernel_entry){"munmap", 3};
        made.kernel.entry_count = 1;
        made.activity.minor_faults = measured_as(cases[at].faults);
        made.activity.resident_most_bytes = cases[at].resident > 0 ? measured_as(cases[at].resident) : not_measured("it was gone");
        const struct finding *finding = test_and_find(&made, "page-faults");
        cr_expect_eq(strstr(finding->headline, "once") != NULL, cases[at].once, "%s", finding->headline);
        cr_expect_eq(strstr(finding->headline, "given back") != NULL, cases[at].again, "%s", finding->headline);
        cr_expect_eq(mentions(finding, "trim_threshold"), !cases[at].once, "%zu", at);
        cr_expect_eq(mentions(finding, "MADV_POPULATE_WRITE"), cases[at].once, "%zu", at);
        cr_expect_eq(strstr(finding->confirm, "hugetlb=1") != NULL, cases[at].once, "%s", finding->confirm);
        made.kernel.entries[0].samples = 100; /* it gives much back: huge pages bring more than a page at a fault */
        finding = test_and_find(&made, "page-faults");
        cr_expect(mentions(finding, "munmap") && !strstr(finding->headline, "once"), "%s", finding->headline);
        cr_expect(strstr(finding->advice[0], "keep memory"), "a setting before code: %s", finding->advice[0]);
        made.results.command = "./a.out";
        made.kernel.entries[1] = (struct kernel_entry){"brk", 5}; /* malloc's: then its setting is the check */
        made.kernel.entry_count = 2;
        finding = test_and_find(&made, "page-faults");
        cr_expect(strstr(finding->confirm, "-- env GLIBC_TUNABLES=glibc.malloc.trim_threshold"), "%s",
                  finding->confirm);
        arena_done(&made.arena);
    }
}

/* Memory that is kept is cleared once, by whichever pages; and huge ones are no gain where the host gives them anew. */
Test(findings, faults_of_memory_that_is_kept_return_its_clearing_at_most)
{
    static const struct {
        double resident, huge_ns, low_most;
        bool dear;
    } cases[] = {{268e6, 400, 0.3, false}, {268e6, 9000, 0.3, true}, {26e6, 9000, 1, true}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        add_small_pages(&made);
        made.kernel.fault_samples = made.kernel.kernel_samples = 600;
        made.kernel.zero_samples = 400;
        made.activity.minor_faults = measured_as(1 << 16);
        made.activity.resident_most_bytes = measured_as(cases[at].resident);
        made.cost.ns_touch_small = interval_exactly(2000);
        made.cost.ns_touch_huge = interval_exactly(cases[at].huge_ns);
        const struct finding *finding = test_and_find(&made, "page-faults");
        bool is_kept = cases[at].low_most < 1;
        cr_expect_eq(finding->verdict, VERDICT_SUPPORTED, "%zu", at);
        cr_expect(finding->recoverable.low < cases[at].low_most && (finding->recoverable.low > 0.5) == !is_kept && finding->recoverable.high > 0.6,
                  "%zu: %f to %f", at, finding->recoverable.low, finding->recoverable.high);
        cr_expect(strstr(finding->headline, "57 to 63 %") != NULL, "%s", finding->headline);
        cr_expect_eq(mentions(finding, "but try it"), cases[at].dear, "%zu", at);
        arena_done(&made.arena);
    }
}

/* Huge pages for what its faults brought: not where they are had, and by the way that such memory can take them. */
Test(findings, faults_have_the_remedy_of_the_mapping_they_brought)
{
    static const struct {
        struct stall_group mapping;
        const char *policy, *advised, *confirm; /* advised NULL: nothing about huge pages */
    } cases[] = {
        {{.is_anonymous = true}, "madvise", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1", "hugetlb=1"},
        {{.is_anonymous = true, .advised_never = true}, "madvise", "MADV_NOHUGEPAGE", "drop that call"},
        {{.is_shared = true}, "madvise", "shmem_enabled", "use it again in a copy"},
        {{.is_anonymous = true}, "never", "but they are off", "switch them on"},
        {{.is_anonymous = true, .advised_huge = true}, "madvise", NULL, "use it again in a copy"},
        {{.is_anonymous = true, .huge_hits = 90, .base_hits = 10}, "always", NULL, "use it again in a copy"},
    };
    for (size_t at = 0; at < array_count(cases); at++)
        for (int is_most = 0; is_most < 2; is_most++) {
            struct made_up made;
            make_up(&made);
            made.kernel.fault_samples = made.kernel.kernel_samples = 600;
            made.activity.minor_faults = measured_as(1 << 16);
            made.activity.resident_most_bytes = measured_as(268e6);
            made.group = cases[at].mapping;
            made.group.area_known = true;
            made.group.area = "anonymous memory";
            made.group.area_resident_bytes = 1 << 24; /* its page map was taken early */
            made.group.area_bytes = is_most ? 1 << 28 : 1ull << 40;
            made.stalls.groups = &made.group;
            made.stalls.group_count = 1;
            made.machine.thp_enabled = cases[at].policy;
            const struct finding *finding = test_and_find(&made, "page-faults");
            bool of_policy = strcmp(cases[at].policy, "never") == 0;
            const char *advised = is_most || of_policy ? cases[at].advised : "GLIBC_TUNABLES=glibc.malloc.hugetlb=1";
            const char *confirm = is_most || of_policy ? cases[at].confirm : "hugetlb=1";
            cr_expect(advised ? mentions(finding, advised) : !mentions(finding, "one fault for 2 MiB"), "%zu, %d", at, is_most);
            cr_expect(strstr(finding->confirm, confirm) != NULL, "%zu: %s", at, finding->confirm);
            arena_done(&made.arena);
        }
}

Test(findings, others_on_the_cpu_dont_bury_the_cause)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    made.run.elapsed_s = measured_as(100);
    made.run.on_cpu_ratio = measured_as(0.1);
    made.run.cpus_used = measured_as(0.1);
    made.run.run_delay_s = measured_as(90);
    made.run.preempted_s = measured_as(90);
    const struct finding *finding = test_and_find(&made, "small-pages");
    cr_assert_eq(finding->of, OF_CPU_TIME);
    cr_assert(finding->recoverable.low > 0.40, "%f", finding->recoverable.low);
    cr_assert_eq(finding, &made.findings.items[0]);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strstr(overall.sentence, "of the CPU time. Beside that, others held its CPUs"), "%s", overall.sentence);
    arena_done(&made.arena);
}

Test(findings, a_chain_of_loads_that_the_code_shows_is_a_fact)
{
    struct made_up made;
    make_up(&made);
    made.stalls.class_samples[INSTRUCTION_GATHER] = 900;
    made.stalls.load_samples = 900; /* of whatever class */
    cr_assert_eq(test_and_find(&made, "load-chain")->verdict, VERDICT_UNDECIDED);
    made.row.is_addressed = true;
    made.stalls.addressed_samples = 900;
    const struct finding *finding = test_and_find(&made, "load-chain");
    cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
    cr_assert(finding->gain_unmeasured && finding->recoverable.low == 0, "what cutting it returns isn't known");
    cr_assert(strstr(finding->headline, "hot goes from load to load"), "%s", finding->headline);
    struct stall_function functions[] = {made.function, made.function, made.function, made.function, made.function};
    struct stall_row other = made.row;
    for (size_t at = 1; at < array_count(functions); at++)
        functions[at].rows = &other;
    functions[4].is_kernel = true;
    made.stalls.functions = functions;
    made.stalls.function_count = array_count(functions);
    static const struct {
        uint64_t own, others;
        const char *said;
    } cases[] = {{900, 3, "waits for the one before (88 to 92 % of the elapsed time)"},
                 {700, 60, "(67 to 73 % of the elapsed time; 88 to 92 % in 4 functions together)"},
                 {300, 200, "several functions go from load to load, hot first (27 to 33 %)"}};
    for (size_t at = 0; at < array_count(cases); at++) {
        made.row.samples = cases[at].own;
        other.samples = cases[at].others;
        finding = test_and_find(&made, "load-chain");
        cr_expect(strstr(finding->headline, cases[at].said), "%s", finding->headline);
    }
    made.row.is_addressed = other.is_addressed = false;
    made.stalls.addressed_samples = 0;
    made.stalls.load_samples = 0;
    cr_assert_eq(test_and_find(&made, "load-chain")->verdict, VERDICT_RULED_OUT);
    arena_done(&made.arena);
}

/* What is looked for begins anew each time, or goes on where it stopped, or goes down one of two ways: as gcc 12 -O2 makes them. */
Test(findings, a_search_along_a_chain_is_told_from_a_tree_and_from_lists_that_are_merged)
{
    enum { ROWS = 24 };
    static const struct {
        const char *hex, *said, *advised;
        uint64_t chase;
    } cases[] = {
        {"eb0f660f1f440000483977087412488b3f4885ff75f231c0c30f1f80000000004889f8c3", "searches along a chain",
         "more buckets", 0x100e},
        {"eb17660f1f44000048397710741a488b07480f4e47084889c74885ff75ea31c0c30f1f80000000004889f8c3", "goes down a tree",
         "a B-tree", 0x100e},
        {"31d24885f6742d660f1f840000000000488b460848394708740f660f1f440000488b3f4839470875f7488b364801c24885f675dc4889d"
         "0c3",
         "goes from load to load", "a linked structure", 0x1020},
        {"4885f674334c8b0731c9498b78086690488b56084839fa74104c89c00f1f4000488b004839500875f7488b364801d14885f675dc4889c"
         "8c331c94889c8c3",
         "searches along a chain", "more buckets", 0x1020},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        struct instruction rows[ROWS];
        uint64_t hits[ROWS] = {0}, sampled[ROWS + 1] = {0};
        uint16_t marks[ROWS] = {0};
        uint32_t chases[ROWS] = {0}, count = 0;
        struct loop_rows loops[ROWS];
        uint8_t bytes[128];
        size_t size = strlen(cases[at].hex) / 2;
        struct disassembler *disassembler;
        struct error err = {0};
        for (size_t byte = 0; byte < size; byte++) {
            unsigned value;
            cr_assert_eq(sscanf(cases[at].hex + 2 * byte, "%2x", &value), 1);
            bytes[byte] = (uint8_t)value;
        }
        if (!disassembler_new(&disassembler, "x86_64", SYNTAX_ATT, &err))
            cr_skip_test("%s", err.message);
        for (size_t byte = 0; byte < size; byte += rows[count++].length)
            cr_assert(disassembler_next(disassembler, bytes + byte, size - byte, 0x1000 + byte, &rows[count]));
        disassembler_free(disassembler);
        code_loops_find(rows, count, loops);
        for (uint32_t row = 0; row < count; row++)
            hits[row] = rows[row].addr == cases[at].chase ? 900 : 0;
        make_up(&made);
        struct stall_code code = {.items = rows,
                                  .hits = hits,
                                  .sampled = sampled,
                                  .marks = marks,
                                  .chases = chases,
                                  .loops = loops,
                                  .count = count};
        made.stalls.codes = &code;
        made.row = (struct stall_row){.text = "mov (%rdi),%rdi",
                                      .shown_addr = cases[at].chase,
                                      .class = INSTRUCTION_LOAD,
                                      .is_load = true,
                                      .samples = 900,
                                      .is_addressed = true};
        made.stalls.addressed_samples = made.stalls.load_samples = 900;
        const struct finding *finding = test_and_find(&made, "load-chain");
        cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect(strstr(finding->headline, cases[at].said) && mentions(finding, cases[at].advised), "%zu: %s", at,
                  finding->headline);
        cr_expect(!strstr(cases[at].said, "tree") || !mentions(finding, "two lists"));
        arena_done(&made.arena);
    }
}

/* Most of a loop's samples stand at chased loads: each of its turns hangs on them, and the range goes up to all of it. Of few of them nothing follows. */
Test(findings, a_turn_that_hangs_on_a_chased_load_is_within_the_range)
{
    for (int most = 0; most < 2; most++) {
        struct made_up made;
        make_up(&made);
        struct instruction rows[] = {
            {.addr = 0x1000, .length = 4, .class = INSTRUCTION_LOAD_OP, .is_load = true, .falls_through = true},
            {.addr = 0x1004, .length = 4, .class = INSTRUCTION_LOAD, .is_load = true, .falls_through = true},
            {.addr = 0x1008, .length = 4, .class = INSTRUCTION_BRANCH, .has_target = true, .target = 0x1000, .falls_through = true},
        };
        uint64_t hits[] = {most ? 600 : 100, 100, most ? 300 : 800}, sampled[4] = {0};
        uint16_t marks[] = {MARK_FOLLOWS, MARK_ADDRESSED, 0};
        struct loop_rows loops[] = {{0, 2}, {0, 2}, {0, 2}};
        struct stall_code code = {.items = rows, .hits = hits, .sampled = sampled, .marks = marks, .loops = loops, .count = 3};
        made.stalls.codes = &code;
        made.row = (struct stall_row){.text = "cmp %rsi,(%rdx,%r8,8)", .shown_addr = 0x1000, .class = INSTRUCTION_LOAD_OP, .is_load = true,
                                      .samples = hits[0], .chase = "mov 0x10(%rcx),%ecx"};
        made.stalls.addressed_samples = hits[0] + hits[1];
        const struct finding *finding = test_and_find(&made, "load-chain");
        cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect(most ? finding->recoverable.high > 0.95 : finding->recoverable.high < 0.25, "%f", finding->recoverable.high);
        cr_expect(mentions(finding, "entries of a table"), "it goes by an index");
        arena_done(&made.arena);
    }
}

/* What holds most of the time by estimate is said before a lesser part that is certain, if nobody knows what either returns. */
Test(findings, an_estimate_of_most_of_the_time_leads_a_certain_part_of_it)
{
    static const struct {
        uint64_t addressed;
        enum bottleneck_cause cause;
        enum bottleneck_confidence confidence;
        bool leads;
    } cases[] = {{270, CAUSE_LATENCY_CHAIN, ESTIMATE_MEDIUM, true},
                 {600, CAUSE_LATENCY_CHAIN, ESTIMATE_MEDIUM, false},
                 {270, CAUSE_LATENCY_CHAIN, ESTIMATE_LOW, false},
                 {270, CAUSE_L1_LATENCY, ESTIMATE_MEDIUM, false},
                 {270, CAUSE_RETIRING, ESTIMATE_MEDIUM, false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.row.is_addressed = true;
        made.stalls.addressed_samples = made.stalls.load_samples = cases[at].addressed;
        struct bottleneck bottleneck = {.program = {.class = bottleneck_class_of(cases[at].cause), .cause = cases[at].cause, .confidence = cases[at].confidence,
                                                    .function = "hot", .share = interval_of(0.96, 0.97, 0.98), .recoverable = interval_of(0.2, 0.4, 0.6)}};
        made.results.bottleneck = &bottleneck;
        const struct finding *finding = test_and_find(&made, "load-chain");
        cr_assert(finding->verdict == VERDICT_SUPPORTED && finding == &made.findings.items[0], "case %zu", at);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        const char *estimated = strstr(overall.sentence, "each result waits"), *certain = strstr(overall.sentence, "Certain, but less: hot goes from load to load");
        cr_expect_eq(estimated && certain && estimated < certain, cases[at].leads, "case %zu: %s", at, overall.sentence);
        cr_expect_eq(overall.culprit_is_less, cases[at].leads, "case %zu", at);
        arena_done(&made.arena);
    }
}

static void add_trace(struct made_up *made, struct probe_results *probes, double wrong, double misses)
{
    *probes = (struct probe_results){0};
    struct trace_summary *trace = &probes->of[PROBE_STEP].step.trace;
    probes->of[PROBE_STEP].asked = probes->of[PROBE_STEP].known = true;
    *trace = (struct trace_summary){.bursts = 6, .instructions = 60000, .cache_lines = 512, .code_lines = 100};
    trace->class_counts[INSTRUCTION_BRANCH] = 12000;
    trace->conditional.per_1000 = trace->all.per_1000 = interval_of(wrong * 0.9, wrong, wrong * 1.1);
    trace->indirect.per_1000 = trace->returns.per_1000 = interval_exactly(0);
    trace->line_misses = interval_of(misses * 0.5, misses, misses);
    made->results.probes = probes;
}

/* Linear probing: what the next turn needs is an index, but the loop ends where what it loads is equal; then by a count. */
Test(findings, a_search_by_an_index_is_advised_on_its_turns)
{
    enum { ROWS = 24 };
    static const struct {
        const char *hex, *said, *unsaid;
        uint64_t row;
    } cases[] = {
        {"488b0d292b0000488b35322b00004889c84821f8488b14c64839d77513eb16904883c0014821c8488b14c64839fa74054885d275ebc3",
         "a better hash", "accumulators", 0x1020},
        {"4883c0014821c8488b14c64801d34883ee0175ecc3", "accumulators", "a better hash", 0x1000},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        struct instruction rows[ROWS];
        uint64_t hits[ROWS] = {0};
        uint16_t marks[ROWS] = {0};
        uint32_t chases[ROWS] = {0}, count = 0;
        struct loop_rows loops[ROWS];
        uint8_t bytes[128];
        size_t size = strlen(cases[at].hex) / 2;
        struct disassembler *disassembler;
        struct error err = {0};
        for (size_t byte = 0; byte < size; byte++) {
            unsigned value;
            cr_assert_eq(sscanf(cases[at].hex + 2 * byte, "%2x", &value), 1);
            bytes[byte] = (uint8_t)value;
        }
        if (!disassembler_new(&disassembler, "x86_64", SYNTAX_ATT, &err))
            cr_skip_test("%s", err.message);
        for (size_t byte = 0; byte < size; byte += rows[count++].length)
            cr_assert(disassembler_next(disassembler, bytes + byte, size - byte, 0x1000 + byte, &rows[count]));
        disassembler_free(disassembler);
        code_loops_find(rows, count, loops);
        make_up(&made);
        struct stall_code code = {.items = rows, .hits = hits, .marks = marks, .chases = chases, .loops = loops, .count = count};
        made.stalls.codes = &code;
        made.row = (struct stall_row){.text = "add $0x1,%rax", .shown_addr = cases[at].row, .class = INSTRUCTION_INT, .samples = 900};
        struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_CORE, .cause = CAUSE_LATENCY_CHAIN, .function = made.function.name,
                                                    .instruction = "add $0x1,%rax"}};
        bottleneck.masses[CAUSE_LATENCY_CHAIN] = 0.9;
        made.results.bottleneck = &bottleneck;
        const struct finding *finding = test_and_find(&made, "latency-chain");
        cr_assert_eq(finding->verdict, VERDICT_UNDECIDED);
        cr_expect(strstr(finding->remedy, cases[at].said) && !strstr(finding->remedy, cases[at].unsaid), "%zu: %s", at, finding->remedy);
        cr_expect(!mentions(finding, cases[at].unsaid), "%zu", at);
        struct probe_results probes;
        add_trace(&made, &probes, 1, 0.1);
        probes.of[PROBE_STEP].step.trace.loop_share = 0.9;
        probes.of[PROBE_STEP].step.trace.loop_turns = 9000;
        probes.of[PROBE_STEP].step.trace.loop_entries = 30;
        finding = test_and_find(&made, "latency-chain");
        cr_expect_eq(strstr(finding->remedy, "a run of some 300 entries") != NULL, at == 0, "%s", finding->remedy);
        arena_done(&made.arena);
    }
}

/* Without counters stepping decides what samples leave open, either way; too few bursts decide nothing. */
Test(findings, wrong_guesses_are_decided_by_stepping)
{
    struct made_up made;
    struct probe_results probes;
    make_up(&made);
    made.stalls.guess_samples = 500;
    cr_assert_eq(test_and_find(&made, "branch-mispredicts")->verdict, VERDICT_UNDECIDED);
    add_trace(&made, &probes, 50, 0.1);
    cr_assert_eq(test_and_find(&made, "branch-mispredicts")->verdict, VERDICT_SUPPORTED);
    probes.of[PROBE_STEP].step.trace.indirect.per_1000 = probes.of[PROBE_STEP].step.trace.all.per_1000;
    const struct finding *indirect = test_and_find(&made, "branch-mispredicts");
    cr_assert(strstr(indirect->headline, "indirect"), "%s", indirect->headline);
    add_trace(&made, &probes, 0.1, 0.1);
    cr_assert_eq(test_and_find(&made, "branch-mispredicts")->verdict, VERDICT_RULED_OUT);
    probes.of[PROBE_STEP].step.trace.bursts = 1;
    cr_assert_eq(test_and_find(&made, "branch-mispredicts")->verdict, VERDICT_UNDECIDED);
    probes.of[PROBE_STEP] = (struct probe_result){.asked = true, .why_not = "refused"};
    cr_assert_eq(test_and_find(&made, "branch-mispredicts")->verdict, VERDICT_UNDECIDED);
    arena_done(&made.arena);
}

/* By the estimate: of what is laid at targets guessed wrong, two tenths are shown to wait for them. */
Test(findings, targets_take_as_much_as_is_shown_at_least)
{
    struct made_up made;
    make_up(&made);
    made.stalls.guess_samples = 950;
    struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_BAD_SPECULATION, .cause = CAUSE_INDIRECT, .confidence = ESTIMATE_MEDIUM,
                                                .function = "hot", .share = interval_of(0.2, 0.58, 0.97)}};
    bottleneck.masses[CAUSE_INDIRECT] = 0.96;
    made.results.bottleneck = &bottleneck;
    const struct finding *finding = test_and_find(&made, "branch-mispredicts");
    cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
    cr_assert(strstr(finding->headline, "20 to 97 %"), "%s", finding->headline);
    arena_done(&made.arena);
}

Test(findings, code_footprint_is_decided_by_stepping)
{
    struct made_up made;
    struct probe_results probes;
    make_up(&made);
    made.stalls.hot_code_lines = 2000;
    cr_assert_eq(test_and_find(&made, "front-end")->verdict, VERDICT_UNDECIDED);
    add_trace(&made, &probes, 0.1, 100);
    cr_assert_eq(test_and_find(&made, "front-end")->verdict, VERDICT_SUPPORTED);
    add_trace(&made, &probes, 0.1, 0.1);
    cr_assert_eq(test_and_find(&made, "front-end")->verdict, VERDICT_RULED_OUT);
    add_trace(&made, &probes, 0.1, 5);
    cr_assert_eq(test_and_find(&made, "front-end")->verdict, VERDICT_UNDECIDED);
    arena_done(&made.arena);
}

Test(findings, wrong_guesses_are_not_ruled_out_by_where_branches_lead)
{
    struct made_up made;
    make_up(&made);
    cr_assert_eq(test_and_find(&made, "branch-mispredicts")->verdict, VERDICT_RULED_OUT);
    made.stalls.guess_samples = 80; /* 4 % at branches, 4 % where they lead: the union counts */
    cr_assert_eq(test_and_find(&made, "branch-mispredicts")->verdict, VERDICT_UNDECIDED);
    arena_done(&made.arena);
}

/* Advice is for the mapping that was found: what can't work there isn't offered. */
Test(findings, page_advice_is_for_the_mapping)
{
    static const struct {
        struct stall_group mapping;
        const char *policy, *offered, *confirmed_by, *never;
    } cases[] = {
        {{.is_anonymous = true, .is_heap = true}, "madvise", "glibc.malloc.hugetlb", "GLIBC_TUNABLES", "MADV_HUGEPAGE"},
        {{.is_anonymous = true}, "madvise", "MADV_HUGEPAGE", "--treatment thp=never,always ./a.out", "remount"},
        {{.is_anonymous = true, .advised_never = true}, "madvise", "forbids", "THE-COPY", "GLIBC_TUNABLES"},
        {{.is_anonymous = true, .advised_never = true}, "always", "forbids", "THE-COPY", "enabled"},
        {{.is_anonymous = true, .advised_huge = true}, "madvise", "MADV_COLLAPSE", "THE-COPY", "GLIBC_TUNABLES"},
        {{.is_anonymous = true}, "always", "2 MiB", "THE-COPY", "enabled"},
        {{.is_anonymous = true}, "never", "echo madvise", "--treatment thp=never,always", "THE-COPY"},
        {{.is_shared = true}, "always", "shmem_enabled", "THE-COPY", "GLIBC_TUNABLES"},
        {{.area = "/data/model"}, "always", "/data/model is a file's", "THE-COPY", "GLIBC_TUNABLES"},
        {{.is_stack = true}, "madvise", "to the heap", "THE-COPY", "GLIBC_TUNABLES"},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        add_small_pages(&made);
        const struct stall_group *mapping = &cases[at].mapping;
        made.group.is_anonymous = mapping->is_anonymous;
        made.group.is_heap = mapping->is_heap;
        made.group.is_stack = mapping->is_stack;
        made.group.is_shared = mapping->is_shared;
        made.group.advised_never = mapping->advised_never;
        made.group.advised_huge = mapping->advised_huge;
        made.group.area = mapping->area ? mapping->area : "some memory";
        made.machine.thp_enabled = cases[at].policy;
        made.machine.is_guest = false;
        const struct finding *finding = test_and_find(&made, "small-pages");
        bool offered = false;
        for (size_t advice = 0; advice < finding->advice_count; advice++) {
            offered |= strstr(finding->advice[advice], cases[at].offered) != NULL;
            cr_expect_null(strstr(finding->advice[advice], cases[at].never), "case %zu: %s", at, finding->advice[advice]);
        }
        cr_expect(offered, "case %zu offers no '%s'", at, cases[at].offered);
        cr_expect(finding->confirm && strstr(finding->confirm, cases[at].confirmed_by), "case %zu: %s", at, finding->confirm);
        arena_done(&made.arena);
    }
}

Test(findings, huge_pages_rule_small_pages_out)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    made.group.base_hits = 0;
    made.group.huge_hits = 900;
    made.group.base_share = wilson_interval(0, 900, 900);
    cr_assert_eq(test_and_find(&made, "small-pages")->verdict, VERDICT_RULED_OUT);
    arena_done(&made.arena);
}

Test(findings, memory_is_ruled_out_when_nothing_waits_for_it)
{
    static const char *const causes[] = {"small-pages", "cache-misses", "memory-bandwidth", "stores", "host-small-pages"};
    struct made_up made;
    make_up(&made);
    for (size_t at = 0; at < array_count(causes); at++)
        cr_assert_eq(test_and_find(&made, causes[at])->verdict, VERDICT_RULED_OUT, "%s", causes[at]);
    arena_done(&made.arena);
}

Test(findings, code_that_could_not_be_read_rules_nothing_out)
{
    static const char *const causes[] = {"small-pages", "divider", "branch-mispredicts"};
    static const char *const by_name[] = {"allocation", "checking-code", "interpreter"};
    struct made_up made;
    make_up(&made);
    made.stalls.attributed_samples = 0;
    made.stalls.blind_samples = 1000;
    made.stalls.unnamed_samples = 1000;
    for (size_t at = 0; at < array_count(causes); at++)
        cr_assert_eq(test_and_find(&made, causes[at])->verdict, VERDICT_UNDECIDED, "%s", causes[at]);
    for (size_t at = 0; at < array_count(by_name); at++) {
        const struct finding *finding = test_and_find(&made, by_name[at]);
        cr_assert(finding->verdict == VERDICT_NOT_TESTABLE && finding->remedy, "%s", by_name[at]);
    }
    arena_done(&made.arena);
}

/* A name tells only what nobody else would be called. */
Test(findings, names_are_whole_words_and_guesses_support_nothing)
{
    static const struct {
        const char *name, *dso, *id;
        enum verdict verdict;
    } cases[] = {
        {"freeze_cells", "a.out", "allocation", VERDICT_RULED_OUT},
        {"free_list_walk", "a.out", "allocation", VERDICT_RULED_OUT},
        {"free", "a.out", "allocation", VERDICT_SUPPORTED},
        {"cfree@GLIBC_2.2.5", "libc.so.6", "allocation", VERDICT_SUPPORTED},
        {"_int_free", "libc.so.6", "allocation", VERDICT_SUPPORTED},
        {"operator new(unsigned long)", "libstdc++.so.6.0.30", "allocation", VERDICT_SUPPORTED},
        {"adler_checksum", "a.out", "checking-code", VERDICT_RULED_OUT},
        {"tcp_check_all", "a.out", "checking-code", VERDICT_UNDECIDED},
        {"RSA_verify", "libcrypto.so.3", "checking-code", VERDICT_UNDECIDED},
        {"draw", "dashboard", "interpreter", VERDICT_RULED_OUT},
        {"_PyEval_EvalFrameDefault", "app", "interpreter", VERDICT_SUPPORTED},
        {"long_richcompare", "python3.11", "interpreter", VERDICT_SUPPORTED},
        {"sqlite3VdbeExec", "libsqlite3.so.0.8.6", "interpreter", VERDICT_SUPPORTED},
        {"Builtins_RecordWriteSaveFP", "node", "interpreter", VERDICT_RULED_OUT},
        {"Builtins_FindOrderedHashMapEntry", "node", "interpreter", VERDICT_RULED_OUT},
        {"Builtins_LdaNamedPropertyHandler", "node", "interpreter", VERDICT_SUPPORTED},
        {"Builtins_InterpreterEntryTrampoline", "node", "interpreter", VERDICT_SUPPORTED},
        {"mawk+0xa480", "mawk", "interpreter", VERDICT_SUPPORTED},
        {"mruby+0x281a0", "mruby", "interpreter", VERDICT_SUPPORTED},
        {"mrubyist+0x281a0", "mrubyist", "interpreter", VERDICT_RULED_OUT},
        {"__memmove_avx_unaligned_erms", "libc.so.6", "copying", VERDICT_SUPPORTED},
        {"my_spin_lock", "a.out", "spinning", VERDICT_UNDECIDED},
        {"__pthread_mutex_lock", "libc.so.6", "spinning", VERDICT_SUPPORTED},
        {"runtime.scanobject", "server", "garbage-collection", VERDICT_SUPPORTED},
        {"void v8::internal::MarkingVisitorBase<v8::internal::MainMarkingVisitor>::Visit()", "node", "garbage-collection", VERDICT_SUPPORTED},
        {"GC_mark_from", "libgc.so.1", "garbage-collection", VERDICT_SUPPORTED},
        {"libgc.so.1+0x1f20", "libgc.so.1", "garbage-collection", VERDICT_UNDECIDED},
        {"heap_scavenge", "sbcl", "garbage-collection", VERDICT_SUPPORTED},
        {"lisp.run+0x10877e (refers to \"./src/spvw_garcol.d\")", "lisp.run", "garbage-collection", VERDICT_SUPPORTED},
        {"lisp.run+0x10877e (refers to \"./src/spvw_mmap.d\")", "lisp.run", "garbage-collection", VERDICT_RULED_OUT},
        {"libruby-3.1.so.3.1.2+0xd37b0 (refers to \"rb_gc_mark\")", "libruby-3.1.so.3.1.2", "garbage-collection", VERDICT_SUPPORTED},
        {"tool+0xd37b0 (refers to \"rb_gc_mark\")", "tool", "garbage-collection", VERDICT_RULED_OUT},
        {"python3.11+0x10a500 (refers to \"gc: objects in each generation:%s\")", "python3.11", "garbage-collection", VERDICT_SUPPORTED},
        {"trans_pose", "a.out", "garbage-collection", VERDICT_RULED_OUT},
        {"S_gc_011_entry", "racket", "garbage-collection", VERDICT_SUPPORTED},
        {"sweep_object", "racket", "garbage-collection", VERDICT_SUPPORTED},
        {"sweep_object", "broom", "garbage-collection", VERDICT_RULED_OUT},
        {"caml_oldify_one", "coqc", "garbage-collection", VERDICT_SUPPORTED},
        {"alloc_for_copy", "a.out", "garbage-collection", VERDICT_SUPPORTED},
        {"evacuate", "building", "garbage-collection", VERDICT_UNDECIDED},
        {"evacuated", "building", "garbage-collection", VERDICT_RULED_OUT},
        {"scavenge_shelf", "game", "garbage-collection", VERDICT_UNDECIDED},
        {"libHSrts_thr-ghc9.0.2.so+0x1ccc0 (refers to \"evacuate: strange closure type %d\")", "libHSrts_thr-ghc9.0.2.so", "garbage-collection", VERDICT_SUPPORTED},
        {"libHSrts_thr-ghc9.0.2.so+0x64c20 (beside \"stg_ap_2_upd_info\" in a table)", "libHSrts_thr-ghc9.0.2.so", "garbage-collection", VERDICT_RULED_OUT},
        {"racket+0x29e00 (refers to \"copy: illegal typed object type\")", "racket", "garbage-collection", VERDICT_SUPPORTED},
        {"gc_mark_outrefs", "libjulia-internal.so.1.9", "garbage-collection", VERDICT_SUPPORTED},
        {"gc_mark_outrefs", "tool", "garbage-collection", VERDICT_RULED_OUT},
        {"garbage_collect", "beam.smp", "garbage-collection", VERDICT_SUPPORTED},
        {"CollectBags", "gap", "garbage-collection", VERDICT_SUPPORTED},
        {"CollectBagsOfTea", "shop", "garbage-collection", VERDICT_RULED_OUT},
        {"RunGenCollect", "libR.so", "garbage-collection", VERDICT_SUPPORTED},
        {"propagatemark", "lua5.4", "garbage-collection", VERDICT_SUPPORTED},
        {"zend_gc_run_collect", "php8.2", "garbage-collection", VERDICT_SUPPORTED},
        /* what a text says is no name, and neither is the binary's in front of a place */
        {"vsearch+0x8fd0 (refers to \"Unable to allocate enough memory.\")", "vsearch", "allocation", VERDICT_RULED_OUT},
        {"allocate_rows", "vsearch", "allocation", VERDICT_UNDECIDED},
        {"memcpy-bench+0x1f20", "memcpy-bench", "copying", VERDICT_RULED_OUT},
        {"tool+0x1f20 (asserts as \"row_alloc\")", "tool", "allocation", VERDICT_UNDECIDED},
        {"runtime.mallocgc", "server", "garbage-collection", VERDICT_RULED_OUT},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.function.name = cases[at].name;
        made.function.dso = cases[at].dso;
        const struct finding *finding = test_and_find(&made, cases[at].id);
        cr_expect_eq(finding->verdict, cases[at].verdict, "%s in %s: %s", cases[at].name, cases[at].id,
                     verdict_name(finding->verdict));
        bool headed = finding->verdict == VERDICT_SUPPORTED;
        cr_expect_eq(finding->headline != NULL, headed, "%s heads", cases[at].name);
        for (size_t item = 0; item < finding->evidence_count; item++)
            cr_expect(finding->evidence[item].origin != ORIGIN_CODE || finding->evidence[item].weight != WEIGHT_FOR, "a name is no evidence of its own");
        arena_done(&made.arena);
    }
}

/* A guess beside what only that collector has is none, and a function without a name works for those that call it. */
Test(findings, collectors_are_told_by_their_neighbours_and_callers)
{
    static const struct {
        const char *name, *dso, *beside, *caller;
        enum verdict verdict;
    } cases[] = {
        {"evacuate", "a.out", "alloc_for_copy", NULL, VERDICT_SUPPORTED},
        {"evacuate", "a.out", "caml_oldify_one", NULL, VERDICT_UNDECIDED},
        {"racket+0x3a0e0", "racket", "draw", "S_gc_011_entry", VERDICT_SUPPORTED},
        {"racket+0x3a0e0", "racket", "draw", "S_call_help", VERDICT_RULED_OUT},
        {"racket+0x3a0e0", "racket", "draw", "evacuate", VERDICT_RULED_OUT},
        {"named", "racket", "draw", "S_gc_011_entry", VERDICT_RULED_OUT},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct stall_function functions[2] = {made.function, {.name = cases[at].beside, .dso = cases[at].dso, .samples = 1}};
        functions[0].name = cases[at].name;
        functions[0].dso = cases[at].dso;
        functions[0].samples = 999;
        functions[0].stacks = cases[at].caller ? 50 : 0;
        functions[0].caller_count = cases[at].caller ? 1 : 0;
        functions[0].callers[0] = (struct stall_caller){.name = cases[at].caller, .dso = cases[at].dso, .stacks = 50};
        made.stalls.functions = functions;
        made.stalls.function_count = array_count(functions);
        const struct finding *finding = test_and_find(&made, "garbage-collection");
        cr_expect_eq(finding->verdict, cases[at].verdict, "%s beside %s, called by %s: %s", cases[at].name, cases[at].beside,
                     cases[at].caller ? cases[at].caller : "nobody", verdict_name(finding->verdict));
        cr_expect_eq(mentions(finding, "collect-trip-bytes"), cases[at].caller && finding->verdict == VERDICT_SUPPORTED);
        arena_done(&made.arena);
    }
}

/* A library without names still names its threads. */
Test(findings, collectors_are_told_by_their_threads_too)
{
    struct made_up made;
    make_up(&made);
    made.function.name = "libjvm.so+0x81aa20";
    made.function.dso = "libjvm.so";
    struct activity_thread threads[] = {{.comm = "java", .user_s = 0.6}, {.comm = "GC Thread#0", .user_s = 0.4}};
    made.activity.threads = threads;
    made.activity.thread_count = 2;
    const struct finding *finding = test_and_find(&made, "garbage-collection");
    cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
    cr_expect_float_eq(finding->recoverable.high, 0.4, 0.01, "%g", finding->recoverable.high);
    cr_expect(strstr(finding->headline, "GC Thread#0") && mentions(finding, "-Xmx"), "%s", finding->headline);
    arena_done(&made.arena);
}

/* Another allocator is advised only where it can be put before the one in use. */
Test(findings, advice_knows_which_allocator_is_in_use)
{
    static const struct {
        const char *name, *dso, *advised;
        bool is_replaced; /* by LD_PRELOAD=libjemalloc */
    } cases[] = {
        {"_int_malloc", "libc.so.6", "Debian: libjemalloc2", true},
        {"operator new(unsigned long)", "tool", "Debian: libjemalloc2", true},
        {"runtime.mallocgc", "server", "sync.Pool", false},
        {"_PyObject_Malloc", "python3.11", "__slots__", false},
        {"je_malloc_default", "libjemalloc.so.2", "MALLOC_CONF", false},
        {"tc_malloc", "libtcmalloc_minimal.so.4", "TCMALLOC_MAX_TOTAL_THREAD_CACHE_BYTES", false},
        {"mi_malloc", "libmimalloc.so.2.0", "MIMALLOC_PURGE_DELAY", false},
        {"_int_malloc", "busybox", "the allocator is part of busybox", false},
        {"tool+0x15520 (refers to \"Fatal glibc error: malloc assertion..\")", "tool", "the allocator is part of tool", false},
        {"tool+0x15350 (refers to \"chunk_main_arena\")", "tool", "the allocator is part of tool", false},
        {"tool+0x14240 (refers to \"corrupted size vs. prev_size while..\")", "tool", "the allocator is part of tool", false},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.function.name = cases[at].name;
        made.function.dso = cases[at].dso;
        const struct finding *finding = test_and_find(&made, "allocation");
        cr_expect(mentions(finding, cases[at].advised), "%s in %s", cases[at].name, cases[at].dso);
        cr_expect_eq(mentions(finding, "LD_PRELOAD=libjemalloc"), cases[at].is_replaced, "%s in %s", cases[at].name, cases[at].dso);
        cr_expect_eq(strstr(finding->confirm, "LD_PRELOAD") != NULL, cases[at].is_replaced, "%s", finding->confirm);
        arena_done(&made.arena);
    }
}

/* Nobody sorts malloc's data: what holds up the allocator's own code, its callers change, or another allocator does. */
Test(findings, what_holds_up_the_allocator_is_for_its_callers)
{
    static const struct {
        const char *name, *wanted;
        bool is_its_own;
    } cases[] = {{"_int_free", "reuse buffers", true}, {"runtime.memclrNoHeapPointers", "make and append", false}, {"rebalance", "compute both ways", false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.function.name = cases[at].name;
        made.function.dso = "libc.so.6";
        struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_BAD_SPECULATION, .cause = CAUSE_CONDITIONAL, .confidence = ESTIMATE_MEDIUM,
                                                    .function = cases[at].name, .share = interval_of(0.7, 0.75, 0.8)}};
        bottleneck.masses[CAUSE_CONDITIONAL] = 0.75;
        made.results.bottleneck = &bottleneck;
        const struct finding *finding = test_and_find(&made, "branch-mispredicts");
        cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect(finding->advice_count == 1 && mentions(finding, cases[at].wanted), "%s", finding->advice[0]);
        cr_expect_eq(strstr(finding->confirm, "LD_PRELOAD") != NULL, cases[at].is_its_own, "%s", finding->confirm);
        arena_done(&made.arena);
    }
}

/* What the sentence says is no narrower than the estimate's own range; one that isn't widened stays as narrow as samples have it. */
Test(findings, a_headline_is_as_wide_as_the_estimate)
{
    for (int wide = 0; wide < 2; wide++) {
        struct made_up made;
        make_up(&made);
        struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_BAD_SPECULATION, .cause = CAUSE_CONDITIONAL, .confidence = ESTIMATE_MEDIUM,
                                                    .function = "hot", .share = interval_of(wide ? 0.28 : 0.53, 0.56, wide ? 0.7 : 0.59)}};
        if (wide)
            bottleneck.program.sampled = interval_of(0.53, 0.56, 0.59);
        bottleneck.masses[CAUSE_CONDITIONAL] = 0.56;
        made.results.bottleneck = &bottleneck;
        const struct finding *finding = test_and_find(&made, "branch-mispredicts");
        cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect_eq(strstr(finding->headline, "28 to 70 %") != NULL, wide, "%s", finding->headline);
        cr_expect_eq(strstr(finding->headline, "53 to 59 %") != NULL, !wide, "%s", finding->headline);
        bottleneck.program.share.low = 0.01; /* it may be nothing: then it is open */
        bottleneck.program.sampled = interval_of(0.53, 0.56, 0.59);
        cr_expect_eq(test_and_find(&made, "branch-mispredicts")->verdict, VERDICT_UNDECIDED);
        arena_done(&made.arena);
    }
}

/* Parts of a mix and what is open carry the range that the estimate has of their class. */
Test(findings, parts_of_a_mix_are_as_wide_as_their_classes)
{
    struct made_up made;
    make_up(&made);
    struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_UNKNOWN, .cause = CAUSE_UNKNOWN}};
    bottleneck.masses[CAUSE_CONDITIONAL] = 0.3;
    bottleneck.masses[CAUSE_L2] = 0.3;
    bottleneck.masses[CAUSE_RETIRING] = 0.4;
    bottleneck.classes[BOTTLENECK_BAD_SPECULATION] = interval_of(0.1, 0.3, 0.5);
    made.results.bottleneck = &bottleneck;
    test_and_find(&made, "branch-mispredicts");
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strstr(overall.sentence, "wrong guesses and their loads 10 to 50 %"), "%s", overall.sentence);
    cr_assert(strstr(overall.sentence, "busy with instructions 40 %"), "no range is known of it: %s", overall.sentence);
    cr_assert_not(strstr(overall.sentence, "is not told"), "0 %% says nothing: %s", overall.sentence);
    cr_assert(estimated_most(&made.results, CAUSE_BIT(CAUSE_CONDITIONAL)) >= 500);
    cr_assert(estimated_most(&made.results, CAUSE_BIT(CAUSE_INDIRECT)) < 1, "what may be the class's is its largest cause's");
    arena_done(&made.arena);
}

/* The reference BLAS waits for its own sums: nobody rewrites that, an optimised one takes its calls. */
Test(findings, a_plain_library_has_a_quicker_twin)
{
    static const struct {
        const char *dso;
        bool is_plain;
    } cases[] = {{"libblas.so.3.11.0", true}, {"libgslcblas.so.0.0.0", true}, {"libopenblasp-r0.3.21.so", false}, {"libblasphemy.so.1", false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.function.name = "dgemm_";
        made.function.dso = cases[at].dso;
        struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_BAD_SPECULATION, .cause = CAUSE_CONDITIONAL, .confidence = ESTIMATE_MEDIUM,
                                                    .function = "dgemm_", .share = interval_of(0.7, 0.75, 0.8)}};
        bottleneck.masses[CAUSE_CONDITIONAL] = 0.75;
        made.results.bottleneck = &bottleneck;
        const struct finding *finding = test_and_find(&made, "branch-mispredicts");
        cr_assert(finding->verdict == VERDICT_SUPPORTED && finding->advice_count);
        cr_expect_eq(strstr(finding->advice[0], "libopenblas0") != NULL, cases[at].is_plain, "%s: %s", cases[at].dso, finding->advice[0]);
        cr_expect_eq(strstr(finding->confirm, "libopenblas0") != NULL, cases[at].is_plain, "%s", finding->confirm);
        arena_done(&made.arena);
    }
}

/* A database's small copies out of its file: not how much is copied takes the time, but where it lies. */
Test(findings, copies_from_places_in_no_order_wait_for_them)
{
    struct made_up made;
    make_up(&made);
    made.function.name = "__memmove_avx_unaligned_erms";
    made.function.dso = "libc.so.6";
    struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_MEMORY, .cause = CAUSE_PARALLEL_MISSES, .confidence = ESTIMATE_MEDIUM,
                                                .function = made.function.name, .share = interval_of(0.6, 0.65, 0.7)}};
    bottleneck.masses[CAUSE_PARALLEL_MISSES] = 0.65;
    made.results.bottleneck = &bottleneck;
    const struct finding *finding = test_and_find(&made, "copying");
    cr_assert(strstr(finding->headline, "waits for what it copies"), "%s", finding->headline);
    cr_assert(mentions(finding, "in an order of their own") && !mentions(finding, "leave one copy out"));
    bottleneck.program.cause = CAUSE_BANDWIDTH; /* large copies: less of them */
    finding = test_and_find(&made, "copying");
    cr_assert(strstr(finding->headline, "copying and clearing memory takes"), "%s", finding->headline);
    cr_assert(mentions(finding, "see who calls"));
    made.function.stacks = 40; /* who calls it is known: nobody needs to look */
    made.function.callers[0] = (struct stall_caller){.name = "pack_rows", .dso = "app", .stacks = 36};
    made.function.caller_count = 1;
    finding = test_and_find(&made, "copying");
    cr_assert(mentions(finding, "copy or clear less in pack_rows, which makes 90 %") && !mentions(finding, "see who calls"),
              "%s", finding->advice[0]);
    bottleneck.masses[CAUSE_BANDWIDTH] = 0.65;
    bottleneck.masses[CAUSE_PARALLEL_MISSES] = 0;
    add_small_pages(&made);
    finding = test_and_find(&made, "memory-bandwidth");
    cr_assert(finding->verdict == VERDICT_SUPPORTED && strstr(finding->advice[0], "copy or clear less in pack_rows") &&
                  !mentions(finding, "float for double"),
              "%s", finding->advice[0]);
    made.function.callers[0].stacks = 12; /* one among many */
    cr_assert(mentions(test_and_find(&made, "copying"), "see who calls"));
    arena_done(&made.arena);
}

/* What a script asks for is told by names, and of a function without one by who called it. */
Test(findings, an_interpreters_work_is_told_by_names_and_callers)
{
    static const struct {
        const char *name, *dso, *owner, *said, *advice; /* the first */
    } cases[] = {
        {"perl+0x196480", "perl", "Perl_regexec_flags", "regular expressions", "NYTProf"},
        {"perl+0x196480", "perl", "perl+0x19ec20", NULL, "NYTProf"},
        {"Perl_hv_common", "perl", NULL, "looking up in hashes", "NYTProf"},
        {"quorem", "libpython3.11.so.1.0", NULL, "numbers as text and back", "py-spy"},
        {"rb_str_append", "libruby-3.1.so.3.1.2", NULL, "strings", "--yjit"},
        {"rb_ary_includes", "libruby-3.1.so.3.1.2", NULL, "arrays", "use a Set"},
        {"zend_hash_find", "php8.2", NULL, "looking up in arrays", "opcache.jit"},
        {"Rf_duplicate", "libR.so", NULL, "copying values", "a whole vector"},
        {"lua_geti", "lua5.4", NULL, "hardly any of that is interpreting", "table.concat"},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.function.name = cases[at].name;
        made.function.dso = cases[at].dso;
        made.function.stacks = 10;
        made.function.callers[0] = (struct stall_caller){.name = "perl+0x18d1c0", .dso = "perl", .stacks = 10};
        made.function.caller_count = 1;
        made.function.owners[0] = (struct stall_caller){.name = cases[at].owner, .dso = cases[at].dso, .stacks = 10};
        made.function.owner_count = cases[at].owner ? 1 : 0;
        const struct finding *finding = test_and_find(&made, "interpreter");
        cr_assert_eq(finding->verdict, VERDICT_SUPPORTED, "%s", cases[at].name);
        if (cases[at].said)
            cr_expect(strstr(finding->headline, cases[at].said), "%s: %s", cases[at].name, finding->headline);
        else
            cr_expect(strstr(finding->headline,
                             "perl takes 100 % of the elapsed time; how much of that is interpreting isn't told"),
                      "%s", finding->headline);
        cr_expect(strstr(finding->advice[0], cases[at].advice), "%s: %s", cases[at].name, finding->advice[0]);
        arena_done(&made.arena);
    }
}

/* A pool that waits at a condition takes turns at nothing, however often; what stacks don't tell is left open when it looks like turns. */
Test(findings, turns_at_a_lock_are_told_from_idle_pools)
{
    struct made_up made;
    struct wait_rows waits = {.known = true, .count = 1, .wait_count = 40000, .stack_count = 9000};
    make_up(&made);
    made.run.from_switches = true;
    made.results.waits = &waits;
    waits.items[0] = (struct wait_row){.kind = WAIT_LOCK, .function = "worker", .total_s = 8, .longest_s = 0.01, .count = 40000};
    cr_assert_eq(test_and_find(&made, "lock-turns")->verdict, VERDICT_RULED_OUT, "one thread");
    made.run.threads_seen = 4;
    const struct finding *turns = test_and_find(&made, "lock-turns");
    cr_assert_eq(turns->verdict, VERDICT_SUPPORTED);
    cr_assert(strstr(turns->headline, "the lock that worker takes: they waited 8.00 s for it, beside 10.0 s"), "%s", turns->headline);
    waits.items[0].kind = WAIT_THREAD;
    cr_assert_eq(test_and_find(&made, "lock-turns")->verdict, VERDICT_RULED_OUT, "a condition, a semaphore, a join");
    waits.items[0].kind = WAIT_FUTEX;
    cr_assert_eq(test_and_find(&made, "lock-turns")->verdict, VERDICT_UNDECIDED);
    waits.items[0].count = 8;
    waits.items[0].longest_s = 2;
    cr_assert_eq(test_and_find(&made, "lock-turns")->verdict, VERDICT_RULED_OUT, "seldom and long: nothing to do");
    waits.stack_count = 0;
    turns = test_and_find(&made, "lock-turns");
    cr_assert_eq(turns->verdict, VERDICT_NOT_TESTABLE, "without stacks a lock looks like anything");
    cr_assert_not_null(turns->remedy);
    arena_done(&made.arena);
}

/* A wait lasts until the thread runs again: where others hold the CPUs, that isn't the lock. */
Test(findings, being_ready_behind_a_lock_is_not_its_doing)
{
    struct made_up made;
    struct wait_rows waits = {.known = true, .count = 1, .wait_count = 40000, .stack_count = 9000};
    make_up(&made);
    made.run.from_switches = true;
    made.run.threads_seen = 4;
    made.run.run_delay_s = measured_as(8);
    made.results.waits = &waits;
    waits.items[0] = (struct wait_row){.kind = WAIT_LOCK, .function = "worker", .total_s = 8, .count = 40000};
    cr_assert_eq(test_and_find(&made, "lock-turns")->verdict, VERDICT_UNDECIDED);
    arena_done(&made.arena);
}

/* Calls into the kernel that contention leads to are that lock's, not a call to make less often. */
Test(findings, the_calls_of_a_lock_are_the_locks)
{
    struct made_up made;
    struct wait_rows waits = {.known = true, .count = 1, .wait_count = 40000, .stack_count = 9000};
    make_up(&made);
    made.run.from_switches = true;
    made.run.threads_seen = 4;
    made.results.waits = &waits;
    waits.items[0] = (struct wait_row){.kind = WAIT_LOCK, .function = "add", .total_s = 8, .count = 40000, .call = "pthread_mutex_lock at a.c:7"};
    made.kernel.kernel_samples = made.kernel.call_samples = 300;
    made.kernel.entries[0] = (struct kernel_entry){"futex", 250};
    made.kernel.entries[1] = (struct kernel_entry){"lll_lock_wake", 40};
    made.kernel.entry_count = 2;
    const struct finding *lock = test_and_find(&made, "lock-turns");
    cr_assert_eq(lock, &made.findings.items[0], "%s", made.findings.items[0].hypothesis->id);
    cr_assert(!lock->gain_unmeasured && lock->recoverable.low > 0.25 && lock->confirm && lock->advice_count == 2);
    cr_assert_not(strstr(lock->headline, "without it"), "of the elapsed time is told already: %s", lock->headline);
    made.run.cpus_used = measured_as(1.3); /* then a share of the CPU time is no share of the elapsed time */
    lock = test_and_find(&made, "lock-turns");
    cr_assert(strstr(lock->headline, "; without it, the same work may take up to 66 %"), "two CPUs for 70 %% of the work: %s", lock->headline);
    made.run.cpus_used = measured_as(1);
    const struct finding *calls = test_and_find(&made, "system-calls");
    cr_assert(calls->verdict == VERDICT_UNDECIDED && calls->recoverable.high >= 0.3, "no less than the page lists: %g",
              calls->recoverable.high);
    cr_assert(strstr(calls->reason, "calls that waiting for locks leads to") && !calls->advice_count, "%s",
              calls->reason);
    made.kernel.entries[0].samples = made.kernel.entries[1].samples = 10;
    made.kernel.kernel_samples = made.kernel.call_samples = 20;
    calls = test_and_find(&made, "system-calls");
    cr_assert(calls->verdict == VERDICT_RULED_OUT && calls->recoverable.high >= 0.02, "%g", calls->recoverable.high);
    made.kernel.entries[0].samples = 250;
    made.kernel.entries[1].samples = 40;
    made.kernel.kernel_samples = made.kernel.call_samples = 300;
    waits.items[0].kind = WAIT_THREAD;
    calls = test_and_find(&made, "system-calls");
    cr_assert_eq(calls->verdict, VERDICT_SUPPORTED);
    cr_assert(mentions(calls, "hand over several items") && !mentions(calls, "io_uring"));
    waits.items[0] = (struct wait_row){.kind = WAIT_LOCK, .function = "python+0x1", .total_s = 8, .count = 4000, .global_lock = "the GIL"};
    made.kernel = (struct kernel_time){.sample_count = 1000};
    lock = test_and_find(&made, "lock-turns");
    cr_assert(strstr(lock->headline, "turns at the GIL") && mentions(lock, "processes"), "%s", lock->headline);
    cr_assert_not(strstr(lock->headline, "without it"), "no calls were counted: %s", lock->headline);
    arena_done(&made.arena);
}

Test(findings, advice_on_division_fits_the_numbers)
{
    struct made_up made;
    make_up(&made);
    made.stalls.class_samples[INSTRUCTION_DIV] = 900;
    made.row = (struct stall_row){.text = "div %rcx", .class = INSTRUCTION_DIV, .samples = 900};
    cr_assert_not(mentions(test_and_find(&made, "divider"), "math"), "integers have no rounding to trade");
    made.stalls.class_samples[INSTRUCTION_DIV] = 0;
    made.stalls.class_samples[INSTRUCTION_FP_DIV] = 900;
    made.row.class = INSTRUCTION_FP_DIV;
    cr_assert(mentions(test_and_find(&made, "divider"), "math"));
    arena_done(&made.arena);
}

/* Of divisions that wait for one another both findings speak, in the same words: it is one cause. */
Test(findings, divisions_that_wait_for_one_another_are_a_chain_too)
{
    for (int chained = 0; chained < 2; chained++) {
        struct made_up made;
        make_up(&made);
        made.stalls.class_samples[INSTRUCTION_DIV] = 600;
        made.stalls.divided_samples = chained ? 300 : 0;
        made.stalls.divide_chain_users = chained ? 300 : 0;
        made.stalls.divide_chain_samples = chained ? 900 : 0;
        made.row = (struct stall_row){.text = "div %rcx", .class = INSTRUCTION_DIV, .samples = 600, .is_divide_chained = chained};
        const struct finding *divider = test_and_find(&made, "divider"), *chain = test_and_find(&made, "latency-chain");
        cr_assert_eq(divider->verdict, VERDICT_SUPPORTED);
        cr_assert_eq(chain->verdict, chained ? VERDICT_SUPPORTED : VERDICT_RULED_OUT);
        cr_expect_eq(strstr(divider->advice[0], "break the chain") != NULL, chained, "%s", divider->advice[0]);
        if (chained) {
            cr_expect_str_eq(divider->headline, chain->headline);
            cr_expect(divider->recoverable.high > 0.85, "%f", divider->recoverable.high);
            struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
            const struct finding *also[OVERALL_ALSO_MOST];
            cr_expect_eq(overall_also(&overall, &made.findings, also), 0, "one cause is said once");
        }
        arena_done(&made.arena);
    }
}

/* The wait of a division shows at what needs its result: that is within the range, and nothing else is. */
Test(findings, what_needs_a_quotient_is_within_what_divisions_may_hold)
{
    for (int needed = 0; needed < 2; needed++) {
        struct made_up made;
        make_up(&made);
        made.stalls.class_samples[INSTRUCTION_FP_DIV] = 100;
        made.stalls.class_samples[INSTRUCTION_FP] = 800;
        made.stalls.divided_samples = needed ? 800 : 0;
        made.row = (struct stall_row){.text = "divsd %xmm2,%xmm1", .class = INSTRUCTION_FP_DIV, .samples = 100};
        const struct finding *finding = test_and_find(&made, "divider");
        cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect(needed ? finding->recoverable.high > 0.85 : finding->recoverable.high < 0.15, "%f", finding->recoverable.high);
        cr_expect_eq(strstr(finding->headline, "what needs their results") != NULL, needed, "%s", finding->headline);
        arena_done(&made.arena);
    }
}

/* Out of order, a division's wait shows at whatever comes behind: no bound is below the time that the divider is busy. */
Test(findings, divisions_are_bounded_by_what_keeps_the_divider_busy)
{
    for (int busy = 0; busy < 2; busy++) {
        struct made_up made;
        make_up(&made);
        struct bottleneck_loop loop = {.samples = 950, .divider_most = busy ? 0.8 : 0, .verdict = {.function = "hot"}};
        struct bottleneck bottleneck = {.loops = &loop, .loop_count = 1};
        made.stalls.class_samples[INSTRUCTION_FP_DIV] = 20;
        made.row = (struct stall_row){.text = "divsd %xmm2,%xmm1", .class = INSTRUCTION_FP_DIV, .samples = 20};
        made.results.bottleneck = &bottleneck;
        const struct finding *finding = test_and_find(&made, "divider");
        cr_assert_eq(finding->verdict, busy ? VERDICT_UNDECIDED : VERDICT_RULED_OUT);
        cr_expect(!busy || finding->recoverable.high > 0.7, "%f", finding->recoverable.high);
        arena_done(&made.arena);
    }
}

Test(findings, without_the_self_test_nothing_is_inferred_from_stalls)
{
    struct made_up made;
    make_up(&made);
    made.stalls.attributed = false;
    const struct finding *finding = test_and_find(&made, "divider");
    cr_assert_eq(finding->verdict, VERDICT_NOT_TESTABLE);
    cr_assert_not_null(finding->reason);
    cr_assert_not_null(finding->remedy);
    arena_done(&made.arena);
}

Test(findings, missing_results_are_reasons)
{
    struct made_up made;
    make_up(&made);
    made.results = (struct results){.effect = 0.05};
    made.results.why[RESULT_STALLS] = "perf events are forbidden";
    const struct finding *finding = test_and_find(&made, "divider");
    cr_assert_eq(finding->verdict, VERDICT_NOT_TESTABLE);
    cr_assert_str_eq(finding->reason, "perf events are forbidden");
    for (size_t at = 0; at < made.findings.count; at++)
        cr_assert_neq(made.findings.items[at].verdict, VERDICT_SUPPORTED);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_eq(overall.kind, OVERALL_BLIND);
    arena_done(&made.arena);
}

Test(findings, waiting_is_a_verdict)
{
    struct made_up made;
    make_up(&made);
    made.run.on_cpu_ratio = made.run.wanted_ratio = measured_as(0.1);
    made.run.cpu_s = measured_as(1);
    test_and_find(&made, "waiting");
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_eq(overall.kind, OVERALL_WAITS);
    cr_assert(strstr(overall.sentence, "not a CPU problem"));
    arena_done(&made.arena);
}

/* Two threads of which each waits while the other works: as many waits, as short, at two places. */
Test(findings, threads_that_hand_over_to_one_another_are_told)
{
    static const struct {
        enum wait_kind kind;
        double total_s;
        uint64_t count;
        bool is_handed_over;
    } cases[] = {{WAIT_THREAD, 3.1, 79712, true}, {WAIT_FUTEX, 3.1, 50000, true}, {WAIT_THREAD, 3.1, 4000, false}, {WAIT_THREAD, 300, 79712, false},
                 {WAIT_EVENTS, 3.1, 79712, false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.run.on_cpu_ratio = made.run.wanted_ratio = measured_as(0.1);
        made.run.cpu_s = measured_as(1);
        made.run.threads_seen = 2;
        struct wait_rows waits = {.known = true, .count = 2, .waiting_s = 6.4, .idle_s = 6.4, .wait_count = 150000, .stack_count = 800};
        waits.items[0] = (struct wait_row){.kind = WAIT_THREAD, .function = "main", .total_s = 3.2, .idle_s = 3.2, .count = 73332};
        waits.items[1] = (struct wait_row){.kind = cases[at].kind, .function = "work", .total_s = cases[at].total_s, .idle_s = 1, .count = cases[at].count};
        made.results.waits = &waits;
        cr_expect_eq(mentions(test_and_find(&made, "waiting"), "hand over to one another"), cases[at].is_handed_over, "case %zu", at);
        arena_done(&made.arena);
    }
}

/* Nagle's rule and a delayed acknowledgement: answers in two writes, each wait as long as that. */
Test(findings, waits_as_long_as_a_delayed_acknowledgement_are_told)
{
    static const struct {
        enum wait_kind kind;
        double total_s, longest_s;
        uint64_t count;
        bool is_delayed;
    } cases[] = {
        {WAIT_NETWORK, 28.8, 0.0483, 687, true},
        {WAIT_EVENTS, 4.1, 0.044, 100, true},
        {WAIT_NETWORK, 28.8, 0.2, 687, false}, /* some far longer: the mean says nothing */
        {WAIT_NETWORK, 0.84, 0.043, 20, false}, /* few */
        {WAIT_NETWORK, 60, 0.11, 600, false},
        {WAIT_SLEEP, 28.8, 0.0483, 687, false},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.run.on_cpu_ratio = made.run.wanted_ratio = measured_as(0.1);
        struct wait_rows waits = {.known = true, .idle_s = 5, .waiting_s = cases[at].total_s, .count = 1};
        waits.items[0] = (struct wait_row){.kind = cases[at].kind, .function = "serve", .total_s = cases[at].total_s, .idle_s = 5, .longest_s = cases[at].longest_s, .count = cases[at].count};
        made.results.waits = &waits;
        cr_expect_eq(mentions(test_and_find(&made, "waiting"), "TCP_NODELAY"), cases[at].is_delayed, "case %zu", at);
        arena_done(&made.arena);
    }
}

/* Threads of Go's scheduler without a goroutine sleep at all times: what requests wait for is elsewhere. */
Test(findings, a_schedulers_own_sleep_is_not_what_is_waited_for)
{
    struct made_up made;
    make_up(&made);
    made.run.on_cpu_ratio = made.run.wanted_ratio = measured_as(0.1);
    made.run.cpu_s = measured_as(1);
    struct wait_rows waits = {.known = true, .idle_s = 5, .waiting_s = 20, .count = 3};
    waits.items[0] = (struct wait_row){.kind = WAIT_SLEEP, .function = "runtime.usleep.abi0", .callers = {"runtime.sysmon"}, .caller_count = 1, .total_s = 7, .idle_s = 2.5, .count = 900};
    waits.items[1] = (struct wait_row){.kind = WAIT_THREAD, .function = "runtime.futex.abi0", .callers = {"runtime.notesleep", "runtime.stopm"}, .caller_count = 2, .total_s = 9, .idle_s = 1.5, .count = 900};
    waits.items[2] = (struct wait_row){.kind = WAIT_EVENTS, .function = "runtime.epollwait.abi0", .callers = {"runtime.netpoll"}, .caller_count = 1, .total_s = 4, .idle_s = 1, .count = 900};
    made.results.waits = &waits;
    const struct finding *finding = test_and_find(&made, "waiting");
    cr_expect(strstr(finding->headline, "for events") && strstr(finding->headline, "runtime.epollwait"), "%s", finding->headline);
    waits.items[0].callers[0] = "main.poll"; /* the program's own sleep */
    finding = test_and_find(&made, "waiting");
    cr_expect(strstr(finding->headline, "runtime.usleep"), "%s", finding->headline);
    arena_done(&made.arena);
}

Test(findings, calls_of_gos_scheduler_are_told_as_such)
{
    static const struct {
        const char *function;
        enum run_scope scope;
        bool is_go;
    } cases[] = {{"runtime.mallocgc", RUN_STARTED, true}, {"work", RUN_STARTED, false}, {"runtime.mallocgc", RUN_MACHINE, false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.function.name = cases[at].function;
        made.run.scope = cases[at].scope;
        made.kernel.call_samples = made.kernel.kernel_samples = 400;
        made.kernel.entries[0] = (struct kernel_entry){"nanosleep", 150};
        made.kernel.entries[1] = (struct kernel_entry){"futex", 140};
        made.kernel.entry_count = 2;
        const struct finding *finding = test_and_find(&made, "system-calls");
        cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect_eq(strstr(finding->headline, "Go's scheduler") != NULL, cases[at].is_go, "%s", finding->headline);
        cr_expect_eq(mentions(finding, "GOMAXPROCS"), cases[at].is_go, "%s", finding->advice[0]);
        cr_expect_eq(finding->gain_unmeasured, cases[at].is_go, "what fewer threads return was not measured");
        arena_done(&made.arena);
    }
}

/* One that goes into the background is over at once: what it left is to be watched, not its beginning again. */
Test(findings, what_was_left_running_is_named)
{
    struct made_up made;
    make_up(&made);
    made.run.scope = RUN_STARTED;
    made.run.cpu_s = measured_as(0.002);
    made.stalls.sample_count = made.kernel.sample_count = 3;
    made.kernel.starts.left_count = 1;
    made.kernel.starts.left_pid = 77;
    made.kernel.starts.left_name = "daemon";
    test_and_find(&made, "waiting");
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_expect_eq(overall.kind, OVERALL_TOO_SHORT);
    cr_expect(strstr(overall.sentence, "It left daemon (process 77) running"), "%s", overall.sentence);
    cr_expect(overall.advice_count && strstr(overall.advice[0], "plumb diagnose -p 77"), "%s", overall.advice[0]);
    made.results.cut = "interrupted";
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_expect_null(strstr(overall.sentence, "It left"), "it was ended before its end: %s", overall.sentence);
    arena_done(&made.arena);
}

/* What keeps it asleep, where, and what to do about that: from /proc alone, as of a target that never left its wait. */
Test(findings, waits_are_named_with_their_place_and_remedy)
{
    static const struct {
        const char *place, *words, *advice;
    } cases[] = {
        {"do_wait", "a child process", "look at the child"},
        {"hrtimer_nanosleep", "a timer (sleep) in 100 % of the elapsed time, in hrtimer_nanosleep", "wait for the event itself"},
        {"ep_poll", "events (poll, epoll)", "under load"},
        {"anon_pipe_read", "a pipe", "other end of the pipe"},
        {"wait4 (system call)", "a child process", "look at the child"},
        {"folio_wait_bit_common", "storage", "fsync"},
        {"some_driver_wait", "something that could not be seen", "look at what"},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct activity_thread thread = {.pid = 12, .tid = 12, .comm = "sh", .waits = {{.count = 9}}};
        snprintf(thread.waits[0].place, sizeof(thread.waits[0].place), "%s", cases[at].place);
        made.activity.threads = &thread;
        made.activity.thread_count = 1;
        made.run.on_cpu_ratio = made.run.wanted_ratio = made.run.cpu_s = measured_as(0);
        made.results.target_options = "-p 12";
        const struct finding *waiting = test_and_find(&made, "waiting");
        cr_assert(strstr(waiting->headline, cases[at].words), "%s", waiting->headline);
        cr_assert(mentions(waiting, cases[at].advice), "%s: %s", cases[at].place, waiting->advice[0]);
        cr_assert(strstr(waiting->confirm, "-g -p 12"), "%s", waiting->confirm);
        made.results.samples_refused = true; /* what somebody can't do isn't advised as if he could */
        waiting = test_and_find(&made, "waiting");
        cr_assert(strstr(waiting->advice[0], "once it can be sampled") && strstr(waiting->confirm, "once it can be sampled"), "%s", waiting->confirm);
        arena_done(&made.arena);
    }
}

/* At its start it read its libraries; ever since a shell waits for its child: asleep in do_wait is not storage. */
Test(findings, where_it_was_seen_is_not_what_stacks_say)
{
    struct made_up made;
    static const struct wait_rows waits = {
        .known = true, .waiting_s = 5, .idle_s = 5, .count = 1,
        .items = {{.kind = WAIT_DISK, .function = "_dl_start", .total_s = 5, .idle_s = 5, .count = 10}}};
    make_up(&made);
    struct activity_thread thread = {.comm = "sh", .waits = {{.place = "do_wait", .count = 9}}};
    made.activity.threads = &thread;
    made.activity.thread_count = 1;
    made.results.waits = &waits;
    made.run.on_cpu_ratio = made.run.wanted_ratio = measured_as(0.4);
    const struct finding *waiting = test_and_find(&made, "waiting");
    bool said = false;
    for (size_t at = 0; at < waiting->evidence_count; at++) {
        const char *text = waiting->evidence[at].text;
        cr_assert(!(strstr(text, "do_wait") && strstr(text, "storage")), "%s", text);
        said |= strstr(text, "do_wait (sh): waiting for a child") != NULL;
    }
    cr_assert(said);
    arena_done(&made.arena);
}

Test(findings, a_busy_child_and_a_stopped_target_are_said)
{
    struct made_up made;
    make_up(&made);
    made.run.on_cpu_ratio = made.run.wanted_ratio = made.run.cpu_s = measured_as(0);
    struct activity_thread thread = {.pid = 12, .tid = 12, .comm = "sh", .waits = {{.place = "do_wait", .count = 9}}};
    made.activity.threads = &thread;
    made.activity.thread_count = 1;
    made.activity.child_count = 1;
    made.activity.children[0] = (struct activity_child){.pid = 77, .parent = 12, .comm = "spin", .cpu_s = 9.8};
    test_and_find(&made, "waiting");
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strstr(overall.sentence, "child spin (process 77)") && strstr(overall.sentence, "9.80 s"), "%s", overall.sentence);
    cr_assert(strstr(overall.culprit->advice[0], "plumb diagnose -p 77"));
    made.activity.children[0].cpu_s = 0.01;
    test_and_find(&made, "waiting");
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(!strstr(overall.sentence, "spin"), "%s", overall.sentence);
    made.activity.stopped_ratio = measured_as(1);
    test_and_find(&made, "waiting");
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strncmp(overall.sentence, "It is stopped (state T", 22) == 0, "%s", overall.sentence);
    cr_assert(strstr(overall.culprit->advice[0], "kill -CONT"));
    arena_done(&made.arena);
}

/* A parent that sleeps, reads or polls doesn't wait for its child, however busy that is; and a child is one's own. */
Test(findings, only_who_waits_for_a_process_waits_for_its_child)
{
    static const struct {
        const char *place, *said, *not_said, *advice;
        uint32_t parent;
    } cases[] = {
        {"do_wait", "waits for its child spin (process 77)", "below", "plumb diagnose -p 77", 12},
        {"wait4 (system call)", "below it spin (process 77)", "its child", "plumb diagnose -p 77", 40},
        {"hrtimer_nanosleep", "a timer (sleep)", "child", "its child spin is busy meanwhile; if that is the other side: plumb diagnose -p 77", 12},
        {"ep_poll", "events (poll, epoll)", "spin", "a process below it, spin is busy meanwhile", 40},
        {"do_wait_intr", "something that could not be seen", "spin", "its child spin", 12},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.run.on_cpu_ratio = made.run.wanted_ratio = made.run.cpu_s = measured_as(0);
        struct activity_thread thread = {.pid = 12, .tid = 12, .comm = "python3", .waits = {{.count = 9}}};
        snprintf(thread.waits[0].place, sizeof(thread.waits[0].place), "%s", cases[at].place);
        made.activity.threads = &thread;
        made.activity.thread_count = made.activity.child_count = 1;
        made.activity.children[0] = (struct activity_child){.pid = 77, .parent = cases[at].parent, .comm = "spin", .cpu_s = 9.8};
        const struct finding *waiting = test_and_find(&made, "waiting");
        cr_assert(mentions(waiting, cases[at].advice), "%s: %s", cases[at].place, waiting->advice[waiting->advice_count - 1]);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_assert(strstr(overall.sentence, cases[at].said) && !strstr(overall.sentence, cases[at].not_said), "%s", overall.sentence);
        cr_assert_eq(strstr(overall.sentence, "problem of its own") != NULL, at < 2, "%s", overall.sentence);
        arena_done(&made.arena);
    }
}

/* A worker that is woken takes its mutex again: seldom and long. What is said of a lock is of that lock's waits. */
Test(findings, an_idle_worker_takes_no_turns_and_a_lock_has_its_own_figures)
{
    struct made_up made;
    struct wait_rows waits = {.known = true, .count = 2, .wait_count = 40000, .stack_count = 9000};
    make_up(&made);
    made.run.from_switches = true;
    made.run.threads_seen = 4;
    made.results.waits = &waits;
    waits.items[0] = (struct wait_row){.kind = WAIT_LOCK, .function = "PlatformWorkerThread", .asked = "pthread_cond_wait", .total_s = 2.7, .count = 31};
    cr_assert_eq(test_and_find(&made, "lock-turns")->verdict, VERDICT_RULED_OUT);
    waits.items[0].count = 31000;
    cr_assert_eq(test_and_find(&made, "lock-turns")->verdict, VERDICT_SUPPORTED, "often and short: turns");
    waits.items[1] = (struct wait_row){.kind = WAIT_LOCK, .function = "other", .asked = "pthread_mutex_lock", .total_s = 1.3, .count = 20};
    const struct finding *turns = test_and_find(&made, "lock-turns");
    cr_assert(strstr(turns->headline, "they waited 2.70 s for it"), "%s", turns->headline);
    cr_assert(strstr(turns->evidence[1].text, "4.00 s"), "%s", turns->evidence[1].text);
    waits.items[0].global_lock = waits.items[1].global_lock = "the GIL";
    turns = test_and_find(&made, "lock-turns");
    cr_assert(strstr(turns->headline, "turns at the GIL: they waited 4.00 s"), "%s", turns->headline);
    arena_done(&made.arena);
}

/* What the switches prove is the least that is said. */
Test(findings, a_delay_that_is_a_least_says_so_and_fits_the_table)
{
    struct made_up made;
    make_up(&made);
    made.run.elapsed_s = measured_as(4);
    made.run.cpu_s = measured_as(0.8);
    made.run.on_cpu_ratio = measured_as(0.2);
    made.run.wanted_ratio = measured_as(0.7);
    made.run.cpus_used = measured_as(0.2);
    made.run.run_delay_s = measured_as(0.687);
    made.run.run_delay_is_least = made.run.from_switches = true;
    made.run.threads_seen = 900;
    const struct finding *others = test_and_find(&made, "oversubscribed");
    struct time_shares shares = time_shares_of(&made.run, &made.activity, NULL);
    cr_assert(strstr(others->evidence[0].text, "at least 2.00 s"), "%s", others->evidence[0].text);
    cr_assert(run_time_delay_proven(&made.run).value >= shares.ready.low * 4 - 1e-9);
    arena_done(&made.arena);
}

/* Ready without a CPU is wanting one: the clause is of the page's one account of time. */
Test(findings, why_there_is_no_estimate_agrees_with_the_table)
{
    struct arena arena;
    arena_init(&arena);
    struct time_shares shares = {.known = true, .running = interval_exactly(0.034), .ready = interval_exactly(0.715), .waiting = interval_exactly(0.251)};
    const char *words = time_shares_no_cpu_problem(&shares, &arena);
    cr_assert(strstr(words, "others had the CPUs in 72 %"), "%s", words);
    shares.throttled = shares.ready;
    shares.ready = interval_exactly(0);
    words = time_shares_no_cpu_problem(&shares, &arena);
    cr_assert(strstr(words, "a CPU limit held it back in 72 %"), "%s", words);
    shares.throttled = interval_exactly(0);
    shares.waiting = interval_of(0.6, 0.7, 0.9);
    words = time_shares_no_cpu_problem(&shares, &arena);
    cr_assert(strstr(words, "no CPU problem: no thread ran or was ready in 60 to 90 %"), "%s", words);
    arena_done(&arena);
}

/* A program that plumb ended, or that a signal killed, needs other advice than more runs. */
Test(findings, a_run_that_was_cut_short_says_so)
{
    struct made_up made;
    make_up(&made);
    made.run.cpu_s = measured_as(0.01);
    made.results.cut = "it was ended after 2.00 s by plumb (--duration)";
    test_and_find(&made, "waiting");
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strstr(overall.sentence, "It was cut short: it was ended after 2.00 s by plumb (--duration)."), "%s", overall.sentence);
    cr_assert(strstr(overall.advice[0], "let it run longer"), "%s", overall.advice[0]);
    made.results.cut = NULL;
    made.results.exit_status = 139;
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strstr(overall.advice[0], "core dump") && !strstr(overall.advice[0], "--runs"), "%s", overall.advice[0]);
    made.results.exit_status = 142; /* SIGALRM leaves no core dump */
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strstr(overall.advice[0], "who sent it") && !strstr(overall.advice[0], "core dump"), "%s", overall.advice[0]);
    made.results.exit_status = 137;
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strstr(overall.advice[0], "dmesg"), "%s", overall.advice[0]);
    made.results.exit_status = 2;
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strstr(overall.advice[0], "it ended with status 2") && !strstr(overall.advice[0], "--runs"), "%s", overall.advice[0]);
    arena_done(&made.arena);
}

/* 1500 times: write, fsync, ready again, and others hold the CPUs. */
static void make_up_short_sleeper(struct made_up *made)
{
    static const struct wait_rows waits = {
        .known = true, .waiting_s = 9.7, .idle_s = 9.7, .count = 1,
        .items = {{.kind = WAIT_DISK, .function = "fsync", .total_s = 9.7, .idle_s = 9.7, .count = 1500}}};
    make_up(made);
    made->run.on_cpu_ratio = made->run.wanted_ratio = measured_as(0.03);
    made->run.cpu_s = measured_as(0.3);
    made->run.cpus_used = measured_as(0.03);
    made->run.run_delay_s = measured_as(9.1);
    made->run.from_switches = true;
    made->results.waits = &waits;
    made->kernel.kernel_samples = made->kernel.call_samples = 950;
}

Test(findings, little_cpu_time_has_no_share_of_it_as_its_headline)
{
    struct made_up made;
    make_up_short_sleeper(&made);
    const struct finding *others = test_and_find(&made, "oversubscribed");
    cr_assert_eq(others->verdict, VERDICT_SUPPORTED);
    cr_assert_float_eq(others->recoverable.mid, 0.91, 0.01, "%g", others->recoverable.mid);
    cr_assert_float_eq(test_and_find(&made, "waiting")->recoverable.high, 0.06, 0.01);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_eq(overall.kind, OVERALL_WAITS);
    cr_assert(strstr(overall.sentence, "It ran in 3 % of the elapsed time only"), "%s", overall.sentence);
    cr_assert(strstr(overall.sentence, "mostly (disk) in fsync"), "%s", overall.sentence);
    cr_assert_null(strstr(overall.sentence, "Of its own work"), "3 %% of the time is nothing to speak of: %s", overall.sentence);
    cr_assert_str_eq(overall.culprit->hypothesis->id, "oversubscribed");
    arena_done(&made.arena);
}

/* Each wait of its own is one to be ready after: where it may be as much, its remedy and its check stand first. */
Test(findings, what_it_waits_for_itself_leads_where_it_may_be_more)
{
    struct made_up made;
    make_up_short_sleeper(&made);
    made.run.run_delay_s = measured_as(6);
    struct finding *others = (struct finding *)test_and_find(&made, "oversubscribed");
    struct finding *waiting = (struct finding *)findings_find(&made.findings, "waiting");
    cr_assert(others->verdict == VERDICT_SUPPORTED && waiting->verdict == VERDICT_SUPPORTED);
    waiting->recoverable = interval_of(0.06, 0.3, 0.55);
    others->recoverable = interval_of(0.33, 0.57, 0.82);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_str_eq(overall.culprit->hypothesis->id, "waiting");
    cr_assert(overall.advice_count && strstr(overall.advice[0], "side by side"), "%s",
              overall.advice_count ? overall.advice[0] : "none");
    cr_assert(strstr(overall_check(&overall), "fsync") || strstr(overall_check(&overall), "context-switches"), "%s",
              overall_check(&overall));
    waiting->recoverable = interval_of(0.06, 0.1, 0.2);
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_str_eq(overall.culprit->hypothesis->id, "oversubscribed");
    arena_done(&made.arena);
}

/* Delays that nobody saw may have fallen beside a thread that ran, too: the sentence has the table's figure all the same. */
Test(findings, ready_without_a_cpu_is_the_tables_figure_in_the_sentence)
{
    struct made_up made;
    make_up_short_sleeper(&made);
    made.run.scope = RUN_ATTACHED;
    made.run.on_cpu_ratio = made.run.wanted_ratio = made.run.cpus_used = measured_as(0.35);
    made.run.cpu_s = measured_as(3.5);
    made.run.run_delay_s = measured_as(0.1);
    made.run.run_delay_is_least = true;
    made.run.looked_ready = wilson_interval(10, 20, 20);
    made.run.threads_seen = 41;
    findings_test(&made.findings, &made.results, &made.arena);
    struct time_shares shares = time_shares_of(&made.run, &made.activity, made.results.waits);
    cr_assert(shares.ready.low < 0.05 && shares.ready.high > 0.3, "%g to %g", shares.ready.low, shares.ready.high);
    scoped_text struct text figure = {0};
    struct value ready = VALUE_SHARE("", shares.ready);
    value_print(&figure, &ready);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    const char *said = strstr(overall.sentence, "it may have been ready");
    cr_assert(said && strstr(said, text_string(&figure)), "%s: %s", text_string(&figure), overall.sentence);
    arena_done(&made.arena);
}

/* It slept for most of the time, and was kept from a CPU for a part of the rest: fewer others would return that part alone. */
Test(findings, of_sleep_and_others_the_longer_leads)
{
    struct made_up made;
    make_up_short_sleeper(&made);
    made.run.on_cpu_ratio = made.run.wanted_ratio = measured_as(0.4);
    made.run.cpu_s = measured_as(4);
    made.run.run_delay_s = measured_as(1.3);
    cr_assert_eq(test_and_find(&made, "oversubscribed")->verdict, VERDICT_SUPPORTED);
    const struct finding *waiting = test_and_find(&made, "waiting");
    cr_assert_gt(waiting->recoverable.low, 0.4);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_str_eq(overall.culprit->hypothesis->id, "waiting");
    cr_assert(strstr(overall.sentence, "others held the CPUs in 13 %"), "%s", overall.sentence);
    const char *tries[OVERALL_TRIES_MOST];
    cr_assert_gt(overall_tries(&overall, tries), 0);
    cr_assert_str_eq(tries[0], waiting->advice[0]);
    arena_done(&made.arena);
}

Test(findings, a_service_that_waits_is_told_what_its_own_work_is)
{
    struct made_up made;
    make_up_short_sleeper(&made);
    made.run.on_cpu_ratio = made.run.wanted_ratio = measured_as(0.15);
    made.run.cpu_s = measured_as(1.5);
    made.run.cpus_used = measured_as(0.15);
    test_and_find(&made, "system-calls");
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_eq(overall.kind, OVERALL_WAITS);
    cr_assert(strstr(overall.sentence, " Of its own work beside that (1.50 s of CPU time): system calls take "), "%s", overall.sentence);
    arena_done(&made.arena);
}

Test(findings, a_wait_is_placed_by_the_nearest_name)
{
    struct arena arena;
    arena_init(&arena);
    struct wait_row row = {.kind = WAIT_EVENTS, .function = "server+0x64da0", .asked = "epoll_wait", .callers = {"server+0x51af0", "serve", "main"}, .caller_count = 3};
    cr_assert_str_eq(waiting_place(&row, &arena), "epoll_wait (called below serve)");
    row.caller_count = 1;
    cr_assert_str_eq(waiting_place(&row, &arena), "epoll_wait (called by server+0x64da0)");
    row.function = "fetch";
    cr_assert_str_eq(waiting_place(&row, &arena), "fetch");
    arena_done(&arena);
}

Test(findings, a_thread_that_never_ran_does_not_say_what_is_waited_for)
{
    struct made_up made;
    make_up_short_sleeper(&made);
    made.results.waits = NULL;
    made.run.on_cpu_ratio = made.run.wanted_ratio = measured_as(0.1);
    made.run.run_delay_s = measured_as(0);
    struct activity_thread threads[] = {
        {.comm = "server", .user_s = 0.3, .waits = {{.place = "do_epoll_wait", .count = 40}}},
        {.comm = "pool", .run_s = measured_as(0), .waits = {{.place = "futex_do_wait", .count = 90}}},
    };
    made.activity.threads = threads;
    made.activity.thread_count = 2;
    const struct finding *waiting = test_and_find(&made, "waiting");
    cr_assert(strstr(waiting->headline, "it waits for events (poll, epoll)"), "%s", waiting->headline);
    threads[0].waits[0] = (struct activity_wait){.place = "sigsuspend", .count = 40};
    cr_assert(mentions(test_and_find(&made, "waiting"), "its workers work"), "the first process of a service has nothing to do but wait");
    threads[0].user_s = 0; /* of threads that all slept any may be the one */
    cr_assert(strstr(test_and_find(&made, "waiting")->headline, "it waits for a lock or another thread"), "%s", waiting->headline);
    arena_done(&made.arena);
}

Test(findings, of_cpus_more_to_run_than_they_can_comes_first)
{
    struct made_up made;
    make_up(&made);
    made.run.scope = RUN_MACHINE;
    made.activity.cpus_online = measured_as(2);
    made.activity.runnable_mean = measured_as(21); /* one of them looks */
    const struct finding *others = test_and_find(&made, "oversubscribed");
    cr_assert_eq(others->verdict, VERDICT_SUPPORTED);
    cr_assert(others->gain_unmeasured);
    cr_assert_float_eq(others->recoverable.high, 0.5, 1e-9, "1 of 2 CPUs was used: what stood idle is all that comes back");
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strncmp(overall.sentence, "More is to run than the CPUs can: 20 threads were ready on average for 2 CPUs", 60) == 0, "%s", overall.sentence);
    made.run.cpus_used = measured_as(1.97);
    cr_assert_lt(test_and_find(&made, "oversubscribed")->recoverable.high, 0.02);
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strncmp(overall.sentence, "More is to run than the CPUs can: 20", 30) == 0 && !strstr(overall.sentence, "would return"), "%s", overall.sentence);
    made.activity.runnable_mean = measured_as(3);
    cr_assert_eq(test_and_find(&made, "oversubscribed")->verdict, VERDICT_RULED_OUT);
    made.activity.runnable_mean = not_measured("/proc/loadavg can't be read");
    cr_assert_eq(test_and_find(&made, "oversubscribed")->verdict, VERDICT_NOT_TESTABLE);
    arena_done(&made.arena);
}

/* Many short processes: the delay of those that nobody saw is not 0. */
Test(findings, unseen_processes_leave_delay_and_waiting_open)
{
    struct made_up made;
    make_up(&made);
    made.run.elapsed_s = measured_as(2.46);
    made.run.cpu_s = measured_as(1);
    made.run.on_cpu_ratio = made.run.wanted_ratio = measured_as(0.41);
    made.run.cpus_used = measured_as(0.41);
    made.run.run_delay_s = measured_as(0.186);
    made.run.run_delay_is_least = true;
    made.run.looked_ready = wilson_interval(18, 20, 20);
    made.run.threads_seen = 121;
    const struct finding *others = test_and_find(&made, "oversubscribed");
    cr_assert(others->recoverable.high >= 0.45, "%g", others->recoverable.high);
    cr_assert_eq(test_and_find(&made, "waiting")->verdict, VERDICT_UNDECIDED);
    made.run.looked_ready = wilson_interval(1, 40, 40);
    cr_assert_eq(test_and_find(&made, "waiting")->verdict, VERDICT_SUPPORTED, "seen asleep whenever looked at");
    arena_done(&made.arena);
}

/* The table has the time in which none ran; what may be lost beside a thread that runs is less than that one ran. */
Test(findings, what_may_be_lost_beside_others_is_bounded_and_said_as_such)
{
    struct made_up made;
    make_up(&made);
    made.run.scope = RUN_ATTACHED;
    made.run.cpu_s = measured_as(0.1);
    made.run.on_cpu_ratio = measured_as(0.01);
    made.run.wanted_ratio = measured_as(0.02);
    made.run.cpus_used = measured_as(0.01);
    made.run.run_delay_s = measured_as(0.2);
    made.run.run_delay_is_least = made.run.from_switches = true;
    made.run.looked_ready = wilson_interval(2, 40, 40);
    made.run.threads_seen = 14;
    struct time_shares shares = time_shares_of(&made.run, &made.activity, NULL);
    const struct finding *others = test_and_find(&made, "oversubscribed");
    cr_assert_leq(others->recoverable.high, shares.ready.high + 0.01 + 1e-9, "%g, ready %g", others->recoverable.high, shares.ready.high);
    made.run.on_cpu_ratio = made.run.wanted_ratio = measured_as(0.9);
    made.run.cpus_used = measured_as(0.9);
    made.run.cpu_s = measured_as(9);
    made.run.run_delay_s = measured_as(6);
    made.run.preempted_s = measured_as(6);
    made.run.run_delay_is_least = false;
    made.run.threads_seen = 2;
    others = test_and_find(&made, "oversubscribed");
    cr_assert_eq(others->verdict, VERDICT_UNDECIDED);
    cr_assert(others->recoverable.high <= 0.55 + 1e-9, "9 s of CPU time take 4.5 s on both CPUs: %g", others->recoverable.high);
    cr_assert(strstr(others->reason, "another of them ran"), "%s", others->reason);
    arena_done(&made.arena);
}

/* Who reads from storage is in state D: looks at it bound that, also of processes that no look can count the reads of. */
Test(findings, storage_is_bounded_by_the_looks)
{
    struct made_up made;
    make_up(&made);
    made.run.threads_seen = 7;
    made.activity.major_faults = measured_as(30);
    cr_assert_eq(test_and_find(&made, "swap")->verdict, VERDICT_UNDECIDED);
    made.activity.blocked_ratio = measured_as(0);
    made.activity.look_count = 201;
    const struct finding *reads = test_and_find(&made, "swap");
    cr_assert_eq(reads->verdict, VERDICT_RULED_OUT);
    cr_assert(strstr(reads->reason, "state D"), "%s", reads->reason);
    made.activity.blocked_ratio = measured_as(0.3);
    reads = test_and_find(&made, "swap");
    cr_assert(reads->verdict == VERDICT_UNDECIDED && reads->recoverable.high > 0.3 && reads->recoverable.high < 0.4);
    arena_done(&made.arena);
}

/* A server that answers had something to do: whether it was asked is not for its user to find out. */
Test(findings, a_server_that_was_asked_is_not_told_that_nothing_came)
{
    struct made_up made;
    struct wait_rows waits = {.known = true, .count = 2, .waiting_s = 10, .idle_s = 9.5};
    make_up(&made);
    waits.items[0] = (struct wait_row){.kind = WAIT_EVENTS, .function = "select_poll_poll", .total_s = 9, .idle_s = 9, .count = 14};
    waits.items[1] = (struct wait_row){.kind = WAIT_NETWORK, .function = "sock_recv_into", .total_s = 0.2, .idle_s = 0.2, .count = 10};
    made.results.waits = &waits;
    made.run.on_cpu_ratio = made.run.wanted_ratio = made.run.cpus_used = measured_as(0.01);
    made.run.cpu_s = measured_as(0.1);
    made.run.threads_seen = 14;
    made.activity.threads_at_once = 2;
    const struct finding *waiting = test_and_find(&made, "waiting");
    cr_assert(strstr(waiting->advice[0], "10 waits at sockets ended, 12 threads came and went"), "%s", waiting->advice[0]);
    waits.count = 1;
    made.run.threads_seen = 1;
    waiting = test_and_find(&made, "waiting");
    cr_assert(strstr(waiting->advice[0], "14 such waits ended"), "%s", waiting->advice[0]);
    arena_done(&made.arena);
}

Test(findings, storage_is_bounded_by_waits_not_by_a_guessed_speed)
{
    struct made_up made;
    make_up(&made);
    static struct wait_rows waits = {
        .known = true, .waiting_s = 3, .count = 1,
        .items = {{.kind = WAIT_SLEEP, .function = "nanosleep", .total_s = 2.9, .count = 5}}};
    made.activity.major_faults = measured_as(20);
    cr_assert_eq(test_and_find(&made, "swap")->verdict, VERDICT_RULED_OUT, "one thread that always ran waited for nothing");
    made.run.on_cpu_ratio = made.run.wanted_ratio = made.run.cpus_used = measured_as(0.4);
    cr_assert_eq(test_and_find(&made, "swap")->verdict, VERDICT_UNDECIDED, "20 reads from a throttled disk may take 10 s");
    made.results.waits = &waits;
    cr_assert_eq(test_and_find(&made, "swap")->verdict, VERDICT_RULED_OUT);
    waits.waiting_s = 6;
    cr_assert_eq(test_and_find(&made, "swap")->verdict, VERDICT_UNDECIDED);
    arena_done(&made.arena);
}

/* perf_event_paranoid 2: the kernel isn't sampled, and what is seen is a part of a part. */
Test(findings, samples_of_user_code_alone_hold_at_most_its_share)
{
    struct made_up made;
    make_up(&made);
    made.results.kernel = NULL;
    made.results.why[RESULT_KERNEL] = "the kernel could not be sampled: that wants CAP_PERFMON";
    made.results.sampled = interval_of(0.07, 0.09, 0.11);
    made.stalls.class_samples[INSTRUCTION_DIV] = 900;
    made.activity.minor_faults = measured_as(2e6);
    const struct finding *divider = test_and_find(&made, "divider");
    cr_assert(divider->recoverable.high < 0.11, "%g", divider->recoverable.high);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_eq(overall.kind, OVERALL_BLIND);
    cr_assert(strncmp(overall.sentence, "91 % of its CPU time is the kernel's", 36) == 0, "%s", overall.sentence);
    cr_assert(strstr(overall.sentence, "2000000 page faults") && strstr(overall.sentence, "CAP_PERFMON"), "%s",
              overall.sentence);
    cr_assert(overall.advice_count == 3 && overall.confirm, "what to do and how to check it");
    cr_assert(strstr(overall.advice[2], "against divisions") != NULL, "%s", overall.advice[2]);
    const struct finding *also[OVERALL_ALSO_MOST];
    size_t count = overall_also(&overall, &made.findings, also);
    for (size_t at = 0; at < count; at++)
        cr_assert_neq(also[at], divider, "the sentence says it");
    arena_done(&made.arena);
}

/* A part that was not seen leads where it is larger than what was found, not beside a loop that has more. */
Test(findings, an_unseen_kernel_does_not_stand_before_a_larger_loop)
{
    static const struct {
        double loop_low, loop_high;
        bool leads;
    } cases[] = {{0.3, 0.56, false}, {0.08, 0.12, true}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        double middle = (cases[at].loop_low + cases[at].loop_high) / 2;
        struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_CORE, .cause = CAUSE_DIVIDE, .confidence = ESTIMATE_MEDIUM, .function = "divide",
                                                    .share = interval_of(cases[at].loop_low, middle, cases[at].loop_high)}};
        made.results.bottleneck = &bottleneck;
        made.results.kernel = NULL;
        made.results.why[RESULT_KERNEL] = "the kernel could not be sampled: that wants CAP_PERFMON";
        made.results.sampled = interval_of(0.75, 0.76, 0.77);
        made.stalls.class_samples[INSTRUCTION_DIV] = 150;
        (void)test_and_find(&made, "divider");
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        const char *tries[OVERALL_TRIES_MOST];
        size_t count = overall_tries(&overall, tries);
        cr_assert_eq(overall.kind == OVERALL_BLIND, cases[at].leads, "case %zu: %s", at, overall.sentence);
        cr_assert_eq(strncmp(overall.sentence, "24 %", 4) == 0, cases[at].leads, "case %zu: %s", at, overall.sentence);
        size_t kernel = 0;
        while (kernel < count && !strstr(tries[kernel], "let plumb see the kernel"))
            kernel++;
        cr_assert(kernel < count && (kernel == 0) == cases[at].leads, "case %zu: at %zu", at, kernel);
        arena_done(&made.arena);
    }
}

Test(findings, without_samples_the_verdict_says_why)
{
    struct made_up made;
    make_up(&made);
    made.results.stalls = NULL;
    made.results.kernel = NULL;
    made.results.why[RESULT_STALLS] = made.results.why[RESULT_KERNEL] = "Permission denied (give plumb CAP_PERFMON)";
    findings_test(&made.findings, &made.results, &made.arena);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_eq(overall.kind, OVERALL_BLIND);
    cr_assert(strstr(overall.sentence, "give plumb CAP_PERFMON"), "%s", overall.sentence);
    arena_done(&made.arena);
}

/* 64 threads for 1 s, then one that divides for 1 s: 1/65 of the samples, half of the elapsed time. */
Test(findings, shares_of_threads_side_by_side_are_of_cpu_time)
{
    struct made_up made;
    make_up(&made);
    cr_assert_eq(test_and_find(&made, "divider")->of, OF_ELAPSED);
    made.run.cpu_s = measured_as(65);
    made.run.elapsed_s = measured_as(2);
    made.run.cpus_used = measured_as(32.5);
    cr_assert_eq(test_and_find(&made, "divider")->of, OF_CPU_TIME);
    arena_done(&made.arena);
}

static bool mentions(const struct finding *finding, const char *wanted)
{
    for (size_t at = 0; at < finding->advice_count; at++)
        if (strstr(finding->advice[at], wanted))
            return true;
    for (size_t at = 0; at < finding->evidence_count; at++)
        if (strstr(finding->evidence[at].text, wanted))
            return true;
    return false;
}

/* A stripped interpreter's functions have no names: how much of them is interpreting isn't known, and not nearly nothing. */
Test(findings, what_a_stripped_interpreter_does_is_not_told)
{
    static const struct {
        const char *name, *dso, *begins, *says;
    } functions[] = {
        {"mawk+0xa480", "mawk", "an interpreter does", "how much of that is interpreting isn't told"},
        {"fmt_number", "mawk", "an interpreter does", "hardly any of that is interpreting"},
        {"genie_frame_identifier", "a68g", "an interpreter does", "a68g takes 100 % of the elapsed time"},
        {"lua_geti", "lua5.4", "an interpreter does", "hardly any of that is interpreting"},
        {"caml_interprete", "ocamlrun", "interpreted code", "caml_interprete and its like"},
        {"libR.so+0xab5a0", "libR.so", "an interpreter does", "how much of that is interpreting isn't told"},
        {"libswipl.so.9.0.4+0xd37e0", "libswipl.so.9.0.4", "an interpreter does",
         "how much of that is interpreting isn't told"},
        {"octave::tree_evaluator::execute_builtin_function", "liboctinterp.so.10.0.0", "interpreted code",
         "octave::tree_evaluator"},
    };
    for (size_t at = 0; at < array_count(functions); at++) {
        struct made_up made;
        make_up(&made);
        made.function.name = functions[at].name;
        made.function.dso = functions[at].dso;
        const struct finding *finding = test_and_find(&made, "interpreter");
        cr_expect_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect(strstr(finding->headline, functions[at].begins) == finding->headline && strstr(finding->headline, functions[at].says), "%s", finding->headline);
        arena_done(&made.arena);
    }
}

/* Advice is for this interpreter, this kind of lock, and for whoever asks for the memory. */
Test(findings, advice_fits_what_was_met)
{
    static const struct {
        const char *name, *dso, *wanted, *never;
    } interpreters[] = {
        {"sqlite3VdbeExec", "libsqlite3.so.0", "EXPLAIN QUERY PLAN", "py-spy"},
        {"list_contains", "python3.11", "%: 'x in list' looks", "EXPLAIN"},
        {"PyUnicode_RichCompare", "python3.11", "use a set", "EXPLAIN"},
        {"_PyEval_EvalFrameDefault", "libpython3.11.so.1.0", "py-spy", "perf-basic-prof"},
        {"RawMatch<unsigned char>", "node", "nested repetitions", "py-spy"},
        {"execute_cmd", "bash", "awk", "py-spy"},
    };
    struct made_up made;
    for (size_t at = 0; at < array_count(interpreters); at++) {
        make_up(&made);
        made.function.name = interpreters[at].name;
        made.function.dso = interpreters[at].dso;
        const struct finding *finding = test_and_find(&made, "interpreter");
        cr_expect_eq(finding->verdict, VERDICT_SUPPORTED, "%s", interpreters[at].name);
        cr_expect(mentions(finding, interpreters[at].wanted), "%s", interpreters[at].name);
        cr_expect_not(mentions(finding, interpreters[at].never), "%s", interpreters[at].name);
        arena_done(&made.arena);
    }
    make_up(&made);
    made.function.table_cases = 120;
    made.function.table_samples = 300;
    const struct finding *finding = test_and_find(&made, "interpreter");
    cr_assert(finding->verdict == VERDICT_UNDECIDED && strstr(finding->reason, "120 cases"), "%s", finding->reason);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(overall.advice_count && strstr(overall.advice[0], "jump table"));
    arena_done(&made.arena);

    make_up(&made);
    struct wait_rows waits = {.known = true, .count = 1};
    waits.items[0] = (struct wait_row){.kind = WAIT_LOCK, .function = "put", .total_s = 2, .count = 200};
    made.results.waits = &waits;
    made.function.name = "__pthread_mutex_lock";
    made.function.dso = "libc.so.6";
    finding = test_and_find(&made, "spinning");
    cr_assert(strstr(finding->headline, "only one thread runs"), "%s", finding->headline);
    made.run.threads_seen = 2;
    finding = test_and_find(&made, "spinning");
    cr_assert(strstr(finding->headline, "wait for one another at a lock that put takes"), "%s", finding->headline);
    cr_assert_not(mentions(finding, "OMP_NUM_THREADS"));
    waits.items[0].function = "__GI___lll_lock_wait"; /* the stack ended in the C library */
    finding = test_and_find(&made, "spinning");
    cr_assert(strstr(finding->headline, "__pthread_mutex_lock first"), "%s", finding->headline);
    arena_done(&made.arena);

    make_up(&made);
    made.kernel.fault_samples = made.kernel.kernel_samples = 600;
    cr_assert_not(mentions(test_and_find(&made, "page-faults"), "munmap"));
    made.kernel.entries[0] = (struct kernel_entry){"munmap", 100};
    made.kernel.entry_count = 1;
    cr_assert(mentions(test_and_find(&made, "page-faults"), "calls mmap itself"));
    arena_done(&made.arena);
}

/* malloc's settings don't reach a runtime's own heap. */
Test(findings, page_faults_of_runtimes_have_their_remedies)
{
    static const struct {
        const char *name, *dso, *wanted;
    } cases[] = {
        {"work", "a.out", "GLIBC_TUNABLES"},
        {"runtime.memclrNoHeapPointers", "server", "sync.Pool"},
        {"libjvm.so+0x81aa20", "libjvm.so", "AlwaysPreTouch"},
        {"Builtins_ArrayPush", "node", "TypedArray"},
        {"SVR::gc_heap::mark", "libcoreclr.so", "ArrayPool"},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.kernel.fault_samples = made.kernel.kernel_samples = 600;
        made.function.name = cases[at].name;
        made.function.dso = cases[at].dso;
        const struct finding *finding = test_and_find(&made, "page-faults");
        cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect(mentions(finding, cases[at].wanted), "%s", finding->advice[0]);
        cr_expect_eq(mentions(finding, "GLIBC_TUNABLES") || strstr(finding->confirm, "GLIBC_TUNABLES"), at == 0, "%s", finding->confirm);
        arena_done(&made.arena);
    }
}

/* No cause found is no dead end; and the page for everyday says each bound in a few words. */
Test(findings, nothing_certain_says_what_to_look_at_next)
{
    struct made_up made;
    make_up(&made);
    made.stalls.guess_samples = 400;
    findings_test(&made.findings, &made.results, &made.arena);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_eq(overall.kind, OVERALL_NOTHING);
    cr_assert(overall.advice_count >= 2 && overall.confirm);
    cr_assert(strstr(overall.advice[0], "wrongly guessed branches"), "%s", overall.advice[0]);
    struct diagnosis_gap gap = {"some names", "30 % of the samples: 'liba.so' is stripped; no debug file: tried '/usr/lib/debug/a'"};
    struct diagnosis diagnosis = {.subject = "./a.out", .results = &made.results, .findings = &made.findings,
                                  .overall = &overall, .gaps = &gap, .gap_count = 1};
    struct text_style style = {.functions_most = 5};
    struct text out = {0};
    diagnosis_text(&out, &diagnosis, &style);
    const char *page = text_string(&out);
    cr_assert(strstr(page, "  Try       1. ") && strstr(page, "  Check        "), "%s", page);
    cr_assert(strstr(page, "is stripped; no debug file; install its debug symbols") && !strstr(page, "/usr/lib/debug"), "%s", page);
    size_t lines = 0;
    for (const char *at = page; *at; at++)
        lines += *at == '\n';
    cr_assert_leq(lines, 68, "%zu lines:\n%s", lines, page);
    for (size_t at = 0; at < made.findings.count; at++) { /* yet none is left out; a line break may stand within */
        const char *title = made.findings.items[at].hypothesis->title;
        char first[16];
        snprintf(first, sizeof(first), "%.*s", (int)strcspn(title, " "), title);
        cr_assert(strstr(page, first), "%s", title);
    }
    text_done(&out);
    arena_done(&made.arena);
}

Test(findings, throttling_of_the_group_is_a_bound_for_one_of_its_members)
{
    struct made_up made;
    make_up(&made);
    made.activity.quota_cpus = measured_as(2);
    made.activity.cpus_online = measured_as(8);
    made.activity.throttled_s = measured_as(48); /* eight CPUs, 6 s each */
    made.activity.throttled_periods = measured_as(60);
    made.activity.period_s = measured_as(0.1);
    made.activity.group_usage_s = measured_as(40);
    const struct finding *quota = test_and_find(&made, "cpu-quota");
    cr_assert_eq(quota->recoverable.high, 0, "it ran all the time: %g", quota->recoverable.high);
    made.run.on_cpu_ratio = measured_as(0.3);
    made.run.run_delay_s = measured_as(7);
    quota = test_and_find(&made, "cpu-quota");
    cr_assert_float_eq(quota->recoverable.high, 0.6, 1e-9, "a period is throttled at most whole: %g", quota->recoverable.high);
    made.run.on_cpu_ratio = made.run.wanted_ratio = measured_as(0.1);
    made.run.run_delay_s = measured_as(2);
    made.run.run_delay_is_least = true;
    quota = test_and_find(&made, "cpu-quota");
    cr_assert_eq(quota->verdict, VERDICT_UNDECIDED, "it slept, and others in the group are held back");
    cr_assert(strstr(quota->reason, "isn't known"), "%s", quota->reason);
    made.run.on_cpu_ratio = measured_as(0.4);
    made.run.wanted_ratio = measured_as(1);
    made.run.run_delay_is_least = false;
    made.activity.group_usage_s = measured_as(10.1);
    made.run.from_switches = true;
    made.run.threads_seen = 8;
    made.activity.cpus_allowed = measured_as(8);
    quota = test_and_find(&made, "cpu-quota");
    cr_assert_eq(quota->verdict, VERDICT_SUPPORTED);
    cr_assert_float_eq(quota->recoverable.low, (4.8 - 7 * 0.4) / 8, 1e-9, "one of eight ran for 40 %%: %g", quota->recoverable.low);
    cr_assert_float_eq(quota->recoverable.mid, 0.6, 1e-9);
    cr_assert_float_eq(quota->recoverable.high, 0.6, 1e-9);
    arena_done(&made.arena);
}

Test(findings, what_ended_while_watched_is_said)
{
    struct made_up made;
    make_up(&made);
    made.results.ended = "all that was watched (-p 12) ended after 3.2 s of the 10 s asked for";
    findings_test(&made.findings, &made.results, &made.arena);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strstr(overall.sentence, "ended after 3.2 s"), "%s", overall.sentence);
    arena_done(&made.arena);
}

/* schedstat adds a delay when it is over: one that began before the watch is in its first difference. */
Test(findings, one_thread_was_not_ready_while_it_ran)
{
    struct made_up made;
    make_up(&made);
    made.run.on_cpu_ratio = measured_as(0.3);
    made.run.cpu_s = measured_as(3);
    made.run.cpus_used = measured_as(0.3);
    made.run.run_delay_s = measured_as(11);
    const struct finding *others = test_and_find(&made, "oversubscribed");
    cr_assert_eq(others->verdict, VERDICT_SUPPORTED);
    cr_assert_float_eq(others->recoverable.high, 0.7, 0.001, "%g", others->recoverable.high);
    arena_done(&made.arena);
}

/* Held back by its limit, it is ready, too: that is nobody else's doing. */
Test(findings, throttled_time_is_not_laid_at_others)
{
    struct made_up made;
    make_up(&made);
    made.run.on_cpu_ratio = measured_as(0.2);
    made.run.cpu_s = measured_as(2);
    made.run.cpus_used = measured_as(0.2);
    made.run.run_delay_s = measured_as(7.9);
    made.activity.quota_cpus = measured_as(0.2);
    made.activity.throttled_s = measured_as(7.9);
    cr_assert_eq(test_and_find(&made, "cpu-quota")->verdict, VERDICT_SUPPORTED);
    const struct finding *others = test_and_find(&made, "oversubscribed");
    cr_assert_neq(others->verdict, VERDICT_SUPPORTED);
    cr_assert_lt(others->recoverable.low, 0.02, "%g", others->recoverable.low);
    made.activity.group_others = measured_as(0);
    cr_assert_lt(test_and_find(&made, "oversubscribed")->recoverable.high, 0.02, "nobody else is in its group");
    arena_done(&made.arena);
}

static struct text page_or_json(struct made_up *made, bool as_json, bool verbose);

/* Four threads at one lock, and others on the CPUs: each part of the time once, with the same figures everywhere. */
Test(findings, shares_of_the_time_are_the_tables)
{
    struct made_up made;
    make_up(&made);
    made.run.from_switches = true;
    made.run.threads_seen = 5;
    made.run.elapsed_s = measured_as(6.46);
    made.run.cpu_s = measured_as(2.32);
    made.run.cpus_used = measured_as(0.36);
    made.run.on_cpu_ratio = measured_as(0.358);
    made.run.wanted_ratio = measured_as(0.914);
    made.run.run_delay_s = measured_as(6.77); /* more than the run: delays of several fall together */
    made.run.preempted_s = measured_as(6.5);
    struct time_shares shares = time_shares_of(&made.run, &made.activity, NULL);
    cr_assert_float_eq(shares.running.mid + shares.throttled.mid + shares.ready.mid + shares.waiting.mid, 1, 1e-9);
    const struct finding *others = test_and_find(&made, "oversubscribed");
    cr_assert_eq(others->verdict, VERDICT_SUPPORTED);
    cr_assert(others->recoverable.low == shares.ready.low && others->recoverable.high == shares.ready.high);
    cr_assert(others->recoverable.high <= 1 - 0.358 && others->recoverable.low >= 0.55, "%g", others->recoverable.high);
    made.activity.quota_cpus = measured_as(0.3);
    made.activity.throttled_s = measured_as(3);
    made.activity.group_others = measured_as(0);
    shares = time_shares_of(&made.run, &made.activity, NULL);
    cr_assert_float_eq(shares.running.mid + shares.throttled.mid + shares.ready.mid + shares.waiting.mid, 1, 1e-9);
    const struct finding *quota = test_and_find(&made, "cpu-quota");
    cr_assert(quota->recoverable.low == shares.throttled.low && quota->recoverable.high == shares.throttled.high);
    cr_assert(quota->recoverable.high + shares.ready.low <= 0.643, "what is throttled isn't laid at others as well");
    struct text page = page_or_json(&made, false, false);
    cr_assert(strstr(text_string(&page), "ready, but throttled"), "%s", text_string(&page));
    text_done(&page);
    arena_done(&made.arena);
}

/* It was gone before anything of it was counted: nothing is bounded by a CPU time that isn't known. */
Test(findings, what_ended_at_once_is_too_short_without_cpu_time_too)
{
    struct made_up made;
    make_up(&made);
    made.results.stalls = NULL;
    made.run.scope = RUN_ATTACHED;
    made.run.elapsed_s = measured_as(0.0026);
    made.run.cpu_s = not_measured("the target ended before it could be recorded");
    const struct finding *moved = test_and_find(&made, "migrations");
    cr_assert_eq(moved->verdict, VERDICT_NOT_TESTABLE);
    cr_assert(strstr(moved->reason, "too short: 2.6 ms of elapsed time"), "%s", moved->reason);
    arena_done(&made.arena);
}

/* /proc counts in ticks: of little CPU time the kernel's can be more than all of it, and yet no part is below 0. */
Test(findings, ticks_make_no_part_of_the_time_negative)
{
    struct made_up made;
    make_up(&made);
    made.results.kernel = NULL;
    made.run.cpu_s = measured_as(0.008);
    made.run.system_s = measured_as(0.02);
    made.run.on_cpu_ratio = made.run.wanted_ratio = measured_as(0.01);
    test_and_find(&made, "waiting");
    struct text page = page_or_json(&made, false, false);
    const char *own = strstr(text_string(&page), "running, its own code");
    cr_assert(own && strstr(own, "running, in the kernel"), "%s", text_string(&page));
    cr_assert(!memchr(own, '-', strcspn(own, "\n")), "%s", text_string(&page));
    text_done(&page);
    arena_done(&made.arena);
}

Test(findings, a_program_that_failed_is_said_to_have)
{
    struct made_up made;
    make_up(&made);
    made.results.exit_status = 139;
    findings_test(&made.findings, &made.results, &made.arena);
    const char *sentence = overall_of(&made.findings, &made.results, &made.arena).sentence;
    cr_assert(strstr(sentence, "It was killed by SIGSEGV (Segmentation fault)"), "%s", sentence);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    const char *tries[OVERALL_TRIES_MOST];
    cr_assert(overall_tries(&overall, tries) && strstr(tries[0], "core dump"), "what crashes isn't made faster: that comes first");
    made.results.cut = "it was ended after 2.00 s by plumb (--duration)";
    made.results.exit_status = 143;
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_null(overall.before_all);
    made.results.cut = NULL;
    made.results.exit_status = 137;
    sentence = overall_of(&made.findings, &made.results, &made.arena).sentence;
    cr_assert(strstr(sentence, "It was killed by SIGKILL: "), "%s", sentence);
    made.results.exit_status = 2;
    sentence = overall_of(&made.findings, &made.results, &made.arena).sentence;
    cr_assert(strstr(sentence, "It ended with status 2."), "%s", sentence);
    arena_done(&made.arena);
}

/* Thirty causes that one reason keeps from being tested are no wall of text; -v names them all. */
Test(findings, what_is_too_short_for_most_causes_names_some)
{
    struct made_up made;
    make_up(&made);
    made.stalls.sample_count = made.stalls.user_samples = 2;
    findings_test(&made.findings, &made.results, &made.arena);
    struct text shortly = page_or_json(&made, false, false), fully = page_or_json(&made, false, true);
    cr_assert(strstr(text_string(&shortly), " more: 2 samples"), "%s", text_string(&shortly));
    cr_assert(strstr(text_string(&fully), "divisions and square roots"), "%s", text_string(&fully));
    cr_assert_null(strstr(text_string(&shortly), "divisions and square roots"), "%s", text_string(&shortly));
    text_done(&shortly);
    text_done(&fully);
    arena_done(&made.arena);
}

/* `sleep 2`: two samples of its start are no "page faults take 9.5 to 91 % of its CPU time". */
Test(findings, a_handful_of_samples_tests_nothing)
{
    struct made_up made;
    make_up(&made);
    made.stalls.sample_count = made.stalls.user_samples = 2;
    made.kernel = (struct kernel_time){.sample_count = 2, .kernel_samples = 1, .fault_samples = 1};
    findings_test(&made.findings, &made.results, &made.arena);
    for (size_t at = 0; at < made.findings.count; at++) {
        const struct hypothesis *hypothesis = made.findings.items[at].hypothesis;
        if (!(hypothesis->needs & (RESULT_BIT(RESULT_STALLS) | RESULT_BIT(RESULT_KERNEL))))
            continue;
        cr_assert_eq(made.findings.items[at].verdict, VERDICT_NOT_TESTABLE, "%s", hypothesis->id);
        cr_assert(strstr(made.findings.items[at].reason, "2 samples"), "%s: %s", hypothesis->id, made.findings.items[at].reason);
    }
    cr_assert_neq(test_and_find(&made, "waiting")->verdict, VERDICT_NOT_TESTABLE, "needs no samples");
    arena_done(&made.arena);
}

Test(findings, code_that_waits_for_nothing_is_said_to_be_busy)
{
    struct made_up made;
    make_up(&made);
    struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_RETIRING, .cause = CAUSE_RETIRING, .confidence = ESTIMATE_MEDIUM,
                                                .share = interval_of(0.9, 0.92, 0.94), .function = "hot"}};
    bottleneck.masses[CAUSE_RETIRING] = 0.92;
    made.results.bottleneck = &bottleneck;
    findings_test(&made.findings, &made.results, &made.arena);
    const char *sentence = overall_of(&made.findings, &made.results, &made.arena).sentence;
    cr_assert(
        strstr(
            sentence,
            "Most CPU time goes into hot (100 %). By estimate it is busy with its instructions, and no wait was seen"),
        "%s", sentence);
    cr_assert(strstr(sentence, "90 to 94 %"), "%s", sentence);
    bottleneck.program.busy_is_shown = true;
    sentence = overall_of(&made.findings, &made.results, &made.arena).sentence;
    cr_assert(strstr(sentence, "goes into hot (100 %). By estimate nothing holds it up"), "%s", sentence);
    cr_assert_null(strstr(sentence, " first."), "the loop that leads is the hottest function's: %s", sentence);
    bottleneck.program.confidence = ESTIMATE_LOW;
    sentence = overall_of(&made.findings, &made.results, &made.arena).sentence;
    cr_assert_null(strstr(sentence, "By estimate"), "%s", sentence);
    arena_done(&made.arena);
}

/* The loop that tells most is another function's than the hottest: each is called what it is. */
Test(findings, where_the_time_goes_is_the_hottest_function_with_its_part)
{
    struct made_up made;
    make_up(&made);
    struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_RETIRING,
                                                .cause = CAUSE_RETIRING,
                                                .confidence = ESTIMATE_MEDIUM,
                                                .share = interval_of(0.7, 0.71, 0.72),
                                                .function = "other"}};
    bottleneck.masses[CAUSE_RETIRING] = 0.71;
    made.results.bottleneck = &bottleneck;
    made.function.share = wilson_interval(406, 1000, 1000);
    findings_test(&made.findings, &made.results, &made.arena);
    const char *sentence = overall_of(&made.findings, &made.results, &made.arena).sentence;
    cr_assert(strstr(sentence, "The largest part of its CPU time goes into hot (41 %). By estimate it is busy"), "%s",
              sentence);
    cr_assert(strstr(sentence, "70 to 72 % of its CPU time, other first."), "%s", sentence);
    made.function.share = wilson_interval(660, 1000, 1000);
    sentence = overall_of(&made.findings, &made.results, &made.arena).sentence;
    cr_assert(strstr(sentence, "Most CPU time goes into hot (66 %)"), "%s", sentence);
    made.function.share = wilson_interval(80, 1000, 1000);
    sentence = overall_of(&made.findings, &made.results, &made.arena).sentence;
    cr_assert(strstr(sentence, "Its CPU time is spread, the hottest function is hot (8 %)"), "%s", sentence);
    arena_done(&made.arena);
}

Test(findings, a_nameless_kernel_and_a_named_jit_are_called_so)
{
    struct made_up made;
    make_up(&made);
    made.function.name = "JS:*hot [eval]:1:13";
    made.function.dso = "anon";
    made.function.dso_path = "//anon";
    findings_test(&made.findings, &made.results, &made.arena);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    for (size_t at = 0; at < overall.advice_count; at++)
        cr_assert_null(strstr(overall.advice[at], "a compiler within the program"), "%s", overall.advice[at]);
    made.function.name = "[JIT]+0x7fbd237c5a00";
    overall = overall_of(&made.findings, &made.results, &made.arena);
    const char *tries[OVERALL_TRIES_MOST];
    cr_assert(overall_tries(&overall, tries) && strstr(tries[0], "a compiler within the program"),
              "first, as it has all of the time");
    made.function.name = "[unknown]";
    made.function.dso = made.function.dso_path = "[kernel]";
    made.function.is_kernel = true;
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strstr(overall.sentence, "goes into the kernel (its functions have no names here)"), "%s",
              overall.sentence);
    arena_done(&made.arena);
}

Test(wording, plurals_follow_their_number)
{
    struct arena arena;
    arena_init(&arena);
    const struct value one[] = {VALUE_COUNT("count", 1)}, two[] = {VALUE_COUNT("count", 2)};
    cr_assert_str_eq(wording_fill(&arena, "{count} wait(s) (sleep)", one, 1), "1 wait (sleep)");
    cr_assert_str_eq(wording_fill(&arena, "{count} process(es) (s)", two, 1), "2 processes s");
    arena_done(&arena);
}

Test(findings, threads_without_switch_records_may_have_run_at_once)
{
    struct made_up made;
    make_up(&made);
    made.run.threads_seen = 4;
    made.run.cpus_used = made.run.on_cpu_ratio = made.run.wanted_ratio = measured_as(0.4);
    const struct finding *waiting = test_and_find(&made, "waiting");
    cr_assert_float_eq(waiting->recoverable.low, 0.6, 1e-9);
    cr_assert_float_eq(waiting->recoverable.high, 0.9, 1e-9);
    arena_done(&made.arena);
}

Test(findings, too_little_is_said_to_be_too_little)
{
    struct made_up made;
    make_up(&made);
    made.stalls.sample_count = made.stalls.user_samples = 20;
    made.run.cpu_s = measured_as(0.007);
    findings_test(&made.findings, &made.results, &made.arena);
    cr_assert_eq(overall_of(&made.findings, &made.results, &made.arena).kind, OVERALL_TOO_SHORT);
    arena_done(&made.arena);
}

/* Executing what it may not read ends the sampling of it: neither is it too short, nor would longer help. */
Test(findings, what_ran_unseen_is_said_to_be_unseen)
{
    struct made_up made;
    make_up(&made);
    made.stalls.sample_count = made.stalls.user_samples = 1;
    made.stalls.cpu_s = 0.001;
    made.run.cpu_s = measured_as(1.5);
    findings_test(&made.findings, &made.results, &made.arena);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_eq(overall.kind, OVERALL_BLIND);
    cr_assert(strstr(overall.sentence, "ran unseen: 1 samples came of 1.50 s"), "%s", overall.sentence);
    cr_assert(strstr(overall.advice[0], "run it as root"), "%s", overall.advice[0]);
    made.stalls.cpu_s = 0; /* samples by cycles, at a low rate */
    findings_test(&made.findings, &made.results, &made.arena);
    cr_assert_eq(overall_of(&made.findings, &made.results, &made.arena).kind, OVERALL_TOO_SHORT);
    arena_done(&made.arena);
}

/* That the self-test came to nothing is no property of the machine. */
Test(findings, a_self_test_without_an_answer_is_not_called_an_answer)
{
    struct made_up made;
    make_up(&made);
    made.stalls.attributed = false;
    cr_assert(strstr(test_and_find(&made, "small-pages")->reason, "doesn't land"));
    made.stalls.why_no_skid = "too few samples of the self-test";
    const struct finding *pages = test_and_find(&made, "small-pages");
    cr_assert_eq(pages->verdict, VERDICT_NOT_TESTABLE);
    cr_assert(strstr(pages->reason, "could not be measured this time"), "%s", pages->reason);
    cr_assert(strstr(pages->remedy, "again"), "%s", pages->remedy);
    arena_done(&made.arena);
}

/* 1.3 ms of CPU time in 16 ms: not one finding stands on that, and what would be enough is said. */
Test(findings, a_run_of_some_milliseconds_decides_nothing)
{
    struct made_up made;
    make_up(&made);
    made.run.elapsed_s = measured_as(0.016);
    made.run.cpu_s = measured_as(0.0013);
    made.run.on_cpu_ratio = made.run.wanted_ratio = measured_as(0.08);
    made.run.stolen.ratio = interval_of(0, 0.3, 0.61);
    made.run.run_delay_s = measured_as(0.004);
    made.stalls.sample_count = made.stalls.user_samples = 2;
    findings_test(&made.findings, &made.results, &made.arena);
    for (size_t at = 0; at < made.findings.count; at++) {
        const struct finding *finding = &made.findings.items[at];
        cr_assert_eq(finding->verdict, VERDICT_NOT_TESTABLE, "%s", finding->hypothesis->id);
    }
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_eq(overall.kind, OVERALL_TOO_SHORT);
    cr_assert(strstr(overall.advice[0], "--runs 116"), "%s", overall.advice[0]);
    made.run.scope = RUN_ATTACHED;
    made.run.elapsed_s = measured_as(10);
    cr_assert_eq(test_and_find(&made, "waiting")->verdict, VERDICT_SUPPORTED, "that takes no CPU time");
    cr_assert_eq(test_and_find(&made, "steal")->verdict, VERDICT_NOT_TESTABLE);
    cr_assert(strstr(test_and_find(&made, "steal")->remedy, "--duration"));
    arena_done(&made.arena);
}

/* Push every cause up in turn, so that each branch that words something runs: a missing key is an assertion. */
Test(findings, every_key_is_worded)
{
    for (int level = 0; level < 3; level++) {
        double hits = level == 0 ? 0 : level == 1 ? 55 : 600;
        for (int class = 0; class < INSTRUCTION_CLASS_COUNT; class++) {
            struct made_up made;
            make_up(&made);
            if (class % 2)
                add_small_pages(&made);
            made.stalls.class_samples[class] = (uint64_t)hits;
            made.row.class = (enum instruction_class)class;
            made.stalls.arithmetic_samples = made.stalls.scalar_fp_samples = (uint64_t)hits;
            made.stalls.vector_samples[2] = made.stalls.vector_samples[0] = (uint64_t)hits;
            made.stalls.hot_code_lines = level == 2 ? 2000 : 2;
            made.stalls.shared_line_addresses = 600;
            made.stalls.shared_line_samples = (uint64_t)hits;
            made.run.threads_seen = 1 + (uint32_t)level;
            made.run.run_delay_s = measured_as(level * 3);
            made.run.migrations = measured_as(level * 50000);
            made.run.wanted_ratio = made.run.on_cpu_ratio = measured_as(1 - 0.3 * level);
            made.kernel.fault_samples = made.kernel.interrupt_samples = made.kernel.spin_samples =
                made.kernel.exec_samples = made.kernel.other_samples = (uint64_t)hits;
            made.activity.steal_ratio = measured_as(0.2 * level);
            made.activity.throttled_s = measured_as(level);
            made.activity.quota_cpus = level ? measured_as(1) : not_measured("no limit is set");
            made.activity.throttled_periods = measured_as(level * 10);
            made.activity.runnable_mean = measured_as(3);
            made.activity.minor_faults = measured_as(level * 1000);
            made.activity.major_faults = measured_as(level * 1000);
            made.machine.has_avx512 = level > 0;
            made.machine.nodes = measured_as(1 + level);
            made.machine.confidential = level == 2 ? "TDX guest" : "";
            made.machine.thp_enabled = level == 2 ? "never" : "madvise";
            made.machine.governor = level == 1 ? "powersave" : "";
            made.group.is_anonymous = level != 2;
            made.group.set.stride_bytes = level == 1 ? 32768 : 0;
            made.group.dependent_samples = level == 2 ? 900 : 0;
            made.function.producer = level ? "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g" : NULL;
            static const char *const names[] = {"hot", "malloc", "memcpy", "compute_ref_x", "__asan_load8",
                                                "_PyEval_EvalFrameDefault", "pthread_spin_lock"};
            made.function.name = names[class % (int)array_count(names)];
            findings_test(&made.findings, &made.results, &made.arena);
            for (size_t at = 0; at < made.findings.count; at++) {
                const struct finding *item = &made.findings.items[at];
                bool is_supported = item->verdict == VERDICT_SUPPORTED, is_open = item->verdict == VERDICT_UNDECIDED;
                cr_expect(!is_supported || (item->advice_count && item->confirm), "%s: supported without Try and Check", item->hypothesis->id);
                cr_expect(!is_open || item->advice_count || item->remedy, "%s: open, and nothing to do about it", item->hypothesis->id);
            }
            struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
            cr_assert_not_null(overall.sentence);
            struct diagnosis diagnosis = {.subject = "./a.out", .results = &made.results, .findings = &made.findings,
                                          .overall = &overall};
            struct text_style style = {.unicode = true, .functions_most = 5, .verbose = true};
            struct text out = {0};
            diagnosis_text(&out, &diagnosis, &style);
            diagnosis_json(&out, &diagnosis);
            cr_assert(strstr(text_string(&out), "small-pages"));
            cr_assert_null(strstr(text_string(&out), "nan"), "no NaN");
            text_done(&out);
            arena_done(&made.arena);
        }
    }
}

Test(findings, each_hypothesis_appears_once)
{
    struct made_up made;
    make_up(&made);
    findings_test(&made.findings, &made.results, &made.arena);
    size_t count = 0;
    for (; hypothesis_table[count]; count++)
        for (size_t other = 0; other < count; other++)
            cr_assert_str_neq(hypothesis_table[count]->id, hypothesis_table[other]->id);
    cr_assert_eq(made.findings.count, count);
    cr_assert_geq(count, 30);
    arena_done(&made.arena);
}

Test(wording, values_read_well)
{
    static const struct {
        struct value value;
        const char *text;
    } cases[] = {
        {{.name = "", .unit = UNIT_SHARE, .number = {true, 0.61, 0.7, 0.74}}, "61 to 74 %"},
        {{.name = "", .unit = UNIT_SHARE, .number = {true, 0.7, 0.7, 0.7}}, "70 %"},
        {{.name = "", .unit = UNIT_SHARE, .number = {false, 0, 0, 0}}, "an unknown amount"},
        {{.name = "", .unit = UNIT_SECONDS, .number = {true, 1.5e-8, 1.5e-8, 1.5e-8}}, "15 ns"},
        {{.name = "", .unit = UNIT_BYTES, .number = {true, 268435456, 268435456, 268435456}}, "256 MiB"},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct text out = {0};
        value_print(&out, &cases[at].value);
        cr_assert_str_eq(text_string(&out), cases[at].text);
        text_done(&out);
    }
}

/* A pinned thread on a guest of 64 CPUs, half of whose only busy CPU was stolen: less than 1 % of the machine. */
Test(findings, steal_is_the_programs_share_not_the_machines)
{
    struct made_up made;
    make_up(&made);
    made.activity.cpus_online = measured_as(64);
    made.activity.steal_ratio = measured_as(5.0 / 640);
    made.activity.busy_ratio = measured_as(0.9);
    made.run.stolen.ratio = interval_exactly(0.5);
    const struct finding *steal = test_and_find(&made, "steal");
    cr_assert_eq(steal->verdict, VERDICT_SUPPORTED);
    cr_assert_float_eq(steal->recoverable.low, 0.5, 1e-9);
    made.run.stolen.ratio = (struct interval){0}; /* whose it was isn't known: at most all of it */
    steal = test_and_find(&made, "steal");
    cr_assert_eq(steal->verdict, VERDICT_UNDECIDED);
    cr_assert_float_eq(steal->recoverable.high, 0.5, 1e-9, "%g", steal->recoverable.high);
    cr_assert(strstr(steal->reason, "isn't known"), "%s", steal->reason);
    made.run.stolen.ratio = interval_exactly(0);
    cr_assert_eq(test_and_find(&made, "steal")->verdict, VERDICT_RULED_OUT, "stolen where it didn't run");
    made.activity.steal_ratio = not_measured("the kernel doesn't count steal");
    made.run.stolen.ratio = (struct interval){0};
    cr_assert_eq(test_and_find(&made, "steal")->verdict, VERDICT_NOT_TESTABLE);
    arena_done(&made.arena);
}

/* 0.1 s of refilled caches is 10 % of the second that it ran, and 1 % of the ten that passed. */
Test(findings, migrations_are_of_what_the_finding_says)
{
    struct made_up made;
    make_up(&made);
    made.run.cpu_s = measured_as(1);
    made.run.cpus_used = made.run.on_cpu_ratio = made.run.wanted_ratio = measured_as(0.1);
    made.run.migrations = measured_as(34);
    const struct finding *moves = test_and_find(&made, "migrations");
    cr_assert_eq(moves->of, OF_ELAPSED);
    cr_assert_float_eq(moves->recoverable.high, 0.0102, 1e-6, "%g", moves->recoverable.high);
    made.run.scope = RUN_ATTACHED;
    moves = test_and_find(&made, "migrations");
    cr_assert_eq(moves->of, OF_CPU_TIME);
    cr_assert_float_eq(moves->recoverable.high, 0.102, 1e-6, "%g", moves->recoverable.high);
    arena_done(&made.arena);
}

/* It ran a tenth of the time on one of two CPUs, while others held the rest: the idle half second may have been then. */
Test(findings, idle_cpus_may_have_been_idle_just_while_it_ran)
{
    struct made_up made;
    make_up(&made);
    made.run.cpu_s = measured_as(1);
    made.run.cpus_used = made.run.on_cpu_ratio = made.run.wanted_ratio = measured_as(0.1);
    made.activity.busy_ratio = measured_as(0.975); /* 0.05 CPUs idle on average: half a CPU of the second it ran */
    made.results.effect = 0.02;
    const struct finding *idle = test_and_find(&made, "idle-cpus");
    cr_assert_float_eq(idle->recoverable.high, 0.1 * 0.5 / 1.5, 1e-6, "%g", idle->recoverable.high);
    cr_assert_eq(idle->verdict, VERDICT_UNDECIDED);
    arena_done(&made.arena);
}

/* Also where others hold the CPUs: then more of its threads share them. */
Test(findings, one_thread_that_does_most_of_the_work_is_said)
{
    struct made_up made;
    make_up(&made);
    made.run.threads_seen = 4;
    made.activity.busy_ratio = measured_as(1);
    made.run.balance = (struct thread_balance){.known = true, .threads = 3, .busiest_tid = 77, .function = "heavy", .busiest_share = 0.89, .alone_s = 8};
    const struct finding *idle = test_and_find(&made, "idle-cpus");
    cr_assert_eq(idle->verdict, VERDICT_SUPPORTED);
    cr_assert_float_eq(idle->recoverable.high, 0.4, 1e-9, "8 of 10 s on 2 CPUs: 4 s");
    cr_assert(strstr(idle->headline, "of 3 threads in heavy one does 89 %") && mentions(idle, "queue"), "%s", idle->headline);
    made.run.balance.alone_s = 0.1;
    cr_assert_eq(test_and_find(&made, "idle-cpus")->verdict, VERDICT_UNDECIDED);
    made.run.balance = (struct thread_balance){.known = false, .alone_s = 8, .threads = 1};
    idle = test_and_find(&made, "idle-cpus");
    cr_assert_eq(idle->verdict, VERDICT_UNDECIDED);
    cr_assert(strstr(idle->reason, "others kept the rest busy"), "what others took at that moment rules nothing out: %s", idle->reason);
    made.activity.busy_ratio = measured_as(0.95); /* as much again would be there, were it not for others */
    idle = test_and_find(&made, "idle-cpus");
    cr_assert(idle->recoverable.high > 0.35 && strstr(idle->reason, "others kept the rest busy"), "%f: %s", idle->recoverable.high, idle->reason);
    made.run.cpus_used = measured_as(2);
    cr_assert_eq(test_and_find(&made, "idle-cpus")->verdict, VERDICT_RULED_OUT);
    arena_done(&made.arena);
}

/* Rounds that one ends alone: what the others waited for something else meanwhile is none of it. */
Test(findings, rounds_that_one_thread_ends_alone_are_said)
{
    static const struct {
        uint32_t rounds;
        double ready_s, disk_s, lock_s;
        enum verdict verdict;
        double most;
    } cases[] = {{40, 0.5, 0, 0, VERDICT_SUPPORTED, 0.225},  {40, 0.5, 1, 0.1, VERDICT_SUPPORTED, 0.17},
                 {2, 0.5, 0, 0, VERDICT_UNDECIDED, 0.25},    {40, 4.5, 0, 0, VERDICT_UNDECIDED, 0.25},
                 {40, 0.5, 4.5, 0, VERDICT_UNDECIDED, 0.25}, {40, 0.5, 0, 1, VERDICT_UNDECIDED, 0.25}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct wait_rows waits = {.known = true, .count = 3};
        waits.items[0] = (struct wait_row){.kind = WAIT_DISK, .function = "load", .total_s = cases[at].disk_s, .count = 9};
        waits.items[1] = (struct wait_row){.kind = WAIT_THREAD, .function = "main", .total_s = 9, .count = 9};
        waits.items[2] =
            (struct wait_row){.kind = WAIT_LOCK, .function = "put", .total_s = cases[at].lock_s, .count = 9};
        made.results.waits = &waits;
        made.run.threads_seen = 3;
        made.run.cpus_used = measured_as(1.5);
        made.run.run_delay_s = measured_as(cases[at].ready_s);
        made.run.balance = (struct thread_balance){.function = "row", .rounds = {cases[at].rounds, 5}, .round_threads = 2};
        const struct finding *idle = test_and_find(&made, "idle-cpus");
        cr_assert_eq(idle->verdict, cases[at].verdict, "case %zu", at);
        cr_expect(cases[at].verdict != VERDICT_SUPPORTED || fabs(idle->recoverable.high - cases[at].most) < 1e-9, "case %zu: %g", at, idle->recoverable.high);
        cr_expect(cases[at].verdict != VERDICT_SUPPORTED || (strstr(idle->headline, "40 times one thread went on alone in row") && mentions(idle, "schedule(dynamic)")), "%zu", at);
        arena_done(&made.arena);
    }
}

/* Its share says nothing of load, and it is no lock. */
Test(findings, a_loop_that_polls_takes_its_cpu_by_design)
{
    static const struct {
        const char *function, *advice, *said; /* NULL: it is none */
    } cases[] = {{"rte_eth_rx_burst", "rx_missed", "says nothing of load"},
                 {"opal_progress", "comes last", "waiting for messages"},
                 {"rte_eth_tx_burst", NULL, NULL}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.function.name = cases[at].function;
        made.function.dso = "l3fwd";
        const struct finding *spinning = test_and_find(&made, "spinning");
        cr_assert_eq(spinning->verdict == VERDICT_SUPPORTED, cases[at].advice != NULL, "%s", cases[at].function);
        cr_expect(!cases[at].advice ||
                      (strstr(spinning->headline, cases[at].said) && mentions(spinning, cases[at].advice)),
                  "%s", cases[at].function);
        cr_expect_eq(locking_samples(&made.stalls), 0, "%s", cases[at].function);
        arena_done(&made.arena);
    }
}

/* Told by the code itself, whatever the function is called; a name that says more is kept. */
Test(findings, a_loop_that_waits_for_others_needs_no_name)
{
    static const struct {
        const char *function, *said; /* NULL: it is none */
        bool polls;
    } cases[] = {{"consumer", "wait in loops for memory that others write", true},
                 {"consumer", NULL, false},
                 {"gomp_barrier_wait", "spin at locks or barriers", true}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.function.name = cases[at].function;
        made.row.shown_addr = 0x1000;
        struct instruction rows[] = {{.addr = 0x1000, .is_load = true}};
        uint64_t hits[] = {900};
        uint16_t marks[] = {cases[at].polls ? MARK_POLLS : 0};
        struct stall_code code = {.items = rows, .hits = hits, .marks = marks, .count = 1};
        made.stalls.codes = &code;
        const struct finding *spinning = test_and_find(&made, "spinning");
        cr_assert_eq(spinning->verdict == VERDICT_SUPPORTED, cases[at].said != NULL, "%zu", at);
        cr_expect(!cases[at].said || strstr(spinning->headline, cases[at].said), "%s", spinning->headline);
        cr_expect(at || spinning->recoverable.low == 0);
        arena_done(&made.arena);
    }
}

/* Locks of other runtimes than the C library's; those who spin hardly sleep. */
Test(findings, locks_of_runtimes_are_known_and_who_spins_for_one_is_not_ruled_out)
{
    static const struct {
        const char *function, *dso;
        bool is_lock;
    } cases[] = {{"ObjectMonitor::TrySpin", "libjvm.so", true}, {"sync.(*Mutex).lockSlow", "server", true},
                 {"std::sys::sync::mutex::futex::Mutex::lock_contended", "server", true}, {"absl::Mutex::LockSlow", "server", true},
                 {"blockSlowly", "server", false}, {"ObjectMonitors", "libjvm.so", false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct wait_rows waits = {.known = true};
        made.results.waits = &waits;
        made.run.from_switches = true;
        made.run.threads_seen = 4;
        made.function.name = cases[at].function;
        made.function.dso = cases[at].dso;
        const struct finding *spinning = test_and_find(&made, "spinning");
        cr_assert_eq(spinning->verdict == VERDICT_SUPPORTED, cases[at].is_lock, "%s", cases[at].function);
        cr_expect(!cases[at].is_lock || mentions(spinning, "hold that lock shorter"), "%s", cases[at].function);
        const struct finding *turns = test_and_find(&made, "lock-turns");
        cr_expect_eq(turns->verdict, cases[at].is_lock ? VERDICT_UNDECIDED : VERDICT_RULED_OUT, "%s: %s", cases[at].function, turns->reason);
        arena_done(&made.arena);
    }
}

/* What an atomic operation is for: a counter, unless its function or the locks beside it say otherwise. */
Test(findings, atomic_operations_are_advised_on_by_what_they_are_for)
{
    static const struct {
        const char *function, *dso, *advice;
    } cases[] = {{"runtime.casgstatus", "server", "hand over to one another"}, {"ObjectMonitor::enter", "libjvm.so", "take and release locks"},
                 {"count", "a.out", "a counter for each thread"}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct stall_row adds = {.text = "lock cmpxchg %ecx,0x90(%rdi)", .class = INSTRUCTION_ATOMIC, .samples = 500};
        made.run.threads_seen = 2;
        made.function.name = cases[at].function;
        made.function.dso = cases[at].dso;
        made.function.rows = &adds;
        made.function.row_count = 1;
        made.stalls.class_samples[INSTRUCTION_ATOMIC] = 500;
        cr_expect(mentions(test_and_find(&made, "atomics"), cases[at].advice), "%s", cases[at].function);
        const struct finding *alone = test_and_find(&made, "atomics");
        cr_expect(strstr(alone->headline, "waits at atomic") && !strstr(alone->headline, "together"), "%s", alone->headline);
        struct stall_row first = adds, second = adds;
        first.samples = 300;
        second.samples = 200;
        struct stall_function functions[] = {made.function, made.function};
        functions[0].rows = &first;
        functions[1].rows = &second;
        made.stalls.functions = functions;
        made.stalls.function_count = 2;
        const struct finding *several = test_and_find(&made, "atomics");
        cr_expect(strstr(several->headline, "in 2 functions together"), "%s", several->headline);
        arena_done(&made.arena);
    }
}

/* The runtime's own code has no names, and is waiting. */
Test(findings, an_openmp_runtime_s_own_time_is_waiting_at_barriers)
{
    static const char *const dsos[] = {"libgomp.so.1.0.0", "libiomp5.so", "libomp.so.5", "libompression.so"};
    for (size_t at = 0; at < array_count(dsos); at++) {
        struct made_up made;
        make_up(&made);
        made.function.name = arena_printf(&made.arena, "%s+0x1f780", dsos[at]);
        made.function.dso = dsos[at];
        made.run.threads_seen = 2;
        const struct finding *spinning = test_and_find(&made, "spinning");
        bool is_one = at + 1 < array_count(dsos);
        cr_assert_eq(spinning->verdict == VERDICT_SUPPORTED, is_one, "%s", dsos[at]);
        cr_expect(!is_one || (strstr(spinning->headline, "barriers of OpenMP") && mentions(spinning, "schedule(dynamic)")), "%s", spinning->headline);
        struct stall_row adds = {.text = "lock xadd %rdx,(%rsi)", .class = INSTRUCTION_ATOMIC, .samples = 500};
        made.function.rows = &adds; /* it hands out turns of a loop */
        made.function.row_count = 1;
        made.stalls.class_samples[INSTRUCTION_ATOMIC] = 500;
        cr_expect_neq(test_and_find(&made, "spinning")->verdict, VERDICT_SUPPORTED, "%s", dsos[at]);
        cr_expect_eq(mentions(test_and_find(&made, "atomics"), "larger pieces"), is_one, "%s", dsos[at]);
        arena_done(&made.arena);
    }
}

/* Many threads, of which one runs at a time: not the first one alone, nor a runtime's, nor while others held the CPUs. */
Test(findings, threads_that_run_one_at_a_time_are_the_first_to_look_at)
{
    enum { THREADS = 12 };
    static const struct {
        double first_s;
        const char *dso;
        double delay_s;
        bool said;
    } cases[] = {{0.5, "a.out", 0, true}, {9, "a.out", 0, false}, {0.5, "//anon", 0, false}, {0.5, "a.out", 2, false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct activity_thread threads[THREADS];
        for (uint32_t thread = 0; thread < THREADS; thread++)
            threads[thread] = (struct activity_thread){.pid = 10, .tid = 10 + thread, .run_s = measured_as(thread ? (10 - cases[at].first_s) / (THREADS - 1) : cases[at].first_s)};
        made.activity.threads = threads;
        made.activity.thread_count = made.run.threads_seen = THREADS;
        made.function.dso_path = cases[at].dso;
        made.run.run_delay_s = measured_as(cases[at].delay_s);
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        bool said = false;
        for (size_t advice = 0; advice < overall.advice_count; advice++)
            said |= strstr(overall.advice[advice], "12 threads ran one at a time") != NULL;
        cr_assert_eq(said, cases[at].said, "%zu", at);
        arena_done(&made.arena);
    }
}

/* What keeps threads from CPUs takes no CPU time: whatever holds that up, it leads. */
Test(findings, threads_kept_on_one_cpu_lead_before_an_estimate_of_their_work)
{
    struct finding affinity = {.hypothesis = &hypothesis_affinity, .verdict = VERDICT_SUPPORTED, .of = OF_ELAPSED, .gain_unmeasured = true, .recoverable = interval_of(0, 0.24, 0.48)};
    struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_CORE, .cause = CAUSE_FP, .confidence = ESTIMATE_MEDIUM, .share = interval_exactly(1)}};
    struct made_up made;
    make_up(&made);
    made.results.bottleneck = &bottleneck;
    cr_assert(!is_less_than_estimate(&affinity, &made.results));
    affinity.hypothesis = &hypothesis_system_calls;
    cr_assert(is_less_than_estimate(&affinity, &made.results));
    arena_done(&made.arena);
}

Test(findings, a_limit_that_nobody_shares_is_the_programs_own)
{
    struct made_up made;
    make_up(&made);
    made.activity.quota_cpus = measured_as(0.5);
    made.activity.cpus_online = measured_as(64);
    made.activity.throttled_s = measured_as(5);
    made.activity.throttled_periods = measured_as(50);
    made.activity.period_s = measured_as(0.1);
    made.activity.group_usage_s = not_measured("version 1 counts that elsewhere");
    made.activity.group_others = measured_as(2);
    made.run.on_cpu_ratio = measured_as(0.5);
    made.run.run_delay_s = measured_as(5);
    cr_assert_eq(test_and_find(&made, "cpu-quota")->verdict, VERDICT_UNDECIDED);
    made.activity.group_others = measured_as(0);
    made.run.on_cpu_ratio = measured_as(0.5);
    made.run.run_delay_s = measured_as(5);
    const struct finding *quota = test_and_find(&made, "cpu-quota");
    cr_assert_eq(quota->verdict, VERDICT_SUPPORTED);
    cr_assert_float_eq(quota->recoverable.low, 0.5, 1e-9, "%g", quota->recoverable.low);
    arena_done(&made.arena);
}

static struct text page_or_json(struct made_up *made, bool as_json, bool verbose)
{
    struct overall overall = overall_of(&made->findings, &made->results, &made->arena);
    struct diagnosis diagnosis = {.subject = "./a.out", .results = &made->results, .findings = &made->findings,
                                  .overall = &overall};
    struct text_style style = {.functions_most = 5, .verbose = verbose};
    struct text out = {0};
    if (as_json)
        diagnosis_json(&out, &diagnosis);
    else
        diagnosis_text(&out, &diagnosis, &style);
    return out;
}

static size_t lines_with(const char *text, const char *start)
{
    size_t count = 0;
    for (const char *at = strstr(text, start); at; at = strstr(at + 1, start))
        count++;
    return count;
}

/* Code without names or patterns: a dozen causes remain open, the page shows the largest and names the rest with bounds. */
Test(findings, a_long_list_of_what_is_open_is_short_on_the_page_and_whole_elsewhere)
{
    struct made_up made;
    make_up(&made);
    made.stalls.blind_samples = made.stalls.unnamed_samples = 800;
    findings_test(&made.findings, &made.results, &made.arena);
    size_t open = 0;
    for (size_t at = 0; at < made.findings.count; at++)
        open += made.findings.items[at].verdict == VERDICT_UNDECIDED;
    cr_assert_gt(open, 8);
    struct text page = page_or_json(&made, false, false), all = page_or_json(&made, false, true),
                json = page_or_json(&made, true, false);
    cr_expect_eq(lines_with(text_string(&page), "\n  ? "), 6, "five and the rest:\n%s", text_string(&page));
    cr_expect_eq(lines_with(text_string(&all), "\n  ? "), open);
    cr_expect_eq(lines_with(text_string(&json), "\"undecided\""), open);
    for (size_t at = 0; at < made.findings.count; at++) {
        char first[12];
        snprintf(first, sizeof(first), "%.*s", (int)strcspn(made.findings.items[at].hypothesis->title, " "),
                 made.findings.items[at].hypothesis->title);
        if (made.findings.items[at].verdict == VERDICT_UNDECIDED)
            cr_expect(strstr(text_string(&page), first), "%s", made.findings.items[at].hypothesis->title);
    }
    text_done(&page);
    text_done(&all);
    text_done(&json);
    arena_done(&made.arena);
}

Test(findings, what_to_do_next_and_how_many_processes_are_in_the_json)
{
    struct made_up made;
    make_up(&made);
    made.stalls.blind_samples = 800;
    made.kernel.starts = (struct process_starts){.process_count = 4501, .thread_count = 4502, .short_count = 4500,
                                                 .commands = {{"sed", 1500}}, .command_count = 1};
    findings_test(&made.findings, &made.results, &made.arena);
    struct text json = page_or_json(&made, true, false), page = page_or_json(&made, false, false);
    struct error err = {0};
    struct json_document *document = NULL;
    cr_assert(json_document_parse(&document, text_view(&json), &err), "%s", err.message);
    struct json_value verdict = json_member(json_root(document), "verdict");
    struct json_value processes = json_member(json_root(document), "processes");
    cr_assert_str_eq(json_text_or(json_member(verdict, "kind"), ""), "nothing");
    cr_expect_gt(json_count(json_member(verdict, "advice")), 0);
    cr_expect_gt(strlen(json_text_or(json_member(verdict, "confirm"), "")), 0);
    cr_expect_eq(json_unsigned_or(json_member(processes, "count"), 0), 4501);
    cr_expect_eq(json_unsigned_or(json_member(processes, "short"), 0), 4500);
    cr_expect_str_eq(json_text_or(json_member(json_item(json_member(processes, "short_commands"), 0), "command"), ""), "sed");
    cr_expect(strstr(text_string(&page), "Try  "), "the page says it, too");
    json_document_free(document);
    text_done(&json);
    text_done(&page);
    made.results.kernel = NULL;
    json = page_or_json(&made, true, false);
    cr_expect(strstr(text_string(&json), "\"processes\": {\n    \"not_measured\""), "%.900s", text_string(&json));
    text_done(&json);
    arena_done(&made.arena);
}

/* Two loops that add up an array, one number at a time and four: the second holds more samples, and the first more to gain. */
Test(findings, the_narrow_loop_named_is_the_one_with_most_to_gain)
{
    enum { ROWS = 4, LOOPS = 2 };
    struct made_up made;
    struct instruction rows[LOOPS][ROWS];
    uint64_t hits[LOOPS][ROWS] = {{0, 440}, {0, 560}};
    struct loop_rows loops[LOOPS][ROWS];
    static const char *const codes[] = {"030748" "83c704" "4839d7" "75f5", "660ffe0748" "83c710" "4839d7" "75f3"};
    struct stall_function functions[LOOPS];
    struct stall_code decoded[LOOPS];
    struct disassembler *disassembler;
    struct error err = {0};
    if (!disassembler_new(&disassembler, "x86_64", SYNTAX_ATT, &err))
        cr_skip_test("%s", err.message);
    make_up(&made);
    for (size_t at = 0; at < LOOPS; at++) {
        uint8_t bytes[16];
        size_t size = strlen(codes[at]) / 2;
        for (size_t byte = 0; byte < size; byte++) {
            char digits[3] = {codes[at][2 * byte], codes[at][2 * byte + 1], 0};
            bytes[byte] = (uint8_t)strtoul(digits, NULL, 16);
        }
        size_t count = 0;
        for (size_t byte = 0; byte < size; byte += rows[at][count++].length)
            cr_assert(disassembler_next(disassembler, bytes + byte, size - byte, 0x1000 + byte, &rows[at][count]));
        cr_assert_eq(count, ROWS);
        for (size_t row = 0; row < ROWS; row++)
            loops[at][row] = (struct loop_rows){0, ROWS - 1};
        functions[at] = made.function;
        functions[at].name = at ? "by_four" : "by_one";
        decoded[at] = (struct stall_code){.items = rows[at], .hits = hits[at], .loops = loops[at], .count = ROWS};
    }
    disassembler_free(disassembler);
    made.stalls.functions = functions;
    made.stalls.codes = decoded;
    made.stalls.function_count = LOOPS;
    const struct finding *finding = test_and_find(&made, "narrow-vectors");
    cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
    cr_assert_str_eq(finding->subject, "by_one");
    arena_done(&made.arena);
}

/* It adds to four numbers in all ("lea 0x10(%rdi),%rcx" says where they end): no vector of it is wider than these. */
Test(findings, a_short_loop_is_not_told_of_wider_vectors_than_it_has_numbers)
{
    enum { ROWS = 8 };
    static const uint8_t bytes[] = {0x48, 0x8d, 0x4f, 0x10, 0x48, 0x89, 0xf8, 0x83, 0x00, 0x03,
                                    0x48, 0x83, 0xc0, 0x04, 0x48, 0x39, 0xc8, 0x75, 0xf4};
    struct instruction rows[ROWS];
    uint64_t hits[ROWS] = {0, 0, 900};
    struct loop_rows loops[ROWS], own = {2, 5}, none = {UINT32_MAX, UINT32_MAX};
    struct disassembler *disassembler;
    struct error err = {0};
    if (!disassembler_new(&disassembler, "x86_64", SYNTAX_ATT, &err))
        cr_skip_test("%s", err.message);
    uint32_t count = 0;
    for (size_t byte = 0; byte < sizeof(bytes); byte += rows[count].length, count++) {
        cr_assert(disassembler_next(disassembler, bytes + byte, sizeof(bytes) - byte, 0x1000 + byte, &rows[count]));
        loops[count] = count < own.first ? none : own;
    }
    disassembler_free(disassembler);
    struct made_up made;
    make_up(&made);
    struct stall_code code = {.items = rows, .hits = hits, .loops = loops, .count = count};
    made.stalls.codes = &code;
    const struct finding *finding = test_and_find(&made, "narrow-vectors");
    cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
    cr_assert(strstr(finding->headline, "up to 128 bits"), "%s", finding->headline);
    arena_done(&made.arena);
}

/* A nameless function's loop is told to who looks it up; an interpreter's is nothing that a script could change. */
Test(findings, an_interpreters_own_loop_is_not_told)
{
    enum { ROWS = 4 };
    static const uint8_t bytes[] = {0x03, 0x07, 0x48, 0x83, 0xc7, 0x04, 0x48, 0x39, 0xd7, 0x75, 0xf5};
    struct instruction rows[ROWS];
    uint64_t hits[ROWS] = {100, 900};
    struct loop_rows loops[ROWS] = {{0, ROWS - 1}, {0, ROWS - 1}, {0, ROWS - 1}, {0, ROWS - 1}};
    struct disassembler *disassembler;
    struct error err = {0};
    if (!disassembler_new(&disassembler, "x86_64", SYNTAX_ATT, &err))
        cr_skip_test("%s", err.message);
    size_t count = 0;
    for (size_t byte = 0; byte < sizeof(bytes); byte += rows[count++].length)
        cr_assert(disassembler_next(disassembler, bytes + byte, sizeof(bytes) - byte, 0x1000 + byte, &rows[count]));
    disassembler_free(disassembler);
    for (int script = 0; script < 2; script++) {
        struct made_up made;
        make_up(&made);
        struct stall_code code = {.items = rows, .hits = hits, .loops = loops, .count = ROWS};
        made.function.name = script ? "mawk+0x1000" : "tool+0x1000";
        made.function.dso = script ? "mawk" : "tool";
        made.stalls.codes = &code;
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_expect_eq((overall.loops != NULL), !script, "%s", overall.sentence);
        cr_expect(script || strstr(overall.loops, "hottest loop"));
        arena_done(&made.arena);
    }
}

/* Down a column of rows that are a page long each line falls into one set of the first cache. */
Test(findings, steps_that_meet_one_set_are_told_so)
{
    enum { ROWS = 4, STEP_AT = 5 };
    uint8_t bytes[] = {0x03, 0x07, 0x48, 0x81, 0xc7, 0x00, 0x10, 0x00, 0x00, 0x48, 0x39, 0xd7, 0x75, 0xf2};
    uint64_t hits[ROWS] = {900, 100};
    struct loop_rows loops[ROWS] = {{0, ROWS - 1}, {0, ROWS - 1}, {0, ROWS - 1}, {0, ROWS - 1}};
    for (int padded = 0; padded < 2; padded++) {
        struct instruction rows[ROWS];
        struct disassembler *disassembler;
        struct error err = {0};
        bytes[STEP_AT] = padded ? 0x40 : 0;
        if (!disassembler_new(&disassembler, "x86_64", SYNTAX_ATT, &err))
            cr_skip_test("%s", err.message);
        size_t count = 0;
        for (size_t byte = 0; byte < sizeof(bytes); byte += rows[count++].length)
            cr_assert(disassembler_next(disassembler, bytes + byte, sizeof(bytes) - byte, 0x1000 + byte, &rows[count]));
        disassembler_free(disassembler);
        struct made_up made;
        make_up(&made);
        struct stall_code code = {.items = rows, .hits = hits, .loops = loops, .count = ROWS};
        made.function.name = "tool+0x1000";
        made.function.dso = "tool";
        made.stalls.codes = &code;
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_expect(strstr(overall.loops, padded ? "in steps of 4160 bytes" : "in steps of 4096 bytes"), "%s", overall.loops);
        cr_expect_eq(strstr(overall.loops, "in one set of a first cache") != NULL, !padded, "%s", overall.loops);
        arena_done(&made.arena);
    }
}

/* Code that could not be read may be full of vectors. */
Test(findings, no_vectors_is_said_only_of_code_that_was_read)
{
    struct made_up made;
    make_up(&made);
    findings_test(&made.findings, &made.results, &made.arena);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    struct diagnosis diagnosis = {.subject = "./a.out", .results = &made.results, .findings = &made.findings, .overall = &overall};
    struct text_style style = {.functions_most = 5, .verbose = true};
    for (int read = 0; read < 2; read++) {
        struct text out = {0};
        made.stalls.attributed_samples = read ? 900 : 100;
        diagnosis_text(&out, &diagnosis, &style);
        cr_assert_eq(strstr(text_string(&out), "none: general registers alone") != NULL, read);
        cr_assert_eq(strstr(text_string(&out), "couldn't be read") != NULL, !read);
        text_done(&out);
    }
    arena_done(&made.arena);
}

static void make_up_shared_lines(struct made_up *made, uint64_t waits, uint64_t contended, uint64_t apart)
{
    make_up(made);
    made->run.threads_seen = 2;
    made->stalls.memory_samples = waits;
    made->stalls.shared_line_addresses = made->stalls.shared_line_samples = waits;
    made->stalls.contended_samples = contended;
    made->stalls.apart_samples = apart;
}

Test(findings, what_contended_lines_cost_is_a_bound)
{
    struct made_up made;
    make_up_shared_lines(&made, 800, 800, 800);
    const struct finding *finding = test_and_find(&made, "contended-lines");
    cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
    cr_assert_eq(finding->recoverable.low, 0);
    cr_assert(strstr(finding->headline, "up to 82 %") && strstr(finding->headline, "false sharing"), "%s", finding->headline);
    cr_assert(strstr(finding->advice[0], "alignas"), "%s", finding->advice[0]);
    arena_done(&made.arena);
    make_up_shared_lines(&made, 800, 800, 0);
    finding = test_and_find(&made, "contended-lines");
    cr_assert(strstr(finding->headline, "true sharing") && strstr(finding->advice[0], "less often"), "%s", finding->headline);
    arena_done(&made.arena);
    make_up_shared_lines(&made, 130, 0, 130); /* where a short loop ends */
    finding = test_and_find(&made, "contended-lines");
    cr_assert_eq(finding->verdict, VERDICT_UNDECIDED);
    cr_assert(strstr(finding->reason, "up to"), "%s", finding->reason);
    arena_done(&made.arena);
    make_up_shared_lines(&made, 20, 20, 20);
    cr_assert_eq(test_and_find(&made, "contended-lines")->verdict, VERDICT_RULED_OUT);
    arena_done(&made.arena);
}

/* Saving all registers fills the frame without any variable's being loaded right behind its store. */
Test(findings, a_full_frame_alone_is_no_unoptimised_build)
{
    static const struct {
        double frame, reload;
        bool has_frame;
        enum verdict verdict;
        bool keeps_values; /* as volatile variables leave the others */
    } cases[] = {{0.6, 0, true, VERDICT_RULED_OUT}, {0.45, 0.08, true, VERDICT_SUPPORTED}, {0.45, 0.08, false, VERDICT_SUPPORTED},
                 {0.45, 0.01, false, VERDICT_RULED_OUT}, {0.1, 0.05, true, VERDICT_RULED_OUT}, {0.45, 0.08, false, VERDICT_RULED_OUT, true}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.function.frame_density = cases[at].frame;
        made.function.reload_density = cases[at].reload;
        made.function.has_frame = cases[at].has_frame;
        made.function.keeps_values = cases[at].keeps_values;
        cr_expect_eq(test_and_find(&made, "unoptimised-build")->verdict, cases[at].verdict, "case %zu", at);
        arena_done(&made.arena);
    }
}

/* How far data reaches is judged once: where the estimate and the addresses that stalled disagree, neither is certain. */
Test(findings, misses_are_not_certain_against_the_estimated_level)
{
    static const struct {
        enum bottleneck_level level;
        enum verdict verdict;
    } cases[] = {{LEVEL_NONE, VERDICT_SUPPORTED}, {LEVEL_BEYOND, VERDICT_SUPPORTED}, {LEVEL_L2, VERDICT_UNDECIDED}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        add_small_pages(&made);
        made.cost.ns_near = interval_of(1.4, 1.5, 1.6);
        struct bottleneck_loop loop = {.samples = 900, .verdict = {.function = "hot", .level = cases[at].level}};
        struct bottleneck bottleneck = {.loops = &loop, .loop_count = 1};
        made.results.bottleneck = &bottleneck;
        cr_expect_eq(test_and_find(&made, "cache-misses")->verdict, cases[at].verdict, "level %d", cases[at].level);
        arena_done(&made.arena);
    }
}

/* Several streams in turns step from one to the next: the estimate knows that they go in order. */
Test(findings, streams_are_not_blamed_for_pages)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    made.group.set.stride_bytes = 738 << 10;
    struct bottleneck_loop loop = {.samples = 900, .verdict = {.function = "hot", .level = LEVEL_BEYOND}};
    struct bottleneck bottleneck = {.loops = &loop, .loop_count = 1};
    made.results.bottleneck = &bottleneck;
    loop.masses[CAUSE_TLB] = 1;
    cr_assert_eq(test_and_find(&made, "small-pages")->verdict, VERDICT_SUPPORTED);
    loop.masses[CAUSE_TLB] = 0;
    loop.masses[CAUSE_BANDWIDTH] = 1;
    cr_assert_neq(test_and_find(&made, "small-pages")->verdict, VERDICT_SUPPORTED);
    cr_assert_neq(test_and_find(&made, "cache-misses")->verdict, VERDICT_SUPPORTED);
    loop.masses[CAUSE_BANDWIDTH] = 0;
    loop.walks_in_order = true; /* too slowly to wait for memory: in random order it would be another program */
    cr_assert_neq(test_and_find(&made, "cache-misses")->verdict, VERDICT_SUPPORTED);
    arena_done(&made.arena);
}

/* In order, and waiting by estimate: rows that begin anywhere. One evidence or the other, never both. */
Test(findings, rows_at_places_in_no_order_are_not_called_fetched_ahead)
{
    static const enum bottleneck_cause causes[] = {CAUSE_PARALLEL_MISSES, CAUSE_BANDWIDTH};
    for (size_t at = 0; at < array_count(causes); at++) {
        struct made_up made;
        make_up(&made);
        add_small_pages(&made);
        struct bottleneck_loop loop = {.samples = 900, .walks_in_order = true,
                                       .verdict = {.function = "hot", .level = LEVEL_BEYOND, .cause = causes[at], .confidence = ESTIMATE_HIGH}};
        struct bottleneck bottleneck = {.loops = &loop, .loop_count = 1};
        made.results.bottleneck = &bottleneck;
        const struct finding *finding = test_and_find(&made, "cache-misses");
        bool rows = false, ordered = false;
        for (size_t item = 0; item < finding->evidence_count; item++) {
            rows |= strcmp(finding->evidence[item].key, "rows") == 0;
            ordered |= strcmp(finding->evidence[item].key, "in-order") == 0;
        }
        cr_expect(rows == (at == 0) && ordered == (at == 1), "%zu", at);
        arena_done(&made.arena);
    }
}

/* Of two that wait the one with far more samples is in the sentence, though only the other's pattern has a probe. */
Test(findings, the_larger_part_of_the_misses_is_named)
{
    for (int is_larger = 0; is_larger < 2; is_larger++) {
        struct made_up made;
        make_up(&made);
        add_small_pages(&made);
        struct stall_group groups[2] = {made.group, made.group};
        struct stall_function functions[2] = {made.function, made.function};
        functions[1].name = "rows";
        made.stalls.functions = functions;
        made.stalls.function_count = 2;
        struct stall_row rows = made.row;
        rows.text = "addss (%r8,%rax,4),%xmm0";
        rows.shown_addr = 0x9000;
        uint64_t samples = is_larger ? 600 : 300;
        groups[0].share = wilson_interval(250, 1000, 1000);
        groups[0].samples = groups[0].base_hits = 250;
        groups[1].row = rows;
        groups[1].function = 1;
        groups[1].share = wilson_interval((double)samples, 1000, 1000);
        groups[1].samples = groups[1].base_hits = samples;
        made.stalls.groups = groups;
        made.stalls.group_count = 2;
        struct bottleneck_loop loop = {.samples = 900, .first_addr = 0x8ff0, .last_addr = 0x9010, .walks_in_order = true,
                                       .verdict = {.function = "rows", .level = LEVEL_BEYOND, .cause = CAUSE_PARALLEL_MISSES, .confidence = ESTIMATE_HIGH}};
        struct bottleneck bottleneck = {.loops = &loop, .loop_count = 1};
        made.results.bottleneck = &bottleneck;
        const struct finding *finding = test_and_find(&made, "cache-misses");
        cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect_eq(strstr(finding->headline, "addss (%r8,%rax,4),%xmm0") != NULL, is_larger != 0, "%s", finding->headline);
        arena_done(&made.arena);
    }
}

/* A copy at the edge of the second cache: the pattern counts as within it, the estimate lays its time at bandwidth. */
Test(findings, bandwidth_that_the_estimate_names_is_not_ruled_out)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    made.group.set.lines = (struct set_size){.known = true, .bytes = 256 << 10};
    cr_assert_eq(test_and_find(&made, "memory-bandwidth")->verdict, VERDICT_RULED_OUT);
    struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_MEMORY, .cause = CAUSE_BANDWIDTH, .confidence = ESTIMATE_LOW}};
    bottleneck.masses[CAUSE_BANDWIDTH] = 0.9;
    made.results.bottleneck = &bottleneck;
    cr_assert_eq(test_and_find(&made, "memory-bandwidth")->verdict, VERDICT_UNDECIDED);
    bottleneck.program.confidence = ESTIMATE_MEDIUM;
    cr_assert_eq(test_and_find(&made, "memory-bandwidth")->verdict, VERDICT_SUPPORTED);
    arena_done(&made.arena);
}

/* A chain that the estimate names is never ruled out beside it, and has something to try. */
Test(findings, what_the_estimate_names_is_not_ruled_out)
{
    static const struct {
        enum bottleneck_cause cause;
        const char *id, *advice;
    } cases[] = {{CAUSE_LATENCY_CHAIN, "latency-chain", "accumulators"}, {CAUSE_STORE_FORWARDING, "load-chain", "local variable"}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_CORE, .cause = cases[at].cause, .confidence = ESTIMATE_MEDIUM}};
        cr_expect_eq(test_and_find(&made, cases[at].id)->verdict, VERDICT_RULED_OUT, "%s without an estimate", cases[at].id);
        bottleneck.masses[cases[at].cause] = 0.9;
        made.results.bottleneck = &bottleneck;
        const struct finding *finding = test_and_find(&made, cases[at].id);
        cr_expect_eq(finding->verdict, VERDICT_UNDECIDED, "%s", cases[at].id);
        cr_expect(finding->recoverable.high >= 0.9, "%s", cases[at].id);
        cr_expect(mentions(finding, cases[at].advice) && finding->confirm, "%s", cases[at].id);
        arena_done(&made.arena);
    }
}

/* Chains of quick instructions look like quick instructions: ruled out is what is bounded, and the longest that is known is said. */
Test(findings, chains_of_quick_results_are_bounded_before_they_are_ruled_out)
{
    struct made_up made;
    make_up(&made);
    struct bottleneck_loop loop = {.samples = 900, .is_straight_chain = true, .verdict = {.function = "digest"}};
    struct bottleneck bottleneck = {.loops = &loop, .loop_count = 1, .program = {.class = BOTTLENECK_RETIRING, .cause = CAUSE_RETIRING,
                                    .confidence = ESTIMATE_MEDIUM, .function = "digest"}};
    made.results.bottleneck = &bottleneck;
    cr_assert_eq(test_and_find(&made, "latency-chain")->verdict, VERDICT_RULED_OUT, "all chains are short");
    bottleneck.chains_open_ratio = 0.9;
    const struct finding *finding = test_and_find(&made, "latency-chain");
    cr_assert_eq(finding->verdict, VERDICT_UNDECIDED);
    cr_assert(finding->recoverable.high >= 0.9 && strstr(finding->reason, "quick"), "%s", finding->reason);
    bottleneck.program.class = BOTTLENECK_CORE;
    bottleneck.program.cause = CAUSE_LATENCY_CHAIN;
    bottleneck.masses[CAUSE_LATENCY_CHAIN] = 0.9;
    finding = test_and_find(&made, "latency-chain");
    cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
    cr_assert(mentions(finding, "side by side") && finding->confirm);
    arena_done(&made.arena);
}

/* A loop of a load and an addition in a chain: when each turn takes far longer than the chain, the load is what is waited for. */
Test(findings, a_chain_is_bounded_by_what_its_turn_takes)
{
    static const struct {
        double memory, bound, measured; /* cycles; 0: not known */
        enum verdict verdict;
    } cases[] = {{0, 0, 0, VERDICT_SUPPORTED}, {0.99, 0, 0, VERDICT_RULED_OUT}, {0, 4, 4.2, VERDICT_SUPPORTED},
                 {0, 4, 160, VERDICT_RULED_OUT}, {0.3, 4, 5, VERDICT_SUPPORTED}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.row = (struct stall_row){.text = "addsd (%rax),%xmm0", .class = INSTRUCTION_FP, .is_load = true, .is_chained = true,
                                      .samples = 880, .shown_addr = 0x1010};
        made.stalls.chained_samples = made.stalls.class_samples[INSTRUCTION_FP] = 880;
        struct bottleneck_loop loop = {.samples = 900, .first_addr = 0x1000, .last_addr = 0x1020, .verdict = {.function = "hot"}};
        loop.masses[CAUSE_TLB] = cases[at].memory;
        if (cases[at].bound > 0) {
            loop.bound_cycles = measured_as(cases[at].bound);
            loop.measured_cycles = measured_as(cases[at].measured);
        }
        struct bottleneck bottleneck = {.loops = &loop, .loop_count = 1};
        made.results.bottleneck = &bottleneck;
        const struct finding *finding = test_and_find(&made, "latency-chain");
        cr_expect_eq(finding->verdict, cases[at].verdict, "case %zu: %s", at, verdict_name(finding->verdict));
        cr_expect(finding->verdict != VERDICT_RULED_OUT || strstr(finding->reason, "waits for the data that it loads"), "%s", finding->reason);
        arena_done(&made.arena);
    }
}

/*
 * A sum of products of what is loaded from afar, whose own addition loads nothing: where samples of a turn stand changes from run to run.
 * Unless the turn was measured to take no longer than the chain, the chain is no fact, and no advice comes first for it.
 */
Test(findings, a_chain_beside_far_loads_is_sure_only_where_its_turn_was_measured)
{
    static const struct {
        double memory, bound, measured; /* cycles; 0: not known */
        bool loads_far;
        enum verdict verdict;
    } cases[] = {{0, 0, 0, false, VERDICT_SUPPORTED},      {0.5, 2, 0, false, VERDICT_UNDECIDED}, {0.5, 2, 2.1, false, VERDICT_SUPPORTED},
                 {0.02, 2, 0, false, VERDICT_SUPPORTED}, {0, 2, 0, true, VERDICT_UNDECIDED},    {0, 2, 2.1, true, VERDICT_SUPPORTED}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.row = (struct stall_row){.text = "addsd %xmm0,%xmm1", .class = INSTRUCTION_FP, .is_chained = true, .samples = 300, .shown_addr = 0x1010};
        made.stalls.chained_samples = 300;
        made.stalls.class_samples[INSTRUCTION_FP] = 300;
        struct bottleneck_loop loop = {.samples = 900, .first_addr = 0x1000, .last_addr = 0x1020, .verdict = {.function = "hot"}};
        loop.masses[CAUSE_BANDWIDTH] = cases[at].memory;
        loop.loads_far = cases[at].loads_far;
        if (cases[at].bound > 0)
            loop.bound_cycles = measured_as(cases[at].bound);
        if (cases[at].measured > 0)
            loop.measured_cycles = measured_as(cases[at].measured);
        struct bottleneck bottleneck = {.loops = &loop, .loop_count = 1};
        made.results.bottleneck = &bottleneck;
        const struct finding *finding = test_and_find(&made, "latency-chain");
        cr_expect_eq(finding->verdict, cases[at].verdict, "case %zu: %s", at, verdict_name(finding->verdict));
        cr_expect(finding->verdict != VERDICT_UNDECIDED || strstr(finding->reason, "loads from afar"), "%s", finding->reason);
        arena_done(&made.arena);
    }
}

/* Steps of many pages are an order of the loops: that is the first remedy, before any other pages. */
Test(findings, columns_are_to_be_walked_by_rows)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    made.group.set.stride_bytes = 48000;
    const struct finding *finding = test_and_find(&made, "small-pages");
    cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
    cr_assert(strstr(finding->advice[0], "swap the loops"), "%s", finding->advice[0]);
    made.group.set.stride_bytes = 0;
    made.group.dependent_samples = 900;
    finding = test_and_find(&made, "small-pages");
    cr_assert_not(mentions(finding, "swap the loops"));
    cr_assert(mentions(finding, "nodes from one block"));
    arena_done(&made.arena);
}

/* What certainly returns more is said first, though other pages need no other code. */
Test(findings, caches_that_return_more_come_before_pages)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    made.group.dependent_samples = 900;
    made.cost.ns_near = interval_of(0.9, 1, 1.1);
    made.cost.ns_small = interval_of(19.9, 20, 20.1);
    made.cost.ns_huge = interval_of(12.9, 13, 13.1);
    made.cost.ratio = interval_of(0.64, 0.65, 0.66);
    cr_assert_eq(test_and_find(&made, "cache-misses")->verdict, VERDICT_SUPPORTED);
    cr_assert_str_eq(made.findings.items[0].hypothesis->id, "cache-misses");
    cr_assert(mentions(&made.findings.items[0], "huge pages return"));
    arena_done(&made.arena);
}

/* A function can't return more than it holds: where the interval reaches further, other code is in it, and that is said. */
Test(findings, what_returns_more_than_a_function_holds_is_others_too)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    made.cost.ns_near = interval_of(0.9, 1, 1.1);
    const struct finding *finding = test_and_find(&made, "cache-misses");
    cr_expect_str_eq(finding->returner, "all of it in the near caches");
    made.group.samples = made.group.load_samples = made.group.base_hits = 300;
    made.group.share = wilson_interval(300, 1000, 1000);
    made.stalls.memory_samples = 900;
    finding = test_and_find(&made, "cache-misses");
    cr_expect_eq(finding->verdict, VERDICT_SUPPORTED);
    cr_expect(finding->recoverable.high > made.group.share.high && strstr(finding->returner, "of the samples) in the near caches, and with it what more of its code may wait for so,"), "%s", finding->returner);
    arena_done(&made.arena);
}

/* Nobody swaps loops in somebody else's program. */
Test(findings, advice_for_code_from_elsewhere_is_for_its_user)
{
    static const struct {
        const char *path;
        bool foreign;
    } cases[] = {{"/home/me/.venv/lib/python3.11/site-packages/numpy/core/x.so", true}, {"/usr/lib/x86_64-linux-gnu/libc.so.6", true}, {"/usr/bin/sort", true}, {"/a.out", false}, {"/usr/local/bin/mine", false}, {"//anon", false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        add_small_pages(&made);
        made.cost.ns_near = interval_of(0.9, 1, 1.1);
        made.function.dso_path = cases[at].path;
        const struct finding *finding = test_and_find(&made, "cache-misses");
        cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect_eq(strstr(finding->advice[0], "installed programs") != NULL, cases[at].foreign, "%s: %s", cases[at].path, finding->advice[0]);
        cr_expect_eq(strncmp(finding->advice[1], "if it is your code", 18) == 0, cases[at].foreign, "%s: %s", cases[at].path, finding->advice[1]);
        cr_expect(finding->advice_count >= 2);
        made.row.class = INSTRUCTION_DIV;
        made.stalls.class_samples[INSTRUCTION_DIV] = 800;
        finding = test_and_find(&made, "divider");
        cr_expect_eq(strstr(finding->confirm, "CHANGED-CMD") != NULL, cases[at].foreign, "%s", finding->confirm);
        cr_expect_eq(mentions(test_and_find(&made, "small-pages"), "side by side"), !cases[at].foreign && cases[at].path[1] != '/', "%s", cases[at].path);
        arena_done(&made.arena);
    }
}

/* Whoever writes Java has no prefetch, and no malloc. */
Test(findings, advice_for_generated_code_is_its_languages)
{
    static const struct {
        const char *name, *dso, *path, *beside; /* beside: a binary that was sampled, too */
        const char *says, *names;               /* NULL: as for C */
    } cases[] = {
        {"hot", "a.out", "/a.out", "libjvm.so", NULL, NULL},
        {"[JIT]+0x7fd6f0ed0c60", "anon", "//anon", "libjvm.so", "Java's objects", "DumpPerfMapAtExit"},
        {"Map::get", "anon", "//anon", "libjvm.so", "Java's objects", NULL},
        {"G1RemSet::refine_card", "libjvm.so", "/usr/lib/jvm/libjvm.so", "libc.so.6", "Java's objects", NULL},
        {"Builtins_FindOrderedHashMapEntry", "node", "/usr/bin/node", "libc.so.6", "typed arrays", NULL},
        {"[JIT]+0x7fd6f0ed0c60", "anon", "//anon", "libdnnl.so.2", "a larger batch", "ONEDNN_JIT_PROFILE"},
        {"dnnl_sgemm", "libdnnl.so.2", "/home/me/libdnnl.so.2", "libc.so.6", NULL, NULL},
        {"[JIT]+0x7fd6f0ed0c60", "anon", "//anon", "libc.so.6", "compiled at run time", "perf-PID.map"},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        add_small_pages(&made);
        made.cost.ns_near = interval_of(0.9, 1, 1.1);
        struct stall_function functions[] = {made.function, {.name = "other", .dso = cases[at].beside, .dso_path = "/usr/lib/x.so", .samples = 5, .share = interval_exactly(0.005)}};
        functions[0].name = cases[at].name;
        functions[0].dso = cases[at].dso;
        functions[0].dso_path = cases[at].path;
        made.stalls.functions = functions;
        made.stalls.function_count = 2;
        const struct finding *misses = test_and_find(&made, "cache-misses");
        cr_assert_eq(misses->verdict, VERDICT_SUPPORTED);
        cr_expect_eq(mentions(misses, "__builtin_prefetch") || mentions(misses, "swap loops"), !cases[at].says, "%zu: %s", at, misses->advice[0]);
        cr_expect(!cases[at].says || strstr(misses->advice[0], cases[at].says) || (misses->advice_count > 1 && mentions(misses, cases[at].says)), "%zu: %s", at, misses->advice[0]);
        bool java = cases[at].says && strcmp(cases[at].says, "Java's objects") == 0;
        const struct finding *pages = test_and_find(&made, "small-pages");
        cr_expect_eq(mentions(pages, "UseTransparentHugePages") && strstr(pages->confirm, "JAVA_TOOL_OPTIONS") != NULL, java, "%zu: %s", at, pages->advice[0]);
        cr_expect(!java || !mentions(pages, "malloc"), "%zu: %s", at, pages->advice[0]);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        bool nameless = strncmp(cases[at].name, "[JIT]", 5) == 0;
        cr_expect(!nameless || (overall.advice_count && strstr(overall.advice[0], cases[at].names)), "%zu: %s", at, overall.advice_count ? overall.advice[0] : "none");
        arena_done(&made.arena);
    }
}

/* Threads that take turns on a CPU don't fight over a line: what it costs is bounded by the time in which two ran. */
Test(findings, lines_are_fought_over_only_side_by_side)
{
    static const struct {
        double on_cpu; /* of 10 s elapsed, with 10 s of CPU time */
        bool switches;
        enum verdict verdict;
        double most;
    } cases[] = {{0.99, true, VERDICT_RULED_OUT, 0.021}, {0.9, true, VERDICT_SUPPORTED, 0.201}, {0.5, true, VERDICT_SUPPORTED, 0.83},
                 {0.99, false, VERDICT_SUPPORTED, 0.83}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up_shared_lines(&made, 800, 800, 800);
        made.run.from_switches = cases[at].switches;
        made.run.on_cpu_ratio = measured_as(cases[at].on_cpu);
        made.run.switched_cpu_s = measured_as(10);
        const struct finding *finding = test_and_find(&made, "contended-lines");
        cr_expect_eq(finding->verdict, cases[at].verdict, "case %zu: %s", at, verdict_name(finding->verdict));
        cr_expect_leq(finding->recoverable.high, cases[at].most, "case %zu: %f", at, finding->recoverable.high);
        arena_done(&made.arena);
    }
}

/* More data with a call is for calls that move data. */
Test(findings, advice_on_calls_is_by_what_they_do)
{
    static const struct {
        const char *call, *wanted, *never;
    } cases[] = {{"read", "larger buffer", "sendmmsg"},         {"pwrite64", "larger buffer", "sendmmsg"},
                 {"statx", "remember what was found", "buffer"}, {"newfstatat", "remember what was found", "io_uring"},
                 {"epoll_pwait", "several events", "buffer"},    {"sendto", "MSG_MORE", "io_uring"},
                 {"lseek", "pread and pwrite", "larger buffer"}, {"mmap", "mmap_threshold", "buffer"},     {"futex", "wake one waiter", "buffer"},
                 {"clone3", "pool", "buffer"},                   {"getrandom", "call getrandom less often", "buffer"}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.kernel.call_samples = made.kernel.kernel_samples = 600;
        made.kernel.entries[0] = (struct kernel_entry){cases[at].call, 500};
        made.kernel.entry_count = 1;
        const struct finding *finding = test_and_find(&made, "system-calls");
        cr_expect_eq(finding->verdict, VERDICT_SUPPORTED, "%s", cases[at].call);
        cr_expect(strstr(finding->headline, cases[at].call), "%s: %s", cases[at].call, finding->headline);
        cr_expect(mentions(finding, cases[at].wanted), "%s: %s", cases[at].call, finding->advice[0]);
        cr_expect_not(mentions(finding, cases[at].never), "%s: %s", cases[at].call, finding->advice[0]);
        cr_expect(finding->confirm && !strstr(finding->confirm, cases[at].never), "%s: %s", cases[at].call, finding->confirm);
        arena_done(&made.arena);
    }
}

Test(findings, a_pipeline_is_told_by_its_programs)
{
    static const struct {
        struct program_share items[3];
        const char *said;
    } cases[] = {
        {{{"troff", 0.61, 1, 10}, {"grotty", 0.36, 1, 11}, {"groff", 0.03, 1, 9}}, "By program, troff takes 61 % of the CPU time and grotty 36 %."},
        {{{"cc1", 0.7, 9, 10}, {"as", 0.2, 9, 11}, {"ld", 0.1, 1, 12}}, "By program, cc1 takes 70 % of the CPU time, as 20 % and ld 10 %."},
        {{{"server", 0.6, 1, 10}, {"worker-1", 0.3, 1, 10}, {"worker-2", 0.1, 1, 10}}, NULL}, /* threads of one process */
        {{{"sort", 0.95, 1, 10}, {"sh", 0.05, 1, 9}, {"cat", 0.0, 1, 11}}, NULL},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct program_share items[3];
        memcpy(items, cases[at].items, sizeof(items));
        struct program_shares programs = {items, 3, 1000};
        made.results.programs = &programs;
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_expect_eq(strstr(overall.sentence, cases[at].said ? cases[at].said : "By program") != NULL, cases[at].said != NULL, "case %zu: %s", at, overall.sentence);
        arena_done(&made.arena);
    }
}

Test(findings, spread_time_is_told_by_its_binaries)
{
    static const struct {
        struct {
            const char *name, *dso, *path;
            uint64_t samples;
            bool is_kernel;
        } functions[4];
        const char *said; /* NULL: nothing of it */
    } cases[] = {
        {{{"f", "tool", "/usr/bin/tool", 240, false}, {"g", "tool", "/usr/bin/tool", 230, false}, {"[JIT]+0x7f00", "anon", "//anon", 220, false}, {"sin", "libm.so.6", "/usr/lib/libm.so.6", 60, false}},
         "By binary, tool has 47 % of the samples, generated code 22 % and libm.so.6 6 %."},
        /* without a name it says nothing */
        {{{"tool+0x10", "tool", "/usr/bin/tool", 400, false}, {"gc+0x20", "gc", "/usr/lib/gc", 300, false}}, "By binary, tool has 40 % of the samples and gc 30 %."},
        {{{"f", "tool", "/usr/bin/tool", 600, false}, {"m", "libc.so.6", "/usr/lib/libc.so.6", 400, false}}, NULL}, /* one function says it */
        {{{"f", "tool", "/usr/bin/tool", 240, false}, {"k", "vmlinux", "[kernel]", 230, true}, {"m", "libc.so.6", "/usr/lib/libc.so.6", 90, false}}, NULL},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct stall_function functions[4];
        made.stalls.functions = functions;
        for (made.stalls.function_count = 0; made.stalls.function_count < 4 && cases[at].functions[made.stalls.function_count].name; made.stalls.function_count++) {
            size_t number = made.stalls.function_count;
            functions[number] = (struct stall_function){.name = cases[at].functions[number].name, .dso = cases[at].functions[number].dso, .dso_path = cases[at].functions[number].path,
                                                        .samples = cases[at].functions[number].samples, .is_kernel = cases[at].functions[number].is_kernel};
            functions[number].share = wilson_interval((double)functions[number].samples, 1000, 1000);
        }
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_expect_eq(strstr(overall.sentence, cases[at].said ? cases[at].said : "By binary") != NULL, cases[at].said != NULL, "case %zu: %s", at, overall.sentence);
        arena_done(&made.arena);
    }
}

/* A name without its share tells nothing of where the time goes. */
Test(findings, the_hottest_function_has_its_share_where_the_verdict_is_of_others)
{
    struct made_up made;
    make_up(&made);
    struct stall_function functions[3] = {made.function, made.function, made.function};
    functions[0].name = "u8_u16";
    functions[0].dso_path = "/usr/lib/libwords.so";
    functions[0].samples = 400;
    functions[0].share = wilson_interval(400, 1000, 1000);
    functions[0].stacks = 40;
    functions[0].caller_count = 1;
    functions[0].callers[0] = (struct stall_caller){.name = "spell", .dso = "words", .stacks = 40};
    for (size_t at = 1; at < array_count(functions); at++) {
        functions[at].name = at == 1 ? "_int_malloc" : "_int_free";
        functions[at].dso = "libc.so.6";
        functions[at].samples = 300;
        functions[at].share = wilson_interval(300, 1000, 1000);
    }
    made.stalls.functions = functions;
    made.stalls.function_count = array_count(functions);
    findings_test(&made.findings, &made.results, &made.arena);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_expect(strstr(overall.sentence, "Allocating") && strstr(overall.sentence, "The hottest function, u8_u16 (40 %), is called by spell."), "%s", overall.sentence);
    arena_done(&made.arena);
}

/* Overloaded functions have one name without their parameters: that one is called by the other says nothing. */
Test(findings, a_caller_of_the_same_name_says_nothing)
{
    static const char *const callers[] = {"Sieve::crossOff", "Sieve::run"};
    for (size_t at = 0; at < array_count(callers); at++) {
        struct made_up made;
        make_up(&made);
        made.function.name = "Sieve::crossOff";
        made.function.dso_path = "/usr/lib/libsieve.so";
        made.function.stacks = 40;
        made.function.caller_count = 1;
        made.function.callers[0] = (struct stall_caller){.name = callers[at], .dso = "libsieve.so", .stacks = 40};
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_expect_eq(strstr(overall.sentence, "is called by") != NULL, at == 1, "%s", overall.sentence);
        arena_done(&made.arena);
    }
}

Test(findings, what_a_function_tells_of_itself_is_said_once)
{
    static const char told[] = "made+0xefb0 (asserts as \"next_token\")";
    struct made_up made;
    make_up(&made);
    made.function.name = told;
    made.function.dso = "made";
    made.function.dso_path = "/usr/bin/made";
    made.function.stacks = 40;
    made.function.caller_count = 1;
    made.function.callers[0] = (struct stall_caller){.name = "main", .dso = "made", .stacks = 40};
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    const char *first = strstr(overall.sentence, told);
    cr_assert(first && !strstr(first + 1, told) && strstr(first + 1, "made+0xefb0 is called by main"), "%s", overall.sentence);
    arena_done(&made.arena);
}

/* What the kernel does to each byte takes as long in large pieces as in small ones. */
Test(findings, calls_that_are_at_the_bytes_are_not_told_to_take_larger_pieces)
{
    static const struct {
        const char *work, *call;
        uint64_t samples;
        const char *wanted, *never;
    } cases[] = {{"chacha_permute", "read", 400, "a seed from getrandom", "larger buffer"},
                 {"_copy_to_iter", "read", 400, "fewer bytes", "larger buffer"},
                 {"_copy_to_iter", "read", 200, "larger buffer", "fewer bytes"},
                 {"_copy_to_iter", "openat", 400, "remember what was found", "fewer bytes"}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.kernel.call_samples = made.kernel.kernel_samples = 600;
        made.kernel.byte_samples = cases[at].samples;
        made.kernel.byte_work = cases[at].work;
        made.kernel.entries[0] = (struct kernel_entry){cases[at].call, 500};
        made.kernel.entry_count = 1;
        const struct finding *finding = test_and_find(&made, "system-calls");
        cr_expect(mentions(finding, cases[at].wanted) && !mentions(finding, cases[at].never), "case %zu: %s", at, finding->advice[0]);
        bool said = strstr(finding->headline, cases[at].work);
        cr_expect_eq(said, strcmp(cases[at].never, "larger buffer") == 0, "case %zu: %s", at, finding->headline);
        arena_done(&made.arena);
    }
}

/* A pipeline: one side's calls are certain, the other side's chain is estimated, and may return as much. */
Test(findings, an_estimate_of_like_weight_stands_beside_a_certain_cause)
{
    static const struct {
        enum bottleneck_cause cause;
        struct interval share, recoverable;
        bool said;
    } cases[] = {{CAUSE_LATENCY_CHAIN, {true, 0.61, 0.62, 0.64}, {true, 0.2, 0.4, 0.58}, true},
                 {CAUSE_LATENCY_CHAIN, {true, 0.61, 0.62, 0.64}, {true, 0.05, 0.07, 0.1}, false},
                 {CAUSE_LATENCY_CHAIN, {true, 0.2, 0.22, 0.24}, {true, 0.1, 0.2, 0.5}, false},
                 {CAUSE_RETIRING, {true, 0.61, 0.62, 0.64}, {true, 0.2, 0.4, 0.58}, false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.function.share = wilson_interval(600, 1000, 1000);
        made.kernel.call_samples = made.kernel.kernel_samples = 330;
        made.kernel.entries[0] = (struct kernel_entry){"read", 300};
        made.kernel.entry_count = 1;
        struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_CORE, .cause = cases[at].cause, .confidence = ESTIMATE_MEDIUM, .function = "md5_block",
                                                    .share = cases[at].share, .recoverable = cases[at].recoverable}};
        made.results.bottleneck = &bottleneck;
        (void)test_and_find(&made, "system-calls");
        cr_assert_str_eq(made.findings.items[0].hypothesis->id, "system-calls", "case %zu: %s", at, made.findings.items[0].hypothesis->id);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        bool said = strstr(overall.sentence, "Of like weight by estimate (confidence medium)") && strstr(overall.sentence, "md5_block");
        cr_expect_eq(said, cases[at].said, "case %zu: %s", at, overall.sentence);
        arena_done(&made.arena);
    }
}

/* Idle workers that look for work hold nobody up while there are CPUs; whose they are says how to let them sleep. */
Test(findings, yielding_workers_are_no_measured_gain)
{
    static const struct {
        const char *dso, *wanted;
        uint32_t threads;
    } cases[] = {{"libopenblasp-r0.3.21.so", "OPENBLAS_THREAD_TIMEOUT", 2}, {"libgomp.so.1.0.0", "OMP_WAIT_POLICY", 2}, {"a.out", "wait for the event", 1}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.function.dso = cases[at].dso;
        made.run.threads_seen = cases[at].threads;
        made.kernel.call_samples = made.kernel.kernel_samples = 600;
        made.kernel.entries[0] = (struct kernel_entry){"sched_yield", 500};
        made.kernel.entry_count = 1;
        const struct finding *finding = test_and_find(&made, "system-calls");
        cr_assert_eq(finding->verdict, VERDICT_SUPPORTED, "%s", cases[at].dso);
        cr_expect(mentions(finding, cases[at].wanted), "%s", finding->advice[0]);
        cr_expect_eq(finding->gain_unmeasured, cases[at].threads > 1, "%s", cases[at].dso);
        cr_expect_eq(strstr(finding->headline, "nothing to do") != NULL, cases[at].threads > 1, "%s", finding->headline);
        arena_done(&made.arena);
    }
}

/* Enough samples that see the kernel tell it; else the kernel's accounts. */
Test(findings, the_kernels_share_of_cpu_time_has_one_account)
{
    struct made_up made;
    make_up(&made);
    made.stalls.sample_count = 1000;
    made.stalls.kernel_samples = 320;
    made.run.cpu_s = measured_as(10);
    made.run.system_s = measured_as(2.8);
    struct measured share = kernel_share_of_cpu(&made.results);
    cr_assert(share.known && share.value > 0.319 && share.value < 0.321, "%g", share.value);
    made.stalls.sample_count = 40;
    share = kernel_share_of_cpu(&made.results);
    cr_assert(share.known && share.value > 0.279 && share.value < 0.281, "%g", share.value);
    made.run.system_s = not_measured("no account");
    cr_assert(!kernel_share_of_cpu(&made.results).known);
    arena_done(&made.arena);
}

/* What calls of one kind take together counts, not the hottest of them alone; a second kind is told beside it. */
Test(findings, advice_on_spread_calls_fits_their_sum)
{
    static const struct kernel_entry ctags[] = {{"read", 56}, {"write", 36}, {"getdents64", 18}, {"lstat", 17}},
                                     qpdf[] = {{"lseek", 69}, {"read", 31}, {"close", 4}},
                                     files[] = {{"read", 40}, {"openat", 30}, {"newfstatat", 28}, {"close", 20}};
    static const struct {
        const struct kernel_entry *entries;
        size_t count;
        const char *wanted[2], *confirm;
    } cases[] = {{ctags, 4, {"each read and write", "(getdents64 and lstat)"}, "half as many calls of read"},
                 {qpdf, 3, {"fewer seeks (lseek)", "each read,"}, "let a copy take pread"},
                 {files, 4, {"(openat, newfstatat and close)", "each read,"}, "remember what it looked up"}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        for (size_t entry = 0; entry < cases[at].count; entry++) {
            made.kernel.entries[made.kernel.entry_count++] = cases[at].entries[entry];
            made.kernel.call_samples += cases[at].entries[entry].samples;
        }
        made.kernel.kernel_samples = made.kernel.call_samples;
        const struct finding *finding = test_and_find(&made, "system-calls");
        for (size_t wanted = 0; wanted < 2; wanted++)
            cr_expect(mentions(finding, cases[at].wanted[wanted]), "case %zu: %s; %s", at, finding->advice[0], finding->advice[1]);
        cr_expect(strstr(finding->advice[0], cases[at].wanted[0]), "case %zu: %s", at, finding->advice[0]);
        cr_expect(strstr(finding->confirm, cases[at].confirm), "case %zu: %s", at, finding->confirm);
        arena_done(&made.arena);
    }
}

/* Where many calls share it, the hottest kinds have advice all the same. */
Test(findings, many_calls_have_advice_by_kind)
{
    struct made_up made;
    make_up(&made);
    made.kernel.call_samples = made.kernel.kernel_samples = 600;
    made.kernel.entries[0] = (struct kernel_entry){"sendto", 120};
    made.kernel.entries[1] = (struct kernel_entry){"epoll_wait", 110};
    made.kernel.entry_count = 2;
    const struct finding *finding = test_and_find(&made, "system-calls");
    cr_assert(mentions(finding, "no single call") && mentions(finding, "MSG_MORE") && mentions(finding, "several events"));
    cr_assert(strstr(finding->confirm, "half of those calls"), "%s", finding->confirm);
    arena_done(&made.arena);
}

/* Closing sockets ends connections, which the calls that open them belong to: together they lead. */
Test(findings, closing_sockets_is_of_connections_and_of_files_it_is_not)
{
    static const struct {
        uint64_t sockets;
        bool connections;
    } cases[] = {{110, true}, {0, false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.kernel.call_samples = made.kernel.kernel_samples = 600;
        const struct kernel_entry entries[] = {{"sendto", 180}, {"connect", 130}, {"close", 120, {[CALL_OBJECT_SOCKET] = cases[at].sockets}}, {"accept4", 40}};
        memcpy(made.kernel.entries, entries, sizeof(entries));
        made.kernel.entry_count = array_count(entries);
        const struct finding *finding = test_and_find(&made, "system-calls");
        cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect_eq(strstr(finding->headline, "connections opened and closed (connect, close and accept4)") != NULL, cases[at].connections, "%s", finding->headline);
        cr_expect_eq(mentions(finding, "fewer files, pipes or sockets opened and closed (close)"),
                     !cases[at].connections, "%s", finding->advice[0]);
        cr_expect(!cases[at].connections || strstr(finding->advice[0], "keep connections open"), "%s", finding->advice[0]);
        cr_expect(!cases[at].connections || strstr(finding->confirm, "one connection"), "%s", finding->confirm);
        arena_done(&made.arena);
    }
}

/* Whose user can't change it has settings; its writer has the code. */
Test(findings, advice_on_an_installed_servers_calls_is_for_its_user)
{
    static const struct {
        const char *path, *call, *first, *never;
        enum call_object written;
    } cases[] = {{"/usr/sbin/server", "sendto", "where that is a log", "sendmmsg", CALL_OBJECT_FILE},
                 {"/usr/sbin/server", "epoll_wait", "where that is a log", "edge triggered", CALL_OBJECT_FILE},
                 {"/usr/sbin/server", "sendto", "what asks it", "where that is a log", CALL_OBJECT_SOCKET},
                 {"/usr/bin/sorter", "lseek", "pread and pwrite", "where that is a log", CALL_OBJECT_FILE},
                 {"/home/me/server", "sendto", "sendmmsg", "what asks it", CALL_OBJECT_FILE}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.function.dso_path = cases[at].path;
        made.kernel.call_samples = made.kernel.kernel_samples = 600;
        made.kernel.entries[0] = (struct kernel_entry){cases[at].call, 400};
        made.kernel.entries[1] = (struct kernel_entry){"write", 100};
        made.kernel.entries[1].objects[cases[at].written] = 100;
        made.kernel.entry_count = 2;
        const struct finding *finding = test_and_find(&made, "system-calls");
        cr_expect(strstr(finding->advice[0], cases[at].first), "case %zu: %s", at, finding->advice[0]);
        cr_expect_not(mentions(finding, cases[at].never), "case %zu: %s", at, finding->advice[0]);
        made.activity.files[0] = (struct activity_file){.path = "/var/log/queries", .bytes = 1e6};
        made.activity.file_count = 1;
        finding = test_and_find(&made, "system-calls");
        cr_expect_eq(strstr(finding->advice[0], "/var/log/queries") != NULL, at < 2, "case %zu: %s", at, finding->advice[0]);
        arena_done(&made.arena);
    }
}

/* The interpreter is installed, the script isn't. */
Test(findings, advice_on_a_scripts_calls_is_for_its_writer)
{
    struct made_up made;
    make_up(&made);
    made.function.name = "_PyEval_EvalFrameDefault";
    made.function.dso = "python3.11";
    made.function.dso_path = "/usr/bin/python3.11";
    made.kernel.call_samples = made.kernel.kernel_samples = 600;
    made.kernel.entries[0] = (struct kernel_entry){"sendto", 500};
    made.kernel.entry_count = 1;
    const struct finding *finding = test_and_find(&made, "system-calls");
    cr_expect(strstr(finding->advice[0], "MSG_MORE"), "%s", finding->advice[0]);
    arena_done(&made.arena);
}

Test(findings, the_hot_calls_callers_are_said_where_they_are_known)
{
    for (int known = 0; known < 2; known++) {
        struct made_up made;
        make_up(&made);
        made.kernel.call_samples = made.kernel.kernel_samples = 600;
        made.kernel.entries[0] = (struct kernel_entry){"write", 500};
        made.kernel.entries[0].callers = (struct call_callers){.chains = {{"main.main, fmt.Fprintf", 0.9}}, .count = (size_t)known};
        made.kernel.entry_count = 1;
        const struct finding *finding = test_and_find(&made, "system-calls");
        cr_expect_eq(mentions(finding, "below main.main, fmt.Fprintf"), known == 1, "%s", finding->advice[1]);
        cr_expect_eq(mentions(finding, "plumb record -g"), known == 0, "%s", finding->advice[1]);
        arena_done(&made.arena);
    }
}

/* Whether a call or an interrupt ran it isn't known without chains: then it is bounded for both, and certain of none. */
Test(findings, soft_interrupts_of_unknown_owners_are_no_certain_interrupts)
{
    for (int known = 0; known < 2; known++) {
        struct made_up made;
        make_up(&made);
        made.kernel.kernel_samples = 300;
        *(known ? &made.kernel.interrupt_samples : &made.kernel.softirq_samples) = 300;
        const struct finding *finding = test_and_find(&made, "interrupts");
        cr_expect_eq(finding->verdict, known ? VERDICT_SUPPORTED : VERDICT_UNDECIDED);
        cr_expect(finding->recoverable.high > 0.29 && (known || finding->recoverable.low < 0.01));
        finding = test_and_find(&made, "system-calls");
        cr_expect_eq(finding->verdict, known ? VERDICT_RULED_OUT : VERDICT_UNDECIDED);
        arena_done(&made.arena);
    }
}

Test(findings, commands_that_are_not_named_are_counted)
{
    for (uint64_t others = 0; others < 2000; others += 1500) {
        struct made_up made;
        make_up(&made);
        made.kernel.kernel_samples = made.kernel.exec_samples = 600;
        made.kernel.starts = (struct process_starts){.process_count = 3500 + others, .short_count = 3500 + others, .other_count = others,
                                                     .commands = {{"sh", 2000}, {"sed", 1500}}, .command_count = 2};
        const struct finding *finding = test_and_find(&made, "start-and-exit");
        cr_expect(strstr(finding->headline, others ? "(2000 sh, 1500 sed and 1500 more)" : "(2000 sh, 1500 sed)"), "%s", finding->headline);
        arena_done(&made.arena);
    }
}

/* Idle threads wait longest; what the work waits for stands beside them, and stacks that nobody took say nothing. */
Test(findings, what_work_waits_for_is_shown_beside_idle_threads)
{
    static const struct {
        double disk_s;
        enum wait_kind kind;
        bool shown;
    } cases[] = {{0.5, WAIT_DISK, true}, {0.05, WAIT_DISK, false}, {0.5, WAIT_SLEEP, false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct wait_rows waits = {.known = true, .waiting_s = 60, .idle_s = 8, .wait_count = 9000, .stack_count = 8000, .count = 3,
                                  .items = {{.kind = WAIT_EVENTS, .function = "poll_loop", .total_s = 40, .idle_s = 7.9, .count = 4000},
                                            {.kind = cases[at].kind, .function = "save_log", .total_s = cases[at].disk_s, .idle_s = 0.1, .count = 3000},
                                            {.kind = WAIT_UNKNOWN, .function = WAIT_NOT_TAKEN, .total_s = 19, .count = 15}}};
        made.run.on_cpu_ratio = made.run.wanted_ratio = measured_as(0.1);
        made.run.cpu_s = measured_as(1);
        made.results.waits = &waits;
        findings_test(&made.findings, &made.results, &made.arena);
        struct text page = page_or_json(&made, false, false);
        const char *section = strstr(text_string(&page), "\nWAITING");
        cr_assert(section && strstr(section, "events: poll_loop"));
        cr_expect_eq(strstr(section, ": save_log") != NULL, cases[at].shown, "case %zu: %s", at, section);
        cr_expect_null(strstr(section, WAIT_NOT_TAKEN), "case %zu: %s", at, section);
        text_done(&page);
        arena_done(&made.arena);
    }
}

/* What rests on the estimate can't be surer than it. */
Test(findings, a_finding_by_estimate_is_no_surer_than_that)
{
    static const enum bottleneck_confidence confidences[] = {ESTIMATE_MEDIUM, ESTIMATE_HIGH};
    for (size_t at = 0; at < array_count(confidences); at++) {
        struct made_up made;
        make_up(&made);
        struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_BAD_SPECULATION, .cause = CAUSE_CONDITIONAL, .confidence = confidences[at],
                                                    .function = "hot", .share = interval_of(0.76, 0.77, 0.78), .evidence_count = 2}};
        bottleneck.program.evidence[0] = (struct bottleneck_evidence){"samples", "even"};
        bottleneck.program.evidence[1] = (struct bottleneck_evidence){"code", "branches"};
        bottleneck.masses[CAUSE_CONDITIONAL] = 0.77;
        made.results.bottleneck = &bottleneck;
        const struct finding *finding = test_and_find(&made, "branch-mispredicts");
        cr_expect_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect_eq(finding->confidence, at ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM, "%s", finding->confidence_reason);
        cr_expect_eq(strstr(finding->confidence_reason, "no surer than medium") == NULL, at == 1, "%s", finding->confidence_reason);
        arena_done(&made.arena);
    }
}

/* What helps a conditional branch is no help where virtual calls or a table of cases are guessed wrong. */
Test(findings, advice_on_wrong_guesses_fits_the_kind_of_jump)
{
    static const struct {
        enum instruction_class class;
        bool has_target, is_relative;
        const char *said, *unsaid;
    } cases[] = {
        {INSTRUCTION_CALL, false, false, "by type", "conditional move"},
        {INSTRUCTION_JUMP, false, false, "computed goto", "conditional move"},
        {INSTRUCTION_CALL, false, true, "conditional move", "by type"}, /* a library's function: one target */
        {INSTRUCTION_CALL, true, false, "conditional move", "by type"},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct instruction row = {.addr = 16, .class = cases[at].class, .has_target = cases[at].has_target};
        row.memory.is_relative = cases[at].is_relative;
        uint64_t hits = 200, sampled = 0;
        struct stall_code code = {.items = &row, .hits = &hits, .sampled = &sampled, .count = 1, .entry_hits = 300};
        made.stalls.codes = &code;
        made.stalls.guess_samples = 200;
        made.function.table_samples = cases[at].class == INSTRUCTION_JUMP ? 400 : 0;
        made.row = (struct stall_row){.shown_addr = 16, .text = "call *0x10(%rax)", .class = cases[at].class, .samples = 200};
        const struct finding *finding = test_and_find(&made, "branch-mispredicts");
        cr_assert_eq(finding->verdict, VERDICT_UNDECIDED);
        cr_expect(mentions(finding, cases[at].said) && !mentions(finding, cases[at].unsaid), "%zu: %s", at, finding->advice[0]);
        struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_BAD_SPECULATION, .cause = CAUSE_CONDITIONAL, .confidence = ESTIMATE_MEDIUM,
                                                    .share = interval_of(0.5, 0.52, 0.54)}};
        bottleneck.masses[CAUSE_CONDITIONAL] = 0.52; /* the estimate knows better */
        made.results.bottleneck = &bottleneck;
        finding = test_and_find(&made, "branch-mispredicts");
        cr_expect(mentions(finding, "conditional move"), "%zu: %s", at, finding->advice[0]);
        bottleneck.program.cause = CAUSE_INDIRECT;
        bottleneck.masses[CAUSE_CONDITIONAL] = 0;
        bottleneck.masses[CAUSE_INDIRECT] = 0.52;
        finding = test_and_find(&made, "branch-mispredicts");
        cr_expect_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect(!mentions(finding, "conditional move"), "%zu: %s", at, finding->advice[0]);
        cr_expect(strstr(finding->headline, cases[at].class == INSTRUCTION_CALL ? "calls through pointers" : "targets of jumps"), "%zu: %s", at,
                  finding->headline);
        arena_done(&made.arena);
    }
}

/* One page calls a cause by one name, and says of what each confidence is. */
Test(findings, the_estimate_speaks_of_cache_misses_as_the_verdict_does)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    made.cost.ns_near = interval_of(0.45, 0.5, 0.55);
    struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_MEMORY, .cause = CAUSE_PARALLEL_MISSES, .confidence = ESTIMATE_MEDIUM,
                                                .share = interval_of(0.88, 0.9, 0.92), .recoverable_why = "it is made up"}};
    bottleneck.masses[CAUSE_PARALLEL_MISSES] = 0.9;
    made.results.bottleneck = &bottleneck;
    const struct finding *misses = test_and_find(&made, "cache-misses");
    cr_assert_eq(misses->verdict, VERDICT_SUPPORTED);
    cr_expect(strstr(misses->headline, misses->hypothesis->title), "%s", misses->headline);
    struct bottleneck_line lines[BOTTLENECK_LINES_MOST];
    cr_assert(bottleneck_lines(lines, &bottleneck, "no PMU", NULL, 10, &made.arena) > 0);
    cr_expect(strstr(lines[0].text, misses->hypothesis->title), "%s", lines[0].text);
    cr_expect(strstr(lines[0].text, "Confidence in this estimate: MEDIUM"), "%s", lines[0].text);
    arena_done(&made.arena);
}

/* A cause that is certain is no help in code whose names nobody knows. */
Test(findings, code_made_at_run_time_wants_its_names_whatever_the_cause)
{
    struct made_up made;
    make_up(&made);
    add_small_pages(&made);
    cr_assert_eq(test_and_find(&made, "small-pages")->verdict, VERDICT_SUPPORTED);
    cr_expect_eq(overall_of(&made.findings, &made.results, &made.arena).advice_count, 0);
    made.function.name = "[JIT]+0x7f4490ede704";
    test_and_find(&made, "small-pages");
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_eq(overall.kind, OVERALL_CULPRIT);
    cr_assert(overall.advice_count == 1 && strstr(overall.advice[0], "perf-PID.map"));
    arena_done(&made.arena);
}

/* Where no function has much, what they are called for says where the time goes; where one has, it says so itself. */
Test(findings, a_flat_profile_is_told_by_the_calls_that_it_parts_into)
{
    struct made_up made;
    make_up(&made);
    made.function.share = wilson_interval(70, 1000, 1000);
    struct call_parts parts = {.below = "serve", .count = 2, .stacks = 100, .user_only = true};
    parts.items[0] = (struct call_part){.name = "parse", .is_named = true, .stacks = 40, .share = interval_of(0.31, 0.4, 0.5)};
    parts.items[1] = (struct call_part){.name = "server+0x1200", .stacks = 20, .share = interval_of(0.13, 0.2, 0.29), .leads = {{"strtod", 0.75}}, .lead_count = 1};
    made.results.parts = &parts;
    (void)test_and_find(&made, "page-faults");
    static const char said[] = "Below serve its time outside the kernel goes into parse (31 to 50 %) and server+0x1200 (13 to 29 %), with all that they call. server+0x1200 calls strtod (75 % of that).";
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strstr(overall.sentence, said), "%s", overall.sentence);
    made.function.share = wilson_interval(450, 1000, 1000);
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_not(strstr(overall.sentence, "with all that they call"), "%s", overall.sentence);
    made.function.dso = "server";
    made.function.name = "server+0x1300";
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strstr(overall.sentence, said), "a name that says nothing: %s", overall.sentence);
    parts.items[0].is_named = false;
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_not(strstr(overall.sentence, "with all that they call"), "names made of places say nothing: %s", overall.sentence);
    parts.items[0] = (struct call_part){.name = "parse", .is_named = true, .stacks = 25, .share = interval_of(0.2, 0.25, 0.31)};
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_not(strstr(overall.sentence, "with all that they call"), "less than half of it is told: %s", overall.sentence);
    struct call_holders holders = {.count = 3,
                                   .stacks = 100,
                                   .items = {{"libruby-3.1.so.3.1.2+0x1fddb0", 80, interval_of(0.7, 0.8, 0.9)},
                                             {"analyse", 70, interval_of(0.6, 0.7, 0.8)},
                                             {"search", 45, interval_of(0.35, 0.45, 0.55)}}};
    made.results.holders = &holders;
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strstr(overall.sentence, "With all that each calls, analyse has 60 to 80 % of its time outside the kernel, search 35 to 55 %."), "%s", overall.sentence);
    arena_done(&made.arena);
}

/* A collector beside the program's own code has no name, but tells of itself. */
Test(findings, what_tells_of_itself_beside_the_culprit_is_named)
{
    struct made_up made;
    make_up(&made);
    struct stall_function functions[4] = {made.function,
                                          {.name = "scheme+0x1d980 (refers to \"sweep_object\")", .dso = "scheme", .share = wilson_interval(140, 1000, 1000)},
                                          {.name = "scheme+0x12bc0", .dso = "scheme", .share = wilson_interval(130, 1000, 1000)},
                                          {.name = "scheme+0x17230 (refers to \"no room\")", .dso = "scheme", .share = wilson_interval(50, 1000, 1000)}};
    made.stalls.functions = functions;
    made.stalls.function_count = array_count(functions);
    (void)test_and_find(&made, "page-faults");
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strstr(overall.sentence, "scheme+0x1d980 (refers to \"sweep_object\") has 14 % of its CPU time."), "%s", overall.sentence);
    functions[0] = functions[1];
    made.stalls.function_count = 1;
    overall = overall_of(&made.findings, &made.results, &made.arena);
    const char *first = strstr(overall.sentence, "scheme+0x1d980");
    cr_assert(!strstr(overall.sentence, "has 14 % of its CPU time") || (first && !strstr(first + 1, "scheme+0x1d980 (")), "once: %s", overall.sentence);
    arena_done(&made.arena);
}

/* What only who may change the code can do is said so of programs that are installed; what a setting does is for all. */
Test(findings, advice_for_code_is_told_from_settings)
{
    static const struct {
        const char *name, *dso, *path, *begins;
    } cases[] = {
        {"std::_Rb_tree_increment", "libstdc++.so.6", "/home/me/libstdc++.so.6", "each look-up goes"},
        {"std::_Rb_tree_increment", "libstdc++.so.6", "/usr/lib/libstdc++.so.6",
         "if it is your code, or you build it yourself: each look-up goes"},
        {"deflate_slow", "libz.so.1", "/usr/lib/libz.so.1", "compress less"},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.function.name = cases[at].name;
        made.function.dso = cases[at].dso;
        made.function.dso_path = cases[at].path;
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        bool has = false;
        for (size_t advice = 0; advice < overall.advice_count; advice++)
            has |= strncmp(overall.advice[advice], cases[at].begins, strlen(cases[at].begins)) == 0;
        cr_expect(has, "case %zu: %s", at, overall.sentence);
        arena_done(&made.arena);
    }
}

static const struct tool_case {
    const char *dso, *path, *command, *has; /* NULL: nothing of the kind */
} tool_cases[] = {
    {"gs", "/usr/bin/gs", "gs -q x.ps", "-dNumRenderingThreads"},
    {"clang++-14", "/usr/bin/clang++-14", "make", "-ftime-trace"},
    {"bzip2", "/usr/bin/bzip2", "bzip2 x", "lbzip2"},
    {"libbz2.so.1.0", "/usr/lib/libbz2.so.1.0", "/bin/bzip2 -9 x", "lbzip2"},
    {"gsx", "/usr/bin/gsx", "gsx", NULL},
    {"gs", "/home/me/gs", "./gs x.ps", NULL}, /* who builds it changes its code */
};

static void expect_tool_advice(const struct tool_case *tool, uint64_t faults)
{
    struct made_up made;
    make_up(&made);
    made.function.dso = tool->dso;
    made.function.dso_path = tool->path;
    made.kernel.fault_samples = made.kernel.kernel_samples = faults;
    made.results.command = tool->command;
    findings_test(&made.findings, &made.results, &made.arena);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_eq(overall.culprit != NULL, faults > 0, "%s", overall.sentence);
    bool has = false, general = false;
    for (size_t advice = 0; advice < overall.advice_count; advice++) {
        has |= tool->has && strstr(overall.advice[advice], tool->has);
        general |= strstr(overall.advice[advice], "take another tool") != NULL;
    }
    cr_expect_eq(has, tool->has != NULL, "%s: %s", tool->command, overall.advice[0]);
    cr_expect_eq(general, overall.culprit_is_small && !tool->has && strncmp(tool->path, "/usr", 4) == 0, "%s: %s", tool->command, overall.advice[0]);
    arena_done(&made.arena);
}

/* Users of a program that is known are told its options, by the binary that has most of the samples, or by what was started. */
Test(findings, users_of_known_programs_are_told_their_options)
{
    for (size_t at = 0; at < array_count(tool_cases); at++) {
        expect_tool_advice(&tool_cases[at], 75);
        expect_tool_advice(&tool_cases[at], 500); /* a large cause */
        expect_tool_advice(&tool_cases[at], 0);
    }
}

/* Nobody looks for who calls what has two percent. */
Test(findings, callers_of_little_are_not_to_be_looked_for)
{
    for (int little = 0; little < 2; little++) {
        struct made_up made;
        make_up(&made);
        made.function.share = little ? wilson_interval(20, 1000, 1000) : wilson_interval(200, 1000, 1000);
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        bool looks = false;
        for (size_t advice = 0; advice < overall.advice_count; advice++)
            looks |= strstr(overall.advice[advice], "look at who calls") != NULL;
        cr_expect_eq(looks, !little, "%s", overall.sentence);
        arena_done(&made.arena);
    }
}

/* What a compiler put into a function is told by whose body its instructions are. */
Test(findings, work_is_told_by_what_was_inlined)
{
    static const char *const inlined[] = {"core::hash::sip::Hasher<S>::write", "app::count", NULL};
    for (size_t at = 0; at < array_count(inlined); at++) {
        struct made_up made;
        make_up(&made);
        struct stall_row row = made.row;
        row.inlined = inlined[at];
        row.samples = 600;
        made.function.name = "app::main";
        made.function.rows = &row;
        made.function.row_count = 1;
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_expect_eq(strstr(overall.sentence, "its work is hashing keys (60 %)") != NULL, at == 0, "%s", overall.sentence);
        for (size_t advice = 0; advice < overall.advice_count; advice++)
            cr_expect_not(strstr(overall.advice[advice], "calls app::main"), "nobody calls main less often");
        arena_done(&made.arena);
    }
}

/* Of a runtime that collects by functions nobody knows nothing is ruled out; of another program it is. */
Test(findings, a_collector_that_is_not_known_stays_open)
{
    for (int collects = 0; collects < 2; collects++) {
        struct made_up made;
        make_up(&made);
        made.function.name = collects ? "libpolyml.so.13.0.0+0x100" : "work";
        made.function.dso = collects ? "libpolyml.so.13.0.0" : "a.out";
        const struct finding *finding = test_and_find(&made, "garbage-collection");
        cr_expect_eq(finding->verdict, collects ? VERDICT_UNDECIDED : VERDICT_RULED_OUT);
        cr_expect_eq(mentions(finding, "--minheap"), collects);
        arena_done(&made.arena);
    }
}

/* What a compiler copies in place is copying, whatever the function is called; a copying function's own are not counted twice. */
Test(findings, copies_in_place_are_copies)
{
    static const struct {
        const char *name, *text;
        enum instruction_class class;
        const char *has; /* in its headline; NULL: ruled out */
    } cases[] = {{"main", "rep movsq (%rsi),(%rdi)", INSTRUCTION_STRING, "main copies or clears memory in place (rep movs, rep stos)"},
                 {"main", "repne scas (%rdi),%rax", INSTRUCTION_STRING, NULL}, /* it looks for something */
                 {"main", "mov (%rsi),%rax", INSTRUCTION_MOVE, NULL},
                 {"__memcpy_erms", "rep movsb (%rsi),(%rdi)", INSTRUCTION_STRING, "copying and clearing memory takes"}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct stall_row row = made.row;
        row.class = cases[at].class;
        row.text = cases[at].text;
        row.samples = 900;
        made.function.name = cases[at].name;
        made.function.rows = &row;
        made.function.row_count = 1;
        const struct finding *finding = test_and_find(&made, "copying");
        cr_expect_eq(finding->verdict, cases[at].has ? VERDICT_SUPPORTED : VERDICT_RULED_OUT, "%zu", at);
        cr_expect(!cases[at].has || strstr(finding->headline, cases[at].has), "%s", finding->headline);
        arena_done(&made.arena);
    }
}

/* A library's copies on behalf of an interpreter are its script's: that is what its user changes. */
Test(findings, what_an_interpreter_calls_is_its_scripts)
{
    for (int script = 0; script < 2; script++) {
        struct made_up made;
        make_up(&made);
        made.function.name = "__memmove_avx512_unaligned_erms";
        made.function.dso = "libc.so.6";
        made.function.dso_path = "/usr/lib/x86_64-linux-gnu/libc.so.6";
        made.function.stacks = 20;
        made.function.callers[0] = (struct stall_caller){
            .name = "PyBytes_FromStringAndSize", .dso = script ? "python3.11" : "pythonic", .stacks = 20};
        made.function.caller_count = 1;
        const struct finding *finding = test_and_find(&made, "copying");
        cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect(strstr(finding->advice[0], "a slice copies what is left"), "%s", finding->advice[0]);
        cr_expect_eq(strstr(finding->advice[1], "py-spy") != NULL, script, "%s", finding->advice[1]);
        cr_expect_eq(strstr(finding->advice[1], "take another tool") != NULL, !script, "%s", finding->advice[1]);
        arena_done(&made.arena);
    }
}

/* An estimate of a few percent is none of what holds the program up. */
Test(findings, an_estimate_of_little_is_not_told)
{
    for (int little = 0; little < 2; little++) {
        struct made_up made;
        make_up(&made);
        made.kernel.fault_samples = made.kernel.kernel_samples = 75;
        struct bottleneck bottleneck = {
            .program = {.class = BOTTLENECK_RETIRING,
                        .cause = CAUSE_RETIRING,
                        .confidence = ESTIMATE_MEDIUM,
                        .share = little ? interval_of(0.03, 0.04, 0.05) : interval_of(0.5, 0.55, 0.6)}};
        made.results.bottleneck = &bottleneck;
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_expect_eq(strstr(overall.sentence, "By estimate") == NULL, little, "%s", overall.sentence);
        cr_expect_eq(strstr(overall.confidence, "none in what holds most of it up") != NULL, little, "%s",
                     overall.confidence);
        arena_done(&made.arena);
    }
}

/* Most of the time in one kind of work is said before a cause that has less than half of it, not before a large one. */
Test(findings, a_kind_of_work_leads_before_a_lesser_cause)
{
    for (uint64_t kernel = 260; kernel <= 520; kernel += 260) {
        struct made_up made;
        make_up(&made);
        made.kernel.fault_samples = made.kernel.kernel_samples = kernel;
        struct stall_function functions[3] = {made.function, made.function, made.function};
        static const char *const names[] = {"deflate", "longest_match", "fill_window"};
        for (size_t at = 0; at < array_count(functions); at++) {
            functions[at].name = names[at];
            functions[at].samples = 200;
            functions[at].share = wilson_interval(200, 1000, 1000);
        }
        made.stalls.functions = functions;
        made.stalls.function_count = array_count(functions);
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_assert(overall.culprit && !overall.culprit_is_small, "%s", overall.sentence);
        const char *work = strstr(overall.sentence, "its work is compressing (60 %)");
        cr_expect_eq(work && work < strstr(overall.sentence, "age faults"), kernel == 260, "%s", overall.sentence);
        const char *tries[OVERALL_TRIES_MOST];
        cr_assert(overall_tries(&overall, tries));
        cr_expect_eq(strstr(tries[0], "compress less") == tries[0], kernel == 260, "%s", tries[0]);
        arena_done(&made.arena);
    }
}

/* Where the estimate leads and its loop steps by lines that share few sets: rows a line longer. */
Test(findings, steps_that_share_few_sets_are_told_beside_the_estimate)
{
    for (int crowded = 0; crowded < 2; crowded++) {
        struct made_up made;
        make_up(&made);
        made.kernel.fault_samples = made.kernel.kernel_samples = 75;
        struct bottleneck_loop loop = {.verdict = {.class = BOTTLENECK_MEMORY, .cause = CAUSE_TLB},
                                       .samples = 900,
                                       .crowd = {.step_bytes = 64 << 10, .lines = crowded ? 2048 : 0}};
        struct bottleneck bottleneck = {.loops = &loop,
                                        .loop_count = 1,
                                        .program = {.class = BOTTLENECK_MEMORY,
                                                    .cause = CAUSE_TLB,
                                                    .confidence = ESTIMATE_MEDIUM,
                                                    .share = interval_of(0.8, 0.85, 0.9)}};
        made.results.bottleneck = &bottleneck;
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_assert(overall.culprit && overall.culprit_is_small, "%s", overall.sentence);
        cr_expect_eq(overall.advice_count && strstr(overall.advice[0], "in steps of 64 KiB") != NULL, crowded, "%s",
                     overall.advice[0]);
        cr_expect_eq(strstr(overall_check(&overall), "rows one line longer") != NULL, crowded, "%s",
                     overall_check(&overall));
        arena_done(&made.arena);
    }
}

/* A cause of a few percent is no answer to where the time goes. */
Test(findings, a_tiny_culprit_comes_after_where_the_time_goes)
{
    struct made_up made;
    make_up(&made);
    made.kernel.fault_samples = made.kernel.kernel_samples = 75;
    made.function.share = wilson_interval(450, 1000, 1000);
    struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_RETIRING, .cause = CAUSE_RETIRING, .confidence = ESTIMATE_LOW,
                                                .share = interval_of(0.56, 0.58, 0.60)}};
    made.results.bottleneck = &bottleneck;
    cr_assert_eq(test_and_find(&made, "page-faults")->verdict, VERDICT_SUPPORTED);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(overall.culprit && overall.culprit_is_small);
    cr_assert(strstr(overall.sentence,
                     "The largest part of its CPU time goes into hot (45 %). By estimate (confidence low), in 56 to 60 "
                     "% of its CPU time it is busy with its instructions, and no wait was seen") == overall.sentence,
              "%s", overall.sentence);
    cr_assert(strstr(overall.sentence, "no wait was seen. Certain, but small: page faults take"), "%s",
              overall.sentence);
    cr_assert(strstr(overall.sentence, "; removing that would return "), "%s", overall.sentence);
    struct diagnosis diagnosis = {.subject = "./a.out", .results = &made.results, .findings = &made.findings, .overall = &overall};
    struct text_style style = {.functions_most = 5};
    struct text out = {0};
    diagnosis_text(&out, &diagnosis, &style);
    cr_assert(strstr(text_string(&out), "LOW in what holds most of it up, by estimate; MEDIUM in that small cause: 1"), "%s", text_string(&out));
    cr_assert(strstr(text_string(&out), "1. look at who calls hot"), "%s", text_string(&out));
    cr_assert(strstr(text_string(&out), "2. against page faults and zeroing of new memory (6.0 to 9.3 % of the"), "%s", text_string(&out));
    cr_assert(strstr(overall_check(&overall), "half of that work"), "%s", overall_check(&overall));
    cr_assert_not(strstr(overall.sentence, "Removing that"), "%s", overall.sentence);
    text_done(&out);
    made.function.share = wilson_interval(70, 1000, 1000);
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strstr(overall.sentence, "Its CPU time is spread, the hottest function is hot (7 %)"), "%s", overall.sentence);
    made.kernel.fault_samples = made.kernel.kernel_samples = 0;
    findings_test(&made.findings, &made.results, &made.arena);
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_eq(overall.kind, OVERALL_NOTHING);
    cr_assert(strstr(overall.sentence, "Its CPU time is spread") && !strstr(overall.sentence, "is where the time goes"), "%s", overall.sentence);
    bottleneck.program.class = BOTTLENECK_MEMORY; /* what the page says of remedies is not denied above it */
    bottleneck.program.cause = CAUSE_LATENCY;
    bottleneck.program.confidence = ESTIMATE_MEDIUM;
    bottleneck.program.recoverable = interval_of(0.35, 0.5, 0.75);
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strstr(overall.sentence, "estimated, too (35 to 75 %)") && !strstr(overall.sentence, "No cause is certain"), "%s", overall.sentence);
    arena_done(&made.arena);
}

/* What leads the sentence has the first advice and the check; a cause that is large has its own. */
Test(findings, the_first_advice_is_for_what_leads)
{
    for (int is_large = 0; is_large < 2; is_large++) {
        struct made_up made;
        make_up(&made);
        made.kernel.fault_samples = made.kernel.kernel_samples = is_large ? 600 : 75;
        made.function.name = "deflate_slow";
        made.function.share = wilson_interval(450, 1000, 1000);
        struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_MIXED, .cause = CAUSE_RETIRING, .confidence = ESTIMATE_LOW}};
        made.results.bottleneck = &bottleneck;
        const struct finding *faults = test_and_find(&made, "page-faults");
        cr_assert_eq(faults->verdict, VERDICT_SUPPORTED);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        const char *tries[OVERALL_TRIES_MOST], *confidence = overall_confidence(&overall, &made.arena);
        size_t count = overall_tries(&overall, tries);
        cr_assert_eq(overall.culprit, faults);
        cr_assert_eq(overall.culprit_is_small, !is_large);
        cr_expect_eq(strcmp(tries[0], faults->advice[0]) == 0, is_large, "%s", tries[0]);
        cr_expect_eq(strstr(tries[0], "compress less") != NULL, !is_large, "the names say what it is at: %s", tries[0]);
        cr_expect_eq(strncmp(tries[count - 1], "against page faults", 19) == 0, !is_large, "%s", tries[count - 1]);
        cr_expect_eq(overall_check(&overall) == faults->confirm, is_large, "%s", overall_check(&overall));
        cr_expect_eq(strncmp(confidence, "LOW in what holds most", 22) == 0, !is_large, "%s", confidence);
        arena_done(&made.arena);
    }
}

/* What the estimate lays most of the time at is named, and so is what kind of verdict that is. */
Test(findings, an_estimate_that_leads_alone_has_a_kind_of_its_own)
{
    static const struct {
        enum bottleneck_class class;
        enum bottleneck_cause cause;
        enum bottleneck_confidence confidence;
        enum overall_kind kind;
    } rows[] = {{BOTTLENECK_CORE, CAUSE_LATENCY_CHAIN, ESTIMATE_MEDIUM, OVERALL_ESTIMATED},
                {BOTTLENECK_CORE, CAUSE_LATENCY_CHAIN, ESTIMATE_LOW, OVERALL_NOTHING},
                {BOTTLENECK_RETIRING, CAUSE_RETIRING, ESTIMATE_HIGH, OVERALL_NOTHING}};
    for (size_t at = 0; at < array_count(rows); at++) {
        struct made_up made;
        make_up(&made);
        made.kernel.fault_samples = made.kernel.kernel_samples = 0;
        struct bottleneck bottleneck = {.program = {.class = rows[at].class, .cause = rows[at].cause, .confidence = rows[at].confidence, .share = interval_exactly(0.95)}};
        made.results.bottleneck = &bottleneck;
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_expect_eq(overall.kind, rows[at].kind, "%zu: %s", at, overall_kind_name(overall.kind));
        arena_done(&made.arena);
    }
}

/* What ran already has no command: what looks at it takes its process. A program that was started keeps its own. */
Test(findings, attached_advice_takes_a_process)
{
    for (int is_attached = 0; is_attached < 2; is_attached++) {
        struct made_up made;
        make_up(&made);
        made.kernel.fault_samples = made.kernel.kernel_samples = 0;
        made.run.scope = is_attached ? RUN_ATTACHED : RUN_STARTED;
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        const char *tries[OVERALL_TRIES_MOST], *check = overall_check(&overall);
        size_t count = overall_tries(&overall, tries), commands = 0, processes = 0;
        for (size_t at = 0; at < count; at++) {
            commands += strstr(tries[at], "plumb record --call-graph dwarf -- CMD") != NULL;
            processes += strstr(tries[at], "plumb record --call-graph dwarf -p PID") != NULL;
        }
        cr_expect_eq(commands != 0, !is_attached);
        cr_expect_eq(processes != 0, is_attached);
        cr_assert(check && strstr(check, "plumb compare --by cpu CMD -- CHANGED-CMD"), "%s", check);
        cr_expect_eq(strstr(check, "(CMD: what starts it)") != NULL, is_attached, "%s", check);
        arena_done(&made.arena);
    }
}

/* Shares of the time outside the kernel say nothing of a program that is in it. */
Test(findings, parts_outside_the_kernel_are_for_what_is_mostly_outside)
{
    for (int is_kernel = 0; is_kernel < 2; is_kernel++) {
        struct made_up made;
        make_up(&made);
        struct call_holders holders = {.items = {{.name = "write", .share = interval_of(0.59, 0.7, 0.8)}}, .count = 1};
        made.results.holders = &holders;
        made.function.share = wilson_interval(90, 1000, 1000);
        made.stalls.kernel_samples = is_kernel ? 910 : 90;
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_expect_eq(strstr(overall.sentence, "write has 59 to 80 %") != NULL, !is_kernel, "%s", overall.sentence);
        arena_done(&made.arena);
    }
}

/* Where there is nothing to advise on what leads, the small cause's advice is all there is. */
Test(findings, a_small_cause_alone_keeps_its_advice)
{
    struct made_up made;
    make_up(&made);
    made.kernel.fault_samples = made.kernel.kernel_samples = 75;
    made.function.name = "main";
    const struct finding *faults = test_and_find(&made, "page-faults");
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    const char *tries[OVERALL_TRIES_MOST];
    cr_assert(overall.culprit == faults && overall.culprit_is_small);
    cr_expect(overall_tries(&overall, tries) == 1 && strcmp(tries[0], faults->advice[0]) == 0, "%s", tries[0]);
    cr_expect_eq(overall_check(&overall), faults->confirm);
    arena_done(&made.arena);
}

/* The total is of all functions it is in: each with its part, the largest first; one that has nearly all stands alone. */
Test(findings, an_estimated_cause_names_each_function_with_its_part)
{
    static const struct {
        uint64_t samples[3];
        const char *says;
    } rows[] = {{{200, 300, 20}, "hold up its code: 51 to 57 % of the elapsed time, estimated, in second (30 %), first (20 %) and more"},
                {{500, 20, 20}, "hold up first: 51 to 57 % of the elapsed time, estimated"}};
    for (size_t at = 0; at < array_count(rows); at++) {
        struct made_up made;
        make_up(&made);
        struct bottleneck_loop loops[3];
        static const char *const names[] = {"first", "second", "third"};
        for (size_t loop = 0; loop < 3; loop++) {
            loops[loop] = (struct bottleneck_loop){.verdict = {.function = names[loop]}, .samples = rows[at].samples[loop]};
            loops[loop].masses[CAUSE_CONDITIONAL] = 1;
        }
        struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_BAD_SPECULATION, .cause = CAUSE_CONDITIONAL, .confidence = ESTIMATE_MEDIUM,
                                                    .function = "first", .share = interval_of(0.5, 0.54, 0.58)},
                                        .loops = loops, .loop_count = 3};
        bottleneck.masses[CAUSE_CONDITIONAL] = 0.54;
        made.results.bottleneck = &bottleneck;
        const struct finding *finding = test_and_find(&made, "branch-mispredicts");
        cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect(strstr(finding->headline, rows[at].says), "%s", finding->headline);
        cr_expect_eq(strstr(finding->headline, ", in ") != NULL, at == 0, "%s", finding->headline);
        arena_done(&made.arena);
    }
}

/* Distributions build for the oldest processor: where that is most of the time, nothing else being certain, it is said. */
Test(findings, narrow_vectors_of_a_build_for_any_processor_are_pointed_out)
{
    static const struct {
        uint64_t samples;
        bool has_avx2, is_said;
    } cases[] = {{700, true, true}, {700, false, false}, {100, true, false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.machine.has_avx2 = cases[at].has_avx2;
        made.row = (struct stall_row){.text = "mulps %xmm1,%xmm0", .class = INSTRUCTION_FP, .samples = 700, .is_fp = true, .vector_bits = 128};
        made.stalls.vector_samples[0] = cases[at].samples;
        (void)test_and_find(&made, "narrow-vectors");
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        bool said = false;
        for (size_t item = 0; item < overall.advice_count; item++)
            said |= strstr(overall.advice[item], "70 % of the samples stand at vectors of 128 bits, and this CPU has 256") != NULL;
        cr_expect_eq(said, cases[at].is_said, "%zu: kind %d", at, overall.kind);
        arena_done(&made.arena);
    }
}

/* The garbage collector has a remedy of its own, and an index that leads on is no linked structure. */
Test(findings, a_collector_and_a_table_have_remedies_of_their_own)
{
    struct made_up made;
    make_up(&made);
    made.function.name = "gc_collect_main";
    made.function.dso = "libpython3.11.so.1.0";
    const struct finding *finding = test_and_find(&made, "interpreter");
    cr_assert(strstr(finding->advice[0], "gc.freeze()") && mentions(finding, "py-spy"), "%s", finding->advice[0]);
    cr_assert(strstr(finding->headline, "libpython3.11.so.1.0 takes"), "%s", finding->headline);
    made.function.name = "_PyEval_EvalFrameDefault";
    cr_assert_not(mentions(test_and_find(&made, "interpreter"), "gc.freeze()"));
    made.row = (struct stall_row){.text = "movzwl (%r11,%rdx,2),%edx", .class = INSTRUCTION_LOAD, .samples = 800, .is_load = true, .is_chained = true, .is_addressed = true};
    made.stalls.addressed_samples = 800;
    finding = test_and_find(&made, "load-chain");
    cr_assert(mentions(finding, "entries of a table") && !mentions(finding, "linked structure"));
    made.row.text = "mov 0x8(%rax),%rax";
    finding = test_and_find(&made, "load-chain");
    cr_assert(mentions(finding, "linked structure") && strstr(finding->advice[0], "py-spy"), "the script is what its user has: %s", finding->advice[0]);
    arena_done(&made.arena);
}

Test(findings, the_limit_is_named_as_its_hierarchy_has_it)
{
    for (int version = 1; version <= 2; version++) {
        struct made_up made;
        make_up(&made);
        made.activity.throttled_s = measured_as(5);
        made.activity.throttled_periods = measured_as(50);
        made.activity.quota_cpus = measured_as(0.08);
        made.activity.group_others = measured_as(0);
        made.activity.cgroup_version = version;
        made.run.on_cpu_ratio = made.run.wanted_ratio = measured_as(0.5);
        made.run.run_delay_s = measured_as(5);
        made.run.cpu_s = measured_as(5);
        const struct finding *finding = test_and_find(&made, "cpu-quota");
        cr_expect_eq(mentions(finding, "cpu.cfs_quota_us"), version == 1);
        cr_expect_eq(mentions(finding, "cpu.max"), version == 2);
        cr_expect(strstr(finding->evidence[1].text, "0.08 CPUs"), "%s", finding->evidence[1].text);
        arena_done(&made.arena);
    }
}

/* Sorting blocks: misses, wrong guesses and work in like parts. That none of them is it is an answer. */
Test(findings, what_several_things_hold_up_is_said_with_its_parts)
{
    struct made_up made;
    make_up(&made);
    made.stalls.blind_samples = 900;
    struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_UNKNOWN, .cause = CAUSE_UNKNOWN}};
    made.results.bottleneck = &bottleneck;
    bottleneck.masses[CAUSE_PARALLEL_MISSES] = 0.1;
    bottleneck.masses[CAUSE_LATENCY] = 0.1;
    bottleneck.masses[CAUSE_CONDITIONAL] = 0.15;
    bottleneck.masses[CAUSE_FP] = 0.02;
    bottleneck.masses[CAUSE_RETIRING] = 0.13;
    bottleneck.masses[CAUSE_UNKNOWN] = 0.3;
    findings_test(&made.findings, &made.results, &made.arena);
    const char *sentence = overall_of(&made.findings, &made.results, &made.arena).sentence;
    cr_assert(strstr(sentence, "By estimate no one thing holds it up: memory 25 %, wrong guesses and their loads 19 %, busy with instructions 16 %; 40 % is not told."), "%s", sentence);
    bottleneck.masses[CAUSE_STORE_FORWARDING] = 0.1; /* no arithmetic; and said beside a small cause, too */
    made.kernel.fault_samples = 130;
    findings_test(&made.findings, &made.results, &made.arena);
    struct overall small = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_eq(small.kind, OVERALL_CULPRIT);
    cr_assert(strstr(small.sentence, "By estimate no one thing holds it up: memory 22 %, wrong guesses and their loads 17 %, busy with instructions 14 %, waits within the core 13 %;"), "%s",
              small.sentence);
    bottleneck.masses[CAUSE_LATENCY] = 0.9;
    sentence = overall_of(&made.findings, &made.results, &made.arena).sentence;
    cr_assert_null(strstr(sentence, "no one thing"), "%s", sentence);
    arena_done(&made.arena);
}

/* One that has a little more than half hides no second one, and what lies in the second cache doesn't wait for memory. */
Test(findings, what_has_little_more_than_half_hides_no_second)
{
    struct made_up made;
    make_up(&made);
    made.stalls.blind_samples = 900;
    struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_MIXED}};
    made.results.bottleneck = &bottleneck;
    bottleneck.masses[CAUSE_RETIRING] = 0.56;
    bottleneck.masses[CAUSE_L2] = 0.3;
    bottleneck.masses[CAUSE_PARALLEL_MISSES] = 0.09;
    bottleneck.masses[CAUSE_UNKNOWN] = 0.05;
    findings_test(&made.findings, &made.results, &made.arena);
    const char *sentence = overall_of(&made.findings, &made.results, &made.arena).sentence;
    cr_expect(strstr(sentence, "By estimate several things share it: busy with instructions 56 %, the second cache 39 %; 5 % is not told."), "%s", sentence);
    bottleneck = (struct bottleneck){.program = {.class = BOTTLENECK_UNKNOWN}}; /* that most isn't told is to be said, too */
    bottleneck.masses[CAUSE_RETIRING] = 0.34;
    bottleneck.masses[CAUSE_FP] = 0.06;
    bottleneck.masses[CAUSE_UNKNOWN] = 0.6;
    sentence = overall_of(&made.findings, &made.results, &made.arena).sentence;
    cr_expect(strstr(sentence, "By estimate busy with instructions 34 %, arithmetic 6 %; 60 % is not told."), "%s", sentence);
    arena_done(&made.arena);
}

/* What has only the loosest bound is no lead; what the estimate lays time at is one, and no bound is below it. */
Test(findings, a_loose_bound_is_no_lead)
{
    struct made_up made;
    make_up(&made);
    made.stalls.blind_samples = 900; /* anything may be there */
    made.stalls.guess_samples = 40;
    struct bottleneck bottleneck = {.program = {.class = BOTTLENECK_UNKNOWN, .cause = CAUSE_UNKNOWN}};
    made.results.bottleneck = &bottleneck;
    const struct finding *guesses = test_and_find(&made, "branch-mispredicts");
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert_eq(overall.kind, OVERALL_NOTHING);
    cr_assert(strstr(overall.sentence, "nothing points at any of it") && !strstr(overall.sentence, "largest that stays open"), "%s", overall.sentence);
    for (size_t at = 0; at < overall.advice_count; at++)
        cr_assert(!strstr(overall.advice[at], "to settle"), "%s", overall.advice[at]);
    made.stalls.blind_samples = 100;
    bottleneck.masses[CAUSE_CONDITIONAL] = 0.33;
    bottleneck.masses[CAUSE_PARALLEL_MISSES] = 0.2;
    guesses = test_and_find(&made, "branch-mispredicts");
    cr_assert_eq(guesses->verdict, VERDICT_UNDECIDED);
    cr_assert(guesses->recoverable.high >= 0.33, "%f: below what the estimate says", guesses->recoverable.high);
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strstr(overall.sentence, "stays open: wrongly guessed branches (the estimate lays 33 % at it, at most 4"), "%s", overall.sentence);
    for (size_t at = 0; at < made.findings.count; at++) /* a bound that is below it is all that is said */
        if (strcmp(made.findings.items[at].hypothesis->id, "branch-mispredicts") == 0)
            made.findings.items[at].recoverable.high = 0.2;
    overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(strstr(overall.sentence, "stays open: wrongly guessed branches (at most 20 %"), "%s", overall.sentence);
    bottleneck.masses[CAUSE_CONDITIONAL] = 0;
    bottleneck.masses[CAUSE_INDIRECT] = 0.33; /* what to do about those is known, though none is certain */
    test_and_find(&made, "branch-mispredicts");
    overall = overall_of(&made.findings, &made.results, &made.arena);
    bool says = false;
    for (size_t at = 0; at < overall.advice_count; at++)
        says |= strstr(overall.advice[at], "computed goto") != NULL || strstr(overall.advice[at], "by type") != NULL;
    cr_assert(says, "%s", overall.advice[0]);
    arena_done(&made.arena);
}

/* What is collected as the program ends is nothing that gc.disable() stops. */
Test(findings, what_gc_disable_does_not_stop_is_left_out_of_its_check)
{
    for (int round = 0; round < 2; round++) {
        struct made_up made;
        make_up(&made);
        made.function.name = "python3.11+0x10a500 (refers to \"gc: objects in each generation:%s\")";
        made.function.dso = "python3.11";
        made.function.samples = 450;
        made.function.stacks = 100;
        made.function.owner_count = 1;
        made.function.owners[0] = (struct stall_caller){
            .name = round ? "_PyObject_GC_New" : "Py_FinalizeEx", .dso = "python3.11", .stacks = 48};
        const struct finding *finding = test_and_find(&made, "garbage-collection");
        cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
        cr_expect_eq(mentions(finding, "os._exit(STATUS)"), round == 0);
        cr_expect_null(strstr(finding->confirm, "must fall by that share"), "%s", finding->confirm);
        cr_expect(strstr(finding->confirm, round ? "up to that share" : "may fall by up to 29 % of the"), "%s",
                  finding->confirm);
        arena_done(&made.arena);
    }
}

/* Most packaged programs refuse the RTS options that lessen it. */
Test(findings, options_of_ghcs_runtime_want_rtsopts)
{
    struct made_up made;
    make_up(&made);
    made.function.name = "ledger+0xa6d0 (refers to \"evacuate: strange closure type %d\")";
    made.function.dso = "ledger";
    const struct finding *finding = test_and_find(&made, "garbage-collection");
    cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
    cr_expect(mentions(finding, "where it was linked with -rtsopts: +RTS -A64m") &&
                  mentions(finding, "GHCRTS does no more"),
              "%s", finding->advice[0]);
    cr_expect(strstr(finding->confirm, "where it was linked with -rtsopts"), "%s", finding->confirm);
    arena_done(&made.arena);
}

/* Python calls sqlite: the larger one leads with its own share and parts, and the other stands beside it. */
Test(findings, of_two_interpreters_the_larger_one_leads)
{
    static const uint64_t samples[][3] = {{30, 560, 230}, {30, 170, 600}};
    for (size_t at = 0; at < array_count(samples); at++) {
        struct made_up made;
        struct call_classes classes = {0};
        make_up(&made);
        struct stall_function functions[3] = {made.function, made.function, made.function};
        functions[0].name = "sqlite3VdbeExec";
        functions[1].name = "libsqlite3.so.0.8.6+0xc66b0";
        functions[2].name = "unicodekeys_lookup_unicode";
        for (size_t function = 0; function < array_count(functions); function++) {
            functions[function].dso = function == 2 ? "libpython3.11.so.1.0" : "libsqlite3.so.0.8.6";
            functions[function].samples = samples[at][function];
        }
        made.stalls.functions = functions;
        made.stalls.function_count = array_count(functions);
        const struct finding *finding = test_and_find(&made, "interpreter");
        bool is_sqlite = at == 0;
        cr_expect_eq(strstr(finding->headline, "libsqlite3.so.0.8.6 takes 56 to 62 %") != NULL, is_sqlite, "%s",
                     finding->headline);
        cr_expect_eq(strstr(finding->headline, "libpython3.11.so.1.0 takes 57 to 63 %") != NULL, !is_sqlite, "%s",
                     finding->headline);
        cr_expect_eq(strstr(finding->headline, "looking up in dicts") != NULL, !is_sqlite, "%s", finding->headline);
        cr_expect(strstr(finding->headline, is_sqlite ? "; libpython3.11.so.1.0 takes 20 to 26 % beside it"
                                                      : "; libsqlite3.so.0.8.6 takes 18 to 23 % beside it"),
                  "%s", finding->headline);
        cr_expect_eq(mentions(finding, "EXPLAIN QUERY PLAN"), is_sqlite);
        cr_expect(!is_sqlite || strstr(finding->confirm, "see whether EXPLAIN QUERY PLAN has a SCAN"), "%s",
                  finding->confirm);
        add_called(&made, &classes, CALLED_PREPARING, 40, "sqlite3_prepare_v2", "libsqlite3.so.0.8.6", NULL);
        finding = test_and_find(&made, "interpreter");
        cr_expect_eq(strstr(finding->advice[0], "is in reading statements and making code of them") != NULL, is_sqlite,
                     "%s", finding->advice[0]);
        cr_expect_eq(strstr(finding->confirm, "bind them") != NULL, is_sqlite, "%s", finding->confirm);
        arena_done(&made.arena);
    }
}

/* A shell's redirections are no files looked up, and what it closes beside new pipes are these. */
Test(findings, descriptors_are_what_is_done_with_them)
{
    static const struct {
        struct kernel_entry entries[4];
        const char *says, *never;
    } cases[] = {
        {{{"openat", 210}, {"close", 150}, {"dup", 47}, {"fcntl", 44}},
         "which a shell does for its commands",
         "looked up"},
        {{{"close", 300}, {"pipe2", 120}, {"openat", 5}, {"read", 50}},
         "fewer pipes opened and closed (close and pipe2)",
         "looked up"},
        {{{"openat", 210}, {"close", 150}, {"newfstatat", 60}, {"dup", 5}}, "fewer files looked up", "a shell"},
        {{{"close", 400}}, "pipes or sockets opened and closed (close)", "looked up"},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.kernel.call_samples = made.kernel.kernel_samples = 500;
        memcpy(made.kernel.entries, cases[at].entries, sizeof(cases[at].entries));
        for (made.kernel.entry_count = 0;
             made.kernel.entry_count < 4 && cases[at].entries[made.kernel.entry_count].name;)
            made.kernel.entry_count++;
        const struct finding *finding = test_and_find(&made, "system-calls");
        cr_expect(mentions(finding, cases[at].says), "case %zu: %s", at, finding->advice[0]);
        cr_expect_not(mentions(finding, cases[at].never), "case %zu: %s", at, finding->advice[0]);
        arena_done(&made.arena);
    }
}

/* One function, or a library, that has most of it is said before a certain cause outside of it that has less than half as much. */
Test(findings, where_most_of_the_time_is_stands_before_a_lesser_cause)
{
    static const struct {
        uint64_t hot, second, calls;
        const char *dso;
        bool less;
    } cases[] = {
        {830, 0, 120, "a.out", true},    {540, 0, 120, "a.out", true},    {540, 0, 300, "a.out", false},
        {240, 330, 220, "lib.so", true}, {240, 330, 220, "a.out", false}, {240, 330, 120, "a.out", true},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        struct stall_function functions[2] = {made.function, made.function};
        functions[0].samples = cases[at].hot;
        functions[0].share = wilson_interval((double)cases[at].hot, 1000, 1000);
        functions[1].name = "cold";
        functions[1].samples = cases[at].second;
        functions[0].dso = functions[1].dso = cases[at].dso;
        made.stalls.functions = functions;
        made.stalls.function_count = 2;
        made.kernel.call_samples = made.kernel.kernel_samples = cases[at].calls;
        made.kernel.entries[0] = (struct kernel_entry){"read", cases[at].calls};
        made.kernel.entry_count = 1;
        (void)test_and_find(&made, "system-calls");
        cr_assert_str_eq(made.findings.items[0].hypothesis->id, "system-calls");
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        cr_expect_eq(overall.culprit_is_less, cases[at].less, "case %zu: %s", at, overall.sentence);
        cr_expect_eq(strncmp(overall.sentence, "System calls take", strlen("System calls take")) != 0, cases[at].less,
                     "case %zu: %s", at, overall.sentence);
        cr_expect_eq(strstr(overall.sentence, "Certain, but less: system calls take") != NULL, cases[at].less,
                     "case %zu: %s", at, overall.sentence);
        arena_done(&made.arena);
    }
}

/* V8's own functions say what a script asks of its arrays. */
Test(findings, searches_of_arrays_are_told_by_their_names)
{
    static const struct {
        const char *name;
        bool said;
    } cases[] = {{"Builtins_ArrayIncludesSmiOrObject", true},
                 {"Builtins_ArrayIndexOfPackedDoubles", true},
                 {"Builtins_ArrayPrototypeFind", true},
                 {"Builtins_ArrayPrototypePush", false}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct made_up made;
        make_up(&made);
        made.function.name = cases[at].name;
        made.function.dso = "node";
        findings_test(&made.findings, &made.results, &made.arena);
        struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
        bool said = overall.advice_count && strstr(overall.advice[0], "a Set answers whether a value is there");
        cr_expect_eq(said, cases[at].said, "%s: %s", cases[at].name, overall.advice_count ? overall.advice[0] : "");
        cr_expect_eq(strstr(overall.sentence, "among the elements of an array") != NULL, cases[at].said, "%s",
                     overall.sentence);
        arena_done(&made.arena);
    }
}

/* A compiled sort, a regular expression and a dictionary are no interpreting, though the interpreter's library has them. */
Test(findings, what_an_interpreter_calls_is_told_from_interpreting)
{
    struct made_up made;
    struct stall_function functions[4];
    static const char *const names[] = {"unsafe_long_compare", "sre_ucs1_match", "unicodekeys_lookup_unicode", "_PyEval_EvalFrameDefault"};
    static const uint64_t samples[] = {400, 250, 150, 80};
    make_up(&made);
    for (size_t at = 0; at < array_count(functions); at++) {
        functions[at] = made.function;
        functions[at].name = names[at];
        functions[at].dso = "libpython3.11.so.1.0";
        functions[at].samples = samples[at];
    }
    made.stalls.functions = functions;
    made.stalls.function_count = array_count(functions);
    const struct finding *finding = test_and_find(&made, "interpreter");
    cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
    cr_assert(strstr(finding->headline, "sorting 40 %, regular expressions 25 %, looking up in dicts and sets 15 %, interpreting 8.0 %"), "%s", finding->headline);
    cr_assert(!strstr(finding->confirm, "compiled library"), "%s", finding->confirm);
    for (size_t at = 0; at < array_count(functions); at++)
        functions[at].samples = at == 3 ? 800 : 20;
    finding = test_and_find(&made, "interpreter");
    cr_assert(strstr(finding->headline, "interpreted code: ") && strstr(finding->confirm, "compiled library"), "%s", finding->headline);
    functions[0].name = "sqlite3VdbeExec";
    functions[0].samples = 800;
    functions[0].dso = "libsqlite3.so.0";
    made.stalls.function_count = 1;
    finding = test_and_find(&made, "interpreter");
    cr_assert(strstr(finding->confirm, "EXPLAIN QUERY PLAN"), "%s", finding->confirm);
    arena_done(&made.arena);
}

/* "6 to 43 %": what is named is 6 %, the rest is code without names; and "most of it" is said of no third of it. */
Test(findings, names_that_are_few_are_no_large_cause)
{
    struct made_up made;
    struct stall_function functions[3];
    static const char *const names[] = {"_int_malloc", "malloc", "walk_tree"};
    static const uint64_t samples[] = {22, 48, 560};
    make_up(&made);
    for (size_t at = 0; at < array_count(functions); at++) {
        functions[at] = made.function;
        functions[at].name = names[at];
        functions[at].samples = samples[at];
        functions[at].share = wilson_interval((double)samples[at], 1000, 1000);
    }
    made.stalls.functions = functions;
    made.stalls.function_count = array_count(functions);
    made.stalls.unnamed_samples = 370;
    const struct finding *finding = test_and_find(&made, "allocation");
    cr_assert_eq(finding->verdict, VERDICT_SUPPORTED);
    cr_assert(!strstr(finding->headline, "most of it") && strstr(finding->headline, "_int_malloc alone 1.5 to 3.3 %"), "%s",
              finding->headline);
    cr_assert(mentions(finding, "has no names"), "the far end is theirs");
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    cr_assert(overall.culprit_is_small && strstr(overall.sentence, "but small: allocating and freeing memory takes"), "%s", overall.sentence);
    arena_done(&made.arena);
}

/* A clock that only the kernel knows is no matter of the machine's clock source. */
Test(findings, a_clock_is_asked_of_the_kernel_for_a_reason)
{
    static const struct {
        const char *source;
        uint64_t cpu_clock;
        const char *said;
    } rows[] = {
        {"tsc", 250, "asks for the CPU time"},
        {"tsc", 0, "asks for a clock that the kernel alone has"},
        {"hpet", 0, "its clock source can't be read"},
        {"", 0, "its clock source can't be read"},
    };
    for (size_t at = 0; at < array_count(rows); at++) {
        struct made_up made;
        make_up(&made);
        made.machine.clocksource = rows[at].source;
        made.kernel.kernel_samples = made.kernel.call_samples = 300;
        made.kernel.cpu_clock_samples = rows[at].cpu_clock;
        made.kernel.entries[0] = (struct kernel_entry){"clock_gettime", 300};
        made.kernel.entry_count = 1;
        const struct finding *calls = test_and_find(&made, "system-calls");
        cr_assert_eq(calls->verdict, VERDICT_SUPPORTED);
        cr_expect(strstr(calls->advice[0], rows[at].said), "%zu: %s", at, calls->advice[0]);
        arena_done(&made.arena);
    }
}

/* wait_woken is where sockets sleep, too: the place names no kind. Being traced does. */
Test(findings, where_it_was_seen_asleep_says_no_more_than_it_knows)
{
    static const struct {
        const char *place, *said;
    } rows[] = {{"wait_woken", "wait_woken (srv)"}, {"n_tty_read", "waiting for the terminal"}, {"ptrace_stop", "waiting for what traces it"}};
    for (size_t at = 0; at < array_count(rows); at++) {
        struct made_up made;
        make_up(&made);
        struct activity_thread thread = {.comm = "srv", .waits = {{.count = 9}}};
        snprintf(thread.waits[0].place, sizeof(thread.waits[0].place), "%s", rows[at].place);
        made.activity.threads = &thread;
        made.activity.thread_count = 1;
        made.run.cpu_s = measured_as(1);
        made.run.on_cpu_ratio = made.run.wanted_ratio = made.run.cpus_used = measured_as(0.1);
        made.run.from_switches = true;
        const struct finding *waiting = test_and_find(&made, "waiting");
        cr_assert_eq(waiting->verdict, VERDICT_SUPPORTED);
        bool said = false, terminal = false;
        for (size_t line = 0; line < waiting->evidence_count; line++) {
            said |= strstr(waiting->evidence[line].text, rows[at].said) != NULL;
            terminal |= strstr(waiting->evidence[line].text, "terminal") != NULL;
        }
        cr_expect(said && terminal == (at == 1), "%s", rows[at].place);
        arena_done(&made.arena);
    }
}

/* Between a little and nearly all: nobody is sure how much that matters. */
Test(findings, a_wide_open_amount_is_no_high_confidence)
{
    struct made_up made;
    make_up(&made);
    made.run.cpu_s = measured_as(0.6);
    made.run.on_cpu_ratio = made.run.wanted_ratio = made.run.cpus_used = measured_as(0.06);
    made.run.run_delay_s = measured_as(7.9);
    made.run.run_delay_is_least = made.run.from_switches = true;
    made.run.threads_seen = 3;
    made.run.looked_ready = interval_of(0.1, 0.2, 0.3);
    struct activity_thread thread = {.comm = "db", .waits = {{.place = "submit_bio_wait", .count = 9}}};
    made.activity.threads = &thread;
    made.activity.thread_count = 1;
    const struct finding *waiting = test_and_find(&made, "waiting");
    cr_assert(waiting->verdict == VERDICT_SUPPORTED && waiting->recoverable.high > 3 * waiting->recoverable.low, "%g %g", waiting->recoverable.low,
              waiting->recoverable.high);
    cr_expect_eq(waiting->confidence, CONFIDENCE_MEDIUM);
    cr_expect(strstr(waiting->confidence_reason, "stays open"), "%s", waiting->confidence_reason);
    arena_done(&made.arena);
}

/* What was asked of the storage decides what helps; and a call says more than the place of a function without a name. */
Test(findings, storage_is_waited_for_by_what_was_asked)
{
    static const struct {
        const char *asked, *said;
    } rows[] = {{"read", "read ahead"}, {"fdatasync", "one fdatasync for many writes"}, {"readdir64", "look up fewer names"}, {"odd", "wait less for storage"}};
    for (size_t at = 0; at < array_count(rows); at++) {
        struct made_up made;
        make_up(&made);
        struct wait_rows waits = {.known = true, .waiting_s = 9, .idle_s = 9, .wait_count = 9, .stack_count = 9, .count = 1,
                                  .items = {{.kind = WAIT_DISK, .function = "grep+0x249a0", .asked = rows[at].asked, .idle_s = 9, .total_s = 9, .count = 9}}};
        made.results.waits = &waits;
        made.run.cpu_s = measured_as(1);
        made.run.on_cpu_ratio = made.run.wanted_ratio = made.run.cpus_used = measured_as(0.1);
        made.run.from_switches = true;
        const struct finding *waiting = test_and_find(&made, "waiting");
        cr_assert_eq(waiting->verdict, VERDICT_SUPPORTED);
        cr_expect(strstr(waiting->advice[0], rows[at].said), "%s", waiting->advice[0]);
        cr_expect_eq(strstr(waiting->advice[0], "fsync for many") != NULL, at == 3, "%s", waiting->advice[0]);
        cr_expect(strstr(waiting->headline, rows[at].asked) && strstr(waiting->headline, "grep+0x249a0"), "%s", waiting->headline);
        arena_done(&made.arena);
    }
}

/* Code that called nothing and waits for storage touched memory that is a file's. */
Test(findings, storage_is_waited_for_in_a_mapping)
{
    struct made_up made;
    make_up(&made);
    struct wait_rows waits = {.known = true, .waiting_s = 9, .idle_s = 9, .wait_count = 9, .stack_count = 9, .count = 1,
                              .items = {{.kind = WAIT_DISK, .function = "scan", .idle_s = 9, .total_s = 9, .count = 9}}};
    made.results.waits = &waits;
    made.run.cpu_s = measured_as(1);
    made.run.on_cpu_ratio = made.run.wanted_ratio = made.run.cpus_used = measured_as(0.1);
    made.run.from_switches = true;
    const struct finding *waiting = test_and_find(&made, "waiting");
    cr_expect(strstr(waiting->advice[0], "a file that is mapped") && !strstr(waiting->advice[0], "fsync"), "%s", waiting->advice[0]);
    arena_done(&made.arena);
    make_up(&made);
    waits.items[0].function = "_dl_map_object"; /* what the loader reads is there the next time */
    waits.items[0].asked = "openat64";
    made.results.waits = &waits;
    made.run.cpu_s = measured_as(1);
    made.run.on_cpu_ratio = made.run.wanted_ratio = made.run.cpus_used = measured_as(0.1);
    made.run.from_switches = true;
    waiting = test_and_find(&made, "waiting");
    cr_expect(strstr(waiting->headline, "loading programs and libraries") && strstr(waiting->advice[0], "run it again"), "%s; %s", waiting->headline, waiting->advice[0]);
    arena_done(&made.arena);
}

/* Go makes its calls by itself: who called the way into the kernel tells which, and no mapped file is to blame. */
Test(findings, storage_is_waited_for_in_a_call_without_the_c_library)
{
    struct made_up made;
    struct wait_rows waits = {.known = true,
                              .waiting_s = 9,
                              .idle_s = 9,
                              .wait_count = 9,
                              .stack_count = 9,
                              .count = 1,
                              .items = {{.kind = WAIT_DISK,
                                         .function = "runtime/internal/syscall.Syscall6",
                                         .idle_s = 9,
                                         .total_s = 9,
                                         .count = 9,
                                         .callers = {"syscall.Syscall", "syscall.Fsync", "internal/poll.(*FD).Fsync"},
                                         .caller_count = 3}}};
    for (int round = 0; round < 2; round++) {
        make_up(&made);
        made.results.waits = &waits;
        made.run.cpu_s = measured_as(1);
        made.run.on_cpu_ratio = made.run.wanted_ratio = made.run.cpus_used = measured_as(0.1);
        made.run.from_switches = true;
        const struct finding *waiting = test_and_find(&made, "waiting");
        cr_expect_null(strstr(waiting->advice[0], "a file that is mapped"), "%s", waiting->advice[0]);
        cr_expect_eq(strstr(waiting->advice[0], "let syscall.Fsync wait less for storage: one fsync for many writes") !=
                         NULL,
                     round == 0, "%s", waiting->advice[0]);
        cr_expect_eq(strstr(waiting->headline, "in syscall.Fsync") != NULL, round == 0, "%s", waiting->headline);
        cr_expect_eq(strstr(waiting->confirm, "several records before each fsync") != NULL, round == 0, "%s",
                     waiting->confirm);
        waits.items[0].caller_count = 1; /* which call it was isn't known */
        arena_done(&made.arena);
    }
}

/* Half of the samples have no names: the bar shows what is known to be such, the sentence below the rest. */
Test(findings, a_bar_shows_what_evidence_shows)
{
    struct made_up made;
    make_up(&made);
    made.function.name = "_int_free";
    made.function.dso = "libc.so.6";
    made.function.samples = 100;
    made.function.share = wilson_interval(100, 1000, 1000);
    made.stalls.unnamed_samples = 480;
    const struct finding *allocation = test_and_find(&made, "allocation");
    cr_assert_eq(allocation->verdict, VERDICT_SUPPORTED);
    cr_assert(allocation->shown.known && allocation->shown.high < 0.13 && allocation->recoverable.high > 0.5);
    struct overall overall = overall_of(&made.findings, &made.results, &made.arena);
    struct diagnosis diagnosis = {.subject = "./a.out", .results = &made.results, .findings = &made.findings, .overall = &overall};
    struct text_style style = {.functions_most = 5};
    struct text out = {0};
    diagnosis_text(&out, &diagnosis, &style);
    cr_expect_not(strstr(text_string(&out), "up to 6"), "%s", text_string(&out));
    cr_expect(strstr(text_string(&out), "of the samples has no names"), "%s", text_string(&out));
    cr_expect(strstr(text_string(&out), "memory takes at least 8.3 % of the"), "as much as is known: %s", text_string(&out));
    text_done(&out);
    made.stalls.unnamed_samples = 0;
    allocation = test_and_find(&made, "allocation");
    cr_expect(!allocation->shown.known && !allocation->is_at_least && !strstr(allocation->headline, "at least"), "%s", allocation->headline);
    arena_done(&made.arena);
}
