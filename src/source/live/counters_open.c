/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening: where each event counts, what is changed to make it open, groups that fit and groups that don't. */
#include "source/live/counters.h"

#include "base/scope.h"
#include "base/vec.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

struct opener {
    struct counters *counters;
    const struct counter_request *request;
    const struct sysroot *root;
    struct arena *arena;
    bool limit_raised;
};

static bool is_leader(const struct counters *counters, size_t index)
{
    return counters->items[index].leader == index;
}

static bool has_members(const struct counters *counters, size_t index)
{
    for (size_t at = index + 1; at < counters->count; at++)
        if (counters->items[at].leader == index)
            return true;
    return false;
}

/* Where an event is opened. */

static bool package_of(const struct sysroot *root, int cpu, int64_t *ret_package)
{
    return sysroot_i64(root, ret_package, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
}

/* Keep the first CPU of each package, for PMUs whose count is the package's. */
static size_t first_of_packages(const struct sysroot *root, const int *cpus, size_t count, int *kept)
{
    vec(int64_t) packages = {0};
    size_t kept_count = 0;
    for (size_t at = 0; at < count; at++) {
        int64_t package = -1;
        bool seen = false;
        if (package_of(root, cpus[at], &package))
            vec_for_each(&packages, known) seen |= *known == package;
        if (seen)
            continue;
        *vec_push(&packages) = package;
        kept[kept_count++] = cpus[at];
    }
    vec_done(&packages);
    return kept_count;
}

static size_t intersect(const int *a, size_t a_count, const int *b, size_t b_count, int *both)
{
    size_t count = 0;
    for (size_t at = 0; at < a_count; at++)
        for (size_t other = 0; other < b_count; other++)
            if (a[at] == b[other]) {
                both[count++] = a[at];
                break;
            }
    return count;
}

static const int any_cpu[] = {-1};

static void counter_place(struct opener *opener, struct counter *counter)
{
    const struct target *target = opener->request->target;
    const struct event_spec *spec = counter->spec;
    bool by_cpu = target->kind == TARGET_CPUS || target->kind == TARGET_CGROUP;
    bool uncore = spec->cpu_count && !spec->cpus_are_core;
    counter->thread_count = by_cpu || uncore ? 1 : target->thread_count;
    counter->cpus = any_cpu;
    counter->cpu_count = 1;
    counter->machine_wide = uncore && !by_cpu;
    if (!by_cpu && !uncore)
        return;
    const int *cpus = by_cpu ? target->cpus : spec->cpus;
    size_t count = by_cpu ? target->cpu_count : spec->cpu_count;
    int *kept = arena_array(opener->arena, int, count);
    if (by_cpu && spec->cpu_count) {
        count = intersect(target->cpus, target->cpu_count, spec->cpus, spec->cpu_count, kept);
        cpus = kept;
    }
    if (spec->per_package && by_cpu) {
        int *first = arena_array(opener->arena, int, count);
        count = first_of_packages(opener->root, cpus, count, first);
        cpus = first;
    }
    counter->cpus = cpus;
    counter->cpu_count = count;
}

/* What perf_event_open is given. */

static void counter_attr(struct opener *opener, size_t index)
{
    struct counter *counter = &opener->counters->items[index];
    struct perf_event_attr *attr = &counter->attr;
    bool leader = is_leader(opener->counters, index);
    bool by_task = opener->request->target->kind != TARGET_CPUS && opener->request->target->kind != TARGET_CGROUP;
    attr->size = sizeof(*attr);
    attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    if (!leader || has_members(opener->counters, index))
        attr->read_format |= PERF_FORMAT_GROUP;
    attr->precise_ip = 0; /* says where samples point; a count has no place, and some PMUs refuse it */
    attr->disabled = leader;
    counter->stays = opener->request->inherit && by_task && !event_is_handed_on(opener->request->events, index);
    attr->inherit = opener->request->inherit && by_task && !counter->machine_wide && !counter->stays;
    attr->enable_on_exec = leader && opener->request->enable_on_exec && by_task && !counter->machine_wide;
    if (!leader)
        attr->pinned = attr->exclusive = 0;
    opener->counters->enabled_by_exec |= attr->enable_on_exec;
    /*
     * Arm's driver leaves a leader that is off and not to be enabled by exec out of "does the group fit"
     * (validate_event in drivers/perf/arm_pmu.c): one member too many is accepted and then never scheduled. An event of
     * a CPU never sees an exec; one of a running task is enabled at once, unless the user wants to start it later.
     */
    attr->enable_on_exec |=
        leader && has_members(opener->counters, index) && (!by_task || !opener->request->starts_later);
}

static bool limit_raise(struct opener *opener)
{
    struct rlimit limit;
    if (opener->limit_raised || getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max)
        return false;
    opener->limit_raised = true;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

/* One descriptor; what may be changed to make it open is changed in counter->attr. */
static int cell_open(struct opener *opener, size_t index, size_t cpu, size_t thread)
{
    struct counters *counters = opener->counters;
    struct counter *counter = &counters->items[index];
    const struct target *target = opener->request->target;
    size_t cell = cpu * counter->thread_count + thread;
    const struct counter_cgroup *cgroup = opener->request->cgroups ? &opener->request->cgroups[index] : NULL;
    bool by_cpu = target->kind == TARGET_CPUS || target->kind == TARGET_CGROUP || counter->machine_wide;
    pid_t pid = by_cpu ? -1 : target->threads[thread].tid;
    unsigned long flags = 0;
    if ((cgroup && cgroup->name) || target->kind == TARGET_CGROUP) {
        pid = cgroup && cgroup->name ? cgroup->fd : target->cgroup_fd;
        flags = PERF_FLAG_PID_CGROUP;
    }
    int group_fd = is_leader(counters, index) ? -1 : counters->items[counter->leader].fds[cell];
    int forbidden = 0;
    for (;;) {
        int fd = counters->kernel->perf_event_open(counters->kernel->context, &counter->attr, pid,
                                                   counter->cpus[cpu], group_fd, flags);
        struct perf_event_attr *attr = &counter->attr;
        if (fd >= 0 || errno == EINTR || (errno == EMFILE && limit_raise(opener))) {
            if (fd >= 0)
                return fd;
        } else if (errno == EINVAL && attr->exclude_guest && !attr->exclude_host) {
            attr->exclude_guest = 0; /* kernels and PMUs that can't tell guests apart */
        } else if ((errno == EACCES || errno == EPERM) && !attr->exclude_kernel && !attr->exclude_user &&
                   event_kernel_part(counter->spec) != EVENT_KERNEL_ALL) {
            attr->exclude_kernel = attr->exclude_hv = 1;
            forbidden = errno;
            counter->user_only = true;
        } else {
            /* PMUs that know no modes take no such limit: what stands in the way is still the permission */
            if (forbidden && errno == EINVAL)
                errno = forbidden;
            return -1;
        }
    }
}

static enum counter_refusal refusal_of(int open_errno)
{
    switch (open_errno) {
    case EACCES:
    case EPERM:
        return REFUSAL_PERMISSION;
    case EBUSY:
    case ENOSPC:
        return REFUSAL_BUSY;
    case ENOSYS:
        return REFUSAL_NO_SYSCALL;
    default:
        return REFUSAL_UNSUPPORTED;
    }
}

static void counter_close(struct counters *counters, struct counter *counter)
{
    for (size_t cell = 0; cell < counter->cpu_count * counter->thread_count; cell++)
        if (counter->fds[cell] >= 0)
            counters->kernel->close(counters->kernel->context, fd_steal(&counter->fds[cell]));
}

static void counter_refuse(struct counters *counters, struct counter *counter, int open_errno)
{
    counter_close(counters, counter);
    counter->refusal = refusal_of(open_errno);
    counter->open_errno = open_errno;
    counter->user_only = false;
}

static bool limit_error(const struct counters *counters, int open_errno, struct error *err)
{
    size_t cells = 0;
    for (size_t at = 0; at < counters->count; at++)
        cells += counters->items[at].cpu_count * counters->items[at].thread_count;
    error_system(err, open_errno, "can't open %zu event descriptors", cells);
    if (open_errno == ENOMEM)
        return error_hint(err, "fewer events, threads or CPUs need less memory");
    return error_hint(err, "raise the limit of open files (ulimit -n %zu, ulimit -Hn), or count fewer events, threads "
                           "or CPUs",
                      cells + 64);
}

/*
 * Whether a group that is to start later (see counter_attr: the kernel may leave its leader out of the check) fits up
 * to this member: it is opened on ourselves, who never exec.
 */
static bool fits_here(const struct opener *opener, size_t index)
{
    const struct counters *counters = opener->counters;
    const struct kernel *kernel = counters->kernel;
    size_t leader = counters->items[index].leader;
    vec(int) opened = {0};
    bool fits = true;
    for (size_t at = leader; at <= index && fits; at++) {
        const struct counter *counter = &counters->items[at];
        if (counter->leader != leader || counter->refusal != REFUSAL_NONE)
            continue;
        struct perf_event_attr attr = counter->attr;
        attr.enable_on_exec = 1;
        int fd = kernel->perf_event_open(kernel->context, &attr, 0, -1, opened.count ? opened.items[0] : -1, 0);
        fits = fd >= 0 || at < index || errno != EINVAL;
        if (fd >= 0)
            *vec_push(&opened) = fd;
        else if (at == leader)
            break;
    }
    vec_for_each(&opened, fd)
        kernel->close(kernel->context, *fd);
    vec_done(&opened);
    return fits;
}

static bool is_checked_here(const struct opener *opener, size_t index)
{
    const struct counter *counter = &opener->counters->items[index];
    return opener->request->starts_later && !is_leader(opener->counters, index) && counter->cpus[0] < 0;
}

/* A thread or CPU that went away is left out; false when the event can't be opened at all (refused), or err. */
static bool counter_open(struct opener *opener, size_t index, struct error *err)
{
    struct counters *counters = opener->counters;
    struct counter *counter = &counters->items[index];
    size_t opened = 0, gone = 0;
    counter_attr(opener, index);
    if (is_checked_here(opener, index) && !fits_here(opener, index)) {
        counter_refuse(counters, counter, EINVAL);
        return false;
    }
    for (size_t cpu = 0; cpu < counter->cpu_count; cpu++)
        for (size_t thread = 0; thread < counter->thread_count; thread++) {
            size_t cell = cpu * counter->thread_count + thread;
            if (!is_leader(counters, index) && counters->items[counter->leader].fds[cell] < 0)
                continue;
            int fd = cell_open(opener, index, cpu, thread);
            if (fd < 0 && (errno == ESRCH || (errno == ENODEV && opened))) {
                gone++;
                continue;
            }
            if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
                return limit_error(counters, errno, err);
            if (fd < 0) {
                counter_refuse(counters, counter, errno);
                if (counter->cpus[0] < 0 && !counter->machine_wide)
                    counter->refused_thread = opener->request->target->threads[thread].tid;
                return false;
            }
            counter->fds[cell] = fd;
            opened++;
        }
    if (!opened && gone)
        return error_set(err, ERROR_NOT_FOUND, "what was to be measured has ended");
    return true;
}

/* Groups. */

/* A group is opened apart when it is weak and doesn't fit, or when its members are counted on different CPUs. */
static void group_break(struct counters *counters, size_t leader)
{
    for (size_t at = leader; at < counters->count; at++) {
        struct counter *counter = &counters->items[at];
        if (counter->leader != leader)
            continue;
        counter_close(counters, counter);
        counter->leader = at;
        counter->group_broken = true;
        counter->refusal = REFUSAL_NONE;
        counter->attr = counter->spec->attr;
        counter->user_only = false;
    }
}

/* The leader was refused: the next member leads what is left. */
static void group_inherit(struct counters *counters, size_t refused)
{
    size_t heir = SIZE_MAX;
    for (size_t at = refused + 1; at < counters->count; at++)
        if (counters->items[at].leader == refused) {
            heir = heir == SIZE_MAX ? at : heir;
            counters->items[at].leader = heir;
        }
}

static bool same_place(const struct counter *a, const struct counter *b)
{
    if (a->thread_count != b->thread_count || a->cpu_count != b->cpu_count)
        return false;
    for (size_t at = 0; at < a->cpu_count; at++)
        if (a->cpus[at] != b->cpus[at])
            return false;
    return true;
}

static bool all_open(struct opener *opener, struct error *err)
{
    struct counters *counters = opener->counters;
    struct error problem = {0};
    for (size_t at = 0; at < counters->count; at++) {
        struct counter *counter = &counters->items[at];
        if (counter->cpu_count == 0 || counter_open(opener, at, &problem))
            continue;
        if (problem.kind) {
            *err = problem;
            return false;
        }
        if (is_leader(counters, at)) {
            group_inherit(counters, at);
        } else if (counter->open_errno == EINVAL && counter->spec->weak_group) {
            size_t leader = counter->leader;
            group_break(counters, leader);
            at = leader - 1; /* and once more from there; SIZE_MAX + 1 is 0 */
        }
    }
    return true;
}

/* Names and memory. */

static const char *user_only_name(struct arena *arena, const char *name)
{
    size_t length = strlen(name);
    bool slash = length && name[length - 1] == '/';
    return arena_printf(arena, "%s%su", name, slash || (strchr(name, ':') && !strchr(name, '/')) ? "" : ":");
}

static void counter_init(struct opener *opener, size_t index, const struct event_spec *spec)
{
    struct counter *counter = &opener->counters->items[index];
    const struct counter_cgroup *cgroup = opener->request->cgroups ? &opener->request->cgroups[index] : NULL;
    *counter = (struct counter){.spec = spec, .name = spec->name, .attr = spec->attr, .leader = index};
    counter->cgroup = cgroup ? cgroup->name : NULL;
    if (opener->request->target->kind == TARGET_CGROUP && !counter->cgroup)
        counter->cgroup = opener->request->target->cgroup_path;
    counter_place(opener, counter);
    size_t cells = counter->cpu_count * counter->thread_count;
    counter->fds = arena_array(opener->arena, int, cells);
    counter->values = arena_array(opener->arena, struct counter_value, cells);
    for (size_t cell = 0; cell < cells; cell++)
        counter->fds[cell] = -1;
}

static void groups_init(struct opener *opener)
{
    struct counters *counters = opener->counters;
    for (size_t at = 0; at < counters->count; at++) {
        int group = counters->items[at].spec->group;
        size_t leader = at;
        while (group != EVENT_NO_GROUP && leader > 0 && counters->items[leader - 1].spec->group == group)
            leader--;
        bool cgroup_differs = counters->items[leader].cgroup != counters->items[at].cgroup;
        if (same_place(&counters->items[leader], &counters->items[at]) && !cgroup_differs)
            counters->items[at].leader = leader;
        else
            counters->items[at].group_broken = true;
    }
}

bool counters_open(struct counters *counters, const struct counter_request *request, const struct kernel *kernel,
                   const struct sysroot *root, struct arena *arena, struct error *err)
{
    struct opener opener = {.counters = counters, .request = request, .root = root, .arena = arena};
    *counters = (struct counters){.kernel = kernel, .count = request->events->count};
    counters->items = arena_array(arena, struct counter, counters->count);
    for (size_t at = 0; at < counters->count; at++)
        counter_init(&opener, at, &request->events->items[at]);
    groups_init(&opener);
    if (!all_open(&opener, err)) {
        counters_close(counters);
        return false;
    }
    for (size_t at = 0; at < counters->count; at++)
        if (counters->items[at].user_only)
            counters->items[at].name = user_only_name(arena, counters->items[at].name);
    return true;
}
