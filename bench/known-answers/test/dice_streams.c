/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same dice, four streams side by side. */
#define STREAMS 4
#include "dice.c"
