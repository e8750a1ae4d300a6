/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where does plumb keep what it measured of this machine, or read of it slowly? $XDG_CACHE_HOME/plumb, else
 * ~/.cache/plumb.
 */
#ifndef PLUMB_BASE_FILE_CACHE_FOLDER_H
#define PLUMB_BASE_FILE_CACHE_FOLDER_H

#include <limits.h>
#include <stdbool.h>

/* Its path; a name of up to 64 bytes still fits behind it. False when there is no home. */
bool cache_folder(char ret_folder[PATH_MAX]);
/* Make it. ~/.cache may be missing, its parent not. */
void cache_folder_make(const char *folder);

/* $HOME, else root's: where perf keeps its copies of binaries. */
const char *home_folder(void);

#endif
