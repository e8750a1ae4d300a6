/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose machines' statistics are shown: of a made-up debugfs with more machines than a page would list. */
#include "made_folder.h"
#include "test.h"

#include "command/exits/exits_statistics.h"

#include <stdlib.h>
#include <unistd.h>

enum { MACHINES = 100, FIRST_PID = 1000 };

static void machines_put(const char *folder, int value)
{
    char path[96];
    for (int at = 0; at < MACHINES; at++) {
        snprintf(path, sizeof(path), "/sys/kernel/debug/kvm/%d-5/exits", FIRST_PID + at);
        made_folder_put(folder, path, "%d\n", value + (value ? at : 0));
        snprintf(path, sizeof(path), "/proc/%d/status", FIRST_PID + at);
        /* The second is the first one's child. */
        made_folder_put(folder, path, "Name:\tqemu\nTgid:\t%d\nPPid:\t%d\n", FIRST_PID + at, at == 1 ? FIRST_PID : 1);
    }
}

Test(exits_statistics, are_of_the_machines_that_are_watched_however_many)
{
    static const struct {
        pid_t pid; /* 0: everybody's */
        size_t count;
    } cases[] = {{0, MACHINES}, {FIRST_PID, 2}, {FIRST_PID + 7, 1}, {7, 0}};
    char folder[] = "/tmp/plumb-statistics-XXXXXX";
    struct sysroot root;
    cr_assert(mkdtemp(folder));
    sysroot_init(&root, folder);
    for (size_t at = 0; at < array_count(cases); at++) {
        struct exits_processes processes = {0};
        struct exits_statistics before, now;
        const struct exit_machine *machines;
        struct arena arena;
        arena_init(&arena);
        struct exits_notes notes = {.arena = &arena};
        exits_processes_add(&processes, cases[at].pid);
        machines_put(folder, 0);
        exits_statistics_read(&before, cases[at].pid ? &processes : NULL, &root, &arena);
        machines_put(folder, 50);
        exits_statistics_read(&now, cases[at].pid ? &processes : NULL, &root, &arena);
        cr_assert_eq(exits_statistics_since(&before, &now, &machines, &notes), cases[at].count, "case %zu", at);
        for (size_t one = 0; one < cases[at].count; one++) {
            cr_assert(machines[one].figure_count == 1 && strcmp(machines[one].figures[0].name, "exits") == 0);
            cr_assert_eq(machines[one].figures[0].value, 50 + machines[one].pid - FIRST_PID);
        }
        exits_processes_done(&processes);
        vec_done(&notes);
        arena_done(&arena);
    }
    made_folder_remove(folder);
}

Test(exits_processes, end_when_the_last_of_them_has)
{
    char list[64];
    struct exits_processes processes;
    struct error err = {0};
    pid_t children[2];
    int pipes[2];
    cr_assert(pipe(pipes) == 0);
    for (size_t at = 0; at < 2; at++)
        if ((children[at] = fork()) == 0) {
            char letter;
            close(pipes[1]);
            _exit(read(pipes[0], &letter, 1) < 0);
        }
    snprintf(list, sizeof(list), "%d,%d", children[0], children[1]);
    cr_assert(exits_processes_open(&processes, list, &err), "%s", err.message);
    cr_expect(processes.count == 2 && !exits_processes_ended(&processes));
    close(pipes[1]);
    for (int look = 0; look < 1000 && !exits_processes_ended(&processes); look++)
        usleep(10000);
    cr_expect(exits_processes_ended(&processes), "nobody has waited for them yet, and they have ended all the same");
    exits_processes_done(&processes);
    cr_expect_not(exits_processes_ended(&processes), "none are none that end");
    cr_expect_not(exits_processes_open(&processes, "1,x", &err));
    cr_expect_eq(err.kind, ERROR_USAGE);
    cr_expect_not(exits_processes_open(&processes, "", &err), "nobody is nobody to watch");
    close(pipes[0]);
}
