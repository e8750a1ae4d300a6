/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/scope.h"
#include "base/vec.h"
#include "experiment/run_settings.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void file_make(const char *root, const char *path, const char *text)
{
    char whole[512];
    snprintf(whole, sizeof(whole), "%s%s", root, path);
    for (char *slash = strchr(whole + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(whole, 0755);
        *slash = '/';
    }
    scoped_file FILE *file = fopen(whole, "w");
    cr_assert(file);
    fputs(text, file);
}

static const char *file_text(const struct sysroot *root, const char *path)
{
    static char line[64];
    cr_assert(sysroot_line(root, line, sizeof(line), "%s", path));
    return line;
}

#define GOVERNOR "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor"

Test(run_settings, the_machines_switches_are_put_back)
{
    char folder[] = "/tmp/plumb-test.XXXXXX", path[128];
    cr_assert(mkdtemp(folder));
    for (int cpu = 0; cpu < 3; cpu++) {
        snprintf(path, sizeof(path), GOVERNOR, cpu);
        file_make(folder, path, cpu == 1 ? "performance\n" : "powersave\n");
    }
    file_make(folder, "/proc/sys/kernel/numa_balancing", "1\n");
    struct sysroot root;
    struct arena arena;
    struct run_settings settings = {0};
    struct settings_guard guard;
    struct error err = {0};
    arena_init(&arena);
    sysroot_init(&root, folder);
    cr_assert(run_settings_add(&settings, "governor", "performance", &root, &arena, &err), "%s", err.message);
    cr_assert(run_settings_add(&settings, "numa_balancing", "0", &root, &arena, &err));
    cr_assert(run_settings_enter(&settings, NULL, &guard, &root, &err), "%s", err.message);
    cr_assert_str_eq(file_text(&root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"), "performance");
    cr_assert_str_eq(file_text(&root, "/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor"), "performance");
    cr_assert_str_eq(file_text(&root, "/proc/sys/kernel/numa_balancing"), "0");
    run_settings_leave(&guard);
    cr_assert_str_eq(file_text(&root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"), "powersave");
    cr_assert_str_eq(file_text(&root, "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor"), "performance");
    cr_assert_str_eq(file_text(&root, "/proc/sys/kernel/numa_balancing"), "1");
    arena_done(&arena);
}

/* A process of ours that switches, says so, and is killed. */
static pid_t switcher_start(const struct run_settings *settings, const struct sysroot *root, int told)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    struct settings_guard guard;
    struct settings_lock lock = {0};
    struct error err = {0};
    bool entered = settings_lock_add(&lock, settings, root, &err) && run_settings_enter(settings, &lock, &guard, root, &err);
    if (write(told, entered ? "y" : "n", 1) == 1)
        pause();
    _exit(1);
}

Test(run_settings, who_is_killed_while_it_switched_leaves_nothing_behind)
{
    char folder[] = "/tmp/plumb-test.XXXXXX", answer = 0;
    cr_assert(mkdtemp(folder));
    file_make(folder, "/proc/sys/kernel/numa_balancing", "1\n");
    struct sysroot root;
    struct arena arena;
    struct run_settings settings = {0};
    struct settings_lock lock = {0};
    struct error err = {0};
    int told[2];
    arena_init(&arena);
    sysroot_init(&root, folder);
    cr_assert(run_settings_add(&settings, "numa_balancing", "0", &root, &arena, &err));
    cr_assert(pipe(told) == 0);
    pid_t pid = switcher_start(&settings, &root, told[1]);
    cr_assert(read(told[0], &answer, 1) == 1 && answer == 'y');
    cr_assert_str_eq(file_text(&root, "/proc/sys/kernel/numa_balancing"), "0");
    cr_assert_not(settings_lock_add(&lock, &settings, &root, &err), "two switch at once");
    cr_assert(err.kind == ERROR_LIMIT && strstr(err.message, "another plumb"), "%s", err.message);
    kill(pid, SIGKILL);
    cr_assert(waitpid(pid, NULL, 0) == pid);
    /* The lock is free when the guardian has done its work: no sooner. */
    for (int tries = 0; tries < 3000 && !settings_lock_add(&lock, &settings, &root, &err); tries++)
        usleep(10000);
    cr_assert(lock.count == 1);
    cr_assert_str_eq(file_text(&root, "/proc/sys/kernel/numa_balancing"), "1");
    settings_lock_done(&lock);
    arena_done(&arena);
}

Test(run_settings, what_cant_be_switched_says_why)
{
    static const struct {
        const char *key, *value, *says;
    } cases[] = {
        {"kernel", "6.1", "can't be switched while the machine runs"}, {"boost", "1", "this machine has no"},
        {"lunar", "1", "nothing called 'lunar'"},                      {"thp", "maybe", "always, madvise or never"},
        {"nice", "20", "-20 to 19"},                                   {"aslr", "1", "on or off"},
        {"cpu", "x", "a list of CPUs"},
    };
    struct sysroot root;
    struct arena arena;
    arena_init(&arena);
    sysroot_init(&root, "/nowhere");
    for (size_t at = 0; at < array_count(cases); at++) {
        struct run_settings settings = {0};
        struct error err = {0};
        cr_assert_not(run_settings_add(&settings, cases[at].key, cases[at].value, &root, &arena, &err));
        cr_assert(strstr(err.message, cases[at].says), "%s: %s", cases[at].key, err.message);
        cr_assert_eq(settings.count, 0);
    }
    arena_done(&arena);
}
