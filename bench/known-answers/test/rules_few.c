/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the proof of rules: sixteen of them, called again and again. */
#define FEW 1
#include "rules.c"
