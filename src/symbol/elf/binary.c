/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/elf/binary.h"

#include "base/arena.h"
#include "base/file/cache_folder.h"
#include "base/scope.h"
#include "symbol/elf/crc32.h"
#include "symbol/elf/debuginfod.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct candidate {
    struct elf_file elf;
    struct file_stamp stamp;
    int fd;
    char *path;
};

/* reason NULL: there is no such file. */
static void note_tried(struct text *tried, const char *path, const char *reason)
{
    text_printf(tried, "%s'%s'", tried->length ? ", " : "", path);
    if (reason)
        text_printf(tried, " (%s)", reason);
}

/* Open path (under the sysroot) as ELF; true when its build id fits the one wanted. */
static bool candidate_open(struct candidate *ret, const struct sysroot *root, const char *path,
                           const struct build_id *wanted, struct text *tried, bool *replaced)
{
    scoped_fd int fd = sysroot_open(root, "%s", path);
    if (fd < 0) {
        note_tried(tried, path, errno == ENOENT || errno == ENOTDIR ? NULL : strerror(errno));
        return false;
    }
    struct elf_file elf;
    struct error err = {0};
    struct file_stamp stamp = file_stamp_of(fd);
    if (!elf_file_open(&elf, fd, &err)) {
        note_tried(tried, path, err.message);
        return false;
    }
    struct build_id found = elf_build_id(&elf);
    if (wanted->size_bytes && !build_id_equal(&found, wanted)) {
        char text[2 * BUILD_ID_BYTES_MOST + 1], reason[160];
        build_id_text(&found, text);
        snprintf(reason, sizeof(reason), "not the recorded file: %s%.12s",
                 found.size_bytes ? "its build id is " : "it has no build id", text);
        note_tried(tried, path, reason);
        if (replaced)
            *replaced = true;
        elf_file_close(&elf);
        return false;
    }
    *ret = (struct candidate){elf, stamp, fd_steal(&fd), memory_string(path)};
    return true;
}

struct search {
    struct binary *binary;
    const struct binary_request *request;
    struct candidate found;
};

__attribute__((format(printf, 2, 3))) static bool search_at(struct search *search, const char *format, ...)
{
    char path[PATH_MAX];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(path, sizeof(path), format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof(path))
        return false;
    return candidate_open(&search->found, search->request->root, path, &search->request->build_id,
                          &search->binary->tried, &search->binary->replaced);
}

/* Whether the process lives in another mount namespace, so that its paths mean other files than ours. */
static bool has_own_root(const struct sysroot *root, uint32_t pid)
{
    char theirs[64], ours[64];
    return pid && sysroot_link(root, theirs, sizeof(theirs), "/proc/%u/ns/mnt", pid) &&
           sysroot_link(root, ours, sizeof(ours), "/proc/self/ns/mnt") && strcmp(theirs, ours) != 0;
}

static const char *deleted_mark = " (deleted)";

/*
 * Whether what a live process maps there now is what was recorded: with a build id that decides later; without one
 * the same process number must map a file of the same name at the same, randomised, address.
 */
static bool is_still_mapped(const struct search *search, const struct mapping *mapping)
{
    const struct binary_request *request = search->request;
    char name[PATH_MAX];
    return request->build_id.size_bytes ||
           (sysroot_link(request->root, name, sizeof(name), "/proc/%u/map_files/%llx-%llx", request->pid,
                         (unsigned long long)mapping->start, (unsigned long long)mapping->end) &&
            strcmp(name, request->path) == 0);
}

/* What a live process still maps of a file that has no name any more. */
static bool search_mapped(struct search *search)
{
    const struct binary_request *request = search->request;
    if (!request->pid || !request->recording)
        return false;
    const struct address_spaces *spaces = &request->recording->spaces;
    for (size_t space = 0; space < spaces->count; space++) {
        const struct address_space *one = &spaces->items[space];
        if (one->pid != request->pid)
            continue;
        for (size_t at = 0; at < one->count; at++) {
            const struct mapping *mapping = &one->mappings[at];
            if (mapping->dso == request->dso && is_still_mapped(search, mapping) &&
                search_at(search, "/proc/%u/map_files/%llx-%llx", request->pid, (unsigned long long)mapping->start,
                          (unsigned long long)mapping->end))
                return true;
        }
        return request->build_id.size_bytes && search_at(search, "/proc/%u/exe", request->pid);
    }
    return false;
}

static bool search_cache(struct search *search)
{
    char id[2 * BUILD_ID_BYTES_MOST + 1];
    build_id_text(&search->request->build_id, id);
    if (strlen(id) < 4 || !sysroot_is_live(search->request->root))
        return false;
    return search_at(search, "%s/.debug/.build-id/%.2s/%s/elf", home_folder(), id, id + 2);
}

static bool search_debuginfod(struct search *search)
{
    if (!search->request->debuginfod || !search->request->build_id.size_bytes)
        return false;
    struct error err = {0};
    scoped_free char *path = NULL;
    if (!debuginfod_fetch(&search->request->build_id, DEBUGINFOD_EXECUTABLE, &path, &err)) {
        note_tried(&search->binary->tried, "debuginfod", err.message);
        return false;
    }
    return search_at(search, "%s", path);
}

static bool search_all(struct search *search)
{
    const struct binary_request *request = search->request;
    const char *path = request->path;
    size_t length = strlen(path), mark = strlen(deleted_mark);
    bool deleted = length > mark && strcmp(path + length - mark, deleted_mark) == 0;
    int shown = (int)(deleted ? length - mark : length);
    if (request->symbol_folder)
        return search_at(search, "%s/%.*s", request->symbol_folder, shown, path);
    bool own_root = has_own_root(request->root, request->pid);
    if (own_root && search_at(search, "/proc/%u/root%.*s", request->pid, shown, path))
        return true;
    if (deleted && search_mapped(search))
        return true;
    /* A deleted file's name may belong to its successor: only a build id could tell. */
    if ((!deleted || request->build_id.size_bytes) && search_at(search, "%.*s", shown, path))
        return true;
    if (deleted && !request->build_id.size_bytes)
        note_tried(&search->binary->tried, path,
                   "deleted, its process is gone, and no build id tells another file from it");
    return (!deleted && search_mapped(search)) || search_cache(search) || search_debuginfod(search);
}

bool binary_find(struct binary *ret_binary, const struct binary_request *request, struct error *err)
{
    *ret_binary = (struct binary){.fd = -1, .debug_fd = -1};
    struct search search = {.binary = ret_binary, .request = request, .found = {.fd = -1}};
    if (request->path[0] != '/' || strncmp(request->path, "//", 2) == 0)
        return error_set(err, ERROR_NOT_FOUND, "'%s' is no file", request->path);
    if (search_all(&search)) {
        ret_binary->elf = search.found.elf;
        ret_binary->fd = search.found.fd;
        ret_binary->stamp = search.found.stamp;
        ret_binary->path = search.found.path;
        return true;
    }
    char id[2 * BUILD_ID_BYTES_MOST + 1];
    build_id_text(&request->build_id, id);
    error_set(err, ERROR_NOT_FOUND, "no file for '%s'%s%.12s%s: tried %s", request->path,
              *id ? " (build id " : "", id, *id ? "…)" : "", text_string(&ret_binary->tried));
    return error_hint(err, ret_binary->replaced
                               ? "the file was replaced after it was recorded: record again, or "
                                 "give the old files' folder with --symfs"
                               : "give the folder that holds the recorded machine's files with --symfs");
}

static bool has_debug_info(const struct elf_file *elf)
{
    const struct elf_section *info = elf_section_named(elf, ".debug_info");
    if (!info)
        info = elf_section_named(elf, ".zdebug_info");
    return info && info->type != SHT_NOBITS && info->size_bytes;
}

/* Whether a file found by .gnu_debuglink belongs to the binary: by build id, or else by its CRC. */
static bool debug_belongs(const struct binary *binary, const struct elf_file *debug, uint32_t crc)
{
    struct build_id ours = elf_build_id(&binary->elf), theirs = elf_build_id(debug);
    if (ours.size_bytes && theirs.size_bytes)
        return build_id_equal(&ours, &theirs);
    return crc32_of(debug->bytes, debug->size_bytes) == crc;
}

struct debug_search {
    struct binary *binary;
    const struct binary_request *request;
    struct build_id wanted; /* size 0: by the CRC */
    uint32_t crc;
};

__attribute__((format(printf, 2, 3))) static bool debug_at(struct debug_search *search, const char *format, ...)
{
    char path[PATH_MAX];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(path, sizeof(path), format, args);
    va_end(args);
    struct candidate found = {.fd = -1};
    if (length < 0 || (size_t)length >= sizeof(path) ||
        !candidate_open(&found, search->request->root, path, &search->wanted, &search->binary->tried, NULL))
        return false;
    if (!search->wanted.size_bytes && !debug_belongs(search->binary, &found.elf, search->crc)) {
        note_tried(&search->binary->tried, path, "belongs to another build");
        elf_file_close(&found.elf);
        close(found.fd);
        free(found.path);
        return false;
    }
    search->binary->debug = found.elf;
    search->binary->debug_fd = found.fd;
    search->binary->debug_stamp = found.stamp;
    search->binary->debug_path = found.path;
    return true;
}

static bool debug_by_build_id(struct debug_search *search, const char *symbol_folder)
{
    char id[2 * BUILD_ID_BYTES_MOST + 1];
    build_id_text(&search->wanted, id);
    if (strlen(id) < 4)
        return false;
    if (debug_at(search, "%s/usr/lib/debug/.build-id/%.2s/%s.debug", symbol_folder, id, id + 2))
        return true;
    if (!sysroot_is_live(search->request->root) || *symbol_folder)
        return false;
    return debug_at(search, "%s/.debug/.build-id/%.2s/%s/debug", home_folder(), id, id + 2) ||
           debug_at(search, "%s/.cache/debuginfod_client/%s/debuginfo", home_folder(), id);
}

static bool debug_by_link(struct debug_search *search, const char *symbol_folder)
{
    const char *name;
    if (!elf_debug_link(&search->binary->elf, &name, &search->crc))
        return false;
    search->wanted.size_bytes = 0;
    scoped_free char *folder = memory_string(search->binary->path);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
    const char *recorded =
        folder + (strncmp(folder, symbol_folder, strlen(symbol_folder)) == 0 ? strlen(symbol_folder) : 0);
    return debug_at(search, "%s/.debug/%s", folder, name) ||
           (strcmp(name, slash ? slash + 1 : "") != 0 && debug_at(search, "%s/%s", folder, name)) ||
           debug_at(search, "%s/usr/lib/debug%s/%s", symbol_folder, recorded, name);
}

bool binary_find_debug(struct binary *binary, const struct binary_request *request)
{
    if (!binary->elf.bytes || has_debug_info(&binary->elf))
        return false;
    const char *symbol_folder = request->symbol_folder ? request->symbol_folder : "";
    struct debug_search search = {.binary = binary, .request = request, .wanted = elf_build_id(&binary->elf)};
    if (debug_by_build_id(&search, symbol_folder) || debug_by_link(&search, symbol_folder))
        return true;
    search.wanted = elf_build_id(&binary->elf);
    if (!request->debuginfod || !search.wanted.size_bytes)
        return false;
    struct error err = {0};
    scoped_free char *path = NULL;
    if (!debuginfod_fetch(&search.wanted, DEBUGINFOD_DEBUG_FILE, &path, &err)) {
        note_tried(&binary->tried, "debuginfod", err.message);
        return false;
    }
    return debug_at(&search, "%s", path);
}

int binary_open_package(const struct binary *binary, const struct sysroot *root)
{
    const char *const beside[] = {binary->debug_path, binary->path};
    for (size_t at = 0; at < array_count(beside); at++) {
        size_t length = beside[at] ? strlen(beside[at]) : 0;
        struct view path = {beside[at], length};
        int unmarked = (int)(view_ends(path, ".debug") ? length - strlen(".debug") : length);
        int fd = length ? sysroot_open(root, "%s.dwp", beside[at]) : -1;
        if (fd < 0 && (size_t)unmarked < length)
            fd = sysroot_open(root, "%.*s.dwp", unmarked, beside[at]);
        if (fd >= 0)
            return fd;
    }
    return -1;
}

bool binary_stands(const struct binary *binary, struct error *err)
{
    bool changed = file_stamp_changed(&binary->stamp, binary->fd);
    if (!changed && !file_stamp_changed(&binary->debug_stamp, binary->debug_fd))
        return true;
    error_set(err, ERROR_NOT_FOUND, "'%s' was overwritten while it was read",
              changed ? binary->path : binary->debug_path);
    return error_hint(err, "record again; install new builds beside the old ones and rename them");
}

bool binary_frame_find(struct binary *binary, uint64_t addr, struct frame_description *ret_description)
{
    if (frame_table_is_sorted(&binary->elf))
        return frame_table_find(&binary->elf, addr, ret_description);
    if (!binary->has_frames)
        frame_index_build(&binary->frames, &binary->elf);
    binary->has_frames = true;
    return frame_index_find(&binary->frames, &binary->elf, addr, ret_description);
}

void binary_done(struct binary *binary)
{
    vec_done(&binary->frames.entries);
    elf_file_close(&binary->elf);
    elf_file_close(&binary->debug);
    if (binary->fd >= 0)
        close(binary->fd);
    if (binary->debug_fd >= 0)
        close(binary->debug_fd);
    free(binary->path);
    free(binary->debug_path);
    text_done(&binary->tried);
    *binary = (struct binary){.fd = -1, .debug_fd = -1};
}
