/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stack dumps in samples: where they stand, how they are cut, which of them an excerpt keeps. */
#include "test.h"

#include "source/recorder/stacks/recorder_excerpt.h"
#include "source/recorder/events/recorder_counters.h"
#include "source/recorder/stacks/stack_dump.h"
#include "source/recorder/stacks/stack_tops.h"

#include <string.h>

enum { COMMON = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
       REGISTERS = 1 << 6 | 1 << 7 | 1 << 8,
       POINTER = 0x7ffe0000 };

struct payload {
    uint64_t words[64];
    size_t count;
};

static void put(struct payload *payload, uint64_t word)
{
    payload->words[payload->count++] = word;
}

/* A sample of `attr` with a dump of 10 words of which 4 were copied. */
static struct payload payload_of(const struct perf_event_attr *attr)
{
    struct payload payload = {0};
    for (uint64_t word = 1; word <= 6; word++) /* identifier … period */
        put(&payload, word);
    if (attr->sample_type & PERF_SAMPLE_ADDR)
        put(&payload, 0xadd);
    if (attr->sample_type & PERF_SAMPLE_READ) {
        put(&payload, 2); /* counters */
        for (int word = 0; word < 2 + 2 * 3; word++)
            put(&payload, 0x4ead);
    }
    if (attr->sample_type & PERF_SAMPLE_CALLCHAIN) {
        put(&payload, 2);
        put(&payload, (uint64_t)PERF_CONTEXT_KERNEL);
        put(&payload, 0xffff);
    }
    if (attr->sample_type & PERF_SAMPLE_RAW) {
        put(&payload, 12); /* the size has 4 bytes itself */
        put(&payload, 0);
    }
    if (attr->sample_type & PERF_SAMPLE_REGS_USER) {
        put(&payload, PERF_SAMPLE_REGS_ABI_64);
        put(&payload, 0xb9);
        put(&payload, POINTER);
        put(&payload, 0x19);
    }
    put(&payload, 80);
    for (uint64_t word = 0; word < 10; word++)
        put(&payload, 0x5000 + word);
    put(&payload, 32);
    if (attr->sample_type & PERF_SAMPLE_DATA_SRC)
        put(&payload, 0xda7a);
    return payload;
}

static const struct perf_event_attr attrs[] = {
    {.sample_type = COMMON | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER, .sample_regs_user = REGISTERS},
    {.sample_type = COMMON | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
     .sample_regs_user = REGISTERS},
    {.sample_type = COMMON | PERF_SAMPLE_ADDR | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
                    PERF_SAMPLE_DATA_SRC,
     .sample_regs_user = REGISTERS},
    {.sample_type = COMMON | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
     .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST | PERF_FORMAT_TOTAL_TIME_ENABLED |
                    PERF_FORMAT_TOTAL_TIME_RUNNING,
     .sample_regs_user = REGISTERS},
};

Test(stack_dump, what_was_not_copied_is_cut)
{
    for (size_t at = 0; at < array_count(attrs); at++) {
        struct payload payload = payload_of(&attrs[at]);
        struct stack_dump dump;
        size_t size = payload.count * 8;
        cr_assert(stack_dump_find(&attrs[at], (uint8_t *)payload.words, size, &dump), "attribute %zu", at);
        cr_assert_eq(dump.size_bytes, 80);
        cr_assert_eq(dump.used_bytes, 32);
        size_t kept = stack_dump_trim(&dump, (uint8_t *)payload.words, size);
        cr_assert_eq(kept, size - 48);
        bool behind = attrs[at].sample_type & PERF_SAMPLE_DATA_SRC;
        const uint64_t *end = payload.words + kept / 8 - behind;
        cr_assert_eq(end[-1], 32);
        cr_assert_eq(end[-2], 0x5003);
        cr_assert_eq(end[-6], 32, "the size is that of the words that are left");
        cr_assert(!behind || *end == 0xda7a);
        cr_assert(stack_dump_find(&attrs[at], (uint8_t *)payload.words, kept, &dump), "it is a sample still");
        cr_assert_eq(stack_dump_trim(&dump, (uint8_t *)payload.words, kept), kept, "cut once is cut");
    }
}

Test(stack_dump, arguments_and_environment_are_cut)
{
#if defined(__x86_64__)
    struct payload payload = payload_of(&attrs[0]);
    struct stack_dump dump;
    size_t size = payload.count * 8;
    cr_assert(stack_dump_find(&attrs[0], (uint8_t *)payload.words, size, &dump));
    cr_assert_eq(dump.stack_pointer, POINTER);
    stack_dump_end_at(&dump, 0);
    stack_dump_end_at(&dump, POINTER - 8);
    stack_dump_end_at(&dump, POINTER + 4096);
    cr_assert_eq(dump.used_bytes, 32, "another stack's end says nothing");
    stack_dump_end_at(&dump, POINTER + 16);
    size_t kept = stack_dump_trim(&dump, (uint8_t *)payload.words, size);
    cr_assert_eq(kept, size - 64);
    cr_assert_eq(payload.words[kept / 8 - 1], 16);
    cr_assert_eq(payload.words[kept / 8 - 2], 0x5001);
#else
    cr_skip_test("the sample is one of x86-64");
#endif
}

/* Whatever the bytes, nothing behind them is looked at: they end where memory ends. */
Test(stack_dump, cut_off_and_damaged)
{
    for (size_t at = 0; at < array_count(attrs); at++) {
        struct payload whole = payload_of(&attrs[at]);
        size_t size = whole.count * 8;
        struct stack_dump dump;
        for (size_t length = 0; length < size; length++) {
            uint8_t *copy = malloc(length + 1);
            memcpy(copy, whole.words, length);
            if (stack_dump_find(&attrs[at], copy, length, &dump))
                cr_assert_leq(dump.size_at + 16 + dump.size_bytes, length);
            free(copy);
        }
        for (size_t bit = 0; bit < size * 8; bit++) {
            uint8_t *copy = malloc(size);
            memcpy(copy, whole.words, size);
            copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
            if (stack_dump_find(&attrs[at], copy, size, &dump))
                cr_assert_leq(stack_dump_trim(&dump, copy, size), size);
            free(copy);
        }
    }
}

Test(recorder_excerpt, samples_are_spread_over_the_time)
{
    struct recorder_excerpt excerpt = {0};
    enum { COUNT = 100000 };
    for (uint32_t at = 0; at < COUNT; at++)
        recorder_excerpt_add_sample(&excerpt, &at, sizeof(at));
    cr_assert_leq(excerpt.kept.count, EXCERPT_SAMPLES_MOST);
    cr_assert_geq(excerpt.kept.count, EXCERPT_SAMPLES_MOST / 2);
    uint32_t last = 0;
    vec_for_each(&excerpt.kept, sample) {
        uint32_t at;
        memcpy(&at, sample->bytes, sizeof(at));
        cr_assert(at >= last && at - last <= 2 * COUNT / EXCERPT_SAMPLES_MOST + excerpt.stride, "a gap before %u", at);
        last = at;
    }
    recorder_excerpt_done(&excerpt);
}

Test(stack_tops, our_own_stack)
{
    struct sysroot root;
    struct stack_tops tops;
    sysroot_init(&root, NULL);
    stack_tops_init(&tops, &root);
    /* not a local: the address sanitizer keeps those elsewhere */
    uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0), top = stack_tops_find(&tops, (uint32_t)getpid());
    cr_assert(top > here && top - here < (8 << 20), "below it lies what runs");
    cr_assert_eq(stack_tops_find(&tops, (uint32_t)getpid()), top);
    stack_tops_forget(&tops, (uint32_t)getpid());
    cr_assert_eq(stack_tops_find(&tops, (uint32_t)getpid()), top);
    cr_assert_eq(stack_tops_find(&tops, 0x7fffffff), 0, "nobody");
    stack_tops_done(&tops);
}

Test(stack_dump, where_a_sample_ends)
{
    static const uint64_t types[] = {
        COMMON | PERF_SAMPLE_STACK_USER, COMMON | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_CALLCHAIN,
        COMMON | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_ADDR | PERF_SAMPLE_RAW | PERF_SAMPLE_DATA_SRC,
    };
    for (size_t at = 0; at < array_count(types); at++) {
        struct perf_event_attr attr = {.sample_type = types[at], .sample_regs_user = REGISTERS, .sample_stack_user = 80};
        struct payload payload = payload_of(&attr);
        size_t bytes = payload.count * 8;
        cr_expect_eq(sample_end(&attr, (uint8_t *)payload.words, bytes), bytes);
        cr_expect_eq(sample_end(&attr, (uint8_t *)payload.words, sizeof(payload.words)), bytes, "what lies behind isn't its own");
        cr_expect_eq(sample_end(&attr, (uint8_t *)payload.words, bytes - 8), bytes - 8, "cut off: left as it is");
        attr.sample_type |= PERF_SAMPLE_AUX;
        cr_expect_eq(sample_end(&attr, (uint8_t *)payload.words, sizeof(payload.words)), sizeof(payload.words), "a field we don't know");
    }
    struct perf_event_attr plain = {.sample_type = COMMON};
    struct payload payload = {{0}, 0};
    cr_expect_eq(sample_end(&plain, (uint8_t *)payload.words, sizeof(payload.words)), 48);
    plain.sample_type |= PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_CGROUP;
    plain.sample_regs_intr = REGISTERS;
    payload.words[7] = PERF_SAMPLE_REGS_ABI_64;
    cr_expect_eq(sample_end(&plain, (uint8_t *)payload.words, sizeof(payload.words)), 8 * (6 + 1 + 4 + 1));
}
