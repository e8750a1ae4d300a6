/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/profile/folded_profile.h"

#include "analyse/time/wait_locks.h"
#include "base/hashmap.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES_MOST = 48 };

/* One stack, innermost first. */
struct frames {
    uint32_t ids[FRAMES_MOST];
    const char *names[FRAMES_MOST];
    size_t count, user; /* user: where the program's own begin */
};

struct sum {
    uint32_t id;
    double weight;
};

struct sums {
    struct hashmap by_id;
    vec(struct sum) items;
    double total;
};

struct folding {
    struct strings names;
    bool are_waits; /* all of its stacks have left their CPU */
    struct sums innermost, lockers;
    struct folded_profile *result;
};

static void sum_add(struct sums *sums, uint32_t id, double weight)
{
    uint64_t key = hash_u64((uint64_t)id + 1);
    uint32_t at = hashmap_find(&sums->by_id, key, NULL, NULL, NULL);
    sums->total += weight;
    if (at != HASHMAP_ABSENT) {
        sums->items.items[at].weight += weight;
        return;
    }
    hashmap_add(&sums->by_id, key, (uint32_t)sums->items.count);
    *vec_push(&sums->items) = (struct sum){id, weight};
}

static int sum_compare(const void *a, const void *b)
{
    const struct sum *one = a, *other = b;
    return one->weight != other->weight ? (one->weight < other->weight) - (one->weight > other->weight)
                                        : (one->id > other->id) - (one->id < other->id);
}

static void sums_done(struct sums *sums)
{
    hashmap_done(&sums->by_id);
    vec_done(&sums->items);
}

/* ---- one stack ---- */

static bool begins_with_any(const char *name, const char *const *beginnings)
{
    for (; *beginnings; beginnings++)
        if (strncmp(name, *beginnings, strlen(*beginnings)) == 0)
            return true;
    return false;
}

/* How the kernel is entered; what is behind it is the program's. A "-" stands there where the tool parts the two. */
static bool is_entry(const char *name)
{
    static const char *const entries[] = {"entry_SYSCALL", "do_syscall_64", "el0_svc",
                                          "el0t_64_sync",  "asm_exc_",      "asm_sysvec_",
                                          "ret_from_fork", "x64_sys_call",  NULL};
    return strcmp(name, "-") == 0 || begins_with_any(name, entries);
}

static bool is_of_scheduler(const char *name)
{
    static const char *const scheduler[] = {"finish_task_switch", "__schedule", "schedule", "preempt_schedule", NULL};
    return begins_with_any(name, scheduler);
}

/* What the kernel calls to give up a CPU, where the scheduler below it was left out: none of these computes long. */
static bool is_kernels_wait(const char *name)
{
    static const char *const waits[] = {"futex_wait",
                                        "futex_do_wait",
                                        "ep_poll",
                                        "poll_schedule_timeout",
                                        "do_nanosleep",
                                        "hrtimer_nanosleep",
                                        "io_schedule",
                                        "folio_wait_bit",
                                        "wait_on_page",
                                        "wait_for_completion",
                                        "rwsem_down_read",
                                        "rwsem_down_write",
                                        "sk_wait_data",
                                        "sk_stream_wait",
                                        "inet_csk_accept",
                                        "jbd2_log_wait_commit",
                                        "submit_bio_wait",
                                        "wait_woken",
                                        NULL};
    return begins_with_any(name, waits);
}

static struct view last_frame(struct view *frames)
{
    size_t at = frames->length;
    while (at > 0 && frames->text[at - 1] != ';')
        at--;
    struct view name = view_skip(*frames, at);
    frames->length = at ? at - 1 : 0;
    return name;
}

static void frames_read(struct folding *folding, struct view text, struct frames *frames)
{
    frames->count = frames->user = 0;
    while (text.length && frames->count < FRAMES_MOST) {
        struct view name = last_frame(&text);
        if (view_ends(name, "_[k]") || view_ends(name, "_[j]") || view_ends(name, "_[i]"))
            name.length -= strlen("_[k]");
        if (!name.length)
            continue;
        uint32_t id = strings_intern_n(&folding->names, name.text, name.length);
        frames->ids[frames->count] = id;
        frames->names[frames->count++] = strings_text(&folding->names, id);
    }
    for (size_t at = 0; at < frames->count; at++)
        frames->user = is_entry(frames->names[at]) ? at + 1 : frames->user;
}

static struct wait_lock wait_of(const struct frames *frames)
{
    enum wait_kind kind = WAIT_UNKNOWN;
    for (size_t at = 0; at < frames->count && kind == WAIT_UNKNOWN; at++)
        kind = wait_kind_of_function(frames->names[at]);
    return wait_lock_of(kind, frames->names + frames->user, frames->count - frames->user);
}

/* "SafeSpin::lock", "Mutex.acquire", "Guard::Guard(Mutex&)": who takes a lock for others. */
static bool is_locker(const char *name)
{
    static const char *const lockers[] = {
        "lock",       "Lock",        "acquire",     "Acquire",   "enter",    "lockInterruptibly",
        "lock_guard", "unique_lock", "scoped_lock", "spin_lock", "lock_slow"};
    struct view last = view_of(name);
    last.length = strcspn(name, "(<");
    for (size_t at = last.length; at-- > 0;)
        if (name[at] == ':' || name[at] == '.') {
            last = view_skip(last, at + 1);
            break;
        }
    for (size_t at = 0; at < sizeof(lockers) / sizeof(*lockers); at++)
        if (view_equal(last, lockers[at]))
            return true;
    return false;
}

/* The innermost of the program's own that isn't a way to wait. */
static uint32_t caller_of(const struct frames *frames)
{
    uint32_t locker = 0; /* where nobody else is known */
    for (size_t at = frames->user; at < frames->count; at++) {
        const char *name = frames->names[at];
        bool waits =
            wait_kind_of_function(name) != WAIT_UNKNOWN || wait_lock_of(WAIT_UNKNOWN, &name, 1).kind != WAIT_UNKNOWN;
        if (waits || is_of_scheduler(name) || strcmp(name, "[unknown]") == 0)
            continue;
        if (!is_locker(name))
            return frames->ids[at];
        locker = locker ? locker : frames->ids[at];
    }
    return locker;
}

static void stack_add(struct folding *folding, const struct folded_stack *stack)
{
    struct frames frames;
    frames_read(folding, stack->frames, &frames);
    if (!frames.count || !(stack->weight > 0))
        return;
    if (!folding->are_waits && !is_of_scheduler(frames.names[0]) && !is_kernels_wait(frames.names[0])) {
        sum_add(&folding->innermost, frames.ids[0], stack->weight);
        return;
    }
    struct wait_lock wait = wait_of(&frames);
    folding->result->off += stack->weight;
    folding->result->by_kind[wait.kind] += stack->weight;
    uint32_t caller = wait.kind != WAIT_LOCK ? 0
                      : wait.global_lock /* whoever asks, it is one for all */
                          ? strings_intern_n(&folding->names, wait.global_lock, strlen(wait.global_lock))
                          : caller_of(&frames);
    if (caller)
        sum_add(&folding->lockers, caller, stack->weight);
}

/* Most of them wait by the kernel's functions, and none of these by the scheduler's. */
static bool are_without_scheduler(struct folding *folding, const struct folded_stack *stacks, size_t count)
{
    double waits = 0, all = 0;
    bool has_scheduler = false;
    for (size_t at = 0; at < count; at++) {
        struct frames frames;
        frames_read(folding, stacks[at].frames, &frames);
        double weight = frames.count && stacks[at].weight > 0 ? stacks[at].weight : 0;
        has_scheduler |= weight > 0 && is_of_scheduler(frames.names[0]);
        waits += weight > 0 && is_kernels_wait(frames.names[0]) ? weight : 0;
        all += weight;
    }
    return !has_scheduler && waits > all / 2;
}

/* ---- together ---- */

static bool is_idle(enum wait_kind kind)
{
    return kind == WAIT_EVENTS || kind == WAIT_SLEEP || kind == WAIT_SIGNAL || kind == WAIT_TERMINAL ||
           kind == WAIT_TRACED;
}

size_t folded_shares_of(const struct folded_profile *profile, struct folded_share ret_shares[FOLDED_SHARES])
{
    const double *by_kind = profile->by_kind;
    double busy = 0;
    for (int kind = 0; kind < WAIT_KIND_COUNT; kind++)
        busy += is_idle((enum wait_kind)kind) ? 0 : by_kind[kind];
    if (!(busy > 0))
        return 0;
    double storage = by_kind[WAIT_DISK] + by_kind[WAIT_FAULT];
    ret_shares[0] = (struct folded_share){FOLDED_LOCKS, by_kind[WAIT_LOCK] / busy, by_kind[WAIT_LOCK],
                                          profile->lock.name ? profile->lock.name : ""};
    ret_shares[1] = (struct folded_share){FOLDED_STORAGE, storage / busy, storage, ""};
    ret_shares[2] = (struct folded_share){FOLDED_NETWORK, by_kind[WAIT_NETWORK] / busy, by_kind[WAIT_NETWORK], ""};
    return FOLDED_SHARES;
}

static struct folded_function function_of(struct folding *folding, const struct sum *sum, double whole,
                                          struct arena *arena)
{
    return (struct folded_function){arena_string(arena, strings_text(&folding->names, sum->id)), sum->weight / whole};
}

void folded_profile_of(const struct folded_stack *stacks, size_t count, bool are_waits,
                       struct folded_profile *ret_profile, struct arena *arena)
{
    struct folding folding = {.result = ret_profile};
    *ret_profile = (struct folded_profile){0};
    strings_init(&folding.names);
    folding.are_waits = are_waits || are_without_scheduler(&folding, stacks, count);
    for (size_t at = 0; at < count; at++)
        stack_add(&folding, &stacks[at]);
    struct sums *innermost = &folding.innermost, *lockers = &folding.lockers;
    ret_profile->on = innermost->total;
    if (innermost->items.count)
        qsort(innermost->items.items, innermost->items.count, sizeof(struct sum), sum_compare);
    for (size_t at = 0; at < innermost->items.count && at < FOLDED_FUNCTIONS_MOST; at++)
        ret_profile->functions[ret_profile->function_count++] =
            function_of(&folding, &innermost->items.items[at], innermost->total, arena);
    if (lockers->items.count) {
        qsort(lockers->items.items, lockers->items.count, sizeof(struct sum), sum_compare);
        ret_profile->lock = function_of(&folding, &lockers->items.items[0], ret_profile->by_kind[WAIT_LOCK], arena);
    }
    sums_done(innermost);
    sums_done(lockers);
    strings_done(&folding.names);
}
