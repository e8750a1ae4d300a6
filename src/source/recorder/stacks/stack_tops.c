/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/recorder/stacks/stack_tops.h"

#include <string.h>

enum { STAT_FIELDS_BEFORE = 25 }; /* between the name and startstack, field 28 of proc_pid_stat(5) */

void stack_tops_init(struct stack_tops *tops, const struct sysroot *root)
{
    *tops = (struct stack_tops){.root = root};
}

void stack_tops_done(struct stack_tops *tops)
{
    vec_done(&tops->items);
    hashmap_done(&tops->by_pid);
}

static struct stack_top *top_of(struct stack_tops *tops, uint32_t pid)
{
    uint32_t known = hashmap_find(&tops->by_pid, hash_u64(pid), NULL, NULL, NULL);
    if (known != HASHMAP_ABSENT)
        return &tops->items.items[known];
    hashmap_add(&tops->by_pid, hash_u64(pid), (uint32_t)tops->items.count);
    struct stack_top *top = vec_push(&tops->items);
    *top = (struct stack_top){.pid = pid};
    return top;
}

static uint64_t read_top(const struct sysroot *root, uint32_t pid)
{
    char line[1024];
    uint64_t addr;
    if (!sysroot_line(root, line, sizeof(line), "/proc/%u/stat", pid))
        return 0;
    const char *behind = strrchr(line, ')'); /* the name may hold anything */
    struct view rest = view_of(behind ? behind + 1 : "");
    for (int field = 0; field < STAT_FIELDS_BEFORE; field++)
        view_word(&rest);
    return view_u64(view_word(&rest), 10, &addr) ? addr : 0;
}

uint64_t stack_tops_find(struct stack_tops *tops, uint32_t pid)
{
    struct stack_top *top = top_of(tops, pid);
    if (!top->known)
        top->addr = read_top(tops->root, pid);
    top->known = true;
    return top->addr;
}

void stack_tops_forget(struct stack_tops *tops, uint32_t pid)
{
    if (hashmap_find(&tops->by_pid, hash_u64(pid), NULL, NULL, NULL) != HASHMAP_ABSENT)
        *top_of(tops, pid) = (struct stack_top){.pid = pid};
}
