/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chapters [few]: 2000 functions in C, none like another, called one after the other in a fixed order: some 300 KiB of
 * instructions and no data; few: ten of them, two hundred times. work = calls. */
#include "../known.h"

#define PART(n) \
    static KNOWN_STEP uint32_t part_##n(uint32_t x) \
    { \
        uint32_t a = x + (n) * 65537u, b = x ^ ((n) * 40503u + 70001), c = x - ((n) * 7777u + 70001), d = x + (n) + 70001; \
\
        a ^= (n) * 3u + 70001; \
        b += (n) * 5u + 70001; \
        c ^= (n) * 7u + 70001; \
        d ^= (n) * 9u + 70001; \
        a += (n) * 11u + 70001; \
        b ^= (n) * 13u + 70001; \
        c += (n) * 15u + 70001; \
        d += (n) * 17u + 70001; \
        a ^= (n) * 19u + 70001; \
        b += (n) * 21u + 70001; \
        c ^= (n) * 23u + 70001; \
        d ^= (n) * 25u + 70001; \
        a += (n) * 27u + 70001; \
        b ^= (n) * 29u + 70001; \
        c += (n) * 31u + 70001; \
        d += (n) * 33u + 70001; \
        KNOWN_HIDE(a); \
        return (a ^ b) + (c ^ d); \
    }
#define CALL(n) sum += part_##n(x);

/* 1000 to 2999, laid out with the last digit changing least. */
#define TEN(DO, n, last) DO(n##0##last) DO(n##1##last) DO(n##2##last) DO(n##3##last) DO(n##4##last) DO(n##5##last) \
    DO(n##6##last) DO(n##7##last) DO(n##8##last) DO(n##9##last)
#define HUNDRED(DO, n, last) TEN(DO, n##0, last) TEN(DO, n##1, last) TEN(DO, n##2, last) TEN(DO, n##3, last) \
    TEN(DO, n##4, last) TEN(DO, n##5, last) TEN(DO, n##6, last) TEN(DO, n##7, last) TEN(DO, n##8, last) TEN(DO, n##9, last)
#define BOTH(DO, last) HUNDRED(DO, 1, last) HUNDRED(DO, 2, last)
#define ALL(DO) BOTH(DO, 0) BOTH(DO, 1) BOTH(DO, 2) BOTH(DO, 3) BOTH(DO, 4) BOTH(DO, 5) BOTH(DO, 6) BOTH(DO, 7) BOTH(DO, 8) BOTH(DO, 9)

ALL(PART)

/* Called by tens that lie 200 functions apart. */
#define ACROSS(DO, n) DO(n##0) DO(n##5) DO(n##1) DO(n##6) DO(n##2) DO(n##7) DO(n##3) DO(n##8) DO(n##4) DO(n##9)
#define ACROSS_TEN(DO, n) ACROSS(DO, n##0) ACROSS(DO, n##1) ACROSS(DO, n##2) ACROSS(DO, n##3) ACROSS(DO, n##4) \
    ACROSS(DO, n##5) ACROSS(DO, n##6) ACROSS(DO, n##7) ACROSS(DO, n##8) ACROSS(DO, n##9)
#define ACROSS_HUNDRED(DO, n) ACROSS_TEN(DO, n##0) ACROSS_TEN(DO, n##1) ACROSS_TEN(DO, n##2) ACROSS_TEN(DO, n##3) \
    ACROSS_TEN(DO, n##4) ACROSS_TEN(DO, n##5) ACROSS_TEN(DO, n##6) ACROSS_TEN(DO, n##7) ACROSS_TEN(DO, n##8) ACROSS_TEN(DO, n##9)

static KNOWN_STEP uint32_t step(uint32_t x)
{
    uint32_t sum = 0;

    ACROSS_HUNDRED(CALL, 1)
    ACROSS_HUNDRED(CALL, 2)
    return sum;
}

static KNOWN_STEP uint32_t few_step(uint32_t x)
{
    uint32_t sum = 0;

    KNOWN_AS_WRITTEN
    for (int i = 0; i < 200; i++) {
        ACROSS(CALL, 100)
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    bool few = strcmp(known_word(&known, 0, "-"), "few") == 0;
    uint32_t x = 1;

    while (known_goes_on(&known)) {
        for (int i = 0; i < 10; i++) {
            KNOWN_HIDE(x);
            KNOWN_KEEP(few ? few_step(x) : step(x));
        }
        known_add(&known, 20000);
    }
    return known_end(&known);
}
