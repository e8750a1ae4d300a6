/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/named_work.h"

static const char *text_at(uint16_t place)
{
    return place ? &named_work_texts[place] : NULL;
}

bool name_patterns_have(const struct name_patterns *patterns, const struct stall_function *function)
{
    for (size_t at = patterns->first; at < (size_t)patterns->first + patterns->count; at++) {
        const struct packed_pattern *packed = &named_work_patterns[at];
        struct name_pattern pattern = {.name = text_at(packed->name),
                                       .prefix = text_at(packed->prefix),
                                       .suffix = text_at(packed->suffix),
                                       .word = text_at(packed->word),
                                       .tells = text_at(packed->tells),
                                       .dso = text_at(packed->dso)};
        if (function_has_name(function, &pattern))
            return true;
    }
    return false;
}

const char *name_patterns_binary(const struct name_patterns *patterns)
{
    return &named_work_texts[named_work_patterns[patterns->first].dso];
}

const struct named_work *named_work_of(const struct stall_function *function)
{
    for (size_t row = 0; row < named_work_count; row++)
        if (!named_work_rows[row].script.count && name_patterns_have(&named_work_rows[row].names, function))
            return &named_work_rows[row];
    return NULL;
}

const struct named_work *named_work_of_library(const struct stall_function *function)
{
    for (size_t row = 0; row < named_work_count; row++)
        if (name_patterns_have(&named_work_rows[row].library, function))
            return &named_work_rows[row];
    return NULL;
}
