/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The screens of a large application: 4096 generated functions of some 400 bytes, 1.6 MiB of code in all, drawn in turn.
 * FEW draws the first sixteen again and again (for the proof only). */
#include "driver.h"
#include "many.h"
#ifndef FEW
#define FEW 0
#endif

static uint32_t canvas[16];

#define LINE(n, k) c[(0x##n + k) % 16] += c[(0x##n / 16 + k * 3) % 16] ^ (0x1##n##u * (k + 3));
#define SCREEN(n) \
    APART static UNUSED void screen_##n(uint32_t *c) { \
        LINE(n, 0) LINE(n, 1) LINE(n, 2) LINE(n, 3) LINE(n, 4) LINE(n, 5) LINE(n, 6) LINE(n, 7) LINE(n, 8) LINE(n, 9) \
        LINE(n, 10) LINE(n, 11) LINE(n, 12) LINE(n, 13) LINE(n, 14) LINE(n, 15) \
    }
NEAR_4096(SCREEN, )

#define CALL(n) screen_##n(c);
APART static void run(uint32_t *c) {
#if FEW
    for (int i = 0; i < 256; i++) {
        NEAR_16(CALL, 00)
    }
#else
    FAR_4096(CALL, )
#endif
}

static uint64_t step(void) {
    for (int i = 0; i < 5; i++)
        run(canvas);
    return 5 * 4096;
}

int main(int argc, char **argv) {
    int status = drive(argc, argv, step);
    return canvas[0] == 1 && canvas[1] == 2 ? 1 : status;
}
