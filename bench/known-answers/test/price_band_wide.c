/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same search in a table of 4 MiB. */
#define LOG_ENTRIES 20
#include "price_band.c"
