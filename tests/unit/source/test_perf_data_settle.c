/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples with stack dumps become samples with chains; everything else of the file stays what it was. */
#include "test.h"

#include "capture/capture.h"
#include "source/perf_data/perf_data.h"
#include "source/perf_data/perf_data_settle.h"
#include "source/perf_data/perf_data_writer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    DUMPING = 11, /* ids */
    TIMED = 12,
    SIDE = 13,
    DUMP_BYTES = 64,
};

static const uint64_t basics = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN;
static char path[] = "/tmp/plumb-settle-XXXXXX";

static void put_u64(struct text *out, uint64_t value)
{
    text_append(out, (const char *)&value, sizeof(value));
}

/* identifier, ip, pid and tid, time, chain */
static void begin_sample(struct text *out, uint64_t id, uint64_t time_ns)
{
    put_u64(out, id);
    put_u64(out, 0xffffffff81000010);
    put_u64(out, UINT64_C(7) << 32 | 7);
    put_u64(out, time_ns);
    put_u64(out, 4);
    put_u64(out, (uint64_t)PERF_CONTEXT_KERNEL);
    put_u64(out, 0xffffffff81000010);
    put_u64(out, (uint64_t)PERF_CONTEXT_USER);
    put_u64(out, 0x401000);
}

static void put_dump(struct text *out, uint64_t size_bytes)
{
    put_u64(out, 2); /* 64-bit registers */
    put_u64(out, 0x7ff0);
    put_u64(out, 0x401000);
    put_u64(out, size_bytes);
    for (uint64_t at = 0; at < size_bytes; at += 8)
        put_u64(out, at);
    if (size_bytes)
        put_u64(out, size_bytes);
}

static void append(struct perf_data_writer *writer, uint32_t type, struct text *payload)
{
    struct error err = {0};
    struct perf_event_header header = {.type = type, .misc = PERF_RECORD_MISC_KERNEL, .size = (uint16_t)(sizeof(header) + payload->length)};
    struct text record = {0};
    text_append(&record, (const char *)&header, sizeof(header));
    text_append(&record, payload->bytes, payload->length);
    cr_assert(perf_data_writer_append(writer, record.bytes, record.length, &err), "%s", err.message);
    text_done(&record);
    text_done(payload);
}

static void put_descriptions(perf_data_features *features, const struct perf_data_event *events, size_t count)
{
    struct text *out = perf_data_features_add(features, FEATURE_EVENT_DESC);
    perf_data_add_u32(out, (uint32_t)count);
    perf_data_add_u32(out, PERF_DATA_ATTR_BYTES);
    for (size_t at = 0; at < count; at++) {
        text_append(out, (const char *)&events[at].attr, PERF_DATA_ATTR_BYTES);
        perf_data_add_u32(out, 1);
        perf_data_add_string(out, events[at].name);
        perf_data_add_u64(out, events[at].ids[0]);
    }
}

static void file_write(void)
{
    static const uint64_t ids[] = {DUMPING, TIMED, SIDE};
    struct perf_data_event events[] = {
        {.name = "context-switches",
         .attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES, .size = PERF_DATA_ATTR_BYTES,
                  .sample_regs_user = 1 << 7 | 1 << 8, .sample_stack_user = DUMP_BYTES, .sample_id_all = 1},
         .ids = ids, .id_count = 1},
        {.name = "cpu-clock", .attr = {.type = PERF_TYPE_SOFTWARE, .size = PERF_DATA_ATTR_BYTES, .sample_id_all = 1}, .ids = ids + 1, .id_count = 1},
        {.name = "dummy", .attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .size = PERF_DATA_ATTR_BYTES, .sample_id_all = 1}, .ids = ids + 2, .id_count = 1},
    };
    events[0].attr.sample_type = basics | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    events[1].attr.sample_type = events[2].attr.sample_type = basics;
    struct perf_data_writer *writer = NULL;
    struct error err = {0};
    perf_data_features features = {0}, late = {0};
    perf_data_add_string(perf_data_features_add(&features, FEATURE_ARCH), "x86_64");
    put_descriptions(&features, events, 3);
    cr_assert(perf_data_writer_create(&writer, path, -1, &err), "%s", err.message);
    cr_assert(perf_data_writer_begin(writer, events, 3, &features, &err), "%s", err.message);
    struct text payload = {0};
    begin_sample(&payload, TIMED, 100);
    append(writer, PERF_RECORD_SAMPLE, &payload);
    begin_sample(&payload, DUMPING, 200);
    put_dump(&payload, DUMP_BYTES);
    append(writer, PERF_RECORD_SAMPLE, &payload);
    begin_sample(&payload, TIMED, 300);
    append(writer, PERF_RECORD_SAMPLE, &payload);
    begin_sample(&payload, DUMPING, 400); /* nobody unwound it: a kernel thread's */
    put_u64(&payload, 0);
    put_u64(&payload, 0);
    append(writer, PERF_RECORD_SAMPLE, &payload);
    perf_data_add_string(perf_data_features_add(&late, FEATURE_HOSTNAME), "there");
    cr_assert(perf_data_writer_finish(writer, &late, &err), "%s", err.message);
    perf_data_features_done(&features);
    perf_data_features_done(&late);
    perf_data_writer_free(writer);
}

struct found {
    struct capture capture;
    struct source *source;
};

/* Offsets of the samples in the file. */
struct offsets {
    uint64_t items[8];
    size_t count;
};

static bool note_offset(void *context, struct capture *capture, const struct record *record, const struct sample *sample)
{
    struct offsets *offsets = context;
    (void)capture;
    if (sample)
        offsets->items[offsets->count++] = record->file_offset;
    return true;
}

static struct offsets file_read(struct capture *capture)
{
    struct source *source;
    struct error err = {0};
    struct offsets offsets = {0};
    struct capture_watch watch = {&offsets, note_offset};
    capture_init(capture);
    cr_assert(perf_data_open(&source, path, &err), "%s", err.message);
    cr_assert(capture_fill(capture, source, &watch, true, &err), "%s", err.message);
    source->ops->close(source);
    return offsets;
}

static size_t file_bytes(void)
{
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    return (size_t)status.st_size;
}

static uint64_t frame_addr(const struct capture *capture, size_t sample, uint32_t depth)
{
    const struct samples *samples = &capture->recording.samples;
    const struct stack *stack = &samples->stacks[samples->items[sample].stack];
    cr_assert_lt(depth, stack->count);
    return samples->locations[samples->frames[stack->first + depth]].runtime_addr;
}

static void begin(void)
{
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
    unlink(path);
    file_write();
}

static void end(void)
{
    unlink(path);
}

Test(perf_data_settle, dumps_become_chains, .init = begin, .fini = end)
{
    struct capture before, after;
    struct error err = {0};
    struct offsets offsets = file_read(&before);
    cr_assert_eq(offsets.count, 4);
    cr_assert(before.recording.events[0].sample_type & PERF_SAMPLE_STACK_USER);
    size_t size_before = file_bytes();
    static const uint64_t ips[] = {0x401000, 0x402000, 0x403000};
    const struct settled_stack stack = {.file_offset = offsets.items[1], .first = 0, .count = 3};
    const struct settled_stacks stacks = {.items = &stack, .count = 1, .ips = ips, .ip_count = 3};
    cr_assert(perf_data_settle(path, &stacks, &err), "%s", err.message);
    cr_assert_eq(file_bytes(), size_before - (2 * 8 + 8 + 8 + DUMP_BYTES + 8) + 2 * 8 - 2 * 8);
    cr_assert_eq(file_read(&after).count, 4);
    const struct recording *recording = &after.recording;
    cr_assert_not(recording->events[0].sample_type & (PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER));
    cr_assert_str_eq(recording->events[0].name, "context-switches");
    cr_assert_str_eq(after.facts.architecture, "x86_64");
    cr_assert_str_eq(after.facts.hostname, "there");
    for (size_t at = 0; at < 4; at++)
        cr_assert_eq(recording->samples.items[at].time_ns, 100 * (at + 1));
    const struct stack *unwound = &recording->samples.stacks[recording->samples.items[1].stack];
    cr_assert_eq(unwound->count, 4);
    cr_assert_eq(frame_addr(&after, 1, 0), 0xffffffff81000010);
    cr_assert_eq(frame_addr(&after, 1, 3), 0x403000);
    cr_assert_eq(recording->samples.stacks[recording->samples.items[3].stack].count, 2, "keeps what it had");
    capture_done(&before);
    capture_done(&after);
    /* Once more changes nothing. */
    size_t size_settled = file_bytes();
    cr_assert(perf_data_settle(path, &(struct settled_stacks){0}, &err), "%s", err.message);
    cr_assert_eq(file_bytes(), size_settled);
}

/* One that was killed: it leaves nothing, and what an older one left is in nobody's way. */
Test(perf_data_settle, leaves_nothing_beside, .init = begin, .fini = end)
{
    char beside[128];
    struct error err = {0};
    struct stat status;
    snprintf(beside, sizeof(beside), "%s.settling", path);
    int unnamed = open("/tmp", O_TMPFILE | O_WRONLY, 0600);
    if (unnamed < 0)
        cr_skip_test("files in /tmp have a name from the beginning");
    close(unnamed);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit small = {64, 64}, none = {0, 0};
        (void)setrlimit(RLIMIT_CORE, &none);
        (void)setrlimit(RLIMIT_FSIZE, &small); /* writing more kills */
        (void)signal(SIGXFSZ, SIG_DFL);
        _exit(perf_data_settle(path, &(struct settled_stacks){0}, &err));
    }
    int ended;
    cr_assert(waitpid(child, &ended, 0) == child && WIFSIGNALED(ended) && WTERMSIG(ended) == SIGXFSZ);
    cr_expect(stat(beside, &status) != 0, "%s is left", beside);
    FILE *left = fopen(beside, "w");
    fclose(left);
    cr_expect(perf_data_settle(path, &(struct settled_stacks){0}, &err), "%s", err.message);
    cr_expect(stat(beside, &status) != 0);
    unlink(beside);
}

Test(perf_data_settle, a_shorter_chain_gives_way_to_frame_pointers, .init = begin, .fini = end)
{
    struct capture capture;
    struct error err = {0};
    struct offsets offsets = file_read(&capture);
    capture_done(&capture);
    const struct settled_stack stack = {.file_offset = offsets.items[1]};
    cr_assert(perf_data_settle(path, &(struct settled_stacks){.items = &stack, .count = 1}, &err), "%s", err.message);
    file_read(&capture);
    cr_assert_eq(frame_addr(&capture, 1, 1), 0x401000);
    capture_done(&capture);
}

static bool drop(void *context, const void *bytes, size_t size_bytes, struct error *err)
{
    (void)bytes, (void)err;
    *(size_t *)context += size_bytes;
    return true;
}

Test(perf_data_settle, says_what_it_cannot_settle, .init = begin, .fini = end)
{
    static uint8_t bytes[1 << 16];
    struct error err = {0};
    FILE *file = fopen(path, "r");
    size_t size = fread(bytes, 1, sizeof(bytes), file), put = 0;
    fclose(file);
    const struct settle_sink sink = {&put, drop};
    const struct settled_stacks none = {0};
    cr_assert(perf_data_settle_bytes(bytes, size, &none, &sink, &err), "%s", err.message);
    for (size_t length = 0; length < size; length++)
        (void)!perf_data_settle_bytes(bytes, length, &none, &sink, &err);
    cr_assert_not(perf_data_settle_bytes(bytes, 200, &none, &sink, &err));
    cr_assert_eq(err.kind, ERROR_FORMAT);
    bytes[0] ^= 1;
    cr_assert_not(perf_data_settle_bytes(bytes, size, &none, &sink, &err));
    cr_assert_eq(err.kind, ERROR_UNSUPPORTED);
    cr_assert_not(perf_data_settle("/dev/null", &none, &err));
    cr_assert_not(perf_data_settle("/tmp/plumb-there-is-no-such-file", &none, &err));
}
