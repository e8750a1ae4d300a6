/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of machines that are not here, read from their sysroots. */
#include "made_folder.h"
#include "test.h"

#include "base/vec.h"
#include "system/cpuid.h"
#include "system/machine.h"
#include "system/snapshot/archive.h"
#include "system/snapshot/snapshot.h"
#include "system/surroundings.h"

#include <stdlib.h>

static struct machine *machine_of(const char *name)
{
    static struct machine machine;
    char path[1024];
    struct sysroot root;
    struct error err = {0};
    if (!test_machine(name, path, sizeof(path)))
        cr_skip_test("no machine fixtures: run through tests/run.py");
    sysroot_init(&root, path);
    cr_assert(machine_read(&root, NULL, &machine, &err));
    return &machine;
}

Test(machine, each_fixture_is_recognised)
{
    static const struct {
        const char *name, *key;
        enum hypervisor hypervisor;
        enum confidential confidential;
        enum container_kind container;
        int sockets, cores, threads;
        bool core_pmu, topdown;
    } cases[] = {
        {"sapphire-rapids-host", "SPR", HYPERVISOR_NONE, CONFIDENTIAL_NONE, CONTAINER_NONE, 2, 4, 2, true, true},
        {"kvm-host", "SPR", HYPERVISOR_NONE, CONFIDENTIAL_NONE, CONTAINER_NONE, 2, 4, 2, true, true},
        {"icelake-aws-guest", "ICX", HYPERVISOR_KVM, CONFIDENTIAL_NONE, CONTAINER_NONE, 1, 4, 2, true, false},
        {"zen4-host", "ZEN4", HYPERVISOR_NONE, CONFIDENTIAL_NONE, CONTAINER_NONE, 1, 4, 2, true, false},
        {"neoverse-v2-host", "NEOVERSE-V2", HYPERVISOR_NONE, CONFIDENTIAL_NONE, CONTAINER_NONE, 1, 8, 1, true, false},
        {"tdx-guest", "SPR", HYPERVISOR_KVM, CONFIDENTIAL_TDX, CONTAINER_NONE, 1, 4, 1, false, false},
        {"alder-lake-host", "ADL", HYPERVISOR_NONE, CONFIDENTIAL_NONE, CONTAINER_NONE, 1, 4, 1, true, true},
        {"sev-snp-guest", "ZEN4", HYPERVISOR_KVM, CONFIDENTIAL_SEV_SNP, CONTAINER_NONE, 1, 4, 1, false, false},
        {"hyperv-guest", "ICX", HYPERVISOR_HYPERV, CONFIDENTIAL_NONE, CONTAINER_NONE, 1, 2, 2, false, false},
        {"xen-guest", "BDX", HYPERVISOR_XEN, CONFIDENTIAL_NONE, CONTAINER_NONE, 1, 2, 1, false, false},
        {"graviton3-guest", "NEOVERSE-V1", HYPERVISOR_KVM, CONFIDENTIAL_NONE, CONTAINER_NONE, 1, 4, 1, true, false},
        {"container-cgroup-v1", "CLX", HYPERVISOR_KVM, CONFIDENTIAL_NONE, CONTAINER_DOCKER, 1, 2, 2, false, false},
        {"container-cgroup-v2", "CLX", HYPERVISOR_KVM, CONFIDENTIAL_NONE, CONTAINER_KUBERNETES, 1, 2, 2, false, false},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct machine *machine = machine_of(cases[at].name);
        const char *name = cases[at].name;
        cr_assert(machine->cpu.microarchitecture, "%s", name);
        cr_assert_str_eq(machine->cpu.microarchitecture->key, cases[at].key);
        cr_assert_eq(machine->virtualisation.hypervisor, cases[at].hypervisor, "%s: %s", name, machine->virtualisation.evidence);
        cr_assert_eq(machine->virtualisation.confidential, cases[at].confidential, "%s", name);
        cr_assert_eq(machine->container.kind, cases[at].container, "%s: %s", name, machine->container.evidence);
        cr_assert(fact_equals(&machine->topology.sockets, cases[at].sockets), "%s", name);
        cr_assert(fact_equals(&machine->topology.cores, cases[at].cores), "%s", name);
        cr_assert(fact_equals(&machine->topology.threads_per_core, cases[at].threads), "%s", name);
        cr_assert_eq(pmu_find_core(&machine->pmus) != NULL, cases[at].core_pmu, "%s", name);
        cr_assert_eq(pmu_has_topdown(pmu_find_core(&machine->pmus)), cases[at].topdown, "%s", name);
        cr_assert_not(machine->live);
        machine_done(machine);
    }
}

/* Each maker has a leaf of its own for it: the other's is empty everywhere. */
Test(machine, a_hidden_pmu_is_told_by_its_makers_leaf)
{
    static const struct {
        const char *name, *leaf;
    } cases[] = {{"sev-snp-guest", "80000022H"}, {"tdx-guest", "0AH"}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct machine *machine = machine_of(cases[at].name);
        struct surroundings surroundings;
        struct arena arena;
        arena_init(&arena);
        fact_number_set(&machine->architectural.version, 0);
        surroundings_take(&surroundings, machine, &arena);
        cr_assert_not(surroundings.pmu_counters.known);
        cr_expect(strstr(surroundings.pmu_counters.why_not, cases[at].leaf), "%s: %s", cases[at].name, surroundings.pmu_counters.why_not);
        arena_done(&arena);
        machine_done(machine);
    }
}

/* What a snapshot keeps is enough for the same facts. (CPUID is the live machine's in any snapshot: the fixture's is put back.) */
/* Its kernel has no nohz_full file, and a list of isolated CPUs that is empty: a run on it differs from one with nohz_full=1-3. */
Test(surroundings, a_kernel_that_keeps_all_ticks_differs_from_one_that_does_without)
{
    struct arena arena;
    struct surroundings with_ticks, without;
    struct surroundings_difference found[4];
    arena_init(&arena);
    struct machine *machine = machine_of("zen4-host");
    surroundings_take(&with_ticks, machine, &arena);
    without = with_ticks;
    without.nohz_full = "1-3";
    cr_assert_eq(surroundings_compare(&with_ticks, &without, found, 4, &arena), 1);
    cr_expect_str_eq(found[0].name, "nohz_full");
    cr_expect_str_eq(found[0].a, "none");
    machine_done(machine);
    arena_done(&arena);
}

Test(machine, a_snapshot_of_each_fixture_tells_the_same)
{
    static const char *const names[] = {"kvm-host", "zen4-host", "neoverse-v2-host", "alder-lake-host", "sev-snp-guest", "xen-guest",
                                        "hyperv-guest", "graviton3-guest", "container-cgroup-v1", "container-cgroup-v2"};
    for (size_t at = 0; at < array_count(names); at++) {
        char from[1024], folder[] = "/tmp/plumb-again-XXXXXX", command[2400];
        struct sysroot root;
        struct machine first, second;
        struct archive *archive = NULL;
        struct error err = {0};
        if (!test_machine(names[at], from, sizeof(from)))
            cr_skip_test("no machine fixtures: run through tests/run.py");
        sysroot_init(&root, from);
        cr_assert(machine_read(&root, NULL, &first, &err));
        cr_assert(mkdtemp(folder));
        cr_assert(archive_open(&archive, folder, &err) && snapshot_write(archive, &root, &first, &err) && archive_close(archive, &err), "%s",
                  err.message);
        snprintf(command, sizeof(command), "cp '%s/plumb/cpuid' '%s/plumb/cpuid' 2>/dev/null || rm -f '%s/plumb/cpuid'", from, folder, folder);
        cr_assert_eq(system(command), 0);
        sysroot_init(&root, folder);
        cr_assert(machine_read(&root, NULL, &second, &err));
        cr_expect_str_eq(first.virtualisation.evidence, second.virtualisation.evidence, "%s", names[at]);
        cr_expect_eq(first.virtualisation.confidential, second.virtualisation.confidential, "%s", names[at]);
        cr_expect_str_eq(first.container.evidence, second.container.evidence, "%s", names[at]);
        cr_expect_eq(first.cpu.microarchitecture, second.cpu.microarchitecture, "%s", names[at]);
        cr_expect_eq(first.topology.cpu_count, second.topology.cpu_count, "%s", names[at]);
        cr_expect_eq(first.topology.node_count, second.topology.node_count, "%s", names[at]);
        cr_expect_eq(first.topology.cache_count, second.topology.cache_count, "%s", names[at]);
        cr_expect_eq(first.pmus.count, second.pmus.count, "%s", names[at]);
        cr_expect_eq(first.cgroup.version, second.cgroup.version, "%s", names[at]);
        cr_expect_eq(first.cgroup.limited, second.cgroup.limited, "%s", names[at]);
        cr_expect_float_eq(first.cgroup.quota_cpus, second.cgroup.quota_cpus, 1e-9, "%s", names[at]);
        cr_expect_eq(first.cgroup.throttled_us.value, second.cgroup.throttled_us.value, "%s", names[at]);
        cr_expect_str_eq(first.cgroup.cpus.text, second.cgroup.cpus.text, "%s", names[at]);
        cr_expect_eq(first.virtual_machines.count, second.virtual_machines.count, "%s", names[at]);
        cr_expect_eq(first.rights.seccomp_mode.value, second.rights.seccomp_mode.value, "%s", names[at]);
        cr_expect_str_eq(first.clocksource.current.text, second.clocksource.current.text, "%s", names[at]);
        machine_done(&first);
        machine_done(&second);
        snprintf(command, sizeof(command), "rm -rf '%s'", folder);
        cr_assert_eq(system(command), 0);
    }
}

Test(machine, an_empty_root_knows_nothing_and_says_why)
{
    struct sysroot root;
    struct machine machine;
    struct error err = {0};
    sysroot_init(&root, "/nonexistent");
    cr_assert(machine_read(&root, NULL, &machine, &err));
    cr_assert_not(machine.topology.sockets.known);
    cr_assert(machine.topology.sockets.why[0]);
    cr_assert_not(machine.limits.paranoid.known);
    cr_assert(strstr(machine.limits.paranoid.why, "perf_event_paranoid"));
    cr_assert_eq(machine.virtualisation.hypervisor, HYPERVISOR_UNKNOWN);
    cr_assert_not(machine.cgroup.quota_us.known);
    cr_assert(machine.cgroup.quota_us.why[0]);
    cr_assert_not(machine.cpu_time.steal.known);
    double ratio;
    cr_assert_not(cpu_time_steal_ratio_since_boot(&machine.cpu_time, &ratio));
    cr_assert_eq(machine.pmus.count, 0u);
    machine_done(&machine);
}

Test(machine, the_live_one_agrees_with_libc)
{
    struct sysroot root;
    struct machine machine;
    struct error err = {0};
    sysroot_init(&root, NULL);
    cr_assert(machine_read(&root, kernel_live(), &machine, &err));
    cr_assert_eq((long)machine.topology.cpu_count, sysconf(_SC_NPROCESSORS_ONLN));
    cr_assert(fact_equals(&machine.rights.user, geteuid()));
    cr_assert_neq(machine.perf_door, PERF_DOOR_NOT_ASKED);
    machine_done(&machine);
}

Test(cgroup_cpu, the_tightest_level_counts_in_v1_and_v2)
{
    struct machine *v1 = machine_of("container-cgroup-v1");
    cr_assert_eq(v1->cgroup.version, 1);
    cr_assert(v1->cgroup.limited);
    cr_assert_float_eq(v1->cgroup.quota_cpus, 1.5, 1e-9);
    cr_assert(fact_equals(&v1->cgroup.throttled_periods, 812));
    cr_assert(fact_equals(&v1->cgroup.throttled_us, 61234567), "nanoseconds in v1");
    cr_assert(fact_is(&v1->cgroup.cpus, "0-3"));
    machine_done(v1);
    struct machine *v2 = machine_of("container-cgroup-v2");
    cr_assert_eq(v2->cgroup.version, 2);
    cr_assert_float_eq(v2->cgroup.quota_cpus, 0.5, 1e-9);
    cr_assert(fact_is(&v2->cgroup.quota_path, "/"), "the parent's quota, not the own group's");
    cr_assert(fact_equals(&v2->cgroup.throttled_us, 20250000));
    cr_assert(fact_equals(&v2->cgroup.pressure_us, 4512345));
    machine_done(v2);
    struct machine *free = machine_of("zen4-host");
    cr_assert_not(free->cgroup.limited);
    cr_assert_not(free->cgroup.quota_us.known);
    machine_done(free);
}

Test(virtual_machine, vcpus_their_pinning_and_their_memory)
{
    struct machine *machine = machine_of("kvm-host");
    cr_assert_eq(machine->virtual_machines.count, 1u);
    const struct virtual_machine *guest = &machine->virtual_machines.items[0];
    cr_assert_eq(guest->pid, 4242);
    cr_assert_eq(guest->vcpu_count, 2u);
    cr_assert(guest->vcpus[0].pinned && guest->vcpus[1].pinned);
    cr_assert(fact_equals(&guest->vcpus[0].last_node, 0));
    cr_assert(fact_equals(&guest->vcpus[1].last_node, 1));
    cr_assert(fact_equals(&guest->remote_vcpus, 1));
    cr_assert_eq(guest->node_bytes[0], 300 * INT64_C(4096) + 2048 * INT64_C(2097152) + 6 * INT64_C(4096));
    machine_done(machine);
}

Test(virtual_machine, thread_names_of_the_monitors)
{
    static const struct {
        const char *name;
        int number;
    } cases[] = {
        {"CPU 0/KVM", 0}, {"CPU 17/KVM\n", 17}, {"CPU 0/TCG", -1}, {"fc_vcpu 3", 3}, {"fc_vcpu", -1}, {"vcpu12", 12}, {"vcpu", -1},
        {"vcpux", -1},    {"crosvm_vcpu1", 1},  {"kvm-vcpu-2", 2}, {"CPU /KVM", -1}, {"", -1},        {"bash", -1},   {"vcpu-1", -1},
        {"CPU 99999999999999999999/KVM", -1},
    };
    for (size_t at = 0; at < array_count(cases); at++)
        cr_assert_eq(vcpu_number_of(cases[at].name), cases[at].number, "'%s'", cases[at].name);
}

Test(microarchitecture, by_family_model_and_stepping)
{
    static const struct {
        enum microarchitecture_vendor vendor;
        uint32_t family, model, stepping;
        const char *key; /* NULL: not tabled */
    } cases[] = {
        {MICROARCHITECTURE_INTEL, 6, 0x55, 4, "SKX"},        {MICROARCHITECTURE_INTEL, 6, 0x55, 7, "CLX"},
        {MICROARCHITECTURE_INTEL, 6, 0x55, 11, "CPX"},       {MICROARCHITECTURE_INTEL, 6, 0x6a, 6, "ICX"},
        {MICROARCHITECTURE_INTEL, 6, 0x8f, 8, "SPR"},        {MICROARCHITECTURE_INTEL, 6, 0xcf, 2, "EMR"},
        {MICROARCHITECTURE_INTEL, 6, 0xad, 0, "GNR"},        {MICROARCHITECTURE_INTEL, 6, 0x9e, 10, "KBL"},
        {MICROARCHITECTURE_INTEL, 6, 0xfe, 0, NULL},         {MICROARCHITECTURE_INTEL, 15, 0x8f, 0, NULL},
        {MICROARCHITECTURE_AMD, 0x17, 0x01, 2, "ZEN1"},      {MICROARCHITECTURE_AMD, 0x17, 0x31, 0, "ZEN2"},
        {MICROARCHITECTURE_AMD, 0x19, 0x01, 1, "ZEN3"},      {MICROARCHITECTURE_AMD, 0x19, 0x11, 1, "ZEN4"},
        {MICROARCHITECTURE_AMD, 0x19, 0xa0, 2, "ZEN4"},      {MICROARCHITECTURE_AMD, 0x1a, 0x02, 1, "ZEN5"},
        {MICROARCHITECTURE_AMD, 0x1a, 0x11, 0, "ZEN5"},      {MICROARCHITECTURE_ARM, 0x41, 0xd0c, 1, "NEOVERSE-N1"},
        {MICROARCHITECTURE_ARM, 0x41, 0xd40, 1, "NEOVERSE-V1"}, {MICROARCHITECTURE_ARM, 0x41, 0xd49, 0, "NEOVERSE-N2"},
        {MICROARCHITECTURE_ARM, 0x41, 0xd4f, 1, "NEOVERSE-V2"}, {MICROARCHITECTURE_ARM, 0xc0, 0xac3, 0, "AMPERE1"},
        {MICROARCHITECTURE_ARM, 0x99, 0xd4f, 1, NULL},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        const struct microarchitecture *found =
            microarchitecture_find(cases[at].vendor, cases[at].family, cases[at].model, cases[at].stepping);
        if (cases[at].key)
            cr_assert(found && strcmp(found->key, cases[at].key) == 0, "%s: %s", cases[at].key, found ? found->key : "none");
        else
            cr_assert_not(found);
    }
}

Test(pmu_list, events_become_config_by_the_formats)
{
    static struct pmu_entry intel_formats[] = {{"cmask", "config:24-31"}, {"edge", "config:18"}, {"event", "config:0-7"}, {"ldlat", "config1:0-15"}, {"umask", "config:8-15"}};
    static struct pmu_entry amd_formats[] = {{"event", "config:0-7,32-35"}, {"umask", "config:8-15"}};
    const struct pmu intel = {.name = "cpu", .formats = {intel_formats, array_count(intel_formats)}};
    const struct pmu amd = {.name = "cpu", .formats = {amd_formats, array_count(amd_formats)}};
    static const struct {
        const char *value;
        bool amd, good;
        uint64_t config;
    } cases[] = {
        {"event=0xd0,umask=0x81", false, true, 0x81d0},  {"event=0x00,umask=0x4", false, true, 0x0400},
        {"event=0xc4,edge,cmask=1", false, true, 0x010400c4}, {"event=0xcd,umask=0x1,ldlat=3", false, false, 0},
        {"event=0x1a0,umask=0x1e", true, true, 0x100001ea0}, {"event=0x100", false, false, 0},
        {"nothing=1", false, false, 0},                 {"event=zz", false, false, 0}, {"", false, true, 0},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        uint64_t config = 0;
        cr_assert_eq(pmu_event_encode(cases[at].amd ? &amd : &intel, cases[at].value, &config), cases[at].good, "%s", cases[at].value);
        cr_assert_eq(config, cases[at].config, "%s: %lx", cases[at].value, config);
    }
}

Test(cpuid, a_snapshot_tells_only_the_leaves_it_lists)
{
    char path[1024];
    if (!test_machine("tdx-guest", path, sizeof(path)))
        cr_skip_test("no machine fixtures: run through tests/run.py");
    struct sysroot root;
    struct cpuid_leaf leaf = {0};
    sysroot_init(&root, path);
    cr_assert(cpuid_read(&root, 0xa, 0, &leaf));
    cr_assert_eq(leaf.eax, 0u);
    cr_assert_not(cpuid_read(&root, 0x1f, 0, &leaf), "not listed is unknown, not zero");
}

/* What can't be a load is unknown, not a number out of range. */
Test(cpu_time, a_load_average_that_is_none)
{
    static const struct {
        const char *text;
        bool known;
        int64_t hundredths;
    } cases[] = {
        {"0.25 1.00 2.00 1/99 7\n", true, 25}, {"99999999999999999999999\n", false, 0}, {"-1\n", false, 0}, {"nan\n", false, 0},
        {"inf 0 0\n", false, 0}, {"", false, 0},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        char folder[] = "/tmp/plumb-load-XXXXXX";
        struct sysroot root;
        struct cpu_time time;
        cr_assert(mkdtemp(folder));
        sysroot_init(&root, folder);
        made_folder_put(folder, "/proc/loadavg", "%s", cases[at].text);
        cpu_time_read(&time, &root);
        cr_expect_eq(time.load_hundredths.known, cases[at].known, "%s", cases[at].text);
        cr_expect(!cases[at].known || time.load_hundredths.value == cases[at].hundredths, "%s", cases[at].text);
        made_folder_remove(folder);
    }
}
