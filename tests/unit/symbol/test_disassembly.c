/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/vec.h"
#include "symbol/disassembly.h"

#include <criterion/criterion.h>

enum { RAX = 0, RBX = 1, RCX = 2, RDX = 3, RSI = 4, RDI = 5, RBP = 6, RSP = 7, FLAGS = 9, FS = 14, R8 = 16 };

static struct disassembler *open_or_skip(const char *architecture, enum disassembly_syntax syntax)
{
    struct disassembler *disassembler;
    struct error err = {0};
    if (!disassembler_new(&disassembler, architecture, syntax, &err))
        cr_skip_test("%s", err.message);
    return disassembler;
}

struct x86_case {
    const char *bytes;
    size_t size_bytes;
    const char *att, *intel;
    enum instruction_class class;
    uint8_t base, index, scale;
    int64_t displacement;
    uint16_t memory_bytes; /* 0: no memory operand */
    uint16_t vector_bits;
};

#define BYTES(text) (text), sizeof(text) - 1
#define NO_MEMORY   REGISTER_NONE, REGISTER_NONE, 0, 0, 0

/* The texts are objdump's. */
static const struct x86_case x86_cases[] = {
    {BYTES("\x48\x8b\x00"), "mov    (%rax),%rax", "mov    rax,QWORD PTR [rax]", INSTRUCTION_LOAD, RAX, REGISTER_NONE, 0, 0, 8, 0},
    {BYTES("\x8b\x44\x8b\xf8"), "mov    -0x8(%rbx,%rcx,4),%eax", "mov    eax,DWORD PTR [rbx+rcx*4-0x8]", INSTRUCTION_LOAD, RBX, RCX, 4, -8, 4, 0},
    {BYTES("\x0f\xb6\x08"), "movzbl (%rax),%ecx", "movzx  ecx,BYTE PTR [rax]", INSTRUCTION_LOAD, RAX, REGISTER_NONE, 0, 0, 1, 0},
    {BYTES("\x48\x63\xd0"), "movslq %eax,%rdx", "movsxd rdx,eax", INSTRUCTION_MOVE, NO_MEMORY, 0},
    {BYTES("\x41\x01\x58\x10"), "add    %ebx,0x10(%r8)", "add    DWORD PTR [r8+0x10],ebx", INSTRUCTION_UPDATE, R8, REGISTER_NONE, 0, 0x10, 4, 0},
    {BYTES("\xf0\x48\x0f\xb1\x0a"), "lock cmpxchg %rcx,(%rdx)", "lock cmpxchg QWORD PTR [rdx],rcx", INSTRUCTION_ATOMIC, RDX, REGISTER_NONE, 0, 0, 8, 0},
    {BYTES("\x48\x8d\x04\x11"), "lea    (%rcx,%rdx,1),%rax", "lea    rax,[rcx+rdx*1]", INSTRUCTION_INT, NO_MEMORY, 0},
    {BYTES("\x64\x48\x8b\x04\x25\x28\x00\x00\x00"), "mov    %fs:0x28,%rax", "mov    rax,QWORD PTR fs:0x28", INSTRUCTION_LOAD, REGISTER_NONE, REGISTER_NONE, 0, 0x28, 8, 0},
    {BYTES("\xc6\x00\x01"), "movb   $0x1,(%rax)", "mov    BYTE PTR [rax],0x1", INSTRUCTION_STORE, RAX, REGISTER_NONE, 0, 0, 1, 0},
    {BYTES("\x48\xf7\xf9"), "idiv   %rcx", "idiv   rcx", INSTRUCTION_DIV, NO_MEMORY, 0},
    {BYTES("\x48\x0f\xaf\xc7"), "imul   %rdi,%rax", "imul   rax,rdi", INSTRUCTION_MUL, NO_MEMORY, 0},
    {BYTES("\xf2\x0f\x59\xc2"), "mulsd  %xmm2,%xmm0", "mulsd  xmm0,xmm2", INSTRUCTION_FP, NO_MEMORY, 128},
    {BYTES("\xf2\x0f\x5e\xc2"), "divsd  %xmm2,%xmm0", "divsd  xmm0,xmm2", INSTRUCTION_FP_DIV, NO_MEMORY, 128},
    {BYTES("\xf2\x0f\x2a\x00"), "cvtsi2sdl (%rax),%xmm0", "cvtsi2sd xmm0,DWORD PTR [rax]", INSTRUCTION_LOAD_OP, RAX, REGISTER_NONE, 0, 0, 4, 128},
    {BYTES("\x62\xf2\xfd\x4f\xb8\x40\x01"), "vfmadd231pd 0x40(%rax),%zmm0,%zmm0{%k7}", "vfmadd231pd zmm0{k7},zmm0,ZMMWORD PTR [rax+0x40]", INSTRUCTION_LOAD_OP, RAX, REGISTER_NONE, 0, 0x40, 64, 512},
    {BYTES("\x62\xf1\x74\x58\x58\x10"), "vaddps (%rax){1to16},%zmm1,%zmm2", "vaddps zmm2,zmm1,DWORD BCST [rax]", INSTRUCTION_LOAD_OP, RAX, REGISTER_NONE, 0, 0, 4, 512},
    /* What puts elements elsewhere computes nothing: a load, a vector instruction. */
    {BYTES("\xc4\xe3\x79\x05\x43\x20\x01"), "vpermilpd $0x1,0x20(%rbx),%xmm0", "vpermilpd xmm0,XMMWORD PTR [rbx+0x20],0x1", INSTRUCTION_LOAD, RBX, REGISTER_NONE, 0, 0x20, 16, 128},
    {BYTES("\xc4\xe3\x79\x05\xc1\x01"), "vpermilpd $0x1,%xmm1,%xmm0", "vpermilpd xmm0,xmm1,0x1", INSTRUCTION_VECTOR, NO_MEMORY, 128},
    {BYTES("\xc4\xe2\x6d\x90\x04\x88"), "vpgatherdd %ymm2,(%rax,%ymm1,4),%ymm0", "vpgatherdd ymm0,DWORD PTR [rax+ymm1*4],ymm2", INSTRUCTION_GATHER, RAX, REGISTER_NONE, 4, 0, 4, 256},
    {BYTES("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00"), "cs nopw 0x0(%rax,%rax,1)", "cs nop WORD PTR [rax+rax*1+0x0]", INSTRUCTION_NOP, NO_MEMORY, 0},
    {BYTES("\x66\x90"), "xchg   %ax,%ax", "xchg   ax,ax", INSTRUCTION_NOP, NO_MEMORY, 0},
    {BYTES("\xf3\x48\xab"), "rep stos %rax,%es:(%rdi)", "rep stos QWORD PTR es:[rdi],rax", INSTRUCTION_STRING, RDI, REGISTER_NONE, 0, 0, 8, 0},
    {BYTES("\xff\x25\x10\x00\x00\x00"), "jmp    *0x10(%rip)        # 1016", "jmp    QWORD PTR [rip+0x10]        # 1016", INSTRUCTION_JUMP, REGISTER_NONE, REGISTER_NONE, 0, 0x16, 8, 0},
    {BYTES("\x74\xfe"), "je     1000", "je     1000", INSTRUCTION_BRANCH, NO_MEMORY, 0},
    {BYTES("\xe8\xfb\xff\xff\xff"), "call   1000", "call   1000", INSTRUCTION_CALL, RSP, REGISTER_NONE, 0, 0, 8, 0},
    {BYTES("\xf3\xc3"), "repz ret", "repz ret", INSTRUCTION_RETURN, RSP, REGISTER_NONE, 0, 0, 8, 0},
    {BYTES("\x0f\xae\xf0"), "mfence", "mfence", INSTRUCTION_BARRIER, NO_MEMORY, 0},
    {BYTES("\x0f\x05"), "syscall", "syscall", INSTRUCTION_SYSTEM, NO_MEMORY, 0},
    {BYTES("\x0f\x18\x08"), "prefetcht0 (%rax)", "prefetcht0 BYTE PTR [rax]", INSTRUCTION_PREFETCH, RAX, REGISTER_NONE, 0, 0, 1, 0},
    {BYTES("\xd1\xe8"), "shr    %eax", "shr    eax,1", INSTRUCTION_INT, NO_MEMORY, 0},
    {BYTES("\xdb\x2c\x24"), "fldt   (%rsp)", "fld    TBYTE PTR [rsp]", INSTRUCTION_LOAD, RSP, REGISTER_NONE, 0, 0, 10, 0},
    {BYTES("\x06"), "(bad)", "(bad)", INSTRUCTION_BAD, NO_MEMORY, 0},
};

static void check_text(enum disassembly_syntax syntax)
{
    struct disassembler *disassembler = open_or_skip("x86_64", syntax);
    for (size_t at = 0; at < array_count(x86_cases); at++) {
        const struct x86_case *one = &x86_cases[at];
        struct edge edge = edge_copy(one->bytes, one->size_bytes);
        struct instruction instruction;
        struct text text = {0};
        cr_assert(disassembler_next(disassembler, edge.bytes, edge.size_bytes, 0x1000, &instruction));
        disassembler_text(disassembler, &instruction, edge.bytes, NULL, NULL, &text);
        cr_assert_str_eq(text_string(&text), syntax == SYNTAX_ATT ? one->att : one->intel);
        cr_assert_eq(instruction.length, one->size_bytes, "%s", one->att);
        text_done(&text);
        edge_free(&edge);
    }
    disassembler_free(disassembler);
}

Test(disassembly, att_text_is_objdumps)
{
    check_text(SYNTAX_ATT);
}

Test(disassembly, intel_text_is_objdumps)
{
    check_text(SYNTAX_INTEL);
}

Test(disassembly, x86_meaning)
{
    struct disassembler *disassembler = open_or_skip("x86_64", SYNTAX_ATT);
    for (size_t at = 0; at < array_count(x86_cases); at++) {
        const struct x86_case *one = &x86_cases[at];
        struct instruction instruction;
        disassembler_next(disassembler, (const uint8_t *)one->bytes, one->size_bytes, 0x1000, &instruction);
        cr_assert_str_eq(instruction_class_name(instruction.class), instruction_class_name(one->class), "%s", one->att);
        cr_assert_eq(instruction.vector_bits, one->vector_bits, "%s: %d", one->att, instruction.vector_bits);
        cr_assert_eq(instruction.memory.is_present, one->memory_bytes > 0, "%s", one->att);
        if (!one->memory_bytes)
            continue;
        cr_assert_eq(instruction.memory.base, one->base, "%s: base %d", one->att, instruction.memory.base);
        cr_assert_eq(instruction.memory.index, one->index, "%s", one->att);
        cr_assert_eq(instruction.memory.displacement, one->displacement, "%s", one->att);
        cr_assert_eq(instruction.memory.size_bytes, one->memory_bytes, "%s: %d", one->att, instruction.memory.size_bytes);
        if (one->index != REGISTER_NONE)
            cr_assert_eq(instruction.memory.scale, one->scale, "%s", one->att);
    }
    disassembler_free(disassembler);
}

/* Of numbers that are put elsewhere ("vshufps") none is computed; "vaddpd" does. */
Test(disassembly, shuffles_are_no_floating_point_arithmetic)
{
    struct disassembler *disassembler = open_or_skip("x86_64", SYNTAX_ATT);
    struct instruction shuffle, sum;
    disassembler_next(disassembler, (const uint8_t *)"\xc5\xf0\xc6\x43\x20\x01", 6, 0x1000, &shuffle);
    disassembler_next(disassembler, (const uint8_t *)"\xc5\xf1\x58\x43\x20", 5, 0x1000, &sum);
    cr_assert(shuffle.class == INSTRUCTION_LOAD_OP && !shuffle.is_fp);
    cr_assert(sum.class == INSTRUCTION_LOAD_OP && sum.is_fp);
    disassembler_free(disassembler);
}

Test(disassembly, x86_flow_and_registers)
{
    struct disassembler *disassembler = open_or_skip("x86_64", SYNTAX_ATT);
    struct instruction instruction;
    disassembler_next(disassembler, (const uint8_t *)"\x74\x10", 2, 0x1000, &instruction);
    cr_assert(instruction.has_target && instruction.target == 0x1012);
    cr_assert(instruction.ends_block && instruction.falls_through);
    cr_assert(instruction.reads & 1u << FLAGS);
    disassembler_next(disassembler, (const uint8_t *)"\xe9\x00\x00\x00\x00", 5, 0x1000, &instruction);
    cr_assert(instruction.ends_block && !instruction.falls_through);
    disassembler_next(disassembler, (const uint8_t *)"\x48\x8b\x44\xcb\x08", 5, 0, &instruction); /* mov 8(%rbx,%rcx,8),%rax */
    cr_assert_eq(instruction.reads, 1u << RBX | 1u << RCX);
    cr_assert_eq(instruction.writes, 1u << RAX);
    disassembler_next(disassembler, (const uint8_t *)"\x64\x48\x8b\x00", 4, 0, &instruction); /* mov %fs:(%rax),%rax */
    cr_assert_eq(instruction.memory.segment, FS);
    disassembler_free(disassembler);
}

/* What a string instruction's registers say: how often it is still to be done, and both places of a copy. */
Test(disassembly, x86_string_instructions)
{
    enum { CX = 2, SI = 4, DI = 5 };
    static const struct {
        const char *bytes;
        size_t length;
        bool repeats, copies;
    } cases[] = {
        {"\xf3\xa4", 2, true, true},      /* rep movsb */
        {"\xf3\x48\xa5", 3, true, true},  /* rep movsq */
        {"\xf3\xaa", 2, true, false},     /* rep stosb */
        {"\xf2\xae", 2, true, false},     /* repne scasb */
        {"\xa4", 1, false, true},         /* movsb */
    };
    struct disassembler *disassembler = open_or_skip("x86_64", SYNTAX_ATT);
    struct instruction instruction;
    for (size_t at = 0; at < array_count(cases); at++) {
        cr_assert(disassembler_next(disassembler, (const uint8_t *)cases[at].bytes, cases[at].length, 0x1000, &instruction));
        cr_expect_eq(instruction.class, INSTRUCTION_STRING);
        cr_expect_eq(instruction.repeats, cases[at].repeats, "%zu", at);
        cr_expect_eq(instruction.repeat_register, CX, "%zu", at);
        cr_expect_eq(instruction.copies, cases[at].copies, "%zu", at);
        cr_expect_eq(instruction.memory.base, DI, "%zu", at);
        cr_expect(!cases[at].copies || instruction.copy_register == SI, "%zu", at);
    }
    disassembler_free(disassembler);
}

Test(disassembly, bytes_cut_short_are_bad_and_never_read_beyond)
{
    struct disassembler *disassembler = open_or_skip("x86_64", SYNTAX_ATT);
    for (size_t at = 0; at < array_count(x86_cases); at++)
        for (size_t length = 1; length < x86_cases[at].size_bytes; length++) {
            struct edge edge = edge_copy(x86_cases[at].bytes, length);
            struct instruction instruction;
            for (size_t place = 0; place < length; place += instruction.length) {
                cr_assert(disassembler_next(disassembler, edge.bytes + place, length - place, place, &instruction));
                cr_assert(instruction.length >= 1 && instruction.length <= length - place);
            }
            edge_free(&edge);
        }
    cr_assert_not(disassembler_next(disassembler, NULL, 0, 0, NULL));
    disassembler_free(disassembler);
}

struct arm_case {
    uint32_t word;
    const char *text;
    enum instruction_class class;
    uint8_t base, index;
    int64_t displacement;
    uint16_t memory_bytes;
    uint64_t target;
};

#define ARM_NO_MEMORY REGISTER_NONE, REGISTER_NONE, 0, 0

static const struct arm_case arm_cases[] = {
    {0xf9400420, "ldr    x0, [x1, #8]", INSTRUCTION_LOAD, 1, REGISTER_NONE, 8, 8, 0},
    {0xb8627820, "ldr    w0, [x1, x2, lsl #2]", INSTRUCTION_LOAD, 1, 2, 0, 4, 0},
    {0xa9bf7bfd, "stp    x29, x30, [sp, #-16]!", INSTRUCTION_STORE, 31, REGISTER_NONE, -16, 16, 0},
    {0x3cc10420, "ldr    q0, [x1], #16", INSTRUCTION_LOAD, 1, REGISTER_NONE, 0, 16, 0},
    {0xb8a20020, "ldadda w2, w0, [x1]", INSTRUCTION_ATOMIC, 1, REGISTER_NONE, 0, 4, 0},
    {0x4e829420, "sdot   v0.4s, v1.16b, v2.16b", INSTRUCTION_VECTOR, ARM_NO_MEMORY, 0},
    {0x4e22cc20, "fmla   v0.4s, v1.4s, v2.4s", INSTRUCTION_FP, ARM_NO_MEMORY, 0},
    {0x1e621820, "fdiv   d0, d1, d2", INSTRUCTION_FP_DIV, ARM_NO_MEMORY, 0},
    {0x9b027c20, "mul    x0, x1, x2", INSTRUCTION_MUL, ARM_NO_MEMORY, 0},
    {0x9ac20c20, "sdiv   x0, x1, x2", INSTRUCTION_DIV, ARM_NO_MEMORY, 0},
    {0x54000081, "b.ne   1010", INSTRUCTION_BRANCH, ARM_NO_MEMORY, 0x1010},
    {0x97fffffc, "bl     ff0", INSTRUCTION_CALL, ARM_NO_MEMORY, 0xff0},
    {0xd65f03c0, "ret", INSTRUCTION_RETURN, ARM_NO_MEMORY, 0},
    {0xd5033bbf, "dmb    ish", INSTRUCTION_BARRIER, ARM_NO_MEMORY, 0},
    {0xd503201f, "nop", INSTRUCTION_NOP, ARM_NO_MEMORY, 0},
    {0xf9800020, "prfm   pldl1keep, [x1]", INSTRUCTION_PREFETCH, 1, REGISTER_NONE, 0, 8, 0},
    {0x00000000, ".inst  0x00000000", INSTRUCTION_BAD, ARM_NO_MEMORY, 0},
};

Test(disassembly, aarch64_meaning_and_text)
{
    struct disassembler *disassembler = open_or_skip("aarch64", SYNTAX_ATT);
    for (size_t at = 0; at < array_count(arm_cases); at++) {
        const struct arm_case *one = &arm_cases[at];
        uint8_t bytes[4] = {one->word & 0xff, one->word >> 8 & 0xff, one->word >> 16 & 0xff, one->word >> 24};
        struct instruction instruction;
        struct text text = {0};
        disassembler_next(disassembler, bytes, sizeof(bytes), 0x1000, &instruction);
        disassembler_text(disassembler, &instruction, bytes, NULL, NULL, &text);
        if (!disassembler_complaint(disassembler) && one->class != INSTRUCTION_BAD)
            cr_assert_str_eq(text_string(&text), one->text);
        text_done(&text);
        cr_assert_str_eq(instruction_class_name(instruction.class), instruction_class_name(one->class), "%s", one->text);
        cr_assert_eq(instruction.memory.is_present, one->memory_bytes > 0, "%s", one->text);
        if (one->memory_bytes) {
            cr_assert_eq(instruction.memory.base, one->base, "%s", one->text);
            cr_assert_eq(instruction.memory.index, one->index, "%s", one->text);
            cr_assert_eq(instruction.memory.displacement, one->displacement, "%s", one->text);
            cr_assert_eq(instruction.memory.size_bytes, one->memory_bytes, "%s", one->text);
        }
        cr_assert_eq(instruction.target, one->target, "%s", one->text);
    }
    disassembler_free(disassembler);
}

Test(disassembly, other_architectures_are_refused_by_name)
{
    struct disassembler *disassembler;
    struct error err = {0};
    cr_assert_not(disassembler_new(&disassembler, "riscv64", SYNTAX_ATT, &err));
    cr_assert_eq(err.kind, ERROR_UNSUPPORTED);
    cr_assert(strstr(err.message, "riscv64"));
}

struct cost_case {
    const char *bytes;
    size_t size_bytes;
    const char *mnemonic;
    uint8_t operation_bits, address_parts, mask_reads, flags_read, flags_written;
    bool has_immediate;
    uint64_t merges;
    uint32_t vector_merges;
};

static const struct cost_case cost_cases[] = {
    {BYTES("\x48\xff\xc0"), "inc", 64, .flags_written = FLAGS_REST},
    {BYTES("\x11\xd8"), "adc", 32, .flags_read = FLAGS_CARRY, .flags_written = FLAGS_CARRY | FLAGS_REST},
    {BYTES("\x88\xd8"), "mov", 8, .merges = 1 << RAX},
    {BYTES("\x0f\xb6\xc3"), "movzx", 32},
    {BYTES("\x48\x8d\x44\x8b\x08"), "lea", 64, .address_parts = 3},
    {BYTES("\x48\xc1\xe0\x05"), "shl", 64, .has_immediate = true, .flags_written = FLAGS_CARRY | FLAGS_REST},
    {BYTES("\x62\xf1\x7c\x4a\x58\xc1"), "vaddps", 32, .mask_reads = 4},
    {BYTES("\xf2\x0f\x51\xc1"), "sqrtsd", 32, .vector_merges = 1},
    {BYTES("\xf3\x0f\x10\xc1"), "movss", 32, .vector_merges = 1},
    {BYTES("\xf3\x0f\x10\x00"), "movss", 32},
    {BYTES("\x66\x90"), "nop", 0},
    {BYTES("\x74\xfe"), "jz", 64, .flags_read = FLAGS_REST},
};

struct sum_case {
    const char *bytes;
    size_t size_bytes;
    bool is_sum;
    uint8_t from;
    int64_t sum;
};

Test(disassembly, x86_tells_what_is_another_register_plus_a_constant)
{
    static const struct sum_case cases[] = {
        {BYTES("\x48\x89\xd8"), true, RBX, 0},          /* mov %rbx,%rax */
        {BYTES("\x48\x8d\x50\x08"), true, RAX, 8},      /* lea 8(%rax),%rdx */
        {BYTES("\x48\x8d\x14\x18"), false, 0, 0},       /* lea (%rax,%rbx),%rdx */
        {BYTES("\x48\x63\xd0"), true, RAX, 0},          /* movslq %eax,%rdx */
        {BYTES("\x48\x98"), true, RAX, 0},              /* cltq */
        {BYTES("\x88\xd8"), false, 0, 0},               /* mov %bl,%al */
        {BYTES("\x48\x8b\x00"), false, 0, 0},           /* mov (%rax),%rax */
        {BYTES("\x48\x8d\x05\x00\x00\x00\x00"), false, 0, 0}, /* lea 0(%rip),%rax */
        {BYTES("\xb8\x01\x00\x00\x00"), false, 0, 0},    /* mov $1,%eax */
    };
    struct disassembler *disassembler = open_or_skip("x86_64", SYNTAX_ATT);
    for (size_t at = 0; at < array_count(cases); at++) {
        struct instruction instruction;
        disassembler_next(disassembler, (const uint8_t *)cases[at].bytes, cases[at].size_bytes, 0x1000, &instruction);
        cr_assert_eq(instruction.is_sum, cases[at].is_sum, "case %zu", at);
        cr_assert_eq(instruction.scale, at == 2 ? 1 : 0, "case %zu", at);
        cr_assert(!cases[at].is_sum || (instruction.sum_from == cases[at].from && instruction.sum == cases[at].sum), "case %zu", at);
    }
    disassembler_free(disassembler);
}

Test(disassembly, x86_tells_what_costs_depend_on)
{
    struct disassembler *disassembler = open_or_skip("x86_64", SYNTAX_ATT);
    for (size_t at = 0; at < array_count(cost_cases); at++) {
        const struct cost_case *one = &cost_cases[at];
        struct instruction instruction;
        disassembler_next(disassembler, (const uint8_t *)one->bytes, one->size_bytes, 0x1000, &instruction);
        if (instruction.class != INSTRUCTION_NOP) {
            cr_assert_str_eq(instruction.mnemonic, one->mnemonic);
            cr_assert_eq(instruction.operation_bits, one->operation_bits, "%s: %u", one->mnemonic, instruction.operation_bits);
        }
        cr_assert_eq(instruction.address_parts, one->address_parts, "%s", one->mnemonic);
        cr_assert_eq(instruction.mask_reads, one->mask_reads, "%s", one->mnemonic);
        cr_assert_eq(instruction.flags_read, one->flags_read, "%s", one->mnemonic);
        cr_assert_eq(instruction.flags_written, one->flags_written, "%s", one->mnemonic);
        cr_assert_eq(instruction.has_immediate, one->has_immediate, "%s", one->mnemonic);
        cr_assert_eq(instruction.merges, one->merges, "%s", one->mnemonic);
        cr_assert_eq(instruction.vector_merges, one->vector_merges, "%s", one->mnemonic);
    }
    disassembler_free(disassembler);
}

Test(disassembly, a_conditional_move_may_leave_what_was)
{
    struct disassembler *disassembler = open_or_skip("x86_64", SYNTAX_ATT);
    struct instruction instruction;
    disassembler_next(disassembler, (const uint8_t *)"\x48\x0f\x44\xc2", 4, 0x1000, &instruction); /* cmove %rdx,%rax */
    cr_assert_eq(instruction.reads, 1 << RAX | 1 << RDX | 1 << FLAGS);
    cr_assert_eq(instruction.writes, 1 << RAX);
    disassembler_free(disassembler);
}
