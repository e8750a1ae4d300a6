/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do threads fight over a lock of the program's own, whose waits end in the kernel's lists? Internal to finding/imported. */
#ifndef PLUMB_FINDING_IMPORTED_USER_LOCK_H
#define PLUMB_FINDING_IMPORTED_USER_LOCK_H

#include "finding/hypothesis.h"

/* Who of the kernel spins, as the tables say, for its lists of threads that wait at a futex; NULL: they don't say so. */
const char *imported_futex_spinner(const struct results *results, struct arena *arena);
/* of threads that take turns */
bool imported_user_lock_test(const struct results *results, struct finding *finding);

#endif
