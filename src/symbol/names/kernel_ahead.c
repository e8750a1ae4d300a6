/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/kernel_ahead.h"

#include "base/arena.h"
#include "base/worker.h"
#include "symbol/names/running_kernel.h"

#include <stdlib.h>

struct kernel_ahead {
    const struct sysroot *root;
    struct worker worker;
    struct running_kernel names;
    struct error error;
    bool is_good, is_taken;
};

static void read_names(void *context)
{
    struct kernel_ahead *ahead = context;
    ahead->is_good = running_kernel_read(ahead->root, &ahead->names, &ahead->error);
}

struct kernel_ahead *kernel_ahead_begin(const struct sysroot *root)
{
    struct kernel_ahead *ahead = memory_alloc(sizeof(*ahead));
    *ahead = (struct kernel_ahead){.root = root};
    worker_begin(&ahead->worker, read_names, ahead);
    return ahead;
}

bool kernel_ahead_take(struct kernel_ahead *ahead, struct running_kernel *ret_names, struct error *err)
{
    worker_end(&ahead->worker);
    if (ahead->is_taken) /* another symboliser has them */
        return running_kernel_read(ahead->root, ret_names, err);
    ahead->is_taken = true;
    *ret_names = ahead->names;
    ahead->names = (struct running_kernel){0};
    if (!ahead->is_good)
        *err = ahead->error;
    return ahead->is_good;
}

void kernel_ahead_free(struct kernel_ahead *ahead)
{
    if (!ahead)
        return;
    worker_end(&ahead->worker);
    running_kernel_done(&ahead->names);
    free(ahead);
}
