/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which code that no file holds was hot, and what did it look like?
 *
 * Executable mappings without a file behind them (anonymous, memfd, deleted, the vdso) are remembered for each
 * process; a page of theirs that gets a sample is copied out of the living process, again when another part of it
 * runs or it has had 16, 256, … times as many samples, and it has changed. The copies go into the recording
 * (decode/code_page.h). Does not support: processes that we may not read, or that ended before the copy.
 */
#ifndef PLUMB_SOURCE_RECORDER_RECORDER_CODE_H
#define PLUMB_SOURCE_RECORDER_RECORDER_CODE_H

#include "base/hashmap.h"
#include "base/text.h"
#include "base/vec.h"

#include <stdbool.h>

struct code_range {
    uint64_t start, end, since_ns;
};

struct code_process {
    uint32_t pid;
    uint64_t began_ns; /* it became this program; 0: before */
    vec(struct code_range) ranges;
};

struct hot_page {
    uint32_t pid;
    uint64_t addr, samples, next_copy, content; /* content: hash of the last copy, 0: none yet */
    uint64_t lines; /* a bit for each 64th of the page that had samples: new code may stand in a new one */
};

struct recorder_code {
    struct hashmap processes_by_pid, pages_by_key;
    vec(struct code_process) processes;
    vec(struct hot_page) pages;
    vec(uint32_t) wanted; /* pages to copy at the next opportunity */
    uint64_t copied_pages, copied_bytes;
    uint64_t page_bytes;
};

void recorder_code_init(struct recorder_code *code);
void recorder_code_done(struct recorder_code *code);
/*
 * An executable mapping appeared. Rings are emptied one after the other, so that it may be told after what came later:
 * their times decide.
 */
void recorder_code_mapped(struct recorder_code *code, uint32_t pid, uint64_t time_ns, uint64_t start,
                          uint64_t size_bytes, const char *path);
void recorder_code_forked(struct recorder_code *code, uint32_t pid, uint32_t parent, uint64_t time_ns);
/* The process ended or became another program: what was mapped before is gone. */
void recorder_code_forget(struct recorder_code *code, uint32_t pid, uint64_t time_ns);
void recorder_code_sampled(struct recorder_code *code, uint32_t pid, uint64_t ip);
/* Append records with the pages that were wanted. */
void recorder_code_copy(struct recorder_code *code, uint64_t time_ns, struct text *out);

#endif
