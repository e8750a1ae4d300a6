/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/skid_cache.h"

#include "base/file/own_file.h"
#include "base/scope.h"
#include "base/text.h"
#include "base/vec.h"
#include "base/file/cache_folder.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static const char *const verdict_names[] = {
    [SKID_UNKNOWN] = NULL, /* never kept */
    [SKID_EXACT] = "exact",
    [SKID_ONE] = "one",
    [SKID_SCATTERED] = "scattered",
};

bool skid_cache_read(const struct sysroot *root, enum skid_verdict *ret_verdict)
{
    char folder[PATH_MAX], path[PATH_MAX + 8], id[BOOT_ID_BYTES], content[160];
    if (!cache_folder(folder) || !sysroot_boot_id(root, id))
        return false;
    snprintf(path, sizeof(path), "%s/skid", folder);
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t got = fd < 0 ? -1 : read(fd, content, sizeof(content));
    struct view rest = {content, got > 0 ? (size_t)got : 0};
    struct view boot = view_word(&rest), word = view_trim(rest);
    if (!view_equal(boot, id))
        return false;
    for (size_t at = 0; at < array_count(verdict_names); at++)
        if (verdict_names[at] && view_equal(word, verdict_names[at])) {
            *ret_verdict = (enum skid_verdict)at;
            return true;
        }
    return false;
}

void skid_cache_write(const struct sysroot *root, enum skid_verdict verdict)
{
    char folder[PATH_MAX], path[PATH_MAX + 8], id[BOOT_ID_BYTES];
    if ((unsigned)verdict >= array_count(verdict_names) || !verdict_names[verdict] || !cache_folder(folder) ||
        !sysroot_boot_id(root, id))
        return;
    cache_folder_make(folder);
    snprintf(path, sizeof(path), "%s/skid", folder);
    scoped_text struct text line = {0};
    text_printf(&line, "%s %s\n", id, verdict_names[verdict]);
    scoped_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0 && write(fd, text_string(&line), line.length) != (ssize_t)line.length)
        (void)own_file_remove(fd, path);
}
