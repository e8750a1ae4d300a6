/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/recorder/files_apart.h"

#include "base/arena.h"
#include "base/scope.h"
#include "base/text.h"
#include "source/recorder/elf_build_id.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HELD_NOT = UINT32_MAX - 1, /* its path leads to it, or it can't be opened */
    HELD_MOST = 64,
    SPANS_MOST = 256,
    COPY_BYTES = 1 << 16
};

static bool same_id(const struct build_id *a, const struct build_id *b)
{
    return a->size_bytes == b->size_bytes && memcmp(a->bytes, b->bytes, a->size_bytes) == 0;
}

/* A file with that build id, or with any when none is known; nothing that would block. */
static int binary_open(const char *path, const struct build_id *wanted, struct build_id *ret_id)
{
    struct build_id id;
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -1;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && elf_build_id_read(fd, &id) &&
        (!wanted->size_bytes || same_id(wanted, &id))) {
        *ret_id = id;
        return fd;
    }
    close(fd);
    return -1;
}

static bool path_leads_there(const struct record_mmap *map)
{
    struct build_id id;
    if (!map->build_id.size_bytes)
        return access(map->path, F_OK) == 0;
    int fd = binary_open(map->path, &map->build_id, &id);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* By what is mapped itself, which needs privileges; else by the path within the process' root. */
static int mapped_open(const struct record_mmap *map, struct build_id *ret_id)
{
    char path[4200];
    snprintf(path, sizeof(path), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, map->pid, map->start,
             map->start + map->size_bytes);
    int fd = binary_open(path, &map->build_id, ret_id);
    if (fd >= 0)
        return fd;
    snprintf(path, sizeof(path), "/proc/%" PRIu32 "/root%s", map->pid, map->path);
    return binary_open(path, &map->build_id, ret_id);
}

static uint32_t file_hold(struct files_apart *files, const struct record_mmap *map)
{
    struct build_id id = {0};
    int fd = files->items.count < HELD_MOST && !path_leads_there(map) ? mapped_open(map, &id) : -1;
    if (fd < 0)
        return HELD_NOT;
    *vec_push(&files->items) = (struct file_apart){.id = id, .fd = fd};
    return (uint32_t)(files->items.count - 1);
}

void files_apart_mapped(struct files_apart *files, const struct record_mmap *map)
{
    uint64_t key = hash_combine(hash_bytes(map->build_id.bytes, map->build_id.size_bytes),
                                hash_bytes(map->path, strlen(map->path)));
    uint32_t file = hashmap_find(&files->judged, key, NULL, NULL, NULL);
    if (file == HASHMAP_ABSENT) {
        file = file_hold(files, map);
        hashmap_add(&files->judged, key, file);
    }
    if (file != HELD_NOT && !files->items.items[file].is_sampled && files->spans.count < SPANS_MOST)
        *vec_push(&files->spans) = (struct files_apart_span){map->start, map->start + map->size_bytes, file};
}

void files_apart_sampled(struct files_apart *files, uint64_t ip)
{
    for (size_t at = 0; at < files->spans.count;) {
        struct files_apart_span *span = &files->spans.items[at];
        files->items.items[span->file].is_sampled |= ip >= span->start && ip < span->end;
        if (files->items.items[span->file].is_sampled)
            *span = files->spans.items[--files->spans.count];
        else
            at++;
    }
}

void files_apart_done(struct files_apart *files)
{
    vec_for_each(&files->items, file)
        close(file->fd);
    vec_done(&files->items);
    vec_done(&files->spans);
    hashmap_done(&files->judged);
}

/* ---- keeping ---- */

static bool copy_whole(int from, int to)
{
    char bytes[COPY_BYTES];
    off_t at = 0;
    for (ssize_t count; (count = pread(from, bytes, sizeof(bytes), at)) != 0; at += count) {
        if (count < 0)
            return false;
        for (ssize_t written = 0, step; written < count; written += step)
            if ((step = write(to, bytes + written, (size_t)(count - written))) <= 0)
                return false;
    }
    return true;
}

/* Make the folders that a path leads through. */
static void folders_make(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
}

/* A name that appears when all of it is there. */
static bool file_keep(const struct file_apart *file, const char *home)
{
    char id[2 * BUILD_ID_BYTES_MOST + 1] = "";
    for (size_t at = 0; at < file->id.size_bytes; at++)
        snprintf(id + 2 * at, 3, "%02x", file->id.bytes[at]);
    scoped_free char *path = memory_printf("%s/.debug/.build-id/%.2s/%s/elf", home, id, id + 2);
    scoped_free char *begun = memory_printf("%s.%d", path, (int)getpid());
    if (access(path, F_OK) == 0)
        return false;
    folders_make(path);
    scoped_fd int to = open(begun, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (to < 0)
        return false;
    bool kept = copy_whole(file->fd, to) && rename(begun, path) == 0;
    if (!kept)
        unlink(begun);
    return kept;
}

size_t files_apart_keep(const struct files_apart *files, const char *home)
{
    size_t kept = 0;
    vec_for_each(&files->items, file)
        if (file->is_sampled && file->id.size_bytes > 1)
            kept += file_keep(file, home);
    return kept;
}
