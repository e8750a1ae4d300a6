/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Phases that are limited by different things are said beside the verdict; those that are limited by one thing, or untold, aren't. */
#include "test.h"

#include "render/diagnosis/phase_section.h"

#include <string.h>

Test(phase_section, estimates_that_differ_are_said)
{
    static const struct phase_whole first = {.phase = 1, .functions = {{.name = "fill"}}, .function_count = 1}, second = {.phase = 2};
    static const struct {
        enum bottleneck_class class;
        enum bottleneck_cause cause;
        const char *said;
    } cases[] = {
        {BOTTLENECK_MEMORY, CAUSE_BANDWIDTH, "2 (fill) by estimate core (floating-point units), 50 to 54 %; 3 ([unknown]) by estimate memory (bandwidth), 50 to 54 %"},
        {BOTTLENECK_MIXED, CAUSE_BANDWIDTH, "2 (fill) by estimate core (floating-point units), 50 to 54 %; 3 ([unknown]) by estimate no one thing"},
        {BOTTLENECK_CORE, CAUSE_FP, NULL},
        {BOTTLENECK_UNKNOWN, CAUSE_BANDWIDTH, NULL},
    };
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        struct interval share = interval_of(0.5, 0.52, 0.54);
        struct phase_bottlenecks estimates = {
            .items = {{&first, {.class = BOTTLENECK_CORE, .cause = CAUSE_FP, .share = share}}, {&second, {.class = cases[at].class, .cause = cases[at].cause, .share = share}}},
            .count = 2};
        struct diagnosis diagnosis = {.phase_estimates = &estimates};
        struct arena arena;
        arena_init(&arena);
        const char *said = phases_differ(&diagnosis, &arena);
        cr_expect_eq(said != NULL, cases[at].said != NULL, "%zu: %s", at, said ? said : "nothing");
        if (said && cases[at].said)
            cr_expect_str_eq(said, cases[at].said);
        arena_done(&arena);
    }
}
