/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a recording's header says of the machine: each feature's bytes, in both byte orders. */
#include "decode/machine_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    for (int swapped = 0; swapped < 2; swapped++) {
        struct bytes in = bytes_of(bytes, size_bytes, swapped);
        struct text out = {0};
        for (int part = 0; part < MACHINE_PARTS; part++)
            (void)machine_text(&out, (enum machine_part)part, in, size_bytes ? bytes[0] : 0);
        text_done(&out);
    }
    return 0;
}
