/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which packets stand in the bytes that Arm's Statistical Profiling Extension writes?
 *
 * Only what tells that samples are precise: the address of the sampled instruction, and where a record ends. Other
 * packets are stepped over. Source: Arm Architecture Reference Manual, Statistical Profiling Extension sample record
 * protocol.
 */
#ifndef PLUMB_PROBE_CAPABILITY_SPE_PACKET_H
#define PLUMB_PROBE_CAPABILITY_SPE_PACKET_H

#include "base/bytes.h"

enum spe_kind {
    SPE_OTHER,
    SPE_INSTRUCTION, /* value is the instruction's address, 56 bits */
    SPE_END,         /* of a record; also a timestamp, which ends one */
};

struct spe_packet {
    enum spe_kind kind;
    uint64_t value;
};

/* False at the end, at bytes that are no packet (bytes->failed then), and at one that is cut off. */
bool spe_packet_next(struct bytes *bytes, struct spe_packet *ret_packet);

#endif
