/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same filters, the four channels side by side. */
#define TOGETHER 1
#include "equaliser.c"
