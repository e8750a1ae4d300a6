/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/report/report.h"

#include <string.h>

/* Where the parts go; web/build.mjs puts it there once. */
static const char PLACE[] = "<!--plumb:parts-->";

/*
 * Nothing in a part may end its element, begin a comment, or end a line for a script: in JSON all of these stand in
 * texts, where they can be escaped.
 */
static void add_json(struct text *out, struct view json)
{
    static const char line_separator[] = "\xe2\x80\xa8", paragraph_separator[] = "\xe2\x80\xa9";
    size_t from = 0;
    for (size_t at = 0; at < json.length; at++) {
        const char *escaped = NULL;
        size_t bytes = 1;
        if (json.text[at] == '<')
            escaped = "\\u003c";
        else if (json.text[at] == '>')
            escaped = "\\u003e";
        else if (json.text[at] == '&')
            escaped = "\\u0026";
        else if (json.length - at >= 3 && memcmp(json.text + at, line_separator, 3) == 0)
            escaped = "\\u2028", bytes = 3;
        else if (json.length - at >= 3 && memcmp(json.text + at, paragraph_separator, 3) == 0)
            escaped = "\\u2029", bytes = 3;
        if (!escaped)
            continue;
        text_append(out, json.text + from, at - from);
        text_add(out, escaped);
        from = at + bytes;
        at += bytes - 1;
    }
    text_append(out, json.text + from, json.length - from);
}

void report_html(struct text *out, const struct report_part *parts, size_t count)
{
    const char *place = memmem(report_page_bytes, report_page_length, PLACE, strlen(PLACE));
    size_t before = place ? (size_t)(place - report_page_bytes) : report_page_length;
    text_append(out, report_page_bytes, before);
    for (size_t at = 0; at < count; at++) {
        text_printf(out, "<script type=\"application/json\" id=\"plumb-%s\">", parts[at].name);
        add_json(out, parts[at].json);
        text_add(out, "</script>\n");
    }
    if (place)
        text_append(out, place + strlen(PLACE), report_page_length - before - strlen(PLACE));
}
