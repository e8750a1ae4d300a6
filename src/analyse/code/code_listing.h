/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What do the hottest functions look like, instruction by instruction: text, source line, samples, loops, and which
 * instruction the samples at another one waited for?
 *
 * Made of a case alone (its bundle's bytes and lines); source text is read from this machine, where the file is there.
 * Of long functions only the surroundings of what was sampled are listed: rows say which ones they are.
 */
#ifndef PLUMB_ANALYSE_CODE_CODE_LISTING_H
#define PLUMB_ANALYSE_CODE_CODE_LISTING_H

#include "analyse/stall/stalls.h"
#include "symbol/source_text.h"

struct listing_line {
    const char *path, *function; /* function: whose body, when inlined; NULL: the function itself */
    uint32_t line;
    const char *text; /* NULL: the file isn't here */
};

struct listing_row {
    uint64_t addr;
    const char *text, *class;
    uint64_t stalled, sampled;
    uint32_t instruction; /* its number in the function: a gap to the row before was left out */
    uint32_t line;        /* index of lines; UINT32_MAX: not known */
};

struct listing_loop {
    uint32_t first, last; /* rows of the listing; a part of the loop may have been left out */
    uint64_t stalled;
};

struct listing_stall { /* samples that fell on one row because another one stalled */
    uint32_t sampled, stalled; /* rows of the listing */
    uint64_t samples;
};

struct listing_function {
    uint32_t function; /* index of stalls->functions */
    struct listing_row *rows;
    size_t row_count, instruction_count;
    struct listing_line *lines;
    size_t line_count;
    struct listing_loop *loops; /* outer before inner */
    size_t loop_count;
    struct listing_stall *stalls; /* most samples first */
    size_t stall_count;
};

struct code_listing {
    struct listing_function *functions;
    size_t count;
    const char *why_none; /* no function's code is known, because; NULL */
};

/* source NULL: no lines are read. Owner: arena. */
void code_listing_find(struct code_listing *listing, const struct stalls *stalls, const struct code_bundle *bundle,
                       struct source_text *source, size_t functions_most, struct arena *arena);

#endif
