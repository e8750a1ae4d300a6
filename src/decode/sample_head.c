/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/sample_head.h"

#include "decode/sample_fields.h"

struct sample_head sample_head_of(const struct record *record)
{
    const struct record_sample *sample = &record->sample;
    return (struct sample_head){
        .sample_type = sample->sample_type,
        .time = record->who.time,
        .ip = sample->ip,
        .addr = sample->addr,
        .period = sample->period,
        .pid = record->who.has_thread ? record->who.pid : UINT32_MAX,
        .tid = record->who.has_thread ? record->who.tid : UINT32_MAX,
        .cpu = record->who.has_cpu ? record->who.cpu : UINT32_MAX,
        .event = record->event,
        .misc = record->misc,
        .cpu_mode = record->cpu_mode,
        .callchain = sample->callchain,
    };
}

/* As record_decode() finds it: an id that nobody claims is the first event's. */
static uint32_t event_at(struct record_layouts *layouts, const uint8_t *payload)
{
    uint32_t id_at = layouts->items->sample_id_at;
    if (layouts->count == 1 || id_at == LAYOUT_NOWHERE)
        return 0;
    uint64_t id = stored_u64(payload + id_at, false);
    if (layouts->last.id != id)
        layouts->last = (struct record_layouts_id){id, record_layouts_event(layouts, id)};
    return layouts->last.event == HASHMAP_ABSENT ? 0 : layouts->last.event;
}

bool sample_head_read(struct record_layouts *layouts, const uint8_t *bytes, struct sample_head *ret_head)
{
    size_t size = stored_u16(bytes + 6, false) - sizeof(struct perf_event_header);
    const uint8_t *payload = bytes + sizeof(struct perf_event_header);
    if (!layouts->count || size < layouts->items->sample_head_bytes)
        return false;
    uint32_t event = event_at(layouts, payload);
    const struct record_layout *layout = &layouts->items[event];
    uint64_t type = layout->sample_type;
    size_t head = layout->sample_head_bytes, chain = type & PERF_SAMPLE_CALLCHAIN ? 8 : 0;
    if (!layout->is_head_alone || size < head + chain)
        return false;
    uint64_t words = chain ? stored_u64(payload + head, false) : 0;
    if (words > (size - head - chain) / 8)
        return false;
    const struct sample_fields fields = sample_fields_read(payload, type, false);
    uint16_t misc = stored_u16(bytes + 4, false);
    *ret_head = (struct sample_head){
        .sample_type = type,
        .time = fields.time,
        .ip = fields.ip,
        .addr = fields.addr,
        .period = fields.period,
        .pid = type & PERF_SAMPLE_TID ? fields.pid : UINT32_MAX,
        .tid = type & PERF_SAMPLE_TID ? fields.tid : UINT32_MAX,
        .cpu = type & PERF_SAMPLE_CPU ? fields.cpu : UINT32_MAX,
        .event = event,
        .misc = misc,
        .cpu_mode = record_cpu_modes[misc & PERF_RECORD_MISC_CPUMODE_MASK],
        .callchain = {payload + head + chain, (uint32_t)words, false},
    };
    return true;
}

bool sample_heads_suffice(const struct record_layouts *layouts)
{
    for (size_t at = 0; at < layouts->count; at++)
        if (layouts->items[at].is_head_alone)
            return true;
    return false;
}
