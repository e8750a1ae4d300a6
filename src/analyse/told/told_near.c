/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/told/told_near.h"

#include <string.h>

static struct view text_before(const char *plain, const char *place, size_t most)
{
    struct view text = {plain, (size_t)(place - plain)};
    return view_skip(text, text.length > most ? text.length - most : 0);
}

struct near near_of(const char *plain, const char *place)
{
    struct near near = {.text = ""};
    struct view text = text_before(plain, place, NEAR_MOST);
    bool removes = view_ends(text, "instead of ") || view_ends(text, "rid of ");
    if (view_find(text, " from ") >= 0 || (view_find(text, " of ") >= 0 && !removes))
        return near;
    for (ptrdiff_t comma; (comma = view_find(text, ",")) >= 0;)
        text = view_skip(text, (size_t)comma + 1);
    memcpy(near.text, text.text, text.length);
    return near;
}

bool near_has(const char *plain, const char *place, enum words group)
{
    return plain_has(near_of(plain, place).text, group);
}

bool near_is_denied(const char *plain, const char *place)
{
    enum { FAR = 32 };
    return piece_has(text_before(plain, place, FAR), WORDS_CHANGE_DENIED);
}
