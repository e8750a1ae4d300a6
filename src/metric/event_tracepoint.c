/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tracepoints: names are folders of tracefs, the id file is what the kernel wants. */
#include "metric/event_parser.h"

#include "base/scope.h"
#include "base/vec.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

struct names {
    char **items;
    size_t count, capacity;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_done(struct names *names)
{
    vec_for_each(names, name) free(*name);
    vec_done(names);
}

static bool is_glob(const char *text)
{
    return strpbrk(text, "*?[") != NULL;
}

/* Folders in `folder` that match, sorted; one that needs no reading when the pattern is a plain name. */
static bool folders_match(const struct sysroot *root, const char *folder, const char *pattern, struct names *names)
{
    if (!is_glob(pattern)) {
        if (sysroot_exists(root, "%s/%s", folder, pattern))
            *vec_push(names) = memory_string(pattern);
        return true;
    }
    scoped_dir DIR *dir = sysroot_opendir(root, "%s", folder);
    if (!dir)
        return false;
    for (struct dirent *entry; (entry = readdir(dir));)
        if (entry->d_name[0] != '.' && entry->d_type != DT_REG && fnmatch(pattern, entry->d_name, 0) == 0)
            *vec_push(names) = memory_string(entry->d_name);
    if (names->count)
        qsort(names->items, names->count, sizeof(*names->items), compare_names);
    return true;
}

bool event_tracefs_missing(const struct sysroot *root, struct error *err)
{
    scoped_dir DIR *dir = sysroot_opendir(root, "/sys/kernel/tracing");
    if (!dir && errno == EACCES) {
        error_set(err, ERROR_PERMISSION, "tracefs can't be read, which tracepoints need");
        return error_hint(err, "sudo mount -o remount,gid=$(id -g),mode=750 /sys/kernel/tracing; counting then needs "
                               "kernel.perf_event_paranoid at 1, recording at -1 (or CAP_PERFMON); or run as root");
    }
    scoped_dir DIR *events = sysroot_opendir(root, "/sys/kernel/tracing/events");
    if (!events && errno == EACCES) {
        error_set(err, ERROR_PERMISSION, "tracefs can't be read, which tracepoints need");
        return error_hint(err, "run as root, or: sudo mount -o remount,gid=$(id -g),mode=750 /sys/kernel/tracing");
    }
    error_set(err, ERROR_UNSUPPORTED, "tracefs is not mounted, which tracepoints need");
    return error_hint(err, "as root: mount -t tracefs nodev /sys/kernel/tracing");
}

static bool tracepoint_append(struct event_parser *parser, const char *tracefs, const char *system, const char *name,
                              struct error *err)
{
    char line[64];
    uint64_t id;
    if (!sysroot_line(parser->root, line, sizeof(line), "%s/events/%s/%s/id", tracefs, system, name)) {
        if (errno == ENOENT)
            return false; /* ftrace:* entries have no id: not countable */
        error_system(err, errno, "can't read the id of tracepoint %s:%s", system, name);
        return err->sys_errno == EACCES
                   ? error_hint(err, "run as root, or: sudo mount -o remount,gid=$(id -g),mode=750 %s", tracefs)
                   : false;
    }
    if (!view_u64(view_of(line), 10, &id))
        return error_set(err, ERROR_FORMAT, "tracepoint %s:%s has no id", system, name);
    struct event_spec *event = event_append(parser, PERF_TYPE_TRACEPOINT, id);
    event->name = arena_printf(parser->arena, "%s:%s", system, name);
    return true;
}

static bool system_parse(struct event_parser *parser, const char *tracefs, const char *system, const char *pattern,
                         struct error *err)
{
    scoped_free char *folder = memory_printf("%s/events/%s", tracefs, system);
    scoped(names_done) struct names names = {0};
    if (!folders_match(parser->root, folder, pattern, &names))
        return error_system(err, errno, "can't read '%s'", folder);
    struct error problem = {0};
    vec_for_each(&names, name) if (!tracepoint_append(parser, tracefs, system, *name, &problem) && problem.kind)
    {
        *err = problem;
        return false;
    }
    return true;
}

bool event_tracepoint_parse(struct event_parser *parser, struct view system, struct view name, struct error *err)
{
    char system_text[128], name_text[256];
    if (!system.length || !name.length || system.length >= sizeof(system_text) || name.length >= sizeof(name_text) ||
        memchr(system.text, '/', system.length) || memchr(name.text, '/', name.length))
        return false;
    snprintf(system_text, sizeof(system_text), "%.*s", (int)system.length, system.text);
    snprintf(name_text, sizeof(name_text), "%.*s", (int)name.length, name.text);
    const char *tracefs = sysroot_tracefs(parser->root);
    if (!tracefs)
        return event_tracefs_missing(parser->root, err);
    scoped_free char *events = memory_printf("%s/events", tracefs);
    scoped(names_done) struct names systems = {0};
    size_t before = parser->list->count;
    if (!folders_match(parser->root, events, system_text, &systems))
        return event_tracefs_missing(parser->root, err);
    vec_for_each(&systems, found) if (!system_parse(parser, tracefs, *found, name_text, err)) return false;
    return parser->list->count > before;
}

void event_tracepoint_each(const struct sysroot *root, event_visit *visit, void *context)
{
    const char *tracefs = sysroot_tracefs(root);
    if (!tracefs)
        return;
    scoped_free char *events = memory_printf("%s/events", tracefs);
    scoped(names_done) struct names systems = {0};
    if (!folders_match(root, events, "*", &systems))
        return;
    vec_for_each(&systems, system)
    {
        scoped_free char *folder = memory_printf("%s/%s", events, *system);
        scoped(names_done) struct names names = {0};
        if (strcmp(*system, "ftrace") == 0 || !folders_match(root, folder, "*", &names))
            continue;
        vec_for_each(&names, name)
        {
            scoped_free char *full = memory_printf("%s:%s", *system, *name);
            visit(context, full);
        }
    }
}
