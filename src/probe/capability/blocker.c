/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From an errno and the machine's facts to the layer that refused and what would remove it. */
#include "base/vec.h"
#include "probe/capability/capability_row.h"
#include "system/pmu/process_wall.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define TAKE_ARGUMENTS(buffer, format)                                                                            \
    {                                                                                                             \
        va_list args_;                                                                                            \
        va_start(args_, format);                                                                                  \
        vsnprintf((buffer), sizeof(buffer), (format), args_);                                                     \
        va_end(args_);                                                                                            \
    }

void capability_works(struct capability *capability, const char *format, ...)
{
    capability->verdict = CAPABILITY_WORKS;
    TAKE_ARGUMENTS(capability->measured, format)
}

void capability_wrong(struct capability *capability, const char *format, ...)
{
    capability->verdict = CAPABILITY_WRONG;
    capability->blocker = BLOCKER_UNKNOWN;
    TAKE_ARGUMENTS(capability->reason, format)
}

void capability_not_measured(struct capability *capability, const char *format, ...)
{
    capability->verdict = CAPABILITY_NOT_MEASURED;
    TAKE_ARGUMENTS(capability->reason, format)
}

void capability_blocked(struct capability *capability, enum blocker blocker, const char *format, ...)
{
    capability->verdict = CAPABILITY_BLOCKED;
    capability->blocker = blocker;
    TAKE_ARGUMENTS(capability->reason, format)
}

void capability_remedy(struct capability *capability, const char *format, ...)
{
    TAKE_ARGUMENTS(capability->remedy, format)
}

bool bench_has_core(const struct bench *bench)
{
    const struct capability *rows = bench->all->items;
    return pmu_find_core(&bench->machine->pmus) != NULL || rows[CAPABILITY_CYCLES].counted.known ||
           rows[CAPABILITY_INSTRUCTIONS].counted.known; /* where /sys isn't shown, a count proves it */
}

bool bench_lacks_sysfs(const struct bench *bench, struct capability *capability, const char *what)
{
    if (bench->machine->pmus.folder.known)
        return false;
    capability_blocked(capability, BLOCKER_MOUNT, "/sys is not mounted or not shown here, which describes %s", what);
    capability_remedy(capability, "sudo mount -t sysfs sysfs /sys");
    return true;
}

uint32_t bench_core_type(const struct bench *bench)
{
    const struct pmu *core = pmu_find_core(&bench->machine->pmus);
    return core && core->type.known ? (uint32_t)core->type.value : PERF_TYPE_RAW;
}

/* ---- no PMU --------------------------------------------------------------------------------------------- */

/* What makes each hypervisor show its guests a PMU; from the projects' and vendors' documentation. */
static const char *vpmu_remedy(const struct virtualisation *virtualisation)
{
    if (virtualisation->confidential == CONFIDENTIAL_TDX)
        return "on the host: create the TD with the PERFMON attribute (QEMU: -cpu host,pmu=on; libvirt: <pmu "
               "state='on'/>), "
               "if its TDX module and policy allow it";
    if (virtualisation->confidential >= CONFIDENTIAL_SEV && virtualisation->confidential <= CONFIDENTIAL_SEV_SNP)
        return "SEV guests have a PMU only with PMC virtualisation (Zen 5 hosts and recent KVM), set on the host";
    if (virtualisation->vendor.known && strcmp(virtualisation->vendor.text, "Amazon EC2") == 0)
        return "use a .metal size, or a size that fills a whole socket or machine: those Nitro guests have a PMU";
    if (virtualisation->vendor.known && strcmp(virtualisation->vendor.text, "Google") == 0)
        return "create the instance with --performance-monitoring-unit=standard or enhanced (C4 and newer families)";
    switch (virtualisation->hypervisor) {
    case HYPERVISOR_FIRECRACKER:
        return "none inside: Firecracker shows its x86 guests no PMU. Measure on the host, or in a guest of another "
               "monitor or a bare-metal instance";
    case HYPERVISOR_KVM:
    case HYPERVISOR_CLOUD_HYPERVISOR:
        return "on the host: modprobe kvm enable_pmu=1, then start the guest with QEMU's -cpu host,pmu=on (libvirt: "
               "<cpu mode='host-passthrough'/> and <features><pmu state='on'/></features>)";
    case HYPERVISOR_XEN:
        return "on the host: boot Xen with vpmu=1 (or vpmu=bts), then restart the guest";
    case HYPERVISOR_HYPERV:
        return "on the host: Set-VMProcessor NAME -Perfmon @(\"pmu\",\"lbr\",\"pebs\") while the guest is off; Azure "
               "offers none";
    case HYPERVISOR_VMWARE:
        return "in the guest's settings: 'Virtualize CPU performance counters' (vpmc.enable = \"TRUE\"), while it is "
               "off";
    default:
        return "ask whoever runs the hypervisor for a virtual PMU, or measure on bare metal";
    }
}

static void explain_no_pmu(struct capability *capability, const struct bench *bench)
{
    const struct machine *machine = bench->machine;
    const struct virtualisation *virtualisation = &machine->virtualisation;
    bool guest = virtualisation_is_guest(virtualisation);
    bool told = machine->architectural.version.known || guest;
    if (!told && bench_lacks_sysfs(bench, capability, "the PMU, if there is one"))
        return;
    const char *leaf = machine->cpu.vendor_kind == MICROARCHITECTURE_INTEL ? "0AH" : "80000022H";
    if (guest && fact_equals(&machine->architectural.version, 0)) {
        capability_blocked(capability, BLOCKER_HYPERVISOR,
                           "no PMU: CPUID leaf %s says version 0; the hypervisor (%s) hides it", leaf,
                           hypervisor_name(virtualisation->hypervisor));
        capability_remedy(capability, "%s", vpmu_remedy(virtualisation));
    } else if (guest) {
        capability_blocked(capability, BLOCKER_HYPERVISOR, "no PMU: the kernel drives none in this guest (%s)%s",
                           hypervisor_name(virtualisation->hypervisor),
                           machine->architectural.version.known ? "; CPUID promises one that did not answer" : "");
        capability_remedy(capability, "%s", vpmu_remedy(virtualisation));
    } else if (fact_equals(&machine->architectural.version, 0)) {
        capability_blocked(capability, BLOCKER_HARDWARE, "no PMU: CPUID leaf %s says version 0", leaf);
        capability_remedy(capability, "look for a performance-monitoring switch in the firmware's settings");
    } else {
        capability_blocked(capability, BLOCKER_KERNEL_CONFIG,
                           "no PMU: the kernel lists no core PMU in /sys/bus/event_source/devices");
        capability_remedy(capability,
                          "see 'dmesg | grep -i \"performance events\"'; a kernel with CONFIG_PERF_EVENTS and the "
                          "processor's PMU driver is needed");
    }
}

static void explain_not_in_pmu(struct capability *capability, const struct bench *bench, unsigned needs)
{
    bool guest = virtualisation_is_guest(&bench->machine->virtualisation);
    const char *what = needs & NEED_PRECISE    ? "precise sampling"
                       : needs & NEED_BRANCHES ? "a branch stack"
                       : needs & NEED_INTERRUPT ? "sampling interrupts"
                                                : "this event";
    capability_blocked(capability, guest ? BLOCKER_HYPERVISOR : BLOCKER_HARDWARE, "this PMU%s does not offer %s",
                       guest ? ", as the hypervisor shows it," : "", what);
    if (guest && bench->machine->cpu.vendor_kind == MICROARCHITECTURE_INTEL && needs & (NEED_PRECISE | NEED_BRANCHES))
        capability_remedy(capability,
                          "bare metal has it; some hypervisors can pass it on (KVM: PEBS on Ice Lake and newer, LBR)");
    else if (guest)
        capability_remedy(capability, "measure on bare metal, where the processor itself decides");
}

/* ---- no permission -------------------------------------------------------------------------------------- */

static void explain_seccomp(struct capability *capability, const struct machine *machine, const char *call)
{
    bool filtered = machine->rights.seccomp_mode.known && machine->rights.seccomp_mode.value == 2;
    capability_blocked(capability, BLOCKER_SECCOMP, "%s is refused before the kernel looks at it%s", call,
                       filtered ? " (this process runs under a seccomp filter)" : "");
    if (machine->container.kind == CONTAINER_KUBERNETES)
        capability_remedy(capability,
                          "in the pod: securityContext: {capabilities: {add: [\"PERFMON\"]}, seccompProfile: {type: "
                          "Unconfined}} (or a Localhost profile that allows %s)",
                          call);
    else if (machine->container.kind == CONTAINER_PODMAN || machine->container.kind == CONTAINER_DOCKER)
        capability_remedy(capability,
                          "start the container with --cap-add PERFMON and --security-opt seccomp=unconfined (or a "
                          "profile that allows %s)",
                          call);
    else
        capability_remedy(capability,
                          "run outside of the filter, or allow %s in its profile (systemd: SystemCallFilter=)", call);
}

/* The highest kernel.perf_event_paranoid at which these needs are met without a capability. */
static int paranoid_needed(unsigned needs)
{
    if (needs & NEED_TRACEFS)
        return -1;
    return needs & NEED_ALL_CPUS ? 0 : needs & NEED_KERNEL ? 1 : 2;
}

static void explain_permission(struct capability *capability, const struct bench *bench, unsigned needs)
{
    const struct machine *machine = bench->machine;
    int needed = paranoid_needed(needs);
    const struct fact_number *paranoid = &machine->limits.paranoid;
    bool perfmon = process_has_perfmon(&machine->rights);
    bool inner_cap = fact_equals(&machine->rights.in_first_user_namespace, 0) && machine->rights.capabilities.known &&
                     (machine->rights.capabilities.value >> PROCESS_CAP_PERFMON & 1);
    if (needs & NEED_PROBE && !process_has(&machine->rights, PROCESS_CAP_SYS_ADMIN)) {
        capability_blocked(capability, BLOCKER_CAPABILITY,
                           "needs CAP_SYS_ADMIN (CAP_PERFMON is enough for some kernels%s), whatever "
                           "perf_event_paranoid says",
                           perfmon ? ", not for this one" : "");
        capability_remedy(capability, "run as root");
    } else if (perfmon) {
        bool locked = machine->limits.lockdown.known && strcmp(machine->limits.lockdown.text, "none") != 0;
        capability_blocked(
            capability, BLOCKER_LOCKDOWN, "refused although this process holds CAP_PERFMON or CAP_SYS_ADMIN%s",
            locked ? ": the kernel is locked down" : ": a security module (SELinux, AppArmor) or lockdown says no");
        capability_remedy(
            capability,
            "see 'dmesg' or the audit log for the denial; lockdown goes with lockdown=none and Secure Boot off");
    } else if (paranoid->known && paranoid->value > needed) {
        capability_blocked(capability, BLOCKER_PARANOID,
                           "kernel.perf_event_paranoid is %lld and this needs %d or less, or CAP_PERFMON%s",
                           (long long)paranoid->value, needed,
                           inner_cap ? " (held in a user namespace only, which does not count)" : "");
        capability_remedy(
            capability,
            "sudo sysctl kernel.perf_event_paranoid=%d, or: sudo setcap cap_perfmon+ep $(command -v plumb)%s", needed,
            machine->container.kind != CONTAINER_NONE ? "; in a container: --cap-add PERFMON" : "");
    } else {
        capability_blocked(capability, BLOCKER_CAPABILITY, "needs CAP_PERFMON%s",
                           paranoid->known ? "" : " (perf_event_paranoid can't be read)");
        capability_remedy(capability, "run as root, or: sudo setcap cap_perfmon+ep $(command -v plumb)");
    }
}

static void explain_bpf_permission(struct capability *capability, const struct bench *bench)
{
    const struct machine *machine = bench->machine;
    bool locked = machine->limits.lockdown.known && strcmp(machine->limits.lockdown.text, "none") != 0;
    if (process_has(&machine->rights, PROCESS_CAP_SYS_ADMIN) ||
        (process_has(&machine->rights, PROCESS_CAP_BPF) && process_has(&machine->rights, PROCESS_CAP_PERFMON))) {
        bool filtered = machine->rights.seccomp_mode.known && machine->rights.seccomp_mode.value == 2;
        capability_blocked(capability, filtered ? BLOCKER_SECCOMP : BLOCKER_LOCKDOWN,
                           "bpf() is refused although this process may use it: %s",
                           filtered ? "a seccomp filter"
                           : locked ? "the kernel is locked down"
                                    : "a security module, or too little locked memory");
        capability_remedy(capability, filtered ? "allow bpf in the filter's profile"
                                               : "ulimit -l unlimited; see dmesg or the audit log");
        return;
    }
    capability_blocked(capability, BLOCKER_CAPABILITY, "needs CAP_BPF and CAP_PERFMON (or root)");
    capability_remedy(capability, "sudo setcap cap_bpf,cap_perfmon+ep $(command -v plumb), or run as root%s",
                      machine->container.kind != CONTAINER_NONE ? "; in a container: --cap-add BPF --cap-add PERFMON"
                                                                : "");
}

/* A child of our own asked to be traced and was refused: its user, dumpability and capabilities are ours. */
static void explain_ptrace(struct capability *capability, const struct bench *bench)
{
    static const enum blocker blockers[] = {
        [WALL_SECCOMP] = BLOCKER_SECCOMP, [WALL_TRACED] = BLOCKER_TRACER, [WALL_YAMA] = BLOCKER_CAPABILITY,
        [WALL_UNKNOWN] = BLOCKER_LOCKDOWN, [WALL_NOT_DUMPABLE] = BLOCKER_CAPABILITY};
    struct error reason;
    enum process_wall wall = process_wall_find(bench->root, getpid(), true, &reason);
    bool named = (size_t)wall < array_count(blockers) && blockers[wall] != BLOCKER_NONE;
    capability_blocked(capability, named ? blockers[wall] : BLOCKER_UNKNOWN, "ptrace is refused: %s", reason.message);
    capability_remedy(capability, "%s", reason.hint);
}

/* ---- by errno ------------------------------------------------------------------------------------------- */

static void explain_limit(struct capability *capability, const struct bench *bench)
{
    const struct fact_number *soft = &bench->machine->rights.open_files_soft,
                             *hard = &bench->machine->rights.open_files_hard;
    capability_blocked(capability, BLOCKER_LIMIT, "too many open files: RLIMIT_NOFILE is %lld here",
                       soft->known ? (long long)soft->value : -1);
    if (soft->known && hard->known && hard->value > soft->value)
        capability_remedy(capability, "ulimit -n %lld (the hard limit)", (long long)hard->value);
    else
        capability_remedy(capability,
                          "raise the hard limit as root: prlimit --nofile=65536 ..., systemd's LimitNOFILE=, or the "
                          "container's --ulimit nofile=65536");
}

static void explain_ring(struct capability *capability, const struct bench *bench, const struct trial *trial)
{
    const struct machine *machine = bench->machine;
    capability->sys_errno = trial->sys_errno;
    if (trial->sys_errno == EPERM || trial->sys_errno == ENOMEM) {
        capability_blocked(
            capability, BLOCKER_LIMIT,
            "the ring buffer's memory may not be locked: perf_event_mlock_kb is %lld, RLIMIT_MEMLOCK %lld KiB",
            machine->limits.mlock_kib.known ? (long long)machine->limits.mlock_kib.value : -1,
            machine->rights.locked_memory_soft.known ? (long long)(machine->rights.locked_memory_soft.value >> 10)
                                                     : -1);
        capability_remedy(capability, "ulimit -l unlimited, or: sudo sysctl kernel.perf_event_mlock_kb=2048");
        return;
    }
    capability_blocked(capability, BLOCKER_UNKNOWN, "the ring buffer can't be mapped: %s", strerror(trial->sys_errno));
}

static void explain_absent_call(struct capability *capability, const struct bench *bench, const char *call)
{
    if (fact_equals(&bench->machine->rights.seccomp_mode, 2)) {
        explain_seccomp(capability, bench->machine, call);
        return;
    }
    if (bench->machine->limits.paranoid.known) {
        capability_blocked(capability, BLOCKER_SANDBOX,
                           "%s does not exist for this process, although the kernel has it", call);
        capability_remedy(
            capability, "an emulator or sandbox answers instead of the kernel (qemu-user, gVisor): run outside of it");
        return;
    }
    capability_blocked(capability, BLOCKER_KERNEL_CONFIG,
                       "%s does not exist here: a kernel without CONFIG_PERF_EVENTS, or a sandbox's own", call);
    capability_remedy(capability, "needs a kernel with CONFIG_PERF_EVENTS=y; gVisor and WSL1 have none");
}

void capability_explain_errno(struct capability *capability, const struct bench *bench, const char *call, int sys_errno,
                              unsigned needs)
{
    capability->sys_errno = sys_errno;
    bool refused = bench->machine->perf_door == PERF_DOOR_REFUSED && sys_errno == bench->machine->perf_door_errno;
    bool perf = !(needs & (NEED_BPF | NEED_PTRACE));
    switch (sys_errno) {
    case ENOSYS:
        explain_absent_call(capability, bench, call);
        return;
    case EPERM:
    case EACCES:
        if (perf && refused)
            explain_seccomp(capability, bench->machine, call);
        else if (needs & NEED_BPF)
            explain_bpf_permission(capability, bench);
        else if (needs & NEED_PTRACE)
            explain_ptrace(capability, bench);
        else
            explain_permission(capability, bench, needs);
        return;
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
        if ((needs & NEED_PMU) && !bench_has_core(bench))
            explain_no_pmu(capability, bench);
        else if (needs & NEED_PMU)
            explain_not_in_pmu(capability, bench, needs);
        else {
            capability_blocked(capability, BLOCKER_KERNEL_CONFIG, "the kernel has no such event (%s)",
                               strerror(sys_errno));
            capability_remedy(capability, "needs a kernel built with it");
        }
        return;
    case EMFILE:
    case ENFILE:
        explain_limit(capability, bench);
        return;
    case ENOSPC:
    case EBUSY:
        capability_blocked(capability, BLOCKER_OTHER_USER, "no free %s: another program holds it",
                           needs & NEED_PMU ? "counter" : "debug register");
        capability_remedy(capability,
                          "end other users: debuggers, perf, profilers (see /proc/*/fd -> anon_inode:[perf_event])");
        return;
    case EINVAL:
    case E2BIG:
        if (needs & NEED_PMU && !bench_has_core(bench))
            explain_no_pmu(capability, bench);
        else {
            capability_blocked(capability, BLOCKER_KERNEL_VERSION, "the kernel does not accept this request (%s)",
                               strerror(sys_errno));
            capability_remedy(capability, "a newer kernel may; this is %s",
                              bench->machine->limits.kernel_release.known ? bench->machine->limits.kernel_release.text
                                                                          : "unknown");
        }
        return;
    default:
        capability_blocked(capability, BLOCKER_UNKNOWN, "%s: %s", call, strerror(sys_errno));
    }
}

void capability_explain(struct capability *capability, const struct bench *bench, const struct trial *trial,
                        unsigned needs)
{
    capability->sys_errno = trial->sys_errno;
    switch (trial->stage) {
    case TRIAL_RING:
        explain_ring(capability, bench, trial);
        return;
    case TRIAL_READ:
        if (!trial->sys_errno)
            capability_never_ran(capability, bench);
        else
            capability_blocked(capability, BLOCKER_UNKNOWN, "the counter can't be read: %s",
                               strerror(trial->sys_errno));
        return;
    case TRIAL_START:
        capability_blocked(capability, BLOCKER_UNKNOWN, "the event can't be enabled: %s", strerror(trial->sys_errno));
        return;
    default:
        capability_explain_errno(capability, bench, "perf_event_open", trial->sys_errno, needs);
    }
}

void capability_never_ran(struct capability *capability, const struct bench *bench)
{
    bool watchdog = bench->machine->limits.nmi_watchdog.known && bench->machine->limits.nmi_watchdog.value;
    capability_blocked(capability, BLOCKER_OTHER_USER,
                       "it opens but never gets a counter: another user of the PMU holds them%s",
                       watchdog ? " (the NMI watchdog is one)" : "");
    capability_remedy(capability, "%send other users of the PMU (perf, profilers, agents)",
                      watchdog ? "sudo sysctl kernel.nmi_watchdog=0; " : "");
}

void capability_counted_nothing(struct capability *capability, const struct bench *bench)
{
    bool guest = virtualisation_is_guest(&bench->machine->virtualisation);
    capability->verdict = CAPABILITY_WRONG;
    capability->blocker = guest ? BLOCKER_HYPERVISOR : BLOCKER_HARDWARE;
    snprintf(capability->reason, sizeof(capability->reason), "it opens and runs but counts 0%s",
             guest ? ": the hypervisor filters this event" : ": the processor does not count it");
    if (guest)
        capability_remedy(capability,
                          "ask for an unfiltered vPMU (Google: --performance-monitoring-unit=enhanced; KVM: no "
                          "KVM_SET_PMU_EVENT_FILTER), or measure on bare metal");
}

void capability_judge(struct capability *capability, const struct bench *bench, const struct trial_count *count,
                      uint64_t expected, double low, double high, const char *what)
{
    fact_number_set(&capability->expected, (int64_t)expected);
    if (count->running_ns == 0 && count->value == 0) {
        capability_never_ran(capability, bench);
        return;
    }
    fact_number_set(&capability->counted, (int64_t)count->value);
    double value = (double)count->value, scale = 1;
    if (count->running_ns && count->running_ns < count->enabled_ns)
        scale = (double)count->enabled_ns / (double)count->running_ns;
    if (count->value == 0)
        capability_counted_nothing(capability, bench);
    else if (value * scale >= low && value * scale <= high)
        capability_works(capability, "%llu counted, %llu %s%s", (unsigned long long)count->value,
                         (unsigned long long)expected, what, scale > 1.01 ? " (scaled: it shared a counter)" : "");
    else
        capability_wrong(capability, "counted %llu where %llu %s", (unsigned long long)count->value,
                         (unsigned long long)expected, what);
}
