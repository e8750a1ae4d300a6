/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/topdown/topdown_timeline.h"

enum { WINDOWS_MOST = 240 }; /* more are joined: the search for cuts looks at all pairs */

/* ---- the first level in each window ------------------------------------------------------------------------ */

static struct topdown_values_request request_of(const struct topdown_session *session)
{
    return (struct topdown_values_request){.table = session->setup->table,
                                           .places = session->places,
                                           .constants = session->setup->constants,
                                           .cpu_id = session->setup->cpu_id,
                                           .cycles = session->cycles};
}

/* The group with most of the first level's nodes; SIZE_MAX: none was counted. */
static size_t group_find(struct topdown_timeline *timeline, const struct topdown_session *session, struct arena *arena)
{
    const struct metric_table *table = session->setup->table;
    struct topdown_values_request request = request_of(session);
    size_t best = SIZE_MAX;
    for (size_t group = 0; group < session->groups.count; group++) {
        uint32_t metrics[TOPDOWN_PHASE_VALUES];
        size_t count = 0;
        for (uint32_t at = 0; at < table->metrics.count && count < TOPDOWN_PHASE_VALUES; at++)
            if (table->metrics.items[at].level == 1 &&
                metric_group_value(&request, at, &session->groups.items[group], arena).known)
                metrics[count++] = at;
        if (count <= timeline->metric_count)
            continue;
        best = group;
        timeline->metric_count = count;
        memcpy(timeline->metrics, metrics, sizeof(metrics));
    }
    return best;
}

/* Page faults between two moments of a pass: from the read before the first to the read before the second. */
static struct measured faults_between(const struct topdown_session *session, size_t pass, uint64_t start_ns,
                                      uint64_t end_ns)
{
    const struct topdown_pass_faults *faults = pass < session->faults.count ? &session->faults.items[pass] : NULL;
    uint64_t before = 0, after = 0;
    if (!faults || !faults->count)
        return not_measured("page faults can't be counted here");
    for (size_t at = 0; at < faults->count; at++) {
        before = faults->reads[at].time_ns <= start_ns + 1000000 ? faults->reads[at].faults : before;
        after = faults->reads[at].time_ns <= end_ns + 1000000 ? faults->reads[at].faults : after;
    }
    return measured_as((double)(after - before));
}

static void windows_find(struct topdown_timeline *timeline, const struct topdown_session *session, struct arena *arena)
{
    const struct metric_group *group = &session->groups.items[timeline->group];
    struct topdown_values_request request = request_of(session);
    size_t joined = group->window_count / WINDOWS_MOST + 1;
    timeline->windows = arena_array(arena, struct phase_window, group->window_count + 1);
    for (size_t at = 0; at < group->window_count; at += joined) {
        struct metric_group one = *group;
        struct phase_window window = {0};
        bool known = true;
        one.windows = &group->windows[at];
        one.window_count = at + joined < group->window_count ? joined : group->window_count - at;
        for (size_t value = 0; value < timeline->metric_count && known; value++) {
            struct measured share = metric_group_value(&request, timeline->metrics[value], &one, arena);
            known = share.known;
            window.values[value] = share.value;
        }
        if (!known)
            continue;
        window.start_ns = one.windows[0].start_ns;
        window.end_ns = one.windows[one.window_count - 1].end_ns;
        window.faults = faults_between(session, group->pass, window.start_ns, window.end_ns);
        timeline->windows[timeline->count++] = window;
    }
}

void topdown_timeline_find(struct topdown_timeline *timeline, const struct topdown_session *session,
                           struct arena *arena)
{
    *timeline = (struct topdown_timeline){0};
    timeline->group = group_find(timeline, session, arena);
    if (timeline->group == SIZE_MAX)
        return;
    windows_find(timeline, session, arena);
    topdown_phases_find(&timeline->phases, timeline->windows, timeline->count, timeline->metric_count, arena);
}

bool topdown_timeline_has_warmup(const struct topdown_timeline *timeline)
{
    return timeline->phases.segment_count > 0 && timeline->phases.segments[0].is_warmup;
}

/* ---- the windows of a phase -------------------------------------------------------------------------------- */

/*
 * How far the program has come at each window's middle: the share of its instructions, or of its time where these
 * weren't counted.
 */
static void progress_find(const struct metric_group *group, uint32_t instructions, double *ret)
{
    size_t column = SIZE_MAX;
    double done = 0;
    for (size_t at = 0; at < group->term_count; at++)
        if (group->terms[at] == instructions)
            column = at;
    for (size_t at = 0; at < group->window_count; at++) {
        const struct group_window *window = &group->windows[at];
        double scale = window->running_ns ? (double)window->enabled_ns / (double)window->running_ns : 0;
        double part = column != SIZE_MAX ? window->counts[column] * scale : (double)(window->end_ns - window->start_ns);
        ret[at] = done + part / 2;
        done += part;
    }
    for (size_t at = 0; at < group->window_count && done > 0; at++)
        ret[at] /= done;
}

/* The progress at which each segment begins. */
static void begins_find(const struct topdown_timeline *timeline, const struct topdown_session *session, double *ret,
                        struct arena *arena)
{
    const struct metric_group *group = &session->groups.items[timeline->group];
    double *progress = arena_array(arena, double, group->window_count + 1);
    progress_find(group, session->instructions, progress);
    for (size_t segment = 0; segment < timeline->phases.segment_count; segment++) {
        uint64_t start_ns = timeline->windows[timeline->phases.segments[segment].first].start_ns;
        ret[segment] = 0;
        for (size_t at = 1; at < group->window_count && segment; at++)
            if (group->windows[at].start_ns == start_ns)
                ret[segment] = (progress[at - 1] + progress[at]) / 2;
    }
}

static bool is_wanted(const struct topdown_segment *segment, int phase)
{
    return phase == TIMELINE_WORK ? !segment->is_warmup : (int)segment->phase == phase && !segment->is_warmup;
}

struct metric_group *topdown_timeline_groups(const struct topdown_timeline *timeline,
                                             const struct topdown_session *session, int phase, struct arena *arena)
{
    struct metric_group *groups = arena_copy(arena, session->groups.items, session->groups.count * sizeof(*groups));
    size_t segments = timeline->phases.segment_count;
    double *begins = arena_array(arena, double, segments + 1);
    begins_find(timeline, session, begins, arena);
    for (size_t index = 0; index < session->groups.count; index++) {
        struct metric_group *group = &groups[index];
        bool same_time = session->setup->is_program || group->pass == session->groups.items[timeline->group].pass;
        double *progress = arena_array(arena, double, group->window_count + 1);
        struct group_window *kept = arena_array(arena, struct group_window, group->window_count + 1);
        size_t count = 0;
        progress_find(group, session->instructions, progress);
        for (size_t at = 0; at < group->window_count && same_time; at++) {
            size_t segment = 0;
            while (segment + 1 < segments && progress[at] >= begins[segment + 1])
                segment++;
            if (is_wanted(&timeline->phases.segments[segment], phase))
                kept[count++] = group->windows[at];
        }
        group->windows = kept;
        group->window_count = count;
    }
    return groups;
}
