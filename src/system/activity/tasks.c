/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/scope.h"
#include "system/activity/watch.h"

#include <dirent.h>
#include <string.h>
#include <sys/syscall.h>

/* Threads come and go: find the one with this tid and start time, else begin a new one. */
static struct watched_thread *thread_of(struct activity_watch *watch, uint32_t pid, uint32_t tid,
                                        const struct task_stat *line, bool began_before)
{
    uint64_t key = hash_combine(tid, line->start_ticks);
    uint32_t id = hashmap_find(&watch->thread_by_tid, key, NULL, NULL, NULL);
    if (id != HASHMAP_ABSENT)
        return &watch->threads.items[id];
    hashmap_add(&watch->thread_by_tid, key, (uint32_t)watch->threads.count);
    struct watched_thread *thread = vec_push(&watch->threads);
    *thread = (struct watched_thread){.pid = pid, .tid = tid, .start_ticks = line->start_ticks};
    if (!watch->started && (began_before || line->start_ticks < watch->began_ticks))
        thread->first = line->counters;
    const struct watched_process *process = tid == pid ? watch_process_find(watch, (pid_t)pid) : NULL;
    if (watch->started && process)
        thread->first.delay_s = process->held_delay_s;
    return thread;
}

static void wait_note(struct watched_thread *thread, const char *place)
{
    for (size_t at = 0; at < ACTIVITY_WAITS_MOST; at++) {
        struct activity_wait *wait = &thread->waits[at];
        if (wait->count && strcmp(wait->place, place) != 0)
            continue;
        snprintf(wait->place, sizeof(wait->place), "%s", place);
        wait->count++;
        return;
    }
}

/* Calls that wait, where the kernel's function isn't shown. */
static void call_name(char *place, size_t size, uint64_t call)
{
    static const struct {
        long number;
        const char *name;
    } calls[] = {
        {SYS_read, "read"},           {SYS_write, "write"},         {SYS_futex, "futex"},
        {SYS_wait4, "wait4"},         {SYS_waitid, "waitid"},       {SYS_fsync, "fsync"},
        {SYS_fdatasync, "fdatasync"}, {SYS_nanosleep, "nanosleep"}, {SYS_ppoll, "ppoll"},
        {SYS_accept, "accept"},       {SYS_accept4, "accept4"},     {SYS_clock_nanosleep, "clock_nanosleep"},
        {SYS_recvfrom, "recvfrom"},   {SYS_recvmsg, "recvmsg"},     {SYS_epoll_pwait, "epoll_pwait"},
        {SYS_pselect6, "pselect6"},
#ifdef SYS_poll
        {SYS_poll, "poll"},           {SYS_select, "select"},       {SYS_epoll_wait, "epoll_wait"},
        {SYS_pause, "pause"},
#endif
    };
    snprintf(place, size, "syscall %llu", (unsigned long long)call);
    for (size_t at = 0; at < array_count(calls); at++)
        if ((uint64_t)calls[at].number == call)
            snprintf(place, size, "%s (system call)", calls[at].name);
}

static void thread_note_wait(struct activity_watch *watch, struct watched_thread *thread, struct text *scratch)
{
    char place[48] = "";
    if (watch_read(watch, scratch, "/proc/%d/task/%d/wchan", (int)thread->pid, (int)thread->tid)) {
        struct view name = view_trim(text_view(scratch));
        if (name.length && !view_equal(name, "0"))
            snprintf(place, sizeof(place), "%.*s", (int)name.length, name.text);
    }
    if (!place[0] && watch_read(watch, scratch, "/proc/%d/task/%d/syscall", (int)thread->pid, (int)thread->tid)) {
        struct view rest = text_view(scratch);
        struct view number = view_word(&rest);
        uint64_t call;
        if (view_u64(number, 10, &call))
            call_name(place, sizeof(place), call);
    }
    wait_note(thread, place);
}

/* What comes behind a name in /proc/PID/status; nothing where there is no such line. */
static struct view status_words(struct view status, const char *name)
{
    struct view line;
    while (view_line(&status, &line))
        if (view_starts(line, name))
            return view_trim(view_skip(line, strlen(name)));
    return (struct view){0};
}

/*
 * A thread takes its CPUs over from who started it, and sets its own a moment later; probes keep threads where they are
 * for a while. So one look is not enough: a list stays until as many looks found others.
 */
static void thread_note_cpus(struct watched_thread *thread, struct view list)
{
    if (!list.length || list.length >= sizeof(thread->cpus))
        return;
    if (view_equal(list, thread->cpus)) {
        thread->cpus_votes++;
        return;
    }
    if (thread->cpus_votes > 1) {
        thread->cpus_votes--;
        return;
    }
    snprintf(thread->cpus, sizeof(thread->cpus), "%.*s", (int)list.length, list.text);
    thread->cpus_votes = 1;
}

/* Whether it still lives: a zombie that nobody waited for has ended. */
static bool thread_look(struct activity_watch *watch, const struct watched_process *process, uint32_t tid,
                        struct text *scratch)
{
    int pid = (int)process->pid;
    struct task_stat line = {0};
    if (!watch_read(watch, scratch, "/proc/%d/task/%d/stat", pid, (int)tid) ||
        !task_stat_parse(text_view(scratch), watch->tick_s, &line))
        return false;
    bool began_before = process->began_before && watch->look_count == 0;
    if (watch_read(watch, scratch, "/proc/%d/task/%d/schedstat", pid, (int)tid)) {
        struct view rest = text_view(scratch);
        uint64_t run_ns = 0, delay_ns = 0;
        if (view_u64(view_word(&rest), 10, &run_ns) && view_u64(view_word(&rest), 10, &delay_ns)) {
            line.counters.run_s = (double)run_ns * 1e-9;
            line.counters.delay_s = (double)delay_ns * 1e-9;
        }
    }
    bool has_schedstat = line.counters.run_s > 0 || line.counters.delay_s > 0;
    bool has_switches = false, has_status = watch_read(watch, scratch, "/proc/%d/task/%d/status", pid, (int)tid);
    if (has_status)
        has_switches = status_number(text_view(scratch), "voluntary_ctxt_switches:", &line.counters.voluntary) &&
                       status_number(text_view(scratch), "nonvoluntary_ctxt_switches:", &line.counters.involuntary);
    struct watched_thread *thread = thread_of(watch, (uint32_t)pid, tid, &line, began_before);
    memcpy(thread->comm, line.comm, sizeof(thread->comm));
    if (has_status)
        thread_note_cpus(thread, status_words(text_view(scratch), "Cpus_allowed_list:"));
    thread->last = line.counters;
    thread->has_schedstat |= has_schedstat;
    thread->has_switches |= has_switches;
    thread->alive = true;
    thread->seen++;
    thread->seen_running += line.state == 'R';
    watch->is_ready |= line.state == 'R';
    watch->live_now += line.state != 'Z' && line.state != 'X';
    watch->stopped_now += line.state == 'T' || line.state == 't';
    thread->seen_sleeping += line.state == 'S';
    thread->seen_disk += line.state == 'D';
    watch->blocked_now += line.state == 'D';
    /* The first look may find a program of ours that is still held before its exec. */
    if ((line.state == 'S' || line.state == 'D') && watch->look_count > 0)
        thread_note_wait(watch, thread, scratch);
    return line.state != 'Z' && line.state != 'X';
}

static uint32_t bits_set(struct view hex_mask)
{
    uint32_t bits = 0;
    for (size_t at = 0; at < hex_mask.length; at++) {
        uint64_t digit = 0;
        if (view_u64((struct view){hex_mask.text + at, 1}, 16, &digit))
            bits += (uint32_t)__builtin_popcountll(digit);
    }
    return bits;
}

static void process_look_status(struct activity_watch *watch, struct watched_process *process, struct text *scratch)
{
    if (!watch_read(watch, scratch, "/proc/%d/status", (int)process->pid, 0))
        return;
    uint64_t kib = 0;
    struct view status = text_view(scratch), mask = status_words(status, "Cpus_allowed:");
    if (status_number(status, "VmRSS:", &kib))
        process->resident_bytes = kib << 10;
    if (status_number(status, "VmHWM:", &kib) && kib << 10 > process->resident_most_bytes)
        process->resident_most_bytes = kib << 10;
    if (status_number(status, "VmSwap:", &kib))
        process->swapped_bytes = kib << 10;
    watch->cpus_allowed = mask.length ? bits_set(mask) : watch->cpus_allowed;
}

static void process_look_io(struct activity_watch *watch, struct watched_process *process, struct text *scratch)
{
    uint64_t read_bytes = 0, write_bytes = 0;
    if (!watch_read(watch, scratch, "/proc/%d/io", (int)process->pid, 0) ||
        !status_number(text_view(scratch), "read_bytes:", &read_bytes) ||
        !status_number(text_view(scratch), "write_bytes:", &write_bytes))
        return;
    if (!process->has_io && process->began_before && !watch->started) {
        process->first_read_bytes = read_bytes;
        process->first_write_bytes = write_bytes;
    }
    process->has_io = true;
    process->read_bytes = read_bytes;
    process->write_bytes = write_bytes;
}

/* What its threads don't tell any more once they have ended, the process does. */
static void process_look_counters(struct activity_watch *watch, struct watched_process *process, struct text *scratch)
{
    struct task_stat line = {0};
    if (!watch_read(watch, scratch, "/proc/%d/stat", (int)process->pid, 0) ||
        !task_stat_parse(text_view(scratch), watch->tick_s, &line))
        return;
    if (!process->has_counters && !watch->started && (process->began_before || line.start_ticks < watch->began_ticks))
        process->first = line.counters;
    process->has_counters = true;
    process->last = line.counters;
}

uint32_t watch_process_look(struct activity_watch *watch, struct watched_process *process, struct text *scratch)
{
    process_look_counters(watch, process, scratch);
    scoped_dir DIR *tasks = sysroot_opendir(watch->root, "/proc/%d/task", (int)process->pid);
    uint32_t count = 0;
    struct dirent *entry;
    while (tasks && (entry = readdir(tasks))) {
        uint64_t tid;
        if (!view_u64(view_of(entry->d_name), 10, &tid))
            continue;
        count += thread_look(watch, process, (uint32_t)tid, scratch);
    }
    process->alive = count > 0;
    if (process->alive) {
        process_look_status(watch, process, scratch);
        process_look_io(watch, process, scratch);
        watch_files_look(watch, process, scratch);
    }
    return count;
}
