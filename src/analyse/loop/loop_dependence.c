/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/loop/loop_dependence.h"

#include "base/vec.h"

#include <math.h>
#include <string.h>

enum {
    GENERAL = 0,                /* states: 64 general registers, */
    VECTOR = GENERAL + 64,      /* 32 vector registers, */
    MASK = VECTOR + 32,         /* 8 mask registers, */
    FLAG_CARRY = MASK + 8,      /* two groups of flags, */
    FLAG_REST,
    PLACE,                      /* and stored places, by how many turns ago */
    PLACES_MOST = 64,
    STATES = PLACE + PLACES_MOST,
    DISTANCE_MOST = 8,
    ROWS_MOST = 2048,
    STRAIGHT_ROWS_MOST = 4096,  /* run once, not from each state */
    WINDOW_SLOTS = 512,         /* that are issued and not done: of the largest reorder buffer, Golden Cove's */
    TIMES_WARM = 4, TIMES_COUNTED = 8,
    X86_FLAGS = 9,
    X86_STACK = 7,
    FROM_STATE = -1, /* of a position's predecessor: what the turn began with */
    FROM_NOTHING = -2,
};

#define NEVER (-INFINITY)

/* A load gets what a store of the same turn or an earlier one wrote. */
struct forwarding {
    int32_t store;    /* position; -1: none */
    uint32_t distance; /* turns */
    int32_t place;    /* state, by distance; -1: same turn */
};

struct places {
    struct forwarding *by_load;  /* by position */
    int32_t *first_of_store;     /* by position: state of distance 1, or -1 */
    uint32_t *depth_of_store;    /* how many distances */
    uint32_t count;
};

struct position_inputs {
    uint64_t general, address;
    uint32_t vector;
    uint8_t mask, flags;
};

struct walk {
    const struct loop_path *path;
    const struct instruction_cost *costs;
    const struct core_costs *core;
    const struct places *places;
    float depth[STATES];      /* now */
    float issued;             /* of the position that is run: nothing of it begins sooner */
    int32_t writer[STATES];   /* position that set it */
    float *stored;            /* by position: when the data stored there was ready */
    float *result;            /* by position: when its result is ready */
    int32_t *before;          /* by position: where its longest input came from */
    uint8_t *by_memory;       /* by position: 0 register, 1 address, 2 forwarded */
};

static uint64_t bit_of(uint8_t number)
{
    return number < 64 ? (uint64_t)1 << number : 0;
}

static bool moves_stack(const struct instruction *row)
{
    return row->mnemonic && (row->class == INSTRUCTION_CALL || row->class == INSTRUCTION_RETURN ||
                             strncmp(row->mnemonic, "push", 4) == 0 ||
                             (strncmp(row->mnemonic, "pop", 3) == 0 && strcmp(row->mnemonic, "popcnt") != 0));
}

static bool waits_falsely(const struct core_costs *core, const struct instruction *row)
{
    for (const char *const *name = core->waits_falsely; row->mnemonic && *name; name++)
        if (strcmp(*name, row->mnemonic) == 0)
            return true;
    return false;
}

/* Registers but flags (numbered otherwise here) and the stack pointer where the front end moves it. */
static uint64_t plain(const struct instruction *row, uint64_t registers)
{
    if (row->mnemonic)
        registers &= ~((uint64_t)1 << X86_FLAGS);
    return moves_stack(row) ? registers & ~((uint64_t)1 << X86_STACK) : registers;
}

static struct position_inputs inputs_of(const struct core_costs *core, const struct instruction *row)
{
    const struct memory_operand *memory = &row->memory;
    uint64_t address =
        memory->is_present ? bit_of(memory->base) | (memory->has_vector_index ? 0 : bit_of(memory->index)) : 0;
    uint64_t false_wait = waits_falsely(core, row) ? row->writes : 0;
    return (struct position_inputs){
        .general = plain(row, ((row->reads & ~address) | row->merges | false_wait)),
        .address = plain(row, address),
        .vector = row->vector_reads | row->vector_merges,
        .mask = row->mask_reads,
        .flags = row->flags_read,
    };
}

/* ---- which loads get what stores wrote ---- */

/* "table[data[i]]" and "table[data[i + 1]]" of an unrolled loop: where they lead may be the same. */
static bool may_be_same_index(const struct loop_address *a, const struct loop_address *b)
{
    return a->index != SYMBOL_NOTHING && b->index != SYMBOL_NOTHING && a->index >= SYMBOL_MADE_FIRST &&
           b->index >= SYMBOL_MADE_FIRST;
}

static bool same_expression(const struct loop_address *a, const struct loop_address *b, bool if_same)
{
    return a->known && b->known && a->base == b->base &&
           (a->index == b->index || (if_same && may_be_same_index(a, b))) &&
           (a->index == SYMBOL_NOTHING || a->scale == b->scale) && a->segment == b->segment;
}

/* Turns from the store to the load of the same place; false: never, or not known. */
static bool distance_of(const struct loop_address *store, uint32_t store_at, const struct loop_address *load,
                        uint32_t load_at, bool if_same, uint32_t *ret_distance)
{
    if (!same_expression(store, load, if_same) || !store->size_bytes || load->size_bytes > store->size_bytes)
        return false;
    bool ahead = store_at < load_at;
    int64_t apart = load->offset - store->offset;
    if (!store->steps || !load->steps) { /* only within a turn, or supposed to stay */
        *ret_distance = ahead ? 0 : 1;
        return apart == 0 && (ahead || if_same);
    }
    if (!store->step) {
        *ret_distance = ahead ? 0 : 1;
        return apart >= 0 && apart + load->size_bytes <= store->size_bytes;
    }
    int64_t turns = -apart / store->step;
    if (-apart % store->step || turns < 0 || turns > DISTANCE_MOST || (turns == 0 && !ahead))
        return false;
    *ret_distance = (uint32_t)turns;
    return true;
}

static void load_find_store(const struct loop_path *path, uint32_t load, bool if_same, struct forwarding *ret)
{
    *ret = (struct forwarding){-1, 0, -1};
    for (uint32_t at = 0; at < path->count; at++) {
        uint32_t distance;
        if (!path->all[path->rows[at]].is_store ||
            !distance_of(&path->addresses[at], at, &path->addresses[load], load, if_same, &distance))
            continue;
        /* The last one that wrote there: fewer turns ago, then later in the turn. */
        if (ret->store < 0 || distance <= ret->distance)
            *ret = (struct forwarding){(int32_t)at, distance, -1};
    }
}

static struct places places_of(const struct loop_path *path, bool if_same, struct arena *arena)
{
    struct places places = {
        .by_load = arena_alloc(arena, path->count * sizeof(*places.by_load)),
        .first_of_store = arena_alloc(arena, path->count * sizeof(*places.first_of_store)),
        .depth_of_store = arena_alloc(arena, path->count * sizeof(*places.depth_of_store)),
    };
    for (uint32_t at = 0; at < path->count; at++) {
        places.first_of_store[at] = -1;
        places.depth_of_store[at] = 0;
    }
    for (uint32_t at = 0; at < path->count; at++) {
        struct forwarding *one = &places.by_load[at];
        *one = (struct forwarding){-1, 0, -1};
        if (path->all[path->rows[at]].is_load)
            load_find_store(path, at, if_same, one);
        if (one->store >= 0 && one->distance > places.depth_of_store[one->store])
            places.depth_of_store[one->store] = one->distance;
    }
    for (uint32_t at = 0; at < path->count; at++) {
        if (!places.depth_of_store[at] || places.count + places.depth_of_store[at] > PLACES_MOST)
            continue;
        places.first_of_store[at] = (int32_t)(PLACE + places.count);
        places.count += places.depth_of_store[at];
    }
    for (uint32_t at = 0; at < path->count; at++) {
        struct forwarding *one = &places.by_load[at];
        if (one->store >= 0 && one->distance && places.first_of_store[one->store] >= 0)
            one->place = places.first_of_store[one->store] + (int32_t)one->distance - 1;
        else if (one->store >= 0 && one->distance)
            one->store = -1; /* too many places */
    }
    return places;
}

/* ---- one turn ---- */

struct input {
    float ready;
    int32_t from;
};

static void input_take(struct input *input, const struct walk *walk, uint32_t state)
{
    if (walk->depth[state] > input->ready)
        *input = (struct input){walk->depth[state], walk->writer[state]};
}

static struct input input_registers(const struct walk *walk, uint64_t general, uint32_t vector, uint8_t mask,
                                    uint8_t flags)
{
    struct input input = {walk->issued, FROM_NOTHING};
    for (uint64_t left = general; left; left &= left - 1)
        input_take(&input, walk, GENERAL + (uint32_t)__builtin_ctzll(left));
    for (uint32_t left = vector; left; left &= left - 1)
        input_take(&input, walk, VECTOR + (uint32_t)__builtin_ctz(left));
    for (uint32_t left = mask; left; left &= left - 1)
        input_take(&input, walk, MASK + (uint32_t)__builtin_ctz(left));
    if (flags & FLAGS_CARRY)
        input_take(&input, walk, FLAG_CARRY);
    if (flags & FLAGS_REST)
        input_take(&input, walk, FLAG_REST);
    return input;
}

static bool is_stack_place(const struct instruction *row)
{
    return row->memory.base == X86_STACK || row->memory.base == 6; /* rsp, rbp */
}

static float forward_latency(const struct core_costs *core, const struct instruction *load)
{
    if (load->vector_bits)
        return core->forward_vector;
    return is_stack_place(load) ? core->forward_stack : core->forward;
}

static void set_state(struct walk *walk, uint32_t state, float ready, int32_t position)
{
    walk->depth[state] = ready;
    walk->writer[state] = position;
}

static void set_results(struct walk *walk, const struct instruction *row, float result, float address, int32_t position)
{
    for (uint64_t left = plain(row, row->writes); left; left &= left - 1) {
        uint32_t number = (uint32_t)__builtin_ctzll(left);
        bool is_moved_base = row->memory.is_present && row->memory.base == number && row->step_register == number;
        set_state(walk, GENERAL + number, is_moved_base ? address + 1 : result, position);
    }
    for (uint32_t left = row->vector_writes; left; left &= left - 1)
        set_state(walk, VECTOR + (uint32_t)__builtin_ctz(left), result, position);
    for (uint32_t left = row->mask_writes; left; left &= left - 1)
        set_state(walk, MASK + (uint32_t)__builtin_ctz(left), result, position);
    if (row->flags_written & FLAGS_CARRY)
        set_state(walk, FLAG_CARRY, result, position);
    if (row->flags_written & FLAGS_REST)
        set_state(walk, FLAG_REST, result, position);
}

static struct input input_forwarded(const struct walk *walk, uint32_t at)
{
    const struct forwarding *forwarding = &walk->places->by_load[at];
    if (forwarding->store < 0)
        return (struct input){NEVER, FROM_NOTHING};
    if (forwarding->place >= 0)
        return (struct input){walk->depth[forwarding->place], walk->writer[forwarding->place]};
    return (struct input){walk->stored[forwarding->store], forwarding->store};
}

static void run_position(struct walk *walk, uint32_t at)
{
    const struct instruction *row = &walk->path->all[walk->path->rows[at]];
    const struct instruction_cost *cost = &walk->costs[at];
    struct position_inputs inputs = inputs_of(walk->core, row);
    struct input best = input_registers(walk, inputs.general, inputs.vector, inputs.mask, inputs.flags);
    struct input address = input_registers(walk, inputs.address, 0, 0, 0);
    struct input forwarded = input_forwarded(walk, at);
    uint8_t way = 0;
    if (row->is_load && address.ready + cost->load_latency > best.ready) {
        best = (struct input){address.ready + cost->load_latency, address.from};
        way = 1;
    }
    if (row->is_load && forwarded.ready + forward_latency(walk->core, row) > best.ready) {
        best = (struct input){forwarded.ready + forward_latency(walk->core, row), forwarded.from};
        way = 2;
    }
    float result = best.ready + cost->latency;
    walk->result[at] = result;
    walk->before[at] = best.from;
    walk->by_memory[at] = way;
    if (row->is_store)
        walk->stored[at] = result;
    set_results(walk, row, result, address.ready, (int32_t)at);
}

/* Places age: what was stored in this turn is one turn old in the next. */
static void end_turn(struct walk *walk)
{
    const struct places *places = walk->places;
    for (uint32_t at = 0; at < walk->path->count; at++) {
        int32_t first = places->first_of_store[at];
        if (first < 0)
            continue;
        for (uint32_t older = places->depth_of_store[at] - 1; older > 0; older--)
            set_state(walk, (uint32_t)first + older, walk->depth[(uint32_t)first + older - 1],
                      walk->writer[(uint32_t)first + older - 1]);
        set_state(walk, (uint32_t)first, walk->stored[at], (int32_t)at);
    }
}

static void run_turn(struct walk *walk, uint32_t source)
{
    walk->issued = NEVER;
    for (uint32_t state = 0; state < STATES; state++)
        set_state(walk, state, NEVER, FROM_NOTHING);
    set_state(walk, source, 0, FROM_STATE);
    for (uint32_t at = 0; at < walk->path->count; at++)
        walk->stored[at] = NEVER;
    for (uint32_t at = 0; at < walk->path->count; at++)
        run_position(walk, at);
    end_turn(walk);
}

/* ---- the greatest mean ---- */

static uint32_t states_written(const struct loop_path *path, const struct places *places, uint32_t *ret_states)
{
    bool written[STATES] = {false};
    for (uint32_t at = 0; at < path->count; at++) {
        const struct instruction *row = &path->all[path->rows[at]];
        for (uint64_t left = plain(row, row->writes); left; left &= left - 1)
            written[GENERAL + __builtin_ctzll(left)] = true;
        for (uint32_t left = row->vector_writes; left; left &= left - 1)
            written[VECTOR + __builtin_ctz(left)] = true;
        for (uint32_t left = row->mask_writes; left; left &= left - 1)
            written[MASK + __builtin_ctz(left)] = true;
        written[FLAG_CARRY] |= row->flags_written & FLAGS_CARRY;
        written[FLAG_REST] |= row->flags_written & FLAGS_REST;
    }
    for (uint32_t at = 0; at < places->count; at++)
        written[PLACE + at] = true;
    uint32_t count = 0;
    for (uint32_t state = 0; state < STATES; state++)
        if (written[state])
            ret_states[count++] = state;
    return count;
}

struct cycle {
    uint32_t nodes[STATES]; /* in order; the last leads to the first */
    uint32_t count;
    double mean;
};

/* Of the cycles on the walk of `length` steps that ends at `end`, the one with the greatest mean. */
static void walk_cycle(const float *weights, uint32_t count, const uint16_t *parents, uint32_t end, struct cycle *best)
{
    uint32_t walk[STATES + 1], length = count;
    walk[length] = end;
    for (uint32_t step = length; step > 0; step--)
        walk[step - 1] = parents[step * count + walk[step]];
    for (uint32_t from = 0; from < length; from++) {
        double sum = 0;
        for (uint32_t to = from + 1; to <= length; to++) {
            sum += weights[walk[to - 1] * count + walk[to]];
            if (walk[to] != walk[from])
                continue;
            if (sum / (to - from) > best->mean) {
                best->mean = sum / (to - from);
                best->count = to - from;
                memcpy(best->nodes, walk + from, best->count * sizeof(*walk));
            }
            break;
        }
    }
}

/* weights: count x count, from row to column, NEVER where there is no way. */
static void cycle_find(const float *weights, uint32_t count, struct arena *arena, struct cycle *ret_cycle)
{
    float *lengths = arena_alloc(arena, (size_t)(count + 1) * count * sizeof(*lengths));
    uint16_t *parents = arena_alloc(arena, (size_t)(count + 1) * count * sizeof(*parents));
    *ret_cycle = (struct cycle){.mean = 0};
    for (uint32_t node = 0; node < count; node++)
        lengths[node] = 0;
    for (uint32_t step = 1; step <= count; step++)
        for (uint32_t to = 0; to < count; to++) {
            float best = NEVER;
            for (uint32_t from = 0; from < count; from++) {
                float way = lengths[(step - 1) * count + from] + weights[from * count + to];
                if (way > best) {
                    best = way;
                    parents[step * count + to] = (uint16_t)from;
                }
            }
            lengths[step * count + to] = best;
        }
    for (uint32_t end = 0; end < count; end++)
        if (lengths[count * count + end] > NEVER)
            walk_cycle(weights, count, parents, end, ret_cycle);
}

static enum chain_kind kind_of(const struct instruction *row)
{
    if (row->divides)
        return CHAIN_DIVIDE;
    if (row->class == INSTRUCTION_MUL)
        return CHAIN_MULTIPLY;
    if (row->class == INSTRUCTION_ATOMIC)
        return CHAIN_LOCKED;
    return row->is_fp ? CHAIN_FP : CHAIN_OTHER;
}

static void chain_note(struct loop_result_chain *chain, const struct walk *walk, uint32_t at)
{
    uint32_t number = walk->path->rows[at];
    const struct instruction *row = &walk->path->all[number];
    chain->kind_cycles[kind_of(row)] += walk->costs[at].latency;
    if (walk->by_memory[at] == 1)
        chain->kind_cycles[CHAIN_LOAD] += walk->costs[at].load_latency;
    if (walk->by_memory[at] == 2) {
        chain->kind_cycles[CHAIN_FORWARD] += forward_latency(walk->core, row);
        chain->forwarded++;
    }
    for (uint32_t seen = 0; seen < chain->row_count; seen++)
        if (chain->rows[seen] == number)
            return;
    if (chain->row_count < CHAIN_ROWS_MOST)
        chain->rows[chain->row_count++] = number;
}

static struct walk *walk_new(const struct loop_path *path, const struct instruction_cost *costs,
                             const struct core_costs *core, const struct places *places, struct arena *arena)
{
    struct walk *walk = arena_alloc(arena, sizeof(*walk));
    *walk = (struct walk){.path = path, .costs = costs, .core = core, .places = places,
                          .stored = arena_alloc(arena, path->count * sizeof(*walk->stored)),
                          .result = arena_alloc(arena, path->count * sizeof(*walk->result)),
                          .before = arena_alloc(arena, path->count * sizeof(*walk->before)),
                          .by_memory = arena_alloc(arena, path->count)};
    return walk;
}

/* Back from a position to where its chain began: found from the end to the start. */
static void chain_follow(struct loop_result_chain *chain, const struct walk *walk, int32_t position)
{
    uint32_t first = chain->row_count;
    for (int32_t steps = 0; position >= 0 && steps < (int32_t)walk->path->count; steps++) {
        chain_note(chain, walk, (uint32_t)position);
        position = walk->before[position];
    }
    for (uint32_t low = first, high = chain->row_count; low + 1 < high; low++) {
        uint32_t swapped = chain->rows[low];
        chain->rows[low] = chain->rows[--high];
        chain->rows[high] = swapped;
    }
}

/* Run the cycle once more, one turn an edge, and note the instructions on its way. */
static void chain_describe(struct loop_result_chain *chain, struct walk *walk, const uint32_t *states,
                           const struct cycle *cycle)
{
    for (uint32_t at = 0; at < cycle->count; at++) {
        uint32_t from = states[cycle->nodes[at]], to = states[cycle->nodes[(at + 1) % cycle->count]];
        run_turn(walk, from);
        chain_follow(chain, walk, walk->writer[to]);
    }
    for (size_t kind = 0; kind < CHAIN_KINDS; kind++)
        chain->kind_cycles[kind] /= cycle->count;
}

void loop_chain_longest(struct loop_result_chain *ret_chain, const struct loop_path *path,
                        const struct instruction_cost *costs, const struct core_costs *core, bool if_same,
                        struct arena *arena)
{
    *ret_chain = (struct loop_result_chain){0};
    if (!path->count || path->count > ROWS_MOST)
        return;
    struct places places = places_of(path, if_same, arena);
    uint32_t *states = arena_alloc(arena, STATES * sizeof(*states));
    uint32_t count = states_written(path, &places, states);
    struct walk *walk = walk_new(path, costs, core, &places, arena);
    if (!count)
        return;
    float *weights = arena_alloc(arena, (size_t)count * count * sizeof(*weights));
    for (uint32_t from = 0; from < count; from++) {
        run_turn(walk, states[from]);
        for (uint32_t to = 0; to < count; to++)
            weights[from * count + to] = walk->depth[states[to]];
    }
    struct cycle cycle;
    cycle_find(weights, count, arena, &cycle);
    ret_chain->cycles = cycle.mean;
    chain_describe(ret_chain, walk, states, &cycle);
}

/* ---- code without a loop ---- */

/* All that it doesn't compute itself was there at that moment. */
static void begin_straight(struct walk *walk, float moment)
{
    for (uint32_t state = 0; state < STATES; state++)
        set_state(walk, state, moment, FROM_NOTHING);
    for (uint32_t at = 0; at < walk->path->count; at++)
        walk->stored[at] = moment;
}

void straight_chain_longest(struct loop_result_chain *ret_chain, const struct loop_path *path,
                            const struct instruction_cost *costs, const struct core_costs *core, struct arena *arena)
{
    *ret_chain = (struct loop_result_chain){0};
    if (!path->count || path->count > STRAIGHT_ROWS_MOST)
        return;
    struct places places = places_of(path, false, arena);
    struct walk *walk = walk_new(path, costs, core, &places, arena);
    int32_t last = 0;
    begin_straight(walk, 0);
    for (uint32_t at = 0; at < path->count; at++) {
        run_position(walk, at);
        last = walk->result[at] > walk->result[last] ? (int32_t)at : last;
    }
    ret_chain->cycles = walk->result[last];
    chain_follow(ret_chain, walk, last);
}

double straight_cycles_overlapped(const struct loop_path *path, const struct instruction_cost *costs,
                                  const struct core_costs *core, struct arena *arena)
{
    if (!path->count || path->count > STRAIGHT_ROWS_MOST)
        return 0;
    struct places places = places_of(path, false, arena);
    struct walk *walk = walk_new(path, costs, core, &places, arena);
    float retired[WINDOW_SLOTS] = {0}, slots = 0, last = 0, warm = 0;
    for (uint32_t time = 0, count = 0; time < TIMES_WARM + TIMES_COUNTED; time++) {
        begin_straight(walk, 0);
        warm = time == TIMES_WARM ? last : warm;
        for (uint32_t at = 0; at < path->count; at++, count++) {
            float *place = &retired[count % WINDOW_SLOTS]; /* of the one that makes room for it */
            float by_slots = slots / core->slots;
            walk->issued = by_slots > *place ? by_slots : *place;
            slots = walk->issued * core->slots + costs[at].slots;
            run_position(walk, at);
            last = walk->result[at] > last ? walk->result[at] : last;
            *place = last; /* in order */
        }
    }
    return (double)(last - warm) / TIMES_COUNTED;
}
