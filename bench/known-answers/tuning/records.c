/* SPDX-License-Identifier: GPL-3.0-or-later */
/* records SIZE [packed]: adds up one number of each 64-byte record; packed: the numbers side by side. work = numbers. */
#include "../known.h"

struct record {
    uint32_t number;
    uint32_t rest[15];
};

static KNOWN_STEP uint64_t step(const struct record *records, uint64_t count)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < count; i++)
        sum += records[i].number;
    return sum;
}

static KNOWN_STEP uint64_t packed_step(const uint32_t *numbers, uint64_t count)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

int main(int argc, char **argv)
{
    struct known known = known_begin(argc, argv);
    bool packed = strcmp(known_word(&known, 1, "-"), "packed") == 0;
    uint64_t count = known_size(&known, 0, 256u << 20) / sizeof(struct record), piece = 32768, at = 0;
    void *data = known_memory(count * (packed ? sizeof(uint32_t) : sizeof(struct record)), KNOWN_HUGE_PAGES);

    while (known_goes_on(&known)) {
        KNOWN_KEEP(packed ? packed_step((uint32_t *)data + at, piece) : step((struct record *)data + at, piece));
        known_add(&known, piece);
        at = (at + piece) % count;
    }
    return known_end(&known);
}
