/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The amount of work in what a program prints. */
#include "base/vec.h"
#include "experiment/work_runner.h"

#include <criterion/criterion.h>

Test(work_runner, finds_the_last_amount_behind_the_word)
{
    static const struct {
        const char *output, *word;
        double amount; /* 0: there is none */
    } cases[] = {
        {"work 12\ncpu 1.5\n", "work", 12},
        {"iterations=1000 ns=3", "iterations", 1000},
        {"work: 3.5e6 items", "work", 3.5e6},
        {"work 1\nwork 2\n", "work", 2},
        {"homework 5", "work", 0},
        {"work5", "work", 0},
        {"work", "work", 0},
        {"work -3", "work", 0},
        {"work 0", "work", 0},
        {"work nan", "work", 0},
        {"it did work. work 7.", "work", 7},
        {"", "work", 0},
        {"work 12", "", 0},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        double amount = 0;
        bool found = work_amount_find(view_of(cases[at].output), cases[at].word, &amount);
        cr_expect_eq(found, cases[at].amount > 0, "'%s'", cases[at].output);
        cr_expect(!found || (amount >= cases[at].amount && amount <= cases[at].amount), "'%s': %g", cases[at].output, amount);
    }
}
