/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/elf/table_records.h"

#include <ctype.h>
#include <elf.h>
#include <string.h>

enum {
    WORD = 8,
    RECORD_WORDS = 32, /* from a name to a function of its record at most */
    STRIDE_WORDS = 64, /* from a record to the next of an array */
    ALIKE_LEAST = 2,   /* other records of the same shape */
    NAME_LEAST = 2, NAME_MOST = 64,
    SLOTS_MOST = 64,   /* of one function that are looked at */
    LOOKED_MOST = 1 << 18, /* pointers, for others of a shape */
    TEXT_MOST = 400,
};

enum word_kind {
    WORD_NUMBER, /* no pointer */
    WORD_TEXT,
    WORD_CODE,
    WORD_OTHER
};

struct bytes_view elf_constant_bytes(const struct elf_file *elf, uint64_t addr, uint64_t size_bytes)
{
    for (size_t at = 0; at < elf->section_count; at++) {
        const struct elf_section *section = &elf->sections[at];
        uint64_t into = addr - section->addr;
        if (!(section->flags & SHF_ALLOC) || section->type != SHT_PROGBITS || into >= section->size_bytes)
            continue;
        if (section->flags & (SHF_WRITE | SHF_EXECINSTR))
            return (struct bytes_view){0};
        uint64_t left = section->size_bytes - into;
        return elf_bytes_at(elf, addr, left < size_bytes ? left : size_bytes);
    }
    return (struct bytes_view){0};
}

struct view elf_constant_text(const struct elf_file *elf, uint64_t addr)
{
    struct bytes_view bytes = elf_constant_bytes(elf, addr, TEXT_MOST);
    const uint8_t *end = bytes.size_bytes ? memchr(bytes.bytes, 0, bytes.size_bytes) : NULL;
    struct view text = {(const char *)bytes.bytes, end ? (size_t)(end - bytes.bytes) : 0};
    for (size_t at = 0; at < text.length; at++)
        if (!isprint((unsigned char)text.text[at]) && !isspace((unsigned char)text.text[at]))
            return (struct view){0};
    return text;
}

/* "sort", "BSIM4", "--all": one that a table may name something by. */
static struct view name_at(const struct elf_file *elf, uint64_t addr)
{
    struct view text = elf_constant_text(elf, addr);
    size_t letters = 0;
    for (size_t at = 0; at < text.length; at++)
        letters += isalnum((unsigned char)text.text[at]) != 0;
    bool is_name = text.length >= NAME_LEAST && text.length <= NAME_MOST && letters >= NAME_LEAST;
    return is_name ? text : (struct view){0};
}

static enum word_kind kind_at(const struct placed_pointers *pointers, uint64_t addr)
{
    const struct placed_pointer *pointer = placed_pointer_at(pointers, addr);
    if (!pointer)
        return WORD_NUMBER;
    if (!pointer->target)
        return WORD_OTHER;
    if (elf_code_section_at(pointers->elf, pointer->target))
        return WORD_CODE;
    return name_at(pointers->elf, pointer->target).length ? WORD_TEXT : WORD_OTHER;
}

struct shape { /* of a record, from its name to the function */
    uint64_t words;
    enum word_kind kinds[RECORD_WORDS + 1]; /* backwards from the function */
};

static bool has_shape(const struct placed_pointers *pointers, uint64_t slot, const struct shape *shape)
{
    for (uint64_t word = 0; word <= shape->words; word++)
        if (slot < word * WORD || kind_at(pointers, slot - word * WORD) != shape->kinds[word])
            return false;
    return true;
}

/* Back to the nearest name, and to one that stands directly before that. */
static bool shape_take(const struct placed_pointers *pointers, uint64_t slot, struct shape *ret_shape)
{
    struct shape shape = {0};
    for (; shape.words <= RECORD_WORDS && slot >= shape.words * WORD; shape.words++) {
        shape.kinds[shape.words] = kind_at(pointers, slot - shape.words * WORD);
        if (shape.kinds[shape.words] == WORD_TEXT) {
            *ret_shape = shape;
            return true;
        }
    }
    return false;
}

/* Tables of virtual functions begin so where classes have no type information: no record. */
static bool begins_as_class(const struct placed_pointers *pointers, uint64_t slot, const struct shape *shape)
{
    uint64_t first = 0;
    for (uint64_t word = 0; word < shape->words; word++)
        first = shape->kinds[word] == WORD_CODE ? word : first;
    static const uint8_t zeros[2 * WORD];
    struct bytes_view before = elf_bytes_at(pointers->elf, slot - (first + 2) * WORD, sizeof(zeros));
    return first + 2 < shape->words && shape->kinds[first + 1] == WORD_NUMBER &&
           shape->kinds[first + 2] == WORD_NUMBER && before.size_bytes == sizeof(zeros) &&
           memcmp(before.bytes, zeros, sizeof(zeros)) == 0;
}

/* What precedes a section is none of its tables: pointers to what runs at the start and the end lie there. */
static bool is_same_section(const struct elf_file *elf, uint64_t slot, uint64_t other)
{
    for (size_t at = 0; at < elf->section_count; at++)
        if ((elf->sections[at].flags & SHF_ALLOC) && slot - elf->sections[at].addr < elf->sections[at].size_bytes)
            return other - elf->sections[at].addr < elf->sections[at].size_bytes;
    return false;
}

/*
 * An array whose first function has no name before it has its names behind the functions: what precedes one names the
 * one before.
 */
static bool names_follow(const struct placed_pointers *pointers, uint64_t slot, const struct shape *shape)
{
    for (uint64_t stride = WORD; stride <= STRIDE_WORDS * WORD; stride += WORD) {
        bool is_array = has_shape(pointers, slot + stride, shape) ||
                        (slot >= stride && has_shape(pointers, slot - stride, shape));
        if (!is_array)
            continue;
        while (slot >= stride && has_shape(pointers, slot - stride, shape))
            slot -= stride;
        return slot >= stride && kind_at(pointers, slot - stride) == WORD_CODE &&
               is_same_section(pointers->elf, slot, slot - stride);
    }
    return false;
}

static bool is_shape_usual(const struct placed_pointers *pointers, uint64_t slot, const struct shape *shape)
{
    size_t alike = 0;
    size_t most = pointers->items.count < LOOKED_MOST ? pointers->items.count : LOOKED_MOST;
    for (size_t at = 0; at < most && alike < ALIKE_LEAST; at++)
        alike += pointers->items.items[at].addr != slot && has_shape(pointers, pointers->items.items[at].addr, shape);
    return alike == ALIKE_LEAST;
}

/* A name directly before the name is the record's first. */
static void shape_extend(const struct placed_pointers *pointers, uint64_t slot, struct shape *shape)
{
    struct shape longer = *shape;
    longer.words++;
    if (longer.words > RECORD_WORDS || slot < longer.words * WORD ||
        kind_at(pointers, slot - longer.words * WORD) != WORD_TEXT)
        return;
    longer.kinds[longer.words] = WORD_TEXT;
    if (is_shape_usual(pointers, slot, &longer))
        *shape = longer;
}

static struct view name_of_slot(const struct placed_pointers *pointers, uint64_t slot)
{
    struct shape shape;
    if (!shape_take(pointers, slot, &shape) || begins_as_class(pointers, slot, &shape) ||
        !is_shape_usual(pointers, slot, &shape) || names_follow(pointers, slot, &shape))
        return (struct view){0};
    shape_extend(pointers, slot, &shape);
    return name_at(pointers->elf, placed_pointer_at(pointers, slot - shape.words * WORD)->target);
}

struct view table_record_name(const struct placed_pointers *pointers, uint64_t addr)
{
    struct view name = {0};
    size_t slots = 0;
    vec_for_each (&pointers->items, pointer) {
        if (pointer->target != addr || !addr || slots++ == SLOTS_MOST)
            continue;
        struct view of_slot = name_of_slot(pointers, pointer->addr);
        if (name.length && of_slot.length &&
            (of_slot.length != name.length || memcmp(of_slot.text, name.text, name.length) != 0))
            return (struct view){0};
        name = of_slot.length ? of_slot : name;
    }
    return name;
}
