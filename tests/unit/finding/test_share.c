/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A share says of what it is one, and is converted by the run's own times. */
#include "test.h"

#include "base/vec.h"
#include "finding/results.h"
#include "finding/share.h"

static struct share_scale scale_of(double elapsed_s, double cpu_s, double on_cpu, double width, double cpus)
{
    return (struct share_scale){.elapsed_s = measured_as(elapsed_s),
                                .cpu_s = measured_as(cpu_s),
                                .on_cpu_ratio = measured_as(on_cpu),
                                .width = measured_as(width),
                                .cpus = measured_as(cpus)};
}

Test(share, conversions)
{
    static const struct {
        const char *what;
        double elapsed_s, cpu_s, on_cpu, width, cpus;
        enum denominator from, to;
        double part, low, high;
    } cases[] = {
        {"one thread, always running", 10, 10, 1, 1, 4, OF_CPU_TIME, OF_ELAPSED, 0.3, 0.3, 0.3},
        {"one thread that slept half the time", 10, 5, 0.5, 1, 4, OF_CPU_TIME, OF_ELAPSED, 0.3, 0.15, 0.15},
        {"turns of two threads", 10, 10, 1, 2, 2, OF_CPU_TIME, OF_ELAPSED, 0.3, 0.3, 0.3},
        /* 2 s of two threads beside each other and 1 s of one: 5 s, of which 1 s is 20 % of the CPU time, 33 % of the run. */
        {"the part alone, or shared by both", 3, 5, 1, 2, 2, OF_CPU_TIME, OF_ELAPSED, 0.2, 1 / 6.0, 1 / 3.0},
        {"no more than it ran", 10, 15, 0.5, 4, 4, OF_CPU_TIME, OF_ELAPSED, 0.9, 13.5 / 40, 0.5},
        {"64 threads for 1 s, then one alone for 1 s", 2, 65, 1, 64, 64, OF_CPU_TIME, OF_ELAPSED, 1 / 65.0, 1 / 128.0, 0.5},
        {"half a per cent of 64 CPUs may be a third of one thread", 10, 10, 1, 1, 64, OF_MACHINE, OF_CPU_TIME, 0.005, 0, 0.32},
        {"all of them at most", 10, 10, 1, 1, 64, OF_MACHINE, OF_ELAPSED, 0.5, 0, 1},
        {"the same stays the same", 3, 5, 1, 2, 2, OF_ELAPSED, OF_ELAPSED, 0.2, 0.2, 0.2},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct share_scale scale = scale_of(cases[at].elapsed_s, cases[at].cpu_s, cases[at].on_cpu, cases[at].width,
                                            cases[at].cpus);
        struct interval got =
            share_as(share_of(cases[at].from, interval_exactly(cases[at].part)), cases[at].to, &scale);
        cr_expect(got.known, "%s", cases[at].what);
        cr_expect_float_eq(got.low, cases[at].low, 1e-9, "%s: %g", cases[at].what, got.low);
        cr_expect_float_eq(got.high, cases[at].high, 1e-9, "%s: %g", cases[at].what, got.high);
        cr_expect(got.low <= got.mid && got.mid <= got.high, "%s", cases[at].what);
    }
}

Test(share, samples_without_the_kernels_are_shares_of_that_part)
{
    struct share_scale scale = scale_of(10, 10, 1, 1, 4);
    scale.sampled = interval_of(0.2, 0.25, 0.3);
    struct interval got = share_as(share_of(OF_SAMPLES, interval_exactly(0.8)), OF_CPU_TIME, &scale);
    cr_expect_float_eq(got.low, 0.16, 1e-9);
    cr_expect_float_eq(got.high, 0.24, 1e-9);
    cr_expect_float_eq(share_whole_s(OF_SAMPLES, &scale).value, 2.5, 1e-9);
    cr_expect_float_eq(share_whole_s(OF_MACHINE, &scale).value, 40, 1e-9);
}

Test(share, what_bounds_nothing_is_unknown)
{
    struct share_scale scale = {.elapsed_s = not_measured("no"), .cpu_s = not_measured("no"),
                                .on_cpu_ratio = not_measured("no"), .width = not_measured("no"), .cpus = not_measured("no")};
    cr_expect_not(share_as(share_of(OF_MACHINE, interval_exactly(0.1)), OF_CPU_TIME, &scale).known);
    cr_expect_not(share_as(share_of(OF_ELAPSED, interval_exactly(0.1)), OF_CPU_TIME, &scale).known);
    cr_expect_not(share_whole_s(OF_MACHINE, &scale).known);
    cr_expect_not(share_as(share_of(OF_SAMPLES, (struct interval){0}), OF_ELAPSED, &scale).known);
}

Test(share, gains_are_of_what_the_user_waits_for_unless_threads_ran_side_by_side)
{
    struct run_time run = {.scope = RUN_STARTED, .elapsed_s = measured_as(10), .cpu_s = measured_as(10),
                           .on_cpu_ratio = measured_as(1), .cpus_used = measured_as(1), .run_delay_s = measured_as(0)};
    cr_expect_eq(share_denominator(&run), OF_ELAPSED);
    run.cpus_used = measured_as(1.9);
    cr_expect_eq(share_denominator(&run), OF_CPU_TIME);
    run.cpus_used = measured_as(1);
    run.run_delay_s = measured_as(2);
    cr_expect_eq(share_denominator(&run), OF_CPU_TIME, "others held its CPUs");
    run.run_delay_s = measured_as(0);
    run.scope = RUN_ATTACHED;
    cr_expect_eq(share_denominator(&run), OF_CPU_TIME);
    cr_expect_eq(share_denominator(NULL), OF_CPU_TIME);
}
