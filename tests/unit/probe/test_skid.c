/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "probe/skid.h"

/* No bound on where samples land: that is the machine's. What is checked is that the verdict follows the counts. */
static void check_verdict(enum skid_effort effort)
{
    struct skid_result result = {0};
    struct error err = {0};
    if (!skid_measure(kernel_live(), SKID_OF_CPU_CLOCK, effort, &result, &err))
        cr_skip_test("%s", err.message);
    uint64_t total = result.on_load + result.behind_load + result.elsewhere;
    if (total < 50)
        cr_assert_eq(result.verdict, SKID_UNKNOWN);
    else if (10 * result.behind_load >= 9 * total)
        cr_assert_eq(result.verdict, SKID_ONE);
    else if (10 * result.on_load >= 9 * total)
        cr_assert_eq(result.verdict, SKID_EXACT);
    else
        cr_assert_eq(result.verdict, SKID_SCATTERED);
}

Test(skid, verdict_follows_the_counts)
{
    check_verdict(SKID_WHOLE);
    check_verdict(SKID_SPARING);
}

/* The sparing one asks for an eighth of the memory: a pod that has no room for the whole one has its answer. */
Test(skid, a_sparing_chase_has_the_registers_of_its_own_nodes)
{
    struct skid_result result = {0};
    struct error err = {0};
    if (!skid_measure(kernel_live(), SKID_OF_CPU_CLOCK, SKID_SPARING, &result, &err) || result.verdict != SKID_ONE)
        cr_skip_test("samples aren't one behind here: %s", err.message);
    cr_expect(skid_registers_fit(&result), "%llu of %llu", (unsigned long long)result.registers_behind, (unsigned long long)result.behind_load);
}

/* A timer's sample one behind the load has the registers that the load left: the same question is asked of precise ones. */
Test(skid, registers_are_those_behind_the_load)
{
    struct skid_result result = {0};
    struct error err = {0};
    if (!skid_measure(kernel_live(), SKID_OF_CPU_CLOCK, SKID_WHOLE, &result, &err) || result.verdict != SKID_ONE)
        cr_skip_test("samples aren't one behind here: %s", err.message);
    cr_expect(skid_registers_fit(&result), "%llu of %llu", (unsigned long long)result.registers_behind, (unsigned long long)result.behind_load);
    result.registers_behind = 0;
    cr_expect_not(skid_registers_fit(&result));
}

Test(skid, where_a_wrong_guess_shows_follows_the_counts)
{
    struct restart_result result = {0};
    struct error err = {0};
    if (!skid_restart_measure(kernel_live(), SKID_OF_CPU_CLOCK, SKID_WHOLE, &result, &err))
        cr_skip_test("%s", err.message);
    uint64_t total = result.first + result.second + result.elsewhere;
    bool shows = total >= 50 && 10 * (result.first + result.second) >= total;
    enum skid_verdict expected = shows && result.first > 3 * result.second   ? SKID_EXACT
                                 : shows && result.second > 3 * result.first ? SKID_ONE
                                                                             : SKID_UNKNOWN;
    cr_assert_eq(result.verdict, expected);
}
