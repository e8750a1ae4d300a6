/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the proof of screens: sixteen of them, again and again. */
#define FEW 1
#include "screens.c"
