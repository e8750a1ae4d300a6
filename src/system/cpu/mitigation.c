/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/cpu/mitigation.h"

#include "base/scope.h"
#include "base/vec.h"

static int compare_name(const void *a, const void *b)
{
    return strcmp(((const struct mitigation *)a)->vulnerability, ((const struct mitigation *)b)->vulnerability);
}

void mitigations_read(struct mitigations *mitigations, const struct sysroot *root, struct arena *arena)
{
    static const char folder_path[] = "/sys/devices/system/cpu/vulnerabilities";
    vec(struct mitigation) found = {0};
    *mitigations = (struct mitigations){0};
    scoped_dir DIR *folder = sysroot_opendir(root, "%s", folder_path);
    int64_t active = 0, vulnerable = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char state[512];
        if (entry->d_name[0] == '.' || !sysroot_line(root, state, sizeof(state), "%s/%s", folder_path, entry->d_name))
            continue;
        *vec_push(&found) = (struct mitigation){arena_string(arena, entry->d_name), arena_string(arena, state)};
        active += view_starts(view_of(state), "Mitigation");
        vulnerable += view_starts(view_of(state), "Vulnerable");
    }
    if (!found.count) {
        fact_number_absent(&mitigations->active, "'%s' isn't there", folder_path);
        fact_number_absent(&mitigations->vulnerable, "'%s' isn't there", folder_path);
        return;
    }
    qsort(found.items, found.count, sizeof(*found.items), compare_name);
    mitigations->items = arena_copy(arena, found.items, found.count * sizeof(*found.items));
    mitigations->count = found.count;
    vec_done(&found);
    fact_number_set(&mitigations->active, active);
    fact_number_set(&mitigations->vulnerable, vulnerable);
}
