/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folded stacks of anybody: what is read stands in the text, in its order, and the picture made of it is whole. */
#include "analyse/profile/flame.h"
#include "decode/folded_text.h"
#include "render/profile/flamegraph.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct view rest = {(const char *)bytes, size_bytes}, whole = rest;
    struct folded_line line;
    struct flame flame;
    uint64_t unread = 0, total = 0;
    flame_init(&flame, &(struct flame_options){.share_least = 0.0005, .leaf_first = size_bytes & 1});
    while (folded_text_next(&rest, &line, &unread)) {
        struct view name;
        enum folded_mark mark;
        bool any = false;
        if (line.frames.text < whole.text || line.frames.text + line.frames.length > whole.text + whole.length)
            abort();
        while (folded_frame_next(&line.frames, &name, &mark)) {
            flame_push(&flame, name.text, name.length, mark == FOLDED_KERNEL ? FLAME_KERNEL : FLAME_UNKNOWN);
            any = true;
        }
        flame_stack(&flame, line.count);
        total += any ? line.count : 0;
    }
    if (flame.total != total)
        abort();
    if (total) {
        struct text out = {0};
        flame_finish(&flame);
        if (flame.folded > total || flame.depth > FLAME_DEPTH_MOST)
            abort();
        flamegraph_svg(&out, &(struct flamegraph_request){.flame = &flame, .title = "t", .subtitle = "s", .unit = "samples", .width = 1200});
        for (size_t at = 0; at < out.length; at++)
            if ((unsigned char)out.bytes[at] < 0x20 && out.bytes[at] != '\n')
                abort(); /* no XML could hold it */
        text_done(&out);
    }
    flame_done(&flame);
    return 0;
}
