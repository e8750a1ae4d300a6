/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/import/system/system_reading.h"

#include <string.h>

static bool has(const struct words *words, const char *word)
{
    for (size_t at = 0; at < words->count; at++)
        if (view_equal(words->items[at], word))
            return true;
    return false;
}

static const struct {
    const char *heading;
    enum fact fact;
} columns[] = {{"%steal", FACT_STEAL},         {"st", FACT_STEAL},        {"%iowait", FACT_IO_WAIT},
               {"wa", FACT_IO_WAIT},           {"%irq", FACT_INTERRUPTS}, {"%soft", FACT_SOFT_INTERRUPTS},
               {"%sys", FACT_KERNEL},          {"%system", FACT_KERNEL},  {"sy", FACT_KERNEL},
               {"si", FACT_PAGED_IN},          {"so", FACT_PAGED_OUT},    {"Bzy_MHz", FACT_BUSY_CLOCK},
               {"r", FACT_RUN_QUEUE},          {"bi", FACT_BLOCKS_IN},         {"bo", FACT_BLOCKS_OUT},
               {"TSC_MHz", FACT_NOMINAL_CLOCK}, {"CoreThr", FACT_CORE_THROTTLES}, {"CoreTmp", FACT_CORE_DEGREES},
               {"PkgTmp", FACT_PACKAGE_DEGREES}, {"%idle", FACT_IDLE},        {"id", FACT_IDLE}};

static bool is_of_clocks(const struct words *heading)
{
    return has(heading, "Bzy_MHz") && (has(heading, "TSC_MHz") || has(heading, "Busy%"));
}

static bool is_heading(const struct words *words)
{
    bool shares = has(words, "%idle") && (has(words, "%sys") || has(words, "%system"));
    bool vmstat = has(words, "si") && has(words, "so") && has(words, "us") && has(words, "sy") && has(words, "wa");
    return shares || vmstat || is_of_clocks(words);
}

static bool is_number(struct view word)
{
    double ignored;
    return view_grouped(word, &ignored);
}

/* How the whole machine is called in a column of CPUs. */
static bool is_of_all(const struct words *heading, const struct words *row)
{
    bool by_cpu = has(heading, "CPU") || has(heading, "Core");
    return !by_cpu || has(row, "all") || (row->count && view_equal(row->items[0], "-"));
}

static bool number_under(const struct words *heading, const struct words *row, const char *column, double *ret)
{
    for (size_t back = 1; back <= heading->count && back <= row->count; back++)
        if (view_equal(heading->items[heading->count - back], column))
            return view_grouped(row->items[row->count - back], ret) && *ret >= 0 && *ret <= 100;
    return false;
}

/* A row of one CPU of mpstat's: what interrupts take there is hidden in the mean of all. */
static void cpu_row_read(struct system_table *table, const struct words *heading, const struct words *row)
{
    double hard, soft, idle, steal = 0;
    struct view name = {0};
    for (size_t back = 1; back <= heading->count && back <= row->count; back++)
        if (view_equal(heading->items[heading->count - back], "CPU"))
            name = row->items[row->count - back];
    if (!name.length || name.length >= CPU_NAME_MOST || !is_number(name) ||
        !number_under(heading, row, "%irq", &hard) || !number_under(heading, row, "%soft", &soft) ||
        !number_under(heading, row, "%idle", &idle))
        return;
    if (!number_under(heading, row, "%steal", &steal))
        steal = 0;
    struct cpu_row *cpu = NULL;
    for (size_t at = 0; at < table->cpus.count && !cpu; at++)
        if (view_equal(name, table->cpus.items[at].name))
            cpu = &table->cpus.items[at];
    if (!cpu) {
        cpu = vec_push(&table->cpus);
        *cpu = (struct cpu_row){.count = 0};
        memcpy(cpu->name, name.text, name.length);
    }
    bool average = view_starts(row->items[0], "Average"); /* it stands for all before it */
    *cpu = (struct cpu_row){.interrupts = (average ? 0 : cpu->interrupts) + hard + soft,
                            .idle = (average ? 0 : cpu->idle) + idle,
                            .steal = (average ? 0 : cpu->steal) + steal,
                            .count = (average ? 0 : cpu->count) + 1};
    memcpy(cpu->name, name.text, name.length);
}

static void clock_row_add(struct system_table *table, const struct words *heading, const struct words *row)
{
    struct clock_row clock = {.mhz = 0};
    for (size_t back = 1; back <= heading->count && back <= row->count; back++) {
        double value;
        struct view name = heading->items[heading->count - back];
        bool mhz = view_equal(name, "Bzy_MHz"), busy = view_equal(name, "Busy%");
        if (!(mhz || busy) || !view_grouped(row->items[row->count - back], &value) || !(value >= 0))
            continue;
        clock.mhz = mhz ? value : clock.mhz;
        clock.busy_ratio = busy ? value / 100 : clock.busy_ratio;
    }
    if (clock.mhz > 0)
        *vec_push(&table->clocks) = clock;
}

/* How often heat throttled a core stands in the row of its first CPU. */
static void heat_row_meet(struct system_table *table, const struct words *heading, const struct words *row)
{
    for (size_t at = 0; at < heading->count && at < row->count; at++) {
        double throttles;
        if (!view_equal(heading->items[at], "CoreThr") || !view_grouped(row->items[at], &throttles))
            continue;
        table->heat_rows++;
        table->hot_rows += throttles > 0;
    }
}

/* turbostat's rows are as long as its heading, or end sooner: what is a package's or a core's stands there once. */
static bool number_at(const struct words *heading, const struct words *row, const char *column, double *ret)
{
    for (size_t at = 0; at < heading->count && at < row->count; at++)
        if (view_equal(heading->items[at], column))
            return view_grouped(row->items[at], ret);
    return false;
}

static struct package *package_of(struct system_table *table, double number)
{
    for (size_t at = 0; at < table->package_count; at++)
        if (!(table->packages[at].number < number) && !(table->packages[at].number > number))
            return &table->packages[at];
    if (table->package_count == PACKAGES_MOST)
        return NULL;
    struct package *package = &table->packages[table->package_count++];
    *package = (struct package){.number = number};
    return package;
}

static void package_row_meet(struct system_table *table, const struct words *heading, const struct words *row)
{
    double number, mhz, value;
    if (!number_at(heading, row, "Package", &number) || !number_at(heading, row, "Bzy_MHz", &mhz))
        return;
    struct package *package = package_of(table, number);
    if (!package)
        return;
    package->rows++;
    package->mhz_sum += mhz;
    if (number_at(heading, row, "CoreThr", &value) && value > package->throttles)
        package->throttles = value;
    if (number_at(heading, row, "PkgTmp", &value) && value > package->degrees)
        package->degrees = value;
    if (number_at(heading, row, "PkgWatt", &value) && value > package->watts)
        package->watts = value;
}

/* Of any row, a single CPU's too. */
static void busy_row_meet(struct system_table *table, const struct words *heading, const struct words *row)
{
    for (size_t back = 1; back <= heading->count && back <= row->count; back++) {
        double percent;
        if (!view_equal(heading->items[heading->count - back], "Busy%") ||
            !view_grouped(row->items[row->count - back], &percent))
            continue;
        table->tells_busy = true;
        table->busiest_ratio = percent / 100 > table->busiest_ratio ? percent / 100 : table->busiest_ratio;
    }
}

/* Which rows of a table have been read. */
struct rows_read {
    size_t count;
    bool has_final; /* the tool's own average: it stands for all, and ends the table */
};

/*
 * What stands at the right end has its heading there; a row may have more or fewer words before. False: no row of this
 * table.
 */
static bool row_read(struct system_table *table, const struct words *heading, const struct words *row,
                     struct rows_read *rows)
{
    enum { NUMBERS_LEAST = 5 };
    bool clocks = is_of_clocks(heading); /* of whose columns one picks some */
    size_t numbers = 0, least = clocks && heading->count < NUMBERS_LEAST ? heading->count : NUMBERS_LEAST;
    while (numbers < row->count && is_number(row->items[row->count - 1 - numbers]))
        numbers++;
    /* turbostat says of a package once what is its own */
    bool shorter = row->count + 2 < heading->count && !clocks;
    if (numbers < least || shorter || row->count > heading->count + 2)
        return false;
    rows->count++;
    busy_row_meet(table, heading, row);
    if (!is_of_all(heading, row)) {
        heat_row_meet(table, heading, row);
        package_row_meet(table, heading, row);
        cpu_row_read(table, heading, row);
        return true;
    }
    if (view_starts(row->items[0], "Average") && !rows->has_final) {
        memset(table->met, 0, sizeof(table->met));
        rows->has_final = true;
    }
    if (clocks)
        clock_row_add(table, heading, row);
    for (size_t back = 1; back <= numbers && back <= heading->count; back++)
        for (size_t at = 0; at < array_count(columns); at++) {
            double value;
            if (view_equal(heading->items[heading->count - back], columns[at].heading) &&
                view_grouped(row->items[row->count - back], &value))
                system_meet(table, columns[at].fact, value);
        }
    return true;
}

/* The same columns again, as tools print them from time to time; before them may stand another time of day. */
static bool is_continued(const struct words *heading, const struct words *again, bool has_final)
{
    size_t least = heading->count < again->count ? heading->count : again->count,
           most = heading->count + again->count - least;
    for (size_t back = 1; back + 2 <= least; back++) {
        struct view one = heading->items[heading->count - back], other = again->items[again->count - back];
        if (one.length != other.length || memcmp(one.text, other.text, one.length) != 0)
            return false;
    }
    return most - least <= 1 && (!has_final || view_starts(again->items[0], "Average"));
}

/*
 * turbostat counts heat's throttles anew from row of all to row of all: an interval in which there were some is apart
 * from those before in which there were none, and the other way round.
 */
static bool is_other_heat(const struct system_table *table, const struct words *heading, struct view after)
{
    const struct met *before = &table->met[FACT_CORE_THROTTLES];
    struct view line;
    struct words row;
    double throttles = 0;
    bool found = false;
    if (!is_of_clocks(heading) || !before->count || !view_line(&after, &line))
        return false;
    words_of(line, &row);
    for (size_t at = 0; at < heading->count && at < row.count && !found; at++)
        found = view_equal(heading->items[at], "CoreThr") && view_grouped(row.items[at], &throttles);
    return found && is_of_all(heading, &row) && (throttles > 0) != (before->last > 0);
}

static void without_first(struct system_table *table)
{
    for (size_t at = 0; at < FACT_COLUMNS; at++)
        if (table->met[at].count > 1) {
            table->met[at].sum -= table->met[at].first;
            table->met[at].count--;
        }
}

/* iostat's reports are one table with its devices between them; the first is of the time since the start. */
static struct system_table *table_begin(struct system_reading *reading, const struct words *heading)
{
    bool of_iostat = has(heading, "avg-cpu:");
    for (size_t at = reading->tables.count; of_iostat && at-- > 0;) {
        struct system_table *table = &reading->tables.items[at];
        if (!table->is_of_iostat || table->has_ended)
            continue;
        if (table->met[FACT_IO_WAIT].count == 1 && !table->has_begun)
            memset(table->met, 0, sizeof(table->met));
        table->has_begun = true;
        return table;
    }
    struct system_table *table = system_table_begin(reading, TOOL_COLUMNS);
    table->is_of_iostat = of_iostat;
    return table;
}

bool system_columns_read(struct system_reading *reading, struct view line, struct view *rest)
{
    struct words heading, row;
    words_of(line, &heading);
    if (!is_heading(&heading))
        return false;
    struct system_table *table = table_begin(reading, &heading);
    struct rows_read rows = {0};
    for (struct view after = *rest; view_line(&after, &line); *rest = after) {
        words_of(line, &row);
        if (is_heading(&row) ? !is_continued(&heading, &row, rows.has_final) || is_other_heat(table, &heading, after)
                             : row.count && !row_read(table, &heading, &row, &rows))
            break;
    }
    if (has(&heading, "swpd")) /* the first row is of the time since the machine was started */
        without_first(table);
    return true;
}
