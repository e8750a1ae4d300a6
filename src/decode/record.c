/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/record.h"

#include "base/vec.h"

#include <linux/perf_event.h>

static const char *const kind_names[] = {
    [RECORD_UNKNOWN] = "UNKNOWN",
    [RECORD_MMAP] = "MMAP",
    [RECORD_LOST] = "LOST",
    [RECORD_COMM] = "COMM",
    [RECORD_EXIT] = "EXIT",
    [RECORD_FORK] = "FORK",
    [RECORD_THROTTLE] = "THROTTLE",
    [RECORD_UNTHROTTLE] = "UNTHROTTLE",
    [RECORD_READ] = "READ",
    [RECORD_SAMPLE] = "SAMPLE",
    [RECORD_AUX] = "AUX",
    [RECORD_ITRACE_START] = "ITRACE_START",
    [RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
    [RECORD_SWITCH] = "SWITCH",
    [RECORD_NAMESPACES] = "NAMESPACES",
    [RECORD_KSYMBOL] = "KSYMBOL",
    [RECORD_BPF_EVENT] = "BPF_EVENT",
    [RECORD_CGROUP] = "CGROUP",
    [RECORD_TEXT_POKE] = "TEXT_POKE",
    [RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
    [RECORD_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED",
    [RECORD_ATTR] = "ATTR",
    [RECORD_EVENT_TYPE] = "EVENT_TYPE",
    [RECORD_TRACING_DATA] = "TRACING_DATA",
    [RECORD_BUILD_ID] = "BUILD_ID",
    [RECORD_FINISHED_ROUND] = "FINISHED_ROUND",
    [RECORD_ID_INDEX] = "ID_INDEX",
    [RECORD_AUXTRACE_INFO] = "AUXTRACE_INFO",
    [RECORD_AUXTRACE] = "AUXTRACE",
    [RECORD_AUXTRACE_ERROR] = "AUXTRACE_ERROR",
    [RECORD_THREAD_MAP] = "THREAD_MAP",
    [RECORD_CPU_MAP] = "CPU_MAP",
    [RECORD_STAT_CONFIG] = "STAT_CONFIG",
    [RECORD_STAT] = "STAT",
    [RECORD_STAT_ROUND] = "STAT_ROUND",
    [RECORD_EVENT_UPDATE] = "EVENT_UPDATE",
    [RECORD_TIME_CONV] = "TIME_CONV",
    [RECORD_HEADER_FEATURE] = "FEATURE",
    [RECORD_COMPRESSED] = "COMPRESSED",
    [RECORD_FINISHED_INIT] = "FINISHED_INIT",
    [RECORD_COMPRESSED2] = "COMPRESSED2",
    [RECORD_BPF_METADATA] = "BPF_METADATA",
    [RECORD_SCHEDSTAT_CPU] = "SCHEDSTAT_CPU",
    [RECORD_SCHEDSTAT_DOMAIN] = "SCHEDSTAT_DOMAIN",
};
_Static_assert(array_count(kind_names) == RECORD_KIND_COUNT, "a name for every kind");

const char *record_kind_name(enum record_kind kind)
{
    return kind_names[kind];
}

const struct sample_rest sample_rest_none;

bool sample_register(const struct sample_registers *registers, unsigned number, uint64_t *ret_value)
{
    if (!registers->abi || number >= REGISTERS_MOST || !(registers->mask >> number & 1))
        return false;
    uint64_t below = registers->mask & ((UINT64_C(1) << number) - 1);
    *ret_value = u64_view_at(&registers->values, (uint32_t)__builtin_popcountll(below));
    return true;
}

static uint64_t bits(uint64_t value, unsigned first, unsigned count)
{
    return value >> first & ((UINT64_C(1) << count) - 1);
}

/* A big-endian machine lays the bit-fields of perf_branch_entry out from the top. */
static uint64_t branch_flags_from_top(uint64_t flags)
{
    static const uint8_t widths[] = {1, 1, 1, 1, 16, 4, 2, 4, 3}; /* mispred … priv, as in uapi */
    uint64_t turned = 0;
    unsigned first = 0;
    for (size_t at = 0; at < array_count(widths); at++) {
        turned |= bits(flags, 64 - first - widths[at], widths[at]) << first;
        first += widths[at];
    }
    return turned;
}

struct branch_entry sample_branch(const struct record_sample *sample, uint32_t index)
{
    uint64_t flags = u64_view_at(&sample_rest(sample)->branches, 3 * index + 2);
    return (struct branch_entry){
        .from = u64_view_at(&sample_rest(sample)->branches, 3 * index),
        .to = u64_view_at(&sample_rest(sample)->branches, 3 * index + 1),
        .flags = sample_rest(sample)->branches.swapped ? branch_flags_from_top(flags) : flags,
    };
}

uint32_t sample_branch_count(const struct record_sample *sample)
{
    return sample_rest(sample)->branches.count / 3;
}

static uint32_t read_value_words(uint64_t read_format)
{
    return 1 + !!(read_format & PERF_FORMAT_ID) + !!(read_format & (1u << 4));
}

uint32_t sample_read_count(const struct record_sample *sample)
{
    if (!(sample->sample_type & PERF_SAMPLE_READ))
        return 0;
    if (!(sample_rest(sample)->read_format & PERF_FORMAT_GROUP))
        return 1;
    return sample_rest(sample)->read_values.count / read_value_words(sample_rest(sample)->read_format);
}

struct sample_read_value sample_read_value(const struct record_sample *sample, uint32_t index)
{
    if (!(sample_rest(sample)->read_format & PERF_FORMAT_GROUP))
        return sample_rest(sample)->read_single;
    uint32_t at = index * read_value_words(sample_rest(sample)->read_format);
    struct sample_read_value value = {.value = u64_view_at(&sample_rest(sample)->read_values, at++)};
    if (sample_rest(sample)->read_format & PERF_FORMAT_ID)
        value.id = u64_view_at(&sample_rest(sample)->read_values, at++);
    if (sample_rest(sample)->read_format & (1u << 4))
        value.lost = u64_view_at(&sample_rest(sample)->read_values, at);
    return value;
}
