/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/elf/crc32.h"

#define POLYNOMIAL 0xedb88320u

uint32_t crc32_of(const uint8_t *bytes, size_t size_bytes)
{
    uint32_t table[256];
    for (uint32_t value = 0; value < 256; value++) {
        uint32_t remainder = value;
        for (int bit = 0; bit < 8; bit++)
            remainder = remainder >> 1 ^ (remainder & 1 ? POLYNOMIAL : 0);
        table[value] = remainder;
    }
    uint32_t crc = UINT32_MAX;
    for (size_t at = 0; at < size_bytes; at++)
        crc = crc >> 8 ^ table[(crc ^ bytes[at]) & 0xff];
    return ~crc;
}
