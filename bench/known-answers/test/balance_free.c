/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the proof of balance: no sum waits for the one before. */
#define FREE 1
#include "balance.c"
