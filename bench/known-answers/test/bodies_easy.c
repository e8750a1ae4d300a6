/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the proof of bodies: neither root nor quotient. */
#define EASY 1
#include "bodies.c"
