/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/waiting.h"

#include "analyse/time/wait_spread.h"
#include "base/scope.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES_LOOKED_AT = 24 };

static const char *const kind_names[] = {
    [WAIT_UNKNOWN] = "unknown", [WAIT_SLEEP] = "sleep",     [WAIT_LOCK] = "lock",         [WAIT_FUTEX] = "futex",
    [WAIT_EVENTS] = "events",   [WAIT_NETWORK] = "network", [WAIT_PIPE] = "pipe",         [WAIT_DISK] = "disk",
    [WAIT_CHILD] = "child",     [WAIT_FAULT] = "fault",     [WAIT_TERMINAL] = "terminal", [WAIT_SIGNAL] = "signal",
    [WAIT_THREAD] = "thread",   [WAIT_TRACED] = "traced",
};
_Static_assert(sizeof(kind_names) / sizeof(kind_names[0]) == WAIT_KIND_COUNT, "a name for every kind");

const char *wait_kind_name(enum wait_kind kind)
{
    return kind_names[kind];
}

/*
 * Functions of the kernel and of the C library that wait, by the beginning of their names. Order matters only
 * between a name and its own beginning: the longer one first. A wait for a disk or swap inside a fault
 * is found before the fault, as it lies nearer to the leaf.
 */
static const struct {
    const char *prefix;
    enum wait_kind kind;
} waiters[] = {
    {"futex_", WAIT_FUTEX},
    {"do_futex", WAIT_FUTEX},
    {"__futex_abstimed_wait", WAIT_THREAD}, /* glibc's mutexes don't come through here; all its other waits do */
    {"__futex_", WAIT_FUTEX},
    {"__x64_sys_futex", WAIT_FUTEX},
    {"__arm64_sys_futex", WAIT_FUTEX},
    {"rwsem_", WAIT_LOCK},
    {"__mutex_lock", WAIT_LOCK},
    {"__down", WAIT_LOCK},
    {"__lll_lock_wait", WAIT_LOCK},
    {"pthread_cond_", WAIT_THREAD},
    {"__pthread_cond_", WAIT_THREAD},
    {"pthread_join", WAIT_THREAD},
    {"__pthread_join", WAIT_THREAD},
    {"pthread_clockjoin", WAIT_THREAD},
    {"__pthread_clockjoin", WAIT_THREAD},
    {"__pthread_timedjoin", WAIT_THREAD},
    {"pthread_barrier_wait", WAIT_THREAD},
    {"std::thread::join", WAIT_THREAD},
    {"std::condition_variable::", WAIT_THREAD},
    {"pthread_mutex_lock", WAIT_LOCK},
    {"sem_wait", WAIT_THREAD},
    {"__new_sem_wait", WAIT_THREAD},
    {"do_semtimedop", WAIT_FUTEX}, /* System V semaphores serve as both */
    {"flock_lock_inode", WAIT_LOCK},
    {"locks_lock_inode", WAIT_LOCK},
    {"fcntl_setlk", WAIT_LOCK},
    {"hrtimer_nanosleep", WAIT_SLEEP},
    {"do_nanosleep", WAIT_SLEEP},
    {"common_nsleep", WAIT_SLEEP},
    {"clock_nanosleep", WAIT_SLEEP},
    {"__clock_nanosleep", WAIT_SLEEP},
    {"nanosleep", WAIT_SLEEP},
    {"usleep", WAIT_SLEEP},
    {"ep_poll", WAIT_EVENTS},
    {"do_epoll_", WAIT_EVENTS},
    {"epoll_", WAIT_EVENTS},
    {"poll_schedule_timeout", WAIT_EVENTS},
    {"do_sys_poll", WAIT_EVENTS},
    {"do_poll", WAIT_EVENTS},
    {"do_select", WAIT_EVENTS},
    {"__poll", WAIT_EVENTS},
    {"__select", WAIT_EVENTS},
    {"io_cqring_wait", WAIT_EVENTS},
    {"read_events", WAIT_EVENTS},
    {"sk_wait_data", WAIT_NETWORK},
    {"sk_stream_wait", WAIT_NETWORK},
    {"inet_csk_accept", WAIT_NETWORK},
    {"inet_csk_wait", WAIT_NETWORK},
    {"inet_stream_connect", WAIT_NETWORK},
    {"tcp_recvmsg", WAIT_NETWORK},
    {"tcp_sendmsg", WAIT_NETWORK},
    {"unix_stream_", WAIT_NETWORK},
    {"unix_dgram_", WAIT_NETWORK},
    {"unix_wait_for_peer", WAIT_NETWORK},
    {"__skb_wait_for_more_packets", WAIT_NETWORK},
    {"pipe_read", WAIT_PIPE},
    {"pipe_write", WAIT_PIPE},
    {"anon_pipe_", WAIT_PIPE},
    {"pipe_wait", WAIT_PIPE},
    {"io_schedule", WAIT_DISK},
    {"folio_wait", WAIT_DISK},
    {"wait_on_page", WAIT_DISK},
    {"blk_", WAIT_DISK},
    {"submit_bio_wait", WAIT_DISK},
    {"jbd2_", WAIT_DISK},
    {"ext4_sync", WAIT_DISK},
    {"xfs_log_force", WAIT_DISK},
    {"balance_dirty_pages", WAIT_DISK},
    {"do_wait_intr", WAIT_UNKNOWN},       /* any event: not a process */
    {"do_wait_for_common", WAIT_UNKNOWN},
    {"do_wait", WAIT_CHILD},
    {"kernel_wait4", WAIT_CHILD},
    {"wait4", WAIT_CHILD},
    {"__wait4", WAIT_CHILD},
    {"waitpid", WAIT_CHILD},
    {"kernel_waitid", WAIT_CHILD},
    {"waitid", WAIT_CHILD},
    {"__waitid", WAIT_CHILD},
    {"wait_for_vfork_done", WAIT_CHILD},
    {"kernel_clone", WAIT_CHILD}, /* vfork: until the child execs */
    {"vfork", WAIT_CHILD},
    {"__vfork", WAIT_CHILD},
    {"exc_page_fault", WAIT_FAULT},
    {"asm_exc_page_fault", WAIT_FAULT},
    {"handle_mm_fault", WAIT_FAULT},
    {"do_swap_page", WAIT_FAULT},
    {"n_tty_read", WAIT_TERMINAL},
    {"tty_", WAIT_TERMINAL},
    {"ptrace_stop", WAIT_TRACED},
    {"ptrace_do_notify", WAIT_TRACED},
    {"do_sigtimedwait", WAIT_SIGNAL},
    {"sigsuspend", WAIT_SIGNAL},
    {"__x64_sys_pause", WAIT_SIGNAL},
};

enum wait_kind wait_kind_of_function(const char *name)
{
    for (size_t at = 0; at < array_count(waiters); at++)
        if (strncmp(name, waiters[at].prefix, strlen(waiters[at].prefix)) == 0)
            return waiters[at].kind;
    return WAIT_UNKNOWN;
}

/* What one thread is doing, as the switches go by. */
struct thread_state {
    uint64_t since_ns;
    uint32_t stack; /* of its last context-switch sample, not yet used */
    uint64_t stack_ns;
    bool seen, off, preempted;
    bool ready;         /* taken off a CPU while it wanted one */
    uint32_t off_stack; /* with which it left */
    uint64_t idle_ns;   /* of the wait that ends now: nobody ran */
};

struct thread_end {
    uint64_t time_ns;
    uint32_t thread;
};

struct analysis {
    const struct recording *recording;
    struct symboliser *symboliser;
    struct waiting *result;
    struct thread_state *threads;
    vec(struct wait_site) sites;
    struct hashmap by_stack;
    struct wait_spread spread;
    uint32_t running, ready; /* threads on a CPU now; taken off one and wanting it */
    uint64_t idle_since_ns;  /* meaningful when both are 0; 0: never yet */
    struct thread_end *ends; /* in time order */
    size_t end_count, next_end;
};

static const char *frame_name(struct analysis *analysis, uint32_t location)
{
    uint32_t id = symboliser_symbol_id(analysis->symboliser, location);
    return id == SYMBOL_NONE ? NULL : symboliser_symbol(analysis->symboliser, id)->raw_name;
}

/* Kind, and the first user frame that isn't itself a known way to wait. */
static void describe_stack(struct analysis *analysis, struct wait_site *site)
{
    const struct samples *samples = &analysis->recording->samples;
    site->user_location = LOCATION_NONE;
    if (site->stack == STACK_NONE || !analysis->symboliser)
        return;
    const struct stack *stack = &samples->stacks[site->stack];
    for (uint32_t at = 0; at < stack->count && at < FRAMES_LOOKED_AT; at++) {
        uint32_t location = samples->frames[stack->first + at];
        const char *name = frame_name(analysis, location);
        enum wait_kind kind = name ? wait_kind_of_function(name) : WAIT_UNKNOWN;
        if (site->kind == WAIT_UNKNOWN)
            site->kind = kind;
        bool is_user = samples->locations[location].cpu_mode == CPU_MODE_USER;
        if (is_user && kind == WAIT_UNKNOWN && site->user_location == LOCATION_NONE)
            site->user_location = location;
    }
}

static struct wait_site *site_of(struct analysis *analysis, uint32_t stack)
{
    uint64_t key = (uint64_t)stack + 1;
    uint32_t index = hashmap_find(&analysis->by_stack, hash_u64(key), NULL, NULL, NULL);
    if (index == HASHMAP_ABSENT) {
        index = (uint32_t)analysis->sites.count;
        struct wait_site *site = vec_push(&analysis->sites);
        *site = (struct wait_site){.stack = stack};
        describe_stack(analysis, site);
        hashmap_add(&analysis->by_stack, hash_u64(key), index);
    }
    return &analysis->sites.items[index];
}

static void add_wait(struct analysis *analysis, const struct thread_state *thread, uint64_t until_ns)
{
    struct waiting *result = analysis->result;
    uint64_t waited_ns = until_ns > thread->since_ns ? until_ns - thread->since_ns : 0;
    if (thread->preempted) {
        result->runnable_ns += waited_ns;
        return;
    }
    struct wait_site *site = site_of(analysis, thread->off_stack);
    bool has_stack = thread->off_stack != STACK_NONE;
    const struct wait_amount amount = {.ns = waited_ns, .count = 1, .idle_ns = thread->idle_ns};
    uint32_t index = (uint32_t)(thread - analysis->threads);
    wait_spread_add(&analysis->spread, index, analysis->recording->threads.items[index].space,
                    has_stack ? (uint32_t)(site - analysis->sites.items) : WAIT_SITE_NONE, &amount);
    result->waiting_ns += waited_ns;
    result->by_kind_ns[site->kind] += waited_ns;
    result->unattributed_ns += has_stack ? 0 : waited_ns;
    result->wait_count++;
    result->stack_count += has_stack;
    site->total_ns += waited_ns;
    site->count++;
    site->longest_ns = waited_ns > site->longest_ns ? waited_ns : site->longest_ns;
}

/* While one is ready, the time is no wait's: others had the CPUs. */
static void idle_begins(struct analysis *analysis, uint64_t now_ns)
{
    if (!analysis->running && !analysis->ready)
        analysis->idle_since_ns = now_ns;
}

static void stopped_running(struct analysis *analysis, uint64_t now_ns)
{
    analysis->running -= analysis->running > 0;
    idle_begins(analysis, now_ns);
}

static void stopped_being_ready(struct analysis *analysis, struct thread_state *thread, uint64_t now_ns)
{
    if (!thread->ready)
        return;
    thread->ready = false;
    analysis->ready--;
    idle_begins(analysis, now_ns);
}

/* A thread's end is no switch. */
static void ends_until(struct analysis *analysis, uint64_t now_ns)
{
    for (; analysis->next_end < analysis->end_count && analysis->ends[analysis->next_end].time_ns <= now_ns;
         analysis->next_end++) {
        const struct thread_end *end = &analysis->ends[analysis->next_end];
        struct thread_state *thread = &analysis->threads[end->thread];
        if (thread->seen && !thread->off)
            stopped_running(analysis, end->time_ns);
        stopped_being_ready(analysis, thread, end->time_ns);
        thread->off = true;
        thread->preempted = true; /* it waits for nothing any more */
    }
}

static void add_idle(struct analysis *analysis, struct thread_state *thread, uint64_t until_ns)
{
    bool waited = thread->seen && thread->off && !thread->preempted;
    if (analysis->running || analysis->ready || !analysis->idle_since_ns || until_ns <= analysis->idle_since_ns ||
        !waited)
        return;
    uint64_t idle_ns = until_ns - analysis->idle_since_ns;
    thread->idle_ns = idle_ns;
    site_of(analysis, thread->off_stack)->idle_ns += idle_ns;
    analysis->result->idle_ns += idle_ns;
}

static void follow_running(struct analysis *analysis, struct thread_state *thread,
                           const struct context_switch *event)
{
    bool ran = thread->seen && !thread->off;
    if (event->out && event->preempted && !thread->ready) {
        thread->ready = true;
        analysis->ready++;
    }
    if (event->out && ran)
        stopped_running(analysis, event->time_ns);
    if (event->out && !ran)
        idle_begins(analysis, event->time_ns); /* it ran since before the recording */
    if (event->out && !event->preempted)
        stopped_being_ready(analysis, thread, event->time_ns); /* its coming back was lost */
    if (!event->out && !ran) {
        add_idle(analysis, thread, event->time_ns);
        analysis->running++;
    }
    if (!event->out)
        stopped_being_ready(analysis, thread, event->time_ns);
}

static void apply_switch(struct analysis *analysis, const struct context_switch *event)
{
    struct thread_state *thread = &analysis->threads[event->thread];
    ends_until(analysis, event->time_ns);
    /* The machine's idle threads run when nobody does. */
    if (analysis->recording->threads.items[event->thread].tid != 0)
        follow_running(analysis, thread, event);
    if (!thread->seen)
        analysis->result->thread_count++;
    if (thread->seen && thread->off && !event->out)
        add_wait(analysis, thread, event->time_ns);
    if (thread->seen && !thread->off && event->out && event->time_ns > thread->since_ns)
        analysis->result->running_ns += event->time_ns - thread->since_ns;
    thread->seen = true;
    thread->off = event->out;
    thread->preempted = event->out && event->preempted;
    thread->since_ns = event->time_ns;
    thread->off_stack = STACK_NONE;
    thread->idle_ns = 0;
    /* The sample is taken in the same switch, just before its record. */
    enum {
        SAME_SWITCH_NS = 200 * 1000
    };
    if (event->out && thread->stack != STACK_NONE && event->time_ns - thread->stack_ns < SAME_SWITCH_NS)
        thread->off_stack = thread->stack;
    thread->stack = STACK_NONE;
}

static bool is_switch_sample(const struct recording *recording, const struct sample *sample)
{
    return recorded_event_is_switch(&recording->events[sample->event]);
}

/* Walk switches and switch samples together, in time order. */
/* Whoever records a whole machine is on it, and mostly waits for the next look. */
static bool is_watcher(const struct recording *recording, uint32_t thread)
{
    return recording->watcher_pid && recording->threads.items[thread].pid == recording->watcher_pid;
}

static uint64_t walk(struct analysis *analysis)
{
    const struct recording *recording = analysis->recording;
    const struct samples *samples = &recording->samples;
    uint64_t last_ns = 0;
    size_t sample = 0;
    for (size_t at = 0; at < recording->switch_count; at++) {
        const struct context_switch *event = &recording->switches[at];
        for (; sample < samples->count && samples->items[sample].time_ns <= event->time_ns; sample++) {
            const struct sample *taken = &samples->items[sample];
            if (taken->thread == THREAD_NONE || !is_switch_sample(recording, taken))
                continue;
            analysis->threads[taken->thread].stack = taken->stack;
            analysis->threads[taken->thread].stack_ns = taken->time_ns;
        }
        if (event->thread != THREAD_NONE && !is_watcher(recording, event->thread))
            apply_switch(analysis, event);
        last_ns = event->time_ns;
    }
    if (samples->count && samples->items[samples->count - 1].time_ns > last_ns)
        last_ns = samples->items[samples->count - 1].time_ns;
    return last_ns;
}

/* Threads that were off a CPU when the recording ended waited until then, unless they had ended. */
static void close_open_waits(struct analysis *analysis, uint64_t last_ns)
{
    const struct threads *threads = &analysis->recording->threads;
    for (size_t at = 0; at < threads->count; at++) {
        const struct thread_state *thread = &analysis->threads[at];
        bool ended = threads->items[at].ended_ns != UINT64_MAX && threads->items[at].ended_ns <= last_ns;
        if (thread->seen && thread->off && !ended)
            add_wait(analysis, thread, last_ns);
        if (thread->seen && !thread->off && !ended && last_ns > thread->since_ns)
            analysis->result->running_ns += last_ns - thread->since_ns;
    }
}

static int compare_ends(const void *a, const void *b)
{
    const struct thread_end *left = a, *right = b;
    return (left->time_ns > right->time_ns) - (left->time_ns < right->time_ns);
}

static void ends_gather(struct analysis *analysis)
{
    const struct threads *threads = &analysis->recording->threads;
    analysis->ends = memory_alloc(memory_product(threads->count + 1, sizeof(*analysis->ends)));
    for (size_t at = 0; at < threads->count; at++) {
        uint64_t ended_ns = threads->items[at].ended_ns;
        if (ended_ns && ended_ns != UINT64_MAX && threads->items[at].tid != 0)
            analysis->ends[analysis->end_count++] = (struct thread_end){ended_ns, (uint32_t)at};
    }
    qsort(analysis->ends, analysis->end_count, sizeof(*analysis->ends), compare_ends);
}

/* What was seen without a stack gets the places of its like. */
static void spread_unseen(struct analysis *analysis)
{
    struct waiting *result = analysis->result;
    size_t count = analysis->sites.count;
    struct wait_amount *more = memory_alloc(memory_product(count + 1, sizeof(*more)));
    struct wait_amount all = wait_spread_share(&analysis->spread, more, count);
    for (size_t at = 0; at < count; at++) {
        struct wait_site *site = &analysis->sites.items[at];
        const struct wait_amount *taken = site->stack == STACK_NONE ? &all : NULL;
        site->total_ns += more[at].ns - (taken ? taken->ns : 0);
        site->idle_ns += more[at].idle_ns - (taken ? taken->idle_ns : 0);
        site->count += more[at].count - (taken ? taken->count : 0);
        site->spread_ns = more[at].ns;
        /*
         * Which of the waits without a stack was the longest of those that stayed isn't known: none is longer than all
         * of them together.
         */
        if (taken && site->longest_ns > site->total_ns)
            site->longest_ns = site->total_ns;
        result->by_kind_ns[site->kind] += more[at].ns - (taken ? taken->ns : 0);
    }
    result->spread_ns = all.ns;
    result->unattributed_ns -= all.ns;
    free(more);
}

static int compare_sites(const void *a, const void *b)
{
    const struct wait_site *left = a, *right = b;
    if (left->total_ns != right->total_ns)
        return left->total_ns < right->total_ns ? 1 : -1;
    return (left->stack > right->stack) - (left->stack < right->stack);
}

static uint64_t first_ns(const struct recording *recording)
{
    uint64_t first = recording->switches[0].time_ns;
    if (recording->samples.count && recording->samples.items[0].time_ns < first)
        first = recording->samples.items[0].time_ns;
    return first;
}

void waiting_analyse(const struct recording *recording, struct symboliser *symboliser, struct waiting *ret_waiting,
                     struct arena *arena)
{
    struct waiting result = {.known = recording->switch_count > 0};
    struct analysis analysis = {.recording = recording, .symboliser = symboliser, .result = &result};
    if (result.known) {
        analysis.threads = memory_alloc(memory_product(recording->threads.count, sizeof(*analysis.threads)));
        for (size_t at = 0; at < recording->threads.count; at++)
            analysis.threads[at].stack = analysis.threads[at].off_stack = STACK_NONE;
        ends_gather(&analysis);
        uint64_t last_ns = walk(&analysis);
        close_open_waits(&analysis, last_ns);
        spread_unseen(&analysis);
        result.span_ns = last_ns - first_ns(recording);
        if (analysis.sites.count)
            qsort(analysis.sites.items, analysis.sites.count, sizeof(*analysis.sites.items), compare_sites);
        result.sites = arena_copy(arena, analysis.sites.items, analysis.sites.count * sizeof(*analysis.sites.items));
        result.site_count = analysis.sites.count;
    }
    free(analysis.threads);
    free(analysis.ends);
    vec_done(&analysis.sites);
    hashmap_done(&analysis.by_stack);
    wait_spread_done(&analysis.spread);
    *ret_waiting = result;
}
