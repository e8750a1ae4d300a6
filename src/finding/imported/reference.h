/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is a table of another, good time, by the words above it ("baseline", "yesterday at 7", "for comparison")? It says
 * what it was like then, and is no second measure of what is asked about.
 *
 * Does not support: words in another language than English, and which of two times was the bad one where neither says.
 */
#ifndef PLUMB_FINDING_IMPORTED_REFERENCE_H
#define PLUMB_FINDING_IMPORTED_REFERENCE_H

#include "analyse/imported.h"

bool imported_is_reference(const struct imported_table *table);
/* The row of that name in such a table where another table has it, too; NULL: there is none. */
const struct imported_row *imported_reference_row(const struct imported *imported, const char *name);

#endif
