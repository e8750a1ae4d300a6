/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/names/kallsyms.h"

#include <endian.h>
#include <string.h>

enum {
    PAGE_BYTES = 4096,
    FUNCTION_BYTES_MOST = 1024 * 1024 /* a longer gap is no function but the space between two images */
};

struct line {
    uint64_t addr;
    char type;
    struct view name; /* with "\t[module]" behind it */
};

static int hex_digit(char character)
{
    if (character >= '0' && character <= '9')
        return character - '0';
    if (character >= 'a' && character <= 'f')
        return character - 'a' + 10;
    return -1;
}

#define EACH_BYTE(value) ((value) * UINT64_C(0x0101010101010101))

/* Eight lower-case hexadecimal digits in a dozen steps; false: they aren't all such. */
static bool hex_eight(const char *text, uint64_t *ret_value)
{
    const uint64_t high_bits = EACH_BYTE(0x80);
    uint64_t digits;
    memcpy(&digits, text, sizeof(digits));
    digits = le64toh(digits);
    if (digits & high_bits)
        return false;
    /* A sum's high bit says that its byte is at least so much: '0', ':', 'a', 'g'. */
    uint64_t decimal = (digits + EACH_BYTE(0x80 - '0')) & ~(digits + EACH_BYTE(0x80 - ':'));
    uint64_t letter = (digits + EACH_BYTE(0x80 - 'a')) & ~(digits + EACH_BYTE(0x80 - 'g'));
    if (((decimal | letter) & high_bits) != high_bits)
        return false;
    /* the first digit is worth most */
    uint64_t values = __builtin_bswap64((digits & EACH_BYTE(0x0f)) + 9 * ((digits >> 6) & EACH_BYTE(1)));
    values = (values | values >> 4) & UINT64_C(0x00ff00ff00ff00ff);
    values = (values | values >> 8) & UINT64_C(0x0000ffff0000ffff);
    *ret_value = (values | values >> 16) & UINT32_MAX;
    return true;
}

/* Up to 16 digits; returns how many there are. */
static size_t hex_read(struct view text, uint64_t *ret_value)
{
    uint64_t upper, lower, value = 0;
    if (text.length >= 16 && hex_eight(text.text, &upper) && hex_eight(text.text + 8, &lower)) {
        *ret_value = upper << 32 | lower;
        return 16;
    }
    size_t at = 0;
    for (int digit; at < text.length && at < 16 && (digit = hex_digit(text.text[at])) >= 0; at++)
        value = value << 4 | (uint64_t)digit;
    *ret_value = value;
    return at;
}

/* "ffffffff81000000 T _text" or "ffffffffc0000000 t foo\t[module]". By hand: there are 10^5 lines. */
static bool read_line(struct view text, struct line *ret_line)
{
    uint64_t addr;
    size_t at = hex_read(text, &addr);
    if (at == 0 || text.length < at + 4 || text.text[at] != ' ' || text.text[at + 2] != ' ')
        return false;
    *ret_line = (struct line){addr, text.text[at + 1], {text.text + at + 3, text.length - at - 3}};
    return ret_line->name.text[0] != '\t';
}

/* Without the module that it is of. */
static struct view bare_name(struct view name)
{
    const char *tab = memchr(name.text, '\t', name.length);
    return (struct view){name.text, tab ? (size_t)(tab - name.text) : name.length};
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
        struct view name = bare_name(line.name);
        symbol_index_add(index, line.addr, 0,
                         (struct indexed_symbol){.name = name.text,
                                                 .name_length = (uint32_t)name.length,
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
