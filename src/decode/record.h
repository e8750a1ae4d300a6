/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One decoded record of a perf event stream: host-endian values and bounded views into the bytes it came
 * from. Views are valid as long as those bytes.
 *
 * Source: perf_event_open(2), include/uapi/linux/perf_event.h; tools/perf's user records by their
 * documented layout (perf.data-file-format.txt).
 */
#ifndef PLUMB_DECODE_RECORD_H
#define PLUMB_DECODE_RECORD_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum record_kind {
    RECORD_UNKNOWN, /* skipped and counted */
    RECORD_MMAP,    /* MMAP and MMAP2 */
    RECORD_LOST,
    RECORD_COMM,
    RECORD_EXIT,
    RECORD_FORK,
    RECORD_THROTTLE,
    RECORD_UNTHROTTLE,
    RECORD_READ,
    RECORD_SAMPLE,
    RECORD_AUX,
    RECORD_ITRACE_START,
    RECORD_LOST_SAMPLES,
    RECORD_SWITCH, /* SWITCH and SWITCH_CPU_WIDE */
    RECORD_NAMESPACES,
    RECORD_KSYMBOL,
    RECORD_BPF_EVENT,
    RECORD_CGROUP,
    RECORD_TEXT_POKE,
    RECORD_AUX_OUTPUT_HW_ID,
    RECORD_CALLCHAIN_DEFERRED,
    /* written by tools, not by the kernel */
    RECORD_ATTR,
    RECORD_EVENT_TYPE,
    RECORD_TRACING_DATA,
    RECORD_BUILD_ID,
    RECORD_FINISHED_ROUND,
    RECORD_ID_INDEX,
    RECORD_AUXTRACE_INFO,
    RECORD_AUXTRACE,
    RECORD_AUXTRACE_ERROR,
    RECORD_THREAD_MAP,
    RECORD_CPU_MAP,
    RECORD_STAT_CONFIG,
    RECORD_STAT,
    RECORD_STAT_ROUND,
    RECORD_EVENT_UPDATE,
    RECORD_TIME_CONV,
    RECORD_HEADER_FEATURE,
    RECORD_COMPRESSED,
    RECORD_FINISHED_INIT,
    RECORD_COMPRESSED2,
    RECORD_BPF_METADATA,
    RECORD_SCHEDSTAT_CPU,
    RECORD_SCHEDSTAT_DOMAIN,
    RECORD_KIND_COUNT
};

const char *record_kind_name(enum record_kind kind);
/* The same of a type as stored, where a kind has two: "MMAP2", "SWITCH_CPU_WIDE". */
const char *record_type_name(uint32_t type);

#define RECORD_TYPES_MOST 128 /* types as stored are below it, but for unknown ones */

/* 64-bit values at any alignment and of either byte order. */
struct u64_view {
    const uint8_t *bytes;
    uint32_t count;
    bool swapped;
};
static inline uint64_t u64_view_at(const struct u64_view *view, uint32_t index)
{
    uint64_t value;
    memcpy(&value, view->bytes + (size_t)index * sizeof(value), sizeof(value));
    return view->swapped ? __builtin_bswap64(value) : value;
}

struct bytes_view {
    const uint8_t *bytes;
    uint64_t size_bytes;
};

#define BUILD_ID_BYTES_MOST 20

struct build_id {
    uint8_t size_bytes; /* 0: unknown */
    uint8_t bytes[BUILD_ID_BYTES_MOST];
};

/* From PERF_RECORD_MISC_CPUMODE_MASK. */
enum cpu_mode {
    CPU_MODE_UNKNOWN,
    CPU_MODE_KERNEL,
    CPU_MODE_USER,
    CPU_MODE_HYPERVISOR,
    CPU_MODE_GUEST_KERNEL,
    CPU_MODE_GUEST_USER
};

struct record_mmap {
    uint32_t pid, tid;
    uint64_t start, size_bytes, file_offset;
    uint32_t device_major, device_minor;
    uint64_t inode, inode_generation;
    uint32_t protection, flags; /* PROT_*, MAP_*; only when has_details */
    bool has_details;           /* MMAP2 */
    bool is_data;               /* PERF_RECORD_MISC_MMAP_DATA */
    struct build_id build_id;
    const char *path;
};

struct record_comm {
    uint32_t pid, tid;
    bool is_exec;
    const char *comm;
};

struct record_task { /* FORK and EXIT */
    uint32_t pid, parent_pid, tid, parent_tid;
    uint64_t time;
};

struct record_lost {
    uint64_t id, count; /* LOST_SAMPLES: id 0 */
};

struct record_throttle {
    uint64_t time, id, stream_id;
};

struct record_switch {
    bool out;
    bool preempted; /* out while still runnable */
    bool has_other;                /* CPU-wide: next or previous */
    uint32_t other_pid, other_tid; /* else 0 */
};

struct record_ksymbol {
    uint64_t addr;
    uint32_t size_bytes;
    uint16_t ksym_type, flags; /* flags bit 0: unregistered */
    const char *name;
};

struct record_bpf_event {
    uint16_t type, flags;
    uint32_t id;
    uint8_t tag[8];
};

struct record_namespaces {
    uint32_t pid, tid;
    struct u64_view links; /* device and inode of each, in the order of NET_NS_INDEX and so on */
};

struct record_cgroup {
    uint64_t id;
    const char *path;
};

struct record_read {
    uint32_t pid, tid;
    struct u64_view values;
};

struct record_build_id {
    uint32_t pid; /* UINT32_MAX: the host kernel and whatever has no process */
    struct build_id build_id;
    const char *path;
};

/* What a tool appended behind the record itself: trace formats, hardware trace data. */
struct record_appendix {
    uint64_t size_bytes;
};

struct record_deferred_chain {
    uint64_t cookie;
    struct u64_view callchain;
};

#define REGISTERS_MOST 64

struct sample_registers {
    uint64_t abi; /* PERF_SAMPLE_REGS_ABI_*; 0: none */
    uint64_t mask;
    struct u64_view values; /* one for each set bit, lowest first */
};
/* Register by its number (PERF_REG_X86_*, …); false when it was not sampled. */
bool sample_register(const struct sample_registers *registers, unsigned number, uint64_t *ret_value);

struct branch_entry {
    uint64_t from, to, flags; /* flags as a little-endian machine lays them out */
};

struct sample_read_value {
    uint64_t value, id, lost;
};

/* What most samples don't have: a counter's values, and whatever stands behind the chain. */
struct sample_rest {
    uint64_t transaction, phys_addr, cgroup, data_page_size, code_page_size, aux_size;
    uint64_t data_src;
    uint64_t weight; /* WEIGHT, or var1 of WEIGHT_STRUCT */
    uint16_t weight_var2, weight_var3;
    struct bytes_view raw;
    struct u64_view branches; /* count = 3 * entries: from, to, flags */
    uint64_t branch_hw_index;
    struct u64_view branch_counters; /* one for each entry, with PERF_SAMPLE_BRANCH_COUNTERS */
    struct sample_registers user_registers, interrupt_registers;
    struct bytes_view user_stack; /* the dynamic size, never the padding */
    uint64_t read_format, read_enabled_ns, read_running_ns;
    struct sample_read_value read_single; /* without PERF_FORMAT_GROUP */
    struct u64_view read_values;          /* with it: value, id, lost as read_format says */
};

struct record_sample {
    uint64_t sample_type; /* PERF_SAMPLE_*: which fields are there */
    uint64_t ip, addr, stream_id, period;
    struct u64_view callchain; /* with its PERF_CONTEXT_* marks, as recorded */
    bool has_rest;
    struct sample_rest own_rest; /* only with has_rest, else anything: ask sample_rest() */
};

extern const struct sample_rest sample_rest_none;

/* All of it 0 where the sample has none. */
static inline const struct sample_rest *sample_rest(const struct record_sample *sample)
{
    return sample->has_rest ? &sample->own_rest : &sample_rest_none;
}

/* Entry index of a sample's branch stack; newest first. */
struct branch_entry sample_branch(const struct record_sample *sample, uint32_t index);
uint32_t sample_branch_count(const struct record_sample *sample);
/* Counter index of a sample's READ part (0 is the event itself without PERF_FORMAT_GROUP); id 0: not recorded. */
struct sample_read_value sample_read_value(const struct record_sample *sample, uint32_t index);
uint32_t sample_read_count(const struct record_sample *sample);

struct record {
    enum record_kind kind;
    uint32_t type; /* as stored */
    uint16_t misc;
    enum cpu_mode cpu_mode;
    uint32_t event;       /* index of the source's event that it belongs to; 0 where nothing says */
    uint64_t file_offset; /* of the record, for messages */
    /* sample_id or the sample's own; `has` says which are known */
    struct {
        bool has_thread, has_time, has_id, has_cpu;
        uint32_t pid, tid, cpu;
        uint64_t time, id;
    } who;
    struct bytes_view payload; /* everything behind the record header */
    union {
        struct record_mmap mmap;
        struct record_comm comm;
        struct record_task task;
        struct record_lost lost;
        struct record_throttle throttle;
        struct record_switch context_switch;
        struct record_ksymbol ksymbol;
        struct record_bpf_event bpf;
        struct record_namespaces namespaces;
        struct record_cgroup cgroup;
        struct record_read read;
        struct record_build_id build_id;
        struct record_appendix appendix; /* TRACING_DATA, AUXTRACE */
        struct record_deferred_chain deferred;
        struct record_sample sample;
    };
};

#endif
