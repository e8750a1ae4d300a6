/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/elf/class_tables.h"

#include <string.h>

enum {
    WORD = 8,
    ENTRIES_MOST = 1024, /* of one table, from its beginning to a function */
    BASES_MOST = 64,     /* of one class */
    DEPTH_MOST = 16,
    /* in the information of a class with one base: behind its own table's address and its name's */
    BASE_AT = 2 * WORD,
    BASE_COUNT_AT = 20,       /* of one with several: behind flags */
    BASES_AT = 3 * WORD,      /* each with its flags behind it */
    TO_TOP_MOST = 1 << 20,    /* how far a base lies in an object at most */
    TABLES_MOST = 4096,       /* that hold one function */
    STEPS_MOST = 1 << 16,     /* from class to base, of one search: damaged files lead in circles */
};

#define INFORMATION_NAME "_ZTI"
#define INFORMATION_TABLE "_ZTVN10__cxxabiv1" /* of the classes that type information itself is of */

static bool is_code(const struct placed_pointers *pointers, uint64_t addr)
{
    return elf_code_section_at(pointers->elf, addr) != NULL;
}

static bool word_at(const struct placed_pointers *pointers, uint64_t addr, uint64_t size_bytes, uint64_t *ret_word)
{
    struct bytes_view view = elf_bytes_at(pointers->elf, addr, size_bytes);
    if (view.size_bytes < size_bytes)
        return false;
    struct bytes at = bytes_of(view.bytes, view.size_bytes, pointers->elf->swapped);
    *ret_word = size_bytes == WORD ? read_u64(&at) : read_u32(&at);
    return true;
}

/* The name of the class of type information: that of its kind's table; "" where it is none. */
static const char *kind_of(const struct placed_pointers *pointers, uint64_t information)
{
    const struct placed_pointer *table = placed_pointer_at(pointers, information);
    const char *name = table ? placed_pointer_name(pointers, table) : "";
    return strncmp(name, INFORMATION_TABLE, strlen(INFORMATION_TABLE)) == 0 ? name + strlen(INFORMATION_TABLE) : "";
}

static const char *class_name(const struct placed_pointers *pointers, uint64_t information)
{
    const struct placed_pointer *name = placed_pointer_at(pointers, information + WORD);
    struct bytes_view text =
        name && name->target ? elf_bytes_at(pointers->elf, name->target, UINT32_MAX) : (struct bytes_view){0};
    if (!text.size_bytes)
        return NULL;
    struct bytes at = bytes_of(text.bytes, text.size_bytes, false);
    const char *found = read_string(&at);
    return !found || !*found ? NULL : found + (*found == '*'); /* a star: the name is unique to this binary */
}

/*
 * Whether a table of virtual functions begins behind `addr`: how far it is to the object's beginning, then whose it is.
 */
static bool begins_table(const struct placed_pointers *pointers, uint64_t addr)
{
    uint64_t to_top;
    return !placed_pointer_at(pointers, addr - WORD) && word_at(pointers, addr - WORD, WORD, &to_top) &&
           (to_top == 0 || -to_top < TO_TOP_MOST);
}

/* The type information of the class whose table holds the slot; 0: it is in none. */
static uint64_t class_of_slot(const struct placed_pointers *pointers, uint64_t slot)
{
    for (int entry = 0; entry < ENTRIES_MOST && slot >= 2 * WORD; entry++) {
        slot -= WORD;
        const struct placed_pointer *pointer = placed_pointer_at(pointers, slot);
        if (!pointer)
            return 0;
        bool is_function = pointer->target ? is_code(pointers, pointer->target)
                                           : strncmp(placed_pointer_name(pointers, pointer), INFORMATION_NAME,
                                                     strlen(INFORMATION_NAME)) != 0;
        if (!is_function)
            return pointer->target && *kind_of(pointers, pointer->target) && begins_table(pointers, slot)
                       ? pointer->target
                       : 0;
    }
    return 0;
}

/* The bases of a class, as far as they are in this binary. */
static size_t bases_of(const struct placed_pointers *pointers, uint64_t information, uint64_t bases[static BASES_MOST])
{
    const char *kind = kind_of(pointers, information);
    uint64_t first = information + BASE_AT, step = WORD, listed = strstr(kind, "__si_class_type_info") ? 1 : 0;
    size_t count = 0;
    if (strstr(kind, "__vmi_class_type_info") && word_at(pointers, information + BASE_COUNT_AT, 4, &listed)) {
        first = information + BASES_AT;
        step = 2 * WORD;
    }
    for (uint64_t at = 0; at < listed && at < BASES_MOST; at++) {
        const struct placed_pointer *base = placed_pointer_at(pointers, first + at * step);
        if (base && base->target)
            bases[count++] = base->target;
    }
    return count;
}

struct search {
    const struct placed_pointers *pointers;
    unsigned steps, tables;
};

static bool is_derived(struct search *search, uint64_t from, uint64_t information, int depth)
{
    uint64_t bases[BASES_MOST];
    if (information == from)
        return true;
    size_t count =
        depth < DEPTH_MOST && search->steps++ < STEPS_MOST ? bases_of(search->pointers, information, bases) : 0;
    for (size_t at = 0; at < count; at++)
        if (is_derived(search, from, bases[at], depth + 1))
            return true;
    return false;
}

/*
 * The nearest class, up from the first, that the second is derived from as well; 0: there is none, or more than one way
 * up.
 */
static uint64_t common_class(struct search *search, uint64_t first, uint64_t second)
{
    uint64_t bases[BASES_MOST];
    for (int depth = 0; depth < DEPTH_MOST; depth++) {
        if (is_derived(search, first, second, 0))
            return first;
        if (bases_of(search->pointers, first, bases) != 1)
            return 0;
        first = bases[0];
    }
    return 0;
}

const char *class_of_virtual(const struct placed_pointers *pointers, uint64_t addr)
{
    struct search search = {.pointers = pointers};
    uint64_t class = 0;
    vec_for_each (&pointers->items, pointer) {
        bool points = pointer->target == addr && addr && search.tables++ < TABLES_MOST;
        uint64_t holder = points ? class_of_slot(pointers, pointer->addr) : 0;
        if (!holder)
            continue;
        class = !class ? holder : is_derived(&search, holder, class, 0) ? holder : common_class(&search, class, holder);
        if (!class)
            return NULL;
    }
    return class ? class_name(pointers, class) : NULL;
}
