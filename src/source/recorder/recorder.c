/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/recorder/recorder.h"

#include "base/arena.h"
#include "base/scope.h"
#include "source/recorder/elf_build_id.h"
#include "source/perf_data/perf_data_writer.h"
#include "source/recorder/record_compressor.h"
#include "source/recorder/recorder_code.h"
#include "source/recorder/recorder_counters.h"
#include "source/recorder/recorder_existing.h"
#include "source/recorder/recorder_features.h"
#include "source/recorder/recorder_stacks.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifndef PERF_RECORD_MISC_BUILD_ID_SIZE
#define PERF_RECORD_MISC_BUILD_ID_SIZE (1 << 15)
#endif

/* Choosing the unwinder: enough chains over enough time, or as many as came in a second. */
#define TRIAL_NS_LEAST 250000000u
#define TRIAL_NS_MOST  1000000000u
#define DUMP_BYTES_PER_SECOND_MOST 256e6

enum {
    TRIAL_STACKS = 100,
    TRIAL_STACKS_LEAST = 20,
    TRIAL_POLL_MS = 50,
    TRIAL_HELD_BYTES_MOST = 32 << 20,
    STACKS_JUDGED_ALL = 20000, /* from then on one in 16, until: */
    STACKS_JUDGED_MOST = 1000000,
    FINAL_ROUNDS = 3,
    /* Offsets in a sample's payload: identifier, ip, pid and tid, time come first in all of ours. */
    SAMPLE_ID_AT = 0,
    SAMPLE_IP_AT = 8,
    SAMPLE_THREAD_AT = 16,
    SAMPLE_TIME_AT = 24,
    SAMPLE_FIXED_BYTES = 32
};

struct mapped_file { /* for the BUILD_ID section */
    char *path;
    struct build_id id;
    bool is_kernel;
};

struct recorder {
    struct recorder_request request;
    const struct kernel *kernel;
    const struct sysroot *root;
    recorder_notes notes;
    struct recorder_counters counters;
    struct perf_data_writer *writer;
    struct record_compressor *compressor; /* NULL: none */
    struct text packed;                   /* scratch */
    uint64_t unpacked_bytes, packed_bytes;
    struct hashmap streams_by_id;
    uint8_t *scratch; /* as large as a ring */
    struct recorder_code code;
    struct recorder_stacks stacks;
    bool trial; /* AUTO, undecided: records are held back */
    bool chose_frame_pointers; /* AUTO, decided */
    struct text held;
    vec(struct mapped_file) files;
    struct hashmap files_by_path;
    struct recorder_result result;
    int watched_fd;
};

/* The events as the file describes them. */

static bool is_auto(const struct recorder *recorder)
{
    for (size_t at = 0; at < recorder->request.event_count; at++)
        if (recorder->request.events[at].callchain == CALLCHAIN_AUTO)
            return true;
    return false;
}

/* A twin's ids belong to the same event of the file, whose attribute is the twin's once it was chosen. */
static void describe_event(const struct recorder *recorder, size_t index, struct perf_data_event *event,
                           struct arena *arena)
{
    const struct recorder_counters *counters = &recorder->counters;
    size_t wanted = index < recorder->request.event_count ? index : STREAM_TRACKING, count = 0;
    vec_for_each(&counters->streams, stream)
        count += stream->event == wanted ? stream->ids.count : 0;
    uint64_t *ids = arena_array(arena, uint64_t, count);
    *event = (struct perf_data_event){.ids = ids, .id_count = count};
    count = 0;
    vec_for_each(&counters->streams, stream) {
        if (stream->event != wanted)
            continue;
        memcpy(ids + count, stream->ids.items, stream->ids.count * sizeof(uint64_t));
        count += stream->ids.count;
        if (!stream->is_second)
            event->name = stream->name;
        if (!stream->is_second || recorder->result.callchain == CALLCHAIN_DWARF)
            event->attr = stream->attr;
    }
}

static bool has_branch_stacks(const struct recorder_counters *counters)
{
    vec_for_each(&counters->streams, stream)
        if (stream->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
            return true;
    return false;
}

/* Write what stands before the records; again when the trial has chosen the twins. */
static bool begin_output(struct recorder *recorder, struct error *err)
{
    size_t count = recorder->request.event_count + 1;
    perf_data_features features = {0};
    struct arena arena;
    arena_init(&arena);
    struct perf_data_event *events = arena_array(&arena, struct perf_data_event, count);
    int *groups = arena_array(&arena, int, count);
    for (size_t at = 0; at < count; at++) {
        describe_event(recorder, at, &events[at], &arena);
        groups[at] = at + 1 < count ? recorder->request.events[at].group : EVENT_NO_GROUP;
    }
    struct recorder_features_input input = {
        .events = events,
        .event_count = count,
        .groups = groups,
        .command_line = recorder->request.command_line,
        .clock_id = recorder->request.clock_id,
        .compression_level = recorder->request.compression_level,
        .branch_stacks = has_branch_stacks(&recorder->counters),
    };
    recorder_features_gather(&features, &input, recorder->root);
    bool good = recorder_tracing_data_add(&features, events, count, recorder->root, err) &&
                perf_data_writer_begin(recorder->writer, events, count, &features, err);
    perf_data_features_done(&features);
    arena_done(&arena);
    return good;
}

static bool write_records(struct recorder *recorder, const void *records, size_t size_bytes, struct error *err)
{
    if (!recorder->compressor)
        return perf_data_writer_append(recorder->writer, records, size_bytes, err);
    text_clear(&recorder->packed);
    if (!record_compressor_pack(recorder->compressor, records, size_bytes, &recorder->packed, err))
        return false;
    recorder->unpacked_bytes += size_bytes;
    recorder->packed_bytes += recorder->packed.length;
    return perf_data_writer_append(recorder->writer, recorder->packed.bytes, recorder->packed.length, err);
}

static bool put_records(struct recorder *recorder, const void *records, size_t size_bytes, struct error *err)
{
    if (!recorder->trial)
        return write_records(recorder, records, size_bytes, err);
    text_append(&recorder->held, records, size_bytes);
    return true;
}

/* Looking at records as they pass. */

static uint64_t u64_at(const uint8_t *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

static uint32_t u32_at(const uint8_t *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

struct passing {
    struct perf_event_header header;
    const uint8_t *payload;
    size_t payload_bytes;
};

static const struct counter_stream *stream_of(const struct recorder *recorder, uint64_t id)
{
    uint32_t index = hashmap_find(&recorder->streams_by_id, hash_u64(id), NULL, NULL, NULL);
    return index == HASHMAP_ABSENT ? NULL : &recorder->counters.streams.items[index];
}

/* Where the call chain starts in a sample's payload; SIZE_MAX when only a full decoder could tell. */
static size_t chain_at(const struct perf_event_attr *attr)
{
    if (!(attr->sample_type & PERF_SAMPLE_CALLCHAIN) || attr->sample_type & PERF_SAMPLE_READ)
        return SIZE_MAX;
    return SAMPLE_FIXED_BYTES + (attr->sample_type & PERF_SAMPLE_ADDR ? 8 : 0) + 16; /* CPU, period */
}

static bool is_judged(const struct recorder *recorder)
{
    uint64_t count = recorder->stacks.count;
    return recorder->trial || count < STACKS_JUDGED_ALL ||
           (count < STACKS_JUDGED_MOST && recorder->result.samples % 16 == 0);
}

static void look_at_chain(struct recorder *recorder, const struct passing *passing, const struct perf_event_attr *attr)
{
    uint64_t chain[PERF_MAX_STACK_DEPTH + 32];
    size_t at = chain_at(attr);
    if (at == SIZE_MAX || attr->exclude_callchain_user || at + 8 > passing->payload_bytes || !is_judged(recorder))
        return;
    uint64_t length = u64_at(passing->payload + at);
    /* A chain cut at the kernel's depth limit can't show its root. */
    if (length > array_count(chain) || length * 8 > passing->payload_bytes - at - 8)
        return;
    memcpy(chain, passing->payload + at + 8, length * 8);
    recorder_stacks_add(&recorder->stacks, u32_at(passing->payload + SAMPLE_THREAD_AT),
                        u32_at(passing->payload + SAMPLE_THREAD_AT + 4), u64_at(passing->payload + SAMPLE_TIME_AT),
                        chain, length);
}

/* The dump is the last thing in our dwarf samples unless more was asked for; its size stands behind it. */
static void look_at_dump(struct recorder *recorder, const struct passing *passing, const struct perf_event_attr *attr)
{
    static const uint64_t behind = PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |
                                   PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |
                                   PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE;
    if (!(attr->sample_type & PERF_SAMPLE_STACK_USER) || attr->sample_type & behind ||
        passing->payload_bytes < attr->sample_stack_user)
        return;
    uint64_t copied = u64_at(passing->payload + passing->payload_bytes - 8);
    recorder->result.stack_dumps++;
    recorder->result.stack_dumps_full += copied >= attr->sample_stack_user;
}

static void look_at_sample(struct recorder *recorder, const struct passing *passing)
{
    struct recorder_result *result = &recorder->result;
    result->samples++;
    if (passing->payload_bytes < SAMPLE_FIXED_BYTES)
        return;
    uint64_t time_ns = u64_at(passing->payload + SAMPLE_TIME_AT);
    result->first_ns = result->first_ns && result->first_ns < time_ns ? result->first_ns : time_ns;
    result->last_ns = result->last_ns > time_ns ? result->last_ns : time_ns;
    if (recorder->request.keep_code)
        recorder_code_sampled(&recorder->code, u32_at(passing->payload + SAMPLE_THREAD_AT),
                              u64_at(passing->payload + SAMPLE_IP_AT));
    const struct counter_stream *stream = stream_of(recorder, u64_at(passing->payload + SAMPLE_ID_AT));
    if (!stream)
        return;
    look_at_chain(recorder, passing, &stream->attr);
    look_at_dump(recorder, passing, &stream->attr);
}

static bool same_path(const void *context, uint32_t index, const void *path)
{
    const struct recorder *recorder = context;
    return strcmp(recorder->files.items[index].path, path) == 0;
}

static void remember_file(struct recorder *recorder, const char *path, const struct build_id *id, bool is_kernel)
{
    uint64_t hash = hash_bytes(path, strlen(path));
    if (hashmap_find(&recorder->files_by_path, hash, same_path, recorder, path) != HASHMAP_ABSENT)
        return;
    hashmap_add(&recorder->files_by_path, hash, (uint32_t)recorder->files.count);
    *vec_push(&recorder->files) = (struct mapped_file){memory_string(path), *id, is_kernel};
}

static bool is_kernel_record(const struct passing *passing)
{
    return (passing->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

/* MMAP2: pid tid | start size offset | build id or device and inode (24) | protection flags | path */
static void look_at_mapping(struct recorder *recorder, const struct passing *passing)
{
    enum { ID_AT = 32, PROTECTION_AT = 56, PATH_AT = 64 };
    const uint8_t *payload = passing->payload;
    if (passing->payload_bytes <= PATH_AT + RECORDER_TRAILER_BYTES)
        return;
    const char *path = (const char *)payload + PATH_AT;
    if (!memchr(path, '\0', passing->payload_bytes - PATH_AT) || !(u32_at(payload + PROTECTION_AT) & PROT_EXEC))
        return;
    if (recorder->request.keep_code && !is_kernel_record(passing))
        recorder_code_mapped(&recorder->code, u32_at(payload), u64_at(payload + 8), u64_at(payload + 16), path);
    if (path[0] != '/' && !is_kernel_record(passing))
        return;
    struct build_id id = {0};
    if (passing->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID && payload[ID_AT] <= BUILD_ID_BYTES_MOST) {
        id.size_bytes = payload[ID_AT];
        memcpy(id.bytes, payload + ID_AT + 4, BUILD_ID_BYTES_MOST);
    }
    remember_file(recorder, path, &id, is_kernel_record(passing));
}

static void look_at_task(struct recorder *recorder, const struct passing *passing)
{
    if (!recorder->request.keep_code || passing->payload_bytes < 16)
        return;
    const uint8_t *payload = passing->payload;
    uint32_t pid = u32_at(payload);
    switch (passing->header.type) {
    case PERF_RECORD_FORK: /* pid, parent's pid, tid, parent's tid */
        recorder_code_forked(&recorder->code, pid, u32_at(payload + 4));
        break;
    case PERF_RECORD_EXIT:
        if (u32_at(payload + 8) == pid)
            recorder_code_forget(&recorder->code, pid);
        break;
    case PERF_RECORD_COMM:
        if (passing->header.misc & PERF_RECORD_MISC_COMM_EXEC)
            recorder_code_forget(&recorder->code, pid);
        break;
    default:
        break;
    }
}

static void look_at(struct recorder *recorder, const struct passing *passing)
{
    struct recorder_result *result = &recorder->result;
    switch (passing->header.type) {
    case PERF_RECORD_SAMPLE:
        look_at_sample(recorder, passing);
        break;
    case PERF_RECORD_MMAP2:
        look_at_mapping(recorder, passing);
        break;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
    case PERF_RECORD_COMM:
        look_at_task(recorder, passing);
        break;
    case PERF_RECORD_LOST: /* id, count */
        result->lost_records += passing->payload_bytes >= 16 ? u64_at(passing->payload + 8) : 0;
        break;
    case PERF_RECORD_THROTTLE:
        result->throttles++;
        break;
    default:
        break;
    }
}

/* Look at every record; returns the bytes that are whole records (all of them, unless the ring was broken). */
static size_t look_at_all(struct recorder *recorder, const uint8_t *bytes, size_t size_bytes)
{
    size_t at = 0;
    while (at + sizeof(struct perf_event_header) <= size_bytes) {
        struct passing passing;
        memcpy(&passing.header, bytes + at, sizeof(passing.header));
        if (passing.header.size < sizeof(passing.header) || passing.header.size > size_bytes - at)
            break;
        passing.payload = bytes + at + sizeof(passing.header);
        passing.payload_bytes = passing.header.size - sizeof(passing.header);
        look_at(recorder, &passing);
        at += passing.header.size;
    }
    recorder->result.broken_bytes += size_bytes - at;
    return at;
}

/* Emptying the rings. */

/* Mappings of data were wanted for stack dumps that weren't chosen. Returns the bytes that are left. */
static size_t drop_data_mmaps(uint8_t *bytes, size_t size_bytes)
{
    size_t kept = 0;
    for (size_t at = 0; at < size_bytes;) {
        struct perf_event_header header;
        memcpy(&header, bytes + at, sizeof(header));
        bool dropped = header.type == PERF_RECORD_MMAP2 && header.misc & PERF_RECORD_MISC_MMAP_DATA;
        if (!dropped && kept != at)
            memmove(bytes + kept, bytes + at, header.size);
        kept += dropped ? 0 : header.size;
        at += header.size;
    }
    return kept;
}

static bool drops_data_mmaps(const struct recorder *recorder)
{
    return recorder->chose_frame_pointers && !recorder->request.record_data_mmaps;
}

static bool put_code(struct recorder *recorder, struct error *err)
{
    if (!recorder->code.wanted.count)
        return true;
    scoped_text struct text pages = {0};
    recorder_code_copy(&recorder->code, recorder->result.last_ns, &pages);
    return put_records(recorder, pages.bytes, pages.length, err);
}

/*
 * Empty every ring once. The round's end tells readers that what comes later is younger than everything of
 * the round before, so that they can sort in bounded memory.
 */
static bool drain(struct recorder *recorder, struct error *err)
{
    bool any = false;
    vec_for_each(&recorder->counters.rings, ring) {
        size_t size = ring_buffer_unread(&ring->buffer);
        if (!size)
            continue;
        ring_buffer_take(&ring->buffer, recorder->scratch, size);
        size = look_at_all(recorder, recorder->scratch, size);
        if (drops_data_mmaps(recorder))
            size = drop_data_mmaps(recorder->scratch, size);
        any = true;
        if (!put_records(recorder, recorder->scratch, size, err))
            return false;
    }
    if (!any)
        return true;
    struct perf_event_header round = {.type = USER_RECORD_FINISHED_ROUND, .size = sizeof(round)};
    return put_code(recorder, err) && put_records(recorder, &round, sizeof(round), err);
}

/* Choosing the unwinder. */

/* What stands behind a stack dump in a sample of this type; SIZE_MAX when its size differs between samples. */
static size_t bytes_behind_dump(uint64_t sample_type)
{
    static const uint64_t fixed[] = {PERF_SAMPLE_WEIGHT,    PERF_SAMPLE_WEIGHT_STRUCT,  PERF_SAMPLE_DATA_SRC,
                                     PERF_SAMPLE_TRANSACTION, PERF_SAMPLE_PHYS_ADDR,    PERF_SAMPLE_CGROUP,
                                     PERF_SAMPLE_DATA_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE};
    size_t size = 0;
    if (sample_type & (PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_AUX))
        return SIZE_MAX;
    for (size_t at = 0; at < array_count(fixed); at++)
        size += sample_type & fixed[at] ? 8 : 0;
    return size;
}

/* A sample as its twin would have taken it without registers and stack: the fields are there and say "none". */
static void add_as_twin(const struct perf_event_attr *attr, const struct passing *passing, struct text *out)
{
    size_t behind = bytes_behind_dump(attr->sample_type);
    size_t added = attr->sample_type & PERF_SAMPLE_REGS_USER ? 8 : 16;
    struct perf_event_header header = passing->header;
    if (behind > passing->payload_bytes || header.size + added > PERF_DATA_RECORD_MOST)
        return;
    header.size = (uint16_t)(header.size + added);
    text_append(out, (const char *)&header, sizeof(header));
    text_append(out, (const char *)passing->payload, passing->payload_bytes - behind);
    text_append(out, (const char[16]){0}, added);
    text_append(out, (const char *)passing->payload + passing->payload_bytes - behind, behind);
}

static void convert_held(struct recorder *recorder)
{
    struct text converted = {0};
    const uint8_t *bytes = (const uint8_t *)recorder->held.bytes;
    for (size_t at = 0; at < recorder->held.length;) {
        struct passing passing;
        memcpy(&passing.header, bytes + at, sizeof(passing.header));
        passing.payload = bytes + at + sizeof(passing.header);
        passing.payload_bytes = passing.header.size - sizeof(passing.header);
        const struct counter_stream *stream =
            passing.header.type == PERF_RECORD_SAMPLE ? stream_of(recorder, u64_at(passing.payload)) : NULL;
        bool has_twin = stream && !stream->is_second && stream->event != STREAM_TRACKING &&
                        recorder->request.events[stream->event].callchain == CALLCHAIN_AUTO;
        if (has_twin)
            add_as_twin(&stream->attr, &passing, &converted);
        else
            text_append(&converted, (const char *)bytes + at, passing.header.size);
        at += passing.header.size;
    }
    text_done(&recorder->held);
    recorder->held = converted;
}

/* What copying stacks at the rate of the trial would write, in bytes per second. */
static double dump_rate(const struct recorder *recorder)
{
    const struct recorder_stacks *stacks = &recorder->stacks;
    uint32_t most = 0;
    for (size_t at = 0; at < recorder->request.event_count; at++) {
        const struct recorder_event *event = &recorder->request.events[at];
        uint32_t bytes = event->stack_bytes ? event->stack_bytes : RECORDER_STACK_BYTES;
        most = event->callchain == CALLCHAIN_AUTO && bytes > most ? bytes : most;
    }
    double lasted_s = (double)(stacks->last_ns - stacks->first_ns) / 1e9;
    return lasted_s > 0 ? (double)stacks->count * most / lasted_s : 0;
}

/* Whether to copy stacks, and say why (not). */
static bool choose_stack_dumps(struct recorder *recorder)
{
    struct stack_share share = recorder_stacks_share(&recorder->stacks);
    if (!recorder_all_registers || share.judged < TRIAL_STACKS_LEAST || share.at_root * 2 >= share.judged)
        return false;
    double percent = 100.0 * (double)share.at_root / (double)share.judged;
    double rate = dump_rate(recorder);
    bool bearable = rate <= DUMP_BYTES_PER_SECOND_MOST;
    if (bearable)
        recorder_notes_add(&recorder->notes,
                           "frame pointers reached the root in %.0f %% of %llu stacks: copying stacks instead "
                           "(--call-graph dwarf); --call-graph fp insists",
                           percent, (unsigned long long)share.judged);
    else
        recorder_notes_add(&recorder->notes,
                           "frame pointers reached the root in %.0f %% of %llu stacks, but copying stacks would write "
                           "%.0f MB/s: staying with them; -F lowers the rate, --call-graph dwarf insists",
                           percent, (unsigned long long)share.judged, rate / 1e6);
    return bearable;
}

/* End the trial: pass on what was held back, in the form that was chosen. */
static bool conclude_trial(struct recorder *recorder, bool still_running, struct error *err)
{
    bool dwarf = still_running && choose_stack_dumps(recorder);
    recorder->result.callchain = dwarf ? CALLCHAIN_DWARF : CALLCHAIN_FRAME_POINTERS;
    if (dwarf) {
        /* What the frame-pointer streams wrote until they stopped has to be converted as well. */
        if (!recorder_counters_switch(&recorder->counters, err) || !drain(recorder, err))
            return false;
        convert_held(recorder);
    }
    recorder->chose_frame_pointers = !dwarf;
    if (drops_data_mmaps(recorder))
        recorder->held.length = drop_data_mmaps((uint8_t *)recorder->held.bytes, recorder->held.length);
    recorder->trial = false;
    bool good = ((!dwarf && !perf_data_writer_is_pipe(recorder->writer)) || begin_output(recorder, err)) &&
                write_records(recorder, recorder->held.bytes, recorder->held.length, err);
    text_done(&recorder->held);
    return good;
}

static bool trial_is_over(const struct recorder *recorder)
{
    const struct recorder_stacks *stacks = &recorder->stacks;
    uint64_t lasted_ns = stacks->last_ns - stacks->first_ns;
    if (recorder->held.length > TRIAL_HELD_BYTES_MOST)
        return true;
    return (stacks->count >= TRIAL_STACKS && lasted_ns >= TRIAL_NS_LEAST) || lasted_ns >= TRIAL_NS_MOST;
}

/* Opening. */

struct recorder_event recorder_event_of(const struct event_spec *spec)
{
    return (struct recorder_event){
        .name = spec->name,
        .attr = spec->attr,
        .precise_max = spec->precise_max,
        .group = spec->group,
        .sample_read = spec->sample_read,
        .cpus = spec->cpus,
        .cpu_count = spec->cpu_count,
        .frequency = spec->frequency,
        .period = spec->period,
    };
}

/* Our own copy: what AUTO and the fixed layout of our samples ask for is settled here. */
static void copy_events(struct recorder *recorder, const struct recorder_request *request)
{
    struct recorder_event *events = memory_alloc(memory_product(request->event_count, sizeof(*events)));
    for (size_t at = 0; at < request->event_count; at++) {
        struct recorder_event *event = &events[at];
        *event = request->events[at];
        event->sample_type &= ~(uint64_t)(PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID);
        if (event->callchain == CALLCHAIN_AUTO &&
            (!recorder_all_registers || request->kernel_chains_only || event->sample_read || event->interrupt_registers))
            event->callchain = CALLCHAIN_FRAME_POINTERS;
        if (event->callchain == CALLCHAIN_AUTO && event->user_registers)
            event->user_registers = recorder_all_registers; /* one attribute describes the twins' samples too */
        if (!request->kernel_chains_only && recorder->result.callchain == CALLCHAIN_NONE)
            recorder->result.callchain = event->callchain;
    }
    recorder->request.events = events;
}

static bool samples_kernel(const struct recorder_counters *counters)
{
    vec_for_each(&counters->streams, stream)
        if (stream->event != STREAM_TRACKING && !stream->attr.exclude_kernel)
            return true;
    return false;
}

static bool put_existing(struct recorder *recorder, struct error *err)
{
    const struct recorder_counters *counters = &recorder->counters;
    struct recorder_existing_request existing = {
        .target = recorder->request.target,
        .kernel_code = samples_kernel(counters),
        .data_mappings = recorder_wants_data_mmaps(&recorder->request),
        .cgroups = recorder->request.record_cgroups,
        .bpf_programs = !recorder->request.no_bpf_programs,
        .build_ids = counters->streams.items[counters->streams.count - 1].attr.build_id,
    };
    scoped_text struct text records = {0};
    recorder_existing_add(&records, &existing, recorder->kernel, recorder->root);
    look_at_all(recorder, (const uint8_t *)records.bytes, records.length);
    return put_records(recorder, records.bytes, records.length, err);
}

static void index_streams(struct recorder *recorder)
{
    for (uint32_t at = 0; at < recorder->counters.streams.count; at++)
        vec_for_each(&recorder->counters.streams.items[at].ids, id)
            hashmap_add(&recorder->streams_by_id, hash_u64(*id), at);
}

static bool open_all(struct recorder *recorder, struct error *err)
{
    const struct recorder_request *request = &recorder->request;
    if (request->compression_level &&
        !record_compressor_new(&recorder->compressor, request->compression_level, err))
        return false;
    if (!perf_data_writer_create(&recorder->writer, request->output, request->pipe_fd, err) ||
        !recorder_counters_open(&recorder->counters, request, recorder->kernel, recorder->root, &recorder->notes, err))
        return false;
    index_streams(recorder);
    recorder->scratch = memory_alloc(recorder->counters.ring_bytes);
    recorder->trial = is_auto(recorder);
    bool wait_with_header = recorder->trial && perf_data_writer_is_pipe(recorder->writer);
    return (wait_with_header || begin_output(recorder, err)) && put_existing(recorder, err) &&
           (wait_with_header || perf_data_writer_commit(recorder->writer, err));
}

bool recorder_open(struct recorder **ret_recorder, const struct recorder_request *request,
                   const struct kernel *kernel, const struct sysroot *root, struct error *err)
{
    struct recorder *recorder = memory_alloc(sizeof(*recorder));
    recorder->request = *request;
    recorder->kernel = kernel;
    recorder->root = root;
    recorder->watched_fd = -1;
    copy_events(recorder, request);
    recorder_code_init(&recorder->code);
    recorder_stacks_init(&recorder->stacks, root);
    if (!open_all(recorder, err)) {
        recorder_discard(recorder);
        recorder_free(recorder);
        return false;
    }
    recorder->result.ring_bytes = recorder->counters.ring_bytes;
    recorder->result.ring_count = recorder->counters.rings.count;
    *ret_recorder = recorder;
    return true;
}

void recorder_discard(struct recorder *recorder)
{
    if (recorder->writer)
        perf_data_writer_discard(recorder->writer);
}

void recorder_free(struct recorder *recorder)
{
    if (!recorder)
        return;
    recorder_counters_done(&recorder->counters);
    perf_data_writer_free(recorder->writer);
    record_compressor_free(recorder->compressor);
    recorder_code_done(&recorder->code);
    recorder_stacks_done(&recorder->stacks);
    recorder_notes_done(&recorder->notes);
    vec_for_each(&recorder->files, file)
        free(file->path);
    vec_done(&recorder->files);
    hashmap_done(&recorder->files_by_path);
    hashmap_done(&recorder->streams_by_id);
    text_done(&recorder->held);
    text_done(&recorder->packed);
    free(recorder->scratch);
    free((void *)recorder->request.events);
    free(recorder);
}

size_t recorder_note_count(const struct recorder *recorder)
{
    return recorder->notes.count;
}

const char *recorder_note(const struct recorder *recorder, size_t index)
{
    return recorder->notes.items[index];
}

/* Running. */

bool recorder_enable(struct recorder *recorder, struct error *err)
{
    return recorder_counters_set(&recorder->counters, true, err);
}

void recorder_disable(struct recorder *recorder)
{
    struct error ignored;
    (void)!recorder_counters_set(&recorder->counters, false, &ignored);
}

bool recorder_switch(struct recorder *recorder, const char *event, bool on, struct error *err)
{
    bool found = false;
    for (size_t at = 0; at < recorder->request.event_count; at++) {
        if (event && strcmp(recorder->request.events[at].name, event) != 0)
            continue;
        found = true;
        if (!recorder_counters_set_event(&recorder->counters, at, on, err))
            return false;
    }
    return found || error_set(err, ERROR_NOT_FOUND, "no event '%s' is recorded", event ? event : "");
}

void recorder_watch(struct recorder *recorder, int fd)
{
    recorder->watched_fd = fd;
}

uint64_t recorder_bytes(const struct recorder *recorder)
{
    return perf_data_writer_bytes(recorder->writer);
}

bool recorder_target_ended(const struct recorder *recorder)
{
    vec_for_each(&recorder->counters.rings, ring)
        if (!ring->ended)
            return false;
    return true;
}

static bool drain_and_commit(struct recorder *recorder, struct error *err)
{
    if (!drain(recorder, err) ||
        (recorder->trial && trial_is_over(recorder) && !conclude_trial(recorder, true, err)))
        return false;
    uint64_t span[2] = {recorder->result.first_ns, recorder->result.last_ns};
    perf_data_writer_update(recorder->writer, FEATURE_SAMPLE_TIME, span, sizeof(span));
    return recorder->trial || perf_data_writer_commit(recorder->writer, err);
}

bool recorder_poll(struct recorder *recorder, int timeout_ms, struct error *err)
{
    if (recorder->trial && (timeout_ms < 0 || timeout_ms > TRIAL_POLL_MS))
        timeout_ms = TRIAL_POLL_MS;
    const int wake_fds[2] = {recorder->request.wake_fd, recorder->watched_fd};
    recorder_counters_wait(&recorder->counters, wake_fds, timeout_ms);
    return drain_and_commit(recorder, err);
}

/* Finishing. */

static uint64_t read_lost(const struct recorder *recorder, const struct counter_fd *own)
{
    const struct perf_event_attr *attr = &recorder->counters.streams.items[own->stream].attr;
    uint64_t values[3]; /* value, id, lost */
    if (!(attr->read_format & PERF_FORMAT_LOST) || attr->read_format & PERF_FORMAT_GROUP ||
        recorder->kernel->read(recorder->kernel->context, own->fd, values, sizeof(values)) != (ssize_t)sizeof(values))
        return 0;
    return values[2];
}

static bool put_lost(struct recorder *recorder, uint64_t id, uint64_t lost, struct error *err)
{
    struct {
        struct perf_event_header header;
        uint64_t lost, thread, time_ns, cpu, id;
    } record = {
        .header = {.type = PERF_RECORD_LOST_SAMPLES, .size = sizeof(record)},
        .lost = lost,
        .time_ns = recorder->result.last_ns,
        .id = id,
    };
    return put_records(recorder, &record, sizeof(record), err);
}

/* The counters know what they lost (6.0); LOST records only tell that something was. */
static bool put_all_lost(struct recorder *recorder, struct error *err)
{
    bool known = false;
    for (uint32_t at = 0; at < recorder->counters.streams.count; at++) {
        const struct counter_stream *stream = &recorder->counters.streams.items[at];
        uint64_t lost = 0;
        if (stream->event == STREAM_TRACKING)
            continue;
        known |= (stream->attr.read_format & PERF_FORMAT_LOST) != 0;
        vec_for_each(&recorder->counters.fds, own)
            lost += own->stream == at ? read_lost(recorder, own) : 0;
        recorder->result.lost_samples += lost;
        if (lost && !put_lost(recorder, stream->ids.items[0], lost, err))
            return false;
    }
    if (!known)
        recorder->result.lost_samples = recorder->result.lost_records;
    return true;
}

static bool file_id(const struct mapped_file *file, struct build_id *ret_id)
{
    *ret_id = file->id;
    if (file->id.size_bytes || file->is_kernel)
        return file->id.size_bytes != 0;
    scoped_fd int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return fd >= 0 && elf_build_id_read(fd, ret_id);
}

static void add_build_id(struct text *out, const struct mapped_file *file, const struct build_id *id)
{
    struct {
        struct perf_event_header header;
        uint32_t pid;
        uint8_t bytes[BUILD_ID_BYTES_MOST], size_bytes, reserved[3];
    } entry = {.pid = (uint32_t)-1, .size_bytes = id->size_bytes};
    static const char kernel_name[] = "[kernel.kallsyms]";
    static const char zeros[64];
    bool is_vmlinux = file->is_kernel && strncmp(file->path, kernel_name, sizeof(kernel_name) - 1) == 0;
    const char *name = is_vmlinux ? kernel_name : file->path;
    size_t name_bytes = strlen(name) + 1, padded = (name_bytes + 63) / 64 * 64;
    memcpy(entry.bytes, id->bytes, sizeof(entry.bytes));
    entry.header = (struct perf_event_header){
        .type = USER_RECORD_BUILD_ID,
        .misc = (uint16_t)((file->is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER) |
                           PERF_RECORD_MISC_BUILD_ID_SIZE),
        .size = (uint16_t)(sizeof(entry) + padded),
    };
    text_append(out, (const char *)&entry, sizeof(entry));
    text_append(out, name, name_bytes);
    text_append(out, zeros, padded - name_bytes);
}

static void add_build_ids(const struct recorder *recorder, perf_data_features *late)
{
    struct text *out = perf_data_features_add(late, FEATURE_BUILD_ID);
    vec_for_each(&recorder->files, file) {
        struct build_id id;
        if (file_id(file, &id))
            add_build_id(out, file, &id);
    }
    if (!out->length)
        perf_data_features_done(late);
}

static void update_compression(struct recorder *recorder)
{
    scoped_text struct text feature = {0};
    uint64_t ratio = recorder->packed_bytes ? recorder->unpacked_bytes / recorder->packed_bytes : 1;
    if (!recorder->compressor)
        return;
    recorder_features_add_compression(&feature, recorder->request.compression_level, (uint32_t)ratio);
    perf_data_writer_update(recorder->writer, FEATURE_COMPRESSED, feature.bytes, feature.length);
}

static bool drain_to_the_end(struct recorder *recorder, struct error *err)
{
    for (int round = 0; round < FINAL_ROUNDS; round++)
        if (!drain(recorder, err))
            return false;
    if (recorder->trial && !conclude_trial(recorder, false, err))
        return false;
    return put_all_lost(recorder, err) && drain_and_commit(recorder, err);
}

bool recorder_finish(struct recorder *recorder, struct recorder_result *ret_result, struct error *err)
{
    recorder_disable(recorder);
    bool good = drain_to_the_end(recorder, err);
    perf_data_features late = {0};
    if (!recorder->request.no_build_ids)
        add_build_ids(recorder, &late);
    update_compression(recorder);
    if (good)
        good = perf_data_writer_finish(recorder->writer, &late, err);
    perf_data_features_done(&late);
    struct stack_share share = recorder_stacks_share(&recorder->stacks);
    struct recorder_result *result = &recorder->result;
    result->user_stacks = share.judged;
    result->stacks_at_root = share.at_root;
    result->stacks_judged = share.judged >= TRIAL_STACKS_LEAST;
    result->code_pages = recorder->code.copied_pages;
    result->code_bytes = recorder->code.copied_bytes;
    result->bytes = perf_data_writer_bytes(recorder->writer);
    *ret_result = *result;
    return good;
}
