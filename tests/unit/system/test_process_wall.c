/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "made_folder.h"
#include "test.h"

#include "base/vec.h"
#include "system/pmu/process_wall.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A /proc in which we and process 77 have these statuses. */
struct place {
    char folder[64];
    struct sysroot root;
};

static void place_init(struct place *place, uint64_t our_capabilities, int seccomp, const char *scope)
{
    snprintf(place->folder, sizeof(place->folder), "/tmp/plumb-wall-XXXXXX");
    cr_assert(mkdtemp(place->folder));
    sysroot_init(&place->root, place->folder);
    made_folder_put(place->folder, "/proc/self/status", "Uid:\t1 1 1 1\nCapEff:\t%016llx\nSeccomp:\t%d\n",
        (unsigned long long)our_capabilities, seccomp);
    if (scope)
        made_folder_put(place->folder, "/proc/sys/kernel/yama/ptrace_scope", "%s\n", scope);
}

static void other_put(const struct place *place, unsigned user, int tracer, const char *permitted)
{
    made_folder_put(place->folder, "/proc/77/status", "Name:\tx\nTracerPid:\t%d\nUid:\t%u %u %u %u\nGid:\t%u %u %u %u\nCapPrm:\t%s\n", tracer,
        user, user, user, user, getgid(), getgid(), getgid(), getgid(), permitted);
}

static void place_done(struct place *place)
{
    made_folder_remove(place->folder);
}

Test(process_wall, each_layer_is_told_apart)
{
    static const struct {
        const char *name;
        uint64_t ours; /* our capabilities */
        int seccomp;
        const char *scope;
        int user_offset, tracer;
        const char *permitted;
        bool attach;
        enum process_wall wall;
        const char *word; /* in message or hint */
    } cases[] = {
        {"another user", 0, 0, "0", 1, 0, "0", false, WALL_USER, "runs as user"},
        {"another user, and we may trace all", 1u << PROCESS_CAP_SYS_PTRACE, 0, NULL, 1, 0, "0", false, WALL_UNKNOWN, "security module"},
        {"another user, and we may measure all", UINT64_C(1) << PROCESS_CAP_PERFMON, 0, NULL, 1, 0, "0", false, WALL_UNKNOWN, "security module"},
        {"another user, but measuring isn't attaching", UINT64_C(1) << PROCESS_CAP_PERFMON, 0, NULL, 1, 0, "0", true, WALL_USER, "runs as user"},
        {"more capabilities", 0, 0, "0", 0, 0, "ff", false, WALL_CAPABILITIES, "capabilities"},
        {"traced already", 0, 0, "1", 0, 55, "0", true, WALL_TRACED, "process 55"},
        {"traced, but we only look", 0, 0, "1", 0, 55, "0", false, WALL_UNKNOWN, ""},
        {"Yama: descendants only", 0, 0, "1", 0, 0, "0", true, WALL_YAMA, "ptrace_scope is 1"},
        {"Yama: with the capability", 1u << PROCESS_CAP_SYS_PTRACE, 0, "2", 0, 0, "0", true, WALL_UNKNOWN, ""},
        {"Yama: without it", 0, 0, "2", 0, 0, "0", true, WALL_YAMA, "CAP_SYS_PTRACE"},
        {"Yama: nobody", 1u << PROCESS_CAP_SYS_PTRACE, 0, "3", 0, 0, "0", true, WALL_YAMA, "next boot"},
        {"Yama does not guard looking", 0, 0, "3", 0, 0, "0", false, WALL_UNKNOWN, ""},
        {"seccomp", 0, 2, "0", 0, 0, "0", true, WALL_SECCOMP, "seccomp"},
        {"a filter that measuring may have passed", 0, 2, "0", 0, 0, "0", false, WALL_UNKNOWN, "audit log"},
        {"nothing known", 0, 0, NULL, 0, 0, "0", true, WALL_UNKNOWN, "audit log"},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct place place;
        struct error reason;
        char said[900];
        place_init(&place, cases[at].ours, cases[at].seccomp, cases[at].scope);
        other_put(&place, getuid() + (unsigned)cases[at].user_offset, cases[at].tracer, cases[at].permitted);
        if (getuid() != 0) /* the files' owner is then the process's */
            cr_expect_neq(process_wall_find(&place.root, 77, cases[at].attach, &reason), WALL_NOT_DUMPABLE);
        enum process_wall wall = process_wall_find(&place.root, 77, cases[at].attach, &reason);
        snprintf(said, sizeof(said), "%s %s", reason.message, reason.hint);
        cr_expect_eq(wall, cases[at].wall, "%s: %d, %s", cases[at].name, (int)wall, said);
        cr_expect(strstr(said, cases[at].word), "%s: %s", cases[at].name, said);
        cr_expect(reason.message[0]);
        place_done(&place);
    }
}

Test(process_wall, one_that_is_gone)
{
    struct place place;
    struct error reason;
    place_init(&place, 0, 0, NULL);
    cr_expect_eq(process_wall_find(&place.root, 77, true, &reason), WALL_GONE);
    cr_expect_eq(reason.kind, ERROR_NOT_FOUND);
    place_done(&place);
}
