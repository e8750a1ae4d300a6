/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits lines of comma-separated numbers of one to six digits and adds up each column.
 * Arguments: 1 when all numbers have four digits. */
#include "driver.h"

enum { BYTES = 1 << 18, COLUMNS = 8 };
static char text[BYTES + 64];
static size_t used;
static uint64_t sum[COLUMNS];

APART static uint64_t run(const char *p, const char *end) {
    uint64_t fields = 0;
    int column = 0;
    while (p < end) {
        uint64_t value = 0;
        while (*p >= '0')
            value = value * 10 + (uint64_t)(*p++ - '0');
        sum[column & (COLUMNS - 1)] += value;
        column++;
        fields++;
        p++;
    }
    return fields;
}

static uint64_t step(void) {
    run(text, text + used);
    return used;
}

int main(int argc, char **argv) {
    uint64_t seed = 47;
    bool regular = argument(argc, argv, 2, 0);
    while (used < BYTES) {
        static const unsigned most[] = {10, 100, 1000, 10000, 100000, 1000000};
        uint64_t r = random_next(&seed);
        unsigned digits = regular ? 3 : (unsigned)(r % 6), base = most[digits] / 10;
        unsigned value = base + (unsigned)((r >> 16) % (most[digits] - base));
        used += (size_t)snprintf(text + used, 16, "%u%c", value, used % 61 > 52 ? '\n' : ',');
    }
    return drive(argc, argv, step);
}
