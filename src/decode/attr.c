/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/layout.h"

#include "base/vec.h"

#include <stddef.h>
#include <stdio.h>

static uint8_t bits_reversed(uint8_t value)
{
    value = (uint8_t)((value & 0xf0) >> 4 | (value & 0x0f) << 4);
    value = (uint8_t)((value & 0xcc) >> 2 | (value & 0x33) << 2);
    return (uint8_t)((value & 0xaa) >> 1 | (value & 0x55) << 1);
}

/*
 * The word of bit-fields behind read_format. A machine of the other byte order fills its bit-fields from the
 * other end, so bytes keep their place and bits change theirs; precise_ip, the one field of two bits (15, 16),
 * then has them the wrong way round.
 */
static void decode_flags(const uint8_t *bytes, bool swapped, struct perf_event_attr *attr)
{
    uint8_t flags[8];
    memcpy(flags, bytes, sizeof(flags));
    for (size_t at = 0; swapped && at < sizeof(flags); at++)
        flags[at] = bits_reversed(flags[at]);
    memcpy((char *)attr + offsetof(struct perf_event_attr, read_format) + 8, flags, sizeof(flags));
    if (swapped) {
        unsigned precise = attr->precise_ip;
        attr->precise_ip = (precise >> 1 | precise << 1) & 3;
    }
}

bool attr_decode(const uint8_t *bytes, size_t size_bytes, bool swapped, struct perf_event_attr *ret_attr,
                 uint32_t *ret_size, struct error *err)
{
    struct bytes head = bytes_of(bytes, size_bytes, swapped);
    read_u32(&head);
    uint32_t size = read_u32(&head);
    if (size == 0)
        size = PERF_ATTR_SIZE_VER0;
    if (head.failed || size < PERF_ATTR_SIZE_VER0 || size > size_bytes || size % 8)
        return error_set(err, ERROR_FORMAT, "an event attribute of %u bytes where there are %zu", size, size_bytes);

    /* What the attribute lacks reads as 0; what is beyond our own struct stays unread. */
    uint8_t ours[sizeof(struct perf_event_attr)] = {0};
    memcpy(ours, bytes, size < sizeof(ours) ? size : sizeof(ours));
    struct bytes in = bytes_of(ours, sizeof(ours), swapped);
    struct perf_event_attr attr = {0};
    attr.type = read_u32(&in);
    read_u32(&in);
    attr.size = size;
    attr.config = read_u64(&in);
    attr.sample_period = read_u64(&in);
    attr.sample_type = read_u64(&in);
    attr.read_format = read_u64(&in);
    decode_flags(bytes_take(&in, 8), swapped, &attr);
    attr.wakeup_events = read_u32(&in);
    attr.bp_type = read_u32(&in);
    attr.config1 = read_u64(&in);
    attr.config2 = read_u64(&in);
    attr.branch_sample_type = read_u64(&in);
    attr.sample_regs_user = read_u64(&in);
    attr.sample_stack_user = read_u32(&in);
    attr.clockid = (int32_t)read_u32(&in);
    attr.sample_regs_intr = read_u64(&in);
    attr.aux_watermark = read_u32(&in);
    attr.sample_max_stack = read_u16(&in);
    read_u16(&in);
    attr.aux_sample_size = read_u32(&in);
    read_u32(&in);
    attr.sig_data = read_u64(&in);
    *ret_attr = attr;
    *ret_size = size;
    return true;
}

static const char *const hardware_names[] = {
    "cycles",        "instructions", "cache-references",        "cache-misses",           "branches",
    "branch-misses", "bus-cycles",   "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};
static const char *const software_names[] = {
    "cpu-clock",    "task-clock",       "page-faults",      "context-switches", "cpu-migrations", "minor-faults",
    "major-faults", "alignment-faults", "emulation-faults", "dummy",            "bpf-output",     "cgroup-switches",
};
static const char *const cache_names[] = {"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
static const char *const cache_operations[][2] = {
    {"loads", "load-misses"}, {"stores", "store-misses"}, {"prefetches", "prefetch-misses"}};

static const char *hardware_name(const struct perf_event_attr *attr)
{
    /* Hybrid machines put the PMU's type into the upper half of config. */
    uint64_t config = attr->config & UINT32_MAX;
    if (attr->type == PERF_TYPE_HARDWARE && config < array_count(hardware_names))
        return hardware_names[config];
    if (attr->type == PERF_TYPE_SOFTWARE && attr->config < array_count(software_names))
        return software_names[attr->config];
    return NULL;
}

static void attr_base_name(const struct perf_event_attr *attr, char *name, size_t name_size)
{
    const char *known = hardware_name(attr);
    uint64_t cache = attr->config & 0xff, operation = attr->config >> 8 & 0xff, result = attr->config >> 16 & 0xff;
    if (known)
        snprintf(name, name_size, "%s", known);
    else if (attr->type == PERF_TYPE_HW_CACHE && cache < array_count(cache_names) && operation < 3 && result < 2)
        snprintf(name, name_size, "%s-%s", cache_names[cache], cache_operations[operation][result]);
    else if (attr->type == PERF_TYPE_RAW)
        snprintf(name, name_size, "raw 0x%llx", (unsigned long long)attr->config);
    else if (attr->type == PERF_TYPE_TRACEPOINT)
        snprintf(name, name_size, "tracepoint %llu", (unsigned long long)attr->config);
    else if (attr->type == PERF_TYPE_BREAKPOINT)
        snprintf(name, name_size, "mem:0x%llx", (unsigned long long)attr->bp_addr);
    else
        snprintf(name, name_size, "pmu %u config 0x%llx", attr->type, (unsigned long long)attr->config);
}

void attr_name(const struct perf_event_attr *attr, char *name, size_t name_size)
{
    attr_base_name(attr, name, name_size);
    static const char precise[] = "ppp";
    char modifiers[16];
    snprintf(modifiers, sizeof(modifiers), "%s%s%s%.*s", attr->exclude_user && !attr->exclude_kernel ? "k" : "",
             attr->exclude_kernel && !attr->exclude_user ? "u" : "", attr->exclude_host ? "G" : "",
             (int)attr->precise_ip, precise);
    size_t used = strlen(name);
    if (modifiers[0] && used < name_size)
        snprintf(name + used, name_size - used, ":%s", modifiers);
}
