/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/system/import_system.h"

#include "base/group_names.h"
#include "base/place_names.h"
#include "base/scope.h"
#include "base/share_names.h"
#include "base/vec.h"
#include "decode/exits/exit_text.h"
#include "source/import/system/system_reading.h"

#include <ctype.h>

/* What stands in brackets is all of it, and not the first of several. */
static bool is_of_one(const struct import_row *row)
{
    static const char *const names[] = {SHARE_DEVICE_BUSY,
                                        SHARE_DEVICE_SHORT,
                                        SHARE_NOT_COMPUTED,
                                        SHARE_BANDWIDTH_USED,
                                        SHARE_SCALING,
                                        SHARE_READY_TOGETHER,
                                        SHARE_RAN_MOST,
                                        SHARE_LOAD_BEYOND,
                                        SHARE_HEAP_KEPT,
                                        SHARE_BELOW_HIGHEST_HOT,
                                        SHARE_BELOW_HIGHEST_COOL,
                                        SHARE_OF_DESIGN_POWER,
                                        SHARE_OF_COMMANDS,
                                        SHARE_GROUP_MEMORY,
                                        SHARE_SCALAR,
                                        SHARE_SCAN_DROPS,
                                        SHARE_BUILT_PLAIN};
    bool is_one = view_starts(view_of(row->where), "node ");
    for (size_t at = 0; at < array_count(names); at++)
        is_one |= strcmp(row->name, names[at]) == 0;
    return is_one;
}

/* It is told or not: a share of nothing. */
static bool is_of_build(const struct import_row *row)
{
    return strcmp(row->name, SHARE_BUILT_PLAIN) == 0 || strcmp(row->name, SHARE_BUILT_OPTIMISED) == 0;
}

static void facts_keep(const struct system_reading *reading, struct system_table *table, struct view text,
                       struct arena *arena, struct import_facts *facts)
{
    scoped_text struct text summary = {0};
    struct import_row rows[SYSTEM_ROWS_MOST];
    size_t count = system_facts_of(reading, table, rows);
    if (!count)
        return;
    for (size_t at = 0; at < count; at++) {
        rows[at].where = arena_string(arena, rows[at].where);
        bool is_whole = is_of_one(&rows[at]);
        const char *behind = is_whole ? ")" : " first)";
        text_printf(&summary, "%s%s%s%s%s", at ? "; " : "", rows[at].name, rows[at].where[0] ? " (" : "",
                    rows[at].where, rows[at].where[0] ? behind : "");
        if (!is_of_build(&rows[at]))
            text_printf(&summary, " %.4g %%", rows[at].number);
    }
    facts->tables[facts->count++] = (struct imported_text){.kind = IMPORT_UNKNOWN,
                                                           .origin = SYSTEM_TABLE,
                                                           .summary = arena_string(arena, text_string(&summary)),
                                                           .rows = arena_copy(arena, rows, count * sizeof(*rows)),
                                                           .row_count = count,
                                                           .heading = import_text_heading(table->heading, arena),
                                                           .event = "",
                                                           .segment = text};
}

/* None without rows. */
static void table_keep(const char *origin, const char *summary, const struct import_row *rows, size_t count,
                       const char *heading, struct view text, struct arena *arena, struct import_facts *facts)
{
    if (!count)
        return;
    facts->tables[facts->count++] = (struct imported_text){.kind = IMPORT_UNKNOWN,
                                                           .origin = origin,
                                                           .summary = arena_string(arena, summary),
                                                           .rows = arena_copy(arena, rows, count * sizeof(*rows)),
                                                           .row_count = count,
                                                           .heading = heading,
                                                           .event = "",
                                                           .segment = text};
}

/* What turbostat printed of one run in the means of its rows, whatever follows from another's beside. */
static void turbostat_keep(const struct system_table *table, struct view text, struct arena *arena,
                           struct import_facts *facts)
{
    static const struct {
        enum fact fact;
        const char *name;
    } columns[] = {{FACT_BUSY_CLOCK, "Bzy_MHz"},    {FACT_NOMINAL_CLOCK, "TSC_MHz"}, {FACT_CORE_THROTTLES, "CoreThr"},
                   {FACT_CORE_DEGREES, "CoreTmp"}, {FACT_PACKAGE_DEGREES, "PkgTmp"}};
    scoped_text struct text summary = {0};
    struct import_row rows[array_count(columns)];
    size_t count = 0;
    const char *heading = import_text_heading(table->heading, arena);
    text_add(&summary, heading);
    for (size_t at = 0; at < array_count(columns) && table->met[FACT_BUSY_CLOCK].count; at++) {
        const struct met *met = &table->met[columns[at].fact];
        if (!met->count)
            continue;
        enum fact fact = columns[at].fact;
        bool of_heat = fact == FACT_CORE_DEGREES || fact == FACT_PACKAGE_DEGREES; /* the hottest core's counts */
        double number = fact == FACT_CORE_THROTTLES ? met->last : of_heat ? met->most : met->sum / (double)met->count;
        text_printf(&summary, "%s%s %.5g", count ? ", " : heading[0] ? ": " : "", columns[at].name, number);
        rows[count++] = (struct import_row){.name = columns[at].name, .number = number, .where = ""};
    }
    table_keep(SYSTEM_TURBOSTAT, text_string(&summary), rows, count, heading, text, arena, facts);
}

/* What went to memory in a second, whatever the most is that may. */
static void rate_keep(const struct system_reading *reading, const struct system_table *table, struct view text,
                      struct arena *arena, struct import_facts *facts)
{
    double mean_gb = system_memory_rate(reading, table) / 1e3;
    if (!(mean_gb > 0))
        return;
    struct import_row row = {
        .name = RATE_BANDWIDTH, .number = mean_gb, .where = arena_printf(arena, "%.4g GB/s", mean_gb)};
    facts->tables[facts->count++] = (struct imported_text){.kind = IMPORT_UNKNOWN,
                                                           .origin = SYSTEM_BANDWIDTH,
                                                           .summary = row.where,
                                                           .rows = arena_copy(arena, &row, sizeof(row)),
                                                           .row_count = 1,
                                                           .heading = import_text_heading(table->heading, arena),
                                                           .event = "",
                                                           .segment = text};
}

static void clock_keep(const struct system_reading *reading, struct view text, struct arena *arena,
                       struct import_facts *facts)
{
    struct import_row row = {.name = reading->clock, .where = ""};
    if (reading->clock)
        facts->tables[facts->count++] = (struct imported_text){.kind = IMPORT_UNKNOWN,
                                                               .origin = SYSTEM_CLOCK,
                                                               .summary = reading->clock,
                                                               .rows = arena_copy(arena, &row, sizeof(row)),
                                                               .row_count = 1,
                                                               .heading = "",
                                                               .event = "",
                                                               .segment = text};
}

/* User's and the kernel's time by the time that passed, where they were told once; 0: they weren't. */
static double cpus_used(const struct system_reading *reading)
{
    for (size_t at = 0; at < reading->tables.count; at++) {
        const struct met *met = reading->tables.items[at].met, *elapsed = &met[FACT_ELAPSED_S];
        if (met[FACT_USER_S].count == 1 && met[FACT_KERNEL_S].count == 1 && elapsed->count == 1 && elapsed->last > 0)
            return (met[FACT_USER_S].last + met[FACT_KERNEL_S].last) / elapsed->last;
    }
    return 0;
}

/* "0,1,2,3" for "0 1 2 3" */
static const char *list_kept(struct view list, struct arena *arena)
{
    scoped_text struct text out = {0};
    for (size_t at = 0; at < list.length; at++)
        text_add_char(&out, list.text[at] == ' ' ? ',' : list.text[at]);
    return arena_string(arena, text_string(&out));
}

static unsigned digit_of(char letter)
{
    return isdigit((unsigned char)letter) ? (unsigned)(letter - '0')
                                          : 10 + (unsigned)(tolower((unsigned char)letter) - 'a');
}

/* "0,2-3" for "d": the CPUs that a mask has bits for. */
static const char *mask_kept(struct view mask, struct arena *arena)
{
    enum { BITS = 4 };
    scoped_text struct text out = {0};
    size_t cpu = 0, run = 0; /* how many CPUs are in the run before this one */
    for (size_t at = mask.length; at-- > 0;) {
        if (mask.text[at] == ',')
            continue;
        for (unsigned bit = 0; bit < BITS; bit++, cpu++) {
            bool is_set = digit_of(mask.text[at]) >> bit & 1;
            if (!is_set && run > 1)
                text_printf(&out, "-%zu", cpu - 1);
            if (is_set && !run)
                text_printf(&out, "%s%zu", out.length ? "," : "", cpu);
            run = is_set ? run + 1 : 0;
        }
    }
    if (run > 1)
        text_printf(&out, "-%zu", cpu - 1);
    return arena_string(arena, text_string(&out));
}

static void places_keep(const struct system_reading *reading, struct view text, struct arena *arena,
                        struct import_facts *facts)
{
    scoped_text struct text summary = {0};
    struct import_row *rows = arena_array(arena, struct import_row, reading->places.count + 2);
    double used = cpus_used(reading);
    size_t count = 0;
    if (used > 0) {
        rows[count++] = (struct import_row){.name = PLACE_CPUS_USED, .number = used, .where = ""};
        text_printf(&summary, "%.3g in use on average", used);
    }
    for (size_t at = 0; at < reading->places.count; at++) {
        const struct place *place = &reading->places.items[at];
        const char *name = arena_printf(arena, "%s%.*s", place->of, (int)place->whose.length,
                                        place->whose.text ? place->whose.text : "");
        const char *list = place->is_mask ? mask_kept(place->list, arena) : list_kept(place->list, arena);
        rows[count++] = (struct import_row){.name = name, .where = list};
        text_printf(&summary, "%s%s%s%s", summary.length ? ", " : "", name, list[0] ? ": " : "", list);
    }
    if (count && reading->cpus > 0 && !reading->cpus_differ)
        rows[count++] = (struct import_row){.name = PLACE_CPUS_ALL, .number = reading->cpus, .where = ""};
    if (count)
        facts->tables[facts->count++] = (struct imported_text){.kind = IMPORT_UNKNOWN,
                                                               .origin = SYSTEM_PLACES,
                                                               .summary = arena_string(arena, text_string(&summary)),
                                                               .rows = rows,
                                                               .row_count = count,
                                                               .heading = "",
                                                               .event = "",
                                                               .segment = text};
}

/* Of a machine whose CPUs all have the same. */
static void governor_keep(const struct governor *governor, struct view text, struct arena *arena,
                          struct import_facts *facts)
{
    if (!governor->name[0] || governor->differs)
        return;
    struct import_row rows[] = {
        {.name = SYSTEM_GOVERNOR_NAME, .where = arena_string(arena, governor->name)},
        {.name = SYSTEM_GOVERNOR_DRIVER, .where = arena_string(arena, governor->driver)},
        {.name = SYSTEM_GOVERNOR_LEAST, .number = governor->least_mhz, .where = ""},
        {.name = SYSTEM_GOVERNOR_MOST, .number = governor->most_mhz, .where = ""},
    };
    const char *driver = governor->driver[0] ? arena_printf(arena, " (%s)", governor->driver) : "",
               *most = governor->most_mhz > 0 ? arena_printf(arena, ", %.4g MHz at most", governor->most_mhz) : "";
    facts->tables[facts->count++] =
        (struct imported_text){.kind = IMPORT_UNKNOWN,
                               .origin = SYSTEM_GOVERNOR,
                               .summary = arena_printf(arena, "%s%s%s", governor->name, driver, most),
                               .rows = arena_copy(arena, rows, sizeof(rows)),
                               .row_count = array_count(rows),
                               .heading = "",
                               .event = "",
                               .segment = text};
}

/* Rows of the same kind as one table. */
static void group_rows_keep(const struct import_row *rows, size_t count, const char *heading, struct view text,
                            struct arena *arena, struct import_facts *facts)
{
    scoped_text struct text summary = {0};
    for (size_t at = 0; at < count; at++)
        text_printf(&summary, "%s%s %.0f", at ? ", " : "", rows[at].name, rows[at].number);
    table_keep(SYSTEM_GROUP, text_string(&summary), rows, count, heading, text, arena, facts);
}

/* What a group counted at the first look, or at the last one. */
static void group_look_keep(const struct system_table *table, bool is_last, struct view heading, struct view text,
                            struct arena *arena, struct import_facts *facts)
{
    static const struct {
        enum fact fact;
        const char *name;
        double unit;
    } counts[] = {{FACT_PERIODS, GROUP_PERIODS, 1},
                  {FACT_THROTTLED, GROUP_THROTTLED, 1},
                  {FACT_THROTTLED_US, GROUP_THROTTLED_US, 1},
                  {FACT_THROTTLED_NS, GROUP_THROTTLED_US, 1e-3},
                  {FACT_GROUP_USED_US, GROUP_USED_US, 1}};
    const struct met *periods = &table->met[FACT_PERIODS];
    struct import_row rows[array_count(counts)];
    size_t count = 0;
    for (size_t at = 0; at < array_count(counts); at++) {
        const struct met *met = &table->met[counts[at].fact];
        if (met->count == periods->count)
            rows[count++] = (struct import_row){
                .name = counts[at].name, .number = counts[at].unit * (is_last ? met->last : met->first), .where = ""};
    }
    group_rows_keep(rows, count, import_text_heading(heading, arena), text, arena, facts);
}

static void group_keep(const struct system_reading *reading, struct view text, struct arena *arena,
                       struct import_facts *facts)
{
    static const double USUAL_US = 1e5;
    const struct group_limit *limit = &reading->limit;
    for (size_t at = 0; at < reading->tables.count; at++) {
        const struct system_table *table = &reading->tables.items[at];
        size_t looks = table->met[FACT_PERIODS].count;
        if (!looks || table->met[FACT_THROTTLED].count != looks)
            continue;
        group_look_keep(table, false, reading->group_first, text, arena, facts);
        if (looks > 1)
            group_look_keep(table, true, reading->group_last, text, arena, facts);
    }
    const struct import_row rows[] = {
        {.name = GROUP_QUOTA_US, .number = limit->quota_us, .where = ""},
        {.name = GROUP_PERIOD_US, .number = limit->period_us > 0 ? limit->period_us : USUAL_US, .where = ""}};
    if (limit->quota_us > 0 && !limit->differs)
        group_rows_keep(rows, array_count(rows), "", text, arena, facts);
}

/* The line with blanks for the bars of a table of Markdown. */
static struct view without_bars(struct view line, struct text *copy)
{
    text_clear(copy);
    for (size_t at = 0; at < line.length; at++)
        text_add_char(copy, line.text[at] == '|' || line.text[at] == '`' ? ' ' : line.text[at]);
    return text_view(copy);
}

/* "| npf | 2011 | 80.1% | 90.0% | 1.00us | 900.00us | 31.00us |": perf kvm's rows keep their times without the bars. */
static bool is_exits_of_markdown(struct view line, struct view bare)
{
    struct exit_row row;
    return view_starts(view_trim(line), "|") && exit_text_row(bare, &row) && row.has_times;
}

/* "## After the change" */
static struct view section_of(struct view line)
{
    struct view rest = line;
    while (view_starts(rest, "#"))
        rest = view_skip(rest, 1);
    bool is_one = rest.length < line.length && view_starts(rest, " ") && view_trim(rest).length &&
                  isalpha((unsigned char)view_trim(rest).text[0]);
    return is_one ? view_trim(rest) : (struct view){0};
}

/* What top and pcm-memory print between one look and the next: in columns, or in words of their own. */
static bool is_of_tool(struct view line)
{
    static const char *const own[] = {"Time elapsed:", "Called sleep function"};
    bool is_own = false;
    line = view_trim(line);
    for (size_t at = 0; at < array_count(own); at++)
        is_own |= view_starts(line, own[at]);
    for (size_t at = 1; at + 1 < line.length; at++) /* two blanks, but behind a sentence */
        is_own |= line.text[at] == '\t' ||
                  (line.text[at] == ' ' && line.text[at + 1] == ' ' && !strchr(".:!?", line.text[at - 1]));
    return is_own;
}

/* "$ perf lock contention -ab -- sleep 10", "`perf lock …`": how long it watched stands in the command alone. */
static struct view command_of(struct view line)
{
    struct view rest = view_trim(line), all = rest, prompt = view_word(&rest);
    bool is_prompt = view_equal(prompt, "$") || view_equal(prompt, "#"), is_quoted = view_starts(all, "`");
    struct view command = is_prompt ? view_trim(rest) : view_skip(all, is_quoted);
    bool is_one =
        (is_prompt || is_quoted) && (view_starts(command, "perf lock") || view_starts(command, "sudo perf lock"));
    return is_one ? command : (struct view){0};
}

/* What people wrote may be what stands above the next table. */
static void heading_note(struct system_reading *reading, struct view line, bool after_gap, struct view rest)
{
    struct view command = command_of(line);
    if (view_find(command, "perf lock report") >= 0 && view_find(reading->heading, "perf lock rec") >= 0)
        return; /* it is of what was recorded there, for as long as that says */
    struct view section = command.length ? command : section_of(line);
    if (section.length || (!is_of_tool(line) && import_text_is_prose(line, after_gap, rest)))
        system_heading(reading, section.length ? section : line);
}

struct view import_system_turned(struct view text, struct arena *arena, struct import_facts *ret_facts)
{
    scoped_text struct text plain = {0}, out = {0};
    struct system_reading reading = {.document = text};
    struct view line, rest = text;
    bool turned = false, after_gap = true;
    while (view_line(&rest, &line)) {
        struct view bare = without_bars(line, &plain);
        system_log_read(&reading, line);
        system_bandwidth_note(&reading, line);
        system_scaling_note(&reading, line);
        system_calls_note(&reading, line);
        system_build_note(&reading, line);
        system_busy_note(&reading, line);
        bool read = system_columns_read(&reading, line, &rest) || system_devices_read(&reading, line, &rest) ||
                    system_bandwidth_read(&reading, line) || system_scaling_read(&reading, line) ||
                    system_processes_read(&reading, line, &rest) || system_sessions_read(&reading, line, &rest) ||
                    system_servers_read(&reading, line, rest) || system_calls_read(&reading, line, &rest) ||
                    system_softirqs_read(&reading, line, &rest) || system_events_read(line, &rest, &out) ||
                    system_accesses_read(&reading, line, &rest, &out) || system_throttles_read(&reading, bare, &out) ||
                    system_collector_read(&reading, line) || system_governor_read(&reading, line) ||
                    system_group_read(&reading, line) || system_group_events_read(&reading, line, &rest) ||
                    system_spin_read(&reading, line) || system_scalar_read(&reading, line) ||
                    system_plans_read(&reading, line) || system_line_read(&reading, bare) ||
                    system_places_read(&reading, line) || system_nodes_read(&reading, line) ||
                    system_locks_read(&reading, line) || system_waits_read(&reading, line);
        turned |= read;
        if (!read) {
            bool exits = is_exits_of_markdown(line, bare);
            turned |= exits;
            heading_note(&reading, line, after_gap, rest);
            text_append(&out, exits ? bare.text : line.text, exits ? bare.length : line.length);
        }
        text_add_char(&out, '\n');
        after_gap = import_text_is_gap(line);
    }
    if (reading.scaling.count || reading.build_words[0])
        system_table_of(&reading, TOOL_DOCUMENT);
    *ret_facts = (struct import_facts){.tables = arena_array(arena, struct imported_text, 5 * reading.tables.count + 4),
                                       .was_read = turned};
    for (size_t at = 0; at < reading.tables.count; at++)
        turbostat_keep(&reading.tables.items[at], text, arena, ret_facts);
    for (size_t at = 0; at < reading.tables.count; at++)
        rate_keep(&reading, &reading.tables.items[at], text, arena, ret_facts);
    for (size_t at = 0; at < reading.tables.count; at++)
        facts_keep(&reading, &reading.tables.items[at], text, arena, ret_facts);
    clock_keep(&reading, text, arena, ret_facts);
    places_keep(&reading, text, arena, ret_facts);
    governor_keep(&reading.governor, text, arena, ret_facts);
    group_keep(&reading, text, arena, ret_facts);
    system_reading_done(&reading);
    return turned ? (struct view){arena_copy(arena, out.bytes, out.length), out.length} : text;
}
