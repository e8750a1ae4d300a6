/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does a mapped file read as when somebody shortens it meanwhile? Zeros, instead of SIGBUS.
 *
 * Binaries, debug files and recordings of others are mapped, and a build, a package manager or cp may write into them
 * at any time. Whoever reads such a mapping treats its bytes as hostile anyway, and asks when it is done whether the
 * file is still the one it opened (file_stamp_changed): if not, what was read is thrown away, with that reason.
 * Does not support: mappings that are written; hardware memory errors (they end the program as before).
 */
#ifndef PLUMB_BASE_FILE_FILE_FAULT_H
#define PLUMB_BASE_FILE_FILE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

/* From now on. Cheap; may be called again. */
void file_faults_survive(void);

struct file_stamp {
    int64_t size_bytes, modified_ns;
    bool known;
};

struct file_stamp file_stamp_of(int fd);
/* Whether the file at fd was written, shortened or lengthened since. */
bool file_stamp_changed(const struct file_stamp *stamp, int fd);

#endif
