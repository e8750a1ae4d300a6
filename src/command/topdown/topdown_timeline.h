/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How do the first level's shares go over time, which phases does that show, and what is each phase bound by?
 *
 * Phases are found in the windows of the group that has the first level. Other passes of a program are cut where it has
 * retired the same share of its instructions; of something watched, only what was counted in the same pass has phases.
 */
#ifndef PLUMB_COMMAND_TOPDOWN_TOPDOWN_TIMELINE_H
#define PLUMB_COMMAND_TOPDOWN_TOPDOWN_TIMELINE_H

#include "analyse/topdown/topdown_phases.h"
#include "command/topdown/topdown_session.h"

struct topdown_timeline {
    struct phase_window *windows;
    size_t count;
    uint32_t metrics[TOPDOWN_PHASE_VALUES]; /* of the windows' values, in their order */
    size_t metric_count;
    struct topdown_phases phases;
    size_t group; /* of the session, whose windows these are */
};

/* count 0: nothing of the first level was counted in windows. Owner: arena. */
void topdown_timeline_find(struct topdown_timeline *timeline, const struct topdown_session *session,
                           struct arena *arena);

/*
 * The session's groups with the windows of one phase only; TIMELINE_WORK: of all but warm-up. Shape: groups.count.
 * Owner: arena.
 */
enum { TIMELINE_WORK = -1 };
struct metric_group *topdown_timeline_groups(const struct topdown_timeline *timeline,
                                             const struct topdown_session *session, int phase, struct arena *arena);
bool topdown_timeline_has_warmup(const struct topdown_timeline *timeline);

#endif
