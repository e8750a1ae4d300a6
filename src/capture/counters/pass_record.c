/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/counters/pass_record.h"

#include "base/vec.h"
#include "metric/schedule/pass_plan.h"
#include "source/live/counters.h"

struct pass {
    const struct pass_request *request;
    const struct pass_subject *subject;
    struct scheduled_counters *set;
    uint64_t start_ns;
    struct event_list fault_events;
    struct counters faults;
    vec(struct pass_faults) fault_reads;
    const struct sysroot *root;
    struct arena *arena;
    struct told *told; /* of each group; NULL: nobody asks */
};

struct told {
    size_t windows;
    const char **refused; /* NULL: not looked up yet */
};

static uint64_t pass_now(const struct pass *pass)
{
    return pass->subject->now_ns(pass->subject->context) - pass->start_ns;
}

static bool pass_wait(const struct pass *pass, uint64_t most_ns)
{
    return pass->subject->wait(pass->subject->context, most_ns);
}

/* Loading shows by its page faults; a counter of software takes none of the PMU's. */
static void faults_open(struct pass *pass, const struct target *target, const struct kernel *kernel,
                        const struct sysroot *root, struct arena *arena)
{
    struct error unknown = {0}; /* then it isn't known what was loading */
    struct counter_request request = {.events = &pass->fault_events,
                                      .target = target,
                                      .inherit = target->kind != TARGET_CPUS,
                                      .enable_on_exec = target->kind == TARGET_WORKLOAD};
    if (!event_list_parse(&pass->fault_events, "page-faults", root, arena, &unknown) ||
        !counters_open(&pass->faults, &request, kernel, root, arena, &unknown))
        pass->faults.count = 0;
}

static void faults_read(struct pass *pass)
{
    struct pass_faults read = {.time_ns = pass_now(pass)};
    if (!pass->faults.count || pass->faults.items[0].refusal != REFUSAL_NONE)
        return;
    const struct counter *counter = &pass->faults.items[0];
    counters_read(&pass->faults);
    for (size_t cell = 0; cell < counter->cpu_count * counter->thread_count; cell++)
        read.faults += counter->values[cell].valid ? counter->values[cell].value : 0;
    *vec_push(&pass->fault_reads) = read;
}

static const char **refused_find(const struct scheduled_counters *set, const struct schedule_group *planned,
                                 size_t index, const struct sysroot *root, struct arena *arena)
{
    const char **refused = arena_array(arena, const char *, planned->count + 1);
    for (size_t event = 0; event < planned->count; event++) {
        struct error reason = {0};
        if (scheduled_counters_refused(set, index, event, root, &reason))
            refused[event] = arena_string(arena, reason.message);
    }
    return refused;
}

/* The last window of each group that has a new one. */
static void windows_tell(struct pass *pass)
{
    for (size_t at = 0; pass->told && at < pass->request->group_count; at++) {
        const struct group_window *windows;
        size_t count = scheduled_counters_windows(pass->set, at, &windows);
        if (count == pass->told[at].windows)
            continue;
        pass->told[at].windows = count;
        if (!pass->told[at].refused)
            pass->told[at].refused = refused_find(
                pass->set, &pass->request->schedule->groups[pass->request->groups[at]], at, pass->root, pass->arena);
        pass->request->window_read(pass->request->context, &(struct pass_group){.group = pass->request->groups[at],
                                                                                .windows = &windows[count - 1],
                                                                                .window_count = 1,
                                                                                .refused = pass->told[at].refused});
    }
}

static void all_count(struct pass *pass)
{
    bool ended = false;
    while (!ended) {
        ended = pass_wait(pass, pass->request->read_ns);
        scheduled_counters_read(pass->set, SCHEDULED_ALL, pass_now(pass));
        faults_read(pass);
        windows_tell(pass);
    }
}

/* The counters of a group stand still but in its slices. */
static void slices_count(struct pass *pass, struct arena *arena)
{
    uint32_t *order = arena_array(arena, uint32_t, pass->request->group_count + 1);
    bool ended = false;
    for (size_t round = 0; !ended; round++) {
        pass_slice_order(pass->request->seed, round, pass->request->group_count, order);
        for (size_t at = 0; at < pass->request->group_count && !ended; at++) {
            scheduled_counters_start(pass->set, (int)order[at], pass_now(pass));
            ended = pass_wait(pass, pass->request->slice_ns);
            scheduled_counters_stop(pass->set, (int)order[at]);
            scheduled_counters_read(pass->set, (int)order[at], pass_now(pass));
            faults_read(pass);
            windows_tell(pass);
        }
    }
}

static struct pass_group group_kept(const struct scheduled_counters *set, const struct scheduled_counters_request *of,
                                    size_t index, const struct sysroot *root, struct arena *arena)
{
    const struct schedule_group *planned = &of->schedule->groups[of->groups[index]];
    const struct group_window *windows;
    size_t count = scheduled_counters_windows(set, index, &windows);
    struct group_window *kept = arena_copy(arena, windows, count * sizeof(*windows));
    for (size_t at = 0; at < count; at++)
        kept[at].counts = arena_copy(arena, kept[at].counts, planned->count * sizeof(*kept[at].counts));
    struct pass_group group = {.group = of->groups[index], .windows = kept, .window_count = count,
                               .refused = refused_find(set, planned, index, root, arena),
                               .user_only = scheduled_counters_user_only(set, index),
                               .never_ran = scheduled_counters_never_ran(set, index)};
    const int *cpus = NULL;
    group.cpu_count = scheduled_counters_cpus(set, index, &cpus);
    group.cpus = arena_copy(arena, cpus, group.cpu_count * sizeof(*cpus));
    struct group_window *on_cpus = arena_array(arena, struct group_window, group.cpu_count + 1);
    for (size_t cpu = 0; cpu < group.cpu_count; cpu++)
        on_cpus[cpu] = scheduled_counters_cpu_window(set, index, cpu, arena_array(arena, double, planned->count + 1));
    group.cpu_windows = on_cpus;
    return group;
}

void pass_groups_keep(struct pass_record *record, const struct scheduled_counters *set,
                      const struct scheduled_counters_request *of, const struct sysroot *root, struct arena *arena)
{
    record->groups = arena_array(arena, struct pass_group, of->group_count + 1);
    record->group_count = of->group_count;
    for (size_t at = 0; at < of->group_count; at++)
        record->groups[at] = group_kept(set, of, at, root, arena);
}

static bool pass_count(struct pass_record *ret, struct pass *pass, const struct scheduled_counters_request *opened,
                       struct arena *arena, struct error *err)
{
    const struct pass_request *request = pass->request;
    bool slices = request->slice_ns && request->group_count > 1;
    pass->start_ns = pass->subject->now_ns(pass->subject->context);
    if (!slices)
        scheduled_counters_start(pass->set, SCHEDULED_ALL, 0);
    if (!pass->subject->release(pass->subject->context, err))
        return false;
    if (slices)
        slices_count(pass, arena);
    else
        all_count(pass);
    ret->elapsed_ns = pass_now(pass);
    ret->faults =
        arena_copy(arena, pass->fault_reads.items, pass->fault_reads.count * sizeof(*pass->fault_reads.items));
    ret->fault_count = pass->fault_reads.count;
    pass_groups_keep(ret, pass->set, opened, pass->root, arena);
    return true;
}

bool pass_record_make(struct pass_record *ret_record, const struct pass_request *request,
                      const struct pass_subject *subject, const struct kernel *kernel, const struct sysroot *root,
                      struct arena *arena, struct error *err)
{
    struct pass pass = {.request = request, .subject = subject, .root = root, .arena = arena};
    if (request->window_read)
        pass.told = arena_array(arena, struct told, request->group_count + 1);
    struct pass_record record = {0};
    struct target target = {.cgroup_fd = -1};
    bool good = subject->start(subject->context, &target, arena, err);
    struct scheduled_counters_request wanted = {.events = request->events,
                                                .schedule = request->schedule,
                                                .specs = request->specs,
                                                .groups = request->groups,
                                                .group_count = request->group_count,
                                                .target = &target,
                                                .inherit = target.kind != TARGET_CPUS};
    good = good && scheduled_counters_open(&pass.set, &wanted, kernel, root, err);
    if (good)
        faults_open(&pass, &target, kernel, root, arena);
    good = good && pass_count(&record, &pass, &wanted, arena, err);
    counters_close(&pass.faults);
    event_list_done(&pass.fault_events);
    vec_done(&pass.fault_reads);
    scheduled_counters_free(pass.set);
    record.exit_code = subject->finish(subject->context);
    if (good)
        *ret_record = record;
    return good;
}
