/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is it waiting rather than computing, and for what? */
#include "finding/family.h"

#include <string.h>

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
    [WAIT_LOCK] = "a lock",
    [WAIT_FUTEX] = "a lock or another thread",
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

struct time_shares shares_of_time(const struct results *results)
{
    return time_shares_of(results->run, results->activity, results->waits);
}

/* Share of the elapsed time in which it slept. Ready but without a CPU is another cause: taken off, or woken and not yet run. */
struct interval share_asleep(const struct results *results)
{
    return shares_of_time(results).waiting;
}

static void waiting_test(const struct results *results, struct finding *finding)
{
    const struct run_time *run = results->run;
    finding->of = OF_ELAPSED;
    if (!run->on_cpu_ratio.known) {
        finding_not_testable(finding, run->on_cpu_ratio.why_not, NULL);
        return;
    }
    const struct wait_row *row = wait_rows_longest(results->waits);
    finding_decide_share(finding, results, share_of(OF_ELAPSED, share_asleep(results)));
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
    if (row && row->call)
        finding_evidence(finding, WEIGHT_FOR, ORIGIN_SCHEDULER, "call", VALUE_TEXT("function", row->function),
                         VALUE_TEXT("call", row->call));
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
