/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work that threads share again and again: for how long does one go on alone when the others have done their part?
 *
 * The time is cut into equal slots. A round ends alone where slots in which several threads worked are followed by some
 * in which one alone did, the same one throughout. Whether the others had ended, waited for it, or for something else
 * isn't asked here.
 */
#ifndef PLUMB_ANALYSE_TIME_THREAD_ROUNDS_H
#define PLUMB_ANALYSE_TIME_THREAD_ROUNDS_H

#include <stddef.h>
#include <stdint.h>

struct thread_moment {
    uint64_t time_ns;
    uint32_t thread; /* of the recording */
};

struct thread_rounds {
    uint32_t count; /* that ended with one alone */
    double alone_s; /* of all of them; what is shorter than two slots is left out */
};

/* slot_ns: some samples of one thread long. Moments in any order; over more than 2^20 slots: none is told. */
struct thread_rounds thread_rounds_of(const struct thread_moment *moments, size_t count, uint64_t slot_ns);

#endif
