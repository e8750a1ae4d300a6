/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/snapshot/snapshot.h"

#include "base/scope.h"
#include "base/vec.h"
#include "system/cpuid.h"

#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MOST = 1024 * 1024 };

enum treatment {
    WHOLE = 0,   /* the file as it is */
    MARK,        /* that it exists: an empty file */
    LINK,        /* where a symbolic link points */
    HEAD,        /* the first 36 bytes: an ACPI table's header */
    CGROUP_LINES, /* of mountinfo: those of cgroup hierarchies */
    KERNEL_WORDS, /* of the kernel's command line: those that system/ uses */
    CPU_LINES,    /* of a thread's status: its name and its CPUs */
    NO_FILES      /* of numa_maps: without the names of mapped files */
};

struct pattern {
    const char *path; /* a segment may hold * */
    enum treatment treatment;
};

static const struct pattern patterns[] = {
    {"/proc/cpuinfo", WHOLE},
    {"/proc/stat", WHOLE},
    {"/proc/loadavg", WHOLE},
    {"/proc/meminfo", WHOLE},
    {"/proc/vmstat", WHOLE},
    {"/proc/version", WHOLE},
    {"/proc/filesystems", WHOLE},
    {"/proc/cmdline", KERNEL_WORDS},
    {"/proc/xen/capabilities", WHOLE},
    {"/proc/device-tree/hypervisor/compatible", WHOLE},
    {"/proc/device-tree/compatible", WHOLE},
    {"/proc/device-tree/fw-cfg@*", MARK},
    {"/sys/firmware/qemu_fw_cfg", MARK},
    {"/proc/sys/kernel/perf_*", WHOLE},
    {"/proc/sys/kernel/kptr_restrict", WHOLE},
    {"/proc/sys/kernel/unprivileged_bpf_disabled", WHOLE},
    {"/proc/sys/kernel/yama/ptrace_scope", WHOLE},
    {"/proc/sys/kernel/nmi_watchdog", WHOLE},
    {"/proc/sys/kernel/numa_balancing", WHOLE},
    {"/proc/sys/kernel/randomize_va_space", WHOLE},
    {"/proc/sys/kernel/osrelease", WHOLE},
    {"/proc/sys/net/core/bpf_jit_enable", WHOLE},
    {"/proc/sys/vm/swappiness", WHOLE},
    {"/proc/sys/vm/zone_reclaim_mode", WHOLE},
    {"/proc/self/status", WHOLE},
    {"/proc/self/limits", WHOLE},
    {"/proc/self/cgroup", WHOLE},
    {"/proc/self/mountinfo", CGROUP_LINES},
    {"/proc/self/ns/user", LINK},
    {"/proc/self/ns/pid", LINK},
    {"/proc/self/ns/cgroup", LINK},
    {"/sys/devices/system/cpu/online", WHOLE},
    {"/sys/devices/system/cpu/possible", WHOLE},
    {"/sys/devices/system/cpu/offline", WHOLE},
    {"/sys/devices/system/cpu/isolated", WHOLE},
    {"/sys/devices/system/cpu/nohz_full", WHOLE},
    {"/sys/devices/system/cpu/smt/*", WHOLE},
    {"/sys/devices/system/cpu/vulnerabilities/*", WHOLE},
    {"/sys/devices/system/cpu/intel_pstate/*", WHOLE},
    {"/sys/devices/system/cpu/amd_pstate/*", WHOLE},
    {"/sys/devices/system/cpu/cpufreq/boost", WHOLE},
    {"/sys/devices/system/cpu/cpufreq/policy*/scaling_governor", WHOLE},
    {"/sys/devices/system/cpu/cpufreq/policy*/energy_performance_preference", WHOLE},
    {"/sys/devices/system/cpu/cpuidle/*", WHOLE},
    {"/sys/devices/system/cpu/cpu[0-9]*/topology/*_id", WHOLE},
    {"/sys/devices/system/cpu/cpu[0-9]*/topology/*_list", WHOLE},
    {"/sys/devices/system/cpu/cpu[0-9]*/cache/index*/level", WHOLE},
    {"/sys/devices/system/cpu/cpu[0-9]*/cache/index*/type", WHOLE},
    {"/sys/devices/system/cpu/cpu[0-9]*/cache/index*/size", WHOLE},
    {"/sys/devices/system/cpu/cpu[0-9]*/cache/index*/coherency_line_size", WHOLE},
    {"/sys/devices/system/cpu/cpu[0-9]*/cache/index*/ways_of_associativity", WHOLE},
    {"/sys/devices/system/cpu/cpu[0-9]*/cache/index*/number_of_sets", WHOLE},
    {"/sys/devices/system/cpu/cpu[0-9]*/cache/index*/shared_cpu_list", WHOLE},
    {"/sys/devices/system/cpu/cpu[0-9]*/node[0-9]*", MARK},
    {"/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_*", WHOLE},
    {"/sys/devices/system/cpu/cpu[0-9]*/cpufreq/cpuinfo_*_freq", WHOLE},
    {"/sys/devices/system/cpu/cpu[0-9]*/cpufreq/base_frequency", WHOLE},
    {"/sys/devices/system/cpu/cpu[0-9]*/cpufreq/energy_performance_preference", WHOLE},
    {"/sys/devices/system/cpu/cpu0/cpuidle/state*/name", WHOLE},
    {"/sys/devices/system/cpu/cpu0/cpuidle/state*/latency", WHOLE},
    {"/sys/devices/system/cpu/cpu0/cpuidle/state*/disable", WHOLE},
    {"/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", WHOLE},
    {"/sys/devices/system/node/online", WHOLE},
    {"/sys/devices/system/node/node*/cpulist", WHOLE},
    {"/sys/devices/system/node/node*/distance", WHOLE},
    {"/sys/devices/system/node/node*/meminfo", WHOLE},
    {"/sys/devices/system/clocksource/clocksource0/current_clocksource", WHOLE},
    {"/sys/devices/system/clocksource/clocksource0/available_clocksource", WHOLE},
    {"/sys/devices/system/sev/vmpl", WHOLE},
    {"/sys/devices/platform/arm-cca-dev", MARK},
    {"/sys/devices/faux/arm-cca-dev", MARK},
    {"/sys/bus/event_source/devices/*/type", WHOLE},
    {"/sys/bus/event_source/devices/*/cpumask", WHOLE},
    {"/sys/bus/event_source/devices/*/cpus", WHOLE},
    {"/sys/bus/event_source/devices/*/rdpmc", WHOLE},
    {"/sys/bus/event_source/devices/*/perf_event_mux_interval_ms", WHOLE},
    {"/sys/bus/event_source/devices/*/format/*", WHOLE},
    {"/sys/bus/event_source/devices/*/events/*", WHOLE},
    {"/sys/bus/event_source/devices/*/caps/*", WHOLE},
    {"/sys/kernel/mm/transparent_hugepage/*", WHOLE},
    {"/sys/kernel/mm/transparent_hugepage/khugepaged/*", WHOLE},
    {"/sys/kernel/mm/transparent_hugepage/hugepages-*/enabled", WHOLE},
    {"/sys/kernel/mm/ksm/run", WHOLE},
    {"/sys/kernel/security/lockdown", WHOLE},
    {"/sys/kernel/tracing/events/raw_syscalls/sys_enter/id", WHOLE},
    {"/sys/hypervisor/type", WHOLE},
    {"/sys/class/dmi/id/sys_vendor", WHOLE},
    {"/sys/class/dmi/id/product_name", WHOLE},
    {"/sys/class/dmi/id/board_vendor", WHOLE},
    {"/sys/class/dmi/id/bios_vendor", WHOLE},
    {"/sys/class/misc/sev-guest", MARK},
    {"/sys/bus/acpi/devices/AMZNC10C:00", MARK},
    {"/sys/firmware/acpi/tables/DSDT", HEAD},
    {"/sys/module/kvm/parameters/enable_pmu", WHOLE},
    {"/sys/module/kvm/parameters/halt_poll_ns", WHOLE},
    {"/sys/module/kvm/parameters/nx_huge_pages", WHOLE},
    {"/sys/module/kvm_intel/parameters/ept", WHOLE},
    {"/sys/module/kvm_intel/parameters/nested", WHOLE},
    {"/sys/module/kvm_amd/parameters/npt", WHOLE},
    {"/sys/module/kvm_amd/parameters/nested", WHOLE},
    {"/dev/kvm", MARK},
    {"/.dockerenv", MARK},
    {"/run/.containerenv", MARK},
    {"/run/secrets/kubernetes.io", MARK},
    {"/var/run/secrets/kubernetes.io", MARK},
    {"/run/systemd/container", WHOLE},
};

struct writer {
    struct archive *archive;
    const struct sysroot *root;
    struct error *err;
};

/* ---- what is left of a file ----------------------------------------------------------------------------- */

static void keep_lines(struct text *content, bool (*keep)(struct view line))
{
    struct text kept = {0};
    struct view rest = text_view(content), line;
    while (view_line(&rest, &line))
        if (keep(line)) {
            text_append(&kept, line.text, line.length);
            text_add_char(&kept, '\n');
        }
    text_done(content);
    *content = kept;
}

static bool is_cgroup_mount(struct view line)
{
    return view_find(line, " - cgroup ") >= 0 || view_find(line, " - cgroup2 ") >= 0;
}

static bool is_cpu_line(struct view line)
{
    return view_starts(line, "Name:") || view_starts(line, "Cpus_allowed_list:");
}

static void keep_words(struct text *content, bool (*keep)(struct view word))
{
    struct text kept = {0};
    struct view rest = text_view(content), line;
    while (view_line(&rest, &line)) {
        for (struct view word = view_word(&line); word.length; word = view_word(&line))
            if (keep(word)) {
                text_append(&kept, word.text, word.length);
                text_add_char(&kept, ' ');
            }
        text_add_char(&kept, '\n');
    }
    text_done(content);
    *content = kept;
}

static bool is_kernel_word(struct view word)
{
    static const char *const names[] = {"isolcpus",
                                        "nohz_full",
                                        "rcu_nocbs",
                                        "mitigations",
                                        "nosmt",
                                        "nmi_watchdog",
                                        "intel_pstate",
                                        "amd_pstate",
                                        "processor.max_cstate",
                                        "intel_idle.max_cstate",
                                        "idle",
                                        "clocksource",
                                        "tsc",
                                        "hugepages",
                                        "hugepagesz",
                                        "default_hugepagesz",
                                        "transparent_hugepage",
                                        "lockdown",
                                        "spectre_v2",
                                        "pti",
                                        "nopti",
                                        "preempt"};
    struct view value = word, name = view_cut(&value, '=');
    for (size_t at = 0; at < array_count(names); at++)
        if (view_equal(name, names[at]))
            return true;
    return false;
}

static bool is_no_file(struct view word)
{
    return !view_starts(word, "file=");
}

static void treat(struct text *content, enum treatment treatment)
{
    switch (treatment) {
    case HEAD:
        if (content->length > 36)
            content->length = 36;
        return;
    case CGROUP_LINES:
        keep_lines(content, is_cgroup_mount);
        return;
    case CPU_LINES:
        keep_lines(content, is_cpu_line);
        return;
    case KERNEL_WORDS:
        keep_words(content, is_kernel_word);
        return;
    case NO_FILES:
        keep_words(content, is_no_file);
        return;
    default:
        return;
    }
}

/* ---- one path ------------------------------------------------------------------------------------------- */

static bool is_regular(const struct sysroot *root, const char *path)
{
    struct stat status;
    scoped_fd int fd = sysroot_open(root, "%s", path);
    return fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

static bool path_write(const struct writer *writer, const char *path, enum treatment treatment)
{
    scoped_text struct text content = {0};
    struct error unread;
    char target[PATH_MAX];
    if (treatment == LINK)
        return !sysroot_link(writer->root, target, sizeof(target), "%s", path) ||
               archive_add_link(writer->archive, path, target, writer->err);
    if (treatment == MARK)
        return !sysroot_exists(writer->root, "%s", path) || archive_add_file(writer->archive, path, "", 0, writer->err);
    if (!is_regular(writer->root, path) || !sysroot_read(writer->root, &content, &unread, "%s", path) ||
        content.length > FILE_MOST)
        return true; /* unreadable here: the snapshot's reader will find it absent, and say so */
    treat(&content, treatment);
    return archive_add_file(writer->archive, path, text_string(&content), content.length, writer->err);
}

/* Expand the first segment of rest that has a wildcard, and go on with what follows; `done` is the path before it. */
static bool pattern_write(const struct writer *writer, const char *done, const char *rest, enum treatment treatment)
{
    const char *wild = strpbrk(rest, "*[");
    if (!wild) {
        char *path = memory_printf("%s%s", done, rest);
        bool good = path_write(writer, path, treatment);
        free(path);
        return good;
    }
    while (*wild != '/')
        wild--;
    size_t segment_length = strcspn(wild + 1, "/");
    scoped_free char *folder = memory_printf("%s%.*s", done, (int)(wild - rest), rest);
    scoped_free char *segment = memory_printf("%.*s", (int)segment_length, wild + 1);
    const char *after = wild + 1 + segment_length;
    scoped_dir DIR *list = sysroot_opendir(writer->root, "%s", folder);
    bool good = true;
    for (struct dirent *entry; good && list && (entry = readdir(list));) {
        if (entry->d_name[0] == '.' || fnmatch(segment, entry->d_name, 0) != 0)
            continue;
        char *path = memory_printf("%s/%s", folder, entry->d_name);
        good = pattern_write(writer, path, after, treatment);
        free(path);
    }
    return good;
}

/* ---- parts that depend on the machine ------------------------------------------------------------------- */

static const char *const cgroup_files[] = {"cpu.max",
                                           "cpu.stat",
                                           "cpu.weight",
                                           "cpu.pressure",
                                           "cpuset.cpus.effective",
                                           "cpuset.effective_cpus",
                                           "cpu.cfs_quota_us",
                                           "cpu.cfs_period_us",
                                           "cpu.shares"};

/* The group's files and those of every level above it; above the mount there are none. */
static bool levels_write(const struct writer *writer, const char *group)
{
    char folder[CGROUP_FOLDER_MOST];
    snprintf(folder, sizeof(folder), "%s", group);
    while (strncmp(folder, "/sys/fs/cgroup", 14) == 0 || (folder[0] && strcmp(folder, group) == 0)) {
        for (size_t at = 0; at < array_count(cgroup_files); at++) {
            scoped_free char *file = memory_printf("%s/%s", folder, cgroup_files[at]);
            if (!path_write(writer, file, WHOLE))
                return false;
        }
        *strrchr(folder, '/') = '\0';
    }
    return true;
}

static bool cgroup_write(const struct writer *writer, const struct cgroup_cpu *cgroup)
{
    bool apart = strcmp(cgroup->folder, cgroup->cpuset_folder) != 0;
    return levels_write(writer, cgroup->folder) && (!apart || levels_write(writer, cgroup->cpuset_folder));
}

static bool virtual_machine_write(const struct writer *writer, const struct virtual_machine *machine)
{
    static const struct pattern files[] = {{"comm", WHOLE}, {"stat", WHOLE}, {"status", CPU_LINES}};
    scoped_free char *comm = memory_printf("/proc/%d/comm", machine->pid);
    scoped_free char *maps = memory_printf("/proc/%d/numa_maps", machine->pid);
    bool good = path_write(writer, comm, WHOLE) && path_write(writer, maps, NO_FILES);
    for (size_t at = 0; at < machine->vcpu_count && good; at++)
        for (size_t file = 0; file < array_count(files) && good; file++) {
            char *path = memory_printf("/proc/%d/task/%d/%s", machine->pid, machine->vcpus[at].tid, files[file].path);
            good = path_write(writer, path, files[file].treatment);
            free(path);
        }
    return good;
}

static bool plumb_write(const struct writer *writer, const struct machine *machine)
{
    scoped_text struct text leaves = {0};
    cpuid_write(&leaves);
    char number[32];
    if (leaves.length && !archive_add_file(writer->archive, "/plumb/cpuid", leaves.bytes, leaves.length, writer->err))
        return false;
    if (machine->cpu.architecture.known &&
        !archive_add_file(writer->archive, "/plumb/architecture", machine->cpu.architecture.text,
                          strlen(machine->cpu.architecture.text), writer->err))
        return false;
    if (!machine->limits.btf_bytes.known)
        return true;
    int length = snprintf(number, sizeof(number), "%lld\n", (long long)machine->limits.btf_bytes.value);
    return archive_add_file(writer->archive, "/plumb/btf_bytes", number, (size_t)length, writer->err);
}

bool snapshot_write(struct archive *archive, const struct sysroot *root, const struct machine *machine,
                    struct error *err)
{
    const struct writer writer = {archive, root, err};
    for (size_t at = 0; at < array_count(patterns); at++)
        if (!pattern_write(&writer, "", patterns[at].path, patterns[at].treatment))
            return false;
    for (size_t at = 0; at < machine->virtual_machines.count; at++)
        if (!virtual_machine_write(&writer, &machine->virtual_machines.items[at]))
            return false;
    return cgroup_write(&writer, &machine->cgroup) && plumb_write(&writer, machine);
}
