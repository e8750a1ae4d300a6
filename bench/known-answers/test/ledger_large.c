/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same accounts on pages of 2 MiB. */
#define LARGE 1
#include "ledger.c"
