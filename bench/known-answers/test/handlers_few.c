/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the proof of handlers: sixteen of them, again and again. */
#define FEW 1
#include "handlers.c"
