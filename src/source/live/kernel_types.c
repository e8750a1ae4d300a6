/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/live/kernel_types.h"

#include "base/scope.h"

#include <sys/mman.h>
#include <sys/stat.h>

bool kernel_types_read(struct kernel_types *types, const struct sysroot *root, const char *name)
{
    struct error ignored;
    struct stat status;
    *types = (struct kernel_types){0};
    scoped_fd int fd = sysroot_open(root, "/sys/kernel/btf/%s", name);
    if (fd < 0)
        return false;
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
        void *mapped = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (mapped != MAP_FAILED) {
            types->mapped = mapped;
            types->bytes = (struct view){mapped, (size_t)status.st_size};
            return true;
        }
    }
    if (!sysroot_read(root, &types->copy, &ignored, "/sys/kernel/btf/%s", name)) {
        text_done(&types->copy);
        return false;
    }
    types->bytes = text_view(&types->copy);
    return true;
}

void kernel_types_done(struct kernel_types *types)
{
    if (types->mapped)
        munmap(types->mapped, types->bytes.length);
    text_done(&types->copy);
}
