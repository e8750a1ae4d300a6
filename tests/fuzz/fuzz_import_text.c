/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of other tools, imported into a case. */
#include "source/import_text.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct arena arena;
    arena_init(&arena);
    struct view text = {.text = (const char *)bytes, .length = size_bytes};
    struct imported_text imported = import_text_read(text, &arena);
    if (!imported.summary || strstr(imported.summary, "nan") == imported.summary)
        abort();
    arena_done(&arena);
    return 0;
}
