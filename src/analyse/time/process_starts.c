/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/process_starts.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAIN_THREAD_WITHIN = 4096 /* a thread's process is looked for among so many that came before it */
};

static bool lived_short(const struct thread *thread)
{
    return thread->tid == thread->pid && thread->started_ns && thread->ended_ns != UINT64_MAX &&
           thread->ended_ns - thread->started_ns < SHORT_PROCESS_NS;
}

static bool process_lived_short(const struct threads *threads, size_t thread)
{
    uint32_t pid = threads->items[thread].pid;
    for (size_t back = 0; back <= thread && back < MAIN_THREAD_WITHIN; back++) {
        const struct thread *other = &threads->items[thread - back];
        if (other->tid == pid && other->pid == pid)
            return lived_short(other);
    }
    return false;
}

typedef vec(struct started_command) command_list;

static void command_count(command_list *commands, const char *name)
{
    vec_for_each(commands, command)
    {
        if (strcmp(command->name, name) != 0)
            continue;
        command->count++;
        return;
    }
    *vec_push(commands) = (struct started_command){name, 1};
}

static int command_compare(const void *a, const void *b)
{
    const struct started_command *left = a, *right = b;
    if (left->count != right->count)
        return left->count < right->count ? 1 : -1;
    return strcmp(left->name, right->name);
}

static void left_note(struct process_starts *starts, const struct recording *recording, const struct thread *thread,
                      struct arena *arena)
{
    if (thread->tid != thread->pid || !thread->started_ns || thread->ended_ns != UINT64_MAX || starts->left_count++)
        return;
    starts->left_pid = thread->pid;
    starts->left_name = arena_string(arena, strings_text(&recording->strings, thread->comm));
}

struct process_starts process_starts_of(const struct recording *recording, struct arena *arena)
{
    const struct threads *threads = &recording->threads;
    struct process_starts starts = {0};
    bool *is_short = arena_array(arena, bool, threads->count + 1);
    memset(is_short, 0, (threads->count + 1) * sizeof(*is_short));
    command_list commands = {0};
    for (size_t at = 0; at < threads->count; at++) {
        const struct thread *thread = &threads->items[at];
        if (!thread->tid)
            continue; /* idle */
        starts.thread_count++;
        starts.process_count += thread->tid == thread->pid;
        left_note(&starts, recording, thread, arena);
        is_short[at] = process_lived_short(threads, at);
        if (!lived_short(thread))
            continue;
        starts.short_count++;
        command_count(&commands, arena_string(arena, strings_text(&recording->strings, thread->comm)));
    }
    if (commands.count)
        qsort(commands.items, commands.count, sizeof(*commands.items), command_compare);
    for (size_t at = 0; at < commands.count && at < STARTED_COMMANDS_MOST &&
                        commands.items[at].count * 50 >= starts.short_count; at++)
        starts.commands[starts.command_count++] = commands.items[at];
    starts.other_count = starts.short_count;
    for (size_t at = 0; at < starts.command_count; at++)
        starts.other_count -= starts.commands[at].count;
    vec_done(&commands);
    if (starts.short_count < SHORT_PROCESSES_LEAST)
        memset(is_short, 0, (threads->count + 1) * sizeof(*is_short));
    starts.is_short = is_short;
    return starts;
}
