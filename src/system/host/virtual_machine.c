/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/host/virtual_machine.h"

#include "base/scope.h"
#include "base/vec.h"

#include <ctype.h>

enum { PROCESSES_MOST = 100000 };

int vcpu_number_of(const char *thread_name)
{
    static const struct {
        const char *prefix, *suffix;
    } names[] = {{"CPU ", "/KVM"}, {"fc_vcpu ", ""},    {"fc_vcpu", ""},
                 {"vcpu", ""},     {"crosvm_vcpu", ""}, {"kvm-vcpu-", ""}};
    struct view name = view_trim(view_of(thread_name));
    for (size_t at = 0; at < array_count(names); at++) {
        uint64_t number;
        if (!view_starts(name, names[at].prefix) || !view_ends(name, names[at].suffix) ||
            name.length <= strlen(names[at].prefix) + strlen(names[at].suffix))
            continue;
        struct view digits = view_skip(name, strlen(names[at].prefix));
        digits.length -= strlen(names[at].suffix);
        if (isdigit((unsigned char)digits.text[0]) && view_u64(digits, 10, &number) && number < 65536)
            return (int)number;
    }
    return -1;
}

bool virtual_machine_is_monitor(const char *comm)
{
    static const char *const prefixes[] = {"qemu-", "kvm", "firecracker", "cloud-hyperviso", "crosvm", "lkvm"};
    for (size_t at = 0; at < array_count(prefixes); at++)
        if (view_starts(view_of(comm), prefixes[at]))
            return strncmp(comm, "kvm-", 4) != 0; /* kernel threads kvm-nx-lpage-re, kvm-pit */
    return false;
}

static void allowed_read(struct vcpu *vcpu, const struct sysroot *root, int pid)
{
    scoped_text struct text file = {0};
    struct error unread = {0};
    bool have = sysroot_read(root, &file, &unread, "/proc/%d/task/%d/status", pid, vcpu->tid);
    fact_word_absent(&vcpu->allowed, "%.130s", have ? "status has no Cpus_allowed_list" : unread.message);
    fact_number_absent(&vcpu->allowed_count, "%.130s", vcpu->allowed.why);
    struct view rest = {text_string(&file), have ? file.length : 0}, line;
    while (view_line(&rest, &line)) {
        struct view value = line;
        scoped_free int *cpus = NULL;
        size_t count;
        if (!view_equal(view_cut(&value, ':'), "Cpus_allowed_list") || !cpu_list_parse(view_trim(value), &cpus, &count))
            continue;
        fact_word_set(&vcpu->allowed, value);
        fact_number_set(&vcpu->allowed_count, (int64_t)count);
    }
}

/* proc(5) stat: the name ends at the last ')'; `processor` is field 39, the 37th behind the name. */
static void last_cpu_read(struct vcpu *vcpu, const struct sysroot *root, int pid, const struct topology *topology)
{
    char line[1024];
    int64_t cpu = -1;
    fact_number_absent(&vcpu->last_cpu, "/proc/%d/task/%d/stat does not tell", pid, vcpu->tid);
    fact_number_absent(&vcpu->last_node, "the node of its CPU is unknown");
    if (!sysroot_line(root, line, sizeof(line), "/proc/%d/task/%d/stat", pid, vcpu->tid))
        return;
    const char *end = strrchr(line, ')');
    struct view rest = view_of(end ? end + 1 : "");
    struct view word = VIEW("");
    for (int field = 3; field <= 39; field++)
        word = view_word(&rest);
    if (!view_i64(word, &cpu))
        return;
    fact_number_set(&vcpu->last_cpu, cpu);
    const struct topology_cpu *place = topology_cpu_find(topology, (int)cpu);
    if (place && place->node >= 0)
        fact_number_set(&vcpu->last_node, place->node);
}

/* numa_maps: "7f… bind:0 anon=524288 … N0=524288 kernelpagesize_kB=4"; counts are pages of that size. */
static void numa_line(struct virtual_machine *machine, struct view line, int64_t *most_node)
{
    struct {
        int node;
        int64_t pages;
    } found[VIRTUAL_MACHINE_NODES_MOST];
    size_t count = 0;
    int64_t page_kib = 4;
    for (struct view word = view_word(&line); word.length; word = view_word(&line)) {
        struct view value = word, key = view_cut(&value, '=');
        uint64_t node;
        int64_t number;
        if (!view_i64(value, &number) || number < 0)
            continue;
        if (view_equal(key, "kernelpagesize_kB"))
            page_kib = number;
        else if (key.length > 1 && key.text[0] == 'N' && view_u64(view_skip(key, 1), 10, &node) &&
                 node < VIRTUAL_MACHINE_NODES_MOST && count < array_count(found)) {
            found[count].node = (int)node;
            found[count++].pages = number;
        }
    }
    for (size_t at = 0; at < count; at++) {
        int64_t bytes;
        if (__builtin_mul_overflow(found[at].pages, page_kib * 1024, &bytes) ||
            __builtin_add_overflow(machine->node_bytes[found[at].node], bytes, &bytes))
            continue;
        machine->node_bytes[found[at].node] = bytes;
        *most_node = found[at].node > *most_node ? found[at].node : *most_node;
    }
}

static void memory_read(struct virtual_machine *machine, const struct sysroot *root)
{
    scoped_text struct text file = {0};
    struct error unread = {0};
    int64_t most_node = -1;
    if (!sysroot_read(root, &file, &unread, "/proc/%d/numa_maps", machine->pid)) {
        fact_number_absent(&machine->node_count, "%.130s", unread.message);
        return;
    }
    struct view rest = text_view(&file), line;
    while (view_line(&rest, &line))
        numa_line(machine, line, &most_node);
    if (most_node >= 0)
        fact_number_set(&machine->node_count, most_node + 1);
    else
        fact_number_absent(&machine->node_count, "/proc/%d/numa_maps names no node", machine->pid);
}

static void remote_count(struct virtual_machine *machine)
{
    int64_t home = 0, remote = 0;
    if (!machine->node_count.known) {
        fact_number_absent(&machine->remote_vcpus, "%.130s", machine->node_count.why);
        return;
    }
    for (int64_t node = 1; node < machine->node_count.value; node++)
        if (machine->node_bytes[node] > machine->node_bytes[home])
            home = node;
    for (size_t at = 0; at < machine->vcpu_count; at++) {
        if (!machine->vcpus[at].last_node.known) {
            fact_number_absent(&machine->remote_vcpus, "the node of vCPU %d is unknown", machine->vcpus[at].number);
            return;
        }
        remote += machine->vcpus[at].last_node.value != home;
    }
    fact_number_set(&machine->remote_vcpus, remote);
}

static int compare_vcpu(const void *a, const void *b)
{
    const struct vcpu *left = a, *right = b;
    return (left->number > right->number) - (left->number < right->number);
}

static void vcpus_read(struct virtual_machine *machine, const struct sysroot *root, const struct topology *topology,
                       struct arena *arena)
{
    vec(struct vcpu) vcpus = {0};
    scoped_dir DIR *tasks = sysroot_opendir(root, "/proc/%d/task", machine->pid);
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
        uint64_t tid;
        char comm[64];
        if (!view_u64(view_of(entry->d_name), 10, &tid) || tid > INT32_MAX ||
            !sysroot_line(root, comm, sizeof(comm), "/proc/%d/task/%d/comm", machine->pid, (int)tid))
            continue;
        int number = vcpu_number_of(comm);
        if (number < 0)
            continue;
        struct vcpu *vcpu = vec_push(&vcpus);
        *vcpu = (struct vcpu){.tid = (int)tid, .number = number};
        allowed_read(vcpu, root, machine->pid);
        last_cpu_read(vcpu, root, machine->pid, topology);
        vcpu->pinned = vcpu->allowed_count.known && (size_t)vcpu->allowed_count.value < topology->cpu_count;
    }
    if (vcpus.count) {
        qsort(vcpus.items, vcpus.count, sizeof(*vcpus.items), compare_vcpu);
        machine->vcpus = arena_copy(arena, vcpus.items, vcpus.count * sizeof(*vcpus.items));
        machine->vcpu_count = vcpus.count;
    }
    vec_done(&vcpus);
}

static void parameters_read(struct virtual_machines *machines, const struct sysroot *root)
{
    fact_word_read(&machines->ept, root, "/sys/module/kvm_intel/parameters/ept");
    fact_word_read(&machines->npt, root, "/sys/module/kvm_amd/parameters/npt");
    fact_word_read(&machines->nested, root, "/sys/module/kvm_intel/parameters/nested");
    if (!machines->nested.known)
        fact_word_read(&machines->nested, root, "/sys/module/kvm_amd/parameters/nested");
    fact_word_read(&machines->guest_pmu, root, "/sys/module/kvm/parameters/enable_pmu");
    fact_number_read(&machines->halt_poll_ns, root, "/sys/module/kvm/parameters/halt_poll_ns");
    fact_word_read(&machines->nx_huge_pages, root, "/sys/module/kvm/parameters/nx_huge_pages");
}

void virtual_machines_read(struct virtual_machines *machines, const struct sysroot *root,
                           const struct topology *topology, struct arena *arena)
{
    vec(struct virtual_machine) found = {0};
    int64_t scanned = 0;
    *machines = (struct virtual_machines){0};
    parameters_read(machines, root);
    if (!sysroot_exists(root, "/dev/kvm") && !sysroot_exists(root, "/sys/module/kvm")) {
        fact_number_absent(&machines->scanned, "this kernel has no KVM loaded");
        return;
    }
    scoped_dir DIR *processes = sysroot_opendir(root, "/proc");
    if (!processes) {
        fact_number_absent(&machines->scanned, "/proc can't be listed");
        return;
    }
    for (struct dirent *entry; scanned < PROCESSES_MOST && (entry = readdir(processes));) {
        uint64_t pid;
        char comm[64];
        if (!view_u64(view_of(entry->d_name), 10, &pid) || pid > INT32_MAX ||
            !sysroot_line(root, comm, sizeof(comm), "/proc/%d/comm", (int)pid))
            continue;
        scanned++;
        struct virtual_machine machine = {.pid = (int)pid};
        vcpus_read(&machine, root, topology, arena);
        if (!machine.vcpu_count && !virtual_machine_is_monitor(comm))
            continue;
        machine.monitor = arena_string(arena, comm);
        memory_read(&machine, root);
        remote_count(&machine);
        *vec_push(&found) = machine;
    }
    fact_number_set(&machines->scanned, scanned);
    if (found.count)
        machines->items = arena_copy(arena, found.items, found.count * sizeof(*found.items));
    machines->count = found.count;
    vec_done(&found);
}
