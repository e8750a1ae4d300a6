/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scan SIZE BLOCK: eight passes over SIZE bytes of floats, one BLOCK after the other. BLOCK = SIZE: each pass goes
 * through memory; a small BLOCK stays in a cache for its eight passes. work = elements changed. */
#include "../known.h"

enum { PASSES = 8, MOST = 1 << 18 };

static KNOWN_STEP void step(float *block, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        block[i] = block[i] * 0.5f + 1.0f;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    uint64_t count = known_size(&known, 0, 256u << 20) / 4, block = known_size(&known, 1, 256u << 20) / 4;
    float *data = known_memory(count * 4, KNOWN_HUGE_PAGES);
    uint64_t piece = block < MOST ? block : MOST, begin = 0, pass = 0, at = 0;

    while (known_goes_on(&known))
        for (uint64_t done = 0; done < MOST; done += piece) {
            step(data + begin + at, piece);
            known_add(&known, piece);
            at = (at + piece) % block;
            if (at == 0 && ++pass == PASSES) {
                pass = 0;
                begin = (begin + block) % count;
            }
        }
    return known_end(&known);
}
