/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of KVM's tracepoints tell what leaves a guest, and which of their fields say why, what for and how?
 *
 * One table (exit_points) for all who read them: programs in the kernel, recordings, and texts of trace files.
 * An exit begins with EXIT_POINT_EXIT and lasts until the EXIT_POINT_ENTRY of the same thread. Where the kernel fires
 * neither, a return to the virtual machine monitor (EXIT_POINT_USERSPACE) lasts until the thread's next ioctl KVM_RUN
 * (EXIT_POINT_RUN).
 */
#ifndef PLUMB_DECODE_EXITS_EXIT_EVENT_H
#define PLUMB_DECODE_EXITS_EXIT_EVENT_H

#include "base/text.h"

enum exit_point {
    EXIT_POINT_EXIT,
    EXIT_POINT_ENTRY,
    EXIT_POINT_USERSPACE,
    EXIT_POINT_RUN,
    EXIT_POINT_PIO,
    EXIT_POINT_CPUID,
    EXIT_POINT_MSR,
    EXIT_POINT_MMIO,
    EXIT_POINT_FAST_MMIO,
    EXIT_POINT_HYPERCALL,
    EXIT_POINT_PAGE_FAULT,
    EXIT_POINT_SET_SPTE,
    EXIT_POINT_EMULATE,
    EXIT_POINT_TDVMCALL,
    EXIT_POINT_COUNT
};

/* The processor extension that numbers the reasons: the field isa of kvm_exit. */
enum exit_isa { EXIT_ISA_NONE, EXIT_ISA_VMX, EXIT_ISA_SVM, EXIT_ISA_PVM, EXIT_ISA_COUNT };

enum exit_operand { EXIT_REASON, EXIT_OBJECT, EXIT_RIP, EXIT_VCPU, EXIT_ISA, EXIT_OPERAND_COUNT };

/* What an event's object is. */
enum exit_object {
    EXIT_OBJECT_NONE,
    EXIT_OBJECT_PORT,
    EXIT_OBJECT_LEAF,
    EXIT_OBJECT_MSR,
    EXIT_OBJECT_ADDRESS,
    EXIT_OBJECT_HYPERCALL,
    EXIT_OBJECT_ERROR,
    EXIT_OBJECT_COUNT
};

/*
 * kvm_userspace_exit's reasons. An errno takes a reason's place, as EXIT_ERRNO and its number; a memory fault comes
 * with one (EFAULT or EHWPOISON) and keeps its reason (Documentation/virt/kvm/api.rst, KVM_EXIT_MEMORY_FAULT).
 */
enum { EXIT_ERRNO = 0x10000, EXIT_REASON_MEMORY_FAULT = 39 };
#define EXIT_KVM_RUN 0xae80u /* the ioctl's number */

struct exit_point_row {
    const char *system, *name;
    const char *fields[EXIT_OPERAND_COUNT]; /* names in the format; NULL: it has none */
    int arguments[EXIT_OPERAND_COUNT];      /* of a raw tracepoint, counted from 1; 0: it has none */
    const char *parameters[4];              /* names of the raw tracepoint's first ones, by which BTF confirms them */
    bool raw_suffices;                      /* its arguments hold reason and object */
    enum exit_object object;
    const char *rows[4];  /* names of its reasons 0, 1, …; NULL: they have their own (isa, KVM_EXIT_*) */
    const char *sentence; /* what is counted */
    bool is_patched;      /* only some vendors' kernels have it: its absence is nothing to tell of */
};

extern const struct exit_point_row exit_points[EXIT_POINT_COUNT];
const char *exit_isa_name(enum exit_isa isa); /* "vmx" */
enum exit_isa exit_isa_of(const char *name);
const char *exit_object_name(enum exit_object object); /* "port" */
/* The point of a tracepoint's name; EXIT_POINT_COUNT when it is none of these. */
enum exit_point exit_point_of(struct view name);

/* One event, from a recording or a text. */
struct exit_event {
    enum exit_point point;
    enum exit_isa isa;
    uint64_t time_ns;
    uint32_t thread;    /* its thread's number */
    uint32_t process;   /* 0: not known */
    uint32_t cpu;
    int64_t vcpu;       /* -1: not said */
    uint64_t reason;
    struct view name;   /* of the reason, where a text names it instead of numbering it; else empty */
    uint64_t object;
    uint64_t rip;       /* 0: not said */
    bool has_object, has_rip;
};

#endif
