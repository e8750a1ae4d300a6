/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do threads fight over a lock of the program's own, which waits in the kernel? Internal to finding/imported. */
#ifndef PLUMB_FINDING_IMPORTED_USER_LOCK_H
#define PLUMB_FINDING_IMPORTED_USER_LOCK_H

#include "finding/hypothesis.h"

/* Which function of the kernel spins for its lists of threads that wait at a futex; NULL: the tables don't say so. */
const char *imported_futex_spinner(const struct results *results, struct arena *arena);
/* of threads that take turns */
bool imported_user_lock_test(const struct results *results, struct finding *finding);

#endif
