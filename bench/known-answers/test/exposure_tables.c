/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same histogram in four tables. */
#define TABLES 4
#include "exposure.c"
