/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/pmu/pmu_list.h"

#include "base/scope.h"
#include "base/vec.h"

#include <errno.h>

#define PMU_FOLDER "/sys/bus/event_source/devices"

enum { ENTRIES_MOST = 20000 };

static bool is_attribute_of_event(const char *name)
{
    static const char *const suffixes[] = {".unit", ".scale", ".per-pkg", ".snapshot"};
    for (size_t at = 0; at < array_count(suffixes); at++)
        if (view_ends(view_of(name), suffixes[at]))
            return true;
    return false;
}

static int compare_entry(const void *a, const void *b)
{
    return strcmp(((const struct pmu_entry *)a)->name, ((const struct pmu_entry *)b)->name);
}

static void entries_read(struct pmu_entries *entries, const struct sysroot *root, struct arena *arena, const char *pmu,
                         const char *kind)
{
    vec(struct pmu_entry) found = {0};
    scoped_dir DIR *folder = sysroot_opendir(root, PMU_FOLDER "/%s/%s", pmu, kind);
    for (struct dirent *entry; folder && found.count < ENTRIES_MOST && (entry = readdir(folder));) {
        char line[512];
        if (entry->d_name[0] == '.' || is_attribute_of_event(entry->d_name))
            continue;
        if (!sysroot_line(root, line, sizeof(line), PMU_FOLDER "/%s/%s/%s", pmu, kind, entry->d_name))
            continue;
        *vec_push(&found) = (struct pmu_entry){arena_string(arena, entry->d_name), arena_string(arena, line)};
    }
    *entries = (struct pmu_entries){.count = found.count};
    if (found.count) {
        qsort(found.items, found.count, sizeof(*found.items), compare_entry);
        entries->items = arena_copy(arena, found.items, found.count * sizeof(*found.items));
    }
    vec_done(&found);
}

static int compare_pmu(const void *a, const void *b)
{
    return strcmp(((const struct pmu *)a)->name, ((const struct pmu *)b)->name);
}

static void pmu_read(struct pmu *pmu, const struct sysroot *root, struct arena *arena, const char *name)
{
    *pmu = (struct pmu){.name = arena_string(arena, name)};
    fact_number_read(&pmu->type, root, PMU_FOLDER "/%s/type", name);
    fact_word_read(&pmu->cpumask, root, PMU_FOLDER "/%s/cpumask", name);
    fact_word_read(&pmu->cpus, root, PMU_FOLDER "/%s/cpus", name);
    fact_number_read(&pmu->mux_interval_ms, root, PMU_FOLDER "/%s/perf_event_mux_interval_ms", name);
    entries_read(&pmu->formats, root, arena, name, "format");
    entries_read(&pmu->events, root, arena, name, "events");
    entries_read(&pmu->caps, root, arena, name, "caps");
}

void pmu_list_read(struct pmu_list *list, const struct sysroot *root, struct arena *arena)
{
    vec(struct pmu) found = {0};
    *list = (struct pmu_list){0};
    scoped_dir DIR *folder = sysroot_opendir(root, PMU_FOLDER);
    if (!folder) {
        fact_word_absent(&list->folder, "'%s' can't be listed: %s", PMU_FOLDER, strerror(errno));
        return;
    }
    fact_word_set(&list->folder, VIEW(PMU_FOLDER));
    for (struct dirent *entry; found.count < ENTRIES_MOST && (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            pmu_read(vec_push(&found), root, arena, entry->d_name);
    if (found.count) {
        qsort(found.items, found.count, sizeof(*found.items), compare_pmu);
        list->items = arena_copy(arena, found.items, found.count * sizeof(*found.items));
        list->count = found.count;
    }
    vec_done(&found);
}

const struct pmu *pmu_find(const struct pmu_list *list, const char *name)
{
    for (size_t at = 0; at < list->count; at++)
        if (strcmp(list->items[at].name, name) == 0)
            return &list->items[at];
    return NULL;
}

const struct pmu *pmu_find_prefix(const struct pmu_list *list, const char *prefix)
{
    for (size_t at = 0; at < list->count; at++)
        if (view_starts(view_of(list->items[at].name), prefix))
            return &list->items[at];
    return NULL;
}

bool pmu_name_is_core(const char *name)
{
    static const char *const names[] = {"cpu", "cpu_core", "cpu_atom"}, *const prefixes[] = {"armv8_", "armv9_",
                                                                                             "apple_"};
    for (size_t at = 0; at < array_count(names); at++)
        if (strcmp(name, names[at]) == 0)
            return true;
    for (size_t at = 0; at < array_count(prefixes); at++)
        if (strncmp(name, prefixes[at], strlen(prefixes[at])) == 0)
            return true;
    return false;
}

bool pmu_core_exists(const struct sysroot *root)
{
    if (sysroot_exists(root, PMU_FOLDER "/cpu") || sysroot_exists(root, PMU_FOLDER "/cpu_core"))
        return true;
    bool found = false;
    scoped_dir DIR *folder = sysroot_opendir(root, PMU_FOLDER);
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));)
        found = pmu_name_is_core(entry->d_name);
    return found;
}

const struct pmu *pmu_find_core(const struct pmu_list *list)
{
    const struct pmu *core = pmu_find(list, "cpu");
    core = core ? core : pmu_find(list, "cpu_core");
    for (size_t at = 0; !core && at < list->count; at++)
        if (pmu_name_is_core(list->items[at].name))
            core = &list->items[at];
    return core;
}

const char *pmu_entry_find(const struct pmu_entries *entries, const char *name)
{
    for (size_t at = 0; at < entries->count; at++)
        if (strcmp(entries->items[at].name, name) == 0)
            return entries->items[at].value;
    return NULL;
}

bool pmu_has_topdown(const struct pmu *core_or_null)
{
    return core_or_null && pmu_entry_find(&core_or_null->events, "slots") &&
           pmu_entry_find(&core_or_null->events, "topdown-retiring");
}

/* Spread value over the bit ranges of a format such as "config:0-7,32-35", lowest bits first. */
static bool field_spread(const char *format, uint64_t value, uint64_t *config)
{
    struct view ranges = view_of(format);
    if (!view_equal(view_cut(&ranges, ':'), "config"))
        return false;
    while (ranges.length) {
        struct view range = view_cut(&ranges, ','), high = range, low = view_cut(&high, '-');
        uint64_t first, last;
        if (!view_u64(low, 10, &first) || first > 63)
            return false;
        last = first;
        if (high.length && (!view_u64(high, 10, &last) || last < first || last > 63))
            return false;
        uint64_t width = last - first + 1, mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
        *config |= (value & mask) << first;
        value = width == 64 ? 0 : value >> width;
    }
    return value == 0;
}

bool pmu_event_encode(const struct pmu *pmu, const char *value, uint64_t *ret_config)
{
    struct view rest = view_of(value);
    uint64_t config = 0;
    while (rest.length) {
        struct view term = view_cut(&rest, ','), setting = term, name = view_trim(view_cut(&setting, '='));
        char key[64];
        uint64_t number = 1; /* a bare term is a set bit */
        if (name.length >= sizeof(key) || (setting.length && !view_u64(view_trim(setting), 0, &number)))
            return false;
        memcpy(key, name.text, name.length);
        key[name.length] = '\0';
        const char *format = pmu_entry_find(&pmu->formats, key);
        if (!format || !field_spread(format, number, &config))
            return false;
    }
    *ret_config = config;
    return true;
}
