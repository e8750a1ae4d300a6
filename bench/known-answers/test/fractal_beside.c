/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same set, eight points side by side. */
#define BESIDE 8
#include "fractal.c"
