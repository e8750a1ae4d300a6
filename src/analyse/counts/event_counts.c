/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/counts/event_counts.h"

#include "base/vec.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums over the runs, by the place of their line before the lines are ordered. */
struct count_sum {
    double value, squares, enabled_ns, running_ns;
    size_t runs;
};

/* One run's sum for one line. */
struct part_sum {
    double value, enabled_ns, running_ns;
    bool any, failed, refused, no_right;
    size_t parts;
};

struct place {
    int socket, die, core, node, cpu, thread;
};

static const struct place nowhere = {-1, -1, -1, -1, -1, -1};

static struct place place_of(const struct count_cell *cell, const struct count_options *options)
{
    struct place place = nowhere;
    const struct topology_cpu *cpu = options->topology && cell->cpu >= 0
                                         ? topology_cpu_find(options->topology, cell->cpu)
                                         : NULL;
    switch (options->grouping) {
    case COUNT_GLOBAL:
        break;
    case COUNT_PER_CPU:
        place.cpu = cell->cpu;
        break;
    case COUNT_PER_CORE:
        place.core = cpu ? cpu->core : -1;
        __attribute__((fallthrough));
    case COUNT_PER_DIE:
        place.die = cpu && cpu->die >= 0 ? cpu->die : 0;
        __attribute__((fallthrough));
    case COUNT_PER_SOCKET:
        place.socket = cpu ? cpu->socket : -1;
        break;
    case COUNT_PER_NODE:
        place.node = cpu ? cpu->node : -1;
        break;
    case COUNT_PER_THREAD:
        place.thread = cell->thread;
        break;
    }
    return place;
}

static struct count_line *line_find(struct count_report *report, size_t first, size_t row, const struct place *place)
{
    for (size_t at = first; at < report->line_count; at++) {
        struct count_line *line = &report->lines[at];
        if (line->row == row && line->socket == place->socket && line->die == place->die &&
            line->core == place->core && line->node == place->node && line->cpu == place->cpu &&
            line->thread == place->thread)
            return line;
    }
    return NULL;
}

static struct count_line *line_add(struct count_report *report, const struct count_table *table, size_t row,
                                   const struct place *place)
{
    size_t old = report->line_capacity;
    report->lines = vec_reserve_bytes(report->lines, &report->line_capacity, report->line_count + 1,
                                      sizeof(*report->lines));
    if (report->line_capacity != old)
        report->sums = memory_resize(report->sums, memory_product(report->line_capacity, sizeof(*report->sums)));
    const struct count_row *source = &table->rows[row];
    report->sums[report->line_count] = (struct count_sum){0};
    struct count_line *line = &report->lines[report->line_count++];
    *line = (struct count_line){
        .row = row,
        .event = source->event,
        .unit = source->unit,
        .cgroup = source->cgroup,
        .fractional = floor(source->scale) != source->scale,
        .status = COUNT_NOT_SUPPORTED,
        .socket = place->socket,
        .die = place->die,
        .core = place->core,
        .node = place->node,
        .cpu = place->cpu,
        .thread = place->thread,
    };
    return line;
}

static void part_add(struct part_sum *sum, const struct reading *reading, const struct count_options *options)
{
    sum->parts++;
    switch (reading->status) {
    case READING_COUNTED:
        sum->any = true;
        /* events are whole */
        sum->value += options->raw_counts ? (double)reading->value : rint(reading_scaled(reading));
        break;
    case READING_NOT_COUNTED:
        /* enabled, but never on a counter: its part is unknown, not 0. Never enabled: the thread never ran. */
        sum->failed |= reading->enabled_ns > 0;
        break;
    case READING_NOT_SUPPORTED:
        sum->refused = true;
        sum->no_right |= reading->open_errno == EACCES || reading->open_errno == EPERM ||
                         reading->open_errno == EBUSY || reading->open_errno == ENOSPC;
        break;
    }
    sum->enabled_ns += (double)reading->enabled_ns;
    sum->running_ns += (double)reading->running_ns;
}

/* The status of several runs is the best of them: a mean is over the runs that counted. */
static void line_close(struct count_line *line, struct count_sum *sum, const struct part_sum *part, double scale)
{
    line->parts = part->parts;
    if (part->any && !part->failed) {
        double value = part->value * scale;
        line->status = COUNT_COUNTED;
        sum->runs++;
        sum->value += value;
        sum->squares += value * value;
        sum->enabled_ns += part->enabled_ns;
        sum->running_ns += part->running_ns;
    } else if (line->status != COUNT_COUNTED && (!part->refused || part->no_right)) {
        line->status = COUNT_NOT_COUNTED;
    }
}

static void row_add(struct count_report *report, const struct count_table *table, size_t row, struct part_sum *parts,
                    size_t first_line, const struct count_options *options)
{
    const struct count_row *source = &table->rows[row];
    for (size_t cell = 0; cell < source->cell_count; cell++) {
        struct place place = place_of(&source->cells[cell], options);
        struct count_line *line = line_find(report, first_line, source->merged_with, &place);
        if (line)
            part_add(&parts[line - report->lines], &source->cells[cell].reading, options);
    }
}

/* Lines for every place of every row, in the order of rows; a row without cells has one, not counted. */
static void lines_make(struct count_report *report, const struct count_table *table,
                       const struct count_options *options)
{
    for (size_t row = 0; row < table->row_count; row++) {
        const struct count_row *source = &table->rows[row];
        size_t first = report->line_count;
        if (source->merged_with != row)
            for (first = 0; report->lines[first].row != source->merged_with;)
                first++;
        for (size_t cell = 0; cell < source->cell_count; cell++) {
            struct place place = place_of(&source->cells[cell], options);
            if (!line_find(report, first, source->merged_with, &place))
                line_add(report, table, source->merged_with, &place);
        }
        if (source->cell_count == 0 && source->merged_with == row)
            line_add(report, table, row, &nowhere);
        report->has_cgroups |= source->cgroup != NULL;
    }
}

void count_report_add(struct count_report *report, const struct count_table *table, const struct count_options *options)
{
    if (report->run_count == 0) {
        report->grouping = options->grouping;
        report->largest_first = options->largest_first;
        lines_make(report, table, options);
    }
    report->threads = table->threads;
    double elapsed = (double)(table->end_ns - table->start_ns);
    report->run_count++;
    report->elapsed_ns += elapsed;
    report->elapsed_squares += elapsed * elapsed;
    if (!report->line_count)
        return;
    struct part_sum *parts = memory_alloc(memory_product(report->line_count, sizeof(*parts)));
    size_t first = 0;
    for (size_t row = 0; row < table->row_count; row++) {
        if (table->rows[row].merged_with == row)
            while (first + 1 < report->line_count && report->lines[first].row != row)
                first++;
        row_add(report, table, row, parts, first, options);
    }
    for (size_t at = 0; at < report->line_count; at++)
        line_close(&report->lines[at], &report->sums[at], &parts[at], table->rows[report->lines[at].row].scale);
    free(parts);
}

/* Standard error of the mean of n values with these sums. */
static double mean_error(double sum, double squares, size_t n)
{
    if (n < 2)
        return 0;
    double mean = sum / (double)n, variance = (squares - sum * mean) / (double)(n - 1);
    /* n equal values leave a rest of rounding, which is no noise */
    if (variance <= squares / (double)n * 1e-14)
        return 0;
    return sqrt(variance / (double)n);
}

static void line_mean(struct count_line *line, const struct count_sum *sum)
{
    if (line->status != COUNT_COUNTED)
        return;
    double runs = (double)sum->runs, error = mean_error(sum->value, sum->squares, sum->runs);
    line->value = sum->value / runs;
    line->enabled_ns = sum->enabled_ns / runs;
    line->running_ns = sum->running_ns / runs;
    line->noise_ratio = line->value != 0 ? error / fabs(line->value) : 0;
}

/* Ratios. */

static const struct {
    enum count_role role, denominator;
    const char *text;
} shares[] = {
    {ROLE_BRANCH_MISSES, ROLE_BRANCHES, "of all branches"},
    {ROLE_CACHE_MISSES, ROLE_CACHE_REFERENCES, "of all cache refs"},
    {ROLE_L1D_LOAD_MISSES, ROLE_L1D_LOADS, "of all L1-dcache accesses"},
    {ROLE_L1I_LOAD_MISSES, ROLE_L1I_LOADS, "of all L1-icache accesses"},
    {ROLE_LLC_LOAD_MISSES, ROLE_LLC_LOADS, "of all LL-cache accesses"},
    {ROLE_DTLB_LOAD_MISSES, ROLE_DTLB_LOADS, "of all dTLB cache accesses"},
    {ROLE_ITLB_LOAD_MISSES, ROLE_ITLB_LOADS, "of all iTLB cache accesses"},
    {ROLE_STALLED_FRONTEND, ROLE_CYCLES, "frontend cycles idle"},
    {ROLE_STALLED_BACKEND, ROLE_CYCLES, "backend cycles idle"},
};

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_place(const struct count_line *a, const struct count_line *b)
{
    return a->socket == b->socket && a->die == b->die && a->core == b->core && a->node == b->node &&
           a->cpu == b->cpu && a->thread == b->thread;
}

/* The counted line of a role at the same place with the same exclusions; of the same group when there is one. */
static const struct count_line *partner_find(const struct count_report *report, const struct count_table *table,
                                             const struct count_line *line, enum count_role role)
{
    const struct count_row *row = &table->rows[line->row];
    const struct count_line *found = NULL;
    for (size_t at = 0; at < report->line_count; at++) {
        const struct count_line *other = &report->lines[at];
        const struct count_row *candidate = &table->rows[other->row];
        bool same_exclusions = role == ROLE_CLOCK || candidate->excluded == row->excluded;
        bool same_pmu = role == ROLE_CLOCK || same_text(candidate->pmu, row->pmu);
        if (candidate->role != role || other->status != COUNT_COUNTED || !same_exclusions || !same_pmu ||
            !same_place(line, other) || !same_text(line->cgroup, other->cgroup))
            continue;
        if (candidate->group == row->group)
            return other;
        if (!found)
            found = other;
    }
    return found;
}

static struct count_ratio ratio_share(const struct count_report *report, const struct count_table *table,
                                      const struct count_line *line, enum count_role denominator, const char *text)
{
    const struct count_line *whole = partner_find(report, table, line, denominator);
    if (!whole || whole->value <= 0)
        return (struct count_ratio){0};
    return (struct count_ratio){RATIO_SHARE, line->value / whole->value, text};
}

static void instructions_ratios(const struct count_report *report, const struct count_table *table,
                                struct count_line *line)
{
    const struct count_line *cycles = partner_find(report, table, line, ROLE_CYCLES);
    const struct count_line *front = partner_find(report, table, line, ROLE_STALLED_FRONTEND);
    const struct count_line *back = partner_find(report, table, line, ROLE_STALLED_BACKEND);
    double stalled = fmax(front ? front->value : 0, back ? back->value : 0);
    size_t next = 0;
    if (cycles && cycles->value > 0)
        line->ratios[next++] = (struct count_ratio){RATIO_PER_CYCLE, line->value / cycles->value, NULL};
    if (stalled > 0 && line->value > 0)
        line->ratios[next++] = (struct count_ratio){RATIO_STALLED_PER_INSTRUCTION, stalled / line->value, NULL};
}

/* clock: the line with the CPU time at the same place, or NULL; its value is in nanoseconds times scale. */
static void line_ratios(const struct count_report *report, const struct count_table *table, struct count_line *line)
{
    const struct count_row *row = &table->rows[line->row];
    if (line->status != COUNT_COUNTED)
        return;
    for (size_t at = 0; at < array_count(shares); at++)
        if (shares[at].role == row->role) {
            line->ratios[0] = ratio_share(report, table, line, shares[at].denominator, shares[at].text);
            return;
        }
    if (row->role == ROLE_INSTRUCTIONS) {
        instructions_ratios(report, table, line);
        return;
    }
    if (row->role == ROLE_CLOCK) {
        double elapsed = report->elapsed_ns;
        if (elapsed > 0)
            line->ratios[0] = (struct count_ratio){RATIO_CPUS_UTILIZED, line->value / row->scale / elapsed, NULL};
        return;
    }
    const struct count_line *clock = partner_find(report, table, line, ROLE_CLOCK);
    double clock_ns = clock ? clock->value / table->rows[clock->row].scale : 0;
    if (clock_ns <= 0)
        return;
    if (row->role == ROLE_CYCLES)
        line->ratios[0] = (struct count_ratio){RATIO_GIGAHERTZ, line->value / clock_ns, NULL};
    else
        line->ratios[0] = (struct count_ratio){RATIO_PER_SECOND, line->value / clock_ns * 1e9, NULL};
}

/* Order. */

static int compare_int(int a, int b)
{
    return (a > b) - (a < b);
}

static int compare_place(const struct count_line *a, const struct count_line *b)
{
    int order = compare_int(a->node, b->node);
    order = order ? order : compare_int(a->socket, b->socket);
    order = order ? order : compare_int(a->die, b->die);
    order = order ? order : compare_int(a->core, b->core);
    order = order ? order : compare_int(a->cpu, b->cpu);
    return order ? order : compare_int(a->thread, b->thread);
}

static int by_event(const void *left, const void *right)
{
    const struct count_line *a = left, *b = right;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return compare_place(a, b);
}

static int by_place(const void *left, const void *right)
{
    const struct count_line *a = left, *b = right;
    int order = compare_place(a, b);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

static double order_value(const struct count_line *line)
{
    return line->status == COUNT_COUNTED ? line->value : -1;
}

static int by_event_and_value(const void *left, const void *right)
{
    const struct count_line *a = left, *b = right;
    if (a->row == b->row && order_value(a) != order_value(b))
        return order_value(a) > order_value(b) ? -1 : 1;
    return by_event(a, b);
}

void count_report_finish(struct count_report *report, const struct count_table *table)
{
    double runs = (double)report->run_count;
    if (report->run_count) {
        report->elapsed_error_ns = mean_error(report->elapsed_ns, report->elapsed_squares, report->run_count);
        report->elapsed_ns /= runs;
    }
    for (size_t at = 0; at < report->line_count; at++)
        line_mean(&report->lines[at], &report->sums[at]);
    for (size_t at = 0; at < report->line_count; at++)
        line_ratios(report, table, &report->lines[at]);
    bool events_first = report->grouping == COUNT_GLOBAL || report->grouping == COUNT_PER_CPU ||
                        report->grouping == COUNT_PER_THREAD;
    if (report->line_count)
        qsort(report->lines, report->line_count, sizeof(*report->lines),
              report->largest_first ? by_event_and_value
              : events_first        ? by_event
                                    : by_place);
}

void count_report_done(struct count_report *report)
{
    free(report->lines);
    free(report->sums);
    *report = (struct count_report){0};
}
