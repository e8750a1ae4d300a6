/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bare metal, or a guest of which hypervisor; and is the guest a confidential one (TDX, SEV, SEV-ES, SEV-SNP, CCA)?
 *
 * From CPUID (4000_0000H, 21H), /proc/cpuinfo flags, /sys/hypervisor, DMI, ACPI tables and the device tree; `evidence`
 * names what decided. Does not support: a hypervisor that hides itself everywhere; nesting beyond what DMI shows.
 */
#ifndef PLUMB_SYSTEM_HOST_VIRTUALISATION_H
#define PLUMB_SYSTEM_HOST_VIRTUALISATION_H

#include "system/cpu/identity.h"

enum hypervisor {
    HYPERVISOR_UNKNOWN = 0, /* no evidence either way could be read */
    HYPERVISOR_NONE,        /* bare metal */
    HYPERVISOR_KVM,
    HYPERVISOR_FIRECRACKER, /* on KVM */
    HYPERVISOR_CLOUD_HYPERVISOR, /* on KVM */
    HYPERVISOR_XEN,
    HYPERVISOR_XEN_DOM0,
    HYPERVISOR_HYPERV,
    HYPERVISOR_HYPERV_ROOT,
    HYPERVISOR_VMWARE,
    HYPERVISOR_VIRTUALBOX,
    HYPERVISOR_QEMU,     /* with KVM or by emulation: Arm guests can't tell */
    HYPERVISOR_QEMU_TCG,
    HYPERVISOR_BHYVE,
    HYPERVISOR_ACRN,
    HYPERVISOR_PARALLELS,
    HYPERVISOR_OTHER,
    HYPERVISOR_COUNT
};

enum confidential {
    CONFIDENTIAL_NONE = 0,
    CONFIDENTIAL_TDX,
    CONFIDENTIAL_SEV,
    CONFIDENTIAL_SEV_ES,
    CONFIDENTIAL_SEV_SNP,
    CONFIDENTIAL_CCA,
    CONFIDENTIAL_COUNT
};

struct virtualisation {
    enum hypervisor hypervisor;
    enum confidential confidential;
    char signature[16];          /* of CPUID 4000_0000H; "" when none */
    char evidence[160], confidential_evidence[160];
    struct fact_word vendor, product; /* DMI: "Amazon EC2", "m6i.16xlarge" */
    bool can_host_guests;        /* KVM is usable here: /dev/kvm or /sys/module/kvm_intel or kvm_amd */
};

void virtualisation_read(struct virtualisation *virtualisation, const struct sysroot *root,
                         const struct cpu_identity *identity);

bool virtualisation_is_guest(const struct virtualisation *virtualisation);
const char *hypervisor_name(enum hypervisor hypervisor);     /* "KVM", "bare metal" */
const char *confidential_name(enum confidential confidential); /* "TDX guest"; "none" */

#endif
