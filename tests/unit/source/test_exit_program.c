/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/vec.h"
#include "source/exits/exit_watch.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct exit_program_request request_for(enum exit_point point, bool raw)
{
    struct exit_program_request request = {.point = point, .blank_fd = 6, .lost_fd = 7, .followed_fd = 8, .times = true, .objects = true, .rips = true};
    for (size_t at = 0; at < EXIT_OPERAND_COUNT; at++)
        if (raw ? exit_points[point].arguments[at] : exit_points[point].fields[at] != NULL)
            request.places[at] = (struct exit_operand_place){(uint16_t)(8 * (at + 1)), 8};
    return request;
}

/* Whatever the verifier asks for that can be seen here: it ends, and no jump leaves it, goes back, or lands within a wide load. */
static void check(const struct exit_program *program, const char *name)
{
    cr_assert(!program->overflow && program->count > 2 && program->count <= EXIT_PROGRAM_MOST, "%s: %u", name, program->count);
    cr_assert_eq(program->instructions[program->count - 1].code, BPF_JMP | BPF_EXIT, "%s", name);
    /* With 0 the kernel would keep the event from all perf events at the tracepoint. */
    cr_assert_eq(program->instructions[program->count - 2].imm, 1, "%s", name);
    for (unsigned at = 0; at < program->count; at++) {
        const struct bpf_insn *one = &program->instructions[at];
        unsigned class = one->code & 7, operation = one->code & 0xf0;
        if (class != BPF_JMP || operation == BPF_CALL || operation == BPF_EXIT)
            continue;
        unsigned target = at + 1 + (unsigned)one->off;
        cr_assert(one->off >= 0 && target < program->count, "%s: %u jumps to %u", name, at, target);
        cr_assert(program->instructions[target].code != 0, "%s: %u jumps into a wide load", name, at);
    }
}

Test(exit_program, is_whole_for_every_point)
{
    struct exit_program program;
    for (size_t point = 0; point < EXIT_POINT_COUNT; point++)
        for (int raw = 0; raw < 2; raw++) {
            struct exit_program_request request = request_for((enum exit_point)point, raw);
            exit_program_make(&program, &request);
            check(&program, exit_points[point].name);
        }
    exit_program_make_follower(&program, (struct exit_operand_place){24, 4}, (struct exit_operand_place){28, 4}, 3);
    check(&program, "follower");
}

struct sums {
    uint64_t count, timed, by_number[512];
};

static void sum_cell(void *context, const struct exit_cell_key *key, const struct exit_cell *cell)
{
    struct sums *sums = context;
    if ((key->what & 0xff) != EXIT_POINT_EXIT)
        return;
    sums->count += cell->count;
    sums->timed += cell->timed;
}

static void sum_use(void *context, const struct exit_use_key *key, uint64_t count)
{
    struct sums *sums = context;
    sums->by_number[key->value % array_count(sums->by_number)] += count;
}

static void pass_thread(void *context, uint32_t tid, const struct exit_thread_state *state)
{
    (void)context, (void)tid, (void)state;
}

static unsigned numbers_seen(const uint64_t *values, unsigned count)
{
    unsigned seen = 0;
    for (unsigned at = 0; at < count; at++)
        seen += values[at] != 0;
    return seen;
}

/*
 * System calls in the places of kvm's events, with three places for all their objects: each is counted in full there, or not at all. What finds none is
 * counted, and timed all the same.
 */
Test(exit_program, a_full_list_of_objects_costs_no_times)
{
    static const long numbers[] = {SYS_getppid, SYS_getuid, SYS_getgid, SYS_geteuid, SYS_getegid, SYS_gettid};
    enum { CALLS = 50, OBJECTS = 3 };
    struct exit_point_row points[EXIT_POINT_COUNT] = {
        [EXIT_POINT_EXIT] = {"raw_syscalls", "sys_enter", .fields = {NULL, "id"}, .object = EXIT_OBJECT_PORT},
        [EXIT_POINT_ENTRY] = {"raw_syscalls", "sys_exit"},
    };
    struct exit_watch_request request = {.points = points, .wanted = {[EXIT_POINT_EXIT] = true, [EXIT_POINT_ENTRY] = true}, .only_followed = true,
                                         .times = true, .objects = true, .uses_most = 1, .no_raw = true};
    struct exit_watch watch;
    struct sysroot root;
    struct error err = {0};
    struct sums sums = {0};
    uint64_t lost_uses;
    sysroot_init(&root, NULL);
    if (!exit_watch_open(&watch, &request, kernel_live(), &root, &err))
        cr_skip_test("no programs in the kernel here");
    cr_assert(exit_watch_follow(&watch, (uint32_t)syscall(SYS_gettid), &err));
    for (int call = 0; call < CALLS; call++)
        for (size_t at = 0; at < array_count(numbers); at++)
            (void)syscall(numbers[at]);
    struct exit_watch_visitor visitor = {&sums, sum_cell, sum_use, pass_thread};
    exit_watch_read(&watch, &visitor);
    cr_expect_eq(exit_watch_lost(&watch, &lost_uses), 0);
    exit_watch_close(&watch);
    cr_expect(sums.timed >= CALLS * array_count(numbers) && sums.timed <= sums.count, "%llu of %llu were timed", (unsigned long long)sums.timed,
              (unsigned long long)sums.count);
    cr_expect(lost_uses >= CALLS * (array_count(numbers) - OBJECTS), "%llu found no place", (unsigned long long)lost_uses);
    cr_expect_eq(numbers_seen(sums.by_number, array_count(sums.by_number)), OBJECTS);
    for (size_t at = 0; at < array_count(numbers); at++)
        cr_expect(sums.by_number[numbers[at]] == 0 || sums.by_number[numbers[at]] == CALLS, "%ld: %llu", numbers[at],
                  (unsigned long long)sums.by_number[numbers[at]]);
}

enum { THREADS = 6, THREAD_CALLS = 3000 };

struct calling {
    pthread_barrier_t *barrier;
    uint32_t tid;
    uint64_t counted;
};

static void *call_often(void *context)
{
    struct calling *calling = context;
    calling->tid = (uint32_t)syscall(SYS_gettid);
    (void)pthread_barrier_wait(calling->barrier);
    (void)pthread_barrier_wait(calling->barrier);
    for (int at = 0; at < THREAD_CALLS; at++)
        (void)syscall(SYS_getppid);
    (void)pthread_barrier_wait(calling->barrier);
    return NULL;
}

static void count_thread(void *context, const struct exit_cell_key *key, const struct exit_cell *cell)
{
    struct calling *all = context;
    for (size_t at = 0; at < THREADS; at++)
        if (key->tid == all[at].tid && key->reason == SYS_getppid)
            all[at].counted += cell->count;
}

/* Threads that come at once each get places of their own; who isn't followed, none. */
Test(exit_program, threads_at_once_are_kept_apart)
{
    struct exit_point_row points[EXIT_POINT_COUNT] = {[EXIT_POINT_PIO] = {"raw_syscalls", "sys_enter", .fields = {"id"}}};
    struct exit_watch_request request = {.points = points, .wanted = {[EXIT_POINT_PIO] = true}, .only_followed = true, .no_raw = true};
    struct exit_watch watch;
    struct sysroot root;
    struct error err = {0};
    pthread_barrier_t barrier;
    pthread_t threads[THREADS];
    struct calling all[THREADS] = {{0}};
    uint64_t lost_uses;
    sysroot_init(&root, NULL);
    if (!exit_watch_open(&watch, &request, kernel_live(), &root, &err))
        cr_skip_test("no programs in the kernel here");
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    for (size_t at = 0; at < THREADS; at++) {
        all[at].barrier = &barrier;
        cr_assert_eq(pthread_create(&threads[at], NULL, call_often, &all[at]), 0);
    }
    (void)pthread_barrier_wait(&barrier);
    for (size_t at = 1; at < THREADS; at++)
        cr_assert(exit_watch_follow(&watch, all[at].tid, &err));
    (void)pthread_barrier_wait(&barrier);
    (void)pthread_barrier_wait(&barrier);
    struct exit_watch_visitor visitor = {all, count_thread, sum_use, pass_thread};
    exit_watch_read(&watch, &visitor);
    cr_expect_eq(exit_watch_lost(&watch, &lost_uses), 0);
    exit_watch_close(&watch);
    for (size_t at = 0; at < THREADS; at++) {
        cr_expect_eq(all[at].counted, at ? THREAD_CALLS : 0, "%zu: %llu", at, (unsigned long long)all[at].counted);
        pthread_join(threads[at], NULL);
    }
    pthread_barrier_destroy(&barrier);
}

static void sum_own_cell(void *context, const struct exit_cell_key *key, const struct exit_cell *cell)
{
    struct sums *sums = context;
    sums->count += key->reason == SYS_getppid ? cell->count : 0;
    sums->timed += key->reason == SYS_getppid ? cell->timed : 0;
}

static void sum_inside(void *context, uint32_t tid, const struct exit_thread_state *state)
{
    struct sums *sums = context;
    (void)tid;
    sums->count += state->is_inside && state->inside.reason == SYS_getppid;
}

/* Exits are counted as they end, or when the next begins: none is left out where ends aren't seen, and none counted twice where they are. */
Test(exit_program, exits_without_an_end_are_counted_once)
{
    enum { CALLS = 50 };
    struct exit_point_row points[EXIT_POINT_COUNT] = {
        [EXIT_POINT_EXIT] = {"raw_syscalls", "sys_enter", .fields = {"id"}},
        [EXIT_POINT_ENTRY] = {"raw_syscalls", "sys_exit"},
    };
    struct sysroot root;
    struct error err = {0};
    sysroot_init(&root, NULL);
    for (int ends = 0; ends < 2; ends++) {
        struct exit_watch_request request = {.points = points, .wanted = {[EXIT_POINT_EXIT] = true, [EXIT_POINT_ENTRY] = ends}, .only_followed = true,
                                             .times = true, .no_raw = true};
        struct exit_watch watch;
        struct sums sums = {0};
        if (!exit_watch_open(&watch, &request, kernel_live(), &root, &err))
            cr_skip_test("no programs in the kernel here");
        cr_assert(exit_watch_follow(&watch, (uint32_t)syscall(SYS_gettid), &err));
        for (int at = 0; at < CALLS; at++)
            (void)syscall(SYS_getppid);
        struct exit_watch_visitor visitor = {&sums, sum_own_cell, sum_use, sum_inside};
        exit_watch_read(&watch, &visitor);
        exit_watch_close(&watch);
        cr_expect(sums.count == CALLS && sums.timed == (ends ? CALLS : 0), "%llu, %llu of them timed", (unsigned long long)sums.count, (unsigned long long)sums.timed);
    }
}

/* As many places as there may be vCPUs: by the machine's CPUs, or by what the user says. */
Test(exit_program, places_grow_with_the_vcpus)
{
    struct exit_watch_request request = {.points = exit_points, .wanted = {[EXIT_POINT_PIO] = true}};
    struct sysroot root;
    struct error err = {0};
    uint32_t cells[2];
    sysroot_init(&root, NULL);
    for (size_t at = 0; at < 2; at++) {
        struct exit_watch watch;
        request.vcpus = at ? 500 : 0;
        if (!exit_watch_open(&watch, &request, kernel_live(), &root, &err))
            cr_skip_test("no programs in the kernel here");
        cells[at] = watch.most[EXIT_CELLS];
        exit_watch_close(&watch);
    }
    cr_expect(cells[0] >= 2048 && cells[1] >= 500 * 30 && cells[1] > cells[0], "%u and %u", cells[0], cells[1]);
}

static int refuse_bpf(void *context, int command, union bpf_attr *attr, unsigned int size_bytes)
{
    errno = *(int *)context;
    return -1;
}

Test(exit_program, a_refusal_says_what_to_do_and_leaves_nothing_open)
{
    static const struct {
        int number;
        enum error_kind kind;
    } cases[] = {{EPERM, ERROR_PERMISSION}, {ENOSYS, ERROR_UNSUPPORTED}, {ENOMEM, ERROR_UNSUPPORTED}};
    struct sysroot root;
    sysroot_init(&root, NULL);
    for (size_t at = 0; at < array_count(cases); at++) {
        int number = cases[at].number;
        struct kernel kernel = *kernel_live();
        struct exit_watch watch;
        struct error err = {0};
        struct exit_watch_request request = {.points = exit_points, .wanted = {[EXIT_POINT_PIO] = true}};
        kernel.context = &number;
        kernel.bpf = refuse_bpf;
        cr_assert_not(exit_watch_open(&watch, &request, &kernel, &root, &err));
        cr_assert(err.kind == cases[at].kind && err.hint[0], "%s", err.message);
        cr_assert(watch.dictionaries[EXIT_CELLS].places_fd < 0 && watch.blank_fd < 0 && watch.fd_count == 0);
    }
}
