/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/recorder/events/recorder_opening.h"

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
    PACED_SHARE = 4,
    RING_BYTES_USUAL = 512 << 10 /* what perf_event_mlock_kb allows each CPU everywhere */
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

void recorder_notes_cut(recorder_notes *notes, size_t count)
{
    while (notes->count > count)
        free(notes->items[--notes->count]);
}

void recorder_notes_done(recorder_notes *notes)
{
    vec_for_each(notes, note)
        free(*note);
    vec_done(notes);
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

bool recorder_event_is_paced(const struct recorder_request *request, size_t event)
{
    return event != STREAM_TRACKING && request->events[event].copied_stack_bytes && request->events[event].is_paced &&
           recorder_all_registers;
}

static bool has_paced(const struct recorder_request *request)
{
    for (size_t at = 0; at < request->event_count; at++)
        if (recorder_event_is_paced(request, at))
            return true;
    return false;
}

/* At 8 KiB a stack 120 stacks on each CPU for a privileged user. */
size_t recorder_ring_bytes(const struct recorder_counters *counters, bool paced)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), share = counters->ring_bytes / PACED_SHARE;
    return !paced ? counters->ring_bytes : share > page ? share : page;
}

/*
 * The ring of a place: that of its CPU, or of its thread. Places of one CPU stand together. The ring of what is paced
 * stands behind it.
 */
static void find_rings(struct opening *opening)
{
    struct recorder_counters *counters = opening->counters;
    bool paced = has_paced(opening->request);
    vec_for_each(&opening->places, place) {
        struct counter_ring *last = counters->rings.count ? &counters->rings.items[counters->rings.count - 1] : NULL;
        if (!last || place->cpu < 0 || last->cpu != place->cpu)
            for (size_t kind = 0; kind < (paced ? 2 : 1); kind++)
                *vec_push(&counters->rings) = (struct counter_ring){.cpu = place->cpu,
                                                                    .tid = place->cpu < 0 ? place->pid : 0,
                                                                    .poll_at = SIZE_MAX,
                                                                    .is_paced = kind == 1};
        place->ring = (uint32_t)(counters->rings.count - (paced ? 2 : 1));
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
        if (stream->ids.count == 0 && recorder_stream_ask_less(opening, stream, sys_errno))
            continue;
        stream->attr = asked;
        /*
         * With less it was refused for another reason: that reason is the one that matters; a group may not fit once it
         * is permitted.
         */
        bool misfit = group_fd >= 0 && sys_errno == EINVAL;
        first_errno = first_errno == EINVAL || misfit ? sys_errno : first_errno;
        break;
    }
    *ret_errno = first_errno;
    return fd;
}

static bool set_filter(const struct opening *opening, const struct counter_stream *stream, int fd, struct error *err)
{
    const struct kernel *kernel = opening->counters->kernel;
    const char *filter = stream->event == STREAM_TRACKING ? NULL : opening->request->events[stream->event].filter;
    return !filter ||
           kernel->ioctl(kernel->context, fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)filter) == 0 ||
           recorder_filter_failed(opening, stream, filter, errno, err);
}

static bool keep_fd(struct opening *opening, uint32_t stream_at, const struct place *place, int fd, struct error *err)
{
    struct recorder_counters *counters = opening->counters;
    struct counter_stream *stream = &counters->streams.items[stream_at];
    *vec_push(&counters->fds) =
        (struct counter_fd){.fd = fd, .stream = stream_at, .ring = place->ring + stream->is_paced};
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

static bool refuse(struct opening *opening, const struct counter_stream *stream, bool is_member, int sys_errno,
                   struct error *err)
{
    if (is_member && sys_errno == EINVAL && opening->request->events[stream->event].weak_group)
        opening->counters->broken_group = opening->request->events[stream->event].group;
    return recorder_open_failed(opening, stream, sys_errno, err);
}

/* Open the groups on ourselves first, who never exec, so that the kernel checks them. */
static bool try_groups(struct opening *opening, struct error *err)
{
    const struct place here = {.pid = 0, .cpu = -1};
    vec(int) opened = {0};
    int leader = -1;
    bool good = true;
    vec_for_each(&opening->counters->streams, stream) {
        if (!good || stream->event == STREAM_TRACKING || stream->is_second ||
            opening->request->events[stream->event].group == EVENT_NO_GROUP)
            continue;
        bool leads = recorder_event_leads(opening->request, stream->event);
        struct counter_stream tried = {.attr = stream->attr};
        tried.attr.enable_on_exec = 1;
        int fd = leads || leader >= 0 ? open_once(opening, &tried, &here, leads ? -1 : leader) : -1;
        good = fd >= 0 || leads || leader < 0 || errno != EINVAL || refuse(opening, stream, true, EINVAL, err);
        if (fd >= 0)
            *vec_push(&opened) = fd;
        leader = leads ? fd : leader;
    }
    vec_for_each(&opened, fd)
        opening->counters->kernel->close(opening->counters->kernel->context, *fd);
    vec_done(&opened);
    return good;
}

static bool open_at(struct opening *opening, uint32_t stream_at, const struct place *place, struct error *err)
{
    struct counter_stream *stream = &opening->counters->streams.items[stream_at];
    if (!belongs_here(opening, stream, place))
        return true;
    int *leader = leader_slot(opening, stream);
    bool leads = !leader || recorder_event_leads(opening->request, stream->event);
    if (leader && !leads && *leader < 0)
        return true; /* its leader's thread has ended */
    int sys_errno = 0;
    int fd = open_stream(opening, stream, place, leads ? -1 : *leader, &sys_errno);
    if (leader && leads)
        *leader = fd;
    opening->refused_thread = place->flags == 0 && place->pid > 0 ? place->pid : 0;
    if (fd < 0)
        return sys_errno == 0 || refuse(opening, stream, !leads, sys_errno, err);
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
            if (!ring_buffer_map(&ring->buffer, kernel, own->fd, recorder_ring_bytes(counters, ring->is_paced), err)) {
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

/* What is paced has a ring beside each, of a share of its size. */
static size_t usual_ring_bytes(size_t ring_count, bool paced)
{
    size_t bytes = geteuid() == 0 ? RING_BYTES_PRIVILEGED : RING_BYTES_USUAL;
    while (bytes > RING_BYTES_USUAL && (bytes + (paced ? bytes / PACED_SHARE : 0)) * ring_count > RINGS_BYTES_MOST)
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
    recorder_streams_add(opening);
    raise_fd_limit(opening->places.count * opening->counters->streams.count + FDS_RESERVED);
    /* Groups are tried as they were opened: what this kernel doesn't take is given up by then. */
    return open_places(opening, err) && (!recorder_groups_unchecked(opening->request) || try_groups(opening, err)) &&
           map_rings(opening, err);
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
    size_t bytes = wanted ? wanted : usual_ring_bytes(count_rings(opening), has_paced(opening->request));
    size_t first_note = opening->notes->count;
    while (!open_with_rings(opening, bytes, err)) {
        close_all(opening->counters);
        if (!opening->ring_too_large || bytes <= page_bytes())
            return false;
        recorder_notes_cut(opening->notes, first_note);
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
    *counters = (struct recorder_counters){.kernel = kernel, .broken_group = EVENT_NO_GROUP};
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

bool recorder_counters_set_paced(struct recorder_counters *counters, bool enabled, struct error *err)
{
    bool good = true;
    for (uint32_t at = 0; at < counters->streams.count && good; at++) {
        const struct counter_stream *stream = &counters->streams.items[at];
        bool on = stream->is_sparse ? !enabled : enabled;
        if (stream->is_paced && !stream->paused)
            good = set_stream(counters, at, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, err);
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

bool recorder_counters_wait(struct recorder_counters *counters, const int wake_fds[2], int timeout_ms)
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
    bool woken = ready < 0 || polled.items[0].revents;
    vec_done(&polled);
    return woken;
}
