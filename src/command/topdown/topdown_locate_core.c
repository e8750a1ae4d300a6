/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The static core has no names and no instructions: the event is named, for plumb record. */
#include "command/topdown/topdown_locate.h"

bool topdown_locate(struct topdown_located *located, const struct topdown_locating *locating, struct error *err)
{
    const struct topdown_event *event = locating->event;
    (void)err;
    *vec_push(&located->lines) = arena_printf(locating->arena, "%s locates it: plumb record -e %s, and plumb report where plumb is whole (this is "
                                              "the static core)", event->name, event->name);
    return true;
}
