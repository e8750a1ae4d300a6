/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A group of samples that wait at one access (struct stall_group): its function and size, how far it reaches, and how
 * much of its waiting can be what. The causes in memory are tested by these.
 */
#ifndef PLUMB_FINDING_MEMORY_WAITS_H
#define PLUMB_FINDING_MEMORY_WAITS_H

#include "analyse/code/search_shape.h"
#include "finding/finding.h"
#include "finding/maker.h"
#include "finding/results.h"

/* Owner: the stalls. */
const struct stall_function *function_of(const struct stalls *stalls, const struct stall_group *group);
/* Of code that was compiled at run time, or of its runtime; NULL: any other code, or none is known. */
const struct code_maker *maker_of(const struct results *results, const struct stall_group *group);
/* Whether it looks something up where it waits: no other order of the same work makes neighbours of what it goes to. */
enum search_shape search_of(const struct results *results, const struct stall_group *group);

/* Share of the finding's time that waits for memory. */
struct interval memory_bound(const struct results *results, const struct finding *finding);
/* Nothing in memory can matter when so few samples wait for it: decides and says so. */
bool ruled_out_by_memory_share(const struct results *results, struct finding *finding);

struct interval interval_sum(struct interval a, struct interval b);
/*
 * Samples right behind a compare with memory and its branch stand for the load or for a wrong guess: the lower end of
 * `gain` less what such guesses may be, but where the estimate is sure of memory in that loop. waited_ns: what the load
 * waits.
 */
struct interval less_wrong_guesses(const struct results *results, const struct stall_group *group,
                                   struct interval gain, double waited_ns);
void guesses_evidence(const struct results *results, struct finding *finding, const struct stall_group *group);

/* The most of a walk in order, 0 to 1, that may wait for what costs so many nanoseconds a line; 1: not known. */
double order_bound(const struct stall_group *group, double line_ns);
/* … that may wait for its lines, as the pattern's probe or the calibration beside the run measured them. */
double order_transfer(const struct results *results, const struct stall_group *group, const struct access_cost *cost);
/* The probe had room for less memory than the pattern spans: what the rest costs is more, and nobody knows how much. */
bool probe_fell_short(const struct access_cost *cost);

/* Bytes that it goes over; where too few addresses were met again, a lower bound. */
double group_size_bytes(const struct stall_group *group);
struct value group_size(const char *name, const struct stall_group *group);
/* Of this machine, or a usual one where that isn't known. */
double l2_bytes(const struct results *results);
/*
 * How far the group's accesses reach by the estimated bottleneck, which counts what the code goes over as well as where
 * it stalled. NONE: its loops don't tell, or there is no estimate.
 */
enum bottleneck_level estimated_level(const struct results *results, const struct stall_group *group);
/* The smallest loop of the estimate around the group's instruction; NULL: none. Owner: the results. */
const struct bottleneck_loop *loop_of_group(const struct results *results, const struct stall_group *group);

#endif
