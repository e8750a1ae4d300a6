/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/symbol_index.h"

#include "base/arena.h"
#include "base/partition_point.h"

#include <string.h>

enum { RADIX_LEAST = 10000 }; /* below it clearing the buckets costs more than comparing */

void symbol_index_done(struct symbol_index *index)
{
    vec_done(&index->symbols);
}

void symbol_index_add(struct symbol_index *index, uint64_t start, uint64_t size_bytes, struct indexed_symbol details)
{
    if (index->symbols.count >= UINT32_MAX - 1)
        return;
    if (size_bytes > UINT64_MAX - start)
        size_bytes = UINT64_MAX - start;
    details.start = start;
    details.end = start + size_bytes;
    details.size_known = size_bytes > 0;
    details.order = (uint32_t)index->symbols.count;
    details.enclosing = UINT32_MAX;
    *vec_push(&index->symbols) = details;
}

/* One radix pass by the 16 bits of start at shift; stable. */
static void radix_pass(const struct indexed_symbol *symbols, const uint32_t *from, uint32_t *to, size_t count,
                       unsigned shift, uint32_t *buckets)
{
    memset(buckets, 0, 65537 * sizeof(*buckets));
    for (size_t at = 0; at < count; at++)
        buckets[((symbols[from[at]].start >> shift) & 0xffff) + 1]++;
    for (size_t at = 0; at < 65536; at++)
        buckets[at + 1] += buckets[at];
    for (size_t at = 0; at < count; at++)
        to[buckets[(symbols[from[at]].start >> shift) & 0xffff]++] = from[at];
}

static int start_compare(const void *a, const void *b)
{
    const struct indexed_symbol *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Radix rather than qsort: a million symbols of a large binary sort in tens of milliseconds. */
static void sort_by_start(struct symbol_index *index)
{
    size_t count = index->symbols.count;
    struct indexed_symbol *symbols = index->symbols.items;
    bool sorted = true;
    uint64_t differing = 0;
    for (size_t at = 1; at < count; at++) {
        sorted = sorted && symbols[at - 1].start <= symbols[at].start;
        differing |= symbols[at].start ^ symbols[0].start;
    }
    if (sorted)
        return;
    if (count < RADIX_LEAST) {
        qsort(symbols, count, sizeof(*symbols), start_compare);
        return;
    }
    uint32_t *order = memory_alloc(memory_product(count, sizeof(*order)));
    uint32_t *other = memory_alloc(memory_product(count, sizeof(*other)));
    uint32_t *buckets = memory_alloc(65537 * sizeof(*buckets));
    for (size_t at = 0; at < count; at++)
        order[at] = (uint32_t)at;
    for (unsigned shift = 0; shift < 64; shift += 16) {
        if (!((differing >> shift) & 0xffff))
            continue;
        radix_pass(symbols, order, other, count, shift, buckets);
        uint32_t *swap = order;
        order = other;
        other = swap;
    }
    struct indexed_symbol *result = memory_alloc(memory_product(count, sizeof(*result)));
    for (size_t at = 0; at < count; at++)
        result[at] = symbols[order[at]];
    free(symbols);
    index->symbols.items = result;
    index->symbols.capacity = count;
    free(order);
    free(other);
    free(buckets);
}

struct view indexed_symbol_name(const struct indexed_symbol *symbol)
{
    size_t length = symbol->name_length == SYMBOL_NAME_UNMEASURED ? strlen(symbol->name) : symbol->name_length;
    return (struct view){symbol->name, length};
}

static size_t leading_underscores(struct view name)
{
    size_t count = 0;
    while (count < name.length && name.text[count] == '_')
        count++;
    return count;
}

/* Whether a is the better name of the address that both begin at. */
static bool symbol_is_better(const struct indexed_symbol *a, const struct indexed_symbol *b)
{
    if (a->size_known != b->size_known)
        return a->size_known;
    if (a->rank != b->rank)
        return a->rank < b->rank;
    if (!a->size_known)
        return a->order > b->order;
    if ((a->binding == SYMBOL_WEAK) != (b->binding == SYMBOL_WEAK))
        return b->binding == SYMBOL_WEAK;
    if (a->binding != b->binding)
        return a->binding == SYMBOL_GLOBAL;
    struct view name_a = indexed_symbol_name(a), name_b = indexed_symbol_name(b);
    size_t underscores_a = leading_underscores(name_a), underscores_b = leading_underscores(name_b);
    if (underscores_a != underscores_b)
        return underscores_a < underscores_b;
    if (name_a.length != name_b.length)
        return name_a.length > name_b.length;
    return a->order < b->order;
}

static void keep_best_of_each_start(struct symbol_index *index, bool later_wins)
{
    size_t kept = 0;
    struct indexed_symbol *symbols = index->symbols.items;
    for (size_t at = 0; at < index->symbols.count; at++) {
        if (kept && symbols[kept - 1].start == symbols[at].start) {
            bool better = later_wins ? symbols[at].order > symbols[kept - 1].order
                                     : symbol_is_better(&symbols[at], &symbols[kept - 1]);
            if (better)
                symbols[kept - 1] = symbols[at];
        } else {
            symbols[kept++] = symbols[at];
        }
    }
    index->symbols.count = kept;
}

/* A symbol of unknown size reaches to the next one, within its section. */
static void fill_unknown_sizes(struct symbol_index *index)
{
    struct indexed_symbol *symbols = index->symbols.items;
    for (size_t at = 0; at < index->symbols.count; at++) {
        struct indexed_symbol *symbol = &symbols[at];
        if (symbol->size_known)
            continue;
        uint64_t next = at + 1 < index->symbols.count ? symbols[at + 1].start : UINT64_MAX;
        uint64_t limit = symbol->limit > symbol->start ? symbol->limit : UINT64_MAX;
        symbol->end = next < limit ? next : limit;
        if (symbol->end == UINT64_MAX) /* the last one, with nothing to end it: a page at most */
            symbol->end = symbol->start + 4096 > symbol->start ? symbol->start + 4096 : UINT64_MAX;
    }
}

static void link_enclosing(struct symbol_index *index)
{
    struct indexed_symbol *symbols = index->symbols.items;
    for (size_t at = 1; at < index->symbols.count; at++) {
        uint32_t outer = (uint32_t)(at - 1);
        while (outer != UINT32_MAX && symbols[outer].end <= symbols[at].start)
            outer = symbols[outer].enclosing;
        symbols[at].enclosing = outer;
    }
}

/*
 * What a JIT wrote later over the same addresses replaces what was there: cut the older symbol where the
 * next later-written one begins. The stack keeps, right of `at`, the indexes of ever later-written symbols.
 */
static void cut_overwritten(struct symbol_index *index)
{
    struct indexed_symbol *symbols = index->symbols.items;
    vec(size_t) later = {0};
    for (size_t at = index->symbols.count; at-- > 0;) {
        while (later.count && symbols[later.items[later.count - 1]].order < symbols[at].order)
            later.count--;
        if (later.count && symbols[later.items[later.count - 1]].start < symbols[at].end)
            symbols[at].end = symbols[later.items[later.count - 1]].start;
        *vec_push(&later) = at;
    }
    vec_done(&later);
}

/* Local labels of unknown size inside a function are marks in its code, not functions. */
static void drop_inner_labels(struct symbol_index *index)
{
    struct indexed_symbol *symbols = index->symbols.items;
    size_t kept = 0;
    uint64_t covered_until = 0; /* by symbols of known size */
    for (size_t at = 0; at < index->symbols.count; at++) {
        if (!symbols[at].size_known && symbols[at].binding == SYMBOL_LOCAL && symbols[at].start < covered_until)
            continue;
        if (symbols[at].size_known && symbols[at].end > covered_until)
            covered_until = symbols[at].end;
        symbols[kept++] = symbols[at];
    }
    index->symbols.count = kept;
}

void symbol_index_sort(struct symbol_index *index, bool later_wins)
{
    sort_by_start(index);
    keep_best_of_each_start(index, later_wins);
    drop_inner_labels(index);
    fill_unknown_sizes(index);
    if (later_wins)
        cut_overwritten(index);
    link_enclosing(index);
}

uint32_t symbol_index_find(const struct symbol_index *index, uint64_t address)
{
    const struct indexed_symbol *symbols = index->symbols.items;
    size_t low = partition_point(symbols, index->symbols.count, item->start <= address);
    uint32_t at = low ? (uint32_t)(low - 1) : UINT32_MAX;
    while (at != UINT32_MAX && symbols[at].end <= address)
        at = symbols[at].enclosing;
    return at == UINT32_MAX ? SYMBOL_INDEX_NONE : at;
}

uint32_t symbol_index_named(const struct symbol_index *index, const char *name)
{
    for (size_t at = 0; at < index->symbols.count; at++)
        if (view_equal(indexed_symbol_name(&index->symbols.items[at]), name))
            return (uint32_t)at;
    return SYMBOL_INDEX_NONE;
}
