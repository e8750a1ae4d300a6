/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/loop/core_costs.h"

#include "base/partition_point.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

/* Bits of cost_row.form, in the order of the tables' letters. */
enum {
    FORM_IMMEDIATE = 1 << 0,
    FORM_NO_IMMEDIATE = 1 << 1,
    FORM_LOAD = 1 << 2,
    FORM_NO_LOAD = 1 << 3,
    FORM_STORE = 1 << 4,
    FORM_THREE_PARTS = 1 << 5,
    FORM_BOTH_FLAGS = 1 << 6,
    FORM_TO_MASK = 1 << 7,
    FORM_ELSEWHERE = 1 << 8,
    FORM_TWO_RESULTS = 1 << 9,
};

enum {
    PLAIN_REACH = 2048,   /* bytes: displacements of the short way */
    LOCKED_CYCLES = 18,   /* Agner Fog: lock add and xchg with memory, Skylake to Golden Cove; no more overlap */
};

const struct core_costs *core_costs_find(const char *microarchitecture_key)
{
    for (size_t at = 0; microarchitecture_key && at < core_costs_count; at++)
        for (const char *const *key = core_costs_table[at].serves; *key; key++)
            if (strcmp(*key, microarchitecture_key) == 0)
                return &core_costs_table[at];
    return NULL;
}

static uint8_t width_bit(const struct instruction *instruction)
{
    unsigned bits = instruction->vector_bits;
    if (bits)
        return bits >= 512 ? 64 : bits >= 256 ? 32 : 16;
    bits = instruction->operation_bits;
    return bits == 8 ? 1 : bits == 16 ? 2 : bits == 32 ? 4 : bits == 64 ? 8 : 0;
}

static uint16_t form_of(const struct instruction *instruction)
{
    bool loads = instruction->is_load && instruction->memory.is_present;
    bool moves_general = instruction->reads && instruction->reads != instruction->writes;
    bool moves_vector = instruction->vector_reads && instruction->vector_reads != instruction->vector_writes;
    uint64_t written = instruction->writes & ~((uint64_t)1 << 9); /* without the flags */
    return (uint16_t)((instruction->has_immediate ? FORM_IMMEDIATE : FORM_NO_IMMEDIATE) |
                      (loads ? FORM_LOAD : FORM_NO_LOAD) | (instruction->is_store ? FORM_STORE : 0) |
                      (instruction->address_parts == 3 ? FORM_THREE_PARTS : 0) |
                      (instruction->flags_read == (FLAGS_CARRY | FLAGS_REST) ? FORM_BOTH_FLAGS : 0) |
                      (instruction->mask_writes ? FORM_TO_MASK : 0) |
                      (moves_general || moves_vector ? FORM_ELSEWHERE : 0) |
                      (__builtin_popcountll(written) == 2 ? FORM_TWO_RESULTS : 0));
}

/* What its rows go by: "addps", or the class where the decoder doesn't tell names, "@int". */
static const char *name_of(const struct instruction *instruction, char *place, size_t size_bytes)
{
    if (instruction->mnemonic)
        return instruction->mnemonic;
    snprintf(place, size_bytes, "@%s", instruction_class_name(instruction->class));
    return place;
}

static const struct cost_row *row_find(const struct core_costs *core, const struct instruction *instruction,
                                       uint16_t needs)
{
    char place[32];
    const char *name = name_of(instruction, place, sizeof(place));
    size_t low = partition_point(core->rows, core->row_count, strcmp(item->mnemonic, name) < 0);
    uint16_t form = form_of(instruction);
    uint8_t width = width_bit(instruction);
    for (; low < core->row_count && strcmp(core->rows[low].mnemonic, name) == 0; low++) {
        const struct cost_row *row = &core->rows[low];
        if ((!row->widths || (row->widths & width)) && (row->form & form) == row->form &&
            (!needs || (row->form & needs)))
            return row;
    }
    return NULL;
}

/* Takes its data from memory or there and does nothing else with it. */
static bool is_transfer(const struct instruction *instruction)
{
    static const char *const starts[] = {"mov",    "vmov",       "push",        "pop", "lddqu",
                                         "vlddqu", "vbroadcast", "vpbroadcast", "kmov"};
    if (instruction->class != INSTRUCTION_LOAD && instruction->class != INSTRUCTION_STORE)
        return false;
    if (!instruction->mnemonic)
        return true;
    struct view name = view_of(instruction->mnemonic);
    for (size_t at = 0; at < array_count(starts); at++)
        if (view_starts(name, starts[at]) && !view_starts(name, "popcnt"))
            return true;
    return false;
}

static void cost_add(struct instruction_cost *cost, uint32_t units, float cycles)
{
    if (units && cost->part_count < COST_PARTS_MOST)
        cost->parts[cost->part_count++] = (struct cost_part){units, cycles};
}

static float load_latency(const struct core_costs *core, const struct instruction *instruction)
{
    const struct memory_operand *memory = &instruction->memory;
    if (instruction->vector_bits > 128)
        return core->latency_load_wide;
    if (instruction->vector_bits)
        return core->latency_load_vector;
    bool is_plain = memory->index == REGISTER_NONE && memory->displacement >= 0 && memory->displacement < PLAIN_REACH;
    return is_plain && instruction->class == INSTRUCTION_LOAD && instruction->memory.size_bytes >= 4
               ? core->latency_load_plain
               : core->latency_load;
}

/* The result is zero whatever the registers held: no unit computes it. The decoder has dropped what it reads. */
static bool is_zeroing(const struct instruction *instruction)
{
    struct view name = view_of(instruction->mnemonic);
    bool listed = view_find(name, "xor") >= 0 || strcmp(instruction->mnemonic, "sub") == 0;
    return listed && !instruction->reads && !instruction->vector_reads && !instruction->memory.is_present &&
           !instruction->has_immediate && (instruction->writes || instruction->vector_writes) &&
           !(instruction->mask_reads | instruction->mask_writes);
}

static bool compute_cost(const struct core_costs *core, const struct instruction *instruction,
                         struct instruction_cost *cost)
{
    bool is_access = is_transfer(instruction);
    const struct cost_row *row = row_find(core, instruction, !is_access            ? 0
                                                             : instruction->is_load ? FORM_LOAD
                                                                                    : FORM_STORE);
    if (!row)
        return is_access;
    if (row->unknown)
        return false;
    for (size_t at = 0; at < row->part_count; at++)
        cost_add(cost, row->parts[at].units, row->parts[at].cycles);
    cost->latency = row->latency;
    cost->slots = row->part_count || !instruction->memory.is_present ? row->slots : 0;
    return true;
}

/* What the class says on its own. */
static bool class_cost(const struct core_costs *core, const struct instruction *instruction,
                       struct instruction_cost *cost)
{
    switch (instruction->class) {
    case INSTRUCTION_NOP:
        cost->slots = 1;
        return true;
    case INSTRUCTION_BRANCH:
        cost->slots = 1;
        cost_add(cost, core->branch_not, 1);
        return true;
    case INSTRUCTION_JUMP:
    case INSTRUCTION_CALL:
    case INSTRUCTION_RETURN:
        cost->slots = 1;
        cost_add(cost, core->branch_taken, 1);
        return true;
    case INSTRUCTION_ATOMIC:
        cost->slots = 4;
        cost->latency = LOCKED_CYCLES - core->forward; /* from value to value, by way of the store */
        cost_add(cost, core->store_data, LOCKED_CYCLES);
        return true;
    case INSTRUCTION_PREFETCH:
        cost->slots = 1;
        cost_add(cost, core->load, 1);
        return true;
    default:
        return false;
    }
}

/* An indexed operand beside two other sources is split off again before issue. */
static bool delaminates(const struct core_costs *core, const struct instruction *instruction)
{
    return core->delaminates && instruction->class == INSTRUCTION_LOAD_OP &&
           instruction->memory.index != REGISTER_NONE && instruction->mnemonic && instruction->mnemonic[0] == 'v' &&
           !(instruction->vector_reads & instruction->vector_writes);
}

static void memory_cost(const struct core_costs *core, const struct instruction *instruction,
                        struct instruction_cost *cost)
{
    bool gathers = instruction->class == INSTRUCTION_GATHER || instruction->class == INSTRUCTION_SCATTER;
    if (instruction->is_load) {
        cost->load_latency = load_latency(core, instruction);
        if (!gathers) /* their rows have the loads */
            cost_add(cost, core->load, 1);
        cost->slots = cost->slots < 1 ? 1 : cost->slots + delaminates(core, instruction);
    }
    if (instruction->is_store && instruction->class != INSTRUCTION_ATOMIC) {
        cost_add(cost, core->store_address, 1);
        cost_add(cost, core->store_data, 1);
        cost->slots += instruction->class != INSTRUCTION_CALL;
    }
}

struct instruction_cost instruction_cost_of(const struct core_costs *core, const struct instruction *instruction)
{
    struct instruction_cost cost = {0};
    if (class_cost(core, instruction, &cost)) {
        cost.known = true;
    } else if (instruction->mnemonic && is_zeroing(instruction)) {
        cost.known = true;
        cost.slots = 1;
        return cost;
    } else {
        cost.known = instruction->class != INSTRUCTION_STRING && compute_cost(core, instruction, &cost);
        if (!cost.known)
            cost.slots = 1; /* at least */
    }
    if (instruction->memory.is_present && instruction->class != INSTRUCTION_NOP &&
        instruction->class != INSTRUCTION_PREFETCH)
        memory_cost(core, instruction, &cost);
    return cost;
}

/* Source: Intel optimisation manual, macro-fusion: which conditions go with which instruction. */
bool core_fuses(const struct core_costs *core, const struct instruction *first, const struct instruction *branch)
{
    static const struct {
        const char *mnemonic;
        bool any_flag; /* else only those that don't ask for sign, overflow, parity alone */
        bool no_carry;
    } pairs[] = {
        {"test", true, false}, {"and", true, false}, {"cmp", false, false}, {"add", false, false},
        {"sub", false, false}, {"inc", false, true}, {"dec", false, true},
    };
    static const char *const alone[] = {"js", "jns", "jp", "jnp", "jo", "jno"};
    if (!core->fuses_branches || branch->class != INSTRUCTION_BRANCH || !first->mnemonic || !branch->mnemonic ||
        !branch->flags_read || first->is_store ||
        (first->memory.is_present && (first->has_immediate || first->memory.is_relative)))
        return false;
    bool asks_alone = false;
    for (size_t at = 0; at < array_count(alone); at++)
        asks_alone |= strcmp(branch->mnemonic, alone[at]) == 0;
    for (size_t at = 0; at < array_count(pairs); at++)
        if (strcmp(pairs[at].mnemonic, first->mnemonic) == 0)
            return core->fuses_branches > 1
                       ? strcmp(first->mnemonic, "cmp") == 0 || strcmp(first->mnemonic, "test") == 0
                       : pairs[at].any_flag ||
                             (!asks_alone && !(pairs[at].no_carry && (branch->flags_read & FLAGS_CARRY)));
    return false;
}

void core_units_text(const struct core_costs *core, uint32_t units, struct text *out)
{
    bool first = true;
    for (uint32_t at = 0; at < core->unit_count; at++) {
        if (!(units >> at & 1))
            continue;
        if (!first)
            text_add_char(out, ' ');
        text_add(out, core->unit_names[at]);
        first = false;
    }
}
