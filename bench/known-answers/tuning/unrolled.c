/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unrolled [loop]: a million additions and exclusive-ors, written out one after the other: 4 MiB of instructions;
 * loop: the same in a loop. work = instructions. */
#include "../known.h"

#define EIGHT \
    "lea 1(%%rax), %%rax\n\t" \
    "xor $0x12345, %%edx\n\t" \
    "add $0x23456, %%ecx\n\t" \
    "lea 3(%%rsi), %%rsi\n\t" \
    "lea 1(%%r8), %%r8\n\t" \
    "add $5, %%r9\n\t" \
    "xor $9, %%r10\n\t" \
    "add $0x23456, %%edi\n\t"

static KNOWN_STEP void step(void)
{
    __asm__ volatile(".rept 131072\n\t" EIGHT ".endr" : : : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "cc");
}

static KNOWN_STEP void loop_step(void)
{
    KNOWN_AS_WRITTEN
    for (int i = 0; i < 131072 / 16; i++)
        __asm__ volatile(".rept 16\n\t" EIGHT ".endr" : : : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "cc");
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    bool loop = strcmp(known_word(&known, 0, "-"), "loop") == 0;

    while (known_goes_on(&known)) {
        loop ? loop_step() : step();
        known_add(&known, 131072 * 8);
    }
    return known_end(&known);
}
