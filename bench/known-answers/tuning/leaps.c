/* SPDX-License-Identifier: GPL-3.0-or-later */
/* leaps: 16384 pieces of code of 128 bytes, each ending in a jump to the next in a fixed shuffled order: 2 MiB of
 * instructions, no data. work = pieces. */
#include "../known.h"

/* Piece n is followed by piece (n * 5 * 2^k.. + odd) modulo 16384: one ring, as known_ring_next's. The last one returns. */
__asm__(".text\n"
        ".p2align 12\n"
        ".type parts, @function\n"
        "parts:\n"
        ".set n, 0\n"
        ".rept 16384\n"
        ".p2align 7\n"
        ".rept 6\n"
        "lea 1(%rax), %rax\n"
        "xor $0x12345, %edx\n"
        "add $0x23456, %ecx\n"
        "lea 3(%rsi), %rsi\n"
        ".endr\n"
        ".if ((n * 11605 + 9973) & 16383) == 0\n"
        "ret\n"
        ".else\n"
        "jmp parts + (((n * 11605 + 9973) & 16383) * 128)\n"
        ".endif\n"
        ".set n, n + 1\n"
        ".endr\n"
        ".size parts, . - parts\n");

static KNOWN_STEP void step(void)
{
    __asm__ volatile("sub $128, %%rsp\n\tcall parts\n\tadd $128, %%rsp" : : : "rax", "rcx", "rdx", "rsi", "cc", "memory");
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);

    while (known_goes_on(&known)) {
        step();
        known_add(&known, 16384);
    }
    return known_end(&known);
}
