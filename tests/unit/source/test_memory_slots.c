/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A made-up kernel's memory, laid out as this kernel's types say, behind the seam: what is read of slots, and what isn't believed. */
#include "test.h"

#include "base/vec.h"
#include "decode/btf.h"
#include "source/live/kernel_types.h"
#include "source/live/memory_slots.h"

#include <errno.h>

#define BASE UINT64_C(0xffff888000000000)

enum { TASK = 0x10000, OTHER = 0x20000, FILES = 0x30000, TABLE = 0x31000, LIST = 0x32000, OPENED = 0x33000, MACHINE = 0x34000, SLOTS = 0x38000,
       FIRST = 0x3a000, SECOND = 0x3b000, THIRD = 0x3c000, SIZE = 0x40000, PROCESS = 4242, CREATOR = 4243, DESCRIPTOR = 11 };

struct world {
    uint8_t *memory;
    int loads, closes;
    int refuse_load, refuse_read; /* errno; whether the helper refuses */
};

static int made_bpf(void *context, int command, union bpf_attr *attr, unsigned int size_bytes)
{
    struct world *world = context;
    (void)size_bytes;
    if (command == BPF_PROG_LOAD) {
        errno = world->refuse_load;
        world->loads++;
        return world->refuse_load ? -1 : 100;
    }
    struct kernel_memory_context *asked = (void *)(uintptr_t)attr->test.ctx_in;
    uint64_t at = asked->address - BASE;
    asked->task = BASE + TASK;
    memset(asked->bytes, 0, sizeof(asked->bytes));
    bool there = !world->refuse_read && asked->address >= BASE && at + KERNEL_MEMORY_AT_ONCE <= SIZE;
    if (there)
        memcpy(asked->bytes, world->memory + at, KERNEL_MEMORY_AT_ONCE);
    asked->address = there ? 0 : (uint64_t)-EFAULT;
    return 0;
}

static int made_close(void *context, int fd)
{
    ((struct world *)context)->closes += fd == 100;
    return 0;
}

static uint32_t offset_of(const struct btf *btf, const char *type, const char *name)
{
    struct btf_member member = {.type = type, .name = name};
    cr_assert_eq(btf_members_find(btf, &member, 1), 1, "%s of %s", name, type);
    return member.offset_bytes;
}

static void put(struct world *world, uint64_t at, uint64_t value, size_t bytes)
{
    memcpy(world->memory + at, &value, bytes);
}

static void put_slot(struct world *world, const struct btf *btf, uint64_t slot, uint64_t guest, uint64_t bytes, uint64_t host, uint32_t flags, int id)
{
    put(world, slot + offset_of(btf, "kvm_memory_slot", "base_gfn"), guest >> 12, 8);
    put(world, slot + offset_of(btf, "kvm_memory_slot", "npages"), bytes >> 12, 8);
    put(world, slot + offset_of(btf, "kvm_memory_slot", "userspace_addr"), host, 8);
    put(world, slot + offset_of(btf, "kvm_memory_slot", "flags"), flags, 4);
    put(world, slot + offset_of(btf, "kvm_memory_slot", "id"), (uint64_t)id, 2);
}

static uint64_t node_of(const struct btf *btf, uint64_t slot)
{
    return slot + offset_of(btf, "kvm_memory_slot", "gfn_node") + 24; /* the second set is in use */
}

/* A machine of three slots: the second is the tree's root. */
static void world_make(struct world *world, const struct btf *btf)
{
    uint64_t tasks = offset_of(btf, "task_struct", "tasks"), left = offset_of(btf, "rb_node", "rb_left"), right = offset_of(btf, "rb_node", "rb_right");
    put(world, TASK + tasks, BASE + OTHER + tasks, 8);
    put(world, OTHER + tasks, BASE + TASK + tasks, 8);
    put(world, TASK + offset_of(btf, "task_struct", "tgid"), 1, 4);
    put(world, OTHER + offset_of(btf, "task_struct", "tgid"), PROCESS, 4);
    put(world, OTHER + offset_of(btf, "task_struct", "files"), BASE + FILES, 8);
    put(world, FILES + offset_of(btf, "files_struct", "fdt"), BASE + TABLE, 8);
    put(world, TABLE + offset_of(btf, "fdtable", "max_fds"), 64, 4);
    put(world, TABLE + offset_of(btf, "fdtable", "fd"), BASE + LIST, 8);
    put(world, LIST + 8 * DESCRIPTOR, BASE + OPENED, 8);
    put(world, OPENED + offset_of(btf, "file", "private_data"), BASE + MACHINE, 8);
    put(world, MACHINE + offset_of(btf, "kvm", "userspace_pid"), CREATOR, 4);
    put(world, MACHINE + offset_of(btf, "kvm", "memslots"), BASE + SLOTS, 8);
    put(world, SLOTS + offset_of(btf, "kvm_memslots", "node_idx"), 1, 4);
    put(world, SLOTS + offset_of(btf, "kvm_memslots", "gfn_tree"), BASE + node_of(btf, SECOND), 8);
    put(world, node_of(btf, SECOND) + left, BASE + node_of(btf, FIRST), 8);
    put(world, node_of(btf, SECOND) + right, BASE + node_of(btf, THIRD), 8);
    put_slot(world, btf, FIRST, 0, 640 << 10, 0x7f0000000000, 0, 0);
    put_slot(world, btf, SECOND, 1 << 20, 511 << 20, 0x7f0000100000, 1, 1);
    put_slot(world, btf, THIRD, 0xfffc0000, 256 << 10, 0x7e0000000000, 2, 2);
}

static struct kernel_types types;
static struct btf btf;
static struct sysroot root;
static struct arena arena;
static struct world world;
static struct kernel made;

static void setup(void)
{
    sysroot_init(&root, NULL);
    arena_init(&arena);
    world = (struct world){.memory = calloc(1, SIZE)};
    made = *kernel_live();
    made.context = &world;
    made.bpf = made_bpf;
    made.close = made_close;
    struct btf_member probe = {.type = "kvm_memslots", .name = "gfn_tree"};
    if (!kernel_types_read(&types, &root, "vmlinux"))
        cr_skip_test("this kernel has no type information");
    cr_assert(btf_begin(&btf, types.bytes, (struct view){0}, "\001"));
    if (!btf_members_find(&btf, &probe, 1))
        cr_skip_test("this kernel has no KVM, or as a module");
    world_make(&world, &btf);
}

static void teardown(void)
{
    btf_done(&btf);
    kernel_types_done(&types);
    arena_done(&arena);
    free(world.memory);
}

TestSuite(memory_slots, .init = setup, .fini = teardown);

static struct memory_slots_reader *reader_new(void)
{
    struct error err = {0};
    struct memory_slots_reader *reader = memory_slots_reader_new(&root, &made, &err);
    cr_assert(reader, "%s", err.message);
    return reader;
}

static struct memory_slots read_slots(int creator)
{
    struct memory_slots slots;
    struct kvm_machine machine = {.pid = PROCESS, .creator = creator, .fd = DESCRIPTOR};
    struct memory_slots_reader *reader = reader_new();
    memory_slots_read(reader, &machine, &slots, &arena);
    memory_slots_reader_free(reader);
    cr_assert_eq(world.closes, 1);
    return slots;
}

Test(memory_slots, are_read_in_order)
{
    struct memory_slots slots = read_slots(CREATOR);
    cr_assert(!slots.why_not && slots.count == 3, "%s", slots.why_not);
    cr_assert(slots.items[0].guest_addr == 0 && slots.items[0].bytes == 640 << 10 && slots.items[0].host_addr == 0x7f0000000000);
    cr_assert(slots.items[1].logged && !slots.items[1].read_only && slots.items[1].id == 1);
    cr_assert(slots.items[2].read_only && slots.items[2].guest_addr == 0xfffc0000 && !slots.items[2].logged);
}

Test(memory_slots, of_another_machine_are_not_taken)
{
    cr_assert_not_null(read_slots(CREATOR + 1).why_not);
}

Test(memory_slots, that_go_round_are_not_believed)
{
    put(&world, node_of(&btf, FIRST) + offset_of(&btf, "rb_node", "rb_left"), BASE + node_of(&btf, SECOND), 8);
    cr_assert_not_null(read_slots(CREATOR).why_not);
}

Test(memory_slots, that_overlap_are_not_believed)
{
    put_slot(&world, &btf, SECOND, 0, 511 << 20, 0x7f0000100000, 0, 1);
    cr_assert_not_null(read_slots(CREATOR).why_not);
}

Test(memory_slots, that_lie_nowhere_are_not_believed)
{
    put(&world, node_of(&btf, THIRD) + offset_of(&btf, "rb_node", "rb_right"), 0x12345, 8);
    cr_assert_not_null(read_slots(CREATOR).why_not);
}

Test(memory_slots, whatever_stands_there_ends)
{
    uint32_t state = 7;
    struct kvm_machine machine = {.pid = PROCESS, .creator = CREATOR, .fd = DESCRIPTOR};
    struct memory_slots_reader *reader = reader_new();
    for (int turn = 0; turn < 3000; turn++) {
        state = state * 1664525 + 1013904223;
        uint64_t at = SLOTS + (state >> 8) % (SIZE - SLOTS);
        world.memory[at] ^= (uint8_t)(1 << (state >> 28) % 8);
        struct memory_slots slots;
        memory_slots_read(reader, &machine, &slots, &arena);
    }
    memory_slots_reader_free(reader);
    cr_assert_eq(world.closes, 1);
}

Test(memory_slots, refusals_are_told)
{
    struct error err = {0};
    world.refuse_load = EPERM;
    cr_assert_null(memory_slots_reader_new(&root, &made, &err));
    cr_assert(err.kind == ERROR_PERMISSION && err.hint[0] && world.closes == 0);
    world.refuse_load = EINVAL;
    cr_assert_null(memory_slots_reader_new(&root, &made, &err));
    cr_assert_eq(err.kind, ERROR_UNSUPPORTED);
    world.refuse_load = 0;
    world.refuse_read = 1; /* locked down for confidentiality */
    cr_assert_null(memory_slots_reader_new(&root, &made, &err));
    cr_assert(err.kind == ERROR_PERMISSION && world.closes == 1);
}
