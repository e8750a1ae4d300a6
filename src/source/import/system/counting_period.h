/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Over which time, and of how many virtual CPUs or threads, were a document's exits or waits counted, by its own words?
 *
 * The time: in a line that speaks of the counting ("perf kvm stat record sleep 10", "exits in 10 seconds", an interval
 * of bpftrace), or in the two lines above the table ("Guest A, 10 s of redis-benchmark"). What a program took is none
 * ("it finished in 42 s"). CPUs: "one busy vCPU", "4 vCPUs", "-smp 4". What is told in two ways is not told.
 * Does not support: words in another language than English.
 */
#ifndef PLUMB_SOURCE_IMPORT_SYSTEM_COUNTING_PERIOD_H
#define PLUMB_SOURCE_IMPORT_SYSTEM_COUNTING_PERIOD_H

#include "base/text.h"

struct exits_period {
    double seconds, cpus; /* 0: not told */
    double sum_s, count; /* of all exits, by perf kvm's last line; 0: none */
    struct view heading;  /* the line above, a tool's own title left out; length 0: none */
};

/* near: from the table of exits before it, or the beginning, to its own end. */
struct exits_period exits_period_read(struct view near, struct view document);

/*
 * Of the lines of a table up to where its reasons come again, as of another guest; and skip them. False: there are no
 * more.
 */
bool exits_part_cut(struct view *text, struct view *ret_part);

/* Of waits off a CPU in a document that has stacks of them. */
struct waits_period {
    double seconds, threads; /* 0: not told */
    bool in_us;              /* its numbers are microseconds, as offcputime has them */
    bool of_one;             /* its command names one process or thread, and nobody says how many threads that is */
};

struct waits_period waits_period_read(struct view document);
/* A command of the document that counts waits alone wrote this file: "offcputime -f 30 > off.folded". */
bool waits_were_written(struct view document, struct view file);
/* It wrote another file. */
bool waits_are_of_other(struct view line, struct view file);

/* Of waits for locks, by the line above their table, "perf lock contention -b -p 812 -- sleep 10". */
struct waits_period locks_period_read(struct view command, struct view document);

/*
 * "strace -c on one backend for 10 s:", "timeout 10 strace -c -p 4410": for how long a table of calls watched one
 * thread; 0: not told, or it followed several (-f). Of "perf trace -s -- sleep 10" for how long it watched whichever.
 */
double calls_seconds_read(struct view line);

#endif
