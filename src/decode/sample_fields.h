/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fields that samples begin with: a word each, in an order of their own, there or not as the event's sample_type
 * says.
 */
#ifndef PLUMB_DECODE_SAMPLE_FIELDS_H
#define PLUMB_DECODE_SAMPLE_FIELDS_H

#include "base/bytes.h"

#include <linux/perf_event.h>

/* Before all fields of other sizes. */
#define SAMPLE_HEAD                                                                                                    \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |                 \
     PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)
/* What struct sample_rest holds. */
#define SAMPLE_REST (~(uint64_t)(SAMPLE_HEAD | PERF_SAMPLE_CALLCHAIN))

struct sample_fields { /* 0 where they weren't recorded */
    uint64_t ip, time, addr, id, stream_id, period;
    uint32_t pid, tid, cpu;
};

static inline uint64_t sample_field_next(const uint8_t **at, bool swapped)
{
    const uint8_t *field = *at;
    *at += 8;
    return stored_u64(field, swapped);
}

/*
 * In the order of perf_output_sample(), from 8 bytes for each bit of SAMPLE_HEAD in type. swapped: a constant, for code
 * without questions.
 */
__attribute__((always_inline)) static inline struct sample_fields sample_fields_read(const uint8_t *at, uint64_t type,
                                                                                     bool swapped)
{
    struct sample_fields fields = {0};
    if (type & PERF_SAMPLE_IDENTIFIER)
        fields.id = sample_field_next(&at, swapped);
    if (type & PERF_SAMPLE_IP)
        fields.ip = sample_field_next(&at, swapped);
    if (type & PERF_SAMPLE_TID) {
        fields.pid = stored_u32(at, swapped);
        fields.tid = stored_u32(at + 4, swapped);
        at += 8;
    }
    if (type & PERF_SAMPLE_TIME)
        fields.time = sample_field_next(&at, swapped);
    if (type & PERF_SAMPLE_ADDR)
        fields.addr = sample_field_next(&at, swapped);
    if (type & PERF_SAMPLE_ID)
        fields.id = sample_field_next(&at, swapped);
    if (type & PERF_SAMPLE_STREAM_ID)
        fields.stream_id = sample_field_next(&at, swapped);
    if (type & PERF_SAMPLE_CPU) {
        fields.cpu = stored_u32(at, swapped);
        at += 8;
    }
    if (type & PERF_SAMPLE_PERIOD)
        fields.period = stored_u64(at, swapped);
    return fields;
}

#endif
