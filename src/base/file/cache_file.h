/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file of the cache folder that is good only for what its first bytes, its head, say.
 *
 * It is the user's own and closed to others, as what it tells of the kernel's or a binary's code may be a secret;
 * another's, or one that others may read or write, is as good as none. It is replaced as a whole: who reads it
 * meanwhile has the old one.
 */
#ifndef PLUMB_BASE_FILE_CACHE_FILE_H
#define PLUMB_BASE_FILE_CACHE_FILE_H

#include "base/text.h"

/*
 * What stands behind head; false: there is no such file, it has another head, or more than bytes_most. name: at most 48
 * bytes.
 */
bool cache_file_read(const char *name, struct view head, size_t bytes_most, struct text *ret_text);
/* The same, mapped: *ret_map is the whole file, its head first. Owner: the caller (munmap). */
bool cache_file_map(const char *name, struct view head, size_t bytes_most, struct view *ret_map);
/* Quietly not, where that can't be. */
void cache_file_write(const char *name, struct view head, struct view body);

#endif
