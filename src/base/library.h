/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one door to shared libraries that are loaded on first use.
 *
 * Linking every library costs more at start than counting a short command may cost, so plumb links libc
 * and opens the rest here. A user of a library describes the functions it needs:
 *
 *     struct zstd { typeof(ZSTD_compressBound) *compressBound; … };
 *     static const struct library_symbol symbols[] = {
 *         LIBRARY_SYMBOL(struct zstd, compressBound, "ZSTD_compressBound"), … };
 *     library_load(&zstd_library, symbols, array_count(symbols), &zstd, err)
 *
 * Libraries stay loaded until the program ends. In the static core there are none: loading fails with
 * ERROR_UNSUPPORTED and says so.
 */
#ifndef PLUMB_BASE_LIBRARY_H
#define PLUMB_BASE_LIBRARY_H

#include "base/error.h"

#include <stddef.h>

struct library {
    const char *names[4]; /* sonames, the best first, NULL after the last */
    const char *package;  /* Debian's package, for the hint */
    const char *purpose;  /* "DWARF line tables": what can't be done without it */
};

struct library_symbol {
    const char *name;
    size_t offset; /* of the function pointer in the user's struct */
};

#define LIBRARY_SYMBOL(type, member, symbol_name) {(symbol_name), offsetof(type, member)}

/*
 * Open the library and fill the function pointers of table.
 * Errors: ERROR_UNSUPPORTED when it isn't installed or lacks a function; the hint names the package.
 */
MUST_CHECK bool library_load(const struct library *library, const struct library_symbol *symbols, size_t count,
                             void *table, struct error *err);

#endif
