/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"

#include "analyse/profile/places.h"

/* Each location is named for the first time when its place is asked for, so that the places move while they are looked up. */
Test(places, a_place_is_looked_up_where_it_stands_after_it_was_named)
{
    enum {
        LOCATIONS = 20000
    };
    struct recording recording;
    struct places places;
    recording_init(&recording);
    for (uint32_t at = 0; at < LOCATIONS; at++) {
        struct location location = {.dso = 0, .dso_addr = 0x1000 + 16 * (uint64_t)at, .cpu_mode = CPU_MODE_USER};
        samples_location(&recording.samples, &location);
    }
    places_init(&places, &recording, NULL, (struct places_options){0});
    for (uint32_t at = 0; at < LOCATIONS; at++)
        cr_assert_eq(places_at(&places, at)->addr, 0x1000 + 16 * (uint64_t)at);
    places_done(&places);
    recording_done(&recording);
}
