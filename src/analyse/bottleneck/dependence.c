/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/bottleneck/dependence.h"

#include "analyse/loop/loop_start.h"

enum { X86_FRAME_POINTER = 6, X86_STACK_POINTER = 7 }; /* PERF_REG_X86_BP, _SP */

enum {
    ORIGIN_STEPS_MOST = 6, /* copies of a pointer, and places on the stack that it was kept in */
    LOOKED_AT_MOST = 256, /* rows around: a store is forwarded while it is young */
    BLOCKED_AT_MOST = 24, /* rows behind it: later it is in the cache */
};

static bool is_same_place(const struct instruction *a, const struct instruction *b)
{
    const struct memory_operand *left = &a->memory, *right = &b->memory;
    if (!left->is_present || !right->is_present || left->has_vector_index || right->has_vector_index ||
        left->is_relative != right->is_relative || left->segment != right->segment)
        return false;
    if (left->is_relative)
        return a->addr + (uint64_t)left->displacement == b->addr + (uint64_t)right->displacement;
    return left->base == right->base && left->index == right->index && left->scale == right->scale &&
           left->displacement == right->displacement;
}

bool goes_through_memory(const struct region *region, uint32_t row)
{
    const struct instruction *items = region->code->items, *here = &items[row];
    if (!here->memory.is_present || (!here->is_load && !here->is_store))
        return false;
    if (here->class == INSTRUCTION_UPDATE)
        return true;
    uint32_t first = row > region->rows.first + LOOKED_AT_MOST ? row - LOOKED_AT_MOST : region->rows.first;
    for (uint32_t at = first; at <= region->rows.last && at < row + LOOKED_AT_MOST; at++) {
        const struct instruction *other = &items[at];
        bool counterpart = (here->is_load && other->is_store) || (here->is_store && other->is_load);
        if (at != row && counterpart && is_same_place(here, other))
            return true;
    }
    return false;
}

static uint64_t address_registers(const struct memory_operand *memory)
{
    return (memory->base < 64 ? (uint64_t)1 << memory->base : 0) |
           (memory->index < 64 ? (uint64_t)1 << memory->index : 0);
}

/* It stores some of what the load loads, at the same place by the same registers. */
static bool overlaps(const struct instruction *before, const struct memory_operand *load)
{
    const struct memory_operand *store = &before->memory;
    bool aligned = before->is_store && store->is_present && store->base == load->base && store->index == load->index &&
                   store->scale == load->scale && store->segment == load->segment && !store->has_vector_index;
    int64_t apart = store->displacement - load->displacement;
    return aligned && store->size_bytes && apart < load->size_bytes && apart + store->size_bytes > 0;
}

static bool is_part_of(const struct instruction *store, const struct memory_operand *load)
{
    return store->memory.size_bytes < load->size_bytes;
}

static bool is_atomic(const struct instruction *store, const struct memory_operand *load)
{
    (void)load;
    return store->class == INSTRUCTION_ATOMIC;
}

/*
 * What is used behind a call and not written anew was kept by it, but for register 0, where both architectures return
 * values.
 */
static bool keeps(const struct instruction *before, uint64_t address, bool passes_calls)
{
    bool is_lost = before->class == INSTRUCTION_CALL && (!passes_calls || address & 1);
    return !is_lost && !(before->writes & address) && before->class != INSTRUCTION_JUMP;
}

/* A store of that kind, just before, of some of what the row loads. */
static bool is_behind_store(const struct region *region, uint32_t row,
                            bool (*is_such)(const struct instruction *store, const struct memory_operand *load),
                            bool passes_calls)
{
    const struct instruction *items = region->code->items, *here = &items[row];
    const struct memory_operand *load = &here->memory;
    if (!here->is_load || !load->is_present || load->is_relative || load->has_vector_index || !load->size_bytes)
        return false;
    uint64_t address = address_registers(load);
    for (uint32_t back = 1; back <= BLOCKED_AT_MOST && row >= region->rows.first + back; back++) {
        const struct instruction *before = &items[row - back];
        if (overlaps(before, load) && is_such(before, load))
            return true;
        if (!keeps(before, address, passes_calls))
            return false;
    }
    return false;
}

bool is_blocked_by_store(const struct region *region, uint32_t row)
{
    return is_behind_store(region, row, is_part_of, false);
}

/* Constants that a loop adds to a register before one of its rows; false: something else writes it, too. */
static bool stepped_before(const struct stall_code *code, struct loop_rows loop, uint32_t row, uint8_t number,
                           int64_t *sum)
{
    bool steps = true;
    for (uint32_t at = loop.first; at <= loop.last && steps; at++) {
        const struct instruction *here = &code->items[at];
        if (!(here->writes >> number & 1))
            continue;
        steps = here->step_register == number && here->step_by == REGISTER_NONE && here->step;
        *sum += at < row ? here->step : 0;
    }
    return steps;
}

/* Where a store of a loop goes first, from the register that a load behind the loop goes by. */
static bool first_place_from(const struct stall_code *code, struct loop_rows loop, uint32_t store, uint8_t base,
                             int64_t *ret_offset)
{
    const struct memory_operand *memory = &code->items[store].memory;
    int64_t sum = memory->displacement, moved = 0, counted = 0;
    if (memory->base >= 64 || !stepped_before(code, loop, store, memory->base, &moved))
        return false;
    struct loop_start start = loop_start_of(code->items, loop.first, memory->base);
    if (!start.known || start.from != base)
        return false;
    if (memory->index < 64) {
        struct loop_start count = loop_start_of(code->items, loop.first, memory->index);
        if (!count.known || count.from != REGISTER_NONE || memory->has_vector_index ||
            !stepped_before(code, loop, store, memory->index, &counted))
            return false;
        counted = (counted + count.sum) * memory->scale;
    }
    *ret_offset = sum + moved + counted + start.sum;
    return true;
}

/* What the loop writes begins within what the load takes, in narrower pieces. */
static bool writes_piecewise(const struct stall_code *code, struct loop_rows loop, uint32_t store,
                             const struct memory_operand *load)
{
    const struct instruction *here = &code->items[store];
    int64_t offset = 0;
    bool is_narrower = here->class == INSTRUCTION_STORE && here->memory.size_bytes &&
                       here->memory.size_bytes < load->size_bytes && here->memory.segment == load->segment;
    return is_narrower && first_place_from(code, loop, store, load->base, &offset) && offset >= load->displacement &&
           offset < load->displacement + load->size_bytes;
}

bool is_blocked_by_loop(const struct region *region, uint32_t row)
{
    const struct stall_code *code = region->code;
    const struct memory_operand *load = &code->items[row].memory;
    if (!code->items[row].is_load || !load->is_present || load->is_relative || load->base >= 64 ||
        load->index != REGISTER_NONE || !code->loops)
        return false;
    struct loop_rows inner = {UINT32_MAX, UINT32_MAX};
    for (uint32_t back = 1; back <= BLOCKED_AT_MOST && back <= row; back++) {
        const struct instruction *before = &code->items[row - back];
        struct loop_rows here = code->loops[row - back];
        bool is_inner = here.first != UINT32_MAX && here.last < row;
        inner = is_inner && inner.first == UINT32_MAX ? here : inner;
        bool is_own = is_inner && here.first == inner.first && here.last == inner.last;
        if (is_own && writes_piecewise(code, inner, row - back, load))
            return true;
        bool leaves = inner.first != UINT32_MAX ? !is_own : before->ends_block;
        if (leaves || before->class == INSTRUCTION_CALL || before->writes >> load->base & 1)
            return false;
    }
    return false;
}

bool is_behind_atomic(const struct region *region, uint32_t row)
{
    return is_behind_store(region, row, is_atomic, true);
}

bool is_address_written(const struct region *region, uint32_t row)
{
    uint64_t address = address_registers(&region->code->items[row].memory);
    bool written = false;
    for (uint32_t at = region->rows.first; at <= region->rows.last && !written; at++)
        written = region->code->items[at].writes & address;
    return written;
}

static bool holds_row(const uint32_t *rows, uint32_t count, uint32_t row)
{
    uint32_t at = 0;
    while (at < count && rows[at] != row)
        at++;
    return at < count;
}

bool is_addressed_by(const struct region *region, uint32_t row, const uint32_t *rows, uint32_t count)
{
    uint32_t first = region->rows.first, turn = region->rows.last - first + 1;
    uint64_t wanted = address_registers(&region->code->items[row].memory);
    for (uint32_t back = 1; back <= turn && wanted; back++) {
        uint32_t at = first + (row - first + turn - back) % turn;
        const struct instruction *before = &region->code->items[at];
        if (!(before->writes & wanted))
            continue;
        if (holds_row(rows, count, at))
            return true;
        wanted = (wanted & ~before->writes) | before->reads;
    }
    return false;
}

/* What it reads to compute with; what it writes and adds to, too. */
static uint64_t computed_with(const struct instruction *row)
{
    uint64_t address = row->memory.is_present ? address_registers(&row->memory) : 0;
    return row->reads & ~address;
}

uint32_t operand_loads(const struct region *region, uint32_t row, uint32_t *ret_rows, uint32_t most)
{
    const struct instruction *items = region->code->items;
    uint64_t general = computed_with(&items[row]);
    uint32_t vector = items[row].vector_reads, found = 0;
    for (uint32_t at = row; at > region->rows.first && found < most && (general || vector); at--) {
        const struct instruction *before = &items[at - 1];
        if (before->ends_block || before->class == INSTRUCTION_CALL || region->code->marks[at] & MARK_ELSEWHERE)
            break;
        if (!(before->writes & general) && !(before->vector_writes & vector))
            continue;
        general = (general & ~before->writes) | computed_with(before);
        vector = (vector & ~before->vector_writes) | before->vector_reads;
        if (before->is_load && before->memory.is_present && before->class != INSTRUCTION_STRING)
            ret_rows[found++] = at - 1;
    }
    return found;
}

bool has_divide_chain(const struct region *region)
{
    bool found = false;
    for (uint32_t row = region->rows.first; row <= region->rows.last && !found; row++)
        found = region_holds(region, row) && region->code->items[row].divides &&
                region->code->marks[row] & MARK_DIVIDE_CHAIN;
    return found;
}

bool is_chased(const struct region *region, uint32_t row)
{
    const struct instruction *here = &region->code->items[row];
    bool own = here->class == INSTRUCTION_LOAD && here->memory.base < 64 && here->memory.size_bytes == 8 &&
               (here->writes >> here->memory.base & 1) && !(region->code->marks[row] & MARK_STRAY);
    return own || region->code->marks[row] & (MARK_ADDRESSED | MARK_FOLLOWS);
}

enum origin_kind {
    ORIGIN_UNKNOWN,
    ORIGIN_ENTRY,   /* a register as it was when the function was called */
    ORIGIN_CALL,    /* what a call gave back */
    ORIGIN_LOADED
};

struct origin {
    enum origin_kind kind;
    uint8_t number; /* ENTRY */
    uint32_t row;   /* LOADED */
};

/* By the order of the code: the last row before `row` that writes the register; UINT32_MAX: none. */
static uint32_t writer_before(const struct stall_code *code, uint32_t row, uint8_t number)
{
    for (uint32_t at = row; at > 0; at--)
        if (code->items[at - 1].writes >> number & 1 || (code->items[at - 1].class == INSTRUCTION_CALL && number == 0))
            return at - 1;
    return UINT32_MAX;
}

static bool is_on_stack(const struct stall_code *code, const struct instruction *row)
{
    return row->memory.is_present && row->memory.index == REGISTER_NONE &&
           (row->memory.base == X86_STACK_POINTER || (code->has_frame && row->memory.base == X86_FRAME_POINTER));
}

/* The store of one register to where `load` finds it again; UINT32_MAX: none. */
static uint32_t keeper_before(const struct stall_code *code, uint32_t load)
{
    for (uint32_t at = load; at > 0; at--)
        if (code->items[at - 1].class == INSTRUCTION_STORE && is_same_place(&code->items[at - 1], &code->items[load]))
            return at - 1;
    return UINT32_MAX;
}

static struct origin origin_of(const struct stall_code *code, uint32_t row, uint8_t number)
{
    for (int step = 0; step < ORIGIN_STEPS_MOST && number < 64; step++) {
        uint32_t from = writer_before(code, row, number);
        if (from == UINT32_MAX)
            return (struct origin){.kind = ORIGIN_ENTRY, .number = number};
        const struct instruction *writer = &code->items[from];
        if (writer->class == INSTRUCTION_CALL)
            return (struct origin){.kind = ORIGIN_CALL};
        if (writer->class == INSTRUCTION_LOAD && writer->memory.size_bytes == 8 && !is_on_stack(code, writer))
            return (struct origin){.kind = ORIGIN_LOADED, .row = from};
        if (writer->class == INSTRUCTION_LOAD && is_on_stack(code, writer)) {
            from = keeper_before(code, from);
            uint64_t kept =
                from == UINT32_MAX ? 0 : code->items[from].reads & ~address_registers(&code->items[from].memory);
            if (!kept || kept & (kept - 1))
                break;
            number = (uint8_t)__builtin_ctzll(kept);
        } else if (writer->class == INSTRUCTION_MOVE && writer->is_sum && !writer->sum) {
            number = writer->sum_from;
        } else if (writer->step_register != number || writer->step_by != REGISTER_NONE) {
            break; /* else it moved on from where it came from */
        }
        row = from;
    }
    return (struct origin){0};
}

static bool calls_itself(const struct stall_code *code, uint32_t row)
{
    const struct instruction *here = &code->items[row];
    return here->class == INSTRUCTION_CALL && here->has_target && here->target == code->items[0].addr;
}

static bool has_pointer_alone(const struct instruction *row)
{
    return row->is_load && row->memory.is_present && row->memory.base < 64 && row->memory.index == REGISTER_NONE &&
           !row->memory.is_relative;
}

bool is_chased_by_calls(const struct region *region, uint32_t row)
{
    const struct stall_code *code = region->code;
    if (!has_pointer_alone(&code->items[row]) || is_on_stack(code, &code->items[row]))
        return false;
    struct origin through = origin_of(code, row, code->items[row].memory.base);
    for (uint32_t call = 0; through.kind == ORIGIN_ENTRY && call < code->count; call++) {
        if (!calls_itself(code, call))
            continue;
        struct origin passed = origin_of(code, call, through.number);
        if (passed.kind != ORIGIN_LOADED || !has_pointer_alone(&code->items[passed.row]))
            continue;
        struct origin before = origin_of(code, passed.row, code->items[passed.row].memory.base);
        if (before.kind == ORIGIN_ENTRY && before.number == through.number)
            return true;
    }
    return false;
}

bool is_passed_by_calls(const struct region *region, uint32_t row)
{
    const struct stall_code *code = region->code;
    if (!has_pointer_alone(&code->items[row]) || is_on_stack(code, &code->items[row]))
        return false;
    int64_t step;
    bool moves_on = region->is_loop && code_loop_step(code->items, region->rows, row, &step);
    bool turns_by_calls = !region->is_loop || moves_on;
    for (uint32_t call = 0; call < code->count && !turns_by_calls; call++)
        turns_by_calls = calls_itself(code, call);
    struct origin through = turns_by_calls
                                ? origin_of(code, moves_on ? region->rows.first : row, code->items[row].memory.base)
                                : (struct origin){0};
    return through.kind == ORIGIN_ENTRY || through.kind == ORIGIN_CALL;
}

bool is_led_by_chase(const struct region *region, uint32_t row)
{
    const struct stall_code *code = region->code;
    uint8_t base = code->items[row].memory.base;
    if (!region->is_loop || base >= 64)
        return false;
    bool leads = false;
    for (uint32_t at = 0; at < code->count; at++) {
        const struct instruction *here = &code->items[at];
        bool inside = at >= region->rows.first && at <= region->rows.last;
        bool around = code->loops[at].first <= region->rows.first && code->loops[at].last >= region->rows.last;
        if (inside && here->writes >> base & 1)
            return false;
        leads |= !inside && around && here->class == INSTRUCTION_LOAD && here->memory.base == base &&
                 here->writes >> base & 1;
    }
    return leads;
}
