/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same remainders by a precomputed inverse. */
#define BARRETT 1
#include "fractions.c"
