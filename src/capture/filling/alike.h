/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Was a sample like this one there before? Most of a recording's samples repeat a thread, a place and its callers: what
 * one of them led to is known, the others are counted with it.
 */
#ifndef PLUMB_CAPTURE_FILLING_ALIKE_H
#define PLUMB_CAPTURE_FILLING_ALIKE_H

#include "model/samples.h"

/* 96 bits of whatever tells samples apart: two that differ and agree in them are less likely than a memory error. */
struct alike_key {
    uint64_t key;
    uint32_t more_key;
    uint32_t line; /* of the table: the same whatever is mixed into the keys later */
};

/* Samples like one that was there before, beside that one itself. */
struct alike_count {
    uint64_t period; /* sum */
    uint64_t samples;
};

struct alike_samples {
    struct alike_slot *slots; /* NULL before the first */
    struct sample *rows;      /* the first of each kind: one for each slot, at any place */
};

void alike_samples_done(struct alike_samples *samples);
/* Have the memory fetched that a search for that key, soon to follow, begins with. */
void alike_samples_fetch(struct alike_samples *samples, const struct alike_key *key);
/* What was counted since the sample met before under that key; NULL: none, or too long ago. */
struct alike_count *alike_samples_find(struct alike_samples *samples, const struct alike_key *key);
/*
 * A row for a key that wasn't found. What was counted for the one that makes room, which still stands in the row, is in
 * *ret_before.
 */
struct sample *alike_samples_add(struct alike_samples *samples, const struct alike_key *key,
                                 struct alike_count *ret_before);
/* The next row for which something was counted, from *at on, which is moved behind it; NULL: no more. */
struct sample *alike_samples_next(struct alike_samples *samples, size_t *at, struct alike_count *ret_count);

#endif
