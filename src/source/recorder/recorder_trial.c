/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The trial of CALLCHAIN_AUTO: frame pointers at first; when too few stacks reach their thread's root, stack dumps.
 *
 * What comes meanwhile stands in the file as frame-pointer samples, so that it outlives us, and is held in memory as
 * well: it is written again in the form that was chosen, samples of dumping twins having a dump of no bytes.
 */
#include "source/recorder/recorder_internal.h"

#include "base/vec.h"

/* Enough chains over enough time, or as many as came in a second, if these are any to judge by. */
#define TRIAL_NS_LEAST 250000000u
#define TRIAL_NS_MOST  1000000000u
#define DUMP_BYTES_PER_SECOND_MOST 256e6

enum {
    TRIAL_STACKS = 100,
    TRIAL_HELD_BYTES_MOST = 32 << 20
};

bool recorder_trial_wanted(const struct recorder *recorder)
{
    for (size_t at = 0; at < recorder->request.event_count; at++)
        if (recorder->request.events[at].callchain == CALLCHAIN_AUTO)
            return true;
    return false;
}

/* What stands behind a stack dump in a sample of this type; SIZE_MAX when its size differs between samples. */
static size_t bytes_behind_dump(uint64_t sample_type)
{
    static const uint64_t fixed[] = {PERF_SAMPLE_WEIGHT,    PERF_SAMPLE_WEIGHT_STRUCT,  PERF_SAMPLE_DATA_SRC,
                                     PERF_SAMPLE_TRANSACTION, PERF_SAMPLE_PHYS_ADDR,    PERF_SAMPLE_CGROUP,
                                     PERF_SAMPLE_DATA_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE};
    size_t size = 0;
    if (sample_type & (PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_AUX))
        return SIZE_MAX;
    for (size_t at = 0; at < array_count(fixed); at++)
        size += sample_type & fixed[at] ? 8 : 0;
    return size;
}

/* A sample as its twin would have taken it without registers and stack: the fields are there and say "none". */
static void add_as_twin(const struct perf_event_attr *attr, const struct passing *passing, struct text *out)
{
    size_t behind = bytes_behind_dump(attr->sample_type);
    size_t added = attr->sample_type & PERF_SAMPLE_REGS_USER ? 8 : 16;
    struct perf_event_header header = passing->header;
    if (behind > passing->payload_bytes || header.size + added > PERF_DATA_RECORD_MOST)
        return;
    header.size = (uint16_t)(header.size + added);
    text_append(out, (const char *)&header, sizeof(header));
    text_append(out, (const char *)passing->payload, passing->payload_bytes - behind);
    text_append(out, (const char[16]){0}, added);
    text_append(out, (const char *)passing->payload + passing->payload_bytes - behind, behind);
}

static void convert_held(struct recorder *recorder)
{
    struct text converted = {0};
    const uint8_t *bytes = (const uint8_t *)recorder->held.bytes;
    size_t at = 0;
    for (struct passing passing; passing_at(bytes, recorder->held.length, at, &passing); at += passing.header.size) {
        const struct counter_stream *stream = recorder_stream_of(recorder, &passing);
        bool has_twin = stream && !stream->is_second && stream->event != STREAM_TRACKING &&
                        recorder->request.events[stream->event].callchain == CALLCHAIN_AUTO;
        if (has_twin)
            add_as_twin(&stream->attr, &passing, &converted);
        else
            text_append(&converted, (const char *)bytes + at, passing.header.size);
    }
    text_done(&recorder->held);
    recorder->held = converted;
}

/* What copying stacks at the rate of the trial would write, in bytes per second. */
static double dump_rate(const struct recorder *recorder)
{
    const struct recorder_stacks *stacks = &recorder->stacks;
    uint32_t most = 0;
    for (size_t at = 0; at < recorder->request.event_count; at++) {
        const struct recorder_event *event = &recorder->request.events[at];
        uint32_t bytes = event->stack_bytes ? event->stack_bytes : RECORDER_STACK_BYTES;
        most = event->callchain == CALLCHAIN_AUTO && bytes > most ? bytes : most;
    }
    double lasted_s = (double)(stacks->last_ns - stacks->first_ns) / 1e9;
    return lasted_s > 0 ? (double)stacks->count * most / lasted_s : 0;
}

/* Whether to copy stacks; why not is said here, why is a part of the result. */
static bool choose_stack_dumps(struct recorder *recorder)
{
    struct stack_share share = recorder_stacks_share(&recorder->stacks);
    if (!recorder_all_registers || share.judged < STACKS_JUDGED_LEAST || share.at_root * 2 >= share.judged)
        return false;
    double percent = 100.0 * (double)share.at_root / (double)share.judged;
    double rate = dump_rate(recorder);
    bool bearable = rate <= DUMP_BYTES_PER_SECOND_MOST;
    if (!bearable)
        recorder_notes_add(&recorder->notes,
                           "frame pointers reached the root in %.0f %% of %llu stacks, but copying stacks would write "
                           "%.0f MB/s: staying with them; -F lowers the rate, --call-graph dwarf insists",
                           percent, (unsigned long long)share.judged, rate / 1e6);
    return bearable;
}

bool recorder_trial_conclude(struct recorder *recorder, bool still_running, struct error *err)
{
    bool dwarf = still_running && choose_stack_dumps(recorder);
    recorder->result.callchain = dwarf ? CALLCHAIN_DWARF : CALLCHAIN_FRAME_POINTERS;
    if (dwarf) {
        /* What the frame-pointer streams wrote until they stopped has to be converted as well. */
        if (!recorder_counters_switch(&recorder->counters, err) || !recorder_drain(recorder, true, err))
            return false;
        convert_held(recorder);
    }
    recorder->chose_frame_pointers = !dwarf;
    recorder->held.length =
        recorder_trial_drop_data_mmaps(recorder, (uint8_t *)recorder->held.bytes, recorder->held.length);
    recorder->trial = false;
    if (!dwarf)
        recorder_excerpt_done(&recorder->excerpt);
    bool good = recorder_output_begin(recorder, err) &&
                recorder_output_put(recorder, recorder->held.bytes, recorder->held.length, err);
    text_done(&recorder->held);
    return good;
}

bool recorder_trial_is_over(const struct recorder *recorder)
{
    const struct recorder_stacks *stacks = &recorder->stacks;
    uint64_t lasted_ns = stacks->last_ns - stacks->first_ns;
    if (recorder->held.length > TRIAL_HELD_BYTES_MOST)
        return true;
    return (stacks->count >= TRIAL_STACKS && lasted_ns >= TRIAL_NS_LEAST) ||
           (stacks->count >= STACKS_JUDGED_LEAST && lasted_ns >= TRIAL_NS_MOST);
}

size_t recorder_trial_drop_data_mmaps(const struct recorder *recorder, uint8_t *bytes, size_t size_bytes)
{
    size_t kept = 0, at = 0;
    if (!recorder->chose_frame_pointers || recorder->request.record_data_mmaps)
        return size_bytes;
    for (struct passing passing; passing_at(bytes, size_bytes, at, &passing); at += passing.header.size) {
        bool dropped = passing.header.type == PERF_RECORD_MMAP2 && passing.header.misc & PERF_RECORD_MISC_MMAP_DATA;
        if (!dropped && kept != at)
            memmove(bytes + kept, bytes + at, passing.header.size);
        kept += dropped ? 0 : passing.header.size;
    }
    return kept;
}
