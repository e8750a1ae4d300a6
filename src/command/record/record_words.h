/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What do the words of single options of plumb record mean? Registers, kinds of branches, clocks, sizes, call-graph
 * modes.
 *
 * Each function leaves its results untouched on failure and names the word that it doesn't know, with those there are.
 */
#ifndef PLUMB_COMMAND_RECORD_RECORD_WORDS_H
#define PLUMB_COMMAND_RECORD_RECORD_WORDS_H

#include "base/error.h"
#include "base/text.h"
#include "source/recorder/recorder.h"

/* "ax,bx", "" for all general registers, NULL for none. */
MUST_CHECK bool registers_parse(const char *list, uint64_t *ret_mask, struct error *err);
/* -b and -j: PERF_SAMPLE_BRANCH_* bits; 0 when neither was given. */
MUST_CHECK bool branches_parse(bool any, const char *filters, uint64_t *ret_type, struct error *err);
MUST_CHECK bool clock_parse(const char *name, int *ret_clock, struct error *err);
/* "64" pages, or "512K", "4M"; rounded up to a power of two. */
MUST_CHECK bool ring_bytes_parse(const char *word, size_t *ret_bytes, struct error *err);
/* "512K", "4M", or bytes. */
MUST_CHECK bool size_parse(const char *word, const char *option, uint64_t *ret_bytes, struct error *err);
MUST_CHECK bool callchain_parse(const char *word, enum callchain_mode *ret_mode, uint32_t *ret_stack_bytes,
                                struct error *err);
/* A number above 0. */
MUST_CHECK bool count_parse(const char *word, const char *option, uint64_t *ret_count, struct error *err);

#endif
