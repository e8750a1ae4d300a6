/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/unwind/call_frames.h"

#include "base/vec.h"

enum {
    STATES_MOST = 8,       /* nested remember_state */
    EXPRESSION_DEPTH = 32, /* values on an expression's stack */
    EXPRESSION_STEPS = 1000, /* branches can loop */
};

static uint64_t read_uleb(struct bytes *in)
{
    uint64_t value = 0;
    uint8_t byte;
    unsigned shift = 0;
    do {
        byte = read_u8(in);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return value;
}

static int64_t read_sleb(struct bytes *in)
{
    uint64_t value = 0;
    uint8_t byte;
    unsigned shift = 0;
    do {
        byte = read_u8(in);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (shift < 64 && byte & 0x40)
        value |= UINT64_MAX << shift;
    return (int64_t)value;
}

static struct bytes read_block(struct bytes *in)
{
    uint64_t size = read_uleb(in);
    const uint8_t *start = size <= bytes_left(in) ? bytes_take(in, size) : NULL;
    if (!start)
        in->failed = true;
    return start ? bytes_of(start, size, in->swapped) : (struct bytes){.failed = true};
}

/* ---- rules ---- */

struct machine {
    const struct frame_description *description;
    uint64_t at, wanted; /* addresses */
    struct frame_rules rules, initial, kept[STATES_MOST];
    size_t kept_count;
    bool failed;
};

static void rule_set(struct machine *machine, uint64_t number, struct frame_rule rule)
{
    /* Vector and control registers don't help to find a caller. */
    if (number < FRAME_REGISTERS)
        machine->rules.registers[number] = rule;
}

/* Whatever the file says: it wraps around, as addresses do. */
static int64_t offset_of(const struct machine *machine, uint64_t factored)
{
    return (int64_t)(factored * (uint64_t)machine->description->data_factor);
}

static void rule_offset(struct machine *machine, uint64_t number, enum frame_rule_kind kind, uint64_t factored)
{
    rule_set(machine, number,
             (struct frame_rule){.kind = kind, .offset = offset_of(machine, factored)});
}

static void rule_restore(struct machine *machine, uint64_t number)
{
    if (number < FRAME_REGISTERS)
        machine->rules.registers[number] = machine->initial.registers[number];
}

static void cfa_set(struct machine *machine, uint64_t number, int64_t offset)
{
    machine->rules.cfa_is_expression = false;
    machine->rules.cfa_register = number < FRAME_REGISTERS ? (uint32_t)number : FRAME_REGISTERS;
    machine->rules.cfa_offset = offset;
}

static void advance(struct machine *machine, uint64_t factored)
{
    machine->at += factored * machine->description->code_factor;
}

static void state_keep(struct machine *machine)
{
    if (machine->kept_count == STATES_MOST)
        machine->failed = true;
    else
        machine->kept[machine->kept_count++] = machine->rules;
}

static void state_recall(struct machine *machine)
{
    if (!machine->kept_count)
        machine->failed = true;
    else
        machine->rules = machine->kept[--machine->kept_count];
}

/* What follows the number of a register in an instruction that gives it a rule. */
enum operand {
    OPERAND_NONE,
    OPERAND_REGISTER,
    OPERAND_UNSIGNED, /* times the factor of the table */
    OPERAND_SIGNED,
    OPERAND_NEGATIVE,
    OPERAND_BLOCK
};

/* DW_CFA_…: rules of registers. */
static const struct register_instruction {
    uint8_t code;
    enum frame_rule_kind kind;
    enum operand operand;
} register_instructions[] = {
    {0x05, FRAME_AT, OPERAND_UNSIGNED},         /* offset_extended */
    {0x07, FRAME_UNDEFINED, OPERAND_NONE},      /* undefined */
    {0x08, FRAME_SAME, OPERAND_NONE},           /* same_value */
    {0x09, FRAME_REGISTER, OPERAND_REGISTER},   /* register */
    {0x10, FRAME_AT_EXPRESSION, OPERAND_BLOCK}, /* expression */
    {0x11, FRAME_AT, OPERAND_SIGNED},           /* offset_extended_sf */
    {0x14, FRAME_IS, OPERAND_UNSIGNED},         /* val_offset */
    {0x15, FRAME_IS, OPERAND_SIGNED},           /* val_offset_sf */
    {0x16, FRAME_IS_EXPRESSION, OPERAND_BLOCK}, /* val_expression */
    {0x2f, FRAME_AT, OPERAND_NEGATIVE},         /* GNU_negative_offset_extended */
};

static void rule_apply(struct machine *machine, const struct register_instruction *instruction, struct bytes *in)
{
    uint64_t number = read_uleb(in);
    struct frame_rule rule = {.kind = instruction->kind};
    switch (instruction->operand) {
    case OPERAND_UNSIGNED:
        rule_offset(machine, number, rule.kind, read_uleb(in));
        return;
    case OPERAND_SIGNED:
        rule_offset(machine, number, rule.kind, (uint64_t)read_sleb(in));
        return;
    case OPERAND_NEGATIVE:
        rule_offset(machine, number, rule.kind, -read_uleb(in));
        return;
    case OPERAND_REGISTER:
        rule.offset = (int64_t)read_uleb(in);
        break;
    case OPERAND_BLOCK:
        rule.expression = read_block(in);
        break;
    case OPERAND_NONE:
        break;
    }
    rule_set(machine, number, rule);
}

/* Where the frame begins. Returns whether it was one of those. */
static bool step_cfa(struct machine *machine, uint8_t code, struct bytes *in)
{
    uint64_t number;
    switch (code) {
    case 0x0c: /* def_cfa */
        number = read_uleb(in);
        cfa_set(machine, number, (int64_t)read_uleb(in));
        return true;
    case 0x0d: /* def_cfa_register */
        cfa_set(machine, read_uleb(in), machine->rules.cfa_offset);
        return true;
    case 0x0e: /* def_cfa_offset */
        machine->rules.cfa_offset = (int64_t)read_uleb(in);
        return true;
    case 0x0f: /* def_cfa_expression */
        machine->rules.cfa_is_expression = true;
        machine->rules.cfa_expression = read_block(in);
        return true;
    case 0x12: /* def_cfa_sf */
        number = read_uleb(in);
        cfa_set(machine, number, offset_of(machine, (uint64_t)read_sleb(in)));
        return true;
    case 0x13: /* def_cfa_offset_sf */
        machine->rules.cfa_offset = offset_of(machine, (uint64_t)read_sleb(in));
        return true;
    default:
        return false;
    }
}

/* DW_CFA_…: instructions without operands in their first byte. */
static void step_extended(struct machine *machine, uint8_t code, struct bytes *in)
{
    for (size_t at = 0; at < array_count(register_instructions); at++)
        if (register_instructions[at].code == code) {
            rule_apply(machine, &register_instructions[at], in);
            return;
        }
    if (step_cfa(machine, code, in))
        return;
    switch (code) {
    case 0x00: /* nop */
    case 0x2d: /* GNU_window_save; on AArch64 it toggles the signing of return addresses: their bits are cut below */
        break;
    case 0x02: /* advance_loc1 */
        advance(machine, read_u8(in));
        break;
    case 0x03: /* advance_loc2 */
        advance(machine, read_u16(in));
        break;
    case 0x04: /* advance_loc4 */
        advance(machine, read_u32(in));
        break;
    case 0x06: /* restore_extended */
        rule_restore(machine, read_uleb(in));
        break;
    case 0x0a: /* remember_state */
        state_keep(machine);
        break;
    case 0x0b: /* restore_state */
        state_recall(machine);
        break;
    case 0x2e: /* GNU_args_size */
        read_uleb(in);
        break;
    default: /* set_loc too: it is in no table that linkers sort */
        machine->failed = true;
    }
}

static void run(struct machine *machine, struct bytes in)
{
    while (bytes_left(&in) && !in.failed && !machine->failed && machine->at <= machine->wanted) {
        uint8_t code = read_u8(&in);
        uint8_t operand = code & 0x3f;
        switch (code >> 6) {
        case 1: /* advance_loc */
            advance(machine, operand);
            break;
        case 2: /* offset */
            rule_offset(machine, operand, FRAME_AT, read_uleb(&in));
            break;
        case 3: /* restore */
            rule_restore(machine, operand);
            break;
        default:
            step_extended(machine, code, &in);
        }
    }
    machine->failed |= in.failed;
}

bool frame_rules_at(const struct frame_description *description, uint64_t addr, struct frame_rules *ret_rules)
{
    struct machine machine = {.description = description, .at = description->start, .wanted = addr};
    machine.rules.cfa_register = FRAME_REGISTERS;
    machine.rules.return_register = (uint32_t)description->return_register;
    machine.rules.is_signal = description->is_signal;
    if (description->return_register >= FRAME_REGISTERS)
        return false;
    run(&machine, description->common);
    machine.initial = machine.rules;
    machine.at = description->start;
    run(&machine, description->own);
    *ret_rules = machine.rules;
    return !machine.failed && (machine.rules.cfa_is_expression || machine.rules.cfa_register < FRAME_REGISTERS);
}

/* ---- expressions ---- */

struct evaluation {
    struct bytes in;
    const uint8_t *start;
    const struct frame_memory *memory;
    uint64_t values[EXPRESSION_DEPTH];
    size_t count;
    bool failed;
};

static void push(struct evaluation *evaluation, uint64_t value)
{
    if (evaluation->count == EXPRESSION_DEPTH)
        evaluation->failed = true;
    else
        evaluation->values[evaluation->count++] = value;
}

static uint64_t pop(struct evaluation *evaluation)
{
    if (evaluation->count)
        return evaluation->values[--evaluation->count];
    evaluation->failed = true;
    return 0;
}

static void push_register(struct evaluation *evaluation, uint64_t number, int64_t offset)
{
    uint64_t value = 0;
    if (number >= FRAME_REGISTERS ||
        !evaluation->memory->number(evaluation->memory->context, (uint32_t)number, &value))
        evaluation->failed = true;
    push(evaluation, value + (uint64_t)offset);
}

static void dereference(struct evaluation *evaluation, unsigned size_bytes)
{
    uint64_t value = 0;
    if (!evaluation->memory->word(evaluation->memory->context, pop(evaluation), &value))
        evaluation->failed = true;
    push(evaluation, size_bytes < 8 ? value & ((UINT64_C(1) << 8 * size_bytes) - 1) : value);
}

/* Go on so many bytes further; backwards too. */
static void branch(struct evaluation *evaluation, int16_t distance)
{
    ptrdiff_t at = evaluation->in.at - evaluation->start + distance;
    if (at < 0 || at > evaluation->in.end - evaluation->start)
        evaluation->failed = true;
    else
        evaluation->in.at = evaluation->start + at;
}

static void two_operands(struct evaluation *evaluation, uint8_t code)
{
    uint64_t right = pop(evaluation), left = pop(evaluation);
    switch (code) {
    case 0x1a: /* and */
        push(evaluation, left & right);
        return;
    case 0x1c: /* minus */
        push(evaluation, left - right);
        return;
    case 0x1e: /* mul */
        push(evaluation, left * right);
        return;
    case 0x21: /* or */
        push(evaluation, left | right);
        return;
    case 0x22: /* plus */
        push(evaluation, left + right);
        return;
    case 0x24: /* shl */
        push(evaluation, right < 64 ? left << right : 0);
        return;
    case 0x25: /* shr */
        push(evaluation, right < 64 ? left >> right : 0);
        return;
    case 0x26: /* shra */
        push(evaluation, (uint64_t)((int64_t)left >> (right < 64 ? right : 63)));
        return;
    case 0x27: /* xor */
        push(evaluation, left ^ right);
        return;
    case 0x29: /* eq */
        push(evaluation, left == right);
        return;
    case 0x2a: /* ge */
        push(evaluation, (int64_t)left >= (int64_t)right);
        return;
    case 0x2b: /* gt */
        push(evaluation, (int64_t)left > (int64_t)right);
        return;
    case 0x2c: /* le */
        push(evaluation, (int64_t)left <= (int64_t)right);
        return;
    case 0x2d: /* lt */
        push(evaluation, (int64_t)left < (int64_t)right);
        return;
    case 0x2e: /* ne */
        push(evaluation, left != right);
        return;
    default:
        evaluation->failed = true;
    }
}

static void step_constant(struct evaluation *evaluation, uint8_t code)
{
    struct bytes *in = &evaluation->in;
    switch (code) {
    case 0x03: /* addr */
    case 0x0e: /* const8u */
    case 0x0f: /* const8s */
        push(evaluation, read_u64(in));
        return;
    case 0x08: /* const1u */
        push(evaluation, read_u8(in));
        return;
    case 0x09: /* const1s */
        push(evaluation, (uint64_t)(int64_t)(int8_t)read_u8(in));
        return;
    case 0x0a: /* const2u */
        push(evaluation, read_u16(in));
        return;
    case 0x0b: /* const2s */
        push(evaluation, (uint64_t)(int64_t)(int16_t)read_u16(in));
        return;
    case 0x0c: /* const4u */
        push(evaluation, read_u32(in));
        return;
    case 0x0d: /* const4s */
        push(evaluation, (uint64_t)(int64_t)(int32_t)read_u32(in));
        return;
    case 0x10: /* constu */
        push(evaluation, read_uleb(in));
        return;
    case 0x11: /* consts */
        push(evaluation, (uint64_t)read_sleb(in));
        return;
    default:
        evaluation->failed = true;
    }
}

static void step_stack(struct evaluation *evaluation, uint8_t code)
{
    size_t depth = code == 0x12 ? 0 : code == 0x14 ? 1 : 0;
    switch (code) {
    case 0x15: /* pick */
        depth = read_u8(&evaluation->in);
        /* fallthrough */
    case 0x12: /* dup */
    case 0x14: /* over */
        if (depth >= evaluation->count)
            evaluation->failed = true;
        else
            push(evaluation, evaluation->values[evaluation->count - 1 - depth]);
        return;
    case 0x13: /* drop */
        pop(evaluation);
        return;
    case 0x16: { /* swap */
        uint64_t first = pop(evaluation), second = pop(evaluation);
        push(evaluation, first);
        push(evaluation, second);
        return;
    }
    default:
        evaluation->failed = true;
    }
}

static void step(struct evaluation *evaluation)
{
    struct bytes *in = &evaluation->in;
    uint8_t code = read_u8(in);
    if (code >= 0x30 && code <= 0x4f) { /* lit0 … lit31 */
        push(evaluation, code - 0x30);
    } else if (code >= 0x70 && code <= 0x8f) { /* breg0 … breg31 */
        push_register(evaluation, code - 0x70, read_sleb(in));
    } else if (code == 0x92) { /* bregx */
        uint64_t number = read_uleb(in);
        push_register(evaluation, number, read_sleb(in));
    } else if (code == 0x06) { /* deref */
        dereference(evaluation, 8);
    } else if (code == 0x94) { /* deref_size */
        dereference(evaluation, read_u8(in));
    } else if (code == 0x03 || (code >= 0x08 && code <= 0x11)) {
        step_constant(evaluation, code);
    } else if (code >= 0x12 && code <= 0x16) {
        step_stack(evaluation, code);
    } else if (code == 0x19) { /* abs */
        int64_t value = (int64_t)pop(evaluation);
        push(evaluation, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    } else if (code == 0x1f) { /* neg */
        push(evaluation, 0 - pop(evaluation));
    } else if (code == 0x20) { /* not */
        push(evaluation, ~pop(evaluation));
    } else if (code == 0x23) { /* plus_uconst */
        push(evaluation, pop(evaluation) + read_uleb(in));
    } else if (code == 0x2f) { /* skip */
        branch(evaluation, (int16_t)read_u16(in));
    } else if (code == 0x28) { /* bra */
        int16_t distance = (int16_t)read_u16(in);
        if (pop(evaluation))
            branch(evaluation, distance);
    } else if (code != 0x96) { /* nop */
        two_operands(evaluation, code);
    }
}

bool frame_expression(struct bytes expression, const uint64_t *start, const struct frame_memory *memory,
                      uint64_t *ret_value)
{
    struct evaluation evaluation = {.in = expression, .start = expression.at, .memory = memory};
    if (start)
        push(&evaluation, *start);
    for (int steps = 0; bytes_left(&evaluation.in) && !evaluation.in.failed && !evaluation.failed; steps++) {
        if (steps == EXPRESSION_STEPS)
            return false;
        step(&evaluation);
    }
    if (evaluation.failed || evaluation.in.failed || !evaluation.count)
        return false;
    *ret_value = evaluation.values[evaluation.count - 1];
    return true;
}
