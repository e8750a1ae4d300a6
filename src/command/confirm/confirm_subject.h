/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What of a case is put to the test: a finding or the estimated bottleneck, what it foretells, and what the case knows
 * of the program that helps to choose an experiment.
 */
#ifndef PLUMB_COMMAND_CONFIRM_CONFIRM_SUBJECT_H
#define PLUMB_COMMAND_CONFIRM_CONFIRM_SUBJECT_H

#include "analyse/runs/confirmation.h"
#include "base/error.h"
#include "capture/case/case_command.h"
#include "capture/case/case_folder.h"

enum {
    SUBJECT_FILES_MOST = 24,
    SUBJECT_OTHERS_MOST = 8
};

struct confirm_subject {
    const char *id;       /* "small-pages"; of the bottleneck "memory/tlb" */
    const char *verdict;  /* "supported", "undecided", "ruled_out", "estimated" */
    const char *sentence; /* of it, for the eye */
    const char *advice;   /* what it would have one change; may be NULL */
    const char *of;       /* "CPU time", "elapsed time" */
    bool by_cpu;
    struct foretold foretold;
    /*
     * Of its CPU time that is lost to it; of a finding, what it could return. Unknown: not told. Of the elapsed time
     * where share_is_of_cpu is false.
     */
    struct interval share;
    bool share_is_of_cpu;
    uint64_t threads;                     /* seen in the run; 0: unknown */
    const char *files[SUBJECT_FILES_MOST]; /* whose code is hot: paths */
    size_t file_count;
    const char *others[SUBJECT_OTHERS_MOST]; /* what else the case supports and foretells a gain of, as it ranks them */
    size_t other_count;
};

/*
 * finding NULL: the verdict's culprit, else the bottleneck. Errors: ERROR_FORMAT (a damaged part), ERROR_NOT_FOUND (no
 * such finding; it foretells nothing). Owner: arena.
 */
MUST_CHECK bool confirm_subject_read(struct confirm_subject *subject, const char *folder, const char *finding,
                                     struct arena *arena, struct error *err);

/*
 * What the share of the elapsed time is of the CPU time, where that can be told: one thread, whose times the case has.
 */
void confirm_subject_settle(struct confirm_subject *subject, const struct case_manifest *manifest);

#endif
