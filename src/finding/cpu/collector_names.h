/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose garbage collector does a function belong to, by its name or by what it tells of itself? */
#ifndef PLUMB_FINDING_CPU_COLLECTOR_NAMES_H
#define PLUMB_FINDING_CPU_COLLECTOR_NAMES_H

#include "finding/family.h"

enum collector {
    COLLECTOR_GO,
    COLLECTOR_JAVA,
    COLLECTOR_V8,
    COLLECTOR_DOTNET,
    COLLECTOR_PYTHON,
    COLLECTOR_MONO,
    COLLECTOR_LISP,
    COLLECTOR_CLISP,
    COLLECTOR_BOEHM,
    COLLECTOR_OCAML,
    COLLECTOR_HASKELL,
    COLLECTOR_CHEZ,
    COLLECTOR_RUBY,
    COLLECTOR_LUA,
    COLLECTOR_PHP,
    COLLECTOR_R,
    COLLECTOR_JULIA,
    COLLECTOR_ERLANG,
    COLLECTOR_GAP,
    COLLECTOR_OTHER,
    COLLECTOR_COUNT
};

/*
 * Guess: anybody may call a function so, and none of this binary's functions says whose it is. False: it is of none,
 * nothing was changed.
 */
bool collector_of(const struct stalls *stalls, const struct stall_function *function, enum collector *ret_collector,
                  bool *ret_is_guess);
/* Keys of [garbage-collection]: how it collects less often, and what shows that. */
const char *collector_advice(enum collector collector);
const char *collector_confirm(enum collector collector);

#endif
