/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the kernel or a runtime did, by the functions of a profile.
 *
 * Whatever functions are known here, others may be of the same cause, too: their sum is the least of it, and never a
 * bound. Does not support: rows that were left out (they rule nothing out).
 */
#include "base/vec.h"
#include "finding/family.h"
#include "finding/imported/callers.h"
#include "finding/imported/evidence.h"
#include "finding/imported/global_lock.h"
#include "finding/imported/user_lock.h"
#include "finding/wording.h"

#include "analyse/profile/host_profile.h"

#include <string.h>

enum { DEPTH_WORK = -1, DEPTH_POLLS = 4, DEPTHS = 8 };

/*
 * Functions of the kernel, or of a collector, whose time is the cause's, by how they begin ("*": by what stands in
 * them). Those that do the work add up; of those that call one another (depth: the outermost is 0) the largest counts,
 * where a report gives each what it called. What packets are received in runs in soft interrupts.
 */
static const struct {
    const char *id, *name;
    int depth;
} by_function[] = {
    {"page-faults", "clear_page", DEPTH_WORK},
    {"page-faults", "clear_huge_page", DEPTH_WORK},
    {"page-faults", "clear_subpage", DEPTH_WORK},
    {"page-faults", "folio_zero", DEPTH_WORK},
    {"page-faults", "copy_user_highpage", DEPTH_WORK},
    {"page-faults", "copy_user_huge_page", DEPTH_WORK},
    {"page-faults", "copy_user_large_folio", DEPTH_WORK},
    {"page-faults", "copy_user_gigantic_page", DEPTH_WORK},
    {"page-faults", "copy_mc_user_highpage", DEPTH_WORK},
    {"page-faults", "copy_subpage", DEPTH_WORK},
    {"page-faults", "isolate_migratepages", DEPTH_WORK},
    {"page-faults", "isolate_freepages", DEPTH_WORK},
    {"page-faults", "compaction_", DEPTH_WORK},
    {"page-faults", "compact_zone", DEPTH_WORK},
    {"page-faults", "get_pfnblock_flags_mask", DEPTH_WORK},
    {"page-faults", "do_numa_page", DEPTH_WORK},
    {"page-faults", "do_huge_pmd_numa_page", DEPTH_WORK},
    {"page-faults", "task_numa_", DEPTH_WORK},
    {"page-faults", "change_prot_numa", DEPTH_WORK},
    {"page-faults", "migrate_misplaced_", DEPTH_WORK},
    {"page-faults", "migrate_pages_batch", DEPTH_WORK},
    {"page-faults", "asm_exc_page_fault", 0},
    {"page-faults", "exc_page_fault", 1},
    {"page-faults", "do_page_fault", 1},
    {"page-faults", "do_user_addr_fault", 2},
    {"page-faults", "handle_mm_fault", 3},
    {"page-faults", "__handle_mm_fault", 4},
    {"page-faults", "do_wp_page", 5},
    {"page-faults", "do_huge_pmd_wp_page", 5},
    {"page-faults", "wp_huge_pmd", 5},
    {"page-faults", "hugetlb_wp", 5},
    {"page-faults", "hugetlb_cow", 5},
    {"page-faults", "wp_page_copy", 6},
    {"garbage-collection", "runtime.scanobject", DEPTH_WORK},
    {"garbage-collection", "runtime.scanblock", DEPTH_WORK},
    {"garbage-collection", "runtime.greyobject", DEPTH_WORK},
    {"garbage-collection", "runtime.findObject", DEPTH_WORK},
    {"garbage-collection", "runtime.gcBgMarkWorker", 0},
    {"garbage-collection", "runtime.gcDrain", 1},
    {"garbage-collection", "runtime.markroot", 2},
    {"garbage-collection", "G1ParScanThreadState::", DEPTH_WORK},
    {"garbage-collection", "G1CMTask::", DEPTH_WORK},
    {"garbage-collection", "PSPromotionManager::", DEPTH_WORK},
    {"garbage-collection", "ZMark::", DEPTH_WORK},
    {"garbage-collection", "v8::internal::MarkCompactCollector::", 0},
    {"garbage-collection", "v8::internal::Scavenger", DEPTH_WORK},
    {"garbage-collection", "gc_collect_main", 0},
    {"garbage-collection", "GC_mark", DEPTH_WORK},
    {"interrupts", "asm_common_interrupt", 0},
    {"interrupts", "common_interrupt", 1},
    {"interrupts", "handle_softirqs", 2},
    {"interrupts", "__do_softirq", 2},
    {"interrupts", "net_rx_action", 3},
    {"interrupts", "__napi_poll", DEPTH_POLLS},
    {"interrupts", "napi_poll", DEPTH_POLLS},
    {"interrupts", "*_clean_rx_irq", DEPTH_POLLS + 1},
    {"interrupts", "*_clean_tx_irq", DEPTH_POLLS + 1},
    {"interrupts", "*_napi_poll", DEPTH_POLLS + 1},
    {"interrupts", "ixgbe_poll", DEPTH_POLLS + 1},
    {"interrupts", "igb_poll", DEPTH_POLLS + 1},
    {"interrupts", "bnxt_poll", DEPTH_POLLS + 1},
    {"interrupts", "bnxt_rx_pkt", DEPTH_POLLS + 1},
    {"interrupts", "ena_io_poll", DEPTH_POLLS + 1},
    {"interrupts", "virtnet_poll", DEPTH_POLLS + 1},
    {"interrupts", "virtnet_receive", DEPTH_POLLS + 1},
    {"interrupts", "mlx5e_poll_rx_cq", DEPTH_POLLS + 1},
    {"interrupts", "mlx5e_handle_rx_cqe", DEPTH_POLLS + 1},
    {"interrupts", "napi_gro_", DEPTH_POLLS + 2},
    {"interrupts", "napi_complete", DEPTH_POLLS + 2},
    {"interrupts", "dev_gro_receive", DEPTH_POLLS + 2},
    {"interrupts", "netif_receive_skb", DEPTH_POLLS + 2},
    {"interrupts", "__netif_receive_skb", DEPTH_POLLS + 2},
    {"interrupts", "ip_rcv", DEPTH_POLLS + 3},
    {"interrupts", "ipv6_rcv", DEPTH_POLLS + 3},
    {"interrupts", "ip_local_deliver", DEPTH_POLLS + 3},
    {"interrupts", "tcp_v4_rcv", DEPTH_POLLS + 3},
    {"interrupts", "tcp_v6_rcv", DEPTH_POLLS + 3},
    {"interrupts", "__udp4_lib_rcv", DEPTH_POLLS + 3},
    {"spinning", "io_sq_thread", DEPTH_WORK},
    {"spinning", "__io_sq_thread", DEPTH_WORK},
    {"spinning", "napi_busy_loop", DEPTH_WORK},
    {"kernel-locks", "native_queued_spin_lock_slowpath", DEPTH_WORK},
    {"kernel-locks", "queued_spin_lock_slowpath", DEPTH_WORK},
    {"kernel-locks", "__pv_queued_spin_lock_slowpath", DEPTH_WORK},
    {"kernel-locks", "rwsem_spin_on_owner", DEPTH_WORK},
    {"kernel-locks", "mutex_spin_on_owner", DEPTH_WORK},
    {"kernel-locks", "osq_lock", DEPTH_WORK},
    {"system-calls", "entry_SYSCALL_64", 0},
    {"system-calls", "entry_SYSCALL_compat", 0},
    {"system-calls", "el0_svc", 0},
    {"system-calls", "el0t_64_sync", 0},
    {"system-calls", "do_syscall_64", 1},
    {"system-calls", "do_el0_svc", 1},
    {"system-calls", "invoke_syscall", 1},
    {"system-calls", "x64_sys_call", 2},
    {"system-calls", "__x64_sys_", 3},
    {"system-calls", "__arm64_sys_", 3},
    {"system-calls", "ksys_", 4},
    {"system-calls", "vfs_read", 5},
    {"system-calls", "vfs_write", 5},
    {"system-calls", "new_sync_read", 6},
    {"system-calls", "new_sync_write", 6},
    {"system-calls", "ext4_file_read_iter", 6},
    {"system-calls", "ext4_file_write_iter", 6},
    {"system-calls", "xfs_file_read_iter", 6},
    {"system-calls", "xfs_file_write_iter", 6},
    {"system-calls", "btrfs_file_read_iter", 6},
    {"system-calls", "shmem_file_read_iter", 6},
    {"system-calls", "generic_file_read_iter", 6},
    {"system-calls", "pipe_read", 6},
    {"system-calls", "pipe_write", 6},
    {"system-calls", "filemap_read", 7},
    {"system-calls", "generic_file_buffered_read", 7},
    {"system-calls", "generic_perform_write", 7},
    {"system-calls", "shmem_write_begin", 7},
    {"system-calls", "shmem_write_end", 7},
    {"system-calls", "ext4_da_write_begin", 7},
    {"system-calls", "ext4_da_write_end", 7},
    {"system-calls", "iomap_file_buffered_write", 7},
    {"system-calls", "do_sys_", 4},
    {"system-calls", "__sys_", 4},
    {"system-calls", "do_filp_open", 5},
    {"system-calls", "vfs_statx", 5},
    {"system-calls", "path_openat", 6},
    {"system-calls", "filename_lookup", 6},
    {"system-calls", "path_lookupat", 7},
    {"system-calls", "sock_sendmsg", 5},
    {"system-calls", "sock_recvmsg", 5},
    {"system-calls", "sock_write_iter", 5},
    {"system-calls", "sock_read_iter", 5},
    {"system-calls", "inet_sendmsg", 6},
    {"system-calls", "inet_recvmsg", 6},
    {"system-calls", "unix_stream_sendmsg", 6},
    {"system-calls", "unix_stream_recvmsg", 6},
    {"system-calls", "tcp_sendmsg", 7},
    {"system-calls", "tcp_recvmsg", 7},
    {"system-calls", "link_path_walk", DEPTH_WORK},
    {"system-calls", "walk_component", DEPTH_WORK},
    {"system-calls", "__d_lookup", DEPTH_WORK},
    {"system-calls", "lookup_fast", DEPTH_WORK},
    {"system-calls", "step_into", DEPTH_WORK},
    {"system-calls", "getname_flags", DEPTH_WORK},
    {"system-calls", "strncpy_from_user", DEPTH_WORK},
    {"system-calls", "inode_permission", DEPTH_WORK},
    {"system-calls", "generic_permission", DEPTH_WORK},
    {"system-calls", "ep_poll", DEPTH_WORK},
    {"system-calls", "ep_send_events", DEPTH_WORK},
    {"system-calls", "fget_light", DEPTH_WORK},
    {"system-calls", "__fget_light", DEPTH_WORK},
    {"system-calls", "__fdget", DEPTH_WORK},
    {"system-calls", "fdget_pos", DEPTH_WORK},
    {"system-calls", "_copy_to_iter", DEPTH_WORK},
    {"system-calls", "_copy_from_iter", DEPTH_WORK},
    {"system-calls", "copy_page_to_iter", DEPTH_WORK},
    {"system-calls", "copy_page_from_iter", DEPTH_WORK},
    {"system-calls", "syscall_return_via_sysret", DEPTH_WORK},
    {"system-calls", "entry_SYSRETQ_unsafe_stack", DEPTH_WORK},
    {"system-calls", "syscall_exit_to_user_mode", DEPTH_WORK},
    {"system-calls", "copy_user_generic", DEPTH_WORK},
    {"system-calls", "copy_user_enhanced_fast_string", DEPTH_WORK},
    {"system-calls", "copy_user_fast_string", DEPTH_WORK},
    {"system-calls", "copy_user_short_string", DEPTH_WORK},
    {"system-calls", "copy_user_handle_tail", DEPTH_WORK},
    {"system-calls", "rep_movs_alternative", DEPTH_WORK},
    {"copying", "swiotlb_", DEPTH_WORK},
    {"system-calls", "read_hpet", DEPTH_WORK},
    {"system-calls", "acpi_pm_read", DEPTH_WORK},
    {"system-calls", "read_pmtmr", DEPTH_WORK},
    {"system-calls", "kvm_clock_get_cycles", DEPTH_WORK},
    {"system-calls", "pvclock_clocksource_read", DEPTH_WORK},
    {"system-calls", "xen_clocksource_get_cycles", DEPTH_WORK},
    {"system-calls", "read_hv_clock_", DEPTH_WORK},
    {"system-calls", "hv_read_reference_counter", DEPTH_WORK},
    {"system-calls", "ktime_get_ts64", DEPTH_WORK},
    {"system-calls", "ktime_get_real_ts64", DEPTH_WORK},
};

static bool is_of_time(const char *event)
{
    return !event[0] || strstr(event, "cycles") || strstr(event, "clock");
}

struct function_share {
    double work, callers[DEPTHS], callers_sum; /* percent; callers: the largest of each depth */
    double named, named_most;                  /* user space's, by what they are called, and the largest of them */
    double locks;                              /* of these what an allocator's locks take */
    const struct imported_row *hottest_lock;   /* of the same; NULL: none */
    const struct imported_row *hottest;        /* NULL: none */
    uint64_t rows;                             /* whose numbers these are, a bit each */
    bool has_more_rows;                        /* behind those that have bits */
};

static bool is_named(const char *name, const char *known)
{
    return known[0] == '*' ? strstr(name, known + 1) != NULL : strncmp(name, known, strlen(known)) == 0;
}

/* DEPTHS: it is no function of that cause. */
static int depth_of(const char *name, const char *id)
{
    for (size_t at = 0; at < array_count(by_function); at++)
        if (strcmp(by_function[at].id, id) == 0 && is_named(name, by_function[at].name))
            return by_function[at].depth;
    return DEPTHS;
}

/* As a sampled function, for its name alone. */
static struct stall_function function_of(const struct imported_row *row)
{
    const char *slash = strrchr(row->where, '/');
    return (struct stall_function){.name = row->name, .dso = slash ? slash + 1 : row->where};
}

/* The kernel has functions of these names, too: without a binary nobody knows whose it is. */
static bool is_anybodys(const char *name)
{
    static const char *const names[] = {"memcpy",      "memset",      "memmove",     "__memcpy",     "__memset",
                                        "__memmove",   "memcpy_erms", "memset_erms", "memmove_erms", "memcpy_orig",
                                        "memset_orig", "__pi_memcpy", "__pi_memset", "__pi_memmove"};
    for (size_t at = 0; at < array_count(names); at++)
        if (strcmp(name, names[at]) == 0)
            return true;
    return false;
}

/* Binaries in brackets are the kernel and its modules, but for what it puts into each program. */
static bool may_be_of_kernel(const struct imported_row *row)
{
    const char *where = row->where;
    bool is_bracketed = where[0] == '[' && strcmp(where, "[vdso]") != 0 && strcmp(where, "[unknown]") != 0;
    return is_bracketed || strncmp(where, "vmlinux", 7) == 0 || strstr(where, "kernel.kallsyms") ||
           (!where[0] && is_anybodys(row->name)) || depth_of(row->name, "kernel-locks") < DEPTHS;
}

/* In user space, and by its name for certain: by the table that sampled functions are told by. */
static bool is_named_for(const struct imported_row *row, const struct hypothesis *hypothesis)
{
    struct stall_function function = function_of(row);
    return hypothesis->has_function && !may_be_of_kernel(row) && hypothesis->has_function(&function);
}

/* What it receives it sent itself, in the same call: no card interrupts for that. */
static bool is_of_loopback(const struct imported_table *table, const char *id)
{
    bool sends = false;
    for (size_t row = 0; row < table->count && strcmp(id, "interrupts") == 0; row++)
        sends |= strncmp(table->rows[row].name, "loopback_xmit", sizeof("loopback_xmit") - 1) == 0;
    return sends;
}

/* depth: DEPTHS: by its name alone. */
static void share_add(struct function_share *share, const struct imported_row *row, int depth)
{
    bool is_named = depth == DEPTHS, is_caller = !is_named && depth != DEPTH_WORK;
    if (is_named) {
        share->named += row->number;
        share->named_most = row->number > share->named_most ? row->number : share->named_most;
    }
    share->work += is_named || is_caller ? 0 : row->number;
    share->callers_sum += is_caller ? row->number : 0;
    if (is_caller && row->number > share->callers[depth])
        share->callers[depth] = row->number;
    bool is_first = !share->hottest || share->hottest == share->hottest_lock;
    share->hottest = is_first || row->number > share->hottest->number ? row : share->hottest;
}

/* What threads of the kernel's own do isn't what a program asks of it; what they do for cards is. */
static bool is_of_kernels_own(const struct imported_row *row, const char *id)
{
    return strcmp(row->where, "[kernel thread]") == 0 && strcmp(id, "interrupts") != 0; /* as source/import has it */
}

/* What its own chain tells, or that of another such lock of the C library's. */
static bool is_allocators_lock(const struct imported_table *table, const struct imported_row *row)
{
    if (row->callers && row->callers[0])
        return imported_is_allocators_lock(row);
    bool is_any = false;
    for (size_t at = 0; at < table->count && imported_is_librarys_lock(row->name); at++)
        is_any |= imported_is_allocators_lock(&table->rows[at]);
    return is_any;
}

/* Malloc's and free's, whoever's they would be by their own names. */
static void lock_add(struct function_share *share, const struct imported_row *row)
{
    share->named += row->number;
    share->locks += row->number;
    share->hottest_lock = !share->hottest_lock || row->number > share->hottest_lock->number ? row : share->hottest_lock;
    share->hottest = share->hottest ? share->hottest : row;
}

static void row_note(struct function_share *share, size_t row)
{
    bool has_bit = row < 8 * sizeof(share->rows);
    share->rows |= has_bit ? (uint64_t)1 << row : 0;
    share->has_more_rows |= !has_bit;
}

/* To take or let go of the lock under which an interpreter's threads run is no work for the script. */
static bool is_no_work(const struct imported_row *row, const char *id)
{
    return strcmp(id, "interpreter") == 0 && imported_global_lock(row->name);
}

/* A profile of a host has other programs in its kernel. */
static bool function_share_of(const struct imported_table *table, const struct hypothesis *hypothesis,
                              struct function_share *ret)
{
    const char *id = hypothesis->id;
    *ret = (struct function_share){.hottest = NULL};
    if (table->kind != IMPORTED_REPORT || !is_of_time(table->event))
        return false;
    int depths = is_of_loopback(table, id) ? DEPTH_POLLS : DEPTHS;
    for (size_t row = 0; row < table->count; row++) {
        const struct imported_row *here = &table->rows[row];
        int depth = depth_of(here->name, id);
        if (host_symbol_find(here->name))
            return false;
        if (is_allocators_lock(table, here)) {
            if (hypothesis == &hypothesis_allocation) {
                lock_add(ret, here);
                row_note(ret, row);
            }
            continue;
        }
        bool is_named = depth == DEPTHS && is_named_for(here, hypothesis) && !is_no_work(here, id);
        if ((depth < depths || is_named) && !is_of_kernels_own(here, id)) {
            share_add(ret, here, is_named ? DEPTHS : depth);
            row_note(ret, row);
        }
    }
    return ret->hottest;
}

/* ---- of its own, or with what it called ---- */

enum counting { COUNTING_UNKNOWN, COUNTING_OWN, COUNTING_WITH_CALLED };

static bool is_headed(const struct imported_table *table, const char *word)
{
    return strcasestr(table->heading, word) != NULL;
}

/* By perf's own heading: with what they called in, that has two columns (source/import/tools/import_children). */
static bool is_of_own(const struct imported_table *table)
{
    return table->event[0] && !is_headed(table, "--children");
}

static double sum_of_rows(const struct imported_table *table)
{
    double sum = 0;
    for (size_t row = 0; row < table->count; row++)
        sum += table->rows[row].number;
    return sum;
}

/*
 * Who calls has no less than what it calls, where that is counted in; nearly as much of the next then goes on to it. By
 * its words, or by the functions of that cause.
 */
static enum counting counting_of(const struct imported_table *table, const struct function_share *share)
{
    static const double ALL = 101, NEARLY = 0.8, FAR_MORE = 2; /* ALL: percent, rounded up row by row */
    double outer = 0, entry = share->callers[0];
    bool rises = false, hands_on = false;
    for (int depth = 0; depth < DEPTHS; depth++) {
        double here = share->callers[depth];
        rises |= outer > 0 && here > outer;
        hands_on |= outer > 0 && here >= NEARLY * outer;
        outer = here > 0 ? here : outer;
    }
    if (is_headed(table, "--children") || sum_of_rows(table) > ALL)
        return COUNTING_WITH_CALLED;
    bool is_beyond = entry > 0 && share->work > FAR_MORE * entry; /* what it leads to has more than it */
    if (is_headed(table, "no-children") || is_headed(table, " self") || rises || is_beyond)
        return COUNTING_OWN;
    return hands_on ? COUNTING_WITH_CALLED : COUNTING_UNKNOWN;
}

static double largest_caller(const struct function_share *share)
{
    double largest = 0;
    for (int depth = 0; depth < DEPTHS; depth++)
        largest = share->callers[depth] > largest ? share->callers[depth] : largest;
    return largest;
}

struct known_part {
    double share; /* 0..1 */
    double locks; /* of it what an allocator's locks take, and the hottest of them */
    const struct imported_row *hottest_lock;
    uint64_t own_rows; /* it is the sum of what these take by themselves, a bit each; 0: it isn't */
    bool is_all;  /* no less than all of it, by who calls the rest: else there may be more */
    const struct imported_row *hottest;
};

/* What calls into the kernel lead to may be another cause's: its locks. */
static double of_others(const struct imported_table *table, const char *id)
{
    struct function_share locks;
    bool is_asked = strcmp(id, "system-calls") == 0;
    return is_asked && function_share_of(table, &hypothesis_kernel_locks, &locks) ? locks.work : 0;
}

/* An interpreter calls all that its script does: with that counted in, no share is its own. */
static double named_part(const struct function_share *share, const char *id, enum counting counting)
{
    return counting != COUNTING_WITH_CALLED ? share->named : strcmp(id, "interpreter") == 0 ? 0 : share->named_most;
}

static struct known_part part_of(const struct imported_table *table, const struct hypothesis *hypothesis)
{
    struct function_share found;
    const char *id = hypothesis->id;
    if (!function_share_of(table, hypothesis, &found))
        return (struct known_part){0};
    enum counting counting = counting_of(table, &found);
    found.work += named_part(&found, id, counting);
    bool is_own = counting != COUNTING_WITH_CALLED && is_of_own(table);
    struct known_part part = {.share = found.work / 100,
                              .locks = counting == COUNTING_WITH_CALLED ? 0 : found.locks / 100,
                              .hottest_lock = found.hottest_lock,
                              .hottest = found.hottest,
                              .own_rows = is_own && !found.has_more_rows ? found.rows : 0};
    double caller = largest_caller(&found) - (counting == COUNTING_WITH_CALLED ? of_others(table, id) : 0);
    if (counting == COUNTING_OWN) {
        part.share += found.callers_sum / 100;
    } else if (caller > found.work) {
        part.share = caller / 100;
        part.is_all = counting == COUNTING_WITH_CALLED;
        part.own_rows = 0;
    }
    return part;
}

/* ---- what it says ---- */

/* Its shares are of the kernel's samples alone: by its words, or since the system told of far less time in there. */
static bool is_of_kernel_alone(const struct imported *imported, const struct imported_table *table, double share)
{
    static const char *const words[] = {"kernel only",    "only the kernel",         "kernel alone", "--dso",
                                        "kernel samples", "of the kernel's samples", "relative"};
    static const double FAR_LESS = 0.5;
    bool is_kernels = table->count > 0, is_said = false;
    for (size_t row = 0; row < table->count; row++)
        is_kernels &= strstr(table->rows[row].where, "kernel") != NULL;
    for (size_t at = 0; at < array_count(words); at++)
        is_said |= strcasestr(table->heading, words[at]) != NULL;
    struct measured system = imported_number(imported, IMPORTED_SYSTEM, "%sys", NULL);
    return is_kernels && (is_said || (system.known && system.value / 100 < FAR_LESS * share));
}

static void leave_to_kernel(struct finding *finding, const char *function, double share, const char *file)
{
    struct value values[] = {VALUE_TEXT("function", function), VALUE_SHARE("share", interval_exactly(share)),
                             VALUE_TEXT("file", file), VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding->verdict = VERDICT_UNDECIDED;
    finding->recoverable = (struct interval){0};
    finding->is_estimate = false;
    finding_evidence_add(finding, WEIGHT_CONTEXT, ORIGIN_STATEMENT, "imported-of-kernel", values, array_count(values));
    finding_set_add(finding, &finding->reason, "imported-of-kernel", values, array_count(values));
}

/* "read" of "ksys_read", "vfs_read.part.0", "__x64_sys_pread64"; NULL: the row names no call. Owner: arena. */
static const char *call_of(const char *name, struct arena *arena)
{
    static const char *const before[] = {"__x64_sys_", "__arm64_sys_", "ksys_", "vfs_"};
    for (size_t at = 0; at < array_count(before); at++) {
        size_t length = strlen(before[at]);
        if (strncmp(name, before[at], length) == 0)
            return arena_string_n(arena, name + length, strcspn(name + length, "."));
    }
    return NULL;
}

/* By a table of calls, else by the hottest function that names one; else how to learn which it is. */
static void calls_advise(const struct results *results, struct finding *finding, const struct imported_table *table,
                         const struct imported_row *hottest)
{
    double most = 0;
    const char *call = NULL, *name;
    if (!finding_is(finding, "system-calls") || imported_calls_advise(results, finding, NULL) ||
        (imported_reads_slow_clock(hottest->name) && imported_calls_advise(results, finding, "clock_gettime")))
        return;
    for (size_t row = 0; row < table->count; row++)
        if (table->rows[row].number > most && (name = call_of(table->rows[row].name, finding->arena))) {
            most = table->rows[row].number;
            call = name;
        }
    if (!call || !imported_calls_advise(results, finding, call))
        finding_advise(finding, "imported-kernel-advice", NO_VALUES);
}

/* What most of these calls are for, where they read a clock that no program reads by itself. */
static void clock_source_say(struct finding *finding, const char *function, double share, const char *file)
{
    if (!finding_is(finding, "system-calls") || !imported_reads_slow_clock(function) ||
        finding->verdict != VERDICT_SUPPORTED)
        return;
    finding_set(finding, headline, "imported-clock-source",
                VALUE_TEXT("clock", strcmp(function, "read_hpet") == 0 ? "hpet" : "acpi_pm"),
                VALUE_TEXT("title", finding->hypothesis->title), VALUE_TEXT("function", function),
                VALUE_SHARE("share", interval_exactly(share)), VALUE_TEXT("file", file),
                VALUE_TEXT("origin", IMPORTED_WORDS));
}

/* As the hottest of the functions that are the cause by their names asks for it. */
static void names_advise(struct finding *finding, const struct imported_row *hottest)
{
    const struct hypothesis *hypothesis = finding->hypothesis;
    struct stall_function function = function_of(hottest);
    if (is_named_for(hottest, hypothesis))
        finding_advise(finding, hypothesis->advice_for ? hypothesis->advice_for(&function) : "advice",
                       VALUE_TEXT("function", function.name), VALUE_TEXT("dso", function.dso));
}

/* Faults that no new memory makes: fewer of that, and more huge pages, are no remedy for them. */
struct faults_kind {
    const char *advice, *confirm, *headline; /* keys of the wording; headline NULL: as any */
};

static const struct faults_kind compaction = {"imported-advice-compaction", "imported-confirm-compaction", NULL},
                                balancing = {"imported-advice-balancing", "imported-confirm-balancing", NULL},
                                copying = {"imported-advice-forked", "imported-confirm-forked",
                                           "imported-forked-headline"},
                                clearing = {"imported-advice-forked-huge", "imported-confirm-forked-huge", NULL},
                                copying_huge = {"imported-advice-forked-huge", "imported-confirm-forked-huge",
                                                "imported-forked-huge-headline"};

/* Huge pages are among those that are copied at a first write, or taken apart for it. */
static bool are_huge_copied(const struct imported_table *table)
{
    static const char *const names[] = {"do_huge_pmd_wp_page", "wp_huge_pmd", "copy_user_huge_page",
                                        "copy_user_large_folio"};
    bool are_huge = false;
    for (size_t row = 0; row < table->count; row++)
        for (size_t at = 0; at < array_count(names); at++)
            are_huge |= strncmp(table->rows[row].name, names[at], strlen(names[at])) == 0;
    return are_huge;
}

/* By the hottest function, and the copies beside it; NULL: they are as any. */
static const struct faults_kind *faults_kind_of(const struct finding *finding, const struct imported_table *table,
                                                const char *hottest)
{
    static const struct {
        const char *name;
        const struct faults_kind *kind;
    } names[] = {
        {"isolate_", &compaction},          {"compaction_", &compaction},     {"compact_zone", &compaction},
        {"get_pfnblock_", &compaction},     {"do_numa_page", &balancing},     {"do_huge_pmd_numa_page", &balancing},
        {"task_numa_", &balancing},         {"change_prot_numa", &balancing}, {"migrate_pages_", &balancing},
        {"migrate_misplaced_", &balancing}, {"copy_user_", &copying},         {"copy_mc_user_", &copying},
        {"copy_subpage", &copying},         {"do_wp_page", &copying},         {"wp_page_copy", &copying},
        {"do_huge_pmd_wp_page", &copying},  {"wp_huge_pmd", &copying},        {"hugetlb_wp", &copying},
        {"hugetlb_cow", &copying}};
    bool is_asked = finding_is(finding, "page-faults"), are_huge = is_asked && are_huge_copied(table);
    for (size_t at = 0; is_asked && at < array_count(names); at++)
        if (is_named(hottest, names[at].name))
            return names[at].kind == &copying && are_huge ? &copying_huge : names[at].kind;
    return are_huge ? &clearing : NULL; /* what is cleared may be for these copies */
}

static void faults_say(struct finding *finding, const struct faults_kind *kind, const struct known_part *part,
                       const char *file)
{
    finding_set(finding, confirm, kind->confirm, NO_VALUES);
    if (kind->headline)
        finding_set(finding, headline, kind->headline, VALUE_TEXT("function", part->hottest->name),
                    VALUE_SHARE("share", interval_exactly(part->share)), VALUE_TEXT("file", file),
                    VALUE_TEXT("origin", IMPORTED_WORDS));
}

/* The table that says most of it; NULL: rows that were left out may hold more, so that none ever rules it out. */
static const struct imported_table *strongest_find(const struct results *results, const struct hypothesis *hypothesis,
                                                   struct known_part *ret)
{
    const struct imported_table *found = NULL;
    for (size_t at = 0; at < results->imported->count; at++) {
        struct known_part part = part_of(&results->imported->tables[at], hypothesis);
        if (part.share < results->effect || part.share > 1 || (found && part.share <= ret->share))
            continue;
        found = &results->imported->tables[at];
        *ret = part;
    }
    return found;
}

/* Malloc's and free's own locks are the larger part of what they take, or as much as is asked about. */
static void arenas_say(struct finding *finding, const struct known_part *part, double effect, const char *file)
{
    if (finding->verdict != VERDICT_SUPPORTED || part->locks < effect)
        return;
    struct value values[] = {VALUE_SHARE("share", interval_exactly(part->share)),
                             VALUE_SHARE("locks", interval_exactly(part->locks)),
                             VALUE_TEXT("title", finding->hypothesis->title),
                             VALUE_TEXT("function", part->hottest_lock->name),
                             VALUE_TEXT("file", file),
                             VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding_set_add(finding, &finding->headline, "imported-arenas-headline", values, array_count(values));
    finding_evidence_add(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-arenas", values, array_count(values));
    finding_readvise(finding, "imported-advice-arenas", NO_VALUES);
    finding_set(finding, confirm, "imported-confirm-arenas", NO_VALUES);
}

/* "in dput, for the system call openat, called by scan"; "": its chain tells nothing. */
static const char *called_words(const struct imported_row *row, const char *in, struct arena *arena)
{
    const struct {
        const char *before, *name;
    } parts[] = {{"in ", in},
                 {"for the system call ", imported_called_for(row, arena)},
                 {"called by ", imported_called_by(row, arena)}};
    const char *words = "";
    for (size_t at = 0; at < array_count(parts); at++)
        if (parts[at].name)
            words = arena_printf(arena, "%s%s%s%s", words, words[0] ? ", " : "", parts[at].before, parts[at].name);
    return words;
}

/* Another table says for what the kernel spins: for its lists of threads that wait at a lock of the program's own. */
static void futex_say(const struct results *results, struct finding *finding, const char *file)
{
    const char *spinner = imported_futex_spinner(results, finding->arena);
    if (!spinner || finding->verdict != VERDICT_SUPPORTED)
        return;
    struct value function = VALUE_TEXT("function", spinner);
    finding_evidence(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-futex", function, VALUE_TEXT("file", file),
                     VALUE_TEXT("origin", IMPORTED_WORDS));
    finding_set(finding, headline, "imported-futex-headline", VALUE_TEXT("headline", finding->headline), function);
    finding_readvise(finding, "advice-futex", NO_VALUES);
}

/* Who calls the hottest function, and what the lock is of that it spins for. */
static void callers_say(const struct results *results, struct finding *finding, const struct imported_row *hottest,
                        const char *file)
{
    struct kernel_lock lock = {.of = NULL};
    if (hottest->callers && finding_is(finding, "kernel-locks"))
        lock = imported_kernel_lock_of(hottest, finding->arena);
    if (finding_is(finding, "kernel-locks") && !lock.of)
        futex_say(results, finding, file);
    const char *called = called_words(hottest, lock.caller, finding->arena);
    if (!called[0] || finding->verdict != VERDICT_SUPPORTED)
        return;
    struct value values[] = {
        VALUE_TEXT("headline", finding->headline),
        VALUE_TEXT("function", hottest->name),
        VALUE_TEXT("called", called),
        VALUE_TEXT("lock", lock.of ? arena_printf(finding->arena, ": the lock is of %s", lock.of) : ""),
        VALUE_TEXT("file", file),
        VALUE_TEXT("origin", IMPORTED_WORDS)};
    finding_evidence_add(finding, WEIGHT_FOR, ORIGIN_STATEMENT, "imported-called", values, array_count(values));
    finding_set_add(finding, &finding->headline, "imported-called-headline", values, array_count(values));
    if (lock.of)
        finding_readvise(finding, lock.advice, NO_VALUES);
}

/* What a loop that polls holds is no load: it takes its CPU whole. */
static void polling_say(struct finding *finding, const struct known_part *part, const char *file)
{
    struct stall_function function = function_of(part->hottest);
    if (!finding_is(finding, "spinning") || finding->verdict != VERDICT_SUPPORTED || !function_polls(&function))
        return;
    finding_set(finding, headline, arena_printf(finding->arena, "imported-%s", polling_headline(&function)),
                VALUE_TEXT("function", part->hottest->name), VALUE_SHARE("share", interval_exactly(part->share)),
                VALUE_TEXT("file", file), VALUE_TEXT("origin", IMPORTED_WORDS));
    finding_readvise(finding, polling_advice(&function), NO_VALUES);
    finding_set(finding, confirm, polling_confirm(&function), NO_VALUES);
}

/* What devices can't reach is copied: all memory of a confidential guest's. */
static void bounce_advise(struct finding *finding, const struct imported_row *hottest)
{
    if (finding_is(finding, "copying") && strncmp(hottest->name, "swiotlb_", 8) == 0)
        finding_advise(finding, "imported-advice-bounce", NO_VALUES);
}

bool imported_report_test(const struct results *results, struct finding *finding)
{
    struct known_part part = {.hottest = NULL};
    const struct imported_table *table = strongest_find(results, finding->hypothesis, &part);
    if (!table)
        return false;
    if (is_of_kernel_alone(results->imported, table, part.share)) {
        leave_to_kernel(finding, part.hottest->name, part.share, table->file);
        return true;
    }
    finding_decide_fact(finding, interval_exactly(part.share), results->effect);
    finding->is_at_least = !part.is_all;
    finding->is_own_doing = true;
    finding->imported_kinds |= 1u << ORIGIN_SAMPLES;
    imported_say(finding,
                 arena_printf(finding->arena, "the share of samples in functions for it, %s first%s,",
                              part.hottest->name, part.is_all ? "" : " (at least: others may be for it, too)"),
                 interval_exactly(part.share), table->file);
    clock_source_say(finding, part.hottest->name, part.share, table->file);
    calls_advise(results, finding, table, part.hottest);
    names_advise(finding, part.hottest);
    bounce_advise(finding, part.hottest);
    callers_say(results, finding, part.hottest, table->file);
    const struct faults_kind *kind = faults_kind_of(finding, table, part.hottest->name);
    if (kind)
        finding_advise(finding, kind->advice, NO_VALUES);
    imported_advise_all(finding);
    if (kind && finding->verdict == VERDICT_SUPPORTED)
        faults_say(finding, kind, &part, table->file);
    arenas_say(finding, &part, results->effect, table->file);
    polling_say(finding, &part, table->file);
    finding->of_table = table;
    finding->own_rows = part.own_rows;
    return true;
}
