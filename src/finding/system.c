/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes outside the program's own code: waiting, the scheduler, the kernel, the host. */
#include "finding/family.h"

#include <math.h>
#include <string.h>

/* Exactly measured shares (sums of times) carry no sampling error. */
static struct interval exact_share(struct measured part, struct measured whole)
{
    struct measured ratio = measured_ratio(part, whole);
    if (!ratio.known)
        return (struct interval){0};
    return interval_exactly(ratio.value < 1 ? ratio.value : 1);
}

/* A time that would come back in full: the upper end is exact, and so is the lower. */
static bool test_time(const struct results *results, struct finding *finding, struct measured part,
                      struct measured whole)
{
    struct interval share = exact_share(part, whole);
    if (!share.known) {
        finding_not_testable(finding, part.known ? whole.why_not : part.why_not, NULL);
        return false;
    }
    finding->is_estimate = false;
    finding_decide(finding, share, results->effect);
    if (finding->verdict == VERDICT_RULED_OUT)
        finding_reason_bound(finding, "bound", share);
    return true;
}

static struct measured elapsed_of(const struct results *results)
{
    return results->run ? results->run->elapsed_s : not_measured("the elapsed time isn't known");
}

/* ---- waiting ---- */

static const struct wait_place {
    const char *prefix, *kind;
} wait_places[] = {
    {"futex", "a lock or another thread"}, {"hrtimer_nanosleep", "a timer (sleep)"},
    {"do_nanosleep", "a timer (sleep)"},   {"common_nsleep", "a timer (sleep)"},
    {"ep_poll", "events (epoll)"},         {"do_epoll", "events (epoll)"},
    {"poll_schedule", "events (poll)"},    {"do_poll", "events (poll)"},
    {"do_select", "events (select)"},      {"pipe_", "a pipe"},
    {"anon_pipe", "a pipe"},               {"do_wait", "a child process"},
    {"kernel_wait", "a child process"},    {"unix_stream", "a socket"},
    {"sk_wait", "a socket"},               {"inet_csk_accept", "a connection"},
    {"wait_woken", "a socket or terminal"}, {"n_tty", "the terminal"},
    {"io_schedule", "storage"},            {"folio_wait", "storage"},
    {"blk_", "storage"},                   {"jbd2", "storage"},
    {"wait_on_page", "storage"},           {"do_sigtimedwait", "a signal"},
    {"sigsuspend", "a signal"},            {"io_cqring", "input/output (io_uring)"},
};

static const char *wait_kind_of(const char *place)
{
    for (size_t at = 0; at < sizeof(wait_places) / sizeof(wait_places[0]); at++)
        if (strstr(place, wait_places[at].prefix))
            return wait_places[at].kind;
    return place[0] ? place : "something that /proc doesn't name";
}

/* The place where threads were seen asleep most often. */
static const struct activity_wait *commonest_wait(const struct activity *activity, const char **ret_comm)
{
    const struct activity_wait *best = NULL;
    for (uint32_t at = 0; activity && at < activity->thread_count; at++)
        for (int wait = 0; wait < ACTIVITY_WAITS_MOST; wait++) {
            const struct activity_wait *here = &activity->threads[at].waits[wait];
            if (here->count && (!best || here->count > best->count)) {
                best = here;
                *ret_comm = activity->threads[at].comm;
            }
        }
    return best;
}

static const char *const wait_phrases[WAIT_KIND_COUNT] = {
    [WAIT_UNKNOWN] = "something its stacks don't tell",
    [WAIT_SLEEP] = "a timer (sleep)",
    [WAIT_LOCK] = "a lock or another thread",
    [WAIT_THREAD] = "another thread (its end, a condition, a semaphore)",
    [WAIT_EVENTS] = "events (poll, epoll)",
    [WAIT_NETWORK] = "the network",
    [WAIT_PIPE] = "a pipe",
    [WAIT_DISK] = "storage",
    [WAIT_CHILD] = "a child process",
    [WAIT_FAULT] = "memory that is read from storage",
    [WAIT_TERMINAL] = "the terminal",
    [WAIT_SIGNAL] = "a signal",
};

/* The longest wait whose kind is known, unless it is a small part of all waiting. */
static const struct wait_row *longest_wait(const struct wait_rows *waits)
{
    for (size_t at = 0; waits && at < waits->count; at++)
        if (waits->items[at].kind != WAIT_UNKNOWN)
            return waits->items[at].idle_s * 4 >= waits->idle_s ? &waits->items[at] : NULL;
    return NULL;
}

/*
 * Between what is left when no two delays fall together, and what is left of preemptions alone. Delays of threads that
 * nobody saw are in neither: then only the looks tell whether it was ready.
 */
static struct interval waiting_share(const struct run_time *run, double least, double most, bool in_turn)
{
    most = in_turn && least < most ? least : most;
    most = most > 0 ? most : 0;
    least = least < 0 ? 0 : least > most ? most : least;
    double looked = run->looked_ready.known ? 1 - run->looked_ready.high : 0;
    looked = looked < most ? looked : most;
    if (run->run_delay_is_least ? looked < least : !in_turn && looked > least)
        least = looked;
    return least < most ? interval_of(least, (least + most) / 2, most) : interval_exactly(most);
}

/* Share of the elapsed time in which it slept. Ready but without a CPU is another cause: taken off, or woken and not yet run. */
static struct interval asleep_share(const struct results *results)
{
    const struct run_time *run = results->run;
    if (!run->on_cpu_ratio.known)
        return (struct interval){0};
    double delayed = run->run_delay_s.known && run->elapsed_s.known && run->elapsed_s.value > 0
                         ? run->run_delay_s.value / run->elapsed_s.value
                         : 0;
    const struct wait_row *row = longest_wait(results->waits);
    /* A parent waits while its child is ready without a CPU: one after the other, like one thread. */
    bool in_turn = run->threads_seen <= 1 || (row && row->kind == WAIT_CHILD);
    double wanted = run->wanted_ratio.value;
    /* Without switches that is the CPU time as if its threads had run one after the other: they may have run at once. */
    if (!run->from_switches && run->threads_seen > 1)
        wanted /= run->threads_seen;
    return waiting_share(run, 1 - run->on_cpu_ratio.value - delayed, 1 - wanted, in_turn);
}

static void waiting_test(const struct results *results, struct finding *finding)
{
    const struct run_time *run = results->run;
    finding->of = OF_ELAPSED;
    if (!run->on_cpu_ratio.known) {
        finding_not_testable(finding, run->on_cpu_ratio.why_not, NULL);
        return;
    }
    const struct wait_row *row = longest_wait(results->waits);
    finding_decide(finding, asleep_share(results), results->effect);
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", finding->recoverable);
        return;
    }
    const char *comm = "";
    const struct activity_wait *wait = commonest_wait(results->activity, &comm);
    const char *kind = wait ? wait_kind_of(wait->place) : "something that was not seen";
    if (row)
        kind = wait_phrases[row->kind];
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "off-cpu", VALUE_SHARE("share", finding->recoverable));
    if (row)
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "stacks", VALUE_TEXT("function", row->function),
                         VALUE_TEXT("kind", kind), VALUE_SECONDS("time", interval_exactly(row->total_s)),
                         VALUE_COUNT("count", (double)row->count),
                         VALUE_SECONDS("all", interval_exactly(results->waits->waiting_s)));
    if (wait) {
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_MACHINE, "seen",
                         VALUE_TEXT("place", wait->place[0] ? wait->place : "an unnamed place"),
                         VALUE_TEXT("comm", comm), VALUE_TEXT("kind", kind));
        finding->subject = wait->place;
    }
    if (row)
        finding->subject = row->function;
    finding_set(finding, headline, "headline", VALUE_TEXT("kind", kind), VALUE_SHARE("share", finding->recoverable));
    finding_advise(finding, "advice", VALUE_TEXT("kind", kind));
    finding_set(finding, confirm, "confirm", NO_VALUES);
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_reason_bound(finding, "bound", finding->recoverable);
}

const struct hypothesis hypothesis_waiting = {
    .id = "waiting",
    .family = "system",
    .title = "waiting, not computing",
    .needs = RESULT_BIT(RESULT_RUN),
    .uses = RESULT_BIT(RESULT_ACTIVITY) | RESULT_BIT(RESULT_WAITS),
    .test = waiting_test,
};

/* So much of its group's CPU time, and it is the group. */
static const double OWN_GROUP = 0.9;

/* On how many CPUs at a time the group may have been held back. */
static double throttled_width(const struct run_time *run, const struct activity *activity)
{
    struct measured cpus = activity->cpus_online.known ? activity->cpus_online : activity->cpus_allowed;
    bool own = activity->group_usage_s.known && run->cpu_s.known &&
               run->cpu_s.value >= OWN_GROUP * activity->group_usage_s.value;
    double width = own && (!cpus.known || run->threads_seen < cpus.value) ? run->threads_seen : cpus.known ? cpus.value : 0;
    return width >= 1 ? width : own ? 1 : INFINITY;
}

/*
 * The kernel adds up the throttled time of each CPU, so that is too much for several; a period is throttled at most
 * whole. What held the group back held this target back unless it slept just then.
 */
static struct interval throttled_share(const struct results *results, double elapsed_s)
{
    const struct activity *activity = results->activity;
    double summed = activity->throttled_s.value / elapsed_s, most = summed;
    if (activity->throttled_periods.known && activity->period_s.known) {
        double periods = activity->throttled_periods.value * activity->period_s.value / elapsed_s;
        most = periods < most ? periods : most;
    }
    most = most < 1 ? most : 1;
    struct interval asleep = asleep_share(results);
    double least = summed / throttled_width(results->run, activity) - (asleep.known ? asleep.high : 1);
    least = least < 0 ? 0 : least < most ? least : most;
    return least < most ? interval_of(least, (least + most) / 2, most) : interval_exactly(most);
}

static void quota_test(const struct results *results, struct finding *finding)
{
    const struct activity *activity = results->activity;
    finding->of = OF_ELAPSED;
    bool unlimited = !activity->quota_cpus.known && activity->quota_cpus.why_not &&
                     strcmp(activity->quota_cpus.why_not, "no limit is set") == 0;
    if (unlimited && !(activity->throttled_s.known && activity->throttled_s.value > 0)) {
        finding_decide_bound(finding, 0, results->effect);
        finding_set(finding, reason, "unlimited", NO_VALUES);
        return;
    }
    struct measured elapsed = elapsed_of(results);
    if (!activity->throttled_s.known || !elapsed.known || elapsed.value <= 0) {
        finding_not_testable(finding, activity->throttled_s.known ? "its elapsed time isn't known" : activity->throttled_s.why_not,
                             NULL);
        return;
    }
    struct interval share = throttled_share(results, elapsed.value);
    finding->is_estimate = false;
    finding_decide(finding, share, results->effect);
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", share);
        return;
    }
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_set(finding, reason, "group", VALUE_SHARE("bound", interval_exactly(share.high)),
                    VALUE_TEXT("cgroup", activity->cgroup));
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "throttled",
                     VALUE_SECONDS("time", interval_exactly(activity->throttled_s.value)),
                     VALUE_COUNT("times", activity->throttled_periods.known ? activity->throttled_periods.value : 0));
    if (activity->quota_cpus.known)
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_MACHINE, "limit", VALUE_COUNT("cpus", activity->quota_cpus.value),
                         VALUE_TEXT("cgroup", activity->cgroup));
    finding_set(finding, headline, "headline", VALUE_SHARE("share", finding->recoverable));
    finding_advise(finding, "advice", VALUE_TEXT("cgroup", activity->cgroup));
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_quota = {
    .id = "cpu-quota",
    .family = "system",
    .title = "throttled by a CPU quota",
    .needs = RESULT_BIT(RESULT_ACTIVITY) | RESULT_BIT(RESULT_RUN),
    .uses = RESULT_BIT(RESULT_WAITS),
    .test = quota_test,
};

static void steal_test(const struct results *results, struct finding *finding)
{
    const struct activity *activity = results->activity;
    if (results->surroundings && strcmp(results->surroundings->hypervisor, "bare metal") == 0) {
        finding_decide_bound(finding, 0, results->effect);
        finding_set(finding, reason, "bare-metal", NO_VALUES);
        return;
    }
    /* Of the time in which CPUs had work: busy or stolen. */
    struct measured wanted = activity->busy_ratio.known && activity->steal_ratio.known
                                 ? measured_as(activity->busy_ratio.value + activity->steal_ratio.value)
                                 : activity->steal_ratio;
    if (!test_time(results, finding, activity->steal_ratio, wanted) || finding->verdict == VERDICT_RULED_OUT)
        return;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_MACHINE, "stolen", VALUE_SHARE("share", finding->recoverable));
    finding_set(finding, headline, "headline", VALUE_SHARE("share", finding->recoverable));
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_steal = {
    .id = "steal",
    .family = "system",
    .is_disturbance = true,
    .title = "CPU time stolen by the host",
    .needs = RESULT_BIT(RESULT_ACTIVITY),
    .uses = RESULT_BIT(RESULT_SURROUNDINGS) | RESULT_BIT(RESULT_RUN),
    .test = steal_test,
};

static struct measured cpus_allowed_to(const struct activity *activity)
{
    if (!activity)
        return not_measured("/proc was not watched");
    return activity->cpus_allowed.known ? activity->cpus_allowed : activity->cpus_online;
}

/* Idle members of a pool wait at locks, too: seldom and long. Threads that take turns wait often and shortly. */
static const double TURNS_PER_S_LEAST = 100, TURN_S_MOST = 0.05;

static const struct wait_row *turns_row(const struct wait_rows *waits, double elapsed_s)
{
    for (size_t at = 0; at < waits->count; at++) {
        const struct wait_row *row = &waits->items[at];
        if ((row->kind == WAIT_LOCK || row->kind == WAIT_THREAD) && (double)row->count >= TURNS_PER_S_LEAST * elapsed_s &&
            row->total_s <= TURN_S_MOST * (double)row->count)
            return row;
    }
    return NULL;
}

static void lock_turns_test(const struct results *results, struct finding *finding)
{
    const struct run_time *run = results->run;
    struct measured cpus = cpus_allowed_to(results->activity);
    finding->of = OF_ELAPSED;
    if (run->threads_seen <= 1) {
        finding_decide_bound(finding, 0, results->effect);
        finding_set(finding, reason, "one-thread", NO_VALUES);
        return;
    }
    if (!results->waits->known || !run->elapsed_s.known || !run->cpu_s.known || !cpus.known) {
        finding_not_testable(finding, "no context switches were recorded", NULL);
        return;
    }
    const struct wait_row *row = turns_row(results->waits, run->elapsed_s.value);
    double turns = row ? row->total_s : 0;
    double delay = run->run_delay_s.known ? run->run_delay_s.value : 0;
    struct interval share = interval_exactly(turns > 0 ? turns / (turns + run->cpu_s.value + delay) : 0);
    /* Without any waiting its work would still take as long as all its CPUs need for it. */
    double width = run->threads_seen < cpus.value ? run->threads_seen : cpus.value;
    double most = 1 - run->cpu_s.value / width / run->elapsed_s.value;
    finding->is_estimate = false;
    finding_decide_fact(finding, share, results->effect);
    if (most < finding->recoverable.high)
        finding->recoverable = interval_of(0, most > 0 ? most / 2 : 0, most > 0 ? most : 0);
    if (finding->verdict == VERDICT_RULED_OUT || !row) {
        finding_reason_bound(finding, "bound", share);
        return;
    }
    finding->subject = row->function;
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "turns", VALUE_TEXT("function", row->function),
                     VALUE_COUNT("count", (double)row->count),
                     VALUE_SECONDS("mean", interval_exactly(turns / (double)row->count)),
                     VALUE_SECONDS("longest", interval_exactly(row->longest_s)));
    finding_set(finding, reason, "gain", NO_VALUES);
    finding_set(finding, headline, "headline", VALUE_TEXT("function", row->function), VALUE_SHARE("share", share));
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_lock_turns = {
    .id = "lock-turns",
    .family = "system",
    .title = "threads that take turns at a lock",
    .needs = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_WAITS),
    .uses = RESULT_BIT(RESULT_ACTIVITY),
    .test = lock_turns_test,
};

/*
 * One thread's delays are so much elapsed time. Several threads' may fall together: at least each thread's share of its
 * runnable time, at most all of them one after the other. Threads that nobody saw add to the upper end.
 */
static struct interval delayed_share(const struct run_time *run, double delay_s)
{
    double in_turn = delay_s / run->elapsed_s.value;
    in_turn = in_turn < 1 ? in_turn : 1;
    bool is_least = run->run_delay_is_least || !run->run_delay_s.known;
    double most = !is_least ? in_turn : run->looked_ready.known ? run->looked_ready.high : 1;
    most = most < in_turn ? in_turn : most;
    if (run->threads_seen <= 1)
        return most > in_turn ? interval_of(in_turn, (in_turn + most) / 2, most) : interval_exactly(in_turn);
    double runnable_s = delay_s + run->cpu_s.value;
    double wanted = run->wanted_ratio.known ? run->wanted_ratio.value : 1;
    double least = runnable_s > 0 ? delay_s / runnable_s * wanted : 0;
    least = least < most ? least : most;
    return interval_of(least, (least + most) / 2, most);
}

static void oversubscribed_test(const struct results *results, struct finding *finding)
{
    const struct run_time *run = results->run;
    struct measured delay = run->run_delay_s.known ? run->run_delay_s : run->preempted_s;
    struct measured cpus = cpus_allowed_to(results->activity);
    finding->of = OF_ELAPSED;
    if (!delay.known || !run->cpu_s.known || !run->elapsed_s.known || run->elapsed_s.value <= 0) {
        finding_not_testable(finding, !delay.known ? delay.why_not : "its CPU or elapsed time isn't known", NULL);
        return;
    }
    struct interval share = delayed_share(run, delay.value);
    double before = share.high;
    /* Its own threads waiting for one another's CPUs lose nothing: only what others ran on them can come back. */
    if (cpus.known && run->cpus_used.known && run->threads_seen > 1) {
        double others = 1 - run->cpus_used.value / cpus.value;
        others = others > 0 ? others : 0;
        if (others < share.low)
            share = interval_of(0, others / 2, share.high);
        share.high = others < share.high ? others : share.high;
        share.mid = share.mid < share.high ? share.mid : share.high;
    }
    finding->is_estimate = false;
    finding_decide(finding, share, results->effect);
    if (finding->verdict == VERDICT_RULED_OUT && before >= results->effect) {
        finding_set(finding, reason, "own", VALUE_COUNT("used", run->cpus_used.value), VALUE_COUNT("cpus", cpus.value));
        return;
    }
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", share);
        return;
    }
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_set(finding, reason, run->run_delay_is_least ? "unseen" : "undecided", NO_VALUES);
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "delay",
                     VALUE_SECONDS("delay", interval_exactly(delay.value)), VALUE_SHARE("share", finding->recoverable));
    if (results->activity && results->activity->runnable_mean.known && results->activity->cpus_online.known)
        finding_evidence(finding,
                         results->activity->runnable_mean.value > results->activity->cpus_online.value
                             ? WEIGHT_FOR
                             : WEIGHT_CONTEXT,
                         ORIGIN_MACHINE, "runnable",
                         VALUE_COUNT("runnable", results->activity->runnable_mean.value),
                         VALUE_COUNT("cpus", results->activity->cpus_online.value));
    finding_set(finding, headline, "headline", VALUE_SHARE("share", finding->recoverable));
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_oversubscribed = {
    .id = "oversubscribed",
    .family = "system",
    .is_disturbance = true,
    .title = "more to run than CPUs",
    .needs = RESULT_BIT(RESULT_RUN),
    .uses = RESULT_BIT(RESULT_ACTIVITY),
    .test = oversubscribed_test,
};

static void migrations_test(const struct results *results, struct finding *finding)
{
    const struct run_time *run = results->run;
    if (!run->migrations.known || !run->cpu_s.known || run->cpu_s.value <= 0) {
        finding_not_testable(finding, run->migrations.known ? "its CPU time isn't known" : run->migrations.why_not,
                             NULL);
        return;
    }
    /* Refilling a core's own caches and its share of the next (32 MiB at 10 GB/s) takes about 3 ms. */
    double whole = finding->of == OF_ELAPSED && run->elapsed_s.known && run->elapsed_s.value > 0 ? run->elapsed_s.value
                                                                                                 : run->cpu_s.value;
    double upper = run->migrations.value * 3e-3 / whole;
    finding_decide_bound(finding, upper, results->effect);
    finding_set(finding, reason, finding->verdict == VERDICT_RULED_OUT ? "bound" : "undecided",
                VALUE_COUNT("count", run->migrations.value),
                VALUE_SHARE("bound", interval_exactly(upper < 1 ? upper : 1)));
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_advise(finding, "advice", NO_VALUES);
}

const struct hypothesis hypothesis_migrations = {
    .id = "migrations",
    .family = "system",
    .title = "threads moved between CPUs",
    .needs = RESULT_BIT(RESULT_RUN),
    .test = migrations_test,
};

/* ---- the kernel ---- */

/*
 * Time in one activity of the kernel: all of it would come back, sampling error included. Samples that may be of it
 * (maybe), and those in code without names, count for the upper end alone.
 */
static bool test_kernel_with(const struct results *results, struct finding *finding, double hits, double maybe)
{
    double total = (double)results->kernel->sample_count, most = hits + maybe + (double)results->kernel->unnamed_samples;
    struct interval seen = share_of_run(results, finding, wilson_interval(hits, total, total));
    struct interval blind = share_of_run(results, finding, wilson_interval(most < total ? most : total, total, total));
    struct interval share = seen.known && blind.known ? interval_of(seen.low, seen.mid, blind.high) : seen;
    finding_decide(finding, share, results->effect);
    finding->is_estimate = false;
    if (finding->verdict == VERDICT_RULED_OUT) {
        finding_reason_bound(finding, "bound", share);
        return false;
    }
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_SAMPLES, "samples", VALUE_SHARE("share", share));
    if (finding->verdict == VERDICT_SUPPORTED)
        finding_set(finding, headline, "headline", VALUE_SHARE("share", share));
    else
        finding_reason_bound(finding, "bound", share);
    return true;
}

static bool test_kernel(const struct results *results, struct finding *finding, double hits)
{
    return test_kernel_with(results, finding, hits, 0);
}

static void page_faults_test(const struct results *results, struct finding *finding)
{
    const struct kernel_time *kernel = results->kernel;
    /* Of short-lived processes they are a part of being started; they could be work all the same. */
    if (!test_kernel_with(results, finding, (double)kernel->fault_samples, (double)kernel->short_fault_samples))
        return;
    const struct activity *activity = results->activity;
    if (activity && activity->minor_faults.known)
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_COUNTERS, "counted",
                         VALUE_COUNT("count", activity->minor_faults.value));
    double faults = (double)kernel->fault_samples;
    finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_SAMPLES, "zeroing",
                     VALUE_SHARE("zeroing", wilson_interval((double)kernel->zero_samples < faults
                                                                ? (double)kernel->zero_samples
                                                                : faults,
                                                            faults, faults)));
    bool unmaps = false; /* in its own right, or malloc does it for large blocks */
    for (size_t at = 0; at < kernel->entry_count; at++)
        unmaps |= strcmp(kernel->entries[at].name, "munmap") == 0;
    if (unmaps)
        finding_advise(finding, "advice-unmap", NO_VALUES);
    finding_advise(finding, "advice-reuse", NO_VALUES);
    finding_advise(finding, "advice-huge", NO_VALUES);
    finding_set(finding, confirm, unmaps ? "confirm-unmap" : "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_page_faults = {
    .id = "page-faults",
    .family = "system",
    .title = "page faults and zeroing of new memory",
    .needs = RESULT_BIT(RESULT_KERNEL),
    .uses = RESULT_BIT(RESULT_ACTIVITY) | RESULT_BIT(RESULT_RUN),
    .test = page_faults_test,
};

static void system_calls_test(const struct results *results, struct finding *finding)
{
    const struct kernel_time *kernel = results->kernel;
    if (!test_kernel_with(results, finding, (double)kernel->call_samples,
                          (double)(kernel->other_samples + kernel->short_call_samples)))
        return;
    /* A call that holds little of it is not the one to blame: most of the calls have no name then. */
    const char *hottest = kernel->entry_count && kernel->entries[0].samples * 4 >= kernel->call_samples
                              ? kernel->entries[0].name
                              : NULL;
    if (hottest) {
        finding->subject = hottest;
        double total = (double)kernel->sample_count;
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_CODE, "hottest", VALUE_TEXT("call", hottest),
                         VALUE_SHARE("share", wilson_interval((double)kernel->entries[0].samples, total, total)));
    }
    finding_advise(finding, "advice", VALUE_TEXT("call", hottest ? hottest : "the hottest"));
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_system_calls = {
    .id = "system-calls",
    .family = "system",
    .title = "time in system calls",
    .needs = RESULT_BIT(RESULT_KERNEL),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = system_calls_test,
};

static void interrupts_test(const struct results *results, struct finding *finding)
{
    if (!test_kernel(results, finding, (double)results->kernel->interrupt_samples))
        return;
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_interrupts = {
    .id = "interrupts",
    .family = "system",
    .title = "interrupts",
    .needs = RESULT_BIT(RESULT_KERNEL),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = interrupts_test,
};

static void kernel_locks_test(const struct results *results, struct finding *finding)
{
    if (!test_kernel(results, finding, (double)results->kernel->spin_samples))
        return;
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_kernel_locks = {
    .id = "kernel-locks",
    .family = "system",
    .title = "spinning for kernel locks",
    .needs = RESULT_BIT(RESULT_KERNEL),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = kernel_locks_test,
};

static void start_and_exit_test(const struct results *results, struct finding *finding)
{
    const struct process_starts *starts = &results->kernel->starts;
    if (!test_kernel(results, finding, (double)results->kernel->exec_samples))
        return;
    if (starts->short_count >= SHORT_PROCESSES_LEAST) {
        scoped_text struct text commands = {0};
        for (size_t at = 0; at < starts->command_count; at++)
            text_printf(&commands, "%s%llu %s", at ? ", " : "", (unsigned long long)starts->commands[at].count,
                        starts->commands[at].name);
        const char *named = arena_string(finding->arena, text_string(&commands));
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "short",
                         VALUE_COUNT("count", (double)starts->short_count), VALUE_TEXT("commands", named));
        finding->subject = starts->commands[0].name;
        if (finding->verdict == VERDICT_SUPPORTED)
            finding_set(finding, headline, "headline-many", VALUE_COUNT("count", (double)starts->short_count),
                        VALUE_TEXT("commands", named), VALUE_SHARE("share", finding->recoverable));
    }
    finding_advise(finding, "advice", NO_VALUES);
    finding_set(finding, confirm, "confirm", NO_VALUES);
}

const struct hypothesis hypothesis_start_and_exit = {
    .id = "start-and-exit",
    .family = "system",
    .title = "starting and ending processes",
    .needs = RESULT_BIT(RESULT_KERNEL),
    .uses = RESULT_BIT(RESULT_RUN),
    .test = start_and_exit_test,
};

/* The threads' time in waits that may be for storage: those of other kinds, as their stacks tell, are not. */
static struct measured storage_wait(const struct wait_rows *waits)
{
    if (!waits)
        return not_measured("no context switches were recorded");
    double other_s = 0;
    for (size_t at = 0; at < waits->count; at++) {
        const struct wait_row *row = &waits->items[at];
        if (row->kind != WAIT_FAULT && row->kind != WAIT_DISK && row->kind != WAIT_UNKNOWN)
            other_s += row->total_s;
    }
    return measured_as(waits->waiting_s > other_s ? waits->waiting_s - other_s : 0);
}

static void swap_test(const struct results *results, struct finding *finding)
{
    const struct activity *activity = results->activity;
    if (!activity->major_faults.known) {
        finding_not_testable(finding, activity->major_faults.why_not, NULL);
        return;
    }
    finding->of = OF_ELAPSED;
    bool is_least = results->run && results->run->scope != RUN_STARTED && results->run->run_delay_is_least;
    bool none = activity->major_faults.value == 0 && !is_least;
    /* A read takes as long as storage pleases: what the stacks saw waiting bounds it, not the count. */
    struct measured waited = measured_ratio(storage_wait(results->waits), elapsed_of(results));
    finding_decide_bound(finding, none ? 0 : waited.known ? waited.value : 1, results->effect);
    if (!none && waited.known && finding->verdict == VERDICT_RULED_OUT)
        finding_reason_bound(finding, "waited", finding->recoverable);
    else
        finding_set(finding, reason,
                    finding->verdict == VERDICT_RULED_OUT ? "bound"
                    : is_least                            ? "undecided-least"
                                                          : "undecided",
                    VALUE_COUNT("count", activity->major_faults.value));
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_advise(finding, "advice", NO_VALUES);
}

const struct hypothesis hypothesis_swap = {
    .id = "swap",
    .family = "system",
    .title = "memory read back from storage",
    .needs = RESULT_BIT(RESULT_ACTIVITY),
    .uses = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_WAITS),
    .test = swap_test,
};

static void single_threaded_test(const struct results *results, struct finding *finding)
{
    const struct run_time *run = results->run;
    const struct activity *activity = results->activity;
    struct measured cpus = cpus_allowed_to(activity);
    finding->of = OF_ELAPSED;
    if (!run->cpus_used.known || !cpus.known) {
        finding_not_testable(finding, run->cpus_used.known ? cpus.why_not : run->cpus_used.why_not, NULL);
        return;
    }
    double on_cpu = run->on_cpu_ratio.known ? run->on_cpu_ratio.value : 1;
    double width = on_cpu > 0.01 ? run->cpus_used.value / on_cpu : 1;
    double upper = width < cpus.value ? on_cpu * (1 - width / cpus.value) : 0;
    /* CPUs that others keep busy are not idle. */
    double idle = activity->busy_ratio.known && activity->cpus_online.known
                      ? (1 - activity->busy_ratio.value) * activity->cpus_online.value
                      : cpus.value;
    double shared = on_cpu * idle / (width + idle);
    upper = shared < upper ? shared : upper;
    finding_decide_bound(finding, upper, results->effect);
    finding_set(finding, reason, finding->verdict == VERDICT_RULED_OUT ? "bound" : "undecided",
                VALUE_COUNT("used", width), VALUE_COUNT("cpus", cpus.value), VALUE_COUNT("idle", idle));
    if (finding->verdict == VERDICT_UNDECIDED)
        finding_advise(finding, "advice", NO_VALUES);
}

const struct hypothesis hypothesis_single_threaded = {
    .id = "idle-cpus",
    .family = "system",
    .is_capacity = true,
    .title = "CPUs that it leaves idle",
    .needs = RESULT_BIT(RESULT_RUN) | RESULT_BIT(RESULT_ACTIVITY),
    .test = single_threaded_test,
};

/* ---- the host ---- */

static const struct statement *exits_statement(const struct statements *statements)
{
    for (size_t at = 0; statements && at < statements->count; at++)
        if (strstr(statements->items[at].origin, "table of exits"))
            return &statements->items[at];
    return NULL;
}

static void vm_exits_test(const struct results *results, struct finding *finding)
{
    if (!results->surroundings->is_guest) {
        finding_decide_bound(finding, 0, results->effect);
        finding_set(finding, reason, "not-a-guest", NO_VALUES);
        return;
    }
    const struct statement *table = exits_statement(results->statements);
    if (table) {
        finding->verdict = VERDICT_UNDECIDED;
        finding->recoverable = (struct interval){0};
        finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "statement", VALUE_TEXT("origin", table->origin),
                         VALUE_TEXT("text", table->text));
        finding_set(finding, reason, "undecided", NO_VALUES);
        return;
    }
    finding_not_testable(finding, "", NULL);
    finding_set(finding, reason, "not", NO_VALUES);
    finding_set(finding, remedy, "remedy", NO_VALUES);
}

const struct hypothesis hypothesis_vm_exits = {
    .id = "vm-exits",
    .family = "system",
    .title = "exits to the hypervisor",
    .needs = RESULT_BIT(RESULT_SURROUNDINGS),
    .uses = RESULT_BIT(RESULT_STATEMENTS),
    .test = vm_exits_test,
};

static void host_pages_test(const struct results *results, struct finding *finding)
{
    if (!results->surroundings->is_guest) {
        finding_decide_bound(finding, 0, results->effect);
        finding_set(finding, reason, "not-a-guest", NO_VALUES);
        return;
    }
    if (results->stalls && results->stalls->attributed && results->stalls->sample_count) {
        struct interval bound = share_of_stalls(results, finding, (double)results->stalls->memory_samples);
        if (bound.high < results->effect) {
            finding_decide_bound(finding, bound.high, results->effect);
            finding_reason_bound(finding, "bound", bound);
            return;
        }
    }
    finding_not_testable(finding, "", NULL);
    finding_set(finding, reason, "not", NO_VALUES);
    finding_set(finding, remedy, "remedy", NO_VALUES);
}

const struct hypothesis hypothesis_host_pages = {
    .id = "host-small-pages",
    .family = "system",
    .title = "small pages on the host behind this guest",
    .needs = RESULT_BIT(RESULT_SURROUNDINGS),
    .uses = RESULT_BIT(RESULT_STALLS) | RESULT_BIT(RESULT_RUN),
    .test = host_pages_test,
};

/* Cycles without the kernel's beside its whole time would be a clock that never was. */
static struct measured clock_hz(const struct counter_summary *counters)
{
    for (size_t at = 0; counters && at < counters->count; at++)
        if (strcmp(counters->items[at].name, "cycles") == 0 && counters->items[at].user_only)
            return not_measured("cycles were counted in user space only");
    struct measured clock = measured_ratio(counter_of(counters, "cycles"), counter_of(counters, "task-clock"));
    return clock.known ? measured_as(clock.value * 1e9) : clock;
}

/* The highest clock is often for one core alone: a lower one is a bound of what could come back, no cause yet. */
static void frequency_measured(const struct results *results, struct finding *finding, double hz)
{
    struct measured most = results->surroundings->clock_most_hz;
    struct value ran = VALUE_COUNT("mhz", hz * 1e-6), highest = VALUE_COUNT("most", most.known ? most.value * 1e-6 : 0);
    finding_evidence(finding, WEIGHT_CONTEXT, ORIGIN_COUNTERS, "ran", ran);
    if (!most.known) {
        finding->verdict = VERDICT_UNDECIDED;
        finding->recoverable = (struct interval){0};
        finding_set(finding, reason, "most-unknown", ran);
        finding_set(finding, remedy, "remedy", NO_VALUES);
        return;
    }
    double lost = hz < most.value ? 1 - hz / most.value : 0;
    finding_decide_bound(finding, lost, results->effect);
    finding_set(finding, reason, finding->verdict == VERDICT_RULED_OUT ? "measured-bound" : "measured-undecided", ran,
                highest);
}

static void frequency_test(const struct results *results, struct finding *finding)
{
    struct measured cycles = counter_of(results->counters, "cycles"), clock = clock_hz(results->counters);
    const struct surroundings *machine = results->surroundings;
    if (clock.known) {
        frequency_measured(results, finding, clock.value);
        return;
    }
    if (!cycles.known && !machine->governor[0]) {
        finding_not_testable(finding, "", NULL);
        finding_set(finding, reason, "not", NO_VALUES);
        finding_set(finding, remedy, "remedy", NO_VALUES);
        return;
    }
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding_set(finding, reason, "undecided", VALUE_TEXT("governor", machine->governor[0] ? machine->governor : "?"));
    finding_set(finding, remedy, "remedy", NO_VALUES);
}

const struct hypothesis hypothesis_frequency = {
    .id = "frequency",
    .family = "system",
    .title = "a lower clock than the machine could run",
    .needs = RESULT_BIT(RESULT_SURROUNDINGS),
    .uses = RESULT_BIT(RESULT_COUNTERS),
    .test = frequency_test,
};
