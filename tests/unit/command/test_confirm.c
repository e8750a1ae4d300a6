/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What plumb confirm makes of an experiment: whether it tells something, and what an interrupt left. */
#include "made_folder.h"
#include "test.h"

#include "base/text.h"
#include "command/confirm/confirm_arm.h"
#include "command/confirm/confirm_bursts.h"
#include "command/confirm/confirm_experiments.h"
#include "command/confirm/confirm_outcome.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

Test(confirm, only_an_experiment_that_runs_a_pair_can_have_taken_no_hold)
{
    struct confirm_outcome outcome = {.way = WAY_PAIR, .made = true, .took_no_hold = true};
    cr_assert_eq(confirm_outcome_tells(&outcome), CONFIRM_TOOK_NO_HOLD);
    outcome.way = WAY_HOGS;
    cr_assert_eq(confirm_outcome_tells(&outcome), CONFIRM_TOOK_NO_HOLD);
    outcome.way = WAY_BURSTS;
    cr_assert_eq(confirm_outcome_tells(&outcome), CONFIRM_TELLS, "the pair that took no hold was another experiment's");
    outcome.way = WAY_PROBE;
    cr_assert_eq(confirm_outcome_tells(&outcome), CONFIRM_TELLS);
    outcome.took_no_hold = false;
    outcome.made = false;
    outcome.kind = ERROR_UNSUPPORTED;
    cr_assert_eq(confirm_outcome_tells(&outcome), CONFIRM_REFUSED, "the next one");
    outcome.is_interrupted = true;
    cr_assert_eq(confirm_outcome_tells(&outcome), CONFIRM_TELLS, "whoever interrupts wants no other");
    outcome.is_interrupted = false;
    outcome.is_asked = true;
    cr_assert_eq(confirm_outcome_tells(&outcome), CONFIRM_TELLS, "this one or none");
}

Test(confirm, only_beside_hogs_is_the_first_arm_bound_to_a_cpu)
{
    struct run_settings settings = {0};
    struct experiment_arm b = {.label = "B", .settings = &settings};
    cr_assert_eq(confirm_settings_of_a(WAY_HOGS, &b), &settings);
    cr_assert_null(confirm_settings_of_a(WAY_PAIR, &b));
}

Test(confirm, an_interrupt_leaves_what_was_measured)
{
    struct arena arena;
    struct error err = {0};
    struct confirm_bursts bursts = {0};
    struct probe_result step = {.known = true};
    arena_init(&arena);
    step.step.trace.instructions = 14000;
    step.step.trace.bursts = 2;
    step.step.trace.all.per_1000 = interval_of(27, 30, 36);
    struct confirm_bursts_look look = {.step = &step, .claimed = interval_of(0.7, 0.75, 0.8), .cost_cycles = 20, .issue_width = 4};
    cr_assert_not(confirm_bursts_judge(&bursts, &look, &arena, &err), "too few instructions");
    cr_assert_eq(err.kind, ERROR_UNSUPPORTED);
    look.is_interrupted = true;
    cr_assert(confirm_bursts_judge(&bursts, &look, &arena, &err));
    cr_assert_eq(bursts.confirmation.verdict, CONFIRMATION_INCONCLUSIVE);
    cr_assert(strstr(bursts.found, "interrupted: 27 to 36 wrong guesses per 1000 instructions, in 14000"), "%s", bursts.found);
    cr_assert(strstr(bursts.comparison.decisive.why_not, "interrupted"));
    step = (struct probe_result){.why_not = "nothing could be stopped"};
    cr_assert(confirm_bursts_judge(&bursts, &look, &arena, &err));
    cr_assert(strstr(bursts.comparison.decisive.why_not, "nothing could be stopped"));
    look.is_interrupted = false;
    cr_assert_not(confirm_bursts_judge(&bursts, &look, &arena, &err));
    arena_done(&arena);
}

static const char *why_not_outside_its_group(const struct confirm_place *place, struct arena *arena)
{
    struct confirm_choice choices[EXPERIMENTS_MOST];
    size_t count = confirm_choices(place, choices, arena);
    for (size_t at = 0; at < count; at++)
        if (strcmp(choices[at].experiment->name, "outside-its-group") == 0)
            return choices[at].why_not;
    return "no such experiment";
}

Test(confirm, outside_of_a_group_is_tried_where_there_is_a_limit)
{
    struct arena arena;
    struct sysroot root;
    char folder[64] = "/tmp/plumb-test-XXXXXX";
    struct confirm_subject subject = {.id = "cpu-quota"};
    const struct confirm_place place = {.subject = &subject, .root = &root};
    cr_assert(mkdtemp(folder));
    arena_init(&arena);
    sysroot_init(&root, folder);
    made_folder_put(folder, "/proc/self/mountinfo", "30 20 0:26 / /cg/cpu rw - cgroup cgroup rw,cpu\n");
    made_folder_put(folder, "/proc/self/cgroup", "1:cpu:/pod\n");
    made_folder_put(folder, "/cg/cpu/pod/cpu.cfs_period_us", "100000\n");
    made_folder_put(folder, "/cg/cpu/pod/cpu.cfs_quota_us", "-1\n");
    const char *why_not = why_not_outside_its_group(&place, &arena);
    cr_assert(why_not && strstr(why_not, "with a limit"), "both would run without one: %s", why_not);
    made_folder_put(folder, "/cg/cpu/pod/cpu.cfs_quota_us", "20000\n");
    why_not = why_not_outside_its_group(&place, &arena);
    cr_assert(!why_not || !strstr(why_not, "with a limit"), "%s", why_not);
    made_folder_remove(folder);
    arena_done(&arena);
}

/* A runs on the CPUs that this process may use: where those are all, it would be B. */
Test(confirm, all_cpus_are_tried_where_some_are_not_allowed)
{
    struct arena arena;
    struct sysroot root;
    char folder[64] = "/tmp/plumb-test-XXXXXX";
    struct confirm_subject subject = {.id = "affinity"};
    char *argv[] = {"./program", NULL};
    const struct confirm_place place = {.subject = &subject, .root = &root, .argv = argv};
    struct confirm_choice choices[EXPERIMENTS_MOST];
    struct experiment_arm arm;
    struct error err = {0};
    cr_assert(mkdtemp(folder));
    arena_init(&arena);
    sysroot_init(&root, folder);
    for (int many = 0; many < 2; many++) { /* no machine of a test has 5000 */
        made_folder_put(folder, "/sys/devices/system/cpu/online", many ? "0-4999\n" : "0\n");
        size_t count = confirm_choices(&place, choices, &arena), at = 0;
        while (at < count && strcmp(choices[at].experiment->name, "all-cpus") != 0)
            at++;
        cr_assert_lt(at, count);
        cr_assert(many ? !choices[at].why_not : choices[at].why_not && strstr(choices[at].why_not, "all CPUs here"), "%s", choices[at].why_not);
        if (!many)
            cr_assert(confirm_arm_make(choices[at].experiment, &place, &arm, &arena, &err) && arm.settings && !arm.environment, "%s", err.message);
    }
    made_folder_remove(folder);
    arena_done(&arena);
}

/* The experiment of that name for a subject; a test fails where there is none. */
static struct confirm_choice choice_of(const struct confirm_place *place, const char *name, struct arena *arena)
{
    struct confirm_choice choices[EXPERIMENTS_MOST];
    size_t count = confirm_choices(place, choices, arena), at = 0;
    while (at < count && strcmp(choices[at].experiment->name, name) != 0)
        at++;
    cr_assert_lt(at, count, "%s", name);
    return choices[at];
}

/* Pinned to a CPU that the user did not allow, B would differ by more than the pin, or could not run at all. */
Test(confirm, one_cpu_is_one_that_is_allowed)
{
    struct arena arena;
    struct sysroot root;
    struct confirm_subject subject = {.id = "migrations", .threads = 1};
    char *argv[] = {"./program", NULL};
    const struct confirm_place place = {.subject = &subject, .root = &root, .argv = argv};
    struct experiment_arm arm;
    struct error err = {0};
    cpu_set_t allowed, first;
    int cpu = 0;
    cr_assert_eq(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    while (!CPU_ISSET((size_t)cpu, &allowed))
        cpu++;
    CPU_ZERO(&first);
    CPU_SET((size_t)cpu, &first);
    cr_assert_eq(sched_setaffinity(0, sizeof(first), &first), 0);
    arena_init(&arena);
    sysroot_init(&root, "");
    struct confirm_choice choice = choice_of(&place, "one-cpu", &arena);
    cr_assert_null(choice.why_not, "%s", choice.why_not);
    bool made = confirm_arm_make(choice.experiment, &place, &arm, &arena, &err);
    cr_assert_eq(sched_setaffinity(0, sizeof(allowed), &allowed), 0);
    cr_assert(made, "%s", err.message);
    cr_assert_eq(arm.settings->items[0].cpu_count, 1);
    cr_assert_eq(arm.settings->items[0].cpus[0], cpu);
    arena_done(&arena);
}

/* Memory on one node with threads on another is remote altogether: a sound verdict would be overturned. */
Test(confirm, near_memory_takes_the_threads_along)
{
    struct arena arena;
    struct sysroot root;
    char folder[64] = "/tmp/plumb-test-XXXXXX";
    struct confirm_subject subject = {.id = "numa-remote", .threads = 2};
    char *argv[] = {"./program", NULL};
    const struct confirm_place place = {.subject = &subject, .root = &root, .argv = argv};
    struct experiment_arm arm;
    struct error err = {0};
    cr_assert(mkdtemp(folder));
    arena_init(&arena);
    sysroot_init(&root, folder);
    made_folder_put(folder, "/sys/devices/system/cpu/online", "0-3\n");
    made_folder_put(folder, "/sys/devices/system/node/node0/cpulist", "0,2\n");
    cr_assert(strstr(choice_of(&place, "one-memory-node", &arena).why_not, "one memory node"));
    made_folder_put(folder, "/sys/devices/system/node/node1/cpulist", "1,3\n");
    struct confirm_choice choice = choice_of(&place, "one-memory-node", &arena);
    cr_assert_null(choice.why_not, "%s", choice.why_not);
    cr_assert(confirm_arm_make(choice.experiment, &place, &arm, &arena, &err), "%s", err.message);
    cr_assert_eq(arm.settings->count, 2);
    cr_assert_str_eq(arm.settings->items[0].key, "node");
    cr_assert_eq(arm.settings->items[1].cpu_count, 2);
    cr_assert_eq(arm.settings->items[1].cpus[1], 2);
    subject.threads = 3;
    cr_assert(strstr(choice_of(&place, "one-memory-node", &arena).why_not, "3 threads, and the first node has 2 CPUs"));
    made_folder_remove(folder);
    arena_done(&arena);
}

/* What A is given already B has, too: else they would differ by two things. */
Test(confirm, lists_in_the_environment_keep_what_stands_there)
{
    struct arena arena;
    struct sysroot root;
    char folder[64] = "/tmp/plumb-test-XXXXXX";
    struct confirm_subject subject = {.id = "allocation", .threads = 1};
    char *argv[] = {"./program", NULL};
    const struct confirm_place place = {.subject = &subject, .root = &root, .argv = argv};
    struct experiment_arm arm;
    struct error err = {0};
    cr_assert(mkdtemp(folder));
    arena_init(&arena);
    sysroot_init(&root, folder);
    made_folder_put(folder, "/usr/lib64/libjemalloc.so.2", "ELF");
    setenv("GLIBC_TUNABLES", "glibc.malloc.check=0", 1);
    setenv("LD_PRELOAD", "libtheirs.so", 1);
    cr_assert(confirm_arm_make(choice_of(&place, "other-allocator", &arena).experiment, &place, &arm, &arena, &err), "%s", err.message);
    cr_expect_str_eq(arm.environment[0], "LD_PRELOAD=/usr/lib64/libjemalloc.so.2:libtheirs.so");
    cr_assert(confirm_arm_make(choice_of(&place, "keep-freed-memory", &arena).experiment, &place, &arm, &arena, &err), "%s", err.message);
    cr_expect(strstr(arm.environment[0], "GLIBC_TUNABLES=glibc.malloc.check=0:glibc.malloc.trim_threshold="), "%s", arm.environment[0]);
    unsetenv("GLIBC_TUNABLES");
    unsetenv("LD_PRELOAD");
    made_folder_remove(folder);
    arena_done(&arena);
}

/* Within its session or control group alone does it count: a gain that doesn't come is no proof, unless it waited less. */
Test(confirm, a_priority_has_taken_hold_when_it_waits_less)
{
    struct arena arena;
    struct sysroot root;
    struct confirm_subject subject = {.id = "oversubscribed"};
    struct confirm_choice choices[EXPERIMENTS_MOST];
    arena_init(&arena);
    sysroot_init(&root, "/nowhere");
    size_t found = 0, count = confirm_choices(&(struct confirm_place){.subject = &subject, .root = &root}, choices, &arena);
    for (size_t at = 0; at < count; at++) {
        const struct confirm_experiment *experiment = choices[at].experiment;
        if (strcmp(experiment->name, "higher-priority") != 0)
            continue;
        found++;
        cr_assert(experiment->sign == SIGN_FALLS && strcmp(experiment->quantity, "run-delay") == 0 && experiment->not_taken);
    }
    cr_assert_eq(found, 1);
    arena_done(&arena);
}

/* A process that has no CPU half of the time is none the faster for that in its own CPU time: pinned or not, it would overturn the verdict. */
Test(confirm, pinning_counts_cpu_time_and_tests_no_wait_for_a_cpu)
{
    struct arena arena;
    struct sysroot root;
    struct confirm_subject subject = {.id = "oversubscribed"};
    const struct confirm_place place = {.subject = &subject, .root = &root, .is_live = true};
    arena_init(&arena);
    sysroot_init(&root, NULL);
    const char *why_not = choice_of(&place, "pin-threads", &arena).why_not;
    cr_expect(why_not && strstr(why_not, "own CPU time"), "%s", why_not ? why_not : "it would be made");
    subject = (struct confirm_subject){.id = "small-pages"}; /* what address translation takes it takes of both */
    cr_expect_null(choice_of(&place, "collapse-pages", &arena).why_not);
    arena_done(&arena);
}
