/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do a program's threads run one at a time, under one lock of their language's? Internal to finding/imported. */
#ifndef PLUMB_FINDING_IMPORTED_GLOBAL_LOCK_H
#define PLUMB_FINDING_IMPORTED_GLOBAL_LOCK_H

#include "finding/hypothesis.h"

/* "Python's global interpreter lock (GIL)" where the function takes it or lets go of it; NULL: it doesn't. */
const char *imported_global_lock(const char *function);
/* of threads that take turns, by a profile, and by how many CPUs several threads used */
bool imported_global_lock_test(const struct results *results, struct finding *finding);

#endif
