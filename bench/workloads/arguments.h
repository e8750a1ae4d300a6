// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What number did the user type? Whole decimal numbers with an optional binary suffix (16K, 256M, 1G), and
 * seconds with a fraction. Anything else is a usage error: the program says which option was wrong and exits
 * with 2.
 */
#pragma once

#include <stdint.h>

uint64_t argument_size(const char *option, const char *text, uint64_t least, uint64_t most);
double argument_seconds(const char *option, const char *text);
