/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What do sentences that people wrote tell that a hypothesis can use: a trial and how it came out, how large the gap
 * was, how much code is hot, which function is meant?
 *
 * "tried: CHANGE (host, guest): gone" (or stayed) is a trial in plumb's own form; of prose a sentence that names one
 * change (analyse/told/told_change) and one outcome (analyse/told/told_outcome) or how much it returned
 * (analyse/told/told_amount), or two sentences of which the second refers to the first. Whatever is taken keeps its
 * sentence, so that a reader can judge whether it says that.
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_H
#define PLUMB_ANALYSE_TOLD_TOLD_H

#include "analyse/imported.h"
#include "analyse/statement.h"
#include "analyse/told/told_amount.h"
#include "analyse/told/told_change.h"
#include "analyse/told/told_doubt.h"
#include "analyse/told/told_outcome.h"
#include "analyse/told/told_passage.h"
#include "analyse/told/told_sentence.h"
#include "analyse/told/told_trial.h"
#include "analyse/told/told_unnamed.h"
#include "base/arena.h"
#include "base/text.h"
#include "statistics/interval.h"

#include <stdint.h>

/* The origin of statements that were found in an imported text's prose; others of a person are "said by a person". */
#define TOLD_ORIGIN "imported, told in words"

/* Why no trial was read from a sentence stands behind it in a statement of this origin. */
#define TOLD_ORIGIN_UNREAD "not understood"
/* As TOLD_ORIGIN_UNREAD, of one that may be no trial: it takes nothing from the trials that were read. */
#define TOLD_ORIGIN_PASSED "not taken for a trial"
/* How to write one that is read for sure. */
#define TOLD_FORM "tried: CHANGE (host, guest): gone, stayed or shrank, or 41 s before, 9 s after"

/* One that may tell how these changes came out, and wasn't understood: of them no trial is sure. */
struct told_unread {
    const char *sentence;
    uint64_t changes; /* bits of enum treatment */
};

enum { TOLD_TRIALS_MOST = 16, TOLD_FUNCTIONS_MOST = 8, TOLD_UNREAD_MOST = 16 };

/* Told in numbers, of a change that has no name here, or of several (analyse/told/told_unnamed). */
#define TOLD_ORIGIN_UNNAMED "tried, and by no name that plumb knows"

struct told_tried {
    const char *sentence;
    struct interval gain; /* of the time, 0..1 */
    bool is_of_latency;
};

/* A state that stands alone. */
struct told_lone {
    struct told_states state;
    size_t count;
    struct view change; /* while a text is read: the sentence before, of a change; empty: of none, or of its outcome */
};

struct told {
    struct told_trial trials[TOLD_TRIALS_MOST];
    size_t trial_count;
    struct told_unread unread[TOLD_UNREAD_MOST];
    size_t unread_count;
    struct told_tried unnamed[UNNAMED_MOST];
    size_t unnamed_count;
    const char *unknown_sentence; /* the first of no change that is known, with times or rates in order; NULL: none */
    struct told_trial outlasted[TOLD_UNREAD_MOST]; /* what these had brought stayed without them */
    size_t outlasted_count;
    struct told_states states; /* told by two times or rates; slow 0: not told */
    struct told_lone lone;     /* the only one, where none are compared */
    struct told_bases bases;   /* as a text's context has them */
    uint64_t phases;           /* as a text's context has them */
    struct interval gap;       /* of the time, 0..1, that the slower side would give back; unknown: not told */
    bool gap_is_of_latency;
    const char *gap_sentence;
    double loop_bytes; /* of the hot loop's code, before any change of it; 0: not told */
    bool loop_differs; /* several sizes of it were told: which was measured isn't known */
    const char *loop_sentence;
    const char *trips_sentence; /* of more trips to memory than another way takes; NULL: nobody says so */
    const char *trips_mended_sentence; /* behind that: what was timed then has them no more; NULL: nobody says so */
    /* huge pages that are there without any trial; NULL: nobody says so */
    const char *host_pages_sentence, *guest_pages_sentence;
    const char *data_pages_sentence; /* that data lies on them, wherever it runs */
    const char *load_sentence;       /* as much is done each second on both sides; NULL: nobody says so */
    bool names_quota; /* of processor time */
    bool names_gap;
    bool names_guest;
    bool names_wide;                            /* vectors of 512 bits */
    const char *functions[TOLD_FUNCTIONS_MOST]; /* named with (), in the order met */
    size_t function_count;
};

/* Of texts that are read beside one another. */
struct told_context told_context_of(const struct view *texts, size_t count);
/* Without what its tables tell. */
struct told_context told_context_in(struct view text);
/*
 * The first two states that a text compares; slow 0: none. What a change came to is often told by one time alone,
 * beside theirs.
 */
struct told_states told_states_in(struct view text);
/*
 * Where no text compares any: the times of the only two runs that were imported with counts, or the time of the only
 * one, with which fast is 0; slow 0: there is none, or are more.
 */
struct told_states told_states_of_runs(const struct imported *imported);
/* What a sentence tells of before any change; those behind it in a text are compared with that. */
void told_bases_take(struct told_bases *bases, struct view sentence);
/* A trial in it is told by what it came to alone: what it was before stands in another sentence. */
bool told_needs_states(struct view sentence, const struct told_context *context);
/* The bases that a trial in it is compared with, or would be. A bit each. */
uint32_t told_bases_used(struct view sentence, const struct told_context *context);
/* Whether what was imported counted how often a quota of processor time stopped it. */
bool told_has_quota(const struct imported *imported);
/* A guest, a virtual machine, or what runs these. */
bool told_names_guest(struct view sentence);
/* Vectors of 512 bits. */
bool told_names_wide(struct view sentence);
/* Whether a sentence tells one of these. context: of the text that it stands in. */
bool told_is_useful(struct view sentence, const struct told_context *context);
/* Whether it tells the only state of a text, without any change, that a trial in it is compared with. */
bool told_is_lone_state(struct view sentence, const struct told_context *context);
/* Of a sentence that names a change and how it came out, why it wasn't taken; NULL: it was, or it tells of no trial. */
const char *told_why_unread(struct view sentence, const struct told_context *context);
/* It names a change that was made, and by itself tells no outcome of it that was read. */
bool told_leaves_open(struct view sentence, const struct told_context *context);
/*
 * Of a sentence that names no change, behind one in its paragraph that left one open: why what it tells wasn't taken
 * for the outcome of that. NULL: it tells of none.
 */
const char *told_why_unread_behind(struct view sentence, const struct told_context *context);
/* A sentence of a change that wasn't understood; NULL: there is none. */
const char *told_unread_of(const struct told *told, enum treatment treatment);
/* A sentence that says of a change on that side that what it had brought stayed without it; NULL: none does. */
const char *told_outlasted(const struct told *told, const struct told_trial *trial);
/* Of all statements of people, beside what was imported. Owner: arena. statements and imported may be NULL. */
void told_of(struct told *ret_told, const struct statements *statements, const struct imported *imported,
             struct arena *arena);

#endif
