/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One investigation as a folder of open formats: manifest.json names the parts and where each comes from; every
 * part is optional, and what could not be had is listed with its reason.
 *
 * Parts: perf.data (of further runs: perf.data.2, …), activity.json (/proc while it ran), machine.json, counters.json,
 * runs.json (each run of several), pages.json (page maps), code.json (names, lines, bytes), costs.json (probes),
 * calibration.json (what the machine could do meanwhile), probes.json (what was tried on the target), imports.json
 * (tables of other tools), exits.json (what plumb exits --json wrote on its host), statements.json (what they and
 * people say, in words), command.json (how to run it again), findings.json (the result), guest.json (what leaving this
 * guest costs), confirm.json (what the experiment said that could have overturned it).
 */
#ifndef PLUMB_CAPTURE_CASE_CASE_FOLDER_H
#define PLUMB_CAPTURE_CASE_CASE_FOLDER_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json/json_reader.h"
#include "base/measured.h"
#include "base/text.h"

#define CASE_SCHEMA     1
#define CASE_RUNS_MOST  1000
#define CASE_PARTS_MOST (CASE_RUNS_MOST + 16)
#define CASE_GAPS_MOST  24

struct case_part {
    const char *file;   /* name within the folder */
    const char *origin; /* "measured by plumb 0.1.0", "imported", "said by a person" */
};

struct case_gap { /* what could not be measured */
    const char *what, *why;
};

struct case_manifest {
    const char *command;     /* what was measured, as one line; "" when attached */
    const char *scope;       /* "started", "attached", "machine" */
    const char *target_options; /* "-p 12"; "" for a started program */
    struct measured elapsed_s, user_s, system_s;
    double effect;
    bool child_ended;        /* started: it ran to its end, which wasn't of our doing */
    int child_exit_code;
    uint32_t watcher_pid;    /* plumb's own; 0: an older case's */
    struct case_part parts[CASE_PARTS_MOST];
    size_t part_count;
    struct case_gap gaps[CASE_GAPS_MOST];
    size_t gap_count;
};

/* Create the folder unless it is there. Errors: ERROR_SYSTEM, ERROR_USAGE when it already holds a case. */
MUST_CHECK bool case_folder_create(const char *folder, struct error *err);
/*
 * A new folder below $TMPDIR; where that is full or read-only, below /tmp, /var/tmp, /dev/shm or here. Owner: the
 * caller (free; case_folder_remove).
 */
MUST_CHECK bool case_folder_temporary(char **ret_folder, struct error *err);
void case_folder_remove(const char *folder); /* one of case_folder_temporary(): whatever is in it, then itself */
/* The recording of run 1, 2, …: "perf.data", "perf.data.2". Owner: the caller (free). */
char *case_recording_name(unsigned number);

MUST_CHECK bool case_part_write(const char *folder, const char *file, struct text *content, struct error *err);
bool case_part_exists(const char *folder, const char *file);
/* The part as JSON. Errors: ERROR_NOT_FOUND when there is none; ERROR_FORMAT naming the part. */
MUST_CHECK bool case_part_json(const char *folder, const char *file, struct json_document **ret_document,
                               struct error *err);

void case_manifest_part(struct case_manifest *manifest, const char *file, const char *origin);
/* why: copied to arena. */
#define CASE_GAP_ENDED "the rest of the time" /* what was watched ended before its time */
#define CASE_GAP_CUT "what came after" /* plumb ended it, or stopped watching */
/* Why that could not be measured; NULL: it is no gap. */
const char *case_manifest_gap_of(const struct case_manifest *manifest, const char *what);
void case_manifest_gap(struct case_manifest *manifest, struct arena *arena, const char *what, const char *why);
MUST_CHECK bool case_manifest_write(const struct case_manifest *manifest, const char *folder, struct error *err);
/* Errors: ERROR_NOT_FOUND (no case), ERROR_FORMAT (a newer schema, broken JSON). Owner: arena. */
MUST_CHECK bool case_manifest_read(struct case_manifest *manifest, const char *folder, struct arena *arena,
                                   struct error *err);

#endif
