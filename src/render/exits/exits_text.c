/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/exits/exits.h"

#include <inttypes.h>

enum { USES_SHOWN = 8, VCPUS_SHOWN = 16 };

/* Four significant digits at most: "850 ns", "1.23 us", "4.56 ms". */
static void duration_add(struct text *out, struct measured ns, int columns)
{
    char number[32];
    double value = ns.value;
    const char *unit = "ns";
    if (!ns.known) {
        text_printf(out, "%*s", columns, "-");
        return;
    }
    if (value >= 999.5e6) {
        value /= 1e9;
        unit = "s";
    } else if (value >= 999.5e3) {
        value /= 1e6;
        unit = "ms";
    } else if (value >= 999.5) {
        value /= 1e3;
        unit = "us";
    }
    snprintf(number, sizeof(number), "%.*f %s",
             value >= 99.95 || strcmp(unit, "ns") == 0 ? 0
             : value >= 9.995                          ? 1
                                                       : 2,
             value, unit);
    text_printf(out, "%*s", columns, number);
}

static void share_add(struct text *out, struct measured share, int columns)
{
    char number[32] = "-";
    if (share.known)
        snprintf(number, sizeof(number), "%.*f %%", share.value < 0.0995 ? 2 : 1, share.value * 100);
    text_printf(out, "%*s", columns, number);
}

static void rate_add(struct text *out, struct measured rate, int columns)
{
    if (rate.known)
        text_printf(out, "%*.*f", columns, rate.value < 9.95 ? 2 : rate.value < 99.5 ? 1 : 0, rate.value);
    else
        text_printf(out, "%*s", columns, "-");
}

/* Names come from files and formats: nothing of them may steer a terminal. */
static void name_add(struct text *out, const char *name, size_t columns)
{
    size_t used = 0;
    for (; name[used] && used < columns; used++)
        text_add_char(out, (unsigned char)name[used] < ' ' || (unsigned char)name[used] == 0x7f ? '?' : name[used]);
    for (; used < columns; used++)
        text_add_char(out, ' ');
}

/* ---- one table ---- */

static void line_text(struct page *page, const struct exit_line *line)
{
    struct text *out = page->out;
    text_add(out, "  ");
    name_add(out, line->name, 27);
    text_printf(out, "%10" PRIu64, line->count);
    share_add(out, line->share, 9);
    rate_add(out, line->per_second, 9);
    duration_add(out, line->min_ns, 9);
    duration_add(out, line->mean_ns, 9);
    duration_add(out, line->p50_ns, 9);
    duration_add(out, line->p99_ns, 9);
    duration_add(out, line->max_ns, 9);
    share_add(out, line->vcpu_share, 9);
    text_add(out, line->class == EXIT_CLASS_IDLE ? "  idle\n" : "\n");
}

static bool has_class(const struct exit_table *table, enum exit_class class)
{
    for (size_t at = 0; at < table->line_count; at++)
        if (table->lines[at].point == table->counted && table->lines[at].class == class)
            return true;
    return false;
}

static void timer_text(struct page *page, const struct exit_table *table)
{
    struct text *out = page->out;
    bool interrupts = has_class(table, EXIT_CLASS_INTERRUPT) || has_class(table, EXIT_CLASS_TIMER);
    if (interrupts) {
        text_printf(out, "  timer interrupts %" PRIu64, table->interrupts + table->preemption_timer);
        if (table->preemption_timer)
            text_printf(out, " (external interrupts %" PRIu64 " + preemption timer %" PRIu64 ")", table->interrupts,
                        table->preemption_timer);
        text_add(out, ": at most, as other devices interrupt too\n");
    }
    if (has_class(table, EXIT_CLASS_ARMING) || (table->armings_exact && table->armings)) {
        text_printf(out, "  timer arming %" PRIu64, table->armings);
        text_add(out, table->armings_exact ? " (writes of the timer's MSRs)\n"
                                           : ": at most, as MSR writes and TDCALLs have other reasons too\n");
    }
}

static void sums_text(struct page *page, const struct exit_table *table)
{
    struct text *out = page->out;
    if (table->why_uncounted)
        text_add(out, "\n  how many exits there were");
    else
        text_printf(out, "\n  %" PRIu64 " %s", table->exits, exit_points[table->counted].sentence);
    if (table->idle)
        text_printf(out, ", %" PRIu64 " of them idle", table->idle);
    if (table->seconds.known)
        text_printf(out, " in %.4g s", table->seconds.value);
    if (table->vcpu_count)
        text_printf(out, " by %zu vCPU%s", table->vcpu_count, table->vcpu_count == 1 ? "" : "s");
    if (table->why_uncounted)
        text_printf(out, " isn't known: %s", table->why_uncounted);
    text_add_char(out, '\n');
    if (table->handler_ns.known) {
        text_add(out, "  handled in ");
        duration_add(out, table->handler_ns, 0);
        if (table->handler_share.known) {
            text_add(out, ", ");
            share_add(out, table->handler_share, 0);
            text_add(out, " of the vCPUs' time");
        }
        text_add(out, table->counted == EXIT_POINT_EXIT ? ": a lower bound, as switching worlds comes on top\n"
                                                        : ": from the return to the monitor to its next KVM_RUN\n");
    } else if (table->exits) {
        text_printf(out, "  how long they took isn't known: %s\n", table->handler_ns.why_not);
    }
    if (table->idle_ns.known) {
        text_add(out, "  idle for ");
        duration_add(out, table->idle_ns, 0);
        text_add(out, ", which is in none of these times\n");
    }
    if (table->migrations)
        text_printf(out, "  vCPU threads changed their CPU %" PRIu64 " time%s between events\n", table->migrations,
                    table->migrations == 1 ? "" : "s");
    timer_text(page, table);
    if (table->lost) {
        page_printf(page, PAGE_WARNING, "  %" PRIu64 " events were lost", table->lost);
        text_add(out, ": all counts are too small by up to as many\n");
    }
    if (table->lost_uses) {
        page_printf(page, PAGE_WARNING, "  %" PRIu64 " accesses or instructions found no place in the lists of them",
                    table->lost_uses);
        text_add(out, ": those are too small by as many, the counts and times of exits aren't\n");
    }
}

static const char *object_title(const struct exit_use_line *use)
{
    static const char *const titles[EXIT_OBJECT_COUNT] = {
        "", "BY PORT", "BY CPUID LEAF", "BY MSR", "BY ADDRESS", "BY HYPERCALL", ""};
    return use->is_rip ? "BY INSTRUCTION OF THE GUEST" : titles[use->object];
}

static void uses_text(struct page *page, const struct exit_table *table, const struct exit_report *report)
{
    size_t shown = 0, left = 0;
    uint64_t left_count = 0;
    for (size_t at = 0; at < table->use_count; at++) {
        const struct exit_use_line *use = &table->uses[at];
        bool begins = at == 0 || use->object != use[-1].object || use->is_rip != use[-1].is_rip;
        if (begins) {
            page_heading(page, object_title(use));
            shown = left = left_count = 0;
        }
        if (shown++ < USES_SHOWN || report->verbose) {
            text_add(page->out, "  ");
            name_add(page->out, use->name, 27);
            text_printf(page->out, "%10" PRIu64 "  0x%" PRIx64, use->count, use->value);
            if (use->symbol) {
                text_add(page->out, "  ");
                name_add(page->out, use->symbol, strnlen(use->symbol, 100));
            }
            text_add_char(page->out, '\n');
        } else {
            left++;
            left_count += use->count;
        }
        bool ends = at + 1 == table->use_count || use->object != use[1].object || use->is_rip != use[1].is_rip;
        if (ends && left)
            text_printf(page->out, "  %-27s%10" PRIu64 "  %zu more (-v shows all)\n", "", left_count, left);
    }
}

static void vcpus_text(struct page *page, const struct exit_table *table, const struct exit_report *report)
{
    if (table->vcpu_count < 2)
        return;
    page_heading(page, "BY VCPU");
    for (size_t at = 0; at < table->vcpu_count && (at < VCPUS_SHOWN || report->verbose); at++) {
        const struct exit_vcpu_line *vcpu = &table->vcpus[at];
        char number[24] = "-", process[16] = "-";
        if (vcpu->vcpu >= 0)
            snprintf(number, sizeof(number), "%" PRId64, vcpu->vcpu);
        if (vcpu->pid)
            snprintf(process, sizeof(process), "%" PRIu32, vcpu->pid);
        text_printf(page->out, "  process %-8s thread %-8" PRIu32 " vCPU %-4s %10" PRIu64 " exits ", process, vcpu->tid,
                    number, vcpu->exits);
        duration_add(page->out, vcpu->handled_ns, 9);
        text_printf(page->out, "  %" PRIu64 " moves\n", vcpu->migrations);
    }
    if (table->vcpu_count > VCPUS_SHOWN && !report->verbose)
        text_printf(page->out, "  %zu more (-v shows all)\n", table->vcpu_count - VCPUS_SHOWN);
}

static void machines_text(struct page *page, const struct exit_report *report)
{
    if (!report->machine_count)
        return;
    page_heading(page, "KVM'S STATISTICS");
    for (size_t at = 0; at < report->machine_count; at++) {
        const struct exit_machine *machine = &report->machines[at];
        if (machine->pid)
            text_printf(page->out, "  machine of process %d%s:", machine->pid,
                        machine->pid_is_guess ? " (most likely)" : "");
        else
            text_printf(page->out, "  machine made by thread %d, whose process isn't known:", machine->creator);
        for (size_t figure = 0; figure < machine->figure_count; figure++)
            text_printf(page->out, " %s %" PRId64, machine->figures[figure].name, machine->figures[figure].value);
        text_add_char(page->out, '\n');
    }
}

static void notes_text(struct page *page, const char *const *notes, size_t count)
{
    for (size_t at = 0; at < count; at++) {
        text_add(page->out, "  ");
        page_paragraph(page, PAGE_FAINT, 2, 2, notes[at]);
    }
}

void exit_table_text(struct page *page, const struct exit_table *table, const struct exit_report *report)
{
    struct text *out = page->out;
    if (report->at_s >= 0)
        text_printf(out, "%s%.3f s\n", out->length ? "\n" : "", report->at_s);
    else {
        page_printf(page, PAGE_STRONG, "VM exits of ");
        name_add(out, report->heading, strnlen(report->heading, 200));
        text_printf(out, "\n  %s\n", report->method);
    }
    enum exit_point point = EXIT_POINT_COUNT;
    for (size_t at = 0; at < table->line_count; at++) {
        const struct exit_line *line = &table->lines[at];
        if (line->point != point)
            text_printf(out, "\n  %-27s%10s%9s%9s%9s%9s%9s%9s%9s%9s\n", exit_points[line->point].name, "count", "share",
                        "per s", "least", "mean", "median", "p99", "most", "of vCPUs");
        point = line->point;
        line_text(page, line);
    }
    if (report->at_s >= 0)
        return;
    sums_text(page, table);
    uses_text(page, table, report);
    vcpus_text(page, table, report);
    machines_text(page, report);
    if (report->note_count)
        text_add_char(out, '\n');
    notes_text(page, report->notes, report->note_count);
}

/* ---- fields ---- */

static void field_add(struct text *out, const char *separator, struct measured value)
{
    text_add(out, separator);
    if (value.known)
        text_printf(out, "%.9g", value.value);
}

/* A name in which the separator isn't. */
static void field_name_add(struct text *out, const char *name, const char *separator)
{
    size_t length = strnlen(name, 100), width = strlen(separator);
    for (size_t at = 0; at < length;) {
        bool splits = width && strncmp(name + at, separator, width) == 0;
        name_add(out, splits ? "_" : name + at, 1);
        at += splits ? width : 1;
    }
}

void exit_table_fields(struct text *out, const struct exit_table *table, const struct exit_report *report)
{
    const char *separator = report->separator;
    for (size_t at = 0; at < table->line_count; at++) {
        const struct exit_line *line = &table->lines[at];
        if (report->at_s >= 0)
            text_printf(out, "%.9f", report->at_s);
        if (report->at_s >= 0 || report->intervals)
            text_add(out, separator);
        text_printf(out, "%s%s", exit_points[line->point].name, separator);
        field_name_add(out, line->name, separator);
        text_printf(out, "%s%s%s%" PRIu64, separator, exit_class_name(line->class), separator, line->count);
        field_add(out, separator, line->share);
        field_add(out, separator, line->per_second);
        field_add(out, separator, line->min_ns);
        field_add(out, separator, line->mean_ns);
        field_add(out, separator, line->p50_ns);
        field_add(out, separator, line->p99_ns);
        field_add(out, separator, line->max_ns);
        field_add(out, separator, line->vcpu_share);
        text_add_char(out, '\n');
    }
}

void exit_table_remarks(struct text *out, const struct exit_table *table, const struct exit_report *report)
{
    if (report->at_s >= 0)
        return;
    text_printf(out, "%s\n", report->method);
    if (table->lost)
        text_printf(out, "%" PRIu64 " events were lost: all counts are too small by up to as many\n", table->lost);
    if (table->lost_uses)
        text_printf(out, "%" PRIu64 " accesses or instructions found no place in the lists of them\n",
                    table->lost_uses);
    for (size_t at = 0; at < report->note_count; at++) {
        name_add(out, report->notes[at], strlen(report->notes[at]));
        text_add_char(out, '\n');
    }
}

/* ---- two ---- */

static void side_text(struct page *page, const struct exit_line *line)
{
    struct text *out = page->out;
    if (!line) {
        text_printf(out, "%10s%9s%9s", "-", "-", "-");
        return;
    }
    text_printf(out, "%10" PRIu64, line->count);
    rate_add(out, line->per_second, 9);
    duration_add(out, line->mean_ns, 9);
}

static void ratio_add(struct text *out, struct measured ratio)
{
    char number[32] = "-";
    if (ratio.known)
        snprintf(number, sizeof(number), ratio.value < 100 ? "x%.2f" : "x%.0f", ratio.value);
    text_printf(out, "%8s", number);
}

struct sum {
    uint64_t count;
    bool known;
};

static struct sum sum_of(const struct exit_table *table, uint64_t count)
{
    return (struct sum){count, !table->why_uncounted};
}

static void sum_add(struct text *out, struct sum sum)
{
    if (sum.known)
        text_printf(out, "%10" PRIu64, sum.count);
    else
        text_printf(out, "%10s", "-");
}

static void sum_pair_text(struct text *out, const char *name, struct sum a, struct sum b)
{
    text_printf(out, "  %-27s", name);
    sum_add(out, a);
    text_printf(out, "%18s", "");
    sum_add(out, b);
    if (a.known && b.known && a.count)
        text_printf(out, "%18sx%.2f", "", (double)b.count / (double)a.count);
    text_add_char(out, '\n');
}

static void burden_text(struct text *out, const char *name, const struct exit_burden *burden)
{
    text_printf(out, "  %s: ", name);
    if (burden->high.known)
        text_printf(out, "exits take %.3g to %.3g %% of its vCPUs' time, the most at %s%.3g us of round trip each",
                    burden->low.value * 100, burden->high.value * 100, burden->round_trip_given ? "" : "a generous ",
                    burden->round_trip_us);
    else
        text_printf(out, "exits take at least %.3g %% of its vCPUs' time, at most isn't known: %s",
                    burden->low.value * 100, burden->high.why_not);
    if (burden->dear_enough_us.known)
        text_printf(out, "; each would have to cost %.3g us to matter", burden->dear_enough_us.value);
    text_add_char(out, '\n');
}

static void verdict_text(struct page *page, const struct exit_comparison *comparison)
{
    double effect = comparison->effect * 100;
    switch (comparison->verdict) {
    case EXIT_VERDICT_RULED_OUT:
        page_printf(page, PAGE_GOOD, "  VM exits are ruled out");
        text_printf(page->out, " as the cause: they explain %.3g to %.3g %% of a difference, less than %.3g %%\n",
                    comparison->gap_low.value * 100, comparison->gap_high.value * 100, effect);
        break;
    case EXIT_VERDICT_SUPPORTED: {
        bool b_more = comparison->gap_low.known && comparison->gap_low.value >= comparison->effect;
        page_printf(page, PAGE_BAD, "  VM exits are a cause");
        text_printf(page->out, ": they take at least %.3g %% more of the vCPUs' time on %s\n",
                    (b_more ? comparison->gap_low.value : -comparison->gap_high.value) * 100, b_more ? "B" : "A");
        break;
    }
    case EXIT_VERDICT_UNDECIDED:
        page_printf(page, PAGE_WARNING, "  VM exits are neither ruled out nor shown as a cause");
        text_printf(page->out, " of %.3g %% or more: %s\n", effect, comparison->why);
    }
}

void exit_comparison_text(struct page *page, const struct exit_comparison *comparison,
                          const struct exit_comparison_report *report)
{
    const char *name_a = report->names[0], *name_b = report->names[1];
    const struct exit_table *a = comparison->a, *b = comparison->b;
    struct text *out = page->out;
    page_printf(page, PAGE_STRONG, "VM exits: ");
    text_add(out, "A is ");
    name_add(out, name_a, strnlen(name_a, 200));
    text_add(out, ", B is ");
    name_add(out, name_b, strnlen(name_b, 200));
    text_printf(out, "\n\n  %-27s%10s%9s%9s%10s%9s%9s%8s%8s\n", "", "A count", "per s", "mean", "B count", "per s",
                "mean", "rate", "cost");
    for (size_t at = 0; at < comparison->pair_count; at++) {
        const struct exit_pair *pair = &comparison->pairs[at];
        text_add(out, "  ");
        name_add(out, pair->name, 27);
        side_text(page, pair->a);
        side_text(page, pair->b);
        ratio_add(out, pair->rate_ratio);
        ratio_add(out, pair->cost_ratio);
        bool idle = (pair->a ? pair->a : pair->b)->class == EXIT_CLASS_IDLE;
        text_add(out, idle ? "  idle\n" : "\n");
    }
    text_add_char(out, '\n');
    sum_pair_text(out, exit_points[a->counted].sentence, sum_of(a, a->exits), sum_of(b, b->exits));
    sum_pair_text(out, "timer interrupts", sum_of(a, a->interrupts + a->preemption_timer),
                  sum_of(b, b->interrupts + b->preemption_timer));
    sum_pair_text(out, "timer arming", (struct sum){a->armings, !a->why_uncounted || a->armings_exact},
                  (struct sum){b->armings, !b->why_uncounted || b->armings_exact});
    text_add(out, "  (timer interrupts: external interrupts and the preemption timer; arming: MSR writes or TDCALLs; "
                  "both at most)\n\n");
    burden_text(out, "A", &comparison->burden_a);
    burden_text(out, "B", &comparison->burden_b);
    verdict_text(page, comparison);
    if (a->counted != b->counted)
        text_add(out, "  A and B counted different things: kvm_exit is fired on one of them only\n");
    if (report->note_count)
        text_add_char(out, '\n');
    notes_text(page, report->notes, report->note_count);
}
