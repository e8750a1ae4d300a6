/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/activity.h"

#include "base/clock.h"
#include "base/hashmap.h"
#include "base/scope.h"
#include "base/vec.h"
#include "system/host/cgroup_cpu.h"
#include "system/host/cpu_time.h"
#include "system/host/interrupts.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Counters of a task that only grow; differences count. */
struct task_counters {
    double user_s, system_s, run_s, delay_s, block_delay_s;
    uint64_t minor_faults, major_faults, voluntary, involuntary;
};

struct watched_thread {
    uint32_t pid, tid;
    uint64_t start_ticks; /* tells a reused tid */
    char comm[16];
    struct task_counters first, last;
    bool has_schedstat, has_switches;
    bool alive;
    uint32_t seen, seen_running, seen_sleeping, seen_disk;
    struct activity_wait waits[ACTIVITY_WAITS_MOST];
};

struct watched_process {
    pid_t pid;
    bool alive, began_before; /* began_before: it ran already when watching began, so counters start at first */
    uint64_t first_read_bytes, read_bytes, first_write_bytes, write_bytes;
    bool has_io, has_counters;
    struct task_counters first, last; /* of all its threads, those that have ended included */
    uint64_t resident_bytes, resident_most_bytes, swapped_bytes;
    double cpu_s;
    double held_delay_s; /* of its first thread, before it was let go */
};

/* A descendant that began before watching did. */
struct watched_child {
    uint32_t pid, parent;
    uint64_t start_ticks;
    char comm[16];
    double first_cpu_s, last_cpu_s;
};

struct machine_counters {
    struct cpu_time cpu;
    bool has_vmstat;
    uint64_t huge_faults, huge_fallbacks, swap_ins, swap_outs;
    bool has_interrupts;
    uint64_t interrupts;
};

/* More CPUs than Linux is built for anywhere. */
enum {
    CPUS_MOST = 8192
};
typedef vec(struct cpu_ticks) cpu_ticks_list;
typedef vec(struct cpu_interrupts) cpu_interrupts_list;

struct activity_watch {
    const struct sysroot *root;
    vec(struct watched_process) processes;
    vec(struct watched_thread) threads;
    vec(struct watched_child) children;
    struct hashmap thread_by_tid;
    double tick_s;
    uint64_t began_ticks; /* since boot, as /proc counts when a task began */
    double began_s, last_s;
    struct machine_counters machine_first, machine_last;
    cpu_ticks_list cpus_first, cpus_last;
    cpu_interrupts_list interrupts_first, interrupts_last;
    double interrupts_first_s, interrupts_last_s, interrupts_next_s;
    bool has_cgroup, cgroup_is_given;
    struct cgroup_cpu cgroup_first, cgroup_last;
    bool has_members; /* the limited group's processes could be read, and it is their own, not one above it */
    uint32_t others_most;
    double runnable_sum;
    uint32_t runnable_count, look_count, ready_looks, threads_at_once;
    bool started;  /* by us: nothing of it ran before */
    bool is_ready; /* in this look: one of its threads runs, or could */
    uint32_t live_now, stopped_now, stopped_looks; /* threads in this look; looks that found all of them stopped */
    uint32_t blocked_now, blocked_looks;           /* threads in state D in this look; looks that found one */
    uint32_t cpus_allowed;
};

static bool read_quietly(const struct activity_watch *watch, struct text *out, const char *format, int pid, int tid)
{
    char path[96];
    snprintf(path, sizeof(path), format, pid, tid);
    text_clear(out);
    struct error ignored;
    return sysroot_read(watch->root, out, &ignored, "%s", path);
}

static struct view whole(const struct text *text)
{
    return (struct view){text_string(text), text->length};
}

/* The number behind "Name:" at the start of a line of a status file. */
static bool status_number(struct view text, const char *name, uint64_t *ret_value)
{
    struct view line;
    while (view_line(&text, &line)) {
        if (!view_starts(line, name))
            continue;
        line = view_skip(line, strlen(name));
        return view_u64(view_word(&line), 10, ret_value);
    }
    return false;
}

struct stat_line {
    char comm[16];
    char state;
    uint32_t parent;
    uint64_t start_ticks;
    struct task_counters counters;
};

/* Fields of proc_pid_stat(5); comm may hold blanks and parentheses, so it ends at the last ')'. */
static bool stat_line_parse(struct view text, double tick_s, struct stat_line *line)
{
    const char *open = text.length ? memchr(text.text, '(', text.length) : NULL;
    const char *close = text.length ? memrchr(text.text, ')', text.length) : NULL;
    if (!open || !close || close < open)
        return false;
    size_t length = (size_t)(close - open - 1);
    if (length > sizeof(line->comm) - 1)
        length = sizeof(line->comm) - 1;
    memcpy(line->comm, open + 1, length);
    line->comm[length] = '\0';
    struct view rest = view_skip(text, (size_t)(close - text.text) + 1);
    uint64_t fields[43] = {0};
    struct view state = view_word(&rest);
    line->state = state.length ? state.text[0] : '?';
    for (int field = 4; field <= 42; field++) {
        struct view word = view_word(&rest);
        int64_t value = 0;
        (void)!view_i64(word, &value);
        fields[field] = (uint64_t)value;
    }
    line->parent = (uint32_t)fields[4];
    line->counters.minor_faults = fields[10];
    line->counters.major_faults = fields[12];
    line->counters.user_s = (double)fields[14] * tick_s;
    line->counters.system_s = (double)fields[15] * tick_s;
    line->start_ticks = fields[22];
    line->counters.block_delay_s = (double)fields[42] * tick_s;
    return true;
}

static struct watched_process *process_find(struct activity_watch *watch, pid_t pid)
{
    vec_for_each(&watch->processes, process)
        if (process->pid == pid)
            return process;
    return NULL;
}

static void process_add(struct activity_watch *watch, pid_t pid, bool began_before)
{
    struct watched_process *process = process_find(watch, pid);
    if (process) {
        process->alive = true;
        return;
    }
    *vec_push(&watch->processes) =
        (struct watched_process){.pid = pid, .alive = true, .began_before = began_before};
}

/* Threads come and go: find the one with this tid and start time, else begin a new one. */
static struct watched_thread *thread_of(struct activity_watch *watch, uint32_t pid, uint32_t tid,
                                        const struct stat_line *line, bool began_before)
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
    const struct watched_process *process = tid == pid ? process_find(watch, (pid_t)pid) : NULL;
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
        {SYS_read, "read"},         {SYS_write, "write"},     {SYS_futex, "futex"},           {SYS_wait4, "wait4"},
        {SYS_waitid, "waitid"},     {SYS_fsync, "fsync"},     {SYS_fdatasync, "fdatasync"},   {SYS_nanosleep, "nanosleep"},
        {SYS_ppoll, "ppoll"},       {SYS_accept, "accept"},   {SYS_accept4, "accept4"},       {SYS_clock_nanosleep, "clock_nanosleep"},
        {SYS_recvfrom, "recvfrom"}, {SYS_recvmsg, "recvmsg"}, {SYS_epoll_pwait, "epoll_pwait"}, {SYS_pselect6, "pselect6"},
#ifdef SYS_poll
        {SYS_poll, "poll"},         {SYS_select, "select"},   {SYS_epoll_wait, "epoll_wait"}, {SYS_pause, "pause"},
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
    if (read_quietly(watch, scratch, "/proc/%d/task/%d/wchan", (int)thread->pid, (int)thread->tid)) {
        struct view name = view_trim(whole(scratch));
        if (name.length && !view_equal(name, "0"))
            snprintf(place, sizeof(place), "%.*s", (int)name.length, name.text);
    }
    if (!place[0] && read_quietly(watch, scratch, "/proc/%d/task/%d/syscall", (int)thread->pid, (int)thread->tid)) {
        struct view rest = whole(scratch);
        struct view number = view_word(&rest);
        uint64_t call;
        if (view_u64(number, 10, &call))
            call_name(place, sizeof(place), call);
    }
    wait_note(thread, place);
}

/* Whether it still lives: a zombie that nobody waited for has ended. */
static bool thread_look(struct activity_watch *watch, const struct watched_process *process, uint32_t tid,
                        struct text *scratch)
{
    int pid = (int)process->pid;
    struct stat_line line = {0};
    if (!read_quietly(watch, scratch, "/proc/%d/task/%d/stat", pid, (int)tid) ||
        !stat_line_parse(whole(scratch), watch->tick_s, &line))
        return false;
    bool began_before = process->began_before && watch->look_count == 0;
    if (read_quietly(watch, scratch, "/proc/%d/task/%d/schedstat", pid, (int)tid)) {
        struct view rest = whole(scratch);
        uint64_t run_ns = 0, delay_ns = 0;
        if (view_u64(view_word(&rest), 10, &run_ns) && view_u64(view_word(&rest), 10, &delay_ns)) {
            line.counters.run_s = (double)run_ns * 1e-9;
            line.counters.delay_s = (double)delay_ns * 1e-9;
        }
    }
    bool has_schedstat = line.counters.run_s > 0 || line.counters.delay_s > 0;
    bool has_switches = false;
    if (read_quietly(watch, scratch, "/proc/%d/task/%d/status", pid, (int)tid))
        has_switches = status_number(whole(scratch), "voluntary_ctxt_switches:", &line.counters.voluntary) &&
                       status_number(whole(scratch), "nonvoluntary_ctxt_switches:", &line.counters.involuntary);
    struct watched_thread *thread = thread_of(watch, (uint32_t)pid, tid, &line, began_before);
    memcpy(thread->comm, line.comm, sizeof(thread->comm));
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
    if (!read_quietly(watch, scratch, "/proc/%d/status", (int)process->pid, 0))
        return;
    uint64_t kib = 0;
    struct view status = whole(scratch), line;
    if (status_number(status, "VmRSS:", &kib))
        process->resident_bytes = kib << 10;
    if (status_number(status, "VmHWM:", &kib) && kib << 10 > process->resident_most_bytes)
        process->resident_most_bytes = kib << 10;
    if (status_number(status, "VmSwap:", &kib))
        process->swapped_bytes = kib << 10;
    while (view_line(&status, &line))
        if (view_starts(line, "Cpus_allowed:"))
            watch->cpus_allowed = bits_set(view_trim(view_skip(line, strlen("Cpus_allowed:"))));
}

static void process_look_io(struct activity_watch *watch, struct watched_process *process, struct text *scratch)
{
    uint64_t read_bytes = 0, write_bytes = 0;
    if (!read_quietly(watch, scratch, "/proc/%d/io", (int)process->pid, 0) ||
        !status_number(whole(scratch), "read_bytes:", &read_bytes) ||
        !status_number(whole(scratch), "write_bytes:", &write_bytes))
        return;
    if (!process->has_io && process->began_before && !watch->started) {
        process->first_read_bytes = read_bytes;
        process->first_write_bytes = write_bytes;
    }
    process->has_io = true;
    process->read_bytes = read_bytes;
    process->write_bytes = write_bytes;
}

/* Returns how many threads it has; 0 when it has ended. */
static uint32_t process_look(struct activity_watch *watch, struct watched_process *process, struct text *scratch)
{
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
    }
    return count;
}

struct seen_process {
    pid_t pid, parent;
    uint64_t start_ticks;
    char comm[16];
    double cpu_s;
    bool is_ready, is_child; /* is_child: of the target, and none of it */
};

struct seen_processes {
    struct seen_process *items;
    size_t count, capacity;
};

static void child_note(struct activity_watch *watch, const struct seen_process *seen)
{
    vec_for_each(&watch->children, child)
        if (child->pid == (uint32_t)seen->pid && child->start_ticks == seen->start_ticks) {
            child->last_cpu_s = seen->cpu_s;
            memcpy(child->comm, seen->comm, sizeof(child->comm));
            return;
        }
    struct watched_child *child = vec_push(&watch->children);
    *child = (struct watched_child){.pid = (uint32_t)seen->pid, .parent = (uint32_t)seen->parent, .start_ticks = seen->start_ticks,
                                    .first_cpu_s = seen->cpu_s, .last_cpu_s = seen->cpu_s};
    memcpy(child->comm, seen->comm, sizeof(child->comm));
}

/* Who may do the work of a process that only waits: its children from before, and all of theirs. */
static void children_look(struct activity_watch *watch, struct seen_processes *all)
{
    for (bool grew = !watch->started; grew;) {
        grew = false;
        for (size_t at = 0; at < all->count; at++) {
            struct seen_process *item = &all->items[at];
            bool of_target = process_find(watch, item->parent) != NULL;
            for (size_t other = 0; other < watch->children.count && !of_target; other++)
                of_target = watch->children.items[other].pid == (uint32_t)item->parent;
            if (item->is_child || !of_target || item->pid == getpid() || process_find(watch, item->pid))
                continue;
            item->is_child = grew = true;
            child_note(watch, item);
        }
    }
}

/* Children of watched processes become watched; one pass over /proc finds a generation, so repeat while it grows. */
static void processes_discover(struct activity_watch *watch, struct text *scratch)
{
    struct seen_processes all = {0};
    scoped_dir DIR *proc = sysroot_opendir(watch->root, "/proc");
    struct dirent *entry;
    while (proc && (entry = readdir(proc))) {
        uint64_t pid;
        struct stat_line line = {0};
        if (!view_u64(view_of(entry->d_name), 10, &pid))
            continue;
        if (!read_quietly(watch, scratch, "/proc/%d/stat", (int)pid, 0) ||
            !stat_line_parse(whole(scratch), watch->tick_s, &line))
            continue;
        struct seen_process *item = vec_push(&all);
        item->pid = (pid_t)pid;
        item->parent = (pid_t)line.parent;
        item->start_ticks = line.start_ticks;
        item->is_ready = line.state == 'R';
        item->is_child = false;
        item->cpu_s = line.counters.user_s + line.counters.system_s;
        memcpy(item->comm, line.comm, sizeof(item->comm));
    }
    for (bool grew = true; grew;) {
        grew = false;
        vec_for_each(&all, item) {
            struct watched_process *parent = process_find(watch, item->parent);
            bool began_before = !watch->started && item->start_ticks < watch->began_ticks;
            if (parent && parent->alive && !began_before && !process_find(watch, item->pid)) {
                process_add(watch, item->pid, false);
                grew = true;
            }
        }
    }
    /* It may end before its threads are looked at. */
    vec_for_each(&all, item)
        watch->is_ready |= item->is_ready && process_find(watch, item->pid) != NULL;
    children_look(watch, &all);
    vec_done(&all);
}

/* What its threads don't tell any more once they have ended, the process does. */
static void process_look_counters(struct activity_watch *watch, struct watched_process *process, struct text *scratch)
{
    struct stat_line line = {0};
    if (!read_quietly(watch, scratch, "/proc/%d/stat", (int)process->pid, 0) ||
        !stat_line_parse(whole(scratch), watch->tick_s, &line))
        return;
    if (!process->has_counters && !watch->started &&
        (process->began_before || line.start_ticks < watch->began_ticks))
        process->first = line.counters;
    process->has_counters = true;
    process->last = line.counters;
}

static void machine_look_memory(struct activity_watch *watch, struct machine_counters *counters,
                                struct text *scratch)
{
    if (!read_quietly(watch, scratch, "/proc/vmstat", 0, 0))
        return;
    struct view all = whole(scratch);
    (void)!status_number(all, "thp_fault_alloc ", &counters->huge_faults);
    (void)!status_number(all, "thp_fault_fallback ", &counters->huge_fallbacks);
    counters->has_vmstat =
        status_number(all, "pswpin ", &counters->swap_ins) && status_number(all, "pswpout ", &counters->swap_outs);
}

static void cpus_look(struct activity_watch *watch, struct machine_counters *counters, struct text *scratch)
{
    if (!read_quietly(watch, scratch, "/proc/stat", 0, 0))
        return;
    counters->has_interrupts = status_number(whole(scratch), "intr ", &counters->interrupts);
    cpu_ticks_list *list = watch->look_count == 0 ? &watch->cpus_first : &watch->cpus_last;
    vec_reserve(list, CPUS_MOST);
    list->count = cpu_ticks_parse(whole(scratch), list->items, CPUS_MOST);
}

/* Of many CPUs and devices the file is long: it may take a two-hundredth of the time, and rates over less than that say little. */
static void interrupts_look(struct activity_watch *watch, struct text *scratch)
{
    static const double STEP_LEAST_S = 0.2, PAUSE_TIMES = 200;
    double start_s = clock_s(CLOCK_MONOTONIC);
    if (start_s < watch->interrupts_next_s || !read_quietly(watch, scratch, "/proc/interrupts", 0, 0))
        return;
    bool is_first = !watch->interrupts_first.count;
    cpu_interrupts_list *list = is_first ? &watch->interrupts_first : &watch->interrupts_last;
    vec_reserve(list, CPUS_MOST);
    list->count = cpu_interrupts_parse(whole(scratch), list->items, CPUS_MOST);
    *(is_first ? &watch->interrupts_first_s : &watch->interrupts_last_s) = start_s;
    double pause_s = (clock_s(CLOCK_MONOTONIC) - start_s) * PAUSE_TIMES;
    watch->interrupts_next_s = start_s + (pause_s > STEP_LEAST_S ? pause_s : STEP_LEAST_S);
}

static void machine_look(struct activity_watch *watch, struct text *scratch)
{
    struct machine_counters counters = {0};
    cpu_time_read(&counters.cpu, watch->root);
    machine_look_memory(watch, &counters, scratch);
    cpus_look(watch, &counters, scratch);
    interrupts_look(watch, scratch);
    if (watch->look_count == 0)
        watch->machine_first = counters;
    watch->machine_last = counters;
    if (!read_quietly(watch, scratch, "/proc/loadavg", 0, 0))
        return;
    struct view rest = whole(scratch);
    for (int skipped = 0; skipped < 3; skipped++)
        view_word(&rest);
    struct view running = view_word(&rest);
    uint64_t count;
    if (view_u64(view_cut(&running, '/'), 10, &count)) {
        watch->runnable_sum += (double)count - (count > 0); /* less ourselves, who read it */
        watch->runnable_count++;
    }
}

/* Who shares the limit: besides the target and plumb, which does next to nothing. Groups below it have lists of their own. */
static void members_look(struct activity_watch *watch, const struct cgroup_cpu *cgroup)
{
    char limited[sizeof(cgroup->folder) + sizeof(cgroup->quota_path.text)];
    snprintf(limited, sizeof(limited), "%s%s", cgroup->mount.text,
             strcmp(cgroup->quota_path.text, "/") == 0 ? "" : cgroup->quota_path.text);
    scoped_text struct text members = {0};
    struct error ignored;
    watch->has_members = cgroup->limited && cgroup->quota_path.known && strcmp(limited, cgroup->folder) == 0 &&
                         sysroot_read(watch->root, &members, &ignored, "%s/cgroup.procs", cgroup->folder);
    if (!watch->has_members)
        return;
    struct view rest = whole(&members), line;
    uint32_t others = 0;
    while (view_line(&rest, &line)) {
        uint64_t pid;
        if (view_u64(view_trim(line), 10, &pid) && (pid_t)pid != getpid() && !process_find(watch, (pid_t)pid))
            others++;
    }
    watch->others_most = others > watch->others_most ? others : watch->others_most;
}

/* A program may be put into a limited group only once it runs (a shell that does so and execs, systemd-run): that one counts from then on. */
static void cgroup_follow(struct activity_watch *watch)
{
    pid_t busiest;
    struct cgroup_cpu now;
    if (watch->cgroup_is_given || watch->cgroup_last.limited || !activity_processes(watch, &busiest, 1))
        return;
    cgroup_cpu_read(&now, watch->root, busiest);
    if (!now.path.known || !now.limited || (watch->has_cgroup && strcmp(now.path.text, watch->cgroup_first.path.text) == 0))
        return;
    watch->cgroup_first = watch->cgroup_last = now;
    watch->has_cgroup = true;
    watch->others_most = 0;
}

/* The group is kept by its path: at the last look the process may have ended. */
static void cgroup_look(struct activity_watch *watch)
{
    cgroup_follow(watch);
    if (!watch->has_cgroup)
        return;
    struct cgroup_cpu cgroup;
    cgroup_cpu_read_path(&cgroup, watch->root, watch->cgroup_first.path.text);
    if (!cgroup.version)
        return;
    watch->cgroup_last = cgroup;
    members_look(watch, &cgroup);
}

void activity_watch_add(struct activity_watch *watch, pid_t pid)
{
    process_add(watch, pid, false);
}

void activity_watch_held(struct activity_watch *watch, pid_t pid, double delay_s)
{
    struct watched_process *process = process_find(watch, pid);
    if (!process || !watch->started)
        return;
    process->held_delay_s = delay_s;
    vec_for_each(&watch->threads, thread)
        if (thread->pid == (uint32_t)pid && thread->tid == (uint32_t)pid)
            thread->first.delay_s = delay_s;
}

void activity_look(struct activity_watch *watch)
{
    scoped_text struct text scratch = {0};
    vec_for_each(&watch->threads, thread)
        thread->alive = false;
    watch->is_ready = false;
    watch->live_now = watch->stopped_now = watch->blocked_now = 0;
    if (watch->processes.count)
        processes_discover(watch, &scratch);
    uint32_t threads = 0;
    for (size_t at = 0; at < watch->processes.count; at++)
        if (watch->processes.items[at].alive) {
            process_look_counters(watch, &watch->processes.items[at], &scratch);
            threads += process_look(watch, &watch->processes.items[at], &scratch);
        }
    if (threads > watch->threads_at_once)
        watch->threads_at_once = threads;
    machine_look(watch, &scratch);
    cgroup_look(watch);
    watch->last_s = clock_s(CLOCK_MONOTONIC);
    /* The first look may find a program of ours that is still held before its exec. */
    watch->ready_looks += watch->look_count && watch->is_ready;
    watch->blocked_looks += watch->look_count && watch->blocked_now;
    watch->stopped_looks += watch->look_count && watch->live_now && watch->stopped_now == watch->live_now;
    watch->look_count++;
}

void activity_look_ended(struct activity_watch *watch, pid_t pid)
{
    scoped_text struct text scratch = {0};
    struct watched_process *process = process_find(watch, pid);
    if (!process)
        return;
    process_look_counters(watch, process, &scratch);
    (void)process_look(watch, process, &scratch);
}

struct activity_watch *activity_watch_new(const struct sysroot *root, const pid_t *pids, size_t count, bool started,
                                          const char *cgroup)
{
    struct activity_watch *watch = memory_alloc(sizeof(*watch));
    *watch = (struct activity_watch){.root = root, .started = started};
    long ticks = sysconf(_SC_CLK_TCK);
    watch->tick_s = ticks > 0 ? 1.0 / (double)ticks : 0.01;
    struct timespec since_boot;
    if (clock_gettime(CLOCK_BOOTTIME, &since_boot) == 0)
        watch->began_ticks =
            (uint64_t)(((double)since_boot.tv_sec + (double)since_boot.tv_nsec * 1e-9) / watch->tick_s);
    for (size_t at = 0; at < count; at++)
        process_add(watch, pids[at], true);
    if (cgroup)
        cgroup_cpu_read_path(&watch->cgroup_first, root, cgroup);
    else if (count)
        cgroup_cpu_read(&watch->cgroup_first, root, pids[0]);
    watch->has_cgroup = (cgroup || count) && watch->cgroup_first.path.known;
    watch->cgroup_last = watch->cgroup_first;
    watch->cgroup_is_given = cgroup != NULL;
    watch->began_s = clock_s(CLOCK_MONOTONIC);
    activity_look(watch);
    return watch;
}

void activity_watch_free(struct activity_watch *watch)
{
    if (!watch)
        return;
    vec_done(&watch->processes);
    vec_done(&watch->threads);
    vec_done(&watch->children);
    vec_done(&watch->interrupts_first);
    vec_done(&watch->interrupts_last);
    vec_done(&watch->cpus_first);
    vec_done(&watch->cpus_last);
    hashmap_done(&watch->thread_by_tid);
    free(watch);
}

static double thread_cpu_s(const struct watched_thread *thread)
{
    return thread->last.user_s + thread->last.system_s - thread->first.user_s - thread->first.system_s;
}

size_t activity_processes(const struct activity_watch *watch, pid_t *ret_pids, size_t most)
{
    size_t count = 0;
    vec(struct { pid_t pid; double cpu_s; }) order = {0};
    vec_for_each(&watch->processes, process) {
        if (!process->alive)
            continue;
        double cpu_s = 0;
        vec_for_each(&watch->threads, thread)
            cpu_s += thread->pid == (uint32_t)process->pid ? thread_cpu_s(thread) : 0;
        size_t at = order.count;
        (void)vec_push(&order);
        for (; at > 0 && order.items[at - 1].cpu_s < cpu_s; at--)
            order.items[at] = order.items[at - 1];
        order.items[at].pid = process->pid;
        order.items[at].cpu_s = cpu_s;
    }
    for (; count < most && count < order.count; count++)
        ret_pids[count] = order.items[count].pid;
    vec_done(&order);
    return count;
}

static struct measured difference(bool known, double later, double earlier, const char *why_not)
{
    return known ? measured_as(later > earlier ? later - earlier : 0) : not_measured(why_not);
}

static void result_threads(const struct activity_watch *watch, struct arena *arena, struct activity *result)
{
    size_t count = watch->threads.count;
    result->thread_count = (uint32_t)count;
    result->threads = arena_array(arena, struct activity_thread, count ? count : 1);
    for (size_t from = 0; from < count; from++) {
        const struct watched_thread *thread = &watch->threads.items[from];
        struct activity_thread entry = {
            .pid = thread->pid,
            .tid = thread->tid,
            .user_s = thread->last.user_s - thread->first.user_s,
            .system_s = thread->last.system_s - thread->first.system_s,
            .run_s = difference(thread->has_schedstat, thread->last.run_s, thread->first.run_s,
                                "schedstat can't be read"),
            .run_delay_s = difference(thread->has_schedstat, thread->last.delay_s, thread->first.delay_s,
                                      "schedstat can't be read"),
            .seen = thread->seen,
            .seen_running = thread->seen_running,
            .seen_sleeping = thread->seen_sleeping,
            .seen_disk = thread->seen_disk,
        };
        memcpy(entry.comm, thread->comm, sizeof(entry.comm));
        memcpy(entry.waits, thread->waits, sizeof(entry.waits));
        size_t at = from;
        for (; at > 0 && result->threads[at - 1].user_s + result->threads[at - 1].system_s <
                             entry.user_s + entry.system_s;
             at--)
            result->threads[at] = result->threads[at - 1];
        result->threads[at] = entry;
    }
}

static struct task_counters processes_sum(const struct activity_watch *watch)
{
    struct task_counters sum = {0};
    vec_for_each(&watch->processes, process) {
        sum.user_s += process->last.user_s - process->first.user_s;
        sum.system_s += process->last.system_s - process->first.system_s;
        sum.minor_faults += process->last.minor_faults - process->first.minor_faults;
        sum.major_faults += process->last.major_faults - process->first.major_faults;
    }
    return sum;
}

static void result_target(const struct activity_watch *watch, struct activity *result)
{
    double user_s = 0, system_s = 0, run_s = 0, delay_s = 0, block_s = 0;
    double minor = 0, major = 0, voluntary = 0, involuntary = 0;
    bool schedstat = false, switches = false, any = watch->threads.count > 0;
    vec_for_each(&watch->threads, thread) {
        const struct task_counters *first = &thread->first, *last = &thread->last;
        user_s += last->user_s - first->user_s;
        system_s += last->system_s - first->system_s;
        run_s += last->run_s - first->run_s;
        delay_s += last->delay_s - first->delay_s;
        block_s += last->block_delay_s - first->block_delay_s;
        minor += (double)(last->minor_faults - first->minor_faults);
        major += (double)(last->major_faults - first->major_faults);
        if (thread->has_switches) {
            voluntary += (double)last->voluntary - (double)first->voluntary;
            involuntary += (double)last->involuntary - (double)first->involuntary;
        }
        schedstat |= thread->has_schedstat;
        switches |= thread->has_switches;
    }
    struct task_counters whole = processes_sum(watch);
    user_s = whole.user_s > user_s ? whole.user_s : user_s;
    system_s = whole.system_s > system_s ? whole.system_s : system_s;
    minor = (double)whole.minor_faults > minor ? (double)whole.minor_faults : minor;
    major = (double)whole.major_faults > major ? (double)whole.major_faults : major;
    const char *nobody = "no process of the target was seen in /proc";
    result->user_s = difference(any, user_s, 0, nobody);
    result->system_s = difference(any, system_s, 0, nobody);
    result->minor_faults = difference(any, minor, 0, nobody);
    result->major_faults = difference(any, major, 0, nobody);
    result->run_delay_s = difference(schedstat, delay_s, 0, any ? "schedstat can't be read" : nobody);
    result->seen_run_s = difference(schedstat, run_s, 0, any ? "schedstat can't be read" : nobody);
    result->voluntary_switches = difference(switches, voluntary, 0, any ? "status can't be read" : nobody);
    result->involuntary_switches = difference(switches, involuntary, 0, any ? "status can't be read" : nobody);
    char accounting[8] = "";
    bool delays = sysroot_line(watch->root, accounting, sizeof(accounting), "/proc/sys/kernel/task_delayacct") &&
                  accounting[0] == '1';
    result->block_io_delay_s =
        difference(any && delays, block_s, 0, any ? "delay accounting is off (sysctl kernel.task_delayacct=1)" : nobody);
}

static void result_processes(const struct activity_watch *watch, struct activity *result)
{
    double read_bytes = 0, write_bytes = 0, resident = 0, swapped = 0;
    bool io = false;
    vec_for_each(&watch->processes, process) {
        read_bytes += (double)(process->read_bytes - process->first_read_bytes);
        write_bytes += (double)(process->write_bytes - process->first_write_bytes);
        resident += (double)process->resident_most_bytes;
        swapped += (double)process->swapped_bytes;
        io |= process->has_io;
    }
    result->process_count = (uint32_t)watch->processes.count;
    result->read_bytes = difference(io, read_bytes, 0, "/proc/PID/io can't be read");
    result->write_bytes = difference(io, write_bytes, 0, "/proc/PID/io can't be read");
    result->resident_most_bytes = difference(resident > 0, resident, 0, "/proc/PID/status can't be read");
    result->swapped_bytes = difference(resident > 0, swapped, 0, "/proc/PID/status can't be read");
    result->cpus_allowed = watch->cpus_allowed ? measured_as(watch->cpus_allowed)
                                               : not_measured("/proc/PID/status can't be read");
}

static double ticks_between(const struct fact_number *earlier, const struct fact_number *later)
{
    return earlier->known && later->known ? (double)(later->value - earlier->value) : 0;
}

static void result_cpu_ratios(const struct activity_watch *watch, struct activity *result)
{
    const struct cpu_time *a = &watch->machine_first.cpu, *b = &watch->machine_last.cpu;
    double iowait = ticks_between(&a->iowait, &b->iowait);
    double idle = ticks_between(&a->idle, &b->idle) + iowait;
    double steal = ticks_between(&a->steal, &b->steal);
    double interrupts = ticks_between(&a->irq, &b->irq) + ticks_between(&a->softirq, &b->softirq);
    double busy = ticks_between(&a->user, &b->user) + ticks_between(&a->nice, &b->nice) +
                  ticks_between(&a->system, &b->system) + interrupts;
    double total = idle + steal + busy;
    const char *why = a->idle.known ? "watched for less than a clock tick" : "/proc/stat can't be read";
    bool known = a->idle.known && b->idle.known && total > 0;
    result->busy_ratio = known ? measured_as(busy / total) : not_measured(why);
    result->steal_ratio = known && a->steal.known ? measured_as(steal / total)
                                                  : not_measured(known ? "the kernel doesn't count steal" : why);
    result->guest_ratio = known && a->guest.known ? measured_as(ticks_between(&a->guest, &b->guest) / total)
                                                  : not_measured(known ? "the kernel doesn't count guests' time" : why);
    result->iowait_ratio = known ? measured_as(iowait / total) : not_measured(why);
    result->interrupt_ratio = known ? measured_as(interrupts / total) : not_measured(why);
}

static const struct cpu_interrupts *interrupts_of(const cpu_interrupts_list *list, uint32_t cpu)
{
    for (size_t at = 0; at < list->count; at++)
        if (list->items[at].cpu == cpu)
            return &list->items[at];
    return NULL;
}

static void result_interrupts(const struct activity_watch *watch, struct activity_cpu *cpu)
{
    const struct cpu_interrupts *from = interrupts_of(&watch->interrupts_first, cpu->cpu);
    const struct cpu_interrupts *to = interrupts_of(&watch->interrupts_last, cpu->cpu);
    double span_s = watch->interrupts_last_s - watch->interrupts_first_s;
    cpu->timer_per_s = cpu->others_per_s = -1;
    if (!from || !to || span_s <= 0 || to->timer < from->timer || to->ipi < from->ipi || to->other < from->other)
        return;
    cpu->timer_per_s = (double)(to->timer - from->timer) / span_s;
    cpu->others_per_s = ((double)(to->ipi - from->ipi) + (double)(to->other - from->other)) / span_s;
}

/* CPUs that were online all the time: both lists are in the order of their numbers. */
static void result_cpus(const struct activity_watch *watch, struct arena *arena, struct activity *result)
{
    const double tick_s = 1.0 / CPU_TIME_TICKS_PER_SECOND;
    result->cpus = arena_array(arena, struct activity_cpu, watch->cpus_last.count + 1);
    size_t first = 0;
    vec_for_each(&watch->cpus_last, last) {
        while (first < watch->cpus_first.count && watch->cpus_first.items[first].cpu < last->cpu)
            first++;
        const struct cpu_ticks *from = first < watch->cpus_first.count ? &watch->cpus_first.items[first] : NULL;
        if (!from || from->cpu != last->cpu || last->busy < from->busy || last->steal < from->steal)
            continue;
        struct activity_cpu *cpu = &result->cpus[result->cpu_count++];
        *cpu = (struct activity_cpu){.cpu = last->cpu, .busy_s = (double)(last->busy - from->busy) * tick_s,
                                     .steal_s = (double)(last->steal - from->steal) * tick_s};
        result_interrupts(watch, cpu);
    }
}

static void result_machine(const struct activity_watch *watch, struct activity *result)
{
    result_cpu_ratios(watch, result);
    const struct machine_counters *a = &watch->machine_first, *b = &watch->machine_last;
    const char *why;
    bool memory = a->has_vmstat && b->has_vmstat;
    why = "/proc/vmstat can't be read";
    result->huge_faults = difference(memory, (double)b->huge_faults, (double)a->huge_faults, why);
    result->huge_fault_fallbacks = difference(memory, (double)b->huge_fallbacks, (double)a->huge_fallbacks, why);
    result->swap_ins = difference(memory, (double)b->swap_ins, (double)a->swap_ins, why);
    result->swap_outs = difference(memory, (double)b->swap_outs, (double)a->swap_outs, why);
    result->interrupts = difference(a->has_interrupts && b->has_interrupts, (double)b->interrupts, (double)a->interrupts,
                                    "/proc/stat doesn't count interrupts");
    result->runnable_mean = watch->runnable_count
                                ? measured_as(watch->runnable_sum / watch->runnable_count)
                                : not_measured("/proc/loadavg can't be read");
    char line[256];
    int *cpus = NULL;
    size_t count = 0;
    if (sysroot_line(watch->root, line, sizeof(line), "/sys/devices/system/cpu/online") &&
        cpu_list_parse(view_of(line), &cpus, &count) && count)
        result->cpus_online = measured_as((double)count);
    else
        result->cpus_online = not_measured("/sys/devices/system/cpu/online can't be read");
    free(cpus);
}

static struct measured fact_growth(const struct fact_number *earlier, const struct fact_number *later, double unit,
                                   const char *why)
{
    if (!earlier->known || !later->known)
        return not_measured(why);
    return measured_as((double)(later->value - earlier->value) * unit);
}

static void result_cgroup(const struct activity_watch *watch, struct activity *result)
{
    const struct cgroup_cpu *a = &watch->cgroup_first, *b = &watch->cgroup_last;
    const char *why = !watch->has_cgroup ? "its cgroup isn't known" : "its cgroup doesn't count throttling";
    if (watch->has_cgroup)
        snprintf(result->cgroup, sizeof(result->cgroup), "%s", a->path.text);
    result->cgroup_version = watch->has_cgroup ? a->version : 0;
    result->quota_cpus = !watch->has_cgroup ? not_measured(why)
                         : b->limited       ? measured_as(b->quota_cpus)
                                            : not_measured("no limit is set");
    result->throttled_s = fact_growth(&a->throttled_us, &b->throttled_us, 1e-6, why);
    result->periods = fact_growth(&a->periods, &b->periods, 1, why);
    result->group_usage_s = fact_growth(&a->usage_us, &b->usage_us, 1e-6, why);
    result->group_others = watch->has_members ? measured_as(watch->others_most)
                                              : not_measured("the processes of the limited group aren't known");
    result->period_s = b->period_us.known ? measured_as((double)b->period_us.value * 1e-6)
                                          : not_measured(watch->has_cgroup ? "no limit is set" : why);
    result->throttled_periods = fact_growth(&a->throttled_periods, &b->throttled_periods, 1, why);
}

static void result_children(const struct activity_watch *watch, struct activity *result)
{
    vec_for_each(&watch->children, child) {
        struct activity_child entry = {.pid = child->pid, .parent = child->parent, .cpu_s = child->last_cpu_s - child->first_cpu_s};
        memcpy(entry.comm, child->comm, sizeof(entry.comm));
        size_t at = result->child_count < ACTIVITY_CHILDREN_MOST ? result->child_count++ : ACTIVITY_CHILDREN_MOST;
        for (; at > 0 && result->children[at - 1].cpu_s < entry.cpu_s; at--)
            if (at < ACTIVITY_CHILDREN_MOST)
                result->children[at] = result->children[at - 1];
        if (at < ACTIVITY_CHILDREN_MOST)
            result->children[at] = entry;
    }
}

void activity_result(const struct activity_watch *watch, struct arena *arena, struct activity *ret_activity)
{
    struct activity result = {
        .elapsed_s = measured_as(watch->last_s - watch->began_s),
        .threads_at_once = watch->threads_at_once,
        .look_count = watch->look_count,
    };
    uint32_t looks = watch->look_count > 1 ? watch->look_count - 1 : 0;
    result.ready_ratio = looks && watch->threads.count ? measured_as((double)watch->ready_looks / looks)
                                                       : not_measured("it was not looked at while it ran");
    result.stopped_ratio = looks && watch->threads.count ? measured_as((double)watch->stopped_looks / looks) : result.ready_ratio;
    result.blocked_ratio = looks && watch->threads.count ? measured_as((double)watch->blocked_looks / looks) : result.ready_ratio;
    result_children(watch, &result);
    result_threads(watch, arena, &result);
    result_target(watch, &result);
    result_processes(watch, &result);
    result_machine(watch, &result);
    result_cpus(watch, arena, &result);
    result_cgroup(watch, &result);
    *ret_activity = result;
}

static void raise_to(struct measured *seen, double total)
{
    if (!seen->known || seen->value < total)
        *seen = measured_as(total);
}

void activity_raise(struct activity *activity, const struct activity_totals *totals)
{
    raise_to(&activity->minor_faults, totals->minor_faults);
    raise_to(&activity->major_faults, totals->major_faults);
    raise_to(&activity->voluntary_switches, totals->voluntary_switches);
    raise_to(&activity->involuntary_switches, totals->involuntary_switches);
}
