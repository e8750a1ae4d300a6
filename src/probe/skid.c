/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/skid.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/scope.h"
#include "source/live/ring_buffer.h"
#include "system/memory/spare_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

unsigned skid_event_precise(enum skid_event event)
{
    return event > SKID_OF_CYCLES ? (unsigned)(event - SKID_OF_CYCLES) : 0;
}

enum skid_event skid_event_of_cycles(unsigned precise)
{
    return (enum skid_event)(SKID_OF_CYCLES + precise);
}

bool skid_registers_fit(const struct skid_result *result)
{
    uint64_t placed = result->on_load + result->behind_load;
    return placed && 10 * result->registers_behind >= 9 * placed;
}

#if defined(__x86_64__) || defined(__aarch64__)

/* The chase in assembly, so that the two addresses that matter have names. */
void skid_chase(void **start, uint64_t steps);
extern const char skid_chase_load[], skid_chase_behind[], skid_chase_end[];
/* Turns over random branches; the generator's state then, to go on with. */
uint64_t skid_guesses(uint64_t state, uint64_t turns);
extern const char skid_guesses_end[], skid_way_a[], skid_way_a_second[], skid_way_b[], skid_way_b_second[];

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl skid_chase, skid_chase_load, skid_chase_behind, skid_chase_end\n"
        ".hidden skid_chase, skid_chase_load, skid_chase_behind, skid_chase_end\n"
        ".type skid_chase, @function\n"
        "skid_chase:\n"
        "skid_chase_load:\n"
        "    movq (%rdi), %rdi\n"
        "skid_chase_behind:\n"
        "    subq $1, %rsi\n"
        "    jne skid_chase_load\n"
        "    ret\n"
        "skid_chase_end:\n"
        ".size skid_chase, . - skid_chase\n");

/* Xorshift (Marsaglia 2003) decides which way each turn goes. */
__asm__(".text\n"
        ".globl skid_guesses, skid_guesses_end, skid_way_a, skid_way_a_second, skid_way_b, skid_way_b_second\n"
        ".hidden skid_guesses, skid_guesses_end, skid_way_a, skid_way_a_second, skid_way_b, skid_way_b_second\n"
        ".type skid_guesses, @function\n"
        "skid_guesses:\n"
        "    movl $1, %eax\n"
        "1:  movq %rdi, %rcx\n"
        "    shlq $13, %rcx\n"
        "    xorq %rcx, %rdi\n"
        "    movq %rdi, %rcx\n"
        "    shrq $7, %rcx\n"
        "    xorq %rcx, %rdi\n"
        "    movq %rdi, %rcx\n"
        "    shlq $17, %rcx\n"
        "    xorq %rcx, %rdi\n"
        "    btq $30, %rdi\n"
        "    jc skid_way_b\n"
        "skid_way_a:\n"
        "    addq $3, %rax\n"
        "skid_way_a_second:\n"
        "    leaq 1(%rax), %rax\n"
        "    addq $5, %rax\n"
        "    leaq 1(%rax), %rax\n"
        "    jmp 2f\n"
        "skid_way_b:\n"
        "    leaq 7(%rax), %rax\n"
        "skid_way_b_second:\n"
        "    addq $9, %rax\n"
        "    leaq 1(%rax), %rax\n"
        "    addq $5, %rax\n"
        "2:  subq $1, %rsi\n"
        "    jne 1b\n"
        "    movq %rdi, %rax\n"
        "    ret\n"
        "skid_guesses_end:\n"
        ".size skid_guesses, . - skid_guesses\n");
#else
__asm__(".text\n"
        ".globl skid_chase, skid_chase_load, skid_chase_behind, skid_chase_end\n"
        ".hidden skid_chase, skid_chase_load, skid_chase_behind, skid_chase_end\n"
        ".type skid_chase, %function\n"
        "skid_chase:\n"
        "skid_chase_load:\n"
        "    ldr x0, [x0]\n"
        "skid_chase_behind:\n"
        "    subs x1, x1, #1\n"
        "    b.ne skid_chase_load\n"
        "    ret\n"
        "skid_chase_end:\n"
        ".size skid_chase, . - skid_chase\n");

/* Xorshift (Marsaglia 2003) decides which way each turn goes. */
__asm__(".text\n"
        ".globl skid_guesses, skid_guesses_end, skid_way_a, skid_way_a_second, skid_way_b, skid_way_b_second\n"
        ".hidden skid_guesses, skid_guesses_end, skid_way_a, skid_way_a_second, skid_way_b, skid_way_b_second\n"
        ".type skid_guesses, %function\n"
        "skid_guesses:\n"
        "    mov x2, #1\n"
        "1:  eor x0, x0, x0, lsl #13\n"
        "    eor x0, x0, x0, lsr #7\n"
        "    eor x0, x0, x0, lsl #17\n"
        "    tbnz x0, #30, skid_way_b\n"
        "skid_way_a:\n"
        "    add x2, x2, #3\n"
        "skid_way_a_second:\n"
        "    eor x2, x2, x2, lsl #1\n"
        "    add x2, x2, #5\n"
        "    eor x2, x2, x2, lsl #1\n"
        "    b 2f\n"
        "skid_way_b:\n"
        "    eor x2, x2, x2, lsl #1\n"
        "skid_way_b_second:\n"
        "    add x2, x2, #9\n"
        "    eor x2, x2, x2, lsl #1\n"
        "    add x2, x2, #5\n"
        "2:  subs x1, x1, #1\n"
        "    b.ne 1b\n"
        "    ret\n"
        "skid_guesses_end:\n"
        ".size skid_guesses, . - skid_guesses\n");
#endif

enum {
    NODE_BYTES = 256,
    SAMPLES_LEAST = 50,
    RING_BYTES = 256 * 1024,
    PATIENCE_S = 4,
    SAMPLE_PERIOD_NS = 200 * 1000,
    CYCLES_HZ = 5000,
};

/* Beyond the second cache of every core a load waits long enough to be told from the two instructions beside it. */
static const struct effort {
    size_t chase_bytes;
    uint64_t chase_cpu_ns, guesses_cpu_ns;
} efforts[] = {
    [SKID_WHOLE] = {64u << 20, 80 * 1000 * 1000, 40 * 1000 * 1000},
    [SKID_SPARING] = {8u << 20, 25 * 1000 * 1000, 20 * 1000 * 1000},
};

struct chase_node {
    struct chase_node *next;
    uint64_t place; /* in the chase's order, from the node where it starts */
};

/* One cycle through all nodes in random order (Sattolo), begun at the first. */
static void chase_build(char *memory, size_t bytes)
{
    const size_t nodes = bytes / NODE_BYTES;
    scoped_free uint32_t *order = memory_alloc(memory_product(nodes, sizeof(*order)));
    unsigned short state[3] = {11, 13, 17};
    for (size_t at = 0; at < nodes; at++)
        order[at] = (uint32_t)at;
    for (size_t at = nodes - 1; at > 0; at--) {
        size_t other = (size_t)(erand48(state) * (double)at);
        uint32_t moved = order[at];
        order[at] = order[other];
        order[other] = moved;
    }
    size_t start = 0;
    while (order[start] != 0)
        start++;
    for (size_t at = 0; at < nodes; at++) {
        struct chase_node *node = (struct chase_node *)(memory + (size_t)order[(start + at) % nodes] * NODE_BYTES);
        *node = (struct chase_node){
            (struct chase_node *)(memory + (size_t)order[(start + at + 1) % nodes] * NODE_BYTES), at};
    }
}

/* ---- sampled loops of our own ---- */

/* What the kernel calls the registers that the chase uses; PLACE_*: where they stand in a sample. */
#if defined(__x86_64__)
enum { LOOP_REGISTERS = 2, REGISTER_MASK = 1 << 4 | 1 << 5, PLACE_STEPS = 0, PLACE_POINTER = 1 }; /* rsi, rdi */
#else
enum { LOOP_REGISTERS = 2, REGISTER_MASK = 1 << 0 | 1 << 1, PLACE_POINTER = 0, PLACE_STEPS = 1 }; /* x0, x1 */
#endif

struct sampled_loop {
    /* so much of the CPU's time: where others want it too, that takes longer */
    uint64_t cpu_ns;
    void (*go_on)(void *context);            /* some turns */
    void (*count)(void *context, uint64_t ip, const uint64_t registers[LOOP_REGISTERS]);
    void *context;
};

/* Our own records: header (type, misc, size), then the ip, the registers' kind (0: there are none), and they. */
static void count_samples(struct ring_buffer *ring, const struct sampled_loop *loop)
{
    size_t unread = ring_buffer_unread(ring);
    scoped_free uint8_t *copy = memory_alloc(unread);
    ring_buffer_take(ring, copy, unread);
    struct bytes bytes = bytes_of(copy, unread, false);
    while (bytes_left(&bytes) >= sizeof(struct perf_event_header)) {
        uint32_t type = read_u32(&bytes);
        read_u16(&bytes);
        uint16_t size = read_u16(&bytes);
        if (size < sizeof(struct perf_event_header))
            return;
        struct bytes payload = bytes_of(bytes.at, bytes_left(&bytes), false);
        if (!bytes_take(&bytes, size - sizeof(struct perf_event_header)))
            return;
        if (type != PERF_RECORD_SAMPLE)
            continue;
        uint64_t ip = read_u64(&payload), registers[LOOP_REGISTERS];
        bool has_registers = read_u64(&payload) != PERF_SAMPLE_REGS_ABI_NONE;
        for (size_t at = 0; at < LOOP_REGISTERS; at++)
            registers[at] = has_registers ? read_u64(&payload) : 0;
        loop->count(loop->context, ip, registers);
    }
}

static int event_open(const struct kernel *kernel, enum skid_event event, struct error *err)
{
    bool cycles = event != SKID_OF_CPU_CLOCK;
    struct perf_event_attr attr = {
        .type = cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
        .size = sizeof(attr),
        .config = cycles ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = cycles ? CYCLES_HZ : SAMPLE_PERIOD_NS,
        .freq = cycles, /* then sample_period is samples a second */
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER,
        .sample_regs_user = REGISTER_MASK,
        .precise_ip = skid_event_precise(event) & 3,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    int fd = kernel->perf_event_open(kernel->context, &attr, 0, -1, -1, 0);
    if (fd < 0)
        (void)error_system(err, errno, "can't sample by %s for the skid self-test",
                           cycles ? attr.precise_ip ? "precise cycles" : "cycles" : "cpu-clock");
    return fd;
}

/* By the event of `fd`, which it leaves open. */
static bool loop_sample(const struct kernel *kernel, int fd, const struct sampled_loop *loop, struct error *err)
{
    struct ring_buffer ring = {0};
    if (!ring_buffer_map(&ring, kernel, fd, RING_BYTES, err))
        return false;
    uint64_t used_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    double began_s = clock_s(CLOCK_MONOTONIC);
    kernel->ioctl(kernel->context, fd, PERF_EVENT_IOC_ENABLE, 0);
    do
        loop->go_on(loop->context);
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) - used_ns < loop->cpu_ns &&
           clock_s(CLOCK_MONOTONIC) - began_s < PATIENCE_S);
    kernel->ioctl(kernel->context, fd, PERF_EVENT_IOC_DISABLE, 0);
    count_samples(&ring, loop);
    ring_buffer_unmap(&ring);
    return true;
}

/* ---- the stalled load ---- */

enum { CHASE_STEPS = 20000 };

struct chase {
    char *memory;
    size_t bytes;
    struct skid_result *result;
};

static void chase_go_on(void *context)
{
    struct chase *chase = context;
    skid_chase((void **)chase->memory, CHASE_STEPS);
}

/* The pointer is the one that so many steps and the load after them left. */
static bool is_behind_load(const struct chase *chase, const uint64_t registers[LOOP_REGISTERS])
{
    uint64_t into = registers[PLACE_POINTER] - (uintptr_t)chase->memory;
    bool is_node = into < chase->bytes && into % NODE_BYTES == 0;
    return is_node && ((const struct chase_node *)(chase->memory + into))->place ==
                          (CHASE_STEPS - registers[PLACE_STEPS] + 1) % (chase->bytes / NODE_BYTES);
}

static void chase_count(void *context, uint64_t ip, const uint64_t registers[LOOP_REGISTERS])
{
    const struct chase *chase = context;
    struct skid_result *result = chase->result;
    if (ip == (uintptr_t)skid_chase_load || ip == (uintptr_t)skid_chase_behind)
        result->registers_behind += is_behind_load(chase, registers);
    if (ip == (uintptr_t)skid_chase_load)
        result->on_load++;
    else if (ip == (uintptr_t)skid_chase_behind)
        result->behind_load++;
    else if (ip >= (uintptr_t)skid_chase_load && ip < (uintptr_t)skid_chase_end)
        result->elsewhere++;
}

static void judge(struct skid_result *result)
{
    uint64_t total = result->on_load + result->behind_load + result->elsewhere;
    result->behind_ratio = wilson_interval((double)result->behind_load, (double)total, (double)total);
    result->exact_ratio = wilson_interval((double)result->on_load, (double)total, (double)total);
    if (total < SAMPLES_LEAST)
        result->verdict = SKID_UNKNOWN;
    else if (10 * result->behind_load >= 9 * total)
        result->verdict = SKID_ONE;
    else if (10 * result->on_load >= 9 * total)
        result->verdict = SKID_EXACT;
    else
        result->verdict = SKID_SCATTERED;
}

/* In a small pod the chase would be the end of it, or of the program beside us. */
static bool has_room(size_t bytes, struct error *err)
{
    struct sysroot live;
    sysroot_init(&live, NULL);
    uint64_t spare = spare_memory_bytes(&live);
    return spare / 2 >= bytes ||
           error_set(err, ERROR_LIMIT,
                     "the skid self-test needs %zu MiB, and %llu MiB are to spare below the limits of memory",
                     bytes >> 20, (unsigned long long)(spare >> 20));
}

static bool chase_measure(const struct kernel *kernel, enum skid_event event, const struct effort *effort,
                          struct skid_result *ret_result, struct error *err)
{
    int fd = event_open(kernel, event, err);
    if (fd < 0)
        return false;
    if (!has_room(effort->chase_bytes, err)) {
        kernel->close(kernel->context, fd);
        return false;
    }
    char *memory = mmap(NULL, effort->chase_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct skid_result result = {0};
    struct chase chase = {.memory = memory, .bytes = effort->chase_bytes, .result = &result};
    const struct sampled_loop loop = {effort->chase_cpu_ns, chase_go_on, chase_count, &chase};
    if (memory != MAP_FAILED)
        chase_build(memory, effort->chase_bytes);
    bool measured = memory != MAP_FAILED ? loop_sample(kernel, fd, &loop, err)
                                         : error_system(err, errno, "can't map %zu MiB for the skid self-test",
                                                        effort->chase_bytes >> 20);
    if (memory != MAP_FAILED)
        munmap(memory, effort->chase_bytes);
    kernel->close(kernel->context, fd);
    if (!measured)
        return false;
    judge(&result);
    *ret_result = result;
    return true;
}

bool skid_measure(const struct kernel *kernel, enum skid_event event, enum skid_effort effort,
                  struct skid_result *ret_result, struct error *err)
{
    if (!chase_measure(kernel, event, &efforts[effort], ret_result, err))
        return false;
    bool is_sure = ret_result->verdict == SKID_ONE || ret_result->verdict == SKID_EXACT;
    return effort == SKID_WHOLE || is_sure || chase_measure(kernel, event, &efforts[SKID_WHOLE], ret_result, err);
}

/* ---- the wrong guess ---- */

struct guessing {
    uint64_t state;
    struct restart_result result;
};

static void guesses_go_on(void *context)
{
    enum { TURNS = 50000 };
    struct guessing *guessing = context;
    guessing->state = skid_guesses(guessing->state, TURNS);
}

static void guesses_count(void *context, uint64_t ip, const uint64_t registers[LOOP_REGISTERS])
{
    (void)registers;
    struct restart_result *result = &((struct guessing *)context)->result;
    if (ip == (uintptr_t)skid_way_a || ip == (uintptr_t)skid_way_b)
        result->first++;
    else if (ip == (uintptr_t)skid_way_a_second || ip == (uintptr_t)skid_way_b_second)
        result->second++;
    else if (ip >= (uintptr_t)skid_guesses && ip < (uintptr_t)skid_guesses_end)
        result->elsewhere++;
}

static bool guesses_measure(const struct kernel *kernel, enum skid_event event, const struct effort *effort,
                            struct restart_result *ret_result, struct error *err)
{
    enum { CLEARLY = 3, SHOWN = 10 }; /* times the other; one in so many of all */
    struct guessing guessing = {.state = 88172645463325252u};
    const struct sampled_loop loop = {effort->guesses_cpu_ns, guesses_go_on, guesses_count, &guessing};
    int fd = event_open(kernel, event, err);
    if (fd < 0)
        return false;
    bool measured = loop_sample(kernel, fd, &loop, err);
    kernel->close(kernel->context, fd);
    if (!measured)
        return false;
    struct restart_result result = guessing.result;
    uint64_t total = result.first + result.second + result.elsewhere;
    bool shows = total >= SAMPLES_LEAST && SHOWN * (result.first + result.second) >= total;
    result.verdict = shows && result.first > CLEARLY * result.second    ? SKID_EXACT
                     : shows && result.second > CLEARLY * result.first ? SKID_ONE
                                                                       : SKID_UNKNOWN;
    *ret_result = result;
    return true;
}

bool skid_restart_measure(const struct kernel *kernel, enum skid_event event, enum skid_effort effort,
                          struct restart_result *ret_result, struct error *err)
{
    if (!guesses_measure(kernel, event, &efforts[effort], ret_result, err))
        return false;
    return effort == SKID_WHOLE || ret_result->verdict != SKID_UNKNOWN ||
           guesses_measure(kernel, event, &efforts[SKID_WHOLE], ret_result, err);
}

#else

bool skid_measure(const struct kernel *kernel, enum skid_event event, enum skid_effort effort,
                  struct skid_result *ret_result, struct error *err)
{
    (void)kernel, (void)event, (void)effort, (void)ret_result;
    return error_set(err, ERROR_UNSUPPORTED, "the skid self-test has no code for this architecture");
}

bool skid_restart_measure(const struct kernel *kernel, enum skid_event event, enum skid_effort effort,
                          struct restart_result *ret_result, struct error *err)
{
    (void)kernel, (void)event, (void)effort, (void)ret_result;
    return error_set(err, ERROR_UNSUPPORTED, "the skid self-test has no code for this architecture");
}

#endif
