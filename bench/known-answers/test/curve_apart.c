/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the proof of curve: each argument is known beforehand. */
#define APART_EACH 1
#include "curve.c"
