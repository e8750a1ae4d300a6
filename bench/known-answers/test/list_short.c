/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same walk over a list of 16 KiB. */
#define BYTES (16u << 10)
#include "list_walk.c"
