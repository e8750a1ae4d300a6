/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/page.h"

#include "base/scope.h"
#include "base/vec.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE_WIDTH = 100 };

static const char *const colours[] = {
    [PAGE_PLAIN] = "",           [PAGE_GOOD] = "\033[32m", [PAGE_WARNING] = "\033[33m",
    [PAGE_BAD] = "\033[31m",     [PAGE_FAINT] = "\033[2m", [PAGE_STRONG] = "\033[1m",
};

bool page_colour_suits(FILE *stream_or_null)
{
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool shown = stream_or_null && isatty(fileno(stream_or_null));
    bool able = !(terminal && strcmp(terminal, "dumb") == 0);
    return shown && able && !(refused && refused[0]);
}

struct page page_for(struct text *out, FILE *stream_or_null)
{
    return (struct page){.out = out, .colour = page_colour_suits(stream_or_null),
                         .unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0, .width = PAGE_WIDTH};
}

static void colour_begin(struct page *page, enum page_meaning meaning)
{
    if (page->colour && meaning != PAGE_PLAIN)
        text_add(page->out, colours[meaning]);
}

static void colour_end(struct page *page, enum page_meaning meaning)
{
    if (page->colour && meaning != PAGE_PLAIN)
        text_add(page->out, "\033[0m");
}

void page_add(struct page *page, enum page_meaning meaning, const char *text)
{
    colour_begin(page, meaning);
    text_add(page->out, text);
    colour_end(page, meaning);
}

void page_printf(struct page *page, enum page_meaning meaning, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    colour_begin(page, meaning);
    text_vprintf(page->out, format, args);
    colour_end(page, meaning);
    va_end(args);
}

void page_heading(struct page *page, const char *text)
{
    if (page->out->length)
        text_add_char(page->out, '\n');
    page_add(page, PAGE_STRONG, text);
    text_add_char(page->out, '\n');
}

void page_pad(struct page *page, const char *text_just_added, size_t columns)
{
    size_t used = text_columns(text_just_added);
    text_add_repeated(page->out, " ", used < columns ? columns - used : 1);
}

static size_t word_columns(struct view word)
{
    size_t columns = 0;
    for (size_t at = 0; at < word.length; at++)
        columns += (word.text[at] & 0xc0) != 0x80;
    return columns;
}

static bool is_unit(struct view word)
{
    static const char *const units[] = {"%",   "ns",  "us",  "ms", "s",  "min",  "h",    "B",   "KiB",
                                        "MiB", "GiB", "TiB", "MB", "GB", "MB/s", "GB/s", "MHz", "GHz"};
    while (word.length && strchr(".,;:)", word.text[word.length - 1]))
        word.length--;
    for (size_t at = 0; at < array_count(units); at++)
        if (view_equal(word, units[at]))
            return true;
    return false;
}

static bool ends_in_digit(struct view word)
{
    return word.length && word.text[word.length - 1] >= '0' && word.text[word.length - 1] <= '9';
}

/* The next word; a number and the unit behind it are one. */
static struct view unbroken_word(struct view *rest)
{
    struct view word = view_word(rest), ahead = *rest, unit = view_word(&ahead);
    if (!ends_in_digit(word) || unit.text != word.text + word.length + 1 || !is_unit(unit))
        return word;
    *rest = ahead;
    return (struct view){word.text, word.length + 1 + unit.length};
}

void page_paragraph(struct page *page, enum page_meaning meaning, size_t used, size_t indent, const char *text)
{
    struct view rest = view_of(text);
    bool first = true;
    colour_begin(page, meaning);
    for (struct view word = unbroken_word(&rest); word.length; word = unbroken_word(&rest)) {
        size_t columns = word_columns(word);
        if (!first && used + 1 + columns > page->width) {
            colour_end(page, meaning);
            text_add_char(page->out, '\n');
            text_add_repeated(page->out, " ", indent);
            colour_begin(page, meaning);
            used = indent;
        } else if (!first) {
            text_add_char(page->out, ' ');
            used++;
        }
        text_append(page->out, word.text, word.length);
        used += columns;
        first = false;
    }
    colour_end(page, meaning);
    text_add_char(page->out, '\n');
}
