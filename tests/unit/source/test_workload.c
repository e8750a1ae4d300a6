/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/scope.h"
#include "base/vec.h"
#include "source/live/target.h"
#include "source/live/workload.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static int run(char *const argv[], struct error *err)
{
    struct workload workload;
    *err = (struct error){0};
    cr_assert(workload_start(&workload, argv, err), "%s", err->message);
    int code = workload_release(&workload, err) && workload_wait(&workload, -1) ? workload_exit_code(&workload)
                                                                               : workload_exec_exit_code(err);
    cr_assert(workload.reaped);
    workload_done(&workload);
    return code;
}

Test(workload, exit_codes_are_a_shells)
{
    static const struct {
        const char *script;
        int code;
    } cases[] = {{"exit 0", 0}, {"exit 7", 7}, {"kill -TERM $$", 143}, {"kill -SEGV $$", 139}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct error err;
        char *argv[] = {"sh", "-c", (char *)cases[at].script, NULL};
        cr_expect_eq(run(argv, &err), cases[at].code, "%s", cases[at].script);
    }
}

Test(workload, what_cannot_be_executed)
{
    char script[] = "/tmp/plumb-script-XXXXXX";
    int fd = mkstemp(script);
    cr_assert(write(fd, "#!/no/such/shell\n", 17) == 17);
    close(fd);
    struct {
        const char *program;
        int code;
        const char *message;
        mode_t mode;
    } cases[] = {
        {"plumb-no-such-program", 127, "plumb-no-such-program: command not found", 0},
        {"/no/such", 127, "/no/such: No such file or directory", 0},
        {"/tmp", 126, "/tmp: Is a directory", 0},
        {script, 126, "Permission denied", 0644},
        {script, 127, "interpreter '/no/such/shell' not found", 0755},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct error err;
        char *argv[] = {(char *)cases[at].program, NULL};
        if (cases[at].mode)
            chmod(script, cases[at].mode);
        cr_expect_eq(run(argv, &err), cases[at].code, "%s", cases[at].program);
        cr_expect(strstr(err.message, cases[at].message), "%s", err.message);
    }
    unlink(script);
}

Test(workload, held_until_released_and_killed_if_never)
{
    char marker[] = "/tmp/plumb-marker-XXXXXX";
    close(mkstemp(marker));
    unlink(marker);
    char *argv[] = {"touch", marker, NULL};
    struct workload workload;
    struct error err = {0};
    cr_assert(workload_start(&workload, argv, &err));
    cr_assert_not(workload_wait(&workload, 20 * 1000 * 1000));
    pid_t pid = workload.pid;
    workload_done(&workload);
    cr_assert(workload.reaped && access(marker, F_OK) != 0);
    cr_assert(kill(pid, 0) < 0 && errno == ESRCH);
}

Test(workload, waiting_ends_at_the_timeout)
{
    char *argv[] = {"sleep", "0.2", NULL};
    struct workload workload;
    struct error err = {0};
    cr_assert(workload_start(&workload, argv, &err) && workload_release(&workload, &err));
    cr_assert_not(workload_wait(&workload, 0));
    cr_assert_not(workload_wait(&workload, 10 * 1000 * 1000));
    cr_assert(workload_wait(&workload, 60ll * 1000 * 1000 * 1000));
    cr_assert(workload.ended_ns - workload.started_ns >= 190 * 1000 * 1000);
    workload_done(&workload);
}

Test(workload, signals_are_passed_on_and_seen)
{
    char *argv[] = {"sleep", "60", NULL};
    struct workload workload;
    struct error err = {0};
    cr_assert(workload_start(&workload, argv, &err) && workload_release(&workload, &err));
    workload_forward_signals(&workload);
    raise(SIGTERM);
    cr_assert(workload_wait(&workload, -1));
    cr_assert_eq(workload_exit_code(&workload), 128 + SIGTERM);
    cr_assert(workload_stop_requested() && workload_stop_signal() == SIGTERM);
    workload_done(&workload);
}

static bool resolve(const struct target_request *request, struct target *target, struct arena *arena,
                    struct error *err)
{
    struct sysroot root;
    sysroot_init(&root, NULL);
    *err = (struct error){0};
    return target_resolve(target, request, &root, arena, err);
}

Test(target, kinds)
{
    struct arena arena = {0};
    struct target target;
    struct error err;
    char pid[16];
    snprintf(pid, sizeof(pid), "%d", getpid());
    cr_assert(resolve(&(struct target_request){0}, &target, &arena, &err) && target.kind == TARGET_WORKLOAD);
    cr_assert(resolve(&(struct target_request){.processes = pid}, &target, &arena, &err), "%s", err.message);
    cr_assert(target.kind == TARGET_PROCESSES && target.thread_count >= 1 && target.threads[0].pid == getpid());
    cr_assert(target.threads[0].comm[0]);
    char some_gone[40];
    snprintf(some_gone, sizeof(some_gone), "2147483600,%d", getpid());
    cr_assert(resolve(&(struct target_request){.processes = some_gone, .may_be_gone = true}, &target, &arena, &err), "%s", err.message);
    cr_assert(target.threads[0].pid == getpid());
    cr_assert(resolve(&(struct target_request){.threads = pid}, &target, &arena, &err) && target.thread_count == 1);
    cr_assert(target.threads[0].pid == getpid());
    cr_assert(resolve(&(struct target_request){.all_cpus = true}, &target, &arena, &err) && target.system_wide);
    cr_assert(target.kind == TARGET_CPUS && target.cpu_count >= 1);
    cr_assert(resolve(&(struct target_request){.cpus = "0"}, &target, &arena, &err) && target.cpu_count == 1);
    arena_done(&arena);
}

Test(target, mistakes)
{
    static const struct {
        struct target_request request;
        enum error_kind kind;
    } cases[] = {
        {{.processes = "x"}, ERROR_USAGE},          {{.processes = ""}, ERROR_USAGE},
        {{.processes = "0"}, ERROR_USAGE},          {{.processes = "1,2147483600"}, ERROR_NOT_FOUND},
        {{.threads = "2147483600"}, ERROR_NOT_FOUND}, {{.processes = "1", .threads = "1"}, ERROR_USAGE},
        {{.processes = "1", .all_cpus = true}, ERROR_USAGE}, {{.cpus = "x"}, ERROR_USAGE},
        {{.processes = "2147483600", .may_be_gone = true}, ERROR_NOT_FOUND},
        {{.cpus = ""}, ERROR_USAGE},                {{.cpus = "65000"}, ERROR_USAGE},
        {{.cpus = "3-1"}, ERROR_USAGE},             {{.processes = "1", .cgroup = "x"}, ERROR_USAGE},
    };
    struct arena arena = {0};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct target target;
        struct error err;
        cr_expect_not(resolve(&cases[at].request, &target, &arena, &err), "case %zu", at);
        cr_expect_eq(err.kind, cases[at].kind, "case %zu: %s", at, err.message);
    }
    arena_done(&arena);
}
