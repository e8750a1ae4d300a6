/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An event's attribute and, behind it, one record: every field of it is looked at. First byte: odd is swapped. */
#include "decode/layout.h"

#include <stdint.h>

static uint64_t look_at(const struct u64_view *view)
{
    uint64_t sum = 0;
    for (uint32_t at = 0; at < view->count; at++)
        sum += u64_view_at(view, at);
    return sum;
}

static uint64_t look_at_bytes(struct bytes_view view)
{
    uint64_t sum = 0;
    for (uint64_t at = 0; at < view.size_bytes; at++)
        sum += view.bytes[at];
    return sum;
}

static uint64_t look_at_sample(const struct record_sample *sample)
{
    const struct sample_rest *rest = sample_rest(sample);
    uint64_t sum = look_at(&sample->callchain) + look_at(&rest->branch_counters) + look_at_bytes(rest->raw) + look_at_bytes(rest->user_stack) +
                   look_at(&rest->user_registers.values);
    for (uint32_t at = 0; at < sample_branch_count(sample); at++)
        sum += sample_branch(sample, at).from;
    for (uint32_t at = 0; at < sample_read_count(sample); at++)
        sum += sample_read_value(sample, at).value;
    for (unsigned number = 0; number < REGISTERS_MOST; number++) {
        uint64_t value = 0;
        sum += sample_register(&rest->interrupt_registers, number, &value) ? value : 0;
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    struct perf_event_attr attr;
    uint32_t attr_size;
    struct error err;
    if (size_bytes < 1 || !attr_decode(bytes + 1, size_bytes - 1, bytes[0] & 1, &attr, &attr_size, &err))
        return 0;
    char name[64];
    attr_name(&attr, name, sizeof(name));
    struct record_layouts layouts = {0};
    record_layouts_add(&layouts, &attr);
    struct record record;
    const uint8_t *at = bytes + 1 + attr_size;
    size_t left = size_bytes - 1 - attr_size;
    volatile uint64_t sum = 0;
    if (record_decode(&layouts, at, left, bytes[0] & 1, &record, &err)) {
        if (record.kind == RECORD_SAMPLE)
            sum += look_at_sample(&record.sample);
        if (record.kind == RECORD_MMAP)
            sum += strlen(record.mmap.path);
        if (record.kind == RECORD_READ)
            sum += look_at(&record.read.values);
        uint64_t time;
        record_peek_time(&layouts, record.type, record.payload.bytes, record.payload.size_bytes, bytes[0] & 1, &time);
    }
    (void)sum;
    record_layouts_done(&layouts);
    return 0;
}
