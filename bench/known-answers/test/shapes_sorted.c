/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same shapes, sorted by kind. */
#define SORTED 1
#include "shapes.c"
