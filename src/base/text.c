/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text.h"

#include "base/arena.h"
#include "base/digits.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

bool view_equal(struct view view, const char *text)
{
    size_t length = strlen(text);
    return view.length == length && memcmp(view.text, text, length) == 0;
}

bool view_starts(struct view view, const char *prefix)
{
    size_t length = strlen(prefix);
    return view.length >= length && memcmp(view.text, prefix, length) == 0;
}

bool views_equal_caseless(struct view one, struct view other)
{
    return one.length == other.length && (!one.length || strncasecmp(one.text, other.text, one.length) == 0);
}

bool view_equal_caseless(struct view view, const char *text)
{
    return views_equal_caseless(view, view_of(text));
}

bool view_starts_caseless(struct view view, const char *prefix)
{
    size_t length = strlen(prefix);
    return view.length >= length && (!length || strncasecmp(view.text, prefix, length) == 0);
}

bool view_is_any_caseless(struct view view, const char *const *texts, size_t count)
{
    for (size_t at = 0; at < count; at++)
        if (view_equal_caseless(view, texts[at]))
            return true;
    return false;
}

bool view_ends(struct view view, const char *suffix)
{
    size_t length = strlen(suffix);
    return view.length >= length && memcmp(view.text + view.length - length, suffix, length) == 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct view view_trim(struct view view)
{
    while (view.length && is_blank(view.text[0]))
        view = view_skip(view, 1);
    while (view.length && is_blank(view.text[view.length - 1]))
        view.length--;
    return view;
}

struct view view_skip(struct view view, size_t count)
{
    if (count > view.length)
        count = view.length;
    return count ? (struct view){view.text + count, view.length - count} : view; /* nothing may be at NULL */
}

bool view_has_word(struct view text, const char *word)
{
    size_t length = strlen(word);
    for (size_t at = 0; at + length <= text.length; at++)
        if (strncasecmp(text.text + at, word, length) == 0 && (at == 0 || !isalpha((unsigned char)text.text[at - 1])))
            return true;
    return false;
}

struct view view_cut(struct view *rest, char separator)
{
    const char *at = rest->length ? memchr(rest->text, separator, rest->length) : NULL;
    size_t length = at ? (size_t)(at - rest->text) : rest->length, passed = length + (at != NULL);
    struct view before = {rest->text, length};
    if (passed)
        *rest = (struct view){rest->text + passed, rest->length - passed};
    return before;
}

struct view view_item(struct view *rest)
{
    *rest = view_trim(*rest);
    size_t length = 0;
    while (length < rest->length && rest->text[length] != ',' && !is_blank(rest->text[length]))
        length++;
    struct view item = {rest->text, length};
    *rest = view_trim(view_skip(*rest, length));
    if (rest->length && rest->text[0] == ',')
        *rest = view_skip(*rest, 1);
    return item;
}

struct view view_word(struct view *rest)
{
    while (rest->length && is_blank(rest->text[0]))
        *rest = view_skip(*rest, 1);
    struct view word = {rest->text, 0};
    while (word.length < rest->length && !is_blank(rest->text[word.length]))
        word.length++;
    *rest = view_skip(*rest, word.length);
    return word;
}

bool view_line(struct view *rest, struct view *ret_line)
{
    if (!rest->length)
        return false;
    struct view line = view_cut(rest, '\n');
    if (line.length && line.text[line.length - 1] == '\r')
        line.length--;
    *ret_line = line;
    return true;
}

bool view_mentions(struct view view, const char *part)
{
    size_t length = strlen(part);
    for (size_t at = 0; at + length <= view.length; at++)
        if (strncasecmp(view.text + at, part, length) == 0)
            return true;
    return false;
}

ptrdiff_t view_find(struct view view, const char *needle)
{
    const char *at = view.length ? memmem(view.text, view.length, needle, strlen(needle)) : NULL;
    return at ? at - view.text : -1;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

bool view_u64(struct view view, int base, uint64_t *ret_value)
{
    if (base == 0 || base == 16) {
        bool prefixed = view_starts(view, "0x") || view_starts(view, "0X");
        if (prefixed)
            view = view_skip(view, 2);
        if (base == 0)
            base = prefixed ? 16 : 10;
    }
    if (!view.length)
        return false;
    uint64_t value = 0;
    for (size_t at = 0; at < view.length; at++) {
        int digit = digit_value(view.text[at]);
        if (digit >= base || __builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return false;
    }
    *ret_value = value;
    return true;
}

bool view_i64(struct view view, int64_t *ret_value)
{
    bool negative = view_starts(view, "-");
    uint64_t magnitude;
    if (!view_u64(negative ? view_skip(view, 1) : view, 0, &magnitude))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0))
        return false;
    *ret_value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

bool view_double(struct view view, double *ret_value)
{
    char copy[64];
    if (!view.length || view.length >= sizeof(copy) || is_blank(view.text[0]))
        return false;
    memcpy(copy, view.text, view.length);
    copy[view.length] = '\0';
    char *end;
    double value = strtod(copy, &end);
    if (end != copy + view.length)
        return false;
    *ret_value = value;
    return true;
}

/*
 * Which of a number's marks stands before its fraction: '.' or ',' by locale; 0: none does. Marks between thousands
 * have three digits behind them.
 */
static char decimal_mark(struct view view)
{
    size_t counts[2] = {0}, last = 0;
    for (size_t at = 0; at < view.length; at++)
        if (view.text[at] == '.' || view.text[at] == ',') {
            counts[view.text[at] == ',']++;
            last = at;
        }
    size_t behind = view.length - last - 1;
    if (counts[0] && counts[1])
        return view.text[last];
    if (counts[0])
        return counts[0] == 1 ? '.' : 0;
    return counts[1] == 1 && (behind != 3 || view_starts(view, "0,")) ? ',' : 0;
}

static bool is_three_digits(struct view view, size_t at)
{
    for (size_t digit = at; digit < at + 3; digit++)
        if (digit >= view.length || view.text[digit] < '0' || view.text[digit] > '9')
            return false;
    return true;
}

/* With this mark before its fraction (0: it has none), and the others between thousands. */
static bool number_with(struct view view, char mark, double *ret_value)
{
    char digits[40];
    size_t used = 0, marks = 0;
    double value;
    for (size_t at = 0; at < view.length; at++) {
        bool is_mark = view.text[at] == mark;
        marks += is_mark;
        if (!is_mark && (view.text[at] == ',' || view.text[at] == '.' ||
                         (used && view.text[at] == '\'' && is_three_digits(view, at + 1))))
            continue;
        if (used + 1 >= sizeof(digits))
            return false;
        digits[used++] = is_mark ? '.' : view.text[at];
    }
    bool starts = used && digits[0] >= '0' && digits[0] <= '9' && (!mark || marks == 1);
    if (!starts || !view_double((struct view){digits, used}, &value) || !(value < 1e18))
        return false;
    *ret_value = value;
    return true;
}

bool view_grouped(struct view view, double *ret_value)
{
    return number_with(view, decimal_mark(view), ret_value);
}

/* Where its only mark stands; -1: it has none, or several. */
static ptrdiff_t only_mark(struct view view)
{
    ptrdiff_t found = -1;
    for (size_t at = 0; at < view.length; at++)
        if (view.text[at] == '.' || view.text[at] == ',') {
            if (found >= 0)
                return -1;
            found = (ptrdiff_t)at;
        }
    return found;
}

bool view_count(struct view view, double *ret_value)
{
    ptrdiff_t mark = only_mark(view);
    bool is_group = mark >= 1 && mark <= 3 && view.text[0] != '0' && view.length == (size_t)mark + 4 &&
                    is_three_digits(view, (size_t)mark + 1);
    return number_with(view, is_group ? 0 : decimal_mark(view), ret_value);
}

bool view_decimal(struct view view, double *ret_value)
{
    ptrdiff_t mark = only_mark(view);
    return number_with(view, mark >= 0 ? view.text[mark] : decimal_mark(view), ret_value);
}

bool view_duration(struct view view, double *ret_seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    for (size_t at = 0; at < sizeof(units) / sizeof(units[0]); at++) {
        double number;
        if (!view_ends(view, units[at].unit))
            continue;
        view.length -= strlen(units[at].unit);
        if (!view_grouped(view, &number))
            return false;
        *ret_seconds = number * units[at].seconds;
        return true;
    }
    return false;
}

void text_done(struct text *text)
{
    free(text->bytes);
    *text = (struct text){0};
}

void text_truncate(struct text *text, size_t length)
{
    text->length = length;
    if (text->bytes)
        text->bytes[length] = '\0';
}

void text_clear(struct text *text)
{
    text->length = 0;
    if (text->bytes)
        text->bytes[0] = '\0';
}

void text_reserve(struct text *text, size_t more)
{
    size_t need = text->length + more + 1;
    if (need <= text->capacity)
        return;
    size_t capacity = text->capacity * 2 > need ? text->capacity * 2 : need;
    text->bytes = memory_resize(text->bytes, capacity);
    text->capacity = capacity;
}

void text_add(struct text *text, const char *string)
{
    text_append(text, string, strlen(string));
}

void text_add_repeated(struct text *text, const char *string, size_t times)
{
    size_t length = strlen(string);
    char *at = text_room(text, memory_product(times, length));
    for (; length > 1 && times; times--, at += length)
        memcpy(at, string, length);
    if (length == 1)
        at = (char *)memset(at, string[0], times) + times;
    text_end(text, at);
}

static void text_add_digits(struct text *text, uint64_t value, unsigned base)
{
    char digits[24];
    size_t at = sizeof(digits);
    do {
        digits[--at] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    text_append(text, digits + at, sizeof(digits) - at);
}

void text_add_u64(struct text *text, uint64_t value)
{
    text_add_digits(text, value, 10);
}

void text_add_hex(struct text *text, uint64_t value)
{
    text_add_digits(text, value, 16);
}

/*
 * Whether it is plain how many hundredths round to: neither too large nor so near the middle between two that each bit
 * of it counts.
 */
static bool hundredths_of(double value, uint64_t *ret_hundredths)
{
    if (!(value < 1e9) || signbit(value))
        return false;
    double scaled = value * 100, whole = floor(scaled), rest = scaled - whole;
    *ret_hundredths = (uint64_t)whole + (rest > 0.5);
    return rest < 0.499 || rest > 0.501;
}

void text_add_hundredths(struct text *text, double value)
{
    uint64_t hundredths;
    if (!hundredths_of(value, &hundredths)) {
        text_printf(text, "%.2f", value);
        return;
    }
    char *at = digits_decimal(text_room(text, DIGITS_MOST + 3), hundredths / 100, 0, ' ');
    *at++ = '.';
    text_end(text, digits_decimal(at, hundredths % 100, 2, '0'));
}

void text_vprintf(struct text *text, const char *format, va_list args)
{
    enum { MOST_OFTEN_ENOUGH = 63 };
    va_list again;
    va_copy(again, args);
    text_reserve(text, MOST_OFTEN_ENOUGH);
    size_t room = text->capacity - text->length;
    int length = vsnprintf(text->bytes + text->length, room, format, args);
    if (length > 0 && (size_t)length >= room) {
        text_reserve(text, (size_t)length);
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
    }
    text_truncate(text, text->length + (length > 0 ? (size_t)length : 0));
    va_end(again);
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_vprintf(text, format, args);
    va_end(args);
}

char *text_steal(struct text *text)
{
    text_reserve(text, 0);
    text->bytes[text->length] = '\0';
    char *bytes = text->bytes;
    *text = (struct text){0};
    return bytes;
}

const char *text_string(const struct text *text)
{
    return text->bytes ? text->bytes : "";
}

bool text_write_file(struct text *text, FILE *file)
{
    bool written = fwrite(text_string(text), 1, text->length, file) == text->length;
    text_clear(text);
    return written;
}

void text_spill(struct text *text, FILE *file)
{
    enum { LONG_BYTES = 256 << 10 };
    if (file && text->length >= LONG_BYTES && !text_write_file(text, file))
        text_clear(text);
}

size_t utf8_length(const char *string, size_t left)
{
    const unsigned char *text = (const unsigned char *)string;
    if (text[0] < 0x80)
        return 1;
    size_t length = text[0] >= 0xf0 && text[0] < 0xf5 ? 4 : text[0] >= 0xe0 ? 3 : text[0] >= 0xc2 ? 2 : 0;
    if (text[0] >= 0xf5 || !length || length > left)
        return 0;
    for (size_t at = 1; at < length; at++)
        if ((text[at] & 0xc0) != 0x80)
            return 0;
    bool overlong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    bool surrogate = text[0] == 0xed && text[1] >= 0xa0;
    bool beyond = text[0] == 0xf4 && text[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

/* How many of eight bytes go on with a letter that was begun before: 10xxxxxx. */
static size_t continuing(uint64_t bytes)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    return (((bytes >> 7) & ~(bytes >> 6) & each) * each) >> 56;
}

size_t text_columns(const char *string)
{
    size_t length = strlen(string), columns = length, at = 0;
    for (uint64_t bytes; at + sizeof(bytes) <= length; at += sizeof(bytes)) {
        memcpy(&bytes, string + at, sizeof(bytes));
        columns -= continuing(bytes);
    }
    for (; at < length; at++)
        columns -= ((unsigned char)string[at] & 0xc0) == 0x80;
    return columns;
}

static size_t bracket_end(const char *name, char open)
{
    char close = open == '<' ? '>' : ')';
    size_t depth = 0;
    for (size_t at = 0; name[at]; at++) {
        bool arrow = close == '>' && at && name[at - 1] == '-';
        depth += name[at] == open;
        if (name[at] == close && !arrow && --depth == 0)
            return at;
    }
    return 0;
}

/* "<<" and "<=" of operators, and brackets around nothing, stay. */
static bool is_bracket(const char *name, size_t at, const char *opening)
{
    bool of_operator = at >= 8 && strncmp(name + at - 8, "operator", 8) == 0;
    bool of_shift = at >= 9 && strncmp(name + at - 9, "operator<", 9) == 0;
    return strchr(opening, name[at]) && !of_operator && !of_shift && bracket_end(name + at, name[at]) > 1;
}

static void name_without(struct text *out, const char *name, const char *opening)
{
    for (size_t at = 0; name[at]; at++) {
        text_add_char(out, name[at]);
        if (!is_bracket(name, at, opening))
            continue;
        text_add(out, "..");
        at += bracket_end(name + at, name[at]) - 1;
    }
}

void text_add_name(struct text *text, const char *name, size_t columns)
{
    static const char *const brackets[] = {"<", "<("};
    struct text shorter = {0};
    const char *rest = name;
    for (size_t at = 0; at < sizeof(brackets) / sizeof(brackets[0]) && text_columns(rest) > columns; at++) {
        text_done(&shorter);
        shorter = (struct text){0};
        name_without(&shorter, name, brackets[at]);
        rest = text_string(&shorter);
    }
    size_t most = text_columns(rest) > columns && columns > 2 ? columns - 2 : SIZE_MAX, shown = 0, length = 0;
    for (; rest[length] && shown < most; shown++)
        do
            length++;
        while (((unsigned char)rest[length] & 0xc0) == 0x80);
    text_append(text, rest, length);
    text_add(text, rest[length] ? ".." : "");
    text_done(&shorter);
}

size_t text_distance(const char *a, const char *b)
{
    enum { LONGEST = 64 };
    size_t length_a = strnlen(a, LONGEST), length_b = strnlen(b, LONGEST);
    size_t row[LONGEST + 1];
    for (size_t at = 0; at <= length_b; at++)
        row[at] = at;
    for (size_t i = 1; i <= length_a; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
            size_t shorter = row[j] < row[j - 1] ? row[j] : row[j - 1];
            diagonal = row[j];
            row[j] = substituted < shorter + 1 ? substituted : shorter + 1;
        }
    }
    return row[length_b];
}

struct short_number short_number_of(double number)
{
    struct short_number short_number;
    double size = number < 0 ? -number : number;
    snprintf(short_number.text, sizeof(short_number.text), size >= 99.5 && size < 1e15 ? "%.0f" : "%.2g", number);
    return short_number;
}

static bool is_swap(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return a[0] && b[0] && a[0] == b[1] && a[1] == b[0] && strcmp(a + 2, b + 2) == 0;
}

bool text_is_slip(const char *a, const char *b)
{
    enum { SHORT = 4 };
    size_t length = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
    return text_distance(a, b) <= (length <= SHORT ? 1 : 2) || is_swap(a, b);
}
