/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Of which pieces does a document consist: headings, paragraphs of words, items of lists, quotes, and tables of any
 * kind?
 *
 * By Markdown's marks and the look of lines alone. Does not support: telling a table that stands in a paragraph of
 * words from them.
 */
#ifndef PLUMB_SOURCE_IMPORT_IMPORT_PIECES_H
#define PLUMB_SOURCE_IMPORT_IMPORT_PIECES_H

#include "base/text.h"

#include <stddef.h>

enum piece_kind { PIECE_TABLE, PIECE_ITEM, PIECE_WORDS, PIECE_HEADING };

enum piece_box { BOX_NONE, BOX_OPEN, BOX_TICKED };

struct piece {
    enum piece_kind kind;
    struct view text;   /* of whole lines, without the last one's end */
    size_t level;       /* of a heading: 1 is above all others */
    enum piece_box box; /* of an item: "- [ ]" */
};

enum { PIECE_LEVEL_LEAST = 7 }; /* "**To do**", on a line of its own */

/* The next piece, and skip it; false: there is none. whole: the document that text ends. */
bool import_piece_next(struct view *text, struct view whole, struct piece *ret_piece);

#endif
