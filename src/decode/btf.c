/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/btf.h"

#include "base/vec.h"

#include <stdlib.h>

enum {
    BTF_MAGIC = 0xeb9f,
    TYPE_BYTES = 12,
    MEMBER_BYTES = 12,
    NESTED_MOST = 4, /* unnamed structs within one another */
    LOOKED_AT_MOST = 20000, /* members of a struct, with those of unnamed ones in it: types that hold themselves end */
    KIND_STRUCT = 4,
    KIND_UNION = 5,
    KIND_FUNC = 12,
    KIND_FUNC_PROTO = 13,
    KIND_COUNT = 20
};

/* What stands behind a type: bytes once, and for each of its members. */
static const uint8_t once_bytes[KIND_COUNT] = {[1] = 4, [3] = 12, [14] = 4, [17] = 4};
static const uint8_t member_bytes[KIND_COUNT] = {[4] = 12, [5] = 12, [6] = 8, [13] = 8, [15] = 12, [19] = 12};

static uint32_t u32_at(const uint8_t *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

static unsigned kind_of(const uint8_t *type)
{
    return u32_at(type + 4) >> 24 & 0x1f;
}

static unsigned members_of(const uint8_t *type)
{
    return u32_at(type + 4) & 0xffff;
}

/* Then a member's place holds its width in bits in its highest byte. */
static bool has_widths(const uint8_t *type)
{
    return u32_at(type + 4) >> 31;
}

static const char *string_of(const struct btf *btf, uint64_t offset)
{
    if (offset < btf->base.strings_bytes)
        return (const char *)btf->base.strings + offset;
    offset -= btf->base.strings_bytes;
    return offset < btf->module.strings_bytes ? (const char *)btf->module.strings + offset : "";
}

/* 0: it isn't whole. */
static size_t size_of(const struct btf_part *part, size_t at)
{
    const uint8_t *type = part->types + at;
    if (part->types_bytes - at < TYPE_BYTES)
        return 0;
    unsigned kind = kind_of(type);
    size_t size = kind < KIND_COUNT ? TYPE_BYTES + once_bytes[kind] + (size_t)member_bytes[kind] * members_of(type) : 0;
    return size <= part->types_bytes - at ? size : 0;
}

static bool part_begin(struct btf *btf, struct btf_part *part, struct view file, const char *prefix)
{
    size_t prefix_length = strlen(prefix);
    struct bytes in = bytes_of(file.text, file.length, false);
    uint16_t magic = read_u16(&in);
    bytes_take(&in, 2);
    uint64_t header = read_u32(&in), types_at = read_u32(&in), types = read_u32(&in), strings_at = read_u32(&in),
             strings = read_u32(&in);
    if (in.failed || magic != BTF_MAGIC || header + types_at + types > file.length ||
        header + strings_at + strings > file.length || !strings || file.text[header + strings_at + strings - 1])
        return false;
    part->types = (const uint8_t *)file.text + header + types_at;
    part->types_bytes = types;
    part->strings = (const uint8_t *)file.text + header + strings_at;
    part->strings_bytes = strings;
    for (size_t at = 0, size; types - at >= TYPE_BYTES; at += size) {
        const uint8_t *type = part->types + at;
        size = size_of(part, at);
        if (!size)
            return false;
        if (part->count++ % BTF_STEP == 0) {
            size_t marks = (part->count - 1) / BTF_STEP;
            part->marks = vec_reserve_bytes(part->marks, &part->mark_capacity, marks + 1, sizeof(*part->marks));
            part->marks[marks] = (uint32_t)at;
        }
        if (kind_of(type) != KIND_FUNC || strncmp(string_of(btf, u32_at(type)), prefix, prefix_length) != 0)
            continue;
        part->functions = vec_reserve_bytes(part->functions, &part->function_capacity, part->function_count + 1,
                                            sizeof(*part->functions));
        part->functions[part->function_count++] = (uint32_t)at;
    }
    return true;
}

bool btf_begin(struct btf *btf, struct view kernel, struct view module_or_empty, const char *prefix)
{
    *btf = (struct btf){0};
    return part_begin(btf, &btf->base, kernel, prefix) &&
           (!module_or_empty.length || part_begin(btf, &btf->module, module_or_empty, prefix));
}

void btf_done(struct btf *btf)
{
    struct btf_part *parts[] = {&btf->base, &btf->module};
    for (size_t at = 0; at < array_count(parts); at++) {
        free(parts[at]->marks);
        free(parts[at]->functions);
    }
    *btf = (struct btf){0};
}

/* Type 0 is void and isn't stored. */
static const uint8_t *type_of(const struct btf *btf, uint64_t id)
{
    if (id == 0)
        return NULL;
    const struct btf_part *part = id <= btf->base.count ? &btf->base : &btf->module;
    id -= part == &btf->base ? 1 : btf->base.count + 1;
    if (id >= part->count)
        return NULL;
    size_t at = part->marks[id / BTF_STEP];
    for (uint64_t step = 0; step < id % BTF_STEP; step++)
        at += size_of(part, at);
    return part->types + at;
}

static const uint8_t *prototype_of(const struct btf *btf, const struct btf_part *part, const char *function)
{
    for (size_t at = 0; at < part->function_count; at++) {
        const uint8_t *type = part->types + part->functions[at];
        if (strcmp(string_of(btf, u32_at(type)), function) != 0)
            continue;
        const uint8_t *prototype = type_of(btf, u32_at(type + 8));
        return prototype && kind_of(prototype) == KIND_FUNC_PROTO ? prototype : NULL;
    }
    return NULL;
}

bool btf_has_parameters(const struct btf *btf, const char *function, unsigned skip, const char *const *names,
                        size_t most)
{
    const uint8_t *prototype = prototype_of(btf, &btf->module, function);
    prototype = prototype ? prototype : prototype_of(btf, &btf->base, function);
    for (size_t at = 0; prototype && at < most && names[at]; at++)
        if (at + skip >= members_of(prototype) ||
            strcmp(string_of(btf, u32_at(prototype + TYPE_BYTES + 8 * (at + skip))), names[at]) != 0)
            return false;
    return prototype != NULL;
}

static bool member_find(const struct btf *btf, const uint8_t *type, uint32_t base_bits, int nested, unsigned *budget,
                        struct btf_member *member)
{
    for (unsigned at = 0; at < members_of(type) && *budget; at++) {
        const uint8_t *one = type + TYPE_BYTES + (size_t)MEMBER_BYTES * at;
        --*budget;
        const char *name = string_of(btf, u32_at(one));
        uint32_t bits = base_bits + (u32_at(one + 8) & (has_widths(type) ? 0xffffff : UINT32_MAX));
        if (*name) {
            if (strcmp(name, member->name) != 0)
                continue;
            member->offset_bytes = bits / 8;
            return bits % 8 == 0;
        }
        const uint8_t *inner = nested < NESTED_MOST ? type_of(btf, u32_at(one + 4)) : NULL;
        if (inner && (kind_of(inner) == KIND_STRUCT || kind_of(inner) == KIND_UNION) &&
            member_find(btf, inner, bits, nested + 1, budget, member))
            return true;
    }
    return false;
}

size_t btf_members_find(const struct btf *btf, struct btf_member *members, size_t count)
{
    const struct btf_part *parts[] = {&btf->module, &btf->base};
    size_t found = 0;
    for (size_t at = 0; at < count; at++)
        members[at].found = false;
    for (size_t part = 0; part < array_count(parts); part++)
        for (size_t at = 0, size; parts[part]->types_bytes - at >= TYPE_BYTES; at += size) {
            const uint8_t *type = parts[part]->types + at;
            size = size_of(parts[part], at);
            if (!size)
                break;
            if (kind_of(type) != KIND_STRUCT)
                continue;
            const char *name = string_of(btf, u32_at(type));
            for (size_t which = 0; which < count; which++)
                if (!members[which].found && strcmp(name, members[which].type) == 0) {
                    unsigned budget = LOOKED_AT_MOST;
                    members[which].found = member_find(btf, type, 0, 0, &budget, &members[which]);
                    found += members[which].found;
                }
        }
    return found;
}
