/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the CPU time goes, whatever the cause: the hottest function with its share, and what the estimate says of it
 * all.
 */
#ifndef PLUMB_FINDING_VERDICT_TIME_SAID_H
#define PLUMB_FINDING_VERDICT_TIME_SAID_H

#include "finding/results.h"

/* "": there are no samples of functions. Owner: arena. */
const char *time_said(const struct results *results, struct arena *arena);
/*
 * " By estimate no one thing holds it up: memory 40 %, arithmetic 30 %; 9 % is not told."; "": the estimate says
 * nothing, or one class has nearly all of it. Owner: arena.
 */
const char *several_said(const struct bottleneck *bottleneck, struct arena *arena);
/* "it waits for cache misses": what an estimate that is so sure lays most of the time at; NULL: it isn't. */
const char *estimated_words(const struct bottleneck *bottleneck, enum bottleneck_confidence least);
/* "Most CPU time goes into parse (62 %)", as large as its part is. NULL: nobody knows which. Owner: arena. */
const char *goes_into(const struct stall_function *hottest, struct arena *arena);
/* Its name, or words where it has none; NULL: "Its code". */
const char *hottest_words(const struct stall_function *function);

#endif
