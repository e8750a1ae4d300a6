/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbol/unwind/unwinder.h"

#include "base/vec.h"
#include "symbol/unwind/call_frames.h"
#include "symbol/dso_files.h"

#include <string.h>

enum {
    X86_RBP = 6,
    X86_RSP = 7,
    X86_RIP = 16,
    ARM_FP = 29,
    ARM_LR = 30,
    ARM_SP = 31,
    ARM_PC = 32,
    ABI_64 = 2, /* PERF_SAMPLE_REGS_ABI_64 */
    PLACES_KEPT = 1 << 12, /* a power of two */
    SEARCHED_WORDS = 256,  /* of the stack, for where code without a description returns to */
    FOLLOWED_MOST = 64,    /* frames of a way that is tried */
    FOLLOWED_LEAST = 1,    /* where the copy ends before the way does */
    CALL_BYTES_MOST = 7,
};

/* What the machines differ in. */
struct unwinder_machine {
    const char *name;
    bool calls_push; /* the return address lies on the stack, behind the callee's own words */
    uint32_t frame_pointer, stack_pointer, program_counter; /* DWARF numbers */
    uint64_t address_mask; /* signed return addresses have a signature above it */
    uint8_t perf_of_dwarf[FRAME_REGISTERS];
};

#define NO_REGISTER 0xff

static const struct unwinder_machine machines[] = {
    {.name = "x86_64",
     .calls_push = true,
     .frame_pointer = X86_RBP,
     .stack_pointer = X86_RSP,
     .program_counter = X86_RIP,
     .address_mask = UINT64_MAX,
     .perf_of_dwarf = {0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8,
                       [17 ... FRAME_REGISTERS - 1] = NO_REGISTER}},
    {.name = "aarch64",
     .frame_pointer = ARM_FP,
     .stack_pointer = ARM_SP,
     .program_counter = ARM_PC,
     .address_mask = (UINT64_C(1) << 48) - 1,
     .perf_of_dwarf = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                       17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, NO_REGISTER}},
};

/* How one register's value of the caller is found. */
struct register_step {
    uint32_t number;
    struct frame_rule rule;
};

/* What of one instruction's rules changes anything: most registers of most instructions are still the caller's. */
struct frame_step {
    bool cfa_is_expression, is_signal;
    bool stack_is_cfa; /* no rule for the stack pointer: the caller's is the CFA */
    uint32_t cfa_register, return_register;
    int64_t cfa_offset;
    struct bytes cfa_expression;
    struct frame_rule return_rule;
    size_t count;
    struct register_step registers[];
};

/* The step of one instruction of a binary; NULL: nobody describes it. Owner of the step: the unwinder's arena. */
struct known_step {
    uint32_t dso;
    uint64_t elf_addr;
    const struct frame_step *step;
};

/* What is known of an address of the walked process. */
struct frame_place {
    const struct frame_step *step; /* NULL: nobody describes it */
    bool follows_call; /* what stands before the byte behind it is a call: it may be returned to there */
    bool is_in_file;
    bool unread;   /* the binary isn't there, so that nobody knows whether it keeps frame pointers */
    bool is_entry; /* in the code that the kernel starts a program or its dynamic linker with */
};

/* A place met before in the same state of its address space. */
struct place_slot {
    uint64_t runtime_addr;
    uint32_t space, generation;
    bool used;
    struct frame_place place;
};

struct unwinder {
    struct symboliser *symboliser;
    struct unwinder_counts counts;
    struct arena arena;
    vec(struct known_step) known;
    struct hashmap known_map;
    struct place_slot places[PLACES_KEPT]; /* at the address' hash; the newest wins */
};

void unwinder_new(struct unwinder **ret_unwinder, struct symboliser *symboliser)
{
    struct unwinder *unwinder = memory_alloc(sizeof(*unwinder));
    unwinder->symboliser = symboliser;
    arena_init(&unwinder->arena);
    *ret_unwinder = unwinder;
}

void unwinder_free(struct unwinder *unwinder)
{
    if (!unwinder)
        return;
    vec_done(&unwinder->known);
    hashmap_done(&unwinder->known_map);
    arena_done(&unwinder->arena);
    free(unwinder);
}

struct unwinder_counts unwinder_counts(const struct unwinder *unwinder)
{
    return unwinder ? unwinder->counts : (struct unwinder_counts){0};
}

/* ---- rules of an instruction ---- */

static bool known_equal(const void *context, uint32_t id, const void *key)
{
    const struct unwinder *unwinder = context;
    const struct known_step *a = &unwinder->known.items[id], *b = key;
    return a->dso == b->dso && a->elf_addr == b->elf_addr;
}

static struct frame_step *step_of_rules(struct arena *arena, const struct unwinder_machine *machine,
                                        const struct frame_rules *rules)
{
    size_t count = 0;
    for (uint32_t number = 0; number < FRAME_REGISTERS; number++)
        count += rules->registers[number].kind != FRAME_SAME;
    struct frame_step *step = arena_alloc(arena, sizeof(*step) + count * sizeof(step->registers[0]));
    *step = (struct frame_step){
        .cfa_is_expression = rules->cfa_is_expression,
        .is_signal = rules->is_signal,
        .stack_is_cfa = rules->registers[machine->stack_pointer].kind == FRAME_SAME,
        .cfa_register = rules->cfa_register,
        .return_register = rules->return_register,
        .cfa_offset = rules->cfa_offset,
        .cfa_expression = rules->cfa_expression,
        .return_rule = rules->registers[rules->return_register],
    };
    for (uint32_t number = 0; number < FRAME_REGISTERS; number++)
        if (rules->registers[number].kind != FRAME_SAME)
            step->registers[step->count++] = (struct register_step){number, rules->registers[number]};
    return step;
}

/* binary NULL: a JIT compiler's code, at its address at run time. */
static const struct frame_step *step_at(struct unwinder *unwinder, const struct unwinder_machine *machine,
                                        struct binary *binary, uint32_t dso, uint64_t elf_addr)
{
    struct known_step sought = {.dso = dso, .elf_addr = elf_addr};
    uint64_t hash = hash_combine(hash_u64(elf_addr), dso);
    uint32_t id = hashmap_find(&unwinder->known_map, hash, known_equal, unwinder, &sought);
    if (id == HASHMAP_ABSENT) {
        struct frame_description description;
        struct frame_rules rules;
        bool described = binary ? binary_frame_find(binary, elf_addr, &description)
                                : symboliser_jit_frame(unwinder->symboliser, dso, elf_addr, &description);
        if (described && frame_rules_at(&description, elf_addr, &rules))
            sought.step = step_of_rules(&unwinder->arena, machine, &rules);
        id = (uint32_t)unwinder->known.count;
        *vec_push(&unwinder->known) = sought;
        hashmap_add(&unwinder->known_map, hash, id);
    }
    return unwinder->known.items[id].step;
}

/* ---- one sample ---- */

struct stack_walk {
    struct unwinder *unwinder;
    const struct unwinder_machine *machine;
    const struct recording *recording;
    const struct record_sample *sample;
    uint32_t space;
    uint64_t values[FRAME_REGISTERS];
    bool has[FRAME_REGISTERS];
    uint64_t dump_addr; /* where sample->user_stack stood */
    bool beyond_dump;   /* memory outside it was asked for */
};

static bool walk_word(void *context, uint64_t addr, uint64_t *ret_value)
{
    struct stack_walk *walk = context;
    const struct bytes_view *dump = &sample_rest(walk->sample)->user_stack;
    uint64_t at = addr - walk->dump_addr;
    if (addr < walk->dump_addr || dump->size_bytes < 8 || at > dump->size_bytes - 8) {
        walk->beyond_dump |= addr >= walk->dump_addr && at < (UINT64_C(1) << 32);
        return false;
    }
    struct bytes in = bytes_of(dump->bytes + at, 8, sample_rest(walk->sample)->user_registers.values.swapped);
    *ret_value = read_u64(&in);
    return true;
}

static bool walk_number(void *context, uint32_t number, uint64_t *ret_value)
{
    const struct stack_walk *walk = context;
    *ret_value = walk->values[number];
    return walk->has[number];
}

static bool walk_begin(struct stack_walk *walk)
{
    for (uint32_t number = 0; number < FRAME_REGISTERS; number++) {
        uint8_t of_perf = walk->machine->perf_of_dwarf[number];
        walk->has[number] = of_perf != NO_REGISTER &&
                            sample_register(&sample_rest(walk->sample)->user_registers, of_perf, &walk->values[number]);
    }
    walk->dump_addr = walk->values[walk->machine->stack_pointer];
    return walk->has[walk->machine->stack_pointer] && walk->has[walk->machine->program_counter];
}

static bool rule_value(struct stack_walk *walk, const struct frame_memory *memory, const struct frame_rule *rule,
                       uint32_t number, uint64_t cfa, uint64_t *ret_value)
{
    uint64_t addr;
    switch (rule->kind) {
    case FRAME_SAME:
        return walk_number(walk, number, ret_value);
    case FRAME_UNDEFINED:
        return false;
    case FRAME_AT:
        return walk_word(walk, cfa + (uint64_t)rule->offset, ret_value);
    case FRAME_IS:
        *ret_value = cfa + (uint64_t)rule->offset;
        return true;
    case FRAME_REGISTER:
        return rule->offset >= 0 && rule->offset < FRAME_REGISTERS &&
               walk_number(walk, (uint32_t)rule->offset, ret_value);
    case FRAME_AT_EXPRESSION:
        return frame_expression(rule->expression, &cfa, memory, &addr) && walk_word(walk, addr, ret_value);
    case FRAME_IS_EXPRESSION:
        return frame_expression(rule->expression, &cfa, memory, ret_value);
    }
    return false;
}

/* Make the registers those of the caller. False when there is none, or it can't be found. */
static bool step_by_rules(struct stack_walk *walk, const struct frame_step *step)
{
    struct frame_memory memory = {walk, walk_word, walk_number};
    uint64_t cfa, caller, values[FRAME_REGISTERS];
    bool has[FRAME_REGISTERS];
    if (step->cfa_is_expression) {
        if (!frame_expression(step->cfa_expression, NULL, &memory, &cfa))
            return false;
    } else if (walk_number(walk, step->cfa_register, &cfa)) {
        cfa += (uint64_t)step->cfa_offset;
    } else {
        return false;
    }
    if (!rule_value(walk, &memory, &step->return_rule, step->return_register, cfa, &caller))
        return false;
    for (size_t at = 0; at < step->count; at++) /* all by the values before */
        has[at] = rule_value(walk, &memory, &step->registers[at].rule, step->registers[at].number, cfa, &values[at]);
    for (size_t at = 0; at < step->count; at++) {
        uint32_t number = step->registers[at].number;
        walk->has[number] = has[at];
        if (has[at])
            walk->values[number] = values[at];
    }
    if (step->stack_is_cfa) {
        walk->values[walk->machine->stack_pointer] = cfa;
        walk->has[walk->machine->stack_pointer] = true;
    }
    walk->values[walk->machine->program_counter] = caller & walk->machine->address_mask;
    walk->has[walk->machine->program_counter] = true;
    return true;
}

static bool is_code(const struct stack_walk *walk, uint64_t addr)
{
    const struct mapping *mapping = address_spaces_find(&walk->recording->spaces, walk->space, addr);
    return mapping && (!mapping->protection || mapping->protection & 4 /* PROT_EXEC */);
}

struct linked_frame {
    uint64_t addr, next_addr, caller;
};

/* Code that keeps a frame pointer links its frames: there lie the caller's frame pointer and the return address. */
static bool linked_frame_of(struct stack_walk *walk, struct linked_frame *ret_frame)
{
    struct linked_frame frame;
    if (!walk_number(walk, walk->machine->frame_pointer, &frame.addr) ||
        frame.addr < walk->values[walk->machine->stack_pointer] || !walk_word(walk, frame.addr, &frame.next_addr) ||
        !walk_word(walk, frame.addr + 8, &frame.caller))
        return false;
    frame.caller &= walk->machine->address_mask;
    if (!is_code(walk, frame.caller))
        return false;
    *ret_frame = frame;
    return true;
}

static bool step_by_frame_pointer(struct stack_walk *walk)
{
    struct linked_frame frame;
    if (!linked_frame_of(walk, &frame))
        return false;
    walk->values[walk->machine->frame_pointer] = frame.next_addr;
    walk->values[walk->machine->stack_pointer] = frame.addr + 16;
    walk->values[walk->machine->program_counter] = frame.caller;
    return true;
}

/* The dynamic linker's first instructions, and some programs', have no description: who calls them is nobody. */
static bool is_entry(const struct elf_file *elf, uint64_t elf_addr)
{
    enum { ENTRY_BYTES = 128 };
    return elf->entry_addr && elf_addr >= elf->entry_addr && elf_addr - elf->entry_addr < ENTRY_BYTES;
}

/* x86-64: "call place", or one through a register or memory, ends before `end`. */
static bool ends_call(const struct elf_file *elf, uint64_t end)
{
    enum { CALL = 0xe8, CALL_BYTES = 5, INDIRECT = 0xff, INDIRECT_CALL = 2 };
    struct bytes_view view = elf_bytes_at(elf, end - CALL_BYTES_MOST, CALL_BYTES_MOST);
    if (view.size_bytes < CALL_BYTES_MOST)
        return false;
    const uint8_t *behind = view.bytes + CALL_BYTES_MOST;
    if (behind[-CALL_BYTES] == CALL)
        return true;
    for (int length = 2; length <= CALL_BYTES_MOST; length++)
        if (behind[-length] == INDIRECT && (behind[1 - length] >> 3 & 7) == INDIRECT_CALL)
            return true;
    return false;
}

static struct frame_place place_find(struct stack_walk *walk, uint64_t runtime_addr)
{
    struct frame_place place = {0};
    const struct recording *recording = walk->recording;
    const struct mapping *mapping = address_spaces_find(&recording->spaces, walk->space, runtime_addr);
    if (!mapping)
        return place;
    enum dso_kind kind = recording->spaces.dsos[mapping->dso].kind;
    if (kind == DSO_ANONYMOUS)
        place.step = step_at(walk->unwinder, walk->machine, NULL, mapping->dso, runtime_addr);
    if (kind != DSO_FILE && kind != DSO_VDSO)
        return place;
    struct binary *binary = dso_files_binary(symboliser_files(walk->unwinder->symboliser), mapping->dso, NULL);
    uint64_t elf_addr;
    place.unread = !binary || !binary->elf.bytes;
    if (place.unread ||
        !elf_addr_of_offset(&binary->elf, address_spaces_dso_addr(&recording->spaces, mapping, runtime_addr),
                            &elf_addr))
        return place;
    place.step = step_at(walk->unwinder, walk->machine, binary, mapping->dso, elf_addr);
    place.is_entry = kind == DSO_FILE && is_entry(&binary->elf, elf_addr);
    place.is_in_file = kind == DSO_FILE;
    place.follows_call = walk->machine->calls_push && ends_call(&binary->elf, elf_addr + 1);
    return place;
}

/* place_find, with what it said before. */
static const struct frame_place *place_of(struct stack_walk *walk, uint64_t runtime_addr)
{
    struct place_slot *slot = &walk->unwinder->places[hash_u64(runtime_addr) & (PLACES_KEPT - 1)];
    uint32_t generation = walk->recording->spaces.items[walk->space].generation;
    if (!slot->used || slot->runtime_addr != runtime_addr || slot->space != walk->space ||
        slot->generation != generation)
        *slot = (struct place_slot){.runtime_addr = runtime_addr,
                                    .space = walk->space,
                                    .generation = generation,
                                    .used = true,
                                    .place = place_find(walk, runtime_addr)};
    return &slot->place;
}

/*
 * Whether callers can be followed from here by descriptions alone, each returned to behind a call, to where the thread
 * begins or the copy of the stack ends. What merely lies on the stack doesn't lead on so.
 */
static bool leads_on(struct stack_walk *walk)
{
    for (int frames = 0; frames < FOLLOWED_MOST; frames++) {
        uint64_t counter = walk->values[walk->machine->program_counter];
        uint64_t stack_before = walk->values[walk->machine->stack_pointer];
        const struct frame_place *place = counter ? place_of(walk, counter - 1) : NULL;
        if (!place || place->is_entry || (place->step && place->step->return_rule.kind == FRAME_UNDEFINED))
            return frames > 0;
        walk->beyond_dump = false;
        if (!place->step || !place->follows_call)
            return false;
        if (!step_by_rules(walk, place->step))
            return walk->beyond_dump && frames >= FOLLOWED_LEAST;
        if (walk->values[walk->machine->stack_pointer] <= stack_before)
            return false;
    }
    return false;
}

/*
 * Hand-written code has no description: its return address lies above what it pushed itself, and is the first from
 * which the callers can be followed. A linked frame, its own or a caller's, ends what may be its own words.
 */
static bool step_by_search(struct stack_walk *walk)
{
    uint64_t stack = walk->values[walk->machine->stack_pointer], words = SEARCHED_WORDS, caller;
    struct linked_frame frame;
    if (linked_frame_of(walk, &frame) && (frame.addr - stack) / 8 < words)
        words = (frame.addr - stack) / 8;
    for (uint64_t word = 0; walk->machine->calls_push && word < words; word++) {
        if (!walk_word(walk, stack + 8 * word, &caller))
            break;
        if (!is_code(walk, caller))
            continue;
        struct stack_walk found = *walk;
        found.values[walk->machine->program_counter] = caller;
        found.values[walk->machine->stack_pointer] = stack + 8 * (word + 1);
        struct stack_walk tried = found;
        if (leads_on(&tried)) {
            *walk = found;
            return true;
        }
    }
    walk->beyond_dump = false;
    return false;
}

enum walk_end {
    WALK_GOES_ON,
    WALK_AT_ROOT,
    WALK_AT_DUMP_END,
    WALK_LOST
};

static enum walk_end walk_step(struct stack_walk *walk, uint64_t lookup_addr, bool *ret_signal)
{
    const struct frame_place *place = place_of(walk, lookup_addr);
    const struct frame_step *step = place->step;
    uint64_t stack_before = walk->values[walk->machine->stack_pointer];
    uint64_t counter_before = walk->values[walk->machine->program_counter];
    walk->beyond_dump = false;
    *ret_signal = step && step->is_signal;
    if (step ? step->return_rule.kind == FRAME_UNDEFINED : place->is_entry)
        return WALK_AT_ROOT;
    if (place->unread)
        return WALK_LOST;
    bool stepped = step ? step_by_rules(walk, step)
                        : (place->is_in_file && step_by_search(walk)) || step_by_frame_pointer(walk);
    if (!stepped)
        return walk->beyond_dump ? WALK_AT_DUMP_END : WALK_LOST;
    uint64_t stack = walk->values[walk->machine->stack_pointer], counter = walk->values[walk->machine->program_counter];
    if (!counter)
        return WALK_AT_ROOT;
    /* Stacks grow down: a caller's frame lies above. Only a function without a frame (AArch64's leaves) stays. */
    if (stack < stack_before || (stack == stack_before && counter == counter_before))
        return *ret_signal ? WALK_GOES_ON : WALK_LOST;
    return WALK_GOES_ON;
}

static const struct unwinder_machine *machine_of(const struct recording *recording)
{
    for (size_t at = 0; at < array_count(machines); at++)
        if (strcmp(machines[at].name, recording->architecture) == 0)
            return &machines[at];
    return NULL;
}

static void count_end(struct unwinder_counts *counts, enum walk_end end, size_t frames)
{
    counts->stacks++;
    counts->frames += frames;
    counts->at_root += end == WALK_AT_ROOT;
    counts->at_dump_end += end == WALK_AT_DUMP_END;
    counts->lost += end == WALK_LOST;
}

size_t unwinder_unwind(void *context, const struct recording *recording, uint32_t space,
                       const struct record_sample *sample, uint64_t *ret_ips, size_t most)
{
    struct unwinder *unwinder = context;
    struct stack_walk walk = {.unwinder = unwinder,
                              .machine = machine_of(recording),
                              .recording = recording,
                              .sample = sample,
                              .space = space};
    if (!walk.machine || sample_rest(sample)->user_registers.abi != ABI_64 || !most || !walk_begin(&walk))
        return 0;
    size_t count = 0;
    bool interrupted = true; /* this frame did not call, it was stopped: its address is the instruction itself */
    enum walk_end end = WALK_GOES_ON;
    while (end == WALK_GOES_ON && count < most) {
        uint64_t addr = walk.values[walk.machine->program_counter] - (interrupted ? 0 : 1);
        ret_ips[count++] = addr;
        end = walk_step(&walk, addr, &interrupted);
    }
    count_end(&unwinder->counts, end, count);
    return count;
}
