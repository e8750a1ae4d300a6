/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the recorder learns from records as they pass: losses, times, stacks, hot code, mapped files. */
#include "source/recorder/recorder_internal.h"

#include "source/recorder/recorder_existing.h"
#include "source/recorder/stacks/stack_dump.h"

#include <sys/mman.h>

enum {
    STACKS_JUDGED_ALL = 20000, /* from then on one in 16, until: */
    STACKS_JUDGED_MOST = 1000000
};

bool passing_at(const uint8_t *bytes, size_t size_bytes, size_t at, struct passing *ret_passing)
{
    struct passing *passing = ret_passing;
    if (at + sizeof(passing->header) > size_bytes)
        return false;
    memcpy(&passing->header, bytes + at, sizeof(passing->header));
    if (passing->header.size < sizeof(passing->header) || passing->header.size > size_bytes - at)
        return false;
    passing->payload = bytes + at + sizeof(passing->header);
    passing->payload_bytes = passing->header.size - sizeof(passing->header);
    return true;
}

const struct counter_stream *recorder_stream_of(const struct recorder *recorder, const struct passing *passing)
{
    if (passing->header.type != PERF_RECORD_SAMPLE || passing->payload_bytes < SAMPLE_FIXED_BYTES)
        return NULL;
    uint64_t id = u64_at(passing->payload + SAMPLE_ID_AT);
    uint32_t index = hashmap_find(&recorder->streams_by_id, hash_u64(id), NULL, NULL, NULL);
    return index == HASHMAP_ABSENT ? NULL : &recorder->counters.streams.items[index];
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
    size_t at = sample_chain_at(attr, passing->payload, passing->payload_bytes);
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

static void look_at_dump(struct recorder *recorder, const struct passing *passing, const struct perf_event_attr *attr)
{
    struct stack_dump dump;
    if (!stack_dump_find(attr, passing->payload, passing->payload_bytes, &dump))
        return;
    recorder->result.stack_dumps++;
    recorder->result.stack_dumps_full += dump.used_bytes >= attr->sample_stack_user;
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
    files_apart_sampled(&recorder->files_apart, u64_at(passing->payload + SAMPLE_IP_AT));
    const struct counter_stream *stream = recorder_stream_of(recorder, passing);
    if (!stream)
        return;
    look_at_chain(recorder, passing, &stream->attr);
    look_at_dump(recorder, passing, &stream->attr);
}

static bool is_kernel_record(const struct passing *passing)
{
    return (passing->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

/* Of a record that is no sample. */
static uint64_t time_of(const struct passing *passing)
{
    enum { TIME_FROM_END = RECORDER_TRAILER_BYTES - 8 };
    return passing->payload_bytes < RECORDER_TRAILER_BYTES
               ? 0
               : u64_at(passing->payload + passing->payload_bytes - TIME_FROM_END);
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
    if (!is_kernel_record(passing) && recorder->result.callchain != CALLCHAIN_NONE)
        recorder_stacks_mapped(&recorder->stacks, u32_at(payload), time_of(passing), u64_at(payload + 8),
                               u64_at(payload + 16), u64_at(payload + 24), path);
    if (recorder->request.keep_code && !is_kernel_record(passing))
        recorder_code_mapped(&recorder->code, u32_at(payload), time_of(passing), u64_at(payload + 8),
                             u64_at(payload + 16), path);
    if (path[0] != '/' && !is_kernel_record(passing))
        return;
    struct build_id id = {0};
    if (passing->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID && payload[ID_AT] <= BUILD_ID_BYTES_MOST) {
        id.size_bytes = payload[ID_AT];
        memcpy(id.bytes, payload + ID_AT + 4, BUILD_ID_BYTES_MOST);
    }
    recorder_files_add(&recorder->files, path, &id, is_kernel_record(passing));
    if (recorder->request.keep_files && !is_kernel_record(passing))
        files_apart_mapped(&recorder->files_apart, &(struct record_mmap){.pid = u32_at(payload),
                                                                         .start = u64_at(payload + 8),
                                                                         .size_bytes = u64_at(payload + 16),
                                                                         .path = path,
                                                                         .build_id = id});
}

static void task_forked(struct recorder *recorder, uint32_t pid, uint32_t parent, uint64_t time_ns)
{
    stack_tops_forget(&recorder->stack_tops, pid);
    if (recorder->result.callchain != CALLCHAIN_NONE)
        recorder_stacks_forked(&recorder->stacks, pid, parent, time_ns);
    if (recorder->request.keep_code)
        recorder_code_forked(&recorder->code, pid, parent, time_ns);
}

static void task_execed(struct recorder *recorder, uint32_t pid, uint64_t time_ns)
{
    stack_tops_forget(&recorder->stack_tops, pid);
    recorder_stacks_execed(&recorder->stacks, pid, time_ns);
    recorder_code_forget(&recorder->code, pid, time_ns);
}

/* Whoever waits for the program hears of its end later, on a crowded machine by half a second. */
static void workload_exited(struct recorder *recorder, const struct passing *passing)
{
    enum { TIME_AT = 16 };
    const struct target *target = recorder->request.target;
    if (!target || target->kind != TARGET_WORKLOAD || !target->thread_count || passing->payload_bytes < TIME_AT + 8 ||
        u32_at(passing->payload) != (uint32_t)target->threads[0].pid)
        return;
    uint64_t time_ns = u64_at(passing->payload + TIME_AT);
    if (time_ns > recorder->result.exited_ns)
        recorder->result.exited_ns = time_ns;
}

/* FORK, EXIT: pid, parent's pid, tid, parent's tid, time. COMM: pid, tid. */
static void look_at_task(struct recorder *recorder, const struct passing *passing)
{
    const uint8_t *payload = passing->payload;
    if (passing->payload_bytes < 16)
        return;
    uint32_t pid = u32_at(payload);
    if (passing->header.type == PERF_RECORD_EXIT)
        workload_exited(recorder, passing);
    if (passing->header.type == PERF_RECORD_FORK && u32_at(payload + 4) != pid) {
        task_forked(recorder, pid, u32_at(payload + 4), time_of(passing));
    } else if (passing->header.type == PERF_RECORD_EXIT && u32_at(payload + 8) == pid) {
        recorder_stacks_ended(&recorder->stacks, pid);
        recorder_code_forget(&recorder->code, pid, time_of(passing));
    } else if (passing->header.type == PERF_RECORD_COMM && passing->header.misc & PERF_RECORD_MISC_COMM_EXEC) {
        task_execed(recorder, pid, time_of(passing));
    }
}

/* id, count. What a paced ring had no place for was left out on purpose. */
static void look_at_lost(struct recorder *recorder, const struct passing *passing)
{
    if (passing->payload_bytes < 16)
        return;
    uint32_t stream = hashmap_find(&recorder->streams_by_id, hash_u64(u64_at(passing->payload)), NULL, NULL, NULL);
    bool is_paced = stream != HASHMAP_ABSENT && recorder->counters.streams.items[stream].is_paced;
    *(is_paced ? &recorder->paced_lost_records : &recorder->result.lost_records) += u64_at(passing->payload + 8);
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
    case PERF_RECORD_LOST:
        look_at_lost(recorder, passing);
        break;
    case PERF_RECORD_THROTTLE:
        result->throttles++;
        break;
    default:
        break;
    }
}

size_t recorder_look(struct recorder *recorder, const uint8_t *bytes, size_t size_bytes)
{
    size_t at = 0;
    for (struct passing passing; passing_at(bytes, size_bytes, at, &passing); at += passing.header.size)
        look_at(recorder, &passing);
    recorder->result.broken_bytes += size_bytes - at;
    return at;
}

/* Events that the kernel hands to all who want them with one perf_sample_data. */
static bool is_shared(const struct counter_stream *stream)
{
    const struct perf_event_attr *attr = &stream->attr;
    bool own = attr->type == PERF_TYPE_SOFTWARE &&
               (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
    return stream->event != STREAM_TRACKING &&
           ((attr->type == PERF_TYPE_SOFTWARE && !own) || attr->type == PERF_TYPE_TRACEPOINT);
}

/*
 * The stream that a sample with a foreign id must be of; NULL: it may be of several. Of twins it is the one whose turn
 * it is; those of a paced event are alike.
 */
static const struct counter_stream *only_shared_stream(const struct recorder *recorder)
{
    const struct counter_stream *found = NULL;
    vec_for_each(&recorder->counters.streams, stream) {
        if (!is_shared(stream))
            continue;
        if (found && found->event != stream->event)
            return NULL;
        bool has_turn = stream->is_second && !stream->is_sparse && recorder->counters.on_twins;
        found = !found || has_turn ? stream : found;
    }
    return found;
}

/*
 * The stream of a sample. Beside another recording of the same event the kernel (6.2 and later) gives our sample the
 * other's id, which readers don't know: it gets ours back. False: no telling whose it is, so that it is lost.
 */
static bool sample_owner(struct recorder *recorder, uint8_t *bytes, const struct passing *passing,
                         const struct counter_stream **ret_stream)
{
    *ret_stream = recorder_stream_of(recorder, passing);
    if (*ret_stream || passing->header.type != PERF_RECORD_SAMPLE || passing->payload_bytes < SAMPLE_FIXED_BYTES)
        return true;
    *ret_stream = only_shared_stream(recorder);
    if (!*ret_stream || !(*ret_stream)->ids.count) {
        recorder->foreign_samples++;
        return false;
    }
    memcpy(bytes + sizeof(passing->header) + SAMPLE_ID_AT, &(*ret_stream)->ids.items[0], sizeof(uint64_t));
    return true;
}

size_t recorder_cut_excess(struct recorder *recorder, uint8_t *bytes, size_t size_bytes)
{
    size_t kept = 0, at = 0;
    for (struct passing passing; passing_at(bytes, size_bytes, at, &passing);) {
        const struct counter_stream *stream;
        size_t taken = passing.header.size;
        if (!sample_owner(recorder, bytes + at, &passing, &stream)) {
            at += taken;
            continue;
        }
        if (stream)
            passing.header.size =
                (uint16_t)(sizeof(passing.header) + sample_end(&stream->attr, passing.payload, passing.payload_bytes));
        if (kept != at)
            memmove(bytes + kept, bytes + at, passing.header.size);
        if (passing.header.size != taken)
            memcpy(bytes + kept, &passing.header, sizeof(passing.header));
        kept += passing.header.size;
        at += taken;
    }
    if (kept != at)
        memmove(bytes + kept, bytes + at, size_bytes - at); /* no record: who looks counts it */
    return kept + (size_bytes - at);
}

/* What the reader of an excerpt needs, and what it is about. The samples come trimmed. */
static void add_to_excerpt(struct recorder *recorder, const struct counter_stream *stream,
                           const struct passing *passing)
{
    const void *record = passing->payload - sizeof(passing->header);
    if (stream)
        recorder_excerpt_add_sample(&recorder->excerpt, record, passing->header.size);
    else if (passing->header.type == PERF_RECORD_FORK || passing->header.type == PERF_RECORD_COMM ||
             (passing->header.type == PERF_RECORD_MMAP2 && !(passing->header.misc & PERF_RECORD_MISC_MMAP_DATA)))
        recorder_excerpt_add_side(&recorder->excerpt, record, passing->header.size);
}

/* A thread's own stack has no arguments above it: what its process's top says doesn't matter there. */
static uint64_t stack_top_of(struct recorder *recorder, const struct passing *passing)
{
    enum { ARGUMENT_BYTES = 64 }; /* the count and the first arguments: the outermost frame ends there */
    uint64_t top = stack_tops_find(&recorder->stack_tops, u32_at(passing->payload + SAMPLE_THREAD_AT));
    return top ? top + ARGUMENT_BYTES : 0;
}

size_t recorder_trim_dumps(struct recorder *recorder, uint8_t *bytes, size_t size_bytes)
{
    size_t kept = 0, at = 0;
    for (struct passing passing; passing_at(bytes, size_bytes, at, &passing);) {
        const struct counter_stream *stream = recorder_stream_of(recorder, &passing);
        struct stack_dump dump;
        size_t taken = passing.header.size;
        memmove(bytes + kept, bytes + at, taken);
        passing.payload = bytes + kept + sizeof(passing.header);
        if (stream && stack_dump_find(&stream->attr, passing.payload, passing.payload_bytes, &dump)) {
            stack_dump_end_at(&dump, stack_top_of(recorder, &passing));
            passing.payload_bytes =
                stack_dump_trim(&dump, bytes + kept + sizeof(passing.header), passing.payload_bytes);
            passing.header.size = (uint16_t)(sizeof(passing.header) + passing.payload_bytes);
            memcpy(bytes + kept, &passing.header, sizeof(passing.header));
        } else {
            stream = NULL;
        }
        add_to_excerpt(recorder, stream, &passing);
        kept += passing.header.size;
        at += taken;
    }
    return kept;
}
