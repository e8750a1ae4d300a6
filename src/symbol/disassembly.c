/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/disassembly.h"

#include "base/arena.h"
#include "base/vec.h"
#include "symbol/decoder/decoder.h"

static const struct decoder *const decoders[] = {&x86_decoder, &aarch64_decoder};

struct disassembler {
    const struct decoder *decoder;
    void *state;
};

static const struct decoder *decoder_of(const char *architecture)
{
    for (size_t at = 0; at < array_count(decoders); at++)
        if (decoders[at]->serves(architecture))
            return decoders[at];
    return NULL;
}

bool disassembler_new(struct disassembler **ret_disassembler, const char *architecture,
                      enum disassembly_syntax syntax, struct error *err)
{
    const struct decoder *decoder = decoder_of(architecture);
    void *state;
    if (!decoder)
        return error_set(err, ERROR_UNSUPPORTED, "code of architecture '%s' can't be disassembled", architecture);
    if (!decoder->open(&state, architecture, syntax, err))
        return false;
    struct disassembler *disassembler = memory_alloc(sizeof(*disassembler));
    *disassembler = (struct disassembler){decoder, state};
    *ret_disassembler = disassembler;
    return true;
}

void disassembler_free(struct disassembler *disassembler)
{
    if (!disassembler)
        return;
    disassembler->decoder->close(disassembler->state);
    free(disassembler);
}

bool disassembler_next(struct disassembler *disassembler, const uint8_t *bytes, size_t left, uint64_t addr,
                       struct instruction *ret_instruction)
{
    if (!left)
        return false;
    disassembler->decoder->next(disassembler->state, bytes, left, addr, ret_instruction);
    return true;
}

void disassembler_text(struct disassembler *disassembler, const struct instruction *instruction,
                       const uint8_t *bytes, address_name *name, void *name_context, struct text *out)
{
    disassembler->decoder->text(disassembler->state, instruction, bytes, name, name_context, out);
}

const char *disassembler_complaint(const struct disassembler *disassembler)
{
    return disassembler->decoder->complaint ? disassembler->decoder->complaint(disassembler->state) : NULL;
}

const char *register_name(const char *architecture, unsigned number)
{
    const struct decoder *decoder = decoder_of(architecture);
    return decoder ? decoder->register_name(number) : "?";
}

void text_add_address(struct text *out, uint64_t addr, address_name *name, void *name_context)
{
    uint64_t offset = 0;
    text_add_hex(out, addr);
    const char *found = name ? name(name_context, addr, &offset) : NULL;
    if (!found)
        return;
    text_add(out, " <");
    text_add(out, found);
    if (offset) {
        text_add(out, "+0x");
        text_add_hex(out, offset);
    }
    text_add_char(out, '>');
}

const char *instruction_class_name(enum instruction_class class)
{
    static const char *const names[] = {
        [INSTRUCTION_BAD] = "bad",         [INSTRUCTION_OTHER] = "other",       [INSTRUCTION_NOP] = "nop",
        [INSTRUCTION_MOVE] = "move",       [INSTRUCTION_LOAD] = "load",         [INSTRUCTION_STORE] = "store",
        [INSTRUCTION_LOAD_OP] = "load-op", [INSTRUCTION_UPDATE] = "update",     [INSTRUCTION_ATOMIC] = "atomic",
        [INSTRUCTION_GATHER] = "gather",   [INSTRUCTION_SCATTER] = "scatter",   [INSTRUCTION_PREFETCH] = "prefetch",
        [INSTRUCTION_STRING] = "string",   [INSTRUCTION_INT] = "int",           [INSTRUCTION_MUL] = "mul",
        [INSTRUCTION_DIV] = "div",         [INSTRUCTION_FP] = "fp",             [INSTRUCTION_FP_DIV] = "fp-div",
        [INSTRUCTION_VECTOR] = "vector",   [INSTRUCTION_CRYPTO] = "crypto",     [INSTRUCTION_BRANCH] = "branch",
        [INSTRUCTION_JUMP] = "jump",       [INSTRUCTION_CALL] = "call",         [INSTRUCTION_RETURN] = "return",
        [INSTRUCTION_BARRIER] = "barrier", [INSTRUCTION_SYSTEM] = "system",
    };
    _Static_assert(array_count(names) == INSTRUCTION_CLASS_COUNT, "every class has a name");
    return (unsigned)class < array_count(names) ? names[class] : "other";
}
