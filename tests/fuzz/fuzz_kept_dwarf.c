/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was kept of a binary's DWARF, as a crash, a full disk or another program may leave it. */
#include "symbol/dwarf/kept_dwarf.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES_MOST = 32 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct kept_dwarf *kept = kept_dwarf_of((struct view){(const char *)bytes, size_bytes});
    const char *names[FRAMES_MOST];
    size_t letters = 0;
    for (uint64_t addr = 0; addr < 256; addr++) {
        size_t count = 0;
        if (kept_dwarf_functions(kept, addr, names, FRAMES_MOST, &count) && kept_dwarf_is_empty(kept))
            abort();
        if (count > FRAMES_MOST)
            abort();
        struct kept_line line;
        if (kept_dwarf_line(kept, addr, &line) && line.path)
            letters += strlen(line.path);
        for (size_t at = 0; at < count; at++)
            letters += names[at] ? strlen(names[at]) : 0;
    }
    kept_dwarf_free(kept);
    return letters > (size_t)256 * (FRAMES_MOST + 1) * size_bytes;
}
