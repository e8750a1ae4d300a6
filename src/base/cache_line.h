/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many bytes does a core fetch at once? */
#ifndef PLUMB_BASE_CACHE_LINE_H
#define PLUMB_BASE_CACHE_LINE_H

/* Of all x86-64 cores, and of AArch64's servers. */
enum {
    CACHE_LINE_BYTES = 64
};

#endif
