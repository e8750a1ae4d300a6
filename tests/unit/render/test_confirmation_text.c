/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What shows that a change took hold is told in its unit: seconds below one are no shares, pages are no seconds. */
#include "test.h"

#include "base/scope.h"
#include "base/text.h"
#include "render/comparison/confirmation.h"

#include <string.h>

Test(confirmation_text, what_took_hold_is_told_in_its_unit)
{
    static const struct {
        struct run_quantity quantity;
        double a, b;
        const char *line;
    } cases[] = {
        {{"run-delay", "ready, but without a CPU", RUN_SECONDS}, 0.9, 0.25, "ready, but without a CPU: 900.000 ms in A, 250.000 ms in B"},
        {{"huge-pages", "share of memory on huge pages", RUN_SHARE}, 0, 0.99, "share of memory on huge pages: 0 in A, 99.0 % in B"},
        {{"minor-faults", "page faults", RUN_COUNT}, 4180, 1, "page faults: 4180 in A, 1 in B"},
    };
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        scoped_text struct text out = {0};
        struct page page = page_for(&out, NULL);
        static const struct run_arm arms[] = {{"A", "a"}, {"B", "b"}};
        static const struct run_quantity cpu = {"cpu", "CPU time", RUN_SECONDS};
        struct comparison comparison = {.a = &arms[0], .b = &arms[1], .verdict = COMPARISON_UNDECIDED, .decisive = {.quantity = &cpu, .pair_count = 6}};
        struct confirmation confirmation = {.verdict = CONFIRMATION_INCONCLUSIVE, .reason = CONFIRMATION_FEW};
        static const struct confirmation_option option = {.name = "higher-priority", .change = "the same", .overturns = "no gain"};
        struct confirmation_report report = {.case_folder = "case", .finding = "x", .finding_verdict = "supported", .sentence = "it waits", .of = "CPU time",
                                             .options = &option, .option_count = 1, .made = &option, .command_a = "a", .command_b = "b",
                                             .comparison = &comparison, .confirmation = &confirmation, .block_count = 6, .stopped = "decided",
                                             .sign = &cases[at].quantity, .sign_a = measured_as(cases[at].a), .sign_b = measured_as(cases[at].b),
                                             .took_hold = "yes"};
        confirmation_text(&page, &report);
        cr_expect(strstr(text_string(&out), cases[at].line), "%s", text_string(&out));
    }
}

Test(confirmation_text, what_was_ruled_out_is_foretold_by_its_bound)
{
    scoped_text struct text out = {0};
    struct page page = page_for(&out, NULL);
    static const struct run_arm arms[] = {{"A", "a"}, {"B", "b"}};
    static const struct run_quantity cpu = {"cpu", "CPU time", RUN_SECONDS};
    struct comparison comparison = {.a = &arms[0], .b = &arms[1], .verdict = COMPARISON_UNDECIDED, .decisive = {.quantity = &cpu, .pair_count = 6}};
    struct confirmation confirmation = {.verdict = CONFIRMATION_CONFIRMED};
    static const struct confirmation_option option = {.name = "higher-priority", .change = "the same", .overturns = "a gain"};
    struct confirmation_report report = {.case_folder = "case", .finding = "x", .finding_verdict = "ruled_out", .sentence = "it waits", .of = "CPU time",
                                         .foretold = {.kind = FORETOLD_NONE, .gain = interval_of(0, 0.001, 0.003), .effect = 0.05}, .options = &option, .option_count = 1,
                                         .made = &option, .command_a = "a", .command_b = "b", .comparison = &comparison, .confirmation = &confirmation, .block_count = 6,
                                         .stopped = "decided", .took_hold = "yes"};
    confirmation_text(&page, &report);
    cr_expect(strstr(text_string(&out), "at most 0.3 % of the CPU time; surely more than 5.0 % would"), "%s", text_string(&out));
    cr_expect(strstr(text_string(&out), "predicted gain  at most 0.3 %"), "%s", text_string(&out));
    cr_expect(!strstr(text_string(&out), "at most 5.0 %"), "%s", text_string(&out));
}

/* Half of the faults went, and half of the gain came. */
Test(confirmation_text, a_change_that_took_hold_in_part_says_so)
{
    scoped_text struct text out = {0};
    struct page page = page_for(&out, NULL);
    static const struct run_arm arms[] = {{"A", "a"}, {"B", "b"}};
    static const struct run_quantity cpu = {"cpu", "CPU time", RUN_SECONDS}, faults = {"minor-faults", "page faults", RUN_COUNT};
    struct comparison comparison = {.a = &arms[0], .b = &arms[1], .verdict = COMPARISON_FASTER, .decisive = {.quantity = &cpu, .pair_count = 20}};
    struct confirmation confirmation = {.verdict = CONFIRMATION_CONFIRMED, .realised = interval_of(0.025, 0.042, 0.055), .pair_count = 20,
                                        .extent = interval_of(0.5, 0.51, 0.52), .expected = interval_of(0.0375, 0.0454, 0.0536)};
    static const struct confirmation_option option = {.name = "keep-freed-memory", .change = "the same", .overturns = "no gain"};
    struct confirmation_report report = {.case_folder = "case", .finding = "page-faults", .finding_verdict = "supported", .sentence = "it faults", .of = "CPU time",
                                         .foretold = {.kind = FORETOLD_GAIN, .gain = interval_of(0.075, 0.089, 0.103), .effect = 0.02}, .options = &option,
                                         .option_count = 1, .made = &option, .command_a = "a", .command_b = "b", .comparison = &comparison,
                                         .confirmation = &confirmation, .block_count = 20, .stopped = "decided", .sign = &faults, .sign_a = measured_as(6921),
                                         .sign_b = measured_as(3392), .took_hold = "yes"};
    confirmation_text(&page, &report);
    cr_expect(strstr(text_string(&out), "confirmed, as far as it took hold: page faults: 51 % went, so 3.8 to 5.4 %"), "%s", text_string(&out));
    cr_expect(strstr(text_string(&out), "for what took hold, 51 % [50 .. 52]"), "%s", text_string(&out));
}
