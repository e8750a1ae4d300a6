/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which sampled binaries will nobody find by their recorded paths: a container's, those of another root, deleted ones?
 *
 * Each is held open from its mapping on, as its process and its root may be gone soon, and kept at the end where perf
 * and plumb look for binaries by build id: ~/.debug/.build-id. Does not keep: binaries without build id, those that
 * only callers stand in, those whose process ended before its mapping was seen.
 */
#ifndef PLUMB_SOURCE_RECORDER_FILES_APART_H
#define PLUMB_SOURCE_RECORDER_FILES_APART_H

#include "base/hashmap.h"
#include "base/vec.h"
#include "decode/record.h"

struct file_apart {
    struct build_id id;
    int fd;
    bool is_sampled;
};

struct files_apart_span {
    uint64_t start, end;
    uint32_t file;
};

struct files_apart {
    vec(struct file_apart) items;
    vec(struct files_apart_span) spans; /* of those that weren't sampled yet, in whatever process */
    struct hashmap judged;              /* by build id and path: HELD_NOT, or into items */
};

/* A file was mapped to run there. id: as the kernel says it; size 0: read from the file. */
void files_apart_mapped(struct files_apart *files, const struct record_mmap *map);
void files_apart_sampled(struct files_apart *files, uint64_t ip);
/* Copy those that were sampled and aren't there yet. Returns how many; what can't be copied is left out. */
size_t files_apart_keep(const struct files_apart *files, const char *home);
void files_apart_done(struct files_apart *files);

#endif
