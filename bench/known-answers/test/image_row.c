/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same sums, going along the rows. */
#define BY_ROW 1
#include "image_column.c"
