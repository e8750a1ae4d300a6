/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/exits/exits_live.h"

#include "capture/exits/exits_input.h"
#include "system/host/virtual_machine.h"

#include <stdio.h>

_Static_assert((int)EXIT_CELL_BUCKETS == (int)EXIT_BUCKETS,
               "the kernel's programs and the model have the same buckets");

static enum exit_point point_of(const struct exit_cell_key *key)
{
    return (enum exit_point)((key->what & 0xff) % EXIT_POINT_COUNT);
}

static enum exit_isa isa_of(const struct exit_cell_key *key)
{
    return (enum exit_isa)((key->what >> 8 & 0xff) % EXIT_ISA_COUNT);
}

static void take_cell(void *context, const struct exit_cell_key *key, const struct exit_cell *cell)
{
    struct exits *exits = context;
    struct exit_tally *tally =
        exits_tally(exits, point_of(key), isa_of(key), key->reason, 0, exits_thread(exits, key->tid, 0));
    uint64_t timed = 0;
    exits->fires_exit |= point_of(key) == EXIT_POINT_EXIT;
    if (cell->timed) {
        uint64_t *buckets = exits_buckets(exits, tally);
        for (size_t at = 0; at < EXIT_BUCKETS; at++) {
            buckets[at] += cell->buckets[at];
            timed += cell->buckets[at]; /* it may have gone on while it was copied */
        }
        tally->total_ns += (double)cell->total_ns;
        tally->min_ns = tally->has_range && tally->min_ns < cell->min_ns ? tally->min_ns : cell->min_ns;
        tally->max_ns = tally->max_ns > cell->max_ns ? tally->max_ns : cell->max_ns;
        tally->has_range = true;
    }
    tally->timed += timed;
    tally->count += cell->count > timed ? cell->count : timed;
}

static void take_thread(void *context, uint32_t tid, const struct exit_thread_state *state)
{
    struct exits *exits = context;
    uint32_t id = exits_thread(exits, tid, state->tgid);
    struct exit_thread *thread = &exits->threads[id];
    char name[sizeof(state->name) + 1];
    snprintf(name, sizeof(name), "%.*s", (int)sizeof(state->name), state->name);
    thread->seen = true;
    thread->migrations = state->migrations;
    thread->vcpu = state->vcpu_1 ? (int64_t)state->vcpu_1 - 1 : vcpu_number_of(name);
    if (!state->is_inside)
        return;
    exits_tally(exits, point_of(&state->inside), isa_of(&state->inside), state->inside.reason, 0, id)->count++;
    exits->fires_exit |= point_of(&state->inside) == EXIT_POINT_EXIT;
}

static void take_use(void *context, const struct exit_use_key *key, uint64_t count)
{
    struct exits *exits = context;
    struct exit_use use = {.point = point_of(&key->cell),
                           .isa = isa_of(&key->cell),
                           .reason = key->cell.reason,
                           .value = key->value,
                           .is_rip = key->cell.what >> 16 & 1,
                           .thread = exits_thread(exits, key->cell.tid, 0),
                           .count = count};
    exits_use(exits, &use);
}

void exits_take(struct exits *exits, const struct exit_watch *watch)
{
    struct exit_watch_visitor visitor = {exits, take_cell, take_use, take_thread};
    exit_watch_read(watch, &visitor);
    exits->lost = exit_watch_lost(watch, &exits->lost_uses);
    for (size_t at = 0; at < EXIT_POINT_COUNT; at++)
        exits->watches[at] = watch->attachments[at] != EXIT_ABSENT;
}

static uint64_t less(uint64_t value, uint64_t before)
{
    return value > before ? value - before : 0;
}

void exits_subtract(struct exits *exits, const struct exits *before)
{
    for (size_t at = 0; at < before->tally_count; at++) {
        const struct exit_tally *old = &before->tallies[at];
        uint32_t thread = exits_thread(exits, before->threads[old->thread].tid, 0);
        struct exit_tally *tally = exits_tally(exits, old->point, old->isa, old->reason, 0, thread);
        tally->count = less(tally->count, old->count);
        tally->timed = less(tally->timed, old->timed);
        tally->total_ns = tally->total_ns > old->total_ns ? tally->total_ns - old->total_ns : 0;
        for (size_t bucket = 0; tally->buckets && old->buckets && bucket < EXIT_BUCKETS; bucket++)
            tally->buckets[bucket] = less(tally->buckets[bucket], old->buckets[bucket]);
    }
    for (size_t at = 0; at < before->use_count; at++) {
        struct exit_use old = before->uses[at];
        uint64_t count = old.count;
        old.thread = exits_thread(exits, before->threads[old.thread].tid, 0);
        old.count = 0;
        struct exit_use *use = exits_use(exits, &old);
        use->count = less(use->count, count);
    }
    for (size_t at = 0; at < before->thread_count; at++) {
        uint32_t id = exits_thread(exits, before->threads[at].tid, 0);
        exits->threads[id].migrations = less(exits->threads[id].migrations, before->threads[at].migrations);
    }
    for (size_t at = 0; at < exits->tally_count; at++)
        exits->tallies[at].has_range = false;
    exits->lost = less(exits->lost, before->lost);
    exits->lost_uses = less(exits->lost_uses, before->lost_uses);
}

void exits_words_here(struct exits *exits, const struct sysroot *root)
{
    static const enum exit_point named[] = {EXIT_POINT_EXIT, EXIT_POINT_USERSPACE};
    const char *tracefs = sysroot_tracefs(root);
    for (size_t at = 0; tracefs && at < array_count(named); at++) {
        struct text format = {0};
        const struct exit_point_row *row = &exit_points[named[at]];
        if (sysroot_read(root, &format, NULL, "%s/events/%s/%s/format", tracefs, row->system, row->name))
            exits_words_read(exits, text_view(&format));
        text_done(&format);
    }
}
