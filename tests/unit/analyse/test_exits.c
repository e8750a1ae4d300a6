/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/exits/exit_comparison.h"
#include "base/vec.h"

#include <errno.h>

static struct exit_event event_at(enum exit_point point, uint64_t time_ns, uint32_t thread, uint32_t cpu, uint64_t reason)
{
    return (struct exit_event){.point = point, .isa = point == EXIT_POINT_EXIT ? EXIT_ISA_VMX : EXIT_ISA_NONE, .time_ns = time_ns,
                               .thread = thread, .cpu = cpu, .vcpu = -1, .reason = reason};
}

static void exit_of(struct exits *exits, uint32_t thread, uint64_t reason, uint64_t begin_ns, uint64_t ns)
{
    struct exit_event exit = event_at(EXIT_POINT_EXIT, begin_ns, thread, 0, reason);
    struct exit_event entry = event_at(EXIT_POINT_ENTRY, begin_ns + ns, thread, 0, 0);
    exits_add(exits, &exit);
    exits_add(exits, &entry);
}

Test(exits, buckets_hold_their_durations_within_an_eighth)
{
    for (uint64_t ns = 0; ns < (uint64_t)1 << 38; ns = ns < 64 ? ns + 1 : ns + ns / 7) {
        unsigned bucket = exit_bucket_of(ns);
        cr_assert(exit_bucket_start_ns(bucket) <= ns && ns < exit_bucket_start_ns(bucket + 1), "%llu", (unsigned long long)ns);
        cr_assert(ns < 8 || exit_bucket_start_ns(bucket + 1) - exit_bucket_start_ns(bucket) <= ns / 8 + 1);
    }
    cr_assert_eq(exit_bucket_of(UINT64_MAX), EXIT_BUCKETS - 1);
}

Test(exits, handler_times_are_the_threads_own_and_idle_is_apart)
{
    struct exits exits;
    struct arena arena;
    struct exit_table table;
    arena_init(&arena);
    exits_init(&exits);
    /* Two threads, interleaved: each exit ends with the next entry of the same thread. */
    struct exit_event first = event_at(EXIT_POINT_EXIT, 1000, 1, 0, 32), second = event_at(EXIT_POINT_EXIT, 1100, 2, 1, 32);
    struct exit_event back = event_at(EXIT_POINT_ENTRY, 1300, 2, 1, 0), moved = event_at(EXIT_POINT_ENTRY, 2000, 1, 5, 0);
    exits_add(&exits, &first);
    exits_add(&exits, &second);
    exits_add(&exits, &back);
    exits_add(&exits, &moved);
    for (uint64_t at = 0; at < 98; at++)
        exit_of(&exits, 1, 48, 10000 + at * 1000, 100 + at);
    exit_of(&exits, 1, 12, 200000, 5000000);
    exits.seconds = 0.01;
    struct exit_table_options options = {.only_vcpu = -1};
    exit_table_build(&table, &exits, &options, &arena);
    const struct exit_line *msr = exit_table_line(&table, EXIT_POINT_EXIT, "MSR_WRITE");
    const struct exit_line *violation = exit_table_line(&table, EXIT_POINT_EXIT, "EPT_VIOLATION");
    cr_assert(msr && msr->count == 2 && msr->min_ns.value == 200 && msr->max_ns.value == 1000 && msr->mean_ns.value == 600);
    cr_assert(violation && violation->count == 98 && violation->min_ns.value == 100 && violation->max_ns.value == 197);
    cr_assert_float_eq(violation->p50_ns.value, 148, 148 / 8.0);
    cr_assert_float_eq(violation->p99_ns.value, 196, 196 / 8.0);
    cr_assert(table.exits == 101 && table.idle == 1 && table.vcpu_count == 2 && table.migrations == 2);
    cr_assert_eq(table.lines[table.line_count - 1].class, EXIT_CLASS_IDLE);
    cr_assert_float_eq(table.idle_ns.value, 5e6, 1);
    cr_assert_float_eq(table.handler_ns.value, 1200 + 98 * 148.5, 1);
    cr_assert_float_eq(table.handler_share.value, (1200 + 98 * 148.5) / (2 * 0.01e9), 1e-9);
    exits_done(&exits);
    arena_done(&arena);
}

Test(exits, an_end_that_nobody_saw_is_no_time)
{
    struct exits exits;
    struct arena arena;
    struct exit_table table;
    arena_init(&arena);
    exits_init(&exits);
    struct exit_event entry = event_at(EXIT_POINT_ENTRY, 500, 1, 0, 0), exit = event_at(EXIT_POINT_EXIT, 1000, 1, 0, 99);
    exits_add(&exits, &entry);
    exits_add(&exits, &exit);
    struct exit_table_options options = {.only_vcpu = -1};
    exit_table_build(&table, &exits, &options, &arena);
    cr_assert(table.line_count == 1 && table.lines[0].count == 1 && !table.lines[0].mean_ns.known && !table.lines[0].p99_ns.known);
    cr_assert_str_eq(table.lines[0].name, "reason 99");
    cr_assert(!table.handler_share.known && !table.lines[0].per_second.known);
    exits_done(&exits);
    arena_done(&arena);
}

/* Both: 10 s of one vCPU; so many exits of so many ns each. */
static void side_build(struct exits *exits, struct exit_table *table, uint64_t count, double ns, struct arena *arena)
{
    struct exit_table_options options = {.only_vcpu = -1, .seconds = 10, .vcpus = 1};
    exits_init(exits);
    struct exit_tally *tally = exits_tally(exits, EXIT_POINT_EXIT, EXIT_ISA_VMX, 32, 0, exits_thread(exits, 1, 1));
    tally->count = tally->timed = count;
    tally->total_ns = ns * (double)count;
    exits->fires_exit = true;
    exit_table_build(table, exits, &options, arena);
}

Test(exits, comparison_decides_by_bounds_alone)
{
    static const struct {
        uint64_t count_a, count_b;
        double ns_a, ns_b, round_trip_us;
        enum exit_verdict verdict;
    } cases[] = {
        {1000, 1200, 1000, 1500, 0, EXIT_VERDICT_RULED_OUT},          /* 1200 x 21.5 us of 10 s */
        {100000, 100000, 1000, 1000, 0, EXIT_VERDICT_UNDECIDED},      /* 20 us each could be 20 % */
        {100000, 100000, 1000, 1000, 2, EXIT_VERDICT_RULED_OUT},      /* but 2 us are not */
        {100000, 100000, 1000, 30000, 2, EXIT_VERDICT_SUPPORTED},
        {100000, 100000, 30000, 1000, 2, EXIT_VERDICT_SUPPORTED},     /* the other way round */
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct exits a, b;
        struct exit_table table_a, table_b;
        struct exit_comparison comparison;
        struct arena arena;
        arena_init(&arena);
        side_build(&a, &table_a, cases[at].count_a, cases[at].ns_a, &arena);
        side_build(&b, &table_b, cases[at].count_b, cases[at].ns_b, &arena);
        exit_compare(&comparison, &table_a, &table_b, 0.05, cases[at].round_trip_us, cases[at].round_trip_us, &arena);
        cr_expect_eq(comparison.verdict, cases[at].verdict, "case %zu: %g to %g", at, comparison.gap_low.value, comparison.gap_high.value);
        cr_expect(comparison.verdict != EXIT_VERDICT_UNDECIDED || comparison.why);
        exits_done(&a);
        exits_done(&b);
        arena_done(&arena);
    }
}

Test(exits, a_ceiling_does_not_bound_what_the_monitor_may_have_handled)
{
    static const struct {
        uint64_t reason;
        double round_trip_us;
        bool known;
    } cases[] = {{30, 0, false}, {30, 50, true}, {48, 0, false}, {49, 0, false}, {32, 0, true}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct exits a, b;
        struct exit_table table_a, table_b;
        struct exit_comparison comparison;
        struct exit_table_options options = {.only_vcpu = -1, .seconds = 10, .vcpus = 1};
        struct arena arena;
        arena_init(&arena);
        side_build(&a, &table_a, 1000, 1000, &arena);
        exits_init(&b);
        exits_tally(&b, EXIT_POINT_EXIT, EXIT_ISA_VMX, cases[at].reason, 0, exits_thread(&b, 1, 1))->count = 100; /* none was timed */
        b.fires_exit = true;
        exit_table_build(&table_b, &b, &options, &arena);
        exit_compare(&comparison, &table_a, &table_b, 0.05, cases[at].round_trip_us, cases[at].round_trip_us, &arena);
        cr_expect_eq(comparison.burden_b.high.known, cases[at].known, "case %zu", at);
        cr_expect_eq(comparison.verdict, cases[at].known ? EXIT_VERDICT_RULED_OUT : EXIT_VERDICT_UNDECIDED, "case %zu", at);
        exits_done(&a);
        exits_done(&b);
        arena_done(&arena);
    }
}

/* The armings that are exact: each write's MSR is known, be it of the TSC's deadline, of Hyper-V's timer or of an APIC's page. */
Test(exits, armings_are_exact_only_when_each_write_is_known)
{
    static const struct {
        enum exit_point point;
        uint64_t reason, value, count, used, armings;
        bool exact;
    } cases[] = {
        {EXIT_POINT_MSR, 1, 0x6e0, 7, 7, 7, true},     {EXIT_POINT_MSR, 1, 0x400000b1, 7, 7, 7, true}, {EXIT_POINT_MSR, 1, 0x10, 7, 7, 0, true},
        {EXIT_POINT_MSR, 0, 0x6e0, 7, 7, 0, true},     {EXIT_POINT_MSR, 1, 0x6e0, 7, 5, 9, false},     {EXIT_POINT_MSR, UINT64_MAX, 0, 7, 0, 9, false},
        {EXIT_POINT_MMIO, 2, 0xfee00380, 7, 7, 7, true},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct exits exits;
        struct exit_table table;
        struct arena arena;
        struct exit_table_options options = {.only_vcpu = -1};
        arena_init(&arena);
        exits_init(&exits);
        exits_tally(&exits, EXIT_POINT_EXIT, EXIT_ISA_VMX, 32, 0, exits_thread(&exits, 1, 1))->count = 9;
        exits_tally(&exits, cases[at].point, EXIT_ISA_NONE, cases[at].reason, 0, 0)->count = cases[at].count;
        exits.fires_exit = exits.watches[EXIT_POINT_MSR] = true;
        if (cases[at].used)
            exits_use(&exits, &(struct exit_use){.point = cases[at].point, .reason = cases[at].reason, .value = cases[at].value, .count = cases[at].used});
        exit_table_build(&table, &exits, &options, &arena);
        cr_expect(table.armings == cases[at].armings && table.armings_exact == cases[at].exact, "case %zu: %llu", at, (unsigned long long)table.armings);
        exits_done(&exits);
        arena_done(&arena);
    }
}

Test(exits, a_memory_fault_keeps_its_reason)
{
    static const struct {
        uint64_t reason;
        int number;
        const char *name;
    } cases[] = {{39, -EFAULT, "KVM_EXIT_MEMORY_FAULT"}, {39, -EHWPOISON, "KVM_EXIT_MEMORY_FAULT"}, {39, -EINTR, "interrupted by a signal"},
                 {2, -EFAULT, "error 14"}, {2, 0, "KVM_EXIT_IO"}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct exits exits;
        struct exit_table table;
        struct arena arena;
        struct exit_table_options options = {.only_vcpu = -1};
        struct exit_event event = event_at(EXIT_POINT_USERSPACE, 1, 1, 0, cases[at].reason);
        event.object = (uint32_t)cases[at].number;
        event.has_object = true;
        arena_init(&arena);
        exits_init(&exits);
        exits_add(&exits, &event);
        exit_table_build(&table, &exits, &options, &arena);
        cr_expect_str_eq(table.lines[0].name, cases[at].name);
        exits_done(&exits);
        arena_done(&arena);
    }
}

Test(exits, calls_of_tdx_guests_have_their_leaf)
{
    struct exits exits;
    struct exit_table table;
    struct arena arena;
    struct exit_table_options options = {.only_vcpu = -1};
    static const uint64_t leaves[] = {32, 0x10001, 0x77777};
    struct exit_event named = event_at(EXIT_POINT_TDVMCALL, 5, 1, 0, 0);
    named.name = view_of("MSR_WRITE");
    arena_init(&arena);
    exits_init(&exits);
    exits_add(&exits, &named);
    for (size_t at = 0; at < array_count(leaves); at++) {
        struct exit_event event = event_at(EXIT_POINT_TDVMCALL, 10 + at, 1, 0, leaves[at]);
        exits_add(&exits, &event);
    }
    exit_table_build(&table, &exits, &options, &arena);
    const struct exit_line *write = exit_table_line(&table, EXIT_POINT_TDVMCALL, "TDVMCALL MSR_WRITE");
    cr_assert(write && write->count == 2 && table.line_count == 3);
    cr_assert(exit_table_line(&table, EXIT_POINT_TDVMCALL, "TDVMCALL MapGPA") && exit_table_line(&table, EXIT_POINT_TDVMCALL, "TDVMCALL 0x77777"));
    exits_done(&exits);
    arena_done(&arena);
}

/* Any number of reasons: as many as are kept apart, all counted, and no time by their square. */
Test(exits, hostile_reasons_are_bounded)
{
    enum { REASONS = 200000 };
    struct exits exits;
    struct exit_table table;
    struct arena arena;
    struct exit_table_options options = {.only_vcpu = -1};
    uint64_t sum = 0;
    arena_init(&arena);
    exits_init(&exits);
    for (uint64_t at = 0; at < REASONS; at++) {
        char name[24];
        struct exit_event event = event_at(EXIT_POINT_EXIT, at, 1, 0, at);
        snprintf(name, sizeof(name), "R%llu", (unsigned long long)at);
        if (at % 2)
            event.name = view_of(name);
        exits_add(&exits, &event);
    }
    exit_table_build(&table, &exits, &options, &arena);
    for (size_t at = 0; at < table.line_count; at++)
        sum += table.lines[at].count;
    const struct exit_line *more = exit_table_line(&table, EXIT_POINT_EXIT, EXIT_MORE_REASONS);
    cr_assert(sum == REASONS && table.exits == REASONS && table.line_count <= 4100 && more && more->count > REASONS / 2);
    cr_assert(exits.tally_count <= EXIT_TALLIES_MOST + EXIT_POINT_COUNT && exits.name_count <= EXIT_NAMES_MOST);
    exits_done(&exits);
    arena_done(&arena);
}

Test(exits, reasons_have_one_name)
{
    cr_assert_str_eq(exit_reason_named(EXIT_ISA_NONE, "EXIT_REASON_EPT_MISCONF")->name, "EPT_MISCONFIG");
    cr_assert_eq(exit_reason_named(EXIT_ISA_NONE, "hlt")->isa, EXIT_ISA_SVM);
    cr_assert_eq(exit_reason_named(EXIT_ISA_NONE, "HLT")->isa, EXIT_ISA_VMX);
    cr_assert_str_eq(exit_reason_named(EXIT_ISA_NONE, "intr")->name, "interrupt");
    cr_assert_eq(exit_reason_named(EXIT_ISA_NONE, "TDCALL")->number, 77);
    cr_assert_eq(exit_reason_named(EXIT_ISA_NONE, "SEAMCALL")->number, 76);
    /* Intel SDM, table C-1 */
    static const struct {
        uint64_t number;
        const char *name;
    } rows[] = {{33, "INVALID_STATE"}, {52, "PREEMPTION_TIMER"}, {66, "SPP_EVENT"}, {67, "UMWAIT"}, {68, "TPAUSE"}, {69, "LOADIWKEY"}, {70, "ENCLV"}, {72, "ENQCMD_PASID"},
                {73, "ENQCMDS_PASID"}, {74, "BUS_LOCK"}, {75, "NOTIFY"}, {78, "RDMSRLIST"}, {79, "WRMSRLIST"}, {85, "MSR_WRITE_IMM"}};
    for (size_t at = 0; at < array_count(rows); at++)
        cr_expect_str_eq(exit_reason_find(EXIT_ISA_VMX, rows[at].number)->name, rows[at].name);
    cr_assert_null(exit_reason_find(EXIT_ISA_VMX, 71));
    cr_assert_null(exit_reason_find(EXIT_ISA_VMX, 4000));
    cr_assert_null(exit_reason_named(EXIT_ISA_NONE, "no such reason"));
}
