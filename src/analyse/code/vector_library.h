/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which library's vector code is hot whose width a variable of the environment narrows, and which variable is that?
 *
 * A library obeys its variable when the variable's name stands in its file: so copies inside a program or under another
 * name are found as well. There, functions are told by their names; code that a library makes at run time (oneDNN) is
 * anonymous memory beside a file that holds its variable, where samples met the library itself, too: a file that is
 * only mapped made nothing. Files are read where they were mapped from: on another machine
 * than the recording's, only those known by name are found.
 * Does not support: a stripped program with a library inside.
 */
#ifndef PLUMB_ANALYSE_CODE_VECTOR_LIBRARY_H
#define PLUMB_ANALYSE_CODE_VECTOR_LIBRARY_H

#include "analyse/stall/stalls.h"
#include "base/hashmap.h"
#include "model/address_space.h"

enum vector_library_id {
    VECTOR_ONEDNN,
    VECTOR_OPENBLAS,
    VECTOR_MKL,
    VECTOR_ATEN,
    VECTOR_NUMPY,
    VECTOR_LIBC,
    VECTOR_LIBRARIES
};

struct vector_library {
    const char *name;  /* "oneDNN" */
    const char *below_avx512, *below_avx2; /* NAME=value that narrows it so far */
    uint64_t samples;
    double share;      /* of all samples */
    const char *where; /* "in libdnnl.so.2", "code that it makes at run time"; NULL: no samples */
};

/* Shape: ret_libraries has VECTOR_LIBRARIES. Owner of the strings: static and arena. */
void vector_libraries_find(const struct stalls *stalls, const struct address_spaces *spaces,
                           const struct strings *strings, struct vector_library *ret_libraries, struct arena *arena);
/* The one with most samples, of at least `least` of all; NULL: none. */
const struct vector_library *vector_library_hottest(const struct vector_library *libraries, double least);

#endif
