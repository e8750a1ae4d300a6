/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * By whom is a function of an imported profile called, by its printed call chain?
 *
 * Frames have names alone: which of them are the C library's is told by these. Does not support: rows without a chain
 * (each answer is NULL or false).
 */
#ifndef PLUMB_FINDING_IMPORTED_CALLERS_H
#define PLUMB_FINDING_IMPORTED_CALLERS_H

#include "analyse/imported.h"

/* The system call that it works for, "openat"; NULL: none is in its chain. Owner: arena. */
const char *imported_called_for(const struct imported_row *row, struct arena *arena);
/* The nearest caller outside of the kernel and the C library; NULL: none is in its chain. Owner: arena. */
const char *imported_called_by(const struct imported_row *row, struct arena *arena);
/* One of malloc's and its like. */
bool imported_is_allocating(const char *function);
/* A lock, or what waits or spins for it, that malloc or free took. */
bool imported_is_allocators_lock(const struct imported_row *row);
/* A lock within the C library, whichever of them: of malloc's arenas, or of a stream. */
bool imported_is_librarys_lock(const char *function);

/* What a spinning lock of the kernel protects, by the first of its callers that tells. */
struct kernel_lock {
    const char *of;     /* in words, behind "it is"; NULL: they don't tell */
    const char *caller; /* that told so */
    const char *advice; /* key of the wording */
};
struct kernel_lock imported_kernel_lock_of(const struct imported_row *row, struct arena *arena);

#endif
