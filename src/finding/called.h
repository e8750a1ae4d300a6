/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Classes of functions whose time is told with all that they call: a collector's, an unwinder's, a compiler's. By
 * names, and by the texts that functions without one refer to, that nobody else has; a guess is of none.
 */
#ifndef PLUMB_FINDING_CALLED_H
#define PLUMB_FINDING_CALLED_H

#include "finding/cpu/collector_names.h"
#include "finding/family.h"

enum called {
    CALLED_COLLECTING,               /* and the collector's number */
    CALLED_MAKING = COLLECTOR_COUNT, /* objects, by a managed runtime: found, cleared, and copied where they grow */
    CALLED_THROWING,
    CALLED_COMPILING_JAVASCRIPT,
    CALLED_COMPILING_JAVA,
    CALLED_COMPILING_DOTNET,
    CALLED_COMPILING_LUA,
    CALLED_PREPARING, /* statements, by sqlite: their text is read, and made into code */
    CALLED_COUNT
};

/* As call_classes_find asks for it. */
unsigned called_of(const char *name, const char *dso);
/* Whether a function is of the class. */
bool function_is_called(const struct stall_function *function, enum called called);
/*
 * The samples of the class with all that it calls, as far as copied stacks say: those on which nothing of another class
 * lies below it, or all. 0: it was on none.
 */
double samples_called_of(const struct results *results, enum called called, bool is_innermost);
/* As share of what the finding counts in; unknown: no stacks were copied. */
struct interval share_called_of(const struct results *results, const struct finding *finding, enum called called);

/* By the names of the class's own functions alone. */
void test_called_names(const struct results *results, struct finding *finding, enum called called);

#endif
