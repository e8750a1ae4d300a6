/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which layer refused an event, and what the user can do about it. */
#include "source/live/counters.h"

#include "base/scope.h"
#include "base/text.h"
#include "system/pmu/pmu_list.h"
#include "system/pmu/process_wall.h"

#include <errno.h>
#include <string.h>

static bool seccomp_filters(const struct sysroot *root)
{
    scoped_text struct text status = {0};
    struct view rest, line;
    if (!sysroot_read(root, &status, NULL, "/proc/self/status"))
        return false;
    rest = view_of(text_string(&status));
    while (view_line(&rest, &line))
        if (view_starts(line, "Seccomp:"))
            return view_equal(view_trim(view_skip(line, 8)), "2");
    return false;
}

static void permission_explain(const struct counter *counter, const struct sysroot *root, struct error *reason)
{
    int64_t paranoid = 0;
    bool known = sysroot_i64(root, &paranoid, "/proc/sys/kernel/perf_event_paranoid");
    bool whole_cpu = counter->cpus[0] >= 0;
    struct process_rights rights;
    process_rights_read(&rights, root);
    if (process_seccomp_refused(&rights, counter->open_errno)) {
        error_set(reason, ERROR_PERMISSION, "a seccomp filter (container runtime) refuses perf_event_open");
        error_hint(reason, "docker: --security-opt seccomp=unconfined, or --cap-add PERFMON with a newer profile; "
                           "Kubernetes: seccompProfile Unconfined");
        return;
    }
    if (event_is_probe(counter->spec) && !process_has(&rights, PROCESS_CAP_SYS_ADMIN)) {
        error_set(reason, ERROR_PERMISSION,
                  "not permitted: probes need root (CAP_SYS_ADMIN; CAP_PERFMON is enough for some kernels%s), "
                  "whatever kernel.perf_event_paranoid is",
                  process_has_perfmon(&rights) ? ", not for this one" : "");
        error_hint(reason, "run plumb as root");
        return;
    }
    if (counter->attr.exclude_kernel && !whole_cpu && known && counter->refused_thread) {
        enum process_wall wall = process_wall_find(root, counter->refused_thread, false, reason);
        error_wrap(reason, "process %d", (int)counter->refused_thread);
        if ((paranoid <= 2 && wall != WALL_GONE) || process_wall_is_its_own(wall))
            return;
    }
    if (process_has_perfmon(&rights)) {
        error_set(reason, ERROR_PERMISSION,
                  "the kernel refuses this event (%s), although this process holds CAP_PERFMON",
                  strerror(counter->open_errno));
        error_hint(
            reason,
            "an event that can't be counted this way, lockdown, or a security module: see dmesg or the audit log");
        return;
    }
    if (known)
        error_set(reason, ERROR_PERMISSION,
                  "not permitted: kernel.perf_event_paranoid is %lld and CAP_PERFMON is missing", (long long)paranoid);
    else
        error_set(reason, ERROR_PERMISSION, "not permitted: CAP_PERFMON is missing");
    if (whole_cpu)
        error_hint(reason, "as root: sysctl kernel.perf_event_paranoid=0, or setcap cap_perfmon+ep on plumb; without: "
                           "programs you start and processes you own (-p) can be counted");
    else
        error_hint(reason, "as root: sysctl kernel.perf_event_paranoid=%d, or setcap cap_perfmon+ep on plumb",
                   paranoid > 2 ? 2 : 1);
}

static void unsupported_explain(const struct counter *counter, const struct sysroot *root, struct error *reason)
{
    uint32_t type = counter->attr.type;
    bool core = type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
    if (core && !pmu_core_exists(root)) {
        error_set(reason, ERROR_UNSUPPORTED, "the kernel drives no core PMU here (a guest whose hypervisor hides it?)");
        error_hint(reason, "plumb doctor tells which layer hides it");
        return;
    }
    if (counter->open_errno == EINVAL && counter->spec->group != EVENT_NO_GROUP) {
        error_set(reason, ERROR_UNSUPPORTED, "the group doesn't fit on the PMU with it");
        error_hint(reason, "make the group smaller, or weak: {...}:W");
        return;
    }
    if (core && counter->open_errno == ENOENT)
        error_set(reason, ERROR_UNSUPPORTED, "this processor's PMU has no such event");
    else
        error_set(reason, ERROR_UNSUPPORTED, "this PMU or kernel refuses it (%s)", strerror(counter->open_errno));
}

void counter_refusal_explain(const struct counter *counter, const struct sysroot *root, struct error *ret_reason)
{
    *ret_reason = (struct error){0};
    switch (counter->refusal) {
    case REFUSAL_NONE:
        break;
    case REFUSAL_PERMISSION:
        permission_explain(counter, root, ret_reason);
        break;
    case REFUSAL_BUSY:
        error_set(ret_reason, ERROR_LIMIT, "another user holds what it needs (%s)", strerror(counter->open_errno));
        error_hint(ret_reason, "another profiler or debugger may be running; the NMI watchdog holds a counter "
                               "(sysctl kernel.nmi_watchdog=0)");
        break;
    case REFUSAL_NO_SYSCALL:
        error_set(ret_reason, ERROR_UNSUPPORTED, "there is no perf_event_open here (%s)",
                  seccomp_filters(root) ? "a seccomp filter hides it" : "the kernel was built without it");
        error_hint(ret_reason, "in a container: a seccomp profile that allows perf_event_open");
        break;
    case REFUSAL_UNSUPPORTED:
        unsupported_explain(counter, root, ret_reason);
        break;
    }
    ret_reason->sys_errno = counter->open_errno;
}
