/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same balance in eight parts side by side, then their offsets. */
#define PARTS 8
#include "balance.c"
