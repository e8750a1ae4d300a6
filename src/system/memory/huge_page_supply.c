/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/memory/huge_page_supply.h"

#include "base/scope.h"
#include "base/vec.h"
#include "system/host/cgroup_place.h"
#include "system/key_value.h"

#include <unistd.h>

enum {
    BLOCK_BYTES = 2 * 1024 * 1024,
    GROUP_LEVELS_MOST = 32,
};

typedef vec(struct page_mount) mount_vec;

/* "Node 0, zone Normal 5249 4547 …": free blocks of 1, 2, 4 … pages. */
static void free_count(struct huge_page_supply *supply, const struct sysroot *root)
{
    scoped_text struct text text = {0};
    struct error err = {0};
    int64_t all = 0, whole = 0;
    if (!sysroot_read(root, &text, &err, "/proc/buddyinfo")) {
        fact_number_absent(&supply->free_bytes, "%.100s", err.message);
        fact_number_absent(&supply->free_block_bytes, "%.100s", err.message);
        return;
    }
    struct view rest = text_view(&text), line;
    while (view_line(&rest, &line)) {
        for (int word = 0; word < 4; word++)
            view_word(&line);
        int64_t block = sysconf(_SC_PAGESIZE);
        for (struct view word = view_word(&line); word.length && block <= INT64_MAX >> 20;
             word = view_word(&line), block *= 2) {
            uint64_t count;
            if (!view_u64(word, 10, &count) || count > UINT32_MAX)
                break;
            all += (int64_t)count * block;
            whole += block >= BLOCK_BYTES ? (int64_t)count * block : 0;
        }
    }
    fact_number_set(&supply->free_bytes, all);
    fact_number_set(&supply->free_block_bytes, whole);
}

static void process_look(struct huge_page_supply *supply, const struct sysroot *root, pid_t pid)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/status", pid);
    const struct key_fact keys[] = {{"THP_enabled", &supply->process_allowed}};
    key_facts_read(keys, array_count(keys), root, path);
}

/* One level of a group: the one with the least room so far stays. */
static void level_look(struct huge_page_supply *supply, const struct sysroot *root, const char *folder,
                       const char *limit_file, const char *used_file)
{
    uint64_t limit, used;
    if (!sysroot_u64(root, &limit, "%s/%s", folder, limit_file) ||
        !sysroot_u64(root, &used, "%s/%s", folder, used_file) || limit > INT64_MAX / 2)
        return;
    bool tighter = !supply->group_limit_bytes.known ||
                   (int64_t)(limit - used) < supply->group_limit_bytes.value - supply->group_used_bytes.value;
    if (tighter) {
        fact_number_set(&supply->group_limit_bytes, (int64_t)limit);
        fact_number_set(&supply->group_used_bytes, (int64_t)used);
    }
}

static void group_look(struct huge_page_supply *supply, const struct sysroot *root, pid_t pid)
{
    static const struct {
        const char *type, *controller, *limit, *used;
    } versions[] = {
        {"cgroup2", NULL, "memory.max", "memory.current"},
        {"cgroup", "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"},
    };
    fact_number_absent(&supply->group_limit_bytes, "no memory group above it has a limit");
    fact_number_absent(&supply->group_used_bytes, "no memory group above it has a limit");
    for (size_t at = 0; at < array_count(versions); at++) {
        char path[CGROUP_PATH_SIZE], folder[2 * CGROUP_PATH_SIZE];
        struct cgroup_place place = cgroup_place_find(root, versions[at].type, versions[at].controller);
        if (!place.found || !cgroup_path_find(root, pid, versions[at].controller, path, sizeof(path)))
            continue;
        snprintf(folder, sizeof(folder), "%s%s", place.point, cgroup_path_below(&place, path));
        for (int level = 0; level < GROUP_LEVELS_MOST && strlen(folder) >= strlen(place.point); level++) {
            level_look(supply, root, folder, versions[at].limit, versions[at].used);
            char *slash = strrchr(folder, '/');
            if (!slash)
                break;
            *slash = '\0';
        }
    }
}

/* Blanks stand as "\040" in it; three octal digits are one byte. */
static const char *unescape(struct view word, struct arena *arena)
{
    char *text = arena_string_n(arena, word.text, word.length), *to = text;
    for (const char *from = text; *from; from++) {
        bool octal = from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' && from[2] <= '7' &&
                     from[3] >= '0' && from[3] <= '7';
        *to++ = octal ? (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0')) : *from;
        from += octal ? 3 : 0;
    }
    *to = '\0';
    return text;
}

/* "36 35 98:0 /root /point options - type device super,options" */
static bool mount_parse(struct view line, struct page_mount *mount, struct arena *arena)
{
    ptrdiff_t dash = view_find(line, " - ");
    if (dash < 0)
        return false;
    struct view head = {line.text, (size_t)dash}, tail = view_skip(line, (size_t)dash + 3);
    for (int word = 0; word < 4; word++)
        view_word(&head);
    struct view point = view_word(&head), type = view_word(&tail);
    view_word(&tail);
    struct view options = view_trim(tail);
    *mount = (struct page_mount){.point = unescape(point, arena),
                                 .type = arena_string_n(arena, type.text, type.length),
                                 .huge = ""};
    while (options.length) {
        struct view option = view_cut(&options, ',');
        if (view_starts(option, "huge="))
            mount->huge = arena_string_n(arena, option.text + 5, option.length - 5);
    }
    return point.length > 0;
}

void page_mounts_parse(struct huge_page_supply *supply, struct view mountinfo, struct arena *arena)
{
    mount_vec mounts = {0};
    struct view line;
    struct page_mount mount;
    while (view_line(&mountinfo, &line))
        if (mount_parse(line, &mount, arena))
            *vec_push(&mounts) = mount;
    supply->mounts = arena_copy(arena, mounts.items, mounts.count * sizeof(*mounts.items));
    supply->mount_count = mounts.count;
    vec_done(&mounts);
}

static void mounts_read(struct huge_page_supply *supply, const struct sysroot *root, pid_t pid, struct arena *arena)
{
    scoped_text struct text text = {0};
    struct error err = {0};
    if (sysroot_read(root, &text, &err, "/proc/%d/mountinfo", pid))
        page_mounts_parse(supply, text_view(&text), arena);
}

void huge_page_supply_read(struct huge_page_supply *supply, const struct sysroot *root, pid_t pid, struct arena *arena)
{
    *supply = (struct huge_page_supply){.mounts = NULL};
    process_look(supply, root, pid);
    free_count(supply, root);
    group_look(supply, root, pid);
    fact_number_read(&supply->empty_most, root, "/sys/kernel/mm/transparent_hugepage/khugepaged/max_ptes_none");
    mounts_read(supply, root, pid, arena);
}

const struct page_mount *page_mount_of(const struct huge_page_supply *supply, const char *path)
{
    const struct page_mount *best = NULL;
    size_t best_length = 0;
    for (size_t at = 0; path[0] == '/' && at < supply->mount_count; at++) {
        const struct page_mount *mount = &supply->mounts[at];
        size_t length = strcmp(mount->point, "/") == 0 ? 0 : strlen(mount->point);
        bool holds = strncmp(path, mount->point, length) == 0 && (path[length] == '/' || path[length] == '\0');
        if (holds && (!best || length >= best_length)) { /* a later mount covers an earlier one */
            best = mount;
            best_length = length;
        }
    }
    return best;
}
