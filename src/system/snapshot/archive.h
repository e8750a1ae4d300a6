/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A tree of small files being written: into a folder, or into one ustar file that any tar unpacks.
 *
 * Paths are absolute inside the tree ("/proc/stat"). Everything is owned by nobody in particular (uid 0, mode 644),
 * with no times, so that equal content makes equal bytes. Does not support: names beyond ustar's 255 bytes (refused),
 * devices.
 */
#ifndef PLUMB_SYSTEM_SNAPSHOT_ARCHIVE_H
#define PLUMB_SYSTEM_SNAPSHOT_ARCHIVE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct archive;

/*
 * path ending in ".tar": a file, which must not exist yet; else a folder, made when absent, which must be empty.
 * Errors: ERROR_SYSTEM, ERROR_PERMISSION, ERROR_USAGE (exists, not empty).
 */
MUST_CHECK bool archive_open(struct archive **ret_archive, const char *path, struct error *err);
MUST_CHECK bool archive_add_file(struct archive *archive, const char *path, const void *bytes, size_t size_bytes,
                                 struct error *err);
MUST_CHECK bool archive_add_link(struct archive *archive, const char *path, const char *target, struct error *err);
size_t archive_count(const struct archive *archive);
/* Write what is left. The archive is gone afterwards, also on failure. */
MUST_CHECK bool archive_close(struct archive *archive, struct error *err);
/* Give up: close, and remove a tar file that was begun. */
void archive_abandon(struct archive *archive);

#endif
