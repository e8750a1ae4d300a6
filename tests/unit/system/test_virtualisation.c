/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hypervisors, confidential guests and containers by the few files and leaves that give them away. */
#include "made_folder.h"
#include "test.h"

#include "base/vec.h"
#include "system/machine.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

struct file {
    const char *path, *content;
};

/* A content of "-> x" is a link to x. */
static void put(const char *folder, const struct file *file)
{
    bool is_link = strncmp(file->content, "-> ", 3) == 0;
    made_folder_put(folder, file->path, "%s", is_link ? "" : file->content);
    if (!is_link)
        return;
    char full[512];
    snprintf(full, sizeof(full), "%s%s", folder, file->path);
    cr_assert_eq(unlink(full), 0);
    cr_assert_eq(symlink(file->content + 3, full), 0);
}

#define INTEL(flags) {"/proc/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t: 143\nstepping\t: 8\nflags\t: fpu " flags "\n"}
#define AMD(flags)   {"/proc/cpuinfo", "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t: 1\nstepping\t: 1\nflags\t: fpu " flags "\n"}
#define ARM          {"/proc/cpuinfo", "Features\t: fp\nCPU implementer\t: 0x41\nCPU variant\t: 0x0\nCPU part\t: 0xd40\nCPU revision\t: 1\n"}
#define LEAF(text)   {"/plumb/cpuid", text}
#define KVM_LEAF     "40000000 0 40000001 4b4d564b 564b4d56 0000004d\n"
#define HYPERV_LEAF  "40000000 0 4000000c 7263694d 666f736f 76482074\n"

Test(virtualisation, each_sign_is_read)
{
    static const struct {
        struct file files[4];
        enum hypervisor hypervisor;
        enum confidential confidential;
    } cases[] = {
        {{INTEL("sse2")}, HYPERVISOR_NONE, CONFIDENTIAL_NONE},
        {{INTEL("hypervisor"), LEAF(KVM_LEAF)}, HYPERVISOR_KVM, CONFIDENTIAL_NONE},
        {{INTEL("hypervisor"), LEAF(KVM_LEAF), {"/sys/firmware/acpi/tables/DSDT", "DSDTxxxx..FIRECKFCVMDSDT"}}, HYPERVISOR_FIRECRACKER, CONFIDENTIAL_NONE},
        {{INTEL("hypervisor"), LEAF(KVM_LEAF), {"/sys/class/dmi/id/sys_vendor", "Cloud Hypervisor\n"}}, HYPERVISOR_CLOUD_HYPERVISOR, CONFIDENTIAL_NONE},
        {{INTEL("hypervisor"), LEAF("40000000 0 40000005 566e6558 65584d4d 4d4d566e\n")}, HYPERVISOR_XEN, CONFIDENTIAL_NONE},
        {{INTEL("hypervisor"), {"/sys/hypervisor/type", "xen\n"}, {"/proc/xen/capabilities", "control_d\n"}}, HYPERVISOR_XEN_DOM0, CONFIDENTIAL_NONE},
        {{INTEL("hypervisor"), LEAF(HYPERV_LEAF "40000003 0 00003fff 002bb9ff 00000022 002bb9ff\n")}, HYPERVISOR_HYPERV_ROOT, CONFIDENTIAL_NONE},
        {{INTEL("hypervisor"), LEAF(HYPERV_LEAF "40000003 0 00003fff 002bb9fe 00000022 002bb9ff\n")}, HYPERVISOR_HYPERV, CONFIDENTIAL_NONE},
        {{AMD("hypervisor"), LEAF(HYPERV_LEAF "4000000c 0 00000001 00000002 0 0\n")}, HYPERVISOR_HYPERV, CONFIDENTIAL_SEV_SNP},
        {{INTEL("hypervisor"), LEAF(HYPERV_LEAF "4000000c 0 00000001 00000003 0 0\n")}, HYPERVISOR_HYPERV, CONFIDENTIAL_TDX},
        {{INTEL("hypervisor"), LEAF("40000000 0 40000010 61774d56 4d566572 65726177\n")}, HYPERVISOR_VMWARE, CONFIDENTIAL_NONE},
        {{INTEL("hypervisor"), {"/sys/class/dmi/id/product_name", "VMware Virtual Platform\n"}}, HYPERVISOR_VMWARE, CONFIDENTIAL_NONE},
        {{INTEL("hypervisor")}, HYPERVISOR_OTHER, CONFIDENTIAL_NONE},
        {{INTEL("hypervisor tdx_guest"), LEAF(KVM_LEAF)}, HYPERVISOR_KVM, CONFIDENTIAL_TDX},
        {{INTEL("hypervisor"), LEAF(KVM_LEAF "21 0 0 65746e49 20202020 5844546c\n")}, HYPERVISOR_KVM, CONFIDENTIAL_TDX},
        {{AMD("hypervisor sev sev_es sev_snp"), LEAF(KVM_LEAF)}, HYPERVISOR_KVM, CONFIDENTIAL_SEV_SNP},
        {{AMD("hypervisor sev sev_es"), LEAF(KVM_LEAF)}, HYPERVISOR_KVM, CONFIDENTIAL_SEV_ES},
        {{AMD("hypervisor sev"), LEAF(KVM_LEAF)}, HYPERVISOR_KVM, CONFIDENTIAL_SEV},
        {{AMD("hypervisor"), LEAF(KVM_LEAF), {"/sys/devices/system/sev/vmpl", "0\n"}}, HYPERVISOR_KVM, CONFIDENTIAL_SEV_SNP},
        {{AMD("sev sev_es sev_snp")}, HYPERVISOR_NONE, CONFIDENTIAL_NONE}, /* a host that could */
        {{ARM, {"/proc/device-tree/hypervisor/compatible", "linux,kvm"}}, HYPERVISOR_KVM, CONFIDENTIAL_NONE},
        {{ARM, {"/sys/class/dmi/id/sys_vendor", "Amazon EC2\n"}, {"/sys/class/dmi/id/product_name", "c7g.metal\n"}}, HYPERVISOR_NONE, CONFIDENTIAL_NONE},
        {{ARM, {"/sys/class/dmi/id/sys_vendor", "Amazon EC2\n"}, {"/sys/class/dmi/id/product_name", "c7g.4xlarge\n"}}, HYPERVISOR_KVM, CONFIDENTIAL_NONE},
        {{{"/proc/version", "Linux\n"}}, HYPERVISOR_UNKNOWN, CONFIDENTIAL_NONE},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        char folder[] = "/tmp/plumb-virtual-XXXXXX";
        struct sysroot root;
        struct machine machine;
        struct error err = {0};
        cr_assert(mkdtemp(folder));
        for (size_t file = 0; file < array_count(cases[at].files) && cases[at].files[file].path; file++)
            put(folder, &cases[at].files[file]);
        sysroot_init(&root, folder);
        cr_assert(machine_read(&root, NULL, &machine, &err));
        cr_assert_eq(machine.virtualisation.hypervisor, cases[at].hypervisor, "case %zu: %s (%s)", at, hypervisor_name(machine.virtualisation.hypervisor), machine.virtualisation.evidence);
        cr_assert_eq(machine.virtualisation.confidential, cases[at].confidential, "case %zu: %s", at, confidential_name(machine.virtualisation.confidential));
        cr_assert(machine.virtualisation.evidence[0]);
        machine_done(&machine);
        made_folder_remove(folder);
    }
}

/* The only content of a root folder has no /proc: CPUID still tells the processor. */
Test(identity, without_proc_it_is_what_cpuid_says)
{
    static const struct file leaves = LEAF("0 0 1b 756e6547 6c65746e 49656e69\n1 0 50657 0 80000000 0\n7 0 0 10020 0 0\n"
                                            "40000000 0 40000001 4b4d564b 564b4d56 4d\n");
    char folder[] = "/tmp/plumb-identity-XXXXXX";
    struct sysroot root;
    struct machine machine;
    struct error err = {0};
    cr_assert(mkdtemp(folder));
    put(folder, &leaves);
    sysroot_init(&root, folder);
    cr_assert(machine_read(&root, NULL, &machine, &err));
    cr_assert_str_eq(machine.cpu.microarchitecture->key, "CLX");
    cr_assert(cpu_identity_has_flag(&machine.cpu, "avx512f") && cpu_identity_has_flag(&machine.cpu, "avx2"));
    cr_assert_eq(machine.virtualisation.hypervisor, HYPERVISOR_KVM, "%s", machine.virtualisation.evidence);
    machine_done(&machine);
    made_folder_remove(folder);
}

#define FIRST_PID   {"/proc/self/ns/pid", "-> pid:[4026531836]"}
#define FIRST_GROUP {"/proc/self/ns/cgroup", "-> cgroup:[4026531835]"}
#define OTHER_PID   {"/proc/self/ns/pid", "-> pid:[4026532641]"}

Test(container, each_sign_is_read)
{
    static const struct {
        struct file files[4];
        enum container_kind kind;
    } cases[] = {
        {{FIRST_PID, FIRST_GROUP}, CONTAINER_NONE},
        {{FIRST_PID, FIRST_GROUP, {"/.dockerenv", ""}}, CONTAINER_NONE}, /* a root file system made from an image */
        {{OTHER_PID, {"/.dockerenv", ""}}, CONTAINER_DOCKER},
        {{OTHER_PID, {"/run/.containerenv", ""}}, CONTAINER_PODMAN},
        {{OTHER_PID, {"/run/secrets/kubernetes.io", ""}}, CONTAINER_KUBERNETES},
        {{OTHER_PID, {"/run/systemd/container", "systemd-nspawn\n"}}, CONTAINER_NSPAWN},
        {{OTHER_PID, {"/run/systemd/container", "lxc\n"}}, CONTAINER_LXC},
        {{FIRST_PID, FIRST_GROUP, {"/proc/self/cgroup", "0::/kubepods.slice/pod1\n"}}, CONTAINER_KUBERNETES},
        {{OTHER_PID, {"/proc/version", "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016\n"}}, CONTAINER_GVISOR},
        {{FIRST_PID, {"/proc/version", "Linux version 5.15.90.1-microsoft-standard-WSL2\n"}}, CONTAINER_WSL},
        {{OTHER_PID}, CONTAINER_OTHER},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        char folder[] = "/tmp/plumb-virtual-XXXXXX";
        struct sysroot root;
        struct process_rights rights;
        struct container container;
        cr_assert(mkdtemp(folder));
        for (size_t file = 0; file < array_count(cases[at].files) && cases[at].files[file].path; file++)
            put(folder, &cases[at].files[file]);
        sysroot_init(&root, folder);
        process_rights_read(&rights, &root);
        container_read(&container, &root, &rights);
        cr_assert_eq(container.kind, cases[at].kind, "case %zu: %s (%s)", at, container_name(container.kind), container.evidence);
        made_folder_remove(folder);
    }
}
