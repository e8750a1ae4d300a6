/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which symbol holds an address? One sorted array per table of symbols, looked up by bisection.
 *
 * Of several symbols that begin at one address one is kept, by fixed rules (symbol_index_sort says which),
 * so that equal input always gives equal names. A symbol inside another one is the better answer for what
 * it covers; behind its end the outer one answers again. A symbol of unknown size reaches to the next one,
 * but never beyond `limit`; a local one of unknown size inside a function is dropped.
 * Owner of the names: whoever owns the bytes they were read from (a mapped file, an arena).
 */
#ifndef PLUMB_SYMBOL_SYMBOL_INDEX_H
#define PLUMB_SYMBOL_SYMBOL_INDEX_H

#include "base/text.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum symbol_binding {
    SYMBOL_LOCAL,
    SYMBOL_WEAK,
    SYMBOL_GLOBAL
};

struct indexed_symbol {
    uint64_t start, end; /* end exclusive; 0 until known: then it reaches to the next symbol */
    uint64_t limit;      /* of its section: where a symbol of unknown size ends at the latest; 0: none */
    const char *name;
    uint32_t name_length; /* SYMBOL_NAME_UNMEASURED: the name ends in NUL and nobody has looked yet */
    uint32_t enclosing;  /* index of the symbol that holds this one, or UINT32_MAX; set by symbol_index_sort */
    uint32_t order;      /* position in the input; decides between full equals */
    uint8_t binding;     /* enum symbol_binding */
    bool size_known;
    uint8_t rank; /* lower wins before any other rule: symbol table 0, synthesised entries 1 */
};

struct symbol_index {
    vec(struct indexed_symbol) symbols;
};

#define SYMBOL_INDEX_NONE      UINT32_MAX
#define SYMBOL_NAME_UNMEASURED UINT32_MAX

void symbol_index_done(struct symbol_index *index);
/* Add a symbol; size 0: unknown. */
void symbol_index_add(struct symbol_index *index, uint64_t start, uint64_t size_bytes, struct indexed_symbol details);
/*
 * Make the index ready: sort by address and drop all but the best symbol of each address. Better is, in this
 * order: of known size, lower rank, (both of unknown size:) later in the input, as perf has it, which of the kernel's
 * calls keeps x86-64's own names; not weak, global, fewer leading underscores, longer name, earlier in the input. With
 * later_wins (maps that a JIT appends to) the latest of overlapping symbols wins instead, and the ones it overwrote are
 * cut.
 */
void symbol_index_sort(struct symbol_index *index, bool later_wins);
/* Index of the innermost symbol that holds address, or SYMBOL_INDEX_NONE. */
uint32_t symbol_index_find(const struct symbol_index *index, uint64_t address);
struct view indexed_symbol_name(const struct indexed_symbol *symbol);
/* Index of the symbol of that exact name, or SYMBOL_INDEX_NONE. Linear. */
uint32_t symbol_index_named(const struct symbol_index *index, const char *name);

#endif
