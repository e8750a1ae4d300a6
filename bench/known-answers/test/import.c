/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Imports a feed: splits it into numbers of one to six digits, then takes each modulo a prime for its shard.
 * Arguments: 1 for numbers of one length, 1 for a shard by mask instead of by remainder (both for the proof only). */
#include "driver.h"

enum { BYTES = 1 << 16 };
static char text[BYTES + 64];
static size_t used;
static uint64_t number[BYTES], prime, total;
static uint32_t shard[2048];
static bool easy;

APART static size_t part_1(const char *p, const char *end) {
    size_t numbers = 0;
    while (p < end) {
        uint64_t value = 0;
        while (*p >= '0')
            value = value * 10 + (uint64_t)(*p++ - '0');
        number[numbers++] = value << 40;
        p++;
    }
    return numbers;
}

APART static void part_2(size_t numbers) {
    if (easy)
        for (size_t i = 0; i < numbers; i++)
            shard[number[i] >> 40 & 1023]++;
    else
        for (size_t i = 0; i < numbers; i++)
            shard[number[i] % prime]++;
}

static uint64_t step(void) {
    size_t numbers = part_1(text, text + used);
    part_2(numbers);
    return numbers;
}

int main(int argc, char **argv) {
    uint64_t seed = 47;
    bool regular = argument(argc, argv, 2, 0);
    easy = argument(argc, argv, 3, 0);
    prime = 1020 + (uint64_t)(argc > 0);
    while (used < BYTES) {
        static const unsigned most[] = {10, 100, 1000, 10000, 100000, 1000000};
        uint64_t r = random_next(&seed);
        unsigned digits = regular ? used / 5 % 2 + 2 : (unsigned)(r % 6), base = most[digits] / 10;
        unsigned value = base + (unsigned)((r >> 16) % (most[digits] - base));
        used += (size_t)snprintf(text + used, 16, "%u,", value);
    }
    int status = drive(argc, argv, step);
    return total == 1 ? 1 : status;
}
