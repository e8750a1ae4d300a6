/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How is an output file taken back without touching anything that isn't ours?
 *
 * A path that a user named may be a device, a FIFO, a link, or by now another file than the one that was opened.
 */
#ifndef PLUMB_BASE_FILE_OWN_FILE_H
#define PLUMB_BASE_FILE_OWN_FILE_H

#include <stdbool.h>

/* Unlink path when it is still the regular file behind fd itself, no link to it. False: it stands where it stood. */
bool own_file_remove(int fd, const char *path);

#endif
