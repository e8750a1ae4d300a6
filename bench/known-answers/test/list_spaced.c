/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the proof of list_short: the same records, their addresses known beforehand. */
#define BYTES (16u << 10)
#define SPACED 1
#include "list_walk.c"
