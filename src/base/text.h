/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text in is a view (pointer, length); text out goes through one builder.
 *
 * A view owns nothing and need not end in NUL. A builder owns its bytes, which always end in NUL.
 * Does not support: wide characters, locales (numbers are always written as in LC_NUMERIC=C).
 */
#ifndef PLUMB_BASE_TEXT_H
#define PLUMB_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct view {
    const char *text;
    size_t length;
};

#define VIEW(literal) ((struct view){(literal), sizeof(literal) - 1})

static inline struct view view_of(const char *text)
{
    return (struct view){text, text ? strlen(text) : 0};
}

bool view_equal(struct view view, const char *text);
bool view_starts(struct view view, const char *prefix);
bool view_ends(struct view view, const char *suffix);
/* The same whatever the letters' case. */
bool view_equal_caseless(struct view view, const char *text);
bool view_starts_caseless(struct view view, const char *prefix);
bool views_equal_caseless(struct view one, struct view other);
bool view_is_any_caseless(struct view view, const char *const *texts, size_t count);
struct view view_trim(struct view view);
struct view view_skip(struct view view, size_t count);
/* The word begins a word of the text, whatever their case. */
bool view_has_word(struct view text, const char *word);
/* Cut at the first separator: returns what stands before it and moves *rest behind it (to length 0 at the end). */
struct view view_cut(struct view *rest, char separator);
/* As view_cut, for a list whose items stand apart by a comma, by blanks, or both. */
struct view view_item(struct view *rest);
/* As view_cut, for runs of blanks and tabs. */
struct view view_word(struct view *rest);
/* The next line without its line end; false when nothing is left. */
bool view_line(struct view *rest, struct view *ret_line);
/* Position of needle in view, or -1. */
ptrdiff_t view_find(struct view view, const char *needle);
bool view_mentions(struct view view, const char *part); /* whatever its letters' case */

/* The whole view as a number; false (ret untouched) on anything else, overflow included. */
bool view_u64(struct view view, int base, uint64_t *ret_value); /* base 0: 0x prefix means 16, else 10 */
bool view_i64(struct view view, int64_t *ret_value);
bool view_double(struct view view, double *ret_value);
/*
 * The same as tools print them in any locale: "1,234.5", "1.234,5", "8'330", "0,43", from 0 to 1e18. One comma with
 * three digits behind it stands between thousands.
 */
bool view_grouped(struct view view, double *ret_value);
/* of what has no fraction, as counts of events: "1.234" is 1234 */
bool view_count(struct view view, double *ret_value);
/* of what has no marks between thousands, as perf's seconds and shares: "1,234" is 1.234 */
bool view_decimal(struct view view, double *ret_value);
/* "3.25us", "1.2ms", "7s", as view_grouped reads the number. */
bool view_duration(struct view view, double *ret_seconds);

struct text {
    char *bytes; /* never NULL after the first append; ends in NUL */
    size_t length, capacity;
};

void text_done(struct text *text);
void text_clear(struct text *text);
/* Keep the first `length` bytes; there are as many. */
void text_truncate(struct text *text, size_t length);
/* Make room for so many further bytes. */
void text_reserve(struct text *text, size_t more);
void text_add(struct text *text, const char *string);
void text_add_repeated(struct text *text, const char *string, size_t times);

struct short_number {
    char text[32];
};
/* Two digits, as many as are before the point, and never an exponent for what a page shows: "0.034", "1.6", "1600". */
struct short_number short_number_of(double number);
void text_add_u64(struct text *text, uint64_t value);
void text_add_hex(struct text *text, uint64_t value);
/* As "%.2f" has it. */
void text_add_hundredths(struct text *text, double value);
__attribute__((format(printf, 2, 3))) void text_printf(struct text *text, const char *format, ...);
__attribute__((format(printf, 2, 0))) void text_vprintf(struct text *text, const char *format, va_list args);
/* Where up to so many further bytes may be written; text_end says where they end. */
static inline char *text_room(struct text *text, size_t length)
{
    if (text->length + length >= text->capacity)
        text_reserve(text, length);
    return text->bytes + text->length;
}
static inline void text_end(struct text *text, char *end)
{
    text->length = (size_t)(end - text->bytes);
    *end = '\0';
}
static inline void text_append(struct text *text, const char *bytes, size_t length)
{
    char *to = text_room(text, length);
    if (length)
        memcpy(to, bytes, length);
    text_end(text, to + length);
}
static inline void text_add_char(struct text *text, char character)
{
    text_append(text, &character, 1);
}
/* The bytes; the builder is empty afterwards. Owner: the caller (free). */
char *text_steal(struct text *text);
/* "" when nothing was ever added. */
const char *text_string(const struct text *text);
/* All of it; good until the builder changes. */
static inline struct view text_view(const struct text *text)
{
    return (struct view){text_string(text), text->length};
}
/* Write all and clear; false with errno set when the stream or descriptor fails. */
bool text_write_file(struct text *text, FILE *file);
/*
 * The same once it is long, so that a result of any length needs little memory; whether it failed, ferror() tells at
 * the end. NULL: never.
 */
void text_spill(struct text *text, FILE *file);

#define scoped_text scoped(text_done)

/* Bytes of the well-formed UTF-8 sequence at text, or 0; left: at least 1. */
size_t utf8_length(const char *text, size_t left);
/* Columns that a UTF-8 string takes on a terminal, counting each code point as one. */
size_t text_columns(const char *string);
/*
 * A function's name for a sentence. One that is longer than so many columns loses what stands in its innermost
 * brackets, those of templates and parameters, as far as needed ("std::sort<..>(..)"), and then its end.
 */
void text_add_name(struct text *text, const char *name, size_t columns);

/* Edit distance of two words, for "did you mean". */
size_t text_distance(const char *a, const char *b);
/*
 * Whether one is the other, typed with a slip of the fingers: a letter wrong, or two that changed places; of words from
 * five letters on two such.
 */
bool text_is_slip(const char *a, const char *b);

#endif
