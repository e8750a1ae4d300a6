/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A byte-code machine: one switch, sixteen operations on an accumulator and four registers.
 * Arguments: 1 when the program is a loop of few operations instead of a long one without a pattern. */
#include "driver.h"
#ifndef LOOPED
#define LOOPED 0
#endif

enum { LENGTH = 32768 };
static unsigned char code[LENGTH + 1];
static uint64_t registers[4], total;

APART static uint64_t run(const unsigned char *pc) {
    uint64_t a = registers[0], r1 = registers[1], r2 = registers[2], r3 = registers[3];
    for (;;) {
        switch (*pc++) {
        case 0: a += r1; break;
        case 1: a ^= r2; break;
        case 2: r1 += 7; break;
        case 3: r2 ^= r1; break;
        case 4: r3 += 3; break;
        case 5: a -= r3; break;
        case 6: r1 <<= 1; break;
        case 7: r2 |= 5; break;
        case 8: r3 ^= 0x55; break;
        case 9: a |= 1; break;
        case 10: r1 -= r3; break;
        case 11: r2 += 11; break;
        case 12: r3 &= 0xffff; break;
        case 13: r1 ^= 0x33; break;
        case 14: r2 >>= 1; break;
        case 15: a += 9; break;
        default: registers[1] = r1; return a + r2 + r3;
        }
    }
}

static uint64_t step(void) {
    for (int i = 0; i < 4; i++)
        total += run(code);
    return 4 * LENGTH;
}

int main(int argc, char **argv) {
    uint64_t seed = 59;
    bool looped = argument(argc, argv, 2, LOOPED);
    for (int i = 0; i < LENGTH; i++)
        code[i] = looped ? (unsigned char)((unsigned)i * 5 % 16) : (unsigned char)(random_next(&seed) % 16);
    code[LENGTH] = 255;
    int status = drive(argc, argv, step);
    return total == 1 ? 1 : status;
}
