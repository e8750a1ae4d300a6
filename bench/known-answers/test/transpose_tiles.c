/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same transposition by tiles of 8 x 8. */
#define TILE 8
#include "transpose.c"
