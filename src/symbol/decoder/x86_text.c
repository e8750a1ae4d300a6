/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text of an x86 instruction in the two dialects that people read in objdump and perf: AT&T and Intel.
 * Own, because readers compare it with those two, and because Zydis' AT&T style names instructions as Intel does.
 */
#include "symbol/decoder/x86.h"

#include "base/vec.h"

#include <string.h>

enum { MNEMONIC_COLUMNS = 6 };

struct writer {
    const struct x86_state *state;
    const struct x86_instruction *x86;
    const ZydisDecodedInstruction *info;
    const uint8_t *bytes;
    uint64_t addr;
    address_name *name;
    void *name_context;
    struct text *out;
    bool att;
    bool has_data_addr; /* a rip-relative operand: its address follows as a comment */
    uint64_t data_addr;
};

struct renamed {
    const char *att, *intel; /* NULL: as Zydis says */
};

/* Names by which objdump calls what Zydis, after Intel's manual, calls otherwise. */
static const struct renamed renamed[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
    [ZYDIS_MNEMONIC_CBW] = {"cbtw", NULL},
    [ZYDIS_MNEMONIC_CWDE] = {"cwtl", NULL},
    [ZYDIS_MNEMONIC_CDQE] = {"cltq", NULL},
    [ZYDIS_MNEMONIC_CWD] = {"cwtd", NULL},
    [ZYDIS_MNEMONIC_CDQ] = {"cltd", NULL},
    [ZYDIS_MNEMONIC_CQO] = {"cqto", NULL},
    [ZYDIS_MNEMONIC_JZ] = {"je", "je"},
    [ZYDIS_MNEMONIC_JNZ] = {"jne", "jne"},
    [ZYDIS_MNEMONIC_JNB] = {"jae", "jae"},
    [ZYDIS_MNEMONIC_JNBE] = {"ja", "ja"},
    [ZYDIS_MNEMONIC_JNL] = {"jge", "jge"},
    [ZYDIS_MNEMONIC_JNLE] = {"jg", "jg"},
    [ZYDIS_MNEMONIC_SETZ] = {"sete", "sete"},
    [ZYDIS_MNEMONIC_SETNZ] = {"setne", "setne"},
    [ZYDIS_MNEMONIC_SETNB] = {"setae", "setae"},
    [ZYDIS_MNEMONIC_SETNBE] = {"seta", "seta"},
    [ZYDIS_MNEMONIC_SETNL] = {"setge", "setge"},
    [ZYDIS_MNEMONIC_SETNLE] = {"setg", "setg"},
    [ZYDIS_MNEMONIC_CMOVZ] = {"cmove", "cmove"},
    [ZYDIS_MNEMONIC_CMOVNZ] = {"cmovne", "cmovne"},
    [ZYDIS_MNEMONIC_CMOVNB] = {"cmovae", "cmovae"},
    [ZYDIS_MNEMONIC_CMOVNBE] = {"cmova", "cmova"},
    [ZYDIS_MNEMONIC_CMOVNL] = {"cmovge", "cmovge"},
    [ZYDIS_MNEMONIC_CMOVNLE] = {"cmovg", "cmovg"},
    [ZYDIS_MNEMONIC_PUSHFQ] = {"pushf", "pushf"},
    [ZYDIS_MNEMONIC_POPFQ] = {"popf", "popf"},
    [ZYDIS_MNEMONIC_PUSHFD] = {"pushf", "pushf"},
    [ZYDIS_MNEMONIC_POPFD] = {"popf", "popf"},
    [ZYDIS_MNEMONIC_IRETD] = {"iret", "iret"},
    [ZYDIS_MNEMONIC_FWAIT] = {"fwait", "fwait"},
    [ZYDIS_MNEMONIC_LODSB] = {"lods", "lods"},
    [ZYDIS_MNEMONIC_LODSW] = {"lods", "lods"},
    [ZYDIS_MNEMONIC_LODSD] = {"lods", "lods"},
    [ZYDIS_MNEMONIC_LODSQ] = {"lods", "lods"},
    [ZYDIS_MNEMONIC_STOSB] = {"stos", "stos"},
    [ZYDIS_MNEMONIC_STOSW] = {"stos", "stos"},
    [ZYDIS_MNEMONIC_STOSD] = {"stos", "stos"},
    [ZYDIS_MNEMONIC_STOSQ] = {"stos", "stos"},
    [ZYDIS_MNEMONIC_SCASB] = {"scas", "scas"},
    [ZYDIS_MNEMONIC_SCASW] = {"scas", "scas"},
    [ZYDIS_MNEMONIC_SCASD] = {"scas", "scas"},
    [ZYDIS_MNEMONIC_SCASQ] = {"scas", "scas"},
    [ZYDIS_MNEMONIC_MOVSB] = {"movsb", "movs"},
    [ZYDIS_MNEMONIC_MOVSW] = {"movsw", "movs"},
    [ZYDIS_MNEMONIC_MOVSQ] = {"movsq", "movs"},
    [ZYDIS_MNEMONIC_CMPSB] = {"cmpsb", "cmps"},
    [ZYDIS_MNEMONIC_CMPSW] = {"cmpsw", "cmps"},
    [ZYDIS_MNEMONIC_CMPSQ] = {"cmpsq", "cmps"},
    [ZYDIS_MNEMONIC_SYSRET] = {"sysretl", "sysretd"},
    [ZYDIS_MNEMONIC_XLAT] = {"xlat", "xlat"},
    [ZYDIS_MNEMONIC_SYSEXIT] = {"sysexitl", "sysexitd"},
    [ZYDIS_MNEMONIC_IRETQ] = {"iretq", "iretq"},
};

static bool is_string_instruction(const ZydisDecodedInstruction *info)
{
    return info->meta.category == ZYDIS_CATEGORY_STRINGOP;
}

/* Operands that are written, in Intel's order; returns how many. */
static size_t written_operands(const struct writer *writer, const ZydisDecodedOperand **ret_operands)
{
    size_t count = 0;
    bool is_string = is_string_instruction(writer->info);
    for (size_t at = 0; at < writer->info->operand_count; at++) {
        const ZydisDecodedOperand *operand = &writer->x86->operands[at];
        bool hidden = operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
        if (operand->encoding == ZYDIS_OPERAND_ENCODING_MASK)
            continue;
        if (is_string && hidden) {
            /* Written although hidden: the memory operands and the accumulator, but no counts and pointers. */
            bool is_accumulator =
                operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
                (operand->reg.value == ZYDIS_REGISTER_AL || operand->reg.value == ZYDIS_REGISTER_AX ||
                 operand->reg.value == ZYDIS_REGISTER_EAX || operand->reg.value == ZYDIS_REGISTER_RAX);
            hidden = operand->type != ZYDIS_OPERAND_TYPE_MEMORY && !is_accumulator;
        }
        if (!hidden)
            ret_operands[count++] = operand;
    }
    /* AT&T leaves the 1 of shifts by one out. */
    if (writer->att && count == 2 && ret_operands[1]->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
        ret_operands[1]->visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT)
        count = 1;
    if (writer->info->mnemonic == ZYDIS_MNEMONIC_NOP && count > 1) /* the register of 0f 1f means nothing */
        count = 1;
    return count;
}

static const ZydisDecodedOperand *memory_of(const ZydisDecodedOperand *const *operands, size_t count)
{
    for (size_t at = 0; at < count; at++)
        if (operands[at]->type == ZYDIS_OPERAND_TYPE_MEMORY)
            return operands[at];
    return NULL;
}

static bool has_sized_register(const struct writer *writer, const ZydisDecodedOperand *const *operands, size_t count)
{
    bool shifts = writer->info->meta.category == ZYDIS_CATEGORY_SHIFT ||
                  writer->info->meta.category == ZYDIS_CATEGORY_ROTATE;
    for (size_t at = 0; at < count; at++)
        if (operands[at]->type == ZYDIS_OPERAND_TYPE_REGISTER &&
            !(shifts && at > 0 && operands[at]->reg.value == ZYDIS_REGISTER_CL && count == 2))
            return true;
    return false;
}

static char size_suffix(unsigned bits)
{
    return bits == 8 ? 'b' : bits == 16 ? 'w' : bits == 32 ? 'l' : bits == 64 ? 'q' : 0;
}

/* Suffix of x87 instructions with memory: s, l, t for reals; s, l, ll for integers. */
static const char *x87_suffix(const char *mnemonic, unsigned bits)
{
    static const char *const integers[] = {"fild", "fist", "fistp", "fisttp"};
    static const char *const halves[] = {"fiadd", "fisub", "fisubr", "fimul", "fidiv", "fidivr", "ficom", "ficomp"};
    static const char *const reals[] = {"fld",  "fst",  "fstp",  "fadd", "fsub", "fsubr",
                                        "fmul", "fdiv", "fdivr", "fcom", "fcomp"};
    for (size_t at = 0; at < array_count(integers); at++)
        if (strcmp(mnemonic, integers[at]) == 0)
            return bits == 16 ? "s" : bits == 32 ? "l" : "ll";
    for (size_t at = 0; at < array_count(halves); at++)
        if (strcmp(mnemonic, halves[at]) == 0)
            return bits == 16 ? "s" : "l";
    for (size_t at = 0; at < array_count(reals); at++)
        if (strcmp(mnemonic, reals[at]) == 0)
            return bits == 32 ? "s" : bits == 64 ? "l" : "t";
    return "";
}

static bool takes_suffix(const ZydisDecodedInstruction *info)
{
    switch (info->meta.category) {
    case ZYDIS_CATEGORY_BINARY:
    case ZYDIS_CATEGORY_LOGICAL:
    case ZYDIS_CATEGORY_SHIFT:
    case ZYDIS_CATEGORY_ROTATE:
    case ZYDIS_CATEGORY_BITBYTE:
        return true;
    case ZYDIS_CATEGORY_DATAXFER:
        return info->mnemonic == ZYDIS_MNEMONIC_MOV;
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_WIDENOP:
        return info->mnemonic == ZYDIS_MNEMONIC_NOP;
    default:
        return false;
    }
}

/* Conversions whose memory operand alone doesn't tell its size. */
static const char *convert_suffix(const struct writer *writer, const ZydisDecodedOperand *memory)
{
    switch (writer->info->mnemonic) {
    case ZYDIS_MNEMONIC_CVTSI2SD:
    case ZYDIS_MNEMONIC_CVTSI2SS:
    case ZYDIS_MNEMONIC_VCVTSI2SD:
    case ZYDIS_MNEMONIC_VCVTSI2SS:
    case ZYDIS_MNEMONIC_VCVTUSI2SD:
    case ZYDIS_MNEMONIC_VCVTUSI2SS:
        return memory->size == 64 ? "q" : "l";
    case ZYDIS_MNEMONIC_VCVTPD2PS:
    case ZYDIS_MNEMONIC_VCVTPD2DQ:
    case ZYDIS_MNEMONIC_VCVTTPD2DQ:
    case ZYDIS_MNEMONIC_VCVTPD2UDQ:
    case ZYDIS_MNEMONIC_VCVTTPD2UDQ:
    case ZYDIS_MNEMONIC_VCVTQQ2PS:
    case ZYDIS_MNEMONIC_VCVTUQQ2PS:
        if (writer->info->avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID)
            return "";
        return writer->info->avx.vector_length == 128 ? "x" : writer->info->avx.vector_length == 256 ? "y" : "";
    case ZYDIS_MNEMONIC_VFPCLASSPS:
    case ZYDIS_MNEMONIC_VFPCLASSPD:
        return writer->info->avx.vector_length == 128 ? "x" : writer->info->avx.vector_length == 256 ? "y" : "z";
    default:
        return "";
    }
}

static const ZydisDecodedOperand *immediate_of(const ZydisDecodedOperand *const *operands, size_t count)
{
    return count && operands[count - 1]->type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? operands[count - 1] : NULL;
}

/* Compares and carry-less multiplies are named by their immediate: "vcmpltps". False when they aren't such. */
static bool add_pseudo_mnemonic(struct writer *writer, const char *mnemonic, uint64_t immediate)
{
    static const char *const predicates[] = {
        "eq",     "lt",     "le",     "unord",   "neq",    "nlt",    "nle",    "ord",     "eq_uq",  "nge",   "ngt",
        "false",  "neq_oq", "ge",     "gt",      "true",   "eq_os",  "lt_oq",  "le_oq",   "unord_s", "neq_us", "nlt_uq",
        "nle_uq", "ord_s",  "eq_us",  "nge_uq",  "ngt_uq", "false_os", "neq_os", "ge_oq", "gt_oq",  "true_us"};
    static const char *const products[] = {"lql", "hql", "lqh", "hqh"};
    size_t length = strlen(mnemonic);
    bool is_v = mnemonic[0] == 'v';
    const char *bare = mnemonic + is_v;
    if (strcmp(bare, "pclmulqdq") == 0 && (immediate & ~(uint64_t)0x11) == 0) {
        text_printf(writer->out, "%spclmul%sqdq", is_v ? "v" : "", products[(immediate & 1) | (immediate >> 3 & 2)]);
        return true;
    }
    if (strncmp(bare, "cmp", 3) == 0 && (strcmp(bare + 3, "ps") == 0 || strcmp(bare + 3, "pd") == 0 ||
                                         strcmp(bare + 3, "ss") == 0 || strcmp(bare + 3, "sd") == 0)) {
        if (immediate >= (is_v ? 32 : 8))
            return false;
        text_printf(writer->out, "%scmp%s%s", is_v ? "v" : "", predicates[immediate], bare + 3);
        return true;
    }
    if (is_v && strncmp(bare, "pcmp", 4) == 0 && length <= 8 && immediate < 8 && immediate != 3 && immediate != 7 &&
        strspn(bare + 4, "ubwdq") == strlen(bare + 4)) {
        text_printf(writer->out, "vpcmp%s%s", predicates[immediate], bare + 4);
        return true;
    }
    return false;
}

static bool extends(ZydisMnemonic mnemonic)
{
    return mnemonic == ZYDIS_MNEMONIC_MOVZX || mnemonic == ZYDIS_MNEMONIC_MOVSX || mnemonic == ZYDIS_MNEMONIC_MOVSXD;
}

/*
 * AT&T's assemblers always took fsub and fsubr (fdiv and fdivr) the wrong way round when the destination isn't
 * the top of the stack, and so it stayed.
 */
static bool reverses_x87(const ZydisDecodedInstruction *info, const ZydisDecodedOperand *const *operands, size_t count)
{
    switch (info->mnemonic) {
    case ZYDIS_MNEMONIC_FSUB:
    case ZYDIS_MNEMONIC_FSUBR:
    case ZYDIS_MNEMONIC_FSUBP:
    case ZYDIS_MNEMONIC_FSUBRP:
    case ZYDIS_MNEMONIC_FDIV:
    case ZYDIS_MNEMONIC_FDIVR:
    case ZYDIS_MNEMONIC_FDIVP:
    case ZYDIS_MNEMONIC_FDIVRP:
        return count == 2 && operands[0]->type == ZYDIS_OPERAND_TYPE_REGISTER &&
               (info->opcode == 0xdc || info->opcode == 0xde);
    default:
        return false;
    }
}

/* The mnemonic with its suffix; returns whether the last operand (an immediate) became part of it. */
static bool add_mnemonic(struct writer *writer, const ZydisDecodedOperand *const *operands, size_t count)
{
    const ZydisDecodedInstruction *info = writer->info;
    const char *mnemonic = writer->state->api.mnemonic(info->mnemonic);
    const ZydisDecodedOperand *immediate = immediate_of(operands, count), *memory = memory_of(operands, count);
    if (!mnemonic)
        mnemonic = "?";
    if (immediate && writer->info->meta.category != ZYDIS_CATEGORY_BINARY &&
        add_pseudo_mnemonic(writer, mnemonic, immediate->imm.value.u & 0xff))
        return true;
    if (writer->att && extends(info->mnemonic) && count == 2 && operands[0]->size > operands[1]->size) {
        text_printf(writer->out, "mov%c%c%c", info->mnemonic == ZYDIS_MNEMONIC_MOVZX ? 'z' : 's',
                    size_suffix(operands[1]->size), size_suffix(operands[0]->size));
        return false;
    }
    if (info->mnemonic == ZYDIS_MNEMONIC_NOP && !count && info->operand_width == 16) {
        text_add(writer->out, writer->att ? "xchg   %ax,%ax" : "xchg   ax,ax");
        return false;
    }
    if (writer->att && reverses_x87(info, operands, count)) {
        size_t length = strlen(mnemonic);
        bool pops = mnemonic[length - 1] == 'p', reversed = mnemonic[length - 1 - pops] == 'r';
        text_printf(writer->out, "%.4s%s%s", mnemonic, reversed ? "" : "r", pops ? "p" : "");
        return false;
    }
    bool wide = info->mnemonic == ZYDIS_MNEMONIC_MOV && count == 2 &&
                ((operands[1]->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && info->raw.imm[0].size == 64) ||
                 (memory && info->raw.disp.size == 64));
    if (wide) {
        text_add(writer->out, "movabs");
        return false;
    }
    const char *objdump_name = writer->att ? renamed[info->mnemonic].att : renamed[info->mnemonic].intel;
    if (objdump_name)
        mnemonic = objdump_name;
    /* String moves share their names with vector moves. */
    if (is_string_instruction(info) &&
        (info->mnemonic == ZYDIS_MNEMONIC_MOVSD || info->mnemonic == ZYDIS_MNEMONIC_CMPSD))
        mnemonic = info->mnemonic == ZYDIS_MNEMONIC_MOVSD ? (writer->att ? "movsl" : "movs")
                                                          : (writer->att ? "cmpsl" : "cmps");
    text_add(writer->out, mnemonic);
    if (info->meta.category == ZYDIS_CATEGORY_RET && info->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR &&
        info->mnemonic == ZYDIS_MNEMONIC_RET)
        text_add(writer->out, "f"); /* Intel's retf */
    if (!writer->att)
        return false;
    if (info->mnemonic == ZYDIS_MNEMONIC_CRC32 && count == 2)
        text_add_char(writer->out, size_suffix(operands[1]->size));
    else if (memory && info->meta.category == ZYDIS_CATEGORY_X87_ALU)
        text_add(writer->out, x87_suffix(mnemonic, memory->size));
    else if (memory && takes_suffix(info) && !has_sized_register(writer, operands, count))
        text_add_char(writer->out, size_suffix(memory->size));
    else if (memory)
        text_add(writer->out, convert_suffix(writer, memory));
    return false;
}

static void add_register(struct writer *writer, ZydisRegister name)
{
    if (name == ZYDIS_REGISTER_ST0) {
        text_add(writer->out, writer->att ? "%st" : "st");
        return;
    }
    if (writer->att)
        text_add_char(writer->out, '%');
    if (name >= ZYDIS_REGISTER_ST1 && name <= ZYDIS_REGISTER_ST7) {
        text_printf(writer->out, "st(%d)", name - ZYDIS_REGISTER_ST0);
        return;
    }
    if (writer->att && name >= ZYDIS_REGISTER_DR0 && name <= ZYDIS_REGISTER_DR15) {
        text_printf(writer->out, "db%d", name - ZYDIS_REGISTER_DR0);
        return;
    }
    const char *text = writer->state->api.register_name(name);
    text_add(writer->out, text ? text : "?");
}

static void add_hex(struct writer *writer, uint64_t value)
{
    text_add(writer->out, "0x");
    text_add_hex(writer->out, value);
}

static void add_signed_hex(struct writer *writer, int64_t value, bool with_plus)
{
    if (value < 0)
        text_add_char(writer->out, '-');
    else if (with_plus)
        text_add_char(writer->out, '+');
    add_hex(writer, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static uint64_t mask_bits(uint64_t value, unsigned bits)
{
    return bits >= 64 || !bits ? value : value & (((uint64_t)1 << bits) - 1);
}

/* The segment that is written: one that was asked for and has an effect, and those of string instructions. */
static bool writes_segment(const struct writer *writer, const ZydisDecodedOperand *operand)
{
    if (is_string_instruction(writer->info))
        return true;
    if (operand->mem.segment == ZYDIS_REGISTER_FS || operand->mem.segment == ZYDIS_REGISTER_GS)
        return true;
    const ZydisInstructionAttributes asked = ZYDIS_ATTRIB_HAS_SEGMENT_CS | ZYDIS_ATTRIB_HAS_SEGMENT_SS |
                                             ZYDIS_ATTRIB_HAS_SEGMENT_DS | ZYDIS_ATTRIB_HAS_SEGMENT_ES;
    return !writer->state->is_64 && (writer->info->attributes & asked);
}

static void add_broadcast(struct writer *writer)
{
    static const char *const modes[] = {
        [ZYDIS_BROADCAST_MODE_1_TO_2] = "{1to2}",   [ZYDIS_BROADCAST_MODE_1_TO_4] = "{1to4}",
        [ZYDIS_BROADCAST_MODE_1_TO_8] = "{1to8}",   [ZYDIS_BROADCAST_MODE_1_TO_16] = "{1to16}",
        [ZYDIS_BROADCAST_MODE_1_TO_32] = "{1to32}", [ZYDIS_BROADCAST_MODE_1_TO_64] = "{1to64}",
    };
    unsigned mode = writer->info->avx.broadcast.mode;
    if (!writer->info->avx.broadcast.is_static && mode < array_count(modes) && modes[mode])
        text_add(writer->out, modes[mode]);
}

static void add_memory_att(struct writer *writer, const ZydisDecodedOperand *operand)
{
    const ZydisDecodedOperandMem *memory = &operand->mem;
    bool has_base = memory->base != ZYDIS_REGISTER_NONE, has_index = memory->index != ZYDIS_REGISTER_NONE;
    if (writes_segment(writer, operand)) {
        add_register(writer, memory->segment);
        text_add_char(writer->out, ':');
    }
    bool has_disp = writer->info->raw.disp.size && !is_string_instruction(writer->info);
    if (!has_base && !has_index)
        add_hex(writer, mask_bits((uint64_t)memory->disp.value, writer->info->address_width));
    else if (has_disp)
        add_signed_hex(writer, memory->disp.value, false);
    if (has_base || has_index) {
        text_add_char(writer->out, '(');
        if (has_base)
            add_register(writer, memory->base);
        if (has_index) {
            text_add_char(writer->out, ',');
            add_register(writer, memory->index);
            text_printf(writer->out, ",%d", memory->scale ? memory->scale : 1);
        }
        text_add_char(writer->out, ')');
    }
    add_broadcast(writer);
}

static const char *size_name(unsigned bits)
{
    switch (bits) {
    case 8: return "BYTE PTR ";
    case 16: return "WORD PTR ";
    case 32: return "DWORD PTR ";
    case 48: return "FWORD PTR ";
    case 64: return "QWORD PTR ";
    case 80: return "TBYTE PTR ";
    case 128: return "XMMWORD PTR ";
    case 256: return "YMMWORD PTR ";
    case 512: return "ZMMWORD PTR ";
    default: return "";
    }
}

static void add_memory_intel(struct writer *writer, const ZydisDecodedOperand *operand)
{
    const ZydisDecodedOperandMem *memory = &operand->mem;
    bool has_base = memory->base != ZYDIS_REGISTER_NONE, has_index = memory->index != ZYDIS_REGISTER_NONE;
    bool broadcasts = writer->info->avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID &&
                      !writer->info->avx.broadcast.is_static;
    if (broadcasts)
        text_add(writer->out, operand->element_size == 64   ? "QWORD BCST "
                              : operand->element_size == 16 ? "WORD BCST "
                                                            : "DWORD BCST ");
    else if (memory->type != ZYDIS_MEMOP_TYPE_AGEN)
        text_add(writer->out, size_name(memory->type == ZYDIS_MEMOP_TYPE_VSIB ? operand->element_size : operand->size));
    if (writes_segment(writer, operand) || (!has_base && !has_index)) {
        add_register(writer, memory->segment);
        text_add_char(writer->out, ':');
    }
    if (!has_base && !has_index) {
        add_hex(writer, mask_bits((uint64_t)memory->disp.value, writer->info->address_width));
        return;
    }
    text_add_char(writer->out, '[');
    if (has_base)
        add_register(writer, memory->base);
    if (has_index) {
        if (has_base)
            text_add_char(writer->out, '+');
        add_register(writer, memory->index);
        text_printf(writer->out, "*%d", memory->scale ? memory->scale : 1);
    }
    if (memory->base == ZYDIS_REGISTER_RIP) {
        text_add_char(writer->out, '+');
        add_hex(writer, (uint64_t)memory->disp.value);
    } else if (writer->info->raw.disp.size && !is_string_instruction(writer->info)) {
        add_signed_hex(writer, memory->disp.value, true);
    }
    text_add_char(writer->out, ']');
}

static void add_immediate(struct writer *writer, const ZydisDecodedOperand *operand,
                          const ZydisDecodedOperand *first)
{
    uint64_t value = operand->imm.value.u;
    const ZydisDecodedInstruction *info = writer->info;
    if (operand->imm.is_relative) {
        uint64_t target = writer->addr + info->length + value;
        text_add_address(writer->out, mask_bits(target, writer->state->is_64 ? 64 : 32), writer->name,
                         writer->name_context);
        return;
    }
    if (operand->visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT) { /* shifts by one */
        text_add_u64(writer->out, value);
        return;
    }
    if (operand->imm.is_signed)
        value = mask_bits(value, first && first != operand && first->type != ZYDIS_OPERAND_TYPE_IMMEDIATE
                                     ? first->size
                                     : info->operand_width);
    if (writer->att)
        text_add_char(writer->out, '$');
    add_hex(writer, value);
}

static void add_mask(struct writer *writer, const ZydisDecodedOperand *first)
{
    const ZydisDecodedInstructionAvx *avx = &writer->info->avx;
    if (avx->mask.reg != ZYDIS_REGISTER_NONE && avx->mask.reg != ZYDIS_REGISTER_K0) {
        text_add_char(writer->out, '{');
        add_register(writer, avx->mask.reg);
        text_add_char(writer->out, '}');
    }
    bool to_mask = first->type == ZYDIS_OPERAND_TYPE_REGISTER && first->reg.value >= ZYDIS_REGISTER_K0 &&
                   first->reg.value <= ZYDIS_REGISTER_K7; /* always zeroing, so not written */
    if (!to_mask && (avx->mask.mode == ZYDIS_MASK_MODE_ZEROING || avx->mask.mode == ZYDIS_MASK_MODE_CONTROL_ZEROING))
        text_add(writer->out, "{z}");
}

static void add_operand(struct writer *writer, const ZydisDecodedOperand *operand, const ZydisDecodedOperand *first)
{
    bool is_indirect = writer->att && (writer->info->meta.category == ZYDIS_CATEGORY_CALL ||
                                       writer->info->meta.category == ZYDIS_CATEGORY_UNCOND_BR);
    switch (operand->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        if (is_indirect)
            text_add_char(writer->out, '*');
        if (operand->reg.value == ZYDIS_REGISTER_DX && writer->att && writer->info->meta.category == ZYDIS_CATEGORY_IO)
            text_add(writer->out, "(%dx)");
        else if (operand->reg.value == ZYDIS_REGISTER_ST0 && operand->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT)
            text_add(writer->out, writer->att ? "%st(0)" : "st(0)");
        else
            add_register(writer, operand->reg.value);
        break;
    case ZYDIS_OPERAND_TYPE_MEMORY:
        if (is_indirect)
            text_add_char(writer->out, '*');
        (writer->att ? add_memory_att : add_memory_intel)(writer, operand);
        if (operand->mem.base == ZYDIS_REGISTER_RIP || operand->mem.base == ZYDIS_REGISTER_EIP) {
            writer->has_data_addr = true;
            writer->data_addr = writer->addr + writer->info->length + (uint64_t)operand->mem.disp.value;
        }
        break;
    case ZYDIS_OPERAND_TYPE_POINTER:
        text_printf(writer->out, writer->att ? "$0x%x,$0x%x" : "0x%x:0x%x", operand->ptr.segment, operand->ptr.offset);
        break;
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        add_immediate(writer, operand, first);
        break;
    default:
        break;
    }
}

/* Static rounding and suppressed exceptions; objdump writes them where the last source would stand. */
static const char *rounding(const ZydisDecodedInstructionAvx *avx)
{
    switch (avx->rounding.mode) {
    case ZYDIS_ROUNDING_MODE_RN: return "{rn-sae}";
    case ZYDIS_ROUNDING_MODE_RD: return "{rd-sae}";
    case ZYDIS_ROUNDING_MODE_RU: return "{ru-sae}";
    case ZYDIS_ROUNDING_MODE_RZ: return "{rz-sae}";
    default: return avx->has_sae ? "{sae}" : NULL;
    }
}

/* Before which operand, in AT&T's order, the rounding stands: behind the immediate, or behind an integer source. */
static size_t rounding_place(const ZydisDecodedOperand *const *operands, size_t count)
{
    const ZydisDecodedOperand *last = operands[count - 1];
    bool from_integer =
        last->type == ZYDIS_OPERAND_TYPE_REGISTER && count == 3 &&
        (last->element_type == ZYDIS_ELEMENT_TYPE_INT || last->element_type == ZYDIS_ELEMENT_TYPE_UINT) &&
        last->reg.value >= ZYDIS_REGISTER_EAX && last->reg.value <= ZYDIS_REGISTER_R15;
    return last->type == ZYDIS_OPERAND_TYPE_IMMEDIATE || from_integer ? 1 : 0;
}

static void add_operands(struct writer *writer, const ZydisDecodedOperand *const *operands, size_t count)
{
    const char *round = count ? rounding(&writer->info->avx) : NULL;
    size_t last_source = count && operands[count - 1]->type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? count - 2 : count - 1;
    size_t round_before = round ? rounding_place(operands, count) : SIZE_MAX;
    for (size_t written = 0; written < count; written++) {
        size_t at = writer->att ? count - 1 - written : written;
        if (written)
            text_add_char(writer->out, ',');
        if (writer->att && written == round_before) {
            text_add(writer->out, round);
            text_add_char(writer->out, ',');
        }
        add_operand(writer, operands[at], operands[0]);
        if (at == 0)
            add_mask(writer, operands[0]);
        if (!writer->att && round && at == last_source)
            text_add(writer->out, round);
    }
}

/* Prefixes are written in front of the mnemonic, used or not. */
static void add_prefixes(struct writer *writer)
{
    static const struct {
        ZydisInstructionAttributes attribute;
        const char *text;
    } prefixes[] = {
        {ZYDIS_ATTRIB_HAS_XACQUIRE, "xacquire "}, {ZYDIS_ATTRIB_HAS_XRELEASE, "xrelease "},
        {ZYDIS_ATTRIB_HAS_LOCK, "lock "},         {ZYDIS_ATTRIB_HAS_REP, "rep "},
        {ZYDIS_ATTRIB_HAS_REPE, "repz "},         {ZYDIS_ATTRIB_HAS_REPNE, "repnz "},
        {ZYDIS_ATTRIB_HAS_BND, "bnd "},           {ZYDIS_ATTRIB_HAS_NOTRACK, "notrack "},
    };
    const ZydisDecodedInstruction *info = writer->info;
    unsigned data16 = 0, unused_data16 = 0;
    bool other_segment = false, ignored_rep = false;
    uint8_t segment = 0, rep = 0;
    for (size_t at = 0; at < info->raw.prefix_count; at++) {
        uint8_t value = info->raw.prefixes[at].value;
        data16 += value == 0x66;
        unused_data16 += value == 0x66 && info->operand_width != 16 &&
                         info->raw.prefixes[at].type != ZYDIS_PREFIX_TYPE_MANDATORY;
        if (value == 0x2e || value == 0x36 || value == 0x3e || value == 0x26) {
            segment = value;
            other_segment = true;
        }
        if ((value == 0xf2 || value == 0xf3) && info->raw.prefixes[at].type == ZYDIS_PREFIX_TYPE_IGNORED) {
            rep = value;
            ignored_rep = true;
        }
    }
    bool is_nop = info->mnemonic == ZYDIS_MNEMONIC_NOP;
    if (is_nop)
        unused_data16 = data16 - (data16 && info->operand_width == 16);
    for (unsigned at = 0; at < unused_data16; at++)
        text_add(writer->out, "data16 ");
    bool jumps = info->meta.category == ZYDIS_CATEGORY_CALL || info->meta.category == ZYDIS_CATEGORY_UNCOND_BR;
    if (jumps && info->raw.rex.W) /* padding of calls that linkers rewrite */
        text_add(writer->out, "rex.W ");
    bool tracked = info->attributes & ZYDIS_ATTRIB_HAS_NOTRACK;
    if (other_segment && !tracked && writer->state->is_64 && !is_string_instruction(info) &&
        info->meta.category != ZYDIS_CATEGORY_COND_BR)
        text_add(writer->out, segment == 0x2e ? "cs " : segment == 0x36 ? "ss " : segment == 0x3e ? "ds " : "es ");
    if (ignored_rep && info->meta.category == ZYDIS_CATEGORY_RET)
        text_add(writer->out, rep == 0xf3 ? "repz " : "repnz ");
    for (size_t at = 0; at < array_count(prefixes); at++)
        if (info->attributes & prefixes[at].attribute)
            text_add(writer->out, prefixes[at].text);
}

void x86_text(const struct x86_state *state, const struct x86_instruction *x86, const uint8_t *bytes, uint64_t addr,
              address_name *name, void *name_context, struct text *out)
{
    struct writer writer = {.state = state, .x86 = x86, .info = &x86->info, .bytes = bytes, .addr = addr,
                            .name = name, .name_context = name_context, .out = out,
                            .att = state->syntax == SYNTAX_ATT};
    const ZydisDecodedOperand *operands[ZYDIS_MAX_OPERAND_COUNT];
    size_t count = written_operands(&writer, operands), start = out->length;
    add_prefixes(&writer);
    if (add_mnemonic(&writer, operands, count))
        count--;
    if (count || rounding(&writer.info->avx)) {
        for (size_t column = out->length - start; column < MNEMONIC_COLUMNS; column++)
            text_add_char(out, ' ');
        text_add_char(out, ' ');
        add_operands(&writer, operands, count);
    }
    if (writer.has_data_addr) {
        text_add(out, "        # ");
        text_add_address(out, writer.data_addr, name, name_context);
    }
}
