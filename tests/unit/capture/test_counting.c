/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the names of events to printed lines, on PMUs that are not here: what stat would show. */
#include "test.h"

#include "analyse/counts/event_counts.h"
#include "base/vec.h"
#include "capture/counters/counting.h"
#include "render/event_counts.h"
#include "simulated_pmu.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define HARDWARE(number, rate) {.type = PERF_TYPE_HARDWARE, .config = (number), .needs = SIMULATED_HARDWARE, .per_second = (rate)}
#define RAW_ANY                {.type = PERF_TYPE_RAW, .any_config = true, .needs = SIMULATED_HARDWARE, .per_second = 1e6}

static const struct simulated_rule rules[] = {
    HARDWARE(PERF_COUNT_HW_CPU_CYCLES, 1e9),
    HARDWARE(PERF_COUNT_HW_INSTRUCTIONS, 2e9),
    {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_BRANCH_MISSES, .open_errno = ENOENT},
    {.type = PERF_TYPE_SOFTWARE, .any_config = true, .per_second = 1e9},
    RAW_ANY,
};

/* Counting has just begun: let 400 ms pass. */
static void time_pass(void *context, enum counting_notice notice, const char *about)
{
    (void)about;
    if (notice == NOTICE_ENABLED)
        simulated_pmu_run(context, 400 * 1000 * 1000);
}

/* Count these events on a machine's CPUs for a moment, and print them as -x ',' does. */
static void count_on(const char *machine, const char *cpus, const char *events, struct simulated_plan plan, struct text *lines)
{
    char path[1024] = "/nonexistent";
    struct sysroot root;
    struct arena arena = {0};
    struct event_list list = {0};
    struct error err = {0};
    struct counting counting = {0};
    struct count_report report = {0};
    if (machine && !test_machine(machine, path, sizeof(path)))
        cr_skip_test("no machine fixtures: run through tests/run.py");
    sysroot_init(&root, path);
    plan.rules = plan.rules ? plan.rules : rules;
    plan.rule_count = plan.rule_count ? plan.rule_count : array_count(rules);
    plan.cpus = 64;
    struct simulated_pmu *pmu = simulated_pmu_new(&plan);
    cr_assert(event_list_parse(&list, events, &root, &arena, &err), "%s", err.message);
    const struct target_request target = {.cpus = cpus};
    const struct counting_plan counted = {
        .events = &list, .target = &target, .timeout_ns = 1000000, .delay_ns = 1,
        .notice = time_pass, .context = pmu};
    cr_assert(counting_run(&counting, &counted, simulated_pmu_kernel(pmu), &root, &err), "%s", err.message);
    count_report_add(&report, &counting.total, &(struct count_options){.grouping = COUNT_GLOBAL});
    count_report_finish(&report, &counting.total);
    const struct count_style style = {.format = COUNT_FIELDS, .separator = ","};
    count_lines_render(lines, &report, 0, &style);
    count_report_done(&report);
    counting_done(&counting);
    cr_expect_eq(simulated_pmu_open_count(pmu), 0, "descriptors leak");
    simulated_pmu_free(pmu);
    event_list_done(&list);
    arena_done(&arena);
}

/* One printed line: its count (-1: not counted, -2: not supported), name and share of time. */
struct shown {
    double count, percent;
    char event[80];
};

static size_t shown_of(const struct text *lines, struct shown *shown, size_t most)
{
    struct view rest = view_of(text_string((struct text *)lines)), line;
    size_t count = 0;
    while (count < most && view_line(&rest, &line)) {
        struct view number = view_cut(&line, ','), unit = view_cut(&line, ','), event = view_cut(&line, ',');
        struct view running = view_cut(&line, ','), percent = view_cut(&line, ',');
        struct shown *each = &shown[count++];
        (void)unit, (void)running;
        each->count = view_equal(number, "<not counted>") ? -1 : view_equal(number, "<not supported>") ? -2 : NAN;
        if (each->count != each->count)
            cr_expect(view_double(number, &each->count), "%.*s", (int)number.length, number.text);
        snprintf(each->event, sizeof(each->event), "%.*s", (int)event.length, event.text);
        cr_expect(view_double(percent, &each->percent));
    }
    return count;
}

#define SHOW(machine, cpus, events, ...)                                                                               \
    struct text lines = {0};                                                                                           \
    struct shown shown[16];                                                                                            \
    count_on(machine, cpus, events, (struct simulated_plan){__VA_ARGS__}, &lines);                                     \
    size_t count = shown_of(&lines, shown, array_count(shown))

Test(counting, what_fits_counts_all_the_time)
{
    SHOW("sapphire-rapids-host", "0", "cycles,instructions", .programmable = 4);
    cr_assert_eq(count, 2);
    cr_expect_eq(shown[0].percent, 100);
    cr_expect_float_eq(shown[1].count / shown[0].count, 2, 0.01, "%s", text_string(&lines));
    text_done(&lines);
}

Test(counting, more_events_than_counters_are_scaled_to_the_whole_time)
{
    SHOW("sapphire-rapids-host", "0", "r1,r2,r3,r4,r5,r6,r7,r8", .programmable = 4);
    cr_assert_eq(count, 8);
    double sum = 0;
    for (size_t at = 0; at < count; at++) {
        cr_expect(shown[at].percent > 30 && shown[at].percent < 70, "%s: %g", shown[at].event, shown[at].percent);
        cr_expect_float_eq(shown[at].count, 4e5, 4e4, "%s", text_string(&lines));
        sum += shown[at].percent;
    }
    cr_expect_float_eq(sum, 400, 10);
    text_done(&lines);
}

Test(counting, a_group_too_big_loses_members_and_a_weak_one_is_taken_apart)
{
    SHOW("sapphire-rapids-host", "0", "{r1,r2,r3}", .programmable = 2);
    cr_assert_eq(count, 3);
    cr_expect(shown[0].count > 0 && shown[1].count > 0);
    cr_expect_eq(shown[2].count, -2, "%s", text_string(&lines));
    struct text weak = {0};
    count_on("sapphire-rapids-host", "0", "{r1,r2,r3}:W", (struct simulated_plan){.programmable = 2}, &weak);
    cr_assert_eq(shown_of(&weak, shown, array_count(shown)), 3);
    for (size_t at = 0; at < 3; at++)
        cr_expect(shown[at].count > 0 && shown[at].percent < 100, "%s", text_string(&weak));
    text_done(&lines);
    text_done(&weak);
}

/* The NMI watchdog holds one of two counters: a group of two is accepted, never scheduled, and must not read as 0. */
Test(counting, what_the_watchdog_leaves_no_counter_for_is_not_counted)
{
    SHOW("sapphire-rapids-host", "0", "{r1,r2},task-clock", .programmable = 2, .taken = 1);
    cr_assert_eq(count, 3);
    cr_expect_eq(shown[0].count, -1, "%s", text_string(&lines));
    cr_expect_eq(shown[1].count, -1);
    cr_expect(shown[2].count > 0);
    text_done(&lines);
}

Test(counting, what_the_pmu_lacks_is_not_supported)
{
    SHOW("sapphire-rapids-host", "0", "cycles,branch-misses,context-switches", .programmable = 4);
    cr_assert_eq(count, 3);
    cr_expect_eq(shown[1].count, -2);
    cr_expect_str_eq(shown[1].event, "branch-misses");
    text_done(&lines);
}

/* Two big cores and two small ones: "cycles" is two events, each on its own cores, and both are shown. */
Test(counting, a_hybrid_processor_counts_each_kind_of_core)
{
    static const struct simulated_rule hybrid[] = {
        {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES | UINT64_C(4) << 32, .needs = SIMULATED_HARDWARE, .per_second = 4e9},
        {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES | UINT64_C(10) << 32, .needs = SIMULATED_HARDWARE, .per_second = 1e9},
        {.type = 4, .any_config = true, .needs = SIMULATED_HARDWARE, .per_second = 4e9},
        {.type = 10, .any_config = true, .needs = SIMULATED_HARDWARE, .per_second = 1e9},
    };
    SHOW("alder-lake-host", "0-3", "cycles", .programmable = 4, .rules = hybrid, .rule_count = array_count(hybrid));
    cr_assert_eq(count, 2, "%s", text_string(&lines));
    cr_expect(strstr(shown[0].event, "cpu_core") && strstr(shown[1].event, "cpu_atom"), "%s", text_string(&lines));
    cr_expect_float_eq(shown[0].count / shown[1].count, 4, 0.01, "%s", text_string(&lines));
    text_done(&lines);
}

/* Four fixed counters without PERF_METRICS: none of these may ever reach perf_event_open. */
Test(counting, fixed_counter_3_is_never_opened)
{
    static const char *const events[] = {"r0400", "r8000", "r8300:u", "{cycles,r0400}", "cpu/event=0x00,umask=0x04/", "cpu/config=0x8100/",
                                         "cpu/event=0,umask=0x80,name=x/"};
    char path[1024];
    struct sysroot root;
    if (!test_machine("icelake-aws-guest", path, sizeof(path)))
        cr_skip_test("no machine fixtures: run through tests/run.py");
    sysroot_init(&root, path);
    for (size_t at = 0; at < array_count(events); at++) {
        struct arena arena = {0};
        struct event_list list = {0};
        struct error err = {0};
        cr_expect_not(event_list_parse(&list, events[at], &root, &arena, &err), "%s", events[at]);
        cr_expect(strstr(err.message, "fixed counter 3"), "%s: %s", events[at], err.message);
        cr_expect_eq(list.count, 0, "%s: nothing of it is left to be opened", events[at]);
        event_list_done(&list);
        arena_done(&arena);
    }
}
