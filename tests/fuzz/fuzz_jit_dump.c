/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jit-PID.dump, written by any process that maps a file of such a name. */
#include "symbol/names/jit_dump.h"
#include "symbol/unwind/call_frames.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct view dump = {(const char *)bytes, size_bytes};
    struct symbol_index index = {0};
    struct jit_functions functions = {0};
    struct error err = {0};
    if (!jit_dump_parse(dump, &index, &functions, &err) && !err.message[0])
        abort();
    for (size_t at = 0; at < index.symbols.count && at < 100; at++) {
        uint64_t start = index.symbols.items[at].start;
        struct view code = jit_code_find(&functions, start, start);
        if (code.length && (code.text < dump.text || code.length > (size_t)(dump.text + dump.length - code.text)))
            abort();
        struct source_line line;
        struct frame_description description;
        struct frame_rules rules;
        for (uint64_t addr = start; addr - start < 64; addr += 3) {
            if (jit_line_find(&functions, start, addr, &line) && (line.path < dump.text || line.path + strlen(line.path) >= dump.text + dump.length))
                abort();
            if (jit_frame_find(&functions, start, addr, &description))
                (void)frame_rules_at(&description, addr, &rules);
        }
    }
    jit_functions_done(&functions);
    symbol_index_done(&index);
    return 0;
}
