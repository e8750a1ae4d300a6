/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code bytes from any binary, decoded and written in both dialects; AArch64's meaning without its text. */
#include "symbol/disassembly.h"

#include <stdint.h>
#include <stdlib.h>

static void decode_all(struct disassembler *disassembler, const uint8_t *bytes, size_t size_bytes, bool with_text)
{
    struct text text = {0};
    struct instruction instruction;
    for (size_t at = 0; at < size_bytes; at += instruction.length) {
        disassembler_next(disassembler, bytes + at, size_bytes - at, at, &instruction);
        if (!instruction.length || instruction.length > size_bytes - at)
            abort();
        if (with_text)
            disassembler_text(disassembler, &instruction, bytes + at, NULL, NULL, &text);
        text_clear(&text);
    }
    text_done(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    static const struct {
        const char *architecture;
        enum disassembly_syntax syntax;
        bool with_text;
    } turns[] = {
        {"x86_64", SYNTAX_ATT, true}, {"x86_64", SYNTAX_INTEL, true}, {"i686", SYNTAX_ATT, true}, {"aarch64", SYNTAX_ATT, false}};
    static struct disassembler *disassemblers[sizeof(turns) / sizeof(turns[0])]; /* opening costs more than decoding */
    for (size_t at = 0; at < sizeof(turns) / sizeof(turns[0]); at++)
        if (disassemblers[at] ||
            disassembler_new(&disassemblers[at], turns[at].architecture, turns[at].syntax, NULL))
            decode_all(disassemblers[at], bytes, size_bytes, turns[at].with_text);
    return 0;
}
