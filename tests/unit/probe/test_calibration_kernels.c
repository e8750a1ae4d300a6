/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/clock.h"
#include "probe/calibration/clock.h"
#include "probe/calibration/calibration.h"
#include "probe/calibration/core_kernel.h"
#include "probe/calibration/memory_kernel.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Nanoseconds of a load that waits for the one before, in one group so long that reading the clock is none of it. */
static double long_chase_ns(const char *first)
{
    enum { STEPS = 200000 };
    register const char *at = first; /* tests are not optimised: else each load would wait for the stack as well */
    double start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (register int step = 0; step < STEPS; step++)
        at = *(char *const volatile *)at;
    return (clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns) / STEPS;
}

/* Where the core learns the "random" branches of the rounds before, hardly a guess is wrong and a miss seems to cost nothing. */
Test(calibration_kernels, random_branches_stay_random_round_after_round)
{
#if defined(__x86_64__)
    enum { LEARNING = 20, JUDGED = 12 };
    double cycles[JUDGED];
    int judged = 0;
    for (int round = 0; round < LEARNING + 4 * JUDGED && judged < JUDGED; round++) {
        struct measured miss = branch_miss_ns(), clock = clock_measure();
        if (round >= LEARNING && miss.known && clock.known)
            cycles[judged++] = miss.value * clock.value / 1e9;
    }
    if (judged < JUDGED)
        cr_skip_test("too busy a machine: most rounds were interrupted");
    qsort(cycles, JUDGED, sizeof(double), ascending);
    cr_assert_gt(cycles[JUDGED / 2], 10, "no pipeline restarts in %.1f cycles", cycles[JUDGED / 2]);
#endif
}

Test(calibration_kernels, a_chase_has_no_clock_readings_in_it)
{
    struct sysroot root;
    struct memory_region region;
    enum { ROUNDS = 16 };
    double ratios[ROUNDS];
    sysroot_init(&root, NULL);
    memory_region_init(&region, &root, 16384, false);
    cr_assert_null(region.why_not, "%s", region.why_not);
    chase_lay(&region, 16384);
    for (int round = 0; round < ROUNDS; round++) {
        struct measured chase = chase_ns(&region, 1e6);
        cr_assert(chase.known);
        ratios[round] = chase.value / long_chase_ns(region.bytes);
    }
    memory_region_done(&region);
    qsort(ratios, ROUNDS, sizeof(double), ascending);
    cr_assert_lt(ratios[ROUNDS / 4], 1.2, "a load took %.2f times as long as in one group", ratios[ROUNDS / 4]);
}

/* Each extent measures what it says, and says of the rest that it was left out. */
Test(calibration, of_the_core_alone_touches_no_memory)
{
    struct sysroot root;
    struct calibration calibration;
    const struct microarchitecture four_wide = {.slots = 4};
    const struct calibration_request request = {.extent = CALIBRATION_CORE, .core = &four_wide, .seed = 1};
    sysroot_init(&root, NULL);
    calibration_measure(&calibration, &root, &request);
    cr_expect(calibration.figures[CALIBRATION_CLOCK].value.known || calibration.figures[CALIBRATION_CLOCK].why_not);
    cr_expect_eq(calibration.step_count, 0);
    for (size_t at = CALIBRATION_FMA_128; at < CALIBRATION_FIGURES; at++)
        cr_expect(!calibration.figures[at].value.known && calibration.figures[at].why_not, "%zu", at);
}
