/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text made for the eye: colour by meaning, paragraphs within 100 columns, marks that a plain terminal can show.
 *
 * Colour only on a terminal that isn't dumb, and without NO_COLOR; marks beyond ASCII only in a UTF-8 locale. Columns
 * count code points.
 */
#ifndef PLUMB_RENDER_PAGE_H
#define PLUMB_RENDER_PAGE_H

#include "base/text.h"

enum page_meaning {
    PAGE_PLAIN = 0,
    PAGE_GOOD,
    PAGE_WARNING,
    PAGE_BAD,
    PAGE_FAINT,  /* secondary */
    PAGE_STRONG  /* headings */
};

struct page {
    struct text *out;
    bool colour, unicode;
    size_t width;
};

/* Whether colour suits the stream; NULL is no terminal. */
bool page_colour_suits(FILE *stream_or_null);

/* stream NULL: no terminal, plain. */
struct page page_for(struct text *out, FILE *stream_or_null);

/* Text in the colour of its meaning. */
void page_add(struct page *page, enum page_meaning meaning, const char *text);
__attribute__((format(printf, 3, 4))) void page_printf(struct page *page, enum page_meaning meaning, const char *format,
                                                       ...);
/* A heading on a line of its own, after an empty line unless it is the first. */
void page_heading(struct page *page, const char *text);
/* Fill with blanks up to a column that counts from the text's own width. */
void page_pad(struct page *page, const char *text_just_added, size_t columns);
/*
 * A paragraph of words, broken at blanks so that no line passes the width (a longer word stands alone), but not between
 * a number and its unit ("13 %"). The first line starts where the cursor is (`used` columns so far), the next ones
 * after `indent` blanks. Ends the line.
 */
void page_paragraph(struct page *page, enum page_meaning meaning, size_t used, size_t indent, const char *text);

#endif
