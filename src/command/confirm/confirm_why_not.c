/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/confirm/confirm_why_not.h"

#include "base/scope.h"
#include "base/text.h"
#include "base/vec.h"
#include "command/confirm/confirm_arm.h"
#include "system/host/cgroup_cpu.h"

#include <gnu/libc-version.h>
#include <sched.h>
#include <unistd.h>

#define THP_ENABLED "/sys/kernel/mm/transparent_hugepage/enabled"

/* "always [madvise] never": what stands in brackets. */
static const char *thp_policy(const struct sysroot *root, struct arena *arena)
{
    char line[128];
    if (!sysroot_line(root, line, sizeof(line), THP_ENABLED))
        return "";
    struct view rest = view_of(line);
    (void)view_cut(&rest, '[');
    struct view word = view_cut(&rest, ']');
    return arena_printf(arena, "%.*s", (int)word.length, word.text);
}

const char *confirm_no_huge_malloc(const struct confirm_place *place, struct arena *arena)
{
    const char *policy = thp_policy(place->root, arena), *version = gnu_get_libc_version();
    double number = 0;
    struct view rest = view_of(version), major = view_cut(&rest, '.');
    uint64_t minor = 0;
    (void)(view_double(major, &number) && view_u64(view_cut(&rest, '.'), 10, &minor));
    if (number < 2 || (number < 3 && minor < 35))
        return arena_printf(arena, "glibc %s has no such tunable; 2.35 and later have", version);
    if (strcmp(policy, "madvise") == 0)
        return NULL;
    return policy[0] ? arena_printf(arena, "transparent huge pages are set to '%s' here; it takes 'madvise'", policy)
                     : "this kernel has no transparent huge pages";
}

static const char *no_switch(const struct confirm_place *place, const char *path, const char *what, struct arena *arena)
{
    if (!sysroot_exists(place->root, "%s", path))
        return arena_printf(arena, "there is no '%s' here", path);
    if (!sysroot_is_live(place->root) || access(path, W_OK) != 0)
        return arena_printf(arena, "only root may write '%s'", path);
    return place->switch_machine
               ? NULL
               : arena_printf(arena, "it switches %s while B runs: --switch-machine allows that", what);
}

const char *confirm_no_huge_policy(const struct confirm_place *place, struct arena *arena)
{
    if (strcmp(thp_policy(place->root, arena), "always") == 0)
        return "all programs are offered huge pages already";
    return no_switch(place, THP_ENABLED, "the huge pages of the whole machine", arena);
}

const char *confirm_no_own_command(const struct confirm_place *place, struct arena *arena)
{
    if (place->changed)
        return NULL;
    const char *advice = place->subject->advice;
    return advice
               ? arena_printf(arena,
                              "it needs the changed program, as plumb confirm CASE -- CHANGED-COMMAND; to change: %s",
                              advice)
               : "it needs the changed program, as plumb confirm CASE -- CHANGED-COMMAND";
}

const char *confirm_no_single_thread(const struct confirm_place *place, struct arena *arena)
{
    if (place->subject->threads == 1)
        return NULL;
    return place->subject->threads
               ? arena_printf(arena, "it ran %llu threads, which one CPU would make wait for one another",
                              (unsigned long long)place->subject->threads)
               : "how many threads it has isn't in the case";
}

const char *confirm_no_threads(const struct confirm_place *place, struct arena *arena)
{
    (void)arena;
    return place->subject->threads > 1 ? NULL : "it takes a run of several threads";
}

const char *confirm_no_priority(const struct confirm_place *place, struct arena *arena)
{
    (void)place, (void)arena;
    return geteuid() == 0 ? NULL : "only root may raise a program's priority";
}

const char *confirm_no_node(const struct confirm_place *place, struct arena *arena)
{
    if (!sysroot_exists(place->root, "/sys/devices/system/node/node1"))
        return "this machine has one memory node";
    scoped_free int *cpus = NULL;
    size_t count = 0;
    if (!confirm_node_cpus(place->root, &cpus, &count) || !count)
        return "which CPUs the first node has can't be read here";
    if (!place->subject->threads)
        return "how many threads it has isn't in the case";
    return place->subject->threads <= count
               ? NULL
               : arena_printf(arena,
                              "it ran %llu threads, and the first node has %zu CPUs: they would wait for one another",
                              (unsigned long long)place->subject->threads, count);
}

const char *confirm_no_root_group(const struct confirm_place *place, struct arena *arena)
{
    struct cgroup_cpu *group = arena_new(arena, struct cgroup_cpu);
    cgroup_cpu_read(group, place->root, 0);
    if (!group->limited)
        return "it would run in no control group with a limit here: run plumb confirm in the one in which the command "
               "was";
    bool may = access(access(GROUP_ROOT, F_OK) == 0 ? GROUP_ROOT : GROUP_ROOT_1, W_OK) == 0;
    return may ? NULL : "only root of the machine may take it out of its control group";
}

const char *confirm_no_mask(const struct confirm_place *place, struct arena *arena)
{
    scoped_free int *cpus = NULL;
    size_t count = 0;
    cpu_set_t usable;
    struct error err = {0};
    if (!sysroot_online_cpus(place->root, &cpus, &count, &err))
        return arena_string(arena, err.message);
    if (sched_getaffinity(0, sizeof(usable), &usable) != 0 || (size_t)CPU_COUNT(&usable) < count)
        return NULL;
    return "it may use all CPUs here: where the command had fewer, run plumb confirm on those (taskset -c LIST plumb "
           "confirm CASE); what keeps its own threads to CPUs only a changed command lets go";
}

static bool uses(const struct confirm_place *place, const char *const *names)
{
    for (size_t at = 0; at < place->subject->file_count; at++)
        for (size_t name = 0; names[name]; name++)
            if (strstr(place->subject->files[at], names[name]))
                return true;
    return false;
}

static bool is_hot(const struct confirm_place *place, enum vector_library_id library)
{
    return place->libraries && place->libraries[library].share >= 0.01;
}

const char *confirm_no_openblas(const struct confirm_place *place, struct arena *arena)
{
    static const char *const names[] = {"openblas", NULL};
    (void)arena;
    return is_hot(place, VECTOR_OPENBLAS) || uses(place, names) ? NULL : "no hot code is OpenBLAS's";
}

const char *confirm_no_onednn(const struct confirm_place *place, struct arena *arena)
{
    static const char *const names[] = {"dnnl", "onednn", "libtorch", NULL};
    (void)arena;
    return is_hot(place, VECTOR_ONEDNN) || is_hot(place, VECTOR_ATEN) || uses(place, names) ? NULL
                                                                                            : "no hot code is oneDNN's";
}

const char *confirm_no_libc_vectors(const struct confirm_place *place, struct arena *arena)
{
    static const char *const names[] = {"libc.so", "libm.so", "libmvec", "libc-2", "libm-2", NULL};
    (void)arena;
    return is_hot(place, VECTOR_LIBC) || uses(place, names) ? NULL : "no hot code is the C library's";
}

const char *confirm_no_allocator(const struct confirm_place *place, struct arena *arena)
{
    return confirm_allocator(place, arena)
               ? NULL
               : "no other allocator is installed (Debian: libjemalloc2, libmimalloc2.0, libtcmalloc-minimal4)";
}

/* What only measures something of the program overturns a share that was claimed: there must be one. */
static const char *no_claim(const struct confirm_place *place, struct arena *arena)
{
    (void)arena;
    if (!place->subject->share_is_of_cpu)
        return "what the case claims is a share of the elapsed time, in which several threads ran, or nobody knows how "
               "many: not of CPU time";
    return place->subject->share.known && place->subject->share.low > 0
               ? NULL
               : "the case names no least share that it could fall short of";
}

/* A probe of a running process counts its work by CPU time: how long that waits for a CPU it can't see. */
const char *confirm_no_speed(const struct confirm_place *place, struct arena *arena)
{
    (void)arena;
    return place->subject->by_cpu
               ? NULL
               : "its speed is counted in its own CPU time, and what the case claims is of the elapsed time";
}

const char *confirm_no_bursts(const struct confirm_place *place, struct arena *arena)
{
#if defined(__x86_64__)
    return no_claim(place, arena);
#else
    (void)place, (void)arena;
    return "stepping is built for x86-64 only";
#endif
}

const char *confirm_no_hogs(const struct confirm_place *place, struct arena *arena)
{
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof(usable), &usable) != 0 || CPU_COUNT(&usable) < 2)
        return "there is no second CPU from which to take bandwidth";
    if (place->subject->threads != 1)
        return confirm_no_single_thread(place, arena);
    return no_claim(place, arena);
}
