// SPDX-License-Identifier: GPL-3.0-or-later
#include "arguments.h"

#include <err.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

static unsigned suffix_shift(char suffix)
{
    switch (suffix) {
    case 'k':
    case 'K':
        return 10;
    case 'm':
    case 'M':
        return 20;
    case 'g':
    case 'G':
        return 30;
    default:
        return 0;
    }
}

uint64_t argument_size(const char *option, const char *text, uint64_t least, uint64_t most)
{
    uint64_t value = 0;
    const char *c = text;
    bool whole = *c >= '0' && *c <= '9';

    for (; *c >= '0' && *c <= '9'; c++) {
        uint64_t digit = (uint64_t)(*c - '0');
        if (value > (UINT64_MAX - digit) / 10)
            errx(2, "%s: '%s' is too large", option, text);
        value = value * 10 + digit;
    }
    unsigned shift = suffix_shift(*c);
    if (shift)
        c++;
    if (!whole || *c)
        errx(2, "%s: '%s' is not a whole number (K, M, G may follow)", option, text);
    if (value > UINT64_MAX >> shift)
        errx(2, "%s: '%s' is too large", option, text);
    value <<= shift;
    if (value < least || value > most)
        errx(2, "%s: '%s' is not between %" PRIu64 " and %" PRIu64, option, text, least, most);
    return value;
}

double argument_seconds(const char *option, const char *text)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !(value > 0 && value <= 1e6))
        errx(2, "%s: '%s' is not a number of seconds above 0", option, text);
    return value;
}
