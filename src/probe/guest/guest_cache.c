/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/guest/guest_cache.h"

#include "base/scope.h"
#include "base/file/cache_folder.h"
#include "statistics/guest_costs_read.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FILE_BYTES_MOST = 1 << 16 };

static const double AGE_MOST_S = 3600;

static bool cache_path(char path[PATH_MAX + 16], char folder[PATH_MAX])
{
    return cache_folder(folder) && snprintf(path, PATH_MAX + 16, "%s/guest.json", folder) > 0;
}

static bool file_read(const char *path, struct text *out)
{
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > FILE_BYTES_MOST)
        return false;
    char block[4096];
    ssize_t got;
    while ((got = read(fd, block, sizeof(block))) > 0 && out->length <= FILE_BYTES_MOST)
        text_append(out, block, (size_t)got);
    return got == 0;
}

bool guest_cache_read(const struct sysroot *root, const char *cpus, struct guest_costs *ret_costs, struct arena *arena)
{
    char folder[PATH_MAX], path[PATH_MAX + 16], id[BOOT_ID_BYTES];
    scoped_text struct text content = {0};
    scoped_json struct json_document *document = NULL;
    struct guest_costs kept;
    struct timespec now;
    struct error damaged;
    if (!sysroot_boot_id(root, id) || !cache_path(path, folder) || !file_read(path, &content) ||
        !json_document_parse(&document, text_view(&content), &damaged))
        return false;
    struct json_value top = json_root(document);
    if (strcmp(json_text_or(json_member(top, "boot"), ""), id) != 0 ||
        strcmp(json_text_or(json_member(top, "cpus"), ""), cpus) != 0 ||
        !guest_costs_read(&kept, json_member(top, "costs"), arena, &damaged))
        return false;
    clock_gettime(CLOCK_REALTIME, &now);
    double age_s = (double)now.tv_sec - kept.taken_at_s;
    if (kept.taken_at_s <= 0 || age_s < -1 || age_s > AGE_MOST_S)
        return false;
    *ret_costs = kept;
    return true;
}

/* Under another name first, so that who reads meanwhile sees the old one or the new one whole. */
void guest_cache_write(const struct sysroot *root, const char *cpus, const struct guest_costs *costs)
{
    char folder[PATH_MAX], path[PATH_MAX + 16], fresh[PATH_MAX + 32], id[BOOT_ID_BYTES];
    scoped_text struct text out = {0};
    struct json_writer json;
    if (!sysroot_boot_id(root, id) || !cache_path(path, folder))
        return;
    json_begin(&json, &out);
    json_object_open(&json, NULL);
    json_string(&json, "boot", id);
    json_string(&json, "cpus", cpus);
    json_object_open(&json, "costs");
    guest_costs_members(costs, &json);
    json_object_close(&json);
    json_object_close(&json);
    cache_folder_make(folder);
    snprintf(fresh, sizeof(fresh), "%s/guest.%ld", folder, (long)getpid());
    scoped_fd int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return;
    bool written = write(fd, text_string(&out), out.length) == (ssize_t)out.length && rename(fresh, path) == 0;
    if (!written)
        (void)unlink(fresh);
}
