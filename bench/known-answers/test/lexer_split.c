/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same automaton over four texts side by side. */
#define SPLIT 4
#include "lexer.c"
