/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/wide_code.h"
#include "base/vec.h"
#include "test.h"

static const struct {
    uint8_t bytes[8];
    size_t length;
    enum wide_kind kind;
} rows[] = {
    {{0x62, 0xf2, 0x75, 0x48, 0xa8, 0xc2}, 6, WIDE_HEAVY_512},       /* vfmadd213ps %zmm2,%zmm1,%zmm0 */
    {{0x62, 0xf1, 0x74, 0x48, 0x5f, 0xc2}, 6, WIDE_HEAVY_512},       /* vmaxps %zmm2,%zmm1,%zmm0 */
    {{0x62, 0xf2, 0x75, 0x48, 0x40, 0xc2}, 6, WIDE_HEAVY_512},       /* vpmulld %zmm2,%zmm1,%zmm0 */
    {{0x62, 0xf1, 0x75, 0x48, 0xfe, 0xc2}, 6, WIDE_LIGHT_512},       /* vpaddd %zmm2,%zmm1,%zmm0 */
    {{0x62, 0xf1, 0x7c, 0x48, 0x10, 0x00}, 6, WIDE_LIGHT_512},       /* vmovups (%rax),%zmm0 */
    {{0x62, 0xf1, 0x74, 0x48, 0x57, 0xc2}, 6, WIDE_LIGHT_512},       /* vxorps %zmm2,%zmm1,%zmm0 */
    {{0xc4, 0xe2, 0x75, 0xa8, 0xc2}, 5, WIDE_HEAVY_256},             /* vfmadd213ps %ymm2,%ymm1,%ymm0 */
    {{0xc5, 0xf4, 0x58, 0x00}, 4, WIDE_HEAVY_256},                   /* vaddps (%rax),%ymm1,%ymm0 */
    {{0xc5, 0xfc, 0x28, 0xc1}, 4, WIDE_NONE},                        /* vmovaps %ymm1,%ymm0 */
    {{0xc5, 0xf5, 0xfe, 0xc2}, 4, WIDE_NONE},                        /* vpaddd %ymm2,%ymm1,%ymm0 */
    {{0xc5, 0xf0, 0x58, 0xc2}, 4, WIDE_NONE},                        /* vaddps %xmm2,%xmm1,%xmm0 */
    {{0xc5, 0xf3, 0x58, 0xc2}, 4, WIDE_NONE},                        /* vaddsd %xmm2,%xmm1,%xmm0 */
    {{0x48, 0x01, 0xc8}, 3, WIDE_NONE},                              /* add %rcx,%rax */
};

static void decode(struct instruction *instructions)
{
    struct disassembler *disassembler = NULL;
    struct error err = {0};
    if (!disassembler_new(&disassembler, "x86_64", SYNTAX_ATT, &err))
        cr_skip_test("%s", err.message);
    for (size_t at = 0; at < array_count(rows); at++)
        cr_assert(disassembler_next(disassembler, rows[at].bytes, rows[at].length, 0x1000, &instructions[at]));
    disassembler_free(disassembler);
}

Test(wide_code, heavy_is_told_from_light_by_what_it_computes)
{
    struct instruction instructions[array_count(rows)];
    decode(instructions);
    for (size_t at = 0; at < array_count(rows); at++)
        cr_expect_eq(instruction_wide_kind(&instructions[at]), rows[at].kind, "row %zu: %s", at,
                     instructions[at].mnemonic);
}

Test(wide_code, the_hottest_function_of_each_kind_is_named)
{
    struct instruction instructions[array_count(rows)];
    uint64_t cold[array_count(rows)] = {0}, hot[array_count(rows)] = {0}, kernel[array_count(rows)] = {0};
    decode(instructions);
    hot[1] = 40;
    hot[3] = 7;
    kernel[0] = 500;
    struct stall_function functions[] = {{.name = "of the kernel", .is_kernel = true}, {.name = "cold"}, {.name = "hot"}};
    struct stall_code codes[] = {{.items = instructions, .hits = kernel, .count = array_count(rows)},
                                 {.items = instructions, .hits = cold, .count = array_count(rows)},
                                 {.items = instructions, .hits = hot, .count = 6}};
    struct stalls stalls = {.functions = functions, .codes = codes, .function_count = 3};
    struct wide_code code = wide_code_of(&stalls);
    cr_expect_eq(code.samples[WIDE_HEAVY_512], 40);
    cr_expect_eq(code.samples[WIDE_LIGHT_512], 7);
    cr_expect_eq(wide_code_samples(&code), 47);
    cr_assert(code.function[WIDE_HEAVY_512]);
    cr_expect_str_eq(code.function[WIDE_HEAVY_512]->name, "hot");
    cr_expect_str_eq(code.mnemonic[WIDE_HEAVY_512], "vmaxps");
    cr_expect(code.stands[WIDE_HEAVY_256], "it stands in the cold one, though no sample met it");
    cr_expect_str_eq(code.function[WIDE_HEAVY_256]->name, "cold");
    struct stalls none = {.functions = functions, .function_count = 3};
    code = wide_code_of(&none);
    cr_expect_not(code.stands[WIDE_HEAVY_512]);
}
