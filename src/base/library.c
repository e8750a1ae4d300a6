/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/library.h"

#ifdef PLUMB_STATIC_CORE

bool library_load(const struct library *library, const struct library_symbol *symbols, size_t count, void *table,
                  struct error *err)
{
    (void)symbols, (void)count, (void)table;
    error_set(err, ERROR_UNSUPPORTED, "%s needs %s, which the static core leaves out", library->purpose,
              library->names[0]);
    return error_hint(err, "use the full build of plumb, or its bundle");
}

#else

#include <dlfcn.h>
#include <string.h>

static void *library_open(const struct library *library)
{
    for (size_t at = 0; at < sizeof(library->names) / sizeof(library->names[0]) && library->names[at]; at++) {
        void *handle = dlopen(library->names[at], RTLD_NOW | RTLD_LOCAL);
        if (handle)
            return handle;
    }
    return NULL;
}

bool library_load(const struct library *library, const struct library_symbol *symbols, size_t count, void *table,
                  struct error *err)
{
    void *handle = library_open(library);
    if (!handle) {
        error_set(err, ERROR_UNSUPPORTED, "%s needs %s (Debian: %s), which can't be loaded", library->purpose,
                  library->names[0], library->package);
        return error_hint(err, "apt-get install %s", library->package);
    }
    for (size_t at = 0; at < count; at++) {
        void *function = dlsym(handle, symbols[at].name);
        if (!function)
            return error_set(err, ERROR_UNSUPPORTED, "%s: '%s' has no function '%s'", library->purpose,
                             library->names[0], symbols[at].name);
        memcpy((char *)table + symbols[at].offset, &function, sizeof(function));
    }
    return true;
}

#endif
