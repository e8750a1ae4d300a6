/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why is the same program slower in a guest than on its host: which part of the gap is exits, steal, page walks, the
 * clock, narrower vectors, the clock source, waiting, and which part is none of these?
 *
 * Each component is what the guest pays less what the host pays, in seconds of the guest's run, as an interval. What
 * could not be measured lies in the remainder, which is the gap less the components, bound by bound: the middles add up
 * to the gap, and the intervals hold what is known of it. From the guest alone there is neither gap nor remainder;
 * components are then what this guest may pay beyond a host. Does not support: telling what one component does to
 * another (overlaps says which do).
 */
#ifndef PLUMB_FINDING_GAP_HOST_GAP_H
#define PLUMB_FINDING_GAP_HOST_GAP_H

#include "analyse/exits/exit_table.h"
#include "finding/results.h"
#include "finding/share.h"

enum gap_cause {
    GAP_EXITS,
    GAP_STEAL,
    GAP_WALKS,
    GAP_CLOCK,
    GAP_VECTORS,
    GAP_CLOCKSOURCE,
    GAP_WAITING, /* off the CPU; of elapsed time only */
    GAP_CAUSE_COUNT
};

enum gap_origin {
    GAP_NOT_MEASURED,
    GAP_ESTIMATED,
    GAP_MEASURED
};

enum gap_backing { /* of the guest's memory on its host, as `plumb pages --vm` says there */
    GAP_BACKING_UNKNOWN,
    GAP_BACKING_SMALL,
    GAP_BACKING_HUGE
};

enum gap_verdict {
    GAP_UNKNOWN,   /* nothing is known of it */
    GAP_UNDECIDED, /* it may matter */
    GAP_EXPLAINS,  /* surely more than `effect` of the guest's time, in the gap's direction */
    GAP_AGAINST,   /* surely more than that, against it: without it the gap would be wider */
    GAP_RULED_OUT  /* surely less */
};

struct gap_side {
    const struct results *results;
    struct interval whole_s;         /* of one run: elapsed or CPU time, as asked; unknown: why_no_whole */
    const char *why_no_whole;
    const struct exit_table *exits;  /* of its guest; NULL: none */
    const char *exits_file;
    enum gap_backing backing;
    const char *backing_from;        /* who says so; NULL where it is unknown */
    double scale;                    /* seconds of it, for the guest's amount of work; 1: the same work */
};

enum { GAP_TEXTS_MOST = 8 };

struct gap_texts {
    const char *items[GAP_TEXTS_MOST];
    size_t count;
};

struct gap_component {
    enum gap_cause cause;
    enum gap_origin origin;
    const char *why_not;              /* not measured, because */
    struct interval host_s, guest_s;  /* what each side pays of its own run; unknown where only the difference is */
    struct interval seconds;          /* of the gap */
    struct interval share;            /* of the guest's time */
    enum gap_verdict verdict;
    struct gap_texts evidence, remedies; /* remedies: how what is missing can be had */
};

struct gap_overlap { /* two components that may hold the same seconds */
    enum gap_cause a, b;
    const char *text;
};

struct host_gap {
    enum denominator of;              /* OF_ELAPSED or OF_CPU_TIME */
    double effect;                    /* 0..1 of the guest's time */
    bool has_host;
    struct interval host_s, guest_s;  /* for the same work */
    struct interval gap_s;            /* unknown: why_no_gap */
    const char *why_no_gap;
    struct gap_component components[GAP_CAUSE_COUNT];
    size_t component_count;           /* waiting, the last, is none of CPU time */
    struct interval remainder_s;
    struct gap_texts remainder;       /* what it may be, and what lies in it unmeasured */
    struct gap_overlap overlaps[GAP_TEXTS_MOST];
    size_t overlap_count;
    enum gap_cause leading;           /* GAP_CAUSE_COUNT: none surely matters */
};

struct gap_request {
    const struct gap_side *host; /* NULL: the guest alone */
    const struct gap_side *guest;
    enum denominator of;
    double effect;
};

/* Owner of the strings: arena. */
void host_gap_split(struct host_gap *gap, const struct gap_request *request, struct arena *arena);

/* "1.23 s", "45.6 ms". Owner: arena. */
const char *gap_time_words(double seconds, struct arena *arena);
const char *gap_cause_key(enum gap_cause cause);   /* "page_walks" */
const char *gap_cause_words(enum gap_cause cause); /* "page walks" */
const char *gap_origin_words(enum gap_origin origin);
const char *gap_verdict_key(enum gap_verdict verdict);

#endif
