/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much of the time is in functions of a class with all that they call? What a class is, whoever asks says.
 *
 * Of the copied stacks alone, which see user code. What a stack was cut off in may have been called by any class; where
 * a class calls few frames, it would have been met. Does not support: tail calls, which leave no frame.
 */
#ifndef PLUMB_ANALYSE_STALL_CALL_CLASSES_H
#define PLUMB_ANALYSE_STALL_CALL_CLASSES_H

#include "model/recording.h"
#include "statistics/interval.h"
#include "symbol/code_bundle.h"

enum { CALL_CLASSES_MOST = 64 };

struct call_class {
    uint64_t stacks;               /* that a function of the class is on */
    uint64_t innermost;            /* of these: no function of another class is called by it */
    struct interval share;         /* of all copied stacks; unknown: too few were copied */
    double most;                   /* … if it stood behind all that were cut off */
    const char *entry, *entry_dso; /* of the class, called from without in most of the stacks; NULL: none */
    const char *caller; /* the nearest own function behind it that has a name, else any, in most of them; NULL: none */
    uint64_t caller_stacks;
};

struct call_classes {
    struct call_class items[CALL_CLASSES_MOST];
    uint64_t stacks;
};

/* The class of a function, below CALL_CLASSES_MOST; any more: of none. dso: last part of its path */
typedef unsigned call_class_of(const char *name, const char *dso);

/* Names belong to the bundle. */
void call_classes_find(struct call_classes *classes, const struct recording *recording,
                       const struct code_bundle *bundle, call_class_of *class_of);

#endif
