/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each kind of imported evidence says about a finding that was left open. Internal to finding/imported. */
#ifndef PLUMB_FINDING_IMPORTED_EVIDENCE_H
#define PLUMB_FINDING_IMPORTED_EVIDENCE_H

#include "finding/hypothesis.h"

#define IMPORTED_WORDS "imported, not measured by plumb"

/*
 * Each decides the finding, or says that it has nothing to say of it (false). results: imported and told are there, if
 * only without anything in them.
 */
bool imported_trial_test(const struct results *results, struct finding *finding);
/* Exits that take the time, and a gap that went with the tick that makes them: the one goes with the other. */
void imported_tick_beside(const struct results *results, struct finding *finding);
/*
 * What a trial left open whose change takes no one cause away, where it helped; NULL: it didn't, or decides a cause of
 * its own. Owner: arena.
 */
/* The one of told->unnamed that returned most; UNNAMED_MOST: none returned as much as is asked about. */
size_t imported_unnamed_most(const struct results *results);
/* What one of them returned, by the words of that key; NULL: less than is asked about, or there is none. */
const char *imported_unnamed_words(const struct results *results, size_t index, const char *key, struct arena *arena);
const char *imported_trial_of_none(const struct results *results, size_t index, struct arena *arena);
/* Page faults that take time, and huge pages off, which helped: what these took goes with it. */
void imported_pages_off_beside(const struct results *results, struct finding *finding);
/* by a sentence that names what is tried against it, and wasn't understood */
bool imported_unread_test(const struct results *results, struct finding *finding);
/* of wide vectors, where nothing was counted */
bool imported_narrow_test(const struct results *results, struct finding *finding);
bool imported_licence_test(const struct results *results, struct finding *finding);
/* of wide vectors by the mean clock, for whom a trial told of them */
bool imported_clock_test(const struct results *results, struct finding *finding);
/* of exits to the hypervisor */
bool imported_exits_test(const struct results *results, struct finding *finding);
/* of an unoptimised build, by its command and what was sampled */
bool imported_build_test(const struct results *results, struct finding *finding);
bool imported_count_test(const struct results *results, struct finding *finding);
/* of waiting for memory, by how often a line came from there at most */
bool imported_misses_test(const struct results *results, struct finding *finding);
/* of waiting for memory, by what its loads take at least: behind all others */
bool imported_missed_test(const struct results *results, struct finding *finding);
/* of events that were asked for and not counted: behind all others */
bool imported_uncounted_test(const struct results *results, struct finding *finding);
/* of the clock, by two runs */
bool imported_pair_test(const struct results *results, struct finding *finding);
/* The row is a count of how often heat or a power limit lowered a clock. */
bool imported_counts_heat(const struct imported_table *table, const struct imported_row *row);
/* Heat and power limits aren't what two runs differ by: counted, or by their clock. */
bool imported_heat_is_ruled_out(const struct results *results, struct arena *arena);
/* Of heat that throttled, behind what decided: how much that took, by a cooler time or another run. */
void imported_heat_beside(const struct results *results, struct finding *finding);
/* of the clock and of heat, where it fell for wide vectors */
bool imported_clock_of_vectors_test(const struct results *results, struct finding *finding);
/* of the clock, by what two runs' CPUs ran at while they were busy */
bool imported_busy_clock_test(const struct results *results, struct finding *finding);
/* of the clock, by a governor that asks for the lowest one */
bool imported_governor_test(const struct results *results, struct finding *finding);
/* Of the clock and of heat, behind what decided: what the governor asked for, and how hot it was. */
void imported_governor_beside(const struct results *results, struct finding *finding);
/* Anything imported or said speaks of several threads of the program. */
bool imported_may_have_threads(const struct results *results);
/* Several threads compute: something speaks of them, or it changed between them often. */
bool imported_takes_turns(const struct results *results);
/* How many CPUs were in use, the most of all runs. */
struct measured imported_cpus_used(const struct imported *imported);
/* of a mask of CPUs that are full, while others stand idle */
bool imported_affinity_test(const struct results *results, struct finding *finding);
/* of what keeps a program off a CPU, by how many it had in use */
bool imported_cpus_test(const struct results *results, struct finding *finding);
/* of moves between CPUs, by how many were counted */
bool imported_moves_test(const struct results *results, struct finding *finding);
/* by the classes of a tree */
bool imported_metric_test(const struct results *results, struct finding *finding);
/* of narrow vectors, by the classes of floating-point work */
bool imported_scalar_test(const struct results *results, struct finding *finding);
/* of more trips to memory than the work asks for, by sentences */
bool imported_trips_test(const struct results *results, struct finding *finding);
/* of contended lines, by perf c2c's list of them without its summary */
bool imported_shared_lines_test(const struct results *results, struct finding *finding);
/* of contended lines, behind whichever decided: which of them it is */
void imported_shared_line_add(const struct results *results, struct finding *finding);
/* of cache misses, by a simulation's */
bool imported_simulated_test(const struct results *results, struct finding *finding);
/* of memory's bandwidth, by how much of it is in use */
bool imported_bandwidth_test(const struct results *results, struct finding *finding);
/* … behind what decided */
void imported_bandwidth_beside(const struct results *results, struct finding *finding);
/* of small pages: data that lies on huge ones is no part of what a class of the tree leaves for them */
void imported_pages_there_beside(const struct results *results, struct finding *finding);
/* That twice as many threads do hardly more goes with it. */
void imported_scaling_add(const struct results *results, struct finding *finding);
/* of a control group's limit of CPU time, by its counts of one look or two */
bool imported_quota_test(const struct results *results, struct finding *finding);
/* of the kernel's locks */
bool imported_lock_waits_test(const struct results *results, struct finding *finding);
bool imported_system_test(const struct results *results, struct finding *finding);
/* Of small pages, behind whichever of these decided. */
void imported_pages_advise(const struct results *results, struct finding *finding);
bool imported_report_test(const struct results *results, struct finding *finding);
bool imported_code_test(const struct results *results, struct finding *finding);
/* of a loop that is too large to rule its cause out */
bool imported_loop_test(const struct results *results, struct finding *finding);
/* of small pages of a guest's host: as many walks that each take far longer; and of the guest's, beside its counts */
bool imported_host_pages_test(const struct results *results, struct finding *finding);
void imported_walks_add(const struct results *results, struct finding *finding);
/* to a cause that counts support: its loop is as large as that */
void imported_loop_add(const struct results *results, struct finding *finding);
/* of an annotated listing, where nothing was counted */
bool imported_listing_test(const struct results *results, struct finding *finding);

/* By its name it multiplies matrices: what it waits for is how often the same numbers come from memory. */
bool imported_multiplies(const char *function);
/* It reads a clock that takes long, and that no program reads without the kernel. */
bool imported_reads_slow_clock(const char *function);
/* It returned something, and as much as is asked about where that was told. */
bool imported_trial_helped(const struct told *told, const struct told_trial *trial, double effect);
/* Of a supported finding: advice that somebody tried already becomes what came of it. */
void imported_tried_apply(const struct results *results, struct finding *finding);

/* What a table says of a decided finding: its evidence, and its headline or reason. */
void imported_say(struct finding *finding, const char *metric, struct interval share, const char *file);

/* The code in which a supported cause's samples were found, by an imported profile. */
struct imported_hot {
    const char *function, *where; /* NULL: no profile names one */
    double share;                 /* of the samples, 0..1 */
    const char *event, *file;
    const char *line;             /* the hottest load of an annotated listing; NULL */
    const char *listed;           /* the function that it is in; NULL: not said */
    double line_share;
    bool line_is_hottest;         /* of all lines of listings, not of those that read memory alone */
    const struct imported_row *store; /* the hottest line that writes memory; NULL: none */
    const char *store_file;
    bool store_is_hottest;
    /* whatever it does, the line of a listing with most samples; behind: the slow instruction before it; NULL: none */
    const struct imported_row *hottest;
    const char *behind, *hottest_file;
};
struct imported_pair;
/* "about as many cycles", "15 % fewer cycles": of the slower of two runs. Owner: arena. */
const char *imported_cycles_words(const struct imported_pair *pair, struct arena *arena);
/* "without waiting more (1 and 1 CPUs in use)". Owner: arena. */
const char *imported_wait_words(const struct imported_pair *pair, struct arena *arena);
/*
 * What to do about the system call that most of their time is in, by a table of calls (call: NULL) or by its name;
 * false: it isn't told, or nobody knows.
 */
bool imported_calls_advise(const struct results *results, struct finding *finding, const char *call);
/* Of a supported cause the advice, and what would confirm it. */
void imported_advise_all(struct finding *finding);
/* Where it has no advice yet: what asks for nothing that only plumb measures. */
void imported_advise(struct finding *finding);
struct imported_hot imported_hot_of(const struct imported *imported);
/* Puts the function before the headline, its evidence, and advice that knows whose function it is. */
void imported_hot_add(const struct results *results, struct finding *finding, double share);
/* What to do where memory's bandwidth is used up, by whose code it is. */
void imported_bandwidth_advise(const struct results *results, struct finding *finding, const struct imported_hot *hot);
/* Its headline anew, by what the finding is bounded by now. */
void imported_hot_bound(const struct results *results, struct finding *finding);

#endif
