/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/decoder/x86.h"

#include "base/arena.h"
#include "base/library.h"
#include "base/vec.h"

#include <string.h>

/* Sample register numbers: asm/perf_regs.h, enum perf_event_x86_regs. */
enum {
    X86_IP = 8,
    X86_FLAGS = 9,
    X86_FS = 14,
    X86_GS = 15,
    X86_R8 = 16,
    X86_REGISTERS = 24
};

static const struct library library = {{"libZydis.so.4.0", "libZydis.so.4.1", "libZydis.so.4"}, "libzydis4.0",
                                       "disassembling x86 code"};
static const struct library_symbol functions[] = {
    LIBRARY_SYMBOL(struct zydis, init, "ZydisDecoderInit"),
    LIBRARY_SYMBOL(struct zydis, decode, "ZydisDecoderDecodeFull"),
    LIBRARY_SYMBOL(struct zydis, mnemonic, "ZydisMnemonicGetString"),
    LIBRARY_SYMBOL(struct zydis, register_name, "ZydisRegisterGetString"),
};

static bool x86_serves(const char *architecture)
{
    return strcmp(architecture, "x86_64") == 0 || strcmp(architecture, "amd64") == 0 ||
           (architecture[0] == 'i' && strcmp(architecture + 2, "86") == 0);
}

static bool x86_open(void **ret_state, const char *architecture, enum disassembly_syntax syntax, struct error *err)
{
    struct zydis api;
    if (!library_load(&library, functions, array_count(functions), &api, err))
        return false;
    struct x86_state *state = memory_alloc(sizeof(*state));
    *state = (struct x86_state){.api = api, .syntax = syntax, .is_64 = architecture[0] != 'i'};
    ZyanStatus status =
        api.init(&state->decoder, state->is_64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
                 state->is_64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
    if (!ZYAN_SUCCESS(status)) {
        free(state);
        return error_set(err, ERROR_UNSUPPORTED, "Zydis can't decode %s code", architecture);
    }
    *ret_state = state;
    return true;
}

static void x86_close(void *state)
{
    free(state);
}

/* The number in samples of a general register of any width; REGISTER_NONE. */
static uint8_t sample_number(ZydisRegister name)
{
    /* Encoding order is AX CX DX BX SP BP SI DI R8..R15; samples count AX BX CX DX SI DI BP SP. */
    static const uint8_t numbers[] = {0, 2, 3, 1, 7, 6, 4, 5, 16, 17, 18, 19, 20, 21, 22, 23};
    if (name >= ZYDIS_REGISTER_AL && name <= ZYDIS_REGISTER_BL)
        return numbers[name - ZYDIS_REGISTER_AL];
    if (name >= ZYDIS_REGISTER_AH && name <= ZYDIS_REGISTER_BH)
        return numbers[name - ZYDIS_REGISTER_AH];
    if (name >= ZYDIS_REGISTER_SPL && name <= ZYDIS_REGISTER_R15B)
        return numbers[name - ZYDIS_REGISTER_SPL + 4];
    if (name >= ZYDIS_REGISTER_AX && name <= ZYDIS_REGISTER_R15W)
        return numbers[name - ZYDIS_REGISTER_AX];
    if (name >= ZYDIS_REGISTER_EAX && name <= ZYDIS_REGISTER_R15D)
        return numbers[name - ZYDIS_REGISTER_EAX];
    if (name >= ZYDIS_REGISTER_RAX && name <= ZYDIS_REGISTER_R15)
        return numbers[name - ZYDIS_REGISTER_RAX];
    return REGISTER_NONE;
}

static bool is_vector(ZydisRegister name, uint32_t *ret_bit, uint16_t *ret_bits)
{
    static const struct {
        ZydisRegister first, last;
        uint16_t bits;
    } ranges[] = {
        {ZYDIS_REGISTER_XMM0, ZYDIS_REGISTER_XMM31, 128},
        {ZYDIS_REGISTER_YMM0, ZYDIS_REGISTER_YMM31, 256},
        {ZYDIS_REGISTER_ZMM0, ZYDIS_REGISTER_ZMM31, 512},
    };
    for (size_t at = 0; at < array_count(ranges); at++)
        if (name >= ranges[at].first && name <= ranges[at].last) {
            *ret_bit = 1u << (name - ranges[at].first);
            *ret_bits = ranges[at].bits;
            return true;
        }
    return false;
}

static void note_register(struct instruction *instruction, ZydisRegister name, ZydisOperandActions actions)
{
    uint8_t number = sample_number(name);
    uint32_t vector_bit;
    uint16_t bits;
    /* cmov: what it was may stay */
    bool reads = actions & (ZYDIS_OPERAND_ACTION_MASK_READ | ZYDIS_OPERAND_ACTION_CONDWRITE);
    bool writes = actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    if (name == ZYDIS_REGISTER_FLAGS || name == ZYDIS_REGISTER_EFLAGS || name == ZYDIS_REGISTER_RFLAGS)
        number = X86_FLAGS, reads = actions & ZYDIS_OPERAND_ACTION_MASK_READ;
    if (number != REGISTER_NONE) {
        instruction->reads |= reads ? (uint64_t)1 << number : 0;
        instruction->writes |= writes ? (uint64_t)1 << number : 0;
    } else if (is_vector(name, &vector_bit, &bits)) {
        instruction->vector_reads |= reads ? vector_bit : 0;
        instruction->vector_writes |= writes ? vector_bit : 0;
        if (bits > instruction->vector_bits)
            instruction->vector_bits = bits;
    }
}

static void note_mask(struct instruction *instruction, ZydisRegister name, ZydisOperandActions actions)
{
    if (name < ZYDIS_REGISTER_K0 || name > ZYDIS_REGISTER_K7)
        return;
    uint8_t bit = (uint8_t)(1u << (name - ZYDIS_REGISTER_K0));
    instruction->mask_reads |= actions & ZYDIS_OPERAND_ACTION_MASK_READ ? bit : 0;
    instruction->mask_writes |= actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? bit : 0;
}

static bool is_float(ZydisElementType type)
{
    return type == ZYDIS_ELEMENT_TYPE_FLOAT16 || type == ZYDIS_ELEMENT_TYPE_FLOAT32 ||
           type == ZYDIS_ELEMENT_TYPE_FLOAT64 || type == ZYDIS_ELEMENT_TYPE_FLOAT80;
}

/*
 * Instructions whose address isn't base + index + displacement: a bit number from a register reaches beyond the
 * operand, xlat indexes by AL alone, tiles take the index as the distance of their rows, two masked or direct stores
 * hide theirs.
 */
static bool hides_part_of_address(const struct x86_instruction *x86)
{
    switch (x86->info.mnemonic) {
    case ZYDIS_MNEMONIC_BT:
    case ZYDIS_MNEMONIC_BTC:
    case ZYDIS_MNEMONIC_BTR:
    case ZYDIS_MNEMONIC_BTS:
        return x86->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
    case ZYDIS_MNEMONIC_XLAT:
    case ZYDIS_MNEMONIC_TILELOADD:
    case ZYDIS_MNEMONIC_TILELOADDT1:
    case ZYDIS_MNEMONIC_TILESTORED:
        return true;
    default:
        return false;
    }
}

static void note_memory(struct instruction *instruction, const struct x86_instruction *x86,
                        const ZydisDecodedOperand *operand)
{
    if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN || operand->mem.type == ZYDIS_MEMOP_TYPE_INVALID)
        return;
    bool reads = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
    bool writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    instruction->is_load |= reads;
    instruction->is_store |= writes;
    /* Of two (movs, push from memory) the explicit one, then the one that is read, is the operand meant. */
    bool hidden = operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
    if (instruction->memory.is_present && (hidden || !reads))
        return;
    struct memory_operand memory = {
        .base = sample_number(operand->mem.base),
        .index = sample_number(operand->mem.index),
        .scale = operand->mem.scale,
        .segment = operand->mem.segment == ZYDIS_REGISTER_FS   ? X86_FS
                   : operand->mem.segment == ZYDIS_REGISTER_GS ? X86_GS
                                                               : REGISTER_NONE,
        .displacement = operand->mem.disp.has_displacement ? operand->mem.disp.value : 0,
        .is_relative = operand->mem.base == ZYDIS_REGISTER_RIP || operand->mem.base == ZYDIS_REGISTER_EIP,
        .is_32 = x86->info.address_width == 32,
        .has_hidden_part = hides_part_of_address(x86),
        .has_vector_index = operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB,
        .size_bytes = operand->size / 8,
        .is_present = true,
    };
    if (memory.is_relative)
        memory.displacement += x86->info.length; /* x86 counts from the next instruction */
    if (x86->info.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID && operand->element_size)
        memory.size_bytes = operand->element_size / 8;
    instruction->memory = memory;
    if (hidden && writes && memory.base == sample_number(ZYDIS_REGISTER_RSP)) /* push, call */
        instruction->memory.base_is_updated_before = true;
}

struct mnemonic_class {
    ZydisMnemonic mnemonic;
    enum instruction_class class;
};

/* What categories don't tell apart. */
static const struct mnemonic_class mnemonic_classes[] = {
    {ZYDIS_MNEMONIC_DIV, INSTRUCTION_DIV},          {ZYDIS_MNEMONIC_IDIV, INSTRUCTION_DIV},
    {ZYDIS_MNEMONIC_MUL, INSTRUCTION_MUL},          {ZYDIS_MNEMONIC_IMUL, INSTRUCTION_MUL},
    {ZYDIS_MNEMONIC_MULX, INSTRUCTION_MUL},         {ZYDIS_MNEMONIC_MFENCE, INSTRUCTION_BARRIER},
    {ZYDIS_MNEMONIC_LFENCE, INSTRUCTION_BARRIER},   {ZYDIS_MNEMONIC_SFENCE, INSTRUCTION_BARRIER},
    {ZYDIS_MNEMONIC_SERIALIZE, INSTRUCTION_BARRIER}, {ZYDIS_MNEMONIC_PAUSE, INSTRUCTION_NOP},
    {ZYDIS_MNEMONIC_CPUID, INSTRUCTION_SYSTEM},     {ZYDIS_MNEMONIC_RDTSC, INSTRUCTION_SYSTEM},
    {ZYDIS_MNEMONIC_RDTSCP, INSTRUCTION_SYSTEM},    {ZYDIS_MNEMONIC_XGETBV, INSTRUCTION_SYSTEM},
    {ZYDIS_MNEMONIC_LEA, INSTRUCTION_INT},          {ZYDIS_MNEMONIC_ENDBR64, INSTRUCTION_NOP},
    {ZYDIS_MNEMONIC_ENDBR32, INSTRUCTION_NOP},      {ZYDIS_MNEMONIC_CLFLUSH, INSTRUCTION_OTHER},
    {ZYDIS_MNEMONIC_UD2, INSTRUCTION_SYSTEM},       {ZYDIS_MNEMONIC_HLT, INSTRUCTION_SYSTEM},
    {ZYDIS_MNEMONIC_INT3, INSTRUCTION_SYSTEM},
};

struct category_class {
    ZydisInstructionCategory category;
    enum instruction_class class;
};

static const struct category_class category_classes[] = {
    {ZYDIS_CATEGORY_NOP, INSTRUCTION_NOP},           {ZYDIS_CATEGORY_WIDENOP, INSTRUCTION_NOP},
    {ZYDIS_CATEGORY_COND_BR, INSTRUCTION_BRANCH},    {ZYDIS_CATEGORY_UNCOND_BR, INSTRUCTION_JUMP},
    {ZYDIS_CATEGORY_CALL, INSTRUCTION_CALL},         {ZYDIS_CATEGORY_RET, INSTRUCTION_RETURN},
    {ZYDIS_CATEGORY_AVX2GATHER, INSTRUCTION_GATHER}, {ZYDIS_CATEGORY_GATHER, INSTRUCTION_GATHER},
    {ZYDIS_CATEGORY_SCATTER, INSTRUCTION_SCATTER},   {ZYDIS_CATEGORY_PREFETCH, INSTRUCTION_PREFETCH},
    {ZYDIS_CATEGORY_STRINGOP, INSTRUCTION_STRING},   {ZYDIS_CATEGORY_AES, INSTRUCTION_CRYPTO},
    {ZYDIS_CATEGORY_VAES, INSTRUCTION_CRYPTO},       {ZYDIS_CATEGORY_SHA, INSTRUCTION_CRYPTO},
    {ZYDIS_CATEGORY_PCLMULQDQ, INSTRUCTION_CRYPTO},  {ZYDIS_CATEGORY_VPCLMULQDQ, INSTRUCTION_CRYPTO},
    {ZYDIS_CATEGORY_GFNI, INSTRUCTION_CRYPTO},       {ZYDIS_CATEGORY_SYSCALL, INSTRUCTION_SYSTEM},
    {ZYDIS_CATEGORY_SYSRET, INSTRUCTION_SYSTEM},     {ZYDIS_CATEGORY_SYSTEM, INSTRUCTION_SYSTEM},
    {ZYDIS_CATEGORY_INTERRUPT, INSTRUCTION_SYSTEM},  {ZYDIS_CATEGORY_XSAVE, INSTRUCTION_SYSTEM},
    {ZYDIS_CATEGORY_XSAVEOPT, INSTRUCTION_SYSTEM},   {ZYDIS_CATEGORY_IO, INSTRUCTION_SYSTEM},
};

static bool is_move(const ZydisDecodedInstruction *info)
{
    return info->meta.category == ZYDIS_CATEGORY_DATAXFER || info->meta.category == ZYDIS_CATEGORY_PUSH ||
           info->meta.category == ZYDIS_CATEGORY_POP || info->meta.category == ZYDIS_CATEGORY_BROADCAST ||
           info->mnemonic == ZYDIS_MNEMONIC_FLD;
}

/* Puts elements elsewhere and computes nothing, whatever they are: by the name's beginning, without its v. */
static bool rearranges(const struct x86_state *state, const struct x86_instruction *x86)
{
    static const char *const names[] = {"perm",   "shuf",    "pshuf",  "unpck",    "blend",
                                        "insert", "extract", "movmsk", "compress", "expand"};
    const char *mnemonic = state->api.mnemonic(x86->info.mnemonic);
    bool found = false;
    for (size_t at = 0; mnemonic && at < array_count(names); at++)
        found |= strncmp(mnemonic + (mnemonic[0] == 'v'), names[at], strlen(names[at])) == 0;
    return found;
}

static bool divides(const struct x86_state *state, const ZydisDecodedInstruction *info)
{
    const char *mnemonic = state->api.mnemonic(info->mnemonic);
    return mnemonic && (strstr(mnemonic, "div") || strstr(mnemonic, "sqrt") || strcmp(mnemonic, "fprem") == 0);
}

static enum instruction_class compute_class(const struct x86_state *state, const struct x86_instruction *x86,
                                            const struct instruction *instruction)
{
    const ZydisDecodedInstruction *info = &x86->info;
    if (instruction->is_fp && divides(state, info))
        return INSTRUCTION_FP_DIV;
    if (instruction->is_fp)
        return INSTRUCTION_FP;
    if (instruction->vector_bits || info->meta.category == ZYDIS_CATEGORY_KMASK ||
        info->meta.category == ZYDIS_CATEGORY_MMX)
        return INSTRUCTION_VECTOR;
    return INSTRUCTION_INT;
}

static enum instruction_class classify(const struct x86_state *state, const struct x86_instruction *x86,
                                       const struct instruction *instruction)
{
    const ZydisDecodedInstruction *info = &x86->info;
    for (size_t at = 0; at < array_count(mnemonic_classes); at++)
        if (mnemonic_classes[at].mnemonic == info->mnemonic)
            return mnemonic_classes[at].class;
    for (size_t at = 0; at < array_count(category_classes); at++)
        if (category_classes[at].category == info->meta.category && info->encoding != ZYDIS_INSTRUCTION_ENCODING_MVEX)
            return category_classes[at].class;
    bool locked = info->attributes & ZYDIS_ATTRIB_HAS_LOCK;
    if (instruction->is_load && instruction->is_store && instruction->memory.is_present &&
        info->meta.category != ZYDIS_CATEGORY_PUSH && info->meta.category != ZYDIS_CATEGORY_POP)
        return locked || info->mnemonic == ZYDIS_MNEMONIC_XCHG ? INSTRUCTION_ATOMIC : INSTRUCTION_UPDATE;
    if (instruction->is_store)
        return INSTRUCTION_STORE;
    if (instruction->is_load)
        return is_move(info) || (!instruction->vector_reads && instruction->vector_bits && rearranges(state, x86))
                   ? INSTRUCTION_LOAD
                   : INSTRUCTION_LOAD_OP;
    if (is_move(info))
        return INSTRUCTION_MOVE;
    return compute_class(state, x86, instruction);
}

static void note_flow(struct instruction *instruction, const struct x86_instruction *x86, uint64_t addr)
{
    const ZydisDecodedInstruction *info = &x86->info;
    enum instruction_class class = instruction->class;
    bool stops = info->mnemonic == ZYDIS_MNEMONIC_UD2 || info->mnemonic == ZYDIS_MNEMONIC_HLT ||
                 info->mnemonic == ZYDIS_MNEMONIC_INT3;
    instruction->ends_block =
        class == INSTRUCTION_BRANCH || class == INSTRUCTION_JUMP || class == INSTRUCTION_RETURN || stops;
    instruction->falls_through = class != INSTRUCTION_JUMP && class != INSTRUCTION_RETURN && !stops;
    for (size_t at = 0; at < info->operand_count; at++) {
        const ZydisDecodedOperand *operand = &x86->operands[at];
        if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand->imm.is_relative) {
            instruction->has_target = true;
            instruction->target = addr + info->length + operand->imm.value.u;
        }
    }
}

/* Where among its operands an instruction reads the register that it writes. */
static uint8_t own_places_of(const struct x86_instruction *x86)
{
    const ZydisDecodedOperand *to = &x86->operands[0];
    uint32_t bit, own_bit = 0;
    uint16_t bits;
    if (!x86->info.operand_count_visible || to->type != ZYDIS_OPERAND_TYPE_REGISTER ||
        !(to->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
        return 0;
    uint8_t own = sample_number(to->reg.value), places = 0;
    bool is_own_vector = is_vector(to->reg.value, &own_bit, &bits);
    for (size_t at = 0, place = 0; at < x86->info.operand_count_visible && place < 8; at++) {
        const ZydisDecodedOperand *operand = &x86->operands[at];
        ZydisRegister name = operand->type == ZYDIS_OPERAND_TYPE_REGISTER ? operand->reg.value : ZYDIS_REGISTER_NONE;
        if (name >= ZYDIS_REGISTER_K0 && name <= ZYDIS_REGISTER_K7)
            continue;
        bool same = is_own_vector ? is_vector(name, &bit, &bits) && bit == own_bit
                                  : own != REGISTER_NONE && sample_number(name) == own;
        places |= same && operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ ? (uint8_t)(1u << place) : 0;
        place++;
    }
    return places;
}

static void note_operands(struct instruction *instruction, const struct x86_instruction *x86)
{
    for (size_t at = 0; at < x86->info.operand_count; at++) {
        const ZydisDecodedOperand *operand = &x86->operands[at];
        if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
            note_register(instruction, operand->reg.value, operand->actions);
            note_mask(instruction, operand->reg.value, operand->actions);
        }
        if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && !operand->imm.is_relative) {
            instruction->has_immediate = true;
            instruction->immediate = operand->imm.value.s;
        }
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
            note_register(instruction, operand->mem.base, ZYDIS_OPERAND_ACTION_READ);
            note_register(instruction, operand->mem.index, ZYDIS_OPERAND_ACTION_READ);
            note_memory(instruction, x86, operand);
        }
        if (is_float(operand->element_type) && operand->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN)
            instruction->is_fp = true;
    }
    if (x86->info.meta.category == ZYDIS_CATEGORY_X87_ALU)
        instruction->is_fp = true;
    instruction->own_places = own_places_of(x86);
}

/* xor and kin of a register with itself: the result is zero whatever it held, and cores don't wait for it. */
static void note_zeroing(struct instruction *instruction, const struct x86_instruction *x86)
{
    static const ZydisMnemonic zeroing[] = {
        ZYDIS_MNEMONIC_XOR,    ZYDIS_MNEMONIC_SUB,    ZYDIS_MNEMONIC_PXOR,   ZYDIS_MNEMONIC_XORPS,
        ZYDIS_MNEMONIC_XORPD,  ZYDIS_MNEMONIC_VPXOR,  ZYDIS_MNEMONIC_VXORPS, ZYDIS_MNEMONIC_VXORPD,
        ZYDIS_MNEMONIC_VPXORD, ZYDIS_MNEMONIC_VPXORQ,
    };
    bool listed = false;
    for (size_t at = 0; at < array_count(zeroing); at++)
        listed |= zeroing[at] == x86->info.mnemonic;
    size_t visible = x86->info.operand_count_visible;
    if (!listed || visible < 2)
        return;
    const ZydisDecodedOperand *a = &x86->operands[visible - 2], *b = &x86->operands[visible - 1];
    if (a->type == ZYDIS_OPERAND_TYPE_REGISTER && b->type == ZYDIS_OPERAND_TYPE_REGISTER &&
        a->reg.value == b->reg.value) {
        instruction->reads = 0;
        instruction->vector_reads = 0;
    }
}

/* add, sub, inc, dec and lea that move a register on by a constant or by another register. */
static void note_step(struct instruction *instruction, const struct x86_instruction *x86)
{
    const ZydisDecodedOperand *to = &x86->operands[0], *from = &x86->operands[1];
    ZydisMnemonic mnemonic = x86->info.mnemonic;
    bool counts = mnemonic == ZYDIS_MNEMONIC_INC || mnemonic == ZYDIS_MNEMONIC_DEC;
    bool adds = mnemonic == ZYDIS_MNEMONIC_ADD || mnemonic == ZYDIS_MNEMONIC_SUB;
    int sign = mnemonic == ZYDIS_MNEMONIC_SUB || mnemonic == ZYDIS_MNEMONIC_DEC ? -1 : 1;
    if (to->type != ZYDIS_OPERAND_TYPE_REGISTER || to->size < 32)
        return;
    uint8_t number = sample_number(to->reg.value);
    if (counts) {
        instruction->step = sign;
    } else if (adds && from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        instruction->step = sign * from->imm.value.s;
    } else if (mnemonic == ZYDIS_MNEMONIC_ADD && from->type == ZYDIS_OPERAND_TYPE_REGISTER &&
               sample_number(from->reg.value) != number) {
        instruction->step_by = sample_number(from->reg.value);
    } else if (mnemonic == ZYDIS_MNEMONIC_LEA && sample_number(from->mem.base) == number &&
               from->mem.index == ZYDIS_REGISTER_NONE) {
        instruction->step = from->mem.disp.value;
    } else if (mnemonic == ZYDIS_MNEMONIC_LEA && sample_number(from->mem.base) == number && from->mem.scale == 1 &&
               !from->mem.disp.value) {
        instruction->step_by = sample_number(from->mem.index);
    } else {
        return;
    }
    instruction->step_register = number;
}

/* A register that becomes another one plus a constant. */
static void note_sum(struct instruction *instruction, const struct x86_instruction *x86)
{
    const ZydisDecodedOperand *to = &x86->operands[0], *from = &x86->operands[1];
    ZydisMnemonic mnemonic = x86->info.mnemonic;
    bool is_low = from->type == ZYDIS_OPERAND_TYPE_REGISTER &&
                  !(from->reg.value >= ZYDIS_REGISTER_AH && from->reg.value <= ZYDIS_REGISTER_BH);
    bool copies =
        mnemonic == ZYDIS_MNEMONIC_MOV || mnemonic == ZYDIS_MNEMONIC_MOVSXD || mnemonic == ZYDIS_MNEMONIC_CDQE;
    if (to->type != ZYDIS_OPERAND_TYPE_REGISTER || to->size < 32)
        return;
    if (mnemonic == ZYDIS_MNEMONIC_MOVZX && is_low) {
        instruction->sum_from = sample_number(from->reg.value);
        instruction->kept_bits = (uint8_t)from->size;
        return;
    }
    if (copies && from->type == ZYDIS_OPERAND_TYPE_REGISTER && from->size >= 32) {
        instruction->sum_from = sample_number(from->reg.value);
    } else if (mnemonic == ZYDIS_MNEMONIC_LEA) {
        instruction->sum_from = sample_number(from->mem.base);
        instruction->sum = from->mem.disp.has_displacement ? from->mem.disp.value : 0;
        instruction->scaled = sample_number(from->mem.index);
        bool both = instruction->sum_from != REGISTER_NONE && instruction->scaled != REGISTER_NONE;
        instruction->scale = both ? from->mem.scale : 0;
        if (from->mem.index != ZYDIS_REGISTER_NONE)
            return;
    } else {
        return;
    }
    instruction->is_sum = instruction->sum_from != REGISTER_NONE && sample_number(to->reg.value) != REGISTER_NONE;
}

/* One element of a vector register: "addsd", "vfmadd231ss", "cvttsd2si"; a broadcast fills all of it. */
static bool is_scalar(const struct x86_state *state, const struct x86_instruction *x86,
                      const struct instruction *instruction)
{
    if (!instruction->vector_bits || !instruction->is_fp || x86->info.meta.category == ZYDIS_CATEGORY_BROADCAST)
        return false;
    struct view name = view_of(state->api.mnemonic(x86->info.mnemonic));
    return view_ends(name, "ss") || view_ends(name, "sd") || view_ends(name, "sh") || view_find(name, "sd2") >= 0 ||
           view_find(name, "ss2") >= 0 || view_find(name, "sh2") >= 0;
}

static uint8_t flag_groups(ZydisAccessedFlagsMask flags)
{
    return (uint8_t)((flags & ZYDIS_CPUFLAG_CF ? FLAGS_CARRY : 0) |
                     (flags & ~(ZydisAccessedFlagsMask)ZYDIS_CPUFLAG_CF ? FLAGS_REST : 0));
}

/*
 * A byte or half word written into a register, and one element by SSE's first encoding into a vector register, leave
 * the rest as it was, so cores wait for that. Loads of one element clear the rest.
 */
static void note_merging(struct instruction *instruction, const struct x86_instruction *x86)
{
    const ZydisDecodedOperand *to = &x86->operands[0];
    uint32_t vector_bit;
    uint16_t bits;
    if (!x86->info.operand_count_visible || to->type != ZYDIS_OPERAND_TYPE_REGISTER ||
        !(to->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) || (to->actions & ZYDIS_OPERAND_ACTION_MASK_READ))
        return;
    uint8_t number = sample_number(to->reg.value);
    if (number != REGISTER_NONE && to->size < 32)
        instruction->merges |= (uint64_t)1 << number;
    bool is_element = instruction->is_scalar_fp && instruction->class != INSTRUCTION_LOAD;
    bool is_half = x86->info.mnemonic == ZYDIS_MNEMONIC_MOVHPS || x86->info.mnemonic == ZYDIS_MNEMONIC_MOVHPD ||
                   x86->info.mnemonic == ZYDIS_MNEMONIC_MOVLPS || x86->info.mnemonic == ZYDIS_MNEMONIC_MOVLPD;
    if (x86->info.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY && (is_element || is_half) &&
        is_vector(to->reg.value, &vector_bit, &bits))
        instruction->vector_merges |= vector_bit;
}

static void note_costs(const struct x86_state *state, struct instruction *instruction,
                       const struct x86_instruction *x86)
{
    const ZydisDecodedOperand *from = &x86->operands[1];
    const ZydisAccessedFlags *flags = x86->info.cpu_flags;
    instruction->mnemonic = state->api.mnemonic(x86->info.mnemonic);
    instruction->operation_bits = x86->info.operand_width <= 64 ? (uint8_t)x86->info.operand_width : 0;
    if (x86->info.mnemonic == ZYDIS_MNEMONIC_LEA)
        instruction->address_parts =
            (uint8_t)((from->mem.base != ZYDIS_REGISTER_NONE) + (from->mem.index != ZYDIS_REGISTER_NONE) +
                      (from->mem.disp.has_displacement && from->mem.disp.value));
    if (flags) {
        instruction->flags_read = flag_groups(flags->tested);
        instruction->flags_written = flag_groups(flags->modified | flags->set_0 | flags->set_1 | flags->undefined);
    }
    note_merging(instruction, x86);
    note_sum(instruction, x86);
}

/* rep movs and kin: how often, and where else. */
static void note_string(struct instruction *instruction, const struct x86_instruction *x86)
{
    const uint64_t repeated = ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
    uint8_t from = sample_number(ZYDIS_REGISTER_RSI), to = sample_number(ZYDIS_REGISTER_RDI);
    uint64_t both = (uint64_t)1 << from | (uint64_t)1 << to;
    instruction->repeats = x86->info.attributes & repeated;
    instruction->repeat_register = sample_number(ZYDIS_REGISTER_RCX);
    instruction->copies = instruction->memory.is_present && (instruction->writes & both) == both;
    instruction->copy_register = instruction->memory.base == from ? to : from;
}

static void x86_next(void *context, const uint8_t *bytes, size_t left, uint64_t addr,
                     struct instruction *ret_instruction)
{
    struct x86_state *state = context;
    struct instruction instruction = {
        .addr = addr,
        .length = 1,
        .memory = {.base = REGISTER_NONE, .index = REGISTER_NONE, .segment = REGISTER_NONE},
        .step_register = REGISTER_NONE,
        .step_by = REGISTER_NONE,
    };
    struct x86_instruction *x86 = &state->last;
    state->last_bytes = NULL;
    if (!ZYAN_SUCCESS(state->api.decode(&state->decoder, bytes, left, &x86->info, x86->operands))) {
        instruction.ends_block = true;
        *ret_instruction = instruction;
        return;
    }
    state->last_bytes = bytes;
    instruction.length = x86->info.length;
    note_operands(&instruction, x86);
    instruction.is_fp &= !rearranges(state, x86);
    note_zeroing(&instruction, x86);
    note_step(&instruction, x86);
    instruction.is_masked = x86->info.avx.mask.mode != ZYDIS_MASK_MODE_INVALID &&
                            x86->info.avx.mask.mode != ZYDIS_MASK_MODE_DISABLED;
    instruction.is_scalar_fp = is_scalar(state, x86, &instruction);
    instruction.class = classify(state, x86, &instruction);
    note_costs(state, &instruction, x86);
    instruction.divides = instruction.class == INSTRUCTION_DIV || (instruction.is_fp && divides(state, &x86->info));
    if (instruction.class == INSTRUCTION_NOP) { /* its operand is padding */
        instruction.memory.is_present = instruction.is_load = instruction.is_store = false;
        instruction.reads = instruction.writes = instruction.merges = 0;
        instruction.flags_read = instruction.flags_written = 0;
    }
    if (instruction.class == INSTRUCTION_STRING)
        note_string(&instruction, x86);
    if (instruction.class == INSTRUCTION_PREFETCH)
        instruction.is_load = instruction.is_store = false;
    note_flow(&instruction, x86, addr);
    *ret_instruction = instruction;
}

static void x86_text_of(void *context, const struct instruction *instruction, const uint8_t *bytes, address_name *name,
                        void *name_context, struct text *out)
{
    struct x86_state *state = context;
    if (instruction->class != INSTRUCTION_BAD && state->last_bytes != bytes) {
        bool decoded = ZYAN_SUCCESS(
            state->api.decode(&state->decoder, bytes, instruction->length, &state->last.info, state->last.operands));
        state->last_bytes = decoded ? bytes : NULL;
    }
    if (instruction->class == INSTRUCTION_BAD || !state->last_bytes)
        text_add(out, "(bad)");
    else
        x86_text(state, &state->last, bytes, instruction->addr, name, name_context, out);
}

static const char *x86_register_name(unsigned number)
{
    static const char *const names[X86_REGISTERS] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp",
                                                     "rip", "flags", "cs", "ss", "ds", "es", "fs", "gs",
                                                     "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    return number < X86_REGISTERS ? names[number] : "?";
}

const struct decoder x86_decoder = {
    .serves = x86_serves,
    .open = x86_open,
    .close = x86_close,
    .next = x86_next,
    .text = x86_text_of,
    .register_name = x86_register_name,
};
