/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/profile/profile.h"

bool profile_wants(const struct profile_request *request, uint32_t event)
{
    return (request->event == PROFILE_ALL_EVENTS || request->event == event) && request->profile->events[event].samples;
}
