/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/names/kallsyms.h"

enum {
    PAGE_BYTES = 4096,
    FUNCTION_BYTES_MOST = 1024 * 1024 /* a longer gap is no function but the space between two images */
};

struct line {
    uint64_t addr;
    char type;
    struct view name, module; /* module: length 0 for the kernel itself */
};

static int hex_digit(char character)
{
    if (character >= '0' && character <= '9')
        return character - '0';
    if (character >= 'a' && character <= 'f')
        return character - 'a' + 10;
    return -1;
}

/* "ffffffff81000000 T _text" or "ffffffffc0000000 t foo\t[module]". By hand: there are 10^5 lines. */
static bool read_line(struct view text, struct line *ret_line)
{
    struct line line = {0};
    size_t at = 0;
    for (int digit; at < text.length && at < 16 && (digit = hex_digit(text.text[at])) >= 0; at++)
        line.addr = line.addr << 4 | (uint64_t)digit;
    if (at == 0 || text.length < at + 4 || text.text[at] != ' ' || text.text[at + 2] != ' ')
        return false;
    line.type = text.text[at + 1];
    struct view rest = view_skip(text, at + 3);
    const char *tab = memchr(rest.text, '\t', rest.length);
    line.name = rest;
    if (tab) {
        line.name.length = (size_t)(tab - rest.text);
        line.module = view_skip(rest, line.name.length + 1);
    }
    *ret_line = line;
    return line.name.length > 0;
}

static bool is_function(char type)
{
    return type == 'T' || type == 't' || type == 'W' || type == 'w';
}

/* No symbol may reach over the gap between the kernel and its modules. */
static void limit_gaps(struct symbol_index *index)
{
    struct indexed_symbol *symbols = index->symbols.items;
    for (size_t at = 0; at < index->symbols.count; at++)
        if (symbols[at].end - symbols[at].start > FUNCTION_BYTES_MOST)
            symbols[at].end = (symbols[at].start / PAGE_BYTES + 2) * PAGE_BYTES;
}

bool kallsyms_parse(struct view text, struct symbol_index *index, struct error *err)
{
    struct view row;
    bool any_addr = false;
    vec_reserve(&index->symbols, index->symbols.count + text.length / 48);
    while (view_line(&text, &row)) {
        struct line line;
        if (!read_line(row, &line))
            continue;
        any_addr = any_addr || line.addr;
        if (!is_function(line.type) || !line.addr)
            continue;
        symbol_index_add(index, line.addr, 0,
                         (struct indexed_symbol){.name = line.name.text,
                                                 .name_length = (uint32_t)line.name.length,
                                                 .binding = line.type == 'T'                        ? SYMBOL_GLOBAL
                                                            : line.type == 'W' || line.type == 'w' ? SYMBOL_WEAK
                                                                                                     : SYMBOL_LOCAL});
    }
    if (!index->symbols.count && !any_addr) {
        error_set(err, ERROR_PERMISSION, "/proc/kallsyms hides the kernel's addresses (all are 0)");
        return error_hint(err, "it is shown to root and CAP_SYSLOG, unless kernel.kptr_restrict is 2");
    }
    if (!index->symbols.count)
        return error_set(err, ERROR_FORMAT, "kallsyms names no function");
    symbol_index_sort(index, false);
    limit_gaps(index);
    return true;
}
