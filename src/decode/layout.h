/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an event's perf_event_attr says about the bytes of its records, and which event a record belongs to.
 *
 * Source: perf_event_open(2), perf_output_sample() in kernel/events/core.c for the order of the fields.
 */
#ifndef PLUMB_DECODE_LAYOUT_H
#define PLUMB_DECODE_LAYOUT_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/hashmap.h"
#include "decode/record.h"

#include <linux/perf_event.h>

#define LAYOUT_NOWHERE UINT32_MAX

/* Newer than the headers we are built with. */
#define SAMPLE_BRANCH_COUNTERS    (1u << 19) /* branch_sample_type */
#define CONTEXT_USER_DEFERRED     ((uint64_t)-640)
#define READ_FORMAT_LOST          (1u << 4)

struct record_layout {
    uint64_t sample_type, read_format, branch_sample_type, user_registers, interrupt_registers;
    bool sample_id_all;
    bool is_head_alone; /* samples have nothing but words, and a chain */
    uint32_t sample_head_bytes; /* of the fields up to the period, which are words all */
    /* Where a sample's payload has its time and id, in bytes from its start. */
    uint32_t sample_time_at, sample_id_at;
    /* The trailer of other records: its size, and time and id in bytes from its start. */
    uint32_t trailer_bytes, trailer_time_at, trailer_id_at;
};

struct record_layout record_layout_of(const struct perf_event_attr *attr);

struct record_layouts_id {
    uint64_t id;
    uint32_t event; /* HASHMAP_ABSENT: a free slot */
};

struct record_layouts {
    struct record_layout *items;
    size_t count, capacity;
    struct record_layouts_id *ids; /* open addressing; asked for every record */
    size_t id_count, id_capacity;
    struct record_layouts_id last; /* the one asked for last: a CPU's samples stand together */
    bool times_differ; /* events differ in where their records have the time */
};

void record_layouts_add(struct record_layouts *layouts, const struct perf_event_attr *attr);
void record_layouts_add_id(struct record_layouts *layouts, uint64_t id, uint32_t event);
void record_layouts_done(struct record_layouts *layouts);
/* By PERF_RECORD_MISC_CPUMODE_MASK. */
extern const enum cpu_mode record_cpu_modes[8];
/* The event of a counter's id, or HASHMAP_ABSENT. */
uint32_t record_layouts_event(const struct record_layouts *layouts, uint64_t id);

/* record_peek_time() of whatever isn't a sample of events that have their times in one place. */
bool record_search_time(const struct record_layouts *layouts, uint32_t type, const uint8_t *payload,
                        size_t size_bytes, bool swapped, uint64_t *ret_time);
/*
 * The time of a record of type `type` with that payload; false when it has none. Cheap: what ordering needs.
 */
static inline bool record_peek_time(const struct record_layouts *layouts, uint32_t type, const uint8_t *payload,
                                    size_t size_bytes, bool swapped, uint64_t *ret_time)
{
    if (type != PERF_RECORD_SAMPLE || layouts->times_differ || !layouts->count)
        return record_search_time(layouts, type, payload, size_bytes, swapped, ret_time);
    size_t time_at = layouts->items->sample_time_at; /* LAYOUT_NOWHERE lies behind every payload */
    if (time_at + sizeof(*ret_time) > size_bytes)
        return false;
    *ret_time = stored_u64(payload + time_at, swapped);
    return true;
}

/*
 * Decode one record: bytes is its perf_event_header and everything it counts as its size.
 * Errors: ERROR_FORMAT when a field lies outside the record.
 */
MUST_CHECK bool record_decode(const struct record_layouts *layouts, const uint8_t *bytes, size_t size_bytes,
                              bool swapped, struct record *ret_record, struct error *err);

/*
 * A perf_event_attr of any age: fields that its size leaves out are 0, those we don't know are dropped.
 * ret_size is what the attr itself says (its `size`, or that of the first version).
 * Errors: ERROR_FORMAT when it doesn't fit in the bytes.
 */
MUST_CHECK bool attr_decode(const uint8_t *bytes, size_t size_bytes, bool swapped, struct perf_event_attr *ret_attr,
                            uint32_t *ret_size, struct error *err);

/* What to call an event that nothing names: "cycles", "L1-dcache-load-misses", "r1c2"; written to name. */
void attr_name(const struct perf_event_attr *attr, char *name, size_t name_size);

#endif
