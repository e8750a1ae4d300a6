/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a diagnosis is written on: so many columns, in colour or not; bars and names take what the terminal leaves them.
 */
#ifndef PLUMB_RENDER_DIAGNOSIS_TEXT_SHEET_H
#define PLUMB_RENDER_DIAGNOSIS_TEXT_SHEET_H

#include "render/diagnosis/diagnosis.h"

enum {
    SHEET_WIDTH = 100, /* columns, where nothing else is known */
    SHEET_NAME_LEAST = 14
};

enum sheet_colour {
    SHEET_PLAIN,
    SHEET_BOLD,
    SHEET_DIM,
    SHEET_RED,    /* a cause */
    SHEET_YELLOW, /* perhaps */
    SHEET_GREEN,  /* ruled out */
    SHEET_CYAN    /* names */
};

struct sheet {
    struct text *out;
    const struct text_style *style;
    const struct diagnosis *diagnosis;
    bool is_imported; /* all of it is somebody else's, as its head says: lines don't say so again */
};

/* Columns. */
size_t sheet_width(const struct sheet *sheet);
size_t sheet_bar_columns(const struct sheet *sheet);
/* A column that is so wide on SHEET_WIDTH columns: it takes what others leave. */
size_t sheet_column(const struct sheet *sheet, size_t usual);

/* What switches a terminal to the colour; "" without colours. */
const char *sheet_code(const struct sheet *sheet, enum sheet_colour colour);
void sheet_coloured(struct sheet *sheet, enum sheet_colour colour, const char *text);

/* A name cut to the columns it may take; line breaks and other control characters become blanks. */
void text_fitted(struct text *out, const char *name, size_t width);
/* The same at the end of a line: without blanks up to there. */
void text_shortened(struct text *out, const char *words, size_t width);

/* aside: dim, at the right; NULL or "": none. */
void sheet_heading(struct sheet *sheet, const char *title, const char *aside);
/* In lines of at most the sheet's columns; the first begins at `first` columns that stand already. */
void sheet_paragraph(struct sheet *sheet, const char *text, size_t indent, size_t first);
/* A label, and a paragraph that is indented behind it. */
void sheet_labelled(struct sheet *sheet, enum sheet_colour colour, const char *label, const char *text, size_t indent);
/* share: of the whole, 0 to 1. */
void sheet_bar(struct sheet *sheet, double share, enum sheet_colour colour);
/* A line of label, bar, share and what stands beside it. */
void sheet_share_line(struct sheet *sheet, const char *label, double share, enum sheet_colour colour,
                      const char *aside);

/* Of a handful of samples each is a large share, and says next to nothing. */
bool sheet_has_samples(const struct sheet *sheet);

#endif
