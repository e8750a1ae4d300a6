/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of Arm's Statistical Profiling Extension, of which the kernel hands over a buffer that may be cut anywhere. */
#include "probe/capability/spe_packet.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct bytes bytes = bytes_of(data, size_bytes, false);
    struct spe_packet packet;
    size_t before = bytes_left(&bytes);
    while (spe_packet_next(&bytes, &packet)) {
        if (bytes_left(&bytes) >= before || (packet.kind == SPE_INSTRUCTION && packet.value >> 56))
            abort(); /* the contract: each packet takes bytes, and an address has 56 bits */
        before = bytes_left(&bytes);
    }
    return 0;
}
