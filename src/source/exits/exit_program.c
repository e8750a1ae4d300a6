/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/exits/exit_program.h"

#include <errno.h>
#include <stddef.h>

/* Jumps go forward only, to a label that is placed later. */
enum label { OUT, LOST, PLACES, LABELS = PLACES + 64 };
enum { JUMPS_MOST = 192 };

/* On the stack, below R10. */
enum {
    AT_INDEX = -4,
    AT_KEY = -24,      /* struct exit_cell_key */
    AT_USE = -48,      /* struct exit_use_key; also 24 bytes of scratch */
    AT_ONE = -56,
    AT_NOW = -64,
    AT_THREAD = -72,   /* struct exit_thread_key */
};
_Static_assert(sizeof(struct exit_thread_key) == 8 && sizeof(struct exit_cell_key) == 16 &&
                   sizeof(struct exit_use_key) == 24,
               "no holes in keys");

static const uint8_t key_words[EXIT_DICTIONARIES] = {[EXIT_CELLS] = sizeof(struct exit_cell_key) / 8,
                                                     [EXIT_USES] = sizeof(struct exit_use_key) / 8,
                                                     [EXIT_THREADS] = sizeof(struct exit_thread_key) / 8};

struct assembly {
    struct exit_program *program;
    int places[LABELS];
    struct {
        unsigned at;
        unsigned label;
    } jumps[JUMPS_MOST];
    unsigned jump_count, label_next;
};

static void emit(struct assembly *out, uint8_t code, uint8_t dst, uint8_t src, int16_t off, int32_t imm)
{
    struct exit_program *program = out->program;
    if (program->count >= EXIT_PROGRAM_MOST) {
        program->overflow = true;
        return;
    }
    program->instructions[program->count++] =
        (struct bpf_insn){.code = code, .dst_reg = dst & 15, .src_reg = src & 15, .off = off, .imm = imm};
}

static void move(struct assembly *out, uint8_t dst, uint8_t src)
{
    emit(out, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static void set(struct assembly *out, uint8_t dst, int32_t value)
{
    emit(out, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value);
}

static void add(struct assembly *out, uint8_t dst, int32_t value)
{
    emit(out, BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, value);
}

static void alu(struct assembly *out, uint8_t operation, uint8_t dst, int32_t value)
{
    emit(out, BPF_ALU64 | operation | BPF_K, dst, 0, 0, value);
}

static void alu_register(struct assembly *out, uint8_t operation, uint8_t dst, uint8_t src)
{
    emit(out, BPF_ALU64 | operation | BPF_X, dst, src, 0, 0);
}

static uint8_t size_of(unsigned bytes)
{
    return bytes == 1 ? BPF_B : bytes == 2 ? BPF_H : bytes == 4 ? BPF_W : BPF_DW;
}

static void load(struct assembly *out, unsigned bytes, uint8_t dst, uint8_t base, int offset)
{
    emit(out, BPF_LDX | BPF_MEM | size_of(bytes), dst, base, (int16_t)offset, 0);
}

static void store(struct assembly *out, unsigned bytes, uint8_t base, int offset, uint8_t src)
{
    emit(out, BPF_STX | BPF_MEM | size_of(bytes), base, src, (int16_t)offset, 0);
}

static void store_number(struct assembly *out, unsigned bytes, uint8_t base, int offset, int32_t value)
{
    emit(out, BPF_ST | BPF_MEM | size_of(bytes), base, 0, (int16_t)offset, value);
}

static void load_map(struct assembly *out, uint8_t dst, int fd)
{
    emit(out, BPF_LD | BPF_IMM | BPF_DW, dst, BPF_PSEUDO_MAP_FD, 0, fd);
    emit(out, 0, 0, 0, 0, 0);
}

static void call(struct assembly *out, int32_t helper)
{
    emit(out, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

static void stack_address(struct assembly *out, uint8_t dst, int offset)
{
    move(out, dst, BPF_REG_10);
    add(out, dst, offset);
}

static unsigned label_new(struct assembly *out)
{
    return out->label_next < LABELS ? out->label_next++ : OUT;
}

static void jump_noted(struct assembly *out, unsigned label)
{
    if (out->jump_count >= JUMPS_MOST) {
        out->program->overflow = true;
        return;
    }
    out->jumps[out->jump_count].at = out->program->count;
    out->jumps[out->jump_count++].label = label;
}

/* When dst (compared) value. */
static void jump_if(struct assembly *out, uint8_t comparison, uint8_t dst, int32_t value, unsigned label)
{
    jump_noted(out, label);
    emit(out, BPF_JMP | comparison | BPF_K, dst, 0, 0, value);
}

static void jump_if_register(struct assembly *out, uint8_t comparison, uint8_t dst, uint8_t src, unsigned label)
{
    jump_noted(out, label);
    emit(out, BPF_JMP | comparison | BPF_X, dst, src, 0, 0);
}

static void jump(struct assembly *out, unsigned label)
{
    jump_noted(out, label);
    emit(out, BPF_JMP | BPF_JA, 0, 0, 0, 0);
}

static void label_here(struct assembly *out, unsigned label)
{
    out->places[label] = (int)out->program->count;
}

static void lookup(struct assembly *out, int map_fd, int key_offset)
{
    load_map(out, BPF_REG_1, map_fd);
    stack_address(out, BPF_REG_2, key_offset);
    call(out, BPF_FUNC_map_lookup_elem);
}

/* Put the value on the stack at value_offset under the key; R0 is its errno. */
static void put(struct assembly *out, int map_fd, int key_offset, int value_offset, int32_t flags)
{
    load_map(out, BPF_REG_1, map_fd);
    stack_address(out, BPF_REG_2, key_offset);
    stack_address(out, BPF_REG_3, value_offset);
    set(out, BPF_REG_4, flags);
    call(out, BPF_FUNC_map_update_elem);
}

/* *(u64 *)(base + offset) += 1. Only the thread itself writes its entries: no atomic is needed. */
static void increment(struct assembly *out, uint8_t base, int offset)
{
    load(out, 8, BPF_REG_1, base, offset);
    add(out, BPF_REG_1, 1);
    store(out, 8, base, offset, BPF_REG_1);
}

static void operand_load(struct assembly *out, struct exit_operand_place place, uint8_t dst)
{
    load(out, place.bytes, dst, BPF_REG_6, place.offset);
}

/* R6: context. R8: thread group and thread. */
static void begin(struct assembly *out)
{
    move(out, BPF_REG_6, BPF_REG_1);
    call(out, BPF_FUNC_get_current_pid_tgid);
    move(out, BPF_REG_8, BPF_REG_0);
    store(out, 4, BPF_REG_10, AT_THREAD, BPF_REG_8);
    store_number(out, 4, BPF_REG_10, AT_THREAD + 4, 1);
}

/* Which: 0 an event, 1 an object or instruction. Threads share these. */
static void lost_count(struct assembly *out, int lost_fd, int which, unsigned otherwise)
{
    store_number(out, 4, BPF_REG_10, AT_INDEX, which);
    lookup(out, lost_fd, AT_INDEX);
    jump_if(out, BPF_JEQ, BPF_REG_0, 0, otherwise);
    set(out, BPF_REG_1, 1);
    emit(out, BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_0, BPF_REG_1, 0, BPF_ADD);
}

static void finish(struct assembly *out, int lost_fd)
{
    jump(out, OUT);
    label_here(out, LOST);
    if (lost_fd >= 0)
        lost_count(out, lost_fd, 0, OUT);
    label_here(out, OUT);
    /* 0 would hide the event from all others' perf events at this tracepoint: records and counts of other tools. */
    set(out, BPF_REG_0, 1);
    emit(out, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
    for (unsigned at = 0; at < out->jump_count; at++)
        out->program->instructions[out->jumps[at].at].off =
            (int16_t)(out->places[out->jumps[at].label] - (int)out->jumps[at].at - 1);
}

/* ---- dictionaries ---- */

/* The number of the key's first place, at AT_INDEX. */
static void place_choose(struct assembly *out, const struct exit_dictionary *dictionary, unsigned words, int key_offset)
{
    /* 2^64 by the golden ratio: neighbours are spread far apart by it */
    static const uint64_t golden = 0x9e3779b97f4a7c15;
    emit(out, BPF_LD | BPF_IMM | BPF_DW, BPF_REG_3, 0, 0, (int32_t)(uint32_t)golden);
    emit(out, 0, 0, 0, 0, (int32_t)(golden >> 32));
    load(out, 8, BPF_REG_1, BPF_REG_10, key_offset);
    alu_register(out, BPF_MUL, BPF_REG_1, BPF_REG_3);
    for (unsigned word = 1; word < words; word++) {
        move(out, BPF_REG_2, BPF_REG_1);
        alu(out, BPF_RSH, BPF_REG_2, 32);
        alu_register(out, BPF_XOR, BPF_REG_1, BPF_REG_2);
        load(out, 8, BPF_REG_2, BPF_REG_10, key_offset + 8 * (int)word);
        alu_register(out, BPF_ADD, BPF_REG_1, BPF_REG_2);
        alu_register(out, BPF_MUL, BPF_REG_1, BPF_REG_3);
    }
    alu(out, BPF_RSH, BPF_REG_1, 64 - dictionary->place_bits);
    store(out, 4, BPF_REG_10, AT_INDEX, BPF_REG_1);
}

/* Only threads that are followed come to have entries, so nobody needs to be asked for whose is there. */
static void ask_followed(struct assembly *out, const struct exit_program_request *request)
{
    if (request->followed_fd < 0)
        return;
    lookup(out, request->followed_fd, AT_THREAD);
    jump_if(out, BPF_JEQ, BPF_REG_0, 0, OUT);
}

/*
 * R0: the key's value at the place of AT_INDEX, on at `found`; a free place, on at `none`; or, as it is another's, on
 * behind this.
 */
static void place_try(struct assembly *out, const struct exit_dictionary *dictionary, unsigned words, int key_offset,
                      unsigned found, unsigned none)
{
    unsigned other = label_new(out);
    lookup(out, dictionary->places_fd, AT_INDEX);
    jump_if(out, BPF_JEQ, BPF_REG_0, 0, other);
    load(out, 8, BPF_REG_1, BPF_REG_0, 0);
    jump_if(out, BPF_JEQ, BPF_REG_1, 0, none);
    for (unsigned word = 0; word < words; word++) {
        if (word)
            load(out, 8, BPF_REG_1, BPF_REG_0, 8 * (int)word);
        load(out, 8, BPF_REG_2, BPF_REG_10, key_offset + 8 * (int)word);
        jump_if_register(out, BPF_JNE, BPF_REG_1, BPF_REG_2, other);
    }
    jump(out, found);
    label_here(out, other);
}

/*
 * R0: the place at AT_INDEX, from now on the key's; or on to `other`. The key's first word comes last: it says that the
 * key is whole.
 */
static void place_claim(struct assembly *out, const struct exit_dictionary *dictionary, unsigned words, int key_offset,
                        unsigned other)
{
    store_number(out, 8, BPF_REG_10, AT_ONE, 1);
    put(out, dictionary->claims_fd, AT_INDEX, AT_ONE, BPF_NOEXIST);
    jump_if(out, BPF_JNE, BPF_REG_0, 0, other);
    lookup(out, dictionary->places_fd, AT_INDEX);
    jump_if(out, BPF_JEQ, BPF_REG_0, 0, other);
    for (int word = (int)words - 1; word >= 0; word--) {
        load(out, 8, BPF_REG_1, BPF_REG_10, key_offset + 8 * word);
        store(out, 8, BPF_REG_0, 8 * word, BPF_REG_1);
    }
}

/* R0: the key's value in the rest, made when there is none; or on to `full`. */
static void rest_find(struct assembly *out, const struct exit_program_request *request,
                      const struct exit_dictionary *dictionary, int key_offset, unsigned found, unsigned full)
{
    lookup(out, dictionary->rest_fd, key_offset);
    jump_if(out, BPF_JNE, BPF_REG_0, 0, found);
    ask_followed(out, request);
    store_number(out, 4, BPF_REG_10, AT_INDEX, 0);
    lookup(out, request->blank_fd, AT_INDEX);
    jump_if(out, BPF_JEQ, BPF_REG_0, 0, full);
    move(out, BPF_REG_3, BPF_REG_0);
    load_map(out, BPF_REG_1, dictionary->rest_fd);
    stack_address(out, BPF_REG_2, key_offset);
    set(out, BPF_REG_4, BPF_NOEXIST);
    call(out, BPF_FUNC_map_update_elem);
    lookup(out, dictionary->rest_fd, key_offset);
    jump_if(out, BPF_JEQ, BPF_REG_0, 0, full);
}

/*
 * R0: the value of the key at that place of the stack, made when there is none yet; or on to `full`. R6 to R9 stay.
 * Two threads may want a place at once: one gets it, the other goes to the rest, though its second place were free.
 */
static void find(struct assembly *out, const struct exit_program_request *request, enum exit_dictionary_kind kind,
                 int key_offset, unsigned full)
{
    const struct exit_dictionary *dictionary = &request->dictionaries[kind];
    unsigned words = key_words[kind], found = label_new(out), none = label_new(out), taken = label_new(out);
    place_choose(out, dictionary, words, key_offset);
    place_try(out, dictionary, words, key_offset, found, none);
    load(out, 4, BPF_REG_1, BPF_REG_10, AT_INDEX);
    alu(out, BPF_XOR, BPF_REG_1, 1);
    store(out, 4, BPF_REG_10, AT_INDEX, BPF_REG_1);
    place_try(out, dictionary, words, key_offset, found, none);
    jump(out, taken);
    label_here(out, none);
    ask_followed(out, request);
    place_claim(out, dictionary, words, key_offset, taken);
    jump(out, found);
    label_here(out, taken);
    rest_find(out, request, dictionary, key_offset, found, full);
    label_here(out, found);
}

/* ---- which cell ---- */

/* R7: the reason. An errno of kvm_userspace_exit stands in for it, from EXIT_ERRNO; a memory fault has both. */
static void reason_load(struct assembly *out, const struct exit_program_request *request)
{
    const struct exit_operand_place *places = request->places;
    if (places[EXIT_REASON].bytes) {
        operand_load(out, places[EXIT_REASON], BPF_REG_7);
        emit(out, BPF_ALU | BPF_MOV | BPF_X, BPF_REG_7, BPF_REG_7, 0, 0);
    } else {
        set(out, BPF_REG_7, 0);
    }
    if (request->point == EXIT_POINT_USERSPACE && places[EXIT_OBJECT].bytes) {
        unsigned fine = label_new(out);
        operand_load(out, places[EXIT_OBJECT], BPF_REG_1);
        alu(out, BPF_LSH, BPF_REG_1, 32);
        alu(out, BPF_ARSH, BPF_REG_1, 32);
        unsigned failed = label_new(out);
        jump_if(out, BPF_JSGE, BPF_REG_1, 0, fine);
        jump_if(out, BPF_JNE, BPF_REG_7, EXIT_REASON_MEMORY_FAULT, failed);
        jump_if(out, BPF_JEQ, BPF_REG_1, -EFAULT, fine);
        jump_if(out, BPF_JEQ, BPF_REG_1, -EHWPOISON, fine);
        label_here(out, failed);
        set(out, BPF_REG_7, EXIT_ERRNO);
        alu_register(out, BPF_SUB, BPF_REG_7, BPF_REG_1);
        label_here(out, fine);
    }
}

/* The key on the stack: R8's thread, R7's reason. */
static void key_make(struct assembly *out, const struct exit_program_request *request)
{
    store(out, 4, BPF_REG_10, AT_KEY, BPF_REG_8);
    if (request->places[EXIT_ISA].bytes) {
        operand_load(out, request->places[EXIT_ISA], BPF_REG_1);
        alu(out, BPF_AND, BPF_REG_1, 3);
        alu(out, BPF_LSH, BPF_REG_1, 8);
        alu(out, BPF_OR, BPF_REG_1, EXIT_WHAT_SET | (int32_t)request->point);
        store(out, 4, BPF_REG_10, AT_KEY + 4, BPF_REG_1);
    } else {
        store_number(out, 4, BPF_REG_10, AT_KEY + 4, EXIT_WHAT_SET | (int32_t)request->point);
    }
    store(out, 8, BPF_REG_10, AT_KEY + 8, BPF_REG_7);
}

static void event_count(struct assembly *out, const struct exit_program_request *request, int key_offset)
{
    find(out, request, EXIT_CELLS, key_offset, LOST);
    increment(out, BPF_REG_0, offsetof(struct exit_cell, count));
}

/* ---- what for ---- */

/* Count the operand's value under the cell's key. */
static void use_count(struct assembly *out, const struct exit_program_request *request,
                      struct exit_operand_place operand, int32_t mark)
{
    unsigned full = label_new(out), done = label_new(out);
    store(out, 4, BPF_REG_10, AT_USE, BPF_REG_8);
    load(out, 4, BPF_REG_1, BPF_REG_10, AT_KEY + 4);
    alu(out, BPF_OR, BPF_REG_1, mark);
    store(out, 4, BPF_REG_10, AT_USE + 4, BPF_REG_1);
    store(out, 8, BPF_REG_10, AT_USE + 8, BPF_REG_7);
    operand_load(out, operand, BPF_REG_1);
    store(out, 8, BPF_REG_10, AT_USE + 16, BPF_REG_1);
    find(out, request, EXIT_USES, AT_USE, full);
    increment(out, BPF_REG_0, offsetof(struct exit_use_cell, count));
    jump(out, done);
    label_here(out, full); /* no place: the event itself goes on, and is timed */
    lost_count(out, request->lost_fd, 1, done);
    label_here(out, done);
}

static void uses_count(struct assembly *out, const struct exit_program_request *request)
{
    const struct exit_operand_place *places = request->places;
    if (request->objects && places[EXIT_OBJECT].bytes && exit_points[request->point].object != EXIT_OBJECT_ERROR)
        use_count(out, request, places[EXIT_OBJECT], 0);
    if (request->rips && places[EXIT_RIP].bytes)
        use_count(out, request, places[EXIT_RIP], EXIT_WHAT_RIP);
}

/* ---- times ---- */

/*
 * R9: the thread's state, and a move to another CPU counted. Who it is is noted then, too: it may be gone when we look.
 */
static void state_find(struct assembly *out, const struct exit_program_request *request)
{
    unsigned same = label_new(out), first = label_new(out);
    find(out, request, EXIT_THREADS, AT_THREAD, LOST);
    move(out, BPF_REG_9, BPF_REG_0);
    call(out, BPF_FUNC_get_smp_processor_id);
    add(out, BPF_REG_0, 1);
    load(out, 4, BPF_REG_1, BPF_REG_9, offsetof(struct exit_thread_state, cpu_1));
    jump_if_register(out, BPF_JEQ, BPF_REG_1, BPF_REG_0, same);
    store(out, 4, BPF_REG_9, offsetof(struct exit_thread_state, cpu_1), BPF_REG_0);
    move(out, BPF_REG_2, BPF_REG_8);
    alu(out, BPF_RSH, BPF_REG_2, 32);
    store(out, 4, BPF_REG_9, offsetof(struct exit_thread_state, tgid), BPF_REG_2);
    jump_if(out, BPF_JEQ, BPF_REG_1, 0, first);
    increment(out, BPF_REG_9, offsetof(struct exit_thread_state, migrations));
    label_here(out, first);
    move(out, BPF_REG_1, BPF_REG_9);
    add(out, BPF_REG_1, offsetof(struct exit_thread_state, name));
    set(out, BPF_REG_2, sizeof(((struct exit_thread_state *)0)->name));
    call(out, BPF_FUNC_get_current_comm);
    label_here(out, same);
}

static void vcpu_note(struct assembly *out, const struct exit_program_request *request)
{
    if (!request->places[EXIT_VCPU].bytes)
        return;
    operand_load(out, request->places[EXIT_VCPU], BPF_REG_1);
    add(out, BPF_REG_1, 1);
    store(out, 4, BPF_REG_9, offsetof(struct exit_thread_state, vcpu_1), BPF_REG_1);
}

/*
 * An exit is counted when it ends, at which its cell is looked for anyway. One whose end was not seen is counted when
 * the next begins.
 */
static void unended_count(struct assembly *out, const struct exit_program_request *request)
{
    unsigned none = label_new(out);
    load(out, 4, BPF_REG_1, BPF_REG_9, offsetof(struct exit_thread_state, is_inside));
    jump_if(out, BPF_JEQ, BPF_REG_1, 0, none);
    for (int at = 0; at < 16; at += 8) {
        load(out, 8, BPF_REG_1, BPF_REG_9, (int)offsetof(struct exit_thread_state, inside) + at);
        store(out, 8, BPF_REG_10, AT_USE + at, BPF_REG_1);
    }
    event_count(out, request, AT_USE);
    label_here(out, none);
}

/*
 * Note in what the thread is from now on. A return to the monitor doesn't end the exit before it: it is counted alone.
 */
static void time_begin(struct assembly *out, const struct exit_program_request *request)
{
    unsigned timed = label_new(out);
    state_find(out, request);
    vcpu_note(out, request);
    uses_count(out, request);
    if (request->point == EXIT_POINT_EXIT) {
        store_number(out, 8, BPF_REG_9, offsetof(struct exit_thread_state, fires_exit), 1);
    } else {
        load(out, 8, BPF_REG_1, BPF_REG_9, offsetof(struct exit_thread_state, fires_exit));
        jump_if(out, BPF_JEQ, BPF_REG_1, 0, timed);
        event_count(out, request, AT_KEY);
        jump(out, OUT);
        label_here(out, timed);
    }
    unended_count(out, request);
    load(out, 8, BPF_REG_1, BPF_REG_10, AT_KEY);
    store(out, 8, BPF_REG_9, offsetof(struct exit_thread_state, inside), BPF_REG_1);
    store(out, 8, BPF_REG_9, offsetof(struct exit_thread_state, inside) + 8, BPF_REG_7);
    store_number(out, 4, BPF_REG_9, offsetof(struct exit_thread_state, is_inside), 1);
    call(out, BPF_FUNC_ktime_get_ns);
    store(out, 8, BPF_REG_9, offsetof(struct exit_thread_state, begun_ns), BPF_REG_0);
}

/* R1: a duration, R9: the thread's state. R2: its bucket, as exit_bucket_of has it. */
static void bucket_find(struct assembly *out)
{
    unsigned small = label_new(out), done = label_new(out);
    move(out, BPF_REG_2, BPF_REG_1);
    jump_if(out, BPF_JLT, BPF_REG_1, 8, small);
    set(out, BPF_REG_3, 0);
    for (int bits = 32; bits; bits /= 2) {
        unsigned less = label_new(out);
        move(out, BPF_REG_4, BPF_REG_2);
        alu(out, BPF_RSH, BPF_REG_4, bits);
        jump_if(out, BPF_JEQ, BPF_REG_4, 0, less);
        move(out, BPF_REG_2, BPF_REG_4);
        add(out, BPF_REG_3, bits);
        label_here(out, less);
    }
    add(out, BPF_REG_3, -3);
    move(out, BPF_REG_2, BPF_REG_1);
    alu_register(out, BPF_RSH, BPF_REG_2, BPF_REG_3);
    alu(out, BPF_AND, BPF_REG_2, 7);
    add(out, BPF_REG_3, 1);
    alu(out, BPF_LSH, BPF_REG_3, 3);
    alu_register(out, BPF_ADD, BPF_REG_2, BPF_REG_3);
    label_here(out, small);
    /*
     * By way of memory, which the verifier knows nothing of: else it follows each way through the steps above to the
     * program's end.
     */
    store(out, 8, BPF_REG_9, offsetof(struct exit_thread_state, bucket), BPF_REG_2);
    load(out, 8, BPF_REG_2, BPF_REG_9, offsetof(struct exit_thread_state, bucket));
    jump_if(out, BPF_JLT, BPF_REG_2, EXIT_CELL_BUCKETS, done);
    set(out, BPF_REG_2, EXIT_CELL_BUCKETS - 1);
    label_here(out, done);
}

/* R0: the cell, R1: the duration, R9: the thread's state. */
static void time_add(struct assembly *out)
{
    unsigned less = label_new(out), not_less = label_new(out), not_more = label_new(out);
    load(out, 8, BPF_REG_3, BPF_REG_0, offsetof(struct exit_cell, total_ns));
    alu_register(out, BPF_ADD, BPF_REG_3, BPF_REG_1);
    store(out, 8, BPF_REG_0, offsetof(struct exit_cell, total_ns), BPF_REG_3);
    load(out, 8, BPF_REG_4, BPF_REG_0, offsetof(struct exit_cell, timed));
    jump_if(out, BPF_JEQ, BPF_REG_4, 0, less);
    load(out, 8, BPF_REG_3, BPF_REG_0, offsetof(struct exit_cell, min_ns));
    jump_if_register(out, BPF_JGE, BPF_REG_1, BPF_REG_3, not_less);
    label_here(out, less);
    store(out, 8, BPF_REG_0, offsetof(struct exit_cell, min_ns), BPF_REG_1);
    label_here(out, not_less);
    load(out, 8, BPF_REG_3, BPF_REG_0, offsetof(struct exit_cell, max_ns));
    jump_if_register(out, BPF_JLE, BPF_REG_1, BPF_REG_3, not_more);
    store(out, 8, BPF_REG_0, offsetof(struct exit_cell, max_ns), BPF_REG_1);
    label_here(out, not_more);
    add(out, BPF_REG_4, 1);
    store(out, 8, BPF_REG_0, offsetof(struct exit_cell, timed), BPF_REG_4);
    bucket_find(out);
    alu(out, BPF_LSH, BPF_REG_2, 2);
    alu_register(out, BPF_ADD, BPF_REG_0, BPF_REG_2);
    load(out, 4, BPF_REG_1, BPF_REG_0, offsetof(struct exit_cell, buckets));
    add(out, BPF_REG_1, 1);
    store(out, 4, BPF_REG_0, offsetof(struct exit_cell, buckets), BPF_REG_1);
}

/* The time is read as soon as it is known that it is wanted, so that little of our own work is in it. */
static void time_end(struct assembly *out, const struct exit_program_request *request)
{
    state_find(out, request);
    load(out, 4, BPF_REG_1, BPF_REG_9, offsetof(struct exit_thread_state, is_inside));
    unsigned inside = label_new(out);
    jump_if(out, BPF_JNE, BPF_REG_1, 0, inside);
    vcpu_note(out, request);
    jump(out, OUT);
    label_here(out, inside);
    call(out, BPF_FUNC_ktime_get_ns);
    move(out, BPF_REG_7, BPF_REG_0);
    vcpu_note(out, request);
    store_number(out, 4, BPF_REG_9, offsetof(struct exit_thread_state, is_inside), 0);
    for (int at = 0; at < 16; at += 8) {
        load(out, 8, BPF_REG_1, BPF_REG_9, (int)offsetof(struct exit_thread_state, inside) + at);
        store(out, 8, BPF_REG_10, AT_KEY + at, BPF_REG_1);
    }
    event_count(out, request, AT_KEY);
    load(out, 8, BPF_REG_2, BPF_REG_9, offsetof(struct exit_thread_state, begun_ns));
    jump_if_register(out, BPF_JLT, BPF_REG_7, BPF_REG_2, OUT);
    move(out, BPF_REG_1, BPF_REG_7);
    alu_register(out, BPF_SUB, BPF_REG_1, BPF_REG_2);
    time_add(out);
}

/* ---- whole programs ---- */

void exit_program_make(struct exit_program *program, const struct exit_program_request *request)
{
    struct assembly out = {.program = program, .label_next = PLACES};
    bool ends = request->point == EXIT_POINT_ENTRY || request->point == EXIT_POINT_RUN;
    *program = (struct exit_program){0};
    begin(&out);
    if (request->point == EXIT_POINT_RUN) { /* other ioctls are nobody's business */
        operand_load(&out, request->places[EXIT_REASON], BPF_REG_1);
        emit(&out, BPF_ALU | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_1, 0, 0);
        jump_if(&out, BPF_JNE, BPF_REG_1, (int32_t)EXIT_KVM_RUN, OUT);
    }
    if (ends) {
        time_end(&out, request);
    } else {
        reason_load(&out, request);
        key_make(&out, request);
        if (request->times && (request->point == EXIT_POINT_EXIT || request->point == EXIT_POINT_USERSPACE)) {
            time_begin(&out, request);
        } else {
            event_count(&out, request, AT_KEY);
            uses_count(&out, request);
        }
    }
    finish(&out, request->lost_fd);
}

void exit_program_make_follower(struct exit_program *program, struct exit_operand_place parent,
                                struct exit_operand_place child, int followed_fd)
{
    struct assembly out = {.program = program, .label_next = PLACES};
    *program = (struct exit_program){0};
    move(&out, BPF_REG_6, BPF_REG_1);
    operand_load(&out, parent, BPF_REG_1);
    store(&out, 4, BPF_REG_10, AT_THREAD, BPF_REG_1);
    lookup(&out, followed_fd, AT_THREAD);
    jump_if(&out, BPF_JEQ, BPF_REG_0, 0, OUT);
    operand_load(&out, child, BPF_REG_1);
    store(&out, 4, BPF_REG_10, AT_THREAD, BPF_REG_1);
    store_number(&out, 4, BPF_REG_10, AT_ONE, 1);
    put(&out, followed_fd, AT_THREAD, AT_ONE, BPF_ANY);
    finish(&out, -1);
}
