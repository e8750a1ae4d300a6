/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/time/kernel_time.h"
#include "base/vec.h"

#include <sys/mman.h>

enum { FRAMES_MOST = 6, FUNCTIONS_MOST = 16 };

struct scene {
    struct recording recording;
    struct arena arena;
    struct recorded_event event;
    struct bundle_function functions[FUNCTIONS_MOST];
    struct code_bundle bundle;
    uint32_t kernel, libc, space, thread;
};

static void scene_open(struct scene *scene)
{
    *scene = (struct scene){.event = {.name = "cpu-clock", .counts_ns = true}};
    struct recording *recording = &scene->recording;
    recording_init(recording);
    arena_init(&scene->arena);
    scene->space = address_spaces_begin(&recording->spaces, 10);
    struct record_mmap map = {.pid = 10, .start = 0x400000, .size_bytes = 0x100000, .path = "/lib/libc.so.6",
                              .protection = PROT_READ | PROT_EXEC};
    address_spaces_map(&recording->spaces, &recording->strings, scene->space, &map, 0);
    scene->libc = address_spaces_find(&recording->spaces, scene->space, 0x400000)->dso;
    scene->kernel = address_spaces_kernel_dso(&recording->spaces);
    scene->thread = threads_get(&recording->threads, 10, 10);
    recording->events = &scene->event;
    recording->event_count = 1;
    scene->bundle = (struct code_bundle){.architecture = "x86_64", .functions = scene->functions, .has_owners = true};
}

/* A function of that name; "libc:read" is one of the C library. Functions are told apart by their address alone. */
static uint32_t location_of(struct scene *scene, const char *name)
{
    bool user = strncmp(name, "libc:", 5) == 0;
    uint32_t dso = user ? scene->libc : scene->kernel;
    const struct strings *strings = &scene->recording.strings;
    uint64_t addr = 0x1000 + 0x100 * scene->bundle.count;
    scene->functions[scene->bundle.count++] = (struct bundle_function){
        .dso = strings_text(strings, scene->recording.spaces.dsos[dso].path), .name = user ? name + 5 : name,
        .dso_addr = addr, .size_bytes = 0x100, .is_kernel = !user, .is_named = true};
    struct location location = {.dso = dso, .space = scene->space, .dso_addr = addr, .runtime_addr = addr,
                                .cpu_mode = user ? CPU_MODE_USER : CPU_MODE_KERNEL};
    return samples_location(&scene->recording.samples, &location);
}

/* One sample with these frames, leaf first; what the kernel was said to do. Owner of the calls' names: arena. */
static struct kernel_time time_in(const char *const *names, struct arena *arena)
{
    struct scene scene;
    scene_open(&scene);
    uint32_t frames[FRAMES_MOST];
    size_t count = 0;
    /* The library's path comes before or behind the kernel's: the bundle is sorted by it. */
    for (int user = 0; user < 2; user++)
        for (size_t at = 0; names[at]; at++) {
            bool is_user = strncmp(names[at], "libc:", 5) == 0;
            if (is_user == user)
                frames[at] = location_of(&scene, names[at]);
            count = at + 1;
        }
    const struct bundle_function *functions = scene.functions;
    if (scene.bundle.count > 1 && strcmp(functions[0].dso, functions[scene.bundle.count - 1].dso) > 0) {
        struct bundle_function last = scene.functions[scene.bundle.count - 1];
        memmove(scene.functions + 1, scene.functions, (scene.bundle.count - 1) * sizeof(last));
        scene.functions[0] = last;
    }
    struct samples *samples = &scene.recording.samples;
    struct sample sample = {.period = 1000, .thread = scene.thread, .location = frames[0],
                            .stack = samples_stack(samples, frames, count), .registers = REGISTERS_NONE};
    *vec_push(samples) = sample;
    struct kernel_time time = kernel_time_of(&scene.recording, &scene.bundle, arena);
    arena_done(&scene.arena);
    recording_done(&scene.recording);
    return time;
}

/* … in numbers alone. */
static struct kernel_time time_of(const char *const *names)
{
    struct arena arena;
    arena_init(&arena);
    struct kernel_time time = time_in(names, &arena);
    arena_done(&arena);
    return time;
}

#define TIME_OF(...) time_of((const char *const[]){__VA_ARGS__, NULL})

Test(kernel_time, names_calls_that_a_tail_call_left_out)
{
    static const struct {
        const char *frames[FRAMES_MOST];
        const char *call;
    } rows[] = {
        {{"chacha_permute", "vfs_read", "__x64_sys_pread64", "do_syscall_64", "libc:pread"}, "pread64"},
        {{"chacha_permute", "vfs_read", "ksys_read", "do_syscall_64", "libc:read"}, "read"},
        {{"ext4_lookup", "do_sys_openat2", "do_syscall_64", "libc:__open64"}, "openat"},
        {{"vfs_write", "do_syscall_64", "entry_SYSCALL_64_after_hwframe", "libc:__GI___libc_write"}, "write"},
        {{"do_syscall_64", "libc:__llseek"}, "lseek"},
        {{"do_syscall_64", "libc:__close_nocancel"}, "close"},
        {{"do_syscall_64", "libc:__lll_lock_wait_private"}, "futex"},
        {{"vfs_statx", "__x64_sys_newlstat", "do_syscall_64", "libc:lstat64"}, "lstat"},
        {{"vm_mmap_pgoff", "ksys_mmap_pgoff", "do_syscall_64", "libc:__mmap"}, "mmap"},
        {{"do_syscall_64", "entry_SYSCALL_64_after_hwframe", "libc:getppid"}, "getppid"},
        {{"do_syscall_64", "libc:syscall"}, NULL}, /* a call, but nobody says which */
        {{"do_syscall_64"}, NULL},
    };
    for (size_t at = 0; at < array_count(rows); at++) {
        struct arena arena;
        arena_init(&arena);
        struct kernel_time time = time_in(rows[at].frames, &arena);
        cr_assert(time.kernel_samples == 1 && time.call_samples == 1 && !time.other_samples, "row %zu", at);
        cr_assert_eq(time.entry_count, rows[at].call ? 1 : 0, "row %zu", at);
        if (rows[at].call)
            cr_assert_str_eq(time.entries[0].name, rows[at].call, "row %zu", at);
        arena_done(&arena);
    }
}

/* At the way in no frame says which call it is: the wrapper's name does, by what it calls in other samples. */
Test(kernel_time, a_wrapper_is_the_call_that_it_was_seen_to_make)
{
    struct scene scene;
    scene_open(&scene);
    uint32_t wrapper = location_of(&scene, "libc:llseek"), other = location_of(&scene, "libc:lockf");
    uint32_t entry = location_of(&scene, "do_syscall_64"), seek = location_of(&scene, "__x64_sys_lseek"), fcntl = location_of(&scene, "__x64_sys_fcntl");
    const uint32_t stacks[][3] = {{seek, entry, wrapper}, {seek, entry, wrapper}, {fcntl, entry, other}};
    struct samples *samples = &scene.recording.samples;
    for (size_t at = 0; at < array_count(stacks); at++)
        for (size_t from = 0; from < 2; from++)
            *vec_push(samples) = (struct sample){.period = 1000, .thread = scene.thread, .location = stacks[at][from],
                                                 .stack = samples_stack(samples, stacks[at] + from, 3 - from), .registers = REGISTERS_NONE};
    struct kernel_time time = kernel_time_of(&scene.recording, &scene.bundle, &scene.arena);
    cr_assert_eq(time.entry_count, 2);
    cr_expect(strcmp(time.entries[0].name, "lseek") == 0 && time.entries[0].samples == 4, "%s", time.entries[0].name);
    cr_expect(strcmp(time.entries[1].name, "fcntl") == 0 && time.entries[1].samples == 2, "%s", time.entries[1].name);
    arena_done(&scene.arena);
    recording_done(&scene.recording);
}

Test(kernel_time, counts_work_at_the_bytes_of_calls)
{
    struct kernel_time time = TIME_OF("chacha_permute", "vfs_read", "ksys_read", "do_syscall_64", "libc:read");
    cr_assert_eq(time.byte_samples, 1);
    cr_expect_str_eq(time.byte_work, "chacha_permute");
    time = TIME_OF("vfs_read", "ksys_read", "do_syscall_64", "libc:read");
    cr_expect(!time.byte_samples && !time.byte_work);
    time = TIME_OF("memcpy_orig", "asm_exc_page_fault", "libc:memcpy");
    cr_expect(!time.byte_samples, "of calls alone");
}

Test(kernel_time, tells_calls_from_faults_interrupts_and_kernel_threads)
{
    cr_assert_eq(TIME_OF("clear_page_erms", "exc_page_fault", "libc:read").fault_samples, 1);
    cr_assert_eq(TIME_OF("handle_softirqs", "asm_sysvec_apic_timer_interrupt", "do_syscall_64").interrupt_samples, 1);
    struct kernel_time thread = TIME_OF("worker_thread", "kthread", "ret_from_fork");
    cr_assert(thread.other_samples == 1 && !thread.call_samples);
    cr_assert_eq(TIME_OF("irqentry_exit_to_user_mode", "libc:read").call_samples, 0, "no call was in its stack");
}

/* What is sent to this machine itself is received at the end of the call that sends: by it, not by an interrupt. */
Test(kernel_time, soft_interrupts_are_of_whoever_runs_them)
{
    static const struct {
        const char *frames[FRAMES_MOST];
        uint64_t calls, interrupts, unknown, others, rootless;
    } rows[] = {
        {{"tcp_v4_rcv", "net_rx_action", "handle_softirqs", "__x64_sys_sendto", "do_syscall_64"}, 1, 0, 0, 0, 0},
        {{"tcp_v4_rcv", "__do_softirq", "do_softirq_own_stack", "__arm64_sys_sendto", "el0_svc"}, 1, 0, 0, 0, 0},
        {{"tcp_v4_rcv", "handle_softirqs", "__irq_exit_rcu", "__x64_sys_sendto", "do_syscall_64"}, 0, 1, 0, 0, 0},
        {{"handle_softirqs", "sysvec_apic_timer_interrupt", "asm_sysvec_apic_timer_interrupt", "libc:read"}, 0, 1, 0, 0, 0},
        {{"__do_softirq", "irq_exit", "gic_handle_irq", "el1_irq", "el0_svc"}, 0, 1, 0, 0, 0},
        {{"net_rx_action", "handle_softirqs", "run_ksoftirqd", "kthread", "ret_from_fork"}, 0, 1, 0, 0, 0},
        {{"net_rx_action", "handle_softirqs", "io_work", "kthread", "ret_from_fork"}, 0, 0, 0, 1, 0},
        {{"handle_softirqs"}, 0, 0, 1, 0, 0}, /* no chain */
        {{"net_rx_action", "handle_softirqs"}, 0, 0, 1, 0, 0}, /* cut off */
        {{"tcp_v4_rcv"}, 0, 0, 0, 1, 1},
        {{"worker_thread", "kthread", "ret_from_fork"}, 0, 0, 0, 1, 0},
    };
    for (size_t at = 0; at < array_count(rows); at++) {
        struct kernel_time time = time_of(rows[at].frames);
        cr_expect(time.call_samples == rows[at].calls && time.interrupt_samples == rows[at].interrupts, "row %zu", at);
        cr_expect(time.softirq_samples == rows[at].unknown && time.other_samples == rows[at].others, "row %zu", at);
        cr_expect_eq(time.rootless_samples, rows[at].rootless, "row %zu", at);
    }
}

Test(kernel_time, tells_what_a_call_was_at)
{
    static const struct {
        const char *frames[FRAMES_MOST];
        enum call_object object;
    } rows[] = {
        {{"tcp_close", "sock_close", "__fput", "__x64_sys_close", "do_syscall_64"}, CALL_OBJECT_SOCKET},
        {{"kfree", "__fput", "__x64_sys_close", "do_syscall_64"}, CALL_OBJECT_UNKNOWN},
        {{"ext4_release_file", "__fput", "__x64_sys_close", "do_syscall_64"}, CALL_OBJECT_FILE},
        {{"tcp_sendmsg", "nfs_file_write", "vfs_write", "ksys_write", "do_syscall_64"}, CALL_OBJECT_FILE},
        {{"n_tty_write", "file_tty_write", "ksys_write", "do_syscall_64"}, CALL_OBJECT_TERMINAL},
        {{"pipe_write", "vfs_write", "ksys_write", "do_syscall_64"}, CALL_OBJECT_PIPE},
    };
    for (size_t at = 0; at < array_count(rows); at++) {
        struct kernel_time time = time_of(rows[at].frames);
        cr_assert_eq(time.entry_count, 1, "row %zu", at);
        cr_expect_eq(time.entries[0].objects[rows[at].object], 1, "row %zu", at);
    }
}

enum { CALLED = 20 };

/* So many samples of one stack, leaf first; of the event of that number. */
static void stack_add(struct scene *scene, const uint32_t *frames, size_t count, uint32_t event)
{
    struct samples *samples = &scene->recording.samples;
    for (int at = 0; at < CALLED; at++)
        *vec_push(samples) = (struct sample){.period = 1000, .thread = scene->thread, .location = frames[0], .event = event,
                                             .stack = samples_stack(samples, frames, count), .registers = REGISTERS_NONE};
}

/* A library keeps no frame pointers: chains that reach no beginning name nobody, stacks of switches do. */
Test(kernel_time, a_call_is_made_below_the_programs_functions)
{
    static const struct {
        bool whole, switched;
        const char *words;
    } rows[] = {{true, false, "main, save, flush"}, {false, false, NULL}, {false, true, "main, save, flush"}};
    for (size_t at = 0; at < array_count(rows); at++) {
        struct scene scene;
        scene_open(&scene);
        struct recorded_event events[2] = {scene.event, {.name = "context-switches", .type = 1, .config = 3}};
        scene.recording.events = events;
        scene.recording.event_count = 2;
        /* A program that carries its C library within itself. */
        uint32_t write = location_of(&scene, "libc:write"), flush = location_of(&scene, "libc:flush"),
                 save = location_of(&scene, "libc:save"), begin = location_of(&scene, "libc:main"), start = location_of(&scene, "libc:_start");
        uint32_t call = location_of(&scene, "__x64_sys_write"), entry = location_of(&scene, "do_syscall_64");
        scene.recording.spaces.dsos[scene.libc].name = strings_intern(&scene.recording.strings, "app");
        const uint32_t frames[] = {call, entry, write, flush, save, begin, start};
        stack_add(&scene, frames, rows[at].whole ? 7 : 3, 0);
        if (rows[at].switched)
            stack_add(&scene, frames, 7, 1);
        struct kernel_time time = kernel_time_of(&scene.recording, &scene.bundle, &scene.arena);
        cr_assert_eq(time.entry_count, 1);
        const struct call_callers *callers = &time.entries[0].callers;
        cr_assert_eq(callers->count, rows[at].words ? 1 : 0, "row %zu", at);
        if (rows[at].words) {
            cr_expect_str_eq(callers->chains[0].words, rows[at].words, "row %zu", at);
            cr_expect_eq(callers->by_switches, rows[at].switched, "row %zu", at);
        }
        arena_done(&scene.arena);
        recording_done(&scene.recording);
    }
}

Test(kernel_time, counts_what_tells_cpu_times)
{
    struct kernel_time time = TIME_OF("task_sched_runtime", "posix_cpu_clock_get", "__x64_sys_clock_gettime", "do_syscall_64", "libc:clock");
    cr_expect(time.call_samples == 1 && time.cpu_clock_samples == 1);
    time = TIME_OF("ktime_get", "__x64_sys_clock_gettime", "do_syscall_64", "libc:clock");
    cr_expect(time.call_samples == 1 && time.cpu_clock_samples == 0);
}
