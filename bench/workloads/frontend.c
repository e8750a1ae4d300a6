// SPDX-License-Identifier: GPL-3.0-or-later
/* Kernels that wait for instructions: branches guessed wrong, or more code than the caches of code hold. */
#include "kernels.h"

/* ---- branch and brpred: the same code over random and over regular data ---- */

static void branch_init(struct kernel_run *run)
{
    buffer_init(&run->memory[0], run->size_bytes, run->pages);
    unsigned char *data = run->memory[0].data;
    for (size_t i = 0; i < run->size_bytes; i++)
        data[i] = (unsigned char)(scrambled(i) >> 40);
}

static void brpred_init(struct kernel_run *run)
{
    buffer_init(&run->memory[0], run->size_bytes, run->pages);
    unsigned char *data = run->memory[0].data;
    for (size_t i = 0; i < run->size_bytes; i++)
        data[i] = i % 4 == 0;
}

static inline __attribute__((always_inline)) uint64_t branch_steps(struct kernel_run *run,
                                                                   uint64_t iterations)
{
    const unsigned char *data = run->memory[0].data;
    size_t at = run->position;
    uint64_t sum = 0;

    /*
     * An if without else: one way takes a jump, the other none, so the two always leave different branch
     * histories. With an else each way takes one, and where their addresses hash alike even strict
     * alternation was mispredicted.
     */
    for (uint64_t i = 0; i < iterations; i++) {
        if (data[at] & 1) {
            sum += i ^ sum >> 1;
            KEEP(sum); // stays a branch: a conditional move would wait for nothing
        }
        at = at + 1 == run->size_bytes ? 0 : at + 1;
    }
    run->position = at;
    return sum;
}

KERNEL static uint64_t kernel_branch(struct kernel_run *run, uint64_t iterations)
{
    return branch_steps(run, iterations);
}

KERNEL static uint64_t kernel_brpred(struct kernel_run *run, uint64_t iterations)
{
    return branch_steps(run, iterations);
}

/* ---- interp: one indirect jump, to a random place ---- */

KERNEL static uint64_t kernel_interp(struct kernel_run *run, uint64_t iterations)
{
    const unsigned char *code = run->memory[0].data;
    size_t at = run->position;
    uint64_t a = run->state, b = 1;

    for (uint64_t i = 0; i < iterations; i++) {
        switch (code[at] & 7) {
        case 0:
            a += b;
            break;
        case 1:
            a ^= b << 3;
            break;
        case 2:
            b += 7;
            break;
        case 3:
            b = a >> 5;
            break;
        case 4:
            a -= b | 1;
            break;
        case 5:
            b ^= a;
            break;
        case 6:
            a = a << 1 | a >> 63;
            break;
        default:
            b = b * 3 + 1;
            break;
        }
        at = at + 1 == run->size_bytes ? 0 : at + 1;
    }
    run->position = at;
    return run->state = a + b;
}

#if defined(__x86_64__)

/*
 * 65536 blocks of 64 bytes, 4 MiB of code in a straight line. Each block does a little arithmetic and jumps
 * directly to its successor in a fixed scattered order that visits all of them: block -> (block * 40501 +
 * 12345) mod 65536 has full period (the multiplier is 1 mod 4, the addend odd). rsi, the second argument,
 * counts down.
 */
uint64_t kernel_code(struct kernel_run *run, uint64_t iterations);

__asm__(".pushsection .text.kernel_code,\"ax\",@progbits\n"
        ".p2align 12\n"
        ".globl kernel_code\n"
        ".hidden kernel_code\n"
        ".type kernel_code, @function\n"
        "kernel_code:\n"
        ".cfi_startproc\n"
        "endbr64\n"
        ".p2align 6, 0x90\n"
        ".Lcode_blocks:\n"
        ".set .Lblock, 0\n"
        ".rept 65536\n"
        ".p2align 6, 0x90\n"
        "sub $1, %rsi\n"
        "jb .Lcode_done\n"
        "add $0x1234567, %eax\n"
        "xor $0x2345671, %ecx\n"
        "lea 0x1234(%rax,%rcx), %r8d\n"
        "add $0x3456712, %r9d\n"
        "xor %r8d, %r9d\n"
        "add $0x4567123, %ecx\n"
        "add $3, %r10d\n"
        "jmp .Lcode_blocks + ((.Lblock * 40501 + 12345) & 65535) * 64\n"
        ".set .Lblock, .Lblock + 1\n"
        ".endr\n"
        ".p2align 6, 0x90\n"
        ".Lcode_done:\n"
        "mov %r9d, %eax\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size kernel_code, . - kernel_code\n"
        ".popsection\n");

#endif

#define KIB ((size_t)1 << 10)

const struct kernel frontend_kernels[] = {
    {"branch", "branch misprediction", "an if over random data", 64 * KIB, .init = branch_init,
     .run = kernel_branch},
    {"brpred", "nothing: the same code, predicted", "the same if over periodic data", 64 * KIB,
     .init = brpred_init, .run = kernel_brpred},
    {"interp", "indirect branch misprediction", "a switch over random bytecode", 64 * KIB,
     .init = branch_init, .run = kernel_interp},
#if defined(__x86_64__)
    {"code", "frontend: code larger than its caches",
     "4 MiB of code, visited a line at a time in scattered order", .run = kernel_code},
#endif
};
const size_t frontend_kernel_count = sizeof frontend_kernels / sizeof *frontend_kernels;
