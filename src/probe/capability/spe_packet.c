/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/capability/spe_packet.h"

enum {
    HEADER_PADDING = 0x00,
    HEADER_END = 0x01,
    HEADER_TIMESTAMP = 0x71,
    INDEX_INSTRUCTION = 0 /* of address packets */
};

/* First bytes of packets that are only stepped over: those where (byte & mask) == bits. */
static const struct {
    uint8_t mask, bits;
} stepped_over[] = {
    {0xcf, 0x42}, /* events */
    {0xcf, 0x43}, /* data source */
    {0xfc, 0x64}, /* context */
    {0xfc, 0x48}, /* operation type */
    {0xf8, 0x98}, /* counter */
    {0xf8, 0xb0}, /* address */
    {0xff, HEADER_TIMESTAMP},
};

static bool is_known(uint8_t header)
{
    for (size_t at = 0; at < sizeof(stepped_over) / sizeof(stepped_over[0]); at++)
        if ((header & stepped_over[at].mask) == stepped_over[at].bits)
            return true;
    return false;
}

/* Two header bytes: a longer index, or padding to an alignment. */
static bool extended_next(struct bytes *bytes, uint8_t first, uint8_t *ret_header, unsigned *ret_index)
{
    uint8_t second = read_u8(bytes);
    bool address = (second & 0xf8) == 0xb0, counter = (second & 0xf8) == 0x98;
    *ret_header = second;
    *ret_index = (unsigned)((first & 3) << 3 | (second & 7));
    bytes->failed |= !address && !counter && second != 0;
    return !bytes->failed;
}

bool spe_packet_next(struct bytes *bytes, struct spe_packet *ret_packet)
{
    if (!bytes_left(bytes))
        return false;
    uint8_t header = read_u8(bytes);
    unsigned index = header & 7;
    *ret_packet = (struct spe_packet){.kind = header == HEADER_END || header == HEADER_TIMESTAMP ? SPE_END : SPE_OTHER};
    if (header == HEADER_PADDING || header == HEADER_END)
        return true;
    if ((header & 0xe0) == 0x20) {
        if (!extended_next(bytes, header, &header, &index))
            return false;
        if (!header)
            return true; /* alignment: what follows is padding */
    } else if (!is_known(header)) {
        bytes->failed = true;
        return false;
    }
    size_t size = (size_t)1 << (header >> 4 & 3);
    const uint8_t *payload = bytes_take(bytes, size);
    for (size_t at = 0; payload && at < size; at++)
        ret_packet->value |= (uint64_t)payload[at] << 8 * at;
    if ((header & 0xf8) == 0xb0 && index == INDEX_INSTRUCTION) {
        ret_packet->kind = SPE_INSTRUCTION;
        ret_packet->value &= (UINT64_C(1) << 56) - 1; /* above: exception level and security state */
    }
    return payload != NULL;
}
