/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The CRC-32 (IEEE 802.3) by which .gnu_debuglink names its debug file's content. */
#ifndef PLUMB_SYMBOL_ELF_CRC32_H
#define PLUMB_SYMBOL_ELF_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_of(const uint8_t *bytes, size_t size_bytes);

#endif
