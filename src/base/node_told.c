/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/node_told.h"

#include "base/vec.h"

#include <ctype.h>

int node_told_in(struct view sentence)
{
    static const char *const words[] = {"runs on",   "run on",     "running on", "ran on",  "bound to",
                                        "pinned to", "threads on", "stays on",   "CPUs of", "cores of"};
    static const char *const nouns[] = {" node ", " NUMA node ", " socket "};
    for (size_t at = 0; at < array_count(words); at++) {
        ptrdiff_t found = view_find(sentence, words[at]);
        struct view behind = found < 0 ? (struct view){0} : view_skip(sentence, (size_t)found + strlen(words[at]));
        for (size_t noun = 0; noun < array_count(nouns); noun++) {
            struct view number =
                view_skip(behind, view_starts(behind, nouns[noun]) ? strlen(nouns[noun]) : behind.length);
            bool is_one = number.length && isdigit((unsigned char)number.text[0]) &&
                          !(number.length > 1 && isdigit((unsigned char)number.text[1]));
            if (is_one)
                return number.text[0] - '0';
        }
    }
    return -1;
}
