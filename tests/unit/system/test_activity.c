/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose time counts, and what remains unseen: a /proc made up for the purpose. */
#include "made_folder.h"
#include "test.h"

#include "base/vec.h"
#include "system/activity/activity.h"
#include "system/host/cpu_time.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

struct place {
    char folder[64];
    struct sysroot root;
    double now_s; /* since boot */
};

struct made_process {
    int pid, parent;
    char state;
    double cpu_s, delay_s, began_ago_s; /* began: less than any machine that runs this has been up for */
    int session;
};

static void process_put(const struct place *place, const struct made_process *process)
{
    char path[64], stat[256];
    double hz = (double)sysconf(_SC_CLK_TCK);
    snprintf(stat, sizeof(stat), "%d (made) %c %d 0 %d 0 0 0 3 0 2 0 %.0f 0 0 0 20 0 1 0 %.0f 0 0\n", process->pid,
             process->state, process->parent, process->session, process->cpu_s * hz,
             (place->now_s - process->began_ago_s) * hz);
    snprintf(path, sizeof(path), "/proc/%d/stat", process->pid);
    made_folder_put(place->folder, path, "%s", stat);
    snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", process->pid, process->pid);
    made_folder_put(place->folder, path, "%s", stat);
    snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", process->pid, process->pid);
    made_folder_put(place->folder, path, "%.0f %.0f 1\n", process->cpu_s * 1e9, process->delay_s * 1e9);
}

static void place_init(struct place *place)
{
    snprintf(place->folder, sizeof(place->folder), "/tmp/plumb-activity-XXXXXX");
    cr_assert(mkdtemp(place->folder));
    sysroot_init(&place->root, place->folder);
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    place->now_s = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void place_done(struct place *place)
{
    made_folder_remove(place->folder);
}

static void file_put(const struct place *place, int descriptor, const char *path, unsigned flags, unsigned position)
{
    char name[128], info[64];
    snprintf(info, sizeof(info), "/proc/70/fdinfo/%d", descriptor);
    made_folder_put(place->folder, info, "pos:\t%u\nflags:\t0%o\nmnt_id:\t29\n", position, flags);
    snprintf(info, sizeof(info), "/proc/70/fd/none");
    made_folder_put(place->folder, info, "%s", "");
    snprintf(name, sizeof(name), "%s/proc/70/fd/%d", place->folder, descriptor);
    unlink(name);
    cr_assert_eq(symlink(path, name), 0);
}

/* What grows is what was written since the first look, to files alone; going back to the beginning takes nothing away. */
Test(activity, files_are_told_by_how_their_positions_go_on)
{
    struct place place;
    struct arena arena;
    struct activity activity, read = {0};
    place_init(&place);
    arena_init(&arena);
    process_put(&place, &(struct made_process){70, 1, 'R', 7, 0, 2});
    file_put(&place, 1, "/var/log/a.log", 02001, 1000);
    file_put(&place, 2, "/var/log/b.log", 01, 5000);
    file_put(&place, 3, "/usr/share/input", 0, 0);
    file_put(&place, 4, "socket:[123]", 02, 0);
    file_put(&place, 5, "/dev/pts/1", 02, 0);
    const pid_t pid = 70;
    struct activity_watch *watch = activity_watch_new(&place.root, &pid, 1, false, NULL);
    file_put(&place, 1, "/var/log/a.log", 02001, 4000);
    file_put(&place, 2, "/var/log/b.log", 01, 0);
    file_put(&place, 3, "/usr/share/input", 0, 90000);
    file_put(&place, 4, "socket:[123]", 02, 9000);
    file_put(&place, 5, "/dev/pts/1", 02, 9000);
    activity_look(watch);
    file_put(&place, 2, "/var/log/b.log", 01, 200);
    activity_look(watch);
    for (unsigned turn = 0; turn < 6; turn++) { /* a database goes to and fro in what it has */
        file_put(&place, 1, "/var/log/a.log", 02001, turn % 2 ? 4000 : 2000);
        activity_look(watch);
    }
    activity_result(watch, &arena, &activity);
    scoped_text struct text json = {0};
    struct json_document *document = NULL;
    struct error err = {0};
    activity_write(&activity, &json);
    cr_assert(json_document_parse(&document, text_view(&json), &err) && activity_read(&read, json_root(document), &arena, &err), "%s", err.message);
    const struct activity *both[] = {&activity, &read};
    for (size_t at = 0; at < array_count(both); at++) {
        cr_assert_eq(both[at]->file_count, 2, "%u", both[at]->file_count);
        cr_expect_str_eq(both[at]->files[0].path, "/var/log/a.log");
        cr_expect_eq(both[at]->files[0].bytes, 3000);
        cr_expect_str_eq(both[at]->files[1].path, "/var/log/b.log");
        cr_expect_eq(both[at]->files[1].bytes, 200);
    }
    json_document_free(document);
    activity_watch_free(watch);
    arena_done(&arena);
    place_done(&place);
}

/* Everything descends from process 1, and nothing of that is its own. */
Test(activity, children_that_were_there_before_are_not_the_target)
{
    struct place place;
    struct arena arena;
    struct activity activity;
    place_init(&place);
    arena_init(&arena);
    process_put(&place, &(struct made_process){1, 0, 'S', 5, 0, 3});
    process_put(&place, &(struct made_process){70, 1, 'R', 7, 0, 2});
    const pid_t pid = 1;
    struct activity_watch *watch = activity_watch_new(&place.root, &pid, 1, false, NULL);
    process_put(&place, &(struct made_process){1, 0, 'S', 5.01, 0.5, 3});
    process_put(&place, &(struct made_process){70, 1, 'R', 9, 0, 2});
    process_put(&place, &(struct made_process){71, 1, 'S', 0.25, 0, -1});
    activity_look(watch);
    activity_result(watch, &arena, &activity);
    cr_expect_eq(activity.process_count, 2, "%u", activity.process_count);
    cr_expect_float_eq(activity.user_s.value, 0.26, 0.005, "%g", activity.user_s.value);
    cr_expect_float_eq(activity.run_delay_s.value, 0.5, 1e-6, "%g", activity.run_delay_s.value);
    cr_expect_float_eq(activity.ready_ratio.value, 0, 1e-9, "only what isn't its own was ready");
    cr_expect_eq(activity.child_count, 1);
    cr_expect_eq(activity.children[0].pid, 70);
    cr_expect_float_eq(activity.children[0].cpu_s, 2, 0.011, "but it is told how much it did: %g", activity.children[0].cpu_s);
    activity_watch_free(watch);
    arena_done(&arena);
    place_done(&place);
}

/* Process 1 is given what others left behind, whenever that began; so is the first of a container, whatever its number here. */
Test(activity, orphans_are_nobodys_children)
{
    struct place place;
    struct arena arena;
    struct activity activity;
    place_init(&place);
    arena_init(&arena);
    process_put(&place, &(struct made_process){40, 1, 'S', 1, 0, 3, .session = 40});
    made_folder_put(place.folder, "/proc/40/status", "Name:\tmade\nNSpid:\t40\t1\n");
    process_put(&place, &(struct made_process){60, 1, 'S', 1, 0, 3, .session = 60});
    const pid_t pid = 40;
    struct activity_watch *watch = activity_watch_new(&place.root, &pid, 1, false, NULL);
    process_put(&place, &(struct made_process){71, 40, 'R', 0.25, 0, -1, .session = 40}); /* its own child */
    process_put(&place, &(struct made_process){72, 60, 'R', 1, 0, -1, .session = 40});    /* another's, as yet */
    process_put(&place, &(struct made_process){73, 40, 'R', 2, 0, -1, .session = 60});    /* left behind before it was seen */
    activity_look(watch);
    process_put(&place, &(struct made_process){72, 40, 'R', 4, 0, -1, .session = 40});
    activity_look(watch);
    activity_result(watch, &arena, &activity);
    cr_expect_eq(activity.process_count, 2, "%u", activity.process_count);
    cr_expect_float_eq(activity.user_s.value, 0.25, 0.005, "%g", activity.user_s.value);
    activity_watch_free(watch);
    arena_done(&arena);
    place_done(&place);
}

/* A thread begins with the CPUs of who started it, and a probe may hold it for a look: what most looks found counts. */
Test(activity, where_a_thread_may_run_is_what_most_looks_found)
{
    static const char *const found[] = {"0-3", "2", "2", "0-3", "2"};
    struct place place;
    struct arena arena;
    struct activity activity, again;
    struct json_document *document = NULL;
    struct error err = {0};
    struct text out = {0};
    struct activity_watch *watch = NULL;
    place_init(&place);
    arena_init(&arena);
    process_put(&place, &(struct made_process){60, 1, 'R', 1, 0, 3});
    for (size_t look = 0; look < array_count(found); look++) {
        const pid_t pid = 60;
        made_folder_put(place.folder, "/proc/60/task/60/status", "Name:\tmade\nCpus_allowed_list:\t%s\nMems_allowed_list:\t0\n", found[look]);
        if (look)
            activity_look(watch);
        else
            watch = activity_watch_new(&place.root, &pid, 1, false, NULL);
    }
    activity_result(watch, &arena, &activity);
    cr_assert_eq(activity.thread_count, 1);
    cr_expect_str_eq(activity.threads[0].cpus, "2");
    activity_write(&activity, &out);
    cr_assert(json_document_parse(&document, text_view(&out), &err), "%s", err.message);
    cr_assert(activity_read(&again, json_root(document), &arena, &err), "%s", err.message);
    cr_expect_str_eq(again.threads[0].cpus, "2");
    json_document_free(document);
    text_done(&out);
    activity_watch_free(watch);
    arena_done(&arena);
    place_done(&place);
}

/* Stopped by a signal: neither running, nor ready, nor waiting for anything. Its children's children are told of, too. */
Test(activity, stopped_is_a_state_of_its_own)
{
    struct place place;
    struct arena arena;
    struct activity activity, again;
    struct json_document *document = NULL;
    struct error err = {0};
    struct text out = {0};
    place_init(&place);
    arena_init(&arena);
    for (int look = 0; look < 3; look++) {
        static struct activity_watch *watch;
        const pid_t pid = 90;
        process_put(&place, &(struct made_process){90, 1, look ? 'T' : 'S', 1, 0, 3});
        process_put(&place, &(struct made_process){91, 90, 'S', 1, 0, 2});
        process_put(&place, &(struct made_process){92, 91, 'R', look, 0, 1});
        if (!look) {
            watch = activity_watch_new(&place.root, &pid, 1, false, NULL);
            continue;
        }
        activity_look(watch);
        activity_result(watch, &arena, &activity);
        cr_expect_float_eq(activity.stopped_ratio.value, 1, 1e-9);
        if (look == 2)
            activity_watch_free(watch);
    }
    cr_expect_eq(activity.child_count, 2);
    cr_expect(activity.children[0].pid == 92 && activity.children[0].parent == 91);
    activity.cgroup_version = 1;
    activity_write(&activity, &out);
    cr_assert(json_document_parse(&document, text_view(&out), &err), "%s", err.message);
    cr_assert(activity_read(&again, json_root(document), &arena, &err), "%s", err.message);
    cr_expect(again.child_count == 2 && again.children[0].pid == 92 && again.stopped_ratio.value == 1);
    cr_expect(again.cgroup_version == 1 && again.blocked_ratio.known && again.blocked_ratio.value == 0);
    cr_expect_str_eq(again.children[0].comm, "made");
    json_document_free(document);
    text_done(&out);
    arena_done(&arena);
    place_done(&place);
}

Test(activity, a_started_program_has_all_its_descendants)
{
    struct place place;
    struct arena arena;
    struct activity activity;
    place_init(&place);
    arena_init(&arena);
    process_put(&place, &(struct made_process){80, 1, 'S', 0, 0, 0.5});
    process_put(&place, &(struct made_process){81, 80, 'R', 0.1, 0, 0.4});
    const pid_t pid = 80;
    struct activity_watch *watch = activity_watch_new(&place.root, &pid, 1, true, NULL);
    process_put(&place, &(struct made_process){81, 80, 'R', 0.2, 0.3, 0.4});
    activity_look(watch);
    /* It has ended, and nobody waited for it: the last it did is still told. */
    process_put(&place, &(struct made_process){81, 80, 'Z', 0.5, 0.7, 0.4});
    activity_look_ended(watch, 81);
    activity_result(watch, &arena, &activity);
    cr_expect_eq(activity.process_count, 2);
    cr_expect_float_eq(activity.seen_run_s.value, 0.5, 1e-6, "%g", activity.seen_run_s.value);
    cr_expect_float_eq(activity.run_delay_s.value, 0.7, 1e-6, "%g", activity.run_delay_s.value);
    cr_expect_float_eq(activity.ready_ratio.value, 1, 1e-9);
    /* What its parent was told of all its children counts more than what was seen. */
    cr_expect_float_eq(activity.major_faults.value, 4, 1e-6);
    activity_raise(&activity, &(struct activity_totals){.major_faults = 19328, .minor_faults = 1, .resident_most_bytes = 1e12});
    cr_expect_float_eq(activity.major_faults.value, 19328, 0.5);
    cr_expect_float_eq(activity.resident_most_bytes.value, 1e12, 0.5, "the last look came before its memory");
    cr_expect(activity.minor_faults.value >= 3);
    activity_watch_free(watch);
    arena_done(&arena);
    place_done(&place);
}

/* Before it was let go it waited for a CPU, too: for its own fork, not for the program. */
Test(activity, what_a_program_waited_for_while_it_was_held_is_none_of_its_run)
{
    struct place place;
    struct arena arena;
    struct activity activity;
    place_init(&place);
    arena_init(&arena);
    process_put(&place, &(struct made_process){80, 1, 'S', 0, 0.2, 0.5});
    const pid_t pid = 80, second = 90;
    struct activity_watch *watch = activity_watch_new(&place.root, &pid, 1, true, NULL);
    activity_watch_held(watch, pid, 0.2);
    process_put(&place, &(struct made_process){80, 1, 'R', 0.1, 0.5, 0.5});
    process_put(&place, &(struct made_process){90, 1, 'R', 0.1, 0.9, 0.5});
    activity_watch_add(watch, second);
    activity_watch_held(watch, second, 0.8);
    activity_look(watch);
    activity_result(watch, &arena, &activity);
    cr_expect_float_eq(activity.run_delay_s.value, 0.3 + 0.1, 1e-6, "%g", activity.run_delay_s.value);
    activity_watch_free(watch);
    arena_done(&arena);
    place_done(&place);
}

Test(activity, stolen_time_is_told_by_cpu)
{
    struct place place;
    place_init(&place);
    made_folder_put(place.folder, "/proc/stat", "cpu  300 0 0 100 0 0 0 50 0 0\ncpu0 100 0 0 50 0 0 0 20 0 0\n"
                                                "cpu2 200 0 0 50 0 0 0 30 0 0\ncpu3 1 2\nintr 5\n");
    struct activity_watch *watch = activity_watch_new(&place.root, NULL, 0, false, NULL);
    made_folder_put(place.folder, "/proc/stat", "cpu  500 0 0 100 0 0 0 150 0 0\ncpu0 150 10 5 50 0 1 2 20 0 0\n"
                                                "cpu1 9 0 0 9 0 0 0 9 0 0\ncpu2 350 0 0 50 0 0 0 130 0 0\n");
    activity_look(watch);
    struct arena arena;
    arena_init(&arena);
    struct activity activity;
    activity_result(watch, &arena, &activity);
    cr_assert_eq(activity.cpu_count, 2, "%u: cpu1 came online meanwhile", activity.cpu_count);
    cr_expect_eq(activity.cpus[1].cpu, 2);
    cr_expect_float_eq(activity.cpus[0].busy_s, 0.68, 1e-9, "%g", activity.cpus[0].busy_s);
    cr_expect_float_eq(activity.cpus[1].steal_s, 1, 1e-9, "%g", activity.cpus[1].steal_s);
    struct text out = {0};
    activity_write(&activity, &out);
    struct json_document *document = NULL;
    struct error err = {0};
    struct activity again;
    cr_assert(json_document_parse(&document, text_view(&out), &err), "%s", err.message);
    cr_assert(activity_read(&again, json_root(document), &arena, &err), "%s", err.message);
    cr_expect_eq(again.cpu_count, 2);
    cr_expect_float_eq(again.cpus[1].steal_s, 1, 1e-9);
    json_document_free(document);
    text_done(&out);
    activity_watch_free(watch);
    arena_done(&arena);
    place_done(&place);
}

/* Version 1, cpu and cpuacct apart; a limit on the group itself. */
Test(activity, who_shares_a_limit_and_how_much_it_ran_is_told_in_version_1)
{
    struct place place;
    place_init(&place);
    made_folder_put(place.folder, "/proc/stat", "cpu  1 0 0 1 0 0 0 0 0 0\n");
    made_folder_put(place.folder, "/proc/self/mountinfo", "30 20 0:26 / /cg/cpu rw - cgroup cgroup rw,cpu\n"
                                                          "31 20 0:27 / /cg/cpuacct rw - cgroup cgroup rw,cpuacct\n");
    made_folder_put(place.folder, "/proc/self/cgroup", "1:cpu:/\n");
    made_folder_put(place.folder, "/proc/4000001/cgroup", "2:cpuacct:/pod\n1:cpu:/pod\n");
    process_put(&place, &(struct made_process){4000001, 1, 'R', 1, 0, 5});
    made_folder_put(place.folder, "/cg/cpu/pod/cpu.stat", "nr_periods 10\nnr_throttled 1\nthrottled_time 1000\n");
    made_folder_put(place.folder, "/cg/cpu/pod/cpu.cfs_quota_us", "50000\n");
    made_folder_put(place.folder, "/cg/cpu/pod/cpu.cfs_period_us", "100000\n");
    made_folder_put(place.folder, "/cg/cpu/pod/cgroup.procs", "4000001\n");
    made_folder_put(place.folder, "/cg/cpuacct/pod/cpuacct.usage", "1000000000\n");
    pid_t pid = 4000001;
    struct activity_watch *watch = activity_watch_new(&place.root, &pid, 1, false, NULL);
    made_folder_put(place.folder, "/cg/cpuacct/pod/cpuacct.usage", "3500000000\n");
    activity_look(watch);
    struct arena arena;
    arena_init(&arena);
    struct activity activity;
    activity_result(watch, &arena, &activity);
    cr_assert(activity.group_usage_s.known, "%s", activity.group_usage_s.why_not);
    cr_expect_float_eq(activity.group_usage_s.value, 2.5, 1e-9, "%g", activity.group_usage_s.value);
    cr_assert(activity.group_others.known, "%s", activity.group_others.why_not);
    cr_expect_float_eq(activity.group_others.value, 0, 1e-9);
    made_folder_put(place.folder, "/cg/cpu/pod/cgroup.procs", "4000001\n4000002\n");
    activity_look(watch);
    activity_result(watch, &arena, &activity);
    cr_expect_float_eq(activity.group_others.value, 1, 1e-9);
    activity_watch_free(watch);
    arena_done(&arena);
    place_done(&place);
}

/* A shell that puts itself into a limited group and becomes the program: that group's limit is the program's, from then on. */
Test(activity, a_limited_group_that_it_joins_later_counts)
{
    struct place place;
    struct arena arena;
    struct activity activity;
    const pid_t pid = 4000001;
    place_init(&place);
    arena_init(&arena);
    made_folder_put(place.folder, "/proc/stat", "cpu  1 0 0 1 0 0 0 0 0 0\n");
    made_folder_put(place.folder, "/proc/self/mountinfo", "30 20 0:26 / /cg rw - cgroup2 cgroup2 rw\n");
    made_folder_put(place.folder, "/proc/self/cgroup", "0::/user\n");
    made_folder_put(place.folder, "/proc/4000001/cgroup", "0::/user\n");
    made_folder_put(place.folder, "/cg/user/cpu.stat", "usage_usec 100\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
    made_folder_put(place.folder, "/cg/user/cpu.max", "max 100000\n");
    made_folder_put(place.folder, "/cg/pod/cpu.stat", "usage_usec 100\nnr_periods 10\nnr_throttled 1\nthrottled_usec 5000\n");
    made_folder_put(place.folder, "/cg/pod/cpu.max", "30000 100000\n");
    made_folder_put(place.folder, "/cg/pod/cgroup.procs", "4000001\n");
    process_put(&place, &(struct made_process){4000001, 1, 'R', 1, 0, 5});
    struct activity_watch *watch = activity_watch_new(&place.root, &pid, 1, false, NULL);
    activity_result(watch, &arena, &activity);
    cr_expect_not(activity.quota_cpus.known);
    made_folder_put(place.folder, "/proc/4000001/cgroup", "0::/pod\n");
    activity_look(watch);
    made_folder_put(place.folder, "/cg/pod/cpu.stat", "usage_usec 300100\nnr_periods 20\nnr_throttled 11\nthrottled_usec 705000\n");
    activity_look(watch);
    activity_result(watch, &arena, &activity);
    cr_expect_str_eq(activity.cgroup, "/pod");
    cr_expect_float_eq(activity.quota_cpus.value, 0.3, 1e-9);
    cr_expect_float_eq(activity.throttled_s.value, 0.7, 1e-9, "what it was throttled before isn't its own: %g", activity.throttled_s.value);
    cr_expect_float_eq(activity.throttled_periods.value, 10, 1e-9);
    activity_watch_free(watch);
    arena_done(&arena);
    place_done(&place);
}
