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

struct alike_samples {
    struct alike_slot *slots; /* NULL before the first */
    /* one for each slot, at any place; those beside the first one it stood for: alike, and their period */
    struct sample *rows;
};

void alike_samples_done(struct alike_samples *samples);
/* Have the memory fetched that a search for that key, soon to follow, begins with. */
void alike_samples_fetch(struct alike_samples *samples, const struct alike_key *key);
/* The row of the sample met before under that key; NULL: none, or too long ago. */
struct sample *alike_samples_find(struct alike_samples *samples, const struct alike_key *key);
/* A row for a key that wasn't found. What it counted for a key that makes room is still in it: alike > 0. */
struct sample *alike_samples_add(struct alike_samples *samples, const struct alike_key *key);
/* The next row that counted something, from *at on, which is moved behind it; NULL: no more. */
struct sample *alike_samples_next(struct alike_samples *samples, size_t *at);

#endif
