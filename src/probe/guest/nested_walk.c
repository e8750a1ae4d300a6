/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "probe/guest/nested_walk.h"

#if defined(__x86_64__)
#include "base/scope.h"
#include "base/vec.h"
#include "probe/calibration/memory_kernel.h"
#include "probe/guest/cycle_counter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    HUGE = 2 << 20,
    LINE = 64,
    /* lines of a round: more pages than a second TLB holds; as many lines as a quarter of most second caches */
    NODES = 4096,
    ROUNDS = 31,
    BYTES = NODES * PAGE,
    /* Guest-physical. */
    TABLES = 0x10000, /* top, second, four third-level tables */
    CODE = 0x1000,
    SMALL_TABLES = 0x20000,
    LOW_BYTES = HUGE,
    MEMORY = 32 << 20, /* two pieces of BYTES from here: on small and on huge pages of ours */
    /* Guest-virtual: one to one by 2 MiB pages, and the two pieces once more by 4 KiB pages. */
    SMALL_AT = 1 << 30,
};

/* Around twice from rbx in ecx steps, then timed in edi steps: the cycles in rax, then a write to port 0xe8. */
static const uint8_t chase_code[] = {
    0x48, 0x8b, 0x1b, 0xff, 0xc9, 0x75, 0xf9,             /* mov rbx,[rbx]; dec ecx; jnz */
    0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, /* rdtsc; shl rdx,32; or rax,rdx */
    0x49, 0x89, 0xc0, 0x89, 0xf9,                         /* mov r8,rax; mov ecx,edi */
    0x48, 0x8b, 0x1b, 0xff, 0xc9, 0x75, 0xf9,             /* the same steps */
    0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0,
    0x4c, 0x29, 0xc0, 0xe6, 0xe8, 0xeb, 0xfe};            /* sub rax,r8; out 0xe8,al; jmp . */

struct machine {
    const struct kernel *kernel;
    int kvm, vm, vcpu;
    struct kvm_run *run;
    size_t run_bytes;
    struct memory_region low, pieces[NESTED_WALK_SIZES];
};

static int call(const struct machine *machine, int fd, unsigned long request, const void *argument)
{
    return machine->kernel->ioctl(machine->kernel->context, fd, request, (unsigned long)argument);
}

static bool slot_set(const struct machine *machine, uint32_t slot, uint64_t guest_addr,
                     const struct memory_region *memory)
{
    struct kvm_userspace_memory_region region = {.slot = slot,
                                                 .guest_phys_addr = guest_addr,
                                                 .memory_size = memory->size_bytes,
                                                 .userspace_addr = (uintptr_t)memory->bytes};
    return call(machine, machine->vm, KVM_SET_USER_MEMORY_REGION, &region) == 0;
}

/* Present, writable, for CPL 3; 0x80: a large page. */
static void tables_write(char *low)
{
    uint64_t *top = (void *)(low + TABLES), *second = top + 512, *third = second + 512,
             *small = (void *)(low + SMALL_TABLES);
    top[0] = (TABLES + PAGE) | 7;
    for (uint64_t at = 0; at < 4; at++)
        second[at] = (TABLES + PAGE * (2 + at)) | 7;
    for (uint64_t at = 0; at < 4 * 512; at++)
        third[at] = at * HUGE | 0x87;
    for (uint64_t at = 0; at < NESTED_WALK_SIZES * NODES; at++)
        small[at] = (MEMORY + at * PAGE) | 7;
    for (uint64_t at = 0; at < NESTED_WALK_SIZES * NODES / 512; at++)
        third[SMALL_AT / HUGE + at] = (SMALL_TABLES + at * PAGE) | 7;
}

static bool state_set(const struct machine *machine, uint64_t from)
{
    struct kvm_sregs sregs;
    struct kvm_segment
        code = {.limit = 0xffffffff, .selector = 0xb, .type = 11, .present = 1, .dpl = 3, .s = 1, .l = 1, .g = 1},
        data = code;
    if (call(machine, machine->vcpu, KVM_GET_SREGS, &sregs) != 0)
        return false;
    data.type = 3;
    data.selector = 0x13;
    data.l = 0;
    data.db = 1;
    sregs.cs = code;
    sregs.ds = sregs.es = sregs.fs = sregs.gs = sregs.ss = data;
    sregs.cr0 = 0x80050033; /* paging, protection, an FPU */
    sregs.cr3 = TABLES;
    sregs.cr4 = 0x20;   /* physical address extension */
    sregs.efer = 0x500; /* long mode */
    struct kvm_regs regs = {.rip = CODE, .rflags = 0x3002, .rbx = from, .rcx = 2 * NODES, .rdi = 2 * NODES};
    return call(machine, machine->vcpu, KVM_SET_SREGS, &sregs) == 0 &&
           call(machine, machine->vcpu, KVM_SET_REGS, &regs) == 0;
}

/* NULL: it stands. */
static const char *machine_make(struct machine *machine, const struct sysroot *root)
{
    memory_region_init(&machine->low, root, LOW_BYTES, true);
    memory_region_init(&machine->pieces[NESTED_WALK_SMALL], root, BYTES, false);
    memory_region_init(&machine->pieces[NESTED_WALK_HUGE], root, BYTES, true);
    if (machine->low.why_not || machine->pieces[0].why_not || machine->pieces[1].why_not)
        return "this process gets no huge pages itself just now";
    machine->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
    if (machine->kvm < 0)
        return errno == ENOENT ? "this kernel has no /dev/kvm"
                               : "/dev/kvm can't be opened by this user (group kvm, or root)";
    machine->vm = call(machine, machine->kvm, KVM_CREATE_VM, NULL);
    if (machine->vm < 0 || !slot_set(machine, 0, 0, &machine->low) ||
        !slot_set(machine, 1, MEMORY, &machine->pieces[0]) ||
        !slot_set(machine, 2, MEMORY + BYTES, &machine->pieces[1]))
        return "KVM makes no machine for it";
    tables_write(machine->low.bytes);
    memcpy(machine->low.bytes + CODE, chase_code, sizeof(chase_code));
    machine->vcpu = call(machine, machine->vm, KVM_CREATE_VCPU, NULL);
    int bytes = call(machine, machine->kvm, KVM_GET_VCPU_MMAP_SIZE, NULL);
    if (machine->vcpu < 0 || bytes < (int)sizeof(struct kvm_run))
        return "KVM makes no vCPU for it";
    machine->run_bytes = (size_t)bytes;
    machine->run = mmap(NULL, machine->run_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, machine->vcpu, 0);
    return machine->run == MAP_FAILED ? "KVM makes no vCPU for it" : NULL;
}

static void machine_done(struct machine *machine)
{
    const int fds[] = {machine->vcpu, machine->vm, machine->kvm};
    if (machine->run != MAP_FAILED)
        munmap(machine->run, machine->run_bytes);
    for (size_t at = 0; at < array_count(fds); at++)
        if (fds[at] >= 0)
            close(fds[at]);
    memory_region_done(&machine->low);
    memory_region_done(&machine->pieces[0]);
    memory_region_done(&machine->pieces[1]);
}

static uint64_t offset_of(uint64_t node, bool dense)
{
    return dense ? node * LINE : node * PAGE + node / 16 % (PAGE / LINE) * LINE;
}

/* One circle through all nodes, in an order that no prefetcher follows; the pointers are the guest's own addresses. */
static void chain_lay(char *bytes, uint64_t guest_virtual, bool dense)
{
    for (uint64_t node = 0; node < NODES; node++) {
        uint64_t target = guest_virtual + offset_of((node * 1664525 + 1013904223) & (NODES - 1), dense);
        memcpy(bytes + offset_of(node, dense), &target, sizeof(target));
    }
}

/* Nanoseconds a step; negative: the guest did what it shouldn't. */
static double chase(const struct machine *machine, uint64_t from, double counter_ns)
{
    enum { INTERRUPTED_MOST = 1000 };
    struct kvm_regs regs;
    if (!state_set(machine, from))
        return -1;
    for (int turn = 0; turn < INTERRUPTED_MOST; turn++) {
        if (call(machine, machine->vcpu, KVM_RUN, NULL) != 0) {
            if (errno == EINTR || errno == EAGAIN)
                continue;
            return -1;
        }
        if (machine->run->exit_reason != KVM_EXIT_IO || machine->run->io.port != 0xe8 ||
            call(machine, machine->vcpu, KVM_GET_REGS, &regs) != 0)
            return -1;
        return (double)regs.rax * counter_ns / (2 * NODES);
    }
    return -1;
}

static const char *rounds_measure(struct nested_walk *walk, const struct machine *machine)
{
    enum { ARMS = 1 + NESTED_WALK_SIZES * NESTED_WALK_SIZES };
    double taken[ARMS][ROUNDS], times[NESTED_WALK_SIZES][ROUNDS], counter_ns = cycle_counter_ns();
    /* The first round meets memory that KVM has yet to map. */
    for (int turn = -1; turn < ROUNDS; turn++) {
        int round = turn < 0 ? 0 : turn;
        for (int arm = 0; arm < ARMS; arm++) {
            int guest = arm ? (arm - 1) / 2 : NESTED_WALK_HUGE, host = arm ? (arm - 1) % 2 : NESTED_WALK_HUGE;
            uint64_t piece = (uint64_t)host * BYTES,
                     from = guest == NESTED_WALK_HUGE ? MEMORY + piece : SMALL_AT + piece;
            chain_lay(machine->pieces[host].bytes, from, !arm);
            taken[arm][round] = chase(machine, from, counter_ns);
            if (taken[arm][round] <= 0)
                return "KVM doesn't run such a guest here";
        }
        for (int guest = 0; guest < NESTED_WALK_SIZES; guest++)
            times[guest][round] = taken[1 + 2 * guest][round] / taken[2 + 2 * guest][round];
    }
    walk->dense_ns = quartile_interval(taken[0], ROUNDS);
    for (int guest = 0; guest < NESTED_WALK_SIZES; guest++)
        for (int host = 0; host < NESTED_WALK_SIZES; host++)
            walk->ns[guest][host] = quartile_interval(taken[1 + 2 * guest + host], ROUNDS);
    walk->times = median_interval(times[NESTED_WALK_SMALL], ROUNDS);
    walk->times_huge = median_interval(times[NESTED_WALK_HUGE], ROUNDS);
    return NULL;
}

void nested_walk_measure(struct nested_walk *walk, const struct sysroot *root, const struct kernel *kernel)
{
    struct machine machine = {.kernel = kernel, .kvm = -1, .vm = -1, .vcpu = -1, .run = MAP_FAILED};
    *walk = (struct nested_walk){.pages = NODES, .rounds = ROUNDS};
    if (!sysroot_is_live(root)) {
        walk->why_not = "a snapshot";
        return;
    }
    walk->why_not = machine_make(&machine, root);
    if (!walk->why_not)
        walk->why_not = rounds_measure(walk, &machine);
    machine_done(&machine);
}
#else
void nested_walk_measure(struct nested_walk *walk, const struct sysroot *root, const struct kernel *kernel)
{
    (void)root, (void)kernel;
    *walk = (struct nested_walk){.why_not = "the guest for it is made for x86-64 only"};
}
#endif
