/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The static core has no names and no instructions: it keeps the recording, for plumb report. */
#include "command/topdown/topdown_locate.h"

static const char *const path = "plumb-topdown.data";

bool topdown_locate(struct topdown_located *located, const struct topdown_locating *locating, struct error *err)
{
    struct topdown_events events = {0};
    struct topdown_sampling sampling;
    topdown_events_find(&events, locating->table, locating->tree, locating->context->root, locating->arena);
    bool good = topdown_sampling_make(&sampling, located, locating, &events, path, err);
    if (good)
        *vec_push(&located->lines) =
            arena_printf(locating->arena,
                         "%llu samples of %s%s stand in %s: plumb report -i %s, where plumb is whole, tells functions "
                         "and plumb annotate "
                         "instructions (this is the static core)",
                         (unsigned long long)sampling.samples, sampling.event->name,
                         sampling.event->kind == TOPDOWN_EVENT_LATE ? ", which isn't precise," : "", path, path);
    vec_done(&events.list);
    return good;
}
