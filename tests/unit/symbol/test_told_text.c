/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "symbol/told_text.h"

Test(told_text, what_any_function_says_tells_nothing)
{
    static const struct {
        const char *text;
        bool is_anybodys, is_of_a_library;
    } cases[] = {
        {"Unable to allocate enough memory.", true, false},
        {"Out of memory in %s", true, false},
        {"self has wrong type to call super in this context", true, false},
        {"Usage: %s [options] FILE", true, false},
        {"basic_string::_M_create", false, true},
        {"evacuate: strange closure type %d", false, false},
        {"memory of the last move", false, false},
        {"the usage of each lane", false, false},
    };
    for (size_t at = 0; at < sizeof(cases) / sizeof(*cases); at++) {
        cr_expect_eq(text_is_anybodys(view_of(cases[at].text)), cases[at].is_anybodys, "%s", cases[at].text);
        cr_expect_eq(text_is_of_a_library(view_of(cases[at].text)), cases[at].is_of_a_library, "%s", cases[at].text);
    }
}
