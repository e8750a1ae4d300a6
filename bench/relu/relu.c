/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ReLU over 1024 x 1024 floats, in the ways whose speed is to be told apart:
 *
 *     relu HOW WIDTH ROUNDS
 *
 * HOW: out (out of place: reads one array, writes the other, two trips to memory), in-place-then-copy (three: the array is
 * read and written, then read once more to write the other). WIDTH: avx2, avx512 (the same loop, compiled), jit-avx2,
 * jit-avx512 (the same loop, emitted into anonymous pages), jit-map-avx2, jit-map-avx512 (with a line in
 * /tmp/perf-PID.map). Prints a sum over the result. Status 77: this CPU lacks the instructions.
 */
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    COUNT = 1024 * 1024,
    UNROLLED = 4,
    NOT_HERE = 77
};

typedef void relu_loop(const float *from, float *to, size_t count);

__attribute__((target("avx2"), noinline)) static void relu_avx2(const float *from, float *to, size_t count)
{
    const __m256 zero = _mm256_setzero_ps();
    for (size_t at = 0; at < count; at += 8 * UNROLLED)
#pragma GCC unroll 4
        for (size_t part = 0; part < UNROLLED; part++)
            _mm256_storeu_ps(to + at + 8 * part, _mm256_max_ps(zero, _mm256_loadu_ps(from + at + 8 * part)));
}

__attribute__((target("avx512f"), noinline)) static void relu_avx512(const float *from, float *to, size_t count)
{
    const __m512 zero = _mm512_setzero_ps();
    for (size_t at = 0; at < count; at += 16 * UNROLLED)
#pragma GCC unroll 4
        for (size_t part = 0; part < UNROLLED; part++)
            _mm512_storeu_ps(to + at + 16 * part, _mm512_max_ps(zero, _mm512_loadu_ps(from + at + 16 * part)));
}

/* The same loop as bytes: max of zero and what rdi points to, stored where rsi points. */

struct emitter {
    uint8_t *at;
};

static void emit(struct emitter *emitter, const uint8_t *bytes, size_t count)
{
    memcpy(emitter->at, bytes, count);
    emitter->at += count;
}

#define EMIT(emitter, ...)                                                                                            \
    do {                                                                                                              \
        const uint8_t bytes_[] = {__VA_ARGS__};                                                                       \
        emit(emitter, bytes_, sizeof(bytes_));                                                                        \
    } while (0)

static void emit_body(struct emitter *emitter, int is_wide)
{
    for (uint8_t part = 0; part < UNROLLED; part++) {
        if (is_wide) {
            EMIT(emitter, 0x62, 0xf1, 0x74, 0x48, 0x5f, 0x47, part); /* vmaxps 64*part(%rdi),%zmm1,%zmm0 */
            EMIT(emitter, 0x62, 0xf1, 0x7c, 0x48, 0x11, 0x46, part); /* vmovups %zmm0,64*part(%rsi) */
        } else {
            EMIT(emitter, 0xc5, 0xf4, 0x5f, 0x47, (uint8_t)(32 * part)); /* vmaxps 32*part(%rdi),%ymm1,%ymm0 */
            EMIT(emitter, 0xc5, 0xfc, 0x11, 0x46, (uint8_t)(32 * part)); /* vmovups %ymm0,32*part(%rsi) */
        }
    }
}

static relu_loop *relu_emitted(int is_wide, int with_map)
{
    uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        exit(1);
    struct emitter emitter = {page};
    EMIT(&emitter, 0xc5, 0xf4, 0x57, 0xc9); /* vxorps %ymm1,%ymm1,%ymm1: all 512 bits */
    uint8_t *loop = emitter.at, step = is_wide ? 64 : 32;
    emit_body(&emitter, is_wide);
    EMIT(&emitter, 0x48, 0x81, 0xc7, (uint8_t)(step * UNROLLED), (uint8_t)(step * UNROLLED >> 8), 0, 0); /* add $,%rdi */
    EMIT(&emitter, 0x48, 0x81, 0xc6, (uint8_t)(step * UNROLLED), (uint8_t)(step * UNROLLED >> 8), 0, 0); /* add $,%rsi */
    EMIT(&emitter, 0x48, 0x83, 0xea, (uint8_t)(step / 4 * UNROLLED));                                    /* sub $,%rdx */
    EMIT(&emitter, 0x75, (uint8_t)(loop - (emitter.at + 2)));                                            /* jne loop */
    EMIT(&emitter, 0xc5, 0xf8, 0x77, 0xc3);                                                              /* vzeroupper; ret */
    if (mprotect(page, 4096, PROT_READ | PROT_EXEC) != 0)
        exit(1);
    if (with_map) {
        char path[64];
        snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
        FILE *map = fopen(path, "w");
        if (!map)
            exit(1);
        fprintf(map, "%lx %lx relu_emitted\n", (unsigned long)(uintptr_t)page, (unsigned long)(emitter.at - page));
        fclose(map);
    }
    return (relu_loop *)(uintptr_t)page;
}

static relu_loop *loop_named(const char *width)
{
    int is_wide = strstr(width, "avx512") != NULL;
    if (!(is_wide ? __builtin_cpu_supports("avx512f") : __builtin_cpu_supports("avx2"))) {
        fprintf(stderr, "relu: this CPU lacks %s\n", is_wide ? "AVX-512" : "AVX2");
        exit(NOT_HERE);
    }
    if (strncmp(width, "jit-", 4) == 0)
        return relu_emitted(is_wide, strncmp(width, "jit-map-", 8) == 0);
    return is_wide ? relu_avx512 : relu_avx2;
}

static float *array_new(void)
{
    float *items = aligned_alloc(4096, COUNT * sizeof(*items));
    if (!items)
        exit(1);
    for (size_t at = 0; at < COUNT; at++)
        items[at] = (float)(at % 7) - 3;
    return items;
}

__attribute__((noinline)) static void relu_out(relu_loop *loop, const float *a, float *out)
{
    loop(a, out, COUNT);
}

__attribute__((noinline)) static void relu_in_place_then_copy(relu_loop *loop, float *a, float *out)
{
    loop(a, a, COUNT);
    memcpy(out, a, COUNT * sizeof(*a));
}

int main(int count, char **words)
{
    if (count != 4) {
        fprintf(stderr, "relu out|in-place-then-copy [jit-|jit-map-]avx2|avx512 ROUNDS\n");
        return 2;
    }
    relu_loop *loop = loop_named(words[2]);
    float *a = array_new(), *out = array_new();
    int in_place = strcmp(words[1], "in-place-then-copy") == 0;
    for (long round = strtol(words[3], NULL, 10); round > 0; round--) {
        if (in_place)
            relu_in_place_then_copy(loop, a, out);
        else
            relu_out(loop, a, out);
    }
    double sum = 0;
    for (size_t at = 0; at < COUNT; at++)
        sum += out[at];
    printf("%g\n", sum);
    return 0;
}
