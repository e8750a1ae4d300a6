/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "made_folder.h"
#include "system/memory/spare_memory.h"
#include "test.h"

#include <stdlib.h>

static uint64_t spare_mib(const char *folder)
{
    struct sysroot root;
    sysroot_init(&root, folder);
    return spare_memory_bytes(&root) >> 20;
}

Test(spare_memory, the_least_of_the_machine_and_of_every_group_above)
{
    char folder[] = "/tmp/plumb_spare_XXXXXX";
    cr_assert(mkdtemp(folder));
    cr_expect_eq(spare_mib(folder), SPARE_MEMORY_UNKNOWN >> 20, "nothing to read");
    made_folder_put(folder, "/proc/meminfo", "MemTotal: 16777216 kB\nMemAvailable: 8388608 kB\n");
    cr_expect_eq(spare_mib(folder), 8192);
    made_folder_put(folder, "/proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    made_folder_put(folder, "/proc/self/cgroup", "0::/pods/one\n");
    made_folder_put(folder, "/sys/fs/cgroup/pods/one/memory.max", "max\n");
    made_folder_put(folder, "/sys/fs/cgroup/pods/one/memory.current", "1048576\n");
    cr_expect_eq(spare_mib(folder), 8192, "no limit");
    made_folder_put(folder, "/sys/fs/cgroup/pods/memory.max", "104857600\n");
    made_folder_put(folder, "/sys/fs/cgroup/pods/memory.current", "52428800\n");
    cr_expect_eq(spare_mib(folder), 50, "the group above is limited");
    made_folder_put(folder, "/sys/fs/cgroup/pods/one/memory.max", "1000000\n");
    cr_expect_eq(spare_mib(folder), 0, "and its own is used up");
    made_folder_put(folder, "/proc/self/mountinfo", "31 20 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    made_folder_put(folder, "/proc/self/cgroup", "4:memory:/old\n0::/\n");
    made_folder_put(folder, "/sys/fs/cgroup/memory/old/memory.limit_in_bytes", "209715200\n");
    made_folder_put(folder, "/sys/fs/cgroup/memory/old/memory.usage_in_bytes", "104857600\n");
    cr_expect_eq(spare_mib(folder), 100, "version 1");
    made_folder_remove(folder);
}
