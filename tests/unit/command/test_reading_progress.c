/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/scope.h"
#include "command/recording/reading_progress.h"

#include <criterion/criterion.h>

Test(reading_progress, says_how_much_is_read_and_how_long_the_rest_takes)
{
    static const struct {
        uint64_t read, total;
        double elapsed_s;
        const char *text;
    } cases[] = {
        {500000, 0, 2, "reading: 0.5 MB"},
        {0, 1000000000, 2, "reading: 0.0 MB"},
        {250000000, 1000000000, 2, "reading: [######                  ] 25 %, 250 of 1000 MB, 6 s left"},
        {1000000000, 1000000000, 8, "reading: [########################] 100 %, 1000 of 1000 MB, 0 s left"},
        {2000000000, 1000000000, 8, "reading: [########################] 100 %, 2000 of 1000 MB, 0 s left"},
    };
    for (size_t at = 0; at < sizeof(cases) / sizeof(cases[0]); at++) {
        scoped_text struct text text = {0};
        reading_progress_text(&text, cases[at].read, cases[at].total, cases[at].elapsed_s);
        cr_expect_str_eq(text_string(&text), cases[at].text);
    }
}

Test(reading_progress, is_told_to_terminals_only)
{
    struct reading_progress progress;
    FILE *file = tmpfile();
    cr_assert(file);
    cr_assert_null(reading_progress_begin(&progress, file, false).tick);
    reading_progress_end(&progress);
    cr_assert_eq(ftell(file), 0);
    fclose(file);
}
