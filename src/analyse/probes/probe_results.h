/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What did the opt-in probes of the target itself come to (plumb diagnose --probe)?
 *
 * step: its branches and its code, from bursts of instructions. The others each change one thing and compare speeds:
 * collapse (huge pages under the hot mapping), pin (threads kept on their CPUs), hog (others take bandwidth), width
 * (the library in use with narrower vectors). A speed-up is new speed / old speed, 1: no change; a control is the same
 * figure of known work of ours, which the change can't touch.
 */
#ifndef PLUMB_ANALYSE_PROBES_PROBE_RESULTS_H
#define PLUMB_ANALYSE_PROBES_PROBE_RESULTS_H

#include "analyse/trace/trace_summary.h"
#include "base/arena.h"

enum probe_kind { PROBE_STEP, PROBE_COLLAPSE, PROBE_PIN, PROBE_HOG, PROBE_WIDTH, PROBE_KIND_COUNT };

const char *probe_kind_name(enum probe_kind kind); /* "collapse" */
bool probe_kind_parse(struct view name, enum probe_kind *ret_kind);

#define PROBE_BIT(kind)  (1u << (kind))
#define PROBE_ENDS_MOST  4
#define PROBE_NOTES_MOST 6

struct probe_step {
    struct trace_summary trace;
    double held_s;         /* for how long its threads were held in all */
    uint64_t empty_bursts; /* met in a system call */
    struct {
        const char *words; /* "at a system call" */
        uint64_t bursts;
    } ends[PROBE_ENDS_MOST];
};

struct probe_effect {
    const char *subject;      /* what was changed; NULL: nothing could be */
    const char *speed_of;     /* what speed is: "turns of a loop a second" */
    struct interval speed_up; /* of the target, 95 % */
    struct interval control;  /* not known: there was none */
    const char *verdict;      /* what it means, a clause */
};

struct probe_result {
    bool asked, known;
    const char *why_not;             /* asked, but not known */
    const char *notes[PROBE_NOTES_MOST]; /* what else the user should know: that it can't be undone */
    size_t note_count;
    struct probe_step step;      /* PROBE_STEP */
    struct probe_effect effect;  /* the others */
};

struct probe_results {
    struct probe_result of[PROBE_KIND_COUNT];
};

/* text: not copied. */
void probe_result_note(struct probe_result *result, const char *text);

/*
 * As a part of a case, and the same in the JSON of a diagnosis: an object with a member for each probe that was asked
 * for.
 */
void probe_results_members(struct json_writer *json, const struct probe_results *results);
void probe_results_write(const struct probe_results *results, struct text *out);
/* Errors: ERROR_FORMAT. Owner: arena. */
MUST_CHECK bool probe_results_read(struct probe_results *ret_results, struct json_value root, struct arena *arena,
                                   struct error *err);

#endif
