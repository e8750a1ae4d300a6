/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code given as hexadecimal bytes, for tests of loops. */
#ifndef PLUMB_TESTS_UNIT_ANALYSE_LOOP_CODE_H
#define PLUMB_TESTS_UNIT_ANALYSE_LOOP_CODE_H

#include "test.h"

#include "symbol/disassembly.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LOOP_CODE_MOST = 256 };

struct loop_code {
    uint8_t bytes[4 * LOOP_CODE_MOST];
    size_t size_bytes;
    struct instruction rows[LOOP_CODE_MOST];
    uint32_t count;
};

static inline unsigned hex_digit(char letter)
{
    return letter <= '9' ? (unsigned)(letter - '0') : (unsigned)(letter - 'a' + 10);
}

/* Skips the test where there is no decoder. */
static inline void loop_code_decode(struct loop_code *code, const char *hex)
{
    struct disassembler *disassembler;
    struct error err = {0};
    if (!disassembler_new(&disassembler, "x86_64", SYNTAX_ATT, &err))
        cr_skip_test("%s", err.message);
    *code = (struct loop_code){.size_bytes = strlen(hex) / 2};
    for (size_t at = 0; at < code->size_bytes; at++)
        code->bytes[at] = (uint8_t)(hex_digit(hex[2 * at]) << 4 | hex_digit(hex[2 * at + 1]));
    for (size_t at = 0; at < code->size_bytes; at += code->rows[code->count++].length)
        disassembler_next(disassembler, code->bytes + at, code->size_bytes - at, 0x1000 + at, &code->rows[code->count]);
    disassembler_free(disassembler);
}

#endif
