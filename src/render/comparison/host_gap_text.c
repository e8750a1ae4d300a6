/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render/comparison/host_gap.h"

#include "base/scope.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>

enum { NAME_COLUMNS = 14, INDENT = 4 };
static const double ROUNDING = 1.005; /* what a percentage doesn't show */

static const char *seconds_words(double seconds, struct arena *arena)
{
    double size = fabs(seconds);
    const char *sign = seconds > 0 ? "+" : "";
    return size <= 0      ? "0"
           : size >= 1    ? arena_printf(arena, "%s%.2f s", sign, seconds)
           : size >= 1e-3 ? arena_printf(arena, "%s%.3g ms", sign, seconds * 1e3)
                          : arena_printf(arena, "%s%.3g us", sign, seconds * 1e6);
}

static const char *range_words(struct interval seconds, struct arena *arena)
{
    return arena_printf(arena, "[%s .. %s]", seconds_words(seconds.low, arena), seconds_words(seconds.high, arena));
}

/* ---- the sentence ---- */

static const char *share_words(struct interval part, double whole, struct arena *arena)
{
    double low = part.low / whole, high = part.high / whole;
    if (low > high) {
        double swapped = low;
        low = high;
        high = swapped;
    }
    if (100 * (high - low) < 1 && low > 0)
        return arena_printf(arena, "%.0f %%", 50 * (low + high));
    return low < 0 ? arena_printf(arena, "up to %.0f %%", 100 * high)
                   : arena_printf(arena, "%.0f to %.0f %%", 100 * low, 100 * high);
}

static const char *with_capital(const char *words, struct arena *arena)
{
    return arena_printf(arena, "%c%s", words[0] >= 'a' && words[0] <= 'z' ? words[0] - 'a' + 'A' : words[0], words + 1);
}

static const char *what_leads(const struct host_gap *gap, struct arena *arena)
{
    if (gap->leading == GAP_CAUSE_COUNT) {
        struct interval rest = gap->remainder_s;
        bool rest_leads = rest.known && gap->gap_s.known &&
                          (gap->gap_s.mid > 0 ? rest.low > gap->effect * gap->guest_s.mid
                                              : rest.high < -gap->effect * gap->guest_s.mid);
        return rest_leads
                   ? "No component explains it: what remains is more than all of them can be."
                   : "What it is can't be decided by these cases: no component surely matters, nor does the remainder.";
    }
    const struct gap_component *leading = &gap->components[gap->leading];
    return arena_printf(arena, "%s %s %s of that, %s%s.", with_capital(gap_cause_words(leading->cause), arena),
                        leading->cause == GAP_WALKS ? "explain" : "explains",
                        share_words(leading->seconds, gap->gap_s.mid, arena),
                        leading->origin == GAP_MEASURED ? "measured" : "estimated",
                        fabs(leading->seconds.mid) > fabs(gap->gap_s.mid) * ROUNDING
                            ? ": more than all of it, so that something works against it or counts twice"
                            : "");
}

static const char *alone_sentence(const struct host_gap *gap, struct arena *arena)
{
    scoped_text struct text ruled = {0};
    scoped_text struct text open = {0};
    for (size_t at = 0; at < gap->component_count; at++) {
        const struct gap_component *component = &gap->components[at];
        struct text *list = component->verdict == GAP_RULED_OUT ? &ruled : &open;
        text_printf(list, "%s%s", list->length ? ", " : "", gap_cause_words(component->cause));
    }
    return arena_printf(
        arena,
        "Without a host's case there is no gap to split: this is what the guest may pay beyond a host.%s%s%s%s%s",
        ruled.length ? " Below " : "",
        ruled.length ? arena_printf(arena, "%.3g %%, whatever the host: ", gap->effect * 100) : "",
        ruled.length ? text_string(&ruled) : "", open.length ? ". Open: " : "",
        open.length ? arena_printf(arena, "%s.", text_string(&open)) : ".");
}

const char *gap_sentence(const struct host_gap *gap, struct arena *arena)
{
    const char *of = gap->of == OF_CPU_TIME ? "CPU time" : "time";
    if (!gap->has_host)
        return alone_sentence(gap, arena);
    if (!gap->gap_s.known)
        return arena_printf(arena, "How large the gap is isn't known: %s.", gap->why_no_gap);
    double most = gap->effect * gap->host_s.mid;
    if (gap->gap_s.high < most && gap->gap_s.low > -most)
        return arena_printf(arena, "There is no gap to explain: the guest takes the same %s within %.3g %%.", of,
                            gap->effect * 100);
    bool slower = gap->gap_s.mid > 0;
    double percent = gap->host_s.mid > 0 ? 100 * fabs(gap->gap_s.mid) / gap->host_s.mid : 0;
    const char *sure = gap->gap_s.low <= 0 && gap->gap_s.high >= 0 ? " by the medians, which may be chance" : "";
    return arena_printf(arena, "The guest takes %s (%.1f %%) %s %s%s. %s", gap_time_words(fabs(gap->gap_s.mid), arena),
                        percent, slower ? "more" : "less", of, sure, what_leads(gap, arena));
}

/* ---- the page ---- */

static void add_side(struct page *page, const char *name, const struct gap_side_report *side, struct interval whole_s,
                     struct arena *arena)
{
    page_printf(page, PAGE_STRONG, "  %-7s", name);
    const struct surroundings *machine = side->surroundings;
    const char *time = whole_s.known ? gap_time_words(whole_s.mid, arena) : "time not known";
    text_printf(page->out, " %-10s ", time);
    const char *words =
        arena_printf(arena, "%s%s%s%s%s%s; %s",
                     side->runs > 1 ? arena_printf(arena, "median of %zu runs; ", side->runs) : "one run; ",
                     !machine            ? "machine not known"
                     : machine->is_guest ? "guest of "
                                         : "",
                     machine ? (machine->hypervisor[0] ? machine->hypervisor : "an unknown hypervisor") : "",
                     machine && machine->confidential[0] ? ", " : "", machine ? machine->confidential : "",
                     machine && machine->microarchitecture[0]
                         ? arena_printf(arena, "; %s, Linux %s", machine->microarchitecture, machine->kernel)
                         : "",
                     side->folder);
    page_paragraph(page, PAGE_FAINT, 21, 21, words);
}

static enum page_meaning meaning_of(enum gap_verdict verdict)
{
    return verdict == GAP_EXPLAINS    ? PAGE_BAD
           : verdict == GAP_RULED_OUT ? PAGE_GOOD
           : verdict == GAP_UNKNOWN   ? PAGE_FAINT
                                      : PAGE_WARNING;
}

static const char *verdict_words(const struct host_gap *gap, enum gap_verdict verdict)
{
    switch (verdict) {
    case GAP_EXPLAINS:
        return gap->has_host ? "explains" : "it costs";
    case GAP_AGAINST:
        return "works against";
    case GAP_RULED_OUT:
        return "ruled out";
    case GAP_UNDECIDED:
        return "undecided";
    case GAP_UNKNOWN:
        break;
    }
    return "";
}

/* "-0 %" reads as if there were something. */
static double without_sign(double percent)
{
    return fabs(percent) < 0.5 ? 0 : percent;
}

static const char *of_gap(const struct host_gap *gap, struct interval seconds, struct arena *arena)
{
    if (gap->gap_s.known && fabs(gap->gap_s.mid) > 0)
        return arena_printf(arena, "%.0f %%", without_sign(100 * seconds.mid / gap->gap_s.mid));
    return gap->guest_s.known && gap->guest_s.mid > 0
               ? arena_printf(arena, "%.1f %%", 100 * seconds.mid / gap->guest_s.mid)
               : "";
}

static void add_numbers(struct page *page, const struct host_gap *gap, struct interval seconds, struct arena *arena)
{
    text_printf(page->out, " %10s  %-26s %7s  ", seconds_words(seconds.mid, arena), range_words(seconds, arena),
                of_gap(gap, seconds, arena));
}

static void add_texts(struct page *page, const struct gap_texts *texts, enum page_meaning meaning)
{
    for (size_t at = 0; at < texts->count; at++) {
        text_add_repeated(page->out, " ", INDENT);
        page_paragraph(page, meaning, INDENT, INDENT + 2, texts->items[at]);
    }
}

static void add_component(struct page *page, const struct host_gap *gap, const struct gap_component *component,
                          struct arena *arena)
{
    page_printf(page, PAGE_STRONG, "  %-*s", NAME_COLUMNS, gap_cause_words(component->cause));
    if (component->seconds.known) {
        add_numbers(page, gap, component->seconds, arena);
        text_printf(page->out, "%-10s ", gap_origin_words(component->origin));
        page_add(page, meaning_of(component->verdict), verdict_words(gap, component->verdict));
        text_add(page->out, "\n");
    } else {
        page_paragraph(page, PAGE_FAINT, 2 + NAME_COLUMNS, 2 + NAME_COLUMNS + 1,
                       arena_printf(arena, " not measured, because: %s",
                                    component->why_not ? component->why_not : "its times don't bound it"));
    }
    add_texts(page, &component->evidence, PAGE_FAINT);
}

static double weight_of(const struct gap_component *component)
{
    return component->seconds.known ? fabs(component->seconds.mid) : -1;
}

static void order_find(const struct host_gap *gap, size_t *order)
{
    for (size_t at = 0; at < gap->component_count; at++) {
        size_t place = at;
        for (; place > 0 && weight_of(&gap->components[order[place - 1]]) < weight_of(&gap->components[at]); place--)
            order[place] = order[place - 1];
        order[place] = at;
    }
}

static void add_table(struct page *page, const struct host_gap *gap, struct arena *arena)
{
    size_t order[GAP_CAUSE_COUNT];
    order_find(gap, order);
    page_heading(
        page, gap->has_host
                  ? "WHERE THE GAP GOES                 seconds of the guest's run, for the same work; part of the gap"
                  : "WHAT THE GUEST MAY PAY             seconds of its run; part of its time");
    for (size_t at = 0; at < gap->component_count; at++)
        add_component(page, gap, &gap->components[order[at]], arena);
    if (!gap->gap_s.known)
        return;
    page_printf(page, PAGE_STRONG, "  %-*s", NAME_COLUMNS, "remainder");
    add_numbers(page, gap, gap->remainder_s, arena);
    text_add(page->out, "the gap less all of these\n");
    add_texts(page, &gap->remainder, PAGE_FAINT);
    page_printf(page, PAGE_STRONG, "  %-*s", NAME_COLUMNS, "the gap");
    add_numbers(page, gap, gap->gap_s, arena);
    text_add(page->out, "the sum\n");
}

static void add_overlaps(struct page *page, const struct host_gap *gap, struct arena *arena)
{
    if (!gap->overlap_count)
        return;
    page_heading(page, "WHAT MAY COUNT TWICE");
    for (size_t at = 0; at < gap->overlap_count; at++) {
        const struct gap_overlap *overlap = &gap->overlaps[at];
        text_add(page->out, "  ");
        page_paragraph(page, PAGE_PLAIN, 2, 4,
                       arena_printf(arena, "%s and %s: %s", gap_cause_words(overlap->a), gap_cause_words(overlap->b),
                                    overlap->text));
    }
}

static void add_missing(struct page *page, const struct gap_report *report, struct arena *arena)
{
    const struct host_gap *gap = report->gap;
    bool any = !gap->has_host;
    for (size_t at = 0; at < gap->component_count; at++)
        any |= gap->components[at].remedies.count > 0 && gap->components[at].verdict != GAP_RULED_OUT;
    if (!any)
        return;
    page_heading(page, "WHAT IS MISSING");
    if (!gap->has_host) {
        text_add(page->out, "  ");
        page_paragraph(page, PAGE_PLAIN, 2, 4,
                       "the host's case of the same command: plumb diagnose --case DIR there, then --host DIR");
    }
    for (size_t at = 0; at < gap->component_count; at++)
        for (size_t text = 0; gap->components[at].verdict != GAP_RULED_OUT && text < gap->components[at].remedies.count;
             text++) {
            text_add(page->out, "  ");
            page_paragraph(page, PAGE_PLAIN, 2, 4,
                           arena_printf(arena, "%s: %s", gap_cause_words((enum gap_cause)at),
                                        gap->components[at].remedies.items[text]));
        }
}

void host_gap_text(struct page *page, const struct gap_report *report, struct arena *arena)
{
    const struct host_gap *gap = report->gap;
    const char *title = gap->has_host ? "plumb compare --host --guest  " : "plumb compare --guest  ";
    page_add(page, PAGE_STRONG, title);
    page_paragraph(page, PAGE_PLAIN, strlen(title), 2,
                   report->guest.command[0] ? report->guest.command : "(what ran already)");
    if (report->host)
        add_side(page, "host", report->host, gap->host_s, arena);
    add_side(page, "guest", &report->guest, gap->guest_s, arena);
    text_add(page->out, "\n  ");
    page_paragraph(page, PAGE_STRONG, 2, 2, gap_sentence(gap, arena));
    add_table(page, gap, arena);
    add_overlaps(page, gap, arena);
    add_missing(page, report, arena);
    if (report->note_count)
        page_heading(page, "AROUND THEM");
    for (size_t at = 0; at < report->note_count; at++) {
        text_add(page->out, "  ");
        page_paragraph(page, PAGE_PLAIN, 2, 4, report->notes[at]);
    }
}
