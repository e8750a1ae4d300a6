/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/code/register_past.h"
#include "analyse/memory/data_address.h"
#include "analyse/stall/stall_work.h"

#include <stdlib.h>
#include <string.h>

enum {
    ADDRESSES_MOST = 200000,
};

bool stall_moves_one(const struct instruction *instruction)
{
    return instruction->is_scalar_fp || (instruction->vector_bits && instruction->memory.is_present &&
                                         instruction->memory.size_bytes && instruction->memory.size_bytes <= 8);
}

/*
 * What a load left in its own address is where it goes next: a plain pointer, or an index that nothing else of its loop
 * writes.
 */
static bool leads_on(const struct stall_code *decoded, uint32_t index)
{
    const struct instruction *instruction = &decoded->items[index];
    const struct loop_rows *loop = &decoded->loops[index];
    if (instruction->class != INSTRUCTION_LOAD)
        return false;
    if (instruction->memory.index == REGISTER_NONE && instruction->memory.size_bytes == 8)
        return !(decoded->marks[index] & MARK_STRAY);
    return loop->first != NO_INDEX && loop_load_leads_on(decoded->items, *loop, index);
}

/*
 * The sample is taken behind the load, when a load into a register of its own address has overwritten it. A chase
 * leaves the next address there, which is as good; anything else leaves data.
 */
static bool loses_address(const struct stall_code *decoded, uint32_t index)
{
    const struct instruction *instruction = &decoded->items[index];
    const struct memory_operand *memory = &instruction->memory;
    uint64_t used = (memory->base < 64 ? (uint64_t)1 << memory->base : 0) |
                    (memory->index < 64 ? (uint64_t)1 << memory->index : 0);
    bool goes_on = instruction->class == INSTRUCTION_STRING; /* its registers say where it is */
    return instruction->is_load && (instruction->writes & used) && !goes_on && !leads_on(decoded, index);
}

enum instruction_class stall_counted_class(const struct instruction *instruction)
{
    if (instruction->divides)
        return instruction->is_fp ? INSTRUCTION_FP_DIV : INSTRUCTION_DIV;
    return instruction->class == INSTRUCTION_LOAD_OP && instruction->is_fp ? INSTRUCTION_FP : instruction->class;
}

/* A pointer or a count, which may stay the same in every turn. */
static bool is_pointer_load(const struct instruction *row)
{
    return row->class == INSTRUCTION_LOAD && !row->is_store && row->memory.is_present && row->memory.size_bytes == 8 &&
           row->writes && !(row->writes & (row->writes - 1)) && !row->vector_writes;
}

/* How a hit's address is known. */
enum hit_way {
    HIT_DIRECT, /* its registers are as it met them */
    HIT_AHEAD,  /* of the access to come */
    HIT_AGAIN   /* a register of it was overwritten, and computed again */
};

/* The marks of what ran first, had a wrong guess been what the sample waited for. */
static uint16_t resumed_marks(const struct stall_work *work, const struct stall_code *decoded,
                              const struct stall_place *place)
{
    if (!work->stalls->restarts_behind || place->stalled == NO_INDEX)
        return decoded->marks[place->sampled];
    return decoded->marks[place->stalled] |
           (stall_falls_in(decoded, place->sampled) ? decoded->marks[place->sampled - 1] : 0);
}

static bool hit_add(struct stall_work *work, const struct sample *sample, const struct stall_place *place,
                    uint32_t index, enum hit_way way)
{
    struct stall_code *decoded = &work->decoded.items[place->function];
    struct sampled_registers registers = {&work->recording->samples, sample};
    /* What the instruction does to its own registers was looked at by loses_address. */
    struct instruction plain = decoded->items[index];
    plain.writes = 0;
    const struct location *location = &work->recording->samples.locations[sample->location];
    uint64_t sampled_at = sample->ip ? sample->ip : location->runtime_addr, addr;
    uint64_t runtime_addr = sampled_at + plain.addr - decoded->items[place->sampled].addr;
    enum data_refusal refusal;
    bool is_next;
    const struct register_past past = {decoded->items, decoded->marks,   decoded->loaded, place->sampled,
                                       index,          register_sampled, &registers};
    bool known = way == HIT_AGAIN
                     ? operand_address(&plain, runtime_addr, register_past_value, &past, &addr, &is_next, &refusal)
                     : operand_address(&plain, runtime_addr, register_sampled, &registers, &addr, &is_next, &refusal);
    if (work->hits.count >= ADDRESSES_MOST || !known)
        return false;
    decoded->ahead[index] += way == HIT_AHEAD;
    *vec_push(&work->hits) = (struct stall_address){
        .time_ns = sample->time_ns,
        .addr = addr,
        .function = place->function,
        .instruction = index,
        .thread = sample->thread,
        .pid = sample->thread < work->recording->threads.count ? work->recording->threads.items[sample->thread].pid : 0,
        .is_ahead = way == HIT_AHEAD,
        .is_landing = resumed_marks(work, decoded, place) & MARK_LANDING,
    };
    return true;
}

static void note_vectors(struct stalls *stalls, const struct instruction *instruction)
{
    bool one = stall_moves_one(instruction);
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

static void divisions_note(struct stalls *stalls, const struct instruction *instruction, uint16_t marks)
{
    bool in_chain = marks & MARK_DIVIDE_CHAIN, divides = instruction->divides;
    stalls->divided_samples += marks & MARK_DIVIDED && !divides;
    stalls->divide_chain_samples += in_chain;
    stalls->divide_chain_users += in_chain && !divides;
}

static void sample_attribute(struct stall_work *work, const struct sample *sample, const struct stall_place *place)
{
    struct stalls *stalls = work->stalls;
    struct stall_code *decoded = &work->decoded.items[place->function];
    struct stall_function *function = &work->functions.items[place->function];
    uint32_t index = stalls->attributed ? place->stalled : place->sampled;
    if (index == NO_INDEX) {
        decoded->entry_hits += place->sampled == 0;
        return;
    }
    const struct instruction *instruction = &decoded->items[index];
    uint16_t resumed = resumed_marks(work, decoded, place);
    decoded->hits[index]++;
    decoded->sampled[place->sampled]++;
    function->attributed++;
    if (!stalls->attributed || function->is_kernel)
        return;
    stalls->attributed_samples++;
    stalls->class_samples[stall_counted_class(instruction)]++;
    note_vectors(stalls, instruction);
    bool chained = decoded->marks[index] & MARK_CHAINED;
    bool addressed = decoded->marks[index] & (MARK_ADDRESSED | MARK_FOLLOWS);
    stalls->guess_samples += is_guessed(instruction) || resumed & MARK_LANDING ? 1 : 0;
    function->table_samples += (decoded->marks[index] | resumed) & MARK_TABLE ? 1 : 0;
    stalls->chained_samples += chained && !addressed;
    stalls->load_samples += instruction->is_load;
    stalls->narrow_loop_samples += decoded->marks[index] & MARK_NARROW ? 1 : 0;
    stalls->addressed_samples += addressed;
    divisions_note(stalls, instruction, decoded->marks[index]);
    const struct instruction *next = &decoded->items[place->sampled];
    bool is_ahead = !stalls->exact; /* else its registers are those behind it */
    if (is_ahead && next->is_load && loses_address(decoded, place->sampled) &&
        !stall_is_frame_operand(work, decoded, next))
        hit_add(work, sample, place, place->sampled, HIT_AHEAD);
    if (!instruction->is_load && !instruction->is_store)
        return;
    if (stall_is_frame_operand(work, decoded, instruction)) {
        function->stack_samples++;
        stalls->stack_samples++;
        return;
    }
    stalls->memory_samples++;
    if (!loses_address(decoded, index))
        hit_add(work, sample, place, index, HIT_DIRECT);
    else if (index + 1 != place->sampled || !hit_add(work, sample, place, index, HIT_AGAIN))
        decoded->lost[index]++;
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

static void placed_add(struct stall_work *work, size_t index, const struct stall_place *place, bool is_again)
{
    bool user = !work->functions.items[place->function].is_kernel;
    if (work->stalls->attributed && user && place->stalled != NO_INDEX)
        *vec_push(&work->placed) =
            (struct stall_sample){(uint32_t)index, place->function, place->sampled, place->stalled, is_again};
}

/* What the loads right before a sample left in their registers. */
static void loaded_note(struct stall_work *work, struct stall_code *decoded, const struct sample *sample,
                        uint32_t sampled)
{
    enum { ROWS_BACK = 8 };
    uint64_t written = work->stalls->exact ? decoded->items[sampled].writes : 0, value;
    for (uint32_t row = sampled;
         row > 0 && sampled - row < ROWS_BACK && register_past_goes_back(decoded->items, decoded->marks, row); row--) {
        const struct instruction *load = &decoded->items[row - 1];
        unsigned number = load->writes ? (unsigned)__builtin_ctzll(load->writes) : 64;
        if (is_pointer_load(load) && !(written & load->writes) &&
            samples_register(&work->recording->samples, sample, number, &value))
            loaded_value_note(&decoded->loaded[row - 1], value);
        written |= load->writes;
    }
}

/* Where they all fell comes first: it tells which ways the program went, and what stays the same all the time. */
static void samples_meet(struct stall_work *work)
{
    const struct samples *samples = &work->recording->samples;
    for (size_t at = 0; at < samples->count; at++) {
        if (samples->items[at].location >= samples->location_count ||
            !stalls_counts_sample(work->recording, &samples->items[at]))
            continue;
        const struct stall_place *place = stall_place_of(work, samples->items[at].location);
        struct stall_code *decoded = &work->decoded.items[place->function];
        if (place->sampled == NO_INDEX || !decoded->met)
            continue;
        decoded->met[place->sampled]++;
        if (!work->functions.items[place->function].is_kernel)
            loaded_note(work, decoded, &samples->items[at], place->sampled);
    }
}

void stall_samples_walk(struct stall_work *work)
{
    const struct samples *samples = &work->recording->samples;
    struct stalls *stalls = work->stalls;
    double weight_ns = 0;
    samples_meet(work);
    for (size_t at = 0; at < samples->count; at++) {
        const struct sample *sample = &samples->items[at];
        bool counts = stalls_counts_sample(work->recording, sample);
        bool again =
            sample->event < work->recording->event_count && work->recording->events[sample->event].counts_again;
        if ((!counts && !again) || sample->location >= samples->location_count)
            continue;
        const struct stall_place *place = stall_place_of(work, sample->location);
        stall_place_settle(work, sample->location);
        placed_add(work, at, place, again);
        if (again)
            continue;
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
    stalls->met_lines = work->line_hits.count;
    for (size_t at = 0; at < work->line_hits.count; at++) {
        stalls->single_lines += work->line_hits.items[at] == 1;
        stalls->double_lines += work->line_hits.items[at] == 2;
        stalls->line_pairs += (double)work->line_hits.items[at] * (double)(work->line_hits.items[at] - 1) / 2;
    }
    stalls->hot_code_lines = holding_most(work->line_hits.items, work->line_hits.count);
    stalls->hot_addresses = holding_most(work->address_hits.items, work->address_hits.count);
}
