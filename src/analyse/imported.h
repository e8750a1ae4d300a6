/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables that another tool printed, as a part of a case (imports.json): rows with their numbers, and what follows from
 * them without any measurement of ours.
 *
 * Kinds and units are those of source/import/import_text.h. Nothing here was measured by plumb, and all that is derived
 * from it keeps that origin.
 */
#ifndef PLUMB_ANALYSE_IMPORTED_H
#define PLUMB_ANALYSE_IMPORTED_H

#include "base/arena.h"
#include "base/json/json_reader.h"
#include "base/json/json_writer.h"
#include "base/measured.h"
#include "base/text.h"
#include "statistics/interval.h"

/* Of what a table is; in imports.json by the names that source/import gives them. */
enum imported_kind {
    IMPORTED_OTHER, /* shown, and nothing follows from it; of a later version, too */
    IMPORTED_EXITS,
    IMPORTED_REPORT,
    IMPORTED_ANNOTATE,
    IMPORTED_STAT,
    IMPORTED_RUNS,
    IMPORTED_METRICS,
    IMPORTED_MAP,
    IMPORTED_HISTOGRAM,
    IMPORTED_SYSTEM,
    IMPORTED_CLOCK,     /* one that the kernel alone reads, slowly, and hypervisors emulate: told by the kernel */
    IMPORTED_TURBOSTAT, /* a run's clocks in MHz, throttles and degrees, by turbostat's names of columns */
    IMPORTED_PLACES,    /* where a process runs, and its memory is: rows as base/place_names has them */
    IMPORTED_GOVERNOR,  /* the kernel's, of clocks: "governor", "driver" (where), "lowest MHz", "highest MHz" */
    IMPORTED_GROUP,     /* what a control group counted at one look, or may use: rows as base/group_names has them */
    IMPORTED_KIND_COUNT
};

/* By such a name; IMPORTED_OTHER: not known to this version. */
enum imported_kind imported_kind_named(const char *name);

struct imported_row {
    const char *name;
    /*
     * seconds: 0 when not said; of a timed run the standard deviation that it stands for, of waits for locks how long
     * all of that kind took. running_ratio: as struct import_row has it
     */
    double number, seconds, running_ratio;
    const char *where; /* a report's binary, a listing's function, "not counted"; "" when not said */
    const char *callers; /* a report's: "futex_wake;do_futex", the nearest first; "" when not said */
};

struct imported_table {
    enum imported_kind kind;
    const char *file;
    struct imported_row *rows;
    size_t count;
    const char *heading; /* the line of prose before it; "" */
    const char *label;   /* of counts: what stands before perf's own heading, "old build"; "" */
    const char *event;   /* what a report sampled; "" */
    double elapsed_s;    /* beside counts, or over which exits were counted; 0: not said */
    double cpus;         /* of exits: on how many virtual CPUs; 0: not said */
    double rows_unread;  /* of exits and reports: lines among its rows that nobody read */
};

struct imported {
    struct imported_table *tables; /* in the order of import */
    size_t count;
    /* how much less time (0..1) the faster side takes, as sentences tell; unknown: they don't */
    struct interval told_gap;
    bool load_is_same; /* as sentences tell: windows are of as much work */
};

/* The number of that name in the first table of that kind that has it, and where: ret_file may be NULL. */
struct measured imported_number(const struct imported *imported, enum imported_kind kind, const char *name,
                                const char **ret_file);

/* The row itself; NULL: there is none. */
const struct imported_row *imported_row_of(const struct imported *imported, enum imported_kind kind, const char *name,
                                           const char **ret_file);

/* The name of what a tool's sums have beyond the rows that were imported. */
#define IMPORTED_EXITS_OTHERS "others"

/* What a table of exits says of one reason. */
struct imported_exits_reason {
    const char *name; /* NULL: none */
    double count, seconds;
};

/* A table of exits in sums; not there: count is not measured. */
struct imported_exits {
    const struct imported_table *table;
    const char *file;
    struct measured count;
    double left_out_s;       /* of whatever reasons, halts perhaps: not in seconds */
    double idle;             /* of the count, halts: it had nothing to do */
    struct measured seconds; /* spent outside the guest, but for halts; not measured: no times */
    const char *commonest;
    double commonest_share;
    struct imported_exits_reason foremost; /* but for halts: by time where there is one, else by number */
};
/* Of several the one that took longest, or has far more than the first where none has times. */
struct imported_exits imported_exits_of(const struct imported *imported);
struct imported_exits imported_exits_in(const struct imported_table *table); /* NULL: not there */

/* By which reason two tables of exits differ most: by time where both have it, else by number. */
struct imported_exits_gap {
    bool known; /* there are two, and one has many times more of it */
    bool by_time;
    const struct imported_table *more, *fewer;
    struct imported_exits_reason most, least; /* of one name; least: what the other table has of it */
};
struct imported_exits_gap imported_exits_gap_of(const struct imported *imported);

/* What one of two tables has much of and the other never has by that name, as its commonest; name NULL: nothing. */
struct imported_exits_alone {
    struct imported_exits_reason reason;
    double alike; /* how often the other leaves for what a confidential guest asks for by that; 0: nothing of it */
};
struct imported_exits_alone imported_exits_alone_of(const struct imported_table *table,
                                                    const struct imported_table *other);

/*
 * The last table of timed runs beside the first: what changed between them gained or lost. Where both name their runs,
 * those of one name are compared, of the name that changed most; the others are what didn't change.
 */
struct imported_gain {
    bool known; /* there are two tables of runs */
    const char *name; /* NULL: all runs of each table */
    const char *before_file, *after_file;
    size_t before_count, after_count;
    double before_s, after_s; /* medians */
    double ratio;             /* after / before */
    /* 95 %, of independent runs (Mann-Whitney), however many names were compared; unknown when there are too few */
    struct interval interval;
};
struct imported_gain imported_gain_of(const struct imported *imported);

/*
 * One table of counts with the time that it took: its own where it has one, else that of the runs whose name stands in
 * its file's name or heading; a later table without a name is another run of the one before it.
 */
struct imported_arm {
    const struct imported_table *table; /* IMPORTED_STAT */
    const struct imported_table *more;  /* other events of it, counted in a run of their own; NULL: none */
    const char *name;                   /* NULL: none */
    struct measured elapsed_s;          /* of its run; not measured of a window */
    bool is_window;                     /* counted for a set time, as imported_window.h has it */
    struct measured window_s;           /* for how long then; not measured: not told, or it is none */
};
enum { IMPORTED_ARMS_MOST = 16 };
/* In the order of import; returns how many were written. */
size_t imported_arms_of(const struct imported *imported, struct imported_arm *ret_arms);
/* Its number of that name; not measured: it has none, or counted it for too short. */
struct measured imported_arm_count(const struct imported_arm *arm, const char *event);

/* Its row; of two kinds of cores' the one that it ran on for longer; NULL: it has none. */
const struct imported_row *imported_arm_row(const struct imported_arm *arm, const char *event);
/* For long enough to say something of the rest. */
bool imported_is_counted(const struct imported_row *row);
/* For how long CPUs had it: by its task-clock, or by the clock that stands behind its cycles. */
struct measured imported_arm_cpu_s(const struct imported_arm *arm);

/* The only two runs that were timed, each by its name. */
struct imported_two {
    const struct imported_row *slow, *fast;
    double gap; /* 0..1 of the slower one's time */
    const char *file;
};
/* False: there are fewer, or more. */
bool imported_two_of(const struct imported *imported, struct imported_two *ret);
/* The largest standard deviation that a timed run tells, of its time (0..1); not measured: none tells one. */
struct measured imported_spread_of(const struct imported *imported);

void imported_tables_write(struct json_writer *json, const struct imported *imported); /* the list's items */
/* Errors: ERROR_FORMAT. Owner of everything: arena. */
MUST_CHECK bool imported_read(struct imported *imported, struct json_value root, struct arena *arena,
                              struct error *err);

#endif
