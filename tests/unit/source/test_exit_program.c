/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "base/vec.h"
#include "source/exits/exit_watch.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct exit_program_request request_for(enum exit_point point, bool raw)
{
    struct exit_program_request request = {.point = point, .cells_fd = 3, .uses_fd = 4, .threads_fd = 5, .blank_fd = 6, .lost_fd = 7,
                                           .followed_fd = 8, .times = true, .objects = true, .rips = true};
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
    uint64_t count, timed, uses;
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
    (void)key;
    sums->uses += count;
}

static void pass_thread(void *context, uint32_t tid, const struct exit_thread_state *state)
{
    (void)context, (void)tid, (void)state;
}

/* System calls in the places of kvm's events, with one place for all their objects: what finds none is counted, and timed all the same. */
Test(exit_program, a_full_list_of_objects_costs_no_times)
{
    enum { CALLS = 50 };
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
    for (int at = 0; at < CALLS; at++)
        (void)(at % 2 ? syscall(SYS_getppid) : syscall(SYS_getuid));
    struct exit_watch_visitor visitor = {&sums, sum_cell, sum_use, pass_thread};
    exit_watch_read(&watch, &visitor);
    cr_expect_eq(exit_watch_lost(&watch, &lost_uses), 0);
    exit_watch_close(&watch);
    cr_expect(lost_uses >= CALLS / 2 && lost_uses < sums.count, "%llu of %llu", (unsigned long long)lost_uses, (unsigned long long)sums.count);
    cr_expect(sums.timed >= CALLS && sums.timed + 5 > sums.count, "%llu of %llu were timed", (unsigned long long)sums.timed, (unsigned long long)sums.count);
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
        cells[at] = watch.cells;
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
        cr_assert(watch.cells_fd < 0 && watch.fd_count == 0);
    }
}
