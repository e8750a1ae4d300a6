/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/system/system_reading.h"

#include <ctype.h>
#include <math.h>

/* "6:41.20", "1:02:03": hours, minutes, seconds. */
static bool clock_of(struct view text, double *ret_seconds)
{
    double seconds = 0, part;
    while (text.length) {
        if (!view_double(view_cut(&text, ':'), &part) || part < 0)
            return false;
        seconds = 60 * seconds + part;
    }
    *ret_seconds = seconds;
    return true;
}

/* "nr_throttled 4 -> 561": one look, and another. */
static bool is_between_looks(struct view word)
{
    return view_equal(word, "->") || view_equal(word, "\xe2\x86\x92") || view_equal(word, "before,") ||
           view_equal(word, "before");
}

/* A number behind its name. */
static bool named_read(struct system_reading *reading, struct view line)
{
    static const struct {
        const char *begins;
        enum fact fact;
    } lines[] = {{"nr_periods", FACT_PERIODS},
                 {"nr_throttled", FACT_THROTTLED},
                 {"throttled_usec", FACT_THROTTLED_US},
                 {"throttled_time", FACT_THROTTLED_NS},
                 {"usage_usec", FACT_GROUP_USED_US},
                 /* what else cpu.stat has */
                 {"user_usec", FACT_COUNT},
                 {"system_usec", FACT_COUNT},
                 {"nice_usec", FACT_COUNT},
                 {"core_sched.force_idle_usec", FACT_COUNT},
                 {"nr_bursts", FACT_COUNT},
                 {"burst_usec", FACT_COUNT},
                 {"burst_time", FACT_COUNT},
                 {"User time (seconds):", FACT_USER_S},
                 {"System time (seconds):", FACT_KERNEL_S},
                 {"Percent of CPU this job got:", FACT_CPU_PERCENT},
                 {"Load Operations", FACT_LOADS},
                 {"Load Local HITM", FACT_MODIFIED},
                 {"Load Remote HITM", FACT_MODIFIED_REMOTE},
                 {"Loads of shared lines", FACT_LINE_LOADS},
                 {"HITM of shared lines", FACT_LINE_MODIFIED},
                 {"Anonymous:", FACT_ANONYMOUS},
                 {"AnonPages:", FACT_ANONYMOUS},
                 {"AnonHugePages:", FACT_ANONYMOUS_HUGE},
                 {"Private_Hugetlb:", FACT_HUGETLB},
                 {"HugePages_Total:", FACT_HUGETLB},
                 {"HugePages_Free:", FACT_HUGETLB_FREE},
                 {"local_node", FACT_LOCAL_PAGES},
                 {"other_node", FACT_OTHER_PAGES},
                 /* what these say of pages the two above say, too */
                 {"numa_hit", FACT_COUNT},
                 {"numa_miss", FACT_COUNT},
                 {"numa_foreign", FACT_COUNT},
                 {"interleave_hit", FACT_COUNT}};
    static const char elapsed[] = "Elapsed (wall clock) time (h:mm:ss or m:ss):";
    double value;
    line = view_trim(line);
    if (view_starts(line, elapsed) && clock_of(view_trim(view_skip(line, sizeof(elapsed) - 1)), &value)) {
        system_meet(system_table_of(reading, TOOL_DOCUMENT), FACT_ELAPSED_S, value);
        return true;
    }
    for (size_t at = 0; at < array_count(lines); at++) {
        struct view rest = view_skip(line, strlen(lines[at].begins)), word;
        if (!view_starts(line, lines[at].begins) ||
            (rest.length && (isalnum((unsigned char)rest.text[0]) || rest.text[0] == '_')))
            continue;
        size_t numbers = 0;
        if (lines[at].fact == FACT_PERIODS)
            system_group_look(reading);
        while ((word = view_word(&rest)).length)
            if (view_grouped((struct view){word.text, word.length - view_ends(word, "%")}, &value)) {
                if (lines[at].fact < FACT_COUNT)
                    system_meet(system_table_of(reading, TOOL_DOCUMENT), lines[at].fact, value);
                numbers++;
            } else if (!view_equal(word, ":") && !view_equal(word, "|") && !is_between_looks(word)) {
                break;
            }
        return numbers > 0;
    }
    return false;
}

/* "3.102113000 seconds user", as perf stat puts below its counts; the elapsed time stays where it is. */
static bool times_read(struct system_reading *reading, struct view line)
{
    struct view rest = line;
    double value;
    if (!view_decimal(view_word(&rest), &value))
        return false;
    rest = view_trim(rest);
    if (view_starts(rest, "seconds time elapsed"))
        system_meet(system_table_of(reading, TOOL_DOCUMENT), FACT_ELAPSED_S, value);
    bool user = view_starts(rest, "seconds user"), kernel = view_starts(rest, "seconds sys");
    if (user || kernel)
        system_meet(system_table_of(reading, TOOL_DOCUMENT), user ? FACT_USER_S : FACT_KERNEL_S, value);
    return user || kernel;
}

/* "41.9s", "41.9", "1m3.2s" */
static bool inline_seconds(struct view word, double *ret_seconds)
{
    double minute = 0, seconds;
    struct view rest = word, minutes = view_cut(&rest, 'm');
    if (rest.length && view_decimal(minutes, &minute))
        word = rest;
    word.length -= view_ends(word, "s");
    if (!view_decimal(word, &seconds) || !(minute >= 0 && seconds >= 0))
        return false;
    *ret_seconds = 60 * minute + seconds;
    return true;
}

/* "real 0m1.25s", "user", "sys", as a shell's time has it; the elapsed time stays where it is, as a timed run. */
static bool shell_times_read(struct system_reading *reading, struct view line)
{
    struct view name = view_word(&line), word = view_word(&line), minutes = view_cut(&word, 'm');
    bool elapsed = view_equal(name, "real"), user = view_equal(name, "user"), kernel = view_equal(name, "sys");
    double minute, seconds;
    if (!(elapsed || user || kernel) || view_word(&line).length || !view_ends(word, "s") ||
        !view_grouped(minutes, &minute) || !view_grouped((struct view){word.text, word.length - 1}, &seconds) ||
        !(minute >= 0 && seconds >= 0))
        return false;
    system_meet(system_table_of(reading, TOOL_DOCUMENT), elapsed ? FACT_ELAPSED_S : user ? FACT_USER_S : FACT_KERNEL_S,
                60 * minute + seconds);
    return !elapsed;
}

/*
 * "real 41.9s, user 41.2s, sys 0.4s" in a line of prose, "41.20user 0.40system 0:41.90elapsed 98%CPU" of GNU time,
 * "41.20s user 0.40s system 98% cpu 41.9 total" of zsh. The line stays where it is.
 */
static void inline_times_read(struct system_reading *reading, struct view line)
{
    struct view word, before = {0};
    double user = -1, kernel = -1, elapsed = -1, value;
    const char *named = NULL; /* the word before this one: its number comes now */
    while ((word = view_word(&line)).length) {
        struct view bare = word;
        while (bare.length && strchr("(,;:", bare.text[0]) && bare.text[0])
            bare = view_skip(bare, 1);
        while (bare.length && strchr("),;:.", bare.text[bare.length - 1]) && bare.text[bare.length - 1])
            bare.length--;
        if (named && inline_seconds(bare, &value))
            *(strcmp(named, "real") == 0 ? &elapsed : strcmp(named, "user") == 0 ? &user : &kernel) = value;
        named = view_equal(bare, "real")   ? "real"
                : view_equal(bare, "user") ? "user"
                : view_equal(bare, "sys")  ? "sys"
                                           : NULL;
        bool of_zsh = !(elapsed >= 0) && (view_equal(bare, "user") || view_equal(bare, "system")) &&
                      view_ends(before, "s") && inline_seconds(before, &value);
        if (of_zsh) { /* whose numbers stand before their names */
            *(bare.text[0] == 'u' ? &user : &kernel) = value;
            named = NULL;
        }
        if (view_equal(bare, "total") && view_decimal(before, &value) && user >= 0)
            elapsed = value;
        if (view_ends(bare, "user") && view_decimal((struct view){bare.text, bare.length - 4}, &value))
            user = value;
        if (view_ends(bare, "system") && view_decimal((struct view){bare.text, bare.length - 6}, &value))
            kernel = value;
        if (view_ends(bare, "elapsed") && clock_of((struct view){bare.text, bare.length - 7}, &value))
            elapsed = value;
        before = bare;
    }
    if (!(user >= 0 && kernel >= 0 && elapsed >= 0)) /* two of them may be anything */
        return;
    struct system_table *table = system_table_of(reading, TOOL_DOCUMENT);
    system_meet(table, FACT_USER_S, user);
    system_meet(table, FACT_KERNEL_S, kernel);
    system_meet(table, FACT_ELAPSED_S, elapsed);
}

static struct view without_marks(struct view word)
{
    while (word.length && strchr("),;:.", word.text[word.length - 1]) && word.text[word.length - 1])
        word.length--;
    return word;
}

/* "21.42 s", "21.42s", "1m3.2s", "4.2 min" */
static bool duration_read(struct view word, struct view rest, double *ret_seconds)
{
    static const char *const seconds[] = {"s", "sec", "seconds"}, *const minutes[] = {"min", "minutes"};
    struct view next = without_marks(view_word(&rest));
    double unit = view_is_any_caseless(next, seconds, array_count(seconds))   ? 1
                  : view_is_any_caseless(next, minutes, array_count(minutes)) ? 60
                                                                              : 0,
           value;
    if (unit > 0 && view_decimal(word, &value) && value > 0) {
        *ret_seconds = unit * value;
        return true;
    }
    word = without_marks(word);
    return view_ends(word, "s") && inline_seconds(word, ret_seconds);
}

/* "The whole run took 21.42 s.", "the entire job: 4.2 min": of one run, from its start to its end. */
static void whole_read(struct system_reading *reading, struct view line)
{
    static const char *const wholes[] = {"whole", "entire", "total"},
                             *const runs[] = {"run", "job", "program", "runtime"},
                             *const between[] = {"took", "takes", "ran", "for", "of", "is", "was", "time", "lasted"};
    struct view word, before = {0};
    bool begun = false;
    double seconds;
    for (; (word = view_word(&line)).length; before = word) {
        struct view bare = without_marks(word);
        if (view_is_any_caseless(before, wholes, array_count(wholes)) &&
            view_is_any_caseless(bare, runs, array_count(runs))) {
            begun = true;
        } else if (begun && !view_is_any_caseless(bare, between, array_count(between))) {
            if (duration_read(word, line, &seconds))
                system_meet(system_table_of(reading, TOOL_DOCUMENT), FACT_WHOLE_S, seconds);
            begun = false;
        }
    }
}

/* "7f31c0e01000-7f31c1101000 rw-p 00000000 00:00 0", above what smaps says of it. */
static void mapping_begin(struct system_reading *reading, struct view line)
{
    struct view range = view_word(&line), permissions = view_word(&line), start = view_cut(&range, '-');
    uint64_t first, last;
    if (permissions.length == 4 && (permissions.text[3] == 'p' || permissions.text[3] == 's') &&
        start.length >= 8 && view_u64(start, 16, &first) && view_u64(range, 16, &last) && first < last)
        reading->mapping = (struct mapping){.start = first, .end = last};
}

/* By its last line, "THPeligible: 1", whether it may have huge pages; whether one fits, its addresses say. */
static bool mapping_read(struct system_reading *reading, struct view line)
{
    static const uint64_t HUGE_BYTES = 2 << 20;
    static const char huge[] = "AnonHugePages:", eligible[] = "THPeligible:";
    struct mapping *mapping = &reading->mapping;
    struct view rest;
    double value;
    line = view_trim(line);
    mapping_begin(reading, line);
    if (view_starts(line, huge)) {
        rest = view_skip(line, sizeof(huge) - 1);
        mapping->has_huge = view_grouped(view_word(&rest), &value) && value > 0;
    }
    if (!view_starts(line, eligible) || !mapping->end)
        return false;
    rest = view_skip(line, sizeof(eligible) - 1);
    if (!view_grouped(view_word(&rest), &value))
        return true;
    struct system_table *table = system_table_of(reading, TOOL_DOCUMENT);
    uint64_t up_to_first = (HUGE_BYTES - mapping->start % HUGE_BYTES) % HUGE_BYTES,
             bytes = mapping->end - mapping->start;
    if (value > 0) {
        bool fits = bytes >= up_to_first && bytes - up_to_first >= HUGE_BYTES;
        table->may_be_huge++;
        table->none_huge += !mapping->has_huge;
        table->none_fits += !fits;
    }
    *mapping = (struct mapping){.start = 0};
    return true;
}

/* "full avg10=61.20 avg60=58.12 …" of /proc/pressure/io or a group's io.pressure, which a line above names. */
static bool pressure_read(struct system_reading *reading, struct view line)
{
    static const struct {
        const char *file, *of_group, *kind;
        enum fact fact;
    } files[] = {{"pressure/io", "io.pressure", "full", FACT_STALLED_STORAGE},
                 {"pressure/memory", "memory.pressure", "full", FACT_STALLED_MEMORY},
                 {"pressure/cpu", "cpu.pressure", "some", FACT_STALLED_CPU}};
    for (size_t at = 0; at < array_count(files); at++)
        if (view_find(line, files[at].file) >= 0 || view_find(line, files[at].of_group) >= 0)
            reading->pressure = (int)at + 1;
    struct view kind = view_word(&line), rest = line;
    static const char minute[] = "avg60=";
    ptrdiff_t place = view_find(rest, minute);
    double share;
    if (!(view_equal(kind, "some") || view_equal(kind, "full")) || place < 0)
        return false;
    rest = view_skip(rest, (size_t)place + sizeof(minute) - 1);
    if (reading->pressure && view_equal(kind, files[reading->pressure - 1].kind) &&
        view_grouped(view_word(&rest), &share) && share >= 0 && share <= 100)
        system_meet(system_table_of(reading, TOOL_PRESSURE), files[reading->pressure - 1].fact, share);
    return true;
}

/* "%Cpu(s): 11.0 us,  9.0 sy,  0.0 ni, 12.0 id, 68.0 wa,  0.0 hi,  0.2 si,  0.0 st", as top has it. */
static bool top_read(struct system_reading *reading, struct view line)
{
    static const struct {
        const char *name;
        enum fact fact;
    } shares[] = {{"st", FACT_STEAL},      {"wa", FACT_IO_WAIT},         {"sy", FACT_KERNEL},
                  {"hi", FACT_INTERRUPTS}, {"si", FACT_SOFT_INTERRUPTS}, {"id", FACT_IDLE}};
    static const char *const beside[] = {"top - ",   "Tasks: ",  "Threads: ", "MiB Mem ", "KiB Mem ",
                                         "GiB Mem ", "MiB Swap", "KiB Swap",  "GiB Swap"};
    static const char head[] = "%Cpu(s):";
    reading->of_threads = view_starts(line, "Threads: ") || (reading->of_threads && !view_starts(line, "Tasks: "));
    for (size_t at = 0; at < array_count(beside); at++)
        if (view_starts(line, beside[at]))
            return true;
    if (!view_starts(line, head))
        return false;
    for (struct view rest = view_skip(line, sizeof(head) - 1); rest.length;) {
        struct view word = view_word(&rest), name = view_word(&rest);
        double value;
        name.length -= view_ends(name, ",");
        for (size_t at = 0; at < array_count(shares); at++)
            if (view_equal(name, shares[at].name) && view_grouped(word, &value))
                system_meet(system_table_of(reading, TOOL_TOP), shares[at].fact, value);
    }
    return true;
}

static void cpus_meet(struct system_reading *reading, double cpus)
{
    enum { CPUS_MOST = 8192 };
    if (!(cpus >= 1 && cpus <= CPUS_MOST && cpus <= floor(cpus))) /* 3.9 are in use */
        return;
    reading->cpus_differ |= reading->cpus > 0 && (cpus > reading->cpus || cpus < reading->cpus);
    reading->cpus = cpus;
}

/* "on the 8-core box", "16 CPUs", "8 vCPU": how many a machine has, by words. */
static void cpus_read(struct system_reading *reading, struct view line)
{
    static const char *const ones[] = {"core", "cores", "CPU", "CPUs", "cpus", "vCPU", "vCPUs"};
    struct view word, before = {0};
    double count;
    while ((word = view_word(&line)).length) {
        word = view_skip(word, view_starts(word, "("));
        while (word.length && strchr(",.;:)", word.text[word.length - 1]) && word.text[word.length - 1])
            word.length--;
        struct view name = word, number = view_cut(&name, '-');
        if (!name.length) {
            name = word;
            number = before;
        }
        for (size_t at = 0; at < sizeof(ones) / sizeof(*ones); at++)
            if (view_equal(name, ones[at]) && !view_starts(view_trim(line), "utilized") && number.length &&
                isdigit((unsigned char)number.text[0]) && view_double(number, &count))
                cpus_meet(reading, count);
        before = word;
    }
}

/* "TDP 205 W", "TDP: 205W" */
static void design_power_note(struct system_reading *reading, struct view line)
{
    static const char mark[] = "TDP";
    ptrdiff_t at = view_find(line, mark);
    struct view rest = view_skip(line, at >= 0 ? (size_t)at + sizeof(mark) - 1 : 0);
    rest = view_trim(view_skip(rest, view_starts(rest, ":")));
    struct view number = view_word(&rest), unit = view_word(&rest);
    double watts;
    bool is_joined = view_ends(number, "W") || view_ends(number, "W,") || view_ends(number, "W)");
    while (is_joined && number.length && !isdigit((unsigned char)number.text[number.length - 1]))
        number.length--;
    if (at >= 0 && (is_joined || view_starts(unit, "W")) && view_double(number, &watts) && watts > 0)
        reading->design_watts = watts;
}

/* " 12:04:10 up 12 days,  4:01,  1 user,  load average: 61.20, 58.90, 40.11", as uptime, top and w have it. */
static bool load_read(struct system_reading *reading, struct view line)
{
    static const char mark[] = "load average: ";
    ptrdiff_t at = view_find(line, mark);
    struct view rest = view_skip(line, at > 0 ? (size_t)at + sizeof(mark) - 1 : 0), word = view_cut(&rest, ',');
    double load;
    if (at < 0 || view_find(line, " up ") < 0 || !view_double(view_trim(word), &load) || !(load >= 0))
        return false;
    system_meet(system_table_of(reading, TOOL_TOP), FACT_LOAD, load);
    return true;
}

/*
 * "Linux 6.1.0 (host)  11/23/2026  _x86_64_  (4 CPU)", above the tables of mpstat and sar: another run of them begins.
 */
static bool run_begins(struct system_reading *reading, struct view line)
{
    if (!view_starts(line, "Linux ") || !view_ends(line, "CPU)"))
        return false;
    struct view count = {line.text, line.length - strlen("CPU)")}, word, last = {0};
    double cpus;
    while ((word = view_word(&count)).length)
        last = word;
    if (view_starts(last, "(") && view_double(view_skip(last, 1), &cpus))
        cpus_meet(reading, cpus);
    system_heading(reading, reading->heading);
    return true;
}

/* "  Load Fill Buffer Hit  :  10221" of perf c2c's summary, of which others are read. */
static bool summary_read(struct system_reading *reading, struct view line)
{
    uint64_t ignored;
    if (view_find(line, "Trace Event Information") >= 0 || view_find(line, "Cache Line Event Information") >= 0)
        reading->in_summary = true;
    else if (view_find(line, "Cache Line Table") >= 0)
        reading->in_summary = false;
    struct view rest = line, name = view_trim(view_cut(&rest, ':'));
    rest = view_trim(rest);
    rest.length -= view_ends(rest, "%");
    double share;
    return reading->in_summary && name.length && (view_u64(rest, 10, &ignored) || view_decimal(rest, &share));
}

bool system_line_read(struct system_reading *reading, struct view line)
{
    inline_times_read(reading, line);
    whole_read(reading, line);
    cpus_read(reading, line);
    design_power_note(reading, line);
    return mapping_read(reading, line) || run_begins(reading, view_trim(line)) || load_read(reading, line) ||
           named_read(reading, line) || top_read(reading, line) || times_read(reading, line) ||
           shell_times_read(reading, line) || pressure_read(reading, line) || summary_read(reading, line);
}
