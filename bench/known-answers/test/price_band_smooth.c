/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same search without a branch. */
#define BRANCH 0
#include "price_band.c"
