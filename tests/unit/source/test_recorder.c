/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder on a kernel that is written down here: what it asks for, what it does when refused, what it writes. */
#include "made_folder.h"
#include "test.h"

#include "base/arena.h"
#include "base/vec.h"
#include "source/perf_data/perf_data_format.h"
#include "source/recorder/recorder_internal.h"
#include "system/pmu/process_rights.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>

struct fake_event {
    int fd;
    struct perf_event_attr attr;
    uint8_t *ring;
    bool enabled, twin;
    int output; /* fd whose ring it writes to, or -1 */
    int leader; /* fd, or -1 */
};

struct fake {
    struct kernel kernel;
    struct fake_event events[64];
    size_t count;
    uint64_t unknown_read_format; /* EINVAL for attrs that have these bits */
    bool none_permitted;         /* EPERM for all of them */
    bool no_build_id, no_cgroup, no_namespaces, user_only, never;
    size_t ring_bytes_most; /* larger ones: EPERM; 0: no limit */
    size_t arm_counters;    /* groups are checked as Arm's driver does; 0: not at all */
    uint64_t lost;
};

static struct fake_event *event_of(struct fake *fake, int fd)
{
    for (size_t at = 0; at < fake->count; at++)
        if (fake->events[at].fd == fd)
            return &fake->events[at];
    return NULL;
}

/* Arm's driver: what is off and will not be enabled by exec isn't counted. */
static bool counts_for_arm(const struct perf_event_attr *attr)
{
    return !attr->disabled || attr->enable_on_exec;
}

static bool arm_refuses(const struct fake *fake, const struct perf_event_attr *attr, int group_fd)
{
    size_t needed = counts_for_arm(attr);
    for (size_t at = 0; at < fake->count; at++)
        needed += (fake->events[at].fd == group_fd || fake->events[at].leader == group_fd) && counts_for_arm(&fake->events[at].attr);
    return fake->arm_counters && group_fd >= 0 && needed > fake->arm_counters;
}

static int fake_open(void *context, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
    struct fake *fake = context;
    (void)pid, (void)cpu, (void)flags;
    errno = fake->none_permitted ? EPERM : fake->never ? ENOSYS : fake->user_only && !attr->exclude_kernel ? EACCES : 0;
    if (errno)
        return -1;
    errno = fake->no_namespaces && attr->namespaces ? EACCES : 0;
    if (errno)
        return -1;
    if (attr->read_format & fake->unknown_read_format || (fake->no_build_id && attr->build_id) ||
        (fake->no_cgroup && attr->cgroup) || arm_refuses(fake, attr, group_fd)) {
        errno = EINVAL;
        return -1;
    }
    cr_assert_lt(fake->count, array_count(fake->events));
    int fd = eventfd(0, EFD_CLOEXEC);
    fake->events[fake->count++] = (struct fake_event){.fd = fd, .attr = *attr, .enabled = !attr->disabled, .output = -1, .leader = group_fd};
    return fd;
}

static int fake_ioctl(void *context, int fd, unsigned long request, unsigned long argument)
{
    struct fake *fake = context;
    struct fake_event *event = event_of(fake, fd);
    cr_assert(event);
    uint64_t id = 100 + (uint64_t)(event - fake->events);
    switch (request) {
    case PERF_EVENT_IOC_ID:
        memcpy((void *)argument, &id, sizeof(id));
        return 0;
    case PERF_EVENT_IOC_SET_OUTPUT:
        event->output = (int)argument;
        return 0;
    case PERF_EVENT_IOC_ENABLE:
    case PERF_EVENT_IOC_DISABLE:
        event->enabled = request == PERF_EVENT_IOC_ENABLE;
        return 0;
    default:
        errno = EINVAL;
        return -1;
    }
}

static ssize_t fake_read(void *context, int fd, void *buffer, size_t size)
{
    struct fake *fake = context;
    uint64_t values[3] = {1, 100 + (uint64_t)(event_of(fake, fd) - fake->events), fake->lost};
    if (size < sizeof(values))
        return -1;
    memcpy(buffer, values, sizeof(values));
    return sizeof(values);
}

static void *fake_mmap(void *context, size_t size, int protection, int flags, int fd, off_t offset)
{
    struct fake *fake = context;
    (void)protection, (void)flags, (void)offset;
    if (fake->ring_bytes_most && size > fake->ring_bytes_most + 4096) {
        errno = EPERM;
        return MAP_FAILED;
    }
    struct fake_event *event = event_of(fake, fd);
    event->ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return event->ring;
}

static int fake_munmap(void *context, void *address, size_t size)
{
    (void)context;
    return munmap(address, size);
}

static int fake_close(void *context, int fd)
{
    struct fake *fake = context;
    struct fake_event *event = event_of(fake, fd);
    cr_assert(event, "closed twice");
    *event = fake->events[--fake->count];
    return close(fd);
}

static int fake_bpf(void *context, int command, union bpf_attr *attr, unsigned int size)
{
    (void)context, (void)command, (void)attr, (void)size;
    errno = EPERM;
    return -1;
}

static void fake_init(struct fake *fake)
{
    fake->kernel = (struct kernel){
        .context = fake, .perf_event_open = fake_open, .ioctl = fake_ioctl, .read = fake_read, .mmap = fake_mmap,
        .munmap = fake_munmap, .close = fake_close, .bpf = fake_bpf,
    };
}

/* A recording of ourselves. */

static char output[] = "/tmp/plumb-recorder-XXXXXX";

struct scene {
    struct fake fake;
    struct sysroot root;
    struct arena arena;
    struct target target;
    struct recorder_event event;
    struct recorder_request request;
    struct recorder *recorder;
    struct error err;
};

static struct scene *scene_new(void)
{
    struct scene *scene = memory_alloc(sizeof(*scene));
    fake_init(&scene->fake);
    sysroot_init(&scene->root, NULL);
    arena_init(&scene->arena);
    target_of_workload(&scene->target, getpid(), &scene->arena);
    close(mkstemp(output));
    scene->event = (struct recorder_event){
        .name = "cpu-clock", .attr = {.type = PERF_TYPE_SOFTWARE}, .group = EVENT_NO_GROUP, .frequency = 1000};
    scene->request = (struct recorder_request){
        .events = &scene->event, .event_count = 1, .target = &scene->target, .output = output, .pipe_fd = -1,
        .clock_id = RECORDER_NO_CLOCK, .wake_fd = -1, .ring_bytes = 65536};
    return scene;
}

static bool scene_open(struct scene *scene)
{
    return recorder_open(&scene->recorder, &scene->request, &scene->fake.kernel, &scene->root, &scene->err);
}

static void scene_free(struct scene *scene)
{
    recorder_free(scene->recorder);
    cr_assert_eq(scene->fake.count, 0, "every descriptor was closed");
    arena_done(&scene->arena);
    free(scene);
    unlink(output);
}

static struct fake_event *find_event(struct scene *scene, uint64_t config, uint64_t type_bits)
{
    for (size_t at = 0; at < scene->fake.count; at++)
        if (scene->fake.events[at].attr.config == config &&
            (scene->fake.events[at].attr.sample_type & type_bits) == type_bits)
            return &scene->fake.events[at];
    return NULL;
}

/* Put a record into the ring that an event writes to. */
static void put(struct scene *scene, struct fake_event *event, const void *record, size_t size)
{
    struct fake_event *owner = event->output >= 0 ? event_of(&scene->fake, event->output) : event;
    struct perf_event_mmap_page *page = (void *)owner->ring;
    memcpy(owner->ring + 4096 + page->data_head % 65536, record, size);
    page->data_head += size;
}

struct fake_sample {
    struct perf_event_header header;
    uint64_t id, ip;
    uint32_t pid, tid;
    uint64_t time_ns, cpu, period;
    uint64_t chain_length, chain[3]; /* behind the period, as the kernel lays it out: see put_sample */
};

/* identifier ip tid time cpu period [chain] */
static size_t put_sample(struct scene *scene, struct fake_event *event, uint64_t time_ns, bool with_chain)
{
    struct fake_sample sample = {
        .header = {.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER},
        .id = 100 + (uint64_t)(event - scene->fake.events), .ip = 0x1234, .pid = (uint32_t)getpid(),
        .tid = (uint32_t)getpid(), .time_ns = time_ns, .period = 1000000,
        .chain_length = 2, .chain = {(uint64_t)PERF_CONTEXT_USER, 0x1234},
    };
    sample.header.size = (uint16_t)(with_chain ? offsetof(struct fake_sample, chain[2]) : offsetof(struct fake_sample, chain_length));
    put(scene, event, &sample, sample.header.size);
    return sample.header.size;
}

/* The program's code, of which nothing is the C library's: pid tid start size offset id protection flags path. */
static void put_mapping(struct scene *scene, struct fake_event *event)
{
    struct {
        struct perf_event_header header;
        uint32_t pid, tid;
        uint64_t start, size, offset;
        uint8_t id[24];
        uint32_t protection, flags;
        char path[24];
        uint64_t trailer[4];
    } record = {.header = {.type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER, .size = sizeof(record)},
                .pid = (uint32_t)getpid(), .tid = (uint32_t)getpid(), .start = 0x1000, .size = 0x1000,
                .protection = 5, .path = "/usr/bin/program"};
    put(scene, event, &record, sizeof(record));
}

struct seen {
    unsigned samples, rounds, lost_records, whole_bytes;
    uint16_t sample_size;
    uint64_t lost, sample_type;
    size_t sample_bytes;
};

static struct seen read_output(void)
{
    static uint8_t bytes[1 << 20];
    struct seen seen = {0};
    int fd = open(output, O_RDONLY);
    ssize_t got = read(fd, bytes, sizeof(bytes));
    close(fd);
    cr_assert_gt(got, 104);
    uint64_t header[13];
    struct perf_event_attr attr;
    memcpy(header, bytes, sizeof(header));
    memcpy(&attr, bytes + header[3], 128);
    seen.sample_type = attr.sample_type;
    for (uint64_t at = header[5]; at < header[5] + header[6];) {
        struct perf_event_header record;
        memcpy(&record, bytes + at, sizeof(record));
        cr_assert_geq(record.size, 8);
        if (record.type == PERF_RECORD_SAMPLE) {
            seen.samples++;
            seen.sample_size = record.size;
            seen.sample_bytes += record.size;
        }
        seen.rounds += record.type == USER_RECORD_FINISHED_ROUND;
        if (record.type == PERF_RECORD_LOST_SAMPLES) {
            seen.lost_records++;
            memcpy(&seen.lost, bytes + at + 8, 8);
        }
        at += record.size;
    }
    return seen;
}

Test(recorder, samples_reach_the_file_and_losses_are_counted)
{
    struct scene *scene = scene_new();
    cr_assert(scene_open(scene), "%s", scene->err.message);
    struct fake_event *clock = find_event(scene, PERF_COUNT_SW_CPU_CLOCK, 0);
    cr_assert(clock && clock->attr.enable_on_exec && clock->attr.disabled && clock->attr.inherit && clock->attr.freq);
    cr_assert(find_event(scene, PERF_COUNT_SW_DUMMY, 0)->attr.build_id);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned at = 0; at < 10; at++)
            put_sample(scene, clock, 1000 + round * 10 + at, false);
        cr_assert(recorder_poll(scene->recorder, 0, &scene->err), "%s", scene->err.message);
        usleep(11000);
        cr_assert(recorder_poll(scene->recorder, 0, &scene->err), "%s", scene->err.message);
        cr_assert_eq(read_output().samples, (round + 1) * 10, "within 10 ms the file is whole");
    }
    scene->fake.lost = 4;
    struct recorder_result result;
    cr_assert(recorder_finish(scene->recorder, &result, &scene->err), "%s", scene->err.message);
    struct seen seen = read_output();
    cr_assert_eq(result.samples, 30);
    cr_assert_eq(result.first_ns, 1000);
    cr_assert_eq(result.last_ns, 1029);
    cr_assert_eq(seen.samples, 30);
    cr_assert_geq(seen.rounds, 3);
    cr_assert_gt(seen.lost_records, 0);
    cr_assert_eq(result.lost_samples % 4, 0);
    cr_assert_gt(result.lost_samples, 0);
    cr_assert_eq(recorder_note_count(scene->recorder), 0);
    scene_free(scene);
}

Test(recorder, a_broken_ring_costs_only_what_is_broken)
{
    struct scene *scene = scene_new();
    cr_assert(scene_open(scene));
    struct fake_event *clock = find_event(scene, PERF_COUNT_SW_CPU_CLOCK, 0);
    put_sample(scene, clock, 1, false);
    struct perf_event_header zero = {0}, huge = {.type = PERF_RECORD_SAMPLE, .size = 60000};
    put(scene, clock, &zero, sizeof(zero));
    cr_assert(recorder_poll(scene->recorder, 0, &scene->err));
    put_sample(scene, clock, 2, false);
    put(scene, clock, &huge, sizeof(huge));
    cr_assert(recorder_poll(scene->recorder, 0, &scene->err));
    put_sample(scene, clock, 3, false);
    struct recorder_result result;
    cr_assert(recorder_finish(scene->recorder, &result, &scene->err));
    cr_assert_eq(result.samples, 3);
    cr_assert_eq(result.broken_bytes, 16);
    cr_assert_eq(read_output().samples, 3);
    scene_free(scene);
}

/* By the events, the last of its threads; another process's end is none of it. */
Test(recorder, the_programs_end_is_told_by_its_events)
{
    const uint32_t own = (uint32_t)getpid(), other = own + 1;
    const struct {
        struct perf_event_header header;
        uint32_t pid, parent, tid, parent_tid;
        uint64_t time_ns;
    } exits[] = {
        {{.type = PERF_RECORD_EXIT, .size = 32}, own, 1, own, 1, 5000},
        {{.type = PERF_RECORD_EXIT, .size = 32}, own, 1, own + 7, 1, 7000},
        {{.type = PERF_RECORD_FORK, .size = 32}, own, 1, own + 8, own, 8000},
        {{.type = PERF_RECORD_EXIT, .size = 32}, other, 1, other, 1, 9000},
    };
    for (size_t count = 0; count <= array_count(exits); count++) {
        struct scene *scene = scene_new();
        cr_assert(scene_open(scene));
        struct fake_event *clock = find_event(scene, PERF_COUNT_SW_CPU_CLOCK, 0);
        for (size_t at = 0; at < count; at++)
            put(scene, clock, &exits[at], sizeof(exits[at]));
        struct recorder_result result;
        cr_assert(recorder_finish(scene->recorder, &result, &scene->err));
        cr_expect_eq(result.exited_ns,
                     count == 0   ? 0
                     : count == 1 ? 5000
                                  : 7000,
                     "%zu: %zu", count, (size_t)result.exited_ns);
        scene_free(scene);
    }
}

Test(recorder, older_kernels_and_fewer_rights_get_what_they_take)
{
    static const struct {
        const char *what, *note;
        struct fake fake;
    } cases[] = {
        {"no lost counts (before 6.0)", NULL, {.unknown_read_format = PERF_FORMAT_LOST}},
        {"no build ids (before 5.12)", NULL, {.no_build_id = true}},
        {"nothing of these", NULL, {.unknown_read_format = PERF_FORMAT_LOST, .no_build_id = true, .no_cgroup = true}},
        {"no namespaces without rights", NULL, {.no_namespaces = true}},
        {"no kernel samples without rights", "'cpu-clock:u'", {.user_only = true, .no_namespaces = true}},
        {"little locked memory", "16 KiB each instead of 64 KiB", {.ring_bytes_most = 16384}},
    };
    for (size_t at = 0; at < array_count(cases); at++) {
        struct scene *scene = scene_new();
        scene->fake = cases[at].fake;
        fake_init(&scene->fake);
        cr_assert(scene_open(scene), "%s: %s", cases[at].what, scene->err.message);
        cr_assert_eq(recorder_note_count(scene->recorder), cases[at].note ? 1 : 0, "%s", cases[at].what);
        if (cases[at].note)
            cr_assert(strstr(recorder_note(scene->recorder, 0), cases[at].note), "%s", recorder_note(scene->recorder, 0));
        struct recorder_result result;
        cr_assert(recorder_finish(scene->recorder, &result, &scene->err));
        scene_free(scene);
        memcpy(output + strlen(output) - 6, "XXXXXX", 6);
    }
}

Test(recorder, what_cannot_be_opened_leaves_nothing_behind)
{
    struct scene *scene = scene_new();
    scene->fake.never = true;
    int fd = open(output, O_WRONLY);
    cr_assert(write(fd, "old", 3) == 3);
    close(fd);
    cr_assert_not(scene_open(scene));
    cr_assert_eq(scene->err.kind, ERROR_UNSUPPORTED);
    char content[8];
    fd = open(output, O_RDONLY);
    cr_assert_eq(read(fd, content, sizeof(content)), 3, "the old file is back");
    close(fd);
    scene->recorder = NULL;
    scene_free(scene);
}

Test(recorder, stacks_are_copied_when_frame_pointers_do_not_reach_the_root)
{
    struct scene *scene = scene_new();
    scene->event.callchain = CALLCHAIN_AUTO;
    cr_assert(scene_open(scene), "%s", scene->err.message);
    if (!recorder_all_registers)
        cr_skip_test("registers aren't known on this architecture");
    struct fake_event *first = find_event(scene, PERF_COUNT_SW_CPU_CLOCK, PERF_SAMPLE_CALLCHAIN),
                      *twin = find_event(scene, PERF_COUNT_SW_CPU_CLOCK, PERF_SAMPLE_STACK_USER);
    cr_assert(first && twin && first != twin);
    cr_assert(first->attr.enable_on_exec && !twin->attr.enable_on_exec);
    put_mapping(scene, first);
    for (uint64_t at = 0; at < 200; at++)
        put_sample(scene, first, 1 + at * 1000000, true);
    cr_assert(recorder_poll(scene->recorder, 0, &scene->err));
    cr_assert_not(twin->enabled, "200 ms aren't enough");
    put_sample(scene, first, 300000000, true);
    cr_assert(recorder_poll(scene->recorder, 0, &scene->err), "%s", scene->err.message);
    cr_assert(twin->enabled && !first->enabled);
    cr_assert_eq(recorder_note_count(scene->recorder), 0, "said with the result");
    struct recorder_result result;
    cr_assert(recorder_finish(scene->recorder, &result, &scene->err));
    cr_assert_eq(result.callchain, CALLCHAIN_DWARF);
    cr_assert(result.user_stacks > 0 && !result.stacks_at_root, "why");
    struct seen seen = read_output();
    cr_assert_eq(seen.samples, 201, "none was dropped");
    cr_assert_eq(seen.sample_size, offsetof(struct fake_sample, chain[2]) + 16, "with registers and stack that say: none");
    cr_assert(seen.sample_type & PERF_SAMPLE_STACK_USER);
    scene_free(scene);
}

/* Neither a ring that is emptied after another's later samples nor a program that slept at first ends the trial early. */
Test(recorder, the_first_few_stacks_decide_nothing)
{
    static const struct {
        const char *what;
        uint64_t first_ns, second_ns;
    } cases[] = {{"time goes back", 40000000, 10000000}, {"nothing for long", 10000000, 3000000000}};
    for (size_t at = 0; at < array_count(cases) && recorder_all_registers; at++) {
        struct scene *scene = scene_new();
        scene->event.callchain = CALLCHAIN_AUTO;
        cr_assert(scene_open(scene));
        struct fake_event *first = find_event(scene, PERF_COUNT_SW_CPU_CLOCK, PERF_SAMPLE_CALLCHAIN);
        put_mapping(scene, first);
        for (uint64_t sample = 0; sample < 10; sample++)
            put_sample(scene, first, (sample < 5 ? cases[at].first_ns : cases[at].second_ns) + sample, true);
        cr_assert(recorder_poll(scene->recorder, 0, &scene->err));
        cr_assert(scene->recorder->trial, "%s", cases[at].what);
        for (uint64_t sample = 0; sample < 100; sample++)
            put_sample(scene, first, 3000000000 + sample * 10000000, true);
        cr_assert(recorder_poll(scene->recorder, 0, &scene->err));
        struct recorder_result result;
        cr_assert(recorder_finish(scene->recorder, &result, &scene->err));
        cr_assert_eq(result.callchain, CALLCHAIN_DWARF, "%s", cases[at].what);
        scene_free(scene);
    }
}

Test(recorder, a_short_program_keeps_its_frame_pointers)
{
    struct scene *scene = scene_new();
    scene->event.callchain = CALLCHAIN_AUTO;
    cr_assert(scene_open(scene));
    struct fake_event *first = find_event(scene, PERF_COUNT_SW_CPU_CLOCK, PERF_SAMPLE_CALLCHAIN);
    put_mapping(scene, first);
    for (uint64_t at = 0; at < 50; at++)
        put_sample(scene, first, 1 + at * 1000000, true);
    struct recorder_result result;
    cr_assert(recorder_finish(scene->recorder, &result, &scene->err));
    cr_assert_eq(result.callchain, CALLCHAIN_FRAME_POINTERS);
    cr_assert_eq(result.user_stacks, 50);
    cr_assert_eq(result.stacks_at_root, 0);
    struct seen seen = read_output();
    cr_assert_eq(seen.samples, 50);
    cr_assert_not(seen.sample_type & PERF_SAMPLE_STACK_USER);
    scene_free(scene);
}

/* A group too large for the counters is found out however the recording starts, and taken apart only if it is weak. */
Test(recorder, a_group_that_does_not_fit_on_arm)
{
    static const struct {
        enum target_kind kind;
        bool delayed, weak;
        unsigned events, counters;
        bool opens;
    } cases[] = {
        {TARGET_WORKLOAD, false, false, 3, 3, true}, {TARGET_WORKLOAD, false, false, 4, 3, false},
        {TARGET_WORKLOAD, true, false, 3, 3, true},  {TARGET_WORKLOAD, true, false, 4, 3, false},
        {TARGET_PROCESSES, false, false, 4, 3, false}, {TARGET_PROCESSES, true, false, 4, 3, false},
        {TARGET_CPUS, false, false, 3, 3, true},     {TARGET_CPUS, true, false, 4, 3, false},
        {TARGET_WORKLOAD, false, true, 4, 3, true},  {TARGET_WORKLOAD, true, true, 4, 3, true},
        {TARGET_CPUS, false, true, 4, 3, true},      {TARGET_PROCESSES, true, true, 3, 3, true},
    };
    static const int cpus[] = {0};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct scene *scene = scene_new();
        struct recorder_event events[4];
        scene->fake.arm_counters = cases[at].counters;
        scene->target.kind = cases[at].kind;
        scene->target.cpus = cases[at].kind == TARGET_CPUS ? (int *)cpus : NULL;
        scene->target.cpu_count = cases[at].kind == TARGET_CPUS;
        for (size_t event = 0; event < cases[at].events; event++) {
            events[event] = scene->event;
            events[event].group = 0;
            events[event].weak_group = cases[at].weak;
        }
        scene->request.events = events;
        scene->request.event_count = cases[at].events;
        scene->request.delayed = cases[at].delayed;
        bool opened = scene_open(scene), broken = cases[at].weak && cases[at].events > cases[at].counters;
        cr_expect_eq(opened, cases[at].opens, "case %zu: %s", at, scene->err.message);
        cr_expect(opened || strstr(scene->err.hint, "{…}:W"), "case %zu", at);
        cr_expect_eq(opened ? recorder_note_count(scene->recorder) : 0, broken ? cases[at].events : 0, "case %zu", at);
        if (!opened)
            scene->recorder = NULL;
        scene_free(scene);
        memcpy(output + strlen(output) - 6, "XXXXXX", 6);
    }
}

/* In a container a filter is there, but where one event did open it wasn't the filter that refused another. */
Test(recorder, a_filter_that_let_an_event_through_is_not_blamed)
{
    char folder[] = "/tmp/plumb-recorder-proc-XXXXXX";
    cr_assert(mkdtemp(folder));
    made_folder_put(folder, "/proc/self/status", "Uid:\t1 1 1 1\nCapEff:\t%016llx\nSeccomp:\t2\n", 1ull << PROCESS_CAP_PERFMON);
    made_folder_put(folder, "/proc/sys/kernel/perf_event_paranoid", "4\n");
    made_folder_put(folder, "/sys/devices/system/cpu/online", "0\n");
    for (int kernel_only = 0; kernel_only < 2; kernel_only++) {
        struct scene *scene = scene_new();
        sysroot_init(&scene->root, folder);
        scene->fake.user_only = kernel_only;
        scene->fake.none_permitted = !kernel_only;
        scene->request.kernel_only = kernel_only;
        cr_assert_not(scene_open(scene));
        cr_expect_eq(strstr(scene->err.message, "a seccomp filter") == NULL, kernel_only, "%s", scene->err.message);
        scene->recorder = NULL;
        scene_free(scene);
        memcpy(output + strlen(output) - 6, "XXXXXX", 6);
    }
    made_folder_remove(folder);
}

/* What an older kernel doesn't take, and what isn't permitted, is found out with the groups, and said once however often they are opened. */
Test(recorder, groups_are_tried_as_they_were_opened)
{
    static const struct {
        bool delayed, user_only;
        uint64_t unknown_read_format;
        size_t notes;
    } cases[] = {{true, false, PERF_FORMAT_LOST, 4}, {false, true, 0, 8}, {true, true, 0, 8}};
    for (size_t at = 0; at < array_count(cases); at++) {
        struct scene *scene = scene_new();
        struct recorder_event events[4];
        scene->fake.arm_counters = 3;
        scene->fake.user_only = cases[at].user_only;
        scene->fake.unknown_read_format = cases[at].unknown_read_format;
        for (size_t event = 0; event < array_count(events); event++) {
            events[event] = scene->event;
            events[event].group = 0;
            events[event].weak_group = true;
        }
        scene->request.events = events;
        scene->request.event_count = array_count(events);
        scene->request.delayed = cases[at].delayed;
        cr_assert(scene_open(scene), "case %zu: %s", at, scene->err.message);
        cr_expect_eq(recorder_note_count(scene->recorder), cases[at].notes, "case %zu: %zu", at, recorder_note_count(scene->recorder));
        scene_free(scene);
        memcpy(output + strlen(output) - 6, "XXXXXX", 6);
    }
}

/* Paced events: rings of their own, stopped while these are full. */

static struct fake_event *find_paced(struct scene *scene, bool sparse)
{
    for (size_t at = 0; at < scene->fake.count; at++)
        if (scene->fake.events[at].attr.sample_type & PERF_SAMPLE_STACK_USER && scene->fake.events[at].attr.freq == sparse)
            return &scene->fake.events[at];
    return NULL;
}

static struct scene *scene_paced(void)
{
    struct scene *scene = scene_new();
    scene->event.attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
    scene->event.frequency = 0;
    scene->event.period = 1;
    scene->event.callchain = CALLCHAIN_FRAME_POINTERS;
    scene->event.copied_stack_bytes = 512;
    scene->event.is_paced = true;
    cr_assert(scene_open(scene), "%s", scene->err.message);
    return scene;
}

Test(recorder, a_paced_event_stops_while_its_ring_is_full)
{
    if (!recorder_all_registers)
        cr_skip_test("registers can't be sampled on this machine");
    struct scene *scene = scene_paced();
    struct fake_event *paced = find_paced(scene, false), *sparse = find_paced(scene, true),
                      *tracking = find_event(scene, PERF_COUNT_SW_DUMMY, 0);
    cr_assert(paced && sparse && tracking);
    cr_assert(paced->attr.enable_on_exec && !sparse->attr.enable_on_exec && sparse->attr.disabled);
    cr_assert(paced->attr.sample_type & PERF_SAMPLE_CALLCHAIN && !paced->attr.exclude_callchain_user);
    cr_assert_eq(paced->attr.sample_type, sparse->attr.sample_type);
    cr_assert(paced->ring && paced->output < 0 && tracking->ring && paced->ring != tracking->ring, "a ring of its own");
    cr_assert_eq(sparse->output, paced->fd);
    enum { RING_BYTES = 65536 / 4 };
    struct perf_event_mmap_page *page = (void *)paced->ring;
    unsigned samples = 0;
    for (; page->data_head < RING_BYTES / 4 * 3; samples++)
        put_sample(scene, paced, 1000 + samples, true);
    cr_assert(recorder_poll(scene->recorder, 0, &scene->err), "%s", scene->err.message);
    cr_assert(!paced->enabled && sparse->enabled, "its turn isn't over");
    for (unsigned waited_ms = 0; !paced->enabled && waited_ms < 20000; waited_ms += 5) {
        usleep(5000);
        cr_assert(recorder_poll(scene->recorder, 0, &scene->err));
    }
    cr_assert(paced->enabled && !sparse->enabled);
    cr_assert_eq(page->data_tail, page->data_head);
    scene->fake.lost = 3;
    struct recorder_result result;
    cr_assert(recorder_finish(scene->recorder, &result, &scene->err), "%s", scene->err.message);
    cr_assert_eq(result.samples, samples);
    cr_assert_eq(result.paced_pauses, 1);
    cr_assert_gt(result.paced_paused_ns, 0);
    cr_assert(result.paced_lost > 0 && result.paced_lost % 3 == 0);
    cr_assert_eq(result.lost_samples, 0, "what was left out on purpose is no loss");
    cr_assert_eq(read_output().samples, samples);
    scene_free(scene);
}

/* The more rings, the longer a turn: of those that something writes to, not of CPUs that aren't sampled. */
Test(recorder, a_turn_is_as_long_as_there_are_rings)
{
    if (!recorder_all_registers)
        cr_skip_test("registers can't be sampled on this machine");
    char folder[] = "/tmp/plumb-recorder-cpus-XXXXXX";
    static const int cpus[] = {0, 2};
    uint64_t turns[2];
    cr_assert(mkdtemp(folder));
    made_folder_put(folder, "/sys/devices/system/cpu/online", "0-7\n");
    for (size_t at = 0; at < 2; at++) {
        struct scene *scene = scene_new();
        sysroot_init(&scene->root, folder);
        scene->target.kind = TARGET_CPUS;
        scene->target.cpus = (int *)cpus;
        scene->target.cpu_count = at + 1;
        scene->event.attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
        scene->event.callchain = CALLCHAIN_FRAME_POINTERS;
        scene->event.copied_stack_bytes = 512;
        scene->event.is_paced = true;
        cr_assert(scene_open(scene), "%s", scene->err.message);
        turns[at] = scene->recorder->pace.turn_ns;
        scene_free(scene);
        memcpy(output + strlen(output) - 6, "XXXXXX", 6);
    }
    cr_expect_gt(turns[0], 0);
    cr_expect_eq(turns[1], 2 * turns[0], "%llu and %llu ns", (unsigned long long)turns[0], (unsigned long long)turns[1]);
    made_folder_remove(folder);
}

/* What a paced ring had no place for is no loss, and its stacks aren't what was asked for at its own rate. */
Test(recorder, paced_losses_and_bytes_are_apart)
{
    if (!recorder_all_registers)
        cr_skip_test("registers can't be sampled on this machine");
    struct scene *scene = scene_new();
    scene->fake.unknown_read_format = PERF_FORMAT_LOST;
    scene->event.attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
    scene->event.frequency = 0;
    scene->event.period = 1;
    scene->event.callchain = CALLCHAIN_FRAME_POINTERS;
    scene->event.copied_stack_bytes = 512;
    scene->event.is_paced = true;
    cr_assert(scene_open(scene), "%s", scene->err.message);
    struct fake_event *paced = find_paced(scene, false), *tracking = find_event(scene, PERF_COUNT_SW_DUMMY, 0);
    struct {
        struct perf_event_header header;
        uint64_t id, count, trailer[4];
    } lost = {.header = {.type = PERF_RECORD_LOST, .size = sizeof(lost)}, .id = 100 + (uint64_t)(paced - scene->fake.events), .count = 7};
    put(scene, paced, &lost, sizeof(lost));
    put_sample(scene, paced, 5, true);
    cr_assert(recorder_poll(scene->recorder, 0, &scene->err));
    cr_expect_eq(recorder_unpaced_bytes(scene->recorder), 0);
    lost.id = 100 + (uint64_t)(tracking - scene->fake.events);
    lost.count = 2;
    put(scene, tracking, &lost, sizeof(lost));
    /* With another recording's id: of this event and its twin alike. */
    struct {
        struct perf_event_header header;
        uint64_t id, words[5], chain[3], none[2];
    } sample = {.header = {.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER, .size = sizeof(sample)}, .id = 99, .chain = {2}};
    put(scene, paced, &sample, sizeof(sample));
    struct recorder_result result;
    cr_assert(recorder_finish(scene->recorder, &result, &scene->err));
    cr_expect_eq(result.lost_samples, 2, "%llu", (unsigned long long)result.lost_samples);
    cr_expect_eq(result.paced_lost, 7, "%llu", (unsigned long long)result.paced_lost);
    cr_expect_eq(result.samples, 2, "%llu", (unsigned long long)result.samples);
    cr_expect_eq(recorder_unpaced_bytes(scene->recorder), sizeof(lost));
    scene_free(scene);
}

/* Another recording of the same event with stack dumps: the kernel makes our samples that much longer. */
Test(recorder, what_the_kernel_wrote_behind_a_sample_is_cut)
{
    struct scene *scene = scene_new();
    struct recorder_result result;
    cr_assert(scene_open(scene), "%s", scene->err.message);
    struct fake_event *event = find_event(scene, 0, 0);
    struct {
        struct perf_event_header header;
        uint64_t id, words[5], excess[30];
    } sample = {.header = {.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER, .size = sizeof(sample)},
                .id = 100 + (uint64_t)(event - scene->fake.events)};
    size_t usual = put_sample(scene, event, 5, false);
    put(scene, event, &sample, sizeof(sample));
    put_sample(scene, event, 6, false);
    sample.id = 99; /* with that recording's id: a timer's sample never has one, so nobody can tell whose it is */
    put(scene, event, &sample, sizeof(sample));
    cr_assert(recorder_finish(scene->recorder, &result, &scene->err));
    cr_expect_eq(result.samples, 3);
    cr_expect_eq(result.lost_samples, 1);
    cr_expect_eq(result.broken_bytes, 0);
    struct seen seen = read_output();
    cr_expect_eq(seen.samples, 3);
    cr_expect_eq(seen.sample_bytes, 3 * usual);
    scene_free(scene);
}

Test(recorder, a_sample_with_another_recordings_id_gets_ours)
{
    struct scene *scene = scene_new();
    struct recorder_result result;
    scene->event.attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
    cr_assert(scene_open(scene), "%s", scene->err.message);
    struct fake_event *event = find_event(scene, PERF_COUNT_SW_CONTEXT_SWITCHES, 0);
    struct {
        struct perf_event_header header;
        uint64_t id, words[5], excess[30];
    } sample = {.header = {.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER, .size = sizeof(sample)}, .id = 99};
    put(scene, event, &sample, sizeof(sample));
    cr_assert(recorder_finish(scene->recorder, &result, &scene->err));
    cr_expect_eq(result.samples, 1);
    cr_expect_eq(result.lost_samples, 0);
    struct seen seen = read_output();
    cr_expect_eq(seen.samples, 1);
    cr_expect_eq(seen.sample_bytes, 56);
    scene_free(scene);
}
