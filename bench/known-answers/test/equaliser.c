/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cascade of second-order filters over a block of samples, one channel after the other or four channels at once. */
#include "driver.h"
#ifndef TOGETHER
#define TOGETHER 0
#endif

enum { CHANNELS = 4, SAMPLES = 512 };
static float sample[SAMPLES][CHANNELS];
static float state[CHANNELS][2];
static const float b0 = 0.2f, b1 = 0.3f, b2 = 0.2f, a1 = -0.5f, a2 = 0.25f;

#define FILTER(ch) \
    { \
        float in = sample[i][ch], out = b0 * in + z1[ch]; \
        z1[ch] = b1 * in - a1 * out + z2[ch]; \
        z2[ch] = b2 * in - a2 * out; \
        sample[i][ch] = out + 0.001f; \
    }

APART static void run(void) {
    float z1[CHANNELS], z2[CHANNELS];
    for (int ch = 0; ch < CHANNELS; ch++) {
        z1[ch] = state[ch][0];
        z2[ch] = state[ch][1];
    }
#if TOGETHER
    for (int i = 0; i < SAMPLES; i++) {
        FILTER(0) FILTER(1) FILTER(2) FILTER(3)
    }
#else
    for (int i = 0; i < SAMPLES; i++) FILTER(0)
    for (int i = 0; i < SAMPLES; i++) FILTER(1)
    for (int i = 0; i < SAMPLES; i++) FILTER(2)
    for (int i = 0; i < SAMPLES; i++) FILTER(3)
#endif
    for (int ch = 0; ch < CHANNELS; ch++) {
        state[ch][0] = z1[ch];
        state[ch][1] = z2[ch];
    }
}

static uint64_t step(void) {
    for (int i = 0; i < 100; i++)
        run();
    return 100 * SAMPLES * CHANNELS;
}

int main(int argc, char **argv) {
    for (int i = 0; i < SAMPLES; i++)
        for (int ch = 0; ch < CHANNELS; ch++)
            sample[i][ch] = (float)(i % 17) * 0.1f + (float)argc;
    return drive(argc, argv, step);
}
