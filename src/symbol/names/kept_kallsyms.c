/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/names/kept_kallsyms.h"

#include "base/file/cache_file.h"
#include "base/hashmap.h"
#include "base/scope.h"
#include "system/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

static const char file_name[] = "kallsyms";

enum {
    BYTES_MOST = 64 << 20,
    HEAD_BYTES = 32,
    BPF_PROGRAMS_MOST = 1 << 16,
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
    snprintf(ret_head, HEAD_BYTES + 1, "# kallsyms of %016" PRIx64 " \n", hash);
    return true;
}

bool kept_kallsyms_read(const struct sysroot *root, struct text *ret_text)
{
    char head[HEAD_BYTES + 1];
    return sysroot_is_live(root) && head_of(root, head) &&
           cache_file_read(file_name, view_of(head), BYTES_MOST, ret_text);
}

void kept_kallsyms_write(const struct sysroot *root, struct view text)
{
    char head[HEAD_BYTES + 1];
    if (sysroot_is_live(root) && text.length <= BYTES_MOST && head_of(root, head))
        cache_file_write(file_name, view_of(head), text);
}
