/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/sysroot.h"

#include "base/scope.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILE_BYTES_MOST = 64 * 1024 * 1024,
    CPU_MOST = 65536
};

void sysroot_init(struct sysroot *root, const char *prefix)
{
    root->prefix[0] = '\0';
    if (!prefix || strcmp(prefix, "/") == 0)
        return;
    snprintf(root->prefix, sizeof(root->prefix), "%s", prefix);
    size_t length = strlen(root->prefix);
    while (length > 1 && root->prefix[length - 1] == '/')
        root->prefix[--length] = '\0';
}

bool sysroot_is_live(const struct sysroot *root)
{
    return root->prefix[0] == '\0';
}

struct sysroot_path {
    char full[PATH_MAX + 256];
    const char *inside; /* full without the prefix */
};

/* Build "prefix + path" in a local called `path_`. */
#define SYSROOT_PATH(root, format)                                                                                \
    struct sysroot_path path_;                                                                                    \
    {                                                                                                             \
        va_list args_;                                                                                            \
        va_start(args_, format);                                                                                  \
        path_build((root), &path_, (format), args_);                                                              \
        va_end(args_);                                                                                            \
    }

__attribute__((format(printf, 3, 0))) static void path_build(const struct sysroot *root, struct sysroot_path *path,
                                                             const char *format, va_list args)
{
    size_t prefix_length = strlen(root->prefix);
    memcpy(path->full, root->prefix, prefix_length);
    vsnprintf(path->full + prefix_length, sizeof(path->full) - prefix_length, format, args);
    path->inside = path->full + prefix_length;
}

static bool read_all(int fd, struct text *out)
{
    size_t total = 0;
    for (;;) {
        char buffer[16384];
        ssize_t got = read(fd, buffer, sizeof(buffer));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            return true;
        total += (size_t)got;
        if (total > FILE_BYTES_MOST) {
            errno = EFBIG;
            return false;
        }
        text_append(out, buffer, (size_t)got);
    }
}

bool sysroot_read(const struct sysroot *root, struct text *out, struct error *err, const char *path, ...)
{
    SYSROOT_PATH(root, path);
    scoped_fd int fd = open(path_.full, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || !read_all(fd, out))
        return error_system(err, errno, "can't read '%s'", path_.inside);
    return true;
}

static bool read_line(const char *full, char *line, size_t line_size)
{
    scoped_fd int fd = open(full, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    char buffer[4096];
    ssize_t got = read(fd, buffer, sizeof(buffer));
    if (got < 0)
        return false;
    struct view rest = {buffer, (size_t)got}, first = {buffer, 0};
    if (!view_line(&rest, &first))
        first.length = 0;
    first = view_trim(first);
    if (first.length >= line_size)
        first.length = line_size - 1;
    memcpy(line, first.text, first.length);
    line[first.length] = '\0';
    return true;
}

bool sysroot_line(const struct sysroot *root, char *line, size_t line_size, const char *path, ...)
{
    SYSROOT_PATH(root, path);
    return read_line(path_.full, line, line_size);
}

bool sysroot_u64(const struct sysroot *root, uint64_t *ret_value, const char *path, ...)
{
    SYSROOT_PATH(root, path);
    char line[128];
    return read_line(path_.full, line, sizeof(line)) && view_u64(view_of(line), 0, ret_value);
}

bool sysroot_i64(const struct sysroot *root, int64_t *ret_value, const char *path, ...)
{
    SYSROOT_PATH(root, path);
    char line[128];
    return read_line(path_.full, line, sizeof(line)) && view_i64(view_of(line), ret_value);
}

bool sysroot_boot_id(const struct sysroot *root, char id[BOOT_ID_BYTES])
{
    return sysroot_is_live(root) && sysroot_line(root, id, BOOT_ID_BYTES, "/proc/sys/kernel/random/boot_id") && id[0];
}

bool sysroot_exists(const struct sysroot *root, const char *path, ...)
{
    SYSROOT_PATH(root, path);
    return access(path_.full, F_OK) == 0;
}

DIR *sysroot_opendir(const struct sysroot *root, const char *path, ...)
{
    SYSROOT_PATH(root, path);
    return opendir(path_.full);
}

int sysroot_open(const struct sysroot *root, const char *path, ...)
{
    SYSROOT_PATH(root, path);
    return open(path_.full, O_RDONLY | O_CLOEXEC);
}

bool sysroot_link(const struct sysroot *root, char *target, size_t target_size, const char *path, ...)
{
    SYSROOT_PATH(root, path);
    ssize_t length = readlink(path_.full, target, target_size - 1);
    if (length < 0)
        return false;
    target[length] = '\0';
    return true;
}

const char *sysroot_tracefs(const struct sysroot *root)
{
    static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
    for (size_t at = 0; at < array_count(places); at++)
        if (sysroot_exists(root, "%s/events", places[at]))
            return places[at];
    return NULL;
}

static int compare_int(const void *a, const void *b)
{
    int left = *(const int *)a, right = *(const int *)b;
    return (left > right) - (left < right);
}

static bool range_parse(struct view range, uint64_t *first, uint64_t *last)
{
    struct view low = view_cut(&range, '-');
    if (!view_u64(view_trim(low), 10, first))
        return false;
    *last = *first;
    if (range.length && !view_u64(view_trim(range), 10, last))
        return false;
    return *first <= *last && *last < CPU_MOST;
}

bool cpu_list_parse(struct view list, int **ret_cpus, size_t *ret_count)
{
    vec(int) cpus = {0};
    list = view_trim(list);
    while (list.length) {
        uint64_t first, last;
        if (!range_parse(view_cut(&list, ','), &first, &last)) {
            vec_done(&cpus);
            return false;
        }
        for (uint64_t cpu = first; cpu <= last; cpu++)
            *vec_push(&cpus) = (int)cpu;
    }
    if (cpus.count)
        qsort(cpus.items, cpus.count, sizeof(int), compare_int);
    size_t kept = 0;
    for (size_t at = 0; at < cpus.count; at++)
        if (at == 0 || cpus.items[at] != cpus.items[kept - 1])
            cpus.items[kept++] = cpus.items[at];
    *ret_cpus = cpus.items;
    *ret_count = kept;
    return true;
}

static bool cpus_of_affinity(int **ret_cpus, size_t *ret_count)
{
    vec(int) cpus = {0};
    size_t bytes = CPU_ALLOC_SIZE(CPU_MOST);
    cpu_set_t *allowed = CPU_ALLOC(CPU_MOST);
    if (allowed && sched_getaffinity(0, bytes, allowed) == 0)
        for (int cpu = 0; cpu < CPU_MOST; cpu++)
            if (CPU_ISSET_S((size_t)cpu, bytes, allowed))
                *vec_push(&cpus) = cpu;
    CPU_FREE(allowed);
    if (cpus.count == 0)
        return false;
    *ret_cpus = cpus.items;
    *ret_count = cpus.count;
    return true;
}

bool sysroot_online_cpus(const struct sysroot *root, int **ret_cpus, size_t *ret_count, struct error *err)
{
    char line[4096];
    int *cpus = NULL;
    size_t count = 0;
    if (sysroot_line(root, line, sizeof(line), "/sys/devices/system/cpu/online") &&
        cpu_list_parse(view_of(line), &cpus, &count) && count > 0) {
        *ret_cpus = cpus;
        *ret_count = count;
        return true;
    }
    free(cpus);
    return (sysroot_is_live(root) && cpus_of_affinity(ret_cpus, ret_count)) ||
           error_set(err, ERROR_NOT_FOUND, "can't tell which CPUs are online: no /sys/devices/system/cpu/online");
}
