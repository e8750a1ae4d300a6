/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * On a KVM host: which virtual machines run, where may each vCPU thread run, and on which nodes does their memory lie?
 *
 * vCPU threads are known by the names the monitors give them: "CPU 3/KVM" (QEMU with debug-threads=on), "fc_vcpu 3"
 * (Firecracker), "vcpu3" (Cloud Hypervisor), "crosvm_vcpu3", "kvm-vcpu-3" (kvmtool). A QEMU whose threads carry no
 * such names is listed with zero vCPUs. Reads no command line and no environment.
 */
#ifndef PLUMB_SYSTEM_HOST_VIRTUAL_MACHINE_H
#define PLUMB_SYSTEM_HOST_VIRTUAL_MACHINE_H

#include "system/cpu/topology.h"

enum { VIRTUAL_MACHINE_NODES_MOST = 64 };

struct vcpu {
    int tid, number;            /* number: as in its name */
    struct fact_word allowed;   /* CPUs it may run on */
    struct fact_number allowed_count;
    struct fact_number last_cpu, last_node;
    bool pinned;                /* it may run on fewer CPUs than are online */
};

struct virtual_machine {
    int pid;
    const char *monitor;        /* comm of its process */
    struct vcpu *vcpus;
    size_t vcpu_count;
    struct fact_number node_count; /* how many entries of node_bytes are filled; absent: numa_maps can't be read */
    int64_t node_bytes[VIRTUAL_MACHINE_NODES_MOST]; /* resident memory by node number */
    struct fact_number remote_vcpus;  /* vCPUs whose last CPU was on another node than most of the memory */
};

struct virtual_machines {
    struct virtual_machine *items;
    size_t count;
    struct fact_number scanned;       /* processes looked at; absent: this is no KVM host, or /proc can't be listed */
    struct fact_word ept, npt, nested, guest_pmu; /* module parameters: "Y", "N", "1" */
    struct fact_number halt_poll_ns;
    struct fact_word nx_huge_pages;
};

/* Owner: arena. */
void virtual_machines_read(struct virtual_machines *machines, const struct sysroot *root,
                           const struct topology *topology, struct arena *arena);

/* Whether a process of this name runs virtual machines. */
bool virtual_machine_is_monitor(const char *comm);
/* The vCPU's number when a thread of this name is one, or -1. */
int vcpu_number_of(const char *thread_name);

#endif
