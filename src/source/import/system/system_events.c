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

/* For how long all of a row was counted, by how many there were in a second; 0: not told. */
static double seconds_of(const struct words *heading, const struct words *row)
{
    double all, in_second;
    for (size_t at = 3; at < heading->count && at < row->count; at++)
        if (view_equal(heading->items[at], "CurAvg/s") && view_grouped(row->items[1], &all) &&
            view_grouped(row->items[at], &in_second) && in_second > 0)
            return all / in_second;
    return 0;
}

/* "kvm_exit  41822  41822" of kvm_stat -1, which has no heading: so many at all, and in the last second. */
static bool is_headless(const struct words *words)
{
    struct view name;
    double count;
    return words->count == 3 &&
           (view_starts(words->items[0], "kvm_exit") || view_starts(words->items[0], "kvm_entry")) &&
           row_read(words, &name, &count);
}

bool system_events_read(struct view line, struct view *rest, struct text *out)
{
    static const char exits[] = "kvm_exit(";
    struct words heading, words;
    struct view name, from = *rest;
    double count, all = 0, named = 0, seconds = 0;
    words_of(line, &words);
    heading = words;
    bool headless = is_headless(&words);
    if (!headless && !is_heading(&words))
        return false;
    text_add_char(out, '\n');
    if (headless && rest->text) /* this line is a row, too */
        from = (struct view){line.text, (size_t)(rest->text - line.text) + rest->length};
    for (struct view after = from; view_line(&after, &line); *rest = after) {
        words_of(line, &words);
        if (!words.count || !row_read(&words, &name, &count) || (headless && !view_starts(name, "kvm_")))
            break;
        if (headless)
            (void)view_grouped(words.items[words.count - 1], &count);
        all += view_equal(name, "kvm_exit") ? count : 0;
        if (view_equal(name, "kvm_exit") && !headless)
            seconds = seconds_of(&heading, &words);
        if (view_starts(name, exits) && view_ends(name, ")")) {
            name = view_skip(name, sizeof(exits) - 1);
            named += count;
            text_printf(out, "@exits[%.*s]: %.0f\n", (int)name.length - 1, name.text, count);
        }
    }
    if (named > 0 && all > named)
        text_printf(out, "@exits[others]: %.0f\n", all - named);
    if (named > 0 && seconds > 0)
        text_printf(out, "%s%.6g s\n", KVM_STAT_SECONDS, seconds);
    return true;
}
