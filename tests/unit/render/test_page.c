/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where may a paragraph's lines end? */
#include "test.h"

#include "render/page.h"

static void expect_paragraph(const char *words, const char *lines)
{
    struct text out = {0};
    struct page page = {.out = &out, .width = 20};
    page_paragraph(&page, PAGE_PLAIN, 0, 2, words);
    cr_expect_str_eq(text_string(&out), lines);
    text_done(&out);
}

Test(page, a_line_ends_between_words_within_the_width)
{
    expect_paragraph("one two three four five six", "one two three four\n  five six\n");
    expect_paragraph("a awordthatislongerthantheline b", "a\n  awordthatislongerthantheline\n  b\n");
}

Test(page, a_number_keeps_its_unit)
{
    expect_paragraph("this would return 13 %.", "this would return\n  13 %.\n");
    expect_paragraph("this takes all of 208 ms)", "this takes all of\n  208 ms)\n");
    expect_paragraph("there are threads 20 of which wait", "there are threads 20\n  of which wait\n");
    expect_paragraph("it is in function f s", "it is in function f\n  s\n");
}
