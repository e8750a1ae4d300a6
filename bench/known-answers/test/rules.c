/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A generated rule set: 4096 small functions, each weighing a request's fields with numbers of its own, called one
 * after the other. FEW calls the first sixteen of them again and again (for the proof only). */
#include "driver.h"
#include "many.h"
#ifndef FEW
#define FEW 0
#endif

static uint32_t field[8] = {1, 2, 3, 4, 5, 6, 7, 8}, score[4];

#define RULE(n) \
    APART static UNUSED void rule_##n(uint32_t *f, uint32_t *s) { \
        uint32_t k = 0x1##n##u; \
        s[k % 4] += (f[k % 8] ^ 0x5a##n##u) + (f[k / 8 % 8] & 0x33##n##u); \
        f[k % 8] += 0x7##n##u; \
        s[(k + 1) % 4] ^= f[(k + 3) % 8] + 0x2##n##u; \
    }
NEAR_4096(RULE, )

#define CALL(n) rule_##n(f, s);
APART static void run(uint32_t *f, uint32_t *s) {
#if FEW
    for (int i = 0; i < 256; i++) {
        NEAR_16(CALL, 00)
    }
#else
    FAR_4096(CALL, )
#endif
}

static uint64_t step(void) {
    for (int i = 0; i < 20; i++)
        run(field, score);
    return 20 * 4096;
}

int main(int argc, char **argv) {
    int status = drive(argc, argv, step);
    return score[0] == 1 && score[1] == 2 ? 1 : status;
}
