/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A planted error: does the fuzzer find its way to it, and does run.py notice? */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    if (size_bytes >= 2 && bytes[0] == 'p' && bytes[1] == 'l')
        abort();
    return 0;
}
