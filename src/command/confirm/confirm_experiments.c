/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/confirm/confirm_experiments.h"

#include "base/scope.h"
#include "base/text.h"
#include "base/vec.h"
#include "system/host/cgroup_cpu.h"

#include <gnu/libc-version.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#define THP_ENABLED   "/sys/kernel/mm/transparent_hugepage/enabled"
#define GROUP_ROOT    "/sys/fs/cgroup/cgroup.procs"
#define GROUP_ROOT_1  "/sys/fs/cgroup/cpu/cgroup.procs" /* of cgroup v1 */
#define CPUS_ONLINE   "/sys/devices/system/cpu/online"
#define ALL_CPUS      "all" /* value of an experiment's "cpu" */
#define KEEP_TUNABLES "glibc.malloc.trim_threshold=4294967296:glibc.malloc.mmap_threshold=4294967296"

/* ---- why one can't be made here ---- */

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

static const char *no_huge_malloc(const struct confirm_place *place, struct arena *arena)
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
    return place->switch_machine ? NULL
                                 : arena_printf(arena, "it switches %s while B runs: --switch-machine allows that", what);
}

static const char *no_huge_policy(const struct confirm_place *place, struct arena *arena)
{
    if (strcmp(thp_policy(place->root, arena), "always") == 0)
        return "all programs are offered huge pages already";
    return no_switch(place, THP_ENABLED, "the huge pages of the whole machine", arena);
}

static const char *no_own_command(const struct confirm_place *place, struct arena *arena)
{
    if (place->changed)
        return NULL;
    const char *advice = place->subject->advice;
    return advice ? arena_printf(arena, "it needs the changed program, as plumb confirm CASE -- CHANGED-COMMAND; to change: %s", advice)
                  : "it needs the changed program, as plumb confirm CASE -- CHANGED-COMMAND";
}

static const char *no_single_thread(const struct confirm_place *place, struct arena *arena)
{
    if (place->subject->threads == 1)
        return NULL;
    return place->subject->threads
               ? arena_printf(arena, "it ran %llu threads, which one CPU would make wait for one another",
                              (unsigned long long)place->subject->threads)
               : "how many threads it has isn't in the case";
}

static const char *no_threads(const struct confirm_place *place, struct arena *arena)
{
    (void)arena;
    return place->subject->threads > 1 ? NULL : "it takes a run of several threads";
}

static const char *no_priority(const struct confirm_place *place, struct arena *arena)
{
    (void)place, (void)arena;
    return geteuid() == 0 ? NULL : "only root may raise a program's priority";
}

static const char *no_node(const struct confirm_place *place, struct arena *arena)
{
    (void)arena;
    return sysroot_exists(place->root, "/sys/devices/system/node/node1") ? NULL : "this machine has one memory node";
}

static const char *no_root_group(const struct confirm_place *place, struct arena *arena)
{
    struct cgroup_cpu *group = arena_new(arena, struct cgroup_cpu);
    cgroup_cpu_read(group, place->root, 0);
    if (!group->limited)
        return "it would run in no control group with a limit here: run plumb confirm in the one in which the command was";
    bool may = access(access(GROUP_ROOT, F_OK) == 0 ? GROUP_ROOT : GROUP_ROOT_1, W_OK) == 0;
    return may ? NULL : "only root of the machine may take it out of its control group";
}

static const char *no_mask(const struct confirm_place *place, struct arena *arena)
{
    scoped_free int *cpus = NULL;
    size_t count = 0;
    cpu_set_t usable;
    struct error err = {0};
    if (!sysroot_online_cpus(place->root, &cpus, &count, &err))
        return arena_string(arena, err.message);
    if (sched_getaffinity(0, sizeof(usable), &usable) != 0 || (size_t)CPU_COUNT(&usable) < count)
        return NULL;
    return "it may use all CPUs here: run plumb confirm on those that the command had (taskset -c LIST plumb confirm CASE)";
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

static const char *no_openblas(const struct confirm_place *place, struct arena *arena)
{
    static const char *const names[] = {"openblas", NULL};
    (void)arena;
    return is_hot(place, VECTOR_OPENBLAS) || uses(place, names) ? NULL : "no hot code is OpenBLAS's";
}

static const char *no_onednn(const struct confirm_place *place, struct arena *arena)
{
    static const char *const names[] = {"dnnl", "onednn", "libtorch", NULL};
    (void)arena;
    return is_hot(place, VECTOR_ONEDNN) || is_hot(place, VECTOR_ATEN) || uses(place, names) ? NULL : "no hot code is oneDNN's";
}

static const char *no_libc_vectors(const struct confirm_place *place, struct arena *arena)
{
    static const char *const names[] = {"libc.so", "libm.so", "libmvec", "libc-2", "libm-2", NULL};
    (void)arena;
    return is_hot(place, VECTOR_LIBC) || uses(place, names) ? NULL : "no hot code is the C library's";
}

static const char *const allocator_folders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
                                                "/usr/lib", "/usr/local/lib"};
static const struct {
    const char *name; /* plumb itself never loads it: the program under test does */
    int version;
} allocators[] = {{"libjemalloc", 2}, {"libmimalloc", 2}, {"libtcmalloc_minimal", 4}};

static const char *allocator_find(const struct confirm_place *place, struct arena *arena)
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

static const char *no_allocator(const struct confirm_place *place, struct arena *arena)
{
    return allocator_find(place, arena)
               ? NULL
               : "no other allocator is installed (Debian: libjemalloc2, libmimalloc2.0, libtcmalloc-minimal4)";
}

/* What only measures something of the program overturns a share that was claimed: there must be one. */
static const char *no_claim(const struct confirm_place *place, struct arena *arena)
{
    (void)arena;
    if (!place->subject->by_cpu)
        return "what the case claims is no share of CPU time";
    return place->subject->share.known && place->subject->share.low > 0 ? NULL
                                                                         : "the case names no least share that it could fall short of";
}

static const char *no_bursts(const struct confirm_place *place, struct arena *arena)
{
#if defined(__x86_64__)
    return no_claim(place, arena);
#else
    (void)place, (void)arena;
    return "stepping is built for x86-64 only";
#endif
}

static const char *no_hogs(const struct confirm_place *place, struct arena *arena)
{
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof(usable), &usable) != 0 || CPU_COUNT(&usable) < 2)
        return "there is no second CPU from which to take bandwidth";
    if (place->subject->threads != 1)
        return no_single_thread(place, arena);
    return no_claim(place, arena);
}

/* ---- the table: cheapest first, among those of one subject ---- */

#define CHANGED_SUBJECTS                                                                                              \
    "small-pages page-faults cache-misses memory-bandwidth stores numa-remote contended-lines divider "               \
    "branch-mispredicts latency-chain load-chain denormals narrow-vectors avx512-licence front-end atomics "          \
    "unoptimised-build checking-code instrumented-build interpreter allocation copying spinning waiting lock-turns "  \
    "cpu-quota oversubscribed affinity migrations steal system-calls interrupts kernel-locks start-and-exit swap "    \
    "idle-cpus memory core bad_speculation frontend retiring"

static const struct confirm_experiment experiments[] = {
    {
        .name = "changed-command",
        .subjects = CHANGED_SUBJECTS,
        .change = "the command that you changed",
        .overturns = "a gain that surely stays below the prediction",
        .is_changed_command = true,
        .why_not = no_own_command,
    },
    {
        .name = "step-bursts",
        .subjects = "branch-mispredicts bad_speculation",
        .change = "a look at bursts of its instructions, one by one, with a simulated branch predictor",
        .overturns = "so few wrong guesses that they can't take that share of its time",
        .way = WAY_BURSTS,
        .why_not = no_bursts,
    },
    {
        .name = "beside-hogs",
        .subjects = "memory-bandwidth memory/bandwidth",
        .change = "the same, beside processes of ours that use memory bandwidth on the other CPUs; both on one CPU",
        .overturns = "no such slow-down, where a stream of ours is slowed",
        .way = WAY_HOGS,
        .setting = "cpu",
        .value = "", /* the last one online */
        .sign = SIGN_BY_NATURE,
        .why_not = no_hogs,
    },
    {
        .name = "huge-pages-from-malloc",
        .subjects = "small-pages memory/tlb",
        .change = "the same, with malloc asking for huge pages",
        .overturns = "memory on huge pages, and no such gain",
        .environment = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1",
        .sign = SIGN_RISES,
        .quantity = "huge-pages",
        .least = 0.3,
        .not_taken = "its memory did not become huge: it isn't malloc's, or no huge page was free",
        .why_not = no_huge_malloc,
    },
    {
        .name = "keep-freed-memory",
        .subjects = "page-faults allocation",
        .change = "the same, with malloc keeping what is freed",
        .overturns = "fewer page faults, and no such gain",
        .environment = "GLIBC_TUNABLES=" KEEP_TUNABLES,
        .sign = SIGN_FALLS,
        .quantity = "minor-faults",
        .least = 0.7,
        .not_taken = "its page faults stayed: the mappings are the program's own, not malloc's",
    },
    {
        .name = "fault-huge-pages",
        .subjects = "page-faults",
        .change = "the same, with malloc asking for huge pages",
        .overturns = "fewer page faults, and no such gain",
        .environment = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1",
        .sign = SIGN_FALLS,
        .quantity = "minor-faults",
        .least = 0.7,
        .not_taken = "its page faults stayed: the mappings are the program's own, not malloc's",
        .why_not = no_huge_malloc,
    },
    {
        .name = "huge-pages-for-all",
        .subjects = "small-pages memory/tlb page-faults",
        .change = "the same, with huge pages for all programs",
        .overturns = "memory on huge pages, and no such gain",
        .setting = "thp",
        .value = "always",
        .is_machine_wide = true,
        .sign = SIGN_RISES,
        .quantity = "huge-pages",
        .least = 0.3,
        .not_taken = "its memory did not become huge: it is mapped in small pieces, forbids it, or no huge page was free",
        .why_not = no_huge_policy,
    },
    {
        .name = "other-allocator",
        .subjects = "allocation",
        .change = "the same, with another allocator",
        .overturns = "a gain above what allocating can return",
        .environment = "LD_PRELOAD=",
        .sign = SIGN_UNSEEN,
        .not_taken = "a static program, or one with an allocator of its own, isn't changed by that",
        .why_not = no_allocator,
    },
    {
        .name = "higher-priority",
        .subjects = "oversubscribed",
        .change = "the same, with nice -15, before the others",
        .overturns = "no such gain with the others behind it",
        .setting = "nice",
        .value = "-15",
        .sign = SIGN_FALLS,
        .quantity = "run-delay",
        .least = 0.7,
        .not_taken = "it waited for a CPU as long as before: a priority counts within one session or control group, and the others are of another",
        .why_not = no_priority,
    },
    {
        .name = "outside-its-group",
        .subjects = "cpu-quota",
        .change = "the same, outside of the control group with the limit",
        .overturns = "no such gain without the limit",
        .starter = "f=" GROUP_ROOT "; [ -e $f ] || f=" GROUP_ROOT_1 "; echo $$ >$f && exec \"$@\"",
        .sign = SIGN_BY_NATURE,
        .why_not = no_root_group,
    },
    {
        .name = "all-cpus",
        .subjects = "affinity",
        .change = "the same, on all CPUs",
        .overturns = "no such gain where it may use the CPUs that stood idle",
        .setting = "cpu",
        .value = ALL_CPUS,
        .sign = SIGN_FALLS,
        .quantity = "run-delay",
        .least = 0.7,
        .not_taken = "it waited for a CPU as long as before: it chooses its CPUs itself, or no other stood idle",
        .why_not = no_mask,
    },
    {
        .name = "one-cpu",
        .subjects = "migrations interrupts",
        .change = "the same, kept on one CPU",
        .overturns = "no such gain without moves between CPUs",
        .setting = "cpu",
        .value = "", /* the last one online */
        .sign = SIGN_BY_NATURE,
        .why_not = no_single_thread,
    },
    {
        .name = "threads-on-one-cpu",
        .subjects = "contended-lines atomics kernel-locks",
        .change = "the same, all threads on one CPU, where they can't meet",
        .overturns = "the same CPU time although no two threads run at once",
        .setting = "cpu",
        .value = "",
        .sign = SIGN_BY_NATURE,
        .why_not = no_threads,
    },
    {
        .name = "one-memory-node",
        .subjects = "numa-remote",
        .change = "the same, with its memory on the first node",
        .overturns = "no such gain with near memory",
        .setting = "node",
        .value = "0",
        .sign = SIGN_BY_NATURE,
        .why_not = no_node,
    },
    {
        .name = "no-avx512-in-openblas",
        .subjects = "avx512-licence",
        .change = "the same, with OpenBLAS limited to AVX2",
        .overturns = "no such gain at a higher clock",
        .environment = "OPENBLAS_CORETYPE=Haswell",
        .sign = SIGN_UNSEEN,
        .not_taken = "whether its code has changed isn't seen",
        .why_not = no_openblas,
    },
    {
        .name = "no-avx512-in-onednn",
        .subjects = "avx512-licence",
        .change = "the same, with oneDNN limited to AVX2",
        .overturns = "no such gain at a higher clock",
        .environment = "ONEDNN_MAX_CPU_ISA=AVX2 DNNL_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=avx2",
        .sign = SIGN_UNSEEN,
        .not_taken = "whether its code has changed isn't seen",
        .why_not = no_onednn,
    },
    {
        .name = "no-avx512-in-libc",
        .subjects = "avx512-licence",
        .change = "the same, with the C library limited to AVX2",
        .overturns = "no such gain at a higher clock",
        .environment = "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512CD,-AVX512DQ",
        .sign = SIGN_UNSEEN,
        .not_taken = "whether its code has changed isn't seen",
        .why_not = no_libc_vectors,
    },
    {
        .name = "collapse-pages",
        .subjects = "small-pages memory/tlb",
        .change = "the running process, with its hot memory made huge (which stays so)",
        .overturns = "huge pages, and no such gain in speed",
        .is_live = true,
        .way = WAY_PROBE,
        .probe = PROBE_COLLAPSE,
    },
    {
        .name = "pin-threads",
        .subjects = "migrations oversubscribed",
        .change = "the running process, with its threads kept on their CPUs in turns",
        .overturns = "no such gain in speed while they are kept",
        .is_live = true,
        .way = WAY_PROBE,
        .probe = PROBE_PIN,
    },
    {
        .name = "step-bursts-attached",
        .subjects = "branch-mispredicts bad_speculation",
        .change = "a look at bursts of its instructions, one by one, with a simulated branch predictor",
        .overturns = "so few wrong guesses that they can't take that share of its time",
        .is_live = true,
        .way = WAY_BURSTS,
        .why_not = no_bursts,
    },
};

/* "memory" stands for "memory/latency" as well. */
static bool tests(const struct confirm_experiment *experiment, const char *id)
{
    size_t class_length = strcspn(id, "/");
    struct view rest = view_of(experiment->subjects);
    for (struct view word = view_word(&rest); word.length; word = view_word(&rest))
        if (view_equal(word, id) || (word.length == class_length && strncmp(word.text, id, class_length) == 0))
            return true;
    return false;
}

size_t confirm_choices(const struct confirm_place *place, struct confirm_choice *ret_choices, struct arena *arena)
{
    size_t count = 0;
    for (size_t at = 0; at < array_count(experiments) && count < EXPERIMENTS_MOST; at++) {
        const struct confirm_experiment *experiment = &experiments[at];
        if (experiment->is_live != place->is_live)
            continue;
        if (!tests(experiment, place->subject->id) && !(experiment->is_changed_command && place->changed))
            continue;
        const char *why_not = experiment->why_not ? experiment->why_not(place, arena) : NULL;
        if (place->changed && !experiment->is_changed_command)
            why_not = "the command that you brought is run instead";
        ret_choices[count++] = (struct confirm_choice){experiment, why_not};
    }
    return count;
}

/* ---- B ---- */

/* Tunables that the program is given already stay: ours come behind them. */
static const char *assignment_of(struct view word, const char *value, struct arena *arena)
{
    const char *assignment = arena_printf(arena, "%.*s%s", (int)word.length, word.text, value);
    const char *tunables = getenv("GLIBC_TUNABLES");
    if (!view_starts(word, "GLIBC_TUNABLES=") || !tunables || !tunables[0])
        return assignment;
    return arena_printf(arena, "GLIBC_TUNABLES=%s:%s", tunables, assignment + strlen("GLIBC_TUNABLES="));
}

static char **environment_make(const struct confirm_experiment *experiment, const struct confirm_place *place,
                               struct arena *arena)
{
    struct view rest = view_of(experiment->environment);
    vec(char *) all = {0};
    const char *value = view_ends(rest, "=") ? allocator_find(place, arena) : "";
    for (struct view word = view_word(&rest); word.length; word = view_word(&rest))
        *vec_push(&all) = (char *)assignment_of(word, value ? value : "", arena);
    *vec_push(&all) = NULL;
    char **kept = arena_copy(arena, all.items, memory_product(all.count, sizeof(char *)));
    vec_done(&all);
    return kept;
}

/* The last CPU: interrupts and whoever wasn't told otherwise tend to the first. */
static bool last_cpu(const struct sysroot *root, const char **ret_value, struct arena *arena, struct error *err)
{
    scoped_free int *cpus = NULL;
    size_t count = 0;
    if (!sysroot_online_cpus(root, &cpus, &count, err))
        return false;
    *ret_value = arena_printf(arena, "%d", count ? cpus[count - 1] : 0);
    return true;
}

/* What a row leaves open of its setting's value. */
static bool setting_value(const char **ret_value, const struct confirm_experiment *experiment, const struct sysroot *root,
                          struct arena *arena, struct error *err)
{
    char online[1024];
    *ret_value = experiment->value;
    if (!experiment->value[0])
        return last_cpu(root, ret_value, arena, err);
    if (strcmp(experiment->value, ALL_CPUS) != 0)
        return true;
    if (!sysroot_line(root, online, sizeof(online), CPUS_ONLINE))
        return error_set(err, ERROR_UNSUPPORTED, "there is no '" CPUS_ONLINE "' here");
    *ret_value = arena_string(arena, online);
    return true;
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
    if (experiment->setting) {
        struct run_settings *settings = arena_new(arena, struct run_settings);
        const char *value;
        *settings = (struct run_settings){0};
        if (!setting_value(&value, experiment, place->root, arena, err) ||
            !run_settings_add(settings, experiment->setting, value, place->root, arena, err))
            return error_wrap(err, "experiment %s", experiment->name);
        arm.settings = settings;
    }
    *ret_arm = arm;
    return true;
}
