/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/vec.h"
#include "decode/exits/exit_text.h"
#include "decode/exits/tracepoint_fields.h"

static const struct {
    const char *line;
    enum exit_point point;
    uint32_t thread, process, cpu;
    int64_t vcpu;
    uint64_t time_ns, reason, object, rip;
    const char *name;
} events[] = {
    {"  CPU 0/KVM-1234  [003] d..1.  100.000100: kvm_exit: vcpu 0 reason EPT_VIOLATION rip 0xffffffff81000010 info1 0x182", EXIT_POINT_EXIT, 1234, 0, 3, 0,
     100000100000, 0, 0, 0xffffffff81000010, "EPT_VIOLATION"},
    {"qemu-kvm-1240  (1233) [001] 100.000200: kvm_exit:   reason MSR_WRITE rip 0x20 info 0 0", EXIT_POINT_EXIT, 1240, 1233, 1, -1, 100000200000, 0, 0, 0x20,
     "MSR_WRITE"},
    {"CPU 1/KVM  1233/1241 [000]   101.000000007: kvm:kvm_exit: vcpu 2 reason PF excp rip 0x30 info1 0x0", EXIT_POINT_EXIT, 1241, 1233, 0, 2, 101000000007, 0, 0,
     0x30, "PF excp"},
    {"qemu-7 [010] .... 5.5: kvm_exit: reason npf rip 0x1", EXIT_POINT_EXIT, 7, 0, 10, -1, 5500000000, 0, 0, 1, "npf"},
    {"qemu-7 [010] .... 5.5: kvm_exit: reason UNKNOWN (77) rip 0x1", EXIT_POINT_EXIT, 7, 0, 10, -1, 5500000000, 77, 0, 1, ""},
    {"qemu-7 [010] .... 5.5: kvm_exit: vcpu 3 reason 0x4d rip 0x1", EXIT_POINT_EXIT, 7, 0, 10, 3, 5500000000, 77, 0, 1, ""},
    {"qemu-7 [010] .... 5.5: kvm_entry: vcpu 3, rip 0x10", EXIT_POINT_ENTRY, 7, 0, 10, 3, 5500000000, 0, 0, 0, ""},
    {"   host.dat:  qemu-7  [010]  5.500000: (+5)  kvm_entry:  vcpu 3", EXIT_POINT_ENTRY, 7, 0, 10, 3, 5500000000, 0, 0, 0, ""},
    {"qemu 7 [010] 5.5:          1   kvm:kvm_entry: vcpu 3, rip 0x1", EXIT_POINT_ENTRY, 7, 0, 10, 3, 5500000000, 0, 0, 0, ""},
    {"qemu-7 [010] 5.5: kvm_entry: vcpu 3", EXIT_POINT_ENTRY, 7, 0, 10, 3, 5500000000, 0, 0, 0, ""},
    {"qemu-7 [010] 5.5: kvm_msr: msr_write 6e0 = 0x12", EXIT_POINT_MSR, 7, 0, 10, -1, 5500000000, 1, 0x6e0, 0, ""},
    {"qemu-7 [010] 5.5: kvm_pio: pio_read at 0x3f8 size 1 count 1 val 0x0 ", EXIT_POINT_PIO, 7, 0, 10, -1, 5500000000, 0, 0x3f8, 0, ""},
    {"qemu-7 [010] 5.5: kvm_mmio: mmio write len 4 gpa 0xfee000b0 val 0x0", EXIT_POINT_MMIO, 7, 0, 10, -1, 5500000000, 2, 0xfee000b0, 0, ""},
    {"qemu-7 [010] 5.5: kvm_cpuid: func 40000000 idx 0 rax 1", EXIT_POINT_CPUID, 7, 0, 10, -1, 5500000000, 0, 0x40000000, 0, ""},
    {"qemu-7 [010] 5.5: kvm_userspace_exit: reason KVM_EXIT_IO (2)", EXIT_POINT_USERSPACE, 7, 0, 10, -1, 5500000000, 2, 0, 0, ""},
    {"qemu-7 [010] 5.5: kvm_userspace_exit: reason restart (4)", EXIT_POINT_USERSPACE, 7, 0, 10, -1, 5500000000, 4, (uint64_t)-4, 0, ""},
    {"qemu-7 [010] 5.5: kvm_userspace_exit: reason error (14)", EXIT_POINT_USERSPACE, 7, 0, 10, -1, 5500000000, 14, (uint64_t)-14, 0, ""},
    {"qemu-7 [010] 5.5: kvm_userspace_exit: reason 0x29 (41)", EXIT_POINT_USERSPACE, 7, 0, 10, -1, 5500000000, 41, 0, 0, ""},
    {"qemu-7 [010] 5.5: kvm_tdvmcall: rip: 1f0 reason: MSR_WRITE p1: 6e0 p2: 0 p3: 0 p4: 0", EXIT_POINT_TDVMCALL, 7, 0, 10, -1, 5500000000, 0, 0, 0x1f0, "MSR_WRITE"},
    {"qemu-7 [010] 5.5: kvm_tdvmcall: rip: 1f0 reason: 0x10001 p1: 6e0 p2: 0 p3: 0 p4: 0", EXIT_POINT_TDVMCALL, 7, 0, 10, -1, 5500000000, 0x10001, 0, 0x1f0, ""},
    {"qemu-7 [010] 5.5: kvm_mmu_set_spte: gfn 1 spte 2 (rwx-) level 2 at 5", EXIT_POINT_SET_SPTE, 7, 0, 10, -1, 5500000000, 2, 0, 0, ""},
    {"qemu-7 [010] 5.5: kvm_emulate_insn: 0:fff0:ea 5b (real)", EXIT_POINT_EMULATE, 7, 0, 10, -1, 5500000000, 0, 0, 0xfff0, ""},
};

static const char *const no_events[] = {
    "", "[", "[0]", "[0] ", "[0] 1.0: kvm_exit: reason X rip 0x1", "a-1 [0] 1.0 kvm_exit: reason X rip 1", "a-1 [0] 1.0: kvm_exit: rip 1",
    "a-1 [0] 1.0: kvm_exit: reason  rip 1", "a-1 [99999999999] 1.0: kvm_entry: vcpu 0", "a-99999999999 [0] 1.0: kvm_entry: vcpu 0",
    "a-1 [0] 99999999999999999999.0: kvm_entry: vcpu 0", "a-1 [0] 1.0: sched_switch: prev", "a-1 [0] 1.0: kvm_userspace_exit: reason", "a-1 [0] :",
    "a-1 [0] 1.0123456789: kvm_entry: vcpu 0", "a-1 [0] 1.0: kvm_tdvmcall: rip: 1 reason: p1: 0", ") [0] 1.0: kvm_entry:",
};

static const struct {
    const char *line, *name;
    bool has_number, has_times, has_range;
    double count, seconds;
} rows[] = {
    {"@reason[48]: 5121   EXIT_REASON_EPT_VIOLATION ", "EXIT_REASON_EPT_VIOLATION", true, false, false, 5121, 0},
    {"@[12]: 3", "12", true, false, false, 3, 0},
    {"@r[1, 0x30]: 3", "0x30", true, false, false, 3, 0},
    {"@exits[HLT]: 3", "HLT", false, false, false, 3, 0},
    {"  MSR_WRITE  1000  49.5%  8.1%  0.50us  40.21us  2.00us ( +- 1.2% )", "MSR_WRITE", false, true, true, 1000, 0.002},
    {"  HLT  10  49.5%  8.1%  2.00ms ( +- 1.2% )", "HLT", false, true, false, 10, 0.02},
    {"  MSR_WRITE  1000  49,5%  8,1%  0,50us  40,21us  2,00us ( +- 1,2% )", "MSR_WRITE", false, true, true, 1000, 0.002},
    {"  PF excp  20  10.00%  20000  0.40%  2000  500  1000", "PF excp", false, true, true, 20, 20e-6},
};

static const char *const no_rows[] = {"", "@", "@a[1]:", "@a[1]: x", "@a[]: 1", "@a[1] 1", "HLT 10", "HLT 10 5%", "HLT 10 5% 5% 3us 1us 2us", "HLT 10 5% 7 5% 1 2 3",
                                      "10 5% 5% 1us 1us 1us", "Total Samples:2421, Total events handled time:1946040.48us.", "a 1.5 5% 5% 1us 1us 1us"};

Test(exit_text, events)
{
    for (size_t at = 0; at < array_count(events); at++) {
        struct exit_event event;
        cr_assert(exit_text_event(view_of(events[at].line), &event), "%s", events[at].line);
        cr_expect(event.point == events[at].point && event.thread == events[at].thread && event.process == events[at].process && event.cpu == events[at].cpu &&
                      event.vcpu == events[at].vcpu && event.time_ns == events[at].time_ns && event.reason == events[at].reason &&
                      event.object == events[at].object && event.rip == events[at].rip && (event.name.length ? view_equal(event.name, events[at].name) : !events[at].name[0]),
                  "%s", events[at].line);
    }
    for (size_t at = 0; at < array_count(no_events); at++) {
        struct exit_event event;
        cr_expect_not(exit_text_event(view_of(no_events[at]), &event), "%s", no_events[at]);
    }
}

Test(exit_text, rows)
{
    for (size_t at = 0; at < array_count(rows); at++) {
        struct exit_row row;
        cr_assert(exit_text_row(view_of(rows[at].line), &row), "%s", rows[at].line);
        cr_expect(view_equal(row.name, rows[at].name) && row.has_number == rows[at].has_number && row.has_times == rows[at].has_times &&
                      row.has_range == rows[at].has_range && row.count == rows[at].count,
                  "%s: %.*s %g", rows[at].line, (int)row.name.length, row.name.text, row.count);
        cr_expect_float_eq(row.seconds, rows[at].seconds, 1e-9, "%s", rows[at].line);
    }
    for (size_t at = 0; at < array_count(no_rows); at++) {
        struct exit_row row;
        cr_expect_not(exit_text_row(view_of(no_rows[at]), &row), "%s", no_rows[at]);
    }
}

Test(exit_text, losses)
{
    uint64_t count;
    cr_assert(exit_text_lost(view_of("CPU:2 [LOST 1234 EVENTS]"), &count) && count == 1234);
    cr_assert(exit_text_lost(view_of("CPU:2 [77 EVENTS DROPPED]"), &count) && count == 77);
    cr_assert(exit_text_lost(view_of("CPU:2 [EVENTS DROPPED]"), &count) && count == 1);
    cr_assert(exit_text_lost(view_of(" CPU 0/KVM  1234 [003]   100.000205: PERF_RECORD_LOST lost 17"), &count) && count == 17);
    cr_assert(exit_text_lost(view_of("# Total Lost Samples: 3"), &count) && count == 3);
    cr_assert(exit_text_lost(view_of("Lost events: 8"), &count) && count == 8);
    cr_assert_not(exit_text_lost(view_of("CPU:2 [EVENTS]"), &count));
    cr_assert_not(exit_text_lost(view_of("PERF_RECORD_LOST lost x"), &count));
}

Test(exit_text, the_map_that_counts_exits)
{
    cr_expect(view_equal(exit_text_map(view_of("@start[12]: 7\n@exits[1]: 3\n@reason[48]: 5\n")), "reason"));
    cr_expect(view_equal(exit_text_map(view_of("@start[12]: 7\n@exits[1]: 3\n")), "exits"));
    cr_expect(view_equal(exit_text_map(view_of("x\n  @a[12]: 7\n@b[1]: 3\n")), "a"));
    cr_expect(exit_text_map(view_of("@[12]: 7\n")).text && !exit_text_map(view_of("HLT 1 2% 3% 1us\n")).text);
}

static void try_bytes(const void *bytes, size_t size)
{
    struct edge edge = edge_copy(bytes, size);
    struct view line = {(char *)edge.bytes, size};
    struct exit_event event;
    struct exit_row row;
    uint64_t count;
    (void)exit_text_event(line, &event);
    (void)exit_text_row(line, &row);
    (void)exit_text_lost(line, &count);
    (void)exit_text_map(line);
    edge_free(&edge);
}

/* Cut at every length, and each bit flipped. */
static void try_line(const char *line)
{
    size_t length = strlen(line);
    char copy[256];
    cr_assert(length < sizeof(copy));
    for (size_t at = 0; at <= length; at++)
        try_bytes(line, at);
    for (size_t bit = 0; bit < 8 * length; bit++) {
        memcpy(copy, line, length);
        copy[bit / 8] ^= (char)(1 << bit % 8);
        try_bytes(copy, length);
    }
}

Test(exit_text, survives_cuts_and_flips)
{
    for (size_t at = 0; at < array_count(events); at++)
        try_line(events[at].line);
    for (size_t at = 0; at < array_count(rows); at++)
        try_line(rows[at].line);
    try_line("CPU:2 [LOST 1234 EVENTS]");
    try_line("CPU 0/KVM  1234 [003] 100.000205: PERF_RECORD_LOST lost 17");
}

static const char format[] =
    "name: kvm_exit\nID: 103\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
    "\tfield:unsigned int exit_reason;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:int small;\toffset:12;\tsize:2;\tsigned:1;\n"
    "\tfield:char name[16];\toffset:16;\tsize:16;\tsigned:0;\n\n"
    "print fmt: \"%s\", __print_symbolic(REC->exit_reason & 0xffff, { 0, \"EXCEPTION_NMI\" }, { 0x40 + 3, \"KVM_\" \"BP\" }, { -1, \"bad\" })\n";

struct words {
    uint64_t numbers[8];
    char words[8][32];
    size_t count;
};

static void keep(void *context, uint64_t number, struct view word)
{
    struct words *words = context;
    cr_assert(words->count < 8 && word.length < 32);
    words->numbers[words->count] = number;
    memcpy(words->words[words->count++], word.text, word.length);
}

Test(tracepoint_fields, are_found_by_name)
{
    struct view text = view_of(format), name;
    uint64_t id;
    cr_assert(tracepoint_name_of(text, &name, &id) && id == 103 && view_equal(name, "kvm_exit"));
    struct tracepoint_field reason = tracepoint_field_find(text, "exit_reason"), small = tracepoint_field_find(text, "small");
    cr_assert(reason.offset == 8 && reason.bytes == 4 && !reason.is_signed);
    cr_assert_eq(tracepoint_field_find(text, "reason").bytes, 0);
    cr_assert_eq(tracepoint_field_find(text, "name").bytes, 0);
    uint8_t record[14] = {[8] = 48, [12] = 0xfc, [13] = 0xff};
    struct bytes in = bytes_of(record, sizeof(record), false);
    cr_assert(tracepoint_field_read(&reason, &in) == 48 && (int64_t)tracepoint_field_read(&small, &in) == -4 && !in.failed);
    in = bytes_of(record, 13, false);
    (void)tracepoint_field_read(&small, &in);
    cr_assert(in.failed);
}

Test(tracepoint_fields, words_of_numbers)
{
    struct words words = {0};
    cr_assert_eq(tracepoint_words(view_of(format), 0, keep, &words), 3);
    cr_assert(words.numbers[1] == 0x43 && strcmp(words.words[1], "KVM_BP") == 0 && words.numbers[2] == UINT32_MAX);
    cr_assert_eq(tracepoint_words(view_of(format), 1, keep, &words), 0);
}

Test(tracepoint_fields, survive_cuts_and_flips)
{
    char copy[sizeof(format)];
    for (size_t at = 0; at < 9 * sizeof(format); at++) {
        size_t length = at < sizeof(format) ? at : sizeof(format) - 1;
        memcpy(copy, format, sizeof(format));
        if (at >= sizeof(format))
            copy[(at - sizeof(format)) / 8] ^= (char)(1 << at % 8);
        struct edge edge = edge_copy(copy, length);
        struct view text = {(char *)edge.bytes, length}, name;
        struct words words = {0};
        uint64_t id;
        (void)tracepoint_name_of(text, &name, &id);
        (void)tracepoint_field_find(text, "exit_reason");
        (void)tracepoint_words(text, 0, keep, &words);
        edge_free(&edge);
    }
}
