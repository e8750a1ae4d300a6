/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/demangle.h"

#include <libiberty/demangle.h>
#include <stddef.h>
#include <string.h>

/* Longer ones come from hostile files: a few bytes of substitutions can expand without end. */
enum { SYMBOL_LENGTH_MOST = 16 * 1024 };

char *demangle(const char *symbol, bool with_parameters)
{
    /* Everything mangled begins with an underscore ("_Z", "_R", "_D") or dots before it. */
    const char *start = symbol + strspn(symbol, ".$");
    if (start[0] != '_' || strnlen(symbol, SYMBOL_LENGTH_MOST) == SYMBOL_LENGTH_MOST)
        return NULL;
    int style = start[1] == 'D' ? DMGL_DLANG : DMGL_AUTO;
    return cplus_demangle(symbol, style | (with_parameters ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS));
}
