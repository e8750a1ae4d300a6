/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures a target into a case folder: samples, /proc, page maps, machine facts; then names, code and probes. */
#ifndef PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_COLLECT_H
#define PLUMB_COMMAND_DIAGNOSE_DIAGNOSE_COLLECT_H

#include "capture/case/case_folder.h"
#include "command/command.h"
#include "source/live/target.h"

struct collect_request {
    char *const *argv;                   /* the program to start; NULL: attach to target */
    const struct target_request *target; /* unless argv */
    const char *target_options;          /* as typed, "-p 12" */
    uint64_t runs;                       /* of the program, one after the other into one recording; 0 or 1: once */
    double duration_s;                   /* 0: until it ends or Ctrl-C */
    bool quick;                          /* an answer soon: up to twice as long where there is little to see */
    bool sparing;                        /* what is watched goes on afterwards: probes are small */
    uint64_t frequency;
    double effect;
    unsigned probes;                     /* PROBE_BITs of analyse/probes/probe_results.h */
    bool progress;                       /* a line on talk while it works */
    bool quiet;
};

struct collect_result {
    int child_exit_code;
    bool child_started;
};

/*
 * Errors: the program can't be started (ret_result->child_exit_code is what a shell would say), no such target,
 * the folder can't be written. What can't be measured is a gap of the manifest, no error.
 */
MUST_CHECK bool diagnose_collect(struct context *context, const char *folder, const struct collect_request *request,
                                 struct collect_result *ret_result, struct error *err);

#endif
