/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * AArch64: what an instruction does is read from its 32 bits here (Arm Architecture Reference Manual, A64
 * encoding index); its text comes from LLVM's disassembler, loaded when the first text is asked for.
 */
#include "base/arena.h"
#include "base/library.h"
#include "base/vec.h"
#include "symbol/decoder/decoder.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINK_REGISTER = 30,
    STACK_POINTER = 31, /* as a base; elsewhere 31 is the zero register */
    ARM64_REGISTERS = 33,
    WORD_BYTES = 4
};

/* llvm-c/Disassembler.h and Target.h; declared here so that building needs no LLVM. */
struct llvm {
    void (*init_info)(void);
    void (*init_mc)(void);
    void (*init_disassembler)(void);
    void *(*create)(const char *triple, const char *cpu, const char *features, void *info, int tag, void *get_op_info,
                    void *symbol_lookup);
    void (*dispose)(void *context);
    size_t (*disassemble)(void *context, uint8_t *bytes, uint64_t size_bytes, uint64_t addr, char *text,
                          size_t text_bytes);
};

static const struct library library = {{"libLLVM-14.so.1", "libLLVM-15.so.1", "libLLVM-16.so.1", "libLLVM-19.so.1"},
                                       "libllvm14", "the text of AArch64 instructions"};
static const struct library_symbol functions[] = {
    LIBRARY_SYMBOL(struct llvm, init_info, "LLVMInitializeAArch64TargetInfo"),
    LIBRARY_SYMBOL(struct llvm, init_mc, "LLVMInitializeAArch64TargetMC"),
    LIBRARY_SYMBOL(struct llvm, init_disassembler, "LLVMInitializeAArch64Disassembler"),
    LIBRARY_SYMBOL(struct llvm, create, "LLVMCreateDisasmCPUFeatures"),
    LIBRARY_SYMBOL(struct llvm, dispose, "LLVMDisasmDispose"),
    LIBRARY_SYMBOL(struct llvm, disassemble, "LLVMDisasmInstruction"),
};

/* What LLVM 14 knows; a later one knows these too. */
static const char features[] = "+v8.7a,+crypto,+sm4,+sha3,+fullfp16,+fp16fml,+sve2,+sve2-aes,+sve2-bitperm,"
                               "+sve2-sha3,+sve2-sm4,+bf16,+i8mm,+f32mm,+f64mm,+mte,+rand,+ls64,+tme";

struct aarch64_state {
    bool tried;
    struct llvm api;
    void *context; /* NULL: no text */
    struct error error;
};

static bool aarch64_serves(const char *architecture)
{
    return strcmp(architecture, "aarch64") == 0 || strcmp(architecture, "arm64") == 0;
}

static bool aarch64_open(void **ret_state, const char *architecture, enum disassembly_syntax syntax, struct error *err)
{
    (void)architecture, (void)syntax, (void)err; /* one dialect; LLVM is loaded when text is asked for */
    struct aarch64_state *state = memory_alloc(sizeof(*state));
    *state = (struct aarch64_state){0};
    *ret_state = state;
    return true;
}

static void aarch64_close(void *context)
{
    struct aarch64_state *state = context;
    if (state->context)
        state->api.dispose(state->context);
    free(state);
}

static uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & ((1u << (high - low + 1)) - 1);
}

/* word[high:low] as a signed number. */
static int64_t signed_bits(uint32_t word, unsigned high, unsigned low)
{
    unsigned width = high - low + 1;
    return (int64_t)((uint64_t)bits(word, high, low) << (64 - width)) >> (64 - width);
}

static uint64_t register_bit(unsigned number) /* 31: the zero register */
{
    return number == 31 ? 0 : (uint64_t)1 << number;
}

static void set_memory(struct instruction *instruction, unsigned base, int64_t displacement, unsigned size_bytes)
{
    instruction->memory = (struct memory_operand){.base = (uint8_t)base, .index = REGISTER_NONE, .scale = 1,
                                                  .segment = REGISTER_NONE, .displacement = displacement,
                                                  .size_bytes = (uint16_t)size_bytes, .is_present = true};
    instruction->reads |= (uint64_t)1 << base;
}

/* The transferred register t: of the vector file or the general one. */
static void note_transfer(struct instruction *instruction, unsigned t, bool is_vector, bool is_load)
{
    if (is_vector) {
        instruction->vector_bits = 128;
        *(is_load ? &instruction->vector_writes : &instruction->vector_reads) |= 1u << t;
    } else {
        *(is_load ? &instruction->writes : &instruction->reads) |= register_bit(t);
    }
    if (is_load)
        instruction->is_load = true;
    else
        instruction->is_store = true;
    instruction->class = is_load ? INSTRUCTION_LOAD : INSTRUCTION_STORE;
}

static void set_step(struct instruction *instruction, unsigned number, int64_t step, unsigned by)
{
    instruction->step_register = (uint8_t)number;
    instruction->step = step;
    instruction->step_by = (uint8_t)by;
}

static void decode_load_literal(uint32_t word, struct instruction *instruction)
{
    unsigned opc = bits(word, 31, 30);
    bool is_vector = bits(word, 26, 26);
    note_transfer(instruction, bits(word, 4, 0), is_vector, true);
    instruction->memory = (struct memory_operand){.base = REGISTER_NONE,
                                                  .index = REGISTER_NONE,
                                                  .scale = 1,
                                                  .segment = REGISTER_NONE,
                                                  .displacement = signed_bits(word, 23, 5) * 4,
                                                  .size_bytes = (uint16_t)(is_vector  ? 4u << opc
                                                                           : opc == 1 ? 8
                                                                                      : 4),
                                                  .is_relative = true,
                                                  .is_present = true};
    if (!is_vector && opc == 3) {
        instruction->class = INSTRUCTION_PREFETCH;
        instruction->is_load = false;
        instruction->writes = 0;
    }
}

static void decode_pair(uint32_t word, struct instruction *instruction)
{
    unsigned opc = bits(word, 31, 30), mode = bits(word, 24, 23), base = bits(word, 9, 5);
    bool is_vector = bits(word, 26, 26), is_load = bits(word, 22, 22);
    unsigned each = is_vector ? 4u << opc : opc & 2 ? 8 : 4;
    note_transfer(instruction, bits(word, 4, 0), is_vector, is_load);
    note_transfer(instruction, bits(word, 14, 10), is_vector, is_load);
    set_memory(instruction, base, mode == 1 ? 0 : signed_bits(word, 21, 15) * (int64_t)each, each * 2);
    if (mode == 1 || mode == 3) {
        instruction->writes |= (uint64_t)1 << base;
        set_step(instruction, base, signed_bits(word, 21, 15) * (int64_t)each, REGISTER_NONE);
    }
    instruction->memory.base_is_updated_before = mode == 3;
}

static void decode_single(uint32_t word, struct instruction *instruction)
{
    unsigned size = bits(word, 31, 30), opc = bits(word, 23, 22), base = bits(word, 9, 5);
    bool is_vector = bits(word, 26, 26), is_load = is_vector ? opc & 1 : opc != 0;
    unsigned shift = is_vector && (opc & 2) ? 4 : size, mode = bits(word, 11, 10);
    bool is_prefetch = !is_vector && size == 3 && opc == 2;
    note_transfer(instruction, bits(word, 4, 0), is_vector, is_load);
    if (bits(word, 24, 24)) {
        set_memory(instruction, base, (int64_t)bits(word, 21, 10) << shift, 1u << shift);
    } else if (!bits(word, 21, 21)) {
        set_memory(instruction, base, mode == 1 ? 0 : signed_bits(word, 20, 12), 1u << shift);
        if (mode == 1 || mode == 3) {
            instruction->writes |= (uint64_t)1 << base;
            set_step(instruction, base, signed_bits(word, 20, 12), REGISTER_NONE);
        }
        instruction->memory.base_is_updated_before = mode == 3;
    } else if (mode == 2) {
        unsigned option = bits(word, 15, 13), index = bits(word, 20, 16);
        set_memory(instruction, base, 0, 1u << shift);
        instruction->memory.index = index == 31 ? REGISTER_NONE : (uint8_t)index;
        instruction->memory.index_shift = bits(word, 12, 12) ? (uint8_t)shift : 0;
        instruction->memory.index_is_32 = !(option & 1);
        instruction->memory.index_is_signed = option & 4;
        instruction->reads |= register_bit(index);
    } else if (mode == 0) { /* atomic operations of LSE: ldadd, swp, … */
        set_memory(instruction, base, 0, 1u << size);
        instruction->reads |= register_bit(bits(word, 20, 16));
        instruction->writes |= register_bit(bits(word, 4, 0));
        instruction->is_load = instruction->is_store = true;
        instruction->class = INSTRUCTION_ATOMIC;
    } else { /* loads with pointer authentication */
        set_memory(instruction, base, 0, 8);
        instruction->is_load = true;
        instruction->class = INSTRUCTION_LOAD;
    }
    if (is_prefetch && instruction->class != INSTRUCTION_ATOMIC) {
        instruction->class = INSTRUCTION_PREFETCH;
        instruction->is_load = instruction->is_store = false;
        instruction->writes = 0;
    }
}

static void decode_exclusive(uint32_t word, struct instruction *instruction)
{
    bool is_load = bits(word, 22, 22), is_ordered_only = bits(word, 23, 23) && !bits(word, 21, 21);
    bool is_swap = bits(word, 23, 23) && bits(word, 21, 21); /* cas */
    note_transfer(instruction, bits(word, 4, 0), false, is_load);
    set_memory(instruction, bits(word, 9, 5), 0, 1u << bits(word, 31, 30));
    if (!is_ordered_only)
        instruction->class = INSTRUCTION_ATOMIC;
    if (is_swap) {
        instruction->is_load = instruction->is_store = true;
        instruction->reads |= register_bit(bits(word, 20, 16)) | register_bit(bits(word, 4, 0));
        instruction->writes |= register_bit(bits(word, 20, 16));
    } else if (!is_load && !is_ordered_only) {
        instruction->writes |= register_bit(bits(word, 20, 16)); /* whether it succeeded */
    }
}

static void decode_structures(uint32_t word, struct instruction *instruction)
{
    bool is_load = bits(word, 22, 22), is_post = bits(word, 23, 23);
    note_transfer(instruction, bits(word, 4, 0), true, is_load);
    set_memory(instruction, bits(word, 9, 5), 0, bits(word, 24, 24) ? 0 : bits(word, 30, 30) ? 16 : 8);
    if (is_post)
        instruction->writes |= (uint64_t)1 << bits(word, 9, 5);
}

static void decode_memory(uint32_t word, struct instruction *instruction)
{
    if ((word & 0x3b000000) == 0x18000000 && !(word & 0x00200000 && (word & 0x3f000000) == 0x19000000))
        decode_load_literal(word, instruction);
    else if ((word & 0x3a000000) == 0x28000000)
        decode_pair(word, instruction);
    else if ((word & 0x3a000000) == 0x38000000)
        decode_single(word, instruction);
    else if ((word & 0x3f000000) == 0x08000000)
        decode_exclusive(word, instruction);
    else if ((word & 0xbe000000) == 0x0c000000)
        decode_structures(word, instruction);
    else if ((word & 0x3f200c00) == 0x19000000) { /* ldapur, stlur */
        note_transfer(instruction, bits(word, 4, 0), false, bits(word, 23, 22) != 0);
        set_memory(instruction, bits(word, 9, 5), signed_bits(word, 20, 12), 1u << bits(word, 31, 30));
    }
}

static void set_target(struct instruction *instruction, int64_t words)
{
    instruction->has_target = true;
    instruction->target = instruction->addr + (uint64_t)(words * WORD_BYTES);
}

static void decode_branch_register(uint32_t word, struct instruction *instruction)
{
    unsigned opc = bits(word, 24, 21) & 7;
    instruction->class = opc == 1   ? INSTRUCTION_CALL
                         : opc == 2 ? INSTRUCTION_RETURN
                         : opc == 0 ? INSTRUCTION_JUMP
                                    : INSTRUCTION_SYSTEM;
    instruction->reads |= register_bit(bits(word, 9, 5));
    if (opc == 1)
        instruction->writes |= (uint64_t)1 << LINK_REGISTER;
    instruction->falls_through = opc == 1;
    instruction->ends_block = opc != 1;
}

static void decode_system(uint32_t word, struct instruction *instruction)
{
    instruction->class = INSTRUCTION_SYSTEM;
    if ((word & 0xfffff01f) == 0xd503201f)
        instruction->class = INSTRUCTION_NOP; /* hints: nop, yield, bti, paciasp */
    else if ((word & 0xfffff01f) == 0xd503301f)
        instruction->class = INSTRUCTION_BARRIER;
    else if ((word & 0xfff00000) == 0xd5300000) /* mrs */
        instruction->writes |= register_bit(bits(word, 4, 0));
}

static void decode_branch(uint32_t word, struct instruction *instruction)
{
    instruction->class = INSTRUCTION_SYSTEM;
    if ((word & 0x7c000000) == 0x14000000) {
        instruction->class = word >> 31 ? INSTRUCTION_CALL : INSTRUCTION_JUMP;
        set_target(instruction, signed_bits(word, 25, 0));
        if (word >> 31)
            instruction->writes |= (uint64_t)1 << LINK_REGISTER;
        else
            instruction->falls_through = false;
        instruction->ends_block = !(word >> 31);
    } else if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000) {
        instruction->class = INSTRUCTION_BRANCH;
        set_target(instruction, signed_bits(word, 23, 5));
        if ((word & 0x7e000000) == 0x34000000)
            instruction->reads |= register_bit(bits(word, 4, 0));
        instruction->ends_block = true;
    } else if ((word & 0x7e000000) == 0x36000000) {
        instruction->class = INSTRUCTION_BRANCH;
        set_target(instruction, signed_bits(word, 18, 5));
        instruction->reads |= register_bit(bits(word, 4, 0));
        instruction->ends_block = true;
    } else if ((word & 0xfe000000) == 0xd6000000) {
        decode_branch_register(word, instruction);
    } else if ((word & 0xffc00000) == 0xd5000000) {
        decode_system(word, instruction);
    } else if ((word & 0xffe0001f) == 0xd4200000 || (word & 0xffe0001f) == 0xd4400000) { /* brk, hlt */
        instruction->ends_block = true;
        instruction->falls_through = false;
    }
}

static void decode_immediate(uint32_t word, struct instruction *instruction)
{
    bool sets_only = bits(word, 25, 23) <= 1 || bits(word, 25, 23) == 5; /* adr, adrp; movn, movz */
    bool is_move_keep = bits(word, 25, 23) == 5 && bits(word, 30, 29) == 3;
    unsigned d = bits(word, 4, 0), n = bits(word, 9, 5);
    instruction->class = sets_only && bits(word, 25, 23) == 5 && !is_move_keep ? INSTRUCTION_MOVE : INSTRUCTION_INT;
    bool is_add = bits(word, 25, 23) == 2 || bits(word, 25, 23) == 3;
    instruction->writes |= is_add && !bits(word, 29, 29) ? (uint64_t)1 << d : register_bit(d);
    if (!sets_only)
        instruction->reads |= is_add ? (uint64_t)1 << n : register_bit(n);
    else if (is_move_keep)
        instruction->reads |= register_bit(d);
    if (bits(word, 25, 23) == 2 && d == n) { /* add, sub */
        int64_t amount = (int64_t)bits(word, 21, 10) << (bits(word, 22, 22) ? 12 : 0);
        set_step(instruction, d, bits(word, 30, 30) ? -amount : amount, REGISTER_NONE);
    }
}

static void decode_register(uint32_t word, struct instruction *instruction)
{
    instruction->class = INSTRUCTION_INT;
    instruction->writes |= register_bit(bits(word, 4, 0));
    instruction->reads |= register_bit(bits(word, 9, 5)) | register_bit(bits(word, 20, 16));
    unsigned d = bits(word, 4, 0), n = bits(word, 9, 5), m = bits(word, 20, 16);
    if ((word & 0x5fe0fc00) == 0x0b000000 && d != 31 && (d == n) != (d == m)) /* add without shift */
        set_step(instruction, d, 0, d == n ? m : n);
    if ((word & 0x1f000000) == 0x1b000000) {
        instruction->class = INSTRUCTION_MUL;
        instruction->reads |= register_bit(bits(word, 14, 10));
    } else if ((word & 0x5fe0f800) == 0x1ac00800) {
        instruction->class = INSTRUCTION_DIV;
        instruction->divides = true;
    } else if ((word & 0x7fe0ffe0) == 0x2a0003e0) { /* mov */
        instruction->class = INSTRUCTION_MOVE;
    } else if ((word & 0x3fe00c10) == 0x3a400000 || (word & 0x3fe00c10) == 0x3a400800) { /* ccmp */
        instruction->writes = 0;
    }
}

static bool is_vector_float(uint32_t word)
{
    if ((word & 0x9f200400) == 0x0e200400) /* three of the same kind */
        return bits(word, 15, 11) >= 0x18;
    if ((word & 0x9f3e0c00) == 0x0e200800) /* two registers: conversions, roundings, fneg, fsqrt */
        return bits(word, 16, 12) >= 0x0c;
    if ((word & 0x9f000400) == 0x0f000000) /* by element: fmla, fmls, fmul, fmulx */
        return bits(word, 15, 12) == 1 || bits(word, 15, 12) == 5 || bits(word, 15, 12) == 9;
    return false;
}

static void decode_vector(uint32_t word, struct instruction *instruction)
{
    bool is_scalar_fp = (word & 0x5e000000) == 0x1e000000;
    bool divides = (word & 0xff20fc00) == 0x1e201800 || (word & 0xff3ffc00) == 0x1e21c000 ||
                   (word & 0xbfa0fc00) == 0x2e20fc00 || (word & 0xbfbffc00) == 0x2ea1f800;
    bool is_move = (word & 0xff3ffc00) == 0x1e204000 || (word & 0xff201fe0) == 0x1e201000; /* fmov */
    instruction->is_scalar_fp = is_scalar_fp;
    instruction->is_fp = is_scalar_fp || is_vector_float(word);
    instruction->vector_bits = is_scalar_fp || bits(word, 30, 30) ? 128 : 64;
    instruction->divides = divides;
    instruction->class = divides              ? INSTRUCTION_FP_DIV
                         : is_move            ? INSTRUCTION_MOVE
                         : instruction->is_fp ? INSTRUCTION_FP
                                              : INSTRUCTION_VECTOR;
    if ((word & 0x9f3e0c00) == 0x0e280800 && (word & 0x00010000) == 0) /* aese and kin */
        instruction->class = INSTRUCTION_CRYPTO;
    instruction->vector_reads |= 1u << bits(word, 9, 5) | 1u << bits(word, 20, 16);
    bool adds_third = (word & 0xff000000) == 0x1f000000; /* fmadd and kin */
    /* fmla, fmls; by element */
    bool adds_to_result = (word & 0x9f20fc00) == 0x0e20cc00 || ((word & 0x9f00b400) == 0x0f001000);
    instruction->vector_reads |=
        (adds_third ? 1u << bits(word, 14, 10) : 0) | (adds_to_result ? 1u << bits(word, 4, 0) : 0);
    instruction->vector_writes |= 1u << bits(word, 4, 0);
}

/*
 * Where a scalable access begins: [base, index, lsl size], or [base] alone. An immediate counts vector lengths, which
 * a sample doesn't tell; gathers and scatters have an address per element.
 */
static void note_scalable_address(uint32_t word, unsigned group, bool gathers, struct instruction *instruction)
{
    static const uint8_t size_shifts[16] = {0, 0, 0, 0, 2, 1, 1, 1, 1, 1, 2, 2, 0, 0, 0, 3}; /* by dtype */
    enum {
        CONTIGUOUS_LOAD = 0x52,
        STORE = 0x72,
        WHOLE_REGISTER = 0x85800000, /* ldr z, ldr p */
    };
    unsigned form = bits(word, 15, 13), base = bits(word, 9, 5);
    struct memory_operand memory = {.base = (uint8_t)base, .index = REGISTER_NONE, .scale = 1, .segment = REGISTER_NONE,
                                    .is_present = true, .has_vector_index = gathers, .has_hidden_part = true};
    bool by_index = (group == CONTIGUOUS_LOAD && (form == 2 || form == 3)) || (group == STORE && form == 2);
    bool by_multiple = (group == CONTIGUOUS_LOAD && form == 5) || (group == STORE && form == 7);
    if (by_index) {
        memory.index = (uint8_t)bits(word, 20, 16);
        memory.index_shift = (uint8_t)(group == STORE ? bits(word, 24, 23) : size_shifts[bits(word, 24, 21)]);
        memory.has_hidden_part = false;
        instruction->reads |= (uint64_t)1 << memory.index;
    } else if (by_multiple) {
        memory.has_hidden_part = bits(word, 19, 16) != 0;
    } else if ((word & 0xffc0a000) == WHOLE_REGISTER) {
        memory.has_hidden_part = bits(word, 21, 16) != 0 || bits(word, 12, 10) != 0;
    }
    instruction->reads |= (uint64_t)1 << base;
    instruction->memory = memory;
}

static void decode_sve(uint32_t word, struct instruction *instruction)
{
    unsigned group = word >> 25;
    instruction->vector_bits = VECTOR_BITS_SCALABLE;
    instruction->class = (group & 0x7f) == 0x32 ? INSTRUCTION_FP : INSTRUCTION_VECTOR;
    instruction->is_fp = instruction->class == INSTRUCTION_FP;
    bool is_memory = group == 0x42 || group == 0x52 || group == 0x62 || group == 0x72;
    if (!is_memory)
        return;
    instruction->is_store = group == 0x72;
    instruction->is_load = !instruction->is_store;
    bool gathers = group == 0x62 || (group == 0x42 && !(word & 0x00800000));
    unsigned form = bits(word, 15, 13);
    bool scatters = instruction->is_store && form >= 4 && form <= 6;
    instruction->class = scatters ? INSTRUCTION_SCATTER : instruction->is_store ? INSTRUCTION_STORE
                         : gathers ? INSTRUCTION_GATHER : INSTRUCTION_LOAD;
    note_scalable_address(word, group, gathers || scatters, instruction);
}

static void aarch64_next(void *context, const uint8_t *bytes, size_t left, uint64_t addr,
                         struct instruction *ret_instruction)
{
    (void)context;
    struct instruction instruction = {
        .addr = addr,
        .length = WORD_BYTES,
        .falls_through = true,
        .step_register = REGISTER_NONE,
        .step_by = REGISTER_NONE,
        .memory = {.base = REGISTER_NONE, .index = REGISTER_NONE, .segment = REGISTER_NONE}};
    if (left < WORD_BYTES) {
        instruction.length = (uint8_t)left;
        instruction.ends_block = true;
        *ret_instruction = instruction;
        return;
    }
    uint32_t word = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    unsigned group = bits(word, 28, 25);
    instruction.class = INSTRUCTION_OTHER;
    if (word >> 16 == 0) { /* udf */
        instruction.class = INSTRUCTION_BAD;
        instruction.ends_block = true;
        instruction.falls_through = false;
    } else if (group == 2)
        decode_sve(word, &instruction);
    else if ((group & 0xe) == 8)
        decode_immediate(word, &instruction);
    else if ((group & 0xe) == 0xa)
        decode_branch(word, &instruction);
    else if ((group & 5) == 4)
        decode_memory(word, &instruction);
    else if ((group & 7) == 5)
        decode_register(word, &instruction);
    else if ((group & 7) == 7)
        decode_vector(word, &instruction);
    *ret_instruction = instruction;
}

static void load_llvm(struct aarch64_state *state)
{
    state->tried = true;
    if (!library_load(&library, functions, array_count(functions), &state->api, &state->error))
        return;
    state->api.init_info();
    state->api.init_mc();
    state->api.init_disassembler();
    state->context = state->api.create("aarch64-linux-gnu", "generic", features, NULL, 0, NULL, NULL);
    if (!state->context)
        error_set(&state->error, ERROR_UNSUPPORTED, "this libLLVM can't disassemble AArch64");
}

/* Where adr and adrp point; false for other instructions. */
static bool address_of(uint32_t word, uint64_t addr, uint64_t *ret_addr)
{
    if ((word & 0x1f000000) != 0x10000000)
        return false;
    int64_t offset = (int64_t)((uint64_t)signed_bits(word, 23, 5) << 2 | bits(word, 30, 29));
    *ret_addr = word >> 31 ? (addr & ~(uint64_t)0xfff) + (uint64_t)(offset * 4096) : addr + (uint64_t)offset;
    return true;
}

static void aarch64_text(void *context, const struct instruction *instruction, const uint8_t *bytes, address_name *name,
                         void *name_context, struct text *out)
{
    struct aarch64_state *state = context;
    char line[256] = "";
    uint8_t copy[WORD_BYTES] = {0};
    memcpy(copy, bytes, instruction->length);
    uint32_t word = copy[0] | (uint32_t)copy[1] << 8 | (uint32_t)copy[2] << 16 | (uint32_t)copy[3] << 24;
    if (!state->tried)
        load_llvm(state);
    if (!state->context || instruction->length < WORD_BYTES ||
        !state->api.disassemble(state->context, copy, WORD_BYTES, instruction->addr, line, sizeof(line))) {
        text_printf(out, ".inst  0x%08x", word);
        return;
    }
    struct view text = view_trim(view_of(line)), rest = text;
    struct view mnemonic = view_word(&rest);
    struct view operands = view_trim(rest);
    uint64_t place = instruction->target;
    bool points = instruction->has_target || address_of(word, instruction->addr, &place) ||
                  (instruction->memory.is_present && instruction->memory.is_relative);
    if (instruction->memory.is_present && instruction->memory.is_relative)
        place = instruction->addr + (uint64_t)instruction->memory.displacement;
    text_append(out, mnemonic.text, mnemonic.length);
    if (!operands.length)
        return;
    for (size_t column = mnemonic.length; column < 6; column++)
        text_add_char(out, ' ');
    text_add_char(out, ' ');
    const char *last = points ? memrchr(operands.text, '#', operands.length) : NULL;
    text_append(out, operands.text, last ? (size_t)(last - operands.text) : operands.length);
    if (last)
        text_add_address(out, place, name, name_context);
}

static const char *aarch64_register_name(unsigned number)
{
    static const char *const names[ARM64_REGISTERS] = {"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",
                                                       "x9",  "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
                                                       "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26",
                                                       "x27", "x28", "x29", "lr",  "sp",  "pc"};
    return number < ARM64_REGISTERS ? names[number] : "?";
}

static const char *aarch64_complaint(const void *context)
{
    const struct aarch64_state *state = context;
    return state->tried && !state->context ? state->error.message : NULL;
}

const struct decoder aarch64_decoder = {
    .serves = aarch64_serves,
    .open = aarch64_open,
    .close = aarch64_close,
    .next = aarch64_next,
    .text = aarch64_text,
    .register_name = aarch64_register_name,
    .complaint = aarch64_complaint,
};
