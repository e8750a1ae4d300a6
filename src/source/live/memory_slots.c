/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/live/memory_slots.h"

#include "base/scope.h"
#include "base/vec.h"
#include "decode/btf.h"
#include "source/live/kernel_types.h"
#include "system/host/process_list.h"

#include <stdlib.h>
#include <string.h>

enum {
    PROCESSES_MOST = 4 << 20,
    SLOTS_MOST = 32767,  /* a slot's number is a short */
    DEPTH_MOST = 64,
    PAGE_BITS = 12,
    TRIES = 3,
    SLOT_LOGGED = 1 << 0, /* KVM_MEM_LOG_DIRTY_PAGES, KVM_MEM_READONLY, KVM_MEM_GUEST_MEMFD */
    SLOT_READ_ONLY = 1 << 1,
    SLOT_PRIVATE = 1 << 2,
};

#define ADDRESS_MOST (UINT64_C(1) << 57) /* guest-physical, and of a process */

enum member {
    TASK_NEXT,
    TASK_TGID,
    TASK_FILES,
    FILES_TABLE,
    TABLE_MOST,
    TABLE_FILES,
    FILE_PRIVATE,
    KVM_CREATOR,
    KVM_SLOTS,
    SLOTS_GENERATION,
    SLOTS_TREE,
    SLOTS_NODE,
    SLOT_NODES,
    SLOT_FRAME,
    SLOT_PAGES,
    SLOT_HOST,
    SLOT_FLAGS,
    SLOT_ID,
    NODE_LEFT,
    NODE_RIGHT,
    MEMBERS
};

static const struct {
    const char *type, *name;
} member_names[MEMBERS] = {
    [TASK_NEXT] = {"task_struct", "tasks"},
    [TASK_TGID] = {"task_struct", "tgid"},
    [TASK_FILES] = {"task_struct", "files"},
    [FILES_TABLE] = {"files_struct", "fdt"},
    [TABLE_MOST] = {"fdtable", "max_fds"},
    [TABLE_FILES] = {"fdtable", "fd"},
    [FILE_PRIVATE] = {"file", "private_data"},
    [KVM_CREATOR] = {"kvm", "userspace_pid"},
    [KVM_SLOTS] = {"kvm", "memslots"},
    [SLOTS_GENERATION] = {"kvm_memslots", "generation"},
    [SLOTS_TREE] = {"kvm_memslots", "gfn_tree"},
    [SLOTS_NODE] = {"kvm_memslots", "node_idx"},
    [SLOT_NODES] = {"kvm_memory_slot", "gfn_node"},
    [SLOT_FRAME] = {"kvm_memory_slot", "base_gfn"},
    [SLOT_PAGES] = {"kvm_memory_slot", "npages"},
    [SLOT_HOST] = {"kvm_memory_slot", "userspace_addr"},
    [SLOT_FLAGS] = {"kvm_memory_slot", "flags"},
    [SLOT_ID] = {"kvm_memory_slot", "id"},
    [NODE_LEFT] = {"rb_node", "rb_left"},
    [NODE_RIGHT] = {"rb_node", "rb_right"},
};

struct memory_slots_reader {
    struct kernel_memory memory;
    struct btf_member members[MEMBERS];
    bool is_open;
};

typedef vec(struct memory_slot) slot_vec;

/* ---- the kernel's types ---- */

static bool members_learn(struct memory_slots_reader *reader, const struct sysroot *root, struct error *err)
{
    struct kernel_types kernel = {0}, module = {0};
    struct btf btf;
    if (!kernel_types_read(&kernel, root, "vmlinux")) {
        error_set(err, ERROR_UNSUPPORTED, "this kernel doesn't tell its types (/sys/kernel/btf/vmlinux)");
        return error_hint(err, "a kernel with CONFIG_DEBUG_INFO_BTF=y does");
    }
    (void)kernel_types_read(&module, root, "kvm");
    size_t found = 0;
    if (btf_begin(&btf, kernel.bytes, module.bytes, "\001"))
        found = btf_members_find(&btf, reader->members, MEMBERS);
    btf_done(&btf);
    kernel_types_done(&kernel);
    kernel_types_done(&module);
    for (size_t at = 0; found < MEMBERS && at < MEMBERS; at++)
        if (!reader->members[at].found)
            return error_set(err, ERROR_UNSUPPORTED,
                             "this kernel's types have no '%s' in 'struct %s': it keeps memory slots in another form",
                             member_names[at].name, member_names[at].type);
    return true;
}

struct memory_slots_reader *memory_slots_reader_new(const struct sysroot *root, const struct kernel *kernel,
                                                    struct error *err)
{
    if (!sysroot_is_live(root)) {
        error_set(err, ERROR_UNSUPPORTED, "a snapshot has no memory slots");
        return NULL;
    }
    struct memory_slots_reader *reader = memory_alloc(sizeof(*reader));
    *reader = (struct memory_slots_reader){.is_open = false};
    for (size_t at = 0; at < MEMBERS; at++)
        reader->members[at] = (struct btf_member){.type = member_names[at].type, .name = member_names[at].name};
    if (kernel_memory_open(&reader->memory, kernel, err)) {
        reader->is_open = true;
        if (members_learn(reader, root, err))
            return reader;
    }
    memory_slots_reader_free(reader);
    return NULL;
}

void memory_slots_reader_free(struct memory_slots_reader *reader)
{
    if (reader && reader->is_open)
        kernel_memory_close(&reader->memory);
    free(reader);
}

/* ---- from our task to the machine ---- */

static bool member_read(const struct memory_slots_reader *reader, uint64_t base, enum member member, void *ret,
                        size_t bytes)
{
    return base && kernel_memory_read(&reader->memory, base + reader->members[member].offset_bytes, ret, bytes);
}

/* Along the list of all processes, which closes with ours. */
static uint64_t task_find(const struct memory_slots_reader *reader, pid_t process)
{
    uint64_t task = reader->memory.task;
    for (size_t turn = 0; turn < PROCESSES_MOST; turn++) {
        int32_t number;
        uint64_t next;
        if (!member_read(reader, task, TASK_TGID, &number, sizeof(number)))
            return 0;
        if (number == process)
            return task;
        if (!member_read(reader, task, TASK_NEXT, &next, sizeof(next)))
            return 0;
        task = next - reader->members[TASK_NEXT].offset_bytes;
        if (task == reader->memory.task)
            return 0;
    }
    return 0;
}

static uint64_t machine_find(const struct memory_slots_reader *reader, const struct kvm_machine *machine)
{
    uint64_t files, table, list, file, kvm;
    uint32_t most;
    int32_t creator;
    bool found = member_read(reader, task_find(reader, machine->pid), TASK_FILES, &files, sizeof(files)) &&
                 member_read(reader, files, FILES_TABLE, &table, sizeof(table)) &&
                 member_read(reader, table, TABLE_MOST, &most, sizeof(most)) && (uint32_t)machine->fd < most &&
                 member_read(reader, table, TABLE_FILES, &list, sizeof(list)) &&
                 kernel_memory_read(&reader->memory, list + 8 * (uint64_t)machine->fd, &file, sizeof(file)) &&
                 member_read(reader, file, FILE_PRIVATE, &kvm, sizeof(kvm)) &&
                 member_read(reader, kvm, KVM_CREATOR, &creator, sizeof(creator)) && creator == machine->creator;
    return found ? kvm : 0;
}

void memory_slots_owner_find(const struct memory_slots_reader *reader, const struct sysroot *root,
                             struct kvm_machine *machine)
{
    struct process_list list = {0};
    if (machine->pid && !machine->is_guess)
        return;
    process_list_read(&list, root);
    for (size_t at = 0; at < list.count; at++) {
        struct kvm_machine candidate = *machine;
        candidate.pid = list.items[at].pid;
        if (kvm_machine_is_held(root, candidate.pid, candidate.fd) && machine_find(reader, &candidate)) {
            machine->pid = candidate.pid;
            machine->is_guess = false;
            break;
        }
    }
    process_list_done(&list);
}

/* ---- the tree ---- */

static bool slot_read(const struct memory_slots_reader *reader, uint64_t slot_at, struct memory_slot *slot)
{
    uint64_t frame, pages, host;
    uint32_t flags;
    int16_t id;
    if (!member_read(reader, slot_at, SLOT_FRAME, &frame, sizeof(frame)) ||
        !member_read(reader, slot_at, SLOT_PAGES, &pages, sizeof(pages)) ||
        !member_read(reader, slot_at, SLOT_HOST, &host, sizeof(host)) ||
        !member_read(reader, slot_at, SLOT_FLAGS, &flags, sizeof(flags)) ||
        !member_read(reader, slot_at, SLOT_ID, &id, sizeof(id)))
        return false;
    if (!pages || pages > ADDRESS_MOST >> PAGE_BITS || frame > ADDRESS_MOST >> PAGE_BITS || host > ADDRESS_MOST ||
        host % (1 << PAGE_BITS) || id < 0)
        return false;
    *slot = (struct memory_slot){.guest_addr = frame << PAGE_BITS,
                                 .bytes = pages << PAGE_BITS,
                                 .host_addr = host,
                                 .id = id,
                                 .logged = flags & SLOT_LOGGED,
                                 .read_only = flags & SLOT_READ_ONLY,
                                 .is_private = flags & SLOT_PRIVATE};
    return true;
}

/* In order of addresses, as the tree has them. False: it changed under us. */
static bool tree_walk(const struct memory_slots_reader *reader, uint64_t root, uint64_t node_offset, slot_vec *slots)
{
    uint64_t path[DEPTH_MOST], at = root;
    size_t depth = 0;
    while (at || depth) {
        struct memory_slot slot;
        if (at) {
            if (depth == DEPTH_MOST || slots->count + depth > SLOTS_MOST)
                return false;
            path[depth++] = at;
            if (!member_read(reader, at, NODE_LEFT, &at, sizeof(at)))
                return false;
            continue;
        }
        uint64_t node = path[--depth];
        if (!slot_read(reader, node - node_offset, &slot) ||
            (slots->count &&
             slots->items[slots->count - 1].guest_addr + slots->items[slots->count - 1].bytes > slot.guest_addr) ||
            !member_read(reader, node, NODE_RIGHT, &at, sizeof(at)))
            return false;
        *vec_push(slots) = slot;
    }
    return true;
}

static bool slots_walk(const struct memory_slots_reader *reader, uint64_t kvm, slot_vec *slots)
{
    uint64_t active, after, generation, generation_after, root;
    uint32_t which;
    /* Two nodes of three words in each slot: for the set of slots in use, and for the one that is being changed. */
    const uint64_t node_bytes = 3 * sizeof(uint64_t);
    slots->count = 0;
    if (!member_read(reader, kvm, KVM_SLOTS, &active, sizeof(active)) ||
        !member_read(reader, active, SLOTS_GENERATION, &generation, sizeof(generation)) ||
        !member_read(reader, active, SLOTS_NODE, &which, sizeof(which)) || which > 1 ||
        !member_read(reader, active, SLOTS_TREE, &root, sizeof(root)))
        return false;
    return tree_walk(reader, root, reader->members[SLOT_NODES].offset_bytes + which * node_bytes, slots) &&
           member_read(reader, kvm, KVM_SLOTS, &after, sizeof(after)) && after == active &&
           member_read(reader, active, SLOTS_GENERATION, &generation_after, sizeof(generation_after)) &&
           generation_after == generation;
}

void memory_slots_read(const struct memory_slots_reader *reader, const struct kvm_machine *machine,
                       struct memory_slots *slots, struct arena *arena)
{
    slot_vec found = {0};
    bool whole = false;
    *slots = (struct memory_slots){0};
    uint64_t kvm = machine->pid ? machine_find(reader, machine) : 0;
    for (int turn = 0; kvm && !whole && turn < TRIES; turn++)
        whole = slots_walk(reader, kvm, &found);
    if (whole) {
        slots->items = arena_copy(arena, found.items, found.count * sizeof(*found.items));
        slots->count = found.count;
    } else {
        slots->why_not = !machine->pid ? "the process that made the machine isn't found"
                         : kvm         ? "they changed while they were read"
                               : "the machine isn't found among the kernel's processes: it has ended, or plumb runs in "
                                 "a PID namespace of its own";
    }
    vec_done(&found);
}
