/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statistics/ceilings.h"

#include "base/vec.h"

/* ---- together ---- */

/* Two measurements of what may have moved between them: from the lowest to the highest. */
static struct interval hull(struct interval a, struct interval b)
{
    if (!a.known || !b.known)
        return a.known ? a : b;
    return interval_of(a.low < b.low ? a.low : b.low, (a.mid + b.mid) / 2, a.high > b.high ? a.high : b.high);
}

static struct calibration_value value_hull(const struct calibration_value *a, const struct calibration_value *b)
{
    return (struct calibration_value){hull(a->value, b->value), a->why_not ? a->why_not : b->why_not};
}

static struct calibration together(const struct calibration *a, const struct calibration *b)
{
    struct calibration both = *a;
    for (size_t at = 0; at < CALIBRATION_FIGURES; at++)
        both.figures[at] = value_hull(&a->figures[at], &b->figures[at]);
    both.share = hull(a->share, b->share);
    if (!a->step_count) {
        memcpy(both.steps, b->steps, sizeof(both.steps));
        both.step_count = b->step_count;
    }
    for (size_t at = 0; at < a->step_count; at++)
        for (size_t other = 0; other < b->step_count; other++)
            if (a->steps[at].bytes == b->steps[other].bytes) {
                both.steps[at].on_4k = value_hull(&a->steps[at].on_4k, &b->steps[other].on_4k);
                both.steps[at].on_2m = value_hull(&a->steps[at].on_2m, &b->steps[other].on_2m);
            }
    return both;
}

/* What was measured beside the run stands; the kept one fills what that left out. */
static void kept_fill(struct calibration *now, const struct calibration *kept)
{
    for (size_t at = 0; at < CALIBRATION_FIGURES; at++)
        if (!now->figures[at].value.known && kept->figures[at].value.known)
            now->figures[at] = kept->figures[at];
    for (size_t at = 0; at < kept->step_count && now->step_count < CALIBRATION_STEPS_MOST; at++) {
        size_t place = 0;
        while (place < now->step_count && now->steps[place].bytes < kept->steps[at].bytes)
            place++;
        if (place < now->step_count && now->steps[place].bytes == kept->steps[at].bytes)
            continue;
        memmove(&now->steps[place + 1], &now->steps[place], (now->step_count - place) * sizeof(*now->steps));
        now->steps[place] = kept->steps[at];
        now->step_count++;
    }
}

static void glimpses_settle(struct ceilings *ceilings)
{
    double clocks[CEILINGS_GLIMPSES_MOST], issues[CEILINGS_GLIMPSES_MOST];
    size_t count = ceilings->glimpse_count;
    if (count < CEILINGS_GLIMPSES_LEAST || count > CEILINGS_GLIMPSES_MOST)
        return;
    for (size_t at = 0; at < count; at++) {
        clocks[at] = ceilings->glimpses[at].clock_hz;
        issues[at] = ceilings->glimpses[at].issue;
    }
    struct calibration *now = &ceilings->now;
    now->figures[CALIBRATION_CLOCK].value = quartile_interval(clocks, count);
    now->figures[CALIBRATION_ISSUE].value = quartile_interval(issues, count);
    if (!now->issue_slots)
        return;
    now->share = interval_clamped(
        interval_scaled(now->figures[CALIBRATION_ISSUE].value, 1.0 / now->issue_slots), 0, 1);
    ceilings->share_is_of_target = true;
}

void ceilings_settle(struct ceilings *ceilings)
{
    ceilings->now = ceilings->has_before && ceilings->has_after ? together(&ceilings->before, &ceilings->after)
                    : ceilings->has_before                      ? ceilings->before
                    : ceilings->has_after                       ? ceilings->after
                                                                : (struct calibration){0};
    ceilings->share_is_of_target = false;
    if (!ceilings->has_before && !ceilings->has_after)
        return;
    glimpses_settle(ceilings);
    if (ceilings->has_kept)
        kept_fill(&ceilings->now, &ceilings->kept);
}

struct interval ceilings_figure(const struct ceilings *ceilings, enum calibration_figure figure)
{
    return calibration_figure(ceilings ? &ceilings->now : NULL, figure);
}

struct interval ceilings_share(const struct ceilings *ceilings)
{
    return ceilings ? ceilings->now.share : (struct interval){0};
}

bool ceilings_are_shared(const struct ceilings *ceilings)
{
    struct interval share = ceilings_share(ceilings);
    return share.known && share.mid < CALIBRATION_SHARED_BELOW;
}

/* ---- as a part of a case ---- */

static void calibration_write(struct json_writer *json, const char *key, const struct calibration *calibration)
{
    json_object_open(json, key);
    calibration_members(calibration, json);
    json_object_close(json);
}

void ceilings_write(const struct ceilings *ceilings, struct text *out)
{
    struct json_writer json;
    json_begin(&json, out);
    json_object_open(&json, NULL);
    json_u64(&json, "schema", 1);
    if (ceilings->has_before)
        calibration_write(&json, "before", &ceilings->before);
    if (ceilings->has_after)
        calibration_write(&json, "after", &ceilings->after);
    if (ceilings->has_kept) {
        json_double(&json, "kept_age_s", ceilings->kept_age_s);
        calibration_write(&json, "kept", &ceilings->kept);
    }
    json_array_open(&json, "during");
    for (size_t at = 0; at < ceilings->glimpse_count; at++) {
        const struct ceilings_glimpse *glimpse = &ceilings->glimpses[at];
        json_object_open(&json, NULL);
        json_double(&json, "at_s", glimpse->at_s);
        json_u64(&json, "cpu", glimpse->cpu);
        json_double(&json, "clock_hz", glimpse->clock_hz);
        json_double(&json, "issue_per_cycle", glimpse->issue);
        json_object_close(&json);
    }
    json_array_close(&json);
    json_object_close(&json);
}

static bool one_read(struct json_value root, const char *key, struct calibration *calibration, bool *found,
                     struct arena *arena, struct error *err)
{
    struct json_value value = json_member(root, key);
    *found = json_present(value);
    return !*found || calibration_read(calibration, value, arena, err) || error_wrap(err, "'%s'", key);
}

bool ceilings_glimpse_is_sound(const struct ceilings_glimpse *glimpse)
{
    static const double clock_most_hz = 1e11, issue_most = 64, longest_s = 1e9;
    return glimpse->clock_hz > 0 && glimpse->clock_hz < clock_most_hz && glimpse->issue > 0 &&
           glimpse->issue < issue_most && glimpse->at_s >= 0 && glimpse->at_s < longest_s;
}

static bool glimpse_read(struct ceilings_glimpse *glimpse, struct json_value value)
{
    uint64_t cpu;
    if (!json_unsigned(json_member(value, "cpu"), &cpu) || cpu > UINT32_MAX ||
        !json_number(json_member(value, "at_s"), &glimpse->at_s) ||
        !json_number(json_member(value, "clock_hz"), &glimpse->clock_hz) ||
        !json_number(json_member(value, "issue_per_cycle"), &glimpse->issue))
        return false;
    glimpse->cpu = (uint32_t)cpu;
    return ceilings_glimpse_is_sound(glimpse);
}

bool ceilings_read(struct ceilings *ceilings, struct json_value root, struct arena *arena, struct error *err)
{
    *ceilings = (struct ceilings){0};
    if (!json_is_record(root) || !json_is_list(json_member(root, "during")))
        return error_set(err, ERROR_FORMAT, "no list 'during'");
    if (!one_read(root, "before", &ceilings->before, &ceilings->has_before, arena, err) ||
        !one_read(root, "after", &ceilings->after, &ceilings->has_after, arena, err) ||
        !one_read(root, "kept", &ceilings->kept, &ceilings->has_kept, arena, err))
        return false;
    double age_s = json_number_or(json_member(root, "kept_age_s"), 0);
    ceilings->kept_age_s = age_s > 0 ? age_s : 0;
    struct json_value list = json_member(root, "during");
    size_t count = json_count(list) < CEILINGS_GLIMPSES_MOST ? json_count(list) : CEILINGS_GLIMPSES_MOST;
    ceilings->glimpses = arena_array(arena, struct ceilings_glimpse, count + 1);
    for (size_t at = 0; at < count; at++) {
        struct ceilings_glimpse glimpse = {0};
        if (!glimpse_read(&glimpse, json_item(list, at)))
            return error_set(err, ERROR_FORMAT, "item %zu of 'during' is no glimpse at a CPU", at);
        ceilings->glimpses[ceilings->glimpse_count++] = glimpse;
    }
    ceilings_settle(ceilings);
    return true;
}
