/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frame descriptions and their expressions, from any binary. First byte: how many instructions are the common ones. */
#include "symbol/unwind/call_frames.h"

#include <stdint.h>
#include <stdlib.h>

static bool any_word(void *context, uint64_t addr, uint64_t *ret_value)
{
    (void)context;
    *ret_value = addr * 3;
    return addr & 1;
}

static bool any_number(void *context, uint32_t number, uint64_t *ret_value)
{
    (void)context;
    if (number >= FRAME_REGISTERS)
        abort();
    *ret_value = number;
    return number != 5;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    if (size_bytes < 2)
        return 0;
    struct frame_memory memory = {NULL, any_word, any_number};
    size_t common = bytes[0] % size_bytes;
    struct frame_description description = {.start = 0x1000,
                                            .end = 0x9000,
                                            .common = bytes_of(bytes + 1, common ? common - 1 : 0, false),
                                            .own = bytes_of(bytes + 1, size_bytes - 1, bytes[1] & 1),
                                            .code_factor = 1,
                                            .data_factor = -8,
                                            .return_register = bytes[1] % 40};
    struct frame_rules rules;
    uint64_t value, start = 7;
    if (frame_rules_at(&description, 0x1000 + bytes[1] * 7, &rules)) {
        if (rules.cfa_is_expression)
            frame_expression(rules.cfa_expression, NULL, &memory, &value);
        for (size_t at = 0; at < FRAME_REGISTERS; at++)
            if (rules.registers[at].kind >= FRAME_AT_EXPRESSION)
                frame_expression(rules.registers[at].expression, &start, &memory, &value);
    }
    frame_expression(bytes_of(bytes + 1, size_bytes - 1, false), &start, &memory, &value);
    return 0;
}
