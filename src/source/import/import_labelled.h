/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Do two rows or two timed commands differ in one known change alone, by what they are called? Then they are a trial of
 * it, which becomes a sentence: a table of Markdown with columns of page sizes ("| guest pages | host pages | s |"),
 * the same command below numactl on two nodes with numastat saying where its memory is, glibc's hugetlb=0 and 1.
 *
 * Does not support: rows that differ in more than that, page sizes between the smallest and huge ones.
 */
#ifndef PLUMB_SOURCE_IMPORT_IMPORT_LABELLED_H
#define PLUMB_SOURCE_IMPORT_IMPORT_LABELLED_H

#include "base/arena.h"
#include "base/text.h"

/* The text without the tables that are nothing else; sentences: a line each, length 0: none. Owner: arena. */
struct view import_labelled_turned(struct view text, struct arena *arena, struct view *ret_sentences);

#endif
