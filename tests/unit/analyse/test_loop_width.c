/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/loop/loop_width.h"
#include "base/vec.h"
#include "loop_code.h"

/* Functions as gcc 12 compiles them, and what is to be said of their loop. */
static const struct {
    const char *does, *hex;
    enum loop_obstacle obstacle;
    unsigned bits; /* of a free one */
    bool is_fp, sums_fp;
} functions[] = {
    {"x = x * 6364136223846793005 + 1442695040888963407", "4889f84885f67e2848bf2d7f954c2df4515831d248b94f8167f77e7b05146690480fafc74883c2014801c84839d675f0c366662e0f1f8400000000000f1f4000",
     LOOP_CARRIED, 0, false, false},
    {"a[i] += a[i - 1]", "4883fe017e18488d4704488d0cb766908b50fc01104883c0044839c175f2c390",
     LOOP_STORED, 0, false, false},
    {"h[a[i]]++", "4885d27e1b4801fa0f1f8400000000000fb6074883c701830486014839fa75f0c366662e0f1f8400000000000f1f4000",
     LOOP_SCATTERED, 0, false, false},
    {"while (a[i] != c) i++", "0fb60739c6b80000000074140f1f40004883c0010fb6140739f275f4c30f1f00c366662e0f1f8400000000000f1f4000",
     LOOP_BRANCHES, 0, false, false},
    {"h = h * 33 ^ a[i]", "4885f67e2b4801feb8051500000f1f0089c24883c701c1e20501d00fb657ff31d04839f775eac3660f1f840000000000b805150000c3662e0f1f840000000000",
     LOOP_CARRIED, 0, false, false},
    {"y = y * k + a[i]; a[i] = y", "0f28c84885f67e28488d04b7660fefc0f30f59c14883c704f30f5847fcf30f1147fc4839c775e9c30f1f840000000000660fefc0c366662e0f1f840000000000",
     LOOP_CARRIED, 0, true, false},
    {"s += a[i]", "4885f67e1b488d14b731c00f1f44000003074883c7044839d775f5c30f1f400031c0c366662e0f1f8400000000006690",
     LOOP_FREE, 32, false, false},
    {"s += a[i] * b[i], float", "4885d27e2b31c0660fefc90f1f440000f30f100487f30f5904864883c001f30f58c84839c275e90f28c1c30f1f440000660fefc90f28c1c30f1f840000000000",
     LOOP_FREE, 32, true, true},
    {"c[i] = a[i] * 3 + b[i], bytes", "4885c97e244531c00f1f840000000000420fb604078d044042020406428804024983c0014c39c175e7c3660f1f440000",
     LOOP_FREE, 8, false, false},
    {"b[i] = a[i * 512] * 2", "4885d27e2848c1e20c488d04170f1f00f20f10074881c7001000004883c608f20f58c0f20f1146f84839c775e3c36690",
     LOOP_SCATTERED, 0, true, false},
    {"b[i] = a[i] / b[i]", "4885d27e2331c0660f1f840000000000f20f1004c7f20f5e04c6f20f1104c64883c0014839c275e8c30f1f8000000000",
     LOOP_NO_FORM, 0, true, false},
    {"s += p->v; p = p->x", "31c04885ff7419660f1f84000000000048034708488b3f4885ff75f4c30f1f00c366662e0f1f8400000000000f1f4000",
     LOOP_CARRIED, 0, false, false},
    {"s += a[i[k]]", "4885d27e23488d0c9631c00f1f4400004863164883c604486314974801d04839f175edc30f1f400031c0c30f1f440000",
     LOOP_SCATTERED, 0, false, false},
    {"m = a[i] > m ? a[i] : m", "8b174885f67e21488d4704488d34b789d1eb0b0f1f4400008b084883c00439ca0f4cd14839f075f089d0c30f1f440000",
     LOOP_FREE, 32, false, false},
    {"x[i] += k * y[i], float", "4885d27e2731c0660f1f840000000000f30f100c86f30f59c8f30f580c87f30f110c874883c0014839c275e4c30f1f00",
     LOOP_FREE, 32, true, false},
    {"if (a[i] != b[i]) return 0", "4885d27e2331c0eb100f1f80000000004883c0014839c2740f8b0c86390c8774ef31c0c30f1f4000b801000000c36690",
     LOOP_BRANCHES, 0, false, false},
    {"a[i] = f(a[i])", "4889f94885f67e1c31d2660f1f4400008b3c91e8d8ffffff8904914883c2014839d675ecc3",
     LOOP_CALLS, 0, false, false},
    {"x[i] += k * y[i], 128 bits at a time", "0f100c060f101c010f59ca0f58cb0f110c014883c0104839f875e5",
     LOOP_FREE, 128, true, false},
    {"b[i] = a[i] > 0 ? a[i] : 0, by a counter and the copy that it had a turn ago", "4883c001f3410f100491f30f5fc1f3410f1104904889c24839c175e4",
     LOOP_FREE, 32, true, false},
    {"s = (s + a[i]) ^ a[i]", "8b0f01c831c84883c7044839d775f1c3", LOOP_CARRIED, 0, false, false},
    {"s = 2 * s + a[i]", "01c003074883c7044839d775f3c3", LOOP_CARRIED, 0, false, false},
    {"s = a[i] - s, 128 bits at a time", "c5fa6f0fc5f1fac04883c7104839d775efc3", LOOP_CARRIED, 0, false, false},
    {"s = s - a[i], 128 bits at a time", "c5fa6f0fc5f9fac14883c7104839d775efc3", LOOP_FREE, 128, false, false},
    {"s = s + s * a[i], float", "c5fa100fc4e279b9c14883c7044839d775eec3", LOOP_CARRIED, 0, true, false},
    {"s = s + a[i] * a[i], float", "c5fa100fc4e271b9c14883c7044839d775eec3", LOOP_FREE, 32, true, true},
    {"s = saturated(s + a[i]), 128 bits at a time", "c5fa6f0fc5f9edc14883c7104839d775efc3", LOOP_CARRIED, 0, false, false},
    {"s = ~s & a[i], 128 bits at a time", "c5fa6f0fc5f9dfc14883c7104839d775efc3", LOOP_CARRIED, 0, false, false},
    {"b[i] = a[i], widened to 64 bits by cltq", "8b0748984889064883c7044883c6084839d775ecc3", LOOP_FREE, 64, false, false},
    {"s += a[i], not optimised", "554889e548897de8488975e0c745fc0000000048c745f000000000eb1d488b45f0488d148500000000488b45e84801d08b000145fc488345f001488b45f0483b45e07cd98b45fc5dc3",
     LOOP_SCATTERED, 0, false, false},
};

/* The loop with the fewest rows. */
static bool loop_of(const struct loop_code *code, struct loop_rows *ret_loop)
{
    struct loop_rows loops[LOOP_CODE_MOST];
    bool found = false;
    code_loops_find(code->rows, code->count, loops);
    for (uint32_t row = 0; row < code->count; row++)
        if (loops[row].first != UINT32_MAX && (!found || loops[row].last - loops[row].first < ret_loop->last - ret_loop->first)) {
            *ret_loop = loops[row];
            found = true;
        }
    return found;
}

Test(loop_width, what_keeps_a_loop_from_vectors_is_seen_in_its_code)
{
    struct arena arena;
    arena_init(&arena);
    for (size_t at = 0; at < array_count(functions); at++) {
        struct loop_code code;
        struct loop_rows loop = {0};
        loop_code_decode(&code, functions[at].hex);
        cr_assert(loop_of(&code, &loop), "%s", functions[at].does);
        struct loop_width width = loop_width_of(code.rows, loop, &arena);
        cr_expect_eq(width.obstacle, functions[at].obstacle, "%s: %d", functions[at].does, width.obstacle);
        if (width.obstacle != LOOP_FREE)
            continue;
        cr_expect_eq(width.bits, functions[at].bits, "%s: %u", functions[at].does, width.bits);
        cr_expect_eq(width.is_fp, functions[at].is_fp, "%s", functions[at].does);
        cr_expect_eq(width.sums_fp, functions[at].sums_fp, "%s", functions[at].does);
    }
    arena_done(&arena);
}

/* A vector holds no more than what all turns have to compute: of 8 bytes, of 4 numbers; of as many as the caller says. */
Test(loop_width, turns_that_the_code_counts_bound_it)
{
    static const struct {
        const char *hex;
        uint32_t most_bits;
    } cases[] = {{"4989f831c94889f24983c00148d3ea83c10883f25a418850ff83f94075e7488b07c3", 64},
                 {"488d4f104889f88300034883c0044839c875f4c3", 128},
                 {"488d0cb74889f88300034883c0044839c875f4c3", 0}};
    struct arena arena;
    arena_init(&arena);
    for (size_t at = 0; at < array_count(cases); at++) {
        struct loop_code code;
        struct loop_rows loop = {0};
        loop_code_decode(&code, cases[at].hex);
        cr_assert(loop_of(&code, &loop));
        struct loop_width width = loop_width_of(code.rows, loop, &arena);
        cr_expect_eq(width.obstacle, LOOP_FREE, "%zu: %d", at, width.obstacle);
        cr_expect_eq(width.most_bits, cases[at].most_bits, "%zu: %u", at, width.most_bits);
    }
    arena_done(&arena);
}
