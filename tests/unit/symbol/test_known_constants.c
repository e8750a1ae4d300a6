/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Known constants: values that follow from their definitions are in the table; others' data isn't. */
#include "test.h"

#include "symbol/known_constants.h"

#include <string.h>

static const char *table_of(const void *bytes, size_t size_bytes)
{
    struct edge edge = edge_copy(bytes, size_bytes);
    const char *words = known_table(edge.bytes, edge.size_bytes, 0, KNOWN_COUNTED_FROM);
    edge_free(&edge);
    return words;
}

static uint8_t rotated(uint8_t byte, int bits)
{
    return (uint8_t)(byte << bits | byte >> (8 - bits));
}

/* FIPS 197, 5.1.1, by powers of 3 in the field of 256. */
static void substitutions_make(uint8_t box[256])
{
    uint8_t power = 1, inverse = 1;
    do {
        power = (uint8_t)(power ^ power << 1 ^ (power & 0x80 ? 0x1b : 0));
        inverse ^= (uint8_t)(inverse << 1);
        inverse ^= (uint8_t)(inverse << 2);
        inverse ^= (uint8_t)(inverse << 4);
        inverse ^= inverse & 0x80 ? 0x09 : 0;
        box[power] = inverse ^ rotated(inverse, 1) ^ rotated(inverse, 2) ^ rotated(inverse, 3) ^ rotated(inverse, 4) ^ 0x63;
    } while (power != 1);
    box[0] = 0x63;
}

static void crc_make(uint32_t table[256], uint32_t polynomial)
{
    for (uint32_t at = 0; at < 256; at++) {
        table[at] = at;
        for (int bit = 0; bit < 8; bit++)
            table[at] = table[at] >> 1 ^ (table[at] & 1 ? polynomial : 0);
    }
}

/* Along the diagonals of a square, there and back. */
static void zigzag_make(int32_t order[64])
{
    int count = 0;
    for (int diagonal = 0; diagonal < 15; diagonal++)
        for (int step = 0; step <= diagonal; step++) {
            int row = diagonal % 2 ? step : diagonal - step, column = diagonal - row;
            if (row < 8 && column < 8)
                order[count++] = 8 * row + column;
        }
}

Test(known_constants, tables_that_are_computed_by_their_definitions)
{
    uint8_t box[256], inverse[256];
    uint32_t crc[256];
    int32_t zigzag[64];
    substitutions_make(box);
    for (int at = 0; at < 256; at++)
        inverse[box[at]] = (uint8_t)at;
    cr_expect_str_eq(table_of(box, sizeof(box)), "AES's S-box");
    cr_expect_str_eq(table_of(inverse, sizeof(inverse)), "AES's inverse S-box");
    crc_make(crc, 0xedb88320);
    cr_expect_str_eq(table_of(crc, sizeof(crc)), "the table of CRC-32");
    crc_make(crc, 0x82f63b78);
    cr_expect_str_eq(table_of(crc, sizeof(crc)), "the table of CRC-32C");
    crc_make(crc, 0x82f63b79);
    cr_expect_null(table_of(crc, sizeof(crc)), "of nobody's polynomial");
    zigzag_make(zigzag);
    cr_expect_str_eq(table_of(zigzag, sizeof(zigzag)), "the zigzag order of 8x8 blocks");
}

Test(known_constants, a_place_may_lie_an_element_beside_the_table)
{
    static const uint32_t words[] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5};
    uint8_t bytes[64] = {0};
    for (size_t at = 0; at < sizeof(bytes) - sizeof(words); at++) {
        memset(bytes, 0, sizeof(bytes));
        memcpy(bytes + at, words, sizeof(words));
        bool expected = at <= KNOWN_BEFORE_MOST + KNOWN_BEHIND_MOST && at % sizeof(words[0]) == 0;
        const char *found = known_table(bytes, sizeof(bytes), KNOWN_BEFORE_MOST, KNOWN_COUNTED_FROM);
        cr_expect_eq(found != NULL, expected, "at %zu: %s", at, found ? found : "none");
        found = known_table(bytes, sizeof(bytes), KNOWN_BEFORE_MOST, KNOWN_READ);
        cr_expect_eq(found != NULL, expected && at <= KNOWN_BEFORE_MOST, "a number in front of it is read, %zu", at);
    }
    for (size_t size = 0; size < sizeof(words); size++)
        cr_expect_null(table_of(words, size), "cut after %zu", size);
}

Test(known_constants, numbers_count_when_all_were_met)
{
    struct known_numbers numbers = {0};
    cr_expect_null(known_numbers_take(&numbers, 0x5a827999));
    cr_expect_null(known_numbers_take(&numbers, 0x6ed9eba1));
    cr_expect_null(known_numbers_take(&numbers, 7));
    cr_expect_null(known_numbers_take(&numbers, (int32_t)0x8f1bbcdc), "widened by its sign");
    cr_expect_str_eq(known_numbers_take(&numbers, 0xca62c1d6), "SHA-1's constants");
    cr_expect_null(known_numbers_take(&numbers, 0xca62c1d6), "once");
    cr_expect_str_eq(known_numbers_take(&numbers, (int64_t)0x9e3779b97f4a7c15), "the golden ratio, as where bits are mixed");
}

Test(known_constants, rows_fit_what_counts_them)
{
    size_t numbers = 0;
    for (size_t at = 0; at < known_constant_row_count; at++)
        numbers += known_constant_rows[at].kind == KNOWN_NUMBERS;
    cr_assert(numbers > 0 && numbers <= KNOWN_NUMBERS_MOST);
}
