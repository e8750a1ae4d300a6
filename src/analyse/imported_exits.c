/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/exits/exit_reason.h"
#include "analyse/imported.h"
#include "base/vec.h"

#include <string.h>
#include <strings.h>

static bool is_exits(const struct imported_table *table)
{
    return table->kind == IMPORTED_EXITS;
}

/* "HLT", SVM's "hlt", EXIT_REASON_HLT; of numbers alone VMX's, which SVM doesn't use. */
static const struct exit_reason *reason_of(const struct imported_row *row)
{
    uint64_t number;
    if (!view_u64(view_of(row->name), 0, &number))
        return exit_reason_named(EXIT_ISA_NONE, row->name);
    const struct exit_reason *reason = exit_reason_find(EXIT_ISA_VMX, number);
    return reason ? reason : exit_reason_find(EXIT_ISA_SVM, number);
}

static bool is_idle(const struct imported_row *row)
{
    const struct exit_reason *reason = reason_of(row);
    return reason && reason->class == EXIT_CLASS_IDLE;
}

/* What a tool's sums have and its rows that were imported don't: halts may be among them. */
static bool is_left_out(const struct imported_row *row)
{
    return strcmp(row->name, IMPORTED_EXITS_OTHERS) == 0;
}

/* What the exits of a table took; waiting to be woken is no cost. */
static double seconds_of(const struct imported_table *table)
{
    double seconds = 0;
    for (size_t at = 0; at < table->count; at++)
        seconds += is_idle(&table->rows[at]) || is_left_out(&table->rows[at]) ? 0 : table->rows[at].seconds;
    return seconds;
}

static bool has_times(const struct imported_table *table)
{
    for (size_t at = 0; at < table->count; at++)
        if (table->rows[at].seconds > 0)
            return true;
    return false;
}

/* In a second, where it is told over how many; halts are none. */
static double busy_rate(const struct imported_table *table)
{
    double count = 0;
    for (size_t at = 0; at < table->count; at++)
        count += is_idle(&table->rows[at]) ? 0 : table->rows[at].number;
    return table->elapsed_s > 0 ? count / table->elapsed_s : count;
}

/* Where none has times the first, or one with far more exits. */
static const struct imported_table *longest_of(const struct imported *imported)
{
    static const double FAR_MORE = 2;
    const struct imported_table *longest = NULL;
    for (size_t at = 0; imported && at < imported->count; at++) {
        const struct imported_table *table = &imported->tables[at];
        bool timed = longest && (seconds_of(table) > 0 || seconds_of(longest) > 0);
        if (is_exits(table) && (!longest || (timed ? seconds_of(table) > seconds_of(longest)
                                                   : busy_rate(table) > FAR_MORE * busy_rate(longest))))
            longest = table;
    }
    return longest;
}

static struct imported_exits_reason foremost_of(const struct imported_table *table)
{
    struct imported_exits_reason most = {.name = NULL};
    bool by_time = has_times(table);
    for (size_t at = 0; at < table->count; at++) {
        const struct imported_row *row = &table->rows[at];
        if (!is_idle(row) && !is_left_out(row) && (by_time ? row->seconds > most.seconds : row->number > most.count))
            most = (struct imported_exits_reason){row->name, row->number, row->seconds};
    }
    return most;
}

struct imported_exits imported_exits_of(const struct imported *imported)
{
    return imported_exits_in(longest_of(imported));
}

struct imported_exits imported_exits_in(const struct imported_table *table)
{
    struct imported_exits exits = {.count = not_measured("no table of exits was imported"),
                                   .seconds = not_measured("the table of exits has no times")};
    double count = 0, most = 0;
    for (size_t at = 0; table && at < table->count; at++) {
        const struct imported_row *row = &table->rows[at];
        count += row->number;
        exits.idle += is_idle(row) ? row->number : 0;
        exits.left_out_s += is_left_out(row) ? row->seconds : 0;
        if (row->number > most) {
            most = row->number;
            exits.commonest = row->name;
        }
    }
    if (!table || count <= 0)
        return exits;
    if (has_times(table))
        exits.seconds = measured_as(seconds_of(table));
    exits.table = table;
    exits.file = table->file;
    exits.count = measured_as(count);
    exits.commonest_share = most / count;
    exits.foremost = foremost_of(table);
    return exits;
}

/* ---- two of them ---- */

static struct imported_exits_reason reason_in(const struct imported_table *table, const char *name)
{
    struct imported_exits_reason sum = {.name = name};
    for (size_t at = 0; at < table->count; at++)
        if (strcasecmp(table->rows[at].name, name) == 0) {
            sum.count += table->rows[at].number;
            sum.seconds += table->rows[at].seconds;
        }
    return sum;
}

/*
 * A confidential guest asks the host by an exit for that (SNP's vmgexit, TDX's TDCALL) for what a plain one leaves for
 * by itself: of two such guests these are one and the same.
 */
static bool is_asking(const struct imported_row *row)
{
    const struct exit_reason *reason = reason_of(row);
    return reason && (strcmp(reason->name, "vmgexit") == 0 || strcmp(reason->name, "TDCALL") == 0);
}

static bool is_intercepted(const struct imported_row *row)
{
    static const char *const names[] = {"msr",  "io",       "cpuid",     "wbinvd", "rdpmc", "MSR_READ", "MSR_WRITE",
                                        "IO_INSTRUCTION", "CPUID", "WBINVD", "RDPMC"};
    const struct exit_reason *reason = reason_of(row);
    for (size_t at = 0; reason && at < array_count(names); at++)
        if (strcmp(reason->name, names[at]) == 0)
            return true;
    return false;
}

static struct imported_exits_reason same_in(const struct imported_table *table, const struct imported_row *row)
{
    struct imported_exits_reason sum = reason_in(table, row->name);
    bool asks = is_asking(row), intercepted = is_intercepted(row);
    for (size_t at = 0; (asks || intercepted) && at < table->count; at++)
        if (asks ? is_intercepted(&table->rows[at]) : is_asking(&table->rows[at])) {
            sum.count += table->rows[at].number;
            sum.seconds += table->rows[at].seconds;
        }
    return sum;
}

/* Of a second where both tell over which time they were counted: else of as long, since nothing else is told. */
static double rate_of(const struct imported_table *table, const struct imported_table *other, double number)
{
    return table->elapsed_s > 0 && other->elapsed_s > 0 ? number / table->elapsed_s : number;
}

static void gap_find(const struct imported_table *one, const struct imported_table *other,
                     struct imported_exits_gap *gap)
{
    static const double MANY = 3, MUCH = 0.1;
    double all = 0, found = 0;
    for (size_t at = 0; at < one->count; at++)
        all += is_idle(&one->rows[at]) ? 0 : gap->by_time ? one->rows[at].seconds : one->rows[at].number;
    if (gap->known) {
        double there = rate_of(gap->more, gap->fewer, gap->by_time ? gap->most.seconds : gap->most.count),
               beside = rate_of(gap->fewer, gap->more, gap->by_time ? gap->least.seconds : gap->least.count);
        found = there - beside;
    }
    for (size_t at = 0; at < one->count; at++) {
        const struct imported_row *row = &one->rows[at];
        struct imported_exits_reason here = reason_in(one, row->name), there = same_in(other, row);
        double many = gap->by_time ? here.seconds : here.count, few = gap->by_time ? there.seconds : there.count;
        double more = rate_of(one, other, many) - rate_of(other, one, few);
        if (is_idle(row) || !reason_of(row) || many < MUCH * all ||
            rate_of(one, other, many) < MANY * rate_of(other, one, few) || !(more > found))
            continue;
        found = more;
        *gap = (struct imported_exits_gap){true, gap->by_time, one, other, here, reason_in(other, row->name)};
    }
}

static bool has_known_reasons(const struct imported_table *table)
{
    for (size_t at = 0; at < table->count; at++)
        if (reason_of(&table->rows[at]))
            return true;
    return false;
}

struct imported_exits_gap imported_exits_gap_of(const struct imported *imported)
{
    const struct imported_table *tables[2] = {NULL};
    struct imported_exits_gap gap = {.known = false};
    size_t count = 0;
    for (size_t at = 0; imported && at < imported->count; at++)
        if (is_exits(&imported->tables[at]) && has_known_reasons(&imported->tables[at])) {
            if (count < 2)
                tables[count] = &imported->tables[at];
            count++;
        }
    if (count != 2) /* of more it isn't told which belong together */
        return gap;
    gap.by_time = has_times(tables[0]) && has_times(tables[1]);
    gap_find(tables[0], tables[1], &gap);
    gap_find(tables[1], tables[0], &gap);
    return gap;
}

struct imported_exits_alone imported_exits_alone_of(const struct imported_table *table,
                                                    const struct imported_table *other)
{
    static const double MUCH = 0.1;
    struct imported_exits_alone found = {.reason.name = NULL};
    double all = 0;
    for (size_t at = 0; at < table->count; at++)
        all += is_idle(&table->rows[at]) || is_left_out(&table->rows[at]) ? 0 : table->rows[at].number;
    for (size_t at = 0; at < table->count; at++) {
        const struct imported_row *row = &table->rows[at];
        struct imported_exits_reason here = reason_in(table, row->name);
        if (is_idle(row) || !reason_of(row) || here.count < MUCH * all || here.count <= found.reason.count ||
            reason_in(other, row->name).count > 0)
            continue;
        found = (struct imported_exits_alone){here, same_in(other, row).count};
    }
    return found;
}
