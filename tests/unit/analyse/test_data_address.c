/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/memory/data_address.h"
#include "base/vec.h"
#include "symbol/disassembly.h"

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

/* ---- operands as decoded ---- */

struct form {
    const char *text;
    const char *bytes;
    size_t size_bytes;
    uint64_t addr;
    bool is_next;
    enum data_refusal refusal; /* REFUSED_REASON_COUNT: none */
};

/* RAX 0x10000000, RBX 0x20, RCX 9, RSI 0x3000, RDI 0x4000, RBP 0x5000, RSP 0x6000, R12 0x7000, R13 0x8000, R15 4 */
static const uint64_t x86_registers[33] = {0x10000000, 0x20,   9,      0,      0x3000, 0x4000, 0x5000, 0x6000,
                                           0,          0,      0,      0,      0,      0,      0,      0,
                                           0,          0,      0,      0,      0x7000, 0x8000, 0,      4};
static const struct form x86_forms[] = {
    {"mov (%rax),%rcx", "\x48\x8b\x08", 3, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"mov 0x10(%rax,%rbx,8),%rcx", "\x48\x8b\x4c\xd8\x10", 5, .addr = 0x10000000+16+0x20*8, .refusal = REFUSED_REASON_COUNT},
    {"mov -8(,%rbx,4),%rcx", "\x48\x8b\x0c\x9d\xf8\xff\xff\xff", 8, .addr = (uint64_t)-8+0x20*4, .refusal = REFUSED_REASON_COUNT},
    {"mov 0x1000(%rip),%rcx", "\x48\x8b\x0d\x00\x10\x00\x00", 7, .addr = 0x400000+0x1000+7, .refusal = REFUSED_REASON_COUNT},
    {"mov 0x12345678,%ecx", "\x8b\x0c\x25\x78\x56\x34\x12", 7, .addr = 0x12345678, .refusal = REFUSED_REASON_COUNT},
    {"movabs 0x1122334455667788,%rax", "\x48\xa1\x88\x77\x66\x55\x44\x33\x22\x11", 10, .addr = 0x1122334455667788, .refusal = REFUSED_REASON_COUNT},
    {"mov %fs:0x28,%rcx", "\x64\x48\x8b\x0c\x25\x28\x00\x00\x00", 9, .refusal = REFUSED_SEGMENT},
    {"mov %gs:(%rax),%rcx", "\x65\x48\x8b\x08", 4, .refusal = REFUSED_SEGMENT},
    {"mov (%rax),%rax", "\x48\x8b\x00", 3, .is_next = true, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"mov (%rax,%rax,1),%rax", "\x48\x8b\x04\x00", 4, .is_next = true, .addr = 0x20000000, .refusal = REFUSED_REASON_COUNT},
    {"add (%rax),%rax", "\x48\x03\x00", 3, .refusal = REFUSED_CHANGED},
    {"add %rcx,(%rax)", "\x48\x01\x08", 3, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"mov (%eax,%ebx,2),%ecx", "\x67\x8b\x0c\x58", 4, .addr = 0x10000040, .refusal = REFUSED_REASON_COUNT},
    {"vgatherdpd %ymm1,(%rax,%xmm2,8),%ymm3", "\xc4\xe2\xf5\x92\x1c\xd0", 6, .refusal = REFUSED_VECTOR_INDEX},
    {"vmovups 0x40(%rax),%zmm1", "\x62\xf1\x7c\x48\x10\x48\x01", 7, .addr = 0x10000040, .refusal = REFUSED_REASON_COUNT},
    {"vpaddd (%rax){1to16},%zmm1,%zmm2", "\x62\xf1\x75\x58\xfe\x10", 6, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"vmovdqu8 0x7(%rax,%rbx,1),%ymm16", "\x62\xe1\x7f\x28\x6f\x84\x18\x07\x00\x00\x00", 11, .addr = 0x10000000+7+0x20, .refusal = REFUSED_REASON_COUNT},
    {"bt %rcx,(%rax)", "\x48\x0f\xa3\x08", 4, .refusal = REFUSED_HIDDEN_PART},
    {"bt $3,(%rax)", "\x0f\xba\x20\x03", 4, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"lock btsq %rcx,(%rax)", "\xf0\x48\x0f\xab\x08", 5, .refusal = REFUSED_HIDDEN_PART},
    {"xlat", "\xd7", 1, .refusal = REFUSED_HIDDEN_PART},
    {"rep movsb", "\xf3\xa4", 2, .refusal = REFUSED_CHANGED},
    {"movsq", "\x48\xa5", 2, .refusal = REFUSED_CHANGED},
    {"push (%rax)", "\xff\x30", 2, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"push %rcx", "\x51", 1, .refusal = REFUSED_CHANGED},
    {"pop %rcx", "\x59", 1, .is_next = true, .addr = 0x6000, .refusal = REFUSED_REASON_COUNT},
    {"call *(%rax)", "\xff\x10", 2, .refusal = REFUSED_STACK},
    {"jmp *0x8(%rax,%rbx,8)", "\xff\x64\xd8\x08", 4, .addr = 0x10000000+8+0x20*8, .refusal = REFUSED_REASON_COUNT},
    {"ret", "\xc3", 1, .refusal = REFUSED_STACK},
    {"lea 8(%rax),%rcx", "\x48\x8d\x48\x08", 4, .refusal = REFUSED_NO_OPERAND},
    {"nopw 0(%rax,%rax,1)", "\x66\x0f\x1f\x04\x00", 5, .refusal = REFUSED_NO_OPERAND},
    {"prefetcht0 (%rax)", "\x0f\x18\x08", 3, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"lock xadd %rcx,(%rax)", "\xf0\x48\x0f\xc1\x08", 5, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"cmpxchg16b (%rax)", "\x48\x0f\xc7\x08", 4, .refusal = REFUSED_CHANGED},
    {"mov (%r13),%rcx", "\x49\x8b\x4d\x00", 4, .addr = 0x8000, .refusal = REFUSED_REASON_COUNT},
    {"mov (%r12,%r15,4),%rcx", "\x4b\x8b\x0c\xbc", 4, .addr = 0x7000+4*4, .refusal = REFUSED_REASON_COUNT},
    {"mov (%rsp),%rcx", "\x48\x8b\x0c\x24", 4, .addr = 0x6000, .refusal = REFUSED_REASON_COUNT},
    {"mov (%rbp),%rcx", "\x48\x8b\x4d\x00", 4, .addr = 0x5000, .refusal = REFUSED_REASON_COUNT},
    {"tileloadd (%rax,%rbx,1),%tmm1", "\xc4\xe2\x7b\x4b\x0c\x18", 6, .refusal = REFUSED_HIDDEN_PART},
    {"movdir64b (%rax),%rbx", "\x66\x0f\x38\xf8\x18", 5, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"maskmovdqu %xmm1,%xmm2", "\x66\x0f\xf7\xd1", 4, .addr = 0x4000, .refusal = REFUSED_REASON_COUNT},
    {"vmaskmovps (%rax),%ymm1,%ymm2", "\xc4\xe2\x75\x2c\x10", 5, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"cmp %rcx,(%rax)", "\x48\x39\x08", 3, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"imul $3,(%rax),%rcx", "\x48\x6b\x08\x03", 4, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"pextrq $1,%xmm0,(%rax)", "\x66\x48\x0f\x3a\x16\x00\x01", 7, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"fldl (%rax)", "\xdd\x00", 2, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"vpscatterdd %zmm1,(%rax,%zmm2,4){%k1}", "\x62\xf2\x7d\x49\xa0\x0c\x90", 7, .refusal = REFUSED_VECTOR_INDEX},
    {"clflush (%rax)", "\x0f\xae\x38", 3, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"invlpg (%rax)", "\x0f\x01\x38", 3, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
};

static const uint64_t aarch64_registers[33] = {0x10000000, 0xffffffff00000004, [31] = 0x6000};
static const struct form aarch64_forms[] = {
    {"ldr x2,[x0]", "\x02\x00\x40\xf9", 4, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"ldr x2,[x0,#16]", "\x02\x08\x40\xf9", 4, .addr = 0x10000010, .refusal = REFUSED_REASON_COUNT},
    {"ldr x2,[x0,x1]", "\x02\x68\x61\xf8", 4, .addr = 0xffffffff10000004, .refusal = REFUSED_REASON_COUNT},
    {"ldr x2,[x0,x1,lsl #3]", "\x02\x78\x61\xf8", 4, .addr = 0xfffffff810000020, .refusal = REFUSED_REASON_COUNT},
    {"ldr w2,[x0,w1,sxtw #2]", "\x02\xd8\x61\xb8", 4, .addr = 0x10000010, .refusal = REFUSED_REASON_COUNT},
    {"ldr w2,[x0,w1,uxtw]", "\x02\x48\x61\xb8", 4, .addr = 0x10000004, .refusal = REFUSED_REASON_COUNT},
    {"ldur x2,[x0,#-8]", "\x02\x80\x5f\xf8", 4, .addr = 0xffffff8, .refusal = REFUSED_REASON_COUNT},
    {"ldr x2,[x0],#8", "\x02\x84\x40\xf8", 4, .is_next = true, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"ldr x2,[x0,#8]!", "\x02\x8c\x40\xf8", 4, .is_next = true, .addr = 0x10000008, .refusal = REFUSED_REASON_COUNT},
    {"ldr x0,[x0]", "\x00\x00\x40\xf9", 4, .is_next = true, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"ldp x2,x3,[x0,#16]", "\x02\x0c\x41\xa9", 4, .addr = 0x10000010, .refusal = REFUSED_REASON_COUNT},
    {"ldp x2,x3,[x0],#16", "\x02\x0c\xc1\xa8", 4, .is_next = true, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"stp x2,x3,[sp,#-32]!", "\xe2\x0f\xbe\xa9", 4, .refusal = REFUSED_CHANGED},
    {"str x2,[x0,#8]", "\x02\x04\x00\xf9", 4, .addr = 0x10000008, .refusal = REFUSED_REASON_COUNT},
    {"ldr x2, .+0x100", "\x02\x08\x00\x58", 4, .addr = 0x400000+0x100, .refusal = REFUSED_REASON_COUNT},
    {"ldr q1,[x0,#32]", "\x01\x08\xc0\x3d", 4, .addr = 0x10000020, .refusal = REFUSED_REASON_COUNT},
    {"ld1 {v0.16b},[x0]", "\x00\x70\x40\x4c", 4, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"ld1 {v0.16b},[x0],#16", "\x00\x70\xdf\x4c", 4, .is_next = true, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"ldxr x2,[x0]", "\x02\x7c\x5f\xc8", 4, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"ldaddal x1,x2,[x0]", "\x02\x00\xe1\xf8", 4, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"ldar x2,[x0]", "\x02\xfc\xdf\xc8", 4, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"prfm pldl1keep,[x0]", "\x00\x00\x80\xf9", 4, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"ldrsb x2,[x0,#3]", "\x02\x0c\x80\x39", 4, .addr = 0x10000003, .refusal = REFUSED_REASON_COUNT},
    {"ldrb w2,[x0,w1,sxtw]", "\x02\xc8\x61\x38", 4, .addr = 0x10000004, .refusal = REFUSED_REASON_COUNT},
    {"ldpsw x2,x3,[x0]", "\x02\x0c\x40\x69", 4, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"ld1d {z0.d},p0/z,[x0,x1,lsl #3]", "\x00\x40\xe1\xa5", 4, .addr = 0xfffffff810000020, .refusal = REFUSED_REASON_COUNT},
    {"ld1d {z0.d},p0/z,[x0,z1.d]", "\x00\xc0\xc1\xc5", 4, .refusal = REFUSED_VECTOR_INDEX},
    {"ldr z0,[x0]", "\x00\x40\x80\x85", 4, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"ldr x2,[sp,#8]", "\xe2\x07\x40\xf9", 4, .addr = 0x6008, .refusal = REFUSED_REASON_COUNT},
    {"add x0,x0,#8", "\x00\x20\x00\x91", 4, .refusal = REFUSED_NO_OPERAND},
    {"casal x1,x2,[x0]", "\x02\xfc\xe1\xc8", 4, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"stxr w3,x2,[x0]", "\x02\x7c\x03\xc8", 4, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"ldnp x2,x3,[x0]", "\x02\x0c\x40\xa8", 4, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"ldtr x2,[x0,#4]", "\x02\x48\x40\xf8", 4, .addr = 0x10000004, .refusal = REFUSED_REASON_COUNT},
    {"ldraa x2,[x0]", "\x02\x04\x20\xf8", 4, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"ld1d {z0.d},p0/z,[x0,#1,mul vl]", "\x00\xa0\xe1\xa5", 4, .refusal = REFUSED_HIDDEN_PART},
    {"st1d {z0.d},p0,[x0,x1,lsl #3]", "\x00\x40\xe1\xe5", 4, .addr = 0xfffffff810000020, .refusal = REFUSED_REASON_COUNT},
    {"st1d {z0.d},p0,[x0]", "\x00\xe0\xe0\xe5", 4, .addr = 0x10000000, .refusal = REFUSED_REASON_COUNT},
    {"st1d {z0.d},p0,[x0,z1.d]", "\x00\xa0\x81\xe5", 4, .refusal = REFUSED_VECTOR_INDEX},
    {"ldr z0,[x0,#9,mul vl]", "\x00\x44\x81\x85", 4, .refusal = REFUSED_HIDDEN_PART},
    {"ld1b {z0.b},p0/z,[x0,x1]", "\x00\x40\x01\xa4", 4, .addr = 0xffffffff10000004, .refusal = REFUSED_REASON_COUNT},
    {"ld1sw {z0.d},p0/z,[x0,x1,lsl #2]", "\x00\x40\x81\xa4", 4, .addr = 0xfffffffc10000010, .refusal = REFUSED_REASON_COUNT},
};

static bool sampled(const void *context, unsigned number, uint64_t *ret_value)
{
    const uint64_t *values = context;
    if (number >= 33)
        return false;
    *ret_value = values[number];
    return true;
}

static void check_forms(const char *architecture, const struct form *forms, size_t count, const uint64_t *registers)
{
    struct disassembler *disassembler;
    struct error err = {0};
    if (!disassembler_new(&disassembler, architecture, SYNTAX_ATT, &err))
        cr_skip_test("%s", err.message);
    for (size_t at = 0; at < count; at++) {
        const struct form *form = &forms[at];
        struct instruction instruction;
        uint64_t addr = 0;
        bool is_next = false;
        enum data_refusal refusal;
        cr_assert(disassembler_next(disassembler, (const uint8_t *)form->bytes, form->size_bytes, 0x400000, &instruction));
        cr_expect_eq(instruction.length, form->size_bytes, "%s: %u bytes", form->text, instruction.length);
        bool known = operand_address(&instruction, 0x400000, sampled, registers, &addr, &is_next, &refusal);
        cr_expect_eq(refusal, form->refusal, "%s: %s, not %s", form->text,
                     known ? "an address" : data_refusal_name(refusal),
                     form->refusal == REFUSED_REASON_COUNT ? "an address" : data_refusal_name(form->refusal));
        cr_expect(!known || (addr == form->addr && is_next == form->is_next), "%s: %#lx%s", form->text, addr,
                  is_next ? ", next" : "");
    }
    disassembler_free(disassembler);
}

Test(data_address, every_way_x86_addresses_memory)
{
    check_forms("x86_64", x86_forms, array_count(x86_forms), x86_registers);
}

Test(data_address, every_way_aarch64_addresses_memory)
{
    check_forms("aarch64", aarch64_forms, array_count(aarch64_forms), aarch64_registers);
}

Test(data_address, a_32_bit_address_wraps)
{
    static const struct form forms[] = {
        {"mov -8(%eax),%ecx", "\x8b\x48\xf8", 3, .addr = 0xffffff8, .refusal = REFUSED_REASON_COUNT},
        {"mov (%eax,%ebx,8),%ecx", "\x8b\x0c\xd8", 3, .addr = 0x0fffff00 + 0x100000, .refusal = REFUSED_REASON_COUNT},
    };
    uint64_t registers[33] = {0x10000000, 0x2001ffe0};
    check_forms("i686", forms, array_count(forms), registers);
}
