/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/confirm/confirm_arm.h"

#include "base/text.h"
#include "base/vec.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define ONLINE_CPUS "/sys/devices/system/cpu/online"
#define NODE_CPUS   "/sys/devices/system/node/node0/cpulist"

static const char *const allocator_folders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
                                                "/usr/lib", "/usr/local/lib"};
static const struct {
    const char *name; /* plumb itself never loads it: the program under test does */
    int version;
} allocators[] = {{"libjemalloc", 2}, {"libmimalloc", 2}, {"libtcmalloc_minimal", 4}};

const char *confirm_allocator(const struct confirm_place *place, struct arena *arena)
{
    for (size_t at = 0; at < array_count(allocators); at++)
        for (size_t folder = 0; folder < array_count(allocator_folders); folder++) {
            char *path = arena_printf(arena, "%s/%s.so.%d", allocator_folders[folder], allocators[at].name,
                                      allocators[at].version);
            if (sysroot_exists(place->root, "%s", path))
                return path;
        }
    return NULL;
}

/* Lists that the program may be given already: A has what stands there, so B has it, too. */
static const struct {
    const char *name;
    bool ours_last; /* the last one counts; else the first */
} lists[] = {{"GLIBC_TUNABLES", true}, {"LD_PRELOAD", false}};

static const char *assignment_of(struct view word, const char *value, struct arena *arena)
{
    struct view ours = word, name = view_cut(&ours, '=');
    const char *both = arena_printf(arena, "%.*s%s", (int)ours.length, ours.text, value);
    for (size_t at = 0; at < array_count(lists); at++) {
        const char *given = view_equal(name, lists[at].name) ? getenv(lists[at].name) : NULL;
        if (given && given[0])
            both = lists[at].ours_last ? arena_printf(arena, "%s:%s", given, both)
                                       : arena_printf(arena, "%s:%s", both, given);
    }
    return arena_printf(arena, "%.*s=%s", (int)name.length, name.text, both);
}

static char **environment_make(const struct confirm_experiment *experiment, const struct confirm_place *place,
                               struct arena *arena)
{
    struct view rest = view_of(experiment->environment);
    vec(char *) all = {0};
    const char *value = view_ends(rest, "=") ? confirm_allocator(place, arena) : "";
    for (struct view word = view_word(&rest); word.length; word = view_word(&rest))
        *vec_push(&all) = (char *)assignment_of(word, value ? value : "", arena);
    *vec_push(&all) = NULL;
    char **kept = arena_copy(arena, all.items, memory_product(all.count, sizeof(char *)));
    vec_done(&all);
    return kept;
}

bool confirm_node_cpus(const struct sysroot *root, int **ret_cpus, size_t *ret_count)
{
    char line[1024];
    return sysroot_line(root, line, sizeof(line), NODE_CPUS) && cpu_list_parse(view_of(line), ret_cpus, ret_count);
}

/* Interrupts and whoever wasn't told otherwise tend to the first CPU. */
static bool last_allowed_cpu(const char **ret_value, struct arena *arena, struct error *err)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
        return error_system(err, errno, "can't read which CPUs are allowed here");
    size_t last = 0;
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        last = CPU_ISSET(cpu, &allowed) ? cpu : last;
    *ret_value = arena_printf(arena, "%zu", last);
    return true;
}

static bool cpus_find(enum confirm_cpus cpus, const struct sysroot *root, const char **ret_value, struct arena *arena,
                      struct error *err)
{
    char list[1024];
    if (cpus == CPUS_LAST)
        return last_allowed_cpu(ret_value, arena, err);
    const char *path = cpus == CPUS_ONLINE ? ONLINE_CPUS : NODE_CPUS;
    if (!sysroot_line(root, list, sizeof(list), "%s", path))
        return error_set(err, ERROR_UNSUPPORTED, "there is no '%s' here", path);
    *ret_value = arena_string(arena, list);
    return true;
}

static bool settings_make(const struct confirm_experiment *experiment, const struct sysroot *root,
                          struct run_settings *settings, struct arena *arena, struct error *err)
{
    const char *cpus = NULL;
    if (experiment->setting && !run_settings_add(settings, experiment->setting, experiment->value, root, arena, err))
        return false;
    return experiment->cpus == CPUS_AS_BEFORE || (cpus_find(experiment->cpus, root, &cpus, arena, err) &&
                                                  run_settings_add(settings, "cpu", cpus, root, arena, err));
}

static char **argv_started(const char *starter, char *const *argv, struct arena *arena)
{
    size_t count = 0;
    while (argv[count])
        count++;
    char **all = arena_array(arena, char *, count + 5);
    const char *const words[] = {"sh", "-c", starter, "sh"};
    for (size_t at = 0; at < array_count(words); at++)
        all[at] = (char *)words[at];
    for (size_t at = 0; at <= count; at++)
        all[array_count(words) + at] = argv[at];
    return all;
}

bool confirm_arm_make(const struct confirm_experiment *experiment, const struct confirm_place *place,
                      struct experiment_arm *ret_arm, struct arena *arena, struct error *err)
{
    struct experiment_arm arm = {.label = "B", .argv = experiment->is_changed_command ? place->changed : place->argv};
    if (experiment->starter)
        arm.argv = argv_started(experiment->starter, arm.argv, arena);
    if (experiment->environment)
        arm.environment = environment_make(experiment, place, arena);
    if (experiment->setting || experiment->cpus != CPUS_AS_BEFORE) {
        struct run_settings *settings = arena_new(arena, struct run_settings);
        if (!settings_make(experiment, place->root, settings, arena, err))
            return error_wrap(err, "experiment %s", experiment->name);
        arm.settings = settings;
    }
    *ret_arm = arm;
    return true;
}
