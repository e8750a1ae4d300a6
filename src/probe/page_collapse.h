/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is a running program faster with huge pages under its hot memory?
 *
 * Its speed and that of known work of ours are measured in turns, the kernel puts the range on huge pages
 * (process_madvise with MADV_COLLAPSE), and both are measured again. Before and after can't be interleaved, so the
 * known work, which the change doesn't touch, tells a drift of the machine apart.
 * One way: there is no undoing it, and memory that was sparse takes more room.
 * Does not support: kernels before 6.1, files on most file systems.
 */
#ifndef PLUMB_PROBE_PAGE_COLLAPSE_H
#define PLUMB_PROBE_PAGE_COLLAPSE_H

#include "probe/work_meter.h"

struct page_collapse_result {
    uint64_t collapsed_bytes; /* asked for and done */
    struct interval speed_up, control;
    double elapsed_s;         /* that the kernel took */
};

/* Errors: ERROR_PERMISSION, ERROR_UNSUPPORTED, ERROR_LIMIT (no free huge pages), each with what is missing. */
MUST_CHECK bool page_collapse_measure(struct work_meter *meter, pid_t pid, uint64_t start, uint64_t end,
                                      struct page_collapse_result *ret_result, struct error *err);

#endif
