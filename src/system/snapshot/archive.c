/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/snapshot/archive.h"

#include "base/arena.h"
#include "base/file/own_file.h"
#include "base/scope.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BLOCK = 512,
    NAME_MOST = 100,
    PREFIX_MOST = 155
};

struct archive {
    char *path;
    FILE *tar;  /* NULL: a folder */
    int folder; /* -1: a tar */
    size_t count;
};

/* POSIX.1-1988 ustar interchange format. */
struct header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], kind, link[100], magic[6], version[2],
        owner[32], group[32], major[8], minor[8], prefix[155], pad[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is one block");

static bool folder_open(struct archive *archive, struct error *err)
{
    if (mkdir(archive->path, 0755) != 0 && errno != EEXIST)
        return error_system(err, errno, "can't make folder '%s'", archive->path);
    archive->folder = open(archive->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (archive->folder < 0)
        return error_system(err, errno, "can't open folder '%s'", archive->path);
    scoped_dir DIR *list = opendir(archive->path);
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            error_set(err, ERROR_USAGE, "folder '%s' is not empty", archive->path);
            return error_hint(err, "name a new folder, or one ending in .tar for a single file");
        }
    return true;
}

static bool tar_open(struct archive *archive, struct error *err)
{
    int fd = open(archive->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0 && errno == EEXIST)
        return error_set(err, ERROR_USAGE, "'%s' exists already", archive->path);
    if (fd < 0)
        return error_system(err, errno, "can't create '%s'", archive->path);
    archive->tar = fdopen(fd, "w");
    if (!archive->tar)
        close(fd);
    return archive->tar || error_system(err, errno, "can't create '%s'", archive->path);
}

static void archive_free(struct archive *archive)
{
    if (archive->tar)
        fclose(archive->tar);
    if (archive->folder >= 0)
        close(archive->folder);
    free(archive->path);
    free(archive);
}

bool archive_open(struct archive **ret_archive, const char *path, struct error *err)
{
    struct archive *archive = memory_alloc(sizeof(*archive));
    *archive = (struct archive){.path = memory_string(path), .folder = -1};
    if (!(view_ends(view_of(path), ".tar") ? tar_open(archive, err) : folder_open(archive, err))) {
        archive_free(archive);
        return false;
    }
    *ret_archive = archive;
    return true;
}

/* ---- tar ------------------------------------------------------------------------------------------------ */

/* name and prefix, cut at a slash so that both fit. */
static bool name_split(struct header *header, const char *path)
{
    size_t length = strlen(path);
    if (length <= NAME_MOST) {
        memcpy(header->name, path, length);
        return true;
    }
    for (size_t at = length - NAME_MOST - 1; at < length && at <= PREFIX_MOST; at++)
        if (path[at] == '/' && length - at - 1 <= NAME_MOST && at > 0) {
            memcpy(header->prefix, path, at);
            memcpy(header->name, path + at + 1, length - at - 1);
            return true;
        }
    return false;
}

static void checksum_set(struct header *header)
{
    unsigned sum = 0;
    char digits[8];
    memset(header->checksum, ' ', sizeof(header->checksum));
    for (size_t at = 0; at < sizeof(*header); at++)
        sum += ((const unsigned char *)header)[at];
    snprintf(digits, sizeof(digits), "%06o", sum);
    memcpy(header->checksum, digits, 7); /* six digits, NUL; the blank stays behind it */
}

static bool tar_write(struct archive *archive, const void *bytes, size_t size_bytes, struct error *err)
{
    return fwrite(bytes, 1, size_bytes, archive->tar) == size_bytes ||
           error_system(err, errno, "can't write '%s'", archive->path);
}

static bool tar_header(struct archive *archive, const char *path, char kind, const char *link, size_t size_bytes,
                       struct error *err)
{
    struct header header = {.kind = kind, .magic = "ustar", .version = {'0', '0'}};
    while (*path == '/')
        path++;
    if (!name_split(&header, path) || strlen(link) > sizeof(header.link))
        return error_set(err, ERROR_LIMIT, "'%.200s' has a name too long for a tar file", path);
    snprintf(header.mode, sizeof(header.mode), "%07o", 0644u);
    snprintf(header.uid, sizeof(header.uid), "%07o", 0u);
    snprintf(header.gid, sizeof(header.gid), "%07o", 0u);
    snprintf(header.size, sizeof(header.size), "%011zo", size_bytes);
    snprintf(header.mtime, sizeof(header.mtime), "%011o", 0u);
    memcpy(header.link, link, strlen(link));
    checksum_set(&header);
    return tar_write(archive, &header, sizeof(header), err);
}

static bool tar_add_file(struct archive *archive, const char *path, const void *bytes, size_t size_bytes,
                         struct error *err)
{
    static const char zeros[BLOCK];
    size_t pad = (BLOCK - size_bytes % BLOCK) % BLOCK;
    return tar_header(archive, path, '0', "", size_bytes, err) &&
           (!size_bytes || tar_write(archive, bytes, size_bytes, err)) && (!pad || tar_write(archive, zeros, pad, err));
}

/* ---- folder --------------------------------------------------------------------------------------------- */

static bool parents_make(const struct archive *archive, const char *relative, struct error *err)
{
    char folder[PATH_MAX];
    for (const char *slash = strchr(relative, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof(folder), "%.*s", (int)(slash - relative), relative);
        if (mkdirat(archive->folder, folder, 0755) != 0 && errno != EEXIST)
            return error_system(err, errno, "can't make folder '%s/%s'", archive->path, folder);
    }
    return true;
}

static bool folder_add_file(struct archive *archive, const char *relative, const void *bytes, size_t size_bytes,
                            struct error *err)
{
    scoped_fd int fd = openat(archive->folder, relative, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return error_system(err, errno, "can't create '%s/%s'", archive->path, relative);
    for (size_t at = 0; at < size_bytes;) {
        ssize_t wrote = write(fd, (const char *)bytes + at, size_bytes - at);
        if (wrote < 0 && errno != EINTR)
            return error_system(err, errno, "can't write '%s/%s'", archive->path, relative);
        at += wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

static const char *relative_of(const char *path)
{
    while (*path == '/')
        path++;
    return path;
}

bool archive_add_file(struct archive *archive, const char *path, const void *bytes, size_t size_bytes,
                      struct error *err)
{
    archive->count++;
    if (archive->tar)
        return tar_add_file(archive, path, bytes, size_bytes, err);
    return parents_make(archive, relative_of(path), err) &&
           folder_add_file(archive, relative_of(path), bytes, size_bytes, err);
}

bool archive_add_link(struct archive *archive, const char *path, const char *target, struct error *err)
{
    archive->count++;
    if (archive->tar)
        return tar_header(archive, path, '2', target, 0, err);
    return parents_make(archive, relative_of(path), err) &&
           (symlinkat(target, archive->folder, relative_of(path)) == 0 ||
            error_system(err, errno, "can't make link '%s/%s'", archive->path, relative_of(path)));
}

size_t archive_count(const struct archive *archive)
{
    return archive->count;
}

bool archive_close(struct archive *archive, struct error *err)
{
    static const char zeros[2 * BLOCK]; /* two empty blocks end a tar file */
    bool good = true;
    if (archive->tar) {
        good = tar_write(archive, zeros, sizeof(zeros), err);
        if (good && fflush(archive->tar) != 0)
            good = error_system(err, errno, "can't write '%s'", archive->path);
        if (!good)
            own_file_remove(fileno(archive->tar), archive->path);
    }
    archive_free(archive);
    return good;
}

void archive_abandon(struct archive *archive)
{
    if (archive->tar)
        own_file_remove(fileno(archive->tar), archive->path);
    archive_free(archive);
}
