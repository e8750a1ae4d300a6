/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/pmu/process_wall.h"

#include "base/scope.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define SETCAP "setcap cap_sys_ptrace,cap_perfmon+ep $(command -v plumb)"

/* What /proc/PID/status tells of the other process. */
struct other {
    uint64_t users[3], groups[3]; /* real, effective, saved */
    uint64_t tracer, permitted;
    bool has_users, has_groups, has_permitted;
};

static bool three_read(struct view text, uint64_t *three)
{
    for (int at = 0; at < 3; at++)
        if (!view_u64(view_word(&text), 10, &three[at]))
            return false;
    return true;
}

static bool other_read(struct other *other, const struct sysroot *root, pid_t pid)
{
    scoped_text struct text file = {0};
    struct error unread;
    *other = (struct other){0};
    if (!sysroot_read(root, &file, &unread, "/proc/%d/status", (int)pid))
        return false;
    struct view rest = text_view(&file), line;
    while (view_line(&rest, &line)) {
        struct view value = line, key = view_cut(&value, ':');
        if (view_equal(key, "Uid"))
            other->has_users = three_read(value, other->users);
        else if (view_equal(key, "Gid"))
            other->has_groups = three_read(value, other->groups);
        else if (view_equal(key, "CapPrm"))
            other->has_permitted = view_u64(view_trim(value), 16, &other->permitted);
        else if (view_equal(key, "TracerPid") && !view_u64(view_trim(value), 10, &other->tracer))
            other->tracer = 0;
    }
    return true;
}

static bool all_are(const uint64_t *three, uint64_t mine)
{
    return three[0] == mine && three[1] == mine && three[2] == mine;
}

/* The files of a process that isn't dumpable belong to root, whoever runs it. */
static bool files_are_roots(const struct sysroot *root, pid_t pid, uint64_t user)
{
    struct stat status;
    scoped_fd int fd = sysroot_open(root, "/proc/%d/status", (int)pid);
    return fd >= 0 && user != 0 && fstat(fd, &status) == 0 && status.st_uid == 0;
}

static enum process_wall yama_wall(const struct sysroot *root, bool may_trace_all, struct error *reason)
{
    int64_t scope = 0;
    if (!sysroot_i64(root, &scope, "/proc/sys/kernel/yama/ptrace_scope") || scope == 0 || (scope < 3 && may_trace_all))
        return WALL_UNKNOWN;
    if (scope >= 3) {
        error_set(reason, ERROR_PERMISSION, "Yama forbids ptrace to everybody (kernel.yama.ptrace_scope is 3)");
        error_hint(reason, "it can't be lowered until the next boot");
    } else if (scope == 2) {
        error_set(reason, ERROR_PERMISSION, "Yama leaves ptrace to CAP_SYS_PTRACE (kernel.yama.ptrace_scope is 2)");
        error_hint(reason, "as root: sysctl kernel.yama.ptrace_scope=1, or " SETCAP);
    } else {
        error_set(reason, ERROR_PERMISSION,
                  "Yama lets a process trace its own descendants only (kernel.yama.ptrace_scope is 1)");
        error_hint(reason, "start the program with plumb, or as root: sysctl kernel.yama.ptrace_scope=0");
    }
    return WALL_YAMA;
}

static enum process_wall other_users_wall(const struct other *other, struct error *reason)
{
    error_set(reason, ERROR_PERMISSION, "it runs as user %llu, and this is user %llu",
              (unsigned long long)other->users[1], (unsigned long long)geteuid());
    error_hint(reason, "run as that user (sudo -u '#%llu') or as root, or " SETCAP,
               (unsigned long long)other->users[1]);
    return WALL_USER;
}

bool process_seccomp_refused(const struct process_rights *rights, int sys_errno)
{
    return fact_equals(&rights->seccomp_mode, 2) && (sys_errno == EPERM || process_has_perfmon(rights));
}

bool process_wall_is_its_own(enum process_wall wall)
{
    return wall == WALL_USER || wall == WALL_NOT_DUMPABLE || wall == WALL_CAPABILITIES;
}

enum process_wall process_wall_find(const struct sysroot *root, pid_t pid, bool attach, struct error *ret_reason)
{
    struct process_rights rights;
    struct other other;
    *ret_reason = (struct error){0};
    process_rights_read(&rights, root);
    if (!other_read(&other, root, pid)) {
        error_set(ret_reason, ERROR_NOT_FOUND,
                  "process %d has ended, or /proc does not show it (hidepid, another PID namespace)", (int)pid);
        return WALL_GONE;
    }
    if (attach && other.tracer) {
        error_set(ret_reason, ERROR_PERMISSION, "process %llu traces it already (a debugger, strace)",
                  (unsigned long long)other.tracer);
        error_hint(ret_reason, "a process has one tracer at most: end that one");
        return WALL_TRACED;
    }
    /*
     * Who may measure everything is asked nothing of ptrace's when only looking (perf_check_permission, since Linux
     * 5.9).
     */
    bool traces_all = process_has(&rights, PROCESS_CAP_SYS_PTRACE) || (!attach && process_has_perfmon(&rights));
    if (!traces_all && ((other.has_users && !all_are(other.users, getuid())) ||
                        (other.has_groups && !all_are(other.groups, getgid()))))
        return other_users_wall(&other, ret_reason);
    if (!traces_all && files_are_roots(root, pid, other.users[1])) {
        error_set(ret_reason, ERROR_PERMISSION,
                  "it may not be looked into: a setuid or setcap program, one whose file isn't "
                  "readable, or one that said so (PR_SET_DUMPABLE)");
        error_hint(ret_reason, "as root, or " SETCAP);
        return WALL_NOT_DUMPABLE;
    }
    if (!traces_all && other.has_permitted && rights.capabilities.known &&
        (other.permitted & ~(uint64_t)rights.capabilities.value)) {
        error_set(ret_reason, ERROR_PERMISSION, "it holds capabilities that this process lacks");
        error_hint(ret_reason, "as root, or " SETCAP);
        return WALL_CAPABILITIES;
    }
    enum process_wall found = attach ? yama_wall(root, traces_all, ret_reason) : WALL_UNKNOWN;
    /*
     * In a container a filter is always there: of perf_event_open the errno tells whether it was that
     * (process_seccomp_refused).
     */
    if (attach && found == WALL_UNKNOWN && fact_equals(&rights.seccomp_mode, 2)) {
        error_set(ret_reason, ERROR_PERMISSION, "a seccomp filter refuses the call");
        error_hint(ret_reason, "in a container: --cap-add SYS_PTRACE, or --security-opt seccomp=unconfined");
        return WALL_SECCOMP;
    }
    if (found == WALL_UNKNOWN) {
        error_set(ret_reason, ERROR_PERMISSION, "a security module (SELinux, AppArmor) may forbid it");
        error_hint(ret_reason, "see 'dmesg' or the audit log for the denial");
    }
    return found;
}
