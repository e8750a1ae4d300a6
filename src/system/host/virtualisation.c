/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/host/virtualisation.h"

#include "base/scope.h"
#include "base/vec.h"
#include "system/cpuid.h"

static const char *const hypervisor_names[HYPERVISOR_COUNT] = {
    [HYPERVISOR_UNKNOWN] = "unknown",
    [HYPERVISOR_NONE] = "bare metal",
    [HYPERVISOR_KVM] = "KVM",
    [HYPERVISOR_FIRECRACKER] = "Firecracker on KVM",
    [HYPERVISOR_CLOUD_HYPERVISOR] = "Cloud Hypervisor on KVM",
    [HYPERVISOR_XEN] = "Xen",
    [HYPERVISOR_XEN_DOM0] = "Xen dom0",
    [HYPERVISOR_HYPERV] = "Hyper-V",
    [HYPERVISOR_HYPERV_ROOT] = "Hyper-V root partition",
    [HYPERVISOR_VMWARE] = "VMware",
    [HYPERVISOR_VIRTUALBOX] = "VirtualBox",
    [HYPERVISOR_QEMU] = "QEMU, KVM or emulation",
    [HYPERVISOR_QEMU_TCG] = "QEMU (emulation)",
    [HYPERVISOR_BHYVE] = "bhyve",
    [HYPERVISOR_ACRN] = "ACRN",
    [HYPERVISOR_PARALLELS] = "Parallels",
    [HYPERVISOR_OTHER] = "another hypervisor",
};

static const char *const confidential_names[CONFIDENTIAL_COUNT] = {
    [CONFIDENTIAL_NONE] = "none",           [CONFIDENTIAL_TDX] = "TDX guest",
    [CONFIDENTIAL_SEV] = "SEV guest",       [CONFIDENTIAL_SEV_ES] = "SEV-ES guest",
    [CONFIDENTIAL_SEV_SNP] = "SEV-SNP guest", [CONFIDENTIAL_CCA] = "Arm CCA realm",
};

struct name_row {
    const char *text;
    enum hypervisor hypervisor;
};

/* CPUID 4000_0000H: vendors' and hypervisors' documentation; Linux arch/x86/kernel/cpu/hypervisor.c and below. */
static const struct name_row signatures[] = {
    {"KVMKVMKVM", HYPERVISOR_KVM},        {"Linux KVM Hv", HYPERVISOR_KVM},  {"XenVMMXenVMM", HYPERVISOR_XEN},
    {"Microsoft Hv", HYPERVISOR_HYPERV},  {"VMwareVMware", HYPERVISOR_VMWARE}, {"VBoxVBoxVBox", HYPERVISOR_VIRTUALBOX},
    {"TCGTCGTCGTCG", HYPERVISOR_QEMU_TCG}, {"bhyve bhyve ", HYPERVISOR_BHYVE}, {"ACRNACRNACRN", HYPERVISOR_ACRN},
    {" lrpepyh  vr", HYPERVISOR_PARALLELS}, {"prl hyperv  ", HYPERVISOR_PARALLELS},
};

/* DMI names, matched as prefixes of sys_vendor, product_name, board_vendor or bios_vendor. */
static const struct name_row dmi_names[] = {
    {"QEMU", HYPERVISOR_KVM},
    {"KVM", HYPERVISOR_KVM},
    {"OpenStack", HYPERVISOR_KVM},
    {"Google Compute Engine", HYPERVISOR_KVM},
    {"Alibaba Cloud ECS", HYPERVISOR_KVM},
    {"Cloud Hypervisor", HYPERVISOR_CLOUD_HYPERVISOR},
    {"VMware", HYPERVISOR_VMWARE},
    {"VMW", HYPERVISOR_VMWARE},
    {"innotek GmbH", HYPERVISOR_VIRTUALBOX},
    {"VirtualBox", HYPERVISOR_VIRTUALBOX},
    {"Xen", HYPERVISOR_XEN},
    {"Bochs", HYPERVISOR_QEMU_TCG},
    {"Parallels", HYPERVISOR_PARALLELS},
    {"BHYVE", HYPERVISOR_BHYVE},
    {"Apple Virtualization", HYPERVISOR_OTHER},
    {"Virtual Machine", HYPERVISOR_HYPERV}, /* Hyper-V's product_name */
};

__attribute__((format(printf, 3, 4))) static void decide(struct virtualisation *out, enum hypervisor hypervisor,
                                                         const char *format, ...)
{
    va_list args;
    out->hypervisor = hypervisor;
    va_start(args, format);
    vsnprintf(out->evidence, sizeof(out->evidence), format, args);
    va_end(args);
}

__attribute__((format(printf, 3, 4))) static void decide_confidential(struct virtualisation *out,
                                                                      enum confidential kind, const char *format, ...)
{
    va_list args;
    out->confidential = kind;
    va_start(args, format);
    vsnprintf(out->confidential_evidence, sizeof(out->confidential_evidence), format, args);
    va_end(args);
}

static bool by_signature(struct virtualisation *out, const struct sysroot *root)
{
    struct cpuid_leaf leaf, rights;
    if (!cpuid_read(root, 0x40000000, 0, &leaf))
        return false;
    char signature[13];
    cpuid_signature(&leaf, signature);
    snprintf(out->signature, sizeof(out->signature), "%s", signature);
    enum hypervisor found = HYPERVISOR_OTHER;
    for (size_t at = 0; at < array_count(signatures); at++)
        if (strcmp(signature, signatures[at].text) == 0)
            found = signatures[at].hypervisor;
    /* leaf 4000_0003H EBX bit 0, CreatePartitions: only the root partition has it */
    if (found == HYPERVISOR_HYPERV && cpuid_read(root, 0x40000003, 0, &rights) && (rights.ebx & 1))
        found = HYPERVISOR_HYPERV_ROOT;
    decide(out, found, "CPUID 40000000H says '%s'", signature);
    return true;
}

static bool by_xen_files(struct virtualisation *out, const struct sysroot *root)
{
    char line[64];
    if (!sysroot_line(root, line, sizeof(line), "/sys/hypervisor/type") || strcmp(line, "xen") != 0)
        return false;
    bool control = sysroot_line(root, line, sizeof(line), "/proc/xen/capabilities") && strstr(line, "control_d");
    decide(out, control ? HYPERVISOR_XEN_DOM0 : HYPERVISOR_XEN, control ? "/proc/xen/capabilities has control_d"
                                                                          : "/sys/hypervisor/type is xen");
    return true;
}

static bool by_dmi(struct virtualisation *out, const struct sysroot *root)
{
    static const char *const files[] = {"sys_vendor", "product_name", "board_vendor", "bios_vendor"};
    for (size_t file = 0; file < array_count(files); file++) {
        char line[128];
        if (!sysroot_line(root, line, sizeof(line), "/sys/class/dmi/id/%s", files[file]))
            continue;
        for (size_t at = 0; at < array_count(dmi_names); at++)
            if (view_starts(view_of(line), dmi_names[at].text)) {
                decide(out, dmi_names[at].hypervisor, "DMI %s is '%.60s'", files[file], line);
                return true;
            }
    }
    return false;
}

static bool has_child(const struct sysroot *root, const char *path, const char *prefix)
{
    bool found = false;
    scoped_dir DIR *folder = sysroot_opendir(root, "%s", path);
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));)
        found = strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    return found;
}

/* Arm guests: /proc/device-tree/hypervisor/compatible, or a cloud's DMI ("Amazon EC2" unless ".metal"). */
static bool by_device_tree(struct virtualisation *out, const struct sysroot *root)
{
    char line[64];
    if (sysroot_line(root, line, sizeof(line), "/proc/device-tree/hypervisor/compatible")) {
        enum hypervisor found = strstr(line, "kvm")   ? HYPERVISOR_KVM
                                : strstr(line, "xen") ? HYPERVISOR_XEN
                                                      : HYPERVISOR_OTHER;
        decide(out, found, "the device tree's hypervisor is '%s'", line);
        return true;
    }
    /* the first of the strings that end in 0: a monitor's made-up board, "linux,dummy-virt" of QEMU, kvmtool, crosvm */
    if (sysroot_line(root, line, sizeof(line), "/proc/device-tree/compatible") &&
        strncmp(line, "linux,dummy-virt", 16) == 0) {
        bool qemu =
            sysroot_exists(root, "/sys/firmware/qemu_fw_cfg") || has_child(root, "/proc/device-tree", "fw-cfg@");
        decide(out, qemu ? HYPERVISOR_QEMU : HYPERVISOR_OTHER,
               "the device tree is a virtual machine's ('linux,dummy-virt'%s)", qemu ? " with QEMU's fw-cfg" : "");
        return true;
    }
    if (fact_is(&out->vendor, "Amazon EC2")) {
        bool metal = out->product.known && view_ends(view_of(out->product.text), ".metal");
        metal = metal || (out->product.known && strstr(out->product.text, ".metal-"));
        decide(out, metal ? HYPERVISOR_NONE : HYPERVISOR_KVM, "DMI product_name is '%.60s' of Amazon EC2",
               out->product.known ? out->product.text : "?");
        return true;
    }
    return false;
}

/* Firecracker writes its name into the ACPI tables it makes (OEM id "FIRECK"); only root can read them. */
static void kvm_refine(struct virtualisation *out, const struct sysroot *root)
{
    static const char *const tables[] = {"DSDT", "FACP", "APIC"};
    if (out->hypervisor != HYPERVISOR_KVM)
        return;
    for (size_t at = 0; at < array_count(tables); at++) {
        scoped_text struct text table = {0};
        struct error ignored;
        if (!sysroot_read(root, &table, &ignored, "/sys/firmware/acpi/tables/%s", tables[at]) || table.length < 16)
            continue;
        if (memcmp(table.bytes + 10, "FIRECK", 6) == 0) {
            decide(out, HYPERVISOR_FIRECRACKER, "ACPI table %s is made by Firecracker; CPUID says '%.12s'", tables[at],
                   out->signature);
            return;
        }
        if (memcmp(table.bytes + 10, "CLOUDH", 6) == 0) {
            decide(out, HYPERVISOR_CLOUD_HYPERVISOR, "ACPI table %s is made by Cloud Hypervisor", tables[at]);
            return;
        }
    }
    /* without root: Firecracker gives no DMI, and lists the clock device that only Amazon's monitors make */
    if (!sysroot_exists(root, "/sys/class/dmi/id") && sysroot_exists(root, "/sys/bus/acpi/devices/AMZNC10C:00")) {
        decide(out, HYPERVISOR_FIRECRACKER, "CPUID says '%.12s'; no DMI, and Firecracker's ACPI device AMZNC10C",
               out->signature);
        return;
    }
    if (fact_is(&out->vendor, "Cloud Hypervisor"))
        decide(out, HYPERVISOR_CLOUD_HYPERVISOR, "DMI sys_vendor is Cloud Hypervisor");
}

static void hypervisor_read(struct virtualisation *out, const struct sysroot *root, const struct cpu_identity *identity)
{
    bool x86 = identity->vendor_kind != MICROARCHITECTURE_ARM;
    bool flag = cpu_identity_has_flag(identity, "hypervisor");
    if (by_xen_files(out, root) || ((flag || !identity->flags[0]) && by_signature(out, root)))
        return;
    if (x86 && identity->flags[0] && !flag) {
        decide(out, HYPERVISOR_NONE, identity->model_name.known ? "/proc/cpuinfo has no 'hypervisor' flag"
                                                                : "CPUID has no 'hypervisor' flag");
        return;
    }
    if (by_dmi(out, root) || by_device_tree(out, root)) {
        if (!x86 && out->hypervisor == HYPERVISOR_KVM && strstr(out->evidence, "'QEMU"))
            out->hypervisor = HYPERVISOR_QEMU; /* no CPUID tells the two apart there */
        return;
    }
    if (flag)
        decide(out, HYPERVISOR_OTHER, "/proc/cpuinfo has the 'hypervisor' flag; nothing names it");
    else if (!x86 && out->vendor.known)
        decide(out, HYPERVISOR_NONE, "neither the device tree nor DMI ('%.60s') names a hypervisor", out->vendor.text);
    else
        decide(out, HYPERVISOR_UNKNOWN, "neither CPUID, /proc/cpuinfo, DMI nor a device tree could be read");
}

/* Hyper-V tells its guests by leaf 4000_000CH EBX: isolation type 2 is SEV-SNP, 3 is TDX. */
static bool confidential_by_hyperv(struct virtualisation *out, const struct sysroot *root)
{
    struct cpuid_leaf leaf;
    if (out->hypervisor != HYPERVISOR_HYPERV || !cpuid_read(root, 0x4000000c, 0, &leaf))
        return false;
    uint32_t kind = leaf.ebx & 0xf;
    if (kind == 2 || kind == 3)
        decide_confidential(out, kind == 2 ? CONFIDENTIAL_SEV_SNP : CONFIDENTIAL_TDX,
                            "CPUID 4000000CH: isolation type %u", kind);
    return kind == 2 || kind == 3;
}

static bool confidential_by_tdx(struct virtualisation *out, const struct sysroot *root,
                                const struct cpu_identity *identity)
{
    struct cpuid_leaf leaf;
    char signature[13];
    if (cpu_identity_has_flag(identity, "tdx_guest")) {
        decide_confidential(out, CONFIDENTIAL_TDX, "/proc/cpuinfo has the 'tdx_guest' flag");
        return true;
    }
    if (!cpuid_read(root, 0x21, 0, &leaf))
        return false;
    struct cpuid_leaf ordered = {.ebx = leaf.ebx, .ecx = leaf.edx, .edx = leaf.ecx};
    cpuid_signature(&ordered, signature);
    if (strcmp(signature, "IntelTDX    ") != 0)
        return false;
    decide_confidential(out, CONFIDENTIAL_TDX, "CPUID 21H says 'IntelTDX'");
    return true;
}

/*
 * A host's /proc/cpuinfo lists sev, sev_es, sev_snp as what it can offer; a guest's kernel keeps the flags of what it
 * runs under. So they count in a guest only. The guest driver's device is the surer sign of SEV-SNP.
 */
static void confidential_by_sev(struct virtualisation *out, const struct sysroot *root,
                                const struct cpu_identity *identity)
{
    static const struct {
        const char *flag;
        enum confidential kind;
    } flags[] = {{"sev_snp", CONFIDENTIAL_SEV_SNP}, {"sev_es", CONFIDENTIAL_SEV_ES}, {"sev", CONFIDENTIAL_SEV}};
    if (sysroot_exists(root, "/sys/devices/system/sev/vmpl") || sysroot_exists(root, "/sys/class/misc/sev-guest")) {
        decide_confidential(out, CONFIDENTIAL_SEV_SNP, "the kernel has its SEV-SNP guest device");
        return;
    }
    for (size_t at = 0; at < array_count(flags); at++)
        if (cpu_identity_has_flag(identity, flags[at].flag)) {
            decide_confidential(out, flags[at].kind, "a guest whose /proc/cpuinfo has the '%s' flag", flags[at].flag);
            return;
        }
}

bool virtualisation_is_guest(const struct virtualisation *virtualisation)
{
    return virtualisation->hypervisor != HYPERVISOR_NONE && virtualisation->hypervisor != HYPERVISOR_UNKNOWN &&
           virtualisation->hypervisor != HYPERVISOR_XEN_DOM0 && virtualisation->hypervisor != HYPERVISOR_HYPERV_ROOT;
}

void virtualisation_read(struct virtualisation *virtualisation, const struct sysroot *root,
                         const struct cpu_identity *identity)
{
    static const char *const kvm_signs[] = {"/dev/kvm", "/sys/module/kvm_intel", "/sys/module/kvm_amd"};
    *virtualisation = (struct virtualisation){0};
    fact_word_read(&virtualisation->vendor, root, "/sys/class/dmi/id/sys_vendor");
    fact_word_read(&virtualisation->product, root, "/sys/class/dmi/id/product_name");
    hypervisor_read(virtualisation, root, identity);
    kvm_refine(virtualisation, root);
    for (size_t at = 0; at < array_count(kvm_signs); at++)
        virtualisation->can_host_guests |= sysroot_exists(root, "%s", kvm_signs[at]);
    decide_confidential(virtualisation, CONFIDENTIAL_NONE, "no sign of TDX, SEV or CCA");
    if (!virtualisation_is_guest(virtualisation))
        return;
    if (confidential_by_hyperv(virtualisation, root) || confidential_by_tdx(virtualisation, root, identity))
        return;
    if (identity->vendor_kind == MICROARCHITECTURE_AMD || identity->vendor_kind == MICROARCHITECTURE_HYGON)
        confidential_by_sev(virtualisation, root, identity);
    else if (sysroot_exists(root, "/sys/devices/platform/arm-cca-dev") ||
             sysroot_exists(root, "/sys/devices/faux/arm-cca-dev"))
        decide_confidential(virtualisation, CONFIDENTIAL_CCA, "the kernel has its Arm CCA realm device");
}

const char *hypervisor_name(enum hypervisor hypervisor)
{
    return hypervisor_names[hypervisor];
}

const char *confidential_name(enum confidential confidential)
{
    return confidential_names[confidential];
}
