/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks of recorded chains, however often what is mapped changes and however many chains there are: frame by frame what looking each one up says. */
#include "analyse/profile/sample_tally.h"
#include "base/vec.h"
#include "capture/capture.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <linux/perf_event.h>

enum {
    RECORDS = 400000, /* more distinct chains than capture/ keeps */
    PROCESSES = 5,
    WORDS_MOST = 12,
};

/* Makes one record after the other: samples with chains, and now and then a mapping that changes what addresses mean. */
struct made_source {
    struct source source;
    struct source_event event;
    uint64_t random, samples_a_change;
    size_t made;
    uint64_t words[16][WORDS_MOST]; /* of the last records: those that stay are looked at later */
};

static uint64_t next_random(struct made_source *made, uint64_t below)
{
    made->random = made->random * 6364136223846793005u + 1442695040888963407u;
    return (made->random >> 33) % below;
}

static void mmap_make(struct made_source *made, struct record *record)
{
    static const char *const paths[] = {"/bin/a", "/bin/b", "/lib/c"};
    record->kind = RECORD_MMAP;
    record->cpu_mode = CPU_MODE_USER;
    record->mmap = (struct record_mmap){.pid = record->who.pid, .tid = record->who.pid,
                                        .start = 0x10000 * (1 + next_random(made, 4)), .size_bytes = 0x10000,
                                        .file_offset = 0x1000 * next_random(made, 4), .path = paths[next_random(made, 3)]};
}

static void comm_make(struct made_source *made, struct record *record)
{
    static const char *const names[] = {"first", "second", "third"};
    record->kind = RECORD_COMM;
    record->comm = (struct record_comm){.pid = record->who.pid, .tid = record->who.pid, .is_exec = !next_random(made, 8), .comm = names[next_random(made, 3)]};
}

static uint64_t address_make(struct made_source *made, bool kernel)
{
    return kernel ? 0xffffffff81000000u + 16 * next_random(made, 40) : next_random(made, 8) ? 0x10000 + 0x800 * next_random(made, 100) : 1;
}

static void sample_make(struct made_source *made, struct record *record)
{
    uint64_t *words = made->words[made->made % array_count(made->words)];
    uint32_t count = 0, kernel = (uint32_t)next_random(made, 4), user = (uint32_t)next_random(made, 5);
    if (kernel)
        words[count++] = (uint64_t)PERF_CONTEXT_KERNEL;
    for (uint32_t at = 0; at < kernel; at++)
        words[count++] = address_make(made, true);
    if (user)
        words[count++] = (uint64_t)PERF_CONTEXT_USER;
    for (uint32_t at = 0; at < user; at++)
        words[count++] = address_make(made, false);
    record->kind = RECORD_SAMPLE;
    record->cpu_mode = kernel ? CPU_MODE_KERNEL : CPU_MODE_USER;
    record->sample.sample_type = made->event.attr.sample_type;
    record->sample.period = 1 + next_random(made, 9);
    record->sample.ip = count && next_random(made, 10) ? words[1] : address_make(made, kernel > 0); /* most often the chain's first */
    record->sample.callchain = (struct u64_view){(const uint8_t *)words, count, false};
}

static bool made_next(struct source *source, struct record *ret_record, struct error *err)
{
    (void)err;
    struct made_source *made = (struct made_source *)source;
    if (made->made++ == RECORDS)
        return false;
    uint32_t pid = 1 + (uint32_t)next_random(made, PROCESSES);
    *ret_record = (struct record){.who = {.has_thread = true, .pid = pid, .tid = pid}};
    if (next_random(made, made->samples_a_change))
        sample_make(made, ret_record);
    else if (next_random(made, 4))
        mmap_make(made, ret_record);
    else
        comm_make(made, ret_record);
    return true;
}

static const struct source_ops made_ops = {.next = made_next};

static struct made_source source_make(bool stays)
{
    return (struct made_source){.source = {.ops = &made_ops, .record_stays = stays},
                                .event = {.name = "made", .attr = {.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN}},
                                .random = 7, .samples_a_change = 200};
}

struct checking {
    size_t stacks, of_callers;
};

static bool stack_check(void *context, struct capture *capture, const struct record *record, const struct sample *sample)
{
    struct checking *checking = context;
    if (!sample || !record->sample.callchain.count) {
        cr_assert(!sample || sample->stack == STACK_NONE);
        return true;
    }
    const struct samples *samples = &capture->recording.samples;
    uint32_t space = capture->recording.threads.items[sample->thread].space;
    const struct stack stack = samples->stacks[sample->stack];
    uint32_t met = 0;
    enum cpu_mode mode = CPU_MODE_USER;
    for (uint32_t at = 0; at < record->sample.callchain.count; at++) {
        uint64_t ip = u64_view_at(&record->sample.callchain, at);
        if (ip >= (uint64_t)PERF_CONTEXT_MAX) {
            mode = ip == (uint64_t)PERF_CONTEXT_KERNEL ? CPU_MODE_KERNEL : CPU_MODE_USER;
            continue;
        }
        uint32_t frame = met < stack.of_callers ? sample->location : samples->frames[stack.first + met - stack.of_callers];
        cr_assert_eq(frame, capture_locate(capture, space, ip, mode), "frame %u", met);
        met++;
    }
    cr_assert_eq(met, stack.count + stack.of_callers);
    cr_assert_eq(sample->location, capture_locate(capture, space, record->sample.ip, record->cpu_mode));
    checking->stacks++;
    checking->of_callers += stack.of_callers;
    return true;
}

static void stacks_are_right(bool stays, bool callers_apart)
{
    struct made_source made = source_make(stays);
    made.source.events = &made.event;
    made.source.event_count = 1;
    struct capture capture;
    struct checking checking = {0};
    struct capture_watch watch = {&checking, stack_check};
    struct error err = {0};
    capture_init(&capture);
    cr_assert(capture_fill_with(&capture, &made.source, &(struct capture_options){.watch = &watch, .callers_apart = callers_apart}, &err));
    cr_expect_gt(checking.stacks, RECORDS / 2);
    cr_expect(callers_apart ? checking.of_callers > checking.stacks / 2 : !checking.of_callers);
    capture_done(&capture);
}

/* Whoever asks for the kernel's frames alone gets those of samples taken there, and nothing of the program below it. */
static bool kernel_stack_check(void *context, struct capture *capture, const struct record *record, const struct sample *sample)
{
    struct checking *checking = context;
    if (!sample)
        return true;
    if (record->cpu_mode != CPU_MODE_KERNEL) {
        cr_assert_eq(sample->stack, STACK_NONE);
        return true;
    }
    const struct stack stack = capture->recording.samples.stacks[sample->stack];
    uint32_t kernel = 0;
    while (kernel + 1 < record->sample.callchain.count && u64_view_at(&record->sample.callchain, kernel + 1) < (uint64_t)PERF_CONTEXT_MAX)
        kernel++;
    cr_assert_eq(stack.count + stack.of_callers, kernel);
    for (uint32_t at = 0; at < stack.count; at++)
        cr_assert_eq(capture->recording.samples.locations[capture->recording.samples.frames[stack.first + at]].cpu_mode, CPU_MODE_KERNEL);
    checking->stacks++;
    return true;
}

Test(stacks, of_the_kernel_alone)
{
    struct made_source made = source_make(true);
    made.source.events = &made.event;
    made.source.event_count = 1;
    struct capture capture;
    struct checking checking = {0};
    struct capture_watch watch = {&checking, kernel_stack_check};
    struct error err = {0};
    capture_init(&capture);
    cr_assert(capture_fill_with(&capture, &made.source, &(struct capture_options){.watch = &watch, .stacks = STACKS_IN_KERNEL, .callers_apart = true}, &err));
    cr_expect_gt(checking.stacks, RECORDS / 2);
    capture_done(&capture);
}

Test(stacks, of_records_that_stay)
{
    stacks_are_right(true, false);
    stacks_are_right(true, true);
}

Test(stacks, of_records_that_dont)
{
    stacks_are_right(false, true);
}

static bool sample_add_up(void *context, struct capture *capture, const struct record *record, const struct sample *sample)
{
    (void)capture;
    (void)record;
    if (sample)
        sample_tally_add(context, sample);
    return true;
}

static struct recorded_event tally_fill(struct sample_tally *tally, bool stays, enum capture_stacks stacks, bool add_up_alike)
{
    struct made_source made = source_make(stays);
    made.samples_a_change = 20000;
    made.source.events = &made.event;
    made.source.event_count = 1;
    struct capture capture;
    struct capture_watch watch = {tally, sample_add_up};
    struct error err = {0};
    capture_init(&capture);
    const struct capture_options options = {.watch = &watch, .stacks = stacks, .callers_apart = true, .add_up_alike = add_up_alike};
    cr_assert(capture_fill_with(&capture, &made.source, &options, &err));
    sample_tally_settle(tally);
    struct recorded_event event = *capture.recording.events;
    capture_done(&capture);
    return event;
}

/* Whoever adds samples up has the same rows in the same order, whether or not those alike come as one: also more of them than are kept. */
static void rows_are_the_same(bool stays, enum capture_stacks stacks)
{
    struct sample_tally one_by_one = {0}, alike = {0};
    struct recorded_event expected = tally_fill(&one_by_one, stays, stacks, false), event = tally_fill(&alike, stays, stacks, true);
    cr_assert_eq(alike.count, one_by_one.count);
    cr_assert_eq(event.sample_count, expected.sample_count);
    cr_assert_eq(event.period_sum, expected.period_sum);
    cr_assert_lt(alike.added, one_by_one.added / 10 * 9, "%" PRIu32 " of %" PRIu32, alike.added, one_by_one.added);
    for (size_t at = 0; at < alike.count; at++)
        cr_assert_eq(memcmp(&alike.items[at], &one_by_one.items[at], sizeof(*alike.items)), 0, "row %zu", at);
    sample_tally_done(&one_by_one);
    sample_tally_done(&alike);
}

Test(stacks, samples_alike_are_added_up)
{
    rows_are_the_same(true, STACKS_NONE);
    rows_are_the_same(true, STACKS_IN_KERNEL);
    rows_are_the_same(false, STACKS_IN_KERNEL);
}
