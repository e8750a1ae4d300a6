/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Times of runs whose unit stands above them: "benchmark, seconds for 1000 calls:" and a line "halide 0.247" for each.
 */
#ifndef PLUMB_SOURCE_IMPORT_IMPORT_TIMED_H
#define PLUMB_SOURCE_IMPORT_IMPORT_TIMED_H

#include "base/arena.h"
#include "base/text.h"

/* With such lines as "halide: 0.247 s"; later ones of the same names are of the same unit. Owner: arena, or text. */
struct view import_timed_turned(struct view text, struct arena *arena);

#endif
