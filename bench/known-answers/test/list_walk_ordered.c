/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same list, its records in list order. */
#define ORDERED 1
#include "list_walk.c"
