/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/names/kept_kallsyms.h"

#include "base/bytes.h"
#include "base/file/cache_file.h"
#include "base/hashmap.h"
#include "base/partition_point.h"
#include "base/scope.h"
#include "system/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static const char file_name[] = "kernel_symbols";

enum {
    BYTES_MOST = 64 << 20,
    HEAD_BYTES = 33,
    BPF_PROGRAMS_MOST = 1 << 16,
};

/* As they stand in the file, which no other machine reads: in this one's byte order. Names follow the functions. */
struct counts {
    uint64_t text_addr;
    uint64_t functions;
};

struct function {
    uint64_t start, end;
    uint32_t name; /* into the names */
    uint16_t name_bytes;
    uint8_t binding, unused;
};

/* Name, size and where it is; how often it is used changes all the time. */
static uint64_t hash_module(uint64_t hash, struct view line)
{
    enum { NAME, SIZE, USES, USERS, STATE, ADDRESS, WORDS };
    for (int at = 0; at < WORDS; at++) {
        struct view word = view_word(&line);
        if (at == NAME || at == SIZE || at == ADDRESS)
            hash = hash_combine(hash, hash_bytes(word.text, word.length));
    }
    return hash;
}

/* A kernel that takes no modules has no list of them. */
static bool hash_modules(const struct sysroot *root, uint64_t *hash)
{
    scoped_text struct text modules = {0};
    struct error err = {0};
    if (!sysroot_read(root, &modules, &err, "/proc/modules"))
        return err.kind == ERROR_NOT_FOUND;
    struct view rest = text_view(&modules), line;
    while (view_line(&rest, &line))
        *hash = hash_module(*hash, line);
    return true;
}

/* Their numbers are never used again. */
static bool hash_bpf_programs(uint64_t *hash)
{
    const struct kernel *kernel = kernel_live();
    union bpf_attr attr = {0};
    for (int at = 0; at < BPF_PROGRAMS_MOST; at++) {
        if (kernel->bpf(kernel->context, BPF_PROG_GET_NEXT_ID, &attr, sizeof(attr)) != 0)
            return errno == ENOENT;
        *hash = hash_combine(*hash, attr.next_id);
        attr.start_id = attr.next_id;
    }
    return false;
}

/* What a table of now holds for; false: that can't be told. */
static bool head_of(const struct sysroot *root, char ret_head[HEAD_BYTES + 1])
{
    char boot[BOOT_ID_BYTES];
    if (!sysroot_boot_id(root, boot))
        return false;
    uint64_t hash = hash_bytes(boot, strlen(boot));
    if (!hash_modules(root, &hash) || !hash_bpf_programs(&hash))
        return false;
    snprintf(ret_head, HEAD_BYTES + 1, "# functions of %016" PRIx64 " \n", hash);
    return true;
}

typedef const uint8_t packed_function[sizeof(struct function)];

static struct function function_of(packed_function bytes)
{
    struct function function;
    memcpy(&function, bytes, sizeof(function));
    return function;
}

bool kept_kallsyms_of(struct view body, struct kept_kallsyms *ret_kept)
{
    struct bytes in = bytes_of(body.text, body.length, false);
    const uint8_t *head = bytes_take(&in, sizeof(struct counts));
    struct counts counts = {0};
    if (head)
        memcpy(&counts, head, sizeof(counts));
    if (!counts.functions || counts.functions > bytes_left(&in) / sizeof(struct function) ||
        counts.functions >= SYMBOL_INDEX_NONE)
        return false;
    const uint8_t *functions = bytes_take(&in, (size_t)counts.functions * sizeof(struct function));
    *ret_kept = (struct kept_kallsyms){.functions = functions,
                                       .count = (size_t)counts.functions,
                                       .names = {(const char *)in.at, bytes_left(&in)},
                                       .text_addr = counts.text_addr};
    return true;
}

uint32_t kept_kallsyms_find(const struct kept_kallsyms *kept, uint64_t address, struct indexed_symbol *ret_found)
{
    packed_function *functions = (packed_function *)kept->functions;
    size_t behind = partition_point(functions, kept->count, function_of(*item).start <= address);
    if (!behind)
        return SYMBOL_INDEX_NONE;
    struct function function = function_of(functions[behind - 1]);
    if (function.start > address || function.end <= address || function.name > kept->names.length ||
        function.name_bytes > kept->names.length - function.name)
        return SYMBOL_INDEX_NONE;
    *ret_found = (struct indexed_symbol){.start = function.start,
                                         .end = function.end,
                                         .name = kept->names.text + function.name,
                                         .name_length = function.name_bytes,
                                         .enclosing = UINT32_MAX,
                                         .binding = function.binding};
    return (uint32_t)(behind - 1);
}

bool kept_kallsyms_pack(struct text *out, const struct symbol_index *index, uint64_t text_addr)
{
    const struct counts counts = {text_addr, index->symbols.count};
    uint32_t name = 0;
    text_append(out, (const char *)&counts, sizeof(counts));
    vec_for_each (&index->symbols, symbol) {
        const struct function function = {.start = symbol->start,
                                          .end = symbol->end,
                                          .name = name,
                                          .name_bytes = (uint16_t)symbol->name_length,
                                          .binding = symbol->binding};
        if (symbol->name_length > UINT16_MAX || name > UINT32_MAX - symbol->name_length)
            return false;
        text_append(out, (const char *)&function, sizeof(function));
        name += symbol->name_length;
    }
    vec_for_each (&index->symbols, symbol)
        text_append(out, symbol->name, symbol->name_length);
    return true;
}

bool kept_kallsyms_open(const struct sysroot *root, struct kept_kallsyms *ret_kept)
{
    char head[HEAD_BYTES + 1];
    struct view map;
    if (!sysroot_is_live(root) || !head_of(root, head) ||
        !cache_file_map(file_name, view_of(head), BYTES_MOST, &map))
        return false;
    bool good = kept_kallsyms_of(view_skip(map, HEAD_BYTES), ret_kept);
    if (good)
        ret_kept->map = map;
    else
        munmap((void *)map.text, map.length);
    return good;
}

void kept_kallsyms_done(struct kept_kallsyms *kept)
{
    if (kept->map.length)
        munmap((void *)kept->map.text, kept->map.length);
    *kept = (struct kept_kallsyms){0};
}

void kept_kallsyms_write(const struct sysroot *root, const struct symbol_index *index, uint64_t text_addr)
{
    char head[HEAD_BYTES + 1];
    scoped_text struct text packed = {0};
    if (sysroot_is_live(root) && head_of(root, head) && kept_kallsyms_pack(&packed, index, text_addr) &&
        packed.length <= BYTES_MOST)
        cache_file_write(file_name, view_of(head), text_view(&packed));
}
