/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/system/system_reading.h"

#include <ctype.h>
#include <string.h>

/*
 * "CPU3: Package temperature above threshold, cpu clock throttled", "CPU3: Core temperature/speed normal", by which it
 * ends.
 */
/*
 * "clocksource: Switched to clocksource hpet", "current_clocksource: hpet", "clocksource=acpi_pm": a list of those that
 * there are says nothing.
 */
static void clock_read(struct system_reading *reading, struct view line)
{
    static const char *const slow[] = {"hpet", "acpi_pm", "pit", "jiffies"};
    static const char mark[] = "clocksource";
    if (view_find(line, "available_clocksource") >= 0)
        return;
    for (ptrdiff_t at; (at = view_find(line, mark)) >= 0;) {
        line = view_skip(line, (size_t)at + sizeof(mark) - 1);
        struct view rest = line;
        while (rest.length && strchr(" :='\"`", rest.text[0]) && rest.text[0])
            rest = view_skip(rest, 1);
        rest = view_starts(rest, "is ") ? view_skip(rest, 3) : rest;
        for (size_t one = 0; one < sizeof(slow) / sizeof(*slow); one++) {
            size_t length = strlen(slow[one]);
            if (view_starts(rest, slow[one]) && (rest.length == length || !isalnum((unsigned char)rest.text[length])))
                reading->clock = slow[one];
        }
    }
}

void system_log_read(struct system_reading *reading, struct view line)
{
    clock_read(reading, line);
    ptrdiff_t at = view_find(line, "CPU");
    struct view rest = at < 0 ? (struct view){0} : view_skip(line, (size_t)at + strlen("CPU"));
    size_t digits = 0;
    while (digits < rest.length && isdigit((unsigned char)rest.text[digits]))
        digits++;
    rest = view_skip(rest, digits);
    bool of_core = view_starts(rest, ": Core temperature"), of_package = view_starts(rest, ": Package temperature");
    reading->was_hot |= digits && (of_core || of_package);
}
