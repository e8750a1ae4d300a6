/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the x86 decoder and its text share: Zydis, loaded on first use, and one decoded instruction. */
#ifndef PLUMB_SYMBOL_DECODER_X86_H
#define PLUMB_SYMBOL_DECODER_X86_H

#include "symbol/decoder/decoder.h"

#include <Zydis/Zydis.h>

struct zydis {
    typeof(ZydisDecoderInit) *init;
    typeof(ZydisDecoderDecodeFull) *decode;
    typeof(ZydisMnemonicGetString) *mnemonic;
    typeof(ZydisRegisterGetString) *register_name;
};

struct x86_instruction {
    ZydisDecodedInstruction info;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

struct x86_state {
    struct zydis api;
    ZydisDecoder decoder;
    enum disassembly_syntax syntax;
    bool is_64;
    struct x86_instruction last; /* what x86_next decoded last, at last_bytes: its text is mostly wanted next */
    const uint8_t *last_bytes;
};

/* Append the text of a decoded instruction at addr. */
void x86_text(const struct x86_state *state, const struct x86_instruction *x86, const uint8_t *bytes, uint64_t addr,
              address_name *name, void *name_context, struct text *out);

#endif
