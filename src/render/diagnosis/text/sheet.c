/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/diagnosis/text/sheet.h"

#include "base/scope.h"
#include "finding/verdict/enough.h"
#include "render/page.h"

#include <math.h>

enum {
    BAR_MOST = 20,
    BAR_LEAST = 8, /* on narrow terminals */
    NARROW = 80,
};

size_t sheet_width(const struct sheet *sheet)
{
    return sheet->style->width ? sheet->style->width : SHEET_WIDTH;
}

size_t sheet_bar_columns(const struct sheet *sheet)
{
    return sheet_width(sheet) < NARROW ? BAR_LEAST : BAR_MOST;
}

size_t sheet_column(const struct sheet *sheet, size_t usual)
{
    size_t have = sheet_width(sheet) + BAR_MOST - sheet_bar_columns(sheet);
    size_t lacking = have < SHEET_WIDTH ? SHEET_WIDTH - have : 0;
    return lacking + SHEET_NAME_LEAST < usual ? usual - lacking : SHEET_NAME_LEAST;
}

const char *sheet_code(const struct sheet *sheet, enum sheet_colour colour)
{
    static const char *const codes[] = {"\033[0m",  "\033[1m",  "\033[2m", "\033[1;31m",
                                        "\033[33m", "\033[32m", "\033[36m"};
    return sheet->style->colour ? codes[colour] : "";
}

void sheet_coloured(struct sheet *sheet, enum sheet_colour colour, const char *text)
{
    text_printf(sheet->out, "%s%s%s", sheet_code(sheet, colour), text, sheet_code(sheet, SHEET_PLAIN));
}

void text_fitted(struct text *out, const char *name, size_t width)
{
    scoped_text struct text clean = {0};
    for (const char *at = name; *at; at++)
        text_add_char(&clean, (unsigned char)*at < ' ' || *at == 127 ? ' ' : *at);
    name = text_string(&clean);
    size_t columns = text_columns(name);
    if (columns <= width) {
        text_add(out, name);
        text_add_repeated(out, " ", width - columns);
        return;
    }
    size_t shown = 0;
    for (const char *at = name; *at && shown + 2 < width;) {
        size_t length = 1;
        while ((at[length] & 0xc0) == 0x80)
            length++;
        text_append(out, at, length);
        at += length;
        shown++;
    }
    text_add(out, "..");
}

void text_shortened(struct text *out, const char *words, size_t width)
{
    if (text_columns(words) > width)
        text_fitted(out, words, width);
    else
        text_add(out, words);
}

void sheet_heading(struct sheet *sheet, const char *title, const char *aside)
{
    text_add_char(sheet->out, '\n');
    sheet_coloured(sheet, SHEET_BOLD, title);
    if (aside && aside[0]) {
        scoped_text struct text cut = {0};
        size_t room = sheet_width(sheet) > text_columns(title) + 2 ? sheet_width(sheet) - text_columns(title) - 2 : 0;
        if (text_columns(aside) > room) {
            text_fitted(&cut, aside, room);
            aside = text_string(&cut);
        }
        size_t used = text_columns(title) + text_columns(aside);
        text_add_repeated(sheet->out, " ", used + 2 < sheet_width(sheet) ? sheet_width(sheet) - used : 2);
        sheet_coloured(sheet, SHEET_DIM, aside);
    }
    text_add_char(sheet->out, '\n');
}

/* "a.txt (imported, not measured by plumb): …" and "(a.txt, imported, not measured by plumb)" without that. */
static void unlabelled(struct text *out, const char *words)
{
    static const char *const forms[] = {" (imported, not measured by plumb)", ", imported, not measured by plumb",
                                        "imported, not measured by plumb: ", "imported, not measured by plumb"};
    while (*words) {
        size_t length = 0;
        for (size_t at = 0; at < array_count(forms) && !length; at++)
            length = strncmp(words, forms[at], strlen(forms[at])) == 0 ? strlen(forms[at]) : 0;
        if (!length)
            text_add_char(out, *words);
        words += length ? length : 1;
    }
}

void sheet_paragraph(struct sheet *sheet, const char *text, size_t indent, size_t first)
{
    struct page page = {.out = sheet->out, .width = sheet_width(sheet)};
    scoped_text struct text plain = {0};
    if (sheet->is_imported)
        unlabelled(&plain, text);
    page_paragraph(&page, PAGE_PLAIN, first, indent, sheet->is_imported ? text_string(&plain) : text);
}

void sheet_labelled(struct sheet *sheet, enum sheet_colour colour, const char *label, const char *text, size_t indent)
{
    sheet_coloured(sheet, colour, label);
    size_t width = text_columns(label);
    if (width < indent)
        text_add_repeated(sheet->out, " ", indent - width);
    sheet_paragraph(sheet, text, indent, width < indent ? indent : width);
}

void sheet_bar(struct sheet *sheet, double share, enum sheet_colour colour)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (share < 0 || !isfinite(share))
        share = 0;
    size_t most = sheet_bar_columns(sheet);
    double cells = share > 1 ? (double)most : share * (double)most;
    size_t full = (size_t)cells;
    text_add(sheet->out, sheet_code(sheet, colour));
    text_add_repeated(sheet->out, sheet->style->unicode ? "█" : "#", full);
    size_t used = full;
    if (sheet->style->unicode && full < most) {
        const char *part = eighths[(size_t)((cells - (double)full) * 8)];
        text_add(sheet->out, part);
        used += part[0] != '\0';
    }
    text_add(sheet->out, sheet_code(sheet, SHEET_PLAIN));
    text_add_repeated(sheet->out, " ", most - used);
}

void sheet_share_line(struct sheet *sheet, const char *label, double share, enum sheet_colour colour, const char *aside)
{
    text_add(sheet->out, "  ");
    text_fitted(sheet->out, label, 26);
    sheet_bar(sheet, share, colour);
    text_printf(sheet->out, " %5.1f %%", share * 100);
    size_t used = 2 + 26 + sheet_bar_columns(sheet) + 8 + 2;
    if (aside && aside[0] && used + SHEET_NAME_LEAST < sheet_width(sheet)) {
        scoped_text struct text cut = {0};
        text_shortened(&cut, aside, sheet_width(sheet) - used);
        text_add(sheet->out, "  ");
        sheet_coloured(sheet, SHEET_DIM, text_string(&cut));
    }
    text_add_char(sheet->out, '\n');
}

bool sheet_has_samples(const struct sheet *sheet)
{
    const struct stalls *stalls = sheet->diagnosis->results->stalls;
    return stalls && stalls->sample_count >= ENOUGH_SAMPLES;
}
