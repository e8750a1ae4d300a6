/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same merge, the smaller one chosen by arithmetic. */
#define BRANCH 0
#include "merge.c"
