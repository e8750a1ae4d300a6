/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/told.h"
#include "base/vec.h"

static struct told told_from(const char *text, struct arena *arena)
{
    const struct statement said = {"said by a person", text};
    const struct statements all = {&said, 1};
    struct told told;
    told_of(&told, &all, arena);
    return told;
}

Test(told, trials_and_how_they_came_out)
{
    static const struct {
        const char *text;
        size_t count;
        enum treatment treatment;
        enum outcome outcome;
        bool on_host, on_guest;
    } cases[] = {
        {"With nohz_full there is still a gap.", 1, TREATMENT_TICK, OUTCOME_STAYED, false, false},
        {"tried: huge pages (host): stayed", 1, TREATMENT_PAGES, OUTCOME_STAYED, true, false},
        {"tried: THP (host, guest): gone", 1, TREATMENT_PAGES, OUTCOME_GONE, true, true},
        {"tried: nohz_full: gone, then it stayed", 0, 0, 0, false, false}, /* which? */
        {"With huge pages it is still fast.", 0, 0, 0, false, false},
        {"The kernel is the same with THP.", 0, 0, 0, false, false},
        {"Huge pages on the host made no difference.", 1, TREATMENT_PAGES, OUTCOME_STAYED, true, false},
        {"With THP in the guest, the gap is gone!", 1, TREATMENT_PAGES, OUTCOME_GONE, false, true},
        {"thp on host and guest: fine", 0, 0, 0, false, false},
        {"With huge pages and nohz_full the gap is gone.", 0, 0, 0, false, false}, /* which of them? */
        {"We use huge pages. The gap is gone.", 0, 0, 0, false, false},            /* two sentences */
        {"Without AVX-512 there is no change.", 1, TREATMENT_NARROW, OUTCOME_STAYED, false, false},
        {"Enabling huge pages in host and guest closed the gap.", 1, TREATMENT_PAGES, OUTCOME_GONE, true, true},
        {"Huge pages in the guest did not help.", 1, TREATMENT_PAGES, OUTCOME_STAYED, false, true},
        {"With nohz_full the gap shrank to 5 %.", 1, TREATMENT_TICK, OUTCOME_SHRANK, false, false},
        {"Turning off the timer tick (nohz_full) brought both to the same speed.", 1, TREATMENT_TICK, OUTCOME_GONE, false, false},
        {"With nohz_full there were few exits, but the slowdown is unchanged.", 1, TREATMENT_TICK, OUTCOME_STAYED, false, false},
        {"Transparent hugepages in the guest alone didn't help.", 1, TREATMENT_PAGES, OUTCOME_STAYED, false, true},
        {"With 2M pages twice as fast as before.", 0, 0, 0, false, false},
        {"tried: THP (host): shrank", 1, TREATMENT_PAGES, OUTCOME_SHRANK, true, false},
        {"With THP the gap is smaller, but there is still a gap.", 0, 0, 0, false, false}, /* which? */
        {"It was fast yesterday.", 0, 0, 0, false, false},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct arena arena;
        arena_init(&arena);
        struct told told = told_from(cases[at].text, &arena);
        cr_assert_eq(told.trial_count, cases[at].count, "%s", cases[at].text);
        if (told.trial_count) {
            cr_expect_eq(told.trials[0].treatment, cases[at].treatment, "%s", cases[at].text);
            cr_expect_eq(told.trials[0].outcome, cases[at].outcome, "%s", cases[at].text);
            cr_expect(told.trials[0].on_host == cases[at].on_host && told.trials[0].on_guest == cases[at].on_guest, "%s", cases[at].text);
            cr_expect_str_eq(told.trials[0].sentence, cases[at].text);
        }
        arena_done(&arena);
    }
}

Test(told, a_trial_says_how_much_of_the_gap_it_left)
{
    struct arena arena;
    arena_init(&arena);
    struct told told = told_from("With THP there is still a gap of 30 %. Without AVX-512 there is no change.", &arena);
    cr_assert_eq(told.trial_count, 2);
    cr_assert(told.trials[0].left.known);
    cr_expect_float_eq(told.trials[0].left.high, 0.3, 1e-9);
    cr_expect_not(told.trials[1].left.known);
    arena_done(&arena);
}

Test(told, trials_stand_one_a_line)
{
    struct arena arena;
    arena_init(&arena);
    struct told told = told_from("What I did\ntried: huge pages (host): stayed\ntried: nohz_full: gone\nand went home.", &arena);
    cr_assert_eq(told.trial_count, 2);
    cr_expect_eq(told.trials[0].treatment, TREATMENT_PAGES);
    cr_expect_eq(told.trials[0].outcome, OUTCOME_STAYED);
    cr_expect_eq(told.trials[1].treatment, TREATMENT_TICK);
    cr_expect_eq(told.trials[1].outcome, OUTCOME_GONE);
    cr_expect_str_eq(told.trials[1].sentence, "tried: nohz_full: gone");
    arena_done(&arena);
}

Test(told, gaps_loops_and_functions)
{
    struct arena arena;
    arena_init(&arena);
    struct told told = told_from("# A heading\nIt is **20 % ~ 150%** lower than there. The hot loop is only ~1.5 KiB. Look at run_ref(), not at int f() { return 0; }", &arena);
    cr_assert(told.gap.known);
    cr_expect_float_eq(told.gap.low, 1 - 1 / 1.2, 1e-9);
    cr_expect_float_eq(told.gap.high, 1 - 1 / 2.5, 1e-9, "no throughput is 150 %% lower: it takes so much longer");
    cr_expect_float_eq(told.loop_bytes, 1536, 1e-9);
    told = told_from("It is in run_ref() and in main().", &arena);
    cr_assert_eq(told.function_count, 2);
    cr_expect_str_eq(told.functions[0], "run_ref");
    told = told_from("A loop of 1024 turns. 30 % slower.", &arena);
    cr_expect_eq(told.loop_bytes, 0);
    cr_expect_float_eq(told.gap.high, 0.3, 1e-9);
    arena_done(&arena);
}

Test(told, nothing_is_read_behind_the_end)
{
    static const char text[] = "x is 20% ~ 30% lower than y. With nohz_full there is still a gap: the loop is ~100 bytes, see f_ref().";
    for (size_t length = 0; length <= sizeof(text) - 1; length++) {
        struct edge edge = edge_copy(text, length);
        struct view rest = {(char *)edge.bytes, length}, sentence;
        while ((sentence = told_sentence(&rest)).length)
            (void)told_is_useful(sentence);
        edge_free(&edge);
    }
}
