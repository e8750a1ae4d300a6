/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/names/perf_map.h"

#include "base/scope.h"
#include "system/host/pid_namespace.h"

/* A hexadecimal number, with or without 0x. */
static bool read_hex(struct view word, uint64_t *ret_value)
{
    if (view_starts(word, "0x") || view_starts(word, "0X"))
        word = view_skip(word, 2);
    return view_u64(word, 16, ret_value);
}

size_t perf_map_parse(struct view text, struct symbol_index *index)
{
    struct view line;
    size_t bad = 0;
    while (view_line(&text, &line)) {
        if (!view_trim(line).length)
            continue;
        struct view start_word = view_word(&line), size_word = view_word(&line), name = view_trim(line);
        uint64_t start, size_bytes;
        if (!read_hex(start_word, &start) || !read_hex(size_word, &size_bytes) || !name.length ||
            name.length >= SYMBOL_NAME_UNMEASURED) {
            bad++;
            continue;
        }
        if (!size_bytes) /* nothing can have been sampled in it */
            continue;
        symbol_index_add(index, start, size_bytes,
                         (struct indexed_symbol){.name = name.text, .name_length = (uint32_t)name.length});
    }
    symbol_index_sort(index, true);
    return bad;
}

bool perf_map_read(const struct sysroot *root, uint32_t pid, struct text *text, struct error *err)
{
    uint32_t inner = pid_innermost(root, pid);
    struct error first = {0}, second = {0};
    if (sysroot_read(root, text, &first, "/proc/%u/root/tmp/perf-%u.map", pid, inner))
        return true;
    text_clear(text);
    if (sysroot_read(root, text, &second, "/tmp/perf-%u.map", pid))
        return true;
    text_clear(text);
    error_set(err, ERROR_NOT_FOUND, "no perf map of process %u: %s; %s", pid, first.message, second.message);
    return error_hint(err, "let the runtime write one (node --perf-basic-prof, java -XX:+DumpPerfMapAtExit, "
                           "python3 -X perf from 3.12)");
}
