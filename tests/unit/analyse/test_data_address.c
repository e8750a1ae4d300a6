/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/memory/data_address.h"
#include "base/vec.h"

#include <criterion/criterion.h>

static uint64_t random_u64(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

enum { SAMPLES = 3000 };

/* ---- working sets: the access patterns whose sizes are known by construction ---- */

struct set_case {
    const char *what;
    uint64_t units, unit_bytes, step_bytes; /* addresses: step_bytes * random(units), within unit_bytes */
    double line_kib, page_kib;              /* truth; 0: too large to be seen at that grain */
};

static const struct set_case set_cases[] = {
    {"16 KiB, as a first-level cache holds", 2048, 8, 8, 16, 16},
    {"64 B counter", 8, 8, 8, 0.0625, 4},
    {"512 KiB chase", 8192, 8, 64, 512, 512},
    {"8 MiB gather", 1048576, 8, 8, 8192, 8192},
    {"one line a page in 1 GiB", 262144, 8, 4096, 16384, 1048576},
    {"256 MiB list", 4194304, 8, 64, 0, 262144},
    {"512 MiB gather", 67108864, 8, 8, 0, 524288},
};

Test(data_address, working_sets_within_a_factor_of_two)
{
    uint64_t state = 88172645463325252u;
    for (size_t at = 0; at < array_count(set_cases); at++) {
        const struct set_case *one = &set_cases[at];
        struct data_address addresses[SAMPLES];
        for (size_t sample = 0; sample < SAMPLES; sample++)
            addresses[sample] = (struct data_address){
                .addr = 0x7f0000000000 + random_u64(&state) % one->units * one->step_bytes, .time_ns = sample};
        struct data_summary summary = data_summary_of(addresses, SAMPLES);
        cr_assert(summary.known, "%s", one->what);
        if (one->line_kib > 0) {
            cr_assert(summary.line_bytes.known, "%s", one->what);
            double ratio = summary.line_bytes.mid / 1024 / one->line_kib;
            cr_assert(ratio > 0.5 && ratio < 2, "%s: lines off by %.2f", one->what, ratio);
            cr_assert(summary.line_bytes.low <= summary.line_bytes.mid && summary.line_bytes.mid <= summary.line_bytes.high);
        }
        double ratio = summary.page_bytes.mid / 1024 / one->page_kib;
        cr_assert(summary.page_bytes.known && ratio > 0.5 && ratio < 2, "%s: pages off by %.2f", one->what, ratio);
        cr_assert(summary.pattern == PATTERN_IRREGULAR || one->units == 8, "%s: %s", one->what, data_pattern_name(summary.pattern));
    }
}

Test(data_address, a_page_to_line_ratio_shows_what_strains_the_tlb)
{
    uint64_t state = 12345;
    struct data_address addresses[SAMPLES];
    for (size_t at = 0; at < SAMPLES; at++)
        addresses[at] = (struct data_address){.addr = random_u64(&state) % 65536 * 4096, .time_ns = at};
    struct data_summary summary = data_summary_of(addresses, SAMPLES);
    cr_assert(summary.page_line_ratio > 40 && summary.page_line_ratio < 90, "%f", summary.page_line_ratio);
}

Test(data_address, without_a_collision_only_a_lower_bound_is_claimed)
{
    struct data_address addresses[SAMPLES];
    for (uint64_t at = 0; at < SAMPLES; at++)
        addresses[at] = (struct data_address){.addr = (at * 2654435761u % SAMPLES) << 20, .time_ns = at};
    struct data_summary summary = data_summary_of(addresses, SAMPLES);
    cr_assert(summary.known && !summary.line_bytes.known && !summary.page_bytes.known);
    cr_assert(summary.line_bytes_least > 0 && summary.page_bytes_least > summary.line_bytes_least);
    cr_assert_eq(summary.page_line_ratio, 0);
}

Test(data_address, too_few_say_nothing)
{
    struct data_address addresses[DATA_ADDRESSES_LEAST] = {{0}};
    struct data_summary summary = data_summary_of(addresses, DATA_ADDRESSES_LEAST - 1);
    cr_assert(!summary.known && summary.reason);
    cr_assert(!summary.line_bytes.known);
    cr_assert(data_summary_of(addresses, DATA_ADDRESSES_LEAST).known);
}

/* ---- patterns ---- */

static struct data_summary sampled_walk(uint64_t rows, uint64_t row_bytes, uint64_t columns, uint64_t column_bytes,
                                        uint64_t steps_between)
{
    struct data_address addresses[SAMPLES];
    uint64_t place = 0, state = 99;
    for (size_t at = 0; at < SAMPLES; at++) {
        addresses[at] = (struct data_address){
            .addr = 0x10000000 + place % rows * row_bytes + place / rows % columns * column_bytes, .time_ns = at};
        place += steps_between + random_u64(&state) % (steps_between / 4 + 1);
    }
    return data_summary_of(addresses, SAMPLES);
}

Test(data_address, strides_are_seen_although_sweeps_begin_anew_beside_the_last)
{
    static const struct {
        uint64_t rows, row_bytes, columns, column_bytes, between;
    } walks[] = {{16384, 16384, 64, 4, 20000}, {4096, 16384, 64, 4, 700}, {8192, 65536, 16, 8, 9001}, {3000, 20000, 64, 4, 500}};
    for (size_t at = 0; at < array_count(walks); at++) {
        struct data_summary summary =
            sampled_walk(walks[at].rows, walks[at].row_bytes, walks[at].columns, walks[at].column_bytes, walks[at].between);
        cr_assert_eq(summary.pattern, PATTERN_STRIDED, "walk %zu: %s", at, data_pattern_name(summary.pattern));
        cr_assert_eq(summary.stride_bytes, walks[at].row_bytes, "walk %zu: %lu", at, summary.stride_bytes);
    }
}

Test(data_address, a_sweep_is_sequential_and_random_order_has_no_stride)
{
    struct data_summary sweep = sampled_walk(100000000, 8, 1, 0, 3000);
    cr_assert_eq(sweep.pattern, PATTERN_SEQUENTIAL);
    cr_assert_eq(sweep.stride_bytes, 8);
    uint64_t state = 5;
    struct data_address addresses[SAMPLES];
    for (size_t at = 0; at < SAMPLES; at++)
        addresses[at] = (struct data_address){.addr = random_u64(&state) % 1000000 * 64, .time_ns = at};
    struct data_summary random = data_summary_of(addresses, SAMPLES);
    cr_assert_eq(random.pattern, PATTERN_IRREGULAR, "%s", data_pattern_name(random.pattern));
    cr_assert_eq(random.stride_bytes, 0);
    for (size_t at = 0; at < SAMPLES; at++)
        addresses[at].addr = 0x1000;
    cr_assert_eq(data_summary_of(addresses, SAMPLES).pattern, PATTERN_FIXED);
}

/* ---- operands ---- */

static bool register_of(const void *context, unsigned number, uint64_t *ret_value)
{
    const uint64_t *values = context;
    if (number >= 24)
        return false;
    *ret_value = values[number];
    return true;
}

Test(data_address, operands_by_registers)
{
    enum { RAX, RBX, RCX, FS = 14 };
    static const uint64_t registers[24] = {[RAX] = 0x1000, [RBX] = 0x20, [RCX] = 0xffffffff00000002};
    struct memory_operand plain = {.base = RAX, .index = REGISTER_NONE, .scale = 1, .segment = REGISTER_NONE,
                                   .displacement = -8, .is_present = true, .size_bytes = 8};
    struct instruction load = {.class = INSTRUCTION_LOAD, .is_load = true, .memory = plain, .length = 4};
    uint64_t addr;
    bool is_next;
    enum data_refusal refusal;
    cr_assert(operand_address(&load, 0, register_of, registers, &addr, &is_next, &refusal));
    cr_assert(addr == 0xff8 && !is_next);
    load.memory.index = RBX;
    load.memory.scale = 4;
    cr_assert(operand_address(&load, 0, register_of, registers, &addr, &is_next, &refusal));
    cr_assert_eq(addr, 0x1000 - 8 + 0x80);
    load.writes = (uint64_t)1 << RAX; /* a chase */
    cr_assert(operand_address(&load, 0, register_of, registers, &addr, &is_next, &refusal) && is_next);
    load.class = INSTRUCTION_LOAD_OP; /* add (%rax),%rax: the address is gone */
    cr_assert_not(operand_address(&load, 0, register_of, registers, &addr, &is_next, &refusal));
    cr_assert_eq(refusal, REFUSED_CHANGED);
    load.writes = 0;
    load.memory.index = RCX; /* AArch64: [x0, w2, sxtw #2] */
    load.memory.index_is_32 = load.memory.index_is_signed = true;
    load.memory.index_shift = 2;
    cr_assert(operand_address(&load, 0, register_of, registers, &addr, &is_next, &refusal));
    cr_assert_eq(addr, 0x1000 - 8 + 8);
    load.memory = (struct memory_operand){.base = REGISTER_NONE, .index = REGISTER_NONE, .segment = REGISTER_NONE,
                                          .displacement = 0x104, .is_relative = true, .is_present = true};
    cr_assert(operand_address(&load, 0x400000, register_of, registers, &addr, &is_next, &refusal));
    cr_assert_eq(addr, 0x400104);
    load.memory = plain;
    load.memory.segment = FS;
    cr_assert_not(operand_address(&load, 0, register_of, registers, &addr, &is_next, &refusal));
    cr_assert_eq(refusal, REFUSED_SEGMENT);
    load.memory = plain;
    load.memory.base = 30; /* not sampled */
    cr_assert_not(operand_address(&load, 0, register_of, registers, &addr, &is_next, &refusal));
    cr_assert_eq(refusal, REFUSED_NO_REGISTERS);
    load.memory.has_vector_index = true;
    cr_assert_not(operand_address(&load, 0, register_of, registers, &addr, &is_next, &refusal));
    cr_assert_eq(refusal, REFUSED_VECTOR_INDEX);
    load.memory.is_present = false;
    cr_assert_not(operand_address(&load, 0, register_of, registers, &addr, &is_next, &refusal));
    cr_assert_eq(refusal, REFUSED_NO_OPERAND);
}
