/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/recorder/recorder_features.h"

#include "base/arena.h"
#include "base/scope.h"

#include <endian.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Layout (trace-cmd.dat's head, version 0.6): magic, version, byte order, sizeof(long), page size,
 * header_page, header_event, ftrace's formats, {system, formats}…, kallsyms, printk formats, command names.
 * Kallsyms and command names may be empty: records say both.
 */
static const char magic[10] = "\x17\x08\x44tracing";
static const char version[] = "0.6";

struct tracepoint {
    char *system, *name;
};

typedef vec(struct tracepoint) tracepoints;

static bool has_id(const struct sysroot *root, const char *tracefs, struct view system, struct view name, uint64_t id)
{
    uint64_t found;
    return sysroot_u64(root, &found, "%s/events/%.*s/%.*s/id", tracefs, (int)system.length, system.text,
                       (int)name.length, name.text) &&
           found == id;
}

static void tracepoint_add(tracepoints *found, struct view system, struct view name)
{
    vec_for_each(found, other)
        if (view_equal(system, other->system) && view_equal(name, other->name))
            return;
    struct tracepoint *tracepoint = vec_push(found);
    tracepoint->system = memory_printf("%.*s", (int)system.length, system.text);
    tracepoint->name = memory_printf("%.*s", (int)name.length, name.text);
}

/* An event that was renamed (name=): its number tells which tracepoint it is. */
static bool find_in_system(const struct sysroot *root, const char *tracefs, const char *system, uint64_t id,
                           tracepoints *found)
{
    scoped_dir DIR *folder = sysroot_opendir(root, "%s/events/%s", tracefs, system);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.' && has_id(root, tracefs, view_of(system), view_of(entry->d_name), id)) {
            tracepoint_add(found, view_of(system), view_of(entry->d_name));
            return true;
        }
    return false;
}

static bool find_everywhere(const struct sysroot *root, const char *tracefs, uint64_t id, tracepoints *found)
{
    scoped_dir DIR *folder = sysroot_opendir(root, "%s/events", tracefs);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.' && find_in_system(root, tracefs, entry->d_name, id, found))
            return true;
    return false;
}

static void find_tracepoint(const struct sysroot *root, const char *tracefs, const struct perf_data_event *event,
                            tracepoints *found)
{
    struct view rest = view_of(event->name), system = view_cut(&rest, ':'), name = view_cut(&rest, ':');
    if (name.length && has_id(root, tracefs, system, name, event->attr.config))
        tracepoint_add(found, system, name);
    else
        find_everywhere(root, tracefs, event->attr.config, found);
}

static int by_system(const void *a, const void *b)
{
    const struct tracepoint *left = a, *right = b;
    int order = strcmp(left->system, right->system);
    return order ? order : strcmp(left->name, right->name);
}

/* A file's text; empty when it can't be read. */
static struct text file_content(const struct sysroot *root, const char *folder, const char *path)
{
    struct text content = {0};
    if (!sysroot_read(root, &content, NULL, "%s/%s", folder, path))
        text_clear(&content);
    return content;
}

/* A file with its length before it; an unreadable one is empty. */
static void add_file(struct text *out, const struct sysroot *root, const char *folder, const char *path)
{
    scoped_text struct text content = file_content(root, folder, path);
    perf_data_add_u64(out, content.length);
    text_append(out, content.bytes, content.length);
}

/* The texts that events name by their address in the kernel, as rcu's do. */
static void add_printk_formats(struct text *out, const struct sysroot *root, const char *tracefs)
{
    scoped_text struct text content = file_content(root, tracefs, "printk_formats");
    perf_data_add_u32(out, (uint32_t)content.length);
    text_append(out, content.bytes, content.length);
}

static void add_format(struct text *out, const struct sysroot *root, const char *tracefs, const char *system,
                       const char *name)
{
    char path[512];
    snprintf(path, sizeof(path), "events/%s/%s/format", system, name);
    add_file(out, root, tracefs, path);
}

static void add_head(struct text *out, const struct sysroot *root, const char *tracefs)
{
    text_append(out, magic, sizeof(magic));
    text_append(out, version, sizeof(version));
    text_add_char(out, __BYTE_ORDER == __BIG_ENDIAN);
    text_add_char(out, sizeof(long));
    perf_data_add_u32(out, (uint32_t)sysconf(_SC_PAGESIZE));
    text_append(out, "header_page", sizeof("header_page"));
    add_file(out, root, tracefs, "events/header_page");
    text_append(out, "header_event", sizeof("header_event"));
    add_file(out, root, tracefs, "events/header_event");
    perf_data_add_u32(out, 0); /* none of ftrace's own formats: perf events don't carry them */
}

static void add_systems(struct text *out, const struct sysroot *root, const char *tracefs, const tracepoints *found)
{
    uint32_t systems = 0;
    for (size_t at = 0; at < found->count; at++)
        systems += at == 0 || strcmp(found->items[at].system, found->items[at - 1].system) != 0;
    perf_data_add_u32(out, systems);
    for (size_t at = 0, end; at < found->count; at = end) {
        const char *system = found->items[at].system;
        for (end = at; end < found->count && strcmp(found->items[end].system, system) == 0;)
            end++;
        text_append(out, system, strlen(system) + 1);
        perf_data_add_u32(out, (uint32_t)(end - at));
        for (size_t in = at; in < end; in++)
            add_format(out, root, tracefs, system, found->items[in].name);
    }
}

bool recorder_tracing_data_add(perf_data_features *features, const struct perf_data_event *events,
                               size_t event_count, const struct sysroot *root, struct error *err)
{
    tracepoints found = {0};
    const char *tracefs = sysroot_tracefs(root);
    size_t wanted = 0;
    for (size_t at = 0; at < event_count; at++) {
        if (events[at].attr.type != PERF_TYPE_TRACEPOINT)
            continue;
        wanted++;
        if (tracefs)
            find_tracepoint(root, tracefs, &events[at], &found);
    }
    if (wanted && !found.count)
        return error_set(err, ERROR_NOT_FOUND, "can't read the tracepoints' formats below %s",
                         tracefs ? tracefs : "/sys/kernel/tracing, which isn't mounted");
    if (found.count) {
        qsort(found.items, found.count, sizeof(found.items[0]), by_system);
        struct text *out = perf_data_features_add(features, FEATURE_TRACING_DATA);
        add_head(out, root, tracefs);
        add_systems(out, root, tracefs, &found);
        perf_data_add_u32(out, 0); /* kallsyms */
        add_printk_formats(out, root, tracefs);
        perf_data_add_u64(out, 0); /* command names */
    }
    vec_for_each(&found, tracepoint) {
        free(tracepoint->system);
        free(tracepoint->name);
    }
    vec_done(&found);
    return true;
}
