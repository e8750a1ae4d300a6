/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/loop_chain.h"

#include "analyse/code/code_flow.h"
#include "base/arena.h"
#include "base/scope.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum {
    REACH = 4096, /* rows that a loop may have */
    CIRCLE_MOST = 512, /* rows: the search is quadratic */
    CYCLES_OF_STEP = 3,
    WIDTH = 4,
    UNITS = 2,
};

static bool row_find(const struct instruction *rows, size_t count, uint64_t addr, uint32_t *ret_row)
{
    *ret_row = code_flow_row(rows, count, addr);
    return *ret_row != FLOW_NONE;
}

enum { WAY_ROWS = 4 * REACH }; /* from where a jump leads: so far it is followed */

struct way_back { /* whether jumps back close loops, asked for many of them */
    const struct instruction *rows;
    size_t count;
    uint32_t question;
    uint32_t met_in[WAY_ROWS]; /* by row from where the jump leads: the last question that met it */
    uint32_t open[WAY_ROWS];   /* such rows to go on from */
};

static struct way_back *way_back_new(const struct instruction *rows, size_t count)
{
    struct way_back *way = memory_alloc(sizeof(*way));
    way->rows = rows;
    way->count = count;
    way->question = 0;
    memset(way->met_in, 0, sizeof(way->met_in));
    return way;
}

/* false: that is too far to be followed. */
static bool way_open(struct way_back *way, uint32_t first, uint32_t row, uint32_t *open_count)
{
    if (row >= first && row - first >= WAY_ROWS)
        return false;
    if (row < first || row >= way->count || way->met_in[row - first] == way->question)
        return true;
    way->met_in[row - first] = way->question;
    way->open[(*open_count)++] = row;
    return true;
}

/*
 * Whether a jump back is met again from where it leads, on no way that goes above that: then it closes a loop. Else it
 * leads to code that ways share, such as the end of a function. A jump whose targets aren't known may lead anywhere.
 */
static bool comes_back(struct way_back *way, struct loop_rows loop)
{
    uint32_t open_count = 0, target;
    way->question++;
    bool followed = way_open(way, loop.first, loop.first, &open_count);
    while (followed && open_count) {
        uint32_t row = way->open[--open_count];
        const struct instruction *here = &way->rows[row];
        bool leads_anywhere = here->class == INSTRUCTION_JUMP && !here->has_target;
        if (row == loop.last || leads_anywhere)
            return true;
        if (here->has_target && here->class != INSTRUCTION_CALL &&
            row_find(way->rows, way->count, here->target, &target))
            followed = way_open(way, loop.first, target, &open_count);
        if (here->falls_through)
            followed &= way_open(way, loop.first, row + 1, &open_count);
    }
    return !followed;
}

bool code_loop_around(const struct instruction *rows, size_t count, uint32_t row, struct loop_rows *ret_loop)
{
    uint64_t addr = rows[row].addr, best = UINT64_MAX;
    scoped_free struct way_back *way = way_back_new(rows, count);
    for (size_t at = row; at < count && at < (size_t)row + REACH; at++) {
        const struct instruction *jump = &rows[at];
        uint32_t first;
        if (!jump->has_target || jump->class == INSTRUCTION_CALL || jump->target > addr ||
            jump->addr - jump->target >= best || !row_find(rows, count, jump->target, &first) ||
            !comes_back(way, (struct loop_rows){first, (uint32_t)at}))
            continue;
        best = jump->addr - jump->target;
        *ret_loop = (struct loop_rows){first, (uint32_t)at};
    }
    return best != UINT64_MAX;
}

struct back_jump {
    uint64_t span_bytes;
    struct loop_rows loop;
};

static int back_jump_compare(const void *a, const void *b)
{
    const struct back_jump *left = a, *right = b;
    if (left->span_bytes != right->span_bytes)
        return left->span_bytes < right->span_bytes ? -1 : 1;
    return (left->loop.last > right->loop.last) - (left->loop.last < right->loop.last);
}

/* The first row from `row` on that has no loop yet; the way there is kept short. */
static uint32_t next_free(uint32_t *next, uint32_t row)
{
    uint32_t end = row;
    while (next[end] != end)
        end = next[end];
    while (next[row] != end) {
        uint32_t after = next[row];
        next[row] = end;
        row = after;
    }
    return end;
}

void code_loops_find(const struct instruction *rows, size_t count, struct loop_rows *ret_loops)
{
    vec(struct back_jump) jumps = {0};
    scoped_free struct way_back *way = way_back_new(rows, count);
    uint32_t *next = memory_alloc((count + 1) * sizeof(*next));
    for (uint32_t at = 0; at <= count; at++)
        next[at] = at;
    for (uint32_t at = 0; at < count; at++) {
        const struct instruction *jump = &rows[at];
        uint32_t first;
        ret_loops[at] = (struct loop_rows){UINT32_MAX, UINT32_MAX};
        if (jump->has_target && jump->class != INSTRUCTION_CALL && jump->target <= jump->addr &&
            row_find(rows, count, jump->target, &first) && comes_back(way, (struct loop_rows){first, at}))
            *vec_push(&jumps) = (struct back_jump){jump->addr - jump->target, {first, at}};
    }
    if (jumps.count)
        qsort(jumps.items, jumps.count, sizeof(*jumps.items), back_jump_compare);
    vec_for_each(&jumps, jump) /* the smallest first: what they hold is theirs */
    {
        struct loop_rows loop = jump->loop;
        uint32_t from = loop.last - loop.first < REACH ? loop.first : loop.last - REACH + 1;
        for (uint32_t row = next_free(next, from); row <= loop.last; row = next_free(next, row)) {
            ret_loops[row] = loop;
            next[row] = row + 1;
        }
    }
    vec_done(&jumps);
    free(next);
}

/* Writers that add constants of one sign: their sum at most, as paths that exclude one another count as one. */
static bool register_step(const struct instruction *rows, struct loop_rows loop, uint8_t number, int64_t scale,
                          int64_t *sum)
{
    int64_t step = 0;
    if (number == REGISTER_NONE)
        return true;
    for (uint32_t at = loop.first; at <= loop.last; at++) {
        const struct instruction *row = &rows[at];
        if (number >= 64 || !(row->writes >> number & 1))
            continue;
        bool counts = row->step_register == number && row->step_by == REGISTER_NONE && row->step;
        if (!counts || (step && (step < 0) != (row->step < 0)) || __builtin_add_overflow(step, row->step, &step))
            return false;
    }
    return !__builtin_mul_overflow(step, scale, &step) && !(*sum && step && (*sum < 0) != (step < 0)) &&
           !__builtin_add_overflow(*sum, step, sum);
}

bool code_loop_step(const struct instruction *rows, struct loop_rows loop, uint32_t row, int64_t *ret_step)
{
    const struct memory_operand *memory = &rows[row].memory;
    int64_t scale = memory->index_shift ? (int64_t)1 << memory->index_shift
                    : memory->scale     ? memory->scale
                                        : 1,
            sum = 0;
    if (!memory->is_present || memory->has_vector_index || memory->has_hidden_part || memory->is_relative ||
        !register_step(rows, loop, memory->base, 1, &sum) || !register_step(rows, loop, memory->index, scale, &sum) ||
        !sum)
        return false;
    *ret_step = sum;
    return true;
}

static bool takes_cycles(const struct instruction *row)
{
    switch (row->class) {
    case INSTRUCTION_MUL:
    case INSTRUCTION_DIV:
    case INSTRUCTION_FP:
    case INSTRUCTION_FP_DIV:
    case INSTRUCTION_CRYPTO:
        return true;
    case INSTRUCTION_LOAD_OP:
        return row->is_fp;
    default:
        return false;
    }
}

struct followed { /* registers that hold what depends on the row */
    uint64_t general;
    uint32_t vector;
};

static bool depends(const struct followed *followed, const struct instruction *row)
{
    return (row->reads & followed->general) || (row->vector_reads & followed->vector);
}

static uint64_t address_registers(const struct memory_operand *memory)
{
    uint64_t mask = 0;
    if (!memory->is_present)
        return 0;
    mask |= memory->base < 64 ? (uint64_t)1 << memory->base : 0;
    mask |= memory->index < 64 && !memory->has_vector_index ? (uint64_t)1 << memory->index : 0;
    return mask;
}

/* Register 0 is where both architectures return values: a call leaves nothing of what it held. */
static uint64_t overwritten_by(const struct instruction *row)
{
    return row->writes | (row->class == INSTRUCTION_CALL ? 1 : 0);
}

/* What it stores beside moving its base on ("push %rax") says nothing of where that goes. */
static uint64_t following_writes(const struct followed *followed, const struct instruction *row)
{
    uint64_t base =
        row->is_store && row->memory.is_present && row->memory.base < 64 ? UINT64_C(1) << row->memory.base : 0;
    return row->writes & ~(base & ~followed->general);
}

static void follow(struct followed *followed, const struct instruction *row, bool in_chain)
{
    if (row->class == INSTRUCTION_CALL)
        in_chain = false;
    if (in_chain) {
        followed->general |= following_writes(followed, row);
        followed->vector |= row->vector_writes;
    } else {
        followed->general &= ~overwritten_by(row);
        followed->vector &= ~row->vector_writes;
    }
}

/* Whether what `from` writes is needed by `to` at its next time in the loop. */
static bool reaches(const struct instruction *rows, struct loop_rows loop, uint32_t from, uint32_t to)
{
    struct followed followed = {rows[from].writes, rows[from].vector_writes};
    uint32_t length = loop.last - loop.first + 1;
    for (uint32_t turn = 1; turn < length; turn++) {
        uint32_t at = loop.first + (from - loop.first + turn) % length;
        bool in_chain = depends(&followed, &rows[at]);
        if (at == to)
            return in_chain;
        follow(&followed, &rows[at], in_chain);
    }
    return false;
}

struct loop_chain loop_chain_at(const struct instruction *rows, struct loop_rows loop, uint32_t row)
{
    struct loop_chain chain = {0};
    struct followed followed = {rows[row].writes, rows[row].vector_writes};
    uint32_t length = loop.last - loop.first + 1, busy = 0;
    if (length > CIRCLE_MOST)
        return chain;
    chain.steps = takes_cycles(&rows[row]);
    for (uint32_t turn = 1; turn < length; turn++) {
        const struct instruction *next = &rows[loop.first + (row - loop.first + turn) % length];
        uint32_t at = (uint32_t)(next - rows);
        bool in_chain = depends(&followed, next);
        /* What hangs on the row but doesn't lead back to it is no step of the circle. */
        bool in_circle = in_chain && takes_cycles(next) && reaches(rows, loop, at, row);
        chain.steps += in_circle;
        busy += takes_cycles(next) && !in_circle;
        follow(&followed, next, in_chain);
    }
    chain.beside = busy;
    chain.carried = depends(&followed, &rows[row]);
    chain.through_address = rows[row].is_load && (address_registers(&rows[row].memory) & followed.general);
    return chain;
}

enum {                  /* of a row, seen from a loop */
       WAY_REACHED = 1, /* from its head, on no way that goes above that */
       WAY_OF_BODY = 2, /* … and leads back to it */
       WAY_OPEN = 4     /* what it holds has grown */
};

struct ways { /* through a loop, where its code lies apart, too */
    const struct instruction *rows;
    size_t count; /* from `first` on */
    uint32_t first;
    uint8_t *marks;         /* by row from `first` */
    struct followed *holds; /* before that row */
};

/* Where control goes from a row: 0 to 2 of them, as places from the loop's first row. */
static uint32_t ways_next(const struct ways *ways, uint32_t at, uint32_t ret_next[2])
{
    const struct instruction *here = &ways->rows[ways->first + at];
    uint32_t found = 0, target = FLOW_NONE;
    if (here->falls_through && at + 1 < ways->count)
        ret_next[found++] = at + 1;
    if (here->has_target && here->class != INSTRUCTION_CALL)
        target = code_flow_row(ways->rows, ways->first + ways->count, here->target);
    if (target != FLOW_NONE && target >= ways->first)
        ret_next[found++] = target - ways->first;
    return found;
}

/* Marks what the head leads to; false: some of it leads where isn't known. */
static bool ways_reach(struct ways *ways, uint32_t *open)
{
    uint32_t open_count = 1, next[2];
    bool is_known = true;
    open[0] = 0;
    ways->marks[0] = WAY_REACHED;
    while (open_count && is_known) {
        uint32_t at = open[--open_count], found = ways_next(ways, at, next);
        const struct instruction *here = &ways->rows[ways->first + at];
        is_known = here->class != INSTRUCTION_JUMP || here->has_target;
        for (uint32_t way = 0; way < found; way++) {
            if (ways->marks[next[way]])
                continue;
            ways->marks[next[way]] = WAY_REACHED;
            open[open_count++] = next[way];
        }
    }
    return is_known;
}

/* Marks what of that leads back to the head. */
static void ways_body(struct ways *ways)
{
    uint32_t next[2];
    bool grew = true;
    while (grew) {
        grew = false;
        for (uint32_t at = (uint32_t)ways->count; at-- > 0;) {
            uint32_t found = ways->marks[at] == WAY_REACHED ? ways_next(ways, at, next) : 0;
            for (uint32_t way = 0; way < found; way++)
                if (next[way] == 0 || ways->marks[next[way]] & WAY_OF_BODY)
                    ways->marks[at] |= WAY_OF_BODY;
            grew |= found && ways->marks[at] & WAY_OF_BODY;
        }
    }
}

/* What holds the result of row `from` at it, when any way round the loop is gone. */
static struct followed ways_follow(struct ways *ways, uint32_t from, uint32_t *open)
{
    uint32_t open_count = 1, next[2];
    open[0] = from;
    while (open_count) {
        uint32_t at = open[--open_count], found = ways_next(ways, at, next);
        const struct instruction *here = &ways->rows[ways->first + at];
        struct followed left = ways->holds[at];
        ways->marks[at] &= (uint8_t)~WAY_OPEN;
        if (at == from)
            left = (struct followed){here->writes, here->vector_writes};
        else
            follow(&left, here, depends(&left, here));
        for (uint32_t way = 0; way < found; way++) {
            struct followed *holds = &ways->holds[next[way]], before = *holds;
            if (!(ways->marks[next[way]] & WAY_OF_BODY))
                continue;
            holds->general |= left.general;
            holds->vector |= left.vector;
            bool grew = holds->general != before.general || holds->vector != before.vector;
            if (!grew || ways->marks[next[way]] & WAY_OPEN || next[way] == from)
                continue;
            ways->marks[next[way]] |= WAY_OPEN;
            open[open_count++] = next[way];
        }
    }
    return ways->holds[from];
}

bool loop_address_returns(const struct instruction *rows, size_t count, struct loop_rows loop, uint32_t row)
{
    size_t behind = count - loop.first;
    if (behind > WAY_ROWS)
        return true;
    scoped_free uint8_t *marks = memory_alloc(behind);
    scoped_free struct followed *holds = memory_alloc(memory_product(behind, sizeof(*holds)));
    scoped_free uint32_t *open = memory_alloc(memory_product(behind, sizeof(*open)));
    memset(marks, 0, behind);
    memset(holds, 0, behind * sizeof(*holds));
    struct ways ways = {.rows = rows, .count = behind, .first = loop.first, .marks = marks, .holds = holds};
    if (!ways_reach(&ways, open))
        return true;
    ways_body(&ways);
    return ways_follow(&ways, row - loop.first, open).general & address_registers(&rows[row].memory);
}

static bool is_same_variable(const struct memory_operand *a, const struct memory_operand *b)
{
    return a->base == b->base && a->index == b->index && a->scale == b->scale && a->displacement == b->displacement &&
           a->segment == b->segment && a->is_relative == b->is_relative && !a->is_relative;
}

bool loop_value_returns(const struct instruction *rows, struct loop_rows loop, uint32_t row)
{
    enum { VARIABLES_MOST = 4 };
    const struct memory_operand *variables[VARIABLES_MOST];
    uint32_t length = loop.last - loop.first + 1, count = 0;
    uint64_t held = rows[row].writes;
    if (length > CIRCLE_MOST)
        return true;
    for (uint32_t turn = 1; turn < length; turn++) {
        const struct instruction *next = &rows[loop.first + (row - loop.first + turn) % length];
        bool keeps = next->reads & held;
        if (keeps && next->class == INSTRUCTION_STORE && count < VARIABLES_MOST &&
            !(address_registers(&next->memory) & held))
            variables[count++] = &next->memory;
        for (uint32_t at = 0; at < count && next->class == INSTRUCTION_LOAD; at++)
            keeps |= is_same_variable(variables[at], &next->memory);
        held = keeps && next->class != INSTRUCTION_CALL ? held | next->writes : held & ~overwritten_by(next);
    }
    return held & address_registers(&rows[row].memory);
}

/*
 * Of a number of 32 bits, loaded as such, the upper half is 0: copied upon itself ("mov %eax,%eax", as compilers widen
 * an index) it stays.
 */
static bool keeps_narrow(const struct instruction *load, const struct instruction *row)
{
    bool is_copy = row->is_sum && !row->sum && row->operation_bits == 32 && row->mnemonic &&
                   strcmp(row->mnemonic, "mov") == 0;
    return is_copy && load->operation_bits == 32 && row->sum_from < 64 && row->writes == (uint64_t)1 << row->sum_from;
}

bool loop_load_leads_on(const struct instruction *rows, struct loop_rows loop, uint32_t row)
{
    uint64_t address = address_registers(&rows[row].memory);
    if (!(rows[row].writes & address) || rows[row].memory.has_vector_index)
        return false;
    for (uint32_t at = loop.first; at <= loop.last; at++)
        if (at != row && !keeps_narrow(&rows[row], &rows[at]) &&
            (rows[at].class == INSTRUCTION_CALL || rows[at].writes & address))
            return false;
    return true;
}

/* Moves and arithmetic of a cycle each hand a result on at once. */
static bool hands_on(const struct instruction *row)
{
    bool accesses = row->memory.is_present && (row->is_load || row->is_store);
    return !accesses && !takes_cycles(row) && !row->divides && row->class != INSTRUCTION_CALL;
}

/* What holds `from`'s result when the loop comes to `to` next, handed on by quick instructions alone. */
static struct followed handed_to(const struct instruction *rows, struct loop_rows loop, uint32_t from, uint32_t to)
{
    struct followed followed = {rows[from].writes, rows[from].vector_writes};
    uint32_t length = loop.last - loop.first + 1;
    for (uint32_t turn = 1; turn < length; turn++) {
        uint32_t at = loop.first + (from - loop.first + turn) % length;
        if (at == to)
            break;
        follow(&followed, &rows[at], hands_on(&rows[at]) && depends(&followed, &rows[at]));
    }
    return followed;
}

bool loop_needs_result(const struct instruction *rows, struct loop_rows loop, uint32_t from, uint32_t row)
{
    const struct instruction *here = &rows[row];
    if (row == from || here->class == INSTRUCTION_CALL || loop.last - loop.first >= CIRCLE_MOST)
        return false;
    struct followed followed = handed_to(rows, loop, from, row);
    bool waits_for_data = here->is_load && here->class != INSTRUCTION_FP && !here->is_fp;
    return !waits_for_data && depends(&followed, here);
}

bool loop_result_returns(const struct instruction *rows, struct loop_rows loop, uint32_t from, uint32_t row)
{
    return loop.last - loop.first < CIRCLE_MOST && reaches(rows, loop, row, from);
}

bool loop_load_follows(const struct instruction *rows, struct loop_rows loop, uint32_t chase, uint32_t load)
{
    if (load == chase || !rows[load].is_load)
        return false;
    if (loop.last - loop.first < CIRCLE_MOST &&
        address_registers(&rows[load].memory) & handed_to(rows, loop, chase, load).general)
        return true;
    uint64_t moved = 0;
    for (uint32_t at = loop.first; at <= loop.last; at++)
        moved |= rows[at].writes;
    uint64_t pointers = rows[chase].writes | (address_registers(&rows[chase].memory) & moved);
    return address_registers(&rows[load].memory) & pointers;
}

bool loop_chain_is_longest(const struct loop_chain *chain, struct loop_rows loop)
{
    double waits = (double)chain->steps * CYCLES_OF_STEP;
    double issue = (double)(loop.last - loop.first + 1) / WIDTH;
    double units = (double)(chain->steps + chain->beside) / UNITS;
    return chain->carried && waits > 1.5 * issue && waits > 1.5 * units;
}
