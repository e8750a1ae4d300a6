/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/exits/exit_watch.h"

#include "base/arena.h"
#include "base/scope.h"
#include "base/vec.h"
#include "decode/btf.h"
#include "decode/exits/tracepoint_fields.h"
#include "source/live/kernel_types.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * Places of the maps for each CPU: some four vCPUs of 32 reasons each, or as many as the user says there are, of which
 * each may touch hundreds of ports, registers and instructions. What finds no place is counted.
 */
enum {
    CELLS_LEAST = 2048,
    USES_LEAST = 8192,
    THREADS_LEAST = 2048,
    FOLLOWED = 32768,
    PLACES_MOST = 1 << 18,
    VCPUS_PER_CPU = 4,
    CELLS_PER_VCPU = 32,
    USES_PER_VCPU = 256,
    THREADS_PER_VCPU = 8,
    LOG_BYTES = 1 << 16
};

static int bpf_call(const struct exit_watch *watch, int command, union bpf_attr *attr)
{
    return watch->kernel->bpf(watch->kernel->context, command, attr, sizeof(*attr));
}

static uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

/* ---- maps ---- */

static bool refused(struct error *err, const char *what)
{
    int number = errno;
    bool rights = number == EPERM || number == EACCES;
    error_system(err, number, "the kernel refuses %s", what);
    err->kind = rights ? ERROR_PERMISSION : ERROR_UNSUPPORTED;
    return rights ? error_hint(err, "run as root, or with CAP_BPF and CAP_PERFMON (in a container: --privileged)")
                  : error_hint(
                        err, "a kernel with CONFIG_BPF_SYSCALL and CONFIG_BPF_EVENTS can; --method perf goes without");
}

static bool map_make(struct exit_watch *watch, int *ret_fd, uint32_t type, uint32_t key_bytes, uint32_t value_bytes,
                     uint32_t entries, struct error *err)
{
    union bpf_attr attr = {0};
    attr.map_type = type;
    attr.key_size = key_bytes;
    attr.value_size = value_bytes;
    attr.max_entries = entries;
    memcpy(attr.map_name, "plumb_exits", sizeof("plumb_exits"));
    *ret_fd = bpf_call(watch, BPF_MAP_CREATE, &attr);
    return *ret_fd >= 0 || refused(err, "a BPF map");
}

static bool map_put(const struct exit_watch *watch, int fd, const void *key, const void *value)
{
    union bpf_attr attr = {0};
    attr.map_fd = (uint32_t)fd;
    attr.key = address_of(key);
    attr.value = address_of(value);
    return bpf_call(watch, BPF_MAP_UPDATE_ELEM, &attr) == 0;
}

static bool map_get(const struct exit_watch *watch, int fd, const void *key, void *value)
{
    union bpf_attr attr = {0};
    attr.map_fd = (uint32_t)fd;
    attr.key = address_of(key);
    attr.value = address_of(value);
    return bpf_call(watch, BPF_MAP_LOOKUP_ELEM, &attr) == 0;
}

static bool map_next(const struct exit_watch *watch, int fd, const void *key, void *next)
{
    union bpf_attr attr = {0};
    attr.map_fd = (uint32_t)fd;
    attr.key = address_of(key);
    attr.next_key = address_of(next);
    return bpf_call(watch, BPF_MAP_GET_NEXT_KEY, &attr) == 0;
}

static uint32_t places_of(uint64_t vcpus, uint32_t each, uint32_t least)
{
    uint64_t places = vcpus < PLACES_MOST ? vcpus * each : PLACES_MOST;
    return places < least ? least : places < PLACES_MOST ? (uint32_t)places : PLACES_MOST;
}

static void places_choose(struct exit_watch *watch, const struct exit_watch_request *request, size_t cpus)
{
    uint64_t vcpus = request->vcpus > VCPUS_PER_CPU * cpus ? request->vcpus : VCPUS_PER_CPU * cpus;
    watch->most[EXIT_CELLS] = places_of(vcpus, CELLS_PER_VCPU, CELLS_LEAST);
    watch->most[EXIT_USES] = request->uses_most ? request->uses_most : places_of(vcpus, USES_PER_VCPU, USES_LEAST);
    watch->most[EXIT_THREADS] = places_of(vcpus, THREADS_PER_VCPU, THREADS_LEAST);
}

static const struct {
    uint32_t key_bytes, value_bytes;
} shapes[EXIT_DICTIONARIES] = {[EXIT_CELLS] = {sizeof(struct exit_cell_key), sizeof(struct exit_cell)},
                         [EXIT_USES] = {sizeof(struct exit_use_key), sizeof(struct exit_use_cell)},
                         [EXIT_THREADS] = {sizeof(struct exit_thread_key), sizeof(struct exit_thread_state)}};

/*
 * As many places as entries, and all entries fit in the rest as well: how keys happen to share places decides on speed
 * alone.
 */
static bool dictionary_make(struct exit_watch *watch, enum exit_dictionary_kind kind, struct error *err)
{
    struct exit_dictionary *dictionary = &watch->dictionaries[kind];
    uint32_t most = watch->most[kind], key_bytes = shapes[kind].key_bytes, value_bytes = shapes[kind].value_bytes;
    for (dictionary->place_bits = 1; most > 1u << dictionary->place_bits;)
        dictionary->place_bits++;
    uint32_t places = 1u << dictionary->place_bits;
    return map_make(watch, &dictionary->places_fd, BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), value_bytes, places, err) &&
           map_make(watch, &dictionary->claims_fd, BPF_MAP_TYPE_HASH, sizeof(uint32_t), sizeof(uint64_t), places,
                    err) &&
           map_make(watch, &dictionary->rest_fd, BPF_MAP_TYPE_HASH, key_bytes, value_bytes, most, err);
}

static bool maps_make(struct exit_watch *watch, bool only_followed, struct error *err)
{
    /* Kernels before 5.11 count maps as locked memory. */
    struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    (void)setrlimit(RLIMIT_MEMLOCK, &all);
    for (enum exit_dictionary_kind kind = 0; kind < EXIT_DICTIONARIES; kind++)
        if (!dictionary_make(watch, kind, err))
            return false;
    return map_make(watch, &watch->blank_fd, BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), sizeof(struct exit_cell), 1, err) &&
           map_make(watch, &watch->lost_fd, BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), sizeof(uint64_t), 2, err) &&
           (!only_followed ||
            map_make(watch, &watch->followed_fd, BPF_MAP_TYPE_HASH, sizeof(uint32_t), sizeof(uint64_t), FOLLOWED, err));
}

/* ---- programs ---- */

static int program_load(const struct exit_watch *watch, const struct exit_program *program, uint32_t type,
                        struct error *err)
{
    union bpf_attr attr = {0};
    attr.prog_type = type;
    attr.insns = address_of(program->instructions);
    attr.insn_cnt = program->count;
    attr.license = address_of("GPL");
    memcpy(attr.prog_name, "plumb_exits", sizeof("plumb_exits"));
    int fd = program->overflow ? -1 : bpf_call(watch, BPF_PROG_LOAD, &attr);
    if (fd >= 0)
        return fd;
    int number = errno;
    if (number != EPERM && !program->overflow) { /* say what the verifier disliked: its last words */
        scoped_free char *log = memory_alloc(LOG_BYTES);
        log[0] = 0;
        attr.log_buf = address_of(log);
        attr.log_size = LOG_BYTES;
        attr.log_level = 1;
        fd = bpf_call(watch, BPF_PROG_LOAD, &attr);
        if (fd >= 0)
            return fd;
        size_t length = strnlen(log, LOG_BYTES);
        (void)error_set(err, ERROR_UNSUPPORTED, "the kernel's verifier refuses the program: ...%s",
                        log + (length > 250 ? length - 250 : 0));
        return -1;
    }
    errno = number;
    (void)refused(err, "a BPF program");
    return -1;
}

static bool raw_attach(struct exit_watch *watch, const char *name, int program_fd)
{
    union bpf_attr attr = {0};
    attr.raw_tracepoint.name = address_of(name);
    attr.raw_tracepoint.prog_fd = (uint32_t)program_fd;
    int fd = bpf_call(watch, BPF_RAW_TRACEPOINT_OPEN, &attr);
    if (fd >= 0)
        watch->fds[watch->fd_count++] = fd;
    return fd >= 0;
}

/*
 * One event on one CPU carries the program, which then runs on all of them. The event itself stays disabled: nothing is
 * counted or recorded for it.
 */
static bool tracepoint_attach(struct exit_watch *watch, uint64_t id, int cpu, int program_fd, struct error *err)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = id, .disabled = 1};
    const struct kernel *kernel = watch->kernel;
    int fd = kernel->perf_event_open(kernel->context, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return refused(err, "a perf event for the program");
    watch->fds[watch->fd_count++] = fd;
    watch->has_slow = true;
    return kernel->ioctl(kernel->context, fd, PERF_EVENT_IOC_SET_BPF, (unsigned long)program_fd) == 0 ||
           refused(err, "to run the program at the tracepoint");
}

/* ---- where the operands are ---- */

struct opening {
    struct exit_watch *watch;
    const struct exit_watch_request *request;
    const struct sysroot *root;
    struct btf btf;
    struct kernel_types kernel_types, module_types;
    bool btf_tried, has_btf;
    int cpu;
};

static void btf_learn(struct opening *opening)
{
    if (opening->btf_tried)
        return;
    opening->btf_tried = true;
    if (!kernel_types_read(&opening->kernel_types, opening->root, "vmlinux"))
        return;
    (void)kernel_types_read(&opening->module_types, opening->root, "kvm");
    opening->has_btf =
        btf_begin(&opening->btf, opening->kernel_types.bytes, opening->module_types.bytes, "__bpf_trace_");
}

/* The arguments' names are as this was written for: else their positions may have changed as well. */
static bool raw_is_known(struct opening *opening, enum exit_point point)
{
    char function[80];
    const struct exit_point_row *row = &opening->request->points[point];
    bool needs_format = opening->request->rips && row->fields[EXIT_RIP] && !row->arguments[EXIT_RIP];
    if (!row->raw_suffices || opening->request->no_raw || needs_format)
        return false;
    btf_learn(opening);
    snprintf(function, sizeof(function), "__bpf_trace_%s", row->name);
    return opening->has_btf &&
           btf_has_parameters(&opening->btf, function, 1, row->parameters, array_count(row->parameters));
}

static bool format_read(const struct opening *opening, const char *system, const char *name, struct text *format)
{
    struct error ignored;
    const char *tracefs = sysroot_tracefs(opening->root);
    return tracefs && sysroot_read(opening->root, format, &ignored, "%s/events/%s/%s/format", tracefs, system, name);
}

static bool places_of_format(struct opening *opening, enum exit_point point, struct exit_operand_place *places,
                             uint64_t *ret_id)
{
    scoped_text struct text format = {0};
    const struct exit_point_row *row = &opening->request->points[point];
    struct view name, text;
    if (!format_read(opening, row->system, row->name, &format))
        return false;
    text = text_view(&format);
    for (size_t at = 0; at < EXIT_OPERAND_COUNT; at++) {
        struct tracepoint_field field = tracepoint_field_find(text, row->fields[at]);
        bool aligned = field.bytes && field.offset % field.bytes == 0 && field.offset >= 8;
        if (aligned)
            places[at] = (struct exit_operand_place){field.offset, field.bytes};
    }
    bool whole = (!row->fields[EXIT_REASON] || places[EXIT_REASON].bytes) &&
                 (!row->fields[EXIT_OBJECT] || places[EXIT_OBJECT].bytes);
    return whole && tracepoint_name_of(text, &name, ret_id);
}

static bool point_open(struct opening *opening, enum exit_point point, struct error *err)
{
    struct exit_watch *watch = opening->watch;
    const struct exit_point_row *row = &opening->request->points[point];
    struct exit_program_request request = {
        .point = point, .blank_fd = watch->blank_fd, .lost_fd = watch->lost_fd, .followed_fd = watch->followed_fd,
        .times = opening->request->times, .objects = opening->request->objects, .rips = opening->request->rips};
    struct exit_program program;
    uint64_t id = 0;
    memcpy(request.dictionaries, watch->dictionaries, sizeof(request.dictionaries));
    bool raw = raw_is_known(opening, point);
    for (size_t at = 0; raw && at < EXIT_OPERAND_COUNT; at++)
        if (row->arguments[at])
            request.places[at] = (struct exit_operand_place){(uint16_t)(8 * (row->arguments[at] - 1)), 8};
    if (!raw && !places_of_format(opening, point, request.places, &id)) {
        size_t used = strlen(watch->absent);
        if (row->is_patched)
            return true;
        snprintf(watch->absent + used, sizeof(watch->absent) - used, "%s%s", used ? ", " : "", row->name);
        return true;
    }
    exit_program_make(&program, &request);
    scoped_fd int program_fd =
        program_load(watch, &program, raw ? BPF_PROG_TYPE_RAW_TRACEPOINT : BPF_PROG_TYPE_TRACEPOINT, err);
    if (program_fd < 0)
        return error_wrap(err, "%s", row->name);
    if (!raw) {
        if (!tracepoint_attach(watch, id, opening->cpu, program_fd, err))
            return error_wrap(err, "%s", row->name);
    } else if (!raw_attach(watch, row->name, program_fd)) {
        (void)refused(err, "a program at a raw tracepoint");
        return error_wrap(err, "%s", row->name);
    }
    watch->attachments[point] = raw ? EXIT_RAW : EXIT_TRACEPOINT;
    return true;
}

static bool follower_open(struct opening *opening, struct error *err)
{
    scoped_text struct text format = {0};
    struct exit_program program;
    struct view name;
    uint64_t id;
    if (!format_read(opening, "sched", "sched_process_fork", &format))
        return error_set(err, ERROR_UNSUPPORTED,
                         "there is no tracepoint sched:sched_process_fork to follow threads by");
    struct view text = text_view(&format);
    struct tracepoint_field parent = tracepoint_field_find(text, "parent_pid"),
                            child = tracepoint_field_find(text, "child_pid");
    if (parent.bytes != 4 || child.bytes != 4 || !tracepoint_name_of(text, &name, &id))
        return error_set(err, ERROR_UNSUPPORTED, "sched_process_fork isn't what it was: threads can't be followed");
    exit_program_make_follower(&program, (struct exit_operand_place){parent.offset, 4},
                               (struct exit_operand_place){child.offset, 4}, opening->watch->followed_fd);
    scoped_fd int program_fd = program_load(opening->watch, &program, BPF_PROG_TYPE_TRACEPOINT, err);
    return program_fd >= 0 && tracepoint_attach(opening->watch, id, opening->cpu, program_fd, err);
}

static bool points_open(struct opening *opening, struct error *err)
{
    /* Ends before beginnings: an exit that is seen is not left without its entry. */
    static const enum exit_point first[] = {EXIT_POINT_ENTRY, EXIT_POINT_RUN};
    bool any = false;
    for (size_t at = 0; at < array_count(first); at++)
        if (opening->request->wanted[first[at]] && !point_open(opening, first[at], err))
            return false;
    for (size_t at = 0; at < EXIT_POINT_COUNT; at++) {
        enum exit_point point = (enum exit_point)at;
        bool is_end = point == EXIT_POINT_ENTRY || point == EXIT_POINT_RUN;
        if (!is_end && opening->request->wanted[at] && !point_open(opening, point, err))
            return false;
        any |= !is_end && opening->watch->attachments[at] != EXIT_ABSENT;
    }
    if (any)
        return true;
    error_set(err, ERROR_UNSUPPORTED, "this kernel has none of kvm's tracepoints%s",
              sysroot_tracefs(opening->root) ? ""
                                             : " that can be seen: tracefs is not mounted, or not readable by you");
    return sysroot_tracefs(opening->root)
               ? error_hint(err,
                            "no KVM runs here: load kvm (modprobe kvm_intel, or kvm_amd); in a guest without nested "
                            "virtualisation there is none")
               : error_hint(err, "as root: mount -t tracefs nodev /sys/kernel/tracing");
}

bool exit_watch_open(struct exit_watch *watch, const struct exit_watch_request *request, const struct kernel *kernel,
                     const struct sysroot *root, struct error *err)
{
    int *cpus = NULL;
    size_t cpu_count = 0;
    struct opening opening = {.watch = watch, .request = request, .root = root};
    *watch = (struct exit_watch){.kernel = kernel, .blank_fd = -1, .lost_fd = -1, .followed_fd = -1};
    for (size_t at = 0; at < EXIT_DICTIONARIES; at++)
        watch->dictionaries[at] = (struct exit_dictionary){.places_fd = -1, .claims_fd = -1, .rest_fd = -1};
    if (sysroot_online_cpus(root, &cpus, &cpu_count, NULL) && cpu_count)
        opening.cpu = cpus[0];
    free(cpus);
    places_choose(watch, request, cpu_count);
    bool good = maps_make(watch, request->only_followed, err) &&
                (!request->only_followed || follower_open(&opening, err)) && points_open(&opening, err);
    if (opening.btf_tried)
        btf_done(&opening.btf);
    kernel_types_done(&opening.kernel_types);
    kernel_types_done(&opening.module_types);
    if (!good)
        exit_watch_close(watch);
    return good;
}

bool exit_watch_follow(struct exit_watch *watch, uint32_t tid, struct error *err)
{
    uint64_t one = 1;
    return map_put(watch, watch->followed_fd, &tid, &one) || refused(err, "to follow a thread");
}

static void map_close(const struct exit_watch *watch, int *fd)
{
    if (*fd >= 0)
        watch->kernel->close(watch->kernel->context, fd_steal(fd));
}

void exit_watch_close(struct exit_watch *watch)
{
    int *others[] = {&watch->blank_fd, &watch->lost_fd, &watch->followed_fd};
    while (watch->fd_count)
        watch->kernel->close(watch->kernel->context, watch->fds[--watch->fd_count]);
    for (size_t at = 0; at < EXIT_DICTIONARIES; at++) {
        map_close(watch, &watch->dictionaries[at].places_fd);
        map_close(watch, &watch->dictionaries[at].claims_fd);
        map_close(watch, &watch->dictionaries[at].rest_fd);
    }
    for (size_t at = 0; at < array_count(others); at++)
        map_close(watch, others[at]);
}

/* ---- reading ---- */

union entry {
    struct exit_cell cell;
    struct exit_use_cell use;
    struct exit_thread_state thread;
    uint64_t begin;
};

union entry_key {
    uint32_t place;
    struct exit_cell_key cell;
    struct exit_use_key use;
    struct exit_thread_key thread;
};

static void visit(const struct exit_watch_visitor *visitor, enum exit_dictionary_kind kind, const union entry_key *key,
                  const union entry *entry)
{
    if (kind == EXIT_CELLS)
        visitor->cell(visitor->context, &key->cell, &entry->cell);
    else if (kind == EXIT_USES)
        visitor->use(visitor->context, &key->use, entry->use.count);
    else
        visitor->thread(visitor->context, key->thread.tid, &entry->thread);
}

/* Keys may go on being added while we walk: a bound, so that it ends. */
static void entries_walk(const struct exit_watch *watch, enum exit_dictionary_kind kind, bool in_places,
                         const struct exit_watch_visitor *visitor)
{
    const struct exit_dictionary *dictionary = &watch->dictionaries[kind];
    int keys_fd = in_places ? dictionary->claims_fd : dictionary->rest_fd,
        values_fd = in_places ? dictionary->places_fd : dictionary->rest_fd;
    union entry_key key, next;
    union entry entry;
    const void *from = NULL;
    for (size_t at = 0; at < 2 * (size_t)watch->most[kind] && map_next(watch, keys_fd, from, &next); at++) {
        from = memcpy(&key, &next, sizeof(key));
        if (!map_get(watch, values_fd, &key, &entry))
            continue;
        if (!in_places) {
            visit(visitor, kind, &key, &entry);
        } else if (entry.begin) { /* else it is being claimed, and has no key yet */
            union entry_key own;
            memcpy(&own, &entry, shapes[kind].key_bytes);
            visit(visitor, kind, &own, &entry);
        }
    }
}

void exit_watch_read(const struct exit_watch *watch, const struct exit_watch_visitor *visitor)
{
    /* Cells first, threads last: an exit that ends meanwhile is then missed until the next look, never seen twice. */
    for (enum exit_dictionary_kind kind = 0; kind < EXIT_DICTIONARIES; kind++) {
        entries_walk(watch, kind, true, visitor);
        entries_walk(watch, kind, false, visitor);
    }
}

uint64_t exit_watch_lost(const struct exit_watch *watch, uint64_t *ret_uses)
{
    uint64_t lost[2] = {0};
    for (uint32_t at = 0; at < array_count(lost); at++)
        if (!map_get(watch, watch->lost_fd, &at, &lost[at]))
            lost[at] = 0;
    *ret_uses = lost[1];
    return lost[0];
}
