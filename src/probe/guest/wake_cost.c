/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/guest/wake_cost.h"

#include "probe/guest/cycle_counter.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WAKES_MOST = 100, MISSED_MOST = 3, ROUNDS = 20, BARRIERS = 20 };

/* Longer than kernels poll before they halt (haltpoll: 200 us at most). */
static const double ASLEEP_NS = 600e3;

struct other_cpu {
    unsigned cpu;
    int event; /* what the sleeper waits for */
    atomic_bool stop, spins;
    atomic_ullong woke_ns; /* when the sleeper last woke; 0: not yet */
    atomic_ullong turns;   /* of the spinner */
};

static bool pin_here(unsigned cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof(set), &set) == 0;
}

static void *sleeper_run(void *context)
{
    struct other_cpu *other = context;
    eventfd_t value;
    pin_here(other->cpu);
    while (!atomic_load(&other->stop)) {
        if (eventfd_read(other->event, &value) != 0 && errno != EINTR)
            break;
        atomic_store(&other->woke_ns, (unsigned long long)wall_ns());
    }
    return NULL;
}

static void *spinner_run(void *context)
{
    struct other_cpu *other = context;
    const struct sched_param none = {0};
    pin_here(other->cpu);
    (void)sched_setscheduler(0, SCHED_IDLE, &none);
    atomic_store(&other->spins, true);
    for (unsigned long long turns = 1; !atomic_load(&other->stop); turns++)
        atomic_store_explicit(&other->turns, turns, memory_order_relaxed);
    return NULL;
}

/* Whether the spinner is on its CPU at this moment, and not merely ready to be. */
static bool spins_now(struct other_cpu *other)
{
    static const double LOOK_NS = 3e3;
    unsigned long long turns = atomic_load(&other->turns);
    for (double start_ns = wall_ns(); wall_ns() - start_ns < LOOK_NS;)
        if (atomic_load(&other->turns) != turns)
            return true;
    return false;
}

static void wait_ns(double duration_ns)
{
    for (double start_ns = wall_ns(); wall_ns() - start_ns < duration_ns;)
        ;
}

/* 0: it never woke. */
static double wake_one_ns(struct other_cpu *other)
{
    static const double PATIENCE_NS = 10e6;
    wait_ns(ASLEEP_NS);
    atomic_store(&other->woke_ns, 0);
    double start_ns = wall_ns();
    if (eventfd_write(other->event, 1) != 0)
        return 0;
    while (!atomic_load(&other->woke_ns))
        if (wall_ns() - start_ns > PATIENCE_NS)
            return 0;
    double took_ns = (double)atomic_load(&other->woke_ns) - start_ns;
    return took_ns > 0 ? took_ns : 0;
}

static struct guest_value wakes_measure(struct other_cpu *other, int wakes)
{
    double ns[WAKES_MOST];
    size_t count = 0;
    int missed = 0;
    wake_one_ns(other); /* the first finds nothing warm */
    for (int at = 0; at < wakes && at < WAKES_MOST && missed < MISSED_MOST; at++) {
        ns[count] = wake_one_ns(other);
        missed += ns[count] <= 0;
        count += ns[count] > 0;
    }
    return count && missed < MISSED_MOST
               ? (struct guest_value){.value = quartile_interval(ns, count)}
               : (struct guest_value){.why_not =
                                          "a thread on the other CPU was woken and didn't run: others keep it busy"};
}

static double barriers_ns(void)
{
    double start_ns = wall_ns();
    for (int at = 0; at < BARRIERS; at++)
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    return (wall_ns() - start_ns) / BARRIERS;
}

static void barriers_measure(double *ns)
{
    for (int at = 0; at < ROUNDS; at++)
        ns[at] = barriers_ns();
}

/*
 * Only rounds that found the spinner running before and after: a CPU that others have is not interrupted, which would
 * look like a quick answer.
 */
static size_t answered_barriers_measure(struct other_cpu *other, double *ns)
{
    static const double PAUSE_NS = 100e3;
    enum { TRIES = 8 * ROUNDS };
    size_t count = 0;
    for (int at = 0; at < TRIES && count < ROUNDS; at++) {
        bool spun = spins_now(other);
        ns[count] = spun ? barriers_ns() : 0;
        if (spun && spins_now(other))
            count++;
        else
            wait_ns(PAUSE_NS);
    }
    return count;
}

/* With a thread of ours running over there, and with none: the interrupt and its answer are the difference. */
static struct guest_value ipi_of(double *alone_ns, const double *with_ns, size_t count)
{
    double differences[ROUNDS], alone = quantile(alone_ns, ROUNDS, 0.5);
    if (count < ROUNDS / 2)
        return (struct guest_value){.why_not =
                                        "a thread on the other CPU was hardly ever running: others keep it busy"};
    for (size_t at = 0; at < count; at++)
        differences[at] = with_ns[at] - alone;
    struct interval value = quartile_interval(differences, count);
    return value.low > 0
               ? (struct guest_value){.value = value}
               : (struct guest_value){.why_not = "a thread on the other CPU made no difference: others keep it busy"};
}

static void with_spinner(struct guest_value *costs, struct other_cpu *other, int wakes, bool has_barrier,
                         double *alone_ns)
{
    pthread_t spinner;
    double with_ns[ROUNDS], start_ns = wall_ns();
    if (pthread_create(&spinner, NULL, spinner_run, other) != 0) {
        costs[GUEST_COST_WAKE_POLLED].why_not = costs[GUEST_COST_IPI].why_not = "a thread could not be started";
        return;
    }
    while (!atomic_load(&other->spins) && wall_ns() - start_ns < 20e6)
        ;
    costs[GUEST_COST_WAKE_POLLED] = wakes_measure(other, wakes);
    if (has_barrier) {
        size_t count = answered_barriers_measure(other, with_ns);
        costs[GUEST_COST_IPI] = ipi_of(alone_ns, with_ns, count);
    }
    atomic_store(&other->stop, true);
    (void)eventfd_write(other->event, 1);
    pthread_join(spinner, NULL);
}

/* Negative: it could not sleep. */
static double late_ns(void)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)ASLEEP_NS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
        return -1;
    return wall_ns() - ((double)until.tv_sec * 1e9 + (double)until.tv_nsec);
}

static struct guest_value lates_measure(int wakes)
{
    double ns[WAKES_MOST];
    size_t count = 0;
    (void)late_ns();
    for (int at = 0; at < wakes && at < WAKES_MOST; at++) {
        ns[count] = late_ns();
        count += ns[count] >= 0;
    }
    return count ? (struct guest_value){.value = quartile_interval(ns, count)}
                 : (struct guest_value){.why_not = "signals ended every sleep"};
}

void timer_costs_measure(struct guest_value *costs, unsigned own, int wakes)
{
    struct other_cpu here = {.cpu = own};
    pthread_t spinner;
    if (!pin_here(own)) {
        costs[GUEST_COST_TIMER_IDLE].why_not = costs[GUEST_COST_TIMER_POLLED].why_not =
            "the thread could not be pinned to a CPU";
        return;
    }
    (void)prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    costs[GUEST_COST_TIMER_IDLE] = lates_measure(wakes);
    if (pthread_create(&spinner, NULL, spinner_run, &here) != 0) {
        costs[GUEST_COST_TIMER_POLLED].why_not = "a thread could not be started";
        return;
    }
    costs[GUEST_COST_TIMER_POLLED] = lates_measure(wakes);
    atomic_store(&here.stop, true);
    pthread_join(spinner, NULL);
}

void wake_costs_absent(struct guest_value *costs, const char *why_not)
{
    costs[GUEST_COST_WAKE_POLLED].why_not = costs[GUEST_COST_WAKE_IDLE].why_not = costs[GUEST_COST_IPI].why_not =
        why_not;
}

void wake_costs_measure(struct guest_value *costs, unsigned own, unsigned other_cpu, int wakes)
{
    struct other_cpu other = {.cpu = other_cpu, .event = eventfd(0, EFD_CLOEXEC)};
    double alone_ns[ROUNDS];
    pthread_t sleeper;
    if (other.event < 0 || !pin_here(own) || pthread_create(&sleeper, NULL, sleeper_run, &other) != 0) {
        wake_costs_absent(costs, "a thread could not be started, or not be moved");
        if (other.event >= 0)
            close(other.event);
        return;
    }
    bool has_barrier = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    costs[GUEST_COST_WAKE_IDLE] = wakes_measure(&other, wakes);
    if (has_barrier)
        barriers_measure(alone_ns);
    else
        costs[GUEST_COST_IPI].why_not = "the kernel has no expedited membarrier(2)";
    with_spinner(costs, &other, wakes, has_barrier, alone_ns);
    atomic_store(&other.stop, true);
    (void)eventfd_write(other.event, 1);
    pthread_join(sleeper, NULL);
    close(other.event);
}
