/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/told_text.h"

#include "base/vec.h"

#include <string.h>

bool text_is_of_a_library(struct view text)
{
    static const char *const beginnings[] = {"basic_string",
                                             "vector::",
                                             "deque::",
                                             "map::",
                                             "cannot create std::",
                                             "bad_function_call",
                                             "/usr/include/",
                                             "/usr/lib/",
                                             "/rustc/",
                                             "library/",
                                             "called `",
                                             "attempt to ",
                                             "index out of bounds"};
    for (size_t at = 0; at < array_count(beginnings); at++)
        if (view_starts(text, beginnings[at]))
            return true;
    return false;
}

bool text_is_anybodys(struct view text)
{
    static const char *const words[] = {
        "out of memory",       "enough memory",     "memory exhausted",
        "insufficient memory", "virtual memory",    "allocate memory",
        "allocating memory",   "memory allocation", "no more memory",
        "no memory",           "allocation failed", "allocation failure",
        "failed to alloc",     "malloc failed",     "failed to malloc",
        "unable to allocate",  "not allocate",      "n't allocate",
        "assertion failed",    "assertion `",       "assertion '",
        "failed assertion",    "internal error",    "wrong type to call",
        "wrong number of arg", "not implemented",   "unreachable",
        "should not happen",   "can't happen",      "cannot happen",
        "invalid argument",    "stack smashing",    "usage:",
    };
    for (size_t at = 0; at < array_count(words); at++)
        if (view_mentions(text, words[at]))
            return true;
    return false;
}
