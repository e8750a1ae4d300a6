/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same polynomial, evaluated by halves (Estrin). */
#define HALVES 1
#include "curve.c"
