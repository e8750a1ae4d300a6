/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/stalls.h"

#include "analyse/code/loop_chain.h"
#include "analyse/memory/data_address.h"
#include "base/vec.h"

#include <string.h>


#define NO_INDEX UINT32_MAX

enum {
    ROWS_MOST = 24,       /* of one function */
    GROUPS_MOST = 12,
    ADDRESSES_MOST = 200000,
    JUMPS_MOST = 4096,
    LINE_BYTES = 64,
};

struct decoded { /* a function's instructions */
    struct instruction *items;
    uint64_t *hits; /* stalled here */
    uint8_t *marks; /* MARK_… by instruction */
    struct loop_rows *loops; /* the smallest around each; first is NO_INDEX: none */
    uint32_t *chases; /* the load that a MARK_FOLLOWS row goes behind */
    uint32_t *lost, *ahead; /* stalled here, address overwritten; sampled here, address known */
    size_t count;
    bool has_frame; /* keeps a frame pointer */
    bool tried, marked;
};

enum {
    MARK_LANDING = 1,    /* behind a conditional branch, or where a jump leads: what a wrong guess is seen at */
    MARK_CHAINED = 2,    /* computes what it needs itself in the next turn, and that is the longest part of the turn */
    MARK_NARROW = 8,     /* in a loop that computes with single or 128-bit floating-point numbers */
    MARK_ADDRESSED = 4,  /* loads from where its own last result says */
    MARK_LOOP = 64,      /* the last row of a loop whose rows are marked */
    MARK_FOLLOWS = 16,   /* reads through the pointer of such a load */
    MARK_TABLE = 32,     /* a jump through a register or table, or what only such a jump leads to */
};

struct place { /* what is known of one location; filled when its first sample comes */
    bool known;
    uint32_t function;  /* index into functions, before sorting */
    uint32_t sampled, stalled; /* instruction indices; NO_INDEX */
};

struct address_hit {
    uint64_t time_ns, addr;
    uint32_t function, instruction, thread, pid;
    bool is_ahead; /* of the access to come: where it went, not that it waited */
    bool is_landing;
};

struct count_list {
    uint64_t *items;
    size_t count, capacity;
};

struct work {
    const struct recording *recording;
    const struct code_bundle *bundle;
    struct stalls *stalls;
    struct arena *arena;
    struct disassembler *disassembler;
    struct place *places;
    uint32_t *index_of;              /* by bundle function; NO_INDEX: not met */
    vec(struct stall_function) functions;
    vec(struct decoded) decoded;     /* beside functions */
    vec(const struct bundle_function *) sources;
    vec(struct address_hit) hits;
    struct hashmap code_lines, code_addresses;
    struct count_list line_hits, address_hits;
    uint64_t stack_register, frame_register;
};

bool stalls_counts_sample(const struct recording *recording, const struct sample *sample)
{
    if (sample->event >= recording->event_count)
        return false;
    const struct recorded_event *event = &recording->events[sample->event];
    bool cycles = event->name && strncmp(event->name, "cycles", strlen("cycles")) == 0;
    if (!event->counts_ns && !cycles)
        return false;
    return sample->thread >= recording->threads.count || recording->threads.items[sample->thread].tid != 0;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* ---- instructions ---- */

static bool keeps_frame(const struct work *work, const struct decoded *decoded)
{
    for (size_t at = 0; at < decoded->count && at < 5; at++) {
        const struct instruction *instruction = &decoded->items[at];
        if (instruction->writes >> work->frame_register & 1 && instruction->reads >> work->stack_register & 1 &&
            instruction->class == INSTRUCTION_MOVE)
            return true;
    }
    return false;
}

static bool is_stack_operand(const struct work *work, const struct decoded *decoded,
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
static bool is_variable(const struct work *work, const struct decoded *decoded, const struct instruction *instruction)
{
    return is_stack_operand(work, decoded, instruction) && !(instruction->writes >> work->stack_register & 1) &&
           instruction->class != INSTRUCTION_CALL && instruction->class != INSTRUCTION_RETURN;
}

/*
 * How much a function keeps in memory: unoptimised code reaches for its variables all the time, and loads one right
 * behind the statement that stored it. Optimised code that lacks registers does the first in part, the second hardly.
 */
static void frame_use(const struct work *work, const struct decoded *decoded, struct stall_function *function)
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
    function->frame_density = decoded->count ? (double)variables / (double)decoded->count : 0;
    function->reload_density = decoded->count ? (double)reloads / (double)decoded->count : 0;
}

static void function_decode(struct work *work, uint32_t index)
{
    struct decoded *decoded = &work->decoded.items[index];
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
    for (size_t at = 0; at < items.count && !work->functions.items[index].is_kernel; at++)
        work->stalls->has_wide_code |= items.items[at].vector_bits == 512;
    vec_done(&items);
    decoded->marks = arena_array(work->arena, uint8_t, decoded->count + 1);
    decoded->chases = arena_array(work->arena, uint32_t, decoded->count + 1);
    decoded->lost = arena_array(work->arena, uint32_t, decoded->count + 1);
    decoded->ahead = arena_array(work->arena, uint32_t, decoded->count + 1);
    decoded->has_frame = keeps_frame(work, decoded);
    work->functions.items[index].has_code = decoded->count > 0;
    frame_use(work, decoded, &work->functions.items[index]);
}

static uint32_t instruction_at(const struct decoded *decoded, uint64_t shown_addr)
{
    size_t low = 0, high = decoded->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (decoded->items[middle].addr <= shown_addr)
            low = middle + 1;
        else
            high = middle;
    }
    bool exact = low > 0 && decoded->items[low - 1].addr == shown_addr;
    return exact ? (uint32_t)(low - 1) : NO_INDEX;
}

/* A jump back to this instruction, when the function has one: the likelier way in than falling through. */
static uint32_t jump_back_to(const struct decoded *decoded, uint32_t index)
{
    uint64_t addr = decoded->items[index].addr;
    size_t most = decoded->count < index + JUMPS_MOST ? decoded->count : index + JUMPS_MOST;
    for (size_t at = index; at < most; at++)
        if (decoded->items[at].has_target && decoded->items[at].target == addr &&
            decoded->items[at].class != INSTRUCTION_CALL)
            return (uint32_t)at;
    return NO_INDEX;
}

/* A compare with a memory operand fuses with the branch behind it: the pair stalls on the load. */
static uint32_t fused_with(const struct decoded *decoded, uint32_t index)
{
    if (index == 0 || index == NO_INDEX || decoded->items[index].class != INSTRUCTION_BRANCH)
        return index;
    const struct instruction *before = &decoded->items[index - 1];
    bool compare = before->is_load && !before->is_store && before->class == INSTRUCTION_LOAD_OP;
    return compare ? index - 1 : index;
}

/* Padding behind a jump is never run: what follows it is reached by a jump. */
static bool falls_in(const struct decoded *decoded, uint32_t index)
{
    uint32_t at = index;
    while (at > 0 && decoded->items[at - 1].class == INSTRUCTION_NOP)
        at--;
    return at > 0 ? decoded->items[at - 1].falls_through && (at == index || decoded->items[index - 1].falls_through)
                  : index > 0;
}

/* A jump table's jump, nearest before or else behind: the way to code that nothing falls into. */
static uint32_t indirect_jump_near(const struct decoded *decoded, uint32_t index)
{
    for (uint32_t at = index; at > 0; at--)
        if (decoded->items[at - 1].class == INSTRUCTION_JUMP && !decoded->items[at - 1].has_target)
            return at - 1;
    for (size_t at = index; at < decoded->count; at++)
        if (decoded->items[at].class == INSTRUCTION_JUMP && !decoded->items[at].has_target)
            return (uint32_t)at;
    return NO_INDEX;
}

static uint32_t stalled_of(const struct decoded *decoded, uint32_t sampled)
{
    if (sampled == NO_INDEX)
        return NO_INDEX;
    uint32_t back = jump_back_to(decoded, sampled);
    if (back != NO_INDEX)
        return fused_with(decoded, back);
    if (falls_in(decoded, sampled))
        return fused_with(decoded, sampled - 1);
    return sampled > 0 ? indirect_jump_near(decoded, sampled) : NO_INDEX;
}

static bool is_own_row(const struct decoded *decoded, struct loop_rows loop, uint32_t row)
{
    return decoded->loops[row].first == loop.first && decoded->loops[row].last == loop.last;
}

/* Loads of this very loop that go through the pointer of one of its loads. */
static void followers_mark(struct decoded *decoded, struct loop_rows loop, uint32_t chase)
{
    for (uint32_t load = loop.first; load <= loop.last; load++) {
        if (!is_own_row(decoded, loop, load) || !loop_load_follows(decoded->items, loop, chase, load))
            continue;
        decoded->marks[load] |= MARK_FOLLOWS;
        decoded->chases[load] = chase;
    }
}

/* Where a wrong guess shows. */
static void landings_mark(struct decoded *decoded)
{
    for (size_t at = 0; at < decoded->count; at++) {
        const struct instruction *row = &decoded->items[at];
        if (at + 1 < decoded->count && row->class == INSTRUCTION_BRANCH)
            decoded->marks[at + 1] |= MARK_LANDING;
        if (at > 0 && !falls_in(decoded, (uint32_t)at) && row->class != INSTRUCTION_NOP)
            decoded->marks[at] |= MARK_LANDING;
        uint32_t target = row->has_target && row->class == INSTRUCTION_BRANCH ? instruction_at(decoded, row->target)
                                                                               : NO_INDEX;
        if (target != NO_INDEX)
            decoded->marks[target] |= MARK_LANDING;
    }
}

static bool computes_narrow(const struct decoded *decoded, struct loop_rows loop)
{
    for (uint32_t row = loop.first; row <= loop.last; row++)
        if (decoded->items[row].is_scalar_fp || (decoded->items[row].is_fp && decoded->items[row].vector_bits == 128))
            return true;
    return false;
}

/* The rows of the loop around one that was sampled, when they aren't marked yet: most loops of most code never ran. */
static void loop_mark(const struct work *work, struct decoded *decoded, uint32_t sampled)
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
        bool pops = row->memory.base == work->stack_register; /* its next place is known without what it loads */
        if (!chain.carried || !chain.through_address || pops)
            continue;
        decoded->marks[at] |= MARK_ADDRESSED;
        followers_mark(decoded, loop, at);
    }
}

/* Jumps through a table, and the code that nothing else leads to. */
static uint32_t table_mark(struct decoded *decoded)
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
        if (!led_to[at] && decoded->items[at].class != INSTRUCTION_NOP && !falls_in(decoded, (uint32_t)at)) {
            decoded->marks[at] |= MARK_TABLE;
            cases++;
        }
    return cases;
}

/* ---- functions ---- */

static uint32_t function_of(struct work *work, uint32_t location)
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
    *vec_push(&work->decoded) = (struct decoded){0};
    *vec_push(&work->sources) = source;
    return (uint32_t)work->functions.count - 1;
}

static const struct place *place_of(struct work *work, uint32_t location)
{
    struct place *place = &work->places[location];
    if (place->known)
        return place;
    *place = (struct place){.known = true, .sampled = NO_INDEX, .stalled = NO_INDEX};
    place->function = function_of(work, location);
    struct decoded *decoded = &work->decoded.items[place->function];
    if (!decoded->tried)
        function_decode(work, place->function);
    const struct bundle_function *source = work->sources.items[place->function];
    if (!source || !decoded->count)
        return place;
    uint64_t dso_addr = work->recording->samples.locations[location].dso_addr;
    place->sampled = instruction_at(decoded, source->shown_addr + (dso_addr - source->dso_addr));
    place->stalled = stalled_of(decoded, place->sampled);
    if (!decoded->marked) {
        decoded->loops = arena_array(work->arena, struct loop_rows, decoded->count + 1);
        code_loops_find(decoded->items, decoded->count, decoded->loops);
        landings_mark(decoded);
        work->functions.items[place->function].table_cases = table_mark(decoded);
    }
    decoded->marked = true;
    loop_mark(work, decoded, place->sampled);
    loop_mark(work, decoded, place->stalled);
    return place;
}

/* ---- samples ---- */

struct register_source {
    const struct samples *samples;
    const struct sample *sample;
};

static bool register_sampled(const void *context, unsigned number, uint64_t *ret_value)
{
    const struct register_source *source = context;
    return samples_register(source->samples, source->sample, number, ret_value);
}

/* movss and movsd move one number through a vector register. */
static bool moves_one(const struct instruction *instruction)
{
    return instruction->is_scalar_fp || (instruction->vector_bits && instruction->memory.is_present &&
                                         instruction->memory.size_bytes && instruction->memory.size_bytes <= 8);
}

/*
 * The sample is taken behind the load, when a load into a register of its own address has overwritten it. A plain
 * pointer chase leaves the next address there, which is as good; anything else leaves data.
 */
static bool loses_address(const struct instruction *instruction)
{
    const struct memory_operand *memory = &instruction->memory;
    uint64_t used = (memory->base < 64 ? (uint64_t)1 << memory->base : 0) |
                    (memory->index < 64 ? (uint64_t)1 << memory->index : 0);
    bool chases = instruction->class == INSTRUCTION_LOAD && memory->index == REGISTER_NONE && memory->size_bytes == 8;
    return instruction->is_load && !chases && (instruction->writes & used);
}

/* Arithmetic that loads one of its operands may wait for either: the load is counted by itself. */
static enum instruction_class counted_class(const struct instruction *instruction)
{
    if (instruction->divides)
        return instruction->is_fp ? INSTRUCTION_FP_DIV : INSTRUCTION_DIV;
    return instruction->class == INSTRUCTION_LOAD_OP && instruction->is_fp ? INSTRUCTION_FP : instruction->class;
}

static void hit_add(struct work *work, const struct sample *sample, const struct place *place, uint32_t index,
                    bool is_ahead)
{
    struct decoded *decoded = &work->decoded.items[place->function];
    struct register_source registers = {&work->recording->samples, sample};
    /* What the instruction does to its own registers was looked at by loses_address. */
    struct instruction plain = decoded->items[index];
    plain.writes = 0;
    const struct location *location = &work->recording->samples.locations[sample->location];
    uint64_t sampled_at = sample->ip ? sample->ip : location->runtime_addr, addr;
    uint64_t runtime_addr = sampled_at + plain.addr - decoded->items[place->sampled].addr;
    enum data_refusal refusal;
    bool is_next;
    if (work->hits.count >= ADDRESSES_MOST ||
        !operand_address(&plain, runtime_addr, register_sampled, &registers, &addr, &is_next, &refusal))
        return;
    decoded->ahead[index] += is_ahead;
    *vec_push(&work->hits) = (struct address_hit){
        .time_ns = sample->time_ns,
        .addr = addr,
        .function = place->function,
        .instruction = index,
        .thread = sample->thread,
        .pid = sample->thread < work->recording->threads.count ? work->recording->threads.items[sample->thread].pid : 0,
        .is_ahead = is_ahead,
        .is_landing = decoded->marks[place->sampled] & MARK_LANDING,
    };
}

static void note_vectors(struct stalls *stalls, const struct instruction *instruction)
{
    bool one = moves_one(instruction);
    stalls->scalar_fp_samples += one;
    if (!one && instruction->vector_bits >= 128)
        stalls->vector_samples[instruction->vector_bits >= 512 ? 2 : instruction->vector_bits >= 256 ? 1 : 0]++;
    switch (instruction->class) {
    case INSTRUCTION_FP:
    case INSTRUCTION_FP_DIV:
        stalls->arithmetic_samples++;
        break;
    default:
        stalls->arithmetic_samples += instruction->is_fp && instruction->class == INSTRUCTION_LOAD_OP;
    }
}

/* Where the way on is guessed before it is known. */
static bool is_guessed(const struct instruction *instruction)
{
    switch (instruction->class) {
    case INSTRUCTION_BRANCH:
    case INSTRUCTION_JUMP:
    case INSTRUCTION_CALL:
    case INSTRUCTION_RETURN:
        return true;
    default:
        return false;
    }
}

static void sample_attribute(struct work *work, const struct sample *sample, const struct place *place)
{
    struct stalls *stalls = work->stalls;
    struct decoded *decoded = &work->decoded.items[place->function];
    struct stall_function *function = &work->functions.items[place->function];
    uint32_t index = stalls->attributed ? place->stalled : place->sampled;
    if (index == NO_INDEX)
        return;
    const struct instruction *instruction = &decoded->items[index];
    decoded->hits[index]++;
    function->attributed++;
    if (!stalls->attributed || function->is_kernel)
        return;
    stalls->attributed_samples++;
    stalls->class_samples[counted_class(instruction)]++;
    note_vectors(stalls, instruction);
    bool chained = decoded->marks[index] & MARK_CHAINED;
    bool addressed = decoded->marks[index] & (MARK_ADDRESSED | MARK_FOLLOWS);
    stalls->guess_samples += is_guessed(instruction) || decoded->marks[place->sampled] & MARK_LANDING ? 1 : 0;
    function->table_samples += (decoded->marks[index] | decoded->marks[place->sampled]) & MARK_TABLE ? 1 : 0;
    stalls->chained_samples += chained && !addressed;
    stalls->load_samples += instruction->is_load;
    stalls->narrow_loop_samples += decoded->marks[index] & MARK_NARROW ? 1 : 0;
    stalls->addressed_samples += addressed;
    const struct instruction *next = &decoded->items[place->sampled];
    if (next->is_load && loses_address(next) && !is_stack_operand(work, decoded, next))
        hit_add(work, sample, place, place->sampled, true);
    if (!instruction->is_load && !instruction->is_store)
        return;
    if (is_stack_operand(work, decoded, instruction)) {
        function->stack_samples++;
        stalls->stack_samples++;
        return;
    }
    stalls->memory_samples++;
    if (loses_address(instruction))
        decoded->lost[index]++;
    else
        hit_add(work, sample, place, index, false);
}

static void count_key(struct hashmap *map, uint64_t key, struct count_list *counts)
{
    uint32_t id = hashmap_find(map, hash_u64(key), NULL, NULL, NULL);
    if (id == HASHMAP_ABSENT) {
        hashmap_add(map, hash_u64(key), (uint32_t)counts->count);
        *vec_push(counts) = 1;
    } else {
        counts->items[id]++;
    }
}

static void samples_walk(struct work *work)
{
    const struct samples *samples = &work->recording->samples;
    struct stalls *stalls = work->stalls;
    double weight_ns = 0;
    for (size_t at = 0; at < samples->count; at++) {
        const struct sample *sample = &samples->items[at];
        if (!stalls_counts_sample(work->recording, sample) || sample->location >= samples->location_count)
            continue;
        const struct place *place = place_of(work, sample->location);
        const struct location *location = &samples->locations[sample->location];
        work->functions.items[place->function].samples++;
        stalls->sample_count++;
        if (work->recording->events[sample->event].counts_ns)
            weight_ns += (double)sample->period;
        if (location->cpu_mode == CPU_MODE_KERNEL) {
            stalls->kernel_samples++;
        } else {
            stalls->user_samples++;
            uint64_t code = hash_combine(location->dso, location->dso_addr >> 6);
            count_key(&work->code_lines, code, &work->line_hits);
            count_key(&work->code_addresses, hash_combine(location->dso, location->dso_addr), &work->address_hits);
        }
        /* Code that a JIT made is no library's function, whatever it is called. */
        const struct bundle_function *source = work->sources.items[place->function];
        bool named = source && (source->is_named || strncmp(source->name, "[JIT]", 5) == 0);
        stalls->unnamed_samples += location->cpu_mode != CPU_MODE_KERNEL && !named;
        sample_attribute(work, sample, place);
    }
    stalls->blind_samples = stalls->user_samples - stalls->attributed_samples;
    stalls->cpu_s = weight_ns * 1e-9;
}

static int descending_u64(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left < right) - (left > right);
}

/* How many of the largest counts hold 98 % of their sum. */
static uint64_t holding_most(uint64_t *counts, size_t count)
{
    uint64_t sum = 0, held = 0;
    for (size_t at = 0; at < count; at++)
        sum += counts[at];
    if (count)
        qsort(counts, count, sizeof(*counts), descending_u64);
    for (size_t at = 0; at < count; at++) {
        held += counts[at];
        if (held * 50 >= sum * 49)
            return at + 1;
    }
    return count;
}

/* ---- results ---- */

static const char *name_at(void *context, uint64_t addr, uint64_t *ret_offset)
{
    const struct work *work = context;
    for (size_t at = 0; at < work->bundle->count; at++) {
        const struct bundle_function *function = &work->bundle->functions[at];
        if (addr - function->shown_addr < function->size_bytes && function->shown_addr) {
            *ret_offset = addr - function->shown_addr;
            return function->name;
        }
    }
    return NULL;
}

static void row_fill(struct work *work, uint32_t index, uint32_t instruction_index, struct stall_row *row)
{
    const struct decoded *decoded = &work->decoded.items[index];
    const struct instruction *instruction = &decoded->items[instruction_index];
    const struct bundle_function *source = work->sources.items[index];
    uint64_t offset = instruction->addr - source->shown_addr;
    scoped_text struct text text = {0};
    disassembler_text(work->disassembler, instruction, source->bytes + offset, name_at, work, &text);
    const struct bundle_line *line =
        bundle_function_line(source, source->dso_addr + offset, instruction->length);
    bool overwrites = instruction->memory.is_present && instruction->memory.base != REGISTER_NONE &&
                      instruction->memory.base < 64 && instruction->writes >> instruction->memory.base & 1;
    *row = (struct stall_row){
        .function = index,
        .shown_addr = instruction->addr,
        .text = arena_string(work->arena, text_string(&text)),
        .path = line ? line->path : NULL,
        .line = line ? line->line : 0,
        .inlined = line ? line->function : NULL,
        .class = counted_class(instruction),
        .is_load = instruction->is_load,
        .is_store = instruction->is_store,
        .is_stack = is_stack_operand(work, decoded, instruction),
        .is_scalar_fp = instruction->is_scalar_fp,
        .is_fp = instruction->is_fp,
        .vector_bits = instruction->vector_bits,
        .is_dependent = instruction->class == INSTRUCTION_LOAD && overwrites,
        .samples = decoded->hits[instruction_index],
        .is_chained = decoded->marks[instruction_index] & MARK_CHAINED,
        .is_addressed = decoded->marks[instruction_index] & MARK_ADDRESSED,
    };
    if (row->is_addressed || !(decoded->marks[instruction_index] & MARK_FOLLOWS))
        return;
    const struct instruction *chase = &decoded->items[decoded->chases[instruction_index]];
    text_clear(&text);
    disassembler_text(work->disassembler, chase, source->bytes + (chase->addr - source->shown_addr), name_at, work, &text);
    row->chase = arena_string(work->arena, text_string(&text));
}

struct hot_instruction {
    uint64_t hits;
    uint32_t index;
};

static int hot_compare(const void *a, const void *b)
{
    const struct hot_instruction *left = a, *right = b;
    if (left->hits != right->hits)
        return left->hits < right->hits ? 1 : -1;
    return (left->index > right->index) - (left->index < right->index);
}

static void function_rows(struct work *work, uint32_t index)
{
    struct stall_function *function = &work->functions.items[index];
    const struct decoded *decoded = &work->decoded.items[index];
    vec(struct hot_instruction) hot = {0};
    for (size_t at = 0; at < decoded->count; at++)
        if (decoded->hits[at])
            *vec_push(&hot) = (struct hot_instruction){decoded->hits[at], (uint32_t)at};
    if (hot.count)
        qsort(hot.items, hot.count, sizeof(*hot.items), hot_compare);
    function->row_count = hot.count < ROWS_MOST ? hot.count : ROWS_MOST;
    function->rows = arena_array(work->arena, struct stall_row, function->row_count + 1);
    for (size_t at = 0; at < function->row_count; at++)
        row_fill(work, index, hot.items[at].index, &function->rows[at]);
    vec_done(&hot);
}

/* ---- groups: a function's accesses to one mapping ---- */

static const struct process_pages *pages_of(const struct process_pages *pages, size_t count, uint32_t pid)
{
    for (size_t at = 0; at < count; at++)
        if ((uint32_t)pages[at].pid == pid)
            return &pages[at];
    return NULL;
}

/* An upper end to what a call costs in instructions when its code wasn't read. */
enum {
    CALLEE_UNREAD = 32,
    WORK_MOST = 512,
};

static size_t callee_length(const struct work *work, const struct instruction *call)
{
    for (size_t at = 0; call->has_target && at < work->functions.count; at++) {
        const struct bundle_function *source = work->sources.items[at];
        if (source && source->shown_addr == call->target && work->decoded.items[at].count)
            return work->decoded.items[at].count;
    }
    return CALLEE_UNREAD;
}

/*
 * Instructions from one access of the group to the next: the loop's, with what it calls, over the loads in it that
 * wait as this one does. So much of the program stands between two misses in the reorder buffer.
 */
static uint32_t work_around(const struct work *work, uint32_t function, uint32_t hottest)
{
    const struct decoded *decoded = &work->decoded.items[function];
    struct loop_rows loop;
    if (!code_loop_around(decoded->items, decoded->count, hottest, &loop))
        return 0;
    size_t total = 0, alike = 0;
    for (uint32_t at = loop.first; at <= loop.last; at++) {
        const struct instruction *instruction = &decoded->items[at];
        total += 1 + (instruction->class == INSTRUCTION_CALL ? callee_length(work, instruction) : 0);
        alike += instruction->is_load && !is_stack_operand(work, decoded, instruction) &&
                 decoded->hits[at] * 4 >= decoded->hits[hottest];
    }
    size_t work_per_access = total / (alike ? alike : 1);
    return (uint32_t)(work_per_access < WORK_MOST ? work_per_access : WORK_MOST);
}

struct grouped_hit {
    struct address_hit hit;
    const struct page_area *area;
    uint64_t area_start;
};

static int grouped_compare(const void *a, const void *b)
{
    const struct grouped_hit *left = a, *right = b;
    if (left->hit.function != right->hit.function)
        return left->hit.function < right->hit.function ? -1 : 1;
    if (left->hit.pid != right->hit.pid)
        return left->hit.pid < right->hit.pid ? -1 : 1;
    if (left->area_start != right->area_start)
        return left->area_start < right->area_start ? -1 : 1;
    return (left->hit.time_ns > right->hit.time_ns) - (left->hit.time_ns < right->hit.time_ns);
}

/* Names that the kernel gives to memory of its tmpfs. */
static bool is_shared_memory(const char *path)
{
    static const char *const starts[] = {"/dev/shm/", "/memfd:", "/SYSV", "/dev/zero", "[anon_shmem"};
    for (size_t at = 0; at < array_count(starts); at++)
        if (strncmp(path, starts[at], strlen(starts[at])) == 0)
            return true;
    return false;
}

static void group_area(struct stall_group *group, const struct page_area *area)
{
    group->area_known = area != NULL;
    if (!area)
        return;
    group->area = area->path[0] ? area->path : "anonymous memory";
    group->area_bytes = area->end - area->start;
    group->area_resident_bytes = area->resident_bytes;
    group->advised_huge = area->advised_huge;
    group->advised_never = area->advised_never;
    group->is_stack = strncmp(area->path, "[stack", 6) == 0;
    group->is_shared = is_shared_memory(area->path);
    group->is_heap = strncmp(area->path, "[heap", 5) == 0;
    group->is_anonymous = group->is_heap || !area->path[0] || strncmp(area->path, "[anon", 5) == 0;
}

static int double_compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/*
 * Nanoseconds that a line of a walk in order takes: addresses of two samples in succession tell how far it came
 * meanwhile. The faster quarter bounds it (others had the CPU between some); 0: most pairs don't agree on a speed.
 */
static double order_line_ns(const struct grouped_hit *hits, size_t count, int64_t step)
{
    vec(double) speeds = {0};
    size_t pairs = 0, agreeing = 0;
    for (size_t at = 1; at < count; at++) {
        const struct address_hit *before = &hits[at - 1].hit, *hit = &hits[at].hit;
        if (hit->thread != before->thread || hit->instruction != before->instruction || hit->time_ns <= before->time_ns)
            continue;
        double way = (double)(int64_t)(hit->addr - before->addr) * (step < 0 ? -1 : 1);
        pairs++;
        if (way > 0)
            *vec_push(&speeds) = way / (double)(hit->time_ns - before->time_ns);
    }
    if (speeds.count)
        qsort(speeds.items, speeds.count, sizeof(*speeds.items), double_compare);
    double middle = speeds.count ? speeds.items[speeds.count / 2] : 0;
    double fast = speeds.count ? speeds.items[speeds.count - 1 - speeds.count / 4] : 0;
    for (size_t at = 0; at < speeds.count; at++)
        agreeing += speeds.items[at] > middle / 1.5 && speeds.items[at] < middle * 1.5;
    vec_done(&speeds);
    return pairs >= WORKING_SET_ADDRESSES_LEAST && agreeing * 5 >= pairs * 3 ? LINE_BYTES / fast : 0;
}

/* What the code says of the order of the accesses outweighs the distances between samples. */
static void group_order(const struct decoded *decoded, const struct grouped_hit *hits, size_t count, uint32_t hottest,
                        struct stall_group *group)
{
    struct loop_rows loop;
    int64_t step;
    group->in_order = code_loop_around(decoded->items, decoded->count, hottest, &loop) &&
                      code_loop_step(decoded->items, loop, hottest, &step) && step >= -LINE_BYTES && step <= LINE_BYTES;
    if (!group->in_order)
        return;
    group->order_line_ns = order_line_ns(hits, count, step);
    group->set.stride_bytes = 0;
    group->set.one_place_in_stride = false;
}

/* For how many stalled samples an address stands. */
static double hit_weight(const struct work *work, const struct address_hit *hit)
{
    const struct decoded *decoded = &work->decoded.items[hit->function];
    return hit->is_ahead ? (double)decoded->lost[hit->instruction] / (double)decoded->ahead[hit->instruction] : 1;
}

/* Its address comes out of a load before: nothing can be fetched ahead. */
static bool is_dependent(const struct decoded *decoded, uint32_t index)
{
    const struct instruction *instruction = &decoded->items[index];
    bool own = instruction->class == INSTRUCTION_LOAD && instruction->memory.base < 64 &&
               (instruction->writes >> instruction->memory.base & 1);
    return own || decoded->marks[index] & (MARK_ADDRESSED | MARK_FOLLOWS);
}

static void group_fill(struct work *work, const struct grouped_hit *hits, size_t count,
                       const struct process_pages *pages, struct stall_group *group)
{
    uint32_t function = hits[0].hit.function;
    const struct decoded *decoded = &work->decoded.items[function];
    double samples = 0, loads = 0, narrow = 0, stores = 0, dependent = 0, landing = 0;
    *group = (struct stall_group){.function = function, .area = "unknown memory"};
    group_area(group, hits[0].area);
    scoped_free struct timed_address *addresses = memory_alloc(count * sizeof(*addresses));
    uint32_t hottest = hits[0].hit.instruction;
    for (size_t at = 0; at < count; at++) {
        const struct instruction *instruction = &decoded->items[hits[at].hit.instruction];
        addresses[at] = (struct timed_address){hits[at].hit.time_ns, hits[at].hit.addr};
        double weight = hit_weight(work, &hits[at].hit);
        samples += weight;
        loads += instruction->is_load ? weight : 0;
        landing += hits[at].hit.is_landing && !hits[at].hit.is_ahead ? weight : 0;
        narrow += moves_one(instruction) || instruction->vector_bits == 128 ? weight : 0;
        stores += instruction->is_store && !instruction->is_load ? weight : 0;
        dependent += is_dependent(decoded, hits[at].hit.instruction) ? weight : 0;
        if (decoded->hits[hits[at].hit.instruction] > decoded->hits[hottest])
            hottest = hits[at].hit.instruction;
        uint64_t size = pages ? process_pages_size_at(pages, hits[at].hit.addr) : 0;
        group->unknown_hits += size == 0;
        group->base_hits += pages && size && size <= pages->base_page_bytes;
        group->huge_hits += pages && size > pages->base_page_bytes;
    }
    group->samples = (uint64_t)(samples + 0.5);
    group->load_samples = (uint64_t)(loads + 0.5);
    group->narrow_samples = (uint64_t)(narrow + 0.5);
    group->landing_samples = (uint64_t)(landing + 0.5);
    group->store_samples = (uint64_t)(stores + 0.5);
    group->dependent_samples = (uint64_t)(dependent + 0.5);
    row_fill(work, function, hottest, &group->row);
    group->element_bytes = decoded->items[hottest].memory.size_bytes;
    group->work_instructions = work_around(work, function, hottest);
    double total = (double)work->stalls->sample_count;
    group->share = wilson_interval(samples < total ? samples : total, total, total);
    double sized = (double)(group->base_hits + group->huge_hits);
    group->base_share = wilson_interval((double)group->base_hits, sized, sized);
    group->set = working_set_of(addresses, count);
    group_order(decoded, hits, count, hottest, group);
}

static int group_compare(const void *a, const void *b)
{
    const struct stall_group *left = a, *right = b;
    return (left->samples < right->samples) - (left->samples > right->samples);
}

static void groups_find(struct work *work, const struct process_pages *pages, size_t pages_count)
{
    size_t count = work->hits.count;
    struct stalls *stalls = work->stalls;
    stalls->groups = arena_array(work->arena, struct stall_group, GROUPS_MOST + 1);
    if (!count)
        return;
    scoped_free struct grouped_hit *hits = memory_alloc(count * sizeof(*hits));
    for (size_t at = 0; at < count; at++) {
        const struct process_pages *map = pages_of(pages, pages_count, work->hits.items[at].pid);
        const struct page_area *area = map ? process_pages_area(map, work->hits.items[at].addr) : NULL;
        hits[at] = (struct grouped_hit){work->hits.items[at], area, area ? area->start : 0};
    }
    qsort(hits, count, sizeof(*hits), grouped_compare);
    vec(struct stall_group) groups = {0};
    size_t least = stalls->sample_count / 100 + 1;
    for (size_t first = 0; first < count;) {
        size_t end = first;
        double weight = 0;
        for (; end < count && hits[end].hit.function == hits[first].hit.function &&
               hits[end].hit.pid == hits[first].hit.pid && hits[end].area_start == hits[first].area_start;
             end++)
            weight += hit_weight(work, &hits[end].hit);
        if (weight >= (double)least)
            group_fill(work, hits + first, end - first, pages_of(pages, pages_count, hits[first].hit.pid),
                       vec_push(&groups));
        first = end;
    }
    if (groups.count)
        qsort(groups.items, groups.count, sizeof(*groups.items), group_compare);
    stalls->group_count = groups.count < GROUPS_MOST ? groups.count : GROUPS_MOST;
    if (groups.count)
        memcpy(stalls->groups, groups.items, stalls->group_count * sizeof(*groups.items));
    vec_done(&groups);
}

static int line_compare(const void *a, const void *b)
{
    const struct address_hit *left = a, *right = b;
    if (left->addr >> 6 != right->addr >> 6)
        return left->addr < right->addr ? -1 : 1;
    if (left->pid != right->pid)
        return left->pid < right->pid ? -1 : 1;
    if (left->addr != right->addr)
        return left->addr < right->addr ? -1 : 1;
    return (left->thread > right->thread) - (left->thread < right->thread);
}

/* Of the hits on one line: those at addresses where one thread alone was met. */
static size_t hits_apart(const struct address_hit *hits, size_t count)
{
    size_t apart = 0;
    for (size_t first = 0; first < count;) {
        size_t end = first;
        while (end < count && hits[end].addr == hits[first].addr)
            end++;
        apart += hits[end - 1].thread == hits[first].thread ? end - first : 0;
        first = end;
    }
    return apart;
}

/* Addresses whose cache line was met in two threads of a process, one of them writing. */
static void shared_lines_count(struct work *work)
{
    struct address_hit *hits = work->hits.items;
    size_t count = work->hits.count;
    work->stalls->shared_line_addresses = count;
    if (count)
        qsort(hits, count, sizeof(*hits), line_compare);
    for (size_t first = 0; first < count;) {
        size_t end = first;
        bool shared = false, stored = false;
        for (; end < count && hits[end].addr >> 6 == hits[first].addr >> 6 && hits[end].pid == hits[first].pid; end++) {
            shared |= hits[end].thread != hits[first].thread;
            stored |= work->decoded.items[hits[end].function].items[hits[end].instruction].is_store;
        }
        work->stalls->shared_line_samples += shared && stored ? end - first : 0;
        work->stalls->apart_samples += shared && stored ? hits_apart(hits + first, end - first) : 0;
        first = end;
    }
}

struct function_order {
    uint64_t samples;
    uint32_t index;
};

static int order_compare(const void *a, const void *b)
{
    const struct function_order *left = a, *right = b;
    if (left->samples != right->samples)
        return left->samples < right->samples ? 1 : -1;
    return (left->index > right->index) - (left->index < right->index);
}

static void functions_sort(struct work *work)
{
    struct stalls *stalls = work->stalls;
    size_t count = work->functions.count;
    stalls->function_count = count;
    stalls->functions = arena_array(work->arena, struct stall_function, count + 1);
    scoped_free struct function_order *order = memory_alloc((count + 1) * sizeof(*order));
    scoped_free uint32_t *position = memory_alloc((count + 1) * sizeof(*position));
    for (size_t at = 0; at < count; at++)
        order[at] = (struct function_order){work->functions.items[at].samples, (uint32_t)at};
    qsort(order, count, sizeof(*order), order_compare);
    double total = (double)stalls->sample_count;
    for (size_t at = 0; at < count; at++) {
        struct stall_function *function = &stalls->functions[at];
        *function = work->functions.items[order[at].index];
        function->share = wilson_interval((double)function->samples, total, total);
        position[order[at].index] = (uint32_t)at;
        for (size_t row = 0; row < function->row_count; row++)
            function->rows[row].function = (uint32_t)at;
    }
    for (size_t at = 0; at < stalls->group_count; at++) {
        stalls->groups[at].function = position[stalls->groups[at].function];
        stalls->groups[at].row.function = stalls->groups[at].function;
    }
}

static void work_done(struct work *work)
{
    disassembler_free(work->disassembler);
    free(work->places);
    free(work->index_of);
    vec_done(&work->functions);
    vec_done(&work->decoded);
    vec_done(&work->sources);
    vec_done(&work->hits);
    vec_done(&work->line_hits);
    vec_done(&work->address_hits);
    hashmap_done(&work->code_lines);
    hashmap_done(&work->code_addresses);
}

void stalls_find(struct stalls *stalls, const struct recording *recording, const struct code_bundle *bundle,
                 const struct process_pages *pages, size_t pages_count, bool one_behind, struct arena *arena)
{
    *stalls = (struct stalls){.attributed = one_behind};
    bool arm = strcmp(bundle->architecture, "aarch64") == 0;
    struct work work = {
        .recording = recording,
        .bundle = bundle,
        .stalls = stalls,
        .arena = arena,
        .stack_register = arm ? 31 : 7, /* PERF_REG_ARM64_SP, PERF_REG_X86_SP */
        .frame_register = arm ? 29 : 6, /* PERF_REG_ARM64_X29, PERF_REG_X86_BP */
    };
    struct error err = {0};
    if (!disassembler_new(&work.disassembler, bundle->architecture, SYNTAX_ATT, &err)) {
        work.disassembler = NULL;
        stalls->why_no_code = arena_string(arena, err.message);
        stalls->attributed = false;
    }
    work.places = memory_alloc((recording->samples.location_count + 1) * sizeof(*work.places));
    memset(work.places, 0, (recording->samples.location_count + 1) * sizeof(*work.places));
    work.index_of = memory_alloc((bundle->count + 1) * sizeof(*work.index_of));
    memset(work.index_of, 0xff, (bundle->count + 1) * sizeof(*work.index_of));
    samples_walk(&work);
    for (size_t at = 0; at < work.line_hits.count; at++)
        stalls->single_lines += work.line_hits.items[at] == 1;
    stalls->hot_code_lines = holding_most(work.line_hits.items, work.line_hits.count);
    stalls->hot_addresses = holding_most(work.address_hits.items, work.address_hits.count);
    for (size_t at = 0; at < work.functions.count; at++)
        function_rows(&work, (uint32_t)at);
    groups_find(&work, pages, pages_count);
    shared_lines_count(&work);
    functions_sort(&work);
    work_done(&work);
}
