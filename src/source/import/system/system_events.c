/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/system/system_reading.h"

/* "Event  Total  %Total  CurAvg/s" */
static bool is_heading(const struct words *words)
{
    return words->count >= 3 && view_equal(words->items[0], "Event") && view_equal(words->items[1], "Total") &&
           view_equal(words->items[2], "%Total");
}

/* "kvm_exit(EPT_MISCONFIG)  201100  3.1  20110" */
static bool row_read(const struct words *row, struct view *ret_name, double *ret_count)
{
    double ignored;
    if (row->count < 3 || !view_grouped(row->items[1], ret_count) || !(*ret_count >= 0))
        return false;
    for (size_t at = 2; at < row->count; at++)
        if (!view_grouped(row->items[at], &ignored))
            return false;
    *ret_name = row->items[0];
    return true;
}

bool system_events_read(struct view line, struct view *rest, struct text *out)
{
    static const char exits[] = "kvm_exit(";
    struct words words;
    struct view name;
    double count, all = 0, named = 0;
    words_of(line, &words);
    if (!is_heading(&words))
        return false;
    text_add_char(out, '\n');
    for (struct view after = *rest; view_line(&after, &line); *rest = after) {
        words_of(line, &words);
        if (!words.count || !row_read(&words, &name, &count))
            break;
        all += view_equal(name, "kvm_exit") ? count : 0;
        if (view_starts(name, exits) && view_ends(name, ")")) {
            name = view_skip(name, sizeof(exits) - 1);
            named += count;
            text_printf(out, "@exits[%.*s]: %.0f\n", (int)name.length - 1, name.text, count);
        }
    }
    if (named > 0 && all > named)
        text_printf(out, "@exits[others]: %.0f\n", all - named);
    return true;
}
