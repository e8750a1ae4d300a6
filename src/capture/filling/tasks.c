/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/filling/tasks.h"

#include "decode/code_page.h"

void capture_forget_threads(struct capture_state *state)
{
    for (size_t at = 0; at < THREADS_KEPT; at++)
        state->threads[at].thread = THREAD_NONE;
}

/* The address space of a process: that of its first thread. */
static uint32_t space_of(struct capture *capture, uint32_t pid)
{
    uint32_t thread = capture_thread(capture, pid, pid); /* may move the items */
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

uint32_t capture_thread(struct capture *capture, uint32_t pid, uint32_t tid)
{
    const struct thread_slot *slot = thread_slot(capture->state, tid);
    bool met = slot->thread != THREAD_NONE && slot->pid == pid && slot->tid == tid;
    return met ? slot->thread : thread_meet(capture, pid, tid);
}

static void apply_comm(struct capture *capture, const struct record *record)
{
    struct recording *recording = &capture->recording;
    const struct record_comm *comm = &record->comm;
    uint32_t id = capture_thread(capture, comm->pid, comm->tid);
    recording->threads.items[id].comm = strings_intern(&recording->strings, comm->comm);
    if (!comm->is_exec)
        return;
    recording->threads.items[id].has_executed = true;
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
    /* the idle task always is */
    bool is_known = task->parent_tid == 0 || threads_find(&recording->threads, task->parent_tid) != THREAD_NONE;
    if (is_known || task->pid == task->parent_pid) {
        uint32_t parent = capture_thread(capture, task->parent_pid, task->parent_tid);
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
    recording->threads.items[id].parent_pid = task->parent_pid;
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
    return record->cpu_mode == CPU_MODE_KERNEL ||
           (record->cpu_mode == CPU_MODE_UNKNOWN && record->mmap.pid == UINT32_MAX);
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
                                .thread = capture_thread(capture, record->who.pid, record->who.tid),
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

void capture_apply_task(struct capture *capture, const struct record *record)
{
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
}
