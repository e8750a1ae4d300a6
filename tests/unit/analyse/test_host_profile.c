/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose time a profile of a host's CPUs shows, and of what its shares are. */
#include "test.h"

#include "analyse/profile/host_profile.h"
#include "base/vec.h"
#include "symbol/code_bundle.h"

Test(host_profile, names_are_told_by_the_longest_row)
{
    static const struct {
        const char *name;
        bool known;
        enum host_part part;
    } cases[] = {
        {"add_atomic_switch_msr.constprop.0", true, HOST_PROFILER}, {"perf_event_task_tick", true, HOST_PROFILER},
        {"perf_swevent_hrtimer", true, HOST_PROFILER},              {"vmx_vmexit", true, HOST_GUEST_ENTRY},
        {"__seamcall_saved_ret", true, HOST_GUEST_ENTRY},           {"kvm_load_host_xsave_state", true, HOST_GUEST_ENTRY},
        {"bpf_prog_6deef7357e7b4530", true, HOST_PROFILER},         {"vmx_vcpu_run.cold", true, HOST_GUEST_ENTRY},
        {"vmx_vcpu_runner", false, 0},                              {"do_syscall_64", false, 0},
        {"clear_page_erms", false, 0},                              {"perfect_work", false, 0},
        {"", false, 0},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        const struct host_symbol *row = host_symbol_find(cases[at].name);
        cr_expect_eq(row != NULL, cases[at].known, "%s", cases[at].name);
        cr_expect(!row || row->part == cases[at].part, "%s", cases[at].name);
    }
    cr_assert_null(host_symbol_find(NULL));
    for (size_t at = 0; at < host_symbol_row_count; at++)
        cr_assert_eq(host_symbol_find(host_symbol_rows[at].name), &host_symbol_rows[at], "%s", host_symbol_rows[at].name);
}

static uint8_t own_part(const char *name)
{
    return host_part_bit(host_symbol_find(name));
}

Test(host_profile, each_sample_is_laid_at_one_part)
{
    struct host_profile profile = {0};
    uint8_t clock = own_part("perf_swevent_hrtimer"), other = own_part("do_syscall_64"),
            guest = own_part("kvm_arch_vcpu_ioctl_run");
    const struct host_sample samples[] = {
        {.mode = CPU_MODE_GUEST_KERNEL, .weight = 10},
        {.mode = CPU_MODE_GUEST_USER, .weight = 20},
        {.mode = CPU_MODE_KERNEL, .name = "vmx_vmexit", .own = own_part("vmx_vmexit"), .callers = guest, .weight = 20},
        {.mode = CPU_MODE_KERNEL, .name = "add_atomic_switch_msr", .own = own_part("add_atomic_switch_msr"), .weight = 7},
        {.mode = CPU_MODE_KERNEL, .name = "unwind_next_frame", .own = own_part("unwind_next_frame"), .callers = clock, .weight = 3},
        {.mode = CPU_MODE_KERNEL, .name = "unwind_next_frame", .own = own_part("unwind_next_frame"), .callers = other, .weight = 5},
        {.mode = CPU_MODE_KERNEL, .name = "x86_decode_insn", .own = own_part("x86_decode_insn"), .callers = guest, .weight = 10},
        {.mode = CPU_MODE_KERNEL, .name = NULL, .weight = 5},
        {.mode = CPU_MODE_USER, .recorder = "perf", .weight = 4},
        {.mode = CPU_MODE_KERNEL, .name = "pv_native_safe_halt", .own = own_part("pv_native_safe_halt"), .is_idle = true, .weight = 6},
        {.mode = CPU_MODE_USER, .name = "perf_event_is_a_name_of_mine", .own = own_part("perf_event_is_a_name_of_mine"), .weight = 10},
    };
    for (size_t at = 0; at < array_count(samples); at++)
        host_profile_add(&profile, &samples[at]);
    host_profile_sort(&profile);
    static const double shares[] = {[HOST_GUEST] = 0.3, [HOST_GUEST_ENTRY] = 0.2, [HOST_GUEST_EXITS] = 0.1, [HOST_PROFILER] = 0.14, [HOST_IDLE] = 0.06,
                                    [HOST_KERNEL] = 0.1, [HOST_USER] = 0.1};
    for (enum host_part part = 0; part < HOST_PART_COUNT; part++)
        cr_expect_float_eq(host_profile_share(&profile, part), shares[part], 1e-9, "%s", host_part_key(part));
    cr_assert_float_eq(profile.guest_kernel + profile.guest_user, profile.weights[HOST_GUEST], 1e-9);
    cr_assert(profile.profiler_count == 3 && strcmp(profile.profiler[0].name, "add_atomic_switch_msr") == 0 &&
              strcmp(profile.profiler[1].name, "perf") == 0);
    struct host_profile empty = {0};
    cr_assert_eq(host_profile_share(&empty, HOST_IDLE), 0);
}

/* A program may be called as the recorder is; what the recorder forked is its own until it executes another program. */
Test(host_profile, the_recorder_is_told_by_its_process_not_by_its_name)
{
    static const struct {
        uint32_t pid, tid, parent;
        bool executed, own;
    } rows[] = {{100, 100, 50, true, true},    {100, 101, 100, false, true}, {102, 102, 100, false, true}, {103, 103, 102, false, true},
                {104, 104, 100, true, false}, {200, 200, 1, true, false},   {201, 201, 200, false, false}};
    for (size_t with = 0; with < 2; with++) {
        struct recording recording;
        struct recorded_event event = {.name = "cpu-clock", .counts_ns = true};
        struct code_bundle bundle = {.architecture = "x86_64"};
        struct host_profile profile;
        recording_init(&recording);
        recording.events = &event;
        recording.event_count = 1;
        recording.watcher_pid = with ? 100 : 0;
        uint32_t comm = strings_intern(&recording.strings, "plumb"), space = address_spaces_begin(&recording.spaces, 100);
        struct location location = {.dso = DSO_NONE, .space = space, .runtime_addr = 0x1000, .cpu_mode = CPU_MODE_USER};
        uint32_t at_code = samples_location(&recording.samples, &location);
        double own = 0;
        for (size_t at = 0; at < array_count(rows); at++) {
            uint32_t thread = threads_begin(&recording.threads, rows[at].pid, rows[at].tid, 0);
            recording.threads.items[thread].parent_pid = rows[at].parent;
            recording.threads.items[thread].has_executed = rows[at].executed;
            *vec_push(&recording.samples) = (struct sample){.period = 1, .thread = thread, .comm = comm, .location = at_code, .stack = STACK_NONE};
            own += with && rows[at].own;
        }
        host_profile_of(&profile, &recording, &bundle);
        cr_expect_float_eq(profile.weights[HOST_PROFILER], own, 1e-9, "%g", profile.weights[HOST_PROFILER]);
        cr_expect_float_eq(profile.weights[HOST_USER], array_count(rows) - own, 1e-9);
        recording_done(&recording);
    }
}

#define WORDS(...) (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

Test(host_profile, the_scope_comes_from_the_command_line)
{
    struct arena arena;
    arena_init(&arena);
    const struct {
        const char *const *words;
        size_t count;
        enum host_scope_kind kind;
        const char *list;
    } cases[] = {
        {WORDS("/usr/bin/perf", "record", "-C", "5", "-ag", "sleep", "4"), HOST_SCOPE_CPUS, "5"},
        {WORDS("perf", "record", "-ag", "-C5", "sleep", "4"), HOST_SCOPE_CPUS, "5"},
        {WORDS("perf", "record", "--cpu=0-3,8", "-g"), HOST_SCOPE_CPUS, "0-3,8"},
        {WORDS("plumb", "record", "-e", "cycles", "-a", "--", "sleep", "1"), HOST_SCOPE_MACHINE, NULL},
        {WORDS("perf", "record", "--call-graph", "dwarf", "--all-cpus"), HOST_SCOPE_MACHINE, NULL},
        {WORDS("perf", "record", "-F", "99", "-p", "12,13"), HOST_SCOPE_PROCESSES, "12,13"},
        {WORDS("perf", "record", "-g", "prog", "-a"), HOST_SCOPE_PROGRAM, NULL},
        {WORDS("perf", "record", "-o", "-a", "--", "prog"), HOST_SCOPE_PROGRAM, NULL},
        {WORDS("perf", "record", "-C"), HOST_SCOPE_CPUS, NULL},
        {WORDS("perf"), HOST_SCOPE_UNKNOWN, NULL},
        {NULL, 0, HOST_SCOPE_UNKNOWN, NULL},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct host_scope scope = host_scope_of(cases[at].words, cases[at].count, &arena);
        cr_expect_eq(scope.kind, cases[at].kind, "case %zu: %d", at, (int)scope.kind);
        cr_expect((!scope.list && !cases[at].list) || (scope.list && cases[at].list && strcmp(scope.list, cases[at].list) == 0), "case %zu", at);
    }
    cr_assert_str_eq(host_recorder_of(WORDS("/usr/bin/perf", "record")), "perf");
    cr_assert_null(host_recorder_of(NULL, 0));
    arena_done(&arena);
}

Test(host_profile, the_denominator_says_what_is_in_it)
{
    struct arena arena;
    arena_init(&arena);
    const struct host_whole clock = {.counts_ns = true, .event = "cpu-clock"};
    const struct host_whole cycles = {.event = "cycles", .without_guests = true};
    struct host_scope cpu = {HOST_SCOPE_CPUS, "5"}, all = {HOST_SCOPE_MACHINE, NULL}, program = {HOST_SCOPE_PROGRAM, NULL};
    cr_assert_str_eq(host_denominator(cpu, &clock, &arena), "the time of CPU 5, idle time included");
    const char *words = host_denominator(all, &cycles, &arena);
    cr_assert(strstr(words, "all 'cycles' of all CPUs") && strstr(words, "halted") && strstr(words, "exclude_guest"));
    cr_assert_str_eq(host_denominator(program, &clock, &arena), "the CPU time of the program that was started, with what it started");
    arena_done(&arena);
}
