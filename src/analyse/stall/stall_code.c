/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/code_flow.h"
#include "analyse/code/kept_values.h"
#include "analyse/code/polling_loop.h"
#include "analyse/code/register_past.h"
#include "analyse/stall/stall_work.h"

#include <string.h>

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* ---- instructions ---- */

static bool keeps_frame(const struct stall_work *work, const struct stall_code *decoded)
{
    for (size_t at = 0; at < decoded->count && at < 5; at++) {
        const struct instruction *instruction = &decoded->items[at];
        if (instruction->writes >> work->frame_register & 1 && instruction->reads >> work->stack_register & 1 &&
            instruction->class == INSTRUCTION_MOVE)
            return true;
    }
    return false;
}

bool stall_is_frame_operand(const struct stall_work *work, const struct stall_code *decoded,
                             const struct instruction *instruction)
{
    const struct memory_operand *memory = &instruction->memory;
    if (!memory->is_present)
        return false;
    bool stack = memory->base == work->stack_register ||
                 (decoded->has_frame && memory->base == work->frame_register);
    return stack && memory->index == REGISTER_NONE;
}

/* push, pop, call and return use the stack, but hold no variable in it. */
static bool is_variable(const struct stall_work *work, const struct stall_code *decoded,
                        const struct instruction *instruction)
{
    return stall_is_frame_operand(work, decoded, instruction) && !(instruction->writes >> work->stack_register & 1) &&
           instruction->class != INSTRUCTION_CALL && instruction->class != INSTRUCTION_RETURN;
}

/* Registers that may hold variables. */
static uint64_t variable_registers(const struct stall_work *work, const struct stall_code *decoded)
{
    static const uint64_t x86 = UINT64_C(0xff007f), arm = UINT64_C(0x3fffffff); /* by the numbers of PERF_REG_… */
    bool is_arm = work->stack_register == 31;
    uint64_t frame = UINT64_C(1) << work->stack_register | (uint64_t)decoded->has_frame << work->frame_register;
    return (is_arm ? arm : x86) & ~frame;
}

/*
 * How much a function keeps in memory: unoptimised code reaches for its variables all the time, and loads one right
 * behind the statement that stored it. Optimised code that lacks registers does the first in part, the second hardly.
 */
static void frame_use(const struct stall_work *work, const struct stall_code *decoded, struct stall_function *function)
{
    enum { RIGHT_BEHIND = 3 };
    size_t variables = 0, reloads = 0;
    for (size_t at = 0; at < decoded->count; at++) {
        const struct instruction *row = &decoded->items[at];
        if (!is_variable(work, decoded, row))
            continue;
        variables++;
        bool again = false;
        for (size_t back = 1; back <= RIGHT_BEHIND && back <= at && row->is_load && !again; back++) {
            const struct instruction *before = &decoded->items[at - back];
            again = before->is_store && is_variable(work, decoded, before) && before->memory.base == row->memory.base &&
                    before->memory.displacement == row->memory.displacement;
        }
        reloads += again;
    }
    function->has_frame = decoded->has_frame;
    function->keeps_values = code_keeps_values(decoded->items, decoded->count, variable_registers(work, decoded));
    function->frame_density = decoded->count ? (double)variables / (double)decoded->count : 0;
    function->reload_density = decoded->count ? (double)reloads / (double)decoded->count : 0;
}

static void function_decode(struct stall_work *work, uint32_t index)
{
    struct stall_code *decoded = &work->decoded.items[index];
    const struct bundle_function *source = work->sources.items[index];
    decoded->tried = true;
    if (!source || !source->bytes || !work->disassembler)
        return;
    vec(struct instruction) items = {0};
    for (size_t at = 0; at < source->byte_count;) {
        struct instruction instruction;
        if (!disassembler_next(work->disassembler, source->bytes + at, source->byte_count - at,
                               source->shown_addr + at, &instruction) ||
            !instruction.length)
            break;
        *vec_push(&items) = instruction;
        at += instruction.length;
    }
    decoded->count = items.count;
    decoded->items = arena_array(work->arena, struct instruction, items.count + 1);
    if (items.count)
        memcpy(decoded->items, items.items, items.count * sizeof(*items.items));
    decoded->hits = arena_array(work->arena, uint64_t, items.count + 1);
    decoded->sampled = arena_array(work->arena, uint64_t, items.count + 1);
    decoded->met = arena_array(work->arena, uint32_t, items.count + 1);
    for (size_t at = 0; at < items.count && !work->functions.items[index].is_kernel; at++)
        work->stalls->has_wide_code |= items.items[at].vector_bits == 512;
    vec_done(&items);
    decoded->marks = arena_array(work->arena, uint16_t, decoded->count + 1);
    decoded->loaded = arena_array(work->arena, struct loaded_value, decoded->count + 1);
    decoded->chases = arena_array(work->arena, uint32_t, decoded->count + 1);
    decoded->lost = arena_array(work->arena, uint32_t, decoded->count + 1);
    decoded->ahead = arena_array(work->arena, uint32_t, decoded->count + 1);
    decoded->has_frame = keeps_frame(work, decoded);
    work->functions.items[index].has_code = decoded->count > 0;
    frame_use(work, decoded, &work->functions.items[index]);
}

static uint32_t instruction_at(const struct stall_code *decoded, uint64_t shown_addr)
{
    return code_flow_row(decoded->items, decoded->count, shown_addr);
}

static bool is_own_row(const struct stall_code *decoded, struct loop_rows loop, uint32_t row)
{
    return decoded->loops[row].first == loop.first && decoded->loops[row].last == loop.last;
}

/* Loads of this very loop that go through the pointer of one of its loads. */
static void followers_mark(struct stall_code *decoded, struct loop_rows loop, uint32_t chase)
{
    for (uint32_t load = loop.first; load <= loop.last; load++) {
        if (!is_own_row(decoded, loop, load) || !loop_load_follows(decoded->items, loop, chase, load))
            continue;
        decoded->marks[load] |= MARK_FOLLOWS;
        decoded->chases[load] = chase;
    }
}

/* What needs a division's result, and whether the division itself does from turn to turn. */
static void division_mark(struct stall_code *decoded, struct loop_rows loop, uint32_t division, bool carried)
{
    decoded->marks[division] |= carried ? MARK_DIVIDE_CHAIN : 0;
    for (uint32_t row = loop.first; row <= loop.last; row++) {
        if (!is_own_row(decoded, loop, row) || decoded->items[row].divides ||
            !loop_needs_result(decoded->items, loop, division, row))
            continue;
        bool may_be_guess = decoded->marks[row] & MARK_LANDING; /* what stands there may wait for one */
        bool in_circle = carried && !may_be_guess && loop_result_returns(decoded->items, loop, division, row);
        decoded->marks[row] |= MARK_DIVIDED | (in_circle ? MARK_DIVIDE_CHAIN : 0);
    }
}

/* Where a wrong guess shows. */
static void landings_mark(struct stall_code *decoded)
{
    for (size_t at = 0; at < decoded->count; at++) {
        const struct instruction *row = &decoded->items[at];
        if (at + 1 < decoded->count && row->class == INSTRUCTION_BRANCH)
            decoded->marks[at + 1] |= MARK_LANDING;
        if (at > 0 && !stall_falls_in(decoded, (uint32_t)at) && row->class != INSTRUCTION_NOP)
            decoded->marks[at] |= MARK_LANDING | MARK_ELSEWHERE;
        uint32_t target = row->has_target ? instruction_at(decoded, row->target) : NO_INDEX;
        if (target != NO_INDEX)
            decoded->marks[target] |= MARK_ELSEWHERE | (row->class == INSTRUCTION_BRANCH ? MARK_LANDING : 0);
    }
}

static bool computes_narrow(const struct stall_code *decoded, struct loop_rows loop)
{
    for (uint32_t row = loop.first; row <= loop.last; row++)
        if (decoded->items[row].is_scalar_fp || (decoded->items[row].is_fp && decoded->items[row].vector_bits == 128))
            return true;
    return false;
}

/* The rows of the loop around one that was sampled, when they aren't marked yet: most loops of most code never ran. */
static void loop_mark(const struct stall_work *work, struct stall_code *decoded, uint32_t sampled)
{
    if (sampled == NO_INDEX || decoded->loops[sampled].first == NO_INDEX)
        return;
    struct loop_rows loop = decoded->loops[sampled];
    if (decoded->marks[loop.last] & MARK_LOOP)
        return;
    decoded->marks[loop.last] |= MARK_LOOP;
    bool narrow = computes_narrow(decoded, loop);
    for (uint32_t at = loop.first; at <= loop.last; at++) {
        const struct instruction *row = &decoded->items[at];
        if (!is_own_row(decoded, loop, at))
            continue;
        struct loop_chain chain = loop_chain_at(decoded->items, loop, at);
        decoded->marks[at] |= narrow ? MARK_NARROW : 0;
        /* A division is the divider's own matter. */
        decoded->marks[at] |= !row->divides && loop_chain_is_longest(&chain, loop) ? MARK_CHAINED : 0;
        if (row->divides)
            division_mark(decoded, loop, at, chain.carried);
        bool overwrites =
            row->class == INSTRUCTION_LOAD && row->memory.base < 64 && row->writes >> row->memory.base & 1;
        decoded->marks[at] |= overwrites && !loop_value_returns(decoded->items, loop, at) ? MARK_STRAY : 0;
        /* Its next place is known without what it loads. */
        bool pops = row->memory.base == work->stack_register || row->class == INSTRUCTION_STRING;
        if (!chain.carried || !chain.through_address || pops ||
            !loop_address_returns(decoded->items, decoded->count, loop, at))
            continue;
        decoded->marks[at] |= MARK_ADDRESSED;
        followers_mark(decoded, loop, at);
    }
}

/* Loops that wait for what others write. */
static void polls_mark(struct stall_code *decoded)
{
    for (uint32_t last = 0; last < decoded->count; last++) {
        const struct instruction *back = &decoded->items[last];
        bool goes_back = back->has_target && back->class != INSTRUCTION_CALL && back->target <= back->addr;
        struct loop_rows loop = {goes_back ? instruction_at(decoded, back->target) : NO_INDEX, last};
        if (loop.first == NO_INDEX || !code_loop_polls(decoded->items, decoded->count, loop))
            continue;
        for (uint32_t row = loop.first; row <= loop.last; row++)
            decoded->marks[row] |= MARK_POLLS;
    }
}

/* Jumps through a table, and the code that nothing else leads to. */
static uint32_t table_mark(struct stall_code *decoded)
{
    uint32_t cases = 0;
    bool jumps = false;
    for (size_t at = 0; at < decoded->count; at++) {
        bool table = decoded->items[at].class == INSTRUCTION_JUMP && !decoded->items[at].has_target;
        jumps |= table;
        decoded->marks[at] |= table ? MARK_TABLE : 0;
    }
    scoped_free uint8_t *led_to = memory_alloc(decoded->count + 1);
    memset(led_to, 0, decoded->count + 1);
    for (size_t at = 0; at < decoded->count && jumps; at++) {
        uint32_t target = decoded->items[at].has_target ? instruction_at(decoded, decoded->items[at].target) : NO_INDEX;
        if (target != NO_INDEX)
            led_to[target] = 1;
    }
    for (size_t at = 1; at < decoded->count && jumps; at++)
        if (!led_to[at] && decoded->items[at].class != INSTRUCTION_NOP && !stall_falls_in(decoded, (uint32_t)at)) {
            decoded->marks[at] |= MARK_TABLE;
            cases++;
        }
    return cases;
}

/* ---- functions ---- */

static uint32_t function_of(struct stall_work *work, uint32_t location)
{
    const struct bundle_function *source = code_bundle_find(work->bundle, work->recording, location);
    const struct location *place = &work->recording->samples.locations[location];
    if (source) {
        uint32_t index = work->index_of[source - work->bundle->functions];
        if (index != NO_INDEX)
            return index;
        work->index_of[source - work->bundle->functions] = (uint32_t)work->functions.count;
    }
    const struct strings *strings = &work->recording->strings;
    const char *path = strings_text(strings, work->recording->spaces.dsos[place->dso].path);
    bool kernel = place->cpu_mode == CPU_MODE_KERNEL;
    const char *name = source ? source->name : "[unknown]";
    if (!source)
        for (size_t at = 0; at < work->functions.count; at++)
            if (!work->sources.items[at] && strcmp(work->functions.items[at].dso_path, path) == 0)
                return (uint32_t)at;
    *vec_push(&work->functions) = (struct stall_function){
        .name = name,
        .dso = kernel ? "[kernel]" : last_part(path),
        .dso_path = path,
        .producer = source ? source->producer : NULL,
        .is_kernel = kernel,
    };
    *vec_push(&work->decoded) = (struct stall_code){0};
    *vec_push(&work->sources) = source;
    return (uint32_t)work->functions.count - 1;
}

const struct stall_place *stall_place_of(struct stall_work *work, uint32_t location)
{
    struct stall_place *place = &work->places[location];
    if (place->known)
        return place;
    *place = (struct stall_place){.known = true, .sampled = NO_INDEX, .stalled = NO_INDEX};
    place->function = function_of(work, location);
    struct stall_code *decoded = &work->decoded.items[place->function];
    if (!decoded->tried)
        function_decode(work, place->function);
    const struct bundle_function *source = work->sources.items[place->function];
    if (!source || !decoded->count)
        return place;
    uint64_t dso_addr = work->recording->samples.locations[location].dso_addr;
    place->sampled = instruction_at(decoded, source->shown_addr + (dso_addr - source->dso_addr));
    if (!decoded->marked) {
        decoded->loops = arena_array(work->arena, struct loop_rows, decoded->count + 1);
        code_loops_find(decoded->items, decoded->count, decoded->loops);
        landings_mark(decoded);
        polls_mark(decoded);
        work->functions.items[place->function].table_cases = table_mark(decoded);
    }
    decoded->marked = true;
    loop_mark(work, decoded, place->sampled);
    return place;
}

void stall_place_settle(struct stall_work *work, uint32_t location)
{
    struct stall_place *place = &work->places[location];
    if (place->settled || !place->known)
        return;
    struct stall_code *decoded = &work->decoded.items[place->function];
    place->stalled = work->stalls->exact ? place->sampled : stall_before(decoded, place->sampled);
    place->settled = true;
    if (decoded->marked)
        loop_mark(work, decoded, place->stalled);
}
