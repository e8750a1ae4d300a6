/* SPDX-License-Identifier: GPL-3.0-or-later */
/* total [lanes]: adds up 16 KiB of doubles, each sum waiting for the one before; lanes: in 32 sums side by side.
 * work = additions. */
#include "../known.h"

enum { COUNT = 2048, LANES = 32, REPEAT = 32 };

static KNOWN_STEP double step(const double *data)
{
    double sum = 0;

    KNOWN_AS_WRITTEN
    for (int i = 0; i < COUNT; i++)
        sum += data[i];
    return sum;
}

/* A vector type, as wide as the flags allow; the compiler keeps the lanes in registers. */
typedef double lanes __attribute__((vector_size(32)));

static KNOWN_STEP double lanes_step(const double *data)
{
    const lanes *vector = (const lanes *)data;
    lanes sum[LANES / 4] = { 0 };

    for (int i = 0; i < COUNT / 4; i += LANES / 4) {
        sum[0] += vector[i];
        sum[1] += vector[i + 1];
        sum[2] += vector[i + 2];
        sum[3] += vector[i + 3];
        sum[4] += vector[i + 4];
        sum[5] += vector[i + 5];
        sum[6] += vector[i + 6];
        sum[7] += vector[i + 7];
    }
    sum[0] += sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
    return sum[0][0] + sum[0][1] + sum[0][2] + sum[0][3];
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    bool lanes = strcmp(known_word(&known, 0, "-"), "lanes") == 0;
    double *data = known_memory(COUNT * 8, KNOWN_SMALL_PAGES);

    for (int i = 0; i < COUNT; i++)
        data[i] = i;
    while (known_goes_on(&known)) {
        for (int i = 0; i < REPEAT; i++) {
            double sum = lanes ? lanes_step(data) : step(data);

            KNOWN_KEEP(&sum);
        }
        known_add(&known, COUNT * REPEAT);
    }
    return known_end(&known);
}
