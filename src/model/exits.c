/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/exits.h"

#include "base/arena.h"

#include <errno.h>

void exits_init(struct exits *exits)
{
    *exits = (struct exits){0};
    strings_init(&exits->strings);
}

void exits_done(struct exits *exits)
{
    for (size_t at = 0; at < exits->tally_count; at++)
        free(exits->tallies[at].buckets);
    free(exits->tallies);
    free(exits->words);
    free(exits->uses);
    free(exits->threads);
    hashmap_done(&exits->tally_map);
    hashmap_done(&exits->use_map);
    hashmap_done(&exits->thread_map);
    strings_done(&exits->strings);
    *exits = (struct exits){0};
}

unsigned exit_bucket_of(uint64_t ns)
{
    if (ns < 8)
        return (unsigned)ns;
    unsigned power = 63 - (unsigned)__builtin_clzll(ns);
    unsigned bucket = 8 * (power - 2) + (unsigned)(ns >> (power - 3) & 7);
    return bucket < EXIT_BUCKETS ? bucket : EXIT_BUCKETS - 1;
}

uint64_t exit_bucket_start_ns(unsigned bucket)
{
    return bucket < 8 ? bucket : (8 + (uint64_t)(bucket & 7)) << (bucket / 8 - 1);
}

const char *exits_word(const struct exits *exits, enum exit_isa isa, uint64_t number)
{
    for (size_t at = 0; at < exits->word_count; at++)
        if (exits->words[at].isa == isa && exits->words[at].number == number)
            return strings_text(&exits->strings, exits->words[at].word);
    return NULL;
}

void exits_word_add(struct exits *exits, enum exit_isa isa, uint64_t number, struct view word)
{
    if (!word.length || number > UINT32_MAX || exits->word_count >= EXIT_WORDS_MOST || exits_word(exits, isa, number))
        return;
    exits->words = vec_reserve_bytes(exits->words, &exits->word_capacity, ++exits->word_count, sizeof(*exits->words));
    exits->words[exits->word_count - 1] =
        (struct exit_word){isa, (uint32_t)number, strings_intern_n(&exits->strings, word.text, word.length)};
}

uint32_t exits_name(struct exits *exits, struct view name)
{
    size_t before = strings_count(&exits->strings);
    if (exits->name_count >= EXIT_NAMES_MOST && !view_equal(name, EXIT_MORE_REASONS)) {
        uint32_t id = strings_find_n(&exits->strings, name.text, name.length);
        return id != HASHMAP_ABSENT ? id : strings_intern(&exits->strings, EXIT_MORE_REASONS);
    }
    uint32_t id = strings_intern_n(&exits->strings, name.text, name.length);
    exits->name_count += strings_count(&exits->strings) > before;
    return id;
}

uint32_t exits_thread(struct exits *exits, uint32_t tid, uint32_t pid)
{
    uint64_t hash = hash_u64(tid);
    uint32_t found = hashmap_find(&exits->thread_map, hash, NULL, NULL, NULL);
    if (found == HASHMAP_ABSENT) {
        found = (uint32_t)exits->thread_count++;
        exits->threads =
            vec_reserve_bytes(exits->threads, &exits->thread_capacity, exits->thread_count, sizeof(*exits->threads));
        exits->threads[found] = (struct exit_thread){.tid = tid, .pid = pid, .vcpu = -1};
        hashmap_add(&exits->thread_map, hash, found);
    }
    if (pid)
        exits->threads[found].pid = pid;
    return found;
}

static bool tally_equal(const void *context, uint32_t id, const void *key)
{
    const struct exit_tally *a = &((const struct exits *)context)->tallies[id], *b = key;
    return a->point == b->point && a->isa == b->isa && a->reason == b->reason && a->name == b->name &&
           a->thread == b->thread;
}

struct exit_tally *exits_tally(struct exits *exits, enum exit_point point, enum exit_isa isa, uint64_t reason,
                               uint32_t name, uint32_t thread)
{
    struct exit_tally key = {.point = point, .isa = isa, .reason = reason, .name = name, .thread = thread};
    uint64_t hash = hash_combine(hash_combine(reason, (uint64_t)point << 8 | isa), (uint64_t)name << 32 | thread);
    uint32_t found = hashmap_find(&exits->tally_map, hash, tally_equal, exits, &key);
    if (found == HASHMAP_ABSENT && exits->tally_count >= EXIT_TALLIES_MOST) {
        key = (struct exit_tally){
            .point = point, .reason = UINT64_MAX, .name = strings_intern(&exits->strings, EXIT_MORE_REASONS)};
        hash = hash_combine(point, UINT64_MAX);
        found = hashmap_find(&exits->tally_map, hash, tally_equal, exits, &key);
    }
    if (found == HASHMAP_ABSENT) {
        found = (uint32_t)exits->tally_count++;
        exits->tallies =
            vec_reserve_bytes(exits->tallies, &exits->tally_capacity, exits->tally_count, sizeof(*exits->tallies));
        exits->tallies[found] = key;
        hashmap_add(&exits->tally_map, hash, found);
    }
    return &exits->tallies[found];
}

uint64_t *exits_buckets(struct exits *exits, struct exit_tally *tally)
{
    if (!tally->buckets) {
        size_t bytes = EXIT_BUCKETS * sizeof(*tally->buckets);
        tally->buckets = memory_alloc(bytes);
        memset(tally->buckets, 0, bytes);
    }
    tally->has_buckets = true;
    return tally->buckets;
}

static bool use_equal(const void *context, uint32_t id, const void *key)
{
    const struct exit_use *a = &((const struct exits *)context)->uses[id], *b = key;
    return a->point == b->point && a->isa == b->isa && a->reason == b->reason && a->value == b->value &&
           a->name == b->name && a->thread == b->thread && a->is_rip == b->is_rip;
}

struct exit_use *exits_use(struct exits *exits, const struct exit_use *use)
{
    uint64_t hash =
        hash_combine(hash_combine(use->value, use->reason),
                     (uint64_t)use->thread << 32 | (uint64_t)use->point << 8 | (uint64_t)use->isa << 1 | use->is_rip);
    hash = hash_combine(hash, use->name);
    uint32_t found = hashmap_find(&exits->use_map, hash, use_equal, exits, use);
    if (found == HASHMAP_ABSENT) {
        found = (uint32_t)exits->use_count++;
        exits->uses = vec_reserve_bytes(exits->uses, &exits->use_capacity, exits->use_count, sizeof(*exits->uses));
        exits->uses[found] = *use;
        exits->uses[found].count = 0;
        hashmap_add(&exits->use_map, hash, found);
    }
    exits->uses[found].count += use->count;
    return &exits->uses[found];
}

static uint32_t name_copy(struct exits *exits, const struct exits *from, uint32_t name)
{
    return name ? strings_intern(&exits->strings, strings_text(&from->strings, name)) : 0;
}

void exits_copy(struct exits *exits, const struct exits *from)
{
    for (size_t at = 0; at < from->word_count; at++)
        exits_word_add(exits, from->words[at].isa, from->words[at].number,
                       view_of(strings_text(&from->strings, from->words[at].word)));
    for (size_t at = 0; at < from->thread_count; at++) { /* in the same order: ids stay */
        uint32_t id = exits_thread(exits, from->threads[at].tid, from->threads[at].pid);
        exits->threads[id] = from->threads[at];
    }
    for (size_t at = 0; at < from->tally_count; at++) {
        const struct exit_tally *old = &from->tallies[at];
        struct exit_tally *tally =
            exits_tally(exits, old->point, old->isa, old->reason, name_copy(exits, from, old->name), old->thread);
        uint32_t name = tally->name;
        uint64_t *buckets = old->buckets ? exits_buckets(exits, tally) : NULL;
        *tally = *old;
        tally->name = name;
        tally->buckets = buckets;
        if (buckets)
            memcpy(buckets, old->buckets, EXIT_BUCKETS * sizeof(*buckets));
    }
    for (size_t at = 0; at < from->use_count; at++) {
        struct exit_use use = from->uses[at];
        use.name = name_copy(exits, from, use.name);
        exits_use(exits, &use);
    }
    memcpy(exits->watches, from->watches, sizeof(exits->watches));
    exits->lost = from->lost;
    exits->lost_uses = from->lost_uses;
    exits->fires_exit = from->fires_exit;
    exits->is_table = from->is_table;
    exits->seconds = from->seconds;
}

static void tally_time(struct exits *exits, struct exit_tally *tally, uint64_t ns)
{
    exits_buckets(exits, tally)[exit_bucket_of(ns)]++;
    tally->min_ns = !tally->timed || ns < tally->min_ns ? ns : tally->min_ns;
    tally->max_ns = ns > tally->max_ns ? ns : tally->max_ns;
    tally->has_range = true;
    tally->total_ns += (double)ns;
    tally->timed++;
}

/* Where a thread stands, and whether it came from another CPU. */
static struct exit_thread *thread_move(struct exits *exits, uint32_t id, const struct exit_event *event)
{
    struct exit_thread *thread = &exits->threads[id];
    if (thread->seen && thread->cpu != event->cpu)
        thread->migrations++;
    if (!thread->seen)
        thread->first_ns = event->time_ns;
    if (event->time_ns > thread->last_ns)
        thread->last_ns = event->time_ns;
    thread->seen = true;
    thread->cpu = event->cpu;
    if (event->vcpu >= 0)
        thread->vcpu = event->vcpu;
    return thread;
}

static void thread_entered(struct exits *exits, struct exit_thread *thread, uint64_t now_ns)
{
    if (thread->inside && now_ns >= thread->begun_ns) {
        tally_time(exits, &exits->tallies[thread->tally], now_ns - thread->begun_ns);
        thread->handled++;
    }
    thread->inside = false;
}

/* A return that a signal or an error forced has no reason of its own: its errno is one, from EXIT_ERRNO. */
static uint64_t reason_of(const struct exit_event *event)
{
    int32_t number = (int32_t)event->object;
    bool failed = event->point == EXIT_POINT_USERSPACE && number < 0;
    bool is_fault = event->reason == EXIT_REASON_MEMORY_FAULT && (number == -EFAULT || number == -EHWPOISON);
    return failed && !is_fault ? EXIT_ERRNO + (uint64_t) - (int64_t)number : event->reason;
}

static void uses_add(struct exits *exits, const struct exit_event *event, uint32_t name, uint32_t thread)
{
    struct exit_use use = {
        .point = event->point, .isa = event->isa, .reason = event->reason, .name = name, .thread = thread, .count = 1};
    if (event->has_object && exit_points[event->point].object != EXIT_OBJECT_ERROR) {
        use.value = event->object;
        exits_use(exits, &use);
    }
    if (event->has_rip) {
        use.value = event->rip;
        use.is_rip = true;
        exits_use(exits, &use);
    }
}

void exits_add(struct exits *exits, const struct exit_event *event)
{
    uint32_t id = exits_thread(exits, event->thread, event->process);
    struct exit_thread *thread = thread_move(exits, id, event);
    bool ends = event->point == EXIT_POINT_ENTRY || (event->point == EXIT_POINT_RUN && event->reason == EXIT_KVM_RUN);
    exits->watches[event->point] = true;
    if (ends)
        thread_entered(exits, thread, event->time_ns);
    if (event->point == EXIT_POINT_ENTRY || event->point == EXIT_POINT_RUN)
        return;
    uint32_t name = event->name.length ? exits_name(exits, event->name) : 0;
    struct exit_tally *tally = exits_tally(exits, event->point, event->isa, reason_of(event), name, id);
    tally->count++;
    bool times_it = event->point == EXIT_POINT_EXIT || (event->point == EXIT_POINT_USERSPACE && !exits->fires_exit);
    exits->fires_exit |= event->point == EXIT_POINT_EXIT;
    if (times_it) {
        thread->tally = (uint32_t)(tally - exits->tallies);
        thread->begun_ns = event->time_ns;
        thread->inside = true;
    }
    uses_add(exits, event, name, id);
}
