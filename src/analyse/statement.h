/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a case that plumb did not measure: what a person said, and tables from other tools. Labelled as such. */
#ifndef PLUMB_ANALYSE_STATEMENT_H
#define PLUMB_ANALYSE_STATEMENT_H

#include <stddef.h>

struct statement {
    const char *origin; /* "said by a person", "bpftrace table of exits" */
    const char *text;
};

struct statements {
    const struct statement *items;
    size_t count;
};

#endif
