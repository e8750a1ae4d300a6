/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one root under which /proc, /sys, tracefs and /etc are read: "/" on a live machine, a snapshot folder
 * (plumb doctor --snapshot) or a fixture in tests.
 *
 * All paths handed in are absolute ("/proc/stat") and are taken under the root. Readers never print.
 * Does not support: writing, and facts that no file holds (system/kernel.h has those).
 */
#ifndef PLUMB_SYSTEM_SYSROOT_H
#define PLUMB_SYSTEM_SYSROOT_H

#include "base/error.h"
#include "base/text.h"

#include <dirent.h>
#include <limits.h>

struct sysroot {
    char prefix[PATH_MAX]; /* "" for the live machine */
};

/* prefix NULL or "/": the live machine. */
void sysroot_init(struct sysroot *root, const char *prefix);
bool sysroot_is_live(const struct sysroot *root);

/*
 * Append a file's whole content to out (at most 64 MiB).
 * Errors: ERROR_NOT_FOUND, ERROR_PERMISSION, ERROR_SYSTEM, naming the path without the prefix.
 */
__attribute__((format(printf, 4, 5))) MUST_CHECK bool sysroot_read(const struct sysroot *root, struct text *out,
                                                                   struct error *err, const char *path, ...);

/* The first line of a file, trimmed, in a fixed buffer; false when the file can't be read. */
__attribute__((format(printf, 4, 5))) MUST_CHECK bool sysroot_line(const struct sysroot *root, char *line,
                                                                   size_t line_size, const char *path, ...);
__attribute__((format(printf, 3, 4))) MUST_CHECK bool sysroot_u64(const struct sysroot *root, uint64_t *ret_value,
                                                                  const char *path, ...);
__attribute__((format(printf, 3, 4))) MUST_CHECK bool sysroot_i64(const struct sysroot *root, int64_t *ret_value,
                                                                  const char *path, ...);

#define BOOT_ID_BYTES 64
/* What names this boot of the live machine; false of another one, and where the kernel doesn't tell. */
bool sysroot_boot_id(const struct sysroot *root, char id[BOOT_ID_BYTES]);

__attribute__((format(printf, 2, 3))) bool sysroot_exists(const struct sysroot *root, const char *path, ...);
/* Directory stream, or NULL with errno set. Owner: the caller (closedir). */
__attribute__((format(printf, 2, 3))) DIR *sysroot_opendir(const struct sysroot *root, const char *path, ...);
/* Open read-only (O_CLOEXEC), or -1 with errno set. Owner: the caller. */
__attribute__((format(printf, 2, 3))) int sysroot_open(const struct sysroot *root, const char *path, ...);
/* Target of a symbolic link; false when it can't be read. */
__attribute__((format(printf, 4, 5))) MUST_CHECK bool sysroot_link(const struct sysroot *root, char *target,
                                                                   size_t target_size, const char *path, ...);

/* Where tracefs is mounted ("/sys/kernel/tracing" or "/sys/kernel/debug/tracing"), or NULL. */
const char *sysroot_tracefs(const struct sysroot *root);

/*
 * A list such as "0-3,8,10-11" as sorted numbers.
 * Owner: the caller (free). Errors: false, ret untouched, when it isn't such a list or passes 65536.
 */
MUST_CHECK bool cpu_list_parse(struct view list, int **ret_cpus, size_t *ret_count);

/*
 * The CPUs that are online, sorted. Where a live machine shows no /sys (an empty chroot), those that we may run on,
 * which is all that can be known there.
 * Owner: the caller (free). Errors: ERROR_NOT_FOUND, ret untouched.
 */
MUST_CHECK bool sysroot_online_cpus(const struct sysroot *root, int **ret_cpus, size_t *ret_count, struct error *err);

#endif
