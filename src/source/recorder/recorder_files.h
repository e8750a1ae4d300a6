/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which files were mapped while it was recorded, and what are their build ids?
 *
 * Each path once, with the id of its first mapping that had one; ids that the kernel didn't say are read from the
 * file when the section is made.
 */
#ifndef PLUMB_SOURCE_RECORDER_RECORDER_FILES_H
#define PLUMB_SOURCE_RECORDER_RECORDER_FILES_H

#include "base/hashmap.h"
#include "base/vec.h"
#include "source/perf_data/perf_data_writer.h"
#include "source/recorder/elf_build_id.h"

struct mapped_file {
    char *path;
    struct build_id id; /* size 0: not known */
    bool is_kernel;
};

struct recorder_files {
    vec(struct mapped_file) items;
    struct hashmap by_path;
};

void recorder_files_add(struct recorder_files *files, const char *path, const struct build_id *id, bool is_kernel);
void recorder_files_done(struct recorder_files *files);
/* The BUILD_ID section; none when no id is known. */
void recorder_files_section(const struct recorder_files *files, perf_data_features *late);

#endif
