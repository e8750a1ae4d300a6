/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events that count together: how many fit, and the top-down metrics, which only count so. */
#include "base/vec.h"
#include "probe/capability/capability_row.h"
#include "probe/known_work.h"

#include <errno.h>

enum { CHAIN_ITERATIONS = CAPABILITY_CHAIN_ITERATIONS, GROUP_MOST = 24 };

struct group {
    struct trial members[GROUP_MOST];
    size_t count;
};

static bool group_add(struct group *group, const struct kernel *kernel, uint32_t type, uint64_t config)
{
    struct trial_target target = TRIAL_SELF;
    struct perf_event_attr attr = trial_attr(type, config);
    attr.disabled = group->count == 0;
    /* we never exec; without it Arm's driver leaves the leader out of "does it fit" */
    attr.enable_on_exec = attr.disabled;
    target.group_fd = group->count ? group->members[0].fd : -1;
    return group->count < GROUP_MOST && trial_open(&group->members[group->count], kernel, &attr, &target) &&
           ++group->count;
}

static void group_close(struct group *group)
{
    while (group->count) /* members first: the leader's closing would set them free to run alone */
        trial_done(&group->members[--group->count]);
}

static bool group_work(struct group *group)
{
    if (!trial_start(&group->members[0]))
        return false;
    known_work_chain(CHAIN_ITERATIONS);
    return trial_stop(&group->members[0]);
}

/* Whether all members were on the PMU together over the work. */
static bool group_runs(struct group *group)
{
    struct trial_count count;
    if (!group_work(group))
        return false;
    for (size_t at = 0; at < group->count; at++)
        if (!trial_read(&group->members[at], &count) || !count.running_ns || !count.value)
            return false;
    return true;
}

/* Events that a full group still takes have a counter of their own. */
static void fixed_counters_find(const struct bench *bench, uint64_t filler, size_t programmable)
{
    static const struct {
        uint64_t config;
        const char *name;
    } events[] = {{PERF_COUNT_HW_CPU_CYCLES, "cycles"},
                  {PERF_COUNT_HW_INSTRUCTIONS, "instructions"},
                  {PERF_COUNT_HW_REF_CPU_CYCLES, "ref-cycles"}};
    char found[80] = "";
    for (size_t at = 0; at < array_count(events); at++) {
        struct group group = {.count = 0};
        if (events[at].config == filler)
            continue;
        while (group.count < programmable && group_add(&group, bench->kernel, PERF_TYPE_HARDWARE, filler))
            ;
        size_t used = strlen(found);
        if (group.count == programmable && group_add(&group, bench->kernel, PERF_TYPE_HARDWARE, events[at].config) &&
            group_runs(&group))
            snprintf(found + used, sizeof(found) - used, "%s%s", used ? " " : "", events[at].name);
        group_close(&group);
    }
    fact_word_set(&bench->all->fixed_counters, view_of(found));
}

/*
 * Branches have no fixed counter anywhere, so each member takes a programmable one; where they can't be counted,
 * instructions (on Arm they have no fixed one either).
 */
void measure_group_size(const struct bench *bench, struct capability *capability)
{
    const struct capability *rows = bench->all->items, *counted_row = &rows[CAPABILITY_BRANCHES];
    uint64_t filler = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
    if (counted_row->verdict != CAPABILITY_WORKS) {
        counted_row = &rows[CAPABILITY_INSTRUCTIONS];
        filler = PERF_COUNT_HW_INSTRUCTIONS;
    }
    if (counted_row->verdict != CAPABILITY_WORKS) {
        enum capability_id id = capability->id;
        *capability = *counted_row;
        capability->id = id;
        fact_number_absent(&capability->expected, "not one number");
        fact_number_absent(&capability->counted, "not one number");
        return;
    }
    struct group group = {.count = 0};
    while (group_add(&group, bench->kernel, PERF_TYPE_HARDWARE, filler))
        ;
    size_t accepted = group.count;
    bool runs = accepted && group_runs(&group);
    group_close(&group);
    size_t counted = accepted;
    while (!runs && counted > 1) { /* accepted, but somebody else holds a counter: shrink until it is scheduled */
        counted--;
        while (group.count < counted && group_add(&group, bench->kernel, PERF_TYPE_HARDWARE, filler))
            ;
        runs = group.count == counted && group_runs(&group);
        group_close(&group);
    }
    if (!runs) {
        capability_never_ran(capability, bench);
        return;
    }
    fact_number_set(&bench->all->group_size, (int64_t)counted);
    fact_number_set(&bench->all->group_size_accepted, (int64_t)accepted);
    fixed_counters_find(bench, filler, counted);
    capability_works(capability, "%zu programmable counters at once%s%s", counted,
                     bench->all->fixed_counters.text[0] ? ", and on top: " : "", bench->all->fixed_counters.text);
    if (counted < accepted) {
        capability->verdict = CAPABILITY_PARTLY;
        capability->blocker = BLOCKER_OTHER_USER;
        snprintf(capability->reason, sizeof(capability->reason),
                 "the kernel accepts groups of %zu and never schedules them: another user holds %zu", accepted,
                 accepted - counted);
        capability_remedy(capability, "sudo sysctl kernel.nmi_watchdog=0; end other users of the PMU");
    }
}

/* ---- top-down by PERF_METRICS --------------------------------------------------------------------------- */

static bool topdown_encode(const struct pmu *core, const char *name, uint64_t *ret_config)
{
    const char *value = pmu_entry_find(&core->events, name);
    return value && pmu_event_encode(core, value, ret_config);
}

void measure_topdown(const struct bench *bench, struct capability *capability)
{
    static const char *const names[] = {"slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound",
                                        "topdown-be-bound"};
    const struct pmu *core = pmu_find_core(&bench->machine->pmus);
    if (!core && bench_has_core(bench) && bench_lacks_sysfs(bench, capability, "the PMU's slots"))
        return;
    if (!core) {
        capability_explain_errno(capability, bench, "perf_event_open", ENOENT, NEED_PMU);
        capability->sys_errno = 0;
        return;
    }
    if (!pmu_has_topdown(core)) {
        bool guest = virtualisation_is_guest(&bench->machine->virtualisation);
        capability_blocked(
            capability, guest ? BLOCKER_HYPERVISOR : BLOCKER_HARDWARE,
            "sysfs does not list both 'slots' and 'topdown-retiring', so they are not opened (elsewhere that "
            "has crashed guest kernels)");
        capability_remedy(capability, "top-down by general-purpose counters works where model-specific events do");
        return;
    }
    struct group group = {.count = 0};
    uint64_t values[array_count(names)] = {0}, config;
    for (size_t at = 0; at < array_count(names); at++)
        if (!topdown_encode(core, names[at], &config) ||
            !group_add(&group, bench->kernel, bench_core_type(bench), config)) {
            struct trial failed = group.members[group.count];
            group_close(&group);
            capability_explain(capability, bench, &failed, NEED_PMU);
            return;
        }
    bool runs = group_work(&group);
    struct trial_count count;
    double sum = 0;
    for (size_t at = 0; at < group.count && runs; at++) {
        runs = trial_read(&group.members[at], &count);
        values[at] = count.value;
        sum += at ? (double)count.value : 0;
    }
    group_close(&group);
    double share = values[0] ? sum / (double)values[0] : 0;
    if (!runs || !values[0])
        capability_never_ran(capability, bench);
    else if (share < 0.9 || share > 1.1)
        capability_wrong(capability, "the four classes sum to %.0f %% of the slots", share * 100);
    else
        capability_works(capability, "the four classes sum to %.0f %% of %llu slots", share * 100,
                         (unsigned long long)values[0]);
}
