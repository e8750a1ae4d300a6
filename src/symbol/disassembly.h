/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does an instruction do: its class, memory operand, registers, where it branches to, and its text?
 *
 * The same struct for every architecture, so that analyses never see a decoder's types. Registers are
 * numbered as in samples (PERF_REG_X86_*, PERF_REG_ARM64_*), so that an operand's address can be computed
 * from sampled registers. x86-64 and i386 by Zydis; AArch64 by LLVM (text) and an own decoder (meaning).
 * Does not support: other architectures (disassembler_new says so).
 */
#ifndef PLUMB_SYMBOL_DISASSEMBLY_H
#define PLUMB_SYMBOL_DISASSEMBLY_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum instruction_class {
    INSTRUCTION_BAD, /* bytes that are no instruction */
    INSTRUCTION_OTHER,
    INSTRUCTION_NOP,
    INSTRUCTION_MOVE,   /* registers only */
    INSTRUCTION_LOAD,   /* moves from memory, nothing else */
    INSTRUCTION_STORE,
    INSTRUCTION_LOAD_OP, /* computes with an operand in memory */
    INSTRUCTION_UPDATE,  /* reads and writes the same memory */
    INSTRUCTION_ATOMIC,  /* locked update, exclusive or acquire/release pair */
    INSTRUCTION_GATHER,
    INSTRUCTION_SCATTER,
    INSTRUCTION_PREFETCH,
    INSTRUCTION_STRING,  /* rep movs and kin */
    INSTRUCTION_INT,
    INSTRUCTION_MUL,     /* integer */
    INSTRUCTION_DIV,     /* integer */
    INSTRUCTION_FP,      /* floating point: add, multiply, fused, convert, compare */
    INSTRUCTION_FP_DIV,  /* divide, square root */
    INSTRUCTION_VECTOR,  /* integer vectors, shuffles, masks */
    INSTRUCTION_CRYPTO,
    INSTRUCTION_BRANCH,  /* conditional */
    INSTRUCTION_JUMP,
    INSTRUCTION_CALL,
    INSTRUCTION_RETURN,
    INSTRUCTION_BARRIER, /* fences, serialising instructions */
    INSTRUCTION_SYSTEM,  /* syscall, privileged, cpuid, rdtsc */
    INSTRUCTION_CLASS_COUNT
};

const char *instruction_class_name(enum instruction_class class);

#define REGISTER_NONE 255

struct memory_operand {
    uint8_t base, index; /* register numbers as in samples; REGISTER_NONE */
    uint8_t scale;       /* of index: 1, 2, 4, 8 */
    uint8_t segment;     /* register number of FS or GS, whose base a sample doesn't have; else REGISTER_NONE */
    int64_t displacement;
    uint16_t size_bytes; /* accessed; of one element for gather and scatter; 0: unknown */
    bool is_32;          /* the sum wraps at 32 bits: i386 code, or an address-size prefix */
    bool has_hidden_part; /* more than base, index and displacement decide: a bit number, a byte of RAX, tile rows */
    bool is_relative;    /* address = that of this instruction + displacement */
    bool has_vector_index; /* gather, scatter: one address per element */
    uint8_t index_shift; /* AArch64: left shift of index */
    bool index_is_32;    /* only its low 32 bits count */
    bool index_is_signed;
    bool base_is_updated_before; /* AArch64 pre-index; push */
    bool is_present;
};

/* Groups of x86 flags that cores rename apart: inc and dec leave the carry as it was. */
enum {
    FLAGS_CARRY = 1,
    FLAGS_REST = 2
};

/* step_register is REGISTER_NONE when the instruction adds to none. */
struct instruction {
    uint64_t addr; /* as given to the decoder */
    uint8_t length;
    enum instruction_class class;
    bool is_load, is_store;
    bool ends_block;       /* control may go elsewhere: branch, jump, return, trap */
    bool falls_through;    /* control may go on behind it */
    bool has_target;
    uint64_t target;       /* of a direct branch, jump or call */
    struct memory_operand memory; /* the accessed one; lea has none */
    uint64_t reads, writes; /* general registers, one bit for each number as in samples; flags are PERF_REG_X86_FLAGS */
    uint32_t vector_reads, vector_writes; /* one bit for each vector register number */
    /* Adds to a register: step_register += step_by (a register, REGISTER_NONE: step). Loops count this way. */
    uint8_t step_register, step_by;
    int64_t step;
    uint16_t vector_bits;  /* width of the vector registers it works on: 64, 128, 256, 512; 0: none */
    bool is_scalar_fp;     /* one element of a vector register */
    bool is_masked;        /* AVX-512 write mask */
    bool is_fp;            /* works on floating-point values */
    bool divides;          /* division or square root, whatever the class: "divsd (%rax),%xmm0" loads, too */
    /* What a table of costs asks. AArch64 leaves these empty. */
    /* Intel's name in lower case, without prefixes; kept until the program ends; NULL: not told */
    const char *mnemonic;
    uint8_t operation_bits; /* 8 to 64: width of the operation on general registers */
    uint8_t address_parts; /* lea: how many of base, index, displacement it adds */
    uint8_t mask_reads, mask_writes;  /* one bit for each of k0 to k7 */
    uint8_t flags_read, flags_written; /* FLAGS_* */
    bool has_immediate;    /* other than a branch target */
    int64_t immediate;     /* the last one, widened as the instruction does; 0: none */
    /* bit n: its operand n, masks not counted, is the register that it writes, and it reads that: "subl %ecx,%eax" 1 */
    uint8_t own_places;
    /* the general register written = register sum_from + sum: copies, lea; 32 bits of it at least */
    bool is_sum;
    uint8_t sum_from;
    int64_t sum;
    /* not 0: the general register written = register sum_from + register scaled * scale + sum: lea of two registers */
    uint8_t scale;
    uint8_t scaled;
    /* the general register written = so many low bits of register sum_from, the rest 0; 0: it isn't such */
    uint8_t kept_bits;
    bool repeats;          /* a string instruction, done as often as repeat_register says, which counts down */
    uint8_t repeat_register;
    bool copies;           /* one that goes through two places: `memory`, and where copy_register points */
    uint8_t copy_register;
    uint64_t merges;       /* registers whose rest it keeps: waited for, though the result doesn't need them */
    uint32_t vector_merges; /* the same: "sqrtsd", "movss" between registers */
};

enum disassembly_syntax {
    SYNTAX_ATT,  /* x86: as objdump and perf by default */
    SYNTAX_INTEL /* as objdump -M intel */
};

#define VECTOR_BITS_SCALABLE 1 /* AArch64 SVE: whatever the machine has */

struct disassembler;

/*
 * architecture as recorded: "x86_64", "i686", "aarch64".
 * Errors: ERROR_UNSUPPORTED without the library or for another architecture. Owner: the caller (_free).
 */
MUST_CHECK bool disassembler_new(struct disassembler **ret_disassembler, const char *architecture,
                                 enum disassembly_syntax syntax, struct error *err);
void disassembler_free(struct disassembler *disassembler);

/*
 * Decode what begins at bytes[0]; false when left is 0. Bytes that are no instruction give INSTRUCTION_BAD of
 * length 1 (AArch64: 4).
 */
bool disassembler_next(struct disassembler *disassembler, const uint8_t *bytes, size_t left, uint64_t addr,
                       struct instruction *ret_instruction);

/* Name of what is at an address, and the distance from its start; NULL: nothing known. */
typedef const char *address_name(void *context, uint64_t addr, uint64_t *ret_offset);

/*
 * Append the instruction's text, as objdump would write it, branch targets and data addresses named.
 * name may be NULL.
 */
void disassembler_text(struct disassembler *disassembler, const struct instruction *instruction,
                       const uint8_t *bytes, address_name *name, void *name_context, struct text *out);

/* Why texts are raw words instead of instructions, or NULL: a library that only text needs is missing. */
const char *disassembler_complaint(const struct disassembler *disassembler);

/* Name of a register by its number in samples, such as "rax", "x0"; "?" when it has none. */
const char *register_name(const char *architecture, unsigned number);

#endif
