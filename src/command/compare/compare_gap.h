/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plumb compare --host CASE --guest CASE: two case folders, of a host and of a guest, and what was said beside them,
 * become a gap that is split and printed. Nothing is run.
 */
#ifndef PLUMB_COMMAND_COMPARE_COMPARE_GAP_H
#define PLUMB_COMMAND_COMPARE_COMPARE_GAP_H

#include "command/command.h"
#include "command/diagnose/diagnose_case.h"

struct compare_gap_options {
    const char *host, *guest;             /* case folders; host NULL: the guest alone */
    const char *host_exits, *guest_exits; /* files of exits, or NULL */
    const char *guest_pages;              /* of plumb pages --vm --json on the host, or NULL */
    const char *work;                     /* "HOST,GUEST": amounts of work, or NULL */
    double exits_seconds;                 /* of tables that don't say it; 0: not given */
};

struct compare_gap_request {
    const struct compare_gap_options *options;
    const char *quantity; /* "wall", "cpu" or NULL: wall */
    double effect;        /* 0..1 */
    bool force, json;
};

/*
 * Errors: of reading; ERROR_USAGE; ERROR_UNSUPPORTED where the cases can't be held against each other, unless forced.
 */
MUST_CHECK bool compare_gap_run(struct context *context, const struct compare_gap_request *request, struct error *err);

/* ---- compare_gap_check: may the two be held against each other? ---- */

struct gap_notes {
    const char *items[24];
    size_t count;
};
__attribute__((format(printf, 3, 4))) void gap_note(struct gap_notes *notes, struct arena *arena, const char *format,
                                                    ...);

struct gap_case {
    const char *name, *folder; /* "host" */
    struct loaded_case loaded;
    bool is_loaded;
};

/*
 * Whether they are a host's and a guest's case of the same command. What only force lets pass, and what differs besides
 * (environment, binaries, settings), is added to the notes. host NULL: the guest alone. Errors: ERROR_UNSUPPORTED.
 */
MUST_CHECK bool compare_gap_check(const struct gap_case *host, const struct gap_case *guest, bool force,
                                  struct gap_notes *notes, struct arena *arena, struct error *err);

#endif
