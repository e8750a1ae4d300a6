/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What did the programmer call the function that a linker symbol names? C++, Rust and D, by libiberty. */
#ifndef PLUMB_SYMBOL_DEMANGLE_H
#define PLUMB_SYMBOL_DEMANGLE_H

#include <stdbool.h>

/*
 * The source name, or NULL when the symbol is not mangled. Without parameters ("Foo::bar") unless asked.
 * Owner: the caller (free).
 */
char *demangle(const char *symbol, bool with_parameters);

#endif
