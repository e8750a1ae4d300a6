/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the proof of tone_curve: a line instead of the curve. */
#define DEGREE 2
#include "tone_curve.c"
