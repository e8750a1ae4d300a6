/* SPDX-License-Identifier: GPL-3.0-or-later */
/* orders: carries out a long list of random orders, each by a jump through a table. work = orders. */
#include "../known.h"

enum { COUNT = 1 << 20, PIECE = 1 << 15 };

static KNOWN_STEP uint64_t step(const unsigned char *orders, uint64_t a, uint64_t b)
{
    for (int i = 0; i < PIECE; i++)
        switch (orders[i]) {
        case 0: a += b; break;
        case 1: a -= 7; break;
        case 2: b ^= a; break;
        case 3: b += 3; break;
        case 4: a ^= b << 1; break;
        case 5: a = ~a; break;
        case 6: b -= a; break;
        case 7: a |= 1; break;
        case 8: b = a >> 3; break;
        case 9: a += i; break;
        case 10: b ^= 0x55; break;
        case 11: a = a * 3; break;
        case 12: b = b << 2; break;
        case 13: a -= b; break;
        case 14: b = ~b; break;
        case 15: a ^= 0x99; break;
        default: __builtin_unreachable();
        }
    return a ^ b;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    unsigned char *orders = known_memory(COUNT, KNOWN_HUGE_PAGES);
    uint64_t seed = 8, at = 0, state = 1;

    for (int i = 0; i < COUNT; i++)
        orders[i] = (unsigned char)(known_random(&seed) >> 60);
    while (known_goes_on(&known)) {
        state = step(orders + at, state, 2);
        known_add(&known, PIECE);
        at = (at + PIECE) % COUNT;
    }
    KNOWN_KEEP(state);
    return known_end(&known);
}
