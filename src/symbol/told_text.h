/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does a text that a function refers to tell what the function is for, or would any function say so? */
#ifndef PLUMB_SYMBOL_TOLD_TEXT_H
#define PLUMB_SYMBOL_TOLD_TEXT_H

#include "base/text.h"

#include <stdbool.h>

/* A standard library's own code refers to it wherever that is inlined. */
bool text_is_of_a_library(struct view text);
/* Memory that ran out, a wrong argument, a check that failed: it says what went wrong, and not in what. */
bool text_is_anybodys(struct view text);

#endif
