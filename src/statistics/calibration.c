/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statistics/calibration.h"

#include "base/vec.h"

#include <math.h>

static const char *const keys[] = {
    [CALIBRATION_CLOCK] = "clock_hz",
    [CALIBRATION_ISSUE] = "issue_per_cycle",
    [CALIBRATION_FMA_128] = "fma_128_per_cycle",
    [CALIBRATION_FMA_256] = "fma_256_per_cycle",
    [CALIBRATION_FMA_512] = "fma_512_per_cycle",
    [CALIBRATION_FMA_LATENCY] = "fma_latency_cycles",
    [CALIBRATION_BRANCH_MISS] = "branch_miss_cycles",
    [CALIBRATION_CPUID] = "cpuid_ns",
    [CALIBRATION_READ_ONE] = "read_one_bytes_per_s",
    [CALIBRATION_WRITE_ONE] = "write_one_bytes_per_s",
    [CALIBRATION_READ_ALL] = "read_all_bytes_per_s",
    [CALIBRATION_PAGE_WALK] = "page_walk_ns",
    [CALIBRATION_CLOCK_HEAVY_256] = "clock_behind_heavy_256_ratio",
    [CALIBRATION_CLOCK_LIGHT_512] = "clock_behind_light_512_ratio",
    [CALIBRATION_CLOCK_HEAVY_512] = "clock_behind_heavy_512_ratio",
};
_Static_assert(array_count(keys) == CALIBRATION_FIGURES, "a key per figure");

const char *calibration_figure_key(enum calibration_figure figure)
{
    return keys[figure];
}

struct interval calibration_figure(const struct calibration *calibration, enum calibration_figure figure)
{
    return calibration ? calibration->figures[figure].value : (struct interval){0};
}

static struct interval between(struct interval a, struct interval b, double part)
{
    return interval_of(a.low + part * (b.low - a.low), a.mid + part * (b.mid - a.mid),
                       a.high + part * (b.high - a.high));
}

struct interval calibration_latency_ns(const struct calibration *calibration, double bytes, bool on_huge_pages)
{
    const struct calibration_step *before = NULL;
    struct interval last = {0};
    for (size_t at = 0; calibration && at < calibration->step_count; at++) {
        const struct calibration_step *step = &calibration->steps[at];
        struct interval here = on_huge_pages ? step->on_2m.value : step->on_4k.value;
        if (!here.known)
            continue;
        if ((double)step->bytes >= bytes) {
            if (!before)
                return here;
            double part = log2(bytes / (double)before->bytes) / log2((double)step->bytes / (double)before->bytes);
            return between(last, here, part);
        }
        before = step;
        last = here;
    }
    return last;
}

static bool intervals_differ(struct interval a, struct interval b)
{
    if (!a.known || !b.known || (a.low <= b.high && b.low <= a.high))
        return false;
    double larger = a.mid > b.mid ? a.mid : b.mid;
    return fabs(a.mid - b.mid) > larger / 20;
}

bool calibration_cpus_differ(const struct calibration *calibration)
{
    for (size_t at = 1; at < calibration->cpu_count; at++)
        for (size_t other = 0; other < at; other++)
            if (intervals_differ(calibration->cpus[at].clock_hz, calibration->cpus[other].clock_hz) ||
                intervals_differ(calibration->cpus[at].issue, calibration->cpus[other].issue))
                return true;
    return false;
}

/* ---- as a document ---- */

static void interval_members(struct json_writer *json, struct interval value)
{
    json_double(json, "low", value.low);
    json_double(json, "mid", value.mid);
    json_double(json, "high", value.high);
}

static void value_write(struct json_writer *json, const char *key, const struct calibration_value *value)
{
    json_object_open(json, key);
    if (value->value.known)
        interval_members(json, value->value);
    else
        json_string(json, "not_measured", value->why_not ? value->why_not : "it was not tried");
    json_object_close(json);
}

static void cpus_write(struct json_writer *json, const struct calibration *calibration)
{
    json_array_open(json, "by_cpu");
    for (size_t at = 0; at < calibration->cpu_count; at++) {
        const struct calibration_cpu *cpu = &calibration->cpus[at];
        json_object_open(json, NULL);
        json_u64(json, "cpu", cpu->cpu);
        value_write(json, "clock_hz", &(struct calibration_value){cpu->clock_hz, NULL});
        value_write(json, "issue_per_cycle", &(struct calibration_value){cpu->issue, NULL});
        json_object_close(json);
    }
    json_array_close(json);
}

void calibration_members(const struct calibration *calibration, struct json_writer *json)
{
    if (calibration->taken_at_s > 0)
        json_double(json, "taken_at_s", calibration->taken_at_s);
    json_double(json, "elapsed_s", calibration->elapsed_s);
    if (calibration->rounds_ratio.known)
        json_double(json, "rounds_ratio", calibration->rounds_ratio.value);
    if (calibration->waited_ratio.known)
        json_double(json, "waited_ratio", calibration->waited_ratio.value);
    if (calibration->cpu_list)
        json_string(json, "cpus", calibration->cpu_list);
    for (size_t at = 0; at < CALIBRATION_FIGURES; at++)
        value_write(json, keys[at], &calibration->figures[at]);
    if (calibration->issue_slots)
        json_u64(json, "issue_slots", calibration->issue_slots);
    if (calibration->share.known) {
        json_double(json, "issue_share", calibration->share.mid);
        value_write(json, "issue_share_spread", &(struct calibration_value){calibration->share, NULL});
    }
    json_array_open(json, "load_latency_ns");
    for (size_t at = 0; at < calibration->step_count; at++) {
        json_object_open(json, NULL);
        json_u64(json, "working_set_bytes", calibration->steps[at].bytes);
        value_write(json, "on_4k_pages", &calibration->steps[at].on_4k);
        value_write(json, "on_2m_pages", &calibration->steps[at].on_2m);
        json_object_close(json);
    }
    json_array_close(json);
    cpus_write(json, calibration);
}

/* Nothing a machine does is as large as this in any unit here; a number beyond comes from a damaged file. */
static const double LARGEST = 1e15;

static struct interval interval_read(struct json_value value)
{
    struct interval interval = {0};
    double low, mid, high;
    if (!json_number(json_member(value, "low"), &low) || !json_number(json_member(value, "mid"), &mid) ||
        !json_number(json_member(value, "high"), &high))
        return interval;
    bool possible = low <= mid && mid <= high && low >= -LARGEST && high <= LARGEST;
    return possible ? interval_of(low, mid, high) : interval;
}

static struct calibration_value value_read(struct json_value value, bool may_be_negative, struct arena *arena)
{
    struct calibration_value read = {.value = interval_read(value)};
    if (read.value.known && read.value.low < 0 && !may_be_negative)
        read.value.known = false;
    if (!read.value.known)
        read.why_not = arena_string(arena, json_text_or(json_member(value, "not_measured"), "it isn't in the file"));
    return read;
}

struct calibration_value calibration_resolved(struct interval difference)
{
    if (difference.known && difference.low <= 0)
        return (struct calibration_value){.why_not = "not resolved here: the difference is smaller than its noise"};
    return (struct calibration_value){.value = difference};
}

static void steps_read(struct calibration *calibration, struct json_value list, struct arena *arena)
{
    for (size_t at = 0; at < json_count(list) && calibration->step_count < CALIBRATION_STEPS_MOST; at++) {
        struct json_value item = json_item(list, at);
        uint64_t bytes = json_unsigned_or(json_member(item, "working_set_bytes"), 0);
        size_t count = calibration->step_count;
        if (!bytes || bytes > (uint64_t)1 << 50 || (count && bytes <= calibration->steps[count - 1].bytes))
            continue;
        calibration->steps[calibration->step_count++] = (struct calibration_step){
            .bytes = (size_t)bytes,
            .on_4k = value_read(json_member(item, "on_4k_pages"), false, arena),
            .on_2m = value_read(json_member(item, "on_2m_pages"), false, arena),
        };
    }
}

static void cpus_read(struct calibration *calibration, struct json_value list, struct arena *arena)
{
    for (size_t at = 0; at < json_count(list) && calibration->cpu_count < CALIBRATION_CPUS_MOST; at++) {
        struct json_value item = json_item(list, at);
        uint64_t cpu;
        if (!json_unsigned(json_member(item, "cpu"), &cpu) || cpu > UINT32_MAX)
            continue;
        calibration->cpus[calibration->cpu_count++] = (struct calibration_cpu){
            .cpu = (uint32_t)cpu,
            .clock_hz = value_read(json_member(item, "clock_hz"), false, arena).value,
            .issue = value_read(json_member(item, "issue_per_cycle"), false, arena).value,
        };
    }
}

bool calibration_read(struct calibration *calibration, struct json_value object, struct arena *arena, struct error *err)
{
    enum { SLOTS_MOST = 64 };
    if (!json_is_record(object) || !json_is_record(json_member(object, keys[CALIBRATION_CLOCK])))
        return error_set(err, ERROR_FORMAT, "no calibration: it has no '%s'", keys[CALIBRATION_CLOCK]);
    *calibration = (struct calibration){0};
    uint64_t slots = json_unsigned_or(json_member(object, "issue_slots"), 0);
    calibration->issue_slots = slots <= SLOTS_MOST ? (uint32_t)slots : 0;
    double taken_at_s = json_number_or(json_member(object, "taken_at_s"), 0);
    double elapsed_s = json_number_or(json_member(object, "elapsed_s"), 0);
    calibration->taken_at_s = taken_at_s > 0 && taken_at_s < LARGEST ? taken_at_s : 0;
    calibration->elapsed_s = elapsed_s > 0 && elapsed_s < LARGEST ? elapsed_s : 0;
    double rounds_ratio = json_number_or(json_member(object, "rounds_ratio"), -1);
    calibration->rounds_ratio =
        rounds_ratio >= 0 && rounds_ratio <= 1 ? measured_as(rounds_ratio) : not_measured("it doesn't say");
    double waited_ratio = json_number_or(json_member(object, "waited_ratio"), -1);
    calibration->waited_ratio =
        waited_ratio >= 0 && waited_ratio <= 1 ? measured_as(waited_ratio) : not_measured("it doesn't say");
    const char *cpus = json_text_or(json_member(object, "cpus"), NULL);
    calibration->cpu_list = cpus ? arena_string(arena, cpus) : NULL;
    for (size_t at = 0; at < CALIBRATION_FIGURES; at++)
        calibration->figures[at] = value_read(json_member(object, keys[at]), at == CALIBRATION_PAGE_WALK, arena);
    struct calibration_value *walk = &calibration->figures[CALIBRATION_PAGE_WALK];
    if (walk->value.known) /* of an older plumb, which kept it with its noise */
        *walk = calibration_resolved(walk->value);
    struct interval share = interval_read(json_member(object, "issue_share_spread"));
    calibration->share = share.known && share.low >= 0 && share.high <= 1 ? share : (struct interval){0};
    steps_read(calibration, json_member(object, "load_latency_ns"), arena);
    cpus_read(calibration, json_member(object, "by_cpu"), arena);
    return true;
}
