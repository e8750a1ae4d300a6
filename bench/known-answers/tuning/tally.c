/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tally [four]: counts how often each byte comes up in text that is nearly all one byte: each count waits for the
 * store of the one before. four: in four tables, by turns. work = bytes. */
#include "../known.h"

enum { COUNT = 16384, REPEAT = 4 };

static KNOWN_STEP void step(uint32_t *table, const unsigned char *data)
{
    KNOWN_AS_WRITTEN
    for (int i = 0; i < COUNT; i++)
        table[data[i]]++;
}

static KNOWN_STEP void four_step(uint32_t *table, const unsigned char *data)
{
    KNOWN_AS_WRITTEN
    for (int i = 0; i < COUNT; i += 4) {
        table[data[i]]++;
        table[256 + data[i + 1]]++;
        table[512 + data[i + 2]]++;
        table[768 + data[i + 3]]++;
    }
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    bool four = strcmp(known_word(&known, 0, "-"), "four") == 0;
    uint32_t *table = known_memory(4096, KNOWN_SMALL_PAGES);
    unsigned char *data = known_memory(COUNT, KNOWN_SMALL_PAGES);

    memset(data, ' ', COUNT);
    for (int i = 0; i < COUNT; i += 512)
        data[i] = '\n';
    while (known_goes_on(&known)) {
        for (int i = 0; i < REPEAT; i++)
            four ? four_step(table, data) : step(table, data);
        known_add(&known, COUNT * REPEAT);
    }
    KNOWN_KEEP(table);
    return known_end(&known);
}
