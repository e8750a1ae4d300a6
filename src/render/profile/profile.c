/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/profile/profile.h"

bool profile_wants(const struct profile_request *request, uint32_t event)
{
    return (request->event == PROFILE_ALL_EVENTS || request->event == event) && request->profile->events[event].samples;
}

void profile_frame_name(struct text *out, const struct place *place)
{
    if (place->symbol)
        text_add(out, place->symbol);
    else
        text_printf(out, place->dso && place->dso[0] == '[' ? "%s" : "[%s]", place->dso && place->dso[0] ? place->dso : "unknown");
}
