/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * On which side was something changed: on the host, in the guest, or on both?
 *
 * By the words that stand at the change: a guest that "reaches 41000 tps" with huge pages on the host is what that was
 * tried for, and "as on the host" compares. Does not support: more than one host or guest.
 */
#ifndef PLUMB_ANALYSE_TOLD_TOLD_SIDE_H
#define PLUMB_ANALYSE_TOLD_TOLD_SIDE_H

#include <stdbool.h>

struct told_sides {
    bool on_host, on_guest; /* neither: the sentence names none */
};

/* Of a plain sentence (analyse/told/told_words) that names a change. */
struct told_sides told_sides_of(const char *plain);

#endif
