/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/confirm/confirm_experiments.h"

#include "base/text.h"
#include "base/vec.h"
#include "command/confirm/confirm_why_not.h"

#include <string.h>

#define KEEP_TUNABLES "glibc.malloc.trim_threshold=4294967296:glibc.malloc.mmap_threshold=4294967296"

#define CHANGED_SUBJECTS                                                                                              \
    "small-pages page-faults cache-misses memory-bandwidth stores numa-remote contended-lines divider "               \
    "branch-mispredicts latency-chain load-chain denormals narrow-vectors avx512-licence front-end atomics "          \
    "unoptimised-build checking-code instrumented-build interpreter allocation copying spinning waiting lock-turns "  \
    "cpu-quota oversubscribed affinity migrations steal system-calls interrupts kernel-locks start-and-exit swap "    \
    "idle-cpus memory core bad_speculation frontend retiring"

/* Cheapest first, among those of one subject. */
static const struct confirm_experiment experiments[] = {
    {
        .name = "changed-command",
        .subjects = CHANGED_SUBJECTS,
        .change = "the command that you changed",
        .overturns = "a gain that surely stays below the prediction",
        .is_changed_command = true,
        .why_not = confirm_no_own_command,
    },
    {
        .name = "step-bursts",
        .subjects = "branch-mispredicts bad_speculation",
        .change = "a look at bursts of its instructions, one by one, with a simulated branch predictor",
        .overturns = "so few wrong guesses that they can't take that share of its time",
        .way = WAY_BURSTS,
        .why_not = confirm_no_bursts,
    },
    {
        .name = "beside-hogs",
        .subjects = "memory-bandwidth memory/bandwidth",
        .change = "the same, beside processes of ours that use memory bandwidth on the other CPUs; both on one CPU",
        .overturns = "no such slow-down, where a stream of ours is slowed",
        .way = WAY_HOGS,
        .cpus = CPUS_LAST,
        .sign = SIGN_BY_NATURE,
        .why_not = confirm_no_hogs,
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
        .why_not = confirm_no_huge_malloc,
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
        .not_taken =
            "its page faults stayed: it gives nothing back by free(), or the mappings are its own, not malloc's",
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
        .why_not = confirm_no_huge_malloc,
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
        .not_taken =
            "its memory did not become huge: it is mapped in small pieces, forbids it, or no huge page was free",
        .why_not = confirm_no_huge_policy,
    },
    {
        .name = "other-allocator",
        .subjects = "allocation",
        .change = "the same, with another allocator",
        .overturns = "a gain above what allocating can return",
        .environment = "LD_PRELOAD=",
        .sign = SIGN_UNSEEN,
        .not_taken = "a static program, or one with an allocator of its own, isn't changed by that",
        .why_not = confirm_no_allocator,
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
        .not_taken = "it waited for a CPU as long as before: a priority counts within one session or control group, "
                     "and the others are of another",
        .why_not = confirm_no_priority,
    },
    {
        .name = "outside-its-group",
        .subjects = "cpu-quota",
        .change = "the same, outside of the control group with the limit",
        .overturns = "no such gain without the limit",
        .starter = "f=" GROUP_ROOT "; [ -e $f ] || f=" GROUP_ROOT_1 "; echo $$ >$f && exec \"$@\"",
        .sign = SIGN_BY_NATURE,
        .why_not = confirm_no_root_group,
    },
    {
        .name = "all-cpus",
        .subjects = "affinity",
        .change = "the same, on all CPUs",
        .overturns = "no such gain where it may use the CPUs that stood idle",
        .cpus = CPUS_ONLINE,
        .sign = SIGN_FALLS,
        .quantity = "run-delay",
        .least = 0.7,
        .not_taken = "it waited for a CPU as long as before: it chooses its CPUs itself, or no other stood idle",
        .why_not = confirm_no_mask,
    },
    {
        .name = "one-cpu",
        .subjects = "migrations interrupts",
        .change = "the same, kept on one CPU",
        .overturns = "no such gain without moves between CPUs",
        .cpus = CPUS_LAST,
        .sign = SIGN_BY_NATURE,
        .why_not = confirm_no_single_thread,
    },
    {
        .name = "threads-on-one-cpu",
        .subjects = "contended-lines atomics kernel-locks",
        .change = "the same, all threads on one CPU, where they can't meet",
        .overturns = "the same CPU time although no two threads run at once",
        .cpus = CPUS_LAST,
        .sign = SIGN_BY_NATURE,
        .why_not = confirm_no_threads,
    },
    {
        .name = "one-memory-node",
        .subjects = "numa-remote",
        .change = "the same, with its threads and its memory on the first node",
        .overturns = "no such gain with near memory",
        .setting = "node",
        .value = "0",
        .cpus = CPUS_OF_NODE,
        .sign = SIGN_BY_NATURE,
        .why_not = confirm_no_node,
    },
    {
        .name = "no-avx512-in-openblas",
        .subjects = "avx512-licence",
        .change = "the same, with OpenBLAS limited to AVX2",
        .overturns = "no such gain at a higher clock",
        .environment = "OPENBLAS_CORETYPE=Haswell",
        .sign = SIGN_UNSEEN,
        .not_taken = "whether its code has changed isn't seen",
        .why_not = confirm_no_openblas,
    },
    {
        .name = "no-avx512-in-onednn",
        .subjects = "avx512-licence",
        .change = "the same, with oneDNN limited to AVX2",
        .overturns = "no such gain at a higher clock",
        .environment = "ONEDNN_MAX_CPU_ISA=AVX2 DNNL_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=avx2",
        .sign = SIGN_UNSEEN,
        .not_taken = "whether its code has changed isn't seen",
        .why_not = confirm_no_onednn,
    },
    {
        .name = "no-avx512-in-libc",
        .subjects = "avx512-licence",
        .change = "the same, with the C library limited to AVX2",
        .overturns = "no such gain at a higher clock",
        .environment = "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512CD,-AVX512DQ",
        .sign = SIGN_UNSEEN,
        .not_taken = "whether its code has changed isn't seen",
        .why_not = confirm_no_libc_vectors,
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
        .why_not = confirm_no_speed,
    },
    {
        .name = "step-bursts-attached",
        .subjects = "branch-mispredicts bad_speculation",
        .change = "a look at bursts of its instructions, one by one, with a simulated branch predictor",
        .overturns = "so few wrong guesses that they can't take that share of its time",
        .is_live = true,
        .way = WAY_BURSTS,
        .why_not = confirm_no_bursts,
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
