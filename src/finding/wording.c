/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "finding/wording.h"

#include "base/scope.h"
#include "base/vec.h"

#include <assert.h>
#include <math.h>

const char *wording_find(const char *section, const char *key)
{
    size_t low = 0, high = wording_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(&wording_texts[wording_table[middle].section], section);
        order = order ? order : strcmp(&wording_texts[wording_table[middle].key], key);
        if (order == 0)
            return &wording_texts[wording_table[middle].text];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

void print_bytes(struct text *out, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < array_count(units)) {
        bytes /= 1024;
        unit++;
    }
    text_printf(out, bytes < 10 && bytes != floor(bytes) ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

void print_seconds(struct text *out, double seconds)
{
    if (seconds == 0)
        text_add(out, "0 s");
    else if (seconds < 1e-6)
        text_printf(out, "%.3g ns", seconds * 1e9);
    else if (seconds < 1e-3)
        text_printf(out, "%.3g us", seconds * 1e6);
    else if (seconds < 1)
        text_printf(out, "%.3g ms", seconds * 1e3);
    else
        text_printf(out, seconds < 10 ? "%.2f s" : "%.1f s", seconds);
}

static void print_percent(struct text *out, double share)
{
    double percent = share * 100;
    text_printf(out, percent > 0 && percent < 9.95 ? "%.1f" : "%.0f", percent);
}

static void print_one(struct text *out, enum unit unit, double number)
{
    switch (unit) {
    case UNIT_SHARE:
        print_percent(out, number);
        text_add(out, " %");
        break;
    case UNIT_SECONDS:
        print_seconds(out, number);
        break;
    case UNIT_BYTES_LEAST:
        text_add(out, "at least ");
        print_bytes(out, number);
        break;
    case UNIT_BYTES:
        print_bytes(out, number);
        break;
    case UNIT_FACTOR:
        text_printf(out, "%.2f times", number);
        break;
    default:
        text_printf(out,
                    number > 0 && number < 0.95               ? "%.2g"
                    : number < 100 && number != floor(number) ? "%.1f"
                                                              : "%.0f",
                    number);
    }
}

/* "99.6 %": known to the point, and not all of it, as "100 %" would have it. */
static bool is_nearly_all(const struct value *value)
{
    static const double ROUNDED_UP = 0.995, ALL = 0.9995;
    double low = round(value->number.low * 1000), high = round(value->number.high * 1000);
    return value->unit == UNIT_SHARE && !(low < high) && value->number.low >= ROUNDED_UP && value->number.low < ALL;
}

void value_print(struct text *out, const struct value *value)
{
    if (value->unit == UNIT_TEXT) {
        text_add(out, value->text ? value->text : "?");
        return;
    }
    if (!value->number.known) {
        text_add(out, "an unknown amount");
        return;
    }
    if (is_nearly_all(value)) {
        text_printf(out, "%.1f %%", value->number.low * 100);
        return;
    }
    scoped_text struct text low = {0};
    scoped_text struct text high = {0};
    print_one(&low, value->unit, value->number.low);
    print_one(&high, value->unit, value->number.high);
    if (strcmp(text_string(&low), text_string(&high)) == 0) {
        text_add(out, text_string(&low));
        return;
    }
    if (value->unit == UNIT_SHARE)
        low.bytes[low.length - 2] = '\0'; /* "61 to 74 %" */
    text_printf(out, "%s to %s", text_string(&low), text_string(&high));
}

/* "(s)" behind a number: the plural's ending, unless the number is one. Returns its length, 0: none stands here. */
static size_t plural_add(struct text *out, const char *at, bool is_one)
{
    static const char *const endings[] = {"s", "es"};
    for (size_t ending = 0; ending < array_count(endings); ending++) {
        size_t length = strlen(endings[ending]);
        if (at[0] != '(' || strncmp(at + 1, endings[ending], length) != 0 || at[1 + length] != ')')
            continue;
        text_add(out, is_one ? "" : endings[ending]);
        return length + 2;
    }
    return 0;
}

const char *wording_fill(struct arena *arena, const char *template_text, const struct value *values, size_t count)
{
    scoped_text struct text out = {0};
    bool is_one = false;
    for (const char *at = template_text; *at;) {
        const char *close = *at == '{' ? strchr(at, '}') : NULL;
        size_t ending = close ? 0 : plural_add(&out, at, is_one);
        if (!close && !ending)
            text_add_char(&out, *at);
        if (!close) {
            at += ending ? ending : 1;
            continue;
        }
        struct view name = {at + 1, (size_t)(close - at - 1)};
        bool found = false;
        for (size_t value = 0; value < count && !found; value++)
            if (view_equal(name, values[value].name)) {
                value_print(&out, &values[value]);
                const struct interval *number = &values[value].number;
                is_one = values[value].unit == UNIT_COUNT_OF && number->known && number->low == 1 && number->high == 1;
                found = true;
            }
        assert(found && "data/advice.txt names a value that the hypothesis doesn't give");
        at = close + 1;
    }
    return arena_string(arena, text_string(&out));
}
