/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/recorder/stacks/stack_dump.h"

#include <string.h>

/* Reading on from one field to the next; at is SIZE_MAX when the payload ended before. */
struct walk {
    const uint8_t *payload;
    size_t at, size_bytes;
};

static void skip(struct walk *walk, uint64_t size_bytes)
{
    if (walk->at == SIZE_MAX)
        return;
    walk->at = size_bytes > walk->size_bytes - walk->at ? SIZE_MAX : walk->at + (size_t)size_bytes;
}

static uint64_t peek(const struct walk *walk, size_t size_bytes)
{
    uint64_t value = 0;
    if (walk->at != SIZE_MAX && size_bytes <= walk->size_bytes - walk->at)
        memcpy(&value, walk->payload + walk->at, size_bytes);
    return value;
}

/* A count, and so many items behind it and behind what stands between. */
static void skip_counted(struct walk *walk, uint64_t between_bytes, uint64_t item_bytes)
{
    uint64_t count = peek(walk, 8), bytes;
    if (__builtin_mul_overflow(count, item_bytes, &bytes))
        bytes = UINT64_MAX / 2;
    skip(walk, 8 + between_bytes);
    skip(walk, bytes);
}

static void skip_read(struct walk *walk, uint64_t format)
{
    uint64_t times =
        (format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 8 : 0) + (format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 8 : 0);
    uint64_t value = 8 + (format & PERF_FORMAT_ID ? 8 : 0) + (format & PERF_FORMAT_LOST ? 8 : 0);
    if (format & PERF_FORMAT_GROUP)
        skip_counted(walk, times, value);
    else
        skip(walk, times + value);
}

static void skip_to_chain(struct walk *walk, const struct perf_event_attr *attr)
{
    static const uint64_t words = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                                  PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
                                  PERF_SAMPLE_PERIOD;
    skip(walk, 8 * (uint64_t)__builtin_popcountll(attr->sample_type & words));
    if (attr->sample_type & PERF_SAMPLE_READ)
        skip_read(walk, attr->read_format);
}

size_t sample_chain_at(const struct perf_event_attr *attr, const uint8_t *payload, size_t payload_bytes)
{
    struct walk walk = {payload, 0, payload_bytes};
    if (!(attr->sample_type & PERF_SAMPLE_CALLCHAIN))
        return SIZE_MAX;
    skip_to_chain(&walk, attr);
    return walk.at;
}

#if defined(__x86_64__)
enum { STACK_POINTER = 7 }; /* PERF_REG_X86_SP */
#elif defined(__aarch64__)
enum { STACK_POINTER = 31 };
#else
enum { STACK_POINTER = 63 }; /* not known: nobody asks for it */
#endif

/* The registers; returns the stack pointer, 0 when it isn't there. */
static uint64_t skip_registers(struct walk *walk, uint64_t mask)
{
    uint64_t abi = peek(walk, 8);
    skip(walk, 8);
    if (abi == PERF_SAMPLE_REGS_ABI_NONE)
        return 0;
    uint64_t below = mask & ((UINT64_C(1) << STACK_POINTER) - 1);
    size_t before = 8 * (size_t)__builtin_popcountll(below), all = 8 * (size_t)__builtin_popcountll(mask);
    skip(walk, before);
    uint64_t pointer = mask & UINT64_C(1) << STACK_POINTER ? peek(walk, 8) : 0;
    skip(walk, all - before);
    return pointer;
}

static uint64_t skip_to_dump(struct walk *walk, const struct perf_event_attr *attr)
{
    skip_to_chain(walk, attr);
    if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
        skip_counted(walk, 0, 8);
    if (attr->sample_type & PERF_SAMPLE_RAW)
        skip(walk, 4 + peek(walk, 4));
    if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
        skip_counted(walk, attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX ? 8 : 0,
                     sizeof(struct perf_branch_entry));
    return attr->sample_type & PERF_SAMPLE_REGS_USER ? skip_registers(walk, attr->sample_regs_user) : 0;
}

bool stack_dump_find(const struct perf_event_attr *attr, const uint8_t *payload, size_t payload_bytes,
                     struct stack_dump *ret_dump)
{
    struct walk walk = {payload, 0, payload_bytes};
    if (!(attr->sample_type & PERF_SAMPLE_STACK_USER))
        return false;
    uint64_t stack_pointer = skip_to_dump(&walk, attr);
    struct stack_dump dump = {.size_at = walk.at, .size_bytes = peek(&walk, 8), .stack_pointer = stack_pointer};
    skip(&walk, 8);
    if (dump.size_bytes == 0 || dump.size_bytes % 8 != 0)
        return false;
    skip(&walk, dump.size_bytes);
    dump.used_bytes = peek(&walk, 8);
    skip(&walk, 8);
    if (walk.at == SIZE_MAX || dump.used_bytes > dump.size_bytes)
        return false;
    *ret_dump = dump;
    return true;
}

static void skip_dump(struct walk *walk)
{
    uint64_t size = peek(walk, 8);
    skip(walk, 8);
    if (size == 0)
        return;
    skip(walk, size);
    skip(walk, 8);
}

size_t sample_end(const struct perf_event_attr *attr, const uint8_t *payload, size_t payload_bytes)
{
    static const uint64_t before_registers = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC |
                                             PERF_SAMPLE_TRANSACTION;
    static const uint64_t behind_registers = PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |
                                             PERF_SAMPLE_CODE_PAGE_SIZE;
    struct walk walk = {payload, 0, payload_bytes};
    if (attr->sample_type >= PERF_SAMPLE_WEIGHT_STRUCT << 1 || attr->sample_type & PERF_SAMPLE_AUX)
        return payload_bytes;
    skip_to_dump(&walk, attr);
    if (attr->sample_type & PERF_SAMPLE_STACK_USER)
        skip_dump(&walk);
    skip(&walk, 8 * (uint64_t)__builtin_popcountll(attr->sample_type & before_registers));
    if (attr->sample_type & PERF_SAMPLE_REGS_INTR)
        skip_registers(&walk, attr->sample_regs_intr);
    skip(&walk, 8 * (uint64_t)__builtin_popcountll(attr->sample_type & behind_registers));
    return walk.at == SIZE_MAX || walk.at % 8 ? payload_bytes : walk.at;
}

void stack_dump_end_at(struct stack_dump *dump, uint64_t addr)
{
    if (dump->stack_pointer && addr > dump->stack_pointer && addr - dump->stack_pointer < dump->used_bytes)
        dump->used_bytes = addr - dump->stack_pointer;
}

size_t stack_dump_trim(const struct stack_dump *dump, uint8_t *payload, size_t payload_bytes)
{
    /* A size of 0 would mean that no size of the used part follows: keep a word. */
    uint64_t room = dump->used_bytes ? dump->used_bytes : 8;
    uint64_t kept = (room + 7) & ~UINT64_C(7);
    size_t begin = dump->size_at + sizeof(uint64_t), behind = begin + dump->size_bytes;
    memcpy(payload + dump->size_at, &kept, sizeof(kept));
    memcpy(payload + behind, &dump->used_bytes, sizeof(dump->used_bytes));
    memmove(payload + begin + kept, payload + behind, payload_bytes - behind);
    return payload_bytes - (size_t)(dump->size_bytes - kept);
}
