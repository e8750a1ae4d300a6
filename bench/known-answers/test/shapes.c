/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Areas of shapes of eight kinds, each through its own method. SORTED: all shapes of a kind lie together. */
#include "driver.h"
#ifndef SORTED
#define SORTED 0
#endif

struct shape;
struct methods { uint32_t (*area)(const struct shape *); const char *name; };
struct shape { const struct methods *methods; uint32_t a, b; };

enum { COUNT = 8192 };
static struct shape shape[COUNT];
static uint64_t total;

#define KIND(n, expression) \
    static uint32_t area_##n(const struct shape *s) { return expression; }
KIND(0, s->a * s->b)
KIND(1, s->a * s->a)
KIND(2, s->a * s->b / 2)
KIND(3, 3 * s->a * s->a)
KIND(4, 3 * s->a * s->b)
KIND(5, (s->a + s->b) / 2)
KIND(6, s->a + 4)
KIND(7, s->b * 7)
static const struct methods methods[8] = {{area_0, "box"}, {area_1, "square"}, {area_2, "wedge"}, {area_3, "disc"},
                                          {area_4, "oval"}, {area_5, "mean"}, {area_6, "pad"}, {area_7, "strip"}};

APART static uint64_t run(const struct shape *s, int count) {
    uint64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += s[i].methods->area(&s[i]);
    return sum;
}

static uint64_t step(void) {
    for (int i = 0; i < 10; i++)
        total += run(shape, COUNT);
    return 10 * COUNT;
}

int main(int argc, char **argv) {
    uint64_t seed = 61;
    for (int i = 0; i < COUNT; i++) {
        uint64_t r = random_next(&seed);
        shape[i] = (struct shape){&methods[SORTED ? (unsigned)i / (COUNT / 8) : r % 8], (uint32_t)(r >> 10) % 100, (uint32_t)(r >> 30) % 100};
    }
    int status = drive(argc, argv, step);
    return total == 1 ? 1 : status;
}
