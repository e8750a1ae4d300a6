/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where in its file does a function begin? What a uprobe by name needs.
 *
 * Looks in the file's own symbol tables. Does not support: separate debug files, functions that only exist
 * inlined.
 */
#ifndef PLUMB_SYMBOL_FUNCTION_OFFSET_H
#define PLUMB_SYMBOL_FUNCTION_OFFSET_H

#include "base/error.h"

#include <stdint.h>

/*
 * context: unused, NULL; the signature is metric/event.h's event_symbol_offset.
 * Errors: ERROR_NOT_FOUND (the file, or the symbol in it; the hint has near names), ERROR_FORMAT (no ELF file).
 */
MUST_CHECK bool function_offset(void *context, const char *path, const char *symbol, uint64_t *ret_file_offset,
                                struct error *err);

#endif
