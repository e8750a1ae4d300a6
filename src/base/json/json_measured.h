/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A measured number in JSON: the number itself, or {"not_measured": "why"}. */
#ifndef PLUMB_BASE_JSON_JSON_MEASURED_H
#define PLUMB_BASE_JSON_JSON_MEASURED_H

#include "base/arena.h"
#include "base/json/json_reader.h"
#include "base/json/json_writer.h"
#include "base/measured.h"

static inline void json_measured(struct json_writer *json, const char *key, struct measured measured)
{
    if (measured.known) {
        json_double(json, key, measured.value);
        return;
    }
    json_object_open(json, key);
    json_string(json, "not_measured", measured.why_not ? measured.why_not : "unknown");
    json_object_close(json);
}

static inline struct measured json_measured_or(struct json_value value, struct arena *arena)
{
    double number;
    if (json_number(value, &number))
        return measured_as(number);
    const char *why = json_text_or(json_member(value, "not_measured"), NULL);
    return not_measured(why ? arena_string(arena, why) : "not in the case");
}

#endif
