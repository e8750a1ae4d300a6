/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies a large buffer with the library's memcpy. Arguments: bytes. */
#include "driver.h"

static char *from, *to;
static uint64_t bytes;

static uint64_t step(void) {
    uint64_t rounds = bytes < 1000000 ? 4000000 / bytes : 1;
    for (uint64_t r = 0; r < rounds; r++) {
        memcpy(to, from, bytes);
        OPAQUE(to);
    }
    return rounds * bytes / 64;
}

int main(int argc, char **argv) {
    bytes = argument(argc, argv, 2, 64u << 20);
    from = memory_take(bytes, false);
    to = memory_take(bytes, false);
    return drive(argc, argv, step);
}
