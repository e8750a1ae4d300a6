/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/time/kernel_time.h"

#include "analyse/code/code_origin.h"
#include "analyse/stall/stalls.h"
#include "analyse/time/call_names.h"
#include "base/vec.h"

#include <stdlib.h>

enum mark {
    MARK_FAULT = 1,
    MARK_ZERO = 2,
    MARK_INTERRUPT = 4,
    MARK_SPIN = 8,
    MARK_EXEC = 16,
    MARK_ENTRY = 32, /* of a system call, whichever */
    MARK_CPU_CLOCK = 64,
    MARK_BYTES = 128,
    MARK_SOFTIRQ = 256, /* soft interrupts: run by a system call, a kernel's thread, or when an interrupt ends */
    MARK_THREAD = 512,  /* where a thread of the kernel, or an idle CPU, begins */
};

static const struct {
    const char *prefix;
    enum mark mark;
} marks[] = {
    {"asm_exc_page_fault", MARK_FAULT},
    {"exc_page_fault", MARK_FAULT},
    {"do_user_addr_fault", MARK_FAULT},
    {"handle_mm_fault", MARK_FAULT},
    {"do_page_fault", MARK_FAULT},
    {"do_mem_abort", MARK_FAULT},
    {"clear_page", MARK_ZERO},
    {"clear_huge_page", MARK_ZERO},
    {"folio_zero", MARK_ZERO},
    {"clear_user_page", MARK_ZERO},
    {"clear_subpage", MARK_ZERO},
    {"copy_page", MARK_ZERO},
    {"clear_folio", MARK_ZERO},
    {"clear_pages", MARK_ZERO},
    {"asm_sysvec_", MARK_INTERRUPT},
    {"sysvec_", MARK_INTERRUPT},
    {"asm_common_interrupt", MARK_INTERRUPT},
    {"common_interrupt", MARK_INTERRUPT},
    {"asm_exc_xen_hypervisor_callback", MARK_INTERRUPT},
    {"irq_exit", MARK_INTERRUPT},
    {"__irq_exit_rcu", MARK_INTERRUPT},
    {"invoke_softirq", MARK_INTERRUPT},
    {"run_ksoftirqd", MARK_INTERRUPT},
    {"do_IRQ", MARK_INTERRUPT}, /* before Linux 5.8, and of other processors */
    {"ret_from_intr", MARK_INTERRUPT},
    {"apic_timer_interrupt", MARK_INTERRUPT},
    {"smp_apic_timer_interrupt", MARK_INTERRUPT},
    {"el1_interrupt", MARK_INTERRUPT},
    {"el0_interrupt", MARK_INTERRUPT},
    {"el1h_64_irq", MARK_INTERRUPT},
    {"el0t_64_irq", MARK_INTERRUPT},
    {"el1_irq", MARK_INTERRUPT},
    {"el0_irq", MARK_INTERRUPT},
    {"gic_handle_irq", MARK_INTERRUPT},
    {"handle_riscv_irq", MARK_INTERRUPT},
    {"do_io_irq", MARK_INTERRUPT},
    {"do_ext_irq", MARK_INTERRUPT},
    {"handle_softirqs", MARK_SOFTIRQ},
    {"__do_softirq", MARK_SOFTIRQ},
    {"____do_softirq", MARK_SOFTIRQ},
    {"do_softirq", MARK_SOFTIRQ},
    {"net_rx_action", MARK_SOFTIRQ},
    {"net_tx_action", MARK_SOFTIRQ},
    {"kthread", MARK_THREAD},
    {"ret_from_fork", MARK_THREAD},
    {"do_idle", MARK_THREAD},
    {"cpu_startup_entry", MARK_THREAD},
    {"start_secondary", MARK_THREAD},
    {"native_queued_spin_lock_slowpath", MARK_SPIN},
    {"queued_spin_lock_slowpath", MARK_SPIN},
    {"rwsem_spin_on_owner", MARK_SPIN},
    {"mutex_spin_on_owner", MARK_SPIN},
    {"__pv_queued_spin_lock", MARK_SPIN},
    {"do_exit", MARK_EXEC},
    {"exit_mmap", MARK_EXEC},
    {"bprm_execve", MARK_EXEC},
    {"load_elf_binary", MARK_EXEC},
    {"begin_new_exec", MARK_EXEC},
    {"kernel_clone", MARK_EXEC},
    {"copy_process", MARK_EXEC},
    {"do_syscall_64", MARK_ENTRY},
    {"entry_SYSCALL_", MARK_ENTRY},
    {"x64_sys_call", MARK_ENTRY},
    {"syscall_", MARK_ENTRY},
    {"do_int80_", MARK_ENTRY},
    {"do_fast_syscall_32", MARK_ENTRY},
    {"do_trap_ecall_u", MARK_ENTRY},
    {"system_call_exception", MARK_ENTRY},
    {"__do_syscall", MARK_ENTRY},
    {"posix_cpu_clock_get", MARK_CPU_CLOCK},
    {"process_cpu_clock_get", MARK_CPU_CLOCK},
    {"thread_cpu_clock_get", MARK_CPU_CLOCK},
    {"chacha_", MARK_BYTES},
    {"blake2s_", MARK_BYTES},
    {"_copy_to_iter", MARK_BYTES},
    {"_copy_from_iter", MARK_BYTES},
    {"copy_user_", MARK_BYTES},
    {"rep_movs_", MARK_BYTES},
    {"rep_stos_", MARK_BYTES},
    {"clear_user_", MARK_BYTES},
    {"memcpy", MARK_BYTES},
    {"__memcpy", MARK_BYTES},
    {"__arch_copy_", MARK_BYTES},
    {"crc32", MARK_BYTES},
    {"sha256_", MARK_BYTES},
    {"sha1_", MARK_BYTES},
    {"aesni_", MARK_BYTES},
    {"aes_", MARK_BYTES},
    {"LZ4_", MARK_BYTES},
    {"ZSTD_", MARK_BYTES},
    {"csum_partial", MARK_BYTES},
    {"zlib_inflate", MARK_BYTES},
    {"el0_svc", MARK_ENTRY},
    {"invoke_syscall", MARK_ENTRY},
    {"el0t_64_sync", MARK_ENTRY},
};

static unsigned mark_of(const char *name)
{
    for (size_t at = 0; at < array_count(marks); at++)
        if (view_starts(view_of(name), marks[at].prefix))
            return marks[at].mark;
    return 0;
}

/* What a call was at, where a function that it calls says so. */
static const struct {
    const char *prefix;
    enum call_object object;
} objects[] = {
    {"sock_", CALL_OBJECT_SOCKET},
    {"__sock_", CALL_OBJECT_SOCKET},
    {"inet_", CALL_OBJECT_SOCKET},
    {"tcp_", CALL_OBJECT_SOCKET},
    {"udp_", CALL_OBJECT_SOCKET},
    {"unix_", CALL_OBJECT_SOCKET},
    {"ext4_", CALL_OBJECT_FILE},
    {"xfs_", CALL_OBJECT_FILE},
    {"btrfs_", CALL_OBJECT_FILE},
    {"f2fs_", CALL_OBJECT_FILE},
    {"nfs_", CALL_OBJECT_FILE},
    {"ovl_", CALL_OBJECT_FILE},
    {"fuse_", CALL_OBJECT_FILE},
    {"shmem_file_", CALL_OBJECT_FILE},
    {"generic_file_", CALL_OBJECT_FILE},
    {"filemap_", CALL_OBJECT_FILE},
    {"generic_perform_write", CALL_OBJECT_FILE},
    {"pipe_", CALL_OBJECT_PIPE},
    {"anon_pipe_", CALL_OBJECT_PIPE},
    {"fifo_pipe_", CALL_OBJECT_PIPE},
    {"tty_", CALL_OBJECT_TERMINAL},
    {"file_tty_", CALL_OBJECT_TERMINAL},
    {"n_tty_", CALL_OBJECT_TERMINAL},
};

static enum call_object object_of(const char *name)
{
    for (size_t at = 0; at < array_count(objects); at++)
        if (view_starts(view_of(name), objects[at].prefix))
            return objects[at].object;
    return CALL_OBJECT_UNKNOWN;
}

static const char *name_behind(const char *name, const char *const *prefixes, size_t count)
{
    for (size_t at = 0; at < count; at++)
        if (view_starts(view_of(name), prefixes[at]) && name[strlen(prefixes[at])])
            return name + strlen(prefixes[at]);
    return NULL;
}

/* "__x64_sys_read" or "__arm64_sys_read" to "read"; NULL for anything else. */
static const char *system_call_of(const char *name)
{
    static const char *const prefixes[] = {"__x64_sys_", "__arm64_sys_", "__ia32_sys_", "__se_sys_", "__do_sys_"};
    const char *call = name_behind(name, prefixes, array_count(prefixes));
    return call ? system_call_name(call) : NULL;
}

/* The work behind a call, whose own frame a tail call left out: "ksys_read" to "read". */
static const char *work_of_call(const char *name)
{
    static const char *const prefixes[] = {"ksys_", "__ksys_", "do_sys_", "__sys_"};
    const char *call = name_behind(name, prefixes, array_count(prefixes));
    return !call ? NULL : strcmp(call, "openat2") == 0 ? "openat" : system_call_name(call);
}

/* What the program asked the C library for, when neither is in the stack: "__GI___read" to "read". */
static const char *library_call_of(const char *dso, const char *name)
{
    static const char *const libraries[] = {"libc.so", "libc-2.", "libpthread", "libc.musl", "ld-musl"};
    static const char *const prefixes[] = {"__GI_", "__libc_"};
    bool library = false;
    for (size_t at = 0; at < array_count(libraries); at++)
        library |= view_starts(view_of(dso), libraries[at]);
    for (const char *rest = name; rest; rest = name_behind(rest, prefixes, array_count(prefixes)))
        name = rest;
    name += strspn(name, "_");
    return library && name[0] && strcmp(name, "syscall") != 0 ? name : NULL;
}

/* Calls by which a program sets itself up, with its loader's and C library's. */
static bool sets_up(const char *call)
{
    static const char *const calls[] = {
        "mmap",       "munmap",          "mprotect",        "brk",   "execve", "arch_prctl",
        "exit_group", "set_tid_address", "set_robust_list", "rseq",  "openat", "exit",
        "prlimit64",  "clone",           "clone3",          "vfork", "fork",   "access",
        "faccessat",  "newfstatat"};
    for (size_t at = 0; call && at < array_count(calls); at++)
        if (strcmp(call, calls[at]) == 0)
            return true;
    return false;
}

struct frame { /* what one location's name says; by location, filled once */
    bool known, in_kernel, named;
    unsigned marks;
    enum call_object object;
    const char *call, *work, *library; /* system_call_of, work_of_call, library_call_of */
    const char *name; /* of a function of the kernel; NULL: it has none */
};

struct counts {
    struct kernel_entry *items;
    size_t count, capacity;
};

/* What a function of the C library was seen to call, in samples that show both. */
struct seen_call {
    const char *library, *call;
    uint64_t samples;
};

struct seen_calls {
    struct seen_call *items;
    size_t count, capacity;
};

static void seen_count(struct seen_calls *seen, const char *library, const char *call)
{
    for (size_t at = 0; at < seen->count; at++)
        if (strcmp(seen->items[at].library, library) == 0 && strcmp(seen->items[at].call, call) == 0) {
            seen->items[at].samples++;
            return;
        }
    *vec_push(seen) = (struct seen_call){library, call, 1};
}

/* By the samples that show both, else by what the libraries of today do. */
static const char *call_of_library(const struct seen_calls *seen, const char *library, struct arena *arena)
{
    const struct seen_call *most = NULL;
    for (size_t at = 0; at < seen->count; at++)
        if (strcmp(seen->items[at].library, library) == 0 && (!most || seen->items[at].samples > most->samples))
            most = &seen->items[at];
    return most ? most->call : library_call_name(library, arena);
}

static void call_count(struct counts *calls, const char *name, enum call_object object)
{
    size_t at = 0;
    while (at < calls->count && strcmp(calls->items[at].name, name) != 0)
        at++;
    if (at == calls->count)
        *vec_push(calls) = (struct kernel_entry){.name = name};
    calls->items[at].samples++;
    calls->items[at].objects[object]++;
}

static const struct frame *frame_of(struct frame *frames, const struct recording *recording,
                                    const struct code_bundle *bundle, uint32_t location)
{
    struct frame *frame = &frames[location];
    if (frame->known)
        return frame;
    frame->known = true;
    frame->in_kernel = recording->samples.locations[location].cpu_mode == CPU_MODE_KERNEL;
    const struct bundle_function *function = code_bundle_find(bundle, recording, location);
    const struct dso *dso = &recording->spaces.dsos[recording->samples.locations[location].dso];
    if (!function || !function->is_named)
        return frame;
    if (!frame->in_kernel) {
        frame->library = library_call_of(strings_text(&recording->strings, dso->name), function->name);
        return frame;
    }
    frame->named = true;
    frame->name = function->name;
    frame->marks = mark_of(function->name);
    frame->object = object_of(function->name);
    frame->call = system_call_of(function->name);
    frame->work = work_of_call(function->name);
    return frame;
}

static bool is_loader(const struct recording *recording, uint32_t location)
{
    const struct dso *dso = &recording->spaces.dsos[recording->samples.locations[location].dso];
    return code_is_loader(strings_text(&recording->strings, dso->name));
}

/* What the frames of one sample say together. */
struct seen_stack {
    unsigned marks;
    enum call_object object;
    const char *call, *work, *library;
    bool named; /* a frame of the kernel has a name */
};

/* What each stack was beneath: of samples that count time, and of threads that left their CPU. */
struct stack_use {
    const char *call; /* NULL: none */
    enum call_object object;
    uint64_t sampled, switched;
};

static void use_count(struct stack_use *uses, const struct sample *sample, const struct seen_stack *seen,
                      const char *call, bool switched)
{
    if (sample->stack == STACK_NONE || !call)
        return;
    struct stack_use *use = &uses[sample->stack];
    use->call = call;
    use->object = seen->object;
    use->sampled += !switched;
    use->switched += switched;
}

enum { CALLERS_OF_MOST = 3 }; /* of so many calls, the hottest */

/* One call is made at files by one part of a program and at sockets by another: those that hold its time count. */
static void callers_find(struct kernel_entry *entry, const struct recording *recording,
                         const struct code_bundle *bundle, const struct stack_use *uses, struct arena *arena)
{
    vec(struct call_stack) stacks = {0};
    enum call_object object = CALL_OBJECT_UNKNOWN;
    for (int at = 0; at < CALL_OBJECT_COUNT; at++)
        object = entry->objects[at] * 2 > entry->samples ? (enum call_object)at : object;
    for (uint32_t at = 0; at < recording->samples.stack_count; at++) {
        const struct stack_use *use = &uses[at];
        bool fits = !object || !use->object || use->object == object;
        if (use->call && fits && strcmp(use->call, entry->name) == 0)
            *vec_push(&stacks) = (struct call_stack){at, use->sampled, use->switched};
    }
    entry->callers = call_callers_of(recording, bundle, stacks.items, stacks.count, entry->samples, arena);
    vec_done(&stacks);
}

/* Whether a short-lived process spent it on being set up; then it is counted. */
static bool start_count(struct kernel_time *result, unsigned found, const char *call)
{
    bool fault = found & MARK_FAULT && !(found & MARK_INTERRUPT), set_up = !fault && sets_up(call);
    result->short_fault_samples += fault;
    result->short_call_samples += set_up;
    result->exec_samples += fault || set_up;
    return fault || set_up;
}

/*
 * A soft interrupt is of whoever ran it: of the call that sent something to this machine itself, of an interrupt, of a
 * thread of the kernel. Who that was stands below it in the chain; without that it may be of any.
 */
static void sample_count(struct kernel_time *result, struct counts *calls, const struct seen_stack *seen,
                         const char *call)
{
    unsigned found = seen->marks;
    bool is_call = call || found & MARK_ENTRY, has_root = is_call || found & (MARK_FAULT | MARK_THREAD);
    result->zero_samples += (found & MARK_ZERO) != 0;
    result->spin_samples += (found & MARK_SPIN) != 0;
    if (found & MARK_INTERRUPT)
        result->interrupt_samples++;
    else if (found & MARK_SOFTIRQ && !has_root)
        result->softirq_samples++;
    else if (found & MARK_FAULT)
        result->fault_samples++;
    else if (found & MARK_EXEC)
        result->exec_samples++;
    else if (is_call) {
        result->call_samples++;
        result->cpu_clock_samples += (found & MARK_CPU_CLOCK) != 0;
        if (call)
            call_count(calls, call, seen->object);
    } else if (seen->named) {
        result->other_samples++;
        result->rootless_samples += !has_root;
    } else
        result->unnamed_samples++;
}

static int entry_compare(const void *a, const void *b)
{
    const struct kernel_entry *left = a, *right = b;
    if (left->samples != right->samples)
        return left->samples < right->samples ? 1 : -1;
    return strcmp(left->name, right->name);
}

static struct seen_stack stack_look(struct frame *frames, const struct recording *recording,
                                    const struct code_bundle *bundle, const struct sample *sample)
{
    const struct samples *samples = &recording->samples;
    const struct frame *leaf = frame_of(frames, recording, bundle, sample->location);
    struct seen_stack seen = {
        .marks = leaf->marks, .object = leaf->object, .call = leaf->call, .work = leaf->work, .named = leaf->named};
    if (sample->stack == STACK_NONE)
        return seen;
    const struct stack *stack = &samples->stacks[sample->stack];
    for (uint32_t depth = 0; depth < stack->count; depth++) {
        const struct frame *frame = frame_of(frames, recording, bundle, samples->frames[stack->first + depth]);
        seen.library = frame->library;
        if (!frame->in_kernel)
            break;
        seen.marks |= frame->marks;
        seen.object = frame->object ? frame->object : seen.object; /* the call's own is the outermost */
        seen.named |= frame->named;
        seen.call = frame->call ? frame->call : seen.call;
        seen.work = frame->work ? frame->work : seen.work;
    }
    return seen;
}

/* A wrapper's calls are named by samples within them; those at the way in or out have the wrapper alone. */
static void libraries_look(struct seen_calls *calls, struct frame *frames, const struct recording *recording,
                           const struct code_bundle *bundle)
{
    const struct samples *samples = &recording->samples;
    for (size_t at = 0; at < samples->count; at++) {
        const struct sample *sample = &samples->items[at];
        if (!stalls_counts_sample(recording, sample) || sample->location >= samples->location_count ||
            !frame_of(frames, recording, bundle, sample->location)->in_kernel)
            continue;
        struct seen_stack seen = stack_look(frames, recording, bundle, sample);
        if (seen.call && seen.library)
            seen_count(calls, seen.library, seen.call);
    }
}

static const char *call_seen(const struct seen_calls *library_calls, const struct seen_stack *seen, struct arena *arena)
{
    if (seen->call || !(seen->marks & MARK_ENTRY))
        return seen->call;
    return seen->work ? seen->work : seen->library ? call_of_library(library_calls, seen->library, arena) : NULL;
}

/* Stacks of threads that left their CPU are unwound: they show callers that frame pointers don't. */
static void switches_look(struct stack_use *uses, struct frame *frames, const struct seen_calls *library_calls,
                          const struct recording *recording, const struct code_bundle *bundle, struct arena *arena)
{
    const struct samples *samples = &recording->samples;
    for (size_t at = 0; at < samples->count; at++) {
        const struct sample *sample = &samples->items[at];
        if (sample->event >= recording->event_count || !recorded_event_is_switch(&recording->events[sample->event]) ||
            sample->stack == STACK_NONE || sample->location >= samples->location_count)
            continue;
        struct seen_stack seen = stack_look(frames, recording, bundle, sample);
        if (!(seen.marks & (MARK_INTERRUPT | MARK_FAULT)))
            use_count(uses, sample, &seen, call_seen(library_calls, &seen, arena), true);
    }
}

struct kernel_time kernel_time_of(const struct recording *recording, const struct code_bundle *bundle,
                                  struct arena *arena)
{
    struct kernel_time result = {.starts = process_starts_of(recording, arena)};
    const struct samples *samples = &recording->samples;
    struct frame *frames = arena_array(arena, struct frame, samples->location_count + 1);
    struct counts calls = {0}, bytes = {0};
    struct seen_calls library_calls = {0};
    struct stack_use *uses = arena_array(arena, struct stack_use, samples->stack_count + 1);
    libraries_look(&library_calls, frames, recording, bundle);
    for (size_t at = 0; at < samples->count; at++) {
        const struct sample *sample = &samples->items[at];
        if (!stalls_counts_sample(recording, sample) || sample->location >= samples->location_count)
            continue;
        result.sample_count++;
        const struct frame *leaf = frame_of(frames, recording, bundle, sample->location);
        bool is_short = sample->thread < recording->threads.count && result.starts.is_short[sample->thread];
        result.exec_samples += !leaf->in_kernel && is_short && is_loader(recording, sample->location);
        if (!leaf->in_kernel)
            continue;
        result.kernel_samples++;
        struct seen_stack seen = stack_look(frames, recording, bundle, sample);
        unsigned found = seen.marks;
        const char *call = call_seen(&library_calls, &seen, arena);
        result.zero_samples += is_short && found & MARK_ZERO ? 1 : 0;
        if (is_short && start_count(&result, found, call))
            continue;
        uint64_t before = result.call_samples;
        sample_count(&result, &calls, &seen, call);
        if (result.call_samples > before)
            use_count(uses, sample, &seen, call, false);
        if (result.call_samples > before && found & MARK_BYTES && leaf->name) {
            result.byte_samples++;
            call_count(&bytes, leaf->name, CALL_OBJECT_UNKNOWN);
        }
    }
    if (calls.count)
        qsort(calls.items, calls.count, sizeof(*calls.items), entry_compare);
    for (size_t at = 0; at < calls.count && at < KERNEL_ENTRIES_MOST; at++)
        result.entries[result.entry_count++] = calls.items[at];
    switches_look(uses, frames, &library_calls, recording, bundle, arena);
    for (size_t at = 0; at < result.entry_count && at < CALLERS_OF_MOST; at++)
        callers_find(&result.entries[at], recording, bundle, uses, arena);
    if (bytes.count)
        qsort(bytes.items, bytes.count, sizeof(*bytes.items), entry_compare);
    result.byte_work = bytes.count ? bytes.items[0].name : NULL;
    vec_done(&calls);
    vec_done(&bytes);
    vec_done(&library_calls);
    return result;
}
