/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which wall stands between this process and another one: why were its counters, memory or registers refused?
 *
 * Follows the order of the kernel's ptrace_may_access(): what was asked before it (seccomp, another tracer), user and
 * groups, dumpability, capabilities, then Yama, which guards attaching only, not looking (perf_event_open looks).
 * Does not support: other security modules (SELinux, AppArmor); they are what is left, WALL_UNKNOWN.
 */
#ifndef PLUMB_SYSTEM_PMU_PROCESS_WALL_H
#define PLUMB_SYSTEM_PMU_PROCESS_WALL_H

#include "system/pmu/process_rights.h"

#include <sys/types.h>

enum process_wall {
    WALL_UNKNOWN = 0,
    WALL_GONE,
    WALL_SECCOMP,
    WALL_TRACED,       /* it has a tracer already, and a process has one at most */
    WALL_USER,         /* another user's */
    WALL_NOT_DUMPABLE, /* PR_SET_DUMPABLE 0, setuid or setcap program, or unreadable executable */
    WALL_CAPABILITIES, /* it holds capabilities that we don't */
    WALL_YAMA,
};

/*
 * The wall, and in ret_reason its words and the remedy as hint. attach: ptrace was refused; else only looking was.
 * Call after a refusal: this looks for its reason, and does not tell whether there was one. WALL_SECCOMP is of
 * attaching only: of perf_event_open ask process_seccomp_refused first.
 */
enum process_wall process_wall_find(const struct sysroot *root, pid_t pid, bool attach, struct error *ret_reason);

/*
 * Was it a seccomp filter that answered perf_event_open with this errno? The kernel's own checks answer EACCES, and not
 * to who holds CAP_PERFMON (security modules apart); a filter's usual answer is EPERM.
 */
bool process_seccomp_refused(const struct process_rights *rights, int sys_errno);
/*
 * A wall that stands whatever kernel.perf_event_paranoid says: another user's process, one that may not be looked into.
 */
bool process_wall_is_its_own(enum process_wall wall);

#endif
