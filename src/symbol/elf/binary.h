/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where is the file that was mapped when the recording was made, and where is its debug file?
 *
 * A file whose build id differs from the recorded one is never used: it was replaced since. Every path that
 * was tried is remembered with the reason why it wouldn't do. Tried in this order: under symfs (then nothing
 * else); the recorded path; the process's own root (containers); for deleted files what the process still
 * maps; the build-id cache (~/.debug).
 */
#ifndef PLUMB_SYMBOL_ELF_BINARY_H
#define PLUMB_SYMBOL_ELF_BINARY_H

#include "base/error.h"
#include "base/file/file_fault.h"
#include "base/text.h"
#include "model/recording.h"
#include "symbol/elf/elf_file.h"
#include "symbol/elf/frame_table.h"
#include "system/sysroot.h"

struct binary_request {
    const struct sysroot *root;
    const char *symbol_folder;         /* symfs, or NULL */
    const struct recording *recording; /* for the mappings of deleted files; may be NULL */
    uint32_t dso;
    const char *path;                  /* as recorded */
    struct build_id build_id;          /* size 0: not recorded */
    uint32_t pid;                      /* one process that mapped it, or 0 */
    bool debuginfod;                   /* ask the servers of $DEBUGINFOD_URLS */
};

struct binary {
    struct elf_file elf;   /* of the code; bytes NULL when not found */
    struct elf_file debug; /* a separate debug file; bytes NULL: none found */
    int fd, debug_fd;      /* kept open for libdw; -1 */
    struct file_stamp stamp, debug_stamp; /* when they were opened */
    char *path, *debug_path;
    bool replaced; /* a file is there, but not the one that was recorded */
    bool has_frames;       /* the index was made: only of files without a sorted table */
    struct frame_index frames;
    struct text tried; /* "/a (No such file or directory), /b (replaced: build id 12…)" */
};

/* Find and open the file. Errors: naming all paths tried. ret_binary->tried is set in both cases. */
MUST_CHECK bool binary_find(struct binary *ret_binary, const struct binary_request *request, struct error *err);
/* Find the separate debug file of a found binary; adds to tried. Returns whether there is one. */
bool binary_find_debug(struct binary *binary, const struct binary_request *request);
/*
 * The package of split units (.dwp) beside the file with the debug information, or beside the binary; -1: there is
 * none. Owner: the caller.
 */
int binary_open_package(const struct binary *binary, const struct sysroot *root);
/* Whether either file was written into since: what was read of it may be of two builds. Errors: ERROR_NOT_FOUND. */
MUST_CHECK bool binary_stands(const struct binary *binary, struct error *err);
/*
 * The description of the function that holds an ELF address: by its sorted table, else by an index made at the first
 * time.
 */
bool binary_frame_find(struct binary *binary, uint64_t addr, struct frame_description *ret_description);
void binary_done(struct binary *binary);

#endif
