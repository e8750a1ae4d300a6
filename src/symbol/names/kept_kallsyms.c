/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/names/kept_kallsyms.h"

#include "base/bytes.h"
#include "base/file/cache_file.h"
#include "base/hashmap.h"
#include "base/scope.h"
#include "system/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

static const char file_name[] = "kernel_functions";

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
    uint32_t name, name_bytes; /* into the names */
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

/* Sorted, none reaches into the next, and all names are there. */
static bool function_fits(const struct function *function, uint64_t before, size_t names_bytes)
{
    return function->start >= before && function->end >= function->start && function->name <= names_bytes &&
           function->name_bytes <= names_bytes - function->name;
}

bool kept_kallsyms_unpack(struct running_kernel *names)
{
    struct bytes in = bytes_of(names->text.bytes, names->text.length, false);
    const uint8_t *head = bytes_take(&in, sizeof(struct counts));
    struct counts counts = {0};
    if (head)
        memcpy(&counts, head, sizeof(counts));
    if (!counts.functions || counts.functions > bytes_left(&in) / sizeof(struct function))
        return false;
    const uint8_t *functions = bytes_take(&in, (size_t)counts.functions * sizeof(struct function));
    const char *text = (const char *)in.at;
    size_t text_bytes = bytes_left(&in);
    uint64_t before = 0;
    vec_reserve(&names->index.symbols, (size_t)counts.functions);
    for (size_t at = 0; at < counts.functions; at++) {
        struct function function;
        memcpy(&function, functions + at * sizeof(function), sizeof(function));
        if (!function_fits(&function, before, text_bytes))
            return false;
        *vec_push(&names->index.symbols) = (struct indexed_symbol){.start = function.start,
                                                                   .end = function.end,
                                                                   .name = text + function.name,
                                                                   .name_length = function.name_bytes,
                                                                   .enclosing = UINT32_MAX,
                                                                   .order = (uint32_t)at};
        before = function.end;
    }
    names->text_addr = counts.text_addr;
    return true;
}

void kept_kallsyms_pack(struct text *out, const struct running_kernel *names)
{
    const struct counts counts = {names->text_addr, names->index.symbols.count};
    uint32_t name = 0;
    text_append(out, (const char *)&counts, sizeof(counts));
    vec_for_each (&names->index.symbols, symbol) {
        const struct function function = {symbol->start, symbol->end, name, symbol->name_length};
        text_append(out, (const char *)&function, sizeof(function));
        name += symbol->name_length;
    }
    vec_for_each (&names->index.symbols, symbol)
        text_append(out, symbol->name, symbol->name_length);
}

bool kept_kallsyms_read(const struct sysroot *root, struct running_kernel *ret_names)
{
    char head[HEAD_BYTES + 1];
    *ret_names = (struct running_kernel){0};
    if (sysroot_is_live(root) && head_of(root, head) &&
        cache_file_read(file_name, view_of(head), BYTES_MOST, &ret_names->text) && kept_kallsyms_unpack(ret_names))
        return true;
    running_kernel_done(ret_names);
    return false;
}

void kept_kallsyms_write(const struct sysroot *root, const struct running_kernel *names)
{
    char head[HEAD_BYTES + 1];
    scoped_text struct text packed = {0};
    if (!sysroot_is_live(root) || names->text.length > BYTES_MOST || !head_of(root, head))
        return;
    kept_kallsyms_pack(&packed, names);
    cache_file_write(file_name, view_of(head), text_view(&packed));
}
