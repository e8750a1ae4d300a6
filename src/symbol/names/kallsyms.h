/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions does the running kernel, its modules and its BPF programs have? /proc/kallsyms.
 *
 * Refuses a table whose addresses are all 0 (kernel.kptr_restrict, or no CAP_SYSLOG). Addresses are of this
 * boot: kallsyms_addr of _text or _stext says by how much a recording of another boot is shifted.
 * Names are views into the text, which must outlive the index.
 */
#ifndef PLUMB_SYMBOL_NAMES_KALLSYMS_H
#define PLUMB_SYMBOL_NAMES_KALLSYMS_H

#include "base/error.h"
#include "base/text.h"
#include "symbol/symbol_index.h"

/* Errors: ERROR_PERMISSION when all addresses are 0; ERROR_FORMAT when no line is a function's. */
MUST_CHECK bool kallsyms_parse(struct view text, struct symbol_index *index, struct error *err);

#endif
