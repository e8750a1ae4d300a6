/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads what a program prints while it runs: how much, and a digest of it; the text isn't kept.
 *
 * A thread of its own reads, so that the program waits for it no longer than for any reader. What the program's
 * children print is read until the program ends: children that live longer don't keep anybody waiting.
 * Owner: the caller (output_reader_end, once output_reader_begin returned true). The reader stays where it is between
 * the two.
 */
#ifndef PLUMB_EXPERIMENT_OUTPUT_READER_H
#define PLUMB_EXPERIMENT_OUTPUT_READER_H

#include "base/worker.h"

#include <stdint.h>

struct output_reader {
    int output_fd;          /* to be the program's standard output; closes on exec */
    uint64_t bytes, digest; /* valid after output_reader_end */
    int read_fd, stop_read_fd, stop_write_fd;
    pthread_t owner;
    struct worker worker;
};

/* False where no pipe or no thread can be had: then nothing is to be released. */
bool output_reader_begin(struct output_reader *reader);
/* The program has ended, or was never started. */
void output_reader_end(struct output_reader *reader);

#endif
