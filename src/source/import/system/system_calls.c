/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/system/counting_period.h"
#include "source/import/system/system_reading.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* In which a thread waits by what they are for; reading and writing may, or may not. */
static bool call_waits(struct view name)
{
    static const char *const waiting[] = {
        "poll",       "ppoll",     "select",          "pselect6",      "epoll_wait",     "epoll_pwait",
        "futex",      "nanosleep", "clock_nanosleep", "wait4",         "waitid",         "accept",
        "accept4",    "pause",     "rt_sigtimedwait", "rt_sigsuspend", "io_getevents",   "semop",
        "semtimedop", "msgrcv",    "epoll_pwait2",    "futex_waitv",   "restart_syscall",
        "fsync",      "fdatasync", "sync",            "syncfs",        "msync",
        "flock",      "io_uring_enter"};
    for (size_t at = 0; at < sizeof(waiting) / sizeof(*waiting); at++)
        if (view_equal(name, waiting[at]))
            return true;
    return false;
}

static bool call_transfers(struct view name)
{
    static const char *const transfers[] = {
        "read",     "pread64",    "readv",    "preadv",  "preadv2",    "write",          "pwrite64", "writev",
        "pwritev",  "pwritev2",   "recvfrom", "recvmsg", "recvmmsg",   "sendto",         "sendmsg",  "connect",
        "sendfile", "sendfile64", "splice",   "ioctl",   "getdents64", "copy_file_range"};
    for (size_t at = 0; at < sizeof(transfers) / sizeof(*transfers); at++)
        if (view_equal(name, transfers[at]))
            return true;
    return false;
}

/* What names of files cost a CPU is microseconds: those that take longer wait, as for a server of files (strace -w). */
static bool call_looks_far(const struct call *call)
{
    static const double FAR_S = 1e-4; /* a call, on average */
    static const char *const names[] = {"newfstatat", "stat",      "lstat",      "statx",    "open",       "openat",
                                        "access",     "faccessat", "faccessat2", "readlink", "readlinkat", "unlink"};
    bool is_one = false;
    for (size_t at = 0; at < sizeof(names) / sizeof(*names); at++)
        is_one |= strcmp(call->name, names[at]) == 0;
    return is_one && call->count > 0 && call->seconds >= FAR_S * call->count;
}

static ptrdiff_t column_of(const struct words *heading, const char *name)
{
    for (size_t at = 0; at < heading->count; at++)
        if (view_equal(heading->items[at], name))
            return (ptrdiff_t)at;
    return -1;
}

static bool is_rule(const struct words *row)
{
    for (size_t at = 0; at < row->count; at++)
        for (size_t letter = 0; letter < row->items[at].length; letter++)
            if (row->items[at].text[letter] != '-' && row->items[at].text[letter] != '(' &&
                !view_equal(row->items[at], "(msec)") && !view_equal(row->items[at], "(%)"))
                return false;
    return row->count > 0;
}

static bool is_number(struct view word)
{
    double ignored;
    if (view_ends(word, "%"))
        word.length--;
    return view_grouped(word, &ignored);
}

static bool is_name(struct view word)
{
    bool letters = word.length > 0 && !isdigit((unsigned char)word.text[0]);
    for (size_t at = 0; at < word.length; at++)
        letters &= isalnum((unsigned char)word.text[at]) || word.text[at] == '_' || word.text[at] == ':';
    return letters;
}

static const double COUNT_MOST = 1e15;

static void call_say(struct call *call)
{
    if (call->count > 0)
        (void)snprintf(call->said, sizeof(call->said), "%.0f call%s of %s", call->count, call->count > 1 ? "s" : "",
                       call->name);
    else
        memcpy(call->said, call->name, sizeof(call->name));
}

static void call_add(struct system_reading *reading, struct view name, double seconds, double count)
{
    struct system_table *table = system_table_of(reading, TOOL_CALLS);
    struct call call = {.waits = call_waits(name),
                        .transfers = call_transfers(name),
                        .seconds = seconds,
                        .count = count < COUNT_MOST ? count : 0};
    enum { CALLS_MOST = 512 };
    if (name.length >= sizeof(call.name) || table->calls.count >= CALLS_MOST)
        return;
    memcpy(call.name, name.text, name.length);
    for (size_t at = 0; at < table->calls.count; at++)
        if (strcmp(table->calls.items[at].name, call.name) == 0) { /* of another thread */
            table->calls.items[at].seconds += seconds;
            table->calls.items[at].count += call.count;
            table->calls.items[at].waits |= call_looks_far(&table->calls.items[at]);
            call_say(&table->calls.items[at]);
            return;
        }
    call.waits |= call_looks_far(&call);
    call_say(&call);
    *vec_push(&table->calls) = call;
}

/* ---- strace -c ---- */

/* "% time  seconds  usecs/call  calls  errors syscall", in whichever columns were asked for. */
static bool is_strace_heading(const struct words *heading)
{
    bool columns = column_of(heading, "calls") >= 0 &&
                   (column_of(heading, "seconds") >= 0 || column_of(heading, "usecs/call") >= 0);
    return columns && heading->count >= 6 && view_equal(heading->items[heading->count - 1], "syscall") &&
           view_equal(heading->items[0], "%") && view_equal(heading->items[1], "time") &&
           view_equal(heading->items[2], "seconds");
}

/* " 50.40    0.049072           2     20003        16 read"; the last row but one has no call without an error. */
static bool strace_row_read(struct system_reading *reading, const struct words *heading, const struct words *row)
{
    enum { SECONDS = 1, NUMBERS_LEAST = 3, NUMBERS_MOST = 5 };
    size_t numbers = 0;
    double seconds, count = 0;
    ptrdiff_t calls = column_of(heading, "calls") - 1; /* "% time" is one column */
    while (numbers < row->count && is_number(row->items[numbers]))
        numbers++;
    if (numbers < NUMBERS_LEAST || numbers > NUMBERS_MOST || numbers + 1 != row->count ||
        !is_name(row->items[numbers]) || !view_grouped(row->items[SECONDS], &seconds) || !(seconds >= 0))
        return false;
    if (calls > 0 && !((size_t)calls < numbers && view_grouped(row->items[calls], &count) && count >= 0))
        count = 0;
    if (!view_equal(row->items[numbers], "total"))
        call_add(reading, row->items[numbers], seconds, count);
    return true;
}

/* ---- perf trace -s ---- */

/* "syscall  calls  errors  total  min  avg  max  stddev"; its second line has their units. */
static bool is_trace_heading(const struct words *heading)
{
    return heading->count >= 6 && view_equal(heading->items[0], "syscall") && column_of(heading, "calls") == 1 &&
           column_of(heading, "total") >= 2 && column_of(heading, "stddev") > 0;
}

static bool trace_row_read(struct system_reading *reading, const struct words *heading, const struct words *row)
{
    double total_ms, count;
    ptrdiff_t total = column_of(heading, "total");
    if (row->count != heading->count || !is_name(row->items[0]))
        return false;
    for (size_t at = 1; at < row->count; at++)
        if (!is_number(row->items[at]))
            return false;
    if (!view_grouped(row->items[total], &total_ms) || !(total_ms >= 0))
        return false;
    bool counted = view_grouped(row->items[1], &count) && count >= 0;
    call_add(reading, row->items[0], total_ms / 1e3, counted ? count : 0);
    return true;
}

/* "Summary of events:", " dd (14424), 8250 events, 99.9%": above each thread's table. */
static bool is_trace_title(struct view line)
{
    line = view_trim(line);
    ptrdiff_t events = view_find(line, " events, ");
    bool thread = events > 0 && view_ends(line, "%") && view_find((struct view){line.text, (size_t)events}, "), ") > 0;
    return thread || view_equal(line, "Summary of events:");
}

/* "strace -c -f -p 12", "strace -cw"; of "a line of strace" it isn't told. */
static enum calls_clock clock_read(struct view line)
{
    struct words words;
    size_t at = 0;
    bool is_summary = false, is_wall = false;
    words_of(line, &words);
    while (at < words.count && !view_ends(words.items[at], "strace"))
        at++;
    for (at++; at < words.count && view_starts(words.items[at], "-"); at++) {
        struct view option = words.items[at];
        bool is_long = view_starts(option, "--");
        is_summary |=
            view_starts(option, "--summary") ||
            (!is_long && (memchr(option.text, 'c', option.length) || memchr(option.text, 'C', option.length)));
        is_wall |= view_starts(option, "--summary-wall") || (!is_long && memchr(option.text, 'w', option.length));
        at += !is_long && option.length == 2 && strchr("peoPSsauIEOb", option.text[1]) != NULL;
    }
    return is_wall ? CALLS_CLOCK_WALL : is_summary ? CALLS_CLOCK_CPU : CALLS_CLOCK_UNKNOWN;
}

void system_calls_note(struct system_reading *reading, struct view line)
{
    if (view_find(line, "strace") < 0 && view_find(line, "perf trace") < 0)
        return;
    reading->calls_s = calls_seconds_read(line);
    reading->calls_clock = clock_read(line);
}

bool system_calls_read(struct system_reading *reading, struct view line, struct view *rest)
{
    struct words heading, row;
    if (is_trace_title(line))
        return true;
    words_of(line, &heading);
    bool strace = is_strace_heading(&heading), trace = !strace && is_trace_heading(&heading);
    if (!strace && !trace)
        return false;
    struct system_table *table = system_table_of(reading, TOOL_CALLS);
    table->calls_s = !table->calls.count ? reading->calls_s : 0; /* of several it isn't told which */
    if (!table->calls.count)
        table->calls_clock = trace ? CALLS_CLOCK_WALL : reading->calls_clock;
    reading->calls_s = 0;
    reading->calls_clock = CALLS_CLOCK_UNKNOWN;
    for (struct view after = *rest; view_line(&after, &line); *rest = after) {
        words_of(line, &row);
        bool read = !row.count || is_rule(&row) ||
                    (strace ? strace_row_read(reading, &heading, &row) : trace_row_read(reading, &heading, &row));
        if (!read)
            break;
    }
    return true;
}
