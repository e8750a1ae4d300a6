/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/recorder/recorder_counters.h"

#include "base/arena.h"
#include "base/scope.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define NOT_OPEN     UINT32_MAX
#define FDS_RESERVED 64u /* for everything else we open */

enum {
    RING_BYTES_PRIVILEGED = 4 << 20,
    RINGS_BYTES_MOST = 256 << 20, /* all of them, when we choose */
    RING_BYTES_USUAL = 512 << 10, /* what perf_event_mlock_kb allows each CPU everywhere */
    WAKEUP_BYTES = 128 << 10
};

#if defined(__x86_64__)
const uint64_t recorder_all_registers = 0xff0fff; /* all but ds, es, fs, gs, which 64-bit code can't sample */
#elif defined(__aarch64__)
const uint64_t recorder_all_registers = (1ull << 33) - 1;
#elif defined(__riscv)
const uint64_t recorder_all_registers = (1ull << 32) - 1;
#else
const uint64_t recorder_all_registers = 0;
#endif

/* One thread or CPU to open on. */
struct place {
    pid_t pid; /* or the cgroup's descriptor, or -1 */
    int cpu;
    unsigned long flags;
    bool sampled; /* false: only the tracking event, for what happens on CPUs that are not sampled */
    uint32_t ring;
};

typedef vec(struct place) places;

struct opening {
    struct recorder_counters *counters;
    const struct recorder_request *request;
    const struct sysroot *root;
    recorder_notes *notes;
    places places;
    int *group_leaders; /* by group, first and second streams: descriptors at the place being opened */
    int group_count;
    bool ring_too_large;
};

void recorder_notes_add(recorder_notes *notes, const char *format, ...)
{
    struct text text = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    *vec_push(notes) = text_steal(&text);
}

void recorder_notes_done(recorder_notes *notes)
{
    vec_for_each(notes, note)
        free(*note);
    vec_done(notes);
}

/* What to ask the kernel for. */

static void ask_common(struct perf_event_attr *attr, const struct recorder_request *request, size_t ring_bytes)
{
    bool workload = request->target->kind == TARGET_WORKLOAD;
    attr->size = sizeof(*attr) < PERF_ATTR_SIZE_VER7 ? sizeof(*attr) : PERF_ATTR_SIZE_VER7;
    attr->sample_type |= PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                         PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
    attr->read_format |= PERF_FORMAT_ID | PERF_FORMAT_LOST;
    attr->sample_id_all = 1;
    attr->inherit = !request->no_inherit && !request->per_thread &&
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

static bool leads_group(const struct recorder_request *request, size_t index)
{
    int group = request->events[index].group;
    return group == EVENT_NO_GROUP || index == 0 || request->events[index - 1].group != group;
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
    ask_rate(attr, event, leads_group(request, index));
    if (event->callchain != CALLCHAIN_NONE)
        ask_callchain(attr, event, event->callchain == CALLCHAIN_DWARF || second, event->callchain == CALLCHAIN_LBR);
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

static void add_stream(struct opening *opening, size_t event, bool second)
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
    ask_common(&stream->attr, opening->request, opening->counters->ring_bytes);
}

static void add_streams(struct opening *opening)
{
    for (size_t at = 0; at < opening->request->event_count; at++)
        add_stream(opening, at, false);
    for (size_t at = 0; at < opening->request->event_count; at++)
        if (opening->request->events[at].callchain == CALLCHAIN_AUTO)
            add_stream(opening, at, true);
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
    if (!stream->is_second)
        recorder_notes_add(opening->notes,
                           "'%s': samples of the kernel aren't permitted (see /proc/sys/kernel/perf_event_paranoid); "
                           "recording user space only, as '%s'",
                           stream->name, name);
    free(stream->name);
    stream->name = name;
    return true;
}

/* Ask for less after a refusal; false when there is nothing left to give up. */
static bool ask_less(struct opening *opening, struct counter_stream *stream, int sys_errno)
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

/* Where to open. */

static void add_place(struct opening *opening, pid_t pid, int cpu, unsigned long flags, bool sampled)
{
    *vec_push(&opening->places) = (struct place){.pid = pid, .cpu = cpu, .flags = flags, .sampled = sampled};
}

static bool is_listed(const int *cpus, size_t count, int cpu)
{
    for (size_t at = 0; at < count; at++)
        if (cpus[at] == cpu)
            return true;
    return false;
}

static bool find_places(struct opening *opening, struct error *err)
{
    const struct target *target = opening->request->target;
    int *cpus = NULL;
    size_t cpu_count = 0;
    if (!sysroot_online_cpus(opening->root, &cpus, &cpu_count, err))
        return false;
    for (size_t at = 0; at < cpu_count; at++) {
        bool listed = is_listed(target->cpus, target->cpu_count, cpus[at]);
        if (target->kind == TARGET_CPUS)
            add_place(opening, -1, cpus[at], 0, listed);
        else if (target->kind == TARGET_CGROUP)
            add_place(opening, target->cgroup_fd, cpus[at], PERF_FLAG_PID_CGROUP, listed);
        else if (!opening->request->per_thread)
            for (size_t thread = 0; thread < target->thread_count; thread++)
                add_place(opening, target->threads[thread].tid, cpus[at], 0, true);
    }
    if (opening->request->per_thread)
        for (size_t thread = 0; thread < target->thread_count; thread++)
            add_place(opening, target->threads[thread].tid, -1, 0, true);
    free(cpus);
    return true;
}

/* The ring of a place: that of its CPU, or of its thread. Places of one CPU stand together. */
static void find_rings(struct opening *opening)
{
    struct recorder_counters *counters = opening->counters;
    vec_for_each(&opening->places, place) {
        struct counter_ring *last = counters->rings.count ? &counters->rings.items[counters->rings.count - 1] : NULL;
        if (!last || place->cpu < 0 || last->cpu != place->cpu)
            *vec_push(&counters->rings) =
                (struct counter_ring){.cpu = place->cpu, .tid = place->cpu < 0 ? place->pid : 0, .poll_at = SIZE_MAX};
        place->ring = (uint32_t)(counters->rings.count - 1);
    }
}

static void raise_fd_limit(size_t needed)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return;
    struct rlimit raised = {.rlim_cur = needed, .rlim_max = limit.rlim_max > needed ? limit.rlim_max : needed};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* Opening. */

static bool permission_failed(const struct opening *opening, const struct counter_stream *stream, struct error *err)
{
    int64_t paranoid = 0;
    bool known = sysroot_i64(opening->root, &paranoid, "/proc/sys/kernel/perf_event_paranoid");
    if (!known)
        return error_hint(err, "perf_event_open is not permitted here; in a container, allow it in the seccomp profile "
                               "and add CAP_PERFMON");
    bool wide = opening->request->target->kind == TARGET_CPUS || opening->request->target->kind == TARGET_CGROUP;
    long long wanted = wide ? 0 : stream->attr.exclude_kernel ? 2 : 1;
    if (paranoid > wanted)
        return error_hint(err, "perf_event_paranoid is %lld: as root, sysctl kernel.perf_event_paranoid=%lld, or give "
                               "plumb CAP_PERFMON%s",
                          (long long)paranoid, wanted, wide ? "; one's own processes may be recorded without -a" : "");
    return error_hint(err, "recording other users' processes needs root or CAP_PERFMON; in a container, seccomp may "
                           "forbid perf_event_open");
}

static bool open_failed(const struct opening *opening, const struct counter_stream *stream, int sys_errno,
                        struct error *err)
{
    static const char *const whom[] = {
        [TARGET_WORKLOAD] = "the program", [TARGET_PROCESSES] = "that process", [TARGET_THREADS] = "that thread",
        [TARGET_CPUS] = "all processes of a CPU", [TARGET_CGROUP] = "a cgroup",
    };
    if (stream->event == STREAM_TRACKING)
        error_system(err, sys_errno, "can't record %s", whom[opening->request->target->kind]);
    else
        error_system(err, sys_errno, "can't open '%s' for sampling", stream->name);
    switch (sys_errno) {
    case EACCES:
    case EPERM:
        return permission_failed(opening, stream, err);
    case ENOENT:
    case ENODEV:
    case ENXIO:
        if (err)
            err->kind = ERROR_UNSUPPORTED;
        return error_hint(err, "this machine doesn't have that event (a virtual machine often has no hardware "
                               "counters); -e cpu-clock samples anywhere");
    case EOPNOTSUPP:
        if (err)
            err->kind = ERROR_UNSUPPORTED;
        if (stream->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
            return error_hint(err, "branch records (-b, -j, --call-graph lbr) need a CPU that has them and lets us "
                                   "see them");
        return error_hint(err, "its PMU can't sample, or not as precisely as asked (:p); -e cpu-clock samples anywhere");
    case EMFILE:
    case ENFILE:
        return error_hint(err, "%zu descriptors are open; raise the limit (ulimit -n), or record fewer threads, events "
                               "or CPUs; --per-thread needs one for each thread and event",
                          opening->counters->fds.count);
    case EBUSY:
        return error_hint(err, "another user holds the counter exclusively");
    case ENOSPC:
        return error_hint(err, "the machine has no breakpoint register left");
    case ENOSYS:
        if (err)
            err->kind = ERROR_UNSUPPORTED;
        return error_hint(err, "this kernel has no perf events, or seccomp hides them");
    default:
        return false;
    }
}

static int open_once(const struct opening *opening, struct counter_stream *stream, const struct place *place,
                     int group_fd)
{
    const struct kernel *kernel = opening->counters->kernel;
    int fd;
    do
        fd = kernel->perf_event_open(kernel->context, &stream->attr, place->pid, place->cpu, group_fd, place->flags);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* Open a stream at a place: a descriptor, or NOT_OPEN's -1 with *ret_errno set (0: that thread has ended). */
static int open_stream(struct opening *opening, struct counter_stream *stream, const struct place *place,
                       int group_fd, int *ret_errno)
{
    struct perf_event_attr asked = stream->attr;
    int first_errno = 0, fd;
    while ((fd = open_once(opening, stream, place, group_fd)) < 0) {
        int sys_errno = errno;
        first_errno = first_errno ? first_errno : sys_errno;
        if (sys_errno == ESRCH && place->flags == 0) {
            first_errno = 0;
            break;
        }
        if (stream->ids.count == 0 && ask_less(opening, stream, sys_errno))
            continue;
        stream->attr = asked;
        /* With less it was refused for another reason: that reason is the one that matters. */
        first_errno = first_errno == EINVAL ? sys_errno : first_errno;
        break;
    }
    *ret_errno = first_errno;
    return fd;
}

/* The fields that a filter of this tracepoint may ask for, as "a, b, c". */
static void add_field_names(const struct sysroot *root, const char *event, struct text *out)
{
    scoped_text struct text format = {0};
    const char *tracefs = sysroot_tracefs(root);
    struct view name = view_of(event), system = view_cut(&name, ':');
    if (!tracefs || !sysroot_read(root, &format, NULL, "%s/events/%.*s/%.*s/format", tracefs, (int)system.length,
                                  system.text, (int)name.length, name.text))
        return;
    struct view rest = {format.bytes, format.length}, line;
    while (view_line(&rest, &line)) {
        ptrdiff_t at = view_find(line, "field:");
        if (at < 0)
            continue;
        line = view_skip(line, (size_t)at);
        struct view field = view_cut(&line, ';');
        const char *blank = memrchr(field.text, ' ', field.length);
        struct view last = blank ? view_skip(field, (size_t)(blank + 1 - field.text)) : field;
        last = view_cut(&last, '['); /* an array's size */
        text_printf(out, "%s%.*s", out->length ? ", " : "", (int)last.length, last.text);
    }
}

static bool set_filter(const struct opening *opening, const struct counter_stream *stream, int fd, struct error *err)
{
    const struct kernel *kernel = opening->counters->kernel;
    const char *filter =
        stream->event == STREAM_TRACKING ? NULL : opening->request->events[stream->event].filter;
    if (!filter || kernel->ioctl(kernel->context, fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)filter) == 0)
        return true;
    int sys_errno = errno;
    if (sys_errno != EINVAL && sys_errno != ENOENT)
        return error_system(err, sys_errno, "can't filter '%s' by '%s'", stream->name, filter);
    scoped_text struct text fields = {0};
    add_field_names(opening->root, stream->name, &fields);
    error_set(err, ERROR_USAGE, "the kernel doesn't understand the filter '%s' of '%s'", filter, stream->name);
    return error_hint(err, "write comparisons such as 'a == 1 && b != 2' of its fields%s%s", fields.length ? ": " : "",
                      text_string(&fields));
}

static bool keep_fd(struct opening *opening, uint32_t stream_at, const struct place *place, int fd, struct error *err)
{
    struct recorder_counters *counters = opening->counters;
    struct counter_stream *stream = &counters->streams.items[stream_at];
    *vec_push(&counters->fds) = (struct counter_fd){.fd = fd, .stream = stream_at, .ring = place->ring};
    uint64_t id = 0;
    if (counters->kernel->ioctl(counters->kernel->context, fd, PERF_EVENT_IOC_ID, (unsigned long)&id) != 0)
        return error_system(err, errno, "can't tell the id of '%s'", stream->name);
    *vec_push(&stream->ids) = id;
    return set_filter(opening, stream, fd, err);
}

static bool belongs_here(const struct opening *opening, const struct counter_stream *stream,
                         const struct place *place)
{
    if (stream->event == STREAM_TRACKING)
        return true;
    const struct recorder_event *event = &opening->request->events[stream->event];
    return place->sampled && (!event->cpus || place->cpu < 0 || is_listed(event->cpus, event->cpu_count, place->cpu));
}

static int *leader_slot(const struct opening *opening, const struct counter_stream *stream)
{
    if (stream->event == STREAM_TRACKING || opening->request->events[stream->event].group == EVENT_NO_GROUP)
        return NULL;
    int group = opening->request->events[stream->event].group;
    return &opening->group_leaders[group * 2 + stream->is_second];
}

static bool open_at(struct opening *opening, uint32_t stream_at, const struct place *place, struct error *err)
{
    struct counter_stream *stream = &opening->counters->streams.items[stream_at];
    if (!belongs_here(opening, stream, place))
        return true;
    int *leader = leader_slot(opening, stream);
    bool leads = !leader || leads_group(opening->request, stream->event);
    if (leader && !leads && *leader < 0)
        return true; /* its leader's thread has ended */
    int sys_errno = 0;
    int fd = open_stream(opening, stream, place, leads ? -1 : *leader, &sys_errno);
    if (leader && leads)
        *leader = fd;
    if (fd < 0)
        return sys_errno == 0 || open_failed(opening, stream, sys_errno, err);
    return keep_fd(opening, stream_at, place, fd, err);
}

static bool open_places(struct opening *opening, struct error *err)
{
    struct recorder_counters *counters = opening->counters;
    uint32_t tracking = (uint32_t)counters->streams.count - 1;
    vec_for_each(&opening->places, place) {
        for (int at = 0; at < opening->group_count * 2; at++)
            opening->group_leaders[at] = -1;
        if (!open_at(opening, tracking, place, err))
            return false;
        for (uint32_t at = 0; at < tracking; at++)
            if (!open_at(opening, at, place, err))
                return false;
    }
    vec_for_each(&counters->streams, stream)
        if (stream->ids.count == 0)
            return error_set(err, ERROR_NOT_FOUND,
                             stream->event == STREAM_TRACKING || !opening->request->events[stream->event].cpus
                                 ? "the target ended before it could be recorded"
                                 : "'%s' counts on CPUs that are not recorded (it wants -a)",
                             stream->name);
    return true;
}

/* The first descriptor of each ring maps its buffer, the others write there as well. */
static bool map_rings(struct opening *opening, struct error *err)
{
    struct recorder_counters *counters = opening->counters;
    const struct kernel *kernel = counters->kernel;
    for (size_t at = 0; at < counters->fds.count; at++) {
        struct counter_fd *own = &counters->fds.items[at];
        struct counter_ring *ring = &counters->rings.items[own->ring];
        if (ring->poll_at == SIZE_MAX) {
            if (!ring_buffer_map(&ring->buffer, kernel, own->fd, counters->ring_bytes, err)) {
                opening->ring_too_large = err->kind == ERROR_LIMIT;
                return false;
            }
            ring->poll_at = at;
        } else if (kernel->ioctl(kernel->context, own->fd, PERF_EVENT_IOC_SET_OUTPUT,
                                 (unsigned long)counters->fds.items[ring->poll_at].fd) != 0) {
            return error_system(err, errno, "can't direct '%s' into a ring buffer",
                                counters->streams.items[own->stream].name);
        }
    }
    return true;
}

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t usual_ring_bytes(size_t ring_count)
{
    size_t bytes = geteuid() == 0 ? RING_BYTES_PRIVILEGED : RING_BYTES_USUAL;
    while (bytes > RING_BYTES_USUAL && bytes * ring_count > RINGS_BYTES_MOST)
        bytes /= 2;
    return bytes;
}

static int count_groups(const struct recorder_request *request)
{
    int count = 0;
    for (size_t at = 0; at < request->event_count; at++)
        if (request->events[at].group >= count)
            count = request->events[at].group + 1;
    return count;
}

static void close_all(struct recorder_counters *counters)
{
    vec_for_each(&counters->rings, ring)
        ring_buffer_unmap(&ring->buffer);
    vec_for_each(&counters->fds, own)
        counters->kernel->close(counters->kernel->context, own->fd);
    vec_for_each(&counters->streams, stream) {
        free(stream->name);
        vec_done(&stream->ids);
    }
    vec_done(&counters->rings);
    vec_done(&counters->fds);
    vec_done(&counters->streams);
}

void recorder_counters_done(struct recorder_counters *counters)
{
    close_all(counters);
}

static bool open_with_rings(struct opening *opening, size_t ring_bytes, struct error *err)
{
    opening->counters->ring_bytes = ring_bytes;
    opening->ring_too_large = false;
    find_rings(opening);
    add_streams(opening);
    raise_fd_limit(opening->places.count * opening->counters->streams.count + FDS_RESERVED);
    return open_places(opening, err) && map_rings(opening, err);
}

static size_t count_rings(const struct opening *opening)
{
    size_t count = 0;
    int last = -1;
    vec_for_each(&opening->places, place) {
        count += place->cpu < 0 || place->cpu != last;
        last = place->cpu;
    }
    return count;
}

/* Locked memory is limited for each user and process together: halve until everything fits. */
static bool open_shrinking(struct opening *opening, struct error *err)
{
    size_t wanted = opening->request->ring_bytes;
    size_t bytes = wanted ? wanted : usual_ring_bytes(count_rings(opening));
    size_t first_note = opening->notes->count;
    while (!open_with_rings(opening, bytes, err)) {
        close_all(opening->counters);
        if (!opening->ring_too_large || bytes <= page_bytes())
            return false;
        for (size_t at = first_note; at < opening->notes->count; at++)
            free(opening->notes->items[at]);
        opening->notes->count = first_note;
        bytes /= 2;
    }
    if (bytes < (wanted ? wanted : RING_BYTES_USUAL))
        recorder_notes_add(opening->notes,
                           "ring buffers of %zu KiB each instead of %zu KiB: locked memory is limited "
                           "(/proc/sys/kernel/perf_event_mlock_kb, ulimit -l); samples may be lost at high rates",
                           bytes / 1024, (wanted ? wanted : RING_BYTES_USUAL) / 1024);
    return true;
}

bool recorder_counters_open(struct recorder_counters *counters, const struct recorder_request *request,
                            const struct kernel *kernel, const struct sysroot *root, recorder_notes *notes,
                            struct error *err)
{
    *counters = (struct recorder_counters){.kernel = kernel};
    struct opening opening = {.counters = counters, .request = request, .root = root, .notes = notes};
    opening.group_count = count_groups(request);
    opening.group_leaders = memory_alloc(memory_product((size_t)opening.group_count, 2 * sizeof(int)));
    bool good = find_places(&opening, err) && open_shrinking(&opening, err);
    free(opening.group_leaders);
    vec_done(&opening.places);
    return good;
}

/* Running. */

static bool set_stream(struct recorder_counters *counters, uint32_t stream, unsigned long request, struct error *err)
{
    bool good = true;
    vec_for_each(&counters->fds, own)
        if (own->stream == stream && counters->kernel->ioctl(counters->kernel->context, own->fd, request, 0) != 0)
            good = error_system(err, errno, "can't %s '%s'",
                                request == PERF_EVENT_IOC_ENABLE ? "start" : "stop",
                                counters->streams.items[stream].name);
    return good;
}

static bool has_twin(const struct recorder_counters *counters, const struct counter_stream *stream)
{
    vec_for_each(&counters->streams, other)
        if (other->is_second && !stream->is_second && other->event == stream->event)
            return true;
    return false;
}

/* Whether a stream is one that samples now: of twins, the one whose turn it is. */
static bool has_turn(const struct recorder_counters *counters, const struct counter_stream *stream)
{
    if (stream->event == STREAM_TRACKING)
        return false;
    return stream->is_second ? counters->on_twins : !counters->on_twins || !has_twin(counters, stream);
}

bool recorder_counters_set(struct recorder_counters *counters, bool enabled, struct error *err)
{
    bool good = true;
    for (uint32_t at = 0; at < counters->streams.count && good; at++) {
        const struct counter_stream *stream = &counters->streams.items[at];
        if (!enabled || (has_turn(counters, stream) && !stream->paused))
            good = set_stream(counters, at, enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, err);
    }
    return good;
}

bool recorder_counters_set_event(struct recorder_counters *counters, size_t event, bool enabled, struct error *err)
{
    bool good = true;
    for (uint32_t at = 0; at < counters->streams.count && good; at++) {
        struct counter_stream *stream = &counters->streams.items[at];
        if (stream->event != event)
            continue;
        stream->paused = !enabled;
        if (has_turn(counters, stream))
            good = set_stream(counters, at, enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, err);
    }
    return good;
}

bool recorder_counters_switch(struct recorder_counters *counters, struct error *err)
{
    counters->on_twins = true;
    if (!recorder_counters_set(counters, true, err))
        return false;
    for (uint32_t at = 0; at < counters->streams.count; at++)
        if (has_twin(counters, &counters->streams.items[at]) &&
            !set_stream(counters, at, PERF_EVENT_IOC_DISABLE, err))
            return false;
    return true;
}

/* The polled event's thread has ended: poll another one that writes to the same ring. */
static void poll_another(struct recorder_counters *counters, struct counter_ring *ring)
{
    uint32_t index = (uint32_t)(ring - counters->rings.items);
    do
        ring->poll_at++;
    while (ring->poll_at < counters->fds.count && counters->fds.items[ring->poll_at].ring != index);
    ring->ended = ring->poll_at >= counters->fds.count;
}

void recorder_counters_wait(struct recorder_counters *counters, const int wake_fds[2], int timeout_ms)
{
    vec(struct pollfd) polled = {0};
    for (size_t at = 0; at < 2; at++)
        *vec_push(&polled) = (struct pollfd){.fd = wake_fds[at], .events = POLLIN};
    vec_for_each(&counters->rings, ring)
        *vec_push(&polled) = (struct pollfd){
            .fd = ring->ended || ring->poll_at == SIZE_MAX ? -1 : counters->fds.items[ring->poll_at].fd,
            .events = POLLIN};
    int ready = poll(polled.items, polled.count, timeout_ms);
    for (size_t at = 0; ready > 0 && at < counters->rings.count; at++)
        if (polled.items[at + 2].revents & (POLLHUP | POLLERR | POLLNVAL))
            poll_another(counters, &counters->rings.items[at]);
    vec_done(&polled);
}
