/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/calibration/core_kernel.h"
#include "base/clock.h"

#include <stdint.h>

enum {
    FREE_ROUNDS = 9000,    /* of 256 */
    FMA_ROUNDS = 60000,    /* of 10 */
    CHAIN_ROUNDS = 15000,  /* of 10 */
    BRANCH_ROUNDS = 40000, /* as many branches */
    CPUID_ROUNDS = 40
};

static struct measured per_ns(double count, double elapsed_ns)
{
    return elapsed_ns > 0 ? measured_as(count / elapsed_ns) : not_measured("the CPU clock did not advance");
}

#define TIMES_4(line) line line line line
#define TIMES_64(line) TIMES_4(TIMES_4(TIMES_4(line)))

/*
 * Instructions that take a slot each and nothing else. On x86 a register set to zero by itself, known when it is
 * renamed, four in turns: of nops, Zen 4 issues two in a slot (measured: 12 a cycle of its 6). Zen 5 doesn't, but
 * zeroes fewer registers than it has slots (measured: 8.0 of its 8 by nops, 6.1 to 6.8 by zeroing).
 */
#define NOP_4 "nop\n\tnop\n\tnop\n\tnop\n\t"
#if defined(__x86_64__)
#define FREE_4 "xorl %%eax,%%eax\n\txorl %%ecx,%%ecx\n\txorl %%edx,%%edx\n\txorl %%esi,%%esi\n\t"
#define FREE_CLOBBERS "eax", "ecx", "edx", "esi", "cc"
#else
#define FREE_4 NOP_4
#define FREE_CLOBBERS "cc"
#endif

struct measured issue_rate(bool with_nops)
{
    double start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int round = 0; with_nops && round < FREE_ROUNDS; round++)
        __asm__ volatile(TIMES_64(NOP_4));
    for (int round = 0; !with_nops && round < FREE_ROUNDS; round++)
        __asm__ volatile(TIMES_64(FREE_4) ::: FREE_CLOBBERS);
    return per_ns(FREE_ROUNDS * 256.0, clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns);
}

/*
 * Vectors of the compiler's own, so that one text serves every width and architecture; the barrier keeps each sum in
 * its register and in the loop.
 */
#if defined(__x86_64__)
#define IN_REGISTER "+v"
#define TARGET_128 __attribute__((noinline, target("avx2,fma")))
#define TARGET_256 __attribute__((noinline, target("avx2,fma")))
#define TARGET_512 __attribute__((noinline, target("avx512f")))
#elif defined(__aarch64__)
#define IN_REGISTER "+w"
#define TARGET_128 __attribute__((noinline))
#endif

#define KEEP(sum) __asm__ volatile("" : IN_REGISTER(sum))
#define STEP(sum) sum = sum * factor + addend; KEEP(sum)
#define TEN(step) step(a); step(b); step(c); step(d); step(e); step(f); step(g); step(h); step(i); step(j)

#define FMA_KERNELS(bits, target)                                                                                     \
    typedef float vector_##bits __attribute__((vector_size((bits) / 8)));                                             \
    target static void fma_run_##bits(int rounds)                                                                     \
    {                                                                                                                 \
        vector_##bits factor = {0}, addend = {0};                                                                     \
        factor += 0.5f;                                                                                               \
        addend += 1.0f;                                                                                               \
        vector_##bits a = addend, b = a, c = a, d = a, e = a, f = a, g = a, h = a, i = a, j = a;                      \
        for (int round = 0; round < rounds; round++) {                                                                \
            TEN(STEP);                                                                                                \
        }                                                                                                             \
    }

#ifdef TARGET_128
FMA_KERNELS(128, TARGET_128)

TARGET_128 static void fma_chain(int rounds)
{
    vector_128 factor = {0}, addend = {0};
    factor += 0.5f;
    addend += 1.0f;
    vector_128 a = addend;
    for (int round = 0; round < rounds; round++) {
        STEP(a); STEP(a); STEP(a); STEP(a); STEP(a); STEP(a); STEP(a); STEP(a); STEP(a); STEP(a);
    }
}
#endif
#ifdef TARGET_256
FMA_KERNELS(256, TARGET_256)
#endif
#ifdef TARGET_512
FMA_KERNELS(512, TARGET_512)
#endif

#ifdef TARGET_512
typedef int32_t integers_512 __attribute__((vector_size(64)));

TARGET_512 static void integers_run_512(int rounds)
{
    integers_512 addend = {0};
    addend += 3;
    integers_512 a = addend, b = a, c = a, d = a;
#define ADD(sum) sum += addend; KEEP(sum)
    for (int round = 0; round < rounds; round++) {
        ADD(a); ADD(b); ADD(c); ADD(d);
    }
#undef ADD
}
#endif

static const char *fma_missing(unsigned bits)
{
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return "this CPU has no fused multiply-add";
    return bits == 512 && !__builtin_cpu_supports("avx512f") ? "this CPU has no AVX-512" : NULL;
#elif defined(__aarch64__)
    return bits > 128 ? "wider vectors than 128 bits are not tried on this architecture" : NULL;
#else
    (void)bits;
    return "no kernel for this architecture";
#endif
}

static void fma_run(unsigned bits, int rounds)
{
    switch (bits) {
#ifdef TARGET_512
    case 512:
        fma_run_512(rounds);
        break;
#endif
#ifdef TARGET_256
    case 256:
        fma_run_256(rounds);
        break;
#endif
#ifdef TARGET_128
    case 128:
        fma_run_128(rounds);
        break;
#endif
    default:
        break;
    }
}

struct measured fma_rate(unsigned bits)
{
    const char *missing = fma_missing(bits);
    if (missing)
        return not_measured(missing);
    fma_run(bits, FMA_ROUNDS / 20); /* wide units take some microseconds to wake up */
    double start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    fma_run(bits, FMA_ROUNDS);
    return per_ns(FMA_ROUNDS * 10.0, clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns);
}

const char *wide_work(unsigned bits, bool heavy, double duration_ns)
{
    enum {
        ROUNDS = 2000
    };
    const char *missing = fma_missing(bits);
    if (missing)
        return missing;
    if (!heavy && bits != 512)
        return "additions of integers are tried at 512 bits only";
    for (double start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
         clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns < duration_ns;)
        if (heavy)
            fma_run(bits, ROUNDS);
#ifdef TARGET_512
        else
            integers_run_512(ROUNDS);
#endif
    return NULL;
}

struct measured fma_latency_ns(void)
{
    const char *missing = fma_missing(128);
    if (missing)
        return not_measured(missing);
    double start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
#ifdef TARGET_128
    fma_chain(CHAIN_ROUNDS);
#endif
    return measured_as((clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns) / (CHAIN_ROUNDS * 10.0));
}

/*
 * Nanoseconds of one round; mask 1: the branch follows random bits, 0: it always goes one way. The bits are new each
 * time: a core keeps so much history that it learns 40 000 of them when they come again (measured on Zen 4: half the
 * misses are gone).
 */
__attribute__((noinline)) static double branch_round_ns(uint64_t mask)
{
    uint64_t random = 88172645463325252u + (uint64_t)clock_ns(CLOCK_MONOTONIC), sum = 0;
    double start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int round = 0; round < BRANCH_ROUNDS; round++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        if (random >> 40 & mask) {
            sum += 3;
            __asm__ volatile("" : "+r"(sum)); /* on either way, so that no conditional move can do it */
        } else {
            __asm__ volatile("" : "+r"(sum));
            sum -= 5;
        }
    }
    __asm__ volatile("" : : "r"(sum));
    return (clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns) / BRANCH_ROUNDS;
}

struct measured branch_miss_ns(void)
{
    double steady = branch_round_ns(0), random = branch_round_ns(1);
    double per_miss = 2 * (random - steady); /* every other guess is wrong */
    return per_miss > 0 ? measured_as(per_miss) : not_measured("random branches took no longer than steady ones");
}

struct measured cpuid_ns(void)
{
#if defined(__x86_64__)
    double start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int round = 0; round < CPUID_ROUNDS; round++) {
        /* <cpuid.h>'s isn't volatile: a compiler may take it out of the loop */
        unsigned a = 0, b, c = 0, d;
        __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    }
    return measured_as((clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns) / CPUID_ROUNDS);
#else
    return not_measured("no instruction is known here that always leaves to the hypervisor");
#endif
}
