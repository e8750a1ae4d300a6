// SPDX-License-Identifier: GPL-3.0-or-later
/* Kernels that wait for the core itself: a slow operation, a chain of results, or vector units. */
#include "kernels.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static void seed_init(struct kernel_run *run)
{
    run->state = 0x123456789abcdefu;
}

KERNEL static uint64_t kernel_div(struct kernel_run *run, uint64_t iterations)
{
    uint64_t x = run->state;

    for (uint64_t i = 0; i < iterations; i++)
        x = 0xfedcba9876543211u / (x | (uint64_t)1 << 40); // both over 32 bits: no short way round
    return run->state = x;
}

KERNEL uint64_t kernel_dep(struct kernel_run *run, uint64_t iterations)
{
    uint64_t x = run->state;

    for (uint64_t i = 0; i < iterations; i++) {
        x *= 0x9e3779b97f4a7c15u;
        KEEP(x);
        x *= 0xd6e8feb86659fd93u;
        KEEP(x);
    }
    return run->state = x;
}

KERNEL static uint64_t kernel_sqrt(struct kernel_run *run, uint64_t iterations)
{
    double x = 2 + (double)(run->state & 1);

    for (uint64_t i = 0; i < iterations; i++)
        x = __builtin_sqrt(x) + 1;
    return (uint64_t)x;
}

/* ---- crc32: a chain through a small table ---- */

static void crc32_init(struct kernel_run *run)
{
    buffer_init(&run->memory[0], 256 * sizeof(uint32_t) + run->size_bytes, run->pages);
    uint32_t *table = run->memory[0].data;
    unsigned char *data = (unsigned char *)(table + 256);

    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
        table[i] = c;
    }
    for (size_t i = 0; i < run->size_bytes; i++)
        data[i] = (unsigned char)scrambled(i);
}

KERNEL static uint64_t kernel_crc32(struct kernel_run *run, uint64_t iterations)
{
    const uint32_t *table = run->memory[0].data;
    const unsigned char *data = (const unsigned char *)(table + 256);
    uint32_t crc = (uint32_t)run->state;
    size_t at = run->position;

    for (uint64_t i = 0; i < iterations; i++) {
        crc = table[(crc ^ data[at]) & 255] ^ crc >> 8;
        at = at + 1 == run->size_bytes ? 0 : at + 1;
    }
    run->position = at;
    return run->state = crc;
}

/* ---- denormal: numbers so small that the multiplier asks microcode for help ---- */

static void denormal_init(struct kernel_run *run)
{
    run->size_bytes &= ~(size_t)63;
    buffer_init(&run->memory[0], run->size_bytes, run->pages);
    float *values = run->memory[0].data;
    for (size_t i = 0; i < run->size_bytes / sizeof *values; i++)
        values[i] = 1e-41f * (float)(1 + i % 7);
}

KERNEL static uint64_t kernel_denormal(struct kernel_run *run, uint64_t iterations)
{
    const float *values = run->memory[0].data;
    size_t count = run->size_bytes / sizeof *values, at = run->position;
    float sum = 0, factor = 0.75f;

    for (uint64_t i = 0; i < iterations; i++) {
        sum += values[at] * factor;
        at = at + 1 == count ? 0 : at + 1;
    }
    run->position = at;
    return sum > 0;
}

#if defined(__x86_64__)

#define TARGET_AVX2   __attribute__((target("avx2,fma")))
#define TARGET_AVX512 __attribute__((target("avx512f")))

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f");
}

/* Ten independent chains: enough to fill two units of four or five cycles' latency. */
KERNEL TARGET_AVX2 static uint64_t kernel_fma(struct kernel_run *run, uint64_t iterations)
{
    __m256 a = _mm256_set1_ps(0.999f), b = _mm256_set1_ps(0.001f), s[10];
    float out[8];

    for (int j = 0; j < 10; j++)
        s[j] = _mm256_set1_ps((float)(j + run->thread));
    for (uint64_t i = 0; i < iterations; i++) {
        s[0] = _mm256_fmadd_ps(s[0], a, b);
        s[1] = _mm256_fmadd_ps(s[1], a, b);
        s[2] = _mm256_fmadd_ps(s[2], a, b);
        s[3] = _mm256_fmadd_ps(s[3], a, b);
        s[4] = _mm256_fmadd_ps(s[4], a, b);
        s[5] = _mm256_fmadd_ps(s[5], a, b);
        s[6] = _mm256_fmadd_ps(s[6], a, b);
        s[7] = _mm256_fmadd_ps(s[7], a, b);
        s[8] = _mm256_fmadd_ps(s[8], a, b);
        s[9] = _mm256_fmadd_ps(s[9], a, b);
    }
    for (int j = 1; j < 10; j++)
        s[0] = _mm256_add_ps(s[0], s[j]);
    _mm256_storeu_ps(out, s[0]);
    return (uint64_t)out[0];
}

/* ---- ReLU of one array into another, by three widths; an iteration is 16 elements ---- */

static void relu_init(struct kernel_run *run)
{
    run->size_bytes &= ~(size_t)63;
    for (int i = 0; i < 2; i++) {
        buffer_init(&run->memory[i], run->size_bytes, run->pages);
        memset(run->memory[i].data, 0, run->size_bytes);
    }
    float *values = run->memory[0].data;
    for (size_t i = 0; i < run->size_bytes / sizeof *values; i++)
        values[i] = (float)(int)(scrambled(i) & 1023) - 512;
}

struct relu {
    const float *src;
    float *dst;
    size_t count, at;
};

static inline struct relu relu_resume(const struct kernel_run *run)
{
    return (struct relu){.src = run->memory[0].data,
                         .dst = run->memory[1].data,
                         .count = run->size_bytes / sizeof(float),
                         .at = run->position};
}

static inline size_t relu_next(const struct relu *r)
{
    return r->at + 16 == r->count ? 0 : r->at + 16;
}

KERNEL TARGET_AVX512 static uint64_t kernel_avx512(struct kernel_run *run, uint64_t iterations)
{
    struct relu r = relu_resume(run);

    for (uint64_t i = 0; i < iterations; i++) {
        _mm512_storeu_ps(r.dst + r.at, _mm512_max_ps(_mm512_loadu_ps(r.src + r.at), _mm512_setzero_ps()));
        r.at = relu_next(&r);
    }
    return run->position = r.at;
}

KERNEL TARGET_AVX2 static uint64_t kernel_avx2(struct kernel_run *run, uint64_t iterations)
{
    struct relu r = relu_resume(run);

    for (uint64_t i = 0; i < iterations; i++) {
        for (size_t j = r.at; j < r.at + 16; j += 8)
            _mm256_storeu_ps(r.dst + j, _mm256_max_ps(_mm256_loadu_ps(r.src + j), _mm256_setzero_ps()));
        r.at = relu_next(&r);
    }
    return run->position = r.at;
}

KERNEL static uint64_t kernel_scalar(struct kernel_run *run, uint64_t iterations)
{
    struct relu r = relu_resume(run);

    for (uint64_t i = 0; i < iterations; i++) {
        for (size_t j = r.at; j < r.at + 16; j++)
            _mm_store_ss(r.dst + j, _mm_max_ss(_mm_load_ss(r.src + j), _mm_setzero_ps()));
        r.at = relu_next(&r);
    }
    return run->position = r.at;
}

/*
 * Scalar steps for some 150 us, then as many multiply-adds as fill one or two us of 512-bit vectors: too short to be seen in a
 * profile, and the clock that they lower stays low for most of a millisecond.
 */
#define BURST_STEPS 100000
#define BURST_NUMBERS (400 * 8 * 16)

static uint64_t burst_scalar(uint64_t x)
{
    for (uint64_t i = 0; i < BURST_STEPS; i++) {
        x = x * 3 + i;
        x ^= x >> 7;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

#define BURST_VECTORS(bits, target)                                                                                   \
    typedef float numbers_##bits __attribute__((vector_size((bits) / 8)));                                            \
    __attribute__((noinline)) target static float burst_vectors_##bits(void)                                         \
    {                                                                                                                 \
        numbers_##bits s[8], a = {0};                                                                                 \
        a += 0.5f;                                                                                                    \
        for (int j = 0; j < 8; j++)                                                                                   \
            s[j] = a;                                                                                                 \
        for (int i = 0; i < BURST_NUMBERS / 8 / ((bits) / 32); i++)                                                   \
            for (int j = 0; j < 8; j++) {                                                                             \
                s[j] = s[j] * a + a;                                                                                  \
                __asm__ volatile("" : "+v"(s[j]));                                                                    \
            }                                                                                                         \
        return s[0][0] + s[1][0] + s[2][0] + s[3][0] + s[4][0] + s[5][0] + s[6][0] + s[7][0];                         \
    }
BURST_VECTORS(512, TARGET_AVX512)
BURST_VECTORS(128, TARGET_AVX2)

KERNEL static uint64_t kernel_bursts512(struct kernel_run *run, uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++)
        run->position = burst_scalar(run->position) + (burst_vectors_512() > 0);
    return run->position;
}

KERNEL static uint64_t kernel_bursts128(struct kernel_run *run, uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++)
        run->position = burst_scalar(run->position) + (burst_vectors_128() > 0);
    return run->position;
}

#endif

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

const struct kernel core_kernels[] = {
    {"div", "core: divider latency", "64-bit divisions, each of the last one's result", .init = seed_init,
     .run = kernel_div},
    {"dep", "core: dependent multiplications", "a chain of imul", .init = seed_init, .run = kernel_dep},
    {"sqrt", "core: square root latency", "x = sqrt(x) + 1", .init = seed_init, .run = kernel_sqrt},
    {"crc32", "core: L1 latency in a chain", "CRC-32 a byte at a time through a 1 KiB table", 16 * KIB,
     .init = crc32_init, .run = kernel_crc32},
    {"denormal", "core: floating-point assists", "products of subnormal numbers", 4 * KIB,
     .init = denormal_init, .run = kernel_denormal},
#if defined(__x86_64__)
    {"fma", "core: FMA units", "ten independent chains of 256-bit FMA", .supported = has_avx2,
     .init = seed_init, .run = kernel_fma},
    {"avx512", "bandwidth beyond L2; the clock may fall with 512-bit vectors",
     "ReLU of 1024x1024 f32, 512-bit", 4 * MIB, .supported = has_avx512, .init = relu_init,
     .run = kernel_avx512},
    {"avx2", "bandwidth beyond L2", "the same, 256-bit", 4 * MIB, .supported = has_avx2, .init = relu_init,
     .run = kernel_avx2},
    {"bursts512", "the clock, lowered by 512-bit vectors", "scalar work and short bursts of 512-bit FMA",
     .supported = has_avx512, .init = seed_init, .run = kernel_bursts512},
    {"bursts128", "core: dependent multiplications", "the same, with 128-bit FMA", .supported = has_avx2,
     .init = seed_init, .run = kernel_bursts128},
    {"scalar", "core: one element at a time", "the same, scalar", 4 * MIB, .init = relu_init,
     .run = kernel_scalar},
#endif
};
const size_t core_kernel_count = sizeof core_kernels / sizeof *core_kernels;
