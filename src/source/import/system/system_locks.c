/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf lock contention by caller, by lock (-l) or by task (-t), and perf lock report; rows of the last two don't say of
 * which kind a lock is.
 * Where a row below their heading has another form the shares of the others would be wrong: then none is told.
 */
#include "source/import/system/system_reading.h"

#include <ctype.h>
#include <string.h>

/* As perf prints times: the unit apart from its number. */
static bool duration_of(struct view number, struct view unit, double *ret_seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"\xc2\xb5s", 1e-6}, {"ms", 1e-3},
                 {"s", 1},     {"m", 60},    {"min", 60},         {"h", 3600}};
    for (size_t at = 0; at < array_count(units); at++)
        if (view_equal(unit, units[at].unit) && view_grouped(number, ret_seconds)) {
            *ret_seconds *= units[at].seconds;
            return *ret_seconds >= 0;
        }
    return false;
}

static bool kind_of(struct view word, enum lock_kind *ret_kind)
{
    static const struct {
        const char *begins;
        enum lock_kind kind;
    } kinds[] = {{"spinlock", LOCK_SPINS},  {"rwlock", LOCK_SPINS},    {"mutex", LOCK_SLEEPS},
                 {"rwsem", LOCK_SLEEPS},    {"rtmutex", LOCK_SLEEPS},  {"percpu-rwsem", LOCK_SLEEPS},
                 {"rt-mutex", LOCK_SLEEPS}, {"pcpu-sem", LOCK_SLEEPS}, {"semaphore", LOCK_SLEEPS},
                 {"unknown", LOCK_UNKNOWN}};
    word = view_starts(word, "(") ? view_skip(word, 1) : word;
    for (size_t at = 0; at < array_count(kinds); at++)
        if (view_starts(word, kinds[at].begins)) {
            *ret_kind = kinds[at].kind;
            return true;
        }
    return false;
}

static void lock_keep(struct system_reading *reading, struct view caller, double wait_s, enum lock_kind kind)
{
    struct system_table *table = system_table_of(reading, TOOL_LOCKS);
    struct lock lock = {.wait_s = wait_s, .kind = kind, .is_of_task = reading->locks == LOCKS_TASKS};
    if (caller.length && caller.length < sizeof(lock.caller))
        memcpy(lock.caller, caller.text, caller.length);
    *vec_push(&table->locks) = lock;
    system_meet(table, FACT_SPIN_WAITS_S, kind == LOCK_SPINS ? wait_s : 0);
    system_meet(table, FACT_LOCK_WAITS_S, wait_s);
}

/*
 * "48213  71.22 s  42.11 ms  1.48 ms  spinlock  rwsem_down_write_slowpath+0x1a4": how often, in all, at most, on
 * average; or "… ffff9d1a409214d0  &mm->mmap_lock (rwsem)" at the end.
 */
static bool contention_read(struct system_reading *reading, struct view line)
{
    enum { TOTAL = 1, UNIT = 2, TYPE = 7 };
    struct words words;
    enum lock_kind kind = LOCK_UNKNOWN;
    double count, total;
    words_of(line, &words);
    if (words.count <= TYPE || !view_grouped(words.items[0], &count) ||
        !duration_of(words.items[TOTAL], words.items[UNIT], &total))
        return false;
    struct view caller = words.count > TYPE + 1 ? words.items[TYPE + 1] : (struct view){0};
    if (!kind_of(words.items[TYPE], &kind)) { /* by lock: its address, its name, and its kind in brackets */
        struct view last = words.items[words.count - 1];
        if (!view_starts(last, "(") || !kind_of(last, &kind))
            return false;
        caller = words.items[words.count - 2];
    }
    lock_keep(reading, caller, total, kind);
    return true;
}

/* "2  4.20 ms  2.10 ms  2.10 ms  20412  importer", -1 where the task isn't known. */
static bool tasks_read(struct system_reading *reading, struct view line)
{
    enum { TOTAL = 1, UNIT = 2, PID = 7, NAME = 8 };
    struct words words;
    double count, total;
    uint64_t pid;
    words_of(line, &words);
    if (words.count <= NAME || !view_grouped(words.items[0], &count) ||
        !duration_of(words.items[TOTAL], words.items[UNIT], &total) ||
        !(view_u64(words.items[PID], 10, &pid) || view_equal(words.items[PID], "-1")))
        return false;
    lock_keep(reading, words.items[NAME], total, LOCK_UNKNOWN);
    return true;
}

/* "&mm->mmap_lock", "rtnl_mutex", "&inode->i_rwsem": those that sleep tell it by their names, a "lock" does not. */
static enum lock_kind kind_by_name(struct view name)
{
    static const char *const sleeping[] = {"mmap_lock", "mutex", "rwsem", "_sem"};
    for (size_t at = 0; at < array_count(sleeping); at++)
        if (view_find(name, sleeping[at]) >= 0)
            return LOCK_SLEEPS;
    return LOCK_UNKNOWN;
}

/* "&mm->mmap_lock  102931  90120  443.80 us  6.51 m  17.92 ms  1.01 us"; older ones in ns, as their heading says. */
static bool report_read(struct system_reading *reading, struct view line)
{
    enum { WITH_UNITS = 11, WITHOUT = 7, ACQUIRED = 1, TOTAL = 5, TOTAL_NS = 4 };
    struct words words;
    double acquired, total;
    words_of(line, &words);
    if (words.count < WITHOUT || !view_grouped(words.items[ACQUIRED], &acquired))
        return false;
    bool in_ns = words.count == WITHOUT && reading->locks == LOCKS_REPORT_NS;
    bool read = in_ns ? duration_of(words.items[TOTAL_NS], VIEW("ns"), &total)
                      : words.count == WITH_UNITS && duration_of(words.items[TOTAL], words.items[TOTAL + 1], &total);
    if (read)
        lock_keep(reading, words.items[0], total, kind_by_name(words.items[0]));
    return read;
}

static enum locks_form heading_of(struct view line)
{
    bool total = view_find(line, "total wait") >= 0;
    if (total && view_find(line, "acquired") >= 0)
        return view_find(line, "(ns)") >= 0 ? LOCKS_REPORT_NS : LOCKS_REPORT;
    if (!total || !view_starts(view_trim(line), "contended"))
        return LOCKS_NONE;
    return view_ends(view_trim(line), "comm") ? LOCKS_TASKS : LOCKS_CONTENTION;
}

static bool row_read(struct system_reading *reading, struct view line)
{
    switch (reading->locks) {
    case LOCKS_REPORT:
    case LOCKS_REPORT_NS:
        return report_read(reading, line);
    case LOCKS_TASKS:
        return tasks_read(reading, line);
    default:
        return contention_read(reading, line);
    }
}

/* Numbers in columns, below such a heading: a row, whatever its form. */
static bool is_row(struct view line)
{
    enum { NUMBERS_LEAST = 3 };
    struct words words;
    size_t numbers = 0;
    double ignored;
    words_of(line, &words);
    for (size_t at = 0; at < words.count; at++)
        numbers += words.items[at].length && isdigit((unsigned char)words.items[at].text[0]) &&
                   view_grouped(words.items[at], &ignored);
    return numbers >= NUMBERS_LEAST;
}

bool system_locks_read(struct system_reading *reading, struct view line)
{
    enum locks_form form = heading_of(line);
    if (form) {
        system_table_begin(reading, TOOL_LOCKS);
        reading->locks = form;
        reading->locks_begun = false;
        return true;
    }
    bool read = row_read(reading, line);
    if (!view_trim(line).length && reading->locks_begun)
        reading->locks = LOCKS_NONE;
    if (!read && reading->locks && is_row(line))
        system_table_of(reading, TOOL_LOCKS)->has_unread = true;
    reading->locks_begun |= read || (reading->locks && is_row(line));
    return read;
}
