/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who compiled the hot code while it ran, or keeps the data that it goes through? Advice in terms of C (prefetches,
 * malloc's settings, members of structs) is no help to whoever writes Java. Told from where the code lies; rows in
 * maker.c.
 */
#ifndef PLUMB_FINDING_MAKER_H
#define PLUMB_FINDING_MAKER_H

#include "finding/results.h"

#include <stdbool.h>

/* Keys of the wording's part [common]. */
struct code_maker {
    const char *memory, *order; /* what to do about data that is far away; NULL: no second one */
    const char *pages;          /* how its memory comes to huge pages; NULL: as any other */
    const char *confirm_pages;
    const char *names;          /* how it tells the names of what it compiled */
    /* its data lie in memory of its own, which neither malloc's settings nor the program's madvise reach */
    bool own_heap;
};

/* Code in anonymous memory, by a name or without. */
bool function_is_generated(const struct stall_function *function);
/* Of a file in which a runtime keeps what it compiled, its own code and the program's: no symbols name that. */
bool function_is_of_image(const struct stall_function *function);
/* Of such a function, or one of a runtime that does that; NULL: compiled ahead, as C is. */
const struct code_maker *code_maker_of(const struct results *results, const struct stall_function *function);

#endif
