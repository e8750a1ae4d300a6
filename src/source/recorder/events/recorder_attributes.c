/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the recorder asks the kernel for, event by event, and what it does without when the kernel refuses. */
#include "source/recorder/events/recorder_opening.h"

#include "base/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WAKEUP_BYTES = 128 << 10 };

#if defined(__x86_64__)
const uint64_t recorder_all_registers = 0xff0fff; /* all but ds, es, fs, gs, which 64-bit code can't sample */
#elif defined(__aarch64__)
const uint64_t recorder_all_registers = (1ull << 33) - 1;
#elif defined(__riscv)
const uint64_t recorder_all_registers = (1ull << 32) - 1;
#else
const uint64_t recorder_all_registers = 0;
#endif

/* What to ask the kernel for. */

static void ask_common(struct perf_event_attr *attr, const struct recorder_request *request, bool stays,
                       size_t ring_bytes)
{
    bool workload = request->target->kind == TARGET_WORKLOAD;
    attr->size = sizeof(*attr) < PERF_ATTR_SIZE_VER7 ? sizeof(*attr) : PERF_ATTR_SIZE_VER7;
    attr->sample_type |= PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                         PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
    attr->read_format |= PERF_FORMAT_ID | PERF_FORMAT_LOST;
    attr->sample_id_all = 1;
    attr->inherit = !request->no_inherit && !request->per_thread && !stays &&
                    (workload || request->target->kind == TARGET_PROCESSES || request->target->kind == TARGET_THREADS);
    attr->watermark = 1;
    attr->wakeup_watermark = (uint32_t)(ring_bytes / 4 < WAKEUP_BYTES ? ring_bytes / 4 : WAKEUP_BYTES);
    if (request->clock_id != RECORDER_NO_CLOCK) {
        attr->use_clockid = 1;
        attr->clockid = request->clock_id;
    }
}

static void ask_callchain(struct perf_event_attr *attr, const struct recorder_event *event, bool dwarf, bool lbr)
{
    attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
    if (dwarf) {
        attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        attr->sample_regs_user = recorder_all_registers;
        attr->sample_stack_user = event->stack_bytes ? event->stack_bytes : RECORDER_STACK_BYTES;
        attr->exclude_callchain_user = 1;
    }
    if (lbr) {
        attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
        attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
                                   PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS;
        attr->exclude_callchain_user = 1;
    }
}

static void ask_rate(struct perf_event_attr *attr, const struct recorder_event *event, bool leads)
{
    if (event->sample_read) {
        attr->sample_type |= PERF_SAMPLE_READ;
        attr->read_format |= PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        if (!leads)
            return;
    }
    attr->freq = event->frequency != 0;
    if (attr->freq)
        attr->sample_freq = event->frequency;
    else
        attr->sample_period = event->period;
}

bool recorder_event_leads(const struct recorder_request *request, size_t index)
{
    int group = request->events[index].group;
    return group == EVENT_NO_GROUP || index == 0 || request->events[index - 1].group != group;
}

bool recorder_groups_unchecked(const struct recorder_request *request)
{
    return request->delayed && request->target->kind != TARGET_CPUS && request->target->kind != TARGET_CGROUP;
}

/*
 * Arm's driver leaves events that are off and not to be enabled by exec out of "does the group fit" (validate_event in
 * drivers/perf/arm_pmu.c): a group of any size is accepted and then never scheduled. An event of a CPU never sees an
 * exec; those of a running task are enabled at once, unless the user wants to start them later. A twin's group is no
 * larger than the one it waits for.
 */
static void let_group_be_checked(struct perf_event_attr *attr, const struct recorder_request *request, size_t index,
                                 bool second)
{
    if (request->events[index].group != EVENT_NO_GROUP && !second)
        attr->enable_on_exec |= !recorder_groups_unchecked(request);
}

static void ask_sampling(struct perf_event_attr *attr, const struct recorder_request *request, size_t index,
                         bool second)
{
    const struct recorder_event *event = &request->events[index];
    *attr = event->attr;
    attr->sample_type |= event->sample_type;
    attr->disabled = 1;
    attr->enable_on_exec = request->target->kind == TARGET_WORKLOAD && !request->delayed && !second;
    attr->exclude_kernel |= request->user_only;
    attr->exclude_user |= request->kernel_only;
    if (event->attr.type == PERF_TYPE_TRACEPOINT)
        attr->sample_type |= PERF_SAMPLE_RAW;
    if (event->user_registers) {
        attr->sample_type |= PERF_SAMPLE_REGS_USER;
        attr->sample_regs_user = event->user_registers;
    }
    if (event->interrupt_registers) {
        attr->sample_type |= PERF_SAMPLE_REGS_INTR;
        attr->sample_regs_intr = event->interrupt_registers;
    }
    if (event->branch_sample_type) {
        attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
        attr->branch_sample_type = event->branch_sample_type;
    }
    if (request->record_cgroups)
        attr->sample_type |= PERF_SAMPLE_CGROUP;
    attr->exclude_callchain_kernel |= request->user_chains_only;
    attr->exclude_callchain_user |= request->kernel_chains_only;
    ask_rate(attr, event, recorder_event_leads(request, index));
    let_group_be_checked(attr, request, index, second);
    if (event->callchain != CALLCHAIN_NONE)
        ask_callchain(attr, event,
                      event->callchain == CALLCHAIN_DWARF || (second && event->callchain == CALLCHAIN_AUTO),
                      event->callchain == CALLCHAIN_LBR);
    if (event->copied_stack_bytes && recorder_all_registers != 0) {
        attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        attr->sample_regs_user = recorder_all_registers;
        attr->sample_stack_user = event->copied_stack_bytes;
    }
}

/*
 * perf finds a program's unwind tables by its mapping that isn't executable: with stack dumps those are wanted
 * too. For AUTO they are dropped again when frame pointers were chosen.
 */
bool recorder_wants_data_mmaps(const struct recorder_request *request)
{
    bool wanted = request->record_data_mmaps;
    for (size_t at = 0; at < request->event_count; at++)
        wanted |= request->events[at].callchain == CALLCHAIN_DWARF || request->events[at].callchain == CALLCHAIN_AUTO;
    return wanted;
}

/* A dummy event counts nothing and may be opened by anybody; it carries the side records. */
static void ask_tracking(struct perf_event_attr *attr, const struct recorder_request *request)
{
    bool workload = request->target->kind == TARGET_WORKLOAD;
    *attr = (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_DUMMY,
        .sample_period = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .mmap = 1,
        .mmap2 = 1,
        .mmap_data = recorder_wants_data_mmaps(request),
        .comm = 1,
        .comm_exec = 1,
        .task = 1,
        .build_id = 1,
        .ksymbol = 1,
        .bpf_event = !request->no_bpf_programs,
        .namespaces = 1,
        .cgroup = 1,
        .context_switch = request->record_switches,
        .disabled = workload,
        .enable_on_exec = workload,
    };
}

static struct counter_stream *add_stream(struct opening *opening, size_t event, bool second)
{
    struct counter_stream *stream = vec_push(&opening->counters->streams);
    bool tracking = event == STREAM_TRACKING;
    *stream = (struct counter_stream){
        .event = event,
        .is_second = second,
        .name = memory_string(tracking ? "dummy:u" : opening->request->events[event].name),
    };
    if (tracking)
        ask_tracking(&stream->attr, opening->request);
    else
        ask_sampling(&stream->attr, opening->request, event, second);
    bool paced = recorder_event_is_paced(opening->request, event);
    stream->is_paced = paced;
    ask_common(&stream->attr, opening->request, !tracking && opening->request->events[event].stays,
               recorder_ring_bytes(opening->counters, paced));
    if (paced) /* whoever wakes us stops it: as late as is still in time */
        stream->attr.wakeup_watermark = (uint32_t)(recorder_ring_bytes(opening->counters, paced) / 4 * 3);
    return stream;
}

/*
 * Of a paced event: so often for each thread, so that one that seldom waits is seen beside those that do all the time.
 */
static void add_sparse_stream(struct opening *opening, size_t event)
{
    enum { SPARSE_HZ = 100 };
    struct counter_stream *stream = add_stream(opening, event, true);
    stream->is_sparse = true;
    stream->attr.freq = 1;
    stream->attr.sample_freq = SPARSE_HZ;
}

void recorder_streams_add(struct opening *opening)
{
    for (size_t at = 0; at < opening->request->event_count; at++)
        add_stream(opening, at, false);
    for (size_t at = 0; at < opening->request->event_count; at++)
        if (opening->request->events[at].callchain == CALLCHAIN_AUTO)
            add_stream(opening, at, true);
    for (size_t at = 0; at < opening->request->event_count; at++)
        if (recorder_event_is_paced(opening->request, at))
            add_sparse_stream(opening, at);
    add_stream(opening, STREAM_TRACKING, false);
}

/* What to do without when the kernel refuses. Newest first: an older kernel lacks the first ones. */

enum step {
    STEP_LOST,
    STEP_BUILD_ID,
    STEP_CGROUP,
    STEP_BPF_EVENT,
    STEP_KSYMBOL,
    STEP_NAMESPACES,
    STEP_INHERITED_READ,
    STEP_COUNT
};

static bool step_down(struct perf_event_attr *attr, enum step step)
{
    struct perf_event_attr before = *attr;
    switch (step) {
    case STEP_LOST: /* 6.0 */
        attr->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
        break;
    case STEP_BUILD_ID: /* 5.12 */
        attr->build_id = 0;
        break;
    case STEP_CGROUP: /* 5.7 */
        attr->cgroup = 0;
        break;
    case STEP_BPF_EVENT: /* 5.1 */
        attr->bpf_event = 0;
        break;
    case STEP_KSYMBOL: /* 5.1 */
        attr->ksymbol = 0;
        break;
    case STEP_NAMESPACES: /* 4.12 */
        attr->namespaces = 0;
        break;
    case STEP_INHERITED_READ: /* allowed since 6.12 */
        if (attr->sample_type & PERF_SAMPLE_READ)
            attr->inherit = 0;
        break;
    case STEP_COUNT:
        break;
    }
    return memcmp(&before, attr, sizeof(before)) != 0;
}

static bool drop_kernel(struct opening *opening, struct counter_stream *stream)
{
    if (stream->attr.exclude_kernel || opening->request->kernel_only)
        return false;
    stream->attr.exclude_kernel = 1;
    bool has_modifier = strrchr(stream->name, ':') && stream->attr.type != PERF_TYPE_TRACEPOINT;
    char *name = memory_printf("%s%su", stream->name, has_modifier ? "" : ":");
    bool in_kernel =
        stream->attr.type == PERF_TYPE_SOFTWARE &&
        (stream->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES || stream->attr.config == PERF_COUNT_SW_CPU_MIGRATIONS ||
         stream->attr.config == PERF_COUNT_SW_CGROUP_SWITCHES);
    if (!stream->is_second && in_kernel)
        recorder_notes_add(
            opening->notes,
            "'%s' happens in the kernel, of which samples aren't permitted: there will be none (as root: sysctl "
            "kernel.perf_event_paranoid=1, or setcap cap_perfmon+ep on plumb)",
            stream->name);
    else if (!stream->is_second)
        recorder_notes_add(opening->notes,
                           "'%s': samples of the kernel aren't permitted (see /proc/sys/kernel/perf_event_paranoid); "
                           "recording user space only, as '%s'",
                           stream->name, name);
    free(stream->name);
    stream->name = name;
    return true;
}

bool recorder_stream_ask_less(struct opening *opening, struct counter_stream *stream, int sys_errno)
{
    const struct recorder_event *event =
        stream->event == STREAM_TRACKING ? NULL : &opening->request->events[stream->event];
    if (sys_errno == EACCES || sys_errno == EPERM)
        return step_down(&stream->attr, STEP_NAMESPACES) || (event && drop_kernel(opening, stream));
    if (sys_errno != EINVAL && sys_errno != EOPNOTSUPP)
        return false;
    if (event && event->precise_max && stream->attr.precise_ip > 0) {
        stream->attr.precise_ip--;
        return true;
    }
    while (sys_errno == EINVAL && stream->steps_down < STEP_COUNT)
        if (step_down(&stream->attr, (enum step)stream->steps_down++))
            return true;
    return false;
}
