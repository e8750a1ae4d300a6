/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/host/kvm_statistics.h"

#include "base/scope.h"
#include "base/vec.h"
#include "system/host/process_list.h"
#include "system/key_value.h"

#include <errno.h>

#define KVM_FOLDER "/sys/kernel/debug/kvm"

typedef vec(struct kvm_machine) machine_vec;

static bool machine_parse(struct view name, struct kvm_machine *machine)
{
    uint64_t pid, fd;
    struct view number = view_cut(&name, '-');
    if (!view_u64(number, 10, &pid) || !view_u64(name, 10, &fd) || pid > INT32_MAX || fd > INT32_MAX)
        return false;
    *machine = (struct kvm_machine){.creator = (int)pid, .fd = (int)fd};
    return true;
}

bool kvm_machine_is_held(const struct sysroot *root, pid_t pid, int fd)
{
    char target[64];
    return sysroot_link(root, target, sizeof(target), "/proc/%d/fd/%d", pid, fd) &&
           strcmp(target, "anon_inode:kvm-vm") == 0;
}

/*
 * Of the processes that have a machine at that descriptor, the one that started last before the thread did: numbers are
 * given out in turn. Where several were there before it, that is a guess.
 */
static void process_guess(const struct sysroot *root, struct kvm_machine *machine)
{
    struct process_list list = {0};
    size_t candidates = 0;
    process_list_read(&list, root);
    for (size_t at = 0; at < list.count; at++) {
        pid_t pid = list.items[at].pid;
        if (pid > machine->creator || !kvm_machine_is_held(root, pid, machine->fd))
            continue;
        candidates++;
        machine->pid = pid > machine->pid ? pid : machine->pid;
    }
    machine->is_guess = candidates > 1;
    process_list_done(&list);
}

static void process_find(const struct sysroot *root, struct kvm_machine *machine)
{
    char path[64];
    struct fact_number process = {.known = false};
    const struct key_fact keys[] = {{"Tgid", &process}};
    snprintf(path, sizeof(path), "/proc/%d/status", machine->creator);
    key_facts_read(keys, array_count(keys), root, path);
    /*
     * A thread's number may be another's by now: only who holds the machine is its monitor. A copied /proc has no
     * descriptors.
     */
    bool is_it =
        process.known && (!sysroot_is_live(root) || kvm_machine_is_held(root, (pid_t)process.value, machine->fd));
    if (is_it)
        machine->pid = (pid_t)process.value;
    else
        process_guess(root, machine);
}

static bool refuse(const struct sysroot *root, int reason, struct error *err)
{
    if (reason == EACCES || reason == EPERM)
        return error_set(err, ERROR_PERMISSION, "KVM's statistics (" KVM_FOLDER ") are shown to root only");
    if (sysroot_exists(root, "/sys/kernel/debug/tracing") || !sysroot_exists(root, "/sys/module/kvm"))
        return error_set(err, ERROR_NOT_FOUND, "no KVM runs on this machine (" KVM_FOLDER " isn't there)");
    error_set(err, ERROR_NOT_FOUND, "KVM's statistics can't be read: debugfs isn't mounted");
    return error_hint(err, "mount -t debugfs nodev /sys/kernel/debug");
}

bool kvm_machines_list(const struct sysroot *root, struct kvm_machine **ret_machines, size_t *ret_count,
                       struct arena *arena, struct error *err)
{
    scoped_dir DIR *folder = sysroot_opendir(root, KVM_FOLDER);
    if (!folder)
        return refuse(root, errno, err);
    machine_vec machines = {0};
    struct kvm_machine machine;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (machine_parse(view_of(entry->d_name), &machine)) {
            process_find(root, &machine);
            *vec_push(&machines) = machine;
        }
    *ret_machines = arena_copy(arena, machines.items, machines.count * sizeof(*machines.items));
    *ret_count = machines.count;
    vec_done(&machines);
    return true;
}

/* Whether one of its descriptors is of a file whose name has one of these words in it. */
static bool holds(const struct sysroot *root, pid_t pid, const char *word, const char *other_word)
{
    scoped_dir DIR *folder = sysroot_opendir(root, "/proc/%d/fd", pid);
    char target[64];
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (sysroot_link(root, target, sizeof(target), "/proc/%d/fd/%s", pid, entry->d_name) &&
            (strstr(target, word) || strstr(target, other_word)))
            return true;
    return false;
}

bool kvm_process_has_machine(const struct sysroot *root, pid_t pid)
{
    return holds(root, pid, "anon_inode:kvm-vm", "anon_inode:kvm-vcpu");
}

bool kvm_machine_has_private(const struct sysroot *root, const struct kvm_machine *machine)
{
    return holds(root, machine->pid, "guest_memfd", "kvm-gmem");
}

void kvm_statistic_read(struct fact_number *fact, const struct sysroot *root, const struct kvm_machine *machine,
                        const char *name)
{
    fact_number_read(fact, root, KVM_FOLDER "/%d-%d/%s", machine->creator, machine->fd, name);
}
