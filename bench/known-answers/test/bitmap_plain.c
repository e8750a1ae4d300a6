/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the proof of bitmap_count: the words are added up, not counted. */
#define PLAIN 1
#include "bitmap_count.c"
