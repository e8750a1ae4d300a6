/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The simulation itself: what other tests rely on. */
#include "test.h"

#include "base/vec.h"
#include "simulated_pmu.h"

#include <errno.h>

#define CYCLES       {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .needs = SIMULATED_HARDWARE, .fixed = 2, .per_second = 1e9}
#define INSTRUCTIONS {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS, .needs = SIMULATED_HARDWARE, .fixed = 1, .per_second = 2e9}
#define RAW_ANY      {.type = PERF_TYPE_RAW, .any_config = true, .needs = SIMULATED_HARDWARE, .per_second = 1e6}

static int open_event(const struct kernel *kernel, uint32_t type, uint64_t config, int group_fd, bool grouped)
{
    struct perf_event_attr attr = {.type = type, .size = sizeof(attr), .config = config, .disabled = group_fd == -1};
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attr.read_format |= grouped ? PERF_FORMAT_GROUP | PERF_FORMAT_ID : 0;
    return kernel->perf_event_open(kernel->context, &attr, 0, -1, group_fd, 0);
}

Test(simulated_pmu, one_event_counts_what_its_rule_says)
{
    static const struct simulated_rule rules[] = {CYCLES};
    struct simulated_pmu *pmu = simulated_pmu_new(&(struct simulated_plan){.rules = rules, .rule_count = 1, .programmable = 1});
    const struct kernel *kernel = simulated_pmu_kernel(pmu);
    int fd = open_event(kernel, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, -1, false);
    cr_assert_geq(fd, 0);
    simulated_pmu_run(pmu, 1000000);
    cr_assert_eq(kernel->ioctl(kernel->context, fd, PERF_EVENT_IOC_ENABLE, 0), 0);
    simulated_pmu_run(pmu, 10000000);
    uint64_t words[3];
    cr_assert_eq(kernel->read(kernel->context, fd, words, sizeof(words)), 24);
    cr_assert_eq(words[0], 10000000u);
    cr_assert_eq(words[1], 10000000u);
    cr_assert_eq(words[2], 10000000u);
    cr_assert_eq(kernel->close(kernel->context, fd), 0);
    cr_assert_eq(simulated_pmu_open_count(pmu), 0u);
    simulated_pmu_free(pmu);
}

Test(simulated_pmu, more_events_than_counters_share_them)
{
    static const struct simulated_rule rules[] = {RAW_ANY};
    struct simulated_pmu *pmu = simulated_pmu_new(&(struct simulated_plan){.rules = rules, .rule_count = 1, .programmable = 2});
    const struct kernel *kernel = simulated_pmu_kernel(pmu);
    int fds[4];
    for (int at = 0; at < 4; at++) {
        fds[at] = open_event(kernel, PERF_TYPE_RAW, (uint64_t)at, -1, false);
        kernel->ioctl(kernel->context, fds[at], PERF_EVENT_IOC_ENABLE, 0);
    }
    simulated_pmu_run(pmu, 400000000);
    for (int at = 0; at < 4; at++) {
        uint64_t words[3];
        cr_assert_eq(kernel->read(kernel->context, fds[at], words, sizeof(words)), 24);
        cr_assert_eq(words[1], 400000000u);
        cr_assert_eq(words[2], 200000000u);
        cr_assert_eq(words[0], 200000u);
    }
    simulated_pmu_free(pmu);
}

Test(simulated_pmu, a_group_is_scheduled_whole_or_refused)
{
    static const struct simulated_rule rules[] = {CYCLES, INSTRUCTIONS, RAW_ANY};
    struct simulated_pmu *pmu = simulated_pmu_new(&(struct simulated_plan){
        .rules = rules, .rule_count = 3, .programmable = 2, .fixed = 2, .taken = 1});
    const struct kernel *kernel = simulated_pmu_kernel(pmu);
    int leader = open_event(kernel, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, -1, true);
    cr_assert_geq(open_event(kernel, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, leader, true), 0);
    cr_assert_geq(open_event(kernel, PERF_TYPE_RAW, 0xc0, leader, true), 0);
    cr_assert_geq(open_event(kernel, PERF_TYPE_RAW, 0xc1, leader, true), 0);
    cr_assert_eq(open_event(kernel, PERF_TYPE_RAW, 0xc2, leader, true), -1);
    cr_assert_eq(errno, EINVAL);
    kernel->ioctl(kernel->context, leader, PERF_EVENT_IOC_ENABLE, 0);
    simulated_pmu_run(pmu, 10000000);
    uint64_t words[3 + 2 * 4];
    cr_assert_eq(kernel->read(kernel->context, leader, words, 16), -1);
    cr_assert_eq(errno, ENOSPC);
    cr_assert_eq(kernel->read(kernel->context, leader, words, sizeof(words)), (ssize_t)sizeof(words));
    cr_assert_eq(words[0], 4u);
    cr_assert_eq(words[1], 10000000u, "enabled");
    cr_assert_eq(words[2], 0u, "another user holds a counter that the group needs");
    simulated_pmu_free(pmu);
}

Test(simulated_pmu, refusals_are_told_apart)
{
    static const struct simulated_rule rules[] = {
        CYCLES, {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_BUS_CYCLES, .open_errno = EOPNOTSUPP}};
    struct simulated_plan plan = {.rules = rules, .rule_count = 2, .programmable = 1, .fd_limit = 1};
    struct simulated_pmu *pmu = simulated_pmu_new(&plan);
    const struct kernel *kernel = simulated_pmu_kernel(pmu);
    cr_assert_eq(open_event(kernel, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, -1, false), -1);
    cr_assert_eq(errno, EOPNOTSUPP);
    cr_assert_eq(open_event(kernel, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, -1, false), -1);
    cr_assert_eq(errno, ENOENT);
    cr_assert_geq(open_event(kernel, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, -1, false), 0);
    cr_assert_eq(open_event(kernel, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, -1, false), -1);
    cr_assert_eq(errno, EMFILE);
    simulated_pmu_free(pmu);
    plan.open_errno = ENOSYS;
    pmu = simulated_pmu_new(&plan);
    kernel = simulated_pmu_kernel(pmu);
    cr_assert_eq(open_event(kernel, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, -1, false), -1);
    cr_assert_eq(errno, ENOSYS);
    simulated_pmu_free(pmu);
}

Test(simulated_pmu, a_pinned_event_that_does_not_fit_reads_nothing)
{
    static const struct simulated_rule rules[] = {RAW_ANY};
    struct simulated_pmu *pmu = simulated_pmu_new(&(struct simulated_plan){.rules = rules, .rule_count = 1, .programmable = 1, .taken = 1});
    const struct kernel *kernel = simulated_pmu_kernel(pmu);
    struct perf_event_attr attr = {.type = PERF_TYPE_RAW, .size = sizeof(attr), .pinned = 1};
    int fd = kernel->perf_event_open(kernel->context, &attr, 0, -1, -1, 0);
    simulated_pmu_run(pmu, 1000000);
    uint64_t word;
    cr_assert_eq(kernel->read(kernel->context, fd, &word, sizeof(word)), 0);
    simulated_pmu_free(pmu);
}

Test(simulated_pmu, topdown_events_want_slots_to_lead)
{
    static const struct simulated_rule rules[] = {
        {.type = PERF_TYPE_RAW, .config = 0x0400, .needs = SIMULATED_HARDWARE, .fixed = 8, .per_second = 4e9},
        {.type = PERF_TYPE_RAW, .config = 0x8000, .config_mask = 0xf0ff, .needs = SIMULATED_METRIC, .per_second = 1e9}};
    struct simulated_pmu *pmu = simulated_pmu_new(&(struct simulated_plan){.rules = rules, .rule_count = 2, .programmable = 4, .fixed = 4});
    const struct kernel *kernel = simulated_pmu_kernel(pmu);
    cr_assert_eq(open_event(kernel, PERF_TYPE_RAW, 0x8000, -1, true), -1);
    cr_assert_eq(errno, EINVAL);
    int slots = open_event(kernel, PERF_TYPE_RAW, 0x0400, -1, true);
    cr_assert_geq(slots, 0);
    cr_assert_geq(open_event(kernel, PERF_TYPE_RAW, 0x8100, slots, true), 0);
    cr_assert(simulated_pmu_was_tried(pmu, PERF_TYPE_RAW, 0x8100));
    cr_assert_not(simulated_pmu_was_tried(pmu, PERF_TYPE_RAW, 0x8200));
    simulated_pmu_free(pmu);
}

Test(simulated_pmu, samples_reach_the_ring_buffer)
{
    static const struct simulated_rule rules[] = {{.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
                                                   .per_second = 1e9, .samples_per_window = 3, .sample_ip = 0x401000}};
    struct simulated_pmu *pmu = simulated_pmu_new(&(struct simulated_plan){.rules = rules, .rule_count = 1, .step_ns = 1000000});
    const struct kernel *kernel = simulated_pmu_kernel(pmu);
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .sample_period = 1000, .disabled = 1,
                                   .sample_type = PERF_SAMPLE_IP};
    int fd = kernel->perf_event_open(kernel->context, &attr, 0, -1, -1, 0);
    struct perf_event_mmap_page *page = kernel->mmap(kernel->context, 2 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    cr_assert_neq(page, MAP_FAILED);
    kernel->ioctl(kernel->context, fd, PERF_EVENT_IOC_ENABLE, 0);
    kernel->ioctl(kernel->context, fd, PERF_EVENT_IOC_DISABLE, 0);
    cr_assert_eq(page->data_head, 3u * 16);
    uint64_t ip;
    memcpy(&ip, (char *)page + page->data_offset + 8, sizeof(ip));
    cr_assert_eq(ip, 0x401000u);
    kernel->munmap(kernel->context, page, 2 * 4096);
    simulated_pmu_free(pmu);
}

/* ---- what the models share or lack -------------------------------------------------------------------------- */

static uint64_t read_member(const struct kernel *kernel, int leader, unsigned member)
{
    uint64_t words[64];
    cr_assert_gt(kernel->read(kernel->context, leader, words, sizeof(words)), 0);
    return words[3 + 2 * member];
}

#define SLOTS_RULE {.type = PERF_TYPE_RAW, .config = 0x0400, .needs = SIMULATED_HARDWARE, .fixed = 8, .per_second = 1e9}
#define FIELD_RULE {.type = PERF_TYPE_RAW, .config = 0x8000, .config_mask = 0xf0ff, .needs = SIMULATED_METRIC, .per_second = 1e6}

Test(simulated_pmu, fields_of_perf_metrics_are_lost_below_a_step)
{
    static const struct simulated_rule rules[] = {SLOTS_RULE, FIELD_RULE}; /* a thousandth: less than half a step */
    static const double shares[] = {0, 0.001}; /* rounded away; kept */
    for (unsigned steps = 0; steps < 2; steps++) {
        struct simulated_pmu *pmu = simulated_pmu_new(&(struct simulated_plan){
            .rules = rules, .rule_count = 2, .fixed = 4, .topdown_steps = steps ? SIMULATED_NO_STEPS : SIMULATED_ROUNDED});
        const struct kernel *kernel = simulated_pmu_kernel(pmu);
        int slots = open_event(kernel, PERF_TYPE_RAW, 0x0400, -1, true);
        cr_assert_geq(open_event(kernel, PERF_TYPE_RAW, 0x8000, slots, true), 0);
        kernel->ioctl(kernel->context, slots, PERF_EVENT_IOC_ENABLE, 0);
        simulated_pmu_run(pmu, 100000000);
        uint64_t all = read_member(kernel, slots, 0), field = read_member(kernel, slots, 1);
        cr_expect_eq(all, 100000000u);
        cr_expect_float_eq((double)field / (double)all, shares[steps], 1e-9);
        simulated_pmu_free(pmu);
    }
}

Test(simulated_pmu, each_read_of_perf_metrics_begins_anew)
{
    static const double rates[] = {0.5e9, 0.25e9};
    static const struct simulated_rule rules[] = {
        SLOTS_RULE, {.type = PERF_TYPE_RAW, .config = 0x8000, .needs = SIMULATED_METRIC, .phases_per_second = rates, .phase_count = 2, .phase_ns = 100000000}};
    struct simulated_pmu *pmu = simulated_pmu_new(&(struct simulated_plan){.rules = rules, .rule_count = 2, .fixed = 4, .topdown_steps = SIMULATED_CUT});
    const struct kernel *kernel = simulated_pmu_kernel(pmu);
    int slots = open_event(kernel, PERF_TYPE_RAW, 0x0400, -1, true);
    cr_assert_geq(open_event(kernel, PERF_TYPE_RAW, 0x8000, slots, true), 0);
    kernel->ioctl(kernel->context, slots, PERF_EVENT_IOC_ENABLE, 0);
    simulated_pmu_run(pmu, 100000000);
    cr_expect_eq(read_member(kernel, slots, 1), (uint64_t)(1e8 * 127 / 255), "127.5 of 255, cut");
    cr_expect_eq(read_member(kernel, slots, 1), (uint64_t)(1e8 * 127 / 255), "nothing went by");
    simulated_pmu_run(pmu, 100000000);
    cr_expect_eq(read_member(kernel, slots, 1), (uint64_t)(1e8 * 127 / 255 + 1e8 * 63 / 255));
    simulated_pmu_free(pmu);
}

Test(simulated_pmu, an_any_thread_event_counts_the_sibling)
{
    static const struct simulated_rule rules[] = {CYCLES,
        {.type = PERF_TYPE_RAW, .config = 0x20003c, .needs = SIMULATED_HARDWARE, .per_second = 1e9, .sibling_per_second = 5e8}};
    for (unsigned busy = 0; busy < 2; busy++) {
        struct simulated_pmu *pmu = simulated_pmu_new(&(struct simulated_plan){.rules = rules, .rule_count = 2, .programmable = 2, .sibling_busy = busy});
        const struct kernel *kernel = simulated_pmu_kernel(pmu);
        int leader = open_event(kernel, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, -1, true);
        cr_assert_geq(open_event(kernel, PERF_TYPE_RAW, 0x20003c, leader, true), 0);
        kernel->ioctl(kernel->context, leader, PERF_EVENT_IOC_ENABLE, 0);
        simulated_pmu_run(pmu, 10000000);
        cr_expect_eq(read_member(kernel, leader, 0), 10000000u);
        cr_expect_eq(read_member(kernel, leader, 1), busy ? 15000000u : 10000000u);
        simulated_pmu_free(pmu);
    }
}

Test(simulated_pmu, registers_have_room_for_so_many_values)
{
    static const struct simulated_rule rules[] = {{.type = PERF_TYPE_RAW, .config = 0x1b7, .needs = SIMULATED_HARDWARE,
                                                   .per_second = 1e6, .needs_register = SIMULATED_OFFCORE}};
    struct simulated_pmu *pmu = simulated_pmu_new(&(struct simulated_plan){
        .rules = rules, .rule_count = 1, .programmable = 8, .registers = {[SIMULATED_OFFCORE] = 2}});
    const struct kernel *kernel = simulated_pmu_kernel(pmu);
    static const uint64_t values[] = {1, 2, 1, 3};
    int leader = -1;
    for (unsigned at = 0; at < array_count(values); at++) {
        struct perf_event_attr attr = {.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = 0x1b7, .config1 = values[at]};
        int fd = kernel->perf_event_open(kernel->context, &attr, 0, -1, leader, 0);
        cr_expect_eq(fd >= 0, at < 3, "value %u", (unsigned)values[at]);
        leader = at ? leader : fd;
    }
    cr_expect_eq(errno, EINVAL);
    simulated_pmu_free(pmu);
}

Test(simulated_pmu, a_hybrid_task_is_counted_where_it_is)
{
    static const struct simulated_rule rules[] = {
        {.type = PERF_TYPE_RAW, .config = 1, .needs = SIMULATED_HARDWARE, .per_second = 1e9, .core = SIMULATED_BIG_CORE},
        {.type = PERF_TYPE_RAW, .config = 2, .needs = SIMULATED_HARDWARE, .per_second = 1e9, .core = SIMULATED_SMALL_CORE}};
    struct simulated_pmu *pmu = simulated_pmu_new(&(struct simulated_plan){
        .rules = rules, .rule_count = 2, .programmable = 1, .core_move_ns = 8000000});
    const struct kernel *kernel = simulated_pmu_kernel(pmu);
    int big = open_event(kernel, PERF_TYPE_RAW, 1, -1, false), small = open_event(kernel, PERF_TYPE_RAW, 2, -1, false);
    cr_expect_eq(open_event(kernel, PERF_TYPE_RAW, 2, big, false), -1, "a group can't have both");
    kernel->ioctl(kernel->context, big, PERF_EVENT_IOC_ENABLE, 0);
    kernel->ioctl(kernel->context, small, PERF_EVENT_IOC_ENABLE, 0);
    simulated_pmu_run(pmu, 24000000);
    uint64_t words[3];
    kernel->read(kernel->context, big, words, sizeof(words));
    cr_expect(words[0] == 16000000 && words[1] == 24000000 && words[2] == 16000000, "%lu of %lu", words[2], words[1]);
    kernel->read(kernel->context, small, words, sizeof(words));
    cr_expect(words[0] == 8000000 && words[2] == 8000000);
    cr_expect_float_eq(simulated_pmu_truth(pmu, PERF_TYPE_RAW, 1), 16e6, 1);
    simulated_pmu_free(pmu);
}

Test(simulated_pmu, noise_is_the_seeds)
{
    static const struct simulated_rule rules[] = {CYCLES};
    double truths[4];
    static const uint64_t seeds[] = {1, 1, 2, 0};
    for (unsigned at = 0; at < 4; at++) {
        struct simulated_pmu *pmu = simulated_pmu_new(&(struct simulated_plan){
            .rules = rules, .rule_count = 1, .programmable = 1, .noise = {.seed = seeds[at], .shared = 0.1, .own = 0.1, .run = 0.1}});
        simulated_pmu_run(pmu, 1000000000);
        truths[at] = simulated_pmu_truth(pmu, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
        simulated_pmu_free(pmu);
    }
    cr_expect_float_eq(truths[0], truths[1], 1e-6);
    cr_expect(truths[0] < truths[2] || truths[0] > truths[2]);
    cr_expect_float_eq(truths[3], 1e9, 1, "no seed, no noise");
    cr_expect(truths[0] > 0.5e9 && truths[0] < 1.5e9);
}
