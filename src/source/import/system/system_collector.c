/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/system/system_reading.h"

#include "base/vec.h"

#include <ctype.h>
#include <math.h>

static bool number_behind(struct view line, const char *mark, double *ret_number)
{
    ptrdiff_t at = view_find(line, mark);
    if (at < 0)
        return false;
    line = view_trim(view_skip(line, (size_t)at + strlen(mark)));
    size_t length = 0;
    while (length < line.length && (isdigit((unsigned char)line.text[length]) || line.text[length] == '.'))
        length++;
    return length && view_double((struct view){line.text, length}, ret_number) && *ret_number >= 0;
}

/* The number that ends before a mark: "7.430" of "… 7.430ms". */
static bool number_before(struct view line, const char *mark, double *ret_number)
{
    ptrdiff_t end = view_find(line, mark);
    size_t from = end > 0 ? (size_t)end : 0;
    while (from > 0 && (isdigit((unsigned char)line.text[from - 1]) || line.text[from - 1] == '.'))
        from--;
    return end > 0 && from < (size_t)end &&
           view_double((struct view){line.text + from, (size_t)end - from}, ret_number);
}

static struct system_table *table_of(struct system_reading *reading)
{
    return system_table_of(reading, TOOL_COLLECTOR);
}

/* "gc 39 @0.297s 12%: 0.015+5.9+0.003 ms clock, …": of all CPUs it may use, since it was started. */
static bool go_read(struct system_reading *reading, struct view line)
{
    double number, seconds, percent;
    struct view rest = line;
    if (!view_equal(view_word(&rest), "gc") || !view_grouped(view_word(&rest), &number))
        return false;
    if (!number_behind(rest, "@", &seconds) || !number_before(rest, "%:", &percent) ||
        view_find(rest, " ms clock") < 0 || percent > 100)
        return false;
    system_meet(table_of(reading), FACT_COLLECTING, percent);
    system_meet(table_of(reading), FACT_COLLECTED_S, seconds);
    system_meet(table_of(reading), FACT_COLLECTED, number);
    return true;
}

/* "[12.345s]", of several marks before a line; false: none is a time since the start. */
static bool uptime_of(struct view line, double *ret_seconds)
{
    while (view_starts(line, "[")) {
        struct view mark = view_skip(line, 1), inside = view_cut(&mark, ']');
        struct view number = inside;
        if (view_ends(inside, "ms") || !view_ends(inside, "s"))
            number.length = 0;
        else
            number.length--;
        if (number.length && view_double(number, ret_seconds) && *ret_seconds >= 0)
            return true;
        line = mark;
    }
    return false;
}

/* "3802M" at a text's beginning, in MB; false: it is no size. */
static bool size_read(struct view text, double *ret_mb)
{
    static const struct {
        char unit;
        double mb;
    } units[] = {{'K', 1.0 / 1024}, {'M', 1}, {'G', 1024}};
    size_t length = 0;
    while (length < text.length && (isdigit((unsigned char)text.text[length]) || text.text[length] == '.'))
        length++;
    if (!length || length == text.length || !view_double((struct view){text.text, length}, ret_mb))
        return false;
    for (size_t at = 0; at < array_count(units); at++)
        if (text.text[length] == units[at].unit) {
            *ret_mb *= units[at].mb;
            return true;
        }
    return false;
}

/* What of a heap's parts "[ParOldGen: 300K->250K(400K)]" is not, "] 400K->250K(600K)". */
static bool is_of_whole(struct view line, size_t arrow)
{
    while (arrow > 0 && line.text[arrow - 1] != ' ')
        arrow--;
    while (arrow > 0 && line.text[arrow - 1] == ' ')
        arrow--;
    return arrow > 0 && (line.text[arrow - 1] == ')' || line.text[arrow - 1] == ']');
}

/* "Pause Full (G1 Compaction Pause) 4091M->3802M(4096M) 4188.102ms": what stays alive, of how much there may be. */
static void full_note(struct system_table *table, struct view line)
{
    static const char arrow[] = "->";
    struct view rest = line;
    for (ptrdiff_t at; (at = view_find(rest, arrow)) >= 0;) {
        size_t begin = (size_t)(rest.text - line.text) + (size_t)at;
        double kept_mb, heap_mb;
        rest = view_skip(rest, (size_t)at + sizeof(arrow) - 1);
        ptrdiff_t bracket = view_find(rest, "(");
        if (!is_of_whole(line, begin) || !size_read(rest, &kept_mb) || bracket < 0 ||
            !size_read(view_skip(rest, (size_t)bracket + 1), &heap_mb) || !(kept_mb <= heap_mb))
            continue;
        system_meet(table, FACT_HEAP_KEPT, kept_mb);
        system_meet(table, FACT_HEAP, heap_mb);
        return;
    }
}

static void pause_meet(struct system_reading *reading, double pause_s, double now_s)
{
    struct system_table *table = table_of(reading);
    system_meet(table, FACT_PAUSE_S, pause_s);
    if (now_s > 0)
        system_meet(table, FACT_PAUSE_AT_S, now_s);
}

/* Whose numbers follow one another is whole; concurrent cycles work between their pauses. */
static void log_note(struct pause_log *log, struct view line)
{
    static const char *const concurrent[] = {"Concurrent", "Pause Remark", "Pause Cleanup", "Pause Mark Start",
                                             "Pause Init ", "Pause Final "};
    double number;
    for (size_t at = 0; at < sizeof(concurrent) / sizeof(*concurrent); at++)
        log->is_concurrent |= view_find(line, concurrent[at]) >= 0;
    if (!number_behind(line, "GC(", &number))
        return;
    log->has_gaps |= log->is_numbered && (number < log->last || number > log->last + 1);
    log->is_numbered = true;
    log->last = number;
}

/* "[43.871s][info][gc] Allocation Stall (http-nio-12) 1211.402ms": of several threads at once the time counts once. */
static bool stall_read(struct pause_log *log, struct view line)
{
    double stall_ms, now_s;
    ptrdiff_t at = view_find(line, " Allocation Stall (");
    struct view rest = view_trim(view_skip(line, at > 0 ? (size_t)at : 0));
    if (at < 0 || view_find(line, "GC(") >= 0 || !view_ends(rest, "ms") || !uptime_of(line, &now_s) ||
        !number_before(rest, "ms", &stall_ms))
        return false;
    double from_s = fmax(fmax(now_s - stall_ms / 1e3, log->stalls ? log->stalled_until_s : 0), 0);
    log->stalls_from_s = log->stalls++ ? log->stalls_from_s : from_s;
    log->stalled_s += fmax(now_s - from_s, 0);
    log->stalled_until_s = fmax(log->stalled_until_s, now_s);
    return true;
}

/* "[0.930s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 6M->3M(96M) 7.430ms" */
static bool java_read(struct system_reading *reading, struct view line)
{
    double pause_ms, now_s = 0;
    bool log = view_starts(line, "[") && (view_find(line, "[gc") > 0 || view_find(line, "[safepoint") > 0);
    if (!log || stall_read(&table_of(reading)->pauses, line) || view_find(line, "GC(") < 0)
        return log;
    log_note(&table_of(reading)->pauses, line);
    bool known = uptime_of(line, &now_s);
    if (view_find(line, "GC(0) ") > 0 && !table_of(reading)->met[FACT_PAUSE_S].count) { /* the log is whole */
        system_meet(table_of(reading), FACT_PAUSE_S, 0);
        system_meet(table_of(reading), FACT_PAUSE_AT_S, 0);
    }
    if (view_find(line, " Pause Full (") > 0)
        full_note(table_of(reading), line);
    ptrdiff_t pause = view_find(line, " Pause ");
    if (pause > 0 && view_ends(view_trim(line), "ms") &&
        number_before(view_trim(view_skip(line, (size_t)pause)), "ms", &pause_ms))
        pause_meet(reading, pause_ms / 1e3, known ? now_s : 0);
    return true;
}

/* "1.234: [GC (Allocation Failure)  65536K->1234K(251392K), 0.0012345 secs]", as Java 8 has it. */
static bool old_java_read(struct system_reading *reading, struct view line)
{
    double now_s = 0, pause_s;
    bool full = view_find(line, "[Full GC") >= 0;
    ptrdiff_t mark = full ? view_find(line, "[Full GC") : view_find(line, "[GC ");
    ptrdiff_t end = view_find(line, " secs]");
    if (mark < 0 || end < mark || !number_before(view_skip(line, (size_t)mark), " secs]", &pause_s))
        return false;
    struct view before = view_trim((struct view){line.text, (size_t)mark});
    for (struct view word; (word = view_word(&before)).length;) /* behind a date there may be one */
        if (view_ends(word, ":") && !view_double((struct view){word.text, word.length - 1}, &now_s))
            now_s = 0;
    if (full)
        full_note(table_of(reading), view_skip(line, (size_t)mark));
    pause_meet(reading, pause_s, now_s);
    return true;
}

/* "[99:0x43a]  335 ms: Mark-Compact 125.3 (159.0) -> 18.6 (52.8) MB, 5.67 / 0.00 ms  (+ 7.1 ms in 12 steps …" */
static bool node_read(struct system_reading *reading, struct view line)
{
    double now_ms, pause_ms, steps_ms = 0;
    ptrdiff_t collected = view_find(line, " MB, ");
    bool known = view_find(line, " ms: Scavenge ") > 0 || view_find(line, " ms: Mark-Compact ") > 0 ||
                 view_find(line, " ms: Mark-sweep ") > 0 || view_find(line, " ms: Minor Mark-") > 0;
    if (!view_starts(line, "[") || !known || collected < 0 || !number_before(line, " ms: ", &now_ms) ||
        !number_behind(line, " MB, ", &pause_ms))
        return false;
    (void)!number_behind(line, "(+ ", &steps_ms);
    pause_meet(reading, (pause_ms + steps_ms) / 1e3, now_ms / 1e3);
    return true;
}

/* What a runtime tells of itself: SBCL's (time …), GHC's +RTS -s, dotnet-counters. */
static bool own_words_read(struct system_reading *reading, struct view line)
{
    double collecting, other;
    line = view_trim(line);
    if (view_starts(line, "[ Real times consist of") && number_behind(line, "consist of ", &collecting) &&
        number_behind(line, " and ", &other) && collecting + other > 0) {
        system_meet(table_of(reading), FACT_COLLECTING, 100 * collecting / (collecting + other));
        return true;
    }
    static const char haskell[] = "%GC ", dotnet[] = "% Time in GC";
    if (view_starts(line, haskell) && number_behind(line, "time", &collecting) && collecting <= 100) {
        system_meet(table_of(reading), FACT_COLLECTING, collecting);
        return true;
    }
    if (!view_starts(line, dotnet))
        return false;
    struct view last = line, word;
    while ((word = view_word(&line)).length)
        last = word;
    if (view_grouped(last, &collecting) && collecting >= 0 && collecting <= 100)
        system_meet(table_of(reading), FACT_COLLECTING, collecting);
    return true;
}

/* "gc: done, 0 unreachable, 0 uncollectable, 0.0123s elapsed", as Python's gc.DEBUG_STATS has it. */
static bool python_read(struct system_reading *reading, struct view line)
{
    double seconds;
    bool other = view_starts(line, "gc: collecting generation") || view_starts(line, "gc: objects in ");
    if (!view_starts(line, "gc: done"))
        return other;
    if (number_before(line, "s elapsed", &seconds)) /* no time of its own: the document's elapsed time is beside it */
        system_meet(system_table_of(reading, TOOL_DOCUMENT), FACT_COLLECTIONS_S, seconds);
    return true;
}

bool system_collector_read(struct system_reading *reading, struct view line)
{
    line = view_trim(line);
    return go_read(reading, line) || java_read(reading, line) || old_java_read(reading, line) ||
           node_read(reading, line) || own_words_read(reading, line) || python_read(reading, line);
}
