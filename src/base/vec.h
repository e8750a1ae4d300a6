/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A growing array of one type: `struct { T *items; size_t count, capacity; }`, declared with vec(T).
 *
 *     vec(struct mapping) mappings = {0};
 *     *vec_push(&mappings) = (struct mapping){ … };
 *     vec_done(&mappings);
 *
 * Pointers into items are valid until the next push.
 */
#ifndef PLUMB_BASE_VEC_H
#define PLUMB_BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>

#define vec(type)                                                                                                 \
    struct {                                                                                                      \
        type *items;                                                                                              \
        size_t count, capacity;                                                                                   \
    }

/* Grow *items so that it holds at least count items. */
void *vec_reserve_bytes(void *items, size_t *capacity, size_t count, size_t item_bytes);

#define vec_reserve(v, wanted)                                                                                    \
    ((v)->items = vec_reserve_bytes((v)->items, &(v)->capacity, (wanted), sizeof(*(v)->items)))

/* Address of a new, uninitialised last item. */
#define vec_push(v)                                                                                               \
    ((void)((v)->count < (v)->capacity || vec_reserve((v), (v)->count + 1)), &(v)->items[(v)->count++])

#define vec_done(v)                                                                                               \
    do {                                                                                                          \
        free((v)->items);                                                                                         \
        (v)->items = NULL;                                                                                        \
        (v)->count = (v)->capacity = 0;                                                                           \
    } while (0)

#define vec_for_each(v, item)                                                                                     \
    for (__auto_type item = (v)->items; item && item < (v)->items + (v)->count; item++)

#define array_count(array) (sizeof(array) / sizeof((array)[0]))

#endif
