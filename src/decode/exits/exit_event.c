/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/exits/exit_event.h"

#include "base/vec.h"

/*
 * Source: include/trace/events/kvm.h, arch/x86/kvm/trace.h, arch/x86/kvm/mmu/mmutrace.h of Linux 6.18; the fields'
 * names are those of the formats, the parameters' those of TP_PROTO.
 */
const struct exit_point_row exit_points[EXIT_POINT_COUNT] = {
    [EXIT_POINT_EXIT] = {"kvm", "kvm_exit", .fields = {"exit_reason", NULL, "guest_rip", "vcpu_id", "isa"},
                         .sentence = "exits"},
    [EXIT_POINT_ENTRY] = {"kvm", "kvm_entry", .parameters = {"vcpu"}, .raw_suffices = true, .sentence = "entries"},
    [EXIT_POINT_USERSPACE] = {"kvm", "kvm_userspace_exit", .fields = {"reason", "errno"}, .arguments = {1, 2},
                              .parameters = {"reason", "errno"}, .raw_suffices = true, .object = EXIT_OBJECT_ERROR,
                              .sentence = "returns to the virtual machine monitor"},
    [EXIT_POINT_RUN] = {"syscalls", "sys_enter_ioctl", .fields = {"cmd"}, .sentence = "calls of KVM_RUN"},
    [EXIT_POINT_PIO] = {"kvm", "kvm_pio", .fields = {"rw", "port"}, .arguments = {1, 2},
                        .parameters = {"rw", "port", "size", "count"}, .raw_suffices = true, .object = EXIT_OBJECT_PORT,
                        .rows = {"port read", "port write"}, .sentence = "port accesses emulated"},
    [EXIT_POINT_CPUID] = {"kvm", "kvm_cpuid", .fields = {NULL, "function"}, .arguments = {0, 1},
                          .parameters = {"function", "index", "rax"}, .raw_suffices = true, .object = EXIT_OBJECT_LEAF,
                          .rows = {"CPUID"}, .sentence = "CPUIDs emulated"},
    [EXIT_POINT_MSR] = {"kvm", "kvm_msr", .fields = {"write", "ecx"}, .arguments = {1, 2},
                        .parameters = {"write", "ecx", "data"}, .raw_suffices = true, .object = EXIT_OBJECT_MSR,
                        .rows = {"MSR read", "MSR write"}, .sentence = "MSR accesses emulated"},
    [EXIT_POINT_MMIO] = {"kvm", "kvm_mmio", .fields = {"type", "gpa"}, .arguments = {1, 3},
                         .parameters = {"type", "len", "gpa"}, .raw_suffices = true, .object = EXIT_OBJECT_ADDRESS,
                         .rows = {"MMIO read by the monitor", "MMIO read", "MMIO write"},
                         .sentence = "MMIO accesses emulated"},
    [EXIT_POINT_FAST_MMIO] = {"kvm", "kvm_fast_mmio", .fields = {NULL, "gpa"}, .arguments = {0, 1},
                              .parameters = {"gpa"}, .raw_suffices = true, .object = EXIT_OBJECT_ADDRESS,
                              .rows = {"fast MMIO write"}, .sentence = "MMIO writes by the short way"},
    [EXIT_POINT_HYPERCALL] = {"kvm", "kvm_hypercall", .fields = {NULL, "nr"}, .arguments = {0, 1},
                              .parameters = {"nr", "a0", "a1"}, .raw_suffices = true, .object = EXIT_OBJECT_HYPERCALL,
                              .rows = {"hypercall"}, .sentence = "hypercalls"},
    [EXIT_POINT_PAGE_FAULT] = {"kvm", "kvm_page_fault", .fields = {NULL, NULL, "guest_rip", "vcpu_id"},
                               .rows = {"page fault"}, .parameters = {"vcpu", "fault_address"}, .raw_suffices = true,
                               .sentence = "page faults of the guest"},
    [EXIT_POINT_SET_SPTE] = {"kvmmmu", "kvm_mmu_set_spte", .fields = {"level"}, .arguments = {1},
                             .parameters = {"level", "gfn"}, .raw_suffices = true,
                             .rows = {NULL, "mapping of 4 KiB set", "mapping of 2 MiB set", "mapping of 1 GiB set"},
                             .sentence = "mappings of guest memory set"},
    [EXIT_POINT_EMULATE] = {"kvm", "kvm_emulate_insn", .fields = {NULL, NULL, "rip"}, .parameters = {"vcpu", "failed"},
                            .raw_suffices = true, .rows = {"instruction emulated"},
                            .sentence = "instructions emulated"},
    /*
     * Of Intel's own TDX kernels; from Linux 6.16 on kvm_exit says the leaf itself, where it stands for a reason of
     * VMX.
     */
    [EXIT_POINT_TDVMCALL] = {"kvm", "kvm_tdvmcall", .fields = {"exit_reason", NULL, "rip"}, .arguments = {2},
                             .parameters = {"vcpu", "exit_reason"}, .raw_suffices = true,
                             .sentence = "calls of TDX guests", .is_patched = true},
};

static const char *const isa_names[EXIT_ISA_COUNT] = {"", "vmx", "svm", "pvm"};
static const char *const object_names[EXIT_OBJECT_COUNT] = {"", "port", "leaf", "msr", "address", "hypercall", "errno"};

const char *exit_isa_name(enum exit_isa isa)
{
    return isa_names[isa];
}

enum exit_isa exit_isa_of(const char *name)
{
    for (size_t at = 1; at < EXIT_ISA_COUNT; at++)
        if (strcmp(isa_names[at], name) == 0)
            return (enum exit_isa)at;
    return EXIT_ISA_NONE;
}

const char *exit_object_name(enum exit_object object)
{
    return object_names[object];
}

enum exit_point exit_point_of(struct view name)
{
    size_t at = 0;
    while (at < EXIT_POINT_COUNT && !view_equal(name, exit_points[at].name))
        at++;
    return (enum exit_point)at;
}
