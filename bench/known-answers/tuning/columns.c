/* SPDX-License-Identifier: GPL-3.0-or-later */
/* columns [BLOCK]: turns a matrix of 4096 x 4096 doubles over, block by block of BLOCK x BLOCK (4096: line by line, so
 * that each store goes to another page). work = elements. */
#include "../known.h"

enum { N = 4096 };

static KNOWN_STEP void step(double *to, const double *from, uint64_t row, uint64_t column, uint64_t rows, uint64_t columns)
{
    for (uint64_t i = row; i < row + rows; i++)
        for (uint64_t j = column; j < column + columns; j++)
            to[j * N + i] = from[i * N + j];
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    uint64_t block = known_size(&known, 0, N), rows = block < N ? block : 1, row = 0, column = 0;
    double *to = known_memory((size_t)N * N * 8, KNOWN_SMALL_PAGES), *from = known_memory((size_t)N * N * 8, KNOWN_SMALL_PAGES);

    while (known_goes_on(&known)) {
        step(to, from, row, column, rows, block);
        known_add(&known, rows * block);
        column = (column + block) % N;
        row = column ? row : (row + rows) % N;
    }
    KNOWN_KEEP(to);
    return known_end(&known);
}
