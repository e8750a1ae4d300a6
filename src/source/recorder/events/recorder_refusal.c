/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why an event of the recorder can't be opened, and what would help. */
#include "source/recorder/events/recorder_opening.h"

#include "base/scope.h"
#include "system/pmu/process_wall.h"

#include <errno.h>
#include <string.h>

static bool is_probe(const struct sysroot *root, uint32_t type)
{
    static const char *const pmus[] = {"uprobe", "kprobe"};
    uint64_t probe;
    for (size_t at = 0; at < array_count(pmus); at++)
        if (sysroot_u64(root, &probe, "/sys/bus/event_source/devices/%s/type", pmus[at]) && probe == type)
            return true;
    return false;
}

static bool permission_failed(const struct opening *opening, const struct counter_stream *stream, int sys_errno,
                              struct error *err)
{
    int64_t paranoid = 0;
    struct process_rights rights;
    process_rights_read(&rights, opening->root);
    /* A filter sees neither the event nor whether it is the first: where another one did open, it was none. */
    if (!opening->counters->fds.count && process_seccomp_refused(&rights, sys_errno)) {
        error_wrap(err, "a seccomp filter (container runtime) refuses perf_event_open");
        return error_hint(err, "docker: --security-opt seccomp=unconfined, or --cap-add PERFMON with a newer profile; "
                               "Kubernetes: seccompProfile Unconfined");
    }
    bool known = sysroot_i64(opening->root, &paranoid, "/proc/sys/kernel/perf_event_paranoid");
    if (!known)
        return error_hint(err, "perf_event_open is not permitted here; in a container, allow it in the seccomp profile "
                               "and add CAP_PERFMON");
    if (opening->refused_thread && opening->request->target->kind != TARGET_WORKLOAD) {
        struct error wall;
        enum process_wall found = process_wall_find(opening->root, opening->refused_thread, false, &wall);
        if (process_wall_is_its_own(found)) {
            error_set(err, ERROR_PERMISSION, "can't record process %d: %s", (int)opening->refused_thread, wall.message);
            return error_hint(err, "%s", wall.hint);
        }
    }
    if (is_probe(opening->root, stream->attr.type) && !process_has(&rights, PROCESS_CAP_SYS_ADMIN))
        return error_hint(err,
                          "probes need root (CAP_SYS_ADMIN; CAP_PERFMON is enough for some kernels%s), whatever "
                          "kernel.perf_event_paranoid is",
                          process_has_perfmon(&rights) ? ", not for this one" : "");
    if (stream->attr.type == PERF_TYPE_TRACEPOINT && paranoid > -1 && strncmp(stream->name, "syscalls:", 9) != 0)
        return error_hint(
            err,
            "what a tracepoint saw is shown with kernel.perf_event_paranoid at -1 only (it is %lld), or to "
            "CAP_PERFMON; plumb stat counts it at 1",
            (long long)paranoid);
    bool wide = opening->request->target->kind == TARGET_CPUS || opening->request->target->kind == TARGET_CGROUP;
    long long wanted = wide ? 0 : stream->attr.exclude_kernel ? 2 : 1;
    if (paranoid > wanted)
        return error_hint(err, "perf_event_paranoid is %lld: as root, sysctl kernel.perf_event_paranoid=%lld, or give "
                               "plumb CAP_PERFMON%s",
                          (long long)paranoid, wanted, wide ? "; one's own processes may be recorded without -a" : "");
    return error_hint(err, "recording other users' processes needs root or CAP_PERFMON; in a container, seccomp may "
                           "forbid perf_event_open");
}

bool recorder_open_failed(const struct opening *opening, const struct counter_stream *stream, int sys_errno,
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
        return permission_failed(opening, stream, sys_errno, err);
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
        return error_hint(err,
                          "its PMU can't sample, or not as precisely as asked (:p); -e cpu-clock samples anywhere");
    case EMFILE:
    case ENFILE:
        return error_hint(
            err,
            "%zu of its descriptors are open; raise the limit (ulimit -n), or record fewer threads, events "
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
    case EINVAL:
        if (stream->event == STREAM_TRACKING || opening->request->events[stream->event].group == EVENT_NO_GROUP)
            return false;
        return error_hint(err, "the group may need more counters than the PMU has: fewer events in {…}, or {…}:W, "
                               "which samples them apart if they don't fit");
    default:
        return false;
    }
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
    struct view rest = text_view(&format), line;
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

bool recorder_filter_failed(const struct opening *opening, const struct counter_stream *stream, const char *filter,
                            int sys_errno, struct error *err)
{
    if (sys_errno != EINVAL && sys_errno != ENOENT)
        return error_system(err, sys_errno, "can't filter '%s' by '%s'", stream->name, filter);
    scoped_text struct text fields = {0};
    add_field_names(opening->root, stream->name, &fields);
    error_set(err, ERROR_USAGE, "the kernel doesn't understand the filter '%s' of '%s'", filter, stream->name);
    return error_hint(err, "write comparisons such as 'a == 1 && b != 2' of its fields%s%s", fields.length ? ": " : "",
                      text_string(&fields));
}
