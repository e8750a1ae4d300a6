/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "loop_code.h"

#include "analyse/loop/loop_bound.h"

#include <math.h>

struct bound_case {
    const char *what, *hex;
    enum loop_limit limit;
    double cycles;          /* on SKX, by the latencies and ports of the sources that the table names */
    double if_same;         /* chain through memory if it is one place; 0: as the certain one */
    enum chain_kind kind;   /* of most of the chain, when that is the limit */
};

static const struct bound_case cases[] = {
    {"imul %rbx,%rax; dec; jnz: latency 3", "480fafc348ffc975f7", LOOP_LIMIT_CHAIN, 3, 0, CHAIN_MULTIPLY},
    {"mov (%rax),%rax: simple address, 4", "488b0048ffc975f8", LOOP_LIMIT_CHAIN, 4, 0, CHAIN_LOAD},
    {"add %rbx,(%rdi): forwarded and added", "48011f48ffc975f8", LOOP_LIMIT_CHAIN, 5, 0, CHAIN_FORWARD},
    {"a[i] += a[i-1], floats: forwarding 5 and addss 4", "f30f100c8ff30f584c8ffcf30f110c8f48ffc14839d172e8", LOOP_LIMIT_CHAIN, 9, 0, CHAIN_FORWARD},
    {"a[i] += a[i-2]: the same over two turns", "f30f100c8ff30f584c8ff8f30f110c8f48ffc14839d172e8", LOOP_LIMIT_CHAIN, 4.5, 0, CHAIN_FORWARD},
    {"ten vfmadd231ps on two ports",
     "c4e26db8c1c4e26db8d9c4e26db8e1c4e26db8e9c4e26db8f1c4e26db8f9c4626db8c1c4626db8c9c4626db8d1c4626db8d948ffc975c9",
     LOOP_LIMIT_UNITS, 5, 0, CHAIN_FP},
    {"a histogram: five slots; if it is one counter, forwarding and one", "0fb607ff048648ffc74839fa75f2", LOOP_LIMIT_FRONTEND, 1.25, 5, 0},
    {"the same, unrolled four times: if all four are one counter, four times that", "0fb6174883c704830490010fb657fd830490010fb657fe830490010fb657ff830490014839f975d8", LOOP_LIMIT_UNITS, 4, 20, 0},
    {"divsd of its own result: 13", "f20f5ec148ffc975f7", LOOP_LIMIT_CHAIN, 13, 0, CHAIN_DIVIDE},
    {"divsd of new values: the divider, 4", "660f28c3f20f5ec148ffc975f3", LOOP_LIMIT_UNITS, 4, 0, 0},
    {"moves are eliminated, the addition isn't: 1", "4889c34883c3014889d848ffc975f1", LOOP_LIMIT_FRONTEND, 1, 0, 0},
    {"popcnt waits for its destination", "f3480fb8c348ffc975f6", LOOP_LIMIT_CHAIN, 3, 0, CHAIN_OTHER},
    {"lzcnt doesn't", "f3480fbdc348ffc975f6", LOOP_LIMIT_FRONTEND, 1, 0, 0},
    {"addl $1,-4(%rbp), as unoptimised code counts", "8345fc01837dfc647ef6", LOOP_LIMIT_CHAIN, 5, 0, CHAIN_FORWARD},
    {"crc32q chain: 3", "f2480f38f1064883c6084839d675f1", LOOP_LIMIT_CHAIN, 3, 0, CHAIN_OTHER},
    {"adc chain, counted by dec and lea, which leave the carry", "481306488d760848ffc975f4", LOOP_LIMIT_FRONTEND, 1, 0, 0},
    {"three shuffles on port 5", "c4e26900d9c4e25900e9c5d960f148ffc975ed", LOOP_LIMIT_UNITS, 3, 0, 0},
    {"two stores, one a cycle", "488917488957084883c7104839f975f0", LOOP_LIMIT_UNITS, 2, 0, 0},
    {"eight slots of four", "4883e901480f4fc390909090904885c975ee", LOOP_LIMIT_FRONTEND, 2, 0, 0},
};

static struct loop_bound bound_of(const char *hex, const char *core, double share)
{
    struct loop_code code;
    struct loop_bound bound;
    loop_code_decode(&code, hex);
    struct loop_bound_request request = {.rows = code.rows, .loop = {0, code.count - 1}, .core = core_costs_find(core), .issue_share = share,
                                         .unit_share = share};
    loop_bound_find(&bound, &request);
    return bound;
}

Test(loop_bound, cycles_and_what_takes_them)
{
    for (size_t at = 0; at < sizeof(cases) / sizeof(*cases); at++) {
        const struct bound_case *one = &cases[at];
        struct loop_bound bound = bound_of(one->hex, "CLX", 1);
        cr_assert(bound.known && !bound.is_lower && !bound.is_approximate, "%s", one->what);
        cr_expect_float_eq(bound.cycles, one->cycles, 0.01, "%s: %g", one->what, bound.cycles);
        cr_expect_eq(bound.limit, one->limit, "%s: %s", one->what, loop_limit_name(bound.limit));
        double same = one->if_same ? one->if_same : bound.chain.cycles;
        cr_expect_float_eq(bound.chain_if_same.cycles, same, 0.01, "%s: %g", one->what, bound.chain_if_same.cycles);
        for (size_t kind = 0; one->limit == LOOP_LIMIT_CHAIN && kind < CHAIN_KINDS; kind++)
            cr_expect_leq(bound.chain.kind_cycles[kind], bound.chain.kind_cycles[one->kind], "%s: %s", one->what, chain_kind_name(kind));
        double sum = 0;
        for (size_t kind = 0; kind < CHAIN_KINDS; kind++)
            sum += bound.chain.kind_cycles[kind];
        cr_expect_float_eq(sum, bound.chain.cycles, 0.01, "%s: the kinds' cycles add up, %g", one->what, sum);
    }
}

Test(loop_bound, a_part_of_the_core_takes_longer_but_a_chain_does_not)
{
    cr_expect_float_eq(bound_of(cases[0].hex, "CLX", 0.5).cycles, 3, 0.01);
    cr_expect_float_eq(bound_of(cases[5].hex, "CLX", 0.5).cycles, 10, 0.01);
}

Test(loop_bound, other_cores_have_other_bounds)
{
    cr_expect_float_eq(bound_of("4883e901480f4fc390909090904885c975ee", "SPR", 1).cycles, 8 / 6.0, 0.01);
    cr_expect_float_eq(bound_of("488917488957084883c7104839f975f0", "ICX", 1).cycles, 1, 0.01, "two stores a cycle");
}

Test(loop_bound, what_is_not_known_is_said)
{
    struct loop_bound bound = bound_of("d9fe48ffc975f9", "CLX", 1); /* fsin */
    cr_assert(bound.known && bound.is_lower && bound.unknown_count == 1);
    cr_assert_str_eq(bound.unknown_mnemonic, "fsin");
    bound = bound_of(cases[0].hex, "no such core", 1);
    cr_assert(!bound.known && bound.why_not && !bound.cycles);
}

struct core_case {
    const char *core;
    double imul, addss, fma, loads; /* cycles: chains of one; four loads a turn */
};

static const struct core_case cores[] = {
    {"SKX", 3, 4, 4, 2}, {"ICX", 3, 4, 4, 2}, {"SPR", 3, 3, 4, 4 / 3.0},
    {"ZEN2", 3, 3, 5, 2}, {"ZEN3", 3, 3, 4, 4 / 3.0}, {"ZEN4", 3, 3, 4, 4 / 3.0}, {"ZEN5", 3, 2, 4, 1},
};

Test(loop_bound, every_core_by_its_own_column)
{
    for (size_t at = 0; at < sizeof(cores) / sizeof(*cores); at++) {
        const struct core_case *one = &cores[at];
        cr_expect_float_eq(bound_of("480fafc348ffc975f7", one->core, 1).cycles, one->imul, 0.01, "%s imul", one->core);
        cr_expect_float_eq(bound_of("f30f58c148ffc975f7", one->core, 1).cycles, one->addss, 0.01, "%s addss", one->core);
        cr_expect_float_eq(bound_of("c4e2e9b9c148ffc975f6", one->core, 1).cycles, one->fma, 0.01, "%s vfmadd231sd", one->core);
        cr_expect_float_eq(bound_of("488b06488b56084c8b46104c8b561848ffc975ec", one->core, 1).cycles, one->loads, 0.01, "%s loads", one->core);
    }
}

/* fmadd d0, d1, d2, d0; subs x1, x1, #1; b.ne: by classes, so a lower bound. */
Test(loop_bound, aarch64_by_class)
{
    static const uint8_t bytes[] = {0x20, 0x00, 0x42, 0x1f, 0x21, 0x04, 0x00, 0xf1, 0xc1, 0xff, 0xff, 0x54};
    struct disassembler *disassembler;
    struct error err = {0};
    struct instruction rows[3];
    struct loop_bound bound;
    if (!disassembler_new(&disassembler, "aarch64", SYNTAX_ATT, &err))
        cr_skip_test("%s", err.message);
    for (size_t at = 0; at < 3; at++)
        disassembler_next(disassembler, bytes + 4 * at, 4, 0x1000 + 4 * at, &rows[at]);
    disassembler_free(disassembler);
    for (size_t at = 0; at < 4; at++) {
        const char *const keys[] = {"NEOVERSE-N1", "NEOVERSE-V1", "NEOVERSE-N2", "NEOVERSE-V2"};
        struct loop_bound_request request = {.rows = rows, .loop = {0, 2}, .core = core_costs_find(keys[at])};
        loop_bound_find(&bound, &request);
        cr_assert(bound.known && bound.is_lower && !bound.unknown_count, "%s", keys[at]);
        cr_expect_float_eq(bound.cycles, 2, 0.01, "%s: %g", keys[at], bound.cycles);
        cr_expect_eq(bound.limit, LOOP_LIMIT_CHAIN);
    }
}

/* "add %ecx,%eax; rol $7,%eax; xor %edx,%eax" so many times: each needs what the one before computed. */
static void steps_decode(struct loop_code *code, int steps)
{
    char hex[4096] = "";
    for (int at = 0; at < steps; at++)
        strcat(hex, "01c8c1c00731d0");
    loop_code_decode(code, strcat(hex, "c3"));
}

static struct straight_bound straight_of(const struct loop_code *code)
{
    struct straight_bound bound;
    struct arena arena;
    arena_init(&arena);
    const struct loop_bound_request request = {.core = core_costs_find("ZEN5")};
    struct loop_path path = loop_path_of(code->rows, (struct loop_rows){0, code->count - 1}, NULL, &arena);
    straight_bound_of_path(&bound, &path, &request);
    arena_done(&arena);
    return bound;
}

/* Compiled digests of blocks: one function without a loop, called for each. */
Test(loop_bound, straight_code_takes_its_chain_of_quick_results)
{
    struct loop_code code;
    steps_decode(&code, 80);
    struct straight_bound bound = straight_of(&code);
    cr_assert(bound.known && bound.row_count == 241);
    cr_expect_float_eq(bound.frontend_cycles, 241 / 8.0, 0.2, "%g", bound.frontend_cycles);
    cr_expect_float_eq(bound.chain.cycles, 240, 1.01, "%g", bound.chain.cycles);
    cr_expect_gt(bound.chain.kind_cycles[CHAIN_OTHER], 239);
    cr_expect(bound.overlapped_cycles > 60 && bound.overlapped_cycles < 120, "two or three calls at a time: %g", bound.overlapped_cycles);
    steps_decode(&code, 10); /* many calls at a time */
    bound = straight_of(&code);
    cr_expect(bound.known && bound.chain.cycles > 2 * bound.frontend_cycles);
    cr_expect_lt(bound.overlapped_cycles, 1.5 * bound.unit_cycles, "%g", bound.overlapped_cycles);
    loop_code_decode(&code, "01c8e80000000031d0c3"); /* what it calls takes isn't known */
    cr_expect_not(straight_of(&code).known);
}
