/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/guest/guest_probe.h"

#include "base/scope.h"
#include "probe/guest/cycle_counter.h"
#include "probe/guest/exit_cost.h"
#include "probe/guest/host_page.h"
#include "probe/guest/interruption.h"
#include "probe/guest/touch_cost.h"
#include "probe/guest/wake_cost.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

static const struct plan {
    int rounds, wakes, page_rounds;
    size_t touched_bytes;
    double span_ns;
} quick_plan = {12, 12, 12, 16u << 20, 90e6}, full_plan = {40, 40, 24, 128u << 20, 250e6};

struct probe {
    struct guest_costs *costs;
    const struct sysroot *root;
    const struct guest_probe_request *request;
};

/* The coarse clock advances by a tick: its resolution is the tick's length. */
static struct guest_value kernel_hz(void)
{
    struct timespec step;
    if (clock_getres(CLOCK_MONOTONIC_COARSE, &step) != 0 || step.tv_sec || step.tv_nsec <= 0)
        return (struct guest_value){.why_not = "the coarse clock doesn't tell its resolution"};
    return (struct guest_value){.value = interval_exactly(1e9 / (double)step.tv_nsec)};
}

static bool list_has(const char *list, unsigned cpu)
{
    scoped_free int *cpus = NULL;
    size_t count;
    if (!list || !*list || !cpu_list_parse(view_of(list), &cpus, &count))
        return false;
    for (size_t at = 0; at < count; at++)
        if (cpus[at] == (int)cpu)
            return true;
    return false;
}

static enum guest_cpu_kind kind_of(const struct guest_probe_request *request, unsigned cpu)
{
    return list_has(request->nohz_full, cpu)  ? GUEST_CPU_NOHZ_FULL
           : list_has(request->isolated, cpu) ? GUEST_CPU_ISOLATED
                                              : GUEST_CPU_ORDINARY;
}

/* Ticks and interruptions on one CPU of each kind that there is; the costs are those of the first. */
static void cpus_measure(struct probe *probe, const struct plan *plan, const cpu_set_t *allowed, unsigned first,
                         double counter_ns)
{
    struct guest_costs *costs = probe->costs;
    bool done[GUEST_CPUS_MOST] = {false};
    for (unsigned turn = 0; turn < CPU_SETSIZE && costs->cpu_count < GUEST_CPUS_MOST; turn++) {
        unsigned cpu = (first + turn) % CPU_SETSIZE;
        if (!CPU_ISSET(cpu, allowed) || (probe->request->quick && costs->cpu_count))
            continue;
        enum guest_cpu_kind kind = kind_of(probe->request, cpu);
        struct guest_cpu *row = &costs->cpus[costs->cpu_count];
        struct guest_value tick, other;
        *row = (struct guest_cpu){.cpu = cpu, .kind = kind};
        double hz = costs->kernel_hz.value.known ? costs->kernel_hz.value.mid : 0;
        if (done[kind] || !interruptions_measure(row, probe->root, plan->span_ns, counter_ns, hz, &tick, &other))
            continue;
        done[kind] = true;
        if (!costs->cpu_count++) {
            costs->costs[GUEST_COST_TICK] = tick;
            costs->costs[GUEST_COST_INTERRUPTION] = other;
        }
    }
    if (costs->cpu_count)
        return;
    costs->why_no_cpus = costs->costs[GUEST_COST_TICK].why_not = costs->costs[GUEST_COST_INTERRUPTION].why_not =
        "the thread could not be pinned to a CPU";
}

/* Another CPU, an ordinary one if there is: on a nohz_full one the first wake-up brings its tick back. */
static bool other_cpu(const struct probe *probe, const cpu_set_t *allowed, unsigned own, unsigned *ret_cpu)
{
    bool found = false;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, allowed) && cpu != own &&
            (!found || kind_of(probe->request, *ret_cpu) != GUEST_CPU_ORDINARY)) {
            *ret_cpu = cpu;
            found = true;
        }
    return found;
}

static void *probe_run(void *context)
{
    struct probe *probe = context;
    const struct plan *plan = probe->request->quick ? &quick_plan : &full_plan;
    struct guest_costs *costs = probe->costs;
    double counter_ns = cycle_counter_ns();
    int here = sched_getcpu();
    unsigned own = here < 0 ? 0 : (unsigned)here, other = own;
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (counter_ns <= 0 || sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
        return context;
    costs->kernel_hz = kernel_hz();
    exit_costs_measure(costs->costs, plan->rounds, counter_ns, probe->request->is_guest);
    touch_costs_measure(costs, probe->root, plan->touched_bytes, counter_ns);
    cpus_measure(probe, plan, &allowed, own, counter_ns);
    host_pages_measure(&costs->backing, probe->root, plan->page_rounds);
    timer_costs_measure(costs->costs, own, plan->wakes);
    if (other_cpu(probe, &allowed, own, &other))
        wake_costs_measure(costs->costs, own, other, plan->wakes);
    else
        wake_costs_absent(costs->costs, "this process may use one CPU only");
    return NULL;
}

static void nothing_measured(struct guest_costs *costs, const char *why_not)
{
    for (size_t at = 0; at < GUEST_COSTS; at++)
        costs->costs[at] = (struct guest_value){.why_not = why_not};
    costs->kernel_hz.why_not = costs->why_no_cpus = costs->backing.why_not = why_not;
}

void guest_probe_measure(struct guest_costs *costs, const struct sysroot *root,
                         const struct guest_probe_request *request)
{
    struct probe probe = {costs, root, request};
    struct timespec now;
    pthread_t thread;
    double start_ns = wall_ns(), start_cpu_ns = (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    void *failed = &probe;
    *costs = (struct guest_costs){0};
    if (!sysroot_is_live(root))
        nothing_measured(costs, "a snapshot");
    else if (pthread_create(&thread, NULL, probe_run, &probe) != 0 || pthread_join(thread, &failed) != 0 || failed)
        nothing_measured(costs, "no thread could be started for it (a limit of processes: ulimit -u, pids.max)");
    clock_gettime(CLOCK_REALTIME, &now);
    costs->taken_at_s = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
    costs->elapsed_s = (wall_ns() - start_ns) * 1e-9;
    costs->own_cpu_s = ((double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start_cpu_ns) * 1e-9;
}
