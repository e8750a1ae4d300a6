/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/stepping/step_burst.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/hashmap.h"
#include "base/scope.h"
#include "probe/stepping/process_copy.h"

#include <sched.h>
#include <string.h>

const char *step_end_words(enum step_end end)
{
    static const char *const words[STEP_END_COUNT] = {
        [STEP_END_FULL] = "at the asked length",
        [STEP_END_TIME] = "at the time it may be held",
        [STEP_END_SYSTEM_CALL] = "at a system call",
        [STEP_END_FAULT] = "at memory that can't be copied",
    };
    return words[end];
}

void step_burst_done(struct step_burst *burst)
{
    instruction_trace_done(&burst->trace);
}

#if defined(__x86_64__)

enum { LOOKS_AT_CLOCK_EVERY = 64 };

enum step_kind {
    KIND_PLAIN,
    KIND_SYSTEM_CALL,
    KIND_REPEATED, /* + length of the instruction */
};

struct stepper {
    struct process_copy copy;
    struct step_burst *burst;
    struct hashmap by_ip;
    vec(uint8_t) kinds; /* by row of the table */
    uint64_t ends_ns;
};

static bool is_prefix(uint8_t byte)
{
    return (byte & 0xf0) == 0x40 || byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e ||
           byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 || byte == 0x65;
}

static bool is_string_operation(uint8_t opcode)
{
    return (opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf);
}

/* Which instructions need more than a step; the encodings are fixed by the architecture (Intel SDM volume 2). */
static uint8_t kind_of(const struct traced_instruction *instruction)
{
    const uint8_t *bytes = instruction->bytes;
    unsigned at = 0;
    bool repeats = false;
    while (at + 2 < instruction->byte_count && is_prefix(bytes[at])) {
        repeats |= bytes[at] == 0xf3 || bytes[at] == 0xf2;
        at++;
    }
    bool calls = (bytes[at] == 0x0f && (bytes[at + 1] == 0x05 || bytes[at + 1] == 0x34)) || bytes[at] == 0xcd ||
                 bytes[at] == 0xcc || bytes[at] == 0xf1; /* syscall, sysenter, int, int3, int1 */
    if (at + 1 < instruction->byte_count && calls)
        return KIND_SYSTEM_CALL;
    return repeats && is_string_operation(bytes[at]) ? (uint8_t)(KIND_REPEATED + at + 1) : KIND_PLAIN;
}

static uint32_t row_of(struct stepper *stepper, uint64_t ip)
{
    struct instruction_trace *trace = &stepper->burst->trace;
    uint32_t row = hashmap_find(&stepper->by_ip, ip, NULL, NULL, NULL);
    if (row != HASHMAP_ABSENT)
        return row;
    row = (uint32_t)trace->table.count;
    struct traced_instruction *instruction = vec_push(&trace->table);
    *instruction = (struct traced_instruction){.ip = ip};
    instruction->byte_count = (uint8_t)process_copy_read(&stepper->copy, ip, instruction->bytes, TRACED_BYTES_MOST);
    *vec_push(&stepper->kinds) = kind_of(instruction);
    hashmap_add(&stepper->by_ip, ip, row);
    return row;
}

static enum step_end steps(struct stepper *stepper, uint32_t most)
{
    struct instruction_trace *trace = &stepper->burst->trace;
    uint64_t ip;
    for (uint32_t steps = 0; trace->sequence.count < most; steps++) {
        if (steps % LOOKS_AT_CLOCK_EVERY == 0 && clock_ns(CLOCK_MONOTONIC) > stepper->ends_ns)
            return STEP_END_TIME;
        if (!process_copy_ip(&stepper->copy, &ip))
            return STEP_END_FAULT;
        uint32_t row = row_of(stepper, ip);
        uint8_t kind = stepper->kinds.items[row];
        if (kind == KIND_SYSTEM_CALL)
            return STEP_END_SYSTEM_CALL;
        enum copy_stop stop = kind >= KIND_REPEATED ? process_copy_run_to(&stepper->copy, ip + kind - KIND_REPEATED)
                                                    : process_copy_step(&stepper->copy);
        if (stop != COPY_STEPPED)
            return STEP_END_FAULT;
        bool goes_on = kind >= KIND_REPEATED && trace->sequence.count &&
                       trace->sequence.items[trace->sequence.count - 1] == row;
        if (!goes_on)
            *vec_push(&trace->sequence) = row;
    }
    return STEP_END_FULL;
}

/*
 * Copy and stepper take turns: on one CPU that's a switch, on two an interrupt to the other, which costs twice as much.
 */
static bool one_cpu_begin(cpu_set_t *ret_before)
{
    cpu_set_t one;
    int cpu = sched_getcpu();
    if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof(*ret_before), ret_before) != 0)
        return false;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof(one), &one) == 0;
}

bool step_burst_take(const struct kernel *kernel, const struct sysroot *root, pid_t pid, pid_t tid,
                     const struct step_limits *limits, struct step_burst *ret_burst, struct error *err)
{
    struct step_burst burst = {.end = STEP_END_SYSTEM_CALL};
    scoped_free struct stopped_thread *thread = memory_alloc(sizeof(*thread));
    if (!stopped_thread_take(thread, kernel, root, pid, tid, err))
        return false;
    struct stepper stepper = {.burst = &burst, .ends_ns = thread->since_ns + limits->held_ns};
    cpu_set_t cpus;
    bool is_pinned = one_cpu_begin(&cpus);
    bool made = thread->in_kernel || process_copy_make(&stepper.copy, thread, err);
    if (made && !thread->in_kernel) {
        burst.end = steps(&stepper, limits->instructions);
        burst.pages = stepper.copy.pages;
    }
    burst.held_ns = stopped_thread_release(thread);
    if (is_pinned)
        (void)!sched_setaffinity(0, sizeof(cpus), &cpus);
    if (made && !thread->in_kernel)
        process_copy_done(&stepper.copy);
    hashmap_done(&stepper.by_ip);
    vec_done(&stepper.kinds);
    if (made)
        *ret_burst = burst;
    else
        step_burst_done(&burst);
    return made;
}

#else

bool step_burst_take(const struct kernel *kernel, const struct sysroot *root, pid_t pid, pid_t tid,
                     const struct step_limits *limits, struct step_burst *ret_burst, struct error *err)
{
    (void)kernel;
    (void)root;
    (void)pid;
    (void)tid;
    (void)limits;
    (void)ret_burst;
    return error_set(err, ERROR_UNSUPPORTED, "stepping a program is built for x86-64 only");
}

#endif

/* ---- which thread ---- */

static bool is_running(const struct sysroot *root, pid_t pid, pid_t tid)
{
    scoped_text struct text stat = {0};
    struct error ignored;
    if (!sysroot_read(root, &stat, &ignored, "/proc/%d/task/%d/stat", (int)pid, (int)tid))
        return false;
    const char *name_end = strrchr(text_string(&stat), ')');
    return name_end && name_end[1] == ' ' && name_end[2] == 'R';
}

static uint64_t random_next(uint64_t *state)
{
    *state = hash_u64(*state + 1);
    return *state;
}

bool step_thread_choose(const struct sysroot *root, const pid_t *pids, size_t count, uint64_t *random, pid_t *ret_pid,
                        pid_t *ret_tid)
{
    uint64_t running = 0;
    for (size_t at = 0; at < count; at++) {
        scoped_dir DIR *tasks = sysroot_opendir(root, "/proc/%d/task", (int)pids[at]);
        for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
            uint64_t tid;
            if (!view_u64(view_of(entry->d_name), 10, &tid) || !is_running(root, pids[at], (pid_t)tid))
                continue;
            running++;
            if (random_next(random) % running)
                continue; /* each of those met so far with the same chance */
            *ret_pid = pids[at];
            *ret_tid = (pid_t)tid;
        }
    }
    return running > 0;
}
