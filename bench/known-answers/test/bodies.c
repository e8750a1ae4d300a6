/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gravitation among 64 bodies, all pairs. EASY replaces root and quotient by products (for the proof only). */
#include "driver.h"
#include <math.h>
#ifndef EASY
#define EASY 0
#endif

enum { COUNT = 64 };
static double px[COUNT], py[COUNT], pz[COUNT], vx[COUNT], vy[COUNT], vz[COUNT], mass[COUNT];

APART static void pull(double dt) {
    for (int i = 0; i < COUNT; i++) {
        double ax = 0, ay = 0, az = 0;
        for (int j = 0; j < COUNT; j++) {
            double dx = px[j] - px[i], dy = py[j] - py[i], dz = pz[j] - pz[i];
            double square = dx * dx + dy * dy + dz * dz + 0.01;
#if EASY
            double pull = mass[j] * square * square;
#else
            double pull = mass[j] / (square * sqrt(square));
#endif
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        vx[i] += ax * dt;
        vy[i] += ay * dt;
        vz[i] += az * dt;
    }
}

APART static void move(double dt) {
    for (int i = 0; i < COUNT; i++) {
        px[i] += vx[i] * dt;
        py[i] += vy[i] * dt;
        pz[i] += vz[i] * dt;
    }
}

static uint64_t step(void) {
    for (int i = 0; i < 20; i++) {
        pull(1e-9);
        move(1e-9);
    }
    return 20 * COUNT * COUNT;
}

int main(int argc, char **argv) {
    uint64_t seed = 11;
    for (int i = 0; i < COUNT; i++) {
        px[i] = (double)(random_next(&seed) >> 40) * 1e-7;
        py[i] = (double)(random_next(&seed) >> 40) * 1e-7;
        pz[i] = (double)(random_next(&seed) >> 40) * 1e-7;
        mass[i] = 1 + i % 3;
    }
    return drive(argc, argv, step);
}
