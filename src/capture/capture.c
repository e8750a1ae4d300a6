/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/capture.h"

#include "base/scope.h"
#include "base/table_memory.h"
#include "base/vec.h"
#include "capture/alike.h"
#include "decode/code_page.h"
#include "decode/layout.h"

#include <stdlib.h>

enum {
    FRAMES_MOST = 8192, /* of one stack; the kernel's own limit is 127 unless told otherwise */
    UNWOUND_MOST = 512,
    RECORDS_A_TICK = 64,
    ADDRESSES_KEPT = 1 << 15, /* a power of two */
    CHAINS_KEPT = 1 << 17,    /* a power of two: 2 MiB, however many processes with chains of their own come and go */
    CHAIN_WAYS = 4,
    RECORDS_AHEAD = 8,
    THREADS_KEPT = 256, /* a power of two */
};

/* A call chain's bytes, met before in the same state of the address spaces: its stack. Four of them are a cache line. */
struct chain_slot {
    uint64_t key;
    uint32_t more_key;
    uint32_t stack_behind; /* the stack's number and one; 0: an empty slot */
};

/* An address met before in the same state of its address space: the kernel's own, or the process'. */
struct address_slot {
    uint64_t ip;
    uint32_t space, generation, location;
    uint8_t mode;
    bool used;
};

/* A thread met before, at its number's low bits; the newest wins. */
struct thread_slot {
    uint32_t pid, tid, thread; /* THREAD_NONE: an empty slot */
};

struct read_counter {
    uint64_t last_value;
};

struct capture_state {
    struct chain_slot *chains; /* in each line of CHAIN_WAYS at the key the newest ones; NULL before the first */
    struct address_slot *addresses; /* at the address' hash; the newest wins */
    uint32_t frames[FRAMES_MOST];
    uint64_t frame_ips[FRAMES_MOST];
    size_t frame_count; /* of the last sample, with frames_only */
    uint64_t unwound[UNWOUND_MOST];
    size_t unwound_count; /* of the last sample */
    /* PERF_SAMPLE_READ: the last value of each counter, of inherited ones of each thread's copy */
    struct hashmap counter_by_id;
    vec(struct read_counter) counters;
    struct hashmap event_by_id;
    struct hashmap merged; /* index into samples by what they are alike in */
    size_t events_indexed;
    struct thread_slot threads[THREADS_KEPT];
    struct alike_samples alike;
    uint32_t epoch; /* another one whenever the same sample would lead to something else */
    const struct source *source;
    const struct capture_options *options;
};

static void threads_forget(struct capture_state *state)
{
    for (size_t at = 0; at < THREADS_KEPT; at++)
        state->threads[at].thread = THREAD_NONE;
}

void capture_init(struct capture *capture)
{
    *capture = (struct capture){0};
    recording_init(&capture->recording);
    capture->state = memory_alloc(sizeof(*capture->state));
    capture->state->addresses = table_memory_alloc(ADDRESSES_KEPT, sizeof(*capture->state->addresses));
    threads_forget(capture->state);
}

void capture_done(struct capture *capture)
{
    recording_done(&capture->recording);
    if (capture->state) {
        free(capture->state->chains);
        free(capture->state->addresses);
        alike_samples_done(&capture->state->alike);
        hashmap_done(&capture->state->counter_by_id);
        hashmap_done(&capture->state->event_by_id);
        hashmap_done(&capture->state->merged);
        vec_done(&capture->state->counters);
        free(capture->state);
    }
    *capture = (struct capture){0};
}

/* ---- threads and address spaces ---- */

static uint32_t thread_of(struct capture *capture, uint32_t pid, uint32_t tid);

/* The address space of a process: that of its first thread. */
static uint32_t space_of(struct capture *capture, uint32_t pid)
{
    uint32_t thread = thread_of(capture, pid, pid); /* may move the items */
    return capture->recording.threads.items[thread].space;
}

static struct thread_slot *thread_slot(struct capture_state *state, uint32_t tid)
{
    return &state->threads[tid & (THREADS_KEPT - 1)];
}

static uint32_t thread_meet(struct capture *capture, uint32_t pid, uint32_t tid)
{
    struct recording *recording = &capture->recording;
    uint32_t id = threads_get(&recording->threads, pid, tid);
    if (recording->threads.items[id].space == UINT32_MAX) {
        capture->state->epoch++; /* whoever had the number is no more */
        uint32_t space = pid == tid ? address_spaces_begin(&recording->spaces, pid) : space_of(capture, pid);
        recording->threads.items[id].space = space;
        /* Nothing forked the idle threads: nobody tells their name. */
        if (tid == 0)
            recording->threads.items[id].comm = strings_intern(&recording->strings, "swapper");
    }
    *thread_slot(capture->state, tid) = (struct thread_slot){pid, tid, id};
    return id;
}

static uint32_t thread_of(struct capture *capture, uint32_t pid, uint32_t tid)
{
    const struct thread_slot *slot = thread_slot(capture->state, tid);
    bool met = slot->thread != THREAD_NONE && slot->pid == pid && slot->tid == tid;
    return met ? slot->thread : thread_meet(capture, pid, tid);
}

static void apply_comm(struct capture *capture, const struct record *record)
{
    struct recording *recording = &capture->recording;
    const struct record_comm *comm = &record->comm;
    uint32_t id = thread_of(capture, comm->pid, comm->tid);
    recording->threads.items[id].comm = strings_intern(&recording->strings, comm->comm);
    if (comm->is_exec)
        address_spaces_leave(&recording->spaces, recording->threads.items[id].space);
}

static void apply_fork(struct capture *capture, const struct record *record)
{
    enum {
        SYNTHESISED = 1 << 13 /* PERF_RECORD_MISC_FORK_EXEC: a process that ran already; its own maps follow */
    };
    struct recording *recording = &capture->recording;
    const struct record_task *task = &record->task;
    uint32_t comm = 0, parent_space = UINT32_MAX;
    if (threads_find(&recording->threads, task->parent_tid) != THREAD_NONE || task->pid == task->parent_pid) {
        uint32_t parent = thread_of(capture, task->parent_pid, task->parent_tid);
        comm = recording->threads.items[parent].comm;
        parent_space = recording->threads.items[parent].space;
    }
    if (task->pid == task->parent_pid && task->tid == task->parent_tid)
        return; /* a thread that is its own parent: how perf lists what ran before */
    uint32_t id = threads_begin(&recording->threads, task->pid, task->tid, task->time);
    uint32_t space;
    if (task->pid == task->parent_pid)
        space = parent_space;
    else if (parent_space == UINT32_MAX || record->misc & SYNTHESISED)
        space = address_spaces_begin(&recording->spaces, task->pid);
    else
        space = address_spaces_fork(&recording->spaces, parent_space, task->pid);
    recording->threads.items[id].space = space;
    recording->threads.items[id].comm = comm;
    thread_slot(capture->state, task->tid)->thread = THREAD_NONE;
}

static void apply_exit(struct capture *capture, const struct record *record)
{
    uint32_t id = threads_find(&capture->recording.threads, record->task.tid);
    if (id != THREAD_NONE)
        capture->recording.threads.items[id].ended_ns = record->task.time;
}

static bool is_kernel_map(const struct record *record)
{
    return record->cpu_mode == CPU_MODE_KERNEL || (record->cpu_mode == CPU_MODE_UNKNOWN && record->mmap.pid == UINT32_MAX);
}

static void apply_mmap(struct capture *capture, const struct record *record)
{
    struct recording *recording = &capture->recording;
    uint64_t time = record->who.has_time ? record->who.time : 0;
    if (record->cpu_mode == CPU_MODE_GUEST_KERNEL || record->cpu_mode == CPU_MODE_GUEST_USER)
        return; /* a guest's addresses: host names would be wrong */
    if (is_kernel_map(record)) {
        if (view_starts(view_of(record->mmap.path), "[kernel.kallsyms]"))
            recording->kernel_text_addr = record->mmap.file_offset;
        address_spaces_map(&recording->spaces, &recording->strings, SPACE_KERNEL, &record->mmap, time);
        return;
    }
    uint32_t space = space_of(capture, record->mmap.pid);
    address_spaces_map(&recording->spaces, &recording->strings, space, &record->mmap, time);
}

static void apply_switch(struct capture *capture, const struct record *record)
{
    struct recording *recording = &capture->recording;
    if (!capture->state->options->keep_switches || !record->who.has_thread || !record->who.has_time)
        return;
    recording->switches = vec_reserve_bytes(recording->switches, &recording->switch_capacity,
                                            recording->switch_count + 1, sizeof(*recording->switches));
    recording->switches[recording->switch_count++] =
        (struct context_switch){.time_ns = record->who.time,
                                .thread = thread_of(capture, record->who.pid, record->who.tid),
                                .cpu = record->who.has_cpu ? record->who.cpu : UINT32_MAX,
                                .out = record->context_switch.out,
                                .preempted = record->context_switch.preempted};
}

static void apply_ksymbol(struct capture *capture, const struct record *record)
{
    bool gone = record->ksymbol.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
    address_spaces_ksymbol(&capture->recording.spaces, &capture->recording.strings, &record->ksymbol, gone,
                           record->who.time);
}

/* ---- samples ---- */

uint32_t capture_locate(struct capture *capture, uint32_t space, uint64_t runtime_addr, enum cpu_mode mode)
{
    struct recording *recording = &capture->recording;
    struct location location = {
        .dso = address_spaces_unknown_dso(&recording->spaces),
        .space = space,
        .dso_addr = runtime_addr,
        .runtime_addr = runtime_addr,
        .cpu_mode = mode,
    };
    const struct mapping *mapping = NULL;
    if (mode == CPU_MODE_USER) {
        mapping = address_spaces_find(&recording->spaces, space, runtime_addr);
    } else if (mode == CPU_MODE_KERNEL) {
        location.space = SPACE_KERNEL;
        /*
         * Code of modules loaded later has no mapping, but the kernel's table of symbols knows it. An address of the
         * lower half, taken just as the kernel was entered, isn't the kernel's when that lives in the upper one.
         */
        const struct address_space *kernel = &recording->spaces.items[SPACE_KERNEL];
        if (kernel->count && kernel->mappings[0].start >> 63 <= runtime_addr >> 63)
            location.dso = address_spaces_kernel_dso(&recording->spaces);
        mapping = address_spaces_find(&recording->spaces, SPACE_KERNEL, runtime_addr);
    }
    if (mapping) {
        location.dso = mapping->dso;
        location.dso_addr = address_spaces_dso_addr(&recording->spaces, mapping, runtime_addr);
    }
    return samples_location(&recording->samples, &location);
}

/* The mode that a mark in a call chain begins; false for marks nobody knows. */
static bool context_mode(uint64_t mark, enum cpu_mode *ret_mode)
{
    switch (mark) {
    case PERF_CONTEXT_HV:
        *ret_mode = CPU_MODE_HYPERVISOR;
        return true;
    case PERF_CONTEXT_KERNEL:
        *ret_mode = CPU_MODE_KERNEL;
        return true;
    case PERF_CONTEXT_USER:
        *ret_mode = CPU_MODE_USER;
        return true;
    case PERF_CONTEXT_GUEST:
    case PERF_CONTEXT_GUEST_KERNEL:
        *ret_mode = CPU_MODE_GUEST_KERNEL;
        return true;
    case PERF_CONTEXT_GUEST_USER:
        *ret_mode = CPU_MODE_GUEST_USER;
        return true;
    default:
        return false;
    }
}

static struct address_slot *address_slot(struct capture_state *state, uint64_t ip)
{
    return &state->addresses[hash_u64(ip) & (ADDRESSES_KEPT - 1)];
}

/* capture_locate, with what it said before. Kernel code is the same to all processes. */
static uint32_t address_locate(struct capture *capture, uint32_t space, uint64_t ip, enum cpu_mode mode)
{
    struct address_slot *slot = address_slot(capture->state, ip);
    uint32_t mapped_in = mode == CPU_MODE_KERNEL ? SPACE_KERNEL : space;
    uint32_t generation = capture->recording.spaces.items[mapped_in].generation;
    if (slot->used && slot->ip == ip && slot->space == mapped_in && slot->mode == mode && slot->generation == generation)
        return slot->location;
    *slot = (struct address_slot){.ip = ip,
                               .space = mapped_in,
                               .generation = generation,
                               .location = capture_locate(capture, space, ip, mode),
                               .mode = (uint8_t)mode,
                               .used = true};
    return slot->location;
}

/* Frames of a recorded chain, or those behind its first one. */
struct chain_part {
    struct u64_view words;
    enum cpu_mode mode; /* until a mark says otherwise */
    bool of_callers;    /* the sampled instruction was taken off */
};

/* Locations of frames into state->frames; returns how many. */
static size_t chain_locate(struct capture *capture, uint32_t space, const struct chain_part *part)
{
    const struct u64_view *chain = &part->words;
    enum cpu_mode mode = part->mode;
    size_t count = 0, most = FRAMES_MOST - (size_t)part->of_callers;
    for (uint32_t at = 0; at < chain->count && count < most; at++) {
        uint64_t ip = u64_view_at(chain, at);
        if (ip == CONTEXT_USER_DEFERRED) {
            at++; /* a cookie; the frames come in a record of their own */
            continue;
        }
        if (ip >= (uint64_t)PERF_CONTEXT_MAX) {
            if (!context_mode(ip, &mode))
                break;
            continue;
        }
        capture->state->frame_ips[count] = ip;
        capture->state->frames[count++] = address_locate(capture, space, ip, mode);
    }
    return count;
}

static uint64_t chain_word(const struct u64_view *chain, uint32_t at)
{
    uint64_t ip;
    memcpy(&ip, chain->bytes + (size_t)at * 8, sizeof(ip));
    return ip;
}

/* What is known of a sample's chain before it is its turn. */
struct chain_ahead {
    struct chain_part part;
    uint64_t hash[2]; /* of the chain's bytes, and of whose they are */
    bool is_kernel;   /* no frame is a process' own */
};

/* What is known of a sample before it is its turn. */
struct sample_ahead {
    struct chain_ahead chain;
    struct alike_key alike; /* until the state of threads and address spaces is mixed in */
    bool may_be_alike;
};

/* Words go to the two halves in turns. */
static void chain_hash(struct chain_ahead *chain, uint32_t pid)
{
    const struct u64_view *words = &chain->part.words;
    uint64_t a = hash_u64(words->count + 1), b = hash_u64((uint64_t)chain->part.mode * 2 + chain->part.of_callers + 1), marks = 0;
    uint32_t at = 0;
    for (; at + 1 < words->count; at += 2) {
        uint64_t even = chain_word(words, at), odd = chain_word(words, at + 1);
        a = (a ^ even) * 0x9e3779b97f4a7c15u;
        b = (b ^ odd) * 0xc2b2ae3d27d4eb4fu;
        a ^= a >> 29;
        b ^= b >> 31;
        marks += (even >= (uint64_t)PERF_CONTEXT_MAX) + (odd >= (uint64_t)PERF_CONTEXT_MAX);
    }
    if (at < words->count) {
        a = (a ^ chain_word(words, at)) * 0x9e3779b97f4a7c15u;
        marks += chain_word(words, at) >= (uint64_t)PERF_CONTEXT_MAX;
    }
    chain->is_kernel = chain->part.mode == CPU_MODE_KERNEL && !marks && !words->swapped;
    chain->hash[0] = hash_combine(a, b);
    chain->hash[1] = hash_u64(b ^ a << 32 ^ a >> 32 ^ (chain->is_kernel ? 0 : (uint64_t)pid << 17));
}

/* The hash's line of slots: whatever is mapped meanwhile, it is the same. */
static struct chain_slot *chain_line(struct capture_state *state, const struct chain_ahead *chain)
{
    return &state->chains[(chain->hash[1] >> 32) * CHAIN_WAYS & (CHAINS_KEPT - 1)];
}

/* Where the chain's stack is, or an empty slot for it: what has been there longest makes room. */
static struct chain_slot *chain_slot(struct capture *capture, uint32_t space, const struct chain_ahead *chain)
{
    const struct address_space *spaces = capture->recording.spaces.items;
    uint64_t mapped = chain->is_kernel ? 0 : hash_u64(((uint64_t)space << 32 | spaces[space].generation) + 1);
    uint64_t key = hash_combine(chain->hash[0], mapped + spaces[SPACE_KERNEL].generation);
    uint32_t more_key = (uint32_t)chain->hash[1];
    struct chain_slot *line = chain_line(capture->state, chain);
    for (size_t way = 0; way < CHAIN_WAYS; way++)
        if (line[way].key == key && line[way].more_key == more_key)
            return &line[way];
    memmove(line + 1, line, (CHAIN_WAYS - 1) * sizeof(*line));
    *line = (struct chain_slot){.key = key, .more_key = more_key};
    return line;
}

/*
 * The stack of a recorded chain. Chains repeat: the address spaces are asked only for those not met lately.
 * Two different chains with equal keys of 96 bits would be taken for one; that is less likely than a memory error.
 */
static uint32_t chain_stack(struct capture *capture, uint32_t space, const struct chain_ahead *chain)
{
    struct samples *samples = &capture->recording.samples;
    const struct chain_part *part = &chain->part;
    struct chain_slot *slot = chain_slot(capture, space, chain);
    if (!slot->stack_behind) {
        size_t count = chain_locate(capture, space, part);
        const uint32_t *frames = capture->state->frames;
        slot->stack_behind = 1 + (part->of_callers ? samples_callers(samples, frames, count) : samples_stack(samples, frames, count));
    }
    return slot->stack_behind - 1;
}

/* What is left of a stack that nobody keeps. */
static uint32_t frames_left(struct capture_state *state, size_t count)
{
    state->frame_count = count;
    return STACK_NONE;
}

/* The instruction where the program stood: the outermost frame known when nobody unwinds the stack dump. */
static size_t leaf_of_registers(const struct capture *capture, const struct record_sample *sample, uint64_t *ret_ip)
{
    static const struct {
        const char *architecture;
        unsigned number;
    } ips[] = {{"x86_64", 8}, {"i686", 8}, {"aarch64", 32}, {"armv7l", 15}, {"riscv64", 0}, {"ppc64le", 32}};
    for (size_t at = 0; at < array_count(ips); at++)
        if (strcmp(ips[at].architecture, capture->recording.architecture) == 0)
            return sample_register(&sample->user_registers, ips[at].number, ret_ip);
    return 0;
}

/* A chain by frame pointers may stand beside the dump: the dump knows more. */
static struct u64_view kernel_part(const struct u64_view *chain)
{
    struct u64_view part = *chain;
    for (part.count = 0; part.count < chain->count; part.count++)
        if (u64_view_at(chain, part.count) == (uint64_t)PERF_CONTEXT_USER)
            break;
    return part;
}

/* Kernel frames as recorded, then what the unwinder makes of registers and stack dump. */
static uint32_t unwound_stack(struct capture *capture, uint32_t space, const struct record_sample *sample)
{
    struct capture_state *state = capture->state;
    const struct capture_unwinder *unwinder = state->options->unwinder;
    size_t user = unwinder ? unwinder->unwind(unwinder->context, &capture->recording, space, sample, state->unwound,
                                              UNWOUND_MOST)
                           : 0;
    struct u64_view kernel = kernel_part(&sample->callchain);
    if (!user && kernel.count < sample->callchain.count)
        kernel = sample->callchain;
    else if (!user)
        user = leaf_of_registers(capture, sample, state->unwound);
    state->unwound_count = user;
    size_t count = chain_locate(capture, space, &(struct chain_part){.words = kernel, .mode = CPU_MODE_USER});
    for (size_t at = 0; at < user && count < FRAMES_MOST; at++) {
        state->frame_ips[count] = state->unwound[at];
        state->frames[count++] = address_locate(capture, space, state->unwound[at], CPU_MODE_USER);
    }
    if (state->options->frames_only)
        return frames_left(state, count);
    return samples_stack(&capture->recording.samples, state->frames, count);
}

/* What is wanted of a chain. The sampled instruction stands behind its first mark, unless the chain was made otherwise. */
static struct chain_part chain_part(const struct capture_options *options, const struct record *record)
{
    const struct u64_view recorded = options->stacks == STACKS_ALL ? record->sample.callchain : kernel_part(&record->sample.callchain);
    const struct u64_view *chain = &recorded;
    struct chain_part whole = {.words = *chain, .mode = CPU_MODE_USER}, callers = {.of_callers = true};
    if (!options->callers_apart || !(record->sample.sample_type & PERF_SAMPLE_IP) || chain->count < 2 ||
        u64_view_at(chain, 1) != record->sample.ip || record->sample.ip >= (uint64_t)PERF_CONTEXT_MAX || !context_mode(u64_view_at(chain, 0), &callers.mode) ||
        callers.mode != record->cpu_mode)
        return whole;
    callers.words = (struct u64_view){chain->bytes + (size_t)2 * 8, chain->count - 2, chain->swapped};
    return callers;
}

/* Whether the sample's stack is to be unwound. */
static bool has_dump(const struct capture_options *options, const struct record_sample *sample)
{
    return options->stacks == STACKS_ALL && sample->user_stack.size_bytes && sample->user_registers.abi;
}

/* Whether the sample's stack is its recorded chain. */
static bool has_chain(const struct capture_options *options, const struct record *record)
{
    const struct record_sample *sample = &record->sample;
    bool is_wanted = options->stacks == STACKS_ALL || (options->stacks == STACKS_IN_KERNEL && record->cpu_mode == CPU_MODE_KERNEL);
    return is_wanted && !has_dump(options, sample) && sample->sample_type & PERF_SAMPLE_CALLCHAIN && sample->callchain.count;
}

static uint32_t stack_of(struct capture *capture, uint32_t space, const struct record *record, const struct chain_ahead *chain)
{
    const struct capture_options *options = capture->state->options;
    const struct record_sample *sample = &record->sample;
    capture->state->unwound_count = capture->state->frame_count = 0;
    if (has_dump(options, sample))
        return unwound_stack(capture, space, sample);
    if (!has_chain(options, record))
        return STACK_NONE;
    if (sample->sample_type & PERF_SAMPLE_STACK_USER)
        capture->stacks_without_dump += kernel_part(&sample->callchain).count < sample->callchain.count;
    return options->frames_only ? frames_left(capture->state, chain_locate(capture, space, &chain->part)) : chain_stack(capture, space, chain);
}

size_t capture_unwound(const struct capture *capture, const uint64_t **ret_ips)
{
    *ret_ips = capture->state->unwound;
    return capture->state->unwound_count;
}

struct capture_frames capture_frames(const struct capture *capture)
{
    const struct capture_state *state = capture->state;
    return (struct capture_frames){state->frames, state->frame_ips, state->frame_count};
}

static uint64_t period_of(const struct capture *capture, const struct record *record)
{
    if (record->sample.sample_type & PERF_SAMPLE_PERIOD)
        return record->sample.period;
    const struct source *source = capture->state->source;
    return record->event < source->event_count ? source->events[record->event].attr.sample_period : 0;
}

static struct sample sample_of(struct capture *capture, const struct record *record, const struct chain_ahead *chain)
{
    struct recording *recording = &capture->recording;
    const struct record_sample *raw = &record->sample;
    uint32_t pid = record->who.has_thread ? record->who.pid : UINT32_MAX;
    uint32_t tid = record->who.has_thread ? record->who.tid : UINT32_MAX;
    uint32_t thread = thread_of(capture, pid, tid);
    uint32_t space = recording->threads.items[thread].space;
    uint32_t location = raw->sample_type & PERF_SAMPLE_IP ? address_locate(capture, space, raw->ip, record->cpu_mode) : LOCATION_NONE;
    return (struct sample){
        .time_ns = record->who.time,
        .period = period_of(capture, record),
        .ip = raw->ip,
        .data_addr = raw->addr,
        .thread = thread,
        .cpu = record->who.has_cpu ? record->who.cpu : UINT32_MAX,
        .comm = recording->threads.items[thread].comm,
        .location = location,
        .stack = stack_of(capture, space, record, chain),
        .registers = REGISTERS_NONE,
        .event = (uint16_t)record->event,
        .misc = record->misc,
    };
}

/*
 * How far a counter came since its last sample; each sample of a group carries all its counters. key: of the counter. One
 * that is behind itself began anew: a thread's number was given to another.
 */
static uint64_t counter_advance(struct capture_state *state, uint64_t key, uint64_t value)
{
    uint32_t index = hashmap_find(&state->counter_by_id, key, NULL, NULL, NULL);
    if (index == HASHMAP_ABSENT) {
        index = (uint32_t)state->counters.count;
        *vec_push(&state->counters) = (struct read_counter){0};
        hashmap_add(&state->counter_by_id, key, index);
    }
    struct read_counter *counter = &state->counters.items[index];
    uint64_t advance = value < counter->last_value ? value : value - counter->last_value;
    counter->last_value = value;
    return advance;
}

/* Inherited counters are copied for each thread, with the id of the first (allowed together with reads since Linux 6.12). */
static uint64_t counter_key(const struct capture_state *state, const struct record *record, uint64_t id)
{
    bool by_thread = record->event < state->source->event_count && state->source->events[record->event].attr.inherit &&
                     record->sample.sample_type & PERF_SAMPLE_TID;
    return by_thread ? hash_combine(hash_u64(id), record->who.tid) : hash_u64(id);
}

static uint32_t event_of_id(struct capture_state *state, uint64_t id)
{
    for (; state->events_indexed < state->source->event_count; state->events_indexed++) {
        const struct source_event *event = &state->source->events[state->events_indexed];
        for (size_t at = 0; at < event->id_count; at++)
            hashmap_put(&state->event_by_id, hash_u64(event->ids[at]), (uint32_t)state->events_indexed);
    }
    return hashmap_find(&state->event_by_id, hash_u64(id), NULL, NULL, NULL);
}

static struct recorded_event *event_at(struct recording *recording, uint32_t event)
{
    return event < recording->event_count ? &recording->events[event] : NULL;
}

static void keep_merged(struct capture *capture, const struct sample *sample)
{
    struct samples *samples = &capture->recording.samples;
    bool is_exact = sample->misc & PERF_RECORD_MISC_EXACT_IP;
    uint64_t key = hash_u64((uint64_t)is_exact << 48 | (uint64_t)sample->event << 32 | sample->location);
    uint32_t at = hashmap_find(&capture->state->merged, key, NULL, NULL, NULL);
    if (at != HASHMAP_ABSENT) {
        samples->items[at].alike += sample->alike + 1;
        samples->items[at].period += sample->period;
        return;
    }
    hashmap_add(&capture->state->merged, key, (uint32_t)samples->count);
    *vec_push(samples) = *sample;
}

static bool give_out(struct capture *capture, const struct record *record, struct sample *sample)
{
    struct recording *recording = &capture->recording;
    const struct capture_options *options = capture->state->options;
    struct recorded_event *event = event_at(recording, sample->event);
    if (event) {
        event->sample_count += (uint64_t)sample->alike + 1;
        event->period_sum += sample->period;
    }
    if (options->keep_samples && options->merge_samples) {
        keep_merged(capture, sample);
    } else if (options->keep_samples) {
        sample->registers = samples_registers(&recording->samples, &record->sample.user_registers);
        *vec_push(&recording->samples) = *sample;
    }
    return !options->watch || options->watch->record(options->watch->context, capture, record, sample);
}

/* One sample for each counter that moved, as its event would have sampled it. */
static bool give_out_read(struct capture *capture, const struct record *record, struct sample *sample)
{
    for (uint32_t at = 0; at < sample_read_count(&record->sample); at++) {
        struct sample_read_value value = sample_read_value(&record->sample, at);
        uint32_t event = event_of_id(capture->state, value.id);
        sample->period = counter_advance(capture->state, counter_key(capture->state, record, value.id), value.value);
        sample->event = event == HASHMAP_ABSENT ? (uint16_t)record->event : (uint16_t)event;
        if (sample->period && !give_out(capture, record, sample))
            return false;
    }
    return true;
}

/* What a row counted beside the sample that it began with. */
static bool give_out_alike(struct capture *capture, struct sample *row)
{
    row->alike--; /* further ones beside this one */
    return give_out(capture, NULL, row);
}

static bool give_out_all_alike(struct capture *capture)
{
    struct sample *row;
    bool goes_on = true;
    for (size_t at = 0; goes_on && (row = alike_samples_next(&capture->state->alike, &at));)
        goes_on = give_out_alike(capture, row);
    alike_samples_done(&capture->state->alike);
    return goes_on;
}

/* The first of its like is given out at once: in its place among the others. */
static bool give_out_first(struct capture *capture, const struct record *record, const struct alike_key *key, struct sample *sample)
{
    struct sample *row = alike_samples_add(&capture->state->alike, key);
    if (row->alike && !give_out_alike(capture, row))
        return false;
    *row = *sample;
    row->period = 0;
    return give_out(capture, record, sample);
}

static struct alike_key key_now(const struct capture_state *state, const struct sample_ahead *ahead)
{
    struct alike_key key = ahead->alike;
    key.key ^= (uint64_t)state->epoch << 32 | state->epoch;
    return key;
}

static bool apply_alike(struct capture *capture, const struct record *record, const struct sample_ahead *ahead)
{
    struct alike_key key = key_now(capture->state, ahead);
    struct sample *row = alike_samples_find(&capture->state->alike, &key);
    if (row) {
        row->alike++;
        row->period += period_of(capture, record);
        return true;
    }
    struct sample sample = sample_of(capture, record, &ahead->chain);
    key = key_now(capture->state, ahead);
    return give_out_first(capture, record, &key, &sample);
}

static bool apply_sample(struct capture *capture, const struct record *record, const struct sample_ahead *ahead)
{
    if (ahead->may_be_alike)
        return apply_alike(capture, record, ahead);
    struct sample sample = sample_of(capture, record, &ahead->chain);
    bool reads = record->sample.sample_type & PERF_SAMPLE_READ && record->sample.read_format & PERF_FORMAT_ID;
    return reads ? give_out_read(capture, record, &sample) : give_out(capture, record, &sample);
}

/* ---- the loop ---- */

static void events_describe(struct capture *capture, const struct source *source)
{
    struct recording *recording = &capture->recording;
    if (recording->event_count == source->event_count)
        return;
    struct recorded_event *events = arena_array(&recording->arena, struct recorded_event, source->event_count);
    size_t kept = recording->event_count < source->event_count ? recording->event_count : source->event_count;
    if (kept)
        memcpy(events, recording->events, kept * sizeof(*events));
    recording->events = events;
    recording->event_count = source->event_count;
}

static bool counts_ns(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_SOFTWARE &&
           (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static bool counts_time(const struct recorded_event *event)
{
    return event->counts_ns || (event->type == PERF_TYPE_HARDWARE && event->config == PERF_COUNT_HW_CPU_CYCLES);
}

static bool counts_again(const struct recorded_event *events, size_t index)
{
    for (size_t at = 0; at < index; at++)
        if ((events[at].type == events[index].type && events[at].config == events[index].config) ||
            (counts_time(&events[at]) && events[index].counts_ns))
            return true;
    return false;
}

/* Events of a pipe get their names late: fill in what is known. */
static void events_name(struct capture *capture, const struct source *source)
{
    struct recording *recording = &capture->recording;
    events_describe(capture, source);
    for (size_t at = 0; at < source->event_count; at++) {
        const struct perf_event_attr *attr = &source->events[at].attr;
        struct recorded_event *event = &recording->events[at];
        event->name = arena_string(&recording->arena, source->events[at].name);
        event->type = attr->type;
        event->config = attr->config;
        event->sample_type = attr->sample_type;
        event->user_register_mask = attr->sample_regs_user;
        event->period = attr->sample_period;
        event->is_frequency = attr->freq;
        event->counts_ns = counts_ns(attr);
        event->counts_again = counts_again(recording->events, at);
        event->user_only = attr->exclude_kernel;
    }
}

static const char *copied(struct arena *arena, const char *text)
{
    return text ? arena_string(arena, text) : NULL;
}

static void facts_copy(struct capture *capture, const struct source *source)
{
    struct arena *arena = &capture->recording.arena;
    struct source_facts facts = source->facts;
    facts.hostname = copied(arena, facts.hostname);
    facts.os_release = copied(arena, facts.os_release);
    facts.tool_version = copied(arena, facts.tool_version);
    facts.architecture = copied(arena, facts.architecture);
    facts.cpu_description = copied(arena, facts.cpu_description);
    facts.cpu_id = copied(arena, facts.cpu_id);
    const char **words = arena_array(arena, const char *, facts.command_line_count);
    for (size_t at = 0; at < facts.command_line_count; at++)
        words[at] = copied(arena, facts.command_line[at]);
    facts.command_line = words;
    if (facts.tracing_data.size_bytes == capture->facts.tracing_data.size_bytes)
        facts.tracing_data = capture->facts.tracing_data; /* copied before */
    else
        facts.tracing_data.bytes = arena_copy(arena, facts.tracing_data.bytes, facts.tracing_data.size_bytes);
    capture->facts = facts;
    capture->losses = source->losses;
    if (facts.architecture)
        capture->recording.architecture = facts.architecture;
}

/* JIT code that plumb record copied; a record of that type by anyone else is an ancient event name. */
static void apply_code_page(struct capture *capture, const struct record *record)
{
    struct recording *recording = &capture->recording;
    struct code_page page;
    struct error ignored;
    if (!code_page_decode(record->payload, capture->state->source->facts.is_swapped, &page, &ignored))
        return;
    recording->code_pages = vec_reserve_bytes(recording->code_pages, &recording->code_pages_capacity,
                                              recording->code_pages_count + 1, sizeof(*recording->code_pages));
    recording->code_pages[recording->code_pages_count++] =
        (struct code_pages){.pid = page.pid,
                            .runtime_addr = page.runtime_addr,
                            .bytes = arena_copy(&recording->arena, page.bytes, page.size_bytes),
                            .size_bytes = page.size_bytes,
                            .time_ns = page.time_ns};
}

static bool apply(struct capture *capture, const struct record *record, const struct sample_ahead *ahead)
{
    if (record->kind == RECORD_SAMPLE)
        return apply_sample(capture, record, ahead);
    if (record->kind != RECORD_SWITCH)
        capture->state->epoch++;
    switch (record->kind) {
    case RECORD_MMAP:
        apply_mmap(capture, record);
        break;
    case RECORD_COMM:
        apply_comm(capture, record);
        break;
    case RECORD_FORK:
        apply_fork(capture, record);
        break;
    case RECORD_EXIT:
        apply_exit(capture, record);
        break;
    case RECORD_SWITCH:
        apply_switch(capture, record);
        break;
    case RECORD_KSYMBOL:
        apply_ksymbol(capture, record);
        break;
    case RECORD_EVENT_TYPE:
        apply_code_page(capture, record);
        break;
    case RECORD_BUILD_ID:
        address_spaces_build_id(&capture->recording.spaces, &capture->recording.strings, record->build_id.path,
                                &record->build_id.build_id, record->cpu_mode);
        break;
    default:
        break;
    }
    const struct capture_watch *watch = capture->state->options->watch;
    return !watch || watch->record(watch->context, capture, record, NULL);
}

/*
 * A further source goes into the same model only with the same events: samples name theirs by index. What belongs to one
 * source (identifiers, counters' last values) begins anew.
 */
static bool source_follows(struct capture *capture, const struct source *source, struct error *err)
{
    struct recording *recording = &capture->recording;
    struct capture_state *state = capture->state;
    bool same = !state->source || source->event_count == recording->event_count;
    for (size_t at = 0; state->source && same && at < source->event_count; at++)
        same = recording->events[at].type == source->events[at].attr.type &&
               recording->events[at].config == source->events[at].attr.config;
    if (!same)
        return error_set(err, ERROR_FORMAT, "it was recorded with other events than the recording before it");
    hashmap_done(&state->counter_by_id);
    hashmap_done(&state->event_by_id);
    state->counter_by_id = state->event_by_id = (struct hashmap){0};
    state->counters.count = 0;
    state->events_indexed = 0;
    threads_forget(state);
    return true;
}

/* Records that wait for their turn, while the memory that they will need is fetched. */
struct records_ahead {
    struct record records[RECORDS_AHEAD];
    struct sample_ahead samples[RECORDS_AHEAD];
    unsigned first, count;
    bool ended;
};

/* Whether all that is wanted of the sample is what the key of samples alike tells. */
static bool may_be_alike(const struct capture_options *options, const struct record_sample *sample)
{
    const uint64_t told_apart_otherwise = PERF_SAMPLE_READ | PERF_SAMPLE_STACK_USER;
    return options->add_up_alike && sample->sample_type & PERF_SAMPLE_IP && !(sample->sample_type & told_apart_otherwise);
}

static struct alike_key alike_key(const struct record *record, const struct chain_ahead *chain)
{
    uint64_t who = hash_u64((uint64_t)record->who.pid << 32 | record->who.tid);
    uint64_t what = (record->sample.ip ^ ((uint64_t)record->event << 48 | (uint64_t)record->misc << 32)) * 0x9e3779b97f4a7c15u;
    uint64_t key = hash_u64(who ^ what ^ chain->hash[0]);
    return (struct alike_key){.key = key, .more_key = (uint32_t)((who + (what >> 32) + chain->hash[1]) * 0xc2b2ae3d27d4eb4fu >> 32), .line = (uint32_t)(key >> 32)};
}

static void chain_look_ahead(struct capture_state *state, const struct record *record, struct chain_ahead *chain)
{
    chain->hash[0] = chain->hash[1] = 0;
    if (!has_chain(state->options, record))
        return;
    chain->part = chain_part(state->options, record);
    if (state->options->frames_only)
        return;
    if (!state->chains)
        state->chains = table_memory_alloc(CHAINS_KEPT, sizeof(*state->chains));
    chain_hash(chain, record->who.pid);
    __builtin_prefetch(chain_line(state, chain));
}

static void sample_look_ahead(struct capture_state *state, const struct record *record, struct sample_ahead *ahead)
{
    if (record->sample.sample_type & PERF_SAMPLE_IP)
        __builtin_prefetch(address_slot(state, record->sample.ip));
    chain_look_ahead(state, record, &ahead->chain);
    ahead->may_be_alike = may_be_alike(state->options, &record->sample);
    if (!ahead->may_be_alike)
        return;
    ahead->alike = alike_key(record, &ahead->chain);
    alike_samples_fetch(&state->alike, &ahead->alike);
}

/* As far ahead as records stay. */
static void records_look_ahead(struct capture *capture, struct source *source, struct records_ahead *ahead, struct error *err)
{
    bool stays = true;
    while (!ahead->ended && stays && ahead->count < RECORDS_AHEAD) {
        unsigned at = (ahead->first + ahead->count) % RECORDS_AHEAD;
        ahead->ended = !source->ops->next(source, &ahead->records[at], err);
        if (ahead->ended)
            break;
        ahead->count++;
        stays = source->record_stays;
        if (ahead->records[at].kind == RECORD_SAMPLE)
            sample_look_ahead(capture->state, &ahead->records[at], &ahead->samples[at]);
    }
}

static bool record_apply(struct capture *capture, struct source *source, const struct record *record, const struct sample_ahead *ahead)
{
    if (record->kind == RECORD_HEADER_FEATURE)
        facts_copy(capture, source); /* a pipe tells its facts as it goes */
    return apply(capture, record, ahead);
}

bool capture_fill_with(struct capture *capture, struct source *source, const struct capture_options *options,
                       struct error *err)
{
    struct error trouble = {0};
    if (!source_follows(capture, source, err))
        return false;
    capture->state->source = source;
    capture->state->options = options;
    events_name(capture, source);
    facts_copy(capture, source);
    uint32_t renamed = source->rename_count, untold = 0;
    scoped_free struct records_ahead *ahead = memory_alloc(sizeof(*ahead));
    *ahead = (struct records_ahead){0};
    for (bool goes_on = true; goes_on; ahead->first = (ahead->first + 1) % RECORDS_AHEAD, ahead->count--) {
        if (!ahead->count || source->record_stays)
            records_look_ahead(capture, source, ahead, &trouble);
        if (!ahead->count)
            break;
        if (options->progress.tick && ++untold == RECORDS_A_TICK) {
            options->progress.tick(options->progress.context, source);
            untold = 0;
        }
        if (source->event_count != capture->recording.event_count || source->rename_count != renamed)
            events_name(capture, source);
        renamed = source->rename_count;
        goes_on = record_apply(capture, source, &ahead->records[ahead->first], &ahead->samples[ahead->first]);
    }
    give_out_all_alike(capture);
    events_name(capture, source);
    facts_copy(capture, source);
    capture->state->options = NULL;
    if (trouble.kind == ERROR_NONE)
        return true;
    if (err)
        *err = trouble;
    return false;
}

bool capture_fill(struct capture *capture, struct source *source, const struct capture_watch *watch,
                  bool keep_samples, struct error *err)
{
    struct capture_options options = {.watch = watch, .keep_samples = keep_samples, .keep_switches = keep_samples};
    return capture_fill_with(capture, source, &options, err);
}
