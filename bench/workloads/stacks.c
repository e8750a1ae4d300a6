/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program with many different deep stacks, for recordings that are then read: it evaluates a random expression tree of
 * twelve operators, each a function that calls those of its operands.
 *
 *     stacks SECONDS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    DEPTH_MOST = 15
};

struct expression {
    unsigned operation;
    const struct expression *left, *right; /* NULL: a number */
    uint64_t number;
};

#define OPERATIONS(X)                                                                                             \
    X(add, a + b)                                                                                                 \
    X(subtract, a - b)                                                                                            \
    X(multiply, a *b)                                                                                             \
    X(smaller, a < b ? a : b)                                                                                     \
    X(larger, a > b ? a : b)                                                                                      \
    X(both, a &b)                                                                                                 \
    X(either, a | b)                                                                                              \
    X(differ, a ^ b)                                                                                              \
    X(shift, a << (b & 7))                                                                                        \
    X(mean, (a >> 1) + (b >> 1))                                                                                  \
    X(remainder, a % (b | 1))                                                                                     \
    X(mix, (a ^ (b >> 7)) * 31)

#define DECLARE(name, value) static uint64_t evaluate_##name(const struct expression *expression);
OPERATIONS(DECLARE)

#define ENTRY(name, value) evaluate_##name,
static uint64_t (*const operations[])(const struct expression *) = {OPERATIONS(ENTRY)};

enum {
    OPERATION_COUNT = sizeof(operations) / sizeof(operations[0])
};

static inline uint64_t evaluate(const struct expression *expression)
{
    return expression->left ? operations[expression->operation](expression) : expression->number;
}

#define DEFINE(name, value)                                                                                       \
    static __attribute__((noinline)) uint64_t evaluate_##name(const struct expression *expression)               \
    {                                                                                                             \
        uint64_t a = evaluate(expression->left), b = evaluate(expression->right);                                \
        return value;                                                                                             \
    }
OPERATIONS(DEFINE)

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static const struct expression *expression_make(unsigned depth, uint64_t *state)
{
    struct expression *expression = calloc(1, sizeof(*expression));
    if (!expression)
        exit(1);
    expression->number = next_random(state);
    if (!depth || next_random(state) % 16 == 0)
        return expression;
    expression->operation = (unsigned)(next_random(state) % OPERATION_COUNT);
    expression->left = expression_make(depth - 1, state);
    expression->right = expression_make(depth - 1, state);
    return expression;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
    uint64_t state = 88172645463325252u, result = 0;
    const struct expression *expression = expression_make(DEPTH_MOST, &state);
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        result += evaluate(expression);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) < seconds);
    printf("%llu\n", (unsigned long long)result);
    return 0;
}
