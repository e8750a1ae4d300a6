/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One architecture's decoder: what disassembly.c chooses from. */
#ifndef PLUMB_SYMBOL_DECODER_DECODER_H
#define PLUMB_SYMBOL_DECODER_DECODER_H

#include "symbol/disassembly.h"

struct decoder {
    bool (*serves)(const char *architecture);
    bool (*open)(void **ret_state, const char *architecture, enum disassembly_syntax syntax, struct error *err);
    void (*close)(void *state);
    void (*next)(void *state, const uint8_t *bytes, size_t left, uint64_t addr, struct instruction *ret_instruction);
    void (*text)(void *state, const struct instruction *instruction, const uint8_t *bytes, address_name *name,
                 void *name_context, struct text *out);
    const char *(*register_name)(unsigned number);
    const char *(*complaint)(const void *state); /* NULL: never has one */
};

extern const struct decoder x86_decoder, aarch64_decoder;

/* Append "4174e0 <name+0x10>", or the address alone. */
void text_add_address(struct text *out, uint64_t addr, address_name *name, void *name_context);

#endif
