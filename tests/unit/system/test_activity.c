/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose time counts, and what remains unseen: a /proc made up for the purpose. */
#include "made_folder.h"
#include "test.h"

#include "system/activity.h"

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
    double cpu_s, delay_s, began_ago_s;
};

static void process_put(const struct place *place, const struct made_process *process)
{
    char path[64], stat[256];
    double hz = (double)sysconf(_SC_CLK_TCK);
    snprintf(stat, sizeof(stat), "%d (made) %c %d 0 0 0 0 0 3 0 2 0 %.0f 0 0 0 20 0 1 0 %.0f 0 0\n", process->pid,
             process->state, process->parent, process->cpu_s * hz,
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

/* Everything descends from process 1, and nothing of that is its own. */
Test(activity, children_that_were_there_before_are_not_the_target)
{
    struct place place;
    struct arena arena;
    struct activity activity;
    place_init(&place);
    arena_init(&arena);
    process_put(&place, &(struct made_process){1, 0, 'S', 5, 0, 1000});
    process_put(&place, &(struct made_process){70, 1, 'R', 7, 0, 900});
    const pid_t pid = 1;
    struct activity_watch *watch = activity_watch_new(&place.root, &pid, 1, false, NULL);
    process_put(&place, &(struct made_process){1, 0, 'S', 5.01, 0.5, 1000});
    process_put(&place, &(struct made_process){70, 1, 'R', 9, 0, 900});
    process_put(&place, &(struct made_process){71, 1, 'S', 0.25, 0, -1});
    activity_look(watch);
    activity_result(watch, &arena, &activity);
    cr_expect_eq(activity.process_count, 2, "%u", activity.process_count);
    cr_expect_float_eq(activity.user_s.value, 0.26, 0.005, "%g", activity.user_s.value);
    cr_expect_float_eq(activity.run_delay_s.value, 0.5, 1e-6, "%g", activity.run_delay_s.value);
    cr_expect_float_eq(activity.ready_ratio.value, 0, 1e-9, "only what isn't its own was ready");
    activity_watch_free(watch);
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
    activity_raise(&activity, &(struct activity_totals){.major_faults = 19328, .minor_faults = 1});
    cr_expect_float_eq(activity.major_faults.value, 19328, 0.5);
    cr_expect(activity.minor_faults.value >= 3);
    activity_watch_free(watch);
    arena_done(&arena);
    place_done(&place);
}
