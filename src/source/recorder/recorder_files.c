/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/recorder/recorder_files.h"

#include "base/arena.h"
#include "base/scope.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#ifndef PERF_RECORD_MISC_BUILD_ID_SIZE
#define PERF_RECORD_MISC_BUILD_ID_SIZE (1 << 15)
#endif

static bool same_path(const void *context, uint32_t index, const void *path)
{
    const struct recorder_files *files = context;
    return strcmp(files->items.items[index].path, path) == 0;
}

void recorder_files_add(struct recorder_files *files, const char *path, const struct build_id *id, bool is_kernel)
{
    uint64_t hash = hash_bytes(path, strlen(path));
    if (hashmap_find(&files->by_path, hash, same_path, files, path) != HASHMAP_ABSENT)
        return;
    hashmap_add(&files->by_path, hash, (uint32_t)files->items.count);
    *vec_push(&files->items) = (struct mapped_file){memory_string(path), *id, is_kernel};
}

void recorder_files_done(struct recorder_files *files)
{
    vec_for_each(&files->items, file)
        free(file->path);
    vec_done(&files->items);
    hashmap_done(&files->by_path);
}

/* The section. */

static bool file_id(const struct mapped_file *file, struct build_id *ret_id)
{
    *ret_id = file->id;
    if (file->id.size_bytes || file->is_kernel)
        return file->id.size_bytes != 0;
    scoped_fd int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return fd >= 0 && elf_build_id_read(fd, ret_id);
}

static void add_build_id(struct text *out, const struct mapped_file *file, const struct build_id *id)
{
    struct {
        struct perf_event_header header;
        uint32_t pid;
        uint8_t bytes[BUILD_ID_BYTES_MOST], size_bytes, reserved[3];
    } entry = {.pid = (uint32_t)-1, .size_bytes = id->size_bytes};
    static const char kernel_name[] = "[kernel.kallsyms]";
    static const char zeros[64];
    bool is_vmlinux = file->is_kernel && strncmp(file->path, kernel_name, sizeof(kernel_name) - 1) == 0;
    const char *name = is_vmlinux ? kernel_name : file->path;
    size_t name_bytes = strlen(name) + 1, padded = (name_bytes + 63) / 64 * 64;
    memcpy(entry.bytes, id->bytes, sizeof(entry.bytes));
    entry.header = (struct perf_event_header){
        .type = USER_RECORD_BUILD_ID,
        .misc = (uint16_t)((file->is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER) |
                           PERF_RECORD_MISC_BUILD_ID_SIZE),
        .size = (uint16_t)(sizeof(entry) + padded),
    };
    text_append(out, (const char *)&entry, sizeof(entry));
    text_append(out, name, name_bytes);
    text_append(out, zeros, padded - name_bytes);
}

void recorder_files_section(const struct recorder_files *files, perf_data_features *late)
{
    struct text *out = perf_data_features_add(late, FEATURE_BUILD_ID);
    vec_for_each(&files->items, file) {
        struct build_id id;
        if (file_id(file, &id))
            add_build_id(out, file, &id);
    }
    if (!out->length)
        perf_data_features_done(late);
}
