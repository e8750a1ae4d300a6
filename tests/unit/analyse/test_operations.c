/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/operations.h"
#include "loop_code.h"

#include "base/vec.h"

/* A loop, or straight code where loop is false, of which every row got a sample. */
static struct operations operations_of_code(struct loop_code *code, bool loop)
{
    static uint64_t hits[LOOP_CODE_MOST];
    static struct loop_rows loops[LOOP_CODE_MOST];
    struct stall_function function = {.name = "f"};
    struct stall_code rows = {.items = code->rows, .hits = hits, .loops = loops, .count = code->count};
    struct stalls stalls = {.functions = &function, .codes = &rows, .function_count = 1, .sample_count = code->count};
    for (uint32_t at = 0; at < code->count; at++) {
        hits[at] = 1;
        loops[at] = loop ? (struct loop_rows){0, code->count - 1} : (struct loop_rows){UINT32_MAX, 0};
    }
    return operations_of(&stalls);
}

Test(operations, instructions_of_one_purpose_tell_what_code_does)
{
    static const struct {
        const char *hex;
        enum operation operation; /* OPERATION_COUNT: none */
        const char *mnemonic;
    } cases[] = {
        /* movdqu (%rdi),%xmm0; psadbw (%rsi),%xmm0; paddd %xmm0,%xmm1; add %rdx,%rdi; add %rdx,%rsi; dec %ecx; jne */
        {"f30f6f07660ff606660ffec84801d74801d6ffc975ea", OPERATION_DIFFERENCES, "psadbw"},
        /* the same bytes added up: psadbw %xmm2,%xmm0 against a register */
        {"f30f6f07660ff6c2660fd4c84801d74801d6ffc975ea", OPERATION_COUNT, NULL},
        /* two loaded blocks: movdqu (%rdi),%xmm0; movdqu (%rsi),%xmm2; psadbw %xmm2,%xmm0; paddd %xmm0,%xmm1; add; add; dec; jne */
        {"f30f6f07f30f6f16660ff6c2660fd4c84801d74801d6ffc975e6", OPERATION_DIFFERENCES, "psadbw"},
        /* movdqu (%rdi),%xmm0; pmaddwd %xmm0,%xmm0; paddd %xmm0,%xmm1; add %rdx,%rdi; dec %ecx; jne */
        {"f30f6f07660ff5c0660ffec84801d7ffc975ed", OPERATION_SQUARES, "pmaddwd"},
        /* the same times another vector: pmaddwd %xmm2,%xmm0 */
        {"f30f6f07660ff5c2660ffec84801d7ffc975ed", OPERATION_SMALL_PRODUCTS, "pmaddwd"},
        /* sums and differences of xmm0 to xmm3, then pabsw of two, added up */
        {"660ffdc1660ff9d3660ffdc2660ff9c8660ffdd1660ff9d8660f381dc0660f381dc9660ffdc1", OPERATION_TRANSFORMED, "paddw"},
        /* the same packed and stored: a transform */
        {"660ffdc1660ff9d3660ffdc2660ff9c8660ffdd1660ff9d8660f381dc0660f381dc9660f67c1f30f7f07", OPERATION_SMALL_INTEGERS, "paddw"},
        /* movdqu (%rdi),%xmm0; paddw (%rsi),%xmm0; pmullw %xmm2,%xmm0; movdqu %xmm0,(%rdi); add $16,%rdi; dec %ecx; jne */
        {"f30f6f07660ffd06660fd5c2f30f7f074883c710ffc975e8", OPERATION_SMALL_PRODUCTS, "pmullw"},
        /* mulsd (%rdi),%xmm0; addsd %xmm0,%xmm1; add $8,%rdi; dec %ecx; jne */
        {"f20f5907f20f58c84883c708ffc975f0", OPERATION_SCALAR_FP, "mulsd"},
        /* mov (%rsi),%rax; mul %rcx; add %r8,%rax; adc $0,%rdx; mov %rax,(%rdi); dec %r9d; jne */
        {"488b0648f7e14c01c04883d20048890741ffc975eb", OPERATION_WIDE_PRODUCTS, "mul"},
        /* imul %rcx,%rax; keeps one word */
        {"480fafc148ffc94883f90075f3", OPERATION_PRODUCTS, "imul"},
        /* movzbl (%rdi),%eax; cmp $10,%al; je; inc %rdi; jmp */
        {"0fb6073c0a740548ffc7ebf4", OPERATION_BYTES, "movzx"},
        /* mov (%rdi),%rax; add %rax,%rdx; add $8,%rdi; dec %ecx; jne */
        {"488b074801c24883c708ffc975f2", OPERATION_COUNT, NULL},
        /* mov %eax,%eax, and one division among them */
        {"89c089c089c089c0f7f189c089c089c0", OPERATION_DIVISIONS, "div"},
        {"660f38dcc189c089c0", OPERATION_AES, "aesenc"},
        /* add; rol $13; xor; rol $32; add; rol $16; xor; add; rol $21; xor; dec; jne: half a round of SipHash */
        {"4801d848c1c30d4831c348c1c0204801d148c1c2104831ca4801d048c1c2154831c2ffce75da", OPERATION_ROTATIONS, "rol"},
        /* mov (%rdi),%ax; rol $8,%ax; mov %ax,(%rdi); add $2,%rdi; dec; jne: bytes that change places */
        {"668b0766c1c0086689074883c702ffce75ee", OPERATION_COUNT, NULL},
        /* paddw %xmm1,%xmm0 among six shuffles (pshufd), and two sums of general registers */
        {"660ffdc1660f70c000660f70c000660f70c000660f70c000660f70c000660f70c00001c001c0", OPERATION_SMALL_INTEGERS, "paddw"},
    };
    for (size_t at = 0; at < array_count(cases); at++)
        for (int loop = 0; loop < 2; loop++) {
            struct loop_code code;
            loop_code_decode(&code, cases[at].hex);
            struct operations operations = operations_of_code(&code, loop);
            for (int operation = 0; operation < OPERATION_COUNT; operation++) {
                double expected = operation == (int)cases[at].operation ? code.count : 0;
                cr_expect_float_eq(operations.samples[operation], expected, 1e-9, "%zu: %s in %g of %g", at, operation_words((enum operation)operation), operations.samples[operation], expected);
            }
            if (cases[at].mnemonic)
                cr_expect_str_eq(operations.mnemonics[cases[at].operation], cases[at].mnemonic);
        }
}

/* In long straight code what stands far away is something else. */
Test(operations, code_far_away_counts_by_itself)
{
    struct loop_code code;
    char hex[2 * 200 + 1] = "";
    for (int at = 0; at < 60; at++)
        strcat(hex, "89c0"); /* mov %eax,%eax */
    strcat(hex, "660f38dcc1");
    loop_code_decode(&code, hex);
    struct operations operations = operations_of_code(&code, false);
    cr_expect_float_eq(operations.samples[OPERATION_AES], 13, 1e-9, "%g", operations.samples[OPERATION_AES]);
}

/* What waits where a function begins is its own, and the kernel's code is not looked at. */
Test(operations, entries_count_and_the_kernel_does_not)
{
    struct loop_code code;
    loop_code_decode(&code, "660f38dcc189c089c0");
    uint64_t hits[3] = {0};
    struct stall_function functions[2] = {{.name = "f"}, {.name = "k", .is_kernel = true}};
    struct stall_code rows[2] = {{.items = code.rows, .hits = hits, .count = code.count, .entry_hits = 7}, {.items = code.rows, .hits = hits, .count = code.count, .entry_hits = 5}};
    struct stalls stalls = {.functions = functions, .codes = rows, .function_count = 2, .sample_count = 12};
    cr_expect_float_eq(operations_of(&stalls).samples[OPERATION_AES], 7, 1e-9);
}
