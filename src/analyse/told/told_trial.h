/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does a sentence tell of a trial: one change that was made to the program that is asked about, and how it came out?
 *
 * What its words say and what its numbers say must go together. Does not support: two trials in one sentence.
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_TRIAL_H
#define PLUMB_ANALYSE_TOLD_TOLD_TRIAL_H

#include "analyse/told/told_amount.h"
#include "analyse/told/told_base.h"
#include "analyse/told/told_change.h"
#include "analyse/told/told_outcome.h"
#include "analyse/told/told_states.h"
#include "statistics/interval.h"

struct told_trial {
    enum treatment treatment;
    enum outcome outcome;
    bool on_host, on_guest; /* the words stand in the sentence */
    /*
     * of the time, 0..1: the gap that the sentence says there is still, or by how much it is faster; unknown: it says
     * none
     */
    struct interval number;
    uint64_t also; /* other changes of which the same is told: together they changed nothing. A bit each */
    bool is_of_spikes;  /* what is gone, or stayed, was slower only at times: none of the gap */
    bool is_of_latency; /* its amounts are of how long requests take each: none of the time of the whole */
    /* OUTCOME_SHRANK: how much of the time, or of the gap, came back; unknown: it says none */
    struct told_return returned;
    double scaled;  /* what was left to each thread of what it did when they were fewer, 0..1; 0: not told */
    uint32_t bases; /* of the context, which it was compared with. A bit each */
    bool outlasted; /* the change was taken back, and what it had brought stayed: no outcome of it by itself */
    const char *sentence;
};

/* What of a text its sentences are read by. */
struct told_context {
    struct told_states states;
    struct told_bases bases; /* what stood before the sentence */
    uint64_t phases; /* of a program's life, which the text asks about (analyse/told/told_doubt) */
    bool has_gap;    /* it tells of something that became slower, or is */
    bool has_host;   /* pages were changed on a host alone, which is one where a guest is told of */
    bool has_quota;  /* it names a limit of processor time, or its tables count what one stopped */
};

/* Why no trial was read from a sentence that sounds like one. */
enum trial_reading {
    TRIAL_NONE,
    TRIAL_READ,
    TRIAL_OUTCOME_UNCLEAR,
    TRIAL_CHANGE_UNCLEAR,
    TRIAL_CHANGE_UNKNOWN,
    TRIAL_OF_OTHERS,
    TRIAL_OF_PHASE
};

struct reading;

/* One without any change says that something is slower than it was, or than another. */
bool told_names_gap(const struct reading *reading);
enum trial_reading told_trial_of(const struct reading *reading, const struct told_context *context,
                                 struct told_trial *ret_trial);
/*
 * Without one of these changes, or with such as both of what is compared were run with: "One rank on one pinned core:
 * 212.4 s on bare metal, 246.9 s in the instance".
 */
bool told_is_circumstance(const char *plain, uint64_t named);
/* Two states of the program that are compared with one another, and not by a change that made them. */
bool told_compares_states(const struct reading *reading, struct told_states *ret_states);

#endif
