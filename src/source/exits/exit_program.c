/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/exits/exit_program.h"

#include <errno.h>
#include <stddef.h>

/* Jumps go forward only, to a label that is placed later. */
enum label { OUT, LOST, PLACES, LABELS = PLACES + 24 };
enum { JUMPS_MOST = 64 };

/* On the stack, below R10. */
enum {
    AT_TID = -4,
    AT_ZERO = -8,
    AT_KEY = -24,      /* struct exit_cell_key */
    AT_USE = -48,      /* struct exit_use_key; also 24 bytes of scratch */
    AT_ONE = -56,
    AT_CPU = -64,
    AT_NOW = -72,
    AT_STATE = -144,   /* struct exit_thread_state: 64 bytes */
};
_Static_assert(sizeof(struct exit_thread_state) <= 64 && sizeof(struct exit_thread_state) % 8 == 0, "as much as the stack has for it");
_Static_assert(sizeof(struct exit_cell_key) == 16 && sizeof(struct exit_use_key) == 24, "no holes in keys");

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
static void put(struct assembly *out, int map_fd, int key_offset, int value_offset)
{
    load_map(out, BPF_REG_1, map_fd);
    stack_address(out, BPF_REG_2, key_offset);
    stack_address(out, BPF_REG_3, value_offset);
    set(out, BPF_REG_4, BPF_ANY);
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

/* R6: context. R8: tid. Ends for threads that nobody asked for. */
static void begin(struct assembly *out, int followed_fd)
{
    move(out, BPF_REG_6, BPF_REG_1);
    call(out, BPF_FUNC_get_current_pid_tgid);
    move(out, BPF_REG_8, BPF_REG_0);
    store(out, 4, BPF_REG_10, AT_TID, BPF_REG_8);
    if (followed_fd < 0)
        return;
    lookup(out, followed_fd, AT_TID);
    jump_if(out, BPF_JEQ, BPF_REG_0, 0, OUT);
}

/* Which: 0 an event, 1 an object or instruction. Threads share these. */
static void lost_count(struct assembly *out, int lost_fd, int which, unsigned otherwise)
{
    store_number(out, 4, BPF_REG_10, AT_ZERO, which);
    lookup(out, lost_fd, AT_ZERO);
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
        out->program->instructions[out->jumps[at].at].off = (int16_t)(out->places[out->jumps[at].label] - (int)out->jumps[at].at - 1);
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
        alu(out, BPF_OR, BPF_REG_1, (int32_t)request->point);
        store(out, 4, BPF_REG_10, AT_KEY + 4, BPF_REG_1);
    } else {
        store_number(out, 4, BPF_REG_10, AT_KEY + 4, (int32_t)request->point);
    }
    store(out, 8, BPF_REG_10, AT_KEY + 8, BPF_REG_7);
}

/* R0: the cell of the key at that place, made from the blank one when it isn't there. */
static void cell_find(struct assembly *out, const struct exit_program_request *request, int key_offset)
{
    unsigned found = label_new(out);
    lookup(out, request->cells_fd, key_offset);
    jump_if(out, BPF_JNE, BPF_REG_0, 0, found);
    store_number(out, 4, BPF_REG_10, AT_ZERO, 0);
    lookup(out, request->blank_fd, AT_ZERO);
    jump_if(out, BPF_JEQ, BPF_REG_0, 0, LOST);
    move(out, BPF_REG_3, BPF_REG_0);
    load_map(out, BPF_REG_1, request->cells_fd);
    stack_address(out, BPF_REG_2, key_offset);
    set(out, BPF_REG_4, BPF_NOEXIST);
    call(out, BPF_FUNC_map_update_elem);
    lookup(out, request->cells_fd, key_offset);
    jump_if(out, BPF_JEQ, BPF_REG_0, 0, LOST);
    label_here(out, found);
}

/* ---- what for ---- */

/* Count the value in R9 under the cell's key. */
static void use_count(struct assembly *out, const struct exit_program_request *request, bool is_rip)
{
    unsigned found = label_new(out), done = label_new(out);
    load(out, 8, BPF_REG_1, BPF_REG_10, AT_KEY);
    store(out, 8, BPF_REG_10, AT_USE, BPF_REG_1);
    if (is_rip) {
        load(out, 4, BPF_REG_1, BPF_REG_10, AT_KEY + 4);
        alu(out, BPF_OR, BPF_REG_1, 1 << 16);
        store(out, 4, BPF_REG_10, AT_USE + 4, BPF_REG_1);
    }
    store(out, 8, BPF_REG_10, AT_USE + 8, BPF_REG_7);
    store(out, 8, BPF_REG_10, AT_USE + 16, BPF_REG_9);
    lookup(out, request->uses_fd, AT_USE);
    jump_if(out, BPF_JNE, BPF_REG_0, 0, found);
    store_number(out, 8, BPF_REG_10, AT_ONE, 1);
    put(out, request->uses_fd, AT_USE, AT_ONE);
    jump_if(out, BPF_JEQ, BPF_REG_0, 0, done);
    /* No place: the event itself goes on, and is timed. */
    lost_count(out, request->lost_fd, 1, done);
    jump(out, done);
    label_here(out, found);
    increment(out, BPF_REG_0, 0);
    label_here(out, done);
}

static void uses_count(struct assembly *out, const struct exit_program_request *request)
{
    if (request->objects && request->places[EXIT_OBJECT].bytes && exit_points[request->point].object != EXIT_OBJECT_ERROR) {
        operand_load(out, request->places[EXIT_OBJECT], BPF_REG_9);
        use_count(out, request, false);
    }
    if (request->rips && request->places[EXIT_RIP].bytes) {
        operand_load(out, request->places[EXIT_RIP], BPF_REG_9);
        use_count(out, request, true);
    }
}

/* ---- times ---- */

static void state_make(struct assembly *out, const struct exit_program_request *request, unsigned found)
{
    for (int at = AT_STATE; at < AT_STATE + (int)sizeof(struct exit_thread_state); at += 8)
        store_number(out, 8, BPF_REG_10, at, 0);
    store(out, 4, BPF_REG_10, AT_STATE + (int)offsetof(struct exit_thread_state, cpu), BPF_REG_9);
    move(out, BPF_REG_1, BPF_REG_8);
    alu(out, BPF_RSH, BPF_REG_1, 32);
    store(out, 4, BPF_REG_10, AT_STATE + (int)offsetof(struct exit_thread_state, tgid), BPF_REG_1);
    put(out, request->threads_fd, AT_TID, AT_STATE);
    lookup(out, request->threads_fd, AT_TID);
    jump_if(out, BPF_JEQ, BPF_REG_0, 0, LOST);
    label_here(out, found);
}

/* R0: the thread's state, R9: this CPU, and a move to another one counted. */
static void state_find(struct assembly *out, const struct exit_program_request *request)
{
    unsigned found = label_new(out), same = label_new(out);
    call(out, BPF_FUNC_get_smp_processor_id);
    move(out, BPF_REG_9, BPF_REG_0);
    lookup(out, request->threads_fd, AT_TID);
    jump_if(out, BPF_JNE, BPF_REG_0, 0, found);
    state_make(out, request, found);
    load(out, 4, BPF_REG_1, BPF_REG_0, offsetof(struct exit_thread_state, cpu));
    jump_if_register(out, BPF_JEQ, BPF_REG_1, BPF_REG_9, same);
    store(out, 4, BPF_REG_0, offsetof(struct exit_thread_state, cpu), BPF_REG_9);
    increment(out, BPF_REG_0, offsetof(struct exit_thread_state, migrations));
    label_here(out, same);
}

static void vcpu_note(struct assembly *out, const struct exit_program_request *request)
{
    if (!request->places[EXIT_VCPU].bytes)
        return;
    operand_load(out, request->places[EXIT_VCPU], BPF_REG_1);
    add(out, BPF_REG_1, 1);
    store(out, 4, BPF_REG_0, offsetof(struct exit_thread_state, vcpu_1), BPF_REG_1);
}

/* An exit is counted when it ends, at which its cell is looked for anyway. One whose end was not seen is counted when the next begins; R9: the state. */
static void unended_count(struct assembly *out, const struct exit_program_request *request)
{
    unsigned none = label_new(out);
    load(out, 4, BPF_REG_1, BPF_REG_9, offsetof(struct exit_thread_state, is_inside));
    jump_if(out, BPF_JEQ, BPF_REG_1, 0, none);
    for (int at = 0; at < 16; at += 8) {
        load(out, 8, BPF_REG_1, BPF_REG_9, (int)offsetof(struct exit_thread_state, inside) + at);
        store(out, 8, BPF_REG_10, AT_USE + at, BPF_REG_1);
    }
    cell_find(out, request, AT_USE);
    increment(out, BPF_REG_0, offsetof(struct exit_cell, count));
    label_here(out, none);
}

/* Note in what the thread is from now on. A return to the monitor doesn't end the exit before it: it is counted alone. */
static void time_begin(struct assembly *out, const struct exit_program_request *request)
{
    unsigned timed = label_new(out);
    state_find(out, request);
    vcpu_note(out, request);
    if (request->point == EXIT_POINT_EXIT) {
        store_number(out, 4, BPF_REG_0, offsetof(struct exit_thread_state, fires_exit), 1);
    } else {
        load(out, 4, BPF_REG_1, BPF_REG_0, offsetof(struct exit_thread_state, fires_exit));
        jump_if(out, BPF_JEQ, BPF_REG_1, 0, timed);
        cell_find(out, request, AT_KEY);
        increment(out, BPF_REG_0, offsetof(struct exit_cell, count));
        jump(out, OUT);
        label_here(out, timed);
    }
    move(out, BPF_REG_9, BPF_REG_0);
    unended_count(out, request);
    load(out, 8, BPF_REG_1, BPF_REG_10, AT_KEY);
    store(out, 8, BPF_REG_9, offsetof(struct exit_thread_state, inside), BPF_REG_1);
    store(out, 8, BPF_REG_9, offsetof(struct exit_thread_state, inside) + 8, BPF_REG_7);
    store_number(out, 4, BPF_REG_9, offsetof(struct exit_thread_state, is_inside), 1);
    call(out, BPF_FUNC_ktime_get_ns);
    store(out, 8, BPF_REG_9, offsetof(struct exit_thread_state, begun_ns), BPF_REG_0);
}

/* R1: a duration. R2: its bucket, as exit_bucket_of has it. */
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
    jump_if(out, BPF_JLT, BPF_REG_2, EXIT_CELL_BUCKETS, done);
    set(out, BPF_REG_2, EXIT_CELL_BUCKETS - 1);
    label_here(out, done);
}

/* R0: the cell, R1: the duration. */
static void time_add(struct assembly *out)
{
    unsigned not_less = label_new(out), not_more = label_new(out);
    load(out, 8, BPF_REG_3, BPF_REG_0, offsetof(struct exit_cell, total_ns));
    alu_register(out, BPF_ADD, BPF_REG_3, BPF_REG_1);
    store(out, 8, BPF_REG_0, offsetof(struct exit_cell, total_ns), BPF_REG_3);
    load(out, 8, BPF_REG_3, BPF_REG_0, offsetof(struct exit_cell, min_ns));
    jump_if_register(out, BPF_JGE, BPF_REG_1, BPF_REG_3, not_less);
    store(out, 8, BPF_REG_0, offsetof(struct exit_cell, min_ns), BPF_REG_1);
    label_here(out, not_less);
    load(out, 8, BPF_REG_3, BPF_REG_0, offsetof(struct exit_cell, max_ns));
    jump_if_register(out, BPF_JLE, BPF_REG_1, BPF_REG_3, not_more);
    store(out, 8, BPF_REG_0, offsetof(struct exit_cell, max_ns), BPF_REG_1);
    label_here(out, not_more);
    load(out, 8, BPF_REG_3, BPF_REG_0, offsetof(struct exit_cell, timed));
    add(out, BPF_REG_3, 1);
    store(out, 8, BPF_REG_0, offsetof(struct exit_cell, timed), BPF_REG_3);
    bucket_find(out);
    alu(out, BPF_LSH, BPF_REG_2, 2);
    alu_register(out, BPF_ADD, BPF_REG_0, BPF_REG_2);
    load(out, 4, BPF_REG_1, BPF_REG_0, offsetof(struct exit_cell, buckets));
    add(out, BPF_REG_1, 1);
    store(out, 4, BPF_REG_0, offsetof(struct exit_cell, buckets), BPF_REG_1);
}

/* The time is read first, so that our own work isn't in it. */
static void time_end(struct assembly *out, const struct exit_program_request *request)
{
    call(out, BPF_FUNC_ktime_get_ns);
    store(out, 8, BPF_REG_10, AT_NOW, BPF_REG_0);
    state_find(out, request);
    vcpu_note(out, request);
    load(out, 4, BPF_REG_1, BPF_REG_0, offsetof(struct exit_thread_state, is_inside));
    jump_if(out, BPF_JEQ, BPF_REG_1, 0, OUT);
    store_number(out, 4, BPF_REG_0, offsetof(struct exit_thread_state, is_inside), 0);
    load(out, 8, BPF_REG_7, BPF_REG_10, AT_NOW);
    load(out, 8, BPF_REG_9, BPF_REG_0, offsetof(struct exit_thread_state, begun_ns));
    for (int at = 0; at < 16; at += 8) {
        load(out, 8, BPF_REG_1, BPF_REG_0, (int)offsetof(struct exit_thread_state, inside) + at);
        store(out, 8, BPF_REG_10, AT_KEY + at, BPF_REG_1);
    }
    cell_find(out, request, AT_KEY);
    increment(out, BPF_REG_0, offsetof(struct exit_cell, count));
    jump_if_register(out, BPF_JLT, BPF_REG_7, BPF_REG_9, OUT);
    move(out, BPF_REG_1, BPF_REG_7);
    alu_register(out, BPF_SUB, BPF_REG_1, BPF_REG_9);
    time_add(out);
}

/* ---- whole programs ---- */

void exit_program_make(struct exit_program *program, const struct exit_program_request *request)
{
    struct assembly out = {.program = program, .label_next = PLACES};
    bool ends = request->point == EXIT_POINT_ENTRY || request->point == EXIT_POINT_RUN;
    *program = (struct exit_program){0};
    begin(&out, request->followed_fd);
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
        uses_count(&out, request);
        if (request->times && (request->point == EXIT_POINT_EXIT || request->point == EXIT_POINT_USERSPACE)) {
            time_begin(&out, request);
        } else {
            cell_find(&out, request, AT_KEY);
            increment(&out, BPF_REG_0, offsetof(struct exit_cell, count));
        }
    }
    finish(&out, request->lost_fd);
}

void exit_program_make_follower(struct exit_program *program, struct exit_operand_place parent, struct exit_operand_place child,
                                int followed_fd)
{
    struct assembly out = {.program = program, .label_next = PLACES};
    *program = (struct exit_program){0};
    move(&out, BPF_REG_6, BPF_REG_1);
    operand_load(&out, parent, BPF_REG_1);
    store(&out, 4, BPF_REG_10, AT_TID, BPF_REG_1);
    lookup(&out, followed_fd, AT_TID);
    jump_if(&out, BPF_JEQ, BPF_REG_0, 0, OUT);
    operand_load(&out, child, BPF_REG_1);
    store(&out, 4, BPF_REG_10, AT_TID, BPF_REG_1);
    store_number(&out, 4, BPF_REG_10, AT_ONE, 1);
    put(&out, followed_fd, AT_TID, AT_ONE);
    finish(&out, -1);
}
