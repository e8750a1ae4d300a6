/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/live/target.h"

#include "base/scope.h"
#include "base/vec.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct thread_list {
    struct target_thread *items;
    size_t count, capacity;
};

static void thread_add(struct thread_list *threads, const struct sysroot *root, pid_t pid, pid_t tid)
{
    struct target_thread *thread = vec_push(threads);
    *thread = (struct target_thread){.pid = pid, .tid = tid};
    if (!sysroot_line(root, thread->comm, sizeof(thread->comm), "/proc/%d/task/%d/comm", (int)pid, (int)tid))
        thread->comm[0] = '\0';
}

static bool number_parse(struct view word, const char *what, pid_t *ret_id, struct error *err)
{
    uint64_t id;
    bool is_number = view_u64(view_trim(word), 10, &id);
    if (is_number && (id == 0 || id > INT32_MAX)) /* no name, either */
        return error_set(err, ERROR_USAGE, "'%.*s' is no %s", (int)word.length, word.text, what) ||
               error_hint(err, "a %s is a number from 1 on: pgrep -l NAME lists those of a name", what);
    if (!is_number)
        return error_set(err, ERROR_USAGE, "'%.*s' is no %s", (int)word.length, word.text, what) ||
               error_hint(err, "processes by name: -p $(pidof %.*s | tr ' ' ',')", (int)word.length, word.text);
    *ret_id = (pid_t)id;
    return true;
}

static int compare_thread(const void *a, const void *b)
{
    const struct target_thread *left = a, *right = b;
    return (left->tid > right->tid) - (left->tid < right->tid);
}

/* An empty or hidden /proc says nothing about who runs. */
static bool absent(const struct sysroot *root, const char *what, pid_t id, struct error *err)
{
    if (sysroot_exists(root, "/proc/self/stat") || !sysroot_is_live(root))
        return error_set(err, ERROR_NOT_FOUND, "no %s %d", what, (int)id);
    error_set(err, ERROR_UNSUPPORTED, "%s %d can't be looked for: /proc isn't mounted here", what, (int)id);
    return error_hint(err, "mount -t proc proc /proc");
}

static bool process_add(struct thread_list *threads, const struct sysroot *root, pid_t pid, struct error *err)
{
    scoped_dir DIR *tasks = sysroot_opendir(root, "/proc/%d/task", (int)pid);
    size_t first = threads->count;
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
        uint64_t tid;
        if (view_u64(view_of(entry->d_name), 10, &tid) && tid <= INT32_MAX)
            thread_add(threads, root, pid, (pid_t)tid);
    }
    if (threads->count == first)
        return absent(root, "process", pid, err);
    qsort(threads->items + first, threads->count - first, sizeof(*threads->items), compare_thread);
    return true;
}

/* The process of a thread: /proc/TID answers for any thread, its Tgid line names the process. */
static pid_t process_of(const struct sysroot *root, pid_t tid)
{
    scoped_text struct text status = {0};
    if (!sysroot_read(root, &status, NULL, "/proc/%d/status", (int)tid))
        return 0;
    struct view rest = text_view(&status), line;
    while (view_line(&rest, &line)) {
        uint64_t pid;
        if (view_starts(line, "Tgid:") && view_u64(view_trim(view_skip(line, 5)), 10, &pid))
            return (pid_t)pid;
    }
    return 0;
}

static bool thread_listed(const struct thread_list *threads, pid_t id, bool as_process)
{
    for (size_t at = 0; at < threads->count; at++)
        if ((as_process ? threads->items[at].pid : threads->items[at].tid) == id)
            return true;
    return false;
}

static bool list_resolve(struct thread_list *threads, const char *list, bool whole_processes, bool may_be_gone,
                         const struct sysroot *root, struct error *err)
{
    struct view rest = view_of(list);
    struct error gone;
    if (!rest.length)
        return error_set(err, ERROR_USAGE, "an empty list of %s", whole_processes ? "processes" : "threads");
    while (rest.length) {
        pid_t id = 0, pid;
        if (!number_parse(view_item(&rest), whole_processes ? "process id" : "thread id", &id, err))
            return false;
        if (thread_listed(threads, id, whole_processes))
            continue; /* named twice, measured once */
        if (whole_processes) {
            if (!process_add(threads, root, id, may_be_gone ? &gone : err) && !may_be_gone)
                return false;
        } else {
            pid = process_of(root, id);
            if (!pid)
                return absent(root, "thread", id, err);
            thread_add(threads, root, pid, id);
        }
    }
    return threads->count > 0 || error_set(err, ERROR_NOT_FOUND, "none of the processes %s is there any more", list);
}

/* Threads come and go meanwhile: whoever has gone is left out. */
static bool every_thread_add(struct thread_list *threads, const struct sysroot *root, struct error *err)
{
    scoped_dir DIR *processes = sysroot_opendir(root, "/proc");
    if (!processes)
        return error_system(err, errno, "can't list the processes");
    for (struct dirent *entry; (entry = readdir(processes));) {
        uint64_t pid;
        struct error gone;
        if (view_u64(view_of(entry->d_name), 10, &pid) && pid <= INT32_MAX &&
            !process_add(threads, root, (pid_t)pid, &gone))
            continue;
    }
    return threads->count > 0 || error_set(err, ERROR_NOT_FOUND, "/proc lists no processes");
}

/* The number of a user of this machine's own list. */
static bool user_find(const struct sysroot *root, const char *name, uint64_t *ret_user)
{
    scoped_text struct text users = {0};
    if (!sysroot_read(root, &users, NULL, "/etc/passwd"))
        return false;
    struct view rest = text_view(&users), line;
    while (view_line(&rest, &line)) {
        struct view login = view_cut(&line, ':');
        view_cut(&line, ':');
        if (view_equal(login, name))
            return view_u64(view_cut(&line, ':'), 10, ret_user);
    }
    return false;
}

/* The effective user of a process. */
static bool user_of(const struct sysroot *root, pid_t pid, uint64_t *ret_user)
{
    scoped_text struct text status = {0};
    if (!sysroot_read(root, &status, NULL, "/proc/%d/status", (int)pid))
        return false;
    struct view rest = text_view(&status), line;
    while (view_line(&rest, &line)) {
        if (!view_starts(line, "Uid:"))
            continue;
        view_word(&line), view_word(&line);
        return view_u64(view_word(&line), 10, ret_user);
    }
    return false;
}

static bool user_resolve(struct thread_list *threads, const char *name, const struct sysroot *root, struct error *err)
{
    uint64_t user, pid, of_process;
    struct error gone;
    if (!view_u64(view_of(name), 10, &user) && !user_find(root, name, &user)) {
        error_set(err, ERROR_USAGE, "no user '%s' in /etc/passwd", name);
        return error_hint(err, "users known elsewhere are named by number: id -u %s", name);
    }
    scoped_dir DIR *processes = sysroot_opendir(root, "/proc");
    for (struct dirent *entry; processes && (entry = readdir(processes));)
        if (view_u64(view_of(entry->d_name), 10, &pid) && pid <= INT32_MAX && (pid_t)pid != getpid() &&
            user_of(root, (pid_t)pid, &of_process) && of_process == user)
            (void)!process_add(threads, root, (pid_t)pid, &gone);
    return threads->count > 0 || error_set(err, ERROR_NOT_FOUND, "user '%s' runs no processes", name);
}

static bool threads_resolve(struct target *target, const struct target_request *request, const struct sysroot *root,
                            struct arena *arena, struct error *err)
{
    struct thread_list threads = {0};
    bool whole = request->processes || request->user;
    bool good = request->every_thread ? every_thread_add(&threads, root, err)
                : request->user       ? user_resolve(&threads, request->user, root, err)
                                      : list_resolve(&threads, whole ? request->processes : request->threads, whole,
                                                     request->may_be_gone, root, err);
    if (good) {
        target->kind = whole ? TARGET_PROCESSES : TARGET_THREADS;
        target->threads = arena_copy(arena, threads.items, threads.count * sizeof(*threads.items));
        target->thread_count = threads.count;
    }
    vec_done(&threads);
    return good;
}

static int compare_cpu(const void *a, const void *b)
{
    int left = *(const int *)a, right = *(const int *)b;
    return (left > right) - (left < right);
}

static bool cpus_resolve(struct target *target, const char *asked, const struct sysroot *root, struct arena *arena,
                         struct error *err)
{
    scoped_free int *online = NULL, *cpus = NULL;
    size_t online_count = 0, count = 0;
    if (!sysroot_online_cpus(root, &online, &online_count, err) && !asked)
        return false;
    if (asked && (!cpu_list_parse(view_of(asked), &cpus, &count) || !count))
        return error_set(err, ERROR_USAGE, "'%s' is no list of CPUs such as 0-3,8", asked);
    char line[400];
    bool shown = sysroot_line(root, line, sizeof(line), "/sys/devices/system/cpu/online");
    for (size_t at = 0; shown && at < count; at++)
        if (!bsearch(&cpus[at], online, online_count, sizeof(int), compare_cpu)) {
            error_set(err, ERROR_USAGE, "CPU %d is not online", cpus[at]);
            return error_hint(err, "online are %s", line);
        }
    target->cpu_count = asked ? count : online_count;
    target->cpus = arena_copy(arena, asked ? cpus : online, target->cpu_count * sizeof(int));
    return true;
}

bool cgroup_mount_find(const struct sysroot *root, char *path, size_t size)
{
    scoped_text struct text mounts = {0};
    if (!sysroot_read(root, &mounts, NULL, "/proc/self/mounts"))
        return false;
    struct view rest = text_view(&mounts), line;
    bool found = false;
    while (view_line(&rest, &line)) {
        view_word(&line);
        struct view place = view_word(&line), type = view_word(&line), options = view_word(&line);
        bool first_version = false;
        while (options.length)
            first_version |= view_equal(view_cut(&options, ','), "perf_event");
        first_version &= view_equal(type, "cgroup");
        if (!first_version && (found || !view_equal(type, "cgroup2")))
            continue;
        snprintf(path, size, "%.*s", (int)place.length, place.text);
        found = true;
        if (first_version)
            return true; /* while it is mounted, perf_event lives there and not in version 2 */
    }
    return found;
}

bool cgroup_open(const struct sysroot *root, const char *cgroup, int *ret_fd, struct error *err)
{
    char mount[PATH_MAX];
    if (!cgroup_mount_find(root, mount, sizeof(mount))) {
        error_set(err, ERROR_UNSUPPORTED, "no cgroup file system with perf_event is mounted");
        return error_hint(err, "mount -t cgroup2 none /sys/fs/cgroup");
    }
    size_t length = strlen(mount);
    bool absolute = strncmp(cgroup, mount, length) == 0 && (cgroup[length] == '/' || cgroup[length] == '\0');
    int fd = absolute ? sysroot_open(root, "%s", cgroup)
                      : sysroot_open(root, "%s%s%s", mount, cgroup[0] == '/' ? "" : "/", cgroup);
    if (fd < 0) {
        error_system(err, errno, "no cgroup '%s' below %s", cgroup, mount);
        return error_hint(
            err, "/proc/PID/cgroup names a process's cgroup, in the line of that hierarchy; one of another hierarchy "
                 "can't be sampled: -p with its processes can (its cgroup.procs)");
    }
    *ret_fd = fd;
    return true;
}

static bool exclusive_check(const struct target_request *request, struct error *err)
{
    const char *names[5];
    size_t count = 0;
    if (request->processes)
        names[count++] = "processes (-p)";
    if (request->threads)
        names[count++] = "threads (-t)";
    if (request->user)
        names[count++] = "a user (-u)";
    if (request->cgroup)
        names[count++] = "a cgroup";
    if (count < 2 && !(request->cgroup) && (request->all_cpus || request->cpus || request->every_thread))
        names[count++] = request->cpus ? "CPUs (-C)" : "all CPUs (-a)";
    return count < 2 || error_set(err, ERROR_USAGE, "%s and %s exclude each other", names[0], names[1]);
}

bool target_resolve(struct target *target, const struct target_request *request, const struct sysroot *root,
                    struct arena *arena, struct error *err)
{
    *target = (struct target){.cgroup_fd = -1};
    if (!exclusive_check(request, err))
        return false;
    if (request->processes || request->threads || request->user || request->every_thread)
        return threads_resolve(target, request, root, arena, err);
    if (!request->cgroup && !request->cpus && !request->all_cpus)
        return true; /* TARGET_WORKLOAD, its thread is still to come */
    if (!cpus_resolve(target, request->cpus, root, arena, err))
        return false;
    target->kind = TARGET_CPUS;
    target->system_wide = !request->cpus;
    if (request->cgroup) {
        target->kind = TARGET_CGROUP;
        target->cgroup_path = arena_string(arena, request->cgroup);
        return cgroup_open(root, request->cgroup, &target->cgroup_fd, err);
    }
    return true;
}

void target_of_workload(struct target *target, pid_t pid, struct arena *arena)
{
    *target = (struct target){.kind = TARGET_WORKLOAD, .thread_count = 1, .cgroup_fd = -1};
    target->threads = arena_new(arena, struct target_thread);
    target->threads[0] = (struct target_thread){.pid = pid, .tid = pid};
}

bool target_stopped_next(const struct target *target, const struct sysroot *root, size_t *from, char *name, size_t size)
{
    bool attached = target->kind == TARGET_PROCESSES || target->kind == TARGET_THREADS;
    while (attached && *from < target->thread_count) {
        const struct target_thread *thread = &target->threads[(*from)++];
        bool same = *from > 1 && thread[-1].pid == thread->pid;
        char line[400];
        if (same ||
            !sysroot_line(root, line, sizeof(line), "/proc/%d/task/%d/stat", (int)thread->pid, (int)thread->tid))
            continue;
        const char *state = strrchr(line, ')'); /* a name may hold anything, parentheses too */
        if (!state || strncmp(state, ") ", 2) != 0 || !(state[2] == 'T' || state[2] == 't'))
            continue;
        snprintf(name, size, "%d ('%s')", (int)thread->pid, thread->comm);
        return true;
    }
    return false;
}

void target_done(struct target *target)
{
    scope_close(&target->cgroup_fd);
    target->cgroup_fd = -1;
}

bool cpus_pin(const char *list, const struct sysroot *root, struct error *err)
{
    struct target target = {.cgroup_fd = -1};
    struct target_request request = {.cpus = list};
    struct arena arena;
    cpu_set_t set;
    arena_init(&arena);
    CPU_ZERO(&set);
    bool resolved = target_resolve(&target, &request, root, &arena, err);
    for (size_t at = 0; resolved && at < target.cpu_count; at++)
        CPU_SET((size_t)target.cpus[at], &set);
    arena_done(&arena);
    return resolved && (sched_setaffinity(0, sizeof(set), &set) == 0 ||
                        error_system(err, errno, "can't run on the CPUs '%s'", list));
}
