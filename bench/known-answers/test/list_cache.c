/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same walk over a list of 8 MiB. */
#define BYTES (8u << 20)
#include "list_walk.c"
