/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "symbol/names/jit_dump.h"
#include "symbol/names/kallsyms.h"
#include "symbol/names/perf_map.h"
#include "symbol/symbol_index.h"

#include <criterion/criterion.h>

static const char *name_at(const struct symbol_index *index, uint64_t addr)
{
    static char text[128];
    uint32_t at = symbol_index_find(index, addr);
    if (at == SYMBOL_INDEX_NONE)
        return "";
    struct view name = indexed_symbol_name(&index->symbols.items[at]);
    snprintf(text, sizeof(text), "%.*s", (int)name.length, name.text);
    return text;
}

static void add(struct symbol_index *index, uint64_t start, uint64_t size_bytes, const char *name,
                enum symbol_binding binding)
{
    symbol_index_add(index, start, size_bytes,
                     (struct indexed_symbol){.name = name, .name_length = SYMBOL_NAME_UNMEASURED, .binding = binding});
}

Test(symbol_index, one_of_several_names_is_chosen_by_rule_not_by_order)
{
    static const struct {
        const char *what, *winner, *loser;
        enum symbol_binding winner_binding, loser_binding;
        uint64_t winner_size, loser_size;
    } cases[] = {
        {"a known size", "a", "b", SYMBOL_LOCAL, SYMBOL_GLOBAL, 8, 0},
        {"not weak", "a", "b", SYMBOL_LOCAL, SYMBOL_WEAK, 8, 8},
        {"global", "a", "b", SYMBOL_GLOBAL, SYMBOL_LOCAL, 8, 8},
        {"fewer underscores", "memcpy", "__memcpy", SYMBOL_GLOBAL, SYMBOL_GLOBAL, 8, 8},
        {"longer", "memmove", "mem", SYMBOL_GLOBAL, SYMBOL_GLOBAL, 8, 8},
    };
    for (size_t at = 0; at < array_count(cases); at++)
        for (int order = 0; order < 2; order++) {
            struct symbol_index index = {0};
            for (int turn = 0; turn < 2; turn++)
                if (turn == order)
                    add(&index, 0x100, cases[at].winner_size, cases[at].winner, cases[at].winner_binding);
                else
                    add(&index, 0x100, cases[at].loser_size, cases[at].loser, cases[at].loser_binding);
            symbol_index_sort(&index, false);
            cr_assert_str_eq(name_at(&index, 0x104), cases[at].winner, "%s, order %d", cases[at].what, order);
            symbol_index_done(&index);
        }
}

Test(symbol_index, of_names_without_sizes_the_last_stands)
{
    struct symbol_index index = {0};
    add(&index, 0x100, 0, "__do_sys_getpid", SYMBOL_LOCAL);
    add(&index, 0x100, 0, "__ia32_sys_getpid", SYMBOL_GLOBAL);
    add(&index, 0x100, 0, "__x64_sys_getpid", SYMBOL_GLOBAL);
    add(&index, 0x200, 0, "next", SYMBOL_GLOBAL);
    symbol_index_sort(&index, false);
    cr_assert_str_eq(name_at(&index, 0x110), "__x64_sys_getpid");
    symbol_index_done(&index);
}

Test(symbol_index, inner_symbols_answer_inside_and_outer_ones_behind_them)
{
    struct symbol_index index = {0};
    add(&index, 0x100, 0x100, "outer", SYMBOL_GLOBAL);
    add(&index, 0x120, 0x10, "inner", SYMBOL_LOCAL);
    add(&index, 0x150, 0, "label", SYMBOL_LOCAL);  /* a mark in its code: dropped */
    add(&index, 0x180, 0, "entry", SYMBOL_GLOBAL); /* an entry point of its own */
    add(&index, 0x300, 0, "unsized", SYMBOL_GLOBAL);
    add(&index, 0x400, 0x10, "last", SYMBOL_GLOBAL);
    symbol_index_sort(&index, false);
    static const struct {
        uint64_t addr;
        const char *name;
    } cases[] = {{0xff, ""},         {0x100, "outer"}, {0x11f, "outer"},   {0x120, "inner"},   {0x12f, "inner"},
                 {0x130, "outer"},   {0x155, "outer"}, {0x190, "entry"},   {0x2ff, "entry"},   {0x300, "unsized"},
                 {0x3ff, "unsized"}, {0x400, "last"},  {0x40f, "last"},    {0x410, ""},        {UINT64_MAX, ""}};
    for (size_t at = 0; at < array_count(cases); at++)
        cr_assert_str_eq(name_at(&index, cases[at].addr), cases[at].name, "0x%lx", cases[at].addr);
    symbol_index_done(&index);
}

Test(symbol_index, a_shuffled_million_finds_each)
{
    enum { COUNT = 200000 };
    struct symbol_index index = {0};
    for (uint32_t at = 0; at < COUNT; at++) {
        uint64_t place = (uint64_t)at * 2654435761u % COUNT; /* coprime: visits each once */
        add(&index, 0x7f0000000000 + place * 16, 16, "x", SYMBOL_GLOBAL);
    }
    symbol_index_sort(&index, false);
    cr_assert_eq(index.symbols.count, COUNT);
    for (uint32_t at = 0; at < COUNT; at += 97)
        cr_assert_eq(symbol_index_find(&index, 0x7f0000000000 + at * 16 + 7), at);
    symbol_index_done(&index);
}

Test(perf_map, later_lines_replace_what_they_overwrite_and_bad_lines_are_counted)
{
    static const char text[] = "1000 100 first\n"
                               "0x2000 0x20 with prefix and spaces\n"
                               "nonsense\n"
                               "3000 zz bad size\n"
                               "1080 40 second\r\n"
                               "4000 0 empty\n"
                               "ffffffffffffff00 200 wraps";
    struct edge edge = edge_copy(text, sizeof(text) - 1);
    struct symbol_index index = {0};
    cr_assert_eq(perf_map_parse((struct view){(char *)edge.bytes, edge.size_bytes}, &index), 2);
    cr_assert_str_eq(name_at(&index, 0x1000), "first");
    cr_assert_str_eq(name_at(&index, 0x10bf), "second");
    cr_assert_str_eq(name_at(&index, 0x10c0), "", "what is left of the overwritten one is nobody's");
    cr_assert_str_eq(name_at(&index, 0x201f), "with prefix and spaces");
    cr_assert_str_eq(name_at(&index, 0x4000), "");
    cr_assert_str_eq(name_at(&index, 0xfffffffffffffff0), "wraps");
    symbol_index_done(&index);
    edge_free(&edge);
}

Test(kallsyms, functions_only_and_no_name_reaches_over_a_gap)
{
    static const char text[] = "ffffffff81000000 T _text\n"
                               "ffffffff81000000 T _stext\n"
                               "ffffffff81000100 t do_it\n"
                               "ffffffff81000200 W weak_one\n"
                               "ffffffff81000300 D a_variable\n"
                               "ffffffff81000400 T _etext\n"
                               "ffffffffc0001000 t mod_fn\t[mod]\n"
                               "ffffffffc0002000 t bpf_prog_1234_x\t[bpf]\n";
    struct symbol_index index = {0};
    struct error err = {0};
    cr_assert(kallsyms_parse(view_of(text), &index, &err), "%s", err.message);
    cr_assert_str_eq(name_at(&index, 0xffffffff81000150), "do_it");
    cr_assert_str_eq(name_at(&index, 0xffffffff81000350), "weak_one", "variables don't split functions");
    cr_assert_str_eq(name_at(&index, 0xffffffff90000000), "", "nothing between the kernel and its modules");
    cr_assert_str_eq(name_at(&index, 0xffffffffc0001fff), "mod_fn");
    cr_assert_str_eq(name_at(&index, 0xffffffffc0002010), "bpf_prog_1234_x");
    symbol_index_done(&index);
}

Test(kallsyms, an_address_is_hexadecimal_digits_alone)
{
    static const char good[] = "0123456789abcdef", others[] = "/:`gAF@ \x80";
    char row[] = "0123456789abcdef T name\n";
    for (size_t at = 0; at < 16; at++)
        for (size_t other = 0; other < sizeof(others); other++) {
            struct symbol_index index = {0};
            struct error err = {0};
            memcpy(row, good, 16);
            row[at] = others[other];
            cr_assert_not(kallsyms_parse(view_of(row), &index, &err), "%s", row);
            symbol_index_done(&index);
        }
    static const struct { const char *row; uint64_t addr; } rows[] = {
        {"0123456789abcdef T name\n", 0x0123456789abcdef}, {"fedcba9876543210 t name\n", 0xfedcba9876543210}, {"c0008000 T name_of_32_bits\n", 0xc0008000}, {"a T name\n", 0xa},
    };
    for (size_t at = 0; at < sizeof(rows) / sizeof(rows[0]); at++) {
        struct symbol_index index = {0};
        struct error err = {0};
        cr_assert(kallsyms_parse(view_of(rows[at].row), &index, &err), "%s", rows[at].row);
        cr_assert_eq(index.symbols.items[0].start, rows[at].addr, "%s", rows[at].row);
        symbol_index_done(&index);
    }
}

Test(kallsyms, hidden_addresses_are_refused_with_the_remedy)
{
    struct symbol_index index = {0};
    struct error err = {0};
    cr_assert_not(kallsyms_parse(VIEW("0000000000000000 T _text\n0000000000000000 t do_it\n"), &index, &err));
    cr_assert_eq(err.kind, ERROR_PERMISSION);
    cr_assert(strstr(err.hint, "kptr_restrict"));
    symbol_index_done(&index);
    err = (struct error){0};
    cr_assert_not(kallsyms_parse(VIEW("garbage\n"), &index, &err));
    symbol_index_done(&index);
}

/* ---- jitdumps ---- */

static size_t put_number(uint8_t *out, uint64_t value, size_t size_bytes, bool swapped)
{
    for (size_t at = 0; at < size_bytes; at++)
        out[at] = (uint8_t)(value >> 8 * (swapped ? size_bytes - 1 - at : at));
    return size_bytes;
}

/* A record of a load (id 0, with a name and code), a move (1) or another kind; returns its size. */
static size_t put_record(uint8_t *out, uint32_t id, uint64_t addr, uint64_t number, const char *code, bool swapped)
{
    static const char name[] = "JS:*hot";
    size_t size_bytes = strlen(code), at = 8;
    put_number(out, id, 4, swapped);
    at += put_number(out + at, 1000, 8, swapped) + put_number(out + 16, 7, 4, swapped) + put_number(out + 20, 7, 4, swapped);
    at += put_number(out + at, 0, 8, swapped);
    if (id == 1)
        at += put_number(out + at, 0, 8, swapped);
    at += put_number(out + at, addr, 8, swapped);
    at += put_number(out + at, size_bytes, 8, swapped);
    at += put_number(out + at, number, 8, swapped);
    if (id == 0) {
        memcpy(out + at, name, sizeof(name));
        memcpy(out + at + sizeof(name), code, size_bytes);
        at += sizeof(name) + size_bytes;
    }
    put_number(out + 4, at, 4, swapped);
    return at;
}

static void check_dump(bool swapped)
{
    uint8_t made[1024] = {0};
    put_number(made, 0x4a695444, 4, swapped);
    put_number(made + 4, 1, 4, swapped);
    put_number(made + 8, 40, 4, swapped);
    size_t size_bytes = 40;
    size_bytes += put_record(made + size_bytes, 0, 0x1000, 5, "first code of it", swapped);
    size_bytes += put_record(made + size_bytes, 3, 0, 0, "", swapped);
    size_bytes += put_record(made + size_bytes, 1, 0x2000, 5, "first code of it", swapped);
    size_bytes += put_record(made + size_bytes, 1, 0x3000, 6, "never was loaded", swapped);
    size_bytes += put_record(made + size_bytes, 0, 0x1008, 7, "anew", swapped);
    for (size_t cut = 0; cut <= 1; cut++) {
        struct edge edge = edge_copy(made, size_bytes - cut);
        struct view dump = {(char *)edge.bytes, edge.size_bytes};
        struct symbol_index index = {0};
        struct jit_functions functions = {0};
        struct error err = {0};
        cr_assert_eq(jit_dump_parse(dump, &index, &functions, &err), !cut);
        if (cut)
            cr_assert(strstr(err.message, "at offset "), "%s", err.message);
        cr_assert_str_eq(name_at(&index, 0x1007), "JS:*hot");
        cr_assert_str_eq(name_at(&index, 0x200f), "JS:*hot", "where it moved to");
        cr_assert_str_eq(name_at(&index, 0x3000), "");
        cr_assert_str_eq(name_at(&index, 0x2010), "");
        struct view code = jit_code_find(&functions, cut ? 0x1000 : 0x1008, 0x100a);
        cr_assert(view_equal(code, cut ? " of it" : "ew"), "%.*s", (int)code.length, code.text);
        code = jit_code_find(&functions, 0x2000, 0x200a);
        cr_assert(view_equal(code, " of it"), "where it moved to: %.*s", (int)code.length, code.text);
        cr_assert_eq(jit_code_find(&functions, 0x1000, 0x1010).length, 0);
        cr_assert_not(functions.have_lines);
        symbol_index_done(&index);
        jit_functions_done(&functions);
        edge_free(&edge);
    }
}

Test(jit_dump, names_and_code_of_both_byte_orders_and_what_came_before_damage)
{
    check_dump(false);
    check_dump(true);
    struct symbol_index index = {0};
    struct jit_functions functions = {0};
    struct error err = {0};
    cr_assert_not(jit_dump_parse(view_of("JiTD, but no more than that: of another kind"), &index, &functions, &err));
    cr_assert(strstr(err.message, "JiTD"));
    symbol_index_done(&index);
}

struct line_entry {
    uint64_t addr;
    uint32_t number;
    const char *path;
};

static size_t put_lines(uint8_t *out, uint64_t addr, const struct line_entry *entries, size_t count, bool swapped)
{
    size_t at = 16;
    put_number(out, 2, 4, swapped);
    put_number(out + 8, 1000, 8, swapped);
    at += put_number(out + at, addr, 8, swapped);
    at += put_number(out + at, count, 8, swapped);
    for (size_t one = 0; one < count; one++) {
        at += put_number(out + at, entries[one].addr, 8, swapped);
        at += put_number(out + at, entries[one].number, 4, swapped);
        at += put_number(out + at, 0, 4, swapped);
        memcpy(out + at, entries[one].path, strlen(entries[one].path) + 1);
        at += strlen(entries[one].path) + 1;
    }
    put_number(out + 4, at, 4, swapped);
    return at;
}

/* The line of an address as "path:number", or "". */
static const char *line_at(const struct symbol_index *index, const struct jit_functions *functions, uint64_t addr)
{
    static char text[64];
    struct source_line line;
    uint32_t at = symbol_index_find(index, addr);
    bool known = at != SYMBOL_INDEX_NONE && jit_line_find(functions, index->symbols.items[at].start, addr, &line);
    snprintf(text, sizeof(text), "%s%s%.0u", known ? line.path : "", known ? ":" : "", known ? line.line : 0);
    return text;
}

/* header: what a producer adds to its addresses that counts from the ELF file which perf inject makes of a function. */
static void check_lines(bool swapped, uint64_t header)
{
    const struct line_entry first[] = {{0x1000 + header, 3, "/a.js"}, {0x1004 + header, 4, "\xff"}, {0x1008 + header, 90, "/b.js"}};
    const struct line_entry other[] = {{0x1002 + header, 7, "/c.js"}};
    uint8_t made[1024] = {0};
    put_number(made, 0x4a695444, 4, swapped);
    put_number(made + 4, 1, 4, swapped);
    put_number(made + 8, 40, 4, swapped);
    size_t size_bytes = 40;
    size_bytes += put_lines(made + size_bytes, 0x1000, first, 3, swapped);
    size_bytes += put_record(made + size_bytes, 0, 0x1000, 5, "sixteen bytes it", swapped);
    size_bytes += put_record(made + size_bytes, 1, 0x2000, 5, "sixteen bytes it", swapped);
    size_bytes += put_lines(made + size_bytes, 0x5000, other, 1, swapped); /* of code that never comes */
    size_bytes += put_record(made + size_bytes, 0, 0x3000, 6, "sixteen bytes it", swapped);
    size_bytes += put_lines(made + size_bytes, 0x1000, other, 1, swapped);
    size_bytes += put_record(made + size_bytes, 0, 0x1000, 7, "others", swapped);
    struct edge edge = edge_copy(made, size_bytes);
    struct symbol_index index = {0};
    struct jit_functions functions = {0};
    struct error err = {0};
    cr_assert(jit_dump_parse((struct view){(char *)edge.bytes, edge.size_bytes}, &index, &functions, &err));
    cr_assert_str_eq(line_at(&index, &functions, 0x2000), "/a.js:3", "where it moved to");
    cr_assert_str_eq(line_at(&index, &functions, 0x2005), "/a.js:4");
    cr_assert_str_eq(line_at(&index, &functions, 0x200f), "/b.js:90");
    cr_assert_str_eq(line_at(&index, &functions, 0x3004), "");
    cr_assert_str_eq(line_at(&index, &functions, 0x1001), "", "before its first line");
    cr_assert_str_eq(line_at(&index, &functions, 0x1005), "/c.js:7", "what was written over it");
    symbol_index_done(&index);
    jit_functions_done(&functions);
    edge_free(&edge);
}

Test(jit_dump, lines_of_what_lies_there_last)
{
    check_lines(false, 0);
    check_lines(true, 0);
    check_lines(false, 64);
}
