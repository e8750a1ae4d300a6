/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/memory/spare_memory.h"

#include "base/scope.h"
#include "system/host/cgroup_place.h"

#include <string.h>

static uint64_t available_bytes(const struct sysroot *root)
{
    scoped_text struct text meminfo = {0};
    struct error ignored = {0};
    if (!sysroot_read(root, &meminfo, &ignored, "/proc/meminfo"))
        return SPARE_MEMORY_UNKNOWN;
    struct view rest = text_view(&meminfo), line;
    while (view_line(&rest, &line)) {
        uint64_t kib;
        if (view_equal(view_word(&line), "MemAvailable:") && view_u64(view_word(&line), 10, &kib))
            return kib * 1024;
    }
    return SPARE_MEMORY_UNKNOWN;
}

/* What page caches hold counts as used there and would go first; without it this is a lower end. */
static uint64_t level_spare(const struct sysroot *root, const char *folder, const char *limit_file,
                            const char *used_file)
{
    uint64_t limit, used;
    if (!sysroot_u64(root, &limit, "%s/%s", folder, limit_file) ||
        !sysroot_u64(root, &used, "%s/%s", folder, used_file))
        return SPARE_MEMORY_UNKNOWN; /* "max", or no such file: no limit at this level */
    return used < limit ? limit - used : 0;
}

/* A limit of any group above holds as well. */
static uint64_t groups_spare(const struct sysroot *root, bool version_2)
{
    static const char *const limits[] = {"memory.limit_in_bytes", "memory.max"};
    static const char *const usages[] = {"memory.usage_in_bytes", "memory.current"};
    struct cgroup_place place = cgroup_place_find(root, version_2 ? "cgroup2" : "cgroup", version_2 ? NULL : "memory");
    char path[CGROUP_PATH_SIZE], folder[CGROUP_PATH_SIZE * 2];
    uint64_t spare = SPARE_MEMORY_UNKNOWN;
    if (!place.found || !cgroup_path_find(root, 0, version_2 ? NULL : "memory", path, sizeof(path)))
        return spare;
    char below[CGROUP_PATH_SIZE];
    snprintf(below, sizeof(below), "%s", cgroup_path_below(&place, path));
    for (;;) {
        snprintf(folder, sizeof(folder), "%s%s", place.point, below);
        uint64_t here = level_spare(root, folder, limits[version_2], usages[version_2]);
        spare = here < spare ? here : spare;
        char *slash = strrchr(below, '/');
        if (!slash)
            return spare;
        *slash = '\0';
    }
}

uint64_t spare_memory_bytes(const struct sysroot *root)
{
    uint64_t spare = available_bytes(root), first = groups_spare(root, false), second = groups_spare(root, true);
    spare = first < spare ? first : spare;
    return second < spare ? second : spare;
}
