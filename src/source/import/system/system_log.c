/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/system/system_reading.h"

#include <ctype.h>

/*
 * "CPU3: Package temperature above threshold, cpu clock throttled", "CPU3: Core temperature/speed normal", by which it
 * ends.
 */
void system_log_read(struct system_reading *reading, struct view line)
{
    ptrdiff_t at = view_find(line, "CPU");
    struct view rest = at < 0 ? (struct view){0} : view_skip(line, (size_t)at + strlen("CPU"));
    size_t digits = 0;
    while (digits < rest.length && isdigit((unsigned char)rest.text[digits]))
        digits++;
    rest = view_skip(rest, digits);
    bool of_core = view_starts(rest, ": Core temperature"), of_package = view_starts(rest, ": Package temperature");
    reading->was_hot |= digits && (of_core || of_package);
}
